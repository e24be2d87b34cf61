"""A single counterpart for each class of torch that a program tests objects for.

`isinstance(m, nn.Embedding)` must name the class that is constructed. Plain forms write one
`nn.Embedding` as the target's own class and another, with `max_norm`, as a helper. If a program
tests for such a class, all of its uses in the whole project become the helper.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from weakref import ReferenceType, ref

from workbench.convert.decide.planner import Plan, plan
from workbench.rules.forms import Forms
from workbench.rules.outcome import Rewrite
from workbench.rules.template import compile_template
from workbench.source.analysis import analyse
from workbench.source.traits.program import Program, Question
from workbench.source.traits.traits import Construction
from workbench.source.uses import Use
from workbench.targets import Target
from workbench.upstream.facts import Facts

_BASES = re.compile(r"^class \w+\(([\w., ]+)", re.MULTILINE)
_RESULT = re.compile(r"\) -> ([\w.]+):")
_WRAPPED = re.compile(r"\w+\(([\w.]+)\(")
# In the target every counterpart derives from the counterparts of these.
_ROOTS = frozenset(
    {
        "torch.Tensor",  # old constructors such as torch.LongTensor make such tensors
        "torch.nn.Module",
        "torch.utils.data.Dataset",
        "torch.utils.data.Sampler",
    }
)
# Classes of torch whose objects construct layers of other classes.
_HOLDERS = (
    "torch.nn.Transformer",
    "torch.nn.TransformerEncoder",
    "torch.nn.TransformerDecoder",
    "torch.nn.TransformerEncoderLayer",
    "torch.nn.TransformerDecoderLayer",
    "torch.nn.MultiheadAttention",
    "torch.nn.AdaptiveLogSoftmaxWithLoss",
)
# Either all optimizers and schedules are the target's own, or none are.
_TOGETHER = "torch.optim."


@dataclass(frozen=True, slots=True)
class _Agreement:
    """The classes that only rules may write, and what the others are written as.

    `asked` are the questions to the program that decided it, with their answers.
    """

    split: frozenset[str]
    counterparts: Mapping[str, str]
    target: Target
    asked: Mapping[Question, Any]

    def holds_for(self, program: Program, target: Target) -> bool:
        """Return whether another program gives the same answers."""
        same = self.target is target
        return same and all(program.answer(one) == answer for one, answer in self.asked.items())


# The latest one, and the program that was last asked; files of a project share it, and so do the
# texts while one types.
_latest: list[tuple[_Agreement, ReferenceType[Program]]] = []


def with_counterparts(program: Program, target: Target) -> Program:
    """Return the program, in which each class that it tests for has one counterpart."""
    if target.plain is None or not program.traits.compared:
        return program
    found = None
    for latest, asked in _latest:
        if (asked() is program and latest.target is target) or latest.holds_for(program, target):
            found = latest
    if found is None:
        found = _agreement(program, target)
    _latest[:] = [(found, ref(program))]
    return program.agreed(found.split, found.counterparts)


def _agreement(program: Program, target: Target) -> _Agreement:
    split: frozenset[str] = frozenset()
    asked: dict[Question, Any] = {}
    while True:
        noting = program.agreed(split, {}).noting()
        assert noting.noted is not None
        counterparts: dict[str, str] = {}
        more: set[str] = set()
        parts = _parts(noting, target)
        for cls, derived in _families(target).items():
            if not noting.compares(last_name(cls)):
                continue
            there = [one for one in derived if is_there(noting, one)]
            made = {text for one in there for text in classes_written(noting, one, target)}
            made |= {text for one in derived if (text := _rule_class(one, target)) in parts}
            exactly = noting.compares(last_name(cls), exactly=True)
            if cls in derived:
                own = made if there in ([], [cls]) else classes_written(noting, cls, target)
                one = _one(own, target, exactly)
                if one is not None:
                    counterparts[cls] = one if exactly else _tuple(made, one, target)
            else:
                one = _base(made, cls, noting, target)
            if made and one is None:
                more.update(map(last_name, there or [cls]))
        if "Linear" in split | more:
            # What the target's own holders construct is the target's own.
            holders = (one for one in _HOLDERS if is_there(noting, one))
            more.update(map(last_name, holders))
        asked |= noting.noted
        if more <= split:
            asked = {one: answer for one, answer in asked.items() if one[0] != "splits"}
            return _Agreement(split, counterparts, target, asked)
        split |= more


def is_there(program: Program, cls: str) -> bool:
    """Return whether a program constructs or derives from a class of torch's."""
    last = last_name(cls)
    return program.calls(last) or program.is_passed_on(last) or program.derives(last)


def last_name(name: str) -> str:
    """Return the last part of a dotted name."""
    return name.rpartition(".")[2]


def _families(target: Target) -> dict[str, tuple[str, ...]]:
    assert target.plain is not None
    return _families_of(target.plain, target.facts)


