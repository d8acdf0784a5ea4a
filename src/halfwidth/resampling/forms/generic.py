"""Statistics without a form: every resample is gathered, and the statistic called on it.

And those of all cases at once that take weights, which need not be gathered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from halfwidth.arithmetic.isotonic import TEMPORARIES
from halfwidth.core.forms import WholeSample
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.core.undefined import studentized_ratio
from halfwidth.document.progress import tracked
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import Engine, Prepared, Shared, declared_form, tie_size
from halfwidth.resampling.kernels import reference
from halfwidth.resampling.linearization import linearized
from halfwidth.resampling.weights.blocks import Block, Pace


@frozen(eq=False)
class GatheredSamples(Prepared):
    """Samples whose cases are gathered, for a statistic that is called on them."""

    values: Array  # (S, n)
    design: Design
    statistic: Statistic

    def pace(self, plan: Plan) -> Pace:
        """A statistic may be slow."""
        return Pace(plan.block_elements // max(self.design.n, len(self.values)), slow=True)

    def evaluate(self, block: Block, into: Array) -> None:
        """The statistic of every resample."""
        into[:] = reference.plain(self.values, self.design, self.statistic, block.indices())


@frozen(eq=False)
class WeighedSamples(Prepared):
    """Samples of records whose statistic takes how often each case is drawn."""

    values: Array  # (S, k, n): probabilities, outcomes and perhaps weights
    design: Design
    form: WholeSample
    parts: list[Callable[[Array], Array]]

    @classmethod
    def prepare(cls, values: Array, design: Design, statistic: Statistic) -> WeighedSamples:
        """The statistic made ready for the probabilities and outcomes of each sample."""
        form = declared_form(statistic, WholeSample)
        return cls(values, design, form, [form.parts(p, y) for p, y, *_ in values])

    def pace(self, plan: Plan) -> Pace:
        """Temporaries take more room than the weights."""
        return Pace(plan.block_elements // (TEMPORARIES * self.design.n))

    def shared(self, _plan: Plan) -> Shared:
        """The parts are those of several metrics."""
        key = ("parts", self.form.parts, self.values.shape)

        def reduce(block: Block) -> tuple[Array]:
            return (np.stack(list(self._parts(block)), axis=1),)

        return Shared(key, [self.values], reduce, self.form.finish)

    def evaluate(self, block: Block, into: Array) -> None:
        """The statistic at all weights of the block together."""
        for row, parts in zip(into, self._parts(block), strict=True):
            row[:] = self.form.finish(parts)

    def _parts(self, block: Block) -> Iterator[Array]:
        """Replicates of each sample, (K, B)."""
        drawn = block.rows()[:, self.design.unit_of_case].astype(float)
        for parts, records in zip(self.parts, self.values, strict=True):
            yield parts(drawn * records[2] if len(records) > 2 else drawn)


def leave_one_out(values: Array, design: Design, statistic: Statistic) -> Array:
    """The statistic of all cases but those of a unit, for each unit."""
    out = np.empty((len(values), design.units))
    each = ((unit, unit + 1) for unit in range(design.units))
    for unit, _ in tracked(each, design.units, "units left out"):
        first, size = design.first_cases[unit], design.unit_sizes[unit]
        out[:, unit] = statistic(np.delete(values, np.s_[first : first + size], axis=-1))
    return out


def studentized(values: Array, design: Design, statistic: Statistic, plan: Plan) -> Array:
    """The statistic and the standard error of every resample."""
    estimate, tolerance = statistic(values), tie_size(values)
    out = np.empty((len(values), plan.n_resamples))
    for start, stop in plan.blocks(design.n):
        draws = plan.indices(design, start, stop)
        for rows, positions, drawn in reference.resamples(design, draws):
            for place, sample in enumerate(values):
                gathered = reference.gather(sample, positions)
                out[place, start:stop][rows] = studentized_ratio(
                    statistic(gathered) - estimate[place],
                    linearized(gathered, drawn, statistic),
                    tolerance[place],
                )
    return out


def seconds(_statistic: Statistic, n: int, _classes: int) -> float:
    """Gathering a resample costs more than the statistic of it."""
    return n * 2e-8


ENGINE = Engine(prepare=GatheredSamples, leave_one_out=leave_one_out, seconds=seconds)
WHOLE_SAMPLES = Engine(prepare=WeighedSamples.prepare, seconds=seconds, paired=True)
