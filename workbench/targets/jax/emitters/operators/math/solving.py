"""Systems of equations, determinants and spectra of matrices."""

from __future__ import annotations

import torch

from workbench.lower.writing.call import Call
from workbench.targets.jax.emitters.registry import emits, writes

writes(
    {
        "linalg_svdvals": "jnp.linalg.svd({A}, compute_uv=False)",
        "matrix_exp linalg_matrix_exp": "jax.scipy.linalg.expm({self})",
    }
)

_SINGULAR = "a singular matrix gives infinities in JAX; torch raises an error"


def _first_only(call: Call, count: int) -> str:
    """Return the rest of a tuple of which only the first item is computed and may be used."""
    if any(user.args[1] != 0 and user.users for user in call.node.users):
        call.refuse("the parts of a decomposition that is not unique")
    return ", None" * (count - 1)


@emits("cholesky", "linalg_cholesky")
def _cholesky(call: Call) -> str:
    call.caveat("a matrix that is not positive definite gives NaN in JAX; torch raises an error")
    return f"{call.helper('_cholesky')}({call.tensor('self')}, {call['upper']})"


@emits("linalg_cholesky_ex")
def _cholesky_ex(call: Call) -> str:
    return f"({_cholesky(call)}, None)"


@emits("linalg_solve_triangular")
def _solve_triangular(call: Call) -> str:
    call.caveat(_SINGULAR)
    given = f"{call.tensor('self')}, {call.tensor('B')}, {call['upper']}"
    given += "" if call["left"] else ", left=False"
    given += ", unit=True" if call["unitriangular"] else ""
    return f"{call.helper('_solve_triangular')}({given})"


@emits("linalg_solve")
def _solve(call: Call) -> str:
    call.caveat(_SINGULAR)
    a, b = call.tensor("A"), call.tensor("B")
    many, right = call.meta("A").shape, call.meta("B").shape
    if len(right) == 1:
        return f"jnp.linalg.solve({a}, {b})"
    if right == many[:-1]:  # one vector for each matrix
        return f"jnp.linalg.solve({a}, {b}[..., None])[..., 0]"
    if not call["left"]:
        return f"jnp.linalg.solve({a}.mT, {b}.mT).mT"
    return f"jnp.linalg.solve({a}, {b})"


@emits("_linalg_solve_ex")
def _solve_ex(call: Call) -> str:
    return f"({_solve(call)}{_first_only(call, 4)})"


@emits("inverse", "linalg_inv")
def _inv(call: Call) -> str:
    call.caveat(_SINGULAR)
    return f"jnp.linalg.inv({call.tensor('self' if call.has('self') else 'A')})"


@emits("linalg_inv_ex")
def _inv_ex(call: Call) -> str:
    return f"({_inv(call)}, None)"


@emits("linalg_pinv.atol_rtol_tensor", "linalg_pinv.atol_rtol_float")
def _pinv(call: Call) -> str:
    *_, rows, columns = call.meta("self").shape
    if call.has("atol") or call.has("rtol") or call["hermitian"]:
        call.refuse("pinv with tolerances, or of a Hermitian matrix")
    if not (isinstance(rows, int) and isinstance(columns, int)):
        call.refuse(
            "pinv of a matrix with dynamic sizes, which decide the smallest singular value kept"
        )
    least = max(rows, columns) * torch.finfo(call.dtype).eps
    return f"jnp.linalg.pinv({call.tensor('self')}, rtol={least!r})"


@emits("det", "linalg_det")
def _det(call: Call) -> str:
    return f"jnp.linalg.det({call.tensor('self' if call.has('self') else 'A')})"


@emits("_linalg_det")
def _det_of(call: Call) -> str:
    return f"({_det(call)}{_first_only(call, 3)})"


@emits("slogdet", "linalg_slogdet")
def _slogdet(call: Call) -> str:
    return f"jnp.linalg.slogdet({call.tensor('self' if call.has('self') else 'A')})"


@emits("_linalg_slogdet")
def _slogdet_of(call: Call) -> str:
    return f"(*{_slogdet(call)}, None, None)"


@emits("linalg_eigvalsh")
def _eigvalsh(call: Call) -> str:
    x = call.tensor("self" if call.has("self") else "A")
    return f"jnp.linalg.eigvalsh({call.helper('_symmetric')}({x}, {call['UPLO'] == 'U'}))"


@emits("linalg_eigh", "_linalg_eigh")
def _eigh(call: Call) -> str:
    return f"({_eigvalsh(call)}{_first_only(call, 2)})"


@emits("linalg_qr")
def _qr(call: Call) -> str:
    if call["mode"] == "r":
        call.refuse("qr with mode='r'")
    return f'jnp.linalg.qr({call.tensor("A")}, mode="{call["mode"]}")'
