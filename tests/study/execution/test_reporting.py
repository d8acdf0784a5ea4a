"""What a run says about itself, by a clock that the test sets."""

from __future__ import annotations

import io
import math
from datetime import datetime, timedelta

import pytest

from halfwidth.study.execution.progress import Clock, Count, Reporter, duration_text, reporting

NOON = datetime(2026, 3, 1, 12, 0)  # noqa: DTZ001 -- the time of day on the wall


class Hands:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def clock(self) -> Clock:
        return Clock(lambda: self.seconds, lambda: NOON + timedelta(seconds=self.seconds))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def begun(count: Count) -> tuple[Reporter, Hands, io.StringIO]:
    stream, hands = io.StringIO(), Hands()
    reporter = Reporter(stream, hands.clock())
    reporter.begin(count, "begins")
    return reporter, hands, stream


def test_a_line_a_minute() -> None:
    reporter, hands, stream = begun(Count(900, 1000.0))
    for second in range(1, 200):
        hands.seconds = float(second)
        if second == 100:
            reporter.advance(130.0)
        reporter.beat()
    hands.seconds = 900.0
    reporter.end("all done")
    assert stream.getvalue().splitlines() == [
        "12:00 study: begins",
        "12:01 study: 0 of 900 chunks, 0 %, time left unknown",
        # 130 of 1000 took 100 s; 870 take 669 s, of which 20 have gone.
        "12:02 study: 1 of 900 chunks, 13 %, 11 min left",
        "12:03 study: 1 of 900 chunks, 13 %, 10 min left",
        "12:15 study: all done, 15 min",
    ]


def test_the_time_left_is_by_cost_and_of_this_run() -> None:
    reporter, hands, _ = begun(Count(10, 100.0, known=5, known_cost=40.0))
    assert math.isnan(reporter.seconds_left())
    hands.seconds = 30.0
    reporter.advance(15.0)
    assert reporter.seconds_left() == pytest.approx(90.0)
    hands.seconds = 40.0
    assert reporter.seconds_left() == pytest.approx(80.0)
    assert reporter.progress_text() == "6 of 10 chunks, 55 %, 1 min left"
    hands.seconds = 1000.0
    assert reporter.seconds_left() == 0.0


def test_a_study_without_cost_has_a_share() -> None:
    assert Count(0, 0.0).share == 1.0
    assert Count(2, 0.0, known=1).share == 0.0
    assert Count(2, 0.0, known=1, ended=1).share == 1.0


def test_a_terminal_shows_a_bar_that_is_wiped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    terminal, hands = Terminal(), Hands()
    reporter = Reporter(terminal, hands.clock())
    with reporting(reporter):
        reporter.begin(Count(4, 4.0), "begins")
        hands.seconds = 10.0
        reporter.advance(1.0)
        reporter.beat()
        reporter.note("something [odd] happened")
    shown = terminal.getvalue()
    assert "1 of 4 chunks, 25 %, 30 s left" in shown
    assert "study: something [odd] happened" in shown
    assert "\x1b[?25h" in shown
    assert "\x1b[2K" in shown


def test_letters_that_a_log_does_not_have_do_no_harm() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    Reporter(stream, Hands().clock()).note("größe")
    stream.seek(0)
    assert stream.read() == "12:00 study: gr\\xf6\\xdfe\n"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 s"),
        (59.4, "59 s"),
        (59.6, "1 min"),
        (3599, "1 h"),
        (3700, "1 h 2 min"),
        (86390, "1 d"),
        (90000, "1 d 1 h"),
        (math.nan, "unknown"),
    ],
)
def test_lengths_of_time(seconds: float, said: str) -> None:
    assert duration_text(seconds) == said
