"""``halfwidth study describe``: what the instances of a study are like."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from halfwidth.cli.answer import Answer
from halfwidth.cli.option_groups import argument, option, switch
from halfwidth.cli.options import FormatOfStdout, Jobs, Json, Seed, resolve_format
from halfwidth.core.errors import OptionError
from halfwidth.core.option_table.option import Group
from halfwidth.core.rng import resolve_seed
from halfwidth.study.analysis.description import characteristics, characteristics_summary
from halfwidth.study.analysis.rejections import family_fits, family_rejections
from halfwidth.study.reports import describe as report
from halfwidth.study.reports.describe import fits_document, rejections_document
from halfwidth.study.studies import plan

if TYPE_CHECKING:
    from halfwidth.document.parts import Document


def describe(
    spec: Annotated[Path, argument("The spec of the study, a TOML file.", "SPEC")],
    instances: Annotated[
        bool,
        switch("--instances", "A row for each instance, not quartiles over them.", Group.ESTIMATE),
    ] = False,
    families: Annotated[
        bool,
        switch(
            "--families",
            "How many instances reject normal, beta, gamma and other families.",
            Group.ESTIMATE,
        ),
    ] = False,
    family: Annotated[
        str | None,
        option(
            "Only these: normal, t, skewnormal, lognormal, logistic, exponential, chi2, beta, "
            "gamma, pareto, weibull.",
            "NAME,...",
            Group.ESTIMATE,
        ),
    ] = None,
    tests: Annotated[
        int | None,
        option(
            "Tests among which the 5 % are shared (Bonferroni); default: the instances of a "
            "metric.",
            "K",
            Group.ESTIMATE,
        ),
    ] = None,
    lilliefors: Annotated[
        int | None,
        option(
            "Also p by parametric bootstrap of N draws, each fitted again; t and skewnormal "
            "take long.",
            "N",
            Group.ESTIMATE,
        ),
    ] = None,
    jobs: Jobs = 1,
    seed: Seed = None,
    fmt: FormatOfStdout = None,
    json: Json = False,
) -> Answer:
    """Location, spread, shape, outliers and classes of the instances, before anything is simulated.

    With --families the share of instances that a Kolmogorov-Smirnov test says are of no such
    distribution.

    \b
    halfwidth study describe study.toml
    halfwidth study describe study.toml --instances --format csv > instances.csv
    halfwidth study describe study.toml --families --family normal \\
        --lilliefors 1999 --seed 1 --jobs -1
    """
    chosen = resolve_format(fmt, json)
    if families:
        document = _families(spec, family, tests, lilliefors, jobs, seed, each=instances)
        return Answer(document, chosen)
    options_of_families = {
        "--family": family,
        "--tests": tests,
        "--lilliefors": lilliefors,
        "--seed": seed,
    }
    for flag, value in options_of_families.items():
        if value is not None:
            raise OptionError(f"{flag} needs --families")

    frame = characteristics(plan(spec))
    if instances:
        return Answer(report.characteristics_document(frame), chosen)
    return Answer(report.characteristics_summary_document(characteristics_summary(frame)), chosen)


def _families(
    spec: Path,
    family: str | None,
    tests: int | None,
    lilliefors: int | None,
    jobs: int,
    seed: int | None,
    *,
    each: bool,
) -> Document:
    """Which families are rejected, or all fits."""
    names = None if family is None else [part.strip() for part in family.split(",")]
    if seed is not None and lilliefors is None:
        raise OptionError("--seed needs --lilliefors N, whose draws it repeats")
    entropy = resolve_seed(seed)
    planned = plan(spec)
    if each:
        if tests is not None:
            raise OptionError("--tests has no effect with --instances, which shows every p")
        fits = family_fits(planned, names, lilliefors=lilliefors, rng=entropy, jobs=jobs)
        return fits_document(fits, entropy)
    rejections = family_rejections(
        planned, names, tests=tests, lilliefors=lilliefors, rng=entropy, jobs=jobs
    )
    return rejections_document(rejections, entropy)
