"""Shapes and views."""

from __future__ import annotations

import ast

from workbench.rules.family import Family, Simpler, simplified
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite
from workbench.source.types import dtypes
from workbench.source.types.lattice import Items, Tensor
from workbench.targets.paddle.tensors.rules.transposing import is_lone

rules = Family()

_T = "torch.Tensor."


@rules.rule("torch.Tensor.view", unpacked="{self}.view(...)")
def view(match: Match) -> Outcome:
    """Write Paddle's reshape, which returns a view too, since its view accepts no 0-d tensor."""
    argument = match.arguments.get("size")
    sizes = [] if argument is None else [ast.unparse(n).strip("()[],") for n in argument.nodes]
    viewed = match.use.receiver_value
    as_shape = match.is_sequence("size") or (argument is not None and argument.starred)
    scalar = isinstance(viewed, Tensor) and viewed.scalar and as_shape
    of_bits = "dtype" in match.use.keywords or dtypes.of_value(match.value("size"))
    if isinstance(viewed, Tensor) and viewed.recorded and of_bits:
        # A view of the bits has no gradients.
        return Rewrite("{self}.detach().view", callee_only=True)
    if sizes and (scalar or set(sizes) <= {"1", "-1"}):
        return Rewrite("{self}.reshape(...)")
    return Keep()


@rules.rule("torch.Tensor.reshape", unpacked="{self}.reshape(...)")
def reshape(match: Match) -> Outcome:
    return Keep()


rules.row("torch.reshape", "paddle.reshape({input}, {shape})")
rules.row(_T + "view_as", "{self}.reshape({other}.shape)")
rules.row(_T + "reshape_as", "{self}.reshape({other}.shape)")

for _name in (
    "permute",
    "expand",
    "repeat",
):

    @rules.rule(_T + _name, unpacked=f"{{self}}.{_name}(...)")
    def kept(match: Match) -> Outcome:
        if "implicit" in match:  # for torch's own tracing; it has no effect
            lone = "*" if "sizes" in match and is_lone(match, "sizes") else ""
            given = f"{lone}{{sizes}}" if "sizes" in match else "{size}"
            return Rewrite(f"{{self}}.expand({given})", consumed=frozenset({"implicit"}))
        return Keep()


rules.row("torch.permute", "paddle.transpose({input}, {dims})")
rules.row(_T + "expand_as", "{self}.expand({other}.shape)")
rules.both("broadcast_to", "paddle.broadcast_to({input}, {size})")


@rules.rule("torch.Tensor.tile")
def tile(match: Match) -> Outcome:
    argument = match.arguments.get("sizes")
    if argument is None:
        return Rewrite("{self}.tile({dims})")
    if argument.starred:
        return Rewrite("{self}.tile(torch_numbers({sizes}))")
    if len(argument.nodes) == 1 and not match.is_number("sizes"):
        return Rewrite("{self}.tile(*{sizes})")
    return Rewrite("{self}.tile({sizes})")


rules.row("torch.tile", "paddle.tile({input}, {dims})")


def _squeezes(match: Match) -> bool:
    """Return whether no dimensions at all are named; Paddle would then take all of them."""
    value = match.value("dim")
    return not (isinstance(value, Items) and not value.items)


rules.both(
    "squeeze",
    "torch_squeeze({input}, {dim})",
    inplace="torch_squeeze_({input}, {dim})",
    simpler=Simpler("{input}.squeeze({dim})", _squeezes),
)
for _at, _rule in enumerate(rules.rules):
    if _rule.name == _T + "squeeze_":
        rules.rules[_at] = simplified(_rule, Simpler("{input}.squeeze_({dim})", _squeezes))
rules.as_values({"torch.squeeze": "torch_squeeze"})
rules.unpacking(
    {_T + "squeeze": "torch_squeeze({self}, ...)", _T + "squeeze_": "torch_squeeze_({self}, ...)"}
)
rules.both("unsqueeze", "{input}.unsqueeze({dim})", inplace="{input}.unsqueeze_({dim})")
rules.both(
    "flatten",
    "{input}.flatten({start_dim}, {end_dim})",
    simpler=Simpler(
        "{input}.flatten(0, {end_dim})",
        lambda match: "end_dim" in match and "start_dim" not in match,
    ),
)
rules.both("ravel", "{input}.flatten()")
rules.both("unflatten", "{input}.unflatten({dim}, {sizes})")


rules.both("roll", "torch_roll({input}, {shifts}, dims={dims})")
rules.both("rot90", "paddle.rot90({input}, {k}, axes={dims})")
for _count in (1, 2, 3):
    rules.row(f"torch.atleast_{_count}d", f"torch_atleast({{tensors=[]}}, {_count})")
rules.both("diagonal", "paddle.diagonal({input}, {offset=0}, {dim1=0}, {dim2=1})")
rules.both("unfold", "torch_windows({input}, {dimension}, {size}, {step})")
rules.both("as_strided", "torch_as_strided({input}, {size}, {stride}, offset={storage_offset})")
rules.both("narrow", "torch_narrow({input}, {dim}, {start}, {length})")
rules.both("narrow_copy", "torch_narrow({input}, {dim}, {start}, {length}).clone()")
rules.both("select", "torch_select({input}, {dim}, {index})")
rules.row("torch.broadcast_tensors", "torch_broadcast_tensors({tensors=[]})")
rules.row("torch.broadcast_shapes", "torch_broadcast_shapes({shapes=[]})")


@rules.rule("torch.einsum")
def einsum(match: Match) -> Outcome:
    if "operands" not in match:
        return Refusal("no operand is given")
    return Rewrite("torch_einsum({equation}, {operands})")


# An in-place change of strides would change the tensor's shape, which Paddle cannot.
rules.as_values(
    {
        f"torch.atleast_{_count}d": f"(lambda *tensors: torch_atleast(tensors, {_count}))"
        for _count in (1, 2, 3)
    }
)
rules.as_values(
    {
        "torch.broadcast_tensors": "(lambda *tensors: torch_broadcast_tensors(tensors))",
        "torch.broadcast_shapes": "(lambda *shapes: torch_broadcast_shapes(shapes))",
        "torch.einsum": "(lambda equation, *operands: torch_einsum(equation, operands))",
    }
)
rules.rules = [rule for rule in rules.rules if not rule.name.endswith("as_strided_")]
rules.refuse(
    "torch.as_strided_",
    _T + "as_strided_",
    reason="Paddle cannot change the strides of a tensor in place",
    instead="x = paddle.as_strided(x, shape, stride)",
)
