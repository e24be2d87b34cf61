"""What a target says of its language, for graphs to be written in it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

import torch

from workbench.lower.backend import Unsupported

if TYPE_CHECKING:
    from collections.abc import Mapping, Set

    from workbench.lower.writing.emitters import Emitters
    from workbench.lower.writing.helper_sources import HelperSources

_SAME = ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool")


class Dialect(ABC):
    """How a target's modules are spelled; a target derives from it.

    Its helpers are to hold those that every graph may need: `_expect`, `_expect_same`,
    `_expect_relation`, `_expect_constant` and `_expect_true`, which check what goes in,
    `_cast_items`, which casts a tuple, and `_TorchIsland`, which runs a function of torch's. Loops
    are written with `_repeat`, `_map` and `_scan`, and refused where the target has none.

    Attributes:
        title: the target as sentences write it.
        imports: the import statements of a generated module, beside those of Python's own.
        module: the class that a generated module derives from; without arguments it holds weights.
        module_list: the class of a list of modules, which takes a list.
        method: the method that computes the graph.
        setup: statements that stand after the imports.
        opening: statements that stand before those that make the weights.
        draws: the statement that gives a module what it draws random numbers with, where it does.
        taken: names that these texts use, which no variable may have.
        reserved: attributes that every module has, which no weight may have.
        no_grad: the context in which nothing is recorded for a backward pass; none: it has none,
            and `detached` writes what it stands for.
        frees: a value that is not read any more is let go of by name.
        mutable: its tensors can be written into; where not, a model that does that to its inputs
            is refused.
        ties: a weight that torch has under two names is one attribute, which the second name gets.
        cond: a function of a condition and two functions, of which it calls one; none: it has none.
        dtypes: the target's names of the dtypes that it has.
        emitters: what writes each operator.
        helpers: functions that generated modules define at their top.
    """

    title: ClassVar[str]
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
    dtypes: ClassVar[Mapping[torch.dtype, str]] = {getattr(torch, name): name for name in _SAME}
    emitters: ClassVar[Emitters]
    helpers: ClassVar[HelperSources]

    @abstractmethod
    def parameter(
        self, holder: str, name: str, shape: list[int], dtype: str, *, trained: bool
    ) -> str:
        """The statement that gives a module a parameter; one that is not `trained` is frozen."""

    @abstractmethod
    def buffer(self, holder: str, name: str, value: str, saved: bool) -> str:
        """The statement that gives a module a tensor that is not trained.

        Args:
            holder: the module that gets it.
            name: its attribute there.
            value: the expression of its first value.
            saved: the module's state dict holds it.
        """

    @abstractmethod
    def zeros(self, shape: list[int], dtype: str) -> str:
        """A tensor of zeros."""

    @abstractmethod
    def tensor(self, numbers: str, dtype: str) -> str:
        """A tensor of the numbers that a nested list holds."""

    @abstractmethod
    def write_into(self, held: str, value: str) -> str:
        """The statement that sets a tensor's value in place."""

    def weight(self, held: str) -> str:
        """A weight as an expression, by the attribute that holds it."""
        return held

    def detached(self, expression: str) -> str:
        """The expression with nothing recorded for a backward pass; for want of `no_grad`."""
        return expression

    def cast(self, expression: str, dtype: str) -> str:
        """A tensor in another dtype; the expression is an atom."""
        return f'{expression}.astype("{dtype}")'

    def dtype_name(self, dtype: torch.dtype) -> str:
        """The target's name of a dtype.

        Raises:
            Unsupported: it has no such dtype.
        """
        try:
            return self.dtypes[dtype]
        except KeyError:
            name = str(dtype).removeprefix("torch.")
            raise Unsupported(f"{self.title} has no dtype {name}") from None
