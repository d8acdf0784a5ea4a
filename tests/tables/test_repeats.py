"""Rows that belong together, found by what their columns are called and hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import halfwidth as hw
from halfwidth.io.table import Table
from halfwidth.tables.repeats import Repeats, case_column, is_design_column, repeats_in

PERSONS = [f"P{i // 3}" for i in range(12)]


def found(
    columns: dict[str, Sequence[Any]], case: str | None = None, groups: Any = None, **options: Any
) -> Repeats:
    return repeats_in(Table.from_frame(columns), case=case, groups=groups, **options)


@pytest.mark.parametrize(
    "name",
    [
        *("patient", "Patient", "PATIENT_ID", "patient-id", "Patient ID", "PatientID", "patientId"),
        *("Patient Name", "PatientNumber", "anon_patient_id", "pat_id", "pt_id", "PTID", "pid"),
        *("subject", "Subject No.", "subj", "sub", "participant_id", "MRN", "eid", "donor_id"),
        *("study", "study_id", "StudyInstanceUID", "exam", "Accession Number", "scan", "scan_id"),
        *("SeriesInstanceUID", "seriesuid", "volume", "volume_id", "slide_id", "lesion_id"),
        *("image_id", "image"),
    ],
)
def test_what_holds_several_rows_is_known_by_name(name: str) -> None:
    assert found({name: PERSONS, "score": range(12)}).shared == (name, 4)


@pytest.mark.parametrize(
    "name",
    [
        *("patient_age", "n_patients", "PatientSex", "StudyDate", "study_site", "subjective"),
        *("series", "slice", "model", "reader", "SOPInstanceUID", "patients_score", "scanner", "y"),
    ],
)
def test_other_columns_are_not(name: str) -> None:
    assert found({name: PERSONS, "score": range(12)}) == Repeats()


@pytest.mark.parametrize("name", ["patient", "study"])
@pytest.mark.parametrize(
    "labels",
    [[f"P{i}" for i in range(12)], ["P1"] * 12, [None] * 12, [True, False] * 6, [0, 1] * 6],
    ids=["one row each", "constant", "missing", "a truth", "a flag"],
)
def test_labels_that_share_nothing_are_no_finding(name: str, labels: list[Any]) -> None:
    assert found({name: labels}).shared is None


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("study", ["LIDC", "NLST"] * 6),
        ("scan", ["CT", "MR"] * 6),
        ("volume", [12.5, 13.5] * 6),
        ("volume", [12, 13] * 6),
        ("volume", ["12.5", "13"] * 6),
        ("exam", ["12.5", "13.25"] * 6),
        ("lesion", [1, 2] * 6),
    ],
)
def test_names_of_data_sets_and_measurements_are_no_ids(name: str, labels: list[Any]) -> None:
    assert found({name: labels}).shared is None


def test_numbers_with_leading_zeros_and_uids_are_ids() -> None:
    assert found({"study": ["007", "007", "008"]}).shared == ("study", 2)
    assert found({"volume": ["1.2.840.1", "1.2.840.1", "1.2.840.2"]}).shared == ("volume", 2)


def test_a_column_with_another_part_to_play_is_no_finding() -> None:
    assert found({"patient": PERSONS}, taken=["patient"]).shared is None


def test_clusters_keep_what_they_hold_together() -> None:
    scans = [f"s{i // 2}" for i in range(12)]
    assert found({"patient": PERSONS}, groups=PERSONS).shared is None
    assert found({"study_id": scans}, groups=[f"p{i // 6}" for i in range(12)]).shared is None
    # Clusters that are finer than the patient, or cut through, leave the patient shared.
    assert found({"patient": PERSONS}, groups=list(range(12))).shared == ("patient", 4)
    assert found({"patient": PERSONS}, groups=[i % 2 for i in range(12)]).shared == ("patient", 4)
    assert found({"study": PERSONS}, groups=list(range(12))).shared == ("study", 4)


def test_numbers_that_begin_anew_in_each_cluster_or_case_are_no_unit() -> None:
    number = [1, 2, 3] * 4
    assert found({"study_no": number}, groups=PERSONS).shared is None
    assert found({"lesion_no": number, "case": PERSONS}, case="case").shared is None
    assert found({"lesion_no": number, "case": PERSONS}, case="case").cases == 8


def test_persons_come_first_and_one_row_of_each_settles_it() -> None:
    study = [f"S{i // 2}" for i in range(12)]
    assert found({"study": study, "patient_id": PERSONS}).shared == ("patient_id", 4)
    assert found({"study": study, "patient_id": range(12)}).shared is None
    assert found({"image_id": study, "study": PERSONS}).shared == ("study", 4)


def test_case_columns_are_known_whatever_their_capitals() -> None:
    table = Table.from_frame({"x": [1], "Case ID": [1], "Patient": [2]})
    assert case_column(table) == "Case ID"
    assert case_column(table, ["Case ID"]) == "Patient"
    assert case_column(table, ["Case ID"], persons=False) is None


def test_numbers_of_patients_are_no_values() -> None:
    frame = {"CaseID": range(6), "PatientID": [1, 1, 2, 2, 3, 3], "dice": [0.9, 0.8, 0.7] * 2}
    table = hw.estimate(hw.CaseValues.from_table(frame))
    assert [e.label for e in table] == ["dice"]
    assert "HW402" in [c.code for c in table.cautions]
    assert is_design_column("Seed")
    assert not is_design_column("study")


# --------------------------------------------------------------------------- patients in ids


def of_ids(*ids: str, **columns: list[Any]) -> list[str]:
    """The cautions about patients of cases with these ids."""
    dice = np.linspace(0.7, 0.95, len(ids))
    table = {"case": [*ids], "dice": dice} | columns
    (estimate,) = hw.estimate(hw.CaseValues.from_table(table, "dice", metric="dsc", case="case"))
    return [one.message for one in estimate.cautions if one.code == "HW874"]


def test_ids_of_patients_and_numbers_are_told_as_names_of_images_are() -> None:
    # As of figure 6b: patients p0 to p7 with 6 images each, and no column of patients.
    ids = [f"p{patient}_{image}" for patient in range(8) for image in range(6)]
    (said,) = of_ids(*ids)
    assert said == (
        "Names of 48 cases suggest that they are of 8 patients or scans ('p0_0'), and the interval "
        "treats them as independent."
    )
    assert of_ids(*[f"pat{p}-{i:02}" for p in range(3) for i in range(1, 21)])
    assert of_ids(*[f"vol{v}_slice_{i}" for v in range(4) for i in range(9)])
    patients = [name.partition("_")[0] for name in ids]
    assert of_ids(*ids, patient=patients) == []
    told = hw.CaseValues.from_table(
        {"case": ids, "dice": np.linspace(0.7, 0.95, 48), "pat": patients},
        "dice",
        metric="dsc",
        groups="pat",
    )
    assert "HW874" not in {one.code for one in hw.estimate(told)[0].cautions}


@pytest.mark.parametrize(
    "ids",
    [
        [f"case_{i:03}" for i in range(40)],
        [f"site{s}_{i}" for s in range(8) for i in range(6)],
        [f"A{s}_{i:03}" for s in range(3) for i in range(20)],
        [f"2007_{i:06}" for i in range(20)] + [f"2008_{i:06}" for i in range(20)],
        [f"BDMAP_{i:08}" for i in range(30)],
        [f"T{s}_{100 * s + i}" for s in range(1, 9) for i in range(6)],
        [f"p{i}" for i in range(30)],
        [f"p{i}_1" for i in range(30)],
    ],
    ids=[
        "one word",
        "sites",
        "many each",
        "years",
        "one prefix",
        "own numbers",
        "bare",
        "one each",
    ],
)
def test_other_ids_suggest_no_patients(ids: list[str]) -> None:
    assert of_ids(*ids) == []
