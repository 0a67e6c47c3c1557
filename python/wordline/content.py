"""What overwrites change: differences between two versions of a file, and what a drive saves that keeps these in place of pages.

After G. Wu, PhD dissertation, Virginia Commonwealth University 2013, chapter 4 (Delta-FTL).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from os import PathLike, fspath
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordline import _wordline
from wordline.arrays import Floats
from wordline.config import counted
from wordline.errors import ConfigError

if TYPE_CHECKING:
    import polars as pl

PAGE_SIZE = 4096
"""Bytes of a page of the source."""
CPU_MHZ = 619.0
"""Clock of the controller; the source lists 304, 619 and 934 MHz and does not say which one its runs use: the middle one is assumed."""
COMPRESS_CYCLES = 27_212
"""Cycles of LZF for a page of 4 KiB on a controller like an ARM Cortex-R4: chapter 4, section 4.3."""
READ_US = 25.0
"""Reading a page: chapter 4, table 4.3."""
TRANSFER_US = 40.0
"""Transfer of a page of 4 KiB; as above."""
PROGRAM_US = 200.0
"""Programming a page; as above."""
ERASE_US = 1500.0
"""Erasing a block; as above."""
MAX_RATIO = 0.8
"""Deltas above this ratio are not worth their second read; assumed: the largest ratio that pays at any clock of the source."""
MOST_PAGE_SIZE = 65_535
"""Bytes of the largest page: the offsets in a page of deltas are 16 bits wide."""
MOST_COUNT = 2**32 - 1
"""Largest number of pages or buffers that is passed on."""


@dataclass(frozen=True)
class Codec:
    """What deltas are compressed with."""

    name: str
    """Its name."""
    about: str
    """What it does."""
    compress_cycles: int
    """Cycles for a page of 4 KiB: LZF's as in the source, those of others by their instructions for the same pages."""


def codecs() -> dict[str, Codec]:
    """What deltas can be compressed with, by name."""
    return {row[0]: Codec(*row) for row in _wordline.delta_codecs()}


@dataclass(frozen=True, eq=False)
class Differences:
    """Pages in which two versions of a file differ."""

    codec: str
    """What the deltas are compressed with."""
    page_size: int
    """Bytes of a page."""
    pages: int
    """Pages that both versions have."""
    added: int
    """Pages of the newer version beyond the end of the older one."""
    page: NDArray[np.uint64]
    """Numbers of the pages that differ."""
    bytes: NDArray[np.uint32]
    """Bytes of the delta of each of these; a whole page where it cannot be made shorter."""

    @property
    def changed(self) -> int:
        """Pages that differ."""
        return len(self.page)

    @cached_property
    def ratios(self) -> Floats:
        """Bytes of each delta over those of a page."""
        return np.asarray(self.bytes / self.page_size, np.float64)

    def kept(self, max_ratio: float = MAX_RATIO) -> NDArray[np.bool_]:
        """Which pages would be kept as deltas: those whose ratio is not above a largest one."""
        return np.asarray(self.ratios <= ratio_of("max_ratio", max_ratio))

    def to_polars(self) -> pl.DataFrame:
        """A row for each page that differs."""
        import polars as pl

        return pl.DataFrame({"page": self.page, "delta_bytes": self.bytes, "ratio": self.ratios})


def compare_versions(
    old: str | PathLike[str],
    new: str | PathLike[str],
    *,
    page_size: int = PAGE_SIZE,
    codec: str = "lzf",
) -> Differences:
    """Compare two versions of a file, page by page.

    Each delta is put into a page of deltas as a drive would keep it, read back from there, and compared with the newer version.

    Args:
        old: the older version.
        new: the newer version.
        page_size: bytes of a page; the last one of a file is filled up with zeros.
        codec: what deltas are compressed with, a name of `codecs()`.

    Raises:
        ConfigError: no such codec; a page of less than 13 or more than 65535 bytes.
        TraceError: a file cannot be read.
    """
    size = counted("page_size", page_size, MOST_PAGE_SIZE)
    found = _wordline.compare_versions(fspath(old), fspath(new), size, codec)
    return Differences(codec, size, found["pages"], found["added"], found["page"], found["bytes"])


def emulated(
    ratio: float,
    *,
    sigma: float | None = None,
    page_size: int = PAGE_SIZE,
    count: int = 100_000,
    seed: int = 1,
) -> Differences:
    """Differences without content, by a normal law of the ratio as in the source.

    Args:
        ratio: mean of the law, above 0 up to 1.
        sigma: its deviation; a quarter of the mean without it, as the source names none.
        page_size: bytes of a page.
        count: pages.
        seed: of the draws.

    Raises:
        ConfigError: a number out of range; a law of which more than a fifth lies outside of 0.02 to 1.
    """
    size = counted("page_size", page_size, MOST_PAGE_SIZE)
    pages = counted("count", count, MOST_COUNT, least=0)
    sizes = _wordline.emulated_deltas(
        ratio, sigma, size, pages, counted("seed", seed, 2**64 - 1, least=0)
    )
    return Differences("emulated", size, pages, 0, np.arange(pages, dtype=np.uint64), sizes)


