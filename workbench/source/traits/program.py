"""Traits of a program's text as a whole: the members that it reads, what it initialises, and so on.

Plain forms use them to decide whether the program can observe a difference at all. A project has
the traits of one program, since a layer that is created in one file may be used in another.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from workbench.source.traits import containers, given_models
from workbench.source.traits.derivatives import highest_order
from workbench.source.traits.samples import Samples
from workbench.source.traits.sharing import NEEDED, NEEDING_LAYERS, needed_of
from workbench.source.traits.traits import (
    ANY_CLASS,
    OF_OTHERS,
    Argument,
    Assigned,
    AttributeRead,
    Compared,
    Construction,
    Holder,
    HolderKind,
    Initialised,
    Layout,
    PassedOn,
    Run,
    SamplesOf,
    Shares,
    Training,
    Traits,
)
from workbench.words import words

# Methods that return the parameters of a model, or replace them.
_GIVING_PARAMETERS = ("parameters", "named_parameters", "state_dict", "load_state_dict")
# Functions that take a derivative of a derivative.
_SECOND = frozenset({"hessian", "hvp", "vhp", "jvp", "linearize"})
# The member in which torch's wrappers, such as `DataParallel` and `AveragedModel`, hold a module.
_WRAPPED = "module"
# Layers whose weight has the same layout everywhere.
_NEVER_LINEAR = frozenset(
    words(
        "Embedding EmbeddingBag LayerNorm GroupNorm RMSNorm PReLU BatchNorm1d BatchNorm2d "
        "BatchNorm3d SyncBatchNorm InstanceNorm1d InstanceNorm2d InstanceNorm3d Conv1d Conv2d "
        "Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d CrossEntropyLoss NLLLoss "
        "BCELoss BCEWithLogitsLoss"
    )
)


_Arguments = ParamSpec("_Arguments")
_Answer = TypeVar("_Answer")
# A question to a program: the name of the query, and its arguments.
Question = tuple[str, tuple[Hashable, ...], tuple[tuple[str, Hashable], ...]]


def _query(
    method: Callable[Concatenate[Program, _Arguments], _Answer],
) -> Callable[Concatenate[Program, _Arguments], _Answer]:
    """Record the answers of a query if the program records them; supposed answers come first."""

    @wraps(method)
    def ask(self: Program, /, *args: _Arguments.args, **options: _Arguments.kwargs) -> _Answer:
        if self.noted is None:
            return method(self, *args, **options)
        given = tuple((name, _hashable(value)) for name, value in options.items())
        question = (method.__name__, tuple(map(_hashable, args)), given)
        known = question in self.supposed
        answer = self.supposed[question] if known else method(self, *args, **options)
        self.noted[question] = answer
        return answer

    return ask


def _hashable(value: Any) -> Hashable:
    text = isinstance(value, str)
    return tuple(value) if isinstance(value, Collection) and not text else value


class _Texts:
    """The traits of some texts, the first one's own and all together."""

    def __init__(
        self, texts: Sequence[Callable[[], Traits]], together: Callable[[], Traits] | None
    ) -> None:
        self.parts = texts
        self._together = together

    @cached_property
    def own(self) -> Traits:
        return self.parts[0]() if self.parts else Traits()

    @cached_property
    def shown(self) -> Traits:
        if self._together is not None:
            return self._together()
        found = self.own
        for text in self.parts[1:]:
            found |= text()
        return found

    @cached_property
    def tables(self) -> _Tables:
        return _tables_of(self.shown.made, self.shown.shares)


class _Tables:
    """What a program assigns, and what shares a tensor, by name.

    `needed` has the holders that may have the result of a function that its gradient needs; None
    until it is asked for.
    """

    def __init__(self, made: frozenset[Assigned], shares: frozenset[Shares]) -> None:
        self.needed: frozenset[Holder] | None = None
        self.made: Mapping[str, list[Assigned]] = defaultdict(list)
        for one in made:
            self.made[one.name].append(one)
        self.shared: Mapping[Holder, list[Holder]] = defaultdict(list)
        for each in shares:
            self.shared[each.source].append(each.target)


