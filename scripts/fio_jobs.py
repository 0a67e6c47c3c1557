"""Draws fio jobs of a few options, each of which changes how much is done or where."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

KIB = 1024
MIB = 1024 * KIB
MODES = [
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


@dataclass
class Job:
    """One job and what is known of it beforehand."""

    lines: list[str]
    # bytes of each file, by which it is found on the drive; 0 for a job on one device
    file_bytes: int = 0
    is_on_device: bool = False
    # values of options that stand in the file as variables, by their names
    variables: dict[str, str] = field(default_factory=dict)
    # a job that follows
    second: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The sections of the job, and of the one that follows."""
        lines = [
            f"{key}=${{{key.upper()}}}" if key.upper() in self.variables else line
            for line in self.lines
            for key in [line.partition("=")[0]]
        ]
        return "\n".join(["[a]", *lines, *(["[b]", *self.second] if self.second else []), ""])

    def has(self, *words: str) -> bool:
        """Whether one of these options is set."""
        return any(line.split("=")[0] in words for line in self.lines)

    def value(self, name: str) -> str:
        """The last value of an option; nothing where it is unset."""
        values = [line.partition("=")[2] for line in self.lines if line.startswith(f"{name}=")]
        return values[-1] if values else ""

    @property
    def mode(self) -> str:
        """The value of `rw`."""
        return self.value("rw")

    @property
    def is_random(self) -> bool:
        """Whether places or files are drawn."""
        return "rand" in self.mode or self.value("file_service_type").startswith(("random", "zipf"))

    @property
    def draws_sizes(self) -> bool:
        """Whether the sizes of commands are drawn."""
        return self.has("bsrange", "bssplit")

    @property
    def draws_directions(self) -> bool:
        """Whether reads and writes are mixed by chance."""
        return self.mode.split(":")[0] in {"rw", "randrw"}

    @property
    def ends_by_chance(self) -> bool:
        """Whether a pass may end before its bytes are done, by what happens to be drawn."""
        of_file = int(self.value("size")) // int(self.value("nrfiles") or 1)
        is_uneven = of_file % int(self.value("bs").split(",")[0]) > 0
        return (
            # a run that comes to the end of the file
            (":" in self.mode and (self.draws_directions or self.draws_sizes))
            or ("rand" in self.mode and (":" in self.mode or self.has("percentage_random")))
            # which file comes next decides whether the last place is trimmed alone
            or (
                "trimwrite" in self.mode
                and self.value("file_service_type").startswith(("random", "zipf"))
            )
            # laws count blocks, and blockalign moves them beyond the end, where fio ends the pass
            or (self.has("random_distribution") and self.has("blockalign"))
            # laws count a block that fits in part
            or (self.has("random_distribution") and is_uneven)
            # a last zone that lies beyond the file in part
            or (self.has("zonemode") and ("rand" in self.mode or self.draws_sizes))
            # fio's map counts in the smallest block of all directions
            or ("rand" in self.mode and "," in self.value("bs"))
        )


# options that change no command
NEUTRAL = [
    "direct=1",
    "randrepeat=1",
    "softrandommap=1",
    "group_reporting",
    "new_group",
    "exitall",
    "exit_what=all",
    "flow=3",
    "flow_id=7",
    "thinktime=1",
    "thinktime_blocks=4",
    "rate=,1g",
    "rate_min=0",
    "rate_process=poisson",
    "io_submit_mode=inline",
    "startdelay=0",
    "ramp_time=0",
    "sync=0",
    "end_fsync=0",
    "do_verify=0",
    "verify_backlog=8",
    "exec_prerun=true",
    "iodepth_batch_submit=4",
    "iodepth_batch_complete_min=2",
    "iodepth_batch_complete_max=8",
    "iodepth_low=2",
    "max_latency=1h",
    "fill_device=0",
    "thread",
]


# ways to have read back what was written
VERIFYING = [
    ["verify=crc32c"],
    ["verify=md5"],
    ["verify=sha256"],
    ["verify_pattern=0xaa"],
    ["verify=pattern", "verify_pattern=0xdeadbeef"],
]


