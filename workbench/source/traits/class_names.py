"""Texts that a program compares with the name of an object's class.

`m.__class__.__name__ == "BatchNorm2d"`, and `name.find("Conv")` after `name = type(m).__name__`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from workbench.source.traits.comparing import is_class_of
from workbench.source.tree import Notes, children, inside, within

ANY_NAME = "*"
# An optimizer or schedule of an unknown class.
ANY_OPTIMIZER = "optim"
# Functions that return named tuples, whose classes have other names in other frameworks.
_WITH_FIELDS = frozenset({"sort", "topk", "cummax", "cummin", "kthvalue", "mode", "aminmax", "svd"})
_NAMES = frozenset({"__name__", "__qualname__"})
_ANCESTRY = frozenset({"__mro__", "__bases__", "__base__"})
_LOWERED = frozenset({"lower", "casefold"})
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
# Methods that iterate over the layers of a model.
_LAYERS_OF = frozenset({"modules", "named_modules", "children", "named_children"})
# Variables that are layers: parameters of hooks and of functions that `apply` calls, and those of
# loops over layers of an unknown holder, `for m in net.stem`.
_LAYERS = frozenset({"m", "mod", "module", "layer", "child", "submodule"})


class Way(StrEnum):
    """The kind of comparison of a name with a text."""

    EQUAL = "equal"
    WITHIN = "within"
    START = "start"
    END = "end"

    def holds(self, text: str, name: str) -> bool:
        """Return whether this comparison of a class name with a text is true."""
        if self is Way.WITHIN:
            return text in name
        if self is Way.EQUAL:
            return text == name
        return name.startswith(text) if self is Way.START else name.endswith(text)


_METHODS = {
    "find": Way.WITHIN,
    "rfind": Way.WITHIN,
    "index": Way.WITHIN,
    "count": Way.WITHIN,
    "__contains__": Way.WITHIN,
    "startswith": Way.START,
    "endswith": Way.END,
}


@dataclass(frozen=True, slots=True)
class NamedClass:
    """A text that is compared with the name of an object's class, perhaps in lower case."""

    node: ast.Constant
    statement: ast.stmt
    way: Way
    lowered: bool

    @property
    def text(self) -> str:
        """The text that is a class name or a part of one."""
        return str(self.node.value)


@dataclass(frozen=True, slots=True)
class KeptName:
    """A class name that is printed or stored.

    `cls` is the layer's class if the text shows it, ANY_NAME if the name always differs, or
    ANY_OPTIMIZER.
    """

    node: ast.expr
    statement: ast.stmt
    cls: str = ""


def class_names(tree: ast.Module) -> tuple[list[NamedClass], list[KeptName]]:
    """Return the texts that are compared with class names, and the other uses of such names."""
    found = _Found([], [])
    asking = [one for one in tree.body if _asks(one)]
    if not asking:
        return found.texts, found.kept
    loose = [one for one in tree.body if not isinstance(one, _SCOPES)]
    names: dict[str, bool] = {}
    if not all(isinstance(one, _SCOPES) for one in asking):
        names = _read_statements([*loose, *_statements_in(loose)], {}, {}, found)
    for one in asking:
        if isinstance(one, _SCOPES):
            within = _known.get(one) if not names else None
            if within is None:
                within = _Found([], [])
                _read(one, names, within)
                if not names:
                    _known[one] = within
            found.texts.extend(within.texts)
            found.kept.extend(within.kept)
    return found.texts, found.kept


@dataclass(frozen=True, slots=True)
class _Found:
    texts: list[NamedClass]
    kept: list[KeptName]


# An edit keeps the nodes of the statements that it does not touch.
_known: Notes[_Found] = Notes("class_names")
_asking: Notes[bool] = Notes("asks_for_names")


def _asks(statement: ast.stmt) -> bool:
    """Return whether a top-level statement reads a class's name or converts it to text."""
    known = _asking.get(statement)
    if known is None:
        known = any(map(_asks_itself, within(statement)))
        _asking[statement] = known
    return known


