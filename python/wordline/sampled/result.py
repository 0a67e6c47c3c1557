"""What a sampled run gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from wordline import _wordline
from wordline.notes import Note
from wordline.sampled.intervals import Floats, SampledFigure, inverse, percentile, ratio, sums
from wordline.sampled.judgement import Finding, judge
from wordline.sampled.options import Sampling

CLASSES = {"read": 0, "write": 1}
"""Classes of requests that have figures of their own, by their numbers."""
PERCENTILES = {"p50_us": 0.5, "p99_us": 0.99, "p999_us": 0.999}
"""Percentiles of response times, by the ends of their keys."""
SECTOR_BYTES = 512
CANNOT = "sample_cannot"
"""Key of the notes that say why a load cannot be sampled."""
FAST = "sample_fast"
"""Key of the note that collection took no time between windows."""
WIDE = "sample_too_few"
"""Key of the note that says that the wanted error was not reached."""


@dataclass(frozen=True, eq=False, repr=False)
class SampledResult:
    """The figures of a sampled run with their intervals, and whether its load can be sampled."""

    config: str
    """The complete configuration, as TOML."""
    sampling: Sampling
    """How it was sampled: in the last pass, where there were two."""
    passes: int
    """Passes over the workload: 2 where the first had too few windows for the wanted error."""
    columns: _wordline.Columns
    """Requests that were measured, in the order of windows: `window`, `class`, `sectors`, `response_ns`; of each window `first` and `span_ns`; of
    each period `host_pages` and `pages_programmed`."""
    requests: int
    """Requests of the workload."""
    functional_s: float
    """Seconds that the parts without a clock took, reading and drawing requests excluded."""
    timed_s: float
    """Seconds that the windows took."""
    block_times_s: tuple[float, float]
    """Seconds that a die takes to move all pages of a block, and to erase it."""
    told: tuple[Note, ...]
    """What ageing and the workload had to say."""
    warnings: tuple[str, ...]
    """Warnings about unusual values in the configuration."""

    @property
    def windows(self) -> int:
        """Windows that were measured."""
        return len(self.columns["first"])

    @cached_property
    def full(self) -> float:
        """As how many windows that do not depend on each other the run is as long; as many as were measured at least."""
        apart = max(self.sampling.length, self.collection_requests)
        return max(self.requests / apart, float(self.windows))

    @property
    def collection_requests(self) -> float:
        """Requests in the time in which a block is emptied: how many dies are being collected, on which response times depend, changes no faster.

        Of the pages of a block as many are moved as of all pages that were programmed (victims of collection have the same share of valid pages).
        """
        by_host = float(self.columns["host_pages"].sum())
        programmed = float(self.columns["pages_programmed"].sum())
        span_s = float(self.columns["span_ns"].sum()) / 1e9
        if by_host <= 0 or programmed <= by_host or span_s <= 0:
            return 0.0
        moving, erase = self.block_times_s
        seconds = moving * (1 - by_host / programmed) + erase
        return seconds * self.windows * self.sampling.requests / span_s

    @cached_property
    def responses_us(self) -> Floats:
        """Response time of each request that was measured, in microseconds."""
        response: Floats = self.columns["response_ns"] / 1e3
        return response

    @cached_property
    def figures(self) -> Mapping[str, SampledFigure]:
        """Estimates of figures of the full run by the keys of its summary. A percentile beyond which fewer than 100 requests were measured has none.
        A load that cannot be sampled has no intervals.
        """
        confidence, full = self.sampling.confidence, self.full
        window, span = self.columns["window"], self.columns["span_ns"] / 1e9
        found: dict[str, SampledFigure | None] = {}
        requests = np.full(self.windows, float(self.sampling.requests))
        found["host.iops"] = inverse(ratio(span, requests, confidence, full))
        for name, of in {**{name: [number] for name, number in CLASSES.items()}, "all": []}.items():
            chosen = np.isin(self.columns["class"], of) if of else np.ones(len(window), bool)
            sectors = sums(window[chosen], self.columns["sectors"][chosen], self.windows)
            if of:
                megabytes = sectors * SECTOR_BYTES / 1e6
                found[f"host.{name}.bandwidth_mb_s"] = ratio(megabytes, span, confidence, full)
            latency = f"host.{name}.latency"
            found[f"{latency}.mean_us"] = self.mean(chosen)
            for key, share in PERCENTILES.items():
                found[f"{latency}.{key}"] = percentile(
                    self.responses_us[chosen], window[chosen], self.windows, share, confidence, full
                )
        found["ftl.write_amplification"] = ratio(
            self.columns["pages_programmed"].astype(np.float64),
            self.columns["host_pages"].astype(np.float64),
            confidence,
        )
        # where windows do not stand for the run, how they differ says nothing of its figures
        return {
            key: estimate if self.can_be_sampled else SampledFigure(estimate.value, None, None)
            for key, estimate in found.items()
            if estimate
        }

    def mean(self, chosen: np.ndarray[Any, np.dtype[np.bool_]]) -> SampledFigure | None:
        """Mean response time of some of the requests, in microseconds."""
        window = self.columns["window"][chosen]
        total = sums(window, self.responses_us[chosen], self.windows)
        count = sums(window, np.ones(len(window)), self.windows)
        return ratio(total, count, self.sampling.confidence, self.full)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Why the load cannot be sampled; nothing, where it can."""
        size = self.sampling.requests
        half = size // 2
        by_window = self.responses_us.reshape(self.windows, size)
        return judge(by_window[:, :half].mean(axis=1), by_window[:, -half:].mean(axis=1))

    @property
    def can_be_sampled(self) -> bool:
        """Whether windows stand for the whole run."""
        return not self.findings

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """What to know before trusting the figures, the gravest first."""
        found = [
            Note(
                "warning",
                CANNOT,
                f"this load cannot be sampled: {finding.text}; simulate it in full",
            )
            for finding in self.findings
        ]
        if not self.sampling.paced:
            text = (
                "collection was over at once between windows, so that none was under way when a window began: response times are too short where "
                "drives are collected for much of the time; compare a part of the run that is sampled with paced collection"
            )
            found.append(Note("warning", FAST, text))
        wanted, mean = self.sampling.error, self.figures.get("host.all.latency.mean_us")
        reached = mean.relative_error if mean else None
        if wanted is not None and (reached is None or reached > wanted):
            shown = "unknown" if reached is None else f"{reached:.2%}"
            text = f"the wanted error of {wanted:.2%} of the mean response time was not reached: it is {shown}"
            found.append(Note("warning", WIDE, text))
        return (*found, *self.told)

    def answer(self) -> dict[str, Any]:
        """Everything but the single requests as JSON."""
        return {
            "sampled": True,
            "can_be_sampled": self.can_be_sampled,
            "reasons": [finding.key for finding in self.findings],
            "requests": self.requests,
            "windows": self.windows,
            "passes": self.passes,
            "sampling": asdict(self.sampling),
            "figures": {key: asdict(estimate) for key, estimate in self.figures.items()},
            "functional_s": self.functional_s,
            "timed_s": self.timed_s,
        }

    @cached_property
    def window_rows(self) -> list[dict[str, object]]:
        """The windows, a row for each."""
        size = self.sampling.requests
        by_window = self.responses_us.reshape(self.windows, size)
        return [
            {
                "window": number,
                "first_request": int(first),
                "mean_us": float(responses.mean()),
                "p99_us": float(np.quantile(responses, 0.99)),
                "max_us": float(responses.max()),
                "iops": size / (float(span) / 1e9) if span else None,
            }
            for number, (first, span, responses) in enumerate(
                zip(self.columns["first"], self.columns["span_ns"], by_window, strict=True)
            )
        ]

    def __repr__(self) -> str:
        return f"<SampledResult of {self.windows:,} windows in {self.requests:,} requests>"
