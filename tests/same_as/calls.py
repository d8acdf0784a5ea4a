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

__all__ = ["Call", "all_calls", "programs"]

HERE = Path(__file__).parent
FILES = (("command", "commands.txt"), ("command", "refused.txt"), ("program", "programs.txt"))
FORMATS = ("table", "json", "csv", "markdown", "latex")
# What each chain of the fuzz of workflows is started with.
SEEDS = (17,)
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


@functools.cache
def programs() -> tuple[str, ...]:
    """Every program, in the order of the file."""
    read = blocks((HERE / "programs.txt").read_text(encoding="utf-8"))
    return tuple(text for block in read for text in expanded(block, of_commands=False))


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
    named = {name: words.split("|") for name, words in WORDS.items()}
    # What is in none of these lists, as a new one, is called in the usual way.
    elsewhere = {word for name in named if name.endswith("_METHODS") for word in named[name]}
    quantiles = {*named["QUANTILE_SUMMARIES"]}
    return named | {
        "METHODS": [name for name in hw.METHODS.names if name not in elsewhere],
        "STATISTICS": [f"{n}:q=0.7" if n in quantiles else n for n in hw.STATISTICS.names],
        "CLASS_METRICS": [
            name
            for name in hw.SAMPLE_METRICS.names
            if name not in {*named["NUMBER_METRICS"], "net_benefit"}
        ],
        "DETECTION_METRICS": [
            name
            for name in hw.DETECTION_METRICS.names
            if not {name, f"{name}:tolerance=2"}
            & {
                *named["OBJECT_METRICS"],
                *named["SPACED_METRICS"],
            }
        ],
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
    "VALUED": "--metric dsc --missing omit --scale 2 --bounds 0,1 --over clusters --groups patient "
    "--confidence-level 0.9 --method percentile --pairing common --statistic median "
    "--where site=s0|--metric dsc --missing worst --penalty 0 --strata site"
    "|--metric mine --better lower --bounds 0,inf",
    "PREDICTED": "--metric auroc --labels 0,1 --pos-label 1 --scores probabilities "
    "--sample-weight weight --average macro --absent-class zero"
    "|--metric f1 --threshold 0.4 --undefined zero"
    "|--metric expected_cost --costs 0,1;5,0 --priors 0.9,0.1",
    "DETECTED": "--metric ap50 --localisation ior --assignment hungarian --admits above "
    "--score-threshold 0.3 --max-detections 2 --area small --any-class --duplicates ignored "
    "--strata patient|--metric ap --classes lesion --unknown-images omit --threshold 0.4 "
    "--average micro --absent-class zero --groups patient --undefined zero --coco",
    "BOXED": "--column image=image --box-format xyxy --box-convention "
    "continuous --detections-format table --references-format table --excluded truth_boxes.csv",
    "MASKED": "--metric pq --objects components --localisation boundary_iou --boundary-distance 1"
    "|--metric ap --score-table A=component_scores.csv --score-table B=component_scores.csv"
    "|--metric lesionwise_dsc --dilation 1 --candidates threshold=0.5,score=max",
    "AVERAGES": "macro|micro|weighted|none",
    "TESTS": "auto|permutation|wilcoxon|none",
    "CORRECTIONS": "holm|bonferroni|benjamini_hochberg",
    "SCHEMES": "aggregate_then_rank|rank_then_aggregate|test_then_rank",
    "RANK_FRAMES": "rank_sets.frame|significance.frame|dots.frame|podium.frame|case_heatmap.frame"
    "|blob.frame",
    "RANK_FIGURES": "rank_sets|significance|dots|case_heatmap|heatmap|blob",
    "AUC_FORMULAS": "delong_logit|hanley_mcneil",
    # Where each method is computed that the mean of values does not have.
    "PROPORTION_METHODS": "wilson|clopper_pearson|jeffreys|agresti_coull|wald",
    "QUANTILE_METHODS": "exact|exact_attained|exact_randomized|asymptotic|semiparametric",
    "AREA_METHODS": "delong_logit_t|delong_logit|delong|newcombe|hanley_mcneil|jackknife_t",
    "SLOPE_METHODS": "model_wald|model_wald_or_t",
    "PAIRED_METHODS": "newcombe_paired|tango",
    "UNPAIRED_METHODS": "newcombe_unpaired|welch|mover|mover_or_welch",
    "RATIO_METHODS": "fieller|percentile_expanded",
    "OTHER_METHODS": "trimmed_t|delta|expected_score|inverted|debiased|inverted_products|delong_t"
    "|joint_inversion|percentile_attained|garwood|dirichlet_expanded",
    "OBJECT_METRICS": "instance_dsc|instance_iou|lesionwise_dsc|pooled_iou|pooled_dsc",
    "SPACED_METRICS": "instance_nsd:tolerance=2|instance_hd95|instance_assd|instance_masd"
    "|lesionwise_nsd:tolerance=2|lesionwise_hd95",
    "LOCALISATIONS": "box_iou|approximate_iou|ior|point_in_box",
    "MASK_LOCALISATIONS": "mask_iou|boundary_iou|ior|point_in_mask",
    "ASSIGNMENTS": "greedy_by_score|greedy_by_localisation|hungarian|overlap_above_half",
    "NUMBER_METRICS": "mae|mse|rmse|r2",
    "QUANTILE_SUMMARIES": "quantile|sample_quantile|interpolated_quantile|bootstrap_median",
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
