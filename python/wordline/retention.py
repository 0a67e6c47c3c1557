"""How long cells keep data, from program/erase stress, rest and temperature (FENCE)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from numpy.typing import ArrayLike

from wordline import _wordline
from wordline.arrays import Floats, mapped
from wordline.errors import ConfigError
from wordline.notebook import view

DAY = 86_400.0
"""Seconds of a day."""
YEAR = 365 * DAY
"""Seconds of a year."""
MONTH = YEAR / 12
"""Seconds of a month: the twelfth of a year, 30 days and 10 hours."""

LEVEL_GAPS = {"slc": 1.70, "mlc": 0.65}
"""Threshold gap that stores one level, in volts."""


class RetentionModel:
    """How long a cell keeps its data; immutable.

    Wear is counted in *equivalent events*: the stress events without idle intervals (rests) that would leave the same trapped charge.
    Arguments are numbers or arrays, which are broadcast against each other; results are arrays of the broadcast
    shape. Rests are in seconds, temperatures in degrees Celsius.
    """

    def __init__(
        self,
        cell: str | float = "slc",
        *,
        heat_heals: bool = False,
        barrier: Sequence[tuple[float, float]] | None = None,
        allow_thick_oxide: bool = False,
        constants: Mapping[str, float] | None = None,
    ) -> None:
        """Make a model.

        Args:
            cell: `"slc"`, `"mlc"`, or the threshold gap that stores one level in volts.
            heat_heals: whether heat speeds the recovery of resting cells; an extension.
            barrier: heights of the reduced barrier, as pairs of equivalent events and electronvolts.
            allow_thick_oxide: accept tunnel oxides of 13 nm and more.
            constants: constants of the cell that differ from those of 80 nm NAND, by name
                (`cell_constants`).

        Raises:
            ConfigError: no such cell or constant, or a value outside its range.
        """
        self._made = (cell, heat_heals, barrier, allow_thick_oxide, dict(constants or {}))
        self.level_gap = level_gap(cell)
        """Threshold gap that stores one level, in volts."""
        self._inner = _wordline.RetentionModel(
            self.level_gap,
            heat_heals,
            list((constants or {}).items()),
            None if barrier is None else [(float(events), float(ev)) for events, ev in barrier],
            allow_thick_oxide,
        )

    def __reduce__(self) -> tuple[partial[RetentionModel], tuple[()]]:
        cell, heat_heals, barrier, allow_thick_oxide, constants = self._made
        made = partial(
            type(self),
            cell,
            heat_heals=heat_heals,
            barrier=barrier,
            allow_thick_oxide=allow_thick_oxide,
            constants=constants,
        )
        return made, ()

    def _repr_html_(self) -> str:
        cycles = (100, 1_000, 10_000, 100_000)
        rows = [
            {"program/erase cycles": each, "retention at 30 °C without rest (years)": years}
            for each, years in zip(
                cycles, self.retention_curve(0.0, 30.0, cycles) / YEAR, strict=True
            )
        ]
        return view(self, rows)

    def __repr__(self) -> str:
        return f"<RetentionModel of a level gap of {self.level_gap:g} V>"

    def vth_trapped(self, events: ArrayLike) -> Floats:
        """Threshold shift by trapped charge in volts, before recovery.

        Raises:
            ConfigError: events that are negative or not finite.
        """
        return mapped(self._inner.vth_trapped, events)

    def equivalent_events_for(self, vth: ArrayLike) -> Floats:
        """Equivalent events that trap so many volts: the inverse of `vth_trapped`.

        Raises:
            ConfigError: volts that are negative or not finite.
        """
        return mapped(self._inner.equivalent_events_for, vth)

    def vth_recovered(self, events: ArrayLike, rest: ArrayLike) -> Floats:
        """Threshold shift in volts that one idle interval (rest) recovers.

        Raises:
            ConfigError: events or a rest that is negative or not finite.
        """
        return mapped(self._inner.vth_recovered, events, rest)

    def events_per_equivalent(self, events: ArrayLike, rest: ArrayLike) -> Floats:
        """Real events for one equivalent event, in cycling with a constant rest at 30 °C.

        Raises:
            ConfigError: events or a rest that is negative or not finite.
        """
        return mapped(self._inner.events_per_equivalent, events, rest)

    def silc_current(self, events: ArrayLike) -> Floats:
        """Leakage current density in A/m².

        Raises:
            ConfigError: events that are negative or not finite.
        """
        return mapped(self._inner.silc_current, events)

    def retention(
        self, events: ArrayLike, rest: ArrayLike, temperature: ArrayLike = 30.0
    ) -> Floats:
        """Retention in seconds of data written now.

        Raises:
            ConfigError: events or a rest that is negative or not finite, a temperature outside -40 to 150 °C.
        """
        return mapped(self._inner.retention, events, rest, temperature)

    def retention_curve(self, rest: float, temperature: float, cycles: ArrayLike) -> Floats:
        """Retention in seconds after program/erase cycles with a constant rest before every event.

        Raises:
            ConfigError: cycles or a rest that is negative or not finite, a temperature outside -40 to 150 °C.
        """
        return mapped(lambda column: self._inner.retention_curve(rest, temperature, column), cycles)

    def wear_curve(self, rest: float, temperature: float, cycles: ArrayLike) -> Floats:
        """Equivalent events after program/erase cycles with a constant rest before every event.

        Raises:
            ConfigError: cycles or a rest that is negative or not finite, a temperature outside -40 to 150 °C.
        """
        return mapped(lambda column: self._inner.wear_curve(rest, temperature, column), cycles)

    def cycles_to_retention(
        self, threshold: ArrayLike, rest: ArrayLike, temperature: ArrayLike = 30.0
    ) -> Floats:
        """Program/erase cycles until retention falls below a number of seconds.

        Not a number where the retention of a new cell is below it.

        Raises:
            ConfigError: a threshold that is not above 0, a rest that is negative or not finite, a temperature outside
                -40 to 150 °C.
        """
        return mapped(self._inner.cycles_to_retention, threshold, rest, temperature)

    def shortest_rest(
        self, cycles: float, threshold: float, temperature: float = 30.0
    ) -> float | None:
        """The shortest rest before every event with which data last `threshold` seconds after `cycles`.

        `None` if no rest up to 10⁹ s is sufficient.

        Raises:
            ConfigError: cycles that are negative or not finite, a threshold that is not above 0, a temperature outside
                -40 to 150 °C.
        """
        if self.lasts(cycles, threshold, 0.0, temperature):
            return 0.0
        longest = 1e9
        if not self.lasts(cycles, threshold, longest, temperature):
            return None
        # rests of a second and less free nothing
        found = bisected(
            lambda ln: not self.lasts(cycles, threshold, math.exp(ln), temperature),
            0.0,
            math.log(longest),
        )
        return math.exp(found)

    def highest_temperature(self, cycles: float, threshold: float, rest: float) -> float | None:
        """The highest temperature, up to 150 °C, at which data last `threshold` seconds after `cycles`.

        `None` if they do not even at -40 °C. With `heat_heals`, retention may rise with temperature; the result is then the
        temperature above which data no longer last.

        Raises:
            ConfigError: cycles or a rest that is negative or not finite, a threshold that is not above 0.
        """
        if self.lasts(cycles, threshold, rest, 150.0):
            return 150.0
        if not self.lasts(cycles, threshold, rest, -40.0):
            return None
        return bisected(lambda celsius: self.lasts(cycles, threshold, rest, celsius), -40.0, 150.0)

    def lasts(self, cycles: float, threshold: float, rest: float, temperature: float) -> bool:
        """Whether data last `threshold` seconds after `cycles`.

        Raises:
            ConfigError: cycles or a rest that is negative or not finite, a threshold that is not above 0, a temperature
                outside -40 to 150 °C.
        """
        if not 0 < threshold < math.inf:
            raise ConfigError(f"threshold = {threshold} s: accepted are finite times above 0 s")
        return bool(self.retention_curve(rest, temperature, [cycles])[0] >= threshold)


def level_gap(cell: str | float) -> float:
    """The gap of a kind of cell in volts.

    Raises:
        ConfigError: there is no such kind.
    """
    if not isinstance(cell, str):
        return float(cell)
    if cell in LEVEL_GAPS:
        return LEVEL_GAPS[cell]
    try:
        return float(cell.removesuffix("V"))
    except ValueError as error:
        hint = _wordline.did_you_mean(cell, list(LEVEL_GAPS))
        raise ConfigError(
            f"cell = {cell!r}: {hint}accepted are {', '.join(LEVEL_GAPS)} and a gap such as '1.2 V'"
        ) from error


def cell_constants() -> list[tuple[str, str, float, str, str]]:
    """The constants of a cell: name, unit, value for 80 nm NAND, source, meaning."""
    return _wordline.cell_constants()


def bisected(holds: Callable[[float], bool], low: float, high: float) -> float:
    """The last place at which `holds`, which does at `low` and not at `high`."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
