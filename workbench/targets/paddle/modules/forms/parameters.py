"""Parameters and buffers of a model: Paddle lists BatchNorm's statistics among the former."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace

from workbench.rules.difference import unless
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.source.traits.training import OPTIMIZER_NAMES
from workbench.targets.helpers import MODULE
from workbench.targets.paddle.common.writing import turned_weights
from workbench.targets.paddle.modules.rules import module

forms = FormSet()

_M = "torch.nn.Module"
_WITHOUT_COUNTER = (
    "`num_batches_tracked` of a BatchNorm is missing, since Paddle's has none; tensors"
    " that are ordinary attributes of a module are included"
)
_UNREGISTERED = unless(
    "if a module has a tensor as an attribute that is not registered: {target} counts it"
    " as a buffer"
)
_NAMED_BUFFERS = (
    "{self}.named_buffers(prefix={prefix}, include_sublayers={recurse},"
    " remove_duplicate={remove_duplicate})"
)
# Calls that return their argument, and the parameters in it.
_PASSING = frozenset({"list", "tuple", "iter", "set", "chain", "filter", "reversed"})
# Calls that skip parameters that require no gradient, or that have none.
_SKIPPING = frozenset({"clip_grad_norm_", "clip_grad_value_", "add_param_group"})
# Modules that converted code imports. In a partly converted file they replace torch.
_CONVERTED = ("paddle", MODULE)
_OPTIMIZERS_ARGUMENTS = frozenset({"lr", "parameters"})
_OF_THE_FIRST = frozenset({"device", "dtype", "is_cuda"})


@forms.form(f"{_M}.parameters", f"{_M}.named_parameters")
def parameters(match: Match) -> Outcome | None:
    """Skip statistics if the use of the parameters would show them."""
    named = match.use.name.endswith("named_parameters")
    if not match.program.may_hold_batch_norms(*_CONVERTED) or _skips_statistics(match):
        differs = turned_weights(match.program)
        if not differs or match.arguments:
            return None
        plain = Keep() if named else module.listed(match)
        return replace(plain, differs=differs)
    if not named:
        text = "torch_layer_parameters({self}, include_sublayers={recurse})"
        return Rewrite(f"iter({text})" if _may_be_stepped(match) else text)
    options = "prefix={prefix}, include_sublayers={recurse}, remove_duplicate={remove_duplicate}"
    return Rewrite(f"torch_named_parameters({{self}}, {options})")


@forms.form(f"{_M}.requires_grad_")
def requires_grad(match: Match) -> Outcome | None:
    """Skip statistics, which would require gradients too."""
    if (
        not match.program.may_hold_batch_norms(*_CONVERTED)
        or match.constant("requires_grad", True) is False
    ):
        return None
    return Rewrite("torch_layer_requires_grad({self}, {requires_grad})")


@forms.form(f"{_M}.buffers", f"{_M}.named_buffers")
def buffers(match: Match) -> Outcome | None:
    """Add the statistics, which Paddle lists as parameters; tensors of `self` are buffers there."""
    named = match.use.name.endswith("named_buffers")
    if not match.program.may_hold_batch_norms(*_CONVERTED):
        plain = Rewrite(_NAMED_BUFFERS) if named else module.listed(match)
        return replace(plain, differs=_UNREGISTERED)
    if match.given("remove_duplicate"):
        return None
    if not named:
        return Rewrite("torch_buffers({self}, {recurse})", caveat=_WITHOUT_COUNTER)
    text = "torch_named_buffers({self}, recurse={recurse}, prefix={prefix})"
    return Rewrite(text, consumed=frozenset({"remove_duplicate"}), caveat=_WITHOUT_COUNTER)


def _parents(statement: ast.stmt) -> dict[ast.AST, ast.AST]:
    return {child: one for one in ast.walk(statement) for child in ast.iter_child_nodes(one)}


def _may_be_stepped(match: Match) -> bool:
    """Return whether `next` may be called on the parameters, which are a list in Paddle."""
    parent = _parents(match.use.statement)[match.use.node]
    if isinstance(parent, ast.Call):
        return _last_name(parent) == "next"
    return isinstance(parent, ast.Assign | ast.AnnAssign | ast.Return | ast.Yield)


def _skips_statistics(match: Match) -> bool:
    """Return whether statistics, which require no gradients, do not affect the result."""
    statement = match.use.statement
    parents = _parents(statement)
    node: ast.AST = match.use.node
    while node is not statement:
        parent = parents[node]
        match parent:
            case ast.comprehension(iter=found, target=target) if found is node:
                return any(_is_guard(one, _variable(target)) for one in parent.ifs)
            case ast.For(iter=found, target=target) if found is node:
                return _spares_statistics(parent.body, _variable(target))
            case ast.Call():
                verdict = _call_skips(parent, parents)
                if verdict is not None:
                    return verdict
            case ast.Dict():
                return _is_group(parent, node)
            case ast.keyword(arg=name):
                if name == "params" and _last_name(parents[parent]) == "dict":
                    return True
            case ast.BinOp() | ast.Starred() | ast.List() | ast.Tuple():
                pass
            case _:
                return False
        node = parent
    return False


def _call_skips(call: ast.Call, parents: Mapping[ast.AST, ast.AST]) -> bool | None:
    """Return whether a call on parameters skips statistics, or None if it returns them."""
    name = _last_name(call) or ""
    if name in _SKIPPING or name in OPTIMIZER_NAMES:
        return True
    if any(keyword.arg in _OPTIMIZERS_ARGUMENTS for keyword in call.keywords):
        return True  # an optimizer under another name, or one of Paddle's
    if name == "next":
        reader = parents.get(call)
        return isinstance(reader, ast.Attribute) and reader.attr in _OF_THE_FIRST
    if name == "filter" and isinstance(call.args[0], ast.Lambda):
        test = call.args[0]
        if _is_guard(test.body, test.args.args[0].arg):
            return True
    return None if name in _PASSING else False


def _is_group(group: ast.Dict, node: ast.AST) -> bool:
    """Return whether parameters are those of an optimizer's group."""
    pairs = zip(group.keys, group.values, strict=True)
    keys = [key.value for key, value in pairs if value is node and isinstance(key, ast.Constant)]
    return keys == ["params"]


