"""The calls: commands and programs that name public doors only.

A line is a call; indented lines below it are the same call with other options, or with other
keywords, in place of those it has. ``--format *`` stands for every format, ``{...}``
for every name of a list below. The text of a call is its name. Calls are written in today's names;
`renames.toml` says what they are in commits of before.
"""

from __future__ import annotations

import ast
import functools
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Call", "all_calls"]

HERE = Path(__file__).parent
FILES = (("command", "commands.txt"), ("command", "refused.txt"), ("program", "programs.txt"))
FORMATS = ("table", "json", "csv", "markdown", "latex")
# What each chain of the fuzz of workflows is started with.
SEEDS = (5, 17)
# What stays between calls, which one process makes therefore: the store of a small study.
KEPT = ("kept/", "store()")


@dataclass(frozen=True)
class Call:
    """A command, a program or a chain; calls of a block are made by one process, in order."""

    kind: str
    text: str
    block: int

    @property
    def plain(self) -> bool:
        """Whether it is made without the C library too: where draws, areas or matches are."""
        resampled = (
            "percentile",
            "bca",
            "studentized",
            "kind=",
            "hw.rank(",
            "hw.curve(",
            "solid_",
            "'f1'",
        )
        return self.kind == "program" and any(f"{word}" in self.text for word in resampled)


@functools.cache
def all_calls() -> tuple[Call, ...]:
    """Every call once, in the order of the files."""
    made: dict[str, Call] = {}
    number = itertools.count(1)
    for kind, file in FILES:
        for block in blocks((HERE / file).read_text(encoding="utf-8")):
            at = 0 if any(kept in block[0] for kept in KEPT) else next(number)
            for text in expanded(block, of_commands=kind == "command"):
                made.setdefault(text, Call(kind, text, at))
    for relation, seed in itertools.product(_relations(), SEEDS):
        text = f"{relation} {seed}"
        made[text] = Call("chain", text, next(number))
    return tuple(made.values())


def _relations() -> list[str]:
    from workflows import RELATIONS

    return list(RELATIONS)


def blocks(text: str) -> Iterator[list[str]]:
    """A line with those indented below it; empty ones and those with # at their start are none."""
    block: list[str] = []
    for line in text.splitlines():
        if not line.startswith(" ") and block:
            yield block
            block = []
        if line.strip() and not line.startswith("#"):
            block.append(line.rstrip())
    if block:
        yield block


def expanded(block: list[str], *, of_commands: bool) -> Iterator[str]:
    """The calls of a block."""
    base, *more = block
    vary = with_options if of_commands else with_keywords
    texts = [base, *(vary(base, line.strip()) for line in more)]
    for text in itertools.chain.from_iterable(map(names_in, texts)):
        if " --format *" in text:
            yield from (text.replace(" --format *", f" --format {form}") for form in FORMATS)
        else:
            yield text


def names_in(text: str) -> Iterator[str]:
    """The text with each name of the lists that stand in it in braces."""
    found = re.search(r"\{([A-Z_]+)\}", text)
    if not found:
        yield text
        return
    for name in lists()[found[1]]:
        yield from names_in(text.replace(found[0], name, 1))


@functools.cache
def lists() -> dict[str, list[str]]:
    """Names that stand for many: those of catalogues as the working tree has them, others here."""
    import halfwidth as hw

    foreign = HERE.parent / "tables" / "importers" / "fixtures"
    return {name: words.split("|") for name, words in WORDS.items()} | {
        "METHODS": list(hw.METHODS.names),
        "STATISTICS": [f"{n}:q=0.7" if "quantile" in n else n for n in hw.STATISTICS.names],
        "METRICS": list(hw.METRICS.names),
        "SAMPLE_METRICS": list(hw.SAMPLE_METRICS.names),
        "DETECTION_METRICS": list(hw.DETECTION_METRICS.names),
        "CAUTIONS": [spec.code for spec in hw.CAUTIONS],
        "FOREIGN": [
            str(path.relative_to(foreign))
            for path in sorted(foreign.rglob("*.*"))
            if path.is_file()
        ],
    }


