"""Codes: the Python API, the command line, and real decoders that the formulas must agree with."""

from __future__ import annotations

import json
import math
from pathlib import Path

import bchlib
import numpy as np
import polars as pl
import pytest
from ldpc.bp_decoder import BpDecoder
from numpy.typing import NDArray

import wordline as wl
from shared import refused, wordline
from wordline.ecc import information, ln_page_failure, published_codes, segmented_read_us

STANDARD_ERRORS = 4.0
"""A Monte Carlo that is right strays further once in sixteen thousand."""


def test_arrays_keep_their_shape() -> None:
    code = wl.Bch(4316, 4100, 16)
    rates = np.array([[1e-4, 1e-3], [0.0, 1.0]])
    logs = code.ln_failure(rates)
    assert logs.shape == rates.shape
    assert np.exp(logs[0]) == pytest.approx([1.136021744707e-21, 3.021277425174e-06], rel=1e-8)
    assert logs[1].tolist() == [-math.inf, 0.0]
    assert code.p_max(1e-15) == pytest.approx(2.307928980e-4, rel=1e-9)
    assert float(code.ln_failure(0.001, correlation=1e-4)) == pytest.approx(
        math.log(2.165448849e-4), rel=1e-8
    )
    assert float(ln_page_failure(math.log(0.1), 2)) == pytest.approx(math.log(0.19))
    assert (code.degree, code.parity, code.decode_us) == (13, 208, 5.78)
    assert published_codes()[8] == code == wl.Bch(4316, 4100)
    assert repr(code) == "Bch(4316, 4100, 16)"
    assert code in {code}


def test_published_reads() -> None:
    us = {"sense_us": 25, "transfer_us": 5.12, "decode_us": 5.78}
    assert [segmented_read_us(q, **us) for q in (1, 8)] == pytest.approx([35.90, 76.36])


def test_the_code_that_an_error_rate_asks_for() -> None:
    found = wl.find_codes(2.3e-4, page_size=4096, metadata=4)
    assert [page.codewords for page in found] == [1, 2, 4, 8]
    last = found[-1]
    assert last.code is not None
    assert (last.code.k, last.code.t, last.parity_bytes) == (4100, 16, 208)
    assert last.p_max is not None
    assert last.p_max > 2.3e-4
    assert last.page_us == pytest.approx(25 + 5.12 + 8 * last.code.decode_us)
    # shorter codewords need more parity in all
    parity = [page.parity_bytes for page in found]
    assert parity == sorted(parity, key=lambda each: each or 0)
    by_page = wl.find_codes(2.3e-4, metadata=4, per="page")[-1]
    assert by_page.code is not None
    assert by_page.code.t > last.code.t
    assert by_page.ln_page_failure is not None
    assert by_page.ln_page_failure <= math.log(1e-15)
    assert wl.find_codes(0.3, codewords=[1]) == [wl.PageCode(1, None, 0.3)]


def test_soft_sensing() -> None:
    ldpc = wl.Ldpc()
    reads = ldpc.read([[0.001, 0.0095], [0.0112, 0.02]])
    assert reads["last_level"].tolist() == [[1, 3], [7, 7]]
    assert reads["corrected"].tolist() == [[True, True], [True, False]]
    assert reads["us"][0] == pytest.approx([14.524, 85.476], abs=5e-4)
    needed = wl.Ldpc(start="needed", decode="2 us", sense_max="45 us").read(0.0095)
    assert needed["us"] == pytest.approx(45 * 3 / 7 + 5 * 2 / 3 + 2)
    incremental = wl.Ldpc(retry="incremental", start=2)
    assert incremental.read(0.0095)["us"] == pytest.approx(45.238, abs=5e-4)
    own = wl.Ldpc(thresholds=[0.001, 0.002, 0.003, 0.004, 0.005, 0.006, 0.007])
    assert own.read(0.0035)["last_level"] == 4
    assert wl.Ldpc(thresholds="mutual_information").thresholds[1] == pytest.approx(
        0.007226, rel=0.01
    )


