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
        "victims",
        "Cost-benefit victims amplify less than greedy ones with streams",
        "What they are worth hangs on the victims: greedy ones, which take the emptiest block whatever it holds, amplify more than cost-benefit ones",
        "What they are worth hangs little on the victims",
    ),
    Lesson(
        "store",
        "A stream for each kind of file has the store write",
        "A stream for each kind of file makes a log-structured store as much faster as its source says",
        "A stream for each kind of file does not make a log-structured store as much faster as its source says",
    ),
)
"""Sentences by the verdicts of claims."""
