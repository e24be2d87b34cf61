"""Code that depends on the layout of weights because it uses single dimensions of parameters.

`p.grad.mean(dim=1)` in `for p in model.parameters()` has another value if the weight of a linear
layer is transposed; `p.grad.norm()` does not. Parameters are followed through variables, members of
`self` and functions of the same text.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import IntEnum

from workbench.source.traits.traits import Layout
from workbench.source.tree import DEFINITIONS, Notes, inside, whole


class Holds(IntEnum):
    """How many of the parameters a value holds."""

    NOTHING = 0
    FLAT = 1  # their values in one dimension
    TENSOR = 2
    SEVERAL = 3


_NOTHING, _FLAT, _TENSOR, _SEVERAL = Holds

_GIVING = frozenset({"parameters", "named_parameters", "state_dict"})
_COLLECTING = frozenset(
    {"list", "tuple", "dict", "set", "iter", "sorted", "reversed", "filter", "zip", "enumerate"}
)
_PACKAGES = frozenset({"torch", "F", "np", "numpy", "functional", "linalg", "math", "init", "nn"})
# Calls whose results are parameters or their values.
_HANDING_ON = _GIVING | _COLLECTING | {"next", "get_parameter", "parameters_to_vector"}
# Calls whose result does not depend on the layout.
_EVEN = frozenset(
    {"zeros", "ones", "empty", "full", "rand", "randn", "len", "prod", "numel", "expand", "Size"}
)
_NUMBERS = frozenset(
    {"numel", "dim", "ndimension", "item", "len", "int", "float", "bool", "id", "isinstance"}
    | {"get_last_lr"}  # of a scheduler, whose optimizer has the parameters
)
# Calls that reduce all values to one if no dimension is given.
_REDUCING = frozenset(
    {"sum", "mean", "norm", "max", "min", "amax", "amin", "std", "var", "any", "all", "prod"}
    | {"vector_norm", "matrix_norm", "logsumexp", "median", "count_nonzero", "nanmean", "nansum"}
)
_DIMENSIONAL = frozenset(
    {"t", "t_", "transpose", "transpose_", "permute", "swapaxes", "swapdims", "movedim", "adjoint"}
    | {"mm", "matmul", "mv", "bmm", "addmm", "addmv", "outer", "einsum", "tensordot", "dot", "kron"}
    | {"diag", "diagonal", "tril", "triu", "tril_", "triu_", "trace", "fill_diagonal_", "chunk"}
    | {"unbind", "split", "narrow", "select", "index_select", "gather", "take", "nonzero"}
    | {"scatter", "scatter_", "scatter_add_", "index_add_", "index_copy_", "index_fill_", "flip"}
    | {"svd", "svdvals", "qr", "eigh", "inv", "pinv", "solve", "cholesky", "matrix_power", "roll"}
    | {"argmax", "argmin", "argsort", "sort", "topk", "cumsum", "cumprod", "softmax", "renorm"}
    | {"log_softmax", "normalize", "cosine_similarity", "linear", "tolist", "flatten", "unfold"}
)
# Calls on flat values whose result depends on the order.
_ORDERED = frozenset(
    {"argmax", "argmin", "argsort", "sort", "topk", "cumsum", "cumprod", "split", "chunk"}
    | {"narrow", "tolist", "nonzero", "flip", "roll", "unbind", "take", "index_select"}
)
_TURNED = frozenset({"T", "mT", "H", "mH"})
_SAME = frozenset({"data", "grad", "real"})
_ROWS = frozenset({"view", "reshape", "flatten", "ravel"})


@dataclass(frozen=True, slots=True)
class _Scope:
    """A function, or the statements of a text outside of functions.

    `names` are the names in it, and the members of `self`.
    """

    cls: str
    name: str
    parameters: tuple[str, ...]
    nodes: tuple[ast.AST, ...]
    names: frozenset[str]
    gives: bool


_scopes: Notes[tuple[_Scope, ...]] = Notes("scopes")
_giving: Notes[bool] = Notes("giving")


def layouts_shown(tree: ast.Module) -> frozenset[Layout]:
    """Return whether a text uses dimensions of parameters, or yields parameters as its results."""
    if not any(map(_gives, tree.body)):
        return frozenset()
    flow = _Flow([scope for statement in tree.body for scope in _scopes_of(statement, "")])
    shown = {Layout.PARAMETERS} if flow.shows() else set()
    return frozenset(shown | ({Layout.RESULTS} if flow.yields(tree.body) else set()))


def _gives(statement: ast.stmt) -> bool:
    """Return whether a statement gets the parameters of a model; a class is read by method."""
    if isinstance(statement, ast.ClassDef):
        return any(map(_gives, statement.body))
    known = _giving.get(statement)
    if known is None:
        nodes = (one for one in whole(statement) if type(one) in _SOURCES)
        known = _giving[statement] = any(map(_is_source, nodes))
    return known


def _scopes_of(statement: ast.stmt, cls: str) -> Iterable[_Scope]:
    if isinstance(statement, ast.ClassDef):
        return [scope for one in statement.body for scope in _scopes_of(one, statement.name)]
    known = _scopes.get(statement)
    if known is None:
        known = tuple(_read(statement, cls))
        _scopes[statement] = tuple(_without(statement, scope) for scope in known)
        return known
    first, *others = known
    return (replace(first, nodes=(statement, *first.nodes)), *others)


def _without(statement: ast.stmt, scope: _Scope) -> _Scope:
    """Return a scope without the statement on which it is stored."""
    return replace(scope, nodes=tuple(node for node in scope.nodes if node is not statement))


def _read(statement: ast.stmt, cls: str) -> Iterator[_Scope]:
    nodes = tuple(inside(statement))
    names = frozenset(filter(None, map(_key, nodes)))
    name = statement.name if isinstance(statement, DEFINITIONS) else ""
    given = _given(statement) if isinstance(statement, ast.FunctionDef) else ()
    yield _Scope(cls, name, given, nodes, names, _gives(statement))
    for inner in nodes:
        if inner is not statement and isinstance(inner, ast.FunctionDef):
            yield _Scope(cls, name, _given(inner), (), names, gives=False)


def _parts(value: ast.expr, count: int) -> list[ast.expr]:
    """Return the values that are assigned to a number of targets, or the one value of all."""
    parts = value.elts if isinstance(value, ast.Tuple) and count > 1 else []
    return parts if len(parts) == count else [value]


def _given(function: ast.FunctionDef) -> tuple[str, ...]:
    every = (*function.args.posonlyargs, *function.args.args)
    return tuple(one.arg for one in every if one.arg not in {"self", "cls"})


def _key(node: ast.AST) -> str | None:
    """Return the name of a variable or of a member of `self`, or None."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return f"self.{name}"
    return None


