"""Emitters written as templates, such as `F.celu({self}, {alpha})`."""

from __future__ import annotations

from string import Formatter
from typing import TYPE_CHECKING

from workbench.lower.writing.call import atom

if TYPE_CHECKING:
    from workbench.lower.writing.call import Call
    from workbench.lower.writing.emitters import Write

_DTYPE = "dtype"
_OF_RESULT = "out"


def template(text: str) -> Write:
    """Return the emitter that a template describes.

    `{name}` is an argument of the operator, and `{dtype}` the dtype of the result. `{name:out}` is
    a tensor cast to that dtype. `{name!a}` has parentheses where an operator next to it needs
    them, and `{name!s}` is the plain value. `{_name}` is a helper.
    """
    parts = tuple(Formatter().parse(text))

    def write(call: Call) -> str:
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
    if conversion == "s":
        return str(call[name])
    if spec == _OF_RESULT:
        found = call.tensor(name, call.dtype)
    else:
        found = call.tensor(name) if call.is_tensor(name) else call.text(name)
    return atom(found) if conversion == "a" else found
