"""The directory that a run leaves behind: whole, or not there at all."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, suppress
from dataclasses import asdict
from itertools import count
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from wordline import _wordline
from wordline.columns import TABLES
from wordline.errors import OutputError
from wordline.formatting import flat
from wordline.outputs import HIDDEN, missing, refuse_file, remove_empty, writing
from wordline.parsing import json_of, toml_of

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

    A target that is there already stays: files are exchanged inside of it. It may be the working directory of a
    shell, or the place where another file system is mounted.
    """

    def __init__(
        self, target: str | PathLike[str], config: str | None = None, *, force: bool = False
    ) -> None:
        """A directory for results of `config`; without `force` it replaces no result of another configuration."""
        self.target = resolved(Path(target))
        self.config = config
        self.force = force
        self._building = Path()
        self._made: list[Path] = []

    def __enter__(self) -> Self:
        refuse_to_replace(self.target)
        if self.config is not None and not self.force:
            refuse_another_configuration(self.target, self.config)
        with writing(self.target):
            # on the file system of the target, so that a file is put in its place by a rename
            beside = self.target if self.target.exists() else self.target.parent
            self._made = missing(beside)
            beside.mkdir(parents=True, exist_ok=True)
            self._building = Path(tempfile.mkdtemp(prefix=HIDDEN, dir=beside))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        shutil.rmtree(self._building, ignore_errors=True)
        remove_empty(self._made)

    @property
    def holds_whole_result(self) -> bool:
        """Whether the target holds a result that nobody interrupted: one that was interrupted does not replace it."""
        return holds_whole(self.target, SEEDS, SUMMARY)

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

    def keep_only(self, names: AbstractSet[str]) -> None:
        """Remove other entries than these, which an interruption left half-written."""
        for entry in self._building.iterdir():
            if entry.name not in names:
                shutil.rmtree(entry, ignore_errors=True)

    def finish(self) -> Path:
        """Put the directory in its place.

        Raises:
            OutputError: the place cannot be written, or another result has come into it since this one was begun; this one
                is then beside it, whole.
        """
        with writing(self.target):
            if self.target.exists():
                self._refuse_what_has_come()
                exchange(self._building, self.target)
            else:
                as_readable_as_any(self._building)
                self._building.rename(self.target)
        return self.target

    def _refuse_what_has_come(self) -> None:
        """Refuse to replace what was written while this result was simulated, unless it is one of the same configuration."""
        try:
            refuse_to_replace(self.target)
            if self.config is not None and not self.force:
                refuse_another_configuration(self.target, self.config)
        except OutputError as error:
            beside = next(
                place
                for number in count(2)
                if not (place := self.target.with_name(f"{self.target.name}-{number}")).exists()
            )
            as_readable_as_any(self._building)
            self._building.rename(beside)
            raise OutputError(
                f"{error}. It was written during this run, whose result is in {beside}"
            ) from error


def resolved(target: Path) -> Path:
    """The place that a path names, without links.

    Raises:
        OutputError: its links lead round in a circle.
    """
    try:
        return target.resolve()
    except (OSError, RuntimeError) as error:  # which of them depends on the version of Python
        raise OutputError(
            f"{target}: cannot be written: its symbolic links lead round in a circle"
        ) from error


def refuse_to_replace(target: Path) -> None:
    """Refuse a target that holds anything but an earlier result.

    Raises:
        OutputError: what is in the way.
    """
    if not target.exists():
        refuse_file(target)
        return
    if not target.is_dir():
        raise OutputError(f"{target}: is a file; name a directory that is new, empty or a result")
    try:
        names = names_in(target)
    except OSError as error:
        raise OutputError(f"{target}: cannot be read: {error.strerror}") from error
    if names and not (is_result(names) or is_seeds(target, names)):
        strangers = sorted(names - FILES)
        found = strangers[0] if strangers else sorted(names)[0]
        raise OutputError(
            f"{target}: holds {found}, which is no part of a Wordline result, so nothing was "
            "replaced; name a directory that is new, empty or an earlier result"
        )


def names_in(directory: Path) -> set[str]:
    """The entries of a directory, less those that are in the making."""
    return {entry.name for entry in directory.iterdir() if not entry.name.startswith(HIDDEN)}


def holds_whole(directory: Path, *names: str) -> bool:
    """Whether the first of these JSON files that a directory holds is an answer that nobody interrupted."""
    with suppress(OSError, ValueError):
        file = next((directory / name for name in names if (directory / name).exists()), None)
        if file is not None:
            found = json_of(file.read_text("utf-8"))
            return not (found.get("run.interrupted") or found.get("interrupted"))
    return False


def refuse_another_configuration(target: Path, config: str) -> None:
    """Refuse a target that holds a result of another configuration than this.

    Raises:
        OutputError: which keys differ.
    """
    file = next(
        (file for file in (target / CONFIG, *sorted(target.glob(f"*/{CONFIG}"))) if file.exists()),
        None,
    )
    if file is None:
        return
    try:
        found = dict(flat(toml_of(file.read_text("utf-8"))))
    except (OSError, ValueError) as error:
        raise OutputError(
            f"{file}: cannot be read, so nothing was replaced ({error}); --force (`force=True` in Python) replaces it"
        ) from error
    wanted = dict(flat(toml_of(config)))
    keys = [key for key in (wanted | found) if wanted.get(key) != found.get(key)]
    if keys:
        more = f" and {len(keys) - 3} more" if len(keys) > 3 else ""
        raise OutputError(
            f"{target}: holds the result of another configuration ({', '.join(keys[:3])}{more} differ), so nothing was "
            "replaced; name another directory, or replace it with --force (`force=True` in Python)"
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
        and all(run.is_dir() and is_result(names_in(run)) for run in runs)
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
        raise of_file_system(error) from error
    (directory / REPORT).write_text(render(result), encoding="utf-8")


def of_file_system(error: Exception) -> OSError:
    """The error of the file system that an error of Polars stands for."""
    number = re.search(r"\(os error (\d+)\)", str(error))
    return OSError(int(number[1]), os.strerror(int(number[1]))) if number else OSError(str(error))


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
        OutputError: the file cannot be written.
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
        OutputError: the file cannot be written.
    """
    with whole(target) as file:
        file.write_text(text, encoding="utf-8")


def write_all(directory: Path, files: Mapping[str, str]) -> None:
    """Write files into a directory, each whole; the directory is made where there is none.

    Raises:
        OutputError: the file cannot be written.
    """
    with writing(directory):
        directory.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        write_text(directory / name, text)


def as_readable_as_any(directory: Path) -> None:
    """Give a directory that was private in the making the permissions of any that the user makes."""
    umask = os.umask(0)
    os.umask(umask)
    directory.chmod(0o777 & ~umask)


def exchange(building: Path, target: Path) -> None:
    """Put the entries of `building` in the place of those of `target`, a directory on the same file system.

    Raises:
        OSError: the file system refuses; the earlier entries are then back in their places.
    """
    retired = Path(tempfile.mkdtemp(prefix=HIDDEN, dir=target))
    moves = [(target / name, retired / name) for name in sorted(names_in(target))]
    moves += [(entry, target / entry.name) for entry in sorted(building.iterdir())]
    done = []
    try:
        for source, place in moves:
            done.append((source, place))
            source.rename(place)
    except BaseException:
        for source, place in reversed(done):
            # the last move may not have happened
            with suppress(FileNotFoundError):
                place.rename(source)
        raise
    finally:
        shutil.rmtree(retired, ignore_errors=True)
