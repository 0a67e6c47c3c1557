"""The workloads of the study."""

from __future__ import annotations

from wordline.studies.grid import Load

REQUESTS = 20_000
QUICK = 1_500
"""Requests of a synthetic load; in the quick form."""


def synthetic(name: str, *, requests: int = REQUESTS, quick: int = QUICK, **keys: object) -> Load:
    """Writes of 4 KiB at random addresses, eight outstanding, but for what `keys` says."""
    whole = {"kind": "random", "read_fraction": 0.0, "request_size": "4 KiB", **keys}
    if "interarrival" not in whole:
        whole["queue_depth"] = 8
    return Load(name, {**whole, "requests": requests}, {"requests": quick})


RANDOM = synthetic("random")
MIXED = synthetic("mixed", read_fraction=0.7)
SEQUENTIAL = synthetic(
    "sequential", kind="sequential", request_size="64 KiB", requests=REQUESTS // 8, quick=QUICK // 8
)
SKEWED = synthetic("skewed", kind="hot_cold", hot_space=0.2, hot_requests=0.8)

FINANCIAL = Load(
    "Fin1 surrogate",
    {"kind": "profile", "profile": "financial1", "requests": REQUESTS},
    {"requests": QUICK},
)
FINANCIAL_EXCERPT = Load(
    "Fin1 excerpt",
    {"fold": "modulo", "take": REQUESTS},
    {"take": QUICK},
    trace="spc/financial1-first10k.spc.gz",
)
SERVER_EXCERPT = Load(
    "hm_0 excerpt",
    {"fold": "modulo", "take": REQUESTS},
    {"take": 500},
    trace="msr/hm_0-cut-rw20-80.replayer.gz",
)
TRACES = (FINANCIAL, FINANCIAL_EXCERPT)
