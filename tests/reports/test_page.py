"""The page: everything is escaped, nothing is loaded, no case can be read out of it."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import itertools
import json
import re
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import halfwidth as hw
from halfwidth.document.axes import axis_for
from halfwidth.document.html.page import render_html
from halfwidth.document.parts import (
    Axis,
    Cell,
    Code,
    Column,
    Document,
    Excerpt,
    Figure,
    Heading,
    Item,
    Items,
    Kind,
    Paragraph,
    Section,
    Table,
)
from halfwidth.document.render import render
from halfwidth.reports.document import figures_of_cases
from halfwidth.reports.results import Results

TABLES = r"\\begin\{longtable\}\{([^\n]*)\}\n(.*?)\\end\{longtable"
NASTY = "<script>alert('x')</script>&\"'\x00=1+1"


class Read(HTMLParser):
    """What a browser would find: elements with their attributes, and the text of each kind."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self._open = [""]
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "img", "link", "br"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        self.texts.setdefault(self._open[-1], []).append(data)

    def attributes(self, name: str) -> list[str]:
        return [given[name] or "" for _, given in self.elements if name in given]

    @property
    def text(self) -> str:
        return " ".join(text for texts in self.texts.values() for text in texts)


def models(n: int = 30, names: tuple[str, ...] = ("unet", "vit", NASTY)) -> dict[str, list[Any]]:
    rng = np.random.default_rng(3)
    return {name: rng.beta(9, 2, n).tolist() for name in names}


@pytest.fixture(scope="module")
def everything() -> hw.Report:
    """A report with estimates, differences and ranks."""
    values = models()
    how: dict[str, Any] = {"metric": "dsc", "rng": 1, "n_resamples": 199}
    table = hw.estimate(hw.CaseValues.from_table(values), **how)
    found = [table, hw.compare(values, margin=0.05, **how), hw.rank(values, **how)]
    return hw.report(found, title=f"Liver {NASTY}")


@pytest.fixture(scope="module")
def page(everything: hw.Report) -> str:
    """Its text, drawn once."""
    return everything.to_html()


def test_every_text_is_escaped(page: str) -> None:
    read = Read(page)
    assert [tag for tag, _ in read.elements].count("script") == 1
    assert "alert" not in "".join(read.texts["script"])
    assert "<script>alert('x')</script>" in read.text
    assert "\x00" not in page


def test_nothing_comes_from_elsewhere(page: str) -> None:
    read = Read(page)
    assert {text[:15] for text in read.attributes("src")} == {"data:image/png;"}
    assert all(text.startswith("#") for text in read.attributes("href"))
    # Attributes that run or style something are what the policy forbids.
    assert not [given for _, given in read.elements if any(n.startswith("on") for n in given)]
    assert not read.attributes("style")


def test_the_policy_names_the_hashes_of_style_and_script(page: str) -> None:
    read = Read(page)
    (policy,) = (g["content"] for t, g in read.elements if g.get("http-equiv"))
    assert policy is not None
    assert policy.startswith("default-src 'none'")
    for tag in ("style", "script"):
        digest = hashlib.sha256("".join(read.texts[tag]).encode()).digest()
        assert f"{tag}-src 'sha256-{base64.b64encode(digest).decode()}'" in policy


def test_every_link_within_the_page_leads_somewhere(page: str) -> None:
    read = Read(page)
    names = read.attributes("id")
    assert len(names) == len(set(names))
    assert {text[1:] for text in read.attributes("href")} <= set(names)


def test_no_value_of_a_case_is_on_the_page(page: str) -> None:
    text = re.sub(r"data:image/png;base64,[^\"]*", "", page)
    for value in (one for column in models().values() for one in column):
        assert f"{value:.5f}"[:-1] not in text


