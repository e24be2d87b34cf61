"""Signature of a generated module: its arguments, their checks, and its result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch.export.graph_signature import ConstantArgument, InputKind, OutputKind
from torch.utils import _pytree as pytree

from workbench.capture.checks.guards import guards
from workbench.lower.backend import LowerError
from workbench.lower.writing.notation import literal

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch.export import ExportedProgram

    from workbench.lower.writing.dialect import Dialect


@dataclass
class Signature:
    """The parameters as written, and the first statements of the body."""

    parameters: list[str] = field(default_factory=list)
    opening: list[str] = field(default_factory=list)
    helpers: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class _Leaf:
    index: int


def inputs(program: ExportedProgram, variable: Callable[[str], str], dialect: Dialect) -> Signature:
    """Return how the user's arguments become the graph's inputs.

    Raises:
        LowerError: an argument is a container that generated code cannot unpack.
    """
    specs = [s for s in program.graph_signature.input_specs if s.kind is InputKind.USER_INPUT]
    placeholders = {n.name: n for n in program.graph.nodes if n.op == "placeholder"}
    tree = program.call_spec.in_spec
    if tree is None:
        raise LowerError("the program does not say how it is called; export it again")
    args, kwargs = _unflatten(tree, len(specs))
    call = program.module_call_graph[0].signature
    given = list(getattr(call, "forward_arg_names", None) or [])
    names = [given[i] if i < len(given) else f"input_{i}" for i in range(len(args))]
    signature = Signature()
    constant_from = _trailing_constants([*args, *kwargs.values()], specs)
    symbols: dict[str, str] = {}
    parameters: dict[str, str] = {}
    for place, (name, value) in enumerate([*zip(names, args, strict=True), *kwargs.items()]):
        parameter = _single(value, specs, variable) or name
        default = ""
        if place >= constant_from:
            default = f"={literal(specs[value.index].arg.value, dialect)}"
        signature.parameters.append(f"{parameter}{default}")
        parameters[name] = parameter
        for leaf, path in _paths(value, parameter):
            argument = specs[leaf.index].arg
            if isinstance(argument, ConstantArgument):
                wanted = literal(argument.value, dialect)
                signature.helpers.add("_expect_constant")
                signature.opening.append(f'_expect_constant("{name}", {path}, {wanted})')
                continue
            held = variable(argument.name)
            if path != held:
                signature.opening.append(f"{held} = {path}")
            example = placeholders[argument.name].meta.get("val")
            if isinstance(example, torch.Tensor):
                signature.helpers.add("_expect")
                sizes = _sizes(program, example, held, symbols, signature)
                dtype = dialect.dtype_name(example.dtype)
                check = f'_expect("{held}", {held}, "{dtype}", [{sizes}])'
                signature.opening.append(check)
    # Equal sizes are checked last, after the number of dimensions of every shape.
    signature.opening.sort(key=lambda line: line.startswith("_expect_same"))
    _relations(program, parameters, signature)
    return signature


def _relations(
    program: ExportedProgram, parameters: Mapping[str, str], signature: Signature
) -> None:
    """Add checks of relations between sizes, and of their divisors."""
    for guard in guards(program):
        if any(size.name not in parameters for size in guard.sizes):
            raise LowerError(
                f"the model needs that {guard.text()}, of an argument that has no name in its "
                "forward; give forward named arguments instead of *args"
            )
        letters = {size: f"n{place}" for place, size in enumerate(guard.sizes)}
        held = ", ".join(f"{parameters[s.name]}{s.path}.shape[{s.axis}]" for s in letters)
        names = ", ".join(letters.values())
        condition = guard.text(letters.__getitem__)
        signature.helpers.add("_expect_relation")
        signature.opening.append(
            f"_expect_relation({guard.text()!r}, [{held}], lambda {names}: {condition})"
        )


def _trailing_constants(values: list[Any], specs: list[Any]) -> int:
    """Return the index from which on all arguments are constants, which can have defaults."""
    place = len(values)
    while place and isinstance(values[place - 1], _Leaf):
        argument = specs[values[place - 1].index].arg
        if not isinstance(argument, ConstantArgument):
            break
        place -= 1
    return place


def _single(value: Any, specs: list[Any], variable: Callable[[str], str]) -> str | None:
    if isinstance(value, _Leaf) and not isinstance(specs[value.index].arg, ConstantArgument):
        return variable(specs[value.index].arg.name)
    return None


def _sizes(
    program: ExportedProgram,
    example: torch.Tensor,
    held: str,
    symbols: dict[str, str],
    signature: Signature,
) -> str:
    parts = []
    for axis, size in enumerate(example.shape):
        known = size if isinstance(size, int) else size.node.maybe_as_int()
        if known is not None:
            parts.append(str(known))
            continue
        symbol = size.node.expr
        here = f"{held}.shape[{axis}]"
        if symbol.is_Symbol:
            known = symbols.setdefault(str(symbol), here)
            if known != here:
                signature.helpers.add("_expect_same")
                line = f'_expect_same("{known}", {known}, "{here}", {here})'
                signature.opening.append(line)
        bounds = program.range_constraints.get(symbol)
        low = int(bounds.lower) if bounds is not None and bounds.lower.is_Integer else 0
        high = (
            str(int(bounds.upper))
            if bounds is not None and bounds.upper.is_Integer and int(bounds.upper) < 2**31
            else "None"
        )
        parts.append(f"({low}, {high})")
    return ", ".join(parts)


def _unflatten(tree: Any, count: int) -> Any:
    try:
        return pytree.tree_unflatten([_Leaf(i) for i in range(count)], tree)
    except Exception as error:
        raise LowerError(
            f"a container of this model cannot be rebuilt ({error}); "
            "take and return tuples, lists or dicts"
        ) from error


def _paths(value: Any, path: str) -> list[tuple[_Leaf, str]]:
    if isinstance(value, _Leaf):
        return [(value, path)]
    if isinstance(value, Mapping):
        return [p for key, item in value.items() for p in _paths(item, f"{path}[{key!r}]")]
    if isinstance(value, (list, tuple)):
        return [p for i, item in enumerate(value) for p in _paths(item, f"{path}[{i}]")]
    if value is None:
        return []
    raise LowerError(
        f"the argument {path} is a {type(value).__name__}, which generated code cannot unpack;"
        " pass its tensors one by one"
    )


def outputs(program: ExportedProgram, variable: Callable[[str], str], dialect: Dialect) -> str:
    """Return the expression of the result, in the containers that the model returned.

    Named containers of other libraries (such as a model output) become dicts.
    """
    leaves = []
    for spec in program.graph_signature.output_specs:
        if spec.kind is OutputKind.USER_OUTPUT:
            constant = isinstance(spec.arg, ConstantArgument)
            leaves.append(literal(spec.arg.value, dialect) if constant else variable(spec.arg.name))
    tree = program.call_spec.out_spec
    if tree is None:
        return leaves[0] if len(leaves) == 1 else f"({', '.join(leaves)},)"
    return _rendered(_unflatten(tree, len(leaves)), leaves)


def _rendered(value: Any, leaves: list[str]) -> str:
    if isinstance(value, _Leaf):
        return leaves[value.index]
    if value is None:
        return "None"
    if isinstance(value, Mapping):
        items = (f"{key!r}: {_rendered(item, leaves)}" for key, item in value.items())
        return "{" + ", ".join(items) + "}"
    if isinstance(value, tuple):
        inner = ", ".join(_rendered(item, leaves) for item in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, list):
        return f"[{', '.join(_rendered(item, leaves) for item in value)}]"
    fields = getattr(value, "__dict__", None)
    if fields:
        return _rendered(dict(fields), leaves)
    raise LowerError(f"the model returns a {type(value).__name__}; return tuples, lists or dicts")
