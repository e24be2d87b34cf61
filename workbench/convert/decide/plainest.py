"""The plainest form that is right for a use: a plain form, the same call, or the rule."""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import replace

from workbench.convert.decide.evaluation_order import unsafe
from workbench.convert.decide.function_values import tests_a_type, type_test
from workbench.convert.decide.open_facts import open_facts
from workbench.convert.decide.tuples import as_tuple
from workbench.rules.difference import Difference, unless
from workbench.rules.forms import Form, Forms
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite, in_a_copy
from workbench.rules.rule import Rule
from workbench.rules.template import compile_template
from workbench.source.tree import inside
from workbench.source.uses import Use, UseKind
from workbench.targets import TORCH, Target

_ONCE = unless("gradients of gradients through it raise an error in {target}")
_TWICE = unless("third derivatives through it raise an error in {target}")


def plainest(match: Match, rule: Rule, target: Target) -> Outcome:
    """Return the plainest form that is right for one use, with what derivatives it lacks."""
    outcome = _plainest(match, rule, target)
    forms = target.plain
    if forms is None or isinstance(outcome, Refusal):
        return outcome
    if forms.lacks_second_derivative(rule.name, match):
        return replace(outcome, differs=(*outcome.differs, *_ONCE))
    if forms.lacks_third_derivative(rule.name, match):
        return replace(outcome, differs=(*outcome.differs, *_TWICE))
    return outcome


def _plainest(match: Match, rule: Rule, target: Target) -> Outcome:
    """Return the first form that is right for one use."""
    forms = target.plain
    last = rule.name.rpartition(".")[2]
    if forms is None or rule.refusal is not None or match.program.splits(last):
        return _whole(match, rule)
    if not forms.suits(rule.name, match):
        return _whole(match, rule)
    form = forms.get(rule.name, target.version)
    if match.use.kind is UseKind.SUPER:  # it changes with its base class
        whole = form.decide(match) if form is not None and form.whole and form.decide else None
        return whole or _whole(match, rule)
    outcome = forms.outcome(rule.name, match)
    sound = outcome is not None and _is_sound(match, rule, outcome, target)
    if outcome is not None and sound and not _needs_its_call(match.use, form, outcome):
        outcome = _completed(_with_gradients(outcome, match, rule), match, rule, forms)
        return outcome if target.init == TORCH else _native(outcome, target)
    whole = _whole(match, rule)
    if isinstance(whole, Keep) or (form is not None and not form.tried):
        return whole
    same = forms.same(rule.name, match)
    if same is None or not _is_sound(match, rule, same, target):
        return whole
    return _completed(same, match, rule, forms)


def _completed(outcome: Outcome, match: Match, rule: Rule, forms: Forms) -> Outcome:
    """Return a plain outcome as torch's type, with the differences that it has for some dtypes."""
    if isinstance(outcome, Refusal):
        return outcome
    if rule.name in forms.lists:
        outcome = as_tuple(outcome, match, rule.name)
    if isinstance(outcome, Rewrite) and _casts(outcome):
        return outcome
    differs = dict.fromkeys((*outcome.differs, *forms.depends(rule.name, match)))
    return replace(outcome, differs=tuple(differs))


def _casts(outcome: Rewrite) -> bool:
    """Return whether a replacement casts a tensor, or leaves that to a helper."""
    return any(word in outcome.template for word in (".astype(", "* 1.0", "torch_"))


def why_not_plain(match: Match, rule: Rule, target: Target, written: Outcome) -> str | None:
    """Return why a use with arguments has no plain form, or None if it has one."""
    forms = target.plain
    if forms is None:
        return None
    if match.program.splits(rule.name.rpartition(".")[2]):
        return "objects are tested for this class, and other uses of it need the rule's class"
    if not forms.suits(rule.name, match):
        if match.program.differentiates_twice and forms.is_differentiable_once(rule.name):
            return "the program takes gradients of gradients, which it lacks"
        return f"{target.title} has no kernel for it, or for the dtype of its tensors"
    outcome = forms.outcome(rule.name, match)
    if outcome is None:
        facts = open_facts(rule.name, match, forms, written)
        return ". ".join(map(str, facts)) or f"it depends on the code around it{_aim(rule, forms)}"
    if (missing := _holds_all(match, rule, outcome)) is not None:
        return f"it has no place for the argument `{missing}`"
    refusal = unsafe(match, outcome, target.bound_names) if isinstance(outcome, Rewrite) else None
    if refusal is not None:
        return refusal.reason
    if _needs_its_call(match.use, forms.get(rule.name, target.version), outcome):
        return "the name is called through a variable or through `functools.partial`"
    return None


def _aim(rule: Rule, forms: Forms) -> str:
    """Return what the plain form of a name would do, in the words of its function."""
    form = next((one for one in forms if one.name == rule.name), None)
    words = inspect.getdoc(form.decide) if form is not None and form.decide is not None else None
    return f" ({' '.join(words.split()).partition('. ')[0].rstrip('.')})" if words else ""