def test_clusters_have_numbers_in_pictures() -> None:
    patients = [f"patient {case // 3}" for case in range(30)]
    values = models() | {"patient": patients}
    table = hw.estimate(hw.CaseValues.from_table(values, metric="dsc", groups="patient"))
    results = Results(title="Liver", estimates=table)
    listed = Table((Column("case"),), (("case 1",),))
    for one, name in (
        (results, "cluster 1"),
        (dataclasses.replace(results, cases=(listed,)), "patient 0"),
    ):
        (figure,) = figures_of_cases(one)
        for cases in figure.source.cases:
            assert cases.groups[:4] == (name, name, name, cases.groups[3])
            assert len(set(cases.groups)) == 10


def test_pictures_say_what_they_show(page: str) -> None:
    images = [given for tag, given in Read(page).elements if tag == "img"]
    assert len(images) == 2
    assert all(given.get("alt") for given in images)


def test_the_same_results_give_the_same_page(everything: hw.Report, page: str) -> None:
    assert everything.to_html() == page


def test_sections_stand_in_the_order_of_reading(page: str) -> None:
    titles = list(Read(page).texts["h2"])
    assert titles == [
        *("Cautions", "In brief", "Performance", "The values behind the estimates"),
        *("Differences", "Ranks", "How far to trust the intervals", "For the paper"),
        *("Reporting checklists", "Methods and provenance", "What the cautions mean"),
    ]


def test_intervals_are_drawn_on_the_axis_of_their_column() -> None:
    axis = Axis(0.0, 1.0, ((0.0, "0"), (1.0, "1")), (0.5,))
    inside, beyond = (0.5, 0.25, 0.75), (0.9, 0.8, 1.2)
    rows = (("A", Cell("a", inside)), ("B", Cell("b", beyond)))
    table = Table((Column("model"), Column("interval", Kind.DRAWN, axis=axis)), rows)
    read = Read(render_html(Document((table,))))
    circles = [given for tag, given in read.elements if tag == "circle"]
    # Places are shares of the drawing, of which 7.5 % are left at either side.
    assert [given["cx"] for given in circles] == ["50.00%", "84.00%"]
    lines = [given for _, given in read.elements if given.get("class") == "interval"]
    assert [(g["x1"], g["x2"]) for g in lines[:1]] == [("28.75%", "71.25%")]
    # The end beyond the axis is an arrow, not a cap.
    assert len([1 for tag, _ in read.elements if tag == "polygon"]) == 1
    assert [text for text in read.texts["title"] if text in "ab"] == ["a", "b"]


def test_tables_on_one_axis_draw_at_the_same_places() -> None:
    axis = Axis(0.0, 1.0, ((0.0, "0"), (1.0, "1")))
    drawn, cell = Column("interval", Kind.DRAWN, axis=axis), Cell("", (0.5, 0.2, 0.8))
    model, n = Column("model"), Column("n", Kind.NUMBER)
    codes = Column("cautions", Kind.CAUTIONS)
    half = Column("half-width", Kind.NUMBER)
    tables = (
        Table((model, n, drawn, half), (("unet", "40", cell, "0.02"),)),
        Table((model, drawn, half, codes), (("unet of the north", cell, "0.03", ""),)),
    )
    widths = _widths_of_columns(render_html(Document(tables)))
    before, behind = zip(
        *((sum(w[:at]), sum(w[at + 1 :])) for w, at in zip(widths, (2, 1), strict=True)),
        strict=True,
    )
    assert before[0] == pytest.approx(before[1], abs=0.02)
    assert behind[0] == pytest.approx(behind[1], abs=0.02)
    assert [sum(some) for some in widths] == pytest.approx([100, 100], abs=0.03)
    # Alone a table is as wide as its texts ask for.
    assert _widths_of_columns(render_html(Document(tables[:1]))) == []


def _widths_of_columns(page: str) -> list[list[float]]:
    return [
        [float(width) for width in re.findall(r'width="([\d.]+)%"', group)]
        for group in re.findall("<colgroup>(.*?)</colgroup>", page)
    ]


