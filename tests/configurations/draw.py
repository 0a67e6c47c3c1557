"""Which configurations are drawn."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from hypothesis import strategies as st

from configurations import files
from configurations.case import STATE, Case, Keys
from configurations.features import Feature, keys_of
from configurations.leaves import ANY_NAME, Leaf, Values, leaves, values
from wordline import _wordline

MOST_REQUESTS = 300
FEW_REQUESTS = st.integers(1, MOST_REQUESTS)

SMALL: dict[str, Values] = {
    "geometry.channels": st.integers(1, 3),
    "geometry.chips_per_channel": st.integers(1, 2),
    "geometry.packages_per_channel": st.integers(0, 2),
    "geometry.dies_per_chip": st.integers(1, 2),
    "geometry.planes_per_die": st.integers(1, 2),
    "geometry.blocks_per_plane": st.integers(12, 32),
    "geometry.pages_per_block": st.sampled_from((12, 24, 36, 6, 1)),
    "geometry.page_size": st.sampled_from(("4 KiB", "2 KiB", "512 B", "1.5 KiB", "16 KiB")),
    "geometry.spare_size": st.sampled_from(("64 B", "0 B", "512 B")),
    # a small drive has few blocks to spare, however large their share
    "ftl.over_provisioning": st.sampled_from((1.0, 0.5, "200 %", 0.28)),
    "workload.requests": FEW_REQUESTS,
    "workload.repeat": st.integers(1, 3),
    # most lengths leave nothing of so few requests, which is refused
    "run.warm_up": st.one_of(
        st.integers(1, MOST_REQUESTS).map("{} requests".format),
        st.sampled_from(("auto", "none", "0.01 drive writes", "10 us", "1 ms", "20 ms", "1 y")),
    ),
    # windows of 1 ns fill a million rows
    "output.window": st.sampled_from(("1 ms", "100 us", "7 us", "1 s", "1 h")),
}
"""Keys that decide how long a run takes, and how much memory: every other key is drawn from its schema."""
GEOMETRY = [
    path for path in SMALL if path.startswith(("geometry.", "ftl.over")) and "packages" not in path
]
"""Set in every configuration, since a preset is a large drive."""

MODES = st.sampled_from(("a", "b", "normal", "preserve"))
"""Names of modes, and one that is a name in one place only."""
TEXTS: dict[str, Values] = {
    "allocation.order": st.permutations("CWDP").map("".join),
    "power.chip": st.sampled_from([chip["name"] for chip in _wordline.chips()]),
    "modes": st.lists(
        st.fixed_dictionaries(
            {"name": st.sampled_from(("a", "b", "normal"))},
            optional={
                "t_prog": st.sampled_from(("90 us", "2 ms")),
                "t_r": st.sampled_from(("10 us", "60 us")),
                "step": st.sampled_from((0.2, 0.55, 3.0)),
                "bch": st.just({"n": 4316, "k": 4100}),
                "quantile": st.sampled_from((0.25, 0.5)),
            },
        ),
        max_size=2,
        unique_by=lambda mode: mode["name"],
    ),
    "ftl.modes.host": MODES,
    "ftl.modes.hot": MODES,
    "ftl.modes.cold": MODES,
    "ftl.modes.copies": MODES,
    "ftl.slc_cache.mode": st.sampled_from(("a", "b")),
    "ftl.modes.choices": st.lists(MODES, max_size=3),
}
"""Keys whose text the schema does not describe."""
NAMES = ("a", "b", "c")
"""Of tenants."""
WRITTEN = {"workload.kind", "workload.path", "workload.format", "age.snapshot"}
"""Keys that are set together with the files that they name."""
NEEDED = {"mixed": ("mix",), "profile": ("profile",)}
"""Keys that a kind of workload cannot do without."""
FITTED: dict[str, Keys] = {"log_structured": {"store.extent": "4 KiB"}}
"""Keys without which a kind of workload does not fit so small a drive."""
UNFITTED = {"onfi5-tlc-zns", "datacenter-tlc", "datacenter-qlc", "flashpower-mlc8"}
"""Presets whose zones, mapping units or arrays of a chip are larger than so small a drive; what they switch on is drawn by its keys."""
SEPARATE = {"base", "name"}


@cache
def schema() -> dict[str, Any]:
    """What `wordline schema` prints."""
    found: dict[str, Any] = json.loads(_wordline.schema())
    return found


@cache
def all_leaves() -> list[Leaf]:
    """Every key that can be drawn on its own."""
    return [
        leaf
        for leaf in leaves(schema())
        if generic(leaf.path) not in WRITTEN | SEPARATE | set(GEOMETRY)
        # variables of job files have names of their own
        and not leaf.path.endswith(f".{ANY_NAME}")
    ]


def generic(path: str) -> str:
    """The key of any workload that a key of a tenant's workload is."""
    return path.removeprefix(f"tenants.{ANY_NAME}.") if ".workload." in path else path


