"""The models whose parameters a list holds, by the statements that fill it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from workbench.convert.decide.planner import Plan
from workbench.source.tree import inside
from workbench.targets.jax.passes.program.dependence import simple
from workbench.targets.jax.passes.program.places import Function
from workbench.targets.jax.passes.program.structure import Structure

_GIVING = frozenset({"parameters", "named_parameters"})
_LAYERS = frozenset({"modules", "named_modules", "children", "named_children"})
_FILLING = frozenset({"append", "extend", "insert", "add", "update", "setdefault"})


def models_of_list(
    node: ast.expr, structure: Structure, planned: dict[int, Plan]
) -> list[str] | None:
    """Return the models whose parameters an expression lists, or None if the text hides one.

    Args:
        node: the expression.
        structure: the program.
        planned: the plans of its uses, by the identity of their nodes.
    """
    reader = _Reader(structure, planned)
    reader.read(node)
    found = list(dict.fromkeys(reader.found))
    known = all(one.isidentifier() or one.startswith("self.") for one in found)
    return found if found and known and not reader.hidden else None


@dataclass(slots=True)
class _Reader:
    """A walk from a list back to what fills it.

    Attributes:
        structure: the program.
        planned: the plans of its uses, by the identity of their nodes.
        found: the models.
        seen: the names that were followed, with their functions.
        hidden: whether a name has a value that the text does not show.
    """

    structure: Structure
    planned: dict[int, Plan]
    found: list[str] = field(default_factory=list)
    seen: set[tuple[int, str]] = field(default_factory=set)
    hidden: bool = False

    def read(self, node: ast.AST) -> None:
        """Note the models whose parameters an expression reads."""
        for one in inside(node):
            if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute):
                if one.func.attr in _GIVING or self._lists_own(one.func.attr):
                    self._note(one.func.value)
            elif isinstance(one, ast.Call) and isinstance(one.func, ast.Name):
                self._called(one, one.func.id)
            elif isinstance(one, ast.Attribute) and self._is_parameter(one):
                self._note(one.value)
            elif isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load):
                self._follow(one)

    def _is_parameter(self, node: ast.Attribute) -> bool:
        """Return whether an attribute is a parameter that a class of layers makes."""
        return node.attr in self._parameters() and not isinstance(node.ctx, ast.Store)

    def _parameters(self) -> set[str]:
        return self.structure.ask(("own parameters",), lambda: set(self._made()))

    def _made(self) -> Iterator[str]:
        for one in self.structure.places.of(ast.Assign):
            plan = self.planned.get(id(one.value))
            if plan is not None and plan.use.name == "torch.nn.Parameter":
                yield from (aim.attr for aim in one.targets if isinstance(aim, ast.Attribute))

    def _lists_own(self, name: str) -> bool:
        """Return whether a method of a class of layers lists parameters of its object."""
        methods = (self.structure.method(one, name) for one in self.structure.classes.values())
        return any(
            isinstance(node, ast.Attribute) and node.attr in _GIVING
            for method in methods
            if method is not None
            for node in inside(method)
        )

    def _called(self, call: ast.Call, name: str) -> None:
        """Follow a call of a function that lists parameters of models that it is given."""
        function = self.structure.functions.get(name)
        if function is None:
            return
        listed = function.args
        names = [one.arg for one in (*listed.posonlyargs, *listed.args)]
        given = dict(zip(names, call.args, strict=False))
        given |= {one.arg: one.value for one in call.keywords if one.arg}
        inner = _Reader(self.structure, self.planned)
        for one in inside(function):
            if isinstance(one, ast.Return | ast.Yield) and one.value is not None:
                inner.read(one.value)
        self.hidden |= inner.hidden
        for path in inner.found:
            if path in given:
                self._note(given[path])
            elif path in names:
                self.hidden = True
            else:
                self.found.append(path)

    def _note(self, model: ast.expr) -> None:
        """Note the object whose part a layer is."""
        root = model
        parts: list[str] = []
        while isinstance(root, ast.Attribute | ast.Subscript):
            parts.append(root.attr if isinstance(root, ast.Attribute) else "")
            root = root.value
        if not isinstance(root, ast.Name):
            self.hidden = True
        elif root.id == "self":
            own = self.structure.class_of(model) is not None
            self.found.append("self" if own or not parts else f"self.{parts[-1]}")
        elif (iterated := self._loop(root)) is not None:
            self.read_layers(iterated)
        else:
            self.found.append(root.id)

    def read_layers(self, node: ast.expr) -> None:
        """Note the models over whose layers a loop runs."""
        before = len(self.found)
        for one in inside(node):
            match one:
                case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in _LAYERS:
                    self._note(value)
        if len(self.found) == before:
            for one in inside(node):
                if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Load):
                    self._note(one)
                    return
            self.hidden = len(self.found) == before

    def _loop(self, name: ast.Name) -> ast.expr | None:
        """Return what the loop or comprehension runs over that binds a name, or None."""
        node: ast.AST = name
        parents = self.structure.places.parents
        while (parent := parents.get(id(node))) is not None:
            if isinstance(parent, Function):
                return None
            loops = [parent] if isinstance(parent, ast.For) else getattr(parent, "generators", [])
            for loop in loops:
                if any(
                    isinstance(one, ast.Name) and one.id == name.id for one in inside(loop.target)
                ):
                    return loop.iter if isinstance(loop.iter, ast.expr) else None
            node = parent
        return None

    def _follow(self, name: ast.Name) -> None:
        """Read what fills the list of a name."""
        function = self.structure.owner.get(id(name))
        key = (id(function), name.id)
        if key in self.seen:
            return
        self.seen.add(key)
        body = self.structure.analysis.tree.body if function is None else function.body
        for statement in simple(body):
            if isinstance(statement, ast.For) and _binds(statement.target, name.id):
                self.read(statement.iter)
            elif _fills(statement, name.id):
                self._filled(statement)

    def _filled(self, statement: ast.stmt) -> None:
        """Read a statement that fills a list, and what the loops around it run over."""
        self.read(statement)
        node: ast.AST = statement
        parents = self.structure.places.parents
        while (parent := parents.get(id(node))) is not None and not isinstance(parent, Function):
            if isinstance(parent, ast.For):
                self.read(parent.iter)
            node = parent


def _binds(target: ast.AST, name: str) -> bool:
    return any(isinstance(one, ast.Name) and one.id == name for one in inside(target))


def _fills(statement: ast.stmt, name: str) -> bool:
    """Return whether a simple statement assigns a name, or puts something into its value."""
    if isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign):
        aims = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        roots = (node for aim in aims for node in inside(aim))
        return any(isinstance(one, ast.Name) and one.id == name for one in roots)
    if not isinstance(statement, ast.Expr):
        return False
    return any(
        isinstance(one, ast.Call)
        and isinstance(one.func, ast.Attribute)
        and one.func.attr in _FILLING
        and _binds(one.func.value, name)
        for one in inside(statement)
    )
