"""Several tenants on one drive, from the command's side."""

from __future__ import annotations

import json
from pathlib import Path

import wordline as wl
from wordline.report import render

TWO = """
[tenants.reader.workload]
read_fraction = 1.0
requests = 400
queue_depth = 4
[tenants.writer.workload]
read_fraction = 0.0
requests = 200
queue_depth = 2
"""


def test_each_tenant_has_results_and_a_place_in_the_report(tmp_path: Path) -> None:
    workload = tmp_path / "two.toml"
    workload.write_text(TWO)
    drive = wl.Drive.from_toml("tiny", **{"host.interface": "nvme"})
    result = wl.simulate(drive, workload)
    summary = result.summary
    assert summary["tenants.reader.read.count"] == 400
    assert summary["tenants.writer.write.count"] == 200
    assert summary["host.requests"] == 600
    assert set(result.requests["queue"]) == {0, 1}
    page = render(result)
    assert "<h2>Tenants</h2>" in page
    assert "2 tenants" in page
    # the record is complete: it gives the same figures again
    again = wl.simulate(wl.Drive.from_text(result.config))
    same = [key for key in summary if not key.startswith("run.")]
    assert json.dumps([summary[key] for key in same]) == json.dumps(
        [again.summary[key] for key in same]
    )
