"""Classes of Lightning, written as modules of plain torch."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from workbench.unwrap import lightning_hooks, lightning_manual
from workbench.unwrap.lightning_hooks import ENDS, STOPS
from workbench.unwrap.names import Imported, is_value
from workbench.unwrap.program import Program
from workbench.words import words

PACKAGES = ("lightning", "pytorch_lightning")


class Kind(Enum):
    """The kinds of Lightning's classes that a program extends."""

    MODEL = "LightningModule"
    DATA = "LightningDataModule"
    CALLBACK = "Callback"


_BASES = {kind.value: kind for kind in Kind}
LOGGING = "LoggingModule"
_LOGGING = '''
class LoggingModule(nn.Module):
    """A module that keeps the values that its steps log by name, in `logged`.

    A value of training is the last one. A value of evaluation is its mean, in which each batch
    counts with its number of examples.
    """

    def __init__(self):
        super().__init__()
        self.logged, self.logged_sums = {}, {}
        self.logs_means, self.logged_size = False, 1

    def log(self, name, value, on_step=None, on_epoch=None, batch_size=None):
        on_step = not self.logs_means if on_step is None else on_step
        on_epoch = self.logs_means if on_epoch is None else on_epoch
        value = torch.as_tensor(value, dtype=torch.float32).detach()
        if on_step:
            self.logged[name] = value
        if on_step and on_epoch:
            self.logged[f"{name}_step"] = value
        if on_epoch:
            total, count = self.logged_sums.get(name, (0.0, 0))
            size = batch_size or self.logged_size
            self.logged_sums[name] = (total + value * size, count + size)
            if on_step:
                self.logged_sums[f"{name}_epoch"] = self.logged_sums[name]

    def log_dict(self, values, **options):
        for name, value in values.items():
            self.log(name, value, **options)

    def log_means(self):
        """Log the means of an epoch."""
        for name, (total, count) in self.logged_sums.items():
            self.logged[name] = total / count
        self.logged_sums = {}
'''
_LOG_OPTIONS = frozenset({"name", "value", "on_step", "on_epoch", "batch_size", "dictionary"})
# Options that say where a value is shown, and those for several devices.
_SHOWN = frozenset({"prog_bar", "logger", "sync_dist", "rank_zero_only", "sync_dist_group"})
# Facts of the Trainer that a module reads, and the attributes in which the loop keeps them.
FACTS = {"max_epochs": "fit_epochs", "estimated_stepping_batches": "fit_steps"}
# Attributes that the loop sets.
_KEPT = frozenset({*FACTS.values(), *lightning_manual.KEPT.values(), STOPS, "fit_toggled"})
_OURS = frozenset({"logged", "logged_sums", "logs_means", "logged_size", "log_means"})
# Hooks that the plain loop calls.
HOOKS = frozenset(
    words(
        "prepare_data setup on_fit_start on_train_start on_train_epoch_start "
        "on_train_batch_start on_train_batch_end on_before_optimizer_step on_after_backward "
        "on_train_epoch_end "
        "on_train_end on_fit_end on_validation_start on_validation_epoch_start "
        "on_validation_epoch_end on_validation_end on_test_start on_test_epoch_start "
        "on_test_epoch_end on_test_end"
    )
)
_STEPS = frozenset(
    words(
        "training_step validation_step test_step predict_step configure_optimizers "
        "train_dataloader val_dataloader test_dataloader predict_dataloader"
    )
)
_MEMBERS = frozenset(
    words(
        "all_gather automatic_optimization backward clip_gradients configure_callbacks "
        "configure_gradient_clipping configure_model configure_sharded_model current_epoch "
        "device device_mesh dtype fabric freeze global_rank global_step hparams "
        "hparams_initial load_from_checkpoint local_rank log log_dict logger loggers "
        "lr_scheduler_step lr_schedulers manual_backward on_after_batch_transfer "
        "on_before_backward on_before_batch_transfer on_before_zero_grad on_load_checkpoint "
        "on_predict_batch_end on_predict_batch_start on_predict_end on_predict_epoch_end "
        "on_predict_epoch_start on_predict_model_eval on_predict_start on_save_checkpoint "
        "on_test_batch_end on_test_batch_start on_test_model_eval on_test_model_train "
        "on_validation_batch_end on_validation_batch_start "
        "on_validation_model_eval on_validation_model_train on_validation_model_zero_grad "
        "optimizer_step optimizer_zero_grad optimizers print save_hyperparameters "
        "strict_loading teardown toggle_optimizer toggled_optimizer to_onnx to_tensorrt "
        "to_torchscript trainer transfer_batch_to_device unfreeze untoggle_optimizer"
    )
)
_INSTEAD = {
    "automatic_optimization": "set it to True or False, or write the loop by hand",
    "lr_schedulers": "return the schedulers from configure_optimizers",
    "manual_backward": "it needs automatic_optimization = False",
    "toggled_optimizer": "call toggle_optimizer and untoggle_optimizer",
    "load_from_checkpoint": "build the model, and load its state_dict with torch.load",
    "freeze": "call requires_grad_(False) on its parameters, and eval()",
    "logger": "write the values with a writer of your own",
    "trainer": "pass the value to the model when it is built",
}


