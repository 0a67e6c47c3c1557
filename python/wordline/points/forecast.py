"""How long runs take together, said before they begin."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
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


def say_forecast(jobs: Sequence[PointJob], at_once: int | None, runs: int | None = None) -> None:
    """Say how many runs there are and about how long they take, where that is long and somebody reads it.

    Args:
        jobs: the runs, or the first of them.
        at_once: how many run at a time; unknown on a cluster.
        runs: how many there will be at most; as many as `jobs` without it.
    """
    if not Spoken.is_on or not jobs:
        return
    count = runs or len(jobs)
    requests = [requests_of(tomllib.loads(job.config)) for job in jobs]
    each = sum(requests) / len(jobs)
    if each * count < MANY:
        return
    said = f"{count:,} runs of {each:,.0f} requests in the mean"
    longest = max(range(len(jobs)), key=lambda place: requests[place])
    trial = tried(jobs[longest]) if at_once else None
    if at_once and trial:
        seconds = trial.run_s(round(each)) * count / min(at_once, count)
        least = "" if trial.request_s is not None else " for ageing alone"
        said += (
            f", {min(at_once, count)} at a time: {about(seconds)}{least} "
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
