"""Frozen classes do what the standard library's frozen dataclasses do."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from halfwidth.core.frozen import _Later, frozen

SOURCES = Path(__file__).parents[2] / "src" / "halfwidth"


class Checked:
    """What both kinds of class have beside their fields."""

    def __post_init__(self: Any) -> None:
        if self.low > self.high:
            raise ValueError(self.low)

    @cached_property
    def width(self: Any) -> float:
        return float(self.high - self.low)


@frozen
class Ours(Checked):
    low: float
    high: float = 1.0
    names: tuple[str, ...] = ()
    note: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True)
class Standard(Checked):
    low: float
    high: float = 1.0
    names: tuple[str, ...] = ()
    note: str = field(default="", compare=False, repr=False)


@frozen(eq=False, repr=False, kw_only=True)
class Plain:
    low: float


@frozen
class Empty:
    """No fields."""


GIVEN: list[tuple[Any, ...]] = [
    (0.5,),
    (0.5, 1.0),
    (0.5, 0.7, ("a", "b"), "x"),
    (0.5, 0.7, ("a", "b"), "y"),
]


def test_equality_hash_and_text_are_those_of_the_standard_library() -> None:
    ours, standard = [Ours(*given) for given in GIVEN], [Standard(*given) for given in GIVEN]
    assert [[a == b for b in ours] for a in ours] == [[a == b for b in standard] for a in standard]
    assert len(set(ours)) == len(set(standard)) == 2
    assert [repr(one).replace("Ours", "Standard") for one in ours] == list(map(repr, standard))
    others: list[object] = [standard[0], (0.5, 1.0)]
    assert ours[0] not in others
    assert {Empty(): 1}[Empty()] == 1


@pytest.mark.parametrize("kind", [Ours, Standard])
def test_nothing_changes(kind: type[Ours]) -> None:
    one = kind(0.25)
    for name in ("low", "high", "other"):
        with pytest.raises(dataclasses.FrozenInstanceError, match=name):
            setattr(one, name, 0.1)
        with pytest.raises(dataclasses.FrozenInstanceError, match=name):
            delattr(one, name)
    assert one == kind(0.25)


@pytest.mark.parametrize("kind", [Ours, Standard])
def test_tools_for_dataclasses_work(kind: type[Ours]) -> None:
    one = kind(0.25, names=("a",), note="n")
    assert one.width == 0.75
    pickled = pickle.loads(pickle.dumps(one))  # noqa: S301 -- pickled in the line itself
    for same in (pickled, copy.deepcopy(one), dataclasses.replace(one)):
        assert dataclasses.asdict(same) == dataclasses.asdict(one)
        assert same == one
    assert dataclasses.replace(one, high=0.5).high == 0.5
    with pytest.raises(ValueError, match=r"0\.25"):
        dataclasses.replace(one, high=0.0)


@frozen(kw_only=True)
class Several(Plain):
    """A class with a parent, a factory and a field by name alone."""

    high: float = 1.0
    names: list[str] = field(default_factory=list)


def test_a_class_gets_its_fields_when_it_is_first_used() -> None:
    @frozen
    class Unused(Checked):
        low: float
        high: float = field(default=1.0)

    assert isinstance(vars(Unused)["__dataclass_fields__"], _Later)
    assert Unused(0.5).high == Unused.high == 1.0
    assert not any(isinstance(value, _Later) for value in vars(Unused).values())


@pytest.mark.parametrize("ask", [inspect.signature, dataclasses.fields, dataclasses.is_dataclass])
def test_whoever_asks_first_sees_the_finished_class(ask: Callable[[type], object]) -> None:
    def plain() -> type:
        class One:
            low: float
            note: str = field(default="", kw_only=True)
            names: list[str] = field(default_factory=list)

        return One

    assert str(ask(frozen(plain()))) == str(ask(dataclass(frozen=True)(plain())))


def test_parents_factories_and_names_are_those_of_the_standard_library() -> None:
    one, other = Several(low=0.5), Several(low=0.5, names=["a"])
    assert one.names == []
    assert one.names is not Several(low=0.5).names
    assert (one.high, other.names) == (1.0, ["a"])
    assert Several.__match_args__ == ()
    assert Ours.__match_args__ == Standard.__match_args__ == ("low", "high", "names", "note")
    with pytest.raises(TypeError, match=r"Several\(\): missing a required .*argument: 'low'"):
        Several()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"Ours\(\): missing a required argument: 'low'"):
        Ours()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'other'"):
        Ours(0.5, other=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="multiple values for argument 'low'"):
        Ours(0.5, low=0.5)  # type: ignore[misc]
    with pytest.raises(TypeError, match="too many positional arguments"):
        Ours(0.5, 1.0, (), "", 1)  # type: ignore[call-arg]


def test_a_field_without_default_after_one_that_has_one_is_a_mistake() -> None:
    @frozen
    class Wrong:
        low: float = 0.0
        high: float  # type: ignore[misc]

    with pytest.raises(TypeError, match="Wrong: a field without default follows one"):
        Wrong(0.5, 1.0)


def test_threads_that_use_a_class_first_at_the_same_moment_all_get_it() -> None:
    for _ in range(20):

        @frozen
        class New:
            low: float
            names: list[str] = field(default_factory=list)

        together = Barrier(8)

        def make(value: float) -> New:
            together.wait()  # noqa: B023 -- used in this turn of the loop
            return New(value)

        with ThreadPoolExecutor(8) as pool:
            made = list(pool.map(make, range(8)))
        assert [one.low for one in made] == list(range(8))


def test_equality_and_text_can_be_left_out() -> None:
    assert Plain(low=1.0) != Plain(low=1.0)
    assert "object at" in repr(Plain(low=1.0))
    with pytest.raises(TypeError):
        Plain(1.0)  # type: ignore[call-arg]


def test_the_package_defines_frozen_classes_in_no_other_way() -> None:
    for path in SOURCES.rglob("*.py"):
        assert "\n@dataclass(frozen" not in path.read_text(encoding="utf-8"), path
