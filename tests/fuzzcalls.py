"""Random calls of the public functions: what their arguments are drawn from.

Most arguments are good, so that calls get past the first check; some are anything.
"""

from __future__ import annotations

import datetime as dt
import functools
import inspect
import itertools
import math
import operator
import random
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from types import FunctionType
from typing import Any

import numpy as np
import pandas as pd
from detectioncurves import curves, over_several
from detectionscenes import boxed, solid
from handmade import hand_made
from over_data import over
from support import RANKING_KINDS
from usual_calls import usual_argument

import halfwidth as hw
from halfwidth.core.option_table.option import DataKind, Option
from halfwidth.core.option_table.table import option_of
from halfwidth.plots import Figure

__all__ = ["FILES", "call_of", "public_functions"]

# Share of arguments that are anything, and of those with a default that are given at all.
ANYTHING, GIVEN = 0.05, 0.25
# These are always given: their defaults are work for seconds.
COSTLY = ("n_resamples", "n_samples", "repeats")
# What reads or writes files is fuzzed with files.
FILES = {
    "planning": set[str](),
    "plots": {"write_figure"},
    "hw": {"score_folders", "read", "read_objects"},
}

Draw = Callable[["Source"], Any]


class Source(random.Random):
    """Random choices, and how many cases this call is about."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.n = self.choice([1, 2, 3, 5, 8, 12, 20, 20, 30, 40])
        self.numpy = np.random.default_rng(seed)

    def one_of(self, *drawn: Draw) -> Any:
        return self.choice(drawn)(self)


# --------------------------------------------------------------------------- anything

ANYTHINGS: tuple[Draw, ...] = (
    *(
        (lambda s, value=value: value)
        for value in (
            *(None, True, False, 0, 1, -1, 2, 7, 0.5, 1.5, -0.0, 95, 2**63, -(2**70), 10**30),
            *(10**400, math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324, 1e-320, 1e-200),
            *(1j, 1 + 0j, np.complex128(2), np.float32(0.95), np.longdouble(1), np.int8(3)),
            *("", "a", "0.5", "95%", "auto", "dsc", "\x1b[31m", "a\nb", "\ud800", "x" * 5000),
            *(b"ab", [], (), {}, set(), [None], [[]], ["a", "b"], [1, [2]], {"a": 1}, {"a": [1]}),
            *({1, 2}, frozenset({"a"}), range(4), slice(3), len, int, object(), Ellipsis),
            *(Decimal("0.9"), Decimal("sNaN"), Fraction(1, 3), dt.date(2024, 1, 1)),
            *(np.array(0.5), np.empty(0), np.zeros((2, 2, 2)), np.array([1j, 2]), np.eye(3)),
            *(np.array(["2024"], "M8[Y]"), np.array([(1, 2.0)], dtype=[("a", int), ("b", float)])),
            *(
                np.array([1, None], object),
                np.ma.masked_array([1.0, 2.0], [False, True]),
                pd.NA,
                pd.NaT,
            ),
            *(pd.Series([1.0, 2.0]), pd.DataFrame({"a": [1.0]}), pd.DataFrame(), np.random),
        )
    ),
    lambda s: (x for x in [0.1, 0.2]),
    lambda s: np.random.RandomState(1),
    lambda s: np.void(b"abc"),
    lambda s: memoryview(b"abc"),
)


def anything(s: Source) -> Any:
    return s.one_of(*ANYTHINGS)


# --------------------------------------------------------------------------- numbers and labels


def plain_numbers(s: Source) -> list[float]:
    """Numbers of cases, most of them those of a metric in [0, 1]."""
    g, n = s.numpy, s.n
    made: Any = s.choice(
        [
            g.beta(8, 2, n),
            g.beta(8, 2, n),
            g.uniform(size=n),
            g.integers(0, 5, n) / 4,
            g.integers(0, 2, n),
            np.ones(n),
            np.full(n, 0.3),
            np.r_[g.beta(8, 2, n)[1:], 0.0],
            g.normal(size=n),
            g.normal(size=n) * 10 ** s.uniform(-120, 120),
            1 + g.normal(size=n) * 1e-15,
            g.lognormal(3, 1, n),
            g.uniform(0, 100, n),
            -np.zeros(n),
            g.choice([5e-324, 0.0, 1e-308], n),
            g.choice([1e308, -1e308, 1e99], n),
        ]
    )
    return [float(x) for x in made]


def numbers(s: Source) -> Any:
    """Numbers of cases in one of the shapes that people have them in."""
    made: Any = plain_numbers(s)
    if made and s.random() < 0.1:
        made[s.randrange(len(made))] = s.choice(
            [math.nan, None, math.inf, -math.inf, pd.NA, "0.5", "a", 1j, 2**70, True, Decimal(1)]
        )
    shapes: list[Callable[[Any], Any]] = [
        list,
        list,
        list,
        tuple,
        np.array,
        pd.Series,
        lambda v: np.array(v, dtype=object),
        lambda v: np.ma.masked_array(v, np.arange(len(v)) == 1),
    ]
    if all(isinstance(x, float) for x in made):
        shapes += [
            lambda v: np.array(v, np.longdouble),
            lambda v: np.clip(v, -1e4, 1e4).astype(np.float16),
            lambda v: np.clip(v, -1e30, 1e30).astype(np.float32),
            lambda v: [Decimal(repr(x)) for x in v],
        ]
    return s.choice(shapes)(made)


def clusters(s: Source) -> Any:
    many = s.choice([1, 2, max(1, s.n // 2), s.n])
    made = [s.choice([i % many, f"p{i % many}"]) if many > 2 else i % many for i in range(s.n)]
    shapes: list[Callable[[Any], Any]] = [list, np.array, pd.Series, tuple]
    return s.choice(shapes)(made)


def classes(s: Source) -> Any:
    two = [[0, 1], [0, 1], [False, True], ["a", "b"], [-1, 1], [3.0, 5]]
    names: Any = s.choice([*two, [0, 1, 2], [0, 1, 2], [0, 1, 2]])
    made = [*names[: s.n], *(s.choice(names) for _ in range(s.n - len(names)))]
    return s.choice([made, made, np.array(made)])


def never_predicted(g: np.random.Generator, n: int) -> Any:
    """Probabilities of three classes, of which the last has none."""
    return np.column_stack([g.dirichlet(np.ones(2), n), np.zeros(n)])


def predictions(s: Source) -> Any:
    """Scores, of one class or of all, or labels."""
    g, n = s.numpy, s.n
    made = s.choice(
        [
            g.uniform(size=n),
            g.uniform(size=n),
            g.integers(0, 4, n) / 4,
            g.normal(size=n) * 3,
            g.dirichlet(np.ones(3), n),
            g.dirichlet(np.ones(2), n),
            g.uniform(size=n) + 1j * g.integers(0, 2, n),
            g.choice([-np.inf, 0.0, 1e300, np.nan], n),
            *(g.choice([0.0, 1.0, 0.5, 0.3], n), np.full(n, 0.3), g.uniform(0, 1e-9, n)),
            g.choice([5e-324, 0.5, 1 - 2**-53], n),
            *(never_predicted(g, n), never_predicted(g, n), np.eye(3)[g.integers(0, 3, n)]),
        ]
    )
    return classes(s) if s.random() < 0.25 else s.choice([made, made.tolist()])


def column_table(s: Source) -> Any:
    """A table with a row per case, some of whose columns are what they should be."""
    columns: dict[str, Any] = {
        "case": [f"c{i}" for i in range(s.n)],
        "dice": plain_numbers(s),
        "model": [s.choice("ab") for _ in range(s.n)],
    }
    if s.random() < 0.3:
        columns[s.choice(["metric", "value", "status", "seed", "fold", "n", "mean"])] = s.choice(
            [plain_numbers(s), ["dsc"] * s.n, list(range(s.n)), [None] * s.n, [[1]] * s.n]
        )
    return s.choice([dict, pd.DataFrame])(columns)


def compared_models(s: Source) -> Any:
    """Values of one to three models, or predictions."""
    drawn = s.choice([numbers, plain_numbers, plain_numbers, predictions])
    made = {name: drawn(s) for name in "abc"[: s.choice([1, 2, 2, 3])]}
    if s.random() < 0.3:
        plain = {name: plain_numbers(s)[:1] * s.n for name in made}
        return pd.DataFrame(plain, index=[f"c{i}" for i in range(s.n)])
    return made


def compared_tables(s: Source) -> Any:
    """A long table of models, a wide one, or a table for each model."""
    cases = [f"c{i}" for i in range(s.n)]
    parts = {
        name: pd.DataFrame(
            {
                "case": cases,
                "model": f"m{at}",
                "truth": [i % 2 for i in range(s.n)],
                "dice": plain_numbers(s),
                "other": plain_numbers(s),
            }
        )
        for at, name in enumerate("ab")
    }
    together = pd.concat(parts.values(), ignore_index=True)
    return s.choice([together, together, parts["a"], parts, list(parts.values())])


def audited_tables(s: Source) -> Any:
    """A table for each of some models."""
    return {name: column_table(s) for name in "abc"[: s.choice([1, 2, 3])]}


def rated_table(s: Source) -> Any:
    """Values of cases of a model with two raters, and of these with each other."""
    pairs = [("m", "A"), ("m", "B"), ("A", "B")]
    columns: dict[str, Any] = {
        "case": [f"c{i}" for i in range(s.n)] * 3,
        "prediction": [one for one, _ in pairs for _ in range(s.n)],
        "reference": [other for _, other in pairs for _ in range(s.n)],
        "dice": s.numpy.beta(8, 2, 3 * s.n),
    }
    return s.choice([dict, pd.DataFrame])(columns)


def read_table(s: Source) -> Any:
    """What a model and two raters said of cases in two modalities, a row for each."""
    columns: dict[str, Any] = {
        "case": [f"c{i}" for i in range(s.n)] * 6,
        "reader": [name for name in "mAB" for _ in range(2 * s.n)],
        "mode": [name for _ in "mAB" for name in ("CT", "MR") for _ in range(s.n)],
        "grade": s.numpy.integers(0, 3, 6 * s.n),
    }
    return s.choice([dict, pd.DataFrame])(columns)


def published_table(s: Source) -> Any:
    rows: dict[str, Any] = {
        "n": [s.randrange(0, 200) for _ in range(s.n)],
        "mean": plain_numbers(s),
        "sd": [abs(x) for x in plain_numbers(s)],
    }
    if s.random() < 0.3:
        printed = [f"{x:.3f} {s.choice('±(')} {x / 9:.2f}" for x in plain_numbers(s)]
        rows = {"Model": list(range(s.n)), "N": rows["n"], s.choice(["Dice", "HD95 (SD)"]): printed}
    return s.choice([dict, pd.DataFrame])(rows)


def words(*choices: Any) -> Draw:
    return lambda s: s.choice(choices)


def names_in(catalogue: Any) -> Draw:
    return lambda s: s.choice(list(catalogue.names))


def count(low: int, high: int) -> Draw:
    return lambda s: s.randint(low, high)


def share(s: Source) -> float:
    return s.choice([s.random(), round(s.random(), 2), 0.5, 0.9, 0.1])


def level(s: Source) -> Any:
    return s.choice([0.9, 0.95, 0.99, 0.5, 0.05, 1e-9, 1 - 1e-12, s.random()])


def spread(s: Source) -> float:
    return s.choice([0.1, 0.25, s.random(), 10 ** s.uniform(-9, 9)])


def label_map(s: Source) -> Any:
    shape = s.choice([(6, 7), (4, 5, 6), (1, 1)])
    return s.numpy.integers(0, 3, shape).astype(s.choice([np.uint8, int, bool, float]))


# --------------------------------------------------------------------------- what is good


def sample_metric(s: Source) -> Any:
    own = lambda y_true, y_score: float(np.mean(np.asarray(y_score).ravel()[0]))  # noqa: E731
    of_probabilities = [one.name for one in hw.SAMPLE_METRICS if one.family == "calibration"]
    name = s.choice([names_in(hw.SAMPLE_METRICS)(s), s.choice(of_probabilities)])
    paid = functools.partial(hw.metrics.expected_cost, costs=s.numpy.uniform(size=(2, 2)))
    return s.choice([name, name, name, [name, "accuracy"], "f_beta:beta=2", "auc:0.2", own, paid])


def any_metric(s: Source) -> Any:
    return s.choice(["dsc", "dsc", None, "hd95", sample_metric(s)])


def statistic(s: Source) -> Any:
    named = s.choice(["mean", "mean", "median", "sd", "iqr", "trimmed_mean:0.1", "quantile:0.9"])
    return s.choice([named, named, named, np.mean, np.ptp, lambda v, axis: np.max(v, axis=axis)])


GOOD: Mapping[str, Draw] = {
    "assurance": words(0.5, 0.8, 0.95),
    "auroc": share,
    "average": words("binary", "macro", "micro", "weighted", "none", ["macro", "none"]),
    "ax": words(None),
    "bounds": words((0, 1), (0, math.inf), (-math.inf, math.inf), hw.Bounds(-1, 1), (-1e6, 1e6)),
    "by": words("model", ["model"], "case", "missing"),
    "case": words("case", "model", "missing"),
    "code": lambda s: s.choice(hw.CAUTIONS).code,
    "confidence_level": level,
    "correct": count(0, 60),
    "correlation": lambda s: s.uniform(-1, 1),
    "ddof": words(0, 1),
    "difference": lambda s: s.choice([0.1, -0.05, 10 ** s.uniform(-4, 4)]),
    "expected": share,
    "formula": words("t", "z", "delong_logit"),
    "frame": column_table,
    "groups": clusters,
    "halfwidth": lambda s: s.choice([0.01, 0.1, s.random(), 1e-7]),
    "kind": words("roc", "pr", "exact", "asymptotic"),
    "label": words("", "liver", "a b", "ü", "<b>"),
    "labels": words([0, 1], ["a", "b"], [0, 1, 2], None),
    "max_fpr": words(None, 0.1, 1),
    "mean": words(True, False),
    "method": lambda s: s.choice(["auto", *hw.METHODS.names, "dirichlet:mass=0.25"]),
    "metric": lambda s: s.choice([None, "dsc", "dsc", "hd95", "nsd:tolerance=2", "correct"]),
    "n": count(1, 3000),
    "n_resamples": words(2, 19, 49, 99),
    "n_threads": words(1, 2),
    "names": words(("truth", "score")),
    "only": words("1", [1], None),
    "other": numbers,
    "penalty": words(0.0, 1.0, 50),
    "pos_label": words(1, 0, "b", True),
    "positives": count(0, 60),
    "power": words(0.5, 0.8, 0.9),
    "prediction": label_map,
    "prevalence": share,
    "quantile": words(0.5, 0.9, 0.01),
    "reference": label_map,
    "regions": words((), "both=1+2"),
    "repeats": words(1, 5),
    "rng": words(0, 1, None, 2**80, np.random.SeedSequence(3)),
    "sample_weight": lambda s: s.numpy.integers(0, 3, s.n).astype(float),
    "scale": words(1, 100, 1.0),
    "scores": words("auto", "auto", "probabilities", "logits", "any", "labels", "numbers"),
    "sd": spread,
    "sd_ratio": lambda s: s.choice([1.0, 10 ** s.uniform(-3, 3)]),
    "sem": spread,
    "sensitivity": share,
    "simultaneous": words(True, False),
    "sizes": words([2, 3], [10], None),
    "spacing": words(1, 0.5, (1, 2), (1, 1, 2)),
    "specificity": share,
    "statistic": statistic,
    "statistics": words((), ["median"], ["sd", "quantile:0.9"]),
    "strata": lambda s: [i % 2 for i in range(s.n)],
    "successes": count(0, 60),
    "table": published_table,
    "threshold": words(0.5, 0.2, "youden_j", "f1"),
    "tolerance": words(1, 2.5, {"1": 1}),
    "value": words("dice", None, "case"),
    "values": numbers,
    "versus": share,
    "versus_correct": count(0, 60),
    "versus_sd": spread,
    "width": lambda s: s.choice([0.01, 0.1, s.random(), 1e-7]),
    "y_score": predictions,
    "y_true": classes,
}
COMPARED: Mapping[str, Draw] = {
    "target": words("truth", "truth", "case"),
    "score": words((), "dice", {"a": "dice", "b": "other"}),
    "prediction": words(None, "dice", {"a": "truth", "b": "other"}),
    "baseline": words(None, None, "a", "m0", "b"),
    "effect": words("difference", "difference", "ratio"),
    "test": words("auto", "permutation", "mcnemar", "wilcoxon", "none"),
    "margin": words(None, 0.01, 0.1, 1),
    "goal": words(None, 0.5, 0.9, 5),
}
COMPARED_TABLE: Mapping[str, Draw] = {
    **COMPARED,
    "by": words((), "case", ["model"]),
    "model": words(None, "model", "model", "case", "missing"),
    "table": compared_tables,
    "value": words("dice", None, {"a": "dice", "b": "other"}, ["dice"], "missing"),
    "groups": words("model", "case", "missing"),
    "strata": words("model", "missing"),
    "sample_weight": words("dice", None),
}
RANKED: Mapping[str, Draw] = {
    "failures": words("seen", "seen", "unseen"),
    "scheme": words(
        "aggregate_then_rank",
        "rank_then_aggregate",
        "test_then_rank",
        ["aggregate_then_rank", "rank_then_aggregate"],
    ),
    "test": words("auto", "auto", "auto", "wilcoxon", "permutation"),
    "ties": words("min", "min", "average", "max"),
    "missing": words("raise", "omit", "worst", "worst_rank"),
    "margin": words(0.0, 0.01, 1),
    "top": words(1, 3, 99),
    "combine": words(None, "mean_rank", "median_rank"),
}


def objects_of_images(s: Source, *, scored: bool) -> Any:
    """A dict for each image: boxes with classes, as torchvision has them."""
    g = s.numpy
    images = []
    for _ in range(s.n):
        count = int(g.integers(0, 5))
        corner = g.integers(0, 40, (count, 2)).astype(float)
        one: dict[str, Any] = {
            "boxes": np.hstack([corner, corner + g.integers(2, 30, (count, 2))]),
            "labels": g.integers(1, 3, count),
        }
        images.append(one | ({"scores": g.uniform(size=count).round(1)} if scored else {}))
    if s.random() < 0.1:
        images.pop()
    if images and s.random() < 0.1:
        wrong: list[Any] = [[[0, 0, -1, 2]], [], [[math.nan] * 4], None, [[0, 0, 1]]]
        images[0]["boxes"] = s.choice(wrong)
    return {f"i{place}": one for place, one in enumerate(images)} if s.random() < 0.3 else images


MATCHED: Mapping[str, Draw] = {
    "localisation": words(None, "box_iou", "ior", "centre_distance", "mask_iou", "point_in_box"),
    "assignment": words(None, "greedy_by_score", "hungarian", "greedy_by_localisation"),
    "threshold": words(None, 0.5, 0.5, "coco", "0.25,0.5", [0.3, 0.7], 5, "0.1:0.9:0.2"),
    "admits": words(None, "above", "at_least", "at_most"),
    "score_threshold": words(None, 0.3),
    "max_detections": words(None, 1, 100),
    "area": words(None, "small", ["small", "large"], (0, 100), "0,100"),
    "by_class": words(True, False),
    "duplicates": words("false_positive", "ignored"),
    "boundary_distance": words(None, None, None, 2),
    "dilation": words(None, None, None, 1),
    "by_threshold": words(False, True),
}
DETECTED: Mapping[str, Draw] = {
    "detections": lambda s: objects_of_images(s, scored=s.random() < 0.9),
    "references": lambda s: objects_of_images(s, scored=False),
    "metric": words(
        *("ap", "ap50", "ap@0.5:0.95", "froc_score", "wafroc_auc", "object_f_beta:beta=2"),
        *("fppi", "ar", "pq", None, "coco", ["ap", "fppi"], "instance_dsc", "auroc", "dsc"),
    ),
    "matching": lambda s: {name: draw(s) for name, draw in MATCHED.items() if s.random() < 0.3},
    "average": words(None, "macro", "micro", "weighted", "none", ["macro", "none"]),
    "classes": words(None, ["1"], {"1": "1", "2": "2"}),
    "unknown_images": words("raise", "omit"),
}


def two_models(s: Source) -> Any:
    """Values of two models on the same cases, as a gate takes them."""
    return {name: plain_numbers(s) for name in "ab"}


def detectors_of_images(s: Source) -> Any:
    """Two detectors or three on the same images; rarely something else."""
    if s.random() < 0.05:
        return s.choice([{}, None, [1], {"a": None}])
    names = s.choice([["a", "b"], ["a", "b"], ["a", "b", "c"], ["a"]])
    scored = s.random() < 0.9
    return {name: objects_of_images(s, scored=scored) for name in names}


OF_FILES = ("detections", "references")
COMPARED_DETECTORS: Mapping[str, Draw] = {
    **COMPARED,
    **DETECTED,
    "detections": detectors_of_images,
}
SUMMARIZED: Mapping[str, Draw] = {
    "failures": words("seen", "seen", "unseen"),
    "missing": words("raise", "omit", "worst", "all"),
    "statistic": lambda s: s.choice([statistic(s), [statistic(s), statistic(s)]]),
}
SUMMARIZED_TABLE: Mapping[str, Draw] = {
    **SUMMARIZED,
    "table": column_table,
    "value": words("dice", ["dice"], None, "case", "missing"),
    "model": words(None, None, "model", "missing"),
    "groups": words("model", "case", "missing"),
    "strata": words("model", "missing"),
}
# Of verbs to which data are given as they are, and of the data that a call makes.
HURRIED: Mapping[str, Draw] = {
    "data": lambda s: s.choice([compared_models, numbers, column_table, classes])(s),
    "other": lambda s: s.choice([None, compared_models(s), numbers(s), predictions(s)]),
    "y_score": lambda s: s.choice([None, None, predictions(s)]),
    "metric": any_metric,
    "new": words(None, "a", "m0"),
    "against": words(None, None, "b", "m1"),
    "margin": words(0.01, 0.1, 1),
}
OF_ARRAYS: Mapping[str, Draw] = {"values": compared_models, "metric": any_metric}
OF_PREDICTIONS: Mapping[str, Draw] = {
    "y_score": lambda s: s.choice([compared_models, predictions])(s),
    "metric": sample_metric,
}


# What describes predictions and has no effect on curves.
OF_PROBABILITIES = ("calibration", "reliability", "reliability-bins")
OF_METRICS_ALONE = ("average", "threshold", "bounds", "sample_weight")


def predicted(s: Source) -> Any:
    """True classes, or predictions as data: of arrays, or of centres in a table."""
    if s.random() < 0.3:
        return classes(s)
    truth, score = classes(s), [s.random() for _ in range(s.n)]
    if s.random() < 0.3:
        return hw.Predictions.from_arrays(truth, score, scores=s.choice(["auto", "any"]))
    columns = {"y": truth, "p": score, "centre": [s.choice("ABCD") for _ in range(s.n)]}
    return hw.Predictions.from_table(columns, "y", score="p", by="centre")


def any_result(s: Source) -> Any:
    return s.choice(finished("results"))


# Of readings, which most options of a comparison do not concern.
READ: Mapping[str, Draw] = {
    **COMPARED,
    **{name: words(None) for name in ("other", "baseline", "goal", "truth")},
    "metric": words("cohen_kappa", "accuracy", "f1", "mae", "auroc"),
    "test": words("auto", "auto", "mcnemar"),
    "correction": words("holm"),
    "statistic": words("mean", "mean", "median"),
    "margin": words(None, 0.1),
}
OWN: Mapping[str, Mapping[str, Draw]] = {
    **{
        name: {
            "mean": words(None, 0.5, 0.9),
            "failures_share": words(None, 0.02, 0.2),
            "margin": words(None, 0.01, 0.1, 1),
            "correlation": words(None, 0.5, 0.9),
            "pilot": words(None, None, None, [0.01, 0.02, -0.01, 0.2], [0.1], "pilot"),
        }
        for name in ("mean", "auroc_difference")
    },
    "difference": {
        "sd": lambda s: s.choice([None, spread(s), spread(s), (spread(s), spread(s))]),
        "mean": words(None, 0.5, 0.9),
        "margin": words(None, 0.01, 0.1, 1),
        "correlation": words(None, 0.5, 0.9),
        "pilot": words(None, None, None, [0.01, 0.02, -0.01, 0.2], [0.1], "pilot"),
    },
    **{
        f"{verb}{of_kind}": {**COMPARED, **HURRIED, **of_verb, **draws}
        for verb, of_verb in (
            ("estimate", SUMMARIZED),
            ("compare", {"margin": COMPARED["margin"]}),
            ("rank", RANKED),
            ("gate", {"data": two_models}),
        )
        for of_kind, draws in (
            ("", {}),
            ("(CaseValues.from_arrays)", OF_ARRAYS),
            ("(CaseValues.from_table)", COMPARED_TABLE),
            ("(Predictions.from_arrays)", OF_PREDICTIONS),
            ("(Predictions.from_table)", {**COMPARED_TABLE, "metric": sample_metric}),
            ("(Detections.from_files)", COMPARED_DETECTORS),
        )
    },
    "estimate(CaseValues.from_arrays)": {**OF_ARRAYS, **SUMMARIZED},
    "gate(CaseValues.from_arrays)": {
        **COMPARED,
        **HURRIED,
        "values": two_models,
        "metric": words("dsc"),
    },
    "estimate(CaseValues.from_table)": SUMMARIZED_TABLE,
    "rank(CaseValues.from_table)": {
        **COMPARED_TABLE,
        **RANKED,
        "metric": words(None, "dsc", "hd95", ["dsc", "nsd"], {"dice": "dsc", "other": "nsd"}),
        "by": words((), (), "case", "missing"),
    },
    "metric_ci": {"metric": sample_metric},
    "calibration_test": {
        "statistic": words(
            *("spiegelhalter", "hosmer_lemeshow", "hosmer_lemeshow:4", "ece:binning=mass"),
            *("likelihood_ratio", ["spiegelhalter", "ece"], [], "brier", "kce", "kce:0.1"),
        ),
        "average": words("binary", "none", "top_label", "macro"),
        "data": predicted,
        "y_score": lambda s: s.choice([None, predictions(s)]),
    },
    "calibration_by_centre": {
        "metric": words("citl", "oe_ratio", "calibration_slope", ["citl", "oe_ratio"], "auroc"),
        "average": words("binary", "none", "top_label", "macro"),
        "data": predicted,
    },
    "confusion_ci": {"data": predicted, "y_score": lambda s: s.choice([None, predictions(s)])},
    "calibration": {
        "metric": words("calibration_slope", "citl", "oe_ratio", "auroc", None),
        "halfwidth": words(0.1, 0.2, 1e-7, {"calibration_slope": 0.2, "oe_ratio": 0.1}, {}),
        "prevalence": words(None, 0.1, 0.5),
        "auroc": words(None, 0.7, 0.9),
        "lp_mean": words(None, -1, 0.5),
        "lp_sd": words(None, 1, 0.3),
        "lp_skewness": words(None, 0.5, -0.9),
        "pilot": words(None, None, [x / 20 for x in range(20)]),
        "n": count(10, 2000),
    },
    **{
        f"curve{of_kind}": {
            "kind": words(
                *("roc", "pr", "decision", "froc", "afroc", *OF_PROBABILITIES),
                "calibration-by-centre",
            ),
            "band": words("pointwise", "pointwise", "simultaneous"),
            "average": words(None, None, "binary", "none", "top_label", "macro"),
            **draws,
        }
        for of_kind, draws in (
            ("", {"data": predicted}),
            ("(CaseValues.from_arrays)", {"values": compared_models}),
            ("(CaseValues.from_table)", COMPARED_TABLE),
            (
                "(Predictions.from_arrays)",
                {
                    "y_score": lambda s: s.choice([compared_models, predictions])(s),
                    "kind": words("roc", "pr", "decision", *OF_PROBABILITIES),
                    **{name: words(None, None, None, 0.4) for name in OF_METRICS_ALONE},
                    **{
                        name: words("omit", "omit", "zero")
                        for name in ("absent_class", "undefined")
                    },
                },
            ),
            ("(Predictions.from_table)", COMPARED_TABLE),
            (
                "(Detections.from_files)",
                {
                    **COMPARED_DETECTORS,
                    "kind": words("froc", "pr", "afroc", "wafroc"),
                },
            ),
        )
    },
    "match_detections": {
        "data": lambda s: hw.Detections.from_files(*(DETECTED[one](s) for one in OF_FILES)),
        "model": words(None, None, "a"),
    },
    "match_detections(Detections.from_files)": {**DETECTED, "model": words(None, None, "a")},
    "score_masks": {
        "metrics": words("dsc", ("dsc", "hd95"), "nsd", "all", "hd:percentile=99"),
        "labels": words(None, {"liver": 1, "both": [1, 2]}),
    },
    "check": {
        "data": lambda s: s.choice([compared_models, numbers, column_table, audited_tables])(s),
    },
    "check(CaseValues.from_table)": {
        **SUMMARIZED_TABLE,
        "table": lambda s: s.choice([column_table, audited_tables])(s),
        "metric": words(None, "dsc", "hd95", ["dsc", "nsd"], {"dice": "dsc", "other": "nsd"}),
    },
    "runs_ci": {"data": lambda s: s.choice([numbers, numbers, column_table])(s)},
    "estimate(CaseValues.from_runs)": {
        "runs": lambda s: s.choice([numbers, column_table, column_table])(s),
        "value": words("dice", "dice", None, "case"),
        "by": words((), "model", ["model"], "missing"),
        "y_score": words(None),
        "average": words(None),
        "statistic": words("mean", "median", ["quantile:0.1", "sample_quantile:0.9"], "sd"),
        "missing": words("raise", "omit", "worst"),
    },
    "compare(Readings.from_arrays)": {
        **READ,
        "ratings": lambda s: {
            name: s.numpy.integers(0, 3, s.n)
            for name in ("net", *s.choice(["A", "AB", "ABC", "ABC", "ABC"]))
        },
        "model": words("net", "net", "net", "net", "x"),
    },
    "compare(Readings.from_table)": {
        **READ,
        "table": read_table,
        "label": words("grade", "grade", "grade", "mode"),
        "score": words(None, "grade"),
        "reader": words("reader"),
        "case": words("case"),
        "modality": words(None, "mode"),
        "truth": words(None, None, "grade"),
        "model": words("m", "m", "m", "m", "x"),
        "groups": words("case", "case", "missing"),
        "strata": words("mode"),
    },
    "compare(Readings.from_pairs)": {
        **READ,
        "metric": words("dsc", None, "hd95"),
        "table": rated_table,
        "model": words("m", "m", "m", "x"),
        "raters": words(None, ["A", "B"]),
        "pairs": words(("prediction", "reference"), "prediction"),
        "by": words((), "case"),
        "groups": words("case", "case", "missing"),
        "strata": words("prediction", "missing"),
    },
    "limits_of_agreement": {
        "effect": words("difference", "ratio"),
        "data": lambda s: s.choice([compared_models, numbers])(s),
        "other": numbers,
        "share": words(0.9, 0.95),
    },
    "plan": {
        "data": lambda s: s.choice([compared_models, numbers, column_table])(s),
        "halfwidth": words(0.05, 0.1, 0.3, [0.1, 0.2]),
        "n": words(20, [20, 40], 1),
        "n_samples": words(100),
        "statistic": lambda s: s.choice([statistic(s), [statistic(s), statistic(s)]]),
        "curve": words(True, False),
    },
    "review": {"mean": share, "n": count(1, 60)},
    "report": {
        "data": lambda s: s.choice([any_result, compared_models, column_table])(s),
        "path": words(None),
        "margin": words(None, None, 0.05),
        "title": words("Liver"),
        # Drawing takes a second; the figures are tried by themselves.
        "figures": words(False),
    },
    "evidence": {"n": words(None, 10, 25, 11), "metric": names_in(hw.METRICS)},
    "proportion_ci": {"n": words(1, 2, 10, 60, 10**6, 10**12)},
}


# --------------------------------------------------------------------------- results to be drawn


@functools.cache
def finished(kind: str) -> tuple[Any, ...]:
    """Results for the figures, computed once."""
    dice = [0.91, 0.88, 0.93, 0.79, 0.90, 0.92, 0.86, 0.94, 0.89, 0.91]
    truth, scores = [0, 1] * 10, [i / 20 for i in range(20)]
    how: dict[str, Any] = {"n_resamples": 49, "rng": 1}

    def classed(kind: Any) -> Any:
        return hw.curve(truth, kind, y_score=scores, **how)

    made: dict[str, Callable[[], tuple[Any, ...]]] = {
        "estimates": lambda: (
            hw.summary_ci(dice, metric="dsc"),
            [hw.summary_ci(dice, metric="dsc", label="a"), hw.summary_ci([0.5], metric="dsc")],
            hw.estimate(
                hw.CaseValues.from_table({"a": dice, "b": [0.4] * 10}, metric="dsc"),
            ),
            hw.estimate(
                hw.CaseValues.from_runs({"accuracy": dice, "seed": list(range(10))}),
                statistic=["quantile:0.1", "median", "quantile:0.9", "mean"],
            ),
            hw.summary_ci([1.0, 2.0, 30.0], metric="hd95", alternative="upper"),
        ),
        "curves": lambda: (classed("roc"), *classed("roc")),
        "calibration": lambda: (
            classed("reliability-bins"),
            *classed("reliability"),
        ),
        "confusion": lambda: (hw.confusion_ci(truth, [int(x > 0.4) for x in scores]),),
        "found": lambda: (hw.planning.subsample(dice, sizes=[3, 10], repeats=3, rng=1),),
        "plans": lambda: (
            hw.planning.mean(0.1, halfwidth=0.02, metric="dsc"),
            [
                hw.planning.proportion(0.9, halfwidth=0.05),
                hw.planning.proportion(0.8, halfwidth=0.05),
            ],
        ),
        "froc": lambda: (curves("froc", ("a", "b")), curves("froc", ("a",))[0]),
        "afroc": lambda: (curves("afroc", ("a", "b")), curves("wafroc", ("a",))),
        "detection_pr": lambda: (curves("pr", ("a", "b")), curves("froc", ("a",))),
        "matched": lambda: (boxed(), boxed(), boxed(), solid()),
        "by_threshold": lambda: (over_several(), over_several("a", average="macro")),
        "comparisons": lambda: tuple(hand_made(count) for count in (1, 3)),
        "rankings": lambda: (
            hw.rank({"A": dice, "B": dice[::-1]}, metric="dsc", **how),
            hw.rank(
                hw.CaseValues.from_table(
                    {"A": dice * 2, "B": [0.4] * 20, "task": ["x"] * 10 + ["y"] * 10},
                    {"A": "A", "B": "B"},
                    metric="dsc",
                    by="task",
                ),
                **how,
            ),
            hw.rank({"A": dice, "B": dice[::-1], "C": dice}, metric="dsc", **how)[0],
        ),
        "results": lambda: (
            *finished("estimates"),
            *finished("comparisons"),
            *finished("rankings"),
        ),
        "samples": lambda: ({"": dice}, {"a": dice, "b": [0.4] * 10}, {"a": []}),
    }
    return made[kind]()


def panels(s: Source) -> Any:
    samples, estimates = s.choice(finished("samples")), s.choice(finished("estimates"))
    return {"a": hw.plots.Panel(samples, estimates)}


OF_FIGURES: Mapping[str, Draw] = {
    kind: (lambda s, kind=kind: s.choice(finished(kind)))
    for kind in (
        *("estimates", "curves", "confusion", "found", "plans", "samples", "comparisons"),
        "rankings",
    )
} | {
    "panels": panels,
    "styles": lambda s: hw.plots.model_styles(s.choice(finished("rankings"))),
    "by": words(None, "label"),
    "title": words("", "B"),
    "groups": words(None, {"a": ["x"] * 10}),
}


def one_finished(kind: str, part: int | None = None) -> Draw:
    """One of the results of a kind, or a part of one."""

    def draw(s: Source) -> Any:
        found = s.choice(finished(kind))
        return found if part is None else found[part]

    return draw


OF_ANY_FIGURE: Mapping[str, Draw] = {
    "result": lambda s: OF_FIGURES[
        s.choice(["estimates", "curves", "confusion", "plans", "comparisons", "rankings"])
    ](s),
    "kind": words("forest", "rank-sets", "curves"),
    "page": words(1, 2),
}
WIDTHS = words("page", "column")
OF_PAGES: Mapping[str, Draw] = {
    "sort": words(True, False),
    "rows": words(10, 40),
    "width": WIDTHS,
}
OF_DETECTION_FIGURES: Mapping[str, Mapping[str, Draw]] = (
    {
        name: {"curves": one_finished(name), "width": WIDTHS}
        for name in ("froc", "afroc", "detection_pr")
    }
    | {
        "calibration": {"curve": one_finished("calibration"), "title": words("", "model A")},
        "figures_of_calibration": {
            "curves": one_finished("calibration"),
            "titles": words(None, ["model A"], ["a", "b"]),
        },
    }
    | {
        name: {
            **{
                part: one_finished("matched", place)
                for place, part in enumerate(("matches", "detections", "references"))
            },
            "image": words("fine", "worst", "scan"),
            "most": words(1, 3, 12),
            "threshold": words(None, 0.5, 0.7),
            "score_threshold": words("auto", None, 0.3),
            "names": words(True, False),
            "width": WIDTHS,
        }
        for name in ("figure_of_worst_images", "matched_image")
    }
    | {
        name: {"estimates": one_finished("by_threshold"), "width": WIDTHS}
        for name in ("over_thresholds", "figures_over_thresholds")
    }
)
OF_RANKING_FIGURES: Mapping[str, Draw] = {
    "kind": words(*RANKING_KINDS),
    "width": WIDTHS,
}

# --------------------------------------------------------------------------- rankings

# Most rankings have options that fit each other: nearly all random ones are refused.
FITTING = 0.8
OF_TEST_SETS = (
    *("y_true", "y_score", "target", "score", "prediction", "average", "labels", "pos_label"),
    "scores",
    *("threshold", "absent_class", "undefined", "sample_weight"),
)
OF_VALUES = ("statistic", "over", "bounds", "scale", "missing", "penalty", "ties", "value")


def ranked_values(s: Source) -> tuple[Any, list[float]]:
    """A metric and values that it may have, which are often equal."""
    g, n = s.numpy, s.n
    better: Any = s.choice(["higher", "lower"])
    of_any_size = hw.MetricSpec("mine", better=better)
    metric, made = s.choice(
        [
            ("dsc", g.beta(8, 2, n)),
            ("dsc", g.integers(0, 5, n) / 4),
            ("dsc", np.full(n, s.choice([0.0, 0.3, 1.0]))),
            ("correct", g.integers(0, 2, n)),
            ("hd95", g.lognormal(3, 1, n)),
            (of_any_size, g.normal(size=n) * 10 ** s.uniform(-120, 120)),
            (of_any_size, 1 + g.normal(size=n) * 1e-9),
        ]
    )
    return metric, [float(x) for x in made]


def ranked_models(s: Source) -> tuple[Any, dict[str, list[float]]]:
    """A metric and values of some models, of which some are alike, and some missing."""
    metric, values = ranked_values(s)
    models = {}
    for name in "abcde"[: s.randint(2, 5)]:
        own = values if s.random() < 0.2 else s.sample(values, len(values))
        models[name] = [math.nan if s.random() < 0.02 else x for x in own]
    return metric, models


def ranked_rows(s: Source) -> tuple[Any, pd.DataFrame]:
    """A metric and a long table of models and tasks, of which rows may be absent."""
    metric, models = ranked_models(s)
    tasks = s.choice([1, 1, 2, 3])
    table = pd.DataFrame(
        [
            {"model": model, "task": f"t{at}", "case": f"c{i}", "truth": i % 2, "dice": x}
            for at in range(tasks)
            for model, values in models.items()
            for i, x in enumerate(s.sample(values, len(values)))
        ]
    )
    table["patient"] = [f"p{int(case[1:]) // 2}" for case in table["case"]]
    table["site"] = "s" + table["truth"].astype(str)
    table["other"] = s.sample(list(table["dice"]), len(table))
    return metric, table.drop(index=0) if s.random() < 0.1 else table


def fit(s: Source, kind: str, positional: list[Any], keywords: dict[str, Any]) -> None:
    """Make the options of a ranking fit each other and its data."""
    first: Any
    table, of_test_set = kind.endswith("from_table"), kind.startswith("Predictions")
    metric, first = ranked_rows(s) if table else ranked_models(s)
    positional[:] = [first]
    for name in OF_VALUES if of_test_set else OF_TEST_SETS:
        keywords.pop(name, None)
    for name in ("groups", "strata", "by", "model", "case", "method", "baseline"):
        keywords.pop(name, None)
    keywords["metric"] = metric
    if of_test_set:
        for name in set(OF_TEST_SETS) - {"absent_class", "undefined"}:
            keywords.pop(name, None)
        keywords["metric"] = s.choice(["auroc", "average_precision", "accuracy", "f1", "mcc"])
        if table and s.random() < 0.3:
            keywords["metric"] = ["auroc", "average_precision"]
        keywords["scheme"] = s.choice(["aggregate_then_rank", "test_then_rank"])
        keywords["pairing"] = "common"
        if table:
            scores = s.numpy.uniform(size=len(first)).round(1)
            positional[:] = [first.assign(dice=scores), "truth"]
            keywords |= {"model": "model", "score": "dice"}
        else:
            models = {name: s.numpy.uniform(size=s.n).round(1) for name in first}
            positional[:] = [[i % 2 for i in range(s.n)], models]
    else:
        fit_values(s, first, keywords, table=table)
    fit_schemes(keywords)
    if s.random() < 0.2:
        patients, sites = [i // 2 for i in range(s.n)], [i % 2 for i in range(s.n)]
        given = {"groups": "patient", "strata": "site"} if table else {}
        name = s.choice(["groups", "strata"])
        keywords[name] = given.get(name, patients if name == "groups" else sites)
    if s.random() < 0.2:
        keywords["method"] = s.choice(["percentile", "bca", "t", "basic"])


def drop_idle(function: str, keywords: dict[str, Any]) -> None:
    """Leave out what has no effect on the kind of data that a verb is given."""
    verb, _, made = function.removeprefix("hw.").partition("(")
    kind = KINDS_OF_DATA.get(made.partition(".")[0])
    for name in [*keywords] if kind else ():
        option = _declared(name, verb)
        if option is not None and option.kinds and kind not in option.kinds:
            keywords.pop(name)
    if str(keywords.get("missing")) != "worst":
        keywords.pop("penalty", None)


def fit_values(s: Source, first: Any, keywords: dict[str, Any], *, table: bool) -> None:
    """The columns of a table of values, and what is done about missing ones."""
    for name in ("bounds", "scale", "penalty"):
        keywords.pop(name, None)
    if "over" in keywords:
        keywords["over"] = "cases"
    missing = keywords["missing"] = s.choice(["omit", "omit", "worst", "worst_rank", "raise"])
    if keywords["metric"] == "hd95" and missing == "worst":
        keywords["penalty"] = 1e3
    if not table:
        return
    keywords |= {"value": "dice", "model": "model"}
    if len(set(first["task"])) > 1:
        keywords["by"] = "task"
    elif s.random() < 0.5:
        keywords.pop("combine", None)
    if isinstance(keywords["metric"], str) and s.random() < 0.3:
        keywords.pop("value")
        keywords["metric"] = dict.fromkeys(["dice", "other"], keywords["metric"])


def fit_schemes(keywords: dict[str, Any]) -> None:
    """No option of a scheme that the ranking does not have."""
    schemes = keywords.get("scheme", "aggregate_then_rank")
    if not isinstance(schemes, str | list):
        return
    if "rank_then_aggregate" not in schemes:
        keywords.pop("ties", None)
        if keywords.get("missing") == "worst_rank":
            keywords["missing"] = "omit"
    if "test_then_rank" in schemes:
        keywords.pop("margin", None)
    else:
        keywords.pop("test", None)


# --------------------------------------------------------------------------- calls


def public_functions() -> dict[str, Callable[..., Any]]:
    """Every public function that takes no file, by its dotted name."""
    homes = {"hw": hw, "planning": hw.planning, "plots": hw.plots}
    public = {
        f"{home}.{name}": getattr(module, name)
        for home, module in homes.items()
        for name in module.__all__
        if name not in FILES[home]
    }
    figures = {name: one for name, one in public.items() if isinstance(one, Figure)}
    frames = {f"{name}.frame": one.frame for name, one in figures.items()}
    functions = {name: one for name, one in public.items() if isinstance(one, FunctionType)}
    return functions | figures | frames


KINDS_OF_DATA = {
    "CaseValues": DataKind.VALUES,
    "Predictions": DataKind.PREDICTIONS,
    "Detections": DataKind.DETECTIONS,
}
DATA = (
    *("CaseValues.from_arrays", "CaseValues.from_table", "Detections.from_files"),
    *("Predictions.from_arrays", "Predictions.from_table"),
)
RUNS = "CaseValues.from_runs"
READINGS = ("Readings.from_arrays", "Readings.from_table", "Readings.from_pairs")


def drawn_functions() -> dict[str, Callable[..., Any]]:
    """The public functions, and the verbs over each kind of data that is made in the same call."""
    over_data = {
        f"hw.{verb}({kind})": over(getattr(hw, verb), operator.attrgetter(kind)(hw))
        for verb, kind in [
            *itertools.product(("estimate", "compare", "rank", "gate"), DATA),
            # Values of cases have no curves.
            *itertools.product(["curve"], DATA[2:]),
            *itertools.product(["compare"], READINGS),
            ("estimate", RUNS),
            ("match_detections", "Detections.from_files"),
        ]
    }
    of_values = ("hw.check(CaseValues.from_table)",)
    over_data |= {name: over(hw.check, hw.CaseValues.from_table) for name in of_values}
    return public_functions() | over_data


def source_of(function: str, argument: str) -> Draw:
    """What a good value of an argument is drawn from."""
    home, _, name = function.removesuffix(".frame").partition(".")
    if home == "plots":
        own = OF_RANKING_FIGURES if name == "figures_of_rankings" else {}
        if name == "podium":
            own = {"width": words(3.3, 6.7)}
        if name in ("figures_of_forest", "figures_of_differences"):
            own = OF_PAGES
        own = own or OF_DETECTION_FIGURES.get(name, {})
        drawn = {**GOOD, **OF_FIGURES, **own}.get(argument)
    else:
        own = OF_ANY_FIGURE if name == "plot" else OWN.get(name, {})
        drawn = {**GOOD, **own}.get(argument) or _in_table(name, argument)
    return drawn or usual_argument(function, argument)


def _in_table(function: str, argument: str) -> Draw | None:
    """The words of an option, or yes and no, as the table of options has them."""
    verb, _, kind = function.partition("(")
    given = [door for door in (kind.rstrip(")"), verb) if door]
    option = next((one for one in (_declared(argument, door) for door in given) if one), None)
    if option is None or not (option.choices or isinstance(option.default, bool)):
        return None
    return words(*(option.choices or (True, False)))


def _declared(name: str, door: str) -> Option | None:
    try:
        return option_of(name, door)
    except KeyError:
        return None


def _said(compared: Callable[..., Any]) -> list[str]:
    """What a comparison of readings needs."""
    taken = inspect.signature(compared).parameters
    return [name for name in ("model", "label", "reader", "case", "metric") if name in taken]


def call_of(seed: int) -> tuple[str, list[Any], dict[str, Any]]:
    """A function's dotted name, its positional arguments and its keywords."""
    s = Source(seed)
    known = drawn_functions()
    # A figure takes longer than most results, and less can be wrong with its arguments; verbs over
    # data are many, and half of their calls name what the data do not have.
    name = s.choice(
        [name for name in sorted(known) for _ in range(3 - 2 * ("plots" in name) - ("(" in name))]
    )
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    for parameter in inspect.signature(known[name]).parameters.values():
        required = parameter.default is parameter.empty
        given = required or parameter.name in COSTLY or s.random() < GIVEN
        if not given:
            continue
        good = source_of(name, parameter.name)
        value = anything(s) if s.random() < ANYTHING else good(s)
        if required and parameter.kind is not parameter.KEYWORD_ONLY:
            positional.append(value)
        else:
            keywords[parameter.name] = value
    kind = name.removeprefix("hw.rank(").removesuffix(")")
    if kind in DATA and kind.partition(".")[0] != "Detections" and s.random() < FITTING:
        fit(s, kind, positional, keywords)
    if name.partition("(")[2].rstrip(")") in READINGS and s.random() < FITTING:
        keywords |= {one: source_of(name, one)(s) for one in _said(known[name])}
        keywords.pop("score", None)
    if s.random() < FITTING:
        drop_idle(name, keywords)
    if name in ("hw.confusion_ci", "hw.calibration_test") and s.random() < FITTING:
        keywords["y_score"] = predictions(s)
        positional[0] = classes(s)
    if name == "hw.plan" and s.random() < FITTING:
        wanted, other = s.choice([("halfwidth", "n"), ("n", "halfwidth")])
        keywords.pop(other, None)
        keywords.setdefault(wanted, source_of(name, wanted)(s))
    if s.random() < 0.01:
        keywords[s.choice(["seed", "positive", "level", "alpha"])] = 1
    return name, positional, keywords
