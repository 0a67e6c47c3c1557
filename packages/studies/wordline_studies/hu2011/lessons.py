"""What a designer can take from the study, whichever way its claims are judged."""

from __future__ import annotations

from wordline.studies.lessons import Lesson

LESSONS = (
    Lesson(
        "capacity",
        "Mean response time is shorter with more chips",
        "A drive that grows responds faster with more chips than with larger pages",
        "A drive that grows responds as fast with larger pages as with more chips in many cases",
    ),
    Lesson(
        "order-static",
        "Mean response time is shorter with the channel first",
        "Static allocation responds faster where consecutive pages go to different channels first",
        "Static allocation responds no faster where consecutive pages go to different channels first",
    ),
    Lesson(
        "page-size",
        "At the same capacity, mean response time is longer with pages of 16 KiB than of 8 KiB",
        "At the same capacity, pages of 16 KiB respond more slowly than pages of 8 KiB",
        "At the same capacity, pages of 16 KiB respond as fast as pages of 8 KiB in many cases",
    ),
    Lesson(
        "multi-plane-write",
        "More blocks are erased with blind multi-plane writes",
        "Multi-plane writes that skip pages cost endurance: more blocks are erased",
        "Multi-plane writes that skip pages do not always cost endurance",
    ),
    Lesson(
        "allocation",
        "Mean read response time is longer with dynamic allocation",
        "Dynamic allocation slows reads down, compared with static allocation that begins with the channel",
        "Dynamic allocation does not slow reads down in many cases",
    ),
)
"""Sentences by the verdicts of claims."""
