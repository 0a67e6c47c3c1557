"""Reads whose mapping units lie in different pages: they cost more page reads than their bytes need, and a sentence says so."""

from __future__ import annotations

from typing import Any

import pytest

import wordline as wl
from wordline.explaining import lead
from wordline.report import render
from wordline.scattered import fewest, of_scatter

UNITS = {"ftl.mapping_unit": "1 KiB", "age.method": "overwritten"}
"""Four mapping units in each page of 4 KiB."""
IN_ORDER = {**UNITS, "age.random_factor": 0.0}
SAID = "A host read of "


def reads(keys: dict[str, Any], **load: Any) -> wl.Result:
    asked = {"kind": "random", "read_fraction": 1.0, "request_size": "4 KiB", "requests": 2_000}
    drive = wl.Drive.from_toml("tiny", **({"geometry.page_size": "4 KiB"} | keys))
    return wl.simulate(drive, asked | load, progress=False)


@pytest.fixture(scope="module")
def apart() -> wl.Result:
    """Reads of whole pages of a drive that was overwritten at random, unit by unit."""
    return reads(UNITS)


def test_scattered_units_are_said(apart: wl.Result) -> None:
    mean = apart.number("ftl.pages_read.host") / 2_000
    assert 3.5 < mean <= 4.0
    (said,) = of_scatter(apart)
    assert said == (
        f"A host read of 4 KiB costs {mean:.3g} page reads on average, where 1 would do: preconditioning or random writes "
        "scattered its mapping units of 1 KiB over pages of 4 KiB."
    )
    assert said in lead(apart)
    assert SAID in render(apart)


@pytest.mark.parametrize(
    ("keys", "load"),
    [
        (IN_ORDER, {}),  # one page holds what is read
        (UNITS, {"request_size": "1 KiB"}),  # and here one unit
        ({"age.method": "overwritten"}, {"request_size": "16 KiB"}),  # the page is the unit
        (UNITS, {"read_fraction": 0.0}),
        ({**UNITS, "output.request_log": 0}, {}),  # nobody knows how large the reads were
    ],
)
def test_elsewhere_nothing_is_said(keys: dict[str, Any], load: dict[str, Any]) -> None:
    assert not list(of_scatter(reads(keys, **load)))


def test_slow_firmware_is_another_reason() -> None:
    """Of lone reads every unit comes to its die when the one before is being read."""
    slow = {**IN_ORDER, "firmware.enabled": True, "firmware.clock": "100 MHz"}
    (said,) = of_scatter(reads(slow, queue_depth=1))
    assert said.endswith(", or the firmware took too long for each unit to read them together.")


def test_reads_before_partial_writes_are_no_reads_of_requests() -> None:
    """Writes of half a unit read the other half: page reads for the host that no read needs."""
    result = reads(IN_ORDER, read_fraction=0.2, request_size="1536 B", align="512 B")
    assert result.number("ftl.pages_read.host") > 4 * result.number("host.read.count")
    assert not list(of_scatter(result))


def test_fewest_pages_are_those_of_each_request() -> None:
    result = reads(UNITS)
    assert fewest(result.requests, 4_096) == 1.0
    assert fewest(result.requests, 3_072) == 2.0
    assert fewest(result.requests, 1_024) == 4.0
    assert fewest(result.requests.clear(), 4_096) is None
