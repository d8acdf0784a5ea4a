"""Formulas as data: what a function of counts does with them, read off by calling it.

Called with unknowns in the place of counts, a function of plain arithmetic returns a `Term`, which
a kernel can work out for many resamples in one go. So every metric is written once, as a function
of arrays. A function that must see the numbers, in order to branch on them or to pick some, has no
such formula, and is called with arrays of counts instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import IntEnum
from typing import Any

import numpy as np

from halfwidth.core.frozen import frozen

# Sums of cells weigh each by a whole number up to this; larger ones are multiplied as floats.
MOST_WEIGHT = 6
# Cells of 15 classes; formulas of more would be long, and terms nested deeply.
MOST_CELLS = 225


class Operation(IntEnum):
    """What makes a term out of others; masks are 1 where they hold and 0 where not."""

    NUMBER = 0
    COUNT = 1
    ADD = 2
    SUBTRACT = 3
    MULTIPLY = 4
    DIVIDE = 5
    ROOT = 6
    GREATER = 7
    EQUAL = 8
    IS_NAN = 9
    CHOOSE = 10


@frozen(eq=False, repr=False)
class Term:
    """A number made of the counts of a table, before these are known."""

    operation: Operation
    # What it is made of; of a choice the mask, the value where it holds, and the other
    operands: tuple[Term, ...] = ()
    # Of a `COUNT`, a weighted sum of cells: each cell and its weight, ascending
    weights: tuple[tuple[int, int], ...] = ()
    number: float = math.nan  # Of a `NUMBER`
    finite: bool = False  # Whether it is finite whatever the counts

    __hash__ = object.__hash__

    def __add__(self, other: Any) -> Any:
        return _apply_rule(_add, self, other)

    def __radd__(self, other: Any) -> Any:
        return _apply_rule(_add, other, self)

    def __sub__(self, other: Any) -> Any:
        return _apply_rule(_subtract, self, other)

    def __rsub__(self, other: Any) -> Any:
        return _apply_rule(_subtract, other, self)

    def __mul__(self, other: Any) -> Any:
        return _apply_rule(_multiply, self, other)

    def __rmul__(self, other: Any) -> Any:
        return _apply_rule(_multiply, other, self)

    def __truediv__(self, other: Any) -> Any:
        return _apply_rule(_divide, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _apply_rule(_divide, other, self)

    def __pow__(self, exponent: Any) -> Any:
        return self * self if exponent == 2 else NotImplemented

    def __neg__(self) -> Any:
        return -1.0 * self

    def __and__(self, other: Any) -> Any:
        return _apply_rule(_multiply, self, other)

    __rand__ = __and__

    def __gt__(self, other: Any) -> Any:
        return _apply_rule(_greater, self, other)

    def __lt__(self, other: Any) -> Any:
        return _apply_rule(_greater, other, self)

    def __eq__(self, other: object) -> Any:
        return _apply_rule(_equal, self, other)

    def __bool__(self) -> bool:
        raise TypeError("a formula cannot depend on what it is going to be")

    def __getitem__(self, key: Any) -> Any:
        # What a sum over all axes is, np.newaxis makes an array of again.
        return _arrays((self,))[0][key]

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        return getattr(ufunc, method)(*_arrays(inputs), **named)

    def __array_function__(self, function: Any, _types: Any, arguments: Any, named: Any) -> Any:
        return function(*_arrays(arguments), **named)

    @property
    def real(self) -> Term:
        """Itself, as of any real number."""
        return self

    def sqrt(self) -> Term:
        """The square root; NumPy looks for it under this name."""
        return _root(self)


class Unknowns(np.ndarray[Any, np.dtype[Any]]):
    """An array of terms on which comparisons are terms too; NumPy makes them true or false."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        if "out" in named:
            named["out"] = tuple(np.asarray(one) for one in named["out"])
        plain = [np.asarray(one) for one in inputs]
        rule = _ELEMENTWISE.get(ufunc) if method == "__call__" else None
        outcome = rule(*plain) if rule else getattr(ufunc, method)(*plain, **named)
        return outcome.view(Unknowns) if isinstance(outcome, np.ndarray) else outcome

    def __array_function__(self, function: Any, types: Any, arguments: Any, named: Any) -> Any:
        if function is np.where and len(arguments) == 3:
            return np.asarray(_choices(*map(np.asarray, arguments))).view(Unknowns)
        return super().__array_function__(function, types, arguments, named)


