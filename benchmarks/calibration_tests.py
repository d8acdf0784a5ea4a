"""Size and power of tests of perfect calibration: drawn outcomes against large-sample formulas.

``python benchmarks/calibration_tests.py --samples 4000`` takes some minutes.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import halfwidth as hw

# Mean and SD of the log odds that the model predicts: outcomes of 2 in 5, and of 1 in 60.
MODELS = {"common": (-0.5, 1.2), "rare": (-5.0, 1.4)}
TRUTHS = {"perfect": (0.0, 1.0), "too extreme": (0.0, 0.7), "too low": (0.4, 1.0)}
STATISTICS = ("spiegelhalter", "hosmer_lemeshow", "ece", "likelihood_ratio", "kce")


def rejected(
    model: str, truth: str, cases: int, samples: int, draws: int, names: Sequence[str]
) -> NDArray[np.float64]:
    """Shares of samples with p < .05, by drawn outcomes and in large samples, (statistics, 2)."""
    (mean, sd), (intercept, slope) = MODELS[model], TRUTHS[truth]
    found = np.zeros((len(names), 2))
    for seed in range(samples):
        rng = np.random.default_rng([seed, cases])
        log_odds = rng.normal(mean, sd, cases)
        p = 1 / (1 + np.exp(-log_odds))
        y = rng.random(cases) < 1 / (1 + np.exp(-intercept - slope * log_odds))
        tests = hw.calibration_test(
            hw.Predictions.from_arrays(y.astype(int), p, labels=[0, 1], pos_label=1),
            statistic=list(names),
            n_resamples=draws,
            rng=seed,
        )
        for place, test in enumerate(tests):
            known = test.asymptotic_p <= 0.05 if test.reference else np.nan
            found[place] += test.p_value <= 0.05, known
    return found / samples


def main() -> None:
    """Print a line for each model, truth and statistic."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=4000)
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--draws", type=int, default=999)
    parser.add_argument("--statistic", nargs="+", default=list(STATISTICS))
    parser.add_argument("--truth", nargs="+", default=list(TRUTHS))
    given = parser.parse_args()
    print(f"{'outcomes':9} {'model':12} {'statistic':17} drawn  large samples")
    for model in MODELS:
        for truth in given.truth:
            shares = rejected(
                model, truth, given.cases, given.samples, given.draws, given.statistic
            )
            for name, (drawn, large) in zip(given.statistic, shares, strict=True):
                beside = "" if np.isnan(large) else f"{large:5.1%}"
                print(f"{model:9} {truth:12} {name:17} {drawn:5.1%}  {beside}", flush=True)


if __name__ == "__main__":
    main()
