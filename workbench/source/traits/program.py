"""What a program's text shows as a whole: which members it reads, what it initialises, and so on.

Plain forms ask it whether a difference can be seen by this program at all. A project answers as
one program, since a layer that is made in one file may be looked into in another.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping
from functools import cached_property, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from workbench.source.traits import containers, given_models
from workbench.source.traits.samples import Samples
from workbench.source.traits.traits import Traits

# What gives a program the parameters of a model, or puts others in their place.
_GIVING_PARAMETERS = ("parameters", "named_parameters", "state_dict", "load_state_dict")
# Layers with a weight whose layout is the same everywhere.
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
# What was asked: the name of a query and what it was given.
Question = tuple[str, tuple[Hashable, ...], tuple[tuple[str, Hashable], ...]]


def _query(
    method: Callable[Concatenate[Program, _Arguments], _Answer],
) -> Callable[Concatenate[Program, _Arguments], _Answer]:
    """A question to a program, which is noted with its answer where somebody wants that."""

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
    """The traits of a text, or of all of a project, computed when they are first asked for.

    `noted` are the questions that were asked, with their answers, where they are wanted.
    `counterparts` are the classes that take the place of torch's, by the names of these, where the
    program compares classes; of one in `split` no form that is Paddle's own may be written.
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
        """The same program, which notes what it is asked."""
        found = self.agreed(self._split, self._counterparts)
        found.noted = {}
        return found

    def agreed(self, split: frozenset[str], counterparts: Mapping[str, str]) -> Program:
        """The same program, in which each class has one counterpart."""
        own, shown = lambda: self._own, lambda: self._shown
        return Program(own, shown, split=split, counterparts=counterparts)

    def answer(self, question: Question) -> Any:
        """What it answers to a question that was noted."""
        name, args, options = question
        found = getattr(self, name)
        return found(*args, **dict(options)) if callable(found) else found

    def with_own(self, text: Callable[[], Traits]) -> Program:
        """The same program with another text for its first one."""
        return Program(text, *self._texts[1:], split=self._split, counterparts=self._counterparts)

    @property
    def traits(self) -> Traits:
        """The traits of all texts together."""
        return self._shown if self.noted is None else cast(Traits, _Looked(self))

    @_query
    def shown(self, trait: str) -> frozenset[str]:
        """One of the traits, by its name."""
        found: frozenset[str] = getattr(self._shown, trait)
        return found

    @_query
    def shown_here(self, trait: str) -> frozenset[str]:
        """One of the traits of the text itself, where others of its project have the same names."""
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
        """Whether a member of one of these names is read, or named in a string."""
        traits = self._shown
        return not (traits.read | traits.strings).isdisjoint(names)

    @_query
    def calls(self, *names: str) -> bool:
        """Whether a function or method of one of these names is called."""
        return not self._shown.called.isdisjoint(names)

    @_query
    def stores(self, *names: str) -> bool:
        """Whether a member of one of these names is assigned to."""
        return not self._shown.stored.isdisjoint(names)

    @property
    @_query
    def holds_gradients(self) -> bool:
        """Whether a gradient may be held when gradients are cleared."""
        return "grad" in self._shown.held

    @_query
    def derives(self, name: str) -> bool:
        """Whether a class derives from one of this last name."""
        return name in self._shown.bases

    @_query
    def splits(self, name: str) -> bool:
        """Whether plain forms would make two classes of one, by the last name of torch's."""
        return name in self._split

    @_query
    def counterpart(self, name: str) -> str | None:
        """The one class that takes the place of a class of torch's in all uses."""
        return self._counterparts.get(name)

    @_query
    def compares(self, name: str, *, exactly: bool = False) -> bool:
        """Whether objects are tested for a class of this last name, or perhaps for it.

        With `exactly` only where a class that is derived from it is not taken for it.
        """
        compared = self._shown.compared
        known = f"={name}" in compared or ("=*" in compared and self.hands_on(name))
        if exactly or known:
            return known
        return name in compared or ("*" in compared and self.hands_on(name))

    @_query
    def ways_of_calling(self, name: str) -> frozenset[str]:
        """How a class of this last name is called, each with its literal arguments."""
        heads = (f"{name}(", f"partial {name}(")
        return frozenset(one for one in self._shown.ways if one.startswith(heads))

    @_query
    def initialises(self, name: str, parameter: str = "weight") -> bool:
        """Whether the program sets the weights of every layer of a class of this last name."""
        return f"{name}.{parameter}" in self._shown.initialised

    @property
    @_query
    def reads_weights(self) -> bool:
        """Whether a linear layer's weight is read, tied or replaced, beyond its initialisation.

        Of layers whose class is not known, too, and where a loop fills all parameters.
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
        """Whether a variable or member of this name may hold a linear layer of the program's."""
        member = holder.removeprefix(".")
        made = self.makers(member)
        if holder.startswith(".") and not made and not self._may_be_set(member):
            return False  # `encoder.to_patches.weight`, of an encoder from elsewhere
        return not made or not made <= _NEVER_LINEAR

    @_query
    def reads_of(
        self,
        layer: str,
        *members: str,
        anew: Collection[str] = (),
        plainly: Collection[str] | None = None,
        spelled: bool = True,
    ) -> bool:
        """Whether a member of one of these names is read of what may be a layer of a class.

        Args:
            layer: the last name of the class.
            members: of these names.
            anew: others, that are written anew where they are read of a variable, or by a class
                of its own `self.conv`, which is given nothing but such a layer.
            plainly: the keywords and places (`#0`) that layers may be made with so that they are.
            spelled: a string that is such a name counts as read.
        """
        traits = self._shown
        if spelled and not traits.strings.isdisjoint((*members, *anew)):
            return True
        made = {one.rpartition(".")[2] for one in traits.given if one.startswith(f"{layer}.")}
        if plainly is not None and not made <= set(plainly):
            members, anew = (*members, *anew), ()
        for one in traits.asked:
            owner, _, name = one.rpartition(".")
            if name in members and self._may_be(owner, layer):
                return True
            if name in anew and self._may_be(owner, layer) and not self._is(owner, layer):
                return True
        return False

    def _is(self, owner: str, layer: str) -> bool:
        """Whether a variable or a class's own member is known to be such a layer, or nothing."""
        return not owner.startswith(".") and self._makers_of(owner) == {layer}

    def _makers_of(self, owner: str) -> set[str]:
        """What makes a variable or member; in the class that it is a member of, if that does."""
        cls, _, place = owner.rpartition("/")
        name = place.removeprefix(".")
        made = self._made.get(name, ())
        own = {maker for holder, maker in made if cls and holder == cls}
        if not own and place.startswith("."):
            own = {maker for holder, maker in made if not holder.endswith("()")}
        return (own or {maker for _, maker in made}) - {"None"}

    def _may_be(self, owner: str, layer: str) -> bool:
        """Whether what has this name, `conv`, `.conv` or `Net/.conv`, may be such a layer."""
        name = owner.rpartition("/")[2].removeprefix(".")
        if "." in owner and not self.makers(name) and not self._may_be_set(name):
            return False  # of an object from elsewhere
        made = self._makers_of(owner)
        through = "." not in owner and bool(self._loops(name))
        return self._may_make(made, layer) if made and not through else self._may_hold(name, layer)

    def _may_hold(self, variable: str, layer: str) -> bool:
        """Whether a variable that nothing is assigned to may go through layers of a class."""
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
        """Whether one of these may make a layer of a class: a function, or under another name."""
        return any(
            one == layer or not one.lstrip("_")[:1].isupper() or one in containers.CONTAINERS
            for one in makers
        )

    def _may_be_set(self, member: str) -> bool:
        """Whether a member gets its value otherwise than by an assignment: by its name as text."""
        traits = self._shown
        return member in traits.keywords or any(map(member.startswith, traits.strings))

    @_query
    def makers(self, member: str) -> frozenset[str]:
        """What is called to make a variable or member of this name; "" for anything else."""
        return frozenset(maker for _, maker in self._made.get(member, ()))

    @_query
    def own_makers(self, member: str) -> frozenset[str]:
        """What classes put into a member of this name of their own; not others into theirs."""
        made = self._made.get(member, ())
        return frozenset(maker for holder, maker in made if holder.isidentifier())

    @_query
    def initialises_member(self, member: str, parameter: str = "weight") -> bool:
        """Whether each class with a member of this name sets the weight of the layer there."""
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
    def hands_on(self, name: str, *, partly: bool = True) -> bool:
        """Whether a class of this last name is handed on, to be called under another name.

        To `functools.partial`, too, where that is asked for.
        """
        return name in self._shown.handed or (partly and f"partial {name}" in self._shown.handed)

    @_query
    def holds_to_test(self, name: str) -> bool:
        """Whether something holds a class of this last name that objects may be tested for.

        `KINDS = (nn.Linear, nn.Conv2d)` where there is `isinstance(m, KINDS)`.
        """
        held = not self._shown.compared.isdisjoint({"*", "=*"})
        return held and self.hands_on(name, partly=False)

    @_query
    def samples(self, cls: str) -> Samples:
        """Whether a loader takes the samples of a data set of this class."""
        found = {one for one in Samples if f"{cls}={one}" in self._shown.samples}
        return found.pop() if len(found) == 1 else Samples.OPEN

    @_query
    def may_hold_batch_norms(self, *trusted: str) -> bool:
        """Whether a model may hold a BatchNorm: the text names one, or others give models.

        The `trusted` packages give none.
        """
        return given_models.may_hold_batch_norms(self._shown, trusted)

    @property
    @_query
    def freezes(self) -> bool:
        """Whether parameters are told not to ask for gradients."""
        return bool(self._shown.frozen)


class _Looked:
    """The traits of a program that notes which of them are looked at."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def __getattr__(self, trait: str) -> frozenset[str]:
        return self._program.shown(trait)
