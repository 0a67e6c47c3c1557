"""What the figures share: loads, the small drive, lifetime studies that are done once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import altair as alt

from wordline.config import Drive
from wordline.lifetimes import BlockVariation, Lifetime, LifetimeStudy
from wordline.report.section import Row
from wordline.report.theme import data, specification
from wordline.studies.kept import kept_lifetime

DAY = 86_400.0
MONTH = 30 * DAY
"""Months of the time axis, as in the source; those of requirements are a twelfth of a year."""
YEAR = 365 * DAY
SERVICE_MONTHS = 60
LONGEST = 720
"""Months that are studied at most."""
LOGICAL_BYTES = 0.9 * 64 * 2**30
"""What M-SSD exports."""
WIDTH = 520
COLD = 0.3
"""Share of the drive that a load never writes: cold data (assumed, and swept: the source names none)."""
REST_CYCLES = 8
"""Cycles whose rests stand for a block, so that one rest of a second does not decide (assumed)."""
SIGMAS = {"traps": 0.05, "leak": 0.10, "gap": 0.010}
"""How the cells of blocks differ: the spreads that the specification of the cells suggests for studies (assumed, and swept)."""

REQUIREMENTS: Mapping[str, float] = {
    "1 year": YEAR,
    "6 months": YEAR / 2,
    "3 months": YEAR / 4,
    "1 month": YEAR / 12,
}
"""Required retention in seconds."""


@dataclass(frozen=True)
class Server:
    """A workload of table 4.1."""

    profile: str
    """The built-in profile with its counts, mix and rate (`wordline profiles`)."""
    acceleration: int
    """Acceleration that the source uses."""
    gap_ms: float
    """Mean time between requests, before acceleration."""
    writes: float
    """Share of writes."""
    write_kib: float
    """Mean size of a write, as in the profile."""
    sizes_are_published: bool = False
    """Whether sizes of such a server are published (Hu et al. 2011, table 1: Exchange, MSN file server); otherwise they are assumed to be those of the MSN file server."""

    @property
    def writes_per_day(self) -> float:
        """Drive writes a day once accelerated."""
        rate = self.acceleration * self.writes / (self.gap_ms / 1e3)
        return rate * self.write_kib * 1024 * DAY / LOGICAL_BYTES


SERVERS: Mapping[str, Server] = {
    "SSD-DAPPS": Server("dap_ps_lun", 10, 79.63, 1.22 / 2.22, 11.1),
    "SSD-EXCH": Server("exchange_lun", 4, 15.79, 2.22 / 3.22, 14.5, sizes_are_published=True),
    "SSD-MSNFS": Server("msnfs_lun", 7, 9.78, 1.24 / 2.24, 11.1, sizes_are_published=True),
    "SSD-MSNCFS": Server("msn_cfs_lun", 15, 41.63, 0.64 / 1.64, 11.1),
}
"""The loads, in the order of the source."""
INTENSE = ("SSD-DAPPS", "SSD-EXCH", "SSD-MSNFS")

SMALL = {
    "geometry.channels": 4,
    "geometry.planes_per_die": 2,
    "geometry.blocks_per_plane": 64,
    "geometry.pages_per_block": 32,
    "ftl.gc.mode": "foreground",
    "ftl.gc.hard": 0.05,
}
"""M-SSD in small: as many writes to each block as in the large one. Without a clock collection has no background: it keeps the source's 5 % of free blocks."""


def of(quick: bool) -> Mapping[str, Server]:
    """The loads; two of them in the quick form."""
    return {name: SERVERS[name] for name in ("SSD-EXCH", "SSD-MSNFS")} if quick else SERVERS


def required(quick: bool) -> Mapping[str, float]:
    """The requirements; two of them in the quick form."""
    return {name: REQUIREMENTS[name] for name in ("1 year", "1 month")} if quick else REQUIREMENTS


def inside(sigma: float) -> BlockVariation | None:
    """Cells that differ from block to block by `sigma` times the suggested spreads."""
    if not sigma:
        return None
    return BlockVariation(**{name: sigma * value for name, value in SIGMAS.items()})


def load_of(server: Server, cold: float = COLD, **more: Any) -> dict[str, Any]:
    """The keys of `[workload]` of a load that leaves a share of the drive alone."""
    region = {"region": 1 - cold} if cold else {}
    return {"kind": "profile", "profile": server.profile, **region, **more}


