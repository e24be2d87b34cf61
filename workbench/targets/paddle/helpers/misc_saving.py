"""Saving and loading as torch calls it, in Paddle's format."""

from __future__ import annotations

import io
import os
import pathlib
import pickle
from typing import Any

import paddle


def torch_save(obj: Any, f: Any) -> None:
    """`torch.save` to a path or a file, as `paddle.save` writes; whole layers are pickled."""
    buffer = io.BytesIO()
    if isinstance(obj, paddle.nn.Layer):
        pickle.dump(obj, buffer)
    else:
        paddle.save(obj, buffer)
    if isinstance(f, str | os.PathLike):
        pathlib.Path(f).write_bytes(buffer.getvalue())
    else:
        f.write(buffer.getvalue())


def torch_load(f: Any, map_location: Any = None) -> Any:
    """`torch.load` of a path or a file that `torch_save` or `paddle.save` wrote."""
    device = paddle.device.get_device()
    path = isinstance(f, str | os.PathLike)
    content = pathlib.Path(f).read_bytes() if path else f.read()
    try:
        if "cpu" in str(map_location):
            paddle.device.set_device("cpu")
        return paddle.load(io.BytesIO(content))
    except NotImplementedError:  # a whole layer
        return pickle.loads(content)
    finally:
        paddle.device.set_device(device)
