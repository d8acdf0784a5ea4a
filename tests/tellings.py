"""The same small table told otherwise, of which every verb must say the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from workbench import Bench, RefusedError, Scene, option_words

__all__ = ["ODD_NAMES", "TELLINGS", "Told", "a_file_each"]

# Ids of cases that a reader might take for something else, all different.
ODD_NAMES = (
    *("7", "07", "007", "7.0", "7e0", "+7", "-7", "1,5", "1.5", "0x7", "1_000", "2024-01-02"),
    *("=a0", "+a", "-a", "@a", "'a", '"a"', "a'b", 'a"b', "a,b", "a;b", "a b", "a\\b", "a/b"),
    *("ü", "é", "患者", "😀", "ß", "SS", "#1", "%s", "{x}", "$a", "<b>", "&amp;", "a=b", "a:b"),
    *("TRUE", "False", "inf", "A", "a", "a.nii.gz", "a|b", "*", "_", "~"),
)
# A header of these would look like data, and names of models are told as the numbers.
LIKE_NUMBERS = {*ODD_NAMES[:12], "inf"}
# --------------------------------------------------------------------------- tellings


@dataclass(frozen=True)
class Told:
    """The same scene told otherwise: its files, and what its names were before."""

    scene: Scene
    files: tuple[str, ...]
    names: Mapping[Any, str] = field(default_factory=dict)
    but: tuple[str, ...] = ()
    redrawn: bool = False
    verbs: tuple[str, ...] = ("ci", "compare", "rank", "report")


def shuffled(bench: Bench, scene: Scene) -> Told:
    """Rows and columns in another order, but models and labels appear as before."""
    first: list[Any] = []
    rest: list[Any] = []
    seen = set[Any]()
    names = list(scene.columns)
    for row in scene.rows:
        levels = tuple(row[names.index(name)] for name in scene.by)
        (rest if levels in seen else first).append(row)
        seen.add(levels)
    bench.r.shuffle(rest)
    told = scene.of_rows([*first, *rest])
    order = bench.r.sample(names, len(names))
    told = replace(told, columns={name: told.columns[name] for name in order})
    return Told(told, (bench.write(told, "shuffled.csv"),))


def another_kind_of_file(bench: Bench, scene: Scene) -> Told:
    suffix = bench.r.choice([".tsv", ".xlsx", ".parquet", ".csv.gz", ".txt"])
    return Told(scene, (bench.write(scene, f"t{suffix}"),))


def converted(bench: Bench, scene: Scene) -> Told:
    """What `convert` makes of a table of values."""
    if scene.of_test_set:
        raise RefusedError("tables of predictions are not converted")
    name = f"converted{bench.r.choice(['.csv', '.tsv', '.parquet'])}"
    design = {k: v for k, v in scene.shared.items() if k in ("value", "metric", "groups")}
    words = [word for k, v in design.items() for word in option_words(k, v)]
    bench.run("convert", bench.write(scene), *words, "-o", name)
    told = scene.having(value=None, groups="group" if "groups" in scene.shared else None)
    # The file states parameters too.
    return Told(told, (name,), but=("label", "sentence", "message"))


def odd_cases(bench: Bench, scene: Scene) -> Told:
    cases = scene.levels("case")
    suffix = bench.r.choice([".csv", ".tsv", ".parquet", ".xlsx"])
    # Where tabs separate, a comma may be that of decimals, and then all of them have it.
    pool = [name for name in ODD_NAMES if suffix != ".tsv" or name != "1,5"]
    odd = bench.r.sample(pool, min(len(cases), len(pool)))
    new = dict(zip(cases, odd, strict=False))
    told = scene.with_column("case", [new.get(case, case) for case in scene.columns["case"]])
    # Cases of several models are drawn in the order of their ids.
    return Told(told, (bench.write(told, f"odd{suffix}"),), redrawn=True)


def odd_names(bench: Bench, scene: Scene) -> Told:
    """Odd names of models, labels, groups and strata, in the order of the plain ones."""
    told, names = scene, dict[Any, str]()
    columns = [c for c in (*scene.by, "patient", "stratum") if c in scene.columns]
    pool = [name for name in ODD_NAMES if name not in LIKE_NUMBERS]
    bench.r.shuffle(pool)
    for column in columns:
        levels = scene.levels(column)
        odd = sorted(pool.pop() for _ in levels[:14])
        new = dict(zip(levels, odd, strict=False))
        names |= {one: level for level, one in new.items() if column in scene.by}
        told = told.with_column(column, [new.get(x, x) for x in scene.columns[column]])
    suffix = bench.r.choice([".csv", ".parquet", ".xlsx"])
    but = ("message", "sentence", "label")
    return Told(told, (bench.write(told, f"odd{suffix}"),), names=names, but=but, redrawn=True)


def odd_columns(bench: Bench, scene: Scene) -> Told:
    odd = [name for name in ODD_NAMES if name not in LIKE_NUMBERS]
    new = dict(zip(scene.columns, bench.r.sample(odd, len(scene.columns)), strict=True))
    new["case"] = "case"
    told = replace(scene, columns={new[name]: cells for name, cells in scene.columns.items()})
    options = {k: new.get(v, v) if isinstance(v, str) else v for k, v in scene.shared.items()}
    within = tuple(new[name] for name in scene.within)
    told = replace(told, shared=options, model=new[scene.model], within=within)
    return Told(told, (bench.write(told, "odd.csv"),), but=("by", "message", "sentence"))


def more_columns(bench: Bench, scene: Scene) -> Told:
    n = len(scene.columns["case"])
    told = scene.with_column("note", bench.r.choices(["", "x, y", "ü", "-"], k=n))
    told = told.with_column("volume", [bench.r.random() for _ in range(n)])
    return Told(told, (bench.write(told, "more.csv"),))


def filtered(bench: Bench, scene: Scene) -> Told:
    """Rows that `--where` leaves out."""
    column, level, others = bench.r.choice(
        [("fold", "1", ["2", "01", "1.0"]), ("fold", "=x", ["x", "= x"]), ("sex", "f", ["m", "F"])]
    )
    other = [list(row) for row in scene.rows]
    rows = [(*row, level) for row in scene.rows]
    rows += [(*row, bench.r.choice(others)) for row in other]
    wider = scene.with_column(column, [None] * len(other)).of_rows(rows)
    # Models appear as before.
    return Told(wider.having(where=f"{column}={level}"), (bench.write(wider, "wider.csv"),))


def scaled(bench: Bench, scene: Scene) -> Told:
    """Per cent; exact, for a power of two."""
    if scene.of_test_set:
        raise RefusedError("no scale of predictions")
    factor = bench.r.choice([4, 128])
    cells = [None if x is None else x * factor for x in scene.columns["dice"]]
    told = scene.with_column("dice", cells).having(scale=factor)
    if "penalty" in scene.shared:
        told = told.having(penalty=scene.shared["penalty"])
    return Told(told, (bench.write(told, "scaled.csv"),))


def omitted(bench: Bench, scene: Scene) -> Told:
    """Without the rows that have no value."""
    if scene.shared.get("missing") != "omit":
        raise RefusedError("nothing is left out")
    at = list(scene.columns).index("dice")
    kept = [row for row in scene.rows if row[at] is not None]
    if {row[1] for row in kept} != {"a", "b"} or "label" in scene.columns:
        raise RefusedError("a model without values")
    told = scene.of_rows(kept)
    but = ("n_missing", "n_not_applicable", "cautions", "n_unmatched", "missing")
    return Told(told, (bench.write(told, "kept.csv"),), but=but, verbs=("ci",))


def of_alone(bench: Bench, scene: Scene) -> Told:
    """Groups of a case each are none."""
    if "groups" in scene.shared or "strata" in scene.shared:
        raise RefusedError("a design already")
    told = scene.with_column("alone", [f"g {case}" for case in scene.columns["case"]])
    but = ("n_groups", "n_effective", "design", "cautions", "sentence", "subject")
    return Told(told.having(groups="alone"), (bench.write(told, "alone.csv"),), but=but)


def one_stratum(bench: Bench, scene: Scene) -> Told:
    if "groups" in scene.shared or "strata" in scene.shared:
        raise RefusedError("a design already")
    told = scene.with_column("one", ["s" for _ in scene.columns["case"]])
    but = ("n_groups", "n_effective", "design", "cautions")
    return Told(told.having(strata="one"), (bench.write(told, "one.csv"),), but=but)


def weighed(bench: Bench, scene: Scene) -> Told:
    """Weights that are all 1 are none."""
    if not scene.of_test_set:
        raise RefusedError("weights are of test sets")
    told = scene.with_column("weight", [1.0] * len(scene.columns["case"])).having(
        sample_weight="weight"
    )
    return Told(told, (bench.write(told, "weighed.csv"),), but=("n_effective", "cautions"))


def a_file_each(bench: Bench, scene: Scene) -> Told:
    """A table for each model."""
    files = []
    for model in scene.levels("model"):
        part = scene.where(model=model).without("model")
        files.append(f"{model}={bench.write(part, f'of_{model}.csv')}")
    told = replace(scene.without("model"), model="")
    return Told(told, tuple(files), verbs=("compare", "rank", "report"))


def wide(bench: Bench, scene: Scene) -> Told:
    """A column for each model."""
    if scene.of_test_set or len(scene.by) > 1:
        raise RefusedError("one value for each case and model")
    parts = {model: scene.where(model=model) for model in scene.levels("model")}
    first = parts["a"].without("dice", "model").columns
    columns = {**first, **{model: part.columns["dice"] for model, part in parts.items()}}
    told = replace(scene, columns=columns, model="").having(value=list(parts))
    # A report takes columns for structures of one model.
    verbs = ("compare", "rank")
    return Told(told, (bench.write(told, "wide.csv"),), but=("by",), verbs=verbs)


def numbered_columns(bench: Bench, scene: Scene) -> Told:
    """Without a line of names: columns are col1, col2, ..."""
    new = {name: f"col{at + 1}" for at, name in enumerate(scene.columns)}
    told = replace(scene, columns={new[name]: cells for name, cells in scene.columns.items()})
    options = {k: new.get(v, v) if isinstance(v, str) else v for k, v in scene.shared.items()}
    within = tuple(new[name] for name in scene.within)
    told = replace(told, shared=options, model=new[scene.model], within=within)
    file = bench.write(told, "plain.csv")
    text = (bench.folder / file).read_text(encoding="utf-8")
    (bench.folder / file).write_text(text.partition("\n")[2], encoding="utf-8")
    told = told.having(no_header=True, case=None if scene.of_test_set else new["case"])
    # Without a column of cases, models of test sets are not matched.
    verbs = ("ci",) if scene.of_test_set else Told.verbs
    return Told(told, (file,), but=("by", "message", "sentence"), verbs=verbs)


TELLINGS: tuple[Callable[[Bench, Scene], Told], ...] = (
    *(shuffled, another_kind_of_file, converted, odd_cases, odd_names, odd_columns, more_columns),
    *(filtered, scaled, omitted, of_alone, one_stratum, weighed, a_file_each, wide),
    *(numbered_columns,),
)
