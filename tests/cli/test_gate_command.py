"""``halfwidth gate``: its exit statuses, its one line, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support import Run

N = 40


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An old model and three new ones: alike, worse by 3 mm, and of too few cases."""
    folder = tmp_path_factory.mktemp("models")
    rng = np.random.default_rng(7)
    case, old = [f"c{i:02d}" for i in range(N)], rng.normal(20, 3, N)
    noise = rng.normal(0, 0.6, N)
    for name, values in {"old": old, "same": old + noise, "worse": old + 3 + noise}.items():
        one = pd.DataFrame({"case": case, "hd95": values.round(2)})
        one.to_csv(folder / f"{name}.csv", index=False)
        wide = {"case": case, "liver": values.round(2), "spleen": (values / 2).round(2)}
        pd.DataFrame(wide).to_csv(folder / f"{name}_organs.csv", index=False)
    for name in ("old", "same"):
        few = pd.read_csv(folder / f"{name}.csv").head(5)
        few.to_csv(folder / f"{name}_few.csv", index=False)
    return folder


@pytest.fixture(autouse=True)
def there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


OPTIONS = ("--metric", "hd95", "--margin", "1")


@pytest.mark.parametrize(
    ("new", "old", "margin", "status", "words"),
    [
        ("same", "old", "1", 0, "passed: neither is worse by the margin of 1 mm (p < .001)."),
        ("worse", "old", "1", 4, "failed: old is better by more than the margin of 1 mm."),
        ("same", "old", "0.05", 5, "to say how many cases would settle it."),
        ("same_few", "old_few", "5", 5, "5 pairs are too few to say which is better, as no exact"),
    ],
)
def test_exit_statuses(run: Run, new: str, old: str, margin: str, status: int, words: str) -> None:
    options = ("--metric", "hd95", "--margin", margin)
    ran = run("gate", f"{new}.csv", "--against", f"{old}.csv", *options)
    assert ran.status == status, ran.err
    outcome, _, claim = words.rpartition(": ")
    assert ran.out.startswith(f"{outcome}: {new} against {old}: mean HD95 " if outcome else "undec")
    assert claim in ran.out
    assert ran.out.count("\n") == 1


def test_json_has_the_outcome_beside_the_comparison(run: Run) -> None:
    ran = run("gate", "worse.csv", "--against", "old.csv", *OPTIONS, "--json")
    answer = json.loads(ran.out)
    assert ran.status == 4
    assert list(answer) == ["schema_version", "gate", "comparisons", "goals"]
    assert (answer["gate"]["outcome"], answer["gate"]["status"]) == ("failed", 4)
    assert answer["comparisons"][0]["verdict"]["beyond_margin"] == "shown"
    assert answer["comparisons"][0]["test"] is None


def test_the_same_tables_get_the_same_answer(run: Run) -> None:
    drawn = ("--statistic", "median", "--method", "percentile", "--n-resamples", "500", "--json")
    outs = {run("gate", "same.csv", "--against", "old.csv", *OPTIONS, *drawn).out for _ in "ab"}
    assert len(outs) == 1


def test_every_column_has_to_pass(run: Run) -> None:
    ran = run("gate", "same_organs.csv", "--against", "old_organs.csv", *OPTIONS)
    assert ran.status == 0
    assert ran.out.startswith(
        "passed: same_organs is not inferior to old_organs in any of 2 comparisons: liver / mean "
        "HD95 (margin 1), spleen / mean HD95 (margin 1).\n"
    )
    mixed = pd.read_csv("same_organs.csv").assign(spleen=pd.read_csv("worse_organs.csv").spleen)
    mixed.to_csv("mixed.csv", index=False)
    ran = run("gate", "mixed.csv", "--against", "old_organs.csv", *OPTIONS)
    assert ran.status == 4
    assert ran.out.startswith("failed: spleen, mixed against old_organs: mean HD95 higher by ")
    assert run("gate", "mixed.csv", "--against", "old_organs.csv", *OPTIONS, "--value", "liver")


def test_two_models_of_one_table_are_named(run: Run) -> None:
    both = [pd.read_csv(f"{name}.csv").assign(network=name) for name in ("old", "worse", "same")]
    pd.concat(both).to_csv("all.csv", index=False)
    asked = ("gate", "all.csv", "--model", "network", *OPTIONS)
    ran = run(*asked, "--new", "worse", "--against", "old")
    files = run("gate", "worse.csv", "--against", "old.csv", *OPTIONS)
    assert (ran.status, ran.out) == (4, files.out)
    assert run(*asked, "--new", "same", "--against", "old").status == 0
    lacking = run(*asked, "--new", "same")
    assert (lacking.status, "3 model(s) (old, worse, same); name two: --new B" in lacking.err) == (
        2,
        True,
    )


