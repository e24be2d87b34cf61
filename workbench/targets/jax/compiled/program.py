"""What the names of a converted text mean, as far as compiled code may depend on it."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from workbench.source.tree import imported_names, inside
from workbench.targets.jax.compiled.known import DRAWS, GROWING, HELPERS, MODULES, VALUE_DEPENDENT
from workbench.targets.jax.passes.program.places import Function, Places, method_of, places_of


@dataclass(slots=False)
class Program:
    """A text that is converted whole.

    Attributes:
        tree: its tree.
        imports: the names that it imports, with what they mean.
        functions: the functions at its top, by name.
        classes: the classes at its top, by name.
        values: what the names at its top are assigned, for those that are bound once.
        same: parameters that are given what has their name outside, by identity.
    """

    tree: ast.Module
    imports: dict[str, str] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    values: dict[str, ast.expr] = field(default_factory=dict)
    same: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, tree: ast.Module) -> Program:
        found = cls(tree, imported_names(inside(tree)))
        bound = Counter(_bound(tree))
        for node in tree.body:
            match node:
                case ast.FunctionDef(name=name) if bound[name] == 1:
                    found.functions[name] = node
                case ast.ClassDef(name=name) if bound[name] == 1:
                    found.classes[name] = node
                case ast.Assign(targets=[aim], value=value):
                    for given, one in _names_given(aim, value):
                        if bound[given.id] == 1:
                            found.values[given.id] = one
        return found

    @cached_property
    def places(self) -> Places:
        """Where the parts of its tree are."""
        return places_of(self.tree)

    @cached_property
    def layers(self) -> dict[str, ast.ClassDef]:
        """The classes of layers, but for those that conversions bring."""
        found: dict[str, ast.ClassDef] = {}
        for name, cls in self.classes.items():
            bases = [ast.unparse(one) for one in cls.bases]
            if any(one in found or one.startswith(("Torch", "nnx.")) for one in bases):
                found[name] = cls
        return {name: cls for name, cls in found.items() if not name.startswith("Torch")}

    def method(self, cls: ast.ClassDef, name: str) -> Function | None:
        """Return the method of a class or of its bases in the text, or None."""
        return method_of(cls, name, self.classes)

    @cached_property
    def members(self) -> dict[str, list[ast.expr | None]]:
        """What attributes are assigned, by their name; None is a value that is not shown."""
        found: dict[str, list[ast.expr | None]] = {}
        for node in self.places.nodes:
            if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
                aims = node.targets if isinstance(node, ast.Assign) else [node.target]
                for aim in aims:
                    for name, value in _given(aim, node.value):
                        found.setdefault(name, []).append(value)
        return found

    @cached_property
    def _assigned(self) -> dict[tuple[int | None, str], list[ast.expr | None]]:
        """What the variables of each function, and of the top, are assigned."""
        found: dict[tuple[int | None, str], list[ast.expr | None]] = {}
        shown: set[int] = set()
        owner = self.places.owner

        def note(node: ast.AST, name: str, value: ast.expr | None) -> None:
            found.setdefault((_identity(owner[id(node)]), name), []).append(value)

        for node in self.places.of(ast.Assign):
            for aim in node.targets:
                for bound, value in _names_given(aim, node.value):
                    note(node, bound.id, value)
                    shown.add(id(bound))
            for one in _unpacked(node):
                note(one, one.id, node.value)
                shown.add(id(one))
        for one in self.places.of(ast.Name):
            if isinstance(one.ctx, ast.Store) and id(one) not in shown:
                note(one, one.id, None)
        for argument in self.places.of(ast.arg):
            if id(argument) not in self.same:
                note(argument, argument.arg, None)
        for declared in self.places.of(ast.Global):
            for name in declared.names:
                found.setdefault((None, name), []).append(None)
        return found

    def assigned(self, name: str, function: Function | None) -> list[ast.expr | None]:
        """Return all that a variable of a function is assigned; None is a value not shown."""
        owner = self.places.owner
        scope = function
        while scope is not None and (id(scope), name) not in self._assigned:
            scope = owner[id(scope)]
        return self._assigned.get((_identity(scope), name), [])

    @cached_property
    def reset(self) -> set[str]:
        """The names of attributes that other code than a constructor assigns."""
        owner = self.places.owner
        return {
            one.attr
            for one in self.places.of(ast.Attribute)
            if not isinstance(one.ctx, ast.Load)
            and not (
                isinstance(one.value, ast.Name)
                and one.value.id == "self"
                and getattr(owner[id(one)], "name", "") == "__init__"
            )
        }

    @cached_property
    def changed(self) -> set[str]:
        """The names of objects that a statement changes in place."""
        found: set[str] = set()
        for node in self.places.nodes:
            root: ast.AST | None = None
            if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(
                node.ctx, ast.Load
            ):
                root = node.value
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                root = node.func.value if node.func.attr in GROWING else None
            while isinstance(root, ast.Attribute | ast.Subscript):
                root = root.value
            if isinstance(root, ast.Name):
                found.add(root.id)
        return found

    def returned(self, function: Function) -> list[ast.expr | None]:
        """Return what a function returns."""
        return [one.value for one in inside(function) if isinstance(one, ast.Return)]

    def is_function(self, node: ast.expr) -> bool:
        """Return whether an expression is a function of arrays that can be compiled."""
        match node:
            case ast.Name(id=name):
                return name in HELPERS
            case ast.Attribute():
                path = ast.unparse(node).split(".")
                return path[0] in MODULES and not set(path) & VALUE_DEPENDENT and path[-1].islower()
            case ast.Call(func=ast.Name(id="partial"), args=[function]):
                return self.is_function(function)
        return False

    def makes_layer(self, node: ast.expr | None, function: Function | None, depth: int = 0) -> bool:
        """Return whether the value of an expression of a function is a layer that is shown."""
        if depth > 5:
            return False
        match node:
            case ast.Name(id=name):
                values = self.assigned(name, function)
                return bool(values) and all(
                    self.makes_layer(one, function, depth + 1) for one in values
                )
            case ast.Call(func=func, args=args):
                name = ast.unparse(func)
                if name in {"copy.deepcopy", "deepcopy", "nnx.clone"}:
                    return self.makes_layer(args[0], function, depth + 1)
                if name in self.functions:
                    made = self.functions[name]
                    names = [one.arg for one in made.args.args]
                    found = [
                        self.makes_layer(args[names.index(one.id)], function, depth + 1)
                        if isinstance(one, ast.Name) and one.id in names[: len(args)]
                        else self.makes_layer(one, made, depth + 1)
                        for one in self.returned(made)
                    ]
                    return bool(found) and all(found)
                if name.startswith("self."):
                    methods = [self.method(cls, name[5:]) for cls in self.layers.values()]
                    found = [
                        self.makes_layer(one, method, depth + 1)
                        for method in methods
                        if method is not None
                        for one in self.returned(method)
                    ]
                    return bool(found) and all(found)
                own = name in self.layers or name.startswith("Torch")
                return own or re.fullmatch(rf"nnx\.(?!{_NO_LAYERS})[A-Z]\w*", name) is not None
        return False

    def makes_array(self, node: ast.expr, function: Function | None, depth: int = 0) -> bool:
        """Return whether the value of an expression of a function is an array, or several."""
        match node:
            case ast.Call(func=func):
                root, _, rest = ast.unparse(func).partition(".")
                drawn = isinstance(func, ast.Attribute) and func.attr in DRAWS
                return (bool(rest) and root in {*MODULES, "np"}) or root in HELPERS or drawn
            case ast.BinOp(left=left, right=right):
                return any(self.makes_array(one, function, depth) for one in (left, right))
            case ast.Subscript(value=value):
                return self.makes_array(value, function, depth)
            case ast.Name(id=name) if depth < 5:
                values = self.assigned(name, function)
                return bool(values) and all(
                    one is not None and self.makes_array(one, function, depth + 1) for one in values
                )
        return False

    def layers_given(self, member: str) -> set[str]:
        """Return the parameters of constructors that a member is, whose values are layers."""
        found: set[str] = set()
        for cls in self.layers.values():
            made = self.method(cls, "__init__")
            if made is None:
                continue
            names = [one.arg for one in made.args.args][1:]
            for place, name in enumerate(names):
                calls = [
                    one
                    for one in self.places.of(ast.Call)
                    if isinstance(one.func, ast.Name) and one.func.id == cls.name
                ]
                given = [(one, _argument(one, place, name)) for one in calls]
                if given and all(
                    value is not None
                    and (
                        self.is_function(value)
                        or self.makes_layer(value, self.places.owner[id(call)])
                    )
                    for call, value in given
                ):
                    found.add(name)
        return found

    def is_constant(self, node: ast.expr) -> bool:
        """Return whether an expression is made of numbers and texts by constants alone."""
        match node:
            case ast.Constant():
                return True
            case ast.Name(id=name):
                value = self.values.get(name)
                changed = name in self.changed
                return value is not None and not changed and self.is_constant(value)
            case ast.Dict(values=values):
                return all(map(self.is_constant, values))
            case ast.Call(func=ast.Name(id="dict"), args=[], keywords=keywords):
                return all(self.is_constant(one.value) for one in keywords)
            case ast.Call(func=ast.Name(id=name)) if name in self.classes:
                decorators = map(ast.unparse, self.classes[name].decorator_list)
                return any(one.partition("(")[0].endswith("dataclass") for one in decorators)
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                return all(map(self.is_constant, elts))
            case ast.UnaryOp(operand=operand):
                return self.is_constant(operand)
            case ast.BinOp(left=left, right=right):
                return self.is_constant(left) and self.is_constant(right)
            case ast.Compare(left=left, comparators=others):
                return self.is_constant(left) and all(map(self.is_constant, others))
            case ast.Call(func=ast.Attribute(attr="default_backend")):
                return True
        return False

    def called_in_loops(self, name: str) -> bool:
        """Return whether a loop of the program calls a function by its name."""
        return any(
            name == (call.func.attr if isinstance(call.func, ast.Attribute) else _name(call.func))
            and self.is_repeated(call)
            for call in self.places.of(ast.Call)
        )

    def is_repeated(self, node: ast.AST) -> bool:
        """Return whether a node is in a loop of its function."""
        parents = self.places.parents
        above = parents.get(id(node))
        while above is not None and not isinstance(above, Function | ast.ClassDef):
            if isinstance(above, ast.For | ast.While):
                return True
            above = parents.get(id(above))
        return False


_NO_LAYERS = r"(?:Param|Variable|BatchStat|Cache|Rngs|Optimizer)\b"


def _argument(call: ast.Call, place: int, name: str) -> ast.expr | None:
    """Return an argument of a call by its place or its name, or None."""
    if place < len(call.args):
        return call.args[place]
    return next((one.value for one in call.keywords if one.arg == name), None)


def _unpacked(node: ast.Assign) -> Iterator[ast.Name]:
    """Yield the names that the parts of arrays, or of a value of some arrays, are bound to."""
    match node:
        case ast.Assign(
            targets=[ast.Tuple(elts=aims)],
            value=ast.Call(func=ast.Attribute(value=ast.Name(id=root))) | ast.Name(id=root),
        ) if root in MODULES or isinstance(node.value, ast.Name):
            yield from (one for one in aims if isinstance(one, ast.Name))


def _identity(function: Function | None) -> int | None:
    return None if function is None else id(function)


def _names_given(aim: ast.expr, value: ast.expr) -> Iterator[tuple[ast.Name, ast.expr]]:
    """Yield the names that an assignment binds to expressions of the text."""
    match aim, value:
        case ast.Name(), _:
            yield aim, value
        case ast.Tuple(elts=aims), ast.Tuple(elts=values) if len(aims) == len(values):
            for one, own in zip(aims, values, strict=True):
                yield from _names_given(one, own)


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _bound(tree: ast.Module) -> Iterator[str]:
    """Yield the names that the top of a text binds, or its functions as globals, each time."""
    scopes: list[ast.AST] = [tree]
    while scopes:
        for node in ast.iter_child_nodes(scopes.pop()):
            if isinstance(node, Function | ast.ClassDef):
                yield node.name
                for one in inside(node):
                    if isinstance(one, ast.Global):
                        yield from one.names
                        yield from one.names  # it may change
                continue
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                yield node.id
            elif isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(
                node.ctx, ast.Load
            ):
                root: ast.expr = node
                while isinstance(root, ast.Subscript | ast.Attribute):
                    root = root.value
                yield _name(root)
            elif isinstance(node, ast.For | ast.While | ast.With):
                names = (one for one in inside(node) if isinstance(one, ast.Name))
                yield from (one.id for one in names if isinstance(one.ctx, ast.Store))
            scopes.append(node)


def _given(aim: ast.expr, value: ast.expr | None) -> Iterator[tuple[str, ast.expr | None]]:
    """Yield the attributes that an assignment gives values, with the values."""
    match aim, value:
        case ast.Attribute(attr=name), _:
            yield name, value
        case ast.Tuple(elts=aims), ast.Tuple(elts=values) if len(aims) == len(values):
            for one, own in zip(aims, values, strict=True):
                yield from _given(one, own)
        case ast.Tuple(elts=aims), ast.GeneratorExp(elt=own):
            for one in aims:
                yield from _given(one, own)
        case ast.Tuple(elts=aims), _:
            for one in aims:
                yield from _given(one, None)
