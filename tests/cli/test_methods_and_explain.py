"""``halfwidth methods`` and ``halfwidth explain``: what exists, when to use it, what it means."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import Run

import halfwidth as hw

BOOTSTRAPS = ["percentile", "bca", "bca_expanded", "studentized", "basic"]
WITHOUT_ERRORS = [name for name in BOOTSTRAPS if name != "studentized"]
WEIGHTED = ["dirichlet", "gaffke"]
EITHER = "dirichlet_or_pareto"
OF_QUANTILES = [
    *WITHOUT_ERRORS,
    *("exact", "exact_attained", "exact_randomized", "asymptotic", "semiparametric"),
    *WEIGHTED,
]


def first_words(text: str) -> list[str]:
    """The first word of every row of a table below its rule."""
    lines = text.partition("─\n")[2].partition("\n\n")[0].splitlines()
    return [line.split()[0] for line in lines if line[:1].strip()]


def test_methods_lists_all_of_them_and_says_when_to_use_each(run: Run) -> None:
    ran = run("methods")
    assert (ran.status, ran.err) == (0, "")
    assert first_words(ran.out) == [method.name for method in hw.METHODS]
    text = " ".join(ran.out.split())
    assert "use it" in text
    assert "auto chooses among them" in text
    assert max(map(len, ran.out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("statistic", "names"),
    [
        ("median", OF_QUANTILES),
        ("quantile:0.9", OF_QUANTILES),
        ("trimmed_mean", ["trimmed_t", *BOOTSTRAPS, *WEIGHTED]),
        ("sd", [*BOOTSTRAPS, "dirichlet_pareto", *WEIGHTED, EITHER]),
        ("iqr", [*WITHOUT_ERRORS, *WEIGHTED]),
    ],
)
def test_methods_of_a_statistic(statistic: str, names: list[str], run: Run) -> None:
    ran = run("methods", "--statistic", statistic)
    assert ran.status == 0
    assert first_words(ran.out) == names


def test_methods_of_the_mean_include_those_of_proportions(run: Run) -> None:
    names = first_words(run("methods", "--statistic", "mean").out)
    assert {"t", "bca", "hoeffding", "wilson"} <= set(names)
    assert not {"exact", "trimmed_t"} & set(names)


@pytest.mark.parametrize("method", [method.name for method in hw.METHODS])
def test_one_method_in_full(method: str, run: Run) -> None:
    ran = run("methods", method)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith(f"{method}: {hw.METHODS[method].title}\n")
    for field in ("for", "use it", "least n", "promises", "cautions", "source"):
        assert f"\n{field:<9} " in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80
    assert "`" not in ran.out, "a docstring's markup"


@pytest.mark.parametrize("name", ["BCa", "BCA", "bca"])
def test_one_method_in_any_capitals(name: str, run: Run) -> None:
    assert run("methods", name).out.startswith("bca: BCa bootstrap\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("methods", "nope"), "unknown method 'nope'. Known: t, hall, hall_or_t,"),
        (("methods", "wilsn"), "unknown method 'wilsn'; did you mean 'wilson'?"),
        (("methods", "--statistic", "medain"), "did you mean 'median'?"),
        (("methods", "--statistic", "nope"), "unknown statistic 'nope'. Known: mean, median"),
        (("methods", "--metric", "dice"), "'dice' has a value for each case"),
        (("explain", "HW999"), "unknown caution 'HW999'"),
        (("explain", "HW999"), "Known: HW101, HW102"),
        (("explain", "nope"), "unknown code, method or metric 'nope'. Known: HW101, HW102"),
    ],
)
def test_unknown_names(arguments: tuple[str, ...], words: str, run: Run) -> None:
    ran = run(*arguments)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("halfwidth: ")
    assert ran.err.count("\n") == 1
    assert words in ran.err


def test_methods_of_a_statistic_that_needs_a_level_does_without_it(run: Run) -> None:
    names = first_words(run("methods", "--statistic", "quantile").out)
    assert names == OF_QUANTILES


def test_explain_says_what_a_method_assumes(run: Run) -> None:
    ran = run("explain", "dirichlet:mass=.25")
    assert ran.status == 0
    assert ran.out.startswith("dirichlet:mass=0.25: Dirichlet (mass 0.25)\n")
    assert "\nassumes   Cases unlike any observed may turn up" in ran.out
    assert "\nmass      of the pseudo-case at each bound" in ran.out
    assert "conjecture" in run("explain", "gaffke").out


def test_explain_lists_all_cautions(run: Run) -> None:
    ran = run("explain")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.splitlines() == [f"{spec.code}  {spec.title}" for spec in hw.CAUTIONS]


@pytest.mark.parametrize("spec", hw.CAUTIONS, ids=lambda spec: spec.code)
def test_explain_says_what_a_caution_means_and_what_to_do(spec: hw.Caution, run: Run) -> None:
    ran = run("explain", spec.code)
    assert (ran.status, ran.err) == (0, "")
    whole = hw.explain(spec.code)
    text = " ".join(ran.out.split())
    assert text.startswith(f"{whole.code}: {whole.title} ")
    assert whole.meaning in text
    assert f"What to do: {whole.remedy}" in text
    assert ran.out.endswith(f"docs/cautions.md#{whole.code.lower()}\n")
    assert max(map(len, ran.out.splitlines())) <= 80


@pytest.mark.parametrize("code", ["hw201", "Hw201"])
def test_explain_in_any_capitals(code: str, run: Run) -> None:
    assert run("explain", code).out == run("explain", "HW201").out


def test_a_method_takes_its_parameters_and_narrower_bounds(run: Run, tmp_path: Path) -> None:
    table = tmp_path / "dice.csv"
    table.write_text("case,dsc\na,0.81\nb,0.9\nc,0.95\nd,0.97\n")
    options = ("--metric", "dsc", "--method", "dirichlet:mass=.25", "--bounds", ".5,1", "--json")
    ran = run("ci", str(table), *options)
    (estimate,) = json.loads(ran.out)["estimates"]
    assert (estimate["method"], estimate["bounds"]) == ("dirichlet:mass=0.25", [0.5, 1.0])
    alone = hw.summary_ci(
        [0.81, 0.9, 0.95, 0.97], metric="dsc", method=estimate["method"], bounds=estimate["bounds"]
    )
    assert (estimate["low"], estimate["high"]) == (alone.low, alone.high)
    shown = run("ci", str(table), *options[:-1])
    assert "Dirichlet (mass 0.25) on [0.5," in " ".join(shown.out.split())
    refused = run("ci", str(table), *options[:-2], ".9,1")
    assert refused.status == 2
    assert "outside the range [0.9, 1]" in refused.err


@pytest.mark.parametrize("name", ["dsc", "auroc", "froc_score"])
def test_explain_says_what_a_metric_is_and_does_not_see(name: str, run: Run) -> None:
    ran = run("explain", name)
    spec = next(c[name] for c in (hw.METRICS, hw.SAMPLE_METRICS, hw.DETECTION_METRICS) if name in c)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith(f"{name}: {spec.display}\n")
    assert all(text.split()[0].lower() in ran.out.lower() for text in spec.pitfalls)
    assert str(spec.bounds) in ran.out
    assert "\nPitfalls:\n" in ran.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ("bca", "--metric", "auroc"),
            "--metric selects from the list of methods; leave it out, or leave out bca",
        ),
        (("--metric", "dsc"), "'dsc' has a value for each case"),
        (("--for", "foo"), "unknown task (--for) 'foo'. Known: detection."),
    ],
)
def test_what_methods_does_not_list(arguments: tuple[str, ...], words: str, run: Run) -> None:
    ran = run("methods", *arguments)
    assert (ran.status, ran.out) == (2, "")
    assert words in ran.err


def test_a_name_of_its_own_comes_before_a_synonym(run: Run) -> None:
    assert "thresholds of localisation" in run("explain", "ap").out, "also average_precision"
    assert run("explain", "f1").out.startswith("f1: F1, metric of a test set\n")
