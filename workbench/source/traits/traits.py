"""The traits of one text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, NamedTuple

from workbench.source.traits.samples import Samples


class AttributeRead(NamedTuple):
    """A read of an attribute: `conv.stride`.

    Attributes:
        owner: the last name of what has the attribute; "" for the result of an expression.
        attribute: the attribute's name.
        of_member: whether the owner is a member of an object: `net.conv.stride`.
        cls: the class that reads its own member, as in `self.conv.stride`, else "".
    """

    owner: str
    attribute: str
    of_member: bool = False
    cls: str = ""


class Assigned(NamedTuple):
    """A variable or a member, with the function that creates its value.

    Attributes:
        name: the last name: `x` for `self.x = nn.Linear(3, 4)`.
        maker: the last name of the function; "None" for None, "" for any other value.
        holder: the enclosing class, "" for none; for `self.block.x`, the text `self.block`.
        is_variable: whether it is a variable of the text or of a function.
    """

    name: str
    maker: str
    holder: str = ""
    is_variable: bool = False

    @property
    def is_own(self) -> bool:
        """Whether it is a member that a class assigns to itself."""
        return not self.is_variable and self.holder.isidentifier()


class Contained(NamedTuple):
    """A container of layers, with the function that creates an item; "" for another value."""

    container: str
    maker: str


class Loop(NamedTuple):
    """A variable, and the container that it iterates over, by their last names."""

    variable: str
    container: str


class Initialised(NamedTuple):
    """A parameter that the text sets after the layer is created.

    Attributes:
        owner: the name of a member.
        parameter: "weight" or "bias".
        cls: the class that sets its own member, OF_OTHERS for a member of another object
            (`model.fc.weight`), or "" for either.
    """

    owner: str
    parameter: str
    cls: str = ""


class SetOfClass(NamedTuple):
    """A parameter that a function sets for the layers of a class: `if isinstance(m, nn.Linear)`.

    Attributes:
        cls: the class of the layers.
        parameter: "weight" or "bias".
        function: the function with the test, or "" for statements outside of functions.
    """

    cls: str
    parameter: str
    function: str


class Run(NamedTuple):
    """A function that is run on a whole model, or may be.

    Attributes:
        function: its name: `init_weights` in `self.apply(init_weights)`.
        of_self: whether a class runs it on itself.
    """

    function: str
    of_self: bool


class Argument(NamedTuple):
    """An argument in a call of a class or a function: a keyword, a position, or STARRED."""

    cls: str
    place: str | int


STARRED = "*"
OF_OTHERS = "."


class Construction(NamedTuple):
    """A call of a class.

    Attributes:
        cls: its last name.
        arguments: the code of literal arguments, and `_` for all others: `_`, `momentum=None`.
        is_partial: whether `functools.partial` gets the class and the arguments.
    """

    cls: str
    arguments: tuple[str, ...]
    is_partial: bool = False


class Appended(NamedTuple):
    """A statement that appends a layer: `layers.append(nn.ReLU(inplace=True))`.

    Attributes:
        text: the statement.
        before: the last name of the function that creates the layer before it, or "".
    """

    text: str
    before: str


class Compared(NamedTuple):
    """A class that objects are tested for.

    Attributes:
        cls: its last name; ANY_CLASS for a variable.
        exactly: whether the test is false for a subclass: `type(m) is nn.Linear`, or the class's
            name as text.
    """

    cls: str
    exactly: bool = False


ANY_CLASS = "*"


class PassedOn(NamedTuple):
    """A class that is passed on; `partly` if it is passed to `functools.partial`."""

    cls: str
    partly: bool = False


class SamplesOf(NamedTuple):
    """A class of data sets, and whether a loader accepts what it returns."""

    cls: str
    samples: Samples


class Named(NamedTuple):
    """A variable that is assigned a literal integer."""

    variable: str
    number: int


class Derived(NamedTuple):
    """A derivative that is taken by transforming a function: `d = grad(f)`.

    Attributes:
        name: the variable or the function that has the result, "" for none.
        order: the order of the derivative, as its statement shows it.
        names: last names in what is transformed.
    """

    name: str
    order: int
    names: frozenset[str]


class HolderKind(StrEnum):
    """What may hold a tensor."""

    VARIABLE = "variable"  # of a function; of a module if the function is ""
    MEMBER = "member"  # of any object
    PARAMETER = "parameter"  # of a function, by its position or keyword in a call
    INPUT = "input"  # of a layer, by its position or keyword in a call
    RESULT = "result"  # of a function
    NEEDED = "needed"  # the result of a function of torch that gradients may be computed from


class Holder(NamedTuple):
    """A variable, a member, or an argument or result of a function, which may hold a tensor.

    Attributes:
        kind: what it is.
        owner: the function; for an INPUT the layer's member or class, "" for any class.
        name: the name, position or keyword; "" for a result.
    """

    kind: HolderKind
    owner: str
    name: str | int


class Shares(NamedTuple):
    """Two holders, the second of which may get the tensor of the first one, or a part of it."""

    source: Holder
    target: Holder


class MayBeMask(NamedTuple):
    """A variable of a function whose values are moved, as by `F.pad`, and may be a boolean mask.

    Attributes:
        function: the name of the function.
        variable: the last name of the variable.
        place: the keyword or the position of the argument with which callers decide it; None if
            the function itself uses the variable as a mask.
    """

    function: str
    variable: str
    place: str | int | None = None


class Layout(StrEnum):
    """Uses of parameters and states that depend on their layout, order or names."""

    PARAMETERS = "parameters"  # a loop over parameters shows their layout: `p.shape`
    RESULTS = "results"  # a module's variable has parameters, which nothing in the text reads
    VALUES = "values"  # values are written at fixed positions of possible parameters
    ENTRIES = "entries"  # values are written at fixed positions of entries of a state
    NAMES = "names"  # the names of a state's entries are read
    CHANGES = "changes"  # each entry of a state is changed in place
    WRITES = "writes"  # values of a state are changed in place where gradients are recorded


class Training(StrEnum):
    """Uses of optimizers and schedules."""

    ODD = "odd"  # an argument, a class or a member that only torch's structure supports
    MAKES = "makes"  # it creates an optimizer of any class
    SCHEDULES = "schedules"  # it creates a schedule
    LOADS_STATE = "loads state"  # optimizer.load_state_dict(...)
    SAVES_SCHEDULE = "saves schedule"  # scheduler.state_dict(), scheduler.load_state_dict(...)
    RESTARTS = "restarts"  # CosineAnnealingWarmRestarts(...)
    SAVES_ARRAYS = "saves arrays"  # torch.save(numpy.ones(2), path)
    READS_RATE = "reads rate"  # optimizer.param_groups[0]["lr"]
    SETS_RATE = "sets rate"  # for g in optimizer.param_groups: g["lr"] = rate
    SCALES_RATE = "scales rate"  # for g in optimizer.param_groups: g["lr"] *= 0.1
    OWN = "own optimizer"  # class Lion(Optimizer)
    BASE_NEEDED = "base needed"  # a use that needs a common base class of all optimizers


@dataclass(frozen=True, slots=True)
class Traits:
    """The traits of one text.

    Attributes:
        read: names of members that are read, except a class's reads of what it sets on `self` and
            reads of options: `args.eps`, `self.config.eps`. Private names that are imported count
            too.
        asked: reads of attributes of variables and of members.
        called: names of functions and methods that are called.
        stored: names of members that are assigned, except those of `self`.
        keywords: names of keyword arguments.
        strings: string constants that are a name, as for `getattr` and dictionaries.
        modules: the first names of imports.
        imported: names that are imported from torch.
        bases: last names of the base classes of classes.
        initialised: parameters of members that the text sets.
        set_of_class: parameters that functions set for all layers of a class that they are given.
        runs: functions that are run on whole models.
        made: variables and members with the functions that create them.
        items: containers with the functions that create their items: `self.convs.append(nn.Conv2d(
            ...))`.
        loops: variables with the containers that they iterate over.
        parameters: reads of `weight` or `bias`, except for its initialisation.
        numbers: negative integers in the text.
        named: variables with the literal integers that they are assigned: `PAD = 0`.
        appended: statements of functions that append a layer to a sequence.
        shared: functions that are called with a tensor that is used elsewhere too: `self.act(x)`
            if `x` is not new, or if the result does not replace it.
        given: arguments in calls of classes.
        in_place: functions that are called with `inplace=`, by their last names; "" for one without
            a name: `acts[kind](x, inplace=True)`.
        ways: calls of classes.
        compared: classes that objects are tested for.
        reads_class_names: whether the name of an object's class is read: `type(m).__name__`.
        extends_train: whether a class has a `train` of its own that calls its base's.
        passed_on: classes that are passed on instead of being called or tested for, and are not
            types: `norm=nn.BatchNorm2d`.
        freezes: whether `requires_grad` is turned off for something.
        evaluates: whether a model is switched to evaluation: `model.eval()`, `model.train(False)`.
        training: uses of optimizers and schedules.
        opened: variables that hold an open file.
        arrays: variables whose NumPy arrays become tensors: `torch.from_numpy(data[1:])`.
        group_keys: keys of parameter groups, except `params` and `name`.
        parts: variables that hold a schedule of a sequence.
        starred: functions that are called with starred arguments: `nn.Linear(*sizes)`.
        zeros_weights: whether weights, or possible weights, are set to zeros.
        zeros_biases: whether biases of layers other than normalisations are set to zeros.
        changed: last names of values that change in place: `x += y`, `x[0] = y`, `x.add_(y)`.
        filled: last names of the values that loops write to parameters: `weights` for `p.data =
            weights[name]`.
        floated: names in values that become floats: `k.float()`, `x.topk(2)[1] / 9`.
        holds_gradients: whether a reference to a gradient may exist when gradients are cleared.
        gradients: last names of gradients that keep their graph.
        differentiated: last names in what such gradients differentiate.
        derived: derivatives that are taken by transforming functions, or by `backward`.
        run_in_backward: functions that may run in a backward pass, of a text that takes gradients;
            "" for lambda expressions.
        kept: last names of the variables that store values of parameters: `shadow[name] =
            p.clone()`.
        complex_parameters: whether a parameter is made of complex numbers.
        laid_out: uses of parameters and states that depend on their layout.
        samples: data sets, and whether a loader accepts what they return.
        takers: functions and classes that iterate over the parameters of a model that a caller
            passes: `def count(model): return len(list(model.parameters()))`.
        masks: arguments in calls of functions that are boolean masks.
        may_be_masks: variables whose values are moved and may be a boolean mask.
        shares: how tensors get from variables to others: by assignments, loops and calls.
        rewritten: variables and members whose tensors change in place.
        files: names of the files and folders of the program, as its imports spell them.
    """

    read: frozenset[str] = frozenset()
    asked: frozenset[AttributeRead] = frozenset()
    called: frozenset[str] = frozenset()
    stored: frozenset[str] = frozenset()
    keywords: frozenset[str] = frozenset()
    strings: frozenset[str] = frozenset()
    modules: frozenset[str] = frozenset()
    imported: frozenset[str] = frozenset()
    bases: frozenset[str] = frozenset()
    initialised: frozenset[Initialised] = frozenset()
    set_of_class: frozenset[SetOfClass] = frozenset()
    runs: frozenset[Run] = frozenset()
    made: frozenset[Assigned] = frozenset()
    items: frozenset[Contained] = frozenset()
    loops: frozenset[Loop] = frozenset()
    parameters: frozenset[AttributeRead] = frozenset()
    numbers: frozenset[int] = frozenset()
    named: frozenset[Named] = frozenset()
    shared: frozenset[str] = frozenset()
    appended: frozenset[Appended] = frozenset()
    given: frozenset[Argument] = frozenset()
    in_place: frozenset[str] = frozenset()
    ways: frozenset[Construction] = frozenset()
    compared: frozenset[Compared] = frozenset()
    reads_class_names: bool = False
    extends_train: bool = False
    passed_on: frozenset[PassedOn] = frozenset()
    freezes: bool = False
    evaluates: bool = False
    training: frozenset[Training] = frozenset()
    opened: frozenset[str] = frozenset()
    arrays: frozenset[str] = frozenset()
    group_keys: frozenset[str] = frozenset()
    parts: frozenset[str] = frozenset()
    starred: frozenset[str] = frozenset()
    zeros_weights: bool = False
    zeros_biases: bool = False
    changed: frozenset[str] = frozenset()
    filled: frozenset[str] = frozenset()
    floated: frozenset[str] = frozenset()
    holds_gradients: bool = False
    complex_parameters: bool = False
    gradients: frozenset[str] = frozenset()
    differentiated: frozenset[str] = frozenset()
    derived: frozenset[Derived] = frozenset()
    run_in_backward: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()
    laid_out: frozenset[Layout] = frozenset()
    samples: frozenset[SamplesOf] = frozenset()
    takers: frozenset[str] = frozenset()
    masks: frozenset[Argument] = frozenset()
    may_be_masks: frozenset[MayBeMask] = frozenset()
    shares: frozenset[Shares] = frozenset()
    rewritten: frozenset[Holder] = frozenset()
    files: frozenset[str] = frozenset()

    def __or__(self, other: Traits) -> Traits:
        return together((self, other))


def together(parts: Iterable[Traits]) -> Traits:
    """Return the traits of several parts of a text together."""
    found = Gathered()
    for one in parts:
        found.add(one)
    return found.traits()


class Gathered:
    """Traits that are being gathered.

    Attributes:
        sets: the traits that are sets, by name.
        true: the names of those that are true.
    """

    def __init__(self) -> None:
        self.sets: defaultdict[str, set[Any]] = defaultdict(set)
        self.true: set[str] = set()

    def add(self, part: Traits) -> None:
        """Add the traits of a part of the text."""
        for name in _NAMES:
            if found := getattr(part, name):
                if found is True:
                    self.true.add(name)
                else:
                    self.sets[name] |= found

    def join(self, other: Gathered) -> None:
        """Add the traits that were gathered from a part of the text."""
        self.true |= other.true
        for name, found in other.sets.items():
            self.sets[name] |= found

    def traits(self) -> Traits:
        """Return the traits gathered so far."""
        found: dict[str, Any] = dict.fromkeys(self.true, True)
        found |= {name: frozenset(one) for name, one in self.sets.items() if one}
        return Traits(**found)


_NAMES = tuple(one.name for one in fields(Traits))
