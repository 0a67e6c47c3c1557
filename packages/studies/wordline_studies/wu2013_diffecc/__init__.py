"""Wu 2013, chapter 2: slow programs in idle time, short codes, fast reads (DiffECC)."""

from __future__ import annotations

from wordline.studies.study import Computed, Study
from wordline_studies.wu2013_diffecc import (
    beyond,
    closed,
    codes,
    idle,
    published,
    rates,
    reads,
    sensitivity,
    worn,
)
from wordline_studies.wu2013_diffecc.lessons import LESSONS
from wordline_studies.wu2013_diffecc.loads import REQUESTS

INTRODUCTION = f"""\
The drives are the presets [`wu2013-diffecc-baseline`, `wu2013-diffecc-slow` and `wu2013-diffecc`](../reference/presets.md): 16 chips on channels of their own, four planes each, pages of 4 KiB in one codeword
or eight ([DiffECC](../explanations/diffecc.md)). Nothing is tuned to a published result. Claims are about directions.

**Size.** Every drive is 16 times smaller than the source's: planes of 256 blocks instead of 4096, and buffers of 2, 4 and 8 MiB where the source has 32, 64 and 128, by which they are named here.

**Loads.** None of the six traces is available. Surrogates of {REQUESTS:,} requests replace them, with the published read shares and (F1, F2) sizes; sizes of the others are those of similar servers, popularity and sequential runs are assumed
([profiles](../explanations/profiles.md)). The printed rates contradict the printed lengths of the traces. Compression of time and burstiness (`workload.burst_bias`) are therefore inferred from two figures of the **baseline** alone: the share of the
time without a request in the drive, which is met, and the mean length of such a time, as far as arrivals of this kind allow without more than the baseline can keep up with (`python packages/studies/benchmarks/wu2013_diffecc_loads.py`). The drive of the source is busier with fewer requests, so that ours come at a higher rate.

**States.** Every drive starts in the steady state of random overwriting, with a full buffer, all pages in one codeword. The idle time is sampled every 5 s of simulated time, as in the source; until the first sample no program is slow.

**Intervals.** Requests and states are drawn with three seeds. Ratios are computed for each seed; ± is half the 95 % confidence interval of their mean (Student's t)."""

STUDY = Study(
    name="wu2013-diffecc",
    title="DiffECC: slow programs in idle time, short codes, fast reads",
    source=(
        "G. Wu, *Performance and Reliability Study and Exploration of NAND Flash-based Solid State Drives*, dissertation, Virginia Commonwealth University 2013, chapter 2; "
        "G. Wu, X. He, N. Xie, T. Zhang, MASCOTS 2010."
    ),
    introduction=INTRODUCTION,
    terms={
        "baseline": "every page in one long codeword",
        "always slow": "every page that the host writes in eight short codewords, with longer programs",
        "DiffECC": "eight codewords as far as the idle time of the chip allows, else one",
        "32 MB, 64 MB, 128 MB": "the buffers of the source; ours are 16 times smaller",
        "F1, F2": "the traces Financial 1 and 2 of two financial institutions",
        "C3, C8": "two disks of Cello99, 17 July 1999",
        "DAP, MSN": "traces of two servers of Microsoft",
        "surrogate": "drawn from what is published about a trace",
        "D1, D2, …": "the comparisons of the source, as numbered here",
    },
    cover="diffecc",
    lessons=LESSONS,
    cited="Wu 2013",
    figures={
        "slots": idle.SLOTS,
        "bound": idle.BOUND,
        "steps": Computed(codes.steps),
        "closed-form": closed.FIGURE,
        "always-slow": reads.ALWAYS,
        "diffecc": reads.CHOSEN,
        "shares": reads.SHARES,
        "rates": rates.FIGURE,
        "readings": sensitivity.FIGURE,
        "beyond": Computed(beyond.beyond),
        "worn": worn.FIGURE,
        "published": published.FIGURE,
    },
)
