"""Formulas as the steps of a small machine, whose registers are rows of resamples.

A count is a difference of cumulated draws: with cases in the order of their cells, the draws up to
the end of the run of a cell less those up to its start. So a sum of cells is a sum of pairs of
boundaries, few where neighbouring cells weigh alike.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array
from halfwidth.resampling.kernels.formulas import Operation, Term, read_off, without_nan

# Resamples in a register.
WIDTH = 256


class Step(IntEnum):
    """What a step does; the first are those of `Operation`."""

    COUNT = Operation.COUNT
    ADD = Operation.ADD
    SUBTRACT = Operation.SUBTRACT
    MULTIPLY = Operation.MULTIPLY
    DIVIDE = Operation.DIVIDE
    ROOT = Operation.ROOT
    GREATER = Operation.GREATER
    EQUAL = Operation.EQUAL
    IS_NAN = Operation.IS_NAN
    CHOOSE = Operation.CHOOSE
    CHOOSE_IF_NAN = 11
    ADD_TO = 12
    ADD_PRODUCT_TO = 13


@frozen
class Program:
    """Steps that work out one value for each resample."""

    # (L, 5): the `Step`, the register it writes, and up to three that it reads; of a `COUNT` the
    # first of its pairs, the end of them, and what they are multiplied by
    steps: NDArray[np.int64]
    # How many of the steps, the first, are for resamples where nothing that the formula asks about
    # is NaN: for all others they give NaN. The others do without them. 0 where the formula asks
    # about nothing.
    quick: int
    # The register of the value after those, and after the others
    quick_result: int
    result: int
    # (P, 2): boundaries between cells, 0 to the number of cells: a count is the draws up to the
    # second less those up to the first
    pairs: NDArray[np.int64]
    numbers: Array  # (K,): what the first K registers hold
    registers: int


def program_of(finish: Callable[[Any], Any], n_cells: int) -> Program | None:
    """The program of a function of counts; None where its formula cannot be read off."""
    try:
        return _kept(finish, n_cells)
    except TypeError:  # it cannot be hashed
        return _written(finish, n_cells)


def _written(finish: Callable[[Any], Any], n_cells: int) -> Program | None:
    term = read_off(finish, n_cells)
    if term is None or term.operation is Operation.NUMBER:
        return None
    short, shared = without_nan(term), _Shared()
    quick, full = _Writer(shared), _Writer(shared)
    quick_result = 0 if short is None else quick.value(quick.node(short))
    result = full.value(full.node(term))
    steps = np.array(quick.steps + full.steps, dtype=np.int64)
    # Numbers come first; until they were counted they had places below 0.
    first = len(shared.numbers)
    registers = np.where(steps < 0, -1 - steps, steps + first)
    is_count = steps[:, 0] == Step.COUNT
    steps[:, 1] = registers[:, 1]
    steps[~is_count, 2:] = registers[~is_count, 2:]
    return Program(
        steps,
        len(quick.steps),
        quick_result + first,
        result + first,
        np.array(shared.pairs, dtype=np.int64),
        np.array(list(shared.numbers), dtype=float),
        first + max(quick.registers, full.registers),
    )


_kept = functools.lru_cache(maxsize=256)(_written)


# --------------------------------------------------------------------------- writing


class _Shared:
    """What two programs of one formula have in common: numbers, and pairs of boundaries."""

    def __init__(self) -> None:
        self.numbers: dict[float, int] = {}
        self.pairs: list[tuple[int, int]] = []
        self.runs: dict[tuple[tuple[int, int], ...], tuple[int, int, int]] = {}

    def number(self, value: float) -> int:
        """The register of a number, as -1, -2, ... until their number is known."""
        return -1 - self.numbers.setdefault(value, len(self.numbers))

    def run(self, weights: tuple[tuple[int, int], ...]) -> tuple[int, int, int]:
        """The pairs of a sum of cells, from the first to before the last, and their factor."""
        if weights not in self.runs:
            factor = math.gcd(*(weight for _, weight in weights))
            at: dict[int, int] = {}
            for cell, weight in weights:
                at[cell + 1] = at.get(cell + 1, 0) + weight // factor
                at[cell] = at.get(cell, 0) - weight // factor
            starts = [place for place, times in sorted(at.items()) for _ in range(-times)]
            ends = [place for place, times in sorted(at.items()) for _ in range(times)]
            first = len(self.pairs)
            self.pairs += zip(starts, ends, strict=True)
            self.runs[weights] = first, len(self.pairs), factor
        return self.runs[weights]


Node = tuple[int, tuple[int, ...], Any]


class _Writer:
    """Writes each value that a formula needs once, and gives its register back after its last use.

    A register is never read and written in one step, but for those that something is added to:
    only so can a compiler tell that a step may take several resamples at a time.
    """

    def __init__(self, shared: _Shared) -> None:
        self.steps: list[list[int]] = []
        self.registers = 0
        self._shared = shared
        self._nodes: list[Node] = []
        self._uses: list[int] = []
        self._of_key: dict[Node, int] = {}
        self._of_term: dict[Term, int] = {}
        self._held: dict[int, int] = {}
        self._free: list[int] = []

    def node(self, term: Term) -> int:
        """The number of a value; terms of equal values have one number."""
        if term in self._of_term:
            return self._of_term[term]
        step, parts = int(term.operation), term.operands
        if term.operation is Operation.CHOOSE and parts[0].operation is Operation.IS_NAN:
            step, parts = Step.CHOOSE_IF_NAN, (parts[0].operands[0], *parts[1:])
        exact = term.number if term.operation is Operation.NUMBER else None
        key: Node = (step, tuple(self.node(part) for part in parts), (term.weights, exact))
        if key not in self._of_key:
            self._of_key[key] = len(self._nodes)
            self._nodes.append(key)
            self._uses.append(0)
            for part in key[1]:
                self._uses[part] += 1
        return self._of_term.setdefault(term, self._of_key[key])

    def value(self, node: int) -> int:
        """The register of a value, written now if it has not been."""
        if node in self._held:
            return self._held[node]
        step, parts, (weights, number) = self._nodes[node]
        if step == Operation.NUMBER:
            register = self._shared.number(number)
        elif step == Step.COUNT:
            register = self._write(step, (), self._shared.run(weights))
        elif step == Step.ADD:
            register = self._sum(*parts)
        else:
            register = self._write(step, parts)
        self._held[node] = register
        return register

    def _sum(self, left: int, right: int) -> int:
        """A sum; where a part is needed no more, the other is added to it in its place."""
        if not self._is_last(left) or self._is_product(left):
            left, right = right, left
        if not self._is_last(left):
            return self._write(Step.ADD, (left, right))
        into = self.value(left)
        if self._is_product(right):
            factors = self._nodes[right][1]
            self.steps.append(self._step(Step.ADD_PRODUCT_TO, into, factors))
        else:
            self.steps.append(self._step(Step.ADD_TO, into, (right,)))
        self._uses[left] = 0
        return into

    def _is_last(self, node: int) -> bool:
        return self._uses[node] == 1 and self._nodes[node][0] != Operation.NUMBER

    def _is_product(self, node: int) -> bool:
        """Whether it is a product that nothing else needs, and that is not written yet."""
        alone = self._uses[node] == 1 and node not in self._held
        return alone and self._nodes[node][0] == Step.MULTIPLY

    def _write(self, step: int, parts: tuple[int, ...], operands: tuple[int, ...] = ()) -> int:
        """A step into a free register."""
        read = [self.value(part) for part in parts]
        if not self._free:
            self._free.append(self.registers)
            self.registers += 1
        into = self._free.pop()
        self._give_back(parts)
        self.steps.append([step, into, *([*read, *operands, 0, 0, 0][:3])])
        return into

    def _step(self, step: int, into: int, parts: tuple[int, ...]) -> list[int]:
        read = [self.value(part) for part in parts]
        self._give_back(parts)
        return [step, into, *([*read, 0, 0][:3])]

    def _give_back(self, parts: tuple[int, ...]) -> None:
        for part in parts:
            self._uses[part] -= 1
            if not self._uses[part] and self._held[part] >= 0:
                self._free.append(self._held[part])
