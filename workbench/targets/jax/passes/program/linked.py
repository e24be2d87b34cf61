"""Uses that are converted together: layers, their keys, and the steps that train them.

A class of layers takes keys from whoever makes it, and a training step calls the optimizer of a
model. One of them alone would leave a program that no other fix completes.
"""

from __future__ import annotations

from workbench.convert.decide.planner import Plan
from workbench.rules.outcome import Keep, Rewrite

_LINKED = (
    "torch.manual_seed",
    "torch.nn.",
    "torch.optim.",
    "torch.Tensor.backward",
    "torch.Tensor.grad",
    "torch.Tensor.requires_grad",
)
_STOPPED = "lax.stop_gradient("
_FUNCTIONS = "torch.nn.functional."


def is_linked(plan: Plan) -> bool:
    """Return whether a use is converted only together with the others of its kind in the file."""
    name, outcome = plan.use.name, plan.outcome
    if not isinstance(outcome, Rewrite | Keep):
        return False
    if outcome.elsewhere:
        return True
    if isinstance(outcome, Rewrite) and ("rngs" in outcome.template or _STOPPED in outcome.pieces):
        return True
    return name.startswith(_LINKED) and not name.startswith(_FUNCTIONS)
