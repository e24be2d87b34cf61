"""Generated modules as Paddle spells them."""

from __future__ import annotations

from pathlib import Path

import paddle
import torch

from workbench.lower.writing.dialect import Dialect
from workbench.lower.writing.helper_sources import HelperSources
from workbench.targets.paddle.emitters.registry import EMITTERS

_HELPERS = ("checking", "arithmetic", "places", "blocks", "flow", "recurrent")


class PaddleDialect(Dialect):
    """Modules as `paddle.nn.Layer`."""

    title = "Paddle"
    imports = ("import paddle", "import paddle.nn.functional as F")
    module = "paddle.nn.Layer"
    module_list = "paddle.nn.LayerList"
    opening = ("zeros = paddle.nn.initializer.Constant(0.0)",)
    taken = frozenset({"paddle", "F", "zeros"})
    reserved = frozenset(dir(paddle.nn.Layer)) | {"training", "zeros"}
    no_grad = "paddle.no_grad()"
    cond = "paddle.static.nn.cond"
    dtypes = {  # noqa: RUF012  as the class that it derives from declares it
        **Dialect.dtypes,
        torch.bfloat16: "bfloat16",
        torch.complex64: "complex64",
        torch.complex128: "complex128",
    }
    emitters = EMITTERS
    helpers = HelperSources(Path(__file__).parent / "helpers" / f"{name}.py" for name in _HELPERS)

    def parameter(
        self, holder: str, name: str, shape: list[int], dtype: str, *, trained: bool
    ) -> str:
        """A weight of zeros, until a state dict is loaded, which freezes those that are frozen."""
        made = f'{shape}, dtype="{dtype}", default_initializer=zeros'
        return f"{holder}.{name} = self.create_parameter({made})"

    def buffer(self, holder: str, name: str, value: str, saved: bool) -> str:
        """A buffer, which a state dict holds unless it is said not to be persistable."""
        kept = "" if saved else ", persistable=False"
        return f'{holder}.register_buffer("{name}", {value}{kept})'

    def zeros(self, shape: list[int], dtype: str) -> str:
        """A tensor of zeros."""
        return f'paddle.zeros({shape}, dtype="{dtype}")'

    def tensor(self, numbers: str, dtype: str) -> str:
        """A tensor of listed numbers."""
        return f'paddle.to_tensor({numbers}, dtype="{dtype}")'

    def write_into(self, held: str, value: str) -> str:
        """Its gradients know nothing of it."""
        return f"paddle.assign({value}.detach(), output={held})"


DIALECT = PaddleDialect()
