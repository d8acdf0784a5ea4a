"""No bit of a store changes in silence, and a run mends whatever has changed."""

from __future__ import annotations

import io
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import toywork
from pandas.testing import assert_frame_equal
from toywork import chunks, parts, ran, store_in

import halfwidth as hw
from halfwidth.study.chunks import Chunk
from halfwidth.study.execution.progress import Reporter
from halfwidth.study.execution.running import Outcome, run_chunks
from halfwidth.study.storage import disk
from halfwidth.study.storage.locks import hold_lock
from halfwidth.study.storage.opening import create_or_open, open_store
from halfwidth.study.storage.store import Store, parts_in
from halfwidth.study.storage.upkeep import collect, status

BAD = "model3.n00003"
# How many bits are flipped, one by one, in files of each kind.
FLIPS = {"parts": 12, "run.json": 5, "chunks.json": 3, "timings": 3, "failed": 3}
FIRST, SECOND = (f"{chunk.name}-{chunk.digest}.parquet" for chunk in chunks(2))


def made(**what: Any) -> list[Chunk]:
    """Four chunks, of which the last fails."""
    return chunks(4, names=[BAD], how="raise", **what)


def run(folder: Path) -> tuple[Outcome, str]:
    said = io.StringIO()
    store = create_or_open(folder, toywork.SETTINGS, toywork.INPUTS, toywork.COLUMNS, restore=True)
    outcome = run_chunks(made(), toywork.work, store, progress=Reporter(said), retries=0)
    return outcome, said.getvalue()


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reference") / "store"
    assert run(folder)[0].failed == (BAD,)
    return folder


@pytest.fixture
def folder(reference: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(reference, tmp_path / "store"))


def sound(folder: Path, reference: Path) -> bool:
    """Whether results are those of the reference, bit for bit, and nothing is to be said."""
    found = status(open_store(folder), open_store(folder).chunks())
    kept = {path.name: path.read_bytes() for path in parts_in(folder)}
    return (
        kept == parts(reference)
        and not found.damaged
        and not found.torn
        and found.reasons == {BAD: "ZeroDivisionError: nothing to divide by"}
        and len(hw.study.open(folder).notes) == 1
    )


def complaints(folder: Path) -> list[str]:
    """What those say who read a store."""
    said = []
    try:
        opened = open_store(folder)
        found = status(opened, opened.chunks())
        said += [*found.damaged.values(), *["torn"] * found.torn]
        said += [reason for reason in found.reasons.values() if "damaged" in reason]
    except hw.DataError as error:
        said.append(str(error))
    return said


def files_of(folder: Path, kind: str) -> list[Path]:
    found = folder / kind
    return [found] if found.is_file() else sorted(p for p in found.iterdir() if p.is_file())


def flip(file: Path, generator: random.Random) -> None:
    content = bytearray(file.read_bytes())
    content[generator.randrange(len(content))] ^= 1 << generator.randrange(8)
    file.write_bytes(content)


@pytest.mark.parametrize("times", [1, pytest.param(5, marks=pytest.mark.slow)])
def test_flipped_bits_are_all_seen_and_all_mended(
    folder: Path, reference: Path, times: int
) -> None:
    generator = random.Random(17 + times)
    kinds = [kind for kind, count in FLIPS.items() for _ in range(times * count)]
    generator.shuffle(kinds)
    assert sound(folder, reference)
    for start in range(0, len(kinds), 6):
        damaged = set()
        for kind in kinds[start : start + 6]:
            file = generator.choice(files_of(folder, kind))
            before = file.read_bytes()
            flip(file, generator)
            assert complaints(folder), f"{kind}: a bit was flipped in silence"
            if kind in ("parts", "run.json"):
                with pytest.raises(hw.DataError, match="halfwidth study run"):
                    hw.study.open(folder)
            flipped = file.read_bytes()
            file.write_bytes(before)
            damaged.add((file, flipped))
        # Then several at once.
        for file, flipped in damaged:
            file.write_bytes(flipped)
        _, said = run(folder)
        for file, _ in damaged:
            assert file.name.removesuffix(".parquet").rpartition("-")[0] in said, said
        assert sound(folder, reference)
        for file in folder.rglob("*.broken"):
            file.unlink()
    mended, whole = (hw.study.open(one).query("SELECT * FROM cells") for one in (folder, reference))
    assert_frame_equal(mended, whole, check_exact=True)


