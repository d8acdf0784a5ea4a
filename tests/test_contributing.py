"""The worked examples of docs/contributing: declared in one file, they work at every front door."""

from __future__ import annotations

import functools
import importlib.util
import json
import math
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import jaccard_score, roc_auc_score
from support import Run

import halfwidth as hw
from halfwidth.arithmetic.ranked_scores import RankEach
from halfwidth.core.spec import Metric, Statistic, spec_of
from halfwidth.core.types import Level
from halfwidth.document.render import render
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.metrics import building
from halfwidth.metrics.averaging import AreaFinish
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import leave_one_out, replicates
from halfwidth.resampling.forms.engines import engine_for
from halfwidth.resampling.forms.evaluation import left_out_by, replicates_by
from halfwidth.resampling.weights.dirichlet import Weighted

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "CONTRIBUTING.md"
RECIPES = {path: path.read_text("utf-8") for path in (ROOT / "docs/contributing").glob("*.md")}
BLOCK = re.compile(r'```python title="(\w+)"\n(.*?)^```$', re.DOTALL | re.MULTILINE)
BLOCKS = {kind: code for text in RECIPES.values() for kind, code in BLOCK.findall(text)}
Y = np.arange(60) % 3
PREDICTED = np.where(np.random.default_rng(1).uniform(size=60) < 0.7, Y, (Y + 1) % 3)
VALUES = np.random.default_rng(2).lognormal(size=40)
HITS = [1] * 17 + [0] * 3


def declared(kind: str) -> tuple[Any, ...]:
    """What an example declares; the block is run as a file of its own."""
    space: dict[str, Any] = {"__name__": f"example_{kind}"}
    exec(compile(BLOCKS[kind], f"example: {kind}", "exec"), space)  # noqa: S102
    names: tuple[Any, ...] = space["DECLARED"]
    return names


METRIC, STATISTIC, METHOD, ENGINE, HALVES = (
    declared(kind)[0] for kind in ("metric", "statistic", "method", "form", "maker")
)


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch, run: Run) -> Iterator[None]:
    """The examples in the catalogues, where the DECLARED of their family would put them."""
    # The command is put together once, with what is known then; other tests read its help.
    run("ci", "--help")
    lists: tuple[tuple[Any, Any], ...] = (
        (hw.SAMPLE_METRICS, METRIC),
        (hw.STATISTICS, STATISTIC),
        (hw.METHODS, METHOD),
    )
    for catalogue, function in lists:
        parts = (*catalogue.parts, functools.partial(tuple, [spec_of(function)]))
        monkeypatch.setitem(vars(catalogue), "parts", parts)
        vars(catalogue).pop("items", None)
    yield
    monkeypatch.undo()
    for catalogue, _ in lists:
        vars(catalogue).pop("items", None)


def test_every_example_is_run() -> None:
    assert set(BLOCKS) == {"metric", "statistic", "method", "form", "maker", "result", "branch"}
    assert sum(text.count("```python") for text in RECIPES.values()) == len(BLOCKS)


def test_the_page_is_short_and_leads_to_every_recipe() -> None:
    text = PAGE.read_text("utf-8")
    prose = re.sub(r"^```[\w ]+\n(?:(?!^```).*\n)*^```$", "", text, flags=re.MULTILINE)
    assert "```" not in prose
    assert re.findall(r"^## (.*)", prose, re.MULTILINE) == ["The house", "Words"]
    assert len([word for word in prose.split() if re.search(r"\w", word)]) <= 800
    linked = re.findall(r"\(docs/contributing/(\w+\.md)\)", prose)
    assert sorted(linked) == sorted(path.name for path in RECIPES)


def test_the_house_is_drawn_from_the_contracts() -> None:
    spec = importlib.util.spec_from_file_location("house", ROOT / "tools" / "house.py")
    assert spec is not None
    assert spec.loader is not None
    house = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(house)
    (drawn,) = house.BLOCK.findall(PAGE.read_text("utf-8"))
    assert drawn == house.picture(), "python tools/house.py --write"


# --------------------------------------------------------------------------- a metric


def test_the_metric_has_its_averages_and_methods() -> None:
    for average in ("macro", "micro", "weighted"):
        made = hw.metric_ci(Y, PREDICTED, metric=METRIC, average=average, n_resamples=99, rng=1)
        assert made.value == pytest.approx(jaccard_score(Y, PREDICTED, average=average))
        assert made.low < made.value < made.high
    made = hw.metric_ci(Y, PREDICTED, metric=METRIC, average="macro", method="delta")
    assert made.standard_error > 0
    with pytest.raises(hw.OptionError, match="method 't' makes no interval for the macro CSI"):
        hw.metric_ci(Y, PREDICTED, metric=METRIC, average="macro", method="t")


# --------------------------------------------------------------------------- a statistic


