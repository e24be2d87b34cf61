"""Results of calls."""

from __future__ import annotations

import ast
from functools import partial

from workbench.findings import Certainty
from workbench.source.inference.context import Context
from workbench.source.inference.evidence.batches import holding
from workbench.source.inference.evidence.callbacks import of_hook, takes_tensors
from workbench.source.inference.expressions.binding import bind
from workbench.source.inference.expressions.numbers import note_arguments, note_drawn
from workbench.source.inference.expressions.numpy_functions import (
    DTYPE_PLACES,
    cast,
    of_numpy,
    of_scipy,
)
from workbench.source.inference.expressions.printing import PRINTING, note_printed
from workbench.source.inference.expressions.set_by_name import (
    NAMED_TUPLES,
    named_tuple,
    note_fields,
)
from workbench.source.inference.functions import call_function, call_with_tensors, new_object
from workbench.source.types import builtin_types
from workbench.source.types.lattice import (
    UNKNOWN,
    Foreign,
    ForeignInstance,
    ImportedFunction,
    Instance,
    Items,
    Method,
    OneOf,
    Partial,
    Plain,
    Tensor,
    TorchObject,
    UserClass,
    UserFunction,
    UserObject,
    Value,
    items_of,
)
from workbench.source.uses import Use, UseKind


def result_of(
    context: Context,
    callee: Value,
    values: list[Value],
    keywords: dict[str, Value],
    use: Use | None,
    node: ast.Call,
) -> Value:
    """Return the result of calling a value.

    Args:
        context: the walk.
        callee: the callee.
        values: the inferred positional arguments.
        keywords: the inferred keyword arguments.
        use: the use of torch that the call is, or None.
        node: the call.
    """
    _hand_over(context, callee, use, [*values, *keywords.values()])
    match callee:
        case TorchObject():
            known = partial(_indexed, context), partial(_collated, context)
            made = holding(callee.name, values, keywords, *known)
            return made or context.members.call(callee, values, keywords)
        case UserFunction():
            return call_function(context, callee, _spread(callee, node, values, keywords), keywords)
        case ImportedFunction():
            return callee.result
        case UserClass():
            note_fields(callee, values, keywords)
            return new_object(context, callee, values, keywords)
        case Partial():
            given = [*callee.bound, *values]
            named = dict(callee.named) | keywords
            return result_of(context, callee.func, given, named, None, node)
        case Foreign():
            return _of_foreign(context, callee, values, keywords, node)
        case UserObject():
            return _of_object(context, callee, values, keywords)
        case OneOf(options) if all(isinstance(one, _CALLED) for one in options):
            ordered = sorted(options, key=_line)
            results = [result_of(context, one, values, keywords, None, node) for one in ordered]
            return items_of("list", results).item
    if use is not None and use.name == "torch.autograd.Function.apply":
        return _of_autograd_function(context, use.receiver_value, values, keywords)
    if use is not None:
        return context.members.call_member(use, values, keywords)
    match callee:
        case Instance():
            return context.members.call_instance(callee, values)
        case ForeignInstance():
            return _of_foreign_object(context, callee, values, keywords, node)
        case Method():
            return _of_method(context, callee, values, node)
    return _cast(values, keywords, node) or _default(values, node)


# Objects of which one of several may be called.
_CALLED = (UserObject, UserFunction, TorchObject, Partial)


def _line(definition: Value) -> int:
    """Return the line of the class of an object, or of a function."""
    if isinstance(definition, UserObject):
        return definition.cls.node.lineno
    return definition.node.lineno if isinstance(definition, UserFunction) else 0


def _spread(
    callee: UserFunction, node: ast.Call, values: list[Value], keywords: dict[str, Value]
) -> list[Value]:
    """Return the arguments of `update(*batch)`: the items of a tuple, or tensors of one kind."""
    starred = [isinstance(one, ast.Starred) for one in node.args]
    unpacked = keywords.get("**")
    if starred.count(True) != 1 or not starred[-1] or not isinstance(unpacked, Items):
        return values
    held = (unpacked.items or (UNKNOWN,))[0]
    if isinstance(held, Items) and held.items is not None:
        return [*values[:-1], *held.items]
    if not isinstance(held, Items) or not isinstance(held.item, Tensor):
        return values
    arguments = callee.node.args
    required = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
    missing = required - len(values) + 1 - (callee.receiver is not None)
    return [*values[:-1], *[Tensor(Certainty.ASSUMED, held.item.dtype)] * missing]


