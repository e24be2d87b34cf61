"""Registry of the functions that write ATen operators in a target."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pkgutil import walk_packages
from string import Formatter
from typing import TYPE_CHECKING

from workbench.lower.writing.call import atom

if TYPE_CHECKING:
    from workbench.lower.writing.call import Call

Write = Callable[["Call"], str]
_DTYPE = "dtype"
_SHAPE = "new_shape"
_OF_RESULT = "out"
_NAME = re.compile(r"(?:[a-z_0-9]+::)?[a-zA-Z_0-9]+(?:\.[a-zA-Z_0-9]+)?$")


@dataclass(frozen=True)
class Emitter:
    """The emitter of one operator.

    `native` is true if it accepts 16-bit floats. Others compute in float32 and round, as torch's
    own kernels do; targets do not have 16-bit kernels for all operators on every device.
    """

    write: Write
    native: bool


class Emitters:
    """The emitters of a target, including those in all modules below `package`.

    They replace those of `shared`.
    """

    def __init__(self, package: str | None = None, shared: Emitters | None = None) -> None:
        self._package = package
        self._shared = shared
        self._table: dict[str, Emitter] = {}

    def emits(self, *names: str, native: bool = False) -> Callable[[Write], Write]:
        """Return a decorator that registers a function for operators: `conv2d` (default),
        `add.Tensor`.

        Raises:
            ValueError: a name is malformed or already taken.
        """

        def register(write: Write) -> Write:
            for name in names:
                if not _NAME.match(name):
                    raise ValueError(f"{name!r} is no operator name")
                if name in self._table:
                    raise ValueError(f"two emitters for {name}: one of {write.__module__}")
                self._table[name] = Emitter(write, native)
            return write

        return register

    def writes(
        self, templates: Mapping[str, str], *, native: bool = False, caveat: str | None = None
    ) -> None:
        """Register templates, each for one or more operators: `"sigmoid special_expit"`."""
        for names, text in templates.items():
            self.emits(*names.split(), native=native)(template(text, caveat))

    def table(self) -> dict[str, Emitter]:
        """Return every emitter by operator name."""
        if self._package is not None:
            package, self._package = import_module(self._package), None
            for module in walk_packages(package.__path__, f"{package.__name__}."):
                import_module(module.name)
            if self._shared is not None:
                self._table = {**self._shared.table(), **self._table}
        return self._table


def template(text: str, caveat: str | None = None) -> Write:
    """Return the emitter that a template describes.

    `{name}` is an argument of the operator, `{dtype}` the dtype of the result, and `{new_shape}`
    the shape of a new tensor. `{name:out}` is a tensor cast to that dtype. `{name!a}` has
    parentheses where an operator next to it needs them, and `{name!s}` is the plain value.
    `{_name}` is a helper.
    """
    parts = tuple(Formatter().parse(text))

    def write(call: Call) -> str:
        if caveat:
            call.caveat(caveat)
        return "".join(
            literal + (_filled(call, name, spec or "", conversion) if name else "")
            for literal, name, spec, conversion in parts
        )

    return write


def _filled(call: Call, name: str, spec: str, conversion: str | None) -> str:
    if name.startswith("_"):
        return call.helper(name)
    if name == _DTYPE:
        return call.dtype_text()
    if name == _SHAPE:
        return call.shape_text()
    if conversion == "s":
        return str(call[name])
    if spec == _OF_RESULT:
        found = call.tensor(name, call.dtype)
    else:
        found = call.tensor(name) if call.is_tensor(name) else call.text(name)
    return atom(found) if conversion == "a" else found
