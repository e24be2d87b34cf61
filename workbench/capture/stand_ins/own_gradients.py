"""Functions that define their own backward pass, captured together with it."""

from __future__ import annotations

import dis
import re
import traceback
from collections import OrderedDict
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import torch
from torch._functorch.autograd_function import custom_function_call
from torch.autograd import function as functions
from torch.fx.experimental.proxy_tensor import get_proxy_mode, get_proxy_slot
from torch.utils import _pytree as pytree
from torch.utils.hooks import RemovableHandle

from workbench.capture import provenance
from workbench.capture.stand_ins.backward_graph import traced
from workbench.capture.stand_ins.own_backward import has_gradient, own_backward

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torch.fx import GraphModule

    Function = type[functions.Function]


@dataclass(frozen=True)
class Lost:
    """A backward pass that the graph does not contain: whose it is, and where."""

    what: str
    place: str

    def __str__(self) -> str:
        at = f"{self.place}: " if self.place else ""
        return (
            f"{at}{self.what}, which the graph cannot contain: the converted module has the"
            " gradients of the forward pass"
        )


@contextmanager
def held() -> Iterator[set[Lost]]:
    """Capture the backward passes of a model's own functions while open.

    Yields the set of those that could not be captured.
    """
    lost: set[Lost] = set()
    inside = False  # inside a function, whose passes torch runs without recording

    def lose(what: str) -> None:
        frames = traceback.extract_stack()
        user = "".join(traceback.format_list(provenance.user_frames(frames)))
        place = provenance.innermost(provenance.locations(user))
        lost.add(Lost(what, str(place or "")))

    def forward(cls: Function, original: Callable[..., Any], *args: Any) -> Any:
        nonlocal inside
        if inside or get_proxy_mode() is None:
            return original(*args)
        inside = True
        try:
            results, kept = _applied(cls, args if _has_setup(cls) else args[1:])
        finally:
            inside = False
        if not kept:
            lose(f"{cls.__name__} states its own backward pass")
        return results

    def recorded(cls: Function) -> None:
        made = staticmethod(partial(forward, cls, cls.forward))
        patches.enter_context(patch.object(cls, "forward", made))

    def define(cls: Function, *args: Any) -> None:
        original_init(cls, *args)  # type: ignore[no-untyped-call]
        recorded(cls)

    def transformed(cls: Function, *args: Any, **kwargs: Any) -> Any:
        if get_proxy_mode() is not None:
            lose(f"{cls.__name__} states its own backward pass")
        return custom_function_call(cls, *args, **kwargs)

    def register_hook(tensor: torch.Tensor, hook: Any) -> Any:
        if get_proxy_mode() is None:
            return original_hook(tensor, hook)  # type: ignore[no-untyped-call]
        if not _hooked(tensor, hook):
            lose("a hook is asked for gradients")
        return RemovableHandle(OrderedDict())

    original_hook = torch.Tensor.register_hook
    original_init = functions.FunctionMeta.__init__
    # Programs store `Function.apply` (`binarize = Binarize.apply`), which is built in: it calls
    # `forward`, or the other function within torch.func's transforms.
    with (
        ExitStack() as patches,
        patch.object(functions.FunctionMeta, "__init__", define),
        patch.object(functions, "custom_function_call", transformed),
        patch.object(torch.Tensor, "register_hook", register_hook),
    ):
        for cls in _subclasses(functions.Function):
            if cls.__module__.partition(".")[0] != "torch":
                recorded(cls)
        yield lost


def _subclasses(cls: Function) -> Iterator[Function]:
    each: Function
    for each in cls.__subclasses__():
        yield each
        yield from _subclasses(each)


def hooked(model: Any) -> list[str]:
    """Return warnings about gradient hooks that a model already has, per module."""
    if not isinstance(model, torch.nn.Module):
        return []
    weights = (name for name, weight in model.named_parameters() if weight._backward_hooks)
    parts = (
        name or type(part).__name__
        for name, part in model.named_modules()
        if part._backward_hooks or part._backward_pre_hooks
    )
    return [
        f"{name} has a hook on its gradients, which the graph does not contain"
        for name in (*weights, *parts)
    ]


class _Context(functions.FunctionCtx):
    """State shared by the two passes of a function, in place of torch's own context."""

    def __init__(self, needs_input_grad: tuple[bool, ...]) -> None:
        self.needs_input_grad = needs_input_grad
        self.to_save: tuple[torch.Tensor, ...] = ()
        self.non_differentiable: tuple[torch.Tensor, ...] = ()

    @property
    def saved_tensors(self) -> tuple[torch.Tensor, ...]:
        return self.to_save

    def is_differentiable(self, result: torch.Tensor) -> bool:
        return has_gradient(result) and not any(result is x for x in self.non_differentiable)

    def kept(self) -> dict[str, Any]:
        """Return the attributes that the backward pass may read."""
        others = ("non_differentiable", "dirty_tensors", "saved_for_forward")
        return {name: value for name, value in vars(self).items() if name not in others}


