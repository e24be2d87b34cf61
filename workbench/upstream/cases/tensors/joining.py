"""Joining and splitting tensors, and selecting from several."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    **alike(
        "torch",
        "cat concat concatenate",
        "torch.{name}([x, y])",
        "torch.{name}((x, y), dim=-1)",
        "import json\nk = json.loads('[]')\nk += [x, d]\ntorch.{name}(k)",
        ("import json\nk = json.loads('[]')\nk += [torch.zeros(0), x[0]]\ntorch.{name}(k, dim=0)"),
        "torch.{name}(tensors=[x, y], dim=1)",
        "t = torch.zeros(6, 4)\ntorch.{name}([x, y], out=t)",
        "torch.{name}([x for _ in range(2)], 1)",
        "t = torch.tensor([])\nfor k in x:\n    t = torch.{name}([t, k[None]])",
        "t = torch.empty(0)\nfor _ in range(2):\n    t = torch.{name}((t, x), dim=1)",
        "def f(p, q):\n    return torch.{name}((-p, q), dim=-1)\nf(x, y)",
        "k = []\nfor t in x.float():\n    k.append(t * 2)\ntorch.{name}(k)",
        "t = x.float()\ntorch.{name}([t, t.long()]), torch.{name}([t > 0, t])",
        (
            "k = torch.ones(3, 2, dtype=torch.long)\ndef f(mask):\n"
            "    return torch.{name}([mask, k], 1)\nf(x), f(i)"
        ),
        "_f = torch.{name}\nr = _f([x, y]), _f([x, y], dim=1)",
    ),
    "torch.stack": (
        "torch.stack([x, y], 1)",
        "torch.stack((x, y))",
        "torch.stack([x, y], dim=-1)",
        "torch.stack(list(a))",
        "t = x.double()\ntorch.stack([t, x.float()], dim=1)",
        "k = {'tensors': [i, x], 'dim': 1}\ntorch.stack(**k)",
    ),
    **alike(
        "torch",
        "hstack vstack dstack column_stack",
        "torch.{name}([x, y])",
        "torch.{name}((n, n))",
        "t = torch.zeros(0)\nr = torch.{name}((n, n), out=t)",
        "t = x.long()\ntorch.{name}([t, x.float()])",
        "k = {'tensors': (i, x)}\ntorch.{name}(**k)",
    ),
    "torch.row_stack": (
        "torch.row_stack([x, y])",
        "t = torch.zeros(6, 4)\ntorch.row_stack([x, y], out=t)",
    ),
    "torch.block_diag": (
        "torch.block_diag()",
        "torch.block_diag(x, y)",
        "torch.block_diag(x, sq, x)",
        "f = torch.block_diag\nr = f(x, n[None]), f(*[x, y])",
        "t = x.double()\ntorch.block_diag(t, x.float())",
    ),
    "torch.split": (
        "torch.split(a, 1)",
        "torch.split(x, [1, 2])",
        "torch.split(x, 3, dim=1)",
        "q, k = torch.split(x, 2, dim=-1)",
        "torch.split(x, split_size_or_sections=2, dim=0)",
    ),
    "torch.Tensor.split": (
        "x.split(2)",
        "x.split([1, 3], dim=1)",
        "p, q = x.split(2, dim=-1)",
        "a.split(split_size=1, dim=1)",
        ("k = (2, 1)\nx.split(*k), x.split(*[[1, 2]]), x.split(**{'split_size': 3, 'dim': -1})"),
        "f = torch.Tensor.split\nf(x, 2), f(x, [1, 3], dim=1)",
    ),
    "torch.split_with_sizes": ("torch.split_with_sizes(x, [1, 2])",),
    "torch.Tensor.split_with_sizes": ("x.split_with_sizes([1, 3], dim=1)",),
    **alike("torch", "unsafe_split chunk unsafe_chunk", "torch.{name}(x, 2)"),
    "torch.Tensor.unsafe_split": ("x.unsafe_split(2, dim=1)",),
    "torch.unsafe_split_with_sizes": ("torch.unsafe_split_with_sizes(x, [1, 2])",),
    "torch.Tensor.unsafe_split_with_sizes": ("x.unsafe_split_with_sizes([1, 2])",),
    **alike(
        "torch.Tensor",
        "chunk unsafe_chunk",
        "x.{name}(2, dim=-1)",
        "q, k = x.{name}(chunks=2, dim=1)",
        "a.{name}(4, 2)",
        "x.{name}(5)",
        "torch.zeros(0, 3).{name}(2)",
    ),
    "torch.tensor_split": (
        "torch.tensor_split(x, 2)",
        "torch.tensor_split(x, 3, 1)",
        "torch.tensor_split(x, torch.tensor([1, 2]), dim=1)",
        "k = (x, 2)\ntorch.tensor_split(*k, dim=1), x.tensor_split(*k[1:], dim=1)",
    ),
    "torch.Tensor.tensor_split": (
        "x.tensor_split((1, 3), dim=1)",
        "k = 2\nx.tensor_split(k), x.tensor_split(sections=2, dim=1)",
        "k = (x, 2)\ntorch.tensor_split(*k, dim=1), x.tensor_split(*k[1:], dim=1)",
    ),
    **alike(
        "torch",
        "hsplit vsplit dsplit",
        "torch.{name}(a, [1, 2])",
        "torch.{name}(input=a, indices=(1, 2))",
    ),
    **alike(
        "torch.Tensor",
        "hsplit vsplit dsplit",
        "a.{name}(1)",
        "a.{name}(sections=1)",
        "k, l = [1], [[1, 2]]\na.{name}(*k), a.{name}(*l)",
    ),
    "torch.unbind": ("torch.unbind(x)",),
    "torch.Tensor.unbind": (
        "p, q, r = x.unbind(0)",
        "a.unbind(dim=-1)",
        "k = [t * 2 for t in x.unbind()]\nr = isinstance(x.unbind(), tuple)",
    ),
    "torch.combinations": (
        "torch.combinations(n)",
        "torch.combinations(n, r=3)",
        "torch.combinations(n, with_replacement=True)",
        "torch.combinations(n > 0), torch.combinations(m[0], with_replacement=True)",
        "torch.combinations(n.to(torch.int8))",
    ),
    "torch.cartesian_prod": (
        "torch.cartesian_prod(n, n)",
        "k, f = [n, n], torch.cartesian_prod\ntorch.cartesian_prod(*k), f(n, n)",
        "torch.cartesian_prod(n, torch.tensor([7, 8])), torch.cartesian_prod(n)",
        "r = torch.cartesian_prod(w[0], x[1])\nr.sum().backward()\ng = w.grad",
    ),
    "torch.meshgrid": (
        "torch.meshgrid(n, torch.arange(2), indexing='ij')",
        "u, v = torch.meshgrid([n, n], indexing='ij')",
        "torch.meshgrid(n, torch.arange(2), indexing='xy')",
        "torch.meshgrid(n, n)",
        "f = torch.meshgrid\nr = f(n, n, indexing='xy'), f(*[n, n])",
        "r, s = torch.meshgrid(w[0], x[1], indexing='ij')\nr.sum().backward()\ng = w.grad",
    ),
}
