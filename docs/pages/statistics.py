"""A page for each summary statistic, and the table that leads to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import halfwidth as hw
from halfwidth.core.spec import Statistic
from halfwidth.estimation.evidence import OF_CASES
from halfwidth.estimation.resolve import accepted_methods
from pages import examples, measured, parts
from pages.docstrings import docstring
from pages.markdown import facts, heading, page, prose, sentence, table

UP = "../"


def pages() -> Mapping[str, Callable[[], str]]:
    """Every page by its path, to be written when it is asked for."""
    made: dict[str, Callable[[], str]] = {"statistics/index.md": _index}
    for spec in hw.STATISTICS:
        made[f"statistics/{spec.name}.md"] = lambda spec=spec: _page(spec)  # type: ignore[misc]
    return made


def _index() -> str:
    rows = [
        [
            f"[`{one.name}`]({one.name}.md)",
            prose(sentence(one.summary)),
            ", ".join(
                f"`{each.name}`" + ("" if each.default is None else f" = {each.default:g}")
                for each in one.parameters
            ),
            parts.named(one.synonyms),
        ]
        for one in hw.STATISTICS
    ]
    return page(
        "# Statistics",
        "A statistic reduces the values of the cases to one number. Parameters follow a colon: "
        "`quantile:0.9`. A function of your own works as well.",
        table(["name", "what", "parameters", "also"], rows),
    )


def _page(spec: hw.StatisticSpec) -> str:
    told = docstring(spec.function)
    example = examples.of_statistic(spec)
    return page(
        f"# {heading(spec.title)}",
        f"`{spec.name}` · [statistics](index.md)",
        parts.definition(spec.function),
        facts(
            [
                ("Also called", parts.named(spec.synonyms)),
                ("Fewest values", str(spec.min_n)),
                ("Smooth", "yes" if spec.smooth else "no: its BCa interval means little"),
                ("Methods", _methods(spec)),
            ]
        ),
        parts.section("Range, and where it is undefined", prose(told.returned)),
        parts.section("Parameters", parts.parameters(spec.parameters)),
        parts.section("Measured coverage", measured.of_family(OF_CASES, spec.name, UP)),
        parts.section("Related cautions", _cautions(spec)),
        parts.section("Example", example.markdown, parts.session(spec.function)),
        parts.section("Sources", parts.sources(spec.cite, told.sources)),
    )


def _methods(spec: hw.StatisticSpec) -> str:
    names = accepted_methods(Statistic(spec), binary=False)
    return ", ".join(f"[`{name}`]({UP}methods/{name}.md)" for name in names)


def _cautions(spec: hw.StatisticSpec) -> str:
    # With its article: "mean" alone is a verb, and means everything.
    titled = [f"{article} {spec.title}" for article in ("a", "an", "the", "its")]
    return parts.linked(parts.speaking_of(*titled, *spec.synonyms), UP)
