"""Optimizers of lists and groups of parameters, which the program makes as it runs.

    decay, rest = split(model)
    optimizer = optim.AdamW([{"params": decay, "weight_decay": 0.1}, {"params": rest}], lr=1e-3)

becomes

    optimizer = torch_grouped(
        model,
        [{"params": decay, "weight_decay": 0.1}, {"params": rest}],
        lambda weight_decay: optax.adamw(1e-3, weight_decay=weight_decay),
        weight_decay=0.01,
    )

The lists hold the variables of the model themselves, so its text need only show which model.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from workbench.convert.decide.planner import Plan
from workbench.convert.passes import Draft
from workbench.rules.match import Argument
from workbench.rules.outcome import Refusal, Rewrite
from workbench.source.tree import inside
from workbench.source.types.lattice import UNKNOWN
from workbench.targets.jax.passes.program.structure import Structure, structure_of
from workbench.targets.jax.passes.state.sources import models_of_list

_OPTIMIZERS = re.compile(r"torch\.optim\.[A-Z]\w+")
_SCHEDULES = "torch.optim.lr_scheduler."
_SEVERAL = frozenset({"SequentialLR", "ChainedScheduler", "OneCycleLR"})
_GROUPS = "torch.optim.Optimizer.param_groups"
_WHOLE = "nnx.Optimizer({params}, "
_END = ", wrt=nnx.Param)"
GROUPED = "torch_grouped("
_WHY = "the groups hold the variables of the model themselves"
# Settings that a group may have of its own.
_SETTINGS = ("lr", "weight_decay", "momentum")
_SHARED = frozenset(
    {"betas", "eps", "nesterov", "amsgrad", "maximize", "dampening", "alpha", "rho"}
)
_VALUE = re.compile(r"\{(lr|weight_decay|momentum)(=[^}]*)?\}")


def list_parameters(draft: Draft) -> Draft:
    """Write optimizers of lists and groups of parameters, their schedules and their settings."""
    wanted = [one for one in draft.plans if _is_refused(one)]
    analysis = draft.analysis
    written = _written_before(analysis.parsed.tree) if GROUPED in analysis.text else set()
    if not wanted and not written:
        return draft
    structure = structure_of(draft.analysis, draft.plans)
    planned = {id(one.use.node): one for one in draft.plans}
    decided: dict[int, Plan] = {}
    for one in wanted:
        listed = one.match.arguments["params"].node
        models = models_of_list(listed, structure, planned)
        grouped = _grouped(one, models, structure) if models else None
        if grouped is not None:
            decided[id(one.use.node)] = grouped
    if not decided and not written:
        return draft
    plain = {name for one in draft.plans if id(one.use.node) not in decided for name in _aims(one)}

    def has_groups(optimizer: ast.AST) -> bool:
        name = ast.unparse(optimizer)
        return name in written or (bool(decided) and name not in plain)

    for one in draft.plans:
        if one.use.name.startswith(_SCHEDULES) and isinstance(one.outcome, Rewrite):
            given = one.match.arguments.get("optimizer")
            if given is not None and has_groups(given.node):
                decided[id(one.use.node)] = _by_group(one)
        elif one.use.name == _GROUPS and has_groups(one.use.receiver or one.use.node):
            decided[id(one.use.node)] = one.decided(Rewrite("torch_param_groups({self})"), _WHY)
    return replace(draft, plans=[decided.get(id(one.use.node), one) for one in draft.plans])


def _written_before(tree: ast.Module) -> set[str]:
    """Return the names of optimizers that an earlier fix has written for groups."""
    return {
        ast.unparse(target)
        for node in inside(tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value.func) == GROUPED.rstrip("(")
        for target in node.targets
    }


def _is_refused(plan: Plan) -> bool:
    return (
        _OPTIMIZERS.fullmatch(plan.use.name) is not None
        and plan.use.call is not None
        and isinstance(plan.outcome, Refusal)
        and "params" in plan.match.arguments
    )


def _aims(plan: Plan) -> Iterator[str]:
    """Yield the names to which a statement assigns an optimizer of whole models."""
    statement = plan.use.statement
    if _OPTIMIZERS.fullmatch(plan.use.name) and isinstance(statement, ast.Assign):
        yield from map(ast.unparse, statement.targets)


def _grouped(plan: Plan, models: list[str], structure: Structure) -> Plan | None:
    """Return the plan of an optimizer of listed parameters, or None."""
    keys = _keys_of_groups(structure)
    if keys & _SHARED and not _is_flat(plan.match.arguments["params"].node):
        return None
    arguments = dict(plan.match.arguments)
    listed = arguments["params"]
    whole = " + ".join(f"list({one}.parameters())" for one in models)
    node = ast.parse(whole, mode="eval").body
    arguments["params"] = replace(listed, nodes=[node], values=[UNKNOWN])
    own = [] if _is_flat(listed.node) else [name for name in _SETTINGS if name in keys]
    zero = ast.Constant(0.0)
    for name in own:
        if name != "lr" and name not in arguments:
            arguments[name] = Argument([zero], [UNKNOWN], [-1])
    match = replace(plan.match, arguments=arguments)
    outcome = plan.rule.apply(match) if plan.rule is not None else None
    if not isinstance(outcome, Rewrite) or not outcome.template.startswith(_WHOLE):
        return None
    core = outcome.template.removeprefix(_WHOLE).removesuffix(_END)
    defaults: dict[str, str] = {}

    def setting(found: re.Match[str]) -> str:
        name = found[1]
        if name not in own:
            return found[0]
        default = (found[2] or "=0.0")[1:]
        given = name in plan.match.arguments
        defaults[name] = f"{{{name}={default}}}" if given else default
        return name

    core = _VALUE.sub(setting, core)
    if set(own) - defaults.keys():
        return None
    text = models[0] if len(models) == 1 else f"({', '.join(models)})"
    defaults = {name: defaults[name] for name in own}
    parameters = f" {', '.join(defaults)}" if defaults else ""
    more = "".join(f", {name}={value}" for name, value in defaults.items())
    match.arguments["listed"] = listed
    written = replace(
        outcome,
        template=f"{GROUPED}{text}, {{listed}}, lambda{parameters}: {core}{more})",
        consumed=outcome.consumed | {"params"} | {one for one in own if one not in plan.match},
    )
    return replace(plan.decided(written, _WHY), match=match)


def _is_flat(node: ast.expr) -> bool:
    """Return whether an expression lists parameters, and no groups."""
    return isinstance(node, ast.ListComp | ast.GeneratorExp) and not isinstance(
        node.elt, ast.Dict | ast.Call
    )


def _keys_of_groups(structure: Structure) -> set[str]:
    """Return the settings that the program's dicts with parameters have."""
    found: set[str] = set()
    for node in structure.places.of(ast.Dict):
        keys = {str(one.value) for one in node.keys if isinstance(one, ast.Constant)}
        found |= keys if "params" in keys else set()
    for call in structure.calls:
        names = {one.arg for one in call.keywords if one.arg}
        found |= names if isinstance(call.func, ast.Name) and "params" in names else set()
    for target in structure.places.of(ast.Subscript):
        if isinstance(target.ctx, ast.Store) and isinstance(target.slice, ast.Constant):
            found.add(str(target.slice.value))
    return found & {*_SETTINGS, *_SHARED}


def _by_group(plan: Plan) -> Plan:
    """Return the plan of a schedule that sets the rate of each group."""
    outcome = plan.outcome
    assert isinstance(outcome, Rewrite)
    several = plan.use.name.rpartition(".")[2] in _SEVERAL
    arguments = plan.match.arguments.items()
    lists = any(isinstance(one.node, ast.List) for name, one in arguments if name != "milestones")
    if several or lists:
        reason = "a schedule with values for each group of parameters has no equivalent"
        return plan.decided(Refusal(reason), _WHY)
    inner = outcome.template.replace("{optimizer}", "group", 1)
    template = f"TorchEachGroup({{optimizer}}, lambda group: {inner})"
    return plan.decided(replace(outcome, template=template), _WHY)
