"""From the tables of a spec to instances: which there are, and what they hold."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sourcefolders import (
    SINGLE,
    VALUES,
    WIDE,
    complaint,
    loaded,
    long_table,
    only,
    table,
    values_of,
    with_tables,
)

import halfwidth as hw
from halfwidth.core.spec import MetricLevel


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return with_tables(tmp_path)


# --------------------------------------------------------------------------- which there are


def test_columns_are_tasks_and_files_models(folder: Path) -> None:
    instances = loaded(folder, WIDE)
    assert [(i.name, i.model, i.task) for i in instances] == [
        ("UNet/liver/dsc", "UNet", "liver"),
        ("UNet/spleen/dsc", "UNet", "spleen"),
        ("ViT/liver/dsc", "ViT", "liver"),
        ("ViT/spleen/dsc", "ViT", "spleen"),
    ]
    first = instances[0]
    assert first.source == "UNet_dsc.csv, column 'liver'"
    assert (first.level, first.n_cases) == (MetricLevel.INDIVIDUAL, 60)
    assert first.metric is not None
    assert first.metric.spec.name == "dsc"
    assert first.bounds == hw.Bounds(0, 1)
    assert (first.notes, first.cautions, first.classes) == ((), (), ())
    np.testing.assert_array_equal(values_of(first), VALUES)
    np.testing.assert_array_equal(values_of(instances[1]), np.sort(VALUES**2))


def test_a_file_without_wildcards_is_a_model_too(folder: Path) -> None:
    both = WIDE.replace('"*_dsc.csv"', '["UNet_dsc.csv", "ViT_dsc.csv"]')
    assert [(i.model, i.task) for i in loaded(folder, both)] == [
        ("UNet_dsc", "liver"),
        ("UNet_dsc", "spleen"),
        ("ViT_dsc", "liver"),
        ("ViT_dsc", "spleen"),
    ]
    (folder / "set").mkdir()
    (folder / "UNet_dsc.csv").rename(folder / "set" / "UNet_dsc.csv")
    starred = WIDE.replace("*_dsc", "s*t/{model}_dsc")
    assert [i.name for i in loaded(folder, starred)] == ["UNet/e/liver/dsc", "UNet/e/spleen/dsc"]


def test_the_first_name_in_braces_takes_as_little_as_it_can(folder: Path) -> None:
    (folder / "UNet_dsc.csv").rename(folder / "a_b_c_dsc.csv")
    content = WIDE.replace("*_dsc", "{task}_{model}_dsc") + 'columns = "liver"\n'
    assert [(i.model, i.task) for i in loaded(folder, content)] == [("b_c", "a")]


def test_columns_can_be_named(folder: Path) -> None:
    assert [i.name for i in loaded(folder, WIDE + 'columns = "spleen"\n')] == [
        "UNet/dsc",
        "ViT/dsc",
    ]


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        (['files = "single/*_dsc.csv"'], "brain/dsc"),
        (['files = "single/brain_dsc.csv"'], "brain_dsc/dsc"),
        (['files = "single/{task}_dsc.csv"'], "brain/dsc"),
        (['files = "single/{model}_dsc.csv"'], "brain/dsc"),
        (['files = "{model}/{task}_dsc.csv"'], "single/brain/dsc"),
        (['files = "{model}/*_dsc.csv"'], "single/brain/dsc"),
        (['files = "s*/{task}_dsc.csv"'], "ingle/brain/dsc"),
        (['files = "s*/{task}_*.csv"', 'model = "U"'], "U/ingle/dsc/brain/dsc"),
        (['files = "single/*_dsc.csv"', 'model = "U"', 'task = "T"'], "U/brain/T/dsc"),
        (['files = "single/brain_dsc.csv"', 'task = "T"'], "T/dsc"),
        (['files = "single/brain_dsc.csv"', 'model = "U"'], "U/dsc"),
        (['files = "**/brain_dsc.csv"'], "single/dsc"),
        (['files = "single/[a-c]rain_ds?.csv"'], "b/c/dsc"),
        (['files = "single/[!a]rain_dsc.csv"'], "b/dsc"),
        (['files = "./single/../single/*_dsc.csv"'], "brain/dsc"),
    ],
)
def test_the_pattern_says_model_and_task(folder: Path, lines: list[str], name: str) -> None:
    assert only(folder, table(*lines, 'metric = "dsc"', "scale = 100")).name == name


def test_a_pattern_may_be_absolute(folder: Path) -> None:
    path = (folder / "single" / "*_dsc.csv").as_posix()
    instance = only(folder, table(f"files = '{path}'", 'metric = "dsc"', "scale = 100"))
    assert instance.name == "brain/dsc"
    assert instance.digest == only(folder, SINGLE).digest


def test_a_name_may_hold_brackets_and_braces(folder: Path) -> None:
    odd = folder / "single" / "{task}[1].csv"
    (folder / "single" / "brain_dsc.csv").rename(odd)
    content = table('files = "single/{task}[1].csv"', 'metric = "dsc"', "scale = 100")
    assert only(folder, content).name == "{task}[1]/dsc"


def test_a_file_that_two_patterns_match_counts_once(folder: Path) -> None:
    twice = WIDE.replace('"*_dsc.csv"', '["UNet*.csv", "*_dsc.csv"]')
    assert len(loaded(folder, twice)) == 4


def test_levels_of_columns_are_instances(folder: Path) -> None:
    frame = pd.DataFrame({"case": list(range(60)) * 4, "dice": np.tile(VALUES, 4)})
    frame["model"] = np.repeat(["U", "V"], 120)
    frame["organ"] = np.tile(np.repeat(["liver", None], 60), 2)
    frame.to_csv(folder / "long.csv", index=False)
    lines = ('files = "long.csv"', 'metric = "dsc"', 'columns = "dice"', 'by = ["model", "organ"]')
    instances = loaded(folder, table(*lines))
    assert [(i.name, i.model, i.task) for i in instances] == [
        ("U/liver/dsc", "U", "liver"),
        ("U/(missing)/dsc", "U", "(missing)"),
        ("V/liver/dsc", "V", "liver"),
        ("V/(missing)/dsc", "V", "(missing)"),
    ]
    assert instances[0].source == "long.csv, column 'dice', model U, organ liver"


def test_a_canonical_table_needs_no_options(folder: Path) -> None:
    metric = ["dsc", "nsd", "HD95"] * 20
    long_table(folder, metric=metric, value=VALUES, label=["liver"] * 60, model=["U"] * 60)
    instances = loaded(folder, table('files = "long.csv"'))
    assert [i.name for i in instances] == ["U/liver/dsc", "U/liver/nsd", "U/liver/hd95"]
    assert [i.n_cases for i in instances] == [20, 20, 20]
    assert [i.bounds for i in instances] == [
        hw.Bounds(0, 1),
        hw.Bounds(0, 1),
        hw.Bounds(0, math.inf),
    ]
    picked = only(folder, table('files = "long.csv"', 'metric = "hausdorff95"'))
    assert picked == instances[2] or picked.digest == instances[2].digest
    text = complaint(folder, table('files = "long.csv"', "scale = 100"))
    assert text.startswith("long.csv: scale and bounds would apply to every metric of the table (d")
    text = complaint(folder, table('files = "long.csv"', 'metric = "iou"'))
    assert text == "long.csv: no row has metric 'iou'; the table has dsc, nsd, hd95"


def test_parameters_of_a_canonical_table_are_part_of_the_metric(folder: Path) -> None:
    tolerance = np.repeat(["tolerance=2", "tolerance=3"], 30)
    long_table(folder, metric=["nsd"] * 60, parameters=tolerance)
    content = table('files = "long.csv"', 'metric = "nsd"')
    names = ["long/nsd:tolerance=2", "long/nsd:tolerance=3"]
    assert [i.name for i in loaded(folder, content)] == names
    picked = only(folder, content.replace("nsd", "nsd:tolerance=3"))
    assert (picked.name, picked.n_cases) == (names[1], 30)
    np.testing.assert_array_equal(values_of(picked), VALUES[30:])


def test_rows_that_are_not_applicable_are_left_out_and_noted(folder: Path) -> None:
    status = ["not applicable"] * 3 + ["ok"] * 57
    long_table(folder, value=[np.nan] * 3 + list(VALUES[3:]), status=status)
    instance = only(folder, table('files = "long.csv"'))
    assert instance.n_cases == 57
    assert instance.notes == ("left out: 3 rows that are not applicable",)


def test_a_metric_of_ones_own_has_bounds(folder: Path) -> None:
    long_table(folder, metric=["smile"] * 60)
    instance = only(folder, table('files = "long.csv"', 'metric = "smile"', "bounds = [-1, 1]"))
    assert (instance.name, instance.bounds) == ("long/smile", hw.Bounds(-1, 1))
    assert only(folder, table('files = "long.csv"', "bounds = [-1, 1]")).digest == instance.digest
    text = complaint(folder, table('files = "long.csv"'), hw.UnknownNameError)
    assert "unknown metric 'smile'" in text


# --------------------------------------------------------------------------- what they hold


def test_values_are_scaled(folder: Path) -> None:
    np.testing.assert_allclose(values_of(only(folder, SINGLE)), VALUES, rtol=1e-15)


@pytest.mark.parametrize(
    ("metric", "wanted", "made"),
    [
        ("dsc", "auto", "adaptive_kde"),
        ("hd95", "auto", "empirical"),
        ("hd", "auto", "empirical"),
        ("assd", "auto", "adaptive_kde"),
        ("hd95", "kde", "adaptive_kde"),
        ("dsc", "empirical", "empirical"),
    ],
)
def test_what_is_made_of_the_values(folder: Path, metric: str, wanted: str, made: str) -> None:
    lines = ('files = "single/*.csv"', f'metric = "{metric}"', "scale = 100")
    instance = only(folder, table(*lines, f'population = "{wanted}"'))
    build: Any = instance.build
    assert build.func.__name__ == made
    arguments = (instance.bounds,) if made == "adaptive_kde" else ()
    assert build.args[1:] == arguments


def test_iou_follows_from_dice_case_by_case(folder: Path) -> None:
    lines = ('files = "single/*.csv"', 'metric = "iou"', 'from = "dsc"', "scale = 100")
    instance = only(folder, table(*lines))
    dice = values_of(only(folder, SINGLE))
    # Dice is twice the intersection over the sum of the areas: 2 IoU/(1 + IoU).
    found = values_of(instance)
    np.testing.assert_allclose(2 * found / (1 + found), dice, rtol=1e-14)
    assert instance.name.endswith("/iou")
    assert instance.metric is not None
    assert instance.metric.spec.name == "iou"


def test_failures_are_planted_in_the_population(folder: Path) -> None:
    plain, planted = only(folder, SINGLE), only(folder, SINGLE + "failures = 0.25\n")
    assert planted.name == f"{plain.name}+25% failures"
    assert planted.digest != plain.digest
    assert planted.n_cases == plain.n_cases
    population = pickle.loads(pickle.dumps(planted)).build()  # noqa: S301
    expected = 0.75 * plain.build().mean
    assert math.isclose(population.mean, expected, rel_tol=1e-12)
    drawn = population.draw(np.random.default_rng(1), 50, 200)
    assert abs((drawn == 0).mean() - 0.25) < 0.03
    assert abs(drawn.mean() - expected) < 0.02


def test_low_cases_can_be_cut_off_and_the_instance_says_so(folder: Path) -> None:
    plain, cut = only(folder, SINGLE), only(folder, SINGLE + "above = 0.5\n")
    assert cut.name == f"{plain.name}, cases above half the median"
    # The median is 0.55, and 7 of the values are not above 0.275.
    np.testing.assert_allclose(values_of(cut), VALUES[7:], rtol=1e-15)
    assert cut.n_cases == 53
    assert cut.notes == ("7 of 60 cases left out: at most 0.275",)
    assert cut.digest != plain.digest
    other = only(folder, SINGLE + "above = 0.25\n")
    assert other.name == f"{plain.name}, cases above 0.25 of the median"
    # What nothing is cut off from is still another instance, under its own name.
    assert (other.n_cases, other.notes) == (60, ())
    assert other.digest not in {plain.digest, cut.digest}


def test_a_cut_is_of_the_metric_that_the_study_has(folder: Path) -> None:
    lines = ('files = "single/*.csv"', 'metric = "iou"', 'from = "dsc"', "scale = 100")
    every = values_of(only(folder, table(*lines)))
    kept = values_of(only(folder, table(*lines, "above = 0.5")))
    np.testing.assert_array_equal(kept, every[every > np.median(every) / 2])
    assert len(kept) < len(every)


def test_failures_are_planted_into_what_a_cut_leaves(folder: Path) -> None:
    both = only(folder, SINGLE + "above = 0.5\nfailures = 0.25\n")
    assert both.name.endswith("/dsc, cases above half the median+25% failures")
    assert math.isclose(
        both.build().mean, 0.75 * only(folder, SINGLE + "above = 0.5\n").build().mean, rel_tol=1e-12
    )


def test_a_cut_that_leaves_nothing_is_an_error(folder: Path) -> None:
    long_table(folder, value=[0.0] * 60)
    said = complaint(folder, table('files = "long.csv"', 'metric = "dsc"', "above = 0.5"))
    assert "0 cases left; a population needs 5" in said


def test_right_and_wrong_are_sampled_as_they_are(folder: Path) -> None:
    long_table(folder, metric=["correct"] * 60, value=[0, 1] * 30)
    build: Any = only(folder, table('files = "long.csv"')).build
    assert build.func.__name__ == "empirical"


def test_an_instance_and_its_population_travel_to_another_process(folder: Path) -> None:
    for instance in loaded(folder, WIDE + SINGLE):
        again = pickle.loads(pickle.dumps(instance))  # noqa: S301 -- our own
        assert (again.name, again.digest) == (instance.name, instance.digest)
        first, second = (i.build().draw(np.random.default_rng(1), 2, 5) for i in (instance, again))
        np.testing.assert_array_equal(first, second)


def test_the_digest_does_not_depend_on_the_order_of_cases_nor_on_the_file(folder: Path) -> None:
    first = only(folder, SINGLE)
    frame = pd.read_csv(folder / "single" / "brain_dsc.csv", index_col=0)
    frame.sample(frac=1, random_state=1).to_csv(folder / "single" / "brain_dsc.csv", sep=";")
    assert only(folder, SINGLE) != first
    assert only(folder, SINGLE).digest == first.digest
    (folder / "brain.tsv").write_text(frame.to_csv(sep="\t"))
    moved = only(folder, table('files = "brain.tsv"', 'metric = "dice"', "scale = 100"))
    assert moved.digest == first.digest


@pytest.mark.parametrize(
    "other",
    [
        SINGLE.replace("= 100", "= 200"),
        SINGLE.replace('"dsc"', '"iou"'),
        SINGLE + 'population = "empirical"\n',
        SINGLE + "bounds = [0, 0.99]\n",
        SINGLE + "above = 0.1\n",
    ],
)
def test_the_digest_depends_on_values_and_what_is_made_of_them(folder: Path, other: str) -> None:
    assert only(folder, SINGLE).digest != only(folder, other).digest


def test_a_negative_zero_is_a_zero(folder: Path) -> None:
    found = []
    for zero in ("0.0", "-0.0"):
        (folder / "zeros.csv").write_text(f"case,metric\na,{zero}\n" + "b,0.5\n" * 60)
        found.append(only(folder, table('files = "zeros.csv"', 'metric = "dsc"')).digest)
    assert found[0] == found[1]
    assert len(found[0]) == 32


def test_a_single_value_changes_the_digest(folder: Path) -> None:
    first = only(folder, SINGLE)
    file = folder / "single" / "brain_dsc.csv"
    frame = pd.read_csv(file, index_col=0)
    frame["metric"] = [*frame["metric"][:-1], np.nextafter(frame["metric"].to_numpy()[-1], 0)]
    frame.to_csv(file)
    assert only(folder, SINGLE).digest != first.digest


def test_values_beyond_the_range_by_rounding_are_on_its_end(folder: Path) -> None:
    long_table(folder, value=[*VALUES[:-1], 1 + 1e-12])
    instance = only(folder, table('files = "long.csv"'))
    assert values_of(instance).max() == 1.0
    instance.build()


# --------------------------------------------------------------------------- real data


def test_the_instances_of_segval(shared: Path, tmp_path: Path) -> None:
    data = (shared / "data" / "segval").as_posix()
    instances = loaded(
        tmp_path,
        table(f"files = '{data}/{{task}}_dsc.csv'", 'metric = "dsc"', "scale = 100")
        + table(f"files = '{data}/{{task}}_hd95.csv'", 'metric = "hd95"'),
    )
    assert [(i.name, i.n_cases) for i in instances] == [
        ("braintumor_3d/dsc", 334),
        ("hippocampus_3d/dsc", 110),
        ("braintumor_3d/hd95", 334),
        ("hippocampus_3d/hd95", 110),
    ]
    frame = pd.read_csv(shared / "data" / "segval" / "hippocampus_3d_dsc.csv")
    np.testing.assert_array_equal(values_of(instances[1]), np.sort(frame["metric"] / 100))
    assert not any(i.cautions for i in instances)


def test_the_instances_of_touchstone(shared: Path, tmp_path: Path) -> None:
    data = shared / "data" / "touchstone"
    lines = (f"files = '{data.as_posix()}/{{model}}_nsd.csv'", 'metric = "nsd"', 'missing = "omit"')
    instances = loaded(tmp_path, table(*lines))
    assert len(instances) == 81
    counts = pd.read_csv(data / "MedFormer_nsd.csv", index_col="name").notna().sum()
    of_one = {i.task: i.n_cases for i in instances if i.model == "MedFormer"}
    assert of_one == counts.to_dict()


# --------------------------------------------------------------------------- rows that count


def test_rows_are_picked_as_on_the_command_line(folder: Path) -> None:
    frame = pd.DataFrame({"case": range(60), "site": ["A", "B", "C"] * 20, "dsc": VALUES})
    frame["split"] = np.repeat(["train", "test"], 30)
    frame.to_csv(folder / "where.csv", index=False)
    lines = ('files = "where.csv"', 'metric = "dsc"', 'columns = "dsc"')
    picked = only(folder, table(*lines, 'where = ["split=test", "site=A", "site=B"]'))
    assert picked.n_cases == 20
    assert picked.notes[0] == "20 of 60 rows: split=test and site=A or B"
    for given, said in (
        ('"splt=test"', "where.csv: where: unknown column 'splt'; did you mean 'split'?"),
        ('"split=tst"', "where.csv: where: column split has no level 'tst'; did you mean 'test'?"),
        ('["split=test", "split"]', "where: split: not of the form COLUMN=LEVEL"),
        ("1", "where = 1 is not a text in quotes"),
    ):
        text = complaint(folder, table(*lines, f"where = {given}"), hw.HalfwidthError)
        assert text.strip().startswith(said)
