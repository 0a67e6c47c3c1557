"""What a designer can take from the study, whichever way its claims are judged."""

from __future__ import annotations

from wordline.studies.lessons import Lesson

LESSONS = (
    Lesson(
        "mappings",
        "Response times with `page` are not longer than with `dftl`",
        "A map that is whole in memory responds no more slowly than a map of which a part is cached (DFTL)",
        "A map of which a part is cached (DFTL) responds faster than a whole one in many cases",
    ),
    Lesson(
        "tables",
        "The table of `dftl` takes less memory",
        "A cached map takes less memory of the controller than a whole one",
        "A cached map takes as much memory of the controller as a whole one",
    ),
    Lesson(
        "victims",
        "Write amplification with greedy is below that with d = 10",
        "Greedy collection amplifies less than the best of ten drawn blocks, under random writes",
        "The best of ten drawn blocks amplifies no more than greedy collection in many cases, under random writes",
    ),
    Lesson(
        "hot-cold",
        "Write amplification with `freq_table` is below",
        "Separating hot from cold writes lowers write amplification where writes are skewed",
        "Separating hot from cold writes does not always lower write amplification where writes are skewed",
    ),
    Lesson(
        "collection",
        "The 99.9th percentile is lower with background",
        "Collection in the background lowers the 99.9th percentile",
        "Collection in the background does not always lower the 99.9th percentile",
    ),
)
"""Sentences by the verdicts of claims."""
