"""Flash operations, blocks, buffer and decoder: sums and definitions."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from configurations.checks.run import Run, number, unequal

DATA = ("host", "gc", "fold", "merge", "wear", "refresh", "delta", "repair")
"""Causes of programs of data; the others are the FTL's own."""


def causes_and_kinds_sum_to_totals(run: Run) -> Iterator[str]:
    for total in (
        "ftl.pages_programmed",
        "ftl.pages_read",
        "ftl.copy_backs",
        "ftl.blocks_erased",
        "nand.commands",
    ):
        yield from unequal(total, run[total], sum(run.family(f"{total}.").values()))
    # a program that fails is repeated
    repeated = run["ftl.failures.programs"] if run.has("ftl.failures.programs") else 0
    most = run["host.page_writes"] * pages_per_unit(run) * pages_per_row(run) + repeated
    if most < run["ftl.pages_programmed.host"]:
        yield (
            f"ftl.pages_programmed.host: {run['ftl.pages_programmed.host']} for "
            f"{run['host.page_writes']} page writes"
        )
    if run["ftl.mapped_pages"] > run["ftl.user_pages"]:
        yield f"ftl.mapped_pages: {run['ftl.mapped_pages']} of {run['ftl.user_pages']}"


def modes_sum_to_totals(run: Run) -> Iterator[str]:
    totals = {
        "pages_programmed": "ftl.pages_programmed",
        "pages_read": "ftl.pages_read",
        "pages_held": "ftl.mapped_pages",
    }
    names = {key.split(".")[1] for key in run.result.summary if key.startswith("modes.")}
    for key, total in totals.items() if names else ():
        found = sum(run[f"modes.{name}.{key}"] for name in names)
        yield from unequal(f"modes.*.{key}", found, run[total])
    for key in ("host_read_share", "host_program_share"):
        keys = [f"modes.{name}.{key}" for name in names]
        if any(map(run.has, keys)):
            yield from unequal(f"modes.*.{key}", sum(run[share] for share in keys), 1.0)


def modes_over_time_sum_to_shares(run: Run) -> Iterator[str]:
    table = run.result.modes
    names = [key.split(".")[1] for key in run.result.summary if key.endswith(".pages_held")]
    for key, column in (
        ("host_read_share", "host_pages_read"),
        ("host_program_share", "host_pages_programmed"),
    ):
        every = sum(table[column].to_list())
        for mode, name in enumerate(names):
            own = sum(table.filter(table["mode"] == mode)[column].to_list())
            share = f"modes.{name}.{key}"
            if bool(every) != run.has(share):
                yield f"{share}: {run.result.summary[share]} with {every} pages in the table"
            elif every:
                yield from unequal(share, run[share], own / every)


def units_per_page(run: Run) -> int:
    """Mapping units that share a page of flash; logical pages and the states of pages are counted in them."""
    key = "ftl.units_per_page"
    return int(run[key]) if run.has(key) else 1


def pages_per_row(run: Run) -> int:
    """Pages that one program of all planes in step takes up, also where the host fills one of them."""
    in_step = run.key("allocation.planes") == "in_step"
    return int(run.key("geometry.planes_per_die")) if in_step else 1


def pages_per_unit(run: Run) -> int:
    """Pages of flash that a mapping unit takes up at most."""
    unit = run.key("ftl.mapping_unit")
    return max(1, int(size(unit) / size(run.key("geometry.page_size")))) if unit else 1


def write_amplification_is_as_defined(run: Run) -> Iterator[str]:
    written = run["host.page_writes"] / units_per_page(run)
    if not written:
        return
    data = sum(run[f"ftl.pages_programmed.{cause}"] for cause in DATA)
    key = "ftl.write_amplification"
    yield from unequal(key, run[key], data / written)
    key = "ftl.write_amplification_total"
    yield from unequal(key, run[key], run["ftl.pages_programmed"] / written)
    if not run["host.write.bytes"]:
        return
    key = "ftl.write_amplification_bytes"
    page = size(run.key("geometry.page_size"))
    programmed = run["ftl.pages_programmed"] * page
    yield from unequal(key, run[key], programmed / run["host.write.bytes"])


UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "kB": 10**3, "MB": 10**6}


def size(text: str) -> float:
    """The bytes of a size as a resolved configuration writes it."""
    amount, unit = text.split()
    return float(amount) * UNITS[unit]


