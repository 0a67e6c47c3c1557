"""Hu et al., ICS 2011: parallelism, advanced commands, allocation, page size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from wordline.studies.grid import GridFigure
from wordline.studies.load_range import LoadRange
from wordline.studies.study import Study
from wordline_studies.hu2011 import (
    allocation,
    combination,
    commands,
    length,
    orders,
    page_size,
    published,
    reads,
    sensitivity,
    software,
    ssdsim,
    wear,
)
from wordline_studies.hu2011.baselines import PUBLISHED_REQUESTS, TABLE_3, inferred
from wordline_studies.hu2011.lessons import LESSONS
from wordline_studies.hu2011.loads import CASCADE, PROFILES, REQUESTS
from wordline_studies.hu2011.reasons import reasoned

INTRODUCTION = f"""\
All figures use the parameters of the preset [`hu2011`](../reference/presets.md), except those that a figure varies. The parameters are those of the paper's Table 2; what it
does not give is taken from the public SSDsim 2.x, or assumed. The preset names the source of each. Nothing is
tuned to a published result.

**Claims.** A claim that the source makes with a number is judged on its size, beside its direction. A ratio has the printed size if it misses the printed change by at most a quarter of it, or by 2 points where that is more, an amount if it misses it by at most a quarter; "almost equal" is 5 %. These bands
are those of the [study of suspension](wu2012-suspension.md), taken over unchanged; sizes of an earlier form of this study were known then. The paper's numbers stand beside ours near the end of the page. Claims of our own are counted apart. A case is not judged for one of two reasons, which the row of its claim names: the drive is overloaded, or its load was not the source's. The latter is said of excerpts
and surrogates that are too short for an aged drive: garbage collection never starts, or starts only in the last two thirds of the run.

