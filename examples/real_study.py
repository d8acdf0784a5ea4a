"""The study of real instances: run it, and write down what it says.

    python examples/real_study.py run FOLDER --jobs 2
    python examples/real_study.py evidence FOLDER src/halfwidth/estimation/evidence.csv
    python examples/real_study.py answers FOLDER > docs/real-study-tables.md

FOLDER keeps a store for each of the specs ``examples/real-*.toml``. A run that is cut off goes on
where it was; the whole takes about three core-hours. The data stand beside the project, in
``../shared/data``.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from train_classifiers import train_all

import halfwidth as hw
from halfwidth.study import analysis

HERE = Path(__file__).parent
STUDIES = (
    *("segmentation", "studentized", "classification", "two-classes", "absent-class"),
    "empirical",
)
# Those that the evidence is made of, the larger ones first.
OF_EVIDENCE = (
    *("segmentation", "studentized", "classification", "two-classes"),
    *("auto", "auto-classes", "auto-two-classes"),
)
OF_A_METHOD = ["metric", "statistic", "average", "method", "n"]
OF_A_ROW = ["family", "statistic", "average", "method"]
PERMUTATION_SEED = 1
BOOTSTRAPS = ("percentile", "basic", "bca")
OF_BOTH_ENDS = """how often the lower end lies above the true value, and how often the upper one
below it, in % (medians; 2.5 each is what is wanted)"""
NAMES = {"dsc": "DSC", "nsd": "NSD", "hd95": "HD95", "auroc": "AUROC", "mcc": "MCC", "f1": "F1"}


def run(folder: Path, jobs: int) -> None:
    """Train the classifiers if need be, and run every spec."""
    scores = HERE / "classifiers"
    if not scores.exists():
        train_all(scores)
    for name in STUDIES:
        hw.study.run(HERE / f"real-{name}.toml", folder / name, jobs=jobs)


def cells_of(folder: Path, *names: str) -> pd.DataFrame:
    """The cells of some of the studies."""
    return analysis.cells_of(*(hw.study.open(folder / name) for name in names))


def evidence(folder: Path, file: Path) -> None:
    """Write what estimates quote, of the stores that FOLDER holds.

    The same instance is in several studies, so they are joined here; a method comes from the first
    that has it. Rows of the file that these stores say nothing of stay.
    """
    parts: list[pd.DataFrame] = []
    names = [name for name in OF_EVIDENCE if (folder / name).exists()]
    for name in names:
        cells = cells_of(folder, name)
        earlier = pd.concat([part[OF_A_METHOD] for part in parts]) if parts else cells[:0]
        known = set(earlier[OF_A_METHOD].itertuples(index=False, name=None))
        of_cells = cells[OF_A_METHOD].itertuples(index=False, name=None)
        parts.append(cells[[row not in known for row in of_cells]])
    described = known_of(*names).dropna(subset="smallest_share")
    shares = dict(zip(described["instance"], described["smallest_share"], strict=True))
    rows = analysis.evidence_rows(pd.concat(parts, ignore_index=True), smallest_shares=shares)
    shipped = pd.read_csv(file, keep_default_na=False, na_values=["nan"])
    rows = pd.concat([rows, _not_in(rows, shipped)])
    rows = rows.sort_values([*OF_A_ROW, "n", "smallest"], kind="stable")
    rows.to_csv(file, index=False, float_format="%.5g", na_rep="nan", lineterminator="\n")
    print(f"{len(rows)} rows")


def _not_in(rows: pd.DataFrame, old: pd.DataFrame) -> pd.DataFrame:
    made = set(rows[OF_A_ROW].itertuples(index=False, name=None))
    return old[[row not in made for row in old[OF_A_ROW].itertuples(index=False, name=None)]]


def known_of(*names: str) -> pd.DataFrame:
    """What is known of the instances of some of the studies."""
    return pd.concat(
        analysis.characteristics(hw.study.plan(HERE / f"real-{name}.toml")) for name in names
    )


# --------------------------------------------------------------------------- tables


def table(
    title: str, names: Sequence[str], rows: Iterable[Sequence[object]], note: str = ""
) -> None:
    """A heading and a table in Markdown."""
    print(f"\n### {title}\n")
    print(f"| {' | '.join(names)} |\n|{' --- |' * len(names)}")
    for row in rows:
        print(f"| {' | '.join(str(cell) for cell in row)} |")
    if note:
        print(f"\n{note}")


def percent(share: Any) -> str:
    """Such as ``92.5``."""
    return "–" if math.isnan(share) else f"{100 * share:.1f}"


def number(value: Any, form: str = ".3g") -> str:
    """A number, or a dash."""
    return "–" if math.isnan(value) else format(value, form)


def both_ends(cells: pd.DataFrame) -> str:
    """Such as ``1.3 and 3.5``: how often each end of the intervals is on the wrong side, in %."""
    return " and ".join(percent(cells[name].median()) for name in ("missed_above", "missed_below"))


def what(row: pd.Series) -> str:
    """Such as ``mean DSC`` or ``macro F1``."""
    metric = NAMES.get(row["metric"], row["metric"].replace("_", " "))
    words = [row.get("average", ""), row.get("statistic", "").replace("_", " "), metric]
    return " ".join(word for word in words if word)


def coverage_table(title: str, cells: pd.DataFrame, sizes: Sequence[int], note: str = "") -> None:
    """Median [first quartile] of the coverage, the median of the mean width, and of both ends."""
    rows = []
    for (method, *_), group in cells.groupby(["method", "confidence_level"]):
        row = [f"`{method}`"]
        for n in sizes:
            of_n = group[group["n"] == n]
            if of_n.empty:
                row.append("–")
                continue
            middle, low = of_n["coverage"].median(), of_n["coverage"].quantile(0.25)
            width = number(of_n["width_mean"].median())
            row.append(f"{percent(middle)} [{percent(low)}]; {width}; {both_ends(of_n)}")
        rows.append(row)
    count = cells["instance"].nunique()
    names = ["method", *(f"n = {n}" for n in sizes)]
    table(f"{title} ({count} instances)", names, rows, note)


def segmentation(cells: pd.DataFrame) -> None:
    """Coverage and width by statistic and metric."""
    print("\n## Segmentation\n\nCoverage in %: median [first quartile]; the median width;")
    print(f"{OF_BOTH_ENDS}.")
    sizes = (10, 25, 50, 100, 250)
    for metric, statistics in {
        "dsc": ("mean", "median", "trimmed_mean", "sd", "iqr"),
        "nsd": ("mean", "median", "trimmed_mean", "sd", "iqr"),
        "hd95": ("mean", "median", "iqr"),
    }.items():
        for statistic in statistics:
            own = analysis.chosen(cells, metric=metric, statistic=statistic)
            coverage_table(what(own.iloc[0]), own, sizes)


def lowest(kernels: pd.DataFrame, empirical: pd.DataFrame) -> None:
    """How far below its level the mean is covered on the worst instance."""
    print("\n## The worst instance")
    print("\nCoverage of the mean in %: median [first quartile] lowest; DSC and NSD together;")
    print(f"{OF_BOTH_ENDS}.")
    print("Populations: densities fitted to the cases, or the cases themselves.")
    for cells, title in ((kernels, "fitted densities"), (empirical, "the cases themselves")):
        own = cells[cells["metric"].isin(["dsc", "nsd"]) & (cells["statistic"] == "mean")]
        count = own["instance"].nunique()
        rows = []
        for method in ("t", "percentile", "bca", "hall"):
            of_sizes = [own[(own["method"] == method) & (own["n"] == n)] for n in (10, 25, 50, 100)]
            rows.append([f"`{method}`", *map(_with_lowest, of_sizes)])
        names = ["method", *(f"n = {n}" for n in (10, 25, 50, 100))]
        table(f"mean, {title} ({count} instances)", names, rows)


def _with_lowest(cells: pd.DataFrame) -> str:
    if cells.empty:
        return "–"
    shares = cells["coverage"]
    middle, low, least = shares.median(), shares.quantile(0.25), shares.min()
    return f"{percent(middle)} [{percent(low)}] {percent(least)}; {both_ends(cells)}"


def classification(cells: pd.DataFrame, two: pd.DataFrame) -> None:
    """Coverage and width by metric and average."""
    print("\n## Classification\n\nCoverage in %: median [first quartile]; the median width;")
    print(f"{OF_BOTH_ENDS}.")
    sizes = (10, 25, 50, 100, 250)
    for frame, title in ((cells, ""), (two, ", two classes")):
        for _, own in frame.groupby(["metric", "average"]):
            coverage_table(what(own.iloc[0]) + title, own, sizes)


def studentized(cells: pd.DataFrame) -> None:
    """The table of the design, on these instances."""
    print("\n## The studentized bootstrap\n\nCoverage of the mean in %: median [first quartile],")
    print(f"width over that of `t`; {OF_BOTH_ENDS}.")
    ratios = analysis.width_ratios(cells).set_index(["metric", "method", "n"])["ratio_median"]
    for metric in ("dsc", "nsd"):
        rows = []
        for n, of_n in analysis.chosen(cells, metric=metric).groupby("n"):
            row = [str(n)]
            for method in ("t", "percentile", "bca", "studentized", "hall"):
                cells_of_method = of_n[of_n["method"] == method]
                shares = cells_of_method["coverage"]
                ratio = "" if method == "t" else f" × {ratios[metric, method, n]:.2f}"
                cover = f"{percent(shares.median())} [{percent(shares.quantile(0.25))}]"
                row.append(f"{cover}{ratio}; {both_ends(cells_of_method)}")
            rows.append(row)
        table(NAMES[metric], ["n", "t", "percentile", "bca", "studentized", "hall"], rows)


def absent_class(omit: pd.DataFrame, zero: pd.DataFrame) -> None:
    """What counting an absent class as 0 does to macro averages."""
    print("\n## A class without cases\n\nMedian coverage in %, macro averages, absent classes left")
    print(f"out of the average (`omit`) or counted as 0 (`zero`); {OF_BOTH_ENDS}.")
    kept = zero["instance"].unique()
    omit = omit[omit["instance"].isin(kept) & (omit["average"] == "macro")]
    many = {
        name
        for name in kept
        if any(task in name for task in ("iris", "wine", "/digits/")) or name.endswith("/digits")
    }
    for several, title in ((True, "three or ten classes"), (False, "two classes")):
        for metric in ("average_precision", "auroc", "balanced_accuracy"):
            rows = []
            for n in sorted(zero["n"].unique()):
                row = [str(n)]
                for frame in (omit, zero):
                    own = frame[
                        (frame["metric"] == metric)
                        & (frame["n"] == n)
                        & (frame["instance"].isin(many) == several)
                    ]
                    for method in BOOTSTRAPS:
                        of_method = own[own["method"] == method]
                        middle = percent(of_method["coverage"].median())
                        row.append(f"{middle}; {both_ends(of_method)}")
                rows.append(row)
            names = [f"{policy} {method}" for policy in ("omit", "zero") for method in BOOTSTRAPS]
            table(f"{NAMES.get(metric, metric)}, {title}", ["n", *names], rows)


def paces(segmented: pd.DataFrame, classified: pd.DataFrame) -> None:
    """Paces, what they go with, and their tests."""
    print("\n## Paces of coverage\n\nβ of coverage = level + β/n, percentile intervals.")
    first, second = (analysis.pace(cells) for cells in (segmented, classified))
    rows = []
    for frame in (first, second):
        of_percentile = frame[frame["method"] == "percentile"]
        for _, own in of_percentile.groupby(["metric", "statistic", "average"]):
            low, middle, high = (own["pace"].quantile(q) for q in (0.25, 0.5, 0.75))
            error = own["fit_error"]
            rows.append(
                [
                    what(own.iloc[0]),
                    len(own),
                    *(number(value, ".2f") for value in (middle, low, high)),
                    f"{100 * error.median():.2f}",
                    f"{100 * error.max():.1f}",
                ]
            )
    names = ["", "instances", "median", "Q1", "Q3", "fit error %, median", "largest"]
    table("By metric and statistic", names, rows)
    tested = first[first["metric"] != "hd95"]  # two instances permute to nothing
    for between, frame in (("statistic", tested), ("average", second)):
        for level in ("instance", "task"):
            _tests(
                analysis.pace_tests(_percentile(frame), between, level=level, rng=1), between, level
            )
    means, macro = (
        _percentile(analysis.pace(cells)) for cells in on_common_sizes(segmented, classified)
    )
    means = means[(means["statistic"] == "mean") & means["metric"].isin(["dsc", "nsd"])]
    for average in ("macro", "micro"):
        own = macro[macro["average"].isin(["macro"]) if average == "macro" else _micro(macro)]
        for level in ("instance", "task"):
            tested = analysis.unpaired_pace_tests(means, own, level=level, rng=PERMUTATION_SEED)
            _tests(tested, f"segmentation against {average}", level)
    of_mean = first[(first["statistic"] == "mean") & (first["method"] == "percentile")]
    model = analysis.skewness_model(of_mean, rng=PERMUTATION_SEED)
    table(
        "Pace of the mean and size of the skewness: mixed model, task and metric random",
        list(model.columns),
        [
            [number(x) if isinstance(x, float) else x for x in row]
            for row in model.itertuples(False)
        ],
    )


def on_common_sizes(first: pd.DataFrame, second: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The cells of the n that both have: a pace depends on the n that it is fitted to."""
    common = set(first["n"]) & set(second["n"])
    return first[first["n"].isin(common)], second[second["n"].isin(common)]


