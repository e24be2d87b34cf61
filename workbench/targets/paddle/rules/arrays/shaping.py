"""Shapes and views."""

from __future__ import annotations

import ast

from workbench.rules.family import Family, Simpler, simplified
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite
from workbench.source.types import dtypes
from workbench.source.types.lattice import Items, Tensor
from workbench.targets.paddle.rules.arrays.transposing import is_lone

rules = Family()

_T = "torch.Tensor."


@rules.rule(
    "torch.Tensor.view",
    signature="(*size, **options)",
    unpacked="{self}.view(...)",
    cases=[
        "k = {'size': (2, -1)}\nt = x.view(**k)\nf = x.view\nf(-1), f((4, 3)), f(torch.int32)",
        "x.view(2, 6)",
        "x.view(-1)",
        "x[0, 0].view(1)",
        "x[0, 0].view((1,))",
        "k = [1, 1]\nt = torch.tensor(2.0)\nr = t.view(*k), t.view(k), t.view(torch.int32)",
        "x.view((4, 3))",
        "x.view(x.size(0), -1)",
        "x.view(*x.shape, 1)",
        "x.view([2, -1])",
        "x.view(torch.int32)",
        "x.view(size=(12,))",
        "k = (6, 2)\nx.view(k)",
        "t = x.view(-1)\nt[0] = 5.0",
        "t = w.view(torch.int32)",
    ],
)
def view(match: Match) -> Outcome:
    """Paddle's view takes no 0-d tensor; its reshape gives a view as well."""
    argument = match.arguments.get("size")
    sizes = [] if argument is None else [ast.unparse(n).strip("()[],") for n in argument.nodes]
    viewed = match.use.receiver_value
    as_shape = match.is_sequence("size") or (argument is not None and argument.starred)
    scalar = isinstance(viewed, Tensor) and viewed.scalar and as_shape
    if isinstance(viewed, Tensor) and viewed.recorded and dtypes.of_value(match.value("size")):
        return Rewrite("{self}.detach().view", callee_only=True)  # as bits it has no gradients
    if sizes and (scalar or set(sizes) <= {"1", "-1"}):
        return Rewrite("{self}.reshape(...)")
    return Keep()


@rules.rule(
    "torch.Tensor.reshape",
    signature="(*shape, **options)",
    unpacked="{self}.reshape(...)",
    cases=[
        "k = {'shape': (4, -1)}\nx.reshape(**k)",
        "f = torch.Tensor.reshape\nf(x, 2, 6), f(x, (6, 2))",
        "x.reshape(2, 6)",
        "x.reshape((-1,))",
        "x.reshape(shape=(4, 3))",
        "x.t().reshape(-1)",
        "x.reshape(*a.shape[1:])",
        "torch.zeros(0, 3).reshape(3, 0)",
    ],
)
def reshape(match: Match) -> Outcome:
    return Keep()


rules.row(
    "torch.reshape",
    "paddle.reshape({input}, {shape})",
    signature="(input, shape)",
    cases=[
        "torch.reshape(x, (2, -1))",
        "torch.reshape(x, [12])",
        "torch.reshape(input=x, shape=(-1,))",
    ],
)
rules.row(_T + "view_as", "{self}.reshape({other}.shape)", cases=["x.view_as(torch.zeros(4, 3))"])
rules.row(
    _T + "reshape_as", "{self}.reshape({other}.shape)", cases=["x.reshape_as(torch.zeros(4, 3))"]
)

