"""Types of parameters, inferred before the body of their function is walked.

Evidence from strongest to weakest: the annotation, the arguments of calls in the program, the role
of the function (`forward` of a module takes tensors), the uses in its body (only tensors have
`x.unsqueeze`), the default, and names that torch code uses by convention.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator
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

# Parameter names with the same meaning everywhere in torch code. They are only assumed, if nothing
# else is known.
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
# Members of modules that neither tensors nor common Python objects have.
MODULE_MEMBERS = frozenset(
    {"parameters", "named_parameters", "state_dict", "load_state_dict", "named_modules", "modules"}
)
_OPTIMIZER_MEMBERS = frozenset({"param_groups", "add_param_group"})
# Tensor methods that other containers of tensors have as well.
_COMMON = frozenset({"values", "copy", "index", "count", "get", "to", "type", "clone", "pop"})
# Tensor methods that return values and indices.
_PAIRING = frozenset({"max", "min", "sort", "topk", "median", "mode", "kthvalue"})
# Tensor methods that take whole numbers, one of them -1 or several: those of arrays take others,
# such as a dtype or an order.
_TAKING_NUMBERS = frozenset({"expand", "flatten", "view"})
# Keywords of tensor methods that the methods of texts, arrays and data frames do not take.
_OF_TENSORS = frozenset(
    {"descending", "dim", "dim0", "dim1", "dims", "end_dim", "keepdim", "split_size", "start_dim"}
)
# Members of tensors that are tensors, and that arrays and complex numbers have, too.
_OF_COMPLEX = frozenset({"real", "imag"})
# The usual names of modules of functions.
_OWNERS = {"torch": "torch", "F": "torch.nn.functional"}
# Operations of tensors that only data frames have as methods, too.
_AS_METHODS = frozenset({"div", "eq", "ge", "gt", "le", "lt", "mul", "ne", "pow"})
# Packages of data frames.
_FRAMES = frozenset({"cudf", "dask", "geopandas", "modin", "pandas", "polars", "seaborn", "xarray"})
_CONSTANTS = {int: "int", float: "float", str: "str", bool: "bool", bytes: "bytes"}


@dataclass(frozen=True, slots=True)
class _Body:
    """The members that a body reads, by the name it reads them from, and those it calls.

    `foreign` has dotted receivers, such as `self.blocks.first`, on which the body calls methods
    that tensors lack; `mappings` has names that it reads by a text: `cache["k"]`. The names in
    `given`, or what the body computes from them, are arguments of torch functions that take
    tensors.
    """

    facts: Facts
    members: dict[str, set[str]]
    called: set[tuple[str, str]]
    foreign: set[str]
    mappings: set[str]
    given: set[str]


# Versions of an edited text share nodes, so a body's evidence is computed once for all.
_BODIES: Notes[_Body] = Notes("body")


class BodyEvidence:
    """Evidence in the body of a function or loop about the types of its parameters or variables."""

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
        mappings: set[str] = set()
        given: set[str] = set()
        body = self._node.body
        for part in body if isinstance(body, list) else [body]:
            for node in within(part) if isinstance(part, ast.stmt) else inside(part):
                if type(node) is ast.Call:
                    given.update(self._given_tensors(node))
                if type(node) is ast.Call and type(node.func) is ast.Attribute:
                    on = node.func.value
                    root = on.id if type(on) is ast.Name else self._computed(on)
                    method = self._facts.torch_method(node.func.attr)
                    called.add((root or "", method))
                    own = method in self._facts.tensor_members
                    own = own and not takes_no_arguments(self._facts, node)
                    if not own and not method.startswith("_"):
                        foreign.add(on.id if type(on) is ast.Name else _dotted(on) or "")
                if (name := _by_key(node)) is not None:
                    mappings.add(name)
                if type(node) is not ast.Attribute:
                    continue
                if type(node.value) is ast.Name:
                    member = self._facts.torch_method(node.attr)
                    members.setdefault(node.value.id, set()).add(member)
                elif node.attr in self._facts.tensor_only and (root := self._computed(node.value)):
                    members.setdefault(root, set()).add(node.attr)
        return _Body(self._facts, members, called, foreign, mappings, given)

    def _given_tensors(self, call: ast.Call) -> Iterator[str]:
        """Yield the names from which a call of torch gets its tensors: `x` in `F.relu(x.real)`.

        A function without an owner, as in `relu(x)`, is taken for one of `torch.nn.functional`.
        """
        function = call.func
        owner = getattr(getattr(function, "value", None), "id", None)
        if type(function) is ast.Name:
            entry = self._facts.get(f"torch.nn.functional.{function.id}")
        elif type(function) is ast.Attribute and owner in _OWNERS:
            entry = self._facts.get(f"{_OWNERS[owner]}.{function.attr}")
        else:
            return
        parameters = entry.signatures[0].parameters if entry and entry.signatures else ()
        for node, parameter in zip(call.args, parameters, strict=False):
            given = node
            if isinstance(node, ast.Attribute) and node.attr in _OF_COMPLEX:
                given = node.value
            name = given.id if type(given) is ast.Name else self._computed(given)
            if parameter.type == "Tensor" and name is not None:
                yield name

    def _computed(self, node: ast.expr) -> str | None:
        """Return the name that tensor methods are called on: `x` for `x.max(1)[1]`."""
        while type(node) is ast.Subscript:
            node = node.value
        if type(node) is not ast.Call or type(node.func) is not ast.Attribute:
            return None
        if node.func.attr not in self._facts.tensor_members or node.func.attr in _COMMON:
            return None
        owner = node.func.value
        return owner.id if type(owner) is ast.Name else self._computed(owner)

    def of(self, parameter: str) -> Value:
        """Return the type that the parameter's members imply, or UNKNOWN."""
        members = self._body.members.get(parameter)
        if not members:
            return UNKNOWN
        if members & _OPTIMIZER_MEMBERS:
            return Instance("torch.optim.Optimizer", _ASSUMED)
        if members & MODULE_MEMBERS:
            return Instance("torch.nn.Module", _ASSUMED)
        if parameter in self._body.foreign | self._body.mappings:
            return UNKNOWN
        if members <= self._facts.tensor_members and parameter in self._body.given:
            return ASSUMED_TENSOR
        shown = members & self._facts.tensor_only
        if members <= self._facts.tensor_members and any(
            self._indicates_tensor(parameter, member) for member in shown
        ):
            return ASSUMED_TENSOR
        return UNKNOWN

    def is_mapping(self, parameter: str) -> bool:
        """Return whether the body reads a parameter by a text, as no tensor is read."""
        return parameter in self._body.mappings

    def is_no_tensor(self, receiver: ast.expr) -> bool:
        """Return whether a dotted receiver has a method call that tensors do not support.

        `self.block` is not a tensor if both `self.block.norm(x)` and `self.block.attend(x)` occur.
        """
        written = _dotted(receiver)
        return written is not None and written in self._body.foreign

    def _indicates_tensor(self, parameter: str, member: str) -> bool:
        """Return False for an uncalled tensor method: `settings.stride` is something else."""
        entry = self._facts.get(f"torch.Tensor.{member}")
        return (parameter, member) in self._body.called or entry is None or entry.kind != "method"


