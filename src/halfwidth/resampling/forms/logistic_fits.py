"""Coefficients of logistic regressions, and distances from the curves that they fit.

Every resample is fitted anew, from the coefficients of the whole sample and with the terms that the
whole sample has: knots of a spline stay where they are. Where no finite fit exists it is undefined.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from halfwidth.arithmetic.logistic import fit_logistic, newton_step
from halfwidth.arithmetic.logistic_fits import Regression, regression, regressions
from halfwidth.core.forms import LogisticFit
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import BLOCK_ELEMENTS, Plan
from halfwidth.resampling.forms.contract import Engine, Errors, Prepared, declared_form
from halfwidth.resampling.weights.blocks import Block, Pace


@frozen(eq=False)
class FittedSamples(Prepared):
    """Regressions on samples, to be fitted anew to weighted cases."""

    regressions: Sequence[Regression]
    design: Design

    @classmethod
    def prepare(cls, records: Array, design: Design, statistic: Statistic) -> FittedSamples:
        """Fit to the samples themselves."""
        form = declared_form(statistic, LogisticFit)
        return cls([regression(form, one) for one in records], design)

    def pace(self, plan: Plan) -> Pace:
        """Pace at which weights of cases fit into a block."""
        return Pace(plan.block_elements // self.design.n)

    def evaluate(self, block: Block, into: Array) -> None:
        """Fit the cases weighted by how often their units are drawn."""
        drawn = block.rows()[:, self.design.unit_of_case].astype(float)
        for one, row in zip(self.regressions, into, strict=True):
            weights, coefficients = drawn * one.weights, one.fitted.coefficients
            start = coefficients if np.isfinite(coefficients).all() else None
            fits = fit_logistic(one.terms, one.outcomes, weights, one.offset, start=start)
            row[:] = one.value(fits.coefficients, weights)


def leave_one_out(records: Array, design: Design, statistic: Statistic) -> Array:
    """After one step of Newton's method from the fit to all, short by the order of 1/n²."""
    form = declared_form(statistic, LogisticFit)
    return np.stack([_left_out(regression(form, one), design) for one in records])


def _left_out(one: Regression, design: Design) -> Array:
    n_terms = len(one.terms)
    spread = one.weights * one.means * (1 - one.means)
    products = (one.terms[:, None] * one.terms * spread).reshape(-1, design.n)
    held = design.totals(products).T.reshape(-1, n_terms, n_terms)
    step, single = newton_step(one.fitted.information - held, -design.totals(one.scores()).T)
    sums = np.stack([one.weights * one.outcomes, one.weights * (1 - one.outcomes)])
    # Rounding is left where a unit held all cases of a class.
    rest = sums.sum(axis=-1, keepdims=True) * (1 - 1e-12) - design.totals(sums)
    known = single & (rest > 0).all(axis=0)
    coefficients = np.where(known[:, None], one.fitted.coefficients + step, np.nan)
    out = np.empty(design.units)
    block = max(BLOCK_ELEMENTS // design.n, 1)
    for start in range(0, design.units, block):
        units = np.arange(start, min(start + block, design.units))
        kept = one.weights * (design.unit_of_case != units[:, None])
        out[units] = one.value(coefficients[units], kept)
    return out


def model_error(records: Array, _design: Design, statistic: Statistic) -> Array:
    """SE by the inverse of the information."""
    form = declared_form(statistic, LogisticFit)
    return np.concatenate([np.atleast_1d(one.model_error()) for one in regressions(form, records)])


def weighs_cases(statistic: Statistic) -> bool:
    """Where a form has them."""
    return declared_form(statistic, LogisticFit).weighted


def seconds(_statistic: Statistic, n: int, _classes: int) -> float:
    """Three or four steps of Newton's method."""
    return n * 2e-7


ENGINE = Engine(
    prepare=FittedSamples.prepare,
    leave_one_out=leave_one_out,
    errors=Errors(model_error=model_error),
    seconds=seconds,
    paired=True,
    weighs_cases=weighs_cases,
)
