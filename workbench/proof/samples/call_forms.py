"""One call, written in the forms that Python and torch allow."""

from __future__ import annotations

import ast
import keyword
import random
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from workbench.upstream.facts import Facts, Parameter, Signature, load

OPERATORS: Final = {
    "__add__": "{0} + {1}",
    "__sub__": "{0} - {1}",
    "__mul__": "{0} * {1}",
    "__truediv__": "{0} / {1}",
    "__floordiv__": "{0} // {1}",
    "__mod__": "{0} % {1}",
    "__pow__": "{0} ** {1}",
    "__matmul__": "{0} @ {1}",
    "__and__": "{0} & {1}",
    "__or__": "{0} | {1}",
    "__xor__": "{0} ^ {1}",
    "__lshift__": "{0} << {1}",
    "__rshift__": "{0} >> {1}",
    "__eq__": "{0} == {1}",
    "__ne__": "{0} != {1}",
    "__lt__": "{0} < {1}",
    "__le__": "{0} <= {1}",
    "__gt__": "{0} > {1}",
    "__ge__": "{0} >= {1}",
    "__getitem__": "{0}[{1}]",
    "__neg__": "-{0}",
    "__invert__": "~{0}",
    "__radd__": "{1} + {0}",
    "__rsub__": "{1} - {0}",
    "__rmul__": "{1} * {0}",
    "__rdiv__": "{1} / {0}",
    "__rmod__": "{1} % {0}",
    "__rpow__": "{1} ** {0}",
    "__rmatmul__": "{1} @ {0}",
    "__rand__": "{1} & {0}",
    "__ror__": "{1} | {0}",
    "__rxor__": "{1} ^ {0}",
}

# Defaults in torch's stubs that are names of their own modules.
_LAYOUTS: Final = {"strided": "torch.strided"}


@dataclass(frozen=True, slots=True)
class Call:
    """A call as source code.

    Attributes:
        name: the torch name that is called; a tensor's member if `receiver` is given.
        positional: the positional arguments.
        keywords: the keyword arguments.
        receiver: the expression of the tensor whose method is called.
    """

    name: str
    positional: tuple[str, ...] = ()
    keywords: dict[str, str] = field(default_factory=dict)
    receiver: str | None = None

    @property
    def function(self) -> str:
        """The text before the parenthesis."""
        if self.receiver is None:
            return self.name
        return f"{_primary(self.receiver)}.{self.name.rpartition('.')[2]}"

    def but(self, positional: tuple[str, ...], keywords: dict[str, str]) -> Call:
        """Return the same call with other arguments."""
        return replace(self, positional=positional, keywords=keywords)

    def text(self) -> str:
        """Return the call as source code."""
        named = (f"{key}={value}" for key, value in self.keywords.items())
        return f"{self.function}({', '.join([*self.positional, *named])})"


def spellings(call: Call) -> Iterator[tuple[str, str]]:
    """Yield every form of a call with its name: statements of which the last binds `result`.

    torch may not accept all of them; the caller tries torch first.
    """
    yield "positional", f"result = {call.text()}"
    member = call.name.rpartition(".")[2]
    if call.receiver is not None and member in OPERATORS and not call.keywords:
        operands = [call.receiver, *call.positional]
        yield "operator", f"result = {OPERATORS[member].format(*operands)}"
    yield from _variables(call)
    if call.receiver is None:
        yield "bound name", f"function = {call.name}\nresult = {replace_name(call, 'function')}"
    else:
        through = replace(call, receiver=None, positional=(call.receiver, *call.positional))
        yield "class", f"result = {through.text()}"
    found = named(call)
    if found is None:
        return
    signature, keywords = found
    if keywords and keywords != call.keywords:
        yield "keywords", f"result = {replace(call, positional=(), keywords=keywords).text()}"
    if len(keywords) > 1:
        names = list(keywords)
        random.Random(call.text()).shuffle(names)
        if names == list(keywords):
            names.reverse()
        shuffled = {name: keywords[name] for name in names}
        yield "shuffled", f"result = {replace(call, positional=(), keywords=shuffled).text()}"
    lead = min(1, len(call.positional))
    first = next(iter(keywords), None) if lead else None
    after = {name: text for name, text in keywords.items() if name != first}
    if after and lead and len(call.positional) > 1:
        mixed = replace(call, positional=call.positional[:1], keywords=after)
        yield "mixed", f"result = {mixed.text()}"
    if bare := defaults_of(signature, but={*keywords, "out"}):
        full = replace(call, positional=call.positional[:lead], keywords={**after, **bare})
        yield "defaults given", f"result = {full.text()}"
    defaults = {p.name: p.default for p in signature.parameters}
    left = {name: text for name, text in after.items() if defaults.get(name) != text}
    if left != after:
        short = replace(call, positional=call.positional[:lead], keywords=left)
        yield "defaults left out", f"result = {short.text()}"
    yield "unpacked", _unpacked(call, after, lead)


