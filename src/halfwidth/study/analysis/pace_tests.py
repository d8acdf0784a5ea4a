"""Which paces differ: all pairs of metrics, statistics, methods or averages."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from halfwidth.core.errors import DataError, OptionError, UnknownNameError
from halfwidth.core.rng import derive_key, resolve_seed
from halfwidth.metrics.agreement import accuracy
from halfwidth.metrics.counting import balanced_accuracy
from halfwidth.study.analysis.cell_frames import SETTING, need_columns
from halfwidth.study.analysis.pace import with_equal_sizes
from halfwidth.study.analysis.permutation import (
    N_PERMUTATIONS,
    PermutationTest,
    sign_flip_test,
    two_sample_test,
)

if TYPE_CHECKING:
    import pandas as pd

BETWEEN = ("metric", "statistic", "method", "average")
LEVELS = ("instance", "task")
SIGNIFICANT = 0.05
# Metrics of a test set that are an average of recall under another name (André et al. 2025).
AVERAGED = {accuracy.__name__: ("recall", "micro"), balanced_accuracy.__name__: ("recall", "macro")}
# By which an instance of one metric is found in another.
PAIRED_BY = ["task", "model"]
WHAT = ("metric", "statistic", "average", "label")
HOW = ("method", "confidence_level", "alternative")


def pace_tests(
    paces: pd.DataFrame,
    between: str = "metric",
    *,
    level: str = "instance",
    n_permutations: int = N_PERMUTATIONS,
    rng: Any = None,
) -> pd.DataFrame:
    """Paired permutation tests of the paces of all pairs of metrics (or statistics, ...).

    A pair is compared on the instances, a model on a task, that both have, everything else being
    the same: two metrics for the same statistic and method, say.

    Parameters
    ----------
    paces : DataFrame
        As of `pace`.
    between : {"metric", "statistic", "method", "average"}
        For averages accuracy counts as micro recall and balanced accuracy as macro recall; what
        has no average, as MCC, is left out.
    level : {"instance", "task"}
        The instances of a task share its cases, so they are not independent, and a test that takes
        them to be so finds too much. At level ``task`` whole tasks flip their signs.
    n_permutations : int
        For each pair; all patterns are gone through where there are no more.
    rng : None, int, SeedSequence or Generator
        Each pair has draws of its own, whatever the other pairs.

    Returns
    -------
    DataFrame
        A row for each pair: what both have in common, ``a``, ``b``, ``n`` (instances), ``tasks``,
        ``left_out`` (instances with a pace that is NaN or of other n than most), ``mean_a``,
        ``mean_b``, ``difference``, ``p``, ``p_bonferroni`` = min(1, p · tested), ``significant``
        (p_bonferroni < 0.05), ``exact``, ``tested``. ``tested`` is the number of rows: all that is
        asked for at once is corrected for. André et al. divide by 8 or 4 whatever the number of
        pairs; choose rows of ``paces`` to ask for less. p is NaN where a pair shares no instance;
        it is not counted.

    Raises
    ------
    UnknownNameError
        If ``between`` or ``level`` is none of the choices.
    DataError
        If no two things can be compared or none of them share an instance, a task and model stand
        twice, or tasks have no names.

    References
    ----------
    André et al. (2025), S7.2.1.
    """
    if between not in BETWEEN:
        raise UnknownNameError("thing to compare", between, BETWEEN)
    _check(paces, level)
    common = [name for name in SETTING if name != between]
    table = _by_average(paces) if between == "average" else paces
    table = with_equal_sizes(table, common)
    seed = resolve_seed(rng)
    rows = []
    for key, group in table.groupby(common, sort=True, dropna=False):
        shared = dict(zip(common, key, strict=True))
        for a, b in itertools.combinations(sorted(group[between].unique()), 2):
            pair = _matched(group[group[between] == a], group[group[between] == b], between)
            row = shared | {"a": a, "b": b}
            pair_seed = _seed_of(seed, level, *key, a, b)
            rows.append(row | _paired(pair, level, n_permutations, pair_seed))
    if not rows:
        raise DataError(f"there are no two {between}s that differ in nothing else")
    if not any(row["n"] or row["left_out"] for row in rows):
        raise DataError(
            f"no two {between}s share an instance (task, model), so there is nothing to test; "
            "name tasks and models alike in the spec"
        )
    return _corrected(rows)


def unpaired_pace_tests(
    first: pd.DataFrame,
    second: pd.DataFrame,
    *,
    level: str = "instance",
    n_permutations: int = N_PERMUTATIONS,
    rng: Any = None,
) -> pd.DataFrame:
    """Two-sample permutation tests of paces between studies that share no instances.

    Such as every metric of a study of segmentations against every metric of one of
    classifications, for the same method.

    Parameters
    ----------
    first, second : DataFrame
        As of `pace`, fitted to the same n: a pace depends on them.
    level : {"instance", "task"}
        At level ``task`` whole tasks change sides.
    n_permutations, rng
        As for `pace_tests`.

    Returns
    -------
    DataFrame
        A row for each metric, statistic, average and label of the first with each of the second,
        by method, level and alternative: ``a``, ``b`` (such as ``mean dsc`` and ``macro recall``),
        ``n_a``, ``n_b``, ``tasks_a``, ``tasks_b``, ``left_out``, and from ``mean_a`` on the columns
        of `pace_tests`.

    Raises
    ------
    UnknownNameError
        If ``level`` is none of the choices.
    DataError
        If the two have no method in common, share instances of a metric (at level ``task``:
        tasks), or tasks have no names.

    References
    ----------
    André et al. (2025), S7.2.2.
    """
    import pandas as pd

    for side in (first, second):
        _check(side, level)
    _check_apart(first, second)
    both = with_equal_sizes(pd.concat([first, second], keys=[0, 1]), HOW)
    sides = [
        dict(iter(both.xs(nth).groupby([*HOW, *WHAT], sort=True, dropna=False))) for nth in (0, 1)
    ]
    seed = resolve_seed(rng)
    rows = []
    for (key_a, x), (key_b, y) in itertools.product(sides[0].items(), sides[1].items()):
        how, a, b = key_a[: len(HOW)], key_a[len(HOW) :], key_b[len(HOW) :]
        if how != key_b[: len(HOW)]:
            continue
        row = dict(zip(HOW, how, strict=True)) | {"a": _called(a), "b": _called(b)}
        pair_seed = _seed_of(seed, level, *how, *a, *b)
        rows.append(row | _unpaired(x, y, level, n_permutations, pair_seed))
    if not rows:
        raise DataError("the two studies have no method, level and alternative in common")
    return _corrected(rows)


# --------------------------------------------------------------------------- one pair


def _matched(a: pd.DataFrame, b: pd.DataFrame, between: str) -> pd.DataFrame:
    for side in (a, b):
        twice = side.duplicated(PAIRED_BY)
        if twice.any():
            task, model = side.loc[twice, PAIRED_BY].iloc[0]
            raise DataError(
                f"task {task!r} and model {model!r} occur twice for {between} "
                f"{side[between].iloc[0]!r}, so instances cannot be matched; name tasks and models"
            )
    columns = [*PAIRED_BY, "pace"]
    return a[columns].merge(b[columns], on=PAIRED_BY, suffixes=("_a", "_b"))


def _paired(pair: pd.DataFrame, level: str, count: int, seed: int) -> dict[str, Any]:
    used = pair.dropna(subset=["pace_a", "pace_b"])
    row = {
        "n": len(used),
        "tasks": int(used["task"].nunique()),
        "left_out": len(pair) - len(used),
    }
    test = None
    if len(used):
        groups = used["task"] if level == "task" else None
        differences = (used["pace_a"] - used["pace_b"]).to_numpy(float)
        test = sign_flip_test(differences, groups, count, seed)
    return row | _outcome(used["pace_a"], used["pace_b"], test)


def _unpaired(
    x: pd.DataFrame, y: pd.DataFrame, level: str, count: int, seed: int
) -> dict[str, Any]:
    left, right = x.dropna(subset=["pace"]), y.dropna(subset=["pace"])
    row = {
        "n_a": len(left),
        "n_b": len(right),
        "tasks_a": int(left["task"].nunique()),
        "tasks_b": int(right["task"].nunique()),
        "left_out": len(x) + len(y) - len(left) - len(right),
    }
    test = None
    if len(left) and len(right):
        tasks = (left["task"], right["task"]) if level == "task" else (None, None)
        test = two_sample_test(left["pace"], right["pace"], tasks[0], tasks[1], count, seed)
    return row | _outcome(left["pace"], right["pace"], test)


def _outcome(
    a: pd.Series[float], b: pd.Series[float], test: PermutationTest | None
) -> dict[str, Any]:
    mean_a, mean_b = float(a.mean()), float(b.mean())
    return {
        "mean_a": mean_a,
        "mean_b": mean_b,
        "difference": mean_a - mean_b,
        "p": float("nan") if test is None else test.p,
        "exact": test is not None and test.exact,
    }


def _corrected(rows: list[dict[str, Any]]) -> pd.DataFrame:
    import pandas as pd

    tests = pd.DataFrame(rows)
    tested = int(tests["p"].notna().sum())
    tests["p_bonferroni"] = (tests["p"] * tested).clip(upper=1.0)
    tests["significant"] = tests["p_bonferroni"] < SIGNIFICANT
    tests["tested"] = tested
    last = ["p", "p_bonferroni", "significant", "exact", "tested"]
    return tests[[name for name in tests.columns if name not in last] + last]


# --------------------------------------------------------------------------- words


def _by_average(paces: pd.DataFrame) -> pd.DataFrame:
    """Recall under its own name; only what is an average."""
    table = paces.copy()
    for name, (metric, average) in AVERAGED.items():
        same = table["metric"] == name
        table.loc[same, ["metric", "average"]] = [metric, average]
    return table[table["average"] != ""]


def _called(target: tuple[Any, ...]) -> str:
    metric, statistic, average, label = map(str, target)
    words = " ".join(part for part in (average, statistic, metric) if part)
    return f"{words} of {label}" if label else words


def _seed_of(seed: int, *pair: object) -> int:
    """The seed of one pair, so that the others do not matter."""
    return derive_key(seed, "paces", *pair).value


def _check(paces: pd.DataFrame, level: str) -> None:
    if level not in LEVELS:
        raise UnknownNameError("level", level, LEVELS)
    need_columns(paces, ["instance", *PAIRED_BY, *SETTING])
    if "pace" not in paces.columns:
        raise OptionError("these are not paces; give what hw.study.analysis.pace(cells) returns")
    unnamed = paces["task"].isna() | (paces["task"] == "")
    if level == "task" and unnamed.any():
        raise DataError(
            f"{int(unnamed.sum())} paces are of instances without a task; name tasks in the spec, "
            "or test at level instance"
        )


def _check_apart(first: pd.DataFrame, second: pd.DataFrame) -> None:
    """Refuse an instance on both sides, which is not independent of itself."""
    place = [*PAIRED_BY, "metric", "instance"]
    # Instances without either name are known by their own.
    sides = [
        side[[*HOW, *place]].assign(
            instance=side["instance"].where((side[PAIRED_BY].fillna("") == "").all(axis=1), "")
        )
        for side in (first, second)
    ]
    both = sides[0].merge(sides[1], on=[*HOW, *place])[place].drop_duplicates()
    if len(both):
        differing = ", ".join(f"{name} {value!r}" for name, value in both.iloc[0].items() if value)
        raise DataError(
            f"{len(both)} of the instances stand on both sides, the first of {differing}; unpaired "
            "tests need studies without common instances: choose rows, or test them paired"
        )