@pytest.mark.parametrize(
    "make",
    [
        lambda: wl.Bch(15, 6, 3),
        lambda: wl.Bch(15, 5, 3).ln_failure(1.5),
        lambda: wl.Bch(15, 5, 3).ln_failure(0.5, correlation=1.0),
        lambda: wl.Bch(15, 5, 3).p_max(0.0),
        lambda: wl.find_codes(0.1, codewords=[3]),
        lambda: wl.find_codes(1.1),
        lambda: wl.find_codes(0.1, page_size=1 << 40),
        lambda: wl.Ldpc(start=8),
        lambda: wl.Ldpc(starts=1),
        lambda: wl.Ldpc(sense_max=90),
        lambda: wl.Ldpc(thresholds=[0.1] * 7),
        lambda: wl.Ldpc().read([0.1, -0.1]),
        lambda: information(0, 0.01),
        lambda: information(1, 0.5),
        lambda: segmented_read_us(1, sense_us=-1, transfer_us=1, decode_us=1),
        lambda: segmented_read_us(0, sense_us=1, transfer_us=1, decode_us=1),
        lambda: segmented_read_us(1, sense_us=1, transfer_us=math.inf, decode_us=1),
        lambda: ln_page_failure(1.0, 4),
        lambda: ln_page_failure([-1.0, math.nan], 4),
        lambda: ln_page_failure(-1.0, 0),
        lambda: wl.Bch(-1, 3),
        lambda: wl.Bch(15.5, 5),  # type: ignore[arg-type]
        lambda: wl.find_codes(0.001, per="pages"),  # type: ignore[arg-type]
        lambda: wl.find_codes(0.001, metadata=-1),
        lambda: wl.find_codes(0.001, codewords=[0]),
        lambda: wl.find_codes(0.001, sense_us=-1.0),
        lambda: wl.Ldpc().attempt_us(0),
        lambda: wl.Ldpc().attempt_us(8),
        lambda: wl.Ldpc(decode=object()),
    ],
)
def test_bad_input_is_refused(make: object) -> None:
    assert callable(make)
    with pytest.raises(wl.ConfigError):
        make()


# a real BCH decoder


@pytest.mark.parametrize(("degree", "most"), [(5, 3), (6, 7), (8, 20), (10, 30), (13, 40)])
def test_parity_is_that_of_the_generator_polynomial(degree: int, most: int) -> None:
    n = (1 << degree) - 1
    for t in range(1, most + 1):
        real = bchlib.BCH(t, m=degree).ecc_bits
        assert wl.Bch(n, n - real, t).parity == real
        if real > 1:
            with pytest.raises(wl.ConfigError, match="parity"):
                wl.Bch(n, n - real + 1, t)


@pytest.mark.parametrize(
    ("degree", "t", "data_bytes", "rate"), [(8, 5, 24, 0.012), (6, 3, 5, 0.03), (9, 8, 50, 0.01)]
)
def test_a_real_decoder_fails_as_often(degree: int, t: int, data_bytes: int, rate: float) -> None:
    """Random errors in a shortened code: what the decoder gives back is the data, or it is not."""
    decoder = bchlib.BCH(t, m=degree)
    parity = decoder.ecc_bits
    code = wl.Bch(8 * data_bytes + parity, 8 * data_bytes, t)
    assert code.degree == degree
    expected = math.exp(code.ln_failure(rate))
    trials = 20_000
    draws = np.random.default_rng(7)
    data = bytearray(draws.bytes(data_bytes))
    check = bytearray(decoder.encode(data))
    failures = 0
    # the parity bits come first in their bytes; the bits behind them are not part of the codeword
    wrong = draws.random((trials, code.n)) < rate
    for flips in wrong:
        noise = np.packbits(flips[: 8 * data_bytes])
        noise_of_check = np.packbits(flips[8 * data_bytes :])
        read = bytearray(np.frombuffer(data, np.uint8) ^ noise)
        read_check = bytearray(np.frombuffer(check, np.uint8) ^ noise_of_check)
        found = decoder.decode(read, read_check)
        if found >= 0:
            decoder.correct(read, read_check)
        failures += read != data or read_check != check
    error = math.sqrt(expected * (1 - expected) / trials)
    assert abs(failures / trials - expected) < STANDARD_ERRORS * error
    assert failures > 100


