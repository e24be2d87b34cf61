"""Products and decompositions of matrices directly in `torch`, and related functions."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    "torch.matmul": (
        "torch.matmul(x, y.t())",
        "torch.matmul(x[0], y[0])",
        "torch.matmul(i, i.t())",
        "torch.matmul(a, x[0])",
        "torch.matmul(a, a.transpose(-2, -1))",
    ),
    "torch.Tensor.matmul": (
        "x.matmul(sq)",
        "a.matmul(sq)",
        "t = i.to(torch.uint8)\nt.matmul(t[0]), torch.mm(i.char(), i.char().T)",
    ),
    "torch.mm": ("torch.mm(x, sq)",),
    "torch.Tensor.mm": (
        "x.mm(y.t())",
        "i.mm(i.t())",
    ),
    "torch.bmm": (
        "torch.bmm(a, a.mT)",
        "t = a.to(torch.complex64)\ntorch.bmm(t, t.mT), a.char().bmm(a.mT.char())",
    ),
    "torch.Tensor.bmm": (
        "a.bmm(a.transpose(1, 2))",
        "t = a.long()\nt.bmm(t.mT)",
        "t = a.to(torch.complex64)\ntorch.bmm(t, t.mT), a.char().bmm(a.mT.char())",
    ),
    "torch.mv": ("torch.mv(sq, x[0])",),
    "torch.Tensor.mv": (
        "sq.mv(x[0])",
        "i.mv(i[0])",
        "i.short().mv(i[0].short())",
    ),
    "torch.dot": ("torch.dot(x[0], y[0])",),
    "torch.Tensor.dot": (
        "x[0].dot(y[0])",
        "n.dot(n)",
        "n.byte().dot(n.byte())",
    ),
    "torch.vdot": (
        "torch.vdot(x[0], y[0])",
        "torch.vdot(torch.tensor([1 + 2j]), torch.tensor([3 - 1j]))",
    ),
    "torch.Tensor.vdot": ("x[0].vdot(y[0])",),
    "torch.inner": ("torch.inner(x, y)",),
    "torch.Tensor.inner": (
        "x[0].inner(y[0])",
        "i.char().inner(i.char())",
    ),
    "torch.outer": (
        "torch.outer(x[0], y[1])",
        "torch.outer(n, x[0])",
    ),
    **alike("torch.Tensor", "outer ger kron", "n.{name}(n)"),
    "torch.ger": (
        "torch.ger(x[0], y[1])",
        "torch.ger(n, x[0])",
    ),
    "torch.addmm": (
        "torch.addmm(x, torch.ones(3, 2), torch.ones(2, 4))",
        "torch.addmm(x, torch.ones(3, 2), torch.ones(2, 4), beta=0.5, alpha=2)",
        (
            "torch.addmm(0.5, x, 2, torch.ones(3, 2), torch.ones(2, 4)), "
            "torch.addmm(0.5, x, torch.ones(3, 2), torch.ones(2, 4))"
        ),
    ),
    "torch.Tensor.addmm": (
        "x.addmm(torch.ones(3, 2), torch.ones(2, 4), alpha=0.5)",
        (
            "x.addmm(2, torch.ones(3, 2), torch.ones(2, 4)), x.addmm(0.5, 3, "
            "torch.ones(3, 2), torch.ones(2, 4))"
        ),
    ),
    "torch.Tensor.addmm_": (
        "t = x.clone()\nt.addmm_(torch.ones(3, 2), torch.ones(2, 4))",
        (
            "t = x.clone()\n"
            "t[:].addmm_(0.5, torch.ones(3, 2), torch.ones(2, 4)).addmm_(2, 0.5, "
            "torch.ones(3, 2), torch.ones(2, 4))"
        ),
    ),
    "torch.baddbmm": (
        "torch.baddbmm(a, a[:, :, :3], a)",
        "torch.baddbmm(a, a[:, :, :3], a, beta=0.5, alpha=2)",
        "torch.baddbmm(0.5, a, 2, a[:, :, :3], a), torch.baddbmm(0.5, a, a[:, :, :3], a)",
    ),
    "torch.Tensor.baddbmm": (
        "a.baddbmm(a[:, :, :3], a, alpha=0.5)",
        "a.baddbmm(2, a[:, :, :3], a), a.baddbmm(0.5, 3, a[:, :, :3], a)",
    ),
    "torch.Tensor.baddbmm_": (
        "t = a.clone()\nt.baddbmm_(a[:, :, :3], a)",
        "t = a.clone()\nt[:].baddbmm_(0.5, a[:, :, :3], a).baddbmm_(2, 0.5, a[:, :, :3], a)",
    ),
    "torch.addmv": (
        "torch.addmv(x[:, 0], x, y[0])",
        "torch.addmv(x[:, 0], x, y[0], beta=0.5, alpha=2)",
        "torch.addmv(0.5, x[:, 0], 2, x, y[0]), torch.addmv(0.5, x[:, 0], x, y[0])",
    ),
    "torch.Tensor.addmv": (
        "x[:, 0].addmv(x, y[0], alpha=0.5)",
        "x[:, 0].addmv(2, x, y[0]), x[:, 0].addmv(0.5, 3, x, y[0])",
    ),
    "torch.Tensor.addmv_": (
        "t = x[:, 0].clone()\nt.addmv_(x, y[0])",
        "t = x[:, 0].clone()\nt[:].addmv_(0.5, x, y[0]).addmv_(2, 0.5, x, y[0])",
    ),
    "torch.addmv_": (
        "t = x[:, 0].clone()\ntorch.addmv_(t, x, y[0])",
        "t = x[:, 0].clone()\nt[:].addmv_(0.5, x, y[0]).addmv_(2, 0.5, x, y[0])",
    ),
    "torch.addr": (
        "torch.addr(x, x[:, 0], y[0])",
        "torch.addr(x, x[:, 0], y[0], beta=0.5, alpha=2)",
        "torch.addr(0.5, x, 2, x[:, 0], y[0]), torch.addr(0.5, x, x[:, 0], y[0])",
    ),
    "torch.Tensor.addr": (
        "x.addr(x[:, 0], y[0], alpha=0.5)",
        "x.addr(2, x[:, 0], y[0]), x.addr(0.5, 3, x[:, 0], y[0])",
    ),
    "torch.Tensor.addr_": (
        "t = x.clone()\nt.addr_(x[:, 0], y[0])",
        "t = x.clone()\nt[:].addr_(0.5, x[:, 0], y[0]).addr_(2, 0.5, x[:, 0], y[0])",
    ),
    "torch.addbmm": (
        "torch.addbmm(x, a[:, :, :3], a)",
        "torch.addbmm(x, a[:, :, :3], a, beta=0.5, alpha=2)",
        "torch.addbmm(0.5, x, 2, a[:, :, :3], a), torch.addbmm(0.5, x, a[:, :, :3], a)",
    ),
    "torch.Tensor.addbmm": (
        "x.addbmm(a[:, :, :3], a, alpha=0.5)",
        "x.addbmm(2, a[:, :, :3], a), x.addbmm(0.5, 3, a[:, :, :3], a)",
    ),
    "torch.Tensor.addbmm_": (
        "t = x.clone()\nt.addbmm_(a[:, :, :3], a)",
        "t = x.clone()\nt[:].addbmm_(0.5, a[:, :, :3], a).addbmm_(2, 0.5, a[:, :, :3], a)",
    ),
    "torch.cross": (
        "torch.cross(x[:, :3], y[:, :3], dim=1)",
        "torch.cross(x, y)",
    ),
    "torch.Tensor.cross": ("x.cross(y, 0)",),
    "torch.chain_matmul": (
        ("t = i.byte()[:, :3]\ntorch.addmm(t, t, t, alpha=2, beta=3), t[0].addmv(t, n.byte())"),
        "torch.chain_matmul(x, sq, sq)",
        "torch.chain_matmul(x, i.mT.float())",
        "k, f = [x, sq], torch.chain_matmul\ntorch.chain_matmul(*k), f(x, sq)",
    ),
    "torch.matrix_power": (
        "torch.matrix_power(sq, 3)",
        "torch.matrix_power(torch.tensor([[2, 1], [0, 3]]), 3)",
        "k = -2\ntorch.matrix_power(sq, k)",
    ),
    "torch.Tensor.matrix_power": (
        "sq.matrix_power(2)",
        "sq.matrix_power(-1)",
        "torch.tensor([[2, 1], [0, 3]], dtype=torch.int8).matrix_power(0)",
    ),
    **alike("torch", "matrix_exp det slogdet inverse trace", "torch.{name}(sq)"),
    **alike("torch.Tensor", "matrix_exp det logdet inverse", "sq.{name}()"),
    "torch.logdet": ("torch.logdet(sq @ sq.t())",),
    "torch.Tensor.slogdet": (
        "s, v = sq.slogdet()",
        "sq.slogdet().logabsdet",
    ),
    "torch.pinverse": (
        "torch.pinverse(x)",
        "torch.pinverse(torch.tensor([[1 + 1j, 2], [3j, 4], [1, 2j]]))",
    ),
    "torch.Tensor.pinverse": ("x.pinverse()",),
    "torch.cholesky": ("torch.cholesky(sq @ sq.t() + torch.eye(4))",),
    "torch.Tensor.cholesky": ("(sq @ sq.t() + torch.eye(4)).cholesky(upper=True)",),
    "torch.cholesky_solve": (
        "torch.cholesky_solve(x.t(), torch.eye(4) * 2)",
        "torch.cholesky_solve(torch.tensor([[1], [2j]]), torch.tensor([[2, 0], [1j, 3]]))",
    ),
    "torch.Tensor.cholesky_solve": (
        "x.t().cholesky_solve(torch.eye(4) + torch.ones(4, 4).triu(), upper=True)",
    ),
    "torch.cholesky_inverse": (
        "torch.cholesky_inverse(torch.eye(4) * 2)",
        "torch.cholesky_inverse(torch.tensor([[2, 0], [1j, 3]]))",
        "torch.cholesky_inverse(torch.tensor([[2, 1j], [0, 3]]), upper=True)",
    ),
    "torch.Tensor.cholesky_inverse": (
        "(torch.eye(3) + torch.ones(3, 3).tril()).cholesky_inverse()",
        "w[:0, :0].cholesky_inverse().sum().backward()\ng = w.grad",
        (
            "t = (torch.eye(4) * 4 + sq).requires_grad_()\n"
            "(t.cholesky_inverse() * sq).sum().backward()\ng = t.grad"
        ),
        (
            "t = (torch.eye(3) + torch.ones(3, 3).tril()).requires_grad_()\n"
            "(t.cholesky_inverse() * y[:, :3]).sum().backward()\ng = t.grad"
        ),
    ),
    "torch.qr": (
        "q, r = torch.qr(sq)\nt = q @ r\nq, r = 0, 0",
        "q, r = torch.qr(w[:0])\n(q.sum() + r.sum()).backward()\ng = w.grad",
    ),
    "torch.Tensor.qr": (
        "x.t().qr().Q.abs()",
        "w.t().qr().Q.abs().sum().backward()\ng = w.grad",
    ),
    "torch.svd": ("torch.svd(x).S",),
    "torch.Tensor.svd": ("u, s, v = x.svd()\nt = u @ torch.diag(s) @ v.t()\nu, v = 0, 0",),
    "torch.Tensor.trace": (
        "i.trace()",
        "x.trace()",
        "t = i.int()\nt.trace()",
    ),
    "torch.diag": (
        "torch.diag(n)",
        "torch.diag(x, 1)",
        "t, k = x > 0, n.byte()\ntorch.diag(t, -1), t[0].diag(), k.diag(1)",
        "torch.diag(i.to(torch.int8))",
    ),
    "torch.Tensor.diag": (
        "x.diag()",
        "n.diag(diagonal=-1)",
        "t, k = x > 0, n.byte()\ntorch.diag(t, -1), t[0].diag(), k.diag(1)",
        "i.to(torch.int16).diag()",
    ),
    "torch.diagflat": (
        "torch.diagflat(x)",
        "t, k = x > 0, n.byte()\ntorch.diagflat(t), t.diagflat(offset=1), k.diagflat(1)",
        "torch.diagflat(i.to(torch.int8))",
    ),
    "torch.Tensor.diagflat": (
        "n.diagflat(1)",
        "t, k = x > 0, n.byte()\ntorch.diagflat(t), t.diagflat(offset=1), k.diagflat(1)",
        "i.to(torch.int16).diagflat()",
    ),
    "torch.diag_embed": (
        "torch.diag_embed(w)",
        "torch.diag_embed(x, -1)",
        "torch.diag_embed(x, dim1=0, dim2=2)",
        "torch.diag_embed(i.to(torch.int8))",
    ),
    "torch.Tensor.diag_embed": (
        "x.diag_embed(1)",
        "i.to(torch.int16).diag_embed()",
    ),
    "torch.kron": (
        "torch.kron(x, sq)",
        "torch.kron(x, n)",
        "torch.kron(m, m), torch.kron(x[0, 0].double(), x)",
    ),
    "torch.tensordot": (
        "torch.tensordot(a, a, dims=([0, 1], [0, 1]))",
        "torch.tensordot(x, sq, 1)",
        "torch.tensordot(a, x)",
    ),
    "torch.cdist": (
        "torch.cdist(x, y)",
        "torch.cdist(x, y, p=1)",
        "torch.cdist(a, a, p=2.0)",
    ),
    "torch.dist": (
        "torch.dist(x, y)",
        "torch.dist(x, y, p=float('inf'))",
    ),
    "torch.Tensor.dist": ("x.dist(y, 1)",),
    "torch.cov": (
        "torch.cov(x[:1])",
        "torch.cov(x)",
    ),
    "torch.Tensor.cov": (
        "x.cov(correction=0)",
        "x[0].cov()",
    ),
    "torch.corrcoef": (
        "torch.corrcoef(x)",
        "torch.corrcoef(i)",
    ),
    "torch.Tensor.corrcoef": ("x.corrcoef()",),
    "torch.diff": (
        "torch.diff(x)",
        "torch.diff(i, prepend=i[:, :1])",
    ),
    "torch.Tensor.diff": (
        "x.diff(2, dim=0)",
        "x.diff(n=1, dim=1, append=y)",
        "x.diff(n=0), i.diff(9), i.diff(prepend=x), (x > 0).diff()",
        "i.to(torch.uint8).diff(), i.to(torch.int8).diff(2)",
        "x.half().diff(n=2)",
    ),
    **alike(
        "torch",
        "trapezoid trapz",
        "torch.{name}(x)",
        "torch.{name}(x, dx=0.5, dim=0)",
        "torch.{name}(x, torch.arange(4.0))",
        "torch.{name}(x, y, dim=0), torch.{name}(n, x)",
        (
            "t = (i * 90 + 5).to(torch.uint8)\nu = t.flip(0)\n"
            "torch.{name}(t), torch.{name}(t, u), torch.{name}(t, u, dim=0), "
            "torch.{name}(t, dx=0.5, dim=0), torch.{name}(x[:, :0])"
        ),
        "torch.{name}(w, y).sum().backward()\ng = w.grad",
    ),
    "torch.cumulative_trapezoid": (
        "torch.cumulative_trapezoid(x)",
        "torch.cumulative_trapezoid(x, torch.arange(4.0))",
        (
            "t = (i * 90 + 5).to(torch.uint8)\n"
            "torch.cumulative_trapezoid(t, t.flip(0)), torch.cumulative_trapezoid(t, "
            "dx=2, dim=0)"
        ),
    ),
    "torch.renorm": ("torch.renorm(x, 2, 0, 1.0)",),
    "torch.Tensor.renorm": ("x.renorm(1, 1, maxnorm=0.5)",),
    "torch.Tensor.renorm_": ("t = x.clone()\nt.renorm_(2, 0, 0.1)",),
    "torch.vander": (
        "torch.vander(n)",
        "torch.vander(n.int()), torch.vander(n.to(torch.uint8), 2)",
        "torch.vander(x[0], N=3, increasing=True)",
    ),
    "torch.gradient": (
        "torch.gradient(x[0])",
        "torch.gradient(x, spacing=2.0, dim=1)",
        "u, v = torch.gradient(x)",
        "torch.gradient(torch.complex(x, y), spacing=2.0)",
    ),
    "torch.complex": ("torch.complex(x, y)",),
    "torch.polar": ("torch.polar(x.abs(), y)",),
    "torch.view_as_complex": ("torch.view_as_complex(torch.stack([x, y], -1))",),
    "torch.view_as_real": ("torch.view_as_real(torch.complex(x, y))",),
    "torch.Tensor.sum_to_size": (
        "x.sum_to_size(1, 4)",
        "x.sum_to_size((3, 1))",
        ("m.sum_to_size(()), m.sum_to_size(1, 4), i.int().sum_to_size(4), m.sum_to_size(3, 4)"),
    ),
    "torch.Tensor.lu": ("sq.lu()[1]",),
    "torch.lu": (
        "torch.lu(sq)[0]",
        "torch.lu(get_infos=True, A=sq)[2]",
    ),
    "torch.lu_unpack": (
        "k = torch.lu(sq)\ntorch.lu_unpack(k[0], k[1])",
        "torch.lu_unpack(*torch.linalg.lu_factor(sq), unpack_pivots=False).L",
        "k = torch.lu(sq)\ntorch.lu_unpack(k[0], k[1], False)",
    ),
    "torch.lu_solve": ("k = torch.lu(sq)\ntorch.lu_solve(x.t(), k[0], k[1])",),
    "torch.Tensor.lu_solve": (
        "k = torch.lu(sq)\nx.t().lu_solve(k[0], k[1])",
        "k = torch.lu(sq)\nw.t()[:, :0].lu_solve(k[0], k[1]).sum().backward()\ng = w.grad",
    ),
    "torch.triangular_solve": (
        "torch.triangular_solve(x.t(), torch.eye(4) + torch.ones(4, 4).triu()).solution",
        "torch.triangular_solve(a.mT, torch.eye(4) + torch.ones(4, 4).triu())",
    ),
    "torch.ormqr": (
        "torch.ormqr(sq, p[0], sq)",
        "torch.ormqr(x.t(), p[0, :3], sq, transpose=True)",
        "t = torch.tensor([[1 + 1j, 2], [3j, 4]])\ntorch.ormqr(t, t[0], t, transpose=True)",
        "torch.ormqr(sq, p[0], w.t()).sum().backward()\ng = w.grad",
        "torch.ormqr(sq[:, :0], p[0, :0], w.t()).sum().backward()\ng = w.grad",
    ),
    "torch.Tensor.ormqr": ("sq.ormqr(p[0], x, left=False, transpose=True)",),
}
