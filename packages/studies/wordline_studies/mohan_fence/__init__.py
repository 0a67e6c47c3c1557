"""FENCE: what cycles, rest and temperature do to retention and endurance."""

from __future__ import annotations

from wordline.studies.study import Computed, Study
from wordline_studies.mohan_fence import curves, published
from wordline_studies.mohan_fence.lessons import LESSONS

STUDY = Study(
    name="mohan-fence",
    title="FENCE: retention and endurance of NAND flash",
    source=(
        "V. Mohan, *Towards Building Energy Efficient, Reliable, and Scalable NAND Flash Based Storage Systems*, PhD "
        "dissertation, University of Virginia, 2015, chapter 3; also HotStorage 2010."
    ),
    introduction=(
        "The dissertation gives the equations and few of the constants. The others are those of the simulator that the same "
        "group released; two were fitted to the anchors below and to nothing else, so those claims hold by construction "
        "and are marked. The source gives directions more often than numbers: a direction is judged in every case "
        "computed. The last figure has all its numbers beside ours. [The model](../explanations/retention.md) "
        "derives every equation and says what was fitted to what."
    ),
    terms={
        "retention": "how long a cell keeps its data",
        "cycle": "a program and an erase of a cell",
        "rest": "idle time before every program and every erase, in which part of the trapped charge escapes",
        "SLC, MLC": "cells of one bit and of two bits",
    },
    lessons=LESSONS,
    cited="Mohan 2015",
    figures={
        "without-rest": Computed(curves.without_rest),
        "rest": Computed(curves.rest),
        "temperature": Computed(curves.temperature),
        "self-healing": Computed(curves.self_healing),
        "published": published.FIGURE,
    },
)
