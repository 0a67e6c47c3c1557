"""What the summary says of each of several workloads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wordline.results import Scalar

PREFIX = "tenants."


def tenant_names(summary: Mapping[str, Scalar]) -> list[str]:
    """Names of the tenants, or of the jobs of a fio file, in the order of their queues; none where there is one workload."""
    ending = ".iops"
    return [
        key.removeprefix(PREFIX).removesuffix(ending)
        for key in summary
        if key.startswith(PREFIX) and key.endswith(ending)
    ]


def figure_of(summary: Mapping[str, Scalar], name: str, key: str) -> float | None:
    """A figure of a tenant, `None` where it does not exist."""
    value = summary[f"{PREFIX}{name}.{key}"]
    return float(value) if isinstance(value, int | float) else None
