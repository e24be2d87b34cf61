"""Products and decompositions of matrices under `torch.` itself, and what goes with them."""

from __future__ import annotations

from dataclasses import replace

from workbench.rules.family import Family, Simpler, subject, told_of
from workbench.rules.match import Match
from workbench.source.types import dtypes
from workbench.source.types.lattice import Tensor
from workbench.targets.paddle.rules.math.linalg import EXPONENTIAL, REPEATED

rules = Family()


def _sums_as_it_is(match: Match) -> bool:
    """Whether the tensor is known to be of numbers whose sums have their own dtype."""
    value = subject(match)
    dtype = value.dtype if isinstance(value, Tensor) else None
    return dtype == "int64" or dtypes.kind(dtype) in {2, 3}


def _needs_matmul(match: Match) -> bool:
    """Whether the tensor that a family works on is known to hold integers or complex numbers."""
    value = subject(match)
    return isinstance(value, Tensor) and dtypes.kind(value.dtype) in {1, 3}


def _lacks_kernels(match: Match) -> bool:
    """True for dtypes whose values Paddle moves nowhere on a CPU."""
    tensor = subject(match)
    return isinstance(tensor, Tensor) and tensor.dtype in {"bool", "uint8", "int8", "int16"}


def _is_short(match: Match) -> bool:
    """Whether a CPU multiplies no matrices of the dtype that the tensor is known to have."""
    value = subject(match)
    return isinstance(value, Tensor) and value.dtype in {"uint8", "int8", "int16"}


rules.both(
    "matmul",
    "paddle.matmul({input}, {other})",
    signature="(input, other, *, out=None)",
    cases=[
        "torch.matmul(x, y.t())",
        "x.matmul(sq)",
        "a.matmul(sq)",
        "torch.matmul(x[0], y[0])",
        "torch.matmul(i, i.t())",
        "torch.matmul(a, x[0])",
        "torch.matmul(a, a.transpose(-2, -1))",
        "t = i.to(torch.uint8)\nt.matmul(t[0]), torch.mm(i.char(), i.char().T)",
    ],
    simpler=Simpler("torch_matmul({input}, {other})", _is_short),
)
rules.both(
    "mm",
    "paddle.mm({input}, {mat2})",
    signature="(input, mat2, *, out=None)",
    cases=["torch.mm(x, sq)", "x.mm(y.t())", "i.mm(i.t())"],
    simpler=Simpler("torch_matmul({input}, {mat2})", _is_short),
)
rules.both(
    "bmm",
    "paddle.bmm({input}, {mat2})",
    signature="(input, mat2, *, out=None)",
    cases=[
        "torch.bmm(a, a.mT)",
        "a.bmm(a.transpose(1, 2))",
        "t = a.long()\nt.bmm(t.mT)",
        "t = a.to(torch.complex64)\ntorch.bmm(t, t.mT), a.char().bmm(a.mT.char())",
    ],
    simpler=Simpler("torch_matmul({input}, {mat2})", _needs_matmul),
)
rules.both(
    "mv",
    "paddle.matmul({input}, {vec})",
    signature="(input, vec, *, out=None)",
    cases=["torch.mv(sq, x[0])", "sq.mv(x[0])", "i.mv(i[0])", "i.short().mv(i[0].short())"],
    simpler=Simpler("torch_matmul({input}, {vec})", _is_short),
)
rules.both(
    "dot",
    "paddle.dot({input}, {tensor})",
    signature="(input, tensor, *, out=None)",
    cases=["torch.dot(x[0], y[0])", "x[0].dot(y[0])", "n.dot(n)", "n.byte().dot(n.byte())"],
    simpler=Simpler("torch_matmul({input}, {tensor})", _is_short),
)
rules.both(
    "vdot",
    "torch_vdot({input}, {other})",
    cases=[
        "torch.vdot(x[0], y[0])",
        "x[0].vdot(y[0])",
        "torch.vdot(torch.tensor([1 + 2j]), torch.tensor([3 - 1j]))",
    ],
)
rules.both(
    "inner",
    "paddle.inner({input}, {other})",
    cases=["torch.inner(x, y)", "x[0].inner(y[0])", "i.char().inner(i.char())"],
    simpler=Simpler("torch_with_kernels(paddle.inner, {input}, {other})", _is_short),
)
for _name in ("outer", "ger"):
    rules.both(
        _name,
        "torch_outer({input}, {vec2})",
        signature="(input, vec2, *, out=None)",
        cases=[f"torch.{_name}(x[0], y[1])", f"n.{_name}(n)", f"torch.{_name}(n, x[0])"],
    )
