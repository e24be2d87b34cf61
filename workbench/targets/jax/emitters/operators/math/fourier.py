"""Fourier transforms and complex numbers."""

from __future__ import annotations

from workbench.lower.writing.call import Call
from workbench.targets.jax.emitters.registry import emits, writes

writes(
    {
        "view_as_real": "jnp.stack([{self!a}.real, {self!a}.imag], axis=-1)",
        "view_as_complex": "lax.complex({self!a}[..., 0], {self!a}[..., 1])",
        "real": "{self!a}.real",
        "imag": "{self!a}.imag",
        "complex": "lax.complex(*jnp.broadcast_arrays({real}, {imag}))",
        "polar": "{_polar}({abs}, {angle})",
    }
)
writes({"_neg_view": "-{self!a}"}, native=True)


@emits("_conj", "_conj_physical", "conj_physical", "resolve_conj", "resolve_neg", native=True)
def _conj(call: Call) -> str:
    x = call.tensor("self")
    same = "resolve" in str(call.node.target) or not call.dtype.is_complex
    return x if same else f"jnp.conj({x})"


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
