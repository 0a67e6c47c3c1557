"""What a designer can take from the study, whichever way its claims are judged."""

from __future__ import annotations

from wordline.studies.lessons import Lesson

LESSONS = (
    Lesson(
        "steps",
        "A smaller program step",
        "A smaller program step, which makes programs slower, makes fewer codewords fail",
        "A smaller program step does not always make fewer codewords fail",
    ),
    Lesson(
        "diffecc",
        "Mean read latency is lower with DiffECC than in the baseline",
        "Slow programs in idle time (DiffECC) make reads faster",
        "Slow programs in idle time (DiffECC) do not always make reads faster",
    ),
    Lesson(
        "always-slow",
        "More writes are outstanding with writes always slow",
        "Slow programs for all writes make writes queue",
        "Slow programs for all writes do not always make writes queue",
    ),
    Lesson(
        "diffecc",
        "Mean read latency with DiffECC is not below that with writes always slow",
        "Slow programs in idle time serve reads no better than slow programs for all writes",
        "Slow programs in idle time serve reads better than slow programs for all writes in many cases",
    ),
)
"""Sentences by the verdicts of claims."""
