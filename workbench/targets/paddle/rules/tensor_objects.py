"""Members of torch.Size, torch.device and torch.dtype."""

from __future__ import annotations

from workbench.rules.rule import RuleSet

rules = RuleSet()

rules.row("torch.Size", "paddle.Size({iterable=[]})", value="paddle.Size", signature="(iterable=())", cases=["torch.Size([2, 3])", "torch.Size((2, 3)) == x[:2, :3].shape", "isinstance(x.shape, torch.Size)"])
rules.row("torch.Size.numel", "{self}.numel()", cases=["x.shape.numel()", "torch.Size([2, 3]).numel()"])
