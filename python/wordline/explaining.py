"""Where the time went, in sentences."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import polars as pl

from wordline.ends import of_burst, of_drain
from wordline.formatting import binary_size, counted, display, duration_us, part_of, percentage
from wordline.notes import conditions
from wordline.parts import KINDS, of_class, words
from wordline.powerlimits import of_idle_states, of_limit
from wordline.scattered import of_scatter

if TYPE_CHECKING:
    from wordline.results import Result

LOOKED_AT = (
    ("p50", "half of them end within {}", "the faster half takes", ("0-50 %",)),
    (
        "p99",
        "one in a hundred takes longer than {}",
        "those from p99 to p99.9 take",
        ("99-99.9 %",),
    ),
    (
        "p999",
        "one in a thousand takes longer than {}",
        "those take",
        ("99.9-99.99 %", "99.99-100 %"),
    ),
)
"""A percentile, what it says, the requests whose time is told, and the bands that they are in."""
LOOK_UPS = ("mapping_read", "die_mapping", "channel_mapping")
"""The parts of a response time that a map on flash costs."""
WORTH_TELLING = 0.05
"""Parts below this share of the time are told as one."""
MOST_PARTS = 5

SWITCHED_OFF = (
    "This run kept no account of where its time went. Run it again with `output.attribution = true`: "
    '`wl.Drive.from_toml(..., **{"output.attribution": True})` in Python, `--set output.attribution=true` on '
    "the command line (where `wordline run --out` switches it on by itself)."
)


RARE = (
    (1_000, "0.1 %", "p999", LOOKED_AT[2][3]),
    (100, "1 %", "p99", LOOKED_AT[1][3]),
)
"""How many requests it takes to speak of so few of them, their share, their percentile, and their bands."""


def lead(result: Result) -> list[str]:
    """What a reader wants to know first: a paragraph for each class of requests.

    Unlike `explain` it needs no attribution, and says what the time went into where there is one.
    """
    summary = result.summary
    shown = [
        in_short(summary, kind, of_class(result, kind) if is_recorded(result) else None)
        for kind in KINDS
        if summary[f"host.{kind}.count"]
    ]
    told = conditions(result.notes)
    return [
        *shown,
        *of_burst(result),
        *of_drain(result),
        *of_drive(result),
        *([told] if told else []),
    ]


def of_drive(result: Result) -> Iterator[str]:
    """What of this kind of drive decides its figures: its SLC cache, its map on flash, its mapping units, its planes, its limits of power, its temperature."""
    yield from of_cache(result)
    yield from of_map(result)
    yield from of_units(result)
    yield from of_scatter(result)
    yield from of_planes(result)
    yield from of_power(result)
    yield from of_temperature(result)


def of_map(result: Result) -> Iterator[str]:
    """What reads of a map on flash cost the host's reads, where the drive has such a map and looked entries up."""
    summary = result.summary
    lookups, hits = summary.get("ftl.table.lookups"), summary.get("ftl.table.hit_ratio")
    if not isinstance(lookups, int) or not lookups or not isinstance(hits, float):
        return
    said = (
        f"The map is on flash: {part_of(hits)} of the entries that were looked up were in its cache"
    )
    lent = summary.get("ftl.table.host_memory_bytes")
    if isinstance(lent, int) and lent:
        said += f" of {binary_size(lent)} of the host's memory"
    fetched = summary.get("ftl.table.pages_fetched")
    if not isinstance(fetched, int) or not fetched:
        yield f"{said}.{of_updates(summary)}"
        return
    were = "was" if fetched == 1 else "were"
    said += f"; {counted(fetched, 'page')} of the map {were} read for the others"
    parts = (summary.get(f"attribution.read.{name}_us") for name in LOOK_UPS)
    times = [time for time in parts if isinstance(time, float)]
    mean = summary.get("host.read.latency.mean_us")
    if times and isinstance(mean, float) and mean:
        said += (
            f". Map lookups, including queueing for them, account for "
            f"{part_of(sum(times) / mean)} of the mean read latency of {in_words(mean)}"
        )
    yield f"{said}.{of_updates(summary)}"