_SOURCES = frozenset({ast.Call, ast.Subscript})


def _is_source(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in _GIVING or name == "get_parameter"
        case ast.Subscript(slice=ast.Constant(value="params")):
            return True
    return False


def _called(node: ast.AST) -> str:
    func = node.func if isinstance(node, ast.Call) else None
    return getattr(func, "attr", getattr(func, "id", ""))


def _receiver(call: ast.Call) -> ast.expr | None:
    """Return the receiver of a method, or None for a function, including one of a package."""
    func = call.func
    if not isinstance(func, ast.Attribute):
        return None
    last = getattr(func.value, "attr", getattr(func.value, "id", None))
    return None if last in _PACKAGES else func.value


def _is_shape(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(attr="shape") | ast.Call(func=ast.Attribute(attr="size"), args=[]):
            return True
    return False


class _Flow:
    """The flow of parameters through a text."""

    def __init__(self, scopes: list[_Scope]) -> None:
        self._scopes = scopes
        self._known: dict[tuple[str, str], Holds] = {}
        self._scope = scopes[0]
        self._changed = True

    def shows(self) -> bool:
        """Return whether code uses a dimension of a parameter."""
        while self._changed:
            self._changed = False
            for scope in self._touched():
                for node in scope.nodes:
                    self._follow(node)
        return any(
            self._looks(node) for scope in self._touched() for node in self._within(scope.nodes)
        )

    def yields(self, statements: list[ast.stmt]) -> bool:
        """Return whether a module's variable that nothing reads has parameters or their values.

        Another text, a later cell or its user may read them.
        """
        for own, statement in enumerate(statements):
            if not isinstance(statement, ast.Assign) or len(statement.targets) > 1:
                continue
            [target] = statement.targets
            bound = target.elts if isinstance(target, ast.Tuple) else [target]
            others = [one for at, one in enumerate(statements) if at != own]
            [self._scope, *_] = _scopes_of(statement, "")
            if any(map(self._hands_on, _parts(statement.value, len(bound)))):
                scopes = (scope for one in others for scope in _scopes_of(one, ""))
                names = {name for scope in scopes for name in scope.names}
                if any(isinstance(one, ast.Name) and one.id not in names for one in bound):
                    return True
        return False

    def _hands_on(self, value: ast.expr) -> bool:
        match value:
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return any(map(self._hands_on, parts))
            case ast.Call():
                return _called(value) in _HANDING_ON and self._holds(value) > _NOTHING
            case ast.ListComp(elt=ast.Name() | ast.Tuple()) | ast.DictComp(value=ast.Name()):
                return self._holds(value) > _NOTHING
        return False

    def _touched(self) -> Iterator[_Scope]:
        for scope in self._scopes:
            self._scope = scope
            # Fewer names are known than a scope has.
            if scope.gives or any(
                name in scope.names and self._of_key(name) for _, name in [*self._known]
            ):
                yield scope

    def _within(self, nodes: tuple[ast.AST, ...]) -> Iterator[ast.AST]:
        """Yield the nodes whose value is used, except shapes that only set or compare others."""
        unused: set[int] = set()
        for node in nodes:
            if id(node) in unused:
                unused.update(map(id, ast.iter_child_nodes(node)))
                continue
            parts: Iterable[ast.AST] = ()
            if isinstance(node, ast.Raise | ast.Assert):
                parts = ast.iter_child_nodes(node)
            elif isinstance(node, ast.Call) and (
                _called(node) in _EVEN or _called(node).endswith("_like")
            ):
                parts = filter(_is_shape, node.args)
            elif isinstance(node, ast.Compare) and all(
                map(_is_shape, (node.left, *node.comparators))
            ):
                parts = (node.left, *node.comparators)
            unused.update(map(id, parts))
            yield node

    def _place(self, key: str) -> tuple[str, str]:
        scope = self._scope
        return (scope.cls if key.startswith("self.") else f"{scope.cls}/{scope.name}", key)

    def _of_key(self, key: str) -> Holds:
        own = self._known.get(self._place(key))
        return own if own is not None else self._known.get(("/", key), _NOTHING)

    def _note(self, place: tuple[str, str], holds: Holds) -> None:
        if holds > self._known.get(place, _NOTHING):
            self._known[place] = holds
            self._changed = True

    def _follow(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._bind(target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._bind(target, value)
            case ast.NamedExpr(target=target, value=value):
                self._bind(target, value)
            case ast.For(target=target, iter=over) | ast.comprehension(target=target, iter=over):
                self._loop(target, over)
            case ast.Call():
                self._give(node)

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        match target, value:
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                for one, own in zip(targets, values, strict=True):
                    self._bind(one, own)
            case ((ast.Tuple(elts=targets) | ast.List(elts=targets)), _):
                if self._holds(value):
                    for one in targets:
                        self._put(one, _TENSOR)
            case _:
                self._put(target, self._holds(value))

    def _put(self, target: ast.expr, holds: Holds) -> None:
        if not holds:
            return
        if isinstance(target, ast.Subscript):  # `average[name] = p.clone()`
            target, holds = target.value, _SEVERAL
        if isinstance(target, ast.Starred):
            target, holds = target.value, _SEVERAL
        if key := _key(target):
            self._note(self._place(key), holds)

    def _loop(self, target: ast.expr, over: ast.expr) -> None:
        match over, target:
            case ast.Call(func=ast.Name(id="zip"), args=parts), ast.Tuple(elts=targets):
                for one, part in zip(targets, parts, strict=False):
                    self._loop(one, part)
            case ast.Call(func=ast.Name(id="enumerate"), args=[inner, *_]), ast.Tuple(
                elts=[_, each]
            ):
                self._loop(each, inner)
            case _, ast.Tuple(elts=targets):
                if self._holds(over) == _SEVERAL:
                    self._put(targets[-1], _TENSOR)
            case _:
                if self._holds(over) and _called(over) != "state_dict":
                    self._put(target, _TENSOR)

    def _give(self, call: ast.Call) -> None:
        """Note the arguments of the text's functions, including hooks of parameters."""
        match call:
            case ast.Call(func=ast.Attribute(value=of, attr="register_hook"), args=[hook]):
                if not self._holds(of):
                    return
                if isinstance(hook, ast.Lambda):
                    self._put(ast.Name(hook.args.args[0].arg), _TENSOR)
                else:
                    self._give(ast.Call(hook, [of], []))
                return
        holding = [(one, self._holds(one)) for one in call.args]
        named = [(one.arg, self._holds(one.value)) for one in call.keywords]
        if not any(holds for _, holds in (*holding, *named)):
            return
        for scope in self._scopes:
            if scope.name and scope.name == _called(call):
                own = f"{scope.cls}/{scope.name}"
                for name, (_, holds) in zip(scope.parameters, holding, strict=False):
                    self._note((own, name), holds)
                for keyword, holds in named:
                    if keyword in scope.parameters:
                        self._note((own, keyword), holds)

    def _most(self, nodes: Iterable[ast.expr]) -> Holds:
        return max(map(self._holds, nodes), default=_NOTHING)

    def _holds(self, node: ast.expr) -> Holds:
        """Return how many of the parameters an expression holds."""
        key = _key(node)
        if key is not None and (found := self._of_key(key)):
            return found
        match node:
            case ast.Subscript(slice=ast.Constant(value="params")):
                return _SEVERAL
            case ast.Subscript(value=value, slice=index):
                found = self._holds(value)
                return found if found < _SEVERAL or isinstance(index, ast.Slice) else _TENSOR
            case ast.Attribute(value=value, attr=name):
                found = self._holds(value)
                return found if name in _SAME | _TURNED else _NOTHING
            case ast.Call():
                return self._of_call(node)
            case ast.BinOp(left=left, right=right):
                return self._most((left, right))
            case ast.BoolOp(values=parts):
                return self._most(parts)
            case ast.UnaryOp(operand=part) | ast.Starred(value=part) | ast.NamedExpr(value=part):
                return self._holds(part)
            case ast.IfExp(body=body, orelse=orelse):
                return self._most((body, orelse))
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Dict(values=parts):
                return _SEVERAL if self._most(parts) else _NOTHING
            case ast.ListComp(elt=made) | ast.GeneratorExp(elt=made) | ast.DictComp(value=made):
                return _SEVERAL if self._holds(made) else _NOTHING
        return _NOTHING

    def _of_call(self, call: ast.Call) -> Holds:
        name, of = _called(call), _receiver(call)
        if name in _GIVING:
            return _SEVERAL
        if name == "get_parameter":
            return _TENSOR
        if name in _NUMBERS:
            return _NOTHING
        found = self._holds(of) if of is not None else _NOTHING
        given = self._most(call.args)
        if found == _SEVERAL:
            return _TENSOR if name in {"get", "pop"} else found
        if of is None and name in _COLLECTING:
            return _SEVERAL if given == _SEVERAL else _NOTHING
        if name in _REDUCING and not self._dimensions(call):
            return _NOTHING
        if found and name in _ROWS and self._is_flat(call):
            return _FLAT
        if of is None and given == _SEVERAL:
            return self._of_several(call)
        return found or min(given, _TENSOR)

    def _of_several(self, call: ast.Call) -> Holds:
        """Return the kind of result of a function of all parameters."""
        match call:
            case ast.Call(func=ast.Attribute(attr="grad")):
                return _SEVERAL
            case ast.Call(args=[ast.ListComp(elt=made) | ast.GeneratorExp(elt=made), *_]):
                return self._holds(made)
        flat = {"parameters_to_vector", "hstack"}
        return _FLAT if _called(call) in flat else _TENSOR

    def _is_flat(self, call: ast.Call) -> bool:
        return not call.args or [ast.unparse(one) for one in call.args] == ["-1"]

    def _dimensions(self, call: ast.Call) -> bool:
        """Return whether a reduction has an argument for the dimension."""
        if any(one.arg in {"dim", "axis"} for one in call.keywords):
            return True
        flags = [one for one in call.args if isinstance(getattr(one, "value", None), bool)]
        places = len(call.args) - len(flags) + (_receiver(call) is not None)
        return places > (2 if "norm" in _called(call) else 1)

    def _looks(self, node: ast.AST) -> bool:
        """Return whether the effect of a node depends on the layout of a parameter."""
        match node:
            case ast.Attribute(value=value, attr=name) if name in _TURNED or name == "shape":
                return self._holds(value) == _TENSOR
            case ast.BinOp(op=ast.MatMult(), left=left, right=right):
                return self._most((left, right)) >= _TENSOR
            case ast.Subscript(value=value, slice=index):
                return self._holds(value) in (_FLAT, _TENSOR) and self._is_place(index)
            case ast.For(iter=over) | ast.comprehension(iter=over):
                return self._holds(over) in (_FLAT, _TENSOR)
            case ast.FormattedValue(value=value):
                return self._holds(value) > _NOTHING
            case ast.Call():
                return self._call_looks(node)
        return False

    def _is_place(self, index: ast.expr) -> bool:
        """Return whether an index is positional: neither the name of an entry nor a mask."""
        if isinstance(index, ast.Tuple):
            return any(map(self._is_place, index.elts))
        if isinstance(index, ast.Constant):
            return isinstance(index.value, int)
        if isinstance(index, ast.Slice):
            return any((index.lower, index.upper, index.step))
        return isinstance(index, ast.UnaryOp)

    def _call_looks(self, call: ast.Call) -> bool:
        name, of = _called(call), _receiver(call)
        if name in {"print", "str", "repr"}:
            return self._most(call.args) > _NOTHING
        parts = [of] if of is not None else call.args
        if name == "matmul" or name == "mm":
            parts = [*parts, *call.args]
        found = min(self._most(parts), _TENSOR)
        if found == _FLAT:
            return name in _ORDERED
        if found != _TENSOR:
            return False
        if name in _ROWS and self._is_flat(call):
            return False
        if name in _DIMENSIONAL or (name in _REDUCING and self._dimensions(call)):
            return True
        return name == "size" or any(one.arg in {"dim", "axis"} for one in call.keywords)
