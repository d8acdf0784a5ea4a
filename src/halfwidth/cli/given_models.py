"""The models that a verb compares, of the trunk or of a branch, and what is asked of them."""

from __future__ import annotations

from typing import Any

import typer

from halfwidth.cli.branch_commands import branch_asked
from halfwidth.cli.comparison_settings import verb_options
from halfwidth.cli.given_data import data_in


def models_in(ctx: typer.Context, files: list[str]) -> tuple[Any, dict[str, Any]]:
    """The models that options name, whatever their data are, and the options of the verb."""
    if branch := branch_asked(ctx):
        return branch.models_in(ctx, files)
    asked = verb_options(ctx)
    return data_in(files, ctx.params), asked