for _name, _parameter, _cases in (
    (
        "permute",
        "dims",
        [
            "a.permute(2, 0, 1)",
            "a.permute((0, -1, 1))",
            "a.permute(dims=[1, 0, 2])",
            "k = [2, 1, 0]\na.permute(k)",
            "a.permute(*[0, 2, 1])",
        ],
    ),
    (
        "expand",
        "size",
        [
            "x[:1].expand(5, 4)",
            "x[:, :1].expand(-1, 6)",
            "x.expand(2, 3, 4)",
            "x.expand((2, -1, -1))",
            "x.expand(size=(2, 3, 4))",
            "x[:1].expand(*x.shape)",
            "x.expand(2, 3, 4, implicit=False), x[:1].expand((3, 4), implicit=True)",
        ],
    ),
    (
        "repeat",
        "repeats",
        [
            "x.repeat(2, 1)",
            "x.repeat(2, 1, 1)",
            "x.repeat((1, 2))",
            "n.repeat(3)",
            "n.repeat(2, 1)",
        ],
    ),
):
    _sizes = "(2, 0, 1)" if _name == "permute" else "(2, 3, 4)"
    _cases.append(
        f"k = {{'{_parameter}': {_sizes}}}\nt = a.{_name}(**k)\n"
        f"f = torch.Tensor.{_name}\nr = f(a, {_sizes[1:-1]}), f(a, {_sizes})"
    )

    @rules.rule(
        _T + _name,
        signature=f"(*sizes, {_parameter}=None, implicit=False)",
        unpacked=f"{{self}}.{_name}(...)",
        cases=_cases,
    )
    def kept(match: Match) -> Outcome:
        if "implicit" in match:  # for torch's own tracing; it changes nothing
            lone = "*" if "sizes" in match and is_lone(match, "sizes") else ""
            given = f"{lone}{{sizes}}" if "sizes" in match else "{size}"
            return Rewrite(f"{{self}}.expand({given})", consumed=frozenset({"implicit"}))
        return Keep()


rules.row(
    "torch.permute",
    "paddle.transpose({input}, {dims})",
    cases=["torch.permute(a, (2, 0, 1))", "torch.permute(a, dims=(0, -1, 1))"],
)
rules.row(_T + "expand_as", "{self}.expand({other}.shape)", cases=["x[:1].expand_as(x)"])
rules.both(
    "broadcast_to",
    "paddle.broadcast_to({input}, {size})",
    signature="(input, size)",
    cases=["torch.broadcast_to(x, (2, 3, 4))", "x[:1].broadcast_to((3, 4))"],
)


@rules.rule(
    "torch.Tensor.tile",
    signature="(*sizes, dims=None)",
    cases=[
        "x.tile(2)",
        "x.tile(dims=(1, 2))",
        "x.tile((2, 1))",
        "x.tile(2, 1, 2)",
        "k = (2, 3)\nx.tile(*k), x.tile(*[k])",
    ],
)
def tile(match: Match) -> Outcome:
    argument = match.arguments.get("sizes")
    if argument is None:
        return Rewrite("{self}.tile({dims})")
    if argument.starred:
        return Rewrite("{self}.tile(torch_numbers({sizes}))")
    if len(argument.nodes) == 1 and not match.is_number("sizes"):
        return Rewrite("{self}.tile(*{sizes})")
    return Rewrite("{self}.tile({sizes})")


rules.row(
    "torch.tile",
    "paddle.tile({input}, {dims})",
    cases=["torch.tile(x, (2, 1))", "torch.tile(x, (2,))"],
)
_SQUEEZE = "(input, dim=None)"


def _squeezes(match: Match) -> bool:
    """Whether no dimensions at all are named; Paddle would then take all of them."""
    value = match.value("dim")
    return not (isinstance(value, Items) and not value.items)


rules.both(
    "squeeze",
    "torch_squeeze({input}, {dim})",
    signature=_SQUEEZE,
    cases=[
        "torch.squeeze(a[:1], ())",
        "k = ()\na[:1].squeeze(k)",
        "t = a[:1].clone()\nt.squeeze_(dim=())",
        "t = x[:1].clone()\nt.squeeze_((0, 1))",
        "torch.squeeze(a[:1])",
        "x[:1].squeeze(0)",
        "x.squeeze(0)",
        "a[:1, :, :1].squeeze((0, 2))",
        "x[:1].squeeze(dim=-2)",
        "torch.squeeze(a[:, :1], 1)",
        "t = x[:1].clone()\nt.squeeze_(0)",
        "x[:1].squeeze()",
    ],
    inplace="torch_squeeze_({input}, {dim})",
    simpler=Simpler("{input}.squeeze({dim})", _squeezes),
)
for _at, _rule in enumerate(rules.rules):
    if _rule.name == _T + "squeeze_":
        rules.rules[_at] = simplified(_rule, Simpler("{input}.squeeze_({dim})", _squeezes))
