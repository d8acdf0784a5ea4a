"""What a comparison is asked to do, checked once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from halfwidth.comparison.verdicts import check_goal, check_margin
from halfwidth.core.by_metric import Numbers, as_numbers, check_numbers, check_penalty, number_of
from halfwidth.core.checks import as_choice
from halfwidth.core.errors import DataError, OptionError, UnknownNameError
from halfwidth.core.forms import Effect
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import at_door, flag_of, spelled
from halfwidth.core.spec import Better, Estimand, Metric, Statistic
from halfwidth.estimation.pipeline import plan_of
from halfwidth.estimation.resolve import Request
from halfwidth.measuring.plans import Comparable, Matched
from halfwidth.measuring.readings import ComparedReaders
from halfwidth.metrics.names import CustomMetric
from halfwidth.resampling.draws import Plan

# What others call them.
CORRECTIONS = dict.fromkeys(("bh", "BH", "fdr", "fdr_bh"), "benjamini_hochberg")
EFFECTS = dict.fromkeys(("relative", "rel", "quotient"), "ratio")


@frozen
class Settings:
    """The options of a comparison, checked."""

    how: Matched
    effect: Effect
    # The model that all others are compared with; None for all pairs.
    baseline: str | None
    test: str
    correction: str
    margin: Numbers | None
    # That each model alone should reach.
    goal: Numbers | None
    # Whether models are ranked, for which a goal means nothing.
    ranked: bool = False

    @property
    def request(self) -> Request:
        """What all estimates share."""
        return self.how.request

    @property
    def paired(self) -> bool:
        """Whether the models were measured on the same cases."""
        return self.how.paired

    @property
    def plan(self) -> Plan:
        """How all bootstraps of the call are drawn; keeps what they have in common."""
        return plan_of(self.request)

    def pairs(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """Which models are compared: each with the baseline, or all pairs in the order given."""
        if self.baseline is not None:
            if self.baseline not in names:
                raise UnknownNameError("baseline", self.baseline, names)
            return [(name, self.baseline) for name in names if name != self.baseline]
        return [(one, other) for at, one in enumerate(names) for other in names[at + 1 :]]


def resolve_settings(
    how: Matched,
    *,
    effect: Any,
    baseline: Any,
    test: Any,
    correction: Any,
    margin: Any,
    goal: Any,
) -> Settings:
    """Check the options of a comparison."""
    return Settings(
        how,
        as_choice("effect", effect, meant=EFFECTS),
        None if baseline is None else str(baseline),
        as_choice("test", test),
        as_choice("correction", correction, meant=CORRECTIONS),
        None if margin is None else as_numbers("margin", margin),
        None if goal is None else as_numbers("goal", goal),
    )


def check_against_statistic(settings: Settings, statistic: Statistic) -> None:
    """Refuse margins and goals for a spread: neither more nor less of it is better by itself."""
    for name, number in (("margin", settings.margin), ("goal", settings.goal)):
        if number is not None and statistic.spec.estimand is Estimand.SPREAD:
            raise OptionError(
                f"{spelled(name, number)}: neither a higher nor a lower {statistic.spec.title} is "
                f"better by itself; take a mean, a median or a quantile ({spelled('statistic')})"
            )


def plain(metric: Metric | CustomMetric) -> Metric:
    """A metric, or what a user's function is called."""
    return metric.metric if isinstance(metric, CustomMetric) else metric


def orders_models(metric: Metric) -> bool:
    """Whether higher or lower values are better; of a metric of one's own something else may say.

    >>> from halfwidth.metrics.all_metrics import METRICS
    >>> [orders_models(Metric(METRICS[name])) for name in ("dsc", "relative_volume_error")]
    [True, False]
    """
    own = metric.spec.function is None and metric.spec.better is Better.UNSTATED
    return own or metric.spec.better in (Better.HIGHER, Better.LOWER)


def check_families(families: Sequence[Comparable | ComparedReaders], settings: Settings) -> None:
    """Refuse models and options that leave nothing to compare, or nothing to say of it."""
    metrics = [plain(one.metric) for one in families]
    needed = [one for one in metrics if orders_models(one)] or metrics
    in_unit = settings.effect == "difference"
    check_numbers("margin", settings.margin, metrics, needed, in_unit=in_unit)
    check_numbers("goal", settings.goal, metrics, needed)
    check_penalty(settings.request.penalty, metrics)
    for family, metric in zip(families, metrics, strict=True):
        check_models(family.models, settings)
        check_margin(number_of(settings.margin, metric), metric, settings.effect)
        check_goal(number_of(settings.goal, metric), metric)
        if family.statistic is not None:
            check_against_statistic(settings, family.statistic)


def check_models(names: Sequence[str], settings: Settings) -> None:
    """Refuse what leaves nothing to compare."""
    if not names:
        raise DataError("no models to compare")
    if list(names) == [""]:
        each = at_door(
            "give the values or predictions of each model by its name: {'A': a, 'B': b}",
            f"give a file of each, or name the column of models: {flag_of('model')}",
        )
        raise DataError(f"one model without a name has nothing to compare it with; {each}")
    if len(names) == 1 and settings.goal is None:
        alone = f"one model ({names[0]!r}), and nothing to compare it with; "
        if settings.ranked:
            raise DataError(f"{alone}name two models or more")
        raise DataError(f"{alone}compare a single model with a goal: {spelled('goal')}")
    if settings.baseline is not None and settings.baseline not in names:
        raise UnknownNameError("baseline", settings.baseline, names)
