"""Pooling, layers and functions, as Paddle writes them."""

from __future__ import annotations

from workbench.rules.difference import at, unless
from workbench.rules.forms import FormSet
from workbench.rules.match import NOT_CONSTANT, Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.source.traits.program import Program
from workbench.source.uses import UseKind
from workbench.targets.paddle.common.writing import (
    UNBATCHED,
    flag,
    floats,
    is_sample,
    underived,
)
from workbench.words import words

forms = FormSet()

_MEMBERS = words(
    "kernel_size stride padding dilation return_indices count_include_pad divisor_override"
)
_ADAPTIVE_MEMBERS = ("output_size", "return_indices")
_ENDING = unless(
    "with ceil_mode, {target} adds a window that starts in the padding: the result is larger if"
    " the stride is more than the kernel size less the padding"
)
_NAN = at("a maximum ignores NaN in {target}; in torch it is NaN")


def _pool(name: str, own: str, function: str) -> None:
    """Add the forms of a layer, `MaxPool2d`, and its function, with Paddle's names."""
    native, dims = f"paddle.nn.{own}", 2 + int(name[-2])
    average = name.startswith("Avg")
    base = f"_{name[:-2]}Nd"  # Paddle's classes do not have this base
    passed_differs = (*UNBATCHED, *_NAN) if "Max" in name else UNBATCHED
    members = (*(_ADAPTIVE_MEMBERS if name.startswith("Adaptive") else _MEMBERS), base)

    def value(program: Program) -> str | None:
        plain = underived(program, name) and not program.reads(*members)
        return native if plain else None

    def passed_value(program: Program) -> str | None:
        """Write the class of `paddle.compat`, whose average takes torch's arguments."""
        plain = value(program)
        return plain and (f"paddle.compat.nn.{own}" if average else plain)

    @forms.form(f"torch.nn.{name}", value=passed_value, value_differs=passed_differs)
    def layer(match: Match) -> Outcome | None:
        if average and match.use.kind in {UseKind.INDIRECT, UseKind.PARTIAL}:
            replacement = passed_value(match.program)
            return Rewrite(replacement, callee_only=True) if replacement else None
        return _written(match, native, average) if value(match.program) else None

    @forms.form(
        f"torch.nn.functional.{function}",
        value=f"paddle.nn.functional.{function}",
        value_differs=passed_differs,
    )
    def call(match: Match) -> Outcome | None:
        if not floats(match, "input") or is_sample(match, dims):
            return None
        return _written(match, f"paddle.nn.functional.{function}", average)


def _written(match: Match, callee: str, average: bool) -> Outcome | None:
    """Return Paddle's pooling; an average excludes padding unless the call says otherwise.

    With a divisor it still excludes padding, where torch counts nothing.
    """
    counted = flag(match, "count_include_pad")
    if match.given("dilation", "return_indices") or counted is None:
        return None
    ends = _may_end_in_padding(match)
    if ends and all(match.constant(one, 0) is not NOT_CONSTANT for one in _WINDOW):
        return None
    parts = []
    for name, argument in sorted(match.arguments.items(), key=lambda item: item[1].indexes[0]):
        if name in ("dilation", "return_indices", "count_include_pad"):
            continue
        first = name in ("input", "kernel_size", "stride", "padding", "output_size")
        by_place = first and argument.indexes[0] < len(match.use.arguments)
        keyword = "x" if name == "input" else name
        parts.append(f"{{{name}}}" if by_place else f"{keyword}={{{name}}}")
    if average and match.given("padding") and (counted or match.given("divisor_override")):
        parts.append("exclusive=False")
    consumed = frozenset({"dilation", "return_indices", "count_include_pad"})
    largest = "max" in match.use.name.lower()
    differs = (*UNBATCHED, *_NAN) if largest else UNBATCHED
    differs += _ENDING if ends else ()
    return Rewrite(f"{callee}({', '.join(parts)})", consumed=consumed, differs=differs)


_WINDOW = ("kernel_size", "stride", "padding", "ceil_mode")


def _may_end_in_padding(match: Match) -> bool:
    """Return whether a last window may start in the padding, which torch leaves out.

    It may if windows are further apart than their size without the padding.
    """
    if flag(match, "ceil_mode", False) is False or not match.given("padding"):
        return False
    sizes = [_sides(match, one) for one in ("kernel_size", "stride", "padding")]
    kernel, stride, padding = sizes[0], sizes[1] or sizes[0], sizes[2]
    if not kernel or not stride or not padding:
        return True
    dims = range(max(map(len, (kernel, stride, padding))))
    each = [(*one,) * (1 if len(one) > 1 else len(dims)) for one in (kernel, stride, padding)]
    return any(each[1][at] > each[0][at] - each[2][at] for at in dims)


def _sides(match: Match, name: str) -> tuple[int, ...]:
    """Return the literal sizes of an argument, or () if it is not given or is computed."""
    given = match.constant(name, None)
    found = given if isinstance(given, tuple | list) else (given,)
    return tuple(found) if all(type(one) is int for one in found) else ()


for _dims in (1, 2, 3):
    for _kind, _function in (
        ("MaxPool", "max_pool"),
        ("AvgPool", "avg_pool"),
        ("AdaptiveAvgPool", "adaptive_avg_pool"),
        ("AdaptiveMaxPool", "adaptive_max_pool"),
    ):
        _pool(f"{_kind}{_dims}d", f"{_kind}{_dims}D", f"{_function}{_dims}d")
