"""The parts of a response time, by class of requests and in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from wordline.results import Result

KINDS = ("read", "write")
"""Classes of requests whose response time has parts."""

WORDS = {
    "host_queue": "queued in the host submission queue",
    "link": "the host link",
    "throttle": "thermal throttling",
    "wake": "waking up from an idle state",
    "controller": "latency of the controller",
    "firmware_wait": "waiting for a firmware core",
    "firmware": "firmware",
    "memory": "controller memory",
    "buffer_wait": "waiting for the write buffer",
    "same_page": "waiting for an earlier write of the page",
    "mapping_read": "map lookups",
    "space": "waiting for a free block",
    "order": "waiting for its turn",
    "power_limit": "held back by the power limit",
    "update_read": "reading the rest of the page",
    "transfer": "command and data transfer",
    "array": "array time",
    "suspended": "suspended for reads",
    "suspension_overhead": "overhead of suspension",
    "ecc": "decoding and retries",
    "buffer_space": "waiting for the write buffer, which waited for a free block",
    "buffer_collection": "waiting for the write buffer, which waited for dies at work for collection or folding",
    "buffer_host": "waiting for the write buffer, which waited for dies at work for the host",
    "buffer_program": "waiting for the write buffer, whose pages were programmed",
}
HOLDERS = {
    "host_read": "host reads",
    "host_write": "host writes",
    "gc_read": "GC reads",
    "gc_program": "GC programs",
    "gc_erase": "GC erases",
    "fold": "folding of the SLC cache",
    "wear": "wear levelling",
    "mapping": "mapping operations",
    "refresh": "refresh",
    "other": "other work",
    "sibling": "pages of the same request",
}


def of_class(result: Result, kind: str) -> pl.DataFrame:
    """The attribution of one class of requests."""
    import polars as pl

    return result.attribution.filter(pl.col("class") == kind)


def share_of(row: Mapping[str, Any]) -> float:
    """The share of a part in the mean latency of its band, from a row of the attribution.

    Requests that take no time have one part, which is all of it.
    """
    latency = float(row["latency_mean_us"])
    return float(row["part_mean_us"]) / latency if latency else 1.0


def words(part: str) -> str:
    """A part in words."""
    resource, _, holder = part.partition("_")
    if resource in ("die", "channel"):
        return f"queueing behind {HOLDERS[holder]} on the {resource}"
    return WORDS[part]
