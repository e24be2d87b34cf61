"""Conversions of a tensor: casts by name, to(), type(), a contiguous copy, a clone."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    **alike(
        "torch.Tensor",
        "half bfloat16 float double byte char short int long bool cfloat cdouble",
        "x.{name}()",
        "i.{name}()",
        "x.{name}(memory_format=torch.preserve_format)",
        "t = torch.ones(2, requires_grad=True)\nt.{name}(), torch.Tensor.{name}(t)",
        "t = torch.ones(2, requires_grad=True)\nt = t * 2\nt.{name}(), t.exp().{name}()",
        "f = torch.Tensor.{name}\nf(x), list(map(f, (i, w)))",
        (
            "t = torch.ones(2)\nt.requires_grad_()\nk = (t * 2).{name}()\nt = t.detach()\n"
            "t.requires_grad = True\nr = t.{name}(), (nn.Parameter(t) + 1).{name}()"
        ),
        "def f(v, *args, **kwargs):\n    return v.{name}(*args, **kwargs)\nr = f(x), f(i)",
    ),
    "torch.Tensor.cuda": ("x.cuda() if torch.cuda.is_available() else x",),
    "torch.Tensor.to": (
        "x.to(torch.float64)",
        ("k = ('cpu', torch.int64)\nt = w.to(*k), w.to(*k, copy=True), w.to(*(d,)), w.to(*())"),
        ("k = {'dtype': torch.int64, 'device': 'cpu'}\nt = w.to(**k), i.to(torch.float64, **{})"),
        "f = torch.Tensor.to\nf(w, torch.int32), f(w, dtype=torch.float64), f(x, d)",
        "x.to('cpu')",
        "x.to(torch.device('cpu'), torch.int64)",
        "x.to(d)",
        "x.to(device='cpu', dtype=torch.float16)",
        "x.to(dtype=torch.int32, non_blocking=True)",
        "x.to(x.device, non_blocking=True)",
        "t = x.to(torch.float32, copy=True)\nt[0] = 1",
        "t = x.to(torch.float32)\nt[0] = 1",
        "img.to(memory_format=torch.channels_last)",
        "x.to(non_blocking=True, copy=False)",
        "img.to('cpu', torch.float64, memory_format=torch.channels_last)",
        ("how = torch.contiguous_format\nx.to(dtype=torch.int64, copy=True, memory_format=how)"),
        ("t = torch.ones(2, requires_grad=True)\nt.to(torch.int64), t.to(torch.float64), t.to(i)"),
        "t = torch.ones(2, requires_grad=True)\nt.to('cpu', dtype=torch.bool)",
        (
            "t = torch.ones(2, requires_grad=True)\nwith torch.no_grad():\n"
            "    r = t.to(torch.float64)"
        ),
        "x.to(int), i.to(float), i.to(dtype=bool), x.to(int, non_blocking=True, copy=False)",
        "x.to(torch.float64, non_blocking=False, copy=False, memory_format=None)",
        "w.to('cpu', torch.int64, copy=True), w.to(dtype=torch.float64, copy=True)",
        "with torch.no_grad():\n    t = w.to(torch.float64, copy=True)",
    ),
    "torch.Tensor.type": (
        "x.type()",
        "x.type(torch.int64)",
        "x.type(torch.LongTensor), i.type(torch.FloatTensor)",
        "x.type('torch.DoubleTensor')",
        "(x > 0).type(torch.Tensor), i.type(torch.Tensor), d.type('torch.Tensor')",
        "x.type(dtype=torch.float16)",
        "x.type(d.dtype)",
        "i.type() == 'torch.LongTensor'",
        "torch.ones(2, requires_grad=True).type(torch.int32)",
        ("k = (torch.int32,)\nt = w.type(*k), w.type(*())\nr = i.type(**{'dtype': torch.float64})"),
    ),
    "torch.Tensor.type_as": (
        "x.type_as(d)",
        "i.type_as(x)",
        "torch.ones(2, requires_grad=True).type_as(i)",
        "k = (i,)\nt = w.type_as(*k)\nr = w.type_as(**{'other': d})",
    ),
    "torch.Tensor.contiguous": (
        "x.t().contiguous()",
        "x.contiguous()",
        "img.contiguous(memory_format=torch.channels_last)",
        "t = x.clone()\nv = t[:, 1:]\nc = v.contiguous()\nv[0] = 5.0",
    ),
    "torch.Tensor.clone": (
        "w.clone()",
        "t = x.clone()\nt[0] = 1",
        "img.clone(memory_format=torch.channels_last)",
    ),
    "torch.clone": (
        "torch.clone(x)",
        "f = torch.clone\nr = f(x), list(map(f, (x, y)))",
    ),
}
