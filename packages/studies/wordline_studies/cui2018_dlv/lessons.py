"""What a designer can take from the study, whichever way its claims are judged."""

from __future__ import annotations

from wordline.studies.lessons import Lesson

LESSONS = (
    Lesson(
        "throughput",
        "Bandwidth is higher with DLV than in the baseline",
        "A scheduler that knows how long each page takes (DLV) raises bandwidth",
        "A scheduler that knows how long each page takes (DLV) does not always raise bandwidth",
    ),
    Lesson(
        "throughput",
        "Bandwidth is higher with DLV than with WOO",
        "To reorder reads too raises bandwidth above that of reordered writes (WOO)",
        "To reorder reads too does not always raise bandwidth above that of reordered writes (WOO)",
    ),
    Lesson(
        "depth",
        "Mean response with DLV is lower with 64 requests",
        "Responses become shorter with up to 64 requests in the drive at once",
        "Responses do not always become shorter with up to 64 requests in the drive at once",
    ),
    Lesson(
        "today",
        "Mean response is lower with DLV than in the baseline on a drive of today",
        "On a drive of today, DLV shortens responses",
        "On a drive of today, DLV does not always shorten responses",
    ),
    Lesson(
        "today",
        "Mean response of reads is lower with suspension than in the baseline",
        "On a drive of today, suspension shortens responses of reads",
        "On a drive of today, suspension does not always shorten responses of reads",
    ),
)
"""Sentences by the verdicts of claims."""