def takes_no_arguments(facts: Facts, call: ast.Call) -> bool:
    """Return whether a call such as `flow.inverse(z)` gives more than a tensor's method takes.

    Only methods without parameters are tested, since torch's type information lacks overloads.
    """
    if not call.args or not isinstance(call.func, ast.Attribute):
        return False
    entry = facts.get(f"torch.Tensor.{facts.torch_method(call.func.attr)}")
    signatures = entry.signatures if entry is not None and entry.kind == "method" else ()
    return bool(signatures) and not any(one.parameters for one in signatures)


def _by_key(node: ast.AST) -> str | None:
    """Return the variable that is read as a mapping: `cache["k"]`, `"k" in cache`."""
    match node:
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str())):
            return name
        case ast.Compare(
            left=ast.Constant(value=str()),
            ops=[ast.In() | ast.NotIn()],
            comparators=[ast.Name(id=name)],
        ):
            return name
    return None


def _dotted(node: ast.expr) -> str | None:
    """Return `self.block.first` as written; None for a single name or a computed expression."""
    names: list[str] = []
    while type(node) is ast.Attribute:
        names.append(node.attr)
        node = node.value
    if not names or type(node) is not ast.Name:
        return None
    return ".".join([node.id, *reversed(names)])


def called_as_tensor(call: ast.Call, statement: ast.stmt, program: ast.Module) -> bool:
    """Return whether only a tensor supports such a method call.

    `x.sum(dim=1)`, `x.split(split_size=2)`, `x.max(1, keepdim=True)`, `values, places = x.max(1)`,
    `x.max(1)[1]`, `x.max(1).indices`, `x.unique(return_counts=True)`, and `x.sort()` if its result
    is used; with whole numbers `x.size(0)`, `x.view(-1)` and `x.flatten(1, 2)`; `x.mul(y)`; and
    `x.size()[1]`.
    `x.max(1).values`, `x.mul(y)` and `x.size()[1]` are also written for the data frames of a
    program that imports them.
    """
    if _takes_numbers(call) or _reads_of_size(call, statement, program):
        return True
    if _computes(call) and not imports_any(program, _FRAMES):
        return True
    for keyword in call.keywords:
        if keyword.arg in {"return_inverse", "return_counts"} and not call.args:
            return True
        if keyword.arg in _OF_TENSORS and not _is_text(keyword.value):
            return True
    if getattr(call.func, "attr", None) in _PAIRING and (
        _picks_of_a_pair(call, statement) or _reads_of_a_pair(call, statement, program)
    ):
        return True
    if not isinstance(statement, ast.Assign) or statement.value is not call:
        return False
    target = statement.targets[0]
    pair = isinstance(target, ast.Tuple) and len(target.elts) == 2
    return pair and isinstance(call.func, ast.Attribute) and call.func.attr in _PAIRING


