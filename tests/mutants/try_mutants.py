"""Put defects into a copy of the Python package, one at a time, and show whether the tests notice each.

A defect is a patch in this directory: its first line says what it breaks, the second which tests concern it. A patch
that none of its tests notices survives, which is a gap in the tests.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PACKAGE = Path("python/wordline")
TESTS = "Tests: "
"""What the second line of a patch begins with."""
FAILED = 1
"""pytest's exit status where tests ran and some failed."""
LIMIT_S = 300
"""A defect may make a test run for ever; no healthy one takes a minute."""


@dataclass(frozen=True)
class Mutant:
    """A defect to put into the package."""

    file: Path

    @property
    def name(self) -> str:
        """Its name."""
        return self.file.stem

    @property
    def breaks(self) -> str:
        """What it breaks."""
        return self.file.read_text(encoding="utf-8").splitlines()[0]

    @property
    def tests(self) -> list[str]:
        """The tests that are to notice it, as pytest names them."""
        line = self.file.read_text(encoding="utf-8").splitlines()[1]
        return line.removeprefix(TESTS).split() if line.startswith(TESTS) else []


def mutants() -> list[Mutant]:
    """Every defect, by name."""
    return [Mutant(file) for file in sorted(HERE.glob("*.patch"))]


def apply(file: Path, root: Path, *options: str) -> str:
    """Apply a patch below `root`, which `--check` only tries; what git complains of, if it does not apply."""
    # outside of a repository, git takes paths as they are
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    environment["GIT_CEILING_DIRECTORIES"] = str(root.parent)
    command = ["git", "apply", *options, str(file)]
    done = subprocess.run(
        command, cwd=root, env=environment, capture_output=True, text=True, check=False
    )
    return done.stderr.strip() or ("git apply failed" if done.returncode else "")


def copy_to(root: Path) -> None:
    """Copy the Python package below `root`; the compiled extension is linked, since no patch concerns it."""
    target = root / PACKAGE
    shutil.copytree(
        ROOT / PACKAGE,
        target,
        ignore=shutil.ignore_patterns("__pycache__", "_wordline.*.so", "*.pyd"),
    )
    for extension in (*(ROOT / PACKAGE).glob("*.so"), *(ROOT / PACKAGE).glob("*.pyd")):
        (target / extension.name).symlink_to(extension)


def run_tests(root: Path, tests: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run tests with the package below `root`, until the first that fails."""
    path = os.pathsep.join(
        filter(None, [str(root / PACKAGE.parent), os.environ.get("PYTHONPATH", "")])
    )
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "--quiet", "--exitfirst", "-p", "no:cacheprovider"]
    return subprocess.run(
        [*command, *tests],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )


def outcome(mutant: Mutant) -> tuple[str, str]:
    """What becomes of a defect: `caught`, `survived`, `does not apply` or `no verdict`; and what was said."""
    with tempfile.TemporaryDirectory(prefix="wordline-mutant-") as directory:
        root = Path(directory)
        copy_to(root)
        if said := apply(mutant.file, root):
            return "does not apply", said
        try:
            done = run_tests(root, mutant.tests)
        except subprocess.TimeoutExpired:
            return "caught", f"the tests did not end within {LIMIT_S} s"
    if done.returncode == 0:
        return "survived", ""
    # an error outside of a test, of a fixture or an import, shows that a defect is too coarse
    failed = [line for line in done.stdout.splitlines() if line.startswith("FAILED ")]
    if done.returncode == FAILED and failed:
        return "caught", failed[0].removeprefix("FAILED ").partition(" - ")[0]
    return "no verdict", (done.stdout + done.stderr)[-500:]


def main() -> int:
    """Run what is asked for; the exit status is 1 unless every defect was caught."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="defects to put in; all without any")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many at a time")
    asked = parser.parse_args()
    chosen = [mutant for mutant in mutants() if not asked.names or mutant.name in asked.names]
    if unknown := set(asked.names) - {mutant.name for mutant in chosen}:
        parser.error(f"no such defect: {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory(prefix="wordline-mutant-") as directory:
        copy_to(Path(directory))
        done = run_tests(Path(directory), sorted({test for each in chosen for test in each.tests}))
    if done.returncode:
        print(f"the tests fail without any defect:\n{done.stdout[-2_000:]}{done.stderr}")
        return 1
    counts: dict[str, int] = {}
    with ThreadPoolExecutor(asked.jobs) as executor:
        for mutant, (verdict, said) in zip(chosen, executor.map(outcome, chosen), strict=True):
            counts[verdict] = counts.get(verdict, 0) + 1
            print(f"{verdict:<14}  {mutant.name}: {mutant.breaks}" + (f" ({said})" if said else ""))
            sys.stdout.flush()
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    return 0 if set(counts) == {"caught"} else 1


if __name__ == "__main__":
    sys.exit(main())