# a real LDPC decoder

BITS, CHECKS, WEIGHT = 1024, 128, 3


def regular_matrix(seed: int) -> NDArray[np.uint8]:
    """A random parity-check matrix of rate 7/8 with three checks a bit, no two bits with two checks in common."""
    draws = np.random.default_rng(seed)
    matrix = np.zeros((CHECKS, BITS), np.uint8)
    load = np.zeros(CHECKS)
    met: set[tuple[int, int]] = set()
    for bit in range(BITS):
        for _ in range(1000):
            # the least loaded checks first, ties at random
            order = np.argsort(load + draws.random(CHECKS) * 3)
            checks = sorted(int(check) for check in order[:WEIGHT])
            pairs = {(a, b) for a in checks for b in checks if a < b}
            if not pairs & met:
                break
        met |= pairs
        matrix[checks, bit] = 1
        load[checks] += 1
    return matrix


def deviation(rate: float) -> float:
    """The noise with which a hard decision between -1 and +1 is wrong at a rate."""
    low, high = 0.05, 5.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if tail(1 / middle) < rate else (low, middle)
    return low


def tail(z: float) -> float:
    """Upper tail of the normal distribution."""
    return 0.5 * math.erfc(z / math.sqrt(2))


def likelihoods(references: NDArray[np.float64], sigma: float) -> NDArray[np.float64]:
    """Probabilities of each reading, for -1 and for +1."""
    above = [[tail((edge - sign) / sigma) for edge in references] for sign in (-1.0, 1.0)]
    edges = np.array([[1.0, *row, 0.0] for row in above])
    readings: NDArray[np.float64] = edges[:, :-1] - edges[:, 1:]
    return readings


def told(readings: NDArray[np.float64]) -> float:
    """Mutual information of the bit and its reading."""
    mean = readings.mean(axis=0)
    seen = readings > 0
    ratios = np.divide(readings, mean, out=np.ones_like(readings), where=seen)
    return float(0.5 * np.sum(readings * np.log2(ratios)))


def best_references(level: int, rate: float) -> NDArray[np.float64]:
    """The equally spaced references that tell most."""
    places = np.arange(level) - (level - 1) / 2
    sigma = deviation(rate)
    spacings = np.arange(1, 120) / 100
    best = max(spacings, key=lambda spacing: told(likelihoods(places * spacing, sigma)))
    references: NDArray[np.float64] = places * best
    return references


@pytest.mark.parametrize("level", [1, 2, 3, 5, 7])
@pytest.mark.parametrize("rate", [0.0044, 0.0095])
def test_information_is_that_of_a_sum_over_readings(level: int, rate: float) -> None:
    ours = told(likelihoods(best_references(level, rate), deviation(rate)))
    assert float(information(level, rate)) == pytest.approx(ours, rel=1e-9)


