"""Functions wrapped as modules, and inputs that tracing can distinguish."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any

import torch
from torch.utils import _pytree as pytree

from workbench.capture.errors import CaptureError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def as_module(
    model: torch.nn.Module | Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> torch.nn.Module:
    """Return the module itself, or a module whose `forward` is the function, with its signature.

    Modules that the function reaches (its own object, closure or global names) become children
    under their names, so that their weights are parameters of the graph and not constants.

    Raises:
        CaptureError: `model` is not a module or function, or is a TorchScript module.
    """
    if isinstance(model, torch.nn.Module):
        if isinstance(model, torch.jit.ScriptModule):
            raise CaptureError(
                "a TorchScript module has no Python code to follow",
                step="capture the module that it was scripted from",
            )
        return model
    if not callable(model):
        raise CaptureError(
            f"{type(model).__name__} is not a model", step="pass a torch.nn.Module or a function"
        )
    module = _wrapper(model)
    for name, child in _reached(model).items():
        module.add_module(name, child)
    children = list(module.children())
    module.training = any(child.training for child in children)
    return module


def _wrapper(function: Callable[..., Any]) -> torch.nn.Module:
    def forward(self: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    try:
        own = inspect.signature(function)
        me = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        parameters = [
            p.replace(kind=inspect.Parameter.POSITIONAL_OR_KEYWORD)
            if p.kind is inspect.Parameter.POSITIONAL_ONLY
            else p
            for p in own.parameters.values()
        ]
        if "self" not in own.parameters:
            forward.__signature__ = own.replace(  # type: ignore[attr-defined]
                parameters=[me, *parameters]
            )
    except (TypeError, ValueError):
        pass  # a builtin without a signature is captured under the names args_0, args_1, ...
    name = getattr(function, "__name__", "Function")
    module: torch.nn.Module = type(name, (torch.nn.Module,), {"forward": forward})()
    return module


def _reached(function: Callable[..., Any]) -> dict[str, torch.nn.Module]:
    """Return the modules that the function can call by name, found without running it."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, torch.nn.Module):
        return {"module": owner}
    if isinstance(function, functools.partial):
        return _reached(function.func)
    plain = inspect.unwrap(function)
    if not inspect.isfunction(plain):
        return {}
    names = inspect.getclosurevars(plain)
    return {
        name: value
        for name, value in {**names.globals, **names.nonlocals}.items()
        if isinstance(value, torch.nn.Module)
    }


def distinct_inputs(
    args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the inputs, with repeated occurrences of a tensor replaced by copies.

    Tracing identifies inputs by identity: `f(x, x)` would be captured as a function of its second
    argument only, and give wrong results for `f(x, y)`.
    """
    seen: set[int] = set()

    def once(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            if id(value) in seen:
                return value.detach().clone().requires_grad_(value.requires_grad)
            seen.add(id(value))
        return value

    changed: tuple[tuple[Any, ...], dict[str, Any]] = pytree.tree_map(once, (args, kwargs))
    return changed
