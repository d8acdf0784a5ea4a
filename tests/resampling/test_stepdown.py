"""Adjusted p values by stepdown, against the sequence of hypotheses written out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from halfwidth.resampling.joint.laws import JointLaw, LargestT, RankedDraws, Side
from halfwidth.resampling.joint.simultaneous import StudentizedDifferences
from halfwidth.resampling.joint.stepdown import Observed, adjusted_by_stepdown, against_family

Array = NDArray[Any]
PAIRS, DRAWS = 5, 80


def ranked(seed: int, *, moments: bool = False) -> tuple[RankedDraws, Array]:
    """A law of draws that both ends share, and these, (P, 2, B), the sides outwards ascending."""
    rng = np.random.default_rng(seed)
    lead = rng.normal(0, 1.5, PAIRS)[:, None]
    draws = lead + rng.normal(size=DRAWS) + rng.normal(size=(PAIRS, DRAWS))
    law = RankedDraws.from_draws(PAIRS, ((one, one) for one in draws), 20, moments=moments)
    return law, np.stack([draws, -draws], axis=1)


def largest_t(seed: int, unknown: tuple[int, ...] = ()) -> LargestT:
    rng = np.random.default_rng(seed)
    replicates = rng.normal(size=DRAWS) + rng.normal(size=(PAIRS, DRAWS))
    replicates[0, :3] = np.nan
    estimates, errors = rng.normal(0, 3, PAIRS), rng.uniform(0.5, 2, PAIRS)
    known = ~np.isin(np.arange(PAIRS), unknown)
    return LargestT(StudentizedDifferences(estimates, errors, replicates), known)


def share_of(law: JointLaw | None, sides: list[Side], seen: float) -> float:
    """How often any of these sides lies as far out as was seen, by plain counting."""
    if isinstance(law, RankedDraws):
        lowest = np.min([law.ranks[side] for side in sides], axis=0)
        shares = [(lowest < place).mean() for place in range(DRAWS + 1)]
        return float(np.interp(min(seen, 1.0) * DRAWS, np.arange(DRAWS + 1), shares))
    assert isinstance(law, LargestT)
    t = [(1, -1)[side] * law.differences.replicates[pair] for pair, side in sides]
    largest = np.max(t, axis=0)  # NaN where one is
    defined = largest[~np.isnan(largest)]
    return (1 + int((defined >= seen).sum())) / (1 + len(defined))


def against(law: JointLaw | None, left: list[Side], side: Side, tail: Any, seen: Any) -> float:
    """The p value of a side against those that are left, between its own and Bonferroni's."""
    bonferroni = max(len(left), 2) * float(tail)
    known = [one for one in left if law is not None and law.known[one[0]]]
    if law is None or not known:
        return bonferroni
    # What the law does not know has a share of the whole family's, and leaves the others the rest.
    if not law.known[side[0]]:
        return 2 * PAIRS * float(tail)
    rest = 1 - (len(left) - len(known)) / (2 * PAIRS)
    together = share_of(law, known, float(seen[side])) / rest
    return min(max(together, 2 * float(tail)), bonferroni)


def written_out(tails: Array, seen: Array | None, law: JointLaw | None) -> Array:
    """Romano and Wolf: of each side the largest p value of the steps up to its own."""
    sides = [(pair, side) for pair, side in np.ndindex(*tails.shape) if tails[pair, side] >= 0]
    adjusted = np.full(tails.shape, np.nan)
    for side in sides:
        steps = [
            against(law, [two for two in sides if tails[two] >= tails[one]], one, tails[one], seen)
            for one in sides
            if tails[one] < tails[side] or one == side
        ]
        adjusted[side] = min(max(steps), 1.0)
    return adjusted


def tails_of(draws: Array) -> Array:
    return np.asarray((draws <= 0).mean(axis=-1))


def random_tails(seed: int) -> Array:
    tails = np.random.default_rng((seed, 1)).uniform(0.0005, 0.5, PAIRS) ** 2
    return np.stack([tails, 1 - tails], axis=-1)


LAWS = ["draws", "largest t", "largest t, one unknown", "none"]


def case(kind: str, seed: int) -> tuple[Array, Array | None, JointLaw | None]:
    """Tails, how far out the sides lie, and a joint law."""
    tails, nulls = random_tails(seed), np.zeros(2)
    if kind == "none":
        return tails, None, None
    if kind == "draws":
        law, draws = ranked(seed)
        tails = tails_of(draws)
        return tails, law.seen(tails, nulls), law
    of_t = largest_t(seed, (1,) if "unknown" in kind else ())
    return tails, of_t.seen(tails, nulls), of_t


@pytest.mark.parametrize("kind", LAWS)
def test_adjusted_p_values_equal_the_sequence_of_hypotheses(kind: str) -> None:
    for seed in range(20):
        tails, seen, law = case(kind, seed)
        adjusted = adjusted_by_stepdown(Observed(tails, law, seen))
        np.testing.assert_allclose(adjusted, written_out(tails, seen, law), rtol=1e-12)


@pytest.mark.parametrize("kind", LAWS)
def test_adjusted_p_values_lie_between_their_own_and_holms_and_in_the_same_order(kind: str) -> None:
    for seed in range(20):
        tails, seen, law = case(kind, seed)
        adjusted = adjusted_by_stepdown(Observed(tails, law, seen))
        holm = adjusted_by_stepdown(Observed(tails, None, None))
        assert (adjusted >= np.minimum(2 * tails, 1)).all()
        known = np.ones(PAIRS, dtype=bool) if law is None else law.known
        assert (adjusted <= holm * (1 + 1e-12))[known].all() or not known.all()
        ascending = np.argsort(tails, axis=None, kind="stable")
        assert (np.diff(adjusted.ravel()[ascending]) >= 0).all()


