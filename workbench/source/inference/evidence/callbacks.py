"""Functions that torch calls: hooks, and functions that it maps or differentiates."""

from __future__ import annotations

import ast
import re

from workbench.source.types.lattice import ASSUMED_TENSOR, UNKNOWN, Items, UserFunction, Value
from workbench.words import words

# torch functions that usually pass only tensors to a function.
_WITH_TENSORS = frozenset(
    words(
        "torch.vmap torch.func.vmap torch.func.grad torch.func.grad_and_value "
        "torch.func.jacrev torch.func.jacfwd torch.func.hessian torch.func.vjp torch.func.jvp "
        "torch.func.linearize torch.func.functionalize torch.autograd.functional.jacobian "
        "torch.autograd.functional.hessian torch.autograd.functional.vjp "
        "torch.autograd.functional.jvp torch.autograd.functional.hvp "
        "torch.autograd.functional.vhp torch.autograd.gradcheck torch.autograd.gradgradcheck "
        "torch.utils.checkpoint.checkpoint torch.jit.trace torch.cond "
        "torch.nn.TripletMarginWithDistanceLoss "
        "torch.nn.functional.triplet_margin_with_distance_loss torch.Tensor.register_hook"
    )
)
# Parameter names of collections of tensors, or of something else.
_COLLECTION = re.compile(r"param|buffer|weights$|state|tree|model|module|net$|fn$|func|args$")
_TENSORS = Items("tuple", ASSUMED_TENSOR)


def takes_tensors(name: str) -> bool:
    """Return whether functions passed to this torch function are called with tensors."""
    return name in _WITH_TENSORS


def may_be_tensor(parameter: str) -> bool:
    """Return False for parameter names that mean something other than a tensor."""
    return _COLLECTION.search(parameter) is None


def of_hook(name: str, module: Value, output: Value, hook: UserFunction) -> list[Value]:
    """Return the arguments of a module's hook; empty for functions that do not register hooks."""
    count = len(hook.node.args.args) - (hook.receiver is not None)
    return {
        ("register_forward_hook", 3): [module, _TENSORS, output],
        ("register_forward_hook", 4): [module, _TENSORS, UNKNOWN, output],
        ("register_forward_pre_hook", 2): [module, _TENSORS],
        ("register_forward_pre_hook", 3): [module, _TENSORS, UNKNOWN],
        ("register_backward_hook", 3): [module, _TENSORS, _TENSORS],
        ("register_full_backward_hook", 3): [module, _TENSORS, _TENSORS],
        ("register_full_backward_pre_hook", 2): [module, _TENSORS],
    }.get((name.removeprefix("torch.nn.Module."), count), [])


def required(function: UserFunction) -> set[str]:
    """Return the parameters without a default."""
    arguments: ast.arguments = function.node.args
    placed = [*arguments.posonlyargs, *arguments.args]
    return {one.arg for one in placed[: len(placed) - len(arguments.defaults)]}
