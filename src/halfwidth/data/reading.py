"""``read``: the data in a file, and which kind they are."""

from __future__ import annotations

from pathlib import Path

from halfwidth.core.checks import is_path
from halfwidth.core.errors import DataError
from halfwidth.data.case_values import CaseValues
from halfwidth.tables.layout import layout_of
from halfwidth.tables.readers import read_table
from halfwidth.tables.table_kinds import refuse_objects, refuse_predictions, refuse_runs


def read(path: str | Path) -> CaseValues:
    r"""The data in a file, as far as it says what they are.

    A table with a number for each case holds `CaseValues`, as do the results of programs that
    write such numbers: nnU-Net, grand-challenge, panoptica and others. Whatever needs to be told
    more is refused, with the call that tells it.

    Parameters
    ----------
    path : str or Path
        A table (.csv, .tsv, .txt, also .gz; .parquet; .xlsx), or results of another program.

    Returns
    -------
    CaseValues
        Its text says which columns it takes for what, and what was assumed. What else describes
        the values, such as the column of patients, is said by ``CaseValues.from_table``.

    Raises
    ------
    DataError
        For a file that cannot be read, and for predictions, detections and training runs, which a
        file alone does not describe: which column holds the true classes, which file the objects
        to be found.

    Examples
    --------
    >>> import tempfile, halfwidth as hw
    >>> from pathlib import Path
    >>> rows = ["case,model,dice", "a,U-Net,0.91", "b,U-Net,0.88", "a,ViT,0.85", "b,ViT,0.80"]
    >>> file = Path(tempfile.mkdtemp(), "dice.csv")
    >>> _ = file.write_text("\n".join(rows))
    >>> hw.read(file)
    CaseValues(U-Net, ViT; value='dice', case='case', model='model', rows=4)
    """
    if not is_path(path, whole=True):
        raise DataError(
            f"read takes a path, not {type(path).__name__}; a table that is read already goes to "
            "a constructor: CaseValues.from_table(table)"
        )
    path = Path(path)
    if path.is_dir():
        raise DataError(
            f"{path}: is a folder; name a file. For folders of masks use score_folders("
            "predictions, references), for detections Detections.from_files(detections, references)"
        )
    table = read_table(path)
    refuse_runs(table)
    refuse_objects(table)
    refuse_predictions(table)
    layout_of(table)
    return CaseValues.from_table(table)
