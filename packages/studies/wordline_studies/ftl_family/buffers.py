"""F8: write buffers before different mappings."""

from __future__ import annotations

from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure
from wordline_studies.ftl_family import sources
from wordline_studies.ftl_family.drives import AMPLIFICATION, ERASES, RESPONSE, of_mapping
from wordline_studies.ftl_family.loads import (
    FINANCIAL,
    FINANCIAL_EXCERPT,
    RANDOM,
    SERVER_EXCERPT,
    SKEWED,
)

SIZE = "4 MiB"
"""1,024 pages, 2 % of the drive."""
POLICIES = ("none", "fifo", "lru", "lru_wsr", "cflru", "fab", "bplru", "bpac")
UNDER = ("page", "superblock", "fast")
"""A mapping of pages, one of groups, one with log blocks."""
LOADS = (RANDOM, SKEWED, FINANCIAL, FINANCIAL_EXCERPT, SERVER_EXCERPT)

FIGURE = GridFigure(
    heading="Write buffers",
    text=f"A buffer of {SIZE} in front of three mappings, with the replacement policies that order pages or whole blocks.",
    title="Response times and erases over those with LRU",
    variants=[
        of_mapping(
            mapping,
            {"buffer.policy": policy},
            {} if policy == "none" else {"buffer.size": SIZE},
            {"buffer.read_cache": True} if policy == "cflru" else {},
            panel=mapping,
            called=policy,
        )
        for mapping in UNDER
        for policy in POLICIES
    ],
    loads=LOADS,
    metrics=[RESPONSE, ERASES, AMPLIFICATION],
    baseline="lru",
    chart=charts.bars,
    claims=[
        ordering(
            "With log blocks FAB erases fewer blocks than LRU, under every load",
            sources.FAB,
            metric="erased blocks",
            of="fab",
            than="lru",
            relation="below",
            panels=["fast"],
        ),
        ordering(
            "With log blocks BPLRU erases fewer blocks than LRU, under every load",
            sources.BPLRU,
            metric="erased blocks",
            of="bplru",
            than="lru",
            relation="below",
            panels=["fast"],
            why=(
                "BPLRU fills every block that it evicts up with pages read from flash, and programs it whole. The buffer holds one or two pages of each logical block "
                "under these loads, so that 64 pages are programmed for them"
            ),
        ),
        ordering(
            "With page-level mapping BPLRU erases no fewer blocks than LRU, under every load",
            f"{sources.OWN}: padding pays only with block and hybrid mappings",
            metric="erased blocks",
            of="bplru",
            than="lru",
            relation="not below",
            panels=["page"],
        ),
        ordering(
            "Response times are shorter with a buffer of LRU than with none, with every mapping and under every load",
            sources.OWN,
            metric="response time",
            of="lru",
            than="none",
            relation="below",
        ),
    ],
)
