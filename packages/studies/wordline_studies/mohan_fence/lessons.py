"""What a designer can take from the study, whichever way its claims are judged."""

from __future__ import annotations

from wordline.studies.lessons import Lesson

LESSONS = (
    Lesson(
        "rest",
        "The longer SLC or MLC rests",
        "Rest between programs and erases lengthens the life of cells",
        "Rest between programs and erases does not always lengthen the life of cells",
    ),
    Lesson(
        "rest",
        "Asking for 5 years of retention instead of 10",
        "A required retention of 5 years instead of 10 allows SLC over three times the cycles",
        "A required retention of 5 years instead of 10 allows SLC less than three times the cycles in some cases",
    ),
    Lesson(
        "without-rest",
        "Cycled without rest at 30 °C, MLC keeps no data",
        "Without rest, MLC keeps no data after around 10,000 cycles",
        "Without rest, MLC does not end at around 10,000 cycles",
    ),
    Lesson(
        "temperature",
        "Each step from 30 to 55 °C",
        "Heat shortens retention, with every step from 30 to 55 °C",
        "Heat does not shorten retention with every step from 30 to 55 °C",
    ),
)
"""Sentences by the verdicts of claims."""
