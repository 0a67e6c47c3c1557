"""Hu et al., ICS 2011: parallelism, advanced commands, allocation, page size."""

from __future__ import annotations

from wordline.studies.hu2011 import (
    allocation,
    combination,
    commands,
    orders,
    page_size,
    sensitivity,
    software,
)
from wordline.studies.study import Study

INTRODUCTION = """\
One set of parameters serves every figure: the preset [`hu2011`](../reference/presets.md) and what a figure varies. They come from the paper's Table 2 where it
prints them, from the public SSDsim 2.x where it does not, and are assumed where neither says; the preset says which. Nothing is
tuned to a published result. The paper's own numbers are not repeated here: claims are of direction, and the margin is part of each.

**Loads.** Of the seven traces of Table 1 four exist as excerpts, replayed at their recorded times and folded into the part of the drive
that holds data. The seven surrogates have the published read shares, sizes and rates of the traces (the last four rates read as
microseconds); their popularity of addresses, runs and arrivals are assumed ([profiles](../profiles.md)). The names say which is which.
Every surrogate has 30,000 requests, an excerpt at most as many.

**States.** A third of the user space, 0.3 of the raw space, holds data in every figure: SSDsim ages a drive until 0.7 of its pages are dead.
*Not aged* means that all else is erased, and nothing is ever collected. *Aged* means the state after endless random overwriting of
these data, in closed form: every plane is at its watermark (0.1 of the pages free) and dead pages fill the rest. SSDsim's own ageing leaves no live data at
all, so that its collector has nothing to move at first; the last figure compares. SSDsim also places what a trace reads before the run;
here the data are there from the start, in every page whole. That makes more updates un-covered (page size, below).

**Voids.** A run on an aged drive is void if it was over before collection began, or began only in its last two thirds; any run is if the drive fell behind its load.
A void run is shown as void and is part of no mean and no verdict.

**Intervals.** Whatever is drawn, requests and aged states, is drawn with three seeds. Ratios are taken seed by seed; ± is half the 95 % interval of their mean by
Student's t. A claim is judged by the means. It holds outright if it does so in every case, a case being a load in a panel of the figure."""

CLOSING = """\
## How the causes were found

A cause named above was read from the split of response times and the counts of commands of single runs. This one shows where the reads of
Dev wait on the aged drive with dynamic allocation; with `allocation.mode=static` the part `die_sibling`, other pages of the same request on the
same die, is a quarter:

```sh
wordline run hu2011 --set age.method=steady_state --set age.fill=0.3333333333333333 --set workload.kind=profile \\
  --set workload.profile=develop --set "workload.region='4912 MiB'" --set workload.requests=10000 --out out/dev
```

## What differs from the source

* Loads: excerpts of four traces and surrogates of seven in the place of seven whole traces; arrivals of surrogates are Poisson.
* States: data are placed over a third of the user space, whole pages each, instead of what a trace reads as it reads it. The aged drive is in the steady
  state of random overwriting, with 0.3 of its pages live and the others dead or free.
* Collection starts below 0.1 of the free pages of a plane. The source prints no threshold; SSDsim's shipped file has 0.3.
* The bus is charged with every page of a combined program. SSDsim 2.x charges one (`compat.ssdsim_combined_bus`).
* tDBSY is 500 ns, as in data sheets; SSDsim's shipped file has 50 ns.
* Combined commands keep the whole chip busy until their last part ends (`scheduler.busy_grain = "chip"`), as in SSDsim."""

STUDY = Study(
    name="hu2011",
    title="SSD parallelism: advanced commands, allocation, page size",
    source=(
        "Y. Hu, H. Jiang, D. Feng, L. Tian, H. Luo, S. Zhang, *Performance Impact and Interplay of SSD Parallelism through Advanced "
        "Commands, Allocation Strategy and Data Granularity*, ICS 2011 (the SSDsim paper)."
    ),
    introduction=INTRODUCTION,
    closing=CLOSING,
    figures={
        "page-size": page_size.FIGURE,
        "page-size-erased": page_size.ERASED,
        "page-size-busy": page_size.BUSY,
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
    },
)
