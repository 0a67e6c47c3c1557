"""What each option of `wordline run`, `compare`, `presets` and `check` does."""

from __future__ import annotations

import gzip
import itertools
import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import wordline as wl
from options import AtOnce, call, effect, sets
from wordline import _wordline

FEW = sets(workload__requests=200)
SPC = "".join(
    f"0,{8 * (number * 7919 % 4_000)},4096,{'r' if number % 3 else 'w'},{number * 0.002:.6f}\n"
    for number in range(300)
)
"""Requests every 2 ms, two reads for each write."""


def summary(*arguments: object) -> dict[str, Any]:
    """What a run prints for a program."""
    found: dict[str, Any] = call("run", *arguments, "--json").json
    return found


def steady(found: dict[str, Any]) -> dict[str, Any]:
    """A summary without what differs between two runs of the same configuration."""
    return {key: value for key, value in found.items() if not key.startswith("run.")}


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    file = tmp_path / "trace.spc"
    file.write_text(SPC)
    return file


def arrivals(directory: Path) -> list[int]:
    """Arrival times of the requests of a saved run in the order in which they came, ns."""
    return sorted(pl.read_parquet(directory / "requests.parquet")["arrival_ns"])


@effect("", "--version")
def test_version() -> None:
    assert call("--version").stdout == f"wordline {_wordline.__version__}\n"


@effect("run", "drive")
def test_the_drive_is_the_one_that_is_named() -> None:
    small, large = (summary(name, *FEW) for name in ("tiny", "bench"))
    # 100 MiB are exported in pages of 4 KiB, and 3.2 GiB and more
    assert small["ftl.user_pages"] == 25_600
    assert large["ftl.user_pages"] > 800_000


@effect("run", "--set")
def test_set_overrides_a_key() -> None:
    found = summary("tiny", *sets(workload__requests=150, workload__read_fraction=1.0))
    assert found["host.read.count"] == found["host.requests"] == 150
    assert summary("tiny", *FEW, *sets(workload__requests=90))["host.requests"] == 90


@effect("run", "--workload")
def test_workload_replaces_that_of_the_drive(tmp_path: Path) -> None:
    file = tmp_path / "load.toml"
    file.write_text(
        'kind = "random"\nrequests = 120\nread_fraction = 0.0\nrequest_size = "8 KiB"\n'
    )
    found = summary("tiny", "--workload", file)
    assert (found["host.write.count"], found["host.write.bytes"]) == (120, 120 * 8192)
    job = tmp_path / "load.fio"
    job.write_text("[load]\nsize=64k\nbs=4k\nrw=read\n")
    assert summary("tiny", "--workload", job)["host.read.count"] == 16


@effect("run", "--trace")
def test_trace_is_replayed(trace: Path) -> None:
    found = summary("tiny", "--trace", trace)
    assert (found["host.read.count"], found["host.write.count"]) == (200, 100)


@effect("run", "--format")
def test_format_says_how_a_trace_is_read(tmp_path: Path) -> None:
    # five numbers are a row of formats that differ in the units of time and size
    file = tmp_path / "trace.txt"
    file.write_text("".join(f"{20 * number} 0 {8 * number} 8 1\n" for number in range(60)))
    for name, gap_ns, size in (
        ("disksim", 20e6, 4096),
        ("ssdsim", 20, 4096),
        ("flashsim", 20e6, 32_768),
    ):
        out = tmp_path / name
        found = summary("tiny", "--trace", file, "--format", name, "--out", out)
        assert found["host.read.bytes"] == 60 * size
        assert arrivals(out) == [number * gap_ns for number in range(60)]


@effect("run", "--time-unit")
def test_time_unit_says_what_times_count(tmp_path: Path) -> None:
    file = tmp_path / "trace.ssdsim"
    file.write_text("".join(f"{20 * number} 0 {8 * number} 8 1\n" for number in range(60)))
    out = tmp_path / "out"
    call("run", "tiny", "--trace", file, "--time-unit", "us", "--out", out)
    assert arrivals(out) == [number * 20_000 for number in range(60)]
    alone = call("run", "tiny", "--time-unit", "us", status=2).stderr
    assert "--time-unit us: there is no --trace for it" in alone


@effect("run", "--compress-time")
def test_compress_time_divides_the_gaps(trace: Path, tmp_path: Path) -> None:
    gaps = {}
    for factor in (1, 4):
        out = tmp_path / str(factor)
        call("run", "tiny", "--trace", trace, "--compress-time", factor, "--out", out)
        times = arrivals(out)
        assert len(times) == 300
        gaps[factor] = {later - earlier for earlier, later in itertools.pairwise(times)}
    assert gaps == {1: {2_000_000}, 4: {500_000}}


