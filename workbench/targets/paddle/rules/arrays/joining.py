"""Joining and splitting tensors, and choosing from several."""

from __future__ import annotations

import ast
import re
from itertools import combinations

from workbench.rules.family import Family, Simpler, simplified
from workbench.rules.match import Argument, Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.source.types import dtypes
from workbench.source.types.lattice import UNKNOWN, Items, Tensor, Value

rules = Family()

_CAST = re.compile(r"\{tensors[^}]*\}")

_CASES = [
    "torch.cat([x, y])",
    "torch.cat((x, y), dim=-1)",
    "import json\nk = json.loads('[]')\nk += [x, d]\ntorch.cat(k)",
    "import json\nk = json.loads('[]')\nk += [torch.zeros(0), x[0]]\ntorch.cat(k, dim=0)",
    "torch.cat(tensors=[x, y], dim=1)",
    "t = torch.zeros(6, 4)\ntorch.cat([x, y], out=t)",
    "torch.cat([x for _ in range(2)], 1)",
    "t = torch.tensor([])\nfor k in x:\n    t = torch.cat([t, k[None]])",
    "t = torch.empty(0)\nfor _ in range(2):\n    t = torch.cat((t, x), dim=1)",
    "def f(p, q):\n    return torch.cat((-p, q), dim=-1)\nf(x, y)",
    "k = []\nfor t in x.float():\n    k.append(t * 2)\ntorch.cat(k)",
    "t = x.float()\ntorch.cat([t, t.long()]), torch.cat([t > 0, t])",
    "k = torch.ones(3, 2, dtype=torch.long)\ndef f(mask):\n    return torch.cat([mask, k], 1)\n"
    "f(x), f(i)",
]


def _unlike(match: Match) -> bool:
    """Whether tensors that are joined are known to be of several dtypes, which Paddle refuses."""
    value = match.value("tensors")
    items = value.items if isinstance(value, Items) else None
    if items is None and isinstance(argument := match.arguments.get("tensors"), Argument):
        items = tuple(argument.values) if argument.variadic else None
    kinds = {item.dtype for item in items or () if isinstance(item, Tensor)}
    if any(dtypes.differ(one, other) for one, other in combinations(kinds, 2)):
        return True
    return any(dtypes.kind(kind) == 1 for kind in kinds) and _joins_a_mask(match, items or ())


def _joins_a_mask(match: Match, items: tuple[Value, ...]) -> bool:
    """Whether a tensor of an unknown dtype is called a mask, which callers give any dtype."""
    argument = match.arguments["tensors"]
    shown = argument.nodes[0]
    nodes = shown.elts if isinstance(shown, ast.List | ast.Tuple) else argument.nodes
    return any(
        "mask" in ast.unparse(node) and getattr(item, "dtype", None) is None
        for node, item in zip(nodes, items, strict=False)
    )


def _concat(match: Match) -> Outcome:
    """Paddle joins tensors of one dtype alone, and does not skip an empty one.

    It raises where that matters. What is written out as a list is taken for alike unless it is
    known not to be; a list made elsewhere, where what is in it is known.
    """
    value = match.value("tensors")
    items = value.items if isinstance(value, Items) else None
    shown = items is not None and all(item is UNKNOWN or isinstance(item, Tensor) for item in items)
    if items is None and isinstance(value, Items) and isinstance(value.item, Tensor):
        shown = value.item.dtype is not None  # all of one kind
    text = "torch_cat({tensors}, {dim})"
    empty = any(isinstance(item, Tensor) and item.empty for item in items or ())
    if shown and not empty and not _unlike(match):
        text = "paddle.concat({tensors}, axis={dim})"
    return Rewrite(f"torch_out({text}, {{out}})" if match.given("out") else text)


for _name in ("cat", "concat", "concatenate"):
    rules.rule(
        f"torch.{_name}",
        signature="(tensors, dim=0, *, out=None)",
        value="torch_cat",
        cases=[case.replace("torch.cat(", f"torch.{_name}(") for case in _CASES]
        + [f"_f = torch.{_name}\nr = _f([x, y]), _f([x, y], dim=1)"],
        unpacked="torch_cat(...)",
    )(_concat)
rules.row(
    "torch.stack",
    "paddle.stack({tensors}, axis={dim})",
    "torch_out(paddle.stack({tensors}, axis={dim}), {out})",
    signature="(tensors, dim=0, *, out=None)",
    cases=[
        "torch.stack([x, y], 1)",
        "torch.stack((x, y))",
        "torch.stack([x, y], dim=-1)",
        "torch.stack(list(a))",
        "t = x.double()\ntorch.stack([t, x.float()], dim=1)",
        "k = {'tensors': [i, x], 'dim': 1}\ntorch.stack(**k)",
    ],
)
for _name in ("hstack", "vstack", "dstack", "column_stack"):
    rules.row(
        f"torch.{_name}",
        f"paddle.{_name}({{tensors}})",
        f"torch_out(paddle.{_name}({{tensors}}), {{out}})",
        signature="(tensors, *, out=None)",
        cases=[
            f"torch.{_name}([x, y])",
            f"torch.{_name}((n, n))",
            f"t = torch.zeros(0)\nr = torch.{_name}((n, n), out=t)",
            f"t = x.long()\ntorch.{_name}([t, x.float()])",
            f"k = {{'tensors': (i, x)}}\ntorch.{_name}(**k)",
        ],
    )
