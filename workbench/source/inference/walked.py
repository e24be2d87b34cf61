"""A finished walk over a program, and its update after an edit."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from operator import is_

from workbench.source.inference.context import Context, Found
from workbench.source.inference.modules import Neighbours, Summary
from workbench.source.inference.rewalk.places import Place, place_of
from workbench.source.inference.rewalk.watched import Watched, watch_at
from workbench.source.inference.walk import context_for, kept_apart, release, summary_of, walk
from workbench.source.parsing.changed_lines import difference
from workbench.source.parsing.parse import Parsed
from workbench.source.types.lattice import Value
from workbench.source.uses import UseKind
from workbench.upstream.facts import Facts

_MOST_WATCHED = 3  # stored states of a place, as typing goes back and forth between a few versions


@dataclass(frozen=True, slots=True)
class Walked:
    """A walk over a tree: its input, and its findings.

    `cut` is true if an expression is nested too deeply to be followed. `watched` has the stored
    states of the edited places, the most likely ones first.
    """

    tree: ast.Module
    facts: Facts
    neighbours: Neighbours | None
    found: Found
    cut: bool
    summary: Summary | None
    apart: list[ast.Attribute]
    watched: tuple[Watched, ...] = field(default=(), repr=False)


def walked(
    tree: ast.Module,
    facts: Facts,
    neighbours: Neighbours | None = None,
    live: Mapping[str, Value] | None = None,
    live_from: int = 0,
) -> Walked:
    """Walk a whole program, whose first `live_from` lines created the live objects."""
    return _walk(context_for(facts, dict(live or {}), neighbours), tree, live_from)


def walked_after(before: Walked, was: Parsed, now: Parsed) -> Walked:
    """Walk a text after an edit, as little of it as possible."""
    body, tree = before.tree.body, now.tree
    if len(was.lines) != len(now.lines):
        _move_nodes_apart(before)
    if len(body) == len(tree.body) and all(map(is_, body, tree.body)):
        return before  # a comment, or half a line
    for one in before.watched:
        try:
            context = one.walked_again(tree)
        except RecursionError:
            break
        if context is not None:
            others = tuple(other for other in before.watched if other is not one)
            return replace(_ended(context, tree), watched=(one, *others))
    context = context_for(before.facts, {}, before.neighbours)
    edit = difference(was.source.split("\n"), now.source.split("\n"))
    place = place_of(tree, edit.start + 1)
    if place is None:
        return _walk(context, tree)
    context.watch = watch_at(place)
    return _walk(context, tree, place=place, before=before.watched)


def _move_nodes_apart(before: Walked) -> None:
    """Move the nodes of findings that are outside the tree to the lines of those inside it."""
    states = {id(found): found for one in before.watched for found in one.states_of_findings()}
    for found in (before.found, *states.values()):
        for quoted in found.quoted.values():
            quoted.move()
        for use in found.uses.values():
            if use.kind is UseKind.OVERRIDE:
                node = use.node
                node.lineno = node.end_lineno = use.statement.lineno


def _walk(
    context: Context,
    tree: ast.Module,
    live_from: int = 0,
    place: Place | None = None,
    before: tuple[Watched, ...] = (),
) -> Walked:
    cut = False
    try:
        walk(context, tree, live_from)
    except RecursionError:
        cut = True  # the findings so far are valid
    watched = before
    if place is not None and not cut:
        one = Watched.of(context, tree, place, before[0] if before else None)
        watched = (one, *before)[:_MOST_WATCHED] if one is not None else before
    return replace(_ended(context, tree), cut=cut, watched=watched)


def _ended(context: Context, tree: ast.Module) -> Walked:
    """Return the findings at the end of a walk."""
    neighbours = context.neighbours
    summary = summary_of(context, tree) if neighbours is not None else None
    apart = kept_apart(context)
    release(context)
    return Walked(tree, context.facts, neighbours, context.found, False, summary, apart)
