"""Cui et al. 2018: requests in the order in which they would end, with latencies of blocks and data (DLV)."""

from __future__ import annotations

from wordline.studies.study import Computed, Study
from wordline_studies.cui2018_dlv import (
    calibration,
    cost,
    curves,
    laws,
    length,
    responses,
    rivals,
    sensitivity,
    states,
    tables,
    throughput,
    today,
    variation,
    varied,
)
from wordline_studies.cui2018_dlv.drives import BLOCKS, PAGES, SMALL_BLOCKS
from wordline_studies.cui2018_dlv.lessons import LESSONS
from wordline_studies.cui2018_dlv.loads import (
    BALANCED,
    BRIEF,
    COMPRESSION,
    READING,
    REQUESTS,
    SHORT,
    SLOWER,
    WRITING,
)

INTRODUCTION = f"""\
The drives are those of the preset [`cui2018-dlv`](../reference/presets.md) with each of the eight schemes that the source compares ([explanation](../explanations/dlv.md)). The source's results were held back when the study was run. One number of its baseline was known, and sets the speed of the loads ([calibration](#calibration)); nothing else is inferred from a printed result.

**How claims are judged.** A claim that the source makes with a number that is at hand is judged by its size, in a band that stands in the claim. Where the number is held back, the direction is judged, and the predicted size stands beside it with its interval, marked *to be compared*: the arithmetic mean of the ratios over the cases, as papers print it, with its interval over the seeds or, in figures of one seed, over the cases. A case is not judged if the drive is overloaded, or if the load is not that of the source; its row says which. Claims of our own are counted apart.

**Schemes.** Baseline, ROO, LV-LDPC and LaLDPC know no classes of blocks: every page is programmed in the normal step. In the others the strongest quarter of the blocks is programmed in 459.5 µs instead of 600, whoever writes there. Baseline, WOO, PV+reorder and
PV+Allocation read as table II prints it: one attempt with seven references, 95 µs with the transfer. PV+reorder is WOO but for the pages that it takes: a write that competes with nothing goes to normal blocks with both. 64 requests are in the drive at once. A read of a page that is being written gets its data from the controller.

**Size.** All 128 planes, but of {BLOCKS} blocks of {PAGES} pages instead of 1024 of 256: the drives are eight times smaller, and a collection takes a quarter of the time.

**Ages.** The traces last a week, our runs minutes. What a week does is in the state at the start: the blocks of a drive are 0 to 6.3 days old, as many of each age, at 3000 cycles. Ages of pages that are written in a run start at zero, as in the source.

**Loads.** The twenty traces are surrogates of {REQUESTS:,} requests, of {SHORT:,} where the drive varies and in closed loops, and of {BRIEF:,} where the number of chips does, on planes of {SMALL_BLOCKS} blocks; [longer runs](#length) say what more requests change. Write shares and rates are published, of others sizes and popularity are assumed ([profiles](../explanations/profiles.md)). Arrivals are self-similar, as bursty as the excerpt of hm_0 (0.805) and that of
Financial 1 (0.63) are. In experiments on response times requests come {COMPRESSION:g} times as fast as recorded; {", ".join(SLOWER)} overload the drive at that speed with one of the schemes and run at the largest at which they do not ([slower traces](#slow)). Start levels relax after 100 reads: some 4,500 times in a run of hm0 with DLV, 1,500 times in one of proj3.

**Intervals.** Requests and states are drawn with three seeds, where the state of the drive or its time base varies with two, in figures of many drives with one. Ratios are computed for each seed; ± is half the 95 % confidence interval of their mean (Student's t)."""

CLOSING = """\
## What is not a figure

**Wear levelling by error rate**, which the source cites, needs error rates in the FTL, and is not built.

**Growth of the cost of a decision (V11).** Counted under callgrind in a development build, which does three times as much as a release, with 16, 64 and 256 requests of four units each in the drive: to choose a request, to place it and to take it out takes 12,932, 14,556 and 15,809 instructions; all looks for a request, with what is kept of the states of the units, take 28,412, 32,457 and 34,256. Requests that ask for the same pages and times of the same units are compared once, so that a decision costs hardly more the more of them wait."""

STUDY = Study(
    name="cui2018-dlv",
    title="DLV: the request that would end first goes first",
    source=(
        "J. Cui, Y. Zhang, W. Wu, J. Yang, Y. Wang, J. Huang, *DLV: Exploiting Device Level Latency Variations for Performance Improvement on Flash Memory Storage Systems*, IEEE TCAD 37(8), 2018; first form: MSST 2016."
    ),
    introduction=INTRODUCTION,
    terms={
        "baseline": "requests go to their planes as they come; reads with seven references; all blocks alike",
        "WOO": "writes in the order of their ends, with as few strong pages as let them end when they can (HWS); reads as in the baseline",
        "ROO": "reads in the order of their ends, before writes, from the level that the age of the block has taught (RRS); writes in order",
        "DLV": "both",
        "PV+reorder": "WOO that takes strong pages for all pages of a write that competes with others, while there are any",
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
        "states": states.FIGURE,
        "laws": Computed(laws.laws),
        "calibration": calibration.FIGURE,
        "slow": calibration.SLOW,
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
        "bases": sensitivity.TIME_BASES,
        "excerpts": sensitivity.REAL,
        "sizes": variation.SIZES,
        "read-ages": variation.AGES,
        "cost": cost.COST,
        "metadata": cost.METADATA,
        "length": length.FIGURE,
        "today": today.FIGURE,
        "rivals": rivals.FIGURE,
        "published": curves.PUBLISHED,
    },
)
