"""What a program's text shows as a whole: which members it reads, what it initialises, and so on.

Plain forms ask it whether a difference can be seen by this program at all. A project answers as
one program, since a layer that is made in one file may be looked into in another.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import cached_property

_INITIALISING = frozenset({"init"})  # `nn.init.normal_(layer.weight)`: the module before the call
_OWN_PARAMETERS = frozenset({"weight", "bias"})


@dataclass(frozen=True, slots=True)
class Traits:
    """What one text shows.

    Attributes:
        read: names of members that are read, without a class's reads of what it puts into `self`.
        called: names of functions and methods that are called.
        stored: names of members that are assigned, without those of `self`.
        keywords: names of keyword arguments.
        strings: string constants that are a name, as `getattr` and dictionaries take them.
        modules: the first names of what is imported.
        bases: last names of the base classes of classes.
        initialised: layer classes of which every layer's weight is initialised, by their last
            names: `isinstance(m, nn.Linear)` around `init.normal_(m.weight)`.
        parameters: "weight" or "bias" where one is read for anything but its initialisation.
    """

    read: frozenset[str] = frozenset()
    called: frozenset[str] = frozenset()
    stored: frozenset[str] = frozenset()
    keywords: frozenset[str] = frozenset()
    strings: frozenset[str] = frozenset()
    modules: frozenset[str] = frozenset()
    bases: frozenset[str] = frozenset()
    initialised: frozenset[str] = frozenset()
    parameters: frozenset[str] = frozenset()

    def __or__(self, other: Traits) -> Traits:
        return Traits(*(getattr(self, f.name) | getattr(other, f.name) for f in fields(self)))


class Program:
    """The traits of a text, or of all of a project, computed when they are first asked for."""

    def __init__(self, *texts: Callable[[], Traits]) -> None:
        self._texts = texts

    @cached_property
    def traits(self) -> Traits:
        """The traits of all texts together."""
        found = Traits()
        for text in self._texts:
            found |= text()
        return found

    def reads(self, *names: str) -> bool:
        """Whether a member of one of these names is read, or named in a string."""
        traits = self.traits
        return not (traits.read | traits.strings).isdisjoint(names)

    def calls(self, *names: str) -> bool:
        """Whether a function or method of one of these names is called."""
        return not self.traits.called.isdisjoint(names)

    def stores(self, *names: str) -> bool:
        """Whether a member of one of these names is assigned to."""
        return not self.traits.stored.isdisjoint(names)

    def derives(self, name: str) -> bool:
        """Whether a class derives from one of this last name."""
        return name in self.traits.bases

    def initialises(self, name: str) -> bool:
        """Whether the program sets the weights of every layer of a class of this last name."""
        return name in self.traits.initialised

    @property
    def reads_weights(self) -> bool:
        """Whether a layer's weight is read, tied or replaced, beyond its initialisation."""
        return "weight" in self.traits.parameters or "weight" in self.traits.strings


def traits_of(tree: ast.AST) -> Traits:
    """The traits of one text."""
    collector = _Collector()
    collector.visit(tree)
    return collector.traits()