@effect("run", "--out")
def test_out_is_where_the_result_lies(tmp_path: Path) -> None:
    done = call("run", "tiny", *FEW, "--out", tmp_path / "out")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names >= {"summary.json", "config.toml", "report.html", "requests.parquet"}
    assert done.stdout.endswith(f"report: {tmp_path / 'out' / 'report.html'}\n")
    for alone in ((), ("--seeds", "2")):
        hint = " ".join(call("run", "tiny", *FEW, *alone).stdout.split())
        assert "no files were written; --out DIRECTORY keeps a report with charts" in hint
    # the report shows where the time went, and the stories of the slowest
    found = wl.load(tmp_path / "out")
    assert found.attribution.height
    assert found.slowest.height
    told = call("run", "tiny", *FEW, *sets(output__attribution="false"), "--out", tmp_path / "no")
    assert told.stdout
    assert wl.load(tmp_path / "no").attribution.is_empty()


@effect("run", "--force")
def test_force_replaces_another_result(tmp_path: Path) -> None:
    out = ("--out", tmp_path / "out")
    call("run", "tiny", *FEW, *out)
    other = sets(workload__requests=100)
    assert "--force" in call("run", "tiny", *other, *out, status=2).stderr
    assert wl.load(tmp_path / "out").number("host.requests") == 200
    call("run", "tiny", *other, *out, "--force")
    assert wl.load(tmp_path / "out").number("host.requests") == 100


@effect("run", "--json")
def test_json_is_printed_alone() -> None:
    found = call("run", "tiny", *FEW, "--json").json
    assert found["host.requests"] == 200
    assert found["notes"]
    text = call("run", "tiny", *FEW).stdout
    assert "throughput" in text
    assert not text.startswith("{")


@effect("run", "--audit")
def test_audit_checks_the_run(tmp_path: Path) -> None:
    assert summary("tiny", *FEW, "--audit")["check.audited"] is True
    assert summary("tiny", *FEW)["check.audited"] is False
    for name, options in (("audited", ("--audit",)), ("plain", ())):
        call("run", "tiny", *FEW, "--seeds", 2, *options, "--out", tmp_path / name)
        for seed in (1, 2):
            found = wl.load(tmp_path / name / f"seed-{seed}").summary
            assert found["check.audited"] is (name == "audited")


@effect("run", "--save-state")
def test_save_state_keeps_the_drive(tmp_path: Path) -> None:
    state = tmp_path / "state"
    first = summary("tiny", *sets(workload__requests=3_000), "--save-state", state)
    later = summary("tiny", *FEW, *sets(age__method="snapshot", age__snapshot=state))
    # the blocks were erased before the second run began
    assert first["ftl.blocks_erased"] > 20
    total = first["ftl.blocks_erased"] + later["ftl.blocks_erased"]
    assert later["ftl.erase_count.mean"] * 512 == pytest.approx(total)


@effect("run", "--timeline")
def test_timeline_is_a_file_of_every_span(tmp_path: Path) -> None:
    for name, read in (("a.json", Path.read_bytes), ("a.json.gz", unpacked)):
        call("run", "tiny", *FEW, "--timeline", tmp_path / name)
        events = json.loads(read(tmp_path / name))["traceEvents"]
        requests = [
            event for event in events if event["ph"] == "b" and event["name"].endswith("_request")
        ]
        assert len(requests) == 200


def unpacked(file: Path) -> bytes:
    """The content of a file that gzip packed."""
    return gzip.decompress(file.read_bytes())


@effect("run", "--seeds")
def test_seeds_are_as_many_runs(tmp_path: Path) -> None:
    found = call("run", "tiny", *FEW, "--seeds", 3, "--out", tmp_path / "out", "--json").json
    assert found["seeds"] == [1, 2, 3]
    metric = found["metrics"]["host.all.latency.mean_us"]
    alone = [summary("tiny", *FEW, *sets(seed=seed, workload__seed=seed)) for seed in (1, 2, 3)]
    means = [
        wl.load(tmp_path / "out" / f"seed-{seed}").number("host.all.latency.mean_us")
        for seed in (1, 2, 3)
    ]
    assert metric["values"] == means
    assert means[0] == alone[0]["host.all.latency.mean_us"]
    assert len(set(means)) == 3


