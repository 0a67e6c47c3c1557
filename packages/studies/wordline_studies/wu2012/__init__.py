"""Wu and He, FAST 2012: reads suspend programs and erases."""

from __future__ import annotations

from collections.abc import Mapping

from wordline.studies.grid import GridFigure
from wordline.studies.load_range import LoadRange
from wordline.studies.study import Study
from wordline_studies.wu2012 import (
    compression,
    published,
    reads,
    sensitivity,
    suspended,
    writes,
)
from wordline_studies.wu2012.baselines import allowed
from wordline_studies.wu2012.drives import SPELLED
from wordline_studies.wu2012.lessons import LESSONS
from wordline_studies.wu2012.loads import CASCADE, REQUESTS

INTRODUCTION = f"""\
The drives are the presets [`wu2013-pes-slc` and `wu2013-pes-mlc`](../reference/presets.md): 16 chips on channels of their own, four independent planes each, the
times of the source's table 3.1; each figure changes some of their keys. FIFO is `scheduler.policy = "out_of_order"`, RPS is `reads_first`, IPC and IPS are `pes` ([suspension](../explanations/suspension.md)). Nothing is tuned to a published result. Claims are about directions, each with a margin; the source's own numbers
stand beside ours near the end of the page.

**Size.** Every drive is 16 times smaller than the source's: planes of 256 blocks instead of 4096, a buffer of 4 MiB instead of 64, so that the ratio
of buffer size and free space to drive size is the same. The last two figures use other sizes, including the full size: a million
requests of F1 take 15 seconds of one core there, including ageing, and 0.2 GB of memory.

**Loads.** None of the four traces is available. Surrogates of {REQUESTS:,} requests replace them, with the published counts, read shares, rates and (F1, F2) sizes, and the
source's compression of time: F1 by 9, F2 by 25, DAP by 8, MSN by 50. The sizes of DAP and MSN are those of another server of MSN; popularity and sequential runs
are assumed ([profiles](../explanations/profiles.md)). Arrivals are self-similar, with the burstiness of excerpts (`workload.burst_bias`): 0.63, that of F1, for F1 and F2, and 0.65, that of MSNFS, for DAP and MSN. Numbers in the
explanations of single cases are of runs with Poisson arrivals, in which causes are easier to tell apart. Two excerpts have real arrivals: the first 10,000 requests of F1,
compressed by 9, and the first 100,000 of MSNFS, another file server of MSN, at their recorded times. They are folded into the drive. The name of each load says whether it is a surrogate or an excerpt.

**States.** Every drive is filled once, then half as many pages are overwritten at random, so that garbage collection runs from the start. A run is void if garbage collection never started
or started only in its last two thirds, or if the drive could not keep up with its load. No mean or verdict includes void runs.

**Intervals.** Requests and aged states are drawn with three seeds. Ratios are computed for each seed; ± is half the 95 % confidence interval of their mean (Student's t). Claims are
judged by the means. A claim holds outright if it holds in every case, where a case is one load on one kind of cell."""

