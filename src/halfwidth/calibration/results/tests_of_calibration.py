"""Results of tests of perfect calibration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from halfwidth.core.cautions import Caution
from halfwidth.core.frozen import frozen
from halfwidth.document.parts import Kind
from halfwidth.results.comparison_words import p_text
from halfwidth.results.fields import Field
from halfwidth.results.result import ResultCollection, SingleResult

P_NOTE = (
    "p: share of samples of outcomes, drawn from the probabilities themselves, that lie as far "
    "from them as these ({count} samples, seed {seed})."
)
LARGE_NOTE = "p: that of large samples, where there are so many cases that none need be drawn."


@frozen(repr=False)
class CalibrationTest(SingleResult):
    """A test of whether outcomes happen as often as predicted probabilities say.

    Attributes
    ----------
    statistic, title : str
        Its name, and what prose calls it.
    parameters : mapping of str to float
        Of the statistic.
    value : float
        The statistic of the outcomes observed; infinite where what cannot happen did.
    p_value : float
        (1 + k) / (1 + N): k of N samples of outcomes, drawn from the probabilities, lie as far from
        them as the outcomes observed. That of large samples where none were drawn.
    asymptotic_p : float
        By the distribution of the statistic in large samples, for comparison; NaN without one.
    reference : str
        That distribution: ``"normal"``, ``"chi-square, 10 df"``; empty without one.
    average : str
        ``"binary"`` and ``"none"``: of the class of ``label``; ``"top_label"``: of the largest
        probability of each case, and whether it is right.
    label : str
        The class, where each has a test of its own.
    n : int
        Cases.
    observed : int
        Cases of the class, or those that the top label is right for.
    expected : float
        How many of them the probabilities add up to.
    n_resamples : int
        Samples of outcomes drawn, N; 0 where there are so many cases that none are needed.
    seed : int
        Passing it as ``rng`` reproduces them.
    n_missing : int
        Cases left out for a missing value.
    cautions : tuple of Caution
    """

    FIELDS = (
        Field("label", "label", kind=Kind.TEXT),
        Field("statistic", "test of calibration", lambda test: test.subject, Kind.TEXT),
        Field("parameters"),
        Field("average"),
        Field("n", "n"),
        Field("n_missing"),
        Field("observed", "observed"),
        Field("expected", "expected", lambda test: f"{test.expected:.1f}"),
        Field("value", "value", lambda test: f"{test.value:.3g}"),
        Field("p_value", "p", lambda test: p_text(test.p_value)),
        Field("asymptotic_p", "in large samples", lambda test: test.asymptotic_text, Kind.TEXT),
        Field("reference"),
        Field("n_resamples"),
        Field("seed"),
        Field("cautions"),
    )

    statistic: str
    title: str
    parameters: Mapping[str, float]
    value: float
    p_value: float
    asymptotic_p: float
    reference: str
    average: str
    label: str
    n: int
    observed: int
    expected: float
    n_resamples: int
    seed: int
    n_missing: int = 0
    cautions: tuple[Caution, ...] = ()

    @property
    def _alone(self) -> CalibrationTests:
        return CalibrationTests((self,))

    @property
    def by(self) -> Mapping[str, Any]:
        """Levels of columns: none, all cases are taken together."""
        return {}

    @property
    def subject(self) -> str:
        """The statistic with its parameters, and what it is of, if not of the positive class."""
        chosen = ", ".join(f"{name} {value:g}" for name, value in self.parameters.items())
        top = "top label" if self.average == "top_label" else ""
        about = ", ".join(filter(None, (chosen, top)))
        return f"{self.title} ({about})" if about else self.title

    @property
    def asymptotic_text(self) -> str:
        """The p-value of large samples with its distribution; empty without one."""
        return f"{p_text(self.asymptotic_p)} ({self.reference})" if self.reference else ""

    def sentence(self) -> str:
        """One sentence for a paper."""
        label = f"{self.label}: " if self.label else ""
        p = p_text(self.p_value)
        by = f"its distribution in large samples, {self.reference}"
        if self.n_resamples:
            by = f"{self.n_resamples} draws of outcomes"
        return (
            f"{label}{self.subject} {self.value:.3g}, p {p if p[0] in '<>' else f'= {p}'} (test of "
            f"perfect calibration by {by}; n = {self.n}, "
            f"{self.observed} observed, {self.expected:.1f} expected)."
        )

    def __repr__(self) -> str:
        return f"CalibrationTest: {self.sentence()}"


@frozen(repr=False)
class CalibrationTests(ResultCollection[CalibrationTest]):
    """Tests of perfect calibration of the same cases.

    Attributes
    ----------
    items : tuple of CalibrationTest
    notes : tuple of str
        How labels and scores were read.
    """

    KEY = "calibration_tests"
    WHOLE_NUMBERS = ("seed",)

    items: tuple[CalibrationTest, ...]
    notes: tuple[str, ...] = ()

    def remarks(self) -> tuple[str, ...]:
        """What p is."""
        drawn = [test for test in self if test.n_resamples]
        note = P_NOTE.format(count=drawn[0].n_resamples, seed=drawn[0].seed) if drawn else ""
        if any(test.reference for test in drawn):
            note += " In large samples: by the distribution named."
        return tuple(filter(None, (note, "" if len(drawn) == len(self) else LARGE_NOTE)))
