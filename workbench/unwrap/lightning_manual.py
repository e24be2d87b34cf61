"""Manual optimization of Lightning: steps that a module takes itself, in plain torch."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from workbench.unwrap.names import arguments_of, is_value
from workbench.unwrap.program import Program

# What a class calls of the optimizers that its loop keeps.
MEMBERS = frozenset(
    {
        "optimizers",
        "lr_schedulers",
        "manual_backward",
        "toggle_optimizer",
        "untoggle_optimizer",
        "clip_gradients",
    }
)
# The attributes in which the loop keeps them.
KEPT = {"optimizers": "fit_optimizers", "lr_schedulers": "fit_schedulers"}
_PARAMETERS = 'one for group in {}.param_groups for one in group["params"]'
_TOGGLING = {
    "toggle_optimizer": '''
def toggle_optimizer(model, optimizer):
    """Let the parameters of one optimizer of a model get gradients, and no others."""
    groups = [group for one in model.fit_optimizers for group in one.param_groups]
    model.fit_toggled = {one: one.requires_grad for group in groups for one in group["params"]}
    for parameter in model.fit_toggled:
        parameter.requires_grad = False
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            parameter.requires_grad = model.fit_toggled[parameter]
''',
    "untoggle_optimizer": '''
def untoggle_optimizer(model, optimizer):
    """Let the parameters of the other optimizers get gradients as before `toggle_optimizer`."""
    others = [one for one in model.fit_optimizers if one is not optimizer]
    for group in (group for one in others for group in one.param_groups):
        for parameter in group["params"]:
            if parameter in model.fit_toggled:
                parameter.requires_grad = model.fit_toggled[parameter]
    model.fit_toggled = {}
''',
}


@dataclass(frozen=True)
class Returned:
    """The optimizers and schedulers that a `return` of configure_optimizers names."""

    optimizers: tuple[ast.expr, ...]
    schedulers: tuple[ast.expr, ...]

    def text(self, program: Program) -> str:
        """Return the same as one value or list, or as two."""
        parts = [_listed(program, one) for one in (self.optimizers, self.schedulers) if one]
        return f"return {', '.join(parts)}"


def returned(node: ast.Return) -> Returned | None:
    """Read a `return` of configure_optimizers that may name several; None if it cannot be read."""
    value = node.value
    if isinstance(value, ast.List | ast.Tuple):
        lists = [one.elts for one in value.elts if isinstance(one, ast.List | ast.Tuple)]
        if len(value.elts) == len(lists) == 2:
            steps = [_scheduler(one) for one in lists[1]]
            return _complete(lists[0], steps)
        if lists:
            return None
        parts = value.elts
    else:
        parts = [value] if value is not None else []
    optimizers, schedulers = list[ast.expr | None](), list[ast.expr | None]()
    for part in parts:
        if not isinstance(part, ast.Dict):
            optimizers.append(part)
            continue
        entries = _entries(part)
        optimizers.append(entries.get("optimizer"))
        if "lr_scheduler" in entries:
            schedulers.append(_scheduler(entries["lr_scheduler"]))
    return _complete(optimizers, schedulers)


def _complete(
    optimizers: list[ast.expr] | list[ast.expr | None], schedulers: list[ast.expr | None]
) -> Returned | None:
    firsts = tuple(
        one for one in optimizers if isinstance(one, ast.Name | ast.Call | ast.Attribute)
    )
    seconds = tuple(one for one in schedulers if one is not None)
    if not firsts or len(firsts) < len(optimizers) or len(seconds) < len(schedulers):
        return None
    return Returned(firsts, seconds)


def _scheduler(node: ast.expr) -> ast.expr | None:
    return _entries(node).get("scheduler") if isinstance(node, ast.Dict) else node


def _entries(node: ast.Dict) -> dict[str, ast.expr]:
    pairs = zip(node.keys, node.values, strict=True)
    return {str(key.value): one for key, one in pairs if isinstance(key, ast.Constant)}


def _listed(program: Program, nodes: tuple[ast.expr, ...]) -> str:
    texts = [program.source(one) for one in nodes]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def rewrite_call(program: Program, call: ast.Call, name: str, *, runs_hook: bool) -> None:
    """Rewrite a call of one of MEMBERS.

    Args:
        program: the program.
        call: the call, a method of the module.
        name: the method's name.
        runs_hook: whether the module has a hook after each backward pass.
    """
    if name in KEPT:
        program.replace(call, f"self.{KEPT[name]}")
        return
    outer = program.parents[call]
    if not isinstance(outer, ast.Expr):
        program.refuse(call, f"self.{name}: call it as a statement")
    elif name == "manual_backward":
        _backward(program, call, outer, runs_hook=runs_hook)
    elif name == "clip_gradients":
        _clip(program, call, outer)
    else:
        argument = call.args[0] if call.args else None
        if len(call.args) != 1 or call.keywords or not isinstance(argument, ast.Name):
            program.refuse(call, f"self.{name}: pass the optimizer by one name")
            return
        for helper, text in _TOGGLING.items():
            program.definitions[helper] = text
        program.replace(call, f"{name}(self, {argument.id})")


def _backward(program: Program, call: ast.Call, statement: ast.Expr, *, runs_hook: bool) -> None:
    if not call.args or isinstance(call.args[0], ast.Starred):
        program.refuse(call, "self.manual_backward: pass the loss first")
        return
    loss, *others = call.args
    text = program.source(loss)
    if not isinstance(loss, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
        text = f"({text})"
    rest = [program.source(one) for one in others]
    rest += [
        f"{one.arg}={program.source(one.value)}" if one.arg else f"**{program.source(one.value)}"
        for one in call.keywords
    ]
    lines = [f"{text}.backward({', '.join(rest)})"]
    program.replace_statement(statement, [*lines, *(["self.on_after_backward()"] * runs_hook)])


def _clip(program: Program, call: ast.Call, statement: ast.Expr) -> None:
    given = arguments_of(call, ["optimizer", "gradient_clip_val", "gradient_clip_algorithm"])
    limit = given.get("gradient_clip_val") if given else None
    kind = given.get("gradient_clip_algorithm") if given else None
    is_known = kind is None or is_value(kind, "norm") or is_value(kind, "value")
    if given is None or "optimizer" not in given or limit is None or not is_known:
        program.refuse(call, "self.clip_gradients: name the optimizer, the limit and the algorithm")
        return
    program.imports.add("import torch")
    parameters = _PARAMETERS.format(program.source(given["optimizer"]))
    text = program.source(limit)
    how = "value" if is_value(kind, "value") else "norm"
    line = f"torch.nn.utils.clip_grad_{how}_([{parameters}], {text})"
    if isinstance(limit, ast.Constant) and isinstance(limit.value, int | float) and limit.value > 0:
        program.replace_statement(statement, [line])
    else:
        program.replace_statement(statement, [f"if {text} > 0:", f"    {line}"])
