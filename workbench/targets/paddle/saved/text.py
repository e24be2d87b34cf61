"""The layers that a converted program creates, read from its text without running it.

A weight's name is followed through the classes: `blocks.0.fc.weight` through the values of
`self.blocks`, the items of a list or `Sequential`, and the class of each. If several classes are
possible, all are returned.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from workbench.errors import TorchferryError
from workbench.importing import roots_of
from workbench.source.tree import imported_names

_LISTS = frozenset({"LayerList", "ModuleList", "Sequential"})
_WHOLE = ("Sequential", "Linear")  # layers that may be a model without its own class
_TABLES = frozenset({"LayerDict", "ModuleDict"})
# Methods that return the layer itself, and functions that return a copy of it.
_ITSELF = frozenset(
    {"to", "cpu", "cuda", "float", "double", "half", "bfloat16", "astype"}
    | {"train", "eval", "apply", "requires_grad_"}
)
_COPIES = frozenset({"copy.copy", "copy.deepcopy", "deepcopy"})
_DEEPEST = 40


@dataclass(frozen=True)
class Made:
    """An expression that may create a layer, and the text that contains it.

    Attributes:
        node: the expression.
        text: the file.
        scope: the enclosing class or function.
        call: the call of the scope, whose arguments are the scope's parameters.
    """

    node: ast.expr
    text: Text
    scope: ast.AST
    call: Made | None = None

    def other(self, node: ast.expr) -> Made:
        """Return another expression of the same scope."""
        return replace(self, node=node)


@dataclass(frozen=True)
class Found:
    """The class of a layer that has a weight, by the target's name, and the rest of the weight's
    name.

    The class is empty if it is one of the program's own.
    """

    kind: str
    path: tuple[str, ...]
    rest: tuple[str, ...]


@dataclass(eq=False)
class Text:
    """One file of a program; `others` are the files that were read for it, by path."""

    path: Path
    others: dict[Path, Text] = field(default_factory=dict)

    @cached_property
    def tree(self) -> ast.Module:
        """The file's syntax tree.

        Raises:
            TorchferryError: it cannot be read, or is not Python.
        """
        try:
            return ast.parse(self.path.read_bytes(), str(self.path))
        except OSError as error:
            raise TorchferryError(f"{self.path}: {error.strerror}; give a Python file") from None
        except (SyntaxError, ValueError, RecursionError) as error:
            line = getattr(error, "lineno", None) or 1
            raise TorchferryError(f"{self.path}:{line}: not valid Python ({error})") from None

    @cached_property
    def classes(self) -> dict[str, ast.ClassDef]:
        """The classes by name."""
        return {n.name: n for n in ast.walk(self.tree) if isinstance(n, ast.ClassDef)}

    @cached_property
    def functions(self) -> dict[str, ast.FunctionDef]:
        """The functions and methods by name."""
        return {n.name: n for n in ast.walk(self.tree) if isinstance(n, ast.FunctionDef)}

    @cached_property
    def imports(self) -> dict[str, str]:
        """The full names of imported names."""
        return imported_names(ast.walk(self.tree))

    def module(self, name: str) -> Text | None:
        """Return the text of a module of the program, by the name in an import, or None."""
        bare = name.lstrip(".")
        level = len(name) - len(bare)
        folders = [self.path.resolve().parents[level - 1]] if level else roots_of(self.path)
        for folder in folders:
            at = folder.joinpath(*bare.split("."))
            for path in (at.with_name(f"{at.name}.py"), at / "__init__.py"):
                if path.is_file():
                    return self.others.setdefault(path, Text(path, self.others))
        return None

    def full_name(self, node: ast.expr) -> str:
        """Return the full name of an expression: `paddle.nn.Linear` for `nn.Linear`."""
        if isinstance(node, ast.Name):
            return self.imports.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            whole = self.full_name(node.value)
            return f"{whole}.{node.attr}" if whole else ""
        return ""

    def roots(self) -> Iterator[list[Made]]:
        """Yield possible whole models: a class, defined or imported, or a named layer."""
        for name, node in self.classes.items():
            yield [Made(ast.Call(ast.Name(name), [], []), self, node)]
        for name, full in self.imports.items():
            if _home(self, full)[1] is not None:
                yield [Made(ast.Call(ast.Name(name), [], []), self, self.tree)]
        for part in ast.walk(self.tree):
            made = part.value if isinstance(part, ast.Assign) else None
            if isinstance(made, ast.Call) and self.full_name(made.func).endswith(_WHOLE):
                yield [Made(made, self, self.tree)]


def layers_of(made: list[Made], name: tuple[str, ...]) -> set[Found]:
    """Return the classes that a weight of this name may belong to."""
    return set(_follow(made, name, (), 0))


def _follow(
    made: list[Made], rest: tuple[str, ...], path: tuple[str, ...], depth: int
) -> Iterator[Found]:
    if depth > _DEEPEST or not rest:
        return
    for one in made:
        yield from _through(one, rest, path, depth + 1)


def _through(
    one: Made, rest: tuple[str, ...], path: tuple[str, ...], depth: int
) -> Iterator[Found]:
    node = one.node
    if isinstance(node, ast.IfExp):
        both = [one.other(node.body), one.other(node.orelse)]
        yield from _follow(both, rest, path, depth)
    elif isinstance(node, ast.BoolOp):
        values = [list(_follow([one.other(n)], rest, path, depth)) for n in node.values]
        yield from next(filter(None, values), [])  # a layer is true: the first one is taken
    elif isinstance(node, ast.Name):
        yield from _follow(_assigned(one, node.id), rest, path, depth)
    elif isinstance(node, ast.Call):
        yield from _called(one, node, rest, path, depth)


def _called(
    one: Made, node: ast.Call, rest: tuple[str, ...], path: tuple[str, ...], depth: int
) -> Iterator[Found]:
    if isinstance(node.func, ast.Attribute) and node.func.attr in _ITSELF:
        yield from _follow([one.other(node.func.value)], rest, path, depth)
        return
    full = one.text.full_name(node.func)
    last = full.rpartition(".")[2]
    text, own = _home(one.text, full)
    if own is not None:
        yield from _class(Made(node, text, own, one), rest, path, depth)
    elif full in _COPIES and node.args:
        yield from _follow([one.other(node.args[0])], rest, path, depth)
    elif (function := text.functions.get(last)) is not None and not full.startswith("paddle."):
        returned = [
            Made(n.value, text, function, one)
            for n in ast.walk(function)
            if isinstance(n, ast.Return) and n.value is not None
        ]
        yield from _follow(returned, rest, path, depth)
    elif last in _LISTS or last in _TABLES:
        held = _held(one, node, rest[0], last in _TABLES)
        yield from _follow(held, rest[1:], (*path, rest[0]), depth)
    elif full.startswith("paddle."):
        yield Found(full, path, rest)


def _home(text: Text, full: str, depth: int = 0) -> tuple[Text, ast.ClassDef | None]:
    """Return the program's own class of a name, and its text; imports are followed."""
    bare = full.lstrip(".")
    dots = full[: len(full) - len(bare)]
    module, _, last = bare.rpartition(".")
    if not module and not dots:
        return text, text.classes.get(last)
    if bare.startswith("paddle.") or depth > _DEEPEST:
        return text, None
    if (other := text.module(f"{dots}{module}")) is None:
        return text, None
    if last not in other.classes and last in other.imports:
        return _home(other, other.imports[last], depth + 1)
    return other, other.classes.get(last)


