"""Templates for calls that pass arguments with `*` or `**`.

`torch.sum(x, **options)` determines its arguments at run time, but a template needs their names. So
a lambda with torch's own parameters is called: `(lambda input, dim=None, keepdim=False:
paddle.sum(input, axis=dim, keepdim=keepdim))(x, **options)`. It binds the arguments as torch does,
defaults included, and raises for a name that the template does not hold.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Collection

from workbench.rules.match import NOT_CONSTANT, literal_of
from workbench.rules.template import compile_template
from workbench.upstream.facts import Parameter, Signature

_PLACEHOLDER = re.compile(r"\{(\w+)(?:=[^{}]*)?\}")


def through_lambda(
    templates: tuple[str, ...],
    signature: Signature,
    ignored: Collection[str],
    *,
    method: bool,
    given: Collection[str] = (),
) -> str | None:
    """Return a template that passes the call's own arguments on, or None if no lambda can do it.

    `given` are the parameters that the call names itself; the lambda has to take all of them.
    """
    if len(templates) == 1 and templates[0].endswith(", ...)"):
        front = templates[0].removesuffix(", ...)")
        return f"(lambda *args, **kwargs: {front}, *args, **kwargs))(...)"
    if any(compile_template(text).passes_on for text in templates):
        return None
    known = {parameter.name for parameter in signature.parameters}
    held = {text: set(compile_template(text).placeholders) for text in templates}
    unasked = {"out"}.difference(given)
    fit = [text for text in templates if held[text] - {"self"} <= known - unasked]
    fit = [text for text in fit if held[text].union(ignored).issuperset(given)]
    if not fit or any(p.kind.startswith("var_") for p in signature.parameters):
        return None
    widest = max(fit, key=lambda text: len(held[text]))
    takes = held[widest] | set(ignored)
    if ("self" in takes) != method:
        return None
    written = _parameters([p for p in signature.parameters if p.name in takes], signature)
    if written is None:
        return None
    head = ["self", *written] if method else written
    body = _PLACEHOLDER.sub(r"\1", widest)
    return f"(lambda {', '.join(head)}: {body})({'{self}, ' if method else ''}...)"


def _parameters(taken: list[Parameter], signature: Signature) -> list[str] | None:
    """Return a lambda's parameters, or None if an omitted one shifts the others."""
    places = [p for p in signature.parameters if p.kind != "keyword"]
    by_place = [p for p in taken if p.kind != "keyword"]
    if places[: len(by_place)] != by_place:
        return None
    written: list[str] = []
    for parameter in taken:
        default = parameter.default
        if keyword.iskeyword(parameter.name) or not _is_literal(default):
            return None
        if parameter.kind == "keyword" and "*" not in written:
            written.append("*")
        written.append(parameter.name if default is None else f"{parameter.name}={default}")
    return written


def _is_literal(default: str | None) -> bool:
    return default is None or literal_of(default) is not NOT_CONSTANT
