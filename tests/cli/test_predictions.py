"""``halfwidth ci`` with a target: metrics of a test set from tables and NumPy files."""

from __future__ import annotations

import csv
import functools
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics as sk
from over_data import metric_ci
from support import Ran, Run

import halfwidth as hw

Complaint = Callable[..., str]
N = 120
RNG = np.random.default_rng(5)
Y = np.arange(N) % 2
P = np.clip(0.5 + 0.25 * (Y - 0.5) + RNG.normal(0, 0.2, N), 0.001, 0.999).round(3)
ROWS = RNG.dirichlet(np.ones(3), N).round(6)
CLASS = np.array(list("ABC"))[RNG.integers(0, 3, N)]
VOLUME = RNG.gamma(4, 2, N).round(2)
FRAME = pd.DataFrame(
    {
        "case": [f"c{i}" for i in range(N)],
        "pair": [f"p{i // 2}" for i in range(N)],
        "site": np.where(np.arange(N) < N // 2, "X", "Y"),
        "y": Y,
        "p1": P,
        "p0": (1 - P).round(3),
        "logit": np.log(P / (1 - P)),
        "word": np.where(Y == 1, "sick", "well"),
        "said": np.where(P > 0.5, "sick", "well"),
        "cls": CLASS,
        "a": ROWS[:, 0],
        "b": ROWS[:, 1],
        "c": ROWS[:, 2],
        "guess": np.array(list("ABC"))[ROWS.argmax(axis=1)],
        "volume": VOLUME,
        "predicted": (VOLUME + RNG.normal(0, 1, N)).round(2),
    }
)
AUROC, F1 = "--target y --score p1 --metric auroc", "--target y --score p1 --metric f1"
SEED = ("--seed", "1", "--n-resamples", "199")


@pytest.fixture(autouse=True)
def files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("t.csv", index=False)
    FRAME.to_parquet("t.parquet", index=False)
    holes = pd.Series(Y, dtype="Int64").mask(np.isin(np.arange(N), (3, 7)))
    FRAME.assign(y=holes).to_csv("holes.csv", index=False)
    np.save("y.npy", Y)
    np.save("p.npy", P)
    np.save("classes.npy", CLASS)
    np.save("rows.npy", ROWS)
    np.save("short.npy", P[:-3])
    np.save("objects.npy", CLASS.astype(object), allow_pickle=True)
    np.savez("both.npz", y=Y, p=P)


@pytest.fixture
def complaint(run: Run) -> Complaint:
    def complains(text: str) -> str:
        ran = run("ci", *text.split())
        assert (ran.status, ran.out) == (2, "")
        assert ran.err.startswith("halfwidth: ")
        assert 1 <= ran.err.count("\n") <= 2
        assert "Traceback" not in ran.err
        assert "internal error" not in ran.err
        assert not re.search(r"[─-╿]", ran.err), "no boxed panels"
        assert "  " not in ran.err, "a word is missing"
        return ran.err.removeprefix("halfwidth: ").rstrip("\n")

    return complains


@pytest.fixture
def answer(run: Run) -> Callable[[str], list[dict[str, Any]]]:
    def answers(text: str) -> list[dict[str, Any]]:
        ran = run("ci", *text.split(), *SEED, "--json")
        assert ran.status == 0, ran.err
        return ran.estimates

    return answers


Answer = Callable[[str], list[dict[str, Any]]]


def values(rows: list[dict[str, Any]]) -> list[float]:
    return [row["value"] for row in rows]


# --------------------------------------------------------------------------- scores


def test_one_score_of_the_positive_class(answer: Answer) -> None:
    rows = answer("t.csv --target y --score p1 --metric auroc --metric sensitivity")
    assert values(rows) == pytest.approx([sk.roc_auc_score(Y, P), sk.recall_score(Y, P >= 0.5)])
    assert [row["n"] for row in rows] == [N, N // 2]
    assert [row["statistic"] for row in rows] == [None, None]
    assert rows[1]["parameters"] == {"threshold": 0.5}


def test_the_command_gives_what_the_function_gives(answer: Answer) -> None:
    rows = answer("t.csv --target y --score p1 --metric f1 --metric auroc --metric mcc")
    made = hw.metric_ci(Y, P, metric=["f1", "auroc", "mcc"], rng=1, n_resamples=199)
    assert rows == json.loads(made.to_json())["estimates"]


@pytest.mark.parametrize("file", ["t.csv", "t.parquet"])
def test_a_score_for_each_class_in_the_order_of_the_labels(file: str, answer: Answer) -> None:
    asked = "--metric auroc --average macro --metric accuracy --method percentile"
    rows = answer(f"{file} --target cls --score a --score b --score c {asked}")
    expected = [
        sk.roc_auc_score(CLASS, ROWS / ROWS.sum(axis=1, keepdims=True), multi_class="ovr"),
        sk.accuracy_score(CLASS, FRAME["guess"]),
    ]
    assert values(rows) == pytest.approx(expected)
    turned = "--score c --score a --score b --labels C,A,B"
    other = answer(f"{file} --target cls {turned} {asked}")
    assert values(other) == pytest.approx(expected)


@pytest.mark.parametrize("labels", ["--labels C,A,B", "--labels C --labels A,B", "--labels C,A,B,"])
def test_labels_may_be_given_at_once_or_one_by_one(labels: str, answer: Answer) -> None:
    rows = answer(
        f"t.csv --target cls --score c --score a --score b {labels} --metric auroc --average none"
    )
    assert [row["label"] for row in rows] == ["C", "A", "B"]


def test_labels_may_have_spaces_after_commas(run: Run) -> None:
    ran = run(
        *("ci", "t.csv", "--target", "cls", "--prediction", "guess", "--labels", "C, A, B"),
        *("--metric", "f1", "--average", "none", "--json", *SEED),
    )
    assert [row["label"] for row in ran.estimates] == ["C", "A", "B"]


def test_averages_make_rows_in_the_order_asked(answer: Answer) -> None:
    rows = answer(
        "t.csv --target cls --prediction guess --metric f1 --average none --average macro "
        "--average micro --average weighted"
    )
    assert [(row["average"], row["label"]) for row in rows] == [
        *(("none", name) for name in "ABC"),
        *((average, "") for average in ("macro", "micro", "weighted")),
    ]
    of_class = sk.f1_score(CLASS, FRAME["guess"], average=None).tolist()
    pooled = [sk.f1_score(CLASS, FRAME["guess"], average=a) for a in ("macro", "micro", "weighted")]
    assert values(rows) == pytest.approx([*of_class, *pooled])


@pytest.mark.parametrize("positive", ["sick", "well"])
def test_predicted_classes_with_the_positive_one_named(positive: str, answer: Answer) -> None:
    rows = answer(
        f"t.csv --target word --prediction said --pos-label {positive} --metric f1 --metric recall"
    )
    expected = [
        sk.f1_score(FRAME["word"], FRAME["said"], pos_label=positive),
        sk.recall_score(FRAME["word"], FRAME["said"], pos_label=positive),
    ]
    assert values(rows) == pytest.approx(expected)


def test_logits_are_said_to_be_logits(answer: Answer) -> None:
    rows = answer("t.csv --target y --score logit --scores logits --metric f1 --threshold 0.4")
    assert values(rows) == pytest.approx([sk.f1_score(Y, P >= 0.4)])
    assert rows[0]["parameters"] == {"threshold": 0.4}


def test_a_threshold_by_a_metric_is_chosen_and_cautioned(answer: Answer) -> None:
    rows = answer("t.csv --target y --score p1 --metric f1 --threshold youden_j")
    (row,) = rows
    cut = row["parameters"]["threshold"]
    assert row["value"] == pytest.approx(sk.f1_score(Y, cut <= P))
    assert "HW407" in [caution["code"] for caution in row["cautions"]]


def test_parameters_follow_a_colon(answer: Answer) -> None:
    rows = answer("t.csv --target y --score p1 --metric f_beta:beta=2 --metric ppv:prevalence=0.05")
    assert rows[0]["value"] == pytest.approx(sk.fbeta_score(Y, P >= 0.5, beta=2))
    assert rows[0]["parameters"] == {"beta": 2.0, "threshold": 0.5}
    assert rows[1]["parameters"] == {"prevalence": 0.05, "threshold": 0.5}


def test_true_and_predicted_numbers(answer: Answer) -> None:
    truth, predicted = FRAME["volume"], FRAME["predicted"]
    expected = [sk.mean_absolute_error(truth, predicted), sk.r2_score(truth, predicted)]
    for option in ("--prediction", "--score"):
        rows = answer(f"t.csv --target volume {option} predicted --metric mae --metric r2")
        assert values(rows) == pytest.approx(expected)


def test_clusters_and_strata_are_columns(answer: Answer) -> None:
    rows = answer("t.csv --target y --score p1 --metric auroc --groups pair --strata site")
    assert (rows[0]["n_groups"], rows[0]["design"]) == (N // 2, "clustered within strata")
    rows = answer("t.csv --target y --score p1 --metric auroc --strata y")
    assert (rows[0]["n_groups"], rows[0]["design"]) == (None, "stratified")


def test_missing_ones_are_left_out_when_told_to(answer: Answer) -> None:
    rows = answer("holes.csv --target y --score p1 --metric auroc --missing omit")
    assert (rows[0]["n"], rows[0]["n_missing"]) == (N - 2, 2)
    kept = np.delete(np.arange(N), [3, 7])
    assert rows[0]["value"] == pytest.approx(sk.roc_auc_score(Y[kept], P[kept]))


# --------------------------------------------------------------------------- NumPy files


def test_arrays_stand_instead_of_a_table(answer: Answer) -> None:
    table = answer("t.csv --target y --score p1 --metric auroc --metric f1")
    assert answer("--target-file y.npy --score-file p.npy --metric auroc --metric f1") == table
    one = answer("--target-file both.npz:y --score-file both.npz:p --metric auroc --metric f1")
    assert one == table


def test_arrays_of_text_and_of_columns(answer: Answer) -> None:
    asked = "--metric accuracy --metric auroc"
    rows = answer(f"--target-file classes.npy --score-file rows.npy {asked}")
    other = answer(f"t.csv --target cls --score a --score b --score c {asked}")
    assert rows == other


# --------------------------------------------------------------------------- output


def classes_said(ran: Ran) -> str:
    assert ran.status == 0
    return ran.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--target y --score p1 --metric auroc", "classes: 0, 1; positive class: 1"),
        (
            "--target word --score p1 --pos-label sick --metric auroc",
            "classes: sick, well; positive class: sick",
        ),
        ("--target cls --prediction guess --metric f1", "classes: A, B, C"),
        ("--target cls --prediction guess --metric f1 --labels A,B,C", None),
        ("--target y --score p1 --labels 0,1 --metric auroc", "positive class: 1"),
        ("--target volume --prediction predicted --metric mae", None),
    ],
)
def test_classes_are_noted_on_stderr(arguments: str, said: str | None, run: Run) -> None:
    ran = run("ci", "t.csv", *arguments.split(), *SEED)
    assert classes_said(ran) == (f"halfwidth: {said}\n" if said else "")
    assert "classes:" not in ran.out


@pytest.mark.parametrize("fmt", ["table", "json", "csv", "markdown", "latex"])
def test_every_format_holds_the_rows_and_nothing_else(fmt: str, run: Run) -> None:
    ran = run(
        *("ci", "t.csv", "--target", "cls", "--prediction", "guess", "--metric", "f1"),
        *("--average", "macro", "--average", "none", "--format", fmt, *SEED),
    )
    assert ran.status == 0
    assert ran.err == "halfwidth: classes: A, B, C\n"
    if fmt == "json":
        assert len(ran.estimates) == 4
    elif fmt == "csv":
        rows = list(csv.DictReader(io.StringIO(ran.out)))
        assert [row["average"] for row in rows] == ["macro", "none", "none", "none"]
        assert [row["statistic"] for row in rows] == [""] * 4
        assert all(float(row["low"]) < float(row["value"]) < float(row["high"]) for row in rows)
    else:
        assert "macro F1" in ran.out
        assert ran.out.count("F1") >= 4


def test_the_table_names_method_and_seed(run: Run) -> None:
    ran = run("ci", "t.csv", *AUROC.split(), "--metric", "f1", *SEED)
    assert re.search(r"AUROC +120 +0\.81 +0\.73 to 0\.88 +0\.08 +delong_logit", ran.out)
    assert "Seed 1, 199 resamples." in ran.out


def test_strict_is_3_when_a_caution_was_raised(run: Run) -> None:
    cautioned = run("ci", "t.csv", *F1.split(), "--strict", *SEED)
    assert cautioned.status == 3
    assert "HW502" in cautioned.out
    honest = run("ci", "t.csv", *AUROC.split(), "--strict")
    assert honest.status == 0


def test_what_is_written_to_a_file_is_not_on_stdout(run: Run) -> None:
    ran = run("ci", "t.csv", *AUROC.split(), "--out", "o.json")
    assert (ran.status, ran.out) == (0, "")
    assert ran.err.endswith("halfwidth: wrote o.json\n")
    assert json.loads(Path("o.json").read_text())["estimates"][0]["metric"] == "auroc"


def test_the_help_shows_test_sets(run: Run) -> None:
    ran = run("ci", "--help")
    assert ran.status == 0
    for option in ("--target", "--score", "--prediction", "--labels", "--pos-label", "--threshold"):
        assert option in ran.out
    assert "halfwidth ci preds.csv --target y --score p1 --metric auroc" in ran.out


# --------------------------------------------------------------------------- columns and files


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--target yy --score p1", "t.csv: no column 'yy'; did you mean 'y'?"),
        ("--target y --score p11", "t.csv: no column 'p11'; did you mean 'p1'?"),
        ("--target word --prediction sad", "t.csv: no column 'sad'; did you mean 'said'?"),
        ("--target y --score p1 --groups pari", "no column 'pari'; did you mean 'pair'?"),
        ("--target y --score p1 --strata sites", "no column 'sites'; did you mean 'site'?"),
        ("--target y --score zzz", "It has case, pair, site, y, p1, p0"),
        ("--target y", "--target needs --score COLUMN (one for each class, or that of the "),
        ("--score p1", "--score and --prediction need --target COLUMN, the true classes"),
        ("--prediction said", "--score and --prediction need --target COLUMN"),
        ("--target y --score p1 --prediction said", "or --prediction COLUMN; not both"),
        ("--target word --score said", "'said' holds no numbers; a column of predicted classes is"),
        ("--target word --score said", "--prediction said"),
        ("--target y --prediction said", "--target y and --prediction said hold labels of differ"),
        ("--target word --score p1", "say which of 'sick', 'well' that is"),
        ("--target word --score p1", "that is: --pos-label"),
        (
            "--target cls --score a --score b",
            "--score a --score b: 2 score columns for 3 classes ('A', 'B', ",
        ),
        ("--target y --score p1 --pos-label 2", "--pos-label 2 is not one of the labels 0, 1"),
        ("--target word --score p1 --pos-label sik", "did you mean 'sick'?"),
        ("--target y --score p1 --labels 0", "--labels 0: name at least two classes"),
        ("--target y --score p1 --labels 0,0", "names a class more than once"),
        ("--target y --score p1 --labels a,b", "--target y: case #1 has the label 0, which is no"),
        ("--target y --score p1 --average marco", "did you mean 'macro'?"),
        ("--target y --score p1 --scores logit", "did you mean 'logits'?"),
        ("--target y --score p1 --absent-class none", "none of omit, zero, undefined"),
        ("--target y --score p1 --undefined nan", "none of omit, zero, worst"),
        ("--target y --score p1 --missing worse", "did you mean 'worst'?"),
        ("--target y --score p1 --threshold yuden", "did you mean 'youden'?"),
        ("--target y --score p1 --threshold auroc", "is not a counting metric to choose it by"),
        ("--target y --score p1 --threshold nan", "--threshold nan is not a finite number"),
        (
            "--target y --score logit",
            "say --scores logits (log-probabilities are logits too) or 'any'",
        ),
        (
            "--target cls --score a --score b --score c --threshold 0.5",
            "--threshold 0.5 needs two c",
        ),
        ("--target y --score p1 --method wilson", "'wilson' makes no interval for the F1; use au"),
        ("--target y --score p1 --format jsn", "unknown format 'jsn'; did you mean 'json'?"),
        ("--target y --score p1 --out o.xyz", "the suffix '.xyz' names no format"),
    ],
)
def test_what_does_not_fit_is_refused(arguments: str, words: str, complaint: Complaint) -> None:
    assert words in complaint(f"t.csv {arguments} --metric f1")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("--metric dsc", "'dsc' has a value for each case, not one for a test set"),
        ("--metric aucroc", "unknown metric of a test set 'aucroc'; did you mean 'auc_roc'?"),
        ("--metric net_benefit", "write net_benefit:exchange_rate=VALUE"),
        ("--metric mae --metric f1", "of a regression and of a classification do not go together"),
        ("--metric mae --pos-label 1", "has no meaning for a regression"),
        ("--metric auroc --method delta", "'delta' makes no interval for the AUROC; use auto"),
    ],
)
def test_metrics_that_do_not_fit(asked: str, words: str, complaint: Complaint) -> None:
    assert words in complaint(f"t.csv --target y --score p1 {asked}")


