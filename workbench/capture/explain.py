"""Conversion of the exceptions of `torch.export` into a `CaptureError` at the user's line."""

from __future__ import annotations

import inspect
import re
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.capture.errors import CaptureError
from workbench.capture.provenance import innermost, locations, user_frames

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch

    from workbench.capture.graph import Location

_OWN = str(Path(__file__).parents[1])  # Torchferry's own code, when it is not an installed package
_WORDS: tuple[tuple[str, str, str, str], ...] = (
    (
        r"Could not guard on data-dependent|data-dependent (expression|branch)|"
        r"GuardOnDataDependent|convert.*symbolic.*bool",
        "TF401",
        "the code depends on a tensor's value, which is not known while the graph is captured",
        "write the choice as torch.where or torch.cond, or a check as torch._check",
    ),
    (
        r"get value out of a tracing tensor",
        "TF414",
        "a tensor is converted to a Python number here, in a model that computes gradients itself",
        "compute the number from shapes, or pass it in",
    ),
    (
        r"Could not extract specialized integer|specialized integer from data-dependent",
        "TF402",
        "a size or a count depends on a tensor's value",
        "use a fixed bound, or state its range with torch._check(0 <= n <= bound)",
    ),
    (
        r"DataDependentOutput|DynamicOutputShape",
        "TF402",
        "the size of this operator's result depends on a tensor's values, which are not known while"
        " the graph is captured",
        "pass Python numbers where it accepts them, as for the lengths of ctc_loss, or do not"
        " capture it",
    ),
    (
        r"but got FakeTensor|data is not allocated yet",
        "TF402",
        "single numbers are read from a tensor, whose values are not known while the graph is"
        " captured",
        "read them with .item() or .tolist(), or index with a whole tensor",
    ),
    (
        r"`?dynamic_shapes`?",
        "TF412",
        "dynamic_shapes does not fit the inputs",
        "give one entry for each input that is passed, by its name in forward",
    ),
    (
        r"Constraints violated|[Nn]ot all values of RelaxedUnspecConstraint|specialized",
        "TF412",
        "the model needs a condition on a dynamic dimension that dynamic_shapes does not state",
        "apply the fix that is suggested above, or leave that dimension fixed",
    ),
    (
        r"\.numpy\(\) is not supported|Cannot convert|numpy\(\)|tensor subclasses",
        "TF404",
        "a tensor is converted to NumPy or Python values here, and the graph records nothing"
        " computed from them",
        "use the torch operation that does the same",
    ),
    (
        r"Unsupported output type|Unsupported input type|of type .* is not supported|"
        r"not a valid (JAX )?type|pytree|register_dataclass",
        "TF411",
        "a graph can neither take nor return a value of this type",
        "return tensors, tuples, lists or dicts, or call torch.export.register_dataclass on it",
    ),
    (
        r"UnsupportedOperator|fake (impl|kernel)|no fake|register_fake|not implemented for.*Meta",
        "TF413",
        "a custom operator does not declare the shape of its result",
        "declare it with torch.library.register_fake",
    ),
    (
        r"CUDA|cuda|No CUDA GPUs|device",
        "TF405",
        "the code names a fixed device",
        "use the device of an input: device=x.device",
    ),
    (
        r"data pointer|storage|\.data\b|set_|FunctionalTensor",
        "TF406",
        "a tensor is changed in a way that the graph does not record, such as through .data",
        "assign the result of an operation instead",
    ),
)


# Errors that another way of tracing may avoid: choices that the example's values can decide, and
# errors that a model raises only because it detects tracing.
TRIED_AGAIN = frozenset({"TF401", "TF402", "TF414", "TF415"})


def explain(
    error: Exception, module: torch.nn.Module, runs: Callable[[], bool] = bool
) -> CaptureError:
    """Return the error with the user's line, the reason, torch's message and the next step.

    `runs` returns whether the model itself accepts the inputs.
    """
    text = str(error).strip()
    place = _place(error, text)
    first = _first_lines(text)
    kind = f"{type(error).__name__} {text}"
    if place is not None and "data-dependent" in kind and re.search(r"\b(int|float)\(", place.code):
        return CaptureError(
            f"a tensor is converted to a Python number here, which a graph cannot hold ({first})",
            code="TF414",
            location=place,
            step="keep it a tensor, or read the number with .item()",
        )
    for pattern, code, reason, step in _WORDS:
        if re.search(pattern, kind):
            return CaptureError(f"{reason} ({first})", code=code, location=place, step=step)
    return CaptureError(
        f"{type(module).__name__} raises while it is captured: {first}"
        if place
        else f"{type(module).__name__} cannot be captured: {first}",
        location=place,
        step=_only_traced(module)
        if runs()
        else "call the model in torch with the same inputs, and fix the error that it raises there",
    )


def _only_traced(module: torch.nn.Module) -> str:
    """Return the next step if the model itself runs."""
    step = "the model itself runs, so do not capture the part that raises the error here"
    masks = [name for name in inspect.signature(module.forward).parameters if "mask" in name]
    return (
        f"{step}, or pass `{masks[0]}`, without which the model may run other code"
        if masks
        else step
    )


def _place(error: BaseException, text: str) -> Location | None:
    """Return the innermost user line of the traceback, of its causes, or in torch's message, or
    None.
    """
    seen: BaseException | None = error
    while seen is not None:
        frames = user_frames(traceback.extract_tb(seen.__traceback__))
        formatted = "".join(traceback.StackSummary.from_list(frames).format())
        found = innermost(locations(formatted))
        if found is not None:
            return found
        seen = seen.__cause__ or seen.__context__
    return innermost(locations(text))


def innermost_line(error: BaseException) -> str:
    """Return the user's line that raised an error, as `file:line`, or ""."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "importlib" not in f.filename]
    # A framework's own line, or Torchferry's, is used only as a last resort.
    frames = [f for f in frames if not f.filename.startswith(_OWN)] or frames
    frames = [f for f in frames if "site-packages" not in f.filename] or frames
    found = innermost(locations("".join(traceback.format_list(user_frames(frames)))))
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}"
    return str(found or "")


def _first_lines(text: str) -> str:
    """Return the first sentence of torch's message, and the fixes that it suggests."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    head = lines[0] if lines else "no message"
    fixes = re.search(r"Suggested fixes:\s*\n((?:[ \t]+\S.*\n?)+)", text)
    if not fixes:
        return head[:300]
    suggested = "; ".join(line.strip() for line in fixes.group(1).strip().splitlines())
    return f"{head[:300]} Suggested: {suggested}"
