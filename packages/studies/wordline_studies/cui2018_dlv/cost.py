"""V11: what the decisions of the scheduler cost, as a share of the time of a run; and what it keeps in memory."""

from __future__ import annotations

from wordline.points.outcome import Outcome
from wordline.studies import charts
from wordline.studies.claims import Case, finding
from wordline.studies.grid import GridFigure, Judge, Load, Metric, Variant
from wordline.studies.measured import Measured
from wordline.studies.verdict import Claim
from wordline_studies.cui2018_dlv.drives import IOPS, PRESET, SCHEMES, Keys, scheme
from wordline_studies.cui2018_dlv.judges import LATER, exactly
from wordline_studies.cui2018_dlv.loads import faster, load, speed_of

INSTRUCTIONS = 13_359
"""Instructions for a request of hm0 at the speed of the experiments on response times, for all looks at the queue, to choose it, to place it and to take it out: those of `choose_requests` under callgrind, 6,000 requests, a release build of Wordline. At the recorded rate they are 8,759, in a closed loop of 64 requests on a drive that collects nothing 11,285."""
OF_SIMULATION = {"at the recorded rate": 0.039, "at this speed": 0.067, "in a closed loop": 0.38}
"""Share of these in all instructions of the event loop of the simulator (`run_on`), of the same three runs."""
PER_SECOND = 400e6
"""Instructions a second of a core of the controller (assumed: one each cycle at 400 MHz)."""
SMALL = 0.01
"""Largest share of the time of a run that counts as small."""


def share(outcome: Outcome) -> float | None:
    """Share of the time of a run for which decisions take one core of the controller; above 1 where they take more than one."""
    rate = outcome.number(str(IOPS.value))
    return None if rate is None else rate * INSTRUCTIONS / PER_SECOND


SHARE = Metric("scheduler's share of a core", share, "share", relative=False)
PLAIN_IOPS = Metric("IOPS", str(IOPS.value), relative=False)
RECORDED, BUSY = faster("hm0", 1), faster("hm0", speed_of("hm0"))


def small(text: str, where: str) -> Judge:
    """The claim that the scheduler's share is small."""

    def judge(measured: Measured) -> Claim:
        value = measured.value(SHARE.name, "", "DLV", RECORDED)
        holds = None if value is None else value.mean <= SMALL
        shown = "no run" if value is None else f"{100 * value.mean:.3f} %"
        ours = f"{SHARE.name}: {shown} at the recorded rate, {LATER}"
        return finding(text, where, ours, [Case(RECORDED, holds)], number=ours)

    return judge


COST = GridFigure(
    heading="What decisions cost",
    text=(
        f"For a request {INSTRUCTIONS:,} instructions go into decisions: they were counted under callgrind, not timed. A core of the controller that does {PER_SECOND / 1e6:.0f} million of them a second (assumed) spends this share of the time of a run on them, under hm0 at its own rate and at the speed of the other figures, and under fin1, whose requests come at the highest rate of all, at its own. "
        f"Of what the simulator itself does in such runs of hm0, decisions are {100 * OF_SIMULATION['at the recorded rate']:.1f} % at the recorded rate and {100 * OF_SIMULATION['at this speed']:.1f} % at the speed of the other figures, where most of the rest is collection, and {100 * OF_SIMULATION['in a closed loop']:.0f} % in a closed loop on a drive that collects nothing."
    ),
    title="Share of the time of a run that goes into decisions",
    variants=[scheme("DLV")],
    loads=[
        load("hm0", 1.0, name=RECORDED),
        load("hm0", speed_of("hm0"), name=BUSY),
        load("fin1", 1.0, name=faster("fin1", 1)),
    ],
    metrics=[SHARE, PLAIN_IOPS],
    chart=charts.bars,
    claims=[
        small(
            f"Under hm0 at its own rate decisions take at most {100 * SMALL:.0f} % of the time of a run",
            "V11",
        )
    ],
    seeds=(1,),
    whole_only=True,
)

FRESH: Keys = {"age.method": "fresh"}
THREE: Keys = {
    "modes": [
        {"name": name, "quantile": quantile}
        for name, quantile in (("strong", 0.25), ("middle", 0.5), ("fair", 0.75))
    ]
}
TWO_CLASSES, FOUR_CLASSES = "two classes", "four classes"
KIB = 1024
SIZES = {
    "class of every block": "scheduler.metadata.class_bytes",
    "start levels": "scheduler.metadata.start_level_bytes",
    "program times": "scheduler.metadata.program_time_bytes",
}
"""What the controller keeps."""
PRINTED = [
    ("class of every block", TWO_CLASSES, 16 * KIB),
    ("class of every block", FOUR_CLASSES, 32 * KIB),
    ("start levels", TWO_CLASSES, 18),
    ("program times", TWO_CLASSES, 320 * KIB),
]
"""Bytes that the source prints (section 3 of the specification)."""
LOAD = Load(
    "hm0 surrogate, 100 requests", {"kind": "profile", "profile": "msr_hm_0", "requests": 100}
)

METADATA = GridFigure(
    heading="What the scheduler keeps",
    text="Bytes of the controller's memory on the drive of the source in its whole size, 131,072 blocks in 128 planes, fresh: the class of every block (one bit or two), tables of start levels (six entries of 9 + 3 bits for each class), and the hour in which each block was begun (20 bits).",
    title="Bytes that the scheduler keeps",
    variants=[
        Variant(TWO_CLASSES, PRESET, {**SCHEMES["DLV"], **FRESH}),
        Variant(FOUR_CLASSES, PRESET, {**SCHEMES["DLV"], **FRESH, **THREE}),
    ],
    loads=[LOAD],
    metrics=[Metric(name, key, relative=False) for name, key in SIZES.items()],
    chart=charts.bars,
    claims=[
        exactly(
            f"Under hm0 the controller keeps {printed:,} bytes for the {name} with {variant} of blocks",
            "section 4",
            metric=name,
            variant=variant,
            load=LOAD.name,
            printed=printed,
            unit="bytes",
        )
        for name, variant, printed in PRINTED
    ],
    seeds=(1,),
)
