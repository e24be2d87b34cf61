"""The record of what one text shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Traits:
    """What one text shows.

    Attributes:
        read: names of members that are read, without a class's reads of what it puts into `self`
            and without what is read of options: `args.eps`, `self.config.eps`; and those that are
            imported though they are private.
        asked: what is read of members and variables, `.conv.stride` and `conv.stride`; of those of
            `self` behind the class: `Net/.conv.stride`; `.stride` of what has no name.
        called: names of functions and methods that are called.
        stored: names of members that are assigned, without those of `self`.
        keywords: names of keyword arguments.
        strings: string constants that are a name, as `getattr` and dictionaries take them.
        modules: the first names of what is imported.
        bases: last names of the base classes of classes.
        initialised: layer classes of which every layer's weight or bias is initialised, by their
            last names: `Linear.weight` where `isinstance(m, nn.Linear)` is around
            `init.normal_(m.weight)`; and `head.weight` where that of a member called `head` is,
            `Net/head.weight` where a class does so with its own.
        made: variables and members, with what is called to make them, by class: `self.x =
            nn.Linear(...)` in `Net` is `Net.x=Linear`, and `Net.x=` where something else is put
            there, `Net.x=None` where that is nothing; a variable's is `Net().x=Linear`.
        items: what is called to make what containers are given, by their names: `convs=Conv2d` of
            `self.convs.append(nn.Conv2d(...))`, `convs=` of anything else.
        loops: variables, with the containers that they go through: `conv=convs`.
        parameters: "weight" or "bias" where one is read for anything but its initialisation,
            behind the last name of the object that it is read of: `head.weight`, with a dot before
            it where that is a member, or an item of one: `.blocks.weight`; `.weight` where it has
            no name.
        numbers: whole numbers below zero that the text says, as text; and those of variables:
            `PAD=0`.
        shared: what is called with a tensor that is looked at elsewhere, too: `self.act(x)` where
            `x` is not new, or is not what the result replaces.
        given: keywords that classes are called with, and places: `Linear.bias`, `Linear.#0`;
            `Linear.*` of what stars unpack.
        ways: how classes are called, with their literal arguments: `BatchNorm2d(_, momentum=None)`.
        compared: classes that objects are tested for: `Linear` of `isinstance(m, nn.Linear)`,
            `=Linear` of `type(m) is nn.Linear` and of the name as text, `*` of a variable.
        handed: classes, by their last names, that are neither called nor tested for where they are
            named, nor types, but handed on: `norm=nn.BatchNorm2d`; behind `partial ` where
            `functools.partial` takes them.
        frozen: "parameters" where something is told not to ask for gradients.
        training: what is asked of optimizers and schedules, in the words of `training.py`.
        starred: what is called with arguments that stars unpack: `nn.Linear(*sizes)`.
        zeroed: "weight" where weights, or what may be some, are set to zeros.
        changed: last names of what is changed in place: `x += y`, `x[0] = y`, `x.add_(y)`.
        filled: last names of what loops over parameters fill these with: `weights` of `p.data =
            weights[name]`.
        floated: names that lead to what is made floats of: `k.float()`, `x.topk(2)[1] / 9`.
        held: "grad" where a gradient may be held when gradients are cleared.
        kept: last names of what values of parameters are put into: `shadow[name] = p.clone()`.
        laid_out: "parameters" where a loop over parameters shows how these are laid out: `p.shape`;
            "values" or "entries" where values are written at certain places of what may be
            parameters, or entries of a state; "names" where it is shown which entries a state has;
            "changes" where each of them is changed in place.
        samples: data sets, with whether a loader takes what they return: `Words=not taken`.
        takers: functions and classes that go through the parameters of a model that their callers
            give: `def count(model): return len(list(model.parameters()))`.
        files: names of the files and folders of the program, as its imports spell them.
    """

    read: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()
    called: frozenset[str] = frozenset()
    stored: frozenset[str] = frozenset()
    keywords: frozenset[str] = frozenset()
    strings: frozenset[str] = frozenset()
    modules: frozenset[str] = frozenset()
    bases: frozenset[str] = frozenset()
    initialised: frozenset[str] = frozenset()
    made: frozenset[str] = frozenset()
    items: frozenset[str] = frozenset()
    loops: frozenset[str] = frozenset()
    parameters: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()
    given: frozenset[str] = frozenset()
    ways: frozenset[str] = frozenset()
    compared: frozenset[str] = frozenset()
    handed: frozenset[str] = frozenset()
    frozen: frozenset[str] = frozenset()
    training: frozenset[str] = frozenset()
    starred: frozenset[str] = frozenset()
    zeroed: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    filled: frozenset[str] = frozenset()
    floated: frozenset[str] = frozenset()
    held: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()
    laid_out: frozenset[str] = frozenset()
    samples: frozenset[str] = frozenset()
    takers: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()

    def __or__(self, other: Traits) -> Traits:
        return together((self, other))


def together(parts: Iterable[Traits]) -> Traits:
    """What several parts of a text show."""
    found: dict[str, set[str]] = {}
    for one in parts:
        for name in NAMES:
            if words := getattr(one, name):
                found.setdefault(name, set()).update(words)
    return Traits(**{name: frozenset(words) for name, words in found.items()})


NAMES = tuple(one.name for one in fields(Traits))
