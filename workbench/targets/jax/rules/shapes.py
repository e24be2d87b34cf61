"""Shapes, joining and splitting."""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.rules.difference import unless
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite
from workbench.source.tree import is_path
from workbench.source.types import dtypes
from workbench.source.types.lattice import UNKNOWN, Items, Tensor, Value
from workbench.targets.jax.writing import NOWHERE, Functions, T, written

rules = Functions()


@rules.rule(T + "view")
def view(match: Match) -> Outcome:
    """Write a reshape; a view of the bits has a method of its own in JAX."""
    if "size" not in match:
        return Refusal("pass the size by position", "x.reshape(2, 3)")
    if dtypes.of_value(match.value("size")):
        return Rewrite("{self}.view(*{size})")
    if _is_numbers(match, "size"):
        return Rewrite("{self}.reshape(*{size})")
    if ast.unparse(match.arguments["size"].node).endswith("dtype"):
        return Refusal("it is not known whether it views the bits as another dtype")
    return Rewrite("{self}.reshape(*{size})")


def _is_numbers(match: Match, name: str) -> bool:
    argument = match.arguments[name]
    return len(argument.nodes) > 1 or match.is_number(name) or match.is_sequence(name)


@rules.rule(T + "reshape")
def reshape(match: Match) -> Outcome:
    if "shape" not in match:
        return Refusal("pass the size by position", "x.reshape(2, 3)")
    return Keep()


rules.row("torch.reshape", "{input}.reshape({shape})")
for _name in ("view_as", "reshape_as"):
    rules.row(T + _name, "{self}.reshape({other}.shape)")


@rules.rule(T + "permute")
def permute(match: Match) -> Outcome:
    """Write `transpose`, which takes the dimensions as numbers or as a sequence too."""
    if "sizes" in match:
        return Rewrite("{self}.transpose(*{sizes})")
    return Rewrite("{self}.transpose({dims})")


rules.row("torch.permute", "{input}.transpose({dims})")


@rules.rule(T + "expand")
def expand(match: Match) -> Outcome:
    name = "sizes" if "sizes" in match else "size"
    argument = match.arguments.get(name)
    if argument is None or "implicit" in match:
        return Refusal("its arguments have no equivalent")
    return Rewrite(f"torch_expand({{self}}, {{{name}}})")


rules.row(T + "expand_as", "jnp.broadcast_to({self}, {other}.shape)")
rules.both("broadcast_to", "torch_expand({input}, {size})")


@rules.rule(T + "repeat")
def repeat(match: Match) -> Outcome:
    if "implicit" in match:
        return Refusal("its argument `implicit` has no equivalent")
    if "sizes" not in match:
        return Rewrite("jnp.tile({self}, {repeats})")
    if len(match.arguments["sizes"].nodes) > 1 or match.is_number("sizes"):
        return Rewrite("jnp.tile({self}, {sizes})")
    return Rewrite("jnp.tile({self}, torch_sizes({sizes}))")


@rules.rule(T + "tile")
def tile(match: Match) -> Outcome:
    name = "sizes" if "sizes" in match else "dims"
    return Rewrite(f"jnp.tile({{self}}, torch_sizes({{{name}}}))")


rules.row("torch.tile", "jnp.tile({input}, {dims})")


@rules.deciding("squeeze")
def squeeze(match: Match) -> Outcome:
    if "dim" not in match:
        return written(match, "{input}.squeeze()")
    return written(match, "torch_squeeze({input}, {dim})")


rules.both("unsqueeze", "jnp.expand_dims({input}, {dim})")


@rules.deciding("flatten")
def flatten(match: Match) -> Outcome:
    if "start_dim" not in match and "end_dim" not in match:
        return written(match, "{input}.reshape(-1)")
    start, end = match.constant("start_dim", 0), match.constant("end_dim", -1)
    given = match.arguments.get("input")  # none in `partial(torch.flatten, start_dim=1)`
    node = match.use.receiver or (given.node if given is not None else None)
    written_out = type(start) is int and 0 < start <= len(_KEPT)
    if written_out and end == -1 and node is not None and is_path(node):
        return written(match, f"{{input}}.reshape({_KEPT[start - 1]}, -1)", *match.arguments)
    return written(match, "torch_flatten({input}, start_dim={start_dim}, end_dim={end_dim})")


# The dimensions that `flatten` keeps, by their number.
_KEPT = ("{input}.shape[0]", "*{input}.shape[:2]", "*{input}.shape[:3]")


rules.both("ravel", "{input}.reshape(-1)")
rules.both("unflatten", "torch_unflatten({input}, {dim}, {sizes})")
for _name in ("transpose", "swapaxes", "swapdims"):
    _first, _second = ("axis0", "axis1") if _name == "swapaxes" else ("dim0", "dim1")
    rules.both(_name, f"{{input}}.swapaxes({{{_first}}}, {{{_second}}})")
rules.both("t", "{input}.T")
for _name in ("movedim", "moveaxis"):
    rules.both(_name, "jnp.moveaxis({input}, {source}, {destination})")


@rules.rule(T + "T", T + "mT")
def kept(match: Match) -> Outcome:
    return Keep()


for _name in ("H", "mH"):
    rules.row(T + _name, "{self}.mT.conj()")
