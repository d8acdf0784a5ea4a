"""Curves of calibration as kinds of curves of predictions (`halfwidth.measuring.curves`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from halfwidth.calibration.estimation.centre_curves import centre_curves
from halfwidth.calibration.estimation.centres import centre_parts
from halfwidth.calibration.estimation.curves import SUMMARIES, calibration_curves
from halfwidth.calibration.results.centre_curves import CentreCurve
from halfwidth.core.errors import OptionError
from halfwidth.core.option_names import spelled
from halfwidth.data.predictions import Predictions
from halfwidth.estimation.resolve import Request
from halfwidth.measuring.read_test_sets import ReadCases, test_sets_for
from halfwidth.results.curves import SeveralCurves

CURVE_OF = dict.fromkeys(SUMMARIES["calibration"], "calibration")


def refuse_without_effect(kind: str, inference: Mapping[str, Any]) -> None:
    """Refuse what draws, of curves over centres."""
    if kind != CentreCurve.kind:
        return
    for name in ("n_resamples", "rng"):
        if inference[name] is not None:
            raise OptionError(
                f"{spelled(name, inference[name])} has no effect on curves over centres, for which "
                "nothing is drawn"
            )


def test_sets(kind: str, data: Predictions) -> list[ReadCases]:
    """The cases of each model and level; of centres all levels together."""
    if kind == CentreCurve.kind:
        return test_sets_for("calibration over centres", data.over_levels())
    return test_sets_for("curves", data, without=("sample_weight",))


def curves_of(kind: Any, one: ReadCases, average: Any, request: Request) -> SeveralCurves[Any]:
    """The curves of one model."""
    if kind == CentreCurve.kind:
        parts = centre_parts(one.cases, one.model.strata)
        return centre_curves(one.cases, parts, average, request.level)
    return calibration_curves(kind, one.cases, average, request)