def _asks_itself(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(attr=attr):
            return attr in _NAMES or attr == "_get_name"
        case ast.Call(func=ast.Name(id="str" | "repr" | "print"), args=[cls]):
            return is_class_of(cls)
    return False


def _read(scope: ast.stmt, around: dict[str, bool], found: _Found) -> None:
    """Read a scope and the scopes in it; `around` are the variables that hold class names."""
    layers: dict[str, str] = {}
    if isinstance(scope, ast.FunctionDef):
        layers = {one.arg: "" for one in scope.args.args if one.arg in _LAYERS}
    statements = list(_statements(scope))
    names = _read_statements(statements, around, layers, found)
    for one in statements:
        if isinstance(one, _SCOPES):
            _read(one, names, found)


def _statements_in(statements: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    for one in statements:
        yield from _statements(one)


def _read_statements(
    statements: list[ast.stmt], around: dict[str, bool], layers: dict[str, str], found: _Found
) -> dict[str, bool]:
    """Read the statements of a scope and return its variables that hold class names."""
    nodes = [(node, one) for one in statements for node in _expressions(one)]
    names = around | _variables(nodes)
    made = {name: cls for one in statements for name, cls in _made(one)}
    loops = {name: "" for one in statements for name in _layers(one, made)}
    layers = layers | made | loops
    classes = {name for one in statements for name in _classes(one)}
    ancestors = {name for one in statements for name in _ancestors(one)}
    compared: set[int] = set()
    for node, statement in nodes:
        for text, way, name in _comparisons(node, names):
            compared.update(map(id, inside(name)))
            found.texts.append(NamedClass(text, statement, way, _lowered(name, names)))
    loads = [one for one, _ in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)]
    shown = {one.id for one in loads if id(one) not in compared}
    tested = {one.id for one in loads} - shown
    others = (pair for pair in nodes if id(pair[0]) not in compared)
    for node, statement in others:
        cls = "" if _names_one(node, classes) else _class_named(node, layers)
        if _names_one(node, ancestors) or _names_an_ancestor(node):
            cls = ANY_NAME
        if cls is not None and not _only_compared(statement, names, tested):
            found.kept.append(KeptName(node, statement, cls))  # type: ignore[arg-type]
    return names


def _only_compared(statement: ast.stmt, names: dict[str, bool], tested: set[str]) -> bool:
    """Return whether a name is used only in an error, or in a variable that is only compared."""
    if isinstance(statement, ast.Assign):
        [aim, *more] = statement.targets
        return not more and isinstance(aim, ast.Name) and aim.id in names and aim.id in tested
    return isinstance(statement, ast.Raise | ast.Assert)


def _statements(scope: ast.AST) -> Iterator[ast.stmt]:
    """Yield the statements of a scope without those of nested scopes."""
    for child in children(scope):
        if isinstance(child, ast.stmt):
            yield child
        if not isinstance(child, (*_SCOPES, ast.expr)):
            yield from _statements(child)


def _expressions(statement: ast.stmt) -> list[ast.AST]:
    """Return the expressions of a statement without those of the statements in it."""
    found: list[ast.AST] = []
    for child in children(statement):
        if isinstance(child, ast.expr):
            found += inside(child)
        elif not isinstance(child, ast.stmt):
            within = (part for part in inside(child) if isinstance(part, ast.expr))
            found += [] if isinstance(child, ast.ExceptHandler | ast.match_case) else within
    return found


def _variables(nodes: Iterable[tuple[ast.AST, ast.stmt]]) -> dict[str, bool]:
    """Return the variables of a scope that hold class names, and whether in lower case."""
    values: dict[str, list[ast.expr]] = {}
    stored: dict[str, int] = {}
    for node, statement in nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            stored[node.id] = stored.get(node.id, 0) + 1
            if isinstance(statement, ast.Assign) and node in statement.targets:
                values.setdefault(node.id, []).append(statement.value)
        if isinstance(node, ast.NamedExpr):
            values.setdefault(node.target.id, []).append(node.value)
    found: dict[str, bool] = {}
    for _ in range(2):  # a variable may be computed from another one
        for name, given in values.items():
            if len(given) == stored[name] and all(_is_name(one, found) for one in given):
                found[name] = any(_lowered(one, found) for one in given)
    return found


def is_class_name(node: ast.expr) -> bool:
    """Return whether an expression is the name of an object's class: `type(m).__name__`."""
    return _is_name(node, {})


def _is_name(node: ast.expr, names: dict[str, bool]) -> bool:
    """Return whether an expression is the name of an object's class, or a text that contains it."""
    match node:
        case ast.Attribute(attr=attr, value=cls) if attr in _NAMES:
            return is_class_of(cls)
        case ast.Call(func=ast.Name(id="str" | "repr"), args=[cls]):
            return is_class_of(cls) or _is_name(cls, names)
        case ast.Call(func=ast.Name(id="print"), args=[cls]):
            return is_class_of(cls)
        case ast.Call(func=ast.Attribute(attr="_get_name"), args=[]):
            return True
        case ast.Call(func=ast.Attribute(value=name, attr=attr)) if attr in {*_LOWERED, "strip"}:
            return _is_name(name, names)
        case ast.Name(id=name):
            return name in names
    return False


def _lowered(node: ast.expr, names: dict[str, bool]) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr=attr)) if attr in _LOWERED:
            return True
        case ast.Name(id=name):
            return names.get(name, False)
    return False


