"""Lightning's Trainer, written as loops of plain torch."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from workbench.unwrap.accelerated import seeds
from workbench.unwrap.lightning_callbacks import Reader
from workbench.unwrap.lightning_fits import Fit, Given, evaluation
from workbench.unwrap.lightning_modules import (
    PACKAGES,
    Kind,
    Module,
    modules_of,
    rewrite_classes,
)
from workbench.unwrap.names import (
    Imported,
    arguments_of,
    bound_call,
    is_plain,
    is_value,
    loops_around,
    uses_of,
)
from workbench.unwrap.program import Program

# Arguments of Trainer that change no value, with the values for which that is so; None for any.
_SETTINGS: dict[str, tuple[object, ...] | None] = {
    "accelerator": ("cpu", "auto", "gpu", "cuda"),
    "strategy": ("auto",),
    "devices": (1, "auto"),
    "num_nodes": (1,),
    "precision": (32, "32", "32-true", None, "bf16-mixed", "bf16"),
    "logger": (True, False, None),
    "fast_dev_run": (False,),
    "check_val_every_n_epoch": (1,),
    "max_time": (None,),
    "max_steps": (-1,),
    "min_epochs": (None, 1),
    "val_check_interval": (None, 1.0),
    "limit_train_batches": (None, 1.0),
    "limit_val_batches": (None, 1.0),
    "limit_test_batches": (None, 1.0),
    "overfit_batches": (0.0, 0),
    "use_distributed_sampler": None,
    "num_sanity_val_steps": None,
    "log_every_n_steps": None,
    "enable_checkpointing": None,
    "enable_progress_bar": None,
    "enable_model_summary": None,
    "deterministic": None,
    "benchmark": None,
    "inference_mode": None,
    "profiler": (None,),
    "detect_anomaly": (False,),
    "default_root_dir": None,
    "gradient_clip_algorithm": ("norm", "value", None),
}
_VALUES = ("max_epochs", "gradient_clip_val", "accumulate_grad_batches")
_STAGES = {"validate": "validation", "test": "test"}
_METRICS = frozenset({"callback_metrics", "logged_metrics"})
_MONITORS = {"checkpoint_callback": "ModelCheckpoint", "early_stopping_callback": "EarlyStopping"}
_BEST = "best"  # the checkpoint that the ModelCheckpoint has saved


def rewrite(program: Program, others: Mapping[str, Module]) -> None:
    """Rewrite the uses of Lightning in a program.

    Args:
        program: the program.
        others: the classes of Lightning in other files, by name.
    """
    names = Imported(program, PACKAGES)
    own = modules_of(program, names, others)
    if not names and not own:
        return
    modules = {**others, **own}
    rewrite_classes(program, names, {name: others.get(name, one) for name, one in own.items()})
    for call in list(names.calls("seed_everything")):
        _seed(program, call)
    for call in list(names.calls("Trainer")):
        _Trainer(program, names, call, modules).rewrite()
    names.finish()


def _seed(program: Program, call: ast.Call) -> None:
    arguments = arguments_of(call, ["seed"]) or {}
    outer = program.parents[call]
    if "seed" not in arguments or not isinstance(outer, ast.Expr):
        program.refuse(call, "seed_everything: give the seed, as a statement")
        return
    if "workers" in arguments:
        program.note(call, "workers of loaders draw from torch's own seeds in the plain loop")
    program.replace_statement(outer, seeds(program, program.source(arguments["seed"])))


class _Trainer:
    """The uses of one Trainer."""

    def __init__(
        self, program: Program, names: Imported, call: ast.Call, modules: Mapping[str, Module]
    ) -> None:
        self._program, self._call, self._modules = program, call, modules
        self._reader = Reader(program, names, modules)
        self._given = Given(self._reader.found)
        self._models: set[str] = set()
        self._checks, self._fits = True, 0

    def rewrite(self) -> None:
        """Rewrite the construction of the Trainer, and every use of it."""
        program, call = self._program, self._call
        self._read_settings()
        outer = program.parents[call]
        if isinstance(outer, ast.Attribute):
            self._use(outer)
            return
        name = bound_call(program, call)
        if name is None:
            program.refuse(call, "the Trainer has no name of its own: bind it to one name, once")
            return
        uses = [program.parents[one] for one in uses_of(program, name, call)]
        for use in sorted(uses, key=lambda one: getattr(one, "lineno", 0)):
            if isinstance(use, ast.Attribute):
                self._use(use)
            elif use not in program.handled:
                program.refuse(use, f"{name} is passed on: call its methods where it is made")
        program.remove(program.statement(call))

    def _read_settings(self) -> None:
        program, call = self._program, self._call
        program.handled.update(ast.walk(call))
        arguments = arguments_of(call)
        if arguments is None:
            program.refuse(call, "Trainer: write its arguments by name, without stars")
            return
        for key, value in arguments.items():
            if key in _VALUES:
                self._given.values[key] = value
                if not is_plain(value):
                    program.refuse(value, f"Trainer({key}=...): bind the value to a name first")
            elif key == "callbacks":
                if not is_value(value, None):
                    self._reader.read(value)
            elif key not in _SETTINGS:
                program.refuse(value, f"Trainer({key}=...) has no form in plain torch here")
            elif key == "precision" and self._is_on_cpu(arguments) and _is_half(value):
                pass  # Lightning takes bfloat16 on a CPU
            elif not self._is_harmless(key, value):
                self._refuse_setting(key, value)
        if "gradient_clip_algorithm" in arguments:
            self._given.values["gradient_clip_algorithm"] = arguments["gradient_clip_algorithm"]
        if _is_mixed(arguments.get("precision")):
            self._given.device = _device(arguments.get("accelerator"))
        has_file = bool(self._given.callbacks.checkpoint())
        if not has_file and not is_value(arguments.get("enable_checkpointing"), False):
            program.note(
                call, "Lightning saves a checkpoint of each epoch; the plain loop saves none"
            )
        self._checks = not is_value(arguments.get("num_sanity_val_steps"), 0)
        program.note(
            call, "the plain loop runs where the model and its batches are: move both yourself"
        )

    @staticmethod
    def _is_harmless(key: str, value: ast.expr) -> bool:
        allowed = _SETTINGS[key]
        if allowed is None:
            return True
        return isinstance(value, ast.Constant) and any(
            value.value == one and type(value.value) is type(one) for one in allowed
        )

    def _refuse_setting(self, key: str, value: ast.expr) -> None:
        program = self._program
        if key == "logger":
            program.refuse(
                value, "loggers are not unwrapped: write the model's values, logged, yourself"
            )
            return
        instead = ""
        if key == "precision":
            instead = ": take bf16-mixed, or write torch.autocast and a GradScaler in the loop"
            if not _is_half(value):
                instead = ": move the model and its batches to this dtype yourself"
        program.refuse(value, f"Trainer({key}={program.source(value)}) is not unwrapped{instead}")

    @staticmethod
    def _is_on_cpu(arguments: Mapping[str, ast.expr]) -> bool:
        return is_value(arguments.get("accelerator"), "cpu")

    # Uses -------------------------------------------------------------------------------------

    def _use(self, use: ast.Attribute) -> None:
        program = self._program
        call = program.parents[use]
        outer = program.parents[call]
        if use.attr in _METRICS:
            self._metrics(use)
        elif use.attr in _MONITORS:
            self._monitor(use)
        elif not isinstance(call, ast.Call) or not isinstance(outer, ast.Expr):
            program.refuse(use, f"Trainer.{use.attr} has no form in plain torch here as a value")
        elif use.attr == "fit":
            self._fit(call, outer)
        elif use.attr in _STAGES:
            self._evaluate(call, outer, use.attr)
        elif use.attr == "save_checkpoint":
            instead = "save the model's state_dict() with torch.save"
            program.refuse(use, f"Trainer.save_checkpoint is not unwrapped: {instead}")
        else:
            program.refuse(use, f"Trainer.{use.attr} has no form in plain torch here")

    def _metrics(self, use: ast.Attribute) -> None:
        program = self._program
        if len(self._models) == 1:
            program.replace(use, f"{next(iter(self._models))}.logged")
        else:
            program.refuse(
                use, f"Trainer.{use.attr}: it isn't clear which model has logged the values"
            )

    def _monitor(self, use: ast.Attribute) -> None:
        """Write the name of a monitor for the Trainer's attribute."""
        kind = _MONITORS[use.attr]
        found = [name for name, one in self._given.callbacks.monitors if one == kind]
        if found:
            self._program.replace(use, found[0])
        else:
            self._program.refuse(use, f"Trainer.{use.attr}: no {kind} is among its callbacks")

    def _model(self, node: ast.expr, lines: list[str]) -> tuple[str, Module] | None:
        """Return the name of a model, and its class."""
        program = self._program
        found = self._class_of(node)
        if found is None or found.kind is not Kind.MODEL:
            what = "its class is not in this program; unwrap the folder that has both"
            program.refuse(node, f"{program.source(node)}: {what}")
            return None
        return self._named(node, "model", lines), found

    def _class_of(self, node: ast.expr) -> Module | None:
        program = self._program
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self._modules.get(node.func.id)
        if isinstance(node, ast.Name):
            for other in program.bound(node.id):
                statement = program.statement(other) if not isinstance(other, ast.arg) else None
                value = _assigned(statement, other)
                if isinstance(value, ast.Call):
                    return self._class_of(value)
                if isinstance(other, ast.arg) and isinstance(other.annotation, ast.Name):
                    return self._modules.get(other.annotation.id)
        return None

    def _named(self, node: ast.expr, name: str, lines: list[str]) -> str:
        """Return a name for a value; bind it if it has none."""
        if isinstance(node, ast.Name):
            return node.id
        name = self._program.fresh(name, node)
        lines.append(f"{name} = {self._program.source(node)}")
        return name

    # Loops ------------------------------------------------------------------------------------

    def _fit(self, call: ast.Call, statement: ast.Expr) -> None:
        program = self._program
        given = arguments_of(call, ["model", "train_dataloaders", "val_dataloaders", "datamodule"])
        if (
            given is None
            or "model" not in given
            or set(given)
            - {
                "model",
                "train_dataloaders",
                "val_dataloaders",
                "datamodule",
            }
        ):
            program.refuse(
                call, "Trainer.fit: only a model, loaders and a data module are unwrapped"
            )
            return
        lines: list[str] = []
        found = self._model(given["model"], lines)
        if found is None or not self._is_supported(call, found[1]):
            return
        model, module = found
        self._models.add(model)
        loaders = self._loaders(given, model, module, "train", lines, "fit")
        if loaders is None:
            return
        if loaders[1] and module.has("validation_step") and self._checks:
            message = (
                "Lightning runs two batches of validation before training; the plain loop does not"
            )
            program.note(call, message)
        writer = Fit(program, call, model, module, self._given)
        lines += [*self._given.callbacks.take_lines(), *writer.lines(*loaders)]
        program.replace_statement(statement, lines)

    def _is_supported(self, call: ast.Call, module: Module) -> bool:
        program = self._program
        before = len(program.refusals)
        epochs = self._given.values.get("max_epochs")
        if epochs is None or isinstance(epochs, ast.UnaryOp) or is_value(epochs, None):
            program.refuse(self._call, "Trainer has no max_epochs: give the number of epochs")
        if self._fits or loops_around(program, call) != loops_around(program, self._call):
            program.refuse(call, "a Trainer fits once, and does nothing the second time")
        self._fits += 1
        for step in ("training_step", "configure_optimizers"):
            if not module.has(step):
                program.refuse(call, f"{module.name} has no {step}")
        return len(program.refusals) == before

    def _loaders(
        self,
        given: Mapping[str, ast.expr],
        model: str,
        module: Module,
        first: str,
        lines: list[str],
        stage: str,
    ) -> tuple[str, str] | None:
        """Return the names of the loaders of a stage, and of validation; add their statements."""
        program = self._program
        data = self._data(given)
        source, owner = model, module
        if data is not None:
            found = self._class_of(data)
            if found is None:
                program.refuse(data, f"{program.source(data)}: its class is not in this program")
                return None
            source, owner = self._named(data, "data", lines), found
            lines += _prepared(source, owner, stage)
        lines += _prepared(model, module, stage)
        names = []
        keys = {"train": "train_dataloaders", "val": "val_dataloaders", "test": "dataloaders"}
        for kind in (first, "val") if first == "train" else (first,):
            node = given.get(keys[kind]) or (given.get("dataloaders") if first == kind else None)
            if node is not None and node is not data:
                if isinstance(node, ast.List | ast.Tuple | ast.Dict):
                    program.refuse(node, "several loaders are not unwrapped")
                    return None
                names.append(self._named(node, f"{kind}_loader", lines))
            elif owner.has(f"{kind}_dataloader"):
                name = program.fresh(f"{kind}_loader", self._call)
                lines.append(f"{name} = {source}.{kind}_dataloader()")
                names.append(name)
            else:
                names.append("")
        if not names[0]:
            program.refuse(
                self._call, f"no loader for {first} was found in the call or the classes"
            )
            return None
        return names[0], names[-1]

    def _data(self, given: Mapping[str, ast.expr]) -> ast.expr | None:
        """Return the data module of a call, which may be given in the place of a loader."""
        for key in ("train_dataloaders", "dataloaders"):
            found = self._class_of(given[key]) if key in given else None
            if found is not None and found.kind is Kind.DATA:
                return given[key]
        return given.get("datamodule")

    def _evaluate(self, call: ast.Call, statement: ast.Expr, method: str) -> None:
        program, stage = self._program, _STAGES[method]
        given = arguments_of(call, ["model", "dataloaders"])
        known = {"model", "dataloaders", "datamodule", "verbose", "ckpt_path"}
        if given is None or "model" not in given or set(given) - known:
            program.refuse(call, f"Trainer.{method}: only a model and a loader are unwrapped")
            return
        lines: list[str] = []
        found = self._model(given["model"], lines)
        if found is None:
            return
        model, module = found
        if not module.has(f"{stage}_step"):
            program.refuse(call, f"{module.name} has no {stage}_step")
            return
        self._models.add(model)
        kind = "val" if stage == "validation" else "test"
        loaders = self._loaders(given, model, module, kind, lines, method)
        if loaders is None:
            return
        lines += self._given.callbacks.take_lines()
        lines += self._loaded(given.get("ckpt_path"), model)
        if module.logs:
            lines.append(f"{model}.logged = {{}}")
        lines.append(evaluation(program, module, stage, self._given, model, loaders[0]))
        program.replace_statement(statement, lines)

    def _loaded(self, path: ast.expr | None, model: str) -> list[str]:
        """Return the statement that loads the weights that `ckpt_path` names."""
        checkpoint = self._given.callbacks.checkpoint()
        if path is None or is_value(path, None):
            return []
        program = self._program
        text = program.source(path)
        if is_value(path, _BEST) and checkpoint:
            text = f"{checkpoint}.best_model_path"
        elif not checkpoint or text != f"{checkpoint}.best_model_path":
            program.refuse(path, "ckpt_path: only the best file of a ModelCheckpoint is loaded")
        program.imports.add("import torch")
        return [f"{model}.load_state_dict(torch.load({text}))"]


