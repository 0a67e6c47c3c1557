"""Tai 2016: what an FTL is to achieve, and who says which data belong together."""

from __future__ import annotations

from wordline.studies.study import Study
from wordline_studies.tai2016 import (
    change,
    designs,
    integrity,
    ladder,
    processor,
    recovery,
    risk,
    span,
    spare,
    store,
    victims,
)
from wordline_studies.tai2016.drives import LOGICAL, PRESET
from wordline_studies.tai2016.lessons import LESSONS

INTRODUCTION = f"""\
A talk on the FTL of a shipped controller names what decides on write amplification (spare space, the pattern of the application, the efficiency of collection, writes for the integrity of data, hot and cold data told apart by the drive or by the host) and the objectives of an FTL: little recovery time, work of the
controller, write amplification, loss of data and latency; much parallelism, efficiency of collection and of wear levelling. It has no numbers but one: "4 KB random write with 18 % hot data". This study puts numbers to it.

**Drives.** All have the flash of the preset [`{PRESET}`](../reference/presets.md): four dies, 1,024 blocks of 64 pages of 4 KiB, of which the workload sees {LOGICAL:,} pages (28 % over-provisioning, and greedy victims, except where a figure varies them). They differ in who keeps data of different lifetime apart: nobody, the drive (a classifier), or the host by
[streams or FDP](../explanations/placement.md) or by [zones](../explanations/zones.md), which it collects itself with the same spare space.

**Loads.** The host knows what is hot and says so to each drive that listens; to the others the same writes come in the same order. 18 % hot data are read as 18 % of the pages with 82 % of the writes. A [log-structured store](../explanations/log-structured.md) has data with lifetimes of their own. Every page was written once, in order and without a handle, before a run begins; a first part of each run is not
measured.

**Not measured here.** What a classifier computes, and the controller's time during recovery. How recovery time hangs on the interval of checkpoints is [a study of its own](power-cuts.md); where all designs are compared, with zones, recovery is the closed form of reading spare areas without checkpoint or journal.

**Intervals.** Three seeds; ± is half the 95 % confidence interval of the mean (Student's t)."""

STUDY = Study(
    name="tai2016",
    title="Placement: nobody, the drive, or the host",
    source=(
        "Y. Tai, *FTL design for SSDs*, Flash Memory Summit 2016 (VIA); J.-U. Kang, J. Hyun, H. Maeng, S. Cho, *The Multi-streamed Solid-State Drive*, HotStorage 2014; "
        "NVM Express: streams directive, TP4146 (FDP), zoned namespace command set."
    ),
    introduction=INTRODUCTION,
    terms={
        "none": "page-level mapping, all host writes in one open block of each plane",
        "classifier": "the same, with the classifier `dac`: what is overwritten soon goes to hotter blocks, what collection moves to colder ones",
        "streams": "the host says which data belong together; collection keeps them apart",
        "FDP, initially isolated": "as streams, but what collection moves is mixed",
        "FDP, persistently isolated": "what collection moves stays with its handle",
        "superblocks": "page-level mapping with superblocks of four blocks, one in each die, which the drive collects as one",
        "zones": "zones of four blocks, one in each die, which the host writes and collects",
        "zones of a block": "zones of one block each",
        "greedy, cost-benefit, FIFO": "the victim of collection: the block with the fewest valid pages; that with most to gain for its age; the one filled first",
        "optimum": "hot and cold pages told apart without error, and the spare space divided between them in the best way, worked out",
        "uniform": "every page is written equally often",
        "18-82, 20-80, 10-90": "share of the pages that is hot, and of the writes that go there",
        "spare areas, summary pages, checkpoint and journal": "what a drive keeps on flash so that it finds its data after a power cut (`ftl.recovery.kind`)",
        "store": "a log-structured store: a log and tables that are merged",
        "normal, single, multi-log, multi-data": "placement handles of the store: none; one for all of it; one for the log and one for tables; one for each kind of file",
    },
    cover="ladder",
    lessons=LESSONS,
    figures={
        "ladder": ladder.FIGURE,
        "victims": victims.FIGURE,
        "spare": spare.FIGURE,
        "span": span.FIGURE,
        "integrity": integrity.FIGURE,
        "processor": processor.FIGURE,
        "change": change.FIGURE,
        "designs": designs.FIGURE,
        "risk": risk.FIGURE,
        "recovery": recovery.FIGURE,
        "store": store.FIGURE,
    },
)
