"""What a request costs while others wait: `python benchmarks/backlog.py`, or `make bench`.

Instructions per request, as the slope between two lengths of a run under callgrind, with 10, 100 and 1,000 requests outstanding. A
column that grows by more than half of the first is marked: something in the drive costs more the more requests wait.
Writes are of 16 KiB; those of schedulers and hosts are mixed with reads.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping

from whole_drive import counted

BACKLOGS = (10, 100, 1_000)
SHORT, LONG = 2_000, 3_000
"""Requests of the two runs: the backlog is full in both, and the drive collects garbage."""
MOST_GROWTH = 1.5
RUN = """
import sys
from wordline import _wordline
keys = [tuple(each.split("=", 1)) for each in sys.argv[1:]]
_wordline.simulate(_wordline.resolve("tiny", False, None, keys), False, None)
"""

LOAD: Mapping[str, object] = {
    "workload.request_size": "16KiB",
    "workload.read_fraction": 0.0,
    "output.timeline": "false",
}
MIXED = {"workload.read_fraction": 0.5}
STATIC = {
    name: {"allocation.mode": "static", "ecc.kind": "ldpc", "geometry.cell_type": "mlc"}
    for name in ("dlv", "woo", "roo")
}
"""What schedulers by latency variation need."""
SUBJECTS: Mapping[str, Mapping[str, Mapping[str, object]]] = {
    "mapping": {
        **{
            name: {"ftl.mapping": name}
            for name in (
                "page",
                "dftl",
                "block",
                "bast",
                "sast",
                "fast",
                "last",
                "superblock",
                "striped",
            )
        },
        "striped with parity": {
            "ftl.mapping": "striped",
            "ftl.parity": "rotating",
            "ftl.over_provisioning": 0.8,
        },
        "units of a quarter page": {"geometry.page_size": "16KiB", "ftl.mapping_unit": "4KiB"},
        "units of four pages": {"ftl.mapping_unit": "16KiB", "allocation.mode": "static"},
        "delta": {
            "ftl.mapping": "delta",
            "ftl.gc.reserve_blocks": 2,
            "buffer.policy": "lru",
            "buffer.size": "256KiB",
        },
        "write buffer": {"buffer.policy": "lru", "buffer.size": "256KiB"},
    },
    "scheduler": {
        name: {**MIXED, "scheduler.policy": name, **STATIC.get(name, {})}
        for name in ("fcfs", "reads_first", "out_of_order", "dlv", "woo", "roo")
    },
    "host": {
        "ideal": MIXED,
        "nvme": {**MIXED, "host.interface": "nvme"},
        "pcie": {
            **MIXED,
            "host.interface": "nvme",
            "host.pcie.generation": 4,
            "host.pcie.lanes": 4,
        },
        "sata": {**MIXED, "host.interface": "sata"},
        "ufs": {**MIXED, "host.interface": "ufs"},
        "emmc": {**MIXED, "host.interface": "emmc"},
    },
}


def main() -> None:
    """Print a table for each subject."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", choices=tuple(SUBJECTS), help="one subject in place of all")
    print(f"{'instructions per request':28}" + "".join(f"{n:>12,}" for n in BACKLOGS) + "  waiting")
    only = parser.parse_args().only
    for subject in [only] if only else SUBJECTS:
        for name, keys in SUBJECTS[subject].items():
            costs = [
                instructions({**LOAD, **keys, "workload.queue_depth": depth}) for depth in BACKLOGS
            ]
            mark = "  grows" if max(costs) > MOST_GROWTH * costs[0] else ""
            print(f"{name:28}" + "".join(f"{cost:>12,.0f}" for cost in costs) + mark, flush=True)


def instructions(keys: Mapping[str, object]) -> float:
    """Instructions that one more request costs."""
    short, long = (counted(command({**keys, "workload.requests": n})) for n in (SHORT, LONG))
    return (long - short) / (LONG - SHORT)


def command(keys: Mapping[str, object]) -> list[str]:
    """A process that simulates `tiny` and does little else."""
    return [sys.executable, "-c", RUN, *(f"{key}={value}" for key, value in keys.items())]


if __name__ == "__main__":
    main()
