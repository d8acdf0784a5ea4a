"""ROC, precision-recall and decision curves with their bands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from halfwidth.core.errors import OptionError
from halfwidth.plots import curve_parts
from halfwidth.plots.figure import figure
from halfwidth.plots.style import QUIET, listed
from halfwidth.results.curves import Curve, CurveKind

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def _frame(curves: Curve | Sequence[Curve]) -> pd.DataFrame:
    return curve_parts.frame_of(listed(curves, Curve, "curves"))


@figure("ROC curves with their bands", _frame)
def roc(curves: Curve | Sequence[Curve], ax: Axes | None = None) -> Axes:
    """Draw ROC curves with their pointwise bands, a colour per class.

    A curve runs from (0, 0) to (1, 1) in steps, slanted only where cases of both kinds share a
    score. The diagonal is what guessing has. Beside the axes stand the classes with their AUROC.
    Up to 4 classes have their bands, and 21 are told apart by colour and stroke; of many, draw
    some: ``curves[:4]``.

    Parameters
    ----------
    curves : Curve, Curves or sequence of Curve
        Finished curves of ``kind="roc"``.
    ax : matplotlib Axes, optional
        Drawn into; the classes stand right of them, so give their figure
        ``layout="constrained"``. Default: the axes of a new figure, as wide as the square and the
        classes need, 17 cm at most.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    OptionError
        If there are no curves, if they are of another kind, or if matplotlib is missing.

    Notes
    -----
    ``roc.frame`` gives columns ``label, kind, drawn, x, y, low, high``: by ``drawn`` the corners of
    each ``line`` and the points of each ``band``. The areas are ``curves.areas.to_frame()``.

    Examples
    --------
    >>> import halfwidth as hw
    >>> curves = hw.curve([0, 0, 1, 1], "roc", y_score=[0.1, 0.4, 0.3, 0.8], n_resamples=99, rng=1)
    >>> roc(curves).get_xlabel()
    '1 - specificity'
    """
    return _drawn("roc", curves, ax)


@figure("Precision-recall curves with their bands", _frame)
def pr(curves: Curve | Sequence[Curve], ax: Axes | None = None) -> Axes:
    """Draw precision-recall curves with their pointwise bands, a colour per class.

    The dotted line of each class is its prevalence, the precision of guessing. Beside the axes
    stand the classes with their AP. A curve is the steps that AP sums: nothing is interpolated.

    Parameters
    ----------
    curves, ax
        As for `roc`, with curves of ``kind="pr"``.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    OptionError
        As for `roc`.

    Examples
    --------
    >>> import halfwidth as hw
    >>> truth, score = [0, 0, 1, 1], [0.1, 0.4, 0.3, 0.8]
    >>> pr(hw.curve(truth, "pr", y_score=score, n_resamples=99, rng=1)).get_ylabel()
    'precision'
    """
    return _drawn("pr", curves, ax)


@figure("Decision curves with their bands", _frame)
def decision(curves: Curve | Sequence[Curve], ax: Axes | None = None) -> Axes:
    """Draw decision curves with their pointwise bands, a colour per class.

    The dotted line of each class is to act on every case, the line at 0 to act on none. The axis of
    net benefits ends where treating all is much worse than treating none.

    Parameters
    ----------
    curves, ax
        As for `roc`, with curves of ``kind="decision"``.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    OptionError
        As for `roc`.

    Examples
    --------
    >>> import halfwidth as hw
    >>> truth, score = [0, 0, 1, 1], [0.1, 0.4, 0.3, 0.8]
    >>> decision(hw.curve(truth, "decision", y_score=score, n_resamples=99, rng=1)).get_ylabel()
    'net benefit'
    """
    return _drawn("decision", curves, ax)


def _drawn(kind: CurveKind, several: Curve | Sequence[Curve], ax: Axes | None) -> Axes:
    curves = listed(several, Curve, "curves")
    _check(kind, curves)
    texts = [curve_parts.curve_text(curve.label, curve.area) for curve in curves]
    is_new = ax is None
    if ax is None:
        ax = curve_parts.new_axes(texts)
    if kind == "decision":
        _net_benefit_axes(ax, curves)
    else:
        curve_parts.square(ax)
    curve_parts.finish(ax, curves[0].x_name, curves[0].y_name)
    if kind == "roc":
        ax.plot([0, 1], [0, 1], color=QUIET, linewidth=0.6, zorder=1)
    steps: dict[str, Any] = {"pr": {"step": "pre"}}.get(kind, {})
    for place, (curve, text) in enumerate(zip(curves, texts, strict=True)):
        band = (curve.x, curve.low, curve.high)
        curve_parts.paint_curve(
            ax, band, curve.line, place, steps=steps, of=len(curves), label=text
        )
        if kind == "pr":
            height = [curve.prevalence, curve.prevalence]
            colour = curve_parts.colour_of(place)
            ax.plot([0, 1], height, color=colour, linewidth=1.3, linestyle=":", zorder=1)
        elif kind == "decision":
            odds = curve.x / (1 - curve.x)
            all_cases = curve.prevalence - (1 - curve.prevalence) * odds
            colour = curve_parts.colour_of(place)
            ax.plot(curve.x, all_cases, color=colour, linewidth=1.3, linestyle=":", zorder=1)
    curve_parts.add_legend(ax)
    curve_parts.add_note(ax, _explanation(curves))
    if is_new and kind != "decision":
        curve_parts.fit_width(ax)
    return ax


def _net_benefit_axes(ax: Axes, curves: Sequence[Curve]) -> None:
    """Net benefits from somewhat below 0 to the best, over all thresholds; 0 is to treat none."""
    curve_parts.share_axis(ax, "x")
    best = max(curve.prevalence for curve in curves) or 1.0
    ax.set_ylim(-0.25 * best, 1.05 * best)
    ax.axhline(0, color=QUIET, linewidth=0.6, zorder=1)


def _check(kind: CurveKind, curves: Sequence[Curve]) -> None:
    if not curves:
        raise OptionError(f"{kind} needs at least one curve")
    other = {curve.kind for curve in curves} - {kind}
    if other:
        raise OptionError(
            f"{kind} draws curves made with kind={kind!r}, and these have kind={other.pop()!r}; "
            "draw each with the function of its own name"
        )


def _explanation(curves: Sequence[Curve]) -> list[str]:
    interval = curve_parts.level_text({curve.confidence_level for curve in curves})
    clauses = [f"bands: pointwise {interval}"] if len(curves) <= curve_parts.MOST_BANDS else []
    if any(curve.area is not None for curve in curves):
        clauses.append(f"brackets: {interval} of the area")
    if curves[0].kind == "pr":
        clauses.append("dotted: prevalence")
    if curves[0].kind == "decision":
        clauses.append("dotted: to act on all cases")
    return clauses