def blocks_hold_what_the_summary_says(run: Run) -> Iterator[str]:
    table = run.result.blocks
    pages = int(run.key("geometry.pages_per_block")) * units_per_page(run)
    states = ("valid", "invalid", "free", "skipped")
    odd = table.filter(pl.sum_horizontal(states) != pages)
    if not odd.is_empty():
        yield f"blocks: {odd.row(0, named=True)} of {pages} pages"
    sizes = ("channels", "chips_per_channel", "dies_per_chip", "planes_per_die", "blocks_per_plane")
    blocks = 1
    for size in sizes:
        blocks *= int(run.key(f"geometry.{size}"))
    if table.height < blocks:
        return
    yield from unequal("blocks", table.height, blocks)
    for state in states:
        key = f"ftl.pages.{state}"
        yield from unequal(f"blocks.{state}", float(table[state].sum()), run[key])
    counts = table["erase_count"]
    figures = {"mean": counts.mean(), "min": counts.min(), "max": counts.max()}
    figures["stddev"] = counts.std(ddof=0)
    for name, value in figures.items():
        key = f"ftl.erase_count.{name}"
        yield from unequal(key, run[key], number(value))
    if counts.sum():
        mean = number(counts.mean())
        key = "ftl.erase_count.variation"
        yield from unequal(key, run[key], number(counts.std(ddof=0)) / mean)
        ranks = pl.Series(range(1, 2 * blocks, 2)) - blocks
        gini = number((counts.sort().cast(pl.Float64) * ranks).sum()) / (blocks**2 * mean)
        yield from unequal("ftl.erase_count.gini", run["ftl.erase_count.gini"], gini)
    if run.key("age.method") == "fresh" and not run.start_ns:
        before = int(run.key("age.initial_cycles") or 0) * blocks
        yield from unequal(
            "ftl.blocks_erased", run["ftl.blocks_erased"], number(counts.sum()) - before
        )
    data = run["ftl.pages.valid"] - run["ftl.pages.translation"]
    if run.key("ftl.parity") in (None, "none"):
        yield from unequal("ftl.mapped_pages", run["ftl.mapped_pages"], data)
    elif run["ftl.mapped_pages"] > data:
        # pages of parity are valid too
        yield f"ftl.mapped_pages: {run['ftl.mapped_pages']} of {data} valid ones"


def memory_of_the_host_has_whole_entries(run: Run) -> Iterator[str]:
    if run.key("ftl.mapping") != "dftl" or not run.has("ftl.table.lookups"):
        return
    read = run["ftl.table.host_memory_bytes_read"]
    written = run["ftl.table.host_memory_bytes_written"]
    if run.key("ftl.cache_location") == "controller":
        yield from unequal("ftl.table.host_memory_bytes_read", read, 0)
        yield from unequal("ftl.table.host_memory_bytes_written", written, 0)
        return
    entry = int(run.key("ftl.entry_bytes"))
    if read % entry or written % entry:
        yield f"ftl.table.host_memory_bytes: {read} and {written} with entries of {entry} B"
    hits = run["ftl.table.lookups"] * run["ftl.table.hit_ratio"]
    if run.key("ftl.fetch_on_write") and read < hits * entry - 0.5:
        yield f"ftl.table.host_memory_bytes_read: {read} for {hits} hits"


def deltas_are_writes(run: Run) -> Iterator[str]:
    if not run.has("ftl.delta.writes"):
        return
    candidates, encoded = run["ftl.delta.candidates"], run["ftl.delta.encoded"]
    # what was under way when counting began may have been a candidate before
    if not run.start_ns and encoded > candidates:
        yield f"ftl.delta.encoded: {encoded} of {candidates} candidates"
    kept = run["ftl.delta.writes"]
    if kept + run["ftl.delta.too_large"] > encoded:
        yield f"ftl.delta.writes: {kept} of {encoded} that were encoded"
    if run["ftl.delta.superseded"] > kept:
        yield f"ftl.delta.superseded: {run['ftl.delta.superseded']} of {kept}"
    if run["ftl.delta.pages"] and not run["ftl.delta.log_pages"]:
        yield f"ftl.delta.pages: {run['ftl.delta.pages']}, and no page of deltas"
    of_log = run["ftl.delta.log_pages"]
    if run["ftl.pages.translation"] > of_log:
        yield f"ftl.delta.log_pages: {of_log}, fewer than on flash"


