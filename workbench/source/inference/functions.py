"""Functions and classes of the program: when their bodies are walked, and their results."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TypeGuard

from workbench.findings import Certainty
from workbench.source.inference.annotations import annotated
from workbench.source.inference.context import Context, Frame
from workbench.source.inference.evidence import callbacks, parameters, tensor_states
from workbench.source.tree import unparsed, within
from workbench.source.types.lattice import (
    ASSUMED_TENSOR,
    MIXED,
    NONE,
    UNKNOWN,
    UNSURE,
    ImportedFunction,
    Items,
    Passed,
    Plain,
    Scope,
    Table,
    Tensor,
    TorchObject,
    UserClass,
    UserFunction,
    UserObject,
    Value,
    alternatives,
    join,
)
from workbench.source.types.sameness import alike

Function = ast.FunctionDef | ast.AsyncFunctionDef
# Defaults that show a parameter's type.
_DEFAULTS = (UserClass, UserFunction, ImportedFunction, Plain)
_TO_NUMBERS = {f"torch.Tensor.__{name}__" for name in ("int", "float", "bool", "complex")}
_ROUNDS = 3  # further walks of a function about whose calls more is known
_INITIALISERS = ("__init__", "__post_init__", "setup", "build", "_build", "reset_parameters")


def walk_functions(context: Context) -> None:
    """Walk the functions that no call required; then again those whose calls add information."""
    _finish(context)
    again = [function for function in context.functions.walked if _learned(context, function)]
    for _ in range(_ROUNDS):
        if not again:
            break
        again = _walked_again(context, again)
        _finish(context)
    widened = [one for one in context.functions.walked if one.owner and one.owner.widened]
    if widened:
        _walked_again(context, widened)
        _finish(context)


def _walked_again(context: Context, functions: list[UserFunction]) -> list[UserFunction]:
    """Walk functions again; return those of which more is known, or whose calls return dtypes."""
    known = context.functions
    before = {one.key: known.results.pop(one.key, None) for one in functions}
    for function in functions:
        _walk_function(context, function)
    results = ((key, value, known.results.get(key, UNKNOWN)) for key, value in before.items())
    typed = [key for key, old, new in results if _has_dtype(new) and not _has_dtype(old)]
    callers = {caller for key in typed for caller in known.passed_by.get(key, ())}
    return [
        one
        for one in known.walked
        if (one.key in callers and not _lost(context, one)) or _learned(context, one)
    ]


def returned(context: Context, value: Value) -> None:
    """Add a return value of the function that is being walked."""
    if context.frames:
        context.frames[-1].returns.append(value)


def function_walked(context: Context) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """Return the function that is being walked, or None outside of functions."""
    node = context.frames[-1].function.node if context.frames else None
    return node if isinstance(node, Function) else None


def _finish(context: Context) -> None:
    """Walk every function that no call required."""
    while context.functions.pending:
        function = context.functions.pending.pop(0)
        context.functions.walked.append(function)
        if function.owner is not None:
            _initialise(context, function.owner)  # in its own order, `__init__` before the others
        if function.key not in context.functions.results:
            _walk_function(context, function)


def _learned(context: Context, function: UserFunction) -> bool:
    """Return whether calls pass something to a parameter of otherwise unknown type.

    Also True for a tensor of a known dtype, after the function was walked without one. False if the
    function was walked with the same values.
    """
    known, key = context.functions, function.key
    if alike(known.passed.get(key, {}), known.walked_with.get(key, {})):
        return False
    return any(
        (
            isinstance(value, Tensor)
            and (value.dtype or MIXED in value.states)
            and (key, name) in known.of_open_dtype
        )
        or (value is not UNKNOWN and _own_evidence(context, function, name) is UNKNOWN)
        for name, value in known.passed.get(key, {}).items()
    )


def _has_dtype(value: Value | None) -> bool:
    return isinstance(value, Tensor) and value.dtype is not None


def _lost(context: Context, function: UserFunction) -> bool:
    """Return whether less is known of a parameter than when the function was walked last."""
    passed = context.functions.passed.get(function.key, {})
    before = context.functions.walked_with.get(function.key, {})
    return any(
        value is not UNKNOWN and passed.get(name, UNKNOWN) is UNKNOWN
        for name, value in before.items()
    )


def _own_evidence(context: Context, function: UserFunction, name: str) -> Value:
    if name == "*":
        return UNKNOWN
    for parameter, default, kind in parameters.parameters(function.node.args):
        if parameter.arg == name and not kind:
            return _value_of_parameter(context, function, parameter, default, {}, None)
    return UNKNOWN


def call_function(
    context: Context, function: UserFunction, values: list[Value], keywords: dict[str, Value]
) -> Value:
    given = _remember_call(context, function, values, keywords)
    if isinstance(function.node, ast.Lambda):
        return _walk_function(context, function)
    if function.key in context.active:
        return UNKNOWN
    if function.key not in context.functions.results:
        _walk_function(context, function)
    result = context.functions.results.get(function.key, UNKNOWN)
    if not isinstance(result, Passed):
        return result
    value = given.get(result.parameter, UNKNOWN)
    return result.value if value is UNKNOWN else value


def call_with_tensors(context: Context, function: UserFunction) -> None:
    context.functions.with_tensors.add(function.key)
    call_function(context, function, [], {})


def _remember_call(
    context: Context, function: UserFunction, values: list[Value], keywords: dict[str, Value]
) -> dict[str, Value]:
    """Record the arguments of a call, and return them by parameter.

    A result for arguments of another kind does not hold for this call.
    """
    context.functions.passed.setdefault(function.key, {})
    caller = _caller(context)
    if (function.key, caller) in context.functions.called_before:
        _forget_call(context, function.key, caller)
    passed = context.functions.passed[function.key]
    by_caller = context.functions.passed_by.setdefault(function.key, {})
    mine = by_caller.setdefault(caller, {})
    names = [
        parameter.arg
        for parameter, _, kind in parameters.parameters(function.node.args)
        if not kind
    ]
    if _is_bound(function):
        names = names[1:]
    given = [*zip(names, values, strict=False), *keywords.items()]
    if function.node.args.vararg is not None:
        first = len(function.node.args.posonlyargs) + len(function.node.args.args)
        first -= _is_bound(function)
        given += [("*", value) for value in values[first:]]
    for name, value in given:
        known = passed.get(name, UNKNOWN)
        if value is UNKNOWN and _is_made_number(known, name, context, function):
            context.functions.results.pop(function.key, None)
            value = Tensor(Certainty.ASSUMED, known.dtype)
        elif name in passed and _is_of_another_kind(known, value):
            context.functions.results.pop(function.key, None)
        passed[name] = join(known, value) if name in passed else value
        mine[name] = join(mine[name], value) if name in mine else value
    return dict(given)


def _caller(context: Context) -> int:
    """Return the key of the function that is being walked, and whose calls count as its own."""
    named = (one.function for one in reversed(context.frames))
    return next((one.key for one in named if not isinstance(one.node, ast.Lambda)), 0)


def _forget_call(context: Context, function: int, caller: int) -> None:
    """Forget what an earlier walk of a function passed to another, which it calls again."""
    known = context.functions
    known.called_before.discard((function, caller))
    known.passed_by[function].pop(caller, None)
    passed = known.passed[function] = dict[str, Value]()
    for values in known.passed_by[function].values():
        for name, value in values.items():
            passed[name] = join(passed[name], value) if name in passed else value


def _is_made_number(
    known: Value, name: str, context: Context, function: UserFunction
) -> TypeGuard[Tensor]:
    """Return whether a proved tensor was passed to a function that converts tensors to numbers.

    `int(i)` and `x.view(i)` within it mean another call if `i` is a number already, as a later call
    may pass it.
    """
    if not isinstance(known, Tensor) or known.certainty is not Certainty.PROVED:
        return False
    if isinstance(function.node, ast.Lambda):
        return False  # walked at each call
    inner = (context.found.uses.get(id(one)) for one in within(function.node))
    return any(
        use is not None and (use.name in _TO_NUMBERS or use.counts_tensor(name)) for use in inner
    )


def _is_of_another_kind(known: Value, value: Value) -> bool:
    """Return whether calls pass an object of another class, or something else than a tensor."""
    if UNKNOWN in (known, value) or NONE in (known, value):
        return False
    if isinstance(known, UserObject) and isinstance(value, UserObject):
        return known.cls is not value.cls
    return type(known) is not type(value) and value not in alternatives(known)


def new_object(
    context: Context, cls: UserClass, values: list[Value], keywords: dict[str, Value]
) -> Value:
    constructor = cls.find("__init__")
    if isinstance(constructor, UserFunction):
        bound = UserFunction(constructor.node, constructor.scope, cls, UserObject(cls))
        _remember_call(context, bound, values, keywords)
    _initialise(context, cls)
    return UserObject(cls)


def _initialise(context: Context, cls: UserClass) -> None:
    """Walk the methods that set the attributes of a class, base classes first."""
    if cls.key in context.functions.initialised:
        return
    context.functions.initialised.add(cls.key)
    for base in cls.bases:
        if isinstance(base, UserClass):
            _initialise(context, base)
    for name in _INITIALISERS:
        method = cls.members.get(name)
        if isinstance(method, UserFunction) and method.key not in context.functions.results:
            _walk_function(context, method)


def walk_again(context: Context, function: UserFunction) -> Value:
    """Walk a function as if for the first time."""
    return _walk_function(context, function)


def _walk_function(context: Context, function: UserFunction) -> Value:
    watch = context.watch
    if watch is None or watch.key != function.key:
        return _walk_body(context, function)
    with watch.around(context, function):
        return _walk_body(context, function)


def _walk_body(context: Context, function: UserFunction) -> Value:
    node = function.node
    if function.key in context.active or len(context.active) > 40:
        return UNKNOWN
    outer_scope, outer_statement = context.scope, context.statement
    outer_inferring, context.inferring = (
        context.inferring,
        function.key in context.functions.for_inference,
    )
    returns: list[Value] = []
    if function.key in context.functions.walked_with:
        calls = context.functions.passed_by.items()
        called = {(key, function.key) for key, given in calls if function.key in given}
        context.functions.called_before.update(called)
    context.active.add(function.key)
    context.frames.append(Frame(function, returns))
    context.scope = Scope("function", function.scope)
    try:
        _bind_parameters(context, function)
        begun = dict(context.scope.names)
        if isinstance(node, ast.Lambda):
            # A call may be far from the lambda, but its uses belong to the lambda's statement.
            context.statement = context.functions.homes.setdefault(function.key, context.statement)
            returns.append(context.eval(node.body))
        else:
            context.statement = node
            context.block(node.body)
    finally:
        context.frames.pop()
        context.active.discard(function.key)
        context.scope, context.statement = outer_scope, outer_statement
        context.inferring = outer_inferring
    result = returns[0] if returns else NONE
    for value in returns[1:]:
        result = join(result, value)
    if isinstance(node, Function):
        declared = annotated(context, node.returns, function.scope)
        if declared is not UNKNOWN and result in (UNKNOWN, NONE):
            result = declared
        item = context.functions.yielded.get(function.key)
        if item is not None:
            known = item is UNKNOWN and isinstance(declared, Items)
            result = declared if known else Items("generator", item)
    if function.key in context.functions.for_inference:
        result = tensor_states.for_inference(result)
    name = _returned_parameter(node)
    unchanged = name is not None and begun.get(name, UNKNOWN) == result is not UNKNOWN
    context.functions.results[function.key] = Passed(name, result) if name and unchanged else result
    return result


def _returned_parameter(node: ast.AST) -> str | None:
    """Return the parameter that every return statement of a function returns, or None."""
    if not isinstance(node, ast.FunctionDef):
        return None
    parts = within(node)
    returns = [each.value for each in parts if isinstance(each, ast.Return)]
    names = {each.id if isinstance(each, ast.Name) else "" for each in returns}
    name = names.pop() if len(names) == 1 else ""
    taken = {parameter.arg for parameter, _, kind in parameters.parameters(node.args) if not kind}
    rebound = any(
        isinstance(each, ast.Name) and each.id == name and not isinstance(each.ctx, ast.Load)
        for each in parts
    )
    return name if name in taken and not rebound else None


def _bind_parameters(context: Context, function: UserFunction) -> None:
    passed = context.functions.passed.get(function.key, {})
    context.functions.walked_with[function.key] = passed.copy()
    body = parameters.BodyEvidence(function.node, context.facts)
    receiver = _receiver_of(context, function)
    for index, (parameter, default, kind) in enumerate(parameters.parameters(function.node.args)):
        if index == 0 and receiver is not None:
            value = receiver
        elif kind == "**":
            value = Table(UNKNOWN)
        elif kind == "*":
            value = passed.get("*", UNKNOWN)
            if value is UNKNOWN and (
                _is_forward(context, function) or _is_differentiated(function, parameter)
            ):
                value = ASSUMED_TENSOR
            value = Items("tuple", value)
        else:
            value = _value_of_parameter(context, function, parameter, default, passed, body)
            if isinstance(value, Tensor) and value.dtype is None:
                context.functions.of_open_dtype.add((function.key, parameter.arg))
            if isinstance(value, Tensor) and not value.recorded:
                value = replace(value, states=value.states | {UNSURE})
        context.scope.names[parameter.arg] = value


def _receiver_of(context: Context, function: UserFunction) -> Value | None:
    if function.owner is None or isinstance(function.node, ast.Lambda):
        return None
    decorators = _decorators(function)
    if "staticmethod" in decorators:
        return None
    _initialise(context, function.owner)
    return function.owner if "classmethod" in decorators else UserObject(function.owner)


def _value_of_parameter(
    context: Context,
    function: UserFunction,
    parameter: ast.arg,
    default: ast.expr | None,
    passed: dict[str, Value],
    body: parameters.BodyEvidence | None,
) -> Value:
    value = annotated(context, parameter.annotation, function.scope)
    called = passed.get(parameter.arg, UNKNOWN)
    if isinstance(value, Tensor) and isinstance(called, Tensor):
        return replace(called, certainty=value.certainty)  # an annotation names no dtype
    if value is not UNKNOWN:
        return value
    if isinstance(called, TorchObject):
        called = replace(called, certainty=Certainty.ASSUMED, indirect=True)
    is_mapping = body is not None and body.is_mapping(parameter.arg)
    if is_mapping and called == ASSUMED_TENSOR:
        called = UNKNOWN
    if called is not UNKNOWN and called != Plain("NoneType"):
        return called
    if body is not None and (used := body.of(parameter.arg)) is not UNKNOWN:
        return used
    if default is not None:
        outer, context.scope = context.scope, function.scope
        named = context.quiet(default)
        context.scope = outer
        if named == TorchObject("torch"):
            return UNKNOWN  # one library of several that callers pass
        if isinstance(named, TorchObject):
            return replace(named, certainty=Certainty.ASSUMED, indirect=True)
        if isinstance(named, _DEFAULTS) and named != Plain("NoneType"):
            return named
    if is_mapping:
        return UNKNOWN
    if _is_forward(context, function) or _is_differentiated(function, parameter):
        return ASSUMED_TENSOR
    if function.key in context.functions.with_tensors and callbacks.may_be_tensor(parameter.arg):
        return ASSUMED_TENSOR if parameter.arg in callbacks.required(function) else UNKNOWN
    return parameters.by_convention(parameter.arg)


def _is_forward(context: Context, function: UserFunction) -> bool:
    owner, node = function.owner, function.node
    if owner is None or isinstance(node, ast.Lambda):
        return False
    called = node.name == "__call__" and _is_of_target(owner)
    if not called and not node.name.startswith("forward"):
        return False
    base = owner.torch_base()
    return base is not None and (
        context.facts.member(base, "parameters") == "torch.nn.Module.parameters"
    )


def _is_of_target(cls: UserClass) -> bool:
    """Return whether a class of layers is converted already."""
    return any(
        (isinstance(base, TorchObject) and bool(base.ported))
        or (isinstance(base, UserClass) and base is not cls and _is_of_target(base))
        for base in cls.bases
    )


def _is_differentiated(function: UserFunction, parameter: ast.arg) -> bool:
    """Return whether it is the first input or a gradient of a `torch.autograd.Function`."""
    owner, node = function.owner, function.node
    if owner is None or owner.torch_base() != "torch.autograd.Function":
        return False
    if isinstance(node, ast.Lambda) or node.name not in {"forward", "backward"}:
        return False
    names = [one.arg for one in node.args.args]
    inputs = names[2 if "classmethod" in _decorators(function) else 1 :]  # after the context
    if node.name == "forward":
        return parameter.arg in inputs[:1]
    return parameter is node.args.vararg or parameter.arg in inputs


def yields(context: Context, value: Value) -> None:
    if context.frames:
        key = context.frames[-1].function.key
        context.functions.yielded[key] = (
            join(context.functions.yielded[key], value)
            if key in context.functions.yielded
            else value
        )


def with_evidence(context: Context, name: str, value: Value) -> Value:
    """Return a variable's value, or the function's evidence about it if unknown."""
    if (
        value is not UNKNOWN
        or not context.frames
        or isinstance(context.frames[-1].function.node, ast.Lambda)
    ):
        return value
    return parameters.BodyEvidence(context.frames[-1].function.node, context.facts).of(name)


def is_no_tensor(context: Context, receiver: ast.expr) -> bool:
    if not context.frames:
        return False
    return parameters.BodyEvidence(context.frames[-1].function.node, context.facts).is_no_tensor(
        receiver
    )


def enclosing_class(context: Context) -> tuple[UserClass, Value] | None:
    for function, _ in reversed(context.frames):
        if function.owner is not None:
            return function.owner, UserObject(function.owner)
    return None


def _decorators(function: UserFunction) -> set[str]:
    if isinstance(function.node, ast.Lambda):
        return set()
    return {unparsed(decorator) for decorator in function.node.decorator_list}


def _is_bound(function: UserFunction) -> bool:
    """Return whether a call passes its receiver implicitly, as the first argument."""
    arguments = function.node.args
    if function.receiver is None or not (arguments.posonlyargs or arguments.args):
        return False
    decorators = _decorators(function)
    if "classmethod" in decorators:
        return True
    return "staticmethod" not in decorators and not isinstance(function.receiver, UserClass)
