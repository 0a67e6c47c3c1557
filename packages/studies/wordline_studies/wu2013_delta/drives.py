"""The drives of the study: the preset at three ratios, and the same drive with the gate closed; what is looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wordline.points.outcome import Outcome
from wordline.studies.grid import Metric, Variant

Keys = Mapping[str, object]

PRESET = "wu2013-delta"
PAGES = 367_001
"""Logical pages of the preset."""
CHIPS = 2 / 16
"""Chips of the preset over those of the source."""
BLOCK_PAGES = 64
"""Pages of a block."""
READ_US, PROGRAM_US, ERASE_US = 25.0, 200.0, 1500.0
"""Times of the array: table 4.3."""

SCAN = 2_048
"""Pages that the host writes between two looks for cold pages: 50 looks and more in a run."""
COUNTED: Keys = {"ftl.delta.counted_pages": PAGES, "ftl.delta.scan_interval_writes": SCAN}
"""Accesses of all pages are counted: the source's mapping cache, of unknown size, serves a drive of 64 GB, of which its traces touch a small part."""
FILLED: Keys = {"age.method": "overwritten", "age.random_factor": 0.0}
"""A drive that was filled once, in the order of addresses; the preset is in the steady state of random overwriting."""
CLOSED: Keys = {"ftl.delta.gate": "closed"}
"""No write is encoded: the drive is a page mapping with the same buffer, spare space and collection."""
BASELINE = "baseline"
RATIOS: Mapping[str, Keys] = {
    "ratio 0.50": {"ftl.delta.ratio": 0.50},
    "ratio 0.35": {"ftl.delta.ratio": 0.35},
    "ratio 0.20": {"ftl.delta.ratio": 0.20},
}
"""Low, medium and high content locality of the source."""
UPWARDS: Sequence[str] = list(RATIOS)[::-1]
"""Their names, from the lowest ratio to the highest."""


def variant(name: str, *layers: Keys, panel: str = "") -> Variant:
    """The preset with keys laid over it."""
    keys: dict[str, object] = {**COUNTED}
    for layer in layers:
        keys |= layer
    # a drive that was filled once collects nothing at first
    return Variant(name, PRESET, keys, panel, aged="age.method" not in keys)


def with_baseline(*others: Variant, panel: str = "", keys: Keys | None = None) -> Sequence[Variant]:
    """Drives, after the one that encodes nothing."""
    return [variant(BASELINE, CLOSED, keys or {}, panel=panel), *others]


def beside_baselines(panels: Mapping[str, Keys], others: Mapping[str, Keys]) -> Sequence[Variant]:
    """In each panel, whose keys are those of all its drives: drives with keys of their own, after the one that encodes nothing."""
    return [
        each
        for panel, keys in panels.items()
        for each in with_baseline(
            *(variant(name, keys, own, panel=panel) for name, own in others.items()),
            panel=panel,
            keys=keys,
        )
    ]


DRIVES: Sequence[Variant] = with_baseline(*(variant(name, keys) for name, keys in RATIOS.items()))
"""The four drives that most figures compare."""


def number(outcome: Outcome, key: str) -> float:
    """A count of the summary; 0 where it has none."""
    return outcome.number(key) or 0.0


def foreground(outcome: Outcome) -> float:
    """Pages programmed for writes of the host: whole, or filled with their deltas."""
    return sum(number(outcome, f"ftl.pages_programmed.{cause}") for cause in ("host", "delta"))


def collection_us(outcome: Outcome) -> float | None:
    """Time of the array for a collected block: its reads, programs and erase, those of merges included."""
    victims = number(outcome, "ftl.gc.victims")
    if not victims:
        return None
    merges = sum(number(outcome, f"ftl.delta.merges.{area}_victim") for area in ("page", "log"))
    programs = number(outcome, "ftl.pages_programmed.gc") + merges
    # a merge reads a page, and a delta that collection reads anyway where its block is emptied
    reads = number(outcome, "ftl.pages_read.gc") + merges
    return (programs * PROGRAM_US + reads * READ_US) / victims + ERASE_US


def work_us(outcome: Outcome) -> float:
    """Erases of collection, and its programs, those of merges included: PE_gc of the source."""
    programs = number(outcome, "ftl.pages_programmed.gc") + sum(
        number(outcome, f"ftl.delta.merges.{area}_victim") for area in ("page", "log")
    )
    return number(outcome, "ftl.gc.victims") * ERASE_US + programs * PROGRAM_US


def superseded(outcome: Outcome) -> float | None:
    """Share of the deltas that a later write of their page made needless: P_ow of the source."""
    written = number(outcome, "ftl.delta.writes")
    needless = number(outcome, "ftl.delta.superseded") + number(outcome, "ftl.delta.dropped")
    return needless / written if written else None


def of_deltas(outcome: Outcome) -> float | None:
    """Share of the collected blocks that were filled with pages of deltas."""
    victims = number(outcome, "ftl.gc.victims")
    return number(outcome, "ftl.delta.log_victims") / victims if victims else None


def merges(outcome: Outcome) -> float | None:
    """Merges for each delta that was written."""
    written = number(outcome, "ftl.delta.writes")
    return number(outcome, "ftl.delta.merge_programs") / written if written else None


def merged(outcome: Outcome) -> float:
    """Pages programmed by merges of what is read-hot or no longer write-hot, which collection did not ask for."""
    causes = ("read_hot", "write_cold")
    return sum(number(outcome, f"ftl.delta.merges.{cause}") for cause in causes)


def reads_of_deltas(outcome: Outcome) -> float | None:
    """Reads of pages of deltas for each read of a page of data: what the source calls the raw read latency in addition."""
    reads = number(outcome, "ftl.pages_read.host")
    deltas = number(outcome, "ftl.delta.reads") - number(outcome, "ftl.delta.reads_in_memory")
    return deltas / reads if reads else None


COLLECTIONS = Metric("collections", "ftl.gc.victims", "blocks")
FOREGROUND = Metric("foreground programs", foreground, "pages")
ERASES = Metric("erases", "ftl.blocks_erased", "blocks")
AMPLIFICATION = Metric("write amplification", "ftl.write_amplification")
DELTA_SHARE = Metric("writes kept as deltas", "ftl.delta.write_share", "share", relative=False)
GAIN = Metric("pages gained by a collection", "ftl.delta.victim_gain", "pages", relative=False)
DURATION = Metric("flash time of a collection", collection_us, "µs")
VICTIMS = Metric("collections of deltas", of_deltas, "share", relative=False)
WORK = Metric("programs and erases of collection", work_us, "µs")
SUPERSEDED = Metric("deltas overwritten", superseded, "share", relative=False)
MERGED = Metric("merges outside of collection", merged, "pages", relative=False)
MERGES = Metric("merges for each delta", merges, "merges", relative=False)
WRITE = Metric("write latency", "host.write.latency.mean_us")
READ = Metric("read latency", "host.read.latency.mean_us")
RAW = Metric("further reads of deltas", reads_of_deltas, "share", relative=False)
PAGES_PER_DELTA = Metric(
    "pages for each delta", "ftl.delta.pages_per_delta", "pages", relative=False
)
