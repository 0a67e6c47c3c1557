"""The traces of the source, by excerpts: beside the surrogates that stand for them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wordline.config import Drive
from wordline.intensity import CAP
from wordline.lifetimes import LifetimeStudy
from wordline.report.section import Figure, Row
from wordline.studies.kept import kept_acceleration, kept_lifetime
from wordline.studies.study import Form, Part
from wordline.studies.verdict import Claim, Verdict
from wordline.traces import trace_stats
from wordline_studies.mohan_refresh.common import (
    MONTH,
    REST_CYCLES,
    SERVERS,
    SMALL,
    YEAR,
    inside,
    lasts,
    lines,
    shown,
)

EXCERPTS: Mapping[str, str] = {
    "SSD-DAPPS": "msprod/dapps.disksim.gz",
    "SSD-EXCH": "msprod/exchange.disksim.gz",
    "SSD-MSNFS": "msprod/msnfs-first100k.disksim.gz",
    "SSD-MSNCFS": "msprod/msncfs.disksim.gz",
}
"""Files of the four traces that are looked for below the folder of traces; those that are absent are left out, and said to be."""
HEADING = "Excerpts of the traces"
TEXT = (
    "The first requests of the source's traces, where they are at hand, beside the surrogates: the 80th percentile of response times over that at intensity 1 (requests as recorded, slowed down to the mean rate of the trace; addresses beyond the drive wrap around), and the months until the tenth "
    "percentile of retention falls below a year, with the addresses and order of the excerpt and the drive writes a day of the surrogate."
)


def replayed(load: str, path: Path) -> dict[str, Any]:
    """The keys of `[workload]` that replay an excerpt at the mean rate of its trace: an excerpt is some minutes of it, busier or quieter."""
    gap = float(trace_stats(path)["mean_interarrival_ms"])
    return {
        "kind": "trace",
        "path": str(path.resolve()),
        "fold": "modulo",
        "compress_time": gap / SERVERS[load].gap_ms,
    }


def life(load: str, path: Path, *, quick: bool) -> float | None:
    """Months of the small drive without refresh until its tenth percentile is below a year, under an excerpt that is repeated."""
    keys: dict[str, Any] = {**SMALL, "ftl.refresh.policy": "none"}
    if quick:
        keys |= {"geometry.channels": 1, "geometry.planes_per_die": 1}
    asked = LifetimeStudy(
        required=YEAR,
        horizon=(60 if quick else 240) * MONTH,
        every=MONTH,
        writes_per_day=SERVERS[load].writes_per_day,
        inside=inside(1.0),
        rest_cycles=REST_CYCLES,
    )
    found = kept_lifetime(Drive("mohan-m-ssd", **keys), replayed(load, path), asked)
    value = found.summary["life_s"]
    return None if value is None else float(value) / MONTH


def excerpts(form: Form) -> Part:
    """Intensity and life under the excerpts that there are."""
    rows: list[Row] = []
    told, cases, lives, alike = [], [], [], []
    for load, name in EXCERPTS.items():
        path = form.traces / name
        if not path.is_file():
            continue
        drive = Drive(
            "mohan-m-ssd", **{"geometry.blocks_per_plane": 64, "ftl.refresh.policy": "none"}
        )
        found = kept_acceleration(drive, replayed(load, path), cap=2 if form.quick else CAP)
        rows += [
            {"load": load, "intensity": row["intensity"], "NRT": row["relative_response_time"]}
            for row in found.curve.to_dicts()
        ]
        stats = trace_stats(path)
        told.append(
            f"{load} {found.factor} times{' or more' if found.is_capped else ''}"
            f" ({float(stats['requests']):,.0f} requests)"
        )
        cases.append(found.factor >= (1 if form.quick else SERVERS[load].acceleration))
        months = [lasts(load, YEAR, quick=form.quick), life(load, path, quick=form.quick)]
        lives.append(f"{load} {shown(months)} months")
        surrogate, excerpt = months
        if surrogate is not None and excerpt is not None:
            alike.append(0.5 <= excerpt / surrogate <= 2.0)
    missing = [load for load, name in EXCERPTS.items() if not (form.traces / name).is_file()]
    remarks = []
    if missing:
        remarks.append(
            f"Not at hand: {', '.join(missing)}. `wordline reproduce mohan-refresh --traces FOLDER` says where traces are; the page that is published has what was there when it was written."
        )
    return Part(
        HEADING,
        TEXT,
        Figure(
            "Response time against intensity, excerpts"
            if rows
            else "Left out: the traces are absent",
            lines(rows, ("intensity", "intensity"), ("NRT", "NRT (80th percentile)"), "load"),
            rows,
        ),
        [
            Claim(
                "Excerpts can be accelerated as far as the source accelerates the whole traces",
                "table 4.1",
                "; ".join(told),
                Verdict.of_cases(cases),
                "an excerpt is the first minutes of a trace; at the mean rate of the trace its bursts remain",
            ),
            Claim(
                "With the same number of writes an excerpt and its surrogate wear the drive out within a factor of two of each other",
                "ours",
                f"surrogate and excerpt: {'; '.join(lives)}",
                Verdict.of_cases(alike),
                "an excerpt of a minute writes few places, again and again",
            ),
        ]
        if rows
        else [],
        remarks,
    )
