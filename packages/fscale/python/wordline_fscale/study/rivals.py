"""Many cores in the centre, the hybrid, equal power and area (section 13.4 of the specification)."""

from __future__ import annotations

from wordline.report.section import Figure, Row
from wordline.studies.study import Part
from wordline.studies.verdict import Claim, Verdict
from wordline_fscale.drives import Budget
from wordline_fscale.study.common import (
    CAPACITIES,
    HERE,
    drive,
    iops,
    lines,
    load,
    shown,
)

CAPACITY = ("TB", "capacity (TB)")
LARGE = (*CAPACITIES, 256, 512, 1024)
SHARING: dict[str, dict[str, object]] = {
    "nothing shared": {},
    "serial 3 %": {"processor.serial": 0.03},
    "serial 10 %": {"processor.serial": 0.1},
    "serial 3 %, coherence 0.1 %": {"processor.serial": 0.03, "processor.coherence": 0.001},
    "cores with channels of their own": {"processor.shard": "channel", "processor.serial": 0.1},
}
"""What many cores share (assumed)."""


def sharing(quick: bool) -> Part:
    """What cores share."""
    del quick
    found = {
        (name, tb): drive("fscale", tb, **load(1.0, 256), **keys).cores_to_match()
        for name, keys in SHARING.items()
        for tb in LARGE
    }
    rows: list[Row] = [
        {
            "TB": tb,
            "cores share": name,
            "central cores": even["cores"],
            "conventional limited by": even["limited_by"] or "queue depth",
        }
        for (name, tb), even in found.items()
    ]

    def cores(name: str) -> list[int | None]:
        return [found[name, tb]["cores"] for tb in LARGE]

    none, some = cores("nothing shared"), cores("serial 10 %")
    claims = [
        Claim(
            "A tenth of serial work takes more central cores to match FScale, or no number of them does",
            HERE,
            f"128 TB: {none[4]} cores; with 3 % {cores('serial 3 %')[4]}, with 10 % {some[4]}",
            Verdict.of_cases(
                [None if a is None else b is None or b > a for a, b in zip(none, some, strict=True)]
            ),
        ),
        Claim(
            "Cores that each have channels of their own match FScale although a tenth of their work would be serial",
            HERE,
            f"128 TB: {found['cores with channels of their own', 128]['cores']} cores",
            Verdict.of_cases(
                [
                    None
                    if found["nothing shared", tb]["cores"] is None
                    else found["cores with channels of their own", tb]["cores"] is not None
                    for tb in LARGE
                ]
            ),
        ),
    ]
    return Part(
        "What central cores share",
        "Only writes, 256 outstanding: the least number of central cores with which a conventional drive is as fast as FScale with two. Speed-up of n cores is n / (1 + σ(n−1) + κn(n−1)) with serial share σ and coherence term κ.",
        Figure(
            "Shared state decides how many cores are enough",
            lines(
                [row for row in rows if row["central cores"] is not None],
                CAPACITY,
                ("central cores", "central cores to match FScale"),
                "cores share",
            ),
            rows,
        ),
        claims,
    )


def hybrid(quick: bool) -> Part:
    """Moves inside the package, mapping in the centre."""
    found = {
        (design, cores, tb): iops(
            drive(design, tb, **load(1.0, 1024), **{"processor.cores": cores}), quick
        )
        for design in ("conventional", "hybrid", "fscale")
        for cores in (2, 64)
        for tb in CAPACITIES
    }
    rows: list[Row] = [
        {
            "TB": tb,
            "design": f"{design}, {cores} cores",
            "requests per second": value,
            "of conventional": value / found["conventional", cores, tb],
        }
        for (design, cores, tb), value in found.items()
    ]
    gain = {key: value / found["conventional", key[1], key[2]] for key, value in found.items()}
    large = CAPACITIES[2:]
    claims = [
        Claim(
            "With two central cores moves inside the package gain nothing: the processor is the limit",
            HERE,
            f"{shown([gain['hybrid', 2, tb] for tb in CAPACITIES])} times",
            Verdict.of_cases([abs(gain["hybrid", 2, tb] - 1) < 0.02 for tb in CAPACITIES]),
        ),
        Claim(
            "With many central cores moves inside the package alone gain much",
            HERE,
            f"64 cores: {shown([gain['hybrid', 64, tb] for tb in CAPACITIES])} times",
            Verdict.of_cases([gain["hybrid", 64, tb] > 1.1 for tb in large]),
            "the direction of work on decoupled SSDs (ISCA 2023); judged from 32 TB; below the dies are the limit, and a moved page that stays on its die makes them less even",
        ),
        Claim(
            "With many central cores the hybrid is as fast as FScale with two, or faster",
            HERE,
            f"{shown([found['hybrid', 64, tb] / found['fscale', 2, tb] for tb in CAPACITIES])} times FScale",
            Verdict.of_cases(
                [found["hybrid", 64, tb] > 0.99 * found["fscale", 2, tb] for tb in CAPACITIES]
            ),
        ),
    ]
    return Part(
        "The hybrid",
        "Only writes, 1,024 outstanding. In the hybrid the controller does all of the FTL's work, and a package with a bus and a codec moves pages inside itself.",
        Figure(
            "Moves inside the package help once cores are many",
            lines(rows, CAPACITY, ("requests per second", "requests per second"), "design"),
            rows,
        ),
        claims,
    )


