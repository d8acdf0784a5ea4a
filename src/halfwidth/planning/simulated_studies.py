"""Studies simulated from a pilot: the widths of their intervals."""

from __future__ import annotations

import functools
import math
import time
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from halfwidth.core import rng as randomness
from halfwidth.core.checks import as_count, plain_text
from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import MethodSpec, Statistic
from halfwidth.core.types import Array
from halfwidth.document.progress import tracked
from halfwidth.estimation.batches import intervals_by_method
from halfwidth.estimation.check import Sample, check_sample
from halfwidth.estimation.choose import choose
from halfwidth.estimation.records import Functional, Records
from halfwidth.estimation.resolve import (
    RULE,
    Request,
    check_accepts,
    resolve_request,
    resolve_statistic,
)
from halfwidth.estimation.sample_caution_rules import clusters_needed
from halfwidth.intervals.compute import intervals
from halfwidth.intervals.quantile import exact as exact_method
from halfwidth.intervals.ranks import minimum_n
from halfwidth.metrics.names import resolve_metric
from halfwidth.planning.drawn_studies import DrawnStudies
from halfwidth.planning.reliability import OF_CLUSTERS, quantity_text, reliability_requirement
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.results.sample_size import CASES, CLUSTERS, Requirement, SampleSize, Simulated

