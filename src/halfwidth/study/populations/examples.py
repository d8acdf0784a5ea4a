"""Populations by name, in the manner of the simulations of lehmann2025 (Figure 2).

That figure shows a normal mostly inside the unit interval, a bimodal mixture of normals, a uniform
and three beta distributions (right-skewed, left-skewed, symmetric); its parameters are not in the
text. Those here are ours, and so are the last two populations, for what segmentation metrics look
like.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from halfwidth.study.populations.base import Population
from halfwidth.study.populations.mixtures import mixture
from halfwidth.study.populations.parametric import family


def _two_modes() -> Population:
    parts = [
        family("normal", location=0.3, scale=0.08),
        family("normal", location=0.7, scale=0.08),
    ]
    return mixture(parts, [0.5, 0.5])


def _with_failures() -> Population:
    return mixture([family("beta", a=30, b=3), family("beta", a=1, b=20)], [0.95, 0.05])


EXAMPLES: Mapping[str, Callable[[], Population]] = {
    # Four SDs to either end of the unit interval.
    "normal": partial(family, "normal", location=0.5, scale=0.125),
    "normal_mixture": _two_modes,
    "beta_right": partial(family, "beta", a=2, b=8),
    "beta_left": partial(family, "beta", a=8, b=2),
    "beta_symmetric": partial(family, "beta", a=4, b=4),
    "uniform": partial(family, "uniform", low=0, high=1),
    # A DSC with one failed segmentation in twenty.
    "failures": _with_failures,
    # A surface distance in mm: median 1, with a long tail.
    "distance": partial(family, "lognormal", log_mean=0, log_sd=1),
}
