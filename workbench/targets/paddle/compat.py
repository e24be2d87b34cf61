"""Paddle's import layer for torch, and calls that change the meaning of Paddle's own names."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from workbench.errors import TorchferryError
from workbench.rules.same import SameCalls
from workbench.targets.layer import Found, Layer

_SWITCHES = frozenset({"enable_compat", "use_compat_guard"})
_REMARK = (
    "with a level above 1 gives Paddle's functions torch's meaning; Torchferry's output"
    " is proved without it: remove `level`, or the whole call if nothing imports torch any"
    " more"
)


def switches(text: str, tree: ast.Module) -> Iterator[tuple[ast.Call, str]]:
    """Yield the calls of `paddle.enable_compat` and the like, with advice for each."""
    if not any(name in text for name in _SWITCHES):
        return
    named = {
        item.asname or item.name: item.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "paddle"
        for item in node.names
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else _name(node.func, named)
        level = next((one.value for one in node.keywords if one.arg == "level"), None)
        if name in _SWITCHES and level is not None and not _is_one(level):
            yield node, f"{name} {_REMARK}"


def _name(callee: ast.expr, named: dict[str, str]) -> str:
    return named.get(callee.id, "") if isinstance(callee, ast.Name) else ""


def _is_one(level: ast.expr) -> bool:
    return isinstance(level, ast.Constant) and level.value in {0, 1}


def import_layer(trials: SameCalls) -> Layer:
    """Return the layer of the installed Paddle, which is imported.

    Raises:
        TorchferryError: Paddle is not installed, or this version has no such layer.
    """
    paddle = _imported()
    return Layer(
        f"paddle.enable_compat() of Paddle {paddle.__version__}", _find, _own, trials.result
    )


@cache
def _imported() -> Any:
    try:
        with warnings.catch_warnings(action="ignore"):
            paddle = import_module("paddle")
    except ImportError as error:
        raise TorchferryError(
            f"--under compat imports Paddle, and Python cannot ({error}); pip install paddlepaddle"
        ) from error
    if not hasattr(paddle, "enable_compat"):
        raise TorchferryError(
            f"Paddle {paddle.__version__} has no paddle.enable_compat(); install 3.3 or later"
        )
    return paddle


@cache
def _find(name: str) -> Found:
    """Return what a torch name is under the layer.

    Raises:
        LookupError: it does not exist there.
    """
    parts = name.split(".")
    value: Any = _module(parts[0])
    for count, part in enumerate(parts[1:], 2):
        try:
            value = getattr(value, part)
        except AttributeError:
            if not isinstance(value, ModuleType):
                raise LookupError(f"{value.__name__} has no attribute {part!r}") from None
            value = _module(".".join(parts[:count]))
    for owner in ("paddle", "paddle.compat"):
        path = ".".join([owner, *parts[1:]])
        if _own(path) is value:
            return Found(path, value)
    return Found(getattr(value, "__name__", name), value)


def _module(name: str) -> ModuleType:
    """Import a module as a program does under the layer.

    Raises:
        LookupError: that raises an error.
    """
    layer = _imported().compat
    try:
        with warnings.catch_warnings(action="ignore"), layer.use_torch_proxy_guard(silent=True):
            return import_module(name)
    except ImportError as error:
        raise LookupError(str(error)) from error


def _own(path: str) -> object:
    value: Any = _imported()
    for part in path.split(".")[1:]:
        value = getattr(value, part, None)
    return value
