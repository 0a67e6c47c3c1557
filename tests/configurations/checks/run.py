"""A run as the checks see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wordline import _wordline
from wordline.results import Result

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Run:
    """A result and the configuration that it is of."""

    resolved: _wordline.Resolved
    result: Result

    def __getitem__(self, key: str) -> float:
        """A figure of the summary; 0 where it does not exist."""
        found = self.result.summary.get(key)
        return float(found) if isinstance(found, int | float) else 0.0

    def has(self, key: str) -> bool:
        """Whether the summary has a figure of this name that exists in this run."""
        return self.result.summary.get(key) is not None

    def family(self, prefix: str, ending: str = "") -> dict[str, float]:
        """Figures of the summary by what stands for `*` in `prefix*ending`, if it is one name."""
        found = {}
        for key in self.result.summary:
            middle = key.removeprefix(prefix).removesuffix(ending)
            if key == f"{prefix}{middle}{ending}" and "." not in middle and self.has(key):
                found[middle] = self[key]
        return found

    def key(self, path: str) -> Any:
        """A key of the configuration."""
        return self.resolved.get(path)

    @property
    def start_ns(self) -> int:
        """When measuring began: the end of the warm-up."""
        return round(1e9 * self["warm_up.time_s"])

    @property
    def requests(self) -> pl.DataFrame:
        """The table of requests."""
        return self.result.requests

    @property
    def is_logged_in_full(self) -> bool:
        """Whether the table of requests has all of them."""
        return self.requests.height == self["host.requests"]


def number(value: object) -> float:
    """What Polars sums up, as a number; 0 where there is nothing."""
    return float(value) if isinstance(value, int | float) else 0.0


def unequal(name: str, found: float, expected: float, tolerance: float = 1e-9) -> list[str]:
    """What to say of a figure that is not what it was worked out to be."""
    if abs(found - expected) <= tolerance * max(abs(found), abs(expected)):
        return []
    return [f"{name}: {found!r}, worked out {expected!r}"]