def test_an_axis_holds_all_intervals_and_has_round_ticks() -> None:
    axis = axis_for([(0.5, 0.1, 0.9), (-2.0, -3.0, float("nan"))], marks=[0.0])
    assert axis is not None
    assert axis.low < -3
    assert axis.high > 0.9
    assert [label for _, label in axis.ticks] == ["-3", "-2", "-1", "0", "1"]
    assert axis_for([(float("nan"),) * 3]) is None
    alone = axis_for([(0.5, 0.5, 0.5)])
    assert alone is not None
    assert alone.low < 0.5 < alone.high


def test_ticks_have_room_for_their_labels() -> None:
    axis = axis_for([(0.9, 0.896, 0.907)])
    assert axis is not None
    assert [label for _, label in axis.ticks] == ["0.900", "0.905"]


def test_columns_that_stand_beneath_others() -> None:
    columns = (
        *(Column("task"), Column("n", Kind.NUMBER), Column("value", Kind.NUMBER)),
        *(Column("95 % CI", Kind.INTERVAL), Column("codes", Kind.CAUTIONS)),
    )
    row = ("liver", "12", "0.9", Cell("0.8 to 1.0", (0.8, 1.0)), Cell("HW1", ("HW1",)))
    table = Table(columns, (row,)).stacked({"n": "task", "95 % CI": "value", "codes": "none"})
    page = render_html(Document((Section("Part", (table,)),)))
    read = Read(page)
    kinds = [g["class"] for tag, g in read.elements if tag in ("td", "th") and g.get("class")]
    assert kinds == ["text", "number", "cautions"] * 2
    assert read.texts["caption"] == ["Part"]
    assert [g["scope"] for _, g in read.elements if "scope" in g] == ["col"] * 3 + ["row"]
    under = re.findall('<div class="under"[^>]*>(.*?)</div>', page)
    # What its text does not say is said beside it; an interval speaks for itself.
    assert under == [
        *("95 % CI", '<span><span class="what">n </span>12</span>'),
        "0.8 to 1.0",
    ]
    # Text keeps columns apart.
    assert "| task | n | value | 95 % CI | codes |" in render(Document((table,)), "markdown")


def test_every_row_has_a_label_where_one_has() -> None:
    values = models(names=("a", "b"))
    each = [hw.summary_ci(values["a"], metric="dsc", statistic=s) for s in ("mean", "trimmed_mean")]
    labelled = dataclasses.replace(each[0], label="liver")
    document = hw.report([labelled, each[1]]).document
    rows = render(document, "latex").splitlines()
    assert not [row for row in rows if row.startswith(" &")]
    assert [row for row in rows if row.startswith(f"{each[1].subject} &")]
    page = render_html(document)
    # Below a label stands no second time what it says.
    assert "statistic </span>mean DSC" in page
    assert f"statistic </span>{each[1].subject}" not in page


