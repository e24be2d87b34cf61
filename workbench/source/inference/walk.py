"""The walk over a program: statements in order, branches joined, functions when needed.

A function's body is walked once, when its result is first needed or else at the end, in the scope
that defines it. Functions whose parameters have no evidence of their own are walked again at the
end, with the arguments of the program's calls.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from workbench.source.inference.context import Context, Expressions, Statements
from workbench.source.inference.expressions import calls, displays, indexing, names, operators
from workbench.source.inference.functions import walk_functions
from workbench.source.inference.modules import Neighbours, Summary, reexporting, summary
from workbench.source.inference.statements import (
    assignments,
    control_flow,
    definitions,
    importing,
    simple,
)
from workbench.source.inference.torch_types import Members
from workbench.source.types.lattice import (
    UNKNOWN,
    Items,
    OneOf,
    Plain,
    Table,
    Tensor,
    TorchObject,
    UserClass,
    UserFunction,
    UserObject,
    Value,
)
from workbench.upstream.facts import Facts


def context_for(
    facts: Facts, live: dict[str, Value] | None = None, neighbours: Neighbours | None = None
) -> Context:
    """Return the state at the start of a walk.

    Args:
        facts: torch's names.
        live: values of names before the program runs.
        neighbours: the other modules of the program's project.
    """
    context = Context(
        facts, _EXPRESSIONS, _STATEMENTS, Members(facts), live=live or {}, neighbours=neighbours
    )
    context.scope.names.update(context.live)
    context.scopes.append(context.scope)
    return context


def walk(context: Context, tree: ast.Module, live_from: int = 0) -> None:
    """Walk a whole program, whose first `live_from` lines created the live objects."""
    context.program = tree
    if context.neighbours is not None:
        context.reexporting = reexporting(tree)
    _hoist(context, tree.body)
    if live_from:
        context.block(one for one in tree.body if one.lineno <= live_from)
        _revive(context)
    _walk_statements(context, [one for one in tree.body if one.lineno > live_from])
    walk_functions(context)


def _walk_statements(context: Context, body: list[ast.stmt]) -> None:
    watch = context.watch
    if watch is None or watch.key is not None:
        context.block(body)
        return
    context.block(body[: watch.start])
    with watch.around(context):
        context.block(body[watch.start : watch.stop])
    context.block(body[watch.stop :])


def _revive(context: Context) -> None:
    """Replace inferred values by live types where these are more precise."""
    names = context.scope.names
    for name, value in context.live.items():
        inferred = names.get(name, UNKNOWN)
        if value is UNKNOWN or isinstance(inferred, _TELLING):
            continue
        if isinstance(value, Tensor) and isinstance(inferred, Tensor):
            value = Tensor(value.certainty, inferred.dtype)
        if not (isinstance(value, Items | Table) and type(inferred) is type(value)):
            names[name] = value


def summary_of(context: Context, tree: ast.Module) -> Summary:
    """Return the summary of this module for other files of the program."""
    return summary(tree, context.scope.names, context.functions.results, context.found.stars)


def release(context: Context) -> None:
    """Break the reference cycles of scopes, classes and methods, so that their memory is freed.

    The bases of the program's classes, which include torch's, are kept.
    """
    for scope in context.scopes:
        scope.names.clear()
        scope.parent = None
    for cls in context.classes:
        cls.members.clear()
        cls.attributes.clear()
    for function in context.functions.walked:
        function.owner = None
        function.receiver = None


def _hoist(context: Context, body: Iterable[ast.stmt]) -> None:
    """Bind the definitions of a module before walking it: functions use later definitions."""
    for statement in body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            context.statement = statement
            importing.import_names(context, statement, note=False)
        elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            context.scope.names.setdefault(statement.name, UserFunction(statement, context.scope))
        elif isinstance(statement, ast.If | ast.Try):
            _hoist(context, statement.body)
            _hoist(context, statement.orelse)


def kept_apart(context: Context) -> list[ast.Attribute]:
    """Return where modules assign tensors that a target may hide, or store differently.

    Their name is that of a constant of the class, or it sometimes holds a number. Parameters do not
    count, as torch keeps them too where the class hides them, nor do registered buffers, which
    accept only tensors.
    """
    found = []
    buffers = _registered_buffers(context)
    for cls, target in context.found.kept_tensors.values():
        if target.attr in buffers:
            continue
        owner, value = cls.torch_base(), cls.attribute(target.attr)
        if context.facts.member(owner or "", "parameters") != "torch.nn.Module.parameters":
            continue
        options = value.options if isinstance(value, OneOf) else ()
        changes = any(isinstance(one, Plain | Items) for one in options)
        if changes or isinstance(cls.find(target.attr), Plain):
            found.append(target)
    return sorted(found, key=lambda one: (one.lineno, one.col_offset))


def _registered_buffers(context: Context) -> set[object]:
    """Return the names under which the program registers buffers."""
    found = set[object]()
    for use in context.found.uses.values():
        if use.name == "torch.nn.Module.register_buffer" and isinstance(use.node, ast.Call):
            named = [one.value for one in use.node.keywords if one.arg == "name"]
            found |= {getattr(one, "value", None) for one in (*use.node.args[:1], *named)}
    return found


# Values of a program's own classes and functions are more precise than a type name.
_TELLING = (UserClass, UserFunction, UserObject, TorchObject)

_EXPRESSIONS: Expressions = {
    ast.Name: names.name,
    ast.Attribute: names.attribute,
    ast.Call: calls.call,
    ast.BinOp: operators.binary,
    ast.UnaryOp: operators.unary,
    ast.BoolOp: operators.boolean,
    ast.Compare: operators.comparison,
    ast.IfExp: operators.conditional,
    ast.Subscript: indexing.subscript,
    ast.Slice: indexing.slice_,
    ast.Constant: displays.constant,
    ast.List: displays.display,
    ast.Tuple: displays.display,
    ast.Set: displays.display,
    ast.Dict: displays.mapping,
    ast.Starred: displays.starred,
    ast.JoinedStr: displays.joined,
    ast.FormattedValue: displays.formatted,
    ast.NamedExpr: displays.walrus,
    ast.Lambda: displays.lambda_,
    ast.Await: displays.await_,
    ast.YieldFrom: displays.yield_,
    ast.Yield: displays.yield_,
    ast.ListComp: displays.comprehension,
    ast.SetComp: displays.comprehension,
    ast.DictComp: displays.comprehension,
    ast.GeneratorExp: displays.comprehension,
}
_STATEMENTS: Statements = {
    ast.Expr: simple.expression,
    ast.Delete: simple.delete,
    ast.Return: simple.return_,
    ast.Assert: simple.assert_,
    ast.Raise: simple.raise_,
    ast.Global: simple.global_,
    ast.Nonlocal: simple.nonlocal_,
    ast.Assign: assignments.assign,
    ast.AnnAssign: assignments.annotated,
    ast.AugAssign: assignments.augmented,
    ast.If: control_flow.if_,
    ast.For: control_flow.for_,
    ast.AsyncFor: control_flow.for_,
    ast.While: control_flow.while_,
    ast.With: control_flow.with_,
    ast.AsyncWith: control_flow.with_,
    ast.Try: control_flow.try_,
    ast.TryStar: control_flow.try_,
    ast.Match: control_flow.match,
    ast.FunctionDef: definitions.function,
    ast.AsyncFunctionDef: definitions.function,
    ast.ClassDef: definitions.class_,
    ast.Import: importing.import_names,
    ast.ImportFrom: importing.import_names,
}
