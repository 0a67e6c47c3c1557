"""Writes docs/reference/fio-examples.md: what becomes of the job files that come with fio, which stay where they are.

    python scripts/fio_examples.py fio/examples fio/t/jobs

Each file is given to Wordline as it is, on a large drive. Of what runs, a short form is run by an installed fio too, and both are compared by what they count: sizes are
divided until few commands are left, and what takes time or another device alone is taken out, on both sides. Run it again where options or fio change.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "fio-examples.md"
SECTORS = 1 << 34
"""Sectors of the drive for the files as they are: 8 TiB."""
SHORT_SECTORS = (1 << 21) + 8
"""Those of the drive for short forms: a little more than 1 GiB, which the program takes for another drive and counts alone."""
VALUES = {
    "FIO_RW": "randread",
    "FIO_IODEPTH": "4",
    "FIO_BS": "8k",
    "POOL": "pool",
    "CONT": "cont",
    "FIO_DIR": "folder",
    "GPU_DEV_IDS": "0",
    "S3_KEY": "key",
    "S3_ID": "id",
    "SSE_KEY": "key",
    "SWIFT_id": "id",
    "STORAGE_CLASS": "class",
    "unixsocket": "socket",
    "uri": "nbd://localhost",
}
"""Values of the variables in the files."""
TIMED = {
    "runtime",
    "timeout",
    "time_based",
    "rate",
    "rate_iops",
    "ratemin",
    "startdelay",
    "thinktime",
    "ramp_time",
    "flow",
    "flow_sleep",
}
TIMED |= {
    "ss",
    "ss_dur",
    "ss_ramp",
    "exitall",
    "exit_what",
    "loops",
    "io_submit_mode",
    "rate_process",
}
"""Options that a short form leaves out: what they do takes time, or depends on it."""
OF_DEVICES = {
    "filename",
    "directory",
    "ioengine",
    "verify",
    "zonemode",
    "zonesize",
    "max_open_zones",
    "fill_device",
    "create_on_open",
    "numa_cpu_nodes",
    "numa_mem_policy",
    "block_error_percentiles",
    "thread",
    "threads",
}
"""Options that it leaves out because the null engine of fio has no device; those of `verify` and zones are compared by other tests."""
SIZES = {"size", "filesize", "io_size", "offset", "offset_increment"}
LARGEST = 4 << 20
"""Bytes of a size in a short form at most, so that no run of fio is long."""
PATIENCE = 60.0


@dataclass
class Verdict:
    """What became of a file."""

    name: str
    runs: bool
    text: str


def kept(line: str) -> str:
    """A line of a short form; nothing where it is left out."""
    text = re.split(r"[;#]", line, maxsplit=1)[0].strip()
    key, sign, value = (part.strip() for part in text.partition("="))
    if key in TIMED | OF_DEVICES:
        return ""
    if key in SIZES and (bytes_of(value) > LARGEST or "%" in value):
        return f"{key}={LARGEST}" if not key.startswith("offset") else ""
    if key == "numjobs" and int(value) > 4:
        return "numjobs=4"
    return f"{key}{sign}{value}"


def bytes_of(value: str) -> int:
    """Bytes of a size as fio writes it."""
    found = re.fullmatch(r"(\d+)([kmgt]?)i?b?", value.lower())
    return int(found[1]) << (10 * " kmgt".index(found[2] or " ")) if found else 0


def short_form(text: str) -> str:
    """The job file with fewer commands."""
    head = f"[global]\nfilename=/dev/nvme0n1\nioengine=null\nsize={LARGEST}\ndirect=1\n"
    return head + "\n".join(filter(None, map(kept, text.splitlines()))) + "\n"


def with_wordline(
    program: Path, path: Path, sectors: int, *, drains: bool
) -> tuple[str, Counter[str]]:
    """Why Wordline refuses a file, if it does, and its counts."""
    values = [f"{name}={value}" for name, value in VALUES.items()]
    settings = {"WORDLINE_FIO_SECTORS": str(sectors), "WORDLINE_FIO_DRAINS": "1" if drains else "0"}
    done = subprocess.run(
        [str(program), *values, str(path)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | settings,
    )
    counts: Counter[str] = Counter()
    refused = ""
    for line in done.stdout.splitlines():
        word, _, rest = line.partition(" ")
        if word == "refused":
            refused = rest.removeprefix(f"{path}:")
        elif word == "count":
            op, count = rest.split()
            counts[op] += int(count)
    return refused, counts


def with_fio(fio: str, text: str, folder: Path) -> tuple[str, Counter[str]]:
    """Why fio refuses a short form, if it does, and its counts. Options of engines that the null engine does not have are taken out."""
    path = folder / "fio.fio"
    for _ in range(40):
        path.write_text(text)
        command = [fio, "--thread", "--output-format=json", f"--output={folder / 'out'}", str(path)]
        done = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
            env=os.environ | VALUES,
        )
        bad = re.search(r"Bad option <([^=>]+)", done.stderr + done.stdout)
        if bad is None:
            break
        text = "".join(
            f"{line}\n" for line in text.splitlines() if line.split("=")[0].strip() != bad[1]
        )
    if done.returncode != 0:
        return (done.stderr + done.stdout).strip()[:200], Counter()
    report = (folder / "out").read_text()
    counts: Counter[str] = Counter()
    for job in json.loads(report[report.index("{") :])["jobs"]:
        for op in ("read", "write", "trim"):
            counts[op] += job[op]["total_ios"]
    return "", counts


def alike(own: Counter[str], other: Counter[str], text: str) -> bool:
    """Whether counts agree: exactly, or within a quarter where sizes or directions are drawn."""
    is_drawn = (
        re.search(r"bssplit|bsrange|=\s*(?:rand)?rw\b|=\s*readwrite\b|zipf|zoned", text) is not None
    )
    ops = ("read", "write", "trim")
    allowed = 0.25 if is_drawn else 0.0
    few = 1 if is_drawn else 0
    return all(abs(own[op] - other[op]) <= allowed * max(own[op], other[op]) + few for op in ops)


def verdict(program: Path, fio: str, path: Path, folder: Path) -> Verdict:
    """What becomes of a file."""
    refused, _ = with_wordline(program, path, SECTORS, drains=False)
    if refused:
        place, _, reason = refused.partition(": ")
        return Verdict(path.name, False, f"refused, line {place}: {reason}")
    text = path.read_text()
    short = folder / "short.fio"
    short.write_text(short_form(text))
    unlike, own = with_wordline(program, short, SHORT_SECTORS, drains=True)
    failed, other = with_fio(fio, short.read_text(), folder)
    if unlike or failed:
        return Verdict(path.name, True, f"runs; its short form is not compared: {unlike or failed}")
    if not alike(own, other, text):
        counted = f"{dict(own)}, fio {dict(other)}"
        return Verdict(path.name, True, f"runs, and counts other commands than fio: {counted}")
    said = ", ".join(f"{other[op]:,} {op}s" for op in ("read", "write", "trim") if other[op])
    return Verdict(path.name, True, f"runs; the short form has the counts of fio ({said})")


def page(verdicts: list[Verdict], version: str) -> str:
    """The page."""
    runs = sum(verdict.runs for verdict in verdicts)
    alike = sum("the counts of fio" in verdict.text for verdict in verdicts)
    rows = [
        f"| `{verdict.name}` | {' '.join(verdict.text.replace('|', '/').split())} |"
        for verdict in sorted(verdicts, key=lambda verdict: verdict.name)
    ]
    lines = [
        "# Job files that come with fio",
        "",
        "<!-- written by scripts/fio_examples.py; do not edit -->",
        "",
        f"Of {len(verdicts)} job files of fio, its examples and its own tests (`t/jobs` of its repository), Wordline runs {runs}; {alike} were compared with {version}, which counts the same commands. The files themselves are fio's, and stay with it. "
        "Those that are refused send no commands to a drive, or need what a simulated drive does not have.",
        "",
        "A *short form* has smaller files and no limits of time, on both sides; the null engine of fio runs it. Where sizes or directions are drawn, counts within a quarter, or of one command, are the same. Logs and patterns that a file needs beside it are not there.",
        "",
        "```sh",
        "apt-get install fio",
        "git clone https://github.com/axboe/fio",
        "python scripts/fio_examples.py fio/examples fio/t/jobs",
        "```",
        "",
        "| file | verdict |",
        "|---|---|",
        *rows,
        "",
    ]
    return "\n".join(lines)


def main() -> int:
    """Writes the page, and answers whether nothing that runs counts other commands than fio."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folders", type=Path, nargs="+", help="folders with job files")
    parser.add_argument("--program", type=Path, default=Path("target/debug/examples/fio_commands"))
    parser.add_argument("--out", type=Path, default=PAGE)
    arguments = parser.parse_args()
    fio = shutil.which("fio")
    if fio is None:
        print("fio is not installed: nothing is compared (apt-get install fio)")
        return 0
    files = [path for folder in arguments.folders for path in sorted(folder.glob("*.fio"))]
    if not files:
        print(f"no job files in {', '.join(map(str, arguments.folders))}", file=sys.stderr)
        return 2
    version = subprocess.run([fio, "--version"], capture_output=True, text=True, check=True).stdout
    with tempfile.TemporaryDirectory() as name:
        verdicts = [verdict(arguments.program, fio, path, Path(name)) for path in files]
    arguments.out.write_text(page(verdicts, version.strip()))
    unlike = [verdict.name for verdict in verdicts if "other commands" in verdict.text]
    print(
        f"{len(verdicts)} files, {sum(verdict.runs for verdict in verdicts)} run, {len(unlike)} count otherwise: {unlike}"
    )
    return 1 if unlike else 0


if __name__ == "__main__":
    sys.exit(main())
