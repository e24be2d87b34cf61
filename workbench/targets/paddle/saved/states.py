"""Conversion of state dicts between torch and Paddle, by the class of each layer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import paddle
import torch

from workbench.errors import TorchferryError
from workbench.targets.paddle.carry import layouts
from workbench.targets.paddle.saved.text import Found, Text, layers_of

# For a weight's name: the path of its layer, the layer's class, and its name in the layer.
Place = tuple[str, type, str]
Find = Callable[[str], list[Place]]

_compat: Any = paddle.compat.nn
_NEXT = "give the layer itself: --for FILE:NAME"


class Layers:
    """The layers of a program, which determine the meaning of each entry of a state dict."""

    def __init__(self, title: str, find: Callable[[tuple[str, ...]], Find]) -> None:
        self._title = title
        self._find = find

    def knows(self, state: Mapping[str, torch.Tensor]) -> bool:
        """Return whether any of these weights belongs to one of the layers."""
        find = self._find(tuple(state))
        return any(_possible(find(name), value) for name, value in state.items())

    def to_target(self, state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """Return a torch state dict with the names and layouts of Paddle's layers.

        Raises:
            TorchferryError: a weight's layer is unknown, or its class is ambiguous.
        """
        return self._converted(state, _written)

    def to_torch(self, state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """Return a state dict of Paddle's layers with torch's names and layouts.

        Raises:
            TorchferryError: a weight's layer is unknown, or its class is ambiguous.
        """
        return self._converted(state, _read)

    def _converted(
        self, state: Mapping[str, torch.Tensor], carry: Callable[..., dict[str, torch.Tensor]]
    ) -> dict[str, torch.Tensor]:
        """Return every weight as `carry` converts it for its layer."""
        find = self._find(tuple(state))
        found: dict[str, torch.Tensor] = {}
        for name, value in state.items():
            options = [carry(place, value, state) for place in _possible(find(name), value)]
            self._check(name, options)
            found.update(options[0])
        return found

    def _check(self, name: str, options: list[dict[str, torch.Tensor]]) -> None:
        if not options:
            raise TorchferryError(f"{self._title}: no layer found that has {name}; {_NEXT}")
        if any(not _alike(options[0], other) for other in options[1:]):
            raise TorchferryError(
                f"{self._title}: {name} may belong to layers of several classes, which store it in"
                f" different layouts; {_NEXT}"
            )


def from_text(path: Path) -> Layers:
    """Return the layers that the text of a converted program creates.

    Raises:
        TorchferryError: it does not exist, or is not Python.
    """
    text = Text(path)
    assert text.tree is not None

    def find(names: tuple[str, ...]) -> Find:
        """Return the places of a weight in the classes that have the most of these weights."""
        readings = []
        for made in text.roots():
            found = {n: map(_place, layers_of(made, tuple(n.split(".")))) for n in names}
            reading = {n: [p for p in places if _is_within(p)] for n, places in found.items()}
            readings.append({n: places for n, places in reading.items() if places})
        most = max(map(len, readings), default=0)
        best = [reading for reading in readings if len(reading) == most and most]
        return lambda name: [place for reading in best for place in reading.get(name, [])]

    return Layers(str(path), find)


def from_classes(title: str, kinds: Mapping[str, str]) -> Layers:
    """Return the layers of a live model, by path, from their classes as `module:name`."""
    classes = {path: _imported(kind) for path, kind in kinds.items()}

    def find_one(name: str) -> list[Place]:
        parts = name.split(".")
        paths = [".".join(parts[:count]) for count in range(len(parts))]
        known = [path for path in paths if path in classes]
        if not known:
            return []
        # A fused layer has the tensors of its parts.
        fused = [path for path in known if layouts.fuses(classes[path])]
        path = fused[0] if fused and not _is_part(name, fused[0], classes) else known[-1]
        place = (path, classes[path], name[len(path) + 1 :] if path else name)
        return [place] if _is_within(place) else []

    return Layers(title, lambda names: find_one)


def _is_part(name: str, fused: str, classes: Mapping[str, type]) -> bool:
    """Return whether a weight belongs to a part that torch's layer has too."""
    rest = name[len(fused) + 1 :] if fused else name
    return rest.startswith("out_proj.") and issubclass(classes[fused], paddle.nn.MultiHeadAttention)


def _place(found: Found) -> Place:
    path, rest = ".".join(found.path), ".".join(found.rest)
    kind: Any = paddle.nn.Layer
    if found.kind:
        kind = paddle
        for part in found.kind.split(".")[1:]:
            kind = getattr(kind, part, None)
    if not isinstance(kind, type):
        kind = paddle.nn.Layer
    if issubclass(kind, paddle.nn.MultiHeadAttention) and rest.startswith("out_proj."):
        return f"{path}.out_proj".lstrip("."), paddle.nn.Linear, rest.removeprefix("out_proj.")
    if issubclass(kind, _compat.MultiheadAttention) and rest.startswith("out_proj."):
        return f"{path}.out_proj".lstrip("."), _compat.Linear, rest.removeprefix("out_proj.")
    if rest.startswith("parametrizations."):  # helpers store these as torch does
        return path, paddle.nn.Layer, rest
    return path, kind, rest


def _is_within(place: Place) -> bool:
    """Return whether a name is that of a layer's own tensor, as far as its class is known."""
    _, kind, name = place
    own = "." not in name or name.startswith("parametrizations.")
    return own or layouts.is_of_part(kind, name)


def _imported(kind: str) -> type:
    module, _, name = kind.partition(":")
    found: type = getattr(import_module(module), name)
    return found


def _possible(places: list[Place], value: torch.Tensor) -> list[Place]:
    """Return the places whose class may have a weight of this number of dimensions."""
    known = [place for place in places if layouts.ranks(place[1])]
    fitting = [
        (path, kind, name) for path, kind, name in known if layouts.may_hold(kind, name, value)
    ]
    return fitting or [place for place in places if place not in known]


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _written(
    place: Place, value: torch.Tensor, state: Mapping[str, torch.Tensor]
) -> dict[str, torch.Tensor]:
    path, kind, name = place
    if name == layouts.UNKEPT and kind is not paddle.nn.Layer:
        return {}
    apart = name == "in_proj_bias" and _joined(path, "q_proj_weight") in state
    found = layouts.named(kind, name, apart=apart)
    parts = found.split(value)
    result = dict(zip((_joined(path, key) for key in found.keys), parts, strict=True))
    both = any(key.startswith(_joined(path, "")) and key.endswith("_reverse") for key in state)
    for again in found.again:
        if len(found.again) == 1 or both == ("cell_fw" in again):
            result[_joined(path, again)] = parts[0]
    return result


def _read(
    place: Place, value: torch.Tensor, state: Mapping[str, torch.Tensor]
) -> dict[str, torch.Tensor]:
    path, kind, key = place
    apart = _joined(path, "q_proj_weight") in state
    found = layouts.kept(kind, key, apart=apart)
    if found is None:
        return {}
    parts = [state.get(_joined(path, one)) for one in found.keys]
    if any(part is None for part in parts):
        raise TorchferryError(
            f"{_joined(path, key)} is saved without its other parts; save all of them"
        )
    return {_joined(path, found.name): found.join([part for part in parts if part is not None])}


def _alike(one: Mapping[str, torch.Tensor], other: Mapping[str, torch.Tensor]) -> bool:
    if one.keys() != other.keys():
        return False
    return all(
        value.shape == other[name].shape and torch.equal(value, other[name])
        for name, value in one.items()
    )
