"""Why claims do not hold everywhere: traced in runs, with the figures of the chapter where these say it."""

from __future__ import annotations

CONSERVED = "pages that are written as pages fill blocks of pages, and these must be collected whatever blocks of deltas gain: with all victims in the area of deltas, of which equation 4.8 speaks, the other area would grow without end."
"""Why not all victims are blocks of deltas."""
MERGES_COUNT = "pages that are no longer write-hot are merged with their deltas after each look for them, which takes a program that the equations do not count; with these programs the simulation is what equation 4.7 says ([figure](#equations)). How often the source looks is not printed. At a ratio of 0.50 and few deltas they outweigh what deltas save: a delta takes 0.7 of a page, and more than half of the deltas are merged before another write of their page"
"""Why collections are more than equation 4.7 says."""
LIMITED = "a delta above 0.8 of its page is given up, which at a ratio of 0.50 is one in 120 under the normal law; and the buffer hands on other pages where flash is faster"
"""Why P_c is not quite the same at all ratios."""
SERIAL = (
    "a delta is read, transferred and encoded before its page of deltas can be programmed: 25 + 40 + 44 µs one after the other, and in one of 1/(pages for each delta) writes 240 µs more. A write that nothing else delays "
    "so takes 280, 214 and 163 µs on average at ratios of 0.50, 0.35 and 0.20, where a whole page takes 240. Equation 4.1 charges the longest of the three stages only, which is right for throughput, not for the latency of a write that waits for its page"
)
"""Why a lone write is not faster with deltas."""
BEHIND_READS = (
    "an encode reads the older version of its page, and reads of the host wait for that: a burst of writes is also one of reads now. Traced in one run of F1 (`output.attribution`, seed 1, 262,144 requests): of 512 µs for a mean read, 399 µs in the baseline, 67 are spent waiting for reads of older versions and merges, "
    "and 342 for other reads of the host, which wait for these themselves, in place of 284; for programs of the host and for collection reads wait 37 µs in place of 49. Codecs are in use for 0.1 % of the time, and no read waits for one. The source counts the reads that deltas add, and not what these keep others waiting"
)
"""Why reads of a busy drive are not faster with deltas."""
BUFFERED = "the formula is exact for the pages that the buffer hands on, and these are fewer with deltas by up to 6 %: a page leaves the buffer sooner or later as flash is faster or slower, and writes of its own that come before are taken together. In a run each drive has its own number of pages, where the source has one N for both"
"""Why foreground programs are not quite those of the formula."""
FEW_TWICE = "6 % of the writes become deltas, as pages leave the buffer about once in 2,048 writes and are no longer write-hot then; what these deltas save at a ratio of 0.50 is less than the programs of their merges"
"""Why the excerpt gains little."""
TAKEN_FIRST = "our load writes 10,000 pages, of which the largest buffer holds a fifth: it takes the writes that follow soon, and what leaves it is no longer write-hot (share of writes kept as deltas, in the figure). How many pages the traces of the source write beside its buffer is not published"
"""Why the buffer matters."""
NEARLY_ALIKE = "the host fills more pages at 0.50 than at 0.35, and a collection gains more (31.7 for 29.2 pages under DAP): an eighth of the victims are blocks of deltas, most of whose pages hold one delta and are stale as a whole when that is. The two cancel nearly"
"""Why collections at two ratios differ little."""
