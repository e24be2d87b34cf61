"""Places in source code that use torch."""

from __future__ import annotations

import ast
from copy import copy
from dataclasses import dataclass, field, replace
from enum import StrEnum

from workbench.findings import Certainty
from workbench.source.tree import inside
from workbench.source.types.lattice import UNKNOWN, Value


class UseKind(StrEnum):
    """How a torch name is used."""

    CALL = "call"  # torch.cat(...), x.view(...), nn.Linear(...)
    READ = "read"  # torch.float32, x.shape, nn.ReLU passed on as a value
    STORE = "store"  # x.requires_grad = ...
    AUGMENTED = "augmented"  # x += y, which changes x itself
    OVERRIDE = "override"  # def get_extra_state(self), which torch would call
    OPERATOR = "operator"  # x + i, where torch promotes dtypes that other frameworks reject
    BASE = "base"  # class Net(nn.Module)
    INDIRECT = "indirect"  # act(x), where act = torch.relu: only its arguments are rewritten
    PARTIAL = "partial"  # functools.partial(torch.sum, dim=1)
    UNBOUND = "unbound"  # torch.Tensor.add(x, y): the first argument is the receiver
    SUPER = "super"  # super().__init__(...) of a subclass of a torch class
    LAYER = "layer"  # act(input=x), where act is a layer: the arguments of its `forward`
    PRESENCE = "presence"  # torch is None, if its import may have failed; torch = None
    ASKED = "asked"  # hasattr(torch, "compile")
    NAMED = "named"  # nn.Linear.__name__
    COMPUTED = "computed"  # getattr(nn, kind), a name that is known only at run time
    NUMBER = "number"  # "%.3f" % x, where Python makes the tensor x a number
    ANNOTATION = "annotation"  # def f(x: torch.Tensor)


@dataclass(slots=True, frozen=True)
class Count:
    """A tensor in an argument for which torch takes an integer: `n` in `x.view(n, -1)`.

    `parameter` is the argument's. It is PROVED if it is always a tensor or an array, else ASSUMED.
    """

    node: ast.expr
    parameter: str
    certainty: Certainty = Certainty.PROVED

    def unsure(self) -> Count:
        """Return the same for a value that may be something else."""
        return replace(self, certainty=Certainty.ASSUMED)


_OPERATORS = frozenset({UseKind.AUGMENTED, UseKind.OPERATOR})
_CALLS = frozenset(
    {
        UseKind.CALL,
        UseKind.INDIRECT,
        UseKind.PARTIAL,
        UseKind.UNBOUND,
        UseKind.SUPER,
        UseKind.LAYER,
    }
)
_LED = frozenset({UseKind.PARTIAL, UseKind.UNBOUND})


@dataclass(slots=True, eq=False)
class Use:
    """A use of torch.

    `node` is the expression that a conversion replaces: the call if the use is one, else the name
    or attribute; the statement for AUGMENTED, and the operation for OPERATOR. `receiver` is the
    object of a member, or None for names reached from torch itself. `values` are the values of the
    positional arguments, `keywords` those of the keyword arguments, in the order of the text.
    `makers` are the functions that may have created the tensor that an AUGMENTED statement or a
    call of an in-place method changes, if nothing else can refer to it.
    """

    name: str
    kind: UseKind
    node: ast.expr | ast.AugAssign
    certainty: Certainty
    statement: ast.stmt
    receiver: ast.expr | None = None
    receiver_value: Value = UNKNOWN
    values: list[Value] = field(default_factory=list)
    keywords: dict[str, Value] = field(default_factory=dict)
    owner: str | None = None  # the torch class of the receiver, if it has one
    indirect: bool = False  # the torch name came through a variable, which keeps its name
    makers: frozenset[str] = frozenset()
    among: tuple[str, ...] = ()  # the names that `getattr(nn, kind)(...)` may call
    selector: ast.expr | None = None  # the expression that chooses among them
    presumed: bool = False  # only the selector's name shows which names these are
    counts: tuple[Count, ...] = ()  # its integer arguments that are tensors
    function: str = ""  # the name of the enclosing function, unless that is a lambda

    def within(self, statement: ast.stmt) -> Use:
        """Return the same use in another statement."""
        return replace(self, statement=statement)

    @property
    def call(self) -> ast.Call | None:
        """The call, for uses that are one."""
        return self.node if isinstance(self.node, ast.Call) and self.kind in _CALLS else None

    @property
    def binds(self) -> bool:
        """Return whether it has arguments, as a call or as an operator that means one."""
        return self.kind in _OPERATORS or self.call is not None

    @property
    def arguments(self) -> list[ast.expr]:
        """The positional arguments of the torch function."""
        if isinstance(self.node, ast.AugAssign):
            return [self.node.value]
        if self.kind is UseKind.OPERATOR:
            return [_operand(self.node, self.receiver)]
        call = self.call
        if call is None:
            return []
        return call.args[1:] if self.skips_first else call.args

    def counts_tensor(self, name: str) -> bool:
        """Return whether an integer argument is a tensor computed from a variable."""
        return any(
            isinstance(part, ast.Name) and part.id == name
            for one in self.counts
            if one.certainty is Certainty.PROVED
            for part in ast.walk(one.node)
        )

    @property
    def skips_first(self) -> bool:
        """Return whether the call's first argument is not an argument of the torch function."""
        return self.kind in _LED


