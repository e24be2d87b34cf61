"""Common parts of the rules of torchvision: functions of images, members of classes, networks."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from workbench.rules.match import NOT_CONSTANT, Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet
from workbench.source.types.lattice import TorchObject, Value
from workbench.upstream.facts import load

_CALLED = frozenset({"__init__", "__call__", "forward"})


def image_function(rules: RuleSet, name: str, helper: str, note: str | None = None) -> None:
    """Add a rule for a function of `torchvision.transforms.functional` with a helper of equal
    arguments.
    """
    rules.row(
        f"torchvision.transforms.functional.{name}",
        f"{helper}(...)",
        value=helper,
        note=note,
    )


def keep_members(rules: RuleSet, name: str) -> None:
    """Add rules for the attributes and the call of a class that its helper has unchanged."""
    for one in sorted(load().inside(name)):
        entry = load().get(one)
        attribute = entry is not None and entry.kind == "attribute"
        if attribute or one.rpartition(".")[2] in _CALLED:
            rules.keep(one)


def transform(rules: RuleSet, name: str) -> None:
    """Add rules for a class of `torchvision.transforms` and its members."""
    rules.counterpart(f"torchvision.transforms.{name}", f"Torch{name}")
    keep_members(rules, f"torchvision.transforms.{name}")


_DOWNLOADED = Refusal(
    "it downloads weights of torch",
    "load the model in torch, save its state_dict, and convert it with `torchferry"
    " weights`; without `weights=` the call makes the same layers",
)
NOT_DOWNLOADED = "no weights are downloaded: if some are requested, it raises an error"


def passed_network(call: str) -> str:
    """Return the value for a network function that is passed on, from its `call`: `Net(2, {})`."""
    name, _, fixed = call.removesuffix(")").partition("(")
    return f"torch_network({', '.join(filter(None, (name, fixed.replace('{}', '').rstrip(', '))))})"


def networks(rules: RuleSet, calls: Mapping[str, tuple[str, Sequence[str]]]) -> None:
    """Add a rule for each function that makes a network.

    Args:
        rules: where they are added.
        calls: by the function's name, the call that creates it, and its other arguments.
    """

    def decide(match: Match) -> Outcome:
        call, options = calls[match.use.name.rpartition(".")[2]]
        return network(match, call, options)

    for name, (call, _) in calls.items():
        value = passed_network(call)
        rules.rule(
            f"torchvision.models.{name}",
            value=value,
            unpacked=f"{value}(...)",
            note=NOT_DOWNLOADED,
        )(decide)


def network(match: Match, call: str, options: Sequence[str]) -> Outcome:
    """Return the outcome for a network by its name, whose weights are drawn at random.

    Args:
        match: the use.
        call: the call that creates it, `Net(2, {})`.
        options: the other arguments that may be given.
    """
    given = ", ".join(f"{name}={{{name}}}" for name in options)
    unseen = False
    for name in ("weights", "pretrained"):
        if name not in match or match.constant(name) in (None, False):
            continue
        chosen = isinstance(match.arguments[name].node, ast.IfExp)  # perhaps None
        if match.constant(name) is not NOT_CONSTANT or (
            not chosen and _are_weights(match.value(name))
        ):
            return _DOWNLOADED
        unseen = True
    if not unseen:
        taken = frozenset({"weights", "progress", "pretrained", "memory_efficient"})
        return Rewrite(call.format(given), consumed=taken)
    return Rewrite(
        f"{passed_network(call)}(weights={{weights}}, pretrained={{pretrained}}, {given})",
        consumed=frozenset({"progress", "memory_efficient"}),
        caveat=NOT_DOWNLOADED,
    )


def _are_weights(value: Value) -> bool:
    class_name = value.name if isinstance(value, TorchObject) else getattr(value, "cls", "")
    return "_Weights" in str(class_name)
