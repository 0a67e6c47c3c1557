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

**Judgements.** A claim that the source makes with a number is judged on its size, beside its direction. It has the size if the mean over F1 and F2 misses the printed change by at most a quarter of it, or 2 percentage points where that is more; both were set before the
runs. Where the source's number is not at hand the size is "to be compared". Claims of our own are counted apart. A claim is not judged if its case is overloaded or its load was not the source's.

**Intervals.** Requests and aged states are drawn with three seeds. Ratios are computed for each seed; ± is half the 95 % confidence interval of their mean (Student's t). A claim holds outright if it holds in every case, where a case is one
load on one kind of cell, or for a size one kind of cell."""

CLOSING = """\
## What the baseline allows

FIFO's mean read latency at the burstiness that fits best, and in brackets over all burstiness that was tried (a bias of 0.5 to 0.8), with a chip that takes up one operation at a time, and with one that takes all that waits as a batch and finishes it:

{reach}

TO BE WRITTEN
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
