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
    sensitivity,
)
from wordline_studies.mohan_refresh.common import COLD, REST_CYCLES, SERVERS, SIGMAS
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

**Loads.** The whole traces of the source are not available, of one an excerpt. Surrogates with the rate and mix of its table 4.1 replace them, accelerated as in the source. Sizes of requests are those that are published of an Exchange server and of an MSN file server (Hu et al. 2011); for DAPPS and MSNCFS those of the latter are assumed. {COLD:.0%} of the drive are never written (assumed, and varied [below](#sensitivity)). Drive writes a day: {WRITTEN}.

**Blocks** differ: traps by {SIGMAS["traps"]}, leakage by {SIGMAS["leak"]} (of the logarithm) and the level gap by {1000 * SIGMAS["gap"]:.0f} mV, which the specification of the cells suggests and the source does not state; refresh goes by the retention of each block. Its rests are means over about {REST_CYCLES} cycles. Both are varied [below](#sensitivity).

**One end of life** holds for all policies, with and without refresh: less is left of the retention of a tenth of the blocks than is required, or the normalised response stays above 3.

**Time.** Months of the time axis have 30 days, those of requirements are a twelfth of a year. Nothing is tuned to a published result; claims are about directions.""",
    lessons=LESSONS,
    cited="Mohan 2015",
    terms={
        "R10": "tenth percentile of the retention of all blocks: the retention of the drive",
        "required": "for how long any written data must stay readable",
        "remaining": "refresh of a block when what is left of its retention falls to what is required",
        "last_moment": "refresh of weak blocks when their data are about to fade",
        "oracle": "the first of these at no cost",
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
        "sensitivity": Computed(sensitivity.sensitivity),
        "distribution": Computed(blocks.distribution),
        "estimate": Computed(estimate.estimate),
        "excerpts": Traced(excerpts.excerpts),
        "without-power": Computed(blocks.without_power),
        "overhead": Computed(blocks.overhead),
        "cost": Computed(costs.cost),
    },
)
