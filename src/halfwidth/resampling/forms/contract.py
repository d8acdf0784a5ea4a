"""What the module of a form offers, and what several of them share."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.forms import TIE_SHARE, Contrast, Form
from halfwidth.core.frozen import frozen
from halfwidth.core.pseudo_cases import PseudoCases
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.class_averages import Classes
from halfwidth.resampling.designs import Design
from halfwidth.resampling.distribution import Distribution, Quantiles
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.linearization import linearized
from halfwidth.resampling.weights.blocks import Block, Pace

if TYPE_CHECKING:
    from halfwidth.resampling.forms.joint_resamples import OfCounts
    from halfwidth.resampling.forms.signed_sums import SignedSums

F = TypeVar("F", bound=Form)

# Seconds for a replicate to be made into bounds, and for one value in a sum of products: what a
# processor of 2.5 GHz takes. They order the chunks of a study, and no result depends on them.
REPLICATE, PRODUCT = 9e-9, 4e-11

OfSamples = Callable[[Array, Design, Statistic], Array]
OfResamples = Callable[[Array, Design, Statistic, Plan], Array]
Distributed = Callable[[Array, Design, Statistic, Plan], Distribution | None]
BothEnds = tuple[Quantiles, Quantiles]
Weighted = Callable[[Array, Design, Statistic, Plan, PseudoCases], BothEnds]
# Two models on the same cases; which units have changed places, (B, U); from that to differences.
Pair = tuple[Array, Array]
Swapped = NDArray[np.uint8]
OfSwaps = Callable[[Swapped], Array]


@frozen(eq=False)
class Shared:
    """What other statistics of the same samples are made of too."""

    key: tuple[Any, ...]  # By which it is known, with the arrays
    arrays: Sequence[NDArray[Any]]
    # `reduce(block)`: arrays whose last axis is that of resamples
    reduce: Callable[[Block], tuple[NDArray[Any], ...]]
    finish: Callable[..., Array]  # `finish(*arrays)`, (S, B)


class Prepared(ABC):
    """Samples made ready for one statistic, and for any weights."""

    @abstractmethod
    def pace(self, plan: Plan) -> Pace:
        """How many resamples to evaluate at once."""

    @abstractmethod
    def evaluate(self, block: Block, into: Array) -> None:
        """The statistic at these weights of units, into (S, B)."""

    def shared(self, _plan: Plan) -> Shared | None:
        """What is kept for other statistics of the same samples: nothing unless a form says so."""
        return None


@frozen(eq=False)
class InPairs:
    """Replicates of models under Dirichlet weights, for one end of an interval of a contrast."""

    # (M, R, B): of each model where it is the first of a pair and where it is the second, which
    # have other pseudo-cases; R is 1, or the classes of an average
    first: Array
    second: Array
    classes: Classes | None = None  # Those of an average


WeightedPairs = Callable[
    [Array, Design, Statistic, Plan, PseudoCases, float], tuple[InPairs, InPairs]
]


def has_influence(statistic: Statistic) -> bool:
    """Whether the statistic declares an influence, which gives a standard error."""
    return statistic.spec.influence is not None


@frozen(kw_only=True)
class Errors:
    """Standard errors of the statistics of one form."""

    # `standard_error(values, design, statistic)`, (S,): from the influence unless a form says how
    standard_error: OfSamples = linearized
    has_standard_error: Callable[[Statistic], bool] = has_influence  # Whether a statistic has one
    # `model_error(values, design, statistic)`, the SE that the likelihood of independent cases
    # gives, (S,); None where there is none
    model_error: OfSamples | None = None
    # `studentized(values, design, statistic, plan)`, t* of each resample, (S, B); None: by
    # gathering every resample
    studentized: OfResamples | None = None
    # `joint(models, design, statistic)`: resamples of several models on the same cases, with their
    # covariances, from counts of draws; None: by gathering every resample
    joint: Callable[[Sequence[Array], Design, Statistic], OfCounts | None] | None = None


@frozen(kw_only=True)
class Dirichlet:
    """Distributions of the statistics of one form under Dirichlet weights."""

    # `both_ends(values, design, statistic, plan, pseudo_cases)`: those of which the lower and the
    # upper end of an interval are quantiles
    both_ends: Weighted
    # `in_pairs(models, design, statistic, plan, pseudo_cases, discordance)`: replicates of models
    # in pairs for the lower and for the upper end
    in_pairs: WeightedPairs | None = None
    # `discordance(models, places, statistic)`: how often a pseudo-pair is bad for the one model and
    # good for the other, for each pair of places among the models; None: as often as of independent
    # models
    discordance: Callable[[Array, NDArray[np.intp], Statistic], Array] | None = None
    known: Callable[[Statistic], bool] = lambda _statistic: True  # Whether they are, of a statistic
    # Whether the pseudo-cases of a statistic lie at the bounds of the metric; else its form knows
    # what the worst and the best case is
    needs_bounds: Callable[[Statistic], bool] = lambda _statistic: True
    # Whether the data may place the pseudo-cases of a statistic
    takes_reach: Callable[[Statistic], bool] = lambda _statistic: False
    # `pairs_that_reach(pairs, design, statistic, plan, pseudo_cases)`: of two models, whose
    # pseudo-pair the data place; None where nothing says how
    pairs_that_reach: Weighted | None = None


@frozen(kw_only=True)
class Permutations:
    """What permutation tests of two models exchange."""

    # `signed_sums(pair, design, statistic)`: the difference between two models on the same cases as
    # a function of sums whose signs swaps choose; None where it is none
    signed_sums: Callable[[Pair, Design, Statistic], SignedSums | None] | None = None
    # `swapping(pair, design, statistic)`: from swaps of units, (B, U), to differences, (B,); None:
    # by the weights of what both models have, or by gathering it
    swapping: Callable[[Pair, Design, Statistic], OfSwaps] | None = None
    # `together(pair, statistic)`: what both models have as one sample, the cases of the first
    # before those of the second and on one scale, (k, 2n), of which swaps leave either model half
    # with the weight 1; None where the statistic must be gathered
    together: Callable[[Pair, Statistic], Array | None] | None = None
    # What swaps exchange, in prose; empty: values, or predictions
    swapped_text: Callable[[Statistic], str] = lambda _statistic: ""
    # `unpaired_scale(sample, statistic)`: the sample on a scale on which cases of two models may be
    # mixed
    unpaired_scale: Callable[[Array, Statistic], Array] = lambda sample, _statistic: sample
    # `true_classes(sample, statistic)`: within which cases of two models are mixed, (n,); None: all
    # of them
    true_classes: Callable[[Array, Statistic], NDArray[np.intp] | None] = lambda _sample, _: None


@frozen(kw_only=True)
class Engine:
    """What resampling does with samples of one form, (S, n) or (S, k, n), in canonical order."""

    # `prepare(values, design, statistic)`: samples made ready, once, for any weights
    prepare: Callable[[Array, Design, Statistic], Prepared]
    most_values: int | None = None  # Values of samples that are made ready together; None: all
    # `leave_one_out(values, design, statistic)`, the statistic without each unit, (S, U); None: as
    # resamples that lack a unit
    leave_one_out: OfSamples | None = None
    # `exact_distribution(values, design, statistic, plan)`: the bootstrap distribution where it is
    # known without a draw, else None. `plan.convolves` says whether to work out one that could be
    # drawn as well.
    exact_distribution: Distributed | None = None
    # `drawn_distribution(values, design, statistic, plan)`, where there is a shorter way than to
    # sort replicates, else None
    drawn_distribution: Distributed | None = None
    errors: Errors = Errors()
    dirichlet: Dirichlet | None = None
    permutations: Permutations = Permutations()
    # `seconds(statistic, n, classes)`, roughly, for a replicate in a large batch
    seconds: Callable[[Statistic, int, int], float]
    # `support(n)`: elements of an exact distribution of one sample
    support: Callable[[int], int] = lambda _n: 0
    bounded: bool = False  # Whether a statistic of records is at most about 1 in size
    paired: bool = False  # Whether a case has several values, which must stay together
    # Whether cases of a statistic have weights of their own among these values
    weighs_cases: Callable[[Statistic], bool] = lambda _statistic: False


def declared_form(statistic: Statistic, kind: type[F]) -> F:
    """The form of a statistic, which must be of this kind."""
    form = statistic.spec.form
    if not isinstance(form, kind):
        raise TypeError(f"{statistic.spec.name} has not the form {kind.__name__}")
    return form


def tie_size(values: Array) -> Array:
    """Differences of a statistic of the values below this are rounding, (S, ...) -> (S,)."""
    return np.asarray(TIE_SHARE * np.abs(values).max(axis=tuple(range(1, values.ndim))))


# --------------------------------------------------------------------------- two models


def single_model(statistic: Statistic) -> Statistic:
    """The statistic of which it is a difference or a ratio."""
    return Statistic(declared_form(statistic, Contrast).statistic, statistic.parameters)


def distinct_models(pairs: Array) -> tuple[Array, NDArray[np.intp]]:
    """The models that make up some pairs, each once: (S, 2, ..., n) -> (M, ..., n), (S, 2).

    >>> models, places = distinct_models(np.array([[[1.0, 2.0], [3.0, 4.0]], [[3, 4], [5, 6]]]))
    >>> len(models), places.tolist()
    (3, [[0, 1], [1, 2]])
    """
    known: dict[bytes, int] = {}
    places = np.empty(pairs.shape[:2], dtype=np.intp)
    firsts = []
    for place in np.ndindex(*places.shape):
        digest = hashlib.blake2b(np.ascontiguousarray(pairs[place]).data).digest()
        if digest not in known:
            firsts.append(place)
        places[place] = known.setdefault(digest, len(known))
    return np.stack([pairs[place] for place in firsts]), places
