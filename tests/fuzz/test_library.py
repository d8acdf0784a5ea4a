"""Random calls of the public API: a valid result, or an error of our own; never anything else.

``HALFWIDTH_FUZZ_CALLS`` and ``HALFWIDTH_FUZZ_SEED`` set the number of calls of the long form and
where they begin.
"""

from __future__ import annotations

import collections
import inspect
import json
import math
import os
import re
import warnings
from collections.abc import Iterator
from typing import Any

import fuzzcalls
import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from fuzzcalls import call_of, drawn_functions, source_of
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import halfwidth as hw
from halfwidth.core.spec import Promise

mpl.use("Agg")

SHORT, LONG = 50, int(os.environ.get("HALFWIDTH_FUZZ_CALLS", "1700"))
FIRST = int(os.environ.get("HALFWIDTH_FUZZ_SEED", "0"))
# Of errors, and of a line of what a result says of itself.
LONGEST = 500
ROUNDING = 1e-9
# An escape code would reach a terminal.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def test_every_public_function_and_argument_can_be_drawn() -> None:
    for name, function in drawn_functions().items():
        for argument in inspect.signature(function).parameters:
            assert callable(source_of(name, argument)), (name, argument)


def test_arguments_without_values_of_their_own_are_those_of_the_usual_calls(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fuzzcalls, "GOOD", {})
    monkeypatch.setattr(fuzzcalls, "OWN", {})
    drawn = {source_of("planning.review", "positives")(fuzzcalls.Source(seed)) for seed in range(9)}
    assert drawn == {60}
    tables = source_of("hw.estimate(CaseValues.from_runs)", "runs")
    assert {"accuracy", "seed"} <= {*tables(fuzzcalls.Source(1))}
    with pytest.raises(AssertionError, match=r"a call of hw\.rank with nothing"):
        source_of("hw.rank", "nothing")


def test_a_few_calls_give_results_or_our_errors() -> None:
    assert tried(FIRST, SHORT)["accepted"] > SHORT / 4


@pytest.mark.slow
def test_many_calls_give_results_or_our_errors(capsys: pytest.CaptureFixture[str]) -> None:
    counts = tried(FIRST, LONG)
    with capsys.disabled():
        print(f"\ncalls of the library: {LONG} tried, ", end="")  # noqa: T201
        print(f"{counts['refused']} refused, {counts['accepted']} accepted")  # noqa: T201
    assert counts["accepted"] > LONG / 3


def tried(first: int, calls: int) -> collections.Counter[str]:
    """How many calls were refused and accepted; fails on anything else, with the calls."""
    counts: collections.Counter[str] = collections.Counter()
    failed: list[str] = []
    for seed in range(first, first + calls):
        try:
            counts[outcome(seed)] += 1
        except Exception as error:  # noqa: BLE001 -- whatever escapes is what is looked for
            failed.append(f"{described(seed)}\n    {type(error).__name__}: {error}"[:600])
    assert not failed, f"{len(failed)} of {calls} calls failed:\n" + "\n".join(failed[:40])
    return counts


def described(seed: int) -> str:
    name, positional, keywords = call_of(seed)
    told = [f"{value!r:.120}" for value in positional]
    told += [f"{key}={value!r:.120}" for key, value in keywords.items()]
    return f"  {seed}: {name}({', '.join(' '.join(one.split()) for one in told)})"


def outcome(seed: int) -> str:
    """What became of one call: refused in a few words, or accepted with a sound result."""
    name, positional, keywords = call_of(seed)
    function = drawn_functions()[name]
    unknown = set(keywords) - set(inspect.signature(function).parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            result = function(*positional, **keywords)
        except (hw.DataError, hw.OptionError) as error:
            check_text(str(error), "error")
            return "refused"
        except TypeError as error:
            if not any(repr(keyword) in str(error) for keyword in unknown):
                raise
            return "refused"
        assert not unknown, "an unknown keyword was taken"
        check_result(result)
        # The mean of a table of runs has the t interval, whose bounds are not cut.
        chosen = keywords.get("method", "auto") == "auto" and ".from_runs" not in name
        for estimate in estimates_in(result):
            check_estimate(estimate, chosen=chosen)
    return "accepted"


# --------------------------------------------------------------------------- what is sound


def check_text(text: str, what: str) -> None:
    """Without escape codes; an error and a sentence are one line that can be read."""
    assert not CONTROL.search(text), f"{what} holds control characters: {text!r:.200}"
    if what in ("error", "sentence"):
        assert len(text) <= LONGEST, f"{what} of {len(text)} letters: {text:.80}"
        assert len(text) > 10, f"{what} without words: {text!r}"
        assert "\n" not in text, f"{what} of several lines: {text!r:.200}"


def check_result(result: Any) -> None:
    """Every way out works without a warning, and JSON is JSON."""
    if isinstance(result, Figure | Axes):
        figure = result if isinstance(result, Figure) else result.figure
        figure.canvas.draw()
        plt.close("all")
    if not type(result).__module__.startswith("halfwidth"):
        return
    for way in ("__str__", "__repr__", "sentence", "paragraph", "reading", "_repr_html_"):
        text = getattr(result, way)() if hasattr(result, way) else None
        # A picture has no table in a notebook.
        if text is not None:
            check_text(text, way)
    for way in ("to_dict", "to_json", "to_frame", "to_row", "to_rows"):
        if hasattr(result, way):
            made = getattr(result, way)()
            if way in ("to_dict", "to_json"):
                json.loads(made if way == "to_json" else json.dumps(made, allow_nan=False))


def estimates_in(result: Any) -> Iterator[hw.Estimate]:
    if isinstance(result, hw.Estimate):
        yield result
    elif isinstance(result, hw.Estimates | hw.planning.Reviews):
        for one in result:
            yield from estimates_in(one)
    elif isinstance(result, hw.planning.Review):
        yield from result.estimates
    elif isinstance(result, hw.Confusion):
        yield from (e for row in result.estimates for e in row)
    elif isinstance(result, hw.Curves):
        yield from result.areas


def check_estimate(e: hw.Estimate, *, chosen: bool) -> None:
    assert math.isnan(e.low) == math.isnan(e.high)
    if math.isnan(e.low) or math.isnan(e.value):
        assert e.cautions, "no interval and no caution"
        return
    scale = (e.value, e.low, e.high, e.range.high - e.range.low, 1e-300)
    slack = ROUNDING * max(abs(x) for x in scale if math.isfinite(x))
    inside = e.range.low - slack, e.range.high + slack
    assert e.low <= e.high + slack, f"low {e.low} > high {e.high}"
    promises = e.method_spec.promises
    if Promise.CONTAINS_ESTIMATE in promises:
        assert e.low <= e.value <= e.high, (e.low, e.value, e.high, e.method)
    if chosen or Promise.STAYS_IN_RANGE in promises:
        assert inside[0] <= e.low, (e.low, e.method)
        assert e.high <= inside[1], (e.high, e.method)
    assert np.isnan(e.standard_error) or e.standard_error >= 0
