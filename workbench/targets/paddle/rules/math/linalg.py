"""torch.linalg."""

from __future__ import annotations

from dataclasses import replace

from workbench.rules.family import Family, Simpler, simplified, told_of
from workbench.rules.match import Match
from workbench.source.types import dtypes
from workbench.source.types.lattice import Tensor
from workbench.upstream.facts import load

rules = Family()

_PD = "sq @ sq.t() + torch.eye(4)"


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
    cases: list[str],
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
    rules.row(f"torch.linalg.{name}", *texts, signature=signature, cases=cases, caveat=caveat)
    if simpler is not None:
        rules.rules[-1] = simplified(rules.rules[-1], simpler)
    if name == "matrix_exp":
        rules.rules[-1] = replace(rules.rules[-1], warns=told_of("bfloat16", EXPONENTIAL))


_row(
    "norm",
    "torch_linalg_norm({A}, ord={ord}, dim={dim}, keepdim={keepdim}, dtype={dtype})",
    signature="(A, ord=None, dim=None, keepdim=False, *, dtype=None, out=None)",
    cases=[
        "torch.linalg.norm(input=x)",
        "torch.linalg.norm(x, 2)",
        "torch.linalg.norm(x, ord=1, dim=1)",
        "torch.linalg.norm(x, 'fro', keepdim=True)",
        "torch.linalg.norm(a, dim=(1, 2))",
        "torch.linalg.norm(x, float('inf'))",
        "torch.linalg.norm(x[0], 0)",
        "torch.linalg.norm(x, 'nuc')",
        "torch.linalg.norm(x, -1)",
    ],
)
_row(
    "vector_norm",
    "torch_vector_norm({x}, ord={ord}, dim={dim}, keepdim={keepdim}, dtype={dtype})",
    signature="(x, ord=2, dim=None, keepdim=False, *, dtype=None, out=None)",
    cases=[
        "torch.linalg.vector_norm(x)",
        "torch.linalg.vector_norm(x, 1, dim=1)",
        "torch.linalg.vector_norm(a, ord=3, dim=(0, 2), keepdim=True)",
        "torch.linalg.vector_norm(x, float('-inf'))",
        "torch.linalg.vector_norm(x, 0)",
        "t = w.double()\n(torch.linalg.vector_norm(t, 6) + torch.linalg.vector_norm(t * 0, 3))"
        ".backward()\ng = w.grad",
        "t = torch.linalg.vector_norm(w * 0, 0)\nr = t.requires_grad",
    ],
)
_row(
    "matrix_norm",
    "torch_matrix_norm({A}, ord={ord}, dim={dim}, keepdim={keepdim}, dtype={dtype})",
    signature="(A, ord='fro', dim=(-2, -1), keepdim=False, *, dtype=None, out=None)",
    cases=[
        "torch.linalg.matrix_norm(x)",
        "torch.linalg.matrix_norm(a, 2)",
        "torch.linalg.matrix_norm(x, ord='nuc')",
        "torch.linalg.matrix_norm(x, 1, keepdim=True)",
        "torch.linalg.matrix_norm(a, -1, dim=(0, 1))",
    ],
)
_row(
    "cholesky",
    "torch_cholesky({A}, upper={upper})",
    signature="(A, *, upper=False, out=None)",
    cases=[
        "try:\n    torch.linalg.cholesky(-torch.eye(2))\nexcept RuntimeError:\n    t = 1",
        f"torch.linalg.cholesky({_PD})",
        f"torch.linalg.cholesky({_PD}, upper=True)",
        "torch.linalg.cholesky(torch.tensor([[4.0, 1j], [-1j, 3.0]]))",
    ],
)
_row(
    "cholesky_ex",
    "torch_cholesky_ex({A}, upper={upper}, check_errors={check_errors})",
    signature="(A, *, upper=False, check_errors=False, out=None)",
    cases=[
        "r = torch.linalg.cholesky_ex(torch.stack([sq + sq.t(), torch.eye(4), -sq @ sq.t()]))",
        "r = torch.linalg.cholesky_ex(-torch.eye(3), upper=True).info.item()",
        f"torch.linalg.cholesky_ex({_PD})",
        f"torch.linalg.cholesky_ex({_PD}, upper=True).L",
        "torch.linalg.cholesky_ex(torch.tensor([[4.0 + 2j, 1j], [-1j, 3.0]])).L",
    ],
)
_row(
    "cond",
    "torch_cond({A}, p={p})",
    signature="(A, p=None, *, out=None)",
    cases=[
        "torch.linalg.cond(sq)",
        "torch.linalg.cond(sq, 'fro')",
        "torch.linalg.cond(sq, p=1)",
        "torch.linalg.cond(torch.stack([sq, sq * 0 + 1]), 1)",
        "t = torch.complex(w, y)\ntorch.linalg.cond(t).backward()\ng = w.grad",
    ],
)
_row(
    "cross",
    "torch_cross({input}, {other}, {dim=-1})",
    signature="(input, other, *, dim=-1, out=None)",
    cases=[
        "torch.linalg.cross(x[:, :3], y[:, :3])",
        "torch.linalg.cross(x, y, dim=0)",
        "torch.linalg.cross(w[:, :3], y[:, :3]).sum().backward()\ng = w.grad",
    ],
)
_row("det", "paddle.linalg.det({A})", signature="(A, *, out=None)", cases=["torch.linalg.det(sq)"])
_row(
    "slogdet",
    "torch_slogdet({A})",
    signature="(A, *, out=None)",
    cases=[
        "torch.linalg.slogdet(sq)",
        "torch.linalg.slogdet(sq).logabsdet",
        "torch.linalg.slogdet(torch.complex(sq, sq.t()))",
    ],
)
_row(
    "diagonal",
    "paddle.diagonal({A}, {offset=0}, {dim1=-2}, {dim2=-1})",
    signature="(A, *, offset=0, dim1=-2, dim2=-1)",
    cases=["torch.linalg.diagonal(a)", "torch.linalg.diagonal(a, offset=1, dim1=0, dim2=1)"],
)
_row(
    "eigh",
    "torch_eigh({A}, uplo={UPLO})",
    signature="(A, UPLO='L', *, out=None)",
    cases=[
        f"torch.linalg.eigh({_PD}).eigenvalues",
        f"e, v = torch.linalg.eigh({_PD})\nt = v @ torch.diag(e) @ v.t()\nv = 0",
    ],
    caveat=_SIGNS,
)
_row(
    "eig",
    "torch_eig({A})",
    signature="(A, *, out=None)",
    cases=["torch.linalg.eig(torch.diag(n.float())).eigenvalues.abs().sort().values"],
    caveat=_SIGNS,
)
_row(
    "eigvals",
    "torch_eig({A}).eigenvalues",
    signature="(A, *, out=None)",
    cases=["torch.linalg.eigvals(torch.diag(n.float())).abs().sort().values"],
)
_row(
    "eigvalsh",
    "torch_eigvalsh({A}, {UPLO='L'})",
    signature="(A, UPLO='L', *, out=None)",
    cases=[
        f"torch.linalg.eigvalsh({_PD})",
        f"torch.linalg.eigvalsh({_PD}, UPLO='U')",
        "(torch.linalg.eigvalsh(w[:, :3], 'U') * x[0, :3]).sum().backward()\ng = w.grad",
        "k = (torch.complex(w, y)[:, :3], 'U')\n"
        "(torch.linalg.eigvalsh(*k) * x[0, :3]).sum().backward()\ng, k = w.grad, 0",
        "torch.linalg.eigvalsh(torch.complex(x, y)[:0, :0], UPLO='U')",
    ],
    simpler=Simpler("paddle.linalg.eigvalsh({input})", lambda match: "UPLO" not in match),
)
_row(
    "householder_product",
    "torch_householder_product({A}, {tau})",
    signature="(A, tau, *, out=None)",
    cases=[
        "torch.linalg.householder_product(x.t(), x[0, :3])",
        "torch.linalg.householder_product(w[:, :0], x[0, :0])",
    ],
)
_row(
    "inv",
    "torch_inverse({A})",
    signature="(A, *, out=None)",
    cases=[
        "torch.linalg.inv(sq)",
        "torch.linalg.inv(torch.stack([sq, sq / 0]))",
        "try:\n    torch.linalg.inv(torch.ones(2, 2))\nexcept torch.linalg.LinAlgError:\n    t = 1",
    ],
)
_row(
    "inv_ex",
    "torch_inv_ex({A}, check_errors={check_errors})",
    signature="(A, *, check_errors=False, out=None)",
    cases=[
        "torch.linalg.inv_ex(sq)",
        "torch.linalg.inv_ex(sq).inverse",
        "torch.linalg.inv_ex(torch.ones(2, 2)).info",
        "r = torch.linalg.inv_ex(torch.tensor([[1.0, 0.0], [0.0, 0.0]]))",
    ],
)
_row(
    "lstsq",
    "torch_lstsq({A}, {b}, rcond={rcond}, driver={driver})",
    signature="(A, b, rcond=None, *, driver=None)",
    cases=[
        "torch.linalg.lstsq(x.t(), sq[:, :2], driver='gelsd')",
        "torch.linalg.lstsq(w, sq[:3, :2], driver='gels')",
        "s = torch.linalg.lstsq(w.t(), sq, driver='gelss')\n"
        "(s.solution.sum() + s.residuals.sum()).backward()\ng = w.grad",
        "c = torch.complex(x, y).t()\nr = torch.linalg.lstsq(c, c[:, :2] * 2)",
        "torch.linalg.lstsq(x.t(), sq[:, :2]).solution",
        "torch.linalg.lstsq(sq, b=sq[:, :1])[0]",
        "torch.linalg.lstsq(sq, x[0])[0]",
        "r = torch.linalg.lstsq(x.t(), sq[:, :2]).rank.dtype",
    ],
)
_row(
    "lu",
    "torch_plu({A}, pivot={pivot})",
    signature="(A, *, pivot=True, out=None)",
    cases=["torch.linalg.lu(sq)", "p, l, u = torch.linalg.lu(x.t())"],
)
_row(
    "lu_factor",
    "torch_lu({A}, pivot={pivot})",
    signature="(A, *, pivot=True, out=None)",
    cases=["torch.linalg.lu_factor(sq)", "torch.linalg.lu_factor(sq).LU"],
)
_row(
    "lu_factor_ex",
    "torch_lu_ex({A}, pivot={pivot}, check_errors={check_errors})",
    signature="(A, *, pivot=True, check_errors=False, out=None)",
    cases=[
        "torch.linalg.lu_factor_ex(sq)",
        "torch.linalg.lu_factor_ex(torch.stack([torch.zeros(2, 2), torch.eye(2)]))",
    ],
)
_row(
    "lu_solve",
    "torch_linalg_lu_solve({LU}, {pivots}, {B}, left={left}, adjoint={adjoint})",
    signature="(LU, pivots, B, *, left=True, adjoint=False, out=None)",
    cases=["k = torch.linalg.lu_factor(sq)\ntorch.linalg.lu_solve(k[0], k[1], x.t())"],
)
_row(
    "matmul",
    "paddle.matmul({input}, {other})",
    signature="(input, other, *, out=None)",
    cases=["torch.linalg.matmul(x, sq)"],
)
_row(
    "matrix_exp",
    "torch_matrix_exp({A})",
    signature="(A)",
    cases=[
        "torch.linalg.matrix_exp(sq)",
        "t = torch.stack([sq * 0.1, sq, sq * 0.15, sq * 0.01])\n"
        "r = torch.linalg.matrix_exp(t), torch.linalg.matrix_exp(t * 1j)",
        "torch.linalg.matrix_exp(w[:, :3] * 0.2).sum().backward()\ng = w.grad",
        "torch.linalg.matrix_exp(torch.stack([sq, sq / 0]))",
    ],
)
_row(
    "matrix_power",
    "torch_matrix_power({A}, {n})",
    signature="(A, n, *, out=None)",
    cases=[
        "torch.linalg.matrix_power(sq, 3)",
        "torch.linalg.matrix_power(sq, n=-1)",
        "torch.linalg.matrix_power(torch.stack([sq, sq / 0 - sq]), -2)",
        "torch.linalg.matrix_power(torch.zeros(3, 3) + 2, 2)",
        "k = torch.complex(w, y)[:, :3]\n"
        "torch.linalg.matrix_power(k, 3).abs().sum().backward()\ng, k = w.grad, 0",
    ],
    simpler=REPEATED,
)
_row(
    "matrix_rank",
    "torch_matrix_rank({A}, tol={tol}, atol={atol}, rtol={rtol}, hermitian={hermitian})",
    signature="(A, tol=None, hermitian=False, *, atol=None, rtol=None, out=None)",
    cases=[
        "torch.linalg.matrix_rank(x)",
        "torch.linalg.matrix_rank(sq + sq.t(), 0.5, True)",
        "torch.linalg.matrix_rank(torch.ones(3, 3))",
        "torch.linalg.matrix_rank(sq, rtol=torch.tensor([[0.9, 0.1], [0.0, 2.0]]))",
        "torch.linalg.matrix_rank(sq, tol=torch.tensor(1.0))",
        "torch.linalg.matrix_rank(sq, atol=torch.tensor([0.0, 1.0]))",
        "torch.linalg.matrix_rank(sq, atol=1.0, rtol=0.0)",
        "torch.linalg.matrix_rank(a[:, :0, :0], hermitian=True)",
    ],
)
_row(
    "multi_dot",
    "torch_multi_dot({tensors})",
    signature="(tensors, *, out=None)",
    cases=[
        "torch.linalg.multi_dot([x, sq, sq])",
        "torch.linalg.multi_dot([i, i.mT, i]), torch.linalg.multi_dot([x[0], sq, sq, x[1]])",
        "torch.linalg.multi_dot([w, sq, sq]).sum().backward()\ng = w.grad",
    ],
)
_row(
    "pinv",
    "torch_pinv({A}, rcond={rcond}, atol={atol}, rtol={rtol}, hermitian={hermitian})",
    signature="(A, rcond=None, hermitian=False, *, atol=None, rtol=None, out=None)",
    cases=[
        "torch.linalg.pinv(x)",
        "torch.linalg.pinv(torch.ones(3, 2))",
        "torch.linalg.pinv(sq, rtol=0.5)",
        "torch.linalg.pinv(sq + sq.t(), 0.1, True)",
        "torch.linalg.pinv(w).pow(2).sum().backward()\ng = w.grad",
        "e = torch.eye(3, requires_grad=True)\ntorch.linalg.pinv(e).sum().backward()\ng = e.grad",
        "torch.linalg.pinv(torch.complex(sq, sq.t()), hermitian=True)",
        "torch.linalg.pinv(w[:, :0])",
        "torch.linalg.pinv(sq, rcond=torch.tensor([0.5, 0.1]))",
    ],
)
_row(
    "qr",
    "torch_linalg_qr({A}, mode={mode})",
    signature="(A, mode='reduced', *, out=None)",
    cases=[
        "torch.linalg.qr(x).R.abs()",
        "torch.linalg.qr(w.t()).R.abs().sum().backward()\ng = w.grad",
        "q, r = torch.linalg.qr(sq)\nt = q @ r\nq, r = 0, 0",
        "torch.linalg.qr(x.t(), mode='complete').Q.shape",
        "torch.linalg.qr(x, mode='r').R.abs()",
    ],
)
_row(
    "solve",
    "torch_solve({A}, {B}, on_left={left})",
    signature="(A, B, *, left=True, out=None)",
    cases=[
        "torch.linalg.solve(sq, x.t())",
        "torch.linalg.solve(sq, w.t()).sum().backward()\ng = w.grad",
        "torch.linalg.solve(sq, x[0])",
        "try:\n    torch.linalg.solve(sq * 0, x.t())\nexcept RuntimeError:\n    t = 1",
        "torch.linalg.solve(sq, x, left=False)",
        "torch.linalg.solve(torch.complex(sq, sq.t()), torch.complex(sq, sq))",
        "torch.linalg.solve(torch.complex(sq, sq.t()), torch.complex(x, y).t())",
    ],
)
_row(
    "solve_ex",
    "torch_solve_ex({A}, {B}, on_left={left}, check_errors={check_errors})",
    signature="(A, B, *, left=True, check_errors=False, out=None)",
    cases=[
        "torch.linalg.solve_ex(sq, x.t())",
        "torch.linalg.solve_ex(sq, x, left=False, check_errors=True)",
        "torch.linalg.solve_ex(torch.tensor([[1.0, 0.0], [0.0, 0.0]]), torch.ones(2, 1))",
    ],
)
_row(
    "solve_triangular",
    "torch_solve_triangular({A}, {B}, {upper}, left={left}, unitriangular={unitriangular})",
    signature="(A, B, *, upper, left=True, unitriangular=False, out=None)",
    cases=[
        "torch.linalg.solve_triangular(torch.eye(4) + torch.ones(4, 4).triu(), x.t(), upper=True)",
        "torch.linalg.solve_triangular(torch.eye(4) + torch.ones(4, 4).tril(), x, "
        "upper=False, left=False)",
        "torch.linalg.solve_triangular((torch.eye(4) + sq.triu()).double(), w.t(), upper=True)"
        ".sum().backward()\ng = w.grad",
        "torch.linalg.solve_triangular(torch.eye(4), x.t().double(), upper=True)",
    ],
)
_row(
    "svd",
    "torch_linalg_svd({A}, full_matrices={full_matrices})",
    signature="(A, full_matrices=True, *, driver=None, out=None)",
    cases=[
        "torch.linalg.svd(x).S",
        "u, s, v = torch.linalg.svd(x, full_matrices=False)\nt = u @ torch.diag(s) @ v\n"
        "u, v = 0, 0",
        "torch.linalg.svd(x).Vh.shape",
    ],
    caveat=_SIGNS,
)
_row(
    "svdvals",
    "torch_singular_values({A})",
    signature="(A, *, driver=None, out=None)",
    cases=["torch.linalg.svdvals(x)", "torch.linalg.svdvals(a)"],
)
_row(
    "tensorinv",
    "torch_tensorinv({A}, ind={ind})",
    signature="(A, ind=2, *, out=None)",
    cases=["torch.linalg.tensorinv(torch.eye(4).reshape(4, 2, 2), ind=1)"],
)
_row(
    "tensorsolve",
    "torch_tensorsolve({A}, {other}, dims={dims})",
    signature="(A, other, dims=None, *, out=None)",
    cases=[
        "torch.linalg.tensorsolve(torch.eye(4).reshape(4, 2, 2) * 2, x[0])",
        "torch.linalg.tensorsolve(input=torch.eye(4).reshape(4, 2, 2) * 2, other=x[0])",
    ],
)
_row(
    "vander",
    "torch_linalg_vander({x}, {N=None})",
    signature="(x, N=None)",
    cases=[
        "torch.linalg.vander(x[0])",
        "torch.linalg.vander(n, N=4)",
        "torch.linalg.vander(w).sum().backward()\ng = w.grad",
        "torch.linalg.vander(a, N=2)",
        "torch.linalg.vander(torch.tensor(3.0), N=4), torch.linalg.vander(n.int(), N=2)",
    ],
)
_row(
    "vecdot",
    "torch_vecdot({x}, {y}, dim={dim})",
    signature="(x, y, *, dim=-1, out=None)",
    cases=["torch.linalg.vecdot(x, y)", "torch.linalg.vecdot(x, y, dim=0)"],
)
rules.row(
    "torch.linalg.LinAlgError",
    "RuntimeError(*{args})",
    value="RuntimeError",
    signature="(*args)",
    note="Paddle raises its own kinds of RuntimeError and ValueError",
    cases=["try:\n    raise torch.linalg.LinAlgError('no')\nexcept RuntimeError:\n    t = 1"],
)
_SYMMETRIC = "s = sq + sq.t() - 0.5\n"
_LDL = "real matrices alone, and without gradients"
_row(
    "ldl_factor",
    "torch_ldl_factor({A}, hermitian={hermitian})",
    signature="(A, *, hermitian=False, out=None)",
    caveat=_LDL,
    cases=[
        f"{_SYMMETRIC}LD, pivots = torch.linalg.ldl_factor(s)",
        f"{_SYMMETRIC}s = s.double()\nr = torch.linalg.ldl_factor(torch.stack([s, s @ s]))",
        "r = torch.linalg.ldl_factor(torch.tensor([[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], "
        "[2.0, 3.0, 0.0]])).LD",
    ],
)
_row(
    "ldl_factor_ex",
    "torch_ldl_factor_ex({A}, hermitian={hermitian}, check_errors={check_errors})",
    signature="(A, *, hermitian=False, check_errors=False, out=None)",
    caveat=_LDL,
    cases=[
        f"{_SYMMETRIC}LD, pivots, info = torch.linalg.ldl_factor_ex(s, check_errors=True)",
        "r = torch.linalg.ldl_factor_ex(torch.zeros(3, 3))",
    ],
)
_row(
    "ldl_solve",
    "torch_ldl_solve({LD}, {pivots}, {B}, hermitian={hermitian})",
    signature="(LD, pivots, B, *, hermitian=False, out=None)",
    caveat=_LDL,
    cases=[
        f"{_SYMMETRIC}LD, pivots = torch.linalg.ldl_factor(s)\n"
        "r = torch.linalg.ldl_solve(LD, pivots, x.t())",
        "LD, pivots = torch.linalg.ldl_factor(torch.tensor([[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], "
        "[2.0, 3.0, 0.0]]))\nr = torch.linalg.ldl_solve(LD, pivots, x)",
    ],
)
