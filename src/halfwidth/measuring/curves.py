"""Curves of models, with their bands, and those of several models by their names."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Protocol, cast

from halfwidth.core.branches import brought
from halfwidth.core.cautions import Caution
from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.data.predictions import Predictions
from halfwidth.document.progress import following
from halfwidth.estimation.resolve import Request
from halfwidth.estimation.test_sets.curves import class_curves
from halfwidth.measuring.read_test_sets import ReadCases, request, test_sets_for
from halfwidth.results.curves import CURVE_KINDS, SeveralCurves
from halfwidth.results.estimate import Estimate

CURVES = (*CURVE_KINDS, *(kind for kinds in brought("CURVES") for kind in kinds))


class CurvesOfBranch(Protocol):
    """A module of a branch: its kinds of curves of predictions."""

    # The metrics that a kind of curve shows.
    CURVE_OF: Mapping[str, str]

    def refuse_without_effect(self, kind: str, inference: Mapping[str, Any], /) -> None:
        """Refuse options that a kind of curve does not look at."""

    def test_sets(self, kind: str, data: Predictions, /) -> list[ReadCases]:
        """The cases of each model and level."""

    def curves_of(
        self, kind: str, one: ReadCases, average: Any, request: Request, /
    ) -> SeveralCurves[Any]:
        """The curves of one model."""


def curves(
    data: Predictions, kind: Any, average: Any, _: Any, inference: Mapping[str, Any]
) -> SeveralCurves[Any]:
    """The curves of each model and level, with their bands."""
    of_all = request(data, **inference)
    branch = _branch_of(kind)
    if branch is None:
        if average is not None:
            raise OptionError(
                f"{spelled('average', average)} has no effect on {kind} curves, which are of the "
                f"positive class ({spelled('pos_label')}) or of each"
            )
        read = test_sets_for("curves", data, without=("sample_weight",))
    else:
        branch.refuse_without_effect(kind, inference)
        read = branch.test_sets(kind, data)

    def curves_of(one: ReadCases) -> SeveralCurves[Any]:
        if branch is None:
            return class_curves(kind, one.cases, of_all)
        return branch.curves_of(kind, one, average, of_all)

    return together(
        [
            CurvesOfModel(curves_of(one), one.label, one.by, one.model.cautions)
            for one in following(read, "curves of models")
        ]
    )


def _branch_of(kind: str) -> CurvesOfBranch | None:
    """The module that a branch has for its kind of curve."""
    places = {kind: place for kinds in brought("CURVES") for kind, place in kinds.items()}
    return cast("CurvesOfBranch", importlib.import_module(places[kind])) if kind in places else None


@functools.cache
def curve_of_metric() -> dict[str, str]:
    """The kind of curve, of those of branches, that shows a metric."""
    places = dict.fromkeys(place for kinds in brought("CURVES") for place in kinds.values())
    each = (importlib.import_module(place).CURVE_OF for place in places)
    return {metric: kind for shown in each for metric, kind in shown.items()}


# --------------------------------------------------------------------------- several models


@frozen(eq=False)
class CurvesOfModel:
    """The curves of one model within some levels, and what its table gives reason to doubt."""

    curves: SeveralCurves[Any]
    name: str
    by: Mapping[str, Any] = field(default_factory=dict)
    cautions: tuple[Caution, ...] = ()


def together(parts: Sequence[CurvesOfModel]) -> SeveralCurves[Any]:
    """All curves, those of several models by their names."""
    named = [_named(one, several=len(parts) > 1) for one in parts]
    return type(parts[0].curves)(tuple(one for some in named for one in some))


def _named(part: CurvesOfModel, *, several: bool) -> list[Any]:
    """The curves of a part, and the numbers that sum them up, by the name of their model."""
    alone = len(part.curves) == 1
    begin = [part.name] if several and part.name else []

    def named(own: str, between: str) -> str:
        return between.join([*begin, *([] if begin and alone else filter(None, [own]))])

    def labelled(estimate: Estimate) -> Estimate:
        cautions = sorted([*estimate.cautions, *part.cautions], key=lambda one: one.code)
        return replace(
            estimate,
            label=named(estimate.label, " / "),
            by={**part.by, **estimate.by},
            cautions=tuple(cautions),
        )

    return [one.renamed(named(one.label, ", "), labelled, part.cautions) for one in part.curves]
