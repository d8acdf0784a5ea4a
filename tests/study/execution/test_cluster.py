"""Workers of a Dask cluster make the same parts, and say what is wrong with them."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import pytest
import toywork
from toywork import all_end, chunks, parts, pids, ran, store_in

import halfwidth as hw
from halfwidth.study.execution import cluster
from halfwidth.study.execution.progress import Reporter
from halfwidth.study.execution.running import run_chunks
from halfwidth.study.storage.upkeep import status

BAD = "model1.n00005"


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("reference")
    run_chunks(chunks(), toywork.work, store_in(folder), progress=Reporter(io.StringIO()))
    return parts(folder)


@pytest.mark.slow
def test_a_local_cluster_makes_the_same_parts(tmp_path: Path, reference: dict[str, bytes]) -> None:
    seen, folder = tmp_path / "calls", tmp_path / "store"
    bad: dict[str, Any] = {"names": [BAD], "how": "raise"}
    outcome, said = ran(folder, chunks(calls=str(seen), **bad), dask="local", jobs=2, retries=0)
    assert outcome.failed == (BAD,)
    assert "ZeroDivisionError" in said
    assert parts(folder) == {name: part for name, part in reference.items() if BAD not in name}
    assert os.getpid() not in pids(seen)
    assert all_end(pids(seen))


@pytest.mark.slow
def test_a_worker_of_a_cluster_may_die(tmp_path: Path, reference: dict[str, bytes]) -> None:
    made = chunks(names=[BAD], how="kill")
    outcome, said = ran(tmp_path, made, dask="local", jobs=2)
    assert outcome.failed == (BAD,)
    assert "the worker died" in said
    assert parts(tmp_path) == {name: part for name, part in reference.items() if BAD not in name}


@pytest.mark.slow
def test_a_worker_of_another_version_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "__version__", "0.0.0")
    outcome, said = ran(tmp_path, chunks(1), dask="local", jobs=1, retries=0)
    assert len(outcome.failed) == 1
    assert f"runs halfwidth {hw.__version__}; the study was started with 0.0.0" in said


@pytest.mark.slow
def test_where_no_scheduler_answers_the_run_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 0.5)
    with pytest.raises(hw.DataError, match=r"dask='tcp://127\.0\.0\.1:9': no scheduler answers"):
        ran(tmp_path, chunks(), dask="tcp://127.0.0.1:9")
    assert status(store_in(tmp_path), chunks()).running == ()


@pytest.mark.parametrize("address", ["carrier-pigeon://1", "tcp://host:port", ""])
def test_what_is_no_address_is_refused(tmp_path: Path, address: str) -> None:
    with pytest.raises(hw.OptionError, match=f"dask={address!r} is no address"):
        ran(tmp_path, chunks(), dask=address)


@pytest.mark.parametrize(("late", "said"), [(1, "no scheduler answers"), (99, "did not start on")])
def test_an_event_loop_that_is_late_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, late: int, said: str
) -> None:
    from distributed.utils import LoopRunner

    start, starts = LoopRunner._start_unlocked, iter(range(100))

    def starts_late(runner: Any) -> None:
        assert next(starts) >= late
        start(runner)

    monkeypatch.setattr(cluster, "PATIENCE", 0.2)
    monkeypatch.setattr(LoopRunner, "_start_unlocked", starts_late)
    with pytest.raises(hw.DataError, match=said):
        ran(tmp_path, chunks(), dask="tcp://127.0.0.1:9")
