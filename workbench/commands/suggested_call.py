"""Suggested construction of a class, from the definitions in its file: `GPT(config)`."""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import Any


def suggested_arguments(kind: type, module: ModuleType) -> str | None:
    """Return the arguments that a class needs, as a call would write them.

    The value is None if an argument is not found.

    A parameter is given what the file calls by its name, else a value of the class that it is
    annotated with, or that is named after it (`config`: `GPTConfig`), else such a class made
    without arguments. The file has been run; nothing is called here.
    """
    found: list[str] = []
    for parameter in _required(kind):
        argument = _argument(parameter, module)
        if argument is None:
            return None
        keyword = parameter.kind is parameter.KEYWORD_ONLY
        found.append(f"{parameter.name}={argument}" if keyword else argument)
    return ", ".join(found)


def _required(kind: type) -> list[inspect.Parameter]:
    """Return the parameters that a class requires, or an empty list if its signature is unknown."""
    try:
        parameters = inspect.signature(kind).parameters.values()
    except (TypeError, ValueError):
        return []
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [one for one in parameters if one.default is one.empty and one.kind not in several]


def _argument(parameter: inspect.Parameter, module: ModuleType) -> str | None:
    values = {name: value for name, value in vars(module).items() if _is_value(name, value)}
    if parameter.name in values:
        return parameter.name
    for kind in _kinds(parameter, module):
        name = next((name for name, value in values.items() if type(value) is kind), None)
        if name is not None:
            return name
        if not _required(kind):
            return f"{kind.__name__}()"
    return None


def _kinds(parameter: inspect.Parameter, module: ModuleType) -> list[type]:
    """Return the classes of the file that a parameter may want."""
    own = [
        value
        for name, value in vars(module).items()
        if inspect.isclass(value) and value.__name__ == name and value.__module__ == module.__name__
    ]
    wanted = parameter.annotation  # a string, in a file with `from __future__ import annotations`
    after = parameter.name.replace("_", "").lower()
    return [one for one in own if one is wanted or one.__name__ == wanted] + [
        one for one in own if one.__name__.lower().endswith(after)
    ]


def _is_value(name: str, value: Any) -> bool:
    other = inspect.ismodule(value) or inspect.isclass(value) or inspect.isroutine(value)
    return not name.startswith("__") and not other
