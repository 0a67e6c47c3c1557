"""What a run was about, in a few words: the drive and its load."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wordline.formatting import binary_size, counted, decimal_size, display, percent, size_in_bytes

KINDS = ("read", "write", "other")
"""Classes of requests, as the summary names them."""
MOST_NAMES = 8
"""Tenants that are named."""
OTHERS = "TRIMs and flushes"


def drive_in_words(config: Mapping[str, Any], summary: Mapping[str, Any]) -> str:
    """The drive by its name and capacity, in the units in which drives are sold."""
    size = decimal_size(user_bytes(config, summary))
    name = config.get("name")
    return f"{name}, {size}" if name else f"A drive of {size}"


def flash_in_words(config: Mapping[str, Any], summary: Mapping[str, Any]) -> str:
    """The flash of the drive, and where its load comes from."""
    geometry = config["geometry"]
    dies = geometry["channels"] * geometry["chips_per_channel"] * geometry["dies_per_chip"]
    flash = ", ".join(
        (
            counted(geometry["channels"], "channel"),
            counted(dies, "die"),
            f"{geometry['page_size']} pages",
            str(geometry["cell_type"]).upper(),
        )
    )
    source = (
        "Requests of programs that used it (wordline serve)"
        if is_served(summary)
        else source_in_words(config)
    )
    return f"{flash}. {source}."


def is_served(summary: Mapping[str, Any]) -> bool:
    """Whether the drive was served to programs, whose requests no key describes."""
    return "live.power_cuts" in summary


def source_in_words(config: Mapping[str, Any]) -> str:
    """Where the requests come from."""
    if tenants := config.get("tenants"):
        names = [*tenants][:MOST_NAMES]
        more = len(tenants) - len(names)
        named = ", ".join(names) + (f" and {more} more" if more else "")
        return f"{counted(len(tenants), 'tenant')}: {named}"
    workload = config["workload"]
    if workload["kind"] == "fio":
        if "path" not in workload:
            return "Jobs of a command line of fio"
        return f"Jobs of the fio file {Path(workload['path']).name}"
    if "path" in workload:
        return f"Requests of the trace {Path(workload['path']).name}"
    if "profile" in workload:
        return f"Synthetic requests by the profile {workload['profile']}"
    if "profile_file" in workload:
        return f"Synthetic requests by the profile {Path(workload['profile_file']).name}"
    return f"Synthetic requests, kind {workload['kind']}"


def user_bytes(config: Mapping[str, Any], summary: Mapping[str, Any]) -> int:
    """Bytes that the drive exports."""
    pages = int(summary["ftl.user_pages"]) * size_in_bytes(config["geometry"]["page_size"])
    return pages // int(summary.get("ftl.units_per_page", 1))


def load_in_words(config: Mapping[str, Any], summary: Mapping[str, Any]) -> str:
    """What was asked of the drive, and how much of it at once."""
    mix = mix_in_words(summary)
    pace = "" if is_served(summary) else pace_in_words(config)
    return f"{mix}, {pace}" if pace else mix


def mix_in_words(summary: Mapping[str, Any]) -> str:
    """Shares and mean sizes of reads and writes."""
    total = summary["host.all.count"]
    present = [kind for kind in KINDS if summary[f"host.{kind}.count"]]
    if not present:
        return "no requests"
    sizes = {kind: mean_size(summary, kind) for kind in present if kind != "other"}
    same = len(sizes) > 1 and len(set(sizes.values())) == 1
    words = []
    for kind in present:
        share = percent(summary[f"host.{kind}.count"] / total) + " " if len(present) > 1 else ""
        name = OTHERS if kind == "other" else f"{kind}s"
        size = f" of {sizes[kind]}" if kind in sizes and not same else ""
        words.append(f"{share}{name}{size}")
    each = f" of {next(iter(sizes.values()))}" if same else ""
    return f"{', '.join(words)}{each}"


def mean_size(summary: Mapping[str, Any], kind: str) -> str:
    """Mean size of the requests of a class."""
    return binary_size(summary[f"host.{kind}.bytes"] / summary[f"host.{kind}.count"])


def pace_in_words(config: Mapping[str, Any]) -> str:
    """How requests follow each other: the depth of a closed loop, or the rate of an open one."""
    workload = config.get("workload", {})
    if config.get("tenants") or workload["kind"] == "fio":
        return ""
    if gap := workload.get("interarrival"):
        return f"one request every {gap}"
    if depth := workload.get("queue_depth"):
        return f"queue depth {display(depth)}"
    if workload["kind"] in ("trace", "profile"):
        return "at recorded times" if workload["kind"] == "trace" else "at the profile's rate"
    return ""
