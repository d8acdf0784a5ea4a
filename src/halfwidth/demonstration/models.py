"""Small models on data that ship with scikit-learn, tested on cases they have not seen.

Frames of what they predict, as the verbs read them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halfwidth.metrics.agreement import accuracy
from halfwidth.metrics.error import absolute_error

if TYPE_CHECKING:
    import pandas as pd

# Half of the cases are held out: the tests of a demonstration need cases, its models do not.
HELD_OUT = 0.5
# Two of the thirteen properties of the wines, so that there is something to miss.
WINE_FEATURES = [0, 2]
CLASSES = ("p0", "p1", "p2")
# Training runs of one classifier, by seed, and the digits that each trains on.
RUNS, DIGITS_TRAINED_ON = 25, 600


def tumours(seed: int) -> pd.DataFrame:
    """Whether each breast tumour is malignant, and its probabilities by two classifiers."""
    import pandas as pd
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression

    features, benign = load_breast_cancer(return_X_y=True)
    # Ten means of each image; its worst values would leave little to tell apart.
    train_x, test_x, train_y, test_y = _split(features[:, :10], 1 - benign, seed, stratify=benign)
    models = {
        "logistic": _scaled(LogisticRegression(max_iter=1000)),
        "forest": RandomForestClassifier(100, random_state=seed),
    }
    scores = {
        name: model.fit(train_x, train_y).predict_proba(test_x)[:, 1].round(4)
        for name, model in models.items()
    }
    cases = [f"tumour{number:03d}" for number in range(len(test_y))]
    return pd.DataFrame({"case": cases, "malignant": test_y, **scores})


def wines(seed: int) -> pd.DataFrame:
    """The cultivar of each wine and its probabilities of the three."""
    import pandas as pd
    from sklearn.datasets import load_wine
    from sklearn.linear_model import LogisticRegression

    features, cultivar = load_wine(return_X_y=True)
    train_x, test_x, train_y, test_y = _split(
        features[:, WINE_FEATURES], cultivar, seed, stratify=cultivar
    )
    model = _scaled(LogisticRegression()).fit(train_x, train_y)
    shares = dict(zip(CLASSES, model.predict_proba(test_x).T.round(4), strict=True))
    cases = [f"wine{number:02d}" for number in range(len(test_y))]
    return pd.DataFrame({"case": cases, "cultivar": test_y, **shares})


def diabetes_errors(seed: int) -> pd.DataFrame:
    """Errors of five models that predict the progression of each patient's diabetes."""
    import pandas as pd
    from sklearn.datasets import load_diabetes
    from sklearn.dummy import DummyRegressor
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.linear_model import Ridge
    from sklearn.neighbors import KNeighborsRegressor
    from sklearn.tree import DecisionTreeRegressor

    features, progression = load_diabetes(return_X_y=True)
    train_x, test_x, train_y, test_y = _split(features, progression, seed)
    models = {
        "ridge": _scaled(Ridge()),
        "forest": RandomForestRegressor(100, random_state=seed),
        "neighbours": KNeighborsRegressor(10),
        "tree": DecisionTreeRegressor(max_depth=5, random_state=seed),
        "average": DummyRegressor(),
    }
    predictions = {name: m.fit(train_x, train_y).predict(test_x) for name, m in models.items()}
    patients = [f"patient{number:03d}" for number in range(len(test_y))]
    tables = [
        pd.DataFrame(
            {
                "patient": patients,
                "model": name,
                absolute_error.__name__: absolute_error(test_y, predicted).round(1),
            }
        )
        for name, predicted in predictions.items()
    ]
    return pd.concat(tables, ignore_index=True)


def training_runs(seed: int) -> pd.DataFrame:
    """Accuracy on handwritten digits of one classifier, trained again with other seeds.

    The seed of a run shuffles the digits that stochastic gradient descent sees; the digits
    themselves and the test set stay.
    """
    import pandas as pd
    from sklearn.datasets import load_digits
    from sklearn.linear_model import SGDClassifier

    images, digits = load_digits(return_X_y=True)
    train_x, test_x, train_y, test_y = _split(images / 16, digits, seed, stratify=digits)
    train_x, train_y = train_x[:DIGITS_TRAINED_ON], train_y[:DIGITS_TRAINED_ON]

    def reached(run: int) -> float:
        # A fixed number of epochs; no run stops by itself.
        model = SGDClassifier(loss="log_loss", max_iter=5, tol=None, random_state=run)
        return round(float(model.fit(train_x, train_y).score(test_x, test_y)), 4)

    seeds = range(1, RUNS + 1)
    return pd.DataFrame({"seed": seeds, accuracy.__name__: [reached(run) for run in seeds]})


def _split(features: Any, target: Any, seed: int, *, stratify: Any = None) -> tuple[Any, ...]:
    from sklearn.model_selection import train_test_split

    return tuple(
        train_test_split(features, target, test_size=HELD_OUT, random_state=seed, stratify=stratify)
    )


def _scaled(model: Any) -> Any:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), model)
