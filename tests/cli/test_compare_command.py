"""``halfwidth compare``: tables of models in all their shapes, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support import Run

import halfwidth as hw

N = 24
CASES = [f"case{i:02d}" for i in range(N)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models with per-case values and their predictions, in several shapes of tables."""
    folder = tmp_path_factory.mktemp("models")
    rng = np.random.default_rng(4)
    old = rng.normal(20, 3, N).round(2)
    new = (old - 0.7 + rng.normal(0, 0.5, N)).round(2)
    truth = rng.integers(0, 2, N)
    prob = {name: (truth * 0.5 + rng.random(N) * 0.7).round(3) for name in ("a", "b")}
    shuffled = rng.permutation(N)

    def save(name: str, **columns: Any) -> pd.DataFrame:
        frame = pd.DataFrame(columns)
        (folder / name).parent.mkdir(exist_ok=True)
        frame.to_csv(folder / name, index=False)
        return frame

    save("old.csv", case=CASES, hd95=old)
    pd.DataFrame({"case": CASES, "hd95": new}).iloc[shuffled].to_csv(
        folder / "new.csv", index=False
    )
    save("unet/hd.csv", case=CASES, hd95=new)
    save("vit/hd.csv", case=CASES, hd95=old)
    models = ["new"] * N + ["old"] * N
    halves = (["liver"] * (N // 2) + ["spleen"] * (N // 2)) * 2
    save("long.csv", case=CASES * 2, model=models, organ=halves, mm=[*new, *old])
    save("wide.csv", case=CASES, new=new, old=old, age=60)
    decided = {f"label_{name}": (p > 0.5).astype(int) for name, p in prob.items()}
    save("both.csv", case=CASES, y=truth, **prob, **decided)
    of_pairs = [("m", "x"), ("m", "z"), ("x", "z")]
    save(
        "pairs.csv",
        case=CASES * 3,
        prediction=np.repeat([one for one, _ in of_pairs], N),
        reference=np.repeat([other for _, other in of_pairs], N),
        v=rng.beta(8, 2, 3 * N).round(3),
    )
    for name, p in prob.items():
        save(f"preds_{name}.csv", case=CASES, y=truth, p=p)
    save("few.csv", case=CASES[:1], hd95=old[:1])
    save("others.csv", case=[f"p{i}" for i in range(N)], hd95=old)
    save("dice.csv", case=CASES, dice=rng.beta(8, 2, N).round(3))
    return folder


@pytest.fixture(autouse=True)
def there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


Compared = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def compared(run: Run) -> Compared:
    def compares(*arguments: object) -> list[dict[str, Any]]:
        ran = run("compare", *arguments, "--json")
        assert ran.status == 0, ran.err
        rows: list[dict[str, Any]] = json.loads(ran.out)["comparisons"]
        return rows

    return compares


def numbers(row: dict[str, Any]) -> tuple[float, ...]:
    return tuple(row[name] for name in ("value", "low", "high", "n"))


# --------------------------------------------------------------------------- shapes of tables


def test_two_files_are_two_models_matched_by_case(compared: Compared) -> None:
    (row,) = compared("new.csv", "old.csv", "--metric", "hd95")
    frames = [pd.read_csv(name).set_index("case").hd95 for name in ("new.csv", "old.csv")]
    e = hw.compare({"new": frames[0], "old": frames[1]}, metric="hd95")[0]
    assert (row["first"], row["second"]) == ("new", "old")
    assert numbers(row) == (e.value, e.low, e.high, N)


@pytest.mark.parametrize(
    "arguments",
    [
        "new=unet/hd.csv old=vit/hd.csv",
        "long.csv --model model --value mm",
        "long.csv --by model --value mm",
        "long.csv --value mm",
        "wide.csv --value new --value old",
    ],
)
def test_every_shape_gives_the_same(compared: Compared, arguments: str) -> None:
    (expected,) = compared("new.csv", "old.csv", "--metric", "hd95")
    (row,) = compared(*arguments.split(), "--metric", "hd95")
    assert row == expected


def test_files_of_one_name_are_called_by_their_folders(compared: Compared) -> None:
    (row,) = compared("unet/hd.csv", "vit/hd.csv", "--metric", "hd95")
    assert (row["first"], row["second"]) == ("unet", "vit")


def test_models_are_compared_within_levels(compared: Compared) -> None:
    rows = compared("long.csv", "--by", "organ", "--value", "mm", "--metric", "hd95")
    assert [row["by"] for row in rows] == [{"organ": "liver"}, {"organ": "spleen"}]
    assert [row["n"] for row in rows] == [N // 2, N // 2]


def test_three_models_and_a_baseline(compared: Compared) -> None:
    files = ["new.csv", "old.csv", "third=vit/hd.csv"]
    pairs = [(row["first"], row["second"]) for row in compared(*files, "--metric", "hd95")]
    assert pairs == [("new", "old"), ("new", "third"), ("old", "third")]
    rows = compared(*files, "--metric", "hd95", "--baseline", "old")
    assert [(row["first"], row["second"]) for row in rows] == [("new", "old"), ("third", "old")]


def test_verdicts_and_goals_are_printed(run: Run) -> None:
    ran = run(
        *("compare", "new.csv", "old.csv", "--metric", "hd95", "--margin", "0.2", "--goal", "25")
    )
    assert ran.status == 0
    text = " ".join(ran.out.split())
    assert "new against old: mean HD95 lower by" in text
    assert "new is better by more than the margin of 0.2 mm." in text
    assert max(map(len, ran.out.splitlines())) <= 96


def test_a_single_model_may_have_a_goal(run: Run) -> None:
    ran = run("compare", "new.csv", "--metric", "hd95", "--goal", "25", "--json")
    answer = json.loads(ran.out)
    assert (ran.status, answer["comparisons"]) == (0, [])
    (goal,) = answer["goals"]
    assert (goal["model"], goal["met"]) == ("new", True)


def test_a_ratio_and_unpaired_models_are_asked_for(compared: Compared) -> None:
    (row,) = compared("new.csv", "old.csv", "--metric", "hd95", "--ratio", "--margin", "0.1")
    assert row["effect"] == "ratio"
    assert 0.9 < row["value"] < 1


def test_a_metric_of_ones_own_has_a_direction(compared: Compared) -> None:
    own = ["--metric", "loss", "--bounds", "0,inf", "--better", "lower"]
    (row,) = compared("new.csv", "old.csv", *own, "--margin", "0.2")
    assert row["verdict"]["word"] == "better"
    assert row["metric"] == "loss"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["forest", "cases", "bland-altman"])
def test_figures_are_written(run: Run, kind: str) -> None:
    options = ("--metric", "hd95", "--plot", f"{kind}.svg", "--plot-kind", kind)
    ran = run("compare", "new.csv", "old.csv", *options)
    assert ran.status == 0
    assert ran.err == f"halfwidth: wrote {kind}.svg\n"
    assert Path(f"{kind}.svg").read_text(encoding="utf-8").startswith("<?xml")


@pytest.mark.parametrize("option", ["test", "correction"])
def test_the_help_lists_what_the_library_takes(run: Run, option: str) -> None:
    table = pd.DataFrame({"case": [*"abc"] * 2, "model": [*"xxxyyy"], "dsc": [0.5, 0.6, 0.7] * 2})
    asked: dict[str, Any] = {option: "x"}
    with pytest.raises(hw.OptionError) as refused:
        hw.compare(hw.CaseValues.from_table(table, "dsc", metric="dsc"), **asked)
    choices = str(refused.value).rpartition(" is none of ")[2]
    assert choices in " ".join(run("compare", "--help").out.split())


def test_strict_is_three_where_a_caution_was_raised(run: Run) -> None:
    arguments = ("compare", "dice.csv", "b=dice2.csv", "--metric", "dsc")
    pd.read_csv("dice.csv").assign(dice=0.5).to_csv("dice2.csv", index=False)
    assert run(*arguments).status == 0
    assert run(*arguments, "--strict").status == 3


def test_a_model_against_raters(run: Run, folder: Path) -> None:
    ran = run(
        "compare", *["both.csv", "--model", "label_a", "--rater", "y", "--rater", "label_b"], *KAPPA
    )
    (shown,) = json.loads(ran.out)["comparisons"]
    table = pd.read_csv(folder / "both.csv")
    readings = hw.Readings.from_arrays(table[["label_a", "y", "label_b"]], model="label_a")
    (wanted,) = hw.compare(readings, metric="cohen_kappa", rng=1)
    assert (shown["first"], shown["second"]) == ("label_a", "raters")
    assert [shown[key] for key in ("value", "low", "high")] == pytest.approx(
        [wanted.value, wanted.low, wanted.high]
    )
    assert "interval is about further cases" in ran.err


def test_pairs_of_raters_in_a_long_table(run: Run, folder: Path) -> None:
    ran = run("compare", *["pairs.csv", "--pairs", "prediction,reference", "--model", "m"], *DSC)
    (shown,) = json.loads(ran.out)["comparisons"]
    table = pd.read_csv(folder / "pairs.csv")
    means = table.groupby("prediction")["v"].mean()
    assert shown["value"] == pytest.approx(means["m"] - means["x"])
    assert shown["verdict"]["margin"] == 0.05


KAPPA = ("--metric", "cohen_kappa", "--seed", "1", "--json")
TWO_SCORES = "both.csv --target y --score-a a --score-b b --metric auroc"
DSC = ("--value", "v", "--metric", "dsc", "--margin", "0.05", "--json")


# --------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("", "name a table for each model, halfwidth compare NEW OLD"),
        ("new.csv --metric hd95", "new.csv is one table: name the column that holds the model"),
        ("wide.csv --metric hd95", "numbers in new, old, age"),
        ("new.csv ./new.csv --metric hd95", "new.csv is given twice: a model cannot be compared"),
        ("new.csv odl.csv --metric hd95", "odl.csv: no such file; did you mean 'old.csv'?"),
        ("a=new.csv a=old.csv --metric hd95", "2 files would have the name 'a'; give each its own"),
        ("new.csv others.csv --metric hd95", "share no case"),
        ("new.csv few.csv --metric hd95 --pairing common", "share one case (case00)"),
        ("new.csv few.csv --metric hd95", "--pairing common leaves them out"),
        ("new.csv old.csv --metric hd59", "did you mean 'hd95'?"),
        ("new.csv dice.csv --metric hd95", "different metrics cannot be compared"),
        ("new.csv wide.csv --metric hd95", "old, age: they share no column of values"),
        ("new.csv old.csv --metric hd95 --margin -1", "--margin -1 is not above 0"),
        ("new.csv old.csv --metric hd95 --margin 0", "--margin 0 is not above 0"),
        ("new.csv old.csv --margin 0.1", "margin"),
        ("new.csv old.csv --metric dsc", "--scale 100"),
        ("new.csv old.csv --metric hd95 --better higher", "of HD95, lower is better"),
        ("new.csv old.csv --better up", "--better 'up' is neither higher nor lower"),
        ("new.csv old.csv --metric hd95 --baseline odl", "did you mean 'old'?"),
        (
            "new.csv old.csv --metric hd95 --model model",
            "--model model names the models of one table",
        ),
        ("long.csv --model modle --value mm", "no column 'modle'; did you mean 'model'?"),
        ("new.csv old.csv --value mm", "no column 'mm'"),
        ("long.csv --value mm --model-from folder", "no effect on a single file, long.csv"),
        ("a=new.csv b=old.csv --model-from file", "--model-from has no effect: every file is"),
        ("new.csv old.csv --groups patient", "new.csv: no column 'patient'"),
        ("new.csv old.csv --metric auroc", "auroc is a metric of a whole test set"),
        ("new.csv old.csv --metric hd95 --average macro", "--average needs --target"),
        ("both.csv --target y --metric auroc", "--score-a and --score-b of one table"),
        ("both.csv --target y --score p --metric auroc", "no column 'p'"),
        ("both.csv --target y --score a --metric auroc", "(--score-a and --score-b), or give a"),
        ("both.csv --target y --score-a a --metric auroc", "--score-b is missing"),
        ("both.csv --score-a a --score-b b --metric auroc", "need --target COLUMN, the true"),
        ("both.csv --target y --score-a a --score-b a --metric auroc", "name the same column"),
        ("both.csv --target y --score-a a --prediction-b b --metric f1", "same kind of columns"),
        (
            "both.csv --target y --score-a a --score-b b --score a --metric auroc",
            "leave out --score",
        ),
        (
            "preds_a.csv preds_b.csv --target y --score-a p --score-b p --metric auroc",
            "with several files give one --score",
        ),
        ("preds_a.csv preds_b.csv --target y --score p --value p", "--value has no effect on a"),
        ("preds_a.csv preds_b.csv --target y --score p --scale 2", "--scale has no effect on"),
        (
            f"{TWO_SCORES} --plot f.pdf --plot-kind cases",
            "draws values of cases; for test sets use forest",
        ),
        ("new.csv old.csv --metric hd95 --no-simultaneous", "did you mean --correction none?"),
        ("new.csv old.csv --metric hd95 --unpaired", "did you mean --pairing none?"),
        ("new.csv old.csv --metric hd95 --unmatched omit", "did you mean --pairing common?"),
        ("new.csv old.csv --metric hd95 --plot-kind cases", "no effect without --plot"),
        ("new.csv old.csv --metric hd95 --tests none", "did you mean --test?"),
        (
            "both.csv --model label_a --rater label_b --metric accuracy",
            "1 rater beside model 'label_a'",
        ),
        ("both.csv --model y --rater y --rater label_b --metric f1", "'y' named twice"),
        ("both.csv --rater y --rater label_b --metric accuracy", "--model NAME is missing"),
        (
            "both.csv --model label_a --rater y --rater z --metric accuracy",
            "both.csv: no column 'z'",
        ),
        ("both.csv --model label_a --rater y --rater label_b --metric dsc", "has a value for each"),
        ("both.csv --model label_a --rater y --rater label_b", "--metric is missing"),
        (
            "both.csv --model label_a --rater y --rater label_b --metric f1 --baseline y",
            "--baseline y has no",
        ),
        ("both.csv --model a --rater y --rater b --metric f1 --scale 2", "--scale needs --pairs"),
        ("new.csv old.csv --model new --rater a --metric hd95", "not 2 files"),
        ("pairs.csv --pairs prediction --model m --metric dsc", "names 1 column(s): give two"),
        ("pairs.csv --pairs prediction,ref --model m --metric dsc", "unknown column 'ref'"),
    ],
)
def test_a_plain_line_says_what_to_do(run: Run, arguments: str, words: str) -> None:
    ran = run("compare", *arguments.split())
    assert (ran.status, ran.out) == (2, ""), ran.err
    assert words in ran.err
    assert ran.err.startswith("halfwidth: ")
    assert ran.err.count("\n") <= 2
