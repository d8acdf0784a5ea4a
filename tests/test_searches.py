"""Every search ends: a loop without a largest number of steps is named here, with why it ends."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import halfwidth

SOURCE = Path(halfwidth.__file__).parent

# Loops without a condition.
ENDLESS = {
    "core/processes.py in_workers": "returns when no task is left",
    "io/delimited.py read": "returns at the end of the file",
    "io/voxel_data.py some": "returns at the end of the file, and refuses one that is cut short",
    "resampling/weights/gammas.py _accepted": "each pass accepts 95 % of the variates and more",
    "study/execution/cluster.py _next": "waits for a worker, in steps that an interrupt ends",
    "study/execution/cluster.py _start": "waits for a scheduler, in steps that an interrupt ends",
}
# Where numbers are searched for, loops with one.
COMPUTING = (
    *("arithmetic", "comparison", "estimation", "intervals", "metrics", "planning", "ranking"),
    *("resampling", "study/analysis", "study/populations", "summaries"),
)
WHOLE_NUMBERS = "whole numbers, between which there are half as many each time"
GROWS = "a whole number that grows up to a fixed one"
CONDITIONAL = {
    "arithmetic/kernel_products.py before_each": GROWS,
    "planning/expected_intervals.py _place": "doubles to ten, from where on no end is open",
    "intervals/ranks.py minimum_n": "doubles up to 2³⁶, as no quantile is nearer than 1e-9 to an "
    "end; then " + WHOLE_NUMBERS,
    "intervals/ranks.py randomized_ranks": WHOLE_NUMBERS,
    "intervals/ranks.py minimum_n_asymptotic": "begins two below the n of the closed form",
    "metrics/boundary_geometry.py inner_band": GROWS,
    "metrics/boundary_geometry.py chessboard_band": GROWS,
    "metrics/boundary_geometry.py _full_runs": GROWS,
    "metrics/surface.py _pieces": "corners of one cell, fewer each time",
    "planning/quantiles.py _n_for_span": "a whole number that falls to the fewest cases",
    "planning/scaled_studies.py _cases_for": "n falls to the fewest, or grows until studies are "
    "near enough, as their ends do with √n",
    "planning/simulated_studies.py smallest_n": "n falls to 2, or grows to the most cases and is "
    "refused there; then " + WHOLE_NUMBERS,
    "planning/width_formulas.py smallest_n": "n doubles to the most cases and is refused there, or "
    "is halved down to the fewest; then " + WHOLE_NUMBERS,
    "resampling/distribution.py _count": "a power of 2 that is halved",
    "resampling/exact/inversion.py _trapezoid": "nodes go up to the farthest",
    "resampling/kernels/formulas.py without_nan": "each term of a formula is looked at once",
    "resampling/weights/gammas.py _tabulated": "an even number that is halved",
    "resampling/weights/multinomial.py binomial_quantile": "a count that grows to n or falls to 0",
    "study/populations/kde.py _ordered_quantiles": WHOLE_NUMBERS,
    "study/populations/kde.py bandwidths": "a sum is rounded by half a step: a step or two",
}


# Few files have any, and parsing takes its time.
LOOP = re.compile(r"^ *while |\b(?:count|cycle)\(", re.MULTILINE)
COUNTERS = {"count", "cycle", "itertools.count", "itertools.cycle"}


@functools.cache
def loops() -> frozenset[tuple[str, bool]]:
    """The function of each loop without a largest number of steps; whether it has a condition."""
    texts = {file: file.read_text(encoding="utf-8") for file in SOURCE.rglob("*.py")}
    return frozenset(
        (f"{file.relative_to(SOURCE).as_posix()} {function}", has_condition)
        for file, text in texts.items()
        if LOOP.search(text)
        for function, has_condition in _loops_in(ast.parse(text))
    )


def _loops_in(node: ast.AST, function: str = "") -> Iterator[tuple[str, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.While):
            yield function, not isinstance(child.test, ast.Constant)
        over = child.iter if isinstance(child, ast.For) else None
        if isinstance(over, ast.Call) and ast.unparse(over.func) in COUNTERS:
            yield function, False
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield from _loops_in(child, getattr(child, "name", function))


def test_a_loop_without_a_condition_is_named_with_why_it_ends() -> None:
    assert {loop for loop, has_condition in loops() if not has_condition} == set(ENDLESS)


def test_where_numbers_are_searched_for_a_loop_is_named_with_why_it_ends() -> None:
    conditional = {loop for loop, has_condition in loops() if has_condition}
    assert {loop for loop in conditional if loop.startswith(COMPUTING)} == set(CONDITIONAL)
