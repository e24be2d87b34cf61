"""`torch.nn.init`."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call
from workbench.rules.unpacked import through_lambda
from workbench.upstream.facts import load
from workbench.words import words

rules = RuleSet()

_NAMES = words(
    "uniform_ normal_ constant_ ones_ zeros_ eye_ dirac_ xavier_uniform_ xavier_normal_ "
    "kaiming_uniform_ kaiming_normal_ trunc_normal_ orthogonal_ sparse_"
)
_HELPERS = {
    "ones_": "torch_init_constant({tensor}, 1.0)",
    "zeros_": "torch_init_constant({tensor}, 0.0)",
}


def _register(name: str) -> None:
    known = load().get(f"torch.nn.init.{name}")
    assert known is not None
    value = "torch_init_" + name.removesuffix("_")
    call = _HELPERS.get(name) or same_call(f"torch.nn.init.{name}", value)
    if name in _HELPERS:
        around = through_lambda((call,), known.signatures[0], (), method=False)
        assert around is not None
        value = around.removesuffix("(...)")
    rules.row(f"torch.nn.init.{name}", call, value=value)


for _name in _NAMES:
    _register(_name)

rules.row("torch.nn.init.calculate_gain", same_call("torch.nn.init.calculate_gain", "torch_gain"))
rules.row("torch.nn.init._calculate_fan_in_and_fan_out", "torch_fans({tensor})")
for _name in words(
    "constant dirac eye kaiming_normal kaiming_uniform normal orthogonal sparse uniform "
    "xavier_normal xavier_uniform"
):
    rules.row(
        f"torch.nn.init.{_name}",
        f"torch_init_{_name}(...)",
        note="this name is deprecated in torch",
    )
