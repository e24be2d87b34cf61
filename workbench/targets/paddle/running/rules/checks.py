"""torch._assert and torch._check: checks that exported programs keep."""

from __future__ import annotations

from workbench.rules.rule import RuleSet

rules = RuleSet()

rules.row("torch._assert", "torch_assert({condition}, {message})")
rules.row("torch._assert_async", "torch_assert_async({input}, {assert_msg})")
for _name, _error in {
    "": "RuntimeError",
    "_index": "IndexError",
    "_type": "TypeError",
    "_value": "ValueError",
    "_not_implemented": "NotImplementedError",
}.items():
    rules.row(f"torch._check{_name}", f"torch_check({_error}, {{cond}}, {{message}})")
rules.row("torch._check_tensor_all", "torch_check(RuntimeError, paddle.all({cond}), {message})")
rules.row("torch._check_with", "torch_check({error_type}, {cond}, {message})")
