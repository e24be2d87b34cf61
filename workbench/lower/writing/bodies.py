"""Source of the graphs that are nested in a graph.

Branches and bodies of control flow become methods of the module, and custom backward passes become
functions in the same file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from torch.fx import GraphModule, Node
from torch.fx.node import map_aggregate

from workbench.capture.provenance import Origins, innermost, locations
from workbench.capture.stand_ins.own_backward import own_backward
from workbench.lower.liveness import asserts_values, is_assertion
from workbench.lower.writing.emission import assertion, emit
from workbench.lower.writing.names import readable_name, short, variables

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch.fx import Graph

    from workbench.capture.graph import Location
    from workbench.lower.writing.dialect import Dialect


class Bodies:
    """Writer of nested graphs, requested by name; inner ones are written before outer ones.

    `methods` are lines of the module's class; `functions` are the lines of each function. They call
    `helpers`.
    """

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._named: dict[Node, str] = {}
        self._within: dict[Graph, str] = {}
        self._functions: dict[tuple[str, ...], str] = {}
        self.methods: list[str] = []
        self.helpers: set[str] = set()

    @property
    def functions(self) -> list[list[str]]:
        """The lines of each function."""
        return [
            [text[0].replace("(", f"{name}(", 1), *text[1:]]
            for text, name in self._functions.items()
        ]

    def name(self, holder: Node) -> str:
        """Return the expression for the graph that a `get_attr` node holds."""
        if holder not in self._named:
            module = getattr(holder.graph.owning_module, str(holder.target))
            assert isinstance(module, GraphModule)
            users = [user for user in holder.users if user.target is own_backward]
            self._named[holder] = (
                self._function(users[0], module) if users else self._method(holder, module)
            )
        return self._named[holder]

    def _method(self, holder: Node, module: GraphModule) -> str:
        within = self._within.get(holder.graph, "")
        self._within[module.graph] = f"{within}{holder.target}_"
        inputs, lines = self._text(module, {})
        name = f"_{within}{holder.target}"
        self.methods += ["", f"    def {name}({', '.join(['self', *inputs])}):"]
        self.methods += [f"        {line}" for line in lines]
        return f"self.{name}"

    def _function(self, node: Node, module: GraphModule) -> str:
        """Return the function of a backward pass; equal texts share one function."""
        given = [inner for inner in module.graph.nodes if inner.op == "placeholder"]
        saved = len(cast("tuple[Node, ...]", node.args[3]))
        wishes = {inner: "saved" if i < saved else "grad" for i, inner in enumerate(given)}
        inputs, lines = self._text(module, wishes, places=True)
        text = (f"def ({', '.join(inputs)}):", *(f"    {line}" for line in lines))
        if text not in self._functions:
            number = 0
            wanted = name = f"_{node.args[1]}_backward"
            taken = {*self._dialect.helpers.sources, *self._functions.values()}
            while name in taken:
                number += 1
                name = f"{wanted}_{number}"
            self._functions[text] = name
        return self._functions[text]

    def _text(
        self, module: GraphModule, wishes: Mapping[Node, str], *, places: bool = False
    ) -> tuple[list[str], list[str]]:
        """Return a graph's inputs and statements; with `places`, comments name source lines."""
        nodes = list(module.graph.nodes)
        held = variables(
            (n.name, wishes.get(n) or readable_name(n))
            for n in nodes
            if n.op not in ("output", "get_attr")
        )

        def named(node: Node) -> str:
            return self.name(node) if node.op == "get_attr" else held[node.name]

        lines: list[str] = []
        at: Location | None = None
        for node in nodes:
            if node.op != "call_function" or (is_assertion(node) and not asserts_values(node)):
                continue
            place = innermost(locations(Origins().record(node)["trace"])) if places else None
            if place is not None and place != at:
                at = place
                lines.append(f"# {short(place)} · {place.code}")
            checks = is_assertion(node)
            write = assertion if checks else emit
            emitted = write(node, named, self._dialect)
            self.helpers |= emitted.helpers
            target = "" if checks else f"{held[node.name]} = "
            lines.append(f"{target}{emitted.expression}")
        results = map_aggregate(
            module.graph.output_node().args[0],
            lambda n: held[n.name] if isinstance(n, Node) else repr(n),
        )
        listed = results if isinstance(results, (tuple, list)) else [results]
        text = ", ".join(str(r) for r in listed)
        # A loop's condition is one value; branches and bodies return tuples.
        single = not isinstance(results, (tuple, list))
        lines.append(f"return {text if single else f'({text},)'}")
        return [held[n.name] for n in nodes if n.op == "placeholder"], lines
