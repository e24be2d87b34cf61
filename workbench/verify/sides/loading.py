"""Loading of the two sides: `FILE:NAME`, `FILE:NAME(1, width=2)` or `package.module:NAME`.

NAME is a module, a class of modules, or a function that returns a module or computes with tensors.
Both files run in this process, each with its own folder first on the import path.
"""

from __future__ import annotations

import ast
import inspect
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from workbench.capture.explain import innermost_line
from workbench.errors import TorchferryError
from workbench.files import is_file
from workbench.importing import roots_of
from workbench.subjects import call_failed, evaluated, module_of, named
from workbench.targets import DEFAULT, imported_target, imports_any
from workbench.verify.sides.places import Births, is_users

_Arguments = tuple[tuple[Any, ...], dict[str, Any]]


@dataclass
class Source:
    """One side: the module that was run, and a function that makes its model."""

    place: str
    module: ModuleType
    make: Callable[[], Any]

    @property
    def file(self) -> Path:
        """The file of the module."""
        return Path(str(self.module.__file__))

    def has(self, name: str) -> bool:
        """Return whether the file defines a name."""
        return hasattr(self.module, name)

    def get(self, name: str) -> Any:
        """Return the value of a name of the file."""
        return named(self.module, name, str(self.file))


def load(
    place: str,
    kind: type,
    births: Births,
    optimizers: type,
    needs: Callable[[Any], dict[str, Any]] = lambda _: {},
) -> Source:
    """Run a side's file and return it.

    Args:
        place: the side's name; the module's docstring lists its forms.
        kind: the class of the framework's modules.
        births: records where modules and optimizers are created, from now on.
        optimizers: the class of the framework's optimizers.
        needs: returns further arguments that a class or a function takes and that `place` omits.

    Raises:
        TorchferryError: the file does not run, has no such name, or makes no model.
    """
    file, _, name = _split(place)
    if not file or not name:
        raise TorchferryError(f"{place}: give FILE:NAME, such as model.py:Net")
    with births.noting(kind, optimizers):
        module = _module(file)
    call = _Call.of(name)
    value = None if call.whole else named(module, call.name, file)

    def make() -> Any:
        with births.noting(kind, optimizers):
            try:
                if call.whole:
                    made = evaluated(module, name, place)
                else:
                    made = _made(value, kind, call.arguments(module, place), needs)
            except TorchferryError:
                raise
            except Exception as error:
                raise _failure(place, error) from error
        if not isinstance(made, kind) and not callable(made):
            raise TorchferryError(f"{place} gives a {type(made).__name__}, which is not a model")
        return made

    return Source(place, module, make)


def target_of(place: str) -> str:
    """Return the target whose package a port's file imports, or the default.

    Raises:
        TorchferryError: the file imports torch, and no target.
    """
    text = _text_of(place)
    target = imported_target(text)
    if target is None and imports_any(text, ["torch"]):
        raise TorchferryError(
            f"{place}: it uses torch, and imports no target; give the converted file as PORT, or"
            " its framework with --target"
        )
    return target or DEFAULT


def is_port_to_torch(original: str, port: str) -> bool:
    """Return whether the original imports a target alone, and the port torch alone."""
    first, second = _text_of(original), _text_of(port)
    return (
        imported_target(first) is not None
        and imported_target(second) is None
        and imports_any(second, ["torch"])
        and not imports_any(first, ["torch"])
    )


def _text_of(place: str) -> str:
    """Return the text of a place's file; empty if it cannot be read, as running it reports."""
    file = _split(place)[0] or place
    if not file.endswith(".py"):
        found = find_spec(file) if file.isidentifier() else None
        file = found.origin or "" if found else ""
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _failure(place: str, error: Exception) -> TorchferryError:
    line = innermost_line(error)
    where = line if line and is_users(line) else place
    return TorchferryError(
        f"{where}: the model cannot be created ({type(error).__name__}: {error}); give its"
        f" arguments, as in {place.partition('(')[0]}(10, width=4), or give an instance"
    )


def _split(place: str) -> tuple[str, str, str]:
    head, mark, call = place.partition("(")
    file, colon, name = head.rpartition(":")
    return file, colon, name + mark + call


@dataclass(frozen=True)
class _Call:
    """A name in a file, possibly called.

    Attributes:
        name: the name; dots allowed.
        call: the call, if it is one.
        whole: it is another expression, such as an attribute of a call's result.
    """

    name: str
    call: ast.Call | None = None
    whole: bool = False

    @classmethod
    def of(cls, text: str) -> _Call:
        if "(" not in text:
            return cls(text)
        try:
            tree = ast.parse(text, mode="eval").body
        except SyntaxError:  # reported where it is evaluated
            return cls(text, whole=True)
        if not isinstance(tree, ast.Call) or "(" in ast.unparse(tree.func):
            return cls(text, whole=True)
        return cls(ast.unparse(tree.func), tree)

    def arguments(self, module: ModuleType, place: str) -> _Arguments | None:
        """Return the call's arguments, evaluated in the file's namespace, or None without a call.

        Raises:
            TorchferryError: they cannot be evaluated.
        """
        if self.call is None:
            return None
        taken = lambda *args, **kwargs: (args, kwargs)  # noqa: E731
        call = ast.Call(ast.Name("_taken", ast.Load()), self.call.args, self.call.keywords)
        text = ast.unparse(call)
        try:
            found: _Arguments = eval(text, {**vars(module), "_taken": taken})
        except Exception as error:
            raise call_failed(place, error) from error
        return found


def _made(
    value: Any,
    kind: type,
    arguments: _Arguments | None,
    needs: Callable[[Any], dict[str, Any]],
) -> Any:
    if arguments is not None:
        args, kwargs = arguments
        return value(*args, **{**needs(value), **kwargs})
    if inspect.isclass(value):
        return value(**needs(value))
    if isinstance(value, kind) or not inspect.isfunction(value):
        return value
    # A factory takes no arguments; a function of tensors is itself what to verify.
    known = needs(value)
    taken = inspect.signature(value).parameters.values()
    needed = [p for p in taken if p.default is p.empty and p.name not in known]
    return value if needed else value(**known)


def _module(file: str) -> ModuleType:
    path = Path(file)
    for folder in roots_of(path) if is_file(path) else ():
        forget_namesakes(folder)
    return module_of(file)


def forget_namesakes(folder: Path) -> None:
    """Forget imported modules that a folder shadows: both sides may have a `layers.py`."""
    held = {e.name if e.is_dir() else e.name.removesuffix(".py") for e in os.scandir(folder)}
    for name, module in list(sys.modules.items()):
        top = folder / name.partition(".")[0]
        file = getattr(module, "__file__", None)
        if not file or top.name not in held or not is_users(file):
            continue
        if not Path(file).is_relative_to(top) and Path(file) != top.with_suffix(".py"):
            del sys.modules[name]


# Arguments that pass a model its mode with each call, and whether they mean training.
_TRAINS = {"train": True, "training": True, "is_training": True, "deterministic": False}


def mode_of_call(model: Any, *, training: bool) -> dict[str, bool]:
    """Return the keyword arguments that pass a model its mode with each call."""
    try:
        taken = inspect.signature(getattr(model, "forward", model)).parameters
    except (TypeError, ValueError):
        return {}
    return {name: means is training for name, means in _TRAINS.items() if name in taken}


def eval_mode(model: Any, *, training: bool) -> None:
    """Switch a model of either side to training or evaluation mode, if it is one."""
    if hasattr(model, "train"):
        if training:
            model.train()
        else:
            model.eval()