_SUMS = (
    ("addmm", "mat1", "mat2", "x", "torch.ones(3, 2), torch.ones(2, 4)"),
    ("baddbmm", "batch1", "batch2", "a", "a[:, :, :3], a"),
    ("addmv", "mat", "vec", "x[:, 0]", "x, y[0]"),
    ("addr", "vec1", "vec2", "x", "x[:, 0], y[0]"),
    ("addbmm", "batch1", "batch2", "x", "a[:, :, :3], a"),
)
for _name, _one, _two, _on, _with in _SUMS:
    rules.both(
        _name,
        f"torch_{_name}({{input}}, {{{_one}}}, {{{_two}}}, {{beta=1}}, {{alpha=1}})",
        signature=f"(input, {_one}, {_two}, *, beta=1, alpha=1, out=None)",
        cases=[
            f"torch.{_name}({_on}, {_with})",
            f"torch.{_name}({_on}, {_with}, beta=0.5, alpha=2)",
            f"{_on}.{_name}({_with}, alpha=0.5)",
            f"t = {_on}.clone()\nt.{_name}_({_with})",
            f"torch.{_name}(0.5, {_on}, 2, {_with}), torch.{_name}(0.5, {_on}, {_with})",
            f"{_on}.{_name}(2, {_with}), {_on}.{_name}(0.5, 3, {_with})",
            f"t = {_on}.clone()\nt[:].{_name}_(0.5, {_with}).{_name}_(2, 0.5, {_with})",
        ],
    )
    rules.formerly(_name, f"(beta, input, alpha, {_one}, {_two})", f"(beta, input, {_one}, {_two})")
