"""Names that no other file has a rule for: parts of what is refused, and torch's inside."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from pathlib import Path

from workbench.rules.outcome import Refusal
from workbench.rules.rule import Rule, RuleSet
from workbench.upstream.facts import load

rules = RuleSet()

# By the start of their names: the reason, and the way to go.
_FAMILIES: dict[str, tuple[str, str | None]] = {
    "torch.return_types": (
        "the functions here return named tuples of their own",
        "isinstance(result, tuple)",
    ),
    "torch.masked": (
        "Paddle has no masked tensors",
        "torch.where with a value that leaves the result as it is",
    ),
    "torch.nested": ("Paddle has no nested tensors", "a padded tensor with a mask"),
    "torch.overrides": ("Paddle's functions cannot be overridden by classes", None),
    "torch.storage": ("Paddle shows no storage under its tensors", None),
    "torch.types": ("it is there for annotations of torch", "paddle.Tensor, int, float"),
    "torch.quasirandom": ("Paddle draws no quasi-random numbers", "scipy.stats.qmc.Sobol"),
    "torch.version": ("it tells how torch was built", "paddle.version"),
    "torch.sparse": (
        "Paddle's sparse tensors, COO and CSR, have no such operation",
        "paddle.sparse",
    ),
    "torch.fx": ("Paddle traces no Python into torch's graphs", "paddle.jit.to_static"),
    "torch.nn.parallel": (
        "Paddle spreads work over processes, one for each device",
        "paddle.DataParallel, paddle.distributed",
    ),
    "torch.nn.utils.rnn": ("Paddle has no packed sequences of torch's kind", None),
    "torch.utils.dlpack": ("Paddle exchanges tensors without such an enumeration", None),
    "torch.utils.hooks": ("it belongs to the inside of torch's hooks", "the handle's `remove()`"),
    "torch.utils": ("it belongs to the inside of torch", None),
    "torch._dynamo": ("nothing is compiled", "paddle.jit.to_static"),
    "torch._C": ("it belongs to the inside of torch", None),
    "torch.accelerator": ("Paddle names its devices one by one", "paddle.device"),
    "torch.mtia": ("Paddle has no such device", None),
    "torch.distributed": ("Paddle's processes work in another way", "paddle.distributed"),
    "torch.autograd": ("Paddle shows no such part of its graph", "paddle.autograd.PyLayer"),
    "torch.cuda": ("Paddle offers no such view of a GPU", "paddle.device.cuda"),
    "torch.Script": ("Paddle has no TorchScript", "paddle.jit.to_static"),
    "torch.Lite": ("Paddle has no TorchScript", "paddle.jit.to_static"),
    "torch.sparse_": (
        "Paddle's sparse tensors are COO and CSR, made by functions of their own",
        "torch.sparse_coo_tensor, torch.sparse_csr_tensor",
    ),
    "torch.cond": ("it is for graphs that torch exports", "paddle.static.nn.cond"),
    "torch.while_loop": ("it is for graphs that torch exports", "paddle.static.nn.while_loop"),
    "torch.fork": ("Paddle has no futures", "concurrent.futures"),
    "torch.wait": ("Paddle has no futures", "concurrent.futures"),
    "torch.Future": ("Paddle has no futures", "concurrent.futures"),
    "torch.Stream": ("Paddle's streams are those of a GPU", "paddle.device.cuda.Stream"),
    "torch.Event": ("Paddle's events are those of a GPU", "paddle.device.cuda.Event"),
    "torch.nn": ("nothing is written for this part of it yet", None),
    "torch": ("it belongs to the inside of torch", None),
}


def _ruled() -> dict[str, Rule]:
    """The rules of all other files of this folder."""
    folder = Path(__file__).parent
    package = __name__.rpartition(".")[0]
    own = __name__.rpartition(".")[2]
    found = {}
    for module in pkgutil.iter_modules([str(folder)]):
        if module.name != own:
            for rule in import_module(f"{package}.{module.name}").rules.rules:
                found[rule.name] = rule
    return found


_RULED = _ruled()
_FACTS = load()
_STARTS = sorted(_FAMILIES, key=len, reverse=True)


def _overrides(name: str) -> bool:
    """True for a member of a base class that has a rule, which holds here too."""
    owner, _, member = name.rpartition(".")
    above = (f"{base}.{member}" for base in _FACTS.bases(owner))
    return any(base in _RULED or _overrides(base) for base in above)


def _refusal(name: str) -> Refusal:
    """That of the class which the name belongs to, else that of its family."""
    owner = _RULED.get(name.rpartition(".")[0])
    if owner is not None and owner.refusal is not None:
        return owner.refusal
    start = next(start for start in _STARTS if name.startswith(start))
    reason, instead = _FAMILIES[start]
    return Refusal(reason, instead)


for _name in sorted(_FACTS.names - _RULED.keys()):
    if _FACTS.is_module(_name) or _overrides(_name):
        continue
    _found = _refusal(_name)
    rules.refuse(_name, reason=_found.reason, instead=_found.instead)