def budgets(quick: bool) -> Part:
    """The same power and the same area."""
    del quick
    kinds: tuple[Budget, ...] = ("power", "area")
    loads = {
        "reads": (0.0, 0.0),
        "50 % writes": (0.5, 0.0),
        "writes": (1.0, 0.0),
        "writes, 3 % of the work serial": (1.0, 0.03),
    }
    sizes = (8, 32, 128, 1024)
    found = {
        (budget, name, tb): drive(
            "fscale", tb, **load(writes, 256), **{"processor.serial": serial}
        ).same_budget(budget, 4096)
        for budget in kinds
        for name, (writes, serial) in loads.items()
        for tb in sizes
    }
    wins = {
        key: same["fscale"]["iops_bound"] / same["rival"]["iops_bound"]
        for key, same in found.items()
    }
    rows: list[Row] = [
        {
            "TB": tb,
            "load": f"{name}, same {budget}",
            "available (W or mm²)": same["available"],
            "central cores of FScale": same["fscale"]["cores"],
            "cores of each package": same["fscale"]["local_cores"],
            "central cores of conventional": same["rival"]["cores"],
            "FScale, of conventional": wins[budget, name, tb],
            "FScale limited by": same["fscale"]["limited_by"] or "queue depth",
            "conventional limited by": same["rival"]["limited_by"] or "queue depth",
        }
        for (budget, name, tb), same in found.items()
    ]

    def wins_of(budget: Budget, name: str) -> list[float]:
        return [wins[budget, name, tb] for tb in sizes]

    shared = "writes, 3 % of the work serial"
    free = [same for key, same in found.items() if key[1] != shared]
    claims = [
        Claim(
            "If cores share nothing, a conventional drive with as much power or area has so many that its processor is not what limits it",
            HERE,
            f"{sum(same['rival']['limited_by'] != 'processor' for same in free)} of {len(free)} cases",
            Verdict.of_cases([same["rival"]["limited_by"] != "processor" for same in free]),
        ),
        *(
            Claim(
                f"With writes only FScale is as fast as a conventional drive with the same {budget} whose cores share nothing, or faster",
                HERE,
                f"8, 32, 128, 1024 TB: {shown(wins_of(budget, 'writes'))} times",
                Verdict.of_cases([value > 0.99 for value in wins_of(budget, "writes")]),
            )
            for budget in kinds
        ),
        Claim(
            "It is faster where 3 % of the work of central cores is serial",
            HERE,
            f"same power {shown(wins_of('power', shared))}, same area {shown(wins_of('area', shared))} times",
            Verdict.of_cases([wins[budget, shared, tb] > 1 for budget in kinds for tb in sizes]),
        ),
    ]
    return Part(
        "The same power, the same area",
        "256 outstanding, bounds from closed forms. What FScale with two central cores takes is what both may take; each has the cores, in the centre and in its packages, with which it is fastest. Power is that of all but dies and the controller's memory, each design at its own throughput; area is that of cores, and of what packages have beside their dies. Energies and areas are assumed.",
        Figure(
            "What the power of local controllers buys in central cores",
            lines(
                rows,
                CAPACITY,
                ("FScale, of conventional", "FScale, of conventional with the same"),
                "load",
            ),
            rows,
        ),
        claims,
    )
