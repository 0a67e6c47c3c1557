"""The columns of the result tables: the one place that says what they mean."""

from __future__ import annotations

from dataclasses import dataclass

from wordline import _wordline


@dataclass(frozen=True)
class Table:
    """What a row is, and the unit and meaning of each column."""

    meaning: str
    columns: dict[str, tuple[str, str]]


CLASSES = ("read", "write", "other")
ROLES = ("free", "open", "closed", "bad")
PARTS, BANDS = _wordline.attribution_names()
TRACKS, ACTIVITIES, CAUSES = _wordline.timeline_names()
CODES = {
    "class": CLASSES,
    "role": ROLES,
    "part": PARTS,
    "band": BANDS,
    "track": TRACKS,
    "activity": ACTIVITIES,
    "cause": CAUSES,
    "operation": ACTIVITIES,
}
"""Columns that the simulator fills with small numbers, and the names these stand for."""

ABSENT = ("request", "operation", "channel", "die", "block", "issued_ns")
"""Columns in which the simulator writes -1 for what does not exist."""

SPAN = {
    "track": ("", "`die` (its arrays work), `channel` (its bus is held), `host` or `background`"),
    "unit": ("", "which die, channel or submission queue; of background work the die"),
    "activity": (
        "",
        "what is done: a flash command, its later data transfer, a request, or `reclaim`",
    ),
    "cause": ("", "what for: `host`, `gc`, ..."),
    "from_ns": ("ns", "start, since the start of the run"),
    "to_ns": ("ns", "end, since the start of the run"),
    "address": (
        "",
        "first physical page; of a request the first sector; of `reclaim` the block's first page",
    ),
    "count": ("", "pages of the command; sectors of a request; pages moved by `reclaim`"),
    "request": ("", "number of the host request it serves; null for none"),
}
"""The columns of a table of spans."""