CLOSING = f"""\
## How the causes were found

By counting, and by following single requests. Of the reads of the F1 surrogate 1.4 % suspend something on SLC and 3.2 % on MLC (`suspension.program.suspensions` and
`suspension.erase.suspensions` over `host.read.count`). This writes what every die does:

```sh
wordline run wu2013-pes-slc --set geometry.blocks_per_plane=256 --set "buffer.size='4 MiB'" --set workload.profile=financial1 \\
  --set workload.compress_time=9 --set "output.timeline_to='3 s'" --timeline timeline.json.gz --out out/f1
```

Read 2639 reads three pages. The one on die 8 comes 60 µs after a program of garbage collection began there, 4 µs into the program phase of its third iteration: 4 µs of
reset, 10 µs of sensing, 20 µs of transfer. The read took 34 µs instead of 30 µs. The program goes on for 95 µs: reload 3 µs, verify 8 µs, the phase again 20 µs, its verify
8 µs, the last two iterations 56 µs. In the mean over phases a reset
costs a read 3.4 µs on SLC and 3.6 µs on MLC; random reads of one page lost 3.2 µs on both for each suspension (reads and writes of one page, aligned to 8 KiB, half
each, 300 µs apart; IPC against PE0), those of 8 KiB 2.1 and 2.7 µs.

That reads first help writes was found by taking things away: without collection (`age.fill=0.2`, `age.random_factor=0`) it stays; under the excerpt of F1 on SLC, where
4 % of the page writes are un-covered instead of 18 % (DAP), it is gone.

## What differs from the source

* Loads, size and states, as described at the top.
* A read that a host write needs goes first like any other read, in RPS and with suspension; the source gives it the rank of the write. It suspends nothing.
* The erase of `timing.t_bers` is pulse and verify; the host link is not charged; blocks of 64 pages, greedy victims, half the trigger of collection
  as the point where host writes wait are assumed. The presets tell which figure is whose.
* While as many writes wait as the limit says, reads suspend no programs at all; the source says that they lose their priority.

## What the baselines allow, and what follows

Under the loads of the claims the drives are far less busy than the source's: directions can be compared, magnitudes cannot. The source leaves open how bursts arrive, how cleaning a block runs beside host requests, what
serves one command at a time, what the buffer keeps, how full and how old the drives are, and the request sizes of DAP and MSN. [Inference](../how-to/infer.md) was given the **baselines** alone: mean read and write latency of FIFO (table 3.3, within 10 %) and the idle
share (table 3.2, within 3 points), one trace on one kind of cell at a time: `python packages/studies/benchmarks/wu2012_baselines.py`. Arrivals are self-similar; the bias of F1 is that of its excerpt, those of the other traces are unknowns, and so is by which of 1, 2, 4, 8 and 16 the
request sizes of another server of Microsoft are multiplied for DAP and MSN. The best settings of each case were then frozen, and the section above predicts everything else with them.

{allowed()}

What the baselines say. Under F1 and F2 they want cleaning that is one piece of work and goes before reads, as in the SSD extension of DiskSim that the source used; under DAP cleaning in one piece that reads may overtake; MSN leaves
it open. None determines the order of the operations of a chip, and only DAP whether its planes work independently (not). DAP is as busy as printed only with requests 8 to 16 times as large as those of the other server,
80 to 180 KiB, at the upper end of what was tried; MSN with 2 to 16 times. Three of the SLC drives reach their baselines only with tolerances of 1.3 to 2 times 10 %. The frozen drive of MSN on MLC cannot keep up
with the three cascades of requests of the comparison, so it is void there.

What follows, beside what is published (the section above):

* **Suspension against FIFO** (IPC) gains 68 to 71 % of the read latency on SLC and 82 to 84 % on MLC, in both readings; the source has 64 and 71 %. With the presets, under loads that keep the drives idle, it gains 15 and 29 %. The size
  of this effect follows from how busy the drives are.
* **Reads first** gains 34 and 22 % where cleaning stays ahead of reads (nearly nothing under F1), and 66 and 80 % where reads overtake it (90 to 99 % under F1 and F2). The source's 39 and 46 % lie between the two readings: its reads
  overtake a part of what is queued, such as the operations of a cleaning one by one. Which part is not described.
* **Against programs and erases without time** (PE0) suspension costs 0.1 to 1.4 % under F1 and F2 where reads overtake cleaning, which is the size that the source prints (1 %), and up to 57 % where they do not. Under DAP and MSN it
  costs a factor of 4 to 35: with requests as large as the baselines want them more than 512 pages wait to be written in bursts, and then reads suspend nothing (`scheduler.max_writes`, which the source varies from 16 to 512). Without that limit the
  mean read of DAP on SLC falls from 657 to 145 µs.
* **Between phases** (IPS) costs 8 to 10 % over IPC where cleaning is ahead of reads, for 8 and 3 % in the source, and 0.5 % where reads overtake it.
* **Writes** lose at most 2.6 % by suspension, for 6.9 %; on SLC in the mean they gain 12 %. Writes that suspend erases gain 54 and 33 % for 14 and 11 %: the erases of the frozen drives are a larger part of what writes wait for.
* **Operations suspended**: 2.8 and 2.3 % for 4.9 and 7.4 %, at most 9.3 and 3.6 % for 8.9 and 12.7 %.

So no admissible setting gives the published sizes of all effects at once. Not modelled are batches of queued operations that a chip works off without taking up others, as in the SSD extension of DiskSim. The power bound (1.8 and
0.9 %) is not compared, since no energy of these chips is published.
"""

