"""What the study finds, in three sentences, whichever way its claims are judged."""

from __future__ import annotations

from wordline.studies.lessons import Lesson

LESSONS = (
    Lesson(
        "responses",
        "Mean response is lower with DLV than in the baseline",
        "A scheduler that knows how long each page takes (DLV) shortens responses",
        "A scheduler that knows how long each page takes (DLV) does not always shorten responses",
    ),
    Lesson(
        "readings",
        "Mean response is lower with DLV than in a baseline whose reads start with one reference",
        "DLV shortens responses against a baseline whose reads start with one reference, and not with seven, too",
        "Against a baseline whose reads start with one reference, and not with seven, DLV does not always shorten responses",
    ),
    Lesson(
        "today",
        "Mean response is lower with DLV than in the baseline on a drive of today",
        "On a drive of today, which reads from one reference upward, DLV shortens responses",
        "On a drive of today, which reads from one reference upward, DLV does not always shorten responses",
    ),
)
"""Sentences by the verdicts of claims."""