rules.handed_on({"torch.squeeze": "torch_squeeze"})
rules.unpacking(
    {_T + "squeeze": "torch_squeeze({self}, ...)", _T + "squeeze_": "torch_squeeze_({self}, ...)"}
)
rules.both(
    "unsqueeze",
    "{input}.unsqueeze({dim})",
    cases=[
        "torch.unsqueeze(x, 0)",
        "x.unsqueeze(-1)",
        "x.unsqueeze(dim=1)",
        "t = x.clone()\nt.unsqueeze_(0)",
    ],
    inplace="{input}.unsqueeze_({dim})",
)
rules.both(
    "flatten",
    "{input}.flatten({start_dim}, {end_dim})",
    signature="(input, start_dim=0, end_dim=-1)",
    cases=[
        "torch.flatten(img, 1)",
        "x.flatten()",
        "img.flatten(2)",
        "img.flatten(1, 2)",
        "img.flatten(start_dim=1, end_dim=-2)",
        "torch.zeros(()).flatten()",
        "img.flatten(end_dim=1), torch.flatten(img, end_dim=-2)",
    ],
    simpler=Simpler(
        "{input}.flatten(0, {end_dim})",
        lambda match: "end_dim" in match and "start_dim" not in match,
    ),
)
rules.both("ravel", "{input}.flatten()", cases=["torch.ravel(x)", "x.t().ravel()"])
rules.both(
    "unflatten",
    "{input}.unflatten({dim}, {sizes})",
    signature="(input, dim, sizes)",
    cases=["torch.unflatten(x, 1, (2, 2))", "x.unflatten(-1, (2, -1))"],
)


rules.both(
    "roll",
    "torch_roll({input}, {shifts}, dims={dims})",
    signature="(input, shifts, dims=None)",
    cases=[
        "torch.roll(x, 1)",
        "torch.roll(x, (1, -1), (0, 1))",
        "x.roll(2, dims=0)",
        "x.roll(shifts=1, dims=-1)",
    ],
)
rules.both(
    "rot90",
    "paddle.rot90({input}, {k}, axes={dims})",
    signature="(input, k=1, dims=(0, 1))",
    cases=[
        "torch.rot90(x)",
        "a.rot90(dims=(1, 2))",
        "torch.rot90(x, 2, [0, 1])",
        "a.rot90(-1, (1, 2))",
    ],
)
for _count in (1, 2, 3):
    rules.row(
        f"torch.atleast_{_count}d",
        f"torch_atleast({{tensors=[]}}, {_count})",
        signature="(*tensors)",
        cases=[
            f"torch.atleast_{_count}d(n)",
            f"torch.atleast_{_count}d(n, x)",
            f"torch.atleast_{_count}d()",
            f"f = torch.atleast_{_count}d\nr = f(n), f(*[n, x])",
            f"torch.atleast_{_count}d(torch.tensor(1.0))",
        ],
    )
