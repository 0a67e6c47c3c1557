"""The rule: from the parts of a drive its file.

`python -m validation.assemble` writes all files of `validation/drives`. A file is that of the class (`validation/classes`), whose places in braces are filled from the parts.
"""

from __future__ import annotations

import math
from pathlib import Path

from .dies import GIBIT_A_PLANE, OF_THE_DIE, TABLE, WORD_LINE, Die, die, page_time
from .parts import CHANNELS, CLIENT, DATACENTER, HMB, PARTS, TITLES, Parts

HERE = Path(__file__).parent
CLASSES = HERE / "classes"
FOLDER = HERE / "drives"
BY_PAGE = (0.57, 1.0, 1.43)
"""Programs of lower, middle and upper pages of TLC over their mean, as in client-tlc."""
SENSING = (0.9, 1.2, 0.9)
"""Two, three and two sensing levels, over their mean."""
UNITS_OF_A_PAGE, MOST_UNITS = 4, 32_767
"""Units of 4 KiB of a page, and how many of them a block of all planes of a die has at most in Wordline."""
COLUMN = 34
"""Where comments begin."""


def flash(user_bytes: int) -> int:
    """GiB of flash in a drive: the smallest power of two that holds what is sold, so that drives of 800 and 960 GB have as much."""
    return 1 << math.ceil(math.log2(user_bytes / 2**30))


def microseconds(value: float) -> str:
    """A time as drive files have it."""
    return f"{round(value, 1):g} us"


def assemble(parts: Parts) -> str:
    """The file of a drive."""
    fills = header(parts) | geometry(parts) | cells(parts) | cache(parts)
    fills |= parts.die | slc_map(parts)
    template = (CLASSES / f"{parts.kind}.toml").read_text(encoding="utf-8")
    text = template.format_map({key: str(value) for key, value in fills.items()})
    return "\n".join(aligned(line) for line in text.splitlines() if line != "-") + "\n"


def aligned(line: str) -> str:
    """A line whose comment stands below the others."""
    setting, found, why = line.partition(" # ")
    return f"{setting:<{COLUMN - 1}} # {why}" if found and "=" in setting else line


def header(parts: Parts) -> dict[str, object]:
    """What is said of the file as a whole, and its link."""
    fitted = parts.note or "nothing in it was chosen to fit this drive"
    lines = [
        f"Assembled from parts by the rule of docs/explanations/validation.md; {fitted}. [part] what is known of its parts, below; [rule] that rule;",
        f"[class] the same in all drives of the class {TITLES[parts.kind]}, as in a preset of Wordline, where the sources are, unless one is named here; [calibrated] one value",
        "for all drives of data-centre TLC, set by measurements of three of them; [assumed] no source.",
        *parts.sources,
    ]
    if parts.maker:
        lines.append(f"[ISSCC] {TABLE}, column of {die(parts.maker, parts.layers).column}")
    if parts.kind == DATACENTER:
        lines.append("[NVMeVirt] github.com/snu-csl/nvmevirt, ssd_config.h")
    whole = "[switch] the one thing that is not the same in all drives: saturated, its reads are measured to be as slow as its writes, those of the PM9A3 are not"
    return {
        "title": parts.title,
        "layers": parts.layers,
        "generation": f"{parts.link}.0" if parts.kind != "sata-mlc" else "6 Gb/s",
        "sources": "\n".join(f"# {line}" for line in lines) + "\n",
        "pcie": parts.link,
        "link_why": parts.link_why,
        "lanes_why": parts.lanes_why,
        "when_full": f'when_full = "in_order" # {whole}' if parts.when_full else "-",
        "age": "\n".join(("[age]", *parts.age)),
    }


