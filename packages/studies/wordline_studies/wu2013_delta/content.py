"""E6: real content. Two versions of a database, through each codec."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from random import Random
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Any

import altair as alt

from wordline.content import Encoding, codecs, compare_versions, packed
from wordline.report.section import Figure, Row
from wordline.report.theme import data, specification
from wordline.studies.study import Part
from wordline.studies.verdict import BEYOND, Claim, Verdict

ACCOUNTS = 20_000
"""Rows of the database; in the quick form a fifth."""
WORDS = [
    "account",
    "open",
    "closed",
    "city",
    "street",
    "north",
    "south",
    "owner",
    "order",
    "paid",
    "due",
    "late",
    "gift",
    "card",
    "note",
]
LOWEST, HIGHEST = 0.20, 0.50
"""The ratios that the source emulates."""


def text(random: Random, words: int) -> str:
    """Some words."""
    return " ".join(random.choice(WORDS) for _ in range(words))


def fill(path: Path, rows: int) -> None:
    """A table of accounts, with a balance and a note each."""
    random = Random(1)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("PRAGMA page_size = 4096")
        database.execute("CREATE TABLE account (id INTEGER PRIMARY KEY, balance REAL, note TEXT)")
        made = ((key, random.random() * 1e4, text(random, 12)) for key in range(rows))
        database.executemany("INSERT INTO account VALUES (?, ?, ?)", made)


def pay(path: Path, rows: int, turn: int) -> None:
    """Every fiftieth account pays: numbers change."""
    random = Random(2 + 10 * turn)
    with closing(sqlite3.connect(path)) as database, database:
        keys = random.sample(range(rows), rows // 50)
        made = [(random.random() * 1e4, key) for key in keys]
        database.executemany("UPDATE account SET balance = ? WHERE id = ?", made)


def rewrite(path: Path, rows: int, turn: int) -> None:
    """Every fiftieth account gets another note: texts change, and what follows them in their page moves."""
    random = Random(3 + 10 * turn)
    with closing(sqlite3.connect(path)) as database, database:
        keys = random.sample(range(rows), rows // 50)
        made = [(text(random, random.randint(6, 18)), key) for key in keys]
        database.executemany("UPDATE account SET note = ? WHERE id = ?", made)


def encrypt(path: Path, rows: int, turn: int) -> None:
    """Every page is encrypted anew: nothing stays."""
    del rows
    path.write_bytes(Random(4 + 10 * turn).randbytes(path.stat().st_size))


CHANGES: Mapping[str, Callable[[Path, int, int], None]] = {
    "balances": pay,
    "notes": rewrite,
    "encrypted": encrypt,
}
"""What happens between two versions, the first or a later time."""


def measure(rows: int) -> list[Row]:
    """Ratios of every codec for every change."""
    found: list[Row] = []
    with TemporaryDirectory() as folder:
        old, new = Path(folder, "old.db"), Path(folder, "new.db")
        fill(old, rows)
        for change, apply in CHANGES.items():
            copyfile(old, new)
            apply(new, rows, 0)
            for name, codec in codecs().items():
                deltas = compare_versions(old, new, codec=name)
                kept = deltas.kept()
                encoding = Encoding(compress_cycles=codec.compress_cycles)
                largest = encoding.largest_ratio
                pages = packed(deltas.bytes[kept]).pages_per_delta
                found.append(
                    {
                        "change": change,
                        "codec": name,
                        "pages changed": deltas.changed,
                        "mean ratio": round(float(deltas.ratios.mean()), 4),
                        "kept as deltas": round(float(kept.mean()), 4),
                        "pages for each delta": None if pages is None else round(pages, 4),
                        "encode (µs)": round(encoding.encode_us, 1),
                        "largest viable ratio": round(largest, 3) if largest > 0 else None,
                    }
                )
    return found


def claims(rows: list[Row]) -> list[Claim]:
    """What the source assumes of content."""
    of_lzf = {row["change"]: row for row in rows if row["codec"] == "lzf"}
    changed = [row for row in of_lzf.values() if row["change"] != "encrypted"]
    ratios = {str(row["change"]): float(str(row["mean ratio"])) for row in changed}
    shown = (
        f"{' and '.join(ratios)} (ratio): {', '.join(f'{ratio:.3f}' for ratio in ratios.values())}"
    )
    lost = [float(str(row["kept as deltas"])) for row in rows if row["change"] == "encrypted"]
    return [
        Claim(
            "Overwrites of a database have ratios of 0.50 or less with LZF",
            "section 4.5.3: ratios of 0.20 to 0.50 are emulated",
            f"mean ratio of {shown}",
            Verdict(sum(ratio <= HIGHEST for ratio in ratios.values()), len(ratios)),
        ),
        Claim(
            "Of encrypted content no page is kept as a delta, with any codec",
            BEYOND,
            f"largest share kept: {100 * max(lost):.1f} %",
            Verdict(sum(share == 0 for share in lost), len(lost)),
        ),
    ]


def bars(rows: list[Row], named: str, value: str, panel: str, width: int) -> Mapping[str, Any]:
    """A bar for each name, in a panel of some pixels for each kind of content."""
    return specification(
        alt.Chart(data(rows))
        .mark_bar()
        .encode(
            x=alt.X(f"{named}:N", title=None, axis=alt.Axis(labelAngle=-35)),
            y=alt.Y(field=value, type="quantitative"),
            column=alt.Column(f"{panel}:N", title=None, sort=list(CHANGES)),
        )
        .properties(width=width, height=170)
    )


def content(quick: bool) -> Part:
    """The table of codecs."""
    rows = measure(ACCOUNTS // 5 if quick else ACCOUNTS)
    chart = bars(rows, "codec", "mean ratio", "change", 180)
    return Part(
        "Real content",
        (
            f"A database of {ACCOUNTS:,} accounts before and after every fiftieth has paid, before and after every fiftieth has got another note, and encrypted anew: the pages that differ, through each codec. Every delta is put into a page of deltas, read "
            "back, applied to the older version and compared with the newer one. A clock of 619 MHz. "
            "Bzip2 takes eleven times the cycles of LZF for a page, longer than a program, so that no ratio is viable with it (–). LZO is not here: the crate that is kept up searches for the longest match everywhere, which takes two hundred times the instructions of LZF, so that its times would not be those of the LZO that firmware has ([codecs](../explanations/content.md#codecs))."
        ),
        Figure("Mean ratio of the deltas of changed pages", chart, rows),
        claims(rows),
        open_table=True,
    )
