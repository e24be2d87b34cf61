"""Names in generated code: variables for nodes, attribute paths for weights."""

from __future__ import annotations

import builtins
import keyword
import operator
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from torch.fx import Node

if TYPE_CHECKING:
    from collections.abc import Iterable

    from workbench.capture.graph import Location
    from workbench.lower.writing.dialect import Dialect

_TAKEN = {*dir(builtins), "self", "torch", "math"}


def variables(names: Iterable[tuple[str, str]], taken: Iterable[str] = ()) -> dict[str, str]:
    """Return a variable for each (name, wish) pair: the wish, made unique by a number.

    It differs from keywords and from names that the module uses.
    """
    reserved = {*_TAKEN, *taken}
    used = set(reserved)
    counts: dict[str, int] = {}
    found: dict[str, str] = {}
    for name, readable_name in names:
        base = re.sub(r"\W", "_", readable_name)
        base = f"{base}_" if base in reserved or keyword.iskeyword(base) else base
        candidate = base
        while candidate in used:
            counts[base] = counts.get(base, 0) + 1
            candidate = f"{base}_{counts[base]}"
        used.add(candidate)
        found[name] = candidate
    return found


def readable_name(node: Node) -> str:
    """Return a readable name for a node's value: its operation, not torch's name of a kernel."""
    if node.op == "placeholder":
        return node.name
    if node.target is operator.getitem:
        source = node.args[0]
        return readable_name(source) if isinstance(source, Node) else node.name
    packet = getattr(node.target, "overloadpacket", None)
    if packet is None:
        return re.sub(r"_\d+$", "", node.name)
    name = str(packet.__name__)
    return _READABLE.get(name, name.strip("_"))


def short(place: Location) -> str:
    """Return a location for comments: without the folder of its file."""
    return str(place) if place.cell is not None else f"{Path(place.file).name}:{place.line}"


_READABLE = {
    "_native_batch_norm_legit_no_training": "batch_norm",
    "_native_batch_norm_legit_functional": "batch_norm",
    "_to_copy": "cast",
    "slice": "sliced",
    "native_dropout": "dropout",
    "scaled_dot_product_attention": "attention",
    "_unsafe_view": "view",
}


@dataclass
class Branch:
    """A sublayer of the generated module that holds weights under their torch names."""

    path: str
    dialect: Dialect
    children: dict[str, Branch] = field(default_factory=dict)
    leaves: dict[str, str] = field(default_factory=dict)
    is_list: bool = False

    def add(self, parts: list[str], target: str) -> None:
        """Add the weight `target` at the end of this path."""
        if len(parts) == 1:
            self.leaves[target] = parts[0]
            return
        self.children.setdefault(parts[0], Branch("", self.dialect)).add(parts[1:], target)

    def settle(self, path: str = "self") -> None:
        """Determine every attribute path; children named 0, 1, ... become a list."""
        self.path = path
        numbers = [name for name in self.children if name.isdigit()]
        self.is_list = bool(numbers) and len(numbers) == len(self.children) and path != "self"
        self.is_list = self.is_list and not self.leaves
        for name, child in self.children.items():
            child.settle(
                f"{path}[{int(name)}]" if self.is_list else f"{path}.{self._attribute(name)}"
            )

    def places(self) -> dict[str, tuple[str, str]]:
        """Return, for every weight, the expression of its layer and its attribute there."""
        found = {target: (self.path, self._attribute(name)) for target, name in self.leaves.items()}
        for child in self.children.values():
            found |= child.places()
        return found

    def constructors(self) -> list[str]:
        """Return the statements that create the sublayers, outermost first."""
        made: list[str] = []
        for child in self.children.values():
            if not self.is_list:
                made.append(f"{child.path} = {child._constructor()}")
            made += child.constructors()
        return made

    def modules(self, name: str = "") -> dict[str, str]:
        """Return the attribute path of each module with weights, by its path, except lists."""
        found = {}
        for part, child in self.children.items():
            path = f"{name}.{part}" if name else part
            if not child.is_list:
                found[path] = child.path
            found |= child.modules(path)
        return found

    def _constructor(self) -> str:
        if not self.is_list:
            return f"{self.dialect.module}()"
        count = max(int(name) for name in self.children) + 1
        # In a list of lists the inner ones are created in place, below.
        kinds = [
            self.children.get(str(i), Branch("", self.dialect))._constructor() for i in range(count)
        ]
        if len(set(kinds)) == 1:
            return f"{self.dialect.module_list}([{kinds[0]} for _ in range({count})])"
        return f"{self.dialect.module_list}([{', '.join(kinds)}])"

    def _attribute(self, name: str) -> str:
        clean = re.sub(r"\W", "_", name)
        if not clean or clean[0].isdigit():
            clean = f"_{clean}"
        reserved = clean in self.dialect.reserved or clean == self.dialect.method
        return f"{clean}_" if reserved or keyword.iskeyword(clean) else clean


def weight_tree(targets: Iterable[str], dialect: Dialect) -> Branch:
    """Return the sublayers that hold weights with these qualified names."""
    root = Branch("self", dialect)
    for target in targets:
        root.add(target.split("."), target)
    root.settle()
    return root
