"""torch.Tensor(...), torch.FloatTensor(...) and similar, and Tensor.new."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    **alike(
        "torch",
        "FloatTensor DoubleTensor HalfTensor BFloat16Tensor ByteTensor CharTensor "
        "ShortTensor IntTensor LongTensor BoolTensor",
        "torch.{name}([1, 0, 1]), torch.{name}(range(2))",
        "torch.{name}(2, 3).shape",
        "torch.{name}([[1, 2]]).dtype",
        "torch.{name}().shape",
        "T = torch.{name}\nt = T([[1, 0]]), T(2).shape, T(np.ones(2)), T(*[3]).shape",
        "t = [isinstance(one, torch.{name}) for one in (x, d, i, n, x > 0)]",
        "T = torch.{name}\nt = x.type(T), i.type(T)",
    ),
    "torch.cuda.FloatTensor": (
        (
            "T = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.FloatTensor\n"
            "t = T([[1, 0]]), T(2, 3).shape, x.type(T)"
        ),
        "isinstance(i.to(torch.float32), torch.cuda.FloatTensor)",
    ),
    "torch.cuda.DoubleTensor": (
        (
            "T = torch.cuda.DoubleTensor if torch.cuda.is_available() else torch.DoubleTensor\n"
            "t = T([[1, 0]]), T(2, 3).shape, x.type(T)"
        ),
        "isinstance(i.to(torch.float64), torch.cuda.DoubleTensor)",
    ),
    "torch.cuda.HalfTensor": (
        (
            "T = torch.cuda.HalfTensor if torch.cuda.is_available() else torch.HalfTensor\n"
            "t = T([[1, 0]]), T(2, 3).shape, x.type(T)"
        ),
        "isinstance(i.to(torch.float16), torch.cuda.HalfTensor)",
    ),
    "torch.cuda.BFloat16Tensor": (
        (
            "T = torch.cuda.BFloat16Tensor if torch.cuda.is_available() else "
            "torch.BFloat16Tensor\nt = T([[1, 0]]), T(2, 3).shape, x.type(T)"
        ),
        "isinstance(i.to(torch.bfloat16), torch.cuda.BFloat16Tensor)",
    ),
    "torch.cuda.ByteTensor": (
        (
            "T = torch.cuda.ByteTensor if torch.cuda.is_available() else torch.ByteTensor\n"
            "t = T([[1, 0]]), T(2, 3).shape, x.type(T)"
        ),
        "isinstance(i.to(torch.uint8), torch.cuda.ByteTensor)",
    ),
    "torch.cuda.CharTensor": (
        (
            "T = torch.cuda.CharTensor if torch.cuda.is_available() else torch.CharTensor\n"
            "t = T([[1, 0]]), T(2, 3).shape, x.type(T)"
        ),
        "isinstance(i.to(torch.int8), torch.cuda.CharTensor)",
    ),
    "torch.cuda.ShortTensor": (
        (
            "T = torch.cuda.ShortTensor if torch.cuda.is_available() else torch.ShortTensor\n"
            "t = T([[1, 0]]), T(2, 3).shape, x.type(T)"
        ),
        "isinstance(i.to(torch.int16), torch.cuda.ShortTensor)",
    ),
    "torch.cuda.IntTensor": (
        (
            "T = torch.cuda.IntTensor if torch.cuda.is_available() else torch.IntTensor\n"
            "t = T([[1, 0]]), T(2, 3).shape, x.type(T)"
        ),
        "isinstance(i.to(torch.int32), torch.cuda.IntTensor)",
    ),
    "torch.cuda.LongTensor": (
        (
            "T = torch.cuda.LongTensor if torch.cuda.is_available() else torch.LongTensor\n"
            "t = T([[1, 0]]), T(2, 3).shape, x.type(T)"
        ),
        "isinstance(i.to(torch.int64), torch.cuda.LongTensor)",
    ),
    "torch.cuda.BoolTensor": (
        (
            "T = torch.cuda.BoolTensor if torch.cuda.is_available() else torch.BoolTensor\n"
            "t = T([[1, 0]]), T(2, 3).shape, x.type(T)"
        ),
        "isinstance(i.to(torch.bool), torch.cuda.BoolTensor)",
    ),
    "torch.Tensor": (
        "torch.Tensor([1, 2])",
        "torch.Tensor(2, 3).shape",
        "torch.Tensor([[1.5]])",
        "torch.Tensor(x)",
        "isinstance(x, torch.Tensor)",
        "torch.Tensor(np.ones((2, 2))).dtype",
        "torch.Tensor(x.size()).shape",
    ),
    "torch.Tensor.new": (
        "d.new([1, 2])",
        "i.new(2, 3).shape",
        "x.new().dtype",
    ),
}
