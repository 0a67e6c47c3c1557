"""Why claims do not hold everywhere, as traced: attributions of response times (`output.attribution`) are of one run with seed 1 and 20,000 requests, unless a figure is named."""

from __future__ import annotations

READ_AT_ONCE = "the excerpts of Web and MSN hardly write, so that both drives hold the same data in the same places"
"""Why reads of dynamic allocation are not slower everywhere."""
NOTHING_WAITS = (
    "dynamic allocation can save only what writes wait for others. Under Fin1 that is 1 of 321 µs with s2, since the drive is 0.2 % busy. A write itself takes 3 µs longer with dynamic allocation, "
    "which sends both pages of a request to one die at times (waiting for the other page: 3 µs instead of 1). Fin2 is likewise, and Web has hardly any writes"
)
"""Why dynamic allocation does not shorten writes where these wait for nothing."""
READS_LENGTHEN = "the traces under which it fails have writes that wait for nothing, or mostly reads, which become slower"
"""Why dynamic allocation does not win overall."""
SCATTERED = (
    "random overwriting has moved neighbouring pages to any chip, while static allocation keeps them on different ones: under the surrogate of Dev a read waits 100 µs for other pages of its request on the same die, 21 µs "
    "with s2; under the excerpt 366 and 121 µs. On drives whose data were placed before the run, as SSDsim places them, reads differ by at most 4 % (not aged)"
)
"""Why dynamic allocation does not win overall on aged drives."""
RARE_WRITES = "writes that are so few or so far apart that none waits for collection gain nothing from avoiding it"
"""Why the lead does not grow everywhere."""
FEWER_PAGES = (
    "software handles every page, so that half as many pages take half of it. Under MSN a read waits 352 µs for the processor on the drive as it is, 354 µs with more chips and 75 µs with pages of 4 KiB. Without software cost more chips respond faster there too: "
    "352 µs, 413 µs with larger pages"
)
"""Why larger pages respond faster than more chips at times."""
LITTLE_MOVED = (
    "6 % of a victim's pages are valid under MSN here, so that what is given up costs few erases, while copy-back leaves the channel to others. With u of its pages valid a victim gives 1 - u of them back by basic commands and 1 - 1.5 u by blind copy-back: the printed 17.8 times "
    "need u = 65 %, where 67 % is the end. How much live data the aged drives of the source hold is not said, and decides: with random writes the erases grow to 2.4 times at 0.6 live, 17.7 times at 0.64 and 22 times at 0.66 ([figure](#copy-back-by-live-data)). Other thresholds of collection (0.3) and collection that holds its channel "
    "([figure](#collection-holds-channel)) leave them below 1.1 times at 0.3 live"
)
"""Why blind copy-back costs less than printed."""
CHANNEL_FREED = "a move by copy-back leaves the channel free, and 6 % of a victim are moved: what further erases take is less than what requests no longer wait for. At 0.64 live it is the other way round, and responses take 1.5 times as long ([figure](#copy-back-by-live-data))"
"""Why blind copy-back does not lengthen responses."""
PAIRS_COST_ERASES = (
    "where writes wait for nothing a pair saves little, and skipped pages fill blocks sooner. Under Fin1 with s3 the second page of a write waits 110 instead of 120 µs for the first, but 977 blocks are erased instead of 663: a write waits 22 µs for erases instead of 5, and 10 µs for moved "
    "pages instead of 2"
)
"""Why blind multi-plane writes do not pay everywhere."""
WRITES_ELSEWHERE = "under Fin1 and the surrogates of Dev and Fin2 erases take what pairs save with s3 (above): static allocation cannot send the writes that wait for further erases elsewhere, and s3 puts both pages of a small request into planes of one die"
"""Why static allocation gains less by blind multi-plane writes."""
HOLDS_CHIP = (
    "an interleaved or multi-plane read keeps its chip until the data of all its pages have left it, since the controller sees one ready signal for a chip. Where reads queue, later ones wait for that: under the excerpt of Dev, aged, a read waits 4.66 ms for other reads of its chip with interleave and 4.00 ms without, for other pages of its request 5 % less, "
    "and with multi-plane reads (s3, not aged) 3.37 ms instead of 3.08"
)
"""Why combined reads are slower where reads queue."""
HIDDEN = (
    "a multi-plane read saves 20 µs of a chip. On a channel of four chips that gains nothing: under Web a read waits 251 instead of 293 µs for other pages of its request on its chip, and 86 instead of 46 µs for them on the channel. With one chip on the channel it waits 412 instead of 487 µs and 17 instead of none, and Web and Dev gain 13 and 18 % ([by chips](#multi-plane-read-by-chips)), "
    "where 15 and 11 % are printed. The command alone gains what is printed ([alone](#multi-plane-read-alone)). How many chips the single channel of the source has is not said; its other figures have four"
)
"""Why Web and Dev gain less by multi-plane reads than printed."""
SPANS_TWO = "a small request that begins at any sector often spans two pages. s4 puts them on the two dies of a chip, and without interleave the second waits for the first: 120 µs of a mean write of Fin1, 86 µs with it. The excerpt of Fin1 gains as much as the surrogate"
"""Why interleave helps small requests with static allocation."""
FEW_ERASES = "the excerpts erase some forty blocks, so that one more or less is 2 %"
"""Why erases with interleave differ by more than 2 %."""
INTERLEAVE_IS_ENOUGH = "interleave overlaps the dies that approach 2 overlaps, too. Of the 182,000 pages that Ex programs (32,768 requests), approach 1 programs 83 % in interleaved commands; approach 2 programs 80,000 of them as two pairs of planes at once, for which it gives up 5,300 pages and erases 15 % more blocks: what pairs save is what erases take"
"""Why approach 2 is not faster than approach 1."""
ORDER_NEEDS_QUEUE = "the order matters to writes only where several wait at once, which they do under MSN and Ex. Elsewhere it decides where data lie, and with it reads: with the die before the chip the two pages of a small read lie on one chip, and under Fin2 the second waits 19 µs for the first instead of 9; most of the other differences are below 1 %, or chance"
"""Why orders of one channel differ little."""
EQUAL_COMMANDS = "a pair of pages takes the same time on two dies as on two planes of one die, except for tDBSY (0.5 µs) and skipped pages; with the plane before the die, neighbouring pages have the same index in two planes, so that later reads can be combined"
"""Why SSD5 is not faster than SSD6."""
FULL_PAGES = (
    "with pages of 16 KiB 52 % of the pages that Fin1 writes are un-covered, 22 % with 2 KiB, and nothing waits for anything at one request in 8 ms: a write transfers for 158 µs instead of 43, its read of the old page takes 91 µs instead of 22, and software 45 instead of 27. "
    "Larger pages can only pay where writes queue: those of the source must have, and at the printed rate they cannot"
)
"""Why Fin1 does not gain from larger pages."""
BURSTS_DECIDE = "the size is that of the bursts, in which the drive with larger pages falls behind: with Poisson arrivals the surrogate has 1.6 times (over 2 KiB), with self-similar ones 2.0. Of the excerpt's written pages 8 % are un-covered at 16 KiB, of the surrogate's 47 %: its data were hardly read before, and it has 1.1. The printed 1.8 lies between the two loads"
"""Why pages of 16 KiB cost another share of MSN than printed."""
TAKES_TURNS = (
    "the channel and chip that are free take the next page, and the planes of a chip take turns, so that planes hardly differ. Under Rad and Ex (262,144 requests) neither another threshold of collection (0.3), nor SSDsim's aged state, collection before requests or holding its channel, two other orders of levels, dies that are "
    "busy on their own, or no software cost brings dynamic allocation above 1.3 times what it deviates here. Channel-bound allocation deviates by 42 erases under Ex, where 40 are printed, but by 42 under Dev, where 2.5 are, and by 0.6 under Rad, where 2.6 are: the printed column is neither. How the source chooses a plane within a "
    "chip is not described"
)
"""Why dynamic allocation wears planes more evenly than printed."""
ONE_AT_A_TIME = (
    "software hands pages to the flash one by one, so that few meet: of the 200,000 pages of Syn3 s6 programs 9 % in interleaved commands, and its second page waits for the first on the same chip (139 µs of a write, none with s2). Under Syn2 the processor is busy for 89 % of the time, so that orders hardly differ. Without software cost s6 is best under Syn3 and Syn4, and 1 and 2 % behind s5 under "
    "Syn1 and Syn2 ([figure](#order-static-no-software))"
)
"""Why s6 is not best under synthetic loads."""
PLANES_FIRST = "under Syn1 and Syn2, with the shortest gaps, s5 is 1 to 2 % faster: with the plane before the die more neighbours can be programmed by multi-plane commands (Syn2: 1,000 of them instead of 814), and reads and writes wait less for programs"
"""Why s6 is not best without software cost."""
LARGE_WRITES = "software hands the pages of a request to the flash one by one, so that few meet in a command: under Ex, whose requests have seven pages, the second page on a chip waits for the first for 58 µs of a mean write with s5, which puts neighbours on planes and dies of a chip, and 4 µs with s2, which puts them on chips"
"""Why orders with the channel first differ under Ex."""
LARGEST_BURST = "the longer the run, the larger its largest burst, in which the drive with basic commands falls behind for longest (its mean response under Ex grows from 8 to 15 ms): approach 2 gains more in longer runs, so that short ones understate it"
"""Why longer runs show larger gains."""
LEFT_OPEN = (
    "blind multi-plane writes leave blocks half written when planes change to a common index, and what is free in these does not count as a free block: under Ex 19,600 more pages are free with approach 2 at the end of 32,768 requests, for which 306 of its 417 further blocks were erased. Four times as many requests leave 40,800: "
    "the stock grows more slowly than the erases, so that short runs overstate them"
)
"""Why longer runs have fewer further erases."""
QUEUES_IN_BURSTS = "in the bursts of MSN, which has the shortest gaps, requests wait for each other many times as long as software takes"
"""Why software is a small share under MSN."""
NO_WAIT_NO_GAIN = "nine of ten requests of Dev are reads. With approach 2 a read waits 24 µs less for other pages of its request on its chip, but 33 µs more for the channel, collection and larger commands; writes gain 67 of 881 µs"
"""Why approach 2 gains nothing under Dev."""
OTHER_SIZES = "software and commands are paid for each page, transfers and un-covered updates for larger ones: where requests are large and aligned, as in the excerpt of Dev, 8 KiB are best, by 5 % over 4. Under Fin1, whose requests have 4 KB, a larger page only adds to a write"
"""Why the best page size is another one than printed."""
LENGTH_OF_READS = (
    "the largest reads cost most with SSD1 and data in its order: the eight pages of a read lie on one channel, and under the excerpt of Web one waits 186 µs for the others there, 14 µs with SSD2. Data placed channel after channel, as the public SSDsim places them whatever the order, leave 1.02 times, and aged drives 1.03, since data are scattered there. "
    "The printed 1.6 lies between: where the source's data lay is not described ([data placed before the run](#data-placed))"
)
"""Why a wrong order costs another share than printed."""
SCATTERED_READS = "on an aged drive data are scattered, whatever the order, and Web and the excerpt of MSN hardly write"
"""Why SSD2 is not faster everywhere."""
