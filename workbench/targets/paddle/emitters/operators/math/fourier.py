"""Fourier transforms and complex numbers."""

from __future__ import annotations

from workbench.lower.writing.call import Call
from workbench.lower.writing.emitters import Write
from workbench.targets.paddle.emitters.registry import emits, writes

writes(
    {
        "view_as_real": "paddle.as_real({self})",
        "view_as_complex": "paddle.as_complex({self})",
        "real": "paddle.real({self})",
        "imag": "paddle.imag({self})",
        "complex": "paddle.complex({real}, {imag})",
        "polar": "paddle.polar({abs}, {angle})",
    }
)


@emits("_conj", "_conj_physical", "conj_physical")
def _conj(call: Call) -> str:
    x = call.tensor("self")
    return f"paddle.conj({x})" if call.dtype.is_complex else x


def _transform(name: str, size: str, axes: str) -> Write:
    def write(call: Call) -> str:
        parts = [call.tensor("self", call.dtype if name in ("fft", "fftn", "fft2") else None)]
        if call.has(size):
            parts.append(f"{size}={call.text(size)}")
        if call.has("dim"):
            parts.append(f"{axes}={call.text('dim')}")
        if call.has("norm"):
            parts.append(f"norm={call.text('norm')}")
        # Paddle's two-dimensional transforms accept only two axes, torch's any number.
        general = call.has("dim") and name.endswith("2") and len(call["dim"]) != 2
        called = f"{name[:-1]}n" if general else name
        return f"paddle.fft.{called}({', '.join(parts)})"

    return write


for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    emits(f"fft_{_name}")(_transform(_name, "n", "axis"))
for _name in ("fft2", "ifft2", "fftn", "ifftn", "rfftn", "irfftn", "rfft2", "irfft2"):
    emits(f"fft_{_name}")(_transform(_name, "s", "axes"))


@emits("_fft_r2c")
def _r2c(call: Call) -> str:
    norm = {0: "backward", 1: "ortho", 2: "forward"}[call["normalization"]]
    name = "rfftn" if call["onesided"] else "fftn"
    x = call.tensor("self") if call["onesided"] else call.tensor("self", call.dtype)
    return f'paddle.fft.{name}({x}, axes={call["dim"]}, norm="{norm}")'


@emits("_fft_c2c")
def _c2c(call: Call) -> str:
    norms = {0: "backward", 1: "ortho", 2: "forward"}
    if not call["forward"]:
        # The norm of an inverse transform is named in the opposite direction.
        norms = {0: "forward", 1: "ortho", 2: "backward"}
    name = "fftn" if call["forward"] else "ifftn"
    norm = norms[call["normalization"]]
    return f'paddle.fft.{name}({call.tensor("self")}, axes={call["dim"]}, norm="{norm}")'


@emits("_fft_c2r")
def _c2r(call: Call) -> str:
    norm = {0: "forward", 1: "ortho", 2: "backward"}[call["normalization"]]
    sizes = [int(call.out.shape[d]) for d in call["dim"]]
    rest = f's={sizes}, axes={call["dim"]}, norm="{norm}"'
    return f"paddle.fft.irfftn({call.tensor('self')}, {rest})"
