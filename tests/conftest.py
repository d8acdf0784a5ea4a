"""What all tests share."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with real data and published tables, which is no part of the repository."""
    if not SHARED.is_dir():
        pytest.skip("../shared is absent: real data and published tables not tested")
    return SHARED


@pytest.fixture(autouse=True)
def _global_random_state_untouched():
    """No code under test may touch NumPy's global random state."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = np.random.get_state(legacy=False)["state"]  # noqa: NPY002
    yield
    after = np.random.get_state(legacy=False)["state"]  # noqa: NPY002
    assert before["pos"] == after["pos"]
    assert np.array_equal(before["key"], after["key"])
