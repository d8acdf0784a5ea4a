"""Tables that are odd, or refused: missing values, few cases, equal values, wrong files."""

from __future__ import annotations

import gc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sourcefolders import (
    SINGLE,
    VALUES,
    WIDE,
    complaint,
    loaded,
    long_table,
    only,
    table,
    values_of,
    with_tables,
)

import halfwidth as hw
from halfwidth.core.option_names import Door, current_door


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return with_tables(tmp_path)


# --------------------------------------------------------------------------- missing values


def test_missing_values_raise_unless_something_is_said(folder: Path) -> None:
    long_table(folder, value=[np.nan, np.inf, *VALUES[2:]], metric=["hd95"] * 60)
    text = complaint(folder, table('files = "long.csv"'))
    assert text == (
        "long.csv: column 'value', hd95: 2 of 60 values are missing or infinite (1 infinite) "
        '(cases c0, c1). Say what that means: missing = "omit" leaves them out as not applicable, '
        "'worst' counts them as failed, with a penalty"
    )
    omitted = only(folder, table('files = "long.csv"', 'missing = "omit"'))
    np.testing.assert_array_equal(values_of(omitted), VALUES[2:])
    assert omitted.notes == ("2 of 60 values missing, 1 of them infinite: left out",)
    worst = only(folder, table('files = "long.csv"', 'missing = "worst"', "penalty = 99"))
    np.testing.assert_array_equal(values_of(worst), [*VALUES[2:], 99, 99])
    assert worst.notes == (
        "2 of 60 values missing, 1 of them infinite: counted as the worst value",
    )
    text = complaint(folder, table('files = "long.csv"', 'missing = "worst"'), hw.OptionError)
    assert "needs a penalty" in text


def test_the_worst_value_of_a_metric_is_known(folder: Path) -> None:
    long_table(folder, value=[np.nan, *VALUES[1:]])
    worst = only(folder, table('files = "long.csv"', 'missing = "worst"'))
    assert values_of(worst)[0] == 0.0


# --------------------------------------------------------------------------- few and equal values


def test_few_cases_are_cautioned_and_fewer_refused(folder: Path) -> None:
    for n, codes in ((50, []), (49, ["HW601"]), (5, ["HW601"])):
        long_table(folder, value=[*VALUES[:n], *[np.nan] * (60 - n)])
        instance = only(folder, table('files = "long.csv"', 'missing = "omit"'))
        assert (instance.n_cases, [c.code for c in instance.cautions]) == (n, codes)
        instance.build()
    assert "fitted to 5 cases, fewer than 50" in str(instance.cautions[0])
    long_table(folder, value=[*VALUES[:4], *[np.nan] * 56])
    text = complaint(folder, table('files = "long.csv"', 'missing = "omit"'))
    assert text.startswith("long.csv, column 'value', dsc: 4 cases left; a population needs 5 at")
    assert text.endswith("min_cases = 50 leaves such instances out")
    # The words of the spec end with it, even where reading was given up in its midst.
    gc.collect()
    assert current_door() is Door.PYTHON


def test_small_instances_can_be_left_out(folder: Path) -> None:
    frame = pd.read_csv(folder / "ViT_dsc.csv")
    frame.loc[3:, "liver"] = np.nan
    frame.loc[:, "kidney"] = np.nan
    frame.to_csv(folder / "ViT_dsc.csv", index=False)
    instances = loaded(folder, WIDE + 'missing = "omit"\nmin_cases = 50\n')
    assert [i.name for i in instances] == ["UNet/liver/dsc", "UNet/spleen/dsc", "ViT/spleen/dsc"]
    note = "left out, with fewer than 50 cases: ViT/liver/dsc (3), ViT/kidney/dsc (0)"
    assert [i.notes for i in instances] == [(note,), (), ()]
    assert len(loaded(folder, WIDE + 'missing = "omit"\nmin_cases = 60\n')) == 3
    text = complaint(folder, WIDE + 'missing = "omit"\nmin_cases = 500\n')
    assert text.startswith("no instance has min_cases = 500 cases; there are UNet/liver/dsc (60), ")


