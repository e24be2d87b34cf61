"""Classes that are passed on as values, and called where another name holds them.

def __init__(self, block):
    self.first = block(8, 8)

net = Net(BasicBlock)
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from workbench.targets.jax.passes.program.places import Function
from workbench.targets.jax.passes.program.structure import Structure

_HARMLESS = frozenset({"isinstance", "issubclass", "super", "print", "repr", "str", "type", "id"})
_Holder = tuple[Function | None, str]


@dataclass(slots=True)
class Handed:
    """Where some classes of a program go as values.

    Attributes:
        structure: the program.
        classes: the names of the classes.
        calls: the calls through another name, by identity.
        lost: the names of classes that cannot be followed, by identity.
        holders: the names that hold such a class, with the function of which they are parameters,
            to the names of classes that they come from.
    """

    structure: Structure
    classes: frozenset[str]
    calls: set[int] = field(default_factory=set)
    lost: dict[int, ast.Name] = field(default_factory=dict)
    holders: dict[tuple[int, str], list[ast.Name]] = field(default_factory=dict)

    def follow(self, node: ast.Name, root: ast.Name) -> None:
        """Follow a name that holds a class; `root` is the name of the class."""
        parents = self.structure.places.parents
        inner: ast.AST = node
        parent = parents.get(id(node))
        while isinstance(parent, ast.Tuple | ast.List | ast.Subscript | ast.BinOp):
            inner, parent = parent, parents.get(id(parent))
        if isinstance(parent, ast.For) and parent.iter is inner:
            self._hold_in_loop(parent, root)
        elif isinstance(parent, ast.arguments):
            self._hold_default(parent, node, root)
        elif isinstance(parent, ast.Call | ast.keyword):
            call = parent if isinstance(parent, ast.Call) else parents.get(id(parent))
            assert isinstance(call, ast.Call)
            self._follow_call(call, inner, node, root)
        elif not _is_harmless(parent, inner):
            self.lost[id(root)] = root

    def _follow_call(self, call: ast.Call, inner: ast.AST, node: ast.Name, root: ast.Name) -> None:
        if call.func is node:
            if node is not root:
                self.calls.add(id(call))
        elif getattr(call.func, "id", "") not in _HARMLESS:
            called = self._called(call)
            name = _parameter(called, call, inner) if called is not None else None
            if name is None or inner is not node:
                self.lost[id(root)] = root
            else:
                self._hold((called, name), root)

    def _hold_in_loop(self, loop: ast.For, root: ast.Name) -> None:
        names = loop.iter.elts if isinstance(loop.iter, ast.Tuple | ast.List) else []
        if (
            isinstance(loop.target, ast.Name)
            and self.structure.owner[id(loop)] is None
            and names
            and all(isinstance(one, ast.Name) and one.id in self.classes for one in names)
        ):
            self._hold((None, loop.target.id), root)
        else:
            self.lost[id(root)] = root

    def _hold_default(self, parameters: ast.arguments, node: ast.Name, root: ast.Name) -> None:
        function = self.structure.places.parents.get(id(parameters))
        listed = [*parameters.posonlyargs, *parameters.args]
        pairs = [
            *zip(reversed(listed), reversed(parameters.defaults), strict=False),
            *zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True),
        ]
        name = next((one.arg for one, value in pairs if value is node), None)
        if isinstance(function, Function) and name is not None:
            self._hold((function, name), root)
        else:
            self.lost[id(root)] = root

    def _hold(self, holder: _Holder, root: ast.Name) -> None:
        function, name = holder
        roots = self.holders.setdefault((id(function), name), [])
        if root in roots:
            return
        roots.append(root)
        for one in self.structure.named(name):
            if isinstance(one, ast.Name) and self._binder(one) is function:
                if isinstance(one.ctx, ast.Load):
                    self.follow(one, root)
                elif function is not None:  # another value follows
                    self.lost[id(root)] = root

    def _binder(self, node: ast.Name) -> Function | None:
        """Return the function of which a name is a parameter, or None."""
        function = self.structure.owner[id(node)]
        while function is not None and node.id not in _parameters(function):
            function = self.structure.owner[id(function)]
        return function

    def _called(self, call: ast.Call) -> Function | None:
        """Return the program's function that a call runs, or None."""
        structure = self.structure
        match call.func:
            case ast.Name(id=name) if name in structure.classes:
                return structure.method(structure.classes[name], "__init__")
            case ast.Name(id=name):
                return structure.functions.get(name)
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                cls = structure.class_of(call)
                return structure.method(cls, name) if cls is not None else None
        return None

    def check_callers(self) -> None:
        """Lose the classes that share a parameter with something else."""
        holding = {function for function, _ in self.holders}
        for call in self.structure.calls if holding else ():
            called = self._called(call)
            if called is None or id(called) not in holding:
                continue
            for given in (*call.args, *(one.value for one in call.keywords)):
                name = _parameter(called, call, given)
                for root in self.holders.get((id(called), name or ""), ()):
                    if not self._is_held(given):
                        self.lost[id(root)] = root

    def _is_held(self, node: ast.expr) -> bool:
        if not isinstance(node, ast.Name):
            return False
        return node.id in self.classes or (id(self._binder(node)), node.id) in self.holders


def handed_on(structure: Structure, classes: set[str]) -> Handed:
    """Follow classes of a program as values."""
    found = Handed(structure, frozenset(classes))
    for name in sorted(classes):
        for node in structure.named(name):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                found.follow(node, node)
    found.check_callers()
    return found


def _parameters(function: Function) -> list[str]:
    given = function.args
    return [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]


def _parameter(function: Function, call: ast.Call, given: ast.AST) -> str | None:
    """Return the parameter that an argument of a call is for, or None."""
    named = [one.arg for one in call.keywords if one.value is given]
    if named:
        return named[0] if named[0] in _parameters(function) else None
    listed = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    place = next((n for n, one in enumerate(call.args) if one is given), len(listed))
    starred = any(isinstance(one, ast.Starred) for one in call.args[: place + 1])
    place += listed[:1] == ["self"]
    return listed[place] if place < len(listed) and not starred else None


def _is_harmless(parent: ast.AST | None, inner: ast.AST) -> bool:
    """Return whether code around a class does not keep it: an annotation, a base, a comparison."""
    if isinstance(parent, ast.arg | ast.ClassDef | ast.Compare | ast.Attribute | ast.Expr):
        return True
    if isinstance(parent, ast.FunctionDef | ast.AsyncFunctionDef):
        return parent.returns is inner
    return isinstance(parent, ast.AnnAssign) and parent.annotation is inner
