"""Ten loads for drive `tiny`, each labelled before it was run: five whose windows stand for the run, and five whose do not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

REQUESTS = 200_000
"""Requests of each load."""
Row: TypeAlias = tuple[float, str, int]
"""Arrival in seconds, `R` or `W`, page of 4 KiB."""

PAGES = 25_600
"""Pages of the user space of `tiny`."""
CALM = 400e-6
"""Mean time between two requests that the drive serves without a queue, in seconds."""
RUSH = 15e-6
"""The same of more than it can serve."""

CAN: Mapping[str, Mapping[str, Any]] = {
    "closed loop of reads and writes": {"kind": "random", "read_fraction": 0.7, "queue_depth": 8},
    "Poisson arrivals": {
        "kind": "random",
        "read_fraction": 0.7,
        "interarrival": "400 us",
        "arrival": "poisson",
    },
    "skewed addresses": {"kind": "zipf", "read_fraction": 0.5, "queue_depth": 4},
    "hot and cold writes": {"kind": "hot_cold", "read_fraction": 0.0, "queue_depth": 16},
    "bursts much shorter than windows": {
        "kind": "random",
        "read_fraction": 0.7,
        "interarrival": "100 us",
        "arrival": "on_off",
        "on": "1 ms",
        "off": "4 ms",
    },
}
"""Loads that can be sampled, as keys of `[workload]`."""


def arrivals(gap: Callable[[int], float], reads: Callable[[int], float]) -> Iterator[Row]:
    """Requests at random addresses with exponential gaps of a mean, and a share of reads, that depend on their number."""
    random = Random(1)
    at = 0.0
    for number in range(REQUESTS):
        at += random.expovariate(1 / gap(number))
        yield at, "R" if random.random() < reads(number) else "W", random.randrange(PAGES)


CANNOT: Mapping[str, Callable[[], Iterator[Row]]] = {
    # ten bursts, each of 10,000 requests: several gaps
    "bursts longer than the gaps": lambda: arrivals(
        lambda number: CALM if number // 10_000 % 2 else 90e-6, lambda _: 0.7
    ),
    "a rate that rises all the time": lambda: arrivals(
        lambda number: CALM - number / REQUESTS * (CALM - 80e-6), lambda _: 0.7
    ),
    "more than the drive can serve": lambda: arrivals(lambda _: RUSH, lambda _: 0.3),
    "reads, then writes": lambda: arrivals(
        lambda _: CALM, lambda number: 1.0 if number < REQUESTS // 2 else 0.2
    ),
    "one long burst": lambda: arrivals(
        lambda number: RUSH if 90_000 <= number < 98_000 else CALM, lambda _: 0.7
    ),
}
"""Loads that cannot be sampled, as rows of a trace."""


def write_trace(rows: Iterator[Row], path: Path) -> dict[str, Any]:
    """Write rows as a trace, and return the keys of `[workload]` that replay it."""
    with path.open("w", encoding="utf-8") as file:
        file.write("time,op,offset,size\n")
        for at, op, page in rows:
            file.write(f"{at:.9f},{op},{page * 4096},4096\n")
    columns = {name: name for name in ("time", "op", "offset", "size")}
    return {
        "kind": "trace",
        "path": str(path),
        "format": "csv",
        "time_unit": "s",
        "csv": columns,
    }
