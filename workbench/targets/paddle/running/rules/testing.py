"""Comparison of tensors in tests."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.words import words

rules = RuleSet()
_SAME = "Paddle compares values, shapes and dtypes"
rules.row(
    "torch.testing.assert_close",
    "torch_assert_close({actual}, {expected}, rtol={rtol}, atol={atol}, equal_nan={equal_nan}, "
    "check_dtype={check_dtype}, msg={msg})",
    ignored=dict.fromkeys(
        ("allow_subclasses", "check_device", "check_layout", "check_stride"), _SAME
    ),
)
rules.row(
    "torch.testing.assert_allclose",
    "torch_assert_close({actual}, {expected}, rtol={rtol}, atol={atol}, "
    "equal_nan={equal_nan=True}, check_dtype=False)",
    ignored={"msg": "the error has its own message"},
)
rules.row(
    "torch.testing.make_tensor",
    "torch_make_tensor(*{shape}, dtype={dtype}, low={low}, high={high}, "
    "requires_grad={requires_grad}, exclude_zero={exclude_zero})",
    ignored={
        "device": "the tensor is made on Paddle's current device",
        "noncontiguous": "Paddle's kernels give the same results",
        "memory_format": "Paddle's kernels give the same results",
    },
    caveat="Paddle draws other numbers from the same seed",
)

_CHECKED = "the gradients are compared with finite differences, element by element"
for _name in ("gradcheck", "gradgradcheck"):
    _outer = ", grad_outputs={grad_outputs}" if _name == "gradgradcheck" else ""
    rules.row(
        f"torch.autograd.{_name}",
        f"torch_{_name}({{func}}, {{inputs}}{_outer}, eps={{eps}}, atol={{atol}}, rtol={{rtol}}, "
        "raise_exception={raise_exception})",
        value=f"torch_{_name}",
        ignored=dict.fromkeys(
            words(
                "nondet_tol check_undefined_grad check_grad_dtypes check_batched_grad "
                "fast_mode masked gen_non_contig_grad_outputs check_fwd_over_rev "
                "check_rev_over_rev"
            )
            if _name == "gradgradcheck"
            else words(
                "nondet_tol check_undefined_grad check_grad_dtypes check_batched_grad "
                "fast_mode masked check_backward_ad check_forward_ad "
                "check_batched_forward_grad"
            ),
            _CHECKED,
        ),
    )
