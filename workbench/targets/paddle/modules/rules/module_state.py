"""Buffers, and hooks that modules call while their state is saved and loaded."""

from __future__ import annotations

import ast

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.rules.rule import RuleSet

rules = RuleSet()

_M = "torch.nn.Module"
for _name in ("register_state_dict_post_hook", "_register_state_dict_hook"):
    rules.row(f"{_M}.{_name}", "torch_register_state_dict_post_hook({self}, {hook})")
rules.row(
    f"{_M}.register_state_dict_pre_hook", "torch_register_state_dict_pre_hook({self}, {hook})"
)
rules.row(
    f"{_M}.register_load_state_dict_pre_hook", "torch_register_load_hook({self}, {hook}, 'pre')"
)
rules.row(
    f"{_M}._register_load_state_dict_pre_hook",
    "torch_register_load_hook({self}, {hook}, 'pre', {with_module=False})",
)
rules.row(
    f"{_M}.register_load_state_dict_post_hook", "torch_register_load_hook({self}, {hook}, 'post')"
)


@rules.rule("torch.nn.Buffer")
def buffer(match: Match) -> Outcome:
    """Register a buffer by the name of the attribute that it is assigned to."""
    statement, plain = match.use.statement, "{data=paddle.zeros([0])}"
    aims = statement.targets if isinstance(statement, ast.Assign) else []
    own = isinstance(statement, ast.Assign) and statement.value is match.use.call
    if own and len(aims) == 1 and isinstance(aims[0], ast.Attribute):
        owner = ast.unparse(aims[0].value)
        return Rewrite(
            f"torch_buffer({owner}, {aims[0].attr!r}, {plain}, {{persistent=True}})",
        )
    return Rewrite(
        f"torch_buffer_data({plain})",
        consumed=frozenset({"persistent"}),
        note="outside a module a buffer is an ordinary tensor",
    )
