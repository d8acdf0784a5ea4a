"""Results of comparing models: differences with their intervals, tests and verdicts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.arithmetic.ranks import ranks_in_cases
from halfwidth.core.cautions import Caution
from halfwidth.core.errors import OptionError, shortened
from halfwidth.core.formatting import plain
from halfwidth.core.forms import EFFECT_WORDS, Contrast, Effect, PairAverages
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Better, Estimand, Metric
from halfwidth.core.types import Array
from halfwidth.results import comparison_words
from halfwidth.results.agreement import Agreement, agreement_of
from halfwidth.results.comparison_results import (
    GoalResult,
    SimultaneousInterval,
    TestResult,
    Verdict,
)
from halfwidth.results.estimate import Estimate
from halfwidth.results.result import ResultCollection, SingleResult, caution_lines

if TYPE_CHECKING:
    from halfwidth.document.parts import Document


@frozen(repr=False)
class Difference(SingleResult):
    """The difference (or ratio) between two models, first against second.

    Attributes
    ----------
    first, second : str
        The models.
    first_value, second_value : float
        The statistic or metric of each, on the cases compared.
    estimate : Estimate
        The difference, first minus second (or first over second), with its interval.
    metric_spec : Metric
        What each model's value is; that of ``estimate`` has the range of differences.
    subject : str
        The same in prose: ``mean DSC``, ``macro AUROC``.
    effect : {"difference", "ratio"}
    paired : bool
        Whether both were measured on the same cases.
    n_unmatched : int
        Cases left out because they were not there for all models.
    p_value : float
        Two-sided: the least α at which this interval excludes no difference, or that of an exact
        test of so few units where that is larger; NaN without an interval.
    p_adjusted : float
        Adjusted for all comparisons of the family; NaN where there is one only, or none is asked
        for. Verdicts rest on it.
    correction : str
        How: ``"stepdown"``, ``"holm"``, ``"bonferroni"``, ``"benjamini_hochberg"``; empty for one.
    n_comparisons : int
        Of the family.
    test : TestResult or None
        Another test, by its name.
    superiority : float
        Share of cases in which the first is better, ties half; NaN for metrics of a test set.
    simultaneous : SimultaneousInterval or None
    verdict : Verdict or None
    """

    first: str
    second: str
    first_value: float
    second_value: float
    estimate: Estimate
    metric_spec: Metric
    effect: Effect = "difference"
    paired: bool = True
    n_unmatched: int = 0
    p_value: float = math.nan
    p_adjusted: float = math.nan
    correction: str = ""
    n_comparisons: int = 1
    test: TestResult | None = None
    superiority: float = math.nan
    simultaneous: SimultaneousInterval | None = None
    verdict: Verdict | None = None
    subject: str = ""

    @property
    def _alone(self) -> Comparisons:
        return Comparisons((self,))

    @property
    def label(self) -> str:
        """Label of the family."""
        return self.estimate.label

    @property
    def value(self) -> float:
        """The difference, or the ratio."""
        return self.estimate.value

    @property
    def low(self) -> float:
        """The lower bound."""
        return self.estimate.low

    @property
    def high(self) -> float:
        """The upper bound."""
        return self.estimate.high

    @property
    def effect_of_subject(self) -> str:
        """What the estimate is, in prose: ``difference in mean DSC``, ``ratio of mean DSC``."""
        if not self.subject:
            return self.estimate.subject
        return f"{EFFECT_WORDS[self.effect]} {self.subject}"

    @property
    def by(self) -> Mapping[str, Any]:
        """The levels of the columns within which models were compared."""
        return self.estimate.by

    @property
    def sign(self) -> int:
        """1 where a larger value is better, -1 where a smaller one is, 0 where nothing says."""
        form = self.estimate.statistic_spec.spec.form
        contrast = form.contrast if isinstance(form, PairAverages) else form
        if isinstance(contrast, Contrast) and contrast.statistic.estimand is Estimand.SPREAD:
            return 0  # of a spread neither is better by itself, whatever the metric
        return {Better.HIGHER: 1, Better.LOWER: -1}.get(self.metric_spec.spec.better, 0)

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """Cautions of the difference and of its test."""
        raised = dict.fromkeys(
            (*self.estimate.cautions, *(self.test.cautions if self.test else ()))
        )
        return tuple(sorted(raised, key=lambda one: one.code))

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract: that of the difference, and what belongs to the comparison."""
        return {
            "first": self.first,
            "second": self.second,
            "effect": self.effect,
            "paired": self.paired,
            "first_value": plain(self.first_value),
            "second_value": plain(self.second_value),
            **self.estimate.to_dict(),
            "cautions": [caution.to_dict() for caution in self.cautions],
            "n_unmatched": self.n_unmatched,
            "superiority": plain(self.superiority),
            "p_value": plain(self.p_value),
            "p_adjusted": plain(self.p_adjusted),
            "correction": self.correction or None,
            "n_comparisons": self.n_comparisons,
            "test": self.test and self.test.to_dict(),
            "simultaneous": self.simultaneous and self.simultaneous.to_dict(),
            "verdict": self.verdict and self.verdict.to_dict(),
        }

    def to_row(self) -> dict[str, Any]:
        """A flat row, numbers left as they are."""
        test, simultaneous, verdict = self.test, self.simultaneous, self.verdict
        codes = dict.fromkeys(caution.code for caution in self.cautions)
        return {
            "label": self.estimate.label,
            "first": self.first,
            "second": self.second,
            "effect": self.effect,
            "paired": self.paired,
            "first_value": self.first_value,
            "second_value": self.second_value,
            **self.estimate.to_row(),
            "cautions": " ".join(codes),
            "n_unmatched": self.n_unmatched,
            "superiority": self.superiority,
            "p_value": self.p_value,
            "p_adjusted": self.p_adjusted,
            "correction": self.correction or None,
            "n_comparisons": self.n_comparisons,
            "test": None if test is None else test.name,
            "test_p_value": math.nan if test is None else test.p_value,
            "test_p_adjusted": math.nan if test is None else test.adjusted,
            "simultaneous_low": math.nan if simultaneous is None else simultaneous.low,
            "simultaneous_high": math.nan if simultaneous is None else simultaneous.high,
            "simultaneous_method": None if simultaneous is None else simultaneous.method,
            "verdict": None if verdict is None else verdict.word,
            "margin": None if verdict is None else verdict.margin,
            "beyond_margin": None if verdict is None else verdict.beyond_margin,
            "equivalent": None if verdict is None else verdict.equivalent,
            "lead_needed": math.nan if verdict is None else verdict.lead_needed,
            "n_needed": None if verdict is None else verdict.n_needed,
        }

    def sentence(self) -> str:
        """One sentence for a paper, with the verdict where there is one.

        Examples
        --------
        ``B against A: mean DSC higher by 0.012 (95 % CI 0.004 to 0.020; n = 110; paired
        Dirichlet); p = .003: B is better.``
        """
        return self.verdict.sentence if self.verdict else comparison_words.sentence(self)

    def __repr__(self) -> str:
        lines = [f"Difference: {self.sentence()}"]
        return "\n".join([*lines, *(f"  {caution}" for caution in self.cautions)])


