"""Which code the calls of a program run, as far as its text shows it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Final

from workbench.source.tree import DEFINITIONS, imported_names, inside
from workbench.source.uses import Use, UseKind
from workbench.words import words

Function = ast.FunctionDef | ast.AsyncFunctionDef
# What defines, imports or binds a name.
_TELLING: Final = (*DEFINITIONS, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)
# Layers that may return their input or a view of it.
PASSING_LAYERS: Final = frozenset(
    words(
        "Identity Flatten Unflatten PixelShuffle PixelUnshuffle Dropout Dropout1d Dropout2d "
        "Dropout3d AlphaDropout FeatureAlphaDropout Sequential ModuleList ModuleDict Upsample"
    )
)
# Modules of functions that keep none of their arguments.
_NUMERIC: Final = frozenset({"numpy", "math", "random", "copy", "itertools", "functools", "time"})


class Callees:
    """The functions, classes and assigned values of a program, by name."""

    def __init__(self, tree: ast.Module, uses: Iterable[Use]) -> None:
        every = list(uses)
        self.tree = tree
        self.uses = {id(one.node): one for one in every if one.call is not None}
        # Writes to elements of tensors.
        self.elements = {id(one.node) for one in every if one.name == "torch.Tensor.__setitem__"}
        # Changes of tensors by operators, such as `x += y`.
        self.changed = {id(one.node) for one in every if one.kind is UseKind.AUGMENTED}
        nodes = [node for node in inside(tree) if isinstance(node, _TELLING)]
        self._numeric = {
            name: True
            for name, full in imported_names(nodes).items()
            if full.partition(".")[0] in _NUMERIC
        }
        self._lists: dict[str, bool] = {}
        self.functions: dict[str, list[Function]] = {}
        self.classes: dict[str, ast.ClassDef] = {}
        self.made: dict[str, list[ast.expr]] = {}
        self.given: set[str] = set()  # the names of parameters
        for node in nodes:
            if isinstance(node, Function):
                self.functions.setdefault(node.name, []).append(node)
                self.given |= set(parameters(node.args))
            elif isinstance(node, ast.ClassDef):
                self.classes[node.name] = node
            elif isinstance(node, ast.Assign):
                for aim in node.targets:
                    self._note(aim, node.value)
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                self._note(node.target, node.value)

    def _note(self, aim: ast.expr, value: ast.expr) -> None:
        if isinstance(aim, ast.Name | ast.Attribute):
            name = aim.id if isinstance(aim, ast.Name) else aim.attr
            self.made.setdefault(name, []).append(value)
        elif isinstance(aim, ast.Tuple | ast.List):
            parts = (
                value.elts if isinstance(value, ast.Tuple | ast.List) else [value] * len(aim.elts)
            )
            for one, part in zip(aim.elts, parts, strict=False):
                self._note(one, part)

    def called(self, call: ast.Call) -> list[Function] | None:
        """Return the program's functions that a call may run; None if others may be."""
        match call.func:
            case ast.Name(id=name):
                found = self.functions.get(name, [])
                return found or self._layers(name)
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super"))):
                return None
            case ast.Attribute(attr=name):
                return self.functions.get(name) or self._layers(name)
        return None

    def _made(self, name: str) -> list[ast.expr]:
        """Return the values that a name is assigned, unless callers may give it others."""
        return [] if name in self.given else self.made.get(name, [])

    def is_list(self, node: ast.expr) -> bool:
        """Return whether an expression may be a list or tuple, which holds its parts."""
        match node:
            case ast.List() | ast.Tuple() | ast.ListComp() | ast.Starred():
                return True
            case ast.Call(func=ast.Name(id=name)):
                return name in {"list", "tuple", "sorted"}
            case ast.BinOp(left=left, right=right):
                return self.is_list(left) or self.is_list(right)
            case ast.Name(id=name):
                if name not in self._lists:
                    self._lists[name] = False  # for lists that are made from themselves
                    self._lists[name] = any(map(self.is_list, self.made.get(name, ())))
                return self._lists[name]
        return False

    def _layers(self, name: str) -> list[Function] | None:
        """Return the `forward` of the layers that a name is assigned; None if not all are known."""
        found: list[Function] = []
        for value in self._made(name):
            called = value.func if isinstance(value, ast.Call) else None
            cls = self.classes.get(called.id) if isinstance(called, ast.Name) else None
            if cls is None:
                return None
            methods = [
                one
                for one in cls.body
                if isinstance(one, Function) and one.name in {"forward", "__call__"}
            ]
            if not methods:
                return None
            found += methods
        return found or None

    def is_numeric(self, function: ast.expr) -> bool:
        """Return whether a function is one of numpy or alike, or a method of such an object."""
        while isinstance(function, ast.Attribute | ast.Call):
            function = function.value if isinstance(function, ast.Attribute) else function.func
        if not isinstance(function, ast.Name):
            return False
        if function.id not in self._numeric:
            self._numeric[function.id] = False  # for objects that are made from themselves
            made = self._made(function.id)
            self._numeric[function.id] = bool(made) and all(
                isinstance(one, ast.Call) and self.is_numeric(one.func) for one in made
            )
        return self._numeric[function.id]

    def is_torch_layer(self, function: ast.expr) -> bool | None:
        """Return whether all layers of a name are torch's and return a new tensor.

        None if some are not torch's.
        """
        name = getattr(function, "attr", getattr(function, "id", ""))
        values = self._made(name)
        kinds = [self.uses[id(one)].name if id(one) in self.uses else "" for one in values]
        if not kinds or not all(
            one.startswith("torch.nn.") and one.count(".") == 2 for one in kinds
        ):
            return None
        changes = any(
            one.arg == "inplace"
            for value in values
            if isinstance(value, ast.Call)
            for one in value.keywords
        )
        return not changes and not any(one.rpartition(".")[2] in PASSING_LAYERS for one in kinds)


def parameters(given: ast.arguments) -> list[str]:
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    every += [one for one in (given.vararg, given.kwarg) if one is not None]
    return [one.arg for one in every]
