"""The reference page of the Python package, from its signatures and docstrings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import griffe

PACKAGES = [Path(__file__).parents[1] / place for place in ("python", "packages/fscale/python")]
"""Where the package and those beside it are."""

GROUPS = {
    "Drives and workloads": ("config",),
    "Running": ("simulation", "seeds", "loading", "options", "result", "intervals", "judgement"),
    "Sweeps, searches and inference": ("sweep", "space", "values", "search", "infer"),
    "Results": ("results", "notes", "plotting", "frames"),
    "Comparing results": ("comparison", "statistics"),
    "Traces and profiles": ("traces", "fitting"),
    "Lifetime": ("lifetimes", "lives", "replicas", "service", "intensity"),
    "Energy of flash operations": ("power", "driveenergy", "powersources"),
    "Cells": ("cell", "sampling"),
    "Error-correcting codes": ("ecc",),
    "Versions of pages": ("content",),
    "Very large drives": ("drives",),
    "Data sheets": ("sheet",),
    "Retention": ("retention",),
    "Policies in Python": ("policies",),
    "Closed forms": ("_wordline",),
    "Errors": ("errors",),
}
"""The headings of the page, and the modules whose names stand under each."""

BY_NAME = {"Error": "Errors", "View": "Policies in Python"}
"""The headings of classes whose names end so."""

BESIDE = (
    "plotting.Plots",
    "results.Distribution",
    "comparison.Contender",
    "comparison.Metric",
    "comparison.Setting",
    "driveenergy.OperationEnergy",
    "powersources.Source",
    "sampling.sample",
    "sampled.intervals.SampledFigure",
    "sampled.judgement.Finding",
    "cell.cell_names",
    "content.Codec",
    "content.codecs",
    "content.emulated",
    "content.packed",
    "content.programs_per_write",
)
"""What is reached through other names than those of the package itself."""

SECTIONS = {
    griffe.DocstringSectionKind.parameters: "Arguments",
    griffe.DocstringSectionKind.raises: "Raises",
}

STARS = {
    griffe.ParameterKind.var_positional: "*",
    griffe.ParameterKind.var_keyword: "**",
}
"""What stands in front of parameters that take any number of arguments."""

NAMED_FROM_HERE = {griffe.ParameterKind.var_positional, griffe.ParameterKind.keyword_only}
"""Kinds of parameters after which all others are given by name."""


def python() -> Iterator[str]:
    """The page."""
    whole_sentences = griffe.GoogleOptions(returns_multiple_items=False, returns_named_value=False)
    loader = griffe.GriffeLoader(
        search_paths=PACKAGES, docstring_parser="google", docstring_options=whole_sentences
    )
    package, fscale = (loader.load(name) for name in ("wordline", "wordline_fscale"))
    assert isinstance(package, griffe.Module)
    assert isinstance(fscale, griffe.Module)
    objects = {f"wl.{name}": package[name].final_target for name in public_names(package)}
    objects |= {f"wordline.{name}": package[name] for name in BESIDE}
    objects |= {
        f"wordline_fscale.{name}": fscale[name].final_target for name in public_names(fscale)
    }
    yield (
        "# Python\n\n`import wordline as wl` makes every name below available as `wl.NAME`; names of other modules "
        "are given in full. `wordline_fscale` is a package of its own: `pip install 'wordline[fscale]'`. The guides show them at work: [read results](../how-to/read-results.md), "
        "[compare drives](../how-to/compare-drives.md), [sweep in Python](../how-to/sweep-in-python.md).\n"
    )
    for heading, names in grouped(objects).items():
        yield f"\n## {heading}\n"
        for name in names:
            yield from entry(name, objects[name])


def public_names(package: griffe.Module) -> list[str]:
    """The names that the package offers, from its stub; classes before the functions of their module."""
    return [
        name
        for name, member in package.members.items()
        if isinstance(member, griffe.Alias)
        and member.target_path.startswith(f"{package.name}.")
        and name[0] != "_"
    ]


def grouped(objects: dict[str, griffe.Object]) -> dict[str, list[str]]:
    """The names under each heading; errors and views are together, whatever module they are from."""
    headings = {module: heading for heading, modules in GROUPS.items() for module in modules}
    groups: dict[str, list[str]] = {heading: [] for heading in GROUPS}
    for name, item in objects.items():
        heading = headings[item.module.name]
        if isinstance(item, griffe.Class):
            ends = (end for end in BY_NAME if name.endswith(end))
            heading = next((BY_NAME[end] for end in ends), heading)
        groups[heading].append(name)
    return groups


def entry(name: str, item: griffe.Object) -> Iterator[str]:
    """A class with its members, or a function."""
    yield f"\n### {name}\n"
    if isinstance(item, griffe.Function):
        yield from called(name, item)
        return
    assert isinstance(item, griffe.Class)
    bases = ", ".join(f"`{base}`" for base in item.bases)
    yield from text(item)
    if bases:
        yield f"\nA subclass of {bases}.\n"
    if is_made_by_users(item):
        yield from signature(name, item)
    members = [each for each in members_of(item) if each.is_public and each.name[0] != "_"]
    attributes = [each for each in members if isinstance(each, griffe.Attribute)]
    if attributes:
        yield "\n| attribute | type | meaning |\n|---|---|---|\n"
        for attribute in attributes:
            yield f"| `{attribute.name}` | {typed(attribute)} | {in_a_row(attribute)} |\n"
    for each in members:
        if isinstance(each, griffe.Function):
            made_by_class = "classmethod" in each.labels or "staticmethod" in each.labels
            yield f"\n#### {name}.{each.name}\n"
            yield from called(f"{name}.{each.name}" if made_by_class else f".{each.name}", each)


def members_of(item: griffe.Class) -> list[griffe.Object]:
    """Attributes, properties and methods, inherited ones of this package included."""
    found = {**item.inherited_members, **item.members}
    return [
        each.final_target if isinstance(each, griffe.Alias) else each for each in found.values()
    ]


def is_made_by_users(item: griffe.Class) -> bool:
    """Whether a class is called directly; others come from a function or a class method."""
    parameters = [each for each in item.parameters if each.name != "self"]
    return bool(parameters) and not any("_wordline" in str(each.annotation) for each in parameters)


def called(name: str, function: griffe.Function) -> Iterator[str]:
    """How a function is called, and what it does."""
    yield from signature(name, function)
    yield from text(function)


def signature(name: str, item: griffe.Function | griffe.Class) -> Iterator[str]:
    """The call, on one line where it fits."""
    parameters = []
    named_only = False
    for each in item.parameters:
        if each.name in {"self", "cls"}:
            continue
        if each.kind is griffe.ParameterKind.keyword_only and not named_only:
            parameters.append("*")
        named_only |= each.kind in NAMED_FROM_HERE
        annotation = f": {each.annotation}" if each.annotation else ""
        given = each.default is not None and each.kind not in STARS
        default = f" = {each.default}" if given else ""
        parameters.append(f"{STARS.get(each.kind, '')}{each.name}{annotation}{default}")
        if each.kind is griffe.ParameterKind.positional_only:
            parameters[:] = [one for one in parameters if one != "/"] + ["/"]
    gives = f" -> {item.returns}" if isinstance(item, griffe.Function) and item.returns else ""
    line = f"{name}({', '.join(parameters)}){gives}"
    if len(line) > 96:
        inside = "".join(f"    {each},\n" for each in parameters)
        line = f"{name}(\n{inside}){gives}"
    yield f"\n```py\n{line}\n```\n"


def text(item: griffe.Object) -> Iterator[str]:
    """The docstring: sentences, then lists of arguments and errors."""
    assert item.docstring is not None, f"{item.path} has no docstring"
    for section in item.docstring.parsed:
        if section.kind is griffe.DocstringSectionKind.text:
            yield f"\n{section.value}\n"
        elif section.kind is griffe.DocstringSectionKind.returns:
            yield f"\nReturns: {' '.join(section.value[0].description.split())}\n"
        elif section.kind in SECTIONS:
            yield f"\n{SECTIONS[section.kind]}:\n\n"
            for each in section.value:
                name = getattr(each, "name", None) or each.annotation
                described = " ".join(each.description.split())
                yield f"* `{name}`: {described}\n" if name else f"* {described}\n"
        else:
            raise ValueError(f"{item.path}: a section of the docstring that is not known here")


def typed(item: griffe.Attribute) -> str:
    """The type of an attribute, for a table cell."""
    return f"`{item.annotation}`".replace("|", "\\|") if item.annotation else ""


def in_a_row(item: griffe.Attribute) -> str:
    """The docstring of an attribute, for a table cell."""
    assert item.docstring is not None, f"{item.path} has no docstring"
    sentences = item.docstring.parsed[0].value
    errors = [
        f"Raises `{each.annotation}`: {' '.join(each.description.split())}"
        for section in item.docstring.parsed[1:]
        for each in section.value
    ]
    joined = " ".join(" ".join([sentences, *errors]).split())
    return joined.replace("|", "\\|").replace("<", "&lt;")
