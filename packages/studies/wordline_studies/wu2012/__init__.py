"""Wu and He, FAST 2012: reads suspend programs and erases."""

from __future__ import annotations

from wordline.studies.study import Study
from wordline_studies.wu2012 import published, reads, sensitivity, suspended, writes
from wordline_studies.wu2012.baselines import FOOTPRINT, chosen, reach
from wordline_studies.wu2012.drives import BLOCKS, SMALLER, SPELLED
from wordline_studies.wu2012.lessons import LESSONS
from wordline_studies.wu2012.loads import REQUESTS, SHORT

BUFFERED = {
    "no buffer": 'writes are not answered from a buffer (`buffer.policy = "none"`)',
    "buffer": "writes go through the buffer",
}
"""What was inferred of the buffer, in words."""

INTRODUCTION = f"""\
The drives are the presets [`wu2013-pes-slc` and `wu2013-pes-mlc`](../reference/presets.md): 16 chips on channels of their own, the times of the source's table 3.1, and, as in the simulator behind the source (Microsoft's SSD
extension of DiskSim), one operation of a chip at a time, requests of whole pages, and cleaning of one block at a time. FIFO is `scheduler.policy = "out_of_order"`, RPS is `reads_first`, IPC and IPS are `pes`
([suspension](../explanations/suspension.md)). Where nothing is suspended the cleaning of a block is one event, which no read interrupts (`scheduler.collection_first`); where reads suspend, they go before its next operation.

**Inferred.** Two things are open: whether writes are answered from the buffer, and how bursty each trace is (`workload.burst_bias`, one value for both kinds of cell). Both were inferred from FIFO's mean read latencies (table 3.3) alone, the
compression of time being the source's: {BUFFERED[chosen().buffer]}, and the bias is {", ".join(f"{bias:g} for {trace}" for trace, bias in chosen().bias.items())}. Nothing else is fitted, and no effect was an input
(`python packages/studies/benchmarks/wu2012_baselines.py`).

**Size.** Every drive is {SMALLER} times smaller than the source's: planes of {BLOCKS // SMALLER} blocks instead of {BLOCKS}. One figure has larger ones.

**Loads.** None of the four traces is available. Surrogates of {REQUESTS:,} requests replace them, with the published counts, read shares, rates and, for F1 and F2, sizes, and the source's compression of time: F1 by 9, F2 by 25, DAP by 8, MSN
by 50. Popularity and sequential runs are assumed ([profiles](../explanations/profiles.md)). The request sizes of DAP and MSN are not published: theirs are those of another server of MSN, they are shown, and claims about them are not judged.
They address {FOOTPRINT / 1e9:.1f} GB of the source's drive, as F1 does in its first 10,000 requests, or the same share of ours. Sensitivities have {SHORT:,} requests; the figure on the length of a run shows what more change.

**States.** As in the simulator behind the source, every drive begins full, and its spare blocks are erased. What counts comes after 0.45 drive writes of the load: by then cleaning has begun, as in all runs of the source (assumed). A run is
void if the drive could not keep up with its load.

**Judgements.** A claim that the source makes with a number is judged on its size, beside its direction. It has the size if the mean over F1 and F2 misses the printed change by at most a quarter of it, or 2 percentage points where that is more; both were set before the runs, but for the bound of power, which has the quarter only, since 2 points could not fail. Where the source's number is not at hand the size is "to be compared". Claims of our own are counted apart. A claim is not judged if its case is overloaded or its load was not the source's.

**Intervals.** Requests and aged states are drawn with three seeds. Ratios are computed for each seed; ± is half the 95 % confidence interval of their mean (Student's t). A claim holds outright if it holds in every case, where a case is one
load on one kind of cell, or for a size one kind of cell."""