@dataclass
class Module:
    """A class of Lightning.

    Attributes:
        name: its name.
        methods: its methods by name, with those of its bases in the same files.
        kind: the class of Lightning that it extends.
        file: the name of its file.
        logs: whether it logs values.
        is_manual: whether it takes the steps of its optimizers itself.
        uses: the facts that the loop sets as attributes: epochs, steps and optimizers.
    """

    name: str
    methods: dict[str, ast.FunctionDef]
    kind: Kind
    file: str
    logs: bool = False
    is_manual: bool = False
    uses: set[str] = field(default_factory=set)

    def has(self, method: str) -> bool:
        """Return whether a method is defined."""
        return method in self.methods


def modules_of(
    program: Program, names: Imported, others: Mapping[str, Module]
) -> dict[str, Module]:
    """Return the classes of Lightning that a program defines, by name.

    Args:
        program: the program.
        names: its names of Lightning.
        others: the classes in other files.
    """
    found: dict[str, Module] = {}
    for node in ast.walk(program.tree):
        if not isinstance(node, ast.ClassDef):
            continue
        methods = {one.name: one for one in node.body if isinstance(one, ast.FunctionDef)}
        for base in node.bases:
            own = _BASES.get(names.dotted(base).rpartition(".")[2])
            known = {**others, **found}
            inner = known.get(base.id) if isinstance(base, ast.Name) else None
            kind = inner.kind if inner else own
            if kind is None:
                continue
            inherited = inner.methods if inner else {}
            module = Module(node.name, {**inherited, **methods}, kind, program.name)
            module.logs = inner.logs if inner else False
            module.is_manual = inner.is_manual if inner else False
            module.uses = set(inner.uses) if inner else set()
            found[node.name] = module
            _read_uses(node, module)
            if inner is not None:
                inner.logs |= module.logs  # its base defines log
    return found


def _read_uses(node: ast.ClassDef, module: Module) -> None:
    for one in ast.walk(node):
        if isinstance(one, ast.Assign | ast.AnnAssign) and _sets_optimization(one):
            module.is_manual = is_value(one.value, False)
        if not isinstance(one, ast.Attribute):
            continue
        owner = ast.unparse(one.value)
        if module.kind is Kind.CALLBACK:
            if isinstance(one.value, ast.Name) and one.value.id != "self":
                module.uses.add(one.attr)  # of the trainer, or of the model
        elif owner == "self" and one.attr in ("log", "log_dict"):
            module.logs = True
        elif owner == "self.trainer" or (
            owner == "self" and one.attr in ("current_epoch", "global_step", *lightning_manual.KEPT)
        ):
            module.uses.add(one.attr)


def _sets_optimization(node: ast.Assign | ast.AnnAssign) -> bool:
    """Return whether a statement says whether the optimization is automatic."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return any(
        isinstance(one, ast.Name | ast.Attribute)
        and ast.unparse(one) in ("automatic_optimization", "self.automatic_optimization")
        for one in targets
    )


def rewrite_classes(program: Program, names: Imported, modules: Mapping[str, Module]) -> None:
    """Rewrite a program's own classes of Lightning."""
    for node in ast.walk(program.tree):
        if isinstance(node, ast.ClassDef) and node.name in modules:
            _Class(program, names, node, modules[node.name]).rewrite()


