"""What differs between drives that were simulated and measured, and why: findings of traced runs, by drive file; and why a figure has no prediction."""

from __future__ import annotations

import re

UNANSWERED = (
    (r".*p99\.999$", "one request in 100,000: a run has too few of them"),
    (r"endurance$", "follows from the cycles that cells are rated for, which are not known"),
    (r"power ", "currents of the cells and the power of the controller are not known"),
    (r"SLC cache size$", "a part of the drive, which its file takes as given"),
    (r"write of the whole drive", "a run ends soon after the SLC cache has"),
    (
        r"read latency p95$|sequential write achieved$",
        "of the same load other figures are compared",
    ),
    (r"reads beside writes$|random read, full drive over SLC$", "a finding in words"),
)


def unanswered(quantity: str) -> str:
    """Why no simulation answers what is asked."""
    for pattern, why in UNANSWERED:
        if re.match(pattern, quantity):
            return why
    return "a load point between others of the same drive, which are simulated"


CEILING = (
    "p99.9 of reads is low from half the write limit on. A traced run at 70,000 writes per second has a ceiling: a read waits for the next point at which the program can be left (184.5 µs at most), "
    "then 30 µs, and no more than 0.1 % wait longer than 300 µs, some 60 % of it behind programs of garbage collection and of the host. Measured waits have no such ceiling: real points are not evenly spaced, or a read that waits is overtaken; no source says which."
)
WRITES = (
    "Writes are acknowledged in 10 µs up to the limit. Measured ones slow down from two thirds of the limit on (p99 of 43 µs at 65 %, 303 at 91 %): these drives brake the host before their buffer is full. Wordline has no such pacing of admission; "
    "its buffer absorbs what arrives at random until the drive cannot keep up."
)

REASONS: dict[str, tuple[str, ...]] = {
    "samsung-pm9a3-960gb.toml": (
        CEILING,
        WRITES,
        "Saturated, reads take half the time measured. They pass the writes that wait for the buffer. 93 % of the time of the slowest hundredth, and half of that of the faster half, is in the submission queue: of 448 commands outstanding, 256 find a slot of the controller (`host.nvme.command_slots`, assumed).",
        "Sequential reads are those of the link: 7,200 MB/s pass over four lanes of PCIe 4.0. The maker prints 6,500.",
    ),
    "wd-dc-960gb.toml": (
        CEILING.replace("70,000", "40,000").replace("184.5", "265.5").replace("300 µs", "450 µs"),
        WRITES.replace("(p99 of 43 µs at 65 %, 303 at 91 %)", "(p99 of 21 µs at 63 %, 36 at 84 %)"),
        "Saturated, reads wait with the writes in this drive, as commands do that are taken up in order once the buffer is full (`buffer.when_full`). Where reads pass writes they take 5.0 ms in the simulation, nearly all of it until one of the 256 slots of the controller is free.",
        "Saturated, the drive takes a fifth more writes than measured, and writes in sequence are a sixth slower than printed: one share of the program rate of ISSCC, 0.65, stands for both makers. Its write amplification is not known.",
    ),
    "wd-zn540-1tb.toml": (
        "Reads of depth 32 beside 10 MB/s of writes: the p99 lies at the edge of a second group. 0.9 % of the simulated reads take more than 400 µs, as they find a program that is not suspended any more; of the measured ones somewhat more than 1 % do, and p99.9 agrees. "
        "A p99 of 1 ms needs a few programs more than the host's writes cause, such as those of metadata, which are not simulated.",
        "Throughput at low depths is 6 to 13 % low: a lone read takes 74 µs, and 69 measured. ISSCC has 58 µs of sensing for these cells; NVMeVirt fits 50 to this drive.",
        "Shares of 50 %: beyond 105,000 appends per second the drive takes no more, whatever the depth, and their latency grows (239 µs at depth 64). These are 430 MB/s, half of what it takes in writes of 128 KiB: a limit of commands, which is not in the list of parts. Here 150,000 pass at depth 64.",
        "Appends take 17 µs when measured, and 10 here, where they are plain writes. `firmware.write_latency` is 7 µs for all drives of the class.",
        "1,000 MB/s beside reads of depth 8 and more: the writer of the measurement has one write outstanding and slows down (646 MB/s at depth 32), here it goes on at its rate and the backlog of writes grows, until reads find every die programming.",
    ),
    "samsung-980-pro-1tb.toml": (
        "Lone reads beside random writes are off both ways, and are not explained. The drive took up to 200,000 writes per second; its programs in TLC, 1,500 MB/s, leave room for 1.8 programmed bytes for each of these. Simulated, uniformly random writes to a drive with a spare space of a tenth are amplified sixfold, so that it is at its limit from 40,000 on, "
        "and every read finds a program: medians of 0.2 ms where 73 µs were measured. Where the writes went is not said. Tails are the other way round, 2 to 69 ms measured: a simulated read waits for one program of 0.57 ms at most, as erases are suspended. Nothing here lasts ten milliseconds but an erase that is not, or work that the firmware does in bulk.",
        "Reads of 16 KiB at depths below 8 take 115 to 119 µs measured and 73 simulated, where their four units are read at the same time from as many dies. Measured ones take as long as two reads, one after the other; those of 64 KiB agree.",
        "Reads of 4 KiB from depth 8 on: the measured rate falls behind depth over latency of a lone read (95,500 per second at depth 8, 64,200 at 4), although 32 planes are there. The drive or its host limits commands; from depth 64 on it is the core that sends them.",
        "The SLC cache ends where the maker says, 42 GB; a reviewer wrote 113 GB before it did. Behind it dies program at the rate of the table less transfers, 1,220 MB/s.",
    ),
    "samsung-845dc-pro-400gb.toml": (
        "Up to 15,000 reads per second shares of slow reads agree within some percent. At 24,000 and more, where the drive is busiest, more reads are slow than simulated (14 % above 1 ms at 24,000, 6 simulated): nothing is known of its dies, and those of a planar part stand for them.",
    ),
    "intel-660p-1tb.toml": (
        "Sequential reads and random writes are those of the flash and the link. What the controller takes for a command, which holds this drive back, is not in the list of parts.",
    ),
    "samsung-sz985-800gb.toml": (
        "The preset was set with the figures of this drive, so that they test nothing. Sequential figures are those of the link.",
    ),
    "micron-7450-pro-960gb.toml": (
        "Known not to be in the mechanism: the 7450 MAX, with 800 GB of the same flash, has single writes of milliseconds at 17 to 76 % of its limit, and reads that are slower at a third to a half of it than at saturation. It may have to do with how it was loaded. Nothing was fitted to it: where this drive does the same, predicted writes at p99 and reads at p99 are too short.",
        "The 7450 MAX takes fewer skewed writes than uniform ones. So does the simulated drive with 95 % of writes to 5 % of its space, for a reason of its own: cold blocks keep what little free space they have, since hot and cold data are parted by collection alone.",
    ),
    "kioxia-cm7-r-3840gb.toml": (
        "Its channels are not known, and are eight as in all drives of the class, of 1.2 GB/s each: sequential reads are limited by them, and not by the link of PCIe 5.0.",
    ),
    "intel-p4510-1tb.toml": (
        "Files of some GB on a drive that was filled in order: what is overwritten frees whole blocks, so that nothing is moved. Its 36 dies, and the spare space that follows, come of twelve channels.",
    ),
}
