"""Calls that a target accepts as torch does, as trials on both sides have shown.

`torch.cat(xs, dim=1)` is `paddle.cat(xs, dim=1)`, and `x.size(0)` stays unchanged. A trial is
evidence for one *shape* of call: which arguments are given, by position or by keyword, and of which
kinds.

The record is a JSON file. By torch name and layout (`t, dim=i` is a tensor, then an integer
keyword) it lists the dtypes of the tensors with the result of their trials.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from workbench.rules.difference import Differs, at
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.source.traits.masking import moved_name
from workbench.source.traits.sharing import holders_of
from workbench.source.types.dtypes import of_value
from workbench.source.types.lattice import (
    UNKNOWN,
    Foreign,
    Instance,
    Items,
    Plain,
    Tensor,
    TorchObject,
    Value,
    has_unlike_tensors,
)
from workbench.source.types.views import root
from workbench.source.uses import UseKind

# Results of the trials of a shape, best first: all equal; equal except for NaN, infinities and
# empty tensors; the target raised in some; it raised in all; it returned something else.
EQUAL, CORNER, MIXED, LOUD, SILENT = "=", "~", "?", "!", "x"
UNTRIED = ""  # no trial shows how a call ends
COPIES = "copies"  # the row of a name whose result is a view on one side only
_LETTERS = {
    "float32": "f",
    "float64": "d",
    "int64": "l",
    "int32": "i",
    "bool": "b",
    "float16": "h",
    "bfloat16": "h",
    "complex": "c",
    "complex64": "c",
    "complex128": "c",
    "floating": "F",
}
_PLAIN = {"int": "i", "float": "f", "bool": "b", "NoneType": "N", "str": "s", "complex": "c"}
_TESTED = frozenset({UseKind.CALL, UseKind.OPERATOR})
_WELL = frozenset((EQUAL, CORNER, MIXED))
_RARE = frozenset("sch")  # dtypes that a tensor of unknown dtype rarely has
ANY = "*"  # an unknown kind or dtype
_SEVERAL = "m"  # of a list whose tensors have several dtypes


@dataclass(frozen=True, slots=True)
class Shape:
    """The layout of a call: its arguments' kinds, and a dtype letter for those with tensors."""

    layout: tuple[str, ...]
    letters: tuple[str, ...]

    @property
    def dtypes(self) -> str:
        """The dtype letters, without those of other arguments."""
        return "".join(self.letters)

    def __str__(self) -> str:
        return ", ".join(self.layout)


def shape(match: Match) -> Shape | None:
    """Return the shape of a use, or None if it is not a call."""
    use = match.use
    if use.kind not in _TESTED:
        return None
    positional = list(zip(use.arguments, use.values, strict=False))
    if use.receiver is not None:
        positional.insert(0, (use.receiver, use.receiver_value))
    keywords = use.call.keywords if use.call is not None else []
    if any(one.arg is None for one in keywords) or match.given("out"):
        return None  # an output tensor keeps torch's dtype and shape
    return shape_of(
        [("*" if isinstance(node, ast.Starred) else "", value) for node, value in positional],
        {one.arg or "": use.keywords.get(one.arg or "", UNKNOWN) for one in keywords},
    )


def shape_of(positional: Iterable[tuple[str, Value]], keywords: Mapping[str, Value]) -> Shape:
    """Return the shape of a call with these arguments; `*` marks an unpacked one.

    A keyword with the value None counts as not given.
    """
    kinds = [(star, *_kind(value)) for star, value in positional]
    named = {name: _kind(value) for name, value in sorted(keywords.items())}
    kinds += [(f"{name}=", *kind) for name, kind in named.items() if kind[0] != "N"]
    parts = [(f"{before}{kind}", letter) for before, kind, letter in kinds]
    shown = list(_shortened(parts))
    return Shape(tuple(part for part, _ in shown), tuple(letter for _, letter in shown))


def _kind(value: Value) -> tuple[str, str]:
    """Return the kind of a value, and the dtype letters of the tensors in it."""
    if isinstance(value, Tensor):
        return "t", _LETTERS.get(value.dtype or "", "s" if value.dtype else ANY)
    if isinstance(value, Plain):
        return _PLAIN.get(value.kind, "o"), ""
    if value == Instance("torch.Size"):
        return "[i]", ""
    if isinstance(value, Items):
        return _kind_of_items(value)
    if isinstance(value, Instance):
        return {"torch.dtype": "dtype", "torch.device": "device"}.get(value.cls, "o"), ""
    if isinstance(value, TorchObject):
        return ("dtype" if value.name.removeprefix("torch.") in _DTYPES else "o"), ""
    if isinstance(value, Foreign):
        return "o", ""
    return ANY, ""


