"""Looks for configurations with findings, and shrinks them."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from configurations.case import DRIVE, Case
from configurations.draw import cases, cases_with
from configurations.features import Coverage
from configurations.known import new
from configurations.runner import Runner

SETTINGS = settings(
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate, Phase.shrink],
    print_blob=False,
)


@dataclass
class Hunt:
    """What was looked at, and what was found."""

    runner: Runner
    kept: Path
    """Where configurations with findings are kept, a folder for each."""
    told: set[str] = field(default_factory=set)
    """Names of findings that are not looked for any more."""
    outcomes: Counter[str] = field(default_factory=Counter)
    coverage: Coverage = field(default_factory=lambda: Coverage(1))

    def judge(self, case: Case) -> None:
        """Judge one configuration.

        Raises:
            AssertionError: of a class of its own for each name, with what is wrong and where the files are.
        """
        verdict = self.runner.judge(case)
        self.outcomes["run" if verdict.has_run else "refused"] += 1
        self.outcomes["refusals repaired"] += len(verdict.refusals)
        if verdict.has_run:
            self.coverage.count(verdict.case)
        findings = [f for f in new(verdict.case, verdict.findings) if name_of(f) not in self.told]
        if not findings:
            return
        name = name_of(findings[0])
        folder = self.kept / "".join(c if c.isalnum() else "-" for c in name)
        if folder.exists():
            shutil.rmtree(folder)
        shutil.copytree(self.runner.folder, folder)
        drive = folder / DRIVE
        text = "\n".join(findings)
        raise finding_of(name)(f"{text}\nwordline run {drive}\n\n{drive.read_text('utf-8')}")

    def look_at_pairs(self, count: int) -> AssertionError | None:
        """Draw configurations with so many pairs of features; the first finding, shrunk."""
        for number, features in enumerate(self.coverage.pairs(count)):
            # the first of each has no other keys
            found = self.look(2, self.coverage.seed + number, cases_with(features))
            if found is not None:
                return found
        return None

    def look(
        self, examples: int, number: int, of: st.SearchStrategy[Case] | None = None
    ) -> AssertionError | None:
        """Draw this many configurations from a seed; the first finding, shrunk."""

        @seed(number)
        @settings(SETTINGS, max_examples=examples)
        @given(cases() if of is None else of)
        def every_run_is_true(case: Case) -> None:
            self.judge(case)

        try:
            every_run_is_true()
        except AssertionError as error:
            return error
        except BaseExceptionGroup as errors:
            found = errors.subgroup(AssertionError)
            if found is None:
                raise
            return next(each for each in found.exceptions if isinstance(each, AssertionError))
        return None


def name_of(finding: str) -> str:
    """What a finding is called: where it was made, without its figures."""
    name, _, rest = finding.partition(": ")
    # a defect is named by its place in the sources
    return f"{name} {rest.split(': ')[0].split(' at ')[-1]}"[:80] if name == "defect" else name


@cache
def finding_of(name: str) -> type[AssertionError]:
    """The class of a finding: Hypothesis shrinks each class on its own."""
    return type(f"Finding[{name}]", (AssertionError,), {})
