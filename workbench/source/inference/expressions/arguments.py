"""Arguments of calls: their inferred values."""

from __future__ import annotations

import ast

from workbench.source.inference.context import Context
from workbench.source.types.lattice import (
    UNKNOWN,
    Foreign,
    Items,
    TorchObject,
    Value,
    is_of_numpy,
)
from workbench.source.uses import UseKind

_PYTHONS_DTYPES = {
    "builtins.bool": "torch.bool",
    "builtins.int": "torch.int64",
    "builtins.float": "torch.float64",
    "builtins.complex": "torch.complex128",
}


def evaluate_arguments(
    context: Context, arguments: list[ast.expr], named: list[ast.keyword]
) -> tuple[list[Value], dict[str, Value]]:
    """Return the inferred values of arguments by position and by keyword.

    Unpacked arguments are stored under `**`, since they may fill several parameters.
    """
    values: list[Value] = []
    unpacked: list[Value] = []
    for argument in arguments:
        if isinstance(argument, ast.Starred):
            unpacked.append(context.eval(argument.value))
            values.append(unpacked[-1] if is_of_numpy(unpacked[-1]) else UNKNOWN)
        else:
            values.append(context.eval(argument))
    keywords = {keyword.arg or "**": context.eval(keyword.value) for keyword in named}
    if unpacked:
        unpacked += [keywords["**"]] if "**" in keywords else []
        keywords["**"] = Items("tuple", UNKNOWN, tuple(unpacked))
    return values, keywords


def note_pythons_dtype(context: Context, node: ast.Call, keywords: dict[str, Value]) -> None:
    """Record that `dtype=float` names a torch dtype, as `dtype=torch.float64` does."""
    for keyword in node.keywords:
        named = keywords["dtype"] if keyword.arg == "dtype" else UNKNOWN
        if isinstance(named, Foreign) and named.name in _PYTHONS_DTYPES:
            meant = TorchObject(_PYTHONS_DTYPES[named.name])
            if id(node.func) not in context.of_target:
                context.note(meant.name, UseKind.READ, keyword.value, meant.certainty)
            keywords["dtype"] = meant
