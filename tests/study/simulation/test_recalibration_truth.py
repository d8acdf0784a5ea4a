"""The truth of slope, intercept and O:E in a study of test sets, against a fit to other draws."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.special import expit, logit

import halfwidth as hw
from halfwidth.metrics.names import resolve_metric
from halfwidth.study.simulation.cells import Cells
from halfwidth.study.simulation.fitted import fitted, population_truth
from halfwidth.study.specs.parsing import read_spec

SPEC = """
[study]
sizes = [100]
seed = 2
truth_draws = 400_000
metrics = ["calibration_slope", "calibration_in_the_large", "oe_ratio"]
averages = ["binary"]
methods = ["percentile"]

[[scores]]
scores = "{folder}/{{task}}_scores.npy"
targets = "{folder}/{{task}}_targets.npy"
kind = "logits"
"""


@pytest.mark.slow
def test_truths_are_those_of_a_large_draw(shared: Path, tmp_path: Path) -> None:
    folder = (shared / "data" / "medmnist_scores").as_posix()
    (tmp_path / "spec.toml").write_text(SPEC.format(folder=folder))
    spec = read_spec(tmp_path / "spec.toml")
    instance = hw.study.plan(spec).instances[0]
    drawn = fitted(instance).population.draw(np.random.default_rng(5), 1, 200_000)[0]
    y, log_odds = (drawn[-1] == 1).astype(float), logit(drawn[1])
    binomial = sm.families.Binomial()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        line = sm.GLM(y, sm.add_constant(log_odds), family=binomial).fit()
        large = sm.GLM(y, np.ones((len(y), 1)), family=binomial, offset=log_odds).fit()
    expected = expit(log_odds)
    error = np.std(y - expected * y.mean() / expected.mean()) / expected.mean() / len(y) ** 0.5
    wanted = {
        "calibration_slope": (line.params[1], line.bse[1]),
        "calibration_in_the_large": (large.params[0], large.bse[0]),
        "oe_ratio": (y.mean() / expected.mean(), error),
    }
    for metric in spec.metrics:
        (measured,) = Cells(instance, resolve_metric(metric, None), 100, spec).measured
        got = population_truth(instance, measured, spec)
        value, own = wanted[measured.metric]
        # 6 SE; that of a coefficient by the model may be half of what it is where the line bends.
        assert got.value == pytest.approx(
            value, abs=6 * 2 * (own**2 + got.standard_error**2) ** 0.5
        )
