"""Arithmetic and other functions of two tensors, or of a tensor and a number."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    "torch.add": (
        "torch.add(x, y)",
        "torch.add(x, 2)",
        "torch.add(i, n[:, None] + 1)",
        "t = torch.zeros(3, 4)\nr = torch.add(x, y, out=t)",
        "torch.add(d, x)",
        "torch.add(input=x, other=y)",
        "torch.add(x, y, alpha=2)",
        "torch.add(x, 2, y)",
    ),
    "torch.Tensor.add": (
        "x.add(y)",
        "i.add(x.abs() + 1)",
        "x.add(1.5)",
        "k = [y]\nx.add(*k), x.add(**{'other': 2.0})",
        "x.add(y, alpha=-0.5)",
        "m.add(m)",
        "x.add(0.5, y)",
    ),
    "torch.Tensor.add_": (
        "t = x.clone()\nr = t.add_(y)",
        "t = x.clone()\nt[0].add_(2.0)",
        "t = w * 2\nt.add_(3.0)\nt.sum().backward()\ng = w.grad",
        "t = x.clone()\nt.add_(y, alpha=0.1)",
        "t = x.clone()\nt.add_(-2, y)",
    ),
    **alike(
        "torch",
        "sub subtract",
        "torch.{name}(x, y)",
        "torch.{name}(x, 2)",
        "torch.{name}(i, n[:, None] + 1)",
        "t = torch.zeros(3, 4)\nr = torch.{name}(x, y, out=t)",
        "torch.{name}(d, x)",
        "torch.{name}(input=x, other=y)",
        "torch.{name}(x, y, alpha=2)",
    ),
    **alike(
        "torch.Tensor",
        "sub subtract true_divide",
        "x.{name}(y)",
        "i.{name}(x.abs() + 1)",
        "x.{name}(1.5)",
        "k = [y]\nx.{name}(*k), x.{name}(**{'other': 2.0})",
    ),
    **alike(
        "torch.Tensor",
        "sub_ subtract_",
        "t = x.clone()\nr = t.{name}(y)",
        "t = x.clone()\nt[0].{name}(2.0)",
        "t = w * 2\nt.{name}(3.0)\nt.sum().backward()\ng = w.grad",
        "t = x.clone()\nt.{name}(y, alpha=3)",
    ),
    **alike(
        "torch",
        "mul multiply true_divide",
        "torch.{name}(x, y)",
        "torch.{name}(x, 2)",
        "torch.{name}(i, n[:, None] + 1)",
        "t = torch.zeros(3, 4)\nr = torch.{name}(x, y, out=t)",
        "torch.{name}(d, x)",
        "torch.{name}(input=x, other=y)",
    ),
    **alike(
        "torch.Tensor",
        "mul multiply",
        "x.{name}(y)",
        "i.{name}(x.abs() + 1)",
        "x.{name}(1.5)",
        "k = [y]\nx.{name}(*k), x.{name}(**{'other': 2.0})",
        "m.{name}(x)",
    ),
    **alike(
        "torch.Tensor",
        "mul_ multiply_ true_divide_",
        "t = x.clone()\nr = t.{name}(y)",
        "t = x.clone()\nt[0].{name}(2.0)",
        "t = w * 2\nt.{name}(3.0)\nt.sum().backward()\ng = w.grad",
    ),
    **alike(
        "torch",
        "div divide",
        "torch.{name}(x, y)",
        "torch.{name}(x, 2)",
        "torch.{name}(i, n[:, None] + 1)",
        "t = torch.zeros(3, 4)\nr = torch.{name}(x, y, out=t)",
        "torch.{name}(d, x)",
        "torch.{name}(input=x, other=y)",
        "torch.{name}(i, 2)",
        "torch.{name}(x, y, rounding_mode='floor')",
        "torch.{name}(i, n[:, None] + 1, rounding_mode='floor')",
        "t = i.to(torch.int8) + 1\nr = torch.{name}(t - 7, t, rounding_mode='trunc')",
    ),
    **alike(
        "torch.Tensor",
        "div divide",
        "x.{name}(y)",
        "i.{name}(x.abs() + 1)",
        "x.{name}(1.5)",
        "k = [y]\nx.{name}(*k), x.{name}(**{'other': 2.0})",
        "i.{name}(-2, rounding_mode='trunc')",
        "x.{name}(0.3, rounding_mode='trunc')",
    ),
    **alike(
        "torch.Tensor",
        "div_ divide_",
        "t = x.clone()\nr = t.{name}(y)",
        "t = x.clone()\nt[0].{name}(2.0)",
        "t = w * 2\nt.{name}(3.0)\nt.sum().backward()\ng = w.grad",
        "t = x.clone()\nt.{name}(0.4, rounding_mode='floor')",
    ),
    "torch.rsub": (
        "torch.rsub(x, y)",
        "torch.rsub(x, 2)",
        "torch.rsub(x, y, alpha=2)",
    ),
    **alike(
        "torch",
        "floor_divide remainder fmod",
        "torch.{name}(x, y)",
        "torch.{name}(i, 2)",
        "torch.{name}(x, -0.7)",
    ),
    **alike(
        "torch.Tensor",
        "floor_divide remainder fmod",
        "i.{name}(n[:, None] + 1)",
        "x.abs().{name}(0.7)",
        "i.{name}(-2)",
        "(-x).{name}(0.3)",
    ),
    **alike(
        "torch.Tensor",
        "floor_divide_ remainder_ fmod_",
        "t = d.abs()\nt.{name}(1.5)",
        "t = x.clone()\nt.{name}(y)",
    ),
    "torch.float_power": (
        "torch.float_power(x.abs(), exponent=y)",
        "torch.float_power(i, 2)",
    ),
    "torch.Tensor.float_power": (
        "i.float_power(n[:, None] + 1)",
        "x.abs().float_power(0.7)",
    ),
    "torch.Tensor.float_power_": ("t = d.abs()\nt.float_power_(1.5)",),
    "torch.pow": (
        "torch.pow(x, 2)",
        "torch.pow(i, 2)",
        "torch.pow(x.abs(), y)",
        "torch.pow(torch.complex(w, y), w).abs().sum().backward()\ng = w.grad",
        "torch.pow(2, x)",
        "torch.pow(i, -1)",
        "torch.pow(torch.tensor([2, 1, -1, 0]), torch.tensor([-1, -2, -3, 0]))",
        "torch.pow(x, -1.0)",
        "torch.pow(input=x, exponent=3)",
        "torch.pow(self=2, exponent=x), torch.remainder(self=5, other=i + 1)",
        "torch.pow(i, 0.5)",
        "torch.pow(2.0, i)",
        (
            "k, f = (x, 2), torch.pow\n"
            "torch.pow(*k), f(x.abs(), exponent=y), torch.pow(**{'input': x, 'exponent': 3})"
        ),
        "torch.pow(d, i)",
        "torch.pow(i.to(torch.uint8), 2)",
    ),
    "torch.Tensor.pow": (
        "k = [2]\nx.pow(*k), x.pow(**{'exponent': 3})",
        "x.pow(2)",
        "x.abs().pow(0.5)",
        "i.pow(n[:, None])",
        "x.pow(exponent=2)",
        "w.pow(2).sum().backward()\ng = w.grad",
    ),
    "torch.Tensor.pow_": ("t = x.clone()\nt.pow_(2)",),
    "torch.atan2": (
        "torch.atan2(x, other=y)",
        "torch.atan2(x, d)",
        (
            "t = torch.tensor([0.0, 1.0, -0.0], requires_grad=True)\n"
            "u = torch.tensor([0.0, 0.0, -0.0], requires_grad=True)\n"
            "(torch.atan2(t, u) * x[0, :3]).sum().backward()\ng, h = t.grad, u.grad"
        ),
    ),
    **alike("torch.Tensor", "atan2 arctan2 hypot nextafter logaddexp logaddexp2", "x.{name}(y)"),
    **alike(
        "torch.Tensor",
        "atan2_ arctan2_ hypot_ copysign_ nextafter_ heaviside_",
        "t = x.clone()\nt.{name}(y)",
    ),
    **alike("torch", "arctan2 hypot copysign", "torch.{name}(x, other=y)", "torch.{name}(x, d)"),
    "torch.Tensor.copysign": (
        "x.copysign(y)",
        "n.to(torch.uint8).copysign(-1)",
    ),
    "torch.nextafter": (
        "torch.nextafter(x, other=y)",
        "torch.nextafter(w, y).sum().backward()\ng = w.grad",
    ),
    "torch.logaddexp": (
        "torch.logaddexp(x, other=y)",
        "torch.logaddexp(x, d)",
        (
            "t = torch.tensor([-torch.inf, torch.inf, torch.inf, -torch.inf, 1.0], "
            "requires_grad=True)\n"
            "r = torch.logaddexp(t, torch.tensor([-torch.inf, torch.inf, 1.0, 2.0, "
            "torch.nan]))\nr[2:4].sum().backward()\ng = t.grad[2:4]"
        ),
    ),
    "torch.heaviside": (
        "torch.heaviside(x, values=y)",
        "t = torch.heaviside(m, x > 0)",
    ),
    **alike("torch.Tensor", "heaviside fmax fmin", "x.{name}(y)", "m.{name}(x < 0)"),
    "torch.gcd": ("torch.gcd(i, other=n[:, None])",),
    "torch.Tensor.gcd": ("i.gcd(n[:, None])",),
    "torch.Tensor.gcd_": ("t = i.clone()\nt.gcd_(n[:, None])",),
    "torch.gcd_": ("t = i.clone()\ntorch.gcd_(t, n[:, None])",),
    "torch.lcm": ("torch.lcm(i, other=n[:, None])",),
    "torch.Tensor.lcm": ("i.lcm(n[:, None])",),
    "torch.Tensor.lcm_": ("t = i.clone()\nt.lcm_(n[:, None])",),
    "torch.lcm_": ("t = i.clone()\ntorch.lcm_(t, n[:, None])",),
    **alike(
        "torch",
        "fmax fmin",
        "torch.{name}(x, other=y)",
        "torch.{name}(x, d)",
        "t = torch.{name}(m, x > 0)",
    ),
    **alike(
        "torch",
        "maximum minimum",
        "torch.{name}(x, y)",
        "torch.{name}(m, x > 0)",
        "torch.{name}(i, n[:, None])",
    ),
    "torch.Tensor.maximum": ("x.maximum(d)",),
    "torch.Tensor.minimum": ("x.minimum(d)",),
    "torch.logaddexp2": (
        "torch.logaddexp2(x, y)",
        (
            "t = torch.tensor([-torch.inf, torch.inf, torch.inf, -torch.inf, 1.0], "
            "requires_grad=True)\n"
            "r = torch.logaddexp2(t, torch.tensor([-torch.inf, torch.inf, 1.0, 2.0, "
            "torch.nan]))\nr[2:4].sum().backward()\ng = t.grad[2:4]"
        ),
    ),
    "torch.xlogy": (
        "torch.xlogy(x, p)",
        "torch.xlogy(torch.zeros(2), torch.zeros(2))",
        "torch.xlogy(2, p)",
        ("torch.xlogy(w * torch.tensor([0.0, 1.0, 1.0, 0.0]), p).sum().backward()\ng = w.grad"),
    ),
    "torch.Tensor.xlogy": ("x.xlogy(2.0)",),
    "torch.Tensor.xlogy_": ("t = x.clone()\nt.xlogy_(p)",),
    "torch.xlogy_": ("t = x.clone()\ntorch.xlogy_(t, p)",),
    "torch.ldexp": ("torch.ldexp(x, n[0])",),
    "torch.Tensor.ldexp": ("x.ldexp(i)",),
    "torch.Tensor.ldexp_": ("t = x.clone()\nt.ldexp_(i)",),
    "torch.ldexp_": ("t = x.clone()\ntorch.ldexp_(t, i)",),
    "torch.lerp": (
        "torch.lerp(x, y, 0.3)",
        "torch.lerp(x, y, weight=0.5)",
    ),
    "torch.Tensor.lerp": ("x.lerp(y, p)",),
    "torch.Tensor.lerp_": ("t = x.clone()\nt.lerp_(y, 0.9)",),
    "torch.addcmul": (
        "torch.addcmul(x, y, p)",
        "torch.addcmul(x, y, p, value=0.1)",
        "torch.addcmul(x, 0.1, y, p)",
        "def f(k):\n    return torch.addcmul(k, k, k, value=-0.5)\nf(i), f(i.int())",
    ),
    "torch.Tensor.addcmul": (
        "x.addcmul(y, p, value=0.5)",
        "x.addcmul(0.5, y, p)",
    ),
    "torch.Tensor.addcmul_": (
        "t = x.clone()\nt.addcmul_(y, p, value=-2)",
        "t = x.clone()\nt.addcmul_(-2, y, p)",
    ),
    "torch.addcdiv": (
        "torch.addcdiv(x, y, p)",
        "torch.addcdiv(x, y, p, value=0.1)",
        "torch.addcdiv(x, 0.1, y, p)",
    ),
    "torch.Tensor.addcdiv": (
        "x.addcdiv(y, p, value=0.5)",
        "x.addcdiv(0.5, y, p)",
    ),
    "torch.Tensor.addcdiv_": (
        "t = x.clone()\nt.addcdiv_(y, p, value=-2)",
        "t = x.clone()\nt.addcdiv_(-2, y, p)",
    ),
    **alike(
        "torch",
        "bitwise_and bitwise_or bitwise_xor",
        "torch.{name}(i, n[:, None])",
        "torch.{name}(m, x > 0)",
    ),
    **alike(
        "torch.Tensor",
        "bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift",
        "i.{name}(2)",
    ),
    **alike(
        "torch.Tensor",
        "bitwise_and_ bitwise_or_ bitwise_xor_ bitwise_left_shift_ bitwise_right_shift_",
        "t = i.clone()\nt.{name}(1)",
    ),
    "torch.bitwise_left_shift": ("torch.bitwise_left_shift(i, n[:, None])",),
    "torch.bitwise_right_shift": ("torch.bitwise_right_shift(i, n[:, None])",),
    **alike("torch", "logical_and logical_or logical_xor", "torch.{name}(m, x > 0)"),
    **alike("torch.Tensor", "logical_and logical_or logical_xor", "m.{name}(i)", "x.{name}(i)"),
    **alike(
        "torch.Tensor", "logical_and_ logical_or_ logical_xor_", "t = m.clone()\nt.{name}(x > 0)"
    ),
}
