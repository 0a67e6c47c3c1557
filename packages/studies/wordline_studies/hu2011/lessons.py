"""The findings of the study in three sentences, whichever way its claims are judged."""

from __future__ import annotations

from wordline.studies.lessons import Lesson

LESSONS = (
    Lesson(
        "order-static",
        "Mean response time is shorter with the channel first",
        "Static allocation responds faster where consecutive pages go to different channels first",
        "Static allocation responds no faster where consecutive pages go to different channels first",
    ),
    Lesson(
        "combination",
        "Mean response time is shorter with approach 2 than with approach 1",
        "Of the advanced commands together, multi-plane writes that skip pages respond faster than those that never do",
        "Interleave gains nearly all that the advanced commands gain together; multi-plane writes that skip pages add nothing to it",
    ),
    Lesson(
        "multi-plane-write",
        "More blocks are erased with blind multi-plane writes",
        "Multi-plane writes that skip pages cost endurance: more blocks are erased",
        "Multi-plane writes that skip pages do not always cost endurance",
    ),
)
"""Sentences by the verdicts of claims."""
