"""Comparisons between tensors."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    **alike(
        "torch",
        "eq ne lt le gt ge not_equal less less_equal greater greater_equal",
        "torch.{name}(x, y)",
        "torch.{name}(x, 0.5)",
        "torch.{name}(i, x)",
        "torch.{name}(i, n[:, None])",
        "_f = torch.{name}\nr = _f(x, 0.5), _f(input=x, other=y), [_g(x, i) for _g in [_f]]",
    ),
    **alike(
        "torch.Tensor",
        "eq ne lt le gt ge not_equal less less_equal greater greater_equal",
        "k = [y]\nx.{name}(*k), x.{name}(**{'other': 0.5})",
        "x.{name}(y)",
        "i.{name}(1)",
        "x.{name}(other=0)",
        "m.{name}(x > 0)",
        "i.{name}(0.5)",
    ),
    **alike(
        "torch.Tensor",
        "eq_ ne_ lt_ le_ gt_ ge_ not_equal_ less_ less_equal_ greater_ greater_equal_",
        "t = x.clone()\nt.{name}(0.0)",
    ),
    "torch.equal": (
        "torch.equal(x, x.clone())",
        "torch.equal(x, x[:2])",
    ),
    **alike("torch.Tensor", "equal allclose is_same_size", "x.{name}(y)"),
    "torch.allclose": (
        "torch.allclose(x, x + 1e-9)",
        "torch.allclose(x, y, atol=10)",
        "torch.allclose(x, y, rtol=0, atol=1), torch.allclose(x, x, 1, 0)",
        "torch.allclose(x, y[0], 1e-3, 1e-3)",
    ),
    "torch.isclose": (
        "torch.isclose(x, y, atol=1.0)",
        "torch.isclose(i, i)",
    ),
    "torch.Tensor.isclose": ("x.isclose(x)",),
    "torch.isin": (
        "torch.isin(i, torch.tensor([1, 3]))",
        "torch.isin(i, 2)",
        "torch.isin(i, n, invert=True)",
    ),
    "torch.isneginf": (
        "torch.isneginf(torch.tensor([1.0, -torch.inf]))",
        "torch.isneginf(i.to(torch.int8))",
    ),
    "torch.Tensor.isneginf": (
        "x.isneginf()",
        "i.to(torch.int16).isneginf()",
    ),
    "torch.isposinf": (
        "torch.isposinf(torch.tensor([1.0, torch.inf]))",
        "torch.isposinf(i.to(torch.int8))",
    ),
    "torch.Tensor.isposinf": (
        "x.isposinf()",
        "i.to(torch.int16).isposinf()",
    ),
    **alike(
        "torch",
        "isnan isinf isfinite",
        "torch.{name}(torch.tensor([1.0, torch.nan, torch.inf]))",
        "torch.{name}(i.to(torch.int8))",
    ),
    **alike(
        "torch.Tensor",
        "isnan isinf isfinite",
        "x.{name}()",
        "i.{name}()",
        "i.to(torch.int16).{name}()",
    ),
    "torch.isreal": ("torch.isreal(x)",),
    "torch.Tensor.isreal": ("x.isreal()",),
    "torch.is_nonzero": (
        (
            "t = torch.tensor([1, 3])\ntry:\n    torch.is_nonzero(t)\nexcept RuntimeError:\n"
            "    r = 1"
        ),
        "torch.is_nonzero(torch.tensor(2.0))",
        "t = torch.tensor(-3)\ntorch.is_nonzero(t), t.is_nonzero(), (t < 0).is_nonzero()",
    ),
    "torch.Tensor.is_nonzero": (
        "x[0, 0].is_nonzero()",
        "t = torch.tensor(-3)\ntorch.is_nonzero(t), t.is_nonzero(), (t < 0).is_nonzero()",
    ),
    "torch.is_same_size": ("torch.is_same_size(x, a)",),
    "torch.is_signed": ("torch.is_signed(x)",),
    "torch.Tensor.is_signed": (
        "i.is_signed()",
        "m.is_signed()",
    ),
}
