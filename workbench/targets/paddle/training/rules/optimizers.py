"""Optimizers: helpers with torch's arithmetic, state and parameter groups."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.words import words

rules = RuleSet()


_NAMES = words("SGD Adam AdamW Adamax NAdam RAdam RMSprop Adagrad Adadelta ASGD Rprop")

for _name in _NAMES:
    rules.counterpart(f"torch.optim.{_name}", f"Torch{_name}")

rules.counterpart("torch.optim.Optimizer", "TorchOptimizer")
rules.keep("torch.optim.Optimizer.__init__")
rules.keep("torch.optim.Optimizer.step")
for _name in _NAMES:
    rules.keep(f"torch.optim.{_name}.__init__")
    if _name != "AdamW":  # it has Adam's
        rules.keep(f"torch.optim.{_name}.step")
rules.keep("torch.optim.Adagrad.share_memory")
rules.keep("torch.optim.Optimizer.zero_grad")
rules.keep("torch.optim.Optimizer.param_groups")
rules.keep("torch.optim.Optimizer.add_param_group")
rules.keep("torch.optim.Optimizer.state_dict")
rules.keep("torch.optim.Optimizer.load_state_dict")
rules.keep("torch.optim.Optimizer.state")
rules.keep("torch.optim.Optimizer.defaults")
for _when, _helper in (("pre", "torch_before_step"), ("post", "torch_after_step")):
    rules.row(f"torch.optim.Optimizer.register_step_{_when}_hook", f"{_helper}({{self}}, {{hook}})")
