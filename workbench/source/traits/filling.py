"""Loops that fill a model's parameters with values that have a layout.

`for p, w in zip(net.parameters(), weights): p.data.copy_(w)` shows that the program knows the
layout of the weights, unless `weights` were read from parameters too.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence

from workbench.source.traits.traits import Layout
from workbench.source.tree import DEFINITIONS, calls, inside, whole
from workbench.source.types.views import root

_PARAMETERS = frozenset({"parameters", "named_parameters", "state_dict"})
_COPIES = _PARAMETERS | {"deepcopy", "parameters_to_vector"}
_PACKAGES = frozenset({"torch", "np", "numpy", "F"})
_TORCH = frozenset({"torch", "th"})
_STATES = frozenset({"state_dict", "load_state_dict", "named_parameters"})
_SHAPING = frozenset({"view_as", "reshape_as", "view", "reshape"})
_ABOUT = frozenset({"shape", "size", "numel", "dim", "ndim", "dtype", "device"})
# Calls whose values have no layout, since all are equal.
_EVEN = frozenset({"zeros", "ones", "full", "zeros_like", "ones_like", "full_like"})
# Random values: torch's differ between frameworks anyway, NumPy's are the same everywhere.
_DRAWN = frozenset({"randn", "rand", "normal", "uniform", "random", "standard_normal", "randint"})
_DRAWN_LIKE = frozenset({"randn_like", "rand_like"})
# Calls whose values have fixed positions.
_PLACED = frozenset(
    {"from_numpy", "as_tensor", "tensor", "Tensor", "FloatTensor", "arange", "linspace", "eye"}
    | {"triu", "tril", "diag"}
)
# Methods that change a tensor in place, which Paddle refuses for a parameter itself.
CHANGING = frozenset(
    {"zero_", "fill_", "normal_", "uniform_", "add_", "sub_", "mul_", "div_", "clamp_"}
)
_COPYING = frozenset({"copy", "deepcopy", "dict", "OrderedDict"})
_OF_STATES = frozenset({"state_dict", "items", "values"})
_WRITING = frozenset({"copy_", "set_", "add_", "sub_", "mul_", "div_", "lerp_", "set_value"})
# Functions of a shape that return the same for a transposed matrix.
_SHAPELESS = frozenset({"len", "prod", "numel"})


def sources(loop: ast.For) -> Iterator[str]:
    """Yield the last names of the values that a loop writes to parameters, except parameters."""
    own, origins = _targets(loop)
    for node in _within(loop) if own else ():
        value = _filling(node, own)
        if value is None or any(map(_is_even, inside(value))):
            continue
        names = set(_made_of(value))
        if not names & own:
            yield from (origins.get(name, name) for name in names - _PACKAGES)


def kept(node: ast.For | ast.Assign) -> Iterator[str]:
    """Yield the last names of the variables in which a statement stores values of parameters."""
    if isinstance(node, ast.Assign):
        if any(_called(one) in _COPIES for one in calls(node)) and _keeps(node.value):
            yield from filter(None, map(root, node.targets))
        return
    own, _ = _targets(node)
    for part in _within(node) if own else ():
        match part:
            case ast.Assign(targets=[ast.Subscript() as place], value=value):
                held = place.value
            case ast.Call(func=ast.Attribute(attr="append", value=held), args=[value]):
                pass
            case _:
                continue
        name = root(held)
        if name is not None and own & {getattr(one, "id", None) for one in ast.walk(value)}:
            yield name


def shows_layout(over: ast.For | ast.comprehension, parts: Iterable[ast.AST]) -> bool:
    """Return whether the parts of a loop over parameters show their layout or their values.

    `print(name, p.shape)` does; `torch.zeros(p.shape)` and `len(p.shape)` do not.
    """
    own, _ = _targets(over)
    return bool(own) and any(_shows(part, own) for part in parts)


def places_values(scope: ast.stmt, *, of_class: bool) -> set[Layout]:
    """Return what a statement or function writes values to at fixed positions.

    - VALUES: parameters, which are variables of a loop or a function, as in
      `p.copy_(torch.linspace(0, 1, p.numel()).view_as(p))`; `layer.weight` is another trait.
    - ENTRIES: entries of a state, as in `state[k] = torch.tensor(rows)`. In a method
      (`of_class`), a dictionary's entries count only if a call returns or takes a state.
    """
    if not any(_called(one) in _PLACED | _DRAWN for one in whole(scope) if type(one) is ast.Call):
        return set()
    nodes = inside(scope)
    open_ = _open_names(nodes)
    states = not of_class or any(_called(node) in _STATES for node in nodes)
    placed: set[str] = set()
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_placed(value, placed):
                placed.add(name)
    return {
        layout
        for node in nodes
        for layout, value in _written_values(node, open_, states=states)
        if _is_placed(value, placed)
    }


def uses_of_states(scope: ast.stmt) -> set[Layout]:
    """Return how a statement or function iterates over the entries of a possible state.

    - NAMES: it shows the names: `for name in net.state_dict()`, `len(net.state_dict())`.
    - CHANGES: it changes each in place: `for name in average: average[name] += state[name]`.
    - WRITES: it changes the values, outside of `no_grad`: `for v in state.values(): v *= decay`.
    """
    nodes = whole(scope)
    using = (node for node in nodes if type(node) in _USING)
    found = {layout for node in using for layout in _uses_of_state(node)}
    assignments = (node for node in nodes if type(node) is ast.Assign)
    states = {name for node in assignments for name in _states(node)}
    loops = any(type(node) is ast.For and _is_of_states(node) for node in nodes)
    if (states or loops) and any(_changes_values(node, states) for node in _recorded(scope)):
        found.add(Layout.WRITES)
    return found


def changes_of_states(body: Sequence[ast.stmt]) -> set[Layout]:
    """Return WRITES if a text changes an entry of a state that a variable of its module holds."""
    states = {
        name
        for one in body
        if not isinstance(one, DEFINITIONS)
        for node in whole(one)
        if type(node) is ast.Assign
        for name in _states(node)
    }
    nodes = (node for one in body for node in _recorded(one)) if states else ()
    return {Layout.WRITES for node in nodes if _changes(node, states, entries=True)}


def _states(node: ast.Assign) -> Iterator[str]:
    """Yield the variables that a statement sets to states: `own, other = a.state_dict(), state`."""
    pairs = [(target, node.value) for target in node.targets]
    if isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple):
        pairs = list(zip(node.targets[0].elts, node.value.elts, strict=False))
    for target, value in pairs:
        if isinstance(target, ast.Name) and state_copied(value) is not None:
            yield target.id


def state_copied(node: ast.AST) -> ast.Call | None:
    """Return the call of `state_dict` whose result a value is, or a copy of it, or None."""
    while isinstance(node, ast.Call) and (name := _called(node)) != "state_dict":
        if name in _COPYING and len(node.args) == 1:
            node = node.args[0]
        elif name == "copy" and not node.args and isinstance(node.func, ast.Attribute):
            node = node.func.value
        else:
            return None
    return node if isinstance(node, ast.Call) else None


def _recorded(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a text that record gradients, outside of `no_grad`."""
    around: list[ast.expr] = []
    if isinstance(scope, ast.FunctionDef):
        around = scope.decorator_list
    elif isinstance(scope, ast.With):
        around = [one.context_expr for one in scope.items]
    if any(_names_no_grad(one) for one in around):
        return
    yield scope
    for child in ast.iter_child_nodes(scope):
        yield from _recorded(child)