class _Class:
    """A class that is rewritten."""

    def __init__(
        self, program: Program, names: Imported, node: ast.ClassDef, module: Module
    ) -> None:
        self._program, self._names, self._node, self._module = program, names, node, module

    def rewrite(self) -> None:
        """Rewrite the bases, the methods and the members of Lightning."""
        program = self._program
        for base in self._node.bases:
            if self._names.is_one(base, Kind.MODEL.value):
                program.replace(base, self._base())
            elif self._names.is_one(base, *_BASES):
                program.remove_base(self._node, base)
        if self._module.kind is Kind.CALLBACK:
            lightning_hooks.rewrite_class(program, self._node, _MEMBERS)
            return
        for node in list(ast.walk(self._node)):
            if not isinstance(node, ast.Assign | ast.AnnAssign) or not _sets_optimization(node):
                continue
            if any(is_value(node.value, one) for one in (True, False)):
                program.remove(node)
        for method in self._node.body:
            if isinstance(method, ast.Assign | ast.AnnAssign):
                self._check_assigned(method)
            if isinstance(method, ast.FunctionDef) and method.name in _MEMBERS - HOOKS - _STEPS:
                instead = _INSTEAD.get(method.name, "call its code where the plain loop needs it")
                program.refuse(method, f"the hook {method.name} is not unwrapped: {instead}")
        for one in list(ast.walk(self._node)):
            if isinstance(one, ast.Attribute) and one not in program.handled:
                self._member(one)
        if "configure_optimizers" in {getattr(one, "name", "") for one in self._node.body}:
            self._optimizers(self._module.methods["configure_optimizers"])

    def _check_assigned(self, node: ast.Assign | ast.AnnAssign) -> None:
        """Refuse settings of Lightning that the body of a class assigns."""
        if node in self._program.handled:
            return
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            if isinstance(target, ast.Name) and target.id in _MEMBERS:
                instead = _INSTEAD.get(target.id, "write it by hand")
                self._program.refuse(node, f"{target.id} is a setting of Lightning: {instead}")

    def _base(self) -> str:
        if self._module.logs:
            self._program.imports |= {"import torch", "from torch import nn"}
            self._program.definitions[LOGGING] = _LOGGING
            return LOGGING
        return module_base(self._program)

    # Members ----------------------------------------------------------------------------------

    def _member(self, node: ast.Attribute) -> None:
        program, name = self._program, node.attr
        is_own = isinstance(node.value, ast.Name) and node.value.id == "self"
        if is_own and (name in _KEPT or (name in _OURS and self._module.logs)):
            program.refuse(node, f"self.{name} is an attribute of the plain loop: rename yours")
            return
        if ast.unparse(node.value) == "self.trainer":
            if name in FACTS:
                program.replace(node, f"self.{FACTS[name]}")
            elif name == "should_stop" and getattr(program.scope(node), "name", "") in ENDS:
                program.replace(node, f"self.{STOPS}")
            return
        if not is_own or name not in _MEMBERS or name in self._module.methods:
            return
        outer = program.parents[node]
        call = outer if isinstance(outer, ast.Call) and outer.func is node else None
        if name in ("log", "log_dict") and call is not None:
            self._log(call)
        elif name == "save_hyperparameters" and call is not None:
            self._hyperparameters(call)
        elif name == "hparams":
            self._read_hyperparameter(node)
        elif name == "device" and isinstance(node.ctx, ast.Load):
            program.replace(node, "next(self.parameters()).device")
        elif name == "print" and call is not None:
            program.replace(node, "print")
        elif name in ("current_epoch", "global_step") and isinstance(node.ctx, ast.Load):
            pass  # the loop sets it
        elif name in lightning_manual.MEMBERS and call is not None and self._may_call(name):
            runs_hook = self._module.has("on_after_backward")
            lightning_manual.rewrite_call(program, call, name, runs_hook=runs_hook)
        elif name == "trainer" and isinstance(outer, ast.Attribute) and outer.attr in FACTS:
            pass
        else:
            instead = _INSTEAD.get(name, "write it by hand")
            program.refuse(node, f"self.{name} has no form in plain torch here: {instead}")

    def _may_call(self, name: str) -> bool:
        """Return whether the loop keeps what a method reads."""
        if name == "optimizers":
            return True
        method = self._module.methods.get("configure_optimizers")
        if method is None or not (self._module.is_manual or name == "lr_schedulers"):
            return False
        found = [lightning_manual.returned(node) for node in returns_of(method)]
        if name == "lr_schedulers":
            return all(one is not None and one.schedulers for one in found)
        return "toggle" not in name or all(one and len(one.optimizers) > 1 for one in found)

    def _log(self, call: ast.Call) -> None:
        program = self._program
        for keyword in call.keywords:
            if keyword.arg not in _LOG_OPTIONS | _SHOWN:
                program.refuse(
                    call, f"log({keyword.arg}=...) is not unwrapped: log the value itself"
                )
                return
        limit = 2 if ast.unparse(call.func) == "self.log" else 1
        if len(call.args) > limit:
            program.refuse(call, "name the options of log")
            return
        if any(keyword.arg in _SHOWN for keyword in call.keywords):
            kept = [program.source(one) for one in call.args]
            kept += [
                f"{one.arg}={program.source(one.value)}"
                for one in call.keywords
                if one.arg not in _SHOWN
            ]
            program.replace(call, f"{program.source(call.func)}({', '.join(kept)})")

    def _hyperparameters(self, call: ast.Call) -> None:
        program = self._program
        outer, method = program.parents[call], program.scope(call)
        if not isinstance(outer, ast.Expr) or not isinstance(method, ast.FunctionDef):
            program.refuse(call, "save_hyperparameters: call it as a statement of __init__")
            return
        if method.name != "__init__" or not _is_direct(self._node, self._names):
            what = "the class extends another one, whose arguments Lightning saves as well"
            program.refuse(call, f"save_hyperparameters: {what}; set the attributes by hand")
            return
        arguments = method.args
        known = [
            one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        ]
        chosen, ignored = _chosen(call)
        if chosen is None or ignored is None or not set(chosen) <= set(known):
            program.refuse(call, "save_hyperparameters: name the arguments as texts")
            return
        wanted = [one for one in known[1:] if (not chosen or one in chosen) and one not in ignored]
        parts = [f"{one}={one}" for one in wanted]
        if arguments.kwarg is not None and not chosen:
            parts.append(f"**{arguments.kwarg.arg}")
        program.imports.add("from types import SimpleNamespace")
        program.replace_statement(outer, [f"self.hparams = SimpleNamespace({', '.join(parts)})"])

    def _read_hyperparameter(self, node: ast.Attribute) -> None:
        program = self._program
        outer = program.parents[node]
        if isinstance(outer, ast.Attribute):
            if outer.attr in ("keys", "values", "items", "get", "update", "pop"):
                program.refuse(node, "self.hparams is used as a dictionary: read its attributes")
        elif (
            isinstance(outer, ast.Subscript)
            and isinstance(outer.slice, ast.Constant)
            and isinstance(outer.slice.value, str)
            and outer.slice.value.isidentifier()
        ):
            program.replace(outer, f"self.hparams.{outer.slice.value}")
        else:
            program.refuse(node, "self.hparams is used as a value: read its attributes")

    # Optimizers -------------------------------------------------------------------------------

    def _optimizers(self, method: ast.FunctionDef) -> None:
        program = self._program
        for node in returns_of(method):
            if self._module.is_manual:
                several = lightning_manual.returned(node)
                if several is None:
                    what = "name the optimizers and schedulers in its return statement"
                    program.refuse(node, f"configure_optimizers: {what}")
                else:
                    program.replace_statement(node, [several.text(program)])
                continue
            found = optimizers_of(node)
            if found is None:
                what = "it returns something else than one optimizer, or one with one scheduler"
                program.refuse(node, f"configure_optimizers: {what}")
                continue
            parts = [program.source(found.optimizer)]
            parts += [program.source(found.scheduler)] if found.scheduler is not None else []
            program.replace_statement(node, [f"return {', '.join(parts)}"])


