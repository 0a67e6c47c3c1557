"""Why claims do not hold everywhere, as traced."""

from __future__ import annotations

WAITING = (
    "reads wait longer behind longer programs than shorter codes save. Traced under F2 with 32 MB (`output.attribution`, 262,144 requests, seed 1): with all writes slow a mean read grows from 256 to 300 µs. "
    "It waits for programs of the host for 80 µs instead of 43, and for other reads of its chip, which wait likewise, for 130 instead of 117; decoding takes 5 µs less. So little is saved because 59 % of the page reads reach flash, 39 % of these find a page in "
    "eight codewords, and a whole page needs all eight. With DiffECC a quarter of the programs has eight codewords: reads wait 6 µs longer for programs and 2 for reads, and decoding takes 1 µs less"
)
"""Why reads do not gain."""
MORE_SLOW_PROGRAMS = (
    "with a larger buffer more programs are slow, and hardly more of the reads that reach flash find a slow page ([which pages are slow](#shares)), since the buffer answers reads of what was "
    "written lately: what reads wait longer grows, what they save does not"
)
"""Why a larger buffer does not bring more."""
BURSTS = "the fitted burstiness decides: it is 0.80 for F2 and 0.925 for C8 and MSN, so that most slots lie inside bursts. With 0.70 instead (65,536 requests, seed 1) the shares are 54 % for F2, 80 % for C8 and 71 % for MSN"
"""Why slots are shorter than in the source."""
LESS_THAN_THEY_WAIT = "under F1, F2 and C3 reads wait longer behind longer programs than the codewords that they do not need save; under the others, whose reads queue for longest, it is the other way round"
"""Why reads of sectors do not gain everywhere."""
LONGER_QUEUE = "a write that finds the buffer full waits for the program of one page, and longer programs make others wait behind it"
"""Why writes queue."""
