"""Dtypes, devices, layouts and memory formats as values, and queries about them."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    **alike(
        "torch",
        "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128",
        "torch.zeros(2, dtype=torch.{name})",
    ),
    "torch.float8_e4m3fn": ("t = torch.float8_e4m3fn",),
    "torch.float8_e5m2": ("t = torch.float8_e5m2",),
    "torch.inf": ("torch.tensor([torch.inf, -torch.inf])",),
    "torch.nan": ("torch.tensor(torch.nan)",),
    "torch.pi": ("x * torch.pi",),
    "torch.e": ("x * torch.e",),
    "torch.newaxis": ("x[:, torch.newaxis]",),
    "torch.dtype": (
        "isinstance(x.dtype, torch.dtype)",
        "isinstance(3, torch.dtype)",
    ),
    "torch.get_default_dtype": (
        "torch.get_default_dtype()",
        "torch.get_default_dtype() == torch.float32",
    ),
    "torch.set_default_dtype": (
        (
            "torch.set_default_dtype(torch.float64)\nt = torch.zeros(2)\n"
            "v = torch.tensor([1.5])\ntorch.set_default_dtype(torch.float32)"
        ),
    ),
    "torch.finfo": (
        (
            "k, h = (torch.float32,), {'type': torch.float32}\n"
            "torch.finfo(*k).bits, torch.finfo(**h).max"
        ),
        "torch.finfo(type=torch.float32).bits",
        "torch.finfo(torch.float32).max",
        "torch.finfo(x.dtype).min",
    ),
    **alike(
        "torch.finfo",
        "bits eps max min resolution smallest_normal tiny dtype",
        "k = torch.finfo(torch.float32)\nt = k.{name}\nk = 0",
    ),
    "torch.iinfo": (
        (
            "k, h = (torch.int32,), {'type': torch.int32}\n"
            "torch.iinfo(*k).bits, torch.iinfo(**h).max"
        ),
        "torch.iinfo(type=torch.int32).bits",
        "torch.iinfo(torch.int32).max",
        "torch.iinfo(i.dtype).min",
    ),
    **alike(
        "torch.iinfo", "bits max min dtype", "k = torch.iinfo(torch.int32)\nt = k.{name}\nk = 0"
    ),
    "torch.promote_types": (
        "torch.promote_types(torch.int64, torch.float16)",
        "torch.promote_types(torch.uint8, torch.int8)",
    ),
    "torch.result_type": (
        "torch.result_type(tensor=i, scalar=1.5)",
        "torch.result_type(2, i)",
        "torch.result_type(2, 3.5)",
        "torch.result_type(i, 1.5)",
        "torch.result_type(x, d)",
        "torch.result_type(i, torch.tensor(2.5))",
    ),
    "torch.can_cast": (
        "torch.can_cast(torch.float64, torch.int32)",
        "torch.can_cast(torch.int8, torch.bool)",
        "torch.can_cast(torch.int64, torch.float16)",
        "torch.can_cast(torch.int8, torch.uint8), torch.can_cast(torch.uint8, torch.bool)",
    ),
    "torch.device": (
        "str(torch.device('cpu'))",
        "torch.zeros(2, device=torch.device('cpu'))",
        "torch.device('cuda:1').index",
        "torch.device('cuda', 1).type",
        "x.to(torch.device('cuda' if torch.cuda.is_available() else 'cpu'))",
        "torch.device('cpu') == x.device",
        (
            "k, h = ('cpu',), dict(type='cuda', index=1)\n"
            "torch.device(*k) == x.device, torch.device(**h).index"
        ),
        "torch.device(type='cpu') == x.device, torch.device(index=1, type='cuda').index",
    ),
    "torch.contiguous_format": (
        "_how = torch.contiguous_format\nr = img[0].clone(memory_format=_how)",
    ),
    "torch.preserve_format": (
        "_how = torch.preserve_format\nr = img[0].clone(memory_format=_how)",
    ),
    "torch.channels_last": ("_how = torch.channels_last\nr = img[:].clone(memory_format=_how)",),
    "torch.channels_last_3d": (
        "_how = torch.channels_last_3d\nr = img[None].clone(memory_format=_how)",
    ),
}
