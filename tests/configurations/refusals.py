"""What a refusal says: the key that is refused, and what would be accepted."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import Any

from configurations.case import Case, is_below
from configurations.draw import FITTED, GEOMETRY, schema
from configurations.features import ALL
from configurations.leaves import ANY_NAME, leaves

SAFE = {
    "geometry.pages_per_block": 12,
    "geometry.page_size": "4 KiB",
    "geometry.blocks_per_plane": 24,
    "geometry.spare_size": "64 B",
    "ftl.over_provisioning": 1.0,
    "ftl.over_provisioning_basis": "user",
}
"""What a size of the drive becomes where the drawn one is refused."""
PLAIN = "tiny"
"""The preset that a drive starts from where its own does not fit so small a drive."""
SAFE_MIX: list[Any] = [{"size": "4 KiB"}]
SAFE_WORKLOAD = {"kind": "random", "requests": 100, "path": None, "format": None}
"""What a workload becomes that cannot do without what is refused."""
FITTED_KEYS = {key for keys in FITTED.values() for key in keys}
WORD = re.compile(r"[a-z_][a-z_0-9]*(?:\.[a-z_0-9<>]+)*")
OF_TENANT = re.compile(r"tenant `([^`]+)`: workload\.")
"""A key of a tenant's workload, in a refusal."""
OF_CHIP = re.compile(r"(geometry\.[a-z_]+) is ([0-9]+|[0-9.]+ [KM]?i?B) in the chip")
"""A size that the drive must have because its chip has it, in a refusal."""
WANTED = re.compile(r"with ([a-z_0-9.]+) = (true|\"[^\"]*\")")
"""The condition under which a key has an effect, in a refusal."""


def keys_named(message: str) -> list[str]:
    """Keys and sections of the schema that a message names, in its order."""
    spelled = OF_TENANT.sub(r"tenants.\1.workload.", message)
    words = [word.rstrip(".") for word in WORD.findall(spelled)]
    return [word for word in words if is_key(word)]


def is_key(word: str) -> bool:
    """Whether a word is a key of the schema, or a section of it."""
    generic = re.sub(r"^tenants\.[^.]+", f"tenants.{ANY_NAME}", word)
    return generic in known() or word.startswith("tenants.")


@cache
def known() -> frozenset[str]:
    """Every key and section."""
    paths: set[str] = set()
    for leaf in leaves(schema()):
        parts = leaf.path.split(".")
        paths |= {".".join(parts[:count]) for count in range(1, len(parts) + 1)}
    return frozenset(paths)


def repaired(case: Case, message: str, tried: set[str]) -> Case | None:
    """The case as the message asks for it; `None` where nothing is left to change.

    A key without effect is given the condition that the message names, and a drive the sizes of its chip, once. Otherwise the first key named that the
    case sets is left out; a preset that sets the refused key gives way to a plain one; or else the last key that
    the case sets is left out. What a small run cannot do without becomes something that is always accepted.
    """
    for path, value in WANTED.findall(message):
        is_new = path not in tried and (path in case.keys or not path.startswith("tenants"))
        if is_new and is_key(path) and "has no effect" in message:
            tried.add(path)
            return case.setting(path, True if value == "true" else value.strip('"'))
    for path, value in OF_CHIP.findall(message):
        if path not in tried and path in GEOMETRY:
            tried.add(path)
            return case.setting(path, int(value) if value.isdigit() else value)
    named = [key for name in keys_named(message) for key in case.keys if is_below(key, name)]
    # a key that a workload lacks, or a file that it names
    named += [key for key in keys_named(message) if "workload." in key and key not in case.keys]
    named += [
        key for file in case.files for key, value in case.keys.items() if value == file in message
    ]
    # what the configuration was drawn for stays as long as anything else can give way
    wanted = {key for name in case.pair for key in ALL[name].keys}
    for key in sorted(named, key=lambda key: key in wanted):
        changed = changed_at(case, key)
        if changed != case:
            return changed
    if message.startswith("preset ") and case.base != PLAIN:
        return replace(case, base=PLAIN)
    removable = [key for key in case.keys if not is_needed(key)]
    removable.sort(key=lambda key: key not in wanted)
    return case.without(removable[-1]) if removable else None


def is_needed(key: str) -> bool:
    """Whether a drive would be large without this key, or a run long."""
    needed = (*SAFE_WORKLOAD, *FITTED_KEYS)
    return (
        key in GEOMETRY or key in SAFE or key.endswith(tuple(f"workload.{name}" for name in needed))
    )


def changed_at(case: Case, key: str) -> Case:
    """The case without a key, or with a safe value for it."""
    if key.endswith("workload.mix") and case.keys.get(key, SAFE_MIX) != SAFE_MIX:
        return case.setting(key, SAFE_MIX)
    if key in case.keys and not is_needed(key):
        return case.without(key)
    if key in SAFE:
        return case.setting(key, SAFE[key])
    scope, workload, _ = key.partition("workload.")
    has_tenants = any(name.startswith("tenants.") for name in case.keys)
    if not workload or (not scope and has_tenants):
        return case.without(key)
    case = case.without(f"{scope}workload")
    for name, value in SAFE_WORKLOAD.items():
        if value is not None:
            case = case.setting(f"{scope}workload.{name}", value)
    return case
