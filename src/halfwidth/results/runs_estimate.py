"""An estimate over training runs, with the fields that estimates over cases lack."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field, fields
from typing import Any, NamedTuple

from halfwidth.core.formatting import fixed, percent, plain
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Better
from halfwidth.core.titles import metric_title
from halfwidth.results.estimate import Estimate


class Choice(NamedTuple):
    """One of the intervals among which a randomized method draws.

    Attributes
    ----------
    k, l : int
        The ranks of its ends among the runs, from 1.
    low, high : float
    probability : float
        With which it is drawn.
    coverage : float
        How often it holds the quantile.
    """

    k: int
    l: int  # noqa: E741 -- the letter of the literature
    low: float
    high: float
    probability: float
    coverage: float


@frozen(repr=False)
class RunsEstimate(Estimate):
    """A quantile (or the mean) of a metric over training runs, with its confidence interval.

    Attributes
    ----------
    points : mapping
        The three point estimates of the quantile by name: ``sample_quantile``,
        ``interpolated_quantile``, ``bootstrap_median``; empty for a mean. The bootstrap median may
        leave the range, to which the value is cut where ``auto`` chose the method.
    choices : tuple of Choice
        Of a randomized method, the intervals that it draws among; else empty.
    interdecile_range : float
        From the 0.1 to the 0.9 quantile (type 7) of the runs: what widths are compared by.
    """

    points: Mapping[str, float] = field(default_factory=dict)
    choices: tuple[Choice, ...] = ()
    interdecile_range: float = math.nan

    @classmethod
    def from_estimate(cls, estimate: Estimate, **more: Any) -> RunsEstimate:
        """An estimate with what is known of its runs."""
        known = {one.name: getattr(estimate, one.name) for one in fields(Estimate)}
        return cls(**known, **more)

    @property
    def over_runs(self) -> RunsEstimate:
        """Itself."""
        return self

    @property
    def quantile(self) -> float:
        """Level of the quantile; NaN for a mean."""
        return self.statistic_spec.quantile_level

    @property
    def relative_width(self) -> float:
        """Width over the interdecile range of the runs; NaN where that is 0."""
        return self.width / self.interdecile_range if self.interdecile_range > 0 else math.nan

    @property
    def statistic_title(self) -> str:
        """``0.9 quantile``, whichever its point estimate."""
        return "mean" if math.isnan(self.quantile) else f"{self.quantile:g} quantile"

    @property
    def subject(self) -> str:
        """What is estimated: ``0.9 quantile of accuracy over runs``."""
        return f"{self.statistic_title} {self.quantity_phrase}"

    @property
    def quantity_phrase(self) -> str:
        """``of accuracy over runs``."""
        metric = metric_title(self.metric_spec)
        return f"of {metric} over runs" if metric else "over runs"

    @property
    def case_noun(self) -> str:
        """What ``n`` counts one of."""
        return "run"

    @property
    def n_text(self) -> str:
        """How many runs."""
        return f"{self.n} run{'' if self.n == 1 else 's'}"

    def reading(self) -> str:
        """What the quantile says, as its definition allows: "at least" below it, "at most" above.

        Of a metric that is better when low it bounds how often worse values occur; of one that is
        better when high it says how often the metric stays at or below.
        """
        if math.isnan(self.quantile) or math.isnan(self.value):
            return ""
        name = self.metric_spec.spec.display or "the metric"
        value = fixed(self.value, self.decimals)
        if self.metric_spec.spec.better is Better.LOWER:
            return f"{name} exceeds {value} in at most {percent(1 - self.quantile)} of runs"
        return f"{name} is {value} or lower in at least {percent(self.quantile)} of runs"

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract, with what is known of the runs."""
        return {
            **super().to_dict(),
            "quantile": plain(self.quantile),
            "points": {name: plain(value) for name, value in self.points.items()},
            "choices": [
                {name: plain(value) for name, value in choice._asdict().items()}
                for choice in self.choices
            ],
            "interdecile_range": plain(self.interdecile_range),
            "relative_width": plain(self.relative_width),
        }

    def to_row(self) -> dict[str, Any]:
        """A flat row: point estimates as columns, choices in words."""
        row = super().to_row()
        row |= row.pop("points")
        row["choices"] = "; ".join(
            f"[{one.low:g}, {one.high:g}] with {one.probability:.4f}" for one in self.choices
        )
        return row
