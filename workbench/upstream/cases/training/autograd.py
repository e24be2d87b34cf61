"""Gradients on request, functions with their own gradients, and derivatives of functions."""

from __future__ import annotations

_IN = (
    "u = torch.tensor([1.0, 2.0], requires_grad=True)\n"
    "v = torch.tensor([3.0, 4.0], requires_grad=True)\n"
)
_NEW_STYLE = (
    "class Scaled(torch.autograd.Function):\n    @staticmethod\n"
    "    def forward(a, k):\n        return a * k, a > 1\n    @staticmethod\n"
    "    def setup_context(ctx, inputs, output):\n        ctx.k = inputs[1]\n"
    "        ctx.mark_non_differentiable(output[1])\n    @staticmethod\n"
    "    def backward(ctx, g, _):\n        return g * ctx.k, None\n"
)
_FUNCTION = (
    "class Scaled(torch.autograd.Function):\n    @staticmethod\n"
    "    def forward(ctx, a, k, b):\n        ctx.k = k\n"
    "        ctx.save_for_backward(a, b)\n        return a * a * k + b\n"
    "    @staticmethod\n    def backward(ctx, g):\n        a, b = ctx.saved_tensors\n"
    "        return 2 * a * g * ctx.k, None, g if ctx.needs_input_grad[2] else None\n"
)

