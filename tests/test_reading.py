"""How a trace is read, as the commands that look at traces are told: `--set` and `options=`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import wordline as wl
from shared import wordline

ROWS = "id;when;what;lba;pages\n" + "".join(
    f"{row};{row * 0.25};{('put', 'get')[row % 2]};{row * 24 % 512};{1 + row % 3}\n"
    for row in range(60)
)
KEYS = {
    "workload.time_unit": "ms",
    "workload.csv.time": "when",
    "workload.csv.op": 3,
    "workload.csv.offset": "lba",
    "workload.csv.size": "pages",
    "workload.csv.offset_unit": "512 B",
    "workload.csv.size_unit": "4 KiB",
    "workload.csv.separator": ";",
    "workload.csv.read": ["get"],
    "workload.csv.write": ["put"],
}
SETS = tuple(part for key, value in KEYS.items() for part in ("--set", f"{key}={value}"))
EVENTS = """\
8,0 1 1 0.000000000 10 Q W 8 + 8 [a]
8,0 1 2 0.000100000 10 D W 8 + 8 [a]
8,0 1 3 0.000200000 10 Q R 64 + 16 [a]
"""


@pytest.fixture
def mapped(tmp_path: Path) -> Path:
    path = tmp_path / "mapped.txt"
    path.write_text(ROWS)
    return path


def test_every_command_reads_columns_by_name(mapped: Path, tmp_path: Path) -> None:
    named = ("--format", "csv", *SETS)
    done = wordline("trace-stats", mapped, *named, "--json")
    assert done.returncode == 0, done.stderr
    stats = json.loads(done.stdout)
    assert (stats["format"], stats["requests"], stats["reads"]) == ("csv", 60, 30)
    assert stats["mean_interarrival_ms"] == pytest.approx(0.25)
    assert stats.pop("notes") == []
    figures = wl.trace_stats(mapped, format="csv", options=KEYS)
    assert figures.pop("notes") == ""
    assert stats == figures

    binary = tmp_path / "mapped.wlt"
    done = wordline("convert", *named, mapped, binary)
    assert done.returncode == 0, done.stderr
    assert "60 requests" in done.stdout
    of_binary = wl.trace_stats(binary)
    for key in ("format", "time_unit"):
        del stats[key], of_binary[key]
    del of_binary["notes"]
    assert of_binary == stats

    done = wordline("fit", mapped, *named, "--json")
    assert done.returncode == 0, done.stderr
    fit = json.loads(done.stdout)
    assert fit["trace"]["requests"] == 60
    assert fit.pop("notes") == []
    assert fit == wl.fit(mapped, format="csv", options=KEYS).as_dict()


def test_a_run_is_told_in_the_same_words(mapped: Path, tmp_path: Path) -> None:
    nested = {"workload": {"csv": {key[13:]: value for key, value in KEYS.items() if "csv" in key}}}
    binary = tmp_path / "mapped.wlt"
    done = wl.convert(mapped, binary, format="csv", time_unit="ms", options=nested)
    assert done == wl.Converted(60, ())
    keys = {key.removeprefix("workload."): value for key, value in KEYS.items()}
    of_text = wl.simulate("tiny", wl.Workload.trace(mapped, format="csv", **keys))
    of_binary = wl.simulate("tiny", wl.Workload.trace(binary))
    assert of_text.requests.height == 60
    assert of_text.requests.equals(of_binary.requests)


def test_the_action_can_be_chosen(tmp_path: Path) -> None:
    path = tmp_path / "events.txt"
    path.write_text(EVENTS)
    assert wl.trace_stats(path)["requests"] == 1
    assert wl.trace_stats(path, options={"workload.action": "Q"})["requests"] == 2
    done = wordline("convert", "--set", "workload.action=Q", path, tmp_path / "events.wlt")
    assert "2 requests" in done.stdout, done.stderr


@pytest.mark.parametrize("command", ["trace-stats", "convert", "fit"])
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--set", "workload.fold=modulo"], ["workload.fold", "workload.csv.time"]),
        (["--set", "ftl.gc.victim=fifo"], ["ftl.gc.victim", "workload.format"]),
        (
            ["--set", "workload.csv.tiem=1"],
            ["workload.csv.tiem", "did you mean `workload.csv.time`"],
        ),
        (["--set", "workload.csv.time=1"], ["workload.csv.time", 'workload.format = "csv"']),
        (["--set", "workload.action=X"], ["workload.action", "`D`"]),
        (["--set", "workload.time_unit=h"], ["workload.time_unit", "100ns"]),
        (["--set", "workload.format"], ["--set workload.format", "KEY=VALUE"]),
        (["--format", "cvs"], ["workload.format", "csv"]),
        (["--format", "csv"], ["workload.csv.op", "a column"]),
        (["--format", "csv", *SETS, "--set", "workload.csv.op=rw"], ["workload.csv.op", "rw"]),
    ],
)
def test_what_is_refused_is_named(
    command: str, options: list[str], words: list[str], mapped: Path, tmp_path: Path
) -> None:
    output = [tmp_path / "out.wlt"] if command == "convert" else []
    done = wordline(command, *options, mapped, *output)
    assert done.returncode == 2, done.stdout
    for word in words:
        assert word in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == [mapped]


def test_python_refuses_the_same() -> None:
    for read in (wl.trace_stats, wl.fit):
        with pytest.raises(wl.ConfigError, match=r"workload\.fold"):
            read("nowhere", options={"workload.fold": "modulo"})
    with pytest.raises(wl.ConfigError, match="UTF-8"):
        wl.convert("nowhere", "out.wlt", options={"workload.csv.op": "\udcff"})
    with pytest.raises(wl.TraceError, match="nowhere"):
        wl.convert("nowhere", "out.wlt", format="csv", options=KEYS)