def frame_errors(matrix: NDArray[np.uint8], level: int, rate: float, frames: int) -> float:
    """Share of frames that belief propagation does not read, sensed with the references of a level."""
    sigma = deviation(rate)
    references = best_references(level, rate)
    readings = likelihoods(references, sigma)
    posterior = readings[1] / readings.sum(axis=0)
    draws = np.random.default_rng(level)
    decoder = BpDecoder(
        matrix,
        error_rate=float(rate),
        max_iter=40,
        bp_method="product_sum",
        input_vector_type="syndrome",
    )
    failures = 0
    for _ in range(frames):
        # the word of all zeros is sent as -1: for a linear code and this channel any other is as good
        reading = np.searchsorted(references, draws.normal(-1.0, sigma, BITS))
        probability = posterior[reading]
        wrong = probability > 0.5
        # the decoder looks for the error of the hard decision, given how likely each bit is wrong
        decoder.update_channel_probs(np.minimum(probability, 1 - probability))
        error = decoder.decode((matrix @ wrong % 2).astype(np.uint8))
        failures += bool(np.any(error.astype(bool) != wrong))
    return failures / frames


@pytest.mark.slow
def test_a_real_decoder_reads_more_with_more_references() -> None:
    """Rates at which the references tell as much about a bit are about as hard to read: the model's rule.

    The information is a measure, not a theorem about a code of 1024 bits: at equal information soft readings do a
    little better here than the hard decision, never worse.
    """
    matrix = regular_matrix(3)
    frames = 200
    hard = 0.0105
    share = frame_errors(matrix, 1, hard, frames)
    assert 0.35 < share < 0.6
    error = math.sqrt(share * (1 - share) / frames)
    need = float(information(1, hard))
    for level in (2, 3, 7):
        rates = np.arange(hard, 4 * hard, 1e-5)
        rate = float(rates[information(level, rates) >= need][-1])
        assert rate > 1.5 * hard
        assert 0.1 < frame_errors(matrix, level, rate, frames) < share + STANDARD_ERRORS * error
        # which one reference does not read
        assert frame_errors(matrix, 1, rate, frames // 4) > 0.85


# the command line


def test_the_command_prints_json_and_writes_a_page(tmp_path: Path) -> None:
    done = wordline("ecc", "--rber", "2.3e-4,0.3", "--json", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert [code["p_max"] for code in answer["codes"]][::3] == pytest.approx(
        [1.317393913e-3, 2.307928980e-4], rel=1e-8
    )
    assert answer["levels"][0]["attempt_us"] == pytest.approx(14.524, abs=5e-4)
    likely, hopeless = answer["needed"]
    assert all(page["log10_failure"] <= -15 for page in likely["bch"])
    assert likely["ldpc"]["level"] == 1
    assert all(page["code"] is None for page in hopeless["bch"])
    assert not hopeless["ldpc"]["corrected"]
    assert json.loads((tmp_path / "ecc.json").read_text()) == answer
    curves = pl.read_csv(tmp_path / "failures.csv")
    for _, curve in curves.group_by("n"):
        assert curve.sort("rber")["log10_failure"].is_sorted()
    page = (tmp_path / "report.html").read_text()
    assert "<h2>Codes by raw bit error rate</h2>" in page
    assert "http://" not in page.split("<script>", maxsplit=1)[0]


def test_the_command_prints_tables() -> None:
    table = wordline("ecc", "--code", "9216,8192", "--rber", "0.001,0.3", "--per", "page").stdout
    assert "9,216" in table
    assert "no code" in table
    assert "uncorrectable" in table


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--code", "15,6,3"], ["n - k = 9", "10 parity bits"]),
        (["--code", "15"], ["--code 15", "2 or 3 whole numbers"]),
        (["--rber", "much"], ["--rber much"]),
        (["--rber", "1.5"], ["rber = 1.5", "probability"]),
        (["--target", "0"], ["target = 0"]),
        (["--codewords", "3", "--rber", "0.1"], ["codewords = 3", "32768 bits"]),
        (["--codewords", "a"], ["whole numbers"]),
        (["--thresholds", "best"], ["thresholds"]),
        (["--thresholds", "0.1,0.2"], ["thresholds"]),
        (["--correlation", "1"], ["correlation = 1"]),
    ],
)
def test_bad_options_are_refused(arguments: list[str], words: list[str]) -> None:
    said = refused("ecc", *arguments)
    for word in words:
        assert word in said
