"""NumPy as a target for graphs: a dialect, an emitter, and what makes a module live."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch

from workbench.capture.graph import Graph
from workbench.lower.backend import Written
from workbench.lower.partition import Island
from workbench.lower.writing.call import Call
from workbench.lower.writing.dialect import Dialect
from workbench.lower.writing.emission import unsupported
from workbench.lower.writing.emitters import Emitters
from workbench.lower.writing.helper_sources import HelperSources
from workbench.lower.writing.module import ModuleWriter
from workbench.lower.writing.running import StatementSession, execute, held, owner_of

EMITTERS = Emitters()


@EMITTERS.emits("relu")
def _relu(call: Call) -> str:
    return f"numpy.maximum({call.tensor('self')}, 0)"


@EMITTERS.emits("linear")
def _linear(call: Call) -> str:
    product = f"{call.tensor('input')} @ {call.tensor('weight')}.T"
    return f"{product} + {call.tensor('bias')}" if call.has("bias") else product


class NumpyDialect(Dialect):
    title = "NumPy"
    imports = ("import contextlib", "import types", "", "import numpy")
    module = "types.SimpleNamespace"
    module_list = "list"
    method = "__call__"
    taken = frozenset({"contextlib", "types", "numpy"})
    no_grad = "contextlib.nullcontext()"
    emitters = EMITTERS
    helpers = HelperSources([Path(__file__).parent / "checks.py"])

    def parameter(
        self, holder: str, name: str, shape: list[int], dtype: str, *, trained: bool
    ) -> str:
        return f"{holder}.{name} = {self.zeros(shape, dtype)}"

    def buffer(self, holder: str, name: str, value: str, saved: bool) -> str:
        return f"{holder}.{name} = {value}"

    def zeros(self, shape: list[int], dtype: str) -> str:
        return f'numpy.zeros({shape}, "{dtype}")'

    def tensor(self, numbers: str, dtype: str) -> str:
        return f'numpy.array({numbers}, "{dtype}")'

    def write_into(self, held: str, value: str) -> str:
        return f"{held}[...] = {value}"


class NumpyBackend:
    name = "skeleton"

    def unsupported(self, node: torch.fx.Node) -> str | None:
        return unsupported(node, NumpyDialect())

    def write(self, graph: Graph, islands: Sequence[Island]) -> Written:
        return ModuleWriter(graph, islands, NumpyDialect()).write()

    def settle(self) -> None:
        pass

    def load(self, graph: Graph, written: Written, *, share: bool) -> Any:
        namespace = execute(written.source, written.class_name)
        module = namespace[written.class_name]()
        module.namespace = namespace
        for target, path in written.parameters.items():
            owner, attribute = owner_of(module, path)
            setattr(owner, attribute, held(graph.program, target).detach().numpy())
        return module

    def session(self, module: Any, written: Written) -> StatementSession:
        return StatementSession(module, module.namespace, written, lambda line: nullcontext())

    def from_torch(self, value: torch.Tensor, *, share: bool = False) -> Any:
        return value.detach().numpy()

    def to_torch(self, value: Any) -> Any:
        return torch.from_numpy(value)


def backend() -> NumpyBackend:
    return NumpyBackend()
