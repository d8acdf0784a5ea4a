"""Under which law all differences of a family are judged together: the one of the single intervals.

- `RankedDraws`: where all single intervals are of Dirichlet weights, which all pairs share;
- `LargestT`: where every resample knows its standard error;
- none: below ten units; of unpaired models; where single intervals are not made of resamples, since
  these have a bias (calibration errors). Of a difference of which too many resamples have no
  standard error (models that agree in nearly all cases) `LargestT` knows nothing either.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.forms import Effect
from halfwidth.core.frozen import frozen
from halfwidth.core.pseudo_cases import PseudoCases
from halfwidth.core.spec import Estimand, Need, spec_of
from halfwidth.core.types import Level
from halfwidth.estimation.records import Functional, Records
from halfwidth.resampling.draws import BLOCK_ELEMENTS, Plan
from halfwidth.resampling.engine import has_standard_error
from halfwidth.resampling.expansion import FEWEST_EXPANDED
from halfwidth.resampling.joint.dirichlet import draws_of_means, draws_of_test_sets
from halfwidth.resampling.joint.laws import JointLaw, LargestT, RankedDraws
from halfwidth.resampling.joint.simultaneous import StudentizedDifferences, studentized_differences
from halfwidth.results.estimate import Estimate


@frozen(eq=False)
class Comparanda:
    """Models of one family, and which of them are compared."""

    # Of each model.
    functional: Functional
    # All of the same cases in the same order.
    models: Sequence[Records]
    # First and second model of each comparison, (P, 2).
    pairs: NDArray[np.intp]
    effect: Effect = "difference"

    def joint_law(self, plan: Plan, level: Level, estimates: Sequence[Estimate]) -> JointLaw | None:
        """The law of all differences, by their single intervals; None where there is none."""
        design = self.models[0].design
        if len(self.pairs) < 2 or design.effective_degrees < FEWEST_EXPANDED - 1:
            return None
        pseudo_cases = self._pseudo_cases(estimates)
        ranked = None if pseudo_cases is None else self._weighted(pseudo_cases, plan)
        if ranked is not None:
            return ranked
        if any(Need.PAIRED_SIZES in one.method_spec.needs for one in estimates):
            return None
        studentized = self._studentized(plan)
        if studentized is None:
            return None
        # One that has none on more than α/m of them would cost the others more than that share,
        # which it has by itself.
        known = studentized.usable & (studentized.infinite_share <= level.alpha / len(self.pairs))
        of_ratios = self.effect == "ratio"
        return LargestT(studentized, known, of_ratios) if known.any() else None

    def _studentized(self, plan: Plan) -> StudentizedDifferences | None:
        """Differences studentized on each resample; None where no standard error is known."""
        statistic, design = self.functional.statistic, self.models[0].design
        if not has_standard_error(statistic):
            return None
        records = [one.arranged for one in self.models]
        how = records, self.pairs, design, statistic, plan, self.effect
        if len(self.pairs) * plan.n_resamples > BLOCK_ELEMENTS:
            return studentized_differences(*how)
        # Ranks, intervals and verdicts rest on the same ones.
        of = statistic.spec, tuple(statistic.parameters.items()), self.effect, records[0].shape
        make = functools.partial(studentized_differences, *how)
        return plan.once(("studentized differences", *of), [*records, self.pairs], design, make)

    def _weighted(self, pseudo_cases: PseudoCases, plan: Plan) -> RankedDraws | None:
        """Differences under the same Dirichlet weights; None where those are not known together."""
        statistic, design = self.functional.statistic, self.models[0].design
        records = np.stack([one.arranged for one in self.models])
        if statistic.spec.is_mean_of_values:
            if self.effect != "difference" or self.functional.binary:
                return None
            return draws_of_means(records, self.pairs, design, plan, pseudo_cases).ranked()
        how = records, self.pairs, design, statistic, plan, pseudo_cases, self.effect
        draws = draws_of_test_sets(*how)
        return None if draws is None else draws.ranked()

    def _pseudo_cases(self, estimates: Sequence[Estimate]) -> PseudoCases | None:
        """Pseudo-cases of the single intervals, where all are Dirichlet intervals.

        Not where these reach further than the draws: claims made of draws would say more.
        """
        methods = {estimate.method_spec.name: estimate.method_spec for estimate in estimates}
        # Models that differ by the same in all cases take the fallback of the others' method.
        fallbacks = {spec_of(one.instead).name for one in methods.values() if one.instead}
        method, *others = sorted(methods.values(), key=lambda one: one.name in fallbacks)
        alike = all(one.name in fallbacks for one in others)
        if not (alike and method.pseudo_cases) or Need.JACKKNIFE_DEGREES in method.needs:
            return None
        bounds = self.functional.metric.spec.bounds
        spread = self.functional.statistic.spec.estimand is Estimand.SPREAD
        return method.pseudo_cases(bounds, paired=True, spread=spread, **dict(method.bound))


def cautions_of(law: JointLaw | None, pair: int) -> tuple[Caution, ...]:
    """Caution that a pair has no standard error on too many resamples."""
    if not isinstance(law, LargestT) or law.known[pair]:
        return ()
    share = law.differences.infinite_share[pair] if law.differences.usable[pair] else 1.0
    return (caution("HW815", share=float(share)),)
