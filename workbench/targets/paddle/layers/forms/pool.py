"""Pooling, layers and functions, as Paddle writes them."""

from __future__ import annotations

from workbench.rules.difference import at
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.source.traits.program import Program
from workbench.source.uses import UseKind
from workbench.targets.paddle.common.writing import UNBATCHED, flag, floats, underived
from workbench.words import words

forms = FormSet()

_MEMBERS = words(
    "kernel_size stride padding dilation return_indices count_include_pad divisor_override"
)
_ADAPTIVE_MEMBERS = ("output_size", "return_indices")
_NAN = at("a maximum ignores NaN in {target}; in torch it is NaN")


def _pool(name: str, own: str, function: str) -> None:
    """Add the forms of a layer, `MaxPool2d`, and its function, with Paddle's names."""
    native = f"paddle.nn.{own}"
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
        if not floats(match, "input"):
            return None
        return _written(match, f"paddle.nn.functional.{function}", average)


def _written(match: Match, callee: str, average: bool) -> Outcome | None:
    """Return Paddle's pooling; an average excludes padding unless the call says otherwise.

    With a divisor it still excludes padding, where torch counts nothing.
    """
    counted = flag(match, "count_include_pad")
    if match.given("dilation", "return_indices") or counted is None:
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
    return Rewrite(f"{callee}({', '.join(parts)})", consumed=consumed, differs=differs)


for _dims in (1, 2, 3):
    for _kind, _function in (
        ("MaxPool", "max_pool"),
        ("AvgPool", "avg_pool"),
        ("AdaptiveAvgPool", "adaptive_avg_pool"),
        ("AdaptiveMaxPool", "adaptive_max_pool"),
    ):
        _pool(f"{_kind}{_dims}d", f"{_kind}{_dims}D", f"{_function}{_dims}d")
