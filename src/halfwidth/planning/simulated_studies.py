"""Studies simulated from a pilot: the widths of their intervals."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from halfwidth.core import rng as randomness
from halfwidth.core.checks import as_count, plain_text
from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import Estimand, MethodSpec, Statistic
from halfwidth.core.types import Array
from halfwidth.document.progress import tracked
from halfwidth.estimation.check import Sample, check_sample
from halfwidth.estimation.choose import choose
from halfwidth.estimation.records import Records
from halfwidth.estimation.resolve import (
    RULE,
    Request,
    check_accepts,
    resolve_metric,
    resolve_request,
    resolve_statistic,
)
from halfwidth.intervals.compute import intervals
from halfwidth.intervals.quantile import exact as exact_method
from halfwidth.intervals.ranks import minimum_n
from halfwidth.planning.reliability import quantity_text, reliability_requirement
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.results.sample_size import Requirement, SampleSize, Simulated

# The limit for memory and time of a thousand studies.
MOST_CASES = 20_000
# Cases of all studies are drawn so many at a time: the first n of a study stay the same for
# larger n, so that widths are compared on the same cases.
COLUMNS = 64
# Studies of a batch share one block of bootstrap draws, which correlates their widths.
BATCHES, MOST_SAMPLES = 50, 10**6
# Factor by which the search widens its bracket, and where it does not even start.
STEP, FAR_BEYOND = 1.25, 4
# Points of a curve are at least this factor apart.
APART = 1.1
# A pilot of fewer cases says little about spread and tails.
SMALL_PILOT = 25


@frozen
class Studies:
    """Studies simulated from a pilot, and the widths of their intervals."""

    # The pilot.
    sample: Sample
    statistic: Statistic
    request: Request
    # Studies at each n.
    samples: int
    label: str
    # Computed widths by n, a row per batch; NaN if a study has no interval.
    widths: dict[int, Array]
    # When planning began, by `time.monotonic`: one n is soon done, the search for it is not.
    begun: float

    @property
    def quantity(self) -> str:
        """The estimated quantity in words."""
        proportion = self.sample.binary and self.statistic.spec.estimand is Estimand.MEAN
        return "proportion" if proportion else quantity_text(self.statistic, self.sample.metric)

    @property
    def needs(self) -> tuple[Requirement, ...]:
        """The requirements other than the width."""
        requirements = [reliability_requirement(self.sample.metric, self.statistic, self.quantity)]
        method = self.request.method
        if method is not None and method.name == exact_method.__name__:
            n = minimum_n(self.statistic.quantile_level, self.request.level)
            requirements.append(Requirement("an exact interval", n, "qⁿ + (1 - q)ⁿ ≤ α"))
        return tuple(requirements)

    def smallest_n(self, wanted: float, share: float) -> int:
        """The smallest n at which the share of studies with a narrow enough interval is reached."""
        # Bracket a first guess, then bisect.
        high = self._guess(wanted, share)
        if self.share_reached(high, wanted) >= share:
            low = max(2, int(high / STEP))
            while low < high and self.share_reached(low, wanted) >= share:
                low, high = max(2, int(low / STEP)), low
        else:
            low = high
            while self.share_reached(high, wanted) < share:
                if high >= MOST_CASES:
                    raise self._unreachable_width(wanted, share)
                low, high = high, min(math.ceil(STEP * high), MOST_CASES)
        while low < high:
            middle = (low + high) // 2
            if self.share_reached(middle, wanted) >= share:
                high = middle
            else:
                low = middle + 1
        return high

    def _guess(self, wanted: float, share: float) -> int:
        """The n at which widths that fall with √n would be narrow enough."""
        start = min(max(len(self.sample.values), 10), 200)
        share_reached = _quantile(self.widths_at(start), share)
        if math.isnan(share_reached):
            return start
        guess = start * (share_reached / wanted) ** 2
        if guess > FAR_BEYOND * MOST_CASES:
            raise self._unreachable_width(wanted, share)
        return int(min(max(guess, 2), MOST_CASES))

    def _unreachable_width(self, wanted: float, share: float) -> OptionError:
        return OptionError(
            f"no n up to {MOST_CASES} gives {share:.3g} of the studies an interval of the "
            f"{self.quantity} no wider than {wanted:g}; ask for a wider one"
        )

    def share_reached(self, n: int, wanted: float) -> float:
        """The share of studies of n cases whose interval is no wider than wanted."""
        return float(self._shares_reached(n, wanted).mean())

    def share_error(self, n: int, wanted: float) -> float:
        """The Monte-Carlo standard error of this share, from its spread over batches."""
        shares = self._shares_reached(n, wanted)
        return float(shares.std(ddof=1) / math.sqrt(len(shares)))

    def _shares_reached(self, n: int, wanted: float) -> Array:
        """The share within each batch."""
        widths = self.widths_at(n)
        # An interval of width 0 comes from equal values; it says nothing and counts as missing.
        return np.asarray(((widths > 0) & (widths <= wanted)).mean(axis=1))

    def widths_at(self, n: int) -> Array:
        """The widths of studies of n cases, shape (batches, studies of a batch)."""
        if n not in self.widths:
            each = self.samples // BATCHES
            studies = ((start, start + each) for start in range(0, self.samples, each))
            followed = tracked(studies, self.samples, f"studies of {n} cases", since=self.begun)
            self.widths[n] = np.stack([self._batch(n, *some) for some in followed])
        return self.widths[n]

    def _batch(self, n: int, start: int, stop: int) -> Array:
        values, sample, method = self.sample.values, self.sample, self._method(n)
        if method.level_attained(n, self.statistic, self.request.level) != self.request.level:
            # So few cases have no interval of the level that a width is wanted at.
            return np.full(stop - start, np.nan)
        drawn = values[self._cases(n, start, stop)]
        batch = start // (stop - start)
        # Fresh draws for each batch, so that no single block of draws decides.
        entropy = randomness.derive_key(self.request.seed, "pilot", n, batch).value
        (computed,) = intervals(
            drawn,
            self.statistic,
            [method],
            self.request.level,
            bounds=sample.metric.spec.bounds,
            plan=Plan(entropy, self.request.n_resamples, kept={}, own_uniforms=True),
            binary=sample.binary,
            clip=self.request.method is None,
            errors=False,
        )
        return np.asarray(computed.interval.high - computed.interval.low)

    def _cases(self, n: int, start: int, stop: int) -> np.ndarray[Any, Any]:
        """Indices into the pilot of the cases of each study."""
        blocks = [
            randomness.indices(
                randomness.derive_key(self.request.seed, "pilot cases", block),
                start,
                stop,
                COLUMNS,
                len(self.sample.values),
            )
            for block in range(-(-n // COLUMNS))
        ]
        return np.concatenate(blocks, axis=1)[:, :n]

    def _method(self, n: int) -> MethodSpec:
        """The given method, or what ``auto`` would choose for n such cases."""
        if self.request.method is not None:
            return self.request.method
        values = self.sample.values
        resized = values[np.linspace(0, len(values) - 1, n).round().astype(int)]
        return choose(
            self.sample.functional(self.statistic),
            Records(resized, Design.iid(n), n, values=resized),
            self.request.level,
        )

    def plan_at(
        self, n: int, assurance: float, wanted: float | None, around: Sequence[float] = ()
    ) -> SampleSize:
        """The plan at n, from its simulated widths; its curve goes on to multiples of n."""
        widths = self.widths_at(n)
        for multiple in around:
            self.widths_at(min(max(round(multiple * n), 2), MOST_CASES))
        level, method = self.request.level, self._method(n)
        share = None if wanted is None else self.share_reached(n, wanted)
        error = None if wanted is None else self.share_error(n, wanted)
        q1, median, q3, assured = (_quantile(widths, u) for u in (0.25, 0.5, 0.75, assurance))
        simulated = Simulated(
            self.samples,
            share,
            error,
            None,
            None,
            q1,
            median,
            q3,
            assured,
            int((~(widths > 0)).sum()),
            self.request.seed,
        )
        return SampleSize(
            quantity=self.quantity,
            n=n,
            width=median,
            formula=method.name,
            formula_text=f"simulated from a pilot of {len(self.sample.values)} cases",
            confidence_level=level.confidence_level,
            assumed={},
            requirements=self.needs,
            assurance=assurance,
            unit=self.sample.metric.unit,
            notes=self._notes(),
            simulated=simulated,
            rule="" if self.request.method is not None else RULE,
            label=self.label,
            curve=tuple(
                (size, _quantile(self.widths[size], assurance))
                for size in _apart(sorted(self.widths), n)
            ),
        )

    def _notes(self) -> tuple[str, ...]:
        cases = len(self.sample.values)
        if cases >= SMALL_PILOT:
            return ()
        return (f"A pilot of {cases} cases says little about spread and failures.",)


def _apart(sizes: list[int], n: int) -> list[int]:
    """The planned n and other sizes far enough apart for a curve."""
    kept = [n]
    for size in sizes:
        if all(max(size, other) >= APART * min(size, other) for other in kept):
            kept.append(size)
    return sorted(kept)


def _quantile(widths: Array, u: float) -> float:
    """The width that at least the share u of all studies do not exceed; NaN if too few have one."""
    rank = math.ceil(u * widths.size - 1e-9)
    # Widths of 0 count as missing, like NaN.
    known = np.sort(widths[widths > 0])
    return float(known[rank - 1]) if rank <= len(known) else math.nan


def check_pilot(
    values: Any,
    metric: Any,
    bounds: Any,
    statistic: Any,
    *,
    n_samples: int,
    scale: float,
    label: str,
    **options: Any,
) -> Studies:
    """The pilot and the options, checked."""
    where = f"pilot {label!r}" if plain_text("label", label) else "pilot"
    request = resolve_request(alternative="two-sided", **options)
    sample = check_sample(values, resolve_metric(metric, bounds), request, scale=scale, where=where)
    bound = resolve_statistic(statistic)
    if len(sample.values) < 2 or sample.values[0] == sample.values[-1]:
        raise DataError(
            f"{where}: {len(sample.values)} value(s), all of them {sample.values[0]:g}; without a "
            "spread there is nothing to plan from"
        )
    samples = as_count(n_samples) or 0
    if samples < 2 * BATCHES or samples % BATCHES or samples > MOST_SAMPLES:
        raise OptionError(
            f"{spelled('n_samples', n_samples)} is not a multiple of {BATCHES} from {2 * BATCHES} "
            f"to {MOST_SAMPLES} (usual: 1000)"
        )
    if request.method is not None:
        check_accepts(
            *(request.method, sample.metric, bound),
            binary=sample.binary,
            design=sample.records.design,
        )
    return Studies(sample, bound, request, n_samples, label, {}, time.monotonic())
