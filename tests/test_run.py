"""`wordline run`: what it prints, what it leaves behind, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

import wordline as wl
from options import BESIDE
from shared import SMALL, reproducible, small_run, wordline
from wordline.cli import COMMANDS, PACKAGES, app, packages
from wordline.columns import TABLES

FILES = {
    *("summary.json", "config.toml", "remarks.json", "report.html"),
    *("requests.parquet", "distribution.parquet", "time_series.parquet", "blocks.parquet"),
    *("attribution.parquet", "slowest.parquet", "slowest_parts.parquet", "in_front.parquet"),
    *("timeline.parquet", "utilisation.parquet", "modes.parquet", "start_levels.parquet"),
    "temperature.parquet",
}
"""The files of a result directory, as the documentation lists them."""
OPTIONAL = {"modes", "start_levels", "temperature"}
"""Tables that are empty unless the drive has what they are of."""


def test_json_is_the_summary_and_nothing_else() -> None:
    done = small_run("--json")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    notes = summary.pop("notes")
    assert {note["key"] for note in notes} >= {"too_short", "age"}
    for note in notes:
        assert f"{note['severity']}: {note['text']}" in done.stderr.splitlines()
    assert summary["host.requests"] == SMALL["workload.requests"]
    assert summary["host.all.count"] == summary["host.read.count"] + summary["host.write.count"]
    assert all(isinstance(value, int | float | str | bool | None) for value in summary.values())


def test_every_summary_key_is_documented(result: wl.Result) -> None:
    documented = {name for name, _, _ in wl._wordline.summary_keys()}
    patterns = [name.split(".") for name in documented]
    for key in result.summary:
        parts = key.split(".")
        assert any(
            len(pattern) == len(parts)
            and all(
                part == wanted or wanted.startswith("<")
                for part, wanted in zip(parts, pattern, strict=True)
            )
            for pattern in patterns
        ), key


def test_text_names_the_classes_and_fits_a_terminal() -> None:
    done = small_run()
    assert done.returncode == 0, done.stderr
    for word in ("read", "write", "p99", "write amplification"):
        assert word in done.stdout
    assert "\x1b" not in done.stdout  # no colours into a pipe
    assert done.stderr == ""  # and no progress bar


def test_a_result_directory_is_complete(saved: Path) -> None:
    assert {path.name for path in saved.iterdir()} == FILES
    assert {f"{name}.parquet" for name in TABLES} == {name for name in FILES if "parquet" in name}
    for name, table in TABLES.items():
        frame = pl.read_parquet(saved / f"{name}.parquet")
        assert set(frame.columns) == set(table.columns), name
        # a drive with one mode has no rows of modes, one that learns no start levels none of these, one without a temperature none of that
        assert (frame.height > 0) == (name not in OPTIONAL), name
    requests = pl.read_parquet(saved / "requests.parquet")
    assert requests.height == SMALL["workload.requests"]
    assert requests.filter(pl.col("completed_ns") < pl.col("arrival_ns")).is_empty()


def test_totals_that_do_not_add_up_end_a_run_as_a_defect(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    simulate = wl._wordline.simulate
    text = "The totals of the run do not add up (requests sent and completed)."

    class Inconsistent:
        """An output whose totals do not add up."""

        def __init__(self, output: wl._wordline.Output) -> None:
            self.output = output
            self.summary = {**output.summary, "check.conservation": False}
            self.notes = [{"severity": "warning", "key": "inconsistent", "text": text}]

        def __getattr__(self, name: str) -> Any:
            return getattr(self.output, name)

    monkeypatch.setattr(
        "wordline._wordline.simulate", lambda *arguments: Inconsistent(simulate(*arguments))
    )
    few = ["--set", "workload.requests=200"]
    for arguments in (few, [*few, "--json"], [*few, "--seeds", "2"]):
        done = CliRunner().invoke(app, ["run", "tiny", *arguments])
        assert done.exit_code == 1, done.output
        assert "do not add up" in done.stdout  # the figures are shown
        assert f"defect: {text}" in done.stderr
    done = CliRunner().invoke(app, ["run", "tiny", *few, "--out", str(tmp_path / "out")])
    assert done.exit_code == 1
    summary = json.loads((tmp_path / "out/summary.json").read_text())
    assert summary["check.conservation"] is False
    # an unchanged run ends well
    monkeypatch.undo()
    assert CliRunner().invoke(app, ["run", "tiny", *few]).exit_code == 0


def test_a_result_runs_again_to_the_byte(saved: Path, tmp_path: Path) -> None:
    done = wordline("run", saved / "config.toml", "--audit", "--out", tmp_path / "again")
    assert done.returncode == 0, done.stderr
    same_bytes(saved, tmp_path / "again")


@pytest.mark.slow
def test_two_processes_and_two_faces_agree_to_the_byte(saved: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        done = small_run("--audit", "--out", tmp_path / name)
        assert done.returncode == 0, done.stderr
    same_bytes(tmp_path / "one", tmp_path / "two")
    same_bytes(saved, tmp_path / "one")


def same_bytes(one: Path, other: Path) -> None:
    """Compare two result directories, less what depends on the machine."""
    for name in FILES - {"summary.json"}:
        assert (one / name).read_bytes() == (other / name).read_bytes(), name
    assert reproducible((one / "summary.json").read_text()) == reproducible(
        (other / "summary.json").read_text()
    )


def test_another_seed_gives_another_run(result: wl.Result) -> None:
    other = wl.simulate(wl.Drive.from_toml("tiny", seed=2, **SMALL))
    assert other.summary["host.all.latency.mean_us"] != result.summary["host.all.latency.mean_us"]


def test_an_override_wins_over_the_workload_file_and_the_drive(tmp_path: Path) -> None:
    workload = tmp_path / "load.toml"
    workload.write_text('kind = "random"\nrequests = 900\nqueue_depth = 1\n')
    done = wordline("run", "tiny", "--workload", workload, "--json")
    assert json.loads(done.stdout)["host.requests"] == 900
    done = wordline(
        "run", "tiny", "--workload", workload, "--set", "workload.requests=800", "--json"
    )
    assert json.loads(done.stdout)["host.requests"] == 800


@pytest.mark.skipif(sys.platform == "win32", reason="sends an interrupt to a process")
def test_an_interrupt_while_the_drive_ages_leaves_nothing(tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-m", "wordline.cli", "run", "tiny", "--out", str(out)]
    with subprocess.Popen(
        [*command, "--set", "age.method=overwritten", "--set", "age.random_factor=1_000"],
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        # the hidden sibling is there as soon as the simulation can be interrupted
        while not list(tmp_path.iterdir()) and process.poll() is None:
            time.sleep(0.05)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=600)
    assert process.returncode == 130
    assert "interrupted" in complaint
    assert list(tmp_path.iterdir()) == []


HEAVY = ("altair", "numpy", "polars", "rich.progress", "vl_convert")
"""What takes long to import."""


@pytest.mark.parametrize(
    ("arguments", "unneeded"),
    [
        ("--help", ("wordline.cli.run", "wordline.cli.packages", *HEAVY)),
        ("formats", ("wordline.cli.packages", "polars")),
        (
            "run tiny --json --set workload.requests=10",
            ("wordline.cli.packages", *HEAVY, "rich.console"),
        ),
    ],
)
def test_nothing_is_imported_without_need(arguments: str, unneeded: tuple[str, ...]) -> None:
    # what is slow to import must not be imported: a fact, where a stop-watch would be a guess
    script = f"""
