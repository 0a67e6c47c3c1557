"""The features of a drive, and the pairs of them: what is drawn evenly, whatever the number of keys of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from random import Random
from typing import TypeAlias

from configurations.case import STATE, Case, Keys

Pair: TypeAlias = tuple[str, str]

UNIT: Keys = {"geometry.page_size": "16 KiB", "ftl.mapping_unit": "4 KiB"}
SLC: Keys = {
    "geometry.cell_type": "tlc",
    "modes": [{"name": "slc", "t_prog": "200 us", "t_r": "25 us"}],
    "ftl.slc_cache.mode": "slc",
    "ftl.slc_cache.static_blocks": 2,
    "ftl.slc_cache.dynamic_blocks": 3,
    "ftl.gc.frontier": "separate",
}
IN_STEP: Keys = {
    "allocation.planes": "in_step",
    "geometry.planes_per_die": 2,
    "commands.multi_plane_write": "wise",
    "commands.copyback": "off",
}
STRIPED: Keys = {"ftl.mapping": "striped", "ftl.span": "CP"}
POWER: Keys = {"power.supply": "2.5 V", "power.controller": "2 W", "power.idle": "30 mW"}
CELLS: Keys = {
    "geometry.cell_type": "mlc",
    "ecc.kind": "ldpc",
    "age.initial_cycles": 3000,
}
STATIC: Keys = {"allocation.mode": "static"}
BUFFER: Keys = {"buffer.policy": "lru", "buffer.size": "256 KiB", "buffer.capacitor": True}
NVME: Keys = {"host.interface": "nvme"}

FEATURES: dict[str, dict[str, Keys]] = {
    "mapping": {
        "page": {"ftl.mapping": "page"},
        "units of a quarter page": UNIT,
        "units of four pages": {
            "geometry.page_size": "4 KiB",
            "ftl.mapping_unit": "16 KiB",
            **STATIC,
        },
        "dftl": {"ftl.mapping": "dftl", "ftl.cached_entries": 64},
        "dftl by pages": {
            "ftl.mapping": "dftl",
            "ftl.cached_entries": 4096,
            "ftl.cache_unit": "page",
        },
        "block": {"ftl.mapping": "block"},
        "bast": {"ftl.mapping": "bast"},
        "sast": {"ftl.mapping": "sast"},
        "fast": {"ftl.mapping": "fast"},
        "last": {"ftl.mapping": "last"},
        "superblock": {"ftl.mapping": "superblock"},
        "delta": {
            "ftl.mapping": "delta",
            "ftl.gc.reserve_blocks": 2,
            "ftl.delta.codec_scope": "channel",
            "ftl.delta.encodable": 0.7,
            "buffer.policy": "lru",
            "buffer.size": "256 KiB",
        },
        "zoned": {
            "ftl.mapping": "zoned",
            "age.method": "fresh",
            "ftl.zones.blocks": 4,
            "workload.translation": "zones",
            "workload.zones.over_provisioning": 3.0,
        },
        "striped": STRIPED,
        "striped with parity": {**STRIPED, "ftl.parity": "rotating"},
        "striped and padded": {
            **STRIPED,
            "ftl.parity": "fixed",
            "ftl.partial_superpages": "pad",
        },
    },
    "buffer": {
        "lru": {"buffer.policy": "lru", "buffer.size": "256 KiB"},
        "cflru": {"buffer.policy": "cflru", "buffer.size": "64 KiB", "buffer.read_cache": True},
        "bplru": {"buffer.policy": "bplru", "buffer.size": "256 KiB"},
        "read cache": {"buffer.policy": "lru", "buffer.size": "256 KiB", "buffer.read_cache": True},
        "capacitor": {"buffer.policy": "lru", "buffer.size": "256 KiB", "buffer.capacitor": True},
        "sectors": {"buffer.policy": "lru", "buffer.size": "256 KiB", "buffer.unit": "sector"},
        "levels": {
            "buffer.policy": "slru",
            "buffer.size": "256 KiB",
            "buffer.dirty_high": 0.5,
            "buffer.dirty_low": 0.25,
        },
        "in order": {
            "buffer.policy": "lru",
            "buffer.size": "64 KiB",
            "buffer.dirty_high": 0.5,
            "buffer.when_full": "in_order",
            "buffer.write_back": "inline",
        },
    },
    "location of the map": {
        "host memory": {
            **NVME,
            "ftl.mapping": "dftl",
            "ftl.cached_entries": 64,
            "ftl.cache_location": "host_memory",
        },
        "controller": {
            "ftl.mapping": "dftl",
            "ftl.cached_entries": 64,
            "ftl.cache_location": "controller",
        },
    },
    "interface": {
        "nvme": NVME,
        "pcie": {**NVME, "host.pcie.generation": 4, "host.pcie.lanes": 4},
        "sata": {"host.interface": "sata"},
        "ufs": {"host.interface": "ufs"},
        "emmc": {"host.interface": "emmc"},
        "pieces": {**NVME, "host.max_transfer": "4 KiB"},
    },
    "recovery": {
        "spare areas": {"ftl.recovery.kind": "oob_scan"},
        "summaries": {"ftl.recovery.kind": "summary_scan"},
        "journal": {"ftl.recovery.kind": "checkpoint_journal"},
        "delayed": {"ftl.recovery.kind": "delayed"},
        "cuts": {
            "ftl.recovery.kind": "oob_scan",
            "output.recovery_every": 40,
            "age.method": "fresh",
        },
    },
    "temperature": {
        "thermal": {**POWER, "thermal.enabled": True},
        "hot": {**POWER, "thermal.enabled": True, "thermal.ambient": "60 degC"},
    },
    "scheduler": {
        "out of order": {"scheduler.policy": "out_of_order"},
        "batches": {"scheduler.policy": "batches", "scheduler.max_writes": 8},
        "reads first": {"scheduler.policy": "reads_first"},
        "held channels": {
            "scheduler.collection_first": True,
            "scheduler.collection_holds_channel": True,
        },
        "dlv": {"scheduler.policy": "dlv", **STATIC, **CELLS},
        "woo": {"scheduler.policy": "woo", **STATIC, **CELLS},
        "pv_allocation": {"scheduler.policy": "pv_allocation", **STATIC},
        "all at once": {"scheduler.policy": "roo", "scheduler.dispatch": "all_at_once", **STATIC},
    },
    "suspension": {
        "pes": {
            "scheduler.policy": "pes",
            "nand.suspend": "program_erase",
            "scheduler.suspension.program_suspend": "ips",
        },
        "pes with cancellation": {
            "scheduler.policy": "pes",
            "nand.suspend": "program_erase",
            "scheduler.suspension.program_suspend": "ipc",
        },
        "of the maker": {
            "nand.suspend": "program_erase",
            "nand.suspend_style": "vendor",
            "scheduler.policy": "pes",
            "scheduler.suspension.program_suspend": "vendor",
        },
        "of the maker, seldom": {
            "nand.suspend": "program_erase",
            "nand.suspend_style": "vendor",
            "nand.vendor.program_limit": 2,
            "nand.vendor.program_safe_points": "100 us",
            "nand.vendor.erase_safe_points": "500 us",
            "scheduler.policy": "pes",
            "scheduler.suspension.program_suspend": "vendor",
        },
    },
    "collection": {
        "background": {"ftl.gc.mode": "background", "ftl.gc.low": 3, "ftl.gc.high": 4},
        "one block": {"ftl.gc.mode": "one_block", "ftl.gc.low": 3, "ftl.gc.high": 4},
        "preemptible": {"ftl.gc.mode": "preemptible", "ftl.gc.low": 3, "ftl.gc.high": 4},
        "partial": {"ftl.gc.mode": "partial", "ftl.gc.low": 4, "ftl.gc.high": 4},
        "pool of the drive": {"ftl.gc.pool": "drive"},
        "cost and benefit": {"ftl.gc.victim": "cost_benefit", "ftl.gc.frontier": "separate"},
        "fegc": {"ftl.gc.victim": "fegc"},
    },
    "hot data": {
        "frequencies": {"ftl.hot.classifier": "freq_table"},
        "bloom filters": {"ftl.hot.classifier": "multi_bloom"},
        "dac": {"ftl.hot.classifier": "dac"},
    },
    "placement": {
        "streams": {**NVME, "ftl.placement.directive": "streams"},
        "fdp": {**NVME, "ftl.placement.directive": "fdp"},
    },
    "wear": {
        "lowest erase count": {"ftl.wear.dynamic": "lowest_erase"},
        "by temperature": {"ftl.wear.dynamic": "by_temperature"},
        "swap": {"ftl.wear.static": "swap"},
        "two pools": {"ftl.wear.static": "dual_pool"},
        "failures": {
            "ftl.failures.program": 0.005,
            "ftl.failures.growth": 0.0,
            "ftl.gc.reserve_blocks": 2,
        },
    },
    "refresh": {
        "first come": {"ftl.refresh.policy": "fcfs"},
        "earliest deadline": {"ftl.refresh.policy": "remaining"},
    },
    "modes": {
        "folded cache": {**SLC, "ftl.slc_cache.when_full": "fold"},
        "bypassed cache": {**SLC, "ftl.slc_cache.when_full": "direct"},
        "by load": {
            "modes": [{"name": "slow", "t_prog": "2 ms"}],
            "ftl.modes.policy": "by_load",
        },
    },
    "codes": {
        "bch": {"ecc.kind": "bch"},
        "ldpc": {"ecc.kind": "ldpc", "geometry.cell_type": "mlc"},
        "levels by age": {**CELLS, "ecc.ldpc.start": "by_age"},
    },
    "cells": {
        "one shot": {"geometry.cell_type": "tlc", "nand.program": "one_shot", **BUFFER},
        "two steps": {"geometry.cell_type": "tlc", "nand.program": "two_step", **BUFFER},
        "planes on their own": {"nand.independent_planes": True},
        "reads of planes": {"nand.independent_plane_reads": True},
    },
    "commands": {
        "copy-back": {"commands.copyback": "wise"},
        "blind copy-back": {"commands.copyback": "blind"},
        "planes": {
            "commands.multi_plane_write": "wise",
            "commands.multi_plane_read": True,
            "commands.multi_plane_erase": True,
        },
        "caches": {"commands.cache_read": True, "commands.cache_program": True},
    },
    "allocation": {
        "static": {"allocation.mode": "static", "allocation.order": "PWDC"},
        "dynamic": {"allocation.mode": "dynamic"},
        "bound to channels": {"allocation.mode": "dynamic", "allocation.dynamic": "channel_bound"},
        "planes in step": IN_STEP,
    },
    "controller": {
        "firmware": {"firmware.enabled": True},
        "latency": {"firmware.read_latency": "15 us", "firmware.write_latency": "6 us"},
        "of packages": {"ftl.local.enabled": True},
    },
    "age": {
        "overwritten": {"age.method": "overwritten"},
        "reads placed": {"age.method": "fresh", "age.place_reads": "allocation"},
        "steady state": {"age.method": "steady_state"},
        "saved state": {"age.method": "snapshot", "age.snapshot": STATE},
    },
}
"""What a drive may have, by subject: a drive has at most one feature of each."""
TRIPLES = ("buffer", "location of the map", "interface", "recovery", "temperature")
"""Subjects of which three are drawn together."""


@dataclass(frozen=True)
class Feature:
    """A way to work, and the keys that ask for it."""

    subject: str
    name: str
    keys: Keys = field(hash=False, compare=False)

    @property
    def label(self) -> str:
        """What it is called among all."""
        return f"{self.subject}: {self.name}"

    def is_in(self, case: Case) -> bool:
        """Whether a configuration asks for it."""
        return all(case.keys.get(key) == value for key, value in self.keys.items())

    def goes_with(self, other: Feature) -> bool:
        """Whether a configuration can ask for both: no key has two values."""
        shared = self.keys.keys() & other.keys.keys()
        return self.subject != other.subject and all(
            self.keys[key] == other.keys[key] for key in shared
        )


ALL = {
    feature.label: feature
    for subject, named in FEATURES.items()
    for name, keys in named.items()
    for feature in [Feature(subject, name, keys)]
}
PAIRS: Sequence[Pair] = [
    (one.label, other.label) for one, other in combinations(ALL.values(), 2) if one.goes_with(other)
]
"""Every pair that a configuration can ask for."""


def triples() -> list[tuple[Feature, ...]]:
    """Three features of different subjects, of those that are drawn together."""
    of = {subject: [f for f in ALL.values() if f.subject == subject] for subject in TRIPLES}
    return [
        chosen
        for subjects in combinations(TRIPLES, 3)
        for chosen in product(*(of[subject] for subject in subjects))
        if all(one.goes_with(other) for one, other in combinations(chosen, 2))
    ]


TRIPLE: Sequence[tuple[Feature, ...]] = triples()


@dataclass
class Coverage:
    """Which pairs and triples were drawn, and which pairs were simulated."""

    seed: int
    drawn: Counter[Pair] = field(default_factory=Counter)
    simulated: Counter[Pair] = field(default_factory=Counter)
    triples: Counter[int] = field(default_factory=Counter)
    """By the place of a triple in their list."""

    def __post_init__(self) -> None:
        self._random = Random(self.seed)

    def pairs(self, count: int) -> Iterator[list[Feature]]:
        """Features to draw configurations with: of the pairs that came least often so far, in no order, each with those of a triple that it goes with."""

        def times(pair: Pair) -> tuple[int, float]:
            return self.drawn[pair] + self.simulated[pair], self._random.random()

        for pair in sorted(PAIRS, key=times)[:count]:
            self.drawn[pair] += 1
            features = [ALL[name] for name in pair]
            number = min(
                range(len(TRIPLE)), key=lambda each: (self.triples[each], self._random.random())
            )
            self.triples[number] += 1
            for feature in TRIPLE[number]:
                if all(feature.goes_with(other) for other in features):
                    features.append(feature)
            yield features

    def count(self, case: Case) -> None:
        """A configuration was simulated."""
        inside = [feature for feature in ALL.values() if feature.is_in(case)]
        self.simulated.update(
            (one.label, other.label)
            for one, other in combinations(inside, 2)
            if one.goes_with(other)
        )

    def refused(self) -> list[Pair]:
        """Pairs that were drawn, and that one of them gave way each time."""
        return [pair for pair in PAIRS if self.drawn[pair] and not self.simulated[pair]]

    def __str__(self) -> str:
        drawn, simulated = (
            sum(pair in of for pair in PAIRS) for of in (self.drawn, self.simulated)
        )
        return (
            f"pairs of features: {drawn:,} of {len(PAIRS):,} drawn, {simulated:,} simulated; "
            f"triples: {len(self.triples):,} of {len(TRIPLE):,} drawn"
        )


def keys_of(features: Iterable[Feature]) -> Keys:
    """The keys of features that go together."""
    return {key: value for feature in features for key, value in feature.keys.items()}
