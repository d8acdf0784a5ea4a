"""Python on one page: the kinds of data, the verbs, the short doors, and every option once."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import halfwidth as hw
from halfwidth.core.option_table.table import option_of
from pages.docstrings import docstring
from pages.markdown import fenced, listing, page, sentence

PATH = "api/on-one-page.md"
VERBS = ("estimate", "compare", "rank", "gate", "curve", "plan", "check", "report", "plot")
OF_ONE_KIND = (
    "limits_of_agreement",
    "confusion_ci",
    "calibration_test",
    "calibration_by_centre",
    "match_detections",
)
SHORT_DOORS = ("summary_ci", "metric_ci", "proportion_ci", "difference_ci", "runs_ci")
KINDS = ("CaseValues", "Predictions", "Detections", "Readings")
LINE = 96
FEW = 3


class Signature(NamedTuple):
    """A function or constructor, as a user calls it."""

    call: str
    function: Callable[..., Any]

    @property
    def names(self) -> list[str]:
        """The options behind the star."""
        parameters = inspect.signature(self.function).parameters.values()
        return [one.name for one in parameters if one.kind is one.KEYWORD_ONLY]


def pages() -> dict[str, Callable[[], str | bytes]]:
    """The page by its path."""
    return {PATH: one_page}


def one_page() -> str:
    """The page."""
    data, verbs, others, short = (list(signatures) for signatures in _sections())
    return page(
        "# Python on one page",
        "`import halfwidth as hw`. Data are made once, and say what describes them; verbs are "
        "functions over any kind of data, and say what is inferred. What is called the same is the "
        "same everywhere. Someone in a hurry gives a verb arrays or a frame instead of data; "
        "several models come by their names.",
        fenced(
            "python",
            'hw.estimate(dice, metric="dsc")[0].low\n'
            'hw.compare({"A": dice_a, "B": dice_b}, metric="dsc", margin=0.02)["A", "B"]\n'
            'hw.rank(y_true, {"A": score_a, "B": score_b}, metric="auroc")\n'
            'test = hw.Predictions.from_table(frame, "truth", score="p", groups="patient")\n'
            'hw.plot(hw.curve(test, "roc"))',
        ),
        "Results have `to_dict()`, `to_json()`, `to_frame()`, `document()` and, where there is a "
        "picture, `plot()`; a single one says itself in a `sentence()`, and several are taken by "
        "place or name. Estimates have `value`, `low`, `high`, `halfwidth`, `method`, `n` and "
        "`cautions`.",
        "## Data",
        *_signed(data),
        "`hw.read(path)` says which kind a file holds.",
        "## Verbs",
        *_signed(verbs),
        "## Verbs of one kind of data",
        *_signed(others),
        "## Short doors, for one sample or two",
        *_signed(short),
        "## Options",
        "Each is given by its name. An option without effect on the data is an error.",
        listing(("option", "meaning", "of"), list(_options(data, [*verbs, *others, *short]))),
    )


def _sections() -> Iterator[Iterator[Signature]]:
    yield (
        Signature(f"{kind}.{name}", getattr(getattr(hw, kind), name))
        for kind in KINDS
        for name, member in vars(getattr(hw, kind)).items()
        if name.startswith("from_") and isinstance(member, classmethod)
    )
    for names in (VERBS, OF_ONE_KIND, SHORT_DOORS):
        yield (Signature(name, getattr(hw, name)) for name in names)


def _signed(signatures: list[Signature]) -> Iterator[str]:
    for call, function in signatures:
        yield f"{sentence(docstring(function).summary)}"
        yield fenced("python", _wrapped(f"hw.{call}(", list(_arguments(function))))


def _arguments(function: Callable[..., Any]) -> Iterator[str]:
    """Parameters with their defaults, as they are typed."""
    star = True
    for one in inspect.signature(function).parameters.values():
        if one.kind is one.KEYWORD_ONLY and star:
            star = False
            yield "*"
        default = f"{one.default!r}".replace("'", '"')
        yield one.name if one.default is one.empty else f"{one.name}={default}"


def _wrapped(head: str, arguments: list[str]) -> str:
    lines, line = [], head
    for place, argument in enumerate(arguments):
        text = argument + (", " if place + 1 < len(arguments) else ")")
        if len(line) + len(text.rstrip()) > LINE:
            lines.append(line.rstrip())
            line = " " * 4
        line += text
    return "\n".join([*lines, line])


def _options(data: list[Signature], functions: list[Signature]) -> Iterator[tuple[str, str, str]]:
    """Each option: its name, the first sentence that is said of it, and where it is given."""
    takers: dict[str, list[Signature]] = {}
    for signature in [*functions, *data]:
        for name in signature.names:
            takers.setdefault(name, []).append(signature)
    for name in sorted(takers):
        meaning = option_of(name, takers[name][0].call).meaning
        first = re.split(r"(?<=\.)\s", meaning, maxsplit=1)[0]
        kinds = [one.call.partition(".")[0] for one in takers[name] if "." in one.call]
        calls = [one.call for one in takers[name] if "." not in one.call]
        of = [*dict.fromkeys(kinds), *(calls if len(calls) <= FEW else ["most verbs"])]
        yield f"`{name}`", sentence(first), ", ".join(of)
