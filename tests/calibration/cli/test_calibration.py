"""``ci --calibration-test``, ``ci --centre`` and ``plan calibration``: answers, formats, slips."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from over_data import in_centres
from support import Run

import halfwidth as hw

N = 600
RNG = np.random.default_rng(4)
LOG_ODDS = RNG.normal(-0.5, 1.2, N)
FRAME = pd.DataFrame(
    {
        "y": (RNG.random(N) < 1 / (1 + np.exp(-LOG_ODDS))).astype(int),
        "p": (1 / (1 + np.exp(-LOG_ODDS))).round(4),
        "site": np.array(list("ABCDEF"))[np.arange(N) % 6],
        "half": np.arange(N) // 2,
        "one": "A",
    }
)
CI = "ci t.csv --target y --score p"
MODELS = (("A", 1.0), ("B", 1.5))
PLAN = "plan calibration --prevalence 0.1 --auroc 0.8"


@pytest.fixture(autouse=True)
def files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("t.csv", index=False)
    FRAME.to_csv("two.csv", index=False)
    FRAME.assign(site=FRAME.site.mask(FRAME.index == 3)).to_csv("holes.csv", index=False)


OF = "of the positive class, 0 to 1"


@pytest.mark.sampled(4)
@pytest.mark.parametrize("fmt", ["table", "json", "csv", "markdown", "latex"])
@pytest.mark.parametrize("verb", ["ci", "compare", "rank"])
def test_of_two_classes_every_output_says_that_half_of_the_sum_is_meant(
    run: Run, verb: str, fmt: str
) -> None:
    models = [
        FRAME.assign(model=name, case=FRAME.index, p=FRAME.p**power) for name, power in MODELS
    ]
    pd.concat(models).to_csv("models.csv", index=False)
    file = "t.csv" if verb == "ci" else "models.csv --model model --case case"
    given = f"--target y --score p --metric brier --seed 1 --n-resamples 99 --format {fmt}"
    ran = run(verb, *file.split(), *given.split())
    assert ran.status == 0, ran.err
    found = " ".join(ran.out.split())
    if (verb, fmt) == ("ci", "table"):
        # The column is too narrow for a line of it.
        assert set(f"({OF})".split()) <= set(found.split())
    elif fmt in ("table", "markdown", "latex") or verb == "rank":
        assert f"Brier score ({OF})" in found
    elif fmt == "json":
        assert f'"parameters": {{ "{OF[:2]}": "{OF[3:]}"' in found
    else:
        assert f"of={OF[3:]}" in found


def test_only_what_two_classes_halve_names_its_class() -> None:
    y, p = FRAME.y.to_numpy()[:80], FRAME.p.to_numpy()[:80]
    test = hw.Predictions.from_arrays(y, p)
    names = ["brier", "root_brier", "kce", "root_kce", "ece_kde", "brier_skill", "nll", "ece"]
    rows = hw.estimate(test, metric=names, n_resamples=49, rng=1)
    said = {one.metric: one.parameters.get("of") for one in rows}
    ends = {"kce": "-1 to 1"}
    halved = [name for name in names if hw.SAMPLE_METRICS[name].halved]
    assert said == {
        name: f"the positive class, {ends.get(name, '0 to 1')}" if name in halved else None
        for name in names
    }
    assert halved == names[:5]
    for one in rows:
        low, high = one.to_dict()["bounds"]
        assert said[one.metric] is None or said[one.metric].endswith(f"{low:g} to {high:g}")
        assert (f"(of {said[one.metric]}" in one.sentence()) == (said[one.metric] is not None)
    # Both classes together are twice the one.
    both = hw.Predictions.from_arrays(y, np.stack([1 - p, p], axis=1))
    (whole,) = hw.estimate(both, metric="brier", average="sum", rng=1)
    assert whole.value == pytest.approx(2 * rows[0].value, rel=1e-12)
    assert whole.to_dict()["bounds"] == [0, 2]
    assert "of" not in whole.parameters


def test_a_report_says_that_half_of_the_sum_is_meant(run: Run) -> None:
    given = "--target y --score p --metric brier --seed 1 --out r.html"
    ran = run("report", "t.csv", *given.split())
    assert ran.status == 0, ran.err
    assert f"Brier score ({OF})" in Path("r.html").read_text(encoding="utf-8")


def test_a_test_of_calibration(run: Run) -> None:
    ran = run(*f"{CI} --calibration-test spiegelhalter,hosmer_lemeshow --seed 1 --json".split())
    assert ran.status == 0
    found = json.loads(ran.out)["calibration_tests"]
    by_hand = hw.calibration_test(
        FRAME.y, FRAME.p, statistic=["spiegelhalter", "hosmer_lemeshow"], rng=1
    )
    assert [one["p_value"] for one in found] == [one.p_value for one in by_hand]
    table = run(*f"{CI} --calibration-test spiegelhalter --seed 1".split()).out
    assert "Spiegelhalter's z" in table
    assert "9999 samples, seed 1" in " ".join(table.split())
    for fmt in ("csv", "markdown", "latex"):
        assert run(*f"{CI} --calibration-test ece --seed 1 --format {fmt}".split()).status == 0


def test_calibration_over_centres(run: Run) -> None:
    ran = run(*f"{CI} --centre site --metric calibration_slope,oe_ratio --json".split())
    assert ran.status == 0
    slope, ratio = json.loads(ran.out)["over_centres"]
    by_hand = hw.calibration_by_centre(
        in_centres(FRAME.y, FRAME.p, FRAME.site), metric=["calibration_slope", "oe_ratio"]
    )
    assert (slope["value"], ratio["new_high"]) == (by_hand[0].value, by_hand[1].new_high)
    assert [one["label"] for one in slope["centres"]] == list("ABCDEF")
    table = run(*f"{CI} --centre site".split()).out
    assert "new centre" in table
    assert table.count("centre    n") == 4
    for fmt in ("csv", "markdown", "latex"):
        assert run(*f"{CI} --centre site --metric citl --format {fmt}".split()).status == 0
    drawn = run(*f"{CI} --centre site --metric citl --plot c.png".split())
    assert drawn.status == 0
    assert Path("c.png").stat().st_size > 1000
    assert (
        "unknown plot kind 'roc'"
        in run(*f"{CI} --centre site --plot c.png --plot-kind roc".split()).err
    )


def test_cautions_of_the_table_reach_both(run: Run) -> None:
    FRAME.rename(columns={"half": "patient"}).to_csv("t.csv", index=False)
    tested = run(*f"{CI} --calibration-test spiegelhalter --strict".split())
    assert tested.status == 3
    assert "HW402" in tested.out
    assert "HW402" in run(*f"{CI} --centre site".split()).out


def test_what_the_curves_lack_is_said_below_the_table(run: Run) -> None:
    few = (FRAME.site != "F") | (FRAME.index < 40)
    FRAME[few & (FRAME.site != "E")].to_csv("t.csv", index=False)
    drawn = run(*f"{CI} --centre site --metric oe_ratio --plot c.png".split())
    assert "HW421" in drawn.out
    assert "are equal: F)" in " ".join(drawn.out.split())
    curves = hw.curve(
        in_centres(FRAME.y[few], FRAME.p[few], FRAME.site[few]), "calibration-by-centre"
    )
    assert "HW421" in repr(curves)
    assert "HW421" in curves._repr_html_()
    FRAME[FRAME.site.isin(["A", "B"])].to_csv("t.csv", index=False)
    refused = run(*f"{CI} --centre site --metric oe_ratio --plot c.png".split())
    assert refused.status == 2
    assert "leave out --plot to get the table" in " ".join(refused.err.split())
    assert run(*f"{CI} --centre site --metric oe_ratio".split()).status == 0


def test_the_bandwidth_of_a_kernel_is_named(run: Run) -> None:
    tested = run(*f"{CI} --calibration-test kce --n-resamples 99 --json".split())
    (one,) = json.loads(tested.out)["calibration_tests"]
    assert one["parameters"]["bandwidth"] > 0
    table = " ".join(run(*f"{CI} --calibration-test kce --n-resamples 99".split()).out.split())
    assert "squared KCE (bandwidth 0." in table
    assert "In large samples" not in table


def test_nothing_has_a_document() -> None:
    some = hw.calibration_by_centre(in_centres(FRAME.y, FRAME.p, FRAME.site), metric=["oe_ratio"])[
        :0
    ]
    assert "Nothing to show." in some._repr_html_()
    with pytest.raises(hw.OptionError, match="without results cannot be drawn"):
        hw.curve(FRAME.y, "roc", y_score=FRAME.p, n_resamples=49, rng=1)[:0].plot()


def test_a_plan(run: Run) -> None:
    ran = run(*f"{PLAN} --slope-halfwidth 0.2 --oe-halfwidth 0.1 --json".split())
    (plan,) = json.loads(ran.out)["plans"]
    made = hw.planning.calibration(
        halfwidth={"calibration_slope": 0.2, "oe_ratio": 0.1}, prevalence=0.1, auroc=0.8
    )
    assert (plan["n"], plan["decided_by"]) == (made.n, "O:E ratio")
    table = run(
        *[
            "plan",
            "calibration",
            "t.csv",
            "--score",
            "p",
            "-n",
            "200,400",
            "--metric",
            "citl,oe_ratio",
        ]
    )
    assert table.status == 0
    assert "the 600 probabilities of the pilot" in table.out
    assert table.out.startswith("Calibration-in-the-large, O:E ratio, 95 % CI")


SLIPS = {
    f"{CI} --calibration-test nonsense": "unknown statistic of calibration 'nonsense'",
    f"{CI} --calibration-test ece --metric auroc": "--metric has no effect with",
    f"{CI} --calibration-test ece --confidence-level .9": "--confidence-level has no effect with",
    f"{CI} --calibration-test ece --groups half": "600 cases come in 300 clusters",
    f"{CI} --calibration-test ece --centre site": "ask different things",
    f"{CI} --centre one": "all 600 cases come from one centre ('A')",
    f"{CI} --centre nowhere": "no column 'nowhere'",
    f"{CI} --centre site --metric auroc": "unknown metric that is pooled over centres 'auroc'",
    "ci --target-file y.npy --score-file p.npy --centre site": "--centre: arrays have no columns",
    f"{CI} --calibration-test ece --model half --by one": "--by has no effect",
    "ci t.csv two.csv --target y --score p --calibration-test ece": "the file of one, or its rows,",
    f"{CI} --centre site --seed 1": "--seed has no effect with --centre",
    "ci holes.csv --target y --score p --centre site": "1 of 600 cases lack their centre",
    "ci t.csv --calibration-test ece": "--calibration-test needs --target",
    PLAN: "say what to plan for",
    f"{PLAN} -n 100 --slope-halfwidth .2": "got both",
    f"{PLAN} --metric citl --slope-halfwidth .2": "--metric goes with --n",
    "plan calibration t.csv -n 100": "a pilot needs a table FILE and its column",
    "plan calibration t.csv --score q -n 100": "no column 'q'",
    "plan calibration t.csv --score y -n 100": "outcomes or decisions",
    "plan calibration --lp-mean 0 -n 100": "say how log odds are distributed",
}


@pytest.mark.parametrize("command", SLIPS)
def test_slips_are_one_line(command: str, run: Run) -> None:
    ran = run(*command.split())
    lines = [line for line in ran.err.splitlines() if "classes:" not in line]
    assert (ran.status, ran.out, len(lines)) == (2, "", 1)
    assert SLIPS[command] in lines[0]
