"""Products of matrices, linear algebra, Fourier transforms."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.source.types.lattice import Tensor
from workbench.targets.jax.writing import PLACED, Functions

rules = Functions()
_NONE = "torch raises where there is no result, and JAX returns infinity or NaN"
rules.both("matmul", "{input} @ {other}")
for _name in ("mm", "bmm"):
    rules.both(_name, "{input} @ {mat2}")
rules.both("mv", "{input} @ {vec}")
rules.both("dot", "jnp.dot({input}, {tensor})")
rules.both("inner", "jnp.inner({input}, {other})")
for _name in ("outer", "ger"):
    rules.both(_name, "jnp.outer({input}, {vec2})")
rules.both("vdot", "jnp.vdot({input}, {other})")
rules.both("kron", "jnp.kron({input}, {other})")
rules.both("addmm", "{beta=1} * {input} + {alpha=1} * ({mat1} @ {mat2})")
rules.both("addmv", "{beta=1} * {input} + {alpha=1} * ({mat} @ {vec})")
rules.both("addr", "{beta=1} * {input} + {alpha=1} * jnp.outer({vec1}, {vec2})")
rules.both("baddbmm", "{beta=1} * {input} + {alpha=1} * ({batch1} @ {batch2})")
rules.both("trace", "jnp.trace({input})")
rules.row("torch.tensordot", "jnp.tensordot({a}, {b}, axes={dims=2})")
rules.row("torch.complex", "lax.complex({real}, {imag})")


@rules.rule("torch.einsum")
def einsum(match: Match) -> Outcome:
    if "operands" not in match or not isinstance(match.constant("equation"), str):
        return Refusal("the equation is only known at run time")
    given = match.arguments["operands"]
    if any(isinstance(one, Tensor) and one.dtype == "bool" for one in given.values):
        return Refusal("truths are counted differently", "x.astype(jnp.int32)")
    if len(given.nodes) == 1 and not given.starred and not isinstance(given.value, Tensor):
        return Refusal("it is not known whether its argument is a tensor or a list of tensors")
    return Rewrite("jnp.einsum({equation}, *{operands})")


_LINALG = {
    "inv": "{A}",
    "det": "{A}",
    "slogdet": "{A}",
    "matrix_power": "{input}, {n}",
    "pinv": "{input}",
}
for _name, _given in _LINALG.items():
    rules.row(
        f"torch.linalg.{_name}",
        f"jnp.linalg.{_name}({_given})",
        caveat=_NONE if _name == "inv" else None,
    )
rules.row("torch.linalg.solve", "torch_solve({A}, {B})", caveat=_NONE)
for _name in ("torch.inverse", "torch.Tensor.inverse"):
    _given = "{self}" if "Tensor" in _name else "{input}"
    rules.row(_name, f"jnp.linalg.inv({_given})", caveat=_NONE)
rules.both("det", "jnp.linalg.det({input})")
for _name in ("fft", "ifft", "rfft", "irfft"):
    rules.row(
        f"torch.fft.{_name}", f"jnp.fft.{_name}({{input}}, n={{n}}, axis={{dim}}, norm={{norm}})"
    )
for _name, _inverse in (("fft2", False), ("ifft2", True)):
    rules.row(
        f"torch.fft.{_name}",
        f"torch_fftn({{input}}, {{s=None}}, {{dim=(-2, -1)}}, {{norm=None}}, {_inverse})",
    )
for _name, _inverse in (("fftn", False), ("ifftn", True)):
    rules.row(
        f"torch.fft.{_name}",
        f"torch_fftn({{input}}, {{s=None}}, {{dim=None}}, {{norm=None}}, {_inverse})",
    )
for _name in ("fftshift", "ifftshift"):
    rules.row(f"torch.fft.{_name}", f"jnp.fft.{_name}({{input}}, axes={{dim}})")
for _name in ("fftfreq", "rfftfreq"):
    rules.row(
        f"torch.fft.{_name}", f"jnp.fft.{_name}({{n}}, {{d=1.0}})", ignored={"device": PLACED}
    )
rules.row(
    "torch.cdist",
    "torch_cdist({x1}, {x2}, p={p})",
    ignored={"compute_mode": "distances are computed without products"},
)
rules.row("torch.polar", "lax.complex({abs} * jnp.cos({angle}), {abs} * jnp.sin({angle}))")
rules.row("torch.view_as_real", "jnp.stack([{input}.real, {input}.imag], -1)")
rules.row("torch.view_as_complex", "lax.complex({input}[..., 0], {input}[..., 1])")
rules.row("torch.linalg.cholesky", "torch_cholesky({input}, {upper=False})", caveat=_NONE)
rules.row("torch.linalg.matrix_rank", "jnp.linalg.matrix_rank({input})")


@rules.rule("torch.linalg.norm")
def norm(match: Match) -> Outcome:
    """Write a norm of vectors; one of matrices is another function."""
    if match.given("ord", "out"):
        return Refusal("a norm of matrices has no proven form in JAX yet")
    unseen = frozenset({"ord", "out", "dtype"}) & match.arguments.keys()
    if match.given("dtype"):
        return Refusal("its argument `dtype` has no equivalent", "jnp.linalg.norm(x.astype(dtype))")
    return Rewrite("torch_vector_norm({input}, dim={dim}, keepdim={keepdim})", consumed=unseen)


@rules.rule("torch.linalg.qr")
def qr(match: Match) -> Outcome:
    """Write JAX's function, which returns both factors in two modes."""
    if match.constant("mode", "reduced") not in {"reduced", "complete"}:
        return Refusal("JAX returns one factor alone in this mode", "jnp.linalg.qr(x).R")
    return Rewrite("jnp.linalg.qr({A}, mode={mode})")