def test_equal_values_are_an_atom_with_a_caution(folder: Path) -> None:
    long_table(folder, value=[0.5] * 60)
    instance = only(folder, table('files = "long.csv"'))
    assert [c.code for c in instance.cautions] == ["HW602"]
    assert "All 60 values equal 0.5" in str(instance.cautions[0])
    drawn = instance.build().draw(np.random.default_rng(0), 3, 4)
    np.testing.assert_array_equal(drawn, np.full((3, 4), 0.5))


def test_repeated_cases_are_noted(folder: Path) -> None:
    long_table(folder, case=["a", "b"] * 30)
    notes = only(folder, table('files = "long.csv"')).notes
    assert notes == ("58 of 60 rows repeat a case, and count as cases",)


def test_several_rows_of_a_patient_are_noted(folder: Path) -> None:
    long_table(folder, PatientID=[f"P{i // 4}" for i in range(60)])
    notes = only(folder, table('files = "long.csv"')).notes
    assert notes == ("60 rows share 15 levels of column 'PatientID', and count as cases",)


def test_too_many_values_for_kernels_are_refused_before_the_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("halfwidth.study.specs.value_files.MOST", 59)
    text = complaint(folder, SINGLE)
    assert "60 values are too many for a kernel density estimate (at most 59); write" in text
    assert len(values_of(only(folder, SINGLE + 'population = "empirical"\n'))) == 60


# --------------------------------------------------------------------------- what is refused


def test_nothing_matches(folder: Path) -> None:
    where = f"matches no file in {folder}"
    text = complaint(folder, WIDE.replace("*_dsc", "*_dcs"))
    assert text == (
        f"'*_dcs.csv' {where}; is 'ViT_dsc.csv' meant? It holds UNet_dsc.csv, ViT_dsc.csv, single,"
        " spec.toml"
    )
    text = complaint(folder, WIDE.replace("*_dsc", "singel/*"))
    assert text == (
        f"'singel/*.csv' matches no file: there is no folder 'singel' in {folder}; did you mean "
        "'single'?"
    )
    text = complaint(folder, WIDE.replace("*_dsc.csv", "single"))
    assert text.startswith(f"'single' {where}")
    assert "matches no file" in complaint(folder, WIDE.replace("*_dsc", "a" * 300))
    (folder / "empty").mkdir()
    assert complaint(folder, WIDE.replace("*_", "empty/*_")).endswith("empty is empty")


def test_a_column_that_is_not_there(folder: Path) -> None:
    text = complaint(folder, WIDE + 'columns = "livre"\n', hw.UnknownNameError)
    assert text.startswith("UNet_dsc.csv: unknown column 'livre'; did you mean 'liver'?")


def test_values_without_a_metric(folder: Path) -> None:
    text = complaint(folder, table('files = "UNet_dsc.csv"'))
    assert text.startswith(
        'UNet_dsc.csv: what are the values? Say it: metric = "dsc"; or a name of'
    )


def test_per_cent_without_scale(folder: Path) -> None:
    text = complaint(folder, SINGLE.replace("scale = 100", ""))
    assert text == (
        "single/brain_dsc.csv: column 'metric': 60 of 60 values lie outside the range [0, 1] of "
        "DSC (case 0: 20). They look like per cent: use scale = 100"
    )


def test_text_among_numbers(folder: Path) -> None:
    long_table(folder, value=["0.5"] * 59 + ["failed"])
    text = complaint(folder, table('files = "long.csv"', 'metric = "dsc"'))
    assert text.endswith("case c59 holds 'failed', which is not a number")


def test_two_instances_of_one_name(folder: Path) -> None:
    with pytest.raises(hw.DataError) as caught:
        loaded(folder, SINGLE + SINGLE)
    assert str(caught.value).startswith(
        "two instances are called 'brain_dsc/dsc': single/brain_dsc.csv, column 'metric' and single"
    )


def test_a_file_that_is_no_table(folder: Path) -> None:
    (folder / "single" / "brain_dsc.csv").write_bytes(b"\0\1\2")
    text = complaint(folder, SINGLE)
    assert (
        text == f"{folder / 'single' / 'brain_dsc.csv'}: is not a text table (it holds binary data)"
    )
