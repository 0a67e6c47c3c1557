"""What suspension did: how often operations were suspended, and for how many reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordline.report.section import Row, Section

if TYPE_CHECKING:
    from wordline.results import Result

ROWS = {
    "programs suspended; time added to each": (
        "suspension.program.suspensions",
        "suspension.program.share",
        "suspension.program.added.mean_us",
    ),
    "erases suspended; time added to each": (
        "suspension.erase.suspensions",
        "suspension.erase.share",
        "suspension.erase.added.mean_us",
    ),
    "host reads that had one of them suspended": (
        "suspension.reads_suspending",
        "suspension.reads_suspending_share",
        None,
    ),
    "reads that started while one was suspended; time saved for each": (
        "suspension.reads_ahead",
        None,
        "suspension.reads_saved.mean_us",
    ),
}
"""Rows of the table, and the summary keys of their number, share and time."""


def section(result: Result) -> Section | None:
    """Suspensions by kind beside the reads that they were for; nothing where the drive suspends nothing."""
    summary = result.summary
    if "suspension.reads_suspending" not in summary:
        return None
    rows: list[Row] = [
        {
            "what": what,
            "number": summary.get(number),
            "share": summary.get(share) if share else None,
            "mean time, µs": summary.get(time) if time else None,
        }
        for what, (number, share, time) in ROWS.items()
    ]
    return Section("Suspension", rows=rows)