def test_text_is_no_target_of_a_regression(complaint: Complaint) -> None:
    text = complaint("t.csv --target word --score p1 --metric mae")
    assert text.startswith("--target word: case #1 holds 'well', which is not a number")


def test_missing_ones_are_named_with_the_option(complaint: Complaint) -> None:
    text = complaint("holes.csv --target y --score p1 --metric auroc")
    assert text == (
        "--target y, --score p1: 2 of 120 cases lack a label or a finite score (cases c3, c7). "
        "--missing omit leaves them out; --missing wrong counts a prediction that lacks as "
        "wrong"
    )
    assert "has no meaning" in complaint(
        "holes.csv --target y --score p1 --metric auroc --missing worst"
    )


@pytest.mark.parametrize(
    "option",
    [
        *("--value p1", "--statistic median", "--penalty 0", "--scale 100", "--over clusters"),
    ],
)
def test_options_of_values_are_not_ignored_beside_a_target(
    option: str, complaint: Complaint
) -> None:
    text = complaint(f"t.csv --target y --score p1 --metric auroc {option}")
    name = option.partition(" ")[0]
    assert text == f"{name} has no effect on a metric of a test set (--target)"


@pytest.mark.parametrize(
    "option",
    [
        *("--labels 0,1", "--pos-label 1", "--average macro", "--scores logits"),
        *("--threshold 0.5", "--absent-class zero", "--undefined zero"),
    ],
)
def test_options_of_test_sets_are_not_ignored_without_a_target(
    option: str, complaint: Complaint
) -> None:
    name = option.partition(" ")[0]
    text = complaint(f"t.csv --value p1 {option}")
    assert text == f"{name} needs --target COLUMN, the true classes"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--target-file y.npy", "--target-file and --score-file go together; --score-file is miss"),
        ("--score-file p.npy", "--target-file and --score-file go together; --target-file is mis"),
        ("t.csv --target-file y.npy --score-file p.npy", "replace a table; leave out FI"),
        ("--target-file y.npy --score-file p.npy --target y", "replace a table"),
        ("--target-file y.npy --score-file p.npy --groups pair", "--groups: arrays have no col"),
        ("--target-file y.npy --score-file short.npy", "--target-file y.npy has 120 cases and "),
        ("--target-file y.npy --score-file short.npy", "--score-file short.npy 117; they must be"),
        ("--target-file y.npy --score-file rows.npy", "--score-file rows.npy: 3 score columns fo"),
        ("--target-file objects.npy --score-file p.npy", "objects.npy: holds pickled Python obj"),
        ("--target-file both.npz --score-file p.npy", "both.npz: holds 2 arrays (y, p); say whic"),
        ("--target-file both.npz:q --score-file p.npy", "both.npz: no array 'q'; it holds y, p"),
        ("--target-file t.csv --score-file p.npy", "t.csv: arrays are read from .npy and .npz"),
        ("--target-file yy.npy --score-file p.npy", "yy.npy: no such file; did you mean 'y.npy'?"),
        ("--target y --score p1", "name the table: halfwidth ci FILE --target COLUMN --score COL"),
        ("absent.csv --target y --score p1", "absent.csv: no such file"),
    ],
)
def test_files_that_cannot_be_used(arguments: str, words: str, complaint: Complaint) -> None:
    assert words in complaint(f"{arguments} --metric auroc")