rules.row(
    "torch.row_stack",
    "paddle.vstack({tensors})",
    "torch_out(paddle.vstack({tensors}), {out})",
    signature="(tensors, *, out=None)",
    cases=["torch.row_stack([x, y])", "t = torch.zeros(6, 4)\ntorch.row_stack([x, y], out=t)"],
)
rules.row(
    "torch.block_diag",
    "paddle.block_diag({tensors=[paddle.empty([1, 0])]})",
    signature="(*tensors)",
    cases=[
        "torch.block_diag()",
        "torch.block_diag(x, y)",
        "torch.block_diag(x, sq, x)",
        "f = torch.block_diag\nr = f(x, n[None]), f(*[x, y])",
        "t = x.double()\ntorch.block_diag(t, x.float())",
    ],
)
rules.rules = [
    simplified(rule, Simpler(_CAST.sub(r"torch_alike({tensors})", rule.templates[0]), _unlike))
    if rule.templates and "{tensors" in rule.templates[0]
    else rule
    for rule in rules.rules
]

rules.unpacking(
    {"torch.stack": "(lambda tensors, dim=0: paddle.stack(torch_alike(tensors), axis=dim))(...)"}
    | {
        f"torch.{_name}": f"(lambda tensors: paddle.{_target}(torch_alike(tensors)))(...)"
        for _name, _target in {
            "hstack": "hstack",
            "vstack": "vstack",
            "dstack": "dstack",
            "row_stack": "vstack",
            "column_stack": "column_stack",
        }.items()
    }
)

rules.row(
    "torch.split",
    "torch_split({tensor}, {split_size_or_sections}, dim={dim})",
    cases=[
        "torch.split(a, 1)",
        "torch.split(x, [1, 2])",
        "torch.split(x, 3, dim=1)",
        "q, k = torch.split(x, 2, dim=-1)",
        "torch.split(x, split_size_or_sections=2, dim=0)",
    ],
)
rules.row(
    "torch.Tensor.split",
    "torch_split({self}, {split_size}, dim={dim})",
    cases=[
        "x.split(2)",
        "x.split([1, 3], dim=1)",
        "p, q = x.split(2, dim=-1)",
        "a.split(split_size=1, dim=1)",
        "k = (2, 1)\nx.split(*k), x.split(*[[1, 2]]), x.split(**{'split_size': 3, 'dim': -1})",
        "f = torch.Tensor.split\nf(x, 2), f(x, [1, 3], dim=1)",
    ],
)
rules.unpacking(
    {
        "torch.Tensor.split": "(lambda self, split_size, dim=0:"
        " torch_split(self, split_size, dim=dim))({self}, ...)"
    }
)
for _name in ("split_with_sizes",):
    rules.both(
        _name,
        "torch_split({input}, {split_sizes}, dim={dim})",
        signature="(input, split_sizes, dim=0)",
        cases=[f"torch.{_name}(x, [1, 2])", f"x.{_name}([1, 3], dim=1)"],
    )
for _name in ("unsafe_split",):
    rules.both(
        _name,
        "torch_split({input}, {split_size}, dim={dim})",
        signature="(input, split_size, dim=0)",
        cases=[f"torch.{_name}(x, 2)", f"x.{_name}(2, dim=1)"],
    )
rules.both(
    "unsafe_split_with_sizes",
    "torch_split({input}, {split_sizes}, dim={dim})",
    signature="(input, split_sizes, dim=0)",
    cases=["torch.unsafe_split_with_sizes(x, [1, 2])", "x.unsafe_split_with_sizes([1, 2])"],
)
for _name in ("chunk", "unsafe_chunk"):
    rules.both(
        _name,
        "torch_chunk({input}, {chunks}, dim={dim})",
        signature="(input, chunks, dim=0)",
        cases=[
            f"torch.{_name}(x, 2)",
            f"x.{_name}(2, dim=-1)",
            f"q, k = x.{_name}(chunks=2, dim=1)",
            f"a.{_name}(4, 2)",
            f"x.{_name}(5)",
            f"torch.zeros(0, 3).{_name}(2)",
        ],
    )
rules.both(
    "tensor_split",
    "torch_tensor_split({input}, {indices}, dim={dim})",
    "torch_tensor_split({input}, {sections}, dim={dim})",
    "torch_tensor_split({input}, {tensor_indices_or_sections}, dim={dim})",
    cases=[
        "torch.tensor_split(x, 2)",
        "x.tensor_split((1, 3), dim=1)",
        "torch.tensor_split(x, 3, 1)",
        "torch.tensor_split(x, torch.tensor([1, 2]), dim=1)",
        "k = 2\nx.tensor_split(k), x.tensor_split(sections=2, dim=1)",
        "k = (x, 2)\ntorch.tensor_split(*k, dim=1), x.tensor_split(*k[1:], dim=1)",
    ],
)


