"""Drives whose blocks are collected as superblocks over several planes, with and without parity."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import wordline as wl

SMALL: dict[str, Any] = {
    "ftl.mapping": "striped",
    "ftl.over_provisioning": 0.5,
    "workload.read_fraction": 0.3,
    "workload.requests": 3_000,
    "workload.request_size": "8 KiB",
}


def run(**more: Any) -> wl.Result:
    result = wl.simulate(wl.Drive("tiny", **{**SMALL, **more}), audit=True, progress=False)
    assert result.summary["check.audited"] is True
    assert result.summary["check.conservation"] is True
    return result


@pytest.mark.parametrize("span", ["C", "P", "CP", "PC", "CWP", "W"])
def test_every_span_is_audited(span: str) -> None:
    result = run(**{"ftl.span": span})
    members = {"C": 2, "W": 2, "P": 2}
    blocks = 1
    for letter in span:
        blocks *= members[letter]
    # erases are of blocks, victims superblocks
    assert result.number("ftl.blocks_erased") % blocks == 0
    assert result.number("ftl.gc.victims") > 0


def test_planes_stay_in_step_on_an_aged_drive() -> None:
    """Random writes of an aged drive: page-level mapping pairs few programs, superblocks nearly all."""
    writes: dict[str, Any] = {
        "workload.read_fraction": 0.0,
        "workload.queue_depth": 64,
        "commands.multi_plane_write": "wise",
    }

    def paired(**more: Any) -> float:
        result = run(**{**writes, **more})
        pairs = result.number("nand.commands.multi_plane_program")
        return pairs / (pairs + result.number("nand.commands.program"))

    assert paired(**{"ftl.span": "CP"}) > 0.85
    assert paired(**{"ftl.mapping": "page"}) < 0.7


def test_parity_is_counted_for_itself() -> None:
    result = run(**{"ftl.span": "CP", "ftl.parity": "rotating", "workload.read_fraction": 0.0})
    summary = result.summary
    data = result.number("ftl.write_amplification")
    total = result.number("ftl.write_amplification_total")
    # three pages of data in a superpage of four
    assert total / data == pytest.approx(4 / 3, rel=0.01)
    assert result.number("ftl.pages_programmed.parity") > 0
    assert result.number("ftl.pages.parity") > 0
    assert "ftl.pages.translation" not in summary


@pytest.mark.parametrize(
    ("keys", "word"),
    [
        ({"ftl.span": "CX"}, "ftl.span"),
        ({"ftl.span": "CC"}, "ftl.span"),
        ({"ftl.span": "CP", "geometry.pages_per_block": 10_000}, "ftl.span"),
        ({"ftl.span": "CP", "geometry.channels": 64}, "ftl.span"),
        ({"ftl.span": "D", "ftl.parity": "fixed"}, "ftl.parity"),
        ({"ftl.parity": "rotating", "ftl.over_provisioning": 0.3}, "ftl.over_provisioning"),
        ({"ftl.parity": "raid6"}, "ftl.parity"),
        ({"commands.copyback": "wise"}, "commands.copyback"),
        ({"ftl.mapping_unit": "1 KiB"}, "ftl.mapping_unit"),
        ({"ftl.gc.pool": "die"}, "ftl.gc.pool"),
        ({"ftl.gc.frontier": "separate"}, "ftl.gc.frontier"),
        ({"ftl.refresh.policy": "remaining"}, "ftl.refresh"),
        ({"allocation.mode": "static"}, "allocation.mode"),
        ({"modes": [{"name": "fast", "t_prog": "100 us"}]}, "ftl.mapping"),
        ({"ftl.mapping": "page", "ftl.span": "C"}, "ftl.span"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(map(str, value)),
)
def test_what_does_not_go_together_is_refused(keys: dict[str, Any], word: str) -> None:
    with pytest.raises(wl.WordlineError, match=word.replace(".", r"\.")):
        wl.Drive("tiny", **{**SMALL, **keys})


ERRORS: dict[str, Any] = {
    "cell.rber.model": "fixed",
    "cell.rber.rate": 0.0017,
    "ecc.kind": "bch",
    "ftl.over_provisioning": 1.0,
}


def test_parity_brings_back_what_cannot_be_read() -> None:
    """With parity the host sees an error only where a second page of the superpage fails too."""
    without = run(**ERRORS)
    with_parity = run(**{**ERRORS, "ftl.parity": "rotating"})
    recovered = with_parity.number("ftl.parity.recovered_reads")
    unrecovered = with_parity.number("ftl.parity.unrecovered_reads")
    assert recovered > 2 * unrecovered > 0
    assert with_parity.number("host.uncorrectable") < 0.6 * without.number("host.uncorrectable")
    # three others of a superpage of four
    assert with_parity.number("ftl.pages_read.parity") <= 3 * (recovered + unrecovered)
    assert "ftl.parity.recovered_reads" not in without.summary


def test_a_drive_with_errors_and_parity_is_saved_and_loaded(tmp_path: Path) -> None:
    state = tmp_path / "state"
    keys = {**SMALL, **ERRORS, "ftl.parity": "rotating"}
    first = wl.simulate(wl.Drive("tiny", **keys), save_state=state, audit=True, progress=False)
    start = {"age.method": "snapshot", "age.snapshot": str(state), "workload.seed": 2}
    later = wl.simulate(wl.Drive("tiny", **{**keys, **start}), audit=True, progress=False)
    assert later.summary["check.audited"] is True
    assert later.number("ftl.parity.recovered_reads") > 0
    assert later.number("ftl.mapped_pages") == first.number("ftl.mapped_pages")


def test_a_flush_completes_superpages(tmp_path: Path) -> None:
    """Every fourth write of a page is followed by a flush: one of a superpage of three pages of data and its parity is left, which takes two pages without data."""
    job = tmp_path / "job.fio"
    job.write_text("[log]\nrw=write\nbs=2k\nsize=800k\nfsync=4\nend_fsync=1\niodepth=1\n")
    keys: dict[str, Any] = {
        "ftl.mapping": "striped",
        "ftl.span": "CP",
        "ftl.parity": "rotating",
        "ftl.over_provisioning": 1.0,
        "age.method": "fresh",
        "workload": {"kind": "fio", "path": str(job)},
    }
    runs = {}
    for partial in ("keep", "pad"):
        drive = wl.Drive("tiny", **keys, **{"ftl.partial_superpages": partial})
        runs[partial] = wl.simulate(drive, audit=True, progress=False)
    pad, keep = runs["pad"], runs["keep"]
    assert (
        pad.number("ftl.pages_programmed.host") == keep.number("ftl.pages_programmed.host") == 400
    )
    assert keep.number("ftl.parity.padded_pages") == 0
    # the groups of planes have incomplete superpages of their own
    padded = pad.number("ftl.parity.padded_pages")
    assert 100 <= padded <= 400
    assert pad.number("ftl.pages_programmed.padding") == padded
    assert 3 * pad.number("ftl.pages_programmed.parity") == 400 + padded
    assert pad.number("host.other.latency.p50_us") > 10 * keep.number("host.other.latency.p50_us")


def test_write_amplification_is_divided_by_cause() -> None:
    """The causes sum to the total, and those that keep data safe are told together."""
    keys = {"ftl.span": "CP", "ftl.parity": "rotating", "workload.read_fraction": 0.0}
    result = run(**keys, **{"output.write_breakdown": True})
    names = [key for key in result.summary if key.startswith("ftl.write_breakdown.")]
    parts = {name.rsplit(".", 1)[1]: result.number(name) for name in names}
    safe = parts.pop("data_integrity")
    total = result.number("ftl.write_amplification_total")
    assert sum(parts.values()) == pytest.approx(total)
    kinds = ("refresh", "parity", "padding", "metadata", "repair")
    assert safe == pytest.approx(sum(parts[kind] for kind in kinds))
    # three pages of data in a superpage of four
    assert safe == pytest.approx(total / 4, rel=0.01)
    assert parts["host"] == pytest.approx(1.0, abs=0.01)
    assert not any(key.startswith("ftl.write_breakdown") for key in run(**keys).summary)


MENDED: dict[str, Any] = {
    "ftl.mapping": "striped",
    "ftl.span": "CP",
    "ftl.parity": "rotating",
    "ftl.over_provisioning": 1.2,
    "ftl.gc.reserve_blocks": 2,
    "geometry.blocks_per_plane": 64,
    "age.method": "steady_state",
    "cell.rber.model": "fixed",
    "cell.rber.rate": 0.0018,
    "cell.process_variation.sd": 0.0,
    "ecc.kind": "bch",
    "host.interface": "nvme",
    "buffer.policy": "lru",
    "buffer.size": "128 KiB",
    "workload.read_fraction": 0.5,
    "workload.trim_fraction": 0.05,
    "workload.requests": 12_000,
    "workload.request_size": ["2 KiB", "8 KiB"],
    "workload.align": "2 KiB",
}


@pytest.mark.parametrize(
    ("way", "more"),
    [
        ("retire", {}),
        (
            "degrade",
            {
                "ftl.failures.initial": 0.01,
                "ftl.gc.reserve_blocks": 3,
                "ftl.gc.hard": 3.0,
                "ftl.gc.low": 3.0,
                "ftl.gc.high": 4.0,
            },
        ),
        ("substitute", {"ftl.spare_blocks": 6, "ftl.failures.initial": 0.01}),
    ],
)
def test_bad_members_with_all_else(way: str, more: dict[str, Any], tmp_path: Path) -> None:
    """Failures, blocks that cannot be read, a buffer, TRIM and NVMe on an aged drive, audited, which goes on from its state."""
    state = tmp_path / "state"
    keys = {
        **MENDED,
        **more,
        "ftl.bad_member": way,
        "ftl.unreadable_pages": 2,
        "ftl.rewrite_recovered": True,
        "ftl.failures.program": 2e-4,
        "ftl.failures.growth": 0.0,
        "output.write_breakdown": True,
    }
    result = wl.simulate(wl.Drive("tiny", **keys), save_state=state, audit=True, progress=False)
    start = {"age.method": "snapshot", "age.snapshot": str(state), "workload.seed": 2}
    later = wl.simulate(wl.Drive("tiny", **{**keys, **start}), audit=True, progress=False)
    for each in (result, later):
        assert each.summary["check.audited"] is True
        assert each.summary["check.conservation"] is True
    assert result.number("ftl.failures.retired_blocks") > 0
    assert result.number("ftl.parity.recovered_reads") > 0
    assert result.number("ftl.parity.unreadable_blocks") > 0
    assert result.number("ftl.parity.degraded_reads") > 0
    rebuilt = result.number("ftl.parity.rebuilt_blocks")
    assert (rebuilt > 0) == (way == "substitute")
    causes = [key for key in result.summary if key.startswith("ftl.write_breakdown.")]
    parts = {key.rsplit(".", 1)[1]: result.number(key) for key in causes}
    safe = parts.pop("data_integrity")
    assert sum(parts.values()) == pytest.approx(result.number("ftl.write_amplification_total"))
    assert safe == pytest.approx(
        sum(parts[cause] for cause in ("refresh", "parity", "padding", "metadata", "repair"))
    )
    assert parts["host"] == pytest.approx(1.0, abs=0.01)
    assert parts["parity"] > 0.3


@pytest.mark.parametrize(
    ("keys", "word"),
    [
        ({"ftl.bad_member": "ignore"}, "ftl.bad_member"),
        ({"ftl.bad_member": "substitute"}, "ftl.spare_blocks"),
        ({"ftl.spare_blocks": 1}, "ftl.spare_blocks"),
        ({"ftl.unreadable_pages": 2}, "ftl.unreadable_pages"),
        (
            {"ftl.unreadable_pages": 2, "ftl.parity": "fixed", "ftl.over_provisioning": 1.2},
            "ftl.gc.reserve_blocks",
        ),
        ({"ftl.rewrite_recovered": True}, "ftl.rewrite_recovered"),
        ({"ftl.bad_member": "degrade", "ftl.span": "D"}, "ftl.bad_member"),
        ({"ftl.bad_member": "degrade", "ftl.gc.reserve_blocks": 2}, "ftl.gc.reserve_blocks"),
        ({"ftl.failures.initial": 0.03}, "ftl.failures.initial"),
        ({"ftl.failures.initial": 0.01, "age.method": "invalidated"}, "ftl.failures.initial"),
    ],
)
def test_ways_that_contradict_are_refused(keys: dict[str, Any], word: str) -> None:
    with pytest.raises(wl.WordlineError, match=word.replace(".", r"\.")):
        wl.Drive("tiny", **{**SMALL, **keys})
