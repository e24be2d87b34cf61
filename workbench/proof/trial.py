"""One trial: a snippet is converted by the real engine, run on both sides and compared."""

from __future__ import annotations

import contextlib
import io
import re
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from workbench.convert.conversion import Conversion, convert
from workbench.errors import TorchferryError
from workbench.findings import Severity
from workbench.proof.distribution import alike
from workbench.proof.snippet import Outcome, Result, Snippet
from workbench.proof.values import (
    as_array,
    difference,
    largest_difference,
    width_of,
    without_tape,
)
from workbench.targets import Target, load

_DRAWS = 12  # runs of a random snippet, pooled before two distributions are compared
_IGNORED = types.ModuleType | types.FunctionType | type


def attempt(snippet: Snippet, target: str | Target) -> Result:
    """Run a snippet on both sides.

    The outcome is SKIPPED if torch does not accept the form. If only the gradient differs, the
    detail starts with "gradient:".
    """
    source = snippet.source()
    expected, error = execute(source, snippet.arrays)
    if error:
        return _result(snippet, Outcome.SKIPPED, f"torch: {error}", source)
    gradient = gradient_of(snippet, expected)
    if gradient and load(target).tape:
        longer = snippet.source(gradient)
        more, error = execute(longer, snippet.arrays)
        if error is None:
            found = _compared(snippet, longer, more, target)
            if found.outcome in (Outcome.EQUAL, Outcome.REFUSED, Outcome.CAVEAT):
                return found
            plain = _compared(snippet, source, expected, target)
            if plain.outcome != Outcome.EQUAL:
                return plain
            return _result(
                snippet, found.outcome, f"gradient: {found.detail}", longer, found.converted
            )
    return _compared(snippet, source, expected, target)


def _result(
    snippet: Snippet,
    outcome: Outcome,
    detail: str = "",
    source: str = "",
    converted: str = "",
    largest: float = 0.0,
) -> Result:
    return Result(
        snippet.rule, snippet.form, snippet.dtype, outcome, detail, largest, source, converted
    )


def gradient_of(snippet: Snippet, names: dict[str, Any]) -> str:
    """Return the lines that backpropagate from all floats in `result`, or "" without gradients."""
    if not snippet.leaves or snippet.random or snippet.undefined:
        return ""
    result = names["result"]
    items = {"result": result}
    if isinstance(result, list | tuple):
        items = {f"result[{index}]": item for index, item in enumerate(result)}
    flowing = [
        place
        for place, item in items.items()
        if isinstance(item, torch.Tensor) and item.requires_grad and item.dtype.is_floating_point
    ]
    if not flowing:
        return ""
    total = " + ".join(f"torch.square({place}).sum()" for place in flowing)
    grads = ", ".join(f"{name}.grad" for name in snippet.leaves)
    return f"({total}).backward()\ngrads = [{grads}]"


def _compared(
    snippet: Snippet, source: str, expected: dict[str, Any], target: str | Target
) -> Result:
    try:
        conversion = convert(source, target=target)
    except (TorchferryError, RecursionError) as problem:
        return _result(snippet, Outcome.FAILS, f"conversion: {problem}", source)
    if conversion.unconverted:
        reasons = "; ".join(finding.message for finding in conversion.unconverted)
        return _result(snippet, Outcome.REFUSED, reasons, source)
    code = conversion.code
    with width_of(load(target)):
        actual, error = execute(code, snippet.arrays)
    caveat = _caveat(conversion)
    if error is not None:
        outcome = Outcome.CAVEAT if caveat else Outcome.FAILS
        if re.search(load(target).no_kernel, error):
            outcome = Outcome.LACKS
        return _result(snippet, outcome, caveat or error, source, code)
    if snippet.random or snippet.undefined:
        found = _drawn(snippet, source, code, expected, actual)
        return _result(
            snippet, Outcome.WRONG if found else Outcome.EQUAL, found or "", source, code
        )
    define_gradients(expected, actual)
    seen = expected if load(target).tape else without_tape(expected)
    found = compare(seen, actual, lambda: in_float64(source, snippet.arrays))
    if found and caveat:
        return _result(snippet, Outcome.CAVEAT, caveat, source, code)
    if found:
        special = snippet.form.startswith("NaN")
        return _result(snippet, Outcome.SPECIAL if special else Outcome.WRONG, found, source, code)
    largest = largest_difference(expected["result"], actual["result"])
    return _result(snippet, Outcome.EQUAL, "", source, code, largest)


