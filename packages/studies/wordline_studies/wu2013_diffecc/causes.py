"""Why claims do not hold everywhere, as traced."""

from __future__ import annotations

WAITING = (
    "reads wait longer behind longer programs than shorter codes save. Traced under F2 with 32 MB (`output.attribution`, 262,144 requests, seed 1): with all writes slow a mean read grows from 256 to 300 µs. "
    "It waits for programs of the host for 80 µs instead of 43, and for other reads of its chip, which wait likewise, for 130 instead of 117; decoding takes 5 µs less. So little is saved because 59 % of the page reads reach flash, 39 % of these find a page in "
    "eight codewords, and a whole page needs all eight. With DiffECC a quarter of the programs has eight codewords: reads wait 6 µs longer for programs and 2 for reads, and decoding takes 1 µs less"
)
"""Why reads do not gain."""
SERVED_BY_BUFFER = "what was written lately is read from the buffer: the larger it is, the fewer of the reads that reach flash find a page that was written in the run"
"""Why a larger buffer does not bring more."""
LONGER_QUEUE = "a write that finds the buffer full waits for the program of one page, and longer programs make others wait behind it"
"""Why writes queue."""
