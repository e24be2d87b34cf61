"""Conversion of the user's own modules that use torch, for the cells that import them.

An import gives both sides the same module, which uses torch. The module's text is therefore
converted and run as a module of the same name, in which imports of such modules give their twins.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.compare.carry.inside import is_a
from workbench.compare.carry.origin import is_installed
from workbench.source.packages import may_use_torch
from workbench.targets.bridge import CarryError

if TYPE_CHECKING:
    from workbench.convert.conversion import Conversion


_OURS = ("jupyter_ext", "torchferry", "workbench")


class OwnModules:
    """The twins of modules; a reloaded module gets a new one.

    `helpers` returns the helpers of converted code that exist so far, by name; `add_helpers`
    receives those that a converted module defines. All code shares them: a class has one copy.
    """

    def __init__(
        self,
        convert: Callable[[str], Conversion],
        helpers: Callable[[], dict[str, Any]] = dict,
        add_helpers: Callable[[dict[str, Any]], None] = lambda made: None,
    ) -> None:
        self._convert = convert
        self._helpers = helpers
        self._add_helpers = add_helpers
        self._twins: dict[str, tuple[object, types.ModuleType]] = {}

    def twin(self, value: Any) -> Any:
        """Return the twin of a module or of an object that it defines; None for other objects."""
        module = module_behind(value)
        text = None if module is None else own_text(module)
        if module is None or text is None:
            return None
        made = self._module(module, text)
        return made if module is value else vars(made).get(value.__name__)

    def clear(self) -> None:
        """Forget all twins, so that each module is converted again when it is next needed."""
        self._twins.clear()

    def _module(self, module: types.ModuleType, text: str) -> types.ModuleType:
        known = self._twins.get(module.__name__)
        state = definitions(module)
        if known is not None and known[0] == state:
            return known[1]
        made = types.ModuleType(module.__name__)
        made.__file__, made.__package__ = module.__file__, module.__package__
        self._twins[module.__name__] = state, made
        imported = [each for each in map(module_behind, vars(module).values()) if each]
        twins = {each.__name__: made for each in imported if (made := self.twin(each)) is not None}
        conversion = self._convert(text)
        if conversion.unconverted:
            del self._twins[module.__name__]
            raise CarryError(f"{module.__name__}: {conversion.unconverted[0].message}")
        vars(made).update(self._helpers())
        code = compile(conversion.code, f"<converted {module.__name__}>", "exec", dont_inherit=True)
        try:
            with _imported({**twins, module.__name__: made}):
                exec(code, vars(made))
        except Exception as error:
            del self._twins[module.__name__]
            raise CarryError(f"converted {module.__name__} raises {error!r}") from error
        defined = {name: vars(made)[name] for name in conversion.helpers if name in vars(made)}
        self._add_helpers(defined)
        return made


def texts_behind(values: Iterable[Any]) -> list[str]:
    """Return the texts of the user's modules that define these values or are imported by those."""
    found: dict[str, str] = {}
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        module = module_behind(value) or module_behind(type(value))
        text = own_text(module)
        if module is not None and text is not None and module.__name__ not in found:
            found[module.__name__] = text
            waiting += vars(module).values()
    return [found[name] for name in sorted(found)]


def definitions(module: types.ModuleType) -> object:
    """Return a token that changes when a module is reloaded."""
    held = list(vars(module).values())
    return tuple(id(each) for each in held if module_of(each) is module)


def is_own(module: types.ModuleType) -> bool:
    """Return whether a module belongs to the user, in a file that is not installed."""
    file = getattr(module, "__file__", None)
    if module.__name__.partition(".")[0] in ("__main__", *_OURS):
        return False
    return isinstance(file, str) and _is_user_file(file)


@cache
def _is_user_file(file: str) -> bool:
    return file.endswith(".py") and not is_installed(file)


def own_text(module: types.ModuleType | None) -> str | None:
    """Return the text of a user's module that may use torch, or None for others."""
    if module is None or not is_own(module):
        return None
    file = Path(str(module.__file__))
    try:
        state = file.stat()
        return _torch_text(file, state.st_mtime_ns, state.st_size)
    except (OSError, UnicodeDecodeError):
        return None


@lru_cache
def _torch_text(file: Path, changed: int, size: int) -> str | None:
    """Return the text of a file at a modification time, or None if it does not use torch."""
    text = file.read_text(encoding="utf-8")
    return text if may_use_torch(text) else None


def module_of(value: Any) -> types.ModuleType | None:
    """Return the module that defines a function or a class at its top level, or None."""
    if not is_a(value, (type, types.FunctionType)) or "." in value.__qualname__:
        return None
    return sys.modules.get(value.__module__)


def module_behind(value: Any) -> types.ModuleType | None:
    """Return a module itself, or the one that defines a function or a class."""
    return value if is_a(value, types.ModuleType) else module_of(value)


@contextmanager
def _imported(twins: dict[str, types.ModuleType]) -> Iterator[None]:
    """Make imports of these names return the twins while open."""
    before = {name: sys.modules.get(name) for name in twins}
    sys.modules.update(twins)
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module
