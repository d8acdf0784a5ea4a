"""``halfwidth demo``: two small models on real medical data, reported with intervals."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from halfwidth.cli.options import Debug
from halfwidth.cli.output import write
from halfwidth.core.errors import DataError, OptionError

if TYPE_CHECKING:
    import pandas as pd

    from halfwidth.core.estimates import Estimates

__all__ = ["demo"]

CANCER, DIABETES = "breast cancer", "diabetes"
HELD_OUT = 0.2


def demo(
    folder: Annotated[
        Path,
        typer.Option(
            "--out", "-o", help="Folder for the case table and the figure.", metavar="FOLDER"
        ),
    ] = Path("halfwidth-demo"),
    seed: Annotated[int, typer.Option(help="Of the splits and the resamples.")] = 1,
    debug: Debug = False,
) -> None:
    """Train two small models on real medical data and report them with intervals.

    A classifier on the breast cancer data and a regressor on the diabetes data that ship with
    scikit-learn, each tested on a held-out split. Nothing is downloaded.
    """
    from halfwidth.report.tables import render

    try:
        cases = _cases(seed)
    except ImportError as error:
        raise OptionError(f"the demo needs {error.name}: pip install 'halfwidth[demo]'") from None
    estimates = _estimates(cases, seed)
    table, figure = _write(cases, estimates, folder)
    sentences = "".join(f"  {estimate.sentence()}\n" for estimate in estimates)
    write(
        "Two small models, tested on cases they have not seen.\n"
        f"  {CANCER}: logistic regression; is each tumour classified correctly?\n"
        f"  {DIABETES}: ridge regression; by how much is each patient's score missed?\n\n"
        f"{render(estimates, 'table')}\n"
        f"For the paper\n\n{sentences}\n"
        f"Wrote {table} and {figure}. Try next:\n\n"
        f"  halfwidth ci {table} --statistic mean --statistic median\n"
        "  halfwidth explain HW203\n"
    )


def _cases(seed: int) -> pd.DataFrame:
    """The canonical case table: one row per held-out case."""
    import pandas as pd
    from sklearn.datasets import load_breast_cancer, load_diabetes
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.model_selection import train_test_split
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from halfwidth import metrics

    tables = []
    for task, load, model, metric in (
        (CANCER, load_breast_cancer, LogisticRegression(max_iter=1000), metrics.correct),
        (DIABETES, load_diabetes, Ridge(), metrics.absolute_error),
    ):
        features, target = load(return_X_y=True)
        train_x, test_x, train_y, test_y = train_test_split(
            features,
            target,
            test_size=HELD_OUT,
            random_state=seed,
            stratify=target if task == CANCER else None,
        )
        predicted = make_pipeline(StandardScaler(), model).fit(train_x, train_y).predict(test_x)
        values = metric(test_y, predicted)
        tables.append(
            pd.DataFrame(
                {
                    "case": [f"{task} {number:03d}" for number in range(len(values))],
                    "label": task,
                    "metric": metric.__name__,
                    "value": values,
                }
            )
        )
    return pd.concat(tables, ignore_index=True)


def _estimates(cases: pd.DataFrame, seed: int) -> Estimates:
    from halfwidth.core.estimates import Estimates
    from halfwidth.estimation.tables import summary_table

    accuracy = summary_table(cases, metric="correct", rng=seed)
    error = summary_table(
        cases, metric="absolute_error", statistic=["mean", "median", "quantile:0.9"], rng=seed
    )
    return Estimates((*accuracy, *error))


def _write(cases: pd.DataFrame, estimates: Estimates, folder: Path) -> tuple[Path, Path]:
    from halfwidth.plots import figure_of, write_figure

    errors = cases.loc[cases["label"] == DIABETES, "value"].to_numpy()
    shown = [estimate for estimate in estimates if estimate.label == DIABETES]
    figure = figure_of({DIABETES: errors}, shown)
    table, picture = folder / "cases.csv", folder / "diabetes.png"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        cases.to_csv(table, index=False)
        write_figure(figure, picture)
    except OSError as error:
        raise DataError(f"{folder}: cannot be written ({error.strerror})") from None
    return table, picture
