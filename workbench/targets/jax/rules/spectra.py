"""Spectra of short windows and alignments of sequences."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet
from workbench.targets.jax.writing import T

rules = RuleSet()
_STFT = ("hop_length", "win_length", "window", "center", "pad_mode", "normalized", "onesided")
_ISTFT = ("hop_length", "win_length", "window", "center", "normalized", "onesided", "length")


def _options(match: Match, names: tuple[str, ...]) -> str:
    return "".join(f", {one}={{{one}}}" for one in names if match.given(one))


def _left(match: Match) -> frozenset[str]:
    return frozenset(name for name in match.arguments if match.is_default(name))


@rules.rule("torch.stft", T + "stft")
def stft(match: Match) -> Outcome:
    """Write the transform with complex results."""
    if match.constant("return_complex") is not True:
        return Refusal("only results of complex numbers are converted", "return_complex=True")
    if match.given("align_to_window"):
        return Refusal("its argument `align_to_window` has no equivalent")
    mine = "{self}" if match.use.name.startswith(T) else "{input}"
    return Rewrite(
        f"torch_stft({mine}, {{n_fft}}{_options(match, _STFT)})",
        consumed=_left(match) | {"return_complex"},
    )


@rules.rule("torch.istft", T + "istft")
def istft(match: Match) -> Outcome:
    """Write the inverse transform of real signals."""
    if match.given("return_complex"):
        return Refusal("only real results are converted")
    mine = "{self}" if match.use.name.startswith(T) else "{input}"
    return Rewrite(
        f"torch_istft({mine}, {{n_fft}}{_options(match, _ISTFT)})", consumed=_left(match)
    )


_CTC = ("blank", "reduction", "zero_infinity")


@rules.rule("torch.nn.functional.ctc_loss")
def ctc_loss(match: Match) -> Outcome:
    return Rewrite(
        "torch_ctc_loss({log_probs}, {targets}, {input_lengths}, {target_lengths}"
        f"{_options(match, _CTC)})",
        consumed=_left(match),
    )


@rules.rule("torch.nn.CTCLoss")
def ctc_layer(match: Match) -> Outcome:
    """Write the loss, or the loss with its options."""
    options = _options(match, _CTC)
    written = f"partial(torch_ctc_loss{options})" if options else "torch_ctc_loss"
    return Rewrite(written, consumed=_left(match))
