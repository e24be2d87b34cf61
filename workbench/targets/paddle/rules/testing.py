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
rules.row(
    "torch.testing.make_tensor",
    "torch_make_tensor(*{shape}, dtype={dtype}, low={low}, high={high}, "
    "requires_grad={requires_grad}, exclude_zero={exclude_zero})",
    ignored={
        "device": "the tensor is made on the device that is set",
        "noncontiguous": "Paddle's kernels tell no difference",
        "memory_format": "Paddle's kernels tell no difference",
    },
    caveat="Paddle draws other numbers from the same seed",
    cases=[
        "t = torch.testing.make_tensor((2, 3), dtype=torch.float32, device='cpu')\n"
        "r = t.shape, t.dtype, t.requires_grad, bool((t.abs() <= 9).all())\nt = None",
        "t = torch.testing.make_tensor(50, dtype=torch.int64, device='cpu', low=1, high=3)\n"
        "r = t.shape, t.dtype, sorted(set(t.tolist()))\nt = None",
        "t = torch.testing.make_tensor(3, 2, dtype=torch.float64, device='cpu', low=0.5, "
        "requires_grad=True)\nr = t.shape, t.requires_grad, bool((t >= 0.5).all())\nt = None",
        "t = torch.testing.make_tensor(40, dtype=torch.bool, device='cpu')\n"
        "r = t.dtype, sorted(set(t.tolist()))\nt = None",
    ],
)

_CHECKED = "the gradients are held against finite differences, one element after the other"
_ASKED = "torch.tensor([[0.5, -1.0], [2.0, 0.3]], dtype=torch.float64, requires_grad=True)"
for _name in ("gradcheck", "gradgradcheck"):
    _outer = ", grad_outputs={grad_outputs}" if _name == "gradgradcheck" else ""
    rules.row(
        f"torch.autograd.{_name}",
        f"torch_{_name}({{func}}, {{inputs}}{_outer}, eps={{eps}}, atol={{atol}}, rtol={{rtol}}, "
        "raise_exception={raise_exception})",
        value=f"torch_{_name}",
        ignored=dict.fromkeys(
            (
                "nondet_tol",
                "check_undefined_grad",
                "check_grad_dtypes",
                "check_batched_grad",
                "fast_mode",
                "masked",
                "gen_non_contig_grad_outputs",
                "check_fwd_over_rev",
                "check_rev_over_rev",
            )
            if _name == "gradgradcheck"
            else (
                "nondet_tol",
                "check_undefined_grad",
                "check_grad_dtypes",
                "check_batched_grad",
                "fast_mode",
                "masked",
                "check_backward_ad",
                "check_forward_ad",
                "check_batched_forward_grad",
            ),
            _CHECKED,
        ),
        cases=[
            f"t = {_ASKED}\nr = torch.autograd.{_name}(lambda v: v ** 3, (t,))",
            f"t = {_ASKED}\nr = torch.autograd.{_name}(torch.sin, t, eps=1e-6, atol=1e-4)",
            f"t = {_ASKED}\ns = {_ASKED}\nr = torch.autograd.{_name}(torch.mul, [t, s])",
        ],
    )
