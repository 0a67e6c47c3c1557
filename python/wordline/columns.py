"""The columns of the result tables: the one place that says what they mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from wordline import _wordline

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl


class Column(NamedTuple):
    """Type, unit and meaning of a column."""

    type: str | Sequence[str]
    """Name of a Polars type; or the names that may stand in the column, which make it an `Enum`."""
    unit: str
    meaning: str

    @property
    def type_name(self) -> str:
        """The type in Polars' words."""
        return self.type if isinstance(self.type, str) else "Enum"


@dataclass(frozen=True)
class Table:
    """What a row is, and its columns in their order."""

    meaning: str
    columns: dict[str, Column]

    def schema(self) -> pl.Schema:
        """The type of each column: that of every such table, also of one without rows."""
        import polars as pl

        return pl.Schema(
            {
                name: getattr(pl, column.type)
                if isinstance(column.type, str)
                else pl.Enum(column.type)
                for name, column in self.columns.items()
            }
        )


U8, U16, U32, U64, I64, F64, TEXT = (
    "UInt8",
    "UInt16",
    "UInt32",
    "UInt64",
    "Int64",
    "Float64",
    "String",
)


CLASSES = ("read", "write", "other")
KINDS = (*CLASSES, "trim", "zeroes", "flush", "zone")
"""What requests are in their table: those of hosts that are neither reads nor writes are told apart."""
STATUSES = (
    "good",
    "uncorrectable",
    "refused",
    "invalid_field",
    "zone_boundary",
    "zone_invalid_write",
    "zone_full",
    "zone_read_only",
    "zone_offline",
    "too_many_active_zones",
    "too_many_open_zones",
    "invalid_zone_transition",
    "write_fault",
)
ROLES = ("free", "open", "closed", "bad")
PARTS, BANDS = _wordline.attribution_names()
TRACKS, ACTIVITIES, CAUSES = _wordline.timeline_names()
ABSENT = ("request", "operation", "channel", "die", "block", "issued_ns")
"""Columns in which the simulator writes -1 for what does not exist."""

SPAN = {
    "track": Column(
        TRACKS,
        "",
        "`die` (its arrays are busy), `channel` (its bus is busy), `host` or `background`",
    ),
    "unit": Column(
        U32, "", "index of the die, channel or submission queue; for background work, of the die"
    ),
    "activity": Column(
        ACTIVITIES,
        "",
        "a flash command, its later data transfer, a request, or `reclaim` (a block being emptied and erased)",
    ),
    "cause": Column(CAUSES, "", "why it is done: `host`, `gc`, ..."),
    "from_ns": Column(U64, "ns", "start, since the start of the run"),
    "to_ns": Column(U64, "ns", "end, since the start of the run"),
    "address": Column(
        U64,
        "",
        "first physical page; for a request the first sector; for `reclaim` the first page of the block",
    ),
    "count": Column(
        U32, "", "pages of the command; sectors of a request; pages moved by `reclaim`"
    ),
    "mode": Column(
        U8,
        "",
        "number of the mode of its first page: 0 for the normal one, then those of `[[modes]]` in their order",
    ),
    "request": Column(
        I64, "", "number of the host request that it belongs to; null if there is none"
    ),
}
"""The columns of a table of spans."""

