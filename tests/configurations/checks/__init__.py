"""What every run must fulfil, whatever its configuration: each check yields what is wrong, as `name: what was found`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from configurations.checks import energy, figures, flash, requests, tables, times
from configurations.checks.run import Run

CHECKS: tuple[Callable[[Run], Iterator[str]], ...] = (
    figures.figures_are_finite_and_not_negative,
    figures.figures_exist_where_something_was_counted,
    figures.the_run_checked_itself,
    tables.cells_are_finite_and_not_negative,
    tables.texts_are_readable,
    requests.requests_make_sense,
    requests.summary_counts_the_requests,
    requests.latencies_are_those_of_the_requests,
    requests.the_queue_is_that_of_the_requests,
    requests.tenants_share_the_requests,
    requests.slowest_requests_are_the_slowest,
    times.parts_sum_to_latencies,
    times.windows_sum_to_totals,
    times.utilisation_averages_to_the_summary,
    times.distribution_rises_to_one,
    flash.causes_and_kinds_sum_to_totals,
    flash.write_amplification_is_as_defined,
    flash.blocks_hold_what_the_summary_says,
    flash.memory_of_the_host_has_whole_entries,
    flash.deltas_are_writes,
    flash.failures_retire_blocks,
    flash.refresh_programs_what_it_moves,
    flash.cache_adds_up,
    flash.buffer_adds_up,
    flash.reads_are_decoded_once,
    energy.every_cut_of_energy_is_the_total,
)


def findings(run: Run) -> Iterator[str]:
    """All that is wrong with a run."""
    for check in CHECKS:
        yield from check(run)