def test_a_statistic_without_a_form_takes_the_generic_path() -> None:
    statistic = resolve_statistic(STATISTIC)
    assert statistic.spec.form is None
    values, plan = np.stack([np.sort(VALUES), np.sort(VALUES**2)]), Plan(3, 50)
    drawn = replicates(values, Design.iid(40), statistic, plan)
    # The mean of the logarithms has a form: the same draws by the fast path.
    logs = replicates(np.log(values), Design.iid(40), resolve_statistic("mean"), plan)
    np.testing.assert_allclose(drawn, np.exp(logs), rtol=1e-12)
    without = [[stats.gmean(np.delete(row, place)) for place in range(40)] for row in values]
    np.testing.assert_allclose(leave_one_out(values, Design.iid(40), statistic), without)


DESIGNS = (
    Design.iid(40),
    Design((10, 30), paired=True),
    Design((12,), (1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 5), paired=True),
)


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
def test_the_form_gives_what_the_generic_path_gives(design: Design) -> None:
    statistic, plan = resolve_statistic(STATISTIC), Plan(3, 50)
    values = np.stack([np.sort(VALUES), np.sort(VALUES**2)])
    generic = engine_for(statistic)
    for made_by in (replicates_by, lambda *given: left_out_by(*given[:-1])):
        fast = made_by(ENGINE, values, design, statistic, plan)
        np.testing.assert_allclose(
            fast, made_by(generic, values, design, statistic, plan), rtol=1e-12
        )
    # Dirichlet weights of units: a weighted mean of logarithms.
    block, made = Weighted(design, plan, 0, 50), np.empty((2, 50))
    ENGINE.prepare(values, design, statistic).evaluate(block, made)
    weights = np.repeat(block.variates(), design.unit_sizes, axis=-1)
    wanted = [np.exp(np.average(np.log(row), weights=weights[5])) for row in values]
    np.testing.assert_allclose(made[:, 5], wanted, rtol=1e-12)


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
def test_every_form_evaluates_what_the_maker_makes(design: Design) -> None:
    block = HALVES(design, Plan(4, 30), 0, 30)
    assert (block.rows().sum(axis=1) == design.units // 2).all()
    assert np.array_equal(HALVES(design, Plan(4, 30), 7, 9).rows(), block.rows()[7:9])
    held = block.rows()[:, design.unit_of_case].astype(bool)

    def evaluated(statistic: Statistic, sample: Any) -> Any:
        made = np.empty((1, 30))
        engine_for(statistic).prepare(sample[None], design, statistic).evaluate(block, made)
        return made[0]

    values = np.sort(VALUES)
    for name in ("mean", "sd", "trimmed_mean", "median"):
        statistic = resolve_statistic(name)
        wanted = [statistic(values[cases]) for cases in held]
        np.testing.assert_allclose(evaluated(statistic, values), wanted, rtol=1e-12)
    metric, truth = Metric(hw.SAMPLE_METRICS["auroc"]), np.arange(40) % 2
    auroc = building.ranking_statistic(metric, RankEach(1), AreaFinish("macro"), "omit")
    wanted = [roc_auc_score(truth[cases] == 0, VALUES[cases]) for cases in held]
    np.testing.assert_allclose(evaluated(auroc, np.stack([VALUES, truth])), wanted, rtol=1e-12)


def test_the_statistic_works_at_the_front_door() -> None:
    made = hw.summary_ci(VALUES, statistic=STATISTIC, n_resamples=199, rng=1)
    assert made.value == pytest.approx(stats.gmean(VALUES))
    # A method that auto has no evidence for is not chosen.
    assert made.method == "percentile"
    # By the delta method the SE is that of the mean of the logarithms, times the value.
    options: dict[str, Any] = {"statistic": STATISTIC, "n_resamples": 99, "rng": 1}
    error = hw.summary_ci(VALUES, method="studentized", **options).standard_error
    assert error == pytest.approx(made.value * stats.sem(np.log(VALUES)))
    clusters = hw.summary_ci(VALUES, method="bca", groups=np.arange(40) // 2, **options)
    assert clusters.low < made.value < clusters.high
    with pytest.raises(hw.OptionError, match="method 't' makes no interval for the geometric mean"):
        hw.summary_ci(VALUES, statistic=STATISTIC, method="t")


def test_where_the_statistic_is_undefined_it_is_said() -> None:
    made = hw.summary_ci([0.0, *VALUES], statistic=STATISTIC, n_resamples=99, rng=1)
    assert np.isnan([made.value, made.low, made.high]).all()
    (said,) = (caution for caution in made.cautions if caution.code == "HW306")
    assert "the geometric mean" in said.message


# --------------------------------------------------------------------------- a method


@pytest.mark.parametrize("n", [1, 2, 5, 13, 40])
def test_mid_p_bounds_have_the_probabilities_that_it_says(n: int) -> None:
    x, level = np.arange(n + 1), Level(0.9)
    made = METHOD(x, n, level)
    for place, low, high in zip(x, made.low, made.high, strict=True):
        if place:
            above = stats.binom.sf(place, n, low) + stats.binom.pmf(place, n, low) / 2
            assert above == pytest.approx(0.05)
        if place < n:
            below = stats.binom.cdf(place - 1, n, high) + stats.binom.pmf(place, n, high) / 2
            assert below == pytest.approx(0.05)
    assert (made.low[0], made.high[-1]) == (0, 1)


def test_mid_p_is_right_on_average_where_clopper_pearson_is_too_wide() -> None:
    x, shares = np.arange(21), np.linspace(0.01, 0.99, 99)
    chance = stats.binom.pmf(x, 20, shares[:, None])

    def mean_coverage(made: hw.Interval) -> float:
        held = (made.low <= shares[:, None]) & (shares[:, None] <= made.high)
        return float((chance * held).sum(axis=1).mean())

    ours = mean_coverage(METHOD(x, 20, Level(0.95)))
    theirs = mean_coverage(hw.intervals.clopper_pearson(x, 20, Level(0.95)))
    assert abs(ours - 0.95) < 0.015 < theirs - 0.95


def test_the_method_works_at_the_front_door() -> None:
    made = hw.summary_ci(HITS, metric="correct", method=METHOD)
    bounds = METHOD(17, 20, Level(0.95))
    assert (made.low, made.high) == (float(bounds.low), float(bounds.high))
    assert made.sentence().endswith("Clopper-Pearson mid-P).")
    with pytest.raises(hw.OptionError, match="method 'mid_p' makes no interval for the mean"):
        hw.summary_ci(VALUES, method=METHOD)


# --------------------------------------------------------------------------- in the catalogues


@pytest.mark.usefixtures("listed")
def test_what_is_declared_is_known_by_its_name(run: Run, tmp_path: Path) -> None:
    def estimate(*arguments: object) -> Any:
        ran = run("ci", *arguments, "--json", "--seed", 1, "--n-resamples", 99)
        (found,) = json.loads(ran.out)["estimates"]
        return found

    values, sets = tmp_path / "values.csv", tmp_path / "sets.csv"
    values.write_text("v\n" + "\n".join(map(str, VALUES)))
    sets.write_text(
        "y,p,h\n"
        + "\n".join(f"{y},{p},{h}" for y, p, h in zip(Y, PREDICTED, HITS * 3, strict=True))
    )
    found = estimate(values, "--value", "v", "--statistic", "gmean")
    assert (found["statistic"], found["method"]) == ("geometric_mean", "percentile")
    found = estimate(sets, "--value", "h", "--metric", "correct", "--method", "mid-p")
    assert found["method"] == "mid_p"
    found = estimate(
        sets,
        "--target",
        "y",
        "--prediction",
        "p",
        "--metric",
        METRIC.__name__,
        "--average",
        "macro",
    )
    assert found["value"] == pytest.approx(jaccard_score(Y, PREDICTED, average="macro"))


# --------------------------------------------------------------------------- a kind of result


def test_a_kind_of_result_shows_itself_everywhere() -> None:
    one, several = declared("result")
    caution = hw.summary_ci(VALUES[:5]).cautions[0]
    result = several((one("a, b", 40, 0.85), one("a, c", 12, math.nan, (caution,))), ("Two.",))
    assert result.to_dict()["agreements"][0] == {
        "label": "a, b",
        "n": 40,
        "share": 0.85,
        "cautions": [],
    }
    assert json.loads(result.to_json())["agreements"][1]["share"] is None
    assert list(result.to_frame().columns) == ["label", "n", "share", "cautions"]
    assert result.to_frame().cautions.tolist() == ["", caution.code]
    assert result[0].to_frame().equals(result[:1].to_frame())
    text = render(result.document(), "markdown")
    assert "| readers | n | agreement |" in text
    assert "| a, b | 40 | 85 % |" in text
    assert caution.message in text
    assert "Agreement: share of the cases" in text
    html = result._repr_html_()
    assert "<table" in html
    assert "Two." in html
    assert repr(result).startswith("ReaderAgreements (2):\n  a, b agree in 85 % of 40 cases.")
    with pytest.raises(hw.OptionError, match="ReaderAgreements has no picture"):
        result.plot()


# --------------------------------------------------------------------------- a branch


REGISTERED = """
import sys
import halfwidth as hw
from halfwidth.core import branches
hw.__path__.append(sys.argv[1])
branches.BRANCHES += ("triage",)
from halfwidth.cli.main import main
e = hw.metric_ci([0, 1] * 30, [0, 1, 1] * 20, metric="share_sent_on")
print(round(e.value, 4), e.low < e.value < e.high, "share_sent_on" in hw.SAMPLE_METRICS)
main(["triage"])
"""


def test_a_branch_of_twenty_lines_has_a_metric_and_a_verb(tmp_path: Path) -> None:
    for file in re.split(r"^# (?=triage/)", BLOCKS["branch"], flags=re.MULTILINE)[1:]:
        name, _, code = file.partition("\n")
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(code, encoding="utf-8")
    command = [sys.executable, "-c", REGISTERED, str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines() == [
        "0.6667 True True",
        "Cases that are called positive are read by a person.",
    ]
