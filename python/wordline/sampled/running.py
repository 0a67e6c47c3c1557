"""Runs by sampling."""

from __future__ import annotations

import math
from dataclasses import replace

from wordline import _wordline
from wordline.notes import Note
from wordline.progress import progress_bar
from wordline.sampled.options import WINDOWS, Sampling
from wordline.sampled.result import SampledResult

MARGIN = 1.1
"""By how much more windows than asked for a second pass has: the variance of the first is an estimate (assumed)."""


def run_sampled(
    resolved: _wordline.Resolved, sampling: Sampling, *, audit: bool, progress: bool
) -> SampledResult:
    """Simulate a resolved configuration by sampling.

    Raises:
        ConfigError: a drive or a workload that cannot be sampled, with the key.
    """
    sampling = sampling.filled(resolved.get("workload.queue_depth"))
    first = one_pass(resolved, sampling, 1, audit=audit, progress=progress)
    windows = wanted_windows(first)
    if windows <= first.windows:
        return first
    more = replace(sampling, windows=windows)
    return one_pass(resolved, more, 2, audit=audit, progress=progress)


def wanted_windows(first: SampledResult) -> int:
    """As many windows as the wanted error asks for, by the variance of those that there are; at most as many as there is room for.

    R. E. Wunderlich et al., ISCA 2003, section 3.
    """
    wanted = first.sampling.error
    mean = first.figures.get("host.all.latency.mean_us")
    reached = mean.relative_error if mean else None
    if wanted is None or reached is None or reached <= wanted:
        return first.windows
    room = first.requests // first.sampling.length
    # the square of the error goes with 1 / windows + 1 / full
    share = (wanted / reached) ** 2 * (1 / first.windows + 1 / first.full) - 1 / first.full
    return min(math.ceil(MARGIN / share), room) if share > 0 else room


def one_pass(
    resolved: _wordline.Resolved, sampling: Sampling, passes: int, *, audit: bool, progress: bool
) -> SampledResult:
    """One pass over the workload."""
    asked = {
        "windows": sampling.windows or WINDOWS,
        "fewer": sampling.windows is None,
        "measured": sampling.requests,
        "warm_up": sampling.warm_up or 0,
        "cool_down": sampling.cool_down or 0,
        "paced": sampling.paced,
        "seed": sampling.seed,
        "audit": audit,
    }
    with progress_bar(shown=progress) as report:
        found = _wordline.simulate_sample(resolved, asked, report)
    notes = tuple(Note(**note) for note in found.pop("notes"))
    return SampledResult(
        config=resolved.toml,
        sampling=replace(sampling, windows=len(found["first"])),
        passes=passes,
        requests=found.pop("requests"),
        functional_s=found.pop("functional_s"),
        timed_s=found.pop("timed_s"),
        block_times_s=found.pop("block_times_s"),
        columns=found,
        told=notes,
        warnings=tuple(resolved.warnings),
    )
