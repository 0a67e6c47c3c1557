"""Which requests of a long run are simulated with a clock."""

from __future__ import annotations

from dataclasses import dataclass, replace

from wordline.errors import ConfigError
from wordline.statistics import CONFIDENCE

WINDOWS = 400
"""Windows where the run has room for them: of windows that are cut out of full runs, 400 of 250 requests are enough for the interval of the 99th percentile to contain the truth as often as
it should, and 100 of 1,000 are not, as a few of them have most of the slow requests (measured on the preset `bench`: docs/how-to/sample-a-long-run.md)."""


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """How a run is sampled: one window, at a place that is drawn, in each of as many periods of requests.

    Raises:
        ConfigError: a value out of range.
    """

    windows: int | None = None
    """Windows, at least 10 (with fewer, no test can say whether the load can be sampled); with a wanted `error` those of the first pass. By default 400, or as many as the run has
    room for."""
    requests: int = 250
    """Requests of each window that are measured."""
    warm_up: int | None = None
    """Requests before them that are simulated with a clock and not measured: they fill queues and bring collection under way. By default 300, or four times the queue depth where that
    is more."""
    cool_down: int | None = None
    """Requests after them that are simulated with a clock and not measured: they keep the drive busy until the last one that is measured is complete. By default 200, or twice the queue
    depth where that is more."""
    paced: bool = True
    """Whether collection takes its time between windows too. Without, it is over at once, which takes a quarter of the time: right for drives that are rarely collected, or with a
    `warm_up` of several collections."""
    error: float | None = None
    """Wanted half width of the interval of the mean response time, as a share of it: where the first pass has a wider one, a second pass has as many
    windows as that asks for."""
    confidence: float = CONFIDENCE
    """Confidence of every interval."""
    seed: int = 1
    """Seed of the places of the windows."""

    def __post_init__(self) -> None:
        for name, value, low, high in (
            ("windows", self.windows, 10, 1_000_000),
            ("requests", self.requests, 10, 10_000_000),
            ("warm_up", self.warm_up, 0, 1_000_000_000),
            ("cool_down", self.cool_down, 0, 1_000_000_000),
            ("seed", self.seed, 0, 2**64 - 1),
        ):
            if value is not None and not low <= value <= high:
                raise ConfigError(
                    f"sample.{name} = {value}: accepted are whole numbers from {low:,} to {high:,}"
                )
        for name, share in (("error", self.error), ("confidence", self.confidence)):
            if share is not None and not 0.0 < share < 1.0:
                raise ConfigError(
                    f"sample.{name} = {share:g}: accepted are numbers above 0 and below 1"
                )

    @property
    def length(self) -> int:
        """Requests of a window, measured or not, as far as they are given."""
        return (self.warm_up or 0) + self.requests + (self.cool_down or 0)

    def filled(self, depth: int | None) -> Sampling:
        """The same with warm-up and cool-down for a queue depth: `None` where commands come at times of their own."""
        turns = depth or 0
        return replace(
            self,
            warm_up=max(300, 4 * turns) if self.warm_up is None else self.warm_up,
            cool_down=max(200, 2 * turns) if self.cool_down is None else self.cool_down,
        )
