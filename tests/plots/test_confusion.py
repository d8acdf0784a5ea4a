from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import QuadMesh
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from over_data import over

import halfwidth as hw
from halfwidth import Confusion, plots

confusion = over(hw.confusion_ci, hw.Predictions.from_arrays)

RNG = np.random.default_rng(0)


def matrix(names: list[str], n: int = 60, **options: Any) -> Confusion:
    truth = RNG.choice(names, n * len(names))
    said = np.where(RNG.random(len(truth)) < 0.7, truth, RNG.choice(names, len(truth)))
    return confusion(truth, said, labels=names, **options)


def painted(ax: Axes) -> None:
    canvas: Any = FigureCanvasAgg
    canvas(ax.figure).draw()


def mesh_of(ax: Axes) -> QuadMesh:
    (found,) = [c for c in ax.collections if isinstance(c, QuadMesh)]
    return found


def cells_of(ax: Axes) -> dict[tuple[int, int], list[str]]:
    """Texts of each cell, from the top."""
    found: dict[tuple[int, int], list[tuple[float, str]]] = {}
    for text in ax.texts:
        annotation: Any = text
        x, y = annotation.xy
        if isinstance(annotation.xycoords, str) and annotation.xycoords == "data":
            found.setdefault((int(y), int(x)), []).append((-annotation.xyann[1], text.get_text()))
    return {cell: [text for _, text in sorted(lines)] for cell, lines in found.items()}


def test_cells_carry_the_numbers_of_the_frame() -> None:
    made = matrix(["a", "b", "c"])
    ax = plots.confusion(made)
    frame = made.to_frame()
    shown = np.asarray(mesh_of(ax).get_array())
    assert shown.ravel().tolist() == frame["share"].tolist()
    cells = cells_of(ax)
    for place, row in enumerate(frame.to_dict("records")):
        share, interval, count = cells[divmod(place, 3)]
        assert share == f"{100 * row['share']:.0f} %"
        assert interval == f"{100 * row['low']:.0f} to {100 * row['high']:.0f}"
        assert count == str(row["count"])
    notes = [text.get_text() for text in ax.texts]
    assert [f"n = {n}" for n in frame["n"][::3]] == [t for t in notes if t.startswith("n = ")]
    assert any("its 95 % CI" in text for text in notes)


def test_rows_are_true_classes_from_the_top() -> None:
    ax = plots.confusion(matrix(["a $x", "b"]))
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a $x", "b"]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["a $x", "b"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("predicted class", "true class")
    bottom, top = ax.get_ylim()
    assert bottom > top
    painted(ax)


def test_many_cases_deserve_a_decimal() -> None:
    made = matrix(["a", "b"], n=4000)
    share = cells_of(plots.confusion(made))[0, 0][0]
    assert share == f"{100 * made.shares[0, 0]:.1f} %"


def luminance(colour: Any) -> float:
    parts = np.array(to_rgb(colour))
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_text_is_readable_on_every_shade() -> None:
    truth = np.repeat([f"{k:02d}" for k in range(11)], 10)
    said = np.concatenate([["00"] * k + [f"{k:02d}"] * (10 - k) for k in range(11)])
    ax = plots.confusion(confusion(truth, said), Figure(figsize=(12, 12)).add_subplot())
    seen = set()
    mesh = mesh_of(ax)
    for text in ax.texts:
        annotation: Any = text
        if annotation.xycoords != "data":
            continue
        x, y = annotation.xy
        share = np.asarray(mesh.get_array())[int(y), int(x)]
        lights = sorted([luminance(mesh.to_rgba(share)[:3]), luminance(text.get_color())])
        # WCAG 2 asks for 4.5 of small text.
        assert (lights[1] + 0.05) / (lights[0] + 0.05) >= 4.5
        seen.add(text.get_color())
    assert len(seen) == 2


LONG = ["adenocarcinoma of the colon", "hospital of the north", "normal", "B", "C"]


@pytest.mark.slow
@pytest.mark.parametrize("names", [["0", "1"], LONG, [f"digit {k}" for k in range(10)]])
def test_texts_do_not_overlap(names: list[str]) -> None:
    ax = plots.confusion(matrix(names))
    painted(ax)
    texts = [*ax.texts, *ax.get_yticklabels(), ax.xaxis.label, ax.yaxis.label]
    boxes = [Text.get_window_extent(text) for text in texts if text.get_text()]
    for place, box in enumerate(boxes):
        assert ax.figure.bbox.x0 <= box.x0 < box.x1 <= ax.figure.bbox.x1
        assert ax.figure.bbox.y0 <= box.y0 < box.y1 <= ax.figure.bbox.y1
        for other in boxes[:place]:
            overlap = Bbox.intersection(box, other)
            assert overlap is None or overlap.width * overlap.height < 1


@pytest.mark.slow
def test_texts_stay_in_their_cells() -> None:
    names = [f"{k}" for k in range(10)]
    ax = plots.confusion(matrix(names, n=300))
    painted(ax)
    width = ax.bbox.width / 10
    boxes = [Text.get_window_extent(t) for t in ax.texts if " to " in t.get_text()]
    assert len(boxes) == 100
    assert max(box.width for box in boxes) < width


def test_small_cells_say_less() -> None:
    names = [f"c{k:02d}" for k in range(15)]
    ax = plots.confusion(matrix(names))
    assert {len(lines) for lines in cells_of(ax).values()} == {1}
    ax = plots.confusion(matrix([f"c{k:02d}" for k in range(30)], n=10))
    assert cells_of(ax) == {}
    assert "share of the true class" in [other.get_ylabel() for other in ax.figure.axes]
    painted(ax)


def test_a_class_without_cases_is_grey_and_said() -> None:
    made = confusion([0, 0, 1, 1], [0, 2, 1, 1], labels=[0, 1, 2])
    ax = plots.confusion(made)
    assert cells_of(ax)[2, 0] == ["n/a", "", "0"]
    assert np.ma.getmaskarray(np.ma.asarray(mesh_of(ax).get_array()))[2].all()
    painted(ax)


def test_the_axes_given_are_drawn_into() -> None:
    ax = Figure(figsize=(6.7, 3.2), layout="constrained").subplots(1, 2)[0]
    assert plots.confusion(matrix(["a", "b"]), ax) is ax
    painted(ax)


def test_the_matrix_of_one_model_of_several_has_its_name() -> None:
    y = ["a", "b"] * 10
    said = hw.Predictions.from_arrays(y, {"nnU-Net": y, "Swin $x$": y[::-1]})
    for name in said.models:
        matrix = hw.confusion_ci(said.taking([name]))
        assert matrix.label == name
        assert plots.confusion(matrix).get_title(loc="left") == name
    assert not plots.confusion(hw.confusion_ci(y, y)).get_title(loc="left")
