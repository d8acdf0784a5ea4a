"""Options that several verbs have, declared once as the parameters of a function."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from halfwidth.cli.answer import Answer


def with_options(*groups: Callable[..., None]) -> Callable[[Callable[..., Answer]], Any]:
    """Give a verb the options of groups behind its own; it finds them in its context.

    Parameters
    ----------
    *groups : callable
        Functions whose parameters are declared as those of a verb. They are never called.

    Examples
    --------
    >>> def naming(by: str = "model") -> None: ...
    >>> @with_options(naming)
    ... def verb(ctx, strict: bool = False): ...
    >>> list(inspect.signature(verb).parameters)
    ['ctx', 'strict', 'by']
    """

    def decorate(verb: Callable[..., Answer]) -> Any:
        own = inspect.signature(verb, eval_str=True).parameters
        shared = [inspect.signature(group, eval_str=True).parameters for group in groups]
        parameters = [*own.values(), *(one for group in shared for one in group.values())]

        @functools.wraps(verb)
        def called(**given: Any) -> Answer:
            return verb(**{name: given[name] for name in own})

        # The parser reads these, and not what is wrapped.
        called.__dict__["__signature__"] = inspect.Signature(parameters, return_annotation=Answer)
        annotations = {one.name: one.annotation for one in parameters}
        called.__annotations__ = {**annotations, "return": Answer}
        return called

    return decorate


def names_in(*groups: Callable[..., None]) -> tuple[str, ...]:
    """The names of the options of groups."""
    return tuple(name for group in groups for name in inspect.signature(group).parameters)