UPDATES = {
    "collection_updates": "collection or folding had moved data",
    "evicted_dirty": "changed entries left its cache",
    "late_updates": "entries had left its cache before the writes that change them were done",
}
"""Why pages of a map on flash are programmed, by the keys of `ftl.table` that count them."""


def of_updates(summary: Mapping[str, object]) -> str:
    """How much of what was programmed is the map, where any of it was, and the most frequent reason."""
    of_map, programmed = (summary.get(f"ftl.pages_programmed{cause}") for cause in (".mapping", ""))
    if not isinstance(of_map, int) or not isinstance(programmed, int) or not of_map:
        return ""
    counts = {why: summary.get(f"ftl.table.{key}") for key, why in UPDATES.items()}
    known = {why: count for why, count in counts.items() if isinstance(count, int) and count}
    said = f" Of the pages programmed {part_of(of_map / programmed)} are of the map"
    if known:
        said += f", most often because {max(known, key=known.__getitem__)}"
    return f"{said}."


def of_units(result: Result) -> Iterator[str]:
    """What writes smaller than a mapping unit cost, where a unit has several pages and the host wrote parts of units."""
    summary = result.summary
    pages = summary.get("ftl.pages_per_unit")
    written = summary.get("host.write.bytes")
    if not isinstance(pages, int) or not isinstance(written, int) or not written:
        return
    page = tomllib.loads(result.config)["geometry"]["page_size"]
    programmed, read = (summary.get(f"ftl.pages_{done}.host") for done in ("programmed", "read"))
    total = summary.get("ftl.write_amplification_bytes")
    said = (
        f"The mapping unit has {display(pages)} pages of {page}, and smaller writes rewrite the whole unit: for "
        f"{binary_size(written)} of host writes, {display(programmed)} pages were programmed"
    )
    if summary.get("host.read.count") == 0 and read:
        said += f" and {display(read)} read for the rest of these units"
    if isinstance(total, float):
        said += f"; with garbage collection the flash programmed {total:.3g} bytes for each byte of host writes"
    yield f"{said}."


def of_cache(result: Result) -> Iterator[str]:
    """What the SLC cache took and what went around it, where the drive has one and the host wrote."""
    summary = result.summary
    share = summary.get("ftl.slc_cache.share")
    if not isinstance(share, float):
        return
    mode = tomllib.loads(result.config)["ftl"]["slc_cache"]["mode"]
    said = f"The SLC cache took {part_of(share)} of the pages that the host wrote"
    waits = summary.get("ftl.slc_cache.waits")
    was_full = isinstance(summary.get("ftl.slc_cache.full_at_s"), float)
    if waits:
        said += (
            f"; writes stalled {counted(int(waits), 'time')} waiting for SLC blocks to be folded"
        )
    elif share == 1:
        said += ", folded in step with writes" if was_full else " and was never full"
    else:
        times = [summary.get(f"modes.{each}.program_us") for each in (mode, "normal")]
        went_around = "have a placement handle, with which they go around it"
        if not was_full:
            said += f"; the others {went_around}"
        elif has_handles(result):
            said += f"; the others found no room in it or {went_around}"
        else:
            said += "; the others found no room in it"
        if all(isinstance(time, float) for time in times):
            fast, slow = map(in_words, times)
            said += f": a program of the flash takes {slow} there and {fast} in the cache"
    folded = summary["ftl.slc_cache.pages_folded"]
    moved = f" Folded in this run: {counted(int(folded), 'page')}." if folded else ""
    yield f"{said}.{of_cliff(result)}{moved}"


def has_handles(result: Result) -> bool:
    """Whether the drive heeds placement handles."""
    placement = tomllib.loads(result.config)["ftl"].get("placement", {})
    return bool(placement.get("directive", "none") != "none")


