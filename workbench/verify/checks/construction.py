"""Check that both sides have the same tensors and train the same ones."""

from __future__ import annotations

from collections.abc import Collection

import torch

from workbench.targets.port import PortTensor
from workbench.verify.pairing.bound import Pair
from workbench.verify.pairing.candidates import Pairing
from workbench.verify.pairing.layout import SUM
from workbench.verify.pairing.maps import quoted
from workbench.verify.result import Check, Figure, Outcome, Where
from workbench.verify.sides.places import Births
from workbench.verify.sides.sides import Sides

_ORDERS = {
    "used": "in the order in which both sides use them",
    "defined": "in the order in which both sides create them",
    "names": "by the similarity of their names",
}
_SHOWN = 3  # doubtful pairs in a message


def construction(sides: Sides, pairing: Pairing, births: Births) -> Check:
    """Compare the tensors of both sides, and which of them are trained."""
    check = Check("construction")
    trained = {name for name, p in sides.ours.named_parameters() if p.requires_grad}
    parameters = {name for name, _ in sides.ours.named_parameters()}
    for name in pairing.ours_left:
        if name in parameters - sides.frozen:
            check.figures.append(Figure(name, False, reason="the port has no such parameter"))
            check.places.append(_made(sides, births, name, "has no counterpart in the port"))
    for name, held in _left(sides, pairing).items():
        if held.trained:
            check.figures.append(Figure(name, False, reason="the original has no such parameter"))
            place = str(births.of(sides.ports.owner(sides.theirs, name)) or "")
            check.places.append(Where(place, "", f"the original has no {name}"))
    for bound in sides.bound():
        if bound.pair.layout == SUM:
            _one_bias(sides, births, bound.pair, check)
        asks = any(held.trained for held in bound.held)
        if bound.pair.ours[0] in parameters and asks != (bound.pair.ours[0] in trained):
            side = "the port" if asks else "the original"
            reason = f"is trained only in {side}"
            check.figures.append(Figure(bound.pair.name, False, reason=reason))
            owner = sides.ports.owner(sides.theirs, bound.pair.theirs[0])
            place = str(births.of(owner) or births.of(sides.theirs) or "")
            check.places.append(Where(place, "", f"{bound.pair.name} {reason}"))
    check.summary = f"{len(sides.pairs)} tensors paired"
    sums = [pair.name for pair in sides.pairs if pair.layout == SUM]
    if sums:
        check.summary += (
            f"; a single tensor in the port, trained as one on both sides: {', '.join(sums)}"
        )
    frozen = [name for name in pairing.ours_left if name in sides.frozen]
    if check.settle().outcome is Outcome.AGREES and frozen:
        check.outcome = Outcome.REPORTED  # the passes show whether the port needs it
        check.summary += f"; frozen, without a counterpart in the port: {', '.join(frozen)}"
    return check


def kept_unknown(sides: Sides, pairing: Pairing) -> str:
    """Return a message if both sides have equally many unpaired weights in an unknown layout, else
    "".

    No weight is missing then, so this is no evidence that the port is wrong.
    """
    ours = {n: p for n, p in sides.ours.named_parameters() if n in pairing.ours_left}
    theirs = {name: held for name, held in _left(sides, pairing).items() if held.trained}
    count = sum(weight.numel() for weight in ours.values())
    if not ours or count != sum(held.read().numel() for held in theirs.values()):
        return ""
    return (
        f"{_listed(ours)} of the original and {_listed(theirs)} of the port have {count}"
        " numbers each, and the layout in the port was not found; give it with --map"
        " ORIGINAL=PORT, such as --map 'a.weight + b.weight=both:stack'"
    )


def _listed(names: Collection[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(list(names)[:_SHOWN]) + more


def assumed(pairing: Pairing) -> Check:
    """Report the order that paired tensors of one shape where nothing else distinguishes them."""
    maps = [f"--map {quoted(other)}" for _, other in pairing.doubtful]
    more = f", and {len(maps) - _SHOWN} more" if len(maps) > _SHOWN else ""
    return Check(
        "pairing",
        Outcome.REPORTED,
        f"tensors of one shape were paired {_ORDERS[pairing.order]}, which is an assumption: the"
        f" sides differ either way. If it is wrong, say {' '.join(maps[:_SHOWN])}{more};"
        " --save-map FILE writes both readings",
    )


def _one_bias(sides: Sides, births: Births, pair: Pair, check: Check) -> None:
    """Report a GRU's missing second bias: the reset gate acts on it, so the biases cannot be
    summed.
    """
    *_, inner = pair.ours
    owner = sides.ours.get_submodule(inner.rpartition(".")[0])
    if isinstance(owner, torch.nn.GRU | torch.nn.GRUCell):
        reason = "the port adds no bias after its reset gate; it is zero in the following checks"
        check.figures.append(Figure(inner, False, reason=reason))
        check.places.append(_made(sides, births, inner, "is missing after the reset gate"))


def _made(sides: Sides, births: Births, name: str, what: str) -> Where:
    path = name.rpartition(".")[0]
    owner = sides.ours.get_submodule(path)
    # The port's counterpart of the module, if any other tensor of that module is paired.
    siblings = (p.theirs[0] for p in sides.pairs if p.ours[0].rpartition(".")[0] == path)
    theirs = next((sides.ports.owner(sides.theirs, one) for one in siblings), sides.theirs)
    place = str(births.of(theirs) or births.of(sides.theirs) or "")
    return Where(place, str(births.of(owner) or ""), f"{name} {what}")


def _left(sides: Sides, pairing: Pairing) -> dict[str, PortTensor]:
    held = sides.ports.held(sides.theirs)
    return {name: held[name] for name in pairing.theirs_left}