def geometry(parts: Parts) -> dict[str, object]:
    """Dies from capacity, channels from the controller, spare space from both."""
    planes = int(parts.die["planes"]) if "planes" in parts.die else of(parts).planes
    gibit = parts.die_gibit or GIBIT_A_PLANE * planes
    channels = parts.channels or CHANNELS[parts.kind]
    gibibytes = flash(parts.user_bytes)
    chips = math.ceil(gibibytes * 8 / gibit / channels)
    dies = chips * channels
    pages = int(parts.die["pages"]) if "pages" in parts.die else WORD_LINE * parts.layers
    half = planes * pages * UNITS_OF_A_PAGE > MOST_UNITS
    pages = pages // 2 if half else pages
    page = int(parts.die.get("page_bytes", "16384"))
    held = dies * gibit * 2**27
    column = "" if not parts.maker else of(parts).column
    even = (
        ""
        if dies * gibit == gibibytes * 8
        else f", as many on each channel as {gibibytes} GiB need at least"
    )
    return {
        "channels": channels,
        "channels_why": parts.channels_why
        or "[assumed] of every controller of this class that is not known",
        "chips": chips,
        "dies_why": f"{dies} dies of {gibit} Gbit: {gibibytes} GiB are the smallest power of two that holds {parts.user_bytes // 10**9} GB{even}",
        "planes": planes,
        "planes_why": f"[ISSCC] {column}",
        "plane_gbit": gibit // planes,
        "blocks": gibit * 2**27 // planes // (pages * page),
        "pages": pages,
        "pages_why": f"[rule] {parts.layers} layers {parts.layers_why} x 4 strings x 3 pages"
        + (", halved: Wordline has no longer blocks" if half else ""),
        "spare": f"{held / parts.user_bytes - 1:.3g}",
        "spare_why": f"{dies} dies of {gibit // 8} GiB beside {parts.user_bytes // 10**6:,} MB that are sold",
        "independent": str(planes >= 4).lower(),
        "joined": str(planes < 4).lower(),
    }


def of(parts: Parts) -> Die:
    """The column of the table for a drive."""
    return die(parts.maker, parts.layers)


def cells(parts: Parts) -> dict[str, object]:
    """Times of the flash."""
    if not parts.maker:
        return {}
    found = die(parts.maker, parts.layers)
    near = (
        ""
        if found.layers == parts.layers
        else f", {found.layers} layers, the nearest to {parts.layers} [assumed]"
    )
    page = page_time(found)
    rate = f"[ISSCC] {found.planes} planes x 16 KiB / {found.program} MB/s = {page} us"
    program = page_time(found, OF_THE_DIE)
    return {
        "interface": found.interface,
        "interface_why": f"[ISSCC] {found.megabits} Mbit/s a pin{near}; whose mode it is, is assumed",
        "t_r": "[" + ", ".join(f'"{microseconds(found.sensing * each)}"' for each in SENSING) + "]",
        "t_r_why": f"[ISSCC] {found.sensing:g} us in the mean{near}; [class] 0.9, 1.2 and 0.9 of it by page type",
        "t_prog": program,
        "t_prog_pages": "[" + ", ".join(f'"{round(page * each)} us"' for each in BY_PAGE) + "]",
        "t_prog_why": rate + near,
        "safe": f"{3 * program / 10:g}",
        "t_slc": "78" if parts.kind == CLIENT else "200",
        "t_slc_why": "[class] 32 planes x 16 KiB / 5 GB/s = 105 us, the maker's figure of the 980 PRO, less 27 us of two transfers on the bus"
        if parts.kind == CLIENT
        else "[class] 200 to 300 us of SLC cells",
    }


def cache(parts: Parts) -> dict[str, object]:
    """The SLC cache, as shares of the blocks."""
    if parts.slc is None:
        why = "[class] not known; as in client-dramless [assumed]"
        return {"static": 1.2, "static_why": why, "dynamic": 23.4, "dynamic_why": why}
    bits = 4 if parts.kind == "client-qlc" else 3
    held = flash(parts.user_bytes) * 2**30
    fixed, free = (100 * gigabytes * 1e9 * bits / held for gigabytes in parts.slc)
    return {
        "static": f"{fixed:.1f}",
        "static_why": f"{parts.slc_why} {parts.slc[0]:g} GB",
        "dynamic": f"{free:.1f}",
        "dynamic_why": f"{parts.slc_why} {parts.slc[1]:g} GB more on an empty drive",
    }


def slc_map(parts: Parts) -> dict[str, object]:
    """The part of the map that is in the memory of the host."""
    if parts.kind != HMB:
        return {}
    share = 100 * (64 << 20) / 4 / (parts.user_bytes / 4096)
    return {
        "cached": f"{share:.2f}",
        "cached_why": "[part] 64 MiB, for entries of 4 bytes [assumed]",
    }


def main() -> None:
    """Write the files."""
    for parts in PARTS:
        (FOLDER / f"{parts.file}.toml").write_text(assemble(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
