"""Detectors on the same images: differences, rankings and the gate."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from over_data import estimate_detector, over
from support import Run

import halfwidth as hw

SQUARE, WRONG = [10.0, 10.0, 50.0, 50.0], [200.0, 10.0, 240.0, 50.0]
IMAGES = 40


def made_up(seed: int, share: float, classes: int = 1) -> tuple[list[Any], list[Any]]:
    """References, and a detector that finds a share of them and marks other places as well."""
    g = np.random.default_rng(0)
    places = [
        [[60.0 * k, 0.0, 60.0 * k + 40, 40.0] for k in range(g.integers(0, 4))]
        for _ in range(IMAGES)
    ]
    labels = [g.integers(1, classes + 1, len(own)).tolist() for own in places]
    references = [{"boxes": own, "labels": of} for own, of in zip(places, labels, strict=True)]
    g = np.random.default_rng(seed)
    detections = []
    for own, of in zip(places, labels, strict=True):
        found = g.random(len(own)) < share
        boxes = [box for box, hit in zip(own, found, strict=True) if hit]
        names = [label for label, hit in zip(of, found, strict=True) if hit]
        wrong = int(g.integers(0, 2))
        detections.append(
            {
                "boxes": boxes + [WRONG] * wrong,
                "labels": names + [1] * wrong,
                "scores": g.random(len(boxes) + wrong).round(2).tolist(),
            }
        )
    return references, detections


def three(classes: int = 1) -> tuple[list[Any], dict[str, list[Any]]]:
    """References and three detectors, from good to poor."""
    made = {
        name: made_up(seed, share, classes)
        for seed, (name, share) in enumerate(zip("abc", (0.9, 0.8, 0.3), strict=True), 1)
    }
    return made["a"][0], {name: own for name, (_, own) in made.items()}


METRICS = ("ap50", "ap@0.5:0.95", "froc_score", "wafroc_auc", "object_sensitivity", "fppi", "pq")


@pytest.mark.parametrize(
    ("metric", "classes"),
    [
        ("ap50", 2),
        ("fppi", 1),
        *(
            pytest.param(metric, classes, marks=pytest.mark.slow)
            for metric in METRICS
            for classes in (1, 2)
        ),
    ],
)
def test_differences_are_those_of_single_estimates(metric: str, classes: int) -> None:
    """Each model's value is that of `hw.estimate`, and the interval holds the difference."""
    references, models = three(classes)
    result = hw.compare(
        hw.Detections.from_files(models, references), metric=metric, n_resamples=99, rng=1
    )
    for name, own in models.items():
        single = estimate_detector(own, references, metric=metric, n_resamples=20, rng=1)
        for one in result:
            for model, value in ((one.first, one.first_value), (one.second, one.second_value)):
                assert model != name or value == pytest.approx(single.value, abs=1e-12)
    for one in result:
        assert one.value == pytest.approx(one.first_value - one.second_value, abs=1e-12)
        assert one.low <= one.value <= one.high
        assert one.simultaneous is not None
        assert one.simultaneous.low <= one.low
        assert one.simultaneous.high >= one.high
        assert one.estimate.n == IMAGES


def test_resamples_are_the_same_images_for_both() -> None:
    """The percentile interval of a difference, drawn again by hand from repeated images."""
    references, models = three()
    names = [f"image {i:02}" for i in range(IMAGES)]
    found = hw.compare(
        hw.Detections.from_files(
            {name: dict(zip(names, models[name], strict=True)) for name in "ab"},
            dict(zip(names, references, strict=True)),
        ),
        metric="object_sensitivity",
        method="percentile",
        n_resamples=4000,
        rng=5,
    )["a", "b"]
    objects = np.array([len(one["boxes"]) for one in references])
    hits = [
        np.array([sum(box != WRONG for box in one["boxes"]) for one in models[name]])
        for name in "ab"
    ]
    drawn = np.random.default_rng(1).integers(IMAGES, size=(20_000, IMAGES))
    differences = (hits[0] - hits[1])[drawn].sum(axis=1) / objects[drawn].sum(axis=1)
    # Monte-Carlo errors of these quantiles are some .004.
    np.testing.assert_allclose(
        (found.low, found.high), np.quantile(differences, [0.025, 0.975]), atol=0.02
    )