CASES: dict[str, tuple[str, ...]] = {
    "torch.autograd.grad": (
        (_IN + "g = torch.autograd.grad((u * u).sum(), u)"),
        (_IN + "g = torch.autograd.grad(outputs=u * v, inputs=[u, v], grad_outputs=torch.ones(2))"),
        (
            _IN + "g, = torch.autograd.grad((u ** 3).sum(), u, create_graph=True)\n"
            "h = torch.autograd.grad(g.sum(), u)[0]"
        ),
        (
            _IN + "z = (u * v).sum()\ng = torch.autograd.grad(z, (u,), retain_graph=True)\n"
            "h = torch.autograd.grad(z, u, allow_unused=True)\n"
            "k = torch.autograd.grad((u * 2).sum(), [u, v], allow_unused=True)"
        ),
        (_IN + "g = torch.autograd.grad((u * 2).sum(), [u, v], materialize_grads=True)"),
        (
            _IN + "options = {'allow_unused': True, 'retain_graph': True}\n"
            "g = torch.autograd.grad((u * u).sum(), [u, v], **options)"
        ),
    ),
    "torch.autograd.backward": (
        (_IN + "torch.autograd.backward((u * v).sum())\ng = u.grad, v.grad"),
        (_IN + "torch.autograd.backward((u * v).sum(), inputs=[u])\ng = u.grad, v.grad"),
        (
            _IN + "(u * 3).sum().backward()\n"
            "torch.autograd.backward([u * v], [v.detach()], inputs=u)\ng = u.grad, v.grad"
        ),
        (
            _IN + "torch.autograd.backward([u * 2, v * 3], grad_tensors=[torch.ones(2), "
            "torch.ones(2)])\ng = u.grad, v.grad"
        ),
        (
            _IN
            + "z = (u * u).sum()\ntorch.autograd.backward([z], retain_graph=True)\nz.backward()\n"
            "g = u.grad"
        ),
    ),
    "torch.autograd.Function": (
        (_FUNCTION + _IN + "r = Scaled.apply(u, 3.0, v)\nr.sum().backward()\ng = u.grad, v.grad"),
        (
            _FUNCTION
            + _IN
            + "f = Scaled.apply\nr = f(u.detach(), 3.0, v)\nr.sum().backward()\ng = v.grad"
        ),
        (_NEW_STYLE + _IN + "r, flag = Scaled.apply(u, 4)\nr.sum().backward()\ng = u.grad"),
        (
            "class Reversed(torch.autograd.Function):\n    @staticmethod\n"
            "    def forward(ctx, a):\n        return a.view_as(a)\n    @staticmethod\n"
            "    def backward(ctx, g):\n        return g.neg()\n"
            "u = torch.tensor([1.0, 2.0], requires_grad=True)\n"
            "v = torch.tensor([3.0, 4.0], requires_grad=True)\n"
            "Reversed.apply(u).sum().backward()\ng = u.grad"
        ),
        (_FUNCTION + _IN + "with torch.no_grad():\n    r = Scaled.apply(u, 2.0, v)"),
    ),
    "torch.autograd.Function.apply": (
        (_FUNCTION + _IN + "r = Scaled.apply(u, 3.0, v)\nr.sum().backward()\ng = u.grad, v.grad"),
        (
            _FUNCTION + _IN + "k = Scaled.apply(u, 2.0, v)\n"
            "r = k.requires_grad, k.device.type, k.size(0), k.unsqueeze(0).std(dim=1, "
            "keepdim=True)"
        ),
    ),
    **dict.fromkeys(
        (
            "torch.autograd.function.FunctionCtx.mark_dirty",
            "torch.autograd.function.FunctionCtx.mark_non_differentiable",
            "torch.autograd.function.FunctionCtx.save_for_backward",
            "torch.autograd.function.FunctionCtx.save_for_forward",
            "torch.autograd.function.FunctionCtx.set_materialize_grads",
        ),
        (
            (
                _FUNCTION
                + _IN
                + "r = Scaled.apply(u, 3.0, v)\nr.sum().backward()\ng = u.grad, v.grad"
            ),
            (_NEW_STYLE + _IN + "r = Scaled.apply(u, 4)[1]"),
        ),
    ),
    "torch.autograd.function.FunctionCtx": (
        "def f(ctx: torch.autograd.function.FunctionCtx):\n    return 1\nr = f(None)",
    ),
    **dict.fromkeys(
        (
            "torch.autograd.function._SingleLevelFunction.forward",
            "torch.autograd.function._SingleLevelFunction.backward",
            "torch.autograd.function._SingleLevelFunction.setup_context",
        ),
        (
            (
                _FUNCTION
                + _IN
                + "r = Scaled.apply(u, 3.0, v)\nr.sum().backward()\ng = u.grad, v.grad"
            ),
        ),
    ),
    "torch.autograd.function.once_differentiable": (
        (
            "class Scaled(torch.autograd.Function):\n    @staticmethod\n"
            "    def forward(ctx, a, k, b):\n        ctx.k = k\n"
            "        ctx.save_for_backward(a, b)\n        return a * a * k + b\n"
            "    @staticmethod\n    @torch.autograd.function.once_differentiable\n"
            "    def backward(ctx, g):\n        a, b = ctx.saved_tensors\n"
            "        return 2 * a * g * ctx.k, None, g if ctx.needs_input_grad[2] else None\n"
            "u = torch.tensor([1.0, 2.0], requires_grad=True)\n"
            "v = torch.tensor([3.0, 4.0], requires_grad=True)\nr = Scaled.apply(u, 3.0, v)\n"
            "r.sum().backward()\ng = u.grad, v.grad"
        ),
    ),
    "torch.autograd.Variable": (
        "isinstance(x, torch.autograd.Variable), isinstance(3, torch.autograd.Variable)",
        "list(map(torch.autograd.Variable, [x, y]))",
        "torch.autograd.Variable(x)",
        (
            "h = w * 2\nv = torch.autograd.Variable(h), torch.autograd.Variable(w, False)\n"
            "(h + v[0] + v[1]).sum().backward()\ng = w.grad"
        ),
        "torch.autograd.Variable(x.clone(), requires_grad=True)",
    ),
    "torch.autograd.functional.jacobian": (
        (_IN + "r = torch.autograd.functional.jacobian(lambda t: t.exp(), u)"),
        (_IN + "r = torch.autograd.functional.jacobian(lambda s, t: (s * t, s.sum()), (u, v))"),
        (
            _IN + "r = torch.autograd.functional.jacobian(func=lambda t: t ** 2, inputs=u, "
            "create_graph=True)"
        ),
        (_IN + "r = torch.autograd.functional.jacobian(lambda t: t.exp(), u, strict=True)"),
    ),
    "torch.autograd.functional.hessian": (
        (_IN + "r = torch.autograd.functional.hessian(lambda t: (t ** 3).sum(), u)"),
        (_IN + "r = torch.autograd.functional.hessian(lambda s, t: (s * t * t).sum(), (u, v))"),
        (_IN + "r = torch.autograd.functional.hessian(lambda t: (t ** 3).sum(), u, strict=True)"),
    ),
    "torch.autograd.functional.vjp": (
        (_IN + "r = torch.autograd.functional.vjp(lambda t: t ** 2, u, torch.tensor([1.0, 0.5]))"),
        (_IN + "r = torch.autograd.functional.vjp(lambda s, t: (s * t).sum(), (u, v))"),
        (
            _IN + "r = torch.autograd.functional.vjp(lambda t: t ** 2, u, torch.tensor([1.0, "
            "0.5]), strict=True)"
        ),
    ),
    "torch.autograd.functional.jvp": (
        (_IN + "r = torch.autograd.functional.jvp(lambda t: t ** 2, u, torch.tensor([1.0, 0.5]))"),
        (
            _IN + "r = torch.autograd.functional.jvp(lambda s, t: s * t, (u, v), "
            "(torch.ones(2), torch.ones(2)))"
        ),
        (
            _IN + "r = torch.autograd.functional.jvp(lambda t: t ** 2, u, torch.tensor([1.0, "
            "0.5]), strict=True)"
        ),
    ),
    "torch.autograd.functional.hvp": (
        (
            _IN + "r = torch.autograd.functional.hvp(lambda t: (t ** 3).sum(), u, "
            "v=torch.tensor([1.0, 0.5]))"
        ),
        (
            _IN + "r = torch.autograd.functional.hvp(lambda t: (t ** 3).sum(), u, "
            "v=torch.tensor([1.0, 0.5]), strict=True)"
        ),
    ),
    "torch.autograd.functional.vhp": (
        (
            _IN + "r = torch.autograd.functional.vhp(lambda s, t: (s * t * t).sum(), (u, v), "
            "(torch.ones(2), torch.ones(2)))"
        ),
        (
            _IN + "r = torch.autograd.functional.vhp(lambda s, t: (s * t * t).sum(), (u, v), "
            "(torch.ones(2), torch.ones(2)), strict=True)"
        ),
    ),
    "torch.autograd.set_detect_anomaly": (
        (_IN + "torch.autograd.set_detect_anomaly(False)\n(u * v).sum().backward()\ng = u.grad"),
        (
            _IN + "with torch.autograd.set_detect_anomaly(True):\n    (u * v).sum().backward()\n"
            "g = u.grad"
        ),
    ),
    "torch.autograd.detect_anomaly": (
        (_IN + "with torch.autograd.detect_anomaly():\n    (u * v).sum().backward()\ng = u.grad"),
    ),
    "torch.autograd.graph.save_on_cpu": (
        (
            _IN + "with torch.autograd.graph.save_on_cpu():\n    z = (u * u).sum()\nz.backward()\n"
            "g = u.grad"
        ),
    ),
    "torch.autograd.graph.saved_tensors_hooks": (
        (
            _IN + "with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):\n"
            "    z = (u * u).sum()\nz.backward()\ng = u.grad"
        ),
    ),
}
