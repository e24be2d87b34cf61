"""Analysis of a text: its uses of torch."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from workbench.garbage import no_collection
from workbench.positions import Lines, Range
from workbench.source.inference.annotations import type_value
from workbench.source.inference.modules import Neighbours, Summary
from workbench.source.inference.walked import Walked, walked, walked_after
from workbench.source.packages import may_use_torch
from workbench.source.parsing.parse import Parsed, parse
from workbench.source.traits.gathering import traits_of
from workbench.source.traits.program import Program
from workbench.source.traits.renaming import renamed
from workbench.source.traits.traits import Traits
from workbench.source.uses import (
    ForeignImport,
    OpenOperator,
    Printed,
    Quoted,
    TorchImport,
    UnknownChange,
    UnknownMember,
    Use,
)
from workbench.upstream.facts import Facts, load
from workbench.upstream.ported import Ported

_Noted = TypeVar("_Noted", Use, UnknownMember, UnknownChange, OpenOperator, Printed, Quoted)


@dataclass(slots=True)
class Analysis:
    """A program and its uses of torch, in text order.

    Attributes:
        parsed: the text and its tree.
        uses: the uses of torch.
        imports: the imports from torch.
        foreign: the imports from other packages.
        unknown: members of objects of unknown type that may be torch's.
        cut: an expression is nested too deeply to be followed, so uses may be missing.
        quoted: annotations written as strings, some with uses in them.
        borrowed: names that other files of the project import from torch, with their meaning.
        summary: what those files see of this one. Both only if the project was read.
        apart: targets of tensors that modules must keep in `__dict__`, as torch does with all.
        around: the other modules of the project, if it was read.
        whole: what the text and its project show as a whole.
        ported: the names of the target that a partly converted text uses.
        changes: in-place changes of values of unknown type.
        printed: expressions whose text is the target's.
        writes: writes to elements of tensors, and reads by a list, that are no uses, since most
            targets take them as they are.
        operators: operators with operands of unknown dtype.
        walked: the walk that produced the analysis, for the text after the next edit; None if live
            objects were given.
    """

    parsed: Parsed
    uses: list[Use]
    imports: list[TorchImport]
    foreign: list[ForeignImport]
    unknown: list[UnknownMember]
    cut: bool = False
    quoted: list[Quoted] = field(default_factory=list)
    borrowed: dict[str, str] = field(default_factory=dict)
    summary: Summary | None = None
    apart: list[ast.Attribute] = field(default_factory=list)
    around: Neighbours | None = None
    whole: Program | None = None
    ported: Ported | None = None
    changes: list[UnknownChange] = field(default_factory=list)
    printed: list[Printed] = field(default_factory=list)
    writes: list[Use] = field(default_factory=list)
    operators: list[OpenOperator] = field(default_factory=list)
    walked: Walked | None = field(default=None, repr=False)

    @property
    def program(self) -> Program:
        """Facts about the whole text, and the rest of its project if known."""
        if self.whole is None:
            own = self.showing(self.tree)
            self.whole = Program(own, *([self.around.traits] if self.around else []))
        return self.whole

    def showing(self, tree: ast.Module) -> Callable[[], Traits]:
        """Return a function that computes the traits of a part of the program, in torch's names.

        Names that an earlier conversion wrote are translated back. The function does not refer to
        the analysis, as a reference cycle would keep it until garbage collection.
        """
        return partial(_shown_by, tree, self.torchs_names)

    @property
    def torchs_names(self) -> Mapping[str, str]:
        """Torch's names for those of the target in a partly converted text, else none."""
        ported = self.ported
        return ported.last_names if ported is not None and ported.is_named_in(self.text) else {}

    @property
    def text(self) -> str:
        return self.parsed.text

    @property
    def lines(self) -> Lines:
        return self.parsed.lines

    @property
    def tree(self) -> ast.Module:
        return self.parsed.tree

    def span(self, node: ast.expr | ast.stmt | ast.alias) -> tuple[int, int]:
        """Return the offsets of a node in the text."""
        lines = self.parsed.lines
        return (
            lines.offset_of_bytes(node.lineno - 1, node.col_offset),
            lines.offset_of_bytes((node.end_lineno or 1) - 1, node.end_col_offset or 0),
        )

    def range(self, node: ast.expr | ast.stmt | ast.alias) -> Range:
        """Return the range of a node in the text."""
        lines = self.parsed.lines
        return Range(
            lines.position_of_bytes(node.lineno - 1, node.col_offset),
            lines.position_of_bytes((node.end_lineno or 1) - 1, node.end_col_offset or 0),
        )


