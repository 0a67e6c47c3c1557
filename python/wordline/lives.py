"""Lifetime studies side by side: which drive lasts longer, why each ends, and what was different."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from wordline.comparison import Setting, names_of
from wordline.errors import ConfigError, ResultError
from wordline.formatting import flat
from wordline.lifetimes import Lifetime, LifetimeStudy
from wordline.notebook import view
from wordline.notes import Note
from wordline.retention import MONTH
from wordline.saving import write_text

Comparable: TypeAlias = "Life | tuple[Lifetime, LifetimeStudy] | str | PathLike[str]"

ANSWER, CONFIG, REPLICAS = "lifetime.json", "config.toml", "replicas.json"
"""Files of a kept study, and the one of studies with several seeds."""
OPTIONS = (
    *("cell", "required_s", "horizon_s", "every_s", "writes_per_day", "temperature_degc"),
    *("temperature_profile", "heat_heals", "tolerance", "samples", "variation"),
)
"""What a study was asked, as its JSON names it."""
NEEDED = ("required_s", "horizon_s", "life_s", "write_amplification", "snapshots")
"""What the JSON of a study must have."""
OF_SNAPSHOTS = ("time_s", "retention_p10_s", "erase_count_mean")
"""Columns of a snapshot that are compared."""

NOTES = {
    "different_requirements": "The studies require different retention or simulate different times",
    "different_workloads": "The studies differ in what the host did",
    "within_error": "Lives differ by less than the error of skipping time",
    "beyond_horizon": "A life is longer than the study",
}
"""Keys of the notes of comparisons of lives, and when each is given."""
WORK = ("workload.", "writes_per_day")
"""What keys of the host's work begin with."""


