"""Incremental walk of an edited text: only the edited function or place is walked again.

A walk that knows where the user types stores the states around that place. After the next edit
there, the new statements are walked from the state before it, and their effects are compared with
those of the old ones. If these are the same for the rest of the program, all findings in the rest
are kept; otherwise everything is walked again.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from workbench.source.inference.context import Context, Found, State, Watch, Window
from workbench.source.inference.expressions.set_by_name import mentioned_by
from workbench.source.inference.functions import walk_again
from workbench.source.inference.modules import reexporting
from workbench.source.inference.rewalk.effects import (
    BY_NODE,
    ByNode,
    Effect,
    entries,
    left,
    new_entries,
    put,
    replaced,
)
from workbench.source.inference.rewalk.mentions import Mentioned, mentioned
from workbench.source.inference.rewalk.places import (
    Place,
    around,
    changed_place,
    is_plain,
)
from workbench.source.ownership import changed_by
from workbench.source.tree import Definition, Notes, identity, inside
from workbench.source.types.lattice import UserFunction
from workbench.source.types.views import root

_DEFAULT_DTYPE = ("torch.set_default_dtype", "torch.set_default_tensor_type")
_changed: Notes[frozenset[str]] = Notes("changed")


def watch_at(place: Place) -> Watch:
    """Return a watch that stores the states around each walk of a place."""
    function = place.function
    return Watch(identity(function) if function is not None else None, place.start, place.stop)


@dataclass(slots=True)
class Watched:
    """A walk with the states around the watched place.

    Attributes:
        tree: the tree that was walked.
        place: the watched place.
        context: the context of the walk.
        windows: each walk of the place.
        last: the state at the end.
        owners: the methods that were walked, with their classes and receivers.
        mentions: cached mentions of statements.
    """

    tree: ast.Module
    place: Place
    context: Context
    windows: list[Window]
    last: State
    owners: list[tuple[UserFunction, Any, Any]]
    mentions: dict[int, tuple[ast.AST, Mentioned]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, context: Context, tree: ast.Module, place: Place, before: Watched | None
    ) -> Watched | None:
        """Return the stored states of a finished walk, or None if it never reached the place.

        `before` is the result of an earlier walk, whose cached mentions are reused.
        """
        watch, context.watch = context.watch, None
        if watch is None or not watch.windows:
            return None
        owners = [(one, one.owner, one.receiver) for one in context.functions.walked]
        found = cls(tree, place, context, watch.windows, State(context), owners)
        known = before.mentions if before is not None else {}
        for part in around(tree.body, place):
            if id(part) in known:
                found.mentions[id(part)] = known[id(part)]
            found._mentioned(part)  # now that everything is walked, and not in a later, quick key
        return found

    def states_of_findings(self) -> Iterator[Found]:
        """Yield the findings in each stored state."""
        yield from (self.context.found, self.last.found)
        for window in self.windows:
            yield from (window.before.found, window.after.found)

    def walked_again(self, tree: ast.Module) -> Context | None:
        """Return the final state of a walk over a tree that differs only in the place.

        Returns None if the rest of the program has to be walked, too.
        """
        place = self._place_in(tree)
        if place is None:
            return None
        self._take(place)
        effects = list[Effect]()
        for window in self.windows:
            effect = self._effect(window, tree, place, effects)
            if effect is None:
                return None
            effects.append(effect)
        if not self._stays(tree, place, effects):
            return None
        return self._ended(tree, place, effects)

    def _place_in(self, tree: ast.Module) -> Place | None:
        """Return the same place in another tree if it contains all differences, else None."""
        place, mine = changed_place(self.tree, tree), self.place
        if place is None:
            return None
        if mine.function is not None or place.function is not None:
            same = [identity(one) for one in place.way] == [identity(one) for one in mine.way]
            return place if same else None
        longer = len(tree.body) - len(self.tree.body)
        if place.start < mine.start or place.stop > mine.stop + longer:
            return None
        found = Place((), mine.start, mine.stop + longer)
        statements = [*found.statements(tree), *mine.statements(self.tree)]
        if not all(map(is_plain, statements)):
            return None
        return found if reexporting(tree) == reexporting(self.tree) else None

    def _take(self, place: Place) -> None:
        """Attach classes and functions to the definitions of the new tree."""
        new = {identity(one): one for one in place.way}
        for one in self.last.classes:
            definition = new.get(one.cls.key)
            if isinstance(definition, ast.ClassDef):
                one.cls.node = definition
        for function in (*(one for one, *_ in self.owners), *(w.function for w in self.windows)):
            definition = new.get(function.key) if function is not None else None
            if function is not None and isinstance(definition, type(function.node)):
                function.node = definition

    def _restore(self, state: State) -> None:
        state.restore(self.context)
        for function, owner, receiver in self.owners:
            function.owner, function.receiver = owner, receiver

    def _effect(
        self, window: Window, tree: ast.Module, place: Place, so_far: list[Effect]
    ) -> Effect | None:
        """Walk the place again and return the effect; None if more has to be walked."""
        context = self.context
        self._restore(window.before)
        context.program = tree
        found = replaced(context.found, so_far)
        before = {name: getattr(found, name).copy() for name in BY_NODE}
        context.found = found
        if window.function is not None:
            walk_again(context, window.function)
        else:
            context.block(place.statements(tree))
        old = new_entries(window.before.found, window.after.found)
        new = entries(before, context.found)
        if old is None or new is None or not self._finds_the_same_outside(old, new, tree, place):
            return None
        found_left = left(window.after, context, window.function)
        return None if found_left is None else Effect(before, old, new, *found_left)

    def _finds_the_same_outside(
        self, old: ByNode, new: ByNode, tree: ast.Module, place: Place
    ) -> bool:
        """Return whether the functions that the place calls have findings at the same nodes."""
        parts = (*self.place.nodes(self.tree), *place.nodes(tree))
        own = {id(node) for part in parts for node in inside(part)}
        return all(old[name].keys() - own == new[name].keys() - own for name in BY_NODE)

    def _stays(self, tree: ast.Module, place: Place, effects: list[Effect]) -> bool:
        """Return whether the place's effects are the same for all other code."""
        uses = [
            use for one in effects for found in (one.old, one.new) for use in found["uses"].values()
        ]
        if any(use.name in _DEFAULT_DTYPE for use in uses):
            return False
        if any(one.result is not None for one in effects) and self._is_asked_for():
            return False
        names = {name for one in effects for name in one.names}
        attributes = {mentioned_by(name) for one in effects for _, name in one.attributes}
        if self._is_passed_to_torch() or not self._keeps_makers(tree, place):
            return False
        if not (names or attributes):
            return True
        if len(effects) > 1:
            return False
        rest = [self._mentioned(one) for one in around(self.tree.body, self.place)]
        return not any(
            "*" in one.names
            or not names.isdisjoint(one.names)
            or not attributes.isdisjoint(one.attributes)
            for one in rest
        )

    def _is_asked_for(self) -> bool:
        """Return whether anything calls the function."""
        return any(
            one.function is not None and one.function.key in self.last.known.passed
            for one in self.windows
        )

    def _is_passed_to_torch(self) -> bool:
        """Return whether the function itself is passed to torch, which may inspect it."""
        key = next((one.function.key for one in self.windows if one.function is not None), None)
        return key is not None and any(
            isinstance(value, UserFunction) and value.key == key
            for use in self.last.found.uses.values()
            for value in (*use.values, *use.keywords.values())
        )

    def _keeps_makers(self, tree: ast.Module, place: Place) -> bool:
        """Return whether no other statement of the module modifies objects that these name."""
        if place.function is not None:
            return True
        others = (*tree.body[: place.start], *tree.body[place.stop :])
        changed = set[str]().union(*map(_changed_in_place, others))
        statements = [*place.statements(tree), *self.place.statements(self.tree)]
        named = (node for one in statements for node in inside(one))
        return not any(isinstance(node, ast.Name) and node.id in changed for node in named)

    def _mentioned(self, part: ast.AST) -> Mentioned:
        known = self.mentions.get(id(part))
        if known is None:
            known = self.mentions[id(part)] = part, mentioned(part)
        return known[1]

    def _ended(self, tree: ast.Module, place: Place, effects: list[Effect]) -> Context:
        context = self.context
        self._restore(self.last)
        context.program = tree
        context.found = replaced(context.found, effects)
        _bring_statements(context.found, self.place, place)
        for one in effects:
            for name, value in one.names.items():
                put(context.scope.module.names, name, value)
            for (cls, name), value in one.attributes.items():
                put(cls.attributes, name, value)
            if one.result is not None:
                context.functions.results.update([one.result])
        return context


def _changed_in_place(statement: ast.stmt) -> frozenset[str]:
    """Return the variables that a statement of the module itself modifies in place."""
    if isinstance(statement, Definition):
        return frozenset()
    known = _changed.get(statement)
    if known is None:
        known = _changed[statement] = frozenset(_names_changed(statement))
    return known


def _names_changed(statement: ast.stmt) -> Iterator[str]:
    for node in inside(statement):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            yield node.target.id
        elif isinstance(node, ast.Expr) and (changed := changed_by(node)) is not None:
            yield changed.id
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            yield root(node) or ""


def _bring_statements(found: Found, old: Place, new: Place) -> None:
    """Attach entries in the headers that lead to the place to the new definitions."""
    pairs = {id(one): other for one, other in zip(old.way, new.way, strict=True)}
    for name in ("uses", "unknown_members", "quoted"):
        entries: dict[int, Any] = getattr(found, name)
        for key, one in entries.items():
            statement = pairs.get(id(one.statement))
            if statement is not None:
                entries[key] = one.within(statement)
