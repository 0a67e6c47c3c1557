"""Run every fuzz target for a while, on the stable toolchain: `make fuzz`.

libFuzzer needs no more of the compiler than coverage counters, which stable rustc passes on to LLVM.
(`cargo +nightly fuzz run TARGET` in the root of the repository works as well, with the address
sanitizer.) A C++ compiler must be there to build libFuzzer.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

FUZZ = Path(__file__).resolve().parent
CORPUS, ARTIFACTS = FUZZ / "corpus", FUZZ / "artifacts"
FLAGS = (
    "-Cpasses=sancov-module "
    "-Cllvm-args=-sanitizer-coverage-level=4 "
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters "
    "-Cllvm-args=-sanitizer-coverage-pc-table "
    "-Cllvm-args=-sanitizer-coverage-trace-compares "
    "--cfg fuzzing"
)
LONGEST_INPUT = 8192
SECONDS_PER_INPUT = 10
MEMORY_MB = 1024


@dataclass(frozen=True)
class Outcome:
    """How a target fared."""

    name: str
    executions: str
    features: str
    finding: str


def main() -> None:
    """Build, seed and run the targets; the exit status says whether one of them found something."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("targets", nargs="*", help="names; all targets when left out")
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--jobs", type=int, default=4, help="targets at a time")
    parser.add_argument("--seed", type=int, default=0, help="of libFuzzer; 0 draws one")
    options = parser.parse_args()
    programs = build()
    subprocess.run([programs / "seeds", CORPUS], check=True)
    known = sorted(folder.name for folder in CORPUS.iterdir())
    unknown = set(options.targets) - set(known)
    if unknown:
        sys.exit(f"no target {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    ARTIFACTS.mkdir(exist_ok=True)
    print(f"{'target':28}{'executions':>12}{'features':>10}  finding", flush=True)
    failed = False
    with ThreadPoolExecutor(options.jobs) as pool:
        outcomes = pool.map(
            lambda name: fuzz(programs, name, options.seconds, options.seed),
            options.targets or known,
        )
        for outcome in outcomes:
            print(
                f"{outcome.name:28}{outcome.executions:>12}{outcome.features:>10}  {outcome.finding}",
                flush=True,
            )
            failed |= bool(outcome.finding)
    sys.exit(failed)


def build() -> Path:
    """Build targets and seeds; the folder of the programs."""
    version = subprocess.run(["rustc", "-vV"], stdout=subprocess.PIPE, text=True, check=True).stdout
    host = next(line.removeprefix("host: ") for line in version.splitlines() if "host: " in line)
    # with a target named, build scripts and procedural macros are built without the flags
    subprocess.run(
        ["cargo", "build", "--release", "--quiet", "--target", host],
        cwd=FUZZ,
        env={**os.environ, "RUSTFLAGS": FLAGS},
        check=True,
    )
    folder = Path(os.environ.get("CARGO_TARGET_DIR", FUZZ / "target"))
    return folder / host / "release"


def fuzz(programs: Path, name: str, seconds: int, seed: int) -> Outcome:
    """Run one target."""
    program, _, variant = name.partition("-")
    with tempfile.TemporaryDirectory(dir=memory_folder()) as folder:
        done = subprocess.run(
            [
                programs / program,
                CORPUS / name,
                f"-seed={seed}",
                f"-max_total_time={seconds}",
                f"-max_len={LONGEST_INPUT}",
                f"-timeout={SECONDS_PER_INPUT}",
                f"-rss_limit_mb={MEMORY_MB}",
                f"-artifact_prefix={ARTIFACTS / name}-",
                "-print_final_stats=1",
            ],
            env={**os.environ, "WORDLINE_FUZZ": variant, "TMPDIR": folder},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
    executions = re.search(r"number_of_executed_units: *(\d+)", done.stdout)
    features = re.findall(r" ft: (\d+)", done.stdout)
    finding = ""
    if done.returncode:
        lines = done.stdout.splitlines()
        told = [
            line for line in lines if "panicked" in line or "ERROR" in line or "Test unit" in line
        ]
        finding = " | ".join(told or lines[-3:])
    return Outcome(
        name,
        executions.group(1) if executions else "?",
        features[-1] if features else "?",
        finding,
    )


def memory_folder() -> str | None:
    """A folder whose files never reach a disk, where there is one."""
    folder = Path("/dev/shm")
    return str(folder) if os.access(folder, os.W_OK) else None


if __name__ == "__main__":
    main()