def of_cliff(result: Result) -> str:
    """When the SLC cache had filled up, and how fast the host wrote before and since, where it was and both can be told."""
    full = result.summary.get("ftl.slc_cache.full_at_s")
    if not isinstance(full, float):
        return ""
    series = result.time_series.filter(pl.col("width_ns") > 0)
    start, end = pl.col("start_ns"), pl.col("start_ns") + pl.col("width_ns")
    halves = (series.filter(end <= full * 1e9), series.filter(start >= full * 1e9))
    said = f" It had filled up after {in_words(full * 1e6)}"
    rates = [rate_of(half) for half in halves if half.height]
    if len(rates) == 2:
        said += f": the host wrote {rates[0]} until then and {rates[1]} since"
    return f"{said}."


def rate_of(windows: pl.DataFrame) -> str:
    """The bytes that the host wrote in windows of time, by their length."""
    written, time = windows.select(pl.col("written_bytes", "width_ns").sum()).row(0)
    rate = 1e3 * written / time
    return f"{rate:,.0f} MB/s" if rate >= 10 else f"{rate:.3g} MB/s"


def of_planes(result: Result) -> Iterator[str]:
    """How many reads began beside another read of their die, where planes read on their own and any did."""
    summary = result.summary
    beside, reads = summary.get("nand.reads_beside_reads"), summary.get("ftl.pages_read")
    if not isinstance(beside, int) or not isinstance(reads, int) or not beside or not reads:
        return
    planes = tomllib.loads(result.config)["geometry"]["planes_per_die"]
    yield (
        f"Each of the {planes} planes of a die reads on its own: {part_of(beside / reads)} of the "
        f"{display(reads)} pages read began while another plane of their die had a read."
    )


def of_power(result: Result) -> Iterator[str]:
    """What a limit of power held back, and how long the drive was in an idle state, where it has either and that came to pass."""
    if result.summary.get("power.limit.share"):
        yield from of_limit(result)
    if result.summary.get("power.wakes"):
        yield from of_idle_states(result)


def of_temperature(result: Result) -> Iterator[str]:
    """How warm the drive became, and what of the run it throttled, where it has a temperature."""
    summary = result.summary
    most, end = summary.get("thermal.temperature.max_c"), summary.get("thermal.temperature.end_c")
    share = summary.get("thermal.throttled_share")
    if not isinstance(most, float) or not isinstance(end, float) or not isinstance(share, float):
        return
    thermal = tomllib.loads(result.config)["thermal"]
    said = f"The drive became {display(most)} °C warm, and ended at {display(end)} °C"
    if not share:
        yield f"{said}; it began to throttle at {thermal['tmt1']} (TMT1) and so never did."
        return
    said += f"; it throttled for {percentage(share)} of the time"
    did = [
        f"lightly, at {thermal['light_rate']}, {transitions(result, 'tmt1')}",
        f"heavily, at {thermal['heavy_rate']}, {transitions(result, 'tmt2')}",
        f"took up no command at all {transitions(result, 'cctemp')}",
    ]
    names = ("tmt1", "tmt2", "cctemp")
    told = [
        part for part, name in zip(did, names, strict=True) if summary[f"thermal.{name}.time_s"]
    ]
    yield f"{said}: {'; '.join(told)}."


def transitions(result: Result, name: str) -> str:
    """How long a state of throttling lasted in all, and how often it was entered from a colder one."""
    microseconds = result.number(f"thermal.{name}.time_s") * 1e6
    count = int(result.number(f"thermal.{name}.transitions"))
    return f"for {in_words(microseconds)} (entered {counted(count, 'time')})"


def in_short(summary: Mapping[str, object], kind: str, table: pl.DataFrame | None) -> str:
    """One class of requests: the median, the slowest, and what these waited for."""
    count = int(str(summary[f"host.{kind}.count"]))
    latency = f"host.{kind}.latency"
    if count == 1:
        return f"One {kind}, which took {in_words(summary[f'{latency}.max_us'])}."
    said = f"{counted(count, kind)}: median {in_words(summary[f'{latency}.p50_us'])}"
    for least, who, point, bands in RARE:
        if count < least or is_longest(summary, kind, point):
            continue
        reached = summary[f"{latency}.{point}_us"]
        more = f"{said}; the slowest {who} take more than {in_words(reached)}"
        requests, time, parts = (0, 0.0, []) if table is None else of_bands(table, bands)
        if not requests or not time:
            return f"{more}."
        name, most = parts[0]
        share = f"{percentage(most / time)} of that is {words(name)}"
        # requests of like latency are divided among bands, so that their mean may lie below the percentile
        if isinstance(reached, int | float) and duration_us(max(time, reached)) == duration_us(
            reached
        ):
            return f"{said}; the slowest {who} take about {duration_us(reached)}; {share}."
        return f"{more} and average {duration_us(time)}; {share}."
    return f"{said}; the slowest takes {in_words(summary[f'{latency}.max_us'])}."


