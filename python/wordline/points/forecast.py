"""How long runs take together, said before they begin."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wordline.config import resolve_named
from wordline.errors import WordlineError
from wordline.formatting import about
from wordline.points.job import PointJob
from wordline.spoken import GOES_ON, Spoken, speak
from wordline.trial import Trial, trial_of

MANY = 2_000_000
"""Requests of all runs together from which on they are worth a trial: fewer take some seconds."""
SECONDS = 1.0
"""How long a trial lasts, as `trial_of` counts it."""


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
    said = f"{every.runs:,} runs of {each:,.0f} requests in the mean"
    if every.longer:
        said += f" and about {every.longer:,} of {in_full:,.0f}"
    longest = max(range(len(jobs)), key=lambda place: requests[place])
    trial = tried(jobs[longest]) if at_once else None
    if at_once and trial:
        together = min(at_once, every.runs)
        alone = trial.run_s(round(each)) * every.runs + trial.run_s(round(in_full)) * every.longer
        seconds = alone / together
        least = "" if trial.request_s is not None else " for ageing alone"
        said += (
            f", {together} at a time: {about(seconds)}{least} "
            f"(estimate from a trial of {trial.seconds:.1f} s)"
        )
    speak(f"{said}. {GOES_ON}")


def tried(job: PointJob) -> Trial | None:
    """A trial of a run; none where it is refused, which the run itself tells."""
    try:
        return trial_of(resolve_named(job.config, is_text=True), SECONDS)
    except WordlineError:
        return None


def requests_of(config: Mapping[str, Any]) -> int:
    """Requests of a run; 0 where a trace says how many there are."""
    tenants = config.get("tenants", {}).values()
    loads = [tenant["workload"] for tenant in tenants] or [config["workload"]]
    return sum(int(load.get("requests", 0)) for load in loads)
