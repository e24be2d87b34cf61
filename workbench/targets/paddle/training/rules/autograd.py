"""Gradients on request, functions with their own gradients, and derivatives of functions."""

from __future__ import annotations

import ast
from collections.abc import Callable

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call

rules = RuleSet()

_A = "torch.autograd"

NO_SECOND = (
    "gradients of gradients raise an error in Paddle for operations without a second derivative,"
    " such as softmax, GELU, layer_norm, norm, einsum or max pooling; each is reported at its line"
)

NO_THIRD = (
    "third derivatives raise an error in Paddle for division and for operations such as softplus,"
    " ReLU, square roots or clamp; write `x * y ** -1` for `x / y`"
)

NESTED = (
    "within a backward pass that another `autograd.grad` or `gradcheck` runs, it raises an error in"
    " Paddle; within `backward` it is right"
)


def is_in_backward(match: Match) -> bool:
    """Return whether a use may run in a backward pass: in a hook, or in a gradient of one's own."""
    use, names = match.use, match.program.own_traits.run_in_backward
    if use.function:
        return use.function in names
    return "" in names and any(
        isinstance(part, ast.Lambda) and any(one is use.node for one in ast.walk(part))
        for part in ast.walk(use.statement)
    )


@rules.rule(f"{_A}.grad", unpacked="torch_grad_of(...)")
def _grad(match: Match) -> Outcome:
    """Convert the result to a tuple; Paddle returns a list."""
    if match.given("is_grads_batched"):
        return Refusal("Paddle has no batched gradients", "use a loop over the batch")
    if match.given("materialize_grads"):
        return Rewrite(
            "torch_grad_of({outputs}, {inputs}, grad_outputs={grad_outputs}, "
            "retain_graph={retain_graph}, create_graph={create_graph}, "
            "materialize_grads={materialize_grads})",
            consumed=frozenset({"only_inputs", "is_grads_batched", "allow_unused"}),
        )
    nested = is_in_backward(match)
    again = match.constant("create_graph", False) is not False
    return Rewrite(
        f"tuple({'torch_nested_grad' if nested else 'paddle.grad'}({{outputs}}, {{inputs}}, "
        "grad_outputs={grad_outputs}, retain_graph={retain_graph}, create_graph={create_graph}, "
        "allow_unused={allow_unused}))",
        consumed=frozenset({"only_inputs", "is_grads_batched", "materialize_grads"}),
        caveat="; ".join([NO_SECOND] * again + [NESTED] * nested) or None,
    )


@rules.rule(f"{_A}.backward")
def _backward(match: Match) -> Outcome:
    if match.given("inputs") and not match.given("grad_variables"):
        return Rewrite(
            "torch_backward_into({inputs}, {tensors}, {grad_tensors=None}, "
            "retain_graph={retain_graph}, create_graph={create_graph})",
            consumed=frozenset({"grad_variables"}),
        )
    if match.given("create_graph", "inputs", "grad_variables"):
        return Refusal("Paddle's backward accepts only tensors and their gradients", "paddle.grad")
    return Rewrite(
        "paddle.autograd.backward({tensors}, {grad_tensors}, retain_graph={retain_graph})",
        consumed=frozenset({"create_graph", "inputs", "grad_variables"} & match.arguments.keys()),
    )


rules.row(f"{_A}.Function", "TorchFunction()", value="TorchFunction")
rules.keep(f"{_A}.Function.apply")
rules.refuse(
    f"{_A}.Function.vmap",
    f"{_A}.Function.generate_vmap_rule",
    reason="Paddle's vmap does not support custom functions",
)
for _member in (
    "mark_dirty",
    "mark_non_differentiable",
    "save_for_backward",
    "save_for_forward",
    "set_materialize_grads",
):
    rules.keep(f"{_A}.function.FunctionCtx.{_member}")
rules.row(f"{_A}.function.FunctionCtx", "TorchFunctionContext()", value="TorchFunctionContext")
for _member in ("forward", "backward", "setup_context"):
    rules.keep(f"{_A}.function._SingleLevelFunction.{_member}")
rules.refuse(
    f"{_A}.function._SingleLevelFunction.jvp",
    f"{_A}.function._SingleLevelFunction.vjp",
    reason="Paddle's custom functions have only a backward pass",
)
rules.row(f"{_A}.function.once_differentiable", "torch_same({fn})")
rules.row(
    f"{_A}.Variable",
    "torch_as_variable({data}, requires_grad={requires_grad=False})",
    value="TorchVariable",
)

_F = f"{_A}.functional"
_LENIENT = "the derivative of a result that depends on no input is zero; torch raises an error"
_WAYS = {
    "jacobian": ("vectorize", "strategy"),
    "hessian": ("vectorize", "outer_jacobian_strategy"),
}


# Functions that take gradients of gradients; Paddle has no other way to a product by `jvp`.
_OF_SECOND = frozenset({"hessian", "jvp", "hvp", "vhp"})


def _derived(name: str, call: str) -> Callable[[Match], Outcome]:
    def decide(match: Match) -> Outcome:
        """Drop strategies, which do not change the result, and strictness, which only raises."""
        twice = name in _OF_SECOND or match.constant("create_graph", False) is not False
        thrice = match.program.differentiates_thrice
        caveats = [NO_SECOND] * twice + [NO_THIRD] * thrice + [_LENIENT] * match.given("strict")
        return Rewrite(
            call,
            consumed=frozenset({"strict", *_WAYS.get(name, ())}) & match.arguments.keys(),
            caveat="; ".join(caveats) or None,
        )

    return decide


for _name in ("jacobian", "hessian", "vjp", "jvp", "hvp", "vhp"):
    _helper = "torch_hvp" if _name == "vhp" else f"torch_{_name}"
    _call = same_call(
        f"{_F}.{_name}",
        _helper,
        without=("strict", "vectorize", "strategy", "outer_jacobian_strategy"),
    )
    rules.rule(f"{_F}.{_name}")(_derived(_name, _call))

rules.row(
    f"{_A}.set_detect_anomaly",
    "TorchDetectAnomaly({mode})",
    ignored={"check_nan": "Paddle only checks for NaN"},
    note="Paddle reports NaN at the operator that produces it, also in the forward pass",
)
rules.row(
    f"{_A}.detect_anomaly",
    "TorchDetectAnomaly(True)",
    ignored={"check_nan": "Paddle only checks for NaN"},
    note="Paddle reports NaN at the operator that produces it, also in the forward pass",
)
rules.row(
    f"{_A}.graph.save_on_cpu",
    "paddle.autograd.saved_tensors_hooks(lambda kept: (kept.place, kept.cpu()), "
    "lambda kept: kept[1].to(kept[0]))",
    ignored={
        "pin_memory": "page-locked memory affects only the speed of copies",
        "device_type": "each tensor is moved back to its device",
    },
)
rules.row(
    f"{_A}.graph.saved_tensors_hooks",
    "paddle.autograd.saved_tensors_hooks({pack_hook}, {unpack_hook})",
)
