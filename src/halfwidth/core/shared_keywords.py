"""Keywords that several functions share: declared once, with their defaults."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


def with_keywords(defaults: Mapping[str, Any]) -> Callable[[F], F]:
    """Let a function that takes ``**options`` have all of them, and show them in its signature.

    Its type says what each may be (``**options: Unpack[SomeTypedDict]``).

    Examples
    --------
    >>> @with_keywords({"better": "higher"})
    ... def best(values, **options): return (max if options["better"] == "higher" else min)(values)
    >>> best([1, 2]), best([1, 2], better="lower")
    (2, 1)
    >>> print(inspect.signature(best))
    (values, *, better='higher')
    """

    def decorate(function: F) -> F:
        kinds, own = inspect.Parameter, inspect.signature(function)
        named = [one for one in own.parameters.values() if one.kind is not kinds.VAR_KEYWORD]
        shared = [
            kinds(name, kinds.KEYWORD_ONLY, default=value) for name, value in defaults.items()
        ]

        @functools.wraps(function)
        def called(*args: Any, **given: Any) -> Any:
            return function(*args, **{**defaults, **given})

        called.__dict__["__signature__"] = own.replace(parameters=[*named, *shared])
        return cast("F", called)

    return decorate