def _takes_numbers(call: ast.Call) -> bool:
    """Return whether it is `x.size(0)`, `x.view(n, 4)`, or another that takes whole numbers."""
    method = getattr(call.func, "attr", None)
    if method == "size":
        return len(call.args) == 1 and _is_whole(call.args[0])
    several = len(call.args) > 1 or any(isinstance(one, ast.UnaryOp) for one in call.args)
    return method in _TAKING_NUMBERS and several and any(map(_is_whole, call.args))


def _computes(call: ast.Call) -> bool:
    """Return whether it is `x.mul(y)`, or another operation of two operands."""
    method = getattr(call.func, "attr", None)
    return method in _AS_METHODS and len(call.args) == 1 and not call.keywords


def _is_whole(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) is int


def _reads_of_size(call: ast.Call, statement: ast.stmt, program: ast.Module) -> bool:
    """Return whether it is `x.size()[1]`, without data frames, whose groups have such a method."""
    if getattr(call.func, "attr", None) != "size" or call.args or call.keywords:
        return False
    read = any(
        isinstance(node, ast.Subscript) and node.value is call and not _is_text(node.slice)
        for node in within(statement)
    )
    return read and not imports_any(program, _FRAMES)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _picks_of_a_pair(call: ast.Call, statement: ast.stmt) -> bool:
    """Return whether it is `x.max(1)[1]` or `x.sort()[0]`, a row and an error for arrays."""
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


def _reads_of_a_pair(call: ast.Call, statement: ast.stmt, program: ast.Module) -> bool:
    """Return whether it is `x.max(1).indices`, or `x.max(1).values` without data frames."""
    parts = within(statement)
    called = {id(node.func) for node in parts if isinstance(node, ast.Call)}
    read = {
        node.attr
        for node in parts
        if isinstance(node, ast.Attribute) and node.value is call and id(node) not in called
    }
    return "indices" in read or ("values" in read and not imports_any(program, _FRAMES))


def imports_any(program: ast.Module, packages: Container[str]) -> bool:
    """Return whether a program imports one of these packages, anywhere."""
    names = (
        name
        for node in inside(program)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [each.name for each in node.names]
        )
    )
    return any(name.partition(".")[0] in packages for name in names)


def by_convention(parameter: str) -> Value:
    """Return the usual meaning of a parameter name in torch code, or UNKNOWN."""
    return _CONVENTIONS.get(parameter, UNKNOWN)


def of_constant(node: ast.expr | None) -> Value:
    """Return the type of a literal, or UNKNOWN for other expressions."""
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
    """Yield each parameter with its default (or None) and its kind: "", "*" or "**"."""
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
