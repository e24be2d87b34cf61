"""Repeated modules as separate classes.

The blocks of a transformer compute the same with other weights: their statements are written once,
in a class, and the module calls its instances. Modules share a class if everything except the names
is equal: statements, weights, inputs and outputs. Sizes of weights in which they differ are
arguments of the constructor.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import torch

from workbench.lower.writing.names import variables

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from workbench.lower.backend import Line
    from workbench.lower.writing.dialect import Dialect

_SHAPE = "<shape>"
_LEAST = 3  # statements that justify a class
_PLACE = re.compile(r"\bself(?:\.\w+|\[\d+\])+")  # attributes of the module in a statement


@dataclass(slots=True)
class Row:
    """A line of a method, without the indentation of the method.

    `module` is the path of its module; None for a line that deletes variables. `lines` are the
    graph's statements that it writes, one per instance of its class.
    """

    text: str
    module: str | None
    lines: list[Line] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Making:
    """A statement that creates a weight, or a module that holds some, at a place: `self.norm`.

    `shape` is the weight's, if the text contains it. `alone` is False if the statement needs
    another attribute of the module.
    """

    place: str
    text: str
    shape: tuple[int, ...] = ()
    alone: bool = True

    @property
    def unsized(self) -> str:
        """The text with a mark in place of the shape."""
        return self.text.replace(str(list(self.shape)), _SHAPE, 1) if self.shape else self.text


@dataclass(frozen=True)
class Method:
    """The method that computes the graph: its lines, its final writes to weights, its result."""

    rows: list[Row]
    endings: list[Row]
    returned: str


@dataclass(frozen=True)
class Class:
    """A class: the parameters and lines of its constructor, and those of its method."""

    name: str
    sizes: tuple[str, ...]
    making: tuple[str, ...]
    parameters: tuple[str, ...]
    rows: list[Row]


@dataclass(frozen=True)
class _Run:
    """One module's part of the method, in the form that a class would have."""

    path: str
    place: str
    start: int
    end: int
    inputs: tuple[str, ...]  # variables of the enclosing method, like `outputs` and `freed`
    outputs: tuple[str, ...]
    freed: tuple[str, ...]
    endings: tuple[int, ...]
    making: tuple[str, ...]  # without the shapes
    shapes: tuple[tuple[int, ...], ...]
    parameters: tuple[str, ...]
    texts: tuple[str, ...]
    lines: tuple[tuple[Line, ...], ...]

    @property
    def alike(self) -> tuple[tuple[str, ...], ...]:
        """The properties that the instances of a class share."""
        return self.making, tuple(str(len(one)) for one in self.shapes), self.parameters, self.texts