def _operand(node: ast.expr, receiver: ast.expr | None) -> ast.expr:
    """Return the other operand of an operation, or the index of a subscript."""
    if isinstance(node, ast.Subscript):
        return node.slice
    assert isinstance(node, ast.BinOp | ast.Compare)
    right = node.right if isinstance(node, ast.BinOp) else node.comparators[0]
    return right if node.left is receiver else node.left


class Quoted:
    """An annotation written as a string, and the expression in it.

    `exact` is true if the string is written plainly, so that the nodes of the expression have their
    positions in the file.
    """

    __slots__ = ("exact", "node", "statement", "tree")

    def __init__(self, statement: ast.stmt, node: ast.Constant, text: str, tree: ast.expr) -> None:
        self.statement = statement
        self.node = node
        self.tree = tree
        quotes = (node.end_col_offset or 0) - node.col_offset - len(text.encode())
        self.exact = node.end_lineno == node.lineno and quotes == 2
        for part in ast.walk(tree) if self.exact else ():
            if isinstance(part, ast.expr):
                part.lineno = part.end_lineno = node.lineno
                part.col_offset += node.col_offset + 1
                part.end_col_offset = (part.end_col_offset or 0) + node.col_offset + 1

    def move(self) -> None:
        """Move the expression to the line of the string, which moves with the tree."""
        if self.exact and self.tree.lineno != self.node.lineno:
            for part in inside(self.tree):
                if isinstance(part, ast.expr):
                    part.lineno = part.end_lineno = self.node.lineno

    def within(self, statement: ast.stmt) -> Quoted:
        """Return the same annotation in another statement."""
        moved = copy(self)
        moved.statement = statement
        return moved


@dataclass(slots=True, frozen=True)
class TorchImport:
    """A name that an import statement binds to torch or to a part of it.

    `alias` is the node inside `statement`, `bound` the local name and `name` its torch name. `own`
    is true if it comes through another file of the program, which may later not bind it.
    """

    statement: ast.Import | ast.ImportFrom
    alias: ast.alias
    bound: str
    name: str
    own: bool = False


@dataclass(slots=True, frozen=True)
class UnknownMember:
    """A member that tensors or modules have, read from an unknown receiver."""

    node: ast.Attribute
    statement: ast.stmt
    owner: str = "torch.Tensor"

    def within(self, statement: ast.stmt) -> UnknownMember:
        """Return the same member in another statement."""
        return replace(self, statement=statement)


@dataclass(slots=True, frozen=True)
class Printed:
    """A layer, or a named torch result, that becomes text: `print(model)`, `f"{model}"`."""

    node: ast.expr


@dataclass(slots=True, frozen=True)
class UnknownChange:
    """An `h += y` of unknown values, with another reference to `h`: `x` after `h = x`.

    If `h` is the variable of a loop, the reference is to its elements: `xs` in `for h in xs`. An
    unread variable is not read later, so that the change has no effect on numbers.
    """

    node: ast.AugAssign
    held: ast.expr
    of_elements: bool = False
    unread: bool = False


@dataclass(slots=True, frozen=True)
class OpenOperator:
    """An `x * w` of two values that may be tensors of dtypes that only torch promotes."""

    node: ast.BinOp | ast.AugAssign


@dataclass(slots=True, frozen=True)
class ForeignImport:
    """An import of another package that is based on torch, such as timm or lightning."""

    statement: ast.Import | ast.ImportFrom
    package: str
