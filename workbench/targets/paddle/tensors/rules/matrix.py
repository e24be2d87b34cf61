"""Products and decompositions of matrices directly in `torch`, and related functions."""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.rules.difference import unless
from workbench.rules.family import Family, Simpler, subject, warns_of_dtype
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.rules.same import changes_later
from workbench.source.traits.sharing import holder_named
from workbench.source.types import dtypes
from workbench.source.types.lattice import Tensor
from workbench.source.types.views import owner_of
from workbench.targets.paddle.linalg.rules.linalg import EXPONENTIAL, REPEATED
from workbench.words import words

rules = Family()


def _sums_keep_dtype(match: Match) -> bool:
    """Return whether the tensor is known to have a dtype that its sums keep."""
    value = subject(match)
    dtype = value.dtype if isinstance(value, Tensor) else None
    return dtype == "int64" or dtypes.kind(dtype) in {2, 3}


def _needs_matmul(match: Match) -> bool:
    """Return whether the tensor is known to hold integers or complex numbers."""
    value = subject(match)
    return isinstance(value, Tensor) and dtypes.kind(value.dtype) in {1, 3}


def _lacks_kernels(match: Match) -> bool:
    """Return whether Paddle lacks kernels for the dtype on a CPU."""
    tensor = subject(match)
    return isinstance(tensor, Tensor) and tensor.dtype in {"bool", "uint8", "int8", "int16"}


def _is_short(match: Match) -> bool:
    """Return whether the tensor has a dtype without matrix products on a CPU."""
    value = subject(match)
    return isinstance(value, Tensor) and value.dtype in {"uint8", "int8", "int16"}


rules.both(
    "matmul",
    "paddle.matmul({input}, {other})",
    simpler=Simpler("torch_matmul({input}, {other})", _is_short),
)
rules.both(
    "mm", "paddle.mm({input}, {mat2})", simpler=Simpler("torch_matmul({input}, {mat2})", _is_short)
)
rules.both(
    "bmm",
    "paddle.bmm({input}, {mat2})",
    simpler=Simpler("torch_matmul({input}, {mat2})", _needs_matmul),
)
rules.both(
    "mv",
    "paddle.matmul({input}, {vec})",
    simpler=Simpler("torch_matmul({input}, {vec})", _is_short),
)
rules.both(
    "dot",
    "paddle.dot({input}, {tensor})",
    simpler=Simpler("torch_matmul({input}, {tensor})", _is_short),
)
rules.both("vdot", "torch_vdot({input}, {other})")
rules.both(
    "inner",
    "paddle.inner({input}, {other})",
    simpler=Simpler("torch_with_kernels(paddle.inner, {input}, {other})", _is_short),
)
for _name in ("outer", "ger"):
    rules.both(_name, "torch_outer({input}, {vec2})")
_SUMS = (
    ("addmm", "mat1", "mat2"),
    ("baddbmm", "batch1", "batch2"),
    ("addmv", "mat", "vec"),
    ("addr", "vec1", "vec2"),
    ("addbmm", "batch1", "batch2"),
)
for _name, _one, _two in _SUMS:
    rules.both(_name, f"torch_{_name}({{input}}, {{{_one}}}, {{{_two}}}, {{beta=1}}, {{alpha=1}})")
    rules.legacy(_name, f"(beta, input, alpha, {_one}, {_two})", f"(beta, input, {_one}, {_two})")
rules.both("cross", "torch_cross({input}, {other}, dim={dim})")
rules.row("torch.chain_matmul", "torch_multi_dot({matrices})")
rules.as_values({"torch.chain_matmul": "(lambda *matrices: torch_multi_dot(matrices))"})
rules.both("matrix_power", "torch_matrix_power({input}, {n})", simpler=REPEATED)
rules.both("matrix_exp", "torch_matrix_exp({input})")
_OF_HALVES = warns_of_dtype("bfloat16", EXPONENTIAL)
rules.rules = [
    replace(rule, warns=_OF_HALVES) if rule.name.endswith("matrix_exp") else rule
    for rule in rules.rules
]
rules.both("det", "paddle.linalg.det({input})")
rules.both("logdet", "torch_logdet({input})")
rules.both("slogdet", "torch_slogdet({input})")
rules.both("inverse", "torch_inverse({input})")
rules.both("pinverse", "torch_pinv({input}, {rcond=1e-15})")
rules.both("cholesky", "torch_cholesky({input}, {upper=False})")
rules.both("cholesky_solve", "torch_cholesky_solve({input}, {input2}, {upper=False})")
rules.both("cholesky_inverse", "torch_cholesky_inverse({input}, {upper=False})")
rules.both("qr", "torch_qr({input}, some={some})")
rules.both(
    "svd",
    "torch_svd({input}, some={some}, compute_uv={compute_uv})",
    caveat="each pair of singular vectors may have the opposite sign",
)
rules.both(
    "trace",
    "torch_sum(paddle.diagonal({input}))",
    simpler=Simpler("paddle.trace({input})", _sums_keep_dtype),
)
rules.both(
    "diag",
    "paddle.diag({input}, {diagonal})",
    "paddle.diag({input}, offset={diagonal})",
    simpler=Simpler("torch_widely(paddle.diag, {input}, {diagonal=0})", _lacks_kernels),
)
rules.both(
    "diagflat",
    "paddle.diagflat({input}, {offset})",
    simpler=Simpler("torch_widely(paddle.diagflat, {input}, {offset=0})", _lacks_kernels),
)
rules.both("diag_embed", "torch_diag_embed({input}, offset={offset}, dim1={dim1}, dim2={dim2})")
rules.both("kron", "torch_kron({input}, {other})")
rules.row("torch.tensordot", "torch_tensordot({a}, {b}, dims={dims})")
rules.row(
    "torch.cdist",
    "paddle.cdist({x1}, {x2}, {p=2.0})",
    ignored={"compute_mode": "it affects only rounding"},
)
rules.both("dist", "torch_dist({input}, {other}, p={p})")
rules.both(
    "cov", "torch_cov({input}, correction={correction}, fweights={fweights}, aweights={aweights})"
)
rules.both("corrcoef", "paddle.linalg.corrcoef(torch_inexact({input}))")
rules.both("diff", "torch_diff({input}, {n=1}, {dim=-1}, {prepend=None}, {append=None})")
for _name in ("trapezoid", "trapz"):
    rules.row(f"torch.{_name}", "torch_trapezoid({y}, x={x}, dx={dx}, dim={dim})")