TABLES = {
    "requests": Table(
        "One row per request, in order of acknowledgement: the first `output.request_log` of them.",
        {
            "number": Column(
                U64,
                "",
                "running number in the order in which clients sent them; with several queues, admission may differ",
            ),
            "arrival_ns": Column(U64, "ns", "arrival, since the start of the run"),
            "admitted_ns": Column(U64, "ns", "admission to the drive, since the start of the run"),
            "completed_ns": Column(U64, "ns", "acknowledgement, since the start of the run"),
            "waiting_ns": Column(
                U64,
                "ns",
                "waiting time: from arrival until the first flash command of the request is issued, or work for it begins in the controller's "
                "memory or on its codec; until admission where none of these serves it (a request that is refused)",
            ),
            "processing_ns": Column(
                U64,
                "ns",
                "processing time: the rest of the response time, in which later flash commands of the request may wait too",
            ),
            "class": Column(
                KINDS,
                "",
                "`read`, `write`, `trim`, `zeroes` (Write Zeroes), `flush` or `zone` (management of zones)",
            ),
            "status": Column(
                STATUSES,
                "",
                "`good`, `uncorrectable` (a page read could not be corrected) or `refused` (beyond the capacity)",
            ),
            "sector": Column(U64, "", "first 512-byte sector"),
            "sectors": Column(U32, "", "number of 512-byte sectors"),
            "queue": Column(U16, "", "submission queue"),
        },
    ),
    "distribution": Table(
        "Distribution of latencies: some hundred points of the cumulative distribution of each class, with "
        "more of them in its tail. `Result.latency` has the same as NumPy arrays.",
        {
            "class": Column(TEXT, "", "`read`, `write` or `all`"),
            "latency_us": Column(F64, "µs", "latency, ascending within the class"),
            "share": Column(F64, "", "share of the requests of the class that took no longer"),
        },
    ),
    "time_series": Table(
        "One row per window of simulated time (`output.window`).",
        {
            "start_ns": Column(U64, "ns", "start of the window, since the start of the run"),
            "width_ns": Column(
                U64,
                "ns",
                "width of the window; of the last one, the part of it that the run lasted",
            ),
            "reads": Column(U64, "", "reads acknowledged"),
            "writes": Column(U64, "", "writes acknowledged"),
            "others": Column(U64, "", "other requests acknowledged"),
            "read_bytes": Column(U64, "B", "bytes of the reads"),
            "written_bytes": Column(U64, "B", "bytes of the writes"),
            "read_mean_us": Column(F64, "µs", "mean latency of the reads; null without any"),
            "write_mean_us": Column(F64, "µs", "mean latency of the writes; null without any"),
            "other_mean_us": Column(F64, "µs", "mean latency of the others; null without any"),
            "read_max_us": Column(F64, "µs", "longest latency of a read; 0 without any"),
            "write_max_us": Column(F64, "µs", "longest latency of a write; 0 without any"),
            "other_max_us": Column(F64, "µs", "longest latency of another request; 0 without any"),
            "pages_programmed_host": Column(U64, "", "pages programmed for the host"),
            "pages_programmed_gc": Column(U64, "", "pages programmed by garbage collection"),
            "pages_programmed_other": Column(U64, "", "pages programmed for other causes"),
            "pages_read": Column(U64, "", "pages read"),
            "blocks_erased": Column(U64, "", "blocks erased"),
            "outstanding_mean": Column(F64, "", "mean number of requests in the drive"),
            "power_mw": Column(F64, "mW", "mean power of the drive; null without `power.chip`"),
            "power_flash_host_mw": Column(
                F64, "mW", "mean power of flash operations for the host; null without `power.chip`"
            ),
            "power_flash_gc_mw": Column(
                F64, "mW", "mean power of flash operations of garbage collection"
            ),
            "power_flash_other_mw": Column(
                F64, "mW", "mean power of flash operations for other causes"
            ),
        },
    ),
    "modes": Table(
        "Modes of pages over time: one row for each mode in each interval of the run; empty where the drive has one mode only.",
        {
            "start_ns": Column(U64, "ns", "start of the interval, since the start of the run"),
            "width_ns": Column(
                U64,
                "ns",
                "its length; of the last one, the part of it that the run lasted",
            ),
            "mode": Column(
                U8,
                "",
                "number of the mode: 0 for the normal one, then those of `[[modes]]` in their order",
            ),
            "host_pages_read": Column(U64, "", "pages of the mode that were read for the host"),
            "host_pages_programmed": Column(
                U64, "", "pages that were programmed for the host in the mode"
            ),
            "idle_ended": Column(
                U64,
                "",
                "times without operations of the host that ended in a unit of the drive, as in `units.idle.count`; the same for "
                "all modes",
            ),
            "idle_mean_us": Column(
                F64, "µs", "their mean length; null without any; the same for all modes"
            ),
            "expected_idle_us": Column(
                F64,
                "µs",
                "the idle time that the policy of modes expected when it decided on them, the mean over commands; null without any "
                "or if it expects nothing; the same for all modes",
            ),
        },
    ),
    "start_levels": Table(
        'Start levels of reads over time, where they are learned by age (`ecc.ldpc.start = "by_age"`): one row for each level of each table, '
        "at the start of the run and whenever the table changes. Of more than 4,096 changes the last of each table in an interval of time is kept.",
        {
            "at_ns": Column(
                U64, "ns", "when the table came to hold this, since the start of the run"
            ),
            "class": Column(U8, "", "class of the blocks, as in `modes`: 0 for the normal one"),
            "from_cycles": Column(
                U32, "", "program/erase cycles of the blocks from which on the table holds"
            ),
            "level": Column(U8, "", "sensing level, 2 to 7"),
            "start_days": Column(
                U16,
                "days",
                "age of the data from which on a read starts at the level or above; 511 also where it never does",
            ),
        },
    ),
    "temperature": Table(
        "Temperature of the drive over time, where it has one (`thermal.enabled`): one row for each stretch of the run, of which there are at most 2,048.",
        {
            "start_ns": Column(U64, "ns", "start of the stretch, since the start of the run"),
            "width_ns": Column(U64, "ns", "its length"),
            "temperature_c": Column(F64, "°C", "mean composite temperature in it"),
            "power_mw": Column(F64, "mW", "mean power of the drive in it"),
            "state": Column(
                U8,
                "",
                "the warmest state in it: 0 where the drive does nothing about its temperature, 1 where it throttles lightly (TMT1), 2 where "
                "it throttles heavily (TMT2), 3 where it takes up no command (CCTEMP)",
            ),
        },
    ),
    "blocks": Table(
        "One row per physical block at the end of the run: the first `output.block_table` of them.",
        {
            "block": Column(U32, "", "block, counted over the whole drive"),
            "channel": Column(U32, "", "channel of the drive"),
            "chip": Column(U32, "", "chip on the channel"),
            "die": Column(U32, "", "die in the chip"),
            "plane": Column(U32, "", "plane in the die"),
            "index": Column(U32, "", "block in the plane"),
            "role": Column(ROLES, "", "`free`, `open`, `closed` or `bad`"),
            "valid": Column(U32, "pages", "pages with the current version of a logical page"),
            "invalid": Column(U32, "pages", "programmed pages that hold no current version"),
            "free": Column(U32, "pages", "pages that can still be programmed"),
            "skipped": Column(U32, "pages", "pages that were skipped without being programmed"),
            "erase_count": Column(U32, "", "times the block was erased"),
        },
    ),
    "attribution": Table(
        "Where response times went (`output.attribution`): one row for each class of requests, band of latency "
        "and part that took any time. The parts of a band sum to its mean latency.",
        {
            "class": Column(CLASSES, "", "`read`, `write` or `other`"),
            "band": Column(
                BANDS, "", "requests of the class in order of latency: `0-50 %` is the faster half"
            ),
            "part": Column(PARTS, "", "part of the response time (see the page on attribution)"),
            "requests": Column(U64, "", "requests of the class in the band"),
            "latency_mean_us": Column(F64, "µs", "their mean latency"),
            "part_mean_us": Column(F64, "µs", "mean time in the part"),
        },
    ),
    "slowest": Table(
        "The slowest requests of each class (`output.slowest`), the slowest first, where the timeline is on (`output.timeline`).",
        {
            "number": Column(U64, "", "running number in the order in which clients sent them"),
            "class": Column(CLASSES, "", "`read`, `write` or `other` (TRIM and flush)"),
            "arrival_ns": Column(U64, "ns", "arrival, since the start of the run"),
            "admitted_ns": Column(U64, "ns", "admission to the drive, since the start of the run"),
            "completed_ns": Column(U64, "ns", "acknowledgement, since the start of the run"),
            "sector": Column(U64, "", "first 512-byte sector"),
            "sectors": Column(U32, "", "number of 512-byte sectors"),
            "queue": Column(U16, "", "submission queue"),
            "operation": Column(
                ACTIVITIES,
                "",
                "the flash operation that it waited for last; null if it was answered from memory",
            ),
            "channel": Column(I64, "", "channel of that operation; null if there is none"),
            "die": Column(
                I64, "", "die of that operation, counted over the drive; null if there is none"
            ),
            "block": Column(
                I64, "", "block of that operation, counted over the drive; null if there is none"
            ),
            "issued_ns": Column(
                I64, "ns", "when the command of that operation was issued; null if there is none"
            ),
            "left_out": Column(
                U64, "", "number of shorter spans in front of it that `in_front` leaves out"
            ),
            "story": Column(TEXT, "", "what made it slow, in sentences"),
        },
    ),
    "slowest_parts": Table(
        "Where the time of the slowest requests went: one row for each request and part.",
        {
            "row": Column(U32, "", "row of the request in `slowest`"),
            "part": Column(PARTS, "", "part of the response time (see the page on attribution)"),
            "ns": Column(U64, "ns", "time"),
        },
    ),
    "in_front": Table(
        "What the slowest requests waited for: one row per span of the die and channel that served "
        "the request, and of background work, during its wait.",
        {**SPAN, "row": Column(U32, "", "row of the request in `slowest`")},
    ),
    "timeline": Table(
        "An interval of the run in full, one row per span: around the slowest request, or from `output.timeline_from` "
        "to `output.timeline_to`; at most `output.timeline_spans`.",
        SPAN,
    ),
    "utilisation": Table(
        "How busy dies and channels were: one row for each of them and each interval of the run.",
        {
            "track": Column(TRACKS, "", "`die` or `channel`"),
            "unit": Column(U32, "", "which one, counted over the drive"),
            "start_ns": Column(U64, "ns", "start of the interval, since the start of the run"),
            "width_ns": Column(U64, "ns", "its length"),
            "busy": Column(
                F64, "", "share of the time in which the array (die) or the bus (channel) was busy"
            ),
            "background": Column(F64, "", "the part of it that was not for a host command"),
        },
    ),
}
"""The tables of a result directory, by file name without its ending."""
