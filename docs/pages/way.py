"""The way of a number through the package, traced; and where cautions and messages come from."""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import halfwidth as hw
from pages.markdown import listing, page

SOURCE = Path(hw.__file__).parent
TITLE = "The way of a number"
CODE = re.compile(r"HW\d{3}")
# So many files fit a printed page, a line each. A way that is longer stops the build.
MOST_FILES = 72


def pages() -> dict[str, Callable[[], str | bytes]]:
    """The page by its path."""
    return {"way-of-a-number.md": way_of_a_number}


def way_of_a_number() -> str:
    """The page: two calls file by file, then where cautions and messages come from."""
    rng = np.random.default_rng(0)
    dice = rng.beta(8, 2, 40)
    truth = np.arange(60) % 2
    score = truth + rng.normal(size=60)
    return page(
        f"# {TITLE}",
        "For whoever changes the package: the files that a call enters, in the order in which it "
        "does, with the function that it enters first; traced while this page was built, after a "
        "first call had loaded everything.",
        '## A mean: `hw.summary_ci(dice, metric="dsc")`',
        _traced(lambda: hw.summary_ci(dice, metric="dsc")),
        '## An AUROC: `hw.metric_ci(truth, score, metric="auroc", method="percentile")`',
        _traced(
            lambda: hw.metric_ci(
                truth, score, metric="auroc", method="percentile", n_resamples=499, rng=1
            )
        ),
        "## Where cautions come from",
        "Each is declared once (`core/*_cautions.py`) and raised by the files named.",
        listing(("code", "caution", "raised in"), list(_cautions())),
        "## Where messages come from",
        "[Messages](messages.md) lists each, file by file.",
    )


def _traced(call: Callable[[], Any]) -> str:
    """The files that a call enters, each with its first function."""
    call()
    entered: dict[str, str] = {}

    def notice(frame: FrameType, event: str, _: Any) -> None:
        file = Path(frame.f_code.co_filename)
        if event == "call" and file.is_relative_to(SOURCE):
            name = frame.f_code.co_qualname if hasattr(frame.f_code, "co_qualname") else ""
            entered.setdefault(str(file.relative_to(SOURCE)), name or frame.f_code.co_name)

    before = sys.getprofile()
    sys.setprofile(notice)
    try:
        call()
    finally:
        sys.setprofile(before)
    if not 1 < len(entered) <= MOST_FILES:
        raise ValueError(f"a call enters {len(entered)} files, not 2 to {MOST_FILES}")
    rows = [(f"`{file}`", f"`{name}`", _purpose(file)) for file, name in entered.items()]
    return listing(("file", "first entered by", "what it is for"), rows)


def _purpose(file: str) -> str:
    """The first line of a module's docstring."""
    return (ast.get_docstring(_trees()[file]) or "").partition("\n")[0]


def _cautions() -> Iterator[tuple[str, str, str]]:
    raising: dict[str, list[str]] = {}
    for file, tree in _trees().items():
        if not (file.startswith("core/") and file.endswith("_cautions.py")):
            for node in ast.walk(tree):
                if isinstance(node, ast.Constant) and CODE.fullmatch(str(node.value)):
                    raising.setdefault(str(node.value), []).append(file)
    for spec in hw.CAUTIONS:
        if spec.code not in raising:
            raise LookupError(f"no file raises {spec.code}")
        named = ", ".join(f"`{file}`" for file in dict.fromkeys(raising[spec.code]))
        yield f"[{spec.code}](cautions.md#{spec.code.lower()})", spec.title, named


@functools.cache
def _trees() -> dict[str, ast.Module]:
    """The package's files, parsed."""
    return {
        str(path.relative_to(SOURCE)): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(SOURCE.rglob("*.py"))
    }
