"""Every ``--plot-kind`` in its shapes: no warning, and nothing beyond a page of paper."""

from __future__ import annotations

import itertools
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from support import Run

MODELS = ("nnU-Net ResEnc L", "Swin UNETR pretrained", "MedNeXt kernel 5", "TotalSegmentator fast")
ORGANS = ("left_kidney_parenchyma", "urinary_bladder_wall", "Hepatic vessels and bile ducts")
SITES = ("Universitätsklinikum Heidelberg", "Massachusetts General Hospital", "Charité Berlin")
CLASSES = ("benign_nevus", "melanoma_in_situ", "squamous_cell_carcinoma")
METRICS = ("dsc", "hd95", "nsd:tolerance=2")
# Between the margins of A4, in inches, and what a page may be longer.
PAGE, MORE = 24.7 / 2.54, 1.2
FEW = ("--n-resamples", "49", "--seed", "1")
# Models, metrics or classes, and levels: all pairs of one, two and three.
SHAPES = [(a, b, (a + b) % 3 + 1) for a, b in itertools.product((1, 2, 3), repeat=2)]


def values(folder: Path, models: int, metrics: int, levels: int) -> list[str]:
    """A table of values of cases, and how it is read."""
    rng = np.random.default_rng(1)
    each = itertools.product(MODELS[:models], ORGANS[:levels], METRICS[:metrics])
    rows = [
        (f"case {i}", model, organ, metric, value * (40 if metric == "hd95" else 1))
        for model, organ, metric in each
        for i, value in enumerate(rng.beta(8, 2, 12))
    ]
    return written(rows, ["case", "model", "organ", "metric", "value"], folder, levels)


def scored(folder: Path, models: int, classes: int, levels: int) -> list[str]:
    """A table of probabilities, and how it is read."""
    rng = np.random.default_rng(1)
    names = CLASSES[: max(classes, 2)]
    rows = []
    for model, site in itertools.product(MODELS[:models], SITES[:levels]):
        for i in range(40):
            truth = i % len(names)
            score = np.exp(rng.normal(size=len(names)) + (np.arange(len(names)) == truth))
            rows.append((f"{site} {i}", model, site, CLASSES[truth], *(score / score.sum())))
    scores = [f"p_{name}" for name in names]
    told = written(rows, ["case", "model", "site", "truth", *scores], folder, levels)
    if classes <= 2:
        return [*told, "--target", "truth", "--score", scores[1], "--pos-label", CLASSES[1]]
    columns = [word for name in scores for word in ("--score", name)]
    return [*told, "--target", "truth", *columns, "--average", "macro"]


def written(rows: list[Any], columns: list[str], folder: Path, levels: int) -> list[str]:
    path = folder / "table.csv"
    pd.DataFrame(rows, columns=columns).to_csv(path, index=False)
    by = next(name for name in ("organ", "site") if name in columns)
    return [str(path), "--model", "model", *(["--by", by] if levels > 1 else [])]


def detections(folder: Path, detectors: int, metrics: int, classes: int) -> list[str]:
    """Files of detectors with the references, and what is asked of them."""
    rng = np.random.default_rng(1)
    columns = ["image", "class", "x_min", "y_min", "x_max", "y_max"]
    true = [
        (f"scan {i}", name, 60 * place, 10, 60 * place + 20, 30)
        for i in range(12)
        for place, name in enumerate(CLASSES[:classes])
    ]
    references = folder / "references.csv"
    pd.DataFrame(true, columns=columns).to_csv(references, index=False)
    files = []
    for model in MODELS[:detectors]:
        moved = [
            (*row[:2], *(n + rng.integers(0, 12) for n in row[2:]), rng.random()) for row in true
        ]
        path = folder / f"{model}.csv"
        pd.DataFrame(moved, columns=[*columns, "score"]).to_csv(path, index=False)
        files.append(str(path))
    asked = ",".join(("ap", "froc_score", "f1")[:metrics])
    return [*files, "--references", str(references), "--metric", asked, "--average", "macro"]


