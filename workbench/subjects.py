"""Models on a command line: files that are run, names in them, and inputs of the models."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from workbench.capture.explain import innermost_line
from workbench.errors import TorchferryError
from workbench.files import TENSORS, is_file
from workbench.importing import import_file, without_bytecode

_SHAPE = re.compile(r"(\d+(?:x\d+)*)(?::([a-z]\w*))?(?::(\d+))?$")
# The exclusive maximum of drawn integers by default: small enough for most vocabularies.
_INTEGERS = 10


def module_of(place: str) -> ModuleType:
    """Return the module that a command line names, as a file or as `package.module`.

    Raises:
        TorchferryError: it does not exist or does not run.
    """
    path = Path(place)
    dotted = all(part.isidentifier() for part in place.split("."))
    if path.suffix in (".py", ".ipynb") or not dotted or is_file(path):
        return run_file(path)
    sys.path.insert(0, str(Path.cwd()))
    try:
        with without_bytecode():
            return importlib.import_module(place)
    except ImportError as error:
        raise TorchferryError(f"{place}: no such file or module ({error})") from error


def run_file(file: Path) -> ModuleType:
    """Run a Python file as on import and return its module.

    Raises:
        TorchferryError: it does not exist, is not a Python file, or does not run.
    """
    if file.suffix == ".ipynb":
        raise TorchferryError(
            f"{file}: a notebook's models are live in its kernel; use the side panel or %%convert"
        )
    if not is_file(file):
        raise TorchferryError(f"{file}: no such file; write FILE:NAME, such as model.py:net")
    if file.suffix != ".py":
        raise TorchferryError(f"{file}: not a Python file; give one that ends in .py")
    try:
        return import_file(file)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        raise TorchferryError(
            f"{innermost_line(error) or file}: the file does not run"
            f" ({type(error).__name__}: {error}); fix it, or keep what is not the model under"
            ' if __name__ == "__main__"'
        ) from error


def named(module: ModuleType, name: str, file: str) -> Any:
    """Return the value of a dotted name in a file.

    Raises:
        TorchferryError: the file has no such name.
    """
    value: Any = module
    for part in name.split("."):
        if not hasattr(value, part):
            known = [
                n
                for n, v in vars(module).items()
                if isinstance(v, torch.nn.Module)
                or (getattr(v, "__module__", "") == module.__name__ and callable(v))
            ]
            raise TorchferryError(
                f"{file} has no {name}; it has {', '.join(known) or 'no model and no function'}"
            )
        value = getattr(value, part)
    return value


def evaluated(module: ModuleType, call: str, place: str) -> Any:
    """Return the value of an expression such as `GPT(config)` with the names of its file.

    Raises:
        TorchferryError: it fails.
    """
    try:
        return eval(call, dict(vars(module)))
    except Exception as error:
        raise call_failed(place, error) from error


def call_failed(place: str, error: Exception) -> TorchferryError:
    """Return the error for a failed call on a command line."""
    return TorchferryError(
        f"{place}: the call fails ({type(error).__name__}: {error}); call something that"
        " the file defines, with its arguments"
    )


def read_input(text: str, module: ModuleType) -> Any:
    """Return an input: a random tensor, a file of tensors, a name of the file, or a plain value.

    `2x3` and `2x3:float64` are drawn from a normal distribution, `2x16:int64` is below 10,
    `2x16:int64:5000` below 5000, and `4:bool` is random; a name of a function is called.

    Raises:
        TorchferryError: it is none of these.
    """
    path = Path(text)
    if path.suffix in TENSORS:
        return _from_file(path)
    shape = _SHAPE.match(text)
    if shape is not None and ("x" in shape[1] or shape[2]):
        return _drawn(text, shape)
    if all(part.isidentifier() for part in text.split(".")) and hasattr(
        module, text.partition(".")[0]
    ):
        value = named(module, text, str(module.__file__))
        return value() if inspect.isfunction(value) else value
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        raise TorchferryError(
            f"--inputs {text}: no shape (1x3x224x224, 2x16:int64:5000), no file of tensors (.pt,"
            f" .npy, .safetensors), no name in {module.__file__} and no plain value"
        ) from None


def _drawn(text: str, shape: re.Match[str]) -> torch.Tensor:
    sizes = [int(n) for n in shape[1].split("x")]
    dtype = getattr(torch, shape[2] or "float32", None)
    if not isinstance(dtype, torch.dtype):
        raise TorchferryError(f"--inputs {text}: torch has no dtype {shape[2]}")
    if dtype is torch.bool:
        return torch.rand(sizes) < 0.5
    if dtype.is_floating_point or dtype.is_complex:
        return torch.randn(sizes, dtype=dtype)
    return torch.randint(0, int(shape[3] or _INTEGERS), sizes, dtype=dtype)


def _from_file(path: Path) -> Any:
    from workbench.weights import pickled
    from workbench.weights.sources import open_source

    if path.suffix == ".npy":
        import numpy

        try:
            # A mapped array needs no more memory than its file has; writes stay in memory.
            return torch.from_numpy(numpy.load(path, allow_pickle=False, mmap_mode="c"))
        except Exception as error:  # a broken file causes errors of many kinds
            raise TorchferryError(f"{path}: no array that can be read ({error})") from error
    if path.suffix != ".safetensors" and path.is_file():
        value = pickled.read(path)
        return tuple(value) if isinstance(value, list) else value
    source = open_source(path)
    return {name: source.tensor(name) for name in source.names}
