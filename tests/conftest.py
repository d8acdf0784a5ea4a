"""What all tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with real data and published tables, which is no part of the repository."""
    if not SHARED.is_dir():
        pytest.skip("../shared is absent: real data and published tables not tested")
    return SHARED
