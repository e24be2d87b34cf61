"""Gradients on request, functions with their own gradients, and derivatives of functions."""

from __future__ import annotations

from collections.abc import Callable

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call

rules = RuleSet()

_A = "torch.autograd"
_IN = (
    "u = torch.tensor([1.0, 2.0], requires_grad=True)\n"
    "v = torch.tensor([3.0, 4.0], requires_grad=True)\n"
)

_SECOND = (
    "Paddle has no second gradients of `flatten`, softmax, GELU, layer and group normalisation, "
    "max pooling, interpolation, transposed convolution and einsum, among others: it raises there"
)


@rules.rule(
    f"{_A}.grad",
    signature="(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, "
    "only_inputs=True, allow_unused=None, is_grads_batched=False, materialize_grads=False)",
    cases=[
        f"{_IN}g = torch.autograd.grad((u * u).sum(), u)",
        f"{_IN}g = torch.autograd.grad(outputs=u * v, inputs=[u, v], grad_outputs=torch.ones(2))",
        f"{_IN}g, = torch.autograd.grad((u ** 3).sum(), u, create_graph=True)\n"
        "h = torch.autograd.grad(g.sum(), u)[0]",
        f"{_IN}z = (u * v).sum()\ng = torch.autograd.grad(z, (u,), retain_graph=True)\n"
        "h = torch.autograd.grad(z, u, allow_unused=True)\n"
        "k = torch.autograd.grad((u * 2).sum(), [u, v], allow_unused=True)",
        f"{_IN}g = torch.autograd.grad((u * 2).sum(), [u, v], materialize_grads=True)",
        f"{_IN}options = {{'allow_unused': True, 'retain_graph': True}}\n"
        "g = torch.autograd.grad((u * u).sum(), [u, v], **options)",
    ],
    unpacked="torch_grad_of(...)",
)
def _grad(match: Match) -> Outcome:
    """Paddle answers with a list, torch with a tuple."""
    if match.given("is_grads_batched"):
        return Refusal("Paddle has no batched gradients", "a loop over the batch")
    if match.given("materialize_grads"):
        return Rewrite(
            "torch_grad_of({outputs}, {inputs}, grad_outputs={grad_outputs}, "
            "retain_graph={retain_graph}, create_graph={create_graph}, "
            "materialize_grads={materialize_grads})",
            consumed=frozenset({"only_inputs", "is_grads_batched", "allow_unused"}),
        )
    return Rewrite(
        "tuple(paddle.grad({outputs}, {inputs}, grad_outputs={grad_outputs}, "
        "retain_graph={retain_graph}, create_graph={create_graph}, allow_unused={allow_unused}))",
        consumed=frozenset({"only_inputs", "is_grads_batched", "materialize_grads"}),
        caveat=_SECOND if match.constant("create_graph", False) is not False else None,
    )


@rules.rule(
    f"{_A}.backward",
    cases=[
        f"{_IN}torch.autograd.backward((u * v).sum())\ng = u.grad, v.grad",
        f"{_IN}torch.autograd.backward((u * v).sum(), inputs=[u])\ng = u.grad, v.grad",
        f"{_IN}(u * 3).sum().backward()\n"
        "torch.autograd.backward([u * v], [v.detach()], inputs=u)\ng = u.grad, v.grad",
        f"{_IN}torch.autograd.backward([u * 2, v * 3], "
        "grad_tensors=[torch.ones(2), torch.ones(2)])\ng = u.grad, v.grad",
        f"{_IN}z = (u * u).sum()\ntorch.autograd.backward([z], retain_graph=True)\nz.backward()\n"
        "g = u.grad",
    ],
)
def _backward(match: Match) -> Outcome:
    if match.given("inputs") and not match.given("grad_variables"):
        return Rewrite(
            "torch_backward_into({inputs}, {tensors}, {grad_tensors=None}, "
            "retain_graph={retain_graph}, create_graph={create_graph})",
            consumed=frozenset({"grad_variables"}),
        )
    if match.given("create_graph", "inputs", "grad_variables"):
        return Refusal("Paddle's backward takes tensors and their gradients alone", "paddle.grad")
    return Rewrite(
        "paddle.autograd.backward({tensors}, {grad_tensors}, retain_graph={retain_graph})",
        consumed=frozenset({"create_graph", "inputs", "grad_variables"} & match.arguments.keys()),
    )


