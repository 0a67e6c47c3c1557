"""Controllers in packages (`ftl.local`) as a user sees them."""

from __future__ import annotations

import pytest

import wordline as wl

LOAD = {"workload.requests": 3_000, "workload.read_fraction": 0.5, "output.attribution": True}
LOCAL = {"ftl.local.enabled": True}


def run(**more: object) -> wl.Result:
    drive = wl.Drive.from_toml("tiny", **{**LOAD, **more})
    return wl.simulate(drive, progress=False, audit=True)


def test_moves_leave_the_channel_to_the_host() -> None:
    without, inside = run(), run(**LOCAL, **{"ftl.local.escalation": 0.0})
    assert inside.number("ftl.pages_programmed.gc") > 0
    assert inside.number("local.pages_escalated") == 0
    assert inside.number("local.utilization.max") >= inside.number("local.utilization.mean") > 0

    def busy(result: wl.Result) -> float:
        return result.number("nand.channel_utilization") * result.number("sim.time_s")

    assert busy(inside) < busy(without)
    assert not any(key.startswith("local.") for key in without.summary)


def test_what_the_codec_of_a_package_cannot_correct_is_counted() -> None:
    half = run(**LOCAL, **{"ftl.local.escalation": 0.5})
    corrected = half.number("local.pages_corrected")
    escalated = half.number("local.pages_escalated")
    assert escalated / (escalated + corrected) == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"ftl.local.cores": 0}, "ftl.local.cores = 0"),
        ({"ftl.local.cores": 65}, "from 1 to 64 cores"),
        ({"ftl.local.clock": "0 Hz"}, "ftl.local.clock"),
        ({"ftl.local.node_reads": 8}, "from 0 to 7 nodes"),
        ({"ftl.local.escalation": 1.5}, "ftl.local.escalation"),
        ({"ftl.local.bus_rate": "0 MT/s"}, "ftl.local.bus_rate"),
        ({"ftl.local.decode_rate": "0 MT/s"}, "ftl.local.decode_rate"),
        ({"ftl.mapping": "block"}, "ftl.mapping"),
        ({"ftl.mapping_unit": "1 KiB"}, "ftl.mapping_unit"),
        ({"ftl.gc.pool": "channel"}, "ftl.gc.pool"),
        ({"nand.independent_planes": True}, "nand.independent_planes"),
        ({"commands.copyback": "wise"}, "commands.copyback"),
        ({"commands.cache_read": True}, "commands.cache_read"),
        ({"commands.cache_program": True}, "commands.cache_program"),
        ({"scheduler.busy_grain": "chip", "geometry.dies_per_chip": 2}, "scheduler.busy_grain"),
        ({"scheduler.suspension.erase_suspend": "phase"}, "scheduler.suspension"),
        ({"ecc.kind": "bch"}, "ecc.kind"),
        ({"ftl.recovery.kind": "oob_scan"}, "ftl.recovery.kind"),
        ({"nand.program": "one_shot"}, "nand.program"),
    ],
)
def test_what_does_not_go_with_them_is_refused(keys: dict[str, object], words: str) -> None:
    with pytest.raises(wl.ConfigError, match=words):
        wl.Drive.from_toml("tiny", **LOCAL, **keys)


def test_modes_are_refused() -> None:
    with pytest.raises(wl.ConfigError, match="modes"):
        wl.Drive.from_toml("tiny", **LOCAL, modes=[{"name": "a"}])


@pytest.mark.parametrize("seed", range(1, 5))
def test_a_trim_may_be_done_before_a_package_has_ended_its_work_on_a_write_back(seed: int) -> None:
    """The buffer keeps nothing of what was trimmed, and reads do not get it (audited)."""
    keys = {"ftl.local.enabled": True, "buffer.policy": "lru", "buffer.size": "1 MiB"}
    load = {
        "kind": "random",
        "requests": 6_000,
        "request_size": "6 KiB",
        "queue_depth": 16,
        "region": 0.05,
        "read_fraction": 0.4,
        "trim_fraction": 0.3,
        "seed": seed,
    }
    found = wl.simulate(wl.Drive("tiny", **keys), load, audit=True, progress=False)
    assert found.summary["check.conservation"] is True
    assert found.number("host.requests") == 6_000