def _names_no_grad(node: ast.expr) -> bool:
    func = node.func if isinstance(node, ast.Call) else node
    return getattr(func, "attr", getattr(func, "id", None)) in {"no_grad", "inference_mode"}


def _changes_values(node: ast.AST, states: Collection[str]) -> bool:
    """Return whether a loop over a possible state changes values in place, or an entry changes."""
    if not isinstance(node, ast.For):
        return _changes(node, states, entries=True)
    if not _is_of_states(node):
        return False
    own = {one.id for one in ast.walk(node.target) if isinstance(one, ast.Name)}
    return any(_changes(one, own, entries=False) for one in _within(node))


def _is_of_states(loop: ast.For) -> bool:
    """Return whether a loop may be over the entries of a state."""
    return any(_called(one) in _OF_STATES for one in inside(loop.iter))


def _changes(node: ast.AST, own: Collection[str], *, entries: bool) -> bool:
    """Return whether a variable among these, or one of its entries, changes in place."""
    match node:
        case ast.AugAssign(target=changed):
            pass
        case ast.Call(func=ast.Attribute(attr=method, value=changed)) if method in CHANGING:
            pass
        case _:
            return False
    if isinstance(changed, ast.Subscript) != entries:
        return False
    return root(changed) in own


# The nodes that use a state as a whole.
_USING = frozenset({ast.For, ast.comprehension, ast.Call})


