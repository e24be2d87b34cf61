"""Saving and loading as torch calls it, in Paddle's format."""

from __future__ import annotations

import collections
import io
import os
import pathlib
import pickle
from typing import Any

import numpy
import paddle


def torch_save(obj: Any, f: Any) -> None:
    """`torch.save` to a path or a file, as `paddle.save` writes; whole layers are pickled."""
    buffer = io.BytesIO()
    if isinstance(obj, paddle.nn.Layer):
        pickle.dump(obj, buffer)
    else:
        paddle.save(torch_arrays(obj, packed=True), buffer)
    if isinstance(f, str | os.PathLike):
        pathlib.Path(f).write_bytes(buffer.getvalue())
    else:
        f.write(buffer.getvalue())


def torch_arrays(content: Any, packed: bool) -> Any:
    """What is saved, its NumPy arrays as text: `paddle.load` would make tensors of them."""
    if packed and isinstance(content, numpy.ndarray):
        return {"numpy.ndarray": pickle.dumps(content).decode("latin-1")}
    if not packed and isinstance(content, dict) and list(content) == ["numpy.ndarray"]:
        return pickle.loads(content["numpy.ndarray"].encode("latin-1"))
    if type(content) in (dict, collections.OrderedDict):
        return type(content)((key, torch_arrays(each, packed)) for key, each in content.items())
    if type(content) in (list, tuple):
        return type(content)(torch_arrays(each, packed) for each in content)
    return content


def torch_load(f: Any, map_location: Any = None) -> Any:
    """`torch.load` of a path or a file that `torch_save` or `paddle.save` wrote."""
    device = paddle.device.get_device()
    path = isinstance(f, str | os.PathLike)
    content = pathlib.Path(f).read_bytes() if path else f.read()
    try:
        if "cpu" in str(map_location):
            paddle.device.set_device("cpu")
        return torch_arrays(paddle.load(io.BytesIO(content)), packed=False)
    except NotImplementedError:  # a whole layer
        return pickle.loads(content)
    finally:
        paddle.device.set_device(device)


def torch_jit_save(m: Any, f: Any, _extra_files: Any = None) -> None:
    """`torch.jit.save` of what stays a layer: it is pickled, with the other files beside it."""
    content = pickle.dumps((m, dict(_extra_files or {})))
    if isinstance(f, str | os.PathLike):
        pathlib.Path(f).write_bytes(content)
    else:
        f.write(content)


def torch_jit_load(f: Any, map_location: Any = None, _extra_files: Any = None) -> Any:
    """What `torch_jit_save` wrote, to a device if one is named."""
    content = pathlib.Path(f).read_bytes() if isinstance(f, str | os.PathLike) else f.read()
    layer, beside = pickle.loads(content)
    for name in _extra_files or {}:
        text = beside.get(name, "")
        _extra_files[name] = text.encode() if isinstance(text, str) else text
    if map_location is not None and isinstance(layer, paddle.nn.Layer):
        layer.to(map_location)
    return layer
