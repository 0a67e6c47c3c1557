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
    published,
    size,
    versions,
    viability,
)
from wordline_studies.wu2013_delta.drives import PAGES
from wordline_studies.wu2013_delta.lessons import LESSONS
from wordline_studies.wu2013_delta.loads import REQUESTS

INTRODUCTION = f"""\
The drive is the preset [`wu2013-delta`](../reference/presets.md): 16 chips on channels of their own, four planes each, pages of 4 KiB, 30 % of the raw space spare ([Delta-FTL](../explanations/delta.md)). The baseline is the same drive with its gate closed, which is a page mapping with the same buffer, spare
space and collection. Nothing is tuned to a published result. Claims are about directions.

**Size.** Every drive is 64 times smaller than the source's: planes of 64 blocks instead of 4096, {PAGES:,} logical pages, and a buffer of 1 MiB where the source has 64 MB. Accesses of all logical pages are counted, since the source's mapping cache, of unknown size, serves a drive of which its traces touch a small part. A plane this small has a cost of its own for deltas, [shown below](#size).

**Loads.** None of the six traces is available. Surrogates of {REQUESTS:,} requests replace them, as in an earlier form of [the study of DiffECC](wu2013-diffecc.md), whose chapter of the same dissertation uses the same traces; rates and burstiness are those with which its baseline is idle for as long as printed. Response times are also shown at the rates of the traces themselves.

**Content.** As in the source, the ratio of a delta to its page is drawn from a normal law, with means of 0.50, 0.35 and 0.20; its deviation is not printed and assumed to be a quarter of the mean. Real versions of a database are measured at the end.

**States.** Every drive starts in the steady state of random overwriting, without deltas and with a full buffer.

**Intervals.** Requests and states are drawn with three seeds. Ratios are computed for each seed; ± is half the 95 % confidence interval of their mean (Student's t)."""

STUDY = Study(
    name="wu2013-delta-ftl",
    title="Delta-FTL: overwrites as compressed deltas",
    source=(
        "G. Wu, *Performance and Reliability Study and Exploration of NAND Flash-based Solid State Drives*, dissertation, Virginia Commonwealth University 2013, chapter 4; "
        "G. Wu, X. He, EuroSys 2012."
    ),
    introduction=INTRODUCTION,
    terms={
        "baseline": "no write is encoded",
        "ratio 0.50, ratio 0.35, ratio 0.20": "the mean size of a delta as a share of its page: low, medium and high content locality",
        "F1, F2": "the traces Financial 1 and 2 of two financial institutions",
        "C3, C8": "two disks of Cello99, 17 July 1999",
        "DAP, MSN": "traces of two servers of Microsoft",
        "surrogate": "drawn from what is published about a trace",
        "claim 1, claim 2, …": "the statements of the source, as numbered here",
        "E1, E2, …": "what the source leaves open",
    },
    cover="collections",
    lessons=LESSONS,
    figures={
        "viability": Computed(viability.viability),
        "collections": collections.COLLECTED,
        "shares": collections.SHARES,
        "victims": collections.VICTIM,
        "busy": latencies.BUSY,
        "as-traced": latencies.RARE,
        "codecs": codecs.FIGURE,
        "gate": gate.FIGURE,
        "packing": design.PACKING,
        "candidates": design.CANDIDATES,
        "spare-space": design.SPARE_SPACE,
        "buffer": design.BUFFER,
        "size": size.FIGURE,
        "content": Computed(content.content),
        "versions": Computed(versions.in_a_drive),
        "published": published.FIGURE,
    },
)
