"""What the printed baselines say of the drives of Wu and He 2012: `python packages/studies/benchmarks/wu2012_baselines.py --cache KEPT --write`.

The source leaves open how cleaning runs beside host requests, what serves one command at a time, what the buffer keeps, how full and how old the
drives are, how bursty the traces, and the request sizes of DAP and MSN. These are inferred from its baselines alone: FIFO's mean read and write
latencies (table 3.3) and the idle shares (table 3.2), one trace on one kind of cell at a time. `--write` freezes the best settings of each
case for the study, whose figures `published` and `published-cleaning-first` predict everything else with them. No published effect is an input.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import wordline as wl
from wordline_studies.wu2012 import baselines
from wordline_studies.wu2012.drives import CELLS, FIFO, SMALLER, size
from wordline_studies.wu2012.loads import TRACES

READ, WRITE = "host.read.latency.mean_us", "host.write.latency.mean_us"
REQUESTS = 49_152
"""Three cascades of the self-similar arrivals."""
POINTS, SEEDS = 96, 2
PROFILE, SIZES = "workload.profile_file", "request sizes"
"""The key by which sizes are varied, and what stands for it in what is known."""
FILE = re.compile(r"\S*-sizes-times-(\d+)\.toml")
"""A file that `profile_file` names, with the factor."""


def unknowns(trace: str, profiles: Path) -> dict[Any, Any]:
    """What is open of the drive, and of the trace."""
    found = dict(baselines.DRIVE)
    if trace not in baselines.KNOWN_BIAS:
        found["workload.burst_bias"] = baselines.BIAS
    if trace not in baselines.SIZES_PUBLISHED:
        files = []
        for factor in baselines.SIZE_FACTORS:
            file = profiles / baselines.profile_file(trace, factor)
            file.write_text(baselines.scaled_profile(TRACES[trace].profile, factor))
            files.append(str(file.resolve()))
        found["workload.profile_file"] = files
    return found


def inferred(trace: str, cell: str, cache: Path) -> wl.Inference:
    """What the baselines of one case say."""
    read, write = baselines.TABLE_3_3[trace, cell]
    law = TRACES[trace]
    load: dict[str, Any] = {
        "kind": "profile",
        "compress_time": law.compression,
        "requests": REQUESTS,
    }
    if trace in baselines.SIZES_PUBLISHED:
        load["profile"] = law.profile
    if trace in baselines.KNOWN_BIAS:
        load["burst_bias"] = baselines.KNOWN_BIAS[trace]
    return wl.infer(
        wl.Drive(CELLS[cell], **FIFO, **size(SMALLER)),
        load,
        vary=unknowns(trace, cache),
        targets={READ: read, WRITE: write, "idle_share": (law.idle, 0.03)},
        tolerance="10%",
        points=POINTS,
        seeds=SEEDS,
        cache=cache,
        progress=False,
    )


def plain(text: str) -> object:
    """A value of TOML as Python has it; of a file its name."""
    match text:
        case "true" | "false":
            return text == "true"
        case _:
            return Path(text.strip('"')).name if text.startswith('"') else float(text)


def toml(frozen: dict[str, dict[str, dict[str, Any]]]) -> str:
    """The settings as a file."""
    lines = [
        "# What the baselines of tables 3.2 and 3.3 say, by trace and kind of cell.",
        "# Written by `python packages/studies/benchmarks/wu2012_baselines.py --write`: infer anew, do not edit.",
    ]
    for trace, cell in baselines.TABLE_3_3:
        if found := frozen.get(trace, {}).get(cell):
            lines += [
                "",
                f"[{trace}.{cell}]",
                f"tolerances_times = {found['tolerances_times']:.3f}",
            ]
            for table in ("frozen", "known"):
                lines += ["", f"[{trace}.{cell}.{table}]"]
                lines += [
                    f'"{key}" = {json.dumps(value, ensure_ascii=False)}'
                    for key, value in found[table].items()
                ]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Infer and freeze."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, required=True, help="keep finished runs here")
    parser.add_argument("--write", action="store_true", help="freeze the settings for the study")
    parser.add_argument("--only", help="one case, such as `F1 SLC`; the others stay as they are")
    asked = parser.parse_args()
    asked.cache.mkdir(parents=True, exist_ok=True)
    written = baselines.INFERRED.is_file() and asked.only is not None
    frozen: dict[str, dict[str, dict[str, Any]]] = (
        tomllib.loads(baselines.INFERRED.read_text(encoding="utf-8")) if written else {}
    )
    for trace, cell in baselines.TABLE_3_3:
        if asked.only not in (None, f"{trace} {cell}"):
            continue
        each = inferred(trace, cell, asked.cache)
        frozen.setdefault(trace, {})[cell] = {
            "tolerances_times": each.scale,
            "frozen": {key: plain(value) for key, value in each.best},
            "known": {
                SIZES if key.name == PROFILE else key.name: FILE.sub(r"×\1", key.text)
                for key in each.keys
            },
        }
        print(f"{trace} {cell}: tolerances times {each.scale:.2f}", flush=True)
        for key in each.keys:
            print(f"  {key.name}: {key.text} ({key.state}); frozen: {key.best}")
        for target in each.targets:
            print(f"  {target.about}", flush=True)
    if asked.write:
        for cells in frozen.values():
            for found in cells.values():
                if PROFILE in found["frozen"]:
                    name = found["frozen"][PROFILE]
                    text = (asked.cache / name).read_text(encoding="utf-8")
                    (baselines.PLACE / name).write_text(text, encoding="utf-8")
        baselines.INFERRED.write_text(toml(frozen), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
