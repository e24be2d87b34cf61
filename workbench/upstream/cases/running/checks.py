"""torch._assert and torch._check: checks that exported programs keep."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    "torch._assert": (
        "torch._assert(x.shape[0] == 3, 'rows')",
        "torch._assert(x.dim() == 5, 'rows')",
    ),
    "torch._assert_async": (
        "torch._assert_async((x > -100).all(), 'rows')",
        "torch._assert_async(x.sum() * 0)",
        "torch._assert_async(input=torch.tensor(False), assert_msg='rows')",
    ),
    **alike(
        "torch",
        "_check _check_index _check_type _check_value _check_not_implemented",
        "torch.{name}(x.shape[0] == 3, lambda: 'three rows')",
        "torch.{name}(x.shape[0] == 3)",
        "torch.{name}(x.shape[0] == 4, lambda: 'other rows')",
    ),
    "torch._check_tensor_all": (
        "torch._check_tensor_all((x > -100), lambda: 'three rows')",
        "torch._check_tensor_all((x > -100))",
        "torch._check_tensor_all((x < -100), lambda: 'other rows')",
    ),
    "torch._check_with": ("torch._check_with(ValueError, x.dim() == 3, lambda: 'dims')",),
}
