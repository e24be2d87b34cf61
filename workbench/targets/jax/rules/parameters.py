"""Parameters, buffers and states of models, by torch's names and in torch's layouts."""

from __future__ import annotations

import ast

from workbench.rules.difference import Difference, Differs, unless
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet
from workbench.source.tree import inside
from workbench.source.types.lattice import Instance

rules = RuleSet()
_M = "torch.nn.Module."
_LISTED = {
    "parameters": "torch_parameters({self}, {recurse}).values()",
    "named_parameters": "torch_parameters({self}, {recurse}).items()",
    "buffers": "torch_buffers({self}, {recurse}).values()",
    "named_buffers": "torch_buffers({self}, {recurse}).items()",
}


@rules.rule(*(_M + name for name in _LISTED if name != "parameters"))
def listed(match: Match) -> Outcome:
    """Write the variables of a model; `next` needs an iterator."""
    if match.given("prefix", "remove_duplicate"):
        return Refusal("its arguments `prefix` and `remove_duplicate` have no equivalent")
    text = _LISTED[match.use.name.rpartition(".")[2]]
    node = match.use.node
    asked = any(
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id == "next"
        and call.args[:1] == [node]
        for call in inside(match.use.statement)
    )
    statement = match.use.statement
    if isinstance(statement, ast.Assign) and statement.value is node:
        asked = match.program.calls("next")
    left = frozenset(match.arguments) - {"recurse"}
    left |= {name for name in ("recurse",) if name in match and match.is_default(name)}
    return Rewrite(f"iter({text})" if asked else text, consumed=left)


rules.row(_M + "apply", "torch_apply({self}, {fn})")
_FUNCTIONS: Differs = unless(
    "if a layer without weights, such as nn.ReLU, is looked for: it is a function in {target}, and"
    " not among the modules"
)


@rules.rule(_M + "modules", _M + "named_modules", _M + "children", _M + "named_children")
def modules(match: Match) -> Outcome:
    """Write the layers of a model, without those that are functions in JAX."""
    if match.given("memo", "prefix", "remove_duplicate"):
        return Refusal("its arguments have no equivalent")
    name = match.use.name.rpartition(".")[2]
    function = "torch_modules" if name.endswith("modules") else "torch_children"
    kind = "items" if name.startswith("named_") else "values"
    return Rewrite(
        f"{function}({{self}}).{kind}()",
        consumed=frozenset(match.arguments),
        differs=_FUNCTIONS,
    )


@rules.rule(_M + "state_dict")
def state_dict(match: Match) -> Outcome:
    """Write a dict of the model's own variables."""
    if match.given("args", "destination", "prefix", "keep_vars"):
        return Refusal("its arguments have no equivalent")
    return Rewrite("torch_state_dict({self})", consumed=frozenset(match.arguments))


@rules.rule(_M + "load_state_dict")
def load_state_dict(match: Match) -> Outcome:
    """Set the model's variables by torch's names."""
    if match.given("assign"):
        return Refusal("its argument `assign` has no equivalent")
    return Rewrite(
        "torch_load_state_dict({self}, {state_dict}, strict={strict})",
        consumed=frozenset({"assign"} & match.arguments.keys()),
    )


@rules.rule(_M + "register_buffer")
def register_buffer(match: Match) -> Outcome:
    """Assign a variable that is no parameter; one that is not saved is a cache."""
    persistent = match.constant("persistent", True)
    if persistent not in (True, False):
        return Refusal("whether the buffer is saved is not known here")
    return _assigned(match, "nnx.Variable({tensor})" if persistent else "nnx.Cache({tensor})")


@rules.rule(_M + "register_parameter")
def register_parameter(match: Match) -> Outcome:
    """Assign the parameter."""
    return _assigned(match, "{param}")


@rules.rule(_M + "add_module")
def add_module(match: Match) -> Outcome:
    """Assign the layer, or add it to a sequence."""
    if match.use.receiver_value == Instance("torch.nn.Sequential"):
        return Rewrite("{self}.add({name}, {module})")
    return _assigned(match, "{module}")


rules.row("torch.nn.Sequential.append", "{self}.append({module})")


def _assigned(match: Match, template: str) -> Outcome:
    """Return the assignment of a variable to an attribute of a model."""
    statement, receiver, name = match.use.statement, match.use.receiver, match.constant("name")
    given = [match.arguments.get(one) for one in ("tensor", "param", "module")]
    argument = next((one for one in given if one is not None), None)
    if not isinstance(statement, ast.Expr) or statement.value is not match.use.node:
        return Refusal("its result is read")
    if argument is None or argument.starred or receiver is None:
        return Refusal("its arguments are not known here", "self.mask = nnx.Variable(mask)")
    value = argument.node
    if isinstance(value, ast.Constant) and value.value is None:
        template = "None"
    left = frozenset({"persistent"} & match.arguments.keys())
    if not isinstance(name, str) or not name.isidentifier():
        return Rewrite(f"setattr({{self}}, {{name}}, {template})", consumed=left)
    left |= frozenset(match.arguments)
    pieces = (receiver, f".{name} = ", statement.value)
    return Rewrite(template, consumed=left, pieces=pieces)


rules.row("torch.nn.utils.parameters_to_vector", "torch_parameters_to_vector({parameters})")
rules.row("torch.nn.utils.vector_to_parameters", "torch_vector_to_parameters({vec}, {parameters})")


_FILES: Differs = (Difference.FILE_FORMAT,)


@rules.rule("torch.save")
def save(match: Match) -> Outcome:
    """Write the value in the format of Python."""
    left = frozenset(match.arguments) - {"obj", "f"}
    if match.given("pickle_module"):
        return Refusal("its argument `pickle_module` has no equivalent")
    return Rewrite("torch_save({obj}, {f})", consumed=left, differs=_FILES)


@rules.rule("torch.load")
def load(match: Match) -> Outcome:
    """Read what was written in the format of Python; JAX chooses the device."""
    left = frozenset(match.arguments) - {"f"}
    if match.given("pickle_module", "pickle_load_args"):
        return Refusal("its arguments for pickle have no equivalent")
    return Rewrite("torch_load({f})", consumed=left, differs=_FILES)
