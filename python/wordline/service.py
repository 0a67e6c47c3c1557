"""What a data centre asks of a drive: what it loses while it is switched off, and what replacing it costs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from wordline.errors import ConfigError
from wordline.lifetimes import Lifetime


def unpowered(found: Lifetime, times: Sequence[float]) -> pl.DataFrame:
    """What a drive loses that is switched off at the end of a lifetime study, since nothing is refreshed without power.

    A block loses its data where their age, the time since its last page was written and the time without power together exceed its
    retention. Blocks that were never written in the study count as written at its start.

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
    end = float(found.snapshots["time_s"].max() or 0.0)  # type: ignore[arg-type]  # `max` of a column of numbers is a number or none
    held = found.blocks.filter(pl.col("valid_pages") > 0).with_columns(
        age=end - pl.col("last_program_s").fill_null(0.0)
    )
    pages = max(int(held["valid_pages"].sum()), 1)
    rows = []
    for time in times:
        lost = held.filter(pl.col("age") + time > pl.col("retention_s"))
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
