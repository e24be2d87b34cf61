"""`torch.nn.init`."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call
from workbench.rules.unpacked import through_lambda
from workbench.upstream.facts import load

rules = RuleSet()

_WEIGHT = "l = nn.Linear(40, 300)\n"
_CONV = "l = nn.Conv2d(8, 12, 3)\n"


def _rough(setup: str, call: str, deviation: float) -> str:
    """A case that compares the deviation of random values, and that the very tensor comes back."""
    return (
        f"{setup}_v = {call}\n_s = float(np.std(np.asarray(_v.detach())))\n"
        f"0.95 < _s / {deviation} < 1.05, _v is l.weight"
    )


_CASES = {
    "uniform_": [
        "l = nn.Linear(4, 3)\nv = nn.init.uniform_(l.weight, a=0.5, b=0.5)\nv, v is l.weight",
        _rough(_WEIGHT, "nn.init.uniform_(l.weight, -0.1, b=0.1)", 0.0577),
    ],
    "normal_": [
        "l = nn.Linear(4, 3)\nv = nn.init.normal_(l.weight, mean=2.0, std=0.0)\nv, v is l.weight",
        _rough(_WEIGHT, "nn.init.normal_(l.weight, std=0.02)", 0.02),
    ],
    "constant_": [
        "l = nn.Linear(4, 3)\nv = nn.init.constant_(l.weight, val=0.3)\nv, v is l.weight",
        "l = nn.Linear(4, 3)\nhow = {'val': 0.3}\nnn.init.constant_(l.weight, **how)\n"
        "args = (l.bias, 2.0)\nnn.init.constant_(*args)\nr = l.weight, l.bias",
    ],
    "ones_": [
        "l = nn.Linear(4, 3)\nnn.init.ones_(l.weight)\nl.weight",
        "fill = nn.init.ones_\nr = fill(x)",
    ],
    "zeros_": ["l = nn.Linear(4, 3)\nnn.init.zeros_(tensor=l.bias)\nl.bias"],
    "eye_": ["l = nn.Linear(4, 3)\nnn.init.eye_(l.weight)"],
    "dirac_": ["l = nn.Conv2d(3, 4, 3)\nnn.init.dirac_(l.weight, groups=2)"],
    "xavier_uniform_": [_rough(_WEIGHT, "nn.init.xavier_uniform_(l.weight, gain=2.0)", 0.1534)],
    "xavier_normal_": [_rough(_WEIGHT, "nn.init.xavier_normal_(l.weight)", 0.0767)],
    "kaiming_uniform_": [
        _rough(_CONV, "nn.init.kaiming_uniform_(l.weight, a=5 ** 0.5)", 0.06804),
        _rough(_WEIGHT, "nn.init.kaiming_uniform_(l.weight, mode='fan_out')", 0.08165),
    ],
    "kaiming_normal_": [
        _rough(
            _WEIGHT,
            "nn.init.kaiming_normal_(l.weight, mode='fan_out', nonlinearity='relu')",
            0.08165,
        )
    ],
    "trunc_normal_": [
        _rough(_WEIGHT, "nn.init.trunc_normal_(l.weight, std=0.02)", 0.02),
        _rough(_WEIGHT, "nn.init.trunc_normal_(l.weight, std=1.0, a=-0.5, b=0.5)", 0.2843),
    ],
    "orthogonal_": [
        "l = nn.Linear(4, 3, bias=False)\nnn.init.orthogonal_(l.weight, gain=2)\n"
        "w2 = np.asarray(l.weight.detach())\n[round(float(s), 4) for s in "
        "(w2 @ w2.T).flatten().round(3) + 0.0]"
    ],
    "sparse_": [
        "l = nn.Linear(4, 10)\nnn.init.sparse_(l.weight, sparsity=0.3)\n"
        "(np.asarray(l.weight.detach()) == 0).sum(0).tolist()"
    ],
}
_DRAWN = (
    "g = torch.Generator().manual_seed(3)\nk = torch.Generator().manual_seed(3)\n"
    "l, t = torch.zeros(6, 4), torch.ones(6, 4)\n"
    "nn.init.{0}(l, generator=g)\nnn.init.{0}(t, generator=k)\n"
    "r = bool((l == t).all()), bool((l != 0).any())\ndel l, t, g, k"
)
for _name in _CASES.keys() - {"sparse_"}:  # torch takes the generator for half of its draws
    if "generator" in load().parameter_names(f"torch.nn.init.{_name}"):
        _CASES[_name].append(_DRAWN.format(_name))
_HELPERS = {
    "ones_": "torch_init_constant({tensor}, 1.0)",
    "zeros_": "torch_init_constant({tensor}, 0.0)",
}


def _register(name: str, cases: list[str]) -> None:
    known = load().get(f"torch.nn.init.{name}")
    assert known is not None
    value = "torch_init_" + name.removesuffix("_")
    call = _HELPERS.get(name) or same_call(f"torch.nn.init.{name}", value)
    if name in _HELPERS:
        around = through_lambda((call,), known.signatures[0], (), method=False)
        assert around is not None
        value = around.removesuffix("(...)")
    rules.row(f"torch.nn.init.{name}", call, value=value, cases=cases)


for _name, _cases in _CASES.items():
    _register(_name, _cases)

rules.row(
    "torch.nn.init.calculate_gain",
    same_call("torch.nn.init.calculate_gain", "torch_gain"),
    cases=[
        "nn.init.calculate_gain('leaky_relu', 0.2), nn.init.calculate_gain('tanh')",
        "nn.init.calculate_gain(nonlinearity='relu')",
    ],
)
rules.row(
    "torch.nn.init._calculate_fan_in_and_fan_out",
    "torch_fans({tensor})",
    cases=["l = nn.Conv2d(3, 4, 5)\nfans = nn.init._calculate_fan_in_and_fan_out(l.weight)"],
)
for _name in (
    "constant",
    "dirac",
    "eye",
    "kaiming_normal",
    "kaiming_uniform",
    "normal",
    "orthogonal",
    "sparse",
    "uniform",
    "xavier_normal",
    "xavier_uniform",
):
    _setup = "l = nn.Conv2d(3, 4, 3)" if _name == "dirac" else "l = nn.Linear(4, 3)"
    _given = {"constant": ", 0.3", "sparse": ", 0.1"}.get(_name, "")
    rules.row(
        f"torch.nn.init.{_name}",
        f"torch_init_{_name}(...)",
        note="torch has deprecated this spelling, and warns",
        cases=[
            f"{_setup}\nv = nn.init.{_name}(l.weight{_given})\nv is l.weight, v.shape\nv = 0"
            + ("\nr = l.weight" if _name in {"constant", "dirac", "eye"} else "\nl = 0")
        ],
    )
