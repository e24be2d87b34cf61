"""torch.signal.windows."""

from __future__ import annotations

import re

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.rules.rule import RuleSet
from workbench.targets.paddle.common.creating import IGNORED, problem
from workbench.upstream.facts import load

rules = RuleSet()

_MAKING = ", {M}, sym={sym}, dtype={dtype}, device={device}, requires_grad={requires_grad})"


_PLACEHOLDER = re.compile(r"\{(\w+)(?:=([^{}]*))?\}")


def _named(name: str, shape: str) -> str:
    """Return a lambda for calls that unpack arguments, with the parameters spelled out."""
    entry = load().get(f"torch.signal.windows.{name}")
    assert entry is not None
    taken = [
        p.name if p.default is None else f"{p.name}={p.default if p.name != 'layout' else None}"
        for p in entry.signatures[0].parameters[1:]
    ]
    made = "M, sym, dtype, device, requires_grad"
    shape = _PLACEHOLDER.sub(r"\1", shape)
    return f"(lambda M, *, {', '.join(taken)}: torch_signal_window({shape}, {made}))(...)"


def _window(name: str, shape: str) -> None:
    """Add the rule of a window whose samples a helper of the same name computes."""

    full = f"torch.signal.windows.{name}"

    @rules.rule(full, unpacked=_named(name, shape))
    def window(match: Match) -> Outcome:
        return problem(match) or Rewrite(
            f"torch_signal_window({shape}{_MAKING}",
            consumed=frozenset(IGNORED) & match.arguments.keys(),
        )


for _name, _weights in {
    "blackman": "[0.42, 0.5, 0.08]",
    "hann": "[0.5, 0.5]",
    "nuttall": "[0.3635819, 0.4891775, 0.1365995, 0.0106411]",
}.items():
    _window(_name, f"torch_general_cosine_shape({_weights})")
_window("hamming", "torch_general_cosine_shape([0.54, 0.46])")
_window("general_hamming", "torch_general_cosine_shape([{alpha=0.54}, 1 - {alpha=0.54}])")
_window("general_cosine", "torch_general_cosine_shape({a})")
_window("bartlett", "torch_bartlett_shape()")
_window("cosine", "torch_cosine_shape()")
_window("gaussian", "torch_gaussian_shape({std=1.0})")
_window("kaiser", "torch_kaiser_shape({beta=12.0})")
_window("exponential", "torch_exponential_shape(center={center}, tau={tau}, sym={sym})")
