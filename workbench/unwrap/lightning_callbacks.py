"""Callbacks of Lightning, written as objects that a plain loop calls."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.unwrap.lightning_modules import Kind, Module
from workbench.unwrap.names import Imported, arguments_of, is_value, uses_of
from workbench.unwrap.program import Program
from workbench.words import words

_STOPPING = '''
class EarlyStopping:
    """A rule that ends a training when a logged value has stopped improving."""

    def __init__(
        self, monitor, min_delta=0.0, patience=3, mode="min", strict=True, check_finite=True,
        stopping_threshold=None, divergence_threshold=None,
    ):
        self.monitor, self.patience, self.strict = monitor, patience, strict
        self.sign = 1 if mode == "min" else -1
        self.min_delta, self.check_finite = -self.sign * min_delta, check_finite
        self.stopping_threshold = stopping_threshold
        self.divergence_threshold = divergence_threshold
        self.best_score = torch.tensor(self.sign * float("inf"))
        self.wait_count = self.stopped_epoch = 0

    def is_better(self, value, other):
        return value < other if self.sign > 0 else value > other

    def stops(self, logged, epoch):
        """Return whether the training ends after an epoch with these logged values."""
        if not self.strict and self.monitor not in logged:
            return False
        value = logged[self.monitor].squeeze()
        limit, worst = self.stopping_threshold, self.divergence_threshold
        if self.check_finite and not torch.isfinite(value):
            stops = True
        elif limit is not None and self.is_better(value, limit):
            stops = True
        elif worst is not None and self.is_better(-value, -worst):
            stops = True
        elif self.is_better(value - self.min_delta, self.best_score.to(value.device)):
            self.best_score, self.wait_count, stops = value, 0, False
        else:
            self.wait_count += 1
            stops = self.wait_count >= self.patience
        if stops:
            self.stopped_epoch = epoch
        return stops
'''
_CHECKPOINT = '''
class ModelCheckpoint:
    """A file with the weights of the epoch that has the best logged value."""

    def __init__(self, monitor, dirpath, filename="best", mode="min"):
        self.monitor, self.mode = monitor, mode
        self.path = os.path.join(dirpath, f"{filename}.pt")
        self.best_model_path, self.best_model_score = "", None

    def save_if_best(self, model):
        score = model.logged[self.monitor]
        best = self.best_model_score
        if best is not None and not (score < best if self.mode == "min" else score > best):
            return
        if torch.isnan(score):
            score = torch.full_like(score, float("inf" if self.mode == "min" else "-inf"))
        os.makedirs(os.path.dirname(self.path) or ".", exist_ok=True)
        torch.save(model.state_dict(), self.path)
        self.best_model_path, self.best_model_score = self.path, score
'''
_DEFINITIONS = {
    "EarlyStopping": (_STOPPING, ["import torch"]),
    "ModelCheckpoint": (_CHECKPOINT, ["import os", "import torch"]),
}
_ORDER = {
    "EarlyStopping": words(
        "monitor min_delta patience verbose mode strict check_finite stopping_threshold"
        " divergence_threshold check_on_train_epoch_end log_rank_zero_only"
    ),
    "ModelCheckpoint": words("dirpath filename monitor verbose save_last save_top_k"),
}
# Arguments that change no value, with the values for which that is so; None for any.
_SETTINGS: dict[str, dict[str, tuple[object, ...] | None]] = {
    "EarlyStopping": {
        "verbose": None,
        "check_on_train_epoch_end": (None, True),
        "log_rank_zero_only": None,
    },
    "ModelCheckpoint": {
        "verbose": None,
        "save_last": (None, False),
        "save_top_k": (1,),
        "save_weights_only": None,
        "save_on_exception": (False,),
        "auto_insert_metric_name": None,
        "every_n_train_steps": (None,),
        "train_time_interval": (None,),
        "every_n_epochs": (None, 1),
        "save_on_train_epoch_end": (None, True),
        "enable_version_counter": None,
    },
}
_KEPT = {
    "EarlyStopping": words(
        "monitor min_delta patience mode strict check_finite stopping_threshold"
        " divergence_threshold"
    ),
    "ModelCheckpoint": words("dirpath filename monitor mode"),
}
_READ = {
    "EarlyStopping": frozenset(words("best_score wait_count stopped_epoch monitor patience")),
    "ModelCheckpoint": frozenset(words("best_model_path best_model_score monitor")),
}
_PLAIN_NAMES = {"EarlyStopping": "early_stopping", "ModelCheckpoint": "checkpoint"}
# Callbacks that only show what goes on.
_SHOWN = (
    "ProgressBar",
    "TQDMProgressBar",
    "RichProgressBar",
    "ModelSummary",
    "RichModelSummary",
    "DeviceStatsMonitor",
)


@dataclass
class Callbacks:
    """The callbacks of a Trainer.

    Attributes:
        lines: the statements that make those without a name.
        own: the names of the program's own callbacks, with their classes.
        monitors: the names of EarlyStopping and ModelCheckpoint objects, with their kind.
        uses: the facts that the program's own callbacks read.
    """

    lines: list[str] = field(default_factory=list)
    own: list[tuple[str, Module]] = field(default_factory=list)
    monitors: list[tuple[str, str]] = field(default_factory=list)

    @property
    def uses(self) -> set[str]:
        """Return the facts of the loop that the program's own callbacks read."""
        return {use for _, one in self.own for use in one.uses}

    def take_lines(self) -> list[str]:
        """Return the statements that make the callbacks; an empty list the second time."""
        lines, self.lines = self.lines, []
        return lines

    def checkpoint(self) -> str:
        """Return the name of the ModelCheckpoint, or an empty text."""
        return next((name for name, kind in self.monitors if kind == "ModelCheckpoint"), "")

    def calls(self, hook: str, arguments: str) -> list[str]:
        """Return the calls of a hook."""
        return [f"{name}.{hook}({arguments})" for name, one in self.own if one.has(hook)]

    def ends(self, model: str, epoch: str) -> list[str]:
        """Return what the monitors do at the end of an epoch."""
        stops = [
            f"{name}.stops({model}.logged, {epoch})"
            for name, kind in self.monitors
            if kind == "EarlyStopping"
        ]
        checkpoint = self.checkpoint()
        lines = [f"{checkpoint}.save_if_best({model})"] if checkpoint else []
        if len(stops) > 1:  # each counts the epochs, so none may be left out
            lines += [f"if any([{', '.join(stops)}]):", "    break"]
        elif stops:
            lines += [f"if {stops[0]}:", "    break"]
        return lines


