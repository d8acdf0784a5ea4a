"""What a paper takes over: a paragraph, and the table in LaTeX."""

from __future__ import annotations

import math
from collections.abc import Sequence

from halfwidth import __version__
from halfwidth.core.formatting import as_beginning, percent
from halfwidth.core.forms import NO_EFFECT, Contrast
from halfwidth.core.references import cite
from halfwidth.core.spec import MethodSpec
from halfwidth.core.titles import IF_UNSEEN
from halfwidth.core.undefined import MISSING_POLICIES
from halfwidth.document.parts import Document, Excerpt, Heading, Kind, Part, Section, Table
from halfwidth.document.render.latex import render_latex
from halfwidth.estimation.choose import if_unseen_failures
from halfwidth.reports.results import Results
from halfwidth.reports.sentences import difference_sentences, estimate_sentences, span
from halfwidth.results.comparison_words import CORRECTIONS
from halfwidth.results.documents.comparison_tables import comparisons_table
from halfwidth.results.documents.estimates import estimates_table, rule_text
from halfwidth.results.estimate import Estimate
from halfwidth.results.ranking_words import listed

# What each policy is in a sentence.
POLICIES: dict[str, str] = dict(
    zip(
        MISSING_POLICIES,
        ("were not allowed", "were left out", "count as the worst value"),
        strict=True,
    )
)
# What intervals make of each design.
DESIGNS = {
    "clustered": "Intervals allow for cases of one cluster being alike",
    "stratified": "Intervals take the sizes of the strata as fixed",
    "clustered within strata": (
        "Intervals allow for cases of one cluster being alike, and take the sizes of the strata "
        "as fixed"
    ),
}
# Whose random weights Dirichlet intervals rest on.
WEIGHTS = "rubin1981"
LEVELS = {"two-sided": "confidence intervals", "lower": "lower confidence bounds"}
LEVELS["upper"] = "upper confidence bounds"


def for_the_paper(results: Results) -> Section:
    """A paragraph of methods and results to copy, and the tables."""
    parts: list[Part] = [Heading("Methods"), Excerpt(methods_paragraph(results))]
    paragraph = results_paragraph(results)
    parts += [Heading("Results"), Excerpt(paragraph)] if paragraph else []
    tables = _tables(results)
    if tables:
        source = Excerpt(render_latex(Document(tables)), "latex")
        # By its name the style leaves it out in print, where nothing can be copied.
        parts.append(Section("Tables in LaTeX", (source,), "latex-tables"))
    return Section("For the paper", tuple(parts))


# --------------------------------------------------------------------------- methods


def methods_paragraph(results: Results) -> str:
    """How the intervals were made: methods with their sources, units, seed, program."""
    texts = [
        *_intervals(results),
        *rule_text(results.every_estimate),
        *_laws(results),
        *_matching(results),
        *_design(results),
        *resampling(results),
        *tests(results),
        *margins(results),
        *_ranks(results),
        *_bands(results),
        *missing_values(results),
    ]
    return " ".join(f"{text}." for text in texts)


def _subjects(results: Results) -> list[tuple[Estimate, str]]:
    """Each estimate on the page with what it is of, in prose."""
    subjects = [(one, one.subject) for one in results.estimates]
    subjects += [(item.estimate, item.effect_of_subject) for item in results.comparisons or ()]
    subjects += [(goal.estimate, goal.estimate.subject) for goal in results.goals]
    return subjects


def _intervals(results: Results) -> list[str]:
    """Which interval was computed by which method."""
    by_level: dict[str, dict[str, dict[str, None]]] = {}
    for one, subject in _subjects(results):
        level = f"{percent(one.confidence_level)} {LEVELS[one.alternative]}"
        by_level.setdefault(level, {}).setdefault(_method(one), {})[subject] = None
    said = []
    for level, by_method in by_level.items():
        ways = [f"{method} for {listed(list(of))}" for method, of in by_method.items()]
        methods = f"method{'' if len(ways) == 1 else 's'}: {'; '.join(ways)}"
        said.append(
            f"{as_beginning(level)} were computed with halfwidth {__version__} by the following "
            f"{methods}"
        )
    return said


