"""The documentation: generated pages are up to date, examples are accepted, links lead somewhere."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import wordline

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("docs/**/*.md"), ROOT / "README.md"])


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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_keys_named_in_prose_exist(page: Path) -> None:
    from wordline import _wordline

    drive = _wordline.resolve("tiny", False, None, [])
    of_chips = {key for key, _ in _wordline.chip_parameters()}
    for override in re.findall(r"--set ([a-z_.]+)=", page.read_text(encoding="utf-8")):
        if f"`{override}`" in _wordline.cell_reference():
            continue
        if override not in of_chips:
            drive.get(override)  # a KeyError names the key that does not exist


def test_drive_files_in_prose_are_accepted(tmp_path: Path) -> None:
    page = (ROOT / "docs/how-to/write-a-drive-file.md").read_text(encoding="utf-8")
    blocks = [block for block in re.findall(r"```toml\n(.*?)```", page, re.DOTALL) if "[" in block]
    assert blocks
    for number, block in enumerate(blocks):
        file = tmp_path / f"{number}.toml"
        file.write_text(block)
        done = wordline("check", file)
        assert done.returncode == 0, done.stderr


def test_the_stub_names_what_the_module_holds() -> None:
    from wordline import _wordline

    spec = importlib.util.find_spec("wordline")
    assert spec is not None
    assert spec.origin is not None
    stub = Path(spec.origin).with_name("_wordline.pyi").read_text()
    declared = set(re.findall(r"^(?:def|class) (\w+)", stub, re.MULTILINE))
    typing_only = {"BuiltInChip", "Preset", "Format", "Note"}
    of_python = {"ConfigError", "RunError", "TraceError"}
    held = {name for name in dir(_wordline) if not name.startswith("_")} - of_python
    assert declared - typing_only == held
