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


def _operators(operation: Operation) -> tuple[Any, Any]:
    """A method for an operator, and the one with its sides turned round."""

    def plain(self: Term, other: Any) -> Any:
        return _operated(operation, self, other)

    def turned(self: Term, other: Any) -> Any:
        return _operated(operation, other, self)

    return plain, turned


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
    __add__, __radd__ = _operators(Operation.ADD)
    __sub__, __rsub__ = _operators(Operation.SUBTRACT)
    __mul__, __rmul__ = _operators(Operation.MULTIPLY)
    __truediv__, __rtruediv__ = _operators(Operation.DIVIDE)
    __and__, __rand__ = _operators(Operation.MULTIPLY)
    __gt__, __lt__ = _operators(Operation.GREATER)
    __eq__, _ = _operators(Operation.EQUAL)

    def __pow__(self, exponent: Any) -> Any:
        return self * self if exponent == 2 else NotImplemented

    def __neg__(self) -> Any:
        return -1.0 * self

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
        return _simplified(Operation.ROOT, self)


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
    """A shorter formula where nothing that this one asks about is NaN, and NaN elsewhere."""
    # None where it asks about none, or where something that is NaN need not make it NaN.
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
        replaced = _simplified(term.operation, *parts) if parts else term
    return known.setdefault(term, replaced)


# --------------------------------------------------------------------------- terms


def _term(value: Any) -> Term | None:
    """A term, or a number as one; None for anything else."""
    if isinstance(value, Term):
        return value
    return _number(float(value)) if isinstance(value, bool | int | float | np.number) else None


def _arrays(values: tuple[Any, ...]) -> list[Any]:
    """Values with an array in the place of each term."""
    return [
        np.array(one, dtype=object).view(Unknowns) if isinstance(one, Term) else one
        for one in values
    ]


def _operated(operation: Operation, *operands: Any) -> Any:
    terms = [_term(one) for one in operands]
    if any(term is None for term in terms):
        return NotImplemented
    return _simplified(operation, *(term for term in terms if term is not None))


def _simplified(operation: Operation, *terms: Term) -> Term:
    """What an operation makes of terms, as short as it can be: of numbers, a number."""
    function = _FUNCTIONS.get(operation)
    if function is not None and _are_numbers(*terms):
        with np.errstate(all="ignore"):
            return _number(float(function(*(np.float64(term.number) for term in terms))))
    shorten = _SHORTER.get(operation)
    shorter = shorten(*terms) if shorten else None
    return _plain(operation, *terms) if shorter is None else shorter


def _plain(operation: Operation, *terms: Term) -> Term:
    parts = terms[1:] if operation is Operation.CHOOSE else terms
    finite = operation in _MASKS or (
        operation not in _PERHAPS_INFINITE and all(term.finite for term in parts)
    )
    return Term(operation, terms, finite=finite)


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


def _sum(left: Term, right: Term) -> Term | None:
    if _is(left, 0) or _is(right, 0):
        return right if _is(left, 0) else left
    return _sum_of_counts(left, right, 1)


def _product(left: Term, right: Term) -> Term:
    if _are_numbers(left):
        left, right = right, left
    if _are_numbers(right) and left.finite:
        if right.number == 0:
            return _number(0.0)
        weighted = _weighted(left, right.number)
        if weighted is not None:
            return weighted
    return left if _is(right, 1) else _plain(Operation.MULTIPLY, left, right)


def _weighted(count: Term, weight: float) -> Term | None:
    """A sum of cells times a whole number; None where it is something else or weighs too much."""
    if count.operation is not Operation.COUNT or not weight.is_integer():
        return None
    weights = tuple((cell, factor * int(weight)) for cell, factor in count.weights)
    heaviest = max(abs(factor) for _, factor in weights)
    return _count(weights) if heaviest <= MOST_WEIGHT else None


def _choice(mask: Term, there: Term, elsewhere: Term) -> Term | None:
    return (there if mask.number else elsewhere) if _are_numbers(mask) else None


# What makes numbers of numbers; shorter terms, or None where there are none.
_FUNCTIONS: dict[Operation, Any] = {
    Operation.ADD: np.add,
    Operation.SUBTRACT: np.subtract,
    Operation.MULTIPLY: np.multiply,
    Operation.DIVIDE: np.divide,
    Operation.ROOT: np.sqrt,
    Operation.GREATER: np.greater,
    Operation.EQUAL: np.equal,
    Operation.IS_NAN: np.isnan,
}
_SHORTER: dict[Operation, Callable[..., Term | None]] = {
    Operation.ADD: _sum,
    Operation.SUBTRACT: lambda left, right: (
        left if _is(right, 0) else _sum_of_counts(left, right, -1)
    ),
    Operation.MULTIPLY: _product,
    Operation.DIVIDE: lambda left, right: left if _is(right, 1) else None,
    Operation.IS_NAN: lambda operand: _number(0.0) if operand.finite else None,
    Operation.CHOOSE: _choice,
}
_MASKS = frozenset({Operation.GREATER, Operation.EQUAL, Operation.IS_NAN})
_PERHAPS_INFINITE = frozenset({Operation.DIVIDE, Operation.ROOT})
# What is NaN where any part is.
_PASSING = _PERHAPS_INFINITE | {Operation.ADD, Operation.SUBTRACT, Operation.MULTIPLY}


def _elementwise(operation: Operation, inputs: int, *, turned: bool = False) -> Callable[..., Any]:
    def one(*operands: Any) -> Term:
        outcome = _operated(operation, *(operands[::-1] if turned else operands))
        if not isinstance(outcome, Term):
            raise TypeError("neither a term nor a number")
        return outcome

    function: Callable[..., Any] = np.frompyfunc(one, inputs, 1)
    return function


_ELEMENTWISE: dict[Any, Callable[..., Any]] = {
    np.isnan: _elementwise(Operation.IS_NAN, 1),
    np.greater: _elementwise(Operation.GREATER, 2),
    np.less: _elementwise(Operation.GREATER, 2, turned=True),
    np.equal: _elementwise(Operation.EQUAL, 2),
}
_choices = _elementwise(Operation.CHOOSE, 3)
