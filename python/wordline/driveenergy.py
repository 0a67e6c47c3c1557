"""What a drive takes: the energy of each flash operation, its power by load, and where each number comes from."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordline import _wordline
from wordline.config import Overrides, flatten, resolve_layers
from wordline.errors import ConfigError
from wordline.notes import Note
from wordline.points.remarks import HEADING

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
PARTS = ("flash", "controller", "dram", "channel_io", "idle", "codec")
"""Parts of a drive that take power, as the ledger of energy names them."""
CURRENTS = {"read": "i_read", "program": "i_program", "erase": "i_erase"}
"""Keys of `[power]` with the supply current of each operation."""
OF_CIRCUIT = ("chip", "pattern", "ones", "ones_min", "ones_max")
"""Keys of `[power]` that say what FlashPower computes."""
STEADY = ("controller", "dram", "channel_io", "idle")
"""Keys of `[power]` with what does not depend on flash operations."""
SUPPLY_OF_CELLS = {"slc": "3.3 V", "mlc": "3.3 V", "tlc": "2.5 V", "qlc": "2.5 V"}
"""Supply voltage where a drive gives neither `power.supply` nor `power.chip`: 3.3 V is that of planar parts, 2.5 V that of the presets of
drives of today (assumed)."""
MOST_BASES = 16
"""Files of a description that lie on each other; the loader itself refuses more, and circles."""

OF_CHIPS = ("chip", "device", "bias", "policy", "calibration")
"""Sections that the description of a chip has and that of a drive has not."""


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


@dataclass(frozen=True)
class Source:
    """Where a number that all others depend on comes from."""

    key: str
    """The key of the drive."""
    value: str
    """Its value."""
    origin: str
    """`drive` (its file or preset), `option` (an override), `default`, or `assumed` (neither the drive nor a default has it)."""
    remark: str
    """What the file says beside the key, or why the value is assumed; empty where neither says anything."""


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
    sheet: DataSheet | None
    """The loads that were simulated; none where only operations were asked for."""

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
        """Watts by load: the mean, the highest window, and by part; the idle drive last. Empty without `sheet`."""
        if self.sheet is None:
            return []
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
                **parts(got),
                HEADING: row[HEADING],
            }
            for load, got, row in zip(
                self.sheet.loads, self.sheet.outcomes, self.sheet.rows, strict=True
            )
        ]
        return [*rows, self.idle]

    @property
    def idle(self) -> dict[str, object]:
        """The row of a drive without requests: `power.idle` and `power.dram`."""
        own = {part: watts_of(self.config["power"].get(part, "0 W")) for part in ("idle", "dram")}
        resting = {f"{part}_w": own.get(part, 0.0) for part in PARTS}
        rates: dict[str, object] = {"iops": 0.0, "bandwidth_mb_s": 0.0}
        mean = sum(own.values())
        return {
            "load": "idle",
            "state": "any",
            "depth": 0,
            **rates,
            "mean_w": mean,
            "highest_window_w": mean,
            "pj_per_host_bit": None,
            **resting,
            HEADING: "",
        }

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
        return (*found, *(self.sheet.remarks.lettered if self.sheet else ()))

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
    resolved = resolve_layers(source, False, None, given)
    power = tomllib.loads(resolved.toml).get("power", {})
    assumed: Overrides = ()
    if "chip" not in power and "supply" not in power:
        volts = SUPPLY_OF_CELLS[str(resolved.get("geometry.cell_type"))]
        assumed = (("power.supply", f'"{volts}"'),)
        resolved = resolve_layers(source, False, None, (*given, *assumed))
    rows = [OperationEnergy(*row) for row in resolved.energies()]
    sheet = None
    if is_simulated:
        sheet = data_sheet(
            source, (*given, *assumed), loads=chosen, requests=requests, engine=engine
        )
    config = tomllib.loads(resolved.toml)
    sources = sources_of(source, given, config, is_assumed=bool(assumed))
    return DriveEnergy(source, resolved.toml, tuple(joined(rows)), tuple(sources), sheet)


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


def sources_of(
    source: str, overrides: Overrides, config: Mapping[str, Any], *, is_assumed: bool
) -> Iterator[Source]:
    """Where the numbers of `[power]` come from."""
    power = config["power"]
    basis = OF_CIRCUIT if "chip" in power else ("supply", *CURRENTS.values())
    texts = [*texts_of(source)]
    names = [name for name in (*basis, *STEADY) if name in power]
    given = {key for key, _ in overrides}
    for name in names:
        key, value = f"power.{name}", str(power[name])
        remarks = [found for text in texts if (found := remark_of(text, name)) is not None]
        if name == "supply" and is_assumed:
            cells = config["geometry"]["cell_type"]
            why = f"usual of {cells.upper()}; the drive has neither power.supply nor power.chip"
            yield Source(key, value, "assumed", why)
        elif key in given:
            yield Source(key, value, "option", "")
        elif remarks:
            yield Source(key, value, "drive", remarks[0])
        else:
            what = "a usual typical value of data sheets of planar parts (assumed)"
            yield Source(key, value, "default", what if name in CURRENTS.values() else "")


def texts_of(source: str) -> Iterator[str]:
    """The text of a description and of those that it stands on, its own first."""
    presets = {preset["name"]: preset["text"] for preset in _wordline.presets()}
    folder = Path()
    for _ in range(MOST_BASES):
        if source in presets:
            text = presets[source]
        else:
            path = folder / source
            folder = path.parent
            text = path.read_text(encoding="utf-8", errors="replace")
        yield text
        base = tomllib.loads(text).get("base")
        if not isinstance(base, str):
            return
        source = base


def remark_of(text: str, name: str) -> str | None:
    """What a description says beside a key of `[power]`: empty where it says nothing, `None` where it has no such key."""
    table = tomllib.loads(text).get("power", {})
    if not isinstance(table, dict) or name not in table:
        return None
    section = ""
    for line in text.splitlines():
        if found := re.match(r"\s*\[+\s*([\w.]+)", line):
            section = found[1]
        key = name if section == "power" else rf"power\.{name}"
        found = re.match(rf"\s*{key}\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^#]*?)\s*#\s*(.*)", line)
        if found and section in ("power", ""):
            return found[1].strip()
    return ""


def is_chip(source: str) -> bool:
    """Whether a name or file describes a chip, not a drive.

    Raises:
        ConfigError: it is neither the name of one, nor a file.
    """
    chips = [chip["name"] for chip in _wordline.chips()]
    presets = [preset["name"] for preset in _wordline.presets()]
    if source in chips or source in presets:
        return source in chips
    path = Path(source)
    if not path.is_file():
        hint = _wordline.did_you_mean(source, [*chips, *presets])
        raise ConfigError(
            f"{source}: neither a file nor a name that is built in; {hint}accepted are chips (`wordline chips`), "
            "presets (`wordline presets`), and TOML files of either"
        )
    return describes_chip(path, chips, presets)


def describes_chip(path: Path, chips: Sequence[str], presets: Sequence[str]) -> bool:
    """Whether a file describes a chip: by the description it stands on, else by its sections."""
    for _ in range(MOST_BASES):
        try:
            tree = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
            return False  # the loader of drives says what is wrong
        if any(section in tree for section in OF_CHIPS):
            return True
        base = tree.get("base")
        if not isinstance(base, str) or base in presets:
            return False
        if base in chips:
            return True
        path = path.parent / base
    return False


def parts(outcome: Outcome) -> dict[str, float]:
    """Mean watts of each part of the drive under a load."""
    total, mean = outcome.number("energy.total_mj"), watts(outcome, "power.mean_mw")
    share = mean / total if total and mean else 0.0
    return {f"{part}_w": share * (outcome.number(f"energy.{part}_mj") or 0.0) for part in PARTS}


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
