"""Variables that may share a tensor: by assignments, loops, calls and results.

The parts of a tensor are views of it in torch. A target whose parts are copies has to write views
where a part changes in place, also under another name: `for a, b in zip(x.split(2), y): a.add_(b)`.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator

from workbench.source.ownership import RESULT_NEEDED, is_needed_result
from workbench.source.traits.containers import last_name
from workbench.source.traits.masking import places_of
from workbench.source.traits.traits import Holder, HolderKind, Shares
from workbench.source.tree import DEFINITIONS, Notes, within
from workbench.source.types.views import VIEWS, owner_of
from workbench.words import words

_VARIABLE, _MEMBER, _PARAMETER, _INPUT, _RESULT, _NEEDED = HolderKind
# A result that gradients may be computed from: `a / b`, `F.normalize(x)`.
NEEDED = Holder(_NEEDED, "", "")
# Layers whose gradient needs their result.
NEEDING_LAYERS = RESULT_NEEDED | set(words("ELU SELU SiLU ReLU6 Hardsigmoid"))
# The expression that the names of a statement are followed from.
_ORIGIN = Holder(_RESULT, "", "")
# Methods that return their receiver, its parts or its items, and functions of torch that do so.
_HANDING_ON = VIEWS | set(
    words(
        "split chunk unbind tensor_split split_with_sizes hsplit vsplit dsplit contiguous detach "
        "to cpu cuda type type_as float double half broadcast_to broadcast_tensors unfold "
        "rearrange atleast_1d atleast_2d atleast_3d view_as_real view_as_complex real imag numpy "
        "from_numpy as_tensor get pop popleft items values"
    )
)
_PARTS = frozenset(words("data T mT H mH real imag values"))
# Functions that return their arguments or the items of these.
_COLLECTING = frozenset(
    words("zip enumerate list tuple dict set iter next reversed sorted filter chain cycle islice")
)
_STORING = frozenset(words("append appendleft add insert extend update setdefault put"))
# Methods with a name like those in place that keep the values.
KEEPING = frozenset(words("requires_grad_ share_memory_ detach_ rename_"))
# The nodes by which names may share a tensor, and those that may change one in place.
_BINDING = frozenset(
    {ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.For, ast.comprehension, ast.Return, ast.Yield}
    | {ast.Call}
)
_CHANGING = frozenset({ast.AugAssign, ast.Subscript, ast.Call})
# What statements outside of functions share and change. An edit keeps the other statements.
_outside: Notes[tuple[set[Shares], set[Holder]]] = Notes("sharing")
_PACKAGES = frozenset(words("torch F np numpy functional einops nn init itertools"))


def shared_in(function: ast.FunctionDef, cls: str | None) -> tuple[set[Shares], set[Holder]]:
    """Return what the variables of a function share, and those whose tensors change in place."""
    nodes = within(function)
    local = {node.arg for node in nodes if type(node) is ast.arg} | {
        node.id for node in nodes if type(node) is ast.Name and type(node.ctx) is ast.Store
    }
    names = _Names(function.name, local)
    shares, rewritten = names.read(nodes)
    owners = [Holder(_PARAMETER, function.name, "")]
    if cls is not None and function.name == "__init__":
        owners = [Holder(_PARAMETER, cls, "")]
    if cls is not None and function.name == "forward":
        owners += [Holder(_INPUT, cls, ""), Holder(_INPUT, "", "")]
    shares.update(
        Shares(owner._replace(name=place), Holder(_VARIABLE, function.name, name))
        for owner in owners
        for name, place in places_of(function.args)
    )
    for node in nodes:
        if isinstance(node, ast.FunctionDef):
            shares.update(
                Shares(Holder(_PARAMETER, node.name, place), Holder(_VARIABLE, function.name, name))
                for name, place in places_of(node.args)
            )
    return shares, rewritten


def shared_outside(body: Iterable[ast.stmt]) -> tuple[set[Shares], set[Holder]]:
    """Return the same for the statements outside of functions and classes."""
    shares: set[Shares] = set()
    rewritten: set[Holder] = set()
    for one in body:
        if not isinstance(one, DEFINITIONS):
            known = _outside.get(one)
            if known is None:
                known = _outside[one] = _Names("", None).read([one, *within(one)])
            shares |= known[0]
            rewritten |= known[1]
    return shares, rewritten


def needed_of(layer: str) -> Holder:
    """Return what holds the results of a layer, by its member or variable."""
    return Holder(_NEEDED, "", layer)


def holder_named(node: ast.Name | ast.Attribute, function: str) -> Holder:
    """Return the holder that a variable of a function, or a member, is."""
    return _Names(function, None).of_name(node)


def holders_of(node: ast.AST, statement: ast.stmt, function: str) -> frozenset[Holder]:
    """Return the holders that get the value of an expression, or a part, in its own statement."""
    names = _Names(function, None, node)
    shares, _ = names.read([statement, *within(statement)])
    return frozenset(one.target for one in shares if one.source == _ORIGIN)


class _Names:
    """The names of a function; None for its local names means all of them."""

    def __init__(
        self, function: str, local: Collection[str] | None, origin: ast.AST | None = None
    ) -> None:
        self._function = function
        self._local = local
        self._origin = origin

    def read(self, nodes: Iterable[ast.AST]) -> tuple[set[Shares], set[Holder]]:
        """Return what the variables share, and those whose tensors change in place."""
        shares: set[Shares] = set()
        rewritten: set[Holder] = set()
        for node in nodes:
            kind = type(node)
            if kind in _BINDING:
                shares.update(Shares(*pair) for pair in self._pairs(node) if pair[0] != pair[1])
            if kind in _CHANGING:
                rewritten.update(
                    self.of_name(owner)
                    for one in _changed_in_place(node)
                    if (owner := owner_of(one)) is not None
                )
        return shares, rewritten

    def of_name(self, node: ast.Name | ast.Attribute) -> Holder:
        if isinstance(node, ast.Attribute):
            return Holder(_MEMBER, "", node.attr)
        is_local = self._local is None or node.id in self._local
        return Holder(_VARIABLE, self._function if is_local else "", node.id)

    def _pairs(self, node: ast.AST) -> Iterator[tuple[Holder, Holder]]:
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    yield from self._bound(target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                yield from self._bound(target, value)
            case ast.NamedExpr(target=target, value=value):
                yield from self._bound(target, value)
            case ast.For(target=target, iter=over) | ast.comprehension(target=target, iter=over):
                yield from self._looped(target, over)
            case ast.Return(value=ast.expr() as value) | ast.Yield(value=ast.expr() as value):
                result = Holder(_RESULT, self._function, "")
                yield from ((source, result) for source in self._held(value))
            case ast.Call():
                yield from self._passed(node)

    def _bound(self, target: ast.expr, value: ast.expr) -> Iterator[tuple[Holder, Holder]]:
        match target, value:
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                for one, own in zip(targets, values, strict=True):
                    yield from self._bound(one, own)
                return
        sources = set(self._held(value))
        parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
        for part in parts:
            if isinstance(part, ast.Tuple | ast.List):
                yield from self._bound(part, value)
            elif (owner := owner_of(part)) is not None:
                yield from ((source, self.of_name(owner)) for source in sources)

    def _looped(self, target: ast.expr, over: ast.expr) -> Iterator[tuple[Holder, Holder]]:
        match over, target:
            case ast.Call(func=ast.Name(id="zip"), args=parts), ast.Tuple(elts=targets) if (
                len(parts) == len(targets)
            ) and not any(isinstance(one, ast.Starred) for one in (*parts, *targets)):
                for one, part in zip(targets, parts, strict=True):
                    yield from self._looped(one, part)
            case ast.Call(func=ast.Name(id="enumerate"), args=[inner, *_]), ast.Tuple(
                elts=[_, each]
            ):
                yield from self._looped(each, inner)
            case _:
                yield from self._bound(target, over)

    def _passed(self, call: ast.Call) -> Iterator[tuple[Holder, Holder]]:
        """Yield the arguments of a call with the parameters of the function that they may be."""
        name = last_name(call.func)
        if name == "map" and call.args and isinstance(call.args[0], ast.Lambda):
            given = call.args[0].args
            for parameter, over in zip(given.args, call.args[1:], strict=False):
                yield from self._bound(ast.Name(parameter.arg), over)
            return
        is_method = isinstance(call.func, ast.Attribute)
        if name in _STORING and isinstance(call.func, ast.Attribute):
            for one in call.args:
                yield from self._bound(call.func.value, one)
            return
        if name in _COLLECTING and not is_method:
            return
        owners = [Holder(_PARAMETER, name or "", "")]
        if self._may_be_layer(call.func):
            owners.append(Holder(_INPUT, name or "", ""))
        places: list[tuple[str | int, ast.expr]] = [*enumerate(call.args)]
        places += [(one.arg or "", one.value) for one in call.keywords]
        for place, value in places:
            for source in self._held(value):
                yield from ((source, owner._replace(name=place)) for owner in owners)

    def _may_be_layer(self, node: ast.expr) -> bool:
        """Return whether what is called may be a layer: `self.attention`, or a local variable."""
        while isinstance(node, ast.Attribute | ast.Subscript):
            node = node.value
            if isinstance(node, ast.Name):
                return _is_self(node)
        return isinstance(node, ast.Name) and (self._local is None or node.id in self._local)

    def _held(self, node: ast.expr) -> Iterator[Holder]:
        """Yield the holders whose tensor, or whose part, an expression may be or have."""
        if node is self._origin:
            yield _ORIGIN
            return
        match node:
            case ast.Name():
                yield self.of_name(node)
            case ast.Attribute(value=inner, attr=name):
                if name in _PARTS:
                    yield from self._held(inner)
                else:
                    yield Holder(_MEMBER, "", name)
            case ast.Subscript(value=inner) | ast.Starred(value=inner) | ast.NamedExpr(value=inner):
                yield from self._held(inner)
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
                yield from (holder for one in parts for holder in self._held(one))
            case ast.Dict(values=parts) | ast.BoolOp(values=parts):
                yield from (holder for one in parts for holder in self._held(one))
            case ast.IfExp(body=one, orelse=other):
                yield from (*self._held(one), *self._held(other))
            case ast.ListComp(elt=part) | ast.GeneratorExp(elt=part) | ast.SetComp(elt=part):
                yield from self._held(part)
            case ast.DictComp(value=part):
                yield from self._held(part)
            case ast.BinOp(op=ast.Div()) if is_needed_result(node):
                yield NEEDED
            case ast.Call():
                yield from self._returned(node)

    def _returned(self, call: ast.Call) -> Iterator[Holder]:
        name = last_name(call.func) or ""
        if name in _COLLECTING:
            yield from (holder for one in call.args for holder in self._held(one))
        elif name in _HANDING_ON or name.endswith("_"):
            yield from (holder for one in _subject(call) for holder in self._held(one))
        elif isinstance(call.func, ast.Name) and name in RESULT_NEEDED:
            yield NEEDED
        elif self._may_be_layer(call.func):
            yield needed_of(name)
        elif name in RESULT_NEEDED or _makes_needing_layer(call.func):
            yield NEEDED
        yield Holder(_RESULT, name, "")


def _changed_in_place(node: ast.AST) -> Iterator[ast.expr]:
    """Yield what a node changes in place: `x` for `x += y`, `x[0] = y` and `x.add_(y)`."""
    if isinstance(node, ast.AugAssign):
        yield node.target
    elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        yield node.value
    elif isinstance(node, ast.Call):
        name = last_name(node.func) or ""
        for keyword in node.keywords:
            if keyword.arg == "out":
                yield keyword.value
            elif keyword.arg == "inplace" and getattr(keyword.value, "value", True) is not False:
                yield from node.args[:1]
        if name.endswith("_") and not name.startswith("_") and name not in KEEPING:
            yield from _subject(node)


def _makes_needing_layer(node: ast.expr) -> bool:
    """Return whether what is called is a new layer: `nn.ELU()` in `nn.ELU()(x)`."""
    return isinstance(node, ast.Call) and last_name(node.func) in NEEDING_LAYERS


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _subject(call: ast.Call) -> list[ast.expr]:
    """Return the receiver of a method, or the first argument of a function, if it has any."""
    match call.func:
        case ast.Attribute(value=receiver) if last_name(receiver) not in _PACKAGES:
            return [receiver]
    return call.args[:1]
