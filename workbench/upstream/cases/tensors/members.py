"""Properties of a tensor: shape, dtype, device, gradients, values for Python and NumPy."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    "torch.Tensor.shape": (
        "x.shape",
        "x.shape == (3, 4)",
        "b, c, *r = img.shape",
        "x.shape[:-1] + (2,)",
        "{x.shape: 1}[x.shape], {x.shape}, len({t.shape for t in (x, y)})",
        ("k = {}\nk[x.shape, 1] = 2\nk.setdefault(y.shape, 3)\nr = k.get(x.shape), x.shape in k"),
        "x.shape in [(3, 4)], x.shape not in {(3, 4)}, isinstance(x.shape, tuple)",
        "x.shape.numel()",
        "len(x.shape), x.shape[-1]",
    ),
    "torch.Tensor.size": (
        "x.size()",
        "k = (1,)\nx.size(*k), x.size(*()), x.size(**{'dim': 0})",
        "[*map(torch.Tensor.size, (x, a))]",
        "x.size(0)",
        "x.size(-1)",
        "x.size(dim=1)",
        "n, m = x.size()",
        "x.size(dim=None), x.stride(dim=None)",
        "{x.size(): 1}",
        ("x.size(0) in [1, 3], x.size(1) not in (1, 3), {x.size(-1): 1}, x.size(None) in {(3, 4)}"),
    ),
    "torch.Tensor.numel": (
        "x.numel()",
        "torch.zeros(()).numel()",
    ),
    "torch.Tensor.nelement": (
        "x.nelement()",
        "torch.zeros(()).nelement()",
    ),
    "torch.numel": ("torch.numel(x)",),
    **alike("torch.Tensor", "dim ndimension get_device cpu", "x.{name}()"),
    **alike(
        "torch.Tensor",
        "ndim is_cuda itemsize is_cpu is_sparse is_meta is_mps is_xpu is_mkldnn "
        "is_vulkan is_xla is_ipu is_maia is_mtia is_nested is_sparse_csr",
        "x.{name}",
    ),
    "torch.Tensor.dtype": (
        "x.dtype",
        "x.dtype == torch.float32",
        "x.dtype is torch.float32",
    ),
    "torch.Tensor.device": (
        "str(x.device)",
        "x.device.type",
        "x.device == torch.device('cpu')",
    ),
    "torch.Tensor.is_leaf": (
        "x.is_leaf",
        "(w * 2).is_leaf",
    ),
    "torch.Tensor.data": (
        "w.data",
        "w.data.mul_(torch.tensor(2.0))\nt = w",
        (
            "layer = nn.Linear(4, 2, bias=False)\nlayer.weight.data = y[:2]\ny.mul_(2.0)\n"
            "t = layer(x)\ndel layer"
        ),
        "p = nn.Parameter(x)\np.data = torch.arange(3).double()\nt = p, p.dtype",
    ),
    "torch.Tensor.element_size": ("d.element_size()",),
    "torch.Tensor.nbytes": ("d.nbytes",),
    "torch.Tensor.is_contiguous": (
        "x.is_contiguous()",
        "x.t().is_contiguous()",
    ),
    "torch.Tensor.stride": (
        "a.stride()",
        "a.stride(1)",
        "a.stride(dim=-1)",
        (
            "k = {'dim': 0}\nt = a.stride(**k), a.stride(*())\n"
            "r = [*map(torch.Tensor.stride, (a, x))]"
        ),
    ),
    "torch.Tensor.storage_offset": (
        "x.storage_offset()",
        "x[1].storage_offset()",
    ),
    "torch.Tensor.requires_grad": (
        "x.requires_grad, w.requires_grad",
        "x.requires_grad = True\nt = x * 2",
        "w.requires_grad = False",
    ),
    "torch.Tensor.requires_grad_": (
        "x.requires_grad_()",
        "w.requires_grad_(False)",
        "torch.zeros(2).requires_grad_(True)",
        "torch.zeros(2).requires_grad_(requires_grad=True)",
    ),
    "torch.Tensor.grad": (
        (
            "(w * 2).sum().backward()\nh = w.grad\nw.grad = None\n(w * 3).sum().backward()\n"
            "g = w.grad"
        ),
        (
            "(w * 2).sum().backward()\nh = w.grad\nw.grad = y + 1\n(w * 3).sum().backward()\n"
            "g = w.grad"
        ),
        "w.sum().backward()\ng = w.grad",
        "x.grad",
        "w.sum().backward()\nw.grad = None\ng = w.grad",
        "w.sum().backward()\nw.grad.zero_()\ng = w.grad",
        "w.sum().backward()\n(w * 2).sum().backward()\ng = w.grad",
        "w.sum().backward()\nw.grad /= 2\nw.grad *= 3\ng = w.grad",
    ),
    "torch.Tensor.backward": (
        "w.sum().backward()\ng = w.grad",
        "(w * 2).backward(torch.ones_like(w))\ng = w.grad",
        "l = (w * w).sum()\nl.backward(retain_graph=True)\nl.backward()\ng = w.grad",
        (
            "t = torch.ones(4, requires_grad=True)\n(w * t).sum().backward(inputs=[t])\n"
            "g = w.grad, t.grad"
        ),
        "(w * w).backward(torch.ones_like(w), inputs=w)\ng = w.grad",
    ),
    "torch.Tensor.detach": (
        "w.detach()",
        "(w * 2).detach().requires_grad",
    ),
    "torch.Tensor.detach_": ("t = w * 2\nt.detach_()",),
    "torch.detach": ("torch.detach(w)",),
    "torch.Tensor.retain_grad": ("t = w * 2\nt.retain_grad()\nt.sum().backward()\ng = t.grad",),
    "torch.Tensor.register_hook": (
        "h = w.register_hook(lambda g: g * 2)\nw.sum().backward()\ng = w.grad",
        "k = []\nh = w.register_hook(k.append)\nw.sum().backward()",
        "k = []\nt = w * 2\nt.register_hook(lambda g: k.append(g))\nt.sum().backward()",
        (
            "k = []\ndef f(g):\n    k.append(g.requires_grad)\n    return g * 3\n"
            "w.register_hook(f)\n(w * w).sum().backward()\ng = w.grad"
        ),
    ),
    "torch.Tensor.item": (
        "x[0, 0].item()",
        "x.sum().item()",
        "i[0, 0].item()",
        "m[0, 0].item()",
    ),
    "torch.Tensor.tolist": (
        "x.tolist()",
        "i.tolist()",
        "x[0, 0].tolist()",
        "m.tolist()",
        "x.bfloat16().tolist()",
    ),
    "torch.Tensor.numpy": (
        "x.numpy()",
        "x.detach().cpu().numpy().sum()",
        "i.numpy()",
        "x.numpy(force=True)",
    ),
    "torch.is_tensor": (
        "torch.is_tensor(x)",
        "torch.is_tensor(3)",
    ),
    "torch.is_floating_point": (
        "torch.is_floating_point(x)",
        "torch.is_floating_point(i)",
    ),
    "torch.Tensor.is_floating_point": (
        "x.is_floating_point()",
        "i.is_floating_point()",
    ),
    "torch.is_complex": (
        "torch.is_complex(x)",
        "torch.is_complex(i)",
    ),
    "torch.Tensor.is_complex": (
        "x.is_complex()",
        "i.is_complex()",
    ),
}