def _comparisons(
    node: ast.AST, names: dict[str, bool]
) -> Iterator[tuple[ast.Constant, Way, ast.expr]]:
    """Yield the texts that a node compares with a name, with the comparison and the name."""
    match node:
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[right]):
            for text, name in ((left, right), (right, left)):
                if _is_text(text) and _is_name(name, names):
                    yield text, Way.EQUAL, name  # type: ignore[misc]
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[right]):
            if _is_text(left) and _is_name(right, names):
                yield left, Way.WITHIN, right  # type: ignore[misc]
            elif _is_name(left, names):
                yield from ((one, Way.EQUAL, left) for one in texts_in(right))
        case ast.Call(func=ast.Attribute(value=name, attr=attr), args=[given, *_]):
            if attr in _METHODS and _is_name(name, names):
                yield from ((one, _METHODS[attr], name) for one in texts_in(given))


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def texts_in(node: ast.expr) -> list[ast.Constant]:
    """Return the texts in a list or dictionary, or the text itself."""
    match node:
        case ast.Constant(value=str()):
            return [node]
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            pass
        case ast.Dict(keys=keys):
            parts = [one for one in keys if one is not None]
        case _:
            return []
    return [one for one in parts if isinstance(one, ast.Constant) and isinstance(one.value, str)]


def _made(statement: ast.stmt) -> Iterator[tuple[str, str]]:
    """Yield the variables that a statement binds to a new layer or a named result."""
    if isinstance(statement, ast.Assign) and (cls := _class_made(statement.value)):
        yield from ((one.id, cls) for one in statement.targets if isinstance(one, ast.Name))
    if isinstance(statement, ast.Assign) and _lists_layers(statement.value):
        yield from ((one.id, "") for one in statement.targets if isinstance(one, ast.Name))


def _lists_layers(node: ast.expr) -> bool:
    """Return whether a list or tuple contains new layers: `[nn.ReLU(), nn.GELU()]`."""
    parts = node.elts if isinstance(node, ast.List | ast.Tuple) else []
    return any(_class_made(one) not in ("", ANY_NAME) for one in parts)


