"""What ``auto`` and the methods for few cases do on real instances: run it, and write it down.

    python examples/real_auto.py run FOLDER --jobs 2
    python examples/real_auto.py tables FOLDER > docs/real-auto-tables.md
    python examples/real_auto.py evidence FOLDER src/halfwidth/estimation/evidence.csv

FOLDER keeps a store for each of the specs ``examples/real-auto*.toml``, any of which can be run by
itself (``halfwidth study run``): tables and evidence are of those that are there. A run that is cut
off goes on where it was; begin a new folder where `auto` has changed. With ``run FOLDER --statistic
sd`` nothing but SDs of cases is studied, of the same samples with the same draws. ``evidence`` puts
the rows of methods that `real_study.py` has none of beside its rows, or in place of earlier ones.
The data stand beside the project, in ``../shared/data``.
"""

from __future__ import annotations

import argparse
import datetime as dt
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pandas as pd
from real_study import HERE, cells_of, known_of, percent, table, what
from restore_digits import restore_all
from train_classifiers import train_all

import halfwidth as hw
from halfwidth.estimation.resolve import RULE
from halfwidth.study import analysis
from halfwidth.study.specs.spec import StudySpec

OF_CASES = ("auto", "auto-failures", "auto-steady")
OF_SETS = ("auto-classes", "auto-two-classes")
ADDED = (
    *("auto", "bca_expanded", "delong_logit_t", "dirichlet", "dirichlet_pareto", "gaffke"),
    "hall_or_t",
)
SUBJECT = ["statistic", "metric", "average"]
KEY = ["family", "statistic", "average", "method", "n", "smallest"]
SEED = 1


def run(folder: Path, jobs: int, statistic: str | None) -> None:
    """Make what is not there of classifiers and restored digits, and run every spec."""
    specs, needed = [*OF_CASES], {"digits": restore_all}
    if statistic is None:
        specs += OF_SETS
        needed["classifiers"] = train_all
    for made, make in needed.items():
        if not (HERE / made).exists():
            make(HERE / made)
    for name in specs:
        spec = hw.study.read_spec(HERE / f"real-{name}.toml")
        hw.study.run(_of(statistic, spec) if statistic else spec, folder / name, jobs=jobs)


def _of(statistic: str, spec: StudySpec) -> StudySpec:
    """The study of one of its statistics, with the methods that this one takes."""
    (kept,) = (one for one in spec.statistics if one.spec.name == statistic)
    methods = tuple(one for one in spec.methods or () if kept.spec.estimand in one.accepts)
    return replace(spec, statistics=(kept,), methods=methods)


def kinds(folder: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    """The cells of each kind of instance, with its title, of the studies that were run."""
    segmentation, failed, steady, classes, two_classes = (
        cells_of(folder, name) if (folder / name).exists() else None
        for name in (*OF_CASES, *OF_SETS)
    )
    if segmentation is not None:
        yield "Segmentation", segmentation
    if failed is not None:
        planted = failed["instance"].str.contains("failures")
        small = failed["instance"].str.contains("±") & ~planted
        yield "IoU", failed[~planted & ~small]
        yield "Failures of 1, 2, 5 %", failed[planted]
        yield "Small SDs", failed[small]
    if steady is not None:
        cut = steady["instance"].str.endswith("above half the median")
        yield "Touchstone, cases above half the median", steady[cut]
        yield "SegVal and restored digits", steady[~cut]
    if classes is not None:
        yield "Test sets, macro averages", classes
    if two_classes is not None:
        yield "Test sets of two classes", two_classes


def tables(folder: Path) -> None:
    """Coverage and width of each method, ranked as `halfwidth study advise` does."""
    print("# Tables of `auto` on real instances\n")
    print(f"Made by `examples/real_auto.py tables` on {dt.datetime.now(dt.UTC).date()}: {RULE}.")
    print(
        "Coverage of 95 % intervals in %: median [first quartile] lowest of the instances; then "
        "the median"
    )
    print("width over that of the reference, the first method named. Ranked as")
    print("[`halfwidth study advise`](study-advise.md) does; in brackets: not reliable. Behind the")
    print(
        "semicolon the two ends: how often the lower one lies above the true value, and how often"
    )
    print("the upper one below it, in % (medians); 2.5 each is what is wanted.")
    for kind, cells in kinds(folder):
        samples = int(cells["samples"].iloc[0])
        error = 100 * (0.05 * 0.95 / samples) ** 0.5
        print(f"\n## {kind}\n\n{cells['instance'].nunique()} instances, {samples} samples: of one")
        print(f"instance a coverage of 95 % has a standard error of {error:.1f} points.")
        ranked = analysis.advice(cells, n_bootstrap=0, rng=SEED)
        ends = cells.groupby([*SUBJECT, "method", "n"])[["missed_above", "missed_below"]].median()
        ranked = ranked.join(ends, on=[*SUBJECT, "method", "n"])
        for _, group in ranked.groupby(SUBJECT, sort=False):
            _table(group)


def _table(ranked: pd.DataFrame) -> None:
    sizes = sorted(ranked["n"].unique())
    first = ranked.iloc[0]
    order = ranked.groupby("method")["rank"].mean().sort_values(kind="stable")
    rows = []
    for method in order.index:
        own = ranked[ranked["method"] == method].set_index("n")
        rows.append([f"`{method}`", *(_cell(own.loc[n]) for n in sizes)])
    title = f"{what(first)}, beside {first['reference']}"
    table(title, ["method", *(f"n = {n}" for n in sizes)], rows)


def _cell(row: pd.Series) -> str:
    rank = str(row["rank"]) if row["reliable"] else f"({row['rank']})"
    middle, low, least = (percent(row[f"coverage_{name}"]) for name in ("median", "q1", "lowest"))
    ends = " and ".join(percent(row[name]) for name in ("missed_above", "missed_below"))
    return f"{middle} [{low}] {least} × {row['width_ratio_median']:.2f}, {rank}; {ends}"


def evidence(folder: Path, file: Path) -> None:
    """Put the rows of the added methods into what estimates quote; others stay as they are."""
    of_sets = [name for name in OF_SETS if (folder / name).exists()]
    cells = pd.concat([cells_of(folder, name) for name in ("auto", *of_sets)])
    shares = {}
    if of_sets:
        known = known_of(*of_sets).dropna(subset="smallest_share")
        shares = dict(zip(known["instance"], known["smallest_share"], strict=True))
    found = analysis.evidence_rows(cells, smallest_shares=shares)
    before = pd.read_csv(file, keep_default_na=False, na_values=["nan"])
    found = found[found["method"].isin(ADDED)]
    rows = pd.concat([before, found]).drop_duplicates(KEY, keep="last")
    rows = rows.sort_values(KEY, kind="stable")
    rows.to_csv(file, index=False, float_format="%.5g", na_rep="nan", lineterminator="\n")
    print(f"{len(rows)} rows, {len(before)} before")


def main() -> None:
    """Do what the first word says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("run", "tables", "evidence"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--statistic", help="run: of cases, the only one to study")
    given = parser.parse_args()
    if given.what == "run":
        run(given.folder, given.jobs, given.statistic)
    elif given.what == "tables":
        tables(given.folder)
    else:
        evidence(given.folder, given.file)


if __name__ == "__main__":
    main()
