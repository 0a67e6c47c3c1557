"""Processor time by design."""

from __future__ import annotations

from wordline.points.outcome import Outcome
from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure, Metric, Variant
from wordline_studies.ftl_family import sources
from wordline_studies.tai2016.drives import (
    AMPLIFICATION,
    DESIGNS,
    HOT_COLD,
    PRESET,
    THROUGHPUT,
    layered,
    number,
    written,
)


def processor(outcome: Outcome) -> float | None:
    """Time that the controller's core worked for each page that the workload wrote, in microseconds."""
    pages = written(outcome)
    busy = number(outcome, "firmware.utilization") * number(outcome, "sim.time_s")
    return 1e6 * busy / pages if pages else None


PROCESSOR = Metric("processor time", processor, "µs", relative=False)

FIGURE = GridFigure(
    heading="The work of the controller",
    text=(
        "The load of the talk with the firmware's time (`firmware.enabled`): a core of 100 MHz with the assumed instructions for each step of a command, for each page that is moved, and for the choice of each victim. "
        "What the classifier computes for a page is not in the model, nor what the host computes that collects zones; the moves of that host are commands to the drive, and cost their share of instructions."
    ),
    title="Processor time for each page that the workload writes, 18 % hot data",
    variants=[
        Variant(name, PRESET, {**layered(keys), "firmware.enabled": True})
        for name, keys in DESIGNS.items()
    ],
    loads=[HOT_COLD[0]],
    metrics=[PROCESSOR, AMPLIFICATION, THROUGHPUT],
    chart=charts.bars,
    claims=[
        ordering(
            "With streams the controller works less for each page of the workload than with none",
            f"{sources.OWN}: fewer pages are moved",
            metric=PROCESSOR.name,
            of="streams",
            than="none",
            relation="below",
        ),
        ordering(
            "With zones the controller works more for each page of the workload than with streams",
            f"{sources.OWN}: a move of the host is a read and a write, each a command",
            metric=PROCESSOR.name,
            of="zones",
            than="streams",
            relation="above",
        ),
    ],
)
