"""Target expressions with placeholders, compiled once.

`paddle.concat({tensors}, axis={dim=0})`: `{tensors}` is the argument of that upstream parameter,
`{dim=0}` the same with a literal for where it was not given. An argument `axis={dim}` whose
parameter was not given is left out altogether, and `*{args}` puts the arguments of a variadic
parameter there as they were written, `**{args}` what the one list that was given holds.
`TorchConv2d(...)` takes over the call's own arguments, all of them, for what has the parameters of
the upstream name; more may stand in front of them.
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
_PREFIX = "placeholder_of_"


@dataclass(frozen=True, slots=True)
class Template:
    """A parsed template: its placeholders in order, their literals, and its expression."""

    text: str
    placeholders: tuple[str, ...]
    literals: dict[str, str]
    optional: frozenset[str]  # placeholders that are a whole argument of a call
    leading: frozenset[str]  # those that are a positional argument in front of another one

    @property
    def code(self) -> str:
        """The text, with each placeholder as a name that `placeholder` recognises."""
        return _PLACEHOLDER.sub(lambda match: _PREFIX + match.group(1), self.text)

    @property
    def expression(self) -> ast.expr:
        """What `code` parses to."""
        return _expression(self.text)

    @property
    def is_call(self) -> bool:
        """True where the template as a whole is one call."""
        return isinstance(self.expression, ast.Call)

    @property
    def passes_on(self) -> bool:
        """True where the arguments of the call are handed on as they are written."""
        return self.text.endswith("...)")

    @property
    def only_placeholders(self) -> bool:
        """True for a call that is given torch's arguments and nothing else."""
        call = self.expression
        given = _given(call) if isinstance(call, ast.Call) else ()
        return bool(given) and all(map(placeholder_at, given))

    @property
    def positional(self) -> tuple[str, ...]:
        """Placeholders of the receiver and of positional arguments, for a template that calls."""
        return tuple(name for name in self.placeholders if name not in self.keywords)

    @property
    def keywords(self) -> frozenset[str]:
        """Placeholders that are a keyword argument by themselves."""
        call = self.expression
        if not isinstance(call, ast.Call):
            return frozenset()
        found = (placeholder_at(one.value) for one in call.keywords if one.arg is not None)
        return frozenset(name for name in found if name is not None)

    def displaced(self, given: Container[str]) -> str | None:
        """A placeholder not given, into whose place the positional argument behind it would move.

        `given` are the placeholders that are filled beside those that have a literal.
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
        """True where the template calls something with torch's own parameters in torch's order.

        Arguments passed with `*` and `**` may then be left as they are.
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
    def callee(self) -> str:
        """The text before the first bracket: what the template calls, or all of it."""
        return self.text.partition("(")[0]


def placeholder(name: str) -> str | None:
    """The placeholder that a name in a template's code stands for."""
    return name.removeprefix(_PREFIX) if name.startswith(_PREFIX) else None


def placeholder_at(node: ast.expr) -> str | None:
    """The placeholder that an expression of a template is, by itself."""
    return placeholder(node.id) if isinstance(node, ast.Name) else None


def _given(call: ast.Call) -> list[ast.expr]:
    """What a call is given, without the stars in front of it."""
    placed = [one.value if isinstance(one, ast.Starred) else one for one in call.args]
    return [*placed, *(one.value for one in call.keywords)]


@cache
def compile_template(text: str) -> Template:
    """Compile a template.

    Raises:
        RuleError: where the template is no expression once its placeholders are filled.
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
    """A template without the arguments that are not given, and with the literals of the others."""
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
        raise RuleError(f"template {text!r} is no expression: {error.msg}") from error


@cache
def _positions(text: str) -> tuple[tuple[str | None, ...], ...]:
    """The positional arguments of each call in a template: placeholders, None for others."""
    return tuple(
        tuple(placeholder_at(arg) for arg in node.args if not isinstance(arg, ast.Starred))
        for node in ast.walk(_expression(text))
        if isinstance(node, ast.Call)
    )


@cache
def roots(text: str) -> frozenset[str]:
    """The names that a template starts its expressions with: modules, helpers, builtins."""
    names = {node.id for node in ast.walk(_expression(text)) if isinstance(node, ast.Name)}
    return frozenset(name for name in names if placeholder(name) is None)