TABLES = {
    "requests": Table(
        "One row per request, in order of acknowledgement: the first `output.request_log` of them.",
        {
            "number": ("", "running number in order of admission"),
            "arrival_ns": ("ns", "arrival, since the start of the run"),
            "admitted_ns": ("ns", "admission to the drive, since the start of the run"),
            "completed_ns": ("ns", "acknowledgement, since the start of the run"),
            "class": ("", "`read`, `write` or `other` (TRIM and flush)"),
            "sector": ("", "first 512-byte sector"),
            "sectors": ("", "number of 512-byte sectors"),
            "queue": ("", "submission queue"),
        },
    ),
    "distribution": Table(
        "How long requests took: some hundred points of the cumulative distribution of each class, also in "
        "its tail. `Result.latency` has the same as NumPy arrays.",
        {
            "class": ("", "`read`, `write` or `all`"),
            "latency_us": ("µs", "latency, ascending within the class"),
            "share": ("", "share of the requests of the class that took no longer"),
        },
    ),
    "time_series": Table(
        "One row per window of simulated time (`output.window`).",
        {
            "start_ns": ("ns", "start of the window, since the start of the run"),
            "width_ns": ("ns", "width of the window"),
            "reads": ("", "reads acknowledged"),
            "writes": ("", "writes acknowledged"),
            "others": ("", "other requests acknowledged"),
            "read_bytes": ("B", "bytes of the reads"),
            "written_bytes": ("B", "bytes of the writes"),
            "read_mean_us": ("µs", "mean latency of the reads; null without any"),
            "write_mean_us": ("µs", "mean latency of the writes; null without any"),
            "other_mean_us": ("µs", "mean latency of the others; null without any"),
            "read_max_us": ("µs", "longest latency of a read; 0 without any"),
            "write_max_us": ("µs", "longest latency of a write; 0 without any"),
            "other_max_us": ("µs", "longest latency of another request; 0 without any"),
            "pages_programmed_host": ("", "pages programmed for the host"),
            "pages_programmed_gc": ("", "pages programmed by garbage collection"),
            "pages_programmed_other": ("", "pages programmed for other causes"),
            "pages_read": ("", "pages read"),
            "blocks_erased": ("", "blocks erased"),
            "outstanding_mean": ("", "mean number of requests in the drive"),
            "power_mw": ("mW", "mean power of the drive; null without `power.chip`"),
            "power_flash_host_mw": ("mW", "mean power of flash operations for the host; likewise"),
            "power_flash_gc_mw": ("mW", "mean power of flash operations of garbage collection"),
            "power_flash_other_mw": ("mW", "mean power of flash operations for other causes"),
        },
    ),
    "blocks": Table(
        "One row per physical block at the end of the run: the first `output.block_table` of them.",
        {
            "block": ("", "block, counted over the whole drive"),
            "channel": ("", "channel of the drive"),
            "chip": ("", "chip on the channel"),
            "die": ("", "die in the chip"),
            "plane": ("", "plane in the die"),
            "index": ("", "block in the plane"),
            "role": ("", "`free`, `open`, `closed` or `bad`"),
            "valid": ("pages", "pages with the current version of a logical page"),
            "invalid": ("pages", "programmed pages that hold no current version"),
            "free": ("pages", "pages not passed yet"),
            "skipped": ("pages", "pages given up without being programmed"),
            "erase_count": ("", "times the block was erased"),
        },
    ),
    "attribution": Table(
        "Where response times went (`output.attribution`): one row for each class of requests, band of latency "
        "and part that took any time. The parts of a band sum to its mean latency.",
        {
            "class": ("", "`read`, `write` or `other`"),
            "band": ("", "requests of the class in order of latency: `0-50 %` is the faster half"),
            "part": ("", "what the time went into (see the page on attribution)"),
            "requests": ("", "requests of the class in the band"),
            "latency_mean_us": ("µs", "their mean latency"),
            "part_mean_us": ("µs", "what the part took of it in the mean"),
        },
    ),
    "slowest": Table(
        "The slowest requests of each class (`output.slowest`), the slowest first, where the timeline is on (`output.timeline`).",
        {
            "number": ("", "running number in order of admission"),
            "class": ("", "`read`, `write` or `other` (TRIM and flush)"),
            "arrival_ns": ("ns", "arrival, since the start of the run"),
            "admitted_ns": ("ns", "admission to the drive, since the start of the run"),
            "completed_ns": ("ns", "acknowledgement, since the start of the run"),
            "sector": ("", "first 512-byte sector"),
            "sectors": ("", "number of 512-byte sectors"),
            "queue": ("", "submission queue"),
            "operation": (
                "",
                "the flash operation that it waited for last; null if memory answered it",
            ),
            "channel": ("", "channel of that operation; null likewise"),
            "die": ("", "die of that operation, counted over the drive; null likewise"),
            "block": ("", "block of that operation, counted over the drive; null likewise"),
            "issued_ns": ("ns", "when its command was issued; null likewise"),
            "left_out": ("", "shorter spans in front of it that `in_front` leaves out"),
            "story": ("", "what made it slow, in sentences"),
        },
    ),
    "slowest_parts": Table(
        "Where the time of the slowest requests went: one row for each and part.",
        {
            "row": ("", "row of the request in `slowest`"),
            "part": ("", "what the time went into (see the page on attribution)"),
            "ns": ("ns", "time"),
        },
    ),
    "in_front": Table(
        "What stood in front of the slowest requests: one row per span of the die and channel that served "
        "the request, and of background work, while it waited.",
        {"row": ("", "row of the request in `slowest`"), **SPAN},
    ),
    "timeline": Table(
        "A stretch of the run in full, one row per span: around the slowest request, or from `output.timeline_from` "
        "to `output.timeline_to`; at most `output.timeline_spans`.",
        SPAN,
    ),
    "utilisation": Table(
        "How busy dies and channels were: one row for each of them and each stretch of the run.",
        {
            "track": ("", "`die` or `channel`"),
            "unit": ("", "which one, counted over the drive"),
            "start_ns": ("ns", "start of the stretch, since the start of the run"),
            "width_ns": ("ns", "its length"),
            "busy": ("", "share of the time with an array step (die) or a transfer (channel)"),
            "background": ("", "the part of it that no host command asked for"),
        },
    ),
}
"""The tables of a result directory, by file name without its ending."""
