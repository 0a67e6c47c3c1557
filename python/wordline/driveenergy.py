"""What a drive takes: the energy of each flash operation, its power by load, and where each number comes from."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordline.config import Overrides, flatten, resolve_layers
from wordline.formatting import quantity
from wordline.notebook import view
from wordline.notes import Note
from wordline.points.remarks import HEADING
from wordline.powerlimits import Resting, resting_of
from wordline.powersources import Source, sources_of

if TYPE_CHECKING:
    from wordline.datasheets.sheet import DataSheet
    from wordline.points.engine import Engine
    from wordline.points.outcome import Outcome

DEPTHS = (1, 32)
"""Queue depths of random reads, without others."""
SHOWN = {
    ("random read", "filled in order"),
    ("random write", "sustained"),
    ("random 70 % read", "sustained"),
    ("sequential read", "filled in order"),
    ("sequential write", "filled in order"),
}
"""Loads of a data sheet whose power is told."""
PARTS = ("flash", "controller", "dram", "channel_io", "idle", "codec", "idle_states")
"""Parts of a drive that take power, as the ledger of energy names them."""
SUPPLY_OF_CELLS = {"slc": "3.3 V", "mlc": "3.3 V", "tlc": "2.5 V", "qlc": "2.5 V"}
"""Supply voltage where a drive gives neither `power.supply` nor `power.chip`: 3.3 V is that of planar parts, 2.5 V that of the presets of
drives of today (assumed)."""


@dataclass(frozen=True)
class OperationEnergy:
    """What the ledger of a drive charges for an operation on one page, or for the erase of one block."""

    operation: str
    """`read`, `program` or `erase`."""
    mode: str
    """`normal`, or a name of `[[modes]]`."""
    page_type: str | None
    """`lower`, `middle` and so on; `all` where the page types do not differ; `None` for an erase."""
    seconds: float
    """For how long the array of the die works."""
    joules: float
    """The energy."""
    data_bits: int
    """Data bits of the page or the block, without spare bytes."""

    @property
    def joules_per_bit(self) -> float:
        """Joules for each data bit."""
        return self.joules / self.data_bits

    @property
    def watts(self) -> float:
        """Mean power of the operation."""
        return self.joules / self.seconds if self.seconds else 0.0


@dataclass(frozen=True, eq=False)
class DriveEnergy:
    """The energies and powers of a drive."""

    name: str
    """The preset or file."""
    toml: str
    """The drive, every default filled in."""
    operations: tuple[OperationEnergy, ...]
    """The energy of each operation."""
    sources: tuple[Source, ...]
    """Where voltages, currents and powers come from."""
    resting: tuple[Resting, ...]
    """What it takes without requests: the idle drive, and its idle states."""
    sheet: DataSheet | None
    """The loads that were simulated; none where only operations were asked for, and for zoned drives."""
    lacks_loads: bool = False
    """Whether loads were asked for that the drive does not take."""

    @cached_property
    def config(self) -> Mapping[str, Any]:
        """The drive by section and key."""
        return tomllib.loads(self.toml)

    @property
    def origin(self) -> str:
        """Where the energies of operations come from, in words."""
        power = self.config["power"]
        if chip := power.get("chip"):
            return f"FlashPower, chip {Path(chip).stem} (power.chip)"
        (supply,) = (each for each in self.sources if each.key == "power.supply")
        how = "assumed: the drive has no power.supply" if supply.origin == "assumed" else supply.key
        return f"supply voltage x current x time of the array; {supply.value} ({how})"

    @cached_property
    def loads(self) -> list[dict[str, object]]:
        """Watts by load: the mean, the highest window, and by part; the idle drive last. Empty where none was asked for."""
        if self.sheet is None:
            return self.idle if self.lacks_loads else []
        rows = [
            {
                "load": load.name,
                "state": load.state,
                "depth": load.depth,
                "iops": got.number("host.iops"),
                "bandwidth_mb_s": got.number("host.bandwidth_mb_s"),
                "mean_w": watts(got, "power.mean_mw"),
                "highest_window_w": watts(got, "power.max_window_mw"),
                "pj_per_host_bit": picojoules(got.number("energy.per_host_byte_nj")),
                "slc_cache_share": got.number("ftl.slc_cache.share"),
                "limited_share": got.number("power.limit.share"),
                **parts(got),
                HEADING: row[HEADING],
            }
            for load, got, row in zip(
                self.sheet.loads, self.sheet.outcomes, self.sheet.rows, strict=True
            )
        ]
        return [*rows, *self.idle]

    @property
    def idle(self) -> list[dict[str, object]]:
        """The rows of a drive without requests: `power.idle` with its DRAM, and its idle states."""
        return [resting_row(state) for state in self.resting]

    @property
    def notes(self) -> tuple[Note, ...]:
        """What to know before trusting the numbers."""
        found = []
        assumed = [each for each in self.sources if each.origin == "assumed"]
        for each in assumed:
            text = f"{each.key} = {each.value} is assumed ({each.remark}); set it, and the currents, from the data sheet of the part"
            found.append(Note("warning", "assumed_supply", text))
        nothing = [each.key for each in self.sources if watts_or_none(each.value) == 0]
        if nothing:
            text = f"Not counted, because it is 0 W: {', '.join(nothing)}"
            found.append(Note("info", "not_counted", text))
        if self.lacks_loads:
            text = (
                "Zoned drives take writes in zones only, which the loads of a data sheet are not: no power at work is told. "
                f"`wordline run {self.name}` with `power.supply` tells that of its own workload (`power.mean_mw`)."
            )
            found.append(Note("warning", "no_loads", text))
        return (*found, *(self.sheet.remarks.lettered if self.sheet else ()))

    def _repr_html_(self) -> str:
        from wordline.report.driveenergy import operations

        return view(self, operations(self))

    def __repr__(self) -> str:
        return f"<DriveEnergy of {self.name}: {len(self.operations)} operations, {len(self.loads)} loads>"

    def answer(self) -> dict[str, Any]:
        """Everything but the notes as JSON: microjoules, picojoules per bit, watts."""
        return {
            "drive": self.name,
            "energy_from": self.origin,
            "operations": [
                {
                    "operation": row.operation,
                    "mode": row.mode,
                    "page_type": row.page_type,
                    "time_s": row.seconds,
                    "energy_uj": row.joules * 1e6,
                    "pj_per_bit": row.joules_per_bit * 1e12,
                    "power_w": row.watts,
                }
                for row in self.operations
            ],
            "loads": self.loads,
            "sources": [
                {
                    "key": each.key,
                    "value": each.value,
                    "from": each.origin,
                    "remark": each.remark,
                }
                for each in self.sources
            ],
        }


def drive_energy(
    drive: str | PathLike[str],
    overrides: Mapping[str, Any] | Overrides = (),
    *,
    depths: Sequence[int] = DEPTHS,
    requests: int | None = None,
    is_simulated: bool = True,
    engine: Engine | None = None,
) -> DriveEnergy:
    """Compute what a drive takes: the energy of its flash operations, and its power by load.

    Energies are those that the ledger of a run charges: of FlashPower with `power.chip`, of the supply currents with `power.supply`. A
    drive with neither gets an assumed supply voltage, which `sources` and `notes` say.

    Args:
        drive: preset or file; its own workload and state take no part.
        overrides: dotted keys of the drive and their values.
        depths: queue depths of random reads, rising; writes and the mixed load have the deepest.
        requests: requests of each load that count; as many as a data sheet has without (`wl.data_sheet`).
        is_simulated: whether the loads are simulated; without, only operations are told.
        engine: what runs the loads; one with a thread for each core without any.

    Raises:
        ConfigError: what is refused, and what would be accepted.
        RunError: a defect of Wordline.
    """
    from wordline.datasheets.loads import loads_of
    from wordline.datasheets.sheet import data_sheet

    source = fspath(drive)
    given = flatten(overrides) if isinstance(overrides, Mapping) else tuple(overrides)
    chosen = [load for load in loads_of(depths) if (load.name, load.state) in SHOWN]
    chosen = [
        load for load in chosen if load.sequential or load.reads == 1 or load.depth == max(depths)
    ]
    assumed = assumed_supply(source, given)
    resolved = resolve_layers(source, False, None, (*assumed, *given))
    config = tomllib.loads(resolved.toml)
    rows = [OperationEnergy(*row) for row in resolved.energies()]
    sheet = None
    is_zoned = config["ftl"].get("mapping") == "zoned"
    if is_simulated and not is_zoned:
        sheet = data_sheet(
            source, (*assumed, *given), loads=chosen, requests=requests, engine=engine
        )
    sources = sources_of(source, given, config, is_assumed=bool(assumed))
    return DriveEnergy(
        source,
        resolved.toml,
        tuple(joined(rows)),
        tuple(sources),
        resting_of(resolved),
        sheet,
        is_simulated and is_zoned,
    )


def assumed_supply(source: str, overrides: Overrides) -> Overrides:
    """The override of an assumed supply voltage, where neither a drive nor the overrides have a supply or a chip.

    Raises:
        ConfigError: what is refused of the drive.
    """
    if {"power.supply", "power.chip"} & {key for key, _ in overrides}:
        return ()
    # without its supply the other keys of the section are refused
    others = tuple(pair for pair in overrides if not pair[0].startswith("power."))
    resolved = resolve_layers(source, False, None, others)
    power = tomllib.loads(resolved.toml).get("power", {})
    if "chip" in power or "supply" in power:
        return ()
    volts = SUPPLY_OF_CELLS[str(resolved.get("geometry.cell_type"))]
    return (("power.supply", f'"{volts}"'),)


def joined(rows: Sequence[OperationEnergy]) -> Iterator[OperationEnergy]:
    """The rows, with one in place of those of a mode whose page types do not differ."""
    groups: dict[tuple[str, str], list[OperationEnergy]] = {}
    for row in rows:
        groups.setdefault((row.mode, row.operation), []).append(row)
    for group in groups.values():
        first = group[0]
        if first.page_type and len({(row.joules, row.seconds) for row in group}) == 1:
            yield OperationEnergy(
                first.operation, first.mode, "all", first.seconds, first.joules, first.data_bits
            )
        else:
            yield from group


def parts(outcome: Outcome) -> dict[str, float]:
    """Mean watts of each part of the drive under a load."""
    total, mean = outcome.number("energy.total_mj"), watts(outcome, "power.mean_mw")
    share = mean / total if total and mean else 0.0
    return {f"{part}_w": share * (outcome.number(f"energy.{part}_mj") or 0.0) for part in PARTS}


def resting_row(state: Resting) -> dict[str, object]:
    """The row of a drive that has nothing to do."""
    is_awake = state.name == "idle"
    taken = {"idle_w" if is_awake else "idle_states_w": state.watts, "dram_w": state.dram}
    mean = state.total
    return {
        "load": state.name,
        "state": "any" if is_awake else f"after {quantity(state.after, 's')}",
        "depth": 0,
        "iops": 0.0,
        "bandwidth_mb_s": 0.0,
        "mean_w": mean,
        "highest_window_w": mean,
        "pj_per_host_bit": None,
        "slc_cache_share": None,
        "limited_share": None,
        **{f"{part}_w": taken.get(f"{part}_w", 0.0) for part in PARTS},
        HEADING: "" if is_awake else f"left within {quantity(state.exit, 's')}",
    }


def watts(outcome: Outcome, key: str) -> float | None:
    """A power of a summary in watts."""
    milliwatts = outcome.number(key)
    return None if milliwatts is None else milliwatts / 1e3


def picojoules(nanojoules: float | None) -> float | None:
    """Picojoules for each bit from nanojoules for each byte."""
    return None if nanojoules is None else nanojoules * 1e3 / 8


def watts_of(power: str) -> float:
    """A power as a resolved configuration writes it, in watts."""
    from wordline.datasheets.sheet import watts_of as of

    return of(power)


def watts_or_none(value: str) -> float | None:
    """A power in watts; `None` for what is no power."""
    return watts_of(value) if value.endswith("W") else None
