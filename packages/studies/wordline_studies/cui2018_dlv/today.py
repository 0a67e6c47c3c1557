"""The scheduler on a drive of today, alone and with suspension, and whether the two add up."""

from __future__ import annotations

from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure, Metric, Variant
from wordline.studies.verdict import BEYOND
from wordline_studies.cui2018_dlv.drives import (
    AMPLIFICATION,
    ATTEMPTS,
    READ,
    RESPONSE,
    SEARCH,
    WRITE,
    Keys,
)
from wordline_studies.cui2018_dlv.judges import adds_up
from wordline_studies.cui2018_dlv.loads import SHORT, load

PRESET = "onfi5-tlc"
FASTER = 4.0
"""How much faster than recorded requests come: a fifth of what the drive of the source bears, since a plane of four times larger pages has more to read for a write of a part of a page."""
DRIVE: Keys = {
    "geometry.pages_per_block": 192,
    "allocation.mode": "static",
    "ftl.gc.pool": "plane",
    "ftl.gc.mode": "background",
    "ftl.gc.basis": "pool",
    "ftl.gc.hard": 0.01,
    "ftl.gc.low": 0.035,
    "ftl.gc.high": 0.035,
    "ecc.kind": "ldpc",
    "age.initial_cycles": 3000,
    "age.time_per_write": "100 ms",
    "host.queue_limit": 64,
}
"""Blocks of a quarter of the pages, addresses and collection as on the drive of the source, and as worn."""
CLASSES: Keys = {"modes": [{"name": "strong", "quantile": 0.25}]}
SUSPENDING: Keys = {
    "nand.suspend": "program_erase",
    "nand.suspend_style": "vendor",
    "scheduler.suspension.program_suspend": "vendor",
}
"""Suspension as data sheets have it."""
TODAY: dict[str, Keys] = {
    "baseline": {"scheduler.policy": "out_of_order", **SEARCH},
    "DLV": {"scheduler.policy": "dlv", "ecc.ldpc.start": "by_age", **CLASSES},
    "DLV, one class": {"scheduler.policy": "dlv", "ecc.ldpc.start": "by_age"},
    "DLV, levels from the first on": {"scheduler.policy": "dlv", **SEARCH, **CLASSES},
    "suspension": {"scheduler.policy": "pes", **SEARCH, **SUSPENDING},
    "DLV and suspension": {
        "scheduler.policy": "dlv_pes",
        "ecc.ldpc.start": "by_age",
        **CLASSES,
        **SUSPENDING,
    },
}
P99_READ = Metric("read response, p99", "host.read.latency.p99_us")
WHY = "a page takes 1.1 to 1.2 attempts in the baseline, so that there is little to save; start levels by age have all pages of an age begin where the weakest of them, of any type of page, once needed it; pages of strong blocks have more errors at the same age; and under proj3, which hardly writes, a drive with classes begins with a loss, as write amplification shows: the first strong page of each plane takes a free block, for which another one is collected"
"""Why DLV gains little there."""
LOADS = [load(volume, FASTER, SHORT) for volume in ("hm0", "proj3")]

FIGURE = GridFigure(
    heading="On a drive of today",
    text=(
        f"A drive of TLC ([`{PRESET}`](../reference/presets.md)) with three types of pages, 16 KiB pages, dies of four planes that are one unit and multi-plane commands, late in its life; addresses and collection as on the drive of the source. DLV alone, suspension of "
        f"programs and erases as data sheets have it alone (`pes`), and both (`dlv_pes`). Requests come {FASTER:.0f} times as fast as recorded."
    ),
    title="Response over that of the baseline, TLC",
    variants=[Variant(name, PRESET, {**DRIVE, **keys}) for name, keys in TODAY.items()],
    loads=LOADS,
    metrics=[RESPONSE, READ, P99_READ, WRITE, ATTEMPTS, AMPLIFICATION],
    baseline="baseline",
    chart=charts.bars,
    claims=[
        ordering(
            "Mean response is lower with DLV than in the baseline on a drive of today, under every load",
            BEYOND,
            metric=RESPONSE.name,
            of="DLV",
            than="baseline",
            relation="below",
            why=WHY,
        ),
        ordering(
            "Mean response of reads is lower with suspension than in the baseline on a drive of today, under every load",
            BEYOND,
            metric=READ.name,
            of="suspension",
            than="baseline",
            relation="below",
        ),
        ordering(
            "Mean response of reads is lower with DLV and suspension than with DLV alone on a drive of today, under every load",
            BEYOND,
            metric=READ.name,
            of="DLV and suspension",
            than="DLV",
            relation="below",
        ),
        adds_up(
            "DLV and suspension add up: the response of reads with both, over the baseline, is the product of those with each alone within 5 %, under every load",
            BEYOND,
            metric=READ.name,
            both="DLV and suspension",
            each=("DLV", "suspension"),
            than="baseline",
            margin=0.05,
        ),
    ],
    seeds=(1, 2),
    whole_only=True,
)
