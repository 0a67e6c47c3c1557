"""Cells: threshold voltages, raw bit error rates by wear and age, how blocks differ, what a program step costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from wordline import _wordline
from wordline.arrays import Floats, mapped, mapped_columns
from wordline.config import counted
from wordline.described import Described
from wordline.errors import ConfigError
from wordline.notebook import view

Reading: TypeAlias = Literal["worst_page", "page_average", "programmed_average", "symbol"]

READINGS: tuple[Reading, ...] = ("worst_page", "page_average", "programmed_average", "symbol")
"""Which number of the rates of a cell's pages is meant."""

MOST_CYCLES = 100_000_000
"""Most program/erase cycles of a block."""
MOST_SEED = 2**64 - 1
"""The highest seed."""


@dataclass(frozen=True)
class BlockClass:
    """Blocks between two quantiles of the block factor, and the fastest way to program them."""

    quantile: float
    """Share of all blocks that are in this class or a stronger one."""
    factor: float
    """Largest factor of the class."""
    step: float
    """Largest program step, in gaps between states, that keeps the error rate of the weakest class."""
    slowdown: float
    """Time of a program, relative to that at the reference step."""


class Cells(Described):
    """The cells of a flash chip; immutable.

    Threshold voltages are in gaps between adjacent states; the erased state is centred on 0. Functions take
    arrays that broadcast, give arrays of that shape, and release the interpreter lock while they last.
    """

    _make = _wordline.Cells
    _inner: _wordline.Cells

    @property
    def bits(self) -> int:
        """Bits of a cell."""
        return self._inner.bits

    @property
    def pages(self) -> list[str]:
        """Names of the pages of a cell, in the order in which they are programmed."""
        match self.bits:
            case 1:
                return ["page"]
            case 2:
                return ["lower", "upper"]
            case 3:
                return ["lower", "middle", "upper"]
            case bits:
                return [f"page {page}" for page in range(bits)]

    @property
    def cycles(self) -> int:
        """Program/erase cycles of the block considered."""
        return self._inner.block[0]

    @property
    def reads(self) -> int:
        """Reads since the erase of the block considered."""
        return self._inner.block[1]

    @property
    def later_programs(self) -> tuple[int, int, int]:
        """Programs of the block considered since that of the page.

        Those of its layer of word lines, of the layers above and below, and of all others; they count only with
        `cell.rber.program_disturb`.
        """
        return self._inner.later_programs

    @property
    def design_days(self) -> float:
        """Age up to which classes of blocks keep the error rate of the weakest one."""
        return self._inner.block[2]

    @property
    def step(self) -> float:
        """Program step of a normal page."""
        return self._inner.program[0]

    @property
    def reference_step(self) -> float:
        """Program step for which error rates and the time of a program are given."""
        return self._inner.program[1]

    @property
    def gap_volts(self) -> float:
        """Volts between adjacent states."""
        return self._inner.program[2]

    @property
    def t_prog_us(self) -> float | None:
        """Time of a program at the reference step, where the description has one."""
        seconds = self._inner.program[3]
        return None if seconds is None else seconds * 1e6

    @property
    def sigma(self) -> float:
        """Deviation of the flanks of programmed states.

        It is the described one where rates start from it, else that of a nominal block at its design age.

        Raises:
            ConfigError: the error rate at the design age has none.
        """
        given = self._inner.given[0]
        return self.sigma_after(self.design_days) if given is None else given

    @property
    def reading(self) -> str:
        """The error rate that is used, where rates are computed from threshold voltages."""
        return self._inner.given[1]

    @property
    def model(self) -> str:
        """The error model: `power_law`, `vth_shift` or `fixed`."""
        return self._inner.given[2]

    @property
    def rated(self) -> dict[str, int | None]:
        """What `rber` gives the rate of, and the page to ask for.

        Each page by its name with `cell.rber.by_page_type`; else the one number that stands for all pages, such as
        `page_average`, and no page.
        """
        shared = self._inner.shared
        if shared is not None:
            return {shared: None}
        return {name: number for number, name in enumerate(self.pages)}

    def sigma_after(self, age_days: float, *, factor: float = 1.0) -> float:
        """Deviation that a block of `cycles` seems to have after some days: that which explains its error rate.

        Raises:
            ConfigError: no deviation does, or an argument is out of range.
        """
        return self._inner.sigma_after(factor, age_days)

    def references(self, *, step: float | None = None, sigma: float | None = None) -> list[float]:
        """The reference voltages of reads.

        Raises:
            ConfigError: optimal references where densities do not cross.
        """
        return self._inner.references(*self._shape(step, sigma))

    def density(
        self, state: int, x: ArrayLike, *, step: float | None = None, sigma: float | None = None
    ) -> Floats:
        """Probability density of the threshold voltage of cells in a state, 0 the erased one.

        Raises:
            ConfigError: no such state, a step or a deviation that is not accepted.
        """
        counted("state", state, 2**self.bits - 1, least=0)
        shape = self._shape(step, sigma)
        return mapped(lambda x: self._inner.density(state, x, *shape), x)

    def rates(
        self,
        step: ArrayLike | None = None,
        sigma: ArrayLike | None = None,
        *,
        exact: bool = False,
    ) -> dict[str, Floats]:
        """Bit error rates by program step and deviation.

        Columns: one for each page, by its name (`pages`), and one for each reading. Misreads into neighbouring
        states are counted; with `exact` those across several boundaries too, and there are no readings.

        Raises:
            ConfigError: a step or a deviation that is not accepted, with the number of the element.
        """
        return self._by_page(
            lambda steps, sigmas: self._inner.rates(steps, sigmas, exact),
            self.step if step is None else step,
            self.sigma if sigma is None else sigma,
        )

    def page_rates(
        self,
        *,
        cycles: ArrayLike | None = None,
        age_days: ArrayLike = 0.0,
        reads: ArrayLike | None = None,
        inhibited: ArrayLike | None = None,
        adjacent: ArrayLike | None = None,
        pass_programs: ArrayLike | None = None,
        step: ArrayLike | None = None,
    ) -> dict[str, Floats]:
        """Bit error rates of the pages of a nominal block, after cycles and days: columns as `rates` has.

        They follow the deviation that explains the error rate, or, with the model `vth_shift`, the states in volts.

        Args:
            cycles: program/erase cycles; those of the description without any.
            age_days: days since the pages were programmed.
            reads: reads since the erase; those of the description without any.
            inhibited: later programs of the page's layer of word lines; those of the description without any.
            adjacent: later programs of the layers above and below; likewise.
            pass_programs: later programs of all other layers of the block; likewise.
            step: program steps; `step` of the description without one.

        Raises:
            ConfigError: no deviation explains the error rate, or an argument is out of range.
        """
        return self._by_page(
            self._inner.page_rates,
            self.cycles if cycles is None else cycles,
            age_days,
            *self._disturbances(reads, inhibited, adjacent, pass_programs),
            self.step if step is None else step,
        )

    def _by_page(
        self, function: Callable[..., dict[str, Floats]], *values: ArrayLike
    ) -> dict[str, Floats]:
        names = {f"page.{number}": name for number, name in enumerate(self.pages)}
        columns = mapped_columns(function, *values)
        return {names.get(name, name): column for name, column in columns.items()}

    def sigma_for_rber(
        self, step: ArrayLike, rber: ArrayLike, *, reading: Reading | None = None
    ) -> Floats:
        """Deviation, from 0.001 to 1, with which a program step gives an error rate.

        Args:
            step: program steps.
            rber: error rates.
            reading: which rate is meant; that of the description without one.

        Raises:
            ConfigError: no deviation gives this rate; with the number of the element.
        """
        return mapped(
            lambda step, rber: self._inner.sigma_for_rber(step, rber, reading), step, rber
        )

    def step_for_rber(
        self, sigma: ArrayLike, rber: ArrayLike, *, reading: Reading | None = None
    ) -> Floats:
        """Program step, from 0 to 1, with which a deviation gives an error rate; as `sigma_for_rber`.

        Raises:
            ConfigError: no step does, with the number of the element.
        """
        return mapped(
            lambda sigma, rber: self._inner.step_for_rber(sigma, rber, reading), sigma, rber
        )

    def slowdown(self, step: ArrayLike) -> Floats:
        """Time of a program with a step, relative to that at the reference step.

        Raises:
            ConfigError: a step outside (0, 2).
        """
        return mapped(self._inner.slowdown, step)

    def retention(
        self, cycles: ArrayLike, *, corrected: float = 0.0112, temperature: float = 30.0
    ) -> Floats:
        """Seconds for which a nominal block keeps data without power, by program/erase cycles: until its worst page has more errors than a code corrects.

        Args:
            cycles: program/erase cycles.
            corrected: raw bit error rate up to which pages are corrected; by default what the published LDPC code does.
            temperature: degrees Celsius; `cell.retention` says how heat ages data.

        Raises:
            ConfigError: a value that is not accepted.
        """
        law = partial(self._inner.retention, corrected=corrected, celsius=temperature)
        return mapped(law, cycles)

    def rber(
        self,
        *,
        cycles: ArrayLike | None = None,
        age_days: ArrayLike = 0.0,
        factor: ArrayLike = 1.0,
        reads: ArrayLike | None = None,
        inhibited: ArrayLike | None = None,
        adjacent: ArrayLike | None = None,
        pass_programs: ArrayLike | None = None,
        step: float | None = None,
        page: int | None = None,
    ) -> Floats:
        """Bit error rate of pages, as a drive sees it: of what `rated` says.

        Args:
            cycles: program/erase cycles; those of the description without any.
            age_days: days since the page was programmed.
            factor: factor of the block, 1 for a nominal one.
            reads: reads since the erase; those of the description without any.
            inhibited: later programs of the page's layer of word lines; those of the description without any.
            adjacent: later programs of the layers above and below; likewise.
            pass_programs: later programs of all other layers of the block; likewise.
            step: program step of the page; `step` of the description without one.
            page: which page of its cells, from 0; only asked for with `cell.rber.by_page_type`.

        Within 1e-6 of what the equations give where the step is not the reference.

        Raises:
            ConfigError: a number out of its range, with the number of the element; no page where each has its own
                rate.
        """
        if page is None:
            if self._inner.shared is None:
                raise ConfigError(
                    f"page: not given, though cell.rber.by_page_type gives each page its own rate; accepted are 0 to "
                    f"{self.bits - 1}"
                )
            page = 0
        counted("page", page, self.bits - 1, least=0)
        return mapped(
            partial(self._inner.rber, step=step, page=page),
            self.cycles if cycles is None else cycles,
            age_days,
            factor,
            *self._disturbances(reads, inhibited, adjacent, pass_programs),
        )

    def _disturbances(
        self,
        reads: ArrayLike | None,
        inhibited: ArrayLike | None,
        adjacent: ArrayLike | None,
        pass_programs: ArrayLike | None,
    ) -> tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike]:
        """Reads and later programs, those of the description where none are given."""
        described = (self.reads, *self.later_programs)
        given = (reads, inhibited, adjacent, pass_programs)
        one, two, three, four = (
            of_file if value is None else value
            for of_file, value in zip(described, given, strict=True)
        )
        return one, two, three, four

    def factors(self, blocks: ArrayLike, *, seed: int = 1) -> Floats:
        """Factors of blocks by their index; they depend on seed and index only.

        Args:
            blocks: indices.
            seed: seed of the run; `cell.process_variation.seed` replaces it if set.

        Raises:
            ConfigError: an index that is not a whole number from 0 on.
        """
        counted("seed", seed, MOST_SEED, least=0)
        index = np.asarray(blocks)
        if index.dtype.kind not in "iu" or (index.size and index.min() < 0):
            raise ConfigError("blocks: accepted are whole numbers from 0")
        flat = np.ascontiguousarray(index, np.uint64).ravel()
        return self._inner.factors(flat, seed).reshape(index.shape)

    def quantile(self, share: ArrayLike) -> Floats:
        """Factor below which a share of all blocks lies.

        Raises:
            ConfigError: a share outside 0 to 1.
        """
        return mapped(self._inner.quantiles, share)

    def share_below(self, factor: ArrayLike) -> Floats:
        """Share of all blocks below a factor.

        Raises:
            ConfigError: a factor outside 0 to 1000.
        """
        return mapped(self._inner.shares_below, factor)

    @property
    def variation(self) -> dict[str, float]:
        """Bounds, mean and deviation of the block factors."""
        return dict(zip(("low", "high", "mean", "sd"), self._inner.variation, strict=True))

    def classes(
        self, quantiles: Sequence[float] = (0.25,), *, cycles: int | None = None
    ) -> list[BlockClass]:
        """Classes of blocks, strongest first, and the largest program step of each.

        At this step the error rate of the class, at the design age, is that of the weakest block programmed with `step`.

        Raises:
            ConfigError: quantiles that do not rise between 0 and 1, cycles that are no whole number up to 100 million,
                or error rates that no step can keep.
        """
        if cycles is not None:
            counted("cycles", cycles, MOST_CYCLES, least=0)
        found = self._inner.classes(self.cycles if cycles is None else cycles, list(quantiles))
        return [BlockClass(*each) for each in found]

    def _shape(self, step: float | None, sigma: float | None) -> tuple[float, float]:
        return (self.step if step is None else step, self.sigma if sigma is None else sigma)

    def _repr_html_(self) -> str:
        rows = [
            {"bit error rate": page_name(name)}
            | {
                f"after {days:g} days": float(self.rber(age_days=days, page=page))
                for days in (0.0, 1.0, self.design_days)
            }
            for name, page in self.rated.items()
        ]
        return view(self, rows)

    def __repr__(self) -> str:
        return f"<Cells of {self.bits} bits, {self.model}, {self.cycles:,} cycles>"


def page_name(page: str) -> str:
    """A page of a cell, or the number that stands for all of them, in words."""
    return page.replace("_", " ") if page in READINGS else f"{page} page"


def cell_names() -> list[str]:
    """Names of the built-in cells."""
    return [cells["name"] for cells in _wordline.cells()]