def _class(made: Made, rest: tuple[str, ...], path: tuple[str, ...], depth: int) -> Iterator[Found]:
    """Yield the layers of an instance; the scope of `made` is its class."""
    own, text = made.scope, made.text
    assert isinstance(own, ast.ClassDef)
    if depth > _DEEPEST:
        return
    start = _start_of(own)
    given = [made.other(n) for n in _given(own, rest[0])]
    found: list[Found] = []
    for base in own.bases:
        full = text.full_name(base)
        last = full.rpartition(".")[2]
        home, theirs = _home(text, full)
        if theirs is not None and theirs is not own:
            call = made.call if start is None else _call_of_base(made)
            found += _class(Made(made.node, home, theirs, call), rest, path, depth + 1)
        elif last in _LISTS:
            call = _call_of_base(made)
            if call is not None and isinstance(call.node, ast.Call):
                given += _held(call, call.node, rest[0], False)
        elif full.startswith("paddle.") and last not in {"Layer", "Module"}:
            yield Found(full, path, rest)
            return
    if len(rest) > 1:
        yield from found
        yield from _follow(given, rest[1:], (*path, rest[0]), depth)
    else:  # a class with a Paddle layer among its bases is one
        yield from [one for one in found if one.kind] or [Found("", path, rest)]


def _start_of(own: ast.ClassDef) -> ast.FunctionDef | None:
    """Return a class's own `__init__`, or None."""
    functions = (node for node in own.body if isinstance(node, ast.FunctionDef))
    return next((node for node in functions if node.name == "__init__"), None)


def _call_of_base(made: Made) -> Made | None:
    """Return the call of a class's base constructor, or None."""
    calls = (node for node in ast.walk(made.scope) if isinstance(node, ast.Call))
    return next(
        (made.other(node) for node in calls if ast.unparse(node.func) == "super().__init__"), None
    )


def _argument(one: Made, name: str) -> list[Made]:
    """Return the argument of a parameter in the call of a class or function, or [] if not given."""
    scope = _start_of(one.scope) if isinstance(one.scope, ast.ClassDef) else one.scope
    if one.call is None or not isinstance(scope, ast.FunctionDef):
        return []
    call = one.call.node
    assert isinstance(call, ast.Call)
    names = [each.arg for each in (*scope.args.posonlyargs, *scope.args.args)]
    names = names[1:] if scope is not one.scope else names  # without `self`
    values = dict(zip(names, call.args, strict=False))
    values |= {str(each.arg): each.value for each in call.keywords}
    return [one.call.other(values[name])] if name in values else []