@cache
def study(
    load: str,
    policy: str = "none",
    requirement: float = YEAR,
    *,
    quick: bool = False,
    months: int = LONGEST,
    every: int = 1,
    intensity: float = 1.0,
    wear: str = "rate_limited",
    cold: float = COLD,
    sigma: float = 1.0,
    rest_cycles: int = REST_CYCLES,
    temperature: float | tuple[tuple[float, float], ...] = 30.0,
) -> Lifetime:
    """A lifetime study of the small drive.

    Args:
        load: name of the load.
        policy: how blocks are refreshed.
        requirement: required retention in seconds.
        quick: whether in the quick form, with an eighth of the blocks.
        months: horizon.
        every: months between two snapshots.
        intensity: further acceleration.
        wear: static wear levelling.
        cold: share of the drive that is never written.
        sigma: how much the cells of blocks differ, over what is suggested.
        rest_cycles: cycles whose rests stand for a block.
        temperature: degrees Celsius, or a profile of them.
    """
    server = SERVERS[load]
    keys: dict[str, Any] = {
        **SMALL,
        "ftl.refresh.policy": policy,
        "ftl.wear.static": wear,
    }
    if quick:
        keys |= {"geometry.channels": 1, "geometry.planes_per_die": 1}
    return kept_lifetime(
        Drive("mohan-m-ssd", **keys),
        load_of(server, cold),
        LifetimeStudy(
            required=requirement,
            horizon=months * MONTH,
            every=every * MONTH,
            writes_per_day=server.writes_per_day * intensity,
            inside=inside(sigma),
            rest_cycles=rest_cycles,
            temperature=temperature,
        ),
    )


def lasts(load: str, requirement: float, *, quick: bool) -> float | None:
    """Months until a drive without refresh ends at a requirement: less is left of the retention of a tenth of its blocks."""
    return crossed(study(load, quick=quick), requirement)


def crossed(found: Lifetime, requirement: float) -> float | None:
    """Months until less than a requirement is left of the retention of a tenth of the blocks, on a logarithmic line between snapshots; none beyond the horizon."""
    before: tuple[float, float] | None = None
    for time, tenth in found.snapshots.select("time_s", "left_p10_s").rows():
        if tenth < requirement:
            if before is None or tenth <= 0:
                return float(time) / MONTH
            share = math.log(before[1] / requirement) / math.log(before[1] / tenth)
            return float(before[0] + share * (time - before[0])) / MONTH
        before = (time, tenth)
    return None


def horizon(load: str, *, quick: bool) -> int:
    """Months that a study of a refreshing drive needs: a sixth more than wear lets any drive last."""
    worn = lasts(load, 2 * DAY, quick=quick)
    return LONGEST if worn is None else min(LONGEST, math.ceil(1.17 * worn))


def months_of(found: Lifetime, key: str = "life_s") -> float | None:
    """A life in months of 30 days; none beyond the horizon."""
    value = found.summary[key]
    return None if value is None else float(value) / MONTH


def falling(values: Sequence[float], margin: float = 0.0) -> bool:
    """Whether no value is above the one before, but for a margin."""
    return all(after <= before * (1 + margin) for before, after in pairwise(values))


def lines(
    points: Sequence[Row],
    x: tuple[str, str],
    y: tuple[str, str],
    by: str,
    *,
    log: bool = False,
    facet: str | None = None,
) -> Mapping[str, object]:
    """Lines over one quantity; a panel for each value of `facet`."""
    more: dict[str, Any] = {}
    if facet:
        more["facet"] = alt.Facet(f"{facet}:N", sort=None, columns=2, title=None)
    chart = (
        alt.Chart(data(points))
        .mark_line(point=len(points) < 200)
        .encode(
            x=alt.X(f"{x[0]}:Q", title=x[1]),
            y=alt.Y(f"{y[0]}:Q", title=y[1], scale=alt.Scale(type="log" if log else "linear")),
            color=alt.Color(f"{by}:N", sort=None),
            **more,
        )
        .properties(width=WIDTH if not facet else WIDTH // 2, height=240)
    )
    return specification(chart)


def bars(
    points: Sequence[Row], x: tuple[str, str], y: tuple[str, str], by: str
) -> Mapping[str, object]:
    """Groups of bars."""
    chart = (
        alt.Chart(data(points))
        .mark_bar()
        .encode(
            x=alt.X(f"{x[0]}:N", title=x[1], sort=None),
            xOffset=alt.XOffset(f"{by}:N", sort=None),
            y=alt.Y(f"{y[0]}:Q", title=y[1]),
            color=alt.Color(f"{by}:N", sort=None),
        )
        .properties(width=WIDTH, height=240)
    )
    return specification(chart)


def shown(values: Sequence[float | None], digits: int = 1) -> str:
    """Numbers with commas between them; those beyond the horizon as such."""
    return ", ".join("beyond" if value is None else f"{value:.{digits}f}" for value in values)
