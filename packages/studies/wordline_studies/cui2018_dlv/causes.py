"""Why claims do not hold everywhere: traced in single runs, with the figures of the chapter where these say it."""

from __future__ import annotations

OPENING = "a drive with classes begins without an open strong block, so that the first page of a plane that is promised one takes a free block and has another one collected: where hardly anything is written, write amplification is up to three times that of a drive of one class (last metric of the figure), and reads wait for what is moved. In longer runs that goes away (figure `length`)"
"""Why classes of blocks cost traces that hardly write."""
AT_THE_HOST = (
    "two things stand against the order of reads. ROO keeps writes back until their planes are idle, and a read of a page whose write is kept back waits for it, where without a scheduler the write is in its plane's queue and the controller answers the read: without a page in common to reads and writes, reads of proj3 take 1.03 of the time of LV-LDPC instead of 1.27 (seed 1). "
    "And in bursts the queue of 64 requests is full, of writes above all, so that reads wait at the host, where no scheduler sees them: under stg1 without common pages a read takes 1662 µs with ROO and 1553 with LV-LDPC with 64 requests in the drive at once, 511 and 542 with 1024"
)
"""Why reads first does not lower the mean of reads."""
PLENTY = "strong pages do not run out: collection leaves strong blocks free, so that PV+reorder finds one for most of the host's pages (share of pages to strong blocks, in the figure). What WOO keeps back it keeps for a shortage that does not come; and lone writes, which WOO and PV+reorder leave to normal blocks, get strong pages with PV+Allocation if they are small"
"""Why saving strong pages does not pay."""
LEVELS = "what ROO gains in reads is their start level and not their order: LV-LDPC, which lets requests go as they come, gains more in every trace. Reads are reordered most where queues are long, and there most of a read is waiting, which start levels do not shorten"
"""Why the gain of reads does not follow the reordered share."""
SEARCHING = "under traces that hardly write DLV gains by its reads alone, and these are not shorter than a search: the table by age has all pages of an age begin where the weakest of them once needed it, pages of strong blocks have more errors at the same age, and a drive with classes has more to move. With reads that search, too, DLV takes 1.18 of the time of that baseline under proj3 (DLV, search)"
"""Why DLV is behind a baseline that searches."""
LONGER = "under proj3 what DLV gains grows with the length of the run: the loss with which classes begin is spread over more requests, as write amplification shows. Sizes of traces that hardly write are too small on this page, and their directions are not touched"
"""Why longer runs change a ratio."""
AGAIN = "LaLDPC knows the level of each page that was read before, and popular pages are read again; a table by age has all pages of an age begin where the weakest of them once needed it"
"""Why levels by page are as good as levels by age."""
SHORTER_PROGRAMS = "reads of DLV wait for programs of strong blocks, which take 459.5 µs instead of 600: with one class of blocks the median of DLV is 609 µs, that of ROO 606, and with two 534 (seed 1)"
"""Why DLV's reads are faster than those of ROO."""
WHOLE_PAGES = "a request of less than a page is one sub-request, so that their number varies less than sizes do"
"""Why the number of sub-requests varies less."""
