"""Runs drawn jobs in fio and in Wordline and compares what they do, command by command: `make fio-diff`.

fio runs with `ioengine=null` and `write_iolog`. Where places, sizes or directions are drawn the commands cannot be the same ones; then it is compared how many
there are, of which sizes, where they may lie, and how often each place is visited.
"""

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from math import gcd
from pathlib import Path

KIB = 1024
MIB = 1024 * KIB
# bytes of the drive, as of crates/workload/examples/fio_commands.rs
DRIVE = 1024 * MIB
# files of a job start at multiples of this on the drive
FILE_STEP = 4096
# commands of jobs that draw how many of a kind they send may differ by so much
DRAWN_TOLERANCE = 0.25

ENDLESS = "fio does not end"

Command = tuple[str, int, int]


@dataclass
class Job:
    """One job and what is known of it beforehand."""

    lines: list[str]
    # bytes of each file, for finding them on the drive; none for a job on one device
    file_bytes: int = 0
    is_on_device: bool = False
    seconds: float = 20.0

    @property
    def text(self) -> str:
        return "\n".join(["[a]", *self.lines, ""])

    def has(self, *words: str) -> bool:
        return any(line.split("=")[0] in words for line in self.lines)

    def value(self, name: str) -> str:
        return next(
            (line.partition("=")[2] for line in self.lines if line.startswith(f"{name}=")), ""
        )

    @property
    def is_random(self) -> bool:
        return "rand" in self.value("rw") or self.value("file_service_type").startswith(
            ("random", "zipf", "pareto", "normal", "gauss")
        )

    @property
    def draws_sizes(self) -> bool:
        return self.has("bsrange", "bssplit")

    @property
    def draws_directions(self) -> bool:
        return self.value("rw").split(":")[0] in {"rw", "readwrite", "randrw"}


@dataclass
class Outcome:
    """What a program did with a job."""

    commands: list[Command] = field(default_factory=list)
    refused: str = ""
    notes: list[str] = field(default_factory=list)


