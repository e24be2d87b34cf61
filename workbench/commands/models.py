"""Models and inputs as a command line names them: `FILE:NAME`, shapes, files, names of the file."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from workbench.capture.explain import innermost_line
from workbench.errors import TorchferryError
from workbench.files import is_file

_SHAPE = re.compile(r"(\d+(?:x\d+)*)(?::([a-z]\w*))?(?::(\d+))?$")
_KEYWORD = re.compile(r"([A-Za-z_]\w*)=(.+)$", re.DOTALL)
_DIMENSION = re.compile(r"(\w+)\[(\d+)\]=([A-Za-z_]\w*)(?::(\d*)-(\d*))?$")
# Below what integers are drawn where nothing else is said: small enough for most vocabularies.
_INTEGERS = 10


@dataclass
class Subject:
    """What a command works on: a model or function, and what it is called with."""

    title: str
    model: Any
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)


def open_subject(place: str, inputs: tuple[str, ...], *, train: bool) -> Subject:
    """The model that `FILE:NAME` names, with the inputs that were asked for.

    Args:
        place: a Python file, a colon, and a name in it (dots allowed): a module, a module class
            that takes no arguments, or a function of tensors. The file is run, as an import would.
        inputs: each one input, or `name=` one; see `_read`. Without any, the file's own
            `example_inputs`.
        train: capture in training mode.

    Raises:
        TorchferryError: the file does not run, or has no such name, or an input cannot be made.
    """
    file, _, name = place.rpartition(":")
    if not file or not name:
        raise TorchferryError(f"{place}: write FILE:NAME, such as model.py:net")
    torch.manual_seed(0)
    module = _run(Path(file))
    model = _named(module, name, file)
    if inspect.isclass(model):
        model = _instance(model, place)
    if isinstance(model, torch.nn.Module):
        model.train(train)
    elif not callable(model):
        raise TorchferryError(
            f"{place} is a {type(model).__name__}; name a torch.nn.Module or a function"
        )
    subject = Subject(place, model)
    given = inputs or (("example_inputs",) if hasattr(module, "example_inputs") else ())
    if not given and _needs_inputs(model):
        raise TorchferryError(
            f"{place}: say what to call it with: --inputs 1x3x224x224, --inputs 2x16:int64, a file"
            " of tensors, or a name in the file; or define example_inputs in the file"
        )
    for text in given:
        _add(subject, text, module)
    return subject


def dynamic_shapes(subject: Subject, wishes: tuple[str, ...]) -> Any:
    """`--dynamic` as `torch.export` takes it: `auto`, or `x[0]=batch` and `x[0]=batch:1-64`.

    Raises:
        TorchferryError: a wish is none of these, or names no input.
    """
    if not wishes:
        return None
    if "auto" in wishes:
        return "auto"
    forward = getattr(subject.model, "forward", subject.model)
    bound = inspect.signature(forward).bind(*subject.args, **subject.kwargs).arguments
    shapes: dict[str, Any] = dict.fromkeys(bound)
    dims: dict[str, Any] = {}
    for wish in wishes:
        match = _DIMENSION.match(wish)
        if match is None:
            raise TorchferryError(
                f"--dynamic {wish}: write auto, x[0]=batch or x[0]=batch:1-64, with x an input"
            )
        name, axis, dimension, low, high = match.groups()
        if name not in bound or not isinstance(bound[name], torch.Tensor):
            raise TorchferryError(
                f"--dynamic {wish}: no tensor is passed as {name!r}; the inputs"
                f" are {', '.join(bound)}"
            )
        limits = {k: int(v) for k, v in (("min", low), ("max", high)) if v}
        dim = dims.setdefault(dimension, torch.export.Dim(dimension, **limits))
        shapes[name] = {**(shapes[name] or {}), int(axis): dim}
    return shapes


def _run(file: Path) -> ModuleType:
    if file.suffix == ".ipynb":
        raise TorchferryError(
            f"{file}: a notebook's models are live in its kernel; use the side panel or %%convert"
        )
    if not is_file(file):
        raise TorchferryError(f"{file}: no such file; write FILE:NAME, such as model.py:net")
    spec = importlib.util.spec_from_file_location(file.stem, file.resolve())
    if spec is None or spec.loader is None:
        raise TorchferryError(f"{file}: not a Python file; give one that ends in .py")
    module = importlib.util.module_from_spec(spec)
    # As `python FILE` does: what lies beside the file can be imported, and classes be found again.
    sys.path.insert(0, str(file.resolve().parent))
    sys.modules[file.stem] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        raise TorchferryError(
            f"{innermost_line(error) or file}: the file does not run"
            f" ({type(error).__name__}: {error}); mend it, or keep what is not the model under"
            ' if __name__ == "__main__"'
        ) from error
    return module


def _named(module: ModuleType, name: str, file: str) -> Any:
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


def _instance(kind: type, place: str) -> Any:
    if not issubclass(kind, torch.nn.Module):
        raise TorchferryError(f"{place} is no torch.nn.Module; name a module or a function")
    try:
        return kind()
    except TypeError as error:
        raise TorchferryError(
            f"{place} cannot be made without arguments ({error}); make one in the file, such as"
            f" model = {kind.__name__}(...), and name that"
        ) from error


def _needs_inputs(model: Any) -> bool:
    try:
        parameters = inspect.signature(getattr(model, "forward", model)).parameters.values()
    except (TypeError, ValueError):
        return True
    return any(p.default is p.empty and p.kind not in (2, 4) for p in parameters)


def _add(subject: Subject, text: str, module: ModuleType) -> None:
    match = _KEYWORD.match(text)
    if match is not None:
        subject.kwargs[match[1]] = _read(match[2], module)
        return
    value = _read(text, module)
    if isinstance(value, tuple):
        subject.args += value
    elif isinstance(value, Mapping):
        subject.kwargs |= {str(key): item for key, item in value.items()}
    else:
        subject.args += (value,)


def _read(text: str, module: ModuleType) -> Any:
    """One input: a drawn tensor, a file of tensors, a name of the file, or a plain value.

    `2x3` and `2x3:float64` are drawn from a normal distribution, `2x16:int64` below 10 and
    `2x16:int64:5000` below 5000, `4:bool` by a coin; a name that is a function is called.
    """
    path = Path(text)
    if path.suffix in (".pt", ".pth", ".npy", ".safetensors"):
        return _from_file(path)
    shape = _SHAPE.match(text)
    if shape is not None and ("x" in shape[1] or shape[2]):
        return _drawn(text, shape)
    if all(part.isidentifier() for part in text.split(".")) and hasattr(
        module, text.partition(".")[0]
    ):
        value = _named(module, text, str(module.__file__))
        return value() if inspect.isfunction(value) else value
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        raise TorchferryError(
            f"--inputs {text}: no shape (1x3x224x224, 2x16:int64), no file of tensors (.pt, .npy,"
            f" .safetensors), no name in {module.__file__} and no plain value"
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
            # Mapped, an array is no larger than its file; what is written to it stays in memory.
            return torch.from_numpy(numpy.load(path, allow_pickle=False, mmap_mode="c"))
        except Exception as error:  # a broken file shows in errors of many kinds
            raise TorchferryError(f"{path}: no array that can be read ({error})") from error
    if path.suffix != ".safetensors" and path.is_file():
        value = pickled.read(path)
        return tuple(value) if isinstance(value, list) else value
    source = open_source(path)
    return {name: source.tensor(name) for name in source.names}