# --------------------------------------------------------------------------- reading


def read_off(finish: Callable[[Any], Any], n_cells: int) -> Term | None:
    """The formula of a function of the counts of cells; None where it has none."""
    if n_cells > MOST_CELLS:
        return None
    cells = np.empty(n_cells, dtype=object)
    cells[:] = [_count(((cell, 1),)) for cell in range(n_cells)]
    try:
        outcome = np.asarray(finish(cells.view(Unknowns)), dtype=object)
    except (AttributeError, IndexError, TypeError, ValueError):
        return None
    return _term(outcome.item()) if outcome.shape == () else None


def without_nan(term: Term) -> Term | None:
    """The same formula where nothing that it asks about is NaN, shorter, and NaN elsewhere.

    None where it asks about none, or where something that is NaN need not make it NaN.
    """
    known: dict[Term, Term] = {}
    asked: set[Term] = set()
    short = _supposing(term, known, asked)
    through, seen = [short], {short}
    while through:
        one = through.pop()
        fresh = set(one.operands) - seen if one.operation in _PASSING else set()
        seen |= fresh
        through += fresh
    pays = bool(asked) and asked <= seen and not _are_numbers(short)
    return short if pays else None


def _supposing(term: Term, known: dict[Term, Term], asked: set[Term]) -> Term:
    """A term made anew of terms that are not NaN."""
    if term in known:
        return known[term]
    parts = [_supposing(part, known, asked) for part in term.operands]
    if term.operation is Operation.IS_NAN:
        asked.add(parts[0])
        replaced = _number(0.0)
    else:
        rule = _RULES.get(term.operation)
        replaced = term if rule is None else rule(*parts)
    return known.setdefault(term, replaced)


# --------------------------------------------------------------------------- terms


def _term(value: Any) -> Term | None:
    """A term, or a number as one; None for anything else."""
    if isinstance(value, Term):
        return value
    return _number(float(value)) if isinstance(value, bool | int | float | np.number) else None


def _arrays(values: tuple[Any, ...]) -> list[Any]:
    """The same with an array in the place of each term."""
    return [
        np.array(one, dtype=object).view(Unknowns) if isinstance(one, Term) else one
        for one in values
    ]


def _apply_rule(rule: Callable[..., Term], *operands: Any) -> Any:
    terms = [_term(one) for one in operands]
    return NotImplemented if any(term is None for term in terms) else rule(*terms)


def _number(value: float) -> Term:
    return Term(Operation.NUMBER, number=value, finite=math.isfinite(value))


def _count(weights: tuple[tuple[int, int], ...]) -> Term:
    if not weights:
        return _number(0.0)
    return Term(Operation.COUNT, weights=weights, finite=True)


def _are_numbers(*terms: Term) -> bool:
    return all(term.operation is Operation.NUMBER for term in terms)


def _is(term: Term, value: float) -> bool:
    return _are_numbers(term) and term.number == value


def _worked_out(rule: Callable[..., Any], *terms: Term) -> Term:
    with np.errstate(all="ignore"):
        return _number(float(rule(*(np.float64(term.number) for term in terms))))


def _sum_of_counts(left: Term, right: Term, sign: int) -> Term | None:
    """Sums of cells added up as one; None where they are something else or weigh too much."""
    if left.operation is not Operation.COUNT or right.operation is not Operation.COUNT:
        return None
    weights = dict(left.weights)
    for cell, weight in right.weights:
        weights[cell] = weights.get(cell, 0) + sign * weight
    if max(map(abs, weights.values())) > MOST_WEIGHT:
        return None
    return _count(tuple(sorted((cell, weight) for cell, weight in weights.items() if weight)))


def _binary(operation: Operation, left: Term, right: Term) -> Term:
    return Term(operation, (left, right), finite=left.finite and right.finite)