def _are_unpacked(match: Match) -> bool:
    """True for `x.hsplit(*places)`, which may hold a number, numbers or a list of them."""
    argument = match.arguments.get("indices")
    return argument is not None and argument.starred and len(argument.nodes) == 1


for _name, _dim in (("hsplit", 1), ("vsplit", 0), ("dsplit", 2)):
    rules.both(
        _name,
        f"torch_even_split({{input}}, {{indices}}, {_dim})",
        f"torch_even_split({{input}}, {{sections}}, {_dim})",
        cases=[
            f"torch.{_name}(a, [1, 2])",
            f"a.{_name}(1)",
            f"a.{_name}(sections=1)",
            f"k, l = [1], [[1, 2]]\na.{_name}(*k), a.{_name}(*l)",
            f"torch.{_name}(input=a, indices=(1, 2))",
            f"f = torch.{_name}\nr = f(a, (1, 2)), f(a, 1)",
        ],
        simpler=Simpler(
            f"torch_even_split({{input}}, torch_lone({{indices}}), {_dim})", _are_unpacked
        ),
    )


def _is_taken_apart(match: Match) -> bool:
    """True for `a, b = x.unbind()` and `for t in x.unbind():`, to which a list is as good."""
    node, statement = match.use.node, match.use.statement
    if isinstance(statement, ast.Assign):
        return statement.value is node and isinstance(statement.targets[0], ast.Tuple | ast.List)
    return isinstance(statement, ast.For) and statement.iter is node


rules.both(
    "unbind",
    "tuple(paddle.unbind({input}, axis={dim}))",
    signature="(input, dim=0)",
    cases=[
        "torch.unbind(x)",
        "p, q, r = x.unbind(0)",
        "a.unbind(dim=-1)",
        "k = [t * 2 for t in x.unbind()]\nr = isinstance(x.unbind(), tuple)",
    ],
    simpler=Simpler("paddle.unbind({input}, axis={dim})", _is_taken_apart),
)


def _holds_truths(match: Match) -> bool:
    tensor = match.value("input")
    return isinstance(tensor, Tensor) and tensor.dtype == "bool"


rules.row(
    "torch.combinations",
    "paddle.combinations({input}, {r=2}, {with_replacement=False})",
    signature="(input, r=2, with_replacement=False)",
    cases=[
        "torch.combinations(n)",
        "torch.combinations(n, r=3)",
        "torch.combinations(n, with_replacement=True)",
        "torch.combinations(n > 0), torch.combinations(m[0], with_replacement=True)",
    ],
)
rules.rules[-1] = simplified(
    rules.rules[-1],
    Simpler(
        "torch_widely(paddle.combinations, {input}, {r=2}, {with_replacement=False})", _holds_truths
    ),
)
rules.row(
    "torch.cartesian_prod",
    "torch_cartesian_prod({tensors})",
    signature="(*tensors)",
    cases=[
        "torch.cartesian_prod(n, n)",
        "k, f = [n, n], torch.cartesian_prod\ntorch.cartesian_prod(*k), f(n, n)",
        "torch.cartesian_prod(n, torch.tensor([7, 8])), torch.cartesian_prod(n)",
        "r = torch.cartesian_prod(w[0], x[1])\nr.sum().backward()\ng = w.grad",
    ],
)


@rules.rule(
    "torch.meshgrid",
    signature="(*tensors, indexing=None)",
    cases=[
        "torch.meshgrid(n, torch.arange(2), indexing='ij')",
        "u, v = torch.meshgrid([n, n], indexing='ij')",
        "torch.meshgrid(n, torch.arange(2), indexing='xy')",
        "torch.meshgrid(n, n)",
        "f = torch.meshgrid\nr = f(n, n, indexing='xy'), f(*[n, n])",
        "r, s = torch.meshgrid(w[0], x[1], indexing='ij')\nr.sum().backward()\ng = w.grad",
    ],
)
def meshgrid(match: Match) -> Outcome:
    if match.constant("indexing", "ij") in {"ij", None}:
        return Rewrite(
            "torch_meshgrid({tensors})", consumed=frozenset({"indexing"}) & match.arguments.keys()
        )
    return Rewrite("torch_meshgrid({tensors}, {indexing})")


rules.handed_on(
    {
        "torch.block_diag": "(lambda *tensors: paddle.block_diag(torch_alike(tensors or "
        "[paddle.empty([1, 0])])))",
        "torch.cartesian_prod": "(lambda *tensors: torch_cartesian_prod(tensors))",
        "torch.meshgrid": "(lambda *tensors, indexing='ij': torch_meshgrid(tensors, indexing))",
    }
)
rules.handed_on(
    {
        f"torch.{_name}": "(lambda input, *places, **named: "
        f"torch_even_split(input, *places, *named.values(), {_dim}))"
        for _name, _dim in (("hsplit", 1), ("vsplit", 0), ("dsplit", 2))
    }
)
rules.handed_on({"torch.tensor_split": "torch_tensor_split"})
rules.unpacking({"torch.Tensor.tensor_split": "torch_tensor_split({self}, ...)"})