@dataclass(frozen=True)
class Life:
    """The life of one drive: a lifetime study, as its JSON and its configuration keep it."""

    name: str
    """Its name in the comparison."""
    answer: Mapping[str, Any]
    """The study as `lifetime.json` has it."""
    config: str
    """The complete drive and workload as TOML."""

    @classmethod
    def of(cls, name: str, found: Lifetime, asked: LifetimeStudy) -> Life:
        """The life of a study that was just done."""
        from wordline.report import lifetime as page

        return cls(name, page.answer(found, asked), found.config)

    @classmethod
    def load(cls, name: str, directory: Path) -> Life:
        """The life of a study that `wordline lifetime --out` kept.

        Raises:
            ResultError: there is none, or its files are damaged.
        """
        if not (directory / ANSWER).is_file():
            if (directory / REPLICAS).is_file():
                raise ResultError(
                    f"{directory}: holds studies with several seeds (--replicas); accepted are single lifetime studies"
                )
            raise ResultError(
                f"{directory}: holds no lifetime study ({ANSWER} is missing); accepted are directories that "
                "`wordline lifetime --out` wrote"
            )
        try:
            answer = json.loads((directory / ANSWER).read_text("utf-8"))
            config = (directory / CONFIG).read_text("utf-8")
            tomllib.loads(config)
            life = cls(name, answer, config)
            life.check()
        except (OSError, ValueError) as error:
            raise ResultError(f"{directory}: the study cannot be read: {error}") from error
        return life

    def check(self) -> None:
        """Check what a comparison needs.

        Raises:
            ValueError: it is missing, or of another kind.
        """
        if not isinstance(self.answer, dict):
            raise ValueError(f"{ANSWER} holds no table")
        for key in NEEDED:
            if key not in self.answer:
                raise ValueError(f"{ANSWER} has no {key}")
        for key in ("required_s", "horizon_s", "write_amplification"):
            if not is_number(self.answer[key]):
                raise ValueError(f"{key} = {self.answer[key]!r} in {ANSWER} is no number")
        ends = ("life_s", "samples.life_s", "life_error_s")
        for key in ends:
            if self.answer.get(key) is not None and not is_number(self.answer[key]):
                raise ValueError(f"{key} = {self.answer[key]!r} in {ANSWER} is no number")
        rows = self.answer["snapshots"]
        if not isinstance(rows, list) or not rows:
            raise ValueError(f"{ANSWER} has no snapshots")
        for row in rows:
            if not isinstance(row, dict) or not all(
                is_number(row.get(key)) for key in OF_SNAPSHOTS
            ):
                raise ValueError(f"a snapshot of {ANSWER} lacks {', '.join(OF_SNAPSHOTS)}")

    @cached_property
    def settings(self) -> Mapping[str, object]:
        """Options of the study and keys of its configuration; those of the age at its start too."""
        asked = {key: self.answer[key] for key in OPTIONS if self.answer.get(key) is not None}
        return dict(flat(asked)) | dict(flat(tomllib.loads(self.config)))

    @cached_property
    def ends(self) -> Mapping[str, float]:
        """The ends that were met, in seconds, by why the drive ends; empty where it lasts for the whole time. They are the same with and without refresh."""
        answer = self.answer
        found = {
            "a tenth of the blocks keeps data too short": answer["life_s"],
            "responses are too slow": answer.get("samples.life_s"),
        }
        return {why: float(life) for why, life in found.items() if life is not None}

    @property
    def seconds(self) -> float | None:
        """Seconds until the first end; `None` where the drive lasts for the whole time."""
        return min(self.ends.values(), default=None)

    @property
    def end(self) -> str:
        """Why the drive ends."""
        return min(self.ends, key=lambda why: self.ends[why], default="beyond the horizon")

    @property
    def error(self) -> float:
        """Error of the life by skipping time, in seconds; 0 where every write was simulated or nothing is known."""
        return float(self.answer.get("life_error_s") or 0.0)

    @property
    def horizon(self) -> float:
        """Seconds that were studied."""
        return float(self.answer["horizon_s"])

    def column(self, name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
        """A figure of every snapshot."""
        return np.array([row[name] for row in self.answer["snapshots"]], dtype=np.float64)

    @property
    def cycles(self) -> float:
        """Mean erases of a block when the drive ends, or at the horizon; between snapshots on a straight line."""
        at = self.horizon if self.seconds is None else self.seconds
        return float(np.interp(at, self.column("time_s"), self.column("erase_count_mean")))

    @property
    def retention(self) -> float:
        """Seconds for which nine in ten blocks keep data, at the last snapshot."""
        return float(self.column("retention_p10_s")[-1])


@dataclass(frozen=True)
class LivesComparison:
    """Lives side by side; all others are compared with the first."""

    lives: tuple[Life, ...]
    """The lives, in the order given; the first is the reference."""

    @cached_property
    def settings(self) -> tuple[Setting, ...]:
        """Options and keys that are not the same everywhere."""
        found = []
        for key in dict.fromkeys(key for life in self.lives for key in life.settings):
            values = tuple(life.settings.get(key) for life in self.lives)
            if any(value != values[0] for value in values):
                found.append(Setting(key, values))
        return tuple(found)

    @property
    def rows(self) -> list[dict[str, object]]:
        """A row for each life."""
        base = self.lives[0]
        return [
            {
                "life": life.name,
                "life (months)": None if life.seconds is None else life.seconds / MONTH,
                "compared with the first": None if life is base else relative(base, life),
                "end": life.end,
                "cycles by then": life.cycles,
                "write amplification": float(life.answer["write_amplification"]),
                "of it refresh": life.answer.get("write_amplification.refresh"),
                "90 % of blocks keep data, at the horizon (months)": life.retention / MONTH,
            }
            for life in self.lives
        ]

    @property
    def notes(self) -> tuple[Note, ...]:
        """What to know before trusting the differences."""
        return tuple(notes_of(self))

    def tree(self) -> dict[str, Any]:
        """Everything but the notes as JSON, times in seconds."""
        names = [life.name for life in self.lives]
        return {
            "lives": [
                {
                    "name": life.name,
                    "life_s": life.seconds,
                    "end": life.end,
                    "ends_s": dict(life.ends),
                    "error_s": life.error,
                    "horizon_s": life.horizon,
                    "cycles": life.cycles,
                    "write_amplification": life.answer["write_amplification"],
                    "write_amplification.refresh": life.answer.get("write_amplification.refresh"),
                    "retention_p10_s": life.retention,
                    "snapshots": [
                        {key: row[key] for key in OF_SNAPSHOTS} for row in life.answer["snapshots"]
                    ],
                }
                for life in self.lives
            ],
            "differences": [
                {"key": each.key} | dict(zip(names, each.values, strict=True))
                for each in self.settings
            ],
        }

    def html(self) -> str:
        """The comparison as one page that needs no network."""
        from wordline.report.lives import render

        return render(self)

    def save(self, file: str | PathLike[str]) -> Path:
        """Write the page; return its path.

        Raises:
            OutputError: the file cannot be written.
        """
        path = Path(file)
        write_text(path, self.html())
        return path

    def _repr_html_(self) -> str:
        return view(self, self.rows)

    def __repr__(self) -> str:
        return f"<LivesComparison of {', '.join(life.name for life in self.lives)}>"


def compare_lives(*given: Comparable) -> LivesComparison:
    """Compare lifetime studies with the first of them.

    Args:
        given: two or more of `Life`, pairs of a `Lifetime` and what was asked, or directories that `wordline lifetime --out` wrote.

    Raises:
        ResultError: a directory holds no lifetime study, or it is damaged.
        ConfigError: fewer than two.
    """
    if len(given) < 2:
        raise ConfigError(f"a comparison needs two lifetime studies or more; found {len(given)}")
    paths = [each for each in given if isinstance(each, str | PathLike)]
    names = iter(names_of(paths))
    lives = []
    for number, each in enumerate(given, 1):
        match each:
            case Life():
                lives.append(each)
            case (found, asked):
                lives.append(Life.of(f"life {number}", found, asked))
            case _:
                lives.append(Life.load(next(names), Path(each)))
    return LivesComparison(tuple(lives))


def holds_life(directory: Path) -> bool:
    """Whether a directory holds a lifetime study, of one seed or of several."""
    return (directory / ANSWER).is_file() or (directory / REPLICAS).is_file()


def relative(base: Life, life: Life) -> str:
    """How a life compares with the first: a factor, or which is longer where one is longer than its study."""
    if base.seconds is None and life.seconds is None:
        return "both beyond the horizon"
    if life.seconds is None:
        return f"over {life.horizon / base.seconds:.3g} times" if base.seconds else "longer"
    if base.seconds is None:
        return f"under {life.seconds / base.horizon:.3g} times"
    return f"{life.seconds / base.seconds:.3g} times" if base.seconds else "longer"


def notes_of(found: LivesComparison) -> Iterator[Note]:
    """What to know before trusting the differences."""
    keys = {each.key for each in found.settings}
    asked = sorted(keys & {"required_s", "horizon_s"})
    if asked:
        text = f"the studies differ in {' and '.join(asked)}: their lives have different ends"
        yield Note("warning", "different_requirements", text)
    work = sorted(key for key in keys if key.startswith(WORK) and not key.endswith(".seed"))
    if work:
        text = f"the hosts differ ({', '.join(work[:4])}): a difference of the drives cannot be told from one of their work"
        yield Note("warning", "different_workloads", text)
    base = found.lives[0]
    close = [
        life.name
        for life in found.lives[1:]
        if life.seconds is not None
        and base.seconds is not None
        and abs(life.seconds - base.seconds) < math.hypot(life.error, base.error)
    ]
    if close:
        text = f"{', '.join(close)}: the difference from {base.name} is smaller than the error of skipping time; --exact or a smaller --tolerance tells them apart"
        yield Note("warning", "within_error", text)
    beyond = [life.name for life in found.lives if life.seconds is None]
    if beyond:
        text = (
            f"{', '.join(beyond)}: longer than the time studied; a longer --horizon shows the end"
        )
        yield Note("info", "beyond_horizon", text)


def sentence(lives: Sequence[Life]) -> str:
    """Which drive lasts longest, in words."""
    ranked = sorted(lives, key=lambda life: math.inf if life.seconds is None else life.seconds)
    told = [f"{life.name} {duration(life)}" for life in ranked]
    return "Lives: " + ", ".join(told)


def duration(life: Life) -> str:
    """A life in words."""
    if life.seconds is None:
        return f"over {life.horizon / MONTH:.4g} months"
    return f"{life.seconds / MONTH:.4g} months ({life.end})"


def is_number(value: object) -> bool:
    """Whether a value of JSON is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
