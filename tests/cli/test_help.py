"""The helps: grouped options that fit 80 columns, and examples that run as they stand."""

from __future__ import annotations

import inspect
import json
import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import browser
import nibabel
import numpy as np
import pandas as pd
import pytest
import typer
from numpy.typing import NDArray
from support import Run

import halfwidth as hw
from halfwidth.cli.main import command
from halfwidth.core.option_table.option import Group


def verbs(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """All commands with the words that call them."""
    yield " ".join(path), command
    for name, below in getattr(command, "commands", {}).items():
        yield from verbs(below, (*path, name))


VERBS = dict(verbs(command()))
LEAVES = {path: command for path, command in VERBS.items() if not hasattr(command, "commands")}


def test_no_option_has_two_defaults() -> None:
    told = [
        (path, one.name, *one.get_help_record(typer.Context(asked))[1].rsplit("[default: ", 1))
        for path, asked in LEAVES.items()
        for one in asked.params
        if one.param_type_name == "option" and not one.hidden
    ]
    shown = [(path, name, text) for path, name, text, *default in told if default]
    assert len(shown) > 100
    assert [one for one in shown if re.search(r"\bdefault:? \d", one[2])] == []


def test_every_verb_is_found() -> None:
    assert {"ci", "score", "plan difference", "study summary", "doctor"} <= LEAVES.keys()
    groups = {"", "plan", "study"}
    assert LEAVES.keys() == VERBS.keys() - groups


@pytest.mark.parametrize("path", VERBS)
def test_a_help_fits_80_columns(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    command = VERBS[path]
    settings = {**command.context_settings, "info_name": f"halfwidth {path}"}
    text = command.get_help(typer.Context(command, **settings))
    assert "Usage: halfwidth" in text
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("path", LEAVES)
def test_arguments_are_written_as_people_write_them(path: str) -> None:
    pieces = LEAVES[path].collect_usage_pieces(typer.Context(LEAVES[path], info_name=path))
    assert [piece for piece in pieces if "{" in piece or "[[" in piece] == []


def test_the_options_of_ci_stand_in_groups(run: Run) -> None:
    out = run("ci", "--help").out
    headings = re.findall(r"^(\w.*):$", out, re.MULTILINE)
    assert headings == [
        *("Arguments", "Input", "What to estimate", "Interval", "Design"),
        *("Metrics of a whole test set", "Running", "Output", "Options"),
    ]
    where = {heading: out.index(f"\n{heading}:") for heading in headings}
    for option, before, after in (
        ("--value", "Input", "What to estimate"),
        ("--confidence-level", "Interval", "Design"),
        ("--groups", "Design", "Metrics of a whole test set"),
        ("--target-file", "Metrics of a whole test set", "Running"),
        ("--strict", "Output", "Options"),
    ):
        place = out.index(f"\n  {option} ")
        assert where[before] < place < where[after]


@pytest.mark.parametrize("path", [path for path, verb in LEAVES.items() if len(verb.params) > 9])
def test_a_verb_with_many_options_groups_them_all(path: str) -> None:
    common = {"quiet", "debug"}
    loose = {
        param.name
        for param in LEAVES[path].params
        if param.param_type_name == "option" and not getattr(param, "rich_help_panel", None)
    }
    assert loose <= common


def test_an_option_is_in_the_same_group_everywhere() -> None:
    found: dict[str, set[str]] = {}
    for verb in LEAVES.values():
        for param in verb.params:
            panel = getattr(param, "rich_help_panel", None)
            if param.param_type_name == "option" and panel:
                assert panel in set(Group)
                found.setdefault(param.opts[0], set()).add(str(panel))
    # Published numbers, cells of a study and options of one of its parts are no settings, and a
    # comparison has words of its own: unpaired models, simultaneous intervals.
    # Detections have thresholds of their own.
    own = (Group.PUBLISHED, Group.MATCHING, Group.COMPARISON, Group.CELLS, Group.PARTS)
    others = {str(group) for group in own}
    # `runs --mean` asks for a statistic, `plan --mean` is told what the cases are like.
    found["--mean"].discard(str(Group.ASSUMED))
    assert [name for name, panels in found.items() if len(panels - others) > 1] == []


# --------------------------------------------------------------------------- examples


def examples(path: str) -> list[str]:
    """The commands in a help, without what the shell does with their output."""
    text = inspect.cleandoc(VERBS[path].help or "").replace("\\\n", " ")
    lines = [" ".join(line.split()) for line in text.splitlines()]
    return [line.partition(" > ")[0] for line in lines if line.startswith("halfwidth ")]


FIXTURES = Path(__file__).parents[1] / "tables" / "importers" / "fixtures"
STUDIES = [path for path in VERBS if path.split()[:1] == ["study"]]
# test_demo.py runs it.
ELSEWHERE = [*STUDIES, "demo"]


def parsed(example: str) -> None:
    """Read the options of an example, without running it."""
    words = shlex.split(example)[1:]
    path = max((one for one in LEAVES if words[: len(one.split())] == one.split()), key=len)
    LEAVES[path].make_context(path, words[len(path.split()) :])


@pytest.mark.parametrize("path", VERBS)
def test_examples_are_what_the_verbs_take(path: str) -> None:
    assert examples(path) or path == ""
    for example in examples(path):
        parsed(example)


def ran_as_it_stands(run: Run, example: str) -> None:
    if browser.PRINTER is None:
        example = example.replace(" --pdf", "")
    ran = run(*shlex.split(example)[1:])
    assert ran.status == 0, f"{example}\n{ran.err}"


def masks(folder: Path, shift: int, kind: str = "") -> None:
    folder.mkdir(exist_ok=True)
    for case in range(3):
        save_mask(folder / f"c{case}{kind}.nii.gz", shift * (case % 2))


def save_mask(file: Path, shift: int) -> None:
    voxels = np.zeros((8, 20, 20), dtype=np.uint8)
    voxels[2:6, 2:8, 2:8], voxels[2:6, 10:18, 2:8], voxels[2:6, 2:8, 10:18] = 1, 2, 4
    shifted = np.roll(voxels, shift, axis=1)
    nibabel.save(nibabel.Nifti1Image(shifted, np.eye(4)), file)  # type: ignore[no-untyped-call]


def save_boxes(folder: Path) -> None:
    """Objects of sixty images, found a little aside, as COCO JSON and as tables."""
    images = [{"id": i, "file_name": f"i{i}.png", "width": 99, "height": 99} for i in range(60)]
    classes = [{"id": 1, "name": "nodule"}, {"id": 2, "name": "mass"}]
    true = [
        {"id": i, "image_id": i, "category_id": 1 + i % 2, "bbox": [9, 9, 20, 20], "area": 400}
        for i in range(60)
    ]
    found = [
        {"image_id": i, "category_id": 1 + i % 2, "bbox": [11, 9, 20, 20], "score": i / 60}
        for i in range(60)
    ]
    both = {"images": images, "categories": classes, "annotations": true}
    for name in ("references", "refs"):
        (folder / f"{name}.json").write_text(json.dumps(both), encoding="utf-8")
    # One in so many is found, of those that are compared.
    one_in = {"detections": 1, "dets_b": 1, "dets_a": 2, "a": 3, "b": 2, "c": 1, "new": 1, "old": 2}
    for name, share in one_in.items():
        (folder / f"{name}.json").write_text(json.dumps(found[::share]), encoding="utf-8")
    for name, shift in (("truth", 0), ("boxes", 2)):
        corners = {"x_min": 9 + shift, "y_min": 9, "x_max": 29 + shift, "y_max": 29}
        table = pd.DataFrame({"image": [f"i{i}" for i in range(60)], **corners})
        table["patient"] = [f"p{i // 2}" for i in range(60)]
        table.assign(score=np.arange(60) / 60).to_csv(folder / f"{name}.csv", index=False)


def save_probabilities(
    save: Callable[..., None], rng: np.random.Generator, truth: NDArray[np.int64]
) -> None:
    """Probabilities that overlap, of cases from four hospitals, and those of a pilot."""
    n = len(truth)
    p1 = (truth / 5 + 0.7 * rng.random(n) + 0.05).round(3)
    save("preds.csv", y=truth, p1=p1, hospital=np.arange(n) % 4)
    p = rng.uniform(0.05, 0.95, 300).round(3)
    save("pilot.csv", y=(rng.random(300) < p).astype(int), p=p)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small made-up files under the names that examples use."""
    made = tmp_path_factory.mktemp("examples")
    rng = np.random.default_rng(1)
    n = 60
    case = [f"case{i}" for i in range(n)]
    dice = rng.beta(9, 2, n).round(4)

    def save(name: str, **columns: Any) -> None:
        pd.DataFrame(columns).to_csv(made / name, index=False)

    save("dice.csv", case=case, dice=dice, liver=rng.beta(20, 2, n).round(4))
    save("percent.csv", case=case, dice=[*(100 * dice[1:]), None])
    names = {"model": ["a", "b"] * (n // 2), "task": ["x"] * (n // 2) + ["y"] * (n // 2)}
    save("long.csv", patient=[f"p{i // 4}" for i in range(n)], **names, dice=dice)
    better = (dice + rng.normal(0.01, 0.005, n)).clip(0, 1)
    many, old = range(300), rng.beta(9, 2, 300)
    for name in ("old", "a", "b", "c", "results"):
        save(f"{name}.csv", case=many, dice=old.round(4))
    save("new.csv", case=many, dice=(old + rng.normal(0.01, 0.005, 300)).clip(0, 1).round(4))
    save("wide.csv", case=case, unet=dice, vit=better)
    tasks, models = names["task"], ["nnunet"] * n + ["vit"] * n
    of_both = {"case": case * 2, "task": tasks * 2, "dice": [*dice, *better]}
    for name, file in (("network", "networks"), ("model", "models"), ("algorithm", "challenge")):
        save(f"{file}.csv", **{name: models}, **of_both)
    save("pair.csv", case=case * 2, model=models, dice=[*dice, *better])
    truth = rng.integers(0, 2, n)
    readers = {name: np.where(rng.random(n) < 0.2, 1 - truth, truth) for name in ("unet", "A", "B")}
    save("labels.csv", case=case, **readers)
    first, second = (np.repeat(names, n) for names in (["unet", "unet", "A"], ["A", "B", "B"]))
    pairs = {"prediction": first, "reference": second, "dice": rng.beta(9, 2, 3 * n).round(4)}
    save("pairs.csv", case=case * 3, **pairs)
    scores = {name: truth / 2 + rng.random(n) / 2 for name in ("prob_a", "prob_b")}
    labels = {name: (p > 0.5).astype(int) for name, p in zip("ab", scores.values(), strict=True)}
    save("preds2.csv", case=case, y=truth, **scores, **labels)
    y = rng.integers(0, 2, 300)
    old_scores = y / 2 + rng.random(300) / 2
    for name, column in (("old", "p"), ("a", "p1"), ("b", "p1")):
        save(f"preds_{name}.csv", case=many, y=y, **{column: old_scores})
    save("preds_new.csv", case=many, y=y, p=(old_scores + y / 50).clip(0, 1))
    scored = np.r_[truth / 2 + rng.random(n) / 2, truth / 3 + rng.random(n) / 2].round(3)
    save("predictions.csv", case=case * 2, model=models, y=[*truth, *truth], p=scored)
    save_probabilities(save, rng, truth)
    three = rng.integers(0, 3, n)
    shares = rng.dirichlet([1, 1, 1], n) / 2 + np.eye(3)[three] / 2
    columns = {name: shares[:, place] for place, name in enumerate("abc")}
    label = np.array(list("abc"))
    save("preds3.csv", y=label[three], label=label[shares.argmax(axis=1)], **columns)
    np.save(made / "y.npy", truth)
    np.save(made / "logits.npy", truth + rng.normal(size=n))
    save("seeds.csv", seed=range(30), accuracy=rng.beta(90, 10, 30).round(4))
    sources = ["init"] * 30 + ["split"] * 30
    save("runs.csv", source=sources, accuracy=rng.beta(90, 10, 60).round(4))
    save("mlflow.csv", run_id=range(40), **{"metrics.val_rmse": rng.gamma(9, 1, 40).round(3)})
    save("published.csv", label=["a", "b"], n=[50, 60], mean=[0.85, 0.8], sd=[0.1, 0.12])
    save("table2.csv", Model=["a", "b"], Dice=["0.85±0.09", "0.88±0.07"])
    return made


@pytest.fixture
def there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


@pytest.mark.slow
@pytest.mark.usefixtures("there")
@pytest.mark.parametrize("path", [path for path in VERBS if path not in ELSEWHERE])
def test_examples_run(path: str, folder: Path, run: Run) -> None:
    if path == "score":
        for name, shift in (("predictions", 1), ("references", 0), ("pred", 1), ("ref", 0)):
            masks(folder / name, shift)
        # Predictions beside references, told apart by their names.
        for name, shift in (("pred", 1), ("gt", 0)):
            masks(folder / "masks", shift, f"_{name}")
        save_mask(folder / "mine.nii.gz", 1)
        save_mask(folder / "truth.nii.gz", 0)
        (folder / "mm.toml").write_text("default = 2\n", encoding="utf-8")
        (folder / "dataset.json").write_text('{"labels": {"a": 1, "b": 2, "c": 4}}')
    if path in ("detect", "compare", "rank", "gate", "report"):
        save_boxes(folder)
    if path == "convert":
        for name in ("", "a", "b"):
            (folder / name).mkdir(exist_ok=True)
            shutil.copy(FIXTURES / "nnunet" / "summary.json", folder / name)
        shutil.copy(FIXTURES / "monai" / "mean_dice_raw.csv", folder)
    for example in examples(path):
        ran_as_it_stands(run, example)


SPEC = """
[study]
seed = 3
sizes = [10, 20, 50, 250]
samples = 40
resamples = 40
statistics = ["mean", "median"]
methods = ["t", "percentile", "basic"]

"""


@pytest.mark.slow
def test_examples_of_studies_run(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    Path("results").mkdir()
    for place, task in enumerate(["liver", "spleen", "aorta", "colon"]):
        values = {"dsc": rng.beta(8 + place, 2, 60), "assd": rng.lognormal(0, 0.4 + place / 5, 60)}
        for metric, column in values.items():
            table = pd.DataFrame({"case": [f"c{i}" for i in range(60)], "A": column, "B": column})
            table.to_csv(f"results/{task}_{metric}.csv", index=False)
    ran_as_it_stands(run, "halfwidth study init results/ -o study.toml")
    tables = "".join(
        f'\n[[tables]]\nfiles = "results/{{model}}_{metric}.csv"\nmetric = "{metric}"\n'
        for metric in ("dsc", "assd")
    )
    Path("study.toml").write_text(SPEC + tables, encoding="utf-8")
    for store, metric in (("seg", "dsc"), ("cls", "assd")):
        one = SPEC + f'[[tables]]\nfiles = "results/{{model}}_{metric}.csv"\nmetric = "{metric}"\n'
        Path(f"{store}.toml").write_text(one, encoding="utf-8")
        assert not hw.study.run(f"{store}.toml", store).failed
    for name in ("from-node-1", "from-node-2"):
        assert not hw.study.run("study.toml", name, shard="1/2").failed
    Path("more").mkdir()
    for name in ("eye", "ear"):
        shutil.copy("results/liver_assd.csv", f"more/{name}_assd.csv")
    other = SPEC + '[[tables]]\nfiles = "more/{model}_assd.csv"\nmetric = "assd"\n'
    Path("other.toml").write_text(other.replace("seed = 3", "seed = 4"), encoding="utf-8")
    assert not hw.study.run("other.toml", "other").failed
    order = ["study", "study describe", "study run", "study status", "study retry"]
    for path in [*order, "study collect", "study summary", "study plot"]:
        assert examples(path)
        for example in examples(path):
            if "init" in example or "--dask" in example:  # done above; needs a cluster
                continue
            ran_as_it_stands(run, example)
