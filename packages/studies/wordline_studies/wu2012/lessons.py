"""What a designer can take from the study, whichever way its claims are judged."""

from __future__ import annotations

from wordline.studies.lessons import Lesson

LESSONS = (
    Lesson(
        "suspension",
        "Mean read latency is lower with suspension inside phases (IPC) than with reads first",
        "Programs and erases that are suspended for reads lower read latency beyond what priority of reads does",
        "Suspension does not always lower read latency beyond what priority of reads does",
    ),
    Lesson(
        "suspension",
        "Mean read latency with suspension inside phases (IPC) is within 5 %",
        "With suspension, reads are within 5 % of a drive whose programs and erases take no array time",
        "With suspension, reads are more than 5 % from a drive whose programs and erases take no array time in many cases",
    ),
    Lesson(
        "phases",
        "Mean read latency is higher with suspension between phases",
        "Suspension inside a phase answers reads sooner than suspension at its end",
        "Suspension at the end of a phase answers reads as soon as suspension inside it in many cases",
    ),
    Lesson(
        "writes",
        "Mean write latency with suspension inside phases (IPC) exceeds that with the oldest",
        "Writes take at most 5 % longer for it",
        "Writes take more than 5 % longer for it in many cases",
    ),
    Lesson(
        "shadow-buffer",
        "Mean read latency if the data of a suspended program",
        "A register that keeps the data of a suspended program changes read latency by at most 1 %",
        "A register that keeps the data of a suspended program changes read latency by more than 1 % in many cases",
    ),
)
"""Sentences by the verdicts of claims."""
