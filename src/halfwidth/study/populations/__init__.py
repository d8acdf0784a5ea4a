"""Populations: distributions fitted to instances or given by formula, with known true values."""

from halfwidth.study.populations.base import Characteristics, Population, Truth, characterize, truth
from halfwidth.study.populations.empirical import Empirical, ImagePopulation, empirical
from halfwidth.study.populations.fit import FitDiagnostics, fit_diagnostics
from halfwidth.study.populations.kde import AdaptiveKde, adaptive_kde
from halfwidth.study.populations.logits import (
    LogitPopulation,
    logit_empirical,
    logit_kde,
    recalibrated,
    truth_of_metric,
)
from halfwidth.study.populations.mixtures import EXAMPLES, Mixture, mixture
from halfwidth.study.populations.parametric import FAMILIES, Family, Parametric, family

__all__ = [
    "EXAMPLES",
    "FAMILIES",
    "AdaptiveKde",
    "Characteristics",
    "Empirical",
    "Family",
    "FitDiagnostics",
    "ImagePopulation",
    "LogitPopulation",
    "Mixture",
    "Parametric",
    "Population",
    "Truth",
    "adaptive_kde",
    "characterize",
    "empirical",
    "family",
    "fit_diagnostics",
    "logit_empirical",
    "logit_kde",
    "mixture",
    "recalibrated",
    "truth",
    "truth_of_metric",
]
