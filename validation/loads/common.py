"""A load point, and what load points are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..measured import Conditions

Settings = dict[str, Any]
Asked = tuple[str, str]
"""A condition of the table of measurements, and the quantity that is asked under it."""

NEW: Settings = {"age.method": "overwritten", "age.random_factor": 0.0, "age.fill": 1.0}
"""A drive that was written once, in order."""


@dataclass(frozen=True)
class Point:
    """A load, and where its figures are."""

    kind: str
    """What sort of load it is: figures of one kind are taken to be off alike."""
    label: str
    held: bool
    """Whether it is below saturation, where latencies are held to the bounds."""
    settings: Settings
    """Overrides of the drive."""
    answers: Mapping[Asked, str]
    """The key of the outcome (`simulate.py`) that answers each question."""
    job: str | None = None
    """A job file of fio, in place of a workload among the settings."""
    before: Settings | None = None
    """Overrides of a run before, whose state the drive begins with."""
    rate: float | None = None
    """Writes per second that are offered in an open loop."""


def asked(conditions: Conditions, condition: str, keys: Mapping[str, str]) -> dict[Asked, str]:
    """The quantities of a condition that keys are known of."""
    return {(condition, name): keys[name] for name in conditions[condition] if name in keys}


def latencies(client: str) -> dict[str, str]:
    """Quantities of the table that are latencies of a client, whose keys of the summary begin like this."""
    return {
        f"{kind} latency {name}": f"{client}.{kind}.latency.{key}_us"
        for kind in ("read", "write")
        for name, key in (
            ("p50", "p50"),
            ("p99", "p99"),
            ("p99.9", "p999"),
            ("p99.99", "p9999"),
            ("mean", "mean"),
        )
    }


def workload(settings: Settings) -> Settings:
    """A workload as overrides of a drive."""
    return {f"workload.{key}": value for key, value in settings.items()}


def client(settings: Settings, **space: Any) -> dict[str, Any]:
    """A tenant: a workload with a queue of its own."""
    return {**space, "workload": settings}


def loop(kind: str, reads: float, size: str, depth: int, requests: int) -> Settings:
    """A closed loop."""
    return {
        "kind": kind,
        "read_fraction": reads,
        "request_size": size,
        "queue_depth": depth,
        "requests": requests,
    }


def at_random(rate: float, reads: float, seconds: float, seed: int, **more: Any) -> Settings:
    """Requests of 4 KiB at random times and places."""
    return {
        "kind": "random",
        "read_fraction": reads,
        "request_size": "4 KiB",
        "interarrival": f"{1e9 / rate:.0f} ns",
        "arrival": "poisson",
        "duration": f"{seconds} s",
        "seed": seed,
        **more,
    }
