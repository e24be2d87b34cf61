"""Layers and functions of Paddle that code in torch uses: values and gradients cross the border."""

from __future__ import annotations

import copy
import functools
import inspect
import types
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakValueDictionary

import paddle
import torch
from torch.utils import _pytree as trees

from workbench.targets.paddle.carry import tensors

_paddle: Any = paddle
_MINE = frozenset({"__init__", "forward", "__module__", "__qualname__", "__doc__", "__dict__"})
# The names of torch for statistics of normalisation layers.
_STATISTICS = {"_mean": "running_mean", "_variance": "running_var"}
_classes: dict[type, type[LayerInTorch]] = {}
_functions: dict[Any, Callable[..., Any]] = {}
# By the identity of a layer or a parameter, which the value keeps alive.
_modules: WeakValueDictionary[int, LayerInTorch] = WeakValueDictionary()
_parameters: WeakValueDictionary[int, torch.nn.Parameter] = WeakValueDictionary()


def in_torch(value: Any) -> Any:
    """Return what code in torch uses in place of a value of Paddle; others stay the same."""
    if isinstance(value, type):
        return _class_in_torch(value)
    if isinstance(value, paddle.nn.Layer):
        return layer_in_torch(value)
    if isinstance(value, paddle.Tensor):
        return tensors.to_torch(value).clone()
    if isinstance(value, types.ModuleType):
        return _ModuleInTorch(value)
    if isinstance(value, types.FunctionType):
        return _function_in_torch(value)
    if isinstance(value, dict | list | tuple) and type(value) in (dict, list, tuple):
        parts = list(value.values() if isinstance(value, dict) else value)
        new = [in_torch(part) for part in parts]
        if all(one is other for one, other in zip(parts, new, strict=True)):
            return value
        return dict(zip(value, new, strict=True)) if isinstance(value, dict) else type(value)(new)
    return value


