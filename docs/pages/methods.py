"""A page for each CI method, and the table that leads to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import halfwidth as hw
from halfwidth.comparison.no_difference import AUTO_ORDER, TESTS
from halfwidth.core.declaring import spec_of
from halfwidth.core.method_spec import FEWEST_CLUSTERS_DRAWN
from halfwidth.core.references import cite
from halfwidth.core.spec import Estimand, MethodSpec, Need, Unanswered
from halfwidth.core.types import Level
from pages import examples, measured, parts
from pages.docstrings import docstring
from pages.markdown import bullets, facts, heading, listing, page, prose, sentence, table

UP = "../"
# A sample for which a method gives no interval, to ask the method why that can be.
SAMPLE_SIZE = 12


def pages() -> Mapping[str, Callable[[], str]]:
    """Every page by its path, to be written when it is asked for."""
    made: dict[str, Callable[[], str]] = {"methods/index.md": _index}
    for spec in hw.METHODS:
        made[f"methods/{spec.name}.md"] = lambda spec=spec: _page(spec)  # type: ignore[misc]
    return made


def _index() -> str:
    rows = [
        [f"[`{one.name}`]({one.name}.md)", one.use_when, one.accepts_text, str(one.min_n)]
        for one in hw.METHODS
    ]
    tests = [
        [f"`{one.name}`", one.question, cite(one.cite).short if one.cite else ""] for one in TESTS
    ]
    return page(
        "# Methods",
        "How a confidence interval is computed. `auto` takes one of them on evidence "
        f"([Choosing a method]({UP}choosing.md)); `method=` and `--method` name another.",
        listing(["name", "use it", "for", "min n"], rows),
        "## Tests of no difference",
        "A p value beside the interval of a difference (`test=`, `--test`). `auto` takes the "
        f"first of {' and '.join(f'`{name}`' for name in AUTO_ORDER)} that can be made.",
        table(["name", "asks", "source"], tests),
    )


def _page(spec: MethodSpec) -> str:
    told = docstring(spec.function)
    return page(
        f"# {heading(spec.title)}",
        f"`{spec.name}` · [methods](index.md)",
        parts.definition(spec.function),
        facts(
            [
                ("Also called", parts.named(spec.synonyms)),
                ("For", spec.accepts_text),
                ("Designs", spec.designs_text),
                ("Works on", ", ".join(str(need) for need in spec.needs)),
                ("Promises", ", ".join(sorted(spec.promises))),
            ]
        ),
        parts.section("When to use it", sentence(spec.use_when)),
        parts.section("What it assumes", _assumes(spec)),
        parts.section("Parameters", parts.parameters(spec.parameters)),
        parts.section("Bounds, and where it gives no interval", prose(told.returned), _fails(spec)),
        parts.section("Measured coverage", measured.of_method(spec.name, UP)),
        parts.section("Cautions", _cautions(spec)),
        parts.section("Example", examples.of_method(spec).markdown),
        parts.section("Sources", parts.sources(spec.cite, told.sources)),
    )


def _assumes(spec: MethodSpec) -> str:
    independence = (
        "Cases, or the clusters that `groups=` names, are independent."
        if spec.takes_designs
        else "Cases are independent: it takes neither clusters nor strata."
    )
    bounds = "The metric has finite bounds." if spec.needs_bounds else ""
    said = "independent" in spec.assumes
    return bullets([text for text in (spec.assumes, bounds, "" if said else independence) if text])


def _fails(spec: MethodSpec) -> str:
    told = [f"With fewer than {spec.min_n} cases."] if spec.min_n > 1 else []
    if spec.resamples and Need.WEIGHTED not in spec.needs:
        told.append(
            f"With fewer than {FEWEST_CLUSTERS_DRAWN} clusters, where cases come in clusters."
        )
    if spec.no_interval is not None:
        why, remedy = spec.no_interval(_unanswered(spec))
        of_what = f"the 0.9 quantile of {SAMPLE_SIZE} cases, say: "
        told.append(sentence(f"{of_what if _of_quantiles(spec) else ''}{why}; then {remedy}"))
    if spec.instead is not None:
        other = spec_of(spec.instead).name
        told.append(f"Where it gives none, `auto` takes [`{other}`]({other}.md).")
    return bullets(told)


def _of_quantiles(spec: MethodSpec) -> bool:
    return spec.accepts == frozenset({Estimand.QUANTILE})


def _unanswered(spec: MethodSpec) -> Unanswered:
    return Unanswered(
        method=spec.name,
        units=SAMPLE_SIZE,
        noun="case",
        level=Level(),
        quantile_level=0.9,
        constant=False,
        proportion=False,
        bounded_mean=False,
    )


def _cautions(spec: MethodSpec) -> str:
    spoken = parts.speaking_of(spec.name, spec.title.removesuffix(" bootstrap"))
    return parts.linked(sorted({*spec.cautions, *spoken}), UP)
