"""Wu and He, FAST 2012: reads suspend programs and erases."""

from __future__ import annotations

from wordline.studies.study import Study
from wordline.studies.wu2012 import compression, reads, sensitivity, suspended, writes
from wordline.studies.wu2012.drives import SPELLED

INTRODUCTION = """\
The drives are the presets [`wu2013-pes-slc` and `wu2013-pes-mlc`](../reference/presets.md): 16 chips on channels of their own, four independent planes each, the
times of the source's table 3.1; each figure changes some of their keys. FIFO is `scheduler.policy = "out_of_order"`, RPS is `reads_first`, IPC and IPS are `pes` ([suspension](../explanations/suspension.md)). Nothing is tuned to a published result, and the source's own numbers are not repeated, except
the shares of idle time: claims are about directions, each with a margin.

**Size.** Every drive is 16 times smaller than the source's: planes of 256 blocks instead of 4096, a buffer of 4 MiB instead of 64, so that the ratio
of buffer size and free space to drive size is the same. The last two figures use other sizes, including the full size: a million
requests of F1 take 15 seconds of one core there, including ageing, and 0.2 GB of memory.

**Loads.** None of the four traces is available. Surrogates of 100,000 requests replace them, with the published counts, read shares, rates and (F1, F2) sizes, and the
source's compression of time: F1 by 9, F2 by 25, DAP by 8, MSN by 50. The sizes of DAP and MSN are those of another server of MSN; popularity, sequential runs and
arrivals are assumed ([profiles](../explanations/profiles.md)), without bursts. Two excerpts have real arrivals: the first 10,000 requests of F1,
compressed by 9, and the first 100,000 of MSNFS, another file server of MSN, at their recorded times. They are folded into the drive. The name of each load says whether it is a surrogate or an excerpt.

**States.** Every drive is filled once, then half as many pages are overwritten at random, so that garbage collection runs from the start. A run is void if garbage collection never started
or started only in its last two thirds, or if the drive could not keep up with its load. No mean or verdict includes void runs.

**Intervals.** Requests and aged states are drawn with three seeds. Ratios are computed for each seed; ± is half the 95 % confidence interval of their mean (Student's t). Claims are
judged by the means. A claim holds outright if it holds in every case, where a case is one load on one kind of cell."""

CLOSING = """\
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
* While as many writes wait as the limit says, reads suspend no programs at all; the source says that they lose their priority."""

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
    figures={
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
    },
)
