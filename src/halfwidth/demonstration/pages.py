"""A detector: find every 3 on pages of handwritten digits, as COCO JSON.

The digits ship with scikit-learn. A page holds a few of them on a noisy ground; the detector takes
what is connected and bright, and a classifier trained on other digits says how much it looks like
a 3. Digits that touch are one object to it, and other digits are its false alarms.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array

SOUGHT = 3
PAGES, DIGITS_ON_A_PAGE = 140, 6
# Of a page and of a digit, in pixels; digits lie near the nodes of a grid of so many columns.
SIDE, DIGIT, COLUMNS = 56, 8, 4
# Greys run from 0 to 16.
NOISE, BRIGHT = 1.5, 5.0
# Pixels of the smallest object, and the score of the weakest detection.
LEAST_PIXELS, LEAST_SCORE = 8, 0.01


@frozen(eq=False)
class Page:
    """A picture, and the boxes of what is sought: x, y, width, height."""

    picture: Array
    boxes: tuple[tuple[int, int, int, int], ...]


def coco(seed: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """References and detections of all pages."""
    from sklearn.datasets import load_digits
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split

    images, digits = load_digits(return_X_y=True)
    trained, shown, trained_on, shown_are = train_test_split(
        images, digits, test_size=PAGES * DIGITS_ON_A_PAGE, random_state=seed, stratify=digits
    )
    model = LogisticRegression(max_iter=1000).fit(trained / 16, trained_on == SOUGHT)
    rng = np.random.default_rng(seed)
    references = _empty()
    detections: list[dict[str, Any]] = []
    for number in range(PAGES):
        here = slice(number * DIGITS_ON_A_PAGE, (number + 1) * DIGITS_ON_A_PAGE)
        page = _page(rng, shown[here].reshape(-1, DIGIT, DIGIT), shown_are[here])
        _add(references, number + 1, page)
        for box, score in _detections(page.picture, model):
            one = {"image_id": number + 1, "category_id": 1, "bbox": box, "score": score}
            detections.append(one)
    return references, detections


def _empty() -> dict[str, Any]:
    return {"images": [], "categories": [{"id": 1, "name": f"a {SOUGHT}"}], "annotations": []}


def _add(references: dict[str, Any], number: int, page: Page) -> None:
    references["images"].append(
        {"id": number, "file_name": f"page{number:03d}.png", "width": SIDE, "height": SIDE}
    )
    for box in page.boxes:
        references["annotations"].append(
            {
                "id": len(references["annotations"]) + 1,
                "image_id": number,
                "category_id": 1,
                "bbox": list(box),
                "area": box[2] * box[3],
                "iscrowd": 0,
            }
        )


def _page(rng: np.random.Generator, images: Array, digits: Array) -> Page:
    """Digits near the nodes of a grid, a little aside, on noise."""
    step = SIDE // COLUMNS
    picture = np.zeros((SIDE, SIDE))
    boxes = []
    nodes = rng.permutation(COLUMNS**2)[: len(digits)]
    for node, image, digit in zip(nodes, images, digits, strict=True):
        top, left = (
            step * place + rng.integers(step - DIGIT + 1) for place in divmod(node, COLUMNS)
        )
        picture[top : top + DIGIT, left : left + DIGIT] = image
        if digit == SOUGHT:
            rows, columns = (np.flatnonzero(image.any(axis)) for axis in (1, 0))
            corner = int(left + columns[0]), int(top + rows[0])
            boxes.append((*corner, int(np.ptp(columns) + 1), int(np.ptp(rows) + 1)))
    return Page(picture + rng.normal(0, NOISE, picture.shape), tuple(boxes))


def _detections(picture: Array, model: Any) -> list[tuple[list[int], float]]:
    """Boxes of bright objects, with the probability that each is what is sought."""
    from scipy import ndimage

    objects, _ = ndimage.label(picture > BRIGHT, np.ones((3, 3)))
    detections = []
    for rows, columns in ndimage.find_objects(objects):
        height, width = rows.stop - rows.start, columns.stop - columns.start
        if np.count_nonzero(objects[rows, columns]) < LEAST_PIXELS:
            continue
        score = float(model.predict_proba(_crop(picture, rows, columns).reshape(1, -1))[0, 1])
        if score >= LEAST_SCORE:
            detections.append(([columns.start, rows.start, width, height], round(score, 4)))
    return detections


def _crop(picture: Array, rows: slice, columns: slice) -> Array:
    """A window of the size of a digit around an object, in the greys of the training digits."""
    corners = []
    for one in (rows, columns):
        middle = (one.start + one.stop) // 2
        corners.append(min(max(middle - DIGIT // 2, 0), SIDE - DIGIT))
    top, left = corners
    window: Array = picture[top : top + DIGIT, left : left + DIGIT].clip(0, 16) / 16
    return window
