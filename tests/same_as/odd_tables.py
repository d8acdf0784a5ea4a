"""Tables with something wrong in them, one each: what cautions are about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["odd_tables"]


def odd_tables() -> Mapping[str, pd.DataFrame]:
    """Tables by the names of their files."""
    return {**_values(), **_test_sets(), **_runs(), **_boxes()}


def _values() -> dict[str, pd.DataFrame]:
    g = np.random.default_rng(38)
    n = 40
    dice = np.round(g.beta(14, 2, n), 4)
    cases = [f"c{at:02d}" for at in range(n)]
    plain = pd.DataFrame({"case": cases, "dice": dice})

    def having(**columns: Any) -> pd.DataFrame:
        return plain.assign(**columns)

    def with_cells(*cells: Any) -> pd.DataFrame:
        return having(dice=[*cells, *dice[len(cells) :]])

    two = pd.concat([plain.assign(model="unet"), having(dice=dice[::-1], model="vit")])
    statuses = ["ok"] * (n - 4) + ["missed", "not applicable", "ok", "undefined"]
    distances = np.where(dice < 0.8, np.nan, np.round(20 * (1 - dice), 2))
    return {
        "with_mean": pd.concat([plain, pd.DataFrame({"case": ["mean"], "dice": [dice.mean()]})]),
        "a_percent": with_cells(91.5, 88.2),
        "constant": having(dice=0.5),
        "spelled": pd.concat(
            [two, two.head(3).assign(model="U-Net", case=["C90", "c90.nii", "c_90"])]
        ),
        "twice": having(copied=dice),
        "copied": with_cells(*dice[20:35]),
        "rounded": having(dice=dice.round(1)),
        "words": with_cells("failed", "n/a?", "-"),
        "commas": with_cells("0,91", "0,88"),
        "statuses": having(metric="dsc", value=dice, status=statuses).drop(columns="dice"),
        "ones": with_cells(*[1.0] * 12),
        "worst": with_cells(*[0.0] * 8),
        "imputed": with_cells(*[0.42] * 9),
        "contradicting": having(
            dsc=[0.0] * 3 + list(dice[3:]), hd95=[0.0] * 3 + list(20 * (1 - dice[3:]))
        ).drop(columns="dice"),
        "counted": having(dice=np.arange(n)),
        "distances": having(dsc=dice, hd95=distances).drop(columns="dice"),
        "folds_of_cases": having(fold=[at % 5 for at in range(n)]),
        "unequal": having(patient=["p0"] * 25 + [f"p{at}" for at in range(15)]),
        "lonely": having(site=["s0"] * 20 + ["s1"] * 19 + ["s2"]),
        "two": two,
        "other_cases": having(case=[f"d{at:02d}" for at in range(n)]),
        "not_for_all": two.assign(
            metric="dsc",
            value=two.dice,
            status=["not applicable"] * 3 + ["ok"] * (2 * n - 3),
        ).drop(columns="dice"),
    }


def _test_sets() -> dict[str, pd.DataFrame]:
    g = np.random.default_rng(39)
    n = 80
    rare = (np.arange(n) % 20 == 0).astype(int)
    score = np.round(np.clip(0.3 * rare + 0.6 * g.random(n), 0, 1), 3)
    shares = np.round(g.dirichlet(np.ones(3), n), 2)
    return {
        "rare": pd.DataFrame(
            {
                "case": range(n),
                "truth": rare,
                "score": score,
                "said": (score > 0.85).astype(int),
                "weight": np.where(np.arange(n) < 4, 50.0, 0.1),
                **{f"share_{at}": shares[:, at] + 0.1 * (at == 0) for at in range(3)},
                "kind": np.array(list("abc"))[np.arange(n) % 3],
                "apart": np.round(rare + 0.4 * g.random(n), 3) / 2,
            }
        )
    }


def _runs() -> dict[str, pd.DataFrame]:
    g = np.random.default_rng(40)
    n = 12
    accuracy = np.round(g.normal(0.87, 0.01, n), 4)
    states = ["FINISHED"] * 10 + ["FAILED", "RUNNING"]
    return {
        "varied_runs": pd.DataFrame(
            {"seed": range(n), "lr": [0.1, 0.2] * 6, "accuracy": accuracy, "State": states}
        ),
        "repeated_runs": pd.DataFrame(
            {"seed": [*range(n), 0, 1], "accuracy": [*accuracy, *accuracy[:2]]}
        ),
    }


def _boxes() -> dict[str, pd.DataFrame]:
    g = np.random.default_rng(41)
    rows = []
    for image in range(20):
        for k in range(12 if image == 0 else 1 + image % 2):
            x = 30.0 * k
            rows.append((f"patient{image // 2}_slice{image % 2}", "lesion", x, 0.0, x + 10, 10.0))
    names = ["image", "label", "x_min", "y_min", "x_max", "y_max"]
    truth = pd.DataFrame(rows, columns=names)
    found = truth.assign(x_min=truth.x_min - 12, y_max=25.0, score=g.choice([0.5, 0.9], len(truth)))
    return {
        "slices_truth": truth,
        "slices_found": found,
        "slices_unranked": found.assign(score=1.0),
    }