class _ModuleInTorch:
    """A module of Python whose members are used by code in torch."""

    def __init__(self, module: types.ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return in_torch(getattr(self._module, name))


def _class_in_torch(kind: type) -> type:
    if issubclass(kind, paddle.nn.Layer):
        return _module_class(kind)
    if issubclass(kind, _paddle.io.Dataset):
        return type(kind.__name__, (_Data,), {"_kind": kind, "__doc__": kind.__doc__})
    return kind


class _Data(torch.utils.data.Dataset[Any]):
    """A data set of Paddle whose examples are torch's tensors."""

    _kind: type

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        given, named = _to_paddle((arguments, keywords), records=False)
        self._data = self._kind(*given, **named)

    def __getitem__(self, index: Any) -> Any:
        return _to_torch(self._data[index])

    def __len__(self) -> int:
        return len(self._data)

    def __getattr__(self, name: str) -> Any:
        if name == "_data":
            raise AttributeError(name)
        return in_torch(getattr(self._data, name))


# Functions ------------------------------------------------------------------------------------


def _function_in_torch(function: types.FunctionType) -> Callable[..., Any]:
    """Return a function on torch's tensors, or the same one if its file does not use Paddle."""
    if function not in _functions:
        if any(_is_of_paddle(one) for one in function.__globals__.values()):
            _functions[function] = _bridged(function)
        else:
            _functions[function] = function
    return _functions[function]


def _bridged(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        return _called(function, [], arguments, keywords)

    return call


def _is_of_paddle(value: Any) -> bool:
    name = value.__name__ if isinstance(value, types.ModuleType) else _module_of(value)
    return name.partition(".")[0] == "paddle"


def _module_of(value: Any) -> str:
    name = getattr(value, "__module__", "")
    return name if isinstance(name, str) else ""


# Layers ---------------------------------------------------------------------------------------


class LayerInTorch(torch.nn.Module):
    """A layer of Paddle that code in torch uses as a module.

    Its parameters share their memory with the layer's and have torch's layout, so one optimizer of
    torch trains modules of both sides, and states of torch are loaded.
    """

    _kind: type
    _layer: paddle.nn.Layer

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__()
        given, named = _to_paddle((arguments, keywords), records=False)
        self._hold(self._kind(*given, **named))

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        kind = getattr(cls, "_kind", None)
        if kind is None or "_kind" in vars(cls):
            return
        hidden = [name for name in vars(cls) if name not in _MINE and hasattr(kind, name)]
        if hidden:
            raise TypeError(
                f"{cls.__name__} extends {kind.__name__}, which is ported, and replaces its"
                f" {hidden[0]}: the ported side would not call it; port both in one go"
            )

    def _hold(self, layer: paddle.nn.Layer) -> None:
        """Take a layer: its parameters, buffers and inner layers become those of the module."""
        _modules[id(layer)] = self
        own: Any = layer
        for name, inner in own._sub_layers.items():
            if inner is not None:
                self.add_module(name, layer_in_torch(inner))
        for name, parameter in own._parameters.items():
            if parameter is None:
                continue
            if name in _STATISTICS and parameter.stop_gradient:
                self.register_buffer(_STATISTICS[name], _view(layer, name, parameter))
            else:
                self.register_parameter(name, _parameter(layer, name, parameter))
        for name, buffer in own._buffers.items():
            if buffer is not None:
                kept = name not in own._non_persistable_buffer_names_set
                shared = tensors.to_torch(buffer)
                self.register_buffer(_STATISTICS.get(name, name), shared, persistent=kept)
        self.training = layer.training
        self.__dict__["_layer"] = layer  # from now on, it has the members that the module lacks

    def forward(self, *arguments: Any, **keywords: Any) -> Any:
        """Run the layer; gradients pass through it."""
        return _called(self._layer, list(self._shared()), arguments, keywords)

    def train(self, mode: bool = True) -> Any:
        """Set the mode of the module and of the layer."""
        super().train(mode)
        self._layer.training = mode
        return self

    def apply(self, fn: Callable[[torch.nn.Module], None]) -> Any:
        """Apply a function to the module and those inside it, with a warning."""
        warnings.warn(
            f"{type(self).__name__} is ported: a function that asks whether a module is one of"
            " torch's, such as nn.Linear, does nothing to the layers inside it",
            stacklevel=2,
        )
        return super().apply(fn)

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            if "_layer" not in self.__dict__:
                raise
        value = getattr(self._layer, name)
        if inspect.ismethod(value):
            return functools.partial(_method, self, value)
        return in_torch(value)

    def __deepcopy__(self, memo: dict[int, Any]) -> LayerInTorch:
        if "_kind" not in vars(type(self)):
            raise TypeError(f"{type(self).__name__} extends a ported layer and cannot be copied")
        return layer_in_torch(copy.deepcopy(self._layer, memo))

    def _shared(self) -> Iterator[_Shared]:
        """Yield the parameters, of which the layer's get the values."""
        for module in self.modules():
            if not isinstance(module, LayerInTorch):
                continue
            own: Any = module._layer
            for name, parameter in module._parameters.items():
                inner = own._parameters.get(name)
                if parameter is not None and inner is not None:
                    yield _followed(own, name, parameter, inner)


def _module_class(kind: type) -> type[LayerInTorch]:
    if kind not in _classes:
        members = {"_kind": kind, "__doc__": kind.__doc__, "__module__": kind.__module__}
        _classes[kind] = type(kind.__name__, (LayerInTorch,), members)
    return _classes[kind]


def layer_in_torch(layer: paddle.nn.Layer) -> LayerInTorch:
    """Return the module of torch for a layer, always the same one."""
    found = _modules.get(id(layer))
    if found is None:
        kind = _module_class(type(layer))
        found = kind.__new__(kind)
        torch.nn.Module.__init__(found)
        found._hold(layer)
    return found


# Parameters -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Shared:
    """A parameter of torch, the layer's parameter in its memory, and whether it is transposed."""

    parameter: torch.nn.Parameter
    inner: Any
    is_transposed: bool


def _is_transposed(layer: paddle.nn.Layer, name: str) -> bool:
    return isinstance(layer, paddle.nn.Linear) and name == "weight"


def _view(layer: paddle.nn.Layer, name: str, inner: Any) -> torch.Tensor:
    """Return a layer's parameter as a tensor of torch in the same memory."""
    view = tensors.to_torch(inner)
    return view.t() if _is_transposed(layer, name) else view


def _parameter(layer: paddle.nn.Layer, name: str, inner: Any) -> torch.nn.Parameter:
    found = _parameters.get(id(inner))
    if found is None:
        trains = not inner.stop_gradient
        found = torch.nn.Parameter(_view(layer, name, inner), requires_grad=trains)
        found.__dict__["_inner"] = inner  # its identity stays its own
        _parameters[id(inner)] = found
    return found


def _followed(
    layer: paddle.nn.Layer, name: str, parameter: torch.nn.Parameter, inner: Any
) -> _Shared:
    """Give a layer's parameter the value of torch's, if this has other memory by now."""
    view = _view(layer, name, inner)
    if parameter.data_ptr() != view.data_ptr():
        if parameter.dtype != view.dtype or parameter.device != view.device:
            raise TypeError(
                f"{name} of {type(layer).__name__}, which is ported, is {view.dtype} on"
                f" {view.device}, and torch has made it {parameter.dtype} on {parameter.device};"
                " change the layer where it is made"
            )
        with torch.no_grad():
            view.copy_(parameter)
            parameter.data = view
    inner.stop_gradient = not parameter.requires_grad
    return _Shared(parameter, inner, _is_transposed(layer, name))


# The border -----------------------------------------------------------------------------------


def _method(module: LayerInTorch, method: Callable[..., Any], *given: Any, **named: Any) -> Any:
    return _called(method, list(module._shared()), given, named)


def _called(
    function: Callable[..., Any],
    shared: list[_Shared],
    arguments: tuple[Any, ...],
    keywords: dict[str, Any],
) -> Any:
    """Call a function of Paddle with values of torch; gradients pass through it."""
    leaves, structure = trees.tree_flatten((arguments, keywords))
    for leaf in leaves:
        if isinstance(leaf, LayerInTorch):
            shared += leaf._shared()
    given = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
    parameters = [one.parameter for one in shared]
    records = torch.is_grad_enabled() and any(one.requires_grad for one in (*given, *parameters))
    run = _Run(shared)
    new = [_leaf_to_paddle(leaf, records=records) for leaf in leaves]
    run.inputs = [one for one, leaf in zip(new, leaves, strict=True) if _is_tensor(leaf)]
    given_paddle, named = trees.tree_unflatten(new, structure)
    with paddle.set_grad_enabled(records):
        result = function(*given_paddle, **named)
    found, shape = trees.tree_flatten(result)
    run.outputs = [one for one in found if isinstance(one, paddle.Tensor)]
    outputs: Sequence[torch.Tensor]
    if records and any(not one.stop_gradient for one in run.outputs):
        outputs = _Border.apply(run, *given, *parameters)  # type: ignore[no-untyped-call]
    else:
        outputs = [tensors.to_torch(one).clone() for one in run.outputs]
    rest = iter(outputs)
    return trees.tree_unflatten(
        [next(rest) if isinstance(one, paddle.Tensor) else _leaf_to_torch(one) for one in found],
        shape,
    )


@dataclass(slots=True)
class _Run:
    """A call of Paddle whose gradients torch may ask for."""

    shared: list[_Shared]
    inputs: list[Any] = field(default_factory=list)
    outputs: list[Any] = field(default_factory=list)

    def gradients(self, given: Sequence[torch.Tensor | None]) -> list[torch.Tensor | None]:
        """Return the gradients of the inputs and of the parameters."""
        pairs = [
            (output, tensors.to_paddle(gradient))
            for output, gradient in zip(self.outputs, given, strict=True)
            if gradient is not None and not output.stop_gradient
        ]
        every = [*self.inputs, *(one.inner for one in self.shared)]
        wanted = [one for one in every if not one.stop_gradient]
        if not pairs or not wanted:
            return [None] * len(every)
        outputs, gradients = (list(one) for one in zip(*pairs, strict=True))
        found = iter(_paddle.grad(outputs, wanted, gradients, retain_graph=True, allow_unused=True))
        results = [None if one.stop_gradient else next(found) for one in every]
        values = [None if one is None else tensors.to_torch(one).clone() for one in results]
        first = len(self.inputs)
        for index, one in enumerate(self.shared, first):
            value = values[index]
            if one.is_transposed and value is not None:
                values[index] = value.t()
        return values


class _Border(torch.autograd.Function):
    """The results of a call of Paddle, in torch's record of operations."""

    @staticmethod
    def forward(ctx: Any, run: _Run, *tensors_in: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return the results as tensors of torch."""
        ctx.run = run
        ctx.set_materialize_grads(False)
        outputs = tuple(tensors.to_torch(one).clone() for one in run.outputs)
        fixed = [
            one for one, inner in zip(outputs, run.outputs, strict=True) if inner.stop_gradient
        ]
        ctx.mark_non_differentiable(*fixed)
        return outputs

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *gradients: torch.Tensor | None) -> tuple[torch.Tensor | None, ...]:
        """Return the gradients that Paddle computes."""
        return (None, *ctx.run.gradients(gradients))


def _is_tensor(leaf: Any) -> bool:
    return isinstance(leaf, torch.Tensor)


def _leaf_to_paddle(leaf: Any, *, records: bool) -> Any:
    if isinstance(leaf, torch.Tensor):
        value = tensors.to_paddle(leaf)
        value.stop_gradient = not (records and leaf.requires_grad)
        return value
    if isinstance(leaf, LayerInTorch):
        return leaf._layer
    if isinstance(leaf, torch.nn.Module):
        raise TypeError(
            f"{type(leaf).__name__} is torch's, and a ported function or layer takes it; port the"
            " file that defines it first"
        )
    return tensors.dtype(leaf) if isinstance(leaf, torch.dtype) else leaf


def _to_paddle(value: Any, *, records: bool) -> Any:
    return trees.tree_map(functools.partial(_leaf_to_paddle, records=records), value)


def _leaf_to_torch(leaf: Any) -> Any:
    if isinstance(leaf, paddle.optimizer.Optimizer | _paddle.optimizer.lr.LRScheduler):
        raise TypeError(
            f"a ported function returns {type(leaf).__name__} of Paddle; make the optimizer and its"
            " schedule in the file that is torch's, or port that file as well"
        )
    return in_torch(leaf)


def _to_torch(value: Any) -> Any:
    return trees.tree_map(_leaf_to_torch, value)