def _add(left: Term, right: Term) -> Term:
    if _are_numbers(left, right):
        return _worked_out(np.add, left, right)
    if _is(left, 0) or _is(right, 0):
        return right if _is(left, 0) else left
    merged = _sum_of_counts(left, right, 1)
    return _binary(Operation.ADD, left, right) if merged is None else merged


def _subtract(left: Term, right: Term) -> Term:
    if _are_numbers(left, right):
        return _worked_out(np.subtract, left, right)
    if _is(right, 0):
        return left
    merged = _sum_of_counts(left, right, -1)
    return _binary(Operation.SUBTRACT, left, right) if merged is None else merged


def _multiply(left: Term, right: Term) -> Term:
    if _are_numbers(left, right):
        return _worked_out(np.multiply, left, right)
    if _are_numbers(left):
        left, right = right, left
    if _are_numbers(right) and left.finite:
        if right.number == 0:
            return _number(0.0)
        weighted = _weighted(left, right.number)
        if weighted is not None:
            return weighted
    if _is(right, 1):
        return left
    return _binary(Operation.MULTIPLY, left, right)


def _weighted(count: Term, weight: float) -> Term | None:
    """A sum of cells times a whole number; None where it is something else or weighs too much."""
    if count.operation is not Operation.COUNT or not weight.is_integer():
        return None
    weights = tuple((cell, factor * int(weight)) for cell, factor in count.weights)
    heaviest = max(abs(factor) for _, factor in weights)
    return _count(weights) if heaviest <= MOST_WEIGHT else None


def _divide(left: Term, right: Term) -> Term:
    if _are_numbers(left, right):
        return _worked_out(np.divide, left, right)
    return left if _is(right, 1) else Term(Operation.DIVIDE, (left, right))


def _root(operand: Term) -> Term:
    return (
        _worked_out(np.sqrt, operand) if _are_numbers(operand) else Term(Operation.ROOT, (operand,))
    )


def _greater(left: Term, right: Term) -> Term:
    if _are_numbers(left, right):
        return _worked_out(np.greater, left, right)
    return Term(Operation.GREATER, (left, right), finite=True)


def _equal(left: Term, right: Term) -> Term:
    if _are_numbers(left, right):
        return _worked_out(np.equal, left, right)
    return Term(Operation.EQUAL, (left, right), finite=True)


def _is_nan(operand: Term) -> Term:
    if _are_numbers(operand):
        return _worked_out(np.isnan, operand)
    return _number(0.0) if operand.finite else Term(Operation.IS_NAN, (operand,), finite=True)


def _choose(mask: Term, there: Term, elsewhere: Term) -> Term:
    if _are_numbers(mask):
        return there if mask.number else elsewhere
    both = there.finite and elsewhere.finite
    return Term(Operation.CHOOSE, (mask, there, elsewhere), finite=both)


_RULES: dict[Operation, Callable[..., Term]] = {
    Operation.ADD: _add,
    Operation.SUBTRACT: _subtract,
    Operation.MULTIPLY: _multiply,
    Operation.DIVIDE: _divide,
    Operation.ROOT: _root,
    Operation.GREATER: _greater,
    Operation.EQUAL: _equal,
    Operation.CHOOSE: _choose,
}
# What is NaN where any part is.
_PASSING = frozenset(
    {
        Operation.ADD,
        Operation.SUBTRACT,
        Operation.MULTIPLY,
        Operation.DIVIDE,
        Operation.ROOT,
    }
)


def _each(rule: Callable[..., Term], inputs: int) -> Callable[..., Any]:
    def one(*operands: Any) -> Term:
        outcome = _apply_rule(rule, *operands)
        if not isinstance(outcome, Term):
            raise TypeError("neither a term nor a number")
        return outcome

    function: Callable[..., Any] = np.frompyfunc(one, inputs, 1)
    return function


_ELEMENTWISE: dict[Any, Callable[..., Any]] = {
    np.isnan: _each(_is_nan, 1),
    np.greater: _each(_greater, 2),
    np.less: _each(lambda left, right: _greater(right, left), 2),
    np.equal: _each(_equal, 2),
}
_choices = _each(_choose, 3)
