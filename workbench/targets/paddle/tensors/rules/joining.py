"""Joining and splitting tensors, and choosing from several."""

from __future__ import annotations

import ast
import re
from itertools import combinations

from workbench.rules.family import Family, Simpler, simplified
from workbench.rules.match import Argument, Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.source.types import dtypes
from workbench.source.types.lattice import (
    UNKNOWN,
    Items,
    Tensor,
    Value,
    has_unlike_tensors,
)

rules = Family()

_CAST = re.compile(r"\{tensors[^}]*\}")


def _have_several_dtypes(match: Match) -> bool:
    """Return whether joined tensors have, or probably have, dtypes that Paddle refuses to join."""
    value = match.value("tensors")
    if has_unlike_tensors(value):
        return True
    items = value.items if isinstance(value, Items) else None
    if items is None and isinstance(argument := match.arguments.get("tensors"), Argument):
        items = tuple(argument.values) if argument.variadic else None
    if any(dtypes.unlike(one, other) for one, other in combinations(items or (), 2)):
        return True
    kinds = {item.dtype for item in items or () if isinstance(item, Tensor)}
    return any(dtypes.kind(kind) == 1 for kind in kinds) and _joins_a_mask(match, items or ())


def _joins_a_mask(match: Match, items: tuple[Value, ...]) -> bool:
    """Return whether a tensor of unknown dtype is named like a mask, which may have any dtype."""
    argument = match.arguments["tensors"]
    shown = argument.nodes[0]
    nodes = shown.elts if isinstance(shown, ast.List | ast.Tuple) else argument.nodes
    return any(
        "mask" in ast.unparse(node) and getattr(item, "dtype", None) is None
        for node, item in zip(nodes, items, strict=False)
    )


def _concat(match: Match) -> Outcome:
    """Return `paddle.concat` if the tensors have one dtype and none is empty, else the helper.

    Paddle raises for several dtypes and does not skip empty tensors. The items of a list display
    count as alike unless they are known to differ; a list built elsewhere needs items of a known
    dtype.
    """
    value = match.value("tensors")
    items = value.items if isinstance(value, Items) else None
    shown = items is not None and all(item is UNKNOWN or isinstance(item, Tensor) for item in items)
    if items is None and isinstance(value, Items) and isinstance(value.item, Tensor):
        shown = value.item.dtype is not None  # all of one kind
    text = "torch_cat({tensors}, {dim})"
    empty = any(isinstance(item, Tensor) and item.empty for item in items or ())
    if shown and not empty and not _have_several_dtypes(match):
        text = "paddle.concat({tensors}, axis={dim})"
    return Rewrite(f"torch_out({text}, {{out}})" if match.given("out") else text)


for _name in ("cat", "concat", "concatenate"):
    rules.rule(f"torch.{_name}", value="torch_cat", unpacked="torch_cat(...)")(_concat)
rules.row(
    "torch.stack",
    "paddle.stack({tensors}, axis={dim})",
    "torch_out(paddle.stack({tensors}, axis={dim}), {out})",
)
for _name in ("hstack", "vstack", "dstack", "column_stack"):
    rules.row(
        f"torch.{_name}",
        f"paddle.{_name}({{tensors}})",
        f"torch_out(paddle.{_name}({{tensors}}), {{out}})",
    )
