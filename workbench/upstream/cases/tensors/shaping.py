"""Shapes and views."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    "torch.Tensor.view": (
        ("k = {'size': (2, -1)}\nt = x.view(**k)\nf = x.view\nf(-1), f((4, 3)), f(torch.int32)"),
        "x.view(2, 6)",
        "x.view(-1)",
        "x[0, 0].view(1)",
        "x[0, 0].view((1,))",
        "k = [1, 1]\nt = torch.tensor(2.0)\nr = t.view(*k), t.view(k), t.view(torch.int32)",
        "x.view((4, 3))",
        "x.view(x.size(0), -1)",
        "x.view(*x.shape, 1)",
        "x.view([2, -1])",
        "x.view(torch.int32)",
        "x.view(size=(12,))",
        "k = (6, 2)\nx.view(k)",
        "t = x.view(-1)\nt[0] = 5.0",
        "t = w.view(torch.int32)",
    ),
    "torch.Tensor.reshape": (
        "k = {'shape': (4, -1)}\nx.reshape(**k)",
        "f = torch.Tensor.reshape\nf(x, 2, 6), f(x, (6, 2))",
        "x.reshape(2, 6)",
        "x.reshape((-1,))",
        "x.reshape(shape=(4, 3))",
        "x.t().reshape(-1)",
        "x.reshape(*a.shape[1:])",
        "torch.zeros(0, 3).reshape(3, 0)",
    ),
    "torch.reshape": (
        "torch.reshape(x, (2, -1))",
        "torch.reshape(x, [12])",
        "torch.reshape(input=x, shape=(-1,))",
    ),
    "torch.Tensor.view_as": ("x.view_as(torch.zeros(4, 3))",),
    "torch.Tensor.reshape_as": ("x.reshape_as(torch.zeros(4, 3))",),
    "torch.Tensor.permute": (
        "a.permute(2, 0, 1)",
        "a.permute((0, -1, 1))",
        "a.permute(dims=[1, 0, 2])",
        "k = [2, 1, 0]\na.permute(k)",
        "a.permute(*[0, 2, 1])",
        (
            "k = {'dims': (2, 0, 1)}\nt = a.permute(**k)\nf = torch.Tensor.permute\n"
            "r = f(a, 2, 0, 1), f(a, (2, 0, 1))"
        ),
    ),
    "torch.Tensor.expand": (
        "x[:1].expand(5, 4)",
        "x[:, :1].expand(-1, 6)",
        "x.expand(2, 3, 4)",
        "x.expand((2, -1, -1))",
        "x.expand(size=(2, 3, 4))",
        "x[:1].expand(*x.shape)",
        "x.expand(2, 3, 4, implicit=False), x[:1].expand((3, 4), implicit=True)",
        (
            "k = {'size': (2, 3, 4)}\nt = a.expand(**k)\nf = torch.Tensor.expand\n"
            "r = f(a, 2, 3, 4), f(a, (2, 3, 4))"
        ),
    ),
    "torch.Tensor.repeat": (
        "x.repeat(2, 1)",
        "x.repeat(2, 1, 1)",
        "x.repeat((1, 2))",
        "n.repeat(3)",
        "n.repeat(2, 1)",
        (
            "k = {'repeats': (2, 3, 4)}\nt = a.repeat(**k)\nf = torch.Tensor.repeat\n"
            "r = f(a, 2, 3, 4), f(a, (2, 3, 4))"
        ),
    ),
    "torch.permute": (
        "torch.permute(a, (2, 0, 1))",
        "torch.permute(a, dims=(0, -1, 1))",
    ),
    "torch.Tensor.expand_as": ("x[:1].expand_as(x)",),
    "torch.broadcast_to": ("torch.broadcast_to(x, (2, 3, 4))",),
    "torch.Tensor.broadcast_to": ("x[:1].broadcast_to((3, 4))",),
    "torch.Tensor.tile": (
        "x.tile(2)",
        "x.tile(dims=(1, 2))",
        "x.tile((2, 1))",
        "x.tile(2, 1, 2)",
        "k = (2, 3)\nx.tile(*k), x.tile(*[k])",
    ),
    "torch.tile": (
        "torch.tile(x, (2, 1))",
        "torch.tile(x, (2,))",
    ),
    "torch.squeeze": (
        "torch.squeeze(a[:1], ())",
        "torch.squeeze(a[:1])",
        "torch.squeeze(a[:, :1], 1)",
    ),
    "torch.Tensor.squeeze": (
        "k = ()\na[:1].squeeze(k)",
        "x[:1].squeeze(0)",
        "x.squeeze(0)",
        "a[:1, :, :1].squeeze((0, 2))",
        "x[:1].squeeze(dim=-2)",
        "x[:1].squeeze()",
    ),
    "torch.Tensor.squeeze_": (
        "t = a[:1].clone()\nt.squeeze_(dim=())",
        "t = x[:1].clone()\nt.squeeze_((0, 1))",
        "t = x[:1].clone()\nt.squeeze_(0)",
    ),
    "torch.unsqueeze": ("torch.unsqueeze(x, 0)",),
    "torch.Tensor.unsqueeze": (
        "x.unsqueeze(-1)",
        "x.unsqueeze(dim=1)",
    ),
    "torch.Tensor.unsqueeze_": ("t = x.clone()\nt.unsqueeze_(0)",),
    "torch.flatten": (
        "torch.flatten(img, 1)",
        "img.flatten(end_dim=1), torch.flatten(img, end_dim=-2)",
    ),
    "torch.Tensor.flatten": (
        "x.flatten()",
        "img.flatten(2)",
        "img.flatten(1, 2)",
        "img.flatten(start_dim=1, end_dim=-2)",
        "torch.zeros(()).flatten()",
        "img.flatten(end_dim=1), torch.flatten(img, end_dim=-2)",
    ),
    "torch.ravel": ("torch.ravel(x)",),
    "torch.Tensor.ravel": ("x.t().ravel()",),
    "torch.unflatten": ("torch.unflatten(x, 1, (2, 2))",),
    "torch.Tensor.unflatten": ("x.unflatten(-1, (2, -1))",),
    "torch.roll": (
        "torch.roll(x, 1)",
        "torch.roll(x, (1, -1), (0, 1))",
        "torch.roll(i.to(torch.int8), 1)",
    ),
    "torch.Tensor.roll": (
        "x.roll(2, dims=0)",
        "x.roll(shifts=1, dims=-1)",
        "i.to(torch.int16).roll(1)",
    ),
    "torch.rot90": (
        "torch.rot90(x)",
        "torch.rot90(x, 2, [0, 1])",
        "torch.rot90(i.to(torch.int8))",
    ),
    "torch.Tensor.rot90": (
        "a.rot90(dims=(1, 2))",
        "a.rot90(-1, (1, 2))",
        "i.to(torch.int16).rot90()",
    ),
    **alike(
        "torch",
        "atleast_1d atleast_2d atleast_3d",
        "torch.{name}(n)",
        "torch.{name}(n, x)",
        "torch.{name}()",
        "f = torch.{name}\nr = f(n), f(*[n, x])",
        "torch.{name}(torch.tensor(1.0))",
    ),
    "torch.diagonal": ("torch.diagonal(x)",),
    "torch.Tensor.diagonal": (
        "a.diagonal(1, 1, 2)",
        "a.diagonal(dim1=-2, dim2=-1)",
    ),
    "torch.Tensor.unfold": (
        "x.unfold(1, 2, 1)",
        "w.unfold(1, 3, 1).sum().backward()\ng = w.grad",
        "a.unfold(-1, 2, 2)",
    ),
    "torch.as_strided": (
        "torch.as_strided(x, (2, 2), (4, 1))",
        "torch.as_strided(w, (2, 2), (3, 3), 1).pow(2).sum().backward()\ng = w.grad",
    ),
    "torch.Tensor.as_strided": (
        "x.as_strided((2,), (5,), 1)",
        "x[1:].as_strided((2, 3), (3, 1))",
        (
            "t = w.detach()[..., ::2].requires_grad_()\n"
            "t.as_strided((4,), (1,), 3).pow(2).sum().backward()\ng = t.grad"
        ),
    ),
    "torch.narrow": (
        "torch.narrow(x, 0, 1, 2)",
        "torch.narrow(x, dim=1, start=0, length=2), torch.narrow(x, 0, start=1, length=2)",
        "x.narrow(dim=1, start=0, length=2), x.narrow(1, length=2, start=0)",
    ),
    "torch.Tensor.narrow": (
        "x.narrow(-1, 1, 2)",
        "x.narrow(1, torch.tensor(1), 2)",
    ),
    "torch.narrow_copy": ("torch.narrow_copy(x, 0, 1, 2)",),
    "torch.Tensor.narrow_copy": ("x.narrow_copy(0, 1, 2)",),
    "torch.select": ("torch.select(x, 0, 1)",),
    "torch.Tensor.select": (
        "a.select(-1, 2)",
        "x.select(1, -1)",
    ),
    "torch.broadcast_tensors": (
        "torch.broadcast_tensors()",
        "f = torch.broadcast_tensors\nr = f(x, x[:1])",
        "torch.broadcast_tensors(x, x[:1])",
        "torch.broadcast_tensors(x, w[:1])[1].sum().backward()\ng = w.grad",
        "torch.broadcast_tensors(x[:, :1], n[:, None].float(), x)",
    ),
    "torch.broadcast_shapes": (
        "torch.broadcast_shapes()",
        "f = torch.broadcast_shapes\nr = f((2, 1), (3,))",
        "torch.broadcast_shapes((2, 1), (3,))",
        "torch.broadcast_shapes((5, 1), 5)",
    ),
    "torch.einsum": (
        "torch.einsum('ij,kj->ik', x, y)",
        "torch.einsum('bij,bkj->bik', a, a)",
        "torch.einsum('ij->j', x)",
        "k, f = ('ij,kj->ik', x, y), torch.einsum\ntorch.einsum(*k), f('ij->ji', x)",
        "torch.einsum('ii', sq)",
        "torch.einsum('...ij,...jk->...ik', a, a.mT)",
        "torch.einsum('ij,kj->ik', [x, y])",
        "torch.einsum('ij, kj', x, y)",
        "torch.einsum(x, [0, 1], y, [2, 1], [0, 2])",
        "torch.einsum(a, [..., 0, 1], a, [..., 2, 1], [..., 0, 2])",
        "torch.einsum(x, [2, 1])",
        "torch.einsum('ij,kj->ik', i, i), torch.einsum('ij->ji', m)",
        "torch.einsum('bij,bIj->biI', a, a), torch.einsum('bi,bI', sq, sq)",
        "torch.einsum('iI->Ii', x), torch.einsum('Ba', x)",
        "k = [sq, sq]\ntorch.einsum('ij,Ij->iI', *k)",
        ("k = torch.arange(3)\ntorch.einsum('i,j->ij', k, x[0]), torch.einsum('i,j', x[0], k)"),
        "torch.einsum('ij,ij->ij', m, x), torch.einsum('i,j->ij', x[0], x[1].double())",
        "torch.einsum('ij->i', i.int()), torch.einsum('ij,k->k', i.int(), i[0].int())",
        (
            "torch.einsum('ij,ij->', i.int(), i.int()), torch.einsum('...i', i.int()), "
            "torch.einsum('ij->', m)"
        ),
    ),
}
