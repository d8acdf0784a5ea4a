"""All figures of a study by name: what each shows, and how it is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from halfwidth.core.option_names import spelled
from halfwidth.core.types import Array
from halfwidth.intervals.bootstrap import percentile
from halfwidth.plots.figure import Figure
from halfwidth.plots.names import method_title
from halfwidth.study import analysis
from halfwidth.study.analysis.pace import with_equal_sizes
from halfwidth.study.plots import box_plots, clouds, comparisons, concentration, failing, graphs
from halfwidth.study.plots import needs as needs_figure
from halfwidth.study.plots.p_values import p_values
from halfwidth.study.plots.styles import method_groups, method_styles
from halfwidth.study.targets import (
    STATISTICS,
    NotThereError,
    Target,
    average_label,
    bounds_of,
    slug,
    targets_of,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure as Canvas

USUAL_METHOD, USUAL_LEVEL, USUAL_N = percentile.__name__, 0.95, 50
# Permutation tests draw; the same stores give the same figures.
SEED = 0

Values = Callable[[Sequence[str]], Mapping[str, Array]]


class Offered(NamedTuple):
    """A figure that may be drawn of a study.

    Attributes
    ----------
    name : str
        Of files and on the command line.
    figure : Figure
    given : callable
        What it is drawn of; raises `NotThereError` where the results lack that.
    says : str
        What it shows, in a line.
    """

    name: str
    figure: Figure[Any, Canvas, Any]
    given: Callable[[], tuple[Any, ...]]
    says: str

    def drawn(self) -> tuple[Canvas, pd.DataFrame]:
        """The figure, and the frame of every number in it."""
        arguments = self.given()
        return self.figure(*arguments), self.figure.frame(*arguments)


def _offered(
    name: str, figure: Figure[Any, Canvas, Any], *arguments: Any, says: str = ""
) -> Offered:
    return Offered(name, figure, lambda: arguments, says or _says(figure))


def _says(figure: Figure[Any, Canvas, Any]) -> str:
    return figure.caption[0].lower() + figure.caption[1:]


def figures_of(cells: pd.DataFrame, cases: Values | None = None) -> list[Offered]:
    """All figures of a study, in the order of their families; drawn only when asked to.

    Comparisons take the percentile method, or the first there is, at the 95 % level, or the
    nearest there is.

    Parameters
    ----------
    cells : DataFrame
        Rows of one study or several.
    cases : callable or None
        ``cases(instances)``: the per-case values of instances by name; None where no spec is at
        hand.

    Returns
    -------
    list of Offered
        Those that lack what they need are among them; drawing them says why.
    """
    main_cells = _main(cells)
    names = list(method_styles(main_cells["method"]))
    method = USUAL_METHOD if USUAL_METHOD in names else names[0]
    return [
        *_graphs(cells),
        *_pages(main_cells),
        *_singles(main_cells, method),
        *_paces(main_cells, method),
        *_fails(main_cells, method, cases),
    ]


def _graphs(cells: pd.DataFrame) -> Iterator[Offered]:
    targets = targets_of(cells)
    for family in ("coverage", "width"):
        for target in targets:
            says = f"{family} of {target.title} against n, by method"
            name = _named(family, target, targets)
            yield _offered(name, graphs.graph, cells, target, family, says=says)
    for target in targets:
        says = f"coverage of {target.title}: boxes and points over instances"
        name = _named("boxes", target, targets)
        yield _offered(name, box_plots.coverage_boxes, cells, target, says=says)


def _named(family: str, target: Target, targets: Sequence[Target]) -> str:
    """Levels and sides are part of the name where there are several."""
    several = len({t.confidence_level for t in targets}) > 1
    level = f"{100 * target.confidence_level:g}" if several else ""
    side = target.alternative if len({t.alternative for t in targets}) > 1 else ""
    way = target.statistic or target.average
    return slug(family, target.metric, way, target.label, level, side)


def _pages(main_cells: pd.DataFrame) -> Iterator[Offered]:
    targets = targets_of(main_cells)
    fields = {
        "": [t for t in targets if t.statistic],
        "-test-sets": [t for t in targets if not t.statistic],
    }
    for field, field_targets in fields.items():
        for quantity in ("coverage", "width"):
            if field_targets:
                yield from _overviews(main_cells, field_targets, quantity, field)


def _overviews(
    main_cells: pd.DataFrame, targets: Sequence[Target], quantity: str, field: str
) -> Iterator[Offered]:
    """A page, or one for each group of methods that a panel can hold."""
    kind = "averages" if field else "statistics"
    in_field = (main_cells["statistic"] == "") == bool(field)
    groups = method_groups(main_cells.loc[in_field, "method"])
    for place, (name, methods) in enumerate(groups, 1):
        cells = main_cells[main_cells["method"].isin(methods)]
        with_cells = set(targets_of(cells))
        shown = [target for target in targets if target in with_cells]
        own = f"overview-{quantity}{field}" + (f"-{place}" if len(groups) > 1 else "")
        says = f"{quantity} of all metrics and {kind}" + (f", methods {name}" if name else "")
        yield _offered(own, graphs.overview, cells, shown, quantity, says=says)


def _singles(main_cells: pd.DataFrame, method: str) -> Iterator[Offered]:
    ways = [name for name in STATISTICS if name in set(main_cells["statistic"])]
    both = comparisons.segmentation_classification
    yield _offered("metrics-coverage", comparisons.metrics_coverage, main_cells, method)
    yield _offered("micro-macro", comparisons.micro_macro, main_cells, method)
    name = "segmentation-classification"
    yield _offered(name, both, main_cells, method, ["macro", "micro"], ["mean"])
    for kind in ("macro", "micro"):
        says = f"coverage and width of all statistics of cases and of {kind} averages"
        yield _offered(f"{name}-{kind}", both, main_cells, method, [kind], ways, says=says)
    yield _offered("location-dispersion", comparisons.location_dispersion, main_cells, method)
    yield _offered("bca-median", comparisons.bca_median, main_cells)
    yield _offered("basic-shift", comparisons.basic_shift, main_cells)
    yield _offered("sample-needs", needs_figure.sample_needs, main_cells, method)
    yield _offered("characteristics", clouds.characteristics, main_cells)
    yield _offered("characteristics-test-sets", clouds.characteristics_of_sets, main_cells)
    yield from _concentrations(main_cells)


def _concentrations(main_cells: pd.DataFrame) -> Iterator[Offered]:
    figure = concentration.concentration
    targets = [t for t in targets_of(main_cells) if t.statistic == "mean" and bounds_of(t.metric)]
    if not targets:
        yield Offered("concentration", figure, _refuse_concentration, _says(figure))
    for target in targets:
        says = f"{_says(figure)}, mean {target.metric}"
        yield _offered(slug("concentration", target.metric), figure, main_cells, target, says=says)


def _refuse_concentration() -> NoReturn:
    raise NotThereError("no mean of a bounded metric")


# --------------------------------------------------------------------------- paces


def _paces(main_cells: pd.DataFrame, method: str) -> Iterator[Offered]:
    cells = main_cells[main_cells["method"] == method]
    fields = {
        "": cells[_location(cells)],
        "-test-sets": cells[cells["statistic"] == ""],
    }
    drawn: dict[str, tuple[Figure[Any, Canvas, Any], list[str]]] = {
        "pace-by-metric": (clouds.pace_by_metric, [method]),
        "skewness-by-metric": (clouds.skewness_by_metric, []),
        "pace-errors": (clouds.pace_errors, [method]),
    }
    for name, (figure, more) in drawn.items():
        for field, part in fields.items():
            # The skewness of a test set does not depend on the metric.
            if len(part) and not (field and name == "skewness-by-metric"):
                arguments = lambda p=part, m=more: (with_equal_sizes(analysis.pace(p)), *m)  # noqa: E731
                yield Offered(name + field, figure, arguments, _says(figure))
    for level in ("instance", "task"):
        yield from _tests(cells, method, level)


def _location(cells: pd.DataFrame) -> pd.Series:
    """Rows of the mean, or of the first statistic there is."""
    known = [name for name in STATISTICS if name in set(cells["statistic"])]
    others = [name for name in dict.fromkeys(cells["statistic"]) if name]
    return cells["statistic"] == next(iter([*known, *others]), "mean")


def _tests(cells: pd.DataFrame, method: str, level: str) -> Iterator[Offered]:
    """At level task whole tasks are permuted, whose instances share their cases."""
    family, suffix = ("p-values", "") if level == "instance" else ("p-values-tasks", ", by tasks")
    # Accuracy stands among micro averages, balanced accuracy among macro ones.
    ways = {target: target.kind for target in targets_of(cells) if not target.statistic}
    kinds = {(target.metric, target.average): kind for target, kind in ways.items()}
    known = [kinds.get(pair, "") for pair in zip(cells["metric"], cells["average"], strict=True)]
    groups = {
        **{name: cells[cells["statistic"] == name] for name in cells["statistic"].unique() if name},
        **{kind: cells[[k == kind for k in known]] for kind in ("macro", "micro")},
    }
    for way, part in groups.items():
        if len(set(part["metric"])) > 1:
            yield Offered(
                slug(family, way),
                p_values,
                lambda p=part, w=way: (  # type: ignore[misc]
                    analysis.pace_tests(analysis.pace(p.assign(average="")), level=level, rng=SEED),
                    f"pace of metrics: {average_label(w)}, {method_title(method)}",
                    level,
                ),
                f"p-values between the paces of metrics, {average_label(way)}{suffix}",
            )
    masks = cells[cells["statistic"] == "mean"]
    masks = masks[[bounds_of(metric) is not None for metric in masks["metric"]]]
    for kind in ("macro", "micro"):
        sets = groups[kind]
        if len(masks) and len(sets):
            yield Offered(
                f"{family}-segmentation-classification-{kind}",
                p_values,
                lambda s=sets, k=kind: (  # type: ignore[misc]
                    analysis.unpaired_pace_tests(
                        analysis.pace(masks), analysis.pace(s), level=level, rng=SEED
                    ),
                    f"pace of means and {k} averages, {method_title(method)}",
                    level,
                ),
                f"p-values between the paces of means of cases and of {kind} averages{suffix}",
            )


# --------------------------------------------------------------------------- failures


def _fails(main_cells: pd.DataFrame, method: str, cases: Values | None) -> Iterator[Offered]:
    sizes = sorted(set(main_cells["n"]))
    n = min(sizes, key=lambda size: (abs(size - USUAL_N), size))
    for target in targets_of(main_cells):
        if target.statistic == "mean":
            yield Offered(
                slug("failures", target.metric),
                failing.failures_figure,
                lambda t=target: _failures(main_cells, t, method, n, cases),  # type: ignore[misc]
                f"cases of instances that fail, {target.title}, {method}, n = {n}",
            )


def _failures(
    main_cells: pd.DataFrame, target: Target, method: str, n: int, cases: Values | None
) -> tuple[Any, ...]:
    if cases is None:
        raise NotThereError(
            f"a store holds no cases; name the spec of the study: {spelled('spec')}"
        )
    same = (main_cells["metric"] == target.metric) & (main_cells["statistic"] == target.statistic)
    table = analysis.failures(main_cells[same], method, n)
    failed = table[table["failure"]]
    return failed, cases(failed["instance"].tolist()), target, method, n


# --------------------------------------------------------------------------- choices


def _main(cells: pd.DataFrame) -> pd.DataFrame:
    """Rows of one level, the nearest to 95 %, and two-sided where there are such."""
    sides = sorted(set(cells["alternative"]), key=lambda side: (side != "two-sided", side))
    main_cells = cells[cells["alternative"] == sides[0]]
    levels = sorted(set(main_cells["confidence_level"]), key=lambda x: (abs(x - USUAL_LEVEL), x))
    main: pd.DataFrame = main_cells[main_cells["confidence_level"] == levels[0]]
    return main