def _percentile(paces: pd.DataFrame) -> pd.DataFrame:
    return paces[paces["method"] == "percentile"]


def _micro(paces: pd.DataFrame) -> pd.Series:
    return (paces["average"] == "micro") | (paces["metric"] == "accuracy")


def _tests(found: pd.DataFrame, between: str, level: str) -> None:
    shared = [x for x in ("metric", "statistic", "average") if x in found.columns and x != between]
    rows = [
        [
            " ".join(str(row[name]) for name in shared if row[name]),
            row["a"],
            row["b"],
            *(number(row[name], ".2f") for name in ("mean_a", "mean_b")),
            number(row["p"], ".2g"),
            number(row["p_bonferroni"], ".2g"),
            "yes" if row["significant"] else "no",
        ]
        for _, row in found.iterrows()
    ]
    names = ["of", "a", "b", "pace a", "pace b", "p", "Bonferroni", "significant"]
    table(f"Paces: {between}, permutations of {level}s", names, rows)


def sample_needs(cells: pd.DataFrame) -> None:
    """Cases for a coverage and for a width."""
    print(
        "\n## Cases needed\n\nPercentile intervals; smallest size of the study from which on half"
    )
    print("(a quarter, three quarters) of the instances get there. `>`: not within the study.")
    own = analysis.chosen(cells, method="percentile")
    for goal in ({"target": 0.925}, {"width": 0.1}, {"width": 0.05}):
        found = analysis.needs(own, **goal)
        rows = []
        for _, row in found.iterrows():
            sizes = [
                f"> {row['largest']}" if row[name] != row[name] else f"{row[name]:.0f}"
                for name in ("n_q1", "n_median", "n_q3")
            ]
            more = [number(row["n_extrapolated_median"], ".0f")] if "width" in goal else []
            rows.append([what(row), row["instances"], *sizes, *more])
        words, value = next(iter(goal.items()))
        names = ["", "instances", "quarter", "half", "three quarters"]
        extra = ["half, extrapolated"] if "width" in goal else []
        table(f"{'coverage' if words == 'target' else 'width'} {value:g}", names + extra, rows)