def _is_wanted(value: Any) -> bool:
    """Return whether an argument gets a gradient."""
    return isinstance(value, torch.Tensor) and has_gradient(value)


def _has_setup(cls: Function) -> bool:
    """Return whether a function's `forward` takes no context, which `setup_context` fills."""
    found: bool = functions._is_setup_context_defined(cls.setup_context)  # type: ignore[no-untyped-call]
    return found


def _forward(cls: Function, context: _Context, args: tuple[Any, ...]) -> Any:
    if not _has_setup(cls):
        return cls.forward(context, *args)
    results = cls.forward(*args)
    cls.setup_context(context, args, results)
    return results


def _applied(cls: Function, args: tuple[Any, ...]) -> tuple[Any, bool]:
    """Return the results of the forward pass, and whether the backward pass was captured."""
    context = _Context(tuple(_is_wanted(each) for each in args))
    inputs = [each for each in args if _is_wanted(each)]
    versions = [each._version for each in inputs]
    results = _forward(cls, context, args)
    leaves, tree = pytree.tree_flatten(results)
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
    given = [leaves[i] for i in places]
    if not inputs or not any(map(context.is_differentiable, given)):
        return results, True
    if versions != [each._version for each in inputs]:
        return results, False
    try:
        graph, saved = _backward_graph(cls, context, args, given)
        name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower().strip("_")
        again = own_backward(graph, name, tuple(given), tuple(saved), tuple(inputs))
    except Exception:  # any error of the backward pass's code
        return results, False
    for place, tensor in zip(places, pytree.tree_leaves(again), strict=True):
        leaves[place] = tensor
    return pytree.tree_unflatten(leaves, tree), True


def _backward_graph(
    cls: Function, context: _Context, args: tuple[Any, ...], results: list[torch.Tensor]
) -> tuple[GraphModule, list[torch.Tensor]]:
    """Return the graph of the backward pass, and its inputs before the gradients."""
    state, tree = pytree.tree_flatten(context.kept())
    places = [i for i, leaf in enumerate(state) if isinstance(leaf, torch.Tensor)]
    saved = [state[i] for i in places]

    def backward(*tensors: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        leaves = list(state)
        for place, tensor in zip(places, tensors, strict=False):
            leaves[place] = tensor
        then = _Context(())
        vars(then).update(pytree.tree_unflatten(leaves, tree))
        gradients = [
            tensor if context.is_differentiable(result) else torch.zeros_like(tensor)
            for tensor, result in zip(tensors[len(saved) :], results, strict=True)
        ]
        found = cls.backward(then, *gradients)
        listed = found if isinstance(found, tuple) else (found,)
        pairs = zip(listed, args, strict=False)
        return tuple(_fitting(gradient, to) for gradient, to in pairs if _is_wanted(to))

    return traced(backward, saved, results)


def _hooked(tensor: torch.Tensor, hook: Any) -> bool:
    """Apply a hook to a value's gradient in the graph; return False if that is impossible.

    The value is replaced, so it must not be used before, or be a view. A hook that stores what it
    gets would store traced tensors.
    """
    mode = get_proxy_mode()
    assert mode is not None
    slot = get_proxy_slot(tensor, mode.tracer, None)
    node = slot.proxy.node if slot is not None else None
    code = getattr(hook, "__code__", None)
    keeps = code is not None and any(x.opname == "STORE_ATTR" for x in dis.get_instructions(code))
    if node is None or node.op != "call_function" or node.users or tensor._is_view() or keeps:
        return False

    def backward(gradient: torch.Tensor) -> tuple[torch.Tensor]:
        found = hook(gradient)
        return (gradient if found is None else found,)

    try:
        graph, saved = traced(backward, [], [tensor])
        tensor.copy_(own_backward(graph, "hook", (tensor,), tuple(saved), (tensor,)))
    except Exception:  # any error of the hook's code
        return False
    return True


def _fitting(gradient: torch.Tensor | None, to: torch.Tensor) -> torch.Tensor | None:
    """Return a gradient in the shape and dtype of its tensor, as torch does."""
    if gradient is None:
        return None
    if gradient.shape != to.shape:
        gradient = gradient.sum_to_size(to.shape)
    return gradient if gradient.dtype == to.dtype else gradient.to(to.dtype)