def test_without_a_law_they_are_holms_of_all_sides() -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    tails = random_tails(1)
    expected = multitest.multipletests(tails.ravel(), method="holm")[1].reshape(tails.shape)
    adjusted = adjusted_by_stepdown(Observed(tails, None, None))
    # One side alone is never less than two-sided.
    np.testing.assert_allclose(adjusted, np.maximum(expected, np.minimum(2 * tails, 1)))


@pytest.mark.parametrize("kind", LAWS)
def test_the_order_of_pairs_means_nothing_where_tails_tie(kind: str) -> None:
    for seed in range(20):
        tails, _, law = case(kind, seed)
        tails = np.asarray(np.round(tails, 1) + 0.01, dtype=float)
        seen = None if law is None else law.seen(tails, np.zeros(2))
        assert len(np.unique(tails)) < tails.size
        adjusted = adjusted_by_stepdown(Observed(tails, law, seen))
        order = np.random.default_rng(seed).permutation(PAIRS)
        some = None if law is None else some_of(law, order)
        moved = adjusted_by_stepdown(
            Observed(tails[order], some, None if seen is None else seen[order])
        )
        np.testing.assert_array_equal(moved, adjusted[order])
        np.testing.assert_allclose(adjusted, written_out(tails, seen, law), rtol=1e-12)


def some_of(law: JointLaw, order: Array) -> JointLaw:
    if isinstance(law, RankedDraws):
        return RankedDraws(law.ranks[order], None, law.degrees_of_freedom)
    assert isinstance(law, LargestT)
    of = law.differences
    one = StudentizedDifferences(
        of.estimates[order], of.standard_errors[order], of.replicates[order]
    )
    return LargestT(one, law.known[order])


@pytest.mark.parametrize("kind", LAWS)
def test_models_exchanged_exchange_the_sides(kind: str) -> None:
    tails, seen, law = case(kind, 3)
    turned = np.array([True, False, True, True, False])
    adjusted = adjusted_by_stepdown(Observed(tails, law, seen))
    other = np.where(turned[:, None], tails[:, ::-1], tails)
    exchanged = law and law.turned(turned)
    far = None if exchanged is None else exchanged.seen(other, np.zeros(2))
    found = adjusted_by_stepdown(Observed(other, exchanged, far))
    np.testing.assert_array_equal(found, np.where(turned[:, None], adjusted[:, ::-1], adjusted))


@pytest.mark.parametrize("kind", LAWS)
def test_undefined_tails_take_no_part(kind: str) -> None:
    tails, seen, law = case(kind, 4)
    tails[2] = np.nan
    adjusted = adjusted_by_stepdown(Observed(tails, law, seen))
    np.testing.assert_allclose(adjusted, written_out(tails, seen, law), rtol=1e-12)
    assert np.isnan(adjusted[2]).all()
    assert not np.isnan(np.delete(adjusted, 2, axis=0)).any()


@pytest.mark.parametrize("kind", LAWS)
def test_p_values_against_a_family_that_need_not_hold_the_side(kind: str) -> None:
    for seed in range(10):
        tails, seen, law = case(kind, seed)
        rng = np.random.default_rng((seed, 2))
        family = rng.random(tails.shape) < rng.choice([0.0, 0.3, 1.0])
        found = against_family(Observed(tails, law, seen), family)
        left = [(pair, side) for pair, side in np.argwhere(family).tolist()]
        for side in np.ndindex(*tails.shape):
            own = max(len(left), 1)
            expected = against(law, left, side, float(tails[side]), seen)
            if own == 1 and not left:
                expected = 2 * float(tails[side])
            assert found[side] == pytest.approx(min(expected, 1.0), rel=1e-12)


def test_the_tail_of_a_share_of_draws_is_the_inverse_of_the_share_of_a_tail() -> None:
    law, _ = ranked(2)
    farthest = None
    for side in np.ndindex(PAIRS, 2):
        farthest = law.farthest(farthest, (side[0], side[1]))
    assert farthest is not None
    for alpha in (0.01, 0.05, 0.1, 0.37):
        tail = law.tail(farthest, alpha)
        assert law.share(farthest, tail) == pytest.approx(alpha)
        # Of one side alone it is α, of all no less than Bonferroni's.
        assert law.tail(law.farthest(None, (0, 0)), alpha) == pytest.approx(alpha)
        assert alpha / (2 * PAIRS) <= tail < alpha


def test_beyond_the_outermost_draw_distance_tells_by_student() -> None:
    from scipy import stats

    law, draws = ranked(5, moments=True)
    tails, nulls = np.zeros((PAIRS, 2)), np.array([-9.0, 9.0])
    tails[:, 1] = 0.3
    seen = law.seen(tails, nulls)
    own = draws[:, 0]
    away = (own.mean(axis=-1) + 9) / own.std(axis=-1, ddof=1)
    assert law.moments is not None
    # A tail that no draw reaches is already 0; where it is known it is kept.
    np.testing.assert_array_equal(seen, tails)
    tails[:, 0] = 1 / (DRAWS + 1)
    np.testing.assert_allclose(
        law.seen(tails, nulls)[:, 0], np.minimum(tails[:, 0], stats.t.sf(away, 20))
    )
