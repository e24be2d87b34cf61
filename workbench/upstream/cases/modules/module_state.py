"""Buffers, and hooks that modules call while their state is saved and loaded."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

_TWO = "n = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))\nseen = []\n"
_SAVED = (
    "def add(m, state, prefix, meta):\n    state[prefix + 'more'] = torch.ones(1)\n"
    "    seen.append((prefix, len(state)))\n"
)

CASES: dict[str, tuple[str, ...]] = {
    **alike(
        "torch.nn.Module",
        "register_state_dict_post_hook _register_state_dict_hook",
        (
            _TWO + _SAVED + "h = n[1].{name}(add)\nr = list(n.state_dict())\n"
            "s = list(n.state_dict(prefix='top.'))\nh.remove()\nt = list(n.state_dict())\n"
            "del n, h"
        ),
        (
            _TWO + "h = n.{name}(lambda m, state, prefix, meta: seen.append(prefix))\n"
            "r = list(n.state_dict())\ndel n, h"
        ),
    ),
    "torch.nn.Module.register_state_dict_pre_hook": (
        (
            _TWO + "h = n[0].register_state_dict_pre_hook(lambda m, prefix, keep: "
            "seen.append((prefix, keep)))\nr = list(n.state_dict())\nh.remove()\n"
            "n.state_dict(keep_vars=True)\ndel n, h"
        ),
    ),
    "torch.nn.Module.register_load_state_dict_pre_hook": (
        (
            _TWO + "def fix(m, state, prefix, meta, strict, missing, unexpected, errors):\n"
            "    state[prefix + 'bias'] = state.pop(prefix + 'old')\n"
            "    seen.append((prefix, strict, missing, list(state)))\n"
            "h = n[0].register_load_state_dict_pre_hook(fix)\n"
            "k = n.load_state_dict({'0.weight': torch.ones(2, 2), '0.old': "
            "torch.ones(2), '1.bias': torch.ones(1)}, strict=False)\n"
            "r = k.missing_keys, list(k.unexpected_keys), n[0].bias, n[0].weight, n[1].bias\n"
            "del n, h, k"
        ),
    ),
    "torch.nn.Module._register_load_state_dict_pre_hook": (
        (
            _TWO + "def fix(state, prefix, meta, strict, missing, unexpected, errors):\n"
            "    state[prefix + 'bias'] = state.pop(prefix + 'old')\n"
            "    seen.append((prefix, strict, missing, list(state)))\n"
            "h = n[0]._register_load_state_dict_pre_hook(fix)\n"
            "n.load_state_dict({'0.weight': torch.ones(2, 2), '0.old': torch.ones(2), "
            "'1.bias': torch.ones(1)}, strict=False)\nr = n[0].bias\nh.remove()\ndel n, h"
        ),
        (
            _TWO + "h = n._register_load_state_dict_pre_hook(lambda m, state, *rest: "
            "state.clear(), with_module=True)\n"
            "r = n.load_state_dict({'0.weight': torch.ones(2, 2), '0.old': "
            "torch.ones(2), '1.bias': torch.ones(1)}, strict=False).missing_keys\ndel n, h"
        ),
    ),
    "torch.nn.Module.register_load_state_dict_post_hook": (
        (
            _TWO + "def forgive(m, keys):\n    seen.append(list(keys.missing_keys))\n"
            "    keys.missing_keys.clear()\n    keys.unexpected_keys.clear()\n"
            "h = n.register_load_state_dict_post_hook(forgive)\n"
            "k = n.load_state_dict({'0.weight': torch.ones(2, 2), '0.old': "
            "torch.ones(2), '1.bias': torch.ones(1)})\nr = n[1].bias, k.missing_keys\n"
            "del n, h, k"
        ),
    ),
    "torch.nn.Buffer": (
        (
            "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.shift = nn.Buffer(x[0])\n    def forward(self, v):\n"
            "        return v + self.shift\nn = Net()\nr = n(y), list(n.state_dict())\n"
            "b = dict(n.named_buffers())\ndel n"
        ),
        (
            "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.shift = nn.Buffer(torch.ones(4), persistent=False)\n"
            "    def forward(self, v):\n        return v + self.shift\nn = Net()\n"
            "r = n.double()(d), list(n.state_dict()), list(n.buffers())\ndel n"
        ),
        (
            "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.shift = nn.parameter.Buffer(x[0])\n    def forward(self, v):\n"
            "        return v + self.shift\nn = Net()\nn.shift = torch.zeros(4)\n"
            "r = n.state_dict()\ndel n"
        ),
        "b = nn.Buffer(w)\nr = b + 1, b.requires_grad",
        "n = nn.Linear(2, 2)\nn.extra = nn.Buffer(torch.ones(3))\nr = n.state_dict()\ndel n",
    ),
}