def test_the_order_of_images_means_nothing() -> None:
    """Nor does that of detections of another file."""
    references, models = three()
    names = [f"{i}.png" for i in range(IMAGES)]

    def named(images: Sequence[Any], order: Sequence[int]) -> dict[str, Any]:
        return {names[i]: images[i] for i in order}

    forth, back = range(IMAGES), range(IMAGES)[::-1]
    results = [
        hw.compare(
            hw.Detections.from_files(
                {"a": named(models["a"], order), "b": named(models["b"], back)},
                named(references, first),
            ),
            metric="froc_score",
            n_resamples=199,
            rng=3,
        )["a", "b"]
        for first, order in ((forth, forth), (back, forth), (forth, back))
    ]
    assert len({(one.value, one.low, one.high) for one in results}) == 1
    assert len({(one.p_value, one.p_adjusted) for one in results}) == 1


def test_sentences_name_the_matching() -> None:
    """Localisation, threshold and assignment, and how many images."""
    references, models = three()
    result = hw.compare(
        hw.Detections.from_files(models, references),
        metric="ap50",
        test="auto",
        n_resamples=99,
        rng=1,
    )
    one = result["a", "b"]
    assert "box IoU ≥ 0.5, greedy by score; n = 40 images" in one.sentence()
    assert one.to_dict()["parameters"]["localisation"] == "box_iou"
    assert one.test is not None
    assert one.test.title == "permutation of whole images"


def test_cautions_of_both_detectors_do_not_speak_of_their_difference() -> None:
    references, models = three()
    two = {name: models[name] for name in list(models)[:2]}
    result = hw.compare(
        hw.Detections.from_files(two, references), metric="ap50", n_resamples=99, rng=1
    )
    messages = [
        one.message for row in result for one in row.estimate.cautions if one.code == "HW871"
    ]
    assert messages
    assert all(text.endswith("false positives there lower the AP.") for text in messages)


def test_the_agreement_of_resamples_names_every_ranking(run: Run, files: Path) -> None:
    given = [f"{name}={files / name}.json" for name in "abc"]
    options = ["--metric", "ap50,froc_score", "--n-resamples", 99, "--seed", 4]
    ran = run("rank", *given, "--references", files / "refs.json", *options)
    text = " ".join(ran.out.split()).split("on average: ")[1]
    assert text.startswith("AP50, AP: ")
    assert "; FROC score: " in text.split("Cautions")[0]


def test_patients_are_drawn_together() -> None:
    """Clusters of images, named by a label for each."""
    references, models = three()
    groups = [f"patient {i // 4}" for i in range(IMAGES)]
    one = hw.compare(
        hw.Detections.from_files({name: models[name] for name in "ac"}, references, groups=groups),
        metric="ap50",
        test="auto",
        n_resamples=99,
        rng=1,
    )["a", "c"]
    assert one.estimate.n_groups == 10
    assert one.test is not None
    assert "whole clusters" in one.test.title


def test_rankings() -> None:
    """By the metric, with sets that the differences leave."""
    references, models = three()
    (ranking,) = hw.rank(
        hw.Detections.from_files(models, references), metric="ap50", n_resamples=199, rng=1
    )
    assert [one.name for one in ranking.models] == ["a", "b", "c"]
    assert ranking["c"].rank_set.low == 3
    several = hw.rank(
        hw.Detections.from_files(models, references),
        metric=["object_sensitivity", "fppi"],
        combine="mean_rank",
        n_resamples=99,
        rng=1,
    )
    assert len(several) == 2
    assert len(several.consensus) == 1


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"metric": "auroc"}, "and not where objects are"),
        ({"metric": None}, "name the metric to compare detectors by"),
        ({"models": {"a": []}}, "one model"),
        ({"margin": 2}, "whole range"),
        ({"test": "wilcoxon"}, "takes a value of each case"),
        ({"baseline": "x"}, "unknown baseline"),
        ({"matching": {"localisation": "mask_iou"}}, "a: mask_iou needs masks"),
    ],
)
def test_bad_calls(changed: dict[str, Any], message: str) -> None:
    """One line that says what is wrong, and with which detector."""
    references, models = three()
    given: dict[str, Any] = {"models": models, "metric": "ap50", "n_resamples": 20} | changed
    with pytest.raises(hw.HalfwidthError, match=message) as raised:
        over(hw.compare, hw.Detections.from_files)(given.pop("models"), references, **given)
    assert "\n" not in str(raised.value)


