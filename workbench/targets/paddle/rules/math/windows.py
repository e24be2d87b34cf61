"""torch.signal.windows."""

from __future__ import annotations

import re

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.rules.rule import RuleSet
from workbench.targets.paddle.creating import IGNORED, problem
from workbench.upstream.facts import load

rules = RuleSet()

_MAKING = ", {M}, sym={sym}, dtype={dtype}, device={device}, requires_grad={requires_grad})"


_PLACEHOLDER = re.compile(r"\{(\w+)(?:=([^{}]*))?\}")


def _named(name: str, shape: str) -> str:
    """A lambda for calls that pass arguments on, which `_MAKING` names one by one."""
    entry = load().get(f"torch.signal.windows.{name}")
    assert entry is not None
    taken = [
        p.name if p.default is None else f"{p.name}={p.default if p.name != 'layout' else None}"
        for p in entry.signatures[0].parameters[1:]
    ]
    made = "M, sym, dtype, device, requires_grad"
    shape = _PLACEHOLDER.sub(r"\1", shape)
    return f"(lambda M, *, {', '.join(taken)}: torch_signal_window({shape}, {made}))(...)"


def _window(name: str, shape: str, cases: list[str]) -> None:
    """A window of the samples that a helper of the same name shapes."""

    full = f"torch.signal.windows.{name}"

    @rules.rule(
        full,
        cases=[
            *(f"{full}({case})" for case in cases),
            *(
                f"how = dict({case})\nargs = [7]\n{full}(*args, **how)"
                for case in ("a=[0.5, 0.5]" if name == "general_cosine" else "sym=False",)
            ),
        ],
        unpacked=_named(name, shape),
    )
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
    _window(
        _name,
        f"torch_general_cosine_shape({_weights})",
        [
            "8",
            "7, sym=False",
            "M=1",
            "0",
            "5, dtype=torch.float64, requires_grad=True",
        ],
    )
_window("hamming", "torch_general_cosine_shape([0.54, 0.46])", ["8", "6, sym=False"])
_window(
    "general_hamming",
    "torch_general_cosine_shape([{alpha=0.54}, 1 - {alpha=0.54}])",
    ["8", "M=6, alpha=0.5, sym=False"],
)
_window(
    "general_cosine",
    "torch_general_cosine_shape({a})",
    [
        "8, a=[0.46, 0.23, 0.31]",
        "M=5, a=(0.5, 0.5), sym=False, dtype=torch.float64",
    ],
)
_window("bartlett", "torch_bartlett_shape()", ["8", "7, sym=False", "1"])
_window("cosine", "torch_cosine_shape()", ["8", "7, sym=False", "1"])
_window("gaussian", "torch_gaussian_shape({std=1.0})", ["8", "M=7, std=0.9, sym=False"])
_window("kaiser", "torch_kaiser_shape({beta=12.0})", ["8", "M=7, beta=3.5, sym=False"])
_window(
    "exponential",
    "torch_exponential_shape(center={center}, tau={tau}, sym={sym})",
    ["8", "10, tau=2.0", "M=7, center=2, tau=1.5, sym=False", "6, sym=False"],
)
