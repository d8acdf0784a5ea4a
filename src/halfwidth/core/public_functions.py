"""Public functions that answer an option of another library with their own name for it."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType, NoneType
from typing import Any, TypeVar, cast

from halfwidth.core.errors import DataError, OptionError, closest, one_line, shortened, shown
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import flag_of, spelled
from halfwidth.core.option_table.data import MATCHING
from halfwidth.core.option_table.inference import COMPARISON, INTERVAL, QUANTITIES
from halfwidth.core.option_table.option import Group, Option
from halfwidth.core.option_table.table import NOT_NEEDED, OPTIONS, SAID_BY
from halfwidth.core.row_labels import has_columns

F = TypeVar("F", bound=Callable[..., Any])
# What verbs call the data that they take.
TAKES_DATA = {"data", "new"}
# Of the short doors, by what they take first: what takes all options of their data.
LONGER_ROADS = {
    ("y_true", "y_score"): (
        "Predictions",
        "estimate(Predictions.from_arrays(y_true, y_score{}), metric=...",
    ),
    ("values", "other"): (
        "CaseValues",
        "compare(CaseValues.from_arrays({{'A': values, 'B': other}}{})",
    ),
    ("values",): ("CaseValues", "estimate(CaseValues.from_arrays(values{})"),
}
# Options of the matching of detections, which is one value.
OF_MATCHING = {
    name.rpartition(".")[2]: one for name, one in MATCHING.items() if one.group is Group.MATCHING
}
METRIC_NAMES = ("metric", *OPTIONS["metric"].elsewhere.split())


class WrongCallError(OptionError, TypeError):
    """Values that do not fit the parameters; Python's own error for them is a `TypeError`."""


class NotEnoughMemoryError(DataError, MemoryError):
    """More than the memory holds; Python's own error for it is a `MemoryError`."""


class UnknownOptionError(WrongCallError):
    """A keyword that a function does not take."""


@frozen
class _Parameters:
    """What a function takes."""

    function: str
    # Those that may be given without their names, in order.
    placed: tuple[str, ...]
    named: tuple[str, ...]
    required: tuple[str, ...]
    # Returns the kinds of data, which an unknown keyword may describe.
    kinds: Callable[[], Iterable[type]]

    def check(self, args: tuple[Any, ...], options: Mapping[str, Any]) -> None:
        """Refuse unknown keywords, too many values, those given twice, and such as are lacking."""
        names = self.placed + self.named
        for option in options:
            if option not in names:
                text = _unknown_option_text(self.function, option, options, names, self.kinds)
                line = _line_to_copy(self, args, options) if TAKES_DATA & {*names} else ""
                raise UnknownOptionError(f"{text}{line}")
        given = self.placed[: len(args)]
        twice = [name for name in given if name in options]
        lacking = [name for name in self.required if name not in given and name not in options]
        if len(args) > len(self.placed):
            most = f"{len(self.placed)} positional argument{'s' * (len(self.placed) != 1)}"
            what = f"takes {most} ({shortened(self.placed)}), got {len(args)}"
        elif twice:
            what = f"got {twice[0]} both by position and by name"
        elif lacking:
            what = f"lacks {' and '.join(lacking)}"
        else:
            return
        raise WrongCallError(f"{self.function}() {what}; write {self.call}")

    @property
    def call(self) -> str:
        """How it is called: all without names, what is required, else the first of the others."""
        placed = self.placed or self.required[:1]
        required = [name for name in self.named if name in self.required]
        named = [f"{name}=..." for name in required or self.named[:1]]
        return f"{self.function}({', '.join([*placed, *named])})"


def public_function(
    function: Any, home: str, name: str, kinds: Callable[[], Iterable[type]] = tuple
) -> Any:
    """A function as users get it: an unknown keyword raises an error that names the right one.

    It is pickled by the public module ``home`` and its name there. ``kinds`` returns the kinds of
    data, which an unknown keyword may describe. Anything but a plain function is returned
    unchanged.

    >>> def draw(n, *, rng=None): return n
    >>> public_function(draw, "halfwidth", "draw")(3, seed=1)
    Traceback (most recent call last):
    ...
    halfwidth.core.public_functions.UnknownOptionError: draw() has no option seed; it is called rng
    """
    if not isinstance(function, FunctionType):
        return function
    checked = checked_call(function, name, kinds)
    if checked is function:
        return function
    checked.__module__, checked.__name__, checked.__qualname__ = home, name, name
    return checked