def test_no_file_and_no_target_asks_for_the_table(complaint: Complaint) -> None:
    assert complaint("").startswith("name the table: halfwidth ci FILE")


def test_an_undefined_metric_is_a_result_and_no_error(run: Run) -> None:
    FRAME.assign(y=1).to_csv("ones.csv", index=False)
    ran = run(
        *("ci", "ones.csv", "--target", "y", "--score", "p1", "--metric", "specificity", "--json")
    )
    assert ran.status == 0
    assert (ran.estimates[0]["value"], ran.estimates[0]["low"]) == (None, None)


# --------------------------------------------------------------------------- real data


def test_real_scores_from_arrays(run: Run, shared: Path) -> None:
    folder = shared / "data/medmnist_scores"
    ran = run(
        *("ci", "--target-file", folder / "adrenalmnist_targets.npy"),
        *("--score-file", folder / "adrenalmnist_scores.npy", "--scores", "logits"),
        *("--metric", "auroc", "--metric", "sensitivity", "--json"),
    )
    assert ran.status == 0
    auroc, sensitivity = ran.estimates
    assert round(auroc["value"], 4) == 0.8072
    assert (auroc["method"], auroc["n"]) == ("delong_logit_t", 298)
    assert (sensitivity["method"], sensitivity["n"]) == ("wilson", 69)


