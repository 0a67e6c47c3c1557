"""V7 to V9: depth of the queue, number of chips, and policies of a data buffer."""

from __future__ import annotations

from wordline.studies import charts
from wordline.studies.grid import GridFigure, Variant
from wordline.studies.verdict import BEYOND
from wordline_studies.cui2018_dlv.drives import (
    READ,
    RESPONSE,
    SCHEMES,
    SMALL,
    SMALL_BLOCKS,
    WRITE,
    Keys,
    scheme,
    variant,
)
from wordline_studies.cui2018_dlv.judges import follows, saturates, sized
from wordline_studies.cui2018_dlv.loads import (
    BRIEF,
    OWN_AND_FIVE,
    SHORT,
    VOLUMES,
    busy,
    faster,
    load,
    name_of,
)

DEPTHS = (1, 2, 4, 8, 16, 32, 64, 512)
SATURATED = 0.05
"""By how much a response may be above that with the deepest queue and count as the same."""
OF_DEPTH = ("hm0", "usr0", "src12", "fin1")
"""Traces of the experiment on the depth of the queue."""
DEPTH = GridFigure(
    heading="Depth of the queue",
    text="DLV with so many requests in the drive at once, at the traces' own rates and at five times them; later ones wait at the host, in the order of their arrival. The depth from which on the response is that with 512, within 5 %, is what Wordline predicts.",
    title="Response by depth of the queue, over that with 512",
    variants=[variant(str(depth), SCHEMES["DLV"], {"host.queue_limit": depth}) for depth in DEPTHS],
    loads=[
        load(volume, speed, SHORT, faster(volume, speed))
        for speed in OWN_AND_FIVE
        for volume in OF_DEPTH
    ],
    metrics=[RESPONSE],
    baseline="512",
    chart=charts.lines,
    variants_are="requests in the drive at once",
    claims=[
        saturates(
            "Mean response with DLV falls with the depth of the queue, by 5 % or more, and then stays the same, under every load",
            "V7, figure 16",
            metric=RESPONSE.name,
            variants=[str(depth) for depth in DEPTHS],
            within=SATURATED,
        ),
        sized(
            "Mean response with DLV is lower with 16 requests in the drive at once than with 1, under every load",
            BEYOND,
            metric=RESPONSE.name,
            of="16",
            than="1",
            relation="below",
        ),
        sized(
            "Mean response with DLV is not higher with 64 requests in the drive at once than with 16, within 5 %, under every load",
            BEYOND,
            metric=RESPONSE.name,
            of="64",
            than="16",
            relation="not above",
            margin=SATURATED,
        ),
    ],
    seeds=(1,),
    whole_only=True,
)

CHIPS = (4, 8, 16, 32, 64, 128)
OF_CHIPS = ("hm0", "prn0", "usr0", "proj3", "src12", "fin1")
"""Traces of the experiment on the number of chips."""


def with_chips(chips: int) -> Variant:
    """A drive of so many chips on four channels."""
    keys: Keys = {
        "geometry.chips_per_channel": chips // 4,
        "age.time_per_write": f"{round(6000 * 16 / chips)} ms",
    }
    return variant(str(chips), SCHEMES["DLV"], keys, base=SMALL)


CHIP_SPEED = 5.0
"""Speed of the loads of the experiment on the number of chips: the higher one of that on the depth of the queue, since four chips do not bear that of the other figures."""
RATES = {
    name_of("hm0"): 3_993_316 / 7,
    name_of("prn0"): 5_585_886 / 7,
    name_of("usr0"): 2_237_889 / 7,
    name_of("proj3"): 2_244_644 / 7,
    name_of("src12"): 1_907_773 / 7,
    name_of("fin1"): 5_334_987 / 0.51,
}
"""Requests a day of these traces, by their profiles."""

NUMBER_OF_CHIPS = GridFigure(
    heading="Number of chips",
    text=f"DLV on drives with 4 to 128 chips, 1 to 32 on a channel, planes of {SMALL_BLOCKS} blocks; the same law of addresses falls into the space that there is. Requests come {CHIP_SPEED:g} times as fast as recorded: at the speed of the other figures four chips are overloaded.",
    title="Response by number of chips, over that with 16",
    variants=[with_chips(chips) for chips in CHIPS],
    loads=[load(volume, CHIP_SPEED, BRIEF) for volume in OF_CHIPS],
    metrics=[RESPONSE],
    baseline="16",
    chart=charts.lines,
    variants_are="chips",
    claims=[
        *(
            sized(
                f"Mean response with DLV is lower with {more} chips than with {fewer}, under every load",
                "V8, figure 17",
                metric=RESPONSE.name,
                of=str(more),
                than=str(fewer),
                relation="below",
            )
            for fewer, more in ((4, 16), (16, 128))
        ),
        follows(
            "The fewer requests a second a trace has, the more it gains from 128 chips over 4 in mean response, by rank, under every load",
            "V8, figure 17",
            metric=RESPONSE.name,
            of="128",
            than="4",
            share=RATES,
            falling=True,
        ),
    ],
    seeds=(1,),
    whole_only=True,
)

POLICIES = ("lru", "cflru", "lru_wsr", "ccf_lru", "pt_lru")
BUFFER = "6400 KiB"
"""50 MB of the source's drive, smaller by as much as ours is."""


def buffered(policy: str) -> list[Variant]:
    """Baseline and DLV with a data buffer."""
    keys: Keys = {
        "buffer.policy": policy,
        "buffer.size": BUFFER,
        "buffer.read_cache": True,
    }
    return [scheme(name, keys, panel=policy) for name in ("baseline", "DLV")]


BUFFERS = GridFigure(
    heading="With a data buffer",
    text="The same behind a write-back buffer of 50 MB that caches reads too, made eight times smaller like the drive (6400 KiB), under five policies. PT-LRU is a reconstruction from its summary.",
    title="Response over that of the baseline, by policy of the buffer",
    variants=[each for policy in POLICIES for each in buffered(policy)],
    loads=busy(VOLUMES, SHORT),
    metrics=[RESPONSE, READ, WRITE],
    baseline="baseline",
    chart=charts.bars,
    claims=[
        sized(
            "Mean response behind a buffer is lower with DLV than in the baseline, with each of five policies, under every load",
            "V9, figure 18",
            metric=RESPONSE.name,
            of="DLV",
            than="baseline",
            relation="below",
        ),
    ],
    seeds=(1,),
    whole_only=True,
)
