"""How long runs take together, said before they begin."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from wordline.config import resolve_named
from wordline.errors import WordlineError
from wordline.formatting import about, counted
from wordline.points.job import PointJob
from wordline.spoken import GOES_ON, Spoken, speak
from wordline.trial import Trial, trial_of

MANY = 2_000_000
"""Requests of all runs together from which on they are worth a trial: fewer take some seconds."""
SECONDS = 1.0
"""How long all trials last together, as `trial_of` counts it."""
TRIED = 8
"""Runs that are tried at most, each for its share of the time: a batch mixes drives and loads whose runs take from milliseconds to minutes."""


@dataclass(frozen=True)
class Expected:
    """Runs of all batches together, of which the first batch is at hand."""

    runs: int
    """Runs like those of the first batch, at most."""
    longer: int = 0
    """About how many longer runs follow them."""
    times: float = 1.0
    """How many times the requests of a run of the first batch a longer one has."""


def say_forecast(
    jobs: Sequence[PointJob], at_once: int | None, expected: Expected | None = None
) -> None:
    """Say how many runs there are and about how long they take, where that is long and somebody reads it.

    Args:
        jobs: the runs, or the first of them.
        at_once: how many run at a time; unknown on a cluster.
        expected: how many there will be; as many as `jobs` without it.
    """
    if not Spoken.is_on or not jobs:
        return
    every = expected or Expected(len(jobs))
    requests = [requests_of(tomllib.loads(job.config)) for job in jobs]
    each = sum(requests) / len(jobs)
    in_full = each * every.times
    if each * every.runs + in_full * every.longer < MANY:
        return
    said = f"{counted(every.runs, 'run')} of {each:,.0f} requests in the mean"
    if every.longer:
        said += f" and about {every.longer:,} of {in_full:,.0f}"
    trials = list(tried(jobs, requests)) if at_once else []
    if at_once and trials:
        together = min(at_once, every.runs)
        stood_for = sum(count for _, _, count in trials)
        short, long = (
            sum(trial.run_s(round(own * times)) * count for trial, own, count in trials) / stood_for
            for times in (1.0, every.times)
        )
        seconds = (short * every.runs + long * every.longer) / together
        ageing = [trial.request_s is None for trial, _, _ in trials]
        least = " for ageing alone" if all(ageing) else " or more, as ageing outlasts some trials"
        took = sum(trial.seconds for trial, _, _ in trials)
        of = "a trial" if len(trials) == 1 else counted(len(trials), "trial")
        said += (
            f", {together} at a time: {about(seconds)}{least if any(ageing) else ''} "
            f"(estimate from {of} of {took:.1f} s)"
        )
    speak(f"{said}. {GOES_ON}")


def tried(jobs: Sequence[PointJob], requests: Sequence[int]) -> Iterator[tuple[Trial, float, int]]:
    """Trials of some runs, each with the mean requests and the number of the runs for which it stands: those beside it when runs are ordered by
    their requests, then as they were given. A run that is refused, which it tells itself, stands for none.
    """
    ordered = sorted(range(len(jobs)), key=lambda place: (requests[place], place))
    count = min(TRIED, len(jobs))
    ends = [len(jobs) * part // count for part in range(count + 1)]
    for begin, end in pairwise(ends):
        group = ordered[begin:end]
        # the last has the most requests, of which a trial sees the first anyhow
        resolved = jobs[group[-1]].config
        try:
            trial = trial_of(resolve_named(resolved, is_text=True), SECONDS / count)
        except WordlineError:
            continue
        yield trial, sum(requests[place] for place in group) / len(group), len(group)


def requests_of(config: Mapping[str, Any]) -> int:
    """Requests of a run; 0 where a trace says how many there are."""
    tenants = config.get("tenants", {}).values()
    loads = [tenant["workload"] for tenant in tenants] or [config["workload"]]
    return sum(int(load.get("requests", 0)) for load in loads)
