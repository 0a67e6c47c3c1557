"""Check what was edited: formatting, lints, types, and the tests of the edited parts; `make quick` runs this.

A crate that was edited is tested without its slow tests; the crates above it are type-checked and linted only.
An edit of Python, or of the bindings, runs the tests of the Python package that are not slow; an edit of a package of `packages` runs those of that
package.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent
PYTHON = (
    *("python/", "tests/", "docs/", "README.md", "conftest.py", "pyproject.toml"),
    *("crates/python/", "crates/exceptions/", "presets/", "chips/", "cells/"),
)
"""Places whose edits the tests of the Python package look at: the package, its bindings, and the files that come with it."""


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
    python = str(BIN / "python")
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
    if any(file.startswith(PYTHON) for file in files):
        yield ("make", "--no-print-directory", "dev")
        yield (python, "-m", "pytest", "--quiet", "--numprocesses=auto", "-m", "not slow")
        if any(file.endswith(".md") for file in files):
            blocks = "tests/test_doc_blocks.py::test_code_blocks_run"
            yield (python, "-m", "pytest", "--quiet", "--numprocesses=auto", blocks)
    if packages := sorted({Path(file).parts[1] for file in files if file.startswith("packages/")}):
        yield ("make", "--no-print-directory", "dev")
        tests = [f"packages/{package}/tests" for package in packages]
        yield (python, "-m", "pytest", "--quiet", "--numprocesses=auto", "-m", "not slow", *tests)


if __name__ == "__main__":
    sys.exit(main())
