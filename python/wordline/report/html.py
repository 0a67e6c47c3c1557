"""HTML from templates: every value is escaped unless it is made here from escaped text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from wordline import _wordline
from wordline.formatting import display, nearer
from wordline.report.drawing import drawing
from wordline.report.section import Section

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

PERCENTILE = re.compile(r"p\d")
"""What the name of a percentile begins with."""
Cards = Sequence[tuple[str, str, str]]
"""Key figures: name, value and small print of each."""
Boxes = Sequence[tuple[str, str]]
"""Remarks: severity and text of each; words in backticks are code."""


@dataclass(frozen=True)
class Page:
    """A page that needs no network, no server and no other file."""

    heading: str
    """Its title."""
    sections: Sequence[Section]
    """What it shows."""
    subtitle: str = ""
    """What else there is to know of its subject."""
    lead: Sequence[str] = ()
    """What it comes to, in sentences: a paragraph each."""
    boxes: Boxes = ()
    """What the reader should know before the numbers."""
    cards: Cards = ()
    """Key figures."""

    @property
    def has_charts(self) -> bool:
        """Whether there is anything to draw."""
        return any(section.figures for section in self.sections)

    def html(self) -> str:
        """The page as HTML."""
        from markupsafe import Markup

        from wordline.report.theme import dark_rules

        text: str = template("page.html").render(
            page=self,
            version=_wordline.__version__,
            chart_colours=Markup(dark_rules(".chart ")),
            # inside a script element, only this sequence would end it early
            script=Markup(drawing().replace("</script", "<\\/script")) if self.has_charts else "",
        )
        return text


def template(name: str) -> Any:
    """A template of this package."""
    return environment().get_template(name)


@cache
def environment() -> Environment:
    """Templates with escaping switched on; a name that is missing is an error."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    found = Environment(
        loader=PackageLoader("wordline.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {
        "alignment": alignment,
        "code": code,
        "display": cell,
        "prose": prose,
        "specification": specification_json,
    }
    return found


def alignment(value: object) -> Markup:
    """The attribute of a cell: numbers stand on the right, text on the left."""
    from markupsafe import Markup

    return Markup("") if isinstance(value, str) else Markup(' class="n"')


def cell(value: object) -> str:
    """A value of a table; paths as they are seen from the working directory."""
    return nearer(display(value))


def prose(text: str) -> Markup:
    """A sentence with `code` in it, as HTML, with a capital letter first; percentiles stay p99."""
    return code(text if PERCENTILE.match(text) else text[:1].upper() + text[1:])


def code(text: str) -> Markup:
    """A text whose words in backticks are code, as HTML; paths as they are seen from the working directory."""
    from markupsafe import Markup, escape

    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(nearer(text)))))


def specification_json(chart: Mapping[str, Any]) -> Markup:
    """A chart's specification as the content of a script element."""
    from markupsafe import Markup

    text = json.dumps(chart, separators=(",", ":"), allow_nan=False)
    # "<" cannot end the script element early when it is escaped
    return Markup(text.replace("<", "\\u003c"))
