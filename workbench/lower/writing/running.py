"""Execution of generated source, as a whole or by statements, and access to its weights."""

from __future__ import annotations

import linecache
from itertools import count
from typing import TYPE_CHECKING, Any

import torch
from torch.export.graph_signature import OutputKind

from workbench.lower.backend import LowerError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from torch.export import ExportedProgram

    from workbench.lower.backend import Line, Written

# Kinds of outputs that a program writes into weights of the model.
WRITTEN_BACK = frozenset({OutputKind.BUFFER_MUTATION, OutputKind.PARAMETER_MUTATION})

_serial = count()


def execute(source: str, name: str) -> dict[str, Any]:
    """Return the names that generated source defines; tracebacks show its lines.

    Raises:
        LowerError: the source does not compile, which is an error of an emitter.
    """
    file = f"<torchferry {name} {next(_serial)}>"
    # Registered so that tracebacks, and compilers that read sources, find the text.
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    namespace: dict[str, Any] = {"__name__": f"torchferry_{name}", "__file__": file}
    try:
        code = compile(source, file, "exec")
    except SyntaxError as error:
        raise LowerError(
            f"the generated source does not compile, line {error.lineno}: {error.text}; "
            "report it with the model"
        ) from error
    exec(code, namespace)
    return namespace


def held(program: ExportedProgram, target: str) -> torch.Tensor:
    """Return a weight of the program by name, from its state dict or its constants."""
    value = program.state_dict.get(target)
    value = program.constants.get(target) if value is None else value
    if not isinstance(value, torch.Tensor):
        raise LowerError(f"the program does not contain {target}; capture the model again")
    return value


def memory(weight: torch.Tensor) -> tuple[Any, ...]:
    """Return what two names of one weight share: its memory and layout."""
    return weight.data_ptr(), weight.numel(), tuple(weight.shape), weight.stride()


def owner_of(module: Any, path: str) -> tuple[Any, str]:
    """Return the submodule that holds an attribute path such as `blocks[0].norm.weight`, and the
    name.
    """
    *parts, attribute = path.replace("[", ".").replace("]", "").split(".")
    for part in parts:
        module = module[int(part)] if part.isdigit() else getattr(module, part)
    return module, attribute


class StatementSession:
    """Session that executes a loaded module statement by statement, in the namespace of its source.

    Args:
        module: an instance of the source's class.
        namespace: the names that the source defines, from `execute`.
        written: the source.
        recording: returns the context to execute a statement in, which records it for a backward
            pass if the statement requires it.
    """

    # Whether a statement's first run takes longer than later ones.
    compiles = False

    def __init__(
        self,
        module: Any,
        namespace: Mapping[str, Any],
        written: Written,
        recording: Callable[[Line], AbstractContextManager[object]],
    ) -> None:
        self._written = written
        self._recording = recording
        # One namespace: the branches of control flow are lambdas, which do not see exec's locals.
        self._held: dict[str, Any] = {**namespace, "self": module}
        self._code: dict[Line, Any] = {}

    def bind(self, name: str, value: Any) -> None:
        """Set a node's value."""
        self._held[self._written.variables[name]] = value

    def step(self, line: Line) -> Any:
        """Execute one statement of the source and return the value that it assigns."""
        code = self._code.get(line)
        if code is None:
            code = compile(line.code, f"<{self._written.class_name}:{line.number}>", "exec")
            self._code[line] = code
        with self._recording(line):
            exec(code, self._held)
        names = [name.strip() for name in line.name.split(",") if name.strip()]
        values = tuple(self._held.get(name) for name in names)
        return values[0] if len(values) == 1 else values

    def read(self, name: str) -> Any:
        """Return a node's value."""
        variable = self._written.variables[name]
        if variable.startswith("self."):
            owner, attribute = owner_of(self._held["self"], variable.removeprefix("self."))
            return getattr(owner, attribute)
        return self._held[variable]

    def forget(self, name: str) -> None:
        """Release a node's value."""
        self._held.pop(self._written.variables[name], None)
