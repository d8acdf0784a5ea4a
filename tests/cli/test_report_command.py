"""``halfwidth report``: what is on the page, which files it writes, what it refuses."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import browser
import numpy as np
import pandas as pd
import pytest
from support import Run

BROWSER = browser.PRINTER
OF_PREDICTIONS = ("preds.csv", "--target", "y", "--score", "p", "--metric", "auroc")
# Closed forms, where the draws are not what is looked at.
QUICK = ("--method", "t")
OF_MODELS = (("A", 1.0), ("B", 2.0))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Tables of one model and of three, and predictions, whose ids and values can be told."""
    rng = np.random.default_rng(2)
    case = [f"secret{i}" for i in range(40)]
    old = rng.beta(9, 2, 40).round(7)
    new = (old + 0.02).clip(0, 1)
    for name, dice in {"old": old, "new": new}.items():
        pd.DataFrame({"case": case, "dice": dice}).to_csv(tmp_path / f"{name}.csv", index=False)
    frames = [
        pd.DataFrame({"case": case, "model": model, "organ": organ, "dice": old + gain})
        for model, gain in (("a", 0.0), ("b", -0.1), ("c", -0.2))
        for organ in ("liver", "spleen")
    ]
    pd.concat(frames).to_csv(tmp_path / "models.csv", index=False)
    truth = rng.integers(0, 2, 40)
    predictions = pd.DataFrame({"y": truth, "p": (truth + rng.random(40)) / 2})
    predictions.to_csv(tmp_path / "preds.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def page_of(run: Run, *arguments: object, name: str = "report.html") -> str:
    ran = run("report", *arguments, "--seed", 1, "--n-resamples", 199)
    assert ran.status == 0, ran.err
    assert f"wrote {name}" in ran.err
    assert ran.out == ""
    return Path(name).read_text(encoding="utf-8")


def titles(page: str) -> list[str]:
    return re.findall("<h2>([^<]*)</h2>", page)


@pytest.mark.usefixtures("folder")
def test_a_table_of_one_model(run: Run) -> None:
    page = page_of(run, "new.csv", "--metric", "dsc", "--no-figures")
    # The name of the only column tells nothing apart.
    assert "<p>Mean DSC 0." in page
    assert {"Differences", "Ranks"}.isdisjoint(titles(page))
    assert "halfwidth report new.csv --metric dsc" in page


@pytest.mark.usefixtures("folder")
def test_models_have_several_statistics(run: Run) -> None:
    chosen = ("--metric", "dsc", "--statistic", "mean,median", "--no-figures")
    page = page_of(run, "A=new.csv", "B=old.csv", *chosen)
    assert "models are ranked and compared by the mean alone" in page
    for text in ("A: mean DSC", "A: median DSC", "B: median DSC"):
        assert text in page


@pytest.mark.usefixtures("folder")
def test_rows_are_picked_and_said_once(run: Run) -> None:
    picked = ["--where", "organ=liver", "--where", "model=a"]
    ran = run("report", "models.csv", *picked, "--metric", "dsc", "--no-figures")
    assert ran.err.count("models.csv: 40 of 240 rows: organ=liver and model=a") == 1
    page = Path("report.html").read_text(encoding="utf-8")
    assert "n = 40" in page
    assert "--where organ=liver --where model=a" in page


@pytest.mark.usefixtures("folder")
def test_options_of_one_of_several_metrics_of_several_models(run: Run) -> None:
    preds = pd.read_csv("preds.csv")
    both = [preds.assign(case=range(40), model=name, p=preds["p"] ** k) for name, k in OF_MODELS]
    pd.concat(both).to_csv("both.csv", index=False)
    asked = ["--target", "y", "--score", "p", "--metric", "auroc,accuracy", "--threshold", "0.4"]
    page = page_of(run, "both.csv", *asked, "--no-figures")
    assert "difference in accuracy at threshold 0.4" in page
    assert "difference in AUROC" in page


def test_the_table_that_score_writes_is_of_the_metric_that_is_named(folder: Path, run: Run) -> None:
    values = pd.read_csv(folder / "new.csv")["dice"]
    one = pd.DataFrame({"case": range(40), "label": "liver", "metric": "dsc", "value": values})
    other = one.assign(metric="hd95", value=values * 30)
    pd.concat([one, other]).to_csv("cases.csv", index=False)
    page = page_of(run, "cases.csv", "--metric", "dsc", "--by", "label", "--no-figures")
    assert "liver: mean DSC" in page
    assert "HD95" not in page


@pytest.mark.usefixtures("folder")
def test_two_models_differ(run: Run) -> None:
    page = page_of(run, "B=new.csv", "A=old.csv", "--metric", "dsc", "--margin", 0.1)
    assert "B is better, but by less than the margin of 0.1." in page
    assert "Differences" in titles(page)
    # Of two models the difference says who is better.
    assert "Ranks" not in titles(page)


@pytest.mark.usefixtures("folder")
def test_three_models_are_ranked_by_task(run: Run) -> None:
    page = page_of(run, "models.csv", "--by", "organ", "--metric", "dsc", "--no-figures")
    assert re.findall("<h3>(liver|spleen)</h3>", page) == ["liver", "spleen"]
    assert "Ranks" in titles(page)


@pytest.mark.usefixtures("folder")
def test_many_models_are_compared_where_there_is_a_margin(run: Run) -> None:
    table = pd.read_csv("models.csv")
    again = [table.assign(model=table["model"] + more, dice=table["dice"] - 0.01) for more in "de"]
    pd.concat([table, *again]).to_csv("many.csv", index=False)
    asked = ["many.csv", "--where", "organ=liver", "--metric", "dsc", "--no-figures", *QUICK]
    assert "Differences" not in titles(page_of(run, *asked))
    assert "Differences" in titles(page_of(run, *asked, "--margin", 0.05))


@pytest.mark.usefixtures("folder")
def test_metrics_of_a_test_set(run: Run) -> None:
    page = page_of(run, "preds.csv", "--target", "y", "--score", "p", "--metric", "auroc,ppv")
    # Metrics of one range stand in one table.
    assert re.findall(r"<th [^>]*>(AUROC|PPV)<", page)[:2] == ["AUROC", "PPV"]
    assert re.findall("<figcaption>([^<]*)", page) == ["ROC curves with pointwise 95 % bands"]
    assert "predicted class: positive from a score of 0.5 on" in page
    # Curves are pictures too: no score can be read out of the page.
    assert not [score for score in pd.read_csv("preds.csv").p if f"{score}"[:8] in page]


@pytest.mark.usefixtures("folder")
def test_models_on_a_test_set_share_the_axes_of_their_curves(run: Run) -> None:
    one = pd.read_csv("preds.csv").assign(case=range(40), model="a")
    both = pd.concat([one, one.assign(model="b", p=one.p**2)])
    both.to_csv("both.csv", index=False)
    what = ("--target", "y", "--score", "p", "--metric")
    page = page_of(run, "both.csv", *what, "auroc,average_precision")
    assert re.findall("<figcaption>([A-Za-z-]*)", page) == ["ROC", "Precision-recall"]
    assert "Bands of curves are pointwise percentile bootstrap intervals of 199" in page
    assert "None was estimated apart" in page
    # An average of two classes knows no positive one, which a curve needs.
    one.assign(y=one.y.map({0: "benign", 1: "malign"}), q=1 - one.p).to_csv("one.csv")
    of_classes = ("--target", "y", "--score", "q", "--score", "p", "--average", "macro")
    assert "<img" not in page_of(run, "one.csv", *of_classes, "--metric", "auroc")
    # Counts have no curve, and without figures none is made.
    assert "<img" not in page_of(run, "both.csv", *what, "sensitivity")


@pytest.mark.usefixtures("folder")
def test_verdicts_of_many_levels_are_said_in_a_sentence_each(run: Run) -> None:
    table = pd.read_csv("models.csv").query("model != 'c' and organ == 'liver'")
    for count, words in ((2, ": a is better."), (7, "o6, mean DSC: a is better than b by ")):
        organs = pd.concat([table.assign(organ=f"o{i}") for i in range(count)])
        organs.to_csv("two.csv", index=False)
        what = ("--by", "organ", "--metric", "dsc", "--no-figures", *QUICK)
        assert words in page_of(run, "two.csv", *what)


@pytest.mark.usefixtures("folder")
def test_detectors(run: Run) -> None:
    images = [{"id": i, "file_name": f"{i}.png", "width": 100, "height": 100} for i in range(30)]
    box = {"category_id": 1, "bbox": [10, 10, 50, 50], "area": 2500, "iscrowd": 0}
    references = {
        "images": images,
        "categories": [{"id": 1, "name": "lesion"}],
        "annotations": [{"id": i + 1, "image_id": i, **box} for i in range(30)],
    }
    Path("refs.json").write_text(json.dumps(references), encoding="utf-8")
    for name, share in {"a": 9, "b": 4}.items():
        found = [{"image_id": i, "score": 0.5 + i / 99, **box} for i in range(30) if i % 10 < share]
        Path(f"{name}.json").write_text(json.dumps(found), encoding="utf-8")
    page = page_of(run, "a.json", "--references", "refs.json", "--metric", "ap50")
    assert "box IoU ≥ 0.5, greedy by score" in page
    assert hashlib.sha256(Path("refs.json").read_bytes()).hexdigest() in page
    page = page_of(run, "a.json", "b.json", "--references", "refs.json", "--metric", "ap50")
    assert ": a is better." in page
    (caption,) = re.findall("<figcaption>([^<]*)", page)
    assert caption.startswith("Precision-recall curves")


@pytest.mark.usefixtures("folder")
def test_cases_are_on_the_page_where_they_are_asked_for(run: Run) -> None:
    page = page_of(run, "old.csv", "--metric", "dsc")
    values = pd.read_csv("old.csv").dice
    assert "secret" not in page
    assert not [value for value in values if f"{value}" in page]
    page = page_of(run, "old.csv", "--metric", "dsc", "--include-cases", "--no-figures")
    assert "secret39" in page
    assert all(f"{value}" in page for value in values)


def test_inputs_are_known_by_their_hash_and_not_by_their_folder(folder: Path, run: Run) -> None:
    (folder / "plan.txt").write_text("One metric, DSC.", encoding="utf-8")
    protocol = folder / "plan.txt"
    page = page_of(run, folder / "old.csv", "--metric", "dsc", "--protocol", protocol)
    assert str(folder) not in page
    for name in ("old.csv", "plan.txt"):
        assert hashlib.sha256(Path(name).read_bytes()).hexdigest() in page


@pytest.mark.usefixtures("folder")
def test_other_formats_stand_beside_the_page(run: Run) -> None:
    page_of(run, "old.csv", "--metric", "dsc", "--markdown", "--latex", "--json", "--no-figures")
    assert "| value |" in Path("report.md").read_text(encoding="utf-8")
    assert "\\end{longtable}" in Path("report.tex").read_text(encoding="utf-8")
    read = json.loads(Path("report.json").read_text(encoding="utf-8"))
    assert read["estimates"][0]["metric"] == "dsc"
    digest = hashlib.sha256(Path("old.csv").read_bytes()).hexdigest()
    assert read["provenance"]["inputs"] == [{"file": "old.csv", "role": "", "sha256": digest}]
    assert read["provenance"]["software"]["numpy"] == np.__version__


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "name a table"),
        (("old.csv", "-o", "report.pdf"), "the page ends in .html; --pdf"),
        (("old.csv", "-o", "no/report.html"), "no folder no"),
        (("old.csv", "--margin", "0.1"), "--margin needs several models, and old.csv holds one"),
        (("old.csv", "--pairing", "common"), "--pairing needs several models"),
        (("old.csv", "--better", "lower"), "--better needs several models"),
        (("old.csv", "--average", "macro"), "--average needs --target COLUMN"),
        (("old.csv", "--threshold", "0.3"), "--threshold needs --target COLUMN"),
        ((*OF_PREDICTIONS, "--value", "p"), "--value has no effect on a metric of a test set"),
        ((*OF_PREDICTIONS, "--statistic", "sd"), "--statistic has no effect on a metric of a test"),
        ((*OF_PREDICTIONS, "--over", "runs"), "--over has no effect on a metric of a test set"),
        ((*OF_PREDICTIONS, "--failures", "unseen"), "--failures has no effect on a metric of a"),
        (("models.csv", "--model-from", "folder"), "no effect on a single file, models.csv"),
        (("old.csv", "--protocol", "gone.txt"), "gone.txt"),
        (("gone.csv",), "gone.csv"),
        (("old.csv", "--score", "p"), "--target"),
        (("A=old.csv", "B=new.csv", "--value", "dice"), "so which model is better cannot be told"),
    ],
)
def test_what_is_refused(run: Run, arguments: tuple[str, ...], words: str) -> None:
    ran = run("report", *arguments)
    assert ran.status == 2
    assert words in ran.err
    assert ran.err.count("\n") <= 2
    assert not Path("report.html").exists()


