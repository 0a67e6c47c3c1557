"""Values as people write them: shares, sizes, misspelt words."""

from __future__ import annotations

from typing import Any

import pytest

import wordline as wl
from shared import reproducible, wordline

TINY = ("run", "tiny", "--json", "--set", "workload.requests=200")


def summary(*options: object) -> dict[str, Any]:
    """The summary of a short run, without what depends on the machine."""
    done = wordline(*TINY, *options)
    assert done.returncode == 0, done.stderr
    return reproducible(done.stdout)


def test_a_share_may_be_a_percentage() -> None:
    number = summary("--set", "workload.read_fraction=0.3")
    assert summary("--set", "workload.read_fraction=30%") == number
    assert summary("--set", 'workload.read_fraction="30 %"') == number
    drive = wl.Drive.from_toml("tiny", ftl={"over_provisioning": "35%"})
    same = wl.Drive.from_toml("tiny", ftl={"over_provisioning": 0.35})
    load = {"kind": "random", "requests": 200}
    assert (
        wl.simulate(drive, {**load, "read_fraction": "30%"}).config
        == wl.simulate(same, {**load, "read_fraction": 0.3}).config
    )


@pytest.mark.parametrize(("spelt", "same"), [("8 kib", "8 KiB"), ("8KIB", "8 KiB")])
def test_sizes_are_read_in_any_case_of_letters(spelt: str, same: str) -> None:
    one, other = (summary("--set", f"workload.request_size={size}") for size in (spelt, same))
    assert one == other


def test_a_letter_alone_is_refused_with_both_spellings() -> None:
    done = wordline(*TINY, "--set", "workload.request_size=8k")
    assert done.returncode == 2
    assert "`8 kB`" in done.stderr
    assert "`8 KiB`" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (("run", "tny"), "Did you mean `tiny`?"),
        (("presets", "onfi5-tcl"), "Did you mean `onfi5-tlc`?"),
        (("run", "tiny", "--set", "ftl.gc.victim=gredy"), "did you mean `greedy`?"),
        (("run", "tiny", "--trace", __file__, "--format", "msrr"), "did you mean `msr`?"),
        (("trace-stats", __file__, "--format", "SPC"), "did you mean `spc`?"),
        (("profiles", "finacial1"), "did you mean `financial1`?"),
        (("chips", "b-mlc9"), 'did you mean "b-mlc8"?'),
        (("retention", "--cell", "mcl"), "did you mean `mlc`?"),
    ],
)
def test_the_value_that_was_meant_is_named(arguments: tuple[str, ...], meant: str) -> None:
    done = wordline(*arguments)
    assert done.returncode == 2
    assert meant in done.stderr