@lru_cache(maxsize=4)
def _families_of(forms: Forms, facts: Facts) -> dict[str, tuple[str, ...]]:
    """Map the classes with plain forms, and their bases, to the classes that derive from them."""
    found: dict[str, list[str]] = {}
    for form in forms:
        entry = facts.get(form.name)
        if entry is None or entry.kind != "class" or form.name.startswith(_TOGETHER):
            continue
        for base in facts.lineage(form.name):
            if base not in _ROOTS:
                found.setdefault(base, []).append(form.name)
    return {name: tuple(derived) for name, derived in found.items()}


def classes_written(program: Program, cls: str, target: Target) -> set[str]:
    """Return the target's classes for the uses of a class in a program, each decided separately."""
    lines = [_as_code(one, cls) for one in sorted(program.constructions(last_name(cls)))]
    if program.is_passed_on(last_name(cls), partly=False):
        lines.append(f"_held = {cls}")
    if program.derives(last_name(cls)):
        lines.append(f"class _Derived({cls}): pass")
    uses = uses_in("\n".join(["import functools, torch", *lines]), target.facts)
    plans = (plan(use, target, program) for use in uses if use.name == cls)
    return {text for one in plans if (text := class_of(one, target))}


def _parts(program: Program, target: Target) -> frozenset[str]:
    """Return the helper classes that the layers of a program may construct themselves."""
    wholes = {
        text
        for cls in _HOLDERS
        if is_there(program, cls)
        for text in classes_written(program, cls, target)
        if text in target.helpers
    }
    wholes |= set(_models(program, target))
    if not wholes:
        return frozenset()
    return frozenset(one.name for one in target.helpers.closure(wholes)) - wholes


def _models(program: Program, target: Target) -> Iterator[str]:
    """Yield the helpers of torchvision's models that a program constructs: `resnet18()`."""
    if "torchvision" not in program.traits.modules:
        return
    for called in sorted(program.traits.called):
        if target.rules.get(f"torchvision.models.{called}") is None:
            continue
        text = f"import torch, torchvision\n_made = torchvision.models.{called}()"
        for use in uses_in(text, target.facts):
            outcome = plan(use, target, program).outcome
            if isinstance(outcome, Rewrite):
                template = compile_template(outcome.template)
                if (helper := template.callee) in target.helpers:
                    yield helper


def _rule_class(cls: str, target: Target) -> str | None:
    """Return the class that the rule of a class of torch's writes, or None if it has none."""
    rule = target.rules.get(cls)
    return rule.value if rule is not None else None


def _as_code(one: Construction, cls: str) -> str:
    """Return the call of a class by its whole name."""
    if one.is_partial:
        return f"_made = functools.partial({', '.join((cls, *one.arguments))})"
    return f"_made = {cls}({', '.join(one.arguments)})"


@lru_cache(maxsize=256)
def uses_in(text: str, facts: Facts) -> list[Use]:
    """Return the uses of torch in a short text, which are asked for again and again."""
    return analyse(text, facts=facts).uses


def class_of(one: Plan, target: Target) -> str | None:
    """Return the class that a use of a class becomes, or None if that is not known."""
    outcome, name = one.outcome, one.use.name
    if not isinstance(outcome, Rewrite):
        return None
    if name.endswith("Tensor") and "torch.Tensor" in target.facts.lineage(name):
        return None  # functions of the target make what `torch.Tensor(...)` does
    template = compile_template(outcome.template)
    text = template.callee if template.is_call else template.text
    if text in target.helpers and not text[:1].isupper():
        result = _RESULT.search(target.helpers[text].source)
        wrapped = _WRAPPED.match(template.text)  # `torch_movable(paddle.nn.LSTM(...))`
        found = wrapped if result is None or result[1] == "Any" else result
        return found[1] if found else None
    return text if re.fullmatch(r"[\w.]+", text) else None


def _tuple(made: set[str], one: str, target: Target) -> str:
    """Return the class, with those that are derived from it in torch and not in the target."""
    others = sorted(each for each in made if not derives(each, one, target))
    return f"({', '.join([one, *others])})" if others else one


def _one(made: set[str], target: Target, exactly: bool) -> str | None:
    """Return the class for which all of these are taken, or None if there is none."""
    for one in sorted(made):
        if made == {one} or (not exactly and all(derives(each, one, target) for each in made)):
            return one
    return None


def bases(cls: str, target: Target) -> list[str]:
    """Return the bases of a helper; none of a class of the target's."""
    found = _BASES.search(target.helpers[cls].source) if cls in target.helpers else None
    return [one.strip() for one in found[1].split(",")] if found else []


def derives(cls: str, base: str, target: Target) -> bool:
    """Return whether a class of the target's, or a helper, is another one or derived from it."""
    return cls == base or any(derives(one, base, target) for one in bases(cls, target))


def _base(made: set[str], cls: str, program: Program, target: Target) -> str | None:
    """Return the counterpart of a base, or None if only some of its classes derive from that."""
    assert target.plain is not None
    form = target.plain.get(cls, target.version)
    own = form.value(program) if form is not None and form.value is not None else None
    rule = target.rules.get(cls)
    text = own or (rule.value if rule is not None else None)
    if text is None:
        return cls  # it is refused
    if text in target.helpers:
        return text if all(derives(one, text, target) for one in made) else None
    return None if any(one in target.helpers for one in made) else text
