"""torch.linalg."""

from __future__ import annotations

from dataclasses import replace

from workbench.rules.family import Family, Simpler, simplified, told_of
from workbench.rules.match import Match
from workbench.source.types import dtypes
from workbench.source.types.lattice import Tensor
from workbench.upstream.facts import load

rules = Family()


_SIGNS = "each vector may come with the other sign, or turned within its eigenspace"


def _is_repeated(match: Match) -> bool:
    """Whether a power is seen to be one of real numbers, and none of an inverse."""
    power = match.constant("n")
    name = "A" if "A" in match else "input"
    value = match.use.receiver_value if match.use.receiver is not None else match.value(name)
    real = isinstance(value, Tensor) and dtypes.kind(value.dtype) == 2
    return isinstance(power, int) and power >= 0 and real


EXPONENTIAL = "of bfloat16 torch itself gives NaN for all but small matrices; this gives numbers"
REPEATED = Simpler("paddle.linalg.matrix_power({input}, {n})", _is_repeated)


def _row(
    name: str,
    *templates: str,
    signature: str,
    caveat: str | None = None,
    simpler: Simpler | None = None,
) -> None:
    """A rule whose first parameter, often `A` in the documentation, is what torch calls it."""
    known = load().get(f"torch.linalg.{name}")
    assert known is not None
    written, real = signature[1:].partition(",")[0].strip(")"), known.signatures[0].parameters[0]
    signature = signature.replace(written, real.name, 1)
    texts = [text.replace(f"{{{written}}}", f"{{{real.name}}}") for text in templates]
    if "out=None" in signature:
        texts += [f"torch_out({text}, {{out}})" for text in texts]
    rules.row(f"torch.linalg.{name}", *texts, signature=signature, caveat=caveat)
    if simpler is not None:
        rules.rules[-1] = simplified(rules.rules[-1], simpler)
    if name == "matrix_exp":
        rules.rules[-1] = replace(rules.rules[-1], warns=told_of("bfloat16", EXPONENTIAL))


