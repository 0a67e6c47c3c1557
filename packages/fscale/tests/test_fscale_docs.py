"""The documentation of very large drives: blocks run, keys exist, the reference has every name."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import wordline_fscale
from doc_blocks import OF_PACKAGES, Page
from test_doc_blocks import run_blocks
from test_docs import look_keys_up
from wordline_fscale import LargeDrive, _fscale

ROOT = Path(__file__).parents[3]
PAGE = "docs/explanations/fscale.md"


@pytest.mark.slow
def test_code_blocks_run(tmp_path: Path) -> None:
    assert PAGE in OF_PACKAGES
    run_blocks(ROOT / PAGE, tmp_path)


@pytest.mark.parametrize(
    "text",
    [wordline_fscale.__doc__, (ROOT / "packages/fscale/README.md").read_text(encoding="utf-8")],
)
def test_code_blocks_of_the_package_run(text: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    # it is installed
    page.write_text(text.replace("pip install", "# pip install"), encoding="utf-8")
    Page(page, tmp_path, {}).run(slow=False)


def test_keys_named_in_prose_exist() -> None:
    keys = LargeDrive("fscale-8tb").keys
    look_keys_up(
        ROOT / PAGE,
        {f"{part}.{key}" for part in keys if isinstance(keys[part], dict) for key in keys[part]},
    )


def test_every_public_name_is_on_the_page_of_the_package() -> None:
    page = (ROOT / "docs/reference/python.md").read_text(encoding="utf-8")
    shown = re.findall(r"^### wordline_fscale\.(\w+)$", page, re.MULTILINE)
    assert sorted(shown) == sorted(wordline_fscale.__all__)


def test_the_stub_names_what_the_module_holds() -> None:
    stub = Path(wordline_fscale.__file__).with_name("_fscale.pyi").read_text(encoding="utf-8")
    declared = {each.name for each in ast.parse(stub).body if isinstance(each, ast.FunctionDef)}
    assert declared == {name for name in dir(_fscale) if not name.startswith("_")}
