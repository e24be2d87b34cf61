"""Rules of tensor functions that exist as function, method and in-place method."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from workbench.rules.difference import unless
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite, Shared
from workbench.rules.rule import Function, Rule, RuleSet
from workbench.source.tree import children, inside
from workbench.source.types import dtypes
from workbench.source.types.lattice import Plain, Tensor, Value
from workbench.source.uses import UseKind
from workbench.upstream.calls import call_signatures
from workbench.upstream.facts import load

T: Final = "torch.Tensor."
PLACED: Final = "JAX chooses the device"
DEVICE: Final = {"device": PLACED}
NOWHERE: Final = {
    "non_blocking": "JAX copies asynchronously",
    "memory_format": "XLA lays out arrays",
}
_INTO: Final = Refusal(
    "JAX arrays cannot be changed in place, so that none can be given as `out`", "y = f(x)"
)
SHARED: Final = Refusal(
    "JAX arrays cannot be changed in place, and another name may refer to this one",
    "x = x + y, where nothing else needs the change",
)
# Functions whose result no other name can refer to.
_FRESH: Final = frozenset(
    {
        *("arange", "clone", "empty", "empty_like", "eye", "full", "full_like", "linspace"),
        *("new_empty", "new_full", "new_ones", "new_zeros", "ones", "ones_like", "tensor"),
        *("zeros", "zeros_like"),
    }
)
# Changes in place whose other operands have the dtype of the tensor, or do not matter.
_KEEPING: Final = frozenset(
    {"scatter_add_", "scatter_", "scatter_reduce_", "index_add_", "index_copy_", "index_fill_"}
    | {
        "fill_diagonal_",
        "masked_fill_",
        "zero_",
        "fill_",
        "neg_",
        "abs_",
        "round_",
        "floor_",
        "ceil_",
        "trunc_",
    }
    | {"tril_", "triu_", "relu_", "squeeze_", "unsqueeze_", "t_", "transpose_", "detach_"}
)


class Functions(RuleSet):
    """A rule set whose rows serve the forms of a name; `out=` is refused."""

    def both(
        self,
        name: str,
        *templates: str,
        ignored: Mapping[str, str] | None = None,
        note: str | None = None,
        inplace: bool = True,
    ) -> None:
        """Add the rules of `torch.<name>`, `torch.Tensor.<name>` and `torch.Tensor.<name>_`.

        Args:
            name: without `torch.`.
            templates: of the function, with `{input}` for the first argument.
            ignored: parameters without effect.
            note: said of every form.
            inplace: whether the in-place method gets a rule.
        """
        method = tuple(one.replace("{input}", "{self}") for one in templates)
        forms = [(f"torch.{name}", templates), (T + name, method)]
        forms += [(f"{T}{name}_", method)] if inplace else []
        for full, texts in forms:
            if full not in load().names:
                continue
            known = _parameters(full)
            rule = Rule(
                full,
                texts,
                ignored={key: why for key, why in (ignored or {}).items() if key in known},
                note=note,
            )
            self.rules.append(in_place(rule) if full.endswith("_") else without_out(rule))

    def deciding(self, *names: str) -> _Deciding:
        """Return a decorator that adds a function as the rule of all forms of these names."""
        return _Deciding(self, names)


class _Deciding:
    def __init__(self, rules: RuleSet, names: tuple[str, ...]) -> None:
        self._rules = rules
        self._names = names

    def __call__(self, function: Function) -> Function:
        for name in self._names:
            for full in (f"torch.{name}", T + name, f"{T}{name}_"):
                if full in load().names:
                    rule = Rule(full, function=function)
                    done = in_place(rule) if full.endswith("_") else without_out(rule)
                    self._rules.rules.append(done)
        return function


def without_out(rule: Rule) -> Rule:
    """Return the rule, with a refusal of `out=` if torch's function takes it."""
    if "out" not in _parameters(rule.name):
        return rule

    def decide(match: Match) -> Outcome:
        return _INTO if match.given("out") else rule.apply(match)

    return replace(rule, function=decide)


def in_place(rule: Rule) -> Rule:
    """Return the rule of an in-place method from one that computes its result."""

    def decide(match: Match) -> Outcome:
        return rebound(match, rule.apply(match))

    return Rule(rule.name, function=decide)


