"""A data sheet: every load simulated, and what follows for the life of the drive, its power and its memory."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from wordline.config import Overrides, counted, resolve_layers, toml_value
from wordline.datasheets.loads import (
    DEPTHS,
    MOST_REQUESTS,
    RANDOM,
    TURNS,
    WARM_UP,
    Load,
    loads_of,
    requests_needed,
    requests_of,
    requests_of_a_turn,
)
from wordline.errors import ConfigError
from wordline.formatting import part_of, size_in_bytes
from wordline.notes import CONFIGURATION, Note
from wordline.points.engine import Engine
from wordline.points.outcome import Outcome
from wordline.points.point import Point, overlay
from wordline.points.remarks import HEADING, Remarks
from wordline.powerlimits import Resting, resting_of
from wordline.rated import CYCLES
from wordline.report.subject import user_bytes

if TYPE_CHECKING:
    import polars as pl

YEARS = 5.0
"""Years of the warranty; assumed: what most makers give."""
PERCENTILES = {"mean": "mean_us", "p50": "p50_us", "p99": "p99_us", "p99.9": "p999_us"}
"""Latencies of a sheet, and the ends of their keys."""
PARTS = {
    "dies": "nand.die_utilization",
    "channels": "nand.channel_utilization",
    "link to the drive": "host.link.to_drive_utilization",
    "link to the host": "host.link.to_host_utilization",
    "firmware": "firmware.utilization",
    "decoders": "ecc.decoder_utilization",
}
"""Parts of the drive that limit its throughput, and how busy they were."""
FRESH_SHARE = 0.5
"""Part of an empty drive that the writes of the fresh state fill at most, so that nothing is collected."""
KNOWN = (CONFIGURATION, "warm_up")
"""Notes of runs that say what the sheet says itself, or what was said when its drive was read."""
PLANES = ("channels", "chips_per_channel", "dies_per_chip", "planes_per_die")
"""Counts of a geometry whose product is that of its planes."""
LIMITED = "limited"
"""Key of the note of loads with fewer requests than they need."""
SLC_CACHE, SLC_SHARE = "SLC cache", "ftl.slc_cache.share"
"""Column of the share of the written pages that an SLC cache took, and its key in summaries."""
LIMITED_SHARE = "held back by the power limit"
"""Column of the share of a load in which a limit of power held programs and erases back."""
CACHED = "slc_cache"
"""Key of the note of loads whose writes went to an SLC cache."""
OWN_TABLES = ("workload", "tenants", "run")
"""Sections that a data sheet has its own of."""
OWN_KEYS = ("age.method", "age.random_factor", "age.snapshot")
"""Keys that the states of the drive set."""

Row = Mapping[str, object]


@dataclass(frozen=True, eq=False)
class DataSheet:
    """What a drive does under the loads of a data sheet."""

    config: Mapping[str, Any]
    """The drive, without its workload."""
    loads: tuple[Load, ...]
    """What was asked."""
    outcomes: tuple[Outcome, ...]
    """What each load came to, in the same order."""
    cycles: int
    """Program/erase cycles that the blocks are rated for."""
    years: float
    """Years of the warranty."""
    resting: tuple[Resting, ...]
    """What it takes without requests: the idle drive, and its idle states."""
    needed: Mapping[Load, int] = field(default_factory=dict)
    """Requests that loads need, of those that had only `MOST_REQUESTS` of them."""

    @property
    def summary(self) -> Mapping[str, Any]:
        """The summary of the first load, for what all loads have in common."""
        return self.outcomes[0].summary

    @cached_property
    def user_bytes(self) -> int:
        """Bytes that the drive exports."""
        return user_bytes(self.config, self.summary)

    @cached_property
    def raw_bytes(self) -> int:
        """Bytes of all flash pages, without their spare areas."""
        return raw_bytes(self.config["geometry"])

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """Findings of the runs, each once, warnings first, with the loads that have it."""
        return self.remarks.notes

    @cached_property
    def remarks(self) -> Remarks:
        """The notes, with the letters that mark rows."""

        def told(places: Sequence[int], note: Note) -> str:
            first = self.loads[places[0]].label
            texts = {self.found[place][note.key].text for place in places}
            if len(texts) > 1:
                return f"{len(places)} of {len(self.loads)} loads have a note of this kind; that of {first}: {note.text}"
            return f"{first}{and_others(len(places) - 1)}: {note.text}"

        return Remarks.of(self.found, told)

    @cached_property
    def found(self) -> list[Mapping[str, Note]]:
        """The notes of each load by their keys: what its run said, whether it had fewer requests than it needs, and whether it is about an SLC cache."""
        limited = {LIMITED: note_of_limit(self.needed)} if self.needed else {}
        return [
            {key: note for key, note in got.findings.items() if key not in KNOWN}
            | (limited if load in self.needed else {})
            | note_of_cache(load, got.number(SLC_SHARE))
            for load, got in zip(self.loads, self.outcomes, strict=True)
        ]

    @cached_property
    def rows(self) -> list[dict[str, object]]:
        """Throughput and latencies, a row for each load; with an SLC cache also the share of the written pages that went to it."""
        has_cache = any(got.number(SLC_SHARE) is not None for got in self.outcomes)
        return [
            {
                "load": load.name,
                "state": load.state,
                "size": load.size,
                "depth": load.depth,
                "bandwidth (MB/s)": got.number("host.bandwidth_mb_s"),
                "IOPS": got.number("host.iops"),
                **{
                    f"{name} (µs)": got.number(f"host.all.latency.{key}")
                    for name, key in PERCENTILES.items()
                },
                "write amplification": got.number("ftl.write_amplification_total"),
                **({SLC_CACHE: got.number(SLC_SHARE)} if has_cache else {}),
                **self.busiest(got),
                HEADING: self.remarks.marks(own),
            }
            for load, got, own in zip(self.loads, self.outcomes, self.found, strict=True)
        ]

    def busiest(self, outcome: Outcome) -> dict[str, object]:
        """The part of the drive that was busiest, and the share of the time that it was."""
        shares = {name: outcome.number(key) or 0.0 for name, key in PARTS.items()}
        name = max(shares, key=lambda part: shares[part])
        return {"busiest": name, "busy": shares[name]}

    @cached_property
    def endurance(self) -> list[dict[str, object]]:
        """Bytes that the host may write until blocks have their rated cycles, a row for each load that only writes.

        All blocks wear alike, and every byte of flash takes `cycles` bytes.
        """
        deepest: dict[tuple[str, str], tuple[Load, Outcome]] = {}
        for load, got in zip(self.loads, self.outcomes, strict=True):
            if load.reads == 0 and load.state != "fresh":
                deepest[load.name, load.state] = (load, got)
        rows: list[dict[str, object]] = []
        for load, got in deepest.values():
            programmed = got.number("ftl.write_amplification_bytes")
            if programmed:
                terabytes = self.raw_bytes * self.cycles / programmed / 1e12
                per_day = terabytes * 1e12 / self.user_bytes / (self.years * 365)
                rows.append(
                    {
                        "load": load.name,
                        "size": load.size,
                        "bytes programmed for each written": programmed,
                        "terabytes written": terabytes,
                        f"drive writes per day over {self.years:g} years": per_day,
                    }
                )
        return rows

    @cached_property
    def power(self) -> list[dict[str, object]]:
        """Mean power of every load and of the idle drive; empty where the configuration has no power at all."""
        rows: list[dict[str, object]] = [
            {
                "load": f"{load.name}, {load.state}",
                "depth": load.depth,
                "mean power (mW)": got.number("power.mean_mw"),
                "nJ per byte of the host": got.number("energy.per_host_byte_nj"),
                LIMITED_SHARE: got.number("power.limit.share"),
            }
            for load, got in zip(self.loads, self.outcomes, strict=True)
            if got.number("power.mean_mw")
        ]
        if not rows:
            return []
        for state in self.resting:
            rest = {"load": state.name, "depth": 0, "mean power (mW)": state.total * 1e3}
            rows.append({**rest, "nJ per byte of the host": None, LIMITED_SHARE: None})
        return rows

    @cached_property
    def memory(self) -> list[dict[str, object]]:
        """Bytes of memory that the drive needs: its map, and its data buffer."""
        buffer = self.config.get("buffer", {})
        has_buffer = buffer.get("policy", "none") != "none"
        most = max(got.number("ftl.table.memory_bytes") or 0.0 for got in self.outcomes)
        host = max(got.number("ftl.table.host_memory_bytes") or 0.0 for got in self.outcomes)
        rows: list[dict[str, object]] = [{"memory": "map, in the controller", "bytes": int(most)}]
        if host:
            rows.append({"memory": "cache of the map, in the host", "bytes": int(host)})
        if has_buffer:
            rows.append({"memory": "data buffer", "bytes": size_in_bytes(buffer["size"])})
        return rows

    @property
    def table(self) -> pl.DataFrame:
        """Throughput and latencies as a frame."""
        import polars as pl

        return pl.DataFrame(self.rows)

    def answer(self) -> dict[str, Any]:
        """Everything as JSON."""
        return {
            "drive": self.config.get("name"),
            "user_bytes": self.user_bytes,
            "raw_bytes": self.raw_bytes,
            "cycles": self.cycles,
            "years": self.years,
            "loads": self.rows,
            "endurance": self.endurance,
            "power": self.power,
            "memory": self.memory,
        }


def data_sheet(
    drive: str,
    overrides: Overrides = (),
    *,
    depths: Sequence[int] = DEPTHS,
    size: str = RANDOM,
    loads: Sequence[Load] | None = None,
    requests: int | None = None,
    cycles: int | None = None,
    years: float = YEARS,
    engine: Engine | None = None,
) -> DataSheet:
    """Simulate the loads of a data sheet.

    Args:
        drive: preset or file of the drive; its own workload, tenants and state take no part.
        overrides: dotted keys of the drive and their values.
        depths: queue depths of random requests, rising.
        size: size of random requests.
        loads: the loads, in place of those of every sheet; depths and size are not used then.
        requests: requests of each run that count; without any, 50,000, and for sustained writes as many as `requests_of` says. Fewer than
            it takes until every plane has collected a block are refused, unless there are `loads`.
        cycles: program/erase cycles that the blocks are rated for; by the type of cell without any (`CYCLES`).
        years: years of the warranty.
        engine: what runs the points; one with a thread for each core without any.

    Raises:
        ConfigError: what is refused, and what would be accepted.
        RunError: a defect of Wordline.
    """
    if requests is not None:
        counted("--requests", requests, 1_000_000_000)
    if not 0 < years <= 100:
        raise ConfigError(f"--years = {years:g}: accepted is above 0 and at most 100")
    for key, _ in overrides:
        if key.partition(".")[0] in OWN_TABLES or key in OWN_KEYS:
            raise ConfigError(f"--set {key}: a data sheet has loads and states of its own")
    described = resolve_layers(drive, False, None, overrides)
    resolved = described.toml
    text = own_text(resolved)
    config = tomllib.loads(resolved)
    rated = CYCLES[config["geometry"]["cell_type"]] if cycles is None else cycles
    counted("--cycles", rated, 100_000_000)
    asked = loads_of(depths, whole_size(text, size)) if loads is None else tuple(loads)
    if loads is None and requests is not None:
        refuse_too_few(requests, config, asked)
    points = [point_of(text, config, load, requests) for load in asked]
    found = (engine or Engine()).run(points)
    needed = {} if requests else needed_beyond(config, asked)
    outcomes = tuple(found[point] for point in points)
    return DataSheet(config, asked, outcomes, rated, years, resting_of(described), needed)


def point_of(text: str, config: Mapping[str, Any], load: Load, asked: int | None) -> Point:
    """The run of a load, whose writes fill the data buffer before they count.

    Raises:
        ConfigError: the drive is too small for the load.
    """
    size = size_in_bytes(load.size)
    raw = raw_bytes(config["geometry"])
    requests = asked or requests_of(load, size, *collected_of(config))
    buffer = config.get("buffer", {})
    before = round(requests * WARM_UP)
    if buffer.get("policy", "none") != "none" and load.reads < 1:
        before = max(before, -(-size_in_bytes(buffer["size"]) // size))
    if load.state == "fresh":
        room = int(raw * FRESH_SHARE) // size
        before = min(before, room // 2)
        requests = min(requests, room - before)
        if requests < 1:
            raise ConfigError(f"{load.label}: the drive is too small for requests of {load.size}")
    overrides = overlay(load.overrides(requests, before, config["age"]))
    return Point(text, overrides, (), load.label, is_text=True)


def needed_beyond(config: Mapping[str, Any], loads: Sequence[Load]) -> dict[Load, int]:
    """The requests that loads need, of those that need more than `MOST_REQUESTS`."""
    drive = collected_of(config)
    needed = {load: requests_needed(load, size_in_bytes(load.size), *drive) for load in loads}
    return {load: count for load, count in needed.items() if count > MOST_REQUESTS}


def note_of_limit(needed: Mapping[Load, int]) -> Note:
    """What loads with fewer requests than they need show; a warning where a plane may not have collected a block at all."""
    most = max(needed.values())
    return Note(
        "warning" if most > TURNS * MOST_REQUESTS else "info",
        LIMITED,
        f"Without --requests at most {MOST_REQUESTS:,} requests count, and {most:,} would be needed until every plane has collected {TURNS} "
        f"blocks. These figures may still reflect the state that preconditioning left. `--requests {most}` runs them all.",
    )


def note_of_cache(load: Load, share: float | None) -> dict[str, Note]:
    """What a load shows whose writes went to an SLC cache, by the key of the note; a warning where it is told as one that goes on for ever.

    Args:
        load: what was asked of the drive.
        share: share of the written pages that went to the cache; `None` where nothing was written, or there is none.
    """
    if not share:
        return {}
    of_cache = "these figures are" if share == 1 else "these figures are in part"
    text = (
        f"The SLC cache took {part_of(share)} of the written pages, so {of_cache} those of a cache with room. Once it is full, "
        "writes go at the speed of the flash behind it; run longer (`--requests`) to see that."
    )
    return {CACHED: Note("warning" if load.state == "sustained" else "info", CACHED, text)}


def collected_of(config: Mapping[str, Any]) -> tuple[int, int, float]:
    """Planes of a drive, bytes of a block, and the share of the flash that is not exported."""
    geometry = config["geometry"]
    planes = math.prod(int(geometry[count]) for count in PLANES)
    block = raw_bytes(geometry) // (planes * int(geometry["blocks_per_plane"]))
    return planes, block, spare_share(config["ftl"])


def refuse_too_few(requests: int, config: Mapping[str, Any], loads: Sequence[Load]) -> None:
    """Refuse runs that end before every plane has collected a block: they show where they began, not what the drive sustains.

    Raises:
        ConfigError: so many requests are too few.
    """
    drive = collected_of(config)
    needed = {
        load: math.ceil(requests_of_a_turn(load, size_in_bytes(load.size), *drive))
        for load in loads
    }
    longest = max(loads, key=lambda load: needed[load])
    if requests < needed[longest]:
        raise ConfigError(
            f"--requests {requests}: too few for {longest.label}; accepted are {needed[longest]:,} or more, in which every plane "
            "collects a block. Without --requests each load has as many as it needs"
        )


def whole_size(text: str, size: str) -> str:
    """A size of requests as resolved configurations write it.

    Raises:
        ConfigError: it is none.
    """
    key = "workload.request_size"
    resolved = resolve_layers(text, True, None, ((key, toml_value(key, size)),))
    found = tomllib.loads(resolved.toml)["workload"]["request_size"]
    if not isinstance(found, str):
        raise ConfigError(f"--size {size}: accepted is one size, as in 4 KiB")
    return found


def raw_bytes(geometry: Mapping[str, Any]) -> int:
    """Bytes of all flash pages of a geometry, without their spare areas."""
    counts = (*PLANES, "blocks_per_plane", "pages_per_block")
    pages = math.prod(int(geometry[count]) for count in counts)
    return pages * size_in_bytes(geometry["page_size"])


def spare_share(ftl: Mapping[str, Any]) -> float:
    """The share of the flash that is not exported."""
    over = float(ftl["over_provisioning"])
    return over if ftl.get("over_provisioning_basis") == "raw" else over / (1 + over)


def own_text(toml: str) -> str:
    """A resolved configuration without what a data sheet has of its own: workload, tenants, the run, and the age."""
    kept: list[str] = []
    table = ""
    for line in toml.splitlines():
        if found := re.match(r"\[+([a-z_]+)", line):
            table = found[1]
        if table not in (*OWN_TABLES, "age"):
            kept.append(line)
    return "\n".join(kept) + "\n"


def and_others(count: int) -> str:
    """How many further loads said the same."""
    return f" and {count} more" if count else ""


def watts_of(power: str) -> float:
    """A power as a resolved configuration writes it, in watts."""
    number, unit = power.split()
    return float(number) * {"W": 1.0, "mW": 1e-3, "uW": 1e-6, "nW": 1e-9}[unit]
