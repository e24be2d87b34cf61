"""Paddle's printed text in torch's spelling, for the comparison of printed output."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import paddle
import torch

from workbench.streams.printed_text import described
from workbench.streams.torch_recorder import patched
from workbench.targets.bridge import CarryError
from workbench.targets.paddle.carry import tensors

_TENSOR = re.compile(
    r"(?:Parameter containing:\s*)?Tensor\(shape=\[[^\]]*\], dtype=\w+, place=Place\([^)]*\), "
    r"stop_gradient=\w+,\s*(?P<body>[^()]*)\)"
)
_NAME = re.compile(r"\bpaddle\.(?=(?:Size|float|int|uint|bool|bfloat|complex)\w*)")
_SHOWN_TYPE = re.compile(r"<DataType\.(\w+): \d+>")  # a dtype in IPython
_PAIR = re.compile(r"\bMinMaxRetType(?=\(values=)")  # the result of compat's maximum with index
_HELPER = re.compile(r"\bTorch(?=[A-Z])")
_MOST = 2000  # stored texts; further tensors are compared by the digits that Paddle prints


class Spelling:
    """Torch's spelling of texts that Paddle printed.

    Paddle prints more digits, breaks lines at other places and shortens other tensors than torch.
    Its texts are stored with torch's text for the same value; the user's code receives Paddle's.
    """

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    @contextmanager
    def noting(self) -> Iterator[None]:
        """While open, store texts."""
        places = [
            (paddle.Tensor, _tensor),
            (paddle.base.framework.EagerParamBase, _parameter),
        ]
        with ExitStack() as stack:
            for owner, spell in places:
                for name in ("__str__", "__repr__"):
                    stack.enter_context(patched(owner, name, self._wrap(spell)))
            stack.enter_context(patched(paddle.nn.Layer, "__repr__", self._wrap(described)))
            yield

    def plain(self, text: str) -> str:
        """Return the text with torch's spelling of tensors, shapes, dtypes and class names."""
        for known in sorted(self._known, key=len, reverse=True):
            text = text.replace(known, self._known[known])
        text = _TENSOR.sub(lambda match: f"tensor({match['body']})", text)
        text = _SHOWN_TYPE.sub(lambda match: f"torch.{match[1].lower()}", text)
        text = _PAIR.sub("Pair", text)
        text = text.replace(paddle.__version__, torch.__version__)
        return _HELPER.sub("", _NAME.sub("torch.", text))

    def _wrap(self, spell: Callable[[Any], str]) -> Callable[[Any], Any]:
        def make(original: Any) -> Any:
            def represent(value: Any) -> str:
                text: str = original(value)
                if len(self._known) < _MOST:
                    self._known[text] = spell(value)
                return text

            return represent

        return make


def _tensor(value: Any) -> str:
    try:
        return repr(tensors.to_torch(value))
    except (CarryError, RuntimeError):  # an uninitialised or sparse tensor
        return str(type(value).__name__)


def _parameter(value: Any) -> str:
    return f"Parameter containing:\n{_tensor(value)}"
