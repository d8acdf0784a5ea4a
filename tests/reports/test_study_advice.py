"""What `halfwidth study advise` prints, word for word, of cells that are known."""

from __future__ import annotations

import csv
import io
import json

import pandas as pd
from analysed import cell

from halfwidth.document.render import render
from halfwidth.document.wrapping import wrapped
from halfwidth.study import analysis
from halfwidth.study.reports.advice import advice_document

WAYS = {"t": (0.93, 0.2), "hall": (0.95, 0.24), "gaffke": (0.98, 0.3), "bca": (0.92, 0.19)}
TABLE = """\
mean DSC, 95 % intervals

 n  rank  method  Q1 %  from    to  median  lowest  width   Q90  1st %
──────────────────────────────────────────────────────────────────────
50  1     hall    95.0  95.0  95.0    95.0    95.0   1.20  1.20    100
50  2     gaffke  98.0  98.0  98.0    98.0    98.0   1.50  1.50      0
"""


def _advised(**more: tuple[float, float]) -> pd.DataFrame:
    rows = [
        cell(
            task=f"task{task}",
            model="m",
            method=method,
            coverage=coverage,
            width_mean=width,
            coverage_se=0.01,
        )
        for task in range(4)
        for method, (coverage, width) in (WAYS | more).items()
    ]
    return analysis.advice(pd.DataFrame(rows), n_bootstrap=100, rng=1)


def test_the_first_methods_and_what_the_numbers_are() -> None:
    text = render(advice_document(_advised(), top=2, seed=1), "table")
    assert text.startswith(TABLE)
    told = " ".join(text[len(TABLE) :].split())
    assert "first quartile (Q1) of coverage over instances is at least 94 %" in told
    assert "that of t on the same instance" in told
    assert "4 instances of 4 tasks. From, to:" in told
    assert "Seed 1." in told
    assert "1.00 points (median). By that alone" in told
    assert "have a Q1 of 94.3 %" in told
    assert 'methods = ["auto", ...] in its spec runs it' in told
    assert "of mean DSC (n = 50)" in told


def test_auto_is_shown_wherever_it_ranks() -> None:
    text = render(advice_document(_advised(auto=(0.5, 0.1)), top=1, seed=1), "table")
    assert [line.split()[1:3] for line in text.splitlines()[4:6]] == [
        ["1", "hall"],
        ["(5)", "auto"],
    ]
    told = " ".join(text.split())
    assert "auto, what you get without naming a method, is reliable in 0 of 1 settings" in told


def test_data_have_all_methods() -> None:
    document = advice_document(_advised(), top=1, seed=1)
    advised = json.loads(render(document, "json"))["advice"]
    assert [row["method"] for row in advised] == ["hall", "gaffke", "t", "bca"]
    assert advised[0]["reliable"] is True
    rows = list(csv.DictReader(io.StringIO(render(document, "csv"))))
    assert [row["rank"] for row in rows] == ["1", "2", "3", "4"]


def test_a_rank_stays_with_the_sign_of_a_tie() -> None:
    assert wrapped("one (3) ≈", 7) == ["one", "(3) ≈"]
