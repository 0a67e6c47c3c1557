"""F2 and F3: mappings, their merges and tables, and the cache of a map on flash."""

from __future__ import annotations

from collections.abc import Callable

from wordline.points.outcome import Outcome
from wordline.studies import charts
from wordline.studies.claims import ordering, rising
from wordline.studies.grid import GridFigure, Metric
from wordline_studies.ftl_family import sources
from wordline_studies.ftl_family.drives import (
    AMPLIFICATION,
    ENTRIES,
    ERASES,
    MAPPINGS,
    RESPONSE,
    WHOLE_BLOCKS,
    of_mapping,
    of_table,
)
from wordline_studies.ftl_family.loads import MIXED, RANDOM, SEQUENTIAL, SKEWED, TRACES

ALL = [of_mapping(name) for name in MAPPINGS]
LOADS = (RANDOM, MIXED, SEQUENTIAL, SKEWED, *TRACES)

OF_ITS_OWN = (
    "a superblock collects among its own blocks alone, of which it has about ten: with skewed writes 0.83 of the pages of its victims are valid. Log blocks that "
    "all logical blocks share hold more pages that were written again before they are reclaimed"
)
BEHIND_SUPERBLOCK = {
    "fast": OF_ITS_OWN,
    "last": OF_ITS_OWN,
    "bast": "the writes of the excerpt of Fin1 go to about 170 logical blocks, 98 % of them to 128, as many as there are log blocks",
}
"""Why a mapping may erase fewer blocks than one with superblocks."""

FIGURE = GridFigure(
    heading="Mappings",
    text=(
        "Every mapping on the same drive, aged by overwriting. Mappings with log blocks have 32 of them in each plane; `dftl` caches an eighth of the map; "
        "`superblock` has groups of eight logical blocks and caches the maps of 16 groups. All but `page` and `block` take about as much memory of the controller."
    ),
    title="Response times and erases over those of page-level mapping, and write amplification",
    variants=ALL,
    loads=LOADS,
    metrics=[RESPONSE, ERASES, AMPLIFICATION],
    baseline="page",
    chart=charts.bars,
    claims=[
        *(
            ordering(
                f"Response times with `page` are not longer than with `{name}`, under every load",
                sources.IDEAL.get(name, sources.OWN),
                metric="response time",
                of="page",
                than=name,
                relation="not above",
                margin=0.01,
                why=(
                    "sequential writes meet a drive that was overwritten at random. Page-level collection moves what is left in each of its blocks, while a "
                    "log block that was written in sequence replaces a whole data block"
                ),
                note="less than 1 % counts as nothing",
            )
            for name in MAPPINGS
            if name != "page"
        ),
        ordering(
            "Under random writes FAST erases fewer blocks than BAST",
            sources.FAST,
            metric="erased blocks",
            of="fast",
            than="bast",
            relation="below",
            loads=["random"],
        ),
        ordering(
            "Under random writes SAST erases fewer blocks than BAST",
            sources.SAST,
            metric="erased blocks",
            of="sast",
            than="bast",
            relation="below",
            loads=["random"],
        ),
        ordering(
            "Under random writes SAST erases more blocks than FAST",
            f"{sources.OWN}: sets of logical blocks share log blocks, which is between BAST and FAST",
            metric="erased blocks",
            of="sast",
            than="fast",
            relation="above",
            loads=["random"],
        ),
        ordering(
            "Response times with `dftl` are within 10 % of those with `page`, under the loads of Fin1",
            f"{sources.DFTL}; the bound of 10 % is {sources.OWN}",
            metric="response time",
            of="dftl",
            than="page",
            relation="equal to",
            margin=0.1,
            loads=[load.name for load in TRACES],
            why="an eighth of the map holds two thirds to three quarters of the entries that these loads look up; every miss costs a read of the map before the access",
        ),
        *(
            ordering(
                f"With `superblock` garbage collection erases fewer blocks than `{name}`, under random, mixed and skewed requests and those of Fin1",
                sources.SUPERBLOCK if name in sources.BEFORE_SUPERBLOCK else sources.OWN,
                metric="erased blocks",
                of="superblock",
                than=name,
                relation="below",
                loads=[load.name for load in LOADS if load is not SEQUENTIAL],
                why=BEHIND_SUPERBLOCK.get(name, ""),
            )
            for name in WHOLE_BLOCKS
        ),
    ],
)


def for_each_write(key: str, pages: int = 1) -> Callable[[Outcome], float | None]:
    """What takes a count for every so many pages that the host wrote."""

    def of(outcome: Outcome) -> float | None:
        count, writes = outcome.number(key), outcome.number("host.page_writes")
        return None if count is None or not writes else pages * count / writes

    return of


def divided(key: str, by: float) -> Callable[[Outcome], float | None]:
    """What takes a figure in another unit."""

    def of(outcome: Outcome) -> float | None:
        value = outcome.number(key)
        return None if value is None else value / by

    return of