@frozen(eq=False)
class ComparedCases:
    """The values behind the comparisons of a family, for those who ask for them.

    Attributes
    ----------
    values : mapping of str to ndarray, shape (n,)
        Of each model, in the metric's unit; of paired models one case after the other, the same
        cases in the same order.
    metric_spec : Metric
    by : mapping
        The levels of the columns within which the models were compared.
    groups : tuple or None
        The cluster of each case of paired models.
    label : str
        That of the family.
    """

    values: Mapping[str, Array]
    metric_spec: Metric
    by: Mapping[str, Any] = field(default_factory=dict)
    groups: tuple[Any, ...] | None = None
    label: str = ""

    def agreement(self, first: str, second: str, effect: Effect, confidence: float) -> Agreement:
        """How far two of the models agree on the cases."""
        return agreement_of(self, first, second, effect, confidence)

    def ranks(self, names: Sequence[str]) -> NDArray[np.intp]:
        """The rank of each of these models among them within each case, (n, models).

        One without a value has the last.
        """
        sign = 1.0 if self.metric_spec.spec.better is Better.HIGHER else -1.0
        merits = sign * np.stack([self.values[name] for name in names], axis=-1)
        return ranks_in_cases(merits, ~np.isfinite(merits)).astype(np.intp)


@frozen(repr=False)
class Comparisons(ResultCollection[Difference]):
    """Differences between models, family after family.

    Attributes
    ----------
    items : tuple of Difference
    goals : tuple of GoalResult
    notes : tuple of str
        What was done to the tables.
    cases : tuple of ComparedCases
        The values behind each family, where cases have any: for figures. No table, document or
        sentence holds them; a pickle does.
    """

    KEY = "comparisons"
    WHOLE_NUMBERS = ("seed", "n_resamples", "n_needed")

    items: tuple[Difference, ...]
    goals: tuple[GoalResult, ...] = ()
    notes: tuple[str, ...] = field(default=())
    cases: tuple[ComparedCases, ...] = field(default=(), compare=False)

    def _only(self, wanted: str | tuple[str, ...]) -> Difference:
        """The only difference that matches all the names, or an `OptionError`.

        ``["B", "A"]`` is that of B and A where there is one family; ``["liver", "B", "A"]`` names
        the family too.
        """
        texts = (wanted,) if isinstance(wanted, str) else wanted
        matching = [item for item in self if _is_of(item, texts)]
        if len(matching) == 1:
            return matching[0]
        query = ", ".join(map(str, texts))
        if matching:
            there = shortened([_short_name(item) for item in matching], 12)
            raise OptionError(
                f"{len(matching)} comparisons match {query!r}: {there}; name more, as in "
                '["liver", "B", "A"], or take one by its place'
            )
        swapped = [item for item in self if len(texts) > 1 and _is_of(item, texts, swapped=True)]
        if swapped:
            raise OptionError(
                f"no comparison matches {query!r}, but there is the reverse: "
                f"{shortened([_short_name(item) for item in swapped], 12)}"
            )
        there = shortened([_short_name(item) for item in self], 12)
        raise OptionError(f"no comparison matches {query!r}; there are {there}")

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """All cautions, each text once."""
        raised = [*self, *(goal.estimate for goal in self.goals)]
        return tuple(dict.fromkeys(caution for item in raised for caution in item.cautions))

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract as plain types."""
        return super().to_dict() | {"goals": [item.to_dict() for item in self.goals]}

    def document(self) -> Document:
        """A table of the differences, verdicts, goals, cautions and the seed."""
        from halfwidth.results.documents.comparisons import comparisons_document

        return comparisons_document(self)

    def caution_lines(self) -> list[tuple[str, str]]:
        """Each code once, in order, with its first message, and which others share it."""
        pairs = {(item.first, item.second) for item in self}
        return caution_lines(
            [
                *(
                    (
                        item.estimate.label,
                        f"{item.first} vs {item.second}" if len(pairs) > 1 else "",
                        item.cautions,
                    )
                    for item in self
                ),
                *((one.estimate.label, one.model, one.estimate.cautions) for one in self.goals),
            ],
            most_named=3,
        )

    def _sentences(self) -> Iterator[str]:
        judged = [item for item in self if item.verdict is not None]
        if len(judged) > comparison_words.MOST_SENTENCES:
            families = comparison_words.families_of(judged)
            yield from map(comparison_words.family_sentence, families)
        else:
            yield from (item.sentence() for item in self)
        yield from (goal.sentence for goal in self.goals)


def _is_of(item: Difference, texts: tuple[str, ...], *, swapped: bool = False) -> bool:
    """Whether texts name a difference: its models in their order, its family, its metric."""
    names = [str(text).casefold() for text in texts]
    models = [item.first.casefold(), item.second.casefold()][:: -1 if swapped else 1]
    further = {item.estimate.label, item.subject, item.estimate.metric}
    further |= {str(level) for level in item.by.values()}
    others = [name for name in names if name not in models]
    in_order = [name for name in names if name in models]
    return (
        bool(names)
        and all(names)
        and in_order in ([], models[:1], models[1:], models)
        and {name.casefold() for name in further}.issuperset(others)
    )


def _short_name(item: Difference) -> str:
    """Which difference it is, in short."""
    about = f"{item.estimate.label}: " if item.estimate.label else ""
    return f"{about}{item.first} vs {item.second}"