def options(
    stream: random.Random, mode: str, block: int, blocks: int, size: int
) -> dict[str, list[str]]:
    """Each kind of option with the lines that are drawn for it."""
    choice: Callable[..., int] = stream.choice
    service = stream.choice(["sequential", "roundrobin:3", "random", "zipf"])
    law = stream.choice(["zipf:1.1", "pareto:0.3", "normal:20", "zoned:60/10:40/90"])
    strided = [
        "zonemode=strided",
        f"zonesize={block * choice([1, 2, 4])}",
        f"zoneskip={block * choice([0, 1, 3])}",
    ]
    if stream.random() < 0.3:
        strided.append(f"zonerange={block * choice([1, 2, 8])}")
    return {
        "loops": [f"loops={choice([2, 3])}"],
        "io_size": [f"io_size={choice([size // 2 or block, 2 * size, 3 * size + 512])}"],
        "number_ios": [f"number_ios={choice([1, 5, blocks, 2 * blocks])}"],
        "offset": [f"offset={choice([4 * KIB, 64 * KIB, MIB])}"],
        "filesize": [f"filesize={choice([size // 2 // 512 * 512 or 512, size, 2 * size])}"],
        "fsync": [f"fsync={choice([1, 3, 32])}"],
        "fdatasync": [f"fdatasync={choice([1, 5])}"],
        "end_fsync": ["end_fsync=1"],
        "fsync_on_close": ["fsync_on_close=1"],
        "norandommap": ["norandommap=1"],
        "bsrange": [f"bsrange={block}-{block * choice([2, 5])}"],
        "bssplit": [f"bssplit={block}/60:{2 * block}/40"],
        "each": [f"bs={block},{2 * block},{block}"],
        "nrfiles": [f"nrfiles={choice([2, 3])}"],
        "service": ["nrfiles=3", f"file_service_type={service}"],
        "modifier": [
            f"rw={mode}:{choice([2, 8]) if mode.startswith('rand') else block * choice([1, 2])}"
        ],
        "sequencer": [f"rw={mode}:4", f"rw_sequencer={stream.choice(['identical', 'sequential'])}"]
        if mode.startswith("rand")
        else [],
        "strided": strided,
        "percentage_random": ["percentage_random=50"],
        "blockalign": [f"blockalign={2 * block}"],
        "law": [f"random_distribution={law}"],
        "offset_align": ["offset_align=8k"],
        "mix": [stream.choice(["rwmixread=20", "rwmixwrite=70"])] if "rw" in mode else [],
        "share": [f"io_size={choice([50, 100])}%"],
        "kb_base": [
            "kb_base=1000",
            f"io_size={size // 1024 * 1024 // 1024}ki" if size > 2048 else "loops=2",
        ],
        "neutral": [
            line
            for line in stream.sample(NEUTRAL, 4)
            # fio takes one of them alone
            if not line.startswith("rate=") or mode in {"rw", "randrw"}
        ],
    }


def draw(stream: random.Random) -> Job:
    """A job, in a part of them with variables and with another one behind it."""
    job = draw_one(stream)
    if stream.random() < 0.2:
        job.variables = {"SIZE": job.value("size"), "BS": job.value("bs")}
        if "," in job.variables["BS"] or sum(line.startswith("bs=") for line in job.lines) > 1:
            del job.variables["BS"]
    if job.is_on_device and stream.random() < 0.2:
        waits = stream.choice(["stonewall", "wait_for=a"])
        job.second = ["filename=/dev/nvme0n1", waits, "rw=read", "bs=4k", "size=64k"]
    return job


def draw_one(stream: random.Random) -> Job:
    """A job that stands alone."""
    mode = stream.choice(MODES)
    block = stream.choice([512, 4 * KIB, 8 * KIB, 12 * KIB, 64 * KIB])
    blocks = stream.choice([2, 7, 16, 100, 257])
    size = block * blocks + stream.choice([0, 0, 0, 512])
    kinds = options(stream, mode, block, blocks, size)
    chosen = stream.sample(sorted(kinds), stream.choice([1, 2, 2, 3]))
    lines = [f"bs={block}", f"size={size}", f"rw={mode}"]
    lines += [line for kind in chosen for line in kinds[kind]]
    # what fio has of its own: Wordline says so in notes, or does as later versions of fio
    without: list[str] = []
    if mode == "randtrimwrite":
        without += ["offset=", "zone"]
    if "trimwrite" in mode:
        without += ["fsync=", "fdatasync="]
    if "trim" in mode:
        # the null engine takes size for that of the file
        without.append("filesize=")
    if "nrfiles" in chosen or "service" in chosen:
        without.append("zone")
    lines = [line for line in lines if not line.startswith(tuple(without))] if without else lines
    job = Job(lines)
    files = int(job.value("nrfiles") or 1)
    # files cannot be trimmed, and the null engine knows no size of a device
    job.is_on_device = files == 1 and not job.has("filesize") and "trim" not in mode
    if not job.is_on_device:
        offset = int(job.value("offset") or 0)
        job.file_bytes = int(job.value("filesize") or size // files + offset)
        return job
    lines.insert(0, "filename=/dev/nvme0n1")
    if "write" in mode and stream.random() < 0.3 and not job.has("offset"):
        lines += stream.choice(VERIFYING)
        # with several commands outstanding fio passes over those that are under way
        if stream.random() < 0.5 and mode == "write":
            lines += [f"verify_backlog={stream.choice([1, 4, 7])}"]
            lines += [f"verify_backlog_batch={stream.choice([1, 3])}"] * stream.choice([0, 1])
        # a job that goes on has no end of a pass at which it would read back
        if mode == "write" and stream.random() < 0.2 and not job.has("verify_backlog"):
            lines += ["time_based", "runtime=1"]
    elif stream.random() < 0.4 and not job.has("fsync", "fdatasync"):
        lines += ["iodepth=4", "ioengine=libaio"]
        lines += ["serialize_overlap=1"] * stream.choice([0, 0, 1])
    return job