def _uses_of_state(node: ast.AST) -> Iterator[Layout]:
    match node:
        case ast.For(iter=part, target=ast.Name(id=name)) if any(
            _changes_entry(one, part, name) for one in _within(node)
        ):
            yield Layout.CHANGES
    match node:
        case (
            ast.For(iter=part)
            | ast.comprehension(iter=part)
            | ast.Call(func=ast.Name(id="len" | "list" | "sorted" | "print"), args=[part, *_])
        ) if any(_called(one) == "state_dict" for one in inside(part)):
            yield Layout.NAMES


def _changes_entry(node: ast.AST, iterated: ast.expr, name: str) -> bool:
    """Return whether a part of a loop over a dictionary's keys changes a key's entry in place."""
    match node:
        case ast.AugAssign(target=ast.Subscript(value=held, slice=ast.Name(id=key))):
            return key == name and root(held) in {
                part.id for part in ast.walk(iterated) if isinstance(part, ast.Name)
            }
    return False


def _open_names(nodes: list[ast.AST]) -> set[str]:
    """Return the variables of loops and functions, which may be parameters or their names."""
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.For | ast.comprehension) and _called(node.iter) != "range":
            names.update(part.id for part in ast.walk(node.target) if isinstance(part, ast.Name))
        elif isinstance(node, ast.arguments):
            names.update(one.arg for one in (*node.posonlyargs, *node.args) if one.arg != "self")
    return names


def _written_values(
    node: ast.AST, open_: set[str], *, states: bool
) -> Iterator[tuple[Layout, ast.expr]]:
    """Yield the values that a node writes to a parameter or to an entry of a state."""
    match node:
        case ast.Call(func=ast.Attribute(attr=attr, value=aim), args=[value, *_]) if (
            attr in _WRITING and _may_be_parameter(aim, open_)
        ):
            yield Layout.VALUES, value
        case ast.Assign(targets=[ast.Attribute(attr="data", value=aim)], value=value) if (
            _may_be_parameter(aim, open_)
        ):
            yield Layout.VALUES, value
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name), slice=place)], value=value):
            if isinstance(place, ast.Slice) or getattr(place, "value", None) is ...:
                yield from [(Layout.VALUES, value)] if name in open_ else ()
            elif states and isinstance(place, ast.Name):
                yield Layout.ENTRIES, value
        case ast.DictComp(value=value, generators=generators) if states and any(
            _called(part) in _PARAMETERS for over in generators for part in ast.walk(over.iter)
        ):
            yield Layout.ENTRIES, value
        case ast.Call(args=[ast.Dict(values=values), *_]) if _called(node) == "load_state_dict":
            yield from ((Layout.ENTRIES, value) for value in values)


def _may_be_parameter(aim: ast.expr, open_: set[str]) -> bool:
    while isinstance(aim, ast.Subscript) or (isinstance(aim, ast.Attribute) and aim.attr == "data"):
        if isinstance(aim, ast.Subscript) and isinstance(aim.value, ast.Name):
            aim = aim.slice if isinstance(aim.slice, ast.Name) else aim.value
        else:
            aim = aim.value
    if isinstance(aim, ast.Name):
        return aim.id in open_
    return any(_called(part) in _PARAMETERS | {"get_parameter"} for part in ast.walk(aim))


def _is_placed(value: ast.expr, placed: set[str]) -> bool:
    """Return whether a value differs by position, and is the same in every framework."""
    for part in ast.walk(value):
        if isinstance(part, ast.Name) and part.id in placed:
            return True
        called = _called(part)
        if called in _DRAWN and not _is_even(part):
            return True
        if called in _PLACED and not all(map(_is_number, part.args)):  # type: ignore[attr-defined]
            return True
        if called in {"arange", "linspace", "eye"}:
            return True
    return False


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant)


