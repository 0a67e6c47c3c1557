"""Why claims do not hold everywhere: traced in runs, with the figures of the chapter where these say it."""

from __future__ import annotations

CONSERVED = "pages that are written as pages fill blocks of pages, and these must be collected whatever blocks of deltas gain: with all victims in the area of deltas, of which equation 4.8 speaks, the other area would grow without end. Blocks of deltas are collected as often as deltas fill them, which is what the last equation of the table says"
"""Why not all victims are blocks of deltas."""
HARDLY_LARGER = "pages that take no deltas are those whose blocks gain least: what is written often is in the area of deltas, so that blocks of pages hold what is written rarely, and collections move more of it; or, where deltas take few pages, more spare space is left for both, and collections gain more than in the baseline"
"""Why blocks of pages do not gain what they do in the baseline."""
LIMITED = "pages of deltas may take half of the spare space at most (`ftl.delta.log_share`), and a delta above 0.8 of its page is given up, which at a ratio of 0.50 one in a hundred is"
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
