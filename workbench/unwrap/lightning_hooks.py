"""The hooks of a program's own callbacks, which a plain loop calls without a trainer."""

from __future__ import annotations

import ast

from workbench.unwrap.lightning_manual import KEPT
from workbench.unwrap.program import Program
from workbench.words import words

# Hooks that the plain loop calls.
TRAINING = frozenset(
    words(
        "on_fit_start on_fit_end on_train_start on_train_end on_train_epoch_start "
        "on_train_epoch_end on_train_batch_start on_train_batch_end on_before_optimizer_step "
        "on_after_backward"
    )
)
VALIDATION = frozenset(
    words("on_validation_start on_validation_epoch_start on_validation_epoch_end on_validation_end")
)
# Hooks after which an epoch ends, and may be the last one.
ENDS = frozenset(words("on_train_epoch_end on_validation_epoch_end on_validation_end"))
STOPS = "fit_stops"
_OTHERS = frozenset(words("setup teardown state_dict load_state_dict"))
# What a hook reads of its trainer, and the attributes of the model in which the loop keeps it.
_FACTS = {
    "callback_metrics": "logged",
    "current_epoch": "current_epoch",
    "global_step": "global_step",
    "max_epochs": "fit_epochs",
}
_CONSTANTS = {"sanity_checking": "False", "is_global_zero": "True"}
_OF_MODEL = frozenset(words("log log_dict current_epoch global_step hparams"))


def rewrite_class(program: Program, node: ast.ClassDef, members: frozenset[str]) -> None:
    """Rewrite the hooks of a callback: they take the model, and no trainer.

    Args:
        program: the program.
        node: the callback's class, whose bases are rewritten already.
        members: the names that Lightning's modules have.
    """
    for method in node.body:
        if not isinstance(method, ast.FunctionDef):
            continue
        if method.name in TRAINING | VALIDATION:
            _hook(program, method, members)
        elif method.name.startswith("on_") or method.name in _OTHERS:
            what = "write it where the plain loop needs it"
            program.refuse(method, f"the hook {method.name} of a callback is not unwrapped: {what}")


def _hook(program: Program, method: ast.FunctionDef, members: frozenset[str]) -> None:
    arguments = method.args.args
    if len(arguments) < 3 or method.args.vararg or method.args.kwonlyargs:
        program.refuse(method, f"{method.name}: write its arguments as Lightning documents them")
        return
    trainer, model = arguments[1], arguments[2]
    for node in ast.walk(method):
        if isinstance(node, ast.Name) and node.id == trainer.arg:
            _trainer(program, node, method.name, model.arg)
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == model.arg:
            _model(program, node, model.arg, members)
    program.replace_between(trainer, model, model.arg)


def _trainer(program: Program, node: ast.Name, hook: str, model: str) -> None:
    use = program.parents[node]
    if not isinstance(use, ast.Attribute):
        program.refuse(node, f"{node.id} is passed on: the plain loop has no trainer")
        return
    if use.attr in _FACTS and isinstance(use.ctx, ast.Load):
        program.replace(use, f"{model}.{_FACTS[use.attr]}")
    elif use.attr in _CONSTANTS and isinstance(use.ctx, ast.Load):
        program.replace(use, _CONSTANTS[use.attr])
    elif use.attr == "should_stop" and hook in ENDS:
        program.replace(use, f"{model}.{STOPS}")
    else:
        what = "keep the value in the callback or in the model"
        program.refuse(use, f"{node.id}.{use.attr} is not in the plain loop: {what}")


def _model(program: Program, node: ast.Attribute, model: str, members: frozenset[str]) -> None:
    if node.attr == "device" and isinstance(node.ctx, ast.Load):
        program.replace(node, f"next({model}.parameters()).device")
    elif node.attr == "optimizers" and isinstance(call := program.parents[node], ast.Call):
        program.replace(call, f"{model}.{KEPT['optimizers']}")
    elif node.attr in members - _OF_MODEL:
        program.refuse(node, f"{model}.{node.attr} has no form in plain torch here")
