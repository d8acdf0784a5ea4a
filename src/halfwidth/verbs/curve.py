"""``curve``: curves with their bands, of predictions and of detections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import field, replace
from typing import Any, Literal

from halfwidth.core.cautions import Caution
from halfwidth.core.checks import as_choice, one_of
from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.match_lists import MatchingRule
from halfwidth.core.option_names import spelled
from halfwidth.data.case_values import CaseValues
from halfwidth.data.detections import Detections
from halfwidth.data.families import naming
from halfwidth.data.measured_test_sets import ReadCases
from halfwidth.data.predictions import Predictions
from halfwidth.data.quantities import Quantities
from halfwidth.document.progress import following
from halfwidth.estimation.detections.curves import AREA_OF, Band, curves_of_jobs
from halfwidth.estimation.pipeline import Job
from halfwidth.estimation.resolve import AUTO
from halfwidth.estimation.test_sets.calibration_curves import calibration_curves
from halfwidth.estimation.test_sets.centre_curves import centre_curves
from halfwidth.estimation.test_sets.centres import centre_parts
from halfwidth.estimation.test_sets.curves import class_curves
from halfwidth.results.calibration_curves import CALIBRATION_KINDS, CalibrationCurve
from halfwidth.results.centre_curves import CentreCurve
from halfwidth.results.curves import CURVE_KINDS, SeveralCurves
from halfwidth.results.detection_curves import DETECTION_CURVE_KINDS, DetectionCurves
from halfwidth.results.estimate import MODEL, Estimate, Estimates
from halfwidth.verbs.given import as_data_of_models, refuse_idle

Kind = Literal[
    "roc",
    "pr",
    "decision",
    "calibration",
    "reliability",
    "reliability-bins",
    "calibration-by-centre",
    "froc",
    "afroc",
    "wafroc",
]
KINDS: dict[type, tuple[str, ...]] = {
    Predictions: (*CURVE_KINDS, *CALIBRATION_KINDS, CentreCurve.kind),
    Detections: DETECTION_CURVE_KINDS,
}
# What others call them.
OTHER_KINDS = {
    **dict.fromkeys(("precision-recall", "precision_recall", "prc", "PR", "ap"), "pr"),
    **dict.fromkeys(("dca", "net_benefit", "net-benefit", "decision-curve"), "decision"),
    **dict.fromkeys(("auc", "auroc", "sensitivity-specificity"), "roc"),
}


def curve(
    data: Any,
    kind: Kind,
    *,
    y_score: Any = None,
    average: Any = None,
    band: Band = "pointwise",
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    rng: Any = None,
) -> SeveralCurves[Any]:
    """Curves with their bands: ROC, precision-recall, calibration, decision, FROC and their kin.

    A ROC or precision-recall curve has at each of 201 false positive rates or recalls the
    percentile bootstrap interval of the height there: of the sensitivity, or of the precision. It
    says how far each point may be off, not where the whole curve lies, and it has no width where
    all resamples agree, as at a sensitivity of 1. Bootstraps of 2 to 5 clusters cover too rarely,
    and make no band. The curve itself runs through every threshold: ``line`` has its corners.

    Parameters
    ----------
    data : Predictions or Detections; or array-like
        With ``y_score`` the true classes.
    kind : str
        Of predictions ``"roc"``: the points of all thresholds joined by straight lines, so that
        ties make slopes; ``"pr"``: the precision of the highest threshold that reaches the recall,
        in steps; ``"decision"``: the net benefit TP/n - FP/n · t/(1 - t) of acting on
        probabilities from t on, at t = 0, 1/200, ..., 199/200.

        ``"calibration"``: how often a class occurs where it is given some probability, by logistic
        regression on a restricted cubic spline of the logit; ``"reliability"``: the CORP diagram,
        the curve that rises and fits best, with the band in which that of a perfectly calibrated
        model lies; ``"reliability-bins"``: ten bins of equal width, (lo, hi], with Clopper-Pearson
        intervals; ``"calibration-by-centre"``: the first of these in each centre (``by``), their
        mean, and where that of a new centre is expected, at 50 probabilities by random effects of
        log odds, as `calibration_by_centre` pools slopes.

        Of detections ``"froc"``, ``"pr"``, ``"afroc"`` and ``"wafroc"``.
    y_score : array-like, or mapping of str to these, optional
        Scores, where ``data`` are true classes.
    average : str, optional
        Of calibration ``"binary"``, ``"none"`` (each class) or ``"top_label"`` (the largest
        probability, and whether it is right). Of detections ``"macro"``, ``"micro"``,
        ``"weighted"`` or ``"none"``, which makes a curve for each class; default: the mean of
        the classes. ROC, precision-recall and decision curves are those of the positive class,
        where none is known of each against the rest.
    band : {"pointwise", "simultaneous"}, default "pointwise"
        Whether each point has an interval of its own, or the whole curve lies in the band as
        often as the level says.
    confidence_level : float, default 0.95
        Of each point, or of the band.
    n_resamples : int, optional
        From 20 000 independent cases on a curve takes some seconds for any number of them. Of
        calibration those of the numbers that stand on the figure, and up to 1999 of the band of
        a reliability curve.
    rng : None, int, SeedSequence or Generator, optional
        Makes bootstraps repeatable; default: fresh, and reported.

    Returns
    -------
    Curves, CalibrationCurves, CentreCurves or DetectionCurves
        A curve for each class, of detections for each threshold and range of sizes; of several
        models or levels for each of these, by their names. With the numbers that sum them up: the
        AUROC or AP as ``area``, those of calibration as ``summaries``. A class without cases has a
        curve of NaN, and no line; a centre of one class is left out, and named in ``left_out``.

    Raises
    ------
    DataError, OptionError, UnknownNameError
        For data without curves, a kind that they do not have, and where nothing says which of two
        classes is positive.

    See Also
    --------
    halfwidth.plot : the figure.

    References
    ----------
    Fawcett (2006) for vertical averaging; Davis & Goadrich (2006) for why precision is not
    interpolated; Vickers & Elkin (2006) for decision curves; Dimitriadis, Gneiting & Jordan (2021)
    for reliability and its band; Van Calster et al. (2019) for what to show of calibration; De Cock
    Campo, Barreñada et al. (2025), Hartung & Knapp (2001) and Higgins, Thompson & Spiegelhalter
    (2009) for curves over centres.

    Examples
    --------
    >>> import halfwidth as hw
    >>> truth = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1] * 5
    >>> test = hw.Predictions.from_arrays(truth, [i / 50 for i in range(50)])
    >>> (curve,) = hw.curve(test, "roc", n_resamples=999, rng=1)
    >>> shown = curve.to_frame().iloc[[0, 41, 101]]
    >>> print(shown.round(2).to_string(index=False))
    label kind   x   y  low  high
        1  roc 0.0 0.0 0.00  0.00
        1  roc 0.2 0.4 0.08  0.59
        1  roc 0.5 0.6 0.31  0.88
    """
    if not isinstance(kind, str):
        raise OptionError(
            f"{spelled('kind', kind)} is no kind of curve; write curve(data, 'roc'), of true "
            "classes and scores curve(y_true, 'roc', y_score=...)"
        )
    dataset = as_data_of_models(data, y_score, None, "curve", estimates=True)
    if isinstance(dataset, CaseValues):
        raise OptionError(
            "values of cases have no curves; Predictions and Detections have, and true classes "
            "with scores: curve(y_true, 'roc', y_score=...)"
        )
    kinds = KINDS[type(dataset)]
    for other, known in KINDS.items():
        if kind in known and kind not in kinds:
            raise OptionError(
                f"{spelled('kind', kind)} is a curve of {other.__name__}; {type(dataset).__name__} "
                f"have {', '.join(kinds)}"
            )
    one_of("kind", kind, kinds, OTHER_KINDS)
    as_choice("band", band, "curve")
    refuse_idle("curve", dataset, band=band)
    inference = {
        "method": AUTO,
        "confidence_level": confidence_level,
        "n_resamples": n_resamples,
        "rng": rng,
    }
    if isinstance(dataset, Detections):
        return _curves_of_detectors(dataset, kind, average, band, inference)
    return _curves_of_models(dataset, kind, average, inference)


def _curves_of_models(
    data: Predictions, kind: Any, average: Any, inference: Mapping[str, Any]
) -> SeveralCurves[Any]:
    request = data.request(**inference)
    over_centres = kind == CentreCurve.kind
    _refuse_without_effect(kind, average, inference)

    def curves_of(one: ReadCases) -> SeveralCurves[Any]:
        if over_centres:
            parts = centre_parts(one.cases, one.model.strata)
            return centre_curves(one.cases, parts, average, request.level)
        if kind in CALIBRATION_KINDS:
            return calibration_curves(kind, one.cases, average, request)
        return class_curves(kind, one.cases, request)

    read = (
        data.over_levels().read("calibration over centres")
        if over_centres
        else data.read("curves", without=("sample_weight",))
    )
    return _together(
        [
            _Part(curves_of(one), one.label, one.by, one.model.cautions)
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


def _curves_of_detectors(
    data: Detections, kind: Any, average: Any, band: Band, inference: Mapping[str, Any]
) -> SeveralCurves[Any]:
    quantities = Quantities(AREA_OF[kind], average=average)
    # All detectors have the same draws.
    same = {**inference, "rng": data.request(**inference).seed}
    parts = []
    for name, detections in following(data.detections.items(), "curves of models"):
        with naming(name) if name else nullcontext():
            alone = replace(data, detections={"": detections})
            of_detector, request = alone.jobs(quantities, **same)
        # Of each threshold and range of sizes.
        by_matching: dict[MatchingRule, list[Job]] = {}
        for job in of_detector.jobs:
            if job.matched is not None:
                by_matching.setdefault(job.matched.matching, []).append(job)
        curves = [
            curves_of_jobs(kind, jobs, matching, request, band=band)
            for matching, jobs in by_matching.items()
        ]
        together = DetectionCurves(tuple(one for some in curves for one in some))
        parts.append(_Part(together, name, {MODEL: name} if name else {}))
    return _together(parts)


# --------------------------------------------------------------------------- several models


@frozen(eq=False)
class _Part:
    """The curves of one model within some levels, and what its table gives reason to doubt."""

    curves: SeveralCurves[Any]
    name: str
    by: Mapping[str, Any] = field(default_factory=dict)
    cautions: tuple[Caution, ...] = ()


def _together(parts: Sequence[_Part]) -> SeveralCurves[Any]:
    """All curves, those of several models by their names."""
    named = [_named(one, several=len(parts) > 1) for one in parts]
    return type(parts[0].curves)(tuple(one for some in named for one in some))


def _named(part: _Part, *, several: bool) -> list[Any]:
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