def rebound(match: Match, outcome: Outcome) -> Outcome:
    """Return the outcome that binds the result to the name of the tensor that torch changes.

    It is a refusal if another name may refer to the tensor. The result keeps the tensor's dtype.
    """
    if isinstance(outcome, Refusal):
        return outcome
    if not isinstance(outcome, Rewrite):
        return SHARED
    result = _with_dtype(match, outcome)
    if match.use.makers or _is_fresh(match.use.receiver):
        return replace(result, assigned=bool(match.use.makers))
    return Shared(SHARED.reason, SHARED.instead, result)


def _with_dtype(match: Match, outcome: Rewrite) -> Rewrite:
    """Return the outcome with the dtype of the changed tensor, or with the condition of that."""
    if _keeps_dtype(match):
        return outcome
    if not isinstance(match.use.receiver, ast.Name):
        return replace(outcome, differs=(*outcome.differs, *_WIDER))
    return replace(outcome, template=f"({outcome.template}).astype({{self}}.dtype)")


_WIDER: Final = unless(
    "if an argument has a wider dtype than the tensor: torch keeps the tensor's own dtype"
)


def _is_fresh(node: ast.expr | None) -> bool:
    """Return whether an expression is a tensor that was just created and has no name."""
    if not isinstance(node, ast.Call):
        return False
    called = node.func
    return (called.attr if isinstance(called, ast.Attribute) else "") in _FRESH


def _keeps_dtype(match: Match) -> bool:
    """Return whether the operation is known to keep the dtype of the tensor that it changes."""
    if match.use.name.rpartition(".")[2] in _KEEPING:
        return True
    mine = match.use.receiver_value
    given = [*match.use.values, *match.use.keywords.values()]
    if all(isinstance(one, Plain) for one in given):
        return True
    if not isinstance(mine, Tensor) or dtypes.kind(mine.dtype) != 2:
        return False
    return all(
        _is_no_wider(mine, one)
        for one in given
        if isinstance(one, Tensor) or match.use.kind is UseKind.AUGMENTED
    )


def _is_no_wider(mine: Tensor, other: Value) -> bool:
    if not isinstance(other, Tensor):
        return True
    if dtypes.kind(other.dtype) in {0, 1}:
        return True
    return mine.dtype in {"floating", "float32"} and other.dtype is not None


def tensor_of(match: Match) -> Value:
    """Return the value of the tensor that a function or method works on."""
    use = match.use
    return use.receiver_value if use.receiver is not None else match.value("input")


def dtype_kind(match: Match) -> int | None:
    """Return the kind of dtype of the tensor that it works on, as `dtypes.kind`."""
    value = tensor_of(match)
    return dtypes.kind(value.dtype) if isinstance(value, Tensor) else None


# What Python's numbers and texts are made from, which have no gradient.
_NUMBERS: Final = frozenset({"item", "tolist"})
_OUTSIDE: Final = frozenset({"float", "int", "round", "print"})


def is_read(match: Match) -> bool:
    """Return whether Python's numbers or texts are made from a result: `x.norm().item()`.

    No gradient flows through it then.
    """
    parents = {id(part): node for node in inside(match.use.statement) for part in children(node)}
    node: ast.AST = match.use.node
    while True:
        parent = parents.get(id(node))
        match parent:
            case ast.Attribute(attr=attr) if attr in _NUMBERS:
                return True
            case ast.FormattedValue():
                return True
            case ast.Call(func=ast.Name(id=name)) if name in _OUTSIDE:
                return True
            case ast.Call(func=func) if func is not node:
                return False
            case ast.Attribute() | ast.Call():
                node = parent
            case _:
                return False


def written(match: Match, template: str, *consumed: str) -> Rewrite:
    """Return a rewrite for a function or method; `{input}` is the receiver of a method."""
    if match.use.receiver is not None and "input" not in match:
        template = template.replace("{input}", "{self}")
    used = frozenset(consumed) & match.arguments.keys()
    return Rewrite(template, consumed=used)


def _parameters(name: str) -> frozenset[str]:
    called = {p.name for one in call_signatures(name) for p in one.parameters}
    return frozenset(called or load().parameter_names(name))