def test_detectors_must_hold_the_same_kind_of_objects() -> None:
    """Points and boxes would be matched in different ways."""
    references, models = three()
    points = [
        {
            "points": [[0.5 * (b[0] + b[2]), 20.0] for b in one["boxes"]],
            **{k: one[k] for k in ("labels", "scores")},
        }
        for one in models["b"]
    ]
    with pytest.raises(
        hw.HalfwidthError, match="a would be matched by box_iou and b by point_in_box"
    ):
        hw.compare(
            hw.Detections.from_files({"a": models["a"], "b": points}, references), metric="ap50"
        )


# --------------------------------------------------------------------------- command line


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """COCO files of the references and of three detectors."""
    references, models = three()

    def box(one: list[float]) -> list[float]:
        return [one[0], one[1], one[2] - one[0], one[3] - one[1]]

    images = [
        {"id": i, "file_name": f"{i}.png", "width": 400, "height": 400} for i in range(IMAGES)
    ]
    annotations = [
        {"image_id": i, "category_id": 1, "bbox": box(own), "area": 1600, "iscrowd": 0}
        for i, one in enumerate(references)
        for own in one["boxes"]
    ]
    for number, one in enumerate(annotations, 1):
        one["id"] = number
    document = {
        "images": images,
        "annotations": annotations,
        "categories": [{"id": 1, "name": "x"}],
    }
    (tmp_path / "refs.json").write_text(json.dumps(document))
    for name, detections in models.items():
        results = [
            {"image_id": i, "category_id": 1, "bbox": box(own), "score": score}
            for i, one in enumerate(detections)
            for own, score in zip(one["boxes"], one["scores"], strict=True)
        ]
        (tmp_path / f"{name}.json").write_text(json.dumps(results))
    return tmp_path


def test_the_verbs_give_what_the_functions_give(run: Run, files: Path) -> None:
    """`compare` and `rank` with --references."""
    given = [files / "a.json", files / "c.json", "--references", files / "refs.json"]
    options = ["--metric", "ap50", "--n-resamples", 99, "--seed", 4, "--json"]
    ran = run("compare", *given, *options)
    assert ran.status == 0
    (row,) = json.loads(ran.out)["comparisons"]
    one = hw.compare(
        hw.Detections.from_files(
            {"a": files / "a.json", "c": files / "c.json"}, files / "refs.json"
        ),
        metric="ap50",
        n_resamples=99,
        rng=4,
    )["a", "c"]
    assert (row["value"], row["low"], row["high"]) == (one.value, one.low, one.high)
    assert row["parameters"]["assignment"] == "greedy_by_score"
    ranked = run("rank", *given, *options)
    assert ranked.status == 0
    assert json.loads(ranked.out)["rankings"][0]["models"][0]["model"] == "a"


@pytest.mark.parametrize(("new", "old", "status"), [("a", "c", 0), ("c", "a", 4), ("b", "a", 5)])
def test_the_gate(run: Run, files: Path, new: str, old: str, status: int) -> None:
    """Passed, failed, undecided."""
    ran = run(
        *("gate", files / f"{new}.json", "--against", files / f"{old}.json"),
        *("--references", files / "refs.json", "--metric", "object_sensitivity"),
        *("--margin", 0.1, "--n-resamples", 199),
    )
    assert ran.status == status


def test_an_option_with_two_names_is_called_by_the_first(run: Run, files: Path) -> None:
    """``--by`` of ``rank`` is ``--task`` too."""
    models = [files / "a.json", files / "b.json", "--references", files / "refs.json"]
    ran = run("rank", *models, "--metric", "ap50", "--by", "site")
    assert "--by has no effect on detections" in ran.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--metric", "ap50", "--value", "x"], "--value has no effect on detections"),
        (["--metric", "ap50", "--pairing", "none"], "--pairing has no effect on detections"),
        ([], "--metric is missing"),
        (
            ["--metric", "ap50", "--plot", "x.png", "--plot-kind", "cases"],
            "for detectors use forest",
        ),
    ],
)
def test_options_of_others_are_refused(
    run: Run, files: Path, arguments: list[str], message: str
) -> None:
    """With exit status 2 and one line."""
    ran = run(
        "compare",
        files / "a.json",
        files / "b.json",
        "--references",
        files / "refs.json",
        *arguments,
    )
    assert ran.status == 2
    assert message in ran.err
    assert len(ran.err.strip().splitlines()) == 1


def test_options_of_detections_need_references(run: Run, files: Path) -> None:
    """Else they would be ignored."""
    ran = run("compare", files / "a.json", files / "b.json", "--metric", "dsc", "--area", "small")
    assert ran.status == 2
    assert "--area is for detections and needs --references FILE" in ran.err
