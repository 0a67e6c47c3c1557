"""The FTL family: mappings, collection, temperature, wear, buffers and TRIM on one drive."""

from __future__ import annotations

from wordline.studies.study import Study
from wordline_studies.ftl_family import buffers, cleaning, mappings, sources, temperature
from wordline_studies.ftl_family.lessons import LESSONS

INTRODUCTION = """\
Every figure uses the preset [`ftl-family`](../reference/presets.md): 256 MiB of SLC in four dies, with 28 % of over-provisioning. It is small, so that every
run reaches its steady state; it is aged by overwriting, the only way that every mapping can be aged in.

The claims are directions: of W. Wu's dissertation (2013), of the papers that introduced each
mapping and policy, of closed forms of write amplification (Desnoyers, Van Houdt), and some of our own, which say so. No number of a source is repeated. What the mappings do is explained in
[Mappings and hot/cold separation](../explanations/mappings.md).

**Loads.** Synthetic requests of 4 KiB, eight outstanding; 64 KiB in sequence; a surrogate of Fin1 (see [profiles](../explanations/profiles.md)), and excerpts of Fin1 and of hm_0 of
the MSR servers, replayed at their recorded times and folded into the drive.

**Intervals.** Random requests are drawn with three seeds; ± is half the 95 % confidence interval of the mean (Student's t)."""

TERMS = {
    "page, dftl, superblock, last, fast, sast, bast, block": "the mappings; see [Mappings](../explanations/mappings.md)",
    "extents, journal, tree": "designs of the map of `page` that are worked out beside its runs: runs of pages, a journal with checkpoints, a tree on flash",
    "Fin1": "the trace Financial1 of the SPC",
    "hm_0": "a volume of the MSR Cambridge servers",
    "random, d = 2, 5, 10, greedy, FIFO": (
        "victim policies of garbage collection: any block, the emptiest of d drawn ones, the emptiest of all, the oldest"
    ),
    "random, mixed, sequential, skewed": (
        "single pages at random addresses, all writes or 70 % reads; 64 KiB in sequence; writes of single pages of which 80 % go to 20 % of the drive"
    ),
    "surrogate, excerpt": "a surrogate of a trace is drawn from what is published about it; an excerpt is its first requests",
    "18-82": "18 % of the pages get 82 % of the writes; likewise 20-80 and 10-90",
}

STUDY = Study(
    name="ftl-family",
    title="The FTL family: mappings, collection, temperature, buffers",
    source=sources.PAPERS,
    introduction=INTRODUCTION,
    terms=TERMS,
    cover="mappings",
    lessons=LESSONS,
    figures={
        "mappings": mappings.FIGURE,
        "merges": mappings.MERGES,
        "tables": mappings.TABLES,
        "map-cache": mappings.CACHED,
        "victims": cleaning.VICTIMS,
        "hot-cold": temperature.FIGURE,
        "collection": cleaning.COLLECTION,
        "wear": cleaning.WEAR,
        "buffers": buffers.FIGURE,
        "trim": cleaning.TRIM,
    },
)