def plain_value(form: Form, match: Match) -> Outcome | None:
    """Return the plain replacement of a name that is not called, or None if there is none."""
    use, program = match.use, match.program
    if program.splits(form.name.rpartition(".")[2]) or _decorates_descriptor(use):
        return None
    one = program.counterpart(form.name)
    if one is None and form.tested is not None and type_test(use):
        one = form.tested(program)
    if one is not None and (use.kind is UseKind.ANNOTATION or tests_a_type(use)):
        return Rewrite(_joined(one, use), callee_only=True)
    if form.whole and form.decide is not None:
        return form.decide(match)
    if form.decorator is not None and use.node in getattr(use.statement, "decorator_list", ()):
        return Rewrite(form.decorator)
    based = use.kind is UseKind.BASE and form.base
    if use.kind not in {UseKind.READ, UseKind.ANNOTATION} and not based:
        return None
    if use.receiver is not None:
        if form.decide is None or form.value is not None:
            return None
        outcome = form.decide(match)
        return None if _needs_arguments(outcome) else outcome
    text = form.value(program) if form.value is not None else None
    if text is None:
        return None
    made = use.kind is UseKind.READ and not tests_a_type(use)
    return Rewrite(text, callee_only=True, differs=form.value_differs if made else ())


_DESCRIPTORS = frozenset({"staticmethod", "classmethod", "property"})


def _decorates_descriptor(use: Use) -> bool:
    """Return whether a decorator is applied to a static method or property, not to a function."""
    decorators: list[ast.expr] = getattr(use.statement, "decorator_list", [])
    if use.node not in decorators:
        return False
    return not _DESCRIPTORS.isdisjoint(map(ast.unparse, decorators[decorators.index(use.node) :]))


def _needs_arguments(outcome: Outcome | None) -> bool:
    """Return whether an outcome has placeholders of arguments that a name without a call lacks."""
    if not isinstance(outcome, Rewrite):
        return False
    template = compile_template(outcome.template)
    return not {*template.placeholders} <= {"self", *template.literals, *outcome.texts}


def _joined(classes: str, use: Use) -> str:
    """Return several classes as a tuple, or as a union if they are a part of one: `Adam | SGD`."""
    unions = (one for one in inside(use.statement) if isinstance(one, ast.BinOp))
    if any(use.node in (one.left, one.right) for one in unions):
        return classes.strip("()").replace(", ", " | ")
    return classes


def _with_gradients(outcome: Outcome, match: Match, rule: Rule) -> Outcome:
    """Return an in-place change that gradients follow as in the rule, or with the rule's caveat."""
    if isinstance(outcome, Refusal) or outcome.caveat or not rule.name.endswith("_"):
        return outcome
    exact = _whole(match, rule)
    if isinstance(exact, Refusal) or (isinstance(outcome, Rewrite) and outcome.assigned):
        return outcome
    if isinstance(exact, Rewrite) and (exact.assigned or "{self}.clone()" in exact.template):
        method = rule.name.rpartition(".")[2]
        return in_a_copy(outcome, method, assigned=exact.assigned) or exact
    return replace(outcome, caveat=exact.caveat)


def _native(outcome: Outcome, target: Target) -> Outcome:
    """Return the outcome without what has a layer draw its new weights as torch does."""
    if not isinstance(outcome, Rewrite):
        return outcome
    template = re.sub(target.torch_init, "", outcome.template)
    texts = {name: re.sub(target.torch_init, "", text) for name, text in outcome.texts.items()}
    if (template, texts) == (outcome.template, dict(outcome.texts)):
        return outcome
    differs = dict.fromkeys((*outcome.differs, Difference.FRESH_WEIGHTS))
    return replace(outcome, template=template, texts=texts, differs=tuple(differs))


def _needs_its_call(use: Use, form: Form | None, outcome: Outcome) -> bool:
    """Return whether the replacement fits only calls, but the use passes the name on."""
    if use.kind not in {UseKind.INDIRECT, UseKind.PARTIAL, UseKind.UNBOUND}:
        return False
    if form is None or form.value is not None or not isinstance(outcome, Rewrite):
        return False
    return not outcome.callee_only


def _is_sound(match: Match, rule: Rule, outcome: Outcome, target: Target) -> bool:
    """Return whether an outcome holds every argument, and evaluates each once and in its turn."""
    if _holds_all(match, rule, outcome) is not None:
        return False
    return not isinstance(outcome, Rewrite) or unsafe(match, outcome, target.bound_names) is None


def _whole(match: Match, rule: Rule) -> Outcome:
    """Return the rule's answer, unless it passes over an argument: then a refusal that names it."""
    outcome = rule.apply(match)
    missing = _holds_all(match, rule, outcome)
    return Refusal(f"its argument `{missing}` has no equivalent") if missing else outcome


def _holds_all(match: Match, rule: Rule, outcome: Outcome) -> str | None:
    """Return an argument that an outcome passes over, or None if it holds every one."""
    if not isinstance(outcome, Rewrite) or outcome.callee_only:
        return None
    template = compile_template(outcome.template)
    if template.passes_on:
        return None
    held = {*template.placeholders, *outcome.texts, *outcome.consumed, *rule.ignored}
    given = (name for name in match.arguments if not match.is_default(name))
    return next((name for name in given if name not in held), None)