def checked_call(
    function: F, name: str, kinds: Callable[[], Iterable[type]] = tuple, own: int = 0
) -> F:
    """A function whose calls are checked, but for its ``own`` parameters; ``name`` for messages."""
    of = inspect.Parameter
    parameters = [*inspect.signature(function).parameters.values()][own:]
    if any(one.kind in (of.VAR_KEYWORD, of.VAR_POSITIONAL) for one in parameters):
        return function
    takes = _Parameters(
        name,
        tuple(one.name for one in parameters if one.kind is not of.KEYWORD_ONLY),
        tuple(one.name for one in parameters if one.kind is of.KEYWORD_ONLY),
        tuple(one.name for one in parameters if one.default is of.empty),
        kinds,
    )

    @functools.wraps(function)
    def checked(*args: Any, **options: Any) -> Any:
        takes.check(args[own:], options)
        try:
            return function(*args, **options)
        except MemoryError as error:
            # NumPy says how much it was to be.
            how_much = f" ({one_line(error)})" if str(error) else ""
            raise NotEnoughMemoryError(
                f"there is not enough memory for {name}(){how_much}; take fewer cases at a time, "
                f"fewer classes or a smaller {spelled('n_resamples')}"
            ) from error

    return cast("F", checked)


def checked_options(constructor: F) -> F:
    """A constructor of a class, to which an unknown keyword is no plain `TypeError`."""
    return checked_call(constructor, constructor.__qualname__, own=1)


def _unknown_option_text(
    function: str,
    unknown: str,
    options: Mapping[str, Any],
    names: tuple[str, ...],
    kinds: Callable[[], Iterable[type]],
) -> str:
    text = f"{function}() has no option {unknown}"
    flag = f"--{unknown.replace('_', '-')}"
    option = next(
        (
            name
            for name in names
            if unknown in OPTIONS.get(name, Option()).elsewhere.split() or flag == flag_of(name)
        ),
        None,
    )
    takes_data = bool(TAKES_DATA & {*names})
    not_needed = NOT_NEEDED.get(unknown) if takes_data else None
    # Of constructors, which have a dot.
    verb = _verb_of(unknown) if "." in function and option is None else ""
    if said := not_needed or verb or _said_otherwise(unknown, names, kinds):
        return f"{text}; {said}"
    if unknown == "alpha" and option is not None:
        alpha = options[unknown]
        level = f" ({1 - alpha:.10g})" if isinstance(alpha, float) and 0 < alpha < 1 else ""
        return f"{text}; it is called {option}, which is 1 - alpha{level}"
    if option is not None:
        return f"{text}; it is called {option}"
    part = next(
        (one for one, known in OF_MATCHING.items() if unknown in (one, *known.elsewhere.split())),
        None,
    )
    matching = f"matching={{{part!r}: ...}}"
    if part is not None and "matching" in names:
        return f"{text}; it is part of the matching: {matching}"
    if takes_data:
        ours = {name for name, one in OPTIONS.items() if unknown in one.elsewhere.split()}
        called = {unknown} | ours
        options_of = {one.__name__: called & _options_of(one) for one in kinds()}
        known = set().union(*options_of.values())
        takers = ", ".join(kind for kind, options in options_of.items() if options)
        matched = "" if part is None else f"Detections, {matching}"
        if makers := " or ".join(filter(None, (takers, matched))):
            renamed = f"is called {min(known)} and " if known and unknown not in known else ""
            where = f"give it where these are made ({makers})"
            return f"{text}; it {renamed}describes the data: {where}"
    nearest = closest(unknown, names)
    return f"{text}; did you mean {nearest}?" if nearest else f"{text}; it has {shortened(names)}"