_FUNCTION = (
    "class Scaled(torch.autograd.Function):\n"
    "    @staticmethod\n    def forward(ctx, a, k, b):\n        ctx.k = k\n"
    "        ctx.save_for_backward(a, b)\n        return a * a * k + b\n"
    "    @staticmethod\n    def backward(ctx, g):\n        a, b = ctx.saved_tensors\n"
    "        return 2 * a * g * ctx.k, None, g if ctx.needs_input_grad[2] else None\n"
)
_NEW_STYLE = (
    "class Scaled(torch.autograd.Function):\n"
    "    @staticmethod\n    def forward(a, k):\n        return a * k, a > 1\n"
    "    @staticmethod\n    def setup_context(ctx, inputs, output):\n"
    "        ctx.k = inputs[1]\n        ctx.mark_non_differentiable(output[1])\n"
    "    @staticmethod\n    def backward(ctx, g, _):\n        return g * ctx.k, None\n"
)
_APPLIED = "r = Scaled.apply(u, 3.0, v)\nr.sum().backward()\ng = u.grad, v.grad"
rules.row(
    f"{_A}.Function",
    "TorchFunction()",
    value="TorchFunction",
    signature="()",
    cases=[
        f"{_FUNCTION}{_IN}{_APPLIED}",
        f"{_FUNCTION}{_IN}f = Scaled.apply\nr = f(u.detach(), 3.0, v)\n"
        "r.sum().backward()\ng = v.grad",
        f"{_NEW_STYLE}{_IN}r, flag = Scaled.apply(u, 4)\nr.sum().backward()\ng = u.grad",
        "class Reversed(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, a):\n        return a.view_as(a)\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return g.neg()\n"
        f"{_IN}Reversed.apply(u).sum().backward()\ng = u.grad",
        f"{_FUNCTION}{_IN}with torch.no_grad():\n    r = Scaled.apply(u, 2.0, v)",
    ],
)
rules.keep(
    f"{_A}.Function.apply",
    cases=[
        f"{_FUNCTION}{_IN}{_APPLIED}",
        f"{_FUNCTION}{_IN}k = Scaled.apply(u, 2.0, v)\n"
        "r = k.requires_grad, k.device.type, k.size(0), k.unsqueeze(0).std(dim=1, keepdim=True)",
    ],
)
rules.refuse(
    f"{_A}.Function.vmap",
    f"{_A}.Function.generate_vmap_rule",
    reason="Paddle has no vmap that functions could take part in",
)
for _member in (
    "mark_dirty",
    "mark_non_differentiable",
    "save_for_backward",
    "save_for_forward",
    "set_materialize_grads",
):
    rules.keep(
        f"{_A}.function.FunctionCtx.{_member}",
        cases=[f"{_FUNCTION}{_IN}{_APPLIED}", f"{_NEW_STYLE}{_IN}r = Scaled.apply(u, 4)[1]"],
    )
rules.row(
    f"{_A}.function.FunctionCtx",
    "TorchFunctionContext()",
    value="TorchFunctionContext",
    cases=["def f(ctx: torch.autograd.function.FunctionCtx):\n    return 1\nr = f(None)"],
)
for _member in ("forward", "backward", "setup_context"):
    rules.keep(
        f"{_A}.function._SingleLevelFunction.{_member}", cases=[f"{_FUNCTION}{_IN}{_APPLIED}"]
    )
rules.refuse(
    f"{_A}.function._SingleLevelFunction.jvp",
    f"{_A}.function._SingleLevelFunction.vjp",
    reason="Paddle's functions have a backward alone",
)
rules.row(
    f"{_A}.function.once_differentiable",
    "torch_same({fn})",
    cases=[
        _FUNCTION.replace(
            "def backward", "@torch.autograd.function.once_differentiable\n    def backward"
        )
        + _IN
        + _APPLIED
    ],
)
rules.row(
    f"{_A}.Variable",
    "torch_as_variable({data}, requires_grad={requires_grad=False})",
    value="TorchVariable",
    cases=[
        "isinstance(x, torch.autograd.Variable), isinstance(3, torch.autograd.Variable)",
        "list(map(torch.autograd.Variable, [x, y]))",
        "torch.autograd.Variable(x)",
        "h = w * 2\nv = torch.autograd.Variable(h), torch.autograd.Variable(w, False)\n"
        "(h + v[0] + v[1]).sum().backward()\ng = w.grad",
        "torch.autograd.Variable(x.clone(), requires_grad=True)",
    ],
)

