"""What a reader sees of a page: sentences, tables and the data of charts, as text and as numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from typing import Any

import pytest

from wordline.report.html import Page as Document
from wordline.report.section import Section

Row = dict[str, str]
MICROSECONDS = {"ns": 1e-3, "µs": 1.0, "us": 1.0, "ms": 1e3, "s": 1e6}


@dataclass(frozen=True)
class Shown:
    """A figure of a page."""

    name: str
    title: str
    remark: str
    spec: Mapping[str, Any]
    rows: list[Row]

    def points(self, *fields: str) -> list[dict[str, Any]]:
        """The data of the chart that have these fields, from the only data set that has them."""
        found: list[list[dict[str, Any]]] = [
            rows for rows in self.spec["datasets"].values() if rows and set(fields) <= set(rows[0])
        ]
        assert len(found) == 1, (fields, [rows[:1] for rows in self.spec["datasets"].values()])
        return found[0]

    def is_whole(self) -> bool:
        """Whether the axes whose ends are set show every point."""
        ends = [*domains(self.spec)]
        return bool(ends) and all(
            low <= row[field] <= high
            for field, low, high in ends
            for rows in self.spec["datasets"].values()
            for row in rows
            if isinstance(row.get(field), int | float)
        )

    def drawn(self) -> list[dict[str, str]]:
        """The field on each channel of each view that draws something."""
        return [*views(self.spec)]


@dataclass(frozen=True)
class Page:
    """A page, as text."""

    html: str

    @property
    def text(self) -> str:
        """What stands in its body, before the script that draws."""
        return self.html.partition("</main>")[0]

    @property
    def heading(self) -> str:
        (found,) = re.findall(r"<h1>(.*?)</h1>", self.text)
        return unescape(found)

    @property
    def subtitle(self) -> str:
        (found,) = re.findall(r'<p class="subtitle">(.*?)</p>', self.text)
        return unescape(found)

    @property
    def lead(self) -> list[str]:
        """The paragraphs on top."""
        found = re.search(r'<div class="lead">(.*?)</div>', self.text, re.DOTALL)
        return [unescape(text) for text in re.findall("<p>(.*?)</p>", found[1])] if found else []

    @property
    def cards(self) -> dict[str, tuple[str, str]]:
        """Value and small print of each key figure."""
        found = re.findall(
            r'<dt>(.*?)</dt><dd>(.*?)</dd><dd class="more">(.*?)</dd>', self.text, re.DOTALL
        )
        return {unescape(name): (plain(value), plain(more)) for name, value, more in found}

    def section(self, title: str) -> str:
        """The text of a section."""
        (found,) = [part for part in self.sections if part.startswith(f"<h2>{title}</h2>")]
        return found

    @property
    def sections(self) -> list[str]:
        """The text of each section."""
        found = re.findall(r"<section>\s*(.*?)</section>", self.text, re.DOTALL)
        return [str(part) for part in found]

    @cached_property
    def figures(self) -> list[Shown]:
        """Every figure, in order."""
        return [
            figure(part)
            for part in re.findall(r"<figure[ >].*?</figure>", self.text, flags=re.DOTALL)
        ]

    def figure(self, name: str) -> Shown:
        """The figure of that name."""
        (found,) = [each for each in self.figures if each.name == name]
        return found

    def figures_of(self, title: str) -> list[Shown]:
        """The figures of a section."""
        return Page(self.section(title)).figures

    def tables(self, title: str) -> list[list[Row]]:
        """The tables of a section that stand in no figure."""
        alone = re.sub(r"<figure[ >].*?</figure>", "", self.section(title), flags=re.DOTALL)
        return [table(part) for part in re.findall(r"<table>.*?</table>", alone, re.DOTALL)]


def page_of(*sections: Section | None) -> Page:
    """A page of some sections only."""
    return Page(Document("", [section for section in sections if section]).html())


def figure(text: str) -> Shown:
    """A figure from its HTML."""
    name = re.match(r'<figure id="([^"]*)"', text)
    title = re.search(r"<figcaption>(.*?)</figcaption>", text)
    remark = re.search(r'<p class="remark">(.*?)</p>', text)
    spec = re.search(r'<script type="application/json">(.*?)</script>', text, re.DOTALL)
    rows = re.search(r"<table>.*?</table>", text, re.DOTALL)
    assert title
    assert spec
    return Shown(
        name[1] if name else "",
        unescape(title[1]),
        unescape(remark[1]) if remark else "",
        json.loads(spec[1]),
        table(rows[0]) if rows else [],
    )


def table(text: str) -> list[Row]:
    """A table from its HTML: a mapping from column to text for each row."""
    lines = [
        [plain(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)]
        for row in re.findall(r"<tr>(.*?)</tr>", text, re.DOTALL)
    ]
    return [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]


def plain(text: str) -> str:
    """HTML as text, with ordinary spaces."""
    return unescape(re.sub("<[^>]*>", "", text)).replace("\N{NO-BREAK SPACE}", " ")


def views(spec: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """The mark, and the field or value on each channel, of every view of a chart."""
    if "mark" in spec and "encoding" in spec:
        mark = spec["mark"] if isinstance(spec["mark"], str) else spec["mark"]["type"]
        fields = {
            channel: str(own["field"])
            for channel, own in spec["encoding"].items()
            if isinstance(own, dict) and "field" in own
        }
        yield {"mark": mark, **fields}
    for inside in ("layer", "vconcat", "hconcat", "concat"):
        for part in spec.get(inside, ()):
            yield from views(part)
    if isinstance(spec.get("spec"), dict):
        yield from views(spec["spec"])


def domains(spec: object) -> Iterator[tuple[str, float, float]]:
    """The field and the ends of every axis of numbers whose ends are set."""
    if isinstance(spec, list):
        for part in spec:
            yield from domains(part)
    elif isinstance(spec, dict):
        for channel in ("x", "y"):
            own = spec.get("encoding", {}).get(channel, {})
            ends = (own.get("scale") or {}).get("domain")
            if ends and own.get("type") == "quantitative":
                yield own["field"], ends[0], ends[1]
        for part in spec.values():
            yield from domains(part)


def number(text: str) -> float:
    """A number as it is printed: thousands separated, perhaps a percentage."""
    found = re.fullmatch(r"([+-]?[\d,]*\.?\d+(?:e[+-]?\d+)?) ?(%?)", text.strip())
    assert found, text
    return float(found[1].replace(",", "")) / (100 if found[2] else 1)


def microseconds(text: str) -> float:
    """A length of time with its unit."""
    value, unit = text.rsplit(" ", 1)
    return number(value) * MICROSECONDS[unit]


def said(pattern: str, text: str) -> dict[str, str]:
    """The named parts of a sentence that is to read like this."""
    found = re.fullmatch(pattern, text)
    assert found, f"{text!r} is not like {pattern!r}"
    return found.groupdict()


def close(value: float) -> Any:
    """A number as tables show it: four significant digits, three where it is below a thousandth."""
    return pytest.approx(value, rel=5.1e-4 if abs(value) >= 1e-3 else 5.1e-3, abs=1e-12)


def about(value: float) -> Any:
    """A number as sentences say it: three significant digits."""
    return pytest.approx(value, rel=5.1e-3, abs=1e-12)


def whole_percent(share: float) -> Any:
    """A share as whole percents."""
    return pytest.approx(share, abs=0.00501)


def percents(share: float) -> Any:
    """A share as the report says it: two digits, whole percents from ten on."""
    return whole_percent(share) if share >= 0.0995 else pytest.approx(share, rel=0.0501)


def same_rows(
    found: Sequence[Mapping[str, Any]],
    wanted: Sequence[Mapping[str, Any]],
    rel: float = 1e-9,
    abs: float = 1e-12,
) -> None:
    """Compare rows of a chart or of a frame, field by field, with those that are wanted."""
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        for key, value in other.items():
            if isinstance(value, float):
                assert one[key] == pytest.approx(value, rel=rel, abs=abs), (key, one, other)
            else:
                assert one[key] == value, (key, one, other)


def same_cells(found: Sequence[Row], wanted: Sequence[Mapping[str, Any]]) -> None:
    """Compare a printed table with the numbers and words that are to stand in it."""
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        assert list(one) == list(other)
        for key, value in other.items():
            match value:
                case None:
                    assert one[key] == "–", (key, one, other)
                case str():
                    assert one[key] == value, (key, one, other)
                case int():
                    assert number(one[key]) == value, (key, one, other)
                case _:
                    assert number(one[key]) == close(value), (key, one, other)