def _verb_of(unknown: str) -> str:
    """Where an option belongs that describes no data, if it is one of verbs."""
    for name, known in {**INTERVAL, **COMPARISON, **QUANTITIES}.items():
        if "." not in name and unknown in (name, *known.elsewhere.split()):
            verb = "compare" if name in COMPARISON else "estimate"
            return f"it describes no data, and verbs have it: {verb}(data, {name}=...)"
    return ""


def _said_otherwise(
    unknown: str, names: tuple[str, ...], kinds: Callable[[], Iterable[type]]
) -> str:
    """What says the same, where an option is a value of another, or of a longer road."""
    said_by, value = SAID_BY.get(unknown, ("", ""))
    if said_by in names:
        return f"{spelled(said_by, value)} says so"
    if unknown in METRIC_NAMES and "kind" in names:
        return "kind= says which curve it is; estimate(data, metric=...) has the area under it"
    if unknown in ("costs", "priors"):
        said = f"functools.partial(metrics.expected_cost, {unknown}=...)"
        return f"it is a parameter of the metric: {said}"
    door = next(
        (arguments for arguments in LONGER_ROADS if names[: len(arguments)] == arguments), ()
    )
    if not door:
        return ""
    kind, road = LONGER_ROADS[door]
    described = any(one.__name__ == kind and unknown in _options_of(one) for one in kinds())
    if not described and unknown not in ("n_threads", *OPTIONS["n_threads"].elsewhere.split()):
        return ""
    ends = (f", {unknown}=...", "") if described else ("", ", n_threads=...")
    return f"{road.format(ends[0])}{ends[1]}) has it"


def _line_to_copy(takes: _Parameters, args: tuple[Any, ...], options: Mapping[str, Any]) -> str:
    """The call that was meant, in the caller's names, where options describe values of cases."""
    kinds = tuple(takes.kinds())
    if not 0 < len(args) < 3 or isinstance(args[0], kinds):
        return ""
    maker = "from_table" if has_columns(args[0]) else "from_arrays"
    kind = next(one for one in kinds if one.__name__ == "CaseValues")
    known = {*inspect.signature(getattr(kind, maker)).parameters}
    ours = {
        other: name for name in known for other in OPTIONS.get(name, Option()).elsewhere.split()
    }
    moved = {n: ours.get(n, n) for n in options if n not in takes.placed + takes.named}
    # Of two arrays estimate takes the second for predictions.
    alone = maker == "from_table" or takes.function == "estimate"
    if not known.issuperset(moved.values()) or (len(args) == 2 and alone):
        return ""
    names = _names_of_caller()
    library = f"{names[at]}." if (at := id(sys.modules.get("halfwidth"))) in names else ""
    called = [names.get(id(one), "...") for one in args]
    data = called[0] if len(args) == 1 else f"{{'A': {called[0]}, 'B': {called[1]}}}"
    given = {name: _written(value, names) for name, value in options.items()}
    described = ", ".join([data, *(f"{ours}={given[name]}" for name, ours in moved.items())])
    rest = "".join(f", {name}={given[name]}" for name in options if name not in moved)
    return f": {library}{takes.function}({library}CaseValues.{maker}({described}){rest})"


def _names_of_caller() -> dict[int, str]:
    """What the code that called a public function calls its values."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__") == __name__:
        frame = frame.f_back
    if frame is None:
        return {}
    held = {**frame.f_globals, **frame.f_locals}
    return {id(value): name for name, value in held.items() if not name.startswith("_")}


def _written(value: Any, names: Mapping[int, str]) -> str:
    plain = isinstance(value, str | int | float | bool | list | tuple | NoneType)
    text = shown(value) if plain else ""
    return text if text and not text.endswith("...") else names.get(id(value), "...")


def _options_of(kind: type) -> set[str]:
    """What the constructors of a kind of data take."""
    makers = [getattr(kind, name) for name in vars(kind) if name.startswith("from_")]
    return {name for maker in makers for name in inspect.signature(maker).parameters}
