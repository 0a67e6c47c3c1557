"""Compare the results of named configurations with committed hashes; `make identity` runs this.

A change of the code that is not meant to change results leaves every hash as it is. One that is meant to
accepts the new hashes of the cases that it names, with the reason, which is kept in `changes.md`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl

import wordline as wl
from wordline.executor import cores
from wordline.lifetimes import study
from wordline.simulation import configuration

HERE = Path(__file__).parent
CASES = HERE / "cases.toml"
HASHES = HERE / "hashes.json"
CHANGES = HERE / "changes.md"

RUN_TABLES = (
    *("requests", "time_series", "modes", "blocks", "attribution"),
    *("slowest", "slowest_parts", "in_front", "timeline", "utilisation"),
)
PROSE = ("story",)
"""Columns of sentences, which may be worded differently while results stay the same."""
DAY = 86_400.0

Case: TypeAlias = Mapping[str, Any]
Hashes: TypeAlias = dict[str, str]
"""SHA-256 of the summary and of each table that is not empty, by name."""


def main() -> int:
    """Compare, or accept; the exit status is 1 where results differ from what is committed."""
    options = arguments()
    cases = tomllib.loads(CASES.read_text(encoding="utf-8"))
    committed: dict[str, Hashes] = json.loads(HASHES.read_text()) if HASHES.exists() else {}
    if options.accept == ["all"]:
        options.accept = list(cases)
    unknown = [name for name in (*options.case, *options.accept) if name not in cases]
    if unknown:
        print(f"{', '.join(unknown)}: no case of {CASES.name}", file=sys.stderr)
        return 2
    if options.accept and not options.because:
        print("--accept: say --because why the results are meant to change", file=sys.stderr)
        return 2
    chosen = options.accept or options.case or list(cases)
    with ProcessPoolExecutor(cores()) as pool:
        running = [pool.submit(outcome, name, cases, options.keep) for name in chosen]
        found = {name: each.result() for name, each in zip(chosen, running, strict=True)}
    differing = {
        name: parts for name in chosen if (parts := differences(committed.get(name), found[name]))
    }
    if options.accept:
        accept(committed | found, differing, options.because, list(cases))
        return 0
    for name, parts in differing.items():
        print(f"{name}: {', '.join(parts)}")
    gone = [name for name in committed if name not in cases]
    if gone:
        print(f"no longer cases: {', '.join(gone)}")
    print(
        f"{len(chosen) - len(differing)} of {len(chosen)} configurations give the committed results"
    )
    return 1 if differing or gone else 0


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", nargs="*", help="cases to run; all when none is named")
    parser.add_argument(
        "--accept",
        nargs="+",
        default=[],
        metavar="CASE",
        help="take over the results of these cases, or of `all`",
    )
    parser.add_argument("--because", metavar="REASON", help="why they are meant to change")
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="DIRECTORY",
        help="write summaries and tables here, to compare them",
    )
    return parser.parse_args()


def differences(before: Hashes | None, now: Hashes) -> list[str]:
    """Which parts of a result are not what they were."""
    if before is None:
        return ["new"]
    return sorted(part for part in before.keys() | now.keys() if before.get(part) != now.get(part))


def accept(
    hashes: Mapping[str, Hashes],
    differing: Mapping[str, Sequence[str]],
    reason: str,
    order: Sequence[str],
) -> None:
    """Write the hashes, and a row on what changed and why."""
    rows = {name: hashes[name] for name in order if name in hashes}
    HASHES.write_text(json.dumps(rows, indent=1) + "\n")
    added = [name for name, parts in differing.items() if parts == ["new"]]
    changed = [
        f"{name} ({', '.join(parts)})" for name, parts in differing.items() if name not in added
    ]
    if added:
        changed.append(f"{len(added)} new cases")
    if changed:
        with CHANGES.open("a", encoding="utf-8") as file:
            file.write(f"* {reason}: {', '.join(changed)}\n")
    print(f"accepted: {', '.join(differing) or 'nothing differs'}")


def outcome(name: str, cases: Mapping[str, Case], keep: Path | None) -> Hashes:
    """Run a case and hash what it gives."""
    with tempfile.TemporaryDirectory() as directory:
        case = cases[name]
        found = (
            years(name, case, Path(directory))
            if "lifetime" in case
            else run(name, cases, Path(directory))
        )
    summary, tables = found
    text = json.dumps(
        {key: value for key, value in summary.items() if not key.startswith("run.")}, indent=1
    )
    parts = {"summary": text}
    for table, frame in tables.items():
        if frame.height:
            parts[table] = frame.drop(PROSE, strict=False).write_csv()
    if keep:
        (keep / name).mkdir(parents=True, exist_ok=True)
        for part, content in parts.items():
            (keep / name / f"{part}.{'json' if part == 'summary' else 'csv'}").write_text(content)
    return {part: hashlib.sha256(content.encode()).hexdigest() for part, content in parts.items()}


Found: TypeAlias = tuple[Mapping[str, Any], Mapping[str, pl.DataFrame]]


def drive_of(name: str, case: Case) -> tuple[str, dict[str, Any]]:
    """The preset and the keys that a case sets."""
    keys = dict(case.get("set", {}))
    if "requests" in case:
        keys["workload.requests"] = case["requests"]
    for kind in ("trace", "fio"):
        if kind in case:
            keys |= {"workload.kind": kind, "workload.path": str(HERE / case[kind])}
    return case.get("drive", name), keys


def run(name: str, cases: Mapping[str, Case], directory: Path) -> Found:
    """Simulate; a case with `state_of` starts from the state that another leaves behind."""
    case = cases[name]
    preset, keys = drive_of(name, case)
    if before := case.get("state_of"):
        state = directory / "state"
        earlier, own = drive_of(before, cases[before])
        wl.simulate(wl.Drive.from_toml(earlier, **own), progress=False, save_state=state)
        keys = own | keys | {"age.method": "snapshot", "age.snapshot": str(state)}
    observed = case.get("observed", False)
    keys |= {"output.attribution": observed, "output.timeline": observed}
    result = wl.simulate(wl.Drive.from_toml(preset, **keys), audit=observed, progress=False)
    tables = {table: getattr(result, table) for table in RUN_TABLES}
    for kind, each in result.latency.items():
        tables[f"latency.{kind}"] = pl.DataFrame({"us": each.value_us, "share": each.fraction})
    return result.summary, tables


def years(name: str, case: Case, directory: Path) -> Found:
    """A lifetime study; a case with `resumed` is stopped when its state was first saved, and resumed."""
    preset, keys = drive_of(name, case)
    asked = dict(case["lifetime"])
    drives = asked.get("drives")
    options = wl.LifetimeStudy(
        cell=asked.get("cell", "mlc"),
        horizon=asked["horizon_days"] * DAY,
        every=asked["every_days"] * DAY,
        writes_per_day=asked["writes_per_day"],
        temperature=asked.get("temperature", 30.0),
        tolerance=None if asked.get("exact") else 0.02,
        variation=wl.CellVariation(drives=drives) if drives else None,
    )
    resolved = configuration(wl.Drive.from_toml(preset, **keys), None)
    files = wl.LifetimeFiles()
    if case.get("resumed"):
        state = directory / "state"
        files = wl.LifetimeFiles(state=state, resume=True)
        try:
            study(resolved, options, files, lambda *_: not state.exists())
        except KeyboardInterrupt:
            pass
        else:
            raise RuntimeError(
                f"{name}: the study ended before its state was saved; make it longer"
            )
    found = study(resolved, options, files, None)
    tables = {"snapshots": found.snapshots, "blocks": found.blocks}
    if found.fleet is not None:
        tables["fleet"] = found.fleet
    return found.summary, tables


if __name__ == "__main__":
    sys.exit(main())
