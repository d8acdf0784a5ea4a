"""Missing values in rankings: what a policy makes of them, and what the others would."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import Metric
from halfwidth.core.undefined import Missing
from halfwidth.data.case_values import WORST_RANK
from halfwidth.measuring.jobs import FamilyJobs
from halfwidth.measuring.plans import Comparable, FamilyPlan, Matched
from halfwidth.ranking.schemes import WITHIN_CASES
from halfwidth.results.ranking_words import POLICIES

# The policies whose consequences are shown.
COMPARED: tuple[Missing, ...] = ("omit", "worst")


def check_worst_rank(schemes: tuple[str, ...]) -> None:
    """Refuse the worst rank of a case where models are not ranked within cases."""
    others = [scheme for scheme in schemes if scheme != WITHIN_CASES]
    if others:
        raise OptionError(
            f"{spelled('missing', 'worst_rank')} is the last rank within a case, and "
            f"{spelled('scheme', others[0])} ranks no models within cases: use "
            f"{spelled('missing', 'worst')}, or {spelled('scheme', WITHIN_CASES)}"
        )


def measured_with_policies(
    family: Comparable, how: Matched, *, worst_rank: bool
) -> list[FamilyJobs]:
    """A family measured by the policy that is named; where values are missing, by each other too.

    ``worst_rank``: whether missing values take the last rank of their case instead.
    """
    if not isinstance(family, FamilyPlan) or family.plan.values is None:
        return family.measured(how)
    keeping = family.keeping_missing()
    families = (keeping if worst_rank else family).measured(how)
    if not any(any(one.n_missing.values()) for one in families):
        return families
    policies: dict[str, FamilyJobs] = {}
    for policy in COMPARED:
        measured = _measured_by(policy, family, how)
        if measured is not None:
            policies[policy] = measured
    (policies[WORST_RANK],) = keeping.measured(how)
    return [replace(one, policies=policies) for one in families]


def _measured_by(policy: Missing, family: FamilyPlan, how: Matched) -> FamilyJobs | None:
    """None where a policy cannot be had: no worst value is known, or too few cases are left."""
    metric, penalty = family.metric, how.request.penalty
    unknown = isinstance(metric, Metric) and metric.spec.worst is None and penalty is None
    if policy == "worst" and unknown:
        return None
    try:
        (measured,) = family.measured(replace(how, request=replace(how.request, missing=policy)))
    except DataError:
        return None
    return measured


def applying(policies: Mapping[str, Any], scheme: str) -> dict[str, Any]:
    """Policies that a scheme has a use for."""
    return {
        name: one for name, one in policies.items() if name != WORST_RANK or scheme == WITHIN_CASES
    }


def policies_disagree(
    ranks: Mapping[str, Mapping[str, int]], n_missing: Mapping[str, int]
) -> list[Caution]:
    """Where ranks depend on what missing values mean: of the model that moves farthest."""
    by_model = {
        name: {policy: ranks[policy][name] for policy in ranks}
        for name in next(iter(ranks.values()), ())
    }
    moves = {name: max(own.values()) - min(own.values()) for name, own in by_model.items()}
    if not any(moves.values()):
        return []
    name = max(moves, key=lambda one: (moves[one], n_missing[one]))
    listed = ", ".join(f"{rank} {POLICIES[policy]}" for policy, rank in by_model[name].items())
    return [caution("HW852", model=name, ranks=listed)]