def _cast(values: list[Value], keywords: dict[str, Value], node: ast.Call) -> Value | None:
    """Return the NumPy array of `x.astype(numpy.float32)`, or None for other calls."""
    casts = isinstance(node.func, ast.Attribute) and node.func.attr == "astype"
    return cast(node, values, keywords) if casts else None


def _default(values: list[Value], node: ast.Call) -> Value:
    """Return the tensor of `entries.setdefault(key, tensor)`, which a dictionary then holds."""
    sets = isinstance(node.func, ast.Attribute) and node.func.attr == "setdefault"
    if not sets or len(values) != 2 or not isinstance(values[1], Tensor):
        return UNKNOWN
    return Tensor(Certainty.ASSUMED, values[1].dtype)


def _hand_over(context: Context, callee: Value, use: Use | None, values: list[Value]) -> None:
    """Walk functions of the program that a torch function gets, and calls itself."""
    name = callee.name if isinstance(callee, TorchObject) else use.name if use else ""
    for function in values if name else ():
        if not isinstance(function, UserFunction):
            continue
        if takes_tensors(name):
            call_with_tensors(context, function)
        elif use is not None:
            module = use.receiver_value
            output: Value = UNKNOWN
            if isinstance(module, Instance):
                output = context.members.call_instance(module, [])
            if given := of_hook(name, module, output, function):
                call_function(context, function, given, {})


def _indexed(context: Context, data: Value) -> Value:
    """Return the items of a data set that the program defines, by index or in a stream."""
    getter = context.members.of_program(data, "__getitem__")
    if isinstance(getter, UserFunction):
        return call_function(context, getter, [Plain("int")], {})
    if isinstance(getter, ImportedFunction):
        return getter.result
    stream = context.members.of_program(data, "__iter__")
    if isinstance(stream, UserFunction):
        return context.members.element(call_function(context, stream, [], {}))
    return UNKNOWN


def _collated(context: Context, function: Value, samples: Value) -> Value:
    """Return the result of the program's own function or object for the samples of a batch."""
    bound = function.bound if isinstance(function, Partial) else ()
    function = function.func if isinstance(function, Partial) else function
    if isinstance(function, UserObject):
        function = context.members.of_program(function, "__call__")
    if isinstance(function, UserFunction):
        return call_function(context, function, [*bound, samples], {})
    return function.result if isinstance(function, ImportedFunction) else UNKNOWN


def _of_foreign_object(
    context: Context,
    callee: ForeignInstance,
    values: list[Value],
    keywords: dict[str, Value],
    node: ast.Call,
) -> Value:
    """Return the result of a method of an object of another package."""
    if callee.name.startswith("matplotlib.") and isinstance(node.func, ast.Attribute):
        note_drawn(context, node.func.attr, node, values)
    drawn = callee.name.startswith("numpy.random.") and "dtype" in keywords
    array = cast(node, [], keywords) if drawn else _cast(values, keywords, node)
    return array or callee


