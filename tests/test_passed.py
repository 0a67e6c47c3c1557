"""Which tests an edit asks for, of those that run only where something was edited."""

from __future__ import annotations

from pathlib import Path

import pytest

import passed

FSCALE_PAGE = passed.ROOT / "docs/explanations/fscale.md"


@pytest.fixture
def all_passed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything has passed as it is."""
    monkeypatch.setattr(passed, "PASSED", tmp_path / "passed.json")
    (tmp_path / "passed.json").write_text("{}")
    assert [part for part in passed.PARTS if passed.is_edited(part)] == [*passed.PARTS]
    passed.main([*passed.PARTS, "blocks"])


@pytest.mark.usefixtures("all_passed")
@pytest.mark.parametrize(
    ("edited", "asked"),
    [
        ("crates/workload/src/fio.rs", {"slow", "fuzz", "fscale"}),
        ("crates/config/src/lib.rs", {"fuzz"}),
        ("fuzz/fuzz_targets/trace.rs", {"fuzz"}),
        ("crates/ftl/src/state.rs", {"fuzz"}),
        ("crates/ftl/src/space.rs", set()),
        ("crates/lifetime/src/tests/spread.rs", {"slow"}),
        ("packages/studies/wordline_studies/hu2011/loads.py", {"studies"}),
        ("python/wordline/studies/grid.py", {"studies"}),
        ("packages/fscale/model/src/lib.rs", {"fscale"}),
        ("python/wordline/report/latency.py", set()),
    ],
)
def test_an_edit_asks_for_the_tests_of_what_depends_on_the_file(
    edited: str, asked: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not any(passed.is_edited(part) for part in passed.PARTS)
    assert (passed.ROOT / edited).exists()
    edit(passed.ROOT / edited, monkeypatch)
    assert {part for part in passed.PARTS if passed.is_edited(part)} == asked


@pytest.mark.usefixtures("all_passed")
def test_pages_run_where_they_or_their_commands_were_edited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = passed.ROOT / "docs/how-to/compare-drives.md"
    assert "wordline compare" in page.read_text(encoding="utf-8")
    assert not any(passed.is_page_edited(each) for each in passed.pages())
    edit(passed.ROOT / "python/wordline/cli/compare.py", monkeypatch)
    assert passed.is_page_edited(page)
    assert not passed.is_page_edited(FSCALE_PAGE)
    edit(FSCALE_PAGE, monkeypatch)
    assert passed.is_page_edited(FSCALE_PAGE)


def edit(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a file look as if it had another content."""
    digest = passed.digest
    monkeypatch.setattr(passed, "digest", lambda path: "edited" if path == file else digest(path))
