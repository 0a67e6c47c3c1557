"""What a designer can take from the study, whichever way its claims are judged."""

from __future__ import annotations

from wordline.studies.lessons import Lesson

LESSONS = (
    Lesson(
        "fscale",
        "With 50 % writes or more FScale is faster",
        "With half writes or more, local controllers beat a controller of 2015 that does all of the FTL's work, from 16 TB on",
        "With half writes or more, local controllers do not always beat a controller of 2015 that does all of the FTL's work",
    ),
    Lesson(
        "fscale",
        "Only read, at queue depth 32, FScale is no faster",
        "Drives that are only read gain nothing from local controllers at queue depth 32",
        "Drives that are only read gain from local controllers at queue depth 32",
    ),
    Lesson(
        "hit-rate",
        "With 8 GB of memory the conventional hit rate",
        "Memory that does not grow with the capacity holds ever less of the table",
        "The hit rates of the source are not met",
    ),
    Lesson(
        "cycles",
        "With most mixes of writes the host has less than half",
        "With most mixes of writes the processor works more for collection and the table than for the host",
        "With most mixes of writes the processor works more for the host than for collection and the table",
    ),
    Lesson(
        "cores",
        "The number of central cores at which FScale stops winning",
        "The number of central cores that replaces local controllers grows with the capacity",
        "The number of central cores that replaces local controllers does not always grow with the capacity",
    ),
    Lesson(
        "budgets",
        "With writes only FScale is as fast as a conventional drive with the same power",
        "For the same power local controllers are as fast as central cores that share nothing",
        "For the same power more central cores that share nothing are faster than local controllers",
    ),
    Lesson(
        "amplification",
        "With a write amplification of 1",
        "Hosts that leave nothing to collect take the advantage from local controllers, where both tables fit in memory",
        "Local controllers are faster even where nothing is collected and both tables fit in memory",
    ),
    Lesson(
        "local-memory",
        "With 4 MB a look-up reads two nodes",
        "Local controllers need 5 MB each for a look-up to read one node",
        "A look-up does not read as many nodes as was computed by hand",
    ),
    Lesson(
        "pareto",
        "With writes of 4 KiB a larger unit costs endurance",
        "With writes of 4 KiB a larger mapping unit costs endurance in proportion",
        "With writes of 4 KiB a larger mapping unit does not cost endurance in proportion",
    ),
)
"""Sentences by the verdicts of claims."""
