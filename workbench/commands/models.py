"""Models and inputs as a command line names them: `FILE:NAME`, shapes, files, names of the file."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any

import torch
from torch.utils import _pytree as pytree

from workbench.commands.suggested_call import suggested_arguments
from workbench.errors import TorchferryError
from workbench.subjects import evaluated, module_of, named, read_input

if TYPE_CHECKING:
    from workbench.commands.model_request import ModelRequest

# The first colon before a name: a call may hold others, and a path on Windows has one.
_PLACE = re.compile(r"(.+?):([A-Za-z_].*)$", re.DOTALL)
_KEYWORD = re.compile(r"([A-Za-z_]\w*)=(.+)$", re.DOTALL)
_DIMENSION = re.compile(r"(\w+)\[(\d+)\]=([A-Za-z_]\w*)(?::(\d*)-(\d*))?$")


@dataclass
class Subject:
    """The subject of a command: a model or function of a module, and the arguments of its call."""

    title: str
    model: Any
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    module: ModuleType | None = None


def open_subject(
    place: str, inputs: tuple[str, ...], *, train: bool, called: bool = True
) -> Subject:
    """Return the model that `FILE:NAME` names, with the inputs that were asked for.

    Args:
        place: a Python file, a colon, and a name in it (dots allowed): a module, a module class
            that takes no arguments, or a function of tensors; or a call that makes a module of what
            the file defines, such as `GPT(config)`. The file is run, as an import would.
        inputs: each one input, or `name=` one; see `read_input`. Without any, the file's own
            `example_inputs`.
        train: capture in training mode.
        called: inputs are needed; without, the caller has its own.

    Raises:
        TorchferryError: the file does not run, or has no such name, or an input cannot be made.
    """
    match = _PLACE.match(place)
    if match is None:
        raise TorchferryError(f"{place}: give FILE:NAME, such as model.py:net")
    file, name = match.groups()
    torch.manual_seed(0)
    module = module_of(file)
    model = evaluated(module, name, place) if "(" in name else named(module, name, file)
    if inspect.isclass(model):
        model = _instance(model, place, module)
    if isinstance(model, torch.nn.Module):
        model.train(train)
    elif not callable(model):
        raise TorchferryError(
            f"{place} is a {type(model).__name__}; give a torch.nn.Module or a function"
        )
    subject = Subject(place, model, module=module)
    if not called:
        return subject
    given = inputs or (("example_inputs",) if hasattr(module, "example_inputs") else ())
    if not given and _needs_inputs(model):
        raise TorchferryError(
            f"{place}: give its inputs: --inputs 1x3x224x224, --inputs 2x16:int64, a file of"
            " tensors, or a name in the file; or define example_inputs in the file"
        )
    for text in given:
        _add(subject, text, module)
    return subject


@contextmanager
def device_of(asked: ModelRequest) -> Iterator[None]:
    """Make the target create its values on the device that the command line names.

    Raises:
        DeviceError: torch or the target has no such device; the message lists what it has.
    """
    from workbench.compare.devices import check
    from workbench.lower.backend import find

    backend = find(asked.target)
    check(backend, asked.device, asked.device)
    with backend.on_device(asked.device):
        yield


def moved(value: Any, device: str) -> Any:
    """Return the value with all modules and tensors in it on a device."""
    held = torch.nn.Module | torch.Tensor
    return pytree.tree_map(lambda one: one.to(device) if isinstance(one, held) else one, value)


def dynamic_shapes(subject: Subject, wishes: tuple[str, ...]) -> Any:
    """Return `--dynamic` as `torch.export` takes it: `auto`, `x[0]=batch` or `x[0]=batch:1-64`.

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
                f"--dynamic {wish}: write auto, x[0]=batch or x[0]=batch:1-64, where x is an input"
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


def _instance(kind: type, place: str, module: ModuleType) -> Any:
    if not issubclass(kind, torch.nn.Module):
        raise TorchferryError(f"{place} is not a torch.nn.Module; give a module or a function")
    try:
        return kind()
    except TypeError as error:
        arguments = suggested_arguments(kind, module) or "..."
        raise TorchferryError(
            f"{place} cannot be created without arguments ({error}); give a call with names of the"
            f" file, such as {place}({arguments}), or an instance that the file creates"
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
        subject.kwargs[match[1]] = read_input(match[2], module)
        return
    value = read_input(text, module)
    if isinstance(value, tuple):
        subject.args += value
    elif isinstance(value, Mapping):
        subject.kwargs |= {str(key): item for key, item in value.items()}
    else:
        subject.args += (value,)
