"""What a designer can take from the study, whichever way its claims are judged."""

from __future__ import annotations

from wordline.studies.lessons import Lesson

LESSONS = (
    Lesson(
        "collections",
        "Collections are fewer with ratio 0.20",
        "Deltas save collections where versions are compressed to a fifth",
        "Deltas do not always save collections, even where versions are compressed to a fifth",
    ),
    Lesson(
        "collections",
        "Collections are fewer with ratio 0.50",
        "Deltas save collections where versions are compressed to a half",
        "Where versions are compressed to a half, deltas do not always save collections",
    ),
    Lesson(
        "busy",
        "Mean read latency is lower with ratio 0.35",
        "On a busy drive, deltas make reads faster",
        "On a busy drive, deltas do not always make reads faster",
    ),
    Lesson(
        "codecs",
        "Mean read latency is lower with four processors",
        "More processors for the codec shorten reads",
        "More processors for the codec do not always shorten reads",
    ),
    Lesson(
        "packing",
        "Collections are more with victims by bytes",
        "Collection that counts valid bytes instead of pages collects more blocks",
        "Collection that counts valid bytes instead of pages does not always collect more blocks",
    ),
)
"""Sentences by the verdicts of claims."""
