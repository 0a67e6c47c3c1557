"""The drives of the study: the presets, smaller; what is looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wordline.points.outcome import Outcome
from wordline.studies.grid import Metric, Variant

Keys = Mapping[str, object]

BASELINE, SLOW, CHOSEN = "wu2013-diffecc-baseline", "wu2013-diffecc-slow", "wu2013-diffecc"
"""Presets."""
DRIVES: Mapping[str, str] = {"baseline": BASELINE, "always slow": SLOW, "DiffECC": CHOSEN}
"""Presets by the names of their variants."""

BLOCKS = 4096
"""Blocks of a plane of the presets."""
SMALLER = 16
"""By how much the drives of the study are smaller."""
BUFFERS: Mapping[str, int] = {"32 MB": 32, "64 MB": 64, "128 MB": 128}
"""Buffers of the source, which are the panels, in MiB."""


def size(buffer: int) -> dict[str, object]:
    """A smaller drive: fewer blocks, and a buffer of the same share as one of so many MiB in the source's drive."""
    return {
        "geometry.blocks_per_plane": BLOCKS // SMALLER,
        "buffer.size": f"{buffer // SMALLER} MiB",
    }


def variant(
    name: str, buffer: str, *layers: Keys, preset: str | None = None, panel: str | None = None
) -> Variant:
    """A drive of the study with keys laid over it."""
    keys = size(BUFFERS[buffer])
    for layer in layers:
        keys |= layer
    in_panel = buffer if panel is None else panel
    return Variant(name, preset or DRIVES[name], keys, in_panel, aged="age.method" not in keys)


def drives(names: Sequence[str], buffers: Sequence[str]) -> Sequence[Variant]:
    """Drives with buffers, which are the panels."""
    return [variant(name, buffer) for buffer in buffers for name in names]


def waiting_writes(outcome: Outcome) -> float | None:
    """Mean number of writes between their arrival and their completion, by Little's law: their rate times their mean latency."""
    rate, latency = outcome.number("host.write.iops"), outcome.number("host.write.latency.mean_us")
    return None if rate is None or latency is None else rate * latency / 1e6


READ = Metric("read latency", "host.read.latency.mean_us")
P95 = Metric("read latency, p95", "host.read.latency.p95_us")
P99 = Metric("read latency, p99", "host.read.latency.p99_us")
WRITE = Metric("write latency", "host.write.latency.mean_us")
QUEUE = Metric("writes outstanding", waiting_writes, "requests", relative=False)
SLOW_READS = Metric(
    "reads of pages in 8 codewords", "modes.n8.host_read_share", "share", relative=False
)
SLOW_WRITES = Metric(
    "programs in 8 codewords", "modes.n8.host_program_share", "share", relative=False
)


def of_modes(what: str, kind: str) -> tuple[Metric, ...]:
    """Shares of the modes between the fastest and the slowest, and of what is not in the fastest."""
    between = [
        Metric(f"{what} in {n} codewords", f"modes.n{n}.host_{kind}_share", "share", relative=False)
        for n in (2, 4)
    ]

    def slower(outcome: Outcome) -> float | None:
        share = outcome.number(f"modes.normal.host_{kind}_share")
        return None if share is None else 1 - share

    return (*between, Metric(f"{what} in more than one codeword", slower, "share", relative=False))


SLOWER_WRITES = "programs in more than one codeword"
SLOWER_READS = "reads of pages in more than one codeword"
LONG_SLOTS = Metric("idle slots above 5 ms", "drive.idle.above_5ms", "share", relative=False)
SLOT = Metric("mean idle slot of the drive", "drive.idle.mean_us", relative=False)
IDLE = Metric("time without a flash operation", "drive.idle.flash_share", "share", relative=False)
