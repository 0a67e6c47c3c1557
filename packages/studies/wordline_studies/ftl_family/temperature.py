"""F4: hot and cold data, and the classifiers that tell them apart."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from wordline.studies import charts
from wordline.studies.claims import Case, decided, finding, ordering
from wordline.studies.grid import GridFigure, Judge, Metric
from wordline.studies.measured import Measured
from wordline.studies.verdict import Claim
from wordline_studies.ftl_family import sources
from wordline_studies.ftl_family.cleaning import SETTLED, STEADY, WARMED, closed_form
from wordline_studies.ftl_family.drives import AMPLIFICATION, ENTRIES, PAGES_PER_BLOCK, Keys, pages
from wordline_studies.ftl_family.loads import synthetic

SKEWS = {"18-82": (0.18, 0.82), "20-80": (0.2, 0.8), "10-90": (0.1, 0.9)}
"""Share of the pages that is hot, and of the writes that go there."""

HOT = ENTRIES // 8
"""Room of the classifiers: their windows and lists are as large as a drive of this size asks for, in pages."""
CLASSIFIERS: Mapping[str, Keys] = {
    "none": {},
    "freq_table": {"ftl.hot.classifier": "freq_table", "ftl.hot.halving": ENTRIES},
    "two_level_lru": {
        "ftl.hot.classifier": "two_level_lru",
        "ftl.hot.candidates": HOT,
        "ftl.hot.hot_pages": HOT,
    },
    "multi_hash": {
        "ftl.hot.classifier": "multi_hash",
        "ftl.hot.counters": 65_536,
        "ftl.hot.decay": ENTRIES,
    },
    "multi_bloom": {
        "ftl.hot.classifier": "multi_bloom",
        "ftl.hot.filter_bits": 65_536,
        "ftl.hot.filter_window": HOT,
    },
    "gc_separation": {"ftl.hot.classifier": "gc_separation"},
    "dac": {"ftl.hot.classifier": "dac"},
    "wdac": {"ftl.hot.classifier": "wdac", "ftl.hot.decay_window": 4 * HOT},
}
UTILISATION = Metric("utilisation", "ftl.gc.rho_effective", "share", relative=False)


def separated(hot: float, writes: float, utilisation: float) -> float:
    """Write amplification of greedy if hot and cold pages were told apart without error, and the spare space divided in the best
    way between them: the closed form of greedy (Van Houdt 2013, Desnoyers 2012) in each of two pools.
    """
    spare = 1 / utilisation - 1

    def of(share: float, pages: float, part: float) -> float:
        over_provisioning = part * spare / pages
        return share * closed_form("greedy", 1, 1 / (1 + over_provisioning), PAGES_PER_BLOCK)

    parts = np.linspace(0.02, 0.98, 97)
    return min(
        of(writes, hot, part) + of(1 - writes, 1 - hot, 1 - part) for part in map(float, parts)
    )


def within_bounds(text: str, where: str) -> Judge:
    """The claim that each classifier is between no separation and the best."""

    def judge(measured: Measured) -> Claim:
        cases = []
        for load, (hot, writes) in SKEWS.items():
            for name in CLASSIFIERS:
                found = measured.value("write amplification", "", name, load)
                mixed = measured.value("write amplification", "", "none", load)
                beside = measured.value("utilisation", "", "none", load)
                if name == "none" or not (found and mixed and beside):
                    continue
                best = separated(hot, writes, beside.mean)

                def between(value: float, most: float, best: float = best) -> bool:
                    return best <= value <= most

                shown = f"{best:.2f} ≤ {found.mean:.2f} ≤ {mixed.mean:.2f}"
                holds = between(found.mean, mixed.mean)
                cases.append(Case(f"{name}, {load}", holds, shown, decided(between, found, mixed)))
        shown = "; ".join(f"{case.name} {case.shown}" for case in cases)
        return finding(text, where, f"write amplification between its bounds: {shown}", cases)

    return judge


FIGURE = GridFigure(
    heading="Hot and cold data",
    text=(
        "Writes of single pages, of which a part goes to a small hot part of the drive. A classifier sends pages of different temperature to different open "
        "blocks; its tables are sized for this drive."
    ),
    title="Write amplification by classifier",
    variants=[pages(name, STEADY, WARMED, keys) for name, keys in CLASSIFIERS.items()],
    loads=[
        synthetic("uniform", requests=300_000, quick=SETTLED + 5_000),
        *(
            synthetic(
                name,
                kind="hot_cold",
                hot_space=hot,
                hot_requests=writes,
                requests=300_000,
                quick=SETTLED + 5_000,
            )
            for name, (hot, writes) in SKEWS.items()
        ),
    ],
    metrics=[AMPLIFICATION, UTILISATION],
    chart=charts.bars,
    claims=[
        *(
            ordering(
                f"Write amplification with `{name}` is below that with none, under 18-82, 20-80 and 10-90 writes",
                sources.CLASSIFIERS.get(name, sources.OWN),
                metric="write amplification",
                of=name,
                than="none",
                relation="below",
                loads=list(SKEWS),
            )
            for name in CLASSIFIERS
            if name != "none"
        ),
        within_bounds(
            "Every classifier is between none and separation without error, under 18-82, 20-80 and 10-90 writes",
            f"{sources.OWN}: the closed form of greedy in two pools, their spare space divided in the best way",
        ),
    ],
)
