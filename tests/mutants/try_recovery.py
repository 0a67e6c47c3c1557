"""Put defects into what is kept on flash for recovery, one at a time, and show whether the harness of power cuts notices each.

A defect is a patch in `recovery/`: its first line says what it breaks, the second the crate and the tests that are to notice it. The tree
is patched in place and put back; it must have no other change in the files concerned.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TESTS = "Tests: "


def git_apply(file: Path, *options: str) -> None:
    """Apply a patch to the tree."""
    subprocess.run(["git", "apply", *options, str(file)], cwd=ROOT, check=True)


def caught(file: Path) -> bool:
    """Whether the tests of a patch fail with it."""
    crate, tests = file.read_text(encoding="utf-8").splitlines()[1].removeprefix(TESTS).split()
    command = ["cargo", "test", "--package", crate, "--test", "integration", "--", tests]
    git_apply(file)
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    finally:
        git_apply(file, "--reverse")
    if "test result: FAILED" not in done.stdout and done.returncode:
        raise RuntimeError(f"{file.stem}: {done.stderr[-2_000:]}")
    return bool(done.returncode)


def main() -> int:
    """Run all, or those that are named; the exit status is 1 unless every defect was caught."""
    names = sys.argv[1:]
    files = sorted(HERE.glob("recovery/*.patch"))
    survived = 0
    for file in files:
        if names and file.stem not in names:
            continue
        is_caught = caught(file)
        survived += not is_caught
        verdict = "caught" if is_caught else "survived"
        print(
            f"{verdict:<10} {file.stem}: {file.read_text(encoding='utf-8').splitlines()[0]}",
            flush=True,
        )
    return int(survived > 0)


if __name__ == "__main__":
    sys.exit(main())