def is_longest(summary: Mapping[str, object], kind: str, point: str) -> bool:
    """Whether a percentile is that of the longest request, which nothing takes longer than."""
    at, most = (summary[f"host.{kind}.latency.{name}_us"] for name in (point, "max"))
    return isinstance(at, int | float) and isinstance(most, int | float) and at >= most


def explain(result: Result) -> str:
    """Where the time of the median, the 99th and the 99.9th percentile went; a paragraph per class."""
    summary = result.summary
    kinds = [kind for kind in KINDS if summary[f"host.{kind}.count"]]
    if not kinds:
        return "The run held no reads and no writes."
    if not is_recorded(result):
        return SWITCHED_OFF
    classes = ("\n".join(told(summary, kind, of_class(result, kind))) for kind in kinds)
    return "\n\n".join((*classes, *of_burst(result), *of_drain(result), *of_drive(result)))


def is_recorded(result: Result) -> bool:
    """Whether the run kept account of where its time went."""
    return any(key.startswith("attribution.") for key in result.summary)


def told(summary: Mapping[str, object], kind: str, table: pl.DataFrame) -> Iterator[str]:
    """The sentences about one class of requests."""
    latency = f"host.{kind}.latency"
    count, mean = summary[f"host.{kind}.count"], summary[f"{latency}.mean_us"]
    yield f"{counted(int(str(count)), kind)}, {in_words(mean)} on average."
    for point, says, who, bands in LOOKED_AT:
        if point != "p50" and is_longest(summary, kind, point):
            yield f"- None takes longer than {in_words(summary[f'{latency}.max_us'])}."
            return
        requests, time, parts = of_bands(table, bands)
        reached = says.format(in_words(summary[f"{latency}.{point}_us"]))
        if not requests:
            found = f"too few {kind}s to say what of."
        elif not time:
            found = f"{who} no time ({requests:,} {kind}s, served from the controller's memory)."
        else:
            found = f"{who} {duration_us(time)} on average ({requests:,} {kind}s). Of this, {listed(parts, time)}."
        yield f"- {reached[0].upper()}{reached[1:]}: {found}"


def of_bands(
    table: pl.DataFrame, bands: Sequence[str]
) -> tuple[int, float, list[tuple[str, float]]]:
    """Requests of some bands, their mean latency, and the mean time in each part, longest first."""
    requests: dict[str, int] = {}
    total = 0.0
    parts: dict[str, float] = {}
    for row in table.iter_rows(named=True):
        band, count = row["band"], row["requests"]
        if band not in bands:
            continue
        if band not in requests:
            requests[band] = count
            total += row["latency_mean_us"] * count
        parts[row["part"]] = parts.get(row["part"], 0.0) + row["part_mean_us"] * count
    count = sum(requests.values())
    if not count:
        return 0, 0.0, []
    means = [(part, time / count) for part, time in parts.items()]
    return count, total / count, sorted(means, key=lambda each: -each[1])


def listed(parts: Sequence[tuple[str, float]], total: float) -> str:
    """The parts that matter, with their shares."""
    told = [(part, time) for part, time in parts if time >= WORTH_TELLING * total][:MOST_PARTS]
    said = [f"{percentage(time / total)} is {words(part)}" for part, time in told]
    rest = 1 - sum(time for _, time in told) / total
    if rest >= 0.005:
        said.append(f"{percentage(rest)} is the rest")
    return ", ".join(said)


def in_words(value: object) -> str:
    """A time of the summary."""
    return duration_us(value) if isinstance(value, int | float) else "an unknown time"
