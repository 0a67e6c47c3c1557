"""What the study finds, in three sentences, whichever way its claims are judged."""

from __future__ import annotations

from wordline.studies.lessons import Lesson

LESSONS = (
    Lesson(
        "diffecc",
        "Mean read latency is lower with DiffECC than in the baseline",
        "Slow programs in idle time (DiffECC) make reads faster",
        "Slow programs in idle time (DiffECC) do not make reads faster under the loads that can be judged",
    ),
    Lesson(
        "always-slow",
        "Mean read latency is lower with writes always slow",
        "Slow programs for all writes make reads faster",
        "Slow programs for all writes do not make reads faster either: reads wait behind longer programs for more than shorter codes save",
    ),
    Lesson(
        "always-slow",
        "More writes are outstanding with writes always slow",
        "Slow programs for all writes make writes queue",
        "Slow programs for all writes do not always make writes queue",
    ),
)
"""Sentences by the verdicts of claims."""