# The limit for memory and time of a thousand studies.
MOST_CASES = 20_000
# Studies of a batch share one block of bootstrap draws, which correlates their widths.
BATCHES, MOST_SAMPLES = 50, 10**6
# Factor by which the search widens its bracket, and where it does not even start.
STEP, FAR_BEYOND = 1.25, 4
# Points of a curve are at least this factor apart.
APART = 1.1
# Larger pilots are as sure of themselves as √n says.
LARGEST_PILOT = 200
# A pilot of fewer cases, or clusters, says little about spread and tails.
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
        if self.functional.is_proportion:
            return "proportion"
        return quantity_text(self.statistic, self.sample.metric)

    @property
    def functional(self) -> Functional:
        """What is estimated of each study."""
        return Functional(self.statistic, self.sample.metric, self.sample.binary)

    @property
    def drawn(self) -> DrawnStudies:
        """The studies, whose cases are those of the pilot."""
        on_a_line = self.design.simple and not self.sample.binary
        bounds = self.sample.metric.spec.bounds if on_a_line else None
        return DrawnStudies(self.sample.records, self.request.seed, bounds)

    @property
    def design(self) -> Design:
        """How the cases of the pilot belong together."""
        return self.sample.records.design

    @property
    def counted(self) -> str:
        """What n counts: cases, or clusters where the pilot has them."""
        return CASES if self.sample.records.n_groups is None else CLUSTERS

    @property
    def cases_each(self) -> float:
        """Cases in what n counts, on average."""
        records = self.sample.records
        return records.n_cases / (records.n_groups or records.n_cases)

    @property
    def most(self) -> int:
        """The largest n that is simulated."""
        return int(MOST_CASES * self.design.units / self.design.n)

    @property
    def needs(self) -> tuple[Requirement, ...]:
        """The requirements other than the width."""
        requirements = [self._reliable_coverage()]
        method = self.request.method
        if method is not None and method.name == exact_method.__name__:
            n = minimum_n(self.statistic.quantile_level, self.request.level)
            requirements.append(Requirement("an exact interval", n, "qⁿ + (1 - q)ⁿ ≤ α"))
        return tuple(requirements)

    def _reliable_coverage(self) -> Requirement:
        """The n from which intervals are reliable: of clusters as few as raise no caution."""
        least = reliability_requirement(self.sample.metric, self.statistic, self.quantity)
        if self.design.sizes is None:
            return least

        def enough(n: int) -> bool:
            effective = self.drawn.like_the_pilot(n).design.effective_units
            return effective >= clusters_needed(self._method(n), least.n)

        n = next((n for n in range(2, self.most) if enough(n)), self.most)
        return Requirement(least.what, n, least.source if n == least.n else OF_CLUSTERS)

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
                if high >= self.most:
                    raise self._unreachable_width(wanted, share)
                low, high = high, min(math.ceil(STEP * high), self.most)
        while low < high:
            middle = (low + high) // 2
            if self.share_reached(middle, wanted) >= share:
                high = middle
            else:
                low = middle + 1
        return high

    def _guess(self, wanted: float, share: float) -> int:
        """The n at which widths that fall with √n would be narrow enough."""
        start = min(max(self.design.units, 10), 200, self.most)
        share_reached = _quantile(self.expected_widths(start), share)
        if math.isnan(share_reached):
            return start
        guess = start * (share_reached / wanted) ** 2
        if guess > FAR_BEYOND * self.most:
            raise self._unreachable_width(wanted, share)
        return int(min(max(guess, 2), self.most))

    def _unreachable_width(self, wanted: float, share: float) -> OptionError:
        return OptionError(
            f"no n up to {self.most} gives {share:.3g} of the studies an interval of the "
            f"{self.quantity} no wider than {wanted:g}; ask for a wider one"
        )

    def share_reached(self, n: int, wanted: float) -> float:
        """The share of studies of n cases whose interval is no wider than wanted."""
        return float(self._shares_reached(n, wanted).mean())

    def share_error(self, n: int, wanted: float) -> float:
        """The Monte-Carlo standard error of this share, from its spread over batches."""
        shares = self._shares_reached(n, wanted)
        return float(shares.std(ddof=1) / math.sqrt(len(shares)))

    def expected_widths(self, n: int) -> Array:
        """The widths of studies of n cases of the population, (batches, studies of a batch).

        They differ from those of studies drawn from the pilot by a factor that nobody knows.
        """
        widths = self.widths_at(n)
        # Each batch has factors of all sizes.
        return widths * np.resize(self.pilot_factors, widths.shape[::-1]).T

    @functools.cached_property
    def pilot_factors(self) -> Array:
        """Factors by which the spread of the population may exceed that of the pilot, ascending.

        Pilots drawn from the pilot have widths that scatter about it as it does about the
        population, on a logarithmic scale the other way round. Cases drawn from a sample scatter
        less than the population by √(1 - 1/n), in the pilot and in the studies.
        """
        units = self.design.units
        size = min(units, LARGEST_PILOT, self.most)
        asked = size in self.widths
        widths = self.widths_at(size)
        if not asked:  # of a pilot, and no point of a curve
            del self.widths[size]
        logs = np.log(widths[widths > 0])
        if logs.size < widths.size / 2:
            logs = np.zeros(1)
        noise = (logs.mean() - logs) * math.sqrt(size / units)
        return np.sort(np.exp(noise)) * units / (units - 1)

    def _shares_reached(self, n: int, wanted: float) -> Array:
        """The share within each batch."""
        widths = self.expected_widths(n)
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
        batch = start // (stop - start)
        # Fresh draws for each batch, so that no single block of draws decides.
        entropy = randomness.derive_key(self.request.seed, "pilot", n, batch).value
        plan = Plan(entropy, self.request.n_resamples, kept={}, own_uniforms=True)
        drawn = self.drawn
        units = drawn.units(n, start, stop)
        if not self.design.simple:
            return self._widths_by_design([drawn.study(one) for one in units], plan)
        values = drawn.values(units, start, stop)
        if self.counted == CASES:
            return self._widths_of_cases(values, plan)
        studies = (drawn.study(*one) for one in zip(units, values, strict=True))
        return self._widths_by_design([*studies], plan)

    def _widths_of_cases(self, studies: Array, plan: Plan) -> Array:
        """The widths of studies of independent cases, (S, n), which all take one method."""
        sample, method = self.sample, self._method(studies.shape[-1])
        level = self.request.level
        (computed,) = intervals(
            studies,
            self.statistic,
            [method],
            level,
            bounds=sample.metric.spec.bounds,
            plan=plan,
            binary=sample.binary,
            clip=self.request.method is None,
            errors=False,
        )
        if computed.level != level:
            # So few cases have no interval of the level that a width is wanted at.
            return np.full(len(studies), np.nan)
        return np.asarray(computed.interval.high - computed.interval.low)

    def _widths_by_design(self, studies: Sequence[Records], plan: Plan) -> Array:
        """The widths of studies by the method that each would take, those of a design at once."""
        functional, request = self.functional, self.request
        widths = np.full(len(studies), np.nan)
        rows_of: dict[Design, list[int]] = defaultdict(list)
        for row, study in enumerate(studies):
            rows_of[study.design].append(row)
        for design, rows in rows_of.items():
            samples = np.stack([studies[row].arranged for row in rows])
            estimates = self.statistic(samples)
            groups = intervals_by_method(
                functional,
                samples,
                [request.method or choose(functional, studies[row], request.level) for row in rows],
                request.level,
                estimates=estimates,
                design=design,
                plan=plan,
                chosen=request.method is None,
                errors=False,
            )
            for group in groups:
                interval, known = group.computed.interval, ~np.isnan(estimates[group.rows])
                known &= group.computed.level == request.level
                reached = np.where(known, interval.high - interval.low, np.nan)
                widths[np.array(rows)[group.rows]] = reached
        return widths

    def _method(self, n: int) -> MethodSpec:
        """The given method, or what ``auto`` would choose for a study of n like the pilot."""
        if self.request.method is not None:
            return self.request.method
        return choose(self.functional, self.drawn.like_the_pilot(n), self.request.level)

    def plan_at(
        self, n: int, assurance: float, wanted: float | None, around: Sequence[float] = ()
    ) -> SampleSize:
        """The plan at n, from its simulated widths; its curve goes on to multiples of n."""
        widths = self.expected_widths(n)
        for multiple in around:
            self.widths_at(min(max(round(multiple * n), 2), self.most))
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
            formula_text=f"simulated from a pilot of {self._pilot_text}",
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
                (size, _quantile(self.expected_widths(size), assurance))
                for size in _apart(sorted(self.widths), n)
            ),
            counted=self.counted,
            n_cases=None if self.counted == CASES else n * self.cases_each,
        )

    @property
    def _pilot_text(self) -> str:
        """The size of the pilot."""
        records, strata = self.sample.records, len(self.design.strata)
        within = f" in {strata} strata" if strata > 1 else ""
        if records.n_groups is None:
            return f"{records.n_cases} cases{within}"
        return f"{records.n_groups} clusters with {records.n_cases} cases{within}"

    def _notes(self) -> tuple[str, ...]:
        noise = 100 * float(np.log(self.pilot_factors).std())
        allowed = (
            f"Allowed for: that the width of a pilot of this size is off by {noise:.0f} % (SD)."
        )
        if self.design.units >= SMALL_PILOT:
            return (allowed,)
        return (allowed, f"A pilot of {self._pilot_text} says little about spread and failures.")


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
    groups: Any = None,
    strata: Any = None,
    **options: Any,
) -> Studies:
    """The pilot and the options, checked."""
    where = f"pilot {label!r}" if plain_text("label", label) else "pilot"
    request = resolve_request(alternative="two-sided", **options)
    sample = check_sample(
        *(values, resolve_metric(metric, bounds), request),
        scale=scale,
        where=where,
        groups=groups,
        strata=strata,
    )
    bound = resolve_statistic(statistic)
    if sample.records.design.units < 2 <= sample.records.n_cases:
        raise DataError(
            f"{where}: all {sample.records.n_cases} cases are of one cluster; studies draw whole "
            "clusters, and a plan needs several"
        )
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
