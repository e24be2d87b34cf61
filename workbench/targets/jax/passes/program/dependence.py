"""Which statements of a block a loss is computed by, and which values depend on models."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from workbench.source.tree import Notes, children, inside
from workbench.targets.jax.passes.program.binding import names

# Methods and members whose result has no gradient.
_DETACHED = frozenset(
    {
        *("argmax", "argmin", "argsort", "detach", "dim", "eq", "ge", "gt", "item", "le", "long"),
        *("lt", "ne", "numel", "size", "tolist"),
    }
)
_DESCRIBED = frozenset({"data", "device", "dtype", "grad", "ndim", "shape", "training"})
_COUNTED = frozenset(
    {
        *("bool", "copy.deepcopy", "deepcopy", "float", "id", "int", "isinstance", "len"),
        *("range", "str", "type"),
    }
)
_GROWING = frozenset({"add", "append", "extend", "insert", "update"})
# Methods of a model that only change its state, or none at all.
_MODES = frozenset({"eval", "train", "zero_grad"})
# Methods that need an array without a gradient.
_LISTS = frozenset({"tolist", "numpy"})


_assigned: Notes[frozenset[str]] = Notes("assigned")
_mentioned: Notes[frozenset[str]] = Notes("mentioned")


def assigned(statement: ast.stmt) -> set[str]:
    """Return the names that a statement assigns, or whose objects it may change."""
    found = _assigned.get(statement)
    if found is None:
        found = _assigned[statement] = frozenset(_names_assigned(statement))
    return set(found)


def _names_assigned(statement: ast.stmt) -> set[str]:
    found = names(statement, ast.Store)
    for node in inside(statement):
        if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            found |= _root(node)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            func = node.value.func
            if isinstance(func, ast.Attribute) and grows(node):
                found |= _root(func)
    return found


def grows(node: ast.AST) -> bool:
    """Return whether a statement is a call that adds to a list, a set or a dict."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Attribute)
        and node.value.func.attr in _GROWING
    )


def _root(node: ast.expr) -> set[str]:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()


@dataclass(slots=True)
class Sources:
    """The models that values depend on.

    Attributes:
        models: the models, as paths such as `self.net`.
        readers: functions that read such a model although it is none of their parameters.
        names: the names of values that depend on them.
        quiet: the identities of blocks without gradients.
    """

    models: Collection[str]
    readers: Collection[str] = ()
    names: set[str] = field(default_factory=set)
    quiet: Collection[int] = ()

    def reach(self, node: ast.AST) -> bool:
        """Return whether a gradient flows from them through a node."""
        if id(node) in self.quiet:
            return False
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                return name in self.names or name in self.models or name in self.readers
            case ast.Call(func=ast.Attribute(value=owner, attr=attr)) if (
                attr in _DETACHED and not self._own(owner)
            ):
                return any(map(self.reach, (*node.args, *node.keywords)))
            case ast.Call(func=func) if ast.unparse(func) in _COUNTED:
                return False
            case ast.Compare():
                return False
            case ast.Attribute(value=value, attr=attr):
                if attr in _DESCRIBED:
                    return False
                path = ast.unparse(node)
                return path in self.models or path in self.readers or self.reach(value)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return False
        return any(map(self.reach, children(node)))

    def _own(self, node: ast.expr) -> bool:
        """Return whether an expression is a model or a member of one, whose methods are its own."""
        path = ast.unparse(node)
        return any(path == one or path.startswith(f"{one}.") for one in self.models)

    def follow(self, statement: ast.stmt) -> bool:
        """Note the names that a statement gives such values; return whether a gradient flows."""
        if id(statement) in self.quiet:
            return False
        aims = assigned(statement)
        if _sets_mode(statement) or not self.reach(statement):
            if isinstance(statement, ast.Assign):
                self.names -= {one.id for one in statement.targets if isinstance(one, ast.Name)}
            return False
        self.names |= aims
        return True

    def everywhere(self, statements: Sequence[ast.stmt], apart: Collection[int]) -> set[str]:
        """Return the names that any of these statements may give such values.

        Args:
            statements: the statements, with those within them.
            apart: the identities of statements that are left out.
        """
        found = Sources(self.models, self.readers, set(), self.quiet)
        roots = {one.partition(".")[0] for one in (*self.models, *self.readers)}
        every = simple(statements, {*apart, *self.quiet})
        left = [(one, _names_mentioned(one)) for one in every if not _sets_mode(one)]
        size = -1
        while size != len(found.names):
            size = len(found.names)
            later = []
            for one, mentioned in left:
                named = not (mentioned.isdisjoint(roots) and mentioned.isdisjoint(found.names))
                if named and found.reach(_value_of(one)):
                    found.names |= assigned(one)
                else:
                    later.append((one, mentioned))
            left = later
        return found.names


