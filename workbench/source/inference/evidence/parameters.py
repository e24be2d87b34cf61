"""What a parameter is, judged before the body of its function is walked.

Evidence from strongest to weakest: its annotation, what calls in the program pass, the role of
the function (`forward` of a module takes tensors), how its body uses it (`x.unsqueeze`: only
tensors have that), its default, and names that torch code uses by convention.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from workbench.findings import Certainty
from workbench.source.tree import Notes, inside, within
from workbench.source.types.lattice import (
    ASSUMED_TENSOR,
    UNKNOWN,
    Instance,
    Items,
    Plain,
    Value,
)
from workbench.upstream.facts import Facts

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Loop = ast.For | ast.AsyncFor
_ASSUMED = Certainty.ASSUMED

# Parameters that torch code calls the same everywhere. They are only assumed, and only where
# nothing else is known.
_CONVENTIONS: dict[str, Value] = {
    "model": Instance("torch.nn.Module", _ASSUMED),
    "net": Instance("torch.nn.Module", _ASSUMED),
    "optimizer": Instance("torch.optim.Optimizer", _ASSUMED),
    "optim": Instance("torch.optim.Optimizer", _ASSUMED),
    "scheduler": Instance("torch.optim.lr_scheduler.LRScheduler", _ASSUMED),
    "lr_scheduler": Instance("torch.optim.lr_scheduler.LRScheduler", _ASSUMED),
    "criterion": Instance("torch.nn.Module", _ASSUMED),
    "loss_fn": Instance("torch.nn.Module", _ASSUMED),
    "loader": Instance("torch.utils.data.DataLoader", _ASSUMED),
    "dataloader": Instance("torch.utils.data.DataLoader", _ASSUMED),
    "data_loader": Instance("torch.utils.data.DataLoader", _ASSUMED),
    "train_loader": Instance("torch.utils.data.DataLoader", _ASSUMED),
    "val_loader": Instance("torch.utils.data.DataLoader", _ASSUMED),
    "test_loader": Instance("torch.utils.data.DataLoader", _ASSUMED),
}
# Members that modules have and neither tensors nor common Python objects do.
MODULE_MEMBERS = frozenset(
    {"parameters", "named_parameters", "state_dict", "load_state_dict", "named_modules", "modules"}
)
_OPTIMIZER_MEMBERS = frozenset({"param_groups", "add_param_group"})
# Methods of tensors that other containers of tensors have as well.
_COMMON = frozenset({"values", "copy", "index", "count", "get", "to", "type", "clone", "pop"})
# Methods of tensors that give values and their places.
_PAIRING = frozenset({"max", "min", "sort", "topk", "median", "mode", "kthvalue"})
_CONSTANTS = {int: "int", float: "float", str: "str", bool: "bool", bytes: "bytes"}


@dataclass(frozen=True, slots=True)
class _Body:
    """The members that a body reads, by the name that it reads them from, and those it calls there.

    `foreign` has the receivers of several names, as `self.blocks.first`, of which the body calls
    what no tensor has. From those in `given` the body computes what a function of torch is given.
    """

    facts: Facts
    members: dict[str, set[str]]
    called: set[tuple[str, str]]
    foreign: set[str]
    given: set[str]


# Trees of a text that is typed share their nodes: what a body reads is found once for them all.
_BODIES: Notes[_Body] = Notes("body")


class BodyEvidence:
    """What the body of a function or loop shows about the types of its parameters or variables."""

    def __init__(self, node: Function | Loop, facts: Facts) -> None:
        self._node = node
        self._facts = facts

    @cached_property
    def _body(self) -> _Body:
        known = _BODIES.get(self._node)
        if known is None or known.facts is not self._facts:
            known = _BODIES[self._node] = self._read()
        return known

    def _read(self) -> _Body:
        members: dict[str, set[str]] = {}
        called: set[tuple[str, str]] = set()
        foreign: set[str] = set()
        given: set[str] = set()
        body = self._node.body
        for part in body if isinstance(body, list) else [body]:
            for node in within(part) if isinstance(part, ast.stmt) else inside(part):
                if type(node) is ast.Call and type(node.func) is ast.Attribute:
                    on = node.func.value
                    root = on.id if type(on) is ast.Name else self._computed(on)
                    method = self._facts.torch_method(node.func.attr)
                    called.add((root or "", method))
                    own = method in self._facts.tensor_members
                    if not own and not method.startswith("_"):
                        foreign.add(_dotted(node.func.value) or "")
                    if self._takes_tensor(node.func) and node.args:
                        given.add(self._computed(node.args[0]) or "")
                if type(node) is not ast.Attribute:
                    continue
                if type(node.value) is ast.Name:
                    member = self._facts.torch_method(node.attr)
                    members.setdefault(node.value.id, set()).add(member)
                elif node.attr in self._facts.tensor_only and (root := self._computed(node.value)):
                    members.setdefault(root, set()).add(node.attr)
        return _Body(self._facts, members, called, foreign, given)

    def _takes_tensor(self, function: ast.Attribute) -> bool:
        """Whether this is a function of torch whose first argument is a tensor: `torch.topk`."""
        if type(function.value) is not ast.Name or function.value.id != "torch":
            return False
        entry = self._facts.get(f"torch.{function.attr}")
        first = entry.signatures[0].parameters[:1] if entry and entry.signatures else ()
        return any(one.type == "Tensor" for one in first)

    def _computed(self, node: ast.expr) -> str | None:
        """The name that tensor methods compute this from: `x` of `x.max(1)[1]`."""
        while type(node) is ast.Subscript:
            node = node.value
        if type(node) is not ast.Call or type(node.func) is not ast.Attribute:
            return None
        if node.func.attr not in self._facts.tensor_members or node.func.attr in _COMMON:
            return None
        owner = node.func.value
        return owner.id if type(owner) is ast.Name else self._computed(owner)

    def of(self, parameter: str) -> Value:
        """The type that the parameter's members give away, or UNKNOWN."""
        members = self._body.members.get(parameter)
        if not members:
            return UNKNOWN
        if members & _OPTIMIZER_MEMBERS:
            return Instance("torch.optim.Optimizer", _ASSUMED)
        if members & MODULE_MEMBERS:
            return Instance("torch.nn.Module", _ASSUMED)
        if members <= self._facts.tensor_members and parameter in self._body.given:
            return ASSUMED_TENSOR
        shown = members & self._facts.tensor_only
        if members <= self._facts.tensor_members and any(
            self._tells(parameter, member) for member in shown
        ):
            return ASSUMED_TENSOR
        return UNKNOWN

    def is_no_tensor(self, receiver: ast.expr) -> bool:
        """True for a receiver of several names of which the body calls what no tensor has.

        `self.block` is none where `self.block.norm(x)` stands beside `self.block.attend(x)`.
        """
        written = _dotted(receiver)
        return written is not None and written in self._body.foreign

    def _tells(self, parameter: str, member: str) -> bool:
        """False for a tensor's method that is not called: `settings.stride` is another thing."""
        entry = self._facts.get(f"torch.Tensor.{member}")
        return (parameter, member) in self._body.called or entry is None or entry.kind != "method"