def _variables(call: Call) -> Iterator[tuple[str, str]]:
    """Yield the form that passes arguments through variables, if some are not names yet."""
    lines: list[str] = []

    def variable(text: str) -> str:
        if text.isidentifier() or text.startswith("torch."):
            return text
        lines.append(f"v{len(lines)} = {text}")
        return f"v{len(lines) - 1}"

    positional = tuple(variable(text) for text in call.positional)
    keywords = {name: variable(text) for name, text in call.keywords.items()}
    if lines:
        through = replace(call, positional=positional, keywords=keywords)
        yield "variables", "\n".join([*lines, f"result = {through.text()}"])


def _unpacked(call: Call, keywords: dict[str, str], lead: int) -> str:
    inner = ", ".join(call.positional[:lead])
    pairs = ", ".join(f'"{name}": {text}' for name, text in keywords.items())
    lines = [f"arguments = [{inner}]", f"options = {{{pairs}}}"]
    parts = [*(["*arguments"] if inner else []), *(["**options"] if pairs else [])]
    kept = [line for line in lines if not line.endswith(("[]", "{}"))]
    return "\n".join([*kept, f"result = {call.function}({', '.join(parts)})"])


def replace_name(call: Call, name: str) -> str:
    """Return the call with another text before its parenthesis."""
    return name + call.text().removeprefix(call.function)


def named(call: Call, facts: Facts | None = None) -> tuple[Signature, dict[str, str]] | None:
    """Return the signature that names every argument, and the arguments by name, or None."""
    entry = (facts or load()).get(call.name)
    if entry is None:
        return None
    for signature in entry.signatures:
        places = [p for p in signature.parameters if p.kind == "any"]
        known = {p.name for p in signature.parameters if p.kind in ("any", "keyword")}
        if any(p.kind in ("positional", "var_positional") for p in signature.parameters):
            continue
        if len(call.positional) > len(places) or not call.keywords.keys() <= known:
            continue
        pairs = list(zip(places, call.positional, strict=False))
        if not all(_may_be(parameter, text) for parameter, text in pairs):
            continue
        by_name = {parameter.name: text for parameter, text in pairs}
        if any(map(_is_reserved, by_name)):
            continue
        if by_name.keys() & call.keywords.keys() or not _complete(signature, by_name, call):
            continue
        return signature, {**by_name, **call.keywords}
    return None


def defaults_of(signature: Signature, but: Collection[str]) -> dict[str, str]:
    """Return the defaults of parameters that can be passed by keyword, as text, except `but`."""
    return {
        parameter.name: _LAYOUTS.get(parameter.default, parameter.default)
        for parameter in signature.parameters
        if parameter.default is not None
        and parameter.kind in ("any", "keyword")
        and parameter.name not in but
        and not _is_reserved(parameter.name)
    }


def _is_reserved(name: str) -> bool:
    """Return whether a parameter's name is a Python keyword, as that of `from_` is."""
    return keyword.iskeyword(name.removesuffix("_"))


def _primary(text: str) -> str:
    """Return an expression, in parentheses if an attribute access needs them."""
    node = ast.parse(text, mode="eval").body
    plain = isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
    return text if plain else f"({text})"


def _complete(signature: Signature, by_name: dict[str, str], call: Call) -> bool:
    given = {*by_name, *call.keywords}
    required = (p for p in signature.parameters if p.default is None)
    return all(p.name in given for p in required if p.kind in ("any", "keyword"))


def _may_be(parameter: Parameter, text: str) -> bool:
    """Return whether an argument's text may have a parameter's type, judged by its spelling."""
    tensor = text[0] == "t" and text[1:].isdigit()
    if tensor:
        return "Tensor" in parameter.type or parameter.type in ("", "object", "Any")
    return parameter.type != "Tensor"
