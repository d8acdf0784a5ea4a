"""``curve``: curves with their bands, of predictions and of detections."""

from __future__ import annotations

from typing import Any, Literal

from halfwidth.core.checks import as_choice, one_of
from halfwidth.core.errors import OptionError
from halfwidth.core.option_names import spelled
from halfwidth.core.types import Band
from halfwidth.data.case_values import CaseValues
from halfwidth.estimation.resolve import AUTO
from halfwidth.measuring.kinds import data_with_curve, kind_of
from halfwidth.results.curves import SeveralCurves
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
    of_kind = kind_of(dataset)
    if kind not in of_kind.CURVES and (other := data_with_curve(kind)):
        raise OptionError(
            f"{spelled('kind', kind)} is a curve of {other}; {dataset.kind} have "
            f"{', '.join(of_kind.CURVES)}"
        )
    one_of("kind", kind, of_kind.CURVES, OTHER_KINDS)
    as_choice("band", band, "curve")
    refuse_idle("curve", dataset, band=band)
    inference = {
        "method": AUTO,
        "confidence_level": confidence_level,
        "n_resamples": n_resamples,
        "rng": rng,
    }
    return of_kind.curves(dataset, kind, average, band, inference)
