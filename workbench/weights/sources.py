"""Sources of weights: one interface for state dicts, modules and checkpoint files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open

from workbench.weights import pickled
from workbench.weights.errors import WeightsError

# Keys under which training scripts store the state dict, the most specific first.
_USUAL = ("state_dict", "model_state_dict", "model", "module", "net", "params", "ema")
# Prefixes that wrappers add to every name: DataParallel, torch.compile.
_PREFIXES = ("module.", "_orig_mod.")
# Tied weights and expanded views may take this many times the bytes of their file; less than the
# small size is always accepted.
_LARGEST, _SMALL = 8, 1 << 20


@dataclass
class Source:
    """Named tensors, each read on access.

    `left` maps parts of the checkpoint that are not among them to the reason. `form` returns the
    dtype, in the words of safetensors, and the shape of a tensor without reading it; it is None if
    the file has to be read as a whole.
    """

    title: str
    names: tuple[str, ...]
    tensor: Callable[[str], torch.Tensor]
    left: dict[str, str]
    form: Callable[[str], tuple[str, tuple[int, ...]]] | None = None


def open_source(obj: Any) -> Source:
    """Return the named tensors of a state dict, a live module, or a checkpoint's path.

    Raises:
        WeightsError: the object has another type, or its file is missing, truncated or hostile.
    """
    if isinstance(obj, torch.nn.Module):
        # keep_vars keeps parameters as parameters, so that their trainability is transferred too.
        return _mapping(obj.state_dict(keep_vars=True), type(obj).__name__)
    if isinstance(obj, Mapping):
        return _mapping(obj, "the state dict")
    if isinstance(obj, (str, Path)):
        return _file(Path(obj))
    raise WeightsError(
        f"{type(obj).__name__} has no weights; pass a module, a state dict, an optimizer or a path"
    )


def _mapping(held: Mapping[Any, Any], title: str) -> Source:
    tensors, left = _tensors(held, title)
    prefix = next((p for p in _PREFIXES if all(name.startswith(p) for name in tensors)), "")
    clean = {name.removeprefix(prefix): value for name, value in tensors.items()}
    return Source(title, tuple(clean), clean.__getitem__, left)


def _tensors(held: Mapping[Any, Any], title: str) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    """Return the tensors of a state dict (or of one in a checkpoint), and what is left out."""
    found = {str(k): v for k, v in held.items() if isinstance(v, torch.Tensor)}
    if len(found) < sum(isinstance(v, torch.Tensor) for v in held.values()):
        raise WeightsError(f"{title} has two tensors of one name; give each its own name")
    inner = [k for k in _USUAL if isinstance(held.get(k), Mapping) and _holds_tensors(held[k])]
    if found and not inner:
        left = {str(k): f"is a {type(v).__name__}" for k, v in held.items() if str(k) not in found}
        return found, left
    inner += [
        k
        for k, v in held.items()
        if k not in inner and isinstance(v, Mapping) and _holds_tensors(v)
    ]
    for key in inner:
        if _holds_tensors(held[key]):
            found, left = _tensors(held[key], title)
            others = {str(k): "is another part of the checkpoint" for k in held if k != key}
            return found, {**others, **left}
    keys = ", ".join(map(str, list(held)[:8])) or "nothing"
    raise WeightsError(f"{title} has no tensors (its keys: {keys}); pass the state dict itself")


def _holds_tensors(held: Mapping[Any, Any]) -> bool:
    return any(isinstance(value, torch.Tensor) for value in held.values())


def _file(path: Path) -> Source:
    if path.is_dir():
        return _directory(path)
    if not path.is_file():
        raise WeightsError(f"{path}: no such file; give the path of a checkpoint")
    if path.name.endswith(".index.json"):
        return _sharded(path)
    if path.suffix == ".safetensors":
        return _joined(str(path), {path.name: _safetensors(path)})
    source = _mapping(pickled_mapping(path), str(path))
    check_size(path, map(source.tensor, source.names))
    return source


def _directory(path: Path) -> Source:
    indexes = sorted(path.glob("*.index.json"))
    if indexes:
        return _sharded(indexes[0])
    shards = sorted(path.glob("*.safetensors"))
    if shards:
        return _joined(str(path), {shard.name: _safetensors(shard) for shard in shards})
    single = [file for suffix in ("*.bin", "*.pt", "*.pth") for file in sorted(path.glob(suffix))]
    if len(single) == 1:
        return _file(single[0])
    raise WeightsError(f"{path}: contains {len(single)} checkpoints; give the path of one")


def _sharded(index: Path) -> Source:
    try:
        places: dict[str, str] = json.loads(index.read_text(encoding="utf-8"))["weight_map"]
        if not all(isinstance(v, str) for v in places.values()):
            raise TypeError("weight_map")
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise WeightsError(
            f"{index}: not an index of shards ({type(error).__name__}: {error}); download it again"
        ) from None
    if not places:
        raise WeightsError(f"{index}: names no weights; download it again")
    for name in set(places.values()):
        if Path(name).name != name:
            raise WeightsError(f"{index}: names a shard outside its folder ({name})")
        if not (index.parent / name).is_file():
            raise WeightsError(f"{index}: the shard {name} is missing; download it as well")
    if all(name.endswith(".safetensors") for name in places.values()):
        files = {name: _safetensors(index.parent / name) for name in sorted(set(places.values()))}
        return _joined(str(index), files, places)
    held: dict[str, dict[Any, Any]] = {}

    def tensor(name: str) -> torch.Tensor:
        shard = places[name]
        if shard not in held:
            held.clear()  # keep only one shard in memory
            found = pickled_mapping(index.parent / shard)
            check_size(
                index.parent / shard, (v for v in found.values() if isinstance(v, torch.Tensor))
            )
            held[shard] = dict(found)
        value = held[shard].get(name)
        if not isinstance(value, torch.Tensor):
            raise WeightsError(f"{index}: {shard} does not contain {name}; download it again")
        return value

    ordered = sorted(places, key=lambda name: places[name])
    return Source(str(index), tuple(ordered), tensor, {})


def _joined(
    title: str, files: Mapping[str, Any], places: Mapping[str, str] | None = None
) -> Source:
    home = {name: (shard, file) for shard, file in files.items() for name in file.keys()}  # noqa: SIM118
    for name, shard in (places or {}).items():
        if name not in home:
            raise WeightsError(f"{title}: {shard} does not contain {name}; download it again")

    def tensor(name: str) -> torch.Tensor:
        shard, file = home[name]
        try:
            found: torch.Tensor = file.get_tensor(name)
        except (SafetensorError, RuntimeError, ValueError) as error:
            raise WeightsError(f"{title}: {name} in {shard} cannot be read ({error})") from None
        return found

    def form(name: str) -> tuple[str, tuple[int, ...]]:
        part = home[name][1].get_slice(name)
        return part.get_dtype(), tuple(part.get_shape())

    return Source(title, tuple(home), tensor, {}, form)


def _safetensors(path: Path) -> Any:
    """Open a safetensors file; the library checks that its tensors do not overlap."""
    try:
        return safe_open(path, framework="pt")
    except (SafetensorError, OSError, ValueError) as error:
        raise WeightsError(
            f"{path}: not a complete safetensors file ({error}); download or save it again"
        ) from None


def pickled_mapping(path: Path) -> Mapping[Any, Any]:
    """Return the mapping in a checkpoint of torch."""
    held = pickled.read(path)
    if isinstance(held, torch.Tensor):
        return {path.stem: held}
    if not isinstance(held, Mapping):
        raise WeightsError(f"{path}: contains a {type(held).__name__}; save a state dict")
    return held


def check_size(path: Path, tensors: Iterable[torch.Tensor]) -> None:
    """Raise if tensors that repeat their elements would fill memory once they are copied."""
    size, most = path.stat().st_size, 0
    for tensor in tensors:
        most += tensor.numel() * tensor.itemsize if tensor.layout is torch.strided else 0
    if most > _LARGEST * max(size, _SMALL):
        raise WeightsError(
            f"{path}: its tensors would need {most:,} bytes, and the file has {size:,}; save each"
            " without repetition, as tensor.clone()"
        )
