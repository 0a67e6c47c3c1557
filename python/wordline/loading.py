"""Results that were saved, from their directories."""

from __future__ import annotations

import os
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordline.columns import TABLES
from wordline.errors import ResultError
from wordline.parsing import json_of, toml_of
from wordline.results import Result, Scalar
from wordline.saving import CONFIG, REMARKS, SEED_NAME, SEEDS, SUMMARY

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from wordline import _wordline


PARQUET = b"PAR1"
"""What a file of this format begins and ends with."""


class Saved:
    """What a run measured, read from its directory; a table is read when it is asked for."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.summary: dict[str, Scalar] = read_json(directory / SUMMARY)
        if not (
            "host.requests" in self.summary
            and all(isinstance(value, Scalar) for value in self.summary.values())
        ):
            raise ResultError(f"{directory / SUMMARY}: is not the summary of a run")
        remarks = read_json(directory / REMARKS) if (directory / REMARKS).exists() else {}
        try:
            self.version: str | None = remarks.get("wordline")
            self.warnings = tuple(map(str, remarks.get("warnings", ())))
            self.notes: list[_wordline.Note] = [
                {
                    "severity": str(note["severity"]),
                    "key": str(note["key"]),
                    "text": str(note["text"]),
                }
                for note in remarks.get("notes", ())
            ]
        except (KeyError, TypeError) as error:
            raise ResultError(
                f"{directory / REMARKS}: is damaged: the notes are not as a run writes them"
            ) from error

    def table(self, name: str) -> pl.DataFrame:
        """A table of the run.

        Raises:
            ResultError: the file is missing, damaged, or of another version.
        """
        import polars as pl

        file = self.directory / f"{name}.parquet"
        try:
            with file.open("rb") as stream:
                frame = pl.read_parquet(stream)
        except FileNotFoundError as error:
            raise ResultError(
                f"{file}: is missing; an earlier version of Wordline may not have written it: "
                f"`wordline run {self.directory / CONFIG}` repeats the run"
            ) from error
        except (OSError, pl.exceptions.PolarsError) as error:
            raise ResultError(f"{file}: cannot be read: {error}") from error
        schema = TABLES[name].schema()
        again = f"`wordline run {self.directory / CONFIG}` repeats the run"
        if missing := [name for name in schema if name not in frame.columns]:
            raise ResultError(
                f"{file}: has no column {missing[0]}; another version of Wordline wrote it: {again}"
            )
        try:
            return frame.cast(schema)
        except pl.exceptions.PolarsError as error:
            raise ResultError(
                f"{file}: has columns of other types; another version of Wordline wrote it: {again}"
            ) from error

    def __getattr__(self, name: str) -> pl.DataFrame:
        if name not in TABLES:
            raise AttributeError(name)
        return self.table(name)

    @cached_property
    def latency(self) -> dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Latency distributions by class, as the simulator gives them."""
        import polars as pl

        frame = self.table("distribution")
        parts = {kind: frame.filter(pl.col("class") == kind) for kind in ("read", "write", "all")}
        return {
            kind: (part["latency_us"].to_numpy(), part["share"].to_numpy())
            for kind, part in parts.items()
        }


def load(directory: str | PathLike[str]) -> Result:
    """The result of a run from the directory that `wordline run --out` or `Result.save` wrote.

    Raises:
        ResultError: the directory holds no result, or its result is damaged.
    """
    path = Path(directory)
    if (path / SEEDS).exists():
        names = ", ".join(run.name for run in runs_of_seeds(path))
        raise ResultError(f"{path}: holds the runs of several seeds; load one of {names}")
    return load_run(path)


def refuse_cut_off(directory: Path) -> None:
    """Refuse the tables of a run that are not whole: what ends in the middle, or begins as something else.

    Raises:
        ResultError: which.
    """
    for file in (directory / f"{name}.parquet" for name in TABLES):
        try:
            with file.open("rb") as stream:
                begin = stream.read(len(PARQUET))
                size = stream.seek(0, os.SEEK_END)
                stream.seek(max(0, size - len(PARQUET)))
                end = stream.read()
        except FileNotFoundError:  # of an earlier version
            continue
        except OSError as error:
            raise ResultError(f"{file}: cannot be read: {error.strerror}") from error
        if size < 2 * len(PARQUET) or not begin == end == PARQUET:
            raise ResultError(
                f"{file}: is cut off, or no Parquet table; `wordline run {directory / CONFIG}` repeats the run"
            )


def load_run(path: Path) -> Result:
    """The result of one run."""
    if not path.exists():
        raise ResultError(
            f"{path}: there is no such folder; `wordline run DRIVE --out {path}` makes it, with the result of a run"
        )
    if not path.is_dir():
        raise ResultError(
            f"{path}: is a file; accepted is the folder that `wordline run DRIVE --out FOLDER` wrote"
        )
    if missing := [name for name in (SUMMARY, CONFIG) if not (path / name).exists()]:
        raise ResultError(
            f"{path}: holds no {missing[0]}, so it is not the result of a run; `wordline run DRIVE --out FOLDER` makes one"
        )
    saved = Saved(path)
    config = read_text(path / CONFIG)
    try:
        toml_of(config)
    except ValueError as error:
        raise ResultError(f"{path / CONFIG}: is damaged: {error}") from error
    return Result(saved, config, saved.warnings, saved.version)


def load_seeds(directory: Path) -> tuple[Result, ...]:
    """The results of a directory: one for each of its seeds, in their order, or the only one.

    Raises:
        ResultError: the directory holds no result, or its result is damaged.
    """
    runs = runs_of_seeds(directory) if (directory / SEEDS).exists() else [directory]
    results = tuple(map(load_run, runs))
    for run in runs:
        refuse_cut_off(run)
    return results


def runs_of_seeds(directory: Path) -> list[Path]:
    """The directories of the seeds, in their order.

    Raises:
        ResultError: there are none.
    """
    found = [
        (int(match[1]), entry)
        for entry in directory.iterdir()
        if (match := SEED_NAME.fullmatch(entry.name))
    ]
    if not found:
        raise ResultError(f"{directory}: holds {SEEDS}, but the run of no seed")
    return [entry for _, entry in sorted(found)]


def read_json(file: Path) -> dict[str, Any]:
    """An object from a file of JSON."""
    try:
        value = json_of(read_text(file))
    except ValueError as error:
        raise ResultError(f"{file}: is damaged: {error}") from error
    if not isinstance(value, dict):
        raise ResultError(f"{file}: is damaged: it holds no JSON object")
    return value


def read_text(file: Path) -> str:
    """The text of a file."""
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ResultError(f"{file}: cannot be read: {error}") from error
