"""Results of tests of perfect calibration."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from halfwidth.core.cautions import Caution
from halfwidth.core.formatting import json_text
from halfwidth.core.frozen import frozen
from halfwidth.core.notebook import html_of
from halfwidth.results.comparison_words import p_text
from halfwidth.results.estimates import caution_lines
from halfwidth.results.sequence import ResultSequence

if TYPE_CHECKING:
    import pandas as pd

SCHEMA_VERSION = 1


@frozen(repr=False)
class CalibrationTest:
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
            "value": _plain(self.value),
            "p_value": self.p_value,
            "asymptotic_p": _plain(self.asymptotic_p),
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

    def to_json(self) -> str:
        """The test as JSON, with its ``schema_version``."""
        return CalibrationTests((self,)).to_json()

    def to_frame(self) -> pd.DataFrame:
        """One row."""
        return CalibrationTests((self,)).to_frame()

    def __repr__(self) -> str:
        return f"CalibrationTest: {self.sentence()}"

    def _repr_html_(self) -> str:
        return html_of(CalibrationTests((self,)))


@frozen(repr=False)
class CalibrationTests(ResultSequence[CalibrationTest]):
    """Tests of perfect calibration of the same cases.

    Attributes
    ----------
    items : tuple of CalibrationTest
    notes : tuple of str
        How labels and scores were read.
    """

    items: tuple[CalibrationTest, ...]
    notes: tuple[str, ...] = ()

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """All cautions, each text once."""
        return tuple(dict.fromkeys(caution for item in self for caution in item.cautions))

    def with_cautions(self, further: tuple[Caution, ...]) -> CalibrationTests:
        """The same tests, each with further cautions."""
        items = (replace(item, cautions=(*item.cautions, *further)) for item in self)
        return replace(self, items=tuple(items))

    def caution_lines(self) -> list[tuple[str, str]]:
        """Each code once, in order, with its first message, and how many more there are."""
        return caution_lines([(item.label, item.cautions) for item in self])

    def to_dict(self) -> dict[str, Any]:
        """The tests as plain types."""
        return {
            "schema_version": SCHEMA_VERSION,
            "calibration_tests": [item.to_dict() for item in self],
        }

    def to_json(self) -> str:
        """The same as text."""
        return json_text(self.to_dict())

    def to_rows(self) -> list[dict[str, Any]]:
        """A flat row for each test."""
        return [item.to_row() for item in self]

    def to_frame(self) -> pd.DataFrame:
        """A row for each test."""
        import pandas as pd

        rows = self.to_rows()
        frame = pd.DataFrame(rows)
        # As an object: floating point would round it.
        frame["seed"] = pd.Series([row["seed"] for row in rows], dtype=object)
        return frame

    def __repr__(self) -> str:
        lines = [f"CalibrationTests ({len(self)}):", *(f"  {item.sentence()}" for item in self)]
        lines += [f"  {code} {text}" for code, text in self.caution_lines()]
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        return html_of(self)


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None
