"""Random configurations over the whole schema; `make fuzz` draws thousands more."""

from __future__ import annotations

from pathlib import Path

import pytest

from configurations.case import STATE, Case
from configurations.hunt import Hunt
from configurations.judge import judge
from configurations.runner import Runner

EXAMPLES = 100
PAIRS = 30
SEED = 1


@pytest.mark.slow
def test_every_configuration_is_refused_by_name_or_runs_true(tmp_path: Path) -> None:
    with Runner(tmp_path / "case") as runner:
        hunt = Hunt(runner, tmp_path / "kept")
        found = hunt.look(EXAMPLES, SEED) or hunt.look_at_pairs(PAIRS)
        if found is not None:
            raise found
        assert hunt.outcomes["run"] > 0.8 * (EXAMPLES + 2 * PAIRS), hunt.outcomes


def test_a_state_that_the_age_does_not_ask_for_is_repaired(tmp_path: Path) -> None:
    keys = {
        "age.method": "invalidated",
        "age.snapshot": STATE,
        "workload.kind": "random",
        "workload.requests": 1,
    }
    verdict = judge(Case("tiny", keys, {}), tmp_path / "case")
    assert verdict.has_run
    assert not verdict.findings
    assert verdict.case.keys != keys
