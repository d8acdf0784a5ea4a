"""Every public result can be pickled and copied, and says the same afterwards."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from fuzzcalls import public_functions
from support import quickly
from usual_calls import LIST, ask, results

import halfwidth as hw

CASES = 24
RNG = np.random.default_rng(3)
FIRST = RNG.beta(8, 2, CASES)
VALUES = {name: np.clip(FIRST + RNG.normal(0, 0.1, CASES), 0, 1) for name in "ABC"}
DSC: dict[str, Any] = {"n_resamples": 99, "rng": 1, "metric": "dsc"}
# What draws answers with pictures.
FUNCTIONS = [
    name for name in public_functions() if not name.startswith("plots.") and name != "hw.plot"
]
CALLS = {name: text for function in FUNCTIONS for name, text in results(function).items()}
CALLS |= {
    "by kernels": "hw.metric_ci(truth, score, metric=['smooth_ece', 'ece_kde', 'kce'], "
    "n_resamples=99, rng=1)",
    "weighted": "hw.estimate(hw.Predictions.from_arrays(truth, score, sample_weight=weights), "
    "metric=['f1', 'ece', 'nll'], n_resamples=99, rng=1)",
}


def check_copies(result: Any) -> None:
    copies = (pickle.loads(pickle.dumps(result)), copy.copy(result), copy.deepcopy(result))  # noqa: S301
    for one in copies:
        assert type(one) is type(result)
        assert (str(one), repr(one)) == (str(result), repr(result))
        for way in ("to_dict", "to_html", "sentence"):
            if hasattr(result, way):
                assert str(getattr(one, way)()) == str(getattr(result, way)())


def test_every_public_function_is_called() -> None:
    lacking = [name for name in FUNCTIONS if not results(name)]
    assert not lacking, f"{LIST} wants a call of these"


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", CALLS)
def test_results_can_be_pickled_and_copied(name: str) -> None:
    check_copies(ask(CALLS[name]))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("spec", hw.STATISTICS, ids=lambda spec: spec.name)
def test_results_of_every_statistic_can_be_pickled_and_copied(spec: hw.StatisticSpec) -> None:
    chosen = DSC | {
        "statistic": f"{spec.name}:q=0.3"
        if "q" in [one.name for one in spec.parameters]
        else spec.name
    }
    check_copies(quickly(hw.summary_ci, FIRST, **chosen))
    check_copies(quickly(hw.difference_ci, FIRST, VALUES["B"], **chosen))
    check_copies(hw.compare(VALUES, **chosen))
