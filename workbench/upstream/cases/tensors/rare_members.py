"""Tensor members for storage, sparse tensors, hooks and other rare uses."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    "torch.Tensor.apply_": ("t = x.clone()\nt.apply_(lambda v: v * 2)",),
    "torch.Tensor.map_": ("t = x.clone()\nt.map_(y, lambda u, v: u + v)",),
    "torch.Tensor.hardshrink": (
        "x.hardshrink()",
        "x.hardshrink(1.0)",
        "torch.tensor([0.5, -0.5]).hardshrink()",
    ),
    "torch.Tensor.prelu": ("x.prelu(torch.tensor([0.25]))",),
    "torch.Tensor.retains_grad": (
        "x.retains_grad",
        "t = w * 2\nt.retain_grad()\nr = t.retains_grad, w.retains_grad",
        "w.retain_grad()\nr = w.retains_grad",
    ),
    "torch.Tensor.grad_fn": (
        "x.grad_fn",
        "w.grad_fn",
        "t = w * 2\nr = t.grad_fn is not None",
    ),
    "torch.Tensor._version": ("t = torch.zeros(2)\nt.add_(1)\nt[0] = 3\nr = t._version",),
    "torch.Tensor.name": ("x.name",),
    "torch.Tensor.output_nr": ("x.output_nr",),
    "torch.Tensor.data_ptr": ("x.data_ptr() == x.data_ptr()",),
    "torch.Tensor.const_data_ptr": ("x.const_data_ptr() == x.data_ptr()",),
    "torch.Tensor.pin_memory": ("(x.pin_memory() if torch.cuda.is_available() else x).shape",),
    **alike("torch.Tensor", "is_pinned is_neg is_distributed", "x.{name}()"),
    "torch.Tensor.share_memory_": (
        "x.share_memory_()",
        "t = x.clone()\nr = t.share_memory_() is t\nt.is_shared()",
    ),
    "torch.Tensor.is_shared": (
        "x.is_shared()",
        "t = x.clone()\nt.share_memory_()\nt.is_shared(), x.is_shared()",
    ),
    "torch.Tensor.to_mkldnn": ("x.to_mkldnn().to_dense()",),
    "torch.is_conj": (
        "k = x\ntorch.is_conj(k)",
        (
            "z = torch.tensor([[1 + 2j]])\nk = z.conj()\nr = torch.is_conj(k)\nk = k.conj()\n"
            "s = torch.is_conj(k)"
        ),
        (
            "k = torch.adjoint(torch.tensor([[1 + 2j]])).view(-1)\nr = torch.is_conj(k)\n"
            "k = torch.conj(x)\ns = torch.is_conj(k)"
        ),
    ),
    "torch.Tensor.is_conj": (
        "k = x\nk.is_conj()",
        (
            "z = torch.tensor([[1 + 2j]])\nk = z.conj()\nr = k.is_conj()\nk = k.conj()\n"
            "s = k.is_conj()"
        ),
        (
            "k = torch.adjoint(torch.tensor([[1 + 2j]])).view(-1)\nr = k.is_conj()\n"
            "k = torch.conj(x)\ns = k.is_conj()"
        ),
    ),
    "torch.is_inference": (
        "k = x\ntorch.is_inference(k)",
        (
            "with torch.inference_mode():\n    k = x * 2\n    l = k.view(-1)\n"
            "    r = torch.is_inference(k)\ns = torch.is_inference(k)"
        ),
        (
            "@torch.inference_mode()\ndef f(t):\n    return t + 1\nk = f(x)\n"
            "r = torch.is_inference(k)"
        ),
        ("with torch.inference_mode(False):\n    k = torch.ones(2)\nr = torch.is_inference(k)"),
    ),
    "torch.Tensor.is_inference": (
        "k = x\nk.is_inference()",
        (
            "with torch.inference_mode():\n    k = x * 2\n    l = k.view(-1)\n"
            "    r = k.is_inference()\ns = k.is_inference()"
        ),
        ("@torch.inference_mode()\ndef f(t):\n    return t + 1\nk = f(x)\nr = k.is_inference()"),
        "with torch.inference_mode(False):\n    k = torch.ones(2)\nr = k.is_inference()",
    ),
    **alike(
        "torch",
        "is_neg is_distributed t_copy alias_copy detach_copy diagonal_copy selu",
        "torch.{name}(x)",
    ),
    "torch.Tensor.resize_": (
        "t = x.clone()\nt.resize_(2, 6)",
        "t = x.clone()\nt.resize_((2, 3))",
        "torch.zeros(2).resize_(4, 4).shape",
    ),
    "torch.Tensor.resize_as_": ("t = x.clone()\nt.resize_as_(torch.zeros(2, 2))",),
    "torch.resize_as_": ("t = x.clone()\ntorch.resize_as_(t, torch.zeros(2, 2))",),
    "torch.Tensor.set_": (
        "t = torch.zeros(2)\nt.set_(x)",
        "p = torch.nn.Parameter(torch.zeros(2))\nwith torch.no_grad():\n    p.set_(x)\n"
        "(p * p).sum().backward()\nresult = p.grad",
    ),
    "torch.Tensor.is_set_to": (
        "x.is_set_to(x)",
        "x.is_set_to(y)",
    ),
    "torch.as_strided_scatter": (
        "torch.as_strided_scatter(x, torch.zeros(2, 2), (2, 2), (4, 1))",
        ("(torch.as_strided_scatter(w, w[0, :2], (2,), (5,), 1) * y).sum().backward()\ng = w.grad"),
    ),
    "torch.Tensor.as_strided_scatter": ("x.as_strided_scatter(torch.ones(2), (2,), (5,), 1)",),
    "torch.index_reduce": ("torch.index_reduce(x, 0, n, y, 'prod')",),
    "torch.Tensor.index_reduce": (
        "x.index_reduce(1, torch.tensor([0, 0, 1, 3]), y, 'amax')",
        (
            "s = torch.tensor([[1.0, 0.0, 2.0, 2.0], [0.0, 3.0, 1.0, 0.0], [1.0, 1.0, "
            "2.0, 1.0]])\ns.requires_grad_()\nk = torch.tensor([0, 0, 1])\n"
            "for how in ('prod', 'mean', 'amax', 'amin'):\n"
            "    (s.index_reduce(0, k, s, how) * y).sum().backward()\n"
            "    (s.index_reduce(0, k, s, how, include_self=False) * y).sum().backward()\n"
            "g = s.grad"
        ),
    ),
    "torch.Tensor.index_reduce_": (
        "t = x.clone()\nt.index_reduce_(0, n, y, 'mean', include_self=False)",
    ),
    "torch.nonzero_static": ("torch.nonzero_static(i, size=3)",),
    "torch.Tensor.nonzero_static": ("m.nonzero_static(size=20)",),
    "torch.orgqr": ("torch.orgqr(x.t(), x[0, :3])",),
    "torch.Tensor.orgqr": ("x.t().orgqr(x[0, :3])",),
    "torch.nuclear_norm": (
        "torch.nuclear_norm(x)",
        "torch.nuclear_norm(x, True)",
        "torch.nuclear_norm(a, keepdim=True), torch.nuclear_norm(a)",
    ),
    "torch.frobenius_norm": ("torch.frobenius_norm(x, dim=[0, 1])",),
    "torch.norm_except_dim": (
        "torch.norm_except_dim(x)",
        "torch.norm_except_dim(a, 2, 1)",
    ),
    "torch.empty_strided": ("torch.empty_strided((2, 3), (3, 1)).shape",),
    "torch.empty_permuted": ("torch.empty_permuted((2, 3), (1, 0)).shape",),
    "torch.Tensor.new_empty_strided": ("d.new_empty_strided((2, 3), (3, 1)).dtype",),
    "torch.permute_copy": ("torch.permute_copy(a, (2, 0, 1))",),
    "torch.transpose_copy": ("torch.transpose_copy(a, 0, 1)",),
    "torch.expand_copy": ("torch.expand_copy(x, (2, 3, 4))",),
    "torch.view_copy": ("torch.view_copy(x, (2, 6))",),
    "torch.squeeze_copy": ("torch.squeeze_copy(x[:1])",),
    "torch.unsqueeze_copy": ("torch.unsqueeze_copy(x, 0)",),
    "torch.select_copy": ("torch.select_copy(x, 1, 2)",),
    "torch.unfold_copy": ("torch.unfold_copy(x, 1, 2, 1)",),
    "torch.as_strided_copy": ("torch.as_strided_copy(x, (2, 2), (4, 1))",),
    "torch.view_as_real_copy": ("torch.view_as_real_copy(torch.complex(x, y))",),
    "torch.view_as_complex_copy": ("torch.view_as_complex_copy(torch.stack([x, y], -1))",),
    "torch.slice_copy": ("torch.slice_copy(x, 1, 1, 3)",),
    "torch.unbind_copy": (
        "torch.unbind_copy(x)",
        "k = [t * 0 for t in torch.unbind_copy(x)]\nr = torch.unbind_copy(x, out=k)",
    ),
    "torch.split_copy": (
        "torch.split_copy(x, 2)",
        "k = [t * 0 for t in torch.split_copy(x, 2)]\nr = torch.split_copy(x, 2, out=k)",
    ),
    "torch.split_with_sizes_copy": (
        "torch.split_with_sizes_copy(x, [1, 2])",
        (
            "k = [t * 0 for t in torch.split_with_sizes_copy(x, [1, 2])]\n"
            "r = torch.split_with_sizes_copy(x, [1, 2], out=k)"
        ),
    ),
    **alike(
        "torch",
        "hann_window blackman_window bartlett_window",
        "torch.{name}(8)",
        "torch.{name}(7, periodic=False, dtype=torch.float64)",
        "torch.{name}(8, True, device='cpu', requires_grad=True, pin_memory=False)",
    ),
    "torch.hamming_window": (
        "torch.hamming_window(8)",
        "torch.hamming_window(7, False, 0.5, 0.5)",
        "torch.hamming_window(7, True, 0.5, layout=torch.strided, requires_grad=True)",
    ),
    "torch.kaiser_window": (
        "torch.kaiser_window(8)",
        "torch.kaiser_window(7, periodic=False, beta=8.0)",
        "torch.kaiser_window(7, False, 8.0, device='cpu', requires_grad=True)",
    ),
    "torch.stft": (
        "torch.stft(a.flatten(), 8, return_complex=True)",
        (
            "torch.stft(a.reshape(2, 12), 6, hop_length=3, win_length=4, center=False, "
            "return_complex=True)"
        ),
    ),
    "torch.Tensor.stft": (
        "a.flatten().stft(8, 4, window=torch.hann_window(8), return_complex=True)",
    ),
    "torch.istft": (
        (
            "k = torch.hann_window(8)\n"
            "torch.istft(torch.stft(a.flatten(), 8, window=k, return_complex=True), 8, "
            "window=k)"
        ),
        "torch.istft(torch.stft(a.flatten(), 8, return_complex=True), 8, length=24)",
    ),
    "torch.Tensor.istft": ("torch.stft(a.flatten(), 8, return_complex=True).istft(8, length=24)",),
    "torch.layer_norm": (
        "torch.layer_norm(x, (4,))",
        "torch.layer_norm(x, [4], x[0], y[0])",
        "torch.layer_norm(x, (3, 4), x, y, 0.1)",
    ),
    "torch.embedding": (
        "torch.embedding(x, n)",
        "torch.embedding(w, n, 1).sum().backward()\ng = w.grad",
        (
            "k = torch.tensor([1, 1, 0])\ntorch.embedding(w, k, -1, True).sum().backward()\n"
            "g = w.grad"
        ),
        "torch.embedding(i, n), torch.embedding(i > 1, n[None])",
        "k, f = (x, n), torch.embedding\ntorch.embedding(*k), f(x, n)",
    ),
    "torch.celu": (
        "torch.celu(x)",
        "torch.celu(x, 0.5)",
        "torch.celu(w * 90).sum().backward()\ng = w.grad",
    ),
    "torch.threshold": (
        "torch.threshold(x, 0.1, 2.0)",
        "torch.threshold(i, 1, 3)",
    ),
    "torch.detach_": ("t = w * 2\ntorch.detach_(t)",),
    "torch.Tensor.triangular_solve": (
        "x.t().triangular_solve(torch.eye(4) + torch.ones(4, 4).triu())[0]",
    ),
    "torch.Tensor.dim_order": ("x.dim_order(), x.t().dim_order(), a.permute(2, 0, 1).dim_order()",),
    "torch.Tensor.layout": ("x.layout == torch.strided, str(x.layout)",),
    "torch.geqrf": (
        "torch.geqrf(x)",
        "torch.geqrf(torch.arange(12.0).reshape(4, 3))",
        "torch.geqrf(x[:, :0])",
        "torch.geqrf(torch.complex(x, y))",
    ),
    "torch.Tensor.geqrf": (
        "x.t().geqrf()",
        "k, t = sq.geqrf()",
    ),
    "torch.Tensor.register_post_accumulate_grad_hook": (
        (
            "t, s = torch.ones(2, requires_grad=True), []\n"
            "k = t.register_post_accumulate_grad_hook(lambda p: s.append(p.grad.tolist()))\n"
            "(t * 3).sum().backward()\nk.remove()\n(t * 3).sum().backward()\ng, k = t.grad, 0"
        ),
        (
            "t = torch.ones(2, requires_grad=True)\n"
            "t.register_post_accumulate_grad_hook(lambda p: p.sub_(p.grad, alpha=0.1))\n"
            "(t * 3).sum().backward()\ns = t.is_leaf, t.detach()"
        ),
    ),
    "torch.constant_pad_nd": (
        "torch.constant_pad_nd(x, (1, 2))",
        "torch.constant_pad_nd(x, [0, 1, 2, 0], 3.0)",
    ),
}
