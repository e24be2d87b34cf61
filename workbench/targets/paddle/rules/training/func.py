"""Transformations of functions, recomputation and exchange with other frameworks."""

from __future__ import annotations

from workbench.rules.rule import RuleSet

rules = RuleSet()

_F = "torch.func"
_LOOP = "a loop over the batch dimension: the same values, without the speed of one call"
_SQUARES = "f = lambda t: (t ** 2).sum()\n"
rules.row(
    f"{_F}.grad",
    "torch_func_grad(...)",
    value="torch_func_grad",
    cases=[
        f"{_SQUARES}r = torch.func.grad(f)(x)",
        "f = lambda s, t: (s * t).sum()\nr = torch.func.grad(f, argnums=(0, 1))(x, y)",
        "f = lambda q: (q['w'] ** 2).sum() + q['b']\n"
        "r = torch.func.grad(f)({'w': x, 'b': torch.tensor(1.0)})",
        "f = lambda t: ((t ** 2).sum(), t * 2)\nr = torch.func.grad(f, has_aux=True)(x)",
        "f = lambda t: t ** 3\nr = torch.func.grad(torch.func.grad(f))(torch.tensor(2.0))",
    ],
)
rules.row(
    f"{_F}.grad_and_value",
    "torch_func_grad_and_value(...)",
    value="torch_func_grad_and_value",
    cases=[f"{_SQUARES}r = torch.func.grad_and_value(f)(x)"],
)
for _name in ("jacrev", "jacfwd"):
    rules.row(
        f"{_F}.{_name}",
        "torch_func_jacobian({func}, argnums={argnums})",
        ignored=dict.fromkeys(
            ("chunk_size", "_preallocate_and_copy") if _name == "jacrev" else ("randomness",),
            "it changes the way to the result alone",
        ),
        cases=[
            f"f = lambda t: t.sin() * 2\nr = torch.func.{_name}(f)(torch.tensor([1.0, 2.0]))",
            f"f = lambda s, t: s * t\nr = torch.func.{_name}(f, argnums=1)(x[0], y[0])",
        ],
    )
rules.row(
    f"{_F}.hessian",
    "torch_func_hessian(...)",
    value="torch_func_hessian",
    cases=["f = lambda t: (t ** 3).sum()\nr = torch.func.hessian(f)(torch.tensor([1.0, 2.0]))"],
)
rules.row(
    f"{_F}.vjp",
    "torch_func_vjp(...)",
    value="torch_func_vjp",
    cases=["r, f = torch.func.vjp(lambda t: t ** 2, x)\ng = f(torch.ones_like(x))"],
)
rules.row(
    f"{_F}.jvp",
    "torch_func_jvp({func}, {primals}, {tangents})",
    cases=["r = torch.func.jvp(lambda t: t ** 2, (x,), (torch.ones_like(x),))"],
)
rules.row(
    "torch.vmap",
    "torch_vmap({func}, {in_dims=0}, {out_dims=0})",
    ignored={"randomness": "every pass draws its own numbers", "chunk_size": "nothing is batched"},
    note=_LOOP,
    cases=[
        "r = torch.vmap(torch.dot)(x, y)",
        "r = torch.vmap(lambda s, t: s + t, in_dims=(0, None))(x, y[0])",
        "r = torch.vmap(lambda s: (s * 2, s.sum()), in_dims=1, out_dims=(1, 0))(x)",
        "r = torch.func.vmap(torch.func.grad(lambda t: (t ** 2).sum()))(x)",
    ],
)
_MODEL = "l = nn.Linear(4, 2)\nnn.init.ones_(l.weight)\nnn.init.ones_(l.bias)\n"
_OTHERS = "{'weight': torch.zeros(2, 4), 'bias': torch.ones(2)}"
rules.row(
    f"{_F}.functional_call",
    "torch_functional_call({module}, {parameter_and_buffer_dicts}, {args}, kwargs={kwargs=None})",
    ignored={"strict": "other names raise an error"},
    cases=[
        f"{_MODEL}r = torch.func.functional_call(l, {_OTHERS}, (x,))\nr2 = l(x)",
        f"{_MODEL}r = torch.func.functional_call(l, {_OTHERS}, x)",
    ],
)
rules.row(
    "torch.nn.utils.stateless.functional_call",
    "torch_functional_call({module}, {parameters_and_buffers}, {args}, kwargs={kwargs=None})",
    ignored={"strict": "other names raise an error", "tie_weights": "tied weights have one name"},
    cases=[f"{_MODEL}r = torch.nn.utils.stateless.functional_call(l, {_OTHERS}, x)"],
)
rules.row(
    f"{_F}.linearize",
    "torch_linearize({func}, *{primals})",
    cases=[
        "o, f = torch.func.linearize(lambda t: t ** 3, x)\nr = f(y)\nf = None",
        "o, f = torch.func.linearize(lambda s, t: s * t.sin(), x, y)\nr = f(y, x)\nf = None",
    ],
)
rules.row(
    f"{_F}.functionalize",
    "{func}",
    ignored={"remove": "writes stay as they are"},
    cases=[
        "def f(t):\n    s = t * 2\n    s.add_(1)\n    return s\nr = torch.func.functionalize(f)(x)"
    ],
)
rules.row(
    f"{_F}.stack_module_state",
    "torch_stack_module_state({models})",
    cases=[
        "made = [nn.BatchNorm1d(3) for _ in range(2)]\n"
        "k, b = torch.func.stack_module_state(made)\nmade = None"
    ],
)
rules.refuse(
    f"{_F}.debug_unwrap",
    f"{_F}.replace_all_batch_norm_modules_",
    reason="Paddle has no such transformation of functions",
)

_C = "torch.utils.checkpoint"
rules.row(
    f"{_C}.checkpoint",
    "torch_checkpoint(...)",
    value="torch_checkpoint",
    cases=[
        f"f = lambda t: (t * t).exp()\nr = {_C}.checkpoint(f, w, use_reentrant=False)\n"
        "r.sum().backward()\ng = w.grad",
        f"f = lambda t, k=1: t * t * k\nr = {_C}.checkpoint(f, w, k=3, use_reentrant=False)\n"
        "r.sum().backward()\ng = w.grad",
        f"{_MODEL}r = {_C}.checkpoint(l, w, use_reentrant=True)\nr.sum().backward()\ng = w.grad",
    ],
)
rules.row(
    f"{_C}.checkpoint_sequential",
    "torch_checkpoint_sequential({functions}, {segments}, {input})",
    ignored={"use_reentrant": "Paddle has one way to recompute"},
    cases=[
        f"s = nn.Sequential(nn.ReLU(), nn.Tanh(), nn.ReLU())\n"
        f"r = {_C}.checkpoint_sequential(s, 2, w, use_reentrant=False)\n"
        "r.sum().backward()\ng = w.grad",
    ],
)
rules.refuse(
    f"{_C}.create_selective_checkpoint_contexts",
    f"{_C}.set_checkpoint_early_stop",
    f"{_C}.set_checkpoint_debug_enabled",
    f"{_C}.noop_context_fn",
    f"{_C}.CheckpointFunction",
    f"{_C}.get_device_states",
    f"{_C}.set_device_states",
    f"{_C}.check_backward_validity",
    f"{_C}.detach_variable",
    f"{_C}.CheckpointPolicy",
    f"{_C}.SelectiveCheckpointContext",
    reason="Paddle recomputes whole functions, without such choices",
    instead="paddle.distributed.fleet.utils.recompute",
)
