"""Transformations of functions, recomputation and exchange with other frameworks."""

from __future__ import annotations

_SQUARES = "f = lambda t: (t ** 2).sum()\n"
_MODEL = "l = nn.Linear(4, 2)\nnn.init.ones_(l.weight)\nnn.init.ones_(l.bias)\n"

CASES: dict[str, tuple[str, ...]] = {
    "torch.func.grad": (
        (_SQUARES + "r = torch.func.grad(f)(x)"),
        "f = lambda s, t: (s * t).sum()\nr = torch.func.grad(f, argnums=(0, 1))(x, y)",
        (
            "f = lambda q: (q['w'] ** 2).sum() + q['b']\n"
            "r = torch.func.grad(f)({'w': x, 'b': torch.tensor(1.0)})"
        ),
        "f = lambda t: ((t ** 2).sum(), t * 2)\nr = torch.func.grad(f, has_aux=True)(x)",
        "f = lambda t: t ** 3\nr = torch.func.grad(torch.func.grad(f))(torch.tensor(2.0))",
    ),
    "torch.func.grad_and_value": ((_SQUARES + "r = torch.func.grad_and_value(f)(x)"),),
    "torch.func.jacrev": (
        "f = lambda t: t.sin() * 2\nr = torch.func.jacrev(f)(torch.tensor([1.0, 2.0]))",
        "f = lambda s, t: s * t\nr = torch.func.jacrev(f, argnums=1)(x[0], y[0])",
    ),
    "torch.func.jacfwd": (
        "f = lambda t: t.sin() * 2\nr = torch.func.jacfwd(f)(torch.tensor([1.0, 2.0]))",
        "f = lambda s, t: s * t\nr = torch.func.jacfwd(f, argnums=1)(x[0], y[0])",
    ),
    "torch.func.hessian": (
        "f = lambda t: (t ** 3).sum()\nr = torch.func.hessian(f)(torch.tensor([1.0, 2.0]))",
    ),
    "torch.func.vjp": ("r, f = torch.func.vjp(lambda t: t ** 2, x)\ng = f(torch.ones_like(x))",),
    "torch.func.jvp": ("r = torch.func.jvp(lambda t: t ** 2, (x,), (torch.ones_like(x),))",),
    "torch.vmap": (
        "r = torch.vmap(torch.dot)(x, y)",
        "r = torch.vmap(lambda s, t: s + t, in_dims=(0, None))(x, y[0])",
        "r = torch.vmap(lambda s: (s * 2, s.sum()), in_dims=1, out_dims=(1, 0))(x)",
        "r = torch.func.vmap(torch.func.grad(lambda t: (t ** 2).sum()))(x)",
    ),
    "torch.func.functional_call": (
        (
            _MODEL + "r = torch.func.functional_call(l, {'weight': torch.zeros(2, 4), 'bias': "
            "torch.ones(2)}, (x,))\nr2 = l(x)"
        ),
        (
            _MODEL + "r = torch.func.functional_call(l, {'weight': torch.zeros(2, 4), 'bias': "
            "torch.ones(2)}, x)"
        ),
    ),
    "torch.nn.utils.stateless.functional_call": (
        (
            _MODEL + "r = torch.nn.utils.stateless.functional_call(l, {'weight': torch.zeros(2, "
            "4), 'bias': torch.ones(2)}, x)"
        ),
    ),
    "torch.func.linearize": (
        "o, f = torch.func.linearize(lambda t: t ** 3, x)\nr = f(y)\nf = None",
        "o, f = torch.func.linearize(lambda s, t: s * t.sin(), x, y)\nr = f(y, x)\nf = None",
    ),
    "torch.func.functionalize": (
        (
            "def f(t):\n    s = t * 2\n    s.add_(1)\n    return s\n"
            "r = torch.func.functionalize(f)(x)"
        ),
    ),
    "torch.func.stack_module_state": (
        (
            "made = [nn.BatchNorm1d(3) for _ in range(2)]\n"
            "k, b = torch.func.stack_module_state(made)\nmade = None"
        ),
    ),
    "torch.utils.checkpoint.checkpoint": (
        (
            "f = lambda t: (t * t).exp()\n"
            "r = torch.utils.checkpoint.checkpoint(f, w, use_reentrant=False)\n"
            "r.sum().backward()\ng = w.grad"
        ),
        (
            "f = lambda t, k=1: t * t * k\n"
            "r = torch.utils.checkpoint.checkpoint(f, w, k=3, use_reentrant=False)\n"
            "r.sum().backward()\ng = w.grad"
        ),
        (
            _MODEL + "r = torch.utils.checkpoint.checkpoint(l, w, use_reentrant=True)\n"
            "r.sum().backward()\ng = w.grad"
        ),
    ),
    "torch.utils.checkpoint.checkpoint_sequential": (
        (
            "s = nn.Sequential(nn.ReLU(), nn.Tanh(), nn.ReLU())\n"
            "r = torch.utils.checkpoint.checkpoint_sequential(s, 2, w, use_reentrant=False)\n"
            "r.sum().backward()\ng = w.grad"
        ),
    ),
}
