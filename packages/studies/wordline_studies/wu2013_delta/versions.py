"""E6: real content in a drive with a clock: every write brings the next version of its page, and flash keeps the bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from wordline.config import Drive
from wordline.content import compare_versions
from wordline.report.section import Figure, Row
from wordline.results import Result
from wordline.simulation import simulate
from wordline.studies.study import Part
from wordline.studies.verdict import BEYOND, Claim, Verdict
from wordline_studies.wu2013_delta.content import CHANGES, bars, fill
from wordline_studies.wu2013_delta.drives import CLOSED, PRESET, Keys

ROWS = 4_000
"""Rows of the database."""
VERSIONS = 10
"""Versions of it: a page that is written more often begins with the first again."""
REQUESTS, QUICK = 60_000, 12_000
"""Requests of a run; in the quick form."""

DRIVE: Mapping[str, Any] = {
    "geometry.channels": 16,
    "geometry.blocks_per_plane": 20,
    "geometry.pages_per_block": 16,
    "ftl.over_provisioning": 0.5,
    "ftl.gc.hard": 0.2,
    "ftl.gc.low": 0.2,
    "ftl.gc.high": 0.3,
    "ftl.delta.counted_pages": 10_240,
    "buffer.policy": "none",
    "workload.kind": "random",
    "workload.region": [0.0, 0.2],
    "workload.read_fraction": 0.1,
}
"""The preset with planes of 20 blocks of 16 pages, as pages with bytes take memory; without a buffer, so that a page is encoded each time it is written."""

SPARE = 0.7
"""Over-provisioning of the drives in which pages of deltas find room; the others have 0.5."""

BASELINE, REAL, EMULATED = "baseline", "real versions", "emulated"


@dataclass(frozen=True)
class Found:
    """What the runs with one kind of content gave."""

    between: float
    """Mean ratio of the deltas of pages that differ between a version and the next."""
    results: Mapping[str, Result]
    """By the drive."""

    def over_baseline(self, drive: str, key: str) -> float:
        """A figure over that of the baseline."""
        return self.results[drive].number(key) / self.results[BASELINE].number(key)

    def programs(self, drive: str) -> float:
        """Pages programmed for the host's writes, over those of the baseline."""
        return foreground(self.results[drive]) / foreground(self.results[BASELINE])


def number(result: Result, key: str) -> float:
    """A figure of the summary; 0 where it has none."""
    value = result.summary.get(key)
    return float(value) if isinstance(value, int | float) else 0.0


def foreground(result: Result) -> float:
    """Pages programmed for writes of the host: whole, or filled with their deltas."""
    return sum(number(result, f"ftl.pages_programmed.{cause}") for cause in ("host", "delta"))


def versions(folder: Path, change: str) -> float:
    """Makes the versions of a database; the mean ratio between one and the next with LZF."""
    path, kept = folder / "current.db", folder / "versions"
    kept.mkdir()
    fill(path, ROWS)
    ratios: list[float] = []
    for at in range(VERSIONS):
        copyfile(path, kept / f"{at:02}.db")
        if at:
            before, after = kept / f"{at - 1:02}.db", kept / f"{at:02}.db"
            ratios.append(float(compare_versions(before, after, codec="lzf").ratios.mean()))
        CHANGES[change](path, ROWS, at)
    return fmean(ratios)


def measure(change: str, requests: int, spare: float | None = None) -> Found:
    """Three drives under the same requests: one that encodes nothing, one with the bytes of a database, one that draws ratios with the mean of those between its versions."""
    design = {**DRIVE, "workload.requests": requests}
    if spare is not None:
        design["ftl.over_provisioning"] = spare
    with TemporaryDirectory() as name:
        folder = Path(name)
        between = versions(folder, change)
        drives: Mapping[str, Keys] = {
            BASELINE: CLOSED,
            REAL: {"ftl.delta.versions": str(folder / "versions"), "ftl.delta.codec": "lzf"},
            EMULATED: {"ftl.delta.ratio": min(between, 1.0), "ftl.delta.sigma": 0.0},
        }
        results = {
            drive: simulate(Drive(PRESET, **design, **keys), progress=False)
            for drive, keys in drives.items()
        }
    return Found(between, results)