import sys
from wordline.cli import main
try:
    main()
except SystemExit as end:
    print(end.code, [name for name in {unneeded} if name in sys.modules], file=sys.stderr)
"""
    command = [sys.executable, "-c", script, *arguments.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "0 []"


def test_help_has_examples() -> None:
    assert "Examples" in wordline("run", "--help").stdout


def test_a_command_of_a_package_that_is_missing_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(app, "registered_commands", [])
    # no package has an entry point of this name
    packages.add("absent", [("absent", "What it is for.")], "wordline-absent")
    sentence = (
        "error: `wordline absent` comes with the package wordline-absent, which is not installed: "
        "pip install 'wordline[absent]'\n"
    )
    for arguments in (["absent"], ["absent", "--help"], ["absent", "file", "--depth", "3"]):
        done = CliRunner().invoke(app, arguments)
        assert (done.exit_code, done.stdout, done.stderr) == (2, "", sentence)
    assert "What it is for." in CliRunner().invoke(app, ["--help"]).stdout


def test_help_lists_every_command_with_what_it_is_for() -> None:
    page = " ".join(wordline("--help", env={**os.environ, "COLUMNS": "200"}).stdout.split())
    for command in app.registered_commands:
        assert command.callback
        name = command.name or command.callback.__name__
        purpose = (command.help or command.callback.__doc__ or "").partition("\n")[0]
        assert f"{name} {purpose}" in page


def test_each_command_is_in_its_file() -> None:
    files: dict[str, list[str]] = {}
    for command in app.registered_commands:
        assert command.callback
        name = command.name or command.callback.__name__
        if name not in BESIDE:
            files.setdefault(command.callback.__module__.rpartition(".")[2], []).append(name)
    assert files == {
        file: list(commands) for file, commands in COMMANDS.items() if file not in PACKAGES
    }


def test_a_saved_state_is_where_another_run_starts(tmp_path: Path) -> None:
    state = tmp_path / "state.bin"
    done = small_run("--save-state", state)
    assert done.returncode == 0, done.stderr
    done = small_run(
        *("--set", "age.method=snapshot", "--set", f"age.snapshot={state}", "--audit", "--json")
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["check.conservation"] is True
    state.write_bytes(state.read_bytes()[:100])
    done = small_run("--set", "age.method=snapshot", "--set", f"age.snapshot={state}")
    assert done.returncode == 2
    assert str(state) in done.stderr
    done = small_run("--save-state", tmp_path / "nowhere" / "state.bin")
    assert done.returncode == 2, done.stderr
