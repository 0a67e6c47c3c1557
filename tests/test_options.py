"""Every option and argument of every command has a test of its effect."""

from __future__ import annotations

import pytest

# each adds to the list what its tests cover
import test_cluster
import test_content
import test_datasheet
import test_energy_of_drives
import test_explorer
import test_fio_command
import test_infer
import test_intensity
import test_live
import test_live_cuts
import test_lives
import test_options_lifetime
import test_options_models
import test_options_run
import test_options_traces
import test_sampled_runs
import test_search
import test_sweep
from options import BESIDE, COVERED, offered
from wordline.cli import app

FILES = (
    test_cluster,
    test_content,
    test_datasheet,
    test_energy_of_drives,
    test_explorer,
    test_fio_command,
    test_infer,
    test_intensity,
    test_lives,
    test_live,
    test_live_cuts,
    test_options_lifetime,
    test_options_models,
    test_options_run,
    test_options_traces,
    test_sampled_runs,
    test_search,
    test_sweep,
)


def own() -> set[tuple[str, str]]:
    """What the product itself offers."""
    return {(command, option) for command, option in offered() if command not in BESIDE}


def test_every_option_has_a_test_of_its_effect() -> None:
    assert all(module.__doc__ for module in FILES)
    assert len(own()) > 90
    missing = own() - COVERED
    assert not missing, (
        f"options without a test of their effect (see tests/options.py): {sorted(missing)}"
    )


def test_every_test_is_of_an_option_that_there_is() -> None:
    assert not COVERED - offered()


def test_a_new_option_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def brand_new(new: int = 1) -> None:
        """A command that is not there yet."""

    with monkeypatch.context() as patch:
        patch.setattr(app, "registered_commands", [*app.registered_commands])
        app.command()(brand_new)
        assert own() - COVERED == {("brand-new", "--new")}