# --------------------------------------------------------------------------- other damage


def cut_off(folder: Path) -> None:
    part = folder / "parts" / FIRST
    part.write_bytes(part.read_bytes()[:-1])


def emptied(folder: Path) -> None:
    (folder / "parts" / FIRST).write_bytes(b"")


def longer(folder: Path) -> None:
    with (folder / "parts" / FIRST).open("ab") as file:
        file.write(b"\0")


def a_folder(folder: Path) -> None:
    (folder / "parts" / FIRST).unlink()
    (folder / "parts" / FIRST).mkdir()


def swapped(folder: Path) -> None:
    first, second = folder / "parts" / FIRST, folder / "parts" / SECOND
    one, other = first.read_bytes(), second.read_bytes()
    first.write_bytes(other)
    second.write_bytes(one)


def foreign(folder: Path) -> None:
    other = store_in(folder.parent / "other", seed=8)
    other.write(chunks()[0], toywork.work(chunks()[0]).rows, "whole")
    shutil.copy(other.part(chunks()[0]), folder / "parts" / FIRST)


def another_name(folder: Path) -> None:
    shutil.copy(folder / "parts" / FIRST, folder / "parts" / "copy.parquet")


def without_seal(folder: Path) -> None:
    unseal(folder / "parts" / FIRST)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("damage", "fault"),
    [
        (cut_off, "is damaged"),
        (emptied, "is empty"),
        (longer, "is damaged"),
        (a_folder, "cannot be read (Is a directory)"),
        (swapped, f"is the part of {chunks(2)[1].name}"),
        (foreign, "belongs to another study"),
        (another_name, f"is the part of {chunks(2)[0].name}"),
        (without_seal, "has lost its seal"),
    ],
)
def test_damage_is_named_by_all_who_read_and_mended_by_a_run(
    folder: Path, reference: Path, damage: Callable[[Path], None], fault: str
) -> None:
    damage(folder)
    found = status(open_store(folder), open_store(folder).chunks())
    assert fault in found.damaged.values()
    with pytest.raises(hw.DataError) as caught:
        hw.study.open(folder)
    assert fault in str(caught.value)
    assert "'halfwidth study run' with the spec of this study does them again" in str(caught.value)
    _, said = run(folder)
    assert fault in said
    assert ".broken" in said
    assert sound(folder, reference)


def test_results_that_are_open_see_a_part_that_changes(folder: Path) -> None:
    results = hw.study.open(folder)
    cut_off(folder)
    with pytest.raises(hw.DataError, match="1 part cannot be used"):
        results.query("SELECT 1")


def test_a_store_says_how_much_of_the_study_is_in_it(folder: Path) -> None:
    assert hw.study.open(folder).notes == (
        f"{folder}: 3 of 4 chunks are done; the others are not in it",
    )


# --------------------------------------------------------------------------- run.json


@pytest.mark.sampled(2)
@pytest.mark.parametrize("content", [None, b"", b"{", b"[]", b'{"format": 1}'])
def test_a_run_restores_run_json(folder: Path, reference: Path, content: bytes | None) -> None:
    path = folder / "run.json"
    path.unlink() if content is None else path.write_bytes(content)
    with pytest.raises(hw.DataError, match="study run"):
        hw.study.open(folder)
    with pytest.raises(hw.DataError, match=r"run\.json"):
        store_in(folder)
    outcome, said = run(folder)
    assert len(outcome.known) == 3
    assert "is restored from the spec; the date and the versions in it are those of now" in said
    assert sound(folder, reference)
    assert open_store(folder).manifest.settings == open_store(reference).manifest.settings


def test_run_json_is_not_restored_from_the_spec_of_another_study(folder: Path) -> None:
    path = folder / "run.json"
    path.write_bytes(path.read_bytes()[:-20])
    before = {p: p.read_bytes() for p in folder.rglob("*.*") if p.is_file()}
    settings = toywork.SETTINGS | {"seed": 8}
    with pytest.raises(hw.DataError, match=r"this spec is another one .* is not of its study"):
        create_or_open(folder, settings, toywork.INPUTS, toywork.COLUMNS, restore=True)
    assert {p: p.read_bytes() for p in folder.rglob("*.*") if p.is_file()} == before


