"""What the summary says of each of several workloads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wordline.results import Scalar

PREFIX = "tenants."
GROUPS = "groups."
"""Prefixes of the keys of tenants or jobs, and of groups of jobs that are reported together."""


def tenant_names(summary: Mapping[str, Scalar]) -> list[str]:
    """Names of the tenants, or of the jobs of a fio file, in the order of their queues; none where there is one workload."""
    return names_below(summary, PREFIX)


def names_below(summary: Mapping[str, Scalar], prefix: str) -> list[str]:
    """Names of those whose figures stand below a prefix, in their order."""
    ending = ".window_s"
    return [
        key.removeprefix(prefix).removesuffix(ending)
        for key in summary
        if key.startswith(prefix) and key.endswith(ending)
    ]


def named(name: str, jobs: int) -> str:
    """What a group of jobs is called: by the job whose copies they are, or its first one."""
    return f"{name.removesuffix('_0')} ({jobs} jobs)" if jobs > 1 else name


def rows_of(summary: Mapping[str, Scalar]) -> list[tuple[str, str]]:
    """What a table has rows for: the prefix of the figures, and a name. Jobs that fio reports as a group have one row, as there."""
    grouped = names_below(summary, GROUPS)
    rows: list[tuple[str, str]] = []
    left = 0
    for name in tenant_names(summary):
        if left:
            left -= 1
        elif name in grouped:
            jobs = int(float(summary[f"{GROUPS}{name}.jobs"] or 0))
            rows.append((f"{GROUPS}{name}", named(name, jobs)))
            left = jobs - 1
        else:
            rows.append((f"{PREFIX}{name}", name))
    return rows


def figure_of(summary: Mapping[str, Scalar], name: str, key: str) -> float | None:
    """A figure of a tenant, `None` where it does not exist."""
    value = summary[f"{PREFIX}{name}.{key}"]
    return float(value) if isinstance(value, int | float) else None
