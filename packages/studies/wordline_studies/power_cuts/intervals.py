"""F9: recovery time against checkpoint interval and writes of metadata."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from math import ceil

from wordline.points.outcome import Outcome
from wordline.studies import charts
from wordline.studies.claims import Case, decided, finding, ordering, rising
from wordline.studies.grid import GridFigure, Judge, Load, Metric, Variant
from wordline.studies.measured import Measured
from wordline.studies.verdict import Claim
from wordline_studies.ftl_family import sources

PRESET = "ftl-family"
LOGICAL = 50_000
"""Logical pages, roughly: the journal takes some of the 51,200 of the preset."""
CUTS = 4_000
"""Requests of which one has the power fail."""
INTERVALS = (250, 1_000, 4_000, 16_000)
"""Host writes from one checkpoint to the next."""
KEPT = {"age.method": "fresh", "run.warm_up": "2 drive writes", "output.recovery_every": CUTS}
REQUESTS, QUICK = 300_000, 150_000
"""Writes of a load, six times the pages; in the quick form three times."""
BLOCKS, PAGE = 1_024, 4_096
"""Blocks, and bytes of a page."""


def named(interval: int) -> str:
    """The drive with this interval."""
    return f"every {interval:,} writes"


JOURNALS = [named(interval) for interval in INTERVALS]
VARIANTS = [
    Variant("spare areas", PRESET, {**KEPT, "ftl.recovery.kind": "oob_scan"}),
    Variant("summary pages", PRESET, {**KEPT, "ftl.recovery.kind": "summary_scan"}),
    *(
        Variant(
            named(interval),
            PRESET,
            {
                **KEPT,
                "ftl.recovery.kind": "checkpoint_journal",
                "ftl.recovery.checkpoint_interval": interval,
            },
        )
        for interval in INTERVALS
    ),
]


def load(name: str, **keys: object) -> Load:
    """Writes of 4 KiB, eight outstanding."""
    whole = {"read_fraction": 0.0, "request_size": "4 KiB", "queue_depth": 8}
    return Load(name, {**whole, **keys, "requests": REQUESTS}, {"requests": QUICK})


LOADS = [
    load("uniform", kind="random"),
    load("18-82", kind="hot_cold", hot_space=0.18, hot_requests=0.82),
]


def milliseconds(name: str, key: str) -> Metric:
    """A time of the summary in milliseconds."""

    def value(outcome: Outcome) -> float | None:
        seconds = outcome.number(key)
        return None if seconds is None else 1_000 * seconds

    return Metric(name, value, "ms", relative=False)


def metadata(outcome: Outcome) -> float | None:
    """Pages of journal, checkpoints, roots and summaries for each page that the host wrote."""
    written = outcome.number("host.page_writes")
    own = outcome.number("ftl.pages_programmed.metadata") or 0.0
    return own / written if written else None


def checkpoint(outcome: Outcome) -> float | None:
    """Programs of a checkpoint: four bytes for each logical page and each block, and the root."""
    pages = outcome.number("ftl.user_pages")
    if pages is None:
        return None
    return ceil(pages / (PAGE // 4)) + ceil(4 * BLOCKS / PAGE) + 1


TIME = milliseconds("recovery time", "ftl.recovery.time.mean_s")
LONGEST = milliseconds("longest recovery", "ftl.recovery.time.max_s")
SERVED = milliseconds("time until the host is served", "ftl.recovery.until_served.mean_s")
METADATA = Metric("metadata writes", metadata, "pages", relative=False)
CHECKPOINT = Metric("pages of a checkpoint", checkpoint, "pages", relative=False)
AMPLIFICATION = Metric(
    "write amplification", "ftl.write_amplification_total", "pages", relative=False
)
TAIL = Metric("p99 of write latency", "host.write.latency.p99_us", relative=False)

NEAR = 0.1
"""Checkpoints begin when something asks for them after the interval is over, and the last of a run is cut off."""


def checkpoints_explain(text: str, where: str) -> Judge:
    """The claim that metadata writes of two intervals differ by the pages of their checkpoints."""

    def judge(measured: Measured) -> Claim:
        cases = []
        for name in measured.loads:
            for short, long in pairwise(INTERVALS):
                more = measured.value(METADATA.name, "", named(short), name)
                less = measured.value(METADATA.name, "", named(long), name)
                pages = measured.value(CHECKPOINT.name, "", named(short), name)
                case = f"{short:,} and {long:,}, {name}"
                if more is None or less is None or pages is None:
                    cases.append(Case(case, None))
                    continue
                expected = pages.mean * (1 / short - 1 / long)

                def near(more: float, less: float, expected: float = expected) -> bool:
                    return abs((more - less) / expected - 1) <= NEAR

                shown = f"{more.mean - less.mean:.4f} for {expected:.4f}"
                cases.append(
                    Case(case, near(more.mean, less.mean), shown, decided(near, more, less))
                )
        shown = "; ".join(f"{case.name}: {case.shown}" for case in cases)
        return finding(text, where, f"differences of metadata writes: {shown}", cases)

    return judge


FIGURE = GridFigure(
    heading="Checkpoint interval, recovery time and metadata writes",
    text=(
        "What each way of keeping data findable costs, and how long recovery reads. Without a journal a drive reads what it has programmed or one page of each block; with one it reads the checkpoint, the journal since then, and the blocks about which these may be wrong. Then it erases the blocks that hold nothing current and writes a fresh checkpoint, before it serves the host. "
        "The journal has a page for each erase and one for as many changes as it holds, at any interval; the rest is checkpoints."
    ),
    title="Recovery time and its cost by what is kept on flash",
    variants=VARIANTS,
    loads=LOADS,
    metrics=[TIME, LONGEST, SERVED, METADATA, CHECKPOINT, AMPLIFICATION, TAIL],
    chart=partial(charts.lines, logarithmic=(TIME.name, LONGEST.name, SERVED.name)),
    variants_are="what is kept on flash; a checkpoint ...",
    observers=(),
    claims=[
        ordering(
            "Reading summary pages is faster than reading the spare areas of all pages",
            f"{sources.OWN}: a block has one summary page",
            metric=TIME.name,
            of="summary pages",
            than="spare areas",
            relation="below",
        ),
        *(
            ordering(
                f"Checkpoint and journal are faster to read than {pages}, with a checkpoint {each}",
                f"{sources.OWN}: times of reading, worked out",
                metric=TIME.name,
                of=each,
                than=others,
                relation="below",
            )
            for others, pages in (
                ("spare areas", "the spare areas of all pages"),
                ("summary pages", "summary pages"),
            )
            for each in JOURNALS
        ),
        *(
            ordering(
                f"Until the host is served, checkpoint and journal take less time than the spare areas of all pages, with a checkpoint {each}",
                f"{sources.OWN}: what is programmed after the reads is a checkpoint of the map",
                metric=SERVED.name,
                of=each,
                than="spare areas",
                relation="below",
            )
            for each in JOURNALS
        ),
        rising(
            "Recovery takes longer the rarer checkpoints are",
            f"{sources.OWN}: the journal since a checkpoint is longer",
            metric=TIME.name,
            variants=JOURNALS,
        ),
        rising(
            "More metadata are written the more frequent checkpoints are",
            f"{sources.OWN}: a checkpoint is the whole map",
            metric=METADATA.name,
            variants=JOURNALS[::-1],
        ),
        checkpoints_explain(
            "What intervals differ by in metadata writes are the pages of their checkpoints",
            f"{sources.OWN}: a checkpoint is the whole map",
        ),
    ],
)