rules.both(
    "cross",
    "torch_cross({input}, {other}, dim={dim})",
    signature="(input, other, dim=None, *, out=None)",
    cases=["torch.cross(x[:, :3], y[:, :3], dim=1)", "x.cross(y, 0)", "torch.cross(x, y)"],
)
rules.row(
    "torch.chain_matmul",
    "torch_multi_dot({matrices})",
    signature="(*matrices)",
    cases=[
        "t = i.byte()[:, :3]\ntorch.addmm(t, t, t, alpha=2, beta=3), t[0].addmv(t, n.byte())",
        "torch.chain_matmul(x, sq, sq)",
        "torch.chain_matmul(x, i.mT.float())",
        "k, f = [x, sq], torch.chain_matmul\ntorch.chain_matmul(*k), f(x, sq)",
    ],
)
rules.handed_on({"torch.chain_matmul": "(lambda *matrices: torch_multi_dot(matrices))"})
rules.both(
    "matrix_power",
    "torch_matrix_power({input}, {n})",
    signature="(input, n, *, out=None)",
    cases=[
        "torch.matrix_power(sq, 3)",
        "sq.matrix_power(2)",
        "sq.matrix_power(-1)",
        "torch.matrix_power(torch.tensor([[2, 1], [0, 3]]), 3)",
        "torch.tensor([[2, 1], [0, 3]], dtype=torch.int8).matrix_power(0)",
        "k = -2\ntorch.matrix_power(sq, k)",
    ],
    simpler=REPEATED,
)
rules.both(
    "matrix_exp",
    "torch_matrix_exp({input})",
    cases=["torch.matrix_exp(sq)", "sq.matrix_exp()"],
)
_OF_HALVES = told_of("bfloat16", EXPONENTIAL)
rules.rules = [
    replace(rule, warns=_OF_HALVES) if rule.name.endswith("matrix_exp") else rule
    for rule in rules.rules
]
rules.both("det", "paddle.linalg.det({input})", cases=["torch.det(sq)", "sq.det()"])
rules.both("logdet", "torch_logdet({input})", cases=["torch.logdet(sq @ sq.t())", "sq.logdet()"])
rules.both(
    "slogdet",
    "torch_slogdet({input})",
    cases=["torch.slogdet(sq)", "s, v = sq.slogdet()", "sq.slogdet().logabsdet"],
)
rules.both("inverse", "torch_inverse({input})", cases=["torch.inverse(sq)", "sq.inverse()"])
rules.both(
    "pinverse",
    "torch_pinv({input}, {rcond=1e-15})",
    signature="(input, rcond=1e-15)",
    cases=[
        "torch.pinverse(x)",
        "x.pinverse()",
        "torch.pinverse(torch.tensor([[1 + 1j, 2], [3j, 4], [1, 2j]]))",
    ],
)
rules.both(
    "cholesky",
    "torch_cholesky({input}, {upper=False})",
    signature="(input, upper=False, *, out=None)",
    cases=[
        "torch.cholesky(sq @ sq.t() + torch.eye(4))",
        "(sq @ sq.t() + torch.eye(4)).cholesky(upper=True)",
    ],
)
rules.both(
    "cholesky_solve",
    "torch_cholesky_solve({input}, {input2}, {upper=False})",
    signature="(input, input2, upper=False, *, out=None)",
    cases=[
        "torch.cholesky_solve(x.t(), torch.eye(4) * 2)",
        "torch.cholesky_solve(torch.tensor([[1], [2j]]), torch.tensor([[2, 0], [1j, 3]]))",
        "x.t().cholesky_solve(torch.eye(4) + torch.ones(4, 4).triu(), upper=True)",
    ],
)
rules.both(
    "cholesky_inverse",
    "torch_cholesky_inverse({input}, {upper=False})",
    signature="(input, upper=False, *, out=None)",
    cases=[
        "torch.cholesky_inverse(torch.eye(4) * 2)",
        "torch.cholesky_inverse(torch.tensor([[2, 0], [1j, 3]]))",
        "torch.cholesky_inverse(torch.tensor([[2, 1j], [0, 3]]), upper=True)",
        "(torch.eye(3) + torch.ones(3, 3).tril()).cholesky_inverse()",
        "w[:0, :0].cholesky_inverse().sum().backward()\ng = w.grad",
        "t = (torch.eye(4) * 4 + sq).requires_grad_()\n"
        "(t.cholesky_inverse() * sq).sum().backward()\ng = t.grad",
        "t = (torch.eye(3) + torch.ones(3, 3).tril()).requires_grad_()\n"
        "(t.cholesky_inverse() * y[:, :3]).sum().backward()\ng = t.grad",
        "t = (torch.eye(3) + torch.ones(3, 3).triu()).requires_grad_()\n"
        "torch.cholesky_solve(w, t, upper=True)[0].sum().backward()\ng = t.grad, w.grad",
    ],
)
rules.both(
    "qr",
    "torch_qr({input}, some={some})",
    signature="(input, some=True, *, out=None)",
    cases=[
        "q, r = torch.qr(sq)\nt = q @ r\nq, r = 0, 0",
        "x.t().qr().Q.abs()",
        "w.t().qr().Q.abs().sum().backward()\ng = w.grad",
        "q, r = torch.qr(w[:0])\n(q.sum() + r.sum()).backward()\ng = w.grad",
    ],
)
rules.both(
    "svd",
    "torch_svd({input}, some={some}, compute_uv={compute_uv})",
    signature="(input, some=True, compute_uv=True, *, out=None)",
    cases=["torch.svd(x).S", "u, s, v = x.svd()\nt = u @ torch.diag(s) @ v.t()\nu, v = 0, 0"],
    caveat="each pair of singular vectors may come with the other sign",
)
rules.both(
    "trace",
    "torch_sum(paddle.diagonal({input}))",
    cases=[
        "torch.trace(sq)",
        "i.trace()",
        "x.trace()",
        "t = i.int()\nt.trace()",
        "f = torch.Tensor.trace\nf(i.int()), f(w), f(m), list(map(torch.trace, (sq, i.int())))",
    ],
    simpler=Simpler("paddle.trace({input})", _sums_as_it_is),
)
rules.both(
    "diag",
    "paddle.diag({input}, {diagonal})",
    "paddle.diag({input}, offset={diagonal})",
    signature="(input, diagonal=0, *, out=None)",
    cases=[
        "torch.diag(n)",
        "x.diag()",
        "torch.diag(x, 1)",
        "n.diag(diagonal=-1)",
        "t, k = x > 0, n.byte()\ntorch.diag(t, -1), t[0].diag(), k.diag(1)",
    ],
    simpler=Simpler("torch_widely(paddle.diag, {input}, {diagonal=0})", _lacks_kernels),
)
rules.both(
    "diagflat",
    "paddle.diagflat({input}, {offset})",
    signature="(input, offset=0)",
    cases=[
        "torch.diagflat(x)",
        "n.diagflat(1)",
        "t, k = x > 0, n.byte()\ntorch.diagflat(t), t.diagflat(offset=1), k.diagflat(1)",
    ],
    simpler=Simpler("torch_widely(paddle.diagflat, {input}, {offset=0})", _lacks_kernels),
)
rules.both(
    "diag_embed",
    "torch_diag_embed({input}, offset={offset}, dim1={dim1}, dim2={dim2})",
    signature="(input, offset=0, dim1=-2, dim2=-1)",
    cases=[
        "torch.diag_embed(w)",
        "torch.diag_embed(x, -1)",
        "x.diag_embed(1)",
        "torch.diag_embed(x, dim1=0, dim2=2)",
    ],
)
rules.both(
    "kron",
    "torch_kron({input}, {other})",
    signature="(input, other, *, out=None)",
    cases=[
        "torch.kron(x, sq)",
        "n.kron(n)",
        "torch.kron(x, n)",
        "torch.kron(m, m), torch.kron(x[0, 0].double(), x)",
    ],
)
rules.row(
    "torch.tensordot",
    "torch_tensordot({a}, {b}, dims={dims})",
    signature="(a, b, dims=2)",
    cases=[
        "torch.tensordot(a, a, dims=([0, 1], [0, 1]))",
        "torch.tensordot(x, sq, 1)",
        "torch.tensordot(a, x)",
    ],
)
rules.row(
    "torch.cdist",
    "paddle.cdist({x1}, {x2}, {p=2.0})",
    signature="(x1, x2, p=2.0, compute_mode='use_mm_for_euclid_dist_if_necessary')",
    ignored={"compute_mode": "the way of computing changes rounding alone"},
    cases=["torch.cdist(x, y)", "torch.cdist(x, y, p=1)", "torch.cdist(a, a, p=2.0)"],
)
rules.both(
    "dist",
    "torch_dist({input}, {other}, p={p})",
    signature="(input, other, p=2)",
    cases=["torch.dist(x, y)", "x.dist(y, 1)", "torch.dist(x, y, p=float('inf'))"],
)
rules.both(
    "cov",
    "torch_cov({input}, correction={correction}, fweights={fweights}, aweights={aweights})",
    signature="(input, *, correction=1, fweights=None, aweights=None)",
    cases=["torch.cov(x[:1])", "torch.cov(x)", "x.cov(correction=0)", "x[0].cov()"],
)
rules.both(
    "corrcoef",
    "paddle.linalg.corrcoef(torch_inexact({input}))",
    cases=["torch.corrcoef(x)", "x.corrcoef()", "torch.corrcoef(i)"],
)
rules.both(
    "diff",
    "torch_diff({input}, {n=1}, {dim=-1}, {prepend=None}, {append=None})",
    signature="(input, n=1, dim=-1, prepend=None, append=None, *, out=None)",
    cases=[
        "torch.diff(x)",
        "x.diff(2, dim=0)",
        "torch.diff(i, prepend=i[:, :1])",
        "x.diff(n=1, dim=1, append=y)",
        "x.diff(n=0), i.diff(9), i.diff(prepend=x), (x > 0).diff()",
        "i.to(torch.uint8).diff(), i.to(torch.int8).diff(2)",
        "x.half().diff(n=2)",
    ],
)
for _name in ("trapezoid", "trapz"):
    rules.row(
        f"torch.{_name}",
        "torch_trapezoid({y}, x={x}, dx={dx}, dim={dim})",
        signature="(y, x=None, *, dx=1.0, dim=-1)",
        cases=[
            f"torch.{_name}(x)",
            f"torch.{_name}(x, dx=0.5, dim=0)",
            f"torch.{_name}(x, torch.arange(4.0))",
            f"torch.{_name}(x, y, dim=0), torch.{_name}(n, x)",
            f"t = (i * 90 + 5).to(torch.uint8)\nu = t.flip(0)\n"
            f"torch.{_name}(t), torch.{_name}(t, u), torch.{_name}(t, u, dim=0), "
            f"torch.{_name}(t, dx=0.5, dim=0), torch.{_name}(x[:, :0])",
            f"torch.{_name}(w, y).sum().backward()\ng = w.grad",
        ],
    )
