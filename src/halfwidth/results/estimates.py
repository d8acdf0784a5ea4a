"""Collections of estimates, in the order of the table they come from."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from halfwidth.core.errors import OptionError, proposed, shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.titles import metric_title
from halfwidth.core.types import Array
from halfwidth.results.estimate import Estimate
from halfwidth.results.result import ResultCollection

if TYPE_CHECKING:
    from halfwidth.document.parts import Document


# The level of ``by`` that names the model of an estimate.
MODEL = "model"


@frozen(eq=False)
class Cases:
    """The values behind an estimate, for those who ask for them.

    Attributes
    ----------
    label : str
        That of the estimate.
    metric : str
        The metric in prose.
    values : ndarray, shape (n,)
        In the metric's unit, in the order of the table.
    groups : tuple or None
        The cluster of each.
    """

    label: str
    metric: str
    values: Array
    groups: tuple[Any, ...] | None = None


@frozen(repr=False)
class Estimates(ResultCollection[Estimate]):
    """Estimates in the order of the table they come from.

    Attributes
    ----------
    items : tuple of Estimate
    notes : tuple of str
        What was done to the table: columns left out, rows not applicable.
    cases : tuple of Cases
        The values behind each label and metric, where they were asked for; no output holds them.
    """

    KEY = "estimates"
    WHOLE_NUMBERS = ("seed", "n_resamples")

    items: tuple[Estimate, ...]
    notes: tuple[str, ...] = ()
    cases: tuple[Cases, ...] = field(default=(), compare=False)

    def _only(self, wanted: str | tuple[str, ...]) -> Estimate:
        """The only estimate that matches all the names, or an `OptionError`.

        ``["auroc"]`` is the only one of that metric; a label, a statistic, an average or a method
        will do as well, and ``["liver", "median"]`` has both.
        """
        texts = (wanted,) if isinstance(wanted, str) else wanted
        matching = [item for item in self if all(_matches(item, text) for text in texts)]
        if len(matching) == 1:
            return matching[0]
        query = wanted if isinstance(wanted, str) else ", ".join(map(str, texts))
        there = shortened([_short_name(item) for item in matching or self], 12)
        if matching:
            raise OptionError(
                f"{len(matching)} estimates are of {query!r}: {there}; name more of it, as in "
                '["auroc", "macro"], or take one by its place'
            )
        names = [item.label or item.metric for item in self]
        raise OptionError(
            f"no estimate is of {query!r}{proposed(query, names) or ';'} there are {there}"
        )

    def __contains__(self, wanted: object) -> bool:
        """Whether it holds an estimate, or one that is of what a text names."""
        if isinstance(wanted, str):
            return any(_matches(item, wanted) for item in self)
        return wanted in self.items

    @property
    def families(self) -> list[Family]:
        """Estimates that are read together: of one metric, and of one task where there are models.

        In a family each label is that of the model alone.
        """
        found: dict[tuple[str, str], list[tuple[str, Estimate]]] = {}
        for estimate in self:
            model, task = _model_and_task(estimate)
            key = metric_title(estimate.metric_spec), task
            found.setdefault(key, []).append((model, estimate))
        return [
            Family(
                metric,
                task,
                Estimates(tuple(replace(e, label=model) for model, e in some)),
                tuple(self._cases_of(metric, model, e) for model, e in some),
            )
            for (metric, task), some in found.items()
        ]

    def _cases_of(self, metric: str, model: str, estimate: Estimate) -> Cases | None:
        """The values behind an estimate, under the name of its model, where they were kept."""
        for cases in self.cases:
            if (cases.metric, cases.label) == (metric, estimate.label):
                return replace(cases, label=model)
        return None

    def document(self) -> Document:
        """A table of the estimates, what quantiles say, cautions and the seed."""
        from halfwidth.results.documents.estimates import estimates_document

        return estimates_document(self)


@frozen(eq=False)
class Family:
    """Estimates that are read together.

    Attributes
    ----------
    metric : str
        In prose.
    task : str
        Empty where there is one only.
    estimates : Estimates
    cases : tuple of Cases or None
        The values behind each.
    """

    metric: str
    task: str
    estimates: Estimates
    cases: tuple[Cases | None, ...]


def _model_and_task(estimate: Estimate) -> tuple[str, str]:
    """What tells it from others of its task, and the task; all in one where no model is named."""
    model = str(estimate.by.get(MODEL, ""))
    task = estimate.label.removeprefix(f"{model} / ") if model else ""
    return (model, task) if task and task != estimate.label else (estimate.label, "")


def _matches(item: Estimate, text: str) -> bool:
    """Whether a text names what an estimate is of: its label, its metric, its statistic, ..."""
    spec = item.metric_spec.spec
    names = {item.label, item.subject, item.metric, spec.display, *spec.synonyms}
    names |= {str(level) for level in item.by.values()}
    names |= {item.statistic or "", item.average or "", item.method, metric_title(item.metric_spec)}
    if item.without_result is not None:
        names.add(item.missing)
    return bool(text) and text.casefold() in {name.casefold() for name in names}


def _short_name(item: Estimate) -> str:
    """What an estimate is of, in short."""
    return f"{item.label}: {item.subject}" if item.label else item.subject
