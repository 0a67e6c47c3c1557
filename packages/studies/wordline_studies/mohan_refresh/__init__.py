"""Mohan 2015, chapter 4: drives that write weak blocks anew (reFresh SSD)."""

from __future__ import annotations

from wordline.studies.study import Computed, Study, Traced
from wordline_studies.mohan_refresh import (
    blocks,
    costs,
    endings,
    estimate,
    excerpts,
    intensities,
    lives,
    response,
    retention,
)
from wordline_studies.mohan_refresh.common import SERVERS
from wordline_studies.mohan_refresh.lessons import LESSONS

WRITTEN = ", ".join(f"{name} {server.writes_per_day:.1f}" for name, server in SERVERS.items())

STUDY = Study(
    name="mohan-refresh",
    title="reFresh SSD: refresh against fading data",
    source=(
        "V. Mohan, *Towards Building Energy Efficient, Reliable, and Scalable NAND Flash Based Storage Systems*, PhD "
        "dissertation, University of Virginia, 2015, chapter 4; figures on power, overhead and cost go beyond it."
    ),
    introduction=f"""\
How long does a drive keep data as long as is required, and how much longer if its firmware refreshes weak blocks? The drive is [`mohan-m-ssd`](../reference/presets.md) in small: 4 channels, 512 blocks of 32 pages, and as many writes to each block as the large one gets ([how refresh works](../explanations/refresh.md)). Studies skip time ([lifetime](../explanations/lifetime.md)).

**Loads.** The whole traces of the source are not available, of one an excerpt. Surrogates with the rate and mix of its table 4.1 replace them, accelerated as in the source. Sizes of requests are not published there; those of similar servers are assumed. Drive writes a day: {WRITTEN}.

**Time.** Months of the time axis have 30 days, those of requirements are a twelfth of a year. Nothing is tuned to a published result; claims are about directions.""",
    lessons=LESSONS,
    cited="Mohan 2015",
    terms={
        "R10": "tenth percentile of the retention of all blocks: the retention of the drive",
        "required": "for how long any written data must stay readable",
        "EDF": "refresh of weak blocks with the earliest deadline first",
        "oracle": "refresh at no cost",
        "NRT": "response time over that of the fresh drive at intensity 1",
    },
    cover="lives",
    figures={
        "intensity": Computed(intensities.acceleration),
        "retention": Computed(retention.below_a_year),
        "recovery": Computed(retention.recovery),
        "lives": Computed(lives.lives),
        "endings": Computed(endings.endings),
        "fall": Computed(retention.fall),
        "response": Computed(response.response),
        "distribution": Computed(blocks.distribution),
        "estimate": Computed(estimate.estimate),
        "excerpts": Traced(excerpts.excerpts),
        "without-power": Computed(blocks.without_power),
        "overhead": Computed(blocks.overhead),
        "cost": Computed(costs.cost),
    },
)
