"""Operators, by their method names."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

_MIXED = "k = n.long()\nt = x.float().abs()[:, :3]\n"

CASES: dict[str, tuple[str, ...]] = {
    "torch.Tensor.__add__": (
        "x.__add__(y.abs())",
        (
            "k = (y.abs(),)\nt = x.__add__(*k)\nf = torch.Tensor.__add__\n"
            "r = f(x, *k), list(map(f, [x], k))"
        ),
        (_MIXED + "k = k.abs() + 1\nt + k, k + t, t.abs() + k"),
        "k = n.int() + 1\nt = n.long().abs()\nt + k",
        "k = x.float().abs().max(1)\nk[0] + (k[1] + 1), k.values + k[1]",
        "k = i.to(torch.int8) + 1\nt = i.to(torch.int8)\nt + k, t + 2",
        "t = x.abs().half()\nk = y.abs().half() + 1\nt + k, t + 2.0",
    ),
    **alike(
        "torch.Tensor",
        "__radd__ __rsub__ __rmul__ __rtruediv__ __rfloordiv__ __rmod__ __rpow__ __rdiv__",
        "(x.abs() + 1).{name}(2)",
    ),
    "torch.Tensor.__sub__": (
        "x.__sub__(y.abs())",
        (
            "k = (y.abs(),)\nt = x.__sub__(*k)\nf = torch.Tensor.__sub__\n"
            "r = f(x, *k), list(map(f, [x], k))"
        ),
        (_MIXED + "k = k.abs() + 1\nt - k, k - t, t.abs() - k"),
        "k = n.int() + 1\nt = n.long().abs()\nt - k",
        "k = x.float().abs().max(1)\nk[0] - (k[1] + 1), k.values - k[1]",
        "k = i.to(torch.int8) + 1\nt = i.to(torch.int8)\nt - k, t - 2",
        "t = x.abs().half()\nk = y.abs().half() + 1\nt - k, t - 2.0",
    ),
    "torch.Tensor.__mul__": (
        "x.__mul__(y.abs())",
        (
            "k = (y.abs(),)\nt = x.__mul__(*k)\nf = torch.Tensor.__mul__\n"
            "r = f(x, *k), list(map(f, [x], k))"
        ),
        (_MIXED + "k = k.abs() + 1\nt * k, k * t, t.abs() * k"),
        "k = n.int() + 1\nt = n.long().abs()\nt * k",
        "k = x.float().abs().max(1)\nk[0] * (k[1] + 1), k.values * k[1]",
        "k = i.to(torch.int8) + 1\nt = i.to(torch.int8)\nt * k, t * 2",
        "t = x.abs().half()\nk = y.abs().half() + 1\nt * k, t * 2.0",
    ),
    "torch.Tensor.__truediv__": (
        "x.__truediv__(y.abs())",
        (
            "k = (y.abs(),)\nt = x.__truediv__(*k)\nf = torch.Tensor.__truediv__\n"
            "r = f(x, *k), list(map(f, [x], k))"
        ),
        (_MIXED + "k = k.abs() + 1\nt / k, k / t, t.abs() / k"),
        "k = n.int() + 1\nt = n.long().abs()\nt / k",
        "k = x.float().abs().max(1)\nk[0] / (k[1] + 1), k.values / k[1]",
        "k = i.to(torch.int8) + 1\nt = i.to(torch.int8)\nt / k, t / 2",
        "t = x.abs().half()\nk = y.abs().half() + 1\nt / k, t / 2.0",
        (
            "torch.set_default_dtype(torch.float64)\nt = torch.tensor([1, 2])\n"
            "r = t / 2, 3 / t, t / t\ntorch.set_default_dtype(torch.float32)"
        ),
    ),
    "torch.Tensor.__idiv__": ("t = x.clone()\nt.__itruediv__(2)",),
    "torch.Tensor.__floordiv__": (
        "x.__floordiv__(y.abs())",
        (
            "k = (y.abs(),)\nt = x.__floordiv__(*k)\nf = torch.Tensor.__floordiv__\n"
            "r = f(x, *k), list(map(f, [x], k))"
        ),
        (_MIXED + "k = k.abs() + 1\nt // k, k // t, t.abs() // k"),
        "k = n.int() + 1\nt = n.long().abs()\nt // k",
        "k = x.float().abs().max(1)\nk[0] // (k[1] + 1), k.values // k[1]",
        "k = i.to(torch.int8) + 1\nt = i.to(torch.int8)\nt // k, t // 2",
        "-7 // torch.tensor(2), torch.tensor(7.5) // 2",
        "t = torch.tensor(2)\nn.int() // t, n.to(torch.int8) // t, n.to(torch.int8) - t",
        "t = torch.ones(3)\nt.sum() // 2, t[1] // 2",
        "t = torch.ones(3, requires_grad=True)\nt // 2, x[:, :3] // t, n // t",
    ),
    "torch.Tensor.__ifloordiv__": ("t = x.clone()\nt.__itruediv__(2)",),
    "torch.Tensor.__mod__": (
        "x.__mod__(y.abs())",
        (
            "k = (y.abs(),)\nt = x.__mod__(*k)\nf = torch.Tensor.__mod__\n"
            "r = f(x, *k), list(map(f, [x], k))"
        ),
        (_MIXED + "k = k.abs() + 1\nt % k, k % t, t.abs() % k"),
        "k = n.int() + 1\nt = n.long().abs()\nt % k",
        "k = x.float().abs().max(1)\nk[0] % (k[1] + 1), k.values % k[1]",
        "k = i.to(torch.int8) + 1\nt = i.to(torch.int8)\nt % k, t % 2",
        "t = x.abs().half()\nk = y.abs().half() + 1\nt % k, t % 2.0",
    ),
    "torch.Tensor.__imod__": ("t = x.clone()\nt.__imod__(y.abs())",),
    "torch.Tensor.__pow__": (
        "x.abs().__pow__(y.abs())",
        (
            "k = (y.abs(),)\nt = x.abs().__pow__(*k)\nf = torch.Tensor.__pow__\n"
            "r = f(x.abs(), *k), list(map(f, [x.abs()], k))"
        ),
        (_MIXED + "k = k.abs() + 1\nt ** k, k ** t, t.abs() ** k"),
        "k = n.int() + 1\nt = n.long().abs()\nt ** k",
        "k = x.float().abs().max(1)\nk[0] ** (k[1] + 1), k.values ** k[1]",
        "k = i.to(torch.int8) + 1\nt = i.to(torch.int8)\nt ** k, t ** 2",
        "t = x.abs().half()\nk = y.abs().half() + 1\nt ** k, t ** 2.0",
    ),
    "torch.Tensor.__ipow__": ("t = x.abs().clone()\nt.__ipow__(y.abs())",),
    "torch.Tensor.__matmul__": (
        "x.__matmul__(sq)",
        (
            "k = (sq,)\nt = x.__matmul__(*k)\nf = torch.Tensor.__matmul__\n"
            "r = f(x, *k), list(map(f, [x], k))"
        ),
    ),
    "torch.Tensor.__rmatmul__": ("sq.__rmatmul__(x)",),
    "torch.Tensor.__and__": (
        "i.__and__(1)",
        "t = i.long()\nt & 1",
        "(x > 0) & (x.long() > 1).long()",
        "t = x > 0\nt & True",
    ),
    "torch.Tensor.__rand__": (
        "i.__rand__(1)",
        "t = x > 0\n3 & t",
    ),
    **alike(
        "torch.Tensor",
        "__iand__ __ior__ __ixor__ __ilshift__ __irshift__",
        "t = i.clone()\nt.{name}(1)",
    ),
    "torch.Tensor.__or__": (
        "i.__or__(1)",
        "t = i.long()\nt | 1",
        "(x > 0) | (x.long() > 1).long()",
        "t = x > 0\nt | True",
    ),
    "torch.Tensor.__ror__": (
        "i.__ror__(1)",
        "t = x > 0\n3 | t",
    ),
    "torch.Tensor.__xor__": (
        "i.__xor__(1)",
        "t = i.long()\nt ^ 1",
        "(x > 0) ^ (x.long() > 1).long()",
        "t = x > 0\nt ^ True",
    ),
    "torch.Tensor.__rxor__": (
        "i.__rxor__(1)",
        "t = x > 0\n3 ^ t",
    ),
    "torch.Tensor.__lshift__": (
        "i.__lshift__(1)",
        "t = i.long()\nt << 1",
    ),
    "torch.Tensor.__rlshift__": ("i.__rlshift__(1)",),
    "torch.Tensor.__rshift__": (
        "i.__rshift__(1)",
        "t = i.long()\nt >> 1",
    ),
    "torch.Tensor.__rrshift__": ("i.__rrshift__(1)",),
    "torch.Tensor.__eq__": (
        "x.__eq__(y)",
        "i.__eq__(1)",
        (_MIXED + "t == k, k == t, t.abs() == k"),
        "k = n.long()\nt = n > 0\nt == k, t == (k > 1)",
    ),
    "torch.Tensor.__ne__": (
        "x.__ne__(y)",
        "i.__ne__(1)",
        (_MIXED + "t != k, k != t, t.abs() != k"),
        "k = n.long()\nt = n > 0\nt != k, t != (k > 1)",
    ),
    "torch.Tensor.__lt__": (
        "x.__lt__(y)",
        "i.__lt__(1)",
        (_MIXED + "t < k, k < t, t.abs() < k"),
        "k = n.long()\nt = n > 0\nt < k, t < (k > 1)",
    ),
    "torch.Tensor.__le__": (
        "x.__le__(y)",
        "i.__le__(1)",
        (_MIXED + "t <= k, k <= t, t.abs() <= k"),
        "k = n.long()\nt = n > 0\nt <= k, t <= (k > 1)",
    ),
    "torch.Tensor.__gt__": (
        "x.__gt__(y)",
        "i.__gt__(1)",
        (_MIXED + "t > k, k > t, t.abs() > k"),
        "k = n.long()\nt = n > 0\nt > k, t > (k > 1)",
    ),
    "torch.Tensor.__ge__": (
        "x.__ge__(y)",
        "i.__ge__(1)",
        (_MIXED + "t >= k, k >= t, t.abs() >= k"),
        "k = n.long()\nt = n > 0\nt >= k, t >= (k > 1)",
    ),
    "torch.Tensor.__div__": ("x.__div__(2)",),
    **alike("torch.Tensor", "__neg__ __pos__ __abs__ __len__ __reversed__", "x.{name}()"),
    "torch.Tensor.__invert__": ("i.__invert__()",),
    "torch.Tensor.__bool__": (
        "i[0, 0].__bool__()",
        ("t = torch.tensor([-0.5])\nbool(t), t.__bool__(), bool(i.min() - 9), bool((x > 0).any())"),
    ),
    "torch.Tensor.__index__": ("i[0, 0].__index__()",),
    "torch.Tensor.__iter__": ("len(list(x.__iter__()))",),
    "torch.Tensor.__hash__": ("isinstance(x.__hash__(), int)",),
    "torch.Tensor.__int__": (
        "i[0, 0].__int__()",
        "t = torch.tensor([[3.5]])\nint(t), int(x[0, 0])",
    ),
    "torch.Tensor.__float__": (
        "i[0, 0].__float__()",
        "t = torch.tensor([[3.5]])\nfloat(t), float(x[0, 0])",
    ),
    "torch.Tensor.__complex__": (
        "i[0, 0].__complex__()",
        "t = torch.tensor([[3.5]])\ncomplex(t), complex(x[0, 0])",
    ),
    "torch.Tensor.__contains__": (
        "i.__contains__(3)",
        "t = i.long()\n3 in t, 77 in t, t[0, 0] in t, t[0, 0] in t[:, 0]",
        "t = i.long()\n3 not in t, 77 not in t, not (3 not in t), (77 not in t) == (3 in t)",
        (
            "k = np.arange(6)[None]\ndef f(v, t):\n    return v in t[:, [0, -1]]\n"
            "r = f(3, i), f(77, i), f(2, k)\ndel k"
        ),
    ),
    "torch.Tensor.__array__": ("x.__array__().shape",),
    "torch.Tensor.__deepcopy__": ("x.__deepcopy__({})",),
    "torch.Tensor.__format__": ("x.sum().__format__('.2f')",),
    **dict.fromkeys(
        ("torch.Tensor.__getitem__", "torch.Tensor.__setitem__"),
        (
            "x.__getitem__(0)",
            "t = x.T[:, torch.tensor([1, 0])]\nu = x[:, :2][..., torch.tensor([1, 0])]",
            "t = x[:, 1:3]\nu = t[1:, [1, 0]]\nv = t[:, t[0] > -9, None]",
            ("def f(v, k):\n    return v.T[:, k], v[:, 1:3][..., k]\nr = f(x, n[:2] % 2), f(x, 1)"),
            "x[None, n[:2]], x[None, :, None, n[:2]], x[..., None, n[:2]], x[None, m]",
            (
                "t = img[None, :, n[:1], None, n[:2]], i[None, 0, n[:2]], w[None, n[:2], "
                "..., None]\nt[2].sum().backward()\ng = w.grad"
            ),
            "x[[[0, 1], [1, 2]]], x[[[2, 0]]], x[[(0, 1), n[:2]]]",
            (
                "def f(v, k):\n    k.view(-1)\n    return v.view(3, 4)[None, None, k]\n"
                "r = f(x, n[:2]), f(x, n[:2, None]), f(x, n[0])"
            ),
            "t = x.clone()\nt.__setitem__(0, 1.0)",
            "t = x.clone()\nv = t[:, 1:3]\nv[torch.tensor([0, 2])] = torch.ones(2, 2)",
            "t = x.clone()\nt.T[torch.tensor([0, 2])] += 2.0",
            "t = x.clone()\nv = t[:, :3]\nv[v > 0] = torch.arange(float((v > 0).sum()))",
            (
                "t = x.clone()\nv = t.view(-1)\nv[2:5] = 1.0\nv[torch.tensor([0, 7])] = 2.0\n"
                "t[1:][0] = 3.0"
            ),
            "t = x.clone()\nt[x[:, 0] > 0] = y[:1][None]\nt[x > 99] = y[0, :0]",
            "t = x.clone()\nt[n[:0]] = y[0]\nt[n[:0]] += y[:0]\nt[n[:2]] += y[1]",
            "t = x.clone()\nt[x[:, 0] > -9] = w[None]\nt.sum().backward()\ng = w.grad",
            (
                "t = x.clone()\nk = x == x.max()\nt[k] = w.sum()[None] * 2\n"
                "(t * d).sum().backward()\ng = w.grad"
            ),
            (
                "t = x.clone()\nt[x == x.min()] = w.flatten()[:1].exp()\nt[x > 99] = w.sum()\n"
                "t[x < 0] = w.mean()\n(t * d).sum().backward()\ng = w.grad"
            ),
            (
                "v = w.double()\nt = v * 2\nt[n[:2]] = v[1:] * 3\nt[t > 1] = v[t > 1] * 5\n"
                "t[x[:, 0] > 0] = v.sum()\n(t * d).sum().backward()\ng = w.grad"
            ),
        ),
    ),
    "torch.Tensor.__dlpack__": (
        "np.from_dlpack(x).shape",
        "t = x.__dlpack__() is None",
    ),
}
