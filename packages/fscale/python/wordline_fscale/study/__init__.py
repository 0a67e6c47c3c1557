"""FScale: what becomes of a drive of 8 TB when it grows to 1 PB."""

from __future__ import annotations

from wordline.studies.study import Computed, Study, Traced
from wordline_fscale.study import (
    beyond,
    conventional,
    designs,
    petabyte,
    rivals,
    sizes,
    tiers,
    traced,
    units,
)
from wordline_fscale.study.lessons import LESSONS

STUDY = Study(
    name="mohan-fscale",
    title="FScale: the petabyte drive",
    source=(
        "V. Mohan, *Towards Building Energy Efficient, Reliable, and Scalable NAND Flash Based Storage Systems*, PhD "
        "dissertation, University of Virginia, 2015, chapter 5; the figures from “Central cores against local controllers” on go beyond it."
    ),
    introduction=(
        "A drive grows with the controller that it has: 2 cores of 400 MHz, 8 GB of memory, 16 channels. Work of the FTL is charged as processor "
        "cycles by operation and phase; operations pass the queues of processor, memory, codecs, channels, dies and, in FScale, of the "
        "local controllers. A package has 32 moves under way at most (assumed). Mapping and collection are statistical: addresses are uniform, and 4 pages are moved for each page that is written. "
        "The source measured its cycles and did not print them, so that ours are assumed; therefore directions are judged and no magnitudes. "
        "Its estimates were 77 % (writes only) to 89 % (reads only) of real drives. [The model](../explanations/fscale.md) says where every value comes from."
    ),
    lessons=LESSONS,
    cited="Mohan 2015",
    terms={
        "conventional": "the controller's processor does all work of the FTL",
        "FScale": "a local controller in each package collects, and keeps the lower half of the table",
        "table directory": "the upper half: for each logical page the die that holds it",
        "hit rate": "share of look-ups whose entry is in the controller's memory",
        "hybrid": "the conventional design with packages that move pages inside themselves",
        "processor cycles": "work of the controller's cores, for the host, for collection, or for pages of the table",
    },
    figures={
        "table-size": Computed(sizes.table_size),
        "directory-size": Computed(sizes.directory_size),
        "hit-rate": Computed(sizes.hit_rate),
        "read-only": Computed(conventional.read_only),
        "write-mixes": Computed(conventional.write_mixes),
        "cycles": Computed(conventional.cycles),
        "processor": Computed(conventional.processor),
        "fscale": Computed(designs.throughput),
        "queue-depth": Computed(designs.queue_depth),
        "look-ups": Computed(designs.look_ups),
        "cores": Computed(petabyte.cores),
        "sharing": Computed(rivals.sharing),
        "hybrid": Computed(rivals.hybrid),
        "budgets": Computed(rivals.budgets),
        "mapping-unit": Computed(petabyte.mapping_unit),
        "pareto": Computed(units.pareto),
        "real-trace": Traced(traced.real_trace),
        "gathering": Computed(units.gathering),
        "memories": Computed(tiers.memories),
        "link": Computed(tiers.link),
        "learned": Computed(tiers.learned),
        "recovery": Computed(tiers.recovery),
        "local-memory": Computed(petabyte.local_memory),
        "power": Computed(petabyte.power),
        "amplification": Computed(beyond.amplification),
        "cells": Computed(beyond.cells),
        "tails": Computed(beyond.tails),
        "hot-package": Computed(beyond.hot_package),
        "no-directory": Computed(beyond.no_directory),
    },
)