def _method(e: Estimate) -> str:
    """The method in prose with its source: ``BCa bootstrap (Efron 1987)``."""
    key = e.method_spec.cite
    # Of random weights the interval is one of several; which one is stated by itself.
    return e.method_title if key in ("", WEIGHTS) else f"{e.method_title} ({cite(key).in_prose})"


def _laws(results: Results) -> list[str]:
    """How intervals that no citation describes are made, each law once."""
    laws: dict[str, dict[str, dict[str, None]]] = {}
    further: dict[str, dict[str, None]] = {}
    units: dict[str, None] = {}
    for one, subject in _subjects(results):
        own = one.method_spec.of_each or one.method_spec
        methods = {own.title: own}
        statistic, bounds = one.statistic_spec.spec, one.metric_spec.spec.bounds
        other = if_unseen_failures(own, statistic, bounds)
        if other is not None and one.unseen_failures_matter:
            methods[f"Intervals {IF_UNSEEN} ({other.title})"] = other
        unit = one.case_noun if one.n_groups is None else "cluster"
        for title, method in methods.items():
            if stated := _stated(method, one, unit):
                laws.setdefault(title, {}).setdefault(stated[0], {})[subject] = None
                further.setdefault(title, {}).update(dict.fromkeys(stated[1:]))
                units[unit] = None
    if not laws:
        return []
    unit = " or ".join(units)
    weights = (
        "Ends of Dirichlet intervals are quantiles of the statistic under weights as in the "
        f"Bayesian bootstrap ({cite(WEIGHTS).in_prose}), each end by itself: Dirichlet(1, ..., 1, "
        f"a), 1 for each {unit} and a for a pseudo-{unit} that was not seen"
    )
    texts = [weights]
    for title, by_law in laws.items():
        several = len(by_law) > 1
        for law, of in by_law.items():
            texts.append(f"{title}{f' for {listed(list(of))}' if several else ''}: {law}")
        texts += further[title]
    return texts


def _stated(method: MethodSpec, e: Estimate, unit: str) -> tuple[str, ...]:
    """What the method does with such an estimate; empty where its citation says it."""
    if method.stated is None or method.pseudo_cases is None:
        return ()
    statistic, paired = e.statistic_spec.spec, not e.n_each
    if e.n_each and isinstance(statistic.form, Contrast):
        statistic = statistic.form.statistic
    pseudo_cases = method.pseudo_cases(
        e.metric_spec.spec.bounds,
        paired=paired and statistic.pair_bounds is not None,
        spread=statistic.is_spread,
        **dict(method.bound),
    )
    return method.stated(pseudo_cases, statistic, min(e.n_each or (e.n_groups or e.n,)), unit)


def _matching(results: Results) -> list[str]:
    ways = dict.fromkeys(e.matched_by for e in results.estimates)
    return [f"Detections were matched by {way}" for way in ways if way]


def _design(results: Results) -> list[str]:
    designs = dict.fromkeys(e.design for e in results.every_estimate)
    return [DESIGNS[one] for one in designs if one in DESIGNS]


def resampling(results: Results) -> list[str]:
    """What was drawn, for what, from which seed."""
    drawn: dict[str, dict[str, None]] = {}
    for one, subject in _subjects(results):
        if one.n_resamples:
            how = f"{one.n_resamples} resamples were drawn (seed {one.seed})"
            drawn.setdefault(how, {})[subject] = None
    texts = [f"{how} for {listed(list(of))}" for how, of in drawn.items()]
    permuted = {
        (item.test.n_resamples, item.estimate.seed)
        for item in results.comparisons or ()
        if item.test and item.test.n_resamples
    }
    texts += [f"P-values rest on {count} permutations (seed {seed})" for count, seed in permuted]
    draws = {(one.n_resamples, one.seed) for one in results.rankings_of_many}
    texts += [f"Ranks rest on {count} resamples (seed {seed})" for count, seed in sorted(draws)]
    return texts