@effect("run", "--jobs")
@pytest.mark.parametrize(("jobs", "most"), [(1, 1), (3, 3)])
def test_jobs_is_how_many_run_at_once(
    jobs: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = AtOnce(_wordline.simulate, most)
    monkeypatch.setattr(_wordline, "simulate", counted)
    call("run", "tiny", *FEW, "--seeds", 3, "--jobs", jobs, "--json")
    assert counted.most == most


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two saved results that differ in a key of the drive."""
    place = tmp_path_factory.mktemp("pair")
    results = []
    for victim in ("greedy", "fifo"):
        drive = wl.Drive.from_toml("tiny", **{"ftl.gc.victim": victim, "workload.requests": 2_000})
        results.append(wl.simulate(drive, progress=False).save(place / victim))
    return results


@effect("compare", "results", "--json")
def test_compare_names_the_results_it_is_given(pair: list[Path]) -> None:
    one, other = pair
    for first, second in ((one, other), (other, one)):
        found = call("compare", first, second, "--json").json
        assert [each["name"] for each in found["contenders"]] == [first.name, second.name]
        assert found["configuration"] == [
            {"key": "ftl.gc.victim", first.name: first.name, second.name: second.name}
        ]
        metric = next(row for row in found["metrics"] if row["key"] == "ftl.write_amplification")
        wanted = wl.load(second).number("ftl.write_amplification") - wl.load(first).number(
            "ftl.write_amplification"
        )
        assert metric["differences"][second.name]["absolute"] == pytest.approx(wanted)
    assert "ftl.gc.victim" in call("compare", one, other).stdout


@effect("compare", "--out")
def test_compare_writes_a_page(pair: list[Path], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = call("compare", *pair, "--out", page)
    assert "<h1>greedy against fifo</h1>" in page.read_text()
    assert done.stdout.endswith(f"report: {page}\n")


@effect("presets", "name")
def test_presets_are_listed_or_printed() -> None:
    lines = call("presets").stdout.splitlines()
    names = [line.split()[0] for line in lines]
    assert {"tiny", "bench", "onfi5-tlc"} <= set(names)
    starts = {line.split()[0]: line.split()[1] for line in lines}
    # steady_state and overwritten; client-tlc says fresh, onfi5-tlc-journal nothing
    assert [starts[name] for name in ("tiny", "hu2011")] == ["aged", "aged"]
    assert [starts[name] for name in ("client-tlc", "onfi5-tlc-journal")] == ["fresh", "fresh"]
    text = call("presets", "tiny").stdout
    drive, kept = wl.Drive.from_text(text), wl.Drive.from_toml("tiny")
    load = {"requests": 50}
    one, other = (wl.simulate(each, load, progress=False) for each in (drive, kept))
    assert steady(dict(one.summary)) == steady(dict(other.summary))


@effect("check", "files")
def test_check_judges_each_file(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.toml", tmp_path / "bad.toml"
    good.write_text('base = "tiny"\n')
    bad.write_text('base = "tiny"\n[ftl.gc]\nvictim = "nobody"\n')
    done = call("check", good, bad, status=2)
    line, _, time = done.stdout.splitlines()
    assert line.startswith(f"{good}: good. Capacity 104.9 MB (100 MiB) on 128 MiB of flash, ")
    assert time.startswith(f"{good}: Estimated run time on this machine (from ")
    assert "bad.toml" in done.stderr
    assert "nobody" in done.stderr
    assert call("check", good).stdout.splitlines()[0] == line


@effect("check", "--set")
def test_check_says_how_large_a_drive_is() -> None:
    keys = sets(geometry__channels=4, ftl__over_provisioning="100%")
    said = call("check", "tiny", *keys).stdout
    # 4 channels of 2 dies of 2 planes of 64 blocks of 64 pages of 4 KiB, of which half are spare
    assert "134.2 MB (128 MiB) on 256 MiB of flash, over-provisioning 100 % of the capacity" in said
    assert "8 dies, 16 planes, 1,024 blocks" in said
    # two entries of four bytes a page, and 32 bytes a block
    assert "Its mapping tables take about 544 KiB" in said
    assert "closed form" not in call("check", "tiny", *sets(ftl__mapping="fast")).stdout


@effect("check", "--set")
def test_check_expects_the_write_amplification_of_a_run() -> None:
    keys = {"ftl.over_provisioning": "50%"}
    said = call("check", "tiny", "--set", "ftl.over_provisioning=50%").stdout
    run = wl.simulate(wl.Drive("tiny", **keys), {"requests": 10}, progress=False)
    (age,) = [note.text for note in run.notes if note.key == "age"]
    (told,) = re.findall(r"expected write amplification (\S+) \(", age)
    assert f"write amplification of uniform random writes: {told} (closed form of" in said
    assert f"{run.number('ftl.write_amplification.expected'):.2f}" == told
    # a drive that begins fresh has no such figure, and its closed form is named by what it leaves out
    fresh = call("check", "tiny", *sets(ftl__over_provisioning="50%", age__method="fresh")).stdout
    form = wl.write_amplification("greedy", 0.5, 64)
    assert f"writes: {form:.2f} (closed form of greedy with all spare blocks in use)" in fresh
    assert float(told) > form


@effect("run", "--policies")
def test_policies_of_a_file_are_registered(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "import wordline as wl\n"
        "class Oldest:\n"
        "    def choose(self, blocks):\n"
        "        return max(blocks, key=lambda block: block.closed_ago)\n"
        'wl.register_victim("oldest", Oldest, replace=True)\n'
    )
    load = sets(workload__requests=2_000, workload__read_fraction=0, age__method="overwritten")
    mine = call("run", "tiny", *load, "--json", "--policies", file, *sets(ftl__gc__victim="oldest"))
    fifo = call("run", "tiny", *load, "--json", *sets(ftl__gc__victim="fifo"))
    assert mine.json["ftl.write_amplification"] == fifo.json["ftl.write_amplification"]

    file.write_text("import wordline as wl\n\nwl.register_victim('oldest', 7)\n")
    wrong = call("run", "tiny", "--policies", file, status=2)
    assert f"error: --policies {file}, line 3: ConfigError: " in wrong.stderr
    assert "7 is no class" in wrong.stderr
    absent = call("run", "tiny", "--policies", tmp_path / "none.py", status=2)
    assert f"error: --policies {tmp_path}/none.py: FileNotFoundError" in absent.stderr
