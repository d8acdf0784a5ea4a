"""What randomness may and may not depend on."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import halfwidth as hw
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import replicates
from halfwidth.summaries.catalogue import STATISTICS

VALUES = np.random.default_rng(0).beta(8, 2, 120)


def bounds_of(e: hw.Estimate) -> tuple[float, float]:
    return e.low, e.high


@pytest.mark.parametrize("statistic", ["mean", "sd", "trimmed_mean", "iqr", np.var])
def test_the_same_seed_gives_the_same_answer(statistic: object) -> None:
    first = hw.summary_ci(VALUES, statistic=statistic, method="percentile", n_resamples=999, rng=5)
    again = hw.summary_ci(
        VALUES[::-1], statistic=statistic, method="percentile", n_resamples=999, rng=5
    )
    other = hw.summary_ci(VALUES, statistic=statistic, method="percentile", n_resamples=999, rng=6)
    assert bounds_of(first) == bounds_of(again)
    assert first.seed == 5
    assert bounds_of(first) != bounds_of(other)


def test_the_reported_seed_reproduces_a_fresh_or_generated_one() -> None:
    for rng in (None, np.random.default_rng(3)):
        first = hw.summary_ci(VALUES, method="bca", n_resamples=999, rng=rng)
        assert bounds_of(
            hw.summary_ci(VALUES, method="bca", n_resamples=999, rng=first.seed)
        ) == bounds_of(first)


def test_a_generator_advances_and_a_seed_does_not() -> None:
    generator, sequence = np.random.default_rng(3), np.random.SeedSequence(3)
    first = hw.summary_ci(VALUES, method="bca", n_resamples=999, rng=generator)
    assert bounds_of(
        hw.summary_ci(VALUES, method="bca", n_resamples=999, rng=generator)
    ) != bounds_of(first)
    first = hw.summary_ci(VALUES, method="bca", n_resamples=999, rng=sequence)
    assert bounds_of(
        hw.summary_ci(VALUES, method="bca", n_resamples=999, rng=sequence)
    ) == bounds_of(first)


def test_the_global_state_is_untouched_and_has_no_say() -> None:
    np.random.seed(1)  # noqa: NPY002
    first = hw.summary_ci(VALUES, method="bca", n_resamples=999, rng=5)
    drawn = np.random.random()  # noqa: NPY002
    np.random.seed(1)  # noqa: NPY002
    assert drawn == np.random.random()  # noqa: NPY002
    assert bounds_of(hw.summary_ci(VALUES, method="bca", n_resamples=999, rng=5)) == bounds_of(
        first
    )


@pytest.mark.parametrize("name", ["mean", "sd", "trimmed_mean"])
@pytest.mark.parametrize("samples", [1, 6])
def test_block_size_does_not_matter(name: str, samples: int) -> None:
    parameters = {"sd": {"ddof": 1.0}, "trimmed_mean": {"share": 0.25}}.get(name, {})
    statistic = Statistic(STATISTICS[name], parameters)
    batch: Array = np.sort(np.random.default_rng(1).beta(8, 2, (samples, 50)), axis=-1)
    whole = replicates(batch, Design.iid(batch.shape[-1]), statistic, Plan(7, 301))
    for block_elements in (1, 999, 10**6):
        split = replicates(
            batch,
            Design.iid(batch.shape[-1]),
            statistic,
            Plan(7, 301, block_elements=block_elements),
        )
        np.testing.assert_allclose(split, whole, rtol=1e-12)


@pytest.mark.slow
def test_threads_do_not_matter() -> None:
    code = (
        "import numpy as np, halfwidth as hw;"
        "x = np.random.default_rng(0).beta(8, 2, (40, 60));"
        "import pandas as pd;"
        "t = hw.estimate(pd.DataFrame(x.T), method='bca', n_resamples=999, rng=1);"
        "print([(e.low, e.high) for e in t])"
    )
    made = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={"OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads, "PATH": ""},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for threads in ("1", "2")
    ]
    one, two = (np.array(eval(text, {"np": np})) for text in made)  # noqa: S307
    np.testing.assert_allclose(one, two, rtol=1e-12)


def test_draws_depend_on_the_number_of_cases_and_not_on_the_table() -> None:
    import pandas as pd

    frame = pd.DataFrame({"a": VALUES, "b": np.sqrt(VALUES)})
    table = hw.estimate(
        hw.CaseValues.from_table(frame), method="percentile", n_resamples=999, rng=9
    )
    for e in table:
        alone = hw.summary_ci(frame[e.label], method="percentile", n_resamples=999, rng=9)
        np.testing.assert_allclose(bounds_of(e), bounds_of(alone), rtol=1e-12)
