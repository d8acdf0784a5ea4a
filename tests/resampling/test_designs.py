"""Designs: the canonical order of cases, and what a resample draws."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from support import examples

from halfwidth import StatisticSpec
from halfwidth.core.spec import Statistic
from halfwidth.resampling.designs import Codes, Design, arrange
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import replicates
from halfwidth.resampling.kernels import reference

Array = NDArray[np.float64]

QUICK = examples(80)
# Of each test of randomness, where no other is said.
FALSE_ALARM = 1e-6


@dataclass(frozen=True)
class Given:
    """Cases as a user gives them: columns of values, and the labels of each case."""

    columns: Array
    groups: Codes
    strata: Codes

    def shuffled(self, seed: int) -> Given:
        """The same cases in another order, clusters and strata under other names."""
        generator = np.random.default_rng(seed)
        order = generator.permutation(len(self.groups))
        names = generator.permutation(100)
        return Given(
            self.columns[:, order], names[self.groups[order]], names[::-1][self.strata[order]]
        )


@st.composite
def samples(draw: st.DrawFn, columns: int = 1) -> Given:
    """Clusters of 1 to 4 cases in up to 3 strata, ties among the values frequent."""
    case = st.lists(st.integers(-2, 2).map(lambda k: k / 4), min_size=columns, max_size=columns)
    cluster = st.tuples(st.integers(0, 2), st.lists(case, min_size=1, max_size=4))
    clusters = draw(st.lists(cluster, min_size=1, max_size=9))
    sizes = [len(cases) for _, cases in clusters]
    return Given(
        np.array([case for _, cases in clusters for case in cases]).T,
        np.repeat(np.arange(len(clusters)), sizes),
        np.repeat([stratum for stratum, _ in clusters], sizes),
    )


Cluster = tuple[tuple[float, ...], ...]


def nested(columns: Array, groups: Codes, strata: Codes) -> list[list[Cluster]]:
    """Rows of values within clusters within strata, each level sorted."""
    rows = [tuple(row) for row in columns.T.tolist()]
    found = []
    for stratum in np.unique(strata):
        own = np.unique(groups[strata == stratum])
        found.append(
            sorted(tuple(sorted(rows[i] for i in np.flatnonzero(groups == g))) for g in own)
        )
    return sorted(found)


def unfolded(columns: Array, design: Design) -> list[list[Cluster]]:
    """Rows of values within units within strata, each level in the order it has."""
    rows = [tuple(row) for row in columns.T.tolist()]
    sizes = iter((1,) * sum(design.strata) if design.sizes is None else design.sizes)
    cases = iter(rows)
    return [
        [tuple(next(cases) for _ in range(next(sizes))) for _ in range(units)]
        for units in design.strata
    ]


def by_value(found: list[list[Cluster]]) -> list[list[Cluster]]:
    return sorted(sorted(tuple(sorted(unit)) for unit in stratum) for stratum in found)


# --------------------------------------------------------------------------- canonical order


@given(samples(columns=1), st.integers(0, 10**6))
@QUICK
def test_order_depends_on_neither_the_order_given_nor_the_names(one: Given, seed: int) -> None:
    other = one.shuffled(seed)
    for first, second in (
        ((one.groups, one.strata), (other.groups, other.strata)),
        ((one.groups, None), (other.groups, None)),
        ((None, one.strata), (None, other.strata)),
        ((None, None), (None, None)),
    ):
        wanted, design = arrange(one.columns[0], *first)
        got, again = arrange(other.columns[0], *second)
        assert again == design
        np.testing.assert_array_equal(got, wanted)


@given(samples(columns=3), st.integers(0, 10**6))
@QUICK
def test_order_of_paired_values_depends_on_neither_the_order_given_nor_the_names(
    one: Given, seed: int
) -> None:
    other = one.shuffled(seed)
    for first, second in (
        ((one.groups, one.strata), (other.groups, other.strata)),
        ((one.groups, None), (other.groups, None)),
        ((None, one.strata), (None, other.strata)),
        ((None, None), (None, None)),
    ):
        wanted, design = arrange(one.columns, *first, paired=True)
        got, again = arrange(other.columns, *second, paired=True)
        assert again == design
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("columns", [1, 2])
@given(data=st.data())
@QUICK
def test_every_cluster_keeps_its_rows_and_every_stratum_its_clusters(
    columns: int, data: st.DataObject
) -> None:
    one = data.draw(samples(columns=columns))
    paired = columns > 1
    everyone = np.arange(one.columns.shape[-1])
    alone, together = np.zeros_like(one.strata), np.zeros_like(one.groups)
    for groups, strata, codes in (
        (one.groups, one.strata, (one.groups, one.strata)),
        (one.groups, None, (one.groups, alone)),
        (None, one.strata, (everyone, one.strata)),
        (None, None, (everyone, together)),
    ):
        got, design = arrange(one.columns, groups, strata, paired=paired)
        assert got.shape == one.columns.shape
        assert design.n == one.columns.shape[-1]
        assert by_value(unfolded(got, design)) == nested(one.columns, *codes)


@given(samples(columns=2))
@QUICK
def test_cases_clusters_and_strata_ascend(one: Given) -> None:
    got, design = arrange(one.columns, one.groups, one.strata)
    strata = unfolded(got, design)
    for stratum in strata:
        for unit in stratum:
            assert list(unit) == sorted(unit)
        assert [len(unit) for unit in stratum] == sorted(len(unit) for unit in stratum)
        for before, after in pairwise(stratum):
            # Of the same size: by the first column, then the second.
            if len(before) == len(after):
                assert tuple(zip(*before, strict=True)) <= tuple(zip(*after, strict=True))
    assert [(len(s), [len(u) for u in s]) for s in strata] == sorted(
        (len(s), [len(u) for u in s]) for s in strata
    )


@given(samples(columns=1), st.integers(0, 10**6))
@QUICK
def test_columns_with_the_same_clusters_and_strata_share_one_design(one: Given, seed: int) -> None:
    _, design = arrange(one.columns[0], one.groups, one.strata)
    others = np.random.default_rng(seed).normal(size=len(one.groups))
    assert arrange(others, one.groups, one.strata)[1] == design
    assert arrange(others, one.groups)[1] == arrange(one.columns[0], one.groups)[1]
    assert arrange(others, None, one.strata)[1] == arrange(one.columns[0], None, one.strata)[1]


@given(samples(columns=1))
@QUICK
def test_clusters_of_one_case_each_are_independent_cases(one: Given) -> None:
    values = one.columns[0]
    alone = np.random.default_rng(0).permutation(len(values))
    got, design = arrange(values, alone)
    assert design == Design.iid(len(values))
    np.testing.assert_array_equal(got, np.sort(values))
    got, design = arrange(values, alone, one.strata)
    wanted, stratified = arrange(values, None, one.strata)
    assert design == stratified
    np.testing.assert_array_equal(got, wanted)


@given(samples(columns=1))
@QUICK
def test_one_stratum_is_none(one: Given) -> None:
    values, same = one.columns[0], np.full(len(one.groups), 7)
    for groups in (None, one.groups):
        got, design = arrange(values, groups, same)
        wanted, without = arrange(values, groups)
        assert design == without
        np.testing.assert_array_equal(got, wanted)


# --------------------------------------------------------------------------- what a design knows

DESIGNS = {
    "iid": Design.iid(6),
    "paired": Design((6,), paired=True),
    "stratified": Design((1, 2, 4)),
    "clustered": Design((4,), (1, 2, 2, 5)),
    "clusters of equal size": Design((4,), (3, 3, 3, 3)),
    "clustered within strata": Design((2, 3), (1, 4, 1, 2, 2)),
}


@pytest.mark.parametrize("name", DESIGNS)
def test_design_counts_its_cases_units_and_degrees_of_freedom(name: str) -> None:
    design = DESIGNS[name]
    sizes = list(design.sizes or [1] * sum(design.strata))
    ends = np.cumsum(sizes)
    assert design.name == ("clustered" if name == "clusters of equal size" else name)
    assert design.simple == (name == "iid")
    assert (design.units, design.n) == (len(sizes), sum(sizes))
    assert design.degrees_of_freedom == len(sizes) - len(design.strata)
    assert design.equal_sizes == (len(set(sizes)) == 1)
    assert design.unit_sizes.tolist() == sizes
    assert design.first_cases.tolist() == [0, *ends[:-1].tolist()]
    assert design.first_units.tolist() == [0, *np.cumsum(design.strata)[:-1].tolist()]


@pytest.mark.parametrize("name", DESIGNS)
def test_totals_means_and_variances_are_those_of_a_loop(name: str) -> None:
    design = DESIGNS[name]
    values = np.random.default_rng(1).normal(size=(3, design.n))
    for row, sample in enumerate(values):
        starts = [*design.first_cases.tolist(), design.n]
        totals = [sample[a:b].sum() for a, b in pairwise(starts)]
        np.testing.assert_allclose(design.totals(values)[row], totals, rtol=1e-13)
        means, variance, units = [], 0.0, iter(totals)
        for count in design.strata:
            own = np.array([next(units) for _ in range(count)])
            means += [own.mean()] * count
            variance += count * own.var(ddof=1) if count > 1 else 0.0
        got = np.broadcast_to(design.stratum_means(np.array(totals)), design.units)
        np.testing.assert_allclose(got, means, rtol=1e-13)
        assert design.variance_of_total(np.array(totals)) == pytest.approx(variance, rel=1e-13)


def test_variance_is_unknown_where_every_stratum_has_one_unit() -> None:
    for design in (Design((1,)), Design((1, 1, 1)), Design((1, 1), (2, 3))):
        totals = np.arange(2.0 * design.units).reshape(2, -1)
        assert np.isnan(design.variance_of_total(totals)).all()


# --------------------------------------------------------------------------- draws


def counting(design: Design, seed: int = 3, resamples: int = 400) -> NDArray[np.intp]:
    """How often each case is in each resample, as a statistic sees it, shape (B, n).

    The value of case i is a power of a base above the number of units, so that the sum of a
    resample has the count of each case as a digit.
    """
    base = design.units + 1
    assert base**design.n < 2**53
    values: Array = np.power(float(base), np.arange(design.n))
    total = Statistic(StatisticSpec("sum", "sum", np.sum))
    sums = replicates(values[None], design, total, Plan(seed, resamples))[0].astype(np.int64)
    return np.asarray(sums[:, None] // base ** np.arange(design.n) % base, dtype=np.intp)


SMALL = {name: design for name, design in DESIGNS.items() if design.n < 13}


@pytest.mark.parametrize("name", SMALL)
def test_resample_draws_as_many_units_of_each_stratum_as_it_has(name: str) -> None:
    design = SMALL[name]
    counts = counting(design)
    of_unit = counts[:, design.first_cases]
    for first, units in zip(design.first_units, design.strata, strict=True):
        assert (of_unit[:, first : first + units].sum(axis=-1) == units).all()
    # Not as many cases: those of the clusters drawn, whose sizes differ.
    assert (counts.sum(axis=-1) == of_unit @ design.unit_sizes).all()
    assert design.equal_sizes == (len(set(counts.sum(axis=-1).tolist())) == 1)


@pytest.mark.parametrize("name", SMALL)
def test_cluster_drawn_comes_with_all_its_cases_once_for_each_draw(name: str) -> None:
    design = SMALL[name]
    counts = counting(design)
    np.testing.assert_array_equal(
        counts, np.repeat(counts[:, design.first_cases], design.unit_sizes, axis=-1)
    )
    drawn = Plan(3, 400).indices(design, 0, 400)
    np.testing.assert_array_equal(
        counts[:, design.first_cases], reference.count_draws(drawn, design.units)
    )


@pytest.mark.parametrize("name", DESIGNS)
def test_positions_are_the_cases_of_the_units_drawn_in_their_order(name: str) -> None:
    design = DESIGNS[name]
    drawn = Plan(4, 60).indices(design, 0, 60)
    made: list[list[int]] = []
    for rows, positions, of_resample in reference.resamples(design, drawn):
        made += positions.tolist()
        for units in drawn[rows]:
            sizes = design.unit_sizes[units].tolist()
            assert of_resample.strata == design.strata
            assert of_resample.unit_sizes.tolist() == sizes
    wanted = [
        [
            int(design.first_cases[unit]) + i
            for unit in units
            for i in range(int(design.unit_sizes[unit]))
        ]
        for units in drawn
    ]
    assert made == wanted


@pytest.mark.parametrize("name", DESIGNS)
def test_units_of_a_stratum_are_drawn_in_its_place(name: str) -> None:
    design = DESIGNS[name]
    drawn = Plan(5).indices(design, 0, 500)
    assert drawn.shape == (500, design.units)
    for first, units in zip(design.first_units, design.strata, strict=True):
        own = drawn[:, first : first + units]
        assert ((own >= first) & (own < first + units)).all()


@pytest.mark.parametrize("name", DESIGNS)
def test_any_range_of_resamples_can_be_drawn_alone(name: str) -> None:
    design, plan = DESIGNS[name], Plan(6)
    whole = plan.indices(design, 0, 300)
    for start, stop in ((0, 1), (7, 8), (100, 300)):
        np.testing.assert_array_equal(plan.indices(design, start, stop), whole[start:stop])


@pytest.mark.parametrize("name", ["clustered", "stratified", "clustered within strata"])
def test_all_units_of_a_stratum_are_drawn_equally_often(name: str) -> None:
    # Chi-square, false alarm 1e-6 a stratum.
    design = DESIGNS[name]
    drawn = Plan(7).indices(design, 0, 60_000)
    for first, units in zip(design.first_units, design.strata, strict=True):
        if units > 1:
            counts = np.bincount(drawn[:, first : first + units].ravel() - first, minlength=units)
            assert stats.chisquare(counts).pvalue > FALSE_ALARM


@pytest.mark.parametrize("strata", [(7, 7, 7), (2, 2), (3, 7, 8), (40, 40)])
def test_strata_are_drawn_independently_of_each_other(strata: tuple[int, ...]) -> None:
    # For each pair of strata: chi-square of which units are drawn at the same place, and the
    # correlation of how often their first units are drawn; false alarm 1e-6 each, 6e-6 a case at
    # most. Draws of one key for two strata of a size would be the same draws.
    design, resamples = Design(strata), 30_000
    drawn = Plan(8).indices(design, 0, resamples)
    own = [
        drawn[:, first : first + units] - first
        for first, units in zip(design.first_units, strata, strict=True)
    ]
    for one, other in combinations(range(len(strata)), 2):
        places = min(strata[one], strata[other])
        pairs = own[one][:, :places] * strata[other] + own[other][:, :places]
        cells = np.bincount(pairs.ravel(), minlength=strata[one] * strata[other])
        assert stats.chisquare(cells).pvalue > FALSE_ALARM
        first_units = [(own[place] == 0).sum(axis=-1) for place in (one, other)]
        correlation = float(np.corrcoef(*first_units)[0, 1])
        assert abs(correlation) < stats.norm.isf(FALSE_ALARM / 2) / np.sqrt(resamples)


def test_other_seeds_draw_other_clusters() -> None:
    # 21 draws out of 7: all alike with probability 7⁻²¹.
    design = Design((7, 7, 7), (2,) * 21)
    one, other = (Plan(seed).indices(design, 0, 1) for seed in (1, 2))
    assert (one != other).any()
