"""Curves of models, with their bands, and those of several models by their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from halfwidth.core.cautions import Caution
from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.data.predictions import Predictions
from halfwidth.document.progress import following
from halfwidth.estimation.test_sets.calibration_curves import calibration_curves
from halfwidth.estimation.test_sets.centre_curves import centre_curves
from halfwidth.estimation.test_sets.centres import centre_parts
from halfwidth.estimation.test_sets.curves import class_curves
from halfwidth.measuring.test_sets import ReadCases, request, test_sets_for
from halfwidth.results.calibration_curves import CALIBRATION_KINDS, CalibrationCurve
from halfwidth.results.centre_curves import CentreCurve
from halfwidth.results.curves import CURVE_KINDS, SeveralCurves
from halfwidth.results.estimate import Estimate, Estimates

CURVES = (*CURVE_KINDS, *CALIBRATION_KINDS, CentreCurve.kind)


def curves(
    data: Predictions, kind: Any, average: Any, _: Any, inference: Mapping[str, Any]
) -> SeveralCurves[Any]:
    """The curves of each model and level, with their bands."""
    of_all = request(data, **inference)
    over_centres = kind == CentreCurve.kind
    _refuse_without_effect(kind, average, inference)

    def curves_of(one: ReadCases) -> SeveralCurves[Any]:
        if over_centres:
            parts = centre_parts(one.cases, one.model.strata)
            return centre_curves(one.cases, parts, average, of_all.level)
        if kind in CALIBRATION_KINDS:
            return calibration_curves(kind, one.cases, average, of_all)
        return class_curves(kind, one.cases, of_all)

    read = (
        test_sets_for("calibration over centres", data.over_levels())
        if over_centres
        else test_sets_for("curves", data, without=("sample_weight",))
    )
    return together(
        [
            CurvesOfModel(curves_of(one), one.label, one.by, one.model.cautions)
            for one in following(read, "curves of models")
        ]
    )


def _refuse_without_effect(kind: Any, average: Any, inference: Mapping[str, Any]) -> None:
    """Refuse options that a kind of curve does not look at."""
    if average is not None and kind in CURVE_KINDS:
        raise OptionError(
            f"{spelled('average', average)} has no effect on {kind} curves, which are of the "
            f"positive class ({spelled('pos_label')}) or of each"
        )
    if kind != CentreCurve.kind:
        return
    for name in ("n_resamples", "rng"):
        if inference[name] is not None:
            raise OptionError(
                f"{spelled(name, inference[name])} has no effect on curves over centres, for which "
                "nothing is drawn"
            )


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

    curves = []
    for one in part.curves:
        if isinstance(one, CalibrationCurve):
            numbers: dict[str, Any] = {"summaries": Estimates(tuple(map(labelled, one.summaries)))}
        elif isinstance(one, CentreCurve):
            numbers = {"cautions": (*one.cautions, *part.cautions)}
        else:
            numbers = {"area": None if one.area is None else labelled(one.area)}
        curves.append(replace(one, label=named(one.label, ", "), **numbers))
    return curves
