"""The integration tests of a crate are one program, which is linked once, and every file takes part in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ALONE = {"drive": {"foreign"}}
"""Programs of their own, because they register rows before the schema is made, once for a program."""
TESTS = {place.parent.name: place for place in sorted((ROOT / "crates").glob("*/tests"))}


@pytest.mark.parametrize("crate", TESTS)
def test_a_crate_has_one_program_of_integration_tests(crate: str) -> None:
    programs = {file.stem for file in TESTS[crate].glob("*.rs")} | {
        file.parent.name for file in TESTS[crate].glob("*/main.rs")
    }
    own = ALONE.get(crate, set())
    assert own <= programs
    assert len(programs - own) == 1


@pytest.mark.parametrize("crate", TESTS)
def test_every_file_of_integration_tests_is_a_module(crate: str) -> None:
    for main in TESTS[crate].glob("*/main.rs"):
        files = {file.stem for file in main.parent.glob("*.rs")} - {"main"}
        folders = {file.parent.name for file in main.parent.glob("*/mod.rs")}
        assert set(re.findall(r"^mod (\w+);$", main.read_text(), re.MULTILINE)) == files | folders