_row(
    "norm",
    "torch_linalg_norm({A}, ord={ord}, dim={dim}, keepdim={keepdim}, dtype={dtype})",
    signature="(A, ord=None, dim=None, keepdim=False, *, dtype=None, out=None)",
)
_row(
    "vector_norm",
    "torch_vector_norm({x}, ord={ord}, dim={dim}, keepdim={keepdim}, dtype={dtype})",
    signature="(x, ord=2, dim=None, keepdim=False, *, dtype=None, out=None)",
)
_row(
    "matrix_norm",
    "torch_matrix_norm({A}, ord={ord}, dim={dim}, keepdim={keepdim}, dtype={dtype})",
    signature="(A, ord='fro', dim=(-2, -1), keepdim=False, *, dtype=None, out=None)",
)
_row("cholesky", "torch_cholesky({A}, upper={upper})", signature="(A, *, upper=False, out=None)")
_row(
    "cholesky_ex",
    "torch_cholesky_ex({A}, upper={upper}, check_errors={check_errors})",
    signature="(A, *, upper=False, check_errors=False, out=None)",
)
_row("cond", "torch_cond({A}, p={p})", signature="(A, p=None, *, out=None)")
_row(
    "cross",
    "torch_cross({input}, {other}, {dim=-1})",
    signature="(input, other, *, dim=-1, out=None)",
)
_row("det", "paddle.linalg.det({A})", signature="(A, *, out=None)")
_row("slogdet", "torch_slogdet({A})", signature="(A, *, out=None)")
_row(
    "diagonal",
    "paddle.diagonal({A}, {offset=0}, {dim1=-2}, {dim2=-1})",
    signature="(A, *, offset=0, dim1=-2, dim2=-1)",
)
_row("eigh", "torch_eigh({A}, uplo={UPLO})", signature="(A, UPLO='L', *, out=None)", caveat=_SIGNS)
_row("eig", "torch_eig({A})", signature="(A, *, out=None)", caveat=_SIGNS)
_row("eigvals", "torch_eig({A}).eigenvalues", signature="(A, *, out=None)")
_row(
    "eigvalsh",
    "torch_eigvalsh({A}, {UPLO='L'})",
    signature="(A, UPLO='L', *, out=None)",
    simpler=Simpler("paddle.linalg.eigvalsh({input})", lambda match: "UPLO" not in match),
)
_row(
    "householder_product",
    "torch_householder_product({A}, {tau})",
    signature="(A, tau, *, out=None)",
)
_row("inv", "torch_inverse({A})", signature="(A, *, out=None)")
_row(
    "inv_ex",
    "torch_inv_ex({A}, check_errors={check_errors})",
    signature="(A, *, check_errors=False, out=None)",
)
_row(
    "lstsq",
    "torch_lstsq({A}, {b}, rcond={rcond}, driver={driver})",
    signature="(A, b, rcond=None, *, driver=None)",
)
_row("lu", "torch_plu({A}, pivot={pivot})", signature="(A, *, pivot=True, out=None)")
_row("lu_factor", "torch_lu({A}, pivot={pivot})", signature="(A, *, pivot=True, out=None)")
_row(
    "lu_factor_ex",
    "torch_lu_ex({A}, pivot={pivot}, check_errors={check_errors})",
    signature="(A, *, pivot=True, check_errors=False, out=None)",
)
_row(
    "lu_solve",
    "torch_linalg_lu_solve({LU}, {pivots}, {B}, left={left}, adjoint={adjoint})",
    signature="(LU, pivots, B, *, left=True, adjoint=False, out=None)",
)
_row("matmul", "paddle.matmul({input}, {other})", signature="(input, other, *, out=None)")
_row("matrix_exp", "torch_matrix_exp({A})", signature="(A)")
_row(
    "matrix_power",
    "torch_matrix_power({A}, {n})",
    signature="(A, n, *, out=None)",
    simpler=REPEATED,
)
_row(
    "matrix_rank",
    "torch_matrix_rank({A}, tol={tol}, atol={atol}, rtol={rtol}, hermitian={hermitian})",
    signature="(A, tol=None, hermitian=False, *, atol=None, rtol=None, out=None)",
)
_row("multi_dot", "torch_multi_dot({tensors})", signature="(tensors, *, out=None)")
_row(
    "pinv",
    "torch_pinv({A}, rcond={rcond}, atol={atol}, rtol={rtol}, hermitian={hermitian})",
    signature="(A, rcond=None, hermitian=False, *, atol=None, rtol=None, out=None)",
)
_row("qr", "torch_linalg_qr({A}, mode={mode})", signature="(A, mode='reduced', *, out=None)")
_row("solve", "torch_solve({A}, {B}, on_left={left})", signature="(A, B, *, left=True, out=None)")
_row(
    "solve_ex",
    "torch_solve_ex({A}, {B}, on_left={left}, check_errors={check_errors})",
    signature="(A, B, *, left=True, check_errors=False, out=None)",
)
_row(
    "solve_triangular",
    "torch_solve_triangular({A}, {B}, {upper}, left={left}, unitriangular={unitriangular})",
    signature="(A, B, *, upper, left=True, unitriangular=False, out=None)",
)
_row(
    "svd",
    "torch_linalg_svd({A}, full_matrices={full_matrices})",
    signature="(A, full_matrices=True, *, driver=None, out=None)",
    caveat=_SIGNS,
)
_row("svdvals", "torch_singular_values({A})", signature="(A, *, driver=None, out=None)")
_row("tensorinv", "torch_tensorinv({A}, ind={ind})", signature="(A, ind=2, *, out=None)")
_row(
    "tensorsolve",
    "torch_tensorsolve({A}, {other}, dims={dims})",
    signature="(A, other, dims=None, *, out=None)",
)
_row("vander", "torch_linalg_vander({x}, {N=None})", signature="(x, N=None)")
_row("vecdot", "torch_vecdot({x}, {y}, dim={dim})", signature="(x, y, *, dim=-1, out=None)")
rules.row(
    "torch.linalg.LinAlgError",
    "RuntimeError(*{args})",
    value="RuntimeError",
    signature="(*args)",
    note="Paddle raises its own kinds of RuntimeError and ValueError",
)
_LDL = "real matrices alone, and without gradients"
_row(
    "ldl_factor",
    "torch_ldl_factor({A}, hermitian={hermitian})",
    signature="(A, *, hermitian=False, out=None)",
    caveat=_LDL,
)
_row(
    "ldl_factor_ex",
    "torch_ldl_factor_ex({A}, hermitian={hermitian}, check_errors={check_errors})",
    signature="(A, *, hermitian=False, check_errors=False, out=None)",
    caveat=_LDL,
)
_row(
    "ldl_solve",
    "torch_ldl_solve({LD}, {pivots}, {B}, hermitian={hermitian})",
    signature="(LD, pivots, B, *, hermitian=False, out=None)",
    caveat=_LDL,
)
