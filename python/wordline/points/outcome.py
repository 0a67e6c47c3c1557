"""What is kept of a finished point."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordline.notes import Note, is_condition
from wordline.results import Result, Scalar


@dataclass(frozen=True)
class Outcome:
    """What a point measured: numbers and text only, so that it can be kept as JSON."""

    summary: Mapping[str, Scalar]
    """The summary, without `run.*`, which differs between two runs, and without absent figures."""
    notes: Mapping[str, Note]
    """What the run had to say, by the key of the note; of several notes with one key the last one, or the last warning."""
    observed: Mapping[str, Any]
    """What the observers of the point saw, by their names."""

    @classmethod
    def of(cls, result: Result, observers: tuple[str, ...]) -> Outcome:
        """What is kept of a result."""
        notes: dict[str, Note] = {}
        for note in result.notes:
            if note.key not in notes or note.severity == "warning":
                notes[note.key] = note
        return cls(
            {
                key: value
                for key, value in result.summary.items()
                if value is not None and not key.startswith("run.")
            },
            notes,
            {name: OBSERVERS[name](result) for name in observers},
        )

    @property
    def findings(self) -> Mapping[str, Note]:
        """The notes that do not only say how the run was measured."""
        return {key: note for key, note in self.notes.items() if not is_condition(note)}

    def number(self, key: str) -> float | None:
        """A figure of the summary; `None` where there is none."""
        value = self.summary.get(key)
        return float(value) if isinstance(value, (int, float)) else None


def gc_onset(result: Result) -> float | None:
    """Share of the host's page programs that were done before the first erase; `None` without an erase."""
    series = result.time_series
    programmed = series["pages_programmed_host"].to_numpy()
    erased = np.flatnonzero(series["blocks_erased"].to_numpy())
    total = int(programmed.sum())
    if not erased.size or not total:
        return None
    return float(programmed[: erased[0]].sum() / total)


def plane_erases(result: Result) -> list[int]:
    """Erases of each plane, in the order of their addresses; past lives of the blocks do not count."""
    import polars as pl

    planes = result.blocks.group_by("channel", "chip", "die", "plane", maintain_order=True)
    return planes.agg(pl.col("erase_count").sum())["erase_count"].to_list()


def idle_share(result: Result) -> float | None:
    """Share of the time between the first arrival and the last acknowledgement without a request in the drive; the
    table of requests must be complete.
    """
    times = result.requests.sort("arrival_ns")
    arrivals, completions = times["arrival_ns"].to_numpy(), times["completed_ns"].to_numpy()
    if not arrivals.size:
        return None
    until = np.maximum.accumulate(completions)
    idle = np.maximum(arrivals[1:].astype(np.int64) - until[:-1].astype(np.int64), 0).sum()
    span = int(until[-1]) - int(arrivals[0])
    return float(idle / span) if span else None


def latencies(result: Any) -> dict[str, dict[str, dict[str, Any]]]:
    """Quantiles of the latencies of each half of the requests, by class; the table of requests must be complete.

    `p50_us`, `p95_us`, `p99_us`; the median of small and of large requests, which are divided at the median size; and
    `levels_us`, the quantiles 1 %, 2 %, ..., 99 %, 99.5 %, 99.9 %. Takes whatever has such a table, measured requests too.
    """
    table = result.requests.sort("number")
    classes = table["class"].to_numpy()
    sizes = table["sectors"].to_numpy()
    took = (table["completed_ns"].cast(float) - table["arrival_ns"].cast(float)).to_numpy() / 1e3
    middle = (len(took) + 1) // 2
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for half, part in (("first", slice(None, middle)), ("second", slice(middle, None))):
        for name in ("read", "write"):
            chosen = (classes[part] == name) & ~np.isnan(took[part])
            own, size = took[part][chosen], sizes[part][chosen]
            if not own.size:
                continue
            every = sizes[classes == name]
            bound = np.median(every)
            # those of the median size belong to the small ones, unless there are no larger ones
            small = size <= bound if every.max() > bound else size < bound
            figures: dict[str, Any] = {"count": int(own.size)}
            for label, some in (("", own), ("small_", own[small]), ("large_", own[~small])):
                figures[f"{label}count"] = int(some.size)
                if some.size:
                    figures[f"{label}p50_us"] = float(np.median(some))
            for percent in (95, 99):
                figures[f"p{percent}_us"] = float(np.quantile(own, percent / 100))
            levels = [*(each / 100 for each in range(1, 100)), 0.995, 0.999]
            figures["levels_us"] = np.quantile(own, levels).tolist()
            found.setdefault(half, {})[name] = figures
    return found


GROUPS = 50
"""Groups of requests that follow each other, for `sizes`."""
PAGE_SECTORS = 8
"""Sectors of a page of 4 KiB."""


def sizes(result: Any) -> list[dict[str, float]]:
    """Sizes of requests over time: for each of 50 groups of as many that follow each other the time of its first, `at_s`, the `mean_kib`, 5th and 95th
    percentile of its sizes, `p5_kib` and `p95_kib`, and of the parts in 4-KiB pages that its requests are divided into the mean size, `part_kib`, and how many a
    request has, `parts`; the table of requests must be complete.
    """
    table = result.requests.sort("arrival_ns", "number")
    first, sectors = (table[name].cast(int).to_numpy() for name in ("sector", "sectors"))
    parts = (first + sectors - 1) // PAGE_SECTORS - first // PAGE_SECTORS + 1
    own = table["sectors"].to_numpy() / 2
    at = table["arrival_ns"].to_numpy() / 1e9
    found = []
    for group in np.array_split(np.arange(own.size), GROUPS):
        if group.size:
            low, high = np.quantile(own[group], [0.05, 0.95])
            found.append(
                {
                    "at_s": float(at[group[0]]),
                    "mean_kib": float(own[group].mean()),
                    "p5_kib": float(low),
                    "p95_kib": float(high),
                    "part_kib": float(own[group].sum() / parts[group].sum()),
                    "parts": float(parts[group].mean()),
                }
            )
    return found


OBSERVERS: Mapping[str, Callable[[Result], Any]] = {
    "gc_onset": gc_onset,
    "plane_erases": plane_erases,
    "idle_share": idle_share,
    "latencies": latencies,
    "sizes": sizes,
}
"""What can be taken from the tables of a run beside its summary, by name."""
