"""Check what was edited: formatting, lints, types, and the tests of the edited parts; `make quick` runs this.

A crate that was edited is tested without its slow tests; the crates above it are type-checked and linted only.
An edit of Python runs the tests that import the edited module and are not slow; an edit of the bindings runs all that are not slow; an edit of a
package of `packages` runs those of that package.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path

from passed import names_imported

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent
EVERYWHERE = (
    *("pyproject.toml", "conftest.py", "tests/shared.py", "python/wordline/_wordline.pyi"),
    *("crates/python/", "crates/exceptions/", "presets/", "chips/", "cells/"),
)
"""Places that every test of the Python package looks at: bindings, the files that come with it, and what tests share."""


def main() -> int:
    """Run every step, or stop at the first that fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", default="HEAD", help="commit that edits are counted from")
    parser.add_argument("--crate", help="check this crate only, edited or not: lints and tests")
    options = parser.parse_args()
    if options.crate:
        steps = list(crate_steps(options.crate))
    else:
        steps = list(edit_steps(edited(options.base)))
    begun = time.monotonic()
    for step in steps:
        started = time.monotonic()
        print(f"> {' '.join(step)}", flush=True)
        if subprocess.run(step, cwd=ROOT, check=False).returncode:
            return 1
        print(f"  {time.monotonic() - started:.1f} s", flush=True)
    print(f"{len(steps)} steps passed in {time.monotonic() - begun:.0f} s")
    return 0


def edited(base: str) -> list[str]:
    """Files that differ from a commit, and new ones."""
    commands = (
        ("git", "diff", "--name-only", base),
        ("git", "ls-files", "--others", "--exclude-standard"),
    )
    found = [
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
        for command in commands
    ]
    return sorted({line for text in found for line in text.splitlines()})


def crate_steps(crate: str) -> Iterator[Sequence[str]]:
    """Lints and tests of one crate."""
    package = f"wordline-{crate.removeprefix('wordline-')}"
    yield ("cargo", "fmt", "--package", package, "--check")
    yield ("cargo", "clippy", "--package", package, "--all-targets", "--", "--deny", "warnings")
    yield ("cargo", "test", "--package", package, "--quiet")


def edit_steps(files: Sequence[str]) -> Iterator[Sequence[str]]:
    """Everything that an edit of these files asks for."""
    crates = sorted({Path(file).parts[1] for file in files if file.startswith("crates/")})
    fscale = any(file.startswith("packages/fscale/") for file in files)
    rust = bool(crates) or fscale or any(file.startswith("Cargo.") for file in files)
    yield (str(BIN / "ruff"), "format", "--check", "--quiet")
    yield (str(BIN / "ruff"), "check", "--quiet")
    yield (str(BIN / "mypy"),)
    if rust:
        yield ("cargo", "fmt", "--all", "--check")
        yield ("cargo", "clippy", "--workspace", "--all-targets", "--", "--deny", "warnings")
    tested = [crate for crate in crates if crate not in ("python", "exceptions")]
    if tested:
        packages = [part for crate in tested for part in ("--package", f"wordline-{crate}")]
        yield ("cargo", "test", "--quiet", *packages)
    tests = tests_of(files)
    if packages := sorted({Path(file).parts[1] for file in files if file.startswith("packages/")}):
        tests += [f"packages/{package}/tests" for package in packages]
    if tests:
        yield ("make", "--no-print-directory", "dev")
        pytest = (
            str(BIN / "python"),
            "-m",
            "pytest",
            "--quiet",
            "--numprocesses=auto",
            "--dist=loadgroup",
        )
        yield (*pytest, "-m", "not slow", *tests)
        if any(file.endswith(".md") for file in files):
            yield (*pytest, "tests/test_doc_blocks.py::test_code_blocks_run")


def tests_of(files: Sequence[str]) -> list[str]:
    """The tests of the product that an edit asks for: all, or the files that were edited or import what was."""
    if any(file.startswith(EVERYWHERE) for file in files):
        return ["tests"]
    tests = {file for file in files if fnmatch(file, "tests/test_*.py") and (ROOT / file).exists()}
    if any(file.endswith(".md") for file in files):
        tests |= {"tests/test_docs.py", "tests/test_doc_blocks.py"}
    imports = {
        file.relative_to(ROOT).as_posix(): names_imported(file)
        for folder in ("tests", "python")
        for file in (ROOT / folder).rglob("*.py")
    }
    edited = {module_of(file) for file in files if file.startswith(("python/", "tests/"))}
    while edited:
        importers = {file for file, names in imports.items() if names & edited}
        found = {file for file in importers if fnmatch(file, "tests/test_*.py")}
        tests |= found
        # what no test imports is tested by the tests of what imports it
        edited = set() if found else {module_of(file) for file in importers}
        imports = {file: names for file, names in imports.items() if file not in importers}
    return sorted(tests)


def module_of(file: str) -> str:
    """The module that a file of `python` or `tests` is, or lies beside."""
    path = Path(file)
    named = (
        path.with_suffix("") if path.suffix == ".py" and path.stem != "__init__" else path.parent
    )
    return ".".join(named.parts[1:])


if __name__ == "__main__":
    sys.exit(main())
