"""Tables as papers print them: what a heading says, and cells such as ``0.891 ± 0.09``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from halfwidth.core.formatting import Printed
from halfwidth.metrics.catalogue import METRICS, SAMPLE_METRICS
from halfwidth.planning.published.claims import FIELDS, SHARES, SPREADS

__all__ = ["Cell", "Column", "Role", "column_of", "read_cell"]

Role = Literal["field", "value", "spread", "model", "part", ""]

# ---- headings: words that say what a spread is, and how rows are called
SPREAD_WORDS = {
    "sd": "sd",
    "std": "sd",
    "stdev": "sd",
    "stddev": "sd",
    "σ": "sd",
    "sem": "sem",
    "se": "sem",
    "stderr": "sem",
    "halfwidth": "halfwidth",
    "ci": "halfwidth",
}
MODEL = ("model", "method", "network", "algorithm", "team", "approach", "architecture", "label")
PART = ("structure", "organ", "task", "dataset", "class", "region", "target", "anatomy")
CASES = ("n", "cases", "n cases", "number of cases", "patients", "number of patients")
AUROC = ("auroc", "auc", "roc auc")
# Beside a metric these say nothing more, nor do arrows for what is better.
NOISE = {"mean", "average", "avg", "score", "coefficient", "similarity", "mm", "↑", "↓", "95%"}
OF_PERCENT = re.compile(r"%|\bper ?cent\b")
TOGETHER = re.compile(r"[±()\[\]]|\+/-|\+-")

# ---- cells
NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?"
PLUS_MINUS = r"(?:±|\+/-|\+-)"
CELL = re.compile(
    rf"(?P<value>{NUMBER})\s*(?P<first>%)?\s*"
    rf"(?:{PLUS_MINUS}\s*(?P<after>{NUMBER})|\(\s*{PLUS_MINUS}?\s*(?P<within>{NUMBER})\s*%?\s*\))?"
    r"\s*(?P<last>%)?",
    re.IGNORECASE,
)
MINUS = str.maketrans(
    {"−": "-", "‒": "-", "\N{EN DASH}": "-", "∓": "±", "\u00a0": " ", "\u2009": " "}
)
NOTHING = {"-", "--", "---", ""}


@dataclass(frozen=True)
class Column:
    """What a column of published numbers holds, told by its heading.

    Attributes
    ----------
    name : str
        The heading.
    role : {"field", "value", "spread", "model", "part", ""}
        ``field`` is one of `FIELDS`; a ``value`` is a mean with its spread in the same cell or not,
        a ``spread`` what goes with it; ``model`` names a row, and rows are compared within a
        ``part`` (a structure, a task) only. Empty where the heading says nothing.
    field : str
        The field of a claim.
    metric : str
        Of a value or a spread, where the heading names one.
    spread : str
        What follows the ±, where the heading says it.
    per_cent : bool
    """

    name: str
    role: Role = ""
    field: str = ""
    metric: str = ""
    spread: str = ""
    per_cent: bool = False


@dataclass(frozen=True)
class Cell:
    """A published number, perhaps with what stands after its ±."""

    value: Printed
    spread: Printed | None = None
    per_cent: bool = False


def read_cell(text: str) -> Cell | None:
    """The number, or the two numbers, of a cell; None where it holds none.

    Raises
    ------
    ValueError
        If it is neither a number nor two.

    Examples
    --------
    >>> read_cell("89.1 ± 9.0 %")
    Cell(value=89.1, spread=9.0, per_cent=True)
    >>> read_cell("0.891 (0.09)").spread, read_cell("–")
    (0.09, None)
    """
    plain = text.translate(MINUS).strip()
    if plain in NOTHING:
        return None
    found = CELL.fullmatch(plain)
    if found is None:
        raise ValueError(text)
    spread = found["after"] or found["within"]
    return Cell(Printed(found["value"]), Printed(spread) if spread else None, "%" in plain)


def column_of(name: str) -> Column:
    """What a heading says.

    Examples
    --------
    >>> column_of("Dice (SD)")
    Column(name='Dice (SD)', role='value', field='mean', metric='dsc', spread='sd', per_cent=False)
    >>> column_of("Std").field, column_of("HD95 SEM").metric, column_of("Method").role
    ('sd', 'hd95', 'model')
    """
    lower = name.strip().lower()
    if lower == "label" or lower in MODEL:
        return Column(name, "model", "label")
    if lower in PART:
        return Column(name, "part")
    if lower in CASES:
        return Column(name, "field", "n")
    if lower in FIELDS and lower not in ("mean", "auroc", *SPREADS):
        return Column(name, "field", lower)
    return _of_numbers(name, lower)


def _of_numbers(name: str, lower: str) -> Column:
    """The column of a value or of its spread."""
    per_cent = OF_PERCENT.search(lower) is not None
    text = re.sub(r"95 ?% ?(?=ci\b)", "", lower)
    text = text.replace("s.d.", "sd").replace("half-width", "halfwidth")
    words = re.split(r"[\s_()\[\]{},;:/|±+%-]+", OF_PERCENT.sub(" ", text))
    spread = next((SPREAD_WORDS[word] for word in words if word in SPREAD_WORDS), "")
    rest = [word for word in words if word and word not in SPREAD_WORDS and word not in NOISE]
    metric = _metric_of(rest)
    said = {"metric": metric, "spread": spread, "per_cent": per_cent}
    if rest and not metric:
        return Column(name)
    if metric == "auroc":
        return Column(name, "value", "auroc", per_cent=per_cent)
    if spread and not TOGETHER.search(OF_PERCENT.sub("", lower)) and "mean" not in words:
        return Column(name, "spread", spread, **said)  # type: ignore[arg-type]
    if metric or "mean" in words or "average" in words or "avg" in words:
        return Column(name, "value", "mean", **said)  # type: ignore[arg-type]
    return Column(name)


def _metric_of(words: Iterable[str]) -> str:
    """The metric that the words of a heading name, or nothing."""
    kept = list(words)
    for said in ("_".join(kept), "".join(kept), "".join(reversed(kept))):
        if said in AUROC or " ".join(kept) in AUROC:
            return "auroc"
        if said in METRICS:
            return METRICS[said].name
        if said in SAMPLE_METRICS and SAMPLE_METRICS[said].name in SHARES:
            return SAMPLE_METRICS[said].name
    return ""
