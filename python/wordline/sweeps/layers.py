"""A drive and a workload that settings are laid over."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

from wordline.config import Drive, Overrides, Workload
from wordline.points.point import Point

QUIET: Overrides = (("output.request_log", "0"), ("output.slowest", "0"))
"""What nobody looks at need not be recorded; settings may ask for it all the same."""


@dataclass(frozen=True)
class Layers:
    """A drive and a workload that settings are laid over."""

    source: str
    """Preset, file or text of the drive."""
    is_text: bool = False
    """Whether `source` is TOML text."""
    workload: str | None = None
    """File of the workload; that of the drive without one."""
    overrides: Overrides = ()
    """Dotted keys and their values, below the settings."""
    policies: tuple[str, ...] = ()
    """Files that register policies, for commands."""

    @classmethod
    def named(cls, source: str, workload: Workload | None, overrides: Overrides) -> Layers:
        """A drive by the name of a preset or a file, a workload, and overrides of both."""
        of_workload = workload.overrides if workload else ()
        return cls(source, False, workload.path if workload else None, (*of_workload, *overrides))

    @classmethod
    def of(
        cls,
        drive: Drive | str | PathLike[str],
        workload: Workload | Mapping[str, Any] | str | PathLike[str] | None,
    ) -> Layers:
        """From whatever names a drive and a workload in Python.

        Raises:
            ConfigError: a key or value that is not accepted.
        """
        if not isinstance(drive, Drive):
            drive = Drive.from_toml(drive)
        if isinstance(workload, Mapping):
            workload = Workload(**workload)
        elif workload is not None and not isinstance(workload, Workload):
            workload = Workload.from_toml(workload)
        of_workload = workload.overrides if workload else ()
        path = workload.path if workload else None
        return cls(drive.source, drive.is_text, path, (*drive.overrides, *of_workload))

    def point(self, settings: Overrides, seed: int = 0, observers: tuple[str, ...] = ()) -> Point:
        """The run with these settings, every seed raised by `seed`."""
        return Point(
            self.source,
            (*QUIET, *self.overrides, *settings),
            observers,
            is_text=self.is_text,
            workload=self.workload,
            raised=seed,
        )

    def command(self, settings: Overrides) -> str:
        """The command that runs these settings and writes their report; empty where the drive is TOML text without a file."""
        if self.is_text:
            return ""
        workload = ["--workload", self.workload] if self.workload else []
        for file in self.policies:
            workload += ["--policies", file]
        sets = [
            part
            for key, value in (*self.overrides, *settings)
            for part in ("--set", f"{key}={value}")
        ]
        return shlex.join(["wordline", "run", self.source, *workload, *sets, "--out", "result"])
