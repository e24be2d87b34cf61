"""torch._assert and torch._check: checks that exported programs keep."""

from __future__ import annotations

from workbench.rules.rule import RuleSet

rules = RuleSet()

rules.row(
    "torch._assert",
    "torch_assert({condition}, {message})",
    cases=["torch._assert(x.shape[0] == 3, 'rows')", "torch._assert(x.dim() == 5, 'rows')"],
)
rules.row(
    "torch._assert_async",
    "torch_assert_async({input}, {assert_msg})",
    cases=[
        "torch._assert_async((x > -100).all(), 'rows')",
        "torch._assert_async(x.sum() * 0)",
        "torch._assert_async(input=torch.tensor(False), assert_msg='rows')",
    ],
)
for _name, _error in {
    "": "RuntimeError",
    "_index": "IndexError",
    "_type": "TypeError",
    "_value": "ValueError",
    "_not_implemented": "NotImplementedError",
    "_tensor_all": "RuntimeError",
}.items():
    _on = "(x > -100)" if _name == "_tensor_all" else "x.shape[0] == 3"
    rules.row(
        f"torch._check{_name}",
        f"torch_check({_error}, {{cond}}{'.all()' if _name == '_tensor_all' else ''}, {{message}})",
        cases=[
            f"torch._check{_name}({_on}, lambda: 'three rows')",
            f"torch._check{_name}({_on})",
            f"torch._check{_name}({_on.replace('3', '4').replace('>', '<')}, lambda: 'other rows')",
        ],
    )
rules.row(
    "torch._check_with",
    "torch_check({error_type}, {cond}, {message})",
    cases=["torch._check_with(ValueError, x.dim() == 3, lambda: 'dims')"],
)
