"""The simulator itself, written in Rust. Private: use the names of the `wordline` package."""

from collections.abc import Callable
from os import PathLike
from typing import Any, Final, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

__version__: Final[str]

Columns: TypeAlias = dict[str, NDArray[Any]]

class ConfigError(ValueError):
    """A drive, a workload or an override is refused; the message is one clear paragraph."""

class TraceError(ValueError):
    """A trace cannot be read; the message names file and row."""

class RunError(RuntimeError):
    """A run broke one of Wordline's own rules: a defect of Wordline, not of the input."""

class Preset(TypedDict):
    name: str
    title: str
    text: str

class Format(TypedDict):
    name: str
    title: str
    description: str
    example: str
    binary: bool
    extensions: list[str]
    time_unit: str
    source: str
    traps: list[str]

class Note(TypedDict):
    severity: str
    key: str
    text: str

class Resolved:
    """A complete drive and workload, checked, every default filled in."""

    @property
    def toml(self) -> str: ...
    @property
    def hash(self) -> str: ...
    @property
    def warnings(self) -> list[str]: ...
    def get(self, path: str) -> Any: ...

class Output:
    """What a run measured. Columns are handed over, not copied."""

    @property
    def summary(self) -> dict[str, int | float | str | bool | None]: ...
    @property
    def notes(self) -> list[Note]: ...
    @property
    def requests(self) -> Columns: ...
    @property
    def time_series(self) -> Columns: ...
    @property
    def blocks(self) -> Columns: ...
    @property
    def latency(self) -> dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]: ...

def presets() -> list[Preset]: ...
def schema() -> str: ...
def reference() -> str: ...
def summary_keys() -> list[tuple[str, str, str]]: ...
def formats() -> list[Format]: ...
def resolve(
    drive: str,
    drive_is_text: bool,
    workload: str | None,
    overrides: list[tuple[str, str]],
) -> Resolved: ...
def simulate(
    resolved: Resolved,
    audit: bool,
    progress: Callable[[float, int, float], bool] | None,
    save_state: str | PathLike[str] | None = None,
) -> Output: ...
def convert(
    input: str | PathLike[str],
    output: str | PathLike[str],
    format: str | None,
    time_unit: str | None,
    progress: Callable[[float, int], None] | None,
) -> tuple[int, list[str]]: ...
def trace_stats(path: str | PathLike[str], format: str | None = None) -> str: ...
def write_amplification(
    policy: str, over_provisioning: float, pages_per_block: int, d: int
) -> float: ...
