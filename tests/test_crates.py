"""The crates and their order, as the page on the architecture lists them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
#: Holds the features of external crates and no code; every crate depends on it.
FEATURES = "features"


def listed() -> list[str]:
    """The crates of the page, from the one that imports most to the one that imports nothing."""
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    return re.findall(r"^crates/(\w+) {2,}\S", page, re.MULTILINE)


def imported(crate: str) -> set[str]:
    """The crates of the workspace that a crate imports outside of its tests."""
    manifest = (ROOT / "crates" / crate / "Cargo.toml").read_text(encoding="utf-8")
    names = tomllib.loads(manifest)["dependencies"]
    return {name.removeprefix("wordline-") for name in names if name.startswith("wordline-")}


def test_every_crate_is_listed_once() -> None:
    crates = {place.parent.name for place in (ROOT / "crates").glob("*/Cargo.toml")}
    assert sorted(listed()) == sorted(crates - {FEATURES})


def test_a_crate_imports_only_crates_below_it() -> None:
    order = listed()
    for place, crate in enumerate(order):
        upward = imported(crate) - {FEATURES} - set(order[place + 1 :])
        assert not upward, f"{crate} imports {sorted(upward)}, which the page lists above it"


def test_no_crate_of_the_product_needs_one_of_a_package_beside_it() -> None:
    beside = {
        tomllib.loads(place.read_text(encoding="utf-8"))["package"]["name"]
        for place in ROOT.glob("packages/*/*/Cargo.toml")
    }
    assert beside
    for place in (ROOT / "crates").glob("*/Cargo.toml"):
        manifest = tomllib.loads(place.read_text(encoding="utf-8"))
        for kind in ("dependencies", "dev-dependencies", "build-dependencies"):
            assert not beside & manifest.get(kind, {}).keys(), place


def test_what_surrounds_a_mapping_passes_every_call_on() -> None:
    """A method with a default that is not passed on would be answered by the default, whatever the mapping says. Subjects of a mapping are passed on as wholes."""
    source = ROOT / "crates/ftl/src"
    core = ("contract.rs", "contract/at_work.rs", "contract/persist.rs")
    contract = "".join((source / name).read_text(encoding="utf-8") for name in core)
    contract = re.sub(r"pub trait AssignByRule.*?^}", "", contract, flags=re.M | re.S)
    asked = set(re.findall(r"^    fn (\w+)", contract, re.M))
    files = [source / "wrapped.rs", *sorted((source / "wrapped").glob("*.rs"))]
    wrapped = "".join(file.read_text(encoding="utf-8") for file in files)
    passed = set(re.findall(r"^    fn (\w+)", wrapped.partition("impl<W: Wrapper> Ftl")[2], re.M))
    assert asked <= passed
