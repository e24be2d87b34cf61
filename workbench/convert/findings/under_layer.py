"""Findings about a program that runs unchanged under a target's import layer."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from workbench.codes import (
    LAYER_MISSING,
    LAYER_OTHER,
    LAYER_RAISES,
    LAYER_SAME,
    LAYER_UNKNOWN,
    LAYER_VALUES,
    THIRD_PARTY,
)
from workbench.convert.decide.planner import Plan
from workbench.convert.findings.messages import MakeFix, findings, shown_range, target_spelling
from workbench.findings import Finding, Severity
from workbench.rules.difference import Differs
from workbench.rules.outcome import Keep, Refusal, Rewrite
from workbench.rules.same import CORNER, EQUAL, LOUD, SILENT, UNTRIED
from workbench.rules.template import compile_template, placeholder_at
from workbench.source.analysis import Analysis
from workbench.source.uses import Use, UseKind
from workbench.targets import Target
from workbench.targets.layer import Found, Layer

_RARE = "it differed in trials with NaN, infinities or empty tensors"
_TROUBLE = {
    SILENT: (LAYER_OTHER, "returned something else"),
    LOUD: (LAYER_RAISES, "raised an error"),
}
_SEVERITIES = {LAYER_SAME: Severity.HINT, LAYER_VALUES: Severity.INFORMATION}
_SEVERITIES |= {LAYER_UNKNOWN: Severity.WARNING}


def findings_under(
    layer: Layer, analysis: Analysis, plans: Sequence[Plan], target: Target
) -> Iterator[Finding]:
    """Yield what each import and use of torch does under a layer."""
    for item in analysis.imports:
        try:
            if not item.own:
                layer.find(item.name)
        except LookupError as error:
            yield _finding(
                LAYER_MISSING, f"{item.name}: {_lacks(layer, error)}", analysis, item.statement
            )
    for foreign in analysis.foreign:
        yield Finding(
            code=THIRD_PARTY,
            severity=Severity.WARNING,
            message=f"{foreign.package} imports torch itself, and is not checked",
            range=analysis.range(foreign.statement),
            name=foreign.package,
        )
    own = replace(analysis, foreign=[])
    yield from findings(own, plans, target, lambda plan: lambda: None, partial(_of_plan, layer))


def _of_plan(
    layer: Layer,
    analysis: Analysis,
    plan: Plan,
    target: Target,
    make_fix: MakeFix,
    differences: Sequence[str] = (),
) -> Finding:
    code, words = _verdict(layer, plan, target, differences)
    return Finding(
        code=code,
        severity=_SEVERITIES.get(code, Severity.ERROR),
        message=f"{plan.use.name}{words}",
        range=shown_range(analysis, plan),
        certainty=plan.use.certainty,
        name=plan.use.name,
    )


def _finding(code: str, message: str, analysis: Analysis, node: ast.stmt) -> Finding:
    severity = _SEVERITIES.get(code, Severity.ERROR)
    return Finding(code=code, severity=severity, message=message, range=analysis.range(node))


def _lacks(layer: Layer, error: LookupError) -> str:
    return f"does not exist under {layer.title} ({error})"


def _verdict(
    layer: Layer, plan: Plan, target: Target, differences: Sequence[str]
) -> tuple[str, str]:
    """Return the code of a use, and what its message says after the name."""
    try:
        found = layer.find(plan.use.name)
    except LookupError as error:
        if not _may_be_found_otherwise(plan.use):
            return LAYER_MISSING, f": {_lacks(layer, error)}"
        found = Found(plan.use.name, None)
    ends = _trials(layer, plan, target, found)
    if ends == SILENT:
        return (
            LAYER_OTHER,
            f" is {found.path}, which returned something else in trials of such calls",
        )
    if ends == LOUD:
        return LAYER_RAISES, f" is {found.path}, which raised an error in trials of such calls"
    if problem := _misfit(plan, found):
        return LAYER_RAISES, f" is {found.path}, which does not take this call: {problem}"
    outcome = plan.outcome
    if isinstance(outcome, Refusal):
        return LAYER_UNKNOWN, f" is {found.path}; it is not converted: {outcome.reason}"
    same = _calls_the_same(layer, plan, found)
    if same and (ends in {EQUAL, CORNER} or _takes_the_same(plan, found)):
        words = [*filter(None, [outcome.caveat]), *differences]
        rare = ends == CORNER and not outcome.differs
        return _runs(found, outcome.differs, [*words, _RARE] if rare else words)
    if ends == EQUAL:
        return _runs(found, (), ())
    written = f"a conversion writes {target_spelling(plan)}"
    if plan.use.kind is UseKind.AUGMENTED:
        return LAYER_UNKNOWN, f" gives a new tensor, and the old one is unchanged; {written}"
    if found.value is None:
        return LAYER_UNKNOWN, f" is not an attribute of its class there; {written}"
    other = " with other arguments" if same else ""
    return LAYER_UNKNOWN, f" is {found.path}; {written}{other}"


def _may_be_found_otherwise(use: Use) -> bool:
    """Return whether a member that its class lacks may work: an instance may have it.

    Python also computes `x += y` as `x = x + y`.
    """
    if use.kind is UseKind.AUGMENTED:
        return True
    return use.receiver is not None and use.owner not in {None, "torch.Tensor"}


def _runs(found: Found, differs: Differs, words: Sequence[str]) -> tuple[str, str]:
    if words:
        return LAYER_VALUES, f" is {found.path}: {'; '.join(words)}"
    if differs:
        return LAYER_SAME, f" is {found.path}, with the differences named at its first use"
    return LAYER_SAME, f" is {found.path}, and computes the same"


def _trials(layer: Layer, plan: Plan, target: Target, found: Found) -> str:
    """Return how trials of the use's call ended, if the layer calls what they called."""
    name = plan.rule.name if plan.rule is not None else plan.use.name
    owner, _, member = name.rpartition(".")
    if plan.use.receiver is None:
        counterpart = f"{target.counterparts.get(owner, '')}.{member}"
        if layer.own(counterpart) is not found.value:
            return UNTRIED
    return layer.result(name, plan.match)


