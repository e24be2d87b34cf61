"""Traits of a program's text as a whole: the members that it reads, what it initialises, and so on.

Plain forms use them to decide whether the program can observe a difference at all. A project has
the traits of one program, since a layer that is created in one file may be used in another.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping
from functools import cached_property, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from workbench.source.traits import containers, given_models
from workbench.source.traits.samples import Samples
from workbench.source.traits.traits import Traits

# Methods that return the parameters of a model, or replace them.
_GIVING_PARAMETERS = ("parameters", "named_parameters", "state_dict", "load_state_dict")
# Layers whose weight has the same layout everywhere.
_NEVER_LINEAR = frozenset(
    {
        "Embedding",
        "EmbeddingBag",
        "LayerNorm",
        "GroupNorm",
        "RMSNorm",
        "PReLU",
        "BatchNorm1d",
        "BatchNorm2d",
        "BatchNorm3d",
        "SyncBatchNorm",
        "InstanceNorm1d",
        "InstanceNorm2d",
        "InstanceNorm3d",
        "Conv1d",
        "Conv2d",
        "Conv3d",
        "ConvTranspose1d",
        "ConvTranspose2d",
        "ConvTranspose3d",
        "CrossEntropyLoss",
        "NLLLoss",
        "BCELoss",
        "BCEWithLogitsLoss",
    }
)


_Arguments = ParamSpec("_Arguments")
_Answer = TypeVar("_Answer")
# A question to a program: the name of the query, and its arguments.
Question = tuple[str, tuple[Hashable, ...], tuple[tuple[str, Hashable], ...]]


def _query(
    method: Callable[Concatenate[Program, _Arguments], _Answer],
) -> Callable[Concatenate[Program, _Arguments], _Answer]:
    """Record the answers of a query if the program records them."""

    @wraps(method)
    def ask(self: Program, /, *args: _Arguments.args, **options: _Arguments.kwargs) -> _Answer:
        answer = method(self, *args, **options)
        if self.noted is not None:
            given = tuple((name, _hashable(value)) for name, value in options.items())
            self.noted[method.__name__, tuple(map(_hashable, args)), given] = answer
        return answer

    return ask


def _hashable(value: Any) -> Hashable:
    text = isinstance(value, str)
    return tuple(value) if isinstance(value, Collection) and not text else value


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
    ) -> None:
        self._texts = texts
        self._split = split
        self._counterparts = counterparts or {}
        self.noted: dict[Question, Any] | None = None

    def noting(self) -> Program:
        """Return the same program, which records the questions and their answers."""
        found = self.agreed(self._split, self._counterparts)
        found.noted = {}
        return found

    def agreed(self, split: frozenset[str], counterparts: Mapping[str, str]) -> Program:
        """Return the same program, in which each class has one counterpart."""
        own, shown = lambda: self._own, lambda: self._shown
        return Program(own, shown, split=split, counterparts=counterparts)

    def answer(self, question: Question) -> Any:
        """Return the answer to a recorded question."""
        name, args, options = question
        found = getattr(self, name)
        return found(*args, **dict(options)) if callable(found) else found

    def with_own(self, text: Callable[[], Traits]) -> Program:
        """Return the same program with another first text."""
        return Program(text, *self._texts[1:], split=self._split, counterparts=self._counterparts)

    @property
    def traits(self) -> Traits:
        """The traits of all texts together."""
        return self._shown if self.noted is None else cast(Traits, _Looked(self))

    @_query
    def shown(self, trait: str) -> frozenset[str]:
        """Return a trait by its name."""
        found: frozenset[str] = getattr(self._shown, trait)
        return found

    @property
    def differentiates_twice(self) -> bool:
        """Return whether a call passes `create_graph`, so that gradients may have gradients."""
        return "create_graph" in self.shown("keywords")

    @_query
    def shown_here(self, trait: str) -> frozenset[str]:
        """Return a trait of the first text alone, for names that are not unique in its project."""
        found: frozenset[str] = getattr(self._own, trait)
        return found

    @cached_property
    def _own(self) -> Traits:
        return self._texts[0]() if self._texts else Traits()

    @cached_property
    def _shown(self) -> Traits:
        found = Traits()
        for text in self._texts:
            found |= text()
        return found

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
    def stores(self, *names: str) -> bool:
        """Return whether a member of one of these names is assigned to."""
        return not self._shown.stored.isdisjoint(names)

    @property
    @_query
    def holds_gradients(self) -> bool:
        """Return whether a reference to a gradient may exist when gradients are cleared."""
        return "grad" in self._shown.held

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
        compared = self._shown.compared
        known = f"={name}" in compared or ("=*" in compared and self.is_passed_on(name))
        if exactly or known:
            return known
        return name in compared or ("*" in compared and self.is_passed_on(name))

    @_query
    def ways_of_calling(self, name: str) -> frozenset[str]:
        """Return how a class of this last name is called, each call with its literal arguments."""
        heads = (f"{name}(", f"partial {name}(")
        return frozenset(one for one in self._shown.ways if one.startswith(heads))

    @_query
    def initialises(self, name: str, parameter: str = "weight") -> bool:
        """Return whether the program sets the weights of all layers of a class."""
        return f"{name}.{parameter}" in self._shown.initialised

    @property
    @_query
    def reads_weights(self) -> bool:
        """Whether the weight of a linear layer is read, tied or replaced after its initialisation.

        This includes layers of an unknown class, and loops that fill all parameters.
        """
        if "weight" in self._shown.strings or self._shown.filled - self._shown.kept:
            return True
        if "parameters" in self._shown.laid_out:
            return True
        if self._shown.laid_out & {"values", "entries"} and self.calls(*_GIVING_PARAMETERS):
            return True
        return any(
            self._may_be_linear(one.rpartition(".")[0])
            for one in self._shown.parameters
            if one.endswith(".weight")
        )

    def _may_be_linear(self, holder: str) -> bool:
        """Return whether a variable or member may be a linear layer of the program."""
        member = holder.removeprefix(".")
        made = self.makers(member)
        if holder.startswith(".") and not made and not self._may_be_set(member):
            return False  # `encoder.to_patches.weight` of an encoder from another package
        return not made or not made <= _NEVER_LINEAR

    @_query
    def reads_of(
        self,
        layer: str,
        *members: str,
        rewritable: Collection[str] = (),
        plainly: Collection[str] | None = None,
        spelled: bool = True,
    ) -> bool:
        """Return whether a member is read from what may be a layer of a class.

        Args:
            layer: the last name of the class.
            members: the names of the members.
            rewritable: other members, whose reads are rewritten if the owner is a variable, or a
                class's own `self.conv` that only ever holds such a layer.
            plainly: the keywords and positions (`#0`) with which layers may be created so that
                the reads of `rewritable` can be rewritten.
            spelled: whether a string that is such a name counts as a read.
        """
        traits = self._shown
        if spelled and not traits.strings.isdisjoint((*members, *rewritable)):
            return True
        made = {one.rpartition(".")[2] for one in traits.given if one.startswith(f"{layer}.")}
        if plainly is not None and not made <= set(plainly):
            members, rewritable = (*members, *rewritable), ()
        for one in traits.asked:
            owner, _, name = one.rpartition(".")
            if name in members and self._may_be(owner, layer):
                return True
            if name in rewritable and self._may_be(owner, layer) and not self._is(owner, layer):
                return True
        return False

    def _is(self, owner: str, layer: str) -> bool:
        """Return whether a variable or a class's own member is always such a layer or None."""
        return not owner.startswith(".") and self._makers_of(owner) == {layer}

    def _makers_of(self, owner: str) -> set[str]:
        """Return the functions that create a variable or member, in its own class if possible."""
        cls, _, place = owner.rpartition("/")
        name = place.removeprefix(".")
        made = self._made.get(name, ())
        own = {maker for holder, maker in made if cls and holder == cls}
        if not own and place.startswith("."):
            own = {maker for holder, maker in made if not holder.endswith("()")}
        return (own or {maker for _, maker in made}) - {"None"}

    def _may_be(self, owner: str, layer: str) -> bool:
        """Return whether `conv`, `.conv` or `Net/.conv` may be such a layer."""
        name = owner.rpartition("/")[2].removeprefix(".")
        if "." in owner and not self.makers(name) and not self._may_be_set(name):
            return False  # a member of an object from elsewhere
        made = self._makers_of(owner)
        through = "." not in owner and bool(self._loops(name))
        return self._may_make(made, layer) if made and not through else self._may_hold(name, layer)

    def _may_hold(self, variable: str, layer: str) -> bool:
        """Return whether a variable without assignments may iterate over layers of a class."""
        through = [one.rpartition("=")[2] for one in self._loops(variable)]
        held = {
            one.removeprefix(f"{name}=")
            for name in through
            for one in self._shown.items
            if one.startswith(f"{name}=")
        }
        whole = all(self.makers(name) <= containers.CONTAINERS for name in through)
        return not held or not whole or self._may_make(held, layer)

    def _loops(self, variable: str) -> list[str]:
        return [one for one in self._shown.loops if one.startswith(f"{variable}=")]

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
        return frozenset(maker for _, maker in self._made.get(member, ()))

    @_query
    def own_makers(self, member: str) -> frozenset[str]:
        """Return the functions whose results classes assign to their own member of this name."""
        made = self._made.get(member, ())
        return frozenset(maker for holder, maker in made if holder.isidentifier())

    @_query
    def initialises_member(self, member: str, parameter: str = "weight") -> bool:
        """Return whether each class with this member sets the weight of its layer."""
        classes, set_ = self._classes_with(member), f"{member}.{parameter}"
        if len(classes) == 1:
            return set_ in self._shown.initialised
        return bool(classes) and all(f"{one}/{set_}" in self._shown.initialised for one in classes)

    def _classes_with(self, member: str) -> set[str]:
        holders = {holder for holder, _ in self._made.get(member, ())}
        return {one for one in holders if not one.endswith("()")}

    @cached_property
    def _made(self) -> dict[str, list[tuple[str, str]]]:
        found: dict[str, list[tuple[str, str]]] = {}
        for one in self._shown.made:
            path, _, maker = one.partition("=")
            holder, _, name = path.rpartition(".")
            found.setdefault(name, []).append((holder, maker))
        return found

    @_query
    def is_passed_on(self, name: str, *, partly: bool = True) -> bool:
        """Return whether a class of this last name is passed on, and may be called by another name.

        With `partly`, include classes that are passed to `functools.partial`.
        """
        return name in self._shown.passed_on or (
            partly and f"partial {name}" in self._shown.passed_on
        )

    @_query
    def holds_to_test(self, name: str) -> bool:
        """Return whether a container holds a class of this last name for a later test.

        An example is `KINDS = (nn.Linear, nn.Conv2d)` with `isinstance(m, KINDS)`.
        """
        held = not self._shown.compared.isdisjoint({"*", "=*"})
        return held and self.is_passed_on(name, partly=False)

    @_query
    def samples(self, cls: str) -> Samples:
        """Return whether a loader accepts the samples of a data set of this class."""
        found = {one for one in Samples if f"{cls}={one}" in self._shown.samples}
        return found.pop() if len(found) == 1 else Samples.OPEN

    @_query
    def may_hold_batch_norms(self, *trusted: str) -> bool:
        """Return whether a model may contain a BatchNorm, in the text or from elsewhere.

        The `trusted` packages provide none.
        """
        return given_models.may_hold_batch_norms(self._shown, trusted)

    @property
    @_query
    def freezes(self) -> bool:
        """Return whether `requires_grad` is turned off for parameters."""
        return bool(self._shown.frozen)


class _Looked:
    """The traits of a program, which records each trait that is read."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def __getattr__(self, trait: str) -> frozenset[str]:
        return self._program.shown(trait)