_F = f"{_A}.functional"
_CASES = {
    "jacobian": [
        f"{_F}.jacobian(lambda t: t.exp(), u)",
        f"{_F}.jacobian(lambda s, t: (s * t, s.sum()), (u, v))",
        f"{_F}.jacobian(func=lambda t: t ** 2, inputs=u, create_graph=True)",
    ],
    "hessian": [
        f"{_F}.hessian(lambda t: (t ** 3).sum(), u)",
        f"{_F}.hessian(lambda s, t: (s * t * t).sum(), (u, v))",
    ],
    "vjp": [
        f"{_F}.vjp(lambda t: t ** 2, u, torch.tensor([1.0, 0.5]))",
        f"{_F}.vjp(lambda s, t: (s * t).sum(), (u, v))",
    ],
    "jvp": [
        f"{_F}.jvp(lambda t: t ** 2, u, torch.tensor([1.0, 0.5]))",
        f"{_F}.jvp(lambda s, t: s * t, (u, v), (torch.ones(2), torch.ones(2)))",
    ],
    "hvp": [f"{_F}.hvp(lambda t: (t ** 3).sum(), u, v=torch.tensor([1.0, 0.5]))"],
    "vhp": [f"{_F}.vhp(lambda s, t: (s * t * t).sum(), (u, v), (torch.ones(2), torch.ones(2)))"],
}
_LENIENT = "a result that depends on no input has zeros for derivatives, where torch raises"
_WAYS = {
    "jacobian": ("vectorize", "strategy"),
    "hessian": ("vectorize", "outer_jacobian_strategy"),
}


def _derived(call: str, ways: tuple[str, ...]) -> Callable[[Match], Outcome]:
    def decide(match: Match) -> Outcome:
        """Ways to the result change nothing in it, and being strict nothing where torch runs."""
        return Rewrite(
            call,
            consumed=frozenset({"strict", *ways}) & match.arguments.keys(),
            caveat=_LENIENT if match.given("strict") else None,
        )

    return decide


for _name, _cases in _CASES.items():
    _helper = "torch_hvp" if _name == "vhp" else f"torch_{_name}"
    _call = same_call(
        f"{_F}.{_name}",
        _helper,
        without=("strict", "vectorize", "strategy", "outer_jacobian_strategy"),
    )
    rules.rule(
        f"{_F}.{_name}",
        cases=[
            *(f"{_IN}r = {call}" for call in _cases),
            f"{_IN}r = {_cases[0].removesuffix(')')}, strict=True)",
        ],
    )(_derived(_call, _WAYS.get(_name, ())))

rules.row(
    f"{_A}.set_detect_anomaly",
    "TorchDetectAnomaly({mode})",
    ignored={"check_nan": "Paddle's check is the check for NaN"},
    note="Paddle reports NaN where an operator makes it, forward as well as backward",
    cases=[
        f"{_IN}torch.autograd.set_detect_anomaly(False)\n(u * v).sum().backward()\ng = u.grad",
        f"{_IN}with torch.autograd.set_detect_anomaly(True):\n"
        "    (u * v).sum().backward()\ng = u.grad",
    ],
)
rules.row(
    f"{_A}.detect_anomaly",
    "TorchDetectAnomaly(True)",
    ignored={"check_nan": "Paddle's check is the check for NaN"},
    note="Paddle reports NaN where an operator makes it, forward as well as backward",
    cases=[f"{_IN}with torch.autograd.detect_anomaly():\n    (u * v).sum().backward()\ng = u.grad"],
)
rules.row(
    f"{_A}.graph.save_on_cpu",
    "paddle.autograd.saved_tensors_hooks(lambda kept: (kept.place, kept.cpu()), "
    "lambda kept: kept[1].to(kept[0]))",
    signature="(pin_memory=False, device_type='cuda')",
    ignored={
        "pin_memory": "page-locked memory changes the speed of copies alone",
        "device_type": "each tensor goes back to where it was",
    },
    cases=[
        f"{_IN}with torch.autograd.graph.save_on_cpu():\n    z = (u * u).sum()\nz.backward()\n"
        "g = u.grad",
    ],
)
rules.row(
    f"{_A}.graph.saved_tensors_hooks",
    "paddle.autograd.saved_tensors_hooks({pack_hook}, {unpack_hook})",
    cases=[
        f"{_IN}with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):\n"
        "    z = (u * u).sum()\nz.backward()\ng = u.grad",
    ],
)
