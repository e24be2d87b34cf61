"""The training loop and the evaluations of a class of Lightning, as statements of plain torch."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from workbench.unwrap.lightning_modules import (
    FACTS,
    HOOKS,
    Module,
    Optimizers,
    optimizers_of,
    returns_of,
)
from workbench.unwrap.names import is_value
from workbench.unwrap.program import Program

_COUNTING = '''
def count_examples(batch):
    """Return the length of the first tensor of a batch, or None if it has none."""
    if isinstance(batch, torch.Tensor):
        return batch.size(0) if batch.ndim else 1
    if isinstance(batch, dict):
        batch = list(batch.values())
    if isinstance(batch, (list, tuple)):
        sizes = [count_examples(part) for part in batch]
        return next((size for size in sizes if size is not None), None)
    return None
'''


def evaluation(program: Program, module: Module, stage: str) -> str:
    """Define the function that evaluates a class in a stage; return its name."""
    verb = "validate" if stage == "validation" else "run_test"
    hooks = [one for one in module.methods if one in HOOKS and one.startswith(f"on_{stage}_")]
    for name in (verb, f"{verb}_{module.name.lower()}"):
        body = _evaluation(program, module, stage, name, hooks)
        if program.definitions.setdefault(name, body) == body:
            return name
    return name


def _evaluation(program: Program, module: Module, stage: str, name: str, hooks: list[str]) -> str:
    program.imports.add("import torch")
    takes = len(module.methods[f"{stage}_step"].args.args)
    if takes > 3:
        program.refuse(module.methods[f"{stage}_step"], "several loaders are not unwrapped")
    index = ", batch_idx" if takes > 2 else ""
    lines = [
        "@torch.no_grad()",
        f"def {name}(model, loader):",
        f'    """Run the {stage} step of a model on each batch, in evaluation mode."""',
        "    modes = [(module, module.training) for module in model.modules()]",
        "    model.eval()",
        *(["    model.logs_means = True"] if module.logs else []),
        *(f"    model.{one}()" for one in hooks if one == f"on_{stage}_start"),
        *(f"    model.{one}()" for one in hooks if one == f"on_{stage}_epoch_start"),
        "    for batch_idx, batch in enumerate(loader):" if index else "    for batch in loader:",
        *(["        model.logged_size = count_examples(batch)"] if module.logs else []),
        f"        model.{stage}_step(batch{index})",
        *(f"    model.{one}()" for one in hooks if one == f"on_{stage}_epoch_end"),
        *(["    model.log_means()"] if module.logs else []),
        *(f"    model.{one}()" for one in hooks if one == f"on_{stage}_end"),
        *(["    model.logs_means = False"] if module.logs else []),
        "    for module, mode in modes:",
        "        module.training = mode",
    ]
    if module.logs:
        program.definitions.setdefault("count_examples", _COUNTING)
    return "\n".join(lines)


class Fit:
    """The lines of a training loop."""

    def __init__(
        self,
        program: Program,
        call: ast.Call,
        model: str,
        module: Module,
        given: Mapping[str, ast.expr],
    ) -> None:
        self._program, self._call = program, call
        self._model, self._module, self._given = model, module, given
        self._optimizer = program.fresh("optimizer", call)
        self._scheduler = program.fresh("scheduler", call)
        self._epoch, self._index = program.fresh("epoch", call), program.fresh("batch_idx", call)
        self._batch, self._loss = program.fresh("batch", call), program.fresh("loss", call)

    def lines(self, loader: str, validation: str) -> list[str]:
        """Return the statements of the loop."""
        model, module = self._model, self._module
        found = self._optimizers()
        epochs = self._text("max_epochs")
        names = self._optimizer + (f", {self._scheduler}" if found.scheduler is not None else "")
        validates = bool(validation) and module.has("validation_step")
        train = self._steps(loader, found)
        step = [f"    {line}" for line in self._scheduled(found)]
        is_plateau = self._is_plateau(found)
        return [
            *self._facts(loader, epochs),
            f"{names} = {model}.configure_optimizers()",
            *self._hook("on_fit_start"),
            *self._hook("on_train_start"),
            f"for {self._epoch} in range({epochs}):",
            *(
                [f"    {model}.current_epoch = {self._epoch}"]
                if "current_epoch" in module.uses
                else []
            ),
            *self._hook("on_train_epoch_start", 1),
            *(f"    {line}" for line in train),
            *(step if found.interval == "epoch" and not is_plateau else []),
            *(
                [f"    {evaluation(self._program, module, 'validation')}({model}, {validation})"]
                if validates
                else []
            ),
            *self._hook("on_train_epoch_end", 1),
            *([f"    {model}.log_means()"] if module.logs else []),
            *(step if found.interval == "epoch" and is_plateau else []),
            *self._hook("on_train_end"),
            *self._hook("on_fit_end"),
        ]

    def _text(self, key: str) -> str:
        return self._program.source(self._given[key])

    def _facts(self, loader: str, epochs: str) -> list[str]:
        """Return the assignments of facts that the module reads of its trainer."""
        model, uses, every = self._model, self._module.uses, self._every()
        lines = []
        if "max_epochs" in uses:
            lines.append(f"{model}.{FACTS['max_epochs']} = {epochs}")
        if "estimated_stepping_batches" in uses:
            steps = f"len({loader})"
            if every != "1":
                self._program.imports.add("import math")
                steps = f"math.ceil({steps} / {every})"
            lines.append(f"{model}.{FACTS['estimated_stepping_batches']} = {epochs} * {steps}")
        if "current_epoch" in uses:
            lines.append(f"{model}.current_epoch = 0")
        if "global_step" in uses:
            lines.append(f"{model}.global_step = 0")
        return lines

    def _hook(self, name: str, depth: int = 0, arguments: str = "") -> list[str]:
        if not self._module.has(name):
            return []
        return [f"{'    ' * depth}{self._model}.{name}({arguments})"]

    def _every(self) -> str:
        return (
            self._text("accumulate_grad_batches")
            if "accumulate_grad_batches" in self._given
            else "1"
        )

    def _steps(self, loader: str, found: Optimizers) -> list[str]:
        """Return the loop over the batches of an epoch."""
        program, model, module, index = self._program, self._model, self._module, self._index
        optimizer, every, batch = self._optimizer, self._every(), self._batch
        step = module.methods["training_step"]
        takes_index = len(step.args.args) > 2
        if len(step.args.args) > 3 or step.args.vararg or step.args.kwonlyargs:
            program.refuse(step, "training_step: other arguments than batch and index")
        start_hook = module.methods.get("on_train_batch_start")
        if start_hook is not None and any(one.value for one in returns_of(start_hook)):
            program.refuse(
                start_hook, "on_train_batch_start returns a value, which may end an epoch"
            )
        value = f"{model}.training_step({batch}{f', {index}' if takes_index else ''})"
        if _returns_dictionary(program, step):
            value += '["loss"]'
        accumulates = every != "1"
        if module.logs:
            program.imports.add("import torch")
            program.definitions.setdefault("count_examples", _COUNTING)
        start = [f"{optimizer}.zero_grad()"]
        update = [
            *self._hook("on_before_optimizer_step", 0, optimizer),
            *self._clipping(),
            f"{optimizer}.step()",
            *([f"{model}.global_step += 1"] if "global_step" in module.uses else []),
            *(self._scheduled(found) if found.interval == "step" else []),
        ]
        loss = self._loss
        if accumulates:
            start = [f"if {index} % {every} == 0:", f"    {start[0]}"]
            last = f"{index} + 1 == len({loader})"
            update = [
                f"if ({index} + 1) % {every} == 0 or {last}:",
                *(f"    {line}" for line in update),
            ]
            loss = f"({loss} / {every})"
        needs_index = takes_index or accumulates or module.has("on_train_batch_start")
        needs_index = needs_index or (found.interval == "step" and found.frequency > 1)
        head = (
            f"for {index}, {batch} in enumerate({loader}):"
            if needs_index
            else f"for {batch} in {loader}:"
        )
        body = [
            *([f"{model}.logged_size = count_examples({batch})"] if module.logs else []),
            *self._hook("on_train_batch_start", 0, f"{batch}, {index}"),
            f"{self._loss} = {value}",
            *start,
            f"{loss}.backward()",
            *self._hook("on_after_backward"),
            *update,
        ]
        return [head, *(f"    {line}" for line in body)]

    def _clipping(self) -> list[str]:
        value = self._given.get("gradient_clip_val")
        if value is None or is_value(value, None) or is_value(value, 0) or is_value(value, 0.0):
            return []
        self._program.imports.add("import torch")
        algorithm = self._given.get("gradient_clip_algorithm")
        kind = "value" if is_value(algorithm, "value") else "norm"
        before, parameters = self._parameters()
        limit = self._text("gradient_clip_val")
        lines = [*before, f"torch.nn.utils.clip_grad_{kind}_({parameters}, {limit})"]
        if isinstance(value, ast.Constant):
            return lines
        return [f"if {limit}:", *(f"    {line}" for line in lines)]

    def _parameters(self) -> tuple[list[str], str]:
        """Return the parameters of the optimizer, and the statements that collect them."""
        method = self._module.methods["configure_optimizers"]
        calls = [one for one in ast.walk(method) if isinstance(one, ast.Call) and one.args]
        if any(ast.unparse(one.args[0]) == "self.parameters()" for one in calls):
            return [], f"{self._model}.parameters()"
        name = self._program.fresh("parameters", self._call)
        groups = f"for group in {self._optimizer}.param_groups"
        return [f'{name} = [one {groups} for one in group["params"]]'], name

    # Schedulers -------------------------------------------------------------------------------

    def _optimizers(self) -> Optimizers:
        method = self._module.methods["configure_optimizers"]
        found = [optimizers_of(node) for node in returns_of(method)]
        first = found[0] if found else None
        facts = {
            (one.scheduler is None, one.interval, one.frequency, one.monitor) if one else None
            for one in found
        }
        if first is None or len(facts) != 1:
            what = "its return statements do not name one optimizer, with one scheduler or none"
            self._program.refuse(self._call, f"{self._module.name}.configure_optimizers: {what}")
            return Optimizers(ast.Constant(None))
        return first

    def _is_plateau(self, found: Optimizers) -> bool:
        """Return whether the scheduler reads a logged value."""
        scheduler = found.scheduler
        method = self._module.methods["configure_optimizers"]
        if isinstance(scheduler, ast.Name):
            values = _values_of(method, scheduler.id)
            scheduler = values[0] if len(values) == 1 else scheduler
        if scheduler is None:
            return False
        if not isinstance(scheduler, ast.Call):
            self._program.refuse(self._call, "the scheduler's class is not in configure_optimizers")
            return False
        return ast.unparse(scheduler.func).rpartition(".")[2] == "ReduceLROnPlateau"

    def _scheduled(self, found: Optimizers) -> list[str]:
        """Return the step of the scheduler."""
        if found.scheduler is None:
            return []
        if found.interval not in ("epoch", "step"):
            self._program.refuse(self._call, f"a scheduler with the interval {found.interval!r}")
        argument = ""
        if self._is_plateau(found):
            if not found.monitor or not self._module.logs or found.interval != "epoch":
                what = "ReduceLROnPlateau needs a monitor that the model logs, and steps of epochs"
                self._program.refuse(self._call, what)
            argument = f'{self._model}.logged["{found.monitor}"]'
        line = f"{self._scheduler}.step({argument})"
        if found.frequency == 1:
            return [line]
        counter = self._epoch if found.interval == "epoch" else self._index
        return [f"if ({counter} + 1) % {found.frequency} == 0:", f"    {line}"]


def _returns_dictionary(program: Program, step: ast.FunctionDef) -> bool:
    """Return whether a training step returns dictionaries; refuse it if it may return None."""
    values = [one.value for one in returns_of(step)]
    if not values or any(one is None or is_value(one, None) for one in values):
        program.refuse(
            step, "training_step may return nothing, which Lightning skips: return a loss"
        )
    return bool(values) and all(_is_dictionary(step, one) for one in values)


def _is_dictionary(step: ast.FunctionDef, value: ast.expr | None) -> bool:
    if isinstance(value, ast.Name):
        found = _values_of(step, value.id)
        return bool(found) and all(isinstance(one, ast.Dict) for one in found)
    return isinstance(value, ast.Dict)


def _values_of(function: ast.FunctionDef, name: str) -> list[ast.expr]:
    """Return what a function assigns to a name."""
    return [
        one.value
        for one in ast.walk(function)
        if isinstance(one, ast.Assign)
        and any(isinstance(aim, ast.Name) and aim.id == name for aim in one.targets)
    ]
