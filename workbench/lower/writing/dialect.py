"""A target's language, as needed to write graphs in it."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from workbench.lower.writing.notation import Notation

if TYPE_CHECKING:
    from collections.abc import Set

    from workbench.lower.writing.emitters import Emitters
    from workbench.lower.writing.helper_sources import HelperSources


class Dialect(Notation):
    """Spelling of a target's modules; a target derives from it.

    Its helpers must include those that any graph may need: `_expect`, `_expect_same`,
    `_expect_relation`, `_expect_constant` and `_expect_true`, which check inputs, `_cast_items`,
    which casts a tuple, and `_TorchIsland`, which runs a torch function. Loops are written with
    `_repeat`, `_map` and `_scan`, and refused if the target lacks these.

    Attributes:
        imports: the import statements of a generated module, besides those of the standard library.
        module: the base class of generated modules; created without arguments it holds weights.
        module_list: the class of a list of modules, which takes a list.
        method: the method that computes the graph.
        setup: statements after the imports.
        opening: statements before those that create the weights.
        draws: the statement that creates a module's random number generator, if it has one.
        taken: names that these texts use, which no variable may have.
        reserved: attributes that every module has, which no weight may have.
        no_grad: the context without recording for a backward pass; None if there is none, and
            `detached` is used instead.
        frees: values that are not read any more are deleted by name.
        mutable: tensors can be written in place; if not, a model that modifies its inputs is
            refused.
        ties: a weight with two names in torch is one attribute, to which the second name refers.
        cond: a function of a condition and two functions, of which it calls one; None without one.
        emitters: the emitter of each operator.
        helpers: functions that generated modules define at their top.
    """

    imports: ClassVar[tuple[str, ...]]
    module: ClassVar[str]
    module_list: ClassVar[str]
    method: ClassVar[str] = "forward"
    setup: ClassVar[tuple[str, ...]] = ()
    opening: ClassVar[tuple[str, ...]] = ()
    draws: ClassVar[str | None] = None
    taken: ClassVar[Set[str]] = frozenset()
    reserved: ClassVar[Set[str]] = frozenset()
    no_grad: ClassVar[str | None]
    frees: ClassVar[bool] = True
    mutable: ClassVar[bool] = True
    ties: ClassVar[bool] = False
    cond: ClassVar[str | None] = None
    emitters: ClassVar[Emitters]
    helpers: ClassVar[HelperSources]

    @abstractmethod
    def parameter(
        self, holder: str, name: str, shape: list[int], dtype: str, *, trained: bool
    ) -> str:
        """Return the statement that creates a parameter; frozen unless `trained`."""

    @abstractmethod
    def buffer(self, holder: str, name: str, value: str, saved: bool) -> str:
        """Return the statement that creates a tensor that is not trained.

        Args:
            holder: the module that gets it.
            name: its attribute there.
            value: the expression of its initial value.
            saved: the module's state dict contains it.
        """

    @abstractmethod
    def zeros(self, shape: list[int], dtype: str) -> str:
        """Return an expression for a tensor of zeros."""

    @abstractmethod
    def tensor(self, numbers: str, dtype: str) -> str:
        """Return an expression for a tensor of the numbers in a nested list."""

    @abstractmethod
    def write_into(self, held: str, value: str) -> str:
        """Return the statement that sets a tensor's value in place."""

    def weight(self, held: str) -> str:
        """Return the expression of a weight, given its attribute."""
        return held

    def detached(self, expression: str) -> str:
        """Return the expression without recording for a backward pass, for targets without
        `no_grad`.
        """
        return expression
