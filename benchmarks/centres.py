"""Coverage of calibration pooled over centres: of the mean, and of what a new centre will show.

Of slope, calibration-in-the-large and O:E, and of the curve at three log odds of the model.

``python benchmarks/centres.py --samples 1000`` takes some minutes.
"""

from __future__ import annotations

import argparse

import numpy as np

import halfwidth as hw

CURVE_AT = (-2.0, -1.0, 0.5)
METRICS = ("calibration_slope", "calibration_in_the_large", "oe_ratio")
ROWS = (*METRICS, *(f"log odds at {at:g}" for at in CURVE_AT))
# SDs between centres of the slope, and of the intercept at slope 1.
SPREADS = {"alike": (0.0, 0.0), "different": (0.15, 0.4)}


def main() -> None:
    """Print how often each interval holds what it is of."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--cases", type=int, default=300, help="cases of a centre, on average")
    given = parser.parse_args()
    print(f"{'centres':8} {'spread':10} {'metric':26} mean   new centre  width of either")
    for spread, sds in SPREADS.items():
        for k in (5, 10, 20):
            held = np.zeros((len(ROWS), 2))
            widths = np.zeros((len(ROWS), 2))
            for seed in range(given.samples):
                one_held, one_width = _one(seed, k, given.cases, *sds)
                held += one_held
                widths += one_width
            for name, (mean, new), sizes in zip(ROWS, held, widths, strict=True):
                shares = f"{mean / given.samples:5.1%}  {new / given.samples:10.1%}"
                wide, wider = sizes / given.samples
                print(f"{k:8} {spread:10} {name:26} {shares}  {wide:.3f} {wider:.3f}", flush=True)


def _one(
    seed: int, k: int, cases: int, of_slope: float, of_intercept: float
) -> tuple[np.ndarray, np.ndarray]:
    """Whether the two intervals of each metric hold their truths, and their widths."""
    rng = np.random.default_rng([seed, k])
    sizes = np.maximum(rng.poisson(cases, k), 50)
    # The last is a new centre, whose truth is known but for its name.
    slopes = 1 + of_slope * rng.normal(size=k + 1)
    intercepts = of_intercept * rng.normal(size=k + 1)
    centre = np.repeat(np.arange(k), sizes)
    log_odds = rng.normal(-1, 1, len(centre))
    p = 1 / (1 + np.exp(-log_odds))
    true = 1 / (1 + np.exp(-intercepts[centre] - slopes[centre] * log_odds))
    y = (rng.random(len(p)) < true).astype(int)
    columns = {"y": y, "p": p, "centre": centre}
    test = hw.Predictions.from_table(columns, "y", score="p", by="centre", labels=[0, 1])
    results = hw.calibration_by_centre(test, metric=METRICS)
    means, news = _truths(of_slope, of_intercept, slopes[-1], intercepts[-1])
    held = [
        [item.low <= mean <= item.high, item.new_low <= new <= item.new_high]
        for item, mean, new in zip(results, means, news, strict=True)
    ]
    widths = [[item.high - item.low, item.new_high - item.new_low] for item in results]
    (curve,) = hw.curve(test, "calibration-by-centre")
    scale = np.log(curve.x / (1 - curve.x))
    for at in CURVE_AT:
        nearest = int(np.abs(scale - at).argmin())
        low, high, new_low, new_high = (
            np.log(end[nearest] / (1 - end[nearest]))
            for end in (curve.low, curve.high, curve.new_low, curve.new_high)
        )
        new = intercepts[-1] + slopes[-1] * scale[nearest]
        held.append([low <= scale[nearest] <= high, new_low <= new <= new_high])
        widths.append([high - low, new_high - new_low])
    return np.array(held, dtype=float), np.array(widths)


def _truths(
    of_slope: float, of_intercept: float, slope: float, intercept: float
) -> tuple[list[float], list[float]]:
    """Of the distribution over centres the means, and the values of one centre."""
    from scipy import special

    z = special.ndtri((np.arange(2000) + 0.5) / 2000)
    log_odds, p = z - 1, special.expit(z - 1)
    nodes, weights = np.polynomial.hermite_e.hermegauss(15)
    weights = weights / weights.sum()
    large, ratio = np.zeros((15, 15)), np.zeros((15, 15))
    for i, b in enumerate(1 + of_slope * nodes):
        for j, a in enumerate(of_intercept * nodes):
            large[i, j], ratio[i, j] = _centre_values(a, b, log_odds, p)
            if not of_slope and not of_intercept:
                return [1.0, 0.0, 1.0], [slope, *_centre_values(intercept, slope, log_odds, p)]
    mean = [1.0, float(weights @ large @ weights), float(np.exp(weights @ np.log(ratio) @ weights))]
    return mean, [slope, *_centre_values(intercept, slope, log_odds, p)]


def _centre_values(
    intercept: float, slope: float, log_odds: np.ndarray, p: np.ndarray
) -> tuple[float, float]:
    """Calibration-in-the-large and O:E of a centre whose log odds are a + b L."""
    from scipy import special

    happens = special.expit(intercept + slope * log_odds).mean()
    shift = 0.0
    for _ in range(50):
        shifted = special.expit(shift + log_odds)
        shift += (happens - shifted.mean()) / (shifted * (1 - shifted)).mean()
    return float(shift), float(happens / p.mean())


if __name__ == "__main__":
    main()
