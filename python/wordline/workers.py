"""What happens in a worker of a cluster: which build it has, the files that it is sent, and the jobs."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from platformdirs import user_cache_path

from wordline import _wordline
from wordline.executor import Job
from wordline.points.files import File, digest
from wordline.points.point import simulator

R = TypeVar("R")


@dataclass(frozen=True)
class Build:
    """What tells two installations of Wordline apart."""

    version: str
    """Version of the package."""
    simulator: str
    """Digest of the compiled part: only equal ones give equal results for certain."""
    host: str
    """Name of the machine."""

    def __str__(self) -> str:
        return f"Wordline {self.version}, build {self.simulator[:12]}"


@dataclass(frozen=True)
class Absent:
    """Files that a job reads and the worker has not got."""

    digests: tuple[str, ...]


@dataclass(frozen=True)
class Stopped:
    """A job that was stopped because nobody waits for it."""


def build() -> Build:
    """The build of this process."""
    return Build(_wordline.__version__, simulator(), platform.node())


def perform(job: Job[R]) -> R | Absent | Stopped:
    """Do a job in a worker, if the files that it reads are there."""
    places, missing = located(job.files)
    if missing:
        return Absent(tuple(missing))
    try:
        return job.run(still_wanted(), places)
    except KeyboardInterrupt:  # the worker would end by it
        return Stopped()


def still_wanted() -> Callable[[], bool]:
    """What tells whether the task of this thread is still to be finished."""
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()
    state = worker.state

    def goes_on() -> bool:
        task = state.tasks.get(key)
        return task is not None and task.state in ("executing", "long-running")

    return goes_on


def located(files: Sequence[File]) -> tuple[Mapping[str, Path], Sequence[str]]:
    """The files that lie at another place than the configuration says, and the digests of those that are not here."""
    places: dict[str, Path] = {}
    missing: list[str] = []
    for file in files:
        if is_there(Path(file.path), file.digest):
            continue
        if is_there(place(file), file.digest):
            places[file.digest] = place(file)
        else:
            missing.append(file.digest)
    return places, missing


def is_there(path: Path, expected: str) -> bool:
    """Whether a file with this content is at a place."""
    try:
        return digest(path) == expected
    except OSError:
        return False


def place(file: File) -> Path:
    """Where a file that was sent is kept; all workers of a machine share it."""
    # the name as well: the format of a trace may be recognised by it
    return user_cache_path("wordline") / "files" / file.digest / file.name


def receive(file: File, sender: str, start: int, content: bytes, *, is_last: bool) -> None:
    """Keep a part of a file that is sent in order; the last part puts it in its place.

    Raises:
        OSError: it cannot be kept.
        ValueError: what arrived is not the file.
    """
    target = place(file)
    target.parent.mkdir(parents=True, exist_ok=True)
    # two senders do not disturb each other
    partial = target.with_name(f".{sender}")
    try:
        with partial.open("r+b" if start else "wb") as stream:
            stream.seek(start)
            stream.write(content)
        if is_last:
            if digest(partial) != file.digest:
                raise ValueError(f"{file.path} changed while it was sent")
            partial.replace(target)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