@st.composite
def setting(draw: st.DrawFn, of: list[Leaf]) -> tuple[str, Any]:
    """A key and a value for it."""
    leaf = draw(st.sampled_from(of))
    known = SMALL | TEXTS
    path = generic(leaf.path)
    return leaf.path, draw(known[path] if path in known else values(leaf.schema))


def settings(of: list[Leaf], most: int) -> st.SearchStrategy[Keys]:
    """Some keys; half of them choose between ways to work."""
    switches = [leaf for leaf in of if leaf.is_switch]
    either = st.one_of(setting(switches), setting(of))
    return st.lists(either, max_size=most).map(dict)


@st.composite
def workloads(draw: st.DrawFn, prefix: str) -> tuple[Keys, dict[str, str]]:
    """The keys of a workload below `prefix`, and its files."""
    kinds = [leaf for leaf in leaves(schema()) if leaf.path == f"{prefix}workload.kind"]
    kind = draw(values(kinds[0].schema))
    written: dict[str, str] = {}
    match kind:
        case "trace":
            keys, written = draw(files.traces())
        case "fio":
            keys, written = draw(files.jobs())
        case _:
            keys = {"kind": kind, "requests": draw(FEW_REQUESTS), **FITTED.get(kind, {})}
            if kind in NEEDED:
                of_workload = schema()["properties"]["workload"]["properties"]
                keys |= {key: draw(values(of_workload[key])) for key in NEEDED[kind]}
    inside = [leaf for leaf in all_leaves() if leaf.path.startswith(f"{prefix}workload.")]
    more = draw(settings(inside, 4))
    drawn = {f"{prefix}workload.{key}": value for key, value in keys.items()}
    return {**more, **drawn}, written


@st.composite
def cases_with(draw: st.DrawFn, features: Sequence[Feature]) -> Case:
    """A configuration with these features and some keys; it stays one with the first two of them as long as anything else can give way."""
    case = draw(cases(most=4))
    pair = tuple(feature.label for feature in features[:2])
    return replace(case, keys=case.keys | keys_of(features), pair=pair)


@st.composite
def cases(draw: st.DrawFn, most: int = 12) -> Case:
    """A configuration with at most so many keys of the drive beside its sizes."""
    base = draw(values(schema()["properties"]["base"]).filter(lambda name: name not in UNFITTED))
    keys: Keys = {path: draw(SMALL[path]) for path in GEOMETRY}
    of_drive = [
        leaf for leaf in all_leaves() if not leaf.path.startswith(("workload.", "tenants."))
    ]
    observed = {"output.attribution": st.booleans(), "output.timeline": st.booleans()}
    keys |= {path: draw(value) for path, value in observed.items()}
    keys["ftl.over_provisioning_basis"] = "user"
    all_written: dict[str, str] = {}
    if draw(st.integers(0, 3)) == 3:
        of_chip, all_written = draw(files.chips(keys))
        keys |= of_chip
    keys |= draw(settings(of_drive, most))
    if draw(st.sampled_from((False, False, False, True))):
        keys |= {"age.method": "snapshot", "age.snapshot": STATE}
    if draw(st.integers(0, 5)) < 5:
        workload, written = draw(workloads(""))
        return Case(base, keys | workload, all_written | written)
    of_tenant = [
        leaf
        for leaf in all_leaves()
        if leaf.path.startswith("tenants.") and ".workload." not in leaf.path
    ]
    for name in NAMES[: draw(st.integers(1, len(NAMES)))]:
        workload, written = draw(workloads(f"tenants.{ANY_NAME}."))
        named = {file: f"{name}-{file}" for file in written}
        for path, value in (workload | draw(settings(of_tenant, 2))).items():
            keys[path.replace(ANY_NAME, name)] = (
                named.get(value, value) if is_text(value) else value
            )
        all_written |= {named[file]: text for file, text in written.items()}
    return Case(base, keys, all_written)


def is_text(value: object) -> bool:
    """Whether a value can name a file."""
    return isinstance(value, str)
