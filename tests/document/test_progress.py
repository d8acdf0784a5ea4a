from __future__ import annotations

import importlib
import io
import itertools
import re
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import halfwidth as hw
from halfwidth.calibration.estimation.curves import calibration_curves
from halfwidth.document import progress
from halfwidth.document.progress import followed, following, paused, tracked
from halfwidth.resampling.draws import Plan

RANGES = [(0, 10), (10, 20), (20, 25)]


class Terminal(io.StringIO):
    """A stderr that says that somebody looks at it."""

    def isatty(self) -> bool:
        return True


def watched(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Set up within the test: between fixtures and test pytest sets stderr anew."""
    made = Terminal()
    monkeypatch.setattr(sys, "stderr", made)
    monkeypatch.setenv("TERM", "xterm")
    return made


def test_ranges_are_passed_on_as_they_are() -> None:
    assert list(tracked(iter(RANGES), 25)) == RANGES


def test_quick_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    list(tracked(RANGES, 25))
    assert terminal.getvalue() == ""


def test_slow_work_shows_how_far_it_is_and_wipes_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    list(tracked(RANGES, 25))
    shown = terminal.getvalue()
    assert "/25" in shown
    assert "resamples" in shown
    # The cursor is shown again, and the line is erased.
    assert "\x1b[?25h" in shown
    assert "\x1b[2K" in shown


def test_quick_parts_of_slow_work_show_how_far_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    list(tracked(RANGES, 25, "parts", since=time.monotonic() - 2 * progress.PATIENCE))
    assert "parts" in terminal.getvalue()


def test_plans_from_a_pilot_show_which_n_they_try(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    hw.plan([0.91, 0.88, 0.93, 0.79, 0.90], n=7, metric="dsc", method="t", n_samples=100, rng=1)
    assert "studies of 7 cases" in terminal.getvalue()


def test_nothing_is_shown_where_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    quiet = io.StringIO()
    monkeypatch.setattr(sys, "stderr", quiet)
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    list(tracked(RANGES, 25))
    assert quiet.getvalue() == ""


def test_an_interrupt_wipes_the_bar_and_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    calls = 0

    def interrupted(values: NDArray[np.float64], axis: int) -> Any:
        nonlocal calls
        calls += 1
        if calls > 4:
            raise KeyboardInterrupt
        return np.ptp(values, axis=axis)

    with pytest.raises(KeyboardInterrupt):
        hw.summary_ci(np.arange(5000.0), statistic=interrupted, rng=1)
    assert "\x1b[?25h" in terminal.getvalue()
    # Nothing is left behind that would disturb the next call.
    assert hw.summary_ci(np.arange(50.0), statistic=np.ptp, rng=1).n_resamples == 9999


def test_the_blocks_of_a_plan_cover_all_resamples_once() -> None:
    plan = Plan(1, 1000, block_elements=700)
    blocks = list(plan.blocks(9))
    assert blocks[0][0] == 0
    assert blocks[-1][1] == 1000
    assert all(a[1] == b[0] for a, b in itertools.pairwise(blocks))


def test_blocks_of_slow_work_begin_small_and_grow_while_they_are_quick() -> None:
    ranges = list(progress.growing(1000, 64))
    assert [stop - start for start, stop in ranges[:8]] == [1, 2, 4, 8, 16, 32, 64, 64]
    assert ranges[-1][1] == 1000


def test_blocks_of_slow_work_stay_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "QUICK", -1.0)
    assert list(progress.growing(4, 64)) == [(0, 1), (1, 2), (2, 3), (3, 4)]


def shown(terminal: Terminal, text: str) -> bool:
    """Wait until a text stands on a terminal, whatever its colours."""
    for _ in range(2000):
        if text in re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", terminal.getvalue()):
            return True
        time.sleep(0.005)
    return False


def test_a_bar_waits_for_no_step_and_gives_way_to_that_of_what_is_within(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = watched(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    with followed(3, "models") as step:
        assert shown(terminal, "0/3 models")
        step()
        for start, _ in tracked(RANGES, 25):
            assert start == 0 or shown(terminal, "10/25 resamples")
        assert shown(terminal, "1/3 models")
    # Both are wiped, and the cursor is shown again.
    assert terminal.getvalue().endswith("\x1b[2K")
    assert progress._BARS == []


def test_ranks_show_how_many_models_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    seen: list[bool] = []

    def middle(values: NDArray[np.float64], axis: int = -1) -> Any:
        if len(seen) == 20:  # Not before models are ranked.
            seen.append(shown(terminal, "/3 models ranked"))
        seen.append(True)
        return np.median(values, axis=axis)

    models = {name: np.linspace(0.5, 0.9, 9) ** k for k, name in enumerate("ABC", 1)}
    hw.rank(models, metric="dsc", statistic=middle, n_resamples=99, rng=1)
    assert seen[20]


def test_curves_show_how_many_models_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    drawn, seen = calibration_curves, []

    def slowly(*given: Any) -> Any:
        seen.append(shown(terminal, "/2 curves of models"))
        return drawn(*given)

    monkeypatch.setattr("halfwidth.calibration.curves_of_models.calibration_curves", slowly)
    y, p = np.arange(40) % 2, np.linspace(0.1, 0.9, 40)
    models = hw.Predictions.from_arrays(y, {"A": p, "B": p**2})
    assert len(hw.curve(models, "reliability", n_resamples=9, rng=1)) == 2
    assert seen == [True, True]


def test_items_pass_with_how_many_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    seen = [(one, shown(terminal, f"{one}/2 pages")) for one in following([0, 1], "pages")]
    assert seen == [(0, True), (1, True)]


def test_a_note_wipes_the_bar_and_lets_it_return(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    with followed(2, "pages"):
        assert shown(terminal, "0/2 pages")
        with paused():
            # The line is erased, and nothing is drawn into what is written now.
            assert terminal.getvalue().endswith("\x1b[2K")
            begun = len(terminal.getvalue())
        for _ in range(2000):
            if "0/2" in terminal.getvalue()[begun:]:
                break
            time.sleep(0.005)
        assert "0/2" in terminal.getvalue()[begun:]
    assert progress._BARS == []


def test_a_report_shows_its_parts_its_comparisons_and_its_pictures(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    terminal = watched(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    seen: dict[str, bool] = {}
    waits = {
        "halfwidth.reports.report.report_document": "0/2 parts of the report",
        "halfwidth.comparison.assembling.superiority": "0/1 families of models compared",
        "halfwidth.plots.of_results.figure_of": "0/1 pictures drawn",
        "halfwidth.plots.of_results.picture": "0/1 pages written",
    }
    for path, text in waits.items():
        module, _, name = path.rpartition(".")
        function = vars(sys.modules.get(module) or importlib.import_module(module))[name]

        def slowly(*given: Any, function: Any = function, text: str = text, **how: Any) -> Any:
            if text not in seen:
                seen[text] = shown(terminal, text)
            return function(*given, **how)

        monkeypatch.setattr(path, slowly)
    values = hw.CaseValues.from_arrays(
        {"A": np.linspace(0.5, 0.9, 9), "B": np.linspace(0.4, 0.9, 9)}, metric="dsc"
    )
    hw.report(values, tmp_path / "page.html", n_resamples=9, rng=1)
    assert seen == dict.fromkeys(waits.values(), True)
