"""Numbers that one option gives: one for all metrics, or one for each by its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from halfwidth.core.catalogue import plain_name
from halfwidth.core.checks import as_number
from halfwidth.core.errors import OptionError, UnknownNameError, shortened
from halfwidth.core.option_names import spelled
from halfwidth.core.parameters import bind, parse_name
from halfwidth.core.spec import Metric

Numbers = float | Mapping[str, float]


def as_numbers(option: str, value: Any) -> Numbers:
    """A finite number, or one for each metric by its name."""
    if not isinstance(value, Mapping):
        return as_number(option, value)
    if not value:
        raise OptionError(f"{spelled(option, value)} names no metric; give a number for each")
    return {str(name): as_number(option, number) for name, number in value.items()}


def each_of(numbers: Numbers) -> list[float]:
    """The numbers, however they were given."""
    return list(numbers.values()) if isinstance(numbers, Mapping) else [numbers]


def number_of(numbers: Numbers | None, metric: Metric) -> float | None:
    """The number of a metric, a name with parameters before one alone; None where none is given."""
    if not isinstance(numbers, Mapping):
        return numbers
    named = [(":" in name, number) for name, number in numbers.items() if _is(metric, name)]
    return max(named, default=(False, None), key=lambda one: one[0])[1]


def check_numbers(
    option: str,
    numbers: Numbers | None,
    metrics: Sequence[Metric],
    needed: Sequence[Metric] = (),
    *,
    in_unit: bool = True,
) -> None:
    """Refuse unknown names, ``needed`` metrics that lack a number, and one for several units."""
    names = list(dict.fromkeys(one.spec.name for one in metrics))
    if isinstance(numbers, Mapping):
        for name in numbers:
            if not any(_is(one, name) for one in metrics):
                raise UnknownNameError(f"metric of {spelled(option)}", name, names)
        without = [one.spec.name for one in needed if number_of(numbers, one) is None]
        if without:
            listed = shortened([*dict.fromkeys(without)])
            raise OptionError(
                f"{spelled(option, numbers)} has no number for {listed}; give each metric its own"
            )
        return
    units = {one.unit: one for one in metrics}
    if numbers and in_unit and len(units) > 1:
        told = [f"{one.spec.called} ({unit or 'without a unit'})" for unit, one in units.items()]
        raise OptionError(
            f"{spelled(option, numbers)} is one number for metrics of different units, "
            f"{shortened(told)}; give each its own: "
            f"{spelled(option, dict.fromkeys(names, 'NUMBER'))}"
        )


def check_penalty(penalty: Numbers | None, metrics: Sequence[Metric]) -> None:
    """Refuse names of no metric, and one penalty of several units."""
    alone = not isinstance(penalty, Mapping)
    taking = [one for one in metrics if one.spec.worst is None] if alone else metrics
    check_numbers("penalty", penalty, taking)


def penalty_of(penalty: Numbers | None, metric: Metric, *, several: bool) -> Numbers | None:
    """The penalty of a metric; where others alone are named these, for the error to say so."""
    if several and not isinstance(penalty, Mapping) and metric.spec.worst is not None:
        return None
    own = number_of(penalty, metric)
    return penalty if own is None else own


def _is(metric: Metric, name: str) -> bool:
    """Whether a name, maybe with some parameters, is that of a metric."""
    called, values = parse_name(name, lambda _: metric.spec.parameters)
    names = (metric.spec.name, *metric.spec.synonyms)
    if plain_name(called) not in map(plain_name, names):
        return False
    bound = bind(called, metric.spec.parameters, values, complete=False) if values else {}
    return all(bound[key] == metric.parameters.get(key) for key in values)
