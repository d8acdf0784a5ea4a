"""``halfwidth demo``."""

from __future__ import annotations

import typer


def demo() -> None:
    """Demo."""
    typer.echo("demo")