rules.row(
    "torch.cumulative_trapezoid", "torch_cumulative_trapezoid({y}, x={x}, dx={dx}, dim={dim})"
)
rules.both(
    "renorm",
    "torch_renorm({input}, {p}, {dim}, {maxnorm})",
    inplace="torch_inplace(torch_renorm, {input}, {p}, {dim}, {maxnorm})",
)
rules.row("torch.vander", "torch_vander({x}, {N=None}, {increasing=False})")
rules.row(
    "torch.gradient",
    "torch_gradient({input}, spacing={spacing}, dim={dim}, edge_order={edge_order})",
)
rules.row("torch.complex", "paddle.complex({real}, {imag})")
rules.row("torch.polar", "paddle.polar({abs}, {angle})")
rules.row("torch.view_as_complex", "paddle.as_complex({input})")
_MOVED = unless("if its last dimension is moved, a gradient of it raises an error in {target}")
_MOVING = tuple(words("permute transpose movedim moveaxis swapaxes swapdims rearrange einsum"))


def _writes(statement: ast.AST) -> bool:
    """Return whether a statement changes a tensor that has no name: `view(x).mul_(2)`."""
    return any(
        (isinstance(one, ast.Attribute) and one.attr.endswith("_"))
        or (isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store))
        for one in ast.walk(statement)
    )


def _base_changes(match: Match) -> bool:
    """Return whether the tensor that is viewed changes in place in its function, or later."""
    owner = owner_of(match.use.arguments[0]) if match.use.arguments else None
    if owner is None:
        return False
    return match.program.may_change_in_place({holder_named(owner, match.use.function)})


@rules.rule("torch.view_as_real")
def view_as_real(match: Match) -> Outcome:
    """Copy a view whose dimensions may be moved: Paddle's gradient needs its last one in place."""
    if not match.program.calls(*_MOVING):
        return Rewrite("paddle.as_real({input})")
    if changes_later(match) or _base_changes(match) or _writes(match.use.statement):
        return Rewrite("paddle.as_real({input})", differs=_MOVED)
    return Rewrite("paddle.as_real({input}).clone()")


rules.both("sum_to_size", "torch_sum_to_size({input}, {size})")
rules.both("lu", "torch_lu({input}, pivot={pivot}, get_infos={get_infos})")
rules.rules = [r for r in rules.rules if r.name != "torch.lu"]
rules.row("torch.lu", "torch_lu({A}, pivot={pivot}, get_infos={get_infos})")
rules.row(
    "torch.lu_unpack",
    "torch_lu_unpack({LU_data}, {LU_pivots}, unpack_data={unpack_data}, "
    "unpack_pivots={unpack_pivots})",
)
rules.as_values({"torch.lu_unpack": "torch_lu_unpack"})
rules.both("lu_solve", "torch_lu_solve({input}, {LU_data}, {LU_pivots})")
rules.row(
    "torch.triangular_solve",
    "torch_triangular_solve({input}, {A}, upper={upper}, transpose={transpose}, "
    "unitriangular={unitriangular})",
)
rules.both("ormqr", "torch_ormqr({input}, {input2}, {input3}, left={left}, transpose={transpose})")
rules.refuse(
    "torch.lstsq",
    "torch.eig",
    "torch.symeig",
    "torch.solve",
    "torch.matrix_rank",
    "torch.Tensor.lstsq",
    "torch.Tensor.eig",
    "torch.Tensor.symeig",
    "torch.Tensor.solve",
    reason="it is removed from torch",
    instead="torch.linalg",
)
