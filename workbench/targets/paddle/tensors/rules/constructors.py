"""Tensor constructors by class (torch.Tensor, torch.FloatTensor and others) and Tensor.new."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.rules.rule import RuleSet
from workbench.targets.paddle.common.deriving import warns_of_values

rules = RuleSet()

_TYPES = {
    "Float": "float32",
    "Double": "float64",
    "Half": "float16",
    "BFloat16": "bfloat16",
    "Byte": "uint8",
    "Char": "int8",
    "Short": "int16",
    "Int": "int32",
    "Long": "int64",
    "Bool": "bool",
}

for _name, _dtype in _TYPES.items():
    _type = f'TorchTensorType("{_name}Tensor")'

    @rules.rule(f"torch.{_name}Tensor", value=_type, unpacked=f"{_type}(...)")
    def typed(match: Match, dtype: str = _dtype) -> Outcome:
        return Rewrite(f"torch_legacy_tensor({{args=[]}}, paddle.{dtype}, {{device}})")

    _type = f'TorchTensorType("{_name}Tensor", gpu=True)'

    @rules.rule(f"torch.cuda.{_name}Tensor", value=_type, unpacked=f"{_type}(...)")
    def on_gpu(match: Match, made: str = _type) -> Outcome:
        """Write a tensor on the GPU, which raises if there is none."""
        return Rewrite(f"{made}(...)")


@rules.rule("torch.Tensor", value="paddle.Tensor", warns=warns_of_values)
def tensor(match: Match) -> Outcome:
    """Write a tensor from sizes or data, in the default dtype."""
    return Rewrite("torch_legacy_tensor({args=[]}, paddle.get_default_dtype(), {device})")


rules.row("torch.Tensor.new", "torch_legacy_tensor({args=[]}, {self}.dtype, {device})")