class Folding:
    """Search for the modules that repeat in a method; writes it with these as classes.

    Args:
        method: the method that computes the graph.
        making: the statements of its module's constructor.
        places: the attribute path of each module that holds weights, by its module path.
        types: the class of each module in torch, by its path.
        values: the example value of each variable.
        dialect: how the target spells modules.
        taken: names that have another meaning in the text.
    """

    def __init__(
        self,
        method: Method,
        making: Sequence[Making],
        places: Mapping[str, str],
        types: Mapping[str, str],
        values: Mapping[str, Any],
        dialect: Dialect,
        taken: Collection[str],
    ) -> None:
        self._method = method
        self._making = making
        self._places = places
        self._types = types
        self._values = values
        self._dialect = dialect
        self._taken = set(taken)
        # `self.rngs`, which instances get as an argument.
        self._draws = dialect.draws.partition(" = ")[0] if dialect.draws else None
        # Rows that compute sizes from sizes: a class does that itself.
        self._sizes = {
            stored[0]: row
            for row in method.rows
            if len(stored := _stored(row.text)) == 1 and all(map(self._is_size, _names(row.text)))
        }
        self._size_rows = {id(row) for row in self._sizes.values()}
        self._index()
        self.classes: list[Class] = []
        self.rows = method.rows
        self.endings = method.endings
        self.making = [one.text for one in making]
        chosen = self._chosen()
        if chosen:
            self._fold(chosen)

    # Search for repeated modules.

    def _index(self) -> None:
        """Index each module's lines, each attribute's uses, and each variable's last use.

        The statements after the lines of the method count as one more line.
        """
        rows, endings = self._method.rows, self._method.endings
        self._rows_of: dict[str, list[int]] = defaultdict(list)
        self._reached: dict[str, set[int]] = defaultdict(set)
        self._last: dict[str, int] = {}
        for index, row in enumerate(rows):
            for path in _prefixes(row.module or "", "."):
                self._rows_of[path].append(index)
            if row.module is not None:
                self._last.update(dict.fromkeys(_loaded(row.text), index))
        for index, text in enumerate(row.text for row in (*rows, *endings)):
            for place in _PLACE.findall(text):
                for one in _prefixes(place, ".["):
                    self._reached[one].add(index)
        self._last.update(dict.fromkeys(_loaded(self._method.returned), len(rows)))
        self._made_at: dict[str, list[Making]] = defaultdict(list)
        for made in self._making:
            for one in _prefixes(made.place, ".["):
                self._made_at[one].append(made)

    def _chosen(self) -> dict[str, list[_Run]]:
        """Return the outermost repeated runs that become one class, by the class's name."""
        runs = [run for path in self._places if (run := self._run(path)) is not None]
        groups: dict[Any, list[_Run]] = defaultdict(list)
        for run in runs:
            groups[self._types.get(run.path), run.alike].append(run)
        found: dict[str, list[_Run]] = {}
        taken: set[str] = set()
        for run in sorted(runs, key=lambda one: (one.path.count("."), one.start)):
            kind = self._types.get(run.path)
            group = groups[kind, run.alike]
            paths = {one.path for one in group}
            if (
                kind is None
                or len(group) < 2
                or any(taken & set(_prefixes(one, ".")) for one in paths)
            ):
                continue
            taken |= paths
            found[self._fresh(kind)] = group
        return found

    def _fresh(self, kind: str) -> str:
        wanted = re.sub(r"\W", "_", kind)
        name, number = wanted, 1
        while name in self._taken or not name.isidentifier():
            name, number = f"{wanted}_{number}", number + 1
        self._taken.add(name)
        return name

    def _run(self, path: str) -> _Run | None:
        """Return a module's part of the method if it is one self-contained run, else None."""
        rows, place = self._method.rows, self._places[path]
        mine = self._rows_of[path]
        if sum(bool(rows[i].lines) for i in mine) < _LEAST:
            return None
        start, end = mine[0], mine[-1] + 1
        end += rows[end : end + 1] != [] and rows[end].module is None
        run = [row for row in rows[start:end] if id(row) not in self._size_rows]
        if any(row.module is not None and not _within(row.module, path) for row in run):
            return None
        stored = dict.fromkeys(name for row in run for name in _stored(row.text))
        endings = [
            i
            for i, row in enumerate(self._method.endings)
            if _within(row.module, path) and stored.keys() & set(_loaded(row.text))
        ]
        written = [self._method.endings[i].text for i in endings]
        texts = [row.text for row in run if row.module is not None and row.text[:1] != "#"]
        texts += written
        making = self._made_at[place]
        inside = {*range(start, end), *(len(rows) + i for i in endings)}
        if (
            not all(one.alone for one in making)
            or not all(self._is_self_contained(text, place) for text in texts)
            or self._reached[place] - inside
        ):
            return None
        left = {i for i in range(len(self._method.endings)) if i not in endings}
        after = {name for i in left for name in _loaded(self._method.endings[i].text)}
        outputs = tuple(one for one in stored if one in after or self._last.get(one, 0) >= end)
        loaded = dict.fromkeys(name for text in texts for name in _loaded(text))
        inputs = [name for name in loaded if name in self._values and name not in stored]
        if not outputs or not any(isinstance(self._values[one], torch.Tensor) for one in inputs):
            return None
        return self._written(path, (start, end), run, inputs, outputs, stored, endings, making)

    def _is_self_contained(self, text: str, place: str) -> bool:
        """Return whether a statement reads nothing of the whole module except this place."""
        own = (f"{place}.", *filter(None, [self._draws]))
        return all(text.startswith(own, found.start()) for found in re.finditer(r"\bself\b", text))

    def _written(
        self,
        path: str,
        span: tuple[int, int],
        rows: list[Row],
        inputs: list[str],
        outputs: tuple[str, ...],
        stored: Iterable[str],
        endings: list[int],
        making: list[Making],
    ) -> _Run:
        """Return a module's part with its own variable names."""
        place = self._places[path]
        tensors = [one for one in inputs if isinstance(self._values[one], torch.Tensor)]
        sizes: dict[str, Row] = {}
        rest: list[str] = []
        for one in inputs:
            if one not in tensors:
                self._read_size(one, tensors, sizes, rest)
        inputs = [*tensors, *rest]
        wishes = {tensors[0]: "x"}
        order = [*inputs, *sizes, *stored]
        drawn = self._draws if any(f"{self._draws}(" in row.text for row in rows) else None
        draws = drawn.removeprefix("self.") if drawn else ""
        named = variables(
            ((one, wishes.get(one, re.sub(r"_\d+$", "", one))) for one in order),
            taken={*self._taken, draws},
        )

        def renamed(text: str) -> str:
            text = _renamed(text, named).replace(f"{place}.", "self.")
            return text.replace(drawn, draws) if drawn else text

        texts = [renamed(row.text) for row in sizes.values()]
        inner = set(map(id, self._method.rows[span[0] : span[1]]))
        lines = [tuple(row.lines) if id(row) in inner else () for row in sizes.values()]
        freed: list[str] = []
        for row, following in zip(rows, [*rows[1:], None], strict=True):
            text = row.text
            if text.startswith("#"):
                if following is None or following.text.startswith("#"):
                    continue  # the comment belongs to a size
                text = text.removeprefix("# ")
                within = text.startswith(f"{path}.")
                text = text.removeprefix(f"{path}.") if within else _of_class(text, path)
                text = f"# {text}"
            elif row.module is None:
                gone = text.removeprefix("del ").split(", ")
                freed += [one for one in gone if one not in stored]
                gone = [named[one] for one in gone if one in stored]
                text = f"del {', '.join(gone)}" if gone and row is not rows[-1] else ""
            else:
                text = renamed(text)
            if text:
                texts.append(text)
                lines.append(tuple(row.lines))
        texts += [renamed(self._method.endings[i].text) for i in endings]
        texts.append(f"return {', '.join(named[one] for one in outputs)}")
        lines += [()] * (len(endings) + 1)
        made = tuple(
            one.unsized.replace(f"{place}.", "self.")
            for one in making
            if one.place != place or not one.text.startswith(f"{place} = ")
        )
        return _Run(
            path,
            place,
            *span,
            (*inputs, drawn) if drawn else tuple(inputs),
            outputs,
            tuple(freed),
            tuple(endings),
            made,
            tuple(one.shape for one in making if one.shape),
            (*(named[one] for one in inputs), *filter(None, [draws])),
            tuple(texts),
            tuple(lines),
        )

    def _is_size(self, name: str) -> bool:
        return isinstance(self._values.get(name), torch.SymInt)

    def _read_size(
        self, name: str, tensors: Sequence[str], sizes: dict[str, Row], rest: list[str]
    ) -> None:
        """Record how to obtain a size: from a tensor, from other sizes, or as an input (`rest`)."""
        if name in sizes or name in rest:
            return
        for one in tensors if self._is_size(name) else ():
            for axis, length in enumerate(self._values[one].shape):
                if isinstance(length, torch.SymInt) and _symbol(length) == _symbol(
                    self._values[name]
                ):
                    sizes[name] = Row(f"{name} = {one}.shape[{axis}]", "")
                    return
        if name not in self._sizes or not (parts := _loaded(self._sizes[name].text)):
            rest.append(name)
            return
        for part in parts:
            self._read_size(part, tensors, sizes, rest)
        sizes[name] = self._sizes[name]

    # The resulting text.

    def _fold(self, chosen: Mapping[str, list[_Run]]) -> None:
        calls: dict[int, tuple[_Run, list[Row]]] = {}
        made: dict[str, str] = {}
        for name, group in chosen.items():
            first = group[0]
            sizes, shapes = _shapes([run.shapes for run in group])
            written = iter(shapes)
            making = tuple(
                one.replace(_SHAPE, next(written)) if _SHAPE in one else one for one in first.making
            )
            for index, run in enumerate(group):
                given = ", ".join(str(each[index]) for each in sizes.values())
                made[run.place] = f"{name}({given})"
            lines = [
                [line for one in each for line in one]
                for each in zip(*(g.lines for g in group), strict=True)
            ]
            rows = [Row(text, "", found) for text, found in zip(first.texts, lines, strict=True)]
            self.classes.append(Class(name, tuple(sizes), making, first.parameters, rows))
            for run in group:
                call = f"{run.place}({', '.join(run.inputs)})"
                calls[run.start] = (
                    run,
                    [
                        Row(f"# {run.path} ({self._types[run.path]})", ""),
                        Row(f"{', '.join(run.outputs)} = {call}", ""),
                    ],
                )
                if run.freed:
                    calls[run.start][1].append(Row(f"del {', '.join(run.freed)}", None))
        self.rows, index = [], 0
        while index < len(self._method.rows):
            if index in calls:
                run, called = calls[index]
                inner = self._method.rows[index : run.end]
                self.rows += [row for row in inner if id(row) in self._size_rows] + called
                index = run.end
            else:
                self.rows.append(self._method.rows[index])
                index += 1
        self._leave_out_sizes()
        gone = {i for run, _ in calls.values() for i in run.endings}
        self.endings = [row for i, row in enumerate(self._method.endings) if i not in gone]
        self._make(made)

    def _leave_out_sizes(self) -> None:
        """Remove sizes that nothing outside the classes reads."""
        read = {*_loaded(self._method.returned)}
        kept: list[Row] = []
        for row in reversed([*self.rows, *self.endings]):
            size = id(row) in self._size_rows and _stored(row.text)[0]
            if not size or size in read:
                read.update(_loaded(row.text))
                kept.append(row)
        self.rows = kept[len(self.endings) :][::-1]

    def _make(self, made: Mapping[str, str]) -> None:
        """Write the constructor's statements, with instances in place of their contents."""
        plain = f"{self._dialect.module}()"
        left = dict(made)
        self.making = []
        for one in self._making:
            around = next((place for place in _prefixes(one.place, ".[") if place in made), None)
            if around is None:
                listed = [f"{one.place}[{i}]" for i in range(len(made))]
                items = [place for place in listed if place in left]
                every = f"[{plain} for _ in range({len(items)})]"
                text = one.text
                if items and every in text and text.startswith(f"{one.place} = "):
                    text = text.replace(every, _list([left.pop(place) for place in items]))
                self.making.append(text)
            elif around in left:
                self.making.append(f"{around} = {left.pop(around)}")


