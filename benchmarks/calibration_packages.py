"""What packages print of calibration for the same inputs, beside halfwidth, as a Markdown table.

python benchmarks/calibration_packages.py

Needs uncertainty-calibration and calzone-tool, which nothing else here needs: pip install both. A
package that is missing has no number.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import halfwidth as hw

Array = NDArray[Any]


@dataclass(frozen=True)
class Line:
    """One input, what to ask of it, and what comes of it.

    Attributes
    ----------
    what : str
    ours : callable
    others : dict of str to callable
        By the name of the package and the function.
    why : str
        What the difference comes from.
    """

    what: str
    ours: Callable[[], float]
    others: dict[str, Callable[[], float]]
    why: str


def both(p: Array) -> Array:
    """Probabilities of both classes."""
    return np.column_stack([1 - p, p])


def value(y: Array, p: Array, metric: str, average: str | None = None) -> float:
    """Of halfwidth, without an interval's draws."""
    found = hw.metric_ci(y, p, metric=metric, average=average, n_resamples=99, rng=1)
    return float(found.value)


def _of_kumar(y: Array, p: Array, bins: int, *, debias: bool = False) -> float:
    import calibration

    return float(calibration.get_ece(both(p), y.astype(int), debias=debias, num_bins=bins))


def _squared_of_kumar(y: Array, p: Array) -> float:
    import calibration

    # Of the positive class alone, as one column.
    return float(calibration.get_calibration_error(p, y.astype(int), p=2, debias=True))


def _mass_of_kumar(y: Array, p: Array) -> float:
    import calibration

    return float(calibration.get_calibration_error(p, y.astype(int), p=1, debias=False))


def _of_calzone(y: Array, p: Array, bins: int, *, frequency: bool = False) -> float:
    from calzone import metrics

    share, mean, _, counts = metrics.reliability_diagram(
        y, both(p), num_bins=bins, class_to_plot=1, is_equal_freq=frequency
    )
    return float(metrics.calculate_ece_mce(share, mean, counts)[0])


def _slope_of_calzone(y: Array, p: Array, which: int) -> float:
    from calzone import metrics

    found = metrics.cox_regression_analysis(y, both(p), class_to_calculate=which)
    return float(found[0])


def _hosmer_lemeshow_of_calzone(y: Array, p: Array, df: int | None) -> float:
    from calzone import metrics

    share, mean, _, counts = metrics.reliability_diagram(
        y, both(p), num_bins=10, class_to_plot=1, is_equal_freq=True
    )
    return float(metrics.hosmer_lemeshow_test(share, mean, counts, df=df)[1])


def _brier_of_sklearn(y: Array, p: Array, *, half: bool) -> float:
    from sklearn.metrics import brier_score_loss

    return float(brier_score_loss(y, both(p), scale_by_half=half))


def _log_loss_of_sklearn(y: Array, p: Array) -> float:
    from sklearn.metrics import log_loss

    return float(log_loss(y, p))