def failures(cells: pd.DataFrame, specs: Sequence[str]) -> None:
    """Instances far below the others, and what they share."""
    print("\n## Failures\n\nPercentile intervals at n = 50 whose coverage is below Q1 − 1.5 IQR.")
    found = analysis.failures(cells, characteristics=known_of(*specs))
    rows = [
        [
            what(own.iloc[0]),
            len(own),
            int(own["failure"].sum()),
            percent(own["fence"].iloc[0]),
            percent(own["coverage"].min()),
        ]
        for _, own in found.groupby(["metric", "statistic", "average"])
    ]
    table("How many", ["", "instances", "failures", "fence", "lowest coverage"], rows)
    shared = analysis.what_they_share(found)
    rows = [
        [
            what(row),
            row["property"],
            row["failures"],
            number(row["median_failures"]),
            number(row["median_others"]),
            row["beyond"],
            percent(row["share_failures"]),
            percent(row["share_others"]),
        ]
        for _, row in shared.iterrows()
    ]
    names = [
        "",
        "property",
        "failures",
        "their median",
        "others",
        "counts",
        "failures %",
        "others %",
    ]
    table("What they share", names, rows)


def shifts(cells: pd.DataFrame) -> None:
    """How far off the centre of bootstrap intervals is."""
    print("\n## Shift\n\nMedians over instances: middle of the interval less the true value.")
    found = analysis.shifts(analysis.chosen(cells, method=list(BOOTSTRAPS)))
    kept = found[found["n"] == 25]
    rows = [
        [
            what(row),
            row["n"],
            f"`{row['method']}`",
            number(row["shift_median"]),
            number(row["relative_shift_median"], ".2f"),
            number(row["shift_difference_median"]),
            number(100 * row["coverage_difference_median"], ".1f"),
        ]
        for _, row in kept.iterrows()
    ]
    names = ["", "n", "method", "shift", "by width", "less percentile", "coverage less, points"]
    table("Bootstraps", names, rows)


def answers(folder: Path) -> None:
    """All tables, as a page."""
    print(
        "# Tables of the real study\n\nMade by `examples/real_study.py answers`; what they mean is"
    )
    print("in [the study](real-study.md).")
    segmented, classified = (cells_of(folder, name) for name in STUDIES[0:3:2])
    two, zero = (cells_of(folder, name) for name in STUDIES[3:5])
    segmentation(segmented)
    studentized(cells_of(folder, "studentized"))
    lowest(segmented, cells_of(folder, "empirical"))
    classification(classified, two)
    absent_class(classified, zero)
    paces(segmented, classified)
    both = pd.concat([segmented, classified])
    sample_needs(both)
    shifts(both)
    failures(both, ("segmentation", "classification"))


def main() -> None:
    """Do what the first word says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("run", "evidence", "answers"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    if given.what == "run":
        run(given.folder, given.jobs)
    elif given.what == "evidence":
        evidence(given.folder, given.file)
    else:
        answers(given.folder)


if __name__ == "__main__":
    main()
