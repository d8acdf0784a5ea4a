"""What branches bring to verbs that they share: options, data, curves, and what is told of them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import typer

from halfwidth.core.branches import modules_brought
from halfwidth.core.catalogue import Catalogue
from halfwidth.document.parts import Document
from halfwidth.results.curves import SeveralCurves
from halfwidth.results.estimate import Estimate


class BranchCommands(Protocol):
    """A module of a branch: its part in the verbs of several models, and in their help."""

    # Groups of options of the verbs that compare models.
    OPTIONS: tuple[Callable[..., None], ...]
    # What the models are called, what their files hold, and the option that asks for them.
    MODELS: str
    CONTENT: str
    ASKED_BY: str
    # The curves that `compare` draws of them.
    PLOT_KINDS: tuple[str, ...]
    # What the help of ``--plot-kind`` says of them.
    PLOTS: str
    # What ``methods --for`` calls the branch and says of it; what `explain` knows beside metrics.
    TASK: str
    TASK_HELP: str
    CATALOGUES: tuple[Catalogue[Any], ...]
    # What stands at the end of the help of its verbs, and of those that compare.
    EPILOGS: Mapping[str, Callable[[], str]]

    def asks(self, ctx: typer.Context, /) -> bool:
        """Whether options ask for data of the branch; others that need such data are refused."""

    def models_in(
        self, ctx: typer.Context, files: list[str], /, *, metric_given: bool = True
    ) -> tuple[Any, dict[str, Any]]:
        """The data that options name, and the options of the verb."""

    def alone(self, data: Any, /) -> Any:
        """The data of the only model, without its name."""

    def files_beside(self, params: Mapping[str, Any], /) -> dict[str, Any]:
        """Files that are read beside those of the models."""

    def check_curves(self, kind: str | None, models: Sequence[str], average: Any, /) -> None:
        """Refuse curves that one figure cannot show."""

    def curves_behind(
        self, kind: str, data: Any, estimate: Estimate, asked: Mapping[str, Any], /
    ) -> SeveralCurves[Any]:
        """The curves of all models, with the draws of the estimate."""

    def curves_of_estimates(
        self, data: Any, estimates: Sequence[Estimate], asked: Mapping[str, Any], /
    ) -> tuple[SeveralCurves[Any], ...]:
        """The curves of which a report has the areas."""

    def overview(self) -> Document:
        """What ``methods --for`` lists."""

    def explained(self, spec: Any, /) -> dict[str, str]:
        """What `explain` says of an entry of its catalogues."""


@functools.cache
def commands_of_branches() -> tuple[Any, ...]:
    """The commands of each branch."""
    return tuple(modules_brought("COMMANDS"))


def branch_asked(ctx: typer.Context) -> BranchCommands | None:
    """The branch whose data the options of a verb ask for, if any."""
    asked: list[BranchCommands] = [one for one in commands_of_branches() if one.asks(ctx)]
    return asked[0] if asked else None
