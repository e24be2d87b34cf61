"""Detection of code that prevents capture, or makes it silently wrong, from source only.

Pure `ast`: nothing is imported or run, so that an editor can show the results. Only code that would
be captured is checked: `forward` methods, the methods they call on `self`, and functions named by
the caller. A value counts as a tensor if it derives from the arguments of that code through
operations that return tensors.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from workbench.capture.hazards.taint import Taint, dotted
from workbench.codes import HAZARDS
from workbench.source.tree import inside


@dataclass(frozen=True, slots=True)
class Hazard:
    """One hazard: a stable code, its lines (1-based, inclusive), a message and a rewrite.

    `silent` is true if capture succeeds all the same, with a wrong graph.
    """

    code: str
    line: int
    end_line: int
    column: int
    end_column: int
    message: str
    rewrite: str
    silent: bool


_DRAWS = ("random.", "numpy.random.", "np.random.", "time.", "uuid.", "secrets.", "datetime.")
_LEAVES = {"numpy", "tolist", "__array__"}
_MUTATORS = {"append", "extend", "insert", "pop", "remove", "clear", "update", "add", "setdefault"}


def find_hazards(source: str, functions: Iterable[str] = ()) -> list[Hazard]:
    """Return the hazards in code that would be captured, ordered by line.

    Args:
        source: a Python file or cell; source with a syntax error has no hazards.
        functions: names of plain functions that are captured as well.
    """
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return []
    return in_order(each for part in hazards_by_function(tree, functions) for each in part)


def hazards_by_function(tree: ast.Module, functions: Iterable[str] = ()) -> Iterator[list[Hazard]]:
    """Yield the hazards of one captured function after the other; a caller may stop in between."""
    for code in _captured(tree, set(functions)):
        yield list(_Checker(code).check())


def in_order(hazards: Iterable[Hazard]) -> list[Hazard]:
    """Return hazards ordered by line, each once even if several paths lead to it."""
    found: dict[tuple[str, int, int], Hazard] = {}
    for hazard in hazards:
        found.setdefault((hazard.code, hazard.line, hazard.column), hazard)
    return sorted(found.values(), key=lambda hazard: (hazard.line, hazard.column, hazard.code))


@dataclass(frozen=True)
class _Code:
    """A function that would be captured, and its class."""

    function: ast.FunctionDef
    owner: ast.ClassDef | None
    records: _Records


@dataclass
class _Records:
    """The dataclasses of a program that a graph cannot return, computed on first access."""

    tree: ast.Module

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of these dataclasses."""
        return _unregistered(self.tree)