def _dotted(node: ast.expr) -> str | None:
    """`self.block.first` as it is written; None for a lone name, and for all that is computed."""
    names: list[str] = []
    while type(node) is ast.Attribute:
        names.append(node.attr)
        node = node.value
    if not names or type(node) is not ast.Name:
        return None
    return ".".join([node.id, *reversed(names)])


def called_as_tensor(call: ast.Call, statement: ast.stmt) -> bool:
    """True for calls of a method that tensors alone understand so.

    `x.sum(dim=1)`, `x.max(1, keepdim=True)`, `values, places = x.max(1)`, `x.max(1)[1]`, and
    `x.sort()` where something is done with what it gives.
    """
    for keyword in call.keywords:
        text = isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, str)
        if keyword.arg in {"dim", "keepdim", "descending"} and not text:
            return True
    if getattr(call.func, "attr", None) in _PAIRING and _picks_of_a_pair(call, statement):
        return True
    if not isinstance(statement, ast.Assign) or statement.value is not call:
        return False
    target = statement.targets[0]
    pair = isinstance(target, ast.Tuple) and len(target.elts) == 2
    return pair and isinstance(call.func, ast.Attribute) and call.func.attr in _PAIRING


def _picks_of_a_pair(call: ast.Call, statement: ast.stmt) -> bool:
    """True for `x.max(1)[1]` and `x.sort()[0]`: of arrays the one is a row, the other None."""
    lacks_dim = not call.args and getattr(call.func, "attr", None) != "sort"
    if lacks_dim or any(keyword.arg not in {"stable"} for keyword in call.keywords):
        return False
    return any(
        isinstance(node, ast.Subscript)
        and node.value is call
        and isinstance(node.slice, ast.Constant)
        and node.slice.value in (0, 1)
        for node in ast.walk(statement)
    )


def by_convention(parameter: str) -> Value:
    """What torch code usually passes under this name, or UNKNOWN."""
    return _CONVENTIONS.get(parameter, UNKNOWN)


def of_constant(node: ast.expr | None) -> Value:
    """The type of a literal, UNKNOWN for anything else."""
    if isinstance(node, ast.Constant):
        if node.value is None:
            return Plain("NoneType")
        kind = _CONSTANTS.get(type(node.value))
        return Plain(kind) if kind else Plain("object")
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        return of_constant(node.operand)
    if isinstance(node, ast.Tuple | ast.List):
        kind = "tuple" if isinstance(node, ast.Tuple) else "list"
        return Items(kind, of_constant(node.elts[0]) if node.elts else UNKNOWN)
    return UNKNOWN


def parameters(
    arguments: ast.arguments,
) -> Iterator[tuple[ast.arg, ast.expr | None, str]]:
    """Each parameter with its default (None without one) and its kind: "", "*" or "**"."""
    positional = [*arguments.posonlyargs, *arguments.args]
    missing = len(positional) - len(arguments.defaults)
    for index, parameter in enumerate(positional):
        yield parameter, arguments.defaults[index - missing] if index >= missing else None, ""
    if arguments.vararg:
        yield arguments.vararg, None, "*"
    for parameter, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield parameter, default, ""
    if arguments.kwarg:
        yield arguments.kwarg, None, "**"
