"""Members of torch.Size, torch.device, torch.dtype and torch.Generator."""

from __future__ import annotations

from workbench.rules.keys import is_key
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.rules.rule import RuleSet

rules = RuleSet()


@rules.rule("torch.Size", value="paddle.Size", unpacked="paddle.Size(...)")
def size(match: Match) -> Outcome:
    """Keep the size, which is a list in Paddle and not hashable."""
    return Rewrite("tuple({iterable=()})" if is_key(match) else "paddle.Size({iterable=[]})")


rules.row("torch.Size.numel", "{self}.numel()")
for _name in ("__add__", "__radd__", "__mul__", "__rmul__", "__getitem__"):
    rules.row(f"torch.Size.{_name}", f"{{self}}.{_name}({{other}})")
rules.row("torch.device.type", "{self}.type")
rules.row(
    "torch.device.index", "{self}.index", note="`cuda` without an index has index 0, in torch None"
)
rules.refuse(
    "torch.device.__enter__",
    "torch.device.__exit__",
    reason="Paddle's devices are not context managers",
    instead="paddle.device.device_guard or paddle.set_device",
)
rules.row("torch.dtype.is_floating_point", "torch_kind({self}) == 2")
rules.row("torch.dtype.is_complex", "torch_kind({self}) == 3")
rules.row("torch.dtype.is_signed", "torch_is_signed({self})")
rules.row("torch.dtype.itemsize", "torch_dtype_size({self})")
rules.row("torch.dtype.to_complex", "torch_to_complex({self})")
rules.row("torch.dtype.to_real", "torch_to_real({self})")
rules.refuse("torch.dtype.abbr", reason="Paddle's dtypes have no short names", instead="str(dtype)")
rules.row("torch.Generator.clone_state", "torch_cloned_generator({self})")
rules.row(
    "torch.Generator.device",
    "paddle.device('cpu')",
    note="Paddle's generators have no `device`",
)
rules.refuse(
    "torch.Generator.get_offset",
    "torch.Generator.set_offset",
    "torch.Generator.graphsafe_get_state",
    "torch.Generator.graphsafe_set_state",
    reason="Paddle's generators have no offset",
    instead="generator.get_state() and set_state()",
)
