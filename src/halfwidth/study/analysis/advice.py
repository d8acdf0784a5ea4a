"""Which method to use: methods ranked by reliability first, then by width, and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import UnknownNameError
from halfwidth.core.frozen import frozen
from halfwidth.core.rng import Key, derive_key, indices, resolve_seed
from halfwidth.core.spec import Kind
from halfwidth.core.types import Array, Level
from halfwidth.estimation.choose import choose
from halfwidth.estimation.records import Functional, Records
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.metrics.all_metrics import METRICS
from halfwidth.metrics.names import resolve_metric
from halfwidth.resampling.designs import Design
from halfwidth.study.analysis.cell_frames import need_columns, two_sided
from halfwidth.study.analysis.evidence import REFERENCES
from halfwidth.study.results import share_without

if TYPE_CHECKING:
    import pandas as pd

# What methods are ranked for, each by itself.
SUBJECT = (
    *("metric", "statistic", "average", "label"),
    *("confidence_level", "alternative", "n"),
)
# The first quartile of the coverage of a reliable method: it misses so many times as often as its
# level allows at most, which is 94 % at 95 %.
MISSES = 1.2
N_BOOTSTRAP = 1000
# A method that comes out as good as the first in more than this share of draws of tasks cannot be
# told apart from it.
UNLIKELY = 0.05
INTERVAL = (0.025, 0.975)
QUARTILE, MEDIAN, DECILE = 0.25, 0.5, 0.9
# Coverages below what is wanted by less are rounding.
ROUNDING = 1e-12
# Width ratios and coverages that agree to so many decimals are equal: numerical inversions leave
# differences beyond them between auto and the method that it takes.
DECIMALS = 6


@frozen
class _Group:
    """Coverages and width ratios of methods, (instances, methods), NaN where there are none."""

    names: tuple[str, ...]
    coverage: Array
    ratio: Array
    wanted: float

    def quantiles(self, counts: Array) -> dict[str, Array]:
        """What methods are ranked by, (draws, methods), each instance counted so often."""

        def quantile(values: Array, share: float) -> Array:
            by_method = [counted_quantile(column, counts, share) for column in values.T]
            return np.stack(by_method, axis=-1)

        return {
            "coverage_q1": quantile(self.coverage, QUARTILE),
            "ratio_median": quantile(self.ratio, MEDIAN),
            "ratio_q9": quantile(self.ratio, DECILE),
        }

    def placed(self, quantiles: dict[str, Array]) -> Array:
        """The place of each method in each draw, from 0; equal ones share the better place."""
        first, middle, wide = quantiles.values()
        reached = first >= self.wanted - ROUNDING
        # Reliable methods by their widths, then the others by how far they are from it.
        keys = np.stack(
            [
                np.where(reached, 0.0, np.where(np.isnan(first), 2.0, 1.0)),
                np.nan_to_num(np.where(reached, middle, -first), nan=np.inf),
                np.nan_to_num(np.where(reached, wide, middle), nan=np.inf),
            ]
        )
        before = np.zeros((*first.shape, first.shape[-1]), dtype=bool)
        equal = np.ones_like(before)
        for key in keys.round(DECIMALS):
            mine, other = key[..., :, None], key[..., None, :]
            before |= equal & (other < mine)
            equal &= other == mine
        return np.asarray(before.sum(axis=-1))


def advice(
    cells: pd.DataFrame,
    *,
    reference: str | None = None,
    n_bootstrap: int = N_BOOTSTRAP,
    rng: Any = None,
) -> pd.DataFrame:
    """Rank the methods for each metric, statistic or average, level and n.

    A method is reliable where the first quartile of its coverage over instances is at least
    1 - 1.2 α: 94 % of 95 % intervals, 88 % of 90 % intervals. Reliable methods are ranked by the
    median over instances of their mean width over that of a reference on the same instance, then
    by its ninth decile. The others come after them, by that first quartile.

    Instances of a task share its cases, so the ranking is done again on tasks that are drawn with
    replacement: that says how sure it is. ``auto`` is ranked as any other method where it was run.

    Parameters
    ----------
    cells : DataFrame
        As of `Results.to_frame`, of two-sided intervals; those of one-sided ones are left out,
        whose width is that of the range of the metric.
    reference : str, optional
        A method; default: t, else wilson, else percentile, else the first of the study.
    n_bootstrap : int
        Draws of tasks; 0 for none.
    rng : None, int, SeedSequence or Generator

    Returns
    -------
    DataFrame
        A row for each metric, statistic, average, label, level, alternative, n and method, ranked
        ones first:

        - ``rank`` (equal ones share a rank), ``wanted``, and ``reliable``;
        - ``instances``, ``tasks``, and ``coverage_q1``, ``coverage_median``, ``coverage_lowest``
          (an undefined interval is a miss), ``coverage_se``, the median Monte-Carlo standard error
          of the coverage of an instance, ``no_interval``, the share of samples without an interval;
        - ``reference``, ``width_ratio_median``, ``width_ratio_q9``;
        - ``coverage_q1_low``, ``coverage_q1_high``, an interval of 95 % of the quartile from the
          draws of tasks; ``first``, the share of the draws in which it is ranked first; ``tied``,
          whether it is as good as the method that is ranked first in more than 5 % of them. NaN
          and False where there is one task.

    Raises
    ------
    UnknownNameError
        If no cell is of the reference.
    DataError
        If columns are missing, or all intervals are one-sided.

    Examples
    --------
    >>> import pandas as pd
    >>> row = dict.fromkeys([*SUBJECT, "instance", "task"], "") | {"confidence_level": 0.95}
    >>> ways = {"t": (0.93, 0.2), "hall": (0.95, 0.3), "gaffke": (0.98, 0.4)}
    >>> cells = pd.DataFrame(
    ...     [
    ...         row | {"alternative": "two-sided", "method": name, "n": 10, "coverage_se": 0.01}
    ...         | {"coverage": coverage, "width_mean": width}
    ...         for name, (coverage, width) in ways.items()
    ...     ]
    ... )
    >>> advice(cells)["method"].tolist()
    ['hall', 'gaffke', 't']
    """
    import pandas as pd

    need_columns(
        cells, [*SUBJECT, "instance", "task", "method", "coverage", "coverage_se", "width_mean"]
    )
    cells = two_sided(cells)
    if reference is not None and reference not in set(cells["method"]):
        raise UnknownNameError(
            "method of the study", reference, list(dict.fromkeys(cells["method"]))
        )
    seed = resolve_seed(rng)
    parts = []
    for key, group in cells.groupby(list(SUBJECT), sort=True, dropna=False):
        subject: dict[str, Any] = dict(zip(SUBJECT, key, strict=True))
        key_of_draws = derive_key(seed, "advice", *map(str, key))
        parts.append(_ranked(group, reference, n_bootstrap, key_of_draws).assign(**subject))
    advised = pd.concat(parts, ignore_index=True)
    return advised[[*SUBJECT, *(name for name in advised.columns if name not in SUBJECT)]]


def auto_choice(metric: str, statistic: str, n: int, level: Level) -> str:
    """The method that ``auto`` takes of n plain values: none fails, no two are equal.

    Empty for a metric of test sets or one of the user's own, whose range is not known here.

    >>> auto_choice("dsc", "median", 10, Level())
    'exact'
    """
    name = metric.partition(":")[0]
    if not statistic or name not in METRICS:
        return ""
    known = resolve_metric(metric)
    low, high = known.spec.bounds.low, known.spec.bounds.high
    spread = (np.arange(n) + 0.5) / n
    start = low if np.isfinite(low) else 0.0
    values = start + spread * (min(high - start, 1.0))
    functional = Functional(resolve_statistic(statistic), known, known.spec.kind is Kind.BINARY)
    return choose(functional, Records(values, Design.iid(n), n, values=values), level).name


def _ranked(cells: pd.DataFrame, reference: str | None, n_bootstrap: int, key: Key) -> pd.DataFrame:
    """The methods of one metric, statistic, level and n."""
    import pandas as pd

    tables = {
        # The cells of a study stand once.
        name: cells.pivot(index=["task", "instance"], columns="method", values=name)  # noqa: PD010
        for name in ("coverage", "width_mean", "coverage_se")
    }
    coverage, widths = tables["coverage"], tables["width_mean"]
    names = tuple(map(str, coverage.columns))
    if reference not in names:
        reference = next((name for name in REFERENCES if name in names), names[0])
    width = widths.to_numpy(float)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = width / widths[reference].to_numpy(float)[:, None]
    ratio[~np.isfinite(ratio)] = np.nan
    wanted = 1 - MISSES * (1 - float(cells["confidence_level"].iloc[0]))
    none = share_without(cells).groupby(cells["method"]).mean()
    group = _Group(names, coverage.to_numpy(float), ratio, wanted)
    # Instances of a task share a code; those without a task have their own.
    named = [task or f"\0{instance}" for task, instance in coverage.index]
    tasks = np.asarray(np.unique(named, return_inverse=True)[1])
    once = group.quantiles(np.ones((1, len(coverage))))
    places = group.placed(once)[0]
    frame = pd.DataFrame(
        {
            "rank": places + 1,
            "method": names,
            "wanted": wanted,
            "reliable": once["coverage_q1"][0] >= wanted - ROUNDING,
            "instances": coverage.notna().sum().to_numpy(),
            "tasks": len(set(tasks)),
            "coverage_q1": once["coverage_q1"][0],
            "coverage_median": coverage.median().to_numpy(),
            "coverage_lowest": coverage.min().to_numpy(),
            "coverage_se": tables["coverage_se"].median().to_numpy(),
            "no_interval": [none[name] for name in names],
            "reference": reference,
            "width_ratio_median": once["ratio_median"][0],
            "width_ratio_q9": once["ratio_q9"][0],
            **_shares_of_draws(group, tasks, int(places.argmin()), n_bootstrap, key),
        }
    )
    return frame.sort_values(["rank", "method"], kind="stable")


def _shares_of_draws(
    group: _Group, tasks: NDArray[np.intp], best: int, n_bootstrap: int, key: Key
) -> dict[str, Any]:
    """What the ranking becomes on tasks drawn with replacement."""
    count = int(tasks.max()) + 1
    if count < 2 or not n_bootstrap:
        nothing = np.full(len(group.names), np.nan)
        names = ("coverage_q1_low", "coverage_q1_high", "first")
        return dict.fromkeys(names, nothing) | {"tied": False}
    drawn = indices(key, 0, n_bootstrap, count, count)
    task_counts = np.stack([np.bincount(row, minlength=count) for row in drawn])
    quantiles = group.quantiles(task_counts[:, tasks].astype(float))
    places = group.placed(quantiles)
    low, high = np.quantile(quantiles["coverage_q1"], INTERVAL, axis=0)
    as_good = (places <= places[:, [best]]).mean(axis=0)
    as_good[best] = 0.0
    return {
        "coverage_q1_low": low,
        "coverage_q1_high": high,
        "first": (places == 0).mean(axis=0),
        "tied": as_good > UNLIKELY,
    }


def counted_quantile(values: Array, counts: Array, share: float) -> Array:
    """Type-7 quantiles of values that count so often, (n,) and (draws, n) -> (draws,).

    NaNs count for nothing; a draw without any value is NaN.

    >>> counted_quantile(np.array([3.0, 1.0, 2.0]), np.array([[1.0, 1, 1], [2, 0, 1]]), 0.5)
    array([2., 3.])
    """
    known = ~np.isnan(values)
    order = np.argsort(values[known], kind="stable")
    ascending = np.append(values[known][order], np.nan)
    up_to = np.cumsum(counts[:, known][:, order], axis=1)
    total = up_to[:, -1:] if up_to.size else np.zeros((len(counts), 1))
    place = np.maximum(total - 1, 0) * share
    below = np.floor(place)
    low = ascending[(up_to <= below).sum(axis=1)]
    high = ascending[(up_to <= np.minimum(below + 1, total - 1)).sum(axis=1)]
    return np.asarray(low + (place - below)[:, 0] * (high - low))
