"""``halfwidth demo``: three small models on real data, reported with intervals."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from halfwidth.cli.answer import Answer
from halfwidth.cli.command import Group
from halfwidth.core.errors import DataError, OptionError
from halfwidth.metrics.agreement import accuracy, mcc
from halfwidth.metrics.counting import balanced_accuracy, f1
from halfwidth.metrics.error import absolute_error, correct
from halfwidth.metrics.ranking import auroc, average_precision
from halfwidth.report.document import Code, Document, Heading, Item, Items, Paragraph

if TYPE_CHECKING:
    import pandas as pd

    from halfwidth.core.estimates import Estimates

CANCER, DIABETES, WINE = "breast cancer", "diabetes", "wine"
HELD_OUT = 0.2
# Half of the wines, and two of their thirteen properties, so that there is something to miss.
WINES_HELD_OUT, WINE_FEATURES = 0.5, [0, 2]
METRICS = (
    accuracy.__name__,
    balanced_accuracy.__name__,
    f1.__name__,
    auroc.__name__,
    average_precision.__name__,
    mcc.__name__,
)


def demo(
    folder: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            help="Folder for the tables and the figure.",
            metavar="FOLDER",
            rich_help_panel=Group.OUTPUT,
        ),
    ] = Path("halfwidth-demo"),
    seed: Annotated[
        int, typer.Option(help="Of the splits and the resamples.", rich_help_panel=Group.INTERVAL)
    ] = 1,
) -> Answer:
    """Train three small models on real data and report them with intervals.

    A classifier on the breast cancer data, a regressor on the diabetes data and a classifier of
    three classes on the wine data that ship with scikit-learn, each tested on a held-out split.
    Nothing is downloaded.

    \b
    halfwidth demo
    """
    from halfwidth.report.estimates import estimates_document

    try:
        cases, wines = _cases(seed), _wines(seed)
    except ImportError as error:
        raise OptionError(f"the demo needs {error.name}: pip install 'halfwidth[demo]'") from None
    estimates = _estimate_cases(cases, seed)
    wine_estimates = _estimate_wines(wines, seed)
    table, predictions, *figures = _write(cases, estimates, wines, folder)
    files = f"{table}, {predictions}, {' and '.join(map(str, figures))}"
    return Answer(
        Document(
            (
                Paragraph("Small models, tested on cases they have not seen."),
                Items(
                    (
                        Item(
                            "",
                            f"{CANCER}: logistic regression; is each tumour classified correctly?",
                        ),
                        Item(
                            "",
                            f"{DIABETES}: ridge regression; by how much is each patient's score "
                            "missed?",
                        ),
                    ),
                    "1. A value for each case",
                ),
                *estimates_document(estimates).parts,
                Items(
                    (
                        Item(
                            "",
                            f"{WINE}: logistic regression on two properties; which of three "
                            "cultivars is it?",
                        ),
                    ),
                    "2. A value for the whole test set",
                ),
                *estimates_document(wine_estimates).parts,
                Heading("For the paper"),
                Items(tuple(Item("", one.sentence()) for one in (*estimates, *wine_estimates))),
                Paragraph(f"Wrote {files}. Try next:"),
                Code(
                    (
                        f"halfwidth ci {table} --statistic mean --statistic median",
                        f"halfwidth ci {predictions} --target cultivar --score p0 \\",
                        "    --score p1 --score p2 --metric sensitivity --average none",
                        "halfwidth explain HW203",
                    )
                ),
            )
        )
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


def _wines(seed: int) -> pd.DataFrame:
    """Cultivar and predicted probabilities of each held-out wine."""
    import pandas as pd
    from sklearn.datasets import load_wine
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    features, target = load_wine(return_X_y=True)
    train_x, test_x, train_y, test_y = train_test_split(
        features[:, WINE_FEATURES],
        target,
        test_size=WINES_HELD_OUT,
        random_state=seed,
        stratify=target,
    )
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(train_x, train_y)
    shares = model.predict_proba(test_x)
    columns = {f"p{place}": shares[:, place] for place in range(shares.shape[1])}
    return pd.DataFrame({"cultivar": test_y, **columns})


def _estimate_wines(wines: pd.DataFrame, seed: int) -> Estimates:
    from halfwidth.estimation.test_sets.api import metric_ci

    scores = wines[["p0", "p1", "p2"]].to_numpy()
    table: Estimates = metric_ci(
        wines["cultivar"], scores, metric=METRICS, average="macro", rng=seed
    )
    return table


def _estimate_cases(cases: pd.DataFrame, seed: int) -> Estimates:
    from halfwidth.core.estimates import Estimates
    from halfwidth.estimation.tables import summary_table

    accuracy = summary_table(cases, metric=correct.__name__, rng=seed)
    error = summary_table(
        cases,
        metric=absolute_error.__name__,
        statistic=["mean", "median", "quantile:0.9"],
        rng=seed,
    )
    return Estimates((*accuracy, *error))


def _write(
    cases: pd.DataFrame, estimates: Estimates, wines: pd.DataFrame, folder: Path
) -> tuple[Path, ...]:
    from halfwidth.estimation.test_sets.confusion import confusion_ci
    from halfwidth.plots import confusion, figure_of, write_figure

    errors = cases.loc[cases["label"] == DIABETES, "value"].to_numpy()
    shown = [estimate for estimate in estimates if estimate.label == DIABETES]
    figure = figure_of({DIABETES: errors}, shown)
    table, picture = folder / "cases.csv", folder / "diabetes.png"
    predictions, matrix = folder / "wines.csv", folder / "wines.png"
    scores = wines[["p0", "p1", "p2"]].to_numpy()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        cases.to_csv(table, index=False)
        wines.to_csv(predictions, index=False)
        write_figure(figure, picture)
        write_figure(confusion(confusion_ci(wines["cultivar"], scores)), matrix)
    except OSError as error:
        raise DataError(f"{folder}: cannot be written ({error.strerror})") from None
    return table, predictions, picture, matrix