def define_gradients(expected: dict[str, Any], actual: dict[str, Any]) -> None:
    """Drop gradients that are None in torch and zero in the target.

    torch's kernels decide arbitrarily whether such a gradient is None or zero.
    """
    mine, theirs = expected.get("grads"), actual.get("grads")
    if not isinstance(mine, list) or not isinstance(theirs, list) or len(mine) != len(theirs):
        return
    for place, (one, other) in enumerate(zip(mine, theirs, strict=True)):
        found = as_array(other)
        if one is None and found is not None and not found.array.any():
            theirs[place] = None


def _caveat(conversion: Conversion) -> str:
    stated = (row.message for row in conversion.findings if row.severity == Severity.WARNING)
    return "; ".join(stated)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Suppress a snippet's output and warnings while open."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def execute(code: str, arrays: dict[str, Any]) -> tuple[dict[str, Any], str | None]:
    """Run a text; return the names that it binds, and the error that ended it or None."""
    copies = {name: array.copy() for name, array in arrays.items()}
    namespace: dict[str, Any] = {"__name__": "snippet", **copies}
    try:
        with quiet():
            exec(compile(code, "<snippet>", "exec", dont_inherit=True), namespace)
    except Exception as error:
        words = str(error).strip().splitlines() or [""]
        summary = next((line for line in reversed(words) if line.strip()), "").strip()
        return namespace, f"{type(error).__name__}: {summary[:300]}"
    finally:
        torch.set_default_dtype(torch.float32)
        torch.set_default_device(None)
    for name in arrays:
        namespace.pop(name)
    # Torch's operators return it for unsupported operands.
    if namespace.get("result") is NotImplemented:
        return namespace, "TypeError: the operator does not take these arguments"
    return namespace, None


def compare(
    expected: dict[str, Any], actual: dict[str, Any], reference: Callable[[], dict[str, Any]]
) -> str | None:
    """Return the differences in the names that one side bound, in words, or None.

    If values differ by more than rounding, they are compared with torch's values in a wider dtype,
    which `reference` computes. A value that is about as close to these as torch's narrow one is
    right.
    """
    wide: dict[str, Any] | None = None
    problems = []
    for key, value in expected.items():
        if key.startswith("_") or isinstance(value, _IGNORED):
            continue
        found = difference(value, actual.get(key))
        if found:
            wide = reference() if wide is None else wide
            found = difference(value, actual.get(key), wide.get(key))
        if found:
            problems.append(f"{key}: {found}")
    return "; ".join(problems) or None


def in_float64(source: str, arrays: dict[str, np.ndarray[Any, Any]]) -> dict[str, Any]:
    """Return torch's names in float64 in place of narrower dtypes, or {} if that raises."""
    wide = source
    for narrow in ("torch.float32", "torch.bfloat16", "torch.float16"):
        wide = wide.replace(narrow, "torch.float64")
    wide = wide.replace("torch.complex64", "torch.complex128")
    wide = wide.replace('astype("float32")', 'astype("float64")')
    wide = wide.replace(
        "import torch\n", "import torch\ntorch.set_default_dtype(torch.float64)\n", 1
    )
    names, error = execute(wide, arrays)
    return {} if error else names


def _drawn(
    snippet: Snippet, source: str, code: str, expected: dict[str, Any], actual: dict[str, Any]
) -> str | None:
    """Return the difference of random results: shape, dtype, or distribution over many runs; or
    None.
    """
    found = difference(expected["result"], actual.get("result"), values=False)
    if found or snippet.undefined:
        return found
    mine: list[Any] = []
    theirs: list[Any] = []
    for _ in range(_DRAWS):
        for text, pool in ((source, mine), (code, theirs)):
            names, error = execute(text, snippet.arrays)
            if error:
                return error
            pool.append(names["result"])
    # For example dropout with rate 0: values can be compared.
    if _settled(mine) and _settled(theirs):
        return compare(expected, actual, lambda: in_float64(source, snippet.arrays))
    return alike(mine, theirs)


def _settled(draws: list[Any]) -> bool:
    """Return whether all draws are equal."""
    return all(difference(draws[0], draw) is None for draw in draws[1:])
