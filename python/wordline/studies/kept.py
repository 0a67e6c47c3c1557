"""Lifetime studies and accelerations of studies, kept as soon as they are done: they take minutes each, and a figure has many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from wordline.config import Drive
from wordline.intensity import Acceleration, find_acceleration
from wordline.lifetimes import Lifetime, LifetimeStudy, lifetime
from wordline.notes import Note
from wordline.points.files import files_of
from wordline.points.keeping import kept, plain_table, table_of
from wordline.simulation import configuration

Load = Mapping[str, Any]


def what(drive: Drive, load: Load) -> object:
    """A configuration and the content of the files that it names, as JSON has it.

    Raises:
        ConfigError: the configuration is refused, or a file cannot be read.
    """
    config = configuration(drive, load).toml
    return [config, [(file.key, file.digest) for file in files_of(config)]]


def kept_lifetime(drive: Drive, load: Load, asked: LifetimeStudy) -> Lifetime:
    """A lifetime study.

    Raises:
        ConfigError, TraceError: see `lifetime`.
        OutputError: the store cannot be written.
    """
    return kept(
        ["lifetime", what(drive, load), asdict(asked)],
        lambda: lifetime(drive, load, asked, progress=False),
        plain_lifetime,
        lifetime_of,
    )


def plain_lifetime(found: Lifetime) -> object:
    """A lifetime study as JSON has it."""
    tables = ("snapshots", "blocks", "fleet", "samples")
    return {**vars(found), **{name: plain_table(getattr(found, name)) for name in tables}}


def lifetime_of(plain: Mapping[str, Any]) -> Lifetime:
    """The lifetime study of what `plain_lifetime` gave."""
    tables = {name: table_of(plain[name]) for name in ("snapshots", "blocks", "fleet", "samples")}
    lists = {name: tuple(plain[name]) for name in ("warnings", "fleet_lives")}
    return Lifetime(**{**plain, **tables, **lists})


def kept_acceleration(drive: Drive, load: Load, *, cap: int) -> Acceleration:
    """How much faster a workload can be replayed.

    Raises:
        ConfigError, TraceError: see `find_acceleration`.
        OutputError: the store cannot be written.
    """
    return kept(
        ["acceleration", what(drive, load), cap],
        lambda: find_acceleration(drive, load, cap=cap, progress=False),
        lambda found: {
            **vars(found),
            "curve": plain_table(found.curve),
            "notes": [asdict(note) for note in found.notes],
        },
        lambda plain: Acceleration(
            **{
                **plain,
                "curve": table_of(plain["curve"]),
                "notes": tuple(Note(**note) for note in plain["notes"]),
            }
        ),
    )