_NARROW = frozenset({"bool", "uint8", "int8", "int16", "float16", "bfloat16"})
_DTYPES = frozenset(_LETTERS) | {"uint8", "int8", "int16"}


def _kind_of_items(value: Items) -> tuple[str, str]:
    each = value.items if value.items is not None else (value.item,)
    kinds = [_kind(one) for one in each]
    if not kinds:
        return "[]", ""
    name = "".join(sorted({name for name, _ in kinds} - {ANY})) or ANY
    if has_unlike_tensors(value):
        return f"[{name}]", _SEVERAL
    letters = {letter for _, letter in kinds if letter}
    if ANY in letters or (letters and ANY in {name for name, _ in kinds}):
        return f"[{name}]", ANY
    return f"[{name}]", "".join(sorted(letters)) if len(letters) < 2 else _SEVERAL


def _shortened(parts: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the parts, with consecutive integers merged into one, as in a size."""
    for index, (part, letter) in enumerate(parts):
        if index > 1 and part == "i" == parts[index - 1][0]:
            continue
        several = index and parts[index : index + 2] == [("i", ""), ("i", "")]
        yield ("i..." if several else part), letter


class SameCalls:
    """The calls of the record, which is loaded at the first access.

    Args:
        path: the path of the record.
        counterparts: the target's module for each torch module.
        since: the version of the target in which the trials ran.
        but: names whose calls are never the same.
        corners: by name, the values for which trials gave different results.
    """

    def __init__(
        self,
        path: Path,
        counterparts: Mapping[str, str],
        since: str,
        but: Iterable[str] = (),
        corners: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._path = path
        self._corners = corners
        self._counterparts = counterparts
        self._since = tuple(map(int, since.split(".")))
        self._but = frozenset(but)

    @cached_property
    def _rows(self) -> dict[str, dict[str, str]]:
        read: dict[str, dict[str, str]] = json.loads(self._path.read_text(encoding="utf-8"))
        return read

    def row(self, name: str) -> Mapping[str, str]:
        """Return the results of a name's trials, by the layout of the call."""
        return {} if name in self._but else self._rows.get(name, {})

    def __call__(self, name: str, match: Match) -> Outcome | None:
        """Return the use kept or under the target's name, or None if trials do not allow it."""
        found = UNTRIED if name in self._but else self.result(name, match)
        if found not in _WELL:
            return None
        if found == CORNER and name not in self._corners:
            return None
        differs = at(self._corners[name]) if found == CORNER else ()
        return candidate(name, match, self._counterparts, differs)

    def result(self, name: str, match: Match) -> str:
        """Return how the trials of such a call ended: EQUAL, CORNER, LOUD, SILENT or UNTRIED."""
        if tuple(map(int, match.target.split("."))) < self._since:
            return UNTRIED
        if match.use.kind not in _TESTED or name not in self._rows:
            return UNTRIED
        asked = shape(match)
        if asked is None:
            return UNTRIED
        rows = self._rows[name]
        if COPIES in rows and not name.endswith("_") and shows_views(match):
            return SILENT
        return _worst(asked, rows, _names_narrow(match))


def candidate(
    name: str,
    match: Match,
    counterparts: Mapping[str, str],
    differs: Differs = (),
) -> Outcome | None:
    """Return the same call: an unchanged method, or a function of the module's counterpart."""
    if match.use.receiver is not None:
        return Keep(differs=differs)
    module, _, member = name.rpartition(".")
    if module not in counterparts or match.use.kind is not UseKind.CALL:
        return None
    return Rewrite(f"{counterparts[module]}.{member}", callee_only=True, differs=differs)


def _names_narrow(match: Match) -> bool:
    """Return whether a call requests, or may request, a dtype that few kernels support."""
    values, keywords = match.use.values, match.use.keywords
    given = [one for one in (*values, *keywords.values()) if not isinstance(one, Tensor)]
    open_ = "dtype" in keywords and of_value(keywords["dtype"]) is None
    return open_ or any(of_value(one) in _NARROW for one in given)


def _worst(asked: Shape, rows: Mapping[str, str], narrow: bool = False) -> str:
    """Return the combined result of the trials of all shapes that a call may have.

    A call with a `narrow` dtype may be one of the trials that raised. If no trial had exactly its
    layout, each argument must have occurred in a trial that ended well, and in none that gave
    something else.
    """
    held: set[str] = set()  # results for its dtypes, or for floats if these are unknown
    every: set[str] = set()
    fine: set[tuple[int, str]] = set()
    wrong: set[tuple[int, str]] = set()
    for layout, ends in rows.items():
        row = () if layout == COPIES else tuple(layout.split(", "))
        # A trial with unknown kinds is no evidence.
        if not row or any(part.endswith(ANY) for part in row):
            continue
        same = len(row) == len(asked.layout) and all(map(_kind_may_be, asked.layout, row))
        for end in ends.split():
            dtypes, how = end[:-1], end[-1]
            known = _known(asked, row, dtypes)
            if known is None:
                if same and how == SILENT and set(dtypes) == {"f"}:
                    every.add(SILENT)  # most trials use floats; few use integers in other layouts
                continue
            (wrong if how == SILENT else fine if how in _WELL else set()).update(_placed(row))
            if same:
                every.add(how)
                if known or set(dtypes) & set("fd"):
                    held.add(how)
    if SILENT in every:
        return SILENT
    if narrow and every & {MIXED, LOUD}:
        return LOUD
    if held & _WELL:
        return CORNER if CORNER in every else EQUAL
    if LOUD in every:
        return LOUD
    mine = list(_placed(asked.layout))
    good = all(_among(one, fine) and not _among(one, wrong) for one in mine)
    return EQUAL if good else UNTRIED


def _placed(layout: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """Yield the arguments, each with its position, or -1 for a keyword."""
    for index, part in enumerate(layout):
        yield (-1 if "=" in part else index), part


def _among(part: tuple[int, str], others: set[tuple[int, str]]) -> bool:
    at, mine = part
    return any(
        (place == at and _kind_may_be(mine, kind))
        or (kind == "i..." and 0 <= place < at and mine in {"i", ANY})
        for place, kind in others
    )


def _kind_may_be(asked: str, row: str) -> bool:
    """Return whether an argument of the requested kind may be one that a trial had."""
    if asked == row:
        return True
    name, _, kind = asked.rpartition("=")
    other_name, _, other = row.rpartition("=")
    if name != other_name:
        return False
    if kind.startswith("*") and kind != ANY:
        return other == "i..."
    if kind == ANY:
        return other != "[]"
    if other == "i...":
        return kind == "i"
    return kind == f"[{ANY}]" and other.startswith("[")


def _known(asked: Shape, row: tuple[str, ...], dtypes: str) -> bool | None:
    """Return whether a call is known to have a trial's dtypes, or None if it has others."""
    letters = dict(zip(_placed(asked.layout), asked.letters, strict=True))
    by_name = {part.partition("=")[0]: one for (at, part), one in letters.items() if at < 0}
    by_place = {at: one for (at, _), one in letters.items() if at >= 0}
    known = True
    left = iter(dtypes)
    for place, part in _placed(row):
        name, _, kind = part.rpartition("=")
        if kind != "t" and not (kind.startswith("[") and "t" in kind):
            continue
        tried = next(left, ANY)
        mine = (by_name.get(name) if place < 0 else by_place.get(place)) or ANY
        if mine == ANY:
            known = False
            if tried in _RARE:
                return None
        elif mine != tried and not (mine == "F" and tried in "fd"):
            return None
    return known


def changed(match: Match) -> bool:
    """Return whether the tensor or the call's result is modified in place under a name."""
    use = match.use
    names = [root(use.receiver)] if use.receiver is not None else []
    names += map(root, use.arguments[:1])
    statement = use.statement
    for target in getattr(statement, "targets", [getattr(statement, "target", None)]):
        parts = ast.walk(target) if target is not None else ()
        names += [root(part) for part in parts if isinstance(part, ast.expr)]
    return not match.program.traits.changed.isdisjoint(filter(None, names))


def shows_views(match: Match) -> bool:
    """Return whether a program may observe that a call's result is a copy instead of a view."""
    return changed(match) or changes_later(match)


def changes_later(match: Match) -> bool:
    """Return whether a call's result changes in place, also under another name or in a function.

    Nothing observes it if the tensor itself has just been computed.
    """
    use = match.use
    base = use.receiver if use.receiver is not None else next(iter(use.arguments), None)
    if base is None or moved_name(base) is None:
        return False
    return match.program.may_change_in_place(holders_of(use.node, use.statement, use.function))
