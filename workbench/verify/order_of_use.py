"""The order in which a forward pass uses a model's tensors, on either side.

Two models that compute the same have the same order, whatever their modules are called and in
whatever order they were created.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch.overrides import TorchFunctionMode

from workbench.targets.port import Called
from workbench.verify.locating.tracing import tensors_in
from workbench.verify.pairing.candidates import held_once, tensors_of
from workbench.verify.sides.sides import Sides


def orders_of_use(sides: Sides) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of both sides' tensors in the order of their first use.

    Empty for a side that raises, or whose uses cannot be observed.
    """
    ours = _Uses({id(tensor): name for name, tensor in tensors_of(sides.ours).items()})
    held = held_once(sides.ports.held(sides.theirs))
    theirs = _Uses({id(t): name for name, one in held.items() for t in one.tensors})
    try:
        with sides.restored(parameters=False):
            stream = sides.torch_pass(training=False, around=lambda: _Noting(ours)).stream
        around = lambda: sides.ports.noting(theirs.note)  # noqa: E731
        sides.port_pass(stream, training=False, around=around)
    except Exception:  # the check itself reports it
        return (), ()
    return tuple(ours.names), tuple(theirs.names)


class _Uses:
    """Names of tensors in the order of their first use."""

    def __init__(self, known: Mapping[int, str]) -> None:
        self._known = known
        self.names: dict[str, None] = {}

    def note(self, called: Called) -> None:
        """Record the inputs of a call."""
        self.take(called.inputs)

    def take(self, tensors: Any) -> None:
        """Record the tensors that belong to the model."""
        for tensor in tensors:
            name = self._known.get(id(tensor))
            if name is not None:
                self.names.setdefault(name)


class _Noting(TorchFunctionMode):
    """Mode that records the inputs of torch functions."""

    def __init__(self, uses: _Uses) -> None:
        super().__init__()
        self._uses = uses

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if getattr(func, "__name__", "") != "__get__":
            self._uses.take(tensors_in((*args, *kwargs.values())))
        return func(*args, **kwargs)
