"""The workloads of the study: surrogates of the twenty traces of the source, and the excerpts that are at hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from wordline.studies.grid import Load

REQUESTS = 32_768
"""Requests of a load, over which self-similar arrivals have their mean rate (`workload.burst_bias`)."""
SHORT = 16_384
"""The same where the drive varies, and in closed loops."""
BRIEF = 8_192
"""The same where the number of chips varies, on smaller planes."""
QUICK = 2_048
"""The same in the quick form."""
SERVER, FINANCIAL = 0.805, 0.63
"""Burstiness as `wordline trace-stats` measures it in the excerpts `hm_0-cut-rw20-80` and Financial 1."""


@dataclass(frozen=True)
class Volume:
    """A trace of the source, by its table III."""

    profile: str
    """The law that stands for it."""
    write_share: float
    """Writes among its requests, as printed."""

    @property
    def is_financial(self) -> bool:
        """Whether it is one of the two traces of UMass; all others are volumes of MSR Cambridge."""
        return self.profile.startswith("financial")

    @property
    def burst_bias(self) -> float:
        """Burstiness of its arrivals."""
        return FINANCIAL if self.is_financial else SERVER


COMPRESSION = 328.0
"""How much faster than recorded requests come in experiments on response times: at this speed 60 % of the writes of hm0 end within 2 ms in the baseline, as published (figure `calibration`)."""
SLOWER: Mapping[str, float] = {"fin1": 58.0, "prn0": 164.0, "proj0": 82.0}
"""Traces that overload one of the four main schemes at this speed, and the largest speed of 328 over a power of the square root of two at which they do not (figure `slow`)."""
OWN_AND_FIVE = (1.0, 5.0)
"""Speeds of the experiment on the depth of the queue."""


def speed_of(volume: str) -> float:
    """How much faster than recorded the requests of a trace come in experiments on response times."""
    return SLOWER.get(volume, COMPRESSION)


WRITING: Mapping[str, Volume] = {
    "fin1": Volume("financial1", 0.77),
    "mds0": Volume("msr_mds_0", 0.88),
    "prn0": Volume("msr_prn_0", 0.89),
    "proj0": Volume("msr_proj_0", 0.88),
    "rsrch0": Volume("msr_rsrch_0", 0.91),
    "src12": Volume("msr_src1_2", 0.75),
    "src20": Volume("msr_src2_0", 0.89),
    "stg0": Volume("msr_stg_0", 0.85),
    "ts0": Volume("msr_ts_0", 0.82),
}
"""Write-intensive traces."""
READING: Mapping[str, Volume] = {
    "fin2": Volume("financial2", 0.18),
    "hm1": Volume("msr_hm_1", 0.05),
    "mds1": Volume("msr_mds_1", 0.07),
    "proj3": Volume("msr_proj_3", 0.05),
    "src21": Volume("msr_src2_1", 0.02),
    "web2": Volume("msr_web_2", 0.01),
}
"""Read-intensive traces."""
BALANCED: Mapping[str, Volume] = {
    "hm0": Volume("msr_hm_0", 0.64),
    "rsrch2": Volume("msr_rsrch_2", 0.34),
    "stg1": Volume("msr_stg_1", 0.36),
    "usr0": Volume("msr_usr_0", 0.60),
    "web0": Volume("msr_web_0", 0.70),
}
"""The others."""
VOLUMES: Mapping[str, Volume] = {**WRITING, **READING, **BALANCED}
"""All twenty."""


def name_of(volume: str) -> str:
    """As tables and charts show a load."""
    return f"{volume} surrogate"


def names(volumes: Iterable[str]) -> Sequence[str]:
    """The loads of some traces."""
    return [name_of(volume) for volume in volumes]


def load(volume: str, compress: float, requests: int = REQUESTS, name: str = "") -> Load:
    """Requests drawn from what is published on a trace, `compress` times as fast."""
    found = VOLUMES[volume]
    keys = {
        "kind": "profile",
        "profile": found.profile,
        "burst_bias": found.burst_bias,
        "compress_time": compress,
        "requests": requests,
    }
    return Load(name or name_of(volume), keys, {"requests": QUICK})


def busy(volumes: Iterable[str], requests: int = REQUESTS) -> Sequence[Load]:
    """Traces at the speed of the experiments on response times."""
    return [load(volume, speed_of(volume), requests) for volume in volumes]


def recorded(volumes: Iterable[str], requests: int = REQUESTS) -> Sequence[Load]:
    """Traces at the rates at which they were recorded."""
    return [load(volume, 1.0, requests) for volume in volumes]


def faster(volume: str, speed: float) -> str:
    """As charts show a load at another speed than that of most figures."""
    return f"{name_of(volume)}, ×{speed:g}"


DEPTH = 64
"""Requests outstanding in a closed loop."""


def saturating(volumes: Iterable[str]) -> Sequence[Load]:
    """A closed loop: a request is sent when one is done."""
    return [
        Load(
            name_of(volume),
            {
                "kind": "profile",
                "profile": VOLUMES[volume].profile,
                "queue_depth": DEPTH,
                "requests": SHORT,
            },
            {"requests": QUICK},
        )
        for volume in volumes
    ]


FOUR = ("hm0", "prn0", "usr0", "proj3")
"""Traces for figures that vary the drive."""
THREE = ("hm0", "prn0", "proj3")
"""Fewer of them, for figures of many drives."""
FOLD: Mapping[str, object] = {"fold": "modulo"}
EXCERPTS: Sequence[Load] = (
    Load(
        "hm0 excerpt", {**FOLD, "take": 10_000}, {"take": 500}, "msr/hm_0-cut-rw20-80.replayer.gz"
    ),
    Load("fin1 excerpt", {**FOLD, "take": 10_000}, {"take": 500}, "spc/financial1-first10k.spc.gz"),
)
"""The excerpts of traces of the source that are at hand."""
