"""``halfwidth study summary``: what the cells of studies say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from halfwidth.cli import completion
from halfwidth.cli.answer import Answer
from halfwidth.cli.completion import Completion
from halfwidth.cli.option_groups import argument, option
from halfwidth.cli.options import FormatOfStdout, Json, resolve_format
from halfwidth.cli.output import note
from halfwidth.core.errors import DataError, OptionError, UnknownNameError, shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.option_table.option import Group
from halfwidth.core.parameters import split_names
from halfwidth.core.rng import resolve_seed
from halfwidth.intervals.bootstrap import percentile
from halfwidth.intervals.mean import t as student_t
from halfwidth.study.analysis import (
    cells_of,
    characteristics,
    chosen,
    failures,
    needs,
    pace,
    pace_summary,
    pace_tests,
    shifts,
    skewness_model,
    unpaired_pace_tests,
    what_they_share,
    width_ratios,
)
from halfwidth.study.analysis.skewness import N_BOOTSTRAP
from halfwidth.study.results import Results, open_results
from halfwidth.study.studies import plan

if TYPE_CHECKING:
    import pandas as pd

    from halfwidth.document.parts import Document

Text = str | None
# The names chosen in each column.
Filters = dict[str, list[str]]


Names = list[str] | None


def _parts(incomplete: str) -> list[str]:
    return completion.starting(incomplete, PARTS)


def filter_option(text: str, *names: str, completed: Completion | None = None) -> Any:
    """An option that leaves only some of the cells."""
    metavar = "N" if "-n" in names else "NAME"
    return option(
        f"Only {text}; repeatable, or a list with commas.",
        metavar,
        Group.CELLS,
        flags=(*names,),
        completed=completed,
    )


def _part_option(text: str, metavar: str) -> Any:
    return option(text, metavar, Group.PARTS)


@frozen
class PartOptions:
    """The options of one call; None where an option was not given."""

    against: Any = None
    between: Text = None
    over: Text = None
    coverage: float | None = None
    width: float | None = None
    reference: Text = None
    seed: int | None = None
    refits: int | None = None
    spec: list[Path] | None = None


def summary(
    stores: Annotated[list[Path], argument("The store of a study, or several.", "STORE...")],
    what: Annotated[
        str,
        option(
            "coverage, pace, tests, mixed, needs, ratios, shifts or failures.",
            "PART",
            Group.ESTIMATE,
            completed=_parts,
        ),
    ] = "coverage",
    metric: Annotated[Names, filter_option("this metric", completed=completion.all_metrics)] = None,
    statistic: Annotated[
        Names, filter_option("this statistic", completed=completion.statistics)
    ] = None,
    average: Annotated[Names, filter_option("this average")] = None,
    method: Annotated[
        Names, filter_option("this method (failures: percentile)", completed=completion.methods)
    ] = None,
    n: Annotated[Names, filter_option("this size (failures: 50)", "--n", "-n")] = None,
    between: Annotated[
        Text, _part_option("tests: compare metric, statistic, method or average.", "WHAT")
    ] = None,
    against: Annotated[
        Path | None, _part_option("tests: unpaired, with the metrics of another store.", "STORE")
    ] = None,
    over: Annotated[
        Text, _part_option("tests: over instances, or over whole tasks: instance, task.", "UNIT")
    ] = None,
    coverage: Annotated[
        float | None,
        _part_option("needs: the wanted coverage; default: the level less 0.025.", "SHARE"),
    ] = None,
    width: Annotated[float | None, _part_option("needs: a wanted mean width instead.", "W")] = None,
    reference: Annotated[
        Text, _part_option("ratios: default t; shifts: default percentile.", "METHOD")
    ] = None,
    seed: Annotated[
        int | None, _part_option("tests, mixed: makes draws repeatable; default: fresh.", "INT")
    ] = None,
    refits: Annotated[
        int | None, _part_option("mixed: of the bootstrap, 0 for no interval; default 199.", "B")
    ] = None,
    spec: Annotated[
        list[Path] | None,
        _part_option("failures: a spec, for outliers and imbalance; may be repeated.", "FILE"),
    ] = None,
    fmt: FormatOfStdout = None,
    json: Json = False,
) -> Answer:
    """What the cells of a study say, by metric, statistic and method.

    \b
    coverage   median and quartiles over instances of coverage and width
    pace       how fast coverage comes to its level: b in coverage = level + b/n
    tests      permutation tests of paces, all pairs of metrics (or others)
    mixed      how far skewness tells the pace: a mixed model
    needs      the n from which intervals cover often, or are narrow, enough
    ratios     widths by those of a reference method
    shifts     how far the middle of intervals lies from the true value
    failures   instances that cover far less than the others, and what they share

    \b
    halfwidth study summary store/
    halfwidth study summary store/ --metric dsc --statistic mean -n 10,50,250
    halfwidth study summary store/ --what tests --method percentile --over task \\
        --seed 1
    halfwidth study summary seg/ --what tests --against cls/ --method percentile
    halfwidth study summary seg/ cls/ --what needs --width 0.1
    halfwidth study summary store/ --what failures --spec study.toml
    halfwidth study summary store/ --what pace --format csv > pace.csv
    """
    chosen = resolve_format(fmt, json)
    if what not in PARTS:
        raise UnknownNameError("part (--what)", what, PARTS)
    options = PartOptions(
        against, between, over, coverage, width, reference, seed, refits, spec or None
    )
    _check(what, options)
    typed = {"metric": metric, "statistic": statistic, "average": average, "method": method, "n": n}
    filters = {name: split_names(texts) for name, texts in typed.items() if texts}
    return Answer(PARTS[what](stores, filters, options), chosen)


# --------------------------------------------------------------------------- options


def _check(part: str, options: PartOptions) -> None:
    """An option that the part does not look at is an error."""
    for name, value in vars(options).items():
        if value is not None and part not in TAKEN_BY[name]:
            parts = " or ".join(TAKEN_BY[name])
            raise OptionError(
                f"--{name} has no effect with --what {part}; it goes with --what {parts}"
            )
    if options.against is not None and options.between is not None:
        raise OptionError("--against compares metrics of two stores, --between of one; give one")


def opened(store: Path) -> Results:
    """The results in a store, with what is to be known of them on stderr."""
    results = open_results(store)
    note(*results.notes)
    return results


def cells_in(stores: list[Path]) -> pd.DataFrame:
    """The cells of all stores."""
    return cells_of(*(opened(store) for store in stores))


def _chosen(stores: list[Path], filters: Filters) -> pd.DataFrame:
    return chosen(cells_in(stores), **filters)


def _usual_or_refuse(cells: pd.DataFrame, column: str, usual: str, option: str, part: str) -> str:
    """The usual method or n, or an error that names the option where there is none of it."""
    there = list(dict.fromkeys(cells[column]))
    if usual not in map(str, there):
        raise OptionError(
            f"--what {part} takes {column} {usual} by default, which no chosen cell of the study "
            f"has; give {option}, one of {shortened(there)}"
        )
    return usual


# --------------------------------------------------------------------------- parts


def _coverage(stores: list[Path], filters: Filters, _options: PartOptions) -> Document:
    from halfwidth.study.analysis import chosen, coverage
    from halfwidth.study.reports.answers import summary_document

    one = len(stores) == 1
    frame = opened(stores[0]).summary() if one else coverage(cells_in(stores))
    return summary_document(chosen(frame, **filters))


def _paces(cells: pd.DataFrame) -> pd.DataFrame:
    """Paces, with a word on those that are of other n than most and count for nothing."""
    from halfwidth.study.analysis.pace import with_equal_sizes

    paces = pace(cells)
    kept = with_equal_sizes(paces)["pace"].notna()
    others = paces[paces["pace"].notna() & ~kept]
    if len(others):
        counted = shortened([f"n = {at}" for at in dict.fromkeys(others["at"])])
        note(f"left out: {len(others)} of {len(paces)} paces, of other n than most ({counted})")
    return paces


def _pace(stores: list[Path], filters: Filters, _options: PartOptions) -> Document:
    from halfwidth.study.reports.answers import answer_document

    paces = _paces(_chosen(stores, filters))
    return answer_document({"pace": paces}, {"pace": pace_summary(paces)})


def _tests(stores: list[Path], filters: Filters, options: PartOptions) -> Document:
    from halfwidth.study.reports.answers import answer_document

    level, seed = options.over or "instance", resolve_seed(options.seed)
    paces = _paces(_chosen(stores, filters))
    if options.against is None:
        tests = pace_tests(paces, options.between or "metric", level=level, rng=seed)
    else:
        # Metrics and statistics are those of the stores; what both have is how intervals are made.
        shared = {k: v for k, v in filters.items() if k in ("method", "n")}
        others = _paces(chosen(cells_in([options.against]), **shared))
        tests = unpaired_pace_tests(paces, others, level=level, rng=seed)
    footer = {
        "design": "paired" if options.against is None else "unpaired",
        "level": level,
        "tested": int(tests["tested"].iloc[0]),
        "seed": seed,
    }
    return answer_document({"tests": tests}, {"tests": tests}, footer)


def _mixed(stores: list[Path], filters: Filters, options: PartOptions) -> Document:
    from halfwidth.study.reports.answers import (
        answer_document,
        left_out_note,
        logits_note,
        not_fitted_note,
    )

    seed = resolve_seed(options.seed)
    paces = _paces(_chosen(stores, filters))
    refits = N_BOOTSTRAP if options.refits is None else options.refits
    model = skewness_model(paces, n_bootstrap=refits, rng=seed)
    fitted = model[model["not_fitted"] == ""]
    worked = int(fitted["refits"].min())
    footer = {
        "seed": seed,
        "interval": f", with a 95 % parametric bootstrap interval ({worked} refits)"
        if refits
        else "",
        "left_out": left_out_note(fitted),
        "not_fitted": not_fitted_note(model),
        "logits_note": logits_note(model),
    }
    return answer_document({"mixed": model}, {"mixed": fitted}, footer)


def _needs(stores: list[Path], filters: Filters, options: PartOptions) -> Document:
    from halfwidth.study.reports.answers import answer_document, units_note

    needed = needs(_chosen(stores, filters), target=options.coverage, width=options.width)
    goals = sorted({float(goal) for goal in needed["goal"]})
    if options.width is not None:
        footer = {
            "goal": f"are at most {goals[0]:g} wide on average",
            "units": units_note(needed),
            "beyond": "~: extrapolated beyond the study, as widths shrink with 1/√n.",
        }
    else:
        shares = " or ".join(f"{100 * goal:g}" for goal in goals)
        level_text = " (the level less 2.5 points)" if len(goals) > 1 else ""
        footer = {"goal": f"cover at least {shares} %{level_text}", "units": ""}
        footer["beyond"] = "A sample without an interval is a miss there."
    return answer_document({"needs": needed}, {"needs": needed}, footer)


def _ratios(stores: list[Path], filters: Filters, options: PartOptions) -> Document:
    from halfwidth.study.reports.answers import answer_document

    cells = _cells_of_all_methods(stores, filters)
    reference = options.reference or _usual_or_refuse(
        cells, "method", student_t.__name__, "--reference", "ratios"
    )
    ratios = _relative_to(width_ratios, reference, cells, filters)
    return answer_document({"ratios": ratios}, {"ratios": ratios}, {"reference": reference})


def _shifts(stores: list[Path], filters: Filters, options: PartOptions) -> Document:
    from halfwidth.study.reports.answers import answer_document

    cells = _cells_of_all_methods(stores, filters)
    reference = options.reference or _usual_or_refuse(
        cells, "method", percentile.__name__, "--reference", "shifts"
    )
    shifted = _relative_to(shifts, reference, cells, filters)
    return answer_document({"shifts": shifted}, {"shifts": shifted}, {"reference": reference})


def _cells_of_all_methods(stores: list[Path], filters: Filters) -> pd.DataFrame:
    """The reference need not be among the methods that are chosen."""
    return _chosen(stores, {name: v for name, v in filters.items() if name != "method"})


def _relative_to(
    function: Callable[[pd.DataFrame, str], pd.DataFrame],
    reference: str,
    cells: pd.DataFrame,
    filters: Filters,
) -> pd.DataFrame:
    methods = filters.get("method")
    frame = function(cells, reference)
    if methods is None:
        return frame
    # The reference may be named too, and has no row where it would be compared with itself.
    others = [name for name in methods if name != reference or name in set(frame["method"])]
    return chosen(frame, method=others) if others else frame[:0]


def _failures(stores: list[Path], filters: Filters, options: PartOptions) -> Document:
    from halfwidth.study.reports.answers import answer_document, logits_note

    for name, flag in (("method", "--method"), ("n", "-n")):
        values = filters.get(name, [])
        if len(values) > 1:
            raise OptionError(f"{flag} {','.join(values)}: failures are shown for one {name} only")
    cells = _chosen(stores, {name: v for name, v in filters.items() if name != "n"})
    (method,) = filters.get("method") or [
        _usual_or_refuse(cells, "method", percentile.__name__, "--method", "failures")
    ]
    cells = chosen(cells, method=method)
    cells = chosen(
        cells, n=filters.get("n") or _usual_or_refuse(cells, "n", "50", "-n", "failures")
    )
    # As the study says it: one may ask for 5e1 cases.
    n = int(cells["n"].iloc[0])
    failed = failures(cells, method, n, _characteristics(cells, options.spec))
    shared, failing = what_they_share(failed), failed[failed["failure"]]
    shown = {"failures": failing} | ({} if failing.empty else {"shared": shared})
    footer = {"count": len(failing), "all": len(failed), "logits_note": logits_note(failed)}
    return answer_document({"failures": failed, "shared": shared}, shown, footer)


def _characteristics(cells: pd.DataFrame, specs: list[Path] | None) -> pd.DataFrame | None:
    """Characteristics of the instances of all specs; specs without any of the cells are refused."""
    import pandas as pd

    if not specs:
        return None
    frames = []
    for spec in specs:
        frame = characteristics(plan(spec))
        if not frame["instance"].isin(cells["instance"]).any():
            raise DataError(
                f"--spec {spec} has no instance of the chosen cells; give the spec that the store "
                "was run from"
            )
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


PARTS: dict[str, Callable[[list[Path], Filters, PartOptions], Document]] = {
    "coverage": _coverage,
    "pace": _pace,
    "tests": _tests,
    "mixed": _mixed,
    "needs": _needs,
    "ratios": _ratios,
    "shifts": _shifts,
    "failures": _failures,
}
TAKEN_BY = {
    "against": ("tests",),
    "between": ("tests",),
    "over": ("tests",),
    "coverage": ("needs",),
    "width": ("needs",),
    "reference": ("ratios", "shifts"),
    "seed": ("tests", "mixed"),
    "refits": ("mixed",),
    "spec": ("failures",),
}