def _within(path: str | None, around: str) -> bool:
    """Return whether a module is another one, or inside it."""
    return path is not None and (path == around or path.startswith(f"{around}."))


def _prefixes(path: str, ends: str) -> list[str]:
    """Return a path and its prefixes: `a.b` and `a`."""
    return [*(path[:i] for i, char in enumerate(path) if char in ends), path]


def _of_class(comment: str, path: str) -> str:
    """Return a comment on a module itself without its path: `Block · ...`."""
    return re.sub(rf"^{re.escape(path)} \((\w*)\)", r"\1", comment)


def _list(items: Sequence[str]) -> str:
    alike = len(set(items)) == 1 and len(items) > 1
    return f"[{items[0]} for _ in range({len(items)})]" if alike else f"[{', '.join(items)}]"


def _shapes(
    variants: Sequence[Sequence[tuple[int, ...]]],
) -> tuple[dict[str, tuple[int, ...]], list[str]]:
    """Return the sizes in which classes differ, by a name for each, and the shapes with these
    names.
    """
    names: dict[tuple[int, ...], str] = {}
    texts = []
    for alike in zip(*variants, strict=True):
        parts = []
        for sizes in zip(*alike, strict=True):
            if len(set(sizes)) > 1 and sizes not in names:
                names[sizes] = f"width_{len(names)}" if names else "width"
            parts.append(names.get(sizes, str(sizes[0])))
        texts.append(f"[{', '.join(parts)}]")
    return {name: sizes for sizes, name in names.items()}, texts