@dataclass(frozen=True)
class Packed:
    """Deltas in pages."""

    deltas: int
    """Deltas that were packed."""
    too_large: int
    """Deltas that fit in no page."""
    pages: float
    """Pages that were filled, and those that are not full yet as far as they are."""

    @property
    def pages_per_delta(self) -> float | None:
        """Pages for each delta; none where there is no delta."""
        return self.pages / self.deltas if self.deltas else None


def packed(sizes: ArrayLike, *, page_size: int = PAGE_SIZE, buffers: int | None = 1) -> Packed:
    """Pack deltas into pages in the order in which they are made.

    Args:
        sizes: bytes of the deltas.
        page_size: bytes of a page.
        buffers: pages that are filled at a time, no delta divided between two; none counts bytes only, as the formulas of the source do.

    Raises:
        ConfigError: no buffer, or more than 1024; a page that has no such layout.
    """
    size = counted("page_size", page_size, MOST_PAGE_SIZE)
    most = None if buffers is None else counted("buffers", buffers, MOST_COUNT, least=0)
    return Packed(*_wordline.pack_deltas(np.ascontiguousarray(sizes, np.uint32), size, most))


@dataclass(frozen=True)
class Encoding:
    """A controller that encodes pages, and the flash behind it."""

    read_us: float = READ_US
    """Reading the older version from the array."""
    transfer_us: float = TRANSFER_US
    """Its transfer to the controller."""
    program_us: float = PROGRAM_US
    """Programming a page."""
    cpu_mhz: float = CPU_MHZ
    """Clock of the controller."""
    compress_cycles: float = COMPRESS_CYCLES
    """Cycles of difference and compression of a page."""

    def __post_init__(self) -> None:
        """Check the numbers."""
        if not self.cpu_mhz > 0:
            raise ConfigError(f"cpu_mhz = {self.cpu_mhz}: accepted are numbers above 0")
        self.pages_us(1)

    def _of(self, pages: int) -> tuple[float, float, float]:
        return _wordline.encoding(
            self.read_us,
            self.transfer_us,
            self.encode_us,
            self.program_us,
            counted("pages", pages, 2**63, least=0),
        )

    @property
    def encode_us(self) -> float:
        """Difference and compression of a page."""
        return self.compress_cycles / self.cpu_mhz

    @property
    def longest_us(self) -> float:
        """The stage that holds up the others."""
        return self._of(1)[0]

    def pages_us(self, pages: int) -> float:
        """Encoding so many pages one after the other, each stage at work on the next page as soon as it can."""
        return self._of(pages)[1]

    @property
    def largest_ratio(self) -> float:
        """The ratio below which deltas do not make writing slower (equation 4.2); 0 and less: none does."""
        return self._of(1)[2]


def programs_per_write(share: float, ratio: float) -> float:
    """Pages programmed for each page that the host writes, where a share of the writes become deltas of a ratio.

    Raises:
        ConfigError: a share outside of [0, 1), a ratio outside of (0, 1].
    """
    return _wordline.programs_per_write(share, ratio)


@dataclass(frozen=True)
class CollectionWork:
    """Work of garbage collection by the closed form of the source."""

    collections: float
    """Blocks that are collected."""
    gain_pages: float
    """Pages that each of them gives back."""
    time_us: float
    """Erases, and programs of what was still valid."""
    victims: Literal["pages", "deltas"]
    """What the blocks are full of."""


def collection_work(
    writes: float,
    blocks: float,
    *,
    share: float = 0.0,
    ratio: float = 1.0,
    superseded: float = 0.0,
    pages_per_block: int = 64,
    program_us: float = PROGRAM_US,
    erase_us: float = ERASE_US,
) -> CollectionWork:
    """Work of collection where all writes overwrite what is there (equations 4.5 to 4.10).

    Args:
        writes: pages that are written.
        blocks: blocks that the invalid pages are in.
        share: share of the writes that become deltas; 0 is a drive without.
        ratio: mean ratio of the deltas.
        superseded: share of the deltas that later ones replace.
        pages_per_block: pages of a block.
        program_us: programming a page.
        erase_us: erasing a block.

    Raises:
        ConfigError: a number out of range; more or fewer invalid pages in a block than it can have.
    """
    load = (writes, counted("pages_per_block", pages_per_block, MOST_COUNT), program_us, erase_us)
    deltas = (share, ratio, superseded) if share != 0 else None
    found = _wordline.collection_work(load, blocks, deltas)
    collections, gain_pages, time_us, victims = found
    return CollectionWork(
        collections, gain_pages, time_us, "deltas" if victims == "deltas" else "pages"
    )


def ratio_of(name: str, value: float) -> float:
    """A ratio that is above 0 and at most 1.

    Raises:
        ConfigError: it is not.
    """
    if not 0 < value <= 1:
        raise ConfigError(f"{name} = {value}: accepted are numbers above 0 up to 1")
    return value
