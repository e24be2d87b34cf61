"""Captured graphs: nodes with provenance, their program, and files of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from torch.export import ExportedProgram

Dimension = int | str
Attribute = None | bool | int | float | complex | str | tuple["Attribute", ...]


class Kind(StrEnum):
    """The kind of a node."""

    INPUT = "input"
    PARAMETER = "parameter"
    BUFFER = "buffer"
    CONSTANT = "constant"
    CALL = "call"
    SUBGRAPH = "subgraph"


@dataclass(frozen=True, slots=True)
class Location:
    """A line of source: of a file, or of an IPython cell by its execution count.

    `line` is 1-based, as in Python's tracebacks.
    """

    file: str
    line: int
    function: str = ""
    code: str = ""
    cell: int | None = None

    def __str__(self) -> str:
        place = f"cell [{self.cell}]" if self.cell is not None else self.file
        return f"{place}:{self.line}"


@dataclass(frozen=True, slots=True)
class Value:
    """One tensor (or number) that a node returns: its shape and its dtype by torch's short name.

    A dimension is an int, or a name or expression if it is dynamic (`batch`, `2*batch`). `numel` is
    the number of elements for the example inputs.
    """

    shape: tuple[Dimension, ...]
    dtype: str
    numel: int = 0
    itemsize: int = 0
    device: str = "cpu"

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"

    @property
    def nbytes(self) -> int:
        """The value's size in bytes for the example inputs."""
        return self.numel * self.itemsize


@dataclass(frozen=True)
class Node:
    """One node: its operation, its input nodes, and its source line.

    `location` is the innermost line outside torch; `stack` is the whole path to it, outermost call
    first. `target` is the qualified name of a parameter, buffer or constant. `flops` and `bytes`
    are estimates for the example inputs. `grad` is False under `torch.no_grad()`.
    """

    name: str
    kind: Kind
    op: str
    inputs: tuple[str, ...] = ()
    values: tuple[Value | None, ...] = ()
    module: str = ""
    module_type: str = ""
    location: Location | None = None
    stack: tuple[Location, ...] = ()
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    arguments: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    target: str = ""
    flops: int = 0
    bytes: int = 0
    grad: bool = True

    @property
    def shape(self) -> tuple[Dimension, ...] | None:
        """The shape of the first value, or None if the node returns no tensor."""
        return self.values[0].shape if self.values and self.values[0] else None

    @property
    def dtype(self) -> str | None:
        """The dtype of the first value, such as `float32`; None if the node returns no tensor."""
        return self.values[0].dtype if self.values and self.values[0] else None


@dataclass
class Graph:
    """A model or function as exported by `torch.export`, at the functional ATen level.

    `inputs` and `outputs` are node names in call order. `program` is the decomposed
    `ExportedProgram` from which the rest is derived; `symbols` names its dynamic dimensions.
    `subgraphs` has the branches and bodies of control flow, by node name.
    """

    name: str
    nodes: tuple[Node, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    program: ExportedProgram
    symbols: Mapping[str, str] = field(default_factory=dict)
    subgraphs: Mapping[str, tuple[Node, ...]] = field(default_factory=dict)
    training: bool = False
    warnings: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    @cached_property
    def _by_name(self) -> dict[str, Node]:
        return {node.name: node for node in self.nodes}

    def node(self, name: str) -> Node:
        """Return the node with a name.

        Raises:
            KeyError: the graph has no such node; the message names the graph.
        """
        try:
            return self._by_name[name]
        except KeyError:
            raise KeyError(f"the graph of {self.name} has no node {name!r}") from None

    @cached_property
    def _users(self) -> dict[str, tuple[Node, ...]]:
        users: dict[str, list[Node]] = {}
        for node in self.nodes:
            for name in dict.fromkeys(node.inputs):
                users.setdefault(name, []).append(node)
        return {name: tuple(nodes) for name, nodes in users.items()}

    def users(self, name: str) -> tuple[Node, ...]:
        """Return the nodes that read the node with a name, in order."""
        return self._users.get(name, ())

    @property
    def calls(self) -> tuple[Node, ...]:
        """The nodes that compute something."""
        return tuple(node for node in self.nodes if node.kind is Kind.CALL)

    @property
    def flops(self) -> int:
        """Estimated floating-point operations of one call with the example inputs."""
        return sum(node.flops for node in self.nodes)

    def at(self, file: str, line: int) -> tuple[Node, ...]:
        """Return the nodes that come from a source line, including helpers that it calls."""
        return tuple(
            node
            for node in self.nodes
            if any(place.file == file and place.line == line for place in node.stack)
        )

    def save(self, path: str | Path) -> Path:
        """Write the program as `.pt2`, for `torch.export.load` and Netron, and return the path.

        Raises:
            ValueError: the path does not end in `.pt2`.
        """
        import torch

        path = Path(path)
        if path.suffix != ".pt2":
            raise ValueError(
                f"{path}: a captured graph is saved as .pt2; give a name with this ending"
            )
        # The archive contains the file's name, and Netron ignores names that start with a dot.
        with TemporaryDirectory(dir=path.parent, prefix=".partial-") as folder:
            partial = Path(folder, path.name)
            torch.export.save(self.program, partial)
            partial.replace(path)
        return path