def _class_made(node: ast.AST) -> str:
    """Return the class of the object that a call creates: `Conv2d` for `nn.Conv2d(1, 2, 3)`."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="nn") | ast.Attribute(attr="nn"), attr=name)
        ):
            return name if name[:1].isupper() and name != "Parameter" else ""
        case ast.Call(func=ast.Attribute(attr=attr)) if attr in _WITH_FIELDS:
            return ANY_NAME
        case ast.Call(func=ast.Attribute(attr="max" | "min" | "median"), args=[*_, last]):
            return ANY_NAME if isinstance(last, ast.Constant) else ""
    return ""


def _layers(statement: ast.stmt, made: Mapping[str, str]) -> Iterator[str]:
    """Yield the variables of a statement that iterate over the layers of a model."""
    for target, source in _loops(statement):
        called = (part for part in inside(source) if isinstance(part, ast.Call))
        known = isinstance(source, ast.Name) and made.get(source.id, ANY_NAME) != ANY_NAME
        names = [part.id for part in inside(target) if isinstance(part, ast.Name)]
        if (
            known
            or _lists_layers(source)
            or any(getattr(one.func, "attr", "") in _LAYERS_OF for one in called)
        ):
            yield from names
        yield from (one for one in names if one in _LAYERS)


def _loops(statement: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the targets of loops and comprehensions, and what they iterate over."""
    if isinstance(statement, ast.For):
        yield statement.target, statement.iter
    for part in _expressions(statement):
        if isinstance(part, ast.comprehension):
            yield part.target, part.iter


def _classes(statement: ast.stmt) -> Iterator[str]:
    """Yield the variables of a statement that iterate over classes: `for cls in (nn.ReLU,)`."""
    for target, source in _loops(statement):
        parts = source.elts if isinstance(source, ast.List | ast.Tuple | ast.Set) else []
        named = [one.attr for one in parts if isinstance(one, ast.Attribute)]
        if isinstance(target, ast.Name) and any(one[:1].isupper() for one in named):
            yield target.id


def _ancestors(statement: ast.stmt) -> Iterator[str]:
    """Yield the variables of a statement that iterate over the bases of a class."""
    for target, source in _loops(statement):
        if isinstance(target, ast.Name) and any(map(_is_ancestry, inside(source))):
            yield target.id


def _is_ancestry(node: ast.AST) -> bool:
    """Return whether an expression is a class's bases: `cls.__mro__`, `inspect.getmro(cls)`."""
    match node:
        case ast.Attribute(attr=attr):
            return attr in _ANCESTRY or attr in {"mro", "getmro"}
        case ast.Name(id=name):
            return name == "getmro"
    return False


def _names_an_ancestor(node: ast.AST) -> bool:
    """Return whether an expression is the name of a base: `cls.__bases__[0].__name__`."""
    match node:
        case ast.Attribute(attr=attr, value=ast.Attribute() | ast.Subscript() as of):
            return attr in _NAMES and any(map(_is_ancestry, inside(of)))
    return False


def _names_one(node: ast.AST, classes: Iterable[str]) -> bool:
    """Return whether a node is the name of a class that one of these variables holds."""
    match node:
        case ast.Attribute(attr=attr, value=ast.Name(id=variable)):
            return attr in _NAMES and variable in classes
    return False


def _class_named(node: ast.AST, layers: Mapping[str, str]) -> str | None:
    """Return the class whose name a node evaluates to, "" if unknown, or None if it is not a layer.

    The text of a class, `str(type(m))`, includes the name of its module.
    """
    if not isinstance(node, ast.expr) or isinstance(node, ast.Name) or not _is_name(node, {}):
        return None
    for part in inside(node):
        if _is_optimizer(part):
            return ANY_OPTIMIZER
        cls = layers.get(part.id) if isinstance(part, ast.Name) else _class_made(part) or None
        if cls is not None:
            shows_module = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            return ANY_NAME if cls and shows_module else cls
    return None


def _is_optimizer(node: ast.AST) -> bool:
    """Return whether an expression is an optimizer or a schedule by its name: `self.optim_g`."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return any(part in name.lower() for part in ("optim", "sched")) or name == "opt"
    return False
