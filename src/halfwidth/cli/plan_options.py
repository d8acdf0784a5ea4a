"""What the verbs of ``halfwidth plan`` share: options, and how their answers are written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from halfwidth.cli import figures, options
from halfwidth.cli.answer import Answer
from halfwidth.cli.option_groups import declared, option
from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_table.option import Group
from halfwidth.core.parameters import split_names
from halfwidth.document.parts import Figure
from halfwidth.metrics.all_metrics import METRICS, SAMPLE_METRICS
from halfwidth.planning.aurocs import auroc
from halfwidth.results.sample_size import SampleSize, plans_document

Halfwidths = Annotated[list[float] | None, declared("halfwidth", more="Repeatable.")]
Widths = Annotated[list[float] | None, declared("width", more="Repeatable.")]
Sizes = Annotated[
    list[str] | None,
    option(
        "The reverse: the width that so many cases give; repeatable, or a list with commas.",
        "N",
        Group.GOAL,
        flags=("--n", "-n"),
    ),
]
Assurance = Annotated[float | None, declared("assurance")]
Prevalence = Annotated[list[float], declared("prevalence", more="Repeatable.")]
Expected = Annotated[list[float], declared("expected", "planning", more="Repeatable.")]
Formula = Annotated[str, declared("method", auroc.__name__, flags=("--method", "--formula"))]
Method = Annotated[str, declared("method", "planning", flags=("--method", "--formula"))]
Mean = Annotated[float | None, declared("mean", "planning")]
Margin = Annotated[float | None, declared("margin", "planning")]
Power = Annotated[float | None, declared("power")]
Plot = Annotated[
    Path | None,
    option(
        "Draw the width against the number of cases: FILE.png, .svg or .pdf.",
        "FILE",
        Group.OUTPUT,
    ),
]


@frozen
class Outlet:
    """Where an answer goes, checked before any work is done."""

    fmt: str
    out: Path | None
    plot: Path | None

    @classmethod
    def from_options(
        cls, fmt: str | None, json: bool, out: Path | None, plot: Path | None
    ) -> Outlet:
        """An outlet from the options as given."""
        chosen = options.resolve_format(fmt, json, out)
        figures.check(plot, None, ("plan",))
        return cls(chosen, out, plot)


def parse_goals(
    halfwidth: Sequence[float] | None,
    width: Sequence[float] | None,
    n: Sequence[str] | None,
    power: float | None = None,
) -> list[dict[str, Any]]:
    """The goals one by one, as a plan takes them: a half-width, a width, or a number of cases."""
    goals = {"--halfwidth": halfwidth, "--width": width, "--n": n}
    named = [name for name, values in goals.items() if values]
    if power is not None and not named:
        return [{}]
    if len(named) != 1:
        count_text = f"got {' and '.join(named)}" if named else "got none of them"
        raise OptionError(
            "say what to plan for: --halfwidth (or --width), or --n for the width of so many "
            f"cases; {count_text}"
        )
    return [
        *({"halfwidth": number} for number in halfwidth or ()),
        *({"width": number} for number in width or ()),
        *({"n": number} for number in parse_sizes("--n", n or ())),
    ]


def parse_sizes(option: str, texts: Sequence[str]) -> list[int]:
    """Numbers of cases, from an option that may be repeated or hold a list."""
    names = split_names(texts)
    try:
        return [int(name) for name in names]
    except ValueError:
        raise OptionError(
            f"{option} {','.join(names)} is neither a number of cases nor a list such as 10,20,50"
        ) from None


def answer(plans: Sequence[SampleSize], outlet: Outlet) -> Answer:
    """Plans as a document, and as a figure with --plot."""
    document = plans_document(plans)
    if outlet.plot is not None:
        from halfwidth.plots.plan import plan_curve

        shown = Figure("plan", plan_curve.caption, plans)
        document = figures.with_pages(document, plan_curve.pages(plans), shown, outlet.plot)
    return Answer(document, outlet.fmt, outlet.out)


def refuse_test_set_metric(metric: str | None) -> None:
    """A metric of a whole test set has no spread over cases to plan from."""
    name = (metric or "").partition(":")[0]
    if name in SAMPLE_METRICS and name not in METRICS:
        raise OptionError(
            f"{name} is a metric of a whole test set and has no values of cases; 'halfwidth plan' "
            "has auroc, proportion (accuracy, ...) and classes (sensitivity, specificity)"
        )
