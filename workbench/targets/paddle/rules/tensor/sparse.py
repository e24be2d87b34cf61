"""Sparse tensors, and members that Paddle's tensors have not."""

from __future__ import annotations

from workbench.rules.rule import RuleSet

rules = RuleSet()

_T = "torch.Tensor."
_OPERATORS = "Paddle's sparse tensors work in functions of paddle.sparse alone, not in operators"
_DENSE = "it goes through a dense tensor"
_UNCHECKED = {"check_invariants": "Paddle checks what it is given in its own way"}
_COO = "torch.sparse_coo_tensor([[0, 1, 2], [1, 2, 0]], [1.0, 2.0, 3.0], (3, 3))"

rules.row(
    "torch.sparse_coo_tensor",
    "torch_sparse_coo({indices=None}, {values=None}, {size=None}, dtype={dtype}, "
    "device={device}, requires_grad={requires_grad})",
    signature="(indices=None, values=None, size=None, *, dtype=None, device=None, "
    "requires_grad=False, check_invariants=None, is_coalesced=None)",
    ignored={**_UNCHECKED, "is_coalesced": "Paddle sorts and adds up when it is asked to"},
    caveat=_OPERATORS,
    cases=[
        f"{_COO}.to_dense()",
        "v = torch.sparse_coo_tensor(torch.tensor([[0, 1], [1, 0]]), x[0, :2], size=[2, 3])\n"
        "r = v.to_dense(), v.shape, v.is_sparse\nv = None",
        "torch.sparse_coo_tensor([[0, 1, 1]], [1, 2, 3], dtype=torch.float64).to_dense()",
        "torch.sparse_coo_tensor((2, 3)).to_dense(), torch.sparse_coo_tensor(size=[2]).to_dense()",
        "t = torch.tensor([3.0, 4.0], requires_grad=True)\n"
        "k = torch.sparse_coo_tensor([[0, 1], [1, 0]], t, (2, 2))\n"
        "torch.sparse.mm(k, torch.ones(2, 1)).sum().backward()\ng, k = t.grad, None",
        "torch.sparse_coo_tensor(indices=n[None], values=y[:, 0], requires_grad=True, "
        "device='cpu').requires_grad",
    ],
)
rules.row(
    "torch.sparse_csr_tensor",
    "torch_sparse_csr({crow_indices}, {col_indices}, {values}, size={size}, dtype={dtype}, "
    "device={device}, requires_grad={requires_grad})",
    ignored=_UNCHECKED,
    caveat=_OPERATORS,
    cases=[
        "torch.sparse_csr_tensor([0, 1, 2, 3], [1, 2, 0], [1.0, 2.0, 3.0]).to_dense()",
        "torch.sparse_csr_tensor(torch.tensor([0, 2]), torch.tensor([1, 3]), x[0, :2], (1, 5), "
        "dtype=torch.float64).to_dense()",
    ],
)
rules.row(
    "torch.sparse.mm",
    "torch_sparse_mm({sparse}, {dense})",
    note=_DENSE,
    cases=[
        f"torch.sparse.mm({_COO}, y)",
        f"v = {_COO}\nr = torch.sparse.mm(v, v).to_dense()\nv = 0",
    ],
)
rules.row(
    "torch.sparse.addmm",
    "torch_sparse_addmm({mat}, {mat1}, {mat2}, beta={beta}, alpha={alpha})",
    signature="(mat, mat1, mat2, *, beta=1, alpha=1)",
    note=_DENSE,
    cases=[
        f"torch.sparse.addmm(x, {_COO}, y)",
        f"torch.sparse.addmm(x, mat1={_COO}, mat2=y, beta=0.5, alpha=2.0)",
    ],
)
rules.row(
    "torch.sparse.sum",
    "torch_sparse_sum({input}, dim={dim}, dtype={dtype})",
    note=_DENSE,
    cases=[
        f"torch.sparse.sum({_COO})",
        f"torch.sparse.sum({_COO}, 1).to_dense()",
        f"torch.sparse.sum({_COO}, dim=(0, 1), dtype=torch.float64)",
    ],
)
for _name, _log in (("softmax", ""), ("log_softmax", ", log=True")):
    rules.row(
        f"torch.sparse.{_name}",
        f"torch_sparse_softmax({{input}}, {{dim}}, dtype={{dtype}}{_log})",
        note=_DENSE,
        cases=[
            f"torch.sparse.{_name}(x.to_sparse(), 1).to_dense()",
            f"torch.sparse.{_name}({_COO}, dim=0, dtype=torch.float64).to_dense()",
        ],
    )

