"""Generated modules in the spelling of flax.nnx."""

from __future__ import annotations

from pathlib import Path

import torch
from flax import nnx

from workbench.lower.writing.dialect import Dialect
from workbench.lower.writing.helper_sources import HelperSources
from workbench.targets.jax.emitters.registry import EMITTERS

_FOLDER = Path(__file__).parent / "helpers"


class JaxDialect(Dialect):
    """Modules as `nnx.Module`."""

    title = "JAX"
    imports = (
        "import jax",
        "import jax.numpy as jnp",
        "from flax import nnx",
        "from jax import lax",
    )
    # Without it, integers have 32 bits, and float64 is silently narrowed.
    setup = ('jax.config.update("jax_enable_x64", True)',)
    module = "nnx.Module"
    module_list = "nnx.List"
    method = "__call__"
    draws = "self.rngs = nnx.Rngs(0)"
    taken = frozenset({"jax", "jnp", "nnx", "lax"})
    reserved = frozenset(dir(nnx.Module)) | {"rngs"}
    no_grad = None
    frees = False
    mutable = False
    ties = True
    cond = "lax.cond"
    dtypes = {  # noqa: RUF012  as the class that it derives from declares it
        **Dialect.dtypes,
        torch.bfloat16: "bfloat16",
        torch.complex64: "complex64",
        torch.complex128: "complex128",
        torch.uint16: "uint16",
        torch.uint32: "uint32",
        torch.uint64: "uint64",
    }
    emitters = EMITTERS
    helpers = HelperSources(sorted(_FOLDER.glob("[!_]*.py")))

    def parameter(
        self, holder: str, name: str, shape: list[int], dtype: str, *, trained: bool
    ) -> str:
        """Return a weight of zeros, as `nnx.Param` unless it is frozen."""
        kind = "Param" if trained else "Variable"
        return f"{holder}.{name} = nnx.{kind}({self.zeros(shape, dtype)})"

    def buffer(self, holder: str, name: str, value: str, saved: bool) -> str:
        """Return a variable that no optimizer sees."""
        return f"{holder}.{name} = nnx.Variable({value})"

    def zeros(self, shape: list[int], dtype: str) -> str:
        """Return an array of zeros."""
        return f'jnp.zeros({shape}, "{dtype}")'

    def tensor(self, numbers: str, dtype: str) -> str:
        """Return an array of listed numbers."""
        return f'jnp.array({numbers}, "{dtype}")'

    def write_into(self, held: str, value: str) -> str:
        """Return an assignment of a new array to a variable."""
        return f"{held}[...] = lax.stop_gradient({value})"

    def weight(self, held: str) -> str:
        """Return the array in a variable: `lax` accepts no variables under `jit`."""
        return f"{held}[...]"

    def detached(self, expression: str) -> str:
        """Return the expression as a constant of the backward pass."""
        return f"lax.stop_gradient({expression})"


DIALECT = JaxDialect()