def failures_retire_blocks(run: Run) -> Iterator[str]:
    if not run.has("ftl.failures.retired_blocks"):
        return
    retired, bad = run["ftl.failures.retired_blocks"], run["ftl.bad_blocks"]
    if retired > bad:
        yield f"ftl.failures.retired_blocks: {retired}, and {bad} bad blocks"


def refresh_programs_what_it_moves(run: Run) -> Iterator[str]:
    if not run.has("ftl.refresh.blocks"):
        return
    retired, bad = run["ftl.refresh.retired_blocks"], run["ftl.bad_blocks"]
    if retired > bad:
        yield f"ftl.refresh.retired_blocks: {retired}, and {bad} bad blocks"
    moved, programmed = run["ftl.refresh.pages"], run["ftl.pages_programmed.refresh"]
    # a program that fails is repeated
    if programmed > moved and not run.has("ftl.failures.programs"):
        yield f"ftl.refresh.pages: {moved}, and {programmed} programmed"


def cache_adds_up(run: Run) -> Iterator[str]:
    if not run.has("ftl.slc_cache.pages_written"):
        return
    written, around = (run[f"ftl.slc_cache.pages_{way}"] for way in ("written", "bypassed"))
    if (
        written + around > 0
        and abs(run["ftl.slc_cache.share"] - written / (written + around)) > 1e-12
    ):
        yield f"ftl.slc_cache.share: {run['ftl.slc_cache.share']} of {written} and {around}"
    moved, blocks = run["ftl.slc_cache.pages_folded"], run["ftl.slc_cache.blocks_folded"]
    # one block may have been chosen before the figures began
    if moved > 0 and not run["ftl.pages_programmed.fold"]:
        yield f"ftl.slc_cache.pages_folded: {moved} from {blocks} blocks, and none programmed"


def buffer_adds_up(run: Run) -> Iterator[str]:
    if not run.has("buffer.hits"):
        return
    sums = {
        "buffer.hits": ("buffer.read_hits", "buffer.write_hits"),
        "buffer.misses": ("buffer.read_misses", "buffer.write_misses"),
        "buffer.evictions": ("buffer.evictions_clean", "buffer.evictions_dirty"),
        "host.page_writes": (
            "buffer.evictions_dirty",
            "buffer.flushes",
            "buffer.background_writes",
        ),
    }
    # otherwise they share pages of flash with others, take up several, are programmed again, or become deltas
    is_exact = not run.has("ftl.failures.programs") or not run["ftl.failures.programs"]
    is_exact = is_exact and run.key("ftl.mapping") != "delta"
    if is_exact and units_per_page(run) == pages_per_unit(run) == 1:
        sums["ftl.pages_programmed.padding"] = ("buffer.padding_writes",)
    for total, parts in sums.items():
        yield from unequal(total, run[total], sum(run[part] for part in parts))


def reads_are_decoded_once(run: Run) -> Iterator[str]:
    if not run.has("ecc.attempts.mean"):
        return
    levels = sum(value for key, value in nested(run, "ecc.level."))
    attempts = sum(value for key, value in nested(run, "ecc.attempts."))
    failed = run["ecc.uncorrectable_reads"]
    read = run["ftl.pages_read"]
    if run.key("ftl.mapping") == "superblock":
        # of spare areas alone, which no page code covers
        read -= run["ftl.pages_read.mapping"]
    yield from unequal("ecc.attempts.*.reads", attempts, read)
    yield from unequal("ecc.level.*.reads", levels + failed, read)
    causes = run.family("ecc.uncorrectable_reads.")
    yield from unequal("ecc.uncorrectable_reads", failed, sum(causes.values()))
    if run["cell.rber.mean"] > run["cell.rber.max"] * (1 + 1e-12):
        yield f"cell.rber.mean: {run['cell.rber.mean']} is above {run['cell.rber.max']}"


def nested(run: Run, prefix: str) -> Iterator[tuple[str, float]]:
    """Figures `<prefix><name>.reads`."""
    yield from (
        (key, run[key])
        for key in run.result.summary
        if key.startswith(prefix) and key.endswith(".reads")
    )
