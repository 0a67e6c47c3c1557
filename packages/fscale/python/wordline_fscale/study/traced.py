"""Mapping units and memory of one petabyte under a real trace (section 13.2 of the specification)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from wordline.report.section import Figure, Row
from wordline.studies.study import Form, Part
from wordline.studies.verdict import Claim, Verdict
from wordline.traces import trace_stats
from wordline_fscale.study.common import HERE, lines, shown, today, unit
from wordline_fscale.study.units import UNITS

TRACE = "spc/financial1-first10k.spc.gz"
"""The first requests of a trace of on-line transactions (Storage Performance Council, Financial1)."""
RATIOS = (1000, 16000)
"""Bytes of capacity for each byte of memory."""
HEADING = "Units and memory under a real trace"
TEXT = (
    "The drive of before under the first 10,000 requests of the trace Financial1 of the Storage Performance Council, 256 outstanding, in simulation; a write is answered when it is programmed. "
    "A request is an operation for each unit that it touches; one that covers a part of its unit reads the unit before it writes it. Bytes are those that are programmed for requests "
    "of the host, before collection, for each byte that these write."
)


@dataclass(frozen=True)
class Replayed:
    """What a unit makes of the trace."""

    iops: float
    """Requests per second."""
    programmed: float
    """Bytes programmed for each byte written."""
    p99_us: float
    """99th percentile of latency."""


def replayed(trace: Path, kib: int, ratio: int, written: float) -> Replayed:
    """One petabyte with units of so many KiB replays the trace, in which so many bytes are written."""
    one = today(
        "conventional",
        1024,
        **unit(kib),
        **{
            "workload.queue_depth": 256,
            "dram.size": f"{2**50 // ratio} B",
            # a replay ends with its last answer, which then is that of the last program
            "host.ack": "media",
        },
    )
    found = one.replay(trace, warm_up=0.0)
    counts = {entry["kind"]: entry["count"] for entry in found["operations"]}
    programs = counts.get("host_write", 0) + counts.get("partial_write", 0)
    return Replayed(found["iops"], programs * kib * 1024 / written, found["p99_us"])


def absent(trace: Path) -> Part:
    """The part without its trace."""
    remark = f"The trace {trace} is not there, so that this part has no numbers. `wordline reproduce mohan-fscale --traces FOLDER` says where traces are."
    chart = lines([], ("unit (KiB)", "mapping unit (KiB)"), ("y", "bytes"), "memory")
    return Part(HEADING, TEXT, Figure("Left out: its trace is absent", chart, []), [], [remark])


def real_trace(form: Form) -> Part:
    """The trace on units of several sizes, with much memory and with little."""
    trace = form.traces / TRACE
    if not trace.exists():
        return absent(trace)
    written = float(trace_stats(trace)["written_bytes"])
    found = {
        (unit, ratio): replayed(trace, unit, ratio, written) for unit in UNITS for ratio in RATIOS
    }
    rows: list[Row] = [
        {
            "unit (KiB)": unit,
            "memory": f"1 : {ratio}",
            "requests per second": one.iops,
            "bytes programmed for each byte written": one.programmed,
            "99th percentile (us)": one.p99_us,
        }
        for (unit, ratio), one in found.items()
    ]
    much = [found[unit, RATIOS[0]] for unit in UNITS]
    little = [found[unit, RATIOS[1]] for unit in UNITS]
    claims = [
        Claim(
            "Under a real trace of small writes a larger unit programs more bytes",
            HERE,
            f"{shown([one.programmed for one in much], 1)} bytes for each byte written",
            Verdict.of_cases([b.programmed > a.programmed for a, b in pairwise(much)]),
        ),
        Claim(
            "but less than in proportion to the unit, as some requests are larger than 4 KiB",
            HERE,
            f"{much[-1].programmed / much[0].programmed:.1f} times as many with units of 64 KiB as with 4 KiB, which are 16 times as large",
            Verdict(much[-1].programmed < 16 * much[0].programmed),
        ),
        Claim(
            "With memory for a sixteenth of the table a larger unit, of whose table more is in memory, answers no fewer requests",
            HERE,
            f"1 : 16000: {shown([one.iops for one in little], 0)} requests per second",
            Verdict.of_cases([b.iops >= 0.99 * a.iops for a, b in pairwise(little)]),
        ),
    ]
    return Part(
        HEADING,
        TEXT,
        Figure(
            "Small writes of a real trace make large units expensive",
            lines(
                rows,
                ("unit (KiB)", "mapping unit (KiB)"),
                (
                    "bytes programmed for each byte written",
                    "bytes programmed for each byte written",
                ),
                "memory",
            ),
            rows,
        ),
        claims,
    )
