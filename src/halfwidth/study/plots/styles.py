"""The style of each method and metric, the same in every figure: colour, stroke and marker."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable
from functools import cache

from halfwidth.estimation.resolve import AUTO
from halfwidth.intervals.all_methods import METHODS
from halfwidth.plots.names import metric_label, with_parameters
from halfwidth.plots.style import BROKEN, COLOURS, DASHED, DOTTED, INK, SOLID, Style
from halfwidth.study.plots.own_styles import METHODS_DRAWN, PLACES, SHORT_TITLES

BLUE, _, ORANGE, RED, SKY, GREY, _ = COLOURS
STROKES = (SOLID, DASHED, DOTTED, BROKEN)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "p", "h", "d")
# Lines and bands of more methods than this hide each other.
MOST_METHODS = 4


# There are more methods than Okabe and Ito have colours; at most four share a panel.
PALETTE = {
    **dict(zip(("blue", "green", "orange", "red", "sky", "grey", "pink"), COLOURS, strict=True)),
    "black": INK,
    "navy": "#332288",
    "wine": "#882255",
    "brown": "#8C510A",
    "olive": "#999933",
    "purple": "#8E4FB0",
    "forest": "#117733",
    "teal": "#44AA99",
    "lime": "#8DB600",
    "tan": "#B98B5E",
    "slate": "#4C6A92",
    "cyan": "#1CA9C9",
    "rose": "#E05780",
    "mint": "#00B38A",
    "magenta": "#C400A0",
}
NAMED_STROKES = dict(zip(("solid", "dashed", "dotted", "broken"), STROKES, strict=True))


def method_label(name: str) -> str:
    """What a method is called in figures, with its parameters.

    >>> method_label("bca"), method_label("hall"), method_label("mine")
    ('BCa', 'Hall', 'mine')
    """
    base, _, parameters = name.partition(":")
    if base not in METHODS:
        return name
    label = SHORT_TITLES.get(base) or METHODS[base].title.removesuffix(" bootstrap")
    return with_parameters(label, parameters)


METHOD_STYLES = {
    name: Style(PALETTE[colour], NAMED_STROKES[stroke], marker, method_label(name))
    for name, (colour, stroke, marker) in METHODS_DRAWN.items()
}
# What users get by default has a colour of its own, since it stands beside any method.
METHOD_STYLES[AUTO] = Style(PALETTE["magenta"], SOLID, "*", AUTO)


# Statistics and averages, where they are what is compared.
SERIES_STYLES = {
    "mean": Style(BLUE, SOLID, "o"),
    "median": Style(SKY, DASHED, "D"),
    "SD": Style(RED, DOTTED, "v"),
    "IQR": Style(ORANGE, BROKEN, "s"),
    "macro": Style(RED, DASHED, "s"),
    "micro": Style(BLUE, SOLID, "o"),
}
# A second series of a metric, such as its micro average, keeps the colour.
ASIDE = 5


def _placed(place: int, variant: int = 0) -> Style:
    return Style(
        COLOURS[place % len(COLOURS)],
        STROKES[(place + variant) % len(STROKES)],
        MARKERS[(place + ASIDE * variant) % len(MARKERS)],
    )


METRIC_STYLES = {name: _placed(place) for name, place in PLACES.items()}


def method_styles(methods: Iterable[str]) -> dict[str, Style]:
    """The style of each method, in the order of the table; methods it lacks take what is left.

    Parameters
    ----------
    methods : iterable of str

    Returns
    -------
    dict of str to Style
        Methods of the table first, then the others by name.

    Examples
    --------
    >>> [name for name in method_styles(["mine", "t", "bca"])]
    ['bca', 't', 'mine']
    """
    names = set(methods)
    used = {(style.colour, style.stroke) for style in METHOD_STYLES.values()}
    # Neighbours have other colours.
    left = [(c, s) for s, c in itertools.product(STROKES, PALETTE.values()) if (c, s) not in used]
    styles = {name: style for name, style in METHOD_STYLES.items() if name in names}
    for place, name in enumerate(sorted(names - METHOD_STYLES.keys())):
        colour, stroke = left[place % len(left)]
        # The marker tells those apart that have to share a pair.
        marker = MARKERS[place // len(left) % len(MARKERS)]
        styles[name] = Style(colour, stroke, marker, method_label(name))
    return styles


def method_groups(methods: Iterable[str]) -> list[tuple[str, list[str]]]:
    """Methods in groups of at most four, which one panel can hold, each with what it holds.

    One group without a name where four or fewer methods are all there are; else those that resample
    apart from those that do not, in groups of about the same size.

    >>> method_groups(["t", "z", "hall"])
    [('', ['t', 'hall', 'z'])]
    >>> for name, group in method_groups(["percentile", "bca", "basic", "t", "z"]):
    ...     print(name, *group)
    by resampling percentile bca basic
    without resampling t z
    """
    names = list(method_styles(methods))
    if len(names) <= MOST_METHODS:
        return [("", names)]
    groups = []
    for kind in ("by resampling", "without resampling", "other methods"):
        alike = [name for name in names if _kind(name) == kind]
        parts = math.ceil(len(alike) / MOST_METHODS)
        ends = [round(part * len(alike) / parts) for part in range(parts + 1)] if parts else []
        for part, (first, last) in enumerate(itertools.pairwise(ends), 1):
            count = f" ({part}/{parts})" if parts > 1 else ""
            groups.append((kind + count, alike[first:last]))
    return groups


def _kind(name: str) -> str:
    base = name.partition(":")[0]
    if base not in METHODS:
        return "other methods"
    return "by resampling" if METHODS[base].resamples else "without resampling"


def series_styles(names: Iterable[str]) -> dict[str, Style]:
    """Styles of anything but methods: of metrics and statistics always the same.

    Parameters
    ----------
    names : iterable of str
        As in legends, such as ``DSC``, ``mean DSC`` or ``macro F1``.

    Returns
    -------
    dict of str to Style
        In the order in which they come. A metric has one colour; its micro average, or a second
        series, has another stroke and marker. Unknown names take what comes after the table.

    Examples
    --------
    >>> series_styles(["NSD", "mean DSC"])["mean DSC"] == METRIC_STYLES["dsc"]
    True
    """
    styles: dict[str, Style] = {}
    others = 0
    for name in dict.fromkeys(names):
        place = _palette_place(name)
        if place is None and name in SERIES_STYLES:
            styles[name] = SERIES_STYLES[name]
            continue
        if place is None:
            place, others = len(PLACES) + others, others + 1
        variant = int(name.startswith("micro "))
        while (style := _placed(place, variant)) in styles.values() and variant < len(MARKERS):
            variant += 1
        styles[name] = style
    return styles


def _palette_place(name: str) -> int | None:
    """The palette place of the metric in a name: the longest title that is a word of it."""
    titles = [title for title in _titles() if re.search(rf"(^| ){re.escape(title)}( |$)", name)]
    return _titles()[max(titles, key=len)] if titles else None


@cache
def _titles() -> dict[str, int]:
    return {metric_label(name): place for name, place in PLACES.items()}
