"""Names of JAX, flax and conversion's helpers, with the torch names that they replace.

They provide types in a file that is converted one fix at a time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from workbench.rules.rule import Rule
from workbench.targets.helpers import MODULE, HelperLibrary, Import
from workbench.upstream.facts import Facts
from workbench.upstream.ported import Ported

_ROOTS = frozenset({"jax", "flax", "optax"})
# Rules whose functions choose among names, and names whose result is another one in torch.
_CHOSEN = {
    "flax.nnx.Dropout": "torch.nn.Dropout",
    "flax.nnx.Embed": "torch.nn.Embedding",
    "flax.nnx.LayerNorm": "torch.nn.LayerNorm",
    "flax.nnx.Linear": "torch.nn.Linear",
    "flax.nnx.List": "torch.nn.ModuleList",
    "flax.nnx.Module": "torch.nn.Module",
    "flax.nnx.Param": "torch.nn.Parameter",
    "flax.nnx.Sequential": "torch.nn.Sequential",
    "jax.numpy.array": "torch.tensor",
    "jax.numpy.asarray": "torch.as_tensor",
    "jax.numpy.concatenate": "torch.cat",
    "jax.numpy.max": "torch.amax",
    "jax.numpy.min": "torch.amin",
    "jax.numpy.repeat": "torch.repeat_interleave",
    "jax.numpy.sort": "torch.msort",
    "jax.numpy.stack": "torch.stack",
    "jax.numpy.take": "torch.index_select",
    "TorchBatchNorm": "torch.nn.BatchNorm2d",
    "TorchConv": "torch.nn.Conv2d",
    "TorchConvTranspose": "torch.nn.ConvTranspose2d",
    "TorchDataLoader": "torch.utils.data.DataLoader",
    "TorchEmbedding": "torch.nn.Embedding",
    "TorchGroupNorm": "torch.nn.GroupNorm",
    "TorchRecurrent": "torch.nn.LSTM",
    "torch_gradient": "torch.clone",
    "torch_avg_pool": "torch.nn.functional.avg_pool2d",
    "torch_parameters": "torch.nn.Module.state_dict",
    "torch_state_dict": "torch.nn.Module.state_dict",
    "torch_max_pool": "torch.nn.functional.max_pool2d",
}
_METHODS = {"astype": "to", "copy": "clone"}
# Modules with many names of the same meaning.
_ALIKE = {"jax.numpy": "torch", "flax.nnx": "torch.nn.functional"}


def facts_with_ported(
    facts: Facts,
    rules: Callable[[], Iterable[Rule]],
    helpers: Callable[[], HelperLibrary],
    aliases: Mapping[str, Import],
) -> Facts:
    """Return torch's facts for programs that use names of JAX too; `rules` are read when needed."""

    def make() -> dict[str, str]:
        return _names(facts, rules(), helpers(), aliases)

    def source(name: str) -> str | None:
        return helpers()[name].source if name in helpers() else None

    return facts.with_ported(Ported(_ROOTS, MODULE, make, source, _METHODS))


def _names(
    facts: Facts, rules: Iterable[Rule], helpers: HelperLibrary, aliases: Mapping[str, Import]
) -> dict[str, str]:
    found = dict(_CHOSEN)
    for rule in rules:
        if rule.refusal is not None or ".Tensor." in rule.name:
            continue
        for text in (rule.value, *rule.templates):
            callee = _in_full((text or "").partition("(")[0], aliases)
            if callee in helpers or callee.partition(".")[0] in _ROOTS:
                found.setdefault(callee, rule.name)
    for module, other in _ALIKE.items():
        for name in facts.names:
            head, _, last = name.rpartition(".")
            if head == other:
                found.setdefault(f"{module}.{last}", name)
    for helper in helpers:
        last = helper.removeprefix("torch_")
        for other in _ALIKE.values():
            if helper != last and f"{other}.{last}" in facts.names:
                found.setdefault(helper, f"{other}.{last}")
    return found | {f"{MODULE}.{name}": of for name, of in found.items() if name in helpers}


def _in_full(callee: str, aliases: Mapping[str, Import]) -> str:
    """Return the full name of a callee in a template; empty if it is no dotted name."""
    if not re.fullmatch(r"\w+(\.\w+)*", callee):
        return ""
    head, dot, rest = callee.partition(".")
    known = aliases.get(head)
    if known is None:
        return callee
    full = f"{known.module}.{known.name}" if known.name else known.module
    return f"{full}{dot}{rest}"
