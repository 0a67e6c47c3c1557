"""What the study finds, in three sentences, whichever way its claims are judged."""

from __future__ import annotations

from wordline.studies.lessons import Lesson

LESSONS = (
    Lesson(
        "collections",
        "Collections are fewer with ratio 0.35",
        "Deltas save collections, the more the larger the share of the writes that becomes deltas",
        "Deltas do not always save collections",
    ),
    Lesson(
        "equations",
        "Collections are those of equation 4.7 with t =",
        "What they save is what the programs of the host become fewer, as equation 4.7 says where blocks of pages gain what they did before",
        "What they save is not what the programs of the host become fewer, which equation 4.7 says where blocks of pages gain what they did before",
    ),
    Lesson(
        "as-traced",
        "At the rates of the traces, mean write latency is lower with ratio 0.35",
        "Writes of a drive that is hardly busy are faster with deltas, too",
        "Writes of a drive that is hardly busy are not always faster with deltas",
    ),
)
"""Sentences by the verdicts of claims."""
