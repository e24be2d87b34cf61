"""Members of torch.Size, torch.device, torch.dtype and torch.Generator."""

from __future__ import annotations

from workbench.rules.keys import is_key
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.rules.rule import RuleSet

rules = RuleSet()


@rules.rule(
    "torch.Size",
    value="paddle.Size",
    unpacked="paddle.Size(...)",
    signature="(iterable=())",
    cases=[
        "k = ([2, 3],)\ntorch.Size(*k).numel(), torch.Size(*k) == torch.Size([2, 3])",
        "{torch.Size([2]): 1}[torch.Size((2,))], hash(torch.Size([2])) == hash((2,))",
        "k = {x.shape: 1}\nk.get(torch.Size([3, 4])), torch.Size([3]) in k",
        "torch.Size([2, 3])",
        "torch.Size((2, 3)) == x[:2, :3].shape",
        "isinstance(x.shape, torch.Size)",
    ],
)
def size(match: Match) -> Outcome:
    """Paddle's Size is a list, and no key."""
    return Rewrite("tuple({iterable=()})" if is_key(match) else "paddle.Size({iterable=[]})")


rules.row(
    "torch.Size.numel", "{self}.numel()", cases=["x.shape.numel()", "torch.Size([2, 3]).numel()"]
)
for _name in ("__add__", "__radd__", "__mul__", "__rmul__", "__getitem__"):
    rules.row(
        f"torch.Size.{_name}",
        f"{{self}}.{_name}({{other}})",
        signature="(other)",
        cases=[f"x.shape.{_name}({'0' if 'get' in _name else '2' if 'mul' in _name else '(1,)'})"],
    )
rules.row(
    "torch.device.type", "{self}.type", cases=["x.device.type", "torch.device('cuda', 1).type"]
)
rules.row(
    "torch.device.index",
    "{self}.index",
    cases=["torch.device('cuda:1').index", "x.device.index"],
    note="a device without a number counts as the first",
)
rules.refuse(
    "torch.device.__enter__",
    "torch.device.__exit__",
    reason="Paddle's devices are no context managers",
    instead="paddle.device.device_guard or paddle.set_device",
)
rules.row(
    "torch.dtype.is_floating_point",
    "torch_kind({self}) == 2",
    cases=["x.dtype.is_floating_point", "torch.int64.is_floating_point"],
)
rules.row("torch.dtype.is_complex", "torch_kind({self}) == 3", cases=["x.dtype.is_complex"])
rules.row(
    "torch.dtype.is_signed",
    "torch_is_signed({self})",
    cases=["x.dtype.is_signed", "torch.uint8.is_signed"],
)
rules.row(
    "torch.dtype.itemsize",
    "torch_dtype_size({self})",
    cases=["x.dtype.itemsize", "torch.bfloat16.itemsize", "torch.bool.itemsize"],
)
rules.row("torch.dtype.to_complex", "torch_to_complex({self})", cases=["x.dtype.to_complex()"])
rules.row("torch.dtype.to_real", "torch_to_real({self})", cases=["torch.complex128.to_real()"])
rules.refuse("torch.dtype.abbr", reason="Paddle's dtypes have no short names", instead="str(dtype)")
rules.row(
    "torch.Generator.clone_state",
    "torch_cloned_generator({self})",
    cases=[
        "g = torch.Generator().manual_seed(3)\nh = g.clone_state()\nt = h.initial_seed()\ng = h = 0"
    ],
)
rules.row(
    "torch.Generator.device",
    "paddle.device('cpu')",
    note="Paddle's generators do not tell their device",
    cases=["str(torch.Generator().device)", "torch.Generator('cpu').device.type"],
)
rules.refuse(
    "torch.Generator.get_offset",
    "torch.Generator.set_offset",
    "torch.Generator.graphsafe_get_state",
    "torch.Generator.graphsafe_set_state",
    reason="Paddle's generators have a state as a whole alone",
    instead="generator.get_state() and set_state()",
)