@lru_cache(maxsize=1)  # the files of a project have the same
def _tables_of(made: frozenset[Assigned], shares: frozenset[Shares]) -> _Tables:
    return _Tables(made, shares)


class Program:
    """The traits of a text or of a whole project, computed when they are first needed.

    `noted` has the questions with their answers if they are recorded. `counterparts` maps the names
    of torch classes to the classes that replace them, if the program compares classes. A class in
    `split` must not be converted to Paddle's own form.
    """

    def __init__(
        self,
        *texts: Callable[[], Traits],
        split: frozenset[str] = frozenset(),
        counterparts: Mapping[str, str] | None = None,
        together: Callable[[], Traits] | None = None,
    ) -> None:
        """Take the traits of some texts; `together` returns those of all, if they are known."""
        self._texts = _Texts(texts, together)
        self._split = split
        self._counterparts = counterparts or {}
        self.noted: dict[Question, Any] | None = None
        self.supposed: Mapping[Question, Any] = {}

    def noting(self) -> Program:
        """Return the same program, which records the questions and their answers."""
        found = self.agreed(self._split, self._counterparts)
        found.noted = {}
        return found

    def supposing(self, question: Question, answer: Any) -> Program:
        """Return the same program with another answer to one question."""
        found = self.noting()
        found.supposed = {**self.supposed, question: answer}
        return found

    def agreed(self, split: frozenset[str], counterparts: Mapping[str, str]) -> Program:
        """Return the same program, in which each class has one counterpart."""
        found = Program(split=split, counterparts=counterparts)
        found._texts = self._texts
        return found

    def answer(self, question: Question) -> Any:
        """Return the answer to a recorded question."""
        name, args, options = question
        found = getattr(self, name)
        return found(*args, **dict(options)) if callable(found) else found

    def with_own(self, text: Callable[[], Traits]) -> Program:
        """Return the same program with another first text."""
        others = self._texts.parts[1:]
        return Program(text, *others, split=self._split, counterparts=self._counterparts)

    @property
    def traits(self) -> Traits:
        """The traits of all texts together."""
        return self._shown if self.noted is None else cast(Traits, _Looked(self.trait))

    @property
    def own_traits(self) -> Traits:
        """The traits of the first text alone, for names that are not unique in its project."""
        return self._own if self.noted is None else cast(Traits, _Looked(self.own_trait))

    @_query
    def trait(self, name: str) -> Any:
        """Return a trait of all texts together by its name."""
        return getattr(self._shown, name)

    @_query
    def own_trait(self, name: str) -> Any:
        """Return a trait of the first text by its name."""
        return getattr(self._own, name)

    @property
    def differentiates_twice(self) -> bool:
        """Return whether gradients may have gradients, by `create_graph` or a second derivative."""
        traits = self.traits
        if "create_graph" in traits.keywords or not traits.called.isdisjoint(_SECOND):
            return True
        return self.transforms_to_order > 1

    @property
    @_query
    def differentiates_thrice(self) -> bool:
        """Return whether a gradient that keeps its graph is differentiated with its graph kept."""
        again = not self._shown.gradients.isdisjoint(self._shown.differentiated)
        return again or self.transforms_to_order > 2

    @property
    @_query
    def transforms_to_order(self) -> int:
        """Return the highest order of derivatives of transformed functions: 2 for `hessian(f)`."""
        return highest_order(self._shown.derived)

    @property
    def _own(self) -> Traits:
        return self._texts.own

    @property
    def _shown(self) -> Traits:
        return self._texts.shown

    @_query
    def reads(self, *names: str) -> bool:
        """Return whether a member of one of these names is read, or named in a string."""
        traits = self._shown
        return not (traits.read | traits.strings).isdisjoint(names)

    @_query
    def calls(self, *names: str) -> bool:
        """Return whether a function or method of one of these names is called."""
        return not self._shown.called.isdisjoint(names)

    @_query
    def uses_function(self, *names: str) -> bool:
        """Return whether a function of torch is called, or is a value that may be called later."""
        shown = self._shown
        return not (shown.called | shown.read | shown.imported).isdisjoint(names)

    @_query
    def stores(self, *names: str) -> bool:
        """Return whether a member of one of these names is assigned to."""
        return not self._shown.stored.isdisjoint(names)

    @property
    @_query
    def holds_gradients(self) -> bool:
        """Return whether a reference to a gradient may exist when gradients are cleared."""
        return self._shown.holds_gradients

    @_query
    def derives(self, name: str) -> bool:
        """Return whether a class derives from one of this last name."""
        return name in self._shown.bases

    @_query
    def splits(self, name: str) -> bool:
        """Return whether plain forms would turn a torch class into two classes."""
        return name in self._split

    @_query
    def counterpart(self, name: str) -> str | None:
        """Return the one class that replaces a torch class in all its uses, or None."""
        return self._counterparts.get(name)

    @_query
    def compares(self, name: str, *, exactly: bool = False) -> bool:
        """Return whether objects are tested, or may be tested, for a class of this last name.

        With `exactly`, count only tests that are false for a subclass.
        """
        if self._tests_for(name, exactly=True):
            return True
        return not exactly and self._tests_for(name, exactly=False)

    def _tests_for(self, name: str, *, exactly: bool) -> bool:
        compared = self._shown.compared
        if Compared(name, exactly) in compared:
            return True
        return Compared(ANY_CLASS, exactly) in compared and self.is_passed_on(name)

    @_query
    def constructions(self, name: str) -> frozenset[Construction]:
        """Return the calls of a class of this last name."""
        return frozenset(one for one in self._shown.ways if one.cls == name)

    @_query
    def initialises(self, name: str, parameter: str = "weight") -> bool:
        """Return whether the program sets the weights of all layers of a class in the first text.

        A function that a class runs on itself sets those of the texts that define or run it: what
        other texts make may be used without that class.
        """
        known, own = self._shown.runs, self._own
        for one in self._shown.set_of_class:
            if (one.cls, one.parameter) != (name, parameter):
                continue
            by_class = Run(one.function, of_self=True)
            if not one.function or by_class._replace(of_self=False) in known:
                return True
            if by_class in own.runs:
                return True
            if one in own.set_of_class and (one.function == "__init__" or by_class in known):
                return True
        return False

    @property
    @_query
    def reads_weights(self) -> bool:
        """Whether the weight of a linear layer is read, tied or replaced after its initialisation.

        This includes layers of an unknown class, and loops that fill all parameters.
        """
        if "weight" in self._shown.strings or self._shown.filled - self._shown.kept:
            return True
        layouts = self._shown.laid_out
        if layouts & {Layout.PARAMETERS, Layout.RESULTS}:
            return True
        if layouts & {Layout.VALUES, Layout.ENTRIES} and self.calls(*_GIVING_PARAMETERS):
            return True
        read = (one for one in self._shown.parameters if one.attribute == "weight")
        return any(map(self._may_be_linear, read))

    def _may_be_linear(self, read: AttributeRead) -> bool:
        """Return whether a parameter may be that of a linear layer of the program."""
        made = self.makers(read.owner)
        wrapped = read.owner == _WRAPPED
        if read.of_member and not made and not wrapped and not self._may_be_set(read.owner):
            return False  # `encoder.to_patches.weight` of an encoder from another package
        return not made or not made <= _NEVER_LINEAR

    @_query
    def reads_of(
        self,
        layer: str,
        *members: str,
        rewritable: Collection[str] = (),
        plainly: Collection[str | int] | None = None,
        spelled: bool = True,
    ) -> bool:
        """Return whether a member is read from what may be a layer of a class.

        Args:
            layer: the last name of the class.
            members: the names of the members.
            rewritable: other members, whose reads are rewritten if the owner is a variable, or a
                class's own `self.conv` that only ever holds such a layer.
            plainly: the keywords and positions with which layers may be created so that the reads
                of `rewritable` can be rewritten.
            spelled: whether a string that is such a name counts as a read.
        """
        traits = self._shown
        if spelled and not traits.strings.isdisjoint((*members, *rewritable)):
            return True
        made = {one.place for one in traits.given if one.cls == layer}
        if plainly is not None and not made <= set(plainly):
            members, rewritable = (*members, *rewritable), ()
        for one in traits.asked:
            if one.attribute in members and self._may_be(one, layer):
                return True
            lost = one.attribute in rewritable and not self._is(one, layer)
            if lost and self._may_be(one, layer):
                return True
        return False

    def _is(self, read: AttributeRead, layer: str) -> bool:
        """Return whether a variable or a class's own member is always such a layer or None."""
        return (not read.of_member or bool(read.cls)) and self._makers_of(read) == {layer}

    def _makers_of(self, read: AttributeRead) -> set[str]:
        """Return the functions that create an owner, in its own class if possible."""
        made = self._texts.tables.made.get(read.owner, ())
        own = {one.maker for one in made if _is_member_of(one, read.cls)} if read.cls else set()
        if not own and read.of_member:
            own = {one.maker for one in made if not one.is_variable}
        return (own or {one.maker for one in made}) - {"None"}

    def _may_be(self, read: AttributeRead, layer: str) -> bool:
        """Return whether the owner of an attribute may be such a layer."""
        name = read.owner
        if read.of_member and not self.makers(name) and not self._may_be_set(name):
            return False  # a member of an object from elsewhere
        made = self._makers_of(read)
        through = not read.of_member and bool(self._iterated(name))
        return self._may_make(made, layer) if made and not through else self._may_hold(name, layer)

    def _may_hold(self, variable: str, layer: str) -> bool:
        """Return whether a variable without assignments may iterate over layers of a class."""
        through = self._iterated(variable)
        held = {one.maker for one in self._shown.items if one.container in through}
        whole = all(self.makers(name) <= containers.CONTAINERS for name in through)
        return not held or not whole or self._may_make(held, layer)

    def _iterated(self, variable: str) -> set[str]:
        """Return the containers that a variable iterates over."""
        return {one.container for one in self._shown.loops if one.variable == variable}

    def _may_make(self, makers: Collection[str], layer: str) -> bool:
        """Return whether one may create a layer: a function, or the class by another name."""
        return any(
            one == layer or not one.lstrip("_")[:1].isupper() or one in containers.CONTAINERS
            for one in makers
        )

    def _may_be_set(self, member: str) -> bool:
        """Return whether a member may be set without an assignment, by its name as text."""
        traits = self._shown
        return member in traits.keywords or any(map(member.startswith, traits.strings))

    @_query
    def makers(self, member: str) -> frozenset[str]:
        """Return the functions that create a variable or member; "" for other values."""
        return frozenset(one.maker for one in self._texts.tables.made.get(member, ()))

    @_query
    def own_makers(self, member: str) -> frozenset[str]:
        """Return the functions whose results classes assign to their own member of this name."""
        return frozenset(one.maker for one in self._texts.tables.made.get(member, ()) if one.is_own)

    @_query
    def initialises_member(
        self, member: str, parameter: str = "weight", *, of_self: bool = True
    ) -> bool:
        """Return whether each class with this member sets the weight of its layer.

        A class does not set a layer that replaces its own later: `model.fc = nn.Linear(8, 3)`.
        """
        if not of_self:
            return Initialised(member, parameter, OF_OTHERS) in self._shown.initialised
        classes, known = self._classes_with(member), self._shown.initialised
        set_ = Initialised(member, parameter)
        if len(classes) == 1:
            return set_ in known
        return bool(classes) and all(set_._replace(cls=one) in known for one in classes)

    def _classes_with(self, member: str) -> set[str]:
        return {
            one.holder for one in self._texts.tables.made.get(member, ()) if not one.is_variable
        }

    @_query
    def may_be_mask(self, function: str, variable: str) -> bool:
        """Return whether a variable may be a boolean mask: by its function, or by calls of it.

        Only variables whose values are moved are known, as in `F.pad(x, (1, 1))`.
        """
        shown = self._shown
        return any(
            one.place is None or Argument(function, one.place) in shown.masks
            for one in shown.may_be_masks
            if (one.function, one.variable) == (function, variable)
        )

    @_query
    def may_be_needed(self, holder: Holder) -> bool:
        """Return whether a holder may have the result of a function that its gradient needs."""
        if self._texts.tables.needed is None:
            made = self._texts.tables.made.items()
            layers = [name for name, ways in made if {one.maker for one in ways} & NEEDING_LAYERS]
            self._texts.tables.needed = frozenset(self._reached([NEEDED, *map(needed_of, layers)]))
        return holder in self._texts.tables.needed

    @_query
    def may_change_in_place(self, holders: Collection[Holder]) -> bool:
        """Return whether a tensor of a holder changes in place, also by another name."""
        return any(one in self._shown.rewritten for one in self._reached(holders))

    def _reached(self, holders: Collection[Holder]) -> Iterator[Holder]:
        """Yield the holders, and those that may get a tensor of theirs."""
        found, stack = set(holders), list(holders)
        while stack:
            one = stack.pop()
            yield one
            new = set(self._next_holders(one)) - found
            found |= new
            stack += new

    def _next_holders(self, holder: Holder) -> Iterator[Holder]:
        shared = self._texts.tables.shared
        if holder.kind is not HolderKind.INPUT or holder in shared:
            yield from shared.get(holder, ())
            return
        if holder._replace(kind=HolderKind.PARAMETER) in shared:
            return  # it is a function, not a layer
        classes = {one.maker for one in self._texts.tables.made.get(str(holder.owner), ())}
        known = bool(classes) and all(one[:1].isupper() for one in classes)
        for cls in classes if known else {""}:
            yield from shared.get(holder._replace(owner=cls), ())

    @_query
    def is_passed_on(self, name: str, *, partly: bool = True) -> bool:
        """Return whether a class of this last name is passed on, and may be called by another name.

        With `partly`, include classes that are passed to `functools.partial`.
        """
        passed_on = self._shown.passed_on
        return PassedOn(name) in passed_on or (partly and PassedOn(name, partly=True) in passed_on)

    @_query
    def holds_to_test(self, name: str) -> bool:
        """Return whether a container holds a class of this last name for a later test.

        An example is `KINDS = (nn.Linear, nn.Conv2d)` with `isinstance(m, KINDS)`.
        """
        held = any(one.cls == ANY_CLASS for one in self._shown.compared)
        return held and self.is_passed_on(name, partly=False)

    @_query
    def samples(self, cls: str) -> Samples:
        """Return whether a loader accepts the samples of a data set of this class."""
        found = {one for one in Samples if SamplesOf(cls, one) in self._shown.samples}
        return found.pop() if len(found) == 1 else Samples.OPEN

    @_query
    def may_hold_batch_norms(self, *trusted: str) -> bool:
        """Return whether a model may contain a BatchNorm, in the text or from elsewhere.

        The `trusted` packages provide none.
        """
        return given_models.may_hold_batch_norms(self._shown, trusted)

    @property
    @_query
    def extends_train(self) -> bool:
        """Whether a class of the program has a `train` of its own that calls its base's."""
        return self._shown.extends_train

    @property
    @_query
    def trains_and_evaluates(self) -> bool:
        """Return whether the program trains models and switches models to evaluation."""
        shown = self._shown
        trains = "backward" in shown.called or Training.MAKES in shown.training
        return trains and shown.evaluates

    @property
    @_query
    def freezes(self) -> bool:
        """Return whether `requires_grad` is turned off for parameters."""
        return self._shown.freezes


def _is_member_of(one: Assigned, cls: str) -> bool:
    return one.holder == cls and not one.is_variable


class _Looked:
    """The traits of a program, which records each trait that is read."""

    def __init__(self, trait: Callable[[str], Any]) -> None:
        self._trait = trait

    def __getattr__(self, name: str) -> Any:
        return self._trait(name)
