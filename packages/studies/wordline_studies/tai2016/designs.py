"""The objectives that the talk names as one table over designs."""

from __future__ import annotations

from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure
from wordline_studies.ftl_family import sources
from wordline_studies.tai2016.drives import (
    AMPLIFICATION,
    EFFICIENCY,
    HOST_MEMORY,
    HOT_COLD,
    LATENCY,
    MEMORY,
    PARALLEL,
    RECOVERY,
    TAIL,
    THROUGHPUT,
    WEAR,
    variants,
)

LOAD = HOT_COLD[0]
"""The load of the talk: 18 % hot data."""

FIGURE = GridFigure(
    heading="The objectives",
    text=(
        "The load of the talk, and all objectives that are measured. Write latencies of zones include the writes by which the host moves pages; the workload's own rate is that of its writes. The controller of a drive with zones knows where zones are, "
        "and the host where pages are."
    ),
    title="Objectives by design, 18 % hot data",
    variants=variants(),
    loads=[LOAD],
    metrics=[
        AMPLIFICATION,
        THROUGHPUT,
        LATENCY,
        TAIL,
        PARALLEL,
        EFFICIENCY,
        WEAR,
        MEMORY,
        HOST_MEMORY,
        RECOVERY,
    ],
    chart=charts.bars,
    claims=[
        ordering(
            "The controller of a drive with zones takes less memory than one with a map of pages",
            f"{sources.OWN}: a zone has one entry",
            metric=MEMORY.name,
            of="zones",
            than="none",
            relation="below",
        ),
        ordering(
            "The efficiency of collection is higher with streams than with none",
            "Tai 2016",
            metric=EFFICIENCY.name,
            of="streams",
            than="none",
            relation="above",
        ),
        ordering(
            "A drive with zones knows where everything is sooner after a loss of power than one with a map of pages",
            f"{sources.OWN}: of a zone the write pointer is looked for",
            metric=RECOVERY.name,
            of="zones",
            than="none",
            relation="below",
        ),
        ordering(
            "The workload writes faster with streams than with none",
            "Kang et al. 2014",
            metric=THROUGHPUT.name,
            of="streams",
            than="none",
            relation="above",
        ),
        ordering(
            "Fewer dies are at work with zones of one block than with zones of one in each die",
            "Tai 2016: superblocks across channels",
            metric=PARALLEL.name,
            of="zones of a block",
            than="zones",
            relation="below",
        ),
    ],
)