def _unregistered(tree: ast.Module) -> frozenset[str]:
    records = {
        node.name
        for node in _statements(tree.body)
        if isinstance(node, ast.ClassDef)
        and any(dotted(_bare(d)).rpartition(".")[2] == "dataclass" for d in node.decorator_list)
    }
    if not records:
        return frozenset()
    registered = {
        dotted(node.args[0])
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and node.args
        and dotted(node.func).rpartition(".")[2] in ("register_dataclass", "register_pytree_node")
    }
    return frozenset(records - registered)


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield all statements, including nested ones, without visiting expressions."""
    for statement in body:
        yield statement
        for field in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(statement, field, ()))
        for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
            yield from _statements(part.body)


def _captured(tree: ast.Module, functions: set[str]) -> Iterator[_Code]:
    records = _Records(tree)
    for node in _statements(tree.body):
        if isinstance(node, ast.FunctionDef) and node.name in functions:
            yield _Code(node, None, records)
        if not isinstance(node, ast.ClassDef):
            continue
        methods = {m.name: m for m in node.body if isinstance(m, ast.FunctionDef)}
        waiting, seen = ["forward"], set[str]()
        while waiting:
            name = waiting.pop()
            if name in seen or name not in methods:
                continue
            seen.add(name)
            yield _Code(methods[name], node, records)
            waiting += [
                call.func.attr
                for call in ast.walk(methods[name])
                if isinstance(call, ast.Call)
                and isinstance(call.func, ast.Attribute)
                and dotted(call.func.value) == "self"
            ]


def _bare(decorator: ast.expr) -> ast.expr:
    return decorator.func if isinstance(decorator, ast.Call) else decorator


class _Checker:
    def __init__(self, code: _Code) -> None:
        self._code = code
        self._taint = Taint(code.function)
        self._buffers, parameters = _held(code.owner)
        self._weights = self._buffers | parameters
        self._sizes = frozenset(_named_sizes(code.function))

    def check(self) -> Iterator[Hazard]:
        for node in self._walk(self._code.function):
            yield from self._node(node)

    def _walk(self, root: ast.AST) -> Iterator[ast.AST]:
        """Yield all descendants except nested functions, which control flow takes as branches."""
        for child in ast.iter_child_nodes(root):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
                continue
            yield child
            yield from self._walk(child)

    def _node(self, node: ast.AST) -> Iterator[Hazard]:
        if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)):
            if self._decides(node.test):
                yield self._hazard("TF401", node.test)
        elif isinstance(node, ast.For) and self._counts(node.iter):
            yield self._hazard("TF402", node.iter)
        elif isinstance(node, ast.Try):
            yield from self._tried(node)
        elif isinstance(node, ast.FormattedValue) and self._taint.is_tensor(node.value):
            yield self._hazard("TF407", node.value)
        elif isinstance(node, ast.Call):
            yield from self._call(node)
        elif isinstance(node, (ast.Assign, ast.AugAssign)):
            yield from self._assigned(node)
        elif (
            isinstance(node, ast.Return)
            and isinstance(node.value, ast.Call)
            and dotted(node.value.func) in self._code.records.names
        ):
            yield self._hazard("TF411", node)

    def _decides(self, test: ast.expr) -> bool:
        return self._taint.decides(test)

    def _counts(self, over: ast.expr) -> bool:
        return (
            isinstance(over, ast.Call)
            and dotted(over.func) == "range"
            and any(self._taint.is_tensor(a) or self._taint.is_number(a) for a in over.args)
        )

    def _tried(self, node: ast.Try) -> Iterator[Hazard]:
        caught = {
            dotted(kind)
            for handler in node.handlers
            for kind in (
                handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
            )
            if kind is not None
        }
        bare = any(handler.type is None for handler in node.handlers)
        if not bare and not caught & {"Exception", "RuntimeError", "BaseException", "ValueError"}:
            return
        for inner in node.body:
            for part in [inner, *self._walk(inner)]:
                if isinstance(part, (ast.If, ast.While, ast.IfExp, ast.Assert)) and self._decides(
                    part.test
                ):
                    yield self._hazard("TF410", part.test)

    def _call(self, node: ast.Call) -> Iterator[Hazard]:
        name = dotted(node.func)
        if name == "print" and any(self._mentions(a) for a in node.args):
            yield self._hazard("TF407", node)
        elif any(self._rounds(name, a) for a in node.args):
            yield self._hazard("TF403", node)
        elif name.startswith(_DRAWS) and not name.startswith("time.sleep"):
            yield self._hazard("TF408", node)
        elif isinstance(node.func, ast.Attribute):
            owner, method = node.func.value, node.func.attr
            if method in _LEAVES and self._taint.is_tensor(owner):
                yield self._hazard("TF404", node)
            elif method == "cuda" or (method == "to" and _fixed_device(node)):
                if self._taint.is_tensor(owner):
                    yield self._hazard("TF405", node)
            elif method in _MUTATORS and dotted(owner).startswith("self."):
                yield self._hazard("TF409", node)
            elif method.endswith("_") and not method.endswith("__") and self._is_data(owner):
                yield self._hazard("TF406", node)
        if name in ("int", "float") and any(self._computes(a) for a in node.args):
            yield self._hazard("TF414", node)
        if name in ("str", "repr", "format") and any(self._taint.is_tensor(a) for a in node.args):
            yield self._hazard("TF407", node)

    def _rounds(self, name: str, node: ast.expr) -> bool:
        """Return whether `round` or `int` makes a divided size an integer again."""
        if name != "round" and not (name == "int" and _divides(node)):
            return False
        return any(
            _is_size(part) or (isinstance(part, ast.Name) and part.id in self._sizes)
            for part in ast.walk(node)
        )

    def _is_data(self, node: ast.expr) -> bool:
        """Return whether it is the `.data` of a trained attribute, not of a buffer."""
        if not isinstance(node, ast.Attribute) or node.attr != "data":
            return False
        own, _, attribute = dotted(node.value).partition(".")
        return own == "self" and attribute not in self._buffers

    def _computes(self, node: ast.expr) -> bool:
        """Return whether it is a computed tensor; a bare argument may be a plain number."""
        return not isinstance(node, (ast.Name, ast.Constant)) and self._taint.is_tensor(node)

    def _mentions(self, node: ast.expr) -> bool:
        """Return whether a printed value is a tensor; printing sizes is harmless."""
        if isinstance(node, ast.JoinedStr):
            parts = [v.value for v in node.values if isinstance(v, ast.FormattedValue)]
            return any(self._taint.is_tensor(part) for part in parts)
        return self._taint.is_tensor(node)

    def _assigned(self, node: ast.Assign | ast.AugAssign) -> Iterator[Hazard]:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            inner = target.value if isinstance(target, ast.Subscript) else target
            if self._is_data(inner):
                yield self._hazard("TF406", node)
            elif isinstance(target, ast.Attribute) and dotted(target).startswith("self."):
                # Export supports assignment to a registered buffer.
                if target.attr not in self._weights and self._accumulates(target, node):
                    yield self._hazard("TF409", node)
            elif isinstance(target, ast.Subscript) and dotted(inner).startswith("self."):
                attribute = dotted(inner).removeprefix("self.").partition(".")[0]
                if attribute not in self._weights:
                    yield self._hazard("TF409", node)

    def _accumulates(self, target: ast.Attribute, node: ast.Assign | ast.AugAssign) -> bool:
        """Return whether an assigned value depends on earlier calls, or keeps a tensor of this one.

        Assigning the same plain value on every call changes nothing.
        """
        if isinstance(node, ast.AugAssign) or self._taint.is_tensor(node.value):
            return True
        return any(dotted(part) == dotted(target) for part in ast.walk(node.value))

    def _hazard(self, code: str, node: ast.AST) -> Hazard:
        kind = HAZARDS[code]
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        return Hazard(
            code,
            line,
            getattr(node, "end_lineno", None) or line,
            column,
            getattr(node, "end_col_offset", None) or column,
            kind.words,
            kind.advice,
            kind.silent,
        )


def _is_size(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in ("shape", "size", "numel")


def _named_sizes(function: ast.AST) -> Iterator[str]:
    """Yield the names that a function gives to sizes: `n = x.shape[0]`, `b, c = x.size()`."""
    for node in ast.walk(function):
        if not isinstance(node, ast.Assign):
            continue
        held = node.value.value if isinstance(node.value, ast.Subscript) else node.value
        if _is_size(held.func if isinstance(held, ast.Call) else held):
            parts = [
                part
                for target in node.targets
                for part in (target.elts if isinstance(target, ast.Tuple) else [target])
            ]
            yield from (part.id for part in parts if isinstance(part, ast.Name))


def _divides(node: ast.expr) -> bool:
    """Return whether the result may not be an integer: capture then fixes its sizes."""
    return any(
        isinstance(part, ast.Div)
        or (isinstance(part, ast.Constant) and isinstance(part.value, float))
        for part in ast.walk(node)
    )


def _fixed_device(node: ast.Call) -> bool:
    values = [*node.args, *(k.value for k in node.keywords if k.arg == "device")]
    return any(
        isinstance(v, ast.Constant)
        and isinstance(v.value, str)
        and v.value.partition(":")[0] in ("cuda", "gpu", "mps", "xpu")
        for v in values
    )


def _held(owner: ast.ClassDef | None) -> tuple[set[str], set[str]]:
    """Return the names of buffers and of parameters that a class registers or assigns."""
    found: dict[str, set[str]] = {"Buffer": set(), "Parameter": set()}
    for node in inside(owner) if owner is not None else ():
        match node:
            case ast.Call(func=func, args=[ast.Constant(value=name), *_]):
                kind = dotted(func).removeprefix("self.register_").title()
                if dotted(func).startswith("self.register_") and kind in found:
                    found[kind].add(str(name))
            case ast.Assign(targets=targets, value=ast.Call(func=func)):
                kind = dotted(func).rpartition(".")[2]
                if kind in found:
                    found[kind] |= {t.attr for t in targets if isinstance(t, ast.Attribute)}
    return found["Buffer"], found["Parameter"]
