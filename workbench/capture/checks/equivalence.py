"""Comparison of a captured program with the model: one run of both on the example inputs."""

from __future__ import annotations

import copy
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch.export.graph_signature import OutputKind
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from workbench.capture.outputs import plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from torch.export import ExportedProgram

# Both sides run torch's own kernels, so larger relative differences are not rounding.
_NEAR = {torch.float64: 1e-6, torch.float16: 0.05, torch.bfloat16: 0.2}
_NEAR_SINGLE = 1e-3
# Relative perturbation of the inputs that shows whether the answer depends on rounding.
_MOVED = 1e-6


def difference(
    program: ExportedProgram,
    module: torch.nn.Module,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
) -> str:
    """Return how the program's answer differs from the model's, or "".

    The model's buffers and attributes are preserved. A model that draws random numbers is compared
    by shapes and dtypes; one that raises here is not compared.
    """
    with torch.no_grad(), torch.random.fork_rng(), _restoring(module) as model:
        try:
            theirs = _answer(model, args, kwargs)
        except Exception:
            return ""
        try:
            ours = _program_answer(program, args, kwargs)
        except Exception as error:
            return f"the graph raises {type(error).__name__}: {str(error).strip()[:200]}"
        reason = _first(theirs, ours)
        if not reason or _first(theirs, ours, values=False):
            return reason
        drawn = _first(theirs, _answer(model, args, kwargs, seed=1))
        moved = _first(theirs, _answer(model, *pytree.tree_map(_nudged, (args, dict(kwargs)))))
        # Another seed or rounding changes the answer as much, so the difference shows nothing.
        return "" if drawn or moved else reason


def runs(module: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
    """Return whether the model itself accepts the inputs."""
    with torch.no_grad(), torch.random.fork_rng(), _restoring(module) as model:
        try:
            _answer(model, args, kwargs)
        except Exception:
            return False
    return True


@contextmanager
def _restoring(module: torch.nn.Module) -> Iterator[torch.nn.Module]:
    """Provide a copy of the model that shares its weights, and undo all writes on exit."""
    buffers = {buffer: buffer.detach().clone() for buffer in module.buffers()}
    weights = _Weights(module)
    try:
        copied = copy.deepcopy(module, {id(weight): weight for weight in module.parameters()})
    except Exception:  # some modules hold objects that cannot be copied, such as a lock
        copied = module
    try:
        with weights:
            yield copied
    finally:
        for buffer, kept in buffers.items():
            buffer.detach().copy_(kept)
        weights.restore()


class _Weights(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Mode that saves a module's parameters before an operator writes to them."""

    supports_higher_order_operators = True

    @classmethod
    def is_infra_mode(cls) -> bool:
        """Return True, so that compiled functions stay compiled."""
        return True

    def __init__(self, module: torch.nn.Module) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        strided = (w for w in module.parameters() if w.layout is torch.strided)
        self._memory = {_place(weight): weight.untyped_storage() for weight in strided}
        self._kept: dict[int, torch.UntypedStorage] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        schema = getattr(func, "_schema", None)
        if schema is not None and schema.is_mutable:
            for value in pytree.tree_leaves((args, kwargs)):
                if isinstance(value, torch.Tensor) and value.layout is torch.strided:
                    self._keep(_place(value))
        return func(*args, **(kwargs or {}))

    def _keep(self, place: int) -> None:
        if place in self._memory and place not in self._kept:
            self._kept[place] = self._memory[place].clone()  # type: ignore[no-untyped-call]

    def restore(self) -> None:
        """Restore the saved parameters."""
        for place, kept in self._kept.items():
            self._memory[place].copy_(kept)


def _place(tensor: torch.Tensor) -> int:
    return int(tensor.untyped_storage()._cdata)


def _answer(model: torch.nn.Module, args: Any, kwargs: Any, *, seed: int = 0) -> list[Any]:
    torch.manual_seed(seed)
    args, kwargs = pytree.tree_map(_held, (args, dict(kwargs)))
    return pytree.tree_leaves(plain(model(*args, **kwargs)))


def _held(value: Any) -> Any:
    return value.detach().clone() if isinstance(value, torch.Tensor) else value


def _program_answer(
    program: ExportedProgram, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> list[Any]:
    """Return the outputs of the functional program for its caller; it modifies no input."""
    torch.manual_seed(0)
    flat = program._graph_module_flat_inputs(args, dict(kwargs))
    results = program.graph_module(*flat)
    kinds = [spec.kind for spec in program.graph_signature.output_specs]
    pairs = zip(results, kinds, strict=True)
    return [value for value, kind in pairs if kind is OutputKind.USER_OUTPUT]


def _nudged(value: Any) -> Any:
    if not isinstance(value, torch.Tensor) or not value.is_floating_point():
        return value
    return value * (1 + _MOVED * torch.randn_like(value))


def _first(theirs: list[Any], ours: list[Any], *, values: bool = True) -> str:
    if len(theirs) != len(ours):
        return f"it returns {len(ours)} values, and {len(theirs)} outside"
    for place, (a, b) in enumerate(zip(theirs, ours, strict=True)):
        if not isinstance(a, torch.Tensor) or not isinstance(b, torch.Tensor):
            continue
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"output {place} is {_kind(b)}, and {_kind(a)} outside"
        if values and (apart := _apart(a, b)):
            return f"output {place} differs by {apart:.1g} of its largest value"
    return ""


def _kind(value: torch.Tensor) -> str:
    return f"{str(value.dtype)[6:]}{list(value.shape)}"


def _apart(a: Any, b: Any) -> float:
    """Return the difference relative to the largest value, or 0 if it is rounding."""
    if not isinstance(a, torch.Tensor) or not isinstance(b, torch.Tensor) or a.shape != b.shape:
        return 0.0
    if a.layout is not torch.strided:
        a, b = a.to_dense(), b.to_dense()
    if not a.is_floating_point() and not a.is_complex():
        return 0.0 if torch.equal(a, b) else 1.0
    wide = torch.complex128 if a.is_complex() else torch.float64
    a, b, near = a.to(wide), b.to(wide), _NEAR.get(a.dtype, _NEAR_SINGLE)
    if not a.numel() or torch.equal(a, b):
        return 0.0
    if not torch.equal(a.isnan(), b.isnan()) or not torch.equal(a.isinf(), b.isinf()):
        return 1.0
    scale = a[a.isfinite()].abs().max().item() if a.isfinite().any() else 1.0
    apart = (a - b)[a.isfinite()].abs()
    share = apart.max().item() / (scale or 1.0) if apart.numel() else 0.0
    return share if share > near else 0.0