CLOSING = """\
## What the baseline allows, and what it does not

FIFO's mean read latency with the burstiness that fits best, and in brackets over all burstiness that was tried (a bias of 0.5 to 0.8): a chip takes up one operation at a time, or all that waits as a batch, and writes are answered from the
buffer or not. Only these read latencies were inputs.

{reach}

**No buffer.** F1 and F2 fit better without it. Their writes are then predictions: 2.25 and 1.41 ms on MLC for 1.58 and 1.03 ms published, 0.48 and 0.33 ms on SLC for 0.87 and 0.57 ms; with the buffer they would be 0.2 to 0.9 ms. The idle shares
of MLC are 53 and 70 % for 65.5 and 69.1 %.

**Why SLC does not fit together with MLC.** One burstiness gives reads of MLC 1.4 to 1.5 times as long as the published ones, and those of SLC 0.6 times. The source's own effects say what is missing: its reads keep 36 % of FIFO's on SLC and 29 % on MLC when programs and erases are
suspended. If that holds for F1 and F2, 133 and 86 µs are left on SLC and 129 and 79 µs on MLC, where a lone page takes 30 and 65 µs. Under each trace that is the same time on both kinds of cell, so that most of it is none of the flash. Added to FIFO's reads (215 and 154 µs on SLC for 370 and 240 µs), what goes beyond a lone read
would bring SLC near the published latencies and leave less of those of MLC to bursts; smaller bursts would suspend fewer operations, as in the source. The source does not say what the time is. Its requests cross a host link and the driver of DiskSim, which are not modelled; nothing was added for it.

**Batches** change little: at the burstiness that fits best the reads of SLC are 0.65 of the published ones. They are not the cause that SLC needs.

**DAP and MSN.** With the largest burstiness that was tried, more than in any excerpt (MSNFS: 0.65), MSN comes to 7.3 ms for 8.5 ms on MLC and 2.3 ms for 4.1 ms on SLC, and its writes to 20 ms for 25 ms and 5.1 ms for 4.6 ms. DAP comes to half its published reads, 2.7 and 0.9 ms for
5.7 and 1.9 ms, and its drive is idle for 97 % of the time instead of 64 %: with 100 requests a second of some 10 KiB there is no more to do. The requests of DAP must be many times larger than those of the server whose sizes stand for them. The sizes are not published, so that both traces go no further: their effects are
shown ([figure](#dap-msn)), and no claim is judged by them.

**The state of the drive.** The simulator behind the source begins with a full drive and erased spare blocks, and F1 addresses 5.9 GB, so that victims are nearly empty: write amplification is 1.2 on MLC and 1.4 on SLC. If the whole drive is overwritten at random before, as the presets have it, cleaning
moves 60 % of a block, and FIFO's reads under F1 take 2.6 ms on MLC without any bursts, for 0.44 ms published (a trial of 131,072 requests on drives 16 times smaller).

## What follows

* **Reads first** saves 7 and 31 % where cleaning is one event, as in the simulator behind the source, and 75 and 72 % where reads go between its operations. Over all four traces, with the sizes of another server for DAP and MSN, one event gives 28 and 56 %. The source's 39 and 46 % lie between: its reads overtake a part of cleaning. Which part is not described, and the size of suspension over RPS differs for the same reason.
* **Suspension against FIFO** saves 83 and 87 % for 64 and 71 %: what it leaves is a lone read, where the source has the time above beside it.
* **PE0 is no bound.** With cleaning as one event its reads are slower than those with suspension, which are 14 to 19 % below them. Where its reads, too, go between the operations of cleaning, suspension is within 0.2 % of it on SLC, and 5 to 7 % below it on MLC.
* **Writes** lose 3.0 % by IPS on both kinds of cell, for 4.5 and 3.1 %, and gain 8 and 5 % where they suspend erases, for 14 and 11 %.
* **The bound of power** is the share of the operations suspended over K: the source's 8.9 % over 5 and 12.7 % over 15 are its 1.8 and 0.9 %. Ours is larger by as much as the share is.

## What differs from the source

* Loads, size and states, as described at the top. The host link and the driver are not modelled.
* A chip that serves batches takes any number of operations, where the source's simulator takes 100 reads or writes at most. Planes of a chip do not work on their own there; the source's text has at most one suspended write in a plane ([figure](#scope)).
* The erase of `timing.t_bers` is pulse and verify; blocks of 64 pages, greedy victims, and half the trigger of cleaning as the limit below which it does not wait for pauses are assumed. The presets tell which figure is whose.
"""

TERMS = {
    "FIFO": f"{SPELLED['FIFO']}; every chip executes the operation that has waited longest",
    "RPS": f"{SPELLED['RPS']} (read priority scheduling): reads that wait go before writes that wait",
    "PER, PE0": f"RPS with {SPELLED['PER']}, or {SPELLED['PE0']}: references that no drive reaches",
    "IPC": f"RPS and {SPELLED['IPC']} (intra-phase cancellation): a read also stops a program or an erase under way, at once",
    "IPS": f"RPS and {SPELLED['IPS']} (inter-phase suspension): a read stops a program only at the end of one of its phases (of programming or verifying), and an erase at once",
    "phase": "a program is a series of iterations, each of which is a program phase and a verify phase",
    "array time": "the time in which the cells of a chip are busy, without transfers",
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
    closing=CLOSING.format(reach=reach()),
    lessons=LESSONS,
    cited="Wu 2013",
    figures={
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
        "cleaning": sensitivity.CLEANING,
        "server": sensitivity.SERVER,
        "limit": sensitivity.LIMIT,
        "redo": sensitivity.REDO,
        "shadow-buffer": sensitivity.SHADOW,
        "reset": sensitivity.RESET,
        "length": sensitivity.LENGTH,
        "size": sensitivity.SIZE,
        "dap-msn": published.UNSIZED,
        "published": published.FIGURE,
    },
)
