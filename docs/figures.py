"""Figures in the prose of the pages: each from a table that a command made.

A number of a page is followed by a comment that names its cell,

    covers 93.3 [85.2]<!-- study: mean DSC; hall; n = 10 --> %

the table by the beginning of its heading, the row by the words of its first cells, the column by
its heading; a number behind that picks another number of the cell (0 is the first).
``docs/generate.py`` writes the number, and a test compares. A figure that is not the cell of a
table is reckoned from tables by a function of `RECKONED`. What a page quotes from elsewhere is
followed, once for a paragraph or for a cell of a table, by ``<!-- from: REFERENCE or file -->``;
figures that were read off or timed once, for a section, by ``<!-- once: COMMAND, DATE -->``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
EVIDENCE = ROOT / "src" / "halfwidth" / "estimation" / "evidence.csv"
# Pages of tables, each written by a command that it names.
PAGES_OF_TABLES = {
    "study": HERE / "real-study-tables.md",
    "auto": HERE / "real-auto-tables.md",
    "metrics": HERE / "metric-coverage-tables.md",
    "runs": HERE / "runs.md",
    "comparing": HERE / "comparing-tables.md",
    "gate": HERE / "gate-tables.md",
}
NUMBER = r"[-−]?\d[\d,]*(?:\.\d+)?"
MARKED = re.compile(
    rf"(?P<value>{NUMBER})(?: \[(?P<second>{NUMBER})\])?(?P<unit> ?%| points?)?"
    r"<!-- (?P<source>study|auto|metrics|runs|comparing|gate|evidence|reckoned): "
    r"(?P<key>[^>]+?) -->"
)
# What a figure looks like: a decimal point, or per cent.
FIGURE = re.compile(rf"(?<![\w.]){NUMBER}(?= ?%)|(?<![\w.])[-−]?\d+\.\d+(?![\w.]*\w)")
# The level of an interval is no figure.
LEVEL = re.compile(r" ?%(?: confidence)?\s(?:intervals?|CIs?|bounds?)")
FROM = re.compile(r"<!-- from: ([^>]+?) -->")


ONCE = re.compile(r"<!-- once: [^>]+, \d{4}-\d\d-\d\d -->")


class FigureError(ValueError):
    """A marker that points nowhere."""


@dataclass(frozen=True)
class Table:
    """A table of a page."""

    heading: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def cell(self, row: str, column: str) -> str:
        """The cell of a row, named by the first cells it begins with, and of a column."""
        words = tuple(_plain(word) for word in row.split(" / "))
        found = [r for r in self.rows if tuple(map(_plain, r[: len(words)])) == words]
        places = [place for place, name in enumerate(self.columns) if _plain(name) == column]
        if len(found) != 1 or len(places) != 1:
            raise FigureError(f"{self.heading}: {len(found)} rows {row!r}, {len(places)} columns")
        return found[0][places[0]]


def _plain(cell: str) -> str:
    return cell.strip().strip("`")


def tables_of(text: str) -> Iterator[Table]:
    """The tables of a page, in order, each with the headings that it stands under."""
    headings: list[str] = []
    lines: list[list[str]] = []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            lines.append([cell.strip() for cell in line.strip().strip("|").split("|")])
            continue
        if lines:
            columns, rows = lines[0], lines[2:]
            yield Table(" > ".join(headings), tuple(columns), tuple(map(tuple, rows)))
            lines = []
        if found := re.match(r"(#+) (.*)", line) or re.match(r"(\*\*)(.*)\*\*$", line):
            depth = 4 if found[1] == "**" else len(found[1])
            headings = [*headings[: depth - 1], found[2]]


@cache
def _tables(source: str) -> tuple[Table, ...]:
    return tuple(tables_of(PAGES_OF_TABLES[source].read_text(encoding="utf-8")))


def table(source: str, heading: str) -> Table:
    """The table under headings that begin with the words between ``::``."""
    wanted = [word.strip() for word in heading.split("::")]
    found = [
        one
        for one in _tables(source)
        if all(
            any(part == word or part.startswith(f"{word} (") for part in one.heading.split(" > "))
            for word in wanted
        )
    ]
    if len(found) != 1:
        raise FigureError(f"{len(found)} tables are headed {heading!r}")
    return found[0]


def numbers_of(cell: str) -> list[float]:
    """The numbers of a cell."""
    return [float(text.replace("−", "-").replace(",", "")) for text in re.findall(NUMBER, cell)]


# --------------------------------------------------------------------------- sources


def looked_up(source: str, key: str) -> list[float]:
    """The numbers that a marker names."""
    if source == "reckoned":
        if key not in RECKONED:
            raise FigureError(f"nothing reckons {key!r}")
        return [RECKONED[key]()]
    parts = [part.strip() for part in key.split(";")]
    if source == "evidence":
        columns = parts[4:] or ["coverage_median", "coverage_q1"]
        family, of, method, n = parts[:4]
        return [evidence(family, of, method, n, column) for column in columns]
    heading, row, column, *place = parts
    numbers = numbers_of(table(source, heading).cell(row, column))
    return numbers[int(place[0]) :] if place else numbers


@cache
def _evidence() -> dict[tuple[str, ...], dict[str, str]]:
    import csv

    rows = csv.DictReader(EVIDENCE.read_text(encoding="utf-8").splitlines())
    names = ("family", "statistic", "average", "method", "n")
    return {tuple(row[name] for name in names): row for row in rows}


def evidence(family: str, of: str, method: str, n: str, column: str = "coverage_median") -> float:
    """A number that `halfwidth.evidence` has; coverage in per cent.

    ``family`` is ``cases`` for metrics of cases between 0 and 1, and ``of`` the statistic there,
    the average elsewhere.
    """
    cases = family == "cases"
    key = ("segmentation, 0 to 1", of, "") if cases else (family, "", of)
    try:
        value = float(_evidence()[(*key, method, n)][column])
    except KeyError:
        raise FigureError(f"there is no evidence {key, method, n, column}") from None
    return 100 * value if column.startswith("coverage") else value


BOOTSTRAPS = ("percentile", "basic", "bca")


def _settings() -> Iterator[tuple[str, dict[str, float]]]:
    """Coverage of the three bootstraps, for each metric, statistic or average, and size."""
    for one in _tables("study"):
        inside = {"Segmentation", "Classification"} & set(one.heading.split(" > "))
        if not inside or "two classes" in one.heading:
            continue
        rows = {_plain(row[0]): row for row in one.rows}
        if not set(BOOTSTRAPS) <= set(rows):
            continue
        for place in range(1, len(one.columns)):
            cover = {name: numbers_of(rows[name][place])[0] for name in BOOTSTRAPS}
            yield one.heading, cover


def _basic_is_lowest(cover: dict[str, float]) -> bool:
    return cover["basic"] <= min(cover.values())


def _behind(method: str) -> list[float]:
    """How far the median coverage of a bootstrap lies below the best, HD95 apart."""
    return [
        max(cover.values()) - cover[method]
        for heading, cover in _settings()
        if "HD95" not in heading
    ]


def _near(method: str) -> float:
    behind = _behind(method)
    return 100 * sum(gap <= 1 + 1e-9 for gap in behind) / len(behind)


def _coverage(heading: str, method: str, n: int) -> float:
    return numbers_of(table("study", heading).cell(method, f"n = {n}"))[0]


def _lowest_p(column: str) -> float:
    """The largest corrected p of the tests of segmentation against classification, of tasks."""
    found = [
        float(row[one.columns.index(column)])
        for one in _tables("study")
        if "segmentation against" in one.heading and "permutations of tasks" in one.heading
        for row in one.rows
    ]
    return max(found)


def _of_runs(level: str, method: str, beside: Collection[str] = ()) -> list[float]:
    """Median coverages of quantiles of runs, where an interval of another method exists."""
    found = []
    for n in (10, 15, 25, 50):
        one = table("runs", f"Level {level}::{n} runs")
        for row in one.rows:
            cells = dict(zip(one.columns, row, strict=True))
            own, others = numbers_of(cells[method]), [numbers_of(cells[other]) for other in beside]
            if own and (any(others) or not beside):
                found.append(own[0])
    return found


def _below_the_level() -> float:
    others = ("exact", "asymptotic")
    return max(
        float(level) - min(_of_runs(level, "semiparametric", others))
        for level in ("0.9", "0.95", "0.99")
    )


RECKONED: dict[str, Callable[[], float]] = {
    "settings": lambda: float(len(list(_settings()))),
    "settings where basic is lowest": lambda: float(
        sum(_basic_is_lowest(cover) for _, cover in _settings())
    ),
    "settings of HD95 where basic is not lowest": lambda: float(
        sum("HD95" in heading and not _basic_is_lowest(cover) for heading, cover in _settings())
    ),
    "percentile within a point": lambda: _near("percentile"),
    "percentile at most behind": lambda: max(_behind("percentile")),
    "bca within a point": lambda: _near("bca"),
    "bca at most behind": lambda: max(_behind("bca")),
    "lowest coverage of percentile": lambda: min(c["percentile"] for _, c in _settings()),
    "lowest of exact_randomized": lambda: min(_of_runs("0.9", "exact_randomized")),
    "highest of exact_randomized": lambda: max(_of_runs("0.9", "exact_randomized")),
    "semiparametric below the level": _below_the_level,
    "largest p of tasks": lambda: _lowest_p("Bonferroni"),
}


# --------------------------------------------------------------------------- pages


def filled(text: str) -> str:
    """A page with every marked number as its table has it."""

    def again(found: re.Match[str]) -> str:
        numbers = looked_up(found["source"], found["key"])
        shown = _as_printed(found["value"], numbers[0])
        if found["second"] is not None:
            shown += f" [{_as_printed(found['second'], numbers[1])}]"
        marker = found[0][found[0].index("<!--") :]
        return f"{shown}{found['unit'] or ''}{marker}"

    return MARKED.sub(again, text)


def _as_printed(printed: str, number: float) -> str:
    """A number with the decimals and the minus of what is printed now."""
    decimals = len(printed.partition(".")[2])
    text = f"{number:.{decimals}f}"
    return text.replace("-", "−") if printed.startswith("−") else text


def unmarked(text: str) -> list[str]:
    """Figures of a page that neither have a marker nor stand beside the name of their source."""
    bare = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    # Blocks that are written whole are compared whole.
    bare = re.sub(r"<!-- table: .*?<!-- end -->", "", bare, flags=re.DOTALL)
    sections = re.split(r"(?m)^(?=#)", bare)
    bare = "\n\n".join(part for part in sections if not ONCE.search(part))
    bare = re.sub(r"`[^`\n]*`|\]\([^)]*\)", "", MARKED.sub("", bare))
    units = [unit for part in bare.split("\n\n") for unit in _units(part)]
    return [f"{found[0]} in {_brief(unit)!r}" for unit in units for found in _figures(unit)]


def _units(part: str) -> list[str]:
    """A paragraph, an item of a list, or a cell of a table."""
    if part.lstrip().startswith("|"):
        return [cell for line in part.splitlines() for cell in line.strip("|").split("|")]
    return re.split(r"\n(?=[-#] )", part)


def _figures(unit: str) -> list[re.Match[str]]:
    if FROM.search(unit):
        return []
    return [found for found in FIGURE.finditer(unit) if not LEVEL.match(unit, found.end())]


def _brief(unit: str) -> str:
    return " ".join(unit.split())[:70]
