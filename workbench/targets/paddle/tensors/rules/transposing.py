"""The order of dimensions, and of the values along them: transposes, moved dimensions, flips."""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.rules.family import Family, Simpler
from workbench.rules.match import NOT_CONSTANT, Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.rules.rule import Rule
from workbench.source.inference.evidence.tensor_states import SPARSE
from workbench.source.types.lattice import Tensor

rules = Family()

_T = "torch.Tensor."


def of_sparse(match: Match) -> Outcome | None:
    """Return the transpose of a sparse matrix, for which Paddle has a function, or None."""
    function = match.use.receiver is None
    value = match.value("input") if function else match.use.receiver_value
    dims = {match.constant(name) for name in ("dim0", "dim1") if name in match.arguments}
    if not isinstance(value, Tensor) or SPARSE not in value.states or not dims <= {0, 1, -1, -2}:
        return None
    if len({one % 2 for one in dims}) == 1:  # a dimension and itself
        return None
    matrix = "{input}" if function else "{self}"
    return Rewrite(
        f"paddle.sparse.transpose({matrix}, [1, 0])", consumed=frozenset({"dim0", "dim1"})
    )


def _unless_sparse(rule: Rule) -> Rule:
    return replace(rule, function=lambda match: of_sparse(match) or rule.apply(match))


rules.both(
    "transpose", "{input}.transpose({dim0}, {dim1})", inplace="torch_swap_({input}, {dim0}, {dim1})"
)
for _name, _one, _two in (("swapaxes", "axis0", "axis1"), ("swapdims", "dim0", "dim1")):
    rules.both(
        _name,
        f"{{input}}.transpose({{{_one}}}, {{{_two}}})",
        inplace=f"torch_swap_({{input}}, {{{_one}}}, {{{_two}}})",
    )
rules.both("t", "{input}.t()", keep=True, inplace="torch_swap_({input}, 0, -1)")


def _copy_caveat(match: Match) -> str | None:
    """Return a caveat for views: Paddle moves the values, where torch changes the strides."""
    value = match.use.receiver_value
    part = isinstance(value, Tensor) and value.part is not None
    moved = "Paddle moves the values in memory, so a tensor of which this is a view changes, too"
    return moved if part else None


_SWAPPING = frozenset({"transpose_", "swapaxes_", "swapdims_", "t_"})
rules.rules = [
    replace(rule, warns=_copy_caveat) if rule.name.rpartition(".")[2] in _SWAPPING else rule
    for rule in rules.rules
]
rules.rule(_T + "T")(lambda match: Keep())
rules.rules = [
    _unless_sparse(rule) if rule.name.rpartition(".")[2] in {"t", "T", "transpose"} else rule
    for rule in rules.rules
]
rules.row(_T + "mT", "{self}.mT")
rules.row(_T + "H", "torch_conj({self}).T")
rules.row(_T + "mH", "torch_conj({self}).mT")
rules.both("adjoint", "torch_conj({input}).mT")


def _is_written_out(match: Match) -> bool:
    """Return whether the call spells out the dimensions; Paddle changes a list that is passed."""
    given = ("source", "destination")
    return all(match.is_number(k) or match.constant(k) is not NOT_CONSTANT for k in given)


for _name in ("movedim", "moveaxis"):
    rules.both(
        _name,
        "torch_movedim({input}, {source}, {destination})",
        simpler=Simpler("paddle.moveaxis({input}, {source}, {destination})", _is_written_out),
    )
rules.both("flip", "paddle.flip({input}, {dims})")


@rules.rule(
    "torch.Tensor.flip",
    unpacked="(lambda self, *places, dims=None:"
    " self.flip(torch_numbers(places) if dims is None else dims))({self}, ...)",
)
def flip(match: Match) -> Outcome:
    if "places" not in match:
        return Rewrite("{self}.flip({dims})")
    if match.arguments["places"].starred:
        return Rewrite("{self}.flip(torch_numbers({places}))")
    if is_lone(match, "places"):
        return Rewrite("{self}.flip(*{places})")
    return Rewrite("{self}.flip({places})")


def is_lone(match: Match, parameter: str) -> bool:
    """Return whether the one argument of a variadic parameter may be a sequence."""
    argument = match.arguments[parameter]
    return (
        len(argument.nodes) == 1
        and not argument.starred
        and not isinstance(argument.node, ast.Constant)
    )


rules.rules = [r for r in rules.rules if not (r.name == _T + "flip" and r.function is None)]
rules.both("fliplr", "paddle.flip({input}, [1])")
rules.both("flipud", "paddle.flip({input}, [0])")
