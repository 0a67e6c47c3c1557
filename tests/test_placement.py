"""Placement by the host: streams from the workload to the flash."""

from __future__ import annotations

from pathlib import Path

import pytest

import wordline as wl
from wordline.seeds import figures

STREAMS = {
    "ftl.placement.directive": "streams",
    "workload.kind": "hot_cold",
    "workload.read_fraction": 0.2,
    "workload.placement": 2,
    "workload.hot_placement": 1,
}


def run(**keys: object) -> dict[str, float]:
    """The figures of an audited run of a small drive."""
    drive = wl.Drive.from_toml("tiny", **{"workload.requests": 10_000, **STREAMS, **keys})
    summary = wl.simulate(drive, progress=False, audit=True).summary
    assert summary["check.conservation"] is True
    return figures(summary)


def of_handles(found: dict[str, float], key: str) -> dict[int, float]:
    """A figure of each handle."""
    names = [name.split(".") for name in found if name.startswith("ftl.placement.handle.")]
    return {int(name[3]): found[".".join(name)] for name in names if name[4] == key}


def test_each_handle_counts_its_writes_and_its_moves() -> None:
    """Four of five writes go to the hot part; what the past of the drive wrote has no handle."""
    found = run()
    written = of_handles(found, "host_pages")
    assert sum(written.values()) == found["host.page_writes"]
    assert written[1] / (written[1] + written[2]) == pytest.approx(0.8, abs=0.02)
    assert written[0] == 0
    moved = of_handles(found, "pages_moved")
    assert sum(moved.values()) == found["ftl.gc.pages_moved"]
    for handle, amplification in of_handles(found, "write_amplification").items():
        assert amplification == 1 + moved[handle] / written[handle]
    assert found["ftl.placement.opened"] == 2


def test_without_the_directive_handles_change_nothing() -> None:
    """The same run as without handles, and no figures of theirs."""
    ignored = run(**{"ftl.placement.directive": "none"})
    without = run(
        **{
            "ftl.placement.directive": "none",
            "workload.placement": 0,
            "workload.hot_placement": 0,
        }
    )
    same = [name for name in without if not name.startswith("run.")]
    assert {name: ignored[name] for name in same} == {name: without[name] for name in same}
    assert not any(name.startswith("ftl.placement") for name in ignored)


@pytest.mark.parametrize(
    "keys",
    [
        {"buffer.policy": "lru", "buffer.size": "256 KiB"},
        {"ftl.gc.frontier": "separate", "ftl.gc.mode": "preemptible"},
        {"ftl.placement.max_streams": 1, "ftl.placement.on_overflow": "close_lru"},
        {"ftl.hot.classifier": "two_level_lru"},
        {"age.method": "fresh"},
        {"workload.trim_fraction": 0.2},
        {"commands.multi_plane_write": "blind"},
        {"commands.copyback": "wise"},
        {"ftl.wear.static": "swap", "ftl.wear.gap": 3},
    ],
)
def test_streams_go_with_everything(keys: dict[str, object]) -> None:
    """Audited: owners of every page, rules of the medium, the map one-to-one."""
    found = run(**keys)
    assert found["ftl.placement.opened"] >= 1


@pytest.mark.parametrize("handle_type", ["initially_isolated", "persistently_isolated"])
@pytest.mark.parametrize("frontier", ["shared", "separate"])
def test_flexible_data_placement(handle_type: str, frontier: str) -> None:
    """Write amplification of the log page: media bytes for each host byte, and a further handle is as good as none."""
    found = run(
        **{
            "ftl.placement.directive": "fdp",
            "ftl.placement.reclaim_unit_handles": 2,
            "ftl.placement.handle_type": handle_type,
            "ftl.gc.frontier": frontier,
        }
    )
    written = of_handles(found, "host_pages")
    assert found["ftl.placement.defaulted"] == written[2]
    assert found["ftl.placement.opened"] == 1
    host, media = found["ftl.placement.fdp.host_bytes"], found["ftl.placement.fdp.media_bytes"]
    assert media / host == found["ftl.write_amplification_total"]
    pages = found["ftl.placement.fdp.erased_bytes"] / host * found["host.page_writes"]
    assert pages == pytest.approx(64 * found["ftl.blocks_erased"])  # pages of a block of the preset


def test_reclaim_groups_hold_what_is_written_to_them() -> None:
    """Hot pages in one channel, cold ones in the other: each handle counts in its group, and nothing is redirected."""
    found = run(
        **{
            "ftl.placement.directive": "fdp",
            "ftl.placement.reclaim_group": "channel",
            "ftl.placement.handle_type": "persistently_isolated",
            "ftl.placement.reclaim_unit_handles": 2,
            "ftl.over_provisioning": 0.5,
            "ftl.gc.frontier": "separate",
            "workload.placement": 1,
            "workload.hot_placement": 32_769,
            "workload.hot_space": 0.5,
        }
    )
    written = of_handles(found, "host_pages")
    groups = [
        [found[f"ftl.placement.group.{group}.{key}"] for group in (0, 1)]
        for key in ("host_pages", "redirected_pages")
    ]
    assert groups == [[written[1], written[32_769]], [0, 0]]


