"""From a trace to a profile that has its statistics."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from wordline import _wordline
from wordline.config import counted, resolve_trace
from wordline.notebook import view
from wordline.saving import write_text
from wordline.traces import Tree, flat, reading


@dataclass(frozen=True, repr=False)
class Fit:
    """A profile, and requests drawn from it beside the trace that it was derived from."""

    profile: str
    """The profile as TOML, for `workload.profile_file`."""
    trace: Tree
    """The statistics of the trace."""
    surrogate: Tree
    """The statistics of as many requests drawn from the profile."""
    comparison: Sequence[dict[str, Any]]
    """A row per figure: `figure`, `unit`, `trace`, `surrogate`, and `difference`, in points where the
    unit is %, else in percent of the trace."""

    def _repr_html_(self) -> str:
        return view(self, self.comparison)

    def __repr__(self) -> str:
        return f"<Fit, {len(self.comparison)} figures compared>"

    def save(self, path: str | PathLike[str]) -> None:
        """Write the profile to a file.

        Raises:
            OutputError: the file cannot be written.
        """
        write_text(Path(path), self.profile)

    def as_dict(self) -> dict[str, Any]:
        """Everything as one object, the statistics under flat names."""
        return {
            "profile": self.profile,
            "comparison": list(self.comparison),
            "trace": flat(self.trace),
            "surrogate": flat(self.surrogate),
        }


def fit(
    path: str | PathLike[str],
    *,
    format: str | None = None,
    options: Mapping[str, Any] | None = None,
    seed: int = 1,
) -> Fit:
    """Derive a profile from a block trace.

    Args:
        path: the trace, plain or compressed with gzip, zstd, bzip2 or xz.
        format: its format (`wordline formats`); without one it is recognised from the file's name and its first rows.
        options: further keys that set how the trace is read, written as for `Drive.from_toml`: `workload.format`,
            `workload.time_unit`, `workload.action`, `workload.csv.time` and so on.
        seed: the seed of the surrogate that is compared with the trace.

    Raises:
        ConfigError: no such format, an option that is not accepted, or a seed that is no whole number from 0.
        TraceError: no row can be read, or the trace has no reads and no writes.
    """
    return fitted(resolve_trace(path, reading(format=format, options=options)), seed)


def fitted(trace: _wordline.Trace, seed: int) -> Fit:
    """Derive a profile from a trace that is read as was said."""
    profile, text = _wordline.fit(trace, counted("seed", seed, 2**64 - 1, least=0))
    found = json.loads(text)
    return Fit(profile, found["trace"], found["surrogate"], found["comparison"])
