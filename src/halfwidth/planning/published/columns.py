"""Tables as papers print them: the meaning of headings, and cells such as ``0.891 ± 0.09``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from halfwidth.core.formatting import Printed
from halfwidth.core.frozen import frozen
from halfwidth.metrics.all_metrics import METRICS, SAMPLE_METRICS
from halfwidth.planning.published.claim_parsing import FIELDS, SHARES, SPREADS

Role = Literal["field", "value", "spread", "model", "part", ""]

# ---- headings: words for spreads, and for names of rows
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
# Words without meaning beside a metric, and arrows for the direction.
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


@frozen
class Heading:
    """The meaning of a column of published numbers, from its heading."""

    # The heading.
    name: str
    # ``field`` is one of `FIELDS`; a ``value`` is a mean with its spread in the same cell or not,
    # a ``spread`` what goes with it; ``model`` names a row, and rows are compared within a ``part``
    # (a structure, a task) only. Empty where the heading says nothing.
    role: Role = ""
    # The field of a claim.
    field: str = ""
    # Of a value or a spread, if the heading names one.
    metric: str = ""
    # What follows the ±, if the heading says it.
    spread: str = ""
    per_cent: bool = False


@frozen
class PrintedCell:
    """A published number, perhaps with the one after its ±."""

    value: Printed
    spread: Printed | None = None
    per_cent: bool = False


def parse_cell(text: str) -> PrintedCell | None:
    """The number, or the two numbers, of a cell; None if it is empty, else a ValueError.

    >>> parse_cell("89.1 ± 9.0 %")
    PrintedCell(value=89.1, spread=9.0, per_cent=True)
    """
    plain = text.translate(MINUS).strip()
    if plain in NOTHING:
        return None
    match = CELL.fullmatch(plain)
    if match is None:
        raise ValueError(text)
    spread = match["after"] or match["within"]
    return PrintedCell(Printed(match["value"]), Printed(spread) if spread else None, "%" in plain)


def parse_heading(name: str) -> Heading:
    """The meaning of a heading.

    >>> parse_heading("Dice (SD)")
    Heading(name='Dice (SD)', role='value', field='mean', metric='dsc', spread='sd', per_cent=False)
    """
    lower = name.strip().lower()
    if lower == "label" or lower in MODEL:
        return Heading(name, "model", "label")
    if lower in PART:
        return Heading(name, "part")
    if lower in CASES:
        return Heading(name, "field", "n")
    if lower in FIELDS and lower not in ("mean", "auroc", *SPREADS):
        return Heading(name, "field", lower)
    return _parse_numeric_heading(name, lower)


def _parse_numeric_heading(name: str, lower: str) -> Heading:
    """The column of a value or of its spread."""
    per_cent = OF_PERCENT.search(lower) is not None
    text = re.sub(r"95 ?% ?(?=ci\b)", "", lower)
    text = text.replace("s.d.", "sd").replace("half-width", "halfwidth")
    words = re.split(r"[\s_()\[\]{},;:/|±+%-]+", OF_PERCENT.sub(" ", text))
    spread = next((SPREAD_WORDS[word] for word in words if word in SPREAD_WORDS), "")
    rest = [word for word in words if word and word not in SPREAD_WORDS and word not in NOISE]
    metric = _metric_in(rest)
    meaning = {"metric": metric, "spread": spread, "per_cent": per_cent}
    if rest and not metric:
        return Heading(name)
    if metric == "auroc":
        return Heading(name, "value", "auroc", per_cent=per_cent)
    if spread and not TOGETHER.search(OF_PERCENT.sub("", lower)) and "mean" not in words:
        return Heading(name, "spread", spread, **meaning)  # type: ignore[arg-type]
    if metric or "mean" in words or "average" in words or "avg" in words:
        return Heading(name, "value", "mean", **meaning)  # type: ignore[arg-type]
    return Heading(name)


def _metric_in(words: Iterable[str]) -> str:
    """The metric that the words of a heading name, or nothing."""
    kept = list(words)
    for spelling in ("_".join(kept), "".join(kept), "".join(reversed(kept))):
        if spelling in AUROC or " ".join(kept) in AUROC:
            return "auroc"
        if spelling in METRICS:
            return METRICS[spelling].name
        if spelling in SAMPLE_METRICS and SAMPLE_METRICS[spelling].name in SHARES:
            return SAMPLE_METRICS[spelling].name
    return ""