def analyse(
    text: str,
    previous: Analysis | None = None,
    live: Mapping[str, str] | None = None,
    live_from: int = 0,
    neighbours: Neighbours | None = None,
    facts: Facts | None = None,
    parsed: Parsed | None = None,
) -> Analysis:
    """Find every use of torch in a Python text, even if it has syntax errors.

    Args:
        text: the whole text.
        previous: the analysis of the text before the last edit; saves time without changing the
            result.
        live: type names of objects that exist under these names before the text runs, such as
            `{"x": "torch.Tensor"}`.
        live_from: the number of lines that have run already and created these objects.
        neighbours: the other modules of the project that contains the text.
        facts: torch's names, and the names that a project's own rules add.
        parsed: the text before the last edit, or this text, if it is parsed and not analysed yet.
    """
    with no_collection():
        parsed = parse(text, previous.parsed if previous else parsed)
        facts = facts or load()
        if not live and neighbours is None and not may_use_torch(text, facts.own_packages):
            return Analysis(parsed, [], [], [], [])
        before = previous.walked if previous is not None and not live else None
        if previous and before and before.facts is facts and before.neighbours is neighbours:
            walk = walked_after(before, previous.parsed, parsed)
        else:
            alive = {name: type_value(type_, facts) for name, type_ in (live or {}).items()}
            walk = walked(parsed.tree, facts, neighbours, alive, live_from)
        found, hidden = walk.found, parsed.masked
        known = None if live else walk
        if not (live or found.imports or found.foreign or found.touched):
            return Analysis(
                parsed,
                [],
                [],
                [],
                [],
                walk.cut,
                summary=walk.summary,
                around=neighbours,
                walked=known,
            )
        uses = _in_order(one for one in found.uses.values() if _shown(one.node, hidden))
        unknown = _in_order(
            one for one in found.unknown_members.values() if one.node.lineno - 1 not in hidden
        )
        return Analysis(
            parsed,
            uses,
            found.imports,
            found.foreign,
            unknown,
            walk.cut,
            _in_order(one for one in found.quoted.values() if one.exact),
            found.borrowed,
            walk.summary,
            [node for node in walk.apart if _shown(node, hidden)],
            neighbours,
            ported=facts.ported,
            changes=_in_order(
                one for one in found.unknown_changes.values() if one.node.lineno - 1 not in hidden
            ),
            printed=_in_order(one for one in found.printed.values() if _shown(one.node, hidden)),
            writes=_in_order(one for one in found.writes.values() if _shown(one.node, hidden)),
            operators=_in_order(
                one for one in found.open_operators.values() if _shown(one.node, hidden)
            ),
            walked=known,
        )


def _in_order(found: Iterable[_Noted]) -> list[_Noted]:
    """Return the findings in text order."""
    return sorted(found, key=lambda one: (one.node.lineno, one.node.col_offset))


def _shown_by(tree: ast.Module, names: Mapping[str, str]) -> Traits:
    return traits_of(renamed(tree, names) if names else tree)


def _shown(node: ast.expr | ast.stmt, hidden: frozenset[int]) -> bool:
    """Return whether the tree represents the text at a node's first and last line."""
    return node.lineno - 1 not in hidden and (node.end_lineno or node.lineno) - 1 not in hidden
