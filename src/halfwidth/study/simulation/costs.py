"""What cells cost: a rough guess from their shape, and a prediction from a short trial."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Estimand, Need
from halfwidth.resampling.forms.contract import PRODUCT, REPLICATE
from halfwidth.resampling.forms.engines import engine_for
from halfwidth.study.chunks import Chunk
from halfwidth.study.simulation.cells import Cells, simulated
from halfwidth.study.simulation.fitted import fitted

if TYPE_CHECKING:
    from halfwidth.study.simulation.targets import Measured

# Seconds for a sample, whatever is estimated.
PER_SAMPLE = 2e-6
# Samples of the two trials that tell what a batch costs from what a sample does; the second has
# fewer where they would take longer than this.
FEW, MORE, LONGEST = 32, 640, 3.0


def rough_seconds(cells: Cells) -> float:
    """What a chunk costs, to some factor."""
    spec, n = cells.spec, cells.n
    classes = len(cells.instance.classes)
    return sum(
        spec.samples * _sample_seconds(measured, n, spec.resamples, classes)
        for measured in cells.measured
    )


def _sample_seconds(measured: Measured, n: int, resamples: int, classes: int) -> float:
    seconds = PER_SAMPLE + n * 1e-7
    if measured.auto:
        # Most of what it chooses resamples.
        seconds += _replicate_seconds(measured, n, resamples, classes)
    distributions = {method.distribution for method in measured.methods} - {None}
    if Need.DISTRIBUTION in distributions:
        seconds += _replicate_seconds(measured, n, resamples, classes)
    if Need.STUDENTIZED in distributions:
        is_mean = measured.reduce.spec.estimand is Estimand.MEAN
        each = REPLICATE + n * (2 * PRODUCT if is_mean else 2e-8)
        seconds += 0.0 if measured.binary else resamples * each
    return seconds


def _replicate_seconds(measured: Measured, n: int, resamples: int, classes: int) -> float:
    if measured.binary:
        return 5e-6
    return resamples * engine_for(measured.reduce).seconds(measured.reduce, n, classes)


# --------------------------------------------------------------------------- trials


@frozen
class Predicted:
    """What a study is predicted to cost.

    Attributes
    ----------
    seconds : dict
        Of one worker for each chunk, by its name: wall time, as busy as the machine is.
    tried : int
        Chunks that a trial was made of; the others cost what like ones do.
    took : float
        Seconds that the trials took.
    cpu_share : float
        The share of the time of the trials that they had a processor.
    """

    seconds: dict[str, float]
    tried: int
    took: float
    cpu_share: float = 1.0

    @property
    def core_hours(self) -> float:
        """Predicted hours of one worker for all chunks."""
        return sum(self.seconds.values()) / 3600


def predict(chunks: Sequence[Chunk], *, patience: float = 30.0) -> Predicted:
    """Seconds of a worker that chunks take, from short trials on this machine.

    Chunks of a kind (metric, statistics, methods, number of classes) are tried at a few sample
    sizes, with two numbers of samples each: a batch costs a + b·samples. Chunks between two sizes
    that were tried cost what their rough guesses and the nearest trials say. No trial is begun
    after ``patience`` seconds, but the first of each kind.
    """
    begun, begun_cpu = time.perf_counter(), time.thread_time()
    factors: dict[Any, dict[int, float]] = {}
    tried = 0
    for chunk in _representatives(chunks):
        cells: Cells = chunk.payload
        known = factors.setdefault(cost_kind(cells), {})
        # Each kind is tried once, whatever the patience.
        if known and time.perf_counter() - begun > patience:
            continue
        known[cells.n] = _tried(cells) / max(chunk.cost, 1e-12)
        tried += 1
    seconds = {chunk.name: chunk.cost * _factor(factors, chunk.payload) for chunk in chunks}
    took, cpu = time.perf_counter() - begun, time.thread_time() - begun_cpu
    return Predicted(seconds, tried, took, min(1.0, cpu / took) if took > 0 else 1.0)


def cost_kind(cells: Cells) -> tuple[Any, ...]:
    """What chunks have in common whose costs differ by their sample sizes alone."""
    return (
        len(cells.instance.classes),
        *((m.metric if cells.metric else "", m.statistic, m.average) for m in cells.measured),
        *(tuple(method.name for method in m.methods) for m in cells.measured),
    )


def _representatives(chunks: Sequence[Chunk]) -> Iterable[Chunk]:
    """The first chunk of each kind and size; sizes in the order in which they tell most."""
    by_kind: dict[Any, dict[int, Chunk]] = {}
    for chunk in chunks:
        by_kind.setdefault(cost_kind(chunk.payload), {}).setdefault(chunk.payload.n, chunk)
    rounds = max((len(sizes) for sizes in by_kind.values()), default=0)
    for place in range(rounds):
        for sizes in by_kind.values():
            if place < len(sizes):
                yield sizes[_telling(sorted(sizes))[place]]


def _telling(sizes: list[int]) -> list[int]:
    """The largest size first, then the smallest, then halves between."""
    order, gaps = [sizes[-1]], [(0, len(sizes) - 1)]
    if len(sizes) > 1:
        order.append(sizes[0])
    while gaps:
        low, high = gaps.pop(0)
        middle = (low + high) // 2
        if high - low > 1:
            order.append(sizes[middle])
            gaps += [(low, middle), (middle, high)]
    return order


def _tried(cells: Cells) -> float:
    """Seconds of a whole chunk, from two small batches; the fit of the population is left out."""
    spec, population = cells.spec, fitted(cells.instance).population

    def seconds(samples: int) -> float:
        few_samples = replace(spec, samples=samples, batches=1)
        small = replace(cells, spec=few_samples)
        begun = time.perf_counter()
        for measured in small.measured:
            simulated(small, measured, population)
        return time.perf_counter() - begun

    few = min(FEW, spec.samples)
    seconds(few)  # once for what is loaded and compiled
    first = seconds(few)
    more = min(MORE, spec.samples // spec.batches, int(LONGEST / first * few))
    if more <= few:
        return first / few * spec.samples
    second = seconds(more)
    sample_seconds = max((second - first) / (more - few), second / more / 10)
    batch_seconds = max(second - more * sample_seconds, 0.0)
    return spec.batches * batch_seconds + spec.samples * sample_seconds


def _factor(factors: dict[Any, dict[int, float]], cells: Cells) -> float:
    known = factors[cost_kind(cells)]
    sizes = sorted(known)
    return float(np.interp(np.log(cells.n), np.log(sizes), [known[size] for size in sizes]))
