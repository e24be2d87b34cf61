"""Fourier transforms and complex numbers."""

from __future__ import annotations

from workbench.lower.writing.call import Call, atom
from workbench.targets.jax.emitters.registry import emits


@emits("view_as_real")
def _as_real(call: Call) -> str:
    x = call.tensor("self")
    return f"jnp.stack([{atom(x)}.real, {atom(x)}.imag], axis=-1)"


@emits("view_as_complex")
def _as_complex(call: Call) -> str:
    x = atom(call.tensor("self"))
    return f"lax.complex({x}[..., 0], {x}[..., 1])"


@emits("_conj", "_conj_physical", "conj_physical", "resolve_conj", "resolve_neg", native=True)
def _conj(call: Call) -> str:
    x = call.tensor("self")
    same = "resolve" in str(call.node.target) or not call.dtype.is_complex
    return x if same else f"jnp.conj({x})"


@emits("_neg_view", native=True)
def _neg_view(call: Call) -> str:
    return f"-{atom(call.tensor('self'))}"


@emits("real")
def _real(call: Call) -> str:
    return f"{atom(call.tensor('self'))}.real"


@emits("imag")
def _imag(call: Call) -> str:
    return f"{atom(call.tensor('self'))}.imag"


@emits("complex")
def _complex(call: Call) -> str:
    return f"lax.complex(*jnp.broadcast_arrays({call.tensor('real')}, {call.tensor('imag')}))"


@emits("polar")
def _polar(call: Call) -> str:
    return f"{call.helper('_polar')}({call.tensor('abs')}, {call.tensor('angle')})"


@emits("angle")
def _angle(call: Call) -> str:
    x = call.tensor("self") if call.meta("self").is_complex() else call.tensor("self", call.dtype)
    return f"jnp.angle({x})"


@emits("_fft_r2c")
def _r2c(call: Call) -> str:
    norm = {0: "backward", 1: "ortho", 2: "forward"}[call["normalization"]]
    name = "rfftn" if call["onesided"] else "fftn"
    return f'jnp.fft.{name}({call.tensor("self")}, axes={call["dim"]}, norm="{norm}")'


@emits("_fft_c2c")
def _c2c(call: Call) -> str:
    norms = {0: "backward", 1: "ortho", 2: "forward"}
    if not call["forward"]:
        # The norm of an inverse transform is named in the opposite direction.
        norms = {0: "forward", 1: "ortho", 2: "backward"}
    name = "fftn" if call["forward"] else "ifftn"
    norm = norms[call["normalization"]]
    return f'jnp.fft.{name}({call.tensor("self")}, axes={call["dim"]}, norm="{norm}")'


@emits("_fft_c2r")
def _c2r(call: Call) -> str:
    norm = {0: "forward", 1: "ortho", 2: "backward"}[call["normalization"]]
    sizes = [int(call.out.shape[d]) for d in call["dim"]]
    rest = f's={sizes}, axes={call["dim"]}, norm="{norm}"'
    return f"jnp.fft.irfftn({call.tensor('self')}, {rest})"
