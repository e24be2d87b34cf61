"""Sparse tensors, and members that Paddle's tensors do not have."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

_PAIR = (
    "k = torch.sparse_coo_tensor([[0, 1, 2], [1, 2, 0]], [1.0, 2.0, 3.0], (3, 3))\n"
    "t = torch.ones(3, 4).to_sparse()\n"
)

CASES: dict[str, tuple[str, ...]] = {
    "torch.sparse_coo_tensor": (
        ("torch.sparse_coo_tensor([[0, 1, 2], [1, 2, 0]], [1.0, 2.0, 3.0], (3, 3)).to_dense()"),
        (
            "v = torch.sparse_coo_tensor(torch.tensor([[0, 1], [1, 0]]), x[0, :2], "
            "size=[2, 3])\nr = v.to_dense(), v.shape, v.is_sparse\nv = None"
        ),
        "torch.sparse_coo_tensor([[0, 1, 1]], [1, 2, 3], dtype=torch.float64).to_dense()",
        (
            "torch.sparse_coo_tensor((2, 3)).to_dense(), "
            "torch.sparse_coo_tensor(size=[2]).to_dense()"
        ),
        (
            "t = torch.tensor([3.0, 4.0], requires_grad=True)\n"
            "k = torch.sparse_coo_tensor([[0, 1], [1, 0]], t, (2, 2))\n"
            "torch.sparse.mm(k, torch.ones(2, 1)).sum().backward()\ng, k = t.grad, None"
        ),
        (
            "torch.sparse_coo_tensor(indices=n[None], values=y[:, 0], "
            "requires_grad=True, device='cpu').requires_grad"
        ),
    ),
    "torch.sparse_csr_tensor": (
        "torch.sparse_csr_tensor([0, 1, 2, 3], [1, 2, 0], [1.0, 2.0, 3.0]).to_dense()",
        (
            "torch.sparse_csr_tensor(torch.tensor([0, 2]), torch.tensor([1, 3]), x[0, "
            ":2], (1, 5), dtype=torch.float64).to_dense()"
        ),
    ),
    "torch.sparse.mm": (
        (
            "torch.sparse.mm(torch.sparse_coo_tensor([[0, 1, 2], [1, 2, 0]], [1.0, "
            "2.0, 3.0], (3, 3)), y)"
        ),
        (
            "v = torch.sparse_coo_tensor([[0, 1, 2], [1, 2, 0]], [1.0, 2.0, 3.0], (3, 3))\n"
            "r = torch.sparse.mm(v, v).to_dense()\nv = 0"
        ),
    ),
    "torch.sparse.addmm": (
        (
            "torch.sparse.addmm(x, torch.sparse_coo_tensor([[0, 1, 2], [1, 2, 0]], "
            "[1.0, 2.0, 3.0], (3, 3)), y)"
        ),
        (
            "torch.sparse.addmm(x, mat1=torch.sparse_coo_tensor([[0, 1, 2], [1, 2, "
            "0]], [1.0, 2.0, 3.0], (3, 3)), mat2=y, beta=0.5, alpha=2.0)"
        ),
    ),
    "torch.sparse.sum": (
        (
            "torch.sparse.sum(torch.sparse_coo_tensor([[0, 1, 2], [1, 2, 0]], [1.0, "
            "2.0, 3.0], (3, 3)))"
        ),
        (
            "torch.sparse.sum(torch.sparse_coo_tensor([[0, 1, 2], [1, 2, 0]], [1.0, "
            "2.0, 3.0], (3, 3)), 1).to_dense()"
        ),
        (
            "torch.sparse.sum(torch.sparse_coo_tensor([[0, 1, 2], [1, 2, 0]], [1.0, "
            "2.0, 3.0], (3, 3)), dim=(0, 1), dtype=torch.float64)"
        ),
    ),
    **alike(
        "torch.sparse",
        "softmax log_softmax",
        "torch.sparse.{name}(x.to_sparse(), 1).to_dense()",
        (
            "torch.sparse.{name}(torch.sparse_coo_tensor([[0, 1, 2], [1, 2, 0]], [1.0, "
            "2.0, 3.0], (3, 3)), dim=0, dtype=torch.float64).to_dense()"
        ),
    ),
    "torch.Tensor.to_sparse": (
        "x.to_sparse().to_dense()",
        "a.to_sparse(2).to_dense()",
    ),
    "torch.Tensor.to_sparse_coo": ("x.to_sparse_coo().to_dense()",),
    "torch.Tensor.to_sparse_csr": ("x.to_sparse_csr().to_dense()",),
    "torch.Tensor.to_dense": (
        "k = x.to_sparse()\nt = k.to_dense()\nk = 0",
        "x.to_dense()",
    ),
    "torch.Tensor.coalesce": ("x.to_sparse().coalesce().to_dense()",),
    **alike("torch.Tensor", "indices values is_coalesced", "x.to_sparse().coalesce().{name}()"),
    **alike(
        "torch.Tensor",
        "_indices _values _nnz",
        "x.to_sparse().coalesce().{name}()",
        (
            "k = torch.sparse_coo_tensor([[0, 1, 2], [1, 2, 0]], [1.0, 2.0, 3.0], (3, 3))\n"
            "r = k.{name}()\nk = 0"
        ),
    ),
    "torch.Tensor.crow_indices": ("x.to_sparse_csr().crow_indices()",),
    "torch.Tensor.col_indices": ("x.to_sparse_csr().col_indices()",),
    "torch.Tensor.sparse_dim": ("x.to_sparse().sparse_dim()",),
    "torch.Tensor.dense_dim": ("x.to_sparse().dense_dim()",),
    "torch.Tensor.sparse_mask": (
        (
            "k = torch.sparse_coo_tensor([[0, 1, 2], [1, 2, 0]], [1.0, 2.0, 3.0], (3, 3))\n"
            "r = y[:, :3].sparse_mask(k).to_dense()\nk = 0"
        ),
        (
            "k = torch.sparse_coo_tensor([[0, 1, 2], [1, 2, 0]], [1.0, 2.0, 3.0], (3, "
            "3)).coalesce()\nt = x[:, :3].sparse_mask(mask=k)\nr = t.values(), t.indices()\n"
            "k = t = 0"
        ),
        (
            "k = torch.sparse_coo_tensor([[0, 1, 2], [1, 2, 0]], [1.0, 2.0, 3.0], (3, "
            "3)).coalesce()\nr = torch.eye(3).to_sparse().sparse_mask(k).to_dense()\nk = 0"
        ),
    ),
    "torch.smm": ((_PAIR + "r = torch.smm(k, y).to_dense(), torch.smm(k, y)._nnz()\nk = t = 0"),),
    "torch.sspaddmm": (
        (_PAIR + "r = torch.sspaddmm(t, k, y, beta=2, alpha=0.5).to_dense()\nk = t = 0"),
    ),
    "torch.Tensor.smm": ((_PAIR + "r = k.smm(y).to_dense()\nk = t = 0"),),
    "torch.Tensor.sspaddmm": ((_PAIR + "r = t.sspaddmm(k, y).to_dense()\nk = t = 0"),),
    "torch.dsmm": (
        ("torch.dsmm(torch.sparse_coo_tensor([[0, 1, 2], [1, 2, 0]], [1.0, 2.0, 3.0], (3, 3)), y)"),
    ),
    "torch.spmm": (
        ("torch.spmm(torch.sparse_coo_tensor([[0, 1, 2], [1, 2, 0]], [1.0, 2.0, 3.0], (3, 3)), y)"),
    ),
    "torch.sparse.FloatTensor": (
        (
            "k = torch.tensor([[0, 1], [2, 0]])\n"
            "v = torch.sparse.FloatTensor(k, torch.tensor([1, 2], "
            "dtype=torch.float32), torch.Size([2, 3]))\n"
            "r = v.shape, v.dtype, v._values(), torch.sparse.FloatTensor(k, "
            "torch.tensor([1, 2], dtype=torch.float32)).shape\nv = None"
        ),
    ),
    "torch.sparse.DoubleTensor": (
        (
            "k = torch.tensor([[0, 1], [2, 0]])\n"
            "v = torch.sparse.DoubleTensor(k, torch.tensor([1, 2], "
            "dtype=torch.float64), torch.Size([2, 3]))\n"
            "r = v.shape, v.dtype, v._values(), torch.sparse.DoubleTensor(k, "
            "torch.tensor([1, 2], dtype=torch.float64)).shape\nv = None"
        ),
    ),
    "torch.sparse.IntTensor": (
        (
            "k = torch.tensor([[0, 1], [2, 0]])\n"
            "v = torch.sparse.IntTensor(k, torch.tensor([1, 2], dtype=torch.int32), "
            "torch.Size([2, 3]))\n"
            "r = v.shape, v.dtype, v._values(), torch.sparse.IntTensor(k, "
            "torch.tensor([1, 2], dtype=torch.int32)).shape\nv = None"
        ),
    ),
    "torch.sparse.LongTensor": (
        (
            "k = torch.tensor([[0, 1], [2, 0]])\n"
            "v = torch.sparse.LongTensor(k, torch.tensor([1, 2], dtype=torch.int64), "
            "torch.Size([2, 3]))\n"
            "r = v.shape, v.dtype, v._values(), torch.sparse.LongTensor(k, "
            "torch.tensor([1, 2], dtype=torch.int64)).shape\nv = None"
        ),
    ),
    "torch.sparse.ShortTensor": (
        (
            "k = torch.tensor([[0, 1], [2, 0]])\n"
            "v = torch.sparse.ShortTensor(k, torch.tensor([1, 2], dtype=torch.int16), "
            "torch.Size([2, 3]))\n"
            "r = v.shape, v.dtype, v._values(), torch.sparse.ShortTensor(k, "
            "torch.tensor([1, 2], dtype=torch.int16)).shape\nv = None"
        ),
    ),
    "torch.strided": ("_how = torch.strided\nr = torch.zeros(2, layout=_how)",),
    "torch.sparse_coo": (
        "r = x.to_sparse_coo().layout == torch.sparse_coo, x.layout == torch.sparse_coo",
    ),
    "torch.sparse_csr": (
        "r = x.to_sparse_csr().layout == torch.sparse_csr, x.layout == torch.sparse_csr",
    ),
}
