"""The TOML file of a study: what it means, and what is wrong with it."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from smallstudies import keys_of

import halfwidth as hw
from halfwidth import METHODS, METRICS, Bounds
from halfwidth.core.types import Level
from halfwidth.study.specs.parsing import DEFAULTS
from halfwidth.study.specs.spec import StudySpec, written

ROOT = Path(__file__).resolve().parents[3]
TABLES = '[[tables]]\nfiles = "*_dsc.csv"\nmetric = "dsc"\n'
SCORES = '[[scores]]\nscores = "*_s.npy"\ntargets = "*_t.npy"\nkind = "logits"\n'
BETA = '[[populations]]\nfamily = "beta"\na = 8\nb = 2\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "spec.toml"


def spec(file: Path, content: str) -> StudySpec:
    file.write_text(content, encoding="utf-8")
    return hw.study.read_spec(file)


# --------------------------------------------------------------------------- what it means


def test_all_that_is_left_out_has_a_default(file: Path) -> None:
    found = spec(file, TABLES)
    assert found.sizes == (10, 25, 50, 75, 100, 125, 150, 200, 250)
    assert (found.samples, found.resamples, found.batches) == (10_000, 9999, 10)
    assert (found.name, found.seed, found.truth_draws) == ("study", 0, 10**6)
    assert found.levels == (Level(0.95),)
    assert [written(one) for one in found.statistics] == ["mean", "median"]
    assert found.methods is None
    assert found.metrics == ()
    assert found.averages == ()
    assert found.absent_class == "omit"
    assert found.folder == file.parent
    (table,) = found.tables
    assert (table.scale, table.missing, table.population) == (1.0, "raise", "auto")
    assert table.metric is not None
    assert table.metric.spec is METRICS["dsc"]


def test_everything_that_can_be_said(file: Path) -> None:
    found = spec(
        file,
        """
        [study]
        name = "all of it"
        seed = 7
        sizes = [25, 10]
        samples = 200
        resamples = 199
        batches = 4
        levels = [0.95, 0.9]
        alternative = "lower"
        statistics = ["quantile:0.9", "Mean"]
        metrics = ["auc", "accuracy", "f_beta:beta=2"]
        averages = ["macro", "binary"]
        methods = ["basic", "BCa"]
        absent_class = "zero"
        truth_draws = 5000

        [[tables]]
        files = ["a.csv", "b/{model}.csv"]
        metric = "own"
        bounds = [0, inf]
        columns = ["x"]
        by = "fold"
        case = "id"
        scale = 10
        missing = "worst"
        penalty = 99
        population = "kde"
        min_cases = 50
        task = "liver"

        [[scores]]
        files = "p/*.csv"
        target = "label"
        columns = ["p0", "p1"]
        kind = "probabilities"
        labels = ["benign", "malignant"]
        positive = "malignant"
        floor = 1e-6
        missing = "omit"
        bandwidth = "5"
        calibration_slope = 0.6
        min_cases = 60
        model = "ResNet"

        [[populations]]
        name = "skewed"
        bounds = [-1, 2]
        parts = [{ family = "beta", a = 8, b = 2, weight = 9 }, { family = "uniform" }]
        """,
    )
    assert (found.name, found.seed, found.sizes) == ("all of it", 7, (10, 25))
    assert (found.samples, found.resamples, found.batches) == (200, 199, 4)
    assert found.levels == (Level(0.9, "lower"), Level(0.95, "lower"))
    assert [written(one) for one in found.statistics] == ["mean", "quantile:q=0.9"]
    assert [written(one) for one in found.metrics] == ["accuracy", "f_beta:beta=2", "auroc"]
    assert found.averages == ("binary", "macro")
    assert found.methods == (METHODS["bca"], METHODS["basic"])
    assert (found.absent_class, found.truth_draws) == ("zero", 5000)
    (table,) = found.tables
    assert table.files == ("a.csv", "b/{model}.csv")
    assert table.metric is not None
    assert table.metric.spec.bounds == table.bounds == Bounds(0, math.inf)
    assert (table.columns, table.by, table.case) == (("x",), ("fold",), "id")
    assert (table.scale, table.missing, table.penalty) == (10.0, "worst", 99.0)
    assert (table.population, table.min_cases) == ("kde", 50)
    assert (table.model, table.task) == ("", "liver")
    (scores,) = found.scores
    assert (scores.files, scores.target, scores.columns) == (("p/*.csv",), "label", ("p0", "p1"))
    assert (scores.kind, scores.floor, scores.missing) == ("probabilities", 1e-6, "omit")
    assert (scores.labels, scores.positive) == (("benign", "malignant"), "malignant")
    assert (scores.population, scores.bandwidth, scores.min_cases) == ("kde", "5", 60)
    assert (scores.model, scores.task, scores.calibration) == ("ResNet", "", (0.0, 0.6))
    (population,) = found.populations
    assert (population.name, population.bounds) == ("skewed", Bounds(-1, 2))
    assert [(part.family, part.weight) for part in population.parts] == [
        ("beta", 9.0),
        ("uniform", 1.0),
    ]
    assert dict(population.parts[0].parameters) == {"a": 8, "b": 2, "location": 0, "scale": 1}


def test_one_value_needs_no_brackets(file: Path) -> None:
    short = spec(file, f'[study]\nsizes = 25\nlevels = 0.9\nstatistics = "sd"\n{TABLES}')
    long = spec(file, f'[study]\nsizes = [25]\nlevels = [0.9]\nstatistics = ["sd"]\n{TABLES}')
    assert short == long


def test_all_methods_can_be_said_in_two_ways(file: Path) -> None:
    assert spec(file, f'[study]\nmethods = ["all"]\n{TABLES}').methods is None


@pytest.mark.parametrize(
    ("written", "named"),
    [
        ('"auto"', ()),
        ('["auto", "t"]', (METHODS["t"],)),
        ('["auto", "all"]', None),
    ],
)
def test_auto_stands_alone_or_beside_methods(file: Path, written: str, named: object) -> None:
    found = spec(file, f"[study]\nmethods = {written}\n{TABLES}")
    assert (found.methods, found.auto) == (named, True)
    assert found.settings()["methods"][-1] == "auto"
    assert not spec(file, f'[study]\nmethods = "all"\n{TABLES}').auto


def test_a_population_without_a_name_is_called_by_its_formula(file: Path) -> None:
    (beta,) = spec(file, BETA).populations
    assert beta.name == "beta(a=8, b=2)"
    (normal,) = spec(file, '[[populations]]\nfamily = "Gaussian"\n').populations
    assert normal.name == "normal(location=0, scale=1)"
    (mixed,) = spec(
        file,
        '[[populations]]\n[[populations.parts]]\nfamily = "t"\ndf = 2.5\nweight = 3\n'
        '[[populations.parts]]\nfamily = "uniform"\nhigh = 2\n',
    ).populations
    assert mixed.name == "0.75 t(df=2.5) + 0.25 uniform(high=2)"


# --------------------------------------------------------------------------- its settings


def test_settings_are_plain_and_complete(file: Path) -> None:
    found = spec(file, f'[study]\nmethods = ["z", "t"]\n{TABLES}{SCORES}').settings()
    assert json.loads(json.dumps(found)) == found
    assert set(found) == {*DEFAULTS} - {"name"}
    assert found["methods"] == ["t", "z"]
    assert found["statistics"] == ["mean", "median"]
    trimmed = spec(file, f'[study]\nstatistics = ["trimmed_mean"]\n{TABLES}').settings()
    assert trimmed["statistics"] == ["trimmed_mean:share=0.25"]
    assert spec(file, TABLES).settings()["methods"] == METHODS.names


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("sizes = [10, 25]", "sizes = [25, 10]"),
        ("levels = [0.9, 0.95]", "levels = [0.95, 0.9]"),
        ('statistics = ["mean", "sd"]', 'statistics = ["std", "average"]'),
        ('statistics = ["trimmed_mean"]', 'statistics = ["iqm:share=0.25"]'),
        ('methods = ["t", "bca"]', 'methods = ["BCA", "student"]'),
        ('name = "one"', 'name = "two"'),
        ('metrics = ["f1", "auroc"]', 'metrics = ["auc", "f1_score"]'),
        ('averages = ["macro", "micro"]', 'averages = ["micro", "macro"]'),
    ],
)
def test_settings_do_not_depend_on_how_they_are_written(
    file: Path, first: str, second: str
) -> None:
    made = [spec(file, f"[study]\n{text}\n{TABLES}{SCORES}").settings() for text in (first, second)]
    assert made[0] == made[1]


@pytest.mark.parametrize(
    "changed",
    [
        "seed = 1",
        "sizes = [10]",
        "samples = 100",
        "resamples = 99",
        "batches = 5",
        "levels = [0.9]",
        'alternative = "upper"',
        'statistics = ["sd"]',
        'statistics = ["trimmed_mean:0.1", "mean"]',
        'metrics = ["f1"]',
        'averages = ["micro"]',
        'methods = ["t"]',
        'absent_class = "zero"',
        "truth_draws = 2000",
    ],
)
def test_settings_differ_where_results_do(file: Path, changed: str) -> None:
    first = spec(file, f"{TABLES}{SCORES}").settings()
    second = spec(file, f"[study]\n{changed}\n{TABLES}{SCORES}").settings()
    key = changed.split(" ", maxsplit=1)[0]
    assert {name for name in first if first[name] != second[name]} == {key}


# --------------------------------------------------------------------------- its page


def test_the_examples_of_the_page_are_specs(file: Path) -> None:
    page = (ROOT / "docs" / "study-spec.md").read_text(encoding="utf-8")
    examples = re.findall(r"```toml\n(.*?)```", page, flags=re.DOTALL)
    assert len(examples) == 4
    for example in examples:
        assert spec(file, example).name in example
        # What is commented out works too.
        spec(file, example.replace("\n# ", "\n"))


def test_the_page_tells_every_key_and_default(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "study-spec.md").read_text(encoding="utf-8")
    parts = dict(re.findall(r"\n## \[+(\w+)\]+\n(.*?)(?=\n## )", page, flags=re.DOTALL))
    keys = {
        name: keys_of(name, tmp_path) for name in ("tables", "scores", "detections", "populations")
    }
    for section, known in (*keys.items(), ("study", DEFAULTS)):
        rows = [line.split(" | ") for line in parts[section].splitlines() if line[:3] == "| `"]
        named = [key for row in rows for key in re.findall(r"`(\w+)`", row[0])]
        assert set(known) <= set(named), section
    defaults = {
        key: row[2].strip(" `")
        for row in (line.split(" | ") for line in parts["study"].splitlines() if " | " in line)
        for key in re.findall(r"`(\w+)`", row[0])
    }
    for key, value in DEFAULTS.items():
        shown: Any = list(value) if isinstance(value, tuple) else value
        assert defaults[key] == json.dumps(shown), key