# What each command draws: its data, their shapes, and how many models it takes at least.
COMMANDS: dict[str, tuple[Any, int, tuple[str, ...], tuple[str, ...]]] = {
    "ci": (values, 0, (), ("distribution", "forest")),
    "compare": (values, 1, (), ("forest", "cases", "bland-altman")),
    "rank": (
        values,
        1,
        FEW,
        (
            *("rank-sets", "significance", "lines", "dots", "podium", "case-heatmap", "heatmap"),
            "blob",
        ),
    ),
    "ci ": (
        scored,
        0,
        ("--metric", "auroc", *FEW),
        ("roc", "pr", "calibration", "reliability", "reliability-bins", "decision", "forest"),
    ),
    "compare ": (scored, 1, ("--metric", "auroc", *FEW), ("forest",)),
    "rank ": (scored, 1, ("--metric", "auroc", *FEW), ("rank-sets", "significance", "lines")),
    "detect": (detections, 0, FEW, ("froc", "pr", "afroc", "wafroc", "matches", "forest")),
    "detect ": (
        detections,
        0,
        (*FEW, "--by-threshold", "--threshold", "0.3,0.5,0.7"),
        ("thresholds",),
    ),
}
# These cost little and show most.
QUICK = {
    ("ci", "forest", (3, 1, 2)),
    ("rank", "significance", (2, 2, 2)),
}
EVERY = [
    pytest.param(
        *(verb, kind, shape),
        marks=() if (verb, kind, shape) in QUICK else pytest.mark.slow,
        id=f"{verb.strip()}-{made.__name__}-{kind}-{'x'.join(map(str, shape))}",
    )
    for verb, (made, _, _, kinds) in COMMANDS.items()
    for kind in kinds
    for shape in SHAPES
    # Lines join several rankings: by levels or, of values, by metrics.
    if kind != "lines" or shape[2] > 1 or (made is values and shape[1] > 1)
]


def test_the_quick_slice_is_of_shapes() -> None:
    ids = {tuple(one.values) for one in EVERY}
    assert ids >= QUICK


@pytest.mark.parametrize(("verb", "kind", "shape"), EVERY)
def test_a_picture_fits_its_pages(
    verb: str,
    kind: str,
    shape: tuple[int, int, int],
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made, least, options, _ = COMMANDS[verb]
    models, *others = shape
    pages: list[Figure] = []
    monkeypatch.setattr(Figure, "savefig", lambda page, *_, **__: pages.append(page))
    told = made(tmp_path, models + least, *others)
    picture = ("--plot", tmp_path / "picture.png", "--plot-kind", kind)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ran = run(verb.strip(), *told, *options, *picture)
        assert ran.status == 0, ran.err
        assert pages
        for number, page in enumerate(pages, 1):
            texts = drawn_on(page, monkeypatch)
            assert page.get_figheight() <= PAGE + MORE, f"page {number} of {len(pages)}"
            for text, box in texts:
                assert within(box, page), f"{text!r} leaves page {number} of {len(pages)}"
    shown = " ".join(text for page in pages for text, _ in drawn_on(page, monkeypatch))
    names = letters_of(shown)
    if models + least > 1:
        for model in MODELS[: models + least]:
            # Long names may be cut in the middle.
            assert letters_of(model)[:4] in names, f"{model} is not named"


def drawn_on(page: Figure, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Bbox]]:
    """The texts that are drawn on a page, and where, when its layout has settled."""
    page.draw_without_rendering()
    drawn: list[tuple[str, Bbox]] = []
    draw = Text.draw

    def noted(text: Text, renderer: Any) -> None:
        if text.get_text().strip() and text.get_visible():
            drawn.append((text.get_text(), Text.get_window_extent(text, renderer)))
        draw(text, renderer)

    with monkeypatch.context() as patched:
        patched.setattr(Text, "draw", noted)
        page.draw_without_rendering()
    return drawn


def within(box: Bbox, page: Figure) -> bool:
    """Whether a box is on the page, but for a rounding error."""
    whole = page.bbox
    low = min(box.x0 - whole.x0, box.y0 - whole.y0, whole.x1 - box.x1, whole.y1 - box.y1)
    return bool(low >= -1)


def letters_of(text: str) -> str:
    """Without what lines break at."""
    return "".join(letter for letter in text if letter.isalnum())
