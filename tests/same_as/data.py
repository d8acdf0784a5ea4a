"""What the calls are about: values that programs name, and the same as files for commands.

Everything is drawn anew from a fixed seed, and nothing here imports `halfwidth`.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from fuzzfiles import Source, write_good_files
from fuzzobjects import OBJECT_FORMATS
from numpy.typing import NDArray

from same_as.odd_tables import odd_tables

__all__ = ["values", "write_files"]

N, MANY = 24, 60
FIXTURES = Path(__file__).parents[1] / "tables" / "importers" / "fixtures"
# Two parts of the folder of masks have their own spacing; `score` reads arrays with --spacing.
SPEC = """
[study]
name = "small"
seed = 1
sizes = [10, 25]
samples = 100
resamples = 49
statistics = ["mean", "median"]
methods = ["t", "percentile", "basic", "bca", "auto"]

[[tables]]
files = "long.csv"
metric = "dsc"
columns = ["dice"]
by = ["organ", "model"]
case = "case"

[[populations]]
name = "beta"
family = "beta"
a = 8
b = 2
"""


def values() -> dict[str, Any]:
    """Values by the names that programs use."""
    g = np.random.default_rng(36)
    dice = np.round(g.beta(14, 2, N), 4)
    other = np.clip(np.round(dice - g.normal(0.02, 0.03, N), 4), 0, 1)
    third = np.clip(np.round(dice - g.normal(0.1, 0.1, N), 4), 0, 1)
    failing = dice.copy()
    failing[[3, 11]] = 0
    gaps = dice.copy()
    gaps[[2, 9]] = np.nan
    hd = np.round(g.lognormal(1.5, 0.8, N), 2)
    truth = (np.arange(MANY) % 5 < 2).astype(int)
    scores = {
        name: np.round(1 / (1 + np.exp(-g.normal(shift * truth - 1, 1))), 3)
        for name, shift in {"A": 2.2, "B": 1.6, "C": 0.6}.items()
    }
    truth3 = np.arange(MANY) % 3
    logits = np.round(g.normal(size=(MANY, 3)), 3)
    logits[np.arange(MANY), truth3] += 1.5
    shares = np.exp(logits)
    shares /= shares.sum(axis=1, keepdims=True)
    y = np.round(g.normal(50, 10, MANY), 2)
    yhat = np.round(y + g.normal(1, 4, MANY), 2)
    cases = [f"c{at:02d}" for at in range(N)]
    patients = [f"p{at * 2 // 3}" for at in range(N)]
    models = {"unet": dice, "vit": other, "sam": third}
    long = pd.concat(
        pd.DataFrame(
            {
                "case": cases,
                "patient": patients,
                "site": [f"s{at % 2}" for at in range(N)],
                "organ": organ,
                "model": model,
                "dice": np.clip(np.round(v - 0.05 * (organ == "spleen") * g.random(N), 4), 0, 1),
                "hd95": np.round(hd * (2 - v), 2),
            }
        )
        for organ in ("liver", "spleen")
        for model, v in models.items()
    ).reset_index(drop=True)
    return {
        "dice": dice,
        "other": other,
        "third": third,
        "failing": failing,
        "gaps": gaps,
        "hd": hd,
        "hits": (dice > 0.85).astype(int),
        "few": dice[:4],
        "same": np.ones(12),
        "one": dice[:1],
        "cases": cases,
        "patients": patients,
        "models": models,
        "sites": [f"s{at % 2}" for at in range(N)],
        "truth": truth,
        "scores": scores,
        "score": scores["A"],
        "other_score": scores["B"],
        "hard": (scores["A"] > 0.5).astype(int),
        "tied": np.round(scores["A"], 1),
        "hards": {name: (one > 0.5).astype(int) for name, one in scores.items()},
        "truth3": truth3,
        "logits3": logits,
        "shares3": shares,
        "hard3": logits.argmax(axis=1),
        "names3": np.array(list("abc"))[truth3],
        "hards3": {"A": logits.argmax(axis=1), "B": np.where(truth3 == 1, 2, truth3)},
        "y": y,
        "yhat": yhat,
        "yhats": {"A": yhat, "B": np.round(y + g.normal(0, 6, MANY), 2)},
        "weights": np.round(g.uniform(0.5, 2, MANY), 2),
        "clusters": [f"p{at // 2}" for at in range(MANY)],
        "strata": [f"s{at % 3}" for at in range(MANY)],
        "long": long,
        "liver": long[long.organ == "liver"].reset_index(drop=True),
        "wide": pd.DataFrame(
            {"case": cases, "patient": patients, "liver": dice, "spleen": other, "hd95": hd}
        ),
        "holes": pd.DataFrame({"case": cases, "liver": gaps, "spleen": other}),
        "predictions": pd.DataFrame(
            {
                "case": [f"c{at:02d}" for at in range(MANY)],
                "truth": truth,
                **{f"score_{name}": one for name, one in scores.items()},
                **{f"said_{name}": (one > 0.5).astype(int) for name, one in scores.items()},
                "patient": [f"p{at // 2}" for at in range(MANY)],
                "site": [f"s{at % 3}" for at in range(MANY)],
                "weight": np.round(np.linspace(0.5, 2, MANY), 2),
                "truth3": np.array(list("abc"))[truth3],
                "y": y,
                "yhat": yhat,
                **{f"share_{name}": np.round(shares[:, at], 4) for at, name in enumerate("abc")},
                "said3": np.array(list("abc"))[logits.argmax(axis=1)],
            }
        ),
        "stacked": pd.concat(
            pd.DataFrame(
                {
                    "case": range(MANY),
                    "model": name,
                    "truth": truth,
                    "score": one,
                    "said": (one > 0.5).astype(int),
                    "weight": np.linspace(0.5, 2, MANY),
                }
            )
            for name, one in scores.items()
        ).reset_index(drop=True),
        "runs": np.round(g.normal(0.87, 0.01, 20), 4),
        "runs_frame": pd.DataFrame(
            {
                "seed": list(range(20)) * 2,
                "source": ["seed"] * 20 + ["split"] * 20,
                "accuracy": np.round(g.normal(0.87, 0.01, 40), 4),
            }
        ),
        "folds_frame": pd.DataFrame(
            {
                "seed": [at // 5 for at in range(40)],
                "fold": [at % 5 for at in range(40)],
                "accuracy": np.round(g.normal(0.87, 0.01, 40), 4),
            }
        ),
        "published": pd.DataFrame(
            {
                "label": ["ours", "U-Net", "V-Net"],
                "n": [50, 50, 80],
                "mean": [0.89, 0.87, 0.91],
                "sd": [0.08, 0.11, 0.05],
            }
        ),
        "printed": pd.DataFrame(
            {"Model": ["ours", "U-Net"], "Dice (SD)": ["0.891 (0.081)", "0.872 ± 0.110"]}
        ),
        "raters": {name: _flipped(truth, at + 2) for at, name in enumerate("PQR")},
        "rated": pd.DataFrame(
            {
                "case": cases * 6,
                "prediction": [one for one in ("m", "m", "m", "A", "A", "B") for _ in cases],
                "reference": [two for two in ("A", "B", "C", "B", "C", "C") for _ in cases],
                "organ": ["liver", "spleen"] * 3 * N,
                "dice": np.round(g.beta(14, 2, 6 * N), 4),
            }
        ),
        **_images(),
    }


def _flipped(truth: Any, every: int) -> Any:
    """Binary classes of which each `every`-th of seven is the other one."""
    return np.where(np.arange(len(truth)) % 7 == every, 1 - truth, truth)


def _images() -> dict[str, Any]:
    """Masks, and detections as dictionaries of an image each."""
    g = np.random.default_rng(37)
    reference = np.zeros((6, 18, 20), dtype=np.uint8)
    reference[1:5, 3:10, 4:12], reference[2:4, 12:16, 6:16] = 1, 2
    prediction = np.roll(reference, 1, axis=1)
    prediction[2, 15, 18] = 1
    ragged = np.where(g.random(reference.shape) < 0.04, 1, reference).astype(np.uint8)
    found: dict[str, list[Any]] = {"A": [], "B": []}
    objects = []
    for image in range(12):
        count = [2, 1, 0, 3][image % 4]
        corner = np.array([[30 * at, 10 + image] for at in range(count)], float).reshape(-1, 2)
        side = g.choice([8, 12, 40], (count, 1))
        boxes, labels = np.hstack([corner, corner + side]), 1 + np.arange(count) % 2
        objects.append({"boxes": boxes, "labels": labels})
        for name, off in (("A", 1), ("B", 3)):
            kept = g.random(count) < (0.9 if name == "A" else 0.7)
            stray = (
                np.array([[100.0, 100, 110, 120]]) if image % (off + 2) == 0 else np.empty((0, 4))
            )
            all_boxes = np.vstack([boxes[kept] + off * np.array([1, 0, 1, 0]), stray])
            found[name].append(
                {
                    "boxes": all_boxes,
                    "labels": np.r_[labels[kept], np.ones(len(stray), int)],
                    "scores": np.round(g.uniform(0.1, 1, len(all_boxes)), 3),
                }
            )
    solids = {
        "solid_objects": [
            {"masks": _solids(0), "labels": [1, 2]},
            {"masks": _solids(1), "labels": [1, 2]},
        ],
        "solid_found": [
            {
                "masks": np.roll(_solids(at), 1, axis=2),
                "labels": [1, 2],
                "scores": [0.9, 0.6 - at / 10],
            }
            for at in (0, 1)
        ],
    }
    return {
        "reference": reference,
        "prediction": prediction,
        "empty": reference * 0,
        "ragged": ragged,
        "objects": objects,
        "found": found["A"],
        "detectors": found,
        **solids,
        "image_patients": [f"p{at // 2}" for at in range(12)],
    }


def _solids(shift: int) -> Any:
    masks = np.zeros((2, 30, 40), bool)
    masks[0, 4 + shift : 14, 5:18], masks[1, 18:26, 20 : 34 - shift] = True, True
    return masks


# --------------------------------------------------------------------------- files


def write_files(folder: Path) -> None:
    """Everything that commands read."""
    known = values()
    long, predictions = known["long"], known["predictions"]
    tables = {
        **{name: known[name] for name in ("long", "liver", "wide", "holes", "predictions")},
        **{name: known[name] for name in ("stacked", "published", "printed", "rated")},
        "runs": known["runs_frame"],
        "folds": known["folds_frame"],
        "few": known["wide"].head(4),
        "perfect": known["wide"].assign(liver=1.0)[["case", "liver"]],
        "percent": known["wide"].assign(liver=100 * known["wide"].liver)[["case", "liver"]],
        "repeats": pd.concat([known["wide"], known["wide"].head(3)]),
        "shorter": long[(long.model != "sam") | (long.case > "c02")],
        "labels": pd.DataFrame(
            {
                "case": predictions.case,
                "unet": known["hard"],
                **known["raters"],
                "truth": known["truth"],
            }
        ),
        "fails": pd.DataFrame({"case": known["cases"], "dice": known["failing"]}),
        "canonical": long.melt(["case", "organ", "model"], ["dice", "hd95"], "metric").replace(
            {"metric": {"dice": "dsc"}}
        ),
    }
    for name, table in tables.items():
        table.to_csv(folder / f"{name}.csv", index=False)
    for name, table in _of_several_organs().items():
        table.to_csv(folder / f"{name}.csv", index=False)
    (folder / "odd").mkdir()
    for name, table in odd_tables().items():
        table.to_csv(folder / "odd" / f"{name}.csv", index=False)
    for model, part in known["liver"].groupby("model"):
        part.drop(columns="model").to_csv(folder / f"{model}.csv", index=False)
    for name in "AB":
        own = {f"score_{name}": "score", f"said_{name}": "said"}
        one = predictions[["case", "truth", "patient", "weight", *own]]
        one.rename(columns=own).to_csv(folder / f"p{name}.csv", index=False)
    for suffix, mark in ((".tsv", "\t"), (".txt", ";")):
        known["wide"].to_csv(folder / f"wide{suffix}", sep=mark, decimal=",", index=False)
    known["wide"].to_csv(folder / "plain.csv", index=False, header=False)
    known["wide"].to_csv(folder / "wide.csv.gz", index=False)
    known["wide"].to_parquet(folder / "wide.parquet", index=False)
    worse = known["wide"].assign(liver=known["third"])
    _write_workbook(folder / "wide.xlsx", {"holes": known["holes"], "all": known["wide"]})
    _write_workbook(folder / "other.xlsx", {"all": worse})
    _write_workbook(folder / "published.xlsx", {"all": known["published"]})
    worse.to_csv(folder / "other_plain.csv", index=False, header=False)
    for name in ("truth", "score", "truth3", "logits3", "shares3", "y", "yhat"):
        np.save(folder / f"{name}.npy", known[name])
    np.savez(folder / "both.npz", truth=known["truth"])
    write_good_files(folder)
    (folder / "values").mkdir()
    known["wide"].drop(columns="hd95").to_csv(folder / "values" / "organs_dsc.csv", index=False)
    np.save(folder / "values" / "net_scores.npy", known["shares3"])
    np.save(folder / "values" / "net_targets.npy", known["truth3"])
    (folder / "study.toml").write_text(SPEC, encoding="utf-8")
    (folder / "protocol.txt").write_text("What would be done.\n", encoding="utf-8")
    (folder / "names.json").write_text(
        '{"liver": 1, "spleen": 2, "both": [1, 2]}', encoding="utf-8"
    )
    (folder / "mm.toml").write_text('"1" = 2\ndefault = 3.5\n', encoding="utf-8")
    _write_masks(folder, known)
    _write_detections(folder, known)
    shutil.copytree(FIXTURES, folder / "foreign")
    for name, other in (
        ("grand_challenge/labels.json", "other_labels.json"),
        ("lm_eval/samples_gsm8k_2026-01-16T15-23-47.285735.jsonl", "other_samples.jsonl"),
    ):
        shutil.copyfile(FIXTURES / name, folder / other)


def _write_workbook(file: Path, sheets: Mapping[str, pd.DataFrame]) -> None:
    """The same bytes each time: reports state digests of what they read."""
    made = io.BytesIO()
    with pd.ExcelWriter(made, engine="openpyxl") as book:
        for name, table in sheets.items():
            table.to_excel(book, sheet_name=name, index=False)
    with zipfile.ZipFile(made) as given, zipfile.ZipFile(file, "w") as out:
        for part in given.namelist():
            if part != "docProps/core.xml":
                out.writestr(zipfile.ZipInfo(part), given.read(part))
        times = re.sub(
            rb">\d{4}-[^<]*<", b">2026-01-01T00:00:00Z<", given.read("docProps/core.xml")
        )
        out.writestr(zipfile.ZipInfo("docProps/core.xml"), times)


def _of_several_organs() -> dict[str, pd.DataFrame]:
    """Two models, of which the new one loses more than 0.02 in one organ of four, if barely so."""
    g = np.random.default_rng(42)
    at = np.arange(N)
    parts = []
    for organ, loss in (("liver", 0.045), ("spleen", 0.0), ("kidney", 0.01), ("lung", -0.01)):
        dice = np.round(g.uniform(0.7, 0.9, N), 3)
        new = dice - loss + np.where(at % 2, 0.05, -0.05)
        parts.append(pd.DataFrame({"case": at, "organ": organ, "old": dice, "dice": new}))
    whole = pd.concat(parts, ignore_index=True)
    old = whole.drop(columns="dice").rename(columns={"old": "dice"})
    return {"new_organs": whole.drop(columns="old"), "old_organs": old}


def _write_masks(folder: Path, known: dict[str, Any]) -> None:
    for kind in ("predicted", "reference"):
        (folder / kind).mkdir()
        for at in range(5):
            mask = np.roll(known["reference"], at, axis=2)
            if kind == "predicted":
                mask = np.roll(mask, at % 3, axis=1)
                mask[mask == (2 if at == 3 else 9)] = 0
            np.save(folder / kind / f"c{at}.npy", mask)
    (folder / "part_of_reference").mkdir()
    for at in range(3):
        shutil.copy(folder / "reference" / f"c{at}.npy", folder / "part_of_reference")
    for kind in ("spaced_found", "spaced_objects"):
        (folder / kind).mkdir()
        for at in range(3):
            mask = np.roll(known["reference"], at * (kind == "spaced_found"), axis=1)
            (folder / kind / f"c{at}.mha").write_bytes(_meta_image(mask))
    for at in range(4):
        mask = np.load(folder / "reference" / f"c{at}.npy")[2]
        shown = {
            "components": mask,
            "found_components": np.roll(mask, at, axis=1),
            "probable_components": np.roll(mask, at % 2, axis=0),
            "probabilities": np.roll(mask > 0, at % 2, axis=0) * (0.9 - at / 10),
        }
        for kind, values_of_pixels in shown.items():
            (folder / kind).mkdir(exist_ok=True)
            np.save(folder / kind / f"c{at}.npy", values_of_pixels)


def _meta_image(mask: NDArray[Any]) -> bytes:
    """A file of a mask that says how far apart its voxels are."""
    size = " ".join(map(str, mask.shape[::-1]))
    header = f"ObjectType = Image\nNDims = 3\nDimSize = {size}\nElementType = MET_UCHAR\n"
    header += "ElementSpacing = 1 2 1.5\nElementDataFile = LOCAL\n"
    return header.encode() + mask.astype(np.uint8).tobytes()


def _write_detections(folder: Path, known: dict[str, Any]) -> None:
    """As COCO's JSON, as tables, and one small set in each format."""
    images = [
        {
            "id": at + 1,
            "file_name": f"i{at:02d}.png",
            "width": 200,
            "height": 200,
            "patient": f"p{at // 2}",
        }
        for at in range(12)
    ]
    kinds = [{"id": 1, "name": "cyst"}, {"id": 2, "name": "lesion"}]
    corners = ["x_min", "y_min", "x_max", "y_max"]
    for name, given in {"truth": known["objects"], **known["detectors"]}.items():
        rows: list[dict[str, Any]] = []
        table: list[dict[str, Any]] = []
        for at, image in enumerate(given):
            for k, (x, y, right, down) in enumerate(image["boxes"].tolist()):
                score = {"score": float(image["scores"][k])} if "scores" in image else {}
                kind = int(image["labels"][k])
                box = [x, y, right - x, down - y]
                one = {"id": len(rows) + 1, "image_id": at + 1, "category_id": kind, "bbox": box}
                rows.append(one | {"area": box[2] * box[3], "iscrowd": 0} | score)
                line = {"image": f"i{at:02d}", "patient": f"p{at // 2}"}
                line["label"] = str(kinds[kind - 1]["name"])
                ends = dict(zip(corners, (x, y, right, down), strict=True))
                table.append(line | ends | score)
        document = {"images": images, "categories": kinds, "annotations": rows}
        (folder / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
        pd.DataFrame(table).to_csv(folder / f"{name}_boxes.csv", index=False)
    (folder / "images.txt").write_text(
        "".join(f"i{at:02d}\n" for at in range(12)), encoding="utf-8"
    )
    # Each format with references, and what another detector found.
    for form, made in OBJECT_FORMATS.items():
        seeds = (4, 3, 11) if form == "coco" else (5, 6, 7)
        for suffix, seed in zip(("", "_truth", "_other"), seeds, strict=True):
            (folder / "formats" / f"{form}{suffix}").mkdir(parents=True)
            for name, content in made(Source(seed)).items():
                (folder / "formats" / f"{form}{suffix}" / name).write_bytes(content)
    (folder / "sizes.csv").write_text("image,width,height\na,30,20\nb,30,20\n", encoding="utf-8")
    lines = [f"c{at},{label},0.{9 - at - label}\n" for at in range(4) for label in (1, 2)]
    text = "image,label,score\n" + "".join(lines)
    (folder / "component_scores.csv").write_text(text, encoding="utf-8")
