"""Shares of instances that reject a family: what is tested, counted, corrected and left out."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from smallstudies import labelled

import halfwidth as hw
from halfwidth import DataError, OptionError, UnknownNameError
from halfwidth.study.analysis import family_fits, family_rejections, kolmogorov_smirnov
from halfwidth.study.analysis.rejections import rejections_of
from halfwidth.study.populations import logit_empirical
from halfwidth.study.specs.parsing import parse_spec
from halfwidth.study.specs.spec import Instance

HERE = Path("study.toml")


def planned_of(*instances: Instance) -> Any:
    spec = parse_spec({"study": {}, "populations": [{"name": "any", "family": "normal"}]}, HERE)
    return replace(hw.study.plan(spec), instances=instances)


@pytest.fixture
def three(tmp_path: Path) -> Any:
    """Dice by a beta, with a second peak, and equal ones; HD95 by a log-normal."""
    generator = np.random.default_rng(7)
    dice = {
        "one": generator.beta(8, 2, 80),
        "two": np.concatenate([generator.beta(90, 10, 40), generator.beta(10, 90, 40)]),
        "same": np.full(80, 0.75),
    }
    for metric, columns in (("dsc", dice), ("hd95", {"one": generator.lognormal(1, 0.4, 80)})):
        frame = pd.DataFrame({"case": [f"c{k}" for k in range(80)], **columns})
        frame.to_csv(tmp_path / f"{metric}.csv", index=False)
    text = "".join(
        f'[[tables]]\nfiles = "{metric}.csv"\nmodel = "net"\nmetric = "{metric}"\n'
        'population = "empirical"\n'
        for metric in ("dsc", "hd95")
    )
    (tmp_path / "study.toml").write_text(text, encoding="utf-8")
    return hw.study.plan(tmp_path / "study.toml")


def by(frame: pd.DataFrame) -> dict[tuple[str, str], dict[Any, Any]]:
    return {(row["metric"], row["family"]): row for row in frame.to_dict("records")}


@pytest.mark.slow
def test_what_is_tested_and_what_fails(three: Any) -> None:
    found = by(family_rejections(three))
    # In the order of the catalogue; no beta of distances, which have no upper end.
    assert [family for metric, family in found if metric == "hd95"] == [
        *("normal", "t", "skewnormal", "lognormal", "logistic", "exponential", "chi2"),
        *("gamma", "pareto", "weibull"),
    ]
    row = found["dsc", "beta"]
    # Equal values have no fit: they are counted, and not among those that share the rejections.
    assert (row["instances"], row["failed"], row["tests"]) == (3, 1, 3)
    assert row["rejected"] == 0.5
    assert math.isnan(row["rejected_lilliefors"])
    assert found["hd95", "lognormal"]["rejected"] == 0.0
    assert found["hd95", "pareto"]["rejected"] == 1.0


def test_fits_are_those_of_the_values(three: Any) -> None:
    frame = family_fits(three, ["beta", "gaussian"])
    assert frame["family"].tolist() == ["normal", "beta"] * 3 + ["normal"]
    first = three.instances[0]
    row = frame.iloc[1]
    alone = kolmogorov_smirnov(first.build().cases, "beta", bounds=first.bounds)
    assert (row["statistic"], row["p"]) == (alone.statistic, alone.p)
    assert row["parameters"].startswith("a=")
    failures = frame[frame["failure"] != ""]
    assert failures["instance"].unique().tolist() == [three.instances[2].name]


def fits(*p: tuple[str, str, float]) -> pd.DataFrame:
    """Fits of one family: instance, label, p."""
    return pd.DataFrame(
        [
            {"metric": "", "family": "t", "instance": one, "label": label, "p": value}
            | {"lilliefors_p": value, "draws": 0}
            for one, label, value in p
        ]
    )


def test_bonferroni_by_hand() -> None:
    # Four tests: a rejection takes 0.0125. One class of "a" has it; "b" has not; "c" is unknown.
    frame = fits(("a", "0", 0.6), ("a", "1", 0.0125), ("b", "0", 0.02), ("c", "0", math.nan))
    (row,) = rejections_of(frame).to_dict("records")
    assert (row["instances"], row["failed"], row["tests"], row["rejected"]) == (3, 1, 4, 0.5)
    (row,) = rejections_of(frame, tests=1).to_dict("records")
    assert (row["tests"], row["rejected"]) == (1, 1.0)
    (row,) = rejections_of(frame, tests=5).to_dict("records")
    assert row["rejected"] == 0.0


def test_a_class_that_rejects_outweighs_one_that_is_unknown() -> None:
    (row,) = rejections_of(fits(("a", "0", math.nan), ("a", "1", 1e-9))).to_dict("records")
    assert (row["failed"], row["rejected"]) == (0, 1.0)
    (row,) = rejections_of(fits(("a", "0", math.nan), ("a", "1", 0.9))).to_dict("records")
    assert row["failed"] == 1
    assert math.isnan(row["rejected"])


# --------------------------------------------------------------------------- logits


def test_marginals_of_logits() -> None:
    generator = np.random.default_rng(2)
    logits = np.stack([generator.normal(size=300), generator.exponential(size=300)])
    population = logit_empirical(logits, np.arange(300) % 2)
    frame = family_fits(planned_of(replaced(population)))
    assert frame["label"].tolist() == ["a"] * 5 + ["b"] * 5
    assert frame["family"].tolist()[:5] == ["normal", "t", "skewnormal", "logistic", "pareto"]
    assert frame["p"][0] > 0.05 / 2 > frame["p"][5]
    found = by(rejections_of(frame))
    # The second class rejects the normal, the first the Pareto.
    assert found["", "normal"]["rejected"] == found["", "pareto"]["rejected"] == 1.0
    assert found["", "normal"]["tests"] == 2


def replaced(population: Any) -> Instance:
    return replace(labelled(), build=lambda: population, classes=("a", "b"))


def test_logits_without_spread_are_no_test() -> None:
    # One column of scores: that of the negative class is 0.
    logits = np.stack([np.zeros(60), np.random.default_rng(2).normal(size=60)])
    frame = family_fits(planned_of(replaced(logit_empirical(logits, np.arange(60) % 2))))
    assert frame["label"].unique().tolist() == ["b"]


def test_infinite_logits_are_a_failure() -> None:
    logits = np.stack([np.random.default_rng(2).normal(size=60), np.full(60, -1.0)])
    logits[1, 0] = -math.inf
    population = logit_empirical(logits, np.arange(60) % 2)
    frame = family_fits(planned_of(replaced(population)), ["normal"])
    assert frame["failure"].tolist() == ["", "values that are not finite"]
    (row,) = rejections_of(frame).to_dict("records")
    assert row["failed"] == 1


# --------------------------------------------------------------------------- draws, jobs, options


def test_bootstrap_rejects_what_the_nominal_p_does_not() -> None:
    # Exponential values of which D says 0.01 to 0.2 by the nominal p of a normal.
    generator = np.random.default_rng(3)
    logits = generator.exponential(size=(2, 40))
    planned = planned_of(replaced(logit_empirical(logits, np.arange(40) % 2)))
    frame = family_fits(planned, ["normal"], lilliefors=99, rng=1)
    assert (frame["lilliefors_p"] < frame["p"]).all()
    assert frame["lilliefors_p"].max() <= 0.05 < frame["p"].max()


@pytest.mark.slow  # starting workers takes seconds
def test_jobs_and_other_families_do_not_matter(three: Any) -> None:
    how: dict[str, Any] = {"lilliefors": 29, "rng": 5}
    alone = family_fits(three, ["gamma", "normal"], **how)
    together = family_fits(three, ["gamma", "normal", "weibull"], jobs=2, **how)
    pd.testing.assert_frame_equal(
        alone, together[together["family"] != "weibull"].reset_index(drop=True)
    )


def test_a_bootstrap_that_cannot_reject_is_refused(three: Any) -> None:
    # Of three instances of Dice: 0.05/3 takes 59 draws.
    with pytest.raises(OptionError, match="draw 59 or more"):
        family_rejections(three, ["normal"], lilliefors=58, rng=1)
    assert by(family_rejections(three, ["normal"], lilliefors=59, rng=1))["dsc", "normal"]
    one = by(family_rejections(three, ["normal"], lilliefors=19, tests=1, rng=1))
    # That with two peaks at least.
    assert one["dsc", "normal"]["rejected_lilliefors"] >= 0.5
    assert one["dsc", "normal"]["draws"] == 19


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"families": ["wiebull"]}, UnknownNameError, "did you mean 'weibull'"),
        ({"families": []}, OptionError, "give a list of names"),
        ({"families": "normal"}, OptionError, "give a list of names"),
        ({"tests": 0}, OptionError, "tests=0 must be an integer ≥ 1"),
        ({"lilliefors": 0}, OptionError, "draws=0 must be an integer ≥ 1, such as"),
        ({"jobs": 0}, OptionError, "jobs=0"),
        ({"rng": -1}, OptionError, "rng=-1"),
    ],
)
def test_options_that_are_none(three: Any, given: dict[str, Any], error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        family_rejections(three, **given)


def test_formulas_have_no_values() -> None:
    planned = hw.study.plan(
        parse_spec({"study": {}, "populations": [{"name": "a", "family": "t", "df": 5}]}, HERE)
    )
    with pytest.raises(DataError, match="given by formula"):
        family_fits(planned)


def test_nothing_true_is_rejected_too_often() -> None:
    """Bonferroni over 40 normal marginals: any rejection has a chance of 5 % at most.

    By the nominal p far less, since D is small: the test fails by chance below 1e-6.
    """
    logits = np.random.default_rng(9).normal(size=(40, 60))
    population = logit_empirical(logits, np.arange(60) % 40)
    instance = replace(replaced(population), classes=tuple(map(str, range(40))))
    (row,) = family_rejections(planned_of(instance), ["normal"]).to_dict("records")
    assert (row["tests"], row["rejected"]) == (40, 0.0)
    # Of the normal itself D has a p of 0.05/40 at this.
    assert stats.kstwo.isf(0.05 / 40, 60) == pytest.approx(0.2445, abs=1e-3)