@dataclass(frozen=True)
class Optimizers:
    """An optimizer with its scheduler, as `configure_optimizers` returns them."""

    optimizer: ast.expr
    scheduler: ast.expr | None = None
    interval: str = "epoch"
    frequency: int = 1
    monitor: str = ""


def optimizers_of(node: ast.Return) -> Optimizers | None:
    """Read a `return` of configure_optimizers; None if it cannot be read."""
    value = node.value
    if isinstance(value, ast.Dict):
        parts = _entries(value)
        if (
            parts is None
            or "optimizer" not in parts
            or set(parts) - {"optimizer", "lr_scheduler", "monitor"}
        ):
            return None
        return _with_scheduler(parts["optimizer"], parts.get("lr_scheduler"), parts.get("monitor"))
    if isinstance(value, ast.List | ast.Tuple):
        elements = value.elts
        lists = [one.elts for one in elements if isinstance(one, ast.List | ast.Tuple)]
        if len(elements) == 2 and len(lists) == 2:
            if len(lists[0]) != 1 or len(lists[1]) > 1:
                return None
            return _with_scheduler(lists[0][0], lists[1][0] if lists[1] else None, None)
        if len(elements) == 1 and not lists:
            return Optimizers(elements[0])
        return None
    if isinstance(value, ast.Name | ast.Call):
        return Optimizers(value)
    return None


