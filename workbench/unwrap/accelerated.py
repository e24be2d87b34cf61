"""Programs with `accelerate.Accelerator`, written as plain torch for one device."""

from __future__ import annotations

import ast

from workbench.unwrap.names import Imported, arguments_of, bound_call, uses_of
from workbench.unwrap.program import Program

PACKAGE = "accelerate"
_STEPS = "gradient_accumulation_steps"
# Arguments of Accelerator that change nothing on one device, with the values for which that is so.
_SETTINGS = {
    "cpu": (True, False),
    "mixed_precision": ("no", None),
    "split_batches": (True, False),
    "device_placement": (True, False),
    "even_batches": (True, False),
    "rng_types": None,
    "project_dir": None,
    "step_scheduler_with_optimizer": (True,),
}
_VALUES = {
    "is_main_process": "True",
    "is_local_main_process": "True",
    "is_last_process": "True",
    "num_processes": "1",
    "process_index": "0",
    "local_process_index": "0",
}
_SAME = frozenset({"gather", "reduce", "unwrap_model", "pad_across_processes"})
_NOTHING = frozenset({"wait_for_everyone", "free_memory", "clear", "end_training"})
_CLIP = frozenset({"clip_grad_norm_", "clip_grad_value_"})
_BLOCKS = frozenset({"autocast", "no_sync", "main_process_first", "local_main_process_first"})
_INSTEAD = {
    "log": "write the values with a writer of your own",
    "init_trackers": "write the values with a writer of your own",
    "save_state": "save state_dict() of model, optimizer and scheduler with torch.save",
    "load_state": "load state_dict() of model, optimizer and scheduler with torch.load",
}


def rewrite(program: Program) -> None:
    """Rewrite the uses of accelerate in a program."""
    names = Imported(program, {PACKAGE})
    if not names:
        return
    for call in list(names.calls("set_seed")):
        seeded(program, call)
    for call in list(names.calls("Accelerator")):
        name = bound_call(program, call)
        if name is None:
            program.refuse(
                call, "the Accelerator has no name of its own: bind it to one name, once"
            )
        else:
            _Accelerator(program, call, name).rewrite()
    names.finish()


def seeded(program: Program, call: ast.Call) -> None:
    """Write a call that seeds all generators as one call for each."""
    arguments = arguments_of(call, ["seed"])
    outer = program.parents[call]
    if arguments is None or set(arguments) != {"seed"} or not isinstance(outer, ast.Expr):
        program.refuse(call, "give the seed alone, as a statement")
        return
    program.replace_statement(outer, seeds(program, program.source(arguments["seed"])))


def seeds(program: Program, seed: str) -> list[str]:
    """Return the statements that seed the generators of Python, NumPy and torch."""
    program.imports |= {"import random", "import numpy as np", "import torch"}
    return [f"random.seed({seed})", f"np.random.seed({seed})", f"torch.manual_seed({seed})"]


