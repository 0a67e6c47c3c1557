"""Very large drives: what limits them, and what controllers inside the packages (FScale) change."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal, Self, TypeAlias

from wordline import _wordline
from wordline.config import counted
from wordline.errors import ConfigError

Backend: TypeAlias = Literal["statistical", "permuted", "exact"]
Design: TypeAlias = Literal["conventional", "fscale"]

MOST_CORES = 4096
"""Most cores of the central processor."""


def large_drives() -> list[str]:
    """The names of the drives, such as `fscale-128tb`."""
    return _wordline.large_drives()


class LargeDrive:
    """A drive whose FTL is work for processors: closed forms, and a simulation of the queues of its units.

    Args:
        name: one of `large_drives()`.
        keys: values that differ, by dotted key, such as `**{"workload.write_fraction": 0.5}`. Sizes, times and frequencies are
            texts with a unit; other numbers are numbers.

    Raises:
        ConfigError: an unknown name or key, or a value that is not accepted.
    """

    def __init__(self, name: str = "fscale-128tb", **keys: object) -> None:
        text = _wordline.large_drive(name)
        if text is None:
            hint = _wordline.did_you_mean(name, large_drives())
            raise ConfigError(
                f"drive {name!r}: unknown; {hint}accepted are {', '.join(large_drives())}"
            )
        self._name = name
        self._keys: dict[str, Any] = json.loads(
            _wordline.large_drive_checked(json.dumps(changed(json.loads(text), keys)))
        )

    def changed(self, **keys: object) -> Self:
        """The same drive with other values, as dotted keys.

        Raises:
            ConfigError: an unknown key, or a value that is not accepted.
        """
        other = type(self)(self._name)
        other._keys = json.loads(
            _wordline.large_drive_checked(json.dumps(changed(self._keys, keys)))
        )
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
        """What closed forms say: `iops` at most, what it is `limited_by` (none is the queue depth), all `limits`, `latency` in nanoseconds in an
        idle drive, processor `cycles` of an operation by class, `hit_rate`, `tables` in bytes.
        """
        found: dict[str, Any] = json.loads(_wordline.large_drive_outlook(self._text))
        return found

    def simulate(
        self,
        operations: int = 200_000,
        *,
        backend: Backend = "statistical",
        seed: int = 1,
        **keys: object,
    ) -> dict[str, Any]:
        """What a simulation of the queues measures: `iops`, latencies in microseconds, use of `units`, `operations` by kind.

        Args:
            operations: requests of the host, 100 or more.
            backend: what is known of each page.
            seed: of all random draws.
            keys: further settings: `warm_up`, `arrivals` (`"closed"` or `{"open": requests per second}`), `scheduling`
                (`"fifo"` or `"priority"`), `placement` (`"uniform"` or `"round_robin"`), `max_moves`, `ageing_rounds`.

        Raises:
            ConfigError: a setting is not accepted.
        """
        settings = {"operations": operations, "backend": backend, "seed": seed, **keys}
        found: dict[str, Any] = json.loads(
            _wordline.large_drive_simulated(self._text, json.dumps(settings))
        )
        return found

    def cores_to_match(self, most: int = 1024) -> dict[str, Any]:
        """How many central `cores` a conventional drive needs to be as fast as FScale is with the cores of this drive; none if up to
        `most` are not enough, and then `limited_by` says what stops it.

        Raises:
            ConfigError: `most` is not from 1 to 4096.
        """
        cores = counted("most", most, MOST_CORES)
        found: dict[str, Any] = json.loads(_wordline.large_drive_cores(self._text, cores))
        return found

    def power(self, iops: float) -> dict[str, float]:
        """Watts at a throughput, by part; arrays of the flash are not among them.

        Args:
            iops: requests per second, above 0.

        Raises:
            ConfigError: no such number.
        """
        if not iops > 0:
            raise ConfigError(f"iops = {iops}: accepted is a number above 0")
        found: dict[str, float] = json.loads(_wordline.large_drive_power(self._text, iops))
        return found

    def __repr__(self) -> str:
        return f"<LargeDrive {self.name}: {self._keys['design']}, {self._keys['capacity']}>"


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