def test_tenants_have_handles_of_their_own() -> None:
    """Each tenant writes with its own handle."""
    tenants = {
        "log": {
            "workload": {
                "kind": "sequential",
                "read_fraction": 0.0,
                "requests": 300,
                "placement": 1,
            }
        },
        "table": {"workload": {"read_fraction": 0.0, "requests": 200, "placement": 2}},
        "other": {"workload": {"read_fraction": 0.0, "requests": 100}},
    }
    keys = {"ftl.placement.directive": "streams"}
    summary = wl.simulate(
        wl.Drive.from_toml("tiny", tenants=tenants, **keys), progress=False
    ).summary
    pages = of_handles(figures(summary), "host_pages")
    assert pages[1] == 3 * pages[0]
    assert pages[2] == 2 * pages[0]


def test_writes_beyond_the_open_streams_are_refused() -> None:
    """The part of the writes that has no stream ends with an error."""
    keys = {"ftl.placement.max_streams": 1, "ftl.placement.on_overflow": "reject"}
    drive = wl.Drive.from_toml("tiny", **{"workload.requests": 2_000, **STREAMS, **keys})
    result = wl.simulate(drive, progress=False, audit=True)
    found = figures(result.summary)
    assert found["host.refused"] > 100
    assert found["ftl.placement.refused"] >= found["host.refused"]
    assert any("stream" in str(note) for note in result.notes)


def test_a_trace_in_columns_carries_handles(tmp_path: Path) -> None:
    """A column of handles; rows without one have that of the workload."""
    rows = "\n".join(
        f"{row / 1000},w,{row % 50 * 4096},4096,{['', 3, 4][row % 3]}" for row in range(300)
    )
    (tmp_path / "t.csv").write_text("t,op,at,size,handle\n" + rows + "\n")
    columns = {"time": "t", "op": "op", "offset": "at", "size": "size", "placement": "handle"}
    drive = wl.Drive.from_toml(
        "tiny",
        workload={
            "kind": "trace",
            "path": str(tmp_path / "t.csv"),
            "format": "csv",
            "placement": 9,
            "csv": columns,
        },
        **{"ftl.placement.directive": "streams"},
    )
    pages = of_handles(figures(wl.simulate(drive, progress=False).summary), "host_pages")
    assert pages[3] == pages[4] == pages[9]
    wrong = (tmp_path / "t.csv").read_text().replace(",4\n", ",70000\n", 1)
    (tmp_path / "t.csv").write_text(wrong)
    with pytest.raises(
        wl.WordlineError, match=r"workload\.csv\.placement.*70000.*0 \(none\) to 65535"
    ):
        wl.simulate(drive, progress=False)


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"ftl.placement.max_streams": 0}, "from 1 to 64"),
        ({"ftl.placement.max_streams": 65}, "from 1 to 64"),
        ({"ftl.placement.reclaim_unit_handles": 3}, "directive"),
        (
            {"ftl.placement.directive": "fdp", "ftl.placement.reclaim_unit_handles": 1},
            "from 2 to 65",
        ),
        (
            {"ftl.placement.directive": "fdp", "ftl.placement.reclaim_group": "plane"},
            "reclaim_group",
        ),
        ({"ftl.placement.reclaim_group": "channel"}, "directive"),
        (
            {
                "ftl.placement.directive": "fdp",
                "ftl.placement.reclaim_group": "die",
                "ftl.gc.pool": "channel",
            },
            "ftl.gc.pool",
        ),
        (
            {
                "ftl.placement.directive": "fdp",
                "ftl.placement.reclaim_group": "channel",
                "ftl.mapping_unit": "1 KiB",
                "workload.request_size": "1 KiB",
            },
            "ftl.mapping_unit",
        ),
        ({"ftl.mapping": "fast"}, 'ftl.mapping = "page"'),
        (
            {"ftl.placement.on_overflow": "reject", "buffer.policy": "lru", "buffer.size": "1 MiB"},
            "buffer.policy",
        ),
        ({"workload.placement": 70_000}, "0 to 65535"),
        ({"workload.kind": "random"}, "hot_placement"),
    ],
)
def test_what_cannot_be_is_refused(keys: dict[str, object], told: str) -> None:
    """Errors name the key and what is accepted."""
    with pytest.raises(wl.WordlineError, match=told):
        wl.simulate(wl.Drive.from_toml("tiny", **{**STREAMS, **keys}), progress=False)
