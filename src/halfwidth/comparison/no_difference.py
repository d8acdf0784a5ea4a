"""Tests that two models do equally well: which test answers which question, and a family of them.

They stand beside the interval of the difference and never in its place: a p-value says neither how
large the difference is nor that there is none.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from halfwidth.comparison.paired_tests import mcnemar, wilcoxon
from halfwidth.core.cautions import Caution, caution
from halfwidth.core.checks import as_choice
from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.formatting import rough_percent
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import ENLARGED, Estimand, Statistic
from halfwidth.estimation.pipeline import Job
from halfwidth.estimation.records import Functional
from halfwidth.estimation.resolve import AUTO, Request
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.engines import engine_for
from halfwidth.resampling.permutations.label_tests import label_test
from halfwidth.resampling.permutations.swap_tests import (
    PermutationResult,
    differing_units,
    swap_tests,
)
from halfwidth.results.comparison import TestResult

NONE = "none"
Pairs = Sequence[tuple[str, str]]


@frozen
class Setting:
    """What two models are compared on."""

    functional: Functional
    design: Design
    paired: bool

    @property
    def binary(self) -> bool:
        """Whether each case is a success or a failure of either model."""
        return self.functional.binary

    @property
    def clustered(self) -> bool:
        """Whether cases belong together."""
        return self.design.sizes is not None


@frozen
class TestSpec:
    """A test, and when it answers the question."""

    __test__ = False  # not a class of tests

    name: str
    # What it asks of the cases; and the same in a clause, of cases that are paired.
    question: str
    asks: str
    # Why it cannot be made in a setting; empty where it can.
    refusal: Callable[[Setting], str]
    cite: str = ""


def _is_enlarged(setting: Setting) -> bool:
    """Whether it is an error that noise makes larger, as of calibration.

    Predictions that change places then make models that are calibrated in another way: two models
    that differ, with equal true errors, are rejected in 18 to 26 % of samples (decision 0073).
    """
    return setting.functional.statistic.spec.estimand in ENLARGED


def _question_of_permutation(setting: Setting) -> str:
    if not setting.paired and len(setting.design.strata) > 1:
        return "exchanges no labels of unpaired models within strata"
    return ""


def _question_of_mcnemar(setting: Setting) -> str:
    if not setting.paired:
        return "takes decisions of both models on the same cases"
    if not setting.functional.is_proportion:
        return "compares shares of cases, each a success or a failure, as accuracy does"
    return "takes cases for independent, and these are in clusters" if setting.clustered else ""


def _question_of_wilcoxon(setting: Setting) -> str:
    statistic = setting.functional.statistic
    if not setting.paired:
        return "takes values of both models on the same cases"
    if statistic.spec.of_records or setting.binary:
        return "takes a value of each case, on a scale"
    middle = statistic.spec.estimand in (Estimand.MEAN, Estimand.TRIMMED_MEAN)
    if not (middle or statistic.quantile_level == 0.5):
        return f"asks where the differences of cases lie, and not about their {statistic.spec.name}"
    return ""


_AS_MANY = "whether as many of these cases favour the one model as the other"
# Which test answers which question. `auto` takes the first of AUTO_ORDER that can be made.
TESTS = (
    TestSpec(
        "permutation",
        "Could each case's two results (or ranks, or decisions) as well be the other model's? The "
        "statistic is the difference itself.",
        "whether either model's results of these cases could as well be the other's",
        _question_of_permutation,
        "bandos2005",
    ),
    TestSpec(
        "mcnemar",
        "Of the cases in which one model is right and the other wrong, do as many favour the one "
        "as the other? Exact: never above its level, mostly far below.",
        _AS_MANY,
        _question_of_mcnemar,
        "mcnemar1947",
    ),
    TestSpec(
        "mcnemar_midp",
        "The same, with half of the probability of what was observed: close to its level.",
        _AS_MANY,
        _question_of_mcnemar,
        "fagerland2013",
    ),
    TestSpec(
        "wilcoxon",
        "Do the differences of cases lie as far above 0 as below, by their ranks? A large "
        "difference in few cases hardly counts; it is no test of the mean.",
        "whether the differences of these cases lie as far above 0 as below, by their ranks",
        _question_of_wilcoxon,
        "wilcoxon1945",
    ),
)
BY_NAME = {spec.name: spec for spec in TESTS}
AUTO_ORDER = ("mcnemar_midp", "permutation")


def run_tests(
    test: str, jobs: Mapping[str, Job], pairs: Pairs, request: Request, *, paired: bool = True
) -> list[TestResult | None]:
    """Tests of the pairs of one family, all on the same draws; not yet adjusted for their number.

    The p-value is NaN where ``"auto"`` has no test to offer; there are no results with ``"none"``.
    """
    as_choice("test", test)
    if test == NONE:
        return [None] * len(pairs)
    plan = Plan(request.seed, request.n_resamples, threads=request.threads)
    results: list[TestResult | None] = [None] * len(pairs)
    for places in _comparable_pairs(jobs, pairs, paired):
        compared = [(jobs[pairs[i][0]], jobs[pairs[i][1]]) for i in places]
        first = compared[0][0]
        setting = Setting(first.functional, first.records.design, paired)
        spec = _chosen(test, setting)
        outcomes = _outcomes(spec, setting, compared, plan)
        for place, both, outcome in zip(places, compared, outcomes, strict=True):
            results[place] = _result(spec, setting, both, outcome, request)
    return results


def _comparable_pairs(jobs: Mapping[str, Job], pairs: Pairs, paired: bool) -> list[list[int]]:
    """Places of the pairs that are compared by one statistic on cases of one design."""
    places: dict[Any, list[int]] = defaultdict(list)
    for place, (one, other) in enumerate(pairs):
        first, second = jobs[one], jobs[other]
        design, statistic = first.records.design, first.functional.statistic
        shapes = {job.records.arranged.shape for job in (first, second)}
        if paired and (design != second.records.design or len(shapes) > 1):
            raise DataError(
                f"{one} has {first.records.n_cases} cases and {other} {second.records.n_cases}; a "
                "paired test needs the same cases of both"
            )
        key = (statistic.spec, tuple(statistic.parameters.items()), first.functional.binary)
        places[key, design].append(place)
    return list(places.values())


def _chosen(test: str, setting: Setting) -> TestSpec | None:
    """The test by its name, or the first that answers the question; None where none does."""
    if test == AUTO:
        specs = (BY_NAME[name] for name in AUTO_ORDER)
        if _is_enlarged(setting):
            return None
        return next((spec for spec in specs if not spec.refusal(setting)), None)
    spec = BY_NAME[test]
    refusal = spec.refusal(setting)
    if refusal:
        others = [one.name for one in TESTS if not one.refusal(setting)]
        raise OptionError(
            f"{spelled('test', test)} {refusal}; for these cases: "
            f"{', '.join([AUTO, *others, NONE])}"
        )
    return spec


def _outcomes(
    spec: TestSpec | None, setting: Setting, compared: Sequence[tuple[Job, Job]], plan: Plan
) -> list[PermutationResult]:
    records = [(first.records, second.records) for first, second in compared]
    values = [(first.arranged, second.arranged) for first, second in records]
    if spec is None:
        return [PermutationResult(np.nan, None)] * len(records)
    if spec.name == "wilcoxon":
        return wilcoxon([first - second for first, second in values], setting.design, plan)
    if spec.name != "permutation":
        mid_p = spec.name == "mcnemar_midp"
        return [PermutationResult(mcnemar(*pair, mid_p=mid_p), None) for pair in values]
    statistic = setting.functional.statistic
    if setting.paired:
        return swap_tests(values, setting.design, statistic, plan)
    return [_permute_labels(first, second, statistic, plan) for first, second in compared]


def _permute_labels(first: Job, second: Job, statistic: Statistic, plan: Plan) -> PermutationResult:
    """NaN where either model has no value: what is known of its cases may then be no share."""
    for job in (first, second):
        if math.isnan(job.value):
            return PermutationResult(math.nan, None)
    one, other = first.records, second.records
    return label_test((one.arranged, one.design), (other.arranged, other.design), statistic, plan)


# --------------------------------------------------------------------------- results


def _result(
    spec: TestSpec | None,
    setting: Setting,
    compared: tuple[Job, Job],
    outcome: PermutationResult,
    request: Request,
) -> TestResult:
    reason = "the difference is undefined on these cases"
    if spec is None and _is_enlarged(setting):
        reason = (
            "auto exchanges no predictions of models whose errors noise makes larger, since models "
            "of equal true errors need not be alike"
        )
    elif spec is None:
        reason = "labels of unpaired models are not exchanged within strata"
    cautions = [] if spec is None else _few_units(spec, setting, compared, request.level.alpha)
    if outcome.undefined_share:
        cautions.append(caution("HW812", share=rough_percent(outcome.undefined_share)))
    if math.isnan(outcome.p_value):
        cautions.append(caution("HW813", reason=reason))
    spec = spec or BY_NAME["permutation"]
    return TestResult(
        spec.name,
        title_of(spec.name, setting),
        outcome.p_value,
        outcome.n_resamples,
        cautions=tuple(cautions),
    )


def title_of(name: str, setting: Setting) -> str:
    """The test in prose, by what it swaps."""
    clusters = ", whole clusters" if setting.clustered else ""
    if name == "wilcoxon":
        return "Wilcoxon signed-rank" + clusters
    if name != "permutation":
        return "exact McNemar" if name == "mcnemar" else "mid-p McNemar"
    if not setting.paired:
        return "permutation of the models' labels" + clusters
    return _permuted(setting) + clusters


def _permuted(setting: Setting) -> str:
    spec = setting.functional.statistic.spec
    statistic = setting.functional.statistic
    swapped = engine_for(statistic).permutations.swapped_text(statistic)
    if not swapped and spec.estimand is Estimand.MEAN:
        return "sign-flip permutation"
    swapped = swapped or f"paired {'predictions' if spec.of_records else 'values'}"
    return f"permutation of {swapped}"


def _few_units(
    spec: TestSpec, setting: Setting, compared: tuple[Job, Job], alpha: float
) -> list[Caution]:
    """Whether the most extreme outcome of a paired test is no rare one."""
    if not setting.paired:
        return []
    first, second = (job.records.arranged for job in compared)
    units = differing_units(first, second, setting.design)
    least = 0.5 ** (units if spec.name == "mcnemar_midp" else units - 1)
    if not units or least <= alpha:
        return []
    noun = "cluster" if setting.clustered else "case"
    return [caution("HW811", units=units, noun=noun + "s" * (units != 1), least=least)]