class Reader:
    """The callbacks in the arguments of a Trainer.

    Args:
        program: the program.
        names: its names of Lightning.
        modules: the classes of Lightning in the project.
    """

    def __init__(self, program: Program, names: Imported, modules: Mapping[str, Module]) -> None:
        self._program, self._names, self._modules = program, names, modules
        self.found = Callbacks()

    def read(self, value: ast.expr) -> None:
        """Read the value of `callbacks`, and rewrite the constructions in it."""
        program = self._program
        if isinstance(value, ast.Name):
            made = self._made(value)
            if isinstance(made, ast.List):
                statement = program.statement(made)
                if len(list(uses_of(program, value.id, made))) > 1:
                    program.refuse(value, f"{value.id} is used elsewhere: write the list here")
                    return
                program.remove(statement)
                value = made
        for one in value.elts if isinstance(value, ast.List | ast.Tuple) else [value]:
            self._element(one)

    def _element(self, node: ast.expr) -> None:
        program = self._program
        made = self._made(node)
        name = node.id if isinstance(node, ast.Name) else ""
        if not isinstance(made, ast.Call):
            program.refuse(node, "callbacks: name each, as ModelCheckpoint(...) or a class here")
            return
        kind = self._names.dotted(made.func).rpartition(".")[2]
        own = self._modules.get(made.func.id) if isinstance(made.func, ast.Name) else None
        if kind in _SHOWN:
            if name:
                program.remove(program.statement(made))
            program.note(made, f"{kind} only shows values, and is not in the plain loop")
        elif kind in _DEFINITIONS:
            text = self._monitor(made, kind)
            name = name or self._named(_PLAIN_NAMES[kind], made, text)
            self.found.monitors.append((name, kind))
            self._check_reads(name, kind, made)
        elif own is not None and own.kind is Kind.CALLBACK:
            plain = "".join(f"_{one}" if one.isupper() else one for one in own.name).lower()
            name = name or self._named(plain.lstrip("_"), made, program.source(made))
            self.found.own.append((name, own))
        else:
            what = program.source(made.func)
            program.refuse(
                node, f"the callback {what} is not unwrapped: write it in the plain loop"
            )

    def _named(self, name: str, node: ast.expr, text: str) -> str:
        name = self._program.fresh(name, node)
        while any(name == other for other, _ in (*self.found.own, *self.found.monitors)):
            name = f"{name}_"
        self.found.lines.append(f"{name} = {text}")
        return name

    def _made(self, node: ast.expr) -> ast.expr | None:
        """Return what an expression is, or what its name is bound to once."""
        if not isinstance(node, ast.Name):
            return node
        bound = list(self._program.bound(node.id))
        statement = self._program.statement(bound[0]) if len(bound) == 1 else None
        return statement.value if isinstance(statement, ast.Assign) else None

    def _check_reads(self, name: str, kind: str, made: ast.Call) -> None:
        for node in uses_of(self._program, name, made):
            outer = self._program.parents[node]
            if isinstance(outer, ast.Attribute) and outer.attr not in _READ[kind]:
                self._program.refuse(outer, f"{kind}.{outer.attr} has no form in plain torch here")

    def _monitor(self, call: ast.Call, kind: str) -> str:
        """Rewrite the construction of EarlyStopping or ModelCheckpoint; return its text."""
        program = self._program
        given = arguments_of(call, _ORDER[kind])
        if given is None:
            program.refuse(call, f"{kind}: write its arguments by name, without stars")
            return ""
        for key, value in given.items():
            allowed = _SETTINGS[kind].get(key, ())
            is_known = key in _KEPT[kind] or allowed is None
            if not is_known and not any(is_value(value, one) for one in allowed or ()):
                program.refuse(value, f"{kind}({key}=...) has no form in plain torch here")
        if kind == "ModelCheckpoint":
            self._check_checkpoint(call, given)
        if "monitor" not in given or is_value(given["monitor"], None):
            program.refuse(call, f"{kind}: name the logged value that it monitors")
        text, imports = _DEFINITIONS[kind]
        program.definitions.setdefault(kind, text)
        program.imports |= set(imports)
        kept = [f"{key}={program.source(given[key])}" for key in _KEPT[kind] if key in given]
        made = f"{kind}({', '.join(kept)})"
        program.replace(call, made)
        return made

    def _check_checkpoint(self, call: ast.Call, given: dict[str, ast.expr]) -> None:
        program = self._program
        if "dirpath" not in given or is_value(given["dirpath"], None):
            program.refuse(call, "ModelCheckpoint: give the folder, dirpath")
        name = given.get("filename")
        if is_value(name, None):
            given.pop("filename", None)
        elif name is not None and (not isinstance(name, ast.Constant) or "{" in str(name.value)):
            program.note(call, "the file's name has no values in it: it is best.pt")
            given.pop("filename")
        if self.found.checkpoint():
            program.refuse(call, "a second ModelCheckpoint is not unwrapped: keep one")
        what = "keeps the state_dict of the best epoch in one .pt file; Lightning's has more"
        program.note(call, f"ModelCheckpoint {what} in it, and another name")
