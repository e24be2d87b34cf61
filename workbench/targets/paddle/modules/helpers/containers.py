"""Lists and dictionaries of parameters, and layers taken out of containers, as torch's."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import paddle

from workbench.targets.paddle.modules.helpers.class_names import torch_named


def torch_pop_layer(container: Any, key: int) -> paddle.nn.Layer:
    """Take a layer out of a sequence of layers; those behind it move up."""
    layers = list(container)
    taken = layers.pop(key)
    container._sub_layers.clear()
    for index, layer in enumerate(layers):
        container.add_sublayer(str(index), layer)
    return taken


class TorchLayersOf:
    """A sequence's layers by their places: sliced under the names they have, replaced, removed."""

    def __init__(self, sequence: Any) -> None:
        self.sequence = sequence
        self.layers = sequence._sub_layers

    def __getitem__(self, places: int | slice) -> Any:
        names = list(self.layers)[places]
        if isinstance(names, str):
            return self.layers[names]
        chosen = OrderedDict((name, self.layers[name]) for name in names)
        return type(self.sequence)(chosen)

    def __setitem__(self, place: int, layer: Any) -> None:
        self.layers[list(self.layers)[place]] = layer

    def __delitem__(self, places: int | slice) -> None:
        names = list(self.layers)[places]
        for name in [names] if isinstance(names, str) else names:
            del self.layers[name]
        rest = list(self.layers.values())
        self.layers.clear()
        self.layers.update((str(place), layer) for place, layer in enumerate(rest))


@torch_named
class TorchParameterList(paddle.nn.Layer):
    """`torch.nn.ParameterList`: tensors become parameters, anything else is kept as it is."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        self.extend(values or [])

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter([getattr(self, str(index)) for index in range(self._size)])

    def __getitem__(self, idx: int | slice) -> Any:
        if isinstance(idx, slice):
            return type(self)(list(self)[idx])
        return getattr(self, str(range(self._size)[idx]))

    def __setitem__(self, idx: int, param: Any) -> None:
        if isinstance(param, paddle.Tensor) and not isinstance(param, paddle.nn.Parameter):
            param = paddle.nn.Parameter(param)
        setattr(self, str(range(self._size)[idx]), param)

    def append(self, value: Any) -> Any:
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> Any:
        for value in values:
            self.append(value)
        return self

    def __iadd__(self, values: Iterable[Any]) -> Any:
        return self.extend(values)


@torch_named
class TorchParameterDict(paddle.nn.Layer):
    """`torch.nn.ParameterDict`: tensors become parameters, anything else is kept as it is."""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        self.update(parameters or {})

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __getitem__(self, key: str) -> Any:
        if key not in self._keys:
            raise KeyError(key)
        return getattr(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        if isinstance(value, paddle.Tensor) and not isinstance(value, paddle.nn.Parameter):
            value = paddle.nn.Parameter(value)
        self._keys[key] = None
        setattr(self, key, value)

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, key)

    def get(self, key: str, default: Any = None) -> Any:
        return getattr(self, key) if key in self._keys else default

    def pop(self, key: str) -> Any:
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        key = list(self._keys)[-1]
        return key, self.pop(key)

    def setdefault(self, key: str, default: Any = None) -> Any:
        if key not in self._keys:
            self[key] = default
        return self[key]

    def copy(self) -> Any:
        return type(self)(dict(self.items()))

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> Any:
        return type(self)(dict.fromkeys(keys, default))

    def __or__(self, other: Any) -> Any:
        joined = self.copy()
        joined.update(other)
        return joined

    def clear(self) -> None:
        for key in list(self._keys):
            del self[key]

    def keys(self) -> Iterable[str]:
        return self._keys.keys()

    def values(self) -> Iterable[Any]:
        return [self[key] for key in self._keys]

    def items(self) -> Iterable[tuple[str, Any]]:
        return [(key, self[key]) for key in self._keys]

    def update(self, parameters: Any) -> None:
        pairs = parameters
        if isinstance(parameters, OrderedDict | TorchParameterDict):
            pairs = parameters.items()
        elif isinstance(parameters, Mapping):  # torch sorts what has no order of its own
            pairs = sorted(parameters.items())
        for key, value in pairs:
            self[key] = value
