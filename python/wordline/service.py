"""What a data centre asks of a drive: what it loses while it is switched off, and what replacing it costs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from wordline import _wordline
from wordline.errors import ConfigError
from wordline.formatting import BINARY_UNITS
from wordline.lifetimes import Lifetime, LifetimeFiles, LifetimeStudy, study
from wordline.studied_cells import AUTO
from wordline.sweeps.values import quantity

GB = 1e9
YEAR = 365 * 86_400.0


def unpowered(found: Lifetime, times: Sequence[float]) -> pl.DataFrame:
    """What a drive loses that is switched off at the end of a lifetime study, since nothing is refreshed without power.

    A block loses its data where less than the time without power is left of its retention.

    Args:
        found: the study.
        times: times without power, in seconds.

    Returns a row for each time: `time_s`, `lost_blocks` and `lost_pages` as shares of the blocks that hold data and of the pages.

    Raises:
        ConfigError: a time that is negative or no number.
    """
    for time in times:
        if not (math.isfinite(time) and time >= 0):
            raise ConfigError(f"times = {time}: accepted are times from 0 s on")
    held = found.blocks.filter(pl.col("valid_pages") > 0)
    pages = max(int(held["valid_pages"].sum()), 1)
    rows = []
    for time in times:
        lost = held.filter(pl.col("left_s") < time)
        rows.append(
            {
                "time_s": float(time),
                "lost_blocks": lost.height / max(held.height, 1),
                "lost_pages": int(lost["valid_pages"].sum()) / pages,
            }
        )
    return pl.DataFrame(
        rows, {"time_s": pl.Float64, "lost_blocks": pl.Float64, "lost_pages": pl.Float64}
    )


@dataclass(frozen=True)
class ServiceCost:
    """What drives cost over the service of a server."""

    drives: int
    """Drives bought: the first one, and one for each that has ended before the service does."""
    price: float
    """Price of them together."""


def service_cost(
    life_s: float | None, *, service_s: float, price_per_gb: float, capacity_gb: float
) -> ServiceCost:
    """Replacements times price over a service (V. Mohan 2015, section 4.5).

    Args:
        life_s: life of a drive in seconds; without one it outlasts the service.
        service_s: length of the service in seconds.
        price_per_gb: price of a gigabyte.
        capacity_gb: capacity of the drive in gigabytes.

    Raises:
        ConfigError: a value that is not above 0 and finite.
    """
    for name, value in (
        ("life_s", life_s),
        ("service_s", service_s),
        ("price_per_gb", price_per_gb),
        ("capacity_gb", capacity_gb),
    ):
        if value is not None and not (math.isfinite(value) and value > 0):
            raise ConfigError(f"{name} = {value}: accepted are finite numbers above 0")
    drives = 1 if life_s is None else max(math.ceil(service_s / life_s), 1)
    return ServiceCost(drives, drives * price_per_gb * capacity_gb)


@dataclass(frozen=True)
class Service:
    """A service of some years, whose cost a search weighs: each design is studied over it (`lifetime`).

    Expressions then know `service.life_s` (life of a drive, at most the service), `service.drives` and `service.cost`.
    """

    price_per_gb: float
    """Price of a gigabyte of flash, reserved space included."""
    length: float = 5 * YEAR
    """Seconds of the service."""
    writes_per_day: float | None = 1.0
    """Drive writes per day; `None`: the arrival times of the workload are used."""
    required: float = YEAR
    """Required retention in seconds."""
    cell: str | float = AUTO
    """As in `LifetimeStudy`."""

    def __post_init__(self) -> None:
        """Check what can be told without a drive.

        Raises:
            ConfigError: a price that is not above 0 and finite; as for `LifetimeStudy`.
        """
        if not (math.isfinite(self.price_per_gb) and self.price_per_gb > 0):
            raise ConfigError(
                f"price_per_gb = {self.price_per_gb}: accepted are finite numbers above 0"
            )
        _ = self.asked

    @property
    def asked(self) -> LifetimeStudy:
        """The study of a design."""
        return LifetimeStudy(
            cell=self.cell,
            required=self.required,
            horizon=self.length,
            every=self.length / 60,
            writes_per_day=self.writes_per_day,
        )

    def figures(self, resolved: _wordline.Resolved) -> dict[str, float]:
        """What a design costs.

        Raises:
            ConfigError: a drive or a workload that cannot be studied.
        """
        found = study(resolved, self.asked, LifetimeFiles(), None)
        summary = found.summary
        life = summary["life_s"]
        cost = service_cost(
            None if life is None else max(float(life), 1.0),
            service_s=self.length,
            price_per_gb=self.price_per_gb,
            capacity_gb=flash_bytes(resolved) / GB,
        )
        return {
            "service.life_s": self.length if life is None else float(life),
            "service.drives": float(cost.drives),
            "service.cost": cost.price,
        }


def flash_bytes(resolved: _wordline.Resolved) -> int:
    """Bytes of the flash of a drive, reserved space included."""
    counts = (
        "channels",
        "chips_per_channel",
        "dies_per_chip",
        "planes_per_die",
        "blocks_per_plane",
    )
    total = 1
    for name in (*counts, "pages_per_block", "page_size"):
        size, unit = quantity(resolved.get(f"geometry.{name}"))
        total *= round((size or 0) * 1024 ** BINARY_UNITS.index(unit or "B"))
    return total