def _symbol(size: torch.SymInt) -> str:
    return str(size.node.expr)


@lru_cache(maxsize=1 << 14)  # several passes parse the same lines, and a kernel handles many graphs
def _parsed(text: str) -> tuple[ast.Name, ...]:
    """Return the names in a statement; none for a comment."""
    if text.startswith("#"):
        return ()
    code = f"{text} pass" if text.endswith(":") else text
    return tuple(node for node in ast.walk(ast.parse(code.strip())) if isinstance(node, ast.Name))


def _stored(text: str) -> list[str]:
    return [node.id for node in _parsed(text) if isinstance(node.ctx, ast.Store)]


def _loaded(text: str) -> list[str]:
    found = [node for node in _parsed(text) if isinstance(node.ctx, ast.Load)]
    return [node.id for node in sorted(found, key=lambda node: node.col_offset)]


def _names(text: str) -> list[str]:
    return [node.id for node in _parsed(text)]


def _renamed(text: str, names: Mapping[str, str]) -> str:
    """Return a statement with other names of its variables."""
    indent = len(text) - len(text.lstrip())
    code = text.lstrip().encode()
    for node in sorted(_parsed(text), key=lambda node: node.col_offset, reverse=True):
        start = node.col_offset
        new = names.get(node.id, node.id).encode()
        code = code[:start] + new + code[start + len(node.id.encode()) :]
    return " " * indent + code.decode()
