"""torch.Tensor(...), torch.FloatTensor(...) and the like, and Tensor.new."""

from __future__ import annotations

from dataclasses import replace

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.rules.rule import RuleSet

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
_SIGNATURE = "(*args, device=None)"

for _name, _dtype in _TYPES.items():

    @rules.rule(
        f"torch.{_name}Tensor",
        signature=_SIGNATURE,
        value="paddle.Tensor",
        cases=[
            f"torch.{_name}Tensor([1, 0, 1])",
            f"torch.{_name}Tensor(2, 3).shape",
            f"torch.{_name}Tensor([[1, 2]]).dtype",
            f"torch.{_name}Tensor().shape",
        ],
    )
    def typed(match: Match, dtype: str = _dtype) -> Outcome:
        return Rewrite(f"torch_legacy_tensor({{args=[]}}, paddle.{dtype}, {{device}})")

    rules.rules[-1] = replace(
        rules.rules[-1],
        caveat="as a type it says nothing of the dtype: Paddle has one class of tensors",
    )


@rules.rule(
    "torch.Tensor",
    signature=_SIGNATURE,
    value="paddle.Tensor",
    cases=[
        "torch.Tensor([1, 2])",
        "torch.Tensor(2, 3).shape",
        "torch.Tensor([[1.5]])",
        "torch.Tensor(x)",
        "isinstance(x, torch.Tensor)",
        "torch.Tensor(np.ones((2, 2))).dtype",
        "torch.Tensor(x.size()).shape",
    ],
)
def tensor(match: Match) -> Outcome:
    """Sizes, or data, in the default dtype."""
    return Rewrite("torch_legacy_tensor({args=[]}, paddle.get_default_dtype(), {device})")


rules.row(
    "torch.Tensor.new",
    "torch_legacy_tensor({args=[]}, {self}.dtype, {device})",
    signature=_SIGNATURE,
    cases=["d.new([1, 2])", "i.new(2, 3).shape", "x.new().dtype"],
)
