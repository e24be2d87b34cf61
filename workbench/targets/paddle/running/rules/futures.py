"""Futures, and calls that return them."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.words import words

rules = RuleSet()

for _name in ("torch.Future", "torch.jit.Future"):
    rules.row(
        _name,
        "TorchFuture({devices})",
        value="TorchFuture",
        base="TorchFuture",
        signature="(*, devices=None)",
    )
for _name in words("add_done_callback done set_result then value wait"):
    rules.keep(f"torch.Future.{_name}")
rules.keep("torch.jit.Future.set_exception")
for _room in ("torch", "torch.jit"):
    rules.counterpart(
        f"{_room}.fork", "torch_fork", note="the function runs at once, as outside TorchScript"
    )
rules.row("torch.jit.wait", "{future}.wait()")
rules.row("torch.wait", "{fut}.wait()")
rules.row("torch.futures.wait_all", "[one.wait() for one in {futures}]")
rules.row(
    "torch.futures.collect_all",
    "torch_collect_all({futures})",
    value="torch_collect_all",
    note="it waits for all futures, and its result is complete at once",
)
