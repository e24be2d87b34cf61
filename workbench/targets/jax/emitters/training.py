"""Lowered modules for training, with an optax optimizer and a jitted step."""

from __future__ import annotations

import re
from contextlib import nullcontext
from typing import TYPE_CHECKING

from workbench.lower.writing.running import held, owner_of
from workbench.targets.jax.carry.replay import replaying
from workbench.targets.jax.emitters import loading
from workbench.targets.jax.emitters.dialect import DIALECT
from workbench.targets.jax.emitters.optimizers import transformation

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch
    from torch.optim.lr_scheduler import LRScheduler

    from workbench.capture.graph import Graph
    from workbench.lower.backend import Written
    from workbench.streams.draws import Stream

_STEP = '''

def make_optimizer(module):
    """{kind}, as it was made for torch."""
    return nnx.Optimizer(module, {expression}, wrt=nnx.Param)


@nnx.jit
def train_step(module, optimizer, *batch):
    """One step; gives the loss before it."""
    loss, grads = nnx.value_and_grad(lambda module: module(*batch))(module)
    optimizer.update(module, grads)
    return loss
'''


class JaxTraining:
    """A module whose result is a loss, with torch's optimizer in optax's terms.

    Args:
        graph: a captured graph with a loss as its only output.
        written: its source.
        optimizer: the torch optimizer of the captured parameters.
        schedule: the schedule of its rate, if any.

    Attributes:
        source: the module's source, followed by `make_optimizer` and `train_step`.

    Raises:
        LowerError: the optimizer or its schedule has no exact form.
    """

    def __init__(
        self,
        graph: Graph,
        written: Written,
        optimizer: torch.optim.Optimizer,
        schedule: LRScheduler | None = None,
    ) -> None:
        places: dict[int, list[str]] = {}
        for name, place in written.parameters.items():
            weight = held(graph.program, name)
            if weight.requires_grad:
                found = places.setdefault(id(weight), [])
                found.append(place.replace("[", ".").replace("]", ""))
        expression = transformation(optimizer, places, schedule)
        called = set(re.findall(r"\b_[a-z]\w*(?=\()", expression))
        helpers = [f"\n\n{text}\n" for text in DIALECT.helpers.with_called(called)]
        step = _STEP.format(kind=type(optimizer).__name__, expression=expression)
        source = written.source.replace(
            "from flax import nnx\n", "import optax\nfrom flax import nnx\n", 1
        )
        self.source = "".join([source, *helpers, step])
        self._names = written.parameters
        self._space = loading.define(self.source, written.class_name)
        self._module = loading.fill(self._space[written.class_name](), graph, written)
        with loading.whole_width():
            self._optimizer = self._space["make_optimizer"](self._module)

    @loading.whole_width()
    def step(self, batch: Sequence[torch.Tensor], draws: Stream | None = None) -> torch.Tensor:
        """Make a step of the weights and return the loss of the batch before it."""
        arrays = [loading.from_torch(x) for x in batch]
        with nullcontext() if draws is None else replaying(draws):
            loss = self._space["train_step"](self._module, self._optimizer, *arrays)
        found: torch.Tensor = loading.to_torch(loss)
        return found

    def weights(self) -> dict[str, torch.Tensor]:
        """Return every current weight and buffer, by torch's names."""
        found = {}
        for name, place in self._names.items():
            owner, attribute = owner_of(self._module, place)
            found[name] = loading.to_torch(getattr(owner, attribute))
        return found
