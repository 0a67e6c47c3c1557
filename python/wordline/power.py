"""Chips, and what every read, program and erase of theirs costs in energy (FlashPower)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordline import _wordline
from wordline.config import counted
from wordline.described import Described
from wordline.errors import ConfigError
from wordline.formatting import quantity, unit_of
from wordline.notebook import view

OPERATIONS = ("read", "program", "erase")
MOST_PLANES = MOST_PAGES = 2**32 - 1

Columns = dict[str, NDArray[np.float64]]


@dataclass(frozen=True, repr=False)
class Energy:
    """The energy of an operation in joules."""

    parts: Mapping[str, float]
    """Joules by component; they sum to the total."""

    @property
    def total(self) -> float:
        """The sum of the components."""
        return sum(self.parts.values())

    @property
    def tunnelling_share(self) -> float:
        """The share of tunnelling, which is a fit and not physics, 0 to 1."""
        return self.parts["tunnelling"] / self.total if self.total else 0.0

    def _repr_html_(self) -> str:
        unit, scale = unit_of(self.parts.values(), "J")
        return view(
            self, [{"part": part, unit: scale * joules} for part, joules in self.parts.items()]
        )

    def __repr__(self) -> str:
        return f"<Energy of {quantity(self.total, 'J')}>"


@dataclass(frozen=True)
class StateEnergy:
    """The energy of one power state."""

    operation: str
    """`read`, `program` or `erase`."""
    state: str
    """Name of the state, such as `slow 01`."""
    seconds: float
    """How long the operation takes."""
    energy: Energy
    """Its energy."""

    @property
    def watts(self) -> float:
        """Mean power of the operation."""
        return self.energy.total / self.seconds


@dataclass(frozen=True)
class PageEnergy(StateEnergy):
    """The energy of an operation on pages that hold a share of ones; its state is the kind of page."""

    data_bits: int
    """Data bits that are read, programmed or erased, without spare bytes."""

    @property
    def joules_per_bit(self) -> float:
        """Joules for each data bit."""
        return self.energy.total / self.data_bits


@dataclass(frozen=True)
class Measured:
    """A measured energy, to calibrate a chip with."""

    operation: Literal["read", "program", "erase"]
    """What was measured."""
    joules: float
    """Its energy."""
    kind: str | None = None
    """Kind of page; the first without one."""
    ones: float = 0.0
    """Share of ones in the page; in an erased block, of cells that were erased already."""
    settings: Mapping[str, float] | None = None
    """Inputs that differ in this measurement, as arrays name them."""

    def __post_init__(self) -> None:
        """Check what was measured.

        Raises:
            ConfigError: no such operation, an energy that is not above 0, or a share outside 0 to 1.
        """
        if self.operation not in OPERATIONS:
            raise ConfigError(
                f"operation = {self.operation!r}: accepted are {', '.join(OPERATIONS)}"
            )
        if not 0 < self.joules < math.inf:
            raise ConfigError(f"joules = {self.joules}: accepted are finite energies above 0 J")
        if not 0 <= self.ones <= 1:
            raise ConfigError(f"ones = {self.ones}: accepted are shares from 0 to 1")


@dataclass(frozen=True)
class Calibrated:
    """A chip fitted to measured energies."""

    chip: Chip
    """The chip with the values found."""
    values: Mapping[str, float]
    """The values found, by key."""
    residuals: Sequence[float]
    """Model over measurement minus one, for each measurement."""


class Chip(Described):
    """A chip and the energies of its operations; immutable."""

    _make = _wordline.Chip
    _inner: _wordline.Chip

    @property
    def name(self) -> str:
        """What the chip is called."""
        return self._inner.name

    @property
    def advisories(self) -> list[str]:
        """What to know before trusting the numbers, one sentence each."""
        return self._inner.advisories

    @property
    def kinds(self) -> list[str]:
        """The kinds of page, in the order in which they are programmed."""
        return self._inner.kinds

    @property
    def cells(self) -> int:
        """Cells of a page."""
        return round(self._inner.cells)

    @property
    def capacity_bits(self) -> int:
        """Bits of the chip, including spare bytes."""
        return round(self._inner.capacity_bits)

    @property
    def states(self) -> dict[str, list[str]]:
        """Names of the read, program and erase states."""
        return dict(zip(OPERATIONS, self._inner.states(), strict=True))

    def read(
        self,
        kind: str | None = None,
        *,
        ones: float | None = None,
        programmed: bool = True,
        planes: int = 1,
    ) -> Energy:
        """The energy of a read.

        Args:
            kind: kind of page (`kinds`); the first without one.
            ones: share of ones in the page; the chip's `workload.ones` without one.
            programmed: false for a page that was never programmed, which reads as all ones.
            planes: planes of the die that read at once.

        Raises:
            ConfigError: a kind, a share or planes that the chip does not have.
        """
        share = (self._inner.ones if ones is None else ones) if programmed else None
        return Energy(
            self._inner.read(
                self.kinds[0] if kind is None else kind,
                share,
                counted("planes", planes, MOST_PLANES),
            )
        )

    def program(
        self,
        kind: str | None = None,
        *,
        ones: float | None = None,
        states: Mapping[str, float] | None = None,
        planes: int = 1,
    ) -> Energy:
        """The energy of a program.

        Args:
            kind: kind of page (`kinds`); the first without one.
            ones: share of ones in the page, the pages below it half ones and independent; the chip's
                `workload.ones` without one.
            states: cells in each program state (`slow 01`), in place of `ones`; they add up to `cells`.
            planes: planes of the die that program at once.

        Raises:
            ConfigError: a kind, counts or planes that the chip does not have.
        """
        share = self._inner.ones if ones is None else ones
        counts = None if states is None else list(states.items())
        return Energy(
            self._inner.program(
                self.kinds[0] if kind is None else kind,
                share,
                counts,
                counted("planes", planes, MOST_PLANES),
            )
        )

    def erase(self, *, programmed: float = 1.0, planes: int = 1) -> Energy:
        """The energy of an erase of a block in which a share of the cells is programmed.

        Raises:
            ConfigError: a share or planes that the chip does not have.
        """
        return Energy(self._inner.erase(programmed, counted("planes", planes, MOST_PLANES)))

    def energies(self) -> list[StateEnergy]:
        """The energy of every power state.

        Reads of programmed pages hold the chip's `workload.ones`; in a program all cells of the page
        are in the state; the erased block is completely programmed.
        """
        return [
            StateEnergy(operation, state, seconds, Energy(parts))
            for operation, state, seconds, parts in self._inner.energies()
        ]

    def pages(self, ones: float = 0.5) -> list[PageEnergy]:
        """The energy of reads and programs by kind of page, of a program of all pages of a word line in one sequence, and of an erase.

        Args:
            ones: share of ones in every page, independent of the other pages of its cells; data that are compressed or
                encrypted are half ones. A cell of the erased block is programmed unless all its pages hold a 1.

        The state `full sequence` is left out for cells of one bit, and where its pulses by default would be out of range
        (`advisories` says so).

        Raises:
            ConfigError: a share outside 0 to 1.
        """
        return [
            PageEnergy(operation, page, seconds, Energy(parts), round(bits))
            for operation, page, seconds, bits, parts in self._inner.pages(ones)
        ]

    def pulses(self, operation: Literal["program", "erase"], kind: str | None = None) -> Columns:
        """The pulses of a program of a kind of page, or of an erase.

        Columns: `volts`, `field` (V/m), `current_density` (A/m²) and `tunnelling`, joules of a cell for each
        volt of threshold shift.

        Raises:
            ConfigError: no such operation or kind of page.
        """
        if operation == "program":
            kind = self.kinds[0] if kind is None else kind
        return self._inner.pulses(operation, kind)

    @property
    def circuit(self) -> dict[str, float]:
        """Capacitances, lengths and energies of the array, in SI units."""
        return self._inner.circuit()

    def page(self, page: int) -> tuple[str, int, list[int]]:
        """Kind and word line of a page of a block, and the other pages of its cells.

        Raises:
            ConfigError: a page outside the block.
        """
        return self._inner.page(counted("page", page, MOST_PAGES, least=0))

    def sweep(self, variables: Mapping[str, ArrayLike], *, parts: bool = False) -> Columns:
        """The energies of many variants of the chip at once.

        Args:
            variables: an array of numbers by dotted key, all of one length; variant i has the i-th value
                of each. Numbers are in the unit that the reference of chip files gives.
            parts: have the components as columns too.

        Returns:
            The variables, and joules by variant as `program.slow 01`; with `parts` also
            `program.slow 01.tunnelling`. A state that a variant does not have is not a number.

        The interpreter lock is released while it lasts.

        Raises:
            ConfigError: an unknown key, or a variant that is refused, with its number.
        """
        arrays = {key: column(key, values) for key, values in variables.items()}
        return arrays | self._inner.sweep(list(arrays.items()), parts)

    def grid(self, axes: Mapping[str, ArrayLike], *, parts: bool = False) -> Columns:
        """As `sweep`, for every combination of the values of the axes; the last axis is the fastest.

        Raises:
            ConfigError: an unknown key, or a variant that is refused, with its number.
        """
        values = [column(key, axis) for key, axis in axes.items()]
        mesh = np.meshgrid(*values, indexing="ij") if values else []
        arrays = {key: axis.ravel() for key, axis in zip(axes, mesh, strict=True)}
        return self.sweep(arrays, parts=parts)

    def calibrate(
        self,
        start: Mapping[str, float],
        measured: Iterable[Measured],
        *,
        tolerance: float = 0.1,
    ) -> Calibrated:
        """Fit inputs to measured energies: least squares of the logarithm of model over measurement.

        Args:
            start: the inputs to find, each with the value to start from, in the units of arrays.
            measured: at least as many measurements as inputs.
            tolerance: by which share of a measurement the best fit may miss it; `math.inf` for any.

        Raises:
            ConfigError: measurements that do not determine the inputs, or one that the best fit misses by more than
                `tolerance`: no values of the inputs give it.
        """
        rows: list[tuple[str, str | None, float, list[tuple[str, float]], float]] = [
            (
                each.operation,
                each.kind,
                1.0 - each.ones if each.operation == "erase" else each.ones,
                list((each.settings or {}).items()),
                each.joules,
            )
            for each in measured
        ]
        inner, values, residuals = self._inner.calibrate(list(start.items()), rows, tolerance)
        return Calibrated(Chip(inner), dict(zip(start, values, strict=True)), residuals)

    def _repr_html_(self) -> str:
        energies = self.energies()
        unit, scale = unit_of((each.energy.total for each in energies), "J")
        of_power, per_watt = unit_of((each.watts for each in energies), "W")
        rows = [
            {
                "operation": each.operation,
                "state": each.state,
                f"energy ({unit})": scale * each.energy.total,
                f"power ({of_power})": per_watt * each.watts,
            }
            for each in energies
        ]
        return view(self, rows)

    def __repr__(self) -> str:
        return f"<Chip {self.name}>"


def column(key: str, values: ArrayLike) -> NDArray[np.float64]:
    """The values of a variable.

    Raises:
        ConfigError: they are no numbers, or not in one dimension.
    """
    try:
        array = np.ascontiguousarray(values, np.float64)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{key}: {error}; accepted are numbers") from error
    if array.ndim != 1:
        raise ConfigError(f"{key}: an array of {array.ndim} dimensions; accepted is one dimension")
    return array


def chip_names() -> list[str]:
    """Names of the built-in chips."""
    return [chip["name"] for chip in _wordline.chips()]
