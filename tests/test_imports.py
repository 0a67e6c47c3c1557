"""The lint that finds circles between the modules of a crate."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "scripts" / "imports.py"
#: Two folders that use each other, and no file that uses itself over others.
FOLDERS = {
    "lib": "mod one;\nmod two;\n",
    "one": "mod above;\nmod below;\npub use below::Below;\n",
    "one/above": "use crate::two::Middle;\n",
    "one/below": "pub struct Below;\n",
    "two": "mod middle;\npub use middle::Middle;\n",
    "two/middle": "use crate::one::Below;\npub struct Middle(Below);\n",
}
#: The same with a file that uses the one that uses it.
FILES = {**FOLDERS, "one/below": "use crate::two::Middle;\npub struct Below;\n"}
#: The same with the file in the middle using nothing.
NONE = {**FOLDERS, "two/middle": "pub struct Middle;\n"}


def found(folder: Path, files: dict[str, str], *options: str) -> tuple[int, str]:
    """What the lint answers of a crate with these files, and its exit status."""
    for name, text in files.items():
        path = folder / "src" / f"{name}.rs"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    answer = subprocess.run(
        [sys.executable, str(SCRIPT), *options, str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    return answer.returncode, answer.stdout.replace(f"{folder}: ", "")


@pytest.mark.parametrize(
    ("files", "options", "circle"),
    [
        (NONE, (), False),
        (NONE, ("--rooms",), False),
        (FOLDERS, (), False),
        (FOLDERS, ("--rooms",), True),
        (FILES, (), True),
    ],
)
def test_circles_are_found_between_files_and_between_folders(
    tmp_path: Path, files: dict[str, str], options: tuple[str, ...], circle: bool
) -> None:
    status, said = found(tmp_path, files, *options)
    assert status == int(circle)
    assert ("a circle" in said) == circle


def test_a_circle_of_folders_is_named(tmp_path: Path) -> None:
    _, said = found(tmp_path, FOLDERS, "--rooms")
    assert said.strip() in {
        "a circle: one -> two -> one",
        "a circle: two -> one -> two",
    }
