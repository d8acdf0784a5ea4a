"""Blocks of pages that are written whole: tables condensed from the pages of tables.

A block stands between ``<!-- table: NAME -->`` and ``<!-- end -->``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from figures import PAGES_OF_TABLES, FigureError, evidence, numbers_of
from figures import table as table_of
from pages.markdown import table

SIZES = ("25", "50", "100", "250")
OF_METRICS = "Coverage by method"


def _coverage(metric: str, method: str, n: str) -> str:
    return f"{numbers_of(table_of('metrics', OF_METRICS).cell(f'{metric} / {method}', n))[0]:.1f}"


def of_the_mean() -> str:
    """Median [first quartile] and lowest coverage of the mean, and the width."""
    page = table_of("study", "mean, fitted densities")
    rows = []
    for n in ("10", "25", "50", "100"):
        cells = [n]
        for method in ("t", "percentile", "bca", "hall"):
            middle, low, least, *_ = numbers_of(page.cell(method, f"n = {n}"))
            ratio = evidence("cases", "mean", method, n, "width_ratio")
            width = "" if method == "t" else f" × {ratio:.2f}"
            cells.append(f"{middle:.1f} [{low:.1f}] {least:.0f}{width}")
        rows.append(cells)
    return table(["n", "t", "percentile", "bca", "hall"], rows)


def of_areas() -> str:
    """One AUROC, by method."""
    methods = (
        "auto",
        "dirichlet",
        "delong_logit_t",
        "delong_logit, else newcombe",
        *("delong_logit", "delong", "newcombe", "hanley_mcneil", "percentile", "bca"),
    )
    rows = []
    for area in ("0.75", "0.95"):
        for method in methods:
            covers = [_coverage(f"AUROC {area}", method, n) for n in SIZES]
            named = f"`{method.replace(', else ', '`, else `')}`"
            rows.append([area if method == "auto" else "", named, *covers])
    return table(["AUROC", "method", "n = 25", *SIZES[1:]], rows)


def _side_by_side(first: str, metrics: Sequence[tuple[str, Sequence[str]]]) -> str:
    rows = []
    for metric, methods in metrics:
        cells = ["; ".join(_coverage(metric, method, n) for method in methods) for n in SIZES]
        rows.append([metric, "; ".join(f"`{method}`" for method in methods), *cells])
    return table([first, "method", "n = 25", *SIZES[1:]], rows)


def of_averages() -> str:
    """AP and averages of areas."""
    two = ("dirichlet", "percentile", "bca")
    three = (*two, "basic")
    areas = ("AP 0.57", "AP 0.90", *(f"macro AUROC 0.85 ({x})" for x in ("common", "ten", "rare")))
    precisions = ("macro AP 0.71 (common)", "macro AP 0.48 (ten)", "macro AP 0.61 (rare)")
    return _side_by_side("areas", [(a, two) for a in areas] + [(a, three) for a in precisions])


def of_counting() -> str:
    """Functions of a confusion matrix."""
    methods = ("dirichlet", "percentile", "bca", "delta")
    names = [
        "balanced accuracy 0.78 (common)",
        "balanced accuracy 0.78 (rare)",
        "macro F1 0.80 (common)",
        "macro F1 0.77 (rare)",
        "MCC 0.72 (common)",
        "MCC 0.75 (rare)",
    ]
    accuracy = ("accuracy 0.87 (rare)", ("wilson", "wald", "percentile"))
    return _side_by_side("counting metrics", [*((name, methods) for name in names), accuracy])


def of_absent_classes() -> str:
    """What ``absent_class`` does."""
    page = table_of("metrics", "What an absent class counts")
    rows = []
    for metric, sizes in (
        ("macro AUROC 0.85", SIZES[1:]),
        ("macro AP 0.61", SIZES[1:3]),
        ("balanced accuracy 0.78", SIZES[1:]),
    ):
        for n in sizes:
            cells = []
            for policy in ("omit", "zero", "undefined"):
                columns = ("covers", "all too low", "all too high", "none")
                covers, low, high, none = (
                    page.cell(f"{metric} / {n} / {policy}", c) for c in columns
                )
                missing = f"; {none}" if policy == "undefined" else ""
                cells.append(f"{covers} ({low}, {high}{missing})")
            rows.append([metric if n == sizes[0] else "", n, *cells])
    headings = ["`omit`: covers (low, high)", "`zero`", "`undefined` (none)"]
    return table(["metric", "n", *headings], rows)


def of_macro_ap() -> str:
    """Macro AP under two policies for absent classes."""
    page = table_of("study", "average_precision, three or ten classes")
    rows = []
    for n in ("10", "25", "50", "100", "250"):
        cells = [
            ", ".join(
                f"{numbers_of(page.cell(n, f'{policy} {method}'))[0]:.1f}"
                for method in ("percentile", "basic", "bca")
            )
            for policy in ("omit", "zero")
        ]
        rows.append([n, *cells])
    said = [f"`{policy}`: percentile, basic, BCa" for policy in ("omit", "zero")]
    return table(["n", *said], rows)


def of_the_sd() -> str:
    """Percentile and BCa of the SD, with BCa's width over percentile's."""
    rows = []
    for n in ("10", "25", "50", "100", "250"):
        cells = [n]
        for method in ("percentile", "bca"):
            middle, low = (
                evidence("cases", "sd", method, n, f"coverage_{x}") for x in ("median", "q1")
            )
            cells.append(f"{middle:.1f} [{low:.1f}]")
        ratios = [
            evidence("cases", "sd", method, n, "width_ratio") for method in ("bca", "percentile")
        ]
        rows.append([*cells, f"× {ratios[0] / ratios[1]:.2f}"])
    return table(["n", "percentile", "bca", "width"], rows)


def _percentile_and_bca(metrics: dict[str, str]) -> str:
    rows = []
    for heading, called in metrics.items():
        page = table_of("study", heading)
        cells = [
            "; ".join(
                page.cell(method, f"n = {n}").partition(";")[0] for method in ("percentile", "bca")
            )
            for n in SIZES
        ]
        rows.append([called, *cells])
    return table(["", "n = 25: percentile; bca", *SIZES[1:]], rows)


def of_counting_instances() -> str:
    """Counting metrics of the real instances."""
    return _percentile_and_bca(
        {"macro balanced accuracy": "balanced accuracy", "macro F1": "macro F1", "MCC": "MCC"}
    )


def of_area_instances() -> str:
    """Areas of the real instances."""
    average = "average precision"
    return _percentile_and_bca(
        {
            "macro AUROC": "macro AUROC",
            "micro AUROC": "micro AUROC",
            f"macro {average}": "macro AP",
            f"micro {average}": "micro AP",
        }
    )


def of_the_gate() -> str:
    """How often the gate errs, by the default, and when that was found."""
    page = table_of("gate", "The default")
    rows = [list(row) for row in page.rows]
    made = PAGES_OF_TABLES["gate"].read_text(encoding="utf-8").partition("\n## ")[0]
    told = re.search(r"`(benchmarks/.*?)` on (\d{4}-\d\d-\d\d): (\S+),", made)
    if told is None:
        raise FigureError("gate-tables.md does not say when it was made")
    return f"{table(list(page.columns), rows)}\n\n(`{told[1]}`, {told[2]}, {told[3]})"


BLOCKS: dict[str, Callable[[], str]] = {
    "the mean": of_the_mean,
    "one AUROC": of_areas,
    "areas": of_averages,
    "counting metrics": of_counting,
    "absent classes": of_absent_classes,
    "macro AP": of_macro_ap,
    "the SD": of_the_sd,
    "counting instances": of_counting_instances,
    "area instances": of_area_instances,
    "errors of the gate": of_the_gate,
}
BLOCK = re.compile(r"<!-- table: ([^>]+?) -->\n.*?<!-- end -->", re.DOTALL)


def with_blocks(text: str) -> str:
    """A page with its blocks as they are now."""
    return BLOCK.sub(
        lambda found: f"<!-- table: {found[1]} -->\n\n{BLOCKS[found[1]]()}\n\n<!-- end -->", text
    )
