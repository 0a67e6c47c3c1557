"""The script that draws charts is made once and kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import platformdirs
import pytest
import vl_convert

from wordline.report.drawing import drawing


@pytest.fixture(autouse=True)
def bundles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Scripts that Vega is put into, which takes no time here, in a process and a cache that are new."""
    made: list[str] = []

    def bundle(script: str) -> str:
        made.append(script)
        return f"Vega \r\n µ {len(made)}"

    monkeypatch.setattr(vl_convert, "javascript_bundle", bundle)
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name: tmp_path / name)
    drawing.cache_clear()
    yield made
    drawing.cache_clear()


def again() -> str:
    """What another process gets."""
    drawing.cache_clear()
    return drawing()


def test_it_is_made_once(bundles: list[str]) -> None:
    first = drawing()
    assert again() == first == "Vega \r\n µ 1"
    assert len(bundles) == 1
    assert "vega" in bundles[0]


def test_another_version_of_vega_makes_another(
    bundles: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    drawing()
    monkeypatch.setattr("wordline.report.drawing.version", lambda name: f"another {name}")
    assert again() == "Vega \r\n µ 2"


def test_what_cannot_be_read_is_made_again(tmp_path: Path) -> None:
    drawing()
    (kept,) = tmp_path.glob("wordline/drawing/*.js")
    kept.write_bytes(b"\xff")
    assert again() == "Vega \r\n µ 2"
    assert again() == "Vega \r\n µ 2"


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path, bundles: list[str]) -> None:
    (tmp_path / "wordline").write_text("in the way")
    assert drawing() == "Vega \r\n µ 1"
    assert again() == "Vega \r\n µ 2"
