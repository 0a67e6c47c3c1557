"""V7 to V9: depth of the queue, number of chips, and policies of a data buffer."""

from __future__ import annotations

from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure, Variant
from wordline_studies.cui2018_dlv.drives import (
    MAIN,
    READ,
    RESPONSE,
    SCHEMES,
    WRITE,
    Keys,
    scheme,
    variant,
)
from wordline_studies.cui2018_dlv.loads import FOUR, busy

DEPTHS = (1, 4, 16, 64, 256, 512)
SATURATED = 0.05
DEPTH = GridFigure(
    heading="Depth of the queue",
    text="DLV with so many requests in the drive at once; later ones wait at the host, in the order of their arrival.",
    title="Response by depth of the queue, over that with 64",
    variants=[variant(str(depth), SCHEMES["DLV"], {"host.queue_limit": depth}) for depth in DEPTHS],
    loads=busy(FOUR),
    metrics=[RESPONSE],
    baseline="64",
    chart=charts.lines,
    variants_are="requests in the drive at once",
    claims=[
        ordering(
            "Mean response with DLV is lower with 16 requests in the drive at once than with 1, under every load",
            "V7, figure 16",
            metric=RESPONSE.name,
            of="16",
            than="1",
            relation="below",
        ),
        ordering(
            "Mean response with DLV is lower with 64 requests in the drive at once than with 16, under every load",
            "V7, figure 16",
            metric=RESPONSE.name,
            of="64",
            than="16",
            relation="below",
        ),
        ordering(
            "Mean response with DLV with 512 requests in the drive at once is that with 256 within 5 %, under every load",
            "V7, figure 16",
            metric=RESPONSE.name,
            of="512",
            than="256",
            relation="equal to",
            margin=SATURATED,
        ),
    ],
    seeds=(1, 2),
    whole_only=True,
)

CHIPS = (4, 8, 16, 32, 64)
BLOCKS = 128


def with_chips(chips: int) -> Variant:
    """A drive of so many chips on four channels."""
    keys: Keys = {
        "geometry.chips_per_channel": chips // 4,
        "geometry.blocks_per_plane": BLOCKS,
        "age.time_per_write": f"{round(6000 * 16 / chips)} ms",
    }
    return variant(str(chips), SCHEMES["DLV"], keys)


NUMBER_OF_CHIPS = GridFigure(
    heading="Number of chips",
    text=f"DLV on drives with 4 to 64 chips, 1 to 16 on a channel, planes of {BLOCKS} blocks; the same law of addresses falls into the space that there is. The source goes on to 128.",
    title="Response by number of chips, over that with 16",
    variants=[with_chips(chips) for chips in CHIPS],
    loads=busy(FOUR),
    metrics=[RESPONSE],
    baseline="16",
    chart=charts.lines,
    variants_are="chips",
    claims=[
        ordering(
            f"Mean response with DLV is lower with {more} chips than with {fewer}, under every load",
            "V8, figure 17",
            metric=RESPONSE.name,
            of=str(more),
            than=str(fewer),
            relation="below",
        )
        for fewer, more in ((4, 16), (16, 64))
    ],
    seeds=(1, 2),
    whole_only=True,
)

POLICIES = ("lru", "cflru", "lru_wsr", "ccf_lru", "pt_lru")
BUFFER = "6400 KiB"
"""50 MB of the source's drive, smaller by as much as ours is."""


def buffered(policy: str) -> list[Variant]:
    """The main schemes with a data buffer."""
    keys: Keys = {
        "buffer.policy": policy,
        "buffer.size": BUFFER,
        "buffer.read_cache": True,
    }
    return [scheme(name, keys, panel=policy) for name in MAIN]


BUFFERS = GridFigure(
    heading="With a data buffer",
    text="The same behind a write-back buffer of 50 MB that caches reads too, made eight times smaller like the drive (6400 KiB), under five policies. PT-LRU is a reconstruction from its summary.",
    title="Response over that of the baseline, by policy of the buffer",
    variants=[each for policy in POLICIES for each in buffered(policy)],
    loads=busy(FOUR),
    metrics=[RESPONSE, READ, WRITE],
    baseline="baseline",
    chart=charts.bars,
    claims=[
        ordering(
            "Mean response behind a buffer is lower with DLV than in the baseline, with each of five policies, under every load",
            "V9, figure 18",
            metric=RESPONSE.name,
            of="DLV",
            than="baseline",
            relation="below",
        ),
    ],
    seeds=(1, 2),
    whole_only=True,
)
