"""Writer of a graph as the source of a module."""

from __future__ import annotations

import operator
import re
from typing import TYPE_CHECKING, Any

import torch
from torch.export.graph_signature import InputKind, InputSpec, OutputKind
from torch.fx import Node

from workbench.capture.hierarchy import module_types
from workbench.lower.backend import Line, LowerError, Unsupported, Written
from workbench.lower.liveness import draws, is_assertion, live, reads
from workbench.lower.partition import Island, schedule
from workbench.lower.writing import island_text, running, signature
from workbench.lower.writing.bodies import Bodies
from workbench.lower.writing.call import items
from workbench.lower.writing.classes import Folding, Making, Method, Row
from workbench.lower.writing.emission import Emitted, assertion, emit
from workbench.lower.writing.names import readable_name, short, variables, weight_tree
from workbench.lower.writing.notation import numbers

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from workbench.capture.graph import Graph
    from workbench.lower.writing.dialect import Dialect

_INDENT = "        "


class ModuleWriter:
    """Writer of one module; use it once."""

    def __init__(self, graph: Graph, islands: Sequence[Island], dialect: Dialect) -> None:
        self._graph = graph
        self._dialect = dialect
        self._islands = islands
        self._program = graph.program
        self._fx = graph.program.graph
        self._live = live(self._fx)
        self._helpers: set[str] = set()
        self._lines: list[Line] = []
        self._rows: list[Row] = []
        self._endings: list[Row] = []
        self._module = ""  # the path of the module that is being written
        self._caveats: dict[str, tuple[str, ...]] = {}
        self._bodies = Bodies(dialect)
        self._unsaved: list[str] = []
        self._checked: set[tuple[str, str]] = set()
        self._held_specs = {
            spec.arg.name: spec
            for spec in self._program.graph_signature.input_specs
            if spec.kind is not InputKind.USER_INPUT and spec.target
        }
        self._constants = self._short_constants()
        self._names = variables(
            ((n.name, readable_name(n)) for n in self._fx.nodes if self._has_variable(n)),
            taken=self._taken(),
        )
        self._weights = {
            name: spec for name, spec in self._held_specs.items() if name not in self._constants
        }
        self._tree = weight_tree((str(s.target) for s in self._weights.values()), dialect)
        self._places = self._tree.places()
        self._class = re.sub(r"\W", "_", graph.name)
        if not self._class.isidentifier():
            self._class = "Lowered"

    def write(self) -> Written:
        """Return the whole module.

        Raises:
            LowerError: a part of the graph can be written neither in the target nor in torch.
        """
        opening = signature.inputs(self._program, lambda name: self._names[name], self._dialect)
        self._helpers |= opening.helpers
        self._body()
        returned = signature.outputs(self._program, self._variable_named, self._dialect)
        self._helpers |= self._bodies.helpers
        functions = [island_text.function(i, self._dialect.title) for i in self._islands]
        functions += self._bodies.functions
        if self._islands:
            self._helpers.add("_TorchIsland")
        folding = Folding(
            Method(self._rows, self._endings, returned),
            self._making(),
            self._tree.modules(),
            module_types(self._graph),
            {
                self._names[n.name]: n.meta.get("val")
                for n in self._fx.nodes
                if n.name in self._names
            },
            self._dialect,
            {self._class, *self._taken()},
        )
        text = [*self._header(), *self._helper_sources()]
        for function in functions:
            text += ["", "", *function]
        numbers: dict[int, int] = {}
        for one in folding.classes:
            making = [*self._dialect.opening, *one.making]
            text += self._head(one.name, making, one.parameters, one.sizes)
            text += _listed(one.rows, len(text), numbers)
        text += self._head(self._class, [*self._opening(), *folding.making], opening.parameters)
        text += [_INDENT + line for line in opening.opening]
        rows = [*folding.rows, *folding.endings, Row(f"return {returned}", "")]
        text += _listed(rows, len(text), numbers)
        text += self._bodies.methods
        lines = [
            Line(line.node, line.name, line.expression, numbers[id(line)], line.grad)
            for line in self._lines
        ]
        return Written(
            source="\n".join(text) + "\n",
            class_name=self._class,
            lines=tuple(lines),
            parameters={
                target: f"{layer}.{name}".removeprefix("self.")
                for target, (layer, name) in self._places.items()
            },
            variables={
                node.name: self._held(node.name) or self._names[node.name]
                for node in self._fx.nodes
                if self._has_variable(node)
            },
            caveats=self._caveats,
        )

    # Names.

    def _taken(self) -> set[str]:
        """Return the names used by the text around the variables."""
        return {*self._dialect.taken, *self._dialect.helpers.sources}

    def _has_variable(self, node: Node) -> bool:
        if node.name in self._constants or (node.op == "call_function" and is_assertion(node)):
            return False
        return node.op in ("placeholder", "call_function") and not self._unpacks(node)

    def _variable(self, node: Node) -> str:
        if node.op == "get_attr":
            return self._bodies.name(node)
        return self._variable_named(node.name)

    def _variable_named(self, name: str) -> str:
        if name in self._constants:
            return self._constants[name]
        attribute = self._held(name)
        return self._dialect.weight(attribute) if attribute else self._names[name]

    def _held(self, name: str) -> str:
        """Return the attribute that holds a weight, given its node's name; "" for other nodes."""
        spec = self._weights.get(name)
        return ".".join(self._places[str(spec.target)]) if spec is not None else ""

    def _short_constants(self) -> dict[str, str]:
        """Return expressions of short constant tensors, by the node's name."""
        found = {}
        for name, spec in self._held_specs.items():
            if spec.kind is InputKind.CONSTANT_TENSOR:
                value = running.held(self._program, str(spec.target))
                listed = numbers(value, self._dialect)
                if listed is not None:
                    found[name] = self._dialect.tensor(
                        listed, self._dialect.dtype_name(value.dtype)
                    )
        return found

    # The body of its method.

    def _body(self) -> None:
        order = [
            item
            for item in schedule(self._fx, self._islands)
            if isinstance(item, Island) or self._is_written(item)
        ]
        last = self._last_uses(order)
        place, open_region, dead = "", True, list[str]()
        for index, item in enumerate(order):
            comment = self._comment(item)
            if comment != place:
                self._flush(dead)
                place, open_region = comment, True
                island = isinstance(item, Island)
                self._module = "" if island else self._graph.node(item.name).module
                self._rows.append(Row(f"# {comment}", self._module))
            grad = isinstance(item, Island) or self._graph.node(item.name).grad
            if grad != open_region and not grad and self._dialect.no_grad is not None:
                self._rows.append(Row(f"with {self._dialect.no_grad}:", self._module))
            open_region = grad
            self._statement(item, grad)
            dead += [name for name in last.get(index, ()) if name not in dead]
        self._mutations()

    def _is_written(self, node: Node) -> bool:
        if node.op != "call_function" or node not in self._live:
            return False
        return not self._is_unpacked(node)

    def _is_unpacked(self, node: Node) -> bool:
        """Return whether it is a getitem that the statement of its tuple assigns already."""
        return node.target is operator.getitem and self._unpacks(node.args[0])

    def _unpacks(self, source: Any) -> bool:
        """Return whether every use of a tuple takes a fixed item out of it."""
        if not isinstance(source, Node) or source.op != "call_function":
            return False
        if not isinstance(source.meta.get("val"), (tuple, list)):
            return False
        return bool(source.users) and all(u.target is operator.getitem for u in source.users)

    def _statement(self, item: Node | Island, grad: bool) -> None:
        if isinstance(item, Island):
            self._check_border(item)
            outputs = island_text.tensor_outputs(item)
            names = ", ".join(self._variable(n) for n in outputs)
            names += "," if len(outputs) == 1 else ""
            expression = island_text.call(item, self._variable)
            self._add(item.nodes[0].name, names, expression, grad)
            return
        if is_assertion(item):
            self._assertion(item, grad)
            return
        try:
            emitted: Emitted = emit(item, self._variable, self._dialect)
        except Unsupported as error:
            raise LowerError(f"{item.name}: {error}") from error
        self._helpers |= emitted.helpers
        if emitted.caveats:
            self._caveats[item.name] = emitted.caveats
        if self._unpacks(item):
            self._unpacked(item, emitted.expression, grad)
        else:
            self._add(item.name, self._names[item.name], emitted.expression, grad)

    def _check_border(self, island: Island) -> None:
        """Refuse an island with inputs or outputs that the target cannot represent."""
        for node in [*island_text.tensor_inputs(island), *island_text.tensor_outputs(island)]:
            value = node.meta["val"]
            try:
                self._dialect.dtype_name(value.dtype)
                if value.layout is not torch.strided:
                    layout = str(value.layout)[6:]
                    raise Unsupported(
                        f"{self._dialect.title} does not accept {layout} tensors from torch"
                    )
            except Unsupported as error:
                known = self._graph.node(node.name)
                place = f"{known.location}: " if known.location else ""
                raise LowerError(
                    f"{place}the result of {known.op or node.name} cannot be passed between the"
                    f" frameworks: {error}; convert it in the model before it is used"
                ) from error

    def _assertion(self, node: Node, grad: bool) -> None:
        """Write a check of values once; export may repeat it."""
        emitted = assertion(node, self._variable, self._dialect)
        condition = node.args[0]
        asserted = self._expression(condition) if isinstance(condition, Node) else ""
        check = asserted, str(node.args[1])
        if check not in self._checked:
            self._checked.add(check)
            self._helpers |= emitted.helpers
            self._add(node.name, "", emitted.expression, grad)

    def _expression(self, node: Node) -> str:
        return emit(node, self._variable, self._dialect).expression

    def _unpacked(self, node: Node, expression: str, grad: bool) -> None:
        """Assign a tuple's items to the names of those that are used."""
        count = len(node.meta["val"])
        names = ["_"] * count
        again: list[tuple[str, str]] = []
        for user in node.users:
            index = int(user.args[1])  # type: ignore[arg-type]
            if names[index] == "_":
                names[index] = self._names[user.name]
            else:
                again.append((self._names[user.name], names[index]))
        inner = items(expression)
        used = [i for i, name in enumerate(names) if name != "_"]
        if len(inner) == count and len(used) == 1:
            # Only one item of a literal tuple is used, so no tuple is needed.
            self._add(node.name, names[used[0]], inner[used[0]], grad)
        else:
            target = ", ".join(names) + ("," if count == 1 else "")
            self._add(node.name, target, expression, grad)
        for name, same in again:
            self._add(node.name, name, same, grad)

    def _add(self, node: str, name: str, expression: str, grad: bool) -> None:
        within = not grad and self._dialect.no_grad is not None
        if not grad and not within and name:
            expression = self._dialect.detached(expression)
        line = Line(node, name, expression, grad=grad)
        self._lines.append(line)
        indent = "    " if within else ""
        self._rows.append(Row(f"{indent}{line.code}", self._module, [line]))

    def _last_uses(self, order: Sequence[Node | Island]) -> dict[int, list[str]]:
        """Return the variables that are read for the last time at each position of the order."""
        kept = {n.name for n in self._fx.output_node().all_input_nodes}
        seen: dict[str, int] = {}
        for index, item in enumerate(order):
            for source in item.inputs if isinstance(item, Island) else reads(item):
                size = isinstance(source.meta.get("val"), torch.SymInt)
                if source.op == "call_function" and not size and not self._unpacks(source):
                    seen[source.name] = index
        found: dict[int, list[str]] = {}
        for name, index in seen.items():
            if name not in kept:
                found.setdefault(index, []).append(self._names[name])
        return found

    def _flush(self, dead: list[str]) -> None:
        """Delete variables that are not read any more, so that memory use is as in the original."""
        if dead and self._dialect.frees:
            self._rows.append(Row(f"del {', '.join(dead)}", None))
        dead.clear()

    def _mutations(self) -> None:
        """Write what the original modified in place: weights such as running statistics, and
        inputs.
        """
        for spec in self._program.graph_signature.output_specs:
            owner = ""
            if spec.kind in running.WRITTEN_BACK:
                held = ".".join(self._places[str(spec.target)])
                owner = str(spec.target).rpartition(".")[0]
            elif spec.kind is OutputKind.USER_INPUT_MUTATION:
                held = self._names[str(spec.target)]
                if not self._dialect.mutable:
                    raise LowerError(
                        f"the model writes into its input {held}, which {self._dialect.title}"
                        " cannot change; let it write into a clone, and return that"
                    )
            else:
                continue
            value = self._variable_named(spec.arg.name)
            self._endings.append(Row(self._dialect.write_into(held, value), owner))

    # The text around it.

    def _comment(self, item: Node | Island) -> str:
        if isinstance(item, Island):
            return f"{item.name}: in torch"
        node = self._graph.node(item.name)
        kind = node.module_type.rpartition(".")[2]
        where = f"{node.module} ({kind})" if node.module else kind
        if node.location is None:
            return where
        return f"{where} · {short(node.location)} · {node.location.code}".strip(" ·")

    def _header(self) -> list[str]:
        title = f'"""{self._class}, captured from torch and written for {self._dialect.title}.'
        notes = ["", "Weights start as zeros under their torch names: load a state dict."]
        if self._unsaved:
            notes.append(
                f"No state dict of torch's holds these; set them too: {', '.join(self._unsaved)}."
            )
        notes.append('"""')
        imports = ["", "from __future__ import annotations", "", "import math"]
        imports += ["from typing import Any", "", *self._dialect.imports]
        if self._islands:
            imports.append("import torch")
        setup = ["", *self._dialect.setup] if self._dialect.setup else []
        return [title, *notes, *imports, *setup]

    def _helper_sources(self) -> list[str]:
        """Return the lines of helpers that are called, directly or indirectly, in file order."""
        return [
            line
            for text in self._dialect.helpers.with_called(self._helpers)
            for line in ("", "", *text.splitlines())
        ]

    def _head(
        self,
        name: str,
        making: Iterable[str],
        parameters: Iterable[str],
        sizes: Iterable[str] = (),
    ) -> list[str]:
        """Return the lines of a class before the statements of its method."""
        return [
            "",
            "",
            f"class {name}({self._dialect.module}):",
            f"    def __init__({', '.join(['self', *sizes])}):",
            f"{_INDENT}super().__init__()",
            *(_INDENT + line for line in making),
            "",
            f"    def {self._dialect.method}({', '.join(['self', *parameters])}):",
        ]

    def _opening(self) -> list[str]:
        """Return the first statements of a constructor."""
        found = [*self._dialect.opening] if self._weights else []
        if self._dialect.draws is not None and any(draws(node) for node in self._live):
            found.append(self._dialect.draws)
        return found

    def _making(self) -> list[Making]:
        """Return the statements that create the modules that hold weights, and these weights."""
        made_of = (line.partition(" = ")[0] for line in self._tree.constructors())
        made = [Making(*pair) for pair in zip(made_of, self._tree.constructors(), strict=True)]
        placeholders = {n.name: n for n in self._fx.nodes if n.op == "placeholder"}
        tied: dict[tuple[Any, ...], str] = {}
        for name, spec in self._weights.items():
            example = placeholders[name].meta["val"]
            if not isinstance(example, torch.Tensor):
                raise LowerError(f"{spec.target} is not a tensor; a graph can contain only tensors")
            layer, attribute = self._places[str(spec.target)]
            shape = [int(size) for size in example.shape]
            dtype = self._dialect.dtype_name(example.dtype)
            if spec.kind is InputKind.PARAMETER and example.dtype.is_floating_point:
                weight = running.held(self._program, str(spec.target))
                same = tied.setdefault(running.memory(weight), f"{layer}.{attribute}")
                if self._dialect.ties and weight.numel() and same != f"{layer}.{attribute}":
                    made.append(Making(layer, f"{layer}.{attribute} = {same}", alone=False))
                    continue
                trained = weight.requires_grad
                text = self._dialect.parameter(layer, attribute, shape, dtype, trained=trained)
            else:
                saved = _in_state_dict(spec)
                value = running.held(self._program, str(spec.target))
                listed = None if saved else numbers(value, self._dialect)
                if listed is not None:
                    value_text = self._dialect.tensor(listed, dtype)
                    made.append(
                        Making(layer, self._dialect.buffer(layer, attribute, value_text, saved))
                    )
                    continue
                if not saved:
                    self._unsaved.append(f"{layer}.{attribute}".removeprefix("self."))
                text = self._dialect.buffer(
                    layer, attribute, self._dialect.zeros(shape, dtype), saved
                )
            made.append(Making(layer, text, tuple(shape)))
        return made


def _in_state_dict(spec: InputSpec) -> bool:
    """Return whether the model's state dict contains a weight."""
    return spec.kind is InputKind.PARAMETER or (
        spec.kind is InputKind.BUFFER and spec.persistent is not False
    )


def _listed(rows: Iterable[Row], above: int, numbers: dict[int, int]) -> list[str]:
    """Return a method's lines; `numbers` gets each statement's line number, by identity."""
    text = []
    for row in rows:
        text.append(_INDENT + row.text)
        numbers.update((id(line), above + len(text)) for line in row.lines)
    return text
