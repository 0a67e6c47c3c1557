"""The directory that a run leaves behind: whole, or not there at all."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from wordline import _wordline
from wordline.columns import TABLES
from wordline.errors import OutputError

if TYPE_CHECKING:
    from wordline.results import Result

SUMMARY = "summary.json"
CONFIG = "config.toml"
REMARKS = "remarks.json"
"""Version, notes and warnings: what stands beside the figures."""
REPORT = "report.html"
FILES = frozenset({SUMMARY, CONFIG, REMARKS, REPORT, *(f"{table}.parquet" for table in TABLES)})

SEEDS = "seeds.json"
"""Figures over several seeds; their runs lie beside it, each in a directory of its own."""
SEED_NAME = re.compile(r"seed-(\d+)")
"""What the directory of one seed is called."""


class ResultDirectory:
    """A result directory in the making.

    Enter it before the simulation starts, so that a place that cannot be written is found before
    hours are spent; `publish` the result inside. Whatever happens in between, an error, Ctrl-C or
    a full disk, the target is either the complete new result or just as it was.
    """

    def __init__(self, target: str | PathLike[str]) -> None:
        self.target = Path(target).resolve()
        self._building = Path()

    def __enter__(self) -> Self:
        refuse_to_replace(self.target)
        with writing(self.target):
            self.target.parent.mkdir(parents=True, exist_ok=True)
            # a sibling, so that the final rename stays within one file system
            building = tempfile.mkdtemp(prefix=f".{self.target.name}.", dir=self.target.parent)
        self._building = Path(building)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        shutil.rmtree(self._building, ignore_errors=True)

    def publish(self, result: Result) -> Path:
        """Write every file of `result` and put the directory in its place."""
        self.add(result)
        return self.finish()

    def add(self, result: Result, name: str = ".") -> None:
        """Write the files of `result` into the directory in the making, or into one inside of it."""
        with writing(self.target):
            directory = self._building / name
            directory.mkdir(exist_ok=True)
            write_files(directory, result)

    def add_text(self, name: str, text: str) -> None:
        """Write a file of text into the directory in the making."""
        with writing(self.target):
            (self._building / name).write_text(text, encoding="utf-8")

    def finish(self) -> Path:
        """Put the directory in its place."""
        with writing(self.target):
            replace(self._building, self.target)
        return self.target


@contextmanager
def writing(target: Path) -> Iterator[None]:
    """Say what could not be written.

    Raises:
        OutputError: in place of any error of the file system.
    """
    try:
        yield
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror or error}") from error


def refuse_to_replace(target: Path) -> None:
    """Refuse a target that holds anything but an earlier result.

    Raises:
        OutputError: what is in the way.
    """
    if not target.exists():
        return
    if not target.is_dir():
        raise OutputError(f"{target}: is a file; name a directory that is new, empty or a result")
    try:
        names = {entry.name for entry in target.iterdir()}
    except OSError as error:
        raise OutputError(f"{target}: cannot be read: {error.strerror}") from error
    if names and not (is_result(names) or is_seeds(target, names)):
        strangers = sorted(names - FILES)
        found = strangers[0] if strangers else sorted(names)[0]
        raise OutputError(
            f"{target}: holds {found}, which is no part of a Wordline result, so nothing was "
            "replaced; name a directory that is new, empty or an earlier result"
        )


def is_result(names: set[str]) -> bool:
    """Whether a directory with these entries is the result of a run, and nothing else."""
    return {SUMMARY, CONFIG} <= names <= FILES


def is_seeds(directory: Path, names: set[str]) -> bool:
    """Whether a directory with these entries is the result of runs with several seeds."""
    runs = [directory / name for name in names if SEED_NAME.fullmatch(name)]
    return (
        SEEDS in names
        and len(runs) == len(names) - 1
        and all(run.is_dir() and is_result({entry.name for entry in run.iterdir()}) for run in runs)
    )


def write_files(directory: Path, result: Result) -> None:
    """Write the files of a result into an existing directory.

    Raises:
        OSError: a file cannot be written.
    """
    import polars as pl

    from wordline.report import render

    (directory / SUMMARY).write_text(summary_json(result), encoding="utf-8")
    (directory / CONFIG).write_text(result.config, encoding="utf-8")
    (directory / REMARKS).write_text(remarks_json(result), encoding="utf-8")
    try:
        for table in TABLES:
            # by handle: a name that is not UTF-8 is a name all the same
            with (directory / f"{table}.parquet").open("wb") as file:
                getattr(result, table).write_parquet(file)
    except pl.exceptions.PolarsError as error:
        raise OSError(str(error)) from error
    (directory / REPORT).write_text(render(result), encoding="utf-8")


def summary_json(result: Result) -> str:
    """The summary as one flat JSON object, with a line per key."""
    return json.dumps(dict(result.summary), indent=2, allow_nan=False) + "\n"


def remarks_json(result: Result) -> str:
    """What is to be known beside the figures, as a JSON object."""
    remarks = {
        "wordline": _wordline.__version__,
        "warnings": result.warnings,
        "notes": [asdict(note) for note in result.notes],
    }
    return json.dumps(remarks, indent=2, ensure_ascii=False) + "\n"


@contextmanager
def whole(target: Path) -> Iterator[Path]:
    """Yield a place for a file that then becomes `target`; after any error, or Ctrl-C, nothing of it stays.

    Raises:
        OutputError: the place cannot be written.
    """
    with (
        writing(target),
        # a sibling, so that the final rename stays within one file system
        tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as directory,
    ):
        file = Path(directory) / "file"
        yield file
        file.replace(target)


def write_text(target: Path, text: str) -> None:
    """Write a file whole, or leave what is there as it is.

    Raises:
        OutputError: the place cannot be written.
    """
    with whole(target) as file:
        file.write_text(text, encoding="utf-8")


@contextmanager
def output_directory(directory: Path) -> Iterator[None]:
    """Make a directory that is written into at the end, so that one that cannot be is found before hours are spent.

    What was made is removed again where an error or Ctrl-C leaves it empty.

    Raises:
        OutputError: the place cannot be written.
    """
    with writing(directory):
        made = [place for place in (directory, *directory.parents) if not place.exists()]
    try:
        with writing(directory):
            directory.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryDirectory(prefix=".", dir=directory).cleanup()
        yield
    except BaseException:
        with suppress(OSError):
            for place in made:
                place.rmdir()
        raise


def write_all(directory: Path, files: Mapping[str, str]) -> None:
    """Write files into a directory, each whole; the directory is made where there is none.

    Raises:
        OutputError: the place cannot be written.
    """
    with writing(directory):
        directory.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        write_text(directory / name, text)


def replace(building: Path, target: Path) -> None:
    """Put `building` in the place of `target`, which is absent, empty or an earlier result.

    Raises:
        OSError: the file system refuses; the earlier result is then back in its place.
    """
    # mkdtemp made it private; a result is as readable as any directory of the user
    umask = os.umask(0)
    os.umask(umask)
    building.chmod(0o777 & ~umask)

    retired = building.with_name(f"{building.name}.old")
    existed = target.exists()
    if existed:
        target.rename(retired)
    try:
        building.rename(target)
    except BaseException:
        if existed:
            retired.rename(target)
        raise
    if existed:
        with suppress(OSError):
            shutil.rmtree(retired)
