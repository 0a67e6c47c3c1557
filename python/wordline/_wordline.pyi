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

class BuiltInChip(TypedDict):
    name: str
    title: str
    text: str

class Chip:
    """A chip whose energies are worked out."""

    def __init__(self, source: str, is_text: bool, overrides: list[tuple[str, str]]) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def toml(self) -> str: ...
    @property
    def advisories(self) -> list[str]: ...
    @property
    def cells(self) -> float: ...
    @property
    def ones(self) -> float: ...
    @property
    def capacity_bits(self) -> float: ...
    @property
    def kinds(self) -> list[str]: ...
    def states(self) -> tuple[list[str], list[str], list[str]]: ...
    def read(self, kind: str, ones: float | None, planes: int) -> dict[str, float]: ...
    def program(
        self,
        kind: str,
        ones: float,
        states: list[tuple[str, float]] | None,
        planes: int,
    ) -> dict[str, float]: ...
    def erase(self, programmed: float, planes: int) -> dict[str, float]: ...
    def energies(self) -> list[tuple[str, str, float, dict[str, float]]]: ...
    def pulses(self, operation: str, kind: str | None) -> dict[str, NDArray[np.float64]]: ...
    def circuit(self) -> dict[str, float]: ...
    def page(self, page: int) -> tuple[str, int, list[int]]: ...
    def sweep(
        self, variables: list[tuple[str, NDArray[np.float64]]], by_part: bool
    ) -> dict[str, NDArray[np.float64]]: ...
    def calibrate(
        self,
        unknowns: list[tuple[str, float]],
        measured: list[tuple[str, str | None, float, list[tuple[str, float]], float]],
    ) -> tuple[Chip, list[float], list[float]]: ...

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

def chips() -> list[BuiltInChip]: ...
def chip_reference() -> str: ...
def chip_parameters() -> list[tuple[str, str]]: ...
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
def profiles() -> list[Preset]: ...
def profile_sources() -> list[tuple[str, str]]: ...
def fit(path: str | PathLike[str], format: str | None = None, seed: int = 1) -> tuple[str, str]: ...
def trace_stats(path: str | PathLike[str], format: str | None = None) -> str: ...
def write_amplification(
    policy: str, over_provisioning: float, pages_per_block: int, d: int
) -> float: ...
