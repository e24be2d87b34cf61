"""torch.linalg."""

from __future__ import annotations

CASES: dict[str, tuple[str, ...]] = {
    "torch.linalg.norm": (
        "torch.linalg.norm(input=x)",
        "torch.linalg.norm(x, 2)",
        "torch.linalg.norm(x, ord=1, dim=1)",
        "torch.linalg.norm(x, 'fro', keepdim=True)",
        "torch.linalg.norm(a, dim=(1, 2))",
        "torch.linalg.norm(x, float('inf'))",
        "torch.linalg.norm(x[0], 0)",
        "torch.linalg.norm(x, 'nuc')",
        "torch.linalg.norm(x, -1)",
    ),
    "torch.linalg.vector_norm": (
        "torch.linalg.vector_norm(x)",
        "torch.linalg.vector_norm(x, 1, dim=1)",
        "torch.linalg.vector_norm(a, ord=3, dim=(0, 2), keepdim=True)",
        "torch.linalg.vector_norm(x, float('-inf'))",
        "torch.linalg.vector_norm(x, 0)",
        (
            "t = w.double()\n"
            "(torch.linalg.vector_norm(t, 6) + torch.linalg.vector_norm(t * 0, 3)).backward()\n"
            "g = w.grad"
        ),
        "t = torch.linalg.vector_norm(w * 0, 0)\nr = t.requires_grad",
    ),
    "torch.linalg.matrix_norm": (
        "torch.linalg.matrix_norm(x)",
        "torch.linalg.matrix_norm(a, 2)",
        "torch.linalg.matrix_norm(x, ord='nuc')",
        "torch.linalg.matrix_norm(x, 1, keepdim=True)",
        "torch.linalg.matrix_norm(a, -1, dim=(0, 1))",
    ),
    "torch.linalg.cholesky": (
        "try:\n    torch.linalg.cholesky(-torch.eye(2))\nexcept RuntimeError:\n    t = 1",
        "torch.linalg.cholesky(sq @ sq.t() + torch.eye(4))",
        "torch.linalg.cholesky(sq @ sq.t() + torch.eye(4), upper=True)",
        "torch.linalg.cholesky(torch.tensor([[4.0, 1j], [-1j, 3.0]]))",
    ),
    "torch.linalg.cholesky_ex": (
        ("r = torch.linalg.cholesky_ex(torch.stack([sq + sq.t(), torch.eye(4), -sq @ sq.t()]))"),
        "r = torch.linalg.cholesky_ex(-torch.eye(3), upper=True).info.item()",
        "torch.linalg.cholesky_ex(sq @ sq.t() + torch.eye(4))",
        "torch.linalg.cholesky_ex(sq @ sq.t() + torch.eye(4), upper=True).L",
        "torch.linalg.cholesky_ex(torch.tensor([[4.0 + 2j, 1j], [-1j, 3.0]])).L",
    ),
    "torch.linalg.cond": (
        "torch.linalg.cond(sq)",
        "torch.linalg.cond(sq, 'fro')",
        "torch.linalg.cond(sq, p=1)",
        "torch.linalg.cond(torch.stack([sq, sq * 0 + 1]), 1)",
        "t = torch.complex(w, y)\ntorch.linalg.cond(t).backward()\ng = w.grad",
    ),
    "torch.linalg.cross": (
        "torch.linalg.cross(x[:, :3], y[:, :3])",
        "torch.linalg.cross(i[:, :3], i[:, 1:])",
        "torch.linalg.cross(x, y, dim=0)",
        "torch.linalg.cross(w[:, :3], y[:, :3]).sum().backward()\ng = w.grad",
    ),
    "torch.linalg.det": ("torch.linalg.det(sq)",),
    "torch.linalg.slogdet": (
        "torch.linalg.slogdet(sq)",
        "torch.linalg.slogdet(sq).logabsdet",
        "torch.linalg.slogdet(torch.complex(sq, sq.t()))",
    ),
    "torch.linalg.diagonal": (
        "torch.linalg.diagonal(a)",
        "torch.linalg.diagonal(torch.arange(24).reshape(2, 3, 4))",
        "torch.linalg.diagonal(a, offset=1, dim1=0, dim2=1)",
    ),
    "torch.linalg.eigh": (
        "torch.linalg.eigh(sq @ sq.t() + torch.eye(4)).eigenvalues",
        (
            "e, v = torch.linalg.eigh(sq @ sq.t() + torch.eye(4))\n"
            "t = v @ torch.diag(e) @ v.t()\nv = 0"
        ),
    ),
    "torch.linalg.eig": (
        "torch.linalg.eig(torch.diag(n.float())).eigenvalues.abs().sort().values",
    ),
    "torch.linalg.eigvals": ("torch.linalg.eigvals(torch.diag(n.float())).abs().sort().values",),
    "torch.linalg.eigvalsh": (
        "torch.linalg.eigvalsh(sq @ sq.t() + torch.eye(4))",
        "torch.linalg.eigvalsh(sq @ sq.t() + torch.eye(4), UPLO='U')",
        "(torch.linalg.eigvalsh(w[:, :3], 'U') * x[0, :3]).sum().backward()\ng = w.grad",
        (
            "k = (torch.complex(w, y)[:, :3], 'U')\n"
            "(torch.linalg.eigvalsh(*k) * x[0, :3]).sum().backward()\ng, k = w.grad, 0"
        ),
        "torch.linalg.eigvalsh(torch.complex(x, y)[:0, :0], UPLO='U')",
    ),
    "torch.linalg.householder_product": (
        "torch.linalg.householder_product(x.t(), x[0, :3])",
        "torch.linalg.householder_product(w[:, :0], x[0, :0])",
    ),
    "torch.linalg.inv": (
        "torch.linalg.inv(sq)",
        "torch.linalg.inv(torch.stack([sq, sq / 0]))",
        (
            "try:\n    torch.linalg.inv(torch.ones(2, 2))\nexcept torch.linalg.LinAlgError:\n"
            "    t = 1"
        ),
    ),
    "torch.linalg.inv_ex": (
        "torch.linalg.inv_ex(sq)",
        "torch.linalg.inv_ex(sq).inverse",
        "torch.linalg.inv_ex(torch.ones(2, 2)).info",
        "r = torch.linalg.inv_ex(torch.tensor([[1.0, 0.0], [0.0, 0.0]]))",
    ),
    "torch.linalg.lstsq": (
        "torch.linalg.lstsq(x.t(), sq[:, :2], driver='gelsd')",
        "torch.linalg.lstsq(w, sq[:3, :2], driver='gels')",
        (
            "s = torch.linalg.lstsq(w.t(), sq, driver='gelss')\n"
            "(s.solution.sum() + s.residuals.sum()).backward()\ng = w.grad"
        ),
        "c = torch.complex(x, y).t()\nr = torch.linalg.lstsq(c, c[:, :2] * 2)",
        "torch.linalg.lstsq(x.t(), sq[:, :2]).solution",
        "torch.linalg.lstsq(sq, b=sq[:, :1])[0]",
        "torch.linalg.lstsq(sq, x[0])[0]",
        "r = torch.linalg.lstsq(x.t(), sq[:, :2]).rank.dtype",
    ),
    "torch.linalg.lu": (
        "torch.linalg.lu(sq)",
        "p, l, u = torch.linalg.lu(x.t())",
    ),
    "torch.linalg.lu_factor": (
        "torch.linalg.lu_factor(sq)",
        "torch.linalg.lu_factor(sq).LU",
    ),
    "torch.linalg.lu_factor_ex": (
        "torch.linalg.lu_factor_ex(sq)",
        "torch.linalg.lu_factor_ex(torch.stack([torch.zeros(2, 2), torch.eye(2)]))",
    ),
    "torch.linalg.lu_solve": (
        "k = torch.linalg.lu_factor(sq)\ntorch.linalg.lu_solve(k[0], k[1], x.t())",
    ),
    "torch.linalg.matmul": ("torch.linalg.matmul(x, sq)",),
    "torch.linalg.matrix_exp": (
        "torch.linalg.matrix_exp(sq)",
        (
            "t = torch.stack([sq * 0.1, sq, sq * 0.15, sq * 0.01])\n"
            "r = torch.linalg.matrix_exp(t), torch.linalg.matrix_exp(t * 1j)"
        ),
        "torch.linalg.matrix_exp(w[:, :3] * 0.2).sum().backward()\ng = w.grad",
        "torch.linalg.matrix_exp(torch.stack([sq, sq / 0]))",
    ),
    "torch.linalg.matrix_power": (
        "torch.linalg.matrix_power(sq, 3)",
        "torch.linalg.matrix_power(sq, n=-1)",
        "torch.linalg.matrix_power(torch.stack([sq, sq / 0 - sq]), -2)",
        "torch.linalg.matrix_power(torch.zeros(3, 3) + 2, 2)",
        (
            "k = torch.complex(w, y)[:, :3]\n"
            "torch.linalg.matrix_power(k, 3).abs().sum().backward()\ng, k = w.grad, 0"
        ),
    ),
    "torch.linalg.matrix_rank": (
        "torch.linalg.matrix_rank(x)",
        "torch.linalg.matrix_rank(sq + sq.t(), 0.5, True)",
        "torch.linalg.matrix_rank(torch.ones(3, 3))",
        "torch.linalg.matrix_rank(sq, rtol=torch.tensor([[0.9, 0.1], [0.0, 2.0]]))",
        "torch.linalg.matrix_rank(sq, tol=torch.tensor(1.0))",
        "torch.linalg.matrix_rank(sq, atol=torch.tensor([0.0, 1.0]))",
        "torch.linalg.matrix_rank(sq, atol=1.0, rtol=0.0)",
        "torch.linalg.matrix_rank(a[:, :0, :0], hermitian=True)",
    ),
    "torch.linalg.multi_dot": (
        "torch.linalg.multi_dot([x, sq, sq])",
        "torch.linalg.multi_dot([i, i.mT, i]), torch.linalg.multi_dot([x[0], sq, sq, x[1]])",
        "torch.linalg.multi_dot([w, sq, sq]).sum().backward()\ng = w.grad",
    ),
    "torch.linalg.pinv": (
        "torch.linalg.pinv(x)",
        "torch.linalg.pinv(torch.ones(3, 2))",
        "torch.linalg.pinv(sq, rtol=0.5)",
        "torch.linalg.pinv(sq + sq.t(), 0.1, True)",
        "torch.linalg.pinv(w).pow(2).sum().backward()\ng = w.grad",
        ("e = torch.eye(3, requires_grad=True)\ntorch.linalg.pinv(e).sum().backward()\ng = e.grad"),
        "torch.linalg.pinv(torch.complex(sq, sq.t()), hermitian=True)",
        "torch.linalg.pinv(w[:, :0])",
        "torch.linalg.pinv(sq, rcond=torch.tensor([0.5, 0.1]))",
    ),
    "torch.linalg.qr": (
        "torch.linalg.qr(x).R.abs()",
        "torch.linalg.qr(w.t()).R.abs().sum().backward()\ng = w.grad",
        "q, r = torch.linalg.qr(sq)\nt = q @ r\nq, r = 0, 0",
        "torch.linalg.qr(x.t(), mode='complete').Q.shape",
        "torch.linalg.qr(x, mode='r').R.abs()",
    ),
    "torch.linalg.solve": (
        "torch.linalg.solve(sq, x.t())",
        "torch.linalg.solve(sq, w.t()).sum().backward()\ng = w.grad",
        "torch.linalg.solve(sq, x[0])",
        "try:\n    torch.linalg.solve(sq * 0, x.t())\nexcept RuntimeError:\n    t = 1",
        "torch.linalg.solve(sq, x, left=False)",
        "torch.linalg.solve(torch.complex(sq, sq.t()), torch.complex(sq, sq))",
        "torch.linalg.solve(torch.complex(sq, sq.t()), torch.complex(x, y).t())",
    ),
    "torch.linalg.solve_ex": (
        "torch.linalg.solve_ex(sq, x.t())",
        "torch.linalg.solve_ex(sq, x, left=False, check_errors=True)",
        "torch.linalg.solve_ex(torch.tensor([[1.0, 0.0], [0.0, 0.0]]), torch.ones(2, 1))",
    ),
    "torch.linalg.solve_triangular": (
        (
            "torch.linalg.solve_triangular(torch.eye(4) + torch.ones(4, 4).triu(), "
            "x.t(), upper=True)"
        ),
        (
            "torch.linalg.solve_triangular(torch.eye(4) + torch.ones(4, 4).tril(), x, "
            "upper=False, left=False)"
        ),
        (
            "torch.linalg.solve_triangular((torch.eye(4) + sq.triu()).double(), w.t(), "
            "upper=True).sum().backward()\ng = w.grad"
        ),
        "torch.linalg.solve_triangular(torch.eye(4), x.t().double(), upper=True)",
    ),
    "torch.linalg.svd": (
        "torch.linalg.svd(x).S",
        (
            "u, s, v = torch.linalg.svd(x, full_matrices=False)\nt = u @ torch.diag(s) @ v\n"
            "u, v = 0, 0"
        ),
        "torch.linalg.svd(x).Vh.shape",
    ),
    "torch.linalg.svdvals": (
        "torch.linalg.svdvals(x)",
        "torch.linalg.svdvals(a)",
    ),
    "torch.linalg.tensorinv": ("torch.linalg.tensorinv(torch.eye(4).reshape(4, 2, 2), ind=1)",),
    "torch.linalg.tensorsolve": (
        "torch.linalg.tensorsolve(torch.eye(4).reshape(4, 2, 2) * 2, x[0])",
        "torch.linalg.tensorsolve(input=torch.eye(4).reshape(4, 2, 2) * 2, other=x[0])",
    ),
    "torch.linalg.vander": (
        "torch.linalg.vander(x[0])",
        "torch.linalg.vander(n, N=4)",
        "torch.linalg.vander(w).sum().backward()\ng = w.grad",
        "torch.linalg.vander(a, N=2)",
        "torch.linalg.vander(torch.tensor(3.0), N=4), torch.linalg.vander(n.int(), N=2)",
    ),
    "torch.linalg.vecdot": (
        "torch.linalg.vecdot(x, y)",
        "torch.linalg.vecdot(x, y, dim=0)",
    ),
    "torch.linalg.LinAlgError": (
        "try:\n    raise torch.linalg.LinAlgError('no')\nexcept RuntimeError:\n    t = 1",
    ),
    "torch.linalg.ldl_factor": (
        "s = sq + sq.t() - 0.5\nLD, pivots = torch.linalg.ldl_factor(s)",
        (
            "s = sq + sq.t() - 0.5\ns = s.double()\n"
            "r = torch.linalg.ldl_factor(torch.stack([s, s @ s]))"
        ),
        (
            "r = torch.linalg.ldl_factor(torch.tensor([[0.0, 1.0, 2.0], [1.0, 0.0, "
            "3.0], [2.0, 3.0, 0.0]])).LD"
        ),
    ),
    "torch.linalg.ldl_factor_ex": (
        (
            "s = sq + sq.t() - 0.5\n"
            "LD, pivots, info = torch.linalg.ldl_factor_ex(s, check_errors=True)"
        ),
        "r = torch.linalg.ldl_factor_ex(torch.zeros(3, 3))",
    ),
    "torch.linalg.ldl_solve": (
        (
            "s = sq + sq.t() - 0.5\nLD, pivots = torch.linalg.ldl_factor(s)\n"
            "r = torch.linalg.ldl_solve(LD, pivots, x.t())"
        ),
        (
            "LD, pivots = torch.linalg.ldl_factor(torch.tensor([[0.0, 1.0, 2.0], [1.0, "
            "0.0, 3.0], [2.0, 3.0, 0.0]]))\nr = torch.linalg.ldl_solve(LD, pivots, x)"
        ),
    ),
}