WORDS = {
    "VERBS": "ci|detect|score|check|compare|rank|gate|runs|convert|report|review|methods|explain"
    "|demo|doctor|plan|plan mean|plan difference|plan quantile|plan proportion|plan auroc"
    "|plan classes|plan calibration|plan pilot|plan runs|plan subsample|study|study init"
    "|study describe|study run|study status|study retry|study collect|study summary|study advise"
    "|study plot",
    "ODD_VALUES": "with_mean|a_percent|constant|spelled|twice|copied|rounded|words|commas|statuses"
    "|ones|worst|imputed|contradicting|counted|distances|folds_of_cases|unequal|not_for_all",
    # A verb each, with what makes its answer short.
    "COMPARING": "compare --json|rank --json|report --no-figures --json --out a.html",
    "READING": "compare --seed 1|rank --seed 1|check|convert|ci --seed 1|report --no-figures "
    "--seed 1",
    "VALUED": "--missing omit|--missing worst --penalty 0|--scale 2 --bounds 0,1|--over clusters "
    "--groups patient|--strata site|--confidence-level 0.9|--method percentile|--pairing common"
    "|--statistic median|--metric mine --better lower --bounds 0,inf|--where site=s0",
    "PREDICTED": "--metric auroc --labels 0,1 --pos-label 1 --scores probabilities"
    "|--metric f1 --threshold 0.4 --undefined zero|--metric auroc --sample-weight weight"
    "|--metric expected_cost --costs 0,1;5,0 --priors 0.9,0.1"
    "|--metric f1 --average macro --absent-class zero",
    "DETECTED": "--metric ap50|--metric ap --localisation ior --assignment hungarian --admits above"
    "|--metric object_ppv --score-threshold 0.3 --max-detections 2"
    "|--metric ap --area small --any-class --duplicates ignored"
    "|--metric ap --classes lesion --unknown-images omit --threshold 0.4"
    "|--metric ap --average micro --absent-class zero"
    "|--metric object_ppv --groups patient --undefined zero|--metric ap --strata patient|--coco",
    "BOXED": "--images images.txt --column image=image --box-format xyxy --box-convention "
    "continuous|--detections-format table --references-format table --excluded truth_boxes.csv",
    "MASKED": "--metric pq --objects components|--metric ap --score-table A=component_scores.csv "
    "--score-table B=component_scores.csv"
    "|--metric object_sensitivity --localisation boundary_iou --boundary-distance 1"
    "|--metric lesionwise_dsc --dilation 1|--metric ap --candidates threshold=0.5,score=max",
    "AVERAGES": "macro|micro|weighted|none",
    "TESTS": "auto|permutation|wilcoxon|mcnemar|none",
    "CORRECTIONS": "holm|bonferroni|benjamini_hochberg",
    "SCHEMES": "aggregate_then_rank|rank_then_aggregate|test_then_rank",
    "RANK_PLOTS": "rank-sets|significance|lines|dots|podium|case-heatmap|heatmap|blob",
    "RANK_FRAMES": "rank_sets.frame|significance.frame|dots.frame|podium.frame|case_heatmap.frame"
    "|blob.frame",
    "RANK_FIGURES": "rank_sets|significance|dots|case_heatmap|heatmap|blob",
    "QUANTILES": "0.05|0.5|0.95",
    "AUC_FORMULAS": "delong_logit|hanley_mcneil",
    "REVIEW_COMPARES": "auto|best|pairs|none",
    "PLUS_MINUS": "sd|sem|halfwidth",
    "LOCALISATIONS": "box_iou|mask_iou|mask_dice|boundary_iou|ior|point_in_box|point_in_mask"
    "|centre_distance|centre_in_radius|centre_in_box|centre_in_mask",
    "ASSIGNMENTS": "greedy_by_score|greedy_by_localisation|hungarian|overlap_above_half",
    "MASK_METRICS": "dsc|iou|cldice|hd|hd95|assd|masd|absolute_volume_error|relative_volume_error"
    "|symmetric_volume_error",
    "PLAIN_MASK_METRICS": "dsc|iou|cldice|relative_volume_error|symmetric_volume_error",
    "OVERLAP_METRICS": "sensitivity|specificity|ppv|f_beta",
    "RATES": "balanced_accuracy|sensitivity|specificity|ppv|npv|f1|f_beta|youden_j|lr_plus",
    "MATRIX_METRICS": "accuracy|mcc|cohen_kappa|expected_cost|normalized_expected_cost",
    "SCORE_METRICS": "auroc|average_precision|average_precision_trapezoid"
    "|average_precision_interpolated",
    "NUMBER_METRICS": "mae|mse|rmse|r2",
    "PLAIN_SUMMARIES": "mean|median|trimmed_mean|sd|iqr",
    "QUANTILE_SUMMARIES": "quantile|sample_quantile|interpolated_quantile|bootstrap_median",
    "SUMMARIES": "coverage|pace|tests|needs|ratios|shifts|failures",
    "STUDY_FRAMES": "basic_shift.frame|characteristics.frame",
    "STUDY_METHOD_FRAMES": "metrics_coverage.frame|sample_needs.frame",
    "STUDY_TARGET_FRAMES": "concentration.frame|coverage_boxes.frame",
}


def with_options(base: str, line: str) -> str:
    """A command with these options in place of those of the same names."""
    given = {word for word in line.split() if word.startswith("-")}
    # The suffix of a file says its format.
    base = base.replace(" --format *", "" if given & {"-o", "--out"} else " --json")
    for name in given:
        base = re.sub(rf" {name}(?: [^-\s]\S*)?(?= |$)", "", base)
    return f"{base} {line}"


def with_keywords(base: str, keywords: str) -> str:
    """A call with these keywords in place of those of the same names."""
    call = ast.parse(base, mode="eval").body
    given = ast.parse(f"f({keywords})", mode="eval").body
    assert isinstance(call, ast.Call)
    assert isinstance(given, ast.Call)
    names = {one.arg for one in given.keywords}
    call.keywords = [one for one in call.keywords if one.arg not in names] + given.keywords
    return ast.unparse(call)
