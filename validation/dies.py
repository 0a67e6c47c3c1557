"""Dies that drives are made of: a public table of them, and the rule that finds the one of a drive."""

from __future__ import annotations

from dataclasses import dataclass

TABLE = 'AnandTech, "2021 NAND Flash Updates from ISSCC" (anandtech.com/show/16491), table of TLC'
GIBIT_A_PLANE = 128
"""Of a plane, where the list of parts does not say what a die holds: 512 Gbit of four planes, as in the table; dies of two planes are assumed to have 256."""
WORD_LINE = 12
"""Pages of a layer in a block of TLC: four strings of three pages, with which 96 layers are the 18 MiB of the table."""
OF_THE_DIE = 0.65
"""A die in a data-centre drive programs at this share of the rate of the table: calibrated (docs/explanations/validation.md)."""


@dataclass(frozen=True)
class Die:
    """A column of the table."""

    column: str
    maker: str
    layers: int
    planes: int
    interface: str
    """The one of Wordline that has the rate of the table."""
    megabits: int
    """Mbit/s of a pin."""
    program: int
    """MB/s of the die."""
    sensing: float
    """Microseconds, the mean of the page types."""


COLUMNS = (
    Die("SK hynix 2021", "SK hynix", 176, 4, "nv-ddr3-1600", 1600, 168, 50.0),
    Die("Samsung 2019", "Samsung", 128, 2, "toggle-1200", 1200, 82, 45.0),
    Die("Kioxia 2019", "Kioxia", 128, 4, "nv-ddr3-1066", 1066, 132, 56.0),
    Die("Kioxia 2018", "Kioxia", 96, 2, "toggle-533", 533, 57, 58.0),
)
"""Those of the table whose layers and planes it gives."""


def die(maker: str, layers: int) -> Die:
    """The column with the nearest number of layers; of several that of the maker, then that with more planes."""
    return min(
        COLUMNS, key=lambda each: (abs(each.layers - layers), each.maker != maker, -each.planes)
    )


def page_time(found: Die, share: float = 1.0) -> int:
    """Microseconds to program a page in every plane, where the die programs at a share of its rate."""
    return round(round(found.planes * 16_384 / found.program) / share)
