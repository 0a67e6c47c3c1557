"""What a designer can take from the study, whichever way its claims are judged."""

from __future__ import annotations

from wordline.studies.lessons import Lesson

LESSONS = (
    Lesson(
        "intervals",
        "Reading summary pages is faster",
        "After a power cut, summary pages are read faster than the spare areas of all pages",
        "After a power cut, summary pages are not always read faster than the spare areas of all pages",
    ),
    Lesson(
        "intervals",
        "Checkpoint and journal are faster to read than summary pages, with a checkpoint every 16,000",
        "Checkpoint and journal are read faster still, even with a checkpoint every 16,000 writes",
        "With a checkpoint every 16,000 writes, checkpoint and journal are not always read faster than summary pages",
    ),
    Lesson(
        "intervals",
        "Recovery takes longer the rarer",
        "Rarer checkpoints make recovery longer",
        "Rarer checkpoints do not always make recovery longer",
    ),
    Lesson(
        "intervals",
        "More metadata are written",
        "More frequent checkpoints write more metadata",
        "More frequent checkpoints do not always write more metadata",
    ),
)
"""Sentences by the verdicts of claims."""