rules.both(
    "diagonal",
    "paddle.diagonal({input}, {offset=0}, {dim1=0}, {dim2=1})",
    signature="(input, offset=0, dim1=0, dim2=1)",
    cases=["torch.diagonal(x)", "a.diagonal(1, 1, 2)", "a.diagonal(dim1=-2, dim2=-1)"],
)
rules.both(
    "unfold",
    "torch_windows({input}, {dimension}, {size}, {step})",
    signature="(input, dimension, size, step)",
    cases=[
        "x.unfold(1, 2, 1)",
        "w.unfold(1, 3, 1).sum().backward()\ng = w.grad",
        "a.unfold(-1, 2, 2)",
    ],
)
rules.both(
    "as_strided",
    "torch_as_strided({input}, {size}, {stride}, offset={storage_offset})",
    signature="(input, size, stride, storage_offset=None)",
    cases=[
        "torch.as_strided(x, (2, 2), (4, 1))",
        "x.as_strided((2,), (5,), 1)",
        "x[1:].as_strided((2, 3), (3, 1))",
        "torch.as_strided(w, (2, 2), (3, 3), 1).pow(2).sum().backward()\ng = w.grad",
        "t = w.detach()[..., ::2].requires_grad_()\n"
        "t.as_strided((4,), (1,), 3).pow(2).sum().backward()\ng = t.grad",
    ],
)
rules.both(
    "narrow",
    "torch_narrow({input}, {dim}, {start}, {length})",
    signature="(input, dim, start, length)",
    cases=["torch.narrow(x, 0, 1, 2)", "x.narrow(-1, 1, 2)", "x.narrow(1, torch.tensor(1), 2)"],
)
rules.both(
    "narrow_copy",
    "torch_narrow({input}, {dim}, {start}, {length}).clone()",
    signature="(input, dim, start, length)",
    cases=["x.narrow_copy(0, 1, 2)", "torch.narrow_copy(x, 0, 1, 2)"],
)
rules.both(
    "select",
    "torch_select({input}, {dim}, {index})",
    signature="(input, dim, index)",
    cases=["torch.select(x, 0, 1)", "a.select(-1, 2)", "x.select(1, -1)"],
)
rules.row(
    "torch.broadcast_tensors",
    "torch_broadcast_tensors({tensors=[]})",
    signature="(*tensors)",
    cases=[
        "torch.broadcast_tensors()",
        "f = torch.broadcast_tensors\nr = f(x, x[:1])",
        "torch.broadcast_tensors(x, x[:1])",
        "torch.broadcast_tensors(x, w[:1])[1].sum().backward()\ng = w.grad",
        "torch.broadcast_tensors(x[:, :1], n[:, None].float(), x)",
    ],
)
rules.row(
    "torch.broadcast_shapes",
    "torch_broadcast_shapes({shapes=[]})",
    signature="(*shapes)",
    cases=[
        "torch.broadcast_shapes()",
        "f = torch.broadcast_shapes\nr = f((2, 1), (3,))",
        "torch.broadcast_shapes((2, 1), (3,))",
        "torch.broadcast_shapes((5, 1), 5)",
    ],
)


@rules.rule(
    "torch.einsum",
    signature="(equation, *operands)",
    cases=[
        "torch.einsum('ij,kj->ik', x, y)",
        "torch.einsum('bij,bkj->bik', a, a)",
        "torch.einsum('ij->j', x)",
        "k, f = ('ij,kj->ik', x, y), torch.einsum\ntorch.einsum(*k), f('ij->ji', x)",
        "torch.einsum('ii', sq)",
        "torch.einsum('...ij,...jk->...ik', a, a.mT)",
        "torch.einsum('ij,kj->ik', [x, y])",
        "torch.einsum('ij, kj', x, y)",
        "torch.einsum(x, [0, 1], y, [2, 1], [0, 2])",
        "torch.einsum(a, [..., 0, 1], a, [..., 2, 1], [..., 0, 2])",
        "torch.einsum(x, [2, 1])",
        "torch.einsum('ij,kj->ik', i, i), torch.einsum('ij->ji', m)",
        "torch.einsum('bij,bIj->biI', a, a), torch.einsum('bi,bI', sq, sq)",
        "torch.einsum('iI->Ii', x), torch.einsum('Ba', x)",
        "k = [sq, sq]\ntorch.einsum('ij,Ij->iI', *k)",
        "k = torch.arange(3)\ntorch.einsum('i,j->ij', k, x[0]), torch.einsum('i,j', x[0], k)",
        "torch.einsum('ij,ij->ij', m, x), torch.einsum('i,j->ij', x[0], x[1].double())",
        "torch.einsum('ij->i', i.int()), torch.einsum('ij,k->k', i.int(), i[0].int())",
        "torch.einsum('ij,ij->', i.int(), i.int()), torch.einsum('...i', i.int()), "
        "torch.einsum('ij->', m)",
    ],
)
def einsum(match: Match) -> Outcome:
    if "operands" not in match:
        return Refusal("it needs operands")
    return Rewrite("torch_einsum({equation}, {operands})")


# Other strides in place would give the tensor another shape, which Paddle cannot.
rules.handed_on(
    {
        f"torch.atleast_{_count}d": f"(lambda *tensors: torch_atleast(tensors, {_count}))"
        for _count in (1, 2, 3)
    }
)
rules.handed_on(
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
    reason="Paddle cannot give a tensor other strides in place",
    instead="x = paddle.as_strided(x, shape, stride)",
)
