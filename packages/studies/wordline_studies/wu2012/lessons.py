"""The findings of the study, whichever way its claims are judged."""

from __future__ import annotations

from wordline.studies.lessons import Lesson

LESSONS = (
    Lesson(
        "suspension",
        "Mean read latency is lower with suspension inside phases (IPC) than with reads first",
        "Programs and erases that are suspended for reads lower read latency beyond what priority of reads does",
        "Suspension does not lower read latency beyond what priority of reads does",
    ),
    Lesson(
        "phases",
        "Mean read latency is higher with suspension between phases",
        "Suspension inside a phase answers reads sooner than suspension at its end",
        "Suspension at the end of a phase answers reads as soon as suspension inside it",
    ),
    Lesson(
        "writes",
        "What suspension between phases (IPS) costs writes against the oldest operation first (FIFO), in the mean",
        "Writes pay for it what the source says, a few per cent",
        "Writes pay another price for it than the source says",
    ),
)
"""Sentences by the verdicts of claims."""