rules.row(
    _T + "to_sparse",
    "torch_to_sparse({self}, sparse_dim={sparse_dim})",
    signature="(sparse_dim=None)",
    caveat=_OPERATORS,
    cases=["x.to_sparse().to_dense()", "a.to_sparse(2).to_dense()"],
)
rules.row(
    _T + "to_sparse_coo",
    "torch_to_sparse({self})",
    caveat=_OPERATORS,
    cases=["x.to_sparse_coo().to_dense()"],
)
rules.row(
    _T + "to_sparse_csr",
    "{self}.to_sparse_csr()",
    signature="()",
    caveat=_OPERATORS,
    cases=["x.to_sparse_csr().to_dense()"],
)
rules.row(
    _T + "to_dense",
    "torch_to_dense({self})",
    signature="()",
    cases=["k = x.to_sparse()\nt = k.to_dense()\nk = 0", "x.to_dense()"],
)
rules.row(
    _T + "coalesce", "paddle.sparse.coalesce({self})", cases=["x.to_sparse().coalesce().to_dense()"]
)
for _name in ("indices", "values"):
    rules.row(_T + _name, f"{{self}}.{_name}()", cases=[f"x.to_sparse().coalesce().{_name}()"])
for _name in ("indices", "values", "nnz"):
    rules.row(
        f"{_T}_{_name}",
        f"{{self}}.{_name}()",
        cases=[f"x.to_sparse().coalesce()._{_name}()", f"k = {_COO}\nr = k._{_name}()\nk = 0"],
    )
for _name, _paddle in (("crow_indices", "crows"), ("col_indices", "cols")):
    rules.row(_T + _name, f"{{self}}.{_paddle}()", cases=[f"x.to_sparse_csr().{_name}()"])
for _name in ("is_coalesced", "sparse_dim", "dense_dim"):
    rules.row(
        _T + _name,
        f"{{self}}.{_name}()",
        cases=[f"x.to_sparse().{_name}()"]
        if _name != "is_coalesced"
        else ["x.to_sparse().coalesce().is_coalesced()"],
    )
rules.refuse(
    _T + "ccol_indices",
    _T + "row_indices",
    _T + "to_sparse_csc",
    _T + "to_sparse_bsr",
    _T + "to_sparse_bsc",
    reason="Paddle's sparse tensors are COO and CSR alone",
    instead="to_sparse_coo(), to_sparse_csr()",
)
rules.refuse(
    _T + "sparse_resize_",
    _T + "sparse_resize_and_clear_",
    _T + "resize_as_sparse_",
    "torch.resize_as_sparse_",
    reason="Paddle cannot give a sparse tensor another size in place",
    instead="torch.sparse_coo_tensor(x.indices(), x.values(), size)",
)
rules.row(
    _T + "sparse_mask",
    "torch_sparse_mask({self}, {mask})",
    cases=[
        f"k = {_COO}\nr = y[:, :3].sparse_mask(k).to_dense()\nk = 0",
        f"k = {_COO}.coalesce()\nt = x[:, :3].sparse_mask(mask=k)\nr = t.values(), t.indices()\n"
        "k = t = 0",
        f"k = {_COO}.coalesce()\nr = torch.eye(3).to_sparse().sparse_mask(k).to_dense()\nk = 0",
    ],
)
_PLACES = "values at one place are added up, and those of 0 are kept where torch has a value"
_PAIR = f"k = {_COO}\nt = torch.ones(3, 4).to_sparse()\n"
for _owner, _first in (("torch.", "input"), (_T, "self")):
    rules.row(
        f"{_owner}smm",
        f"torch_sparse_smm({{{_first}}}, {{mat2}})",
        signature="(input, mat2)" if _owner == "torch." else "(mat2)",
        note=_PLACES,
        cases=[f"{_PAIR}r = torch.smm(k, y).to_dense(), torch.smm(k, y)._nnz()\nk = t = 0"]
        if _owner == "torch."
        else [f"{_PAIR}r = k.smm(y).to_dense()\nk = t = 0"],
    )
    rules.row(
        f"{_owner}sspaddmm",
        f"torch_sparse_sspaddmm({{{_first}}}, {{mat1}}, {{mat2}}, {{beta=1}}, {{alpha=1}})",
        signature="(input, mat1, mat2, *, beta=1, alpha=1)"
        if _owner == "torch."
        else "(mat1, mat2, *, beta=1, alpha=1)",
        note=_PLACES,
        cases=[f"{_PAIR}r = torch.sspaddmm(t, k, y, beta=2, alpha=0.5).to_dense()\nk = t = 0"]
        if _owner == "torch."
        else [f"{_PAIR}r = t.sspaddmm(k, y).to_dense()\nk = t = 0"],
    )
