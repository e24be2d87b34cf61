"""Processes on one machine: Paddle too adopts Python's functions and shares tensors."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.upstream.supplement import HIDDEN

rules = RuleSet()

_M = "torch.multiprocessing"
_TARGET = "paddle.incubate.multiprocessing"
for _name in HIDDEN:
    _owner, _, _member = _name.rpartition(".")
    if _owner == _M:
        rules.counterpart(_name, f"{_TARGET}.{_member}")
for _name in ("spawn", "start_processes"):
    rules.row(
        f"{_M}.{_name}",
        "torch_start_processes({fn}, {args}, {nprocs}, join={join}, daemon={daemon}, "
        "start_method={start_method})",
        note="if a process fails, a RuntimeError is raised here, and the process prints its"
        " traceback",
    )
rules.row(
    f"{_M}.set_sharing_strategy",
    "setattr(TorchSettings, 'sharing_strategy', {new_strategy})",
    note="it keeps its value and has no other effect: Paddle shares memory through files",
)
rules.row(f"{_M}.get_sharing_strategy", "TorchSettings.sharing_strategy")
rules.row(f"{_M}.get_all_sharing_strategies", "set(('file_descriptor', 'file_system'))")