def _with_scheduler(
    optimizer: ast.expr, scheduler: ast.expr | None, monitor: ast.expr | None
) -> Optimizers | None:
    options: dict[str, ast.expr] = {"monitor": monitor} if monitor is not None else {}
    if isinstance(scheduler, ast.Dict):
        entries = _entries(scheduler)
        if entries is None or "scheduler" not in entries:
            return None
        scheduler, options = entries.pop("scheduler"), {**options, **entries}
    options.pop("name", None)
    values: dict[str, Any] = {key: getattr(one, "value", None) for key, one in options.items()}
    known = {"interval": "epoch", "frequency": 1, "monitor": "", "strict": True}
    if set(values) - set(known) or any(
        not isinstance(value, type(known[key])) for key, value in values.items()
    ):
        return None
    values.pop("strict", None)
    return Optimizers(optimizer, scheduler, **values)


def _entries(node: ast.Dict) -> dict[str, ast.expr] | None:
    keys = [one.value if isinstance(one, ast.Constant) else None for one in node.keys]
    if not all(isinstance(one, str) for one in keys):
        return None
    return {str(key): value for key, value in zip(keys, node.values, strict=True)}


def returns_of(method: ast.FunctionDef) -> Iterator[ast.Return]:
    """Yield the return statements of a function, without those of functions inside it."""
    waiting: list[ast.AST] = list(method.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Return):
            yield node
        elif not isinstance(
            node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
        ):
            waiting += ast.iter_child_nodes(node)


def module_base(program: Program) -> str:
    """Return the name of torch's Module in a program; import it if necessary."""
    for node in program.tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                whole = f"{getattr(node, 'module', None) or ''}.{alias.name}".strip(".")
                if whole == "torch.nn" and (alias.asname or isinstance(node, ast.ImportFrom)):
                    return f"{alias.asname or 'nn'}.Module"
    program.imports.add("from torch import nn")
    return "nn.Module"


def _is_direct(node: ast.ClassDef, names: Imported) -> bool:
    return any(names.is_one(base, *_BASES) for base in node.bases)


def _chosen(call: ast.Call) -> tuple[list[str] | None, list[str] | None]:
    """Return the arguments that save_hyperparameters is told to save, and to leave out."""
    chosen: list[object] = [
        one.value if isinstance(one, ast.Constant) else None for one in call.args
    ]
    ignored: list[object] = []
    for keyword in call.keywords:
        if keyword.arg == "ignore":
            value = keyword.value
            parts = value.elts if isinstance(value, ast.List | ast.Tuple | ast.Set) else [value]
            ignored += [one.value if isinstance(one, ast.Constant) else None for one in parts]
        elif keyword.arg != "logger":
            return None, None
    return _texts(chosen), _texts(ignored)


def _texts(values: list[object]) -> list[str] | None:
    return [str(one) for one in values] if all(isinstance(one, str) for one in values) else None
