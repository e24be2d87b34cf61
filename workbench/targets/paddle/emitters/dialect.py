"""Generated modules in Paddle's spelling."""

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
        """Return a weight of zeros, which loading a state dict sets, and freezes if necessary."""
        made = f'{shape}, dtype="{dtype}", default_initializer=zeros'
        return f"{holder}.{name} = self.create_parameter({made})"

    def buffer(self, holder: str, name: str, value: str, saved: bool) -> str:
        """Return a buffer, which is in the state dict unless it is not persistable."""
        kept = "" if saved else ", persistable=False"
        return f'{holder}.register_buffer("{name}", {value}{kept})'

    def zeros(self, shape: list[int], dtype: str) -> str:
        """Return a tensor of zeros."""
        return f'paddle.zeros({shape}, dtype="{dtype}")'

    def tensor(self, numbers: str, dtype: str) -> str:
        """Return a tensor of listed numbers."""
        return f'paddle.to_tensor({numbers}, dtype="{dtype}")'

    def write_into(self, held: str, value: str) -> str:
        """Return an assignment to a tensor without an effect on its gradients."""
        return f"paddle.assign({value}.detach(), output={held})"


DIALECT = PaddleDialect()
