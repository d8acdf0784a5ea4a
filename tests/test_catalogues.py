"""Nothing is listed twice: catalogues, modules and references agree."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
from collections import Counter
from types import ModuleType
from typing import Any

import pytest

import halfwidth as hw
from halfwidth import comparison, intervals, metrics, summaries
from halfwidth.core.branches import BRANCHES
from halfwidth.core.references import references
from halfwidth.core.spec import Estimand, Metric, MetricLevel, Takes, spec_of

CATALOGUES: list[tuple[Any, ModuleType]] = [
    (hw.METRICS, metrics),
    (hw.SAMPLE_METRICS, metrics),
    (hw.DETECTION_METRICS, metrics),
    (hw.STATISTICS, summaries),
    (hw.METHODS, intervals),
]


def modules_of(package: ModuleType) -> list[ModuleType]:
    infos = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    return [importlib.import_module(info.name) for info in infos]


BRANCH_PACKAGES = [importlib.import_module(f"halfwidth.{name}") for name in BRANCHES]


def in_branches(package: ModuleType) -> list[ModuleType]:
    """The modules of the folder that is called so in each branch."""
    folder = f".{package.__name__.rpartition('.')[2]}"
    return [
        module
        for branch in BRANCH_PACKAGES
        for module in modules_of(branch)
        if module.__name__.removeprefix(branch.__name__).startswith(folder)
    ]


def is_listed_by(catalogue: Any, spec: Any) -> bool:
    """Whether a spec is of the kind that a catalogue is for."""
    if not isinstance(spec, hw.MetricSpec):
        return True
    if spec.takes is Takes.MATCHES:
        return catalogue is hw.DETECTION_METRICS
    of_sets = spec.level is MetricLevel.SAMPLE
    return catalogue is (hw.SAMPLE_METRICS if of_sets else hw.METRICS)


def declared_in(package: ModuleType, catalogue: Any) -> dict[str, Any]:
    """Decorated functions, and metric specs that have no function yet, by name."""
    found: dict[str, Any] = {}
    for module in [*modules_of(package), *in_branches(package)]:
        for value in vars(module).values():
            own = inspect.isfunction(value) and value.__module__ == module.__name__
            spec = value if isinstance(value, hw.MetricSpec) else spec_of(value) if own else None
            if spec is not None and is_listed_by(catalogue, spec):
                found[spec.name] = spec
    return found


@pytest.mark.parametrize(("catalogue", "package"), CATALOGUES, ids=lambda v: getattr(v, "kind", ""))
def test_a_catalogue_lists_what_is_declared(catalogue: Any, package: ModuleType) -> None:
    assert {spec.name: spec for spec in catalogue} == declared_in(package, catalogue)


@pytest.mark.parametrize(("catalogue", "package"), CATALOGUES, ids=lambda v: getattr(v, "kind", ""))
def test_a_package_exports_its_declared_functions(catalogue: Any, package: ModuleType) -> None:
    assert len(catalogue)
    declared = declared_in(package, catalogue).items()
    functions = {name for name, spec in declared if getattr(spec, "function", None)}
    if package is not metrics:
        assert set(package.__all__) == functions
    assert functions <= set(package.__all__)


@pytest.mark.parametrize(("catalogue", "package"), CATALOGUES, ids=lambda v: getattr(v, "kind", ""))
def test_a_package_has_what_it_exports(catalogue: Any, package: ModuleType) -> None:
    assert {getattr(package, spec.name).__name__ for spec in catalogue} == set(catalogue.names)


@pytest.mark.parametrize(("catalogue", "package"), CATALOGUES, ids=lambda v: getattr(v, "kind", ""))
def test_names_and_synonyms_are_unique(catalogue: Any, package: ModuleType) -> None:
    assert package.__doc__
    names = [name for spec in catalogue for name in (spec.name, *spec.synonyms)]
    assert [name for name, count in Counter(names).items() if count > 1] == []


@pytest.mark.parametrize("package", [metrics, intervals, summaries])
def test_a_file_of_a_family_exports_what_it_declares(package: ModuleType) -> None:
    """What the file of a metric, statistic or method names twice: for the catalogue, and users."""
    for module in modules_of(package):
        if hasattr(module, "__all__") and (declared := getattr(module, "DECLARED", ())):
            functions = [one for one in declared if inspect.isfunction(one)]
            own = {one.__name__ for one in functions if one.__module__ == module.__name__}
            assert own - {*module.__all__} == set(), f"{module.__name__}: DECLARED, not in __all__"


def test_parameters_of_metrics_and_statistics_never_clash() -> None:
    of_metrics = {parameter.name for spec in hw.METRICS for parameter in spec.parameters}
    of_statistics = {parameter.name for spec in hw.STATISTICS for parameter in spec.parameters}
    assert of_metrics & of_statistics == set()


def test_every_citation_has_a_reference_and_every_reference_is_cited() -> None:
    cited = {spec.cite for catalogue, _ in CATALOGUES for spec in catalogue if spec.cite}
    cited |= {spec.source for spec in hw.CAUTIONS if spec.source}
    assert cited <= set(references())
    source = "".join(
        inspect.getsource(module)
        for package in (hw.core, comparison, intervals, summaries, metrics, *BRANCH_PACKAGES)
        for module in modules_of(package)
        if not module.__name__.endswith("references")
    )
    # Cited in prose, by the authors' names, where the algorithm stands.
    named = {
        *("salmon2011", "marsaglia_tsang2000", "tukey1977", "cochran1977"),
        *("brackett_rozinsky_lemire2024", "korn_graubard1998"),
        *("fawcett2006", "obuchowski1997", "pepe2003", "sun_xu2014"),
        *("bamber1975", "eljurdi2023", "kupper_hafner1989", "owen1956"),
        *("lorensen_cline1987", "epanechnikov1969", "mori1994", "wilcox2012"),
        *("hall2013", "nakagawa_schielzeth2013", "phipson_smyth2010"),
        *("lilliefors1967", "mcclish1989", "kish1965", "satterthwaite1946"),
        *("holm1979", "benjamini_hochberg1995", "janssen1997"),
        *("bland1999", "bland2007", "carkeet2015", "williams1976"),
        *("romano_wolf2005", "mogstad2024", "besag1995", "sethuraman1994"),
        *("gil_pelaez1951", "imhof1961", "learned_miller_thomas2019"),
        *("brocker2007", "hartung2001", "miller1993", "riley2024", "viechtbauer2005"),
        *("donner_zou2012", "yang2012", "setio2017", "ehteshami_bejnordi2017", "beran1988"),
    }
    assert {key for key in references() if key not in cited and key not in source} <= named


def test_examples_of_means_of_masks_hold() -> None:
    """Those of functions that are made, not written, and so no examples of a module."""
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner(verbose=False)
    made = [
        one for one in hw.DETECTION_METRICS if one.name.startswith(("instance_", "lesionwise_"))
    ]
    for spec in made:
        (example,) = finder.find(spec.function, module=False, globs={spec.name: spec.function})
        runner.run(example)
    assert runner.summarize(verbose=False) == (0, len(made))


def test_cautions_named_by_methods_exist() -> None:
    codes = {spec.code for spec in hw.CAUTIONS}
    assert len(codes) == len(hw.CAUTIONS)
    assert {code for method in hw.METHODS for code in method.cautions} <= codes


def test_a_metric_without_a_function_says_so() -> None:
    assert Metric(hw.METRICS["dsc"]).function is metrics.dsc
    with pytest.raises(TypeError, match="lesions is not computed: its values arrive ready-made"):
        _ = Metric(hw.MetricSpec("lesions")).function


def test_every_estimand_has_a_method() -> None:
    assert frozenset().union(*(method.accepts for method in hw.METHODS)) == frozenset(Estimand)


def test_the_public_index_is_what_it_says() -> None:
    for name in hw.__all__:
        assert getattr(hw, name) is not None
    assert set(hw.__all__) <= set(dir(hw))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        hw.nonsense  # noqa: B018
