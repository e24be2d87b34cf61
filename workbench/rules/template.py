"""Target expressions with placeholders, compiled once.

In `paddle.concat({tensors}, axis={dim=0})`, `{tensors}` is the argument of that upstream parameter,
and `{dim=0}` is the same with a default. An argument `axis={dim}` whose parameter was not given is
omitted. `*{args}` inserts the arguments of a variadic parameter as they were written, and
`**{args}` the contents of the one list that was given. `TorchConv2d(...)` passes all of the call's
own arguments to a callee with the upstream name's parameters; further arguments may precede them,
and keyword arguments may follow: `Net(..., rngs=rngs)`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import cache

from workbench.errors import RuleError

_PLACEHOLDER = re.compile(r"\{(\w+)(?:=([^{}]*))?\}")
_LEADING = re.compile(r"(?<=[(,])\s*<(\w+)>\s*,(?=\s*(?!\w+=(?!=))[^\s*)])")
# The end of a call with another call's own arguments.
_PASSED = re.compile(r"\.\.\.(, \w+=[\w.]+)*\)$")
_PREFIX = "placeholder_of_"


@dataclass(frozen=True, slots=True)
class Template:
    """A parsed template: its placeholders in order, their literals, and its expression."""

    text: str
    placeholders: tuple[str, ...]
    literals: dict[str, str]
    optional: frozenset[str]  # placeholders that are a whole argument of a call
    leading: frozenset[str]  # placeholders that are a positional argument before another one

    @property
    def code(self) -> str:
        """The text, with each placeholder as a name that `placeholder` recognises."""
        return _PLACEHOLDER.sub(lambda match: _PREFIX + match.group(1), self.text)

    @property
    def expression(self) -> ast.expr:
        """The syntax tree of `code`."""
        return _expression(self.text)

    @property
    def is_call(self) -> bool:
        """Return whether the whole template is one call."""
        return isinstance(self.expression, ast.Call)

    @property
    def passes_on(self) -> bool:
        """Return whether the template passes the call's arguments as they are written."""
        return _PASSED.search(self.text) is not None

    @property
    def passes_all_on(self) -> bool:
        """Return whether the template is a callee with the call's own arguments and no others."""
        return self.text == f"{self.callee}(...)"

    @property
    def only_placeholders(self) -> bool:
        """Return True for a call whose arguments are all placeholders."""
        call = self.expression
        given = _given(call) if isinstance(call, ast.Call) else ()
        return bool(given) and all(map(placeholder_at, given))

    @property
    def positional(self) -> tuple[str, ...]:
        """Placeholders of the receiver and of positional arguments, for a template that calls."""
        return tuple(name for name in self.placeholders if name not in self.keywords)

    @property
    def keywords(self) -> frozenset[str]:
        """Placeholders that are a whole keyword argument."""
        call = self.expression
        if not isinstance(call, ast.Call):
            return frozenset()
        found = (placeholder_at(one.value) for one in call.keywords if one.arg is not None)
        return frozenset(name for name in found if name is not None)

    def displaced(self, given: Container[str]) -> str | None:
        """Return a missing placeholder whose position the next positional argument would take, or
        None.

        `given` are the filled placeholders, not counting those with a default.
        """
        if all(name in given or name in self.literals for name in self.leading):
            return None
        for names in _positions(self.text):
            missing: str | None = None
            for name in names:
                if name in self.leading and name not in given and name not in self.literals:
                    missing = missing or name
                elif missing and (name is None or name in given or name in self.literals):
                    return missing
        return None

    def takes(self, parameters: Sequence[str]) -> bool:
        """Return whether the template calls something with torch's own parameters in torch's order.

        Arguments passed with `*` and `**` may then stay unchanged.
        """
        call = self.expression
        if not isinstance(call, ast.Call) or self.literals or "{" in self.callee:
            return False
        for index, arg in enumerate(call.args):
            name = placeholder_at(arg)
            if name is None or name != next(iter(parameters[index:]), None):
                return False
        named = all(
            one.arg is not None and placeholder_at(one.value) == one.arg for one in call.keywords
        )
        return named and bool(call.args or call.keywords)

    @property
    def takes_receiver(self) -> bool:
        """Return whether the receiver is an argument: `resized({self}, {size})`."""
        return "{self}" in self.text.removeprefix(self.callee)

    @property
    def callee(self) -> str:
        """The text before the first parenthesis: the template's callee, or all of it."""
        return self.text.partition("(")[0]


def placeholder(name: str) -> str | None:
    """Return the placeholder that a name in a template's code represents, or None."""
    return name.removeprefix(_PREFIX) if name.startswith(_PREFIX) else None


def placeholder_at(node: ast.expr) -> str | None:
    """Return the placeholder that an expression of a template consists of, or None."""
    return placeholder(node.id) if isinstance(node, ast.Name) else None


def _given(call: ast.Call) -> list[ast.expr]:
    """Return the arguments of a call, without stars."""
    placed = [one.value if isinstance(one, ast.Starred) else one for one in call.args]
    return [*placed, *(one.value for one in call.keywords)]


@cache
def compile_template(text: str) -> Template:
    """Compile a template.

    Raises:
        RuleError: the template is not an expression once its placeholders are filled.
    """
    names: list[str] = []
    literals: dict[str, str] = {}
    for match in _PLACEHOLDER.finditer(text):
        name, default = match.groups()
        if name not in names:
            names.append(name)
        if default is not None:
            literals[name] = default
    plain = _PLACEHOLDER.sub(lambda match: f"<{match.group(1)}>", text)
    optional = {
        match.group(2) for match in re.finditer(r"(?<=[(,])\s*(\w+=|\*)?<(\w+)>\s*(?=[,)])", plain)
    }
    return Template(
        text, tuple(names), literals, frozenset(optional), frozenset(_LEADING.findall(plain))
    )


def only_given(text: str, given: Container[str]) -> str:
    """Return a template without arguments that are not given, and with the defaults of others."""
    for name in compile_template(text).placeholders:
        if name in given:
            continue
        default = compile_template(text).literals.get(name)
        if default is not None:
            text = re.sub(rf"\{{{name}=[^{{}}]*\}}", default.replace("\\", r"\\"), text)
            continue
        argument = rf"(?:\w+=|\*)?\{{{name}\}}"
        text = re.sub(rf",\s*{argument}(?=\s*[,)])", "", text)
        text = re.sub(rf"(?<=\()\s*{argument}\s*(?:,\s*|(?=\)))", "", text)
    return text


@cache
def _expression(text: str) -> ast.expr:
    try:
        return ast.parse(compile_template(text).code, mode="eval").body
    except SyntaxError as error:
        raise RuleError(f"template {text!r} is not an expression: {error.msg}") from error


@cache
def _positions(text: str) -> tuple[tuple[str | None, ...], ...]:
    """Return each call's positional arguments in a template: placeholders, or None for others."""
    return tuple(
        tuple(placeholder_at(arg) for arg in node.args if not isinstance(arg, ast.Starred))
        for node in ast.walk(_expression(text))
        if isinstance(node, ast.Call)
    )


@cache
def roots(text: str) -> frozenset[str]:
    """Return the first names of a template's expressions: modules, helpers and builtins."""
    names = {node.id for node in ast.walk(_expression(text)) if isinstance(node, ast.Name)}
    return frozenset(name for name in names if placeholder(name) is None)
