"""Defects that are known and open: what is not reported again until they are mended. The list is meant to shrink."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from configurations.case import Case


def always(case: Case) -> bool:
    """Whatever the configuration."""
    del case
    return True


@dataclass(frozen=True)
class Known:
    """A defect that is known."""

    finding: str
    """What stands in its finding."""
    reason: str
    """What is wrong."""
    where: Callable[[Case], bool] = always
    """Which configurations it concerns."""


KNOWN: tuple[Known, ...] = ()


def new(case: Case, findings: Iterable[str]) -> list[str]:
    """The findings that no entry of the list explains."""
    return [
        finding
        for finding in findings
        if not any(each.finding in finding and each.where(case) for each in KNOWN)
    ]
