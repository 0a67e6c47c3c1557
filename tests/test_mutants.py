"""The defects of `tests/mutants`: each still applies to the package and names tests that there are."""

from __future__ import annotations

import importlib.util
import re
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


def loaded() -> ModuleType:
    """The script that runs the defects."""
    spec = importlib.util.spec_from_file_location(
        "mutants_run", ROOT / "tests/mutants/try_mutants.py"
    )
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


RUN = loaded()


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
def test_every_defect_applies() -> None:
    found = RUN.mutants()
    assert len(found) >= 27
    refused = {
        mutant.name: said for mutant in found if (said := RUN.apply(mutant.file, ROOT, "--check"))
    }
    assert not refused, f"write these patches anew: {refused}"


def test_every_defect_says_what_it_breaks_and_names_its_tests() -> None:
    for mutant in RUN.mutants():
        text = mutant.file.read_text(encoding="utf-8")
        assert len(mutant.breaks) > 20, mutant.name
        assert mutant.tests, mutant.name
        changed = re.findall(r"^\+\+\+ b/(.*)$", text, re.MULTILINE)
        assert changed, mutant.name
        assert all(name.startswith("python/wordline/") for name in changed), mutant.name
        for test in mutant.tests:
            file, _, function = test.partition("::")
            source = (ROOT / file).read_text(encoding="utf-8")
            assert not function or f"def {function}(" in source, test


HARMLESS = """A comment is added, which no test can notice
Tests: tests/test_statistics.py
--- a/python/wordline/statistics.py
+++ b/python/wordline/statistics.py
@@ -1,1 +1,2 @@
+# nothing changes
 \"\"\"Means of repeated runs, and how far they can be trusted.
"""


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
def test_the_script_tells_caught_from_survived(tmp_path: Path) -> None:
    harmless = tmp_path / "harmless.patch"
    harmless.write_text(HARMLESS)
    assert RUN.outcome(RUN.Mutant(harmless)) == ("survived", "")
    caught, test = RUN.outcome(RUN.Mutant(ROOT / "tests/mutants/statistics-interval.patch"))
    assert (caught, test.startswith("tests/")) == ("caught", True)
    stale = tmp_path / "stale.patch"
    stale.write_text(HARMLESS.replace("Means of repeated runs", "Means of something else"))
    assert RUN.outcome(RUN.Mutant(stale))[0] == "does not apply"
    lost = tmp_path / "lost.patch"
    lost.write_text(HARMLESS.replace("tests/test_statistics.py", "tests/test_no_such_file.py"))
    assert RUN.outcome(RUN.Mutant(lost))[0] == "no verdict"
