"""Effects of walking one place on the knowledge about the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import is_
from typing import Any

from workbench.source.inference.context import Context, Found, State
from workbench.source.types.lattice import UserFunction, Value
from workbench.source.types.sameness import alike
from workbench.words import words

# Findings by node: a second walk of a node replaces those of the first.
BY_NODE = words(
    "uses writes unknown_members unknown_changes printed open_operators kept_tensors quoted"
)
_IN_ORDER = ("imports", "foreign", "stars")
ByNode = dict[str, dict[int, Any]]


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of walking the place.

    Attributes:
        before: the findings before it.
        old: the findings of the statements before the edit.
        new: the findings of the statements after it.
        names: changed values of names of the module; None for removed ones.
        attributes: changed values of attributes of classes; None for removed ones.
        result: the function's key and its result, if that changed.
    """

    before: ByNode
    old: ByNode
    new: ByNode
    names: dict[str, Value | None]
    attributes: dict[tuple[Any, str], Value | None]
    result: tuple[int, Value] | None


def new_entries(before: Found, after: Found) -> ByNode | None:
    return entries({name: getattr(before, name) for name in BY_NODE}, after)


def entries(before: Mapping[str, Mapping[int, Any]], after: Found) -> ByNode | None:
    """Return the findings between two moments, or None if something was removed."""
    found: ByNode = {}
    for name in BY_NODE:
        old, new = before[name], getattr(after, name)
        if not old.keys() <= new.keys():
            return None
        found[name] = {key: one for key, one in new.items() if old.get(key) is not one}
    return found


def replaced(found: Found, effects: Iterable[Effect]) -> Found:
    """Return the findings, with those of the new statements in place of those of the old ones.

    Findings about a node from after the place are kept, and those that were removed after it, since
    a later walk of a function knew more, stay away.
    """
    for effect in effects:
        for name in BY_NODE:
            entries, before = getattr(found, name), effect.before[name]
            removed = {key for key in effect.old[name] if key not in entries}
            for key, one in effect.old[name].items():
                if entries.get(key) is one:
                    put(entries, key, before.get(key))
            for key, one in effect.new[name].items():
                if key in removed:
                    continue
                if key not in entries or entries[key] is before.get(key):
                    entries[key] = one
    return found


def left(
    after: State, context: Context, function: UserFunction | None
) -> (
    tuple[dict[str, Value | None], dict[tuple[Any, str], Value | None], tuple[int, Value] | None]
    | None
):
    """Return the names, attributes and result that a walk changes; None for other changes."""
    containers, known, found = after.containers, after.known, after.found
    same = (
        _identical(containers["scopes"], context.scopes)
        and _identical(containers["classes"], context.classes)
        and all(_identical(getattr(found, one), getattr(context.found, one)) for one in _IN_ORDER)
        and found.borrowed == context.found.borrowed
        and found.touched == context.found.touched
    )
    if not same:
        return None
    names: dict[str, Value | None] = {}
    for one in after.scopes:
        other = _different(one.names, one.scope.names)
        if other and one.scope.kind != "module":
            return None
        names |= other
    attributes: dict[tuple[Any, str], Value | None] = {}
    for cls in after.classes:
        if _different(cls.members, cls.cls.members):
            return None
        for name, value in _different(cls.attributes, cls.cls.attributes).items():
            attributes[cls.cls, name] = value
    now = context.functions
    key = function.key if function is not None else None
    results = _different(known.results, now.results)
    result = results.pop(key, None) if key is not None else None
    same = (
        not results
        and _identical(known.pending, now.pending)
        and _identical(known.walked, now.walked)
        and not _different(known.yielded, now.yielded)
        and known.passed.keys() == now.passed.keys()
        and not any(_different(value, now.passed[one]) for one, value in known.passed.items())
        and known.of_open_dtype == now.of_open_dtype
        and known.with_tensors == now.with_tensors
        and known.for_inference == now.for_inference
        and known.homes == now.homes
        and known.initialised == now.initialised
    )
    if not same:
        return None
    return names, attributes, (key, result) if key is not None and result is not None else None


def _different(old: Mapping[Any, Value], new: Mapping[Any, Value]) -> dict[Any, Value | None]:
    """Return the changed entries with their present values, or None for removed ones."""
    found: dict[Any, Value | None] = {
        key: value
        for key, value in new.items()
        if (known := old.get(key)) is not value and not alike(known, value)
    }
    if len(old) != len(new) or found:
        found.update((key, None) for key in old.keys() - new.keys())
    return found


def _identical(old: list[Any], new: list[Any]) -> bool:
    return len(old) == len(new) and all(map(is_, old, new))


def put(entries: dict[Any, Any], key: Any, value: Any) -> None:
    """Set an entry, or remove it if the value is None."""
    if value is None:
        entries.pop(key, None)
    else:
        entries[key] = value
