"""Data-dependent choices: traced with the example's values, and asserted at every call.

`if mask.any():` has no answer while a graph is traced. If a model is refused for such a choice, it
is traced again with the example's values. These answer what cannot be known, and each answer
becomes an assertion of the graph, whose message names the user's line. Whatever a graph can leave
open (a size that `nonzero` determines, a number used only in arithmetic) stays open.
"""

from __future__ import annotations

import ast
import linecache
import re
import traceback
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from traceback import StackSummary
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import sympy
import torch
import torch._functorch.config
from torch._subclasses import FakeTensorMode, meta_utils
from torch.fx import GraphModule
from torch.fx.experimental.symbolic_shapes import (
    ShapeEnv,
    _has_uninterpretable_sympy_function,
)

from workbench.capture.provenance import (
    innermost,
    keeping_weight_metadata,
    locations,
    user_frames,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from torch.export import ExportedProgram
    from torch.fx import Node as FxNode

    from workbench.capture.graph import Location

# Marks torch's assertions that come from the example's values.
_ANSWERED = "propagate_real_tensors"
# Added for a line that contains more than the test.
_IN_PART = " where the data decides"
_LIMIT = re.compile(r"Runtime assertion failed for expression (\w+) ([<>]=) ")
_STEP = (
    "as in the example that the model was captured with: capture it with such inputs as well, or"
    " write the choice with torch.where or torch.cond"
)
# Argument checks of torch.distributions are not choices of the model.
_DISTRIBUTIONS = Path(torch.distributions.__file__).parent
_VALID = "valid arguments"
_INVALID = "is given values that torch.distributions does not accept"
_MESSAGE = re.compile(rf"(.+): `(.+)` does not give (.+), {re.escape(_STEP)}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Assumption:
    """An assumption of a graph: `code` at `place` evaluates to `value` again."""

    place: str
    code: str
    value: str

    def __str__(self) -> str:
        return f"`{self.code}` gives {self.value}, as in the example ({self.place})"

    @property
    def message(self) -> str:
        """The error message for inputs that decide otherwise; `assumptions` parses it."""
        if self.value == _VALID:
            return f"{self.place}: `{self.code}` {_INVALID}"
        return f"{self.place}: `{self.code}` does not give {self.value}, {_STEP}"


# Assumptions made while a model was traced, by torch's wording.
Answers = dict[str, Assumption]


class NotChecked(Exception):  # noqa: N818  the caller refuses the model for its first reason
    """Raised if the graph has no assertion for an answer of the example's values."""


@contextmanager
def example_decides(*, sizes: bool = False) -> Iterator[Answers]:
    """Answer unknown values from the example's own values while open.

    Args:
        sizes: also ask the example where torch would assume the common case for most sizes; the
            shapes of results may depend on it, as those of `squeeze` do.
    """
    answers: Answers = {}
    original = ShapeEnv.guard_or_defer_runtime_assert

    def keep(self: ShapeEnv, expression: Any, words: str, fx_node: FxNode | None = None) -> bool:
        if not words.startswith(_ANSWERED) or words in answers:
            return original(self, expression, words, fx_node)
        assumption = _assumption(words, traceback.extract_stack())
        if not _has_uninterpretable_sympy_function(expression):
            answers[words] = assumption
            return original(self, expression, words, fx_node)
        # torch writes no assertions for such functions, so their numbers are fixed instead.
        for number in sorted(expression.free_symbols, key=str):
            value = self.real_tensor_prop_unbacked_vals[number]
            assertion = f"{_ANSWERED}: {number} == {value}"
            answers[assertion] = assumption
            original(self, sympy.Eq(number, value), assertion)
        return original(self, expression, words, fx_node)

    with (
        _shapes_as_traced(),
        patch.object(ShapeEnv, "evaluate_expr", _evaluate_without_fallback())
        if sizes
        else nullcontext(),
        patch.object(ShapeEnv, "guard_or_defer_runtime_assert", keep),
        patch.object(meta_utils, "_safe_copy", _copy_weight),
        patch.multiple(torch, equal=_equal, allclose=_allclose),
        patch.multiple(torch.Tensor, equal=_equal, allclose=_allclose),
        torch._functorch.config.patch(fake_tensor_propagate_real_tensors=True),
        torch.random.fork_rng(),
    ):
        yield answers


def _evaluate_without_fallback() -> Callable[..., Any]:
    original = ShapeEnv.evaluate_expr

    def evaluate(self: ShapeEnv, expression: Any, *args: Any, **kwargs: Any) -> Any:
        values = {**self.real_tensor_prop_unbacked_vals, **self.backed_var_to_val}
        known = getattr(expression, "free_symbols", set()) <= values.keys()
        if known and kwargs.get("fallback_value") is not None:
            kwargs["fallback_value"] = None
        return original(self, expression, *args, **kwargs)

    return evaluate


def _equal(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Replace `torch.equal`, which graphs do not support, by operators that they do."""
    return a.shape == b.shape and bool(torch.eq(a, b).all())


def _allclose(
    a: torch.Tensor,
    b: torch.Tensor,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
) -> bool:
    """Replace `torch.allclose` likewise."""
    return bool(torch.isclose(a, b, rtol, atol, equal_nan).all())


def _copy_weight(to: torch.Tensor, value: torch.Tensor | None) -> None:
    """Copy a tensor or a parameter; torch's own version leaves parameters uninitialized."""
    if value is not None and type(value) in (torch.Tensor, torch.nn.Parameter):
        to.copy_(value.detach())


@contextmanager
def _shapes_as_traced() -> Iterator[None]:
    """Disable torch's comparison of each traced shape with the example's while open.

    It would ask for sizes that are not known yet; the whole graph is compared with the model
    instead.
    """

    def take(_: FakeTensorMode, _op: Any, _fake: Any, _real: Any, traced: Any, _value: Any) -> Any:
        return traced

    with patch.object(FakeTensorMode, "_maybe_infer_fake_kernel_from_pytree_out", take):
        yield


def assumptions(program: ExportedProgram) -> tuple[Assumption, ...]:
    """Return the data-dependent assumptions that the program asserts."""
    found: dict[Assumption, None] = {}
    for node in _assertions(program.graph_module):
        match = _MESSAGE.fullmatch(str(node.args[1]))
        if match is not None:
            found.setdefault(Assumption(*match.groups()))
    return tuple(found)


def refuses(error: Exception) -> bool:
    """Return whether an error is raised by an assumption that an input violates."""
    return _MESSAGE.search(str(error)) is not None


def state(exported: ExportedProgram, answers: Answers) -> None:
    """Replace the message of each assertion that came from the example by the assumption's.

    Raises:
        NotChecked: the graph does not assert one of the answers.
    """
    environment = _environment(exported)
    known = environment.deferred_runtime_asserts.values() if environment is not None else ()
    expressions = {each.msg: each.expr for asserted in known for each in asserted}
    held = {node: str(node.args[1]) for node in _assertions(exported.graph_module)}
    ranges = {node: match.groups() for node, text in held.items() if (match := _LIMIT.match(text))}
    for words, assumption in answers.items():
        expression = expressions.get(words)
        beginning = f"Runtime assertion failed for expression {expression} on node"
        own = [node for node, text in held.items() if text.startswith(beginning)]
        symbols = {str(symbol) for symbol in getattr(expression, "free_symbols", ())}
        limits = [node for node, (number, _) in ranges.items() if number in symbols]
        if not own:
            # torch asserts the range of a number once, for everything known about it.
            own = [node for node in limits if ranges[node] == _limit(expression)]
        if not own:
            raise NotChecked(str(assumption))
        for node in own:
            node.args = (node.args[0], assumption.message)
        for limit in limits:
            if limit not in own and _remove_or_move(limit, own[0], expression):
                del held[limit], ranges[limit]


def decomposed(program: ExportedProgram, table: Mapping[Any, Any]) -> ExportedProgram:
    """Decompose the operators in `table`, and keep each assumption asserted only once.

    torch would otherwise repeat every assertion with its own message before the existing one.
    """
    own = any(
        _MESSAGE.fullmatch(text) or text.endswith(_INVALID)
        for text in (str(node.args[1]) for node in _assertions(program.graph_module))
    )
    once = torch._dynamo.config.patch(do_not_emit_runtime_asserts=own)
    with once, keeping_weight_metadata(), _shapes_as_traced() if own else nullcontext():
        spelled: ExportedProgram = program.run_decompositions(dict(table))
    return spelled


def _assertions(module: GraphModule) -> Iterator[FxNode]:
    for node in module.graph.nodes:
        if node.target is torch.ops.aten._assert_scalar.default:
            yield node
    for child in module.children():
        if isinstance(child, GraphModule):
            yield from _assertions(child)


def _environment(exported: ExportedProgram) -> ShapeEnv | None:
    for node in exported.graph.nodes:
        value = node.meta.get("val")
        mode = getattr(value, "fake_mode", None)
        if mode is not None:
            environment: ShapeEnv | None = mode.shape_env
            return environment
    return None


def _limit(expression: Any) -> tuple[str, str] | None:
    """Return the number and side of a one-sided bound, such as `u0 <=`, or None."""
    match expression:
        case sympy.LessThan(args=(sympy.Symbol() as number, sympy.Number())):
            return str(number), "<="
        case sympy.LessThan(args=(sympy.Number(), sympy.Symbol() as number)):
            return str(number), ">="
    return None


def _remove_or_move(limit: FxNode, assertion: FxNode, expression: Any) -> bool:
    """Remove a bound that an assertion implies, or move it after the assertion.

    Returns True if it was removed: for a fixed number, and for a boolean that torch bounds by 0 and
    1.
    """
    condition = limit.args[0]
    source = condition.args[0] if isinstance(condition, torch.fx.Node) else None
    truth = isinstance(source, torch.fx.Node) and source.target is torch.sym_ite
    if truth or isinstance(expression, sympy.Eq):
        limit.graph.erase_node(limit)
        return True
    order = {node: place for place, node in enumerate(assertion.graph.nodes)}
    if order.get(limit, len(order)) < order[assertion]:
        assertion.append(limit)
    return False


def _assumption(words: str, frames: list[traceback.FrameSummary]) -> Assumption:
    """Return the assumption of an answer; `words` are torch's, such as `...: u0 > 1 == True`."""
    _, _, asked = words.partition(": ")
    asked, _, value = asked.rpartition(" == ")
    others = [frame for frame in frames if frame.filename != __file__]
    user = "".join(StackSummary.from_list(user_frames(others)).format())
    place = innermost(locations(user))
    if place is None:
        return Assumption("the model", asked, value)
    if any(_checks_arguments(frame) for frame in others):
        return Assumption(str(place), place.code, _VALID)
    return Assumption(str(place), *_tested_expression(place, value))


def _checks_arguments(frame: traceback.FrameSummary) -> bool:
    checks = frame.name in ("__init__", "_validate_sample")
    return checks and frame.filename.startswith(str(_DISTRIBUTIONS))


def _tested_expression(place: Location, value: str) -> tuple[str, str]:
    """Return the tested expression and its value; the whole line for a test with several parts."""
    try:
        tree = ast.parse("".join(linecache.getlines(place.file)))
    except SyntaxError:
        return place.code, value
    for node in ast.walk(tree):
        if isinstance(node, (ast.If, ast.While, ast.Assert, ast.IfExp)):
            test = node.test
            inside = test.lineno <= place.line <= (test.end_lineno or test.lineno)
            if inside and isinstance(test, (ast.Compare, ast.Call, ast.Name, ast.Attribute)):
                return ast.unparse(test), value
            if inside:
                return place.code, f"{value}{_IN_PART}"
    return place.code, f"{value}{_IN_PART}" if value in ("True", "False") else value
