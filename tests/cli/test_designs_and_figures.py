"""``halfwidth ci`` with clusters, strata and figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support import Run

import halfwidth as hw

RNG = np.random.default_rng(8)
PATIENTS, IMAGES = 24, 3
PATIENT = np.repeat(np.arange(PATIENTS), IMAGES)
DICE = np.clip(0.85 + 0.06 * RNG.normal(size=PATIENTS)[PATIENT] + 0.02 * RNG.normal(size=72), 0, 1)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "images.csv"
    rows = [
        f"i{i:02d},P{p},{'north' if p % 2 else 'south'},{d:.6f},{d > 0.85:d}"
        for i, (p, d) in enumerate(zip(PATIENT, DICE, strict=True))
    ]
    path.write_text("\n".join(["case,patient,site,dice,good", *rows]), encoding="utf-8")
    return path


def test_groups_and_strata_reach_the_result(table: Path, run: Run) -> None:
    options = (table, "--value", "dice", "--metric", "dsc", "--seed", 1, "--json")
    (plain,) = run("ci", *options).estimates
    (grouped,) = run("ci", *options, "--groups", "patient").estimates
    (both,) = run("ci", *options, "--groups", "patient", "--strata", "site").estimates
    assert (plain["design"], plain["n_groups"]) == ("iid", None)
    assert (grouped["design"], grouped["n_groups"], grouped["n"]) == ("clustered", 24, 72)
    assert both["design"] == "clustered within strata"
    assert grouped["method"] == "dirichlet_pareto"
    assert grouped["halfwidth"] > 1.2 * plain["halfwidth"]
    assert "HW402" in [c["code"] for c in plain["cautions"]]
    assert "HW402" not in [c["code"] for c in grouped["cautions"]]


def test_the_command_gives_what_the_library_gives(table: Path, run: Run) -> None:
    (row,) = run(
        *("ci", table, "--value", "dice", "--metric", "dsc", "--groups", "patient"),
        *("--over", "clusters", "--statistic", "median", "--seed", 3, "--json"),
    ).estimates
    values = np.round(DICE, 6)
    cases = hw.CaseValues.from_arrays(values, metric="dsc", groups=PATIENT, over="clusters")
    (e,) = hw.estimate(cases, statistic="median", rng=3)
    assert (row["value"], row["low"], row["high"]) == (e.value, e.low, e.high)
    assert (row["over"], row["n_groups"], row["design"]) == ("clusters", 24, "clustered")


def test_hits_in_clusters_have_a_design_effect(table: Path, run: Run) -> None:
    (row,) = run("ci", table, "--value", "good", "--groups", "patient", "--json").estimates
    assert row["method"] == "wilson"
    (plain,) = run("ci", table, "--value", "good", "--json").estimates
    assert row["halfwidth"] > 1.2 * plain["halfwidth"]


def test_the_table_has_a_column_of_clusters(table: Path, run: Run) -> None:
    out = run("ci", table, "--value", "dice", "--groups", "patient", "--metric", "dsc").out
    assert "clusters" in out
    assert "24" in out
    assert "Mean DSC over cases" in out
    markdown = run(
        "ci", table, "--value", "dice", "--groups", "patient", "--format", "markdown"
    ).out
    assert "| clusters |" in markdown


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--groups", "patent"), "no column 'patent'; did you mean 'patient'"),
        (("--strata", "patient", "--groups", "site"), "lie in more than one stratum"),
        (("--groups", "dice"), "cannot be values and groups at once"),
        (("--groups", "site", "--strata", "site"), "cannot be groups and strata at once"),
        (("--groups", "site", "--by", "site"), "cannot be by and groups at once"),
        (("--over", "clusters"), "--over clusters needs clusters: give --groups"),
        (("--over", "cluster"), "did you mean 'clusters'"),
        (("--groups", "patient", "--method", "hall"), "use auto, t, z, cluster_robust_t, per"),
        (("--plot", "x.jpeg"), "figures are written as .png, .svg, .pdf"),
        (("--plot", "x.png", "--plot-kind", "violin"), "Known: distribution, forest"),
        (("--plot", "no/such/folder/x.png"), "no/such/folder/x.png: cannot be written"),
    ],
)
def test_slips_are_said(table: Path, run: Run, options: tuple[str, ...], said: str) -> None:
    ran = run("ci", table, "--value", "dice", *options)
    assert ran.status == 2
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_a_row_without_a_label_is_named(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "gap.csv"
    path.write_text("case,patient,dice\na,p1,0.9\nb,,0.8\nc,p2,0.7\n", encoding="utf-8")
    ran = run("ci", path, "--value", "dice", "--groups", "patient")
    assert ran.status == 2
    assert "1 of 3 cases lack a label in groups (case b)" in ran.err


@pytest.mark.sampled(2)
@pytest.mark.parametrize("suffix", ["png", "svg"])
@pytest.mark.parametrize("kind", ["distribution", "forest"])
def test_a_figure_is_drawn_beside_the_table(
    table: Path, tmp_path: Path, run: Run, suffix: str, kind: str
) -> None:
    figure = tmp_path / f"figure.{suffix}"
    options = ("--value", "dice", "--metric", "dsc", "--groups", "patient", "--by", "site")
    ran = run("ci", table, *options, "--plot", figure, "--plot-kind", kind, "--seed", 1)
    assert ran.status == 0
    assert f"wrote {figure}" in ran.err
    assert ran.out == run("ci", table, *options, "--seed", 1).out
    start = figure.read_bytes()[:200]
    assert start.startswith(b"\x89PNG") if suffix == "png" else b"<svg" in start or b"xml" in start
    text = figure.read_text(encoding="utf-8") if suffix == "svg" else ""
    assert suffix == "png" or ("north" in text and "south" in text)


def test_columns_of_different_metrics_get_a_panel_each(tmp_path: Path, run: Run) -> None:
    rows = [f"c{i},{m},{v}" for i in range(12) for m, v in (("dsc", 0.8), ("hd95", 3.0 + i))]
    path, figure = tmp_path / "canonical.csv", tmp_path / "figure.svg"
    path.write_text("\n".join(["case,metric,value", *rows]), encoding="utf-8")
    assert run("ci", path, "--plot", figure).status == 0
    text = figure.read_text(encoding="utf-8")
    assert "DSC" in text
    assert "HD95" in text


def test_cases_are_carried_and_written_nowhere(table: Path) -> None:
    import pandas as pd

    frame = pd.read_csv(table)
    kept = hw.estimate(
        hw.CaseValues.from_table(frame, "dice", metric="dsc", groups="patient"),
        rng=1,
    )
    plain = replace(kept, cases=())
    (cases,) = kept.cases
    assert (cases.label, cases.metric) == ("dice", "DSC")
    np.testing.assert_array_equal(cases.values, frame["dice"])
    assert cases.groups == tuple(frame["patient"])
    assert kept.to_json() == plain.to_json()
    assert repr(kept) == repr(plain)
    with pytest.raises(hw.OptionError, match="needs estimates of these"):
        hw.plots.figures_of_table(plain)


def test_a_kind_of_plot_without_a_plot_is_refused(table: Path, run: Run) -> None:
    ran = run("ci", table, "--value", "dice", "--plot-kind", "forest")
    assert ran.status == 2
    assert "has no effect without --plot" in ran.err
    assert "did you mean 'forest'" in run("ci", table, "--plot-kind", "forst").err


def test_a_forest_of_several_metrics_has_a_panel_for_each_and_of_many_rows_pages(
    tmp_path: Path, run: Run
) -> None:
    rows = [f"c{i},{m},{v}" for i in range(12) for m, v in (("dsc", 0.8), ("hd95", 3.0 + i))]
    path = tmp_path / "canonical.csv"
    path.write_text("\n".join(["case,metric,value", *rows]), encoding="utf-8")
    ran = run("ci", path, "--plot", tmp_path / "f.png", "--plot-kind", "forest")
    assert ran.status == 0
    assert (tmp_path / "f.png").is_file()
    many = [f"c{i},{k},{i / (13 + k)}" for i in range(12) for k in range(45)]
    path.write_text("\n".join(["case,part,value", *many]), encoding="utf-8")
    asked = ("ci", path, "--by", "part", "--metric", "dsc", "--method", "t")
    ran = run(*asked, "--plot", tmp_path / "p.svg", "--plot-kind", "forest")
    assert "wrote" in ran.err
    assert sorted(file.name for file in tmp_path.glob("p*.svg")) == ["p-2.svg", "p.svg"]
    assert "p-2.svg" in ran.err


def test_letters_that_the_font_lacks_are_told_once(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "cases.csv"
    rows = [f"{k},模型,0.{80 + k}" for k in range(12)]
    file.write_text("\n".join(["case,model,dice", *rows]), encoding="utf-8")
    plot = tmp_path / "forest.svg"
    arguments = ("ci", file, "--value", "dice", "--metric", "dsc", "--by", "model")
    ran = run(*arguments, "--plot", plot, "--plot-kind", "forest")
    assert ran.err.count("模") == 1
    assert "lacks 模 型:" in ran.err
    assert "模型" in plot.read_text(encoding="utf-8")
