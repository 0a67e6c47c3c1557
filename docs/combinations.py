"""What goes with what (`docs/reference/combinations.md`): features beside the drives of today, as the configuration answers, and the rows of conflicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import wordline as wl
from wordline._wordline import conflicts

Keys: TypeAlias = Mapping[str, Any]

PRESETS = ("datacenter-tlc", "datacenter-qlc", "client-tlc", "client-qlc", "client-dramless")
"""The presets of the page."""
RESERVE: Keys = {"ftl.gc.reserve_blocks": 2}
FEATURES: Mapping[str, Keys] = {
    "a code with retries": {"ecc.kind": "ldpc"},
    "suspension of programs and erases": {
        "nand.suspend": "program_erase",
        "nand.suspend_style": "vendor",
        "scheduler.policy": "pes",
        "scheduler.suspension.program_suspend": "vendor",
    },
    "recovery from spare areas": {"ftl.recovery.kind": "oob_scan", **RESERVE},
    "recovery with a journal": {"ftl.recovery.kind": "checkpoint_journal", **RESERVE},
    "refresh": {"ftl.refresh.policy": "remaining"},
    "heat": {"thermal.enabled": True},
    "streams": {"ftl.placement.directive": "streams"},
    "flexible data placement": {"ftl.placement.directive": "fdp"},
    "a classifier of hot data": {"ftl.hot.classifier": "multi_bloom"},
    "static wear levelling": {"ftl.wear.static": "swap"},
    "failures of programs and erases": {
        "ftl.failures.program": 1e-5,
        "ftl.failures.erase": 1e-5,
        **RESERVE,
    },
    "parity over planes, of whole pages": {
        "ftl.mapping": "striped",
        "ftl.span": "CP",
        "ftl.parity": "rotating",
    },
    "a warm-up": {"run.warm_up": "1 ms"},
    "firmware that takes processor time": {"firmware.enabled": True},
    "rationed collection": {
        "ftl.gc.mode": "partial",
        "ftl.gc.hard": 2,
        "ftl.gc.low": 5,
        "ftl.gc.high": 5,
    },
    "cost-benefit victims": {"ftl.gc.victim": "cost_benefit"},
    "word lines programmed at once": {"nand.program": "one_shot", "buffer.capacitor": True},
}
"""Features by name, with the keys that ask for them."""
SMALL: Keys = {
    "geometry.channels": 2,
    "geometry.chips_per_channel": 2,
    "geometry.blocks_per_plane": 72,
    "geometry.pages_per_block": 96,
    "ftl.over_provisioning": 0.6,
    "buffer.size": "4 MiB",
}
"""A drive so small that it wears within a second, with the space that any of the features takes."""


def drive(preset: str, feature: str, more: Keys | None = None) -> wl.Drive:
    """A small drive of a preset with a feature.

    Raises:
        ConfigError: the two do not go together.
    """
    return wl.Drive(preset, **{**SMALL, **FEATURES[feature], **(more or {})})


def refusal(preset: str, feature: str) -> str | None:
    """Why a preset does not go with a feature; none where it does."""
    try:
        drive(preset, feature)
    except wl.ConfigError as error:
        return str(error)
    return None


def table() -> Iterator[str]:
    """The page."""
    found = {
        (preset, feature): refusal(preset, feature) for preset in PRESETS for feature in FEATURES
    }
    reasons = list(dict.fromkeys(reason(text) for text in found.values() if text))
    accepted = sum(text is None for text in found.values())
    yield "# What goes with what\n\n## Features beside the drives of today\n\n"
    yield (
        f"Features beside five presets: {accepted} of {len(found)} pairs run, and a test runs each of them with the audit on. A number in "
        "brackets says why the others are refused. With parity the map is one of whole pages, and planes are not in step: superblocks over planes know neither units of 4 KiB "
        "nor planes in step. The keys of each feature stand below.\n\n"
    )
    yield f"| feature | {' | '.join(PRESETS)} |\n|---|{'---|' * len(PRESETS)}\n"
    for feature in FEATURES:
        refused = [found[preset, feature] for preset in PRESETS]
        cells = [f"({reasons.index(reason(text)) + 1})" if text else "runs" for text in refused]
        yield f"| {feature} | {' | '.join(cells)} |\n"
    yield "\n"
    for number, text in enumerate(reasons, 1):
        yield f"{number}. `{text}`\n"
    yield "\n### Keys\n\n"
    yield "| feature | keys |\n|---|---|\n"
    for feature, keys in FEATURES.items():
        shown = ", ".join(f"`{key} = {toml(value)}`" for key, value in keys.items())
        yield f"| {feature} | {shown} |\n"
    yield "\n## What rules what out\n\n"
    yield (
        "A row is a value of a key that a feature rules out, and what is accepted beside the feature. The rows stand beside the code of each feature; "
        "`crates/config/src/conflicts.rs` lists the features. One test asks for every row. Another runs, with the audit on, every pair of these features that no row rules out. "
        "Keys that have no effect beside others are in the [reference of keys](configuration.md).\n\n"
    )
    yield "| feature | key | accepted |\n|---|---|---|\n"
    for name, feature, key, instead in conflicts():
        yield f"| {name} | `{key}` | {instead} {feature} |\n"


def reason(error: str) -> str:
    """A refusal without the place of the value, which differs from preset to preset."""
    return error.split(": ", 1)[1].replace("\n", " ")


def toml(value: Any) -> str:
    """A value as a drive file has it."""
    return str(value).lower() if isinstance(value, bool) else repr(value).replace("'", '"')