def tests(results: Results) -> list[str]:
    """What p values are, which other tests stand beside them, and what allows for their number."""
    compared = [one for one in results.comparisons or () if not math.isnan(one.p_value)]
    texts = []
    for correction, count in dict.fromkeys((one.correction, one.n_comparisons) for one in compared):
        how = ""
        if correction:
            how = f", adjusted for {count} comparisons by {CORRECTIONS[correction]}"
        elif len(compared) > 1:
            how = ", not adjusted for multiple comparisons"
        null = NO_EFFECT[compared[0].effect]
        least = f"the least alpha at which an interval excludes {null:g}"
        texts.append(f"P values are two-sided, {least}{how}")
    each = [one.test for one in results.comparisons or () if one.test]
    for title, correction in dict.fromkeys((test.title, test.correction) for test in each):
        adjusted = f", adjusted by {CORRECTIONS[correction]}" if correction else ""
        texts.append(f"Beside them stand those of another test ({title}{adjusted})")
    held = [one for one in results.comparisons or () if one.verdict and one.verdict.simultaneous]
    together = [one.simultaneous for one in held if one.simultaneous]
    for title, count in dict.fromkeys((one.title, one.n_comparisons) for one in together):
        ends = f"intervals of {count} comparisons that hold at once ({title})"
        texts.append(f"Verdicts agree with simultaneous {ends}")
    return texts


def margins(results: Results) -> list[str]:
    """The largest loss that would not matter, where one was named."""
    items = [one for one in results.comparisons or () if one.verdict and one.verdict.margin]
    margins = dict.fromkeys(
        f"{one.verdict.margin:g}{f' {one.metric_spec.unit}' if one.metric_spec.unit else ''}"
        for one in items
        if one.verdict
    )
    return [f"The margin of non-inferiority is {listed(list(margins))}"] if margins else []


def _ranks(results: Results) -> list[str]:
    subjects = dict.fromkeys(one.subject for one in results.rankings_of_many)
    if not subjects:
        return []
    level = percent(results.rankings_of_many[0].confidence_level)
    of = listed(list(subjects))
    sets = f"the {level} confidence sets of the ranks ({cite('mogstad2024').in_prose})"
    return [f"Models are ranked by {of}; {sets} hold for all models of a ranking at once"]


def _bands(results: Results) -> list[str]:
    counts: set[int] = set()
    texts = []
    for curve in (curve for curves in results.curves for curve in curves):
        if curve.kind == "calibration":
            texts.append(
                "Calibration curves are logistic regressions on restricted cubic splines of the "
                "logit with four knots; their bands are pointwise Wald intervals on the logit scale"
            )
        elif curve.kind == "reliability":
            texts.append(
                "Isotonic calibration curves have the pointwise band of "
                f"{curve.n_resamples} samples of outcomes drawn from the predicted probabilities"
            )
        elif curve.kind == "reliability-bins":
            texts.append("Bars of calibration in bins are Clopper-Pearson intervals")
        elif curve.n_resamples is not None:
            counts.add(curve.n_resamples)
    if counts:
        of = listed([str(count) for count in sorted(counts)])
        texts.append(
            f"Bands of curves are pointwise percentile bootstrap intervals of {of} resamples"
        )
    return list(dict.fromkeys(texts))


def missing_values(results: Results) -> list[str]:
    """What was made of how many missing values, by each policy."""
    lacking = [e for e in results.every_estimate if e.n_missing]
    policies = dict.fromkeys(e.missing for e in lacking)
    texts = []
    for policy in policies:
        counts = span(e.n_missing for e in lacking if e.missing == policy)
        texts.append(f"Missing values {POLICIES.get(policy, policy)} ({counts} per estimate)")
    return texts


# --------------------------------------------------------------------------- results


def results_paragraph(results: Results) -> str:
    """The sentences of the estimates, of the comparisons and of the rankings."""
    texts: Sequence[str] = [
        *estimate_sentences(results),
        *difference_sentences(results),
        *(goal.sentence for goal in results.goals),
        *results.ranking_sentences,
    ]
    return " ".join(texts)


def _tables(results: Results) -> tuple[Table, ...]:
    """Without codes of cautions, which stand in the text of a paper."""
    tables = []
    if results.estimates:
        tables.append(estimates_table(results.estimates, titles=True))
    if results.comparisons:
        tables.append(comparisons_table(results.comparisons))
    return tuple(table.without(Kind.CAUTIONS) for table in tables)
