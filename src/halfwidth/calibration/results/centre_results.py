"""Results over centres: a metric in each, pooled, and what is to be expected of a new one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from halfwidth.core.cautions import Caution
from halfwidth.core.formatting import decimals_for, fixed, percent, plain
from halfwidth.core.frozen import frozen
from halfwidth.core.kinds import Transform
from halfwidth.core.spec import Metric
from halfwidth.document.parts import Cell, Column, Data, Document, Heading, Kind, Note, Table
from halfwidth.results.estimate import Estimates
from halfwidth.results.fields import caution_items
from halfwidth.results.result import ResultCollection, SingleResult, caution_lines

CENTRES_NOTE = (
    "Over centres: random effects, REML; the interval of the mean by Hartung and Knapp (t, k - 1), "
    "that of a new centre a prediction interval (t, k - 2). τ: SD between centres{scale}; I²: "
    "share of their differences that is more than chance."
)


@frozen(repr=False)
class OverCentres(SingleResult):
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
    def _alone(self) -> CentreResults:
        return CentreResults((self,))

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
        largest = self.metric_spec.spec.bounds.largest
        return decimals_for(self.value, (self.high - self.low) / 2, largest)

    @property
    def by(self) -> Mapping[str, Any]:
        """Levels of columns: none, all cases are taken together."""
        return {}

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
            name: plain(getattr(self, name))
            for name in (
                "value",
                "low",
                "high",
                "new_low",
                "new_high",
                "tau",
                "i_squared",
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

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each centre, then those of the mean and of a new centre; ``row`` says which."""
        about = {"metric": self.metric, "label": self.label, "average": self.average}
        mean = {"value": self.value, "low": self.low, "high": self.high, "n": self.n}
        new = mean | {"low": self.new_low, "high": self.new_high}
        return [
            *(
                {**about, "row": "centre", "centre": centre.label}
                | {name: getattr(centre, name) for name in mean}
                for centre in self.centres
            ),
            {**about, "row": "mean", "centre": "", **mean},
            {**about, "row": "new centre", "centre": "", **new},
        ]

    def __repr__(self) -> str:
        return f"OverCentres: {self.sentence()}"


@frozen(repr=False)
class CentreResults(ResultCollection[OverCentres]):
    """Metrics over the same centres.

    Attributes
    ----------
    items : tuple of OverCentres
    notes : tuple of str
        How labels and scores were read.
    """

    KEY = "over_centres"

    items: tuple[OverCentres, ...]
    notes: tuple[str, ...] = ()

    def _rows_of(self, item: OverCentres) -> list[dict[str, Any]]:
        return item.to_rows()

    def document(self) -> Document:
        """Metrics over centres, those of each centre, and cautions."""
        return centres_document(self)

    def caution_lines(self) -> list[tuple[str, str]]:
        """Each code once, in order, with its first message, and how many more there are."""
        return caution_lines([("", "", self.cautions)])


# --------------------------------------------------------------------------- as a document


def centres_document(results: CentreResults) -> Document:
    """Metrics over centres, and those of each centre."""
    data = Data(results.to_dict, results.to_rows)
    if not results:
        return Document((Note("Nothing to show."),), data)
    level = percent(results[0].confidence_level)
    columns = (
        Column("over centres"),
        Column("centres", Kind.NUMBER),
        Column("n", Kind.NUMBER),
        Column("mean", Kind.NUMBER),
        Column(f"{level} CI", Kind.INTERVAL),
        Column("new centre", Kind.INTERVAL),
        Column("τ", Kind.NUMBER),
        Column("I²", Kind.NUMBER),
    )
    rows = tuple(_row(item) for item in results)
    logarithmic = any(item.is_logarithmic for item in results)
    note = CENTRES_NOTE.format(scale=" (of O:E of its logarithm)" if logarithmic else "")
    return Document(
        (
            Table(columns, rows),
            *(part for item in results for part in _each_centre(item, level)),
            *caution_items(results.caution_lines()),
            Note(note),
        ),
        data,
    )


def _row(item: OverCentres) -> tuple[Cell, ...]:
    return (
        Cell(item.subject),
        Cell(str(item.n_centres), item.n_centres),
        Cell(str(item.n), item.n),
        Cell(fixed(item.value, item.decimals), item.value),
        _ends(item.low, item.high, item.decimals),
        _ends(item.new_low, item.new_high, item.decimals),
        Cell(fixed(item.tau, item.decimals), item.tau),
        Cell(f"{100 * item.i_squared:.0f} %", item.i_squared),
    )


def _ends(low: float, high: float, decimals: int) -> Cell:
    text = "none" if math.isnan(low) else f"{fixed(low, decimals)} to {fixed(high, decimals)}"
    return Cell(text, (low, high))


def _each_centre(item: OverCentres, level: str) -> tuple[Heading | Table, ...]:
    columns = (
        Column("centre"),
        Column("n", Kind.NUMBER),
        Column("value", Kind.NUMBER),
        Column(f"{level} CI", Kind.INTERVAL),
    )
    rows = tuple(
        (
            Cell(one.label),
            Cell(str(one.n), one.n),
            Cell(one.text_of(one.value), one.value),
            Cell(one.ends_text, (one.low, one.high)),
        )
        for one in item.centres
    )
    return Heading(item.subject[:1].upper() + item.subject[1:]), Table(columns, rows)
