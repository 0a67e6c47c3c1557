"""Places that a command writes to at the end: they are tried before hours are spent."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from wordline.errors import OutputError

HIDDEN = ".wordline-"
"""What names of directories in the making begin with; nobody takes them for a part of a result."""


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


@contextmanager
def output_directory(directory: Path) -> Iterator[None]:
    """Make a directory that is written into at the end, so that one that cannot be is found before hours are spent.

    What was made is removed again where an error or Ctrl-C leaves it empty.

    Raises:
        OutputError: the directory cannot be made, or nothing can be written into it.
    """
    made = made_writable(directory)
    try:
        yield
    except BaseException:
        remove_empty(made)
        raise


def made_writable(directory: Path) -> list[Path]:
    """Make a directory, and write into it on trial; what had to be made, itself first.

    Raises:
        OutputError: it cannot be made, or nothing can be written into it; nothing is left of it.
    """
    refuse_file(directory)
    with writing(directory):
        made = missing(directory)
        try:
            directory.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryDirectory(prefix=HIDDEN, dir=directory).cleanup()
        except BaseException:
            remove_empty(made)
            raise
    return made


def refuse_file(directory: Path) -> None:
    """Refuse a directory where a file is, or below one.

    Raises:
        OutputError: which file.
    """
    with writing(directory):
        nearest = next(
            (place for place in (directory, *directory.parents) if os.path.lexists(place)), None
        )
        is_file = nearest is not None and not nearest.is_dir()
    if is_file:
        what = "it" if nearest == directory else str(nearest)
        raise OutputError(f"{directory}: cannot be written: {what} is a file; name a directory")


def refuse_unwritable_directory(directory: Path | None) -> None:
    """Refuse a directory that is made and written into at the end, where it cannot be; leave nothing behind.

    Raises:
        OutputError: why.
    """
    if directory is not None:
        remove_empty(made_writable(directory))


def refuse_unwritable(file: Path | None) -> None:
    """Refuse a file that is written at the end, where it is a directory or its directory cannot be written.

    Raises:
        OutputError: why.
    """
    if file is None:
        return
    with writing(file):
        is_directory = file.is_dir()
    if is_directory:
        raise OutputError(f"{file}: cannot be written: it is a directory; name a file")
    with writing(file):
        tempfile.TemporaryDirectory(prefix=HIDDEN, dir=file.parent).cleanup()


def missing(directory: Path) -> list[Path]:
    """The directories that have to be made for this one, itself first."""
    return [place for place in (directory, *directory.parents) if not place.exists()]


def remove_empty(directories: Sequence[Path]) -> None:
    """Remove directories that nothing was written into; what holds something stays, and so do those around it."""
    for place in directories:
        with suppress(OSError):
            place.rmdir()
