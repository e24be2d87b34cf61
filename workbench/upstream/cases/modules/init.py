"""`torch.nn.init`."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    "torch.nn.init.uniform_": (
        ("l = nn.Linear(4, 3)\nv = nn.init.uniform_(l.weight, a=0.5, b=0.5)\nv, v is l.weight"),
        (
            "l = nn.Linear(40, 300)\n_v = nn.init.uniform_(l.weight, -0.1, b=0.1)\n"
            "_s = float(np.std(np.asarray(_v.detach())))\n"
            "0.95 < _s / 0.0577 < 1.05, _v is l.weight"
        ),
        (
            "g = torch.Generator().manual_seed(3)\nk = torch.Generator().manual_seed(3)\n"
            "l, t = torch.zeros(6, 4), torch.ones(6, 4)\nnn.init.uniform_(l, generator=g)\n"
            "nn.init.uniform_(t, generator=k)\nr = bool((l == t).all()), bool((l != 0).any())\n"
            "del l, t, g, k"
        ),
    ),
    "torch.nn.init.normal_": (
        ("l = nn.Linear(4, 3)\nv = nn.init.normal_(l.weight, mean=2.0, std=0.0)\nv, v is l.weight"),
        (
            "l = nn.Linear(40, 300)\n_v = nn.init.normal_(l.weight, std=0.02)\n"
            "_s = float(np.std(np.asarray(_v.detach())))\n"
            "0.95 < _s / 0.02 < 1.05, _v is l.weight"
        ),
        (
            "g = torch.Generator().manual_seed(3)\nk = torch.Generator().manual_seed(3)\n"
            "l, t = torch.zeros(6, 4), torch.ones(6, 4)\nnn.init.normal_(l, generator=g)\n"
            "nn.init.normal_(t, generator=k)\nr = bool((l == t).all()), bool((l != 0).any())\n"
            "del l, t, g, k"
        ),
    ),
    "torch.nn.init.constant_": (
        "l = nn.Linear(4, 3)\nv = nn.init.constant_(l.weight, val=0.3)\nv, v is l.weight",
        (
            "l = nn.Linear(4, 3)\nhow = {'val': 0.3}\nnn.init.constant_(l.weight, **how)\n"
            "args = (l.bias, 2.0)\nnn.init.constant_(*args)\nr = l.weight, l.bias"
        ),
    ),
    "torch.nn.init.ones_": (
        "l = nn.Linear(4, 3)\nnn.init.ones_(l.weight)\nl.weight",
        "fill = nn.init.ones_\nr = fill(x)",
    ),
    "torch.nn.init.zeros_": ("l = nn.Linear(4, 3)\nnn.init.zeros_(tensor=l.bias)\nl.bias",),
    "torch.nn.init.eye_": ("l = nn.Linear(4, 3)\nnn.init.eye_(l.weight)",),
    "torch.nn.init.dirac_": ("l = nn.Conv2d(3, 4, 3)\nnn.init.dirac_(l.weight, groups=2)",),
    "torch.nn.init.xavier_uniform_": (
        (
            "l = nn.Linear(40, 300)\n_v = nn.init.xavier_uniform_(l.weight, gain=2.0)\n"
            "_s = float(np.std(np.asarray(_v.detach())))\n"
            "0.95 < _s / 0.1534 < 1.05, _v is l.weight"
        ),
        (
            "g = torch.Generator().manual_seed(3)\nk = torch.Generator().manual_seed(3)\n"
            "l, t = torch.zeros(6, 4), torch.ones(6, 4)\n"
            "nn.init.xavier_uniform_(l, generator=g)\nnn.init.xavier_uniform_(t, generator=k)\n"
            "r = bool((l == t).all()), bool((l != 0).any())\ndel l, t, g, k"
        ),
    ),
    "torch.nn.init.xavier_normal_": (
        (
            "l = nn.Linear(40, 300)\n_v = nn.init.xavier_normal_(l.weight)\n"
            "_s = float(np.std(np.asarray(_v.detach())))\n"
            "0.95 < _s / 0.0767 < 1.05, _v is l.weight"
        ),
        (
            "g = torch.Generator().manual_seed(3)\nk = torch.Generator().manual_seed(3)\n"
            "l, t = torch.zeros(6, 4), torch.ones(6, 4)\n"
            "nn.init.xavier_normal_(l, generator=g)\nnn.init.xavier_normal_(t, generator=k)\n"
            "r = bool((l == t).all()), bool((l != 0).any())\ndel l, t, g, k"
        ),
    ),
    "torch.nn.init.kaiming_uniform_": (
        (
            "l = nn.Conv2d(8, 12, 3)\n_v = nn.init.kaiming_uniform_(l.weight, a=5 ** 0.5)\n"
            "_s = float(np.std(np.asarray(_v.detach())))\n"
            "0.95 < _s / 0.06804 < 1.05, _v is l.weight"
        ),
        (
            "l = nn.Linear(40, 300)\n_v = nn.init.kaiming_uniform_(l.weight, mode='fan_out')\n"
            "_s = float(np.std(np.asarray(_v.detach())))\n"
            "0.95 < _s / 0.08165 < 1.05, _v is l.weight"
        ),
        (
            "g = torch.Generator().manual_seed(3)\nk = torch.Generator().manual_seed(3)\n"
            "l, t = torch.zeros(6, 4), torch.ones(6, 4)\n"
            "nn.init.kaiming_uniform_(l, generator=g)\n"
            "nn.init.kaiming_uniform_(t, generator=k)\n"
            "r = bool((l == t).all()), bool((l != 0).any())\ndel l, t, g, k"
        ),
    ),
    "torch.nn.init.kaiming_normal_": (
        (
            "l = nn.Linear(40, 300)\n"
            "_v = nn.init.kaiming_normal_(l.weight, mode='fan_out', nonlinearity='relu')\n"
            "_s = float(np.std(np.asarray(_v.detach())))\n"
            "0.95 < _s / 0.08165 < 1.05, _v is l.weight"
        ),
        (
            "g = torch.Generator().manual_seed(3)\nk = torch.Generator().manual_seed(3)\n"
            "l, t = torch.zeros(6, 4), torch.ones(6, 4)\n"
            "nn.init.kaiming_normal_(l, generator=g)\nnn.init.kaiming_normal_(t, generator=k)\n"
            "r = bool((l == t).all()), bool((l != 0).any())\ndel l, t, g, k"
        ),
    ),
    "torch.nn.init.trunc_normal_": (
        (
            "l = nn.Linear(40, 300)\n_v = nn.init.trunc_normal_(l.weight, std=0.02)\n"
            "_s = float(np.std(np.asarray(_v.detach())))\n"
            "0.95 < _s / 0.02 < 1.05, _v is l.weight"
        ),
        (
            "l = nn.Linear(40, 300)\n"
            "_v = nn.init.trunc_normal_(l.weight, std=1.0, a=-0.5, b=0.5)\n"
            "_s = float(np.std(np.asarray(_v.detach())))\n"
            "0.95 < _s / 0.2843 < 1.05, _v is l.weight"
        ),
        (
            "g = torch.Generator().manual_seed(3)\nk = torch.Generator().manual_seed(3)\n"
            "l, t = torch.zeros(6, 4), torch.ones(6, 4)\n"
            "nn.init.trunc_normal_(l, generator=g)\nnn.init.trunc_normal_(t, generator=k)\n"
            "r = bool((l == t).all()), bool((l != 0).any())\ndel l, t, g, k"
        ),
    ),
    "torch.nn.init.orthogonal_": (
        (
            "l = nn.Linear(4, 3, bias=False)\nnn.init.orthogonal_(l.weight, gain=2)\n"
            "w2 = np.asarray(l.weight.detach())\n"
            "[round(float(s), 4) for s in (w2 @ w2.T).flatten().round(3) + 0.0]"
        ),
        (
            "g = torch.Generator().manual_seed(3)\nk = torch.Generator().manual_seed(3)\n"
            "l, t = torch.zeros(6, 4), torch.ones(6, 4)\nnn.init.orthogonal_(l, generator=g)\n"
            "nn.init.orthogonal_(t, generator=k)\n"
            "r = bool((l == t).all()), bool((l != 0).any())\ndel l, t, g, k"
        ),
    ),
    "torch.nn.init.sparse_": (
        (
            "l = nn.Linear(4, 10)\nnn.init.sparse_(l.weight, sparsity=0.3)\n"
            "(np.asarray(l.weight.detach()) == 0).sum(0).tolist()"
        ),
    ),
    "torch.nn.init.calculate_gain": (
        "nn.init.calculate_gain('leaky_relu', 0.2), nn.init.calculate_gain('tanh')",
        "nn.init.calculate_gain(nonlinearity='relu')",
    ),
    "torch.nn.init._calculate_fan_in_and_fan_out": (
        "l = nn.Conv2d(3, 4, 5)\nfans = nn.init._calculate_fan_in_and_fan_out(l.weight)",
    ),
    "torch.nn.init.constant": (
        (
            "l = nn.Linear(4, 3)\nv = nn.init.constant(l.weight, 0.3)\nv is l.weight, v.shape\n"
            "v = 0\nr = l.weight"
        ),
    ),
    "torch.nn.init.dirac": (
        (
            "l = nn.Conv2d(3, 4, 3)\nv = nn.init.dirac(l.weight)\nv is l.weight, v.shape\n"
            "v = 0\nr = l.weight"
        ),
    ),
    "torch.nn.init.eye": (
        (
            "l = nn.Linear(4, 3)\nv = nn.init.eye(l.weight)\nv is l.weight, v.shape\nv = 0\n"
            "r = l.weight"
        ),
    ),
    **alike(
        "torch.nn.init",
        "kaiming_normal kaiming_uniform normal orthogonal uniform xavier_normal xavier_uniform",
        ("l = nn.Linear(4, 3)\nv = nn.init.{name}(l.weight)\nv is l.weight, v.shape\nv = 0\nl = 0"),
    ),
    "torch.nn.init.sparse": (
        (
            "l = nn.Linear(4, 3)\nv = nn.init.sparse(l.weight, 0.1)\nv is l.weight, v.shape\n"
            "v = 0\nl = 0"
        ),
    ),
}
