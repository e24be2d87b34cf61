"""Templates for helpers that take the same arguments as the torch name they replace."""

from __future__ import annotations

from workbench.upstream.facts import load


def same_call(name: str, callee: str, *, without: tuple[str, ...] = (), overload: int = 0) -> str:
    """Return a template that calls `callee` with a torch name's parameters, as they are written.

    `without` lists parameters that the helper does not take. Then required ones are passed by
    position and optional ones by keyword, so that those not given can be omitted.
    """
    entry = load().get(name)
    assert entry is not None and entry.signatures, name
    if not any(p.name in without for p in entry.signatures[overload].parameters):
        return f"{callee}(...)"
    written: list[str] = []
    for parameter in entry.signatures[overload].parameters:
        if parameter.name in without:
            continue
        if parameter.kind == "var_positional":
            written.append("*{" + parameter.name + "}")
        elif parameter.default is None and parameter.kind != "keyword":
            written.append("{" + parameter.name + "}")
        else:
            written.append(parameter.name + "={" + parameter.name + "}")
    return f"{callee}({', '.join(written)})"
