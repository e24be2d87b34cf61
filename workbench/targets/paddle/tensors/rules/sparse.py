"""Sparse tensors, and members that Paddle's tensors do not have."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.rules.rule import RuleSet
from workbench.source.inference.evidence.tensor_states import SPARSE
from workbench.source.types.lattice import Tensor

rules = RuleSet()

_T = "torch.Tensor."
_OPERATORS = (
    "only functions of paddle.sparse accept Paddle's sparse tensors: operators such as + do not"
)
_DENSE = "the sparse tensor is converted to a dense one first"
_ADDED = "values with the same index are added when the tensor is made"
_GRADIENTS = (
    "Paddle's gradient of an embedding is dense, also with `sparse=True`: `is_sparse` is False, and"
    " `indices` and `values` raise an error without `coalesce`"
)
_ROWS = (
    "Paddle's gradient of an embedding is dense: a row that was read and has a gradient of zero is"
    " not among the indices"
)
_UNCHECKED = {"check_invariants": "Paddle has its own checks"}

rules.row(
    "torch.sparse_coo_tensor",
    "torch_sparse_coo({indices=None}, {values=None}, {size=None}, dtype={dtype}, "
    "device={device}, requires_grad={requires_grad})",
    ignored={**_UNCHECKED, "is_coalesced": "Paddle coalesces only when coalesce() is called"},
    caveat=f"{_OPERATORS}; {_ADDED}",
)
rules.row(
    "torch.sparse_csr_tensor",
    "torch_sparse_csr({crow_indices}, {col_indices}, {values}, size={size}, dtype={dtype}, "
    "device={device}, requires_grad={requires_grad})",
    ignored=_UNCHECKED,
    caveat=_OPERATORS,
)
rules.row("torch.sparse.mm", "torch_sparse_mm({sparse}, {dense})", note=_DENSE)
rules.row(
    "torch.sparse.addmm",
    "torch_sparse_addmm({mat}, {mat1}, {mat2}, beta={beta}, alpha={alpha})",
    note=_DENSE,
)
rules.row("torch.sparse.sum", "torch_sparse_sum({input}, dim={dim}, dtype={dtype})", note=_DENSE)
for _name, _log in (("softmax", ""), ("log_softmax", ", log=True")):
    rules.row(
        f"torch.sparse.{_name}",
        f"torch_sparse_softmax({{input}}, {{dim}}, dtype={{dtype}}{_log})",
        note=_DENSE,
    )

rules.row(_T + "to_sparse", "torch_to_sparse({self}, sparse_dim={sparse_dim})", caveat=_OPERATORS)
rules.row(_T + "to_sparse_coo", "torch_to_sparse({self})", caveat=_OPERATORS)
rules.row(_T + "to_sparse_csr", "{self}.to_sparse_csr()", caveat=_OPERATORS)
rules.row(_T + "to_dense", "torch_to_dense({self})")


def caveat_of_gradients(match: Match) -> str | None:
    """Return a caveat if the tensor may be the gradient of an embedding with `sparse=True`."""
    value, traits = match.use.receiver_value, match.program.traits
    if isinstance(value, Tensor) and SPARSE in value.states:
        return None
    return _GRADIENTS if "sparse" in traits.keywords and "grad" in traits.read else None


def _part(name: str, text: str) -> None:
    @rules.rule(_T + name)
    def part(match: Match) -> Outcome:
        return Rewrite(text, caveat=caveat_of_gradients(match))


@rules.rule(_T + "coalesce")
def coalesce(match: Match) -> Outcome:
    """Write the sum of equal indices, or the rows of an embedding's gradient."""
    if caveat_of_gradients(match) is None:
        return Rewrite("paddle.sparse.coalesce({self})")
    return Rewrite("torch_coalesced({self})", caveat=_ROWS)


for _name in ("indices", "values", "_indices", "_values", "_nnz"):
    _part(_name, f"{{self}}.{_name.lstrip('_')}()")
for _name, _paddle in (("crow_indices", "crows"), ("col_indices", "cols")):
    rules.row(_T + _name, f"{{self}}.{_paddle}()")
rules.row(_T + "is_coalesced", "{self}.is_coalesced()", caveat=f"it may be True, since {_ADDED}")
for _name in ("sparse_dim", "dense_dim"):
    rules.row(_T + _name, f"{{self}}.{_name}()")
rules.refuse(
    _T + "ccol_indices",
    _T + "row_indices",
    _T + "to_sparse_csc",
    _T + "to_sparse_bsr",
    _T + "to_sparse_bsc",
    reason="Paddle has only COO and CSR sparse tensors",
    instead="to_sparse_coo(), to_sparse_csr()",
)
rules.refuse(
    _T + "sparse_resize_",
    _T + "sparse_resize_and_clear_",
    _T + "resize_as_sparse_",
    "torch.resize_as_sparse_",
    reason="Paddle cannot resize a sparse tensor in place",
    instead="torch.sparse_coo_tensor(x.indices(), x.values(), size)",
)
rules.row(_T + "sparse_mask", "torch_sparse_mask({self}, {mask})")
_PLACES = "values with the same index are added, and a sum of 0 is kept if torch keeps it"
for _owner, _first in (("torch.", "input"), (_T, "self")):
    rules.row(f"{_owner}smm", f"torch_sparse_smm({{{_first}}}, {{mat2}})", note=_PLACES)
    rules.row(
        f"{_owner}sspaddmm",
        f"torch_sparse_sspaddmm({{{_first}}}, {{mat1}}, {{mat2}}, {{beta=1}}, {{alpha=1}})",
        note=_PLACES,
    )
for _name in ("dsmm", "spmm"):
    rules.row(f"torch.{_name}", "torch_sparse_mm({input}, {mat2})", note=_DENSE)
for _name, _dtype in (
    ("Float", "float32"),
    ("Double", "float64"),
    ("Int", "int32"),
    ("Long", "int64"),
    ("Short", "int16"),
):
    rules.row(
        f"torch.sparse.{_name}Tensor",
        f"torch_sparse_coo({{indices}}, {{values}}, {{size}}, dtype='{_dtype}')",
        caveat=_OPERATORS,
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
    reason="Paddle has no counterpart",
)
rules.refuse(
    _T + "ipu",
    _T + "mtia",
    _T + "xpu",
    reason="Paddle has another name for this device, or does not support it",
    instead="x.to(device)",
)
rules.refuse(
    _T + "chalf", reason="Paddle has no half-precision complex dtype", instead="x.cfloat()"
)
rules.refuse(
    _T + "resize",
    _T + "resize_as",
    _T + "index",
    reason="it is deprecated in torch",
    instead="reshape, indexing",
)
rules.refuse(
    "torch.jagged",
    reason="Paddle has no counterpart",
    instead="remove the layout argument",
)
rules.row(
    "torch.strided",
    '"torch.strided"',
    caveat="Paddle has no layout of dense tensors; it is a string, which has no effect",
)
for _name in ("sparse_coo", "sparse_csr"):
    rules.row(f"torch.{_name}", f'"torch.{_name}"', note="it is a string, for comparisons")
