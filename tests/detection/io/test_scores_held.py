"""Whether a file of objects is told to have scores without being read as objects."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import halfwidth as hw
from halfwidth.detection.io import scores_held
from halfwidth.detection.io.scores_held import holds_scores

BOX = {"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4]}


@pytest.mark.parametrize("scored", [True, False])
@pytest.mark.parametrize("packed", [True, False])
def test_coco(scored: bool, packed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The key may lie across two parts of the file.
    monkeypatch.setattr(scores_held, "AT_ONCE", 7)
    document = {"images": [], "annotations": [BOX | ({"score": 0.5} if scored else {})] * 3}
    path = tmp_path / ("a.json.gz" if packed else "a.json")
    data = json.dumps(document).encode()
    path.write_bytes(gzip.compress(data) if packed else data)
    assert holds_scores(path) == scored


def test_tables(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("slide,x_min,y_min,x_max,y_max,certainty\na,1,2,3,4,0.5\n", encoding="utf-8")
    assert not holds_scores(path, {"image": "slide"})
    assert holds_scores(path, {"image": "slide", "score": "certainty"})


@pytest.mark.parametrize(("line", "scored"), [("0 .5 .5 .1 .1 .9", True), ("0 .5 .5 .1 .1", False)])
def test_yolo(line: str, scored: bool, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("", encoding="utf-8")
    (tmp_path / "b.txt").write_text(line + "\n", encoding="utf-8")
    assert holds_scores(tmp_path) == scored


def test_formats_without_scores(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<annotation/>", encoding="utf-8")
    assert not holds_scores(tmp_path)
    assert holds_scores(tmp_path, name="probabilities")
    path = tmp_path / "a.docx"
    path.write_text("", encoding="utf-8")
    with pytest.raises(hw.DataError, match=r"a\.docx: cannot tell the format"):
        holds_scores(path)
