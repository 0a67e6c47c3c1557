"""What a designer can take from the study, whichever way its claims are judged."""

from __future__ import annotations

from wordline.studies.lessons import Lesson

LESSONS = (
    Lesson(
        "ladder",
        "With streams the drive, or its host, amplifies less",
        "Streams lower write amplification where the host writes hot and cold data",
        "Streams do not always lower write amplification where the host writes hot and cold data",
    ),
    Lesson(
        "ladder",
        "Streams amplify less than a classifier",
        "Streams amplify less than a classifier in the drive, which has to guess",
        "A classifier in the drive amplifies no more than streams in many cases",
    ),
    Lesson(
        "ladder",
        "Zones amplify no more than streams",
        "Zones amplify no more than streams",
        "Zones amplify more than streams in many cases",
    ),
    Lesson(
        "designs",
        "The controller of a drive with zones takes less memory",
        "The controller of a drive with zones takes less memory",
        "The controller of a drive with zones takes as much memory as one with a map of pages",
    ),
    Lesson(
        "store",
        "TRIM lowers the write amplification",
        "TRIM lowers the write amplification of a log-structured store",
        "TRIM does not always lower the write amplification of a log-structured store",
    ),
)
"""Sentences by the verdicts of claims."""
