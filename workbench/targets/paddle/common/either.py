"""Common parts of forms for a function and the method of its name: `torch.sign(x)`, `x.sign()`."""

from __future__ import annotations

import ast

from workbench.rules.difference import Differs, at
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.source.traits.masking import moved_name
from workbench.source.traits.program import Program
from workbench.source.types import dtypes
from workbench.source.types.lattice import Tensor, Value
from workbench.words import words

# Functions that return complex tensors, and their dtypes.
_MAKING_COMPLEX = words(
    "complex polar view_as_complex fft ifft fft2 ifft2 fftn ifftn rfft rfft2 rfftn ihfft stft eig "
    "eigvals"
)
_COMPLEX = words("complex64 complex128 cfloat cdouble")


def tensor_of(match: Match) -> Value:
    """Return the known value of the tensor, a method's receiver or a function's first argument."""
    return match.value("input") if match.use.receiver is None else match.use.receiver_value


def first(match: Match) -> str:
    """Return the placeholder of that tensor in a template."""
    return "{input}" if match.use.receiver is None else "{self}"


def same(match: Match, differs: Differs = ()) -> Outcome:
    """Return the same call of the function or method, with the required arguments by position."""
    function = match.use.receiver is None
    name = match.use.name.rpartition(".")[2]
    callee = f"paddle.{name}" if function else f"{{self}}.{name}"
    parameters = match.signature.parameters
    required = [one.name for one in parameters if one.default is None and one.name != "dim"]
    if match.use.keywords.keys().isdisjoint(required):
        return (
            Rewrite(callee, callee_only=True, differs=differs)
            if function
            else Keep(differs=differs)
        )
    names = [one.name for one in parameters if one.name in match]
    last = max((place for place, one in enumerate(names) if one in required), default=-1)
    in_front = names[: last + 1]  # narrow(x, dim, start, length)
    placed = [f"{{{one}}}" for one in in_front]
    rest = [f"{one}={{{one}}}" for one in match.arguments if one not in in_front]
    return Rewrite(f"{callee}({', '.join([*placed, *rest])})", differs=differs)


def may_be_complex(program: Program, *values: Value) -> bool:
    """Return whether values of one dtype may be complex: unknown ones if the program makes such."""
    kinds = {dtypes.kind(one.dtype) if isinstance(one, Tensor) else None for one in values}
    if 3 in kinds:
        return True
    return kinds == {None} and (program.calls(*_MAKING_COMPLEX) or program.reads(*_COMPLEX))


def is_unpacked(match: Match) -> bool:
    """Return whether the result of a call is unpacked into names: `v, k = x.topk(2)`."""
    statement = match.use.statement
    return (
        isinstance(statement, ast.Assign)
        and statement.value is match.use.node
        and all(isinstance(one, ast.Tuple) for one in statement.targets)
    )


def unless_bool(match: Match) -> Differs:
    """Return the difference that bools raise, if the tensor may contain some."""
    value, name = tensor_of(match), match.use.name.rpartition(".")[2]
    if isinstance(value, Tensor) and value.dtype is not None:
        return ()
    return at(f"{name} of boolean tensors raises an error in {{target}}")


def may_be_mask(match: Match) -> bool:
    """Return whether the program shows that a tensor of unknown dtype may be a boolean mask."""
    value, node = tensor_of(match), match.use.receiver
    if isinstance(value, Tensor) and value.dtype is not None:
        return False
    if node is None:
        node = next((one.node for one in match.arguments.values() if 0 in one.indexes), None)
    name = moved_name(node) if node is not None else None
    return name is not None and match.program.may_be_mask(match.use.function, name)


def is_bool(value: Value) -> bool:
    """Return whether a value is known to be a bool tensor."""
    return isinstance(value, Tensor) and value.dtype == "bool"
