"""Very large drives: what limits them, and what controllers inside the packages (FScale) change."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import inf
from os import PathLike, fspath
from typing import Any, Literal, Self, TypeAlias

from wordline.config import counted, resolve_trace
from wordline.errors import ConfigError
from wordline.traces import reading
from wordline_fscale import _fscale

Backend: TypeAlias = Literal["statistical", "permuted", "exact"]
Design: TypeAlias = Literal["conventional", "fscale", "hybrid"]
Rival: TypeAlias = Literal["conventional", "hybrid"]
Budget: TypeAlias = Literal["power", "area"]

MOST_CORES = 4096
"""Most cores of the central processor."""


def large_drives() -> list[str]:
    """Names of drives of 2015, such as `fscale-128tb`. Any other capacity is accepted, and `-today` after it."""
    return _fscale.large_drives()


class LargeDrive:
    """A drive whose FTL is work for processors: closed forms, and a simulation of the queues of its units.

    Args:
        name: a design (`conventional`, `fscale`, `hybrid`) and a capacity, such as `fscale-128tb`, with the controller of 2015: `tb` is 2^40 bytes there, as in
            the source. With `-today` after it, such as `fscale-30.72tb-today`, it has a controller and flash of today, and `tb` is 10^12 bytes. `tib` is 2^40 in both.
        keys: values that differ, by dotted key, such as `**{"workload.write_fraction": 0.5}`. Sizes, times and frequencies are
            texts with a unit; other numbers are numbers.

    Raises:
        ConfigError: an unknown name or key, or a value that is not accepted.
    """

    def __init__(self, name: str = "fscale-128tb", **keys: object) -> None:
        text = _fscale.large_drive(name)
        self._name = name
        self._keys: dict[str, Any] = json.loads(
            _fscale.large_drive_checked(json.dumps(changed(json.loads(text), keys)))
        )

    def changed(self, **keys: object) -> Self:
        """The same drive with other values, as dotted keys.

        Raises:
            ConfigError: an unknown key, or a value that is not accepted.
        """
        other = type(self)(self._name)
        other._keys = json.loads(_fscale.large_drive_checked(json.dumps(changed(self._keys, keys))))
        return other

    @property
    def name(self) -> str:
        """The name of the drive that it began as."""
        return self._name

    @property
    def keys(self) -> Mapping[str, Any]:
        """Every key of the drive, in sections."""
        copy: dict[str, Any] = json.loads(self._text)
        return copy

    @property
    def _text(self) -> str:
        return json.dumps(self._keys)

    def outlook(self) -> dict[str, Any]:
        """What closed forms say: `iops_bound`, which no drive exceeds, what it is `limited_by` (none is the queue depth), all `limits`, `latency` in nanoseconds in an
        idle drive, processor `cycles` of an operation by class, `hit_rate`, `tables` in bytes, `endurance_bytes` that can be written, times
        of `recovery`.
        """
        found: dict[str, Any] = json.loads(_fscale.large_drive_outlook(self._text))
        return found

    def simulate(
        self,
        operations: int = 200_000,
        *,
        backend: Backend = "statistical",
        seed: int = 1,
        **keys: object,
    ) -> dict[str, Any]:
        """What a simulation of the queues measures: `iops`, what they are `limited_by` (a unit that is busy for 90 % of the time; none is the queue depth), latencies in microseconds, also by class of requests (`latencies`), use of `units`, `operations`
        by kind.

        Args:
            operations: requests of the host, 100 or more.
            backend: what is known of each page.
            seed: of all random draws.
            keys: further settings: `warm_up`, `arrivals` (`"closed"` or `{"open": requests per second}`), `scheduling`
                (`"fifo"` or `"priority"`), `ageing_rounds`.

        Raises:
            ConfigError: a setting is not accepted.
        """
        settings = {"operations": operations, "backend": backend, "seed": seed, **keys}
        found: dict[str, Any] = json.loads(
            _fscale.large_drive_simulated(self._text, json.dumps(settings))
        )
        return found

    def replay(
        self,
        trace: str | PathLike[str],
        *,
        operations: int | None = None,
        backend: Backend = "permuted",
        seed: int = 1,
        format: str | None = None,
        options: Mapping[str, Any] | None = None,
        **keys: object,
    ) -> dict[str, Any]:
        """What a simulation of the queues measures under the reads and writes of a block trace, as `simulate` does; `skipped` counts other commands.

        A request is as many operations as it has logical pages; a page that it covers in part is read and written as a whole.

        Args:
            trace: the trace, plain or compressed.
            operations: requests at most; all of the trace where it is missing.
            backend: what is known of each page; `"permuted"` reads a page where it was written.
            seed: of all random draws.
            format: the format of the trace (`wordline formats`); without one it is recognised.
            options: further keys that set how the trace is read, as for `trace_stats`.
            keys: further settings, as for `simulate`. `arrivals` is `"closed"` (the queue depth of the workload) or `"recorded"`.

        Raises:
            ConfigError: a setting is not accepted, or a key of the workload that a trace takes the place of is set.
            TraceError: the trace cannot be read, or has a request that the drive cannot take.
        """
        most = 10**12 if operations is None else operations
        settings = {"operations": most, "backend": backend, "seed": seed, **keys}
        read = resolve_trace(trace, reading(format=format, options=options))
        found: dict[str, Any] = json.loads(
            _fscale.large_drive_replayed(
                self._text, json.dumps(settings), fspath(trace), read.workload()
            )
        )
        return found

    def cores_to_match(
        self,
        most: int = 1024,
        *,
        rival: Rival = "conventional",
        operations: int | None = None,
    ) -> dict[str, Any]:
        """How many central `cores` a rival design needs to be as fast as FScale is with the cores of this drive; none if up to
        `most` are not enough, and then `limited_by` says what stops it.

        From closed forms it compares `fscale_iops_bound` and `rival_iops_bound`. With `operations` it compares `fscale_iops` and `rival_iops` of simulations:
        the search begins at the least number of cores whose bound is as high, doubles what it adds and then halves what is left, so that `cores - 1` were simulated too.
        With `processor.serial` or `processor.coherence` more cores may be slower, and it may miss a number between those that it tries.

        Args:
            most: cores that are tried, 1 to 4096.
            rival: the design; `"hybrid"` has codecs and buses in its packages and no local controllers.
            operations: requests of each simulation; none for closed forms.

        Raises:
            ConfigError: `most`, `rival` or `operations` is not accepted.
        """
        cores = counted("most", most, MOST_CORES)
        if operations is not None:
            return self._simulated_cores(cores, rival, operations)
        found: dict[str, Any] = json.loads(_fscale.large_drive_cores(self._text, rival, cores))
        return found

    def _simulated_cores(self, most: int, rival: Rival, operations: int) -> dict[str, Any]:
        goal: float = self.changed(design="fscale").simulate(operations)["iops"]
        bound = json.loads(_fscale.large_drive_cores(self._text, rival, most, goal))
        runs: dict[int, dict[str, Any]] = {}

        def reaches(cores: int) -> bool:
            if cores not in runs:
                with_cores = self.changed(**{"design": rival, "processor.cores": cores})
                runs[cores] = with_cores.simulate(operations)
            return bool(runs[cores]["iops"] >= goal)

        def answer(cores: int | None, shown: int) -> dict[str, Any]:
            return {
                "fscale_iops": goal,
                "cores": cores,
                "rival_iops": runs[shown]["iops"],
                "limited_by": runs[shown]["limited_by"],
            }

        least = bound["cores"]
        if least is None:  # no number of cores has a bound that is high enough
            reaches(most)
            return answer(None, most)
        below, at, step = least - 1, least, 1
        while not reaches(at):
            if at == most:
                return answer(None, max(runs, key=lambda cores: runs[cores]["iops"]))
            below, at, step = at, min(at + step, most), 2 * step
        while at - below > 1:
            middle = (below + at) // 2
            below, at = (below, middle) if reaches(middle) else (middle, at)
        return answer(at, at)

    def same_budget(
        self,
        budget: Budget,
        most: int = 1024,
        *,
        rival: Rival = "conventional",
        available: float | None = None,
    ) -> dict[str, Any]:
        """FScale and a rival within the same power (watts of all but dies and the controller's memory) or area (square millimetres of logic), each at its best:
        `fscale` and `rival` have the `cores` of the centre and the `local_cores` of each package with which their `iops_bound` is highest, what limits it, and what
        is `needed` of the `available`. A design that does not fit is none.

        Args:
            budget: what both have the same of.
            most: central cores that are tried, 1 to 4096.
            rival: the design.
            available: watts or square millimetres, above 0; what FScale takes with the cores of this drive where it is missing.

        Raises:
            ConfigError: a value is not accepted.
        """
        cores = counted("most", most, MOST_CORES)
        if available is not None and not 0 < available < inf:
            raise ConfigError(f"available = {available}: accepted is a number above 0")
        found: dict[str, Any] = json.loads(
            _fscale.large_drive_same_budget(self._text, rival, budget, cores, available)
        )
        return found

    def die_cost(self) -> float:
        """How many times more a die of flash costs when the logic of a package is on it: more area, of which less is free of defects."""
        return _fscale.large_drive_die_cost(self._text)

    def power(self, iops: float) -> dict[str, float]:
        """Watts at a throughput, by part.

        Args:
            iops: requests per second, above 0.

        Raises:
            ConfigError: no such number.
        """
        if not iops > 0:
            raise ConfigError(f"iops = {iops}: accepted is a number above 0")
        found: dict[str, float] = json.loads(_fscale.large_drive_power(self._text, iops))
        return found

    def __repr__(self) -> str:
        return f"<LargeDrive {self.name}: {self._keys['design']}, {self._keys['capacity']}>"


UNITS = {
    "host": "host's line",
    "host_writes": "host's line for writes",
    "sram": "SRAM",
    "dram": "DRAM",
    "cxl": "CXL memory",
    "buffer": "write buffer",
    "ecc": "codecs",
    "channel": "channels",
    "die": "dies",
    "local": "local controllers",
    "bus": "buses of packages",
    "mini_ecc": "codecs of packages",
    "moves": "moves under way",
}
"""Names of units for people, where they are not those of the keys."""


def unit_name(unit: str | None) -> str:
    """The name of what limits a drive, for people."""
    return "queue depth" if unit is None else UNITS.get(unit, unit.replace("_", " "))


def changed(sections: Mapping[str, Any], keys: Mapping[str, object]) -> dict[str, Any]:
    """Keys in sections, with the values of dotted keys in their places."""
    result: dict[str, Any] = json.loads(json.dumps(sections))
    for key, value in keys.items():
        *way, last = key.split(".")
        place = result
        for part in way:
            inner = place.setdefault(part, {})
            if not isinstance(inner, dict):
                raise ConfigError(f"{key}: {part} has no keys of its own")
            place = inner
        place[last] = value
    return result
