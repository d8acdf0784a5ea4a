"""``metrics.json`` of picai_eval, the evaluation of PI-CAI: what was found in each case.

AUROC is of a whole test set: what is read are the true class and the score of each case, for
``--target case_target --score case_pred``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from halfwidth.core.errors import DataError, quoted, shortened
from halfwidth.core.option_names import spelled
from halfwidth.io.table import Table, text_column
from halfwidth.tables.importers.case_values import number
from halfwidth.tables.importers.importer import Candidate, Importer, ImportOptions

TITLE = "PI-CAI metrics.json"
TARGET, SCORE, WEIGHT = "case_target", "case_pred", "case_weight"


def _recognises(candidate: Candidate) -> bool:
    document = candidate.document
    return isinstance(document, dict) and {TARGET, SCORE, "lesion_results"} <= set(document)


def _read(candidate: Candidate, _: ImportOptions) -> Table:
    document = candidate.document
    held = {name: document.get(name) for name in (TARGET, SCORE, WEIGHT)}
    for name, by_case in held.items():
        if not isinstance(by_case, dict) and (name != WEIGHT or by_case is not None):
            raise DataError(f"{name} must be an object with a value for each case")
    cases = list(held[TARGET])
    other = [case for case in held[SCORE] if case not in held[TARGET]]
    other += [case for case in cases if case not in held[SCORE]]
    if other:
        raise DataError(f"{TARGET} and {SCORE} hold different cases ({quoted(other[:5])})")
    if not cases:
        raise DataError("holds no cases")
    columns: dict[str, Any] = {"case": text_column(cases)}
    for name in (TARGET, SCORE):
        columns[name] = _numbers(held[name], cases, name)
    options = f"{spelled('target', TARGET)} {spelled('score', SCORE)} {spelled('metric', 'auroc')}"
    notes = [f"read as {TITLE}: predictions of {len(cases)} cases, for {options}"]
    left_out = ["lesion_results"]
    if held[WEIGHT] is not None:
        weights = _numbers(held[WEIGHT], cases, WEIGHT)
        if (weights != 1).any():
            columns[WEIGHT] = weights
            notes.append(f"the cases differ in weight: {spelled('sample_weight', WEIGHT)}")
    notes.append(f"left out: {shortened(left_out)} (no metric of lesions is computed from them)")
    return Table(columns, notes=tuple(notes))


def _numbers(by_case: dict[str, Any], cases: list[str], name: str) -> Any:
    missing = [case for case in cases if case not in by_case]
    if missing:
        raise DataError(f"{name} has no value for {quoted(missing[:5])}")
    return np.array([number(by_case[case], f"{name} of {case}") for case in cases])


PICAI = Importer(
    name="pi-cai",
    title=TITLE,
    suffixes=(".json",),
    recognises=_recognises,
    read=_read,
    source="Metrics.save of picai_eval (DIAGNijmegen/picai_eval)",
)
