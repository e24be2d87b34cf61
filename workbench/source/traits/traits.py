"""The traits of one text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Traits:
    """The traits of one text.

    Attributes:
        read: names of members that are read, except a class's reads of what it sets on `self` and
            reads of options: `args.eps`, `self.config.eps`. Private names that are imported count
            too.
        asked: members that are read from other members and variables, `.conv.stride` and
            `conv.stride`; for those of `self` after the class: `Net/.conv.stride`; `.stride` if
            the owner has no name.
        called: names of functions and methods that are called.
        stored: names of members that are assigned, except those of `self`.
        keywords: names of keyword arguments.
        strings: string constants that are a name, as for `getattr` and dictionaries.
        modules: the first names of imports.
        bases: last names of the base classes of classes.
        initialised: layer classes of which every layer's weight or bias is initialised, by their
            last names: `Linear.weight` if `isinstance(m, nn.Linear)` encloses
            `init.normal_(m.weight)`; `head.weight` for a member called `head`, and
            `Net/head.weight` for a class that initialises its own.
        made: variables and members with the functions that create them, by class: `self.x =
            nn.Linear(...)` in `Net` is `Net.x=Linear`; `Net.x=` is another value and `Net.x=None`
            is None; that of a variable is `Net().x=Linear`.
        items: the functions that create the items of containers, by their names: `convs=Conv2d`
            for `self.convs.append(nn.Conv2d(...))`, `convs=` for another value.
        loops: variables with the containers that they iterate over: `conv=convs`.
        parameters: "weight" or "bias" if one is read except for its initialisation, after the
            last name of its owner: `head.weight`; `.blocks.weight` if the owner is a member or an
            item of one; `.weight` if it has no name.
        numbers: negative integers in the text, as text; and those of variables: `PAD=0`.
        shared: functions that are called with a tensor that is used elsewhere too: `self.act(x)`
            if `x` is not new, or if the result does not replace it.
        given: keywords and positions of the arguments of classes: `Linear.bias`, `Linear.#0`;
            `Linear.*` for starred arguments.
        in_place: functions that are called with `inplace=`, by their last names; "" for one without
            a name: `acts[kind](x, inplace=True)`.
        ways: calls of classes with their literal arguments: `BatchNorm2d(_, momentum=None)`.
        compared: classes that objects are tested for: `Linear` for `isinstance(m, nn.Linear)`,
            `=Linear` for `type(m) is nn.Linear` and for the name as text, `*` for a variable.
        passed_on: classes, by their last names, that are passed on instead of being called or
            tested for, and are not types: `norm=nn.BatchNorm2d`; after `partial ` for
            `functools.partial`.
        frozen: "parameters" if `requires_grad` is turned off for something.
        training: uses of optimizers and schedules, in the words of `training.py`.
        starred: functions that are called with starred arguments: `nn.Linear(*sizes)`.
        zeroed: "weight" if weights, or possible weights, are set to zeros.
        changed: last names of values that change in place: `x += y`, `x[0] = y`, `x.add_(y)`.
        filled: last names of the values that loops write to parameters: `weights` for `p.data =
            weights[name]`.
        floated: names in values that become floats: `k.float()`, `x.topk(2)[1] / 9`.
        held: "grad" if a reference to a gradient may exist when gradients are cleared.
        kept: last names of the variables that store values of parameters: `shadow[name] =
            p.clone()`.
        laid_out: "parameters" if a loop over parameters shows their layout: `p.shape`; "values" or
            "entries" if values are written at fixed positions of possible parameters or of entries
            of a state; "names" if the names of a state's entries are read; "changes" if each entry
            is changed in place.
        samples: data sets, and whether a loader accepts what they return: `Words=not taken`.
        takers: functions and classes that iterate over the parameters of a model that a caller
            passes: `def count(model): return len(list(model.parameters()))`.
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
    in_place: frozenset[str] = frozenset()
    ways: frozenset[str] = frozenset()
    compared: frozenset[str] = frozenset()
    passed_on: frozenset[str] = frozenset()
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
    """Return the traits of several parts of a text together."""
    found: dict[str, set[str]] = {}
    for one in parts:
        for name in NAMES:
            if words := getattr(one, name):
                found.setdefault(name, set()).update(words)
    return Traits(**{name: frozenset(words) for name, words in found.items()})


NAMES = tuple(one.name for one in fields(Traits))