**Loads.** Of the seven traces of Table 1, excerpts of four are available. They are replayed at their recorded times and folded into a third of the user space.
The seven surrogates have the published read shares, sizes and rates of the traces (the last four rates read as
microseconds); their popularity of addresses and runs are assumed ([profiles](../explanations/profiles.md)). Their arrivals are self-similar, with the burstiness of the excerpts (`workload.burst_bias`):
0.55 for Web, 0.56 for Dev, 0.63 for Fin1 and 0.65 for MSN; Fin2 is assumed to be as Fin1, and Ex and Rad to lie between Dev and MSN, with 0.60. The name of each load says whether it is a surrogate or an excerpt.
Every surrogate has {REQUESTS:,} requests, an excerpt at most as many; [one figure](#length) shows what a million change. Causes are traced in the attribution of response times of single runs with seed 1.

**States.** *Not aged* means that all blocks are erased but those with the data that will be read: of each page the sectors that the load reads before it writes them, placed in the order of the allocation
(`age.place_reads`; SSDsim does it, too). Garbage collection never runs. *Aged* means the steady state after random overwriting of a third of the user space, 0.3 of the raw space, since SSDsim ages a drive until 0.7 of its pages are invalid. The state is
computed by a closed form: every plane is at its watermark (0.1 of the pages free) and invalid pages fill the rest. SSDsim's own ageing leaves no valid data at
all, so that its garbage collection has nothing to move at first; [one figure](#sensitivity) compares the two. Two figures have drives that hold whole pages of data whether they are read or not.

**Software.** Its cost is part of every response (`firmware.*`): instructions of each step, multiplied by one number so that software is 18.9 % of a lone read of a page, as the source prints; two figures leave it out. Reads of a part of a page are shorter, and software is a larger share of theirs.

**What is not here.** Figures 5 to 7 of the source are measured on its prototype, and so is the error of its simulator, 2 to 2.9 %: they cannot be had by simulation.

**Intervals.** Random requests and random aged states are drawn with three seeds, or with one where a figure says so. Ratios are computed for each seed; ± is half the 95 % confidence interval of their mean (Student's t).
Claims are judged by the means. A claim holds outright if it holds in every case, where a case is one load in one panel of the figure."""

WEAR = "\n".join(
    f"| {trace} | {printed:,} | {inferred()[trace].requests:,} | {inferred()[trace].least:,} to {inferred()[trace].most:,} | {PUBLISHED_REQUESTS.get(trace, '–')} |"
    for trace, (printed, _) in TABLE_3.items()
    if trace in inferred()
)

CLOSING = f"""\
## What the baseline allows, and what follows

The column *static* of table 3 is a baseline: with static allocation the plane of a page follows from its address, so that the deviation of the erases grows in proportion to what is written. The
source leaves open how much of each trace was played, when collection starts and over which part of the drive the addresses fall. `python packages/studies/benchmarks/hu2011_baselines.py` measures the deviation at two lengths,
with thresholds of 0.1, 0.2 and 0.3 and addresses in the whole of the data or in a quarter of them, and solves for the length at which it is the printed one. The length at the study's own threshold and part
is frozen.

| trace | deviation, static (published) | requests with our threshold and part | with any | requests that are published |
|---|---:|---:|---:|---:|
{WEAR}

One number for each trace determines one unknown: threshold and part change the length by up to a third, and stay open. A surrogate of Fin1 as long as its trace would deviate five times as much as the source's: with popularity after the
80/20 rule, which is assumed, writes are less even over the planes than those of the trace.

Frozen so, static allocation deviates by 8 % less to 27 % more than printed, since what was measured over 262,144 requests is extrapolated up to 116 times. Dynamic allocation is far more even here than in the source under every trace, 0.3 to 8.9 erases
for 2.5 to 113, and channel-bound allocation is less even under all but Rad, 0.6 to 447: the printed column lies between the two, and is neither. The direction holds in every case, the size in none.

## How the causes were found

The causes named above were found from the attribution of response times and from the numbers of commands of single runs. This run shows what the reads of
Dev wait for on the aged drive with dynamic allocation. With `allocation.mode=static` the part `die_sibling`, waiting for other pages of the same request on the
same die, is a fifth as large:

```sh
wordline run hu2011 --set age.method=steady_state --set age.fill=0.3333333333333333 --set workload.kind=profile \\
  --set workload.profile=develop --set workload.burst_bias=0.56 --set "workload.region='4912 MiB'" --set workload.requests=20000 --out out/dev
```

## What differs from the source

* Loads: excerpts of four traces and surrogates of seven, instead of seven whole traces; the burstiness of three surrogates is assumed.
* States: the aged drive is in the steady state of random overwriting, with 0.3 of its pages valid and the others invalid or free. The source does not say how much live data its aged drives hold.
* Garbage collection starts when less than 0.1 of the pages of a plane are free. The source gives no threshold; the configuration file of SSDsim has 0.3.
* Every page of a combined program takes its time on the bus. SSDsim 2.x counts the time of one (`compat.ssdsim_combined_bus`).
* Wise multi-plane programs search the planes' own blocks only (`commands.multi_plane_search = "own"`), as SSDsim does.
* tDBSY is 500 ns, as in data sheets; the configuration file of SSDsim has 50 ns.
* Combined commands keep the whole chip busy until their last part ends (`scheduler.busy_grain = "chip"`), as in SSDsim."""

TERMS = {
    "Web, Dev, Fin2, MSN, Ex, Fin1, Rad": f"the traces of the paper: {', '.join(PROFILES.values())}",
    "Syn1 to Syn4": "the paper's synthetic loads",
    "surrogate, excerpt": "a surrogate of a trace is drawn from what is published about it; an excerpt is its first requests",
    "aged, not aged": "an aged drive is in the steady state of random overwriting, so that garbage collection runs; on one that is not, it never does",
    "basic": "basic commands only; each page is read, programmed or moved by a command of its own",
    "copy-back, multi-plane, interleave": (
        "the advanced commands: they move a page within its plane without the channel, operate planes of a die at once, and dies of a chip at once"
    ),
    "wise, blind": "an advanced command only where no page is lost, or wherever possible, with pages skipped for it",
    "approach 1, approach 2": "every advanced command, wise; the same, with blind multi-plane writes",
    "dynamic, static": (
        "dynamic allocation writes a page to whichever channel and chip is idle; static allocation derives its place from its address, "
        "by one of six orders of the levels, s1 to s6"
    ),
    "SSD1 to SSD6": f"drives with dynamic allocation, by the order of their levels: {'; '.join(orders.ORDERS.values())}",
    "un-covered update": "a write of a part of a page whose other part holds data, which must be read first",
}

GRIDS: Mapping[str, GridFigure] = {
    "page-size": page_size.FIGURE,
    "page-size-whole-pages": page_size.PAGES_OF_DATA,
    "page-size-busy": page_size.BUSY,
    "capacity": page_size.CAPACITY,
    "allocation": allocation.FIGURE,
    "wear": wear.WEAR,
    "wear-long": wear.LONG,
    "data-placed": ssdsim.PLACED,
    "copy-back": commands.COPY_BACK,
    "copy-back-by-live-data": ssdsim.BY_LIVE_DATA,
    "collection-holds-channel": ssdsim.HELD,
    "multi-plane-write": commands.MULTI_PLANE_WRITE,
    "multi-plane-read": reads.MULTI_PLANE_READ,
    "multi-plane-read-by-chips": reads.BY_CHIPS,
    "multi-plane-read-alone": reads.ISOLATED,
    "interleave": commands.INTERLEAVE,
    "combination": combination.FIGURE,
    "order-dynamic": orders.DYNAMIC,
    "order-dynamic-ssdsim": orders.SSDSIM,
    "order-static": orders.STATIC,
    "order-static-no-software": orders.UNCHARGED,
    "software": software.FIGURE,
    "sensitivity": sensitivity.FIGURE,
    "length": length.FIGURE,
}
"""The figures that are grids of runs, as they are declared."""

FIGURES = {
    name: replace(figure, claims=[reasoned(judge) for judge in figure.claims])
    for name, figure in GRIDS.items()
}
"""The same, with claims that say why a case was not judged."""

RANGE = LoadRange(
    heading="Over which range of load each claim holds",
    text=(
        "Every claim judged again with the surrogates of its figure, their requests faster, with one seed; ×1 is the published rate. A cell says whether the claim holds in every case (✓), in how many (◐), in "
        "none (✗), or that every run is void (○): without collection, or because the drive cannot keep up."
    ),
    figures={
        name: figure
        for name, figure in FIGURES.items()
        if figure.claims
        and name not in ("order-dynamic-ssdsim", "wear-long", "length")
        and any(load.keys["kind"] == "profile" for load in figure.loads if not load.trace)
    },
    speeds=(1, 8),
    quick=(1,),
    requests=CASCADE,
)

STUDY = Study(
    name="hu2011",
    title="SSD parallelism: advanced commands, allocation, page size",
    source=(
        "Y. Hu, H. Jiang, D. Feng, L. Tian, H. Luo, S. Zhang, *Performance Impact and Interplay of SSD Parallelism through Advanced "
        "Commands, Allocation Strategy and Data Granularity*, ICS 2011 (the SSDsim paper)."
    ),
    introduction=INTRODUCTION,
    terms=TERMS,
    cover="combination",
    closing=CLOSING,
    lessons=LESSONS,
    cited="Hu et al. 2011",
    figures={
        **FIGURES,
        "load-range": RANGE,
        "published": published.FIGURE,
    },
)
