"""Gradients of a case in a target that differentiates functions instead of recording tensors.

The case is a function of the float tensors that the prelude defines. A sum of its results is
differentiated by torch's tape and by `jax.grad`. Each result is weighed by itself and a constant,
so that its own gradient also counts where it is 0, as at kinks.
"""

from __future__ import annotations

import ast
from typing import Any

import torch

from workbench.convert.conversion import Conversion
from workbench.proof.trial import quiet
from workbench.proof.values import difference, without_tape


def of_gradients(prelude: str, case: str, conversion: Conversion) -> str | None:
    """Return how the gradients of a case differ, in words, or None.

    Args:
        prelude: torch code that binds the inputs.
        case: torch code that reads them.
        conversion: both texts, converted together.
    """
    before, after = _parts(conversion, prelude.count("\n"))
    theirs: dict[str, Any] = {}
    mine: dict[str, Any] = {}
    with quiet():
        exec(compile(prelude, "<prelude>", "exec"), mine)
        exec(compile(before, "<prelude>", "exec"), theirs)
    read = {node.id for node in ast.walk(ast.parse(case)) if isinstance(node, ast.Name)}
    leaves = [name for name, value in mine.items() if name in read and _is_float(value)]
    expected = _of_torch(case, mine, leaves) if leaves else None
    if expected is None:
        return None
    try:
        actual = _of_jax(after, theirs, leaves)
    except Exception as error:
        if type(error).__name__ == "TraceContextError":  # the keys stand outside of the function
            return None
        raise
    wide = {key: one.double() if _is_float(one) else one for key, one in mine.items()}
    precise = _of_torch(case, wide, leaves) or {}
    problems = (
        f"gradient of {name}: {found}"
        for name in leaves
        if expected[name] is not None
        and (found := difference(without_tape(expected[name]), actual[name], precise.get(name)))
    )
    return "; ".join(problems) or None


def _is_float(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def _parts(conversion: Conversion, count: int) -> tuple[str, str]:
    """Return converted code as that of the first lines of the original and that of the others.

    Lines that the conversion adds between them belong to the others: `def loss_fn(w):`.
    """
    lines, origins = conversion.code.splitlines(keepends=True), conversion.line_map
    at = next(place for place, line in enumerate(origins) if line >= count)
    while at and origins[at - 1] < 0:
        at -= 1
    return "".join(lines[:at]), "".join(lines[at:])


def _of_torch(
    case: str, names: dict[str, Any], leaves: list[str]
) -> dict[str, torch.Tensor | None] | None:
    """Return torch's gradients by the names of the inputs, or None if there are none."""
    given = {name: names[name].detach().clone().requires_grad_() for name in leaves}
    names = {**names, **given}
    try:
        with quiet():
            exec(compile(case, "<case>", "exec"), names)
        total = sum(_weighed(names, torch.Tensor, torch.is_floating_point))
        if not isinstance(total, torch.Tensor) or not total.requires_grad:
            return None
        found = torch.autograd.grad(total, list(given.values()), allow_unused=True)
    except RuntimeError:  # an input that needs gradients may not be changed in place
        return None
    return dict(zip(leaves, found, strict=True))


def _of_jax(case: str, names: dict[str, Any], leaves: list[str]) -> dict[str, Any]:
    import jax
    import jax.numpy as jnp

    code = compile(case, "<case>", "exec")

    def total(given: dict[str, Any]) -> Any:
        bound = {**names, **given}
        with quiet():
            exec(code, bound)
        floats = _weighed(bound, jax.Array, lambda x: jnp.issubdtype(x.dtype, jnp.floating))
        return sum(floats, jnp.zeros(()))

    found: dict[str, Any] = jax.grad(total)({name: names[name] for name in leaves})
    return found


def _weighed(bound: dict[str, Any], kind: Any, is_float: Any) -> list[Any]:
    """Return the weighed sums of the float tensors in `result`."""
    result = bound.get("result")
    parts = list(result) if isinstance(result, list | tuple) else [result]
    return [(one * (one + 1)).sum() for one in parts if isinstance(one, kind) and is_float(one)]