def test_a_run_that_was_killed_while_it_made_its_store_goes_on(tmp_path: Path) -> None:
    for name in ("locks", "parts", "failed", "timings"):
        (tmp_path / name).mkdir()
    (tmp_path / ".door.4242.tmp").write_bytes(b"{")
    ran(tmp_path, chunks(1))
    assert not (tmp_path / ".door.4242.tmp").exists()


# --------------------------------------------------------------------------- earlier versions


def unseal(part: Path) -> None:
    """As it was before there were seals."""
    table = pq.read_table(part)
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", compression_level=3, write_page_checksum=True)
    part.write_bytes(bytes(sink.getvalue()))


@pytest.fixture
def old(folder: Path) -> Path:
    """A store of an earlier version."""
    for part in parts_in(folder):
        unseal(part)
    for file in (folder / "run.json", *(folder / "failed").iterdir()):
        file.write_text(json.dumps(disk.read_json(file), indent=1))
    for file in (folder / "timings").iterdir():
        said = [json.loads(line) for line in file.read_bytes().split(b"\n") if line]
        plain = [{k: v for k, v in one.items() if k != "halfwidth.seal"} for one in said]
        file.write_text("\n".join(f"{json.dumps(one)}\n" for one in plain))
    (folder / "chunks.json").unlink()
    assert not any(b"halfwidth.seal" in p.read_bytes() for p in folder.rglob("*.*"))
    return folder


def test_an_old_store_is_read_and_said_to_have_no_seals(old: Path) -> None:
    results = hw.study.open(old)
    assert len(results.query("SELECT * FROM cells")) == 9
    (note,) = results.notes
    assert "3 parts have no seal" in note
    assert "'halfwidth study run' seals them" in note
    found = status(open_store(old), made())
    assert (len(found.done), found.unsealed, found.damaged) == (3, 3, {})
    # By itself it does not say what is left.
    found = status(open_store(old), open_store(old).chunks())
    assert (len(found.done), found.failed, found.left) == (3, (BAD,), None)


def test_a_run_seals_an_old_store_and_loses_nothing(old: Path, reference: Path) -> None:
    begun = open_store(old).manifest.begun
    outcome, said = run(old)
    assert (outcome.done, len(outcome.known)) == ((), 3)
    assert "3 parts of an earlier version had no seal: checked as far as can be, and sealed" in said
    assert sound(old, reference)
    assert open_store(old).manifest.begun == begun
    assert "no seal" not in run(old)[1]
    assert not list(old.rglob("*.broken"))


def test_an_old_run_json_that_is_damaged_costs_no_finished_work(old: Path, reference: Path) -> None:
    path = old / "run.json"
    path.write_bytes(path.read_bytes()[:-9])
    outcome, _ = run(old)
    assert (outcome.done, len(outcome.known)) == ((), 3)
    assert sound(old, reference)


def test_what_can_be_checked_of_an_old_part_is(old: Path, reference: Path) -> None:
    """Its pages have checksums, its footer none: whatever is seen there is seen by its meaning."""
    part = old / "parts" / FIRST
    table = pq.read_table(part)
    whole = part.read_bytes()
    column = pq.read_metadata(part).row_group(0).column(2)
    start = column.data_page_offset + column.total_compressed_size // 2
    part.write_bytes(whole[:start] + bytes([whole[start] ^ 1]) + whole[start + 1 :])
    assert status(open_store(old), made()).damaged == {chunks(1)[0].name: "is damaged"}
    for wrong in (table.drop_columns("n"), table[:0], table.rename_columns([*"abcde"])):
        pq.write_table(wrong.replace_schema_metadata(table.schema.metadata), part)
        assert status(open_store(old), made()).damaged == {chunks(1)[0].name: "is damaged"}
    run(old)
    assert sound(old, reference)


def test_parts_of_an_old_store_are_collected_with_seals(old: Path, reference: Path) -> None:
    store = store_in(old.parent / "all")
    assert collect(store, [old]).copied == 3
    assert parts(store.path) == parts(reference)
    assert hw.study.open(store.path).notes == ()


# --------------------------------------------------------------------------- debris


def test_what_killed_runs_said_of_themselves_is_removed(folder: Path) -> None:
    locks = folder / "locks"
    (locks / "shard-1-of-2.json").write_text("{}")
    with hold_lock(folder) as writer:
        Store(folder, open_store(folder).manifest).tidy(writer)
        assert sorted(path.name for path in locks.glob("*.json")) == ["whole.json"]