rules.row(
    "torch.row_stack", "paddle.vstack({tensors})", "torch_out(paddle.vstack({tensors}), {out})"
)
rules.row("torch.block_diag", "paddle.block_diag({tensors=[paddle.empty([1, 0])]})")
rules.rules = [
    simplified(
        rule, Simpler(_CAST.sub(r"torch_alike({tensors})", rule.templates[0]), _have_several_dtypes)
    )
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

rules.row("torch.split", "torch_split({tensor}, {split_size_or_sections}, dim={dim})")
rules.row("torch.Tensor.split", "torch_split({self}, {split_size}, dim={dim})")
rules.unpacking(
    {
        "torch.Tensor.split": "(lambda self, split_size, dim=0:"
        " torch_split(self, split_size, dim=dim))({self}, ...)"
    }
)
for _name in ("split_with_sizes",):
    rules.both(_name, "torch_split({input}, {split_sizes}, dim={dim})")
for _name in ("unsafe_split",):
    rules.both(_name, "torch_split({input}, {split_size}, dim={dim})")
rules.both("unsafe_split_with_sizes", "torch_split({input}, {split_sizes}, dim={dim})")
for _name in ("chunk", "unsafe_chunk"):
    rules.both(_name, "torch_chunk({input}, {chunks}, dim={dim})")
rules.both(
    "tensor_split",
    "torch_tensor_split({input}, {indices}, dim={dim})",
    "torch_tensor_split({input}, {sections}, dim={dim})",
    "torch_tensor_split({input}, {tensor_indices_or_sections}, dim={dim})",
)


def _are_unpacked(match: Match) -> bool:
    """Return True for `x.hsplit(*places)`, which may hold a number, numbers or a list of them."""
    argument = match.arguments.get("indices")
    return argument is not None and argument.starred and len(argument.nodes) == 1


for _name, _dim in (("hsplit", 1), ("vsplit", 0), ("dsplit", 2)):
    rules.both(
        _name,
        f"torch_even_split({{input}}, {{indices}}, {_dim})",
        f"torch_even_split({{input}}, {{sections}}, {_dim})",
        simpler=Simpler(
            f"torch_even_split({{input}}, torch_lone({{indices}}), {_dim})", _are_unpacked
        ),
    )


def _is_taken_apart(match: Match) -> bool:
    """Return whether a list suffices: `a, b = x.unbind()` or `for t in x.unbind():`."""
    node, statement = match.use.node, match.use.statement
    if isinstance(statement, ast.Assign):
        return statement.value is node and isinstance(statement.targets[0], ast.Tuple | ast.List)
    return isinstance(statement, ast.For) and statement.iter is node


rules.both(
    "unbind",
    "tuple(paddle.unbind({input}, axis={dim}))",
    simpler=Simpler("paddle.unbind({input}, axis={dim})", _is_taken_apart),
)


def _holds_truths(match: Match) -> bool:
    tensor = match.value("input")
    return isinstance(tensor, Tensor) and tensor.dtype == "bool"


rules.row("torch.combinations", "paddle.combinations({input}, {r=2}, {with_replacement=False})")
rules.rules[-1] = simplified(
    rules.rules[-1],
    Simpler(
        "torch_widely(paddle.combinations, {input}, {r=2}, {with_replacement=False})", _holds_truths
    ),
)
rules.row("torch.cartesian_prod", "torch_cartesian_prod({tensors})")


@rules.rule("torch.meshgrid")
def meshgrid(match: Match) -> Outcome:
    if match.constant("indexing", "ij") in {"ij", None}:
        return Rewrite(
            "torch_meshgrid({tensors})", consumed=frozenset({"indexing"}) & match.arguments.keys()
        )
    return Rewrite("torch_meshgrid({tensors}, {indexing})")


rules.as_values(
    {
        "torch.block_diag": "(lambda *tensors: paddle.block_diag(torch_alike(tensors or "
        "[paddle.empty([1, 0])])))",
        "torch.cartesian_prod": "(lambda *tensors: torch_cartesian_prod(tensors))",
        "torch.meshgrid": "(lambda *tensors, indexing='ij': torch_meshgrid(tensors, indexing))",
    }
)
rules.as_values(
    {
        f"torch.{_name}": "(lambda input, *places, **named: "
        f"torch_even_split(input, *places, *named.values(), {_dim}))"
        for _name, _dim in (("hsplit", 1), ("vsplit", 0), ("dsplit", 2))
    }
)
rules.as_values({"torch.tensor_split": "torch_tensor_split"})
rules.unpacking({"torch.Tensor.tensor_split": "torch_tensor_split({self}, ...)"})
