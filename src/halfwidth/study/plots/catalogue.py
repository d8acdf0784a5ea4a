"""All figures of a study by name: what each shows, and how it is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from halfwidth.core.frozen import frozen
from halfwidth.core.options import spelled
from halfwidth.core.types import Array
from halfwidth.intervals.bootstrap import percentile
from halfwidth.plots.names import method_title
from halfwidth.study.plots import box_plots, clouds, comparisons, concentration, failing, graphs
from halfwidth.study.plots import needs as needs_figure
from halfwidth.study.plots import p_values as p_values_figure
from halfwidth.study.plots.naming import (
    STATISTICS,
    Drawn,
    NotThereError,
    Target,
    average_label,
    bounds_of,
    slug,
    targets_of,
)
from halfwidth.study.plots.styles import method_groups, method_styles

if TYPE_CHECKING:
    import pandas as pd

USUAL_METHOD, USUAL_LEVEL, USUAL_N = percentile.__name__, 0.95, 50

Values = Callable[[Sequence[str]], Mapping[str, Array]]


@frozen
class Frames:
    """The finished frames that figures are drawn from.

    Attributes
    ----------
    cells : DataFrame
        Rows of one study or several.
    paces : callable or None
        ``paces(cells)``: the paces of such rows, as of `halfwidth.study.analysis.pace`.
    tests : callable or None
        ``tests(paces, level)``: of all pairs of metrics, as of `pace_tests`.
    tests_of_two : callable or None
        ``tests_of_two(first, second, level)``, as of `unpaired_pace_tests`.
    failing : callable or None
        ``failing(cells, method, n)``: as of `failures`.
    cases : callable or None
        ``cases(instances)``: the per-case values of instances by name; None where no spec is at
        hand.
    """

    cells: pd.DataFrame
    paces: Callable[[pd.DataFrame], pd.DataFrame] | None = None
    tests: Callable[[pd.DataFrame, str], pd.DataFrame] | None = None
    tests_of_two: Callable[[pd.DataFrame, pd.DataFrame, str], pd.DataFrame] | None = None
    failing: Callable[[pd.DataFrame, str, int], pd.DataFrame] | None = None
    cases: Values | None = None


class Figure(NamedTuple):
    """A figure that can be drawn.

    Attributes
    ----------
    name : str
        Of files and on the command line.
    says : str
        What it shows, in a line.
    draw : callable
        Raises `NotThereError` where the results lack what it needs.
    """

    name: str
    says: str
    draw: Callable[[], Drawn]


def figures_of(frames: Frames) -> list[Figure]:
    """All figures of a study, in the order of their families; drawn only when asked to.

    Comparisons take the percentile method, or the first there is, at the 95 % level, or the
    nearest there is.

    Parameters
    ----------
    frames : Frames

    Returns
    -------
    list of Figure
        Those that lack what they need are among them; drawing them says why.
    """
    return [*_graphs(frames), *_pages(frames), *_singles(frames), *_paces(frames), *_fails(frames)]


def _graphs(frames: Frames) -> Iterator[Figure]:
    cells = frames.cells
    targets = targets_of(cells)
    for family in ("coverage", "width"):
        for target in targets:
            yield Figure(
                _named(family, target, targets),
                f"{family} of {target.title} against n, by method",
                lambda t=target, q=family: graphs.graph(cells, t, q),  # type: ignore[misc]
            )
    for target in targets:
        yield Figure(
            _named("boxes", target, targets),
            f"coverage of {target.title}: boxes and points over instances",
            lambda t=target: box_plots.coverage_boxes(cells, t),  # type: ignore[misc]
        )


def _named(family: str, target: Target, targets: Sequence[Target]) -> str:
    """Levels and sides are part of the name where there are several."""
    several = len({t.confidence_level for t in targets}) > 1
    level = f"{100 * target.confidence_level:g}" if several else ""
    side = target.alternative if len({t.alternative for t in targets}) > 1 else ""
    way = target.statistic or target.average
    return slug(family, target.metric, way, target.label, level, side)


def _pages(frames: Frames) -> Iterator[Figure]:
    main_cells = _main(frames.cells)
    targets = targets_of(main_cells)
    fields = {
        "": [t for t in targets if t.statistic],
        "-test-sets": [t for t in targets if not t.statistic],
    }
    for field, found in fields.items():
        for quantity in ("coverage", "width"):
            if found:
                yield from _overviews(main_cells, found, quantity, field)


def _overviews(
    main_cells: pd.DataFrame, targets: Sequence[Target], quantity: str, field: str
) -> Iterator[Figure]:
    """A page, or one for each group of methods that a panel can hold."""
    kind = "averages" if field else "statistics"
    of_sets = (main_cells["statistic"] == "") == bool(field)
    groups = method_groups(main_cells.loc[of_sets, "method"])
    for place, (name, methods) in enumerate(groups, 1):
        cells = main_cells[main_cells["method"].isin(methods)]
        there = set(targets_of(cells))
        found = [target for target in targets if target in there]
        yield Figure(
            f"overview-{quantity}{field}" + (f"-{place}" if len(groups) > 1 else ""),
            f"{quantity} of all metrics and {kind}" + (f", methods {name}" if name else ""),
            lambda c=cells, f=found: graphs.overview(c, f, quantity),  # type: ignore[misc]
        )


def _singles(frames: Frames) -> Iterator[Figure]:
    main_cells = _main(frames.cells)
    method = _method(main_cells)
    ways = [name for name in STATISTICS if name in set(main_cells["statistic"])]
    both = comparisons.segmentation_classification
    yield Figure(
        "metrics-coverage",
        "coverage of one method against n, a line for each metric",
        lambda: comparisons.metrics_coverage(main_cells, method),
    )
    yield Figure(
        "micro-macro",
        "coverage and width of micro and macro averages",
        lambda: comparisons.micro_macro(main_cells, method),
    )
    yield Figure(
        "segmentation-classification",
        "coverage and width of means of cases and of averages over classes",
        lambda: both(main_cells, method, ["macro", "micro"], ["mean"]),
    )
    for kind in ("macro", "micro"):
        yield Figure(
            f"segmentation-classification-{kind}",
            f"coverage and width of all statistics of cases and of {kind} averages",
            lambda k=kind: both(main_cells, method, [k], ways),  # type: ignore[misc]
        )
    yield Figure(
        "location-dispersion",
        "coverage of mean and median, SD and IQR",
        lambda: comparisons.location_dispersion(main_cells, method),
    )
    yield Figure(
        "bca-median",
        "coverage of BCa and percentile intervals of medians",
        lambda: comparisons.bca_median(main_cells),
    )
    yield Figure(
        "basic-shift",
        "how far bootstrap intervals are shifted, and their coverage",
        lambda: comparisons.basic_shift(main_cells),
    )
    yield Figure(
        "sample-needs",
        "where median coverage and width reach what is wanted",
        lambda: needs_figure.sample_needs(main_cells, method),
    )
    yield Figure(
        "characteristics",
        "mean, SD, skewness and kurtosis of the instances by metric",
        lambda: clouds.characteristics(main_cells),
    )
    yield Figure(
        "characteristics-test-sets",
        "values of metrics, skewness and kurtosis of test sets",
        lambda: clouds.characteristics_of_sets(main_cells),
    )
    yield from _concentrations(main_cells)


def _concentrations(main_cells: pd.DataFrame) -> Iterator[Figure]:
    targets = [t for t in targets_of(main_cells) if t.statistic == "mean" and bounds_of(t.metric)]
    if not targets:
        yield Figure("concentration", CONCENTRATION, _refusing("no mean of a bounded metric"))
    for target in targets:
        yield Figure(
            slug("concentration", target.metric),
            f"{CONCENTRATION}, mean {target.metric}",
            lambda t=target: concentration.concentration(main_cells, t),  # type: ignore[misc]
        )


CONCENTRATION = "widths of concentration intervals and their ratio to t"


def _refusing(reason: str) -> Callable[[], Drawn]:
    def draw() -> Drawn:
        raise NotThereError(reason)

    return draw


# --------------------------------------------------------------------------- paces


def _paces(frames: Frames) -> Iterator[Figure]:
    main_cells = _main(frames.cells)
    method = _method(main_cells)
    if frames.paces is None:
        return
    mine, pace = main_cells[main_cells["method"] == method], frames.paces
    fields = {"": mine[_location(mine)], "-test-sets": mine[mine["statistic"] == ""]}
    drawn = {
        "pace-by-metric": lambda part: clouds.pace_by_metric(pace(part), method),
        "skewness-by-metric": lambda part: clouds.skewness_by_metric(pace(part)),
        "pace-errors": lambda part: clouds.pace_errors(pace(part), method),
    }
    says = {
        "pace-by-metric": "convergence pace of coverage by metric",
        "skewness-by-metric": "skewness of the instances by metric",
        "pace-errors": "relative error of the fitted pace by metric",
    }
    for name, draw in drawn.items():
        for field, part in fields.items():
            # The skewness of a test set does not depend on the metric.
            if len(part) and not (field and name == "skewness-by-metric"):
                yield Figure(name + field, says[name], lambda d=draw, p=part: d(p))  # type: ignore[misc]
    for level in ("instance", "task"):
        yield from _tests(frames, mine, method, level)


def _location(cells: pd.DataFrame) -> pd.Series:
    """Rows of the mean, or of the first statistic there is."""
    known = [name for name in STATISTICS if name in set(cells["statistic"])]
    others = [name for name in dict.fromkeys(cells["statistic"]) if name]
    return cells["statistic"] == next(iter([*known, *others]), "mean")


def _tests(frames: Frames, mine: pd.DataFrame, method: str, level: str) -> Iterator[Figure]:
    """At level task whole tasks are permuted, whose instances share their cases."""
    pace, tests, of_two = frames.paces, frames.tests, frames.tests_of_two
    if pace is None or tests is None or of_two is None:
        return
    family, suffix = ("p-values", "") if level == "instance" else ("p-values-tasks", ", by tasks")
    # Accuracy stands among micro averages, balanced accuracy among macro ones.
    ways = {target: target.kind for target in targets_of(mine) if not target.statistic}
    kinds = {(target.metric, target.average): kind for target, kind in ways.items()}
    known = [kinds.get(pair, "") for pair in zip(mine["metric"], mine["average"], strict=True)]
    groups = {
        **{name: mine[mine["statistic"] == name] for name in mine["statistic"].unique() if name},
        **{kind: mine[[k == kind for k in known]] for kind in ("macro", "micro")},
    }
    for way, part in groups.items():
        if len(set(part["metric"])) > 1:
            yield Figure(
                slug(family, way),
                f"p-values between the paces of metrics, {average_label(way)}{suffix}",
                lambda p=part, w=way: p_values_figure.p_values(  # type: ignore[misc]
                    tests(pace(p.assign(average="")), level),
                    f"pace of metrics: {average_label(w)}, {method_title(method)}",
                    level,
                ),
            )
    masks = mine[mine["statistic"] == "mean"]
    masks = masks[[bounds_of(metric) is not None for metric in masks["metric"]]]
    for kind in ("macro", "micro"):
        sets = groups[kind]
        if len(masks) and len(sets):
            yield Figure(
                f"{family}-segmentation-classification-{kind}",
                f"p-values between the paces of means of cases and of {kind} averages{suffix}",
                lambda s=sets, k=kind: p_values_figure.p_values(  # type: ignore[misc]
                    of_two(pace(masks), pace(s), level),
                    f"pace of means and {k} averages, {method_title(method)}",
                    level,
                ),
            )


# --------------------------------------------------------------------------- failures


def _fails(frames: Frames) -> Iterator[Figure]:
    main_cells = _main(frames.cells)
    method = _method(main_cells)
    sizes = sorted(set(main_cells["n"]))
    n = min(sizes, key=lambda size: (abs(size - USUAL_N), size))
    for target in targets_of(main_cells):
        if target.statistic == "mean":
            yield Figure(
                slug("failures", target.metric),
                f"cases of instances that fail, {target.title}, {method}, n = {n}",
                lambda t=target: _failures(frames, main_cells, t, method, n),  # type: ignore[misc]
            )


def _failures(
    frames: Frames, main_cells: pd.DataFrame, target: Target, method: str, n: int
) -> Drawn:
    if frames.cases is None or frames.failing is None:
        raise NotThereError(
            f"a store holds no cases; name the spec of the study: {spelled('spec')}"
        )
    same = (main_cells["metric"] == target.metric) & (main_cells["statistic"] == target.statistic)
    failed = frames.failing(main_cells[same], method, n)
    values = frames.cases(failed["instance"].tolist())
    return failing.failures_figure(failed, values, target, method, n)


# --------------------------------------------------------------------------- choices


def _main(cells: pd.DataFrame) -> pd.DataFrame:
    """Rows of one level, the nearest to 95 %, and two-sided where there are such."""
    sides = sorted(set(cells["alternative"]), key=lambda side: (side != "two-sided", side))
    main_cells = cells[cells["alternative"] == sides[0]]
    levels = sorted(set(main_cells["confidence_level"]), key=lambda x: (abs(x - USUAL_LEVEL), x))
    main: pd.DataFrame = main_cells[main_cells["confidence_level"] == levels[0]]
    return main


def _method(cells: pd.DataFrame) -> str:
    names = list(method_styles(cells["method"]))
    return USUAL_METHOD if USUAL_METHOD in names else names[0]
