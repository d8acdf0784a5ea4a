"""Functions of sums of several features of each case: RMSE, R², metrics of weighted cases."""

from __future__ import annotations

import numpy as np

from halfwidth.core.forms import Sums
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.distribution import BatchDistribution, Distribution
from halfwidth.resampling.draws import Plan, sums_by_stratum
from halfwidth.resampling.forms.contract import Engine, declared_form
from halfwidth.resampling.ratios import quotient_distribution


def replicates(records: Array, design: Design, statistic: Statistic, plan: Plan) -> Array:
    """From sums over the units drawn."""
    form = declared_form(statistic, Sums)
    features = form.features(records)
    samples, each = features.shape[:2]
    by_unit = design.totals(features).reshape(samples * each, design.units)
    rows = [np.ascontiguousarray(by_unit), design.unit_sizes[None].astype(float)]
    out = np.empty((samples, plan.n_resamples))
    for start, stop, by_stratum in sums_by_stratum(np.concatenate(rows), design, plan):
        total = by_stratum.sum(axis=0)
        sums = np.moveaxis(total[:-1].reshape(samples, each, -1), 1, -1)
        out[:, start:stop] = form.finish(total[-1], sums)
    return out


def exact_distribution(
    records: Array, design: Design, statistic: Statistic, plan: Plan
) -> Distribution | None:
    """The exact distribution of a ratio of two weighted sums."""
    form = declared_form(statistic, Sums)
    if form.quotient is None or not plan.convolves:
        return None
    weights = np.array(form.quotient)
    return BatchDistribution.join(
        quotient_distribution(weights @ features, design) for features in form.features(records)
    )


def leave_one_out(records: Array, design: Design, statistic: Statistic) -> Array:
    """From the sums, which lose what the unit adds to them."""
    form, left = declared_form(statistic, Sums), design.n - design.unit_sizes
    features = form.features(records)
    rest = features.sum(axis=-1, keepdims=True) - design.totals(features)
    # Where the unit held all there is, rounding is left.
    size = np.abs(features).sum(axis=-1, keepdims=True)
    rest = np.where(np.abs(rest) <= 16 * np.finfo(float).eps * size, 0.0, rest)
    return form.finish(left.astype(float), np.moveaxis(rest, -2, -1))


def seconds(_statistic: Statistic, n: int, _classes: int) -> float:
    """Gathered, as no study has such statistics yet."""
    return n * 2e-8


ENGINE = Engine(
    replicates=replicates,
    leave_one_out=leave_one_out,
    exact_distribution=exact_distribution,
    seconds=seconds,
    paired=True,
)
