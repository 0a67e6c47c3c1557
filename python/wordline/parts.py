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
    "host_queue": "waiting at the host",
    "link": "the host link",
    "throttle": "held back as the drive is too warm",
    "firmware_wait": "waiting for a firmware core",
    "firmware": "firmware",
    "memory": "controller memory",
    "buffer_wait": "waiting for the write buffer",
    "same_page": "waiting for an earlier write of the page",
    "mapping_read": "looking the mapping up",
    "space": "waiting for a block to be reclaimed",
    "order": "waiting for its turn",
    "update_read": "reading the rest of the page",
    "transfer": "command and data transfer",
    "array": "array time",
    "suspended": "suspended for reads",
    "suspension_overhead": "the cost of being suspended",
    "ecc": "decoding and retries",
}
HOLDERS = {
    "host_read": "host reads",
    "host_write": "host writes",
    "gc_read": "garbage collection's reads",
    "gc_program": "garbage collection's programs",
    "gc_erase": "garbage collection's erases",
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
        return f"waiting for a {resource} held by {HOLDERS[holder]}"
    return WORDS[part]