def test_titles_go_down_by_one_level_at_a_time(page: str) -> None:
    levels = [int(tag[1]) for tag, _ in Read(page).elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert all(later - before <= 1 for before, later in itertools.pairwise(levels))


def luminance(colour: str) -> float:
    """The relative luminance of WCAG 2."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * one for one in colour[1:])
    shares = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def test_text_stands_out_by_day_by_night_and_on_paper() -> None:
    style = (resources.files("halfwidth.document.html") / "style.css").read_text(encoding="utf-8")
    hexadecimal = "(#[0-9a-f]{3,6})"
    either = rf"--([a-z-]+): light-dark\({hexadecimal}, {hexadecimal}\)"
    pairs = re.findall(either, style)
    plain = re.findall(r"\.page \{([^}]*--paper: #[^}]*)\}", style)
    older_browsers, paper = (dict(re.findall(f"--([a-z-]+): {hexadecimal}", one)) for one in plain)
    colours: dict[str, str] = {}
    blocks = [
        {name: light for name, light, _ in pairs},
        {name: dark for name, _, dark in pairs},
        paper,
    ]
    assert [len(block) for block in blocks] == [9, 9, 9]
    assert older_browsers == blocks[0]
    for block in blocks:
        colours |= block
        grounds = {"warm": ["warm-shade"], "ink": ["paper", "shade", "warm-shade"]}
        for text in ("ink", "soft", "accent", "warm"):
            for ground in grounds.get(text, ["paper", "shade"]):
                pair = sorted((luminance(colours[text]), luminance(colours[ground])))
                # AA of WCAG 2 for text of any size.
                assert (pair[1] + 0.05) / (pair[0] + 0.05) >= 4.5, (text, ground)


def test_a_document_of_sections_is_text_too() -> None:
    axis = Axis(0, 1, ())
    table = Table(
        (Column("n", Kind.NUMBER), Column("drawn", Kind.DRAWN, axis=axis)),
        (("12", Cell("", (0.5, 0.1, 0.9))),),
    )
    inner = (Paragraph("First."), table, Excerpt("To copy."), Excerpt("\\alpha\n", "latex"))
    document = Document((Section("Part", inner), Items((Item("HW1", "why", "HW1"),)), Code(("x",))))
    assert render(document, "markdown") == (
        "## Part\n\nFirst.\n\n| n |\n| ---: |\n| 12 |\n\n> To copy.\n\n"
        "```latex\n\\alpha\n```\n\n- HW1 why\n\n```sh\nx\n```\n"
    )
    assert "drawn" not in render(document, "table")
    latex = render(document, "latex")
    assert "\\section*{Part}\n" in latex
    assert "To copy." in latex
    assert "\\alpha" not in latex


def test_titles_of_what_a_text_cannot_show_are_left_out() -> None:
    figure = Figure("curves", "ROC", pictures=lambda: [b""])
    figures = Section("Curves", (figure, Section("More", (Heading("Of one"), figure))))
    document = Document((figures, Section("Part", (Heading("One"), Paragraph("Text.")))))
    assert render(document, "markdown") == "## Part\n\n### One\n\nText.\n"
    assert "Curves" not in render(document, "latex")
    assert "<h4>Of one</h4>" in render_html(document)


def test_latex_of_a_report_can_be_compiled(everything: hw.Report) -> None:
    text = render(everything.document, "latex")
    body = re.sub(r"\\\\|\\[{}%&$#_]", "", re.sub("(?m)^%.*", "", text))
    depth = list(itertools.accumulate({"{": 1, "}": -1}.get(letter, 0) for letter in body))
    assert min(depth) == 0
    assert depth[-1] == 0
    assert body.count("$") % 2 == 0
    opened: list[str] = []
    for what, name in re.findall(r"\\(begin|end)\{(\w+)\}", body):
        if what == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert opened == []
    for spec, rows in re.findall(TABLES, text, re.DOTALL):
        columns = len(re.sub(r">\{.*?\}p\{.*?\}", "p", spec))
        cells = [row.count(" & ") + 1 for row in rows.splitlines() if row.endswith(r"\\")]
        assert set(cells) == {columns}
    # Nothing is left that its fonts lack, but for names.
    assert set(re.findall("[^\x00-\xff]", text.replace(NASTY, ""))) <= {"\u2013", "\u2019"}


def test_a_report_is_written_as_its_name_says(everything: hw.Report, tmp_path: Path) -> None:
    for name, begins in {
        "a.html": "<!DOCTYPE html>",
        "a.md": "# Liver ",
        "a.json": "{",
    }.items():
        everything.save(tmp_path / name)
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(begins)
    with pytest.raises(hw.OptionError, match=r"a\.doc: a report ends in one of \.html"):
        everything.save(tmp_path / "a.doc")
    with pytest.raises(hw.DataError, match="cannot be written"):
        everything.save(tmp_path / "no" / "a.html")


def test_data_are_reported_as_the_command_line_does(tmp_path: Path) -> None:
    how: dict[str, Any] = {"rng": 1, "n_resamples": 199}
    values = hw.CaseValues.from_arrays(models(), metric="dsc")
    made = hw.report(values, tmp_path / "page.json", statistic=["mean", "median"], **how)
    told = json.loads((tmp_path / "page.json").read_text())
    assert [one["statistic"] for one in told["estimates"]] == ["mean"] * 3 + ["median"] * 3
    assert len(told["comparisons"]) == 3
    (ranking,) = hw.rank(values, **how)
    assert told["estimates"][0]["low"] == ranking.models[0].estimate.low
    text = Read(made.to_html()).text
    assert "models are ranked and compared by the mean alone" in text
    six = models(names=tuple("ABCDEF"))
    quick: dict[str, Any] = {"metric": "dsc", "method": "t", "figures": False, "rng": 1}
    many = hw.report(six, **quick)
    assert "Differences" not in Read(many.to_html()).texts["h2"]
    asked = hw.report(six, margin=0.1, **quick)
    assert "Differences" in Read(asked.to_html()).texts["h2"]
    (alone,) = hw.estimate(models()["vit"], metric="dsc")
    page = hw.report(models()["vit"], metric="dsc", figures=False).to_html()
    assert alone.sentence() in Read(page).text


def test_scores_are_reported_with_their_curves() -> None:
    test = hw.Predictions.from_arrays([0, 1] * 20, [i / 40 for i in range(40)])
    page = hw.report(test, metric=["auroc", "accuracy"], rng=1, n_resamples=99).to_html()
    assert "ROC curves with pointwise 95 % bands" in Read(page).texts["figcaption"]
    without = hw.report(test, metric="auroc", figures=False).to_html()
    assert "figcaption" not in Read(without).texts


def test_values_without_a_metric_share_a_figure_with_zeros_and_ones() -> None:
    table = pd.DataFrame({"case": [*"abcdef"], "x": np.arange(6) / 4, "y": [0.0, 1, 1, 0, 1, 0]})
    assert "<img" in hw.report(table, rng=1).to_html()


def test_finished_results_take_no_inference() -> None:
    (alone,) = hw.estimate(models()["vit"], metric="dsc")
    with pytest.raises(hw.OptionError, match=r"margin=0\.1 has no effect on finished results"):
        hw.report(alone, margin=0.1)
    with pytest.raises(hw.OptionError, match="is not a result"):
        hw.report([alone, 0.9])
    with pytest.raises(hw.OptionError, match="needs data or a result"):
        hw.report([])


def test_curves_are_reported_with_their_areas() -> None:
    truth, score = [0, 1] * 20, [i / 40 for i in range(40)]
    curves = hw.curve(truth, "roc", y_score=score, rng=1, n_resamples=99)
    page = hw.report(curves[0]).to_html()
    assert "ROC curves with pointwise 95 % bands" in Read(page).texts["figcaption"]
    assert "AUROC" in Read(page).text


def test_a_report_without_figures_takes_no_pictures() -> None:
    table = hw.estimate(hw.CaseValues.from_table(models(), metric="dsc"))
    assert "<img" not in hw.report(table, figures=False).to_html()


@pytest.mark.slow
def test_a_large_report_stays_small() -> None:
    rng = np.random.default_rng(1)
    # Two of nine structures, with which a whole page of nine takes less than 2 MB.
    n, names, tasks = 743, [f"model {i}" for i in range(20)], ["liver", "spleen"]
    frame = {
        "model": np.repeat(names, n * 2),
        "organ": np.tile(np.repeat(tasks, n), 20),
        "dsc": rng.beta(9, 2, n * 2 * 20),
    }
    table = hw.estimate(hw.CaseValues.from_table(frame, "dsc", by=["model", "organ"], metric="dsc"))
    assert len(hw.report(table).to_html()) < 2_000_000 * 2 / 9


def test_models_on_different_cases_are_compared_and_not_ranked() -> None:
    draw = np.random.default_rng(5)
    models = {"A": draw.beta(8, 2, 30), "B": draw.beta(8, 2, 20)}
    data = hw.CaseValues.from_arrays(models, metric="dsc", pairing="none")
    text = render(hw.report(data, rng=1, n_resamples=99).document, "markdown")
    assert "30 + 20" in text or "n = 30" in text
    assert "95 % ranks" not in text
