"""Sections say beside their types which of their keys have an effect only under conditions; the configuration gathers them."""

from __future__ import annotations

import re
from pathlib import Path

CRATES = Path(__file__).parent.parent / "crates"


def test_the_rules_of_every_section_are_gathered() -> None:
    sources = [file.read_text(encoding="utf-8") for file in CRATES.glob("*/src/**/*.rs")]
    declared = {
        name
        for text in sources
        for name in re.findall(r"^impl Section for (\w+) ", text, re.MULTILINE)
    }
    gathered = re.findall(
        r"\b(\w+)::RULES", (CRATES / "config/src/lib.rs").read_text(encoding="utf-8")
    )
    assert len(declared) > 10
    assert sorted(gathered) == sorted(declared)