def _calls_the_same(layer: Layer, plan: Plan, found: Found) -> bool:
    """Return whether the conversion calls or reads what the layer does."""
    use, outcome = plan.use, plan.outcome
    if isinstance(outcome, Keep):
        return True
    if not isinstance(outcome, Rewrite) or outcome.assigned or outcome.wrapped or outcome.after:
        return False
    callee = compile_template(outcome.template).callee
    if use.receiver is not None:
        return callee == "{self}." + use.name.rpartition(".")[2]
    return found.value is not None and layer.own(callee) is found.value


def _takes_the_same(plan: Plan, found: Found) -> bool:
    """Return whether a converted use gives each parameter the argument that it has in torch."""
    outcome, call = plan.outcome, plan.use.call
    if not isinstance(outcome, Rewrite) or outcome.callee_only:
        return True
    template = compile_template(outcome.template)
    written = template.expression
    if template.passes_all_on or call is None or not isinstance(written, ast.Call):
        return template.passes_all_on or (call is None and not template.is_call)
    arguments = plan.match.arguments
    names = {
        index: name for name, one in arguments.items() if not one.variadic for index in one.indexes
    }
    if len(names) != len(call.args) + len(call.keywords):
        return False
    first = ["self"] if plan.use.receiver is not None else []
    placed = [*first, *(names[index] for index in range(len(call.args)))]
    keywords = enumerate(call.keywords, len(call.args))
    given = {one.arg or "": names[index] for index, one in keywords}
    new = [*first, *map(placeholder_at, written.args)]
    named = {one.arg or "": placeholder_at(one.value) for one in written.keywords}
    named = {key: name for key, name in named.items() if name is None or name in arguments}
    if (placed, given) == (new, named):
        return True
    try:
        signature = inspect.signature(found.value)  # type: ignore[arg-type]
        before, after = signature.bind(*placed, **given), signature.bind(*new, **named)
    except (TypeError, ValueError):
        return False
    return before.arguments == after.arguments


def _misfit(plan: Plan, found: Found) -> str | None:
    """Return why a class does not take a call's arguments, or None if it does or may do so."""
    call, value = plan.use.call, found.value
    if call is None or not isinstance(value, type) or plan.use.indirect:
        return None
    unpacked = any(isinstance(one, ast.Starred) for one in call.args)
    if unpacked or any(one.arg is None for one in call.keywords):
        return None
    if hasattr(inspect.getattr_static(value, "__init__"), "__wrapped__") or plan.use.skips_first:
        return None  # a decorator may accept names that the signature does not show
    try:
        inspect.signature(value).bind(*call.args, **{one.arg or "": one for one in call.keywords})
    except (TypeError, ValueError) as error:
        return str(error)
    return None