def _variable(target: ast.expr) -> str:
    """Return the variable that holds the parameter: `p` of `p`, and of `name, p`."""
    if isinstance(target, ast.Tuple):
        target = target.elts[-1]
    return target.id if isinstance(target, ast.Name) else ""


def _is_guard(test: ast.expr, name: str) -> bool:
    """Return whether a test excludes statistics: they have one dimension and no gradient."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return any(_is_guard(one, name) for one in test.values)
    text = ast.unparse(test)
    asks = (
        f"{name}.requires_grad",
        f"{name}.requires_grad == True",
        f"{name}.grad is not None",
        f"not {name}.stop_gradient",
    )
    sizes = (f"{name}.dim()", f"{name}.ndim", f"len({name}.shape)", f"len({name}.size())")
    return text in asks or any(
        text in (f"{one} > 1", f"{one} >= 2", f"{one} == 2") for one in sizes
    )


def _is_skipped(test: ast.expr, name: str) -> bool:
    """Return whether a test holds for all statistics."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        return any(_is_skipped(one, name) for one in test.values)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _is_guard(test.operand, name)
    text = ast.unparse(test)
    return text in (
        f"{name}.grad is None",
        f"{name}.requires_grad == False",
        f"{name}.stop_gradient",
    )


def _spares_statistics(body: list[ast.stmt], name: str) -> bool:
    """Return whether a loop's body does nothing to statistics: it skips or freezes them."""
    for statement in body:
        match statement:
            case ast.If(test=test, body=[ast.Continue()], orelse=[]) if _is_skipped(test, name):
                return True
            case ast.If(test=test, orelse=orelse):
                inner = () if _is_guard(test, name) else statement.body
                if not _spares_statistics([*inner, *orelse], name):
                    return False
            case _:
                if not _freezes(statement, name):
                    return False
    return True


def _freezes(statement: ast.stmt, name: str) -> bool:
    text = ast.unparse(statement)
    frozen = (
        f"{name}.requires_grad = False",
        f"{name}.requires_grad_(False)",
        f"{name}.stop_gradient = True",
    )
    return text in (*frozen, f"{name}.grad = None", "pass", "continue", "break")


def _last_name(node: ast.AST) -> str | None:
    function = node.func if isinstance(node, ast.Call) else node
    return getattr(function, "attr", getattr(function, "id", None))