TERMS = {
    "FIFO": f"{SPELLED['FIFO']}; every plane executes the operation that has waited longest",
    "RPS": f"{SPELLED['RPS']} (read priority scheduling): reads that wait go before writes that wait",
    "PER, PE0": f"RPS with {SPELLED['PER']}, or {SPELLED['PE0']}: references that no drive reaches",
    "IPC": f"RPS and {SPELLED['IPC']} (intra-phase cancellation): a read also stops a program or an erase under way, at once",
    "IPS": f"RPS and {SPELLED['IPS']} (inter-phase suspension): a read stops a program only at the end of one of its phases (of programming or verifying), and an erase at once",
    "phase": "a program is a series of iterations, each of which is a program phase and a verify phase",
    "array time": "the time in which the cells of a plane are busy, without transfers",
    "P1, P2, …": "the comparisons of the source, in its order; each claim names its figure or table there",
    "F1, F2": "the traces Financial 1 and 2 of two financial institutions",
    "DAP, MSN, MSNFS": "traces of three servers of Microsoft",
    "surrogate, excerpt": "a surrogate of a trace is drawn from what is published about it; an excerpt is its first requests",
    "SLC, MLC": "drives of cells with one bit and with two bits",
}

FIGURES: Mapping[str, GridFigure] = {
    "compression": compression.FIGURE,
    "order": reads.ORDER,
    "suspension": reads.SUSPENDED,
    "ideal": reads.IDEAL,
    "phases": reads.PHASES,
    "tail": reads.TAIL,
    "writes": writes.COST,
    "suspended": suspended.SHARES,
    "work": suspended.WORK,
    "queue": writes.QUEUE,
    "erases": writes.ERASES,
    "scope": sensitivity.SCOPE,
    "limit": sensitivity.LIMIT,
    "redo": sensitivity.REDO,
    "shadow-buffer": sensitivity.SHADOW,
    "reset": sensitivity.RESET,
    "size": sensitivity.SIZE,
    "full-size": sensitivity.FULL,
}
"""The figures that are grids of runs."""

RANGE = LoadRange(
    heading="Over which range of load each claim holds",
    text=(
        "Every claim judged again with the surrogates of its figure, their requests faster, with one seed; ×1 is the source's compression of time. A cell says whether the claim holds in every case (✓), in how many (◐), in "
        "none (✗), or that every run is void (○): without collection, or because the drive cannot keep up. The figure at full size is left out."
    ),
    figures={
        name: figure for name, figure in FIGURES.items() if figure.claims and name != "full-size"
    },
    speeds=(1, 4, 16),
    quick=(1, 8),
    requests=2 * CASCADE,
)

STUDY = Study(
    name="wu2012-suspension",
    title="Suspension of programs and erases",
    source=(
        "G. Wu, X. He, *Reducing SSD Read Latency via NAND Flash Program and Erase Suspension*, FAST 2012; G. Wu, *Performance and Reliability Study and "
        "Exploration of NAND Flash-based Solid State Drives*, dissertation, Virginia Commonwealth University 2013, chapter 3."
    ),
    introduction=INTRODUCTION,
    terms=TERMS,
    cover="suspension",
    closing=CLOSING,
    lessons=LESSONS,
    cited="Wu 2013",
    figures={
        **FIGURES,
        "load-range": RANGE,
        "published": published.FIGURE,
    },
)