def test_a_long_job_is_announced(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("halfwidth.cli.output.LONG_JOB", 1000)
    monkeypatch.setattr("halfwidth.resampling.kernels.native.available", lambda: False)
    words = "120 rows and 199 resamples may take minutes"
    assert words in run("ci", "t.csv", *AUROC.split(), *SEED).err
    assert words not in run("ci", "t.csv", *F1.split(), *SEED).err


TRUTH = [0, 1] * 20


SCORE = [place * 7 % 40 / 40 for place in range(40)]


WEIGHT = [1 + place % 3 for place in range(40)]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rows = [f"{y},{s},{w},{s * 3}" for y, s, w in zip(TRUTH, SCORE, WEIGHT, strict=True)]
    file = tmp_path / "t.csv"
    file.write_text("\n".join(["y,p,w,x", *rows]), encoding="utf-8")
    return file


def estimates(run: Run, *arguments: object) -> list[dict[str, object]]:
    ran = run("ci", *arguments, "--seed", "1", "--json")
    assert ran.status == 0, ran.err
    made: list[dict[str, object]] = json.loads(ran.out)["estimates"]
    return made


def test_costs_priors_and_weights_are_those_of_python(run: Run, table: Path) -> None:
    (made,) = estimates(
        run,
        *(table, "--target", "y", "--score", "p", "--metric", "expected_cost"),
        *("--costs", "0,1;5,0", "--priors", "0.9,0.1", "--sample-weight", "w"),
    )
    e = metric_ci(
        TRUTH,
        SCORE,
        metric="expected_cost",
        costs=[[0, 1], [5, 0]],
        priors=[0.9, 0.1],
        sample_weight=WEIGHT,
        rng=1,
    )
    assert (made["value"], made["low"], made["high"]) == (e.value, e.low, e.high)


def test_costs_change_the_metrics_that_ask_for_them_and_no_other(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 40)
    predicted = np.where(rng.random(40) < 0.6, truth, rng.integers(0, 3, 40))
    path, costs = tmp_path / "classes.csv", np.array([[0, 1, 4], [5, 0, 1], [9, 1, 0]])
    pd.DataFrame({"y": truth, "p": predicted}).to_csv(path, index=False)
    cells = np.zeros((3, 3))
    np.add.at(cells, (truth, predicted), 1)
    by_chance = np.outer(cells.sum(axis=1), cells.sum(axis=0)) / 40
    wanted = {
        "cohen_kappa": sk.cohen_kappa_score(truth, predicted),
        "cohen_kappa:weights=quadratic": sk.cohen_kappa_score(
            truth, predicted, weights="quadratic"
        ),
        "cohen_kappa:weights=costs": 1 - (costs * cells).sum() / (costs * by_chance).sum(),
        "expected_cost": (costs * cells).sum() / 40,
    }
    options = [path, "--target", "y", "--prediction", "p", "--n-resamples", 50]
    options += ["--costs", ";".join(",".join(map(str, row)) for row in costs)]
    made = estimates(run, *options, "--metric", ",".join(wanted))
    found = {name: one["value"] for name, one in zip(wanted, made, strict=True)}
    assert found == pytest.approx(wanted, rel=1e-12)
    assert [sorted(cast("dict[str, Any]", one["parameters"])) for one in made] == [
        ["weights"],
        ["weights"],
        ["costs", "weights"],
        ["costs"],
    ]
    ran = run("ci", *options, "--metric", "cohen_kappa")
    assert ran.status == 2
    assert "--costs has no effect on cohen_kappa; it is for cohen_kappa:weights=costs, " in ran.err
    kappa = functools.partial(hw.metrics.cohen_kappa, costs=costs)
    named = metric_ci(truth, predicted, metric=kappa, n_resamples=50, rng=1)
    assert named.value == pytest.approx(wanted["cohen_kappa:weights=costs"], rel=1e-12)
    both = functools.partial(kappa, weights="linear")
    with pytest.raises(hw.OptionError, match="weights=linear and costs are two ways to weigh"):
        metric_ci(truth, predicted, metric=both, n_resamples=50, rng=1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--target y --score p --metric cohen_kappa:weights=costs", "weights=costs needs --costs"),
        ("--metric auroc", "auroc is a metric of a whole test set: name the column"),
        ("--target y --score p --metric f1 --costs 0,1", "costs has no effect on f1"),
        (
            "--target y --score p --metric ecn --costs 0,x;1,0",
            "--costs '0,x' is not a list of numbers",
        ),
        ("--target y --score p --metric ecn --priors 1", "not one share for each of 2 classes"),
        ("--target y --score p --metric f1 --threshold 50", "lies outside the scores' range"),
        (
            "--target y --score p --metric f_beta:beta=1e200",
            "beta=1e200 is not above 0 and at most",
        ),
        ("--value p --sample-weight w", "--sample-weight needs --target"),
    ],
)
def test_what_would_have_no_meaning_is_refused(
    run: Run, table: Path, arguments: str, words: str
) -> None:
    ran = run("ci", table, *arguments.split())
    assert ran.status == 2
    assert words in ran.err