rules.row(
    "torch.cumulative_trapezoid",
    "torch_cumulative_trapezoid({y}, x={x}, dx={dx}, dim={dim})",
    signature="(y, x=None, *, dx=1.0, dim=-1)",
    cases=[
        "torch.cumulative_trapezoid(x)",
        "torch.cumulative_trapezoid(x, torch.arange(4.0))",
        "t = (i * 90 + 5).to(torch.uint8)\n"
        "torch.cumulative_trapezoid(t, t.flip(0)), torch.cumulative_trapezoid(t, dx=2, dim=0)",
    ],
)
rules.both(
    "renorm",
    "torch_renorm({input}, {p}, {dim}, {maxnorm})",
    signature="(input, p, dim, maxnorm, *, out=None)",
    cases=[
        "torch.renorm(x, 2, 0, 1.0)",
        "x.renorm(1, 1, maxnorm=0.5)",
        "t = x.clone()\nt.renorm_(2, 0, 0.1)",
    ],
    inplace="torch_inplace(torch_renorm, {input}, {p}, {dim}, {maxnorm})",
)
rules.row(
    "torch.vander",
    "torch_vander({x}, {N=None}, {increasing=False})",
    signature="(x, N=None, increasing=False)",
    cases=[
        "torch.vander(n)",
        "torch.vander(n.int()), torch.vander(n.to(torch.uint8), 2)",
        "torch.vander(x[0], N=3, increasing=True)",
    ],
)
rules.row(
    "torch.gradient",
    "torch_gradient({input}, spacing={spacing}, dim={dim}, edge_order={edge_order})",
    signature="(input, *, spacing=1, dim=None, edge_order=1)",
    cases=[
        "torch.gradient(x[0])",
        "torch.gradient(x, spacing=2.0, dim=1)",
        "u, v = torch.gradient(x)",
        "torch.gradient(torch.complex(x, y), spacing=2.0)",
    ],
)
rules.row(
    "torch.complex",
    "paddle.complex({real}, {imag})",
    signature="(real, imag)",
    cases=["torch.complex(x, y)"],
)
rules.row(
    "torch.polar",
    "paddle.polar({abs}, {angle})",
    signature="(abs, angle)",
    cases=["torch.polar(x.abs(), y)"],
)
rules.row(
    "torch.view_as_complex",
    "paddle.as_complex({input})",
    cases=["torch.view_as_complex(torch.stack([x, y], -1))"],
)
rules.row(
    "torch.view_as_real",
    "paddle.as_real({input})",
    cases=["torch.view_as_real(torch.complex(x, y))"],
)
rules.both(
    "sum_to_size",
    "torch_sum_to_size({input}, {size})",
    signature="(input, *size)",
    cases=[
        "x.sum_to_size(1, 4)",
        "x.sum_to_size((3, 1))",
        "m.sum_to_size(()), m.sum_to_size(1, 4), i.int().sum_to_size(4), m.sum_to_size(3, 4)",
    ],
)
rules.both(
    "lu",
    "torch_lu({input}, pivot={pivot}, get_infos={get_infos})",
    signature="(input, pivot=True, get_infos=False)",
    cases=["sq.lu()[1]"],
)
rules.rules = [r for r in rules.rules if r.name != "torch.lu"]
rules.row(
    "torch.lu",
    "torch_lu({A}, pivot={pivot}, get_infos={get_infos})",
    signature="(A, pivot=True, get_infos=False, *, out=None)",
    cases=["torch.lu(sq)[0]", "torch.lu(get_infos=True, A=sq)[2]"],
)
rules.row(
    "torch.lu_unpack",
    "torch_lu_unpack({LU_data}, {LU_pivots}, unpack_data={unpack_data}, "
    "unpack_pivots={unpack_pivots})",
    signature="(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True, *, out=None)",
    cases=[
        "k = torch.lu(sq)\ntorch.lu_unpack(k[0], k[1])",
        "torch.lu_unpack(*torch.linalg.lu_factor(sq), unpack_pivots=False).L",
        "k = torch.lu(sq)\ntorch.lu_unpack(k[0], k[1], False)",
    ],
)
rules.handed_on({"torch.lu_unpack": "torch_lu_unpack"})
rules.both(
    "lu_solve",
    "torch_lu_solve({input}, {LU_data}, {LU_pivots})",
    signature="(input, LU_data, LU_pivots)",
    cases=[
        "k = torch.lu(sq)\ntorch.lu_solve(x.t(), k[0], k[1])",
        "k = torch.lu(sq)\nx.t().lu_solve(k[0], k[1])",
        "k = torch.lu(sq)\nw.t()[:, :0].lu_solve(k[0], k[1]).sum().backward()\ng = w.grad",
    ],
)
rules.row(
    "torch.triangular_solve",
    "torch_triangular_solve({input}, {A}, upper={upper}, transpose={transpose}, "
    "unitriangular={unitriangular})",
    signature="(input, A, upper=True, transpose=False, unitriangular=False)",
    cases=[
        "torch.triangular_solve(x.t(), torch.eye(4) + torch.ones(4, 4).triu()).solution",
        "torch.triangular_solve(a.mT, torch.eye(4) + torch.ones(4, 4).triu())",
    ],
)
rules.both(
    "ormqr",
    "torch_ormqr({input}, {input2}, {input3}, left={left}, transpose={transpose})",
    signature="(input, input2, input3, left=True, transpose=False, *, out=None)",
    cases=[
        "torch.ormqr(sq, p[0], sq)",
        "sq.ormqr(p[0], x, left=False, transpose=True)",
        "torch.ormqr(x.t(), p[0, :3], sq, transpose=True)",
        "t = torch.tensor([[1 + 1j, 2], [3j, 4]])\ntorch.ormqr(t, t[0], t, transpose=True)",
        "torch.ormqr(sq, p[0], w.t()).sum().backward()\ng = w.grad",
        "torch.ormqr(sq[:, :0], p[0, :0], w.t()).sum().backward()\ng = w.grad",
    ],
)
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
    reason="torch itself has removed it",
    instead="torch.linalg",
)
