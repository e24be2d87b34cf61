"""torch._foreach_*: one operation on each tensor of a list."""

from __future__ import annotations

from workbench.rules.rule import RuleSet

rules = RuleSet()

_ONE = (
    "abs acos asin atan ceil cos cosh erf exp expm1 floor frac lgamma log log10 log1p log2 neg "
    "reciprocal round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc"
)
_FUNCTIONS = {name: f"paddle.{name}" for name in _ONE.split()} | {"erfc": "torch_erfc"}


def _both(name: str, function: str, others: str) -> None:
    """Add rules for the function and for its in-place variant."""
    for suffix in ("", "_"):
        full = f"torch._foreach_{name}{suffix}"
        rules.row(full, f"torch_foreach{suffix}({function}, {{tensors}}{others})")


for _name, _function in _FUNCTIONS.items():
    _both(_name, _function, "")
for _name, _function in {
    "add": "torch_add",
    "sub": "torch_sub",
}.items():
    _both(_name, _function, ", {other}, alpha={alpha}")
for _name, _function in {
    "mul": "torch_mul",
    "div": "torch_div",
    "pow": "torch_pow",
    "maximum": "torch_clamp",
    "clamp_min": "torch_clamp",
    "minimum": "torch_clamp",
    "clamp_max": "torch_clamp",
}.items():
    _other = ", None, {other}" if _name in {"minimum", "clamp_max"} else ", {other}"
    _both(_name, _function, _other)
_both("lerp", "torch_lerp", ", {end}, {weight}")
for _name in ("addcmul", "addcdiv"):
    _both(_name, f"torch_{_name}", ", {tensor1}, {tensor2}, {value=1}")
rules.row("torch._foreach_norm", "torch_foreach(torch_norm, {tensors}, p={ord=2}, dtype={dtype})")
rules.row("torch._foreach_max", "torch_foreach(paddle.max, {tensors})")
rules.row("torch._foreach_clone", "torch_foreach(paddle.clone, {tensors})")
rules.row("torch._foreach_mm", "torch_foreach(paddle.mm, {tensors}, {mat2})")
rules.row("torch._foreach_zero_", "torch_foreach_(paddle.zeros_like, {tensors})")
rules.row(
    "torch._foreach_copy_",
    "torch_foreach_(torch_copied, {tensors}, {src})",
    ignored={"non_blocking": "it affects only the speed of copies"},
)
