from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support import Run

from halfwidth.cli import demo
from halfwidth.cli.main import command
from halfwidth.demonstration import masks


@pytest.fixture
def three_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(masks, "CASES", 3)


@pytest.mark.usefixtures("three_cases")
def test_masks_are_the_same_again_and_other_ones_with_another_seed() -> None:
    first, again, other = (dict(masks.label_maps(seed)) for seed in (1, 1, 2))
    assert list(first) == ["case01", "case02", "case03"]
    for case, maps in first.items():
        assert list(maps) == ["reference", "unet", "vit"]
        for name, label_map in maps.items():
            np.testing.assert_array_equal(label_map, again[case][name])
        assert (maps["reference"] != other[case]["reference"]).any()
    missed = first["case03"]
    assert set(np.unique(missed["reference"])) == {0, 1, 2, 3}
    assert set(np.unique(missed["unet"])) == {0, 1, 2}


def test_the_commands_of_the_demo_are_understood() -> None:
    steps = [*demo.STEPS, demo.NEXT]
    commands = [words for step in steps for words in step.commands(Path("a folder"), 7)]
    assert len(commands) == 12
    for verb, *words in commands:
        command().commands[verb].make_context(verb, words)
        assert not {"DIR", "SEED", "REPORT"} & set(words)


def test_a_long_command_goes_on_in_the_next_line_and_an_option_stays_with_its_value() -> None:
    words = shlex.split("halfwidth report 'my a.csv' --margin 0.02 --title 'Two models' --pdf -o r")
    lines = demo._lines([*words, "--missing", "worst", "--seed", "1"])
    assert lines == [
        "halfwidth report 'my a.csv' --margin 0.02 --title 'Two models' --pdf -o r",
        "    --missing worst --seed 1",
    ]


def test_the_demo_says_what_is_missing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "find_spec", lambda name: None if name != "nibabel" else name)
    ran = run("demo", "-o", tmp_path / "demo")
    assert ran.status == 2
    needed = "'scikit-learn', 'matplotlib'"
    assert ran.err == f"halfwidth: the demo needs {needed}: pip install 'halfwidth[demo]'\n"
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_made_is_an_error(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ran = run("demo", "-o", tmp_path / "file")
    assert ran.status == 2
    assert ran.err == f"halfwidth: {tmp_path / 'file'}: cannot be written (Not a directory)\n"


@pytest.mark.slow
def test_the_demo_ends_with_a_report_and_its_commands_give_the_same_again(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run("demo")
    assert ran.status == 0, ran.err
    assert ran.out.splitlines()[-1] == "The report: halfwidth-demo/report.html"
    folder = tmp_path / "halfwidth-demo"
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "Two segmentation models" in page
    unet = pd.read_csv(folder / "unet.csv")
    lesions = unet[(unet["label"] == "lesion") & (unet["metric"] == "dsc")]
    assert set(lesions["status"]) == {"ok", "missed", "spurious", "not applicable"}
    shown = re.findall(
        r"^\$ halfwidth (.*?[^\\])\n(.*?)(?=\n\$|\Z)", ran.out, re.DOTALL | re.MULTILINE
    )
    assert len(shown) == 8
    for line, output in shown:
        if not line.startswith("ci"):
            continue
        again = run(*shlex.split(line.replace("\\\n", " ")))
        assert again.out.splitlines() == output.splitlines()[: len(again.out.splitlines())]
