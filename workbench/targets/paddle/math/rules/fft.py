"""torch.fft: Fourier transforms, whose Paddle counterparts name dimensions `axis` and `axes`."""

from __future__ import annotations

from workbench.rules.family import Family
from workbench.rules.match import NOT_CONSTANT, Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.source.types import dtypes
from workbench.source.types.lattice import Tensor
from workbench.targets.paddle.common.creating import UNSEEN
from workbench.words import words

rules = Family()


def _transform(name: str, taken: str, keywords: dict[str, str]) -> None:
    """Add the rule of a transform whose parameters except `out` are spelled in `taken`."""
    # With `*` and `**`, over the dimensions in these.
    many = name if name.endswith("fft") else name.replace("2", "n")
    several = {"s", "dim"} if keywords["dim"] == "axes" else set()
    given = ", ".join(
        f"{word}=[{name}] if isinstance({name}, int) else {name}"
        if name in several
        else f"{word}={name}"
        for name, word in keywords.items()
    )
    given += " or 'backward'"  # the norm comes last

    @rules.rule(
        f"torch.fft.{name}",
        value=f"paddle.fft.{name}",
        unpacked=f"(lambda {taken}: paddle.fft.{many}(input, {given}))(...)",
    )
    def decide(match: Match) -> Outcome:
        operand = match.value("input")
        if isinstance(operand, Tensor) and operand.scalar:
            return Refusal("Paddle crashes the process for a tensor without dimensions")
        nothing = {name for name in keywords if _none(match, name)}
        shown = [f"{word}={{{name}}}" for name, word in keywords.items() if name not in nothing]
        if match.given("norm") and match.constant("norm") is NOT_CONSTANT:
            shown[-1] += " or 'backward'"
        callee = match.use.name.rpartition(".")[2]
        if keywords["dim"] == "axes" and match.is_number("dim"):
            shown = [text.replace("{dim}", "[{dim}]") for text in shown]
            callee = callee.replace("2", "n")
        over = match.constant("dim", (-2, -1))
        if not isinstance(over, list | tuple) or len(over) != 2:
            callee = callee.replace("2", "n") if keywords["dim"] == "axes" else callee
        if "s" in keywords and match.is_number("s"):
            shown = [text.replace("{s}", "[{s}]") for text in shown]
        value = match.value("input")
        kind = dtypes.kind(value.dtype) if isinstance(value, Tensor) else None
        given = "{input}.astype(paddle.get_default_dtype())" if kind == 0 else "{input}"
        if kind == 1 and callee.startswith(("irfft", "hfft")):
            given = "{input}.astype('complex64')"
        text = f"paddle.fft.{callee}({', '.join([given, *shown])})"
        consumed = frozenset(nothing & match.arguments.keys())
        if match.given("out"):
            return Rewrite(f"torch_out({text}, {{out}})", consumed=consumed)
        return Rewrite(text, consumed=consumed | {"out"} & match.arguments.keys())


def _none(match: Match, parameter: str) -> bool:
    return match.constant(parameter) is None


for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    _transform(
        _name,
        "input, n=None, dim=-1, norm=None",
        {"n": "n", "dim": "axis", "norm": "norm"},
    )
for _name in words("fft2 ifft2 rfft2 irfft2 hfft2 ihfft2 fftn ifftn rfftn irfftn hfftn ihfftn"):
    _default = "(-2, -1)" if _name.endswith("2") else "None"
    _transform(
        _name,
        f"input, s=None, dim={_default}, norm=None",
        {"s": "s", "dim": "axes", "norm": "norm"},
    )

for _name in ("fftshift", "ifftshift"):
    rules.row(f"torch.fft.{_name}", f"torch_{_name}({{input}}, {{dim=None}})")
for _name in ("fftfreq", "rfftfreq"):
    rules.row(
        f"torch.fft.{_name}",
        f"paddle.fft.{_name}({{n}}, {{d=1.0}}, dtype={{dtype}})",
        f"torch_placed(paddle.fft.{_name}({{n}}, {{d=1.0}}, dtype={{dtype}}), {{device=None}}, "
        "{requires_grad=False})",
        ignored=UNSEEN,
    )
