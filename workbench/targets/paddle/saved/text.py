"""Which layers a converted program makes, read from its text: no code of it runs.

A weight's name is followed through the classes: `blocks.0.fc.weight` through what `self.blocks` is
given, what a list or `Sequential` holds, and the class of each. Where the text leaves several
classes open, all are given.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from workbench.errors import TorchferryError
from workbench.importing import roots_of

_LISTS = frozenset({"LayerList", "ModuleList", "Sequential"})
_WHOLE = ("Sequential", "Linear")  # what may be a model without a class of its own
_TABLES = frozenset({"LayerDict", "ModuleDict"})
_DEEPEST = 40


@dataclass(frozen=True)
class Made:
    """An expression that may make a layer, and the text that it stands in."""

    node: ast.expr
    text: Text
    scope: ast.AST


@dataclass(frozen=True)
class Found:
    """The class of a layer that has a weight: as the target's modules name it, and the rest of
    the weight's name within it. The class is empty where it is one of the program's own."""

    kind: str
    path: tuple[str, ...]
    rest: tuple[str, ...]


@dataclass(eq=False)
class Text:
    """One file of a program; `others` are those read for it, by path."""

    path: Path
    others: dict[Path, Text] = field(default_factory=dict)

    @cached_property
    def tree(self) -> ast.Module:
        """The file's syntax.

        Raises:
            TorchferryError: it cannot be read, or is no Python.
        """
        try:
            return ast.parse(self.path.read_bytes(), str(self.path))
        except OSError as error:
            raise TorchferryError(f"{self.path}: {error.strerror}; give a Python file") from None
        except (SyntaxError, ValueError, RecursionError) as error:
            line = getattr(error, "lineno", None) or 1
            raise TorchferryError(f"{self.path}:{line}: is no Python ({error})") from None

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
        """What the names of imports stand for, in full."""
        found: dict[str, str] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for one in node.names:
                    first = one.name.partition(".")[0]
                    found[one.asname or first] = one.name if one.asname else first
            elif isinstance(node, ast.ImportFrom):
                for one in node.names:
                    dots = "." * node.level
                    module = f"{dots}{node.module}." if node.module else dots
                    found[one.asname or one.name] = f"{module}{one.name}"
        return found

    def module(self, name: str) -> Text | None:
        """The text of a module of the program, by the name under which this one imports it."""
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
        """What an expression of names says in full: `nn.Linear` as `paddle.nn.Linear`."""
        if isinstance(node, ast.Name):
            return self.imports.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            return f"{self.full_name(node.value)}.{node.attr}"
        return ""

    def roots(self) -> Iterator[list[Made]]:
        """What may be the whole model: a class, here or imported, or a layer with a name."""
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
    """The classes that a weight of this name may belong to; none where the text shows none."""
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
    node, text = one.node, one.text
    if isinstance(node, ast.IfExp):
        both = [Made(node.body, text, one.scope), Made(node.orelse, text, one.scope)]
        yield from _follow(both, rest, path, depth)
    elif isinstance(node, ast.Name):
        yield from _follow(_assigned(one, node.id), rest, path, depth)
    elif isinstance(node, ast.Call):
        yield from _called(one, node, rest, path, depth)


def _called(
    one: Made, node: ast.Call, rest: tuple[str, ...], path: tuple[str, ...], depth: int
) -> Iterator[Found]:
    full = one.text.full_name(node.func)
    last = full.rpartition(".")[2]
    text, own = _home(one.text, full)
    if own is not None:
        yield from _class(own, text, rest, path, depth)
    elif (function := text.functions.get(last)) is not None and not full.startswith("paddle."):
        returned = [
            Made(n.value, text, function)
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
    """The class of the program's own that a name means, and its text; an import may lead on."""
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


def _class(
    own: ast.ClassDef, text: Text, rest: tuple[str, ...], path: tuple[str, ...], depth: int
) -> Iterator[Found]:
    given = [Made(n, text, own) for n in _given(own, rest[0])]
    for base in own.bases:
        full = text.full_name(base)
        last = full.rpartition(".")[2]
        home, theirs = _home(text, full)
        if theirs is not None and theirs is not own:
            yield from _class(theirs, home, rest, path, depth + 1)
        elif last in _LISTS:
            given += [
                held
                for n in ast.walk(own)
                if isinstance(n, ast.Call) and ast.unparse(n.func) == "super().__init__"
                for held in _held(Made(n, text, own), n, rest[0], False)
            ]
        elif full.startswith("paddle.") and last not in {"Layer", "Module"}:
            yield Found(full, path, rest)
            return
    if len(rest) == 1:
        yield Found("", path, rest)
    else:
        yield from _follow(given, rest[1:], (*path, rest[0]), depth)


