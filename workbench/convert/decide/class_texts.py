"""Texts that name classes of torch, rewritten for the target.

`m.__class__.__name__ == "BatchNorm2d"` is never true of a `BatchNorm2D`. A text that is compared
with the name of a class becomes one that is true of the same classes; if there is none, a caveat
says so.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache

from workbench.convert.decide.one_class import (
    bases,
    class_of,
    classes_written,
    is_there,
    last_name,
    uses_in,
)
from workbench.convert.decide.planner import Plan, plan
from workbench.findings import Certainty
from workbench.rules.difference import Difference
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.source.analysis import Analysis
from workbench.source.traits.class_names import (
    ANY_NAME,
    ANY_OPTIMIZER,
    NamedClass,
    class_names,
)
from workbench.source.traits.collected_names import collected_names
from workbench.source.traits.program import Program
from workbench.source.tree import inside
from workbench.source.uses import Use, UseKind
from workbench.targets import Target
from workbench.upstream.facts import Facts, Signature

_ASKED = re.compile(r"__name__|__qualname__|_get_name|(?:str|repr|print)\(")
_HOLDERS = frozenset({"torch.nn", "torch.optim", "torch.optim.lr_scheduler", "torch.utils.data"})
_CALLED = re.compile(r'^@torch_called\("(\w+)"\)')
_SHORTENED = re.compile(r'__name__\.removeprefix\("(\w+)"\)')
_ANY = "torch.nn.Module"


def plans_of_texts(analysis: Analysis, target: Target, program: Program, first: int) -> list[Plan]:
    """Plan the texts that are compared with names of classes, and the names that are kept."""
    if target.plain is None or not _ASKED.search(analysis.text):
        return []
    texts, kept = class_names(analysis.tree)
    texts = [*texts, *(collected_names(analysis.tree) if kept else ())]
    texts = [one for one in texts if one.statement.lineno > first]
    kept = [one for one in kept if one.statement.lineno > first]
    if not texts and not kept:
        return []
    names = _names(program, target, [one.text for one in texts], alone=analysis.around is None)
    own = {one.name for one in analysis.tree.body if isinstance(one, ast.ClassDef)}
    found: list[Plan] = []
    for one in texts:
        plain = _is_plain(one, analysis)
        outcome = _outcome(one, names, own, target, plain=plain)
        if outcome is not None:
            cls = next((name for name in names if last_name(name) == one.text), _ANY)
            found.append(_plan(cls, one.node, one.statement, outcome))
    renamed = {last_name(cls) for cls, name in names.items() if last_name(cls) != name}
    if any(one.cls == ANY_OPTIMIZER for one in kept) and _renames_optimizers(program, target):
        renamed.add(ANY_OPTIMIZER)
    for each in kept:
        if not (each.cls in renamed or each.cls == ANY_NAME or (renamed and not each.cls)):
            continue
        outcome = Keep(differs=(Difference.PRINTED_TEXT,))
        found.append(_plan(_ANY, each.node, each.statement, outcome))
    return found


def _renames_optimizers(program: Program, target: Target) -> bool:
    """Return whether an optimizer or a schedule of the program has another name in the target."""
    made = (one for one in _optimizers_of(target.facts) if is_there(program, one))
    return any(
        _name_of(text, target) != last_name(cls)
        for cls in made
        for text in classes_written(program, cls, target)
    )


def _plan(cls: str, node: ast.expr, statement: ast.stmt, outcome: Outcome) -> Plan:
    use = Use(cls, UseKind.NAMED, node, Certainty.PROVED, statement)
    return Plan(use, outcome, Match(use, Signature((), "")))


def _outcome(
    text: NamedClass, names: Mapping[str, str], own: Iterable[str], target: Target, *, plain: bool
) -> Outcome | None:
    """Return the text that is true of the same classes, or None if it is the same.

    It can be changed where it is `plain`: one string, outside of any other.
    """
    pairs = [(last_name(cls), name) for cls, name in names.items()]
    pairs += [(name, name) for name in own]
    mine = text.text
    if "torch" in mine:
        return Keep(caveat=f"this text names torch, and the class is one of {target.title}'s")
    exact = [name for cls, name in pairs if cls == mine]
    wrong: list[tuple[str, str]] = []
    for candidate in (mine, *exact):
        parted = [
            (cls, name)
            for cls, name in pairs
            if _holds(text, mine, cls) != _holds(text, candidate, name)
        ]
        if not parted:
            if candidate == mine:
                return None
            if plain:
                return Rewrite(repr(candidate))
        wrong = wrong or parted
    cls, name = wrong[0]
    return Keep(caveat=f"{target.title} calls {cls} {name}, and this text names another class")


def _is_plain(one: NamedClass, analysis: Analysis) -> bool:
    start, end = analysis.span(one.node)
    formatted = (part for part in inside(one.statement) if isinstance(part, ast.JoinedStr))
    inner = any(one.node is part for text in formatted for part in inside(text))
    return not inner and analysis.text[start + 1 : end - 1] == one.text


def _holds(one: NamedClass, text: str, name: str) -> bool:
    return one.way.holds(text, name.lower() if one.lowered else name)


def _names(
    program: Program, target: Target, texts: Collection[str], *, alone: bool
) -> dict[str, str]:
    """Map the classes that a program constructs or names to the names of their counterparts.

    For a single file that constructs no layer, the map has all classes.
    """
    every = _public_of(target.facts)
    there = [one for one in every if is_there(program, one)]
    if alone and not any(one.startswith("torch.nn.") for one in there):
        there = [one for one in every if not last_name(one).startswith("Lazy")]
    there += [one for one in every if last_name(one) in texts and one not in there]
    found: dict[str, str] = {}
    for cls in there:
        text = program.counterpart(cls) or _tested(cls, program, target)
        if text is not None:
            found[cls] = _name_of(text, target)
    return found


def _optimizers_of(facts: Facts) -> Iterable[str]:
    return (one for one in _public_of(facts) if one.startswith("torch.optim."))


@lru_cache(maxsize=4)
def _public_of(facts: Facts) -> tuple[str, ...]:
    """Return the public classes of layers, optimizers, schedules and data."""
    found = []
    for name in sorted(facts.names):
        if name.rpartition(".")[0] in _HOLDERS and last_name(name)[:1].isupper():
            entry = facts.get(name)
            if entry is not None and entry.kind == "class" and not entry.alias_of:
                found.append(name)
    return tuple(found)


def _tested(cls: str, program: Program, target: Target) -> str | None:
    """Return the class that a test for one of torch's names."""
    uses = uses_in(f"import torch\nisinstance(_, {cls})", target.facts)
    plans = (plan(use, target, program) for use in uses if use.name == cls)
    return next((text for one in plans if (text := class_of(one, target))), None)


def _name_of(text: str, target: Target) -> str:
    """Return the `__name__` of a class of the target's, or of a helper."""
    if text not in target.helpers:
        return last_name(text)
    source = target.helpers[text].source
    if called := _CALLED.search(source):
        return called[1]
    if source.startswith("@torch_named"):
        return text.removeprefix("Torch")
    helpers = (one for one in bases(text, target) if one in target.helpers)
    above = "".join(target.helpers[one].source for one in helpers)
    shortened = _SHORTENED.search(above)  # in `__init_subclass__`
    return text.removeprefix(shortened[1]) if shortened else text
