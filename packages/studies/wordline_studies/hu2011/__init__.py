"""Hu et al., ICS 2011: parallelism, advanced commands, allocation, page size."""

from __future__ import annotations

from collections.abc import Mapping

from wordline.studies.grid import GridFigure
from wordline.studies.load_range import LoadRange
from wordline.studies.study import Study
from wordline_studies.hu2011 import (
    allocation,
    combination,
    commands,
    orders,
    page_size,
    published,
    sensitivity,
    software,
)
from wordline_studies.hu2011.baselines import PUBLISHED_REQUESTS, TABLE_3, inferred
from wordline_studies.hu2011.lessons import LESSONS
from wordline_studies.hu2011.loads import CASCADE, PROFILES, REQUESTS

INTRODUCTION = f"""\
All figures use the parameters of the preset [`hu2011`](../reference/presets.md), except those that a figure varies. The parameters are those of the paper's Table 2; what it
does not give is taken from the public SSDsim 2.x, or assumed. The preset names the source of each. Nothing is
tuned to a published result. Claims are about directions, each with a margin; the paper's own numbers stand beside ours near the end of the page.

**Loads.** Of the seven traces of Table 1, excerpts of four are available. They are replayed at their recorded times and folded into the part of the drive
that holds data. The seven surrogates have the published read shares, sizes and rates of the traces (the last four rates read as
microseconds); their popularity of addresses and runs are assumed ([profiles](../explanations/profiles.md)). Their arrivals are self-similar, with the burstiness of the excerpts (`workload.burst_bias`):
0.55 for Web, 0.56 for Dev, 0.63 for Fin1 and 0.65 for MSN; Fin2 is assumed to be as Fin1, and Ex and Rad to lie between Dev and MSN, with 0.60. The name of each load says whether it is a surrogate or an excerpt.
Every surrogate has {REQUESTS:,} requests, an excerpt at most as many. Numbers in the explanations of single cases are of runs with Poisson arrivals, in which causes are easier to tell apart.

**States.** A third of the user space, 0.3 of the raw space, holds data in every figure: SSDsim ages a drive until 0.7 of its pages are invalid.
*Not aged* means that all other blocks are erased, so that garbage collection never runs. *Aged* means the steady state after random overwriting of
these data, computed by a closed form: every plane is at its watermark (0.1 of the pages free) and invalid pages fill the rest. SSDsim's own ageing leaves no valid data at
all, so that its garbage collection has nothing to move at first; the last figure compares the two. SSDsim also writes the data that a trace will read before the run;
here whole pages of data are present from the start, so that more updates are un-covered (see page size, below).

**Voids.** A run on an aged drive is void if garbage collection never started, or started only in the last two thirds of the run. Any run is void if the drive could not keep up with its load.
Void runs are shown as such, and no mean or verdict includes them.

**Intervals.** Random requests and random aged states are drawn with three seeds. Ratios are computed for each seed; ± is half the 95 % confidence interval of their mean (Student's t).
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

Frozen so, static allocation deviates by 8 % less to 27 % more than printed, since what was measured over 262,144 requests is extrapolated up to 116 times. Dynamic allocation is far more even here than in the source, under every trace: 0.4 to 11 erases
for 2.5 to 113. Each write goes to the channel and chip that are free, the planes of a chip take turns, and each plane collects what it wrote itself. No length, threshold or part that was tried gives the printed deviations: they would say that the planes of
the source do not take turns strictly; how they are chosen within a chip is not described. The direction holds in every case, the size in none.

Of the other numbers, speed-ups by multi-plane reads are met within 4 % but for Web and Dev, where two reads of one die seldom wait at one block and page index. Blind copy-back costs nearly nothing under MSN, where the source has 7.7 times the response and
17.8 times the erases: in the aged state here a skipped page is a small part of what a collection moves. Pages of 16 KiB and the wrong order cost more than in the source, 6.8 times for 1.8 and up to 4.2 times for 1.6: a drive that serves a little
slower falls behind in a burst and stays behind to its end (with Poisson arrivals the pages of 16 KiB cost 2.8 times).

## How the causes were found

The causes named above were found from the attribution of response times and from the numbers of commands of single runs. This run shows what the reads of
Dev wait for on the aged drive with dynamic allocation. With `allocation.mode=static` the part `die_sibling`, waiting for other pages of the same request on the
same die, is a quarter as large:

```sh
wordline run hu2011 --set age.method=steady_state --set age.fill=0.3333333333333333 --set workload.kind=profile \\
  --set workload.profile=develop --set "workload.region='4912 MiB'" --set workload.requests=10000 --out out/dev
```

## What differs from the source

* Loads: excerpts of four traces and surrogates of seven, instead of seven whole traces; the burstiness of three surrogates is assumed.
* States: whole pages of data fill a third of the user space, instead of only the data that a trace reads. The aged drive is in the steady
  state of random overwriting, with 0.3 of its pages valid and the others invalid or free.
* Garbage collection starts when less than 0.1 of the pages of a plane are free. The source gives no threshold; the configuration file of SSDsim has 0.3.
* Every page of a combined program takes its time on the bus. SSDsim 2.x counts the time of one (`compat.ssdsim_combined_bus`).
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

FIGURES: Mapping[str, GridFigure] = {
    "page-size": page_size.FIGURE,
    "page-size-erased": page_size.ERASED,
    "page-size-busy": page_size.BUSY,
    "capacity": page_size.CAPACITY,
    "allocation": allocation.FIGURE,
    "wear": allocation.WEAR,
    "copy-back": commands.COPY_BACK,
    "multi-plane-write": commands.MULTI_PLANE_WRITE,
    "multi-plane-read": commands.MULTI_PLANE_READ,
    "interleave": commands.INTERLEAVE,
    "combination": combination.FIGURE,
    "order-dynamic": orders.DYNAMIC,
    "order-dynamic-ssdsim": orders.SSDSIM,
    "order-static": orders.STATIC,
    "software": software.FIGURE,
    "sensitivity": sensitivity.FIGURE,
}
"""The figures that are grids of runs."""

RANGE = LoadRange(
    heading="Over which range of load each claim holds",
    text=(
        "Every claim judged again with the surrogates of its figure, their requests faster, with one seed; ×1 is the published rate. A cell says whether the claim holds in every case (✓), in how many (◐), in "
        "none (✗), or that every run is void (○): without collection, or because the drive cannot keep up."
    ),
    figures={
        name: figure
        for name, figure in FIGURES.items()
        if figure.claims and name != "order-dynamic-ssdsim"
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