def merges(name: str, key: str, unit: str = "merges") -> Metric:
    """A count of merges for each 1,000 page writes."""
    return Metric(name, for_each_write(f"ftl.merges.{key}", 1_000), unit, relative=False)


MERGES = GridFigure(
    heading="Merges",
    text="The same runs: merges of each kind, and pages that they copied, for each 1,000 page writes of the host.",
    title="Merges and copied pages for each 1,000 page writes",
    variants=[of_mapping(name) for name in WHOLE_BLOCKS],
    loads=LOADS,
    metrics=[
        merges("switch merges", "switch"),
        merges("partial merges", "partial"),
        merges("full merges", "full"),
        merges("copied pages", "pages_copied", "pages"),
    ],
    chart=charts.bars,
    claims=[],
)

DESIGNS = {"extents": 1, "journal": ENTRIES, "tree": 1}
"""Designs of the table that are worked out: pages of an extent, writes between two checkpoints."""
KIB = 2.0**10
MS = 1e-3
PER_CENT = 1e-2
TABLES = GridFigure(
    heading="What the table costs",
    text=(
        "The same runs under random writes: memory of a controller, flash for the map, pages of the map read and programmed for each page that the host wrote, and the time until "
        "every page is found again after a loss of power, by reading spare areas. What `page` would cost with other designs of its map is worked out, not simulated: `extents` of single pages in memory, which is what "
        "random writes leave; the map in memory with a `journal` on flash, and a checkpoint of the whole map after as many writes as there are pages; and a `tree` on flash of which every look-up reads the path and every write programs "
        "one page. Collection of journal and tree is left out of these."
    ),
    title="Memory, traffic and recovery time of the tables",
    variants=[*ALL, *(of_table(name, amount) for name, amount in DESIGNS.items())],
    loads=[RANDOM],
    metrics=[
        Metric("memory", divided("ftl.table.memory_bytes", KIB), "KiB", relative=False),
        Metric("flash", divided("ftl.table.flash_bytes", KIB), "KiB", relative=False),
        Metric(
            "reads of the map",
            for_each_write("ftl.pages_read.mapping"),
            "pages per write",
            relative=False,
        ),
        Metric(
            "programs of the map",
            "ftl.table.programs_per_write",
            "pages per write",
            relative=False,
        ),
        Metric("time of recovery", divided("ftl.table.recovery_time_s", MS), "ms", relative=False),
    ],
    chart=charts.bars,
    claims=[
        ordering(
            f"The table of `{name}` takes less memory than that of `page`, under random writes",
            sources.MAPPING.get(name, sources.OWN),
            metric="memory",
            of=name,
            than="page",
            relation="below",
        )
        for name in (*MAPPINGS, "tree")
        if name != "page"
    ]
    + [
        ordering(
            "Extents of single pages, as random writes leave them, take more memory than the table of `page`",
            f"{sources.OWN}: an extent names where it begins and how long it is",
            metric="memory",
            of="extents",
            than="page",
            relation="above",
        ),
        ordering(
            "With a journal and checkpoints pages are found again sooner than with `page` alone, under random writes",
            f"{sources.OWN}: times of reading, worked out",
            metric="time of recovery",
            of="journal",
            than="page",
            relation="below",
        ),
        ordering(
            "A tree on flash programs more pages of the map for each write than `dftl`, under random writes",
            f"{sources.OWN}: every write programs a page of the tree",
            metric="programs of the map",
            of="tree",
            than="dftl",
            relation="above",
        ),
    ],
)

SIZES = {f"1/{share}": ENTRIES // share for share in (64, 32, 16, 8, 4, 2)}
"""Cached entries by their share of the map."""
CACHES = [*SIZES, "all"]

CACHED = GridFigure(
    heading="The cache of a map on flash",
    text="DFTL with caches of 1/64 of the map to all of it, over page-level mapping with the map in memory.",
    title="DFTL over page-level mapping, and hits of the cache",
    variants=[
        *(
            of_mapping("dftl", {"ftl.cached_entries": size}, called=name)
            for name, size in {**SIZES, "all": ENTRIES}.items()
        ),
        of_mapping("page"),
    ],
    loads=[RANDOM, MIXED, SKEWED, *TRACES],
    metrics=[
        RESPONSE,
        Metric("hits", divided("ftl.table.hit_ratio", PER_CENT), "%", relative=False),
        AMPLIFICATION,
    ],
    baseline="page",
    chart=charts.lines,
    variants_are="share of the map that is cached",
    claims=[
        rising(
            "More cached entries give more hits, under every load",
            sources.DFTL,
            metric="hits",
            variants=list(SIZES),
        ),
        ordering(
            "With 1/2 of the map cached response times are not longer than with 1/64, under every load",
            sources.DFTL,
            metric="response time",
            of="1/2",
            than="1/64",
            relation="not above",
        ),
        ordering(
            "With all of the map cached response times are those of `page` within 5 %, under every load",
            sources.OWN,
            metric="response time",
            of="all",
            than="page",
            relation="equal to",
            margin=0.05,
            note="the blocks of the map are taken from the drive, so that its capacity is not quite the same",
        ),
    ],
)
