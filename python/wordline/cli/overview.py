"""The page of `wordline --help`: Typer's own, without all that Typer imports for it.

Typer's module for help also reads Markdown and prints tracebacks, of which this page has neither; to import it takes
longer than all else. A test holds the two pages together.
"""

from __future__ import annotations

from os import getenv
from typing import Any

from typer.core import HAS_RICH, TyperGroup, TyperOption

STYLES = {
    "option": "bold cyan",
    "switch": "bold green",
    "types": "bold yellow",
    "types_sep": "dim",
    "usage": "yellow",
}
"""Of what the highlighters find."""


class Overview(TyperGroup):
    """The commands of `wordline`."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print usage, purpose, options and commands."""
        if not HAS_RICH:
            super().format_help(ctx, formatter)
            return
        from rich.columns import Columns
        from rich.console import Console
        from rich.highlighter import RegexHighlighter
        from rich.padding import Padding
        from rich.panel import Panel
        from rich.table import Table
        from rich.text import Text
        from rich.theme import Theme

        class Options(RegexHighlighter):
            highlights = (
                r"(^|\W)(?P<switch>\-\w+)(?![a-zA-Z0-9])",
                r"(^|\W)(?P<option>\-\-[\w\-]+)(?![a-zA-Z0-9])",
                r"(?P<types>\<[^\>]+\>)",
                r"(?P<usage>Usage: )",
            )

        class Types(RegexHighlighter):
            highlights = (r"^(?P<types_sep>(\[|<))", r"(?P<types_sep>(\]|>))(\.\.\.)?$")

        highlight, highlight_type = Options(), Types()
        width = getenv("TERMINAL_WIDTH")
        console = Console(
            theme=Theme(STYLES),
            highlighter=highlight,
            force_terminal=forced_terminal(),
            width=int(width) if width else None,
        )
        console.print(Padding(highlight(self.get_usage(ctx)), 1), style="bold")
        console.print(Padding(Text(self.help or ""), (0, 1, 1, 1)))

        options = Table(highlight=True, show_header=False, expand=True, box=None, pad_edge=False)
        for option in self.get_params(ctx):
            if isinstance(option, TyperOption) and not option.hidden:
                kind = Text(option.display_type(ctx), style=STYLES["types"], overflow="fold")
                options.add_row(
                    highlight(",".join(name for name in option.opts if "--" in name)),
                    highlight(",".join(name for name in option.opts if "--" not in name)),
                    *("", ""),  # the long and the short way to say no
                    highlight_type(kind),
                    Columns([Text(option.help or "")]),
                )
        console.print(Panel(options, border_style="dim", title="Options", title_align="left"))

        names = self.list_commands(ctx)
        commands = Table(highlight=False, show_header=False, expand=True, box=None, pad_edge=False)
        commands.add_column(style="bold cyan", no_wrap=True, width=max(map(len, names)))
        commands.add_column(ratio=10)
        for name in names:
            command = self.get_command(ctx, name)
            purpose = command.help if command else None
            commands.add_row(name, Text((purpose or "").split("\n\n")[0].replace("\n", " ")))
        console.print(Panel(commands, border_style="dim", title="Commands", title_align="left"))
        console.print(Padding(Text(self.epilog or ""), 1))


def forced_terminal() -> bool | None:
    """Whether standard output counts as a terminal, where the environment says so."""
    if getenv("_TYPER_FORCE_DISABLE_TERMINAL"):
        return False
    return True if any(map(getenv, ("GITHUB_ACTIONS", "FORCE_COLOR", "PY_COLORS"))) else None
