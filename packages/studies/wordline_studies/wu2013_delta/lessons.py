"""What the study finds, in three sentences, whichever way its claims are judged."""

from __future__ import annotations

from wordline.studies.lessons import Lesson

LESSONS = (
    Lesson(
        "by-share",
        "Collections never become more from the baseline over 25 %, 50 % and 75 % to 100 % of the pages with ratio 0.35",
        "The more writes become deltas, the fewer collections there are",
        "There are not always fewer collections where more writes become deltas",
    ),
    Lesson(
        "equations",
        "Collections are those of equation 4.7 with the programs of merges",
        "How many are saved is what equation 4.7 says, once the programs of merges are counted, which it leaves out",
        "How many are saved is not what equation 4.7 says, even where the programs of merges are counted, which it leaves out",
    ),
    Lesson(
        "candidates",
        "The share of writes kept as deltas never falls from every 512 writes",
        "Which share becomes deltas depends on how soon a page counts as cold, which the source does not print",
        "Which share becomes deltas hardly depends on how soon a page counts as cold",
    ),
)
"""Sentences by the verdicts of claims."""