def test_a_folder_tells_tables_of_one_name_apart(run: Run) -> None:
    for name in ("same", "old"):
        Path(name).mkdir()
        Path(name, "cases.csv").write_bytes(Path(f"{name}.csv").read_bytes())
    ran = run("gate", "same/cases.csv", "--against", "old/cases.csv", *OPTIONS)
    assert ran.out.startswith("passed: same against old: mean HD95 ")


def test_strict_raises_a_pass_only(run: Run) -> None:
    few = ("gate", "same.csv", "--against", "old.csv", "--metric", "hd95", "--strict")
    assert run(*few, "--margin", "1").status == 3
    assert run(*few, "--margin", "0.1").status == 5


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("", "halfwidth gate NEW --against OLD --metric NAME --margin NUMBER"),
        ("same.csv --metric hd95 --margin 1", "name the tables of both models"),
        ("same.csv old.csv --metric hd95 --margin 1", "gate same.csv --against old.csv"),
        ("same.csv --against old.csv --metric hd95", "--margin is missing: the largest loss"),
        ("same.csv --against old.csv --margin 1", "--margin needs to know whether higher or lower"),
        ("same.csv --against old.csv --metric hd95 --margin -1", "--margin -1 is not above 0"),
        ("same.csv --against old.csv --metric hd95 --margin x", "--margin x is not what"),
        ("same.csv --against old.csv --metric hd95 --margin 1%", "takes: write 0.01 for 1%."),
        ("same.csv --against old.csv --metric hd95 --margin 0,1", "takes: write 0.1 for 0,1."),
        ("same.csv --against same.csv --metric hd95 --margin 1", "same.csv is given twice"),
        ("same.csv --against odl.csv --metric hd95 --margin 1", "did you mean 'old.csv'?"),
        ("same.csv --against old.csv --metric hd95 --marign 1", "did you mean --margin?"),
        ("same.csv --against old_few.csv --metric hd95 --margin 1", "35 of 40 cases are not"),
        (
            "same.csv --against old.csv --metric relative_volume_error --margin 1",
            "higher or lower",
        ),
        ("same.csv --against old.csv --metric hd95 --better higher --margin 1", "lower is better"),
    ],
)
def test_a_plain_line_says_what_to_do(run: Run, arguments: str, words: str) -> None:
    ran = run("gate", *arguments.split())
    assert (ran.status, ran.out) == (2, ""), ran.err
    assert words in ran.err
    assert ran.err.count("\n") <= 2


@pytest.mark.parametrize("new", ["same", "worse"])
def test_a_table_for_the_summary_of_a_step_names_models_metric_and_margin(
    run: Run, new: str
) -> None:
    asked = ("gate", f"{new}_organs.csv", "--against", "old_organs.csv", *OPTIONS)
    ran = run(*asked, "--format", "markdown")
    sentence, _, heading, _, *rows = ran.out.splitlines()[:6]
    assert sentence.startswith(("passed: ", "failed: "))
    assert [cell.strip() for cell in heading.split("|")[1:-1]] == [
        *("label", "models", "of", "first", "second", "difference", "95 % CI", "p", "n"),
        *("margin", "verdict", "cautions", "n needed"),
    ]
    for organ, row in zip(("liver", "spleen"), rows, strict=True):
        cells = [cell.strip() for cell in row.split("|")[1:-1]]
        assert cells[:2] == [organ, f"{new}\\_organs vs old\\_organs"]
        assert cells[2] == "difference in mean HD95 \\[mm\\]"
        assert cells[9:11] == ["1", "non-inferior" if new == "same" else "worse by \\> 1"]
    assert "\\begin{tabular}" in run(*asked, "--format", "latex").out
    answer = json.loads(run(*asked, "--json").out)["gate"]
    assert (answer["new"], answer["against"]) == (f"{new}_organs", "old_organs")


def test_a_table_names_its_metrics_by_itself(run: Run) -> None:
    each = [
        pd.read_csv(f"{name}.csv").rename(columns={"hd95": "value"}).assign(model=name)
        for name in ("old", "same")
    ]
    pd.concat(each).assign(metric="hd95").to_csv("long.csv", index=False)
    ran = run("gate", "long.csv", "--new", "same", "--against", "old", "--margin", "1")
    assert ran.status == 0, ran.err
    assert "same against old: mean HD95" in ran.out
