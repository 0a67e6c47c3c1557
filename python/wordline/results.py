"""What a run gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from wordline import _wordline
from wordline.columns import ABSENT, TABLES
from wordline.formatting import counted
from wordline.notes import Note
from wordline.saving import ResultDirectory
from wordline.stories import stories

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from wordline.kept import Kept
    from wordline.loading import Saved
    from wordline.plotting import Plots

Scalar: TypeAlias = int | float | str | bool | None


@dataclass(frozen=True, repr=False)
class Distribution:
    """A cumulative distribution of request latencies."""

    value_us: NDArray[np.float64]
    """Latencies in microseconds, ascending."""
    fraction: NDArray[np.float64]
    """Share of the requests that took no longer."""

    def __repr__(self) -> str:
        return f"<Distribution of {counted(len(self.value_us), 'point')}>"


class Totals(dict[str, Scalar]):
    """The totals of a run; a key that is not there is named with those that are like it."""

    def __missing__(self, key: str) -> Scalar:
        """Refuse a key.

        Raises:
            KeyError: always.
        """
        begun = [known for known in self if known.startswith(key)]
        near = begun[:3] or get_close_matches(key, self, n=3)
        hint = f"; did you mean {', '.join(near)}?" if near else ""
        raise KeyError(f"{key} is no key of the summary{hint}")


class Result:
    """The results of one run, tied to the configuration that gave them."""

    def __init__(
        self,
        output: _wordline.Output | Saved | Kept,
        config: str,
        warnings: tuple[str, ...] = (),
        version: str | None = _wordline.__version__,
    ) -> None:
        self._output = output
        self.config = config
        """The complete configuration, as TOML: `Drive.from_text(result.config)` runs it again."""
        self.warnings = warnings
        """Warnings about unusual values in the configuration."""
        self.version = version
        """The version of Wordline that ran it; `None` where a saved result does not say."""

    @cached_property
    def summary(self) -> Mapping[str, Scalar]:
        """Every total of the run, by dotted name (see the reference page of summary keys)."""
        return Totals(self._output.summary)

    def number(self, key: str) -> float:
        """A figure of the summary as a number, so that it can be reckoned with.

        Raises:
            KeyError: there is no such key, or its value is no number in this run.
        """
        value = self.summary[key]
        if isinstance(value, bool) or not isinstance(value, int | float):
            found = "missing in this run" if value is None else f"{value!r}"
            raise KeyError(f"{key} is {found}, not a number")
        return float(value)

    @property
    def is_interrupted(self) -> bool:
        """Whether the user stopped the run: its figures are then those of the requests sent until there."""
        return self.summary.get("run.interrupted") is True

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """What to know before trusting the numbers, the most important first."""
        return tuple(Note(**note) for note in self._output.notes)

    @cached_property
    def latency(self) -> Mapping[str, Distribution]:
        """Latency distributions of `read`, `write` and `all` requests."""
        return {name: Distribution(*columns) for name, columns in self._output.latency.items()}

    @cached_property
    def distribution(self) -> pl.DataFrame:
        """`latency` as a table: one row per point of a distribution."""
        import polars as pl

        # a class without requests has no point, of which Polars could tell no type
        schema = TABLES["distribution"].schema()
        rows = {
            name: {
                "class": [name] * len(each.value_us),
                "latency_us": each.value_us,
                "share": each.fraction,
            }
            for name, each in self.latency.items()
        }
        return pl.concat([pl.DataFrame(columns, schema) for columns in rows.values()])

    @cached_property
    def requests(self) -> pl.DataFrame:
        """One row per request, in order of acknowledgement (the first `output.request_log` of them)."""
        return frame("requests", self._output.requests)

    @cached_property
    def time_series(self) -> pl.DataFrame:
        """One row per window of simulated time."""
        return frame("time_series", self._output.time_series)

    @cached_property
    def modes(self) -> pl.DataFrame:
        """Modes over time: one row for each mode in each interval of the run; empty where the drive has one mode only."""
        return frame("modes", self._output.modes)

    @cached_property
    def start_levels(self) -> pl.DataFrame:
        """From which age of the data on reads start at each sensing level: one row for each level of each table, at the start of the run and at each
        change of the table; empty without `ecc.ldpc.start = "by_age"`.
        """
        return frame("start_levels", self._output.start_levels)

    @cached_property
    def temperature(self) -> pl.DataFrame:
        """Temperature of the drive over time, with its power and what it did about it; empty without `thermal.enabled`."""
        return frame("temperature", self._output.temperature)

    @cached_property
    def blocks(self) -> pl.DataFrame:
        """One row per physical block, at the end of the run."""
        return frame("blocks", self._output.blocks)

    @cached_property
    def attribution(self) -> pl.DataFrame:
        """Where response times went: one row per class, band of latency and part."""
        return frame("attribution", self._output.attribution)

    @cached_property
    def slowest(self) -> pl.DataFrame:
        """The slowest requests, slowest first, each with a description of what it waited for; empty if the timeline is off."""
        import polars as pl

        table = frame("slowest", self._output.slowest)
        if "story" in table.columns:  # as it was saved
            return table
        told = [str(story) for story in stories(self, table)]
        return table.with_columns(pl.Series("story", told, dtype=pl.String))

    @cached_property
    def slowest_parts(self) -> pl.DataFrame:
        """Where the time of the slowest requests went: one row for each request and part."""
        return frame("slowest_parts", self._output.slowest_parts)

    @cached_property
    def in_front(self) -> pl.DataFrame:
        """What the slowest requests waited for: one row per span."""
        return frame("in_front", self._output.in_front)

    @cached_property
    def timeline(self) -> pl.DataFrame:
        """An interval of the run in full: one row per span."""
        return frame("timeline", self._output.timeline)

    @cached_property
    def utilisation(self) -> pl.DataFrame:
        """How busy dies and channels were: one row for each of them and each interval of the run."""
        return frame("utilisation", self._output.utilisation)

    @property
    def plot(self) -> Plots:
        """The charts of the report, one by one."""
        from wordline.plotting import Plots

        return Plots(self)

    def explain(self) -> str:
        """Describe in sentences where the time of the median, the 99th and the 99.9th percentile went."""
        from wordline.explaining import explain

        return explain(self)

    def save(self, directory: str | PathLike[str], *, force: bool = False) -> Path:
        """Write the summary, the tables, the report and the configuration; return the directory.

        The files appear only once they are complete. An earlier result of the same configuration is
        replaced, one of another configuration only with `force`; any other directory that is not empty is refused.

        Raises:
            OutputError: the directory cannot be written, or holds files that are not an earlier result.
        """
        with ResultDirectory(directory, self.config, force=force) as target:
            return target.publish(self)

    def __reduce__(self) -> tuple[type[Result], tuple[Kept, str, tuple[str, ...], str | None]]:
        from wordline.kept import Kept

        return type(self), (Kept.of(self), self.config, self.warnings, self.version)

    def _repr_html_(self) -> str:
        """What a notebook shows: key figures, percentiles, notes."""
        from wordline.report.card import card

        return card(self)

    def __repr__(self) -> str:
        return f"<Result of {counted(int(self.number('host.requests')), 'request')}>"


def frame(name: str, columns: _wordline.Columns | pl.DataFrame) -> pl.DataFrame:
    """A table of a run as it is documented, from the columns of the simulator or as it was saved."""
    # Polars takes over the memory of contiguous NumPy columns: nothing is copied. Only the small
    # code columns become names, and what does not exist (NaN) becomes null.
    import polars as pl
    import polars.selectors as cs

    if isinstance(columns, pl.DataFrame):  # as it was saved
        return columns
    table = pl.DataFrame(columns)
    absent = cs.by_name(*ABSENT, require_all=False) & cs.signed_integer()
    table = table.with_columns(pl.when(absent >= 0).then(absent))
    documented = TABLES[name].schema()
    names = [
        pl.col(column).cat.to(kind)
        for column, kind in documented.items()
        if isinstance(kind, pl.Enum)
    ]
    return table.with_columns(cs.float().fill_nan(None), *names)