@pytest.mark.usefixtures("folder")
def test_without_a_browser_there_is_no_pdf(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    ran = run("report", "old.csv", "--metric", "dsc", "--pdf", "--no-figures")
    assert ran.status == 2
    assert "needs Chromium or Chrome" in ran.err


def browser_that(folder: Path, does: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a script in place of every browser."""
    (folder / "bin").mkdir()
    (folder / "bin" / "chromium").write_text(f"#!/bin/sh\n{does}\n")
    (folder / "bin" / "chromium").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder / "bin"), prepend=":")


def test_the_browser_is_told_to_ask_nobody(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = """for word; do echo "$word" >> told; case $word in --print-to-pdf=*)
        echo printed > "${word#*=}";; esac; done"""
    browser_that(folder, told, monkeypatch)
    ran = run("report", "old.csv", "--metric", "dsc", "--pdf", "--no-figures")
    assert ran.status == 0, ran.err
    assert Path("report.pdf").read_text() == "printed\n"
    words = Path("told").read_text().splitlines()
    assert "--disable-background-networking" in words
    assert "--host-resolver-rules=MAP * ~NOTFOUND" in words


def test_a_browser_that_fails_leaves_the_page_of_before(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser_that(folder, "exit 1", monkeypatch)
    Path("report.pdf").write_text("as it was")
    ran = run("report", "old.csv", "--metric", "dsc", "--pdf", "--no-figures")
    assert ran.status == 2
    assert ran.err.endswith("chromium printed nothing; print report.html by hand\n")
    assert Path("report.pdf").read_text() == "as it was"
    assert not [*folder.glob(".*")]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("values", "options"),
    [
        ("steady", ("--metric", "dsc")),
        ("few", ("--metric", "dsc", "--statistic", "median")),
        ("few", ("--metric", "dsc")),
        ("distances", ("--metric", "hd95", "--missing", "worst", "--penalty", "99")),
        ("patients", ("--metric", "dsc", "--groups", "site")),
    ],
)
def test_beside_another_model_no_caution_is_lost(
    values: str, options: tuple[str, ...], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    n = 5 if values == "few" else 30
    columns = {
        "steady": rng.normal(0.9, 0.01, n),
        "few": rng.normal(0.9, 0.01, n),
        "distances": np.where(np.arange(n) < 4, np.nan, rng.lognormal(1, 1, n)),
        "patients": rng.normal(0.8, 0.1, n).clip(0, 1),
    }
    frame = pd.DataFrame({"case": np.arange(n), "site": np.arange(n) % 4, "x": columns[values]})
    frame.to_csv("a.csv", index=False)
    frame.assign(x=frame.x.to_numpy()[::-1]).to_csv("b.csv", index=False)

    def codes(*files: str) -> set[str]:
        page = page_of(run, *files, "--value", "x", *options, "--no-figures")
        return {*re.findall(r"HW\d{3}", page)}

    alone = codes("a.csv")
    assert alone
    assert alone <= codes("a.csv", "b.csv")


@pytest.mark.usefixtures("folder")
def test_strict_fails_on_a_caution(run: Run) -> None:
    pd.read_csv("old.csv").head(4).to_csv("few.csv", index=False)
    ran = run("report", "few.csv", "--metric", "dsc", "--strict", "--no-figures")
    assert ran.status == 3


# --------------------------------------------------------------------------- in a browser


OF_PDF = ("report", "old.csv", "--metric", "dsc", "--pdf", "--no-figures")
# By a datagram socket that it connects there, and to which it sends nothing, Chromium asks the
# system for its own address in IPv6.
PROBE = 'inet_pton(AF_INET6, "2001:4860:4860::8888"'


def works(*command: str) -> bool:
    """Whether a program is there, and may do what it does."""
    return (
        shutil.which(command[0]) is not None
        and subprocess.run(command, capture_output=True, check=False).returncode == 0
    )


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
@pytest.mark.skipif(BROWSER is None, reason="no Chromium in PATH")
def test_a_pdf_is_made_without_a_network() -> None:
    if not works("unshare", "-rn", "true"):
        pytest.skip("no namespace without network may be made here")
    subprocess.run(["unshare", "-rn", sys.executable, "-m", "halfwidth", *OF_PDF], check=True)  # noqa: S607
    assert Path("report.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
@pytest.mark.skipif(BROWSER is None, reason="no Chromium in PATH")
def test_a_pdf_asks_nobody_for_anything() -> None:
    if not works("strace", "-f", "true"):
        pytest.skip("processes cannot be traced here")
    asks = "trace=connect,sendto,sendmsg,sendmmsg"
    subprocess.run(
        ["strace", "-f", "-e", asks, "-o", "calls", sys.executable, "-m", "halfwidth", *OF_PDF],  # noqa: S607
        check=True,
    )
    assert Path("report.pdf").read_bytes().startswith(b"%PDF")
    calls = Path("calls").read_text(encoding="utf-8", errors="replace").splitlines()
    outside = [call for call in calls if "AF_INET" in call and PROBE not in call]
    assert not [call for call in outside if "127.0.0.1" not in call and '"::1"' not in call]


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
@pytest.mark.skipif(BROWSER is None, reason="no Chromium in PATH")
def test_a_browser_loads_nothing_and_logs_no_error(run: Run, tmp_path: Path) -> None:
    page_of(run, "models.csv", "--by", "organ", "--metric", "dsc", "--pdf")
    assert Path("report.pdf").read_bytes().startswith(b"%PDF")
    log = tmp_path / "net.json"
    done = subprocess.run(
        [
            *(str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"),
            *("--enable-logging=stderr", "--disable-background-networking"),
            *(f"--log-net-log={log}", f"--user-data-dir={tmp_path / 'profile'}"),
            Path("report.html").resolve().as_uri(),
        ],
        capture_output=True,
        check=True,
        text=True,
    )
    assert "CONSOLE" not in done.stderr
    assert "Methods and provenance" in done.stdout
    hosts = set(re.findall(r'"url":"https?://([^/"]*)', log.read_text(encoding="utf-8")))
    # A browser of Google asks Google whatever page it shows.
    its_own = (".google.com", ".googleapis.com", ".gvt1.com")
    assert not [host for host in hosts if not host.endswith(its_own)]


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
@pytest.mark.skipif(browser.DRIVER is None, reason="no chromedriver in PATH")
def test_a_phone_shows_the_page_without_scrolling_sideways_and_sorts_its_tables(run: Run) -> None:
    what = ("--by", "organ", "--metric", "dsc", "--no-figures", *QUICK)
    page_of(run, "models.csv", *what)
    with browser.opened(Path("report.html"), width=390) as asked:
        assert asked("return document.documentElement.scrollWidth") == 390
        wide = "return [...document.querySelectorAll('.scroll')].filter(one => "
        assert asked(f"{wide} one.scrollWidth > one.clientWidth + 1).length") == 0
        first = "document.querySelector('table.sortable th:nth-child(2)')"
        press = f"{first}.firstChild.click(); return {first}.ariaSort"
        assert [asked(press), asked(press)] == ["ascending", "descending"]
        cells = f"[...{first}.closest('table').tBodies[0].rows].map(row => row.cells[1].innerText)"
        shown = [float(text.split()[-1]) for text in asked(f"return {cells}")]
        assert shown == sorted(shown, reverse=True)
        # Rows remain rows for those who listen, although they are set as blocks.
        assert asked("return document.querySelector('tbody tr').role") == "row"
