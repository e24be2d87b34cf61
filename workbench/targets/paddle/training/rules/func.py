"""Transformations of functions, recomputation and exchange with other frameworks."""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.rules.match import Match
from workbench.rules.rule import RuleSet
from workbench.source.types.lattice import UserFunction
from workbench.targets.paddle.training.rules.autograd import NO_SECOND, NO_THIRD

rules = RuleSet()

_F = "torch.func"
_LOOP = "it is a loop over the batch dimension: the same values, but slower"
rules.counterpart(f"{_F}.grad", "torch_func_grad")
rules.counterpart(f"{_F}.grad_and_value", "torch_func_grad_and_value")
for _name in ("jacrev", "jacfwd"):
    rules.row(
        f"{_F}.{_name}",
        "torch_func_jacobian({func}, argnums={argnums})",
        ignored=dict.fromkeys(
            ("chunk_size", "_preallocate_and_copy") if _name == "jacrev" else ("randomness",),
            "it affects only how the result is computed",
        ),
    )
_DERIVATIVES = frozenset({"grad", "grad_and_value", "jacrev", "jacfwd", "hessian", "jvp", "vjp"})


def _of_a_derivative(match: Match) -> str | None:
    """Warn about a derivative of a derivative: `grad(grad(f))`, or of what has such a value."""
    node, value = match.arguments["func"].node, match.value("func")
    names = set(match.program.makers(node.id)) if isinstance(node, ast.Name) else set()
    bodies = [node, *([value.node] if isinstance(value, UserFunction) else [])]
    calls = (one for body in bodies for one in ast.walk(body) if isinstance(one, ast.Call))
    names |= {ast.unparse(one.func).rpartition(".")[2] for one in calls}
    twice = not names.isdisjoint(_DERIVATIVES) or match.program.transforms_to_order > 1
    return _of_order(twice, match)


def _of_order(twice: bool, match: Match) -> str | None:
    thrice = match.program.differentiates_thrice
    return "; ".join([NO_SECOND] * twice + [NO_THIRD] * thrice) or None


rules.rules[:] = [replace(one, warns=_of_a_derivative) for one in rules.rules]
rules.counterpart(f"{_F}.hessian", "torch_func_hessian")
rules.rules[-1] = replace(rules.rules[-1], warns=lambda match: _of_order(True, match))
rules.counterpart(f"{_F}.vjp", "torch_func_vjp")
rules.row(f"{_F}.jvp", "torch_func_jvp({func}, {primals}, {tangents})", caveat=NO_SECOND)
rules.row(
    "torch.vmap",
    "torch_vmap({func}, {in_dims=0}, {out_dims=0})",
    ignored={"randomness": "every pass draws its own numbers", "chunk_size": "it is a loop"},
    note=_LOOP,
)
rules.row(
    f"{_F}.functional_call",
    "torch_functional_call({module}, {parameter_and_buffer_dicts}, {args}, kwargs={kwargs=None})",
    ignored={"strict": "unknown names always raise an error"},
)
rules.row(
    "torch.nn.utils.stateless.functional_call",
    "torch_functional_call({module}, {parameters_and_buffers}, {args}, kwargs={kwargs=None})",
    ignored={
        "strict": ("unknown names always raise an error"),
        "tie_weights": "tied weights have only one name in Paddle",
    },
)
rules.row(f"{_F}.linearize", "torch_linearize({func}, *{primals})", caveat=NO_SECOND)
rules.row(f"{_F}.functionalize", "{func}", ignored={"remove": "in-place writes are not replaced"})
rules.row(
    f"{_F}.stack_module_state",
    "torch_stack_module_state({models})",
    note="`num_batches_tracked` of a BatchNorm is missing, since Paddle's has none",
)
rules.refuse(
    f"{_F}.debug_unwrap",
    f"{_F}.replace_all_batch_norm_modules_",
    reason="Paddle has no such function transformation",
)

_C = "torch.utils.checkpoint"
rules.counterpart(f"{_C}.checkpoint", "torch_checkpoint")
rules.row(
    f"{_C}.checkpoint_sequential",
    "torch_checkpoint_sequential({functions}, {segments}, {input})",
    ignored={"use_reentrant": "Paddle has only one way to recompute"},
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
    reason="Paddle can recompute only whole functions",
    instead="paddle.distributed.fleet.utils.recompute",
)
