"""Comparing tensors in tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy
import paddle


def torch_assert_close(
    actual: Any,
    expected: Any,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_dtype: bool = True,
    msg: Any = None,
) -> None:
    """`torch.testing.assert_close`: torch's tolerances by dtype, also inside dicts and lists."""
    options: dict[str, Any] = {
        "rtol": rtol,
        "atol": atol,
        "equal_nan": equal_nan,
        "check_dtype": check_dtype,
        "msg": msg,
    }
    if (rtol is None) != (atol is None):
        raise ValueError("rtol and atol must both be specified or both be unspecified")
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        torch_demand(actual.keys() == expected.keys(), "The keys of the mappings do not match", msg)
        for key in expected:
            torch_assert_close(actual[key], expected[key], **options)
        return
    plain = isinstance(actual, Sequence) and not isinstance(actual, str)
    if plain and isinstance(expected, Sequence):
        torch_demand(len(actual) == len(expected), "The length of the sequences do not match", msg)
        for mine, theirs in zip(actual, expected, strict=True):
            torch_assert_close(mine, theirs, **options)
        return
    mine, theirs = paddle.to_tensor(actual), paddle.to_tensor(expected)
    torch_demand(
        list(mine.shape) == list(theirs.shape),
        "The values for attribute 'shape' do not "
        f"match: {list(mine.shape)} != {list(theirs.shape)}.",
        msg,
    )
    both = isinstance(actual, paddle.Tensor) and isinstance(expected, paddle.Tensor)
    if both and check_dtype:
        torch_demand(
            mine.dtype == theirs.dtype,
            f"The values for attribute 'dtype' do not match: {mine.dtype} != {theirs.dtype}.",
            msg,
        )
    known = {
        "float16": (1e-3, 1e-5),
        "bfloat16": (1.6e-2, 1e-5),
        "float32": (1.3e-6, 1e-5),
        "float64": (1e-7, 1e-7),
        "complex64": (1.3e-6, 1e-5),
        "complex128": (1e-7, 1e-7),
    }
    pairs = [known.get(str(t.dtype).rpartition(".")[2], (0.0, 0.0)) for t in (mine, theirs)]
    relative = max(pair[0] for pair in pairs) if rtol is None else rtol
    absolute = max(pair[1] for pair in pairs) if atol is None else atol
    if not isinstance(actual, paddle.Tensor) and rtol is None and isinstance(actual, float):
        relative, absolute = known["float64"]
    one, other = (
        (t.astype("float64") if t.is_floating_point() else t).detach().numpy()
        for t in (mine, theirs)
    )
    close = numpy.isclose(one, other, rtol=relative, atol=absolute, equal_nan=equal_nan)
    wrong = int((~close).sum())
    torch_demand(
        wrong == 0,
        f"Tensor-likes are not close!\n\nMismatched elements: {wrong} / "
        f"{close.size} (allowed: {absolute}, {relative})",
        msg,
    )


def torch_demand(holds: bool, reason: str, msg: Any) -> None:
    """Fail with a reason, or with the message that was asked for."""
    if not holds:
        raise AssertionError(msg(reason) if callable(msg) else msg or reason)


def torch_make_tensor(
    *shape: Any,
    dtype: Any,
    low: Any = None,
    high: Any = None,
    requires_grad: bool = False,
    exclude_zero: bool = False,
) -> paddle.Tensor:
    """`torch.testing.make_tensor`: numbers between torch's bounds for the dtype."""
    sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], list | tuple) else shape
    name = str(dtype).rpartition(".")[2]
    if name == "bool":
        return paddle.randint(0, 2, list(sizes)).astype("bool")
    whole = "int" in name
    least = 0 if name == "uint8" else -9
    bottom, top = (least if low is None else low), (9 + whole if high is None else high)
    if whole:
        made = paddle.randint(int(bottom), int(top), list(sizes)).astype(dtype)
    elif "complex" in name:
        parts = (paddle.uniform(list(sizes), min=bottom, max=top) for _ in range(2))
        made = paddle.complex(*parts).astype(dtype)
    else:
        made = paddle.uniform(list(sizes), "float64", bottom, top).astype(dtype)
    if exclude_zero:
        made = paddle.where(made == 0, paddle.ones_like(made), made)
    made.stop_gradient = not requires_grad
    return made
