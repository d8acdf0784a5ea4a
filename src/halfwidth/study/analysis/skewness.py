"""How far skewness tells the pace of coverage: a mixed model over instances."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from halfwidth.core.errors import DataError, OptionError, UnknownNameError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.rng import Key, derive_key, indices, resolve_seed, uniforms
from halfwidth.core.types import Array
from halfwidth.study.analysis.cell_frames import SETTING, need_columns
from halfwidth.study.analysis.mixed import (
    Grouping,
    MixedModel,
    Products,
    cross_products,
    describe_model,
    fit_mixed,
    number_levels,
    replace_observed,
    solve,
)
from halfwidth.study.analysis.pace import with_equal_sizes

if TYPE_CHECKING:
    import pandas as pd

GROUPS = ("task", "metric")
INTERVALS_OF_R = ("parametric", "tasks")
N_BOOTSTRAP = 199
# Fewer refits than this say nothing about the ends of an interval.
FEWEST = 20
X = "skewness"
# What a model gives, whatever its groupings.
NUMBERS = (
    *("intercept", "intercept_se", "slope", "slope_se", "residual_variance", "log_likelihood"),
    *("marginal_r2", "conditional_r2", "r", "r_low", "r_high"),
)


@frozen
class ModelOptions:
    """The options that the models of all rows share."""

    groups: tuple[str, ...]
    reml: bool
    interval: str
    confidence_level: float
    n_bootstrap: int


def skewness_model(
    paces: pd.DataFrame,
    *,
    absolute: bool = True,
    groups: Sequence[str] = GROUPS,
    reml: bool = True,
    interval: str = "parametric",
    confidence_level: float = 0.95,
    n_bootstrap: int = N_BOOTSTRAP,
    rng: Any = None,
) -> pd.DataFrame:
    """Linear mixed models of pace on skewness, with random intercepts for task and metric.

    Instances share tasks and metrics, so a plain correlation would take them to be more than they
    are. The share of variance that skewness explains, r² = R²m, has r as its signed root, which
    reads like a correlation between skewness and pace.

    Parameters
    ----------
    paces : DataFrame
        As of `pace`; what should not be part of a model is to be left out before.
    absolute : bool
        Take the size of the skewness. Bounded metrics of which more is better lean to the left and
        distances to the right, and both slow coverage down, so that a signed skewness would set
        them against each other. André et al. do not say which they took.
    groups : sequence of str
        Columns with random intercepts. One with a single level (a study of one metric) is left out
        of the model and named in ``left_out``.
    reml : bool
        Restricted maximum likelihood; else maximum likelihood.
    interval : {"parametric", "tasks"}
        How r gets its percentile interval. ``parametric``: refitted to values drawn from the
        fitted model, skewness staying. ``tasks``: refitted to tasks drawn with replacement, which
        does not lean on normal effects, but on many tasks. Neither is exact; r is the root of a
        share, so its bootstrap is biased away from 0 where skewness explains little.
    confidence_level : float
    n_bootstrap : int
        Refits; 0 leaves the interval NaN.
    rng : None, int, SeedSequence or Generator

    Returns
    -------
    DataFrame
        A row for each statistic, average, label, method, level and alternative: ``n``, ``dropped``
        (rows whose pace or skewness is NaN, or whose pace is of other n than most), ``intercept``,
        ``intercept_se``, ``slope``, ``slope_se`` (change of pace by unit of skewness),
        ``variance_task``, ``variance_metric`` (by grouping, NaN where left out),
        ``residual_variance``, ``log_likelihood``, ``marginal_r2``, ``conditional_r2``, ``r``,
        ``r_low``, ``r_high``, ``interval``, ``refits`` (those that worked), ``left_out``, and
        ``not_fitted``, why there is no model of the row (a method whose coverage is constant leaves
        no residual); the others of it are NaN then.

    Raises
    ------
    UnknownNameError
        If ``interval`` is none of the choices.
    OptionError
        If a number is out of range.
    DataError
        If columns are missing, or no model can be fitted: rows are too few, or skewness or pace is
        the same in all.

    References
    ----------
    André et al. (2025), 4.3; Nakagawa and Schielzeth (2013).
    """
    import pandas as pd

    options = ModelOptions(tuple(groups), reml, interval, confidence_level, n_bootstrap)
    _check(paces, options)
    common = [name for name in SETTING if name != "metric"]
    paces = with_equal_sizes(paces, common)
    seed = resolve_seed(rng)
    rows = []
    for key, group in paces.groupby(common, sort=True, dropna=False):
        shared: dict[str, Any] = dict(zip(common, key, strict=True))
        skewness = group["population_skewness"].to_numpy(float)
        table = group.assign(**{X: np.abs(skewness) if absolute else skewness})
        used = table.dropna(subset=["pace", X])
        row = shared | {"n": len(used), "dropped": len(table) - len(used), "not_fitted": ""}
        try:
            row |= _fit_row(used, options, derive_key(seed, "skewness", *key))
        except DataError as why:
            row |= _unfitted_row(options, str(why))
        rows.append(row)
    models = pd.DataFrame(rows)
    if (models["not_fitted"] != "").all():
        raise DataError("; ".join(dict.fromkeys(models["not_fitted"])))
    return models


def _unfitted_row(options: ModelOptions, why: str) -> dict[str, Any]:
    nothing = dict.fromkeys([*NUMBERS, *(f"variance_{name}" for name in options.groups)], np.nan)
    words = {"interval": options.interval, "left_out": "", "not_fitted": why}
    return nothing | words | {"refits": 0}


def _check(paces: pd.DataFrame, options: ModelOptions) -> None:
    need_columns(paces, [*SETTING, "population_skewness", "task", *options.groups])
    if "pace" not in paces.columns:
        raise OptionError("these are not paces; give what hw.study.analysis.pace(cells) returns")
    if options.interval not in INTERVALS_OF_R:
        raise UnknownNameError("interval of r", options.interval, INTERVALS_OF_R)
    if not 0 < options.confidence_level < 1:
        raise OptionError(
            f"{spelled('confidence_level', options.confidence_level)} is not between 0 and 1"
        )
    if options.n_bootstrap and options.n_bootstrap < FEWEST:
        raise OptionError(
            f"n_bootstrap={options.n_bootstrap} refits are too few for an interval; "
            f"give 0 or at least {FEWEST}"
        )


def _fit_row(used: pd.DataFrame, options: ModelOptions, key: Key) -> dict[str, Any]:
    groups = {name: used[name] for name in options.groups}
    model = fit_mixed(used["pace"], {X: used[X]}, groups, reml=options.reml)
    parametric = options.interval == "parametric"
    refits = _r_of_parametric_bootstrap if parametric else _r_of_task_bootstrap
    replicates = refits(used, model, options, key)
    r_values = np.array(list(replicates)) if options.n_bootstrap else np.zeros(0)
    r_values = r_values[~np.isnan(r_values)]
    low = high = np.nan
    if len(r_values) >= FEWEST:
        tail = (1 - options.confidence_level) / 2
        low, high = np.quantile(r_values, [tail, 1 - tail])
    (intercept, slope), (intercept_se, slope_se) = model.coefficients, model.standard_errors
    return {
        "intercept": intercept,
        "intercept_se": intercept_se,
        "slope": slope,
        "slope_se": slope_se,
        **{f"variance_{name}": model.variances.get(name, np.nan) for name in options.groups},
        "residual_variance": model.residual_variance,
        "log_likelihood": model.log_likelihood,
        "marginal_r2": model.marginal_r2,
        "conditional_r2": model.conditional_r2,
        "r": _signed(slope, model.marginal_r2),
        "r_low": float(low),
        "r_high": float(high),
        "interval": options.interval,
        "refits": len(r_values),
        "left_out": "; ".join(f"{name}: {why}" for name, why in model.left_out.items()),
    }


def _signed(slope: float, share: float) -> float:
    return float(np.copysign(np.sqrt(share), slope))


# --------------------------------------------------------------------------- bootstrap


def _r_of_parametric_bootstrap(
    used: pd.DataFrame, model: MixedModel, options: ModelOptions, key: Key
) -> Iterator[float]:
    """Replicates of r with effects and residuals drawn from the fitted model."""
    from scipy import special

    design = np.column_stack([np.ones(len(used)), used[X].to_numpy(float)])
    grouping, _ = number_levels({name: used[name] for name in options.groups}, len(used))
    start = _ratios(model, grouping)
    residual = np.sqrt(model.residual_variance)
    spread = residual * start[grouping.group_of_level]
    mean = design @ np.array(model.coefficients)
    levels = len(spread)
    cross = cross_products(mean, design, grouping)
    for b in range(options.n_bootstrap):
        normal = special.ndtri(uniforms(key, b, b + 1, levels + len(used))[0])
        effects = (spread * normal[:levels])[grouping.place].sum(axis=0)
        observed = mean + effects + residual * normal[levels:]
        redrawn = replace_observed(cross, observed, design, grouping)
        yield _refit(redrawn, design, grouping, start, options)


def _ratios(model: MixedModel, grouping: Grouping) -> Array:
    variances = np.array([model.variances.get(name, 0.0) for name in grouping.names])
    return np.sqrt(variances / model.residual_variance)


def _refit(
    cross: Products, design: Array, grouping: Grouping, start: Array, options: ModelOptions
) -> float:
    ratios = solve(cross, len(grouping.names), options.reml, start)
    model = describe_model(cross, design, ratios, grouping, ("intercept", X), {}, options.reml)
    return _signed(model.coefficients[1], model.marginal_r2)


def _r_of_task_bootstrap(
    used: pd.DataFrame, model: MixedModel, options: ModelOptions, key: Key
) -> Iterator[float]:
    """Replicates of r with tasks drawn with replacement; a task drawn twice counts as two."""
    by_task = [place for _, place in sorted(used.groupby("task").indices.items())]
    columns = {name: used[name].to_numpy() for name in dict.fromkeys(("pace", X, *options.groups))}
    for b in range(options.n_bootstrap):
        drawn = [by_task[i] for i in indices(key, b, b + 1, len(by_task), len(by_task))[0]]
        rows = np.concatenate(drawn)
        table = {name: values[rows] for name, values in columns.items()}
        if "task" in table:
            table["task"] = np.repeat(np.arange(len(drawn)), list(map(len, drawn)))
        grouping, _ = number_levels({name: table[name] for name in options.groups}, len(rows))
        design = np.column_stack([np.ones(len(rows)), table[X].astype(float)])
        if np.ptp(design[:, 1]) == 0:  # one task, whose instances are as skewed
            yield float("nan")
            continue
        cross = cross_products(table["pace"].astype(float), design, grouping)
        yield _refit(cross, design, grouping, _ratios(model, grouping), options)
