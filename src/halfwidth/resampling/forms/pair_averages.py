"""Averages of a statistic over pairs of raters, of one side against another.

Each pair is resampled by the engine of the statistic, on draws that all pairs share, and replicate
i of the contrast is that of the averages of the replicates i.
"""

from __future__ import annotations

import functools

import numpy as np

from halfwidth.core.forms import PairAverages, Sums
from halfwidth.core.frozen import frozen
from halfwidth.core.pseudo_cases import PseudoCases
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.distribution import Quantiles
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import (
    BothEnds,
    Dirichlet,
    Engine,
    Errors,
    InPairs,
    Prepared,
    declared_form,
)
from halfwidth.resampling.forms.differences import is_average_over_classes
from halfwidth.resampling.forms.evaluation import left_out_by
from halfwidth.resampling.tails import as_distribution
from halfwidth.resampling.weights.blocks import Block, Pace
from halfwidth.resampling.weights.dirichlet import INDEPENDENT


def _single_pair(statistic: Statistic) -> Statistic:
    return Statistic(
        declared_form(statistic, PairAverages).contrast.statistic, statistic.parameters
    )


@frozen(eq=False)
class AveragedPairs(Prepared):
    """Pairs of raters made ready, those of one sample after those of another."""

    pairs: int  # Of each sample
    prepared: Prepared
    form: PairAverages

    def pace(self, plan: Plan) -> Pace:
        """Pace of the pairs."""
        return self.prepared.pace(plan)

    def evaluate(self, block: Block, into: Array) -> None:
        """The contrast of the averages."""
        values = np.empty((len(into) * self.pairs, into.shape[1]))
        self.prepared.evaluate(block, values)
        into[:] = _contrasts(self.form, values, len(into))


def _contrasts(form: PairAverages, values: Array, samples: int) -> Array:
    """Contrasts of averages over the pairs of each sample, (S P, X) -> (S, X)."""
    by_pair = values.reshape(samples, -1, values.shape[-1])
    return form.between(by_pair, by_pair)


def _all_pairs(samples: Array) -> Array:
    """Pairs of all samples, one sample after another, (S, P, ..., n) -> (S P, ..., n)."""
    return samples.reshape(-1, *samples.shape[2:])


def _prepare(inner: Engine, samples: Array, design: Design, statistic: Statistic) -> AveragedPairs:
    prepared = inner.prepare(_all_pairs(samples), design, _single_pair(statistic))
    return AveragedPairs(samples.shape[1], prepared, declared_form(statistic, PairAverages))


def _leave_one_out(inner: Engine, samples: Array, design: Design, statistic: Statistic) -> Array:
    left_out = left_out_by(inner, _all_pairs(samples), design, _single_pair(statistic))
    return _contrasts(declared_form(statistic, PairAverages), left_out, len(samples))


def _has_weights(inner: Dirichlet, statistic: Statistic) -> bool:
    """Not where an average over classes would need the parts of its classes."""
    form = _single_pair(statistic).spec.form
    numbers = isinstance(form, Sums) and form.table is None
    return inner.in_pairs is not None and not numbers and not is_average_over_classes(form)


def _weighted(
    inner: Dirichlet,
    samples: Array,
    design: Design,
    statistic: Statistic,
    plan: Plan,
    pseudo_cases: PseudoCases,
) -> BothEnds:
    if inner.in_pairs is None:
        raise TypeError(f"{statistic.spec.name} has no distribution under Dirichlet weights")
    one = _single_pair(statistic)
    pairs = _all_pairs(samples)
    ends = inner.in_pairs(pairs, design, one, plan, pseudo_cases, INDEPENDENT)
    lower = _quantiles(ends[0], len(samples), statistic, plan)
    if ends[1] is ends[0]:
        return lower, lower
    return lower, _quantiles(ends[1], len(samples), statistic, plan)


def _quantiles(end: InPairs, n_samples: int, statistic: Statistic, plan: Plan) -> Quantiles:
    form = declared_form(statistic, PairAverages)
    first, second = (
        values[:, 0].reshape(n_samples, len(form.first), -1) for values in (end.first, end.second)
    )
    return as_distribution(form.between(first, second), plan)


def engine_of_contrasts(inner: Engine) -> Engine:
    """How averages over pairs of the statistics of one engine are resampled."""
    dirichlet = inner.dirichlet
    return Engine(
        prepare=functools.partial(_prepare, inner),
        leave_one_out=functools.partial(_leave_one_out, inner),
        errors=Errors(has_standard_error=lambda _statistic: False),
        dirichlet=dirichlet
        and Dirichlet(
            both_ends=functools.partial(_weighted, dirichlet),
            known=functools.partial(_has_weights, dirichlet),
            needs_bounds=lambda statistic: dirichlet.needs_bounds(_single_pair(statistic)),
        ),
        seconds=lambda statistic, n, k: k * inner.seconds(_single_pair(statistic), n, k),
        support=inner.support,
        bounded=inner.bounded,
        paired=True,
    )
