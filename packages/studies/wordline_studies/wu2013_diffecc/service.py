"""The service part alone: what shorter codes save of a read that waits for nothing, as a bound beside the simulation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from wordline.points.outcome import Outcome
from wordline.points.point import Point
from wordline.studies import charts
from wordline.studies.grid import GridFigure, Variant
from wordline_studies.wu2013_diffecc.codes import read_us
from wordline_studies.wu2013_diffecc.drives import READ, variant
from wordline_studies.wu2013_diffecc.loads import SURROGATES, TRACES

BUFFER = "32 MB"


def left(highest: float, wanted: int) -> float:
    """Mean read over that with one codeword, if a share `highest` of the reads finds pages in eight codewords of which `wanted` are needed, and nothing waits."""
    return 1 - highest * (1 - read_us(8, wanted) / read_us(1, 1))


def bound(wanted: int) -> Callable[[Point, Outcome], Mapping[str, float]]:
    """Works the read latency out from a run of the baseline: the printed WR_max, and eight codewords of which `wanted` are needed."""

    def work_out(point: Point, outcome: Outcome) -> Mapping[str, float]:
        named = dict(point.overrides)["workload.profile_file"]
        trace = Path(named.strip('"')).stem
        latency = outcome.number("host.read.latency.mean_us")
        if latency is None:
            return {}
        return {"host.read.latency.mean_us": latency * left(TRACES[trace].highest, wanted)}

    return work_out


def computed(name: str, wanted: int) -> Variant:
    """A bound as a variant."""
    return replace(variant("baseline", BUFFER), name=name, worked_out=bound(wanted))


FIGURE = GridFigure(
    heading="The service part alone",
    text=(
        "What shorter codes can save at most of a read that waits for nothing: WR_max of the trace, as printed, times one minus the time of the read in mode 8 over that in mode 1. "
        f"One codeword of eight takes {read_us(8, 1):.2f} µs for {read_us(1, 1):.2f}, a whole page {read_us(8, 8):.2f} µs. Beside these bounds stand the simulated drives with 32 MB, in which reads wait "
        "and are answered from the buffer as well. Loads here are of whole pages, so that the second bound is theirs; the first is that of a read of one sector."
    ),
    title="Mean read latency over the baseline: bounds of the service part, and simulated",
    variants=[
        variant("baseline", BUFFER),
        computed("bound, one sector", 1),
        computed("bound, whole page", 8),
        variant("always slow", BUFFER),
        variant("DiffECC", BUFFER),
    ],
    loads=SURROGATES,
    metrics=[READ],
    baseline="baseline",
    chart=charts.bars,
    claims=[],
)
