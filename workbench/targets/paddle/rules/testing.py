"""Comparing tensors in tests."""

from __future__ import annotations

from workbench.rules.rule import RuleSet

rules = RuleSet()

_TRY = "try:\n    {}\n    r = 'close'\nexcept AssertionError:\n    r = 'differs'"
_SAME = "Paddle compares values, shapes and dtypes"
rules.row(
    "torch.testing.assert_close",
    "torch_assert_close({actual}, {expected}, rtol={rtol}, atol={atol}, equal_nan={equal_nan}, "
    "check_dtype={check_dtype}, msg={msg})",
    ignored=dict.fromkeys(
        ("allow_subclasses", "check_device", "check_layout", "check_stride"), _SAME
    ),
    cases=[
        _TRY.format(call)
        for call in (
            "torch.testing.assert_close(x, x + 1e-7)",
            "torch.testing.assert_close(x, x + 1e-3)",
            "torch.testing.assert_close(x, x + 1e-3, rtol=0.0, atol=1e-2)",
            "torch.testing.assert_close(x, x.double(), check_dtype=False)",
            "torch.testing.assert_close(x, x.double())",
            "torch.testing.assert_close(actual=[x, {'a': 1}], expected=[x, {'a': 1}], msg='no')",
            "torch.testing.assert_close(x / 0 * 0, x / 0 * 0, equal_nan=True)",
            "torch.testing.assert_close(x, x[0])",
        )
    ],
)
rules.row(
    "torch.testing.assert_allclose",
    "torch_assert_close({actual}, {expected}, rtol={rtol}, atol={atol}, "
    "equal_nan={equal_nan=True}, check_dtype=False)",
    ignored={"msg": "the message is Paddle's own"},
    cases=[_TRY.format("torch.testing.assert_allclose(x, x.double())")],
)
rules.refuse(
    "torch.testing.make_tensor",
    reason="Paddle has no maker of test tensors",
    instead="paddle.uniform(shape, dtype, low, high)",
)
