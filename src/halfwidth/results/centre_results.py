"""Results over centres: a metric in each, pooled, and what is to be expected of a new one."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from halfwidth.core.cautions import Caution
from halfwidth.core.formatting import decimals_for, fixed, json_text, percent
from halfwidth.core.frozen import frozen
from halfwidth.core.kinds import Transform
from halfwidth.core.notebook import html_of
from halfwidth.core.spec import Metric
from halfwidth.results.estimates import Estimates, caution_lines
from halfwidth.results.sequence import ResultSequence

if TYPE_CHECKING:
    import pandas as pd

SCHEMA_VERSION = 1


@frozen(repr=False)
class OverCentres:
    """A metric over centres, by a random-effects meta-analysis.

    Attributes
    ----------
    metric_spec : Metric
    value : float
        Mean over centres; of an O:E ratio the geometric one.
    low, high : float
        Its confidence interval, by Hartung and Knapp with t of k - 1.
    new_low, new_high : float
        Prediction interval for a new centre, with t of k - 2; NaN below 3 centres.
    tau : float
        SD between centres, by restricted maximum likelihood; of an O:E ratio of its logarithm.
    i_squared : float
        Share of the differences between centres that is more than chance, from Cochran's Q.
    standard_error : float
        Of the mean; of an O:E ratio of its logarithm.
    centres : Estimates
        Of each centre that was pooled, labelled by its name.
    left_out : tuple of str
        Centres without the metric.
    confidence_level : float
        Of both intervals.
    label, average : str
        The class, and what the metric is of, as of an `Estimate`.
    cautions : tuple of Caution
    """

    metric_spec: Metric
    value: float
    low: float
    high: float
    new_low: float
    new_high: float
    tau: float
    i_squared: float
    standard_error: float
    centres: Estimates
    left_out: tuple[str, ...]
    confidence_level: float
    label: str = ""
    average: str = ""
    cautions: tuple[Caution, ...] = ()

    @property
    def metric(self) -> str:
        """Name of the metric."""
        return self.metric_spec.spec.name

    @property
    def is_logarithmic(self) -> bool:
        """Whether logarithms were pooled."""
        return self.metric_spec.spec.transform is Transform.LOG

    @property
    def n_centres(self) -> int:
        """Centres that were pooled."""
        return len(self.centres)

    @property
    def n(self) -> int:
        """Cases in them."""
        return sum(item.n for item in self.centres)

    @property
    def decimals(self) -> int:
        """How many decimals its interval supports."""
        return decimals_for(self.value, (self.high - self.low) / 2)

    @property
    def subject(self) -> str:
        """The metric in prose, with its class."""
        about = "top label" if self.average == "top_label" else self.label
        title = self.metric_spec.spec.display
        return f"{title} ({about})" if about else title

    def sentence(self) -> str:
        """One sentence for a paper."""
        value, low, high, new_low, new_high, tau = (
            fixed(number, self.decimals)
            for number in (self.value, self.low, self.high, self.new_low, self.new_high, self.tau)
        )
        level = percent(self.confidence_level)
        new = "" if math.isnan(self.new_low) else f"; in a new centre {new_low} to {new_high}"
        subject = self.subject[:1].upper() + self.subject[1:]
        return (
            f"{subject} {value} over {self.n_centres} centres ({level} CI {low} to {high}{new}; "
            f"τ {tau}, I² {100 * self.i_squared:.0f} %; n = {self.n}; REML, Hartung-Knapp)."
        )

    def to_dict(self) -> dict[str, Any]:
        """The result as plain types, with that of each centre; NaN is None."""
        numbers = {
            name: _plain(getattr(self, name))
            for name in (
                *("value", "low", "high", "new_low", "new_high", "tau", "i_squared"),
                "standard_error",
            )
        }
        return {
            "metric": self.metric,
            "label": self.label,
            "average": self.average,
            **numbers,
            "confidence_level": self.confidence_level,
            "n_centres": self.n_centres,
            "n": self.n,
            "left_out": list(self.left_out),
            "cautions": [{"code": one.code, "message": one.message} for one in self.cautions],
            "centres": self.centres.to_dict()["estimates"],
        }

    def to_json(self) -> str:
        """The result as JSON, with its ``schema_version``."""
        return CentreResults((self,)).to_json()

    def to_frame(self) -> pd.DataFrame:
        """A row for each centre, then those of the mean and of a new centre."""
        return CentreResults((self,)).to_frame()

    def __repr__(self) -> str:
        return f"OverCentres: {self.sentence()}"

    def _repr_html_(self) -> str:
        return html_of(CentreResults((self,)))


@frozen(repr=False)
class CentreResults(ResultSequence[OverCentres]):
    """Metrics over the same centres.

    Attributes
    ----------
    items : tuple of OverCentres
    notes : tuple of str
        How labels and scores were read.
    """

    items: tuple[OverCentres, ...]
    notes: tuple[str, ...] = ()

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """All cautions, each text once."""
        return tuple(dict.fromkeys(caution for item in self for caution in item.cautions))

    def with_cautions(self, further: tuple[Caution, ...]) -> CentreResults:
        """The same results, each with further cautions."""
        items = (replace(item, cautions=(*item.cautions, *further)) for item in self)
        return replace(self, items=tuple(items))

    def caution_lines(self) -> list[tuple[str, str]]:
        """Each code once, in order, with its first message, and how many more there are."""
        return caution_lines([("", self.cautions)])

    def to_dict(self) -> dict[str, Any]:
        """The results as plain types."""
        return {"schema_version": SCHEMA_VERSION, "over_centres": [x.to_dict() for x in self]}

    def to_json(self) -> str:
        """The same as text."""
        return json_text(self.to_dict())

    def to_rows(self) -> list[dict[str, Any]]:
        """Of each metric a row for each centre, then those of the mean and of a new centre.

        ``row`` says which: ``"centre"``, ``"mean"`` or ``"new centre"``.
        """
        rows = []
        for item in self:
            what = {"metric": item.metric, "label": item.label, "average": item.average}
            for one in item.centres:
                numbers = {"value": one.value, "low": one.low, "high": one.high, "n": one.n}
                rows.append({**what, "row": "centre", "centre": one.label, **numbers})
            mean = {"value": item.value, "low": item.low, "high": item.high, "n": item.n}
            new = {"value": item.value, "low": item.new_low, "high": item.new_high, "n": item.n}
            rows.append({**what, "row": "mean", "centre": "", **mean})
            rows.append({**what, "row": "new centre", "centre": "", **new})
        return rows

    def to_frame(self) -> pd.DataFrame:
        """The same as a frame."""
        import pandas as pd

        return pd.DataFrame(self.to_rows())

    def __repr__(self) -> str:
        lines = [f"CentreResults ({len(self)}):", *(f"  {item.sentence()}" for item in self)]
        lines += [f"  {code} {text}" for code, text in self.caution_lines()]
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        return html_of(self)


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None