def _of_foreign(
    context: Context,
    callee: Foreign,
    values: list[Value],
    keywords: dict[str, Value],
    node: ast.Call,
) -> Value:
    """Return the result of a function or class of Python or of another package."""
    name = "builtins.dict" if callee.name == "collections.OrderedDict" else callee.name
    if name.startswith("numpy.") and values and isinstance(values[0], Tensor):
        return of_numpy(context, callee, node, values[0])
    if name.startswith("scipy.special."):
        of_scipy(context, name, node, values)
    if name.startswith("matplotlib."):
        note_drawn(context, name.rpartition(".")[2], node, values)
    place = DTYPE_PLACES.get(name)
    if name.startswith("numpy.") and ("dtype" in keywords or place is not None):
        array = cast(node, [] if place is None else values[place:], keywords, place or 0)
        if array is not None:
            return array
    note_arguments(context, name, node, values)
    if name in NAMED_TUPLES and (made := named_tuple(context, node)) is not None:
        return made
    if not name.startswith("builtins."):
        return builtin_types.call_foreign(callee, values)
    elements = [context.members.element(value) for value in values]
    _note_number(context, name[9:], node, values)
    if name == "builtins.map" and len(values) > 1:
        return _mapped(context, values, elements, node)
    if name in PRINTING:
        for argument, value in zip(node.args, values, strict=False):
            note_printed(context, argument, value)
    return builtin_types.call_builtin(name[9:], values, elements, keywords)


def _mapped(context: Context, values: list[Value], elements: list[Value], node: ast.Call) -> Value:
    """Return what `map` yields: `x, y = map(torch.from_numpy, (x, y))`."""
    function, *over = values
    items = [one.items if isinstance(one, Items) else None for one in over]
    known = [one for one in items if one is not None]
    if len(known) == len(over):
        calls = [list(given) for given in zip(*known, strict=False)]
        return items_of(
            "generator", [result_of(context, function, given, {}, None, node) for given in calls]
        )
    return Items("generator", result_of(context, function, elements[1:], {}, None, node))


def _of_object(
    context: Context, callee: UserObject, values: list[Value], keywords: dict[str, Value]
) -> Value:
    """Return the result of calling an object of one of the program's classes."""
    forward = context.members.of_program(callee, "forward")
    if not isinstance(forward, UserFunction | ImportedFunction):
        forward = context.members.of_program(callee, "__call__")
    if isinstance(forward, UserFunction):
        return call_function(context, forward, values, keywords)
    if isinstance(forward, ImportedFunction):
        return forward.result
    base = callee.cls.torch_base()
    return context.members.call_instance(Instance(base), values) if base else UNKNOWN


def _of_autograd_function(
    context: Context, cls: Value, values: list[Value], keywords: dict[str, Value]
) -> Value:
    """Return the result of `apply` of a `torch.autograd.Function`, which calls `forward`."""
    forward = context.members.of_program(cls, "forward")
    if not isinstance(forward, UserFunction):
        return UNKNOWN
    apart = context.members.of_program(cls, "setup_context") is not UNKNOWN
    return call_function(context, forward, values if apart else [UNKNOWN, *values], keywords)


def _of_method(context: Context, method: Method, values: list[Value], node: ast.Call) -> Value:
    """Return the result of a method of Python's containers; rebind a receiver that it changes."""
    if method == Method(Plain("str"), "format"):
        for argument, value in zip(node.args, values, strict=False):
            note_printed(context, argument, value)
    changed = builtin_types.after(method, values)
    if changed is not None and isinstance(node.func, ast.Attribute):
        bind(context, node.func.value, changed)
    found = builtin_types.call_method(method)
    return _default(values, node) if found is UNKNOWN else found


def _note_number(context: Context, name: str, node: ast.Call, values: list[Value]) -> None:
    """Record `int(x)` and similar calls for a tensor that may have dimensions of size one.

    Also records `bool(x)` of a tensor that may not be boolean. An earlier conversion left the
    result of the target's own call as it is. A call that a later walk finds with something else is
    no longer sure to be about a tensor.
    """
    value = values[0] if len(values) == 1 else None
    if name not in {"int", "float", "bool", "complex"} or not node.args:
        return
    if not isinstance(value, Tensor) or value.certainty is not Certainty.PROVED:
        context.doubt(node)
        return
    given = node.args[0]
    if isinstance(given, ast.Call) and id(given.func) in context.of_target:
        return
    plain = value.dtype == "bool" if name == "bool" else value.scalar
    if not plain and not isinstance(given, ast.Starred):
        use = context.use(f"torch.Tensor.__{name}__", UseKind.UNBOUND, node, value.certainty)
        use.owner, use.values = "torch.Tensor", []
        context.keep(use)
