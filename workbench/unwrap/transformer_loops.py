"""The Trainer of transformers with a model of plain torch, written as a loop of plain torch."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from workbench.unwrap.accelerated import seeded, seeds
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
from workbench.words import words

_PACKAGE = "transformers"
_ANY = object()
# Arguments of TrainingArguments that are read, with their defaults.
_READ: dict[str, object] = {
    "num_train_epochs": 3,
    "per_device_train_batch_size": 8,
    "per_device_eval_batch_size": 8,
    "learning_rate": 5e-5,
    "weight_decay": 0.0,
    "adam_beta1": 0.9,
    "adam_beta2": 0.999,
    "adam_epsilon": 1e-8,
    "max_grad_norm": 1.0,
    "lr_scheduler_type": "linear",
    "warmup_steps": 0,
    "gradient_accumulation_steps": 1,
    "dataloader_drop_last": False,
    "eval_strategy": "no",
    "seed": 42,
}
# Arguments that change no value of the training, with the values for which that is so.
_SETTINGS: dict[str, tuple[object, ...]] = {
    "output_dir": (_ANY,),
    "logging_steps": (_ANY,),
    "logging_dir": (_ANY,),
    "logging_strategy": (_ANY,),
    "logging_first_step": (_ANY,),
    "save_strategy": (_ANY,),
    "save_steps": (_ANY,),
    "save_total_limit": (_ANY,),
    "report_to": (_ANY,),
    "disable_tqdm": (_ANY,),
    "log_level": (_ANY,),
    "run_name": (_ANY,),
    "use_cpu": (_ANY,),
    "dataloader_pin_memory": (_ANY,),
    "do_train": (_ANY,),
    "do_eval": (_ANY,),
    "push_to_hub": (False,),
    "fp16": (False,),
    "bf16": (False,),
    "load_best_model_at_end": (False,),
    "max_steps": (-1,),
    "dataloader_num_workers": (0,),
    "optim": ("adamw_torch", "adamw_torch_fused"),
    "remove_unused_columns": (False, True),
    "prediction_loss_only": (_ANY,),
}
_NAMES = (
    "generator sampler loader optimizer scheduler epoch batch batch_idx steps size outputs loss"
)
_TRAINER = ["model", "args", "data_collator", "train_dataset", "eval_dataset"]
_COLLATE = '''
def collate(examples):
    """Return a batch of examples as a dictionary of tensors; `label` becomes `labels`."""
    first, batch = examples[0], {}
    for key, value in first.items():
        name = "labels" if key in ("label", "label_ids") else key
        if value is None or isinstance(value, str):
            continue
        values = [example[key] for example in examples]
        if key == "label":
            number = value.item() if isinstance(value, torch.Tensor) else value
            is_whole = isinstance(number, (int, np.integer))
            batch[name] = torch.tensor(values, dtype=torch.long if is_whole else torch.float)
        elif isinstance(value, torch.Tensor):
            batch[name] = torch.stack(values)
        elif isinstance(value, np.ndarray):
            batch[name] = torch.from_numpy(np.stack(values))
        else:
            batch[name] = torch.tensor(values)
    return batch
'''
_DECAYED = '''
def decay_groups(model, weight_decay):
    """Return the parameters of a model in two groups: biases and norms do not decay."""
    pattern = r"bias|layernorm|rmsnorm|(?:^|\\.)norm(?:$|\\.)|_norm(?:$|\\.)"
    norms = {
        name
        for prefix, module in model.named_modules()
        if isinstance(module, nn.LayerNorm)
        for name, _ in module.named_parameters(prefix)
    }
    decayed, others = [], []
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            is_decayed = name not in norms and not re.search(pattern, name.lower())
            (decayed if is_decayed else others).append(parameter)
    return [
        {"params": decayed, "weight_decay": weight_decay},
        {"params": others, "weight_decay": 0.0},
    ]
'''


def rewrite(program: Program, forwards: Mapping[str, ast.FunctionDef]) -> None:
    """Rewrite the uses of the Trainer in a program.

    Args:
        program: the program.
        forwards: the methods `forward` of classes in this file and others, by the class's name.
    """
    names = Imported(program, {_PACKAGE})
    trainers = list(names.calls("Trainer"))
    if not trainers:
        return
    for call in list(names.calls("set_seed")):
        seeded(program, call)
    for call in trainers:
        name = bound_call(program, call)
        if name is None:
            program.refuse(call, "the Trainer has no name of its own: bind it to one name, once")
        else:
            _Trainer(program, names, call, name, forwards).rewrite()
    names.finish({"Trainer", "TrainingArguments", "set_seed"})


class _Trainer:
    """The uses of one Trainer."""

    def __init__(
        self,
        program: Program,
        names: Imported,
        call: ast.Call,
        name: str,
        forwards: Mapping[str, ast.FunctionDef],
    ) -> None:
        self._program, self._names, self._call, self._name = program, names, call, name
        self._forwards = forwards
        self._given: dict[str, ast.expr] = {}
        self._parts: dict[str, ast.expr] = {}
        self._trains = 0

    def rewrite(self) -> None:
        """Rewrite the construction of the Trainer, and every use of it."""
        program = self._program
        if not self._read():
            return
        for use in [program.parents[one] for one in uses_of(program, self._name, self._call)]:
            call = program.parents[use]
            if not isinstance(use, ast.Attribute) or not isinstance(call, ast.Call):
                program.refuse(
                    use, "the Trainer is used as a value: call its methods where it is made"
                )
            elif use.attr == "train" and not call.args and not call.keywords:
                self._train(call)
            elif use.attr == "evaluate" and not call.keywords and len(call.args) < 2:
                self._evaluate(call)
            elif use.attr == "save_model":
                instead = "save the model's state_dict() with torch.save"
                program.refuse(use, f"Trainer.save_model is not unwrapped: {instead}")
            else:
                program.refuse(use, f"Trainer.{use.attr} has no form in plain torch here")
        seed = self._value("seed")
        program.replace_statement(program.statement(self._call), seeds(program, seed))

    # Settings ---------------------------------------------------------------------------------

    def _read(self) -> bool:
        """Read the arguments; return False if the program is refused."""
        program, call = self._program, self._call
        before = len(program.refusals)
        program.handled.update(ast.walk(call))
        parts = arguments_of(call, _TRAINER)
        if parts is None:
            program.refuse(call, "Trainer: write its arguments by name, without stars")
            return False
        self._parts = parts
        for key in set(parts) - set(_TRAINER):
            program.refuse(
                parts[key], f"Trainer({key}=...) is not unwrapped: use it in the plain loop"
            )
        for key in ("model", "train_dataset"):
            if not isinstance(parts.get(key), ast.Name):
                program.refuse(call, f"Trainer: bind its {key} to a name")
        settings = self._settings(parts.get("args"))
        if settings is None:
            program.refuse(call, "Trainer: its TrainingArguments are not in this program")
            return False
        for key, value in settings.items():
            self._read_setting(key, value)
        self._check_model()
        message = "the plain loop runs where the model and its batches are: move both yourself"
        program.note(call, message)
        program.note(call, "the plain loop saves no checkpoints, and prints no values of training")
        return len(program.refusals) == before

    def _settings(self, node: ast.expr | None) -> dict[str, ast.expr] | None:
        program = self._program
        call: ast.AST | None = node
        if isinstance(node, ast.Name):
            made = list(self._names.calls("TrainingArguments"))
            mine = [one for one in made if bound_call(program, one) == node.id]
            reads = [(one, list(uses_of(program, node.id, one))) for one in mine]
            call, uses = next((pair for pair in reads if node in pair[1]), (None, []))
            for use in uses:
                outer = program.parents[use]
                if not isinstance(outer, ast.keyword | ast.Call):
                    program.refuse(
                        outer, "TrainingArguments are read or changed here: use a name of your own"
                    )
        if not isinstance(call, ast.Call):
            return None
        found = arguments_of(call, ["output_dir"])
        if found is None:
            return None
        program.handled.update(ast.walk(call))
        if isinstance(node, ast.Name):
            program.remove(program.statement(call))
        return found

    def _read_setting(self, key: str, value: ast.expr) -> None:
        program = self._program
        is_constant = isinstance(value, ast.Constant)
        if key in _READ:
            texts = ("lr_scheduler_type", "eval_strategy", "dataloader_drop_last", "warmup_steps")
            counts = ("gradient_accumulation_steps", "num_train_epochs")
            if not is_plain(value) or (
                key in (*texts, *counts, "max_grad_norm") and not is_constant
            ):
                program.refuse(value, f"TrainingArguments({key}=...): write the value out")
            elif key in (*counts, "warmup_steps") and not isinstance(
                getattr(value, "value", 0), int
            ):
                program.refuse(
                    value, f"TrainingArguments({key}=...): only whole numbers are unwrapped"
                )
            elif is_value(value, None) or is_value(value, "auto"):
                program.refuse(value, f"TrainingArguments({key}=...): write a number")
            self._given[key] = value
        elif key not in _SETTINGS:
            program.refuse(value, f"TrainingArguments({key}=...) is not unwrapped")
        elif _ANY not in _SETTINGS[key] and (
            not is_constant or getattr(value, "value", None) not in _SETTINGS[key]
        ):
            program.refuse(
                value, f"TrainingArguments({key}={program.source(value)}) is not unwrapped"
            )
        if key == "lr_scheduler_type" and getattr(value, "value", "") not in _SCHEDULES:
            program.refuse(value, f"the schedule {program.source(value)} is not unwrapped")
        if key == "eval_strategy" and getattr(value, "value", "") not in ("no", "epoch"):
            program.refuse(value, f"evaluation by {program.source(value)} is not unwrapped")

    def _check_model(self) -> None:
        program, model = self._program, self._parts.get("model")
        forward = self._forward()
        if model is None:
            return
        if forward is None:
            what = "its class is not in this program; only models of plain torch are unwrapped"
            program.refuse(model, f"{program.source(model)}: {what}")
        elif forward.args.kwarg is not None:
            what = "its forward takes any keywords, and the Trainer passes num_items_in_batch to it"
            program.refuse(model, f"{program.source(model)}: {what}")

    def _forward(self) -> ast.FunctionDef | None:
        model = self._parts.get("model")
        if isinstance(model, ast.Name):
            for one in self._program.bound(model.id):
                statement = self._program.statement(one)
                if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
                    return self._forwards.get(ast.unparse(statement.value.func).rpartition(".")[2])
        return None

    def _value(self, key: str) -> str:
        """Return a setting as it is written in the program."""
        if key in self._given:
            return self._program.source(self._given[key])
        return repr(_READ[key])

    def _part(self, key: str) -> str:
        return self._program.source(self._parts[key])

    # Loops ------------------------------------------------------------------------------------

    def _collator(self) -> str:
        if "data_collator" in self._parts:
            return self._part("data_collator")
        self._program.imports |= {"import torch", "import numpy as np"}
        self._program.definitions["collate"] = _COLLATE
        return "collate"

    def _loss(self, call: str) -> list[str]:
        """Return the statements that compute the loss of a model's outputs."""
        forward = self._forward()
        values = (
            [one.value for one in ast.walk(forward) if isinstance(one, ast.Return)]
            if forward
            else []
        )
        if values and all(isinstance(one, ast.Dict) for one in values):
            return [f'loss = {call}["loss"]']
        if values and all(isinstance(one, ast.Tuple) for one in values):
            return [f"loss = {call}[0]"]
        return [
            f"outputs = {call}",
            'loss = outputs["loss"] if isinstance(outputs, dict) else outputs[0]',
        ]

    def _train(self, call: ast.Call) -> None:
        program = self._program
        statement = program.parents[call]
        if self._trains or loops_around(program, call) != loops_around(program, self._call):
            program.refuse(call, "Trainer.train goes on the second time: write the loop by hand")
            return
        self._trains += 1
        if not isinstance(statement, ast.Expr):
            program.refuse(
                call, "Trainer.train: its result is not unwrapped; call it as a statement"
            )
            return
        names = {name: program.fresh(name, call) for name in words(_NAMES)}
        if any(name != new for name, new in names.items()):
            taken = next(name for name, new in names.items() if name != new)
            program.refuse(call, f"the name {taken} is used here already: rename it")
            return
        program.imports |= {
            "import torch",
            "from torch.utils.data import DataLoader, RandomSampler",
        }
        program.replace_statement(statement, self._lines())

    def _lines(self) -> list[str]:
        model, data = self._part("model"), self._part("train_dataset")
        every, epochs = self._value("gradient_accumulation_steps"), self._value("num_train_epochs")
        seed, schedule = self._value("seed"), self._schedule()
        drop = ", drop_last=True" if self._value("dataloader_drop_last") == "True" else ""
        options = f"batch_size={self._value('per_device_train_batch_size')}, sampler=sampler{drop}"
        accumulates = every != "1"
        loss = self._loss(f"{model}(**batch)")
        updates = [*self._clipping(model), "optimizer.step()"]
        updates += ["scheduler.step()"] if schedule else []
        updates += ["optimizer.zero_grad()"]
        if accumulates:
            head = "for batch_idx, batch in enumerate(loader):"
            size = f"size = min({every}, len(loader) - batch_idx // {every} * {every})"
            body = [*loss, size, "(loss / size).backward()"]
            body.append(f"if (batch_idx + 1) % {every} == 0 or batch_idx + 1 == len(loader):")
            body += [f"    {line}" for line in updates]
        else:
            head, body = "for batch in loader:", [*loss, "loss.backward()", *updates]
        lines = [
            "generator = torch.Generator()",
            f"sampler = RandomSampler({data}, generator=generator)",
            f"loader = DataLoader({data}, {options}, collate_fn={self._collator()})",
            f"optimizer = torch.optim.AdamW({self._groups(model)}, {self._options()})",
        ]
        if schedule:
            steps = "len(loader)" if not accumulates else f"math.ceil(len(loader) / {every})"
            self._program.imports |= {"import math"} if accumulates else set()
            lines += [f"steps = {epochs} * {steps}", *schedule]
        lines += [
            f"for epoch in range({epochs}):",
            f"    generator.manual_seed({seed} + epoch)",
            f"    {model}.train()",
            f"    {head}",
            *(f"        {line}" for line in body),
        ]
        if self._value("eval_strategy").strip("\"'") == "epoch":
            lines.append(f"    print({self._evaluation(None)})")
        return lines

    def _options(self) -> str:
        betas = f"({self._value('adam_beta1')}, {self._value('adam_beta2')})"
        values = {
            "lr": self._value("learning_rate"),
            "betas": betas,
            "eps": self._value("adam_epsilon"),
        }
        defaults = {"betas": "(0.9, 0.999)", "eps": "1e-08"}
        parts = [f"{key}={one}" for key, one in values.items() if defaults.get(key) != one]
        if self._decay in ("0.0", "0"):
            parts.append("weight_decay=0.0")
        return ", ".join(parts)

    @property
    def _decay(self) -> str:
        return self._value("weight_decay")

    def _groups(self, model: str) -> str:
        if self._decay in ("0.0", "0"):
            return f"{model}.parameters()"
        self._program.imports |= {"import re", "from torch import nn"}
        self._program.definitions["decay_groups"] = _DECAYED
        return f"decay_groups({model}, {self._decay})"

    def _clipping(self, model: str) -> list[str]:
        limit = self._value("max_grad_norm")
        if float(limit) <= 0:
            return []
        return [f"torch.nn.utils.clip_grad_norm_({model}.parameters(), {limit})"]

    def _schedule(self) -> list[str]:
        """Return the statements that make the schedule of the learning rate."""
        kind = self._value("lr_scheduler_type").strip("\"'")
        if not _SCHEDULES.get(kind):
            return []
        warmup = self._value("warmup_steps")
        factor = _SCHEDULES[kind].format(
            progress=f"(step - {warmup}) / max(1, steps - {warmup})"
            if warmup != "0"
            else "step / max(1, steps)"
        )
        if "math." in factor:
            self._program.imports.add("import math")
        if warmup != "0":
            factor = f"step / {warmup} if step < {warmup} else {factor}"
        return [
            "scheduler = torch.optim.lr_scheduler.LambdaLR(",
            f"    optimizer, lambda step: {factor}",
            ")",
        ]

    # Evaluation -------------------------------------------------------------------------------

    def _evaluate(self, call: ast.Call) -> None:
        program = self._program
        outer = program.parents[call]
        data = call.args[0] if call.args else None
        if data is not None and not isinstance(data, ast.Name):
            program.refuse(call, "Trainer.evaluate: bind its data set to a name")
            return
        if not isinstance(outer, ast.Expr):
            message = "the plain function returns eval_loss only, without the times"
            program.note(call, message)
        program.replace(call, self._evaluation(data))

    def _evaluation(self, data: ast.expr | None) -> str:
        """Define the function that evaluates the model; return a call of it."""
        program = self._program
        if data is None and "eval_dataset" not in self._parts:
            program.refuse(self._call, "Trainer has no eval_dataset")
            return ""
        program.imports |= {"import torch", "from torch.utils.data import DataLoader"}
        loss = [f"        {line}" for line in self._loss("model(**batch)")]
        program.definitions["evaluate"] = "\n".join(
            [
                "@torch.no_grad()",
                "def evaluate(model, loader):",
                '    """Return the mean loss of the examples of a loader."""',
                "    model.eval()",
                "    total, count = 0.0, 0",
                "    for batch in loader:",
                *loss,
                "        size = len(next(iter(batch.values())))",
                "        total += loss.item() * size",
                "        count += size",
                '    return {"eval_loss": total / count}',
            ]
        )
        text = program.source(data) if data is not None else self._part("eval_dataset")
        size = self._value("per_device_eval_batch_size")
        loader = f"DataLoader({text}, batch_size={size}, collate_fn={self._collator()})"
        return f"evaluate({self._part('model')}, {loader})"


_SCHEDULES = {
    "linear": "max(0.0, 1 - {progress})",
    "cosine": "max(0.0, 0.5 * (1 + math.cos(math.pi * ({progress}))))",
    "constant": "",
    "constant_with_warmup": "1.0",
}