rules.both("adjoint", "{input}.mT.conj()")
rules.both("narrow", "torch_narrow({input}, {dim}, {start}, {length})")
rules.both("select", "jnp.take({input}, {index}, axis={dim})")
rules.row(T + "unfold", "torch_windows({self}, {dimension}, {size}, {step})")
rules.both("diagonal", "jnp.diagonal({input}, {offset=0}, {dim1=0}, {dim2=1})")
rules.both("rot90", "jnp.rot90({input}, {k=1}, tuple({dims=(0, 1)}))")
rules.both("roll", "torch_roll({input}, {shifts}, {dims})")
rules.row("torch.flip", "jnp.flip({input}, {dims})")


@rules.rule(T + "flip")
def flip(match: Match) -> Outcome:
    name = "places" if "places" in match else "dims"
    return Rewrite(f"jnp.flip({{self}}, torch_sizes({{{name}}}))")


for _name in ("fliplr", "flipud"):
    rules.both(_name, f"jnp.{_name}({{input}})")
for _name in ("cat", "concat", "concatenate"):

    @rules.rule(f"torch.{_name}", value="torch_cat")
    def cat(match: Match) -> Outcome:
        if match.given("out"):
            return Refusal(
                "JAX arrays cannot be changed in place, so that none can be given as `out`"
            )
        axis = "axis" if "axis" in match else "dim"
        if _are_alike(match.value("tensors")):
            return Rewrite(f"jnp.concatenate({{tensors}}, axis={{{axis}}})")
        return Rewrite(f"torch_cat({{tensors}}, {{{axis}}})")


def _are_alike(value: Value) -> bool:
    """Return whether a list or tuple holds tensors, of which none is known to be empty."""
    if not isinstance(value, Items) or value.kind not in {"list", "tuple"}:
        return False
    if value.items is None:
        return isinstance(value.item, Tensor) and not value.item.empty
    tensors = [one for one in value.items if isinstance(one, Tensor)]
    known = all(one is UNKNOWN or isinstance(one, Tensor) for one in value.items)
    return bool(value.items) and known and not any(one.empty for one in tensors)


@rules.rule("torch.stack", value="(lambda tensors, dim=0: jnp.stack(list(tensors), dim))")
def stack(match: Match) -> Outcome:
    if match.given("out"):
        return Refusal("JAX arrays cannot be changed in place, so that none can be given as `out`")
    node = match.arguments["tensors"].node
    several = isinstance(node, ast.List | ast.Tuple | ast.ListComp)
    return Rewrite(
        "jnp.stack({tensors}, {dim})" if several else "jnp.stack(list({tensors}), {dim})"
    )


for _name in ("hstack", "vstack", "dstack", "column_stack", "row_stack"):
    _written = "vstack" if _name == "row_stack" else _name
    rules.both(_name, f"jnp.{_written}(list({{tensors}}))")
rules.row("torch.split", "torch_split({tensor}, {split_size_or_sections}, {dim})")
rules.row(T + "split", "torch_split({self}, {split_size}, {dim})")
rules.both("split_with_sizes", "torch_split({input}, {split_sizes}, {dim})")
_UNEVEN = unless("if the length is not divisible by the number of chunks: {target} raises an error")


@rules.deciding("chunk")
def chunk(match: Match) -> Outcome:
    """Split into equal parts where each gets a name; elsewhere the last one may be shorter."""
    match match.use.statement:
        case ast.Assign(targets=[ast.Tuple(elts=aims)], value=value) if (
            value is match.use.node and len(aims) == match.constant("chunks")
        ):
            outcome = written(match, "jnp.split({input}, {chunks}, axis={dim})")
            return replace(outcome, differs=_UNEVEN)
    return written(match, "torch_chunk({input}, {chunks}, {dim})")


rules.both(
    "tensor_split",
    "tuple(jnp.array_split({input}, {sections}, axis={dim=0}))",
    "tuple(jnp.array_split({input}, {indices}, axis={dim=0}))",
)
rules.both("unbind", "tuple(jnp.unstack({input}, axis={dim=0}))")
rules.row("torch.broadcast_tensors", "tuple(jnp.broadcast_arrays(*{tensors}))")
rules.row("torch.broadcast_shapes", "jnp.broadcast_shapes(*{shapes})")
for _count in (1, 2):
    rules.row(f"torch.atleast_{_count}d", f"jnp.atleast_{_count}d(*{{tensors}})")


@rules.rule("torch.meshgrid")
def meshgrid(match: Match) -> Outcome:
    argument = match.arguments.get("tensors")
    if argument is None:
        return Refusal("no tensor is given")
    lone = len(argument.nodes) == 1 and not argument.starred
    given = "*{tensors}"
    if lone and argument.variadic:
        given = "*{tensors}[0]" if isinstance(argument.value, Items) else ""
    if not given or (not isinstance(argument.value, Items | Tensor) and not argument.starred):
        return Refusal("it is not known whether its argument is a tensor or a list of tensors")
    return Rewrite(f"tuple(jnp.meshgrid({given}, indexing={{indexing='ij'}}))")


rules.both("contiguous", "{input}", ignored=NOWHERE)
rules.both("clone", "{input}.copy()", ignored={"memory_format": NOWHERE["memory_format"]})
for _name in ("tril", "triu"):
    rules.both(_name, f"jnp.{_name}({{input}}, {{diagonal=0}})")
rules.both("diag", "jnp.diag({input}, {diagonal=0})")
rules.both(
    "repeat_interleave",
    "torch_repeat_interleave({input}, {repeats}, {dim})",
    "torch_repeat_interleave({input}, {repeats})",
    "torch_repeat_interleave({repeats})",
    ignored={"output_size": "JAX counts it itself"},
)
