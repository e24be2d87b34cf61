"""The training loop and the evaluations of a class of Lightning, as statements of plain torch."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from workbench.unwrap import lightning_manual
from workbench.unwrap.lightning_callbacks import Callbacks
from workbench.unwrap.lightning_hooks import STOPS, VALIDATION
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


@dataclass
class Given:
    """The settings of a Trainer.

    Attributes:
        callbacks: its callbacks.
        values: the settings that the loop reads, by name.
        device: an expression of `{model}` for the device whose mixed precision is used; else empty.
    """

    callbacks: Callbacks
    values: dict[str, ast.expr] = field(default_factory=dict)
    device: str = ""

    def in_precision(self, model: str, lines: list[str], program: Program) -> list[str]:
        """Return lines that compute in the precision of the Trainer."""
        if not self.device:
            return lines
        program.imports.add("import torch")
        where = self.device.format(model=model)
        head = f"with torch.autocast({where}, torch.bfloat16, cache_enabled=False):"
        return [head, *(f"    {line}" for line in lines)]


def evaluation(
    program: Program, module: Module, stage: str, given: Given, model: str, loader: str
) -> str:
    """Define the function that evaluates a class in a stage; return a call of it."""
    verb = "validate" if stage == "validation" else "run_test"
    hooks = [one for one in module.methods if one in HOOKS and one.startswith(f"on_{stage}_")]
    own = [one for one in given.callbacks.own if any(one[1].has(name) for name in VALIDATION)]
    called = [{name for name in VALIDATION if one.has(name)} for _, one in own]
    if stage != "validation":
        own, called = [], []
    elif any(names != called[0] for names in called):
        program.refuse(program.tree, "callbacks with different hooks of validation: give them all")
    arguments = [model, loader, *([f"[{', '.join(name for name, _ in own)}]"] if own else [])]
    for name in _names(verb, module.name.lower()):
        body = _evaluation(
            program, module, stage, name, hooks, given, called[0] if called else set()
        )
        if program.definitions.setdefault(name, body) == body:
            return f"{name}({', '.join(arguments)})"
    raise AssertionError("no name is free")


def _names(verb: str, module: str) -> Iterator[str]:
    yield verb
    yield f"{verb}_{module}"
    for number in count(2):
        yield f"{verb}_{module}_{number}"


def _evaluation(
    program: Program,
    module: Module,
    stage: str,
    name: str,
    hooks: list[str],
    given: Given,
    called: set[str],
) -> str:
    program.imports.add("import torch")
    takes = len(module.methods[f"{stage}_step"].args.args)
    if takes > 3:
        program.refuse(module.methods[f"{stage}_step"], "several loaders are not unwrapped")
    index = ", batch_idx" if takes > 2 else ""

    def run(hook: str) -> list[str]:
        lines = [f"    model.{hook}()"] if hook in hooks else []
        if hook in called:
            return ["    for callback in callbacks:", f"        callback.{hook}(model)", *lines]
        return lines

    means = ["    model.log_means()"] if module.logs else []
    step = given.in_precision("model", [f"model.{stage}_step(batch{index})"], program)
    lines = [
        "@torch.no_grad()",
        f"def {name}(model, loader{', callbacks' if called else ''}):",
        f'    """Run the {stage} step of a model on each batch, in evaluation mode."""',
        "    modes = [(module, module.training) for module in model.modules()]",
        "    model.eval()",
        *(["    model.logs_means = True"] if module.logs else []),
        *run(f"on_{stage}_start"),
        *run(f"on_{stage}_epoch_start"),
        "    for batch_idx, batch in enumerate(loader):" if index else "    for batch in loader:",
        *(["        model.logged_size = count_examples(batch)"] if module.logs else []),
        *(f"        {line}" for line in step),
        *(means if f"on_{stage}_epoch_end" in called else []),
        *run(f"on_{stage}_epoch_end"),
        *means,
        *run(f"on_{stage}_end"),
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
        given: Given,
    ) -> None:
        self._program, self._call = program, call
        self._model, self._module, self._given = model, module, given
        self._uses = module.uses | given.callbacks.uses
        self._check_callbacks()
        self._optimizer = program.fresh("optimizer", call)
        self._scheduler = program.fresh("scheduler", call)
        self._epoch, self._index = program.fresh("epoch", call), program.fresh("batch_idx", call)
        self._batch, self._loss = program.fresh("batch", call), program.fresh("loss", call)

    def _check_callbacks(self) -> None:
        """Refuse callbacks that read or log values of a model that logs none."""
        callbacks, module = self._given.callbacks, self._module
        reads = {"callback_metrics", "log", "log_dict"} & callbacks.uses
        if not module.logs and (reads or callbacks.monitors):
            self._program.refuse(self._call, f"{module.name} logs no value for its callbacks")

    def lines(self, loader: str, validation: str) -> list[str]:
        """Return the statements of the loop."""
        model, module = self._model, self._module
        made, found = self._made()
        epochs = self._text("max_epochs")
        validates = bool(validation) and module.has("validation_step")
        train = self._steps(loader, found)
        step = self._scheduled(found) if found.interval == "epoch" else []
        is_plateau = self._is_plateau(found)
        means = [f"{model}.log_means()"] if module.logs else []
        has_hook = bool(self._given.callbacks.calls("on_train_epoch_end", ""))
        body = [
            *([f"{model}.current_epoch = {self._epoch}"] if "current_epoch" in self._uses else []),
            *self._hook("on_train_epoch_start"),
            *train,
            *(step if not is_plateau else []),
            *(
                [evaluation(self._program, module, "validation", self._given, model, validation)]
                if validates
                else []
            ),
            *(means if has_hook else []),  # the callbacks' hook reads them
            *self._hook("on_train_epoch_end"),
            *means,
            *(step if is_plateau else []),
            *self._given.callbacks.ends(model, self._epoch),
            *([f"if {model}.{STOPS}:", "    break"] if "should_stop" in self._uses else []),
        ]
        return [
            *self._facts(loader, epochs),
            *made,
            *self._hook("on_fit_start"),
            *self._hook("on_train_start"),
            f"for {self._epoch} in range({epochs}):",
            *(f"    {line}" for line in body),
            *self._hook("on_train_end"),
            *self._hook("on_fit_end"),
        ]

    def _made(self) -> tuple[list[str], Optimizers]:
        """Return the statements that make the optimizers, and what is known of the first."""
        model, kept = self._model, lightning_manual.KEPT
        made = f"{model}.configure_optimizers()"
        if self._module.is_manual:
            method = self._module.methods["configure_optimizers"]
            found = [lightning_manual.returned(node) for node in returns_of(method)]
            counts = {(len(one.optimizers), len(one.schedulers)) if one else None for one in found}
            if len(counts) != 1 or None in counts:
                what = "its return statements do not name the same number of optimizers"
                self._program.refuse(
                    self._call, f"{self._module.name}.configure_optimizers: {what}"
                )
                return [], Optimizers(ast.Constant(None))
            names = f"{model}.{kept['optimizers']}"
            if any(one and one.schedulers for one in found):
                names += f", {model}.{kept['lr_schedulers']}"
            return [f"{names} = {made}"], Optimizers(ast.Constant(None))
        found_one = self._optimizers()
        optimizer, scheduler = self._optimizer, self._scheduler
        has_scheduler = found_one.scheduler is not None
        lines = [f"{optimizer}{f', {scheduler}' if has_scheduler else ''} = {made}"]
        for use, name in (("optimizers", optimizer), ("lr_schedulers", scheduler)):
            if use in self._uses:
                lines.append(f"{model}.{kept[use]} = {name}")
        return lines, found_one

    def _text(self, key: str) -> str:
        return self._program.source(self._given.values[key])

    def _facts(self, loader: str, epochs: str) -> list[str]:
        """Return the assignments of facts that the module reads of its trainer."""
        model, uses, every = self._model, self._uses, self._every()
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
        if "should_stop" in uses:
            lines.append(f"{model}.{STOPS} = False")
        return lines

    def _hook(self, name: str, arguments: str = "") -> list[str]:
        """Return the calls of a hook, first those of callbacks, which take the model as well."""
        given = f"{self._model}{f', {arguments}' if arguments else ''}"
        lines = self._given.callbacks.calls(name, given)
        return [*lines, *([f"{self._model}.{name}({arguments})"] * self._module.has(name))]

    def _every(self) -> str:
        return (
            self._text("accumulate_grad_batches")
            if "accumulate_grad_batches" in self._given.values
            else "1"
        )

    def _steps(self, loader: str, found: Optimizers) -> list[str]:
        """Return the loop over the batches of an epoch."""
        program, model, module, index = self._program, self._model, self._module, self._index
        batch = self._batch
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
        if module.logs:
            program.imports.add("import torch")
            program.definitions.setdefault("count_examples", _COUNTING)
        takes_step = self._manual_steps if module.is_manual else self._automatic_steps
        body = takes_step(loader, found, value)
        ends = self._hook("on_train_batch_end", f"{self._outputs()}, {batch}, {index}")
        starts = self._hook("on_train_batch_start", f"{batch}, {index}")
        every_batch = not module.is_manual and (self._every() != "1" or found.frequency > 1)
        is_counted = every_batch and (self._every() != "1" or found.interval == "step")
        head = (
            f"for {index}, {batch} in enumerate({loader}):"
            if takes_index or starts or ends or is_counted
            else f"for {batch} in {loader}:"
        )
        body = [
            *([f"{model}.logged_size = count_examples({batch})"] if module.logs else []),
            *starts,
            *body,
            *ends,
        ]
        return [head, *(f"    {line}" for line in body)]

    def _outputs(self) -> str:
        """Return what the hook at the end of a batch gets of its step."""
        name, step = "on_train_batch_end", self._module.methods["training_step"]
        hooks = [one.methods.get(name) for _, one in self._given.callbacks.own]
        reads = False
        for position, hook in [(1, self._module.methods.get(name)), *((3, one) for one in hooks)]:
            if hook is None or len(hook.args.args) <= position:
                continue
            own = hook.args.args[position].arg
            reads |= any(isinstance(one, ast.Name) and one.id == own for one in ast.walk(hook))
        if not reads:
            return "None"
        if self._module.is_manual or _returns_dictionary(self._program, step):
            self._program.refuse(step, f"{name} reads outputs that are not one loss")
        every = self._every()
        loss = self._loss if every == "1" else f"({self._loss} / {every})"
        return f'{{"loss": {loss}.detach()}}'

    def _manual_steps(self, loader: str, found: Optimizers, value: str) -> list[str]:
        """Return the lines for a batch of a module that takes the steps of its optimizers."""
        program, module = self._program, self._module
        for key in ("gradient_clip_val", "accumulate_grad_batches"):
            if key in self._given.values:
                program.refuse(self._call, f"manual optimization takes no {key}: do it in the step")
        if "global_step" in self._uses:
            what = "count the steps in the module itself"
            program.refuse(self._call, f"global_step counts the steps of every optimizer: {what}")
        if module.has("on_before_optimizer_step"):
            what = "call its code before each step"
            program.refuse(module.methods["on_before_optimizer_step"], f"the hook's place: {what}")
        return self._given.in_precision(self._model, [value], program)

    def _automatic_steps(self, loader: str, found: Optimizers, value: str) -> list[str]:
        """Return the lines for a batch: a backward pass, and perhaps a step."""
        program, model, module, index = self._program, self._model, self._module, self._index
        optimizer, every, loss = self._optimizer, self._every(), self._loss
        if _returns_dictionary(program, module.methods["training_step"]):
            value += '["loss"]'
        start = [f"{optimizer}.zero_grad()"]
        update = [
            *self._hook("on_before_optimizer_step", optimizer),
            *self._clipping(),
            f"{optimizer}.step()",
            *([f"{model}.global_step += 1"] if "global_step" in self._uses else []),
            *(self._scheduled(found) if found.interval == "step" else []),
        ]
        if every != "1":
            start = [f"if {index} % {every} == 0:", f"    {start[0]}"]
            last = f"{index} + 1 == len({loader})"
            update = [
                f"if ({index} + 1) % {every} == 0 or {last}:",
                *(f"    {line}" for line in update),
            ]
            loss = f"({loss} / {every})"
        return [
            *self._given.in_precision(model, [f"{self._loss} = {value}"], program),
            *start,
            f"{loss}.backward()",
            *self._hook("on_after_backward"),
            *update,
        ]

    def _clipping(self) -> list[str]:
        value = self._given.values.get("gradient_clip_val")
        if value is None or is_value(value, None) or is_value(value, 0) or is_value(value, 0.0):
            return []
        self._program.imports.add("import torch")
        algorithm = self._given.values.get("gradient_clip_algorithm")
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
