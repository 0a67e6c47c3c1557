"""The documentation: generated pages are up to date, examples are accepted, links lead somewhere."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from collections.abc import Collection, Mapping
from pathlib import Path

import pytest

import wordline as wl
from doc_blocks import OF_PACKAGES
from shared import wordline
from wordline.cli import COMMANDS
from wordline.terminal.traces import TRACE_CLASSES, TRACE_TOTALS, histograms_of_trace

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("docs/**/*.md"), ROOT / "README.md", *ROOT.glob("packages/*/README.md")])


def test_generated_pages_are_up_to_date() -> None:
    # a process of its own: the page of the command line depends on the environment of the terminal
    script = "import generate, json; print(json.dumps(generate.pages()))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT / "docs",
        capture_output=True,
        text=True,
        check=True,
    )

    for name, text in json.loads(done.stdout).items():
        committed = (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8")
        assert committed == text, f"docs/reference/{name} has drifted: run `make reference`"


@pytest.mark.parametrize("example", sorted(ROOT.glob("docs/examples/*.toml")), ids=lambda p: p.name)
def test_examples_are_accepted(example: Path) -> None:
    if "[geometry]" in example.read_text():
        done = wordline("check", example)
    else:
        done = wordline("run", "tiny", "--workload", example, "--set", "workload.requests=100")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if str(page.relative_to(ROOT)) not in OF_PACKAGES],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_keys_named_in_prose_exist(page: Path) -> None:
    look_keys_up(page)


def look_keys_up(page: Path, others: Collection[str] = ()) -> None:
    """Look up every key that a page sets, but for those of others than drives, chips and cells."""
    from wordline import _wordline

    drive = _wordline.resolve("tiny", False, None, [])
    of_chips = {key for key, _ in _wordline.chip_parameters()}
    for override in re.findall(r"--set ([a-z_.]+)=", page.read_text(encoding="utf-8")):
        if f"`{override}`" in _wordline.cell_reference():
            continue
        if override not in of_chips and override not in others:
            drive.get(override)  # a KeyError names the key that does not exist


REFERENCE = ROOT / "docs" / "reference"


def test_every_command_has_its_help_on_the_page() -> None:
    page = (REFERENCE / "command-line.md").read_text(encoding="utf-8")
    commands = [name for commands in COMMANDS.values() for name in commands]

    assert re.findall(r"^## wordline (.+)$", page, re.MULTILINE) == commands


def test_every_public_name_is_on_the_page_of_the_package() -> None:
    page = (REFERENCE / "python.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"^### wl\.(\w+)$", page, re.MULTILINE))

    assert shown == {name for name in dir(wl) if not name.startswith("_")}


def summary_page() -> tuple[dict[str, str], list[str]]:
    """The page of summary keys as a reader understands it: what each placeholder matches, and the keys."""
    page = (REFERENCE / "summary.md").read_text(encoding="utf-8")
    placeholders = {}
    for name, names in re.findall(r"^\| `<(\w+)>` \|.*\| (.+) \|$", page, re.MULTILINE):
        listed = [re.escape(each) for each in re.findall(r"`([^`]+)`", names)]
        placeholders[name] = "|".join(listed) or r"[^.]+"
    return placeholders, re.findall(r"^\| `([a-z][^`]*)` \|", page, re.MULTILINE)


def pattern(key: str, placeholders: dict[str, str]) -> re.Pattern[str]:
    """What a key of the page matches."""
    parts = re.split(r"<(\w+)>", key)
    texts = [re.escape(part) for part in parts]
    texts[1::2] = [f"(?:{placeholders[name]})" for name in parts[1::2]]
    return re.compile("".join(texts))


GROUPED = """[global]
filename=/dev/x
size=64k
group_reporting
[w]
rw=write
fsync=4
numjobs=2
[t]
rw=trim
"""
"""Jobs of a group, with flushes and trims."""


@pytest.fixture(scope="module")
def summaries() -> list[Mapping[str, object]]:
    """The summaries of runs that switch on all that has keys of its own."""
    load = {"workload.requests": 300}
    profile = {"workload.kind": "profile", "workload.profile": "financial1", **load}
    client = {"read_fraction": 0.5, "requests": 300}
    worn = {"age.initial_cycles": 30_000, "age.storage": "300 d"}
    buffer = {"buffer.policy": "lru", "buffer.size": "1 MiB"}
    drives = [
        wl.Drive.from_toml(
            "tiny",
            output={"attribution": True},
            host={"interface": "nvme"},
            firmware={"enabled": True},
            tenants={"a": {"workload": client}, "b": {"workload": client}},
        ),
        wl.Drive.from_toml("tiny", **load, **worn, **buffer, **{"ecc.kind": "ldpc"}),
        wl.Drive.from_toml("tiny", **load, **worn, **{"ecc.kind": "bch"}),
        wl.Drive.from_toml("tiny", **{"workload.kind": "fio", "workload.jobs": GROUPED}),
        wl.Drive.from_toml("tiny", **load, **{"ftl.mapping": "block"}),
        wl.Drive.from_toml("tiny", **load, **{"ftl.mapping_unit": "1 KiB"}),
        wl.Drive.from_toml(
            "tiny", **load, **{"ftl.mapping_unit": "8 KiB", "allocation.mode": "static"}
        ),
        wl.Drive.from_toml(
            "tiny",
            **load,
            **{"ftl.placement.directive": "fdp", "ftl.placement.reclaim_group": "channel"},
            **{"ftl.placement.reclaim_unit_handles": 2, "ftl.over_provisioning": 0.5},
        ),
        wl.Drive.from_toml(
            "tiny", **load, **{"ftl.failures.program": 1e-5, "ftl.gc.reserve_blocks": 2}
        ),
        wl.Drive.from_toml("tiny", **load, **{"ftl.local.enabled": True}),
        wl.Drive.from_toml("tiny", **load, **{"power.supply": "2.5 V", "thermal.enabled": True}),
        wl.Drive.from_toml(
            "tiny",
            **load,
            **{"power.supply": "2.5 V", "power.cap": "100 mW", "workload.interarrival": "20 ms"},
            **{"power.idle": "20 mW", "power.ps3": "2 mW", "power.ps3_after": "5 ms"},
            **{"power.ps4": "1 mW", "power.ps4_after": "9 ms"},
        ),
        wl.Drive.from_toml(
            "tiny", **load, **{"nand.independent_plane_reads": True, "geometry.planes_per_die": 2}
        ),
        wl.Drive.from_toml(
            "tiny", **load, **{"ftl.refresh.policy": "remaining", "ftl.refresh.read_limit": 50}
        ),
        wl.Drive.from_toml(
            "tiny",
            **load,
            **{"ftl.recovery.kind": "checkpoint_journal", "output.recovery_every": 100},
            **{"geometry.blocks_per_plane": 64, "ftl.over_provisioning": 0.5},
        ),
        wl.Drive.from_toml(
            "onfi5-tlc",
            **load,
            **{"geometry.blocks_per_plane": 32, "geometry.pages_per_block": 48},
            **{"ftl.slc_cache.mode": "slc", "ftl.slc_cache.dynamic_blocks": 2},
            **{"ftl.slc_cache.when_full": "fold", "ftl.over_provisioning": 0.5},
            **{"power.supply": "2.5 V"},
            modes=[{"name": "slc"}],
        ),
        wl.Drive.from_toml(
            "tiny",
            **load,
            **{"ftl.mapping": "zoned", "age.method": "fresh", "workload.translation": "zones"},
            **{"workload.zones.over_provisioning": 0.5},
        ),
        wl.Drive.from_toml(
            "tiny",
            **load,
            **{"ftl.mapping": "zoned", "age.method": "fresh", "ftl.failures.program": 1e-5},
            **{"workload.read_fraction": 1.0},
        ),
        wl.Drive.from_toml("tiny", **load, **{"ftl.mapping": "dftl", "ftl.cached_entries": 9}),
        wl.Drive.from_toml(
            "tiny",
            **load,
            **{"ftl.mapping": "delta", "ftl.gc.reserve_blocks": 2},
            **{"ftl.delta.versions": str(ROOT / "identity" / "versions")},
        ),
        wl.Drive.from_toml(
            "tiny",
            **load,
            **{"ftl.mapping": "striped", "ftl.parity": "fixed"},
            **{"ftl.over_provisioning": 0.8, "ftl.rewrite_recovered": True},
            output={"write_breakdown": True},
        ),
        wl.Drive.from_toml(
            "tiny",
            **load,
            **{"scheduler.policy": "dlv", "allocation.mode": "static"},
            **{"ecc.kind": "ldpc", "ecc.ldpc.start": "by_age"},
        ),
        wl.Drive.from_toml(
            "flashpower-mlc8",
            **{"ftl.mapping": "delta", "ftl.gc.reserve_blocks": 2, "ftl.over_provisioning": 0.3},
            **{"age.method": "overwritten", "age.random_factor": 0.2, "power.codec": "200 mW"},
            **{"workload.kind": "hot_cold", "workload.requests": 4000},
        ),
        wl.Drive.from_toml(
            "flashpower-mlc8", **load, **{"run.warm_up": "auto"}, modes=[{"name": "a"}]
        ),
        wl.Drive.from_toml("wu2013-pes-slc", **{"geometry.blocks_per_plane": 256}, **profile),
    ]
    return [wl.simulate(drive, progress=False).summary for drive in drives]


def test_every_key_that_a_run_has_is_on_the_page(summaries: list[Mapping[str, object]]) -> None:
    placeholders, keys = summary_page()
    patterns = [pattern(key, placeholders) for key in keys]

    for name in {name for summary in summaries for name in summary}:
        assert any(each.fullmatch(name) for each in patterns), name


def test_every_key_on_the_page_is_one_that_runs_have(summaries: list[Mapping[str, object]]) -> None:
    placeholders, keys = summary_page()
    # a drive that is served has one more (`test_live.py`)
    names = {"live.power_cuts"} | {name for summary in summaries for name in summary}

    never = [key for key in keys if not any(pattern(key, placeholders).fullmatch(n) for n in names)]
    assert never == []


def test_the_page_of_summary_keys_has_every_key_once() -> None:
    placeholders, keys = summary_page()
    patterns = [pattern(key, placeholders) for key in keys]

    for name, _, _ in wl._wordline.summary_keys():
        assert sum(each.fullmatch(name) is not None for each in patterns) == 1, name


def test_the_stub_names_what_the_module_holds() -> None:
    from wordline import _wordline

    spec = importlib.util.find_spec("wordline")
    assert spec is not None
    assert spec.origin is not None
    stub = Path(spec.origin).with_name("_wordline.pyi").read_text()
    declared = set(re.findall(r"^(?:def|class) (\w+)", stub, re.MULTILINE))
    typing_only = {"BuiltInChip", "Preset", "Format", "Note"}
    of_python = {"ConfigError", "PolicyError", "RunError", "TraceError"}
    held = {name for name in dir(_wordline) if not name.startswith("_")} - of_python
    assert declared - typing_only == held


def test_labels_of_a_trace_on_the_terminal_are_on_the_page() -> None:
    page = (ROOT / "docs" / "explanations" / "trace-statistics.md").read_text(encoding="utf-8")
    explained = set(re.findall(r"\*([^*\n]+)\*", page))
    printed = [name for _, name, _ in TRACE_TOTALS] + [name for name, _, _ in TRACE_CLASSES]
    tables = histograms_of_trace(
        {
            "size_histogram": [{"from": 1, "count": 1}],
            "interarrival_histogram": [{"from": 1, "count": 1}],
            "dispersion": [{"window_s": 1.0, "index": 1.0, "peak_to_mean": 1.0}],
        }
    )
    columns = [str(column.header) for table in tables for column in table.columns]
    assert len(columns) == 7
    assert {*printed, *columns} - explained == set()


def test_the_glossary_has_the_terms_of_the_reports_in_order() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    terms = re.findall(r"^\*\*(.+?)\*\* –", text, re.MULTILINE)
    assert terms == sorted(terms, key=str.lower)
    known = {name.lower() for term in terms for name in re.split(r", ", term)}
    known |= {word.lower() for word in re.findall(r"(?<!\*)\*(\w+)\*(?!\*)", text)}
    assert {
        *("preconditioning", "preconditioned", "host queue", "stall", "mapping unit", "arrival"),
        *("completion", "omitted", "over-provisioning", "die", "plane", "superblock", "channel"),
        *("write amplification", "steady state", "percentile", "queue depth", "slc cache"),
    } - known <= {"queue depth"}
    assert "*queue depth*" in text
