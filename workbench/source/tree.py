"""Fast traversal of syntax trees, which runs for every keystroke."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from typing import Any, Generic, TypeGuard, TypeVar

from workbench.words import words

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
# These, and the other statements that contain statements.
COMPOUND = (
    *DEFINITIONS,
    *(ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.Match),
)
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_Definition = TypeVar("_Definition", bound=Definition)
_Node = TypeVar("_Node", bound=ast.AST)
_Known = TypeVar("_Known")
_NOTED = "known_"


class Notes(Generic[_Known]):
    """A cache of one fact per node, which is freed with the node.

    An edit keeps the statements that it does not touch. The fact is an attribute of the node, which
    is twice as fast as a table of weak references; it must not refer to the node itself.
    """

    def __init__(self, name: str) -> None:
        self._name = f"{_NOTED}{name}"

    def get(self, node: ast.AST) -> _Known | None:
        return node.__dict__.get(self._name)

    def __setitem__(self, node: ast.AST, known: _Known) -> None:
        node.__dict__[self._name] = known


def is_negated(node: ast.AST | None) -> TypeGuard[ast.UnaryOp]:
    """Return whether an expression has a minus sign in front: `-n`, `-1`."""
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)


def container(statement: ast.stmt, node: ast.AST | None) -> ast.AST | None:
    """Return the node that directly contains an expression in a statement, or None."""
    for outer in ast.walk(statement):
        if any(inner is node for inner in ast.iter_child_nodes(outer)):
            return outer
    return None


_within: Notes[list[ast.AST]] = Notes("within")
_calling: Notes[list[ast.Call]] = Notes("calling")

# Fields that hold neither statements nor expressions: names, contexts, operators.
_PLAIN = frozenset(
    words("ctx op ops id attr kind type_comment module level asname conversion simple is_async tag")
)


class _Fields(dict[type[ast.AST], tuple[str, ...]]):
    """The other fields of each kind of node, cached."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        # Only the node's own fields: other code sets attributes on nodes, some of which form
        # cycles.
        found = self[kind] = tuple(name for name in kind._fields if name not in _PLAIN)
        return found


_FIELDS = _Fields()
# The children of the most common kinds of nodes.
_OF_KIND: dict[type[ast.AST], Callable[[Any], list[ast.AST]]] = {
    ast.Name: lambda node: [],
    ast.Constant: lambda node: [],
    ast.Attribute: lambda node: [node.value],
    ast.Call: lambda node: [node.func, *node.args, *node.keywords],
    ast.keyword: lambda node: [node.value],
    ast.Subscript: lambda node: [node.value, node.slice],
    ast.BinOp: lambda node: [node.left, node.right],
    ast.Compare: lambda node: [node.left, *node.comparators],
    ast.Tuple: lambda node: [*node.elts],
    ast.List: lambda node: [*node.elts],
    ast.Assign: lambda node: [*node.targets, node.value],
    ast.Expr: lambda node: [node.value],
}


def identity(node: ast.AST) -> int:
    """Return an id that a definition keeps when its body is edited."""
    return id(getattr(node, "before_edits", node))


def copied(node: _Node) -> _Node:
    """Return a copy of a node without cached facts."""
    new = copy(node)
    for name in [name for name in vars(new) if name.startswith(_NOTED)]:
        del vars(new)[name]
    return new


def with_body(node: _Definition, body: list[ast.stmt]) -> _Definition:
    """Return a definition with the same header and another body."""
    changed = copied(node)
    changed.body = body
    changed.end_lineno, changed.end_col_offset = body[-1].end_lineno, body[-1].end_col_offset
    vars(changed)["before_edits"] = getattr(node, "before_edits", node)
    return changed


def unparsed(node: ast.AST) -> str:
    """Return a node's code on one line, or an ellipsis if it is nested too deeply."""
    if isinstance(node, ast.Name):
        return node.id
    try:
        return ast.unparse(node)
    except RecursionError:
        return "…"


def inside(node: ast.AST) -> list[ast.AST]:
    """Return a node and all its descendants, unordered, except contexts and operators.

    This is several times as fast as `ast.walk`.
    """
    found = [node]
    for part in found:
        found += _OF_KIND.get(type(part), _of_any)(part)
    return found


def within(statement: ast.stmt) -> list[ast.AST]:
    """Return the descendants of a statement, unordered and cached, except contexts and operators.

    The statement itself is left out, since its cache would refer to it.
    """
    found = _within.get(statement)
    if found is None:
        found = _within[statement] = []
        if isinstance(statement, COMPOUND):
            for child in children(statement):
                found += [child, *within(child)] if isinstance(child, ast.stmt) else inside(child)
        else:
            found += inside(statement)[1:]
    return found


def whole(statement: ast.stmt) -> list[ast.AST]:
    """Return a statement and its descendants, as `inside` does, from the cache of `within`."""
    return [statement, *within(statement)]


def by_kind(nodes: Iterable[ast.AST]) -> dict[type[ast.AST], list[Any]]:
    """Return nodes by their type, each list in its order."""
    found: defaultdict[type[ast.AST], list[Any]] = defaultdict(list)
    for node in nodes:
        found[type(node)].append(node)
    return found


def imported_names(nodes: Iterable[ast.AST]) -> dict[str, str]:
    """Map the names that the import statements among some nodes bind to their full names.

    The full name of a relative import begins with its dots. Of several imports the last counts.
    """
    found: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for one in node.names:
                first = one.name.partition(".")[0]
                found[one.asname or first] = one.name if one.asname else first
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (f"{node.module}." if node.module else "")
            found |= {one.asname or one.name: f"{module}{one.name}" for one in node.names}
    return found


def calls(statement: ast.stmt) -> list[ast.Call]:
    """Return the calls in a statement, without those in nested statements."""
    found = _calling.get(statement)
    if found is None:
        parts: Iterable[ast.AST] = within(statement)
        if isinstance(statement, COMPOUND):
            parts = () if isinstance(statement, DEFINITIONS) else _of_header(statement)
        found = _calling[statement] = [one for one in parts if isinstance(one, ast.Call)]
    return found


def _of_header(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the descendants of a statement without nested statements and their descendants."""
    stack: list[ast.AST] = [statement]
    while stack:
        found = [one for one in children(stack.pop()) if not isinstance(one, ast.stmt)]
        yield from found
        stack += found


# Calls with a size for each dimension of their result.
_SIZED = frozenset({"empty", "ones", "rand", "randn", "reshape", "view", "zeros"})


def is_path(node: ast.expr) -> bool:
    """Return whether an expression is a name or an attribute, which can be read twice."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def written_dims(node: ast.expr) -> int | None:
    """Return the number of dimensions that a call is given sizes for: 3 for `randn(3, 8, 8)`."""
    function = node.func if isinstance(node, ast.Call) else None
    if getattr(function, "attr", getattr(function, "id", None)) not in _SIZED:
        return None
    sizes = node.args if isinstance(node, ast.Call) else []
    if len(sizes) == 1:
        sizes = sizes[0].elts if isinstance(sizes[0], ast.Tuple | ast.List) else []
    listed = any(isinstance(one, ast.Starred | ast.Tuple | ast.List) for one in sizes)
    return len(sizes) if sizes and not listed else None


def children(node: ast.AST) -> list[ast.AST]:
    """Return the children of a node, except contexts and operators."""
    return _OF_KIND.get(type(node), _of_any)(node)


def _of_any(node: ast.AST) -> list[ast.AST]:
    found: list[ast.AST] = []
    for name in _FIELDS[type(node)]:
        value = getattr(node, name, None)
        if type(value) is list:
            found += [item for item in value if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found
