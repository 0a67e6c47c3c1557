"""Runs drawn jobs in fio and in Wordline and compares what they do, command by command: `make fio-diff`.

fio logs its commands (`write_iolog`). Where places, sizes or directions are drawn the commands cannot be the same ones; then it is compared
how many there are, of which sizes, where they may lie, and how often each place is visited. What Wordline refuses is no difference.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from math import gcd
from pathlib import Path

from fio_jobs import MIB, Job, draw

# bytes of the drive, as of crates/workload/examples/fio_commands.rs
DRIVE = 1024 * MIB
# files of a job start at multiples of this on the drive
FILE_STEP = 4096
# counts that are drawn may differ by this share, and by so many
DRAWN = 0.25
FEW = 8
# seconds for a job of fio: some never end
PATIENCE = 20.0
ENDLESS = "fio does not end"
# 3.33 divides by zero where rate_process=poisson stands beside a rate of one direction of two
CRASHED = "fio crashes"

Command = tuple[str, int, int]


@dataclass
class Outcome:
    """What a program did with a job."""

    commands: list[Command] = field(default_factory=list)
    refused: str = ""

    @property
    def counts(self) -> Counter[str]:
        """Commands by what they do."""
        return Counter(op for op, _, _ in self.commands)

    @property
    def bytes(self) -> int:
        """Bytes of all commands."""
        return sum(size for _, _, size in self.commands)

    @property
    def visits(self) -> list[tuple[int, int]]:
        """How many places are visited how often."""
        places = Counter(first for op, first, _ in self.commands if op != "flush")
        return sorted(Counter(places.values()).items())

    @property
    def alignment(self) -> int:
        """What all addresses are multiples of."""
        return gcd(*(first for op, first, _ in self.commands if op != "flush"))


def with_fio(fio: str, job: Job, folder: Path) -> Outcome:
    """What fio does."""
    log = folder / "log"
    for left in [log, *folder.glob("a.*")]:
        left.unlink(missing_ok=True)
    text = f"[global]\nwrite_iolog={log}\n{job.text}".replace("/dev/nvme0n1", str(folder / "drive"))
    if "trim" in job.mode:
        text += "ioengine=null\n"
    elif not job.is_on_device:
        text += f"directory={folder}\n"
    path = folder / "fio.fio"
    path.write_text(text)
    # a thread ends with fio where it is killed, a process does not
    command = [fio, str(path), "--thread"]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
            env=os.environ | job.variables,
        )
    except subprocess.TimeoutExpired:
        return Outcome(refused=ENDLESS)
    if done.returncode < 0:
        return Outcome(refused=CRASHED)
    if done.returncode != 0:
        return Outcome(refused=(done.stderr + done.stdout).strip()[:300])
    found = Outcome()
    files: dict[str, int] = {}
    step = -(-job.file_bytes // FILE_STEP) * FILE_STEP
    for line in log.read_text().splitlines():
        if line.startswith("fio version"):
            # each job writes a log of its own behind the others
            continue
        _, name, action, *rest = line.split()
        if action == "add":
            files.setdefault(name, len(files))
        elif action in {"read", "write", "trim"}:
            found.commands.append((action, int(rest[0]) + files[name] * step, int(rest[1])))
        elif action in {"sync", "datasync"}:
            found.commands.append(("flush", 0, 0))
    return found


def with_wordline(program: Path, jobs: list[Job], folder: Path) -> list[Outcome]:
    """What Wordline does."""
    paths = []
    for number, job in enumerate(jobs):
        path = folder / f"{number}.fio"
        path.write_text(f"[global]\ndirect=1\n{job.text}")
        paths += [f"{name}={value}" for name, value in job.variables.items()] + [str(path)]
    done = subprocess.run([str(program), *paths], capture_output=True, text=True, check=True)
    found: list[Outcome] = []
    for line in done.stdout.splitlines():
        word, _, rest = line.partition(" ")
        if word == "file":
            found.append(Outcome())
        elif word == "refused":
            found[-1].refused = rest
        elif word != "note" and not word.startswith("["):
            first, count, _ = rest.split()
            found[-1].commands.append((word, int(first), int(count)))
    return found


def differences(job: Job, ours: Outcome, theirs: Outcome) -> list[str]:
    """What differs, in words."""
    if ours.refused or theirs.refused in {ENDLESS, CRASHED} or "verify" in theirs.refused:
        return []
    if theirs.refused:
        return [f"refused by fio alone: {theirs.refused}"]
    ours, theirs = once_flushed(job, ours), once_flushed(job, theirs)
    if job.has("time_based"):
        # how much is done in the time is the drive's
        done = min(len(ours.commands), len(theirs.commands))
        ours, theirs = Outcome(ours.commands[:done]), Outcome(theirs.commands[:done])
    if job.is_random or job.draws_sizes or job.draws_directions:
        return unlike_draws(job, ours, theirs)
    if ours.commands == theirs.commands:
        return []
    pairs = enumerate(zip(ours.commands, theirs.commands, strict=False))
    shorter = min(len(ours.commands), len(theirs.commands))
    first = next((number for number, (own, other) in pairs if own != other), shorter)
    near = slice(max(0, first - 1), first + 3)
    return [
        f"{len(ours.commands)} commands, fio {len(theirs.commands)}; the first other one is number {first}: "
        f"{ours.commands[near]}, fio {theirs.commands[near]}"
    ]


def once_flushed(job: Job, outcome: Outcome) -> Outcome:
    """What is left without the flushes that fio before 3.38 repeats where a pass begins, after what `verify` reads back too."""
    reads_back = job.has("verify", "verify_pattern")
    # what was left out and read back brings further passes as well
    goes_on = job.has("loops", "io_size", "kb_base") or (reads_back and ":" in job.mode)
    if not (job.has("fsync", "fdatasync") and goes_on):
        return outcome
    commands = outcome.commands
    kept = [
        command
        for before, command in zip([None, *commands[:-1]], commands, strict=True)
        if command[0] != "flush"
        or not (reads_back or (before is not None and before[0] == "flush"))
    ]
    return Outcome(kept, outcome.refused)


def unlike_draws(job: Job, ours: Outcome, theirs: Outcome) -> list[str]:
    """What differs of commands that are drawn."""
    if job.ends_by_chance:
        return []
    found = []
    own, other = ours.counts, theirs.counts
    # how many places are written, and read back, is drawn where there is no map
    distinct = job.has("verify", "verify_pattern") and job.has(
        "norandommap", "random_distribution", "blockalign"
    )
    share = DRAWN if job.draws_sizes or job.draws_directions or distinct else 0.0
    # fio before 3.38 repeats a flush before each read up to the next write
    repeats = job.draws_directions and job.has("fsync", "fdatasync")
    for op in ("read", "write", "trim", *(() if repeats else ("flush",))):
        allowed = share * max(own[op], other[op]) + (FEW if share else 0)
        if abs(own[op] - other[op]) > allowed:
            found.append(f"{op}: {own[op]}, fio {other[op]}")
    largest = max((size for _, _, size in theirs.commands), default=0)
    counts_commands = share and job.has("number_ios")
    if not (counts_commands or distinct) and abs(ours.bytes - theirs.bytes) > (
        2 * largest if share else 0
    ):
        found.append(f"bytes: {ours.bytes}, fio {theirs.bytes}")
    with_map = not job.has("norandommap", "random_distribution", "blockalign", "file_service_type")
    if with_map and not share and ours.visits != theirs.visits:
        found.append(f"visits (times, places): {ours.visits}, fio {theirs.visits}")
    if len(theirs.commands) > 40 and not job.draws_sizes and ours.alignment != theirs.alignment:
        found.append(f"alignment: {ours.alignment}, fio {theirs.alignment}")
    return found


def main() -> int:
    """Compares, and answers whether nothing differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", type=Path, default=Path("target/debug/examples/fio_commands"))
    arguments = parser.parse_args()
    fio = shutil.which("fio")
    if fio is None:
        print("fio is not installed: nothing is compared (apt-get install fio)")
        return 0
    stream = random.Random(arguments.seed)
    jobs = [draw(stream) for _ in range(arguments.jobs)]
    unlike = refused = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with (folder / "drive").open("wb") as drive:
            drive.truncate(DRIVE)
        for job, ours in zip(jobs, with_wordline(arguments.program, jobs, folder), strict=True):
            problems = differences(job, ours, with_fio(fio, job, folder))
            if problems:
                print(f"{job.text}" + "".join(f"  {problem}\n" for problem in problems), flush=True)
            unlike += bool(problems)
            refused += bool(ours.refused)
    print(f"{len(jobs)} jobs, {refused} refused by Wordline, {unlike} with differences")
    return 1 if unlike else 0


if __name__ == "__main__":
    sys.exit(main())