def _given(own: ast.ClassDef, name: str) -> Iterator[ast.expr]:
    """Yield the values that a class assigns to its member of a name."""
    for node in ast.walk(own):
        for target, value in _pairs(node):
            if _is_member(target, name):
                yield value
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            adds = node.func.attr in {"add_sublayer", "add_module", "register_module"}
            if adds and len(node.args) > 1 and _may_be(node.args[0], name):
                yield node.args[1]


def _pairs(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the targets of an assignment with their values, item by item for tuples."""
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        yield node.target, node.value
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                yield from zip(target.elts, node.value.elts, strict=False)
            else:
                yield target, node.value


def _is_member(node: ast.expr, name: str) -> bool:
    own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    return own and node.value.id == "self" and node.attr == name  # type: ignore[attr-defined]


def _may_be(node: ast.expr, name: str) -> bool:
    return not isinstance(node, ast.Constant) or node.value == name


def _held(one: Made, node: ast.Call, name: str, table: bool) -> list[Made]:
    """Return the item of a container with a name, or all possible items if the order is unknown."""
    if table:
        return [one.other(n) for n in _entries(node, name)]
    exact = [a for a in node.args if not isinstance(a, ast.Starred)]
    if len(node.args) == 1 and isinstance(node.args[0], ast.List):
        exact = [a for a in node.args[0].elts if not isinstance(a, ast.Starred)]
        known = len(exact) == len(node.args[0].elts)
    else:
        known = len(exact) == len(node.args) and not _is_series(one, node)
    if known and not _appended(one, node):
        return [one.other(exact[int(name)])] if _within(name, exact) else []
    parts: list[ast.expr] = [*node.args, *_appended(one, node)]
    return [made for part in parts for made in _items(one.other(part), 0)]


def _within(name: str, values: list[ast.expr]) -> bool:
    return name.isdecimal() and int(name) < len(values)


def _is_series(one: Made, node: ast.Call) -> bool:
    """Return whether the only argument is a list that is created elsewhere or computed."""
    if len(node.args) != 1:
        return False
    last = one.text.full_name(node.func).rpartition(".")[2]
    kinds = (ast.ListComp, ast.GeneratorExp, ast.BinOp)
    named = isinstance(node.args[0], ast.Name | ast.Call) and last != "Sequential"
    return named or isinstance(node.args[0], kinds)


def _entries(node: ast.Call, name: str) -> Iterator[ast.expr]:
    """Yield the values of a dictionary of layers with a key."""
    for part in ast.walk(node):
        if isinstance(part, ast.Dict):
            for key, value in zip(part.keys, part.values, strict=True):
                if key is not None and _may_be(key, name):
                    yield value
        elif isinstance(part, ast.Call):
            if (isinstance(part.func, ast.Name) and part.func.id == "dict") or part is node:
                yield from (k.value for k in part.keywords if k.arg == name)
        elif isinstance(part, ast.DictComp):
            yield part.value


def _appended(one: Made, node: ast.Call) -> list[ast.expr]:
    """Return the layers that the class appends to the list that a call creates."""
    names = [
        ast.unparse(target)
        for n in ast.walk(one.scope)
        for target, value in _pairs(n)
        if value is node
    ]
    return [part for name in names for part in _added(one.scope, name)]


def _added(scope: ast.AST, name: str) -> Iterator[ast.expr]:
    """Yield the values that are added to a list."""
    for node in ast.walk(scope):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            adds = node.func.attr in {"append", "extend", "insert"}
            if adds and ast.unparse(node.func.value) == name:
                yield node.args[-1]
        elif isinstance(node, ast.AugAssign) and ast.unparse(node.target) == name:
            yield node.value


def _items(one: Made, depth: int) -> Iterator[Made]:
    """Yield the layers that a list may hold, or the one that an expression creates."""
    node = one.node
    if depth > _DEEPEST:
        return
    if isinstance(node, ast.Starred):
        yield from _items(one.other(node.value), depth + 1)
    elif isinstance(node, ast.List | ast.Tuple):
        for part in node.elts:
            yield from _items(one.other(part), depth + 1)
    elif isinstance(node, ast.ListComp | ast.GeneratorExp):
        yield from _items(one.other(node.elt), depth + 1)
    elif isinstance(node, ast.BinOp):
        for part in (node.left, node.right):
            yield from _items(one.other(part), depth + 1)
    elif isinstance(node, ast.Name):
        for made in _assigned(one, node.id):
            if made.node is not node:
                yield from _items(made, depth + 1)
    else:
        yield one


def _assigned(one: Made, name: str) -> list[Made]:
    """Return the values of a variable in the scope of an expression, and what is added to it."""
    found = [
        one.other(value)
        for n in ast.walk(one.scope)
        for target, value in _pairs(n)
        if isinstance(target, ast.Name) and target.id == name
    ]
    found += [] if found else _argument(one, name)
    return found + [one.other(n) for n in _added(one.scope, name)]