def lines() -> list[Line]:
    """The inputs, made anew from fixed seeds."""
    generator = np.random.default_rng(1)
    p = generator.beta(2, 3, 200)
    y = (generator.random(200) < p).astype(int)
    certain = np.where(np.arange(20) < 10, 1.0, 0.65)
    right = np.r_[np.zeros(3, int), np.ones(17, int)]
    never = np.where(np.arange(20) < 10, 0.0, 0.35)
    edge = np.repeat([0.3, 0.38], 10)
    hits = (np.arange(20) < 6) | (np.arange(20) == 19)
    tied = np.repeat([0.2, 0.6, 0.9], [17, 40, 43])
    of_tied = (generator.random(100) < tied).astype(int)
    order = generator.permutation(100)
    off = p**1.6
    rare = 1 / (1 + np.exp(-generator.normal(-3, 1, 500)))
    of_rare = (generator.random(500) < rare).astype(int)
    sure, wrong = np.array([0.0, 1.0, 0.8, 0.3]), np.array([1, 1, 1, 0])
    return [
        Line(
            "confidence 1.0: ten cases at 1.0, three of them wrong",
            lambda: value(right, certain, "ece"),
            {
                "uncertainty-calibration, 10 bins": lambda: _of_kumar(right, certain, 10),
                "calzone, 10 bins": lambda: _of_calzone(right, certain, 10),
            },
            "the last bin holds 1.0",
        ),
        Line(
            "probability 0.0: ten cases at 0.0, three of them positive",
            lambda: value(1 - right, never, "ece"),
            {
                "uncertainty-calibration, 10 bins": lambda: _of_kumar(1 - right, never, 10),
                "calzone, 10 bins": lambda: _of_calzone(1 - right, never, 10),
            },
            "the first bin holds 0.0; calzone counts none of the ten",
        ),
        Line(
            "probabilities 0.3, an edge of ten bins, and 0.38; too low and too high",
            lambda: value(hits, edge, "ece"),
            {
                "uncertainty-calibration, 10 bins": lambda: _of_kumar(hits, edge, 10),
                "calzone, 10 bins": lambda: _of_calzone(hits, edge, 10),
            },
            "0.3 is in (0.2, 0.3], or with 0.38 in [0.3, 0.4), where the two errors cancel",
        ),
        Line(
            "200 cases of two classes: of the positive class, ten bins",
            lambda: value(y, p, "ece"),
            {
                "uncertainty-calibration, 10 bins": lambda: _of_kumar(y, p, 10),
                "uncertainty-calibration, as it comes": lambda: _of_kumar(y, p, 15),
                "calzone, 10 bins": lambda: _of_calzone(y, p, 10),
            },
            "uncertainty-calibration takes the top label, and fifteen bins where nothing is said",
        ),
        Line(
            "the same of the top label, fifteen bins",
            lambda: value(y, both(p), "ece:bins=15", "top_label"),
            {"uncertainty-calibration, as it comes": lambda: _of_kumar(y, p, 15)},
            "the same thing asked for",
        ),
        Line(
            "100 tied probabilities, bins of equal mass",
            lambda: value(of_tied, tied, "ece:binning=mass,bins=5"),
            {
                "calzone, 5 bins": lambda: _of_calzone(of_tied, tied, 5, frequency=True),
                "uncertainty-calibration, 15 bins": lambda: _mass_of_kumar(of_tied, tied),
            },
            "equal probabilities stay in one bin here",
        ),
        Line(
            "the same with the rows in another order",
            lambda: value(of_tied[order], tied[order], "ece:binning=mass,bins=5"),
            {
                "calzone, 5 bins": lambda: _of_calzone(
                    of_tied[order], tied[order], 5, frequency=True
                ),
                "uncertainty-calibration, 15 bins": lambda: _mass_of_kumar(
                    of_tied[order], tied[order]
                ),
            },
            "the order of rows cannot matter",
        ),
        Line(
            "ℓ2 error of the 200 cases with probabilities that are too low, debiased",
            lambda: value(y, off, "ece_l2"),
            {"uncertainty-calibration": lambda: _squared_of_kumar(y, off)},
            "ten bins of equal width here, fifteen of equal mass there",
        ),
        Line(
            "slope of the 200 cases, of the positive class",
            lambda: value(y, p, "calibration_slope"),
            {
                "calzone, class 1": lambda: _slope_of_calzone(y, p, 1),
                "calzone, class 0": lambda: _slope_of_calzone(y, p, 0),
            },
            "of two classes the slope is the same for either",
        ),
        Line(
            f"Hosmer-Lemeshow's p, 500 cases, {of_rare.mean():.0%} positive",
            lambda: float(
                hw.calibration_test(of_rare, rare, statistic="hosmer_lemeshow", rng=1).p_value
            ),
            {
                "calzone, as it comes": lambda: _hosmer_lemeshow_of_calzone(of_rare, rare, None),
                "calzone, 10 degrees of freedom": lambda: _hosmer_lemeshow_of_calzone(
                    of_rare, rare, 10
                ),
            },
            "drawn from the model's probabilities here; χ² with 8 degrees of freedom, as of data "
            "that the model was fitted to, or 10 there",
        ),
        Line(
            "Brier score of the 200 cases",
            lambda: value(y, p, "brier"),
            {
                "scikit-learn, as it comes": lambda: _brier_of_sklearn(y, p, half=True),
                "scikit-learn, scale_by_half=False": lambda: _brier_of_sklearn(y, p, half=False),
            },
            "summed over both classes it is twice as large: `average='sum'`",
        ),
        Line(
            "NLL with a certain prediction that is wrong",
            lambda: value(wrong, sure, "nll"),
            {"scikit-learn": lambda: _log_loss_of_sklearn(wrong, sure)},
            "0 and 1 are clipped to 1e-7 from them here, to 2.2e-16 there",
        ),
    ]


def printed(ask: Callable[[], float]) -> str:
    """A number in four decimals, or why there is none; what the package prints is not shown."""
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return f"{ask():.4f}"
    except ImportError as error:
        return f"not installed ({error.name})"
    except Exception as error:  # noqa: BLE001 -- what a package makes of an input is the answer
        return f"{type(error).__name__}"


def main() -> None:
    """Print the table."""
    print("| input | halfwidth | others | why |\n| --- | --- | --- | --- |")
    for line in lines():
        others = "; ".join(f"{name}: {printed(ask)}" for name, ask in line.others.items())
        print(f"| {line.what} | {printed(line.ours)} | {others} | {line.why} |")


if __name__ == "__main__":
    main()
