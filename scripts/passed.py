"""What has passed its tests since it was last edited: `tests/passed.json`, a hash of each part's files.

Some tests look at little of what is edited day by day, and take long: slow ones of crates, those of the packages beside the product, fuzzing,
the code blocks of the documentation. `make test-all` runs them all and writes the hashes; the checks before a change goes
in run those of the parts whose files have others (`make test-touched`).
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PASSED = ROOT / "tests/passed.json"
CODE = {".py", ".pyi", ".rs", ".toml", ".json", ".md", ".fio", ".txt"}
"""Suffixes of the files that tests depend on."""
PARSERS = ("config", "keys", "overlay", "units", "workload")
"""Crates that read what users write."""
PARTS = ("slow", "studies", "fscale", "fuzz")
"""What is tested as a whole; pages of the documentation are tested one by one."""


def main(arguments: list[str]) -> None:
    """Print the names of parts that were edited, or note that one passed: `passed.py PART`, `passed.py blocks`."""
    if not arguments:
        print(*(part for part in PARTS if is_edited(part)))
        return
    noted = passed()
    for part in arguments:
        if part == "blocks":
            noted = {name: hash for name, hash in noted.items() if not name.endswith(".md")}
            noted |= {name_of(page): hash_of(files_of_page(page)) for page in pages()}
        else:
            noted[part] = hash_of(files_of(part))
    PASSED.write_text(json.dumps(noted, indent=0, sort_keys=True) + "\n", encoding="utf-8")


def passed() -> dict[str, str]:
    """The hashes of what has passed."""
    noted: dict[str, str] = json.loads(PASSED.read_text(encoding="utf-8"))
    return noted


def is_edited(part: str) -> bool:
    """Whether a file that the tests of a part depend on was edited since they passed."""
    return passed().get(part) != hash_of(files_of(part))


def is_page_edited(page: Path) -> bool:
    """Whether a page, or a command of its code blocks, was edited since its blocks passed."""
    return passed().get(name_of(page)) != hash_of(files_of_page(page))


def name_of(path: Path) -> str:
    """The path of a file in the repository."""
    return path.relative_to(ROOT).as_posix()


def files_of(part: str) -> Iterator[Path]:
    """The files that the tests of a part depend on: its own, and those that they name."""
    if part == "slow":
        yield from files_in(*crates_with_slow_tests())
        return
    if part == "fuzz":
        yield from files_in(ROOT / "fuzz", *(ROOT / "crates" / crate / "src" for crate in PARSERS))
        # states of drives and of lifetime studies
        yield from (path for path in files_in(ROOT / "crates") if is_of_states(path))
        return
    package = ROOT / "packages" / part
    yield from files_in(package)
    yield from imported(files_in(package))
    if part == "fscale":
        for manifest in sorted(package.glob("*/Cargo.toml")):
            for crate in crates_of(manifest):
                yield from files_in(ROOT / "crates" / crate / "src")


def crates_with_slow_tests() -> Iterator[Path]:
    """The folders of crates that mark tests as slow."""
    for crate in sorted((ROOT / "crates").iterdir()):
        if any(
            '#[ignore = "slow' in file.read_text(encoding="utf-8") for file in crate.rglob("*.rs")
        ):
            yield crate


def is_of_states(path: Path) -> bool:
    """Whether a file of Rust reads saved states."""
    return path.suffix == ".rs" and bool(re.search(r"state|archive|persist|snapshot", path.stem))


def crates_of(manifest: Path) -> set[str]:
    """The crates of the product that a crate is compiled with, over others."""
    found: set[str] = set()
    waiting = [manifest]
    while waiting:
        names = tomllib.loads(waiting.pop().read_text(encoding="utf-8")).get("dependencies", {})
        for name in names:
            crate = name.removeprefix("wordline-")
            path = ROOT / "crates" / crate / "Cargo.toml"
            if crate not in found and path.exists():
                found.add(crate)
                waiting.append(path)
    return found


def imported(files: Iterable[Path]) -> set[Path]:
    """The modules of the product that files of Python import by name."""
    names: set[str] = set()
    for file in files:
        if file.suffix == ".py":
            names |= names_imported(file)
    paths = {ROOT / "python" / name.replace(".", "/") for name in names if "wordline." in name}
    modules = {path.with_suffix(".py") for path in paths} | {path / "__init__.py" for path in paths}
    return {path for path in modules if path.exists()}


@cache
def names_imported(file: Path) -> set[str]:
    """What a file of Python imports from modules: their names, and the names in them, which may be modules too."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names


def pages() -> list[Path]:
    """The pages whose code blocks run."""
    sys.path.insert(0, str(ROOT / "tests"))
    from test_doc_blocks import PAGES

    return PAGES


def files_of_page(page: Path) -> Iterator[Path]:
    """A page, and the files of the commands that its blocks call."""
    from wordline.cli import COMMANDS

    text = page.read_text(encoding="utf-8")
    yield page
    called = set(re.findall(r"\bwordline ([a-z][a-z-]+)", text))
    for file, commands in COMMANDS.items():
        path = ROOT / "python/wordline/cli" / f"{file}.py"
        if called & commands.keys() and path.exists():
            yield path


def files_in(*folders: Path) -> Iterator[Path]:
    """The files of folders that tests depend on."""
    for folder in folders:
        for path in folder.rglob("*"):
            if path.suffix in CODE and not {"target", "corpus", "artifacts"} & set(path.parts):
                yield path


def hash_of(files: Iterable[Path]) -> str:
    """A hash of names and contents."""
    found = hashlib.sha256()
    for path in sorted(set(files)):
        found.update(f"{name_of(path)} {digest(path)}\n".encode())
    return found.hexdigest()[:16]


@cache
def digest(path: Path) -> str:
    """A hash of the content of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    main(sys.argv[1:])
