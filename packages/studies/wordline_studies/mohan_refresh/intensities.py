"""Section 4: how far disk traces can be accelerated."""

from __future__ import annotations

from wordline.config import Drive
from wordline.intensity import CAP
from wordline.report.section import Figure, Row
from wordline.studies.kept import kept_acceleration
from wordline.studies.study import Part
from wordline.studies.verdict import Claim, Verdict
from wordline_studies.mohan_refresh.common import lines, load_of, of

REQUESTS = 12_000


def acceleration(quick: bool) -> Part:
    """Response times against intensity."""
    rows: list[Row] = []
    factors, cases = {}, []
    for name, server in of(quick).items():
        drive = Drive(
            "mohan-m-ssd", **{"geometry.blocks_per_plane": 64, "ftl.refresh.policy": "none"}
        )
        load = load_of(server, requests=1_500 if quick else REQUESTS)
        found = kept_acceleration(drive, load, cap=4 if quick else CAP)
        rows += [
            {"load": name, "intensity": row["intensity"], "NRT": row["relative_response_time"]}
            for row in found.curve.to_dicts()
        ]
        factors[name] = f"{name} {found.factor} times{' or more' if found.is_capped else ''}"
        cases.append(found.factor >= (server.acceleration if not quick else 1))
    return Part(
        "Acceleration of disk traces",
        "The 80th percentile of response times over that at intensity 1, on the preconditioned drive with 64 blocks in a plane instead of 1,024. The drive is over-utilised above 3. The source "
        "accelerates DAPPS by 10, Exchange by 4, MSNFS by 7 and MSNCFS by 15.",
        Figure(
            "Response time against intensity",
            lines(rows, ("intensity", "intensity"), ("NRT", "NRT (80th percentile)"), "load"),
            rows,
        ),
        [
            Claim(
                "The loads can be accelerated as far as in the source without over-utilising the drive",
                "table 4.1",
                "; ".join(factors.values()),
                Verdict.of_cases(cases),
                "surrogates are Poisson-like where traces have bursts, so that they can be accelerated further",
            )
        ],
    )