class _Collector(ast.NodeVisitor):
    def __init__(self) -> None:
        self._sets: dict[str, set[str]] = {f.name: set() for f in fields(Traits)}
        self._own: list[set[str]] = []  # members of `self`, of the classes around
        self._tested: list[tuple[str, frozenset[str]]] = []  # variable, classes it is known to be

    def traits(self) -> Traits:
        return Traits(**{name: frozenset(found) for name, found in self._sets.items()})

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._sets["bases"].update(filter(None, map(_last_name, node.bases)))
        self._own.append(set(_members_of_self(node)))
        self.generic_visit(node)
        self._own.pop()

    def visit_Attribute(self, node: ast.Attribute) -> None:
        own = isinstance(node.value, ast.Name) and node.value.id == "self"
        if isinstance(node.ctx, ast.Load):
            if not (own and self._own and node.attr in self._own[-1]):
                self._sets["read"].add(node.attr)
                if node.attr in _OWN_PARAMETERS:
                    self._sets["parameters"].add(node.attr)
        elif not own:
            self._sets["stored"].add(node.attr)
            if node.attr in _OWN_PARAMETERS:
                self._sets["parameters"].add(node.attr)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = _last_name(node.func)
        if name is not None:
            self._sets["called"].add(name)
        self._sets["keywords"].update(one.arg for one in node.keywords if one.arg)
        parameter = _initialised(node)
        if parameter is None:
            self.generic_visit(node)
            return
        self._sets["read"].add(parameter.attr)
        if parameter.attr == "weight" and isinstance(parameter.value, ast.Name):
            for variable, classes in self._tested:
                if variable == parameter.value.id:
                    self._sets["initialised"].update(classes)
        for part in (*node.args, *(one.value for one in node.keywords)):
            if part is not parameter:
                self.visit(part)
        self.visit(parameter.value)

    def visit_If(self, node: ast.If) -> None:
        self.visit(node.test)
        found = _type_test(node.test)
        if found is not None:
            self._tested.append(found)
        for statement in node.body:
            self.visit(statement)
        if found is not None:
            self._tested.pop()
        for statement in node.orelse:
            self.visit(statement)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str) and node.value.isidentifier():
            self._sets["strings"].add(node.value)

    def visit_Import(self, node: ast.Import) -> None:
        self._sets["modules"].update(one.name.partition(".")[0] for one in node.names)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self._sets["modules"].add((node.module or "").partition(".")[0])


def _members_of_self(node: ast.ClassDef) -> Iterator[str]:
    """What a class puts into `self`, and what it defines."""
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store):
            if isinstance(part.value, ast.Name) and part.value.id == "self":
                yield part.attr
        elif isinstance(part, ast.FunctionDef):
            yield part.name


def _initialised(node: ast.Call) -> ast.Attribute | None:
    """The weight or bias that a call does nothing with but set its values.

    `nn.init.normal_(layer.weight)`, `layer.weight.data.fill_(1)`.
    """
    func = node.func
    if not isinstance(func, ast.Attribute) or not func.attr.endswith("_"):
        if isinstance(func, ast.Name) and func.id.endswith("_") and node.args:
            return _parameter(node.args[0])
        return None
    if _last_name(func.value) in _INITIALISING and node.args:
        return _parameter(node.args[0])
    return _parameter(func.value)


def _parameter(node: ast.expr) -> ast.Attribute | None:
    if isinstance(node, ast.Attribute) and node.attr == "data":
        node = node.value
    is_one = isinstance(node, ast.Attribute) and node.attr in _OWN_PARAMETERS
    return node if is_one else None  # type: ignore[return-value]


def _type_test(test: ast.expr) -> tuple[str, frozenset[str]] | None:
    """The variable that a test tells the class of, and these classes, by their last names.

    `isinstance(m, (nn.Linear, nn.Conv2d))`, `type(m) == nn.Linear`.
    """
    if isinstance(test, ast.BoolOp):
        return next(filter(None, map(_type_test, test.values)), None)
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        call, right = test.left, test.comparators[0]
        if not isinstance(test.ops[0], ast.Eq | ast.Is | ast.In):
            return None
        if not (isinstance(call, ast.Call) and _last_name(call.func) == "type" and call.args):
            return None
        subject, classes = call.args[0], right
    elif isinstance(test, ast.Call) and _last_name(test.func) == "isinstance":
        if len(test.args) != 2:
            return None
        subject, classes = test.args
    else:
        return None
    if not isinstance(subject, ast.Name):
        return None
    each = classes.elts if isinstance(classes, ast.Tuple | ast.List) else [classes]
    return subject.id, frozenset(filter(None, map(_last_name, each)))


def _last_name(node: ast.expr) -> str | None:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None
