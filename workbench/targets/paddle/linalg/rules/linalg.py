"""torch.linalg."""

from __future__ import annotations

from dataclasses import replace

from workbench.rules.family import Family, Simpler, simplified, warns_of_dtype
from workbench.rules.match import Match
from workbench.source.types import dtypes
from workbench.source.types.lattice import Tensor

rules = Family()


FACTOR_SIGNS = (
    "each vector may have the opposite sign; for equal eigenvalues or singular values,"
    " other vectors of the same space may be returned"
)


def _is_repeated(match: Match) -> bool:
    """Return whether a power is known to be non-negative and of real numbers."""
    power = match.constant("n")
    name = "A" if "A" in match else "input"
    value = match.use.receiver_value if match.use.receiver is not None else match.value(name)
    real = isinstance(value, Tensor) and dtypes.kind(value.dtype) == 2
    return isinstance(power, int) and power >= 0 and real


EXPONENTIAL = "for bfloat16 torch returns NaN except for small matrices; this returns the values"
REPEATED = Simpler("paddle.linalg.matrix_power({input}, {n})", _is_repeated)


def _row(
    name: str, *templates: str, caveat: str | None = None, simpler: Simpler | None = None
) -> None:
    rules.row(f"torch.linalg.{name}", *templates, caveat=caveat)
    if simpler is not None:
        rules.rules[-1] = simplified(rules.rules[-1], simpler)
    if name == "matrix_exp":
        rules.rules[-1] = replace(rules.rules[-1], warns=warns_of_dtype("bfloat16", EXPONENTIAL))


_row("norm", "torch_linalg_norm({input}, ord={ord}, dim={dim}, keepdim={keepdim}, dtype={dtype})")
_row(
    "vector_norm",
    "torch_vector_norm({input}, ord={ord}, dim={dim}, keepdim={keepdim}, dtype={dtype})",
)
_row(
    "matrix_norm",
    "torch_matrix_norm({input}, ord={ord}, dim={dim}, keepdim={keepdim}, dtype={dtype})",
)
_row("cholesky", "torch_cholesky({input}, upper={upper})")
_row("cholesky_ex", "torch_cholesky_ex({input}, upper={upper}, check_errors={check_errors})")
_row("cond", "torch_cond({input}, p={p})")
_row("cross", "torch_cross({input}, {other}, {dim=-1})")
_row("det", "paddle.linalg.det({A})")
_row("slogdet", "torch_slogdet({A})")
_row("diagonal", "paddle.diagonal({A}, {offset=0}, {dim1=-2}, {dim2=-1})")
_row("eigh", "torch_eigh({input}, uplo={UPLO})", caveat=FACTOR_SIGNS)
_row("eig", "torch_eig({input})", caveat=FACTOR_SIGNS)
_row("eigvals", "torch_eig({input}).eigenvalues")
_row(
    "eigvalsh",
    "torch_eigvalsh({input}, {UPLO='L'})",
    simpler=Simpler("paddle.linalg.eigvalsh({input})", lambda match: "UPLO" not in match),
)
_row("householder_product", "torch_householder_product({input}, {tau})")
_row("inv", "torch_inverse({A})")
_row("inv_ex", "torch_inv_ex({A}, check_errors={check_errors})")
_row("lstsq", "torch_lstsq({input}, {b}, rcond={rcond}, driver={driver})")
_row("lu", "torch_plu({A}, pivot={pivot})")
_row("lu_factor", "torch_lu({A}, pivot={pivot})")
_row("lu_factor_ex", "torch_lu_ex({A}, pivot={pivot}, check_errors={check_errors})")
_row("lu_solve", "torch_linalg_lu_solve({LU}, {pivots}, {B}, left={left}, adjoint={adjoint})")
_row("matmul", "paddle.matmul({input}, {other})")
_row("matrix_exp", "torch_matrix_exp({input})")
_row("matrix_power", "torch_matrix_power({input}, {n})", simpler=REPEATED)
_row(
    "matrix_rank",
    "torch_matrix_rank({input}, tol={tol}, atol={atol}, rtol={rtol}, hermitian={hermitian})",
)
_row("multi_dot", "torch_multi_dot({tensors})")
_row("pinv", "torch_pinv({input}, rcond={rcond}, atol={atol}, rtol={rtol}, hermitian={hermitian})")
_row("qr", "torch_linalg_qr({A}, mode={mode})")
_row("solve", "torch_solve({A}, {B}, on_left={left})")
_row("solve_ex", "torch_solve_ex({A}, {B}, on_left={left}, check_errors={check_errors})")
_row(
    "solve_triangular",
    "torch_solve_triangular({input}, {B}, {upper}, left={left}, unitriangular={unitriangular})",
)
_row("svd", "torch_linalg_svd({A}, full_matrices={full_matrices})", caveat=FACTOR_SIGNS)
_row("svdvals", "torch_singular_values({A})")
_row("tensorinv", "torch_tensorinv({input}, ind={ind})")
_row("tensorsolve", "torch_tensorsolve({input}, {other}, dims={dims})")
_row("vander", "torch_linalg_vander({x}, {N=None})")
_row("vecdot", "torch_vecdot({x}, {y}, dim={dim})")
rules.row(
    "torch.linalg.LinAlgError",
    "RuntimeError(*{args})",
    value="RuntimeError",
    note="Paddle raises RuntimeError or ValueError instead of torch's error",
)
_LDL = "only real matrices are supported, without gradients"
_row("ldl_factor", "torch_ldl_factor({input}, hermitian={hermitian})", caveat=_LDL)
_row(
    "ldl_factor_ex",
    "torch_ldl_factor_ex({input}, hermitian={hermitian}, check_errors={check_errors})",
    caveat=_LDL,
)
_row("ldl_solve", "torch_ldl_solve({LD}, {pivots}, {B}, hermitian={hermitian})", caveat=_LDL)
