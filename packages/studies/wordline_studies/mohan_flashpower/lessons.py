"""What a designer can take from the study, whichever way its claims are judged."""

from __future__ import annotations

from wordline.studies.lessons import Lesson

LESSONS = (
    Lesson(
        "bit-patterns",
        "A program takes X1 more energy the more zeros",
        "Programs take more energy the more zeros a page gets",
        "Programs do not take more energy the more zeros a page gets",
    ),
    Lesson(
        "bit-patterns",
        "A chip that skips the erase",
        "A chip that recognises an erased block and skips its erase saves over nine tenths of the energy",
        "A chip that recognises an erased block and skips its erase saves less than nine tenths of the energy",
    ),
    Lesson(
        "states",
        "A program of a slow page takes B-MLC8 more energy",
        "A slow page of MLC takes more energy to program than a fast one",
        "A slow page of MLC does not always take more energy to program than a fast one",
    ),
    Lesson(
        "organisation",
        "Of X1 to X5, X1 takes the least energy",
        "Of the five organisations X1 to X5, X1 takes the least energy for a read and for a program",
        "Of the five organisations X1 to X5, X1 does not always take the least energy for a read and for a program",
    ),
)
"""Sentences by the verdicts of claims."""
