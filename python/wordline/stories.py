"""The slowest requests, each with its whole story in sentences.

What stood in front of a request comes from the timeline, where its time went from the attribution; the
simulator records both where `output.timeline` and `output.attribution` are on.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from wordline.formatting import duration_us, percentage
from wordline.parts import words

if TYPE_CHECKING:
    import polars as pl

    from wordline.results import Result

Row = dict[str, Any]

SECTOR = 512
MOST_PARTS = 3
"""Parts of the latency that a story names; the rest together are one more."""
MOST_GROUPS = 4
"""Kinds of work in front of a request that a story names."""
NAMED_EPISODES = 2
"""Episodes of background work that a story names."""
CAUSES = {
    "host": "the host",
    "gc": "garbage collection",
    "merge": "log-block merges",
    "fold": "folding of the SLC cache",
    "wear": "wear levelling",
    "mapping": "the mapping",
    "metadata": "metadata",
    "refresh": "refresh",
    "delta": "delta encoding",
    "parity": "parity",
    "padding": "padding",
    "repair": "repair",
    "recovery": "recovery",
}
ACTIVITIES = {
    "read": "read",
    "program": "program",
    "copy_back": "copy-back",
    "erase": "erase",
    "read_data": "data transfer of a read",
    "program_data": "data transfer of a program",
    "copy_back_data": "data transfer of a copy-back",
}


@dataclass(frozen=True)
class Story:
    """A slow request and what made it slow."""

    number: int
    """Running number of the request in order of admission."""
    latency_us: float
    sentences: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join(self.sentences)


def stories(result: Result, slowest: pl.DataFrame) -> list[Story]:
    """The stories of the slowest requests of a result, in their order."""
    import polars as pl

    if slowest.is_empty():
        return []
    pages = pages_per_block(result.config)
    parts = result.slowest_parts.partition_by("row", as_dict=True)
    front = result.in_front.partition_by("row", as_dict=True)
    nothing = pl.DataFrame()
    return [
        story(request, parts.get((row,), nothing), front.get((row,), nothing), pages)
        for row, request in enumerate(slowest.iter_rows(named=True))
    ]


def pages_per_block(config: str) -> int:
    """Pages of a block, from the text of a resolved configuration."""
    return int(tomllib.loads(config)["geometry"]["pages_per_block"])


def story(request: Row, parts: pl.DataFrame, front: pl.DataFrame, pages: int) -> Story:
    """The story of one request."""
    latency = request["completed_ns"] - request["arrival_ns"]
    spans = front.to_dicts()
    sentences = [
        came(request, latency),
        *where_it_went(request, parts, latency),
        *served_by(request),
        *stood_in_front(request, spans),
        *episodes(spans, request, pages),
    ]
    return Story(request["number"], latency / 1e3, tuple(sentences))


def came(request: Row, latency: int) -> str:
    """When the request came, what it asked for, how long it took."""
    kind = {"read": "a read", "write": "a write"}.get(request["class"], "a TRIM or flush")
    size = f" of {request['sectors'] * SECTOR / 1024:g} KiB" if request["sectors"] else ""
    return (
        f"Request {request['number']:,}, {kind}{size} at sector {request['sector']:,}, arrived at "
        f"{moment(request['arrival_ns'])} and completed {lasted(latency)} later."
    )


def where_it_went(request: Row, parts: pl.DataFrame, latency: int) -> Iterator[str]:
    """The largest parts of the latency."""
    if parts.is_empty():
        return
    largest = parts.sort("ns", descending=True).head(MOST_PARTS)
    named = [
        f"{lasted(ns)} ({percentage(ns / latency)}) {words(part)}"
        for part, ns in largest.select("part", "ns").iter_rows()
    ]
    rest = latency - int(largest["ns"].sum())
    if rest:
        named.append(f"{lasted(rest)} other")
    yield f"Of that, {listed(named)}."


def served_by(request: Row) -> Iterator[str]:
    """Where and when it was served."""
    if request["die"] is None:
        yield "No flash operation answered it: the controller's memory did."
        return
    waited = request["issued_ns"] - request["admitted_ns"]
    operation = ACTIVITIES[request["operation"]]
    yield (
        f"The last operation that it waited for was the {operation} on die {request['die']} (channel "
        f"{request['channel']}, block {request['block']:,}), issued {lasted(max(waited, 0))} after its admission."
    )


def stood_in_front(request: Row, spans: list[Row]) -> Iterator[str]:
    """What the die and its channel did for others while the request waited."""
    for track, place in (
        ("die", f"die {request['die']}"),
        ("channel", f"channel {request['channel']}"),
    ):
        groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
        for span in spans:
            # what is on the bus is told by the die, but for data on their way out
            if span["track"] == track and (track == "die" or span["activity"].endswith("_data")):
                groups[span["activity"], span["cause"]].append(span)
        if not groups:
            continue
        ranked = sorted(groups.items(), key=lambda group: -total(group[1]))
        named = [group(*key, members) for key, members in ranked[:MOST_GROUPS]]
        others = sum(len(members) for _, members in ranked[MOST_GROUPS:])
        if others:
            named.append(f"{others:,} others")
        yield f"Meanwhile {place} did {listed(named)}{overlapping(groups.values())}."
    if request["left_out"]:
        yield f"({request['left_out']:,} shorter operations omitted.)"


def overlapping(groups: Iterable[list[Row]]) -> str:
    """Why spans may take longer together than the request waited."""
    times = sorted((span["from_ns"], span["to_ns"]) for group in groups for span in group)
    do_overlap = any(after < end for (_, end), (after, _) in pairwise(times))
    return "; its planes work at the same time" if do_overlap else ""


def group(activity: str, cause: str, members: list[Row]) -> str:
    """Spans of one kind."""
    what, why = ACTIVITIES[activity], CAUSES[cause]
    if len(members) == 1:
        (span,) = members
        article = "an" if what[0] in "aeiou" else "a"
        return (
            f"{article} {what} for {why} ({lasted(total(members))}, from {moment(span['from_ns'])} to "
            f"{moment(span['to_ns'])})"
        )
    plural = what.replace("transfer", "transfers") if "transfer" in what else f"{what}s"
    return f"{len(members):,} {plural} for {why} ({lasted(total(members))} together)"


def episodes(spans: list[Row], request: Row, pages: int) -> Iterator[str]:
    """The background work that these belong to."""
    reclaims = [span for span in spans if span["activity"] == "reclaim"]
    reclaims.sort(key=lambda span: span["from_ns"] - span["to_ns"])
    for span in reclaims[:NAMED_EPISODES]:
        moved = f"moved {span['count']:,} page{'s' if span['count'] != 1 else ''}"
        cause = CAUSES[span["cause"]]
        yield (
            f"{cause[0].upper()}{cause[1:]} was emptying block {span['address'] // pages:,} of die "
            f"{span['unit']} from {moment(span['from_ns'])} to {moment(span['to_ns'])} "
            f"({lasted(span['to_ns'] - span['from_ns'])}, {moved})."
        )
    more = len(reclaims) - NAMED_EPISODES
    if more > 0:
        yield f"{more} more {'blocks were' if more > 1 else 'block was'} being emptied meanwhile."


def total(spans: list[Row]) -> int:
    """Time of spans together, ns."""
    return sum(span["to_ns"] - span["from_ns"] for span in spans)


def lasted(ns: int) -> str:
    """A length of time."""
    return duration_us(ns / 1e3)


def moment(ns: int) -> str:
    """A moment of the run, to the microsecond."""
    return f"{ns / 1e6:,.3f} ms"


def listed(items: list[str]) -> str:
    """A list in a sentence."""
    *most, last = items
    return f"{', '.join(most)} and {last}" if most else last
