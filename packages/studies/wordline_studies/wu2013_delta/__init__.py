"""Wu 2013, chapter 4: overwrites as compressed deltas (Delta-FTL)."""

from __future__ import annotations

from wordline.studies.study import Computed, Study
from wordline_studies.wu2013_delta import (
    codecs,
    collections,
    content,
    design,
    gate,
    latencies,
    length,
    published,
    shares,
    size,
    versions,
    viability,
)
from wordline_studies.wu2013_delta.drives import PAGES, SCAN
from wordline_studies.wu2013_delta.lessons import LESSONS
from wordline_studies.wu2013_delta.loads import MORE, REQUESTS, SHORT

INTRODUCTION = f"""\
The results of the source were held back when the study was run. The drive is the preset [`wu2013-delta`](../reference/presets.md): pages of 4 KiB, blocks of 64, 30 % of the raw space spare ([Delta-FTL](../explanations/delta.md)). The baseline is the same drive with its gate closed, which is a page mapping with the same buffer, spare space and collection. Nothing is tuned to a published result.

**How claims are judged.** The results of the source are held back: the direction is judged, and the predicted size stands beside it with its interval, marked *to be compared*: the arithmetic mean of the ratios over the cases, as papers print it, with its interval over the cases. Equations are judged in a band of 25 %, set before the runs. Rankings of the six traces are not judged, since our laws of these do not differ in what is ranked. Claims of our own are counted apart.

**Size.** Two of the source's 16 chips, each with its channel and codec, with four planes of 1,024 blocks; {PAGES:,} logical pages, and a buffer of 2 MiB where the source has 64 MB for 32 times as much flash. Planes of fewer blocks are [shown](#size). Accesses of all logical pages are counted, since the source's mapping cache, of unknown size, serves a drive of which its traces touch a small part; counts are halved every {SCAN:,} writes that reach flash, 57 to 90 times in a run and 40 times where the drive varies.

**States.** Drives begin without deltas and without counts of accesses, in the steady state of random overwriting; a drive that was filled once, in order, is [beside it](#sequential). The buffer is full.

**Loads.** None of the six traces is available. Surrogates of {REQUESTS:,} requests replace them, of {", ".join(f"{times} times as many for {trace}" for trace, times in MORE.items())}, {SHORT:,} where the drive varies; [longer runs](#length) say what more change. Rates and shares of reads are those of table 4.4; it has no sizes of requests: each is one page. Locality is assumed alike for all of them: 10,000 pages are written, 13 to 40 times each in a run, by rank^-0.861, and 8 % of these are ever read, as in the excerpt of Financial 1, which is [run itself](#excerpt). Each chip has as many requests as in the source; in busy runs they come as fast and as bursty as an earlier form of [the study of DiffECC](wu2013-diffecc.md) inferred for the same traces from the idle times of the baseline.
A read of a page that is being written gets its data from the controller.

**Content.** As in the source, the ratio of a delta to its page is drawn from a normal law, with means of 0.50, 0.35 and 0.20; its deviation is not printed and assumed to be a quarter of the mean. Real versions of a database are measured at the end."""

LEFT_OUT = "**Maps on flash are left for later.** The source keeps both of its tables (PMT, DMT) on flash, with a mapping cache and two journals (section 4.3.4). Here both are in the memory of the controller, in the baseline too: no read, program or miss of a table is in any figure."

STUDY = Study(
    name="wu2013-delta-ftl",
    title="Delta-FTL: overwrites as compressed deltas",
    source=(
        "G. Wu, *Performance and Reliability Study and Exploration of NAND Flash-based Solid State Drives*, dissertation, Virginia Commonwealth University 2013, chapter 4; "
        "G. Wu, X. He, EuroSys 2012."
    ),
    introduction=INTRODUCTION,
    left_out=LEFT_OUT,
    terms={
        "baseline": "no write is encoded",
        "ratio 0.50, ratio 0.35, ratio 0.20": "the mean size of a delta as a share of its page: low, medium and high content locality",
        "25 %, 50 %, 75 %, 100 % of the pages": "so many of the pages may have deltas",
        "P_c, R_c, P_ow": "the share of the writes that become deltas, what a delta takes of a page, and the share of the deltas that a later write makes needless",
        "F1, F2": "the traces Financial 1 and 2 of two financial institutions",
        "C3, C8": "two disks of Cello99, 17 July 1999",
        "DAP, MSN": "traces of two servers of Microsoft",
        "surrogate": "drawn from what is published about a trace",
        "claim 1, claim 2, …": "the statements of the source, as numbered here",
    },
    cover="by-share",
    lessons=LESSONS,
    figures={
        "by-share": shares.SWEEP,
        "equations": shares.EQUATIONS,
        "collections": collections.COLLECTED,
        "sequential": collections.SEQUENTIAL,
        "excerpt": length.REPEATED,
        "shares": collections.SHARES,
        "victims": collections.VICTIM,
        "victims-by": collections.VICTIMS_BY,
        "viability": Computed(viability.viability),
        "busy": latencies.BUSY,
        "as-traced": latencies.RARE,
        "codecs": codecs.FIGURE,
        "gate": gate.FIGURE,
        "packing": design.PACKING,
        "candidates": design.CANDIDATES,
        "spare-space": design.SPARE_SPACE,
        "buffer": design.BUFFER,
        "size": size.FIGURE,
        "length": length.FIGURE,
        "content": Computed(content.content),
        "versions": Computed(versions.in_a_drive),
        "published": published.FIGURE,
    },
)
