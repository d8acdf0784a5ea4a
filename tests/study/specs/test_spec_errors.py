"""What is wrong with the TOML file of a study, and that this is said in plain words."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import halfwidth as hw

TABLES = '[[tables]]\nfiles = "*_dsc.csv"\nmetric = "dsc"\n'
SCORES = '[[scores]]\nscores = "*_s.npy"\ntargets = "*_t.npy"\nkind = "logits"\n'
BETA = '[[populations]]\nfamily = "beta"\na = 8\nb = 2\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "spec.toml"


def complaint(file: Path, content: str, kind: type[Exception] = hw.DataError) -> str:
    file.write_text(content, encoding="utf-8")
    with pytest.raises(kind) as caught:
        hw.study.read_spec(file)
    text = str(caught.value)
    assert text.startswith(f"{file}: ")
    assert "\n" not in text
    assert "--" not in text
    return text.removeprefix(f"{file}: ")


WRONG = [
    ("sample = 3", "has no 'sample'; did you mean 'samples'? Allowed: name, seed, sizes, "),
    ('samples = "10"', 'samples = "10" must be an integer ≥ 2; write 10 without quotes'),
    ("samples = 10.0", "samples = 10.0 must be an integer ≥ 2; write 10"),
    ("samples = true", "samples = true must be an integer ≥ 2"),
    ("samples = 15", "samples = 15 cannot be split into 10 batches of one size; write 10 or 20, "),
    ("samples = 5", "samples = 5 cannot be split into 10 batches of one size; write 10, "),
    ("samples = -10", "samples = -10 must be an integer ≥ 2"),
    ("batches = 1", "batches = 1 must be an integer ≥ 2"),
    ("resamples = 1", "resamples = 1 must be an integer ≥ 2"),
    ("truth_draws = 10", "truth_draws = 10 must be an integer ≥ 1000"),
    ("seed = -1", "seed = -1 must be an integer ≥ 0"),
    ("seed = 9223372036854775808", "seed = 9223372036854775808 must be an integer ≥ 0; T"),
    ("sizes = [10, 1]", "sizes = 1 must be an integer ≥ 2"),
    ("sizes = []", "sizes is empty; name at least one, or leave the key out"),
    ("sizes = [10, 25, 10]", "sizes names 10 twice"),
    ("sizes = [2024-01-31]", 'sizes = "2024-01-31" must be an integer ≥ 2'),
    ("levels = [nan]", "levels = NaN is not a number"),
    ("levels = [[0.9]]", "levels = [0.9] is not a number"),
    ('name = ""', "name is empty"),
    ("name = 3", "name = 3 is not a text in quotes"),
    ('alternative = "low"', 'alternative = "low" is none of "two-sided", "lower", "upper"; did '),
    ('statistics = ["mean", "average"]', "statistics: 'mean' and 'average' are the same, mean"),
    ('statistics = ["mean", "mean"]', 'statistics names "mean" twice'),
    ("statistics = [1]", "statistics = 1 is not a text in quotes"),
    (
        'metrics = ["f1"]',
        "metrics has no effect: it applies to test sets, and there is no [[scores]]",
    ),
    ('averages = ["macro"]', "averages has no effect"),
    ('absent_class = "zero"', "absent_class has no effect"),
]


@pytest.mark.parametrize(("given", "said"), WRONG)
def test_a_wrong_value_is_named_with_what_is_allowed(file: Path, given: str, said: str) -> None:
    assert complaint(file, f"[study]\n{given}\n{TABLES}").startswith(f"[study] {said}")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            "levels = [95]",
            "levels: levels = 95 is not strictly between 0 and 1; for 95 %",
        ),
        ('statistics = ["quantile"]', "statistics: quantile needs q (level of the quantile)"),
        ('statistics = ["quantile:q=2"]', "statistics: quantile: q=2 is not above 0 and below 1"),
    ],
)
def test_a_wrong_option_is_named_with_what_is_allowed(file: Path, given: str, said: str) -> None:
    text = complaint(file, f"[study]\n{given}\n{TABLES}", hw.OptionError)
    assert text.startswith(f"[study] {said}")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (f'[study]\nstatistics = ["medain"]\n{TABLES}', "did you mean 'median'?"),
        (f'[study]\nmethods = ["percentil"]\n{TABLES}', "did you mean 'percentile'?"),
        (f'[study]\nmetrics = ["auorc"]\n{SCORES}', "did you mean 'auroc'?"),
        (TABLES.replace('"dsc"', '"dcs"'), "did you mean 'dsc'?"),
        (BETA.replace("beta", "beat"), "did you mean 'beta'?"),
    ],
)
def test_an_unknown_name_comes_with_the_nearest(file: Path, content: str, said: str) -> None:
    assert said in complaint(file, content, hw.UnknownNameError)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[study]\n", "names no data; add a section [[tables]]"),
        ("", "the file is empty"),
        ("speed = 1\n", "has no 'speed'. Allowed: study, tables, scores, detections, populations"),
        (f"samples = 10\n{TABLES}", "samples stands outside of [study]; move it below that line"),
        (f"[[study]]\n{TABLES}", "[study] is one section, with single brackets"),
        ('[tables]\nfiles = "a"\n', "writes [tables] with double brackets, [[tables]]"),
        ("tables = 3\n", "tables = 3 is not a section, [[tables]]"),
        ('[[tables]]\nfile = "a"\n', "[[tables]] has no 'file'; did you mean 'files'?"),
        ('[[tables]]\nmetric = "dsc"\n', "[[tables]] lacks files: the tables, for example"),
        (f"{TABLES}[[tables]]\nmetric = 1\n", "[[tables]] 2 lacks files"),
        (f"{TABLES}bounds = [1]\n", "[[tables]] bounds = [1] is not two numbers, [low, high]"),
        (f"{TABLES}scale = 0\n", "[[tables]] scale = 0 is not above 0; it divides the values"),
        (f"{TABLES}penalty = 3\n", '[[tables]] penalty has no effect with missing = "raise"'),
        (f"{TABLES}failures = 1.5\n", "failures = 1.5 is not a share such as 0.02"),
        (f"{TABLES}above = 1\n", "above = 1 is not a share of the median such as 0.5"),
        (f"{TABLES}above = 0\n", "above = 0 is not a share of the median such as 0.5"),
        (f'{TABLES}above = "half"\n', "[[tables]] above ="),
        ('[[tables]]\nfiles = "a"\nabove = 0.5\n', "above needs a metric; name it: metric = ..."),
        (f"{TABLES}above = 0.5\n".replace("dsc", "hd95"), "is better the lower it is"),
        (
            f"{TABLES}bounds = [-1, 1]\nabove = 0.5\n".replace("dsc", "of_mine"),
            "above is a share of the median, for values from 0 on; of_mine begins at -1",
        ),
        (f'{TABLES}from = "nsd"\n', "from = 'nsd': what can be converted is metric = \"iou\" with"),
        (f'{TABLES}population = "kd"\n', 'population = "kd" is none of "auto", "kde", "empirical"'),
        ('[[tables]]\nfiles = "{modle}.csv"\n', "{modle} has no meaning; did you mean 'model'?"),
        ('[[tables]]\nfiles = "{task}{task}"\n', "has {task} twice; write * for the other"),
        ('[[tables]]\nfiles = "{task}"\ntask = "a"\n', "both say the task; leave one out"),
        (SCORES.replace("kind", "#"), '[[scores]] lacks kind: what the scores are, "logits"'),
        (SCORES.replace('"logits"', '"logit"'), 'kind = "logit" is none of "logits", "probab'),
        (SCORES.replace("targets", "# "), "[[scores]] lacks targets; write scores and targets"),
        (f'{SCORES}files = "a"\n', "[[scores]] has scores and targets and files together"),
        ('[[scores]]\nkind = "logits"\ntarget = "a"\n', "[[scores]] lacks files and columns"),
        (f"{SCORES}floor = 1e-6\n", '[[scores]] floor has no effect with kind = "logits"'),
        (f'{SCORES}bandwidth = "5"\npopulation = "empirical"\n', "bandwidth has no effect with"),
        (SCORES.replace('"logits"', '"probabilities"\nfloor = 0.6'), "is not a probability near 0"),
        (f"{SCORES}calibration_slope = 0\n", "[[scores]] calibration_slope = 0 is not above 0"),
        (f"{SCORES}calibration_intercept = 1\n", "has no effect without calibration_slope"),
        (f'{SCORES}labels = ["a"]\n', "[[scores]] labels: name at least two classes"),
        (f'{SCORES}positive = ["a", "b"]\n', "positive: one of two classes is the positive one"),
        (f'{SCORES}missing = "worst"\n', 'missing = "worst" is none of "raise", "omit"'),
        (f'[study]\nstatistics = "mean"\n{SCORES}', "[study] statistics has no effect: statistics"),
        (f'[study]\naverages = "marco"\n{SCORES}', 'averages = "marco" is none of "binary", "mac'),
        (f'[study]\nmetrics = "lr_plus"\n{SCORES}', "lr_plus has none of macro; it has binary"),
        (f'[study]\nmetrics = "mcc"\naverages = "macro"\n{SCORES}', "'macro' has no effect; none"),
        ('[[populations]]\nname = "x"\n', "[[populations]] lacks family: the distribution"),
        (
            f"{BETA}c = 3\n",
            "[[populations]] has no 'c'. Allowed: name, family, parts, metric, bounds, a",
        ),
        (f"{BETA}parts = []\n", "[[populations]] has family and parts together; leave one out"),
        ("[[populations]]\nparts = []\n", "[[populations]] parts is empty; name at least one"),
        ('[[populations]]\nparts = [{ family = "t", df = 2, weight = 0 }]\n', "weight = 0 is not"),
    ],
)
def test_what_is_wrong_with_a_section_is_said(file: Path, content: str, said: str) -> None:
    assert said in complaint(file, content)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (BETA.replace("b = 2", ""), "[[populations]]: beta needs b (second shape)"),
        (BETA.replace("b = 2", "b = -2"), "[[populations]]: beta: b=-2.0 is not above 0"),
        (f"{TABLES}bounds = [1, 0]\n", "[[tables]] bounds: bounds need a low end below"),
        (
            f'[study]\nmetrics = "rmse"\n{SCORES}',
            "'rmse' measures predicted numbers, but [[scores]]",
        ),
        (f'[study]\nmetrics = "dsc"\n{SCORES}', "'dsc' has a value for each case, not one for a"),
    ],
)
def test_what_is_not_allowed_in_a_section_is_said(file: Path, content: str, said: str) -> None:
    assert said in complaint(file, content, hw.OptionError)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            "[study]\nname = liver\n",
            "line 2 is not TOML (name = liver): Invalid value; a text needs",
        ),
        ('[study]\nname = "liver\n', 'line 2 is not TOML (name = "liver): Illegal character'),
        (
            "[study]\nseed = 1\nseed = 2\n",
            "line 3 is not TOML (seed = 2): Cannot overwrite a value",
        ),
        ("[study]\n[study]\n", "line 2 is not TOML ([study]): Cannot declare ('study',) twice"),
        ("[study]\nsizes = [1\n", "the end of the file is not TOML: Unclosed array; a closing"),
        ('[[tables]]\nfiles = "a\\d.csv"\n', "line 2 is not TOML"),
    ],
)
def test_a_slip_in_the_toml_is_found(file: Path, content: str, said: str) -> None:
    assert complaint(file, content).startswith(said)


@pytest.mark.parametrize("part", ["a", '"a b"', "'a.b' ", r'"\""'])
def test_keys_of_very_many_parts_do_not_fill_the_memory(part: str, file: Path) -> None:
    start = time.process_time()
    text = complaint(file, f"[study]\nseed = 1\n{'.'.join([part] * 20_000)} = 1\n")
    assert text == "line 3 has a key of more than 20 parts; none is that long"
    assert time.process_time() - start < 1


def test_very_many_sizes_are_looked_through_in_no_time(file: Path) -> None:
    start = time.process_time()
    listed = ", ".join(map(str, range(2, 100_000)))
    assert "sizes names 2 twice" in complaint(file, f"[study]\nsizes = [{listed}, 2]\n{BETA}")
    assert time.process_time() - start < 1


def test_nesting_has_an_end(file: Path) -> None:
    assert "nested too deeply" in complaint(file, f"a = {'[' * 30_000}")


def test_a_spec_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "study.toml").touch()
    with pytest.raises(hw.DataError, match=r"stud\.toml: no such file; did you mean 'study\.toml'"):
        hw.study.read_spec(tmp_path / "stud.toml")
