"""Buffers, and hooks that modules call while their state is saved and loaded."""

from __future__ import annotations

import ast

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.rules.rule import RuleSet

rules = RuleSet()

_M = "torch.nn.Module"
_TWO = "n = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))\nseen = []\n"
_GONE = "\ndel n, h"
_SAVED = (
    "def add(m, state, prefix, meta):\n    state[prefix + 'more'] = torch.ones(1)\n"
    "    seen.append((prefix, len(state)))\n"
)
for _name in ("register_state_dict_post_hook", "_register_state_dict_hook"):
    rules.row(
        f"{_M}.{_name}",
        "torch_register_state_dict_post_hook({self}, {hook})",
        cases=[
            f"{_TWO}{_SAVED}h = n[1].{_name}(add)\nr = list(n.state_dict())\n"
            f"s = list(n.state_dict(prefix='top.'))\nh.remove()\nt = list(n.state_dict()){_GONE}",
            f"{_TWO}h = n.{_name}(lambda m, state, prefix, meta: seen.append(prefix))\n"
            f"r = list(n.state_dict()){_GONE}",
        ],
    )
rules.row(
    f"{_M}.register_state_dict_pre_hook",
    "torch_register_state_dict_pre_hook({self}, {hook})",
    cases=[
        f"{_TWO}h = n[0].register_state_dict_pre_hook(lambda m, prefix, keep: seen.append((prefix, "
        f"keep)))\nr = list(n.state_dict())\nh.remove()\nn.state_dict(keep_vars=True){_GONE}",
    ],
)
_GIVEN = "{'0.weight': torch.ones(2, 2), '0.old': torch.ones(2), '1.bias': torch.ones(1)}"
_RENAMED = (
    "    state[prefix + 'bias'] = state.pop(prefix + 'old')\n"
    "    seen.append((prefix, strict, missing, list(state)))\n"
)
rules.row(
    f"{_M}.register_load_state_dict_pre_hook",
    "torch_register_load_hook({self}, {hook}, 'pre')",
    cases=[
        f"{_TWO}def fix(m, state, prefix, meta, strict, missing, unexpected, errors):\n{_RENAMED}"
        f"h = n[0].register_load_state_dict_pre_hook(fix)\n"
        f"k = n.load_state_dict({_GIVEN}, strict=False)\n"
        f"r = k.missing_keys, list(k.unexpected_keys), n[0].bias, n[0].weight, n[1].bias{_GONE}, k",
    ],
)
rules.row(
    f"{_M}._register_load_state_dict_pre_hook",
    "torch_register_load_hook({self}, {hook}, 'pre', {with_module=False})",
    cases=[
        f"{_TWO}def fix(state, prefix, meta, strict, missing, unexpected, errors):\n{_RENAMED}"
        f"h = n[0]._register_load_state_dict_pre_hook(fix)\n"
        f"n.load_state_dict({_GIVEN}, strict=False)\nr = n[0].bias\nh.remove(){_GONE}",
        f"{_TWO}h = n._register_load_state_dict_pre_hook(lambda m, state, *rest: state.clear(), "
        f"with_module=True)\nr = n.load_state_dict({_GIVEN}, strict=False).missing_keys{_GONE}",
    ],
)
rules.row(
    f"{_M}.register_load_state_dict_post_hook",
    "torch_register_load_hook({self}, {hook}, 'post')",
    cases=[
        f"{_TWO}def forgive(m, keys):\n    seen.append(list(keys.missing_keys))\n"
        "    keys.missing_keys.clear()\n    keys.unexpected_keys.clear()\n"
        f"h = n.register_load_state_dict_post_hook(forgive)\nk = n.load_state_dict({_GIVEN})\n"
        f"r = n[1].bias, k.missing_keys{_GONE}, k",
    ],
)


_WITH = (
    "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.shift = {}\n    def forward(self, v):\n        return v + self.shift\nn = Net()\n"
)


@rules.rule(
    "torch.nn.Buffer",
    signature="(data=None, *, persistent=True)",
    cases=[
        f"{_WITH.format('nn.Buffer(x[0])')}r = n(y), list(n.state_dict())\n"
        "b = dict(n.named_buffers())\ndel n",
        f"{_WITH.format('nn.Buffer(torch.ones(4), persistent=False)')}"
        "r = n.double()(d), list(n.state_dict()), list(n.buffers())\ndel n",
        f"{_WITH.format('nn.parameter.Buffer(x[0])')}n.shift = torch.zeros(4)\nr = n.state_dict()\n"
        "del n",
        "b = nn.Buffer(w)\nr = b + 1, b.requires_grad",
        "n = nn.Linear(2, 2)\nn.extra = nn.Buffer(torch.ones(3))\nr = n.state_dict()\ndel n",
    ],
)
def buffer(match: Match) -> Outcome:
    """Paddle registers buffers by name: that of the attribute which takes this one."""
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
        note="outside of a module a buffer is a tensor like any other",
    )