def _assigned(statement: ast.stmt | None, name: ast.AST) -> ast.expr | None:
    """Return what a statement assigns to a name: its value, or a part of `a, b = first, second`."""
    if not isinstance(statement, ast.Assign):
        return None
    for target in statement.targets:
        if target is name:
            return statement.value
        if isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
            for one, value in zip(target.elts, statement.value.elts, strict=False):
                if one is name:
                    return value
    return None


def _is_mixed(value: ast.expr | None) -> bool:
    """Return whether a precision computes some operations in another dtype."""
    return isinstance(value, ast.Constant) and "16" in str(value.value)


def _is_half(value: ast.expr) -> bool:
    return any(is_value(value, one) for one in (16, "16", "16-mixed"))


def _device(accelerator: ast.expr | None) -> str:
    """Return the kind of device that an accelerator names, as an expression of `{model}`."""
    if is_value(accelerator, "cpu"):
        return '"cpu"'
    if is_value(accelerator, "gpu") or is_value(accelerator, "cuda"):
        return '"cuda"'
    return "next({model}.parameters()).device.type"


def _prepared(name: str, module: Module, stage: str) -> list[str]:
    """Return the calls that prepare a module for a stage."""
    lines = [f"{name}.prepare_data()"] if module.has("prepare_data") else []
    if module.has("setup"):
        takes = len(module.methods["setup"].args.args) > 1
        lines.append(f'{name}.setup("{stage}")' if takes else f"{name}.setup()")
    return lines