def _names_mentioned(statement: ast.stmt) -> frozenset[str]:
    """Return all names in a statement, without which no gradient flows through it."""
    found = _mentioned.get(statement)
    if found is None:
        every = (one.id for one in inside(statement) if isinstance(one, ast.Name))
        found = _mentioned[statement] = frozenset(every)
    return found


def _value_of(statement: ast.stmt) -> ast.AST:
    """Return what a statement computes, without the blocks within it."""
    if isinstance(statement, ast.For | ast.AsyncFor):
        return statement.iter
    if isinstance(statement, ast.If | ast.While):
        return ast.Pass()
    if isinstance(statement, ast.With | ast.AsyncWith):
        return ast.Tuple([one.context_expr for one in statement.items], ast.Load())
    return statement


def simple(statements: Sequence[ast.stmt], apart: Collection[int] = ()) -> Iterator[ast.stmt]:
    """Yield statements and those within their blocks, but for the bodies of functions.

    Args:
        statements: the statements.
        apart: the identities of statements that are left out.
    """
    for one in statements:
        if id(one) in apart:
            continue
        yield one
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        for part in ("body", "orelse", "finalbody"):
            yield from simple(getattr(one, part, []), apart)
        for handler in getattr(one, "handlers", []):
            yield from simple(handler.body, apart)


def _sets_mode(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and isinstance(statement.value.func, ast.Attribute)
        and statement.value.func.attr in _MODES
    )


def extent(
    before: Sequence[ast.stmt], loss: ast.expr, sources: Sources
) -> tuple[list[int], set[str]]:
    """Return the places of the statements that carry a gradient to a loss, and what it reads.

    Args:
        before: the statements of the block before `backward`.
        loss: the loss.
        sources: the models.
    """
    needed = names(loss, ast.Load)
    wanted = []
    for place in range(len(before) - 1, -1, -1):
        one = before[place]
        if isinstance(one, ast.Expr) and _calls_one(one.value, sources):
            wanted.append(place)  # it may change what the model holds
        if assigned(one) & needed:
            wanted.append(place)
            if isinstance(one, ast.Assign):
                needed -= {aim.id for aim in one.targets if isinstance(aim, ast.Name)}
            needed |= names(one, ast.Load)
    carrying = []
    for place, one in enumerate(before):
        if sources.follow(one) and place in wanted:
            carrying.append(place)
    return carrying, needed


def _calls_one(node: ast.expr, sources: Sources) -> bool:
    """Return whether an expression is the call of a model or of one of its methods."""
    path = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    return any(path == one or path.startswith(f"{one}.") for one in sources.models)


def needs_value(statement: ast.stmt, sources: Sources) -> str | None:
    """Return the part of a statement that JAX cannot compute from a value with a gradient, or None.

    Such a value holds its number, so that conditions and `item` work.
    """
    for node in inside(statement):
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr=attr), args=[]) if attr in _LISTS:
                if sources.reach(value):
                    return ast.unparse(node)
            case ast.Call(func=ast.Name(id="print")):
                if any(map(sources.reach, node.args)):
                    return ast.unparse(node)
    return None