class _Accelerator:
    """The uses of one Accelerator."""

    def __init__(self, program: Program, call: ast.Call, name: str) -> None:
        self._program, self._call, self._name = program, call, name
        self._steps = 1
        self._prepared: set[str] = set()
        self._reads_device = False
        self._loops: dict[ast.For, str] = {}

    def rewrite(self) -> None:
        """Rewrite the construction and every use of the Accelerator."""
        program = self._program
        self._read_settings()
        uses = [program.parents[one] for one in uses_of(program, self._name, self._call)]
        prepared = [one for one in uses if isinstance(one, ast.Attribute) and one.attr == "prepare"]
        for member in prepared:
            self._prepare(member)
        for use in uses:
            if use in program.handled:
                continue
            if isinstance(use, ast.Attribute):
                self._member(use)
            else:
                what = "it is passed on: call its methods where it was made"
                program.refuse(use, f"{self._name} is used as a value; {what}")
        statement = program.statement(self._call)
        if self._reads_device:
            program.imports.add("import torch")
            device = 'torch.device("cuda" if torch.cuda.is_available() else "cpu")'
            program.replace_statement(statement, [f"{self._device} = {device}"])
        else:
            program.remove(statement)
            message = "the plain loop runs where the model and its batches are: move both yourself"
            program.note(self._call, message)
        message = (
            "settings of accelerate launch, such as mixed precision, are not in the plain loop"
        )
        program.note(self._call, message)

    def _read_settings(self) -> None:
        program, call = self._program, self._call
        program.handled.update(ast.walk(call))
        arguments = arguments_of(
            call, ["device_placement", "split_batches", "mixed_precision", _STEPS]
        )
        if arguments is None:
            program.refuse(call, "its arguments are hidden by stars: write them out")
            return
        for key, value in arguments.items():
            if key == _STEPS:
                if isinstance(value, ast.Constant) and isinstance(value.value, int):
                    self._steps = value.value
                else:
                    program.refuse(value, f"{_STEPS} is not a number in the text: write it out")
            elif key not in _SETTINGS:
                program.refuse(value, f"Accelerator({key}=...) has no form in plain torch here")
            elif (allowed := _SETTINGS[key]) is not None and (
                not isinstance(value, ast.Constant) or value.value not in allowed
            ):
                program.refuse(
                    value, f"Accelerator({key}={program.source(value)}) changes the training"
                )

    @property
    def _device(self) -> str:
        return self._program.fresh("device", self._call)

    # Members ----------------------------------------------------------------------------------

    def _prepare(self, use: ast.Attribute) -> None:
        program = self._program
        call = program.parents[use]
        outer = program.parents[call]
        if not isinstance(call, ast.Call) or call.keywords or not isinstance(outer, ast.Assign):
            program.refuse(use, "prepare: assign its results to names")
            return
        target = outer.targets[0]
        targets = target.elts if isinstance(target, ast.Tuple) else [target]
        names = [program.source(one) for one in targets]
        given = [program.source(one) for one in call.args]
        if len(outer.targets) != 1 or len(names) != len(given):
            program.refuse(use, "prepare: assign each of its results to one name")
            return
        self._prepared |= {*names, *given}
        pairs = [(name, value) for name, value in zip(names, given, strict=True) if name != value]
        program.note(
            outer,
            "Accelerator reads one batch ahead: a data set that draws random numbers with torch's"
            " own generator as it is read draws them in another order in the plain loop",
        )
        if pairs:
            left, right = (", ".join(one) for one in zip(*pairs, strict=True))
            program.replace_statement(outer, [f"{left} = {right}"])
        else:
            program.remove(outer)

    def _member(self, use: ast.Attribute) -> None:
        program, name = self._program, use.attr
        outer = program.parents[use]
        call = outer if isinstance(outer, ast.Call) and outer.func is use else None
        if name == "device":
            self._reads_device = True
            program.replace(use, self._device)
        elif name == "sync_gradients":
            self._synchronized(use)
        elif name in _VALUES and call is None:
            self._value(use)
        elif call is None:
            self._refuse(use)
        elif name in _BLOCKS or name == "accumulate":
            self._block(use, call)
        else:
            self._method(use, call)

    def _method(self, use: ast.Attribute, call: ast.Call) -> None:
        program, name = self._program, use.attr
        outer = program.parents[call]
        if name == "backward" and len(call.args) == 1 and not call.keywords:
            loss = program.source(call.args[0])
            simple = isinstance(call.args[0], ast.Name | ast.Attribute | ast.Call | ast.Subscript)
            if self._steps > 1:
                loss = f"({loss if simple else f'({loss})'} / {self._steps})"
            elif not simple:
                loss = f"({loss})"
            program.replace(call, f"{loss}.backward()")
        elif name in _CLIP:
            program.imports.add("import torch")
            program.replace(use, f"torch.nn.utils.{name}")
        elif name == "print":
            program.replace(use, "print")
        elif name == "save" and len(call.args) == 2 and not call.keywords:
            program.imports.add("import torch")
            program.replace(use, "torch.save")
        elif (name in _SAME or name == "gather_for_metrics") and call.args:
            if name == "gather_for_metrics":
                program.note(
                    call,
                    "gather_for_metrics cuts the values of a last, smaller batch to its number of"
                    " examples: the plain loop takes them as they are, so a value repeated to the"
                    " full batch size counts more",
                )
            program.replace(call, program.source(call.args[0]))
        elif name in _NOTHING and isinstance(outer, ast.Expr):
            program.remove(outer)
        else:
            self._refuse(use)

    def _refuse(self, use: ast.Attribute) -> None:
        instead = _INSTEAD.get(use.attr, "write it by hand")
        message = f"Accelerator.{use.attr} has no form in plain torch here: {instead}"
        self._program.refuse(use, message)

    def _value(self, use: ast.Attribute) -> None:
        """Write a fact about the processes; an `if` that tests it alone is its body."""
        program, value = self._program, _VALUES[use.attr]
        outer = program.parents[use]
        if value == "True" and isinstance(outer, ast.If) and outer.test is use and not outer.orelse:
            self._unindent(outer, use)
        else:
            program.replace(use, value)

    def _block(self, use: ast.Attribute, call: ast.Call) -> None:
        program = self._program
        item = program.parents[call]
        outer = program.parents[item]
        if not isinstance(outer, ast.With) or len(outer.items) != 1 or outer.items[0].optional_vars:
            program.refuse(use, f"{use.attr}: use it as the only context of a with statement")
            return
        if use.attr == "accumulate" and self._steps > 1:
            self._accumulate(outer)
        self._unindent(outer, use)

    def _unindent(self, outer: ast.With | ast.If, use: ast.AST) -> None:
        header = outer.test if isinstance(outer, ast.If) else outer.items[0].context_expr
        self._program.handled.update(ast.walk(header))
        self._program.unindent(outer)

    # Accumulation -----------------------------------------------------------------------------

    def _accumulate(self, block: ast.With) -> None:
        """Guard the steps of optimizers and schedulers in a block, and count its batches."""
        program = self._program
        loop = program.parents[block]
        if not isinstance(loop, ast.For) or self._blocks_of(loop) > 1 or not self._count(loop):
            program.refuse(
                block,
                "accumulate: use it once, directly in a loop over a prepared loader that has a"
                " name, for every batch",
            )
            return
        context = block.items[0].context_expr
        assert isinstance(context, ast.Call)
        models = {program.source(one) for one in context.args}
        guarded = [one for one in ast.walk(block) if self._is_step(one, models)]
        for statement in guarded:
            if statement not in block.body:
                program.refuse(statement, "a step below another statement: move it into the block")
        for run in _runs([one for one in block.body if one in guarded], block.body):
            lines = [f"    {program.source(one)}" for one in run]
            program.replace_statement(run[0], [f"if {self._loops[loop]}:", *lines])
            for one in run[1:]:
                program.remove(one)

    def _blocks_of(self, loop: ast.For) -> int:
        """Return the number of blocks in a loop that count a batch."""
        return sum(
            isinstance(one, ast.Attribute)
            and one.attr == "accumulate"
            and isinstance(one.value, ast.Name)
            and one.value.id == self._name
            for one in ast.walk(loop)
        )

    def _is_step(self, node: ast.AST, models: set[str]) -> bool:
        """Return whether a statement steps or clears a prepared optimizer or scheduler."""
        if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
            return False
        function = node.value.func
        return (
            isinstance(function, ast.Attribute)
            and function.attr in ("step", "zero_grad")
            and self._program.source(function.value) in self._prepared - models
        )

    def _count(self, loop: ast.For) -> bool:
        """Count a loop's batches, and tell after which of them the optimizer steps."""
        program = self._program
        if loop in self._loops:
            return True
        loader, target = loop.iter, program.source(loop.target)
        if any(isinstance(one, ast.Continue | ast.Break) for one in ast.walk(loop)):
            return False
        if isinstance(loader, ast.Name):
            index, text = program.fresh("batch_idx", loop), program.source(loader)
            program.replace(loop.target, f"{index}, {_in_parentheses(loop.target, target)}")
            program.replace(loader, f"enumerate({text})")
        elif (
            isinstance(loader, ast.Call)
            and isinstance(loader.func, ast.Name)
            and loader.func.id == "enumerate"
            and len(loader.args) == 1
            and isinstance(loader.args[0], ast.Name)
            and isinstance(loop.target, ast.Tuple)
            and isinstance(loop.target.elts[0], ast.Name)
        ):
            index, text = loop.target.elts[0].id, loader.args[0].id
        else:
            return False
        if text not in self._prepared:  # Accelerator does not know where its epoch ends
            return False
        name = program.fresh("is_full", loop)
        last = f"{index} + 1 == len({text})"
        line = f"{name} = ({index} + 1) % {self._steps} == 0 or {last}"
        program.insert_before(loop.body[0], [line])
        self._loops[loop] = name
        return True

    def _synchronized(self, use: ast.Attribute) -> None:
        program = self._program
        outer = program.parents[use]
        is_test = isinstance(outer, ast.If) and outer.test is use and not outer.orelse
        if self._steps == 1:
            if is_test and isinstance(outer, ast.If):
                self._unindent(outer, use)
            else:
                program.replace(use, "True")
            return
        node: ast.AST = use
        while not isinstance(node, ast.Module):
            node = program.parents[node]
            if isinstance(node, ast.For) and self._count(node):
                program.replace(use, self._loops[node])
                return
        program.refuse(use, "sync_gradients: read it in the loop over the loader")


def _in_parentheses(target: ast.expr, text: str) -> str:
    is_bare = isinstance(target, ast.Tuple) and not text.startswith("(")
    return f"({text})" if is_bare else text


def _runs(chosen: list[ast.stmt], block: list[ast.stmt]) -> list[list[ast.stmt]]:
    """Return the chosen statements of a block, those that follow each other in one list."""
    runs: list[list[ast.stmt]] = []
    for one in chosen:
        if runs and block.index(one) == block.index(runs[-1][-1]) + 1:
            runs[-1].append(one)
        else:
            runs.append([one])
    return runs
