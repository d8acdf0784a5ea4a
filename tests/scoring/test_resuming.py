"""A run that was cut off goes on: nothing is scored twice, and nothing stale is taken for new."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import Run

import halfwidth as hw
from halfwidth.scoring import run as runs

CASES = ("a", "b", "c", "d", "e")


@dataclass
class Calls:
    """The cases that were scored, and after how many the run is cut off."""

    cases: list[str] = field(default_factory=list)
    cut_after: int | None = None

    def taken(self) -> str:
        """The cases since the last look."""
        found = "".join(self.cases)
        self.cases.clear()
        return found


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    seen, score = Calls(), vars(runs)["score_case"]

    def counted(files: Any, how: Any) -> Any:
        if seen.cut_after is not None and len(seen.cases) >= seen.cut_after:
            raise KeyboardInterrupt
        seen.cases.append(files.case)
        return score(files, how)

    monkeypatch.setattr(runs, "score_case", counted)
    return seen


@dataclass(frozen=True)
class Work:
    """Two folders, and where the table will be."""

    predictions: Path
    references: Path
    out: Path

    @property
    def partial(self) -> Path:
        return self.out.with_name(f"{self.out.name}.partial")

    def score(self, metrics: str = "dsc,hd95,nsd:1", **options: Any) -> hw.Scores:
        given: dict[str, Any] = {"spacing": 0.7, "out": self.out} | options
        return hw.score_folders(self.predictions, self.references, metrics, **given)

    def cut_off(self, calls: Calls, after: int, **options: Any) -> None:
        calls.cut_after = after
        with pytest.raises(KeyboardInterrupt):
            self.score(**options)
        calls.cut_after = None


def write(folder: Path, case: str, shift: int, *, lacks: Iterable[int] = ()) -> None:
    labels = np.zeros((20, 22), dtype=np.uint8)
    labels[3:15, 2:12], labels[6:18, 13:20] = 1, 2
    labels = np.roll(labels, shift, axis=0)
    for label in lacks:
        labels[labels == label] = 0
    folder.mkdir(exist_ok=True)
    np.save(folder / f"{case}.npy", labels)


@pytest.fixture
def work(tmp_path: Path) -> Work:
    """Five cases; labels of some are missed, spurious or not there."""
    for i, case in enumerate(CASES):
        write(tmp_path / "pred", case, i % 3, lacks={1: (2,), 3: (1,)}.get(i, ()))
        write(tmp_path / "ref", case, 0, lacks={2: (2,), 3: (1,)}.get(i, ()))
    return Work(tmp_path / "pred", tmp_path / "ref", tmp_path / "cases.csv")


def rows(scores: hw.Scores) -> list[tuple[str, ...]]:
    """Rows as text, every bit of a number in it."""
    return [tuple(map(repr, row)) for row in scores]


def lines(work: Work) -> list[str]:
    return work.partial.read_text().splitlines()


@pytest.mark.parametrize("after", [0, 1, 3, 4])
def test_a_run_goes_on_where_it_was_cut_off(work: Work, calls: Calls, after: int) -> None:
    whole = work.score(out=None)
    assert calls.taken() == "abcde"
    work.cut_off(calls, after)
    assert calls.taken() == "abcde"[:after]
    assert len(lines(work)) == 1 + after
    rest = work.score()
    assert calls.taken() == "abcde"[after:]
    assert rows(rest) == rows(whole)
    assert repr(rest.cases) == repr(whole.cases)
    assert rest.cautions == whole.cautions
    said = f"{after} of 5 cases were scored by an earlier run"
    assert (said in rest.notes) == (after > 0)


def test_a_run_may_be_cut_off_again_and_again(work: Work, calls: Calls) -> None:
    for _ in range(4):
        work.cut_off(calls, 1)
        assert len(calls.taken()) == 1
    work.score()
    assert calls.taken() == "e"


def test_without_a_place_nothing_is_kept(work: Work, calls: Calls) -> None:
    work.cut_off(calls, 2, out=None)
    assert not work.partial.exists()


def test_what_is_kept_is_readable_json(work: Work, calls: Calls) -> None:
    work.cut_off(calls, 4)
    first, *others = map(json.loads, lines(work))
    assert list(first) == ["asked"]
    assert [entry["scores"][0] for entry in others] == ["a", "b", "c", "d"]


@pytest.mark.parametrize("side", ["pred", "ref"])
def test_a_file_that_has_changed_is_scored_anew(work: Work, calls: Calls, side: str) -> None:
    work.cut_off(calls, 4)
    calls.taken()
    write(work.out.parent / side, "b", 4)
    found = work.score()
    assert calls.taken() == "be"
    assert rows(found) == rows(work.score(out=None))


def test_the_time_of_a_file_is_enough(work: Work, calls: Calls) -> None:
    work.cut_off(calls, 3)
    calls.taken()
    file = work.references / "c.npy"
    seen = file.stat()
    os.utime(file, ns=(seen.st_atime_ns, seen.st_mtime_ns + 1_000_000))
    work.score()
    assert calls.taken() == "cde"


def test_a_prediction_that_comes_later_is_scored(work: Work, calls: Calls) -> None:
    late = work.predictions / "b.npy"
    held = late.read_bytes()
    late.unlink()
    work.cut_off(calls, 4, allow_missing=True)
    calls.taken()
    late.write_bytes(held)
    found = work.score(allow_missing=True)
    assert calls.taken() == "be"
    assert rows(found) == rows(work.score(out=None))


def test_another_folder_is_another_run(work: Work, calls: Calls, tmp_path: Path) -> None:
    work.cut_off(calls, 3)
    calls.taken()
    other = tmp_path / "other"
    shutil.copytree(work.predictions, other)
    Work(other, work.references, work.out).score()
    assert calls.taken() == "abcde"


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "options",
    [
        {"metrics": "dsc,hd95"},
        {"metrics": "dsc,hd95,nsd:2"},
        {"metrics": "dsc,hd95:definition=pooled,nsd:1"},
        {"metrics": "dsc,hd95,nsd", "tolerance": 1},
        {"spacing": 0.8},
        {"labels": {"1": 1, "2": 2}},
        {"only": ["1"]},
        {"regions": ["both=1+2"]},
        {"binary": True},
        {"ignore_geometry": True},
    ],
)
def test_other_options_start_anew(work: Work, calls: Calls, options: dict[str, Any]) -> None:
    work.cut_off(calls, 3)
    calls.taken()
    found = work.score(**options)
    assert calls.taken() == "abcde"
    assert rows(found) == rows(work.score(**options, out=None))


@pytest.mark.parametrize("kept", [1, 10, -1])
def test_a_line_that_was_cut_off_is_not_read(work: Work, calls: Calls, kept: int) -> None:
    work.cut_off(calls, 3)
    calls.taken()
    *whole, last = lines(work)
    work.partial.write_text("\n".join([*whole, last[:kept]]))
    found = work.score()
    assert calls.taken() == "cde"
    assert rows(found) == rows(work.score(out=None))


@pytest.mark.parametrize(
    "garbage",
    [
        b"",
        b"\n\n",
        b"\x00\xff\xfe\n\x80",
        b"case,label,metric\n",
        b"[]\n[]\n",
        b"null\n",
        b'{"asked": null}\n{"files": 1}\n',
    ],
)
def test_garbage_is_not_read(work: Work, calls: Calls, garbage: bytes) -> None:
    work.partial.write_bytes(garbage)
    found = work.score()
    assert calls.taken() == "abcde"
    assert rows(found) == rows(work.score(out=None))


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_one_bad_file_does_not_cost_the_others(work: Work, calls: Calls, jobs: int) -> None:
    bad = work.predictions / "b.npy"
    held = bad.read_bytes()
    bad.write_bytes(held[:100])
    with pytest.raises(hw.DataError) as caught:
        work.score(jobs=jobs)
    text = str(caught.value)
    assert "1 of 5 cases could not be scored: case b: " in text
    assert "b.npy" in text
    assert "The other 4 cases are kept" in text
    calls.cases.clear()
    bad.write_bytes(held)
    found = work.score()
    assert calls.taken() == "b"
    assert rows(found) == rows(work.score(out=None))


def test_another_process_goes_on(work: Work, calls: Calls) -> None:
    bad = work.predictions / "b.npy"
    held = bad.read_bytes()
    bad.write_bytes(held[:100])
    given: list[Any] = [
        work.predictions,
        work.references,
        "--metric",
        "dsc,hd95,nsd:1",
        "-o",
        work.out,
    ]
    command = [sys.executable, "-m", "halfwidth", "score", *given, "--spacing", "0.7"]
    assert subprocess.run(command, check=False, capture_output=True).returncode == 2
    bad.write_bytes(held)
    work.score()
    assert calls.taken() == "b"


@pytest.mark.parametrize("entry", ["{}", '{"files": 1}', '{"files": "x", "scores": []}'])
def test_an_entry_of_another_make_is_not_read(work: Work, calls: Calls, entry: str) -> None:
    work.cut_off(calls, 1)
    calls.taken()
    work.partial.write_text(f"{lines(work)[0]}\n{entry}\n")
    work.score()
    assert calls.taken() == "abcde"


def test_a_change_behind_a_header_is_noticed(work: Work, calls: Calls) -> None:
    sitk: Any = pytest.importorskip("SimpleITK")
    labels = np.load(work.predictions / "a.npy")
    (work.predictions / "a.npy").unlink()
    sitk.WriteImage(sitk.GetImageFromArray(labels), str(work.predictions / "a.mhd"))
    given: dict[str, Any] = {"spacing": 1, "ignore_geometry": True}
    work.cut_off(calls, 2, **given)
    calls.taken()
    voxels = work.predictions / "a.raw"
    voxels.write_bytes(bytes(voxels.stat().st_size))
    found = work.score(**given)
    assert calls.taken() == "acde"
    assert rows(found) == rows(work.score(**given, out=None))


def test_where_nothing_can_be_kept_the_run_does_not_begin(work: Work, calls: Calls) -> None:
    with pytest.raises(hw.DataError, match=r"no folder"):
        work.score(out=work.out.parent / "nowhere" / "cases.csv")
    assert calls.taken() == ""


def test_the_command_goes_on_and_cleans_up(work: Work, calls: Calls, run: Run) -> None:
    given = ("score", work.predictions, work.references, "--spacing", "0.7", "-o", work.out)
    calls.cut_after = 2
    ran = run(*given)
    assert ran.status == 130
    assert ran.out == ""
    assert f"{work.out.name}.partial" in ran.err
    assert "the same command" in ran.err
    assert work.partial.exists()
    assert not work.out.exists()
    calls.cut_after = None
    ran = run(*given)
    assert ran.status == 0
    assert calls.taken() == "abcde"
    assert "2 of 5 cases were scored by an earlier run" in ran.err
    assert not work.partial.exists()
    table = work.out.read_bytes()
    assert run(*given).status == 0
    assert calls.taken() == "abcde"
    assert work.out.read_bytes() == table


def test_other_options_of_the_summary_go_on(work: Work, calls: Calls, run: Run) -> None:
    given = ("score", work.predictions, work.references, "--metric", "dsc", "-o", work.out)
    calls.cut_after = 3
    assert run(*given).status == 130
    calls.cut_after = None
    assert run(*given, "--statistic", "median", "--no-summary").status == 0
    assert calls.taken() == "abcde"


def test_without_out_an_interrupt_promises_nothing(work: Work, calls: Calls, run: Run) -> None:
    calls.cut_after = 2
    ran = run("score", work.predictions, work.references, "--spacing", 1)
    assert ran.status == 130
    assert ran.out == ""
    assert "partial" not in ran.err
    assert not list(work.out.parent.glob("*.partial"))


def test_cases_of_other_options_are_taken_up_again_and_go_away_in_the_end(
    work: Work, calls: Calls
) -> None:
    old = work.partial.with_name(f"{work.partial.name}.old")
    work.cut_off(calls, 3)
    calls.taken()
    # A slip: other options, noticed after one case.
    work.cut_off(calls, 1, spacing=7.0)
    assert (len(old.read_text().splitlines()), len(lines(work))) == (4, 2)
    calls.taken()
    scores = work.score()
    assert calls.taken() == "de"
    assert "3 of 5 cases were scored by an earlier run" in scores.notes
    assert any("those of these options are used" in note for note in scores.notes)
    # What the slip has left is kept by the run that found it, and is stale for the next.
    assert len(old.read_text().splitlines()) == 2
    work.score()
    assert not old.exists()


def test_what_was_set_aside_is_used_where_nothing_else_is_kept(work: Work, calls: Calls) -> None:
    work.cut_off(calls, 3)
    work.score(spacing=7.0)
    calls.taken()
    scores = work.score()
    assert calls.taken() == "de"
    assert rows(scores) == rows(work.score(out=None))


def test_what_is_no_checkpoint_is_set_aside(work: Work) -> None:
    work.partial.write_text('{"asked": "other"}\n')
    scores = work.score()
    assert "cases.csv.partial.old holds cases scored with other options" in scores.notes[0]
    old = work.partial.with_name("cases.csv.partial.old")
    assert old.read_text() == '{"asked": "other"}\n'
    assert not work.partial.exists()
