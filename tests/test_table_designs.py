"""Designs of the map that are worked out beside runs: what they cost."""

from __future__ import annotations

import pytest

from wordline.errors import ConfigError
from wordline.points.point import Point

POINT = Point("ftl-family", (("ftl.mapping", '"page"'),))


def test_designs_by_hand() -> None:
    """51,200 entries of 4 bytes are 50 pages of 4 KiB. An extent takes three addresses; a journal has 12 bytes for each write, two checkpoints beside
    it, and one page of the map for every 1,024 writes; a leaf of the tree has half a page, 512 entries, and a root of as many reaches all of them.
    """
    costs = {
        design: POINT.resolved.table_design(design, amount)
        for design, amount in {"extents": 1, "journal": 51_200, "tree": 1}.items()
    }
    memory = {name: cost["ftl.table.memory_bytes"] for name, cost in costs.items()}
    assert memory == {"extents": 614_400, "journal": 204_800, "tree": 4}
    flash = {name: cost["ftl.table.flash_bytes"] / 4096 for name, cost in costs.items()}
    assert flash == {"extents": 0, "journal": 2 * 50 + 150, "tree": 100}
    programs = {name: cost["ftl.table.programs_per_write"] for name, cost in costs.items()}
    assert programs == {"extents": 0, "journal": 12 / 4096 + 50 / 51_200, "tree": 1}
    reads = {name: cost["reads_per_lookup"] for name, cost in costs.items()}
    assert reads == {"extents": 0, "journal": 0, "tree": 2}
    times = {name: cost["ftl.table.recovery_time_s"] for name, cost in costs.items()}
    assert times["tree"] < times["journal"] < times["extents"]


@pytest.mark.parametrize(
    ("design", "amount", "word"),
    [("list", 1, "design"), ("extents", 0, "extents"), ("journal", 0, "journal")],
)
def test_designs_that_make_no_sense_are_refused(design: str, amount: int, word: str) -> None:
    with pytest.raises(ConfigError, match=word):
        POINT.resolved.table_design(design, amount)