def _given(own: ast.ClassDef, name: str) -> Iterator[ast.expr]:
    """What a class gives its member of a name."""
    for node in ast.walk(own):
        for target, value in _pairs(node):
            if _is_member(target, name):
                yield value
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            adds = node.func.attr in {"add_sublayer", "add_module", "register_module"}
            if adds and len(node.args) > 1 and _may_be(node.args[0], name):
                yield node.args[1]


def _pairs(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What an assignment gives to what, those of tuples one by one."""
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
    """What a container holds under a name: all that it may hold where its order is not known."""
    if table:
        return [Made(n, one.text, one.scope) for n in _entries(node, name)]
    exact = [a for a in node.args if not isinstance(a, ast.Starred)]
    if len(node.args) == 1 and isinstance(node.args[0], ast.List):
        exact = [a for a in node.args[0].elts if not isinstance(a, ast.Starred)]
        known = len(exact) == len(node.args[0].elts)
    else:
        known = len(exact) == len(node.args) and not _is_series(one, node)
    if known and not _appended(one, node):
        return [Made(exact[int(name)], one.text, one.scope)] if _within(name, exact) else []
    parts: list[ast.expr] = [*node.args, *_appended(one, node)]
    return [made for part in parts for made in _items(Made(part, one.text, one.scope), 0)]


def _within(name: str, values: list[ast.expr]) -> bool:
    return name.isdecimal() and int(name) < len(values)


def _is_series(one: Made, node: ast.Call) -> bool:
    """Whether the one argument is a list that is made elsewhere, or on the spot."""
    if len(node.args) != 1:
        return False
    last = one.text.full_name(node.func).rpartition(".")[2]
    kinds = (ast.ListComp, ast.GeneratorExp, ast.BinOp)
    named = isinstance(node.args[0], ast.Name | ast.Call) and last != "Sequential"
    return named or isinstance(node.args[0], kinds)


def _entries(node: ast.Call, name: str) -> Iterator[ast.expr]:
    """The values of a table of layers under a key."""
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
    """What the class appends to the list of layers that a call makes."""
    names = [
        ast.unparse(target)
        for n in ast.walk(one.scope)
        for target, value in _pairs(n)
        if value is node
    ]
    return [part for name in names for part in _added(one.scope, name)]


def _added(scope: ast.AST, name: str) -> Iterator[ast.expr]:
    """What is put into a list by its methods."""
    for node in ast.walk(scope):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            adds = node.func.attr in {"append", "extend", "insert"}
            if adds and ast.unparse(node.func.value) == name:
                yield node.args[-1]
        elif isinstance(node, ast.AugAssign) and ast.unparse(node.target) == name:
            yield node.value


def _items(one: Made, depth: int) -> Iterator[Made]:
    """The layers that a list may hold, or the one that an expression makes."""
    node = one.node
    if depth > _DEEPEST:
        return
    if isinstance(node, ast.Starred):
        yield from _items(Made(node.value, one.text, one.scope), depth + 1)
    elif isinstance(node, ast.List | ast.Tuple):
        for part in node.elts:
            yield from _items(Made(part, one.text, one.scope), depth + 1)
    elif isinstance(node, ast.ListComp | ast.GeneratorExp):
        yield from _items(Made(node.elt, one.text, one.scope), depth + 1)
    elif isinstance(node, ast.BinOp):
        for part in (node.left, node.right):
            yield from _items(Made(part, one.text, one.scope), depth + 1)
    elif isinstance(node, ast.Name):
        for made in _assigned(one, node.id):
            if made.node is not node:
                yield from _items(made, depth + 1)
    else:
        yield one


def _assigned(one: Made, name: str) -> list[Made]:
    """What a variable is given where an expression stands, and what is added to it."""
    found = [
        Made(value, one.text, one.scope)
        for n in ast.walk(one.scope)
        for target, value in _pairs(n)
        if isinstance(target, ast.Name) and target.id == name
    ]
    return found + [Made(n, one.text, one.scope) for n in _added(one.scope, name)]
