"""What a designer can take from the study, whichever way its claims are judged."""

from __future__ import annotations

from wordline.studies.lessons import Lesson

LESSONS = (
    Lesson(
        "lives",
        "Refresh extends life",
        "Refresh lengthens the life of a drive for every required retention",
        "Refresh does not lengthen the life of a drive for every load and every required retention",
    ),
    Lesson(
        "lives",
        "The gain shrinks as the requirement does",
        "Refresh gains less where less retention is required",
        "Refresh does not always gain less where less retention is required",
    ),
    Lesson(
        "endings",
        "The blocks that end a drive are worn as much",
        "The blocks that end a drive are worn as much as the others: their cells and rests make them weak",
        "The blocks that end a drive with refresh are worn more than the others, as they are written anew at every look",
    ),
    Lesson(
        "overhead",
        "The overhead in the controller is small",
        "Refresh takes little memory and processor time of the controller",
        "Refresh takes notable memory or processor time of the controller",
    ),
    Lesson(
        "cost",
        "MLC with refresh costs less",
        "MLC with refresh costs less than eMLC and SLC over three and five years",
        "MLC with refresh does not always cost less than eMLC and SLC",
    ),
)
"""Sentences by the verdicts of claims."""
