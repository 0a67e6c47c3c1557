"""Cui et al. 2018: requests in the order in which they would end, with latencies of blocks and data (DLV)."""

from __future__ import annotations

from wordline.studies.study import Computed, Study
from wordline_studies.cui2018_dlv import (
    curves,
    responses,
    rivals,
    sensitivity,
    tables,
    throughput,
    today,
    variation,
    varied,
)
from wordline_studies.cui2018_dlv.drives import BLOCKS, PAGES
from wordline_studies.cui2018_dlv.lessons import LESSONS
from wordline_studies.cui2018_dlv.loads import BALANCED, READING, REQUESTS, WRITING

INTRODUCTION = f"""\
The drives are those of the preset [`cui2018-dlv`](../reference/presets.md) with each of the eight schemes that the source compares ([explanation](../explanations/dlv.md)). Nothing is tuned to a published result. Claims are about directions.

**Schemes.** Baseline, ROO, LV-LDPC and LaLDPC know no classes of blocks: every page is programmed in the normal step. In the others the strongest quarter of the blocks is programmed in 459.5 µs instead of 600, whoever writes there. Baseline, WOO, PV+reorder and
PV+Allocation read from one reference upward. 64 requests are in the drive at once; there is no memory from which a page could be read before it is programmed.

**Size.** All 128 planes, but of {BLOCKS} blocks of {PAGES} pages instead of 1024 of 256: the drives are eight times smaller, and a collection takes a quarter of the time.

**Ages.** The traces last a week, our runs minutes. What a week does is in the state at the start: the blocks of a drive are 0 to 6.3 days old, as many of each age, at 3000 cycles. Ages of pages that are written in a run start at zero, as in the source.

**Loads.** The twenty traces are surrogates of {REQUESTS:,} requests: write shares and rates are published, of others sizes and popularity are assumed ([profiles](../explanations/profiles.md)). Arrivals are self-similar, as bursty as the excerpt of hm_0 (0.805) and that of
Financial 1 (0.63) are. At recorded rates the 128 planes are busy for a thousandth of the time, and hardly a request meets another; where not said otherwise, requests therefore come 30 times as fast, those of fin1 and fin2, which are recorded at some twenty times the rate, twice as fast (**assumed**).

**Intervals.** Requests and states are drawn with three seeds, in figures that vary the drive with two. Ratios are computed for each seed; ± is half the 95 % confidence interval of their mean (Student's t)."""

CLOSING = """\
## What is not a figure

**Cost of a decision (V11).** Counted under callgrind, not timed, in a development build: 128 units, 16, 64 and 256 requests of four units each in the drive (example `decisions` of the crate `drive`). To choose a request, to place it and to take it out takes 12,932, 14,556 and 15,809 instructions.
The queue is looked at whenever a unit has changed, some 24 times for each request that goes: a look takes 1,318, 1,308 and 1,339 instructions, and all looks for a request, with what is kept of the states of the units, 28,412, 32,457 and 34,256. Requests that ask for the same pages and times of the same units are compared once, so that a decision costs hardly more the more of them wait.

**Wear levelling by error rate**, which the source cites, needs error rates in the FTL, and is not built.

**Queues of 1 to 512 requests (V7), chips up to 64 (V8).** At the busy rates of this study a queue of one request is overloaded, which its figure shows as a response a hundred times as long."""

STUDY = Study(
    name="cui2018-dlv",
    title="DLV: the request that would end first goes first",
    source=(
        "J. Cui, Y. Zhang, W. Wu, J. Yang, Y. Wang, J. Huang, *DLV: Exploiting Device Level Latency Variations for Performance Improvement on Flash Memory Storage Systems*, IEEE TCAD 37(8), 2018; first form: MSST 2016."
    ),
    introduction=INTRODUCTION,
    terms={
        "baseline": "requests go to their planes as they come; reads from one reference upward; all blocks alike",
        "WOO": "writes in the order of their ends, with as few strong pages as let them end when they can (HWS); reads as in the baseline",
        "ROO": "reads in the order of their ends, before writes, from the level that the age of the block has taught (RRS); writes in order",
        "DLV": "both",
        "PV+reorder": "WOO that takes strong pages for all writes while there are any",
        "PV+Allocation": "requests as they come; writes of up to two pages go to strong blocks",
        "LV-LDPC": "the baseline with levels by age",
        "LaLDPC": "the baseline with the level at which the page was read last",
        ", ".join(
            WRITING
        ): "write-intensive traces; fin1 of UMass, the others volumes of MSR Cambridge",
        ", ".join(READING): "read-intensive traces, likewise",
        ", ".join(BALANCED): "the others",
        "surrogate": "drawn from what is published about a trace",
        "V1, V2, …": "the experiments of the source, as numbered here",
    },
    cover="responses",
    closing=CLOSING,
    lessons=LESSONS,
    cited="Cui et al. 2018",
    figures={
        "table-one": Computed(tables.table_one),
        "ages": Computed(tables.by_age),
        "thresholds": Computed(tables.thresholds),
        "throughput": throughput.FIGURE,
        "responses": responses.RESPONSES,
        "recorded": responses.RECORDED,
        "distribution": curves.FIGURE,
        "writes": responses.WRITES,
        "reads": responses.READS,
        "depth": varied.DEPTH,
        "chips": varied.NUMBER_OF_CHIPS,
        "buffers": varied.BUFFERS,
        "readings": sensitivity.FIGURE,
        "excerpts": sensitivity.REAL,
        "sizes": variation.SIZES,
        "read-ages": variation.AGES,
        "today": today.FIGURE,
        "rivals": rivals.FIGURE,
        "published": curves.PUBLISHED,
    },
)
