"""Verbs that compare detectors read them as `detect` does, with the same options and messages."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from support import Run

from halfwidth.cli.main import command

N = 12
BOX = "left,top,right,bottom"
COLUMNS = ("slide", "kind", *BOX.split(","))
READ_AS = (
    *("--column", "image=slide", "--column", "class=kind", "--column", "score=p"),
    *("--column", f"box={BOX}", "--images", "all.txt"),
)
QUICK = ("--metric", "ap50", "--average", "micro", "--n-resamples", "49", "--seed", "1")


def rows(shift: int, every: int = 1, *, score: bool = True) -> str:
    """A table with an object in all images but the last two, whose columns have odd names."""
    lines = [",".join([*COLUMNS, *(["p"] if score else [])])]
    for i in range(0, N - 2, every):
        line = f"s{i},nodule,{9 + shift},9,{49 + shift},49"
        lines.append(f"{line},{i / N}" if score else line)
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("tables")
    texts = {
        "new.csv": rows(2),
        "old.csv": rows(4, 2),
        "same.csv": rows(2),
        "more.csv": rows(3),
        "none.csv": rows(0).splitlines()[0] + "\n",
        "refs.csv": rows(0, score=False),
        "twice.csv": rows(0, score=False) + "s0,nodule,9,9,49,49\n",
        "all.txt": "\n".join(f"s{i}" for i in range(N)),
        "capitals.csv": rows(2).replace("nodule", "Nodule"),
    }
    for name, text in texts.items():
        (made / name).write_text(text, encoding="utf-8")
    return made


@pytest.fixture(autouse=True)
def there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


OPTIONS_OF_DETECT = (
    *("detections_format", "references_format", "images", "columns", "box_format"),
    *("box_convention", "image_sizes", "class_names", "instances", "score_tables", "candidates"),
    *("excluded", "classes", "unknown_images", "coco", "localisation", "assignment", "admits"),
    *("score_threshold", "max_detections", "area", "any_class", "duplicates"),
    *("boundary_distance", "dilation"),
)


@pytest.mark.parametrize("verb", ["compare", "rank", "gate", "report"])
def test_each_verb_has_the_options_of_detect(verb: str) -> None:
    known, of_detect = (
        {param.name: (param.opts, param.help) for param in command(name).commands[name].params}
        for name in (verb, "detect")
    )
    for name in OPTIONS_OF_DETECT:
        assert known[name] == of_detect[name]


def test_tables_are_read_alike_by_all_verbs(run: Run, tmp_path: Path) -> None:
    alone = {}
    for name in ("new", "old"):
        (e,) = run("detect", f"{name}.csv", "refs.csv", *READ_AS, *QUICK, "--json").estimates
        alone[name] = e["value"]
        assert e["n"] == N
    both = ("--references", "refs.csv", *READ_AS, *QUICK)
    compared = run("compare", "new.csv", "old.csv", *both, "--json")
    (difference,) = json.loads(compared.out)["comparisons"]
    assert (difference["first_value"], difference["second_value"]) == tuple(alone.values())
    ranked = json.loads(run("rank", "new.csv", "old.csv", *both, "--json").out)
    assert {one["model"]: one["value"] for one in ranked["rankings"][0]["models"]} == alone
    gated = run("gate", "new.csv", "--against", "old.csv", *both, "--margin", "0.1", "--json")
    assert json.loads(gated.out)["comparisons"][0]["first_value"] == alone["new"]
    page = tmp_path / "page.html"
    assert run("report", "new.csv", *both, "--json", "--no-figures", "-o", page).status == 0
    told = json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))
    assert told["estimates"][0]["value"] == alone["new"]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("new.csv old.csv --column slide", "--column 'slide' is not ROLE=COLUMN"),
        ("new.csv old.csv --candidates threshold=0.5", "not with table"),
        ("new.csv old.csv --score-table s.csv", "--score-table s.csv: name the detector"),
        ("new.csv old.csv --column image=nowhere", "unknown column 'nowhere'"),
        ("new.csv capitals.csv --column image=slide", "lack: 'Nodule'"),
    ],
)
def test_slips_are_told_as_by_detect(words: str, text: str, run: Run) -> None:
    more = ("--column", "class=kind", "--column", f"box={BOX}", "--column", "image=slide")
    given = [*words.split(), *(more[:4] if "image=" in words or "slide" in words else more)]
    ran = run("compare", *given, "--references", "refs.csv", "--metric", "fppi")
    assert (ran.status, ran.out) == (2, "")
    assert text in ran.err
    assert len(ran.err.strip().splitlines()) == 1


def test_options_of_reading_need_references(run: Run) -> None:
    for options, name in (
        (["--objects", "labels"], "--objects"),
        (["--column", "x=y"], "--column"),
    ):
        ran = run("rank", "new.csv", "old.csv", "--metric", "dsc", *options)
        assert ran.status == 2
        assert f"{name} is for detections and needs --references FILE" in ran.err


def test_a_detector_that_found_nothing_misses_every_object(run: Run) -> None:
    ran = run("detect", "none.csv", "refs.csv", *READ_AS, *QUICK, "--json")
    assert "none.csv holds no detections: every object is missed" in ran.err
    assert ran.estimates[0]["value"] == 0
    Path("empty.json").write_text("[]", encoding="utf-8")
    columns = [word for word in READ_AS if word not in ("--column", "score=p")]
    more = [part for word in columns[:3] for part in ("--column", word)]
    sensitivity = ("--metric", "object_sensitivity", *QUICK[2:], "--json")
    from_json = run("detect", "empty.json", "refs.csv", *more, *columns[3:], *sensitivity)
    assert from_json.estimates[0]["value"] == 0
    swapped = run("detect", "refs.csv", "none.csv", *READ_AS[:4], *READ_AS[6:8])
    assert "none.csv: there are no images; list them: --images" in swapped.err
    assert run("ci", "none.csv").err.strip().endswith("none.csv: the table has no rows")


def test_objects_that_stand_twice_are_told(run: Run) -> None:
    ran = run("detect", "new.csv", "twice.csv", *READ_AS, *QUICK)
    assert "1 reference repeats another exactly (the first in 's0')" in ran.err
    assert "repeat" not in run("detect", "new.csv", "refs.csv", *READ_AS, *QUICK).err


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("ci new.csv --metric froc_score", "'froc_score' is a metric of detections"),
        ("ci new.csv --target kind --score p --metric ap50", "'ap50' is a metric of detections"),
        ("compare new.csv old.csv --metric pq", "compare, rank, gate and report with --references"),
    ],
)
def test_names_are_explained(words: str, text: str, run: Run) -> None:
    ran = run(*words.split())
    assert (ran.status, len(ran.err.strip().splitlines())) == (2, 1)
    assert text in ran.err


def test_one_detector_is_not_ranked_and_no_goal_is_advised(run: Run) -> None:
    ran = run("rank", "new.csv", "--references", "refs.csv", *READ_AS, *QUICK)
    assert ran.status == 2
    assert "name two models or more" in ran.err
    alone = run("compare", "new.csv", "--references", "refs.csv", *READ_AS, *QUICK)
    assert "a goal: --goal" in alone.err


def test_tied_firsts_and_images_are_said(run: Run) -> None:
    both = ("A=new.csv", "B=same.csv", "--references", "refs.csv", *READ_AS, *QUICK)
    out = " ".join(run("rank", *both).out.split())
    assert "models that tie for the first rank are each first" in out
    gated = run("gate", "new.csv", "--against", "old.csv", *both[2:], "--margin", "0.001")
    assert f"With {N} images a difference" in gated.out or gated.out.startswith("passed")
    assert "cases" not in gated.out


def test_what_is_true_of_all_detectors_is_said_once(run: Run) -> None:
    both = ("new.csv", "same.csv", "--references", "refs.csv", *READ_AS, *QUICK)
    lines = run("compare", *both, "--score-threshold", "50").err.splitlines()
    assert [line.split()[1:5] for line in lines] == [
        ["12", "images,", "2", "of"],
        ["2", "of", "12", "images"],
        ["no", "detection", "scores", "50"],
    ]


def test_names_of_images_are_asked_for(run: Run, tmp_path: Path) -> None:
    both, drawn = ("new.csv", "twice.csv", *READ_AS, *QUICK), tmp_path / "matches.svg"
    figure = ("--plot", drawn, "--plot-kind", "matches")
    for more, named in (((), False), (("--image-names",), True)):
        assert run("detect", *both, *figure, *more).status == 0
        assert (">s0<" in drawn.read_text(encoding="utf-8")) is named
    refused = run("detect", *both, "--image-names")
    assert "--image-names is for --plot FILE with --plot-kind matches" in refused.err


def test_coco_stands_in_80_columns(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    out = run("detect", "new.csv", "refs.csv", *READ_AS, "--coco", *QUICK[4:]).out
    table = out[out.index("────") : out.index("Of these:")].strip().splitlines()[1:]
    assert len(table) <= 24
    assert "\n areas up to 1024        AP small, AR small\n" in out
    assert " at most 1 detection " in out


def test_coco_compares_detectors_too(run: Run, tmp_path: Path) -> None:
    """Twelve numbers as of ``--metric coco``, a figure for each metric, and n once."""
    both = ("new.csv", "old.csv", "--references", "refs.csv", *READ_AS, *QUICK[4:])
    told = run("compare", *both, "--coco", "--json").out
    assert told == run("compare", *both, "--metric", "coco", "--json").out
    assert len(json.loads(told)["comparisons"]) == 12
    out = run("compare", *both, "--coco", "--plot", tmp_path / "d.svg").out
    table, below = out.split("\n\n", 2)[1:]
    assert "difference in" not in table
    assert "n = 12 images." in below
    assert {file.name for file in tmp_path.iterdir()} == {"d.svg", "d-2.svg"}
    at_coco = ("--metric", "ap", "--coco", "--average", "micro", "--json")
    (one,) = json.loads(run("rank", *both, *at_coco).out)["rankings"]
    first = one["models"][0]
    (same,) = run("detect", f"{first['model']}.csv", *both[3:], *at_coco).estimates
    assert first["value"] == same["value"]


def test_curves_of_detectors_share_their_axes(run: Run, tmp_path: Path) -> None:
    both = ("--references", "refs.csv", *READ_AS, *QUICK)
    drawn = tmp_path / "curves.svg"
    ran = run("compare", "A=new.csv", "B=old.csv", *both, "--plot", drawn, "--plot-kind", "froc")
    assert ran.status == 0
    text = drawn.read_text(encoding="utf-8")
    assert "A: FROC score" in text
    assert "B: FROC score" in text
    many = ["new.csv", "old.csv", "same.csv", "more.csv", "none.csv"]
    refused = run("compare", *many, *both, "--plot", drawn, "--plot-kind", "pr")
    assert "draws up to 4 detectors" in refused.err
    tables = run("compare", "new.csv", "old.csv", "--plot", drawn, "--plot-kind", "pr")
    assert "--plot-kind pr draws detections and needs --references" in tables.err


def test_each_detector_has_its_own_table_of_scores(run: Run) -> None:
    """Of label maps, whose scores stand in a table beside them."""
    for name in ("truth", "first", "second"):
        Path(name).mkdir()
        for image in range(3):
            voxels = np.zeros((9, 9), dtype=np.uint8)
            voxels[1:4, 1:4], voxels[5:8, 5:8] = 1, 2
            np.save(Path(name) / f"i{image}.npy", voxels)
    for name, low in (("a", 0.1), ("b", 0.9)):
        lines = [f"i{i},{label},{low + label / 100}" for i in range(3) for label in (1, 2)]
        Path(f"{name}.csv").write_text("\n".join(["image,label,score", *lines]), encoding="utf-8")
    ran = run(
        *("compare", "A=first", "B=second", "--references", "truth", "--n-resamples", "49"),
        *("--metric", "object_sensitivity", "--objects", "labels", "--json", "--seed", "1"),
        *("--score-table", "A=a.csv", "--score-table", "B=b.csv", "--score-threshold", "0.5"),
    )
    (one,) = json.loads(ran.out)["comparisons"]
    assert (one["first_value"], one["second_value"]) == (0, 1)
