"""Results of tests of perfect calibration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from halfwidth.core.cautions import Caution
from halfwidth.core.formatting import plain
from halfwidth.core.frozen import frozen
from halfwidth.results.comparison_words import p_text
from halfwidth.results.result import ResultCollection, SingleResult

if TYPE_CHECKING:
    from halfwidth.document.parts import Document


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
        them as the outcomes observed.
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
        Samples of outcomes drawn, N.
    seed : int
        Passing it as ``rng`` reproduces them.
    n_missing : int
        Cases left out for a missing value.
    cautions : tuple of Caution
    """

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

    def sentence(self) -> str:
        """One sentence for a paper."""
        label = f"{self.label}: " if self.label else ""
        p = p_text(self.p_value)
        return (
            f"{label}{self.subject} {self.value:.3g}, p {p if p[0] in '<>' else f'= {p}'} (test of "
            f"perfect calibration by {self.n_resamples} draws of outcomes; n = {self.n}, "
            f"{self.observed} observed, {self.expected:.1f} expected)."
        )

    def to_dict(self) -> dict[str, Any]:
        """The test as plain types; NaN and infinities are None."""
        return {
            "label": self.label,
            "statistic": self.statistic,
            "parameters": dict(self.parameters),
            "average": self.average,
            "value": plain(self.value),
            "p_value": self.p_value,
            "asymptotic_p": plain(self.asymptotic_p),
            "reference": self.reference or None,
            "n": self.n,
            "n_missing": self.n_missing,
            "observed": self.observed,
            "expected": self.expected,
            "n_resamples": self.n_resamples,
            "seed": self.seed,
            "cautions": [{"code": one.code, "message": one.message} for one in self.cautions],
        }

    def to_row(self) -> dict[str, Any]:
        """The same, flat."""
        row = self.to_dict()
        row["parameters"] = ",".join(f"{name}={v:g}" for name, v in self.parameters.items())
        return row | {"cautions": " ".join(one.code for one in self.cautions)}

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

    def document(self) -> Document:
        """A row for each test, cautions, and what p is."""
        from halfwidth.results.documents.calibration import tests_document

        return tests_document(self)
