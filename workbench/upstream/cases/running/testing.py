"""Comparing tensors in tests."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    "torch.testing.assert_close": (
        (
            "try:\n    torch.testing.assert_close(x, x + 1e-7)\n    r = 'close'\n"
            "except AssertionError:\n    r = 'differs'"
        ),
        (
            "try:\n    torch.testing.assert_close(x, x + 1e-3)\n    r = 'close'\n"
            "except AssertionError:\n    r = 'differs'"
        ),
        (
            "try:\n    torch.testing.assert_close(x, x + 1e-3, rtol=0.0, atol=1e-2)\n"
            "    r = 'close'\nexcept AssertionError:\n    r = 'differs'"
        ),
        (
            "try:\n    torch.testing.assert_close(x, x.double(), check_dtype=False)\n"
            "    r = 'close'\nexcept AssertionError:\n    r = 'differs'"
        ),
        (
            "try:\n    torch.testing.assert_close(x, x.double())\n    r = 'close'\n"
            "except AssertionError:\n    r = 'differs'"
        ),
        (
            "try:\n"
            "    torch.testing.assert_close(actual=[x, {'a': 1}], expected=[x, {'a': "
            "1}], msg='no')\n    r = 'close'\nexcept AssertionError:\n    r = 'differs'"
        ),
        (
            "try:\n    torch.testing.assert_close(x / 0 * 0, x / 0 * 0, equal_nan=True)\n"
            "    r = 'close'\nexcept AssertionError:\n    r = 'differs'"
        ),
        (
            "try:\n    torch.testing.assert_close(x, x[0])\n    r = 'close'\n"
            "except AssertionError:\n    r = 'differs'"
        ),
    ),
    "torch.testing.assert_allclose": (
        (
            "try:\n    torch.testing.assert_allclose(x, x.double())\n    r = 'close'\n"
            "except AssertionError:\n    r = 'differs'"
        ),
    ),
    "torch.testing.make_tensor": (
        (
            "t = torch.testing.make_tensor((2, 3), dtype=torch.float32, device='cpu')\n"
            "r = t.shape, t.dtype, t.requires_grad, bool((t.abs() <= 9).all())\nt = None"
        ),
        (
            "t = torch.testing.make_tensor(50, dtype=torch.int64, device='cpu', low=1, "
            "high=3)\nr = t.shape, t.dtype, sorted(set(t.tolist()))\nt = None"
        ),
        (
            "t = torch.testing.make_tensor(3, 2, dtype=torch.float64, device='cpu', "
            "low=0.5, requires_grad=True)\n"
            "r = t.shape, t.requires_grad, bool((t >= 0.5).all())\nt = None"
        ),
        (
            "t = torch.testing.make_tensor(40, dtype=torch.bool, device='cpu')\n"
            "r = t.dtype, sorted(set(t.tolist()))\nt = None"
        ),
    ),
    **alike(
        "torch.autograd",
        "gradcheck gradgradcheck",
        (
            "t = torch.tensor([[0.5, -1.0], [2.0, 0.3]], dtype=torch.float64, "
            "requires_grad=True)\nr = torch.autograd.{name}(lambda v: v ** 3, (t,))"
        ),
        (
            "t = torch.tensor([[0.5, -1.0], [2.0, 0.3]], dtype=torch.float64, "
            "requires_grad=True)\nr = torch.autograd.{name}(torch.sin, t, eps=1e-6, atol=1e-4)"
        ),
        (
            "t = torch.tensor([[0.5, -1.0], [2.0, 0.3]], dtype=torch.float64, "
            "requires_grad=True)\n"
            "s = torch.tensor([[0.5, -1.0], [2.0, 0.3]], dtype=torch.float64, "
            "requires_grad=True)\nr = torch.autograd.{name}(torch.mul, [t, s])"
        ),
    ),
}
