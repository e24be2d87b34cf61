"""Generated source, executed, and where its module holds what weights."""

from __future__ import annotations

import linecache
from itertools import count
from typing import TYPE_CHECKING, Any

import torch

from workbench.lower.backend import LowerError

if TYPE_CHECKING:
    from torch.export import ExportedProgram

_serial = count()


def execute(source: str, name: str) -> dict[str, Any]:
    """The names that generated source defines; tracebacks show its lines.

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
    """A weight of the program by its name: of its state dict, or one of its constants."""
    value = program.state_dict.get(target)
    value = program.constants.get(target) if value is None else value
    if not isinstance(value, torch.Tensor):
        raise LowerError(f"the program does not hold {target}; capture the model again")
    return value


def owner_of(module: Any, path: str) -> tuple[Any, str]:
    """The submodule that holds an attribute path such as `blocks[0].norm.weight`."""
    *parts, attribute = path.replace("[", ".").replace("]", "").split(".")
    for part in parts:
        module = module[int(part)] if part.isdigit() else getattr(module, part)
    return module, attribute
