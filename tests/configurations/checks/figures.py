"""The summary on its own."""

from __future__ import annotations

import math
from collections.abc import Iterator

from configurations.checks.run import Run

LITTLE = 1e-9
"""Share by which the two sides of Little's law may differ, which are exact sums."""


def figures_are_finite_and_not_negative(run: Run) -> Iterator[str]:
    for key, value in run.result.summary.items():
        if isinstance(value, int | float) and not (math.isfinite(value) and value >= 0):
            yield f"figure {key}: {value!r}"
        if is_share(key) and isinstance(value, float) and value > 1 + 1e-12:
            yield f"figure {key}: {value!r} is above 1"


def is_share(key: str) -> bool:
    """Whether a figure is a share of a whole."""
    last = key.rsplit(".", 1)[-1]
    return (
        "utilization" in last
        or ".fairness." in key
        or key.endswith(("hit_ratio", "share.mean", "suspension.program.share", "rho_effective"))
    )


def figures_exist_where_something_was_counted(run: Run) -> Iterator[str]:
    for key, value in run.result.summary.items():
        owner, _, figure = key.partition(".latency.")
        if figure and (value is None) != (run[f"{owner}.count"] == 0):
            yield f"missing {key}: {value!r} for {run[f'{owner}.count']:.0f} requests"
    for key in ("host.iops", "host.bandwidth_mb_s", "host.queue.mean_depth"):
        if not run.has(key) and run["sim.window_s"] > 0:
            yield f"missing {key}"
    if not run.has("ftl.write_amplification") and run["host.page_writes"] > 0:
        yield "missing ftl.write_amplification"


def the_run_checked_itself(run: Run) -> Iterator[str]:
    summary = run.result.summary
    if summary["check.conservation"] is not True:
        yield "check.conservation: false"
    if summary["check.audited"] is not True:
        yield "check.audited: false"
    if run["check.little_residual"] > LITTLE:
        yield f"check.little_residual: {run['check.little_residual']}"