def draw(stream: random.Random) -> Job:
    """A job of a few options, each of which changes how much is done or where."""
    mode = stream.choice(
        [
            "read",
            "write",
            "trim",
            "randread",
            "randwrite",
            "randtrim",
            "rw",
            "randrw",
            "trimwrite",
            "randtrimwrite",
        ]
    )
    block = stream.choice([512, 4 * KIB, 8 * KIB, 12 * KIB, 64 * KIB])
    blocks = stream.choice([1, 7, 16, 100, 257])
    size = block * blocks + stream.choice([0, 0, 0, 512])
    lines = [f"bs={block}", f"size={size}"]
    modifier = ""
    extra = stream.sample(
        [
            "loops",
            "io_size",
            "number_ios",
            "offset",
            "filesize",
            "fsync",
            "end_fsync",
            "norandommap",
            "bsrange",
            "bssplit",
            "nrfiles",
            "service",
            "modifier",
            "strided",
            "percentage_random",
            "blockalign",
            "sequencer",
            "law",
            "each",
            "fsync_on_close",
            "fdatasync",
        ],
        stream.choice([1, 2, 2, 3]),
    )
    file_bytes = 0
    for word in extra:
        if word == "loops":
            lines.append(f"loops={stream.choice([2, 3])}")
        elif word == "io_size":
            lines.append(
                f"io_size={stream.choice([size // 2 or block, size * 2, size * 3 + 512, max(block, size - block)])}"
            )
        elif word == "number_ios":
            lines.append(f"number_ios={stream.choice([1, 5, blocks, 2 * blocks])}")
        elif word == "offset":
            lines.append(f"offset={stream.choice([4096, 64 * KIB, MIB])}")
        elif word == "filesize":
            lines.append(
                f"filesize={stream.choice([size // 2 // 512 * 512 or 512, size, 2 * size])}"
            )
        elif word == "fsync":
            lines.append(f"fsync={stream.choice([1, 3, 32])}")
        elif word == "fdatasync":
            lines.append(f"fdatasync={stream.choice([1, 5])}")
        elif word in {"end_fsync", "fsync_on_close", "norandommap"}:
            lines.append(f"{word}=1")
        elif word == "bsrange" and "bssplit" not in extra:
            lines.append(f"bsrange={block}-{block * stream.choice([2, 5])}")
        elif word == "bssplit":
            lines.append(f"bssplit={block}/60:{2 * block}/40")
        elif word == "each" and not {"bsrange", "bssplit"} & set(extra):
            lines.append(f"bs={block},{2 * block},{block}")
        elif word == "nrfiles":
            lines.append(f"nrfiles={stream.choice([2, 3])}")
        elif word == "service" and "nrfiles" in extra:
            lines.append(
                f"file_service_type={stream.choice(['sequential', 'roundrobin:3', 'random'])}"
            )
        elif word == "modifier":
            modifier = (
                f":{stream.choice([2, 8])}"
                if mode.startswith("rand")
                else f":{stream.choice([block, 2 * block])}"
            )
        elif word == "strided" and "nrfiles" not in extra:
            lines += [
                "zonemode=strided",
                f"zonesize={block * stream.choice([1, 2, 4])}",
                f"zoneskip={block * stream.choice([0, 1, 3])}",
            ]
            if stream.random() < 0.3:
                lines.append(f"zonerange={block * stream.choice([1, 2, 8])}")
        elif word == "percentage_random":
            lines.append("percentage_random=50")
        elif word == "blockalign":
            lines.append(f"blockalign={2 * block}")
        elif word == "sequencer" and mode.startswith("rand"):
            modifier = ":4"
            lines.append(f"rw_sequencer={stream.choice(['identical', 'sequential'])}")
        elif word == "law":
            lines.append(
                f"random_distribution={stream.choice(['zipf:1.1', 'pareto:0.3', 'normal:20', 'zoned:60/10:40/90'])}"
            )
    if mode == "randtrimwrite":
        # fio writes elsewhere than it trimmed; Wordline says so in a note
        lines = [line for line in lines if not line.startswith(("offset=", "zone"))]
    if "trimwrite" in mode:
        # fio before 3.38 does not flush here
        lines = [line for line in lines if not line.startswith(("fsync=", "fdatasync="))]
    lines.append(f"rw={mode}{modifier}")
    job = Job(lines)
    files = int(job.value("nrfiles") or 1)
    # files cannot be trimmed, and the null engine knows no size of a device
    job.is_on_device = files == 1 and not job.has("filesize") and "trim" not in mode
    if job.is_on_device:
        lines.insert(0, "filename=/dev/nvme0n1")
        # the null engine logs commands twice that it is too busy for; fio before 3.38 flushes after a completion
        if "write" in mode and stream.random() < 0.3 and not job.has("offset", "zonemode"):
            lines.append("verify=crc32c")
        elif stream.random() < 0.4 and not job.has("fsync", "fdatasync"):
            lines += ["iodepth=4", "ioengine=libaio"]
    else:
        offset = int(job.value("offset") or 0)
        file_bytes = int(job.value("filesize") or size // files + offset)
    job.file_bytes = file_bytes
    return job


def with_fio(fio: str, job: Job, folder: Path) -> Outcome:
    """What fio does."""
    log = folder / "log"
    log.unlink(missing_ok=True)
    for left in folder.glob("a.*"):
        left.unlink()
    path = folder / "fio.fio"
    text = f"[global]\nwrite_iolog={log}\n{job.text}".replace("/dev/nvme0n1", str(folder / "drive"))
    if "trim" in job.value("rw"):
        text += "ioengine=null\n"
    elif not job.is_on_device:
        text += f"directory={folder}\n"
    path.write_text(text)
    try:
        done = subprocess.run(
            [fio, str(path)],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=job.seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Outcome(refused=ENDLESS)
    if done.returncode != 0:
        return Outcome(refused=(done.stderr + done.stdout).strip()[:300])
    found = Outcome()
    files: dict[str, int] = {}
    step = -(-job.file_bytes // FILE_STEP) * FILE_STEP
    for line in log.read_text().splitlines()[1:]:
        _, name, action, *rest = line.split()
        if action == "add":
            files.setdefault(name, len(files))
            continue
        if action not in {"read", "write", "trim", "sync", "datasync"}:
            continue
        if action in {"read", "write", "trim"}:
            found.commands.append((action, int(rest[0]) + files[name] * step, int(rest[1])))
        else:
            found.commands.append(("flush", 0, 0))
    return found


def with_wordline(program: Path, jobs: list[Job], folder: Path) -> list[Outcome]:
    """What Wordline does."""
    paths = []
    for number, job in enumerate(jobs):
        path = folder / f"{number}.fio"
        path.write_text(f"[global]\ndirect=1\n{job.text}")
        paths.append(str(path))
    done = subprocess.run([str(program), *paths], capture_output=True, text=True, check=True)
    found: list[Outcome] = []
    for line in done.stdout.splitlines():
        word, _, rest = line.partition(" ")
        if word == "file":
            found.append(Outcome())
        elif word == "refused":
            found[-1].refused = rest
        elif word == "note":
            found[-1].notes.append(rest)
        elif not word.startswith("["):
            first, count, _ = rest.split()
            found[-1].commands.append((word, int(first), int(count)))
    return found


def lines_of(job: Job, name: str) -> list[str]:
    return [line for line in job.lines if line.startswith(f"{name}=")]


def alignment(commands: list[Command]) -> int:
    return gcd(*(first for op, first, _ in commands if op != "flush"))


def differences(job: Job, ours: Outcome, theirs: Outcome) -> list[str]:
    """What differs, in words."""
    if theirs.refused == ENDLESS:
        return []
    if theirs.refused or ours.refused:
        # what Wordline refuses is told to the user
        return (
            []
            if ours.refused or "verify" in theirs.refused
            else [f"refused by fio alone: {theirs.refused}"]
        )
    if not (job.is_random or job.draws_sizes or job.draws_directions):
        if ours.commands == theirs.commands:
            return []
        pairs = enumerate(zip(ours.commands, theirs.commands, strict=False))
        first = next(
            (number for number, (own, other) in pairs if own != other),
            min(len(ours.commands), len(theirs.commands)),
        )
        return [
            f"{len(ours.commands)} commands, fio {len(theirs.commands)}; the first other one is number {first}: "
            f"{ours.commands[first - 1 : first + 3]}, fio {theirs.commands[first - 1 : first + 3]}"
        ]
    found = []

    def compare(what: str, own: float, other: float, tolerance: float = 0.0) -> None:
        if abs(own - other) > tolerance * max(own, other) + (8 if tolerance else 0):
            found.append(f"{what}: {own:g}, fio {other:g}")

    own, other = (Counter(op for op, _, _ in outcome.commands) for outcome in (ours, theirs))
    mode = job.value("rw")
    # a run that happens to end at the end of the file ends the pass
    runs = (
        ":" in mode
        and job.draws_directions
        or "rand" in mode
        and (":" in mode or job.has("percentage_random"))
    )
    # fio's map counts in blocks of the smallest size of any direction, and a pass may end before each block was visited
    # laws count a block that fits in part, which ends the pass when it is drawn
    runs = (
        runs or job.has("random_distribution") and int(job.value("size")) % int(job.value("bs")) > 0
    )
    runs = (
        runs
        or "rand" in mode
        and job.has("zonemode")
        or "rand" in mode
        and any("," in line for line in lines_of(job, "bs"))
    )
    loose = 1.0 if runs else DRAWN_TOLERANCE if job.draws_sizes else 0.0
    split = max(loose, DRAWN_TOLERANCE) if job.draws_directions else loose
    # fio before 3.38 repeats a flush before each read up to the next write, and sends none where it trims and writes
    ops = (
        ("read", "write", "trim")
        if job.has("fsync", "fdatasync") and (job.draws_directions or "trimwrite" in mode)
        else ("read", "write", "trim", "flush")
    )
    for op in ops:
        compare(f"{op}s", own[op], other[op], split)
    compare(
        "commands",
        sum(own.values()) - own["flush"],
        sum(other.values()) - other["flush"],
        max(loose, split if job.has("bs") and "," in job.value("bs") else 0),
    )
    bytes_own, bytes_other = (
        sum(size for _, _, size in outcome.commands) for outcome in (ours, theirs)
    )
    largest = max((size for _, _, size in theirs.commands), default=0)
    ends_early = job.draws_sizes and job.has("zonemode")
    if (
        not runs
        and not ends_early
        and abs(bytes_own - bytes_other)
        > (largest if job.draws_sizes or job.draws_directions else 0)
    ):
        if not job.has("number_ios") or not (job.draws_sizes or job.draws_directions):
            found.append(f"bytes: {bytes_own}, fio {bytes_other}")
    ends = [
        max((first + size for _, first, size in outcome.commands), default=0)
        for outcome in (ours, theirs)
    ]
    starts = [
        min((first for op, first, _ in outcome.commands if op != "flush"), default=0)
        for outcome in (ours, theirs)
    ]
    visits = [
        Counter(first for op, first, _ in outcome.commands if op in {"read", "write", "trim"})
        for outcome in (ours, theirs)
    ]
    with_map = (
        not runs
        and not job.has(
            "norandommap", "random_distribution", "blockalign", "percentage_random", "rw_sequencer"
        )
        and ":" not in job.value("rw")
    )
    fixed = not (job.draws_sizes or job.draws_directions)
    if with_map and fixed and job.is_random and not job.has("number_ios"):
        same = visits[0] == visits[1]
        sums = [sorted(Counter(count.values()).items()) for count in visits]
        if not same and sums[0] != sums[1]:
            found.append(f"visits (times: places): {sums[0]}, fio {sums[1]}")
        if ends[0] != ends[1] and not job.has("io_size", "zonemode", "filesize"):
            found.append(f"end: {ends[0]}, fio {ends[1]}")
        if starts[0] != starts[1] and not job.has("io_size", "zonemode", "filesize"):
            found.append(f"start: {starts[0]}, fio {starts[1]}")
    if sum(other.values()) > 40 and not runs and not (job.draws_sizes and with_map):
        own_sizes, other_sizes = (
            {size for _, _, size in outcome.commands} for outcome in (ours, theirs)
        )
        if own_sizes != other_sizes and not job.draws_sizes:
            found.append(f"sizes: {sorted(own_sizes)[:8]}, fio {sorted(other_sizes)[:8]}")
        if alignment(ours.commands) != alignment(theirs.commands):
            found.append(f"alignment: {alignment(ours.commands)}, fio {alignment(theirs.commands)}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", type=Path, default=Path("target/debug/examples/fio_commands"))
    parser.add_argument("--show", action="store_true", help="print every job")
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
        found = with_wordline(arguments.program, jobs, folder)
        for number, (job, ours) in enumerate(zip(jobs, found, strict=True)):
            theirs = with_fio(fio, job, folder)
            problems = differences(job, ours, theirs)
            if problems or arguments.show:
                print(
                    f"--- job {number}\n{job.text}"
                    + "".join(f"  {problem}\n" for problem in problems),
                    flush=True,
                )
            unlike += bool(problems)
            refused += bool(ours.refused)
    print(f"{len(jobs)} jobs, {refused} refused by Wordline, {unlike} with differences")
    return 1 if unlike else 0


if __name__ == "__main__":
    sys.exit(main())
