"""Definitions of functions and classes."""

from __future__ import annotations

import ast

from workbench.findings import Certainty
from workbench.source.inference.annotations import annotation
from workbench.source.inference.context import Context
from workbench.source.inference.evidence import parameters, tensor_states
from workbench.source.inference.target_names import is_helper, name_of_target
from workbench.source.types.lattice import Scope, TorchObject, UserClass, UserFunction, Value
from workbench.source.uses import UseKind

# Methods that only torch calls, during saving, loading and dispatch.
_CALLED_BY_TORCH = frozenset(
    {
        "get_extra_state",
        "set_extra_state",
        "_load_from_state_dict",
        "_save_to_state_dict",
        "__torch_function__",
    }
)


def function(context: Context, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    owner = _class_of_scope(context)
    function = UserFunction(node, context.scope, owner)
    for decorator in node.decorator_list:
        context.eval(decorator)
        if tensor_states.enters_inference(context.found.uses.get(id(decorator))):
            context.functions.for_inference.add(function.key)
    for parameter, default, _ in parameters.parameters(node.args):
        annotation(context, parameter.annotation)
        context.eval(default)
    annotation(context, node.returns)
    if owner is None and _bind_helper(context, node):
        return
    context.scopes.append(context.scope)
    context.scope.bind(node.name, function)
    if owner is not None:
        owner.members[node.name] = function
    context.functions.pending.append(function)


def class_(context: Context, node: ast.ClassDef) -> None:
    for decorator in node.decorator_list:
        context.eval(decorator)
    bases: list[Value] = []
    for base in node.bases:
        value = context.eval(base)
        if isinstance(value, TorchObject) and (use := context.found.uses.get(id(base))):
            use.kind = UseKind.BASE
        bases.append(value)
    for keyword in node.keywords:
        context.eval(keyword.value)
    cls = UserClass(node, context.scope, tuple(bases))
    _note_joined(cls)
    context.scope.bind(node.name, cls)
    outer = context.scope
    context.scope = Scope("class", outer)
    context.scopes += [outer, context.scope]
    context.classes.append(cls)
    context.open_classes[id(context.scope)] = cls
    try:
        context.block(node.body)
        for name, value in context.scope.names.items():
            cls.members.setdefault(name, value)
        _note_overrides(context, cls)
    finally:
        del context.open_classes[id(context.scope)]
        context.scope = outer
    of_target = bool(bases) and all(isinstance(one, TorchObject) and one.ported for one in bases)
    _bind_helper(context, node, of_target)


def _note_joined(cls: UserClass) -> None:
    """Note the torch class of a class at those of its bases that have none themselves."""
    torch_base = cls.torch_base()
    for base in cls.bases:
        if isinstance(base, UserClass) and torch_base is not None:
            base.join_to(torch_base)


def _bind_helper(
    context: Context,
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef,
    of_target: bool = False,
) -> bool:
    """Bind a helper that replaces a torch function or class to that, whose members it has.

    Args:
        context: the walk.
        node: the definition of a function or class.
        of_target: whether it is a class whose bases are all the target's.

    Returns:
        False if it is no helper, or replaces no single name of torch.
    """
    known = of_target or is_helper(context, node)
    meant = name_of_target(context, node.name) if known else None
    if not isinstance(meant, TorchObject):
        return False
    context.scope.bind(node.name, meant)
    return True


def _note_overrides(context: Context, cls: UserClass) -> None:
    """Record overrides of methods that torch calls itself, and another framework may not."""
    base = cls.torch_base()
    for method in cls.node.body if base is not None else ():
        if not isinstance(method, ast.FunctionDef) or method.name not in _CALLED_BY_TORCH:
            continue
        name = context.facts.member(base or "", method.name)
        if name is None:
            continue
        at = method.col_offset + len("def ")
        node = ast.Name(
            method.name,
            ast.Load(),
            lineno=method.lineno,
            col_offset=at,
            end_lineno=method.lineno,
            end_col_offset=at + len(method.name),
        )
        context.statement = method
        context.note(name, UseKind.OVERRIDE, node, Certainty.PROVED)


def _class_of_scope(context: Context) -> UserClass | None:
    return context.open_classes.get(id(context.scope))
