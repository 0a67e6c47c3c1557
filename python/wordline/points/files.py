"""The files that a configuration names: traces, profiles, states of drives, chips."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from wordline import _wordline
from wordline.config import Overrides, toml_value
from wordline.errors import ConfigError

OF_WORKLOADS = ("path", "profile_file")
"""Keys of a `[workload]` table that name a file."""
OF_JOB_FILES = "/dp_scheme."
"""What the key of a file that a job file names has behind that of the job file; no key of the configuration."""


@dataclass(frozen=True)
class File:
    """A file that a configuration names."""

    key: str
    """Dotted key that names it."""
    path: str
    """Its place where the configuration was resolved."""
    digest: str
    """SHA-256 of its content."""

    @property
    def name(self) -> str:
        """Its name without directories; the format of a trace may be recognised by it."""
        return Path(self.path).name


def files_of(config: str) -> tuple[File, ...]:
    """Every file that a resolved configuration names.

    Raises:
        ConfigError: one cannot be read.
    """
    found = []
    for key, path in named(tomllib.loads(config)):
        try:
            found.append(File(key, path, digest(Path(path))))
        except OSError as error:
            raise ConfigError(f"{key}: {path}: cannot be read: {error.strerror}") from error
    return tuple(found)


def named(config: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The keys that name files, and what they name."""
    tables = {"workload": config.get("workload", {})}
    for name, tenant in config.get("tenants", {}).items():
        tables[f"tenants.{name}.workload"] = tenant.get("workload", {})
    for prefix, table in tables.items():
        for key in OF_WORKLOADS:
            if key in table:
                yield f"{prefix}.{key}", table[key]
        if table.get("kind") == "fio" and "path" in table:
            for number, scheme in enumerate(schemes(Path(table["path"]))):
                yield f"{prefix}.path{OF_JOB_FILES}{number}", str(scheme)
    if "snapshot" in config.get("age", {}):
        yield "age.snapshot", config["age"]["snapshot"]
    chip = config.get("power", {}).get("chip")
    if chip is not None and chip not in {each["name"] for each in _wordline.chips()}:
        yield "power.chip", chip


def schemes(jobs: Path) -> Iterator[Path]:
    """The files that `dp_scheme` and `read_iolog` name in a fio job file, as far as they are there: the run tells of the others."""
    try:
        lines = jobs.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        option, _, value = line.partition("=")
        names = {"dp_scheme": [value], "read_iolog": value.split(":")}.get(option.strip(), [])
        yield from filter(Path.is_file, (jobs.parent / name.strip() for name in names))


def digest(path: Path) -> str:
    """SHA-256 of a file's content, computed once as long as its size and time of change stay.

    Raises:
        OSError: it cannot be read.
    """
    found = path.stat()
    return digest_of(path, found.st_size, found.st_mtime_ns)


@cache
def digest_of(path: Path, size: int, changed_ns: int) -> str:
    """SHA-256 of the content of a file that has this size and was changed at this time."""
    del size, changed_ns
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def overrides_of(files: tuple[File, ...], places: Mapping[str, Path]) -> Overrides:
    """What a configuration is overridden with so that it names files at other places, given by digest.

    Raises:
        ConfigError: a fio job file names a file of placement schemes, and one of the two is at another place: they are looked for side by side.
    """
    moved = {file.key: file for file in files if file.digest in places}
    for file in files:
        jobs, is_of_jobs, _ = file.key.partition(OF_JOB_FILES)
        if is_of_jobs and not moved.keys().isdisjoint((jobs, file.key)):
            raise ConfigError(
                f"{jobs}: {file.path}, which dp_scheme names in the job file, is not on the machine of the worker; accepted: both files in a folder that all machines share"
            )
    return tuple((key, toml_value(key, str(places[file.digest]))) for key, file in moved.items())