def test_a_figure_of_classes_is_not_drawn_of_a_regression(
    run: Run, table: Path, tmp_path: Path
) -> None:
    picture = tmp_path / "r.png"
    asked = (
        "ci",
        table,
        "--target",
        "x",
        "--prediction",
        "p",
        "--metric",
        "rmse",
        "--plot",
        picture,
    )
    refused = run(*asked)
    assert refused.status == 2
    assert "for a regression use --plot-kind forest" in refused.err
    assert run(*asked, "--plot-kind", "forest").status == 0
    assert picture.stat().st_size > 0


def test_a_threshold_that_is_not_the_usual_one_is_said(run: Run, table: Path) -> None:
    ask = ("ci", table, "--target", "y", "--score", "p", "--metric", "f1", "--seed", "1")
    assert "at threshold 0.7" in run(*ask, "--threshold", "0.7").out
    assert "threshold" not in run(*ask).out


def test_threads_change_nothing(run: Run, table: Path) -> None:
    ask = (table, "--target", "y", "--score", "p", "--metric", "auroc", "--method", "bca")
    assert estimates(run, *ask) == estimates(run, *ask, "--jobs", "2")


@pytest.mark.slow
def test_methods_of_a_metric_are_those_it_takes(run: Run, table: Path) -> None:
    for metric in ("accuracy", "f1", "auroc", "average_precision"):
        listed = run("methods", "--metric", metric).out
        names = [method.name for method in hw.METHODS if f"\n{method.name} " in listed]
        assert "percentile" in names
        for name in names:
            ask = ("ci", table, "--target", "y", "--score", "p", "--metric", metric)
            assert run(*ask, "--method", name, "--n-resamples", "49").status == 0, name


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("calibration", "a calibration curve needs predicted probabilities, and scores from"),
        ("reliability", "a reliability curve needs predicted probabilities, and scores from"),
        ("decision", "a decision curve needs predicted probabilities, and scores from"),
    ],
)
def test_a_curve_is_refused_in_its_own_name(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, words: str
) -> None:
    """And not in that of a metric that nobody typed, such as the ICI."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"y": rng.integers(0, 2, 40), "s": rng.normal(0, 3, 40)})
    frame.to_csv("t.csv", index=False)
    asked = ("ci", "t.csv", "--target", "y", "--score", "s", "--metric", "auroc")
    ran = run(*asked, "--plot", "f.png", "--plot-kind", kind)
    assert ran.status == 2
    assert words in ran.err


def test_who_typed_no_spline_is_offered_no_knots(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    p = np.linspace(0.02, 0.98, 40)
    happened = (p > 0.5).astype(int)
    happened[[3, 4]] = 1  # Two below, so that no threshold separates, and no spline is finite.
    pd.DataFrame({"y": happened, "p": p}).to_csv("t.csv", index=False)
    asked = ("ci", "t.csv", "--target", "y", "--score", "p", "--metric")
    typed, drawn = (
        run(*asked, "ici"),
        run(*asked, "auroc", "--plot", "f.png", "--plot-kind", "calibration"),
    )
    assert "take fewer knots (ici:3) or more cases" in typed.err
    assert drawn.err.endswith("fits the 40 cases best; take more cases\n")
