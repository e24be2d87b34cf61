"""Selecting, writing and masking values."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    "torch.gather": ("torch.gather(x, 1, i)",),
    "torch.Tensor.gather": (
        "x.gather(-1, i[:, :2])",
        "x.gather(dim=0, index=n[None, :])",
        "w.gather(1, i).sum().backward()\ng = w.grad",
        "torch.complex(x, y).gather(1, i), x.char().gather(1, i)",
    ),
    "torch.index_select": ("torch.index_select(x, 0, n)",),
    "torch.Tensor.index_select": (
        "x.index_select(-1, n)",
        "a.index_select(dim=1, index=n)",
        "x.index_select(0, torch.tensor([7]))",
        "x.half().index_select(0, torch.tensor([1]))",
    ),
    "torch.scatter": (
        "torch.scatter(x, 1, i[:, :2], 5.0)",
        ("k = {'dim': 1, 'index': i[:, :2], 'value': 5.0}\ntorch.scatter(x, **k), x.scatter(**k)"),
        "t = torch.complex(x, y)\ntorch.scatter(t, 1, i[:, :2], 1j), t.scatter(1, i, t)",
    ),
    "torch.Tensor.scatter": (
        ("k = {'dim': 1, 'index': i[:, :2], 'value': 5.0}\ntorch.scatter(x, **k), x.scatter(**k)"),
        "x.scatter(0, n[None, :], y)",
        "t = torch.complex(x, y)\ntorch.scatter(t, 1, i[:, :2], 1j), t.scatter(1, i, t)",
        "torch.zeros(5, dtype=torch.int8).scatter(0, n, 7)",
        ("(x.scatter(0, torch.tensor([[0, 1, 2, 0]]), w[:1]) * y).sum().backward()\ng = w.grad"),
    ),
    "torch.Tensor.scatter_": (
        "t = x.clone()\nr = t.scatter_(1, i[:, :1], 1.0)",
        "t = torch.zeros(3, 4)\nt.scatter_(1, i[:, :2], y)",
        "t = x.clone()\nt.scatter_(dim=1, index=i[:, :1], value=9)",
        "t = x.clone()\nt.scatter_(1, i[:, :2], y, reduce='add')",
        "t = x.clone()\nt.scatter_(1, i[:, :2], 2.0, reduce='multiply')",
        "k, v = (1,), {'index': i[:, :1], 'value': 2.5}\nt = x.clone()\nt.scatter_(*k, **v)",
        "torch.zeros(3, 5).scatter_(1, n.unsqueeze(1), 1)",
        "torch.zeros(5).scatter_(0, torch.tensor(3), value=1)",
    ),
    "torch.scatter_add": ("torch.scatter_add(x, 1, i, y)",),
    "torch.Tensor.scatter_add": (
        "x.scatter_add(1, i[:, :2], y)",
        ("t = torch.complex(x, y)\nt.scatter_add(1, i, t), i.char().scatter_add(1, i, i.char())"),
    ),
    "torch.Tensor.scatter_add_": (
        "t = torch.zeros(3, 4)\nt.scatter_add_(0, i % 3, y)",
        ("t = torch.zeros(3, 4).scatter_add_(0, i % 3, w)\n(t * x).sum().backward()\ng = w.grad"),
    ),
    "torch.scatter_reduce": (
        "torch.scatter_reduce(x, 1, i, y, reduce='sum')",
        ("torch.scatter_reduce(torch.tensor(2.0), 0, torch.tensor(0), torch.tensor(3.0), 'prod')"),
    ),
    "torch.Tensor.scatter_reduce": (
        "x.scatter_reduce(1, i, y, 'amax')",
        "x.scatter_reduce(0, i % 3, y, 'prod', include_self=False)",
        (
            "r = torch.zeros(3, 4).scatter_reduce(0, i % 3, w, 'amax', include_self=False)\n"
            "r.sum().backward()\ng = w.grad"
        ),
        (
            "s = torch.tensor([[1.0, 0.0, 2.0, 2.0], [0.0, 3.0, 1.0, 0.0], [1.0, 1.0, "
            "2.0, 1.0]])\ns.requires_grad_()\nk = i % 2\n"
            "for how in ('sum', 'prod', 'mean', 'amax', 'amin'):\n"
            "    for own in (True, False):\n"
            "        (w.round().scatter_reduce(1, k, s, how, include_self=own) * "
            "y).sum().backward()\n"
            "        (s.scatter_reduce(1, k, s, how, include_self=own) * y).sum().backward()\n"
            "g, h = w.grad, s.grad"
        ),
    ),
    "torch.Tensor.scatter_reduce_": ("t = x.clone()\nt.scatter_reduce_(1, i, y, reduce='amin')",),
    "torch.index_add": ("torch.index_add(x, 0, n, y)",),
    "torch.Tensor.index_add": (
        "x.index_add(1, n, y[:, :3], alpha=2)",
        "t = torch.complex(x, y)\nt.index_add(0, n, t, alpha=2)",
        "t = i.to(torch.uint8)\nt.index_add(0, n, t), i.short().index_add(0, n, i.short())",
    ),
    "torch.Tensor.index_add_": ("t = x.clone()\nt.index_add_(0, torch.tensor([0, 0, 1]), y)",),
    "torch.index_copy": ("torch.index_copy(x, 0, n, y)",),
    "torch.Tensor.index_copy": (
        "x.index_copy(0, n, y)",
        ("t = w.double()\n(t.index_copy(1, n, t[:, 1:] * 2) * d).sum().backward()\ng = w.grad"),
    ),
    "torch.Tensor.index_copy_": ("t = x.clone()\nt.index_copy_(1, n, y[:, :3])",),
    "torch.index_fill": ("torch.index_fill(x, 0, torch.tensor([0, 2]), 7)",),
    "torch.Tensor.index_fill": (
        "x.index_fill(1, n, -1.0)",
        ("i.byte().index_fill(0, n, 7), i.short().masked_fill(m, 1), x.half().masked_fill(m, 0.5)"),
    ),
    "torch.Tensor.index_fill_": ("t = x.clone()\nt.index_fill_(-1, n, 0)",),
    "torch.index_put": ("torch.index_put(x, (n, n), torch.tensor([1.0, 2.0, 3.0]))",),
    "torch.Tensor.index_put": ("x.index_put((x > 0,), torch.tensor(0.0))",),
    "torch.Tensor.index_put_": (
        (
            "t = x.clone()\n"
            "t.index_put_((torch.tensor([0, 0]),), torch.tensor(1.0), accumulate=True)"
        ),
    ),
    "torch.index_put_": (
        (
            "t = x.clone()\n"
            "torch.index_put_(t, (torch.tensor([0, 0]),), torch.tensor(1.0), accumulate=True)"
        ),
    ),
    "torch.masked_fill": ("torch.masked_fill(x, m, 0)",),
    "torch.Tensor.masked_fill": (
        "x.masked_fill(x > 0, float('-inf'))",
        "x.masked_fill(mask=m, value=torch.tensor(2.0))",
        "x.masked_fill(m[:1] == 0, 1)",
        "i.masked_fill(i == 1, -100)",
        "w.masked_fill(m, 0.0).sum().backward()\ng = w.grad",
        ("d.masked_fill(d > 0, 0.1), i.masked_fill(i > 1, 2**53 + 1), m.masked_fill(m, False)"),
        "x[0, 0].masked_fill(m, 1.5), x.masked_fill(m[:, :1], torch.finfo(x.dtype).min)",
    ),
    "torch.Tensor.masked_fill_": (
        "t = x.clone()\nr = t.masked_fill_(m, -1e9)",
        "t = w / p\nt.masked_fill_(m, 0.0)\nt.clamp_(0, 1)\nt.sum().backward()\ng = w.grad",
    ),
    "torch.masked_select": ("torch.masked_select(x, m)",),
    "torch.Tensor.masked_select": (
        "x.masked_select(x > 0)",
        "x.masked_select(m[:1])",
    ),
    "torch.masked_scatter": ("torch.masked_scatter(x, m, y)",),
    "torch.Tensor.masked_scatter": ("x.masked_scatter(m[:1], y)",),
    "torch.Tensor.masked_scatter_": ("t = x.clone()\nt.masked_scatter_(m, y)",),
    "torch.take": ("torch.take(x, n)",),
    "torch.Tensor.take": ("x.take(torch.tensor([[0, -1]]))",),
    "torch.put": ("torch.put(x, n, torch.tensor([1.0, 2.0, 3.0]))",),
    "torch.Tensor.put": ("x.put(n, torch.tensor([1.0, 2.0, 3.0]))",),
    "torch.Tensor.put_": (
        ("t = x.clone()\nt.put_(torch.tensor([0, 0]), torch.tensor([1.0, 2.0]), accumulate=True)"),
        "t = x.clone()\nt.put_(n[:0], w[0, :0])\nt.sum().backward()\ng = w.grad",
    ),
    "torch.take_along_dim": ("torch.take_along_dim(x, i, 1)",),
    "torch.Tensor.take_along_dim": (
        "x.take_along_dim(i[:, :1], dim=1)",
        "x.take_along_dim(n)",
    ),
    "torch.select_scatter": ("torch.select_scatter(x, y[0], 0, 1)",),
    "torch.Tensor.select_scatter": ("x.select_scatter(torch.zeros(3), dim=-1, index=-1)",),
    "torch.slice_scatter": ("torch.slice_scatter(x, y[:2], start=1)",),
    "torch.Tensor.slice_scatter": ("x.slice_scatter(y[:, :2], 1, 0, 4, 2)",),
    "torch.diagonal_scatter": ("torch.diagonal_scatter(sq, torch.zeros(4))",),
    "torch.Tensor.diagonal_scatter": ("sq.diagonal_scatter(torch.ones(3), 1)",),
    "torch.nonzero": (
        "torch.nonzero(i)",
        "r, c = torch.nonzero(m, as_tuple=True)",
        "torch.nonzero(torch.tensor(1))",
        "torch.nonzero(i.half()).numel()",
        "torch.nonzero(i.byte()), i.byte().argwhere()",
    ),
    "torch.Tensor.nonzero": (
        "m.nonzero()",
        "(x > 0).nonzero(as_tuple=True)[0]",
    ),
    "torch.argwhere": ("torch.argwhere(i)",),
    "torch.Tensor.argwhere": ("m.argwhere()",),
    "torch.where": (
        "torch.where(m, x, y)",
        "torch.where(x > 0, x, 0.0)",
        "torch.where(m, 1, 0)",
        "torch.where(m)",
        "torch.where(m.byte()), torch.where(condition=x), torch.where(i.to(torch.int16))",
        "torch.where(m, 1.0, x)",
        "torch.where(m, i, 2.5)",
        "torch.where(m, x, d)",
        "torch.where(condition=m, input=x, other=y)",
        "torch.where(w > 0, w, 0).sum().backward()\ng = w.grad",
        "torch.where(m, x, torch.tensor(-1e9))",
        "t = x.half()\ntorch.where(m, t, 0.1), torch.where(x > 0, t, t * 2), t.clamp(0, 1)",
        "torch.where(m, x.to(torch.uint8), 1), torch.where(m, d, 0.1)",
        ("t = x.float()\ntorch.where(t > 0, t, t * 2), torch.where(t > 1, t[:1], torch.zeros(4))"),
        "t = x.float()\ntorch.where(t > 0, t, torch.tensor(2.5))",
        "t = x.float()\ntorch.where(t > 0, t, t.double())",
    ),
    "torch.Tensor.where": (
        "x.where(m, y)",
        "x.where(x > 0, 0.0)",
    ),
    **alike(
        "torch",
        "tril triu",
        "torch.{name}(sq)",
        "torch.{name}(torch.ones(3, 3), diagonal=1).bool()",
        "torch.{name}(torch.ones(3, 3, dtype=torch.bool), 1)",
        "torch.{name}(i.to(torch.int8))",
    ),
    "torch.Tensor.tril": (
        "a.tril(-1)",
        "i.to(torch.int16).tril()",
    ),
    "torch.Tensor.tril_": (
        "t = sq.clone()\nt.tril_()",
        "t = i.to(torch.int16)\nr = t.tril_()\nt = i.to(torch.int8)\nt.tril_()",
    ),
    **alike(
        "torch",
        "tril_indices triu_indices",
        "torch.{name}(3, 4)",
        "torch.{name}(3, 3, offset=1)",
        "f = torch.{name}\nr = f(3, 3), f(2, 3, 1, device='cpu')",
        "k = {'row': 3, 'col': 3}\nr = torch.{name}(**k)",
        "torch.{name}(3, 4, device='cpu', layout=torch.strided)",
        "torch.{name}(3, 4, 1, dtype=torch.int32, device=x.device)",
    ),
    "torch.Tensor.triu": (
        "a.triu(-1)",
        "i.to(torch.int16).triu()",
    ),
    "torch.Tensor.triu_": (
        "t = sq.clone()\nt.triu_()",
        "t = i.to(torch.int16)\nr = t.triu_()\nt = i.to(torch.int8)\nt.triu_()",
    ),
    "torch.searchsorted": (
        "torch.searchsorted(torch.tensor([1.0, 2.0, 3.0]), x)",
        "torch.searchsorted(torch.tensor([1, 2, 3]), 2, right=True)",
        "torch.searchsorted(torch.tensor([1, 2, 3]), i, side='right', out_int32=True)",
    ),
    "torch.bucketize": (
        "torch.bucketize(x, torch.tensor([-1.0, 0.0, 1.0]))",
        "torch.bucketize(i, torch.tensor([1, 2]), right=True)",
    ),
    "torch.repeat_interleave": (
        "torch.repeat_interleave(x, 2)",
        "torch.repeat_interleave(x, 0), x.repeat_interleave(0, dim=1)",
        "torch.repeat_interleave(n, 3)",
        "torch.repeat_interleave(n)",
        "torch.repeat_interleave(x, torch.tensor([2]), 0)",
    ),
    "torch.Tensor.repeat_interleave": (
        "torch.repeat_interleave(x, 0), x.repeat_interleave(0, dim=1)",
        "x.repeat_interleave(2, dim=0)",
        "x.repeat_interleave(torch.tensor([1, 0, 2]), 0)",
        ("torch.complex(x, y).repeat_interleave(2, 1), n.to(torch.uint8).repeat_interleave(2)"),
    ),
    "torch.unravel_index": (
        "torch.unravel_index(n, (2, 2))",
        "torch.unravel_index(torch.tensor(5), (2, 3))",
    ),
}
