"""Finds circles between the modules of a crate, over its `use` declarations: `python scripts/imports.py ftl packages/fscale/model`.

A module is a file. A name that a module re-exports from a module below it (`pub use below::Name`) counts as that of the module
below, so that a folder's entrance is no circle; where the entrance itself uses the name it depends on the module below. Test
modules are left out. With `--rooms` the files of a folder count as one module. Exit status 1 where there is a circle or, without `--rooms`, a file that is longer than the limit.
"""

from __future__ import annotations

import argparse
import re
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: Merging modules is no cure for a circle between them.
MOST_LINES = 450

USE = re.compile(r"^[ \t]*(pub(?:\([^)]*\))?[ \t]+)?use[ \t]+([^;]+);", re.MULTILINE)
TEST_MODULE = re.compile(r"#\[cfg\(test\)\]\s*(?:pub\([^)]*\) )?mod \w+(?:;| \{.*)", re.DOTALL)

Module = tuple[str, ...]


def modules(crate: Path) -> dict[Module, Path]:
    """The files of a crate by the path of their module."""
    source = crate / "src"
    found = {}
    for path in sorted(source.rglob("*.rs")):
        parts = path.relative_to(source).with_suffix("").parts
        if "tests" not in parts:
            found[() if parts == ("lib",) else parts] = path
    return found


def flat(tree: str) -> list[tuple[list[str], str]]:
    """The paths of a `use` tree: the segments before the last one, and the last one."""
    tree = " ".join(tree.split())
    head, brace, rest = tree.partition("{")
    if not brace:
        path = tree.split(" as ")[0].split("::")
        return [(path[:-1], path[-1])]
    before = [segment for segment in head.split("::") if segment]
    items, depth, start = [], 0, 0
    inner = rest[: rest.rindex("}")]
    for at, letter in enumerate(inner + ","):
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            items.append(inner[start:at].strip())
            start = at + 1
    return [
        (before + middle, last) if last != "self" else (before[:-1], before[-1])
        for item in items
        if item
        for middle, last in flat(item)
    ]


class Crate:
    """The modules of a crate and what they import of each other."""

    def __init__(self, folder: Path) -> None:
        self.files = modules(folder)
        self.texts = {
            module: TEST_MODULE.sub("", path.read_text()) for module, path in self.files.items()
        }
        self.exports: dict[Module, dict[str, Module]] = {module: {} for module in self.files}
        self.imports: dict[Module, list[tuple[Module, str]]] = {module: [] for module in self.files}
        for module, text in self.texts.items():
            for exported, tree in USE.findall(text):
                for path, name in flat(tree):
                    self.add(module, bool(exported), path, name)

    def add(self, module: Module, exported: bool, path: list[str], name: str) -> None:
        """Notes one import of a module."""
        target = self.absolute(module, path)
        if target is None:
            return
        below = len(target) > len(module) and target[: len(module)] == module
        if exported and below:
            self.exports[module][name] = target
            outside = USE.sub("", self.texts[module])
            if not re.search(rf"\b{name}\b", outside):
                return
        self.imports[module].append((target, name))

    def absolute(self, module: Module, path: list[str]) -> Module | None:
        """The module of a path, or nothing for that of another crate."""
        if not path:
            return None
        if path[0] == "crate":
            return tuple(path[1:])
        if path[0] in ("super", "self"):
            up = path.count("super")
            return module[: len(module) - up] + tuple(path[max(up, 1) :])
        return (*module, *path) if (*module, path[0]) in self.files else None

    def owner(self, module: Module, name: str) -> Module:
        """The module that a name belongs to, through re-exports; of an enum's variant, that of the enum."""
        while module not in self.files:
            module, name = module[:-1], module[-1]
        if (*module, name) in self.files:
            return (*module, name)
        exported = self.exports[module].get(name)
        return module if exported is None else self.owner(exported, name)

    def edges(self) -> dict[Module, set[Module]]:
        """What each module depends on."""
        graph = {}
        for module, imports in self.imports.items():
            owners = {self.owner(target, name) for target, name in imports}
            graph[module] = {owner for owner in owners if owner not in (module, ())}
        return graph

    def rooms(self) -> dict[Module, set[Module]]:
        """The same of the folders directly below the root, each with all that is in it."""
        graph: dict[Module, set[Module]] = {}
        for module, needed in self.edges().items():
            rooms = {other[:1] for other in needed} - {module[:1]}
            graph.setdefault(module[:1], set()).update(rooms)
        # the root only hands out what is in the rooms
        graph.pop((), None)
        return graph


def main() -> int:
    """Checks the crates that are named."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("crate", nargs="+", help="crate to check, such as ftl, or its folder")
    parser.add_argument("--show", action="store_true", help="print what each module depends on")
    parser.add_argument(
        "--rooms", action="store_true", help="look for circles between folders, not between files"
    )
    options = parser.parse_args()
    wrong = 0
    for name in options.crate:
        crate = Crate(ROOT / (name if "/" in name else f"crates/{name}"))
        graph = crate.rooms() if options.rooms else crate.edges()
        if options.show:
            for module, needed in graph.items():
                print(
                    "::".join(module) or "lib",
                    "->",
                    ", ".join(sorted("::".join(other) for other in needed)),
                )
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            print(
                f"{name}: a circle:",
                " -> ".join("::".join(module) or "lib" for module in error.args[1][::-1]),
            )
            wrong += 1
        for module, path in [] if options.rooms else crate.files.items():
            lines = len(path.read_text().splitlines())
            if lines > MOST_LINES:
                print(f"{name}: {'::'.join(module)} has {lines} lines, more than {MOST_LINES}")
                wrong += 1
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