def rows_of(found: Mapping[str, Found]) -> list[Row]:
    """The table."""
    return [
        {
            "content": change,
            "drive": drive,
            "mean ratio": round(each.results[drive].number("ftl.delta.ratio"), 4),
            "between versions": round(each.between, 4),
            "writes kept as deltas": round(each.results[drive].number("ftl.delta.write_share"), 4),
            "foreground programs over the baseline": round(each.programs(drive), 4),
            "write latency over the baseline": round(
                each.over_baseline(drive, "host.write.latency.mean_us"), 4
            ),
            "collections over the baseline": round(each.over_baseline(drive, "ftl.gc.victims"), 4),
            "valid share of a collected block": round(
                number(each.results[drive], "ftl.gc.victim_valid_share.mean"), 4
            ),
            "valid share in the baseline": round(
                number(each.results[BASELINE], "ftl.gc.victim_valid_share.mean"), 4
            ),
            "write amplification over the baseline": round(
                each.over_baseline(drive, "ftl.write_amplification"), 4
            ),
            "candidates without room": round(
                each.results[drive].number("ftl.delta.without_room")
                / each.results[drive].number("ftl.delta.candidates"),
                4,
            ),
            "reads compared": int(number(each.results[drive], "ftl.delta.reads_checked")),
        }
        for change, each in found.items()
        for drive in (REAL, EMULATED)
    ]


def claims(found: Mapping[str, Found], spacious: Found) -> list[Claim]:
    """What the source says of the emulated content, of real one; `spacious` is notes with more spare space."""
    changed = {name: each for name, each in found.items() if name != "encrypted"}
    programs = {name: each.programs(REAL) for name, each in changed.items()}
    ratios = {
        name: (each.results[REAL].number("ftl.delta.ratio"), each.between)
        for name, each in changed.items()
    }
    encrypted = found["encrypted"]
    latency = encrypted.over_baseline(REAL, "host.write.latency.mean_us")
    checked = [each.results[REAL].number("ftl.delta.reads_checked") for each in found.values()]
    names = " and ".join(changed)
    slower = {
        name: each.over_baseline(REAL, "host.write.latency.mean_us")
        for name, each in (*changed.items(), (f"notes with {SPARE:.0%} spare", spacious))
    }
    return [
        Claim(
            "Deltas of real versions take fewer foreground programs than the baseline",
            "claim 3",
            f"foreground programs over the baseline, {names} (ratio): {', '.join(f'{share:.3f}' for share in programs.values())}",
            Verdict(sum(share < 1 for share in programs.values()), len(programs)),
        ),
        Claim(
            "Ratios against a base that stays are larger than those between a version and the next: emulated content understates this",
            BEYOND,
            f"in the drive and between versions, {names} (ratio): {', '.join(f'{drive:.3f} and {apart:.3f}' for drive, apart in ratios.values())}",
            Verdict(sum(drive > apart for drive, apart in ratios.values()), len(ratios)),
        ),
        Claim(
            "Mean write latency falls with deltas of real versions",
            "claim 7",
            f"write latency over the baseline, {', '.join(slower)} (ratio): {', '.join(f'{share:.3f}' for share in slower.values())}",
            Verdict(sum(share < 1 for share in slower.values()), len(slower)),
        ),
        Claim(
            "Encrypted versions leave mean write latency within 2 % of the baseline's, as the gate closes",
            "claim 10",
            f"write latency over the baseline (ratio): {latency:.4f}",
            Verdict(int(abs(latency - 1) <= 0.02)),
        ),
        Claim(
            "Every read that reaches flash brings the bytes that were written last",
            f"{BEYOND}: invariant G1",
            f"{sum(checked):,.0f} pages read and compared; another byte ends the run",
            Verdict(sum(count > 0 for count in checked), len(checked)),
        ),
    ]


def in_a_drive(quick: bool) -> Part:
    """Runs, table and chart."""
    requests = QUICK if quick else REQUESTS
    found = {change: measure(change, requests) for change in CHANGES}
    spacious = measure("notes", requests, SPARE)
    rows = rows_of({**found, f"notes, {SPARE:.0%} spare": spacious})
    chart = bars(rows, "drive", "foreground programs over the baseline", "content", 120)
    return Part(
        "Real content in a drive",
        (
            f"{VERSIONS} versions of a database of {ROWS:,} accounts, each after a transaction as above, are the contents of the pages of a drive with a clock (`ftl.delta.versions`, LZF): every write of a page brings the next of its contents, the delta is made by the codec, flash keeps the bytes, and every read is compared with what was written. Beside it a drive that draws "
            f"every ratio as the mean between two successive versions. {REQUESTS:,} uniform requests of a page, nine writes to a read, to a fifth of a drive with planes of 20 blocks of 16 pages, in the steady state; no buffer; one seed. Drives begin without deltas. A page with a delta is on flash twice, as base and in a page of deltas, so that a collected block holds more valid pages (two columns say how many). Real notes have larger ratios against a base that stays than from version to version, and fewer of their writes become deltas than where every ratio is drawn as if it were the first."
        ),
        Figure("Foreground programs over those of the baseline", chart, rows),
        claims(found, spacious),
        open_table=True,
    )
