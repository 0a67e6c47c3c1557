"""Wu 2013, chapter 2: slow programs in idle time, short codes, fast reads (DiffECC)."""

from __future__ import annotations

from wordline.studies.study import Computed, Study
from wordline_studies.wu2013_diffecc import (
    beyond,
    closed,
    codes,
    fits,
    idle,
    published,
    reads,
    sensitivity,
    service,
    source,
    worn,
)
from wordline_studies.wu2013_diffecc.lessons import LESSONS
from wordline_studies.wu2013_diffecc.loads import LEAST, SAMPLES

INTRODUCTION = f"""\
The drives are the presets [`wu2013-diffecc-baseline`, `wu2013-diffecc-slow` and `wu2013-diffecc`](../reference/presets.md): 16 chips on channels of their own, four planes each, pages of 4 KiB in one, two, four
or eight codewords ([DiffECC](../explanations/diffecc.md)). The expected idle time is that of the drive, and all that waits in the drive counts, undivided, as the source's single number for each trace says. Nothing is tuned to a published result.

**Claims.** A claim that the source makes with a number is judged in a band that was set before the run: 754 µs within 2 %, at least 40 % of the idle slots above 5 ms. Where the source's number is held back, the predicted ratio stands with its interval, marked "to be compared", and the direction is judged.
A case is not judged for one of two reasons, which its claim names: the drive is overloaded, or its load was not the source's, which is so where the fitted baseline is outside the band of [the loads](#loads). Claims of our own are counted apart.

**Size.** Every drive is 16 times smaller than the source's: planes of 256 blocks instead of 4096, and buffers of 2, 4 and 8 MiB where the source has 32, 64 and 128, by which they are named here.

**Loads.** None of the six traces is available. Surrogates replace them, with the published read shares, WR_max and (F1, F2) sizes; sizes of the others are those of similar servers, and popularity is assumed. Requests are rounded to whole pages, as in the simulator behind the source. Compression of time and burstiness
are [fitted](#loads) to the printed baseline. A run has {LEAST:,} requests at least, and more where these would not last for {SAMPLES} samples of the idle time, which is sampled every 5 s of simulated time, as in the source.

**States.** Every drive starts in the steady state of random overwriting, with a full buffer, all pages in one codeword; until the first sample no program is slow.

**Intervals.** Requests and states are drawn with three seeds, with one where a figure says so. Ratios are computed for each seed; ± is half the 95 % confidence interval of their mean (Student's t)."""

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
        "DiffECC": "of one, two, four and eight codewords the most that the idle time of the drive allows",
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
        "diffecc": reads.CHOSEN,
        "always-slow": reads.ALWAYS,
        "shares": reads.SHARES,
        "service": service.FIGURE,
        "against-itself": Computed(source.against_itself),
        "loads": Computed(fits.fits),
        "slots": idle.SLOTS,
        "steps": Computed(codes.steps),
        "closed-form": closed.FIGURE,
        "sectors": reads.SECTORS,
        "readings": sensitivity.FIGURE,
        "state": sensitivity.STATE,
        "beyond": Computed(beyond.beyond),
        "worn": worn.FIGURE,
        "published": published.FIGURE,
    },
)
