"""Instances by formula: what the population is, and what is refused."""

from __future__ import annotations

import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from sourcefolders import loaded, only

import halfwidth as hw


def test_instances_by_formula(tmp_path: Path) -> None:
    beta, lognormal, hits = loaded(
        tmp_path,
        """
        [[populations]]
        name = "skewed"
        family = "beta"
        a = 8
        b = 2
        metric = "dsc"

        [[populations]]
        family = "lognormal"

        [[populations]]
        family = "bernoulli"
        probability = 0.9
        metric = "correct"
        """,
    )
    assert (beta.name, beta.task, beta.model) == ("skewed", "skewed", "")
    assert (beta.source, beta.n_cases, beta.bounds) == ("beta(a=8, b=2)", None, hw.Bounds(0, 1))
    assert beta.metric is not None
    assert beta.metric.spec.name == "dsc"
    # Mean a / (a + b) of a beta, and exp(1/2) of a standard log-normal.
    assert beta.build().mean == 0.8
    assert lognormal.build().mean == pytest.approx(math.exp(0.5), rel=1e-12)
    assert lognormal.bounds == hw.Bounds(0, math.inf)
    assert lognormal.metric is not None
    assert lognormal.metric.spec.bounds == lognormal.bounds
    assert set(np.unique(hits.build().draw(np.random.default_rng(0), 5, 50))) == {0.0, 1.0}
    assert len({i.digest for i in (beta, lognormal, hits)}) == 3
    assert pickle.loads(pickle.dumps(beta)).build().mean == 0.8  # noqa: S301 -- our own


def test_a_mixture_has_the_mean_of_its_parts(tmp_path: Path) -> None:
    mixed = only(
        tmp_path,
        '[[populations]]\nparts = [{ family = "uniform", weight = 3 }, '
        '{ family = "uniform", low = 2, high = 4 }]\n',
    )
    assert mixed.build().mean == pytest.approx(0.75 * 0.5 + 0.25 * 3, rel=1e-12)
    assert mixed.bounds == hw.Bounds(0, 4)


def test_what_is_left_out_of_a_formula_is_part_of_its_digest(tmp_path: Path) -> None:
    short = '[[populations]]\nname = "x"\nfamily = "normal"\n'
    first = only(tmp_path, short)
    assert only(tmp_path, short + "location = 0.0\n").digest == first.digest
    assert only(tmp_path, short.replace("normal", "gaussian")).digest == first.digest
    assert only(tmp_path, short + "scale = 2\n").digest != first.digest
    assert only(tmp_path, short + "bounds = [-inf, inf]\n").digest == first.digest


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (
            'family = "normal"\nmetric = "dsc"',
            "reaches from -inf to inf, beyond the range [0, 1] of",
        ),
        ('family = "uniform"\nbounds = [0, 0.5]', "reaches from 0 to 1, beyond the range [0, 0.5]"),
        ('family = "uniform"\nmetric = "correct"', "takes other values; use family = "),
    ],
)
def test_a_formula_that_does_not_fit_its_metric(tmp_path: Path, lines: str, said: str) -> None:
    with pytest.raises(hw.DataError) as caught:
        loaded(tmp_path, f"[[populations]]\n{lines}\n")
    assert "spec.toml: [[populations]]: " in str(caught.value)
    assert said in str(caught.value)
