"""Spellings for versions of Paddle that lack the names in their rules."""

from __future__ import annotations

from workbench.rules.rule import RuleSet

rules = RuleSet()

_T = "torch.Tensor."
_DTYPES = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "bfloat16": "bfloat16",
    "byte": "uint8",
    "char": "int8",
    "short": "int16",
    "int": "int32",
    "long": "int64",
    "bool": "bool",
}
for _name, _dtype in _DTYPES.items():
    rules.before("3.2", _T + _name, f"{{self}}.astype('{_dtype}')")
rules.before(
    "3.2",
    "torch.nn.Parameter",
    "torch_older_parameter({data}, {requires_grad})",
    value="paddle.base.framework.EagerParamBase",
)
rules.before(
    "3.3",
    _T + "device",
    "{self}.place",
    caveat="it is a Place, which prints and compares differently from a torch.device",
)
rules.before("3.3", _T + "requires_grad_", "torch_older_requires_grad({self}, {mode=True})")
_MODULE = "torch.nn.Module."
rules.before("3.3", _MODULE + "modules", "{self}.sublayers(include_self=True)")