for _name in ("dsmm", "spmm"):
    rules.row(
        f"torch.{_name}",
        "torch_sparse_mm({input}, {mat2})",
        signature="(input, mat2)",
        note=_DENSE,
        cases=[f"torch.{_name}({_COO}, y)"],
    )
for _name, _dtype in (
    ("Float", "float32"),
    ("Double", "float64"),
    ("Int", "int32"),
    ("Long", "int64"),
    ("Short", "int16"),
):
    _values = f"torch.tensor([1, 2], dtype=torch.{_dtype})"
    rules.row(
        f"torch.sparse.{_name}Tensor",
        f"torch_sparse_coo({{indices}}, {{values}}, {{size}}, dtype='{_dtype}')",
        signature="(indices, values, size=None)",
        caveat=_OPERATORS,
        cases=[
            "k = torch.tensor([[0, 1], [2, 0]])\n"
            f"v = torch.sparse.{_name}Tensor(k, {_values}, torch.Size([2, 3]))\n"
            f"r = v.shape, v.dtype, v._values(), torch.sparse.{_name}Tensor(k, {_values}).shape\n"
            "v = None",
        ],
    )
rules.refuse(
    _T + "grad_dtype",
    _T + "hash_tensor",
    _T + "map2_",
    _T + "module_load",
    _T + "reinforce",
    _T + "slice_inverse",
    _T + "to_padded_tensor",
    _T + "volatile",
    "torch.hash_tensor",
    "torch.slice_inverse",
    "torch.lobpcg",
    "torch.segment_reduce",
    reason="Paddle's tensors have nothing like it",
)
rules.refuse(
    _T + "ipu",
    _T + "mtia",
    _T + "xpu",
    reason="Paddle names this device in another way, or does not know it",
    instead="x.to(device)",
)
rules.refuse(
    _T + "chalf", reason="Paddle has no complex numbers of half precision", instead="x.cfloat()"
)
rules.refuse(
    _T + "resize",
    _T + "resize_as",
    _T + "index",
    reason="torch itself gives it up",
    instead="reshape, indexing",
)
rules.refuse(
    "torch.jagged",
    reason="Paddle has no object for it",
    instead="leave a layout argument out",
)
rules.row(
    "torch.strided",
    '"torch.strided"',
    caveat="Paddle has no layout of dense tensors; a word stands in its place, and changes nothing",
    cases=["_how = torch.strided\nr = torch.zeros(2, layout=_how)"],
)
for _name in ("sparse_coo", "sparse_csr"):
    rules.row(
        f"torch.{_name}",
        f'"torch.{_name}"',
        note="the name of a layout, for comparisons",
        cases=[f"r = x.to_{_name}().layout == torch.{_name}, x.layout == torch.{_name}"],
    )