def _is_even(node: ast.AST) -> bool:
    """Return whether a call returns equal values, or random ones that differ between frameworks."""
    called = _called(node)
    if called in _EVEN or called in _DRAWN_LIKE:
        return True
    if called not in _DRAWN:
        return False
    func = node.func  # type: ignore[attr-defined]
    return isinstance(func, ast.Name) or root(func.value) in _TORCH


def _shows(node: ast.AST, own: set[str]) -> bool:
    called = _called(node)
    if _is_even(node) or called in _SHAPELESS:
        return False
    match node:
        case ast.Call(func=ast.Name(id="int"), args=[ast.Attribute(attr="size")]):
            return False  # the number of values, as converted code has it
        case ast.Attribute(attr="shape" | "size" | "tolist" | "numpy", value=value):
            if root(value) in own:
                return True
        case ast.FormattedValue(value=value) if _is_whole(value, own):
            return True
        case ast.Call(args=given) if called in {"print", "str", "repr"}:
            if any(_is_whole(one, own) for one in given):
                return True
    return any(_shows(child, own) for child in ast.iter_child_nodes(node))


def _is_whole(node: ast.expr, own: set[str]) -> bool:
    while isinstance(node, ast.Attribute) and node.attr in {"data", "grad"}:
        node = node.value
    return isinstance(node, ast.Name) and node.id in own


def _keeps(value: ast.expr) -> bool:
    """Return whether a value contains the values of parameters, not just their shapes."""
    if not any(_called(part) in _COPIES for part in inside(value)):
        return False
    match value:
        case (
            ast.ListComp(elt=made, generators=[over]) | ast.DictComp(value=made, generators=[over])
        ):
            names = {getattr(part, "id", None) for part in ast.walk(over.target)}
            return not names.isdisjoint(_made_of(made))
    return True


def _targets(loop: ast.For | ast.comprehension) -> tuple[set[str], dict[str, str]]:
    """Return a loop's variables that hold parameters, and the origins of its other variables."""
    pairs = [(loop.target, loop.iter)]
    match loop.iter, loop.target:
        case ast.Call(func=ast.Name(id="zip"), args=parts), ast.Tuple(elts=targets):
            pairs = list(zip(targets, parts, strict=False))
        case ast.Call(func=ast.Name(id="enumerate"), args=[inner]), ast.Tuple(elts=[_, target]):
            pairs = [(target, inner)]
    own: set[str] = set()
    origins: dict[str, str] = {}
    for target, iterated in pairs:
        names = [part.id for part in ast.walk(target) if isinstance(part, ast.Name)]
        if any(_called(part) in _PARAMETERS for part in ast.walk(iterated)):
            own.update(names[-1:])  # its name may precede it
        else:
            origins.update(dict.fromkeys(names, root(iterated) or ""))
    return own, origins


def _within(loop: ast.For) -> Iterator[ast.AST]:
    for statement in loop.body:
        yield from inside(statement)


def _filling(node: ast.AST, own: set[str]) -> ast.expr | None:
    """Return the value that a node writes to a parameter: `p.data = w`, `p.data.copy_(w)`."""
    match node:
        case ast.Assign(targets=[ast.Attribute(attr="data", value=ast.Name(id=name))], value=value):
            return value if name in own else None
        case ast.Call(func=ast.Attribute(attr="copy_", value=filled), args=[value, *_]):
            return value if root(filled) in own else None
    return None


def _made_of(value: ast.AST) -> Iterator[str]:
    """Yield the last names that a value is computed from, except those that only set its shape."""
    if getattr(value, "attr", None) in _ABOUT or _called(value) in _ABOUT:
        return
    if isinstance(value, ast.Name | ast.Attribute | ast.Subscript):
        yield root(value) or ""
        return
    parts = ast.iter_child_nodes(value)
    if isinstance(value, ast.Call):
        of = [value.func.value] if isinstance(value.func, ast.Attribute) else []
        parts = iter(of if _called(value) in _SHAPING else [*of, *value.args])
    for part in parts:
        yield from _made_of(part)


def _called(node: ast.AST) -> str | None:
    if not isinstance(node, ast.Call):
        return None
    return getattr(node.func, "attr", getattr(node.func, "id", None))
