"""Power cuts: how long a drive takes to find its data again, and what it costs to keep it so."""

from __future__ import annotations

from wordline.studies.study import Study
from wordline_studies.power_cuts import intervals, mappings
from wordline_studies.power_cuts.intervals import CUTS, LOGICAL, PRESET
from wordline_studies.power_cuts.lessons import LESSONS

INTRODUCTION = f"""\
A drive whose power fails has lost its map. It finds its data again by the spare areas of all pages, by summary pages, or by a checkpoint of the map and a journal of its changes ([power cuts](../explanations/power-cuts.md)). The question is recovery time against the interval of checkpoints and the writes that they take.

**Drives.** All have the flash of the preset [`{PRESET}`](../reference/presets.md): four dies, 1,024 blocks of 64 pages of 4 KiB, some {LOGICAL:,} logical pages (28 % over-provisioning of what is left beside journal and checkpoints). They differ in what they keep for recovery.

**Loads.** Writes of 4 KiB, eight outstanding, on a drive that begins erased; two drive writes are not measured. What is hot is 18 % of the pages, with 82 % of the writes.

**Recovery.** Once in {CUTS:,} requests, at a request drawn at random, the flash is taken as a power cut would leave it, and the dies and channels of a drive execute the reads of recovery, and what it erases and programs before the host is served (`output.recovery_every`). The run goes on as if the power had not failed. Recovery time is that of the reads; the time until the host is served stands beside it. The time of processors is in neither. That nothing is lost is not the affair of this study: a harness checks it.

**Intervals.** Three seeds; ± is half the 95 % confidence interval of the mean (Student's t)."""

STUDY = Study(
    name="power-cuts",
    title="Recovery time against writes of metadata",
    source=(
        "The claims are our own; the objectives are those of "
        "Y. Tai, *FTL design for SSDs*, Flash Memory Summit 2016 (VIA)."
    ),
    introduction=INTRODUCTION,
    terms={
        "spare areas": '`ftl.recovery.kind = "oob_scan"`: nothing is written, and the spare areas of all programmed pages are read',
        "summary pages": "`summary_scan`: the last page of each block lists the spare areas of the others",
        "every 250, 1,000, 4,000, 16,000 writes": "`checkpoint_journal`, with a checkpoint of the map in so many host writes",
        "journal, delayed checkpoint": "`checkpoint_journal` with a checkpoint in 4,000 writes, and `delayed`: the same, but after a power cut the fresh checkpoint is written while the host is served",
        "pages": "page-level mapping",
        "superblocks": 'page-level mapping with superblocks of four blocks, one in each die (`ftl.mapping = "striped"`); with parity, one page of four holds that of the others',
        "uniform": "every page is written equally often",
        "18-82": "82 % of the writes go to 18 % of the pages",
    },
    cover="intervals",
    lessons=LESSONS,
    figures={"intervals": intervals.FIGURE, "mappings": mappings.FIGURE},
)
