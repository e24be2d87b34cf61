"""Values of expressions, as far as the analysis knows them.

They form a small lattice, from `UNKNOWN` (any value) down to a tensor of a known dtype or a named
torch object. `join` merges the values of two branches. `OneOf` keeps alternatives apart: after
`loss = 0` and `loss += criterion(...)`, a member that numbers do not have must belong to a tensor.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from workbench.findings import Certainty
from workbench.source.tree import identity


class Value:
    """An unknown value; the base class of all other values."""

    __slots__ = ()


UNKNOWN = Value()
# Dtypes of half precision.
HALVES = frozenset({"float16", "bfloat16"})
RECORDED = "recorded"  # a state of tensors: computed from one that requires gradients
MIXED = "mixed"  # another: has different dtypes in different branches
UNSURE = "unsure"  # another: computed from a tensor that may require gradients
PARAMETER = "parameter"  # another: a parameter or an entry of a state that a module yields
BUFFER = "buffer"  # another: a buffer that a module yields
RETURNED = "returned"  # another: returned by a module, which may return something else
NUMBERED = "numbered"  # another: a part selected by integers and slices
PICKED = "picked"  # another: one item of a tensor, which lacks a dimension: `x[0]`
HOT = "hot"  # another: from `one_hot`, whose integers are often joined to other features


@dataclass(frozen=True, slots=True)
class TorchObject(Value):
    """A torch object by its canonical name: a module, function, class or constant.

    `indirect` is true if it came through a variable, a parameter or a container instead of an
    import. `ported` is its name in the target if it was reached by that name: then it is not a use
    of torch.
    """

    name: str
    certainty: Certainty = Certainty.PROVED
    indirect: bool = False
    ported: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Tensor(Value):
    """A tensor.

    `dtype` is its torch name without `torch.`, or `floating` for unknown width. `scalar` is true if
    it is known to have no dimensions. `part` is the name of the tensor of which this one is a view.
    `spread` is true for a view with gaps between its values. `grad` is true if it is known to
    require gradients, `empty` if it may have no values until others are concatenated to it, and
    `whole` if it was created like labels or ids, so that it may hold integers. `states` are states
    that only torch keeps for it; see `tensor_states`.
    """

    certainty: Certainty = Certainty.PROVED
    dtype: str | None = None
    scalar: bool = False
    part: str | None = field(default=None, compare=False)
    spread: bool = field(default=False, compare=False)
    grad: bool = field(default=False, compare=False)
    whole: bool = field(default=False, compare=False)
    empty: bool = field(default=False, compare=False)
    states: frozenset[str] = field(default=frozenset(), compare=False)

    @property
    def recorded(self) -> bool:
        """Return whether it is known to require gradients, or to be computed from such a tensor."""
        return self.grad or RECORDED in self.states


@dataclass(frozen=True, slots=True)
class Instance(Value):
    """An instance of a torch class other than Tensor."""

    cls: str
    certainty: Certainty = Certainty.PROVED


@dataclass(frozen=True, slots=True)
class DtypeOf(Instance):
    """The dtype of a tensor, `x.dtype`, with its name if known."""

    cls: str = "torch.dtype"
    dtype: str | None = None


@dataclass(frozen=True, slots=True)
class Holding(Instance):
    """A torch data set or loader with the type of its items: those of `TensorDataset(x, y)`."""

    item: Value = UNKNOWN


@dataclass(frozen=True, slots=True)
class Unreduced(Instance):
    """A loss that may return one value per sample: `nn.MSELoss(reduction="none")`."""


@dataclass(frozen=True, slots=True)
class Plain(Value):
    """A Python value of a built-in type; `kind` is the type's name, or `object` for others."""

    kind: str


@dataclass(frozen=True, slots=True)
class Items(Value):
    """A list, tuple, set or generator: each of its items if known, else their common value."""

    kind: str
    item: Value
    items: tuple[Value, ...] | None = None


@dataclass(frozen=True, slots=True)
class Table(Value):
    """A dictionary with its entries' common value; `named` has each if its keys are known."""

    item: Value
    named: tuple[tuple[str, Value], ...] | None = None

    def at(self, key: object) -> Value:
        """Return the value of a key, or the common value if the key is unknown."""
        return next((value for name, value in self.named or () if name == key), self.item)

    def including(self, key: object, value: Value) -> Table:
        """Return the table with another entry."""
        item = value if self.item is UNKNOWN else join(self.item, value)
        if self.named is None or not isinstance(key, str):
            return Table(item)
        return Table(item, tuple({**dict(self.named), key: value}.items()))


EMPTY_TABLE = Table(UNKNOWN, ())


@dataclass(frozen=True, slots=True)
class Foreign(Value):
    """An object of another package, by its dotted name; its results are unknown."""

    name: str


@dataclass(frozen=True, slots=True)
class ForeignInstance(Value):
    """A value from another package, which is opaque and never guessed."""

    name: str


ARRAY_DTYPES = frozenset(
    str.split("float16 float32 float64 int8 int16 int32 int64 uint8 bool complex64 complex128")
)


def array_dtype(value: Value) -> str | None:
    """Return the dtype of a NumPy array or number, or None if it is unknown."""
    name = value.name.removeprefix("numpy.") if is_of_numpy(value) else ""  # type: ignore[attr-defined]
    return name if name in ARRAY_DTYPES else None


def is_of_numpy(value: Value) -> bool:
    """Return whether a value is known to be a NumPy array or number."""
    return isinstance(value, ForeignInstance) and value.name.startswith("numpy.")


class Scope:
    """The names of a module, class, function, lambda or comprehension during a walk."""

    __slots__ = ("globals", "kind", "names", "nonlocals", "parent")

    def __init__(self, kind: str, parent: Scope | None = None) -> None:
        self.kind = kind
        self.parent = parent
        self.names: dict[str, Value] = {}
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()

    @property
    def module(self) -> Scope:
        """The scope of the module."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def lookup(self, name: str) -> Value | None:
        """Return the value of a name, or None if no scope binds it.

        As in Python, only its own statements see a class scope.
        """
        value = self.names.get(name)
        if value is not None:
            return value
        scope = self.parent
        while scope is not None:
            if scope.kind != "class":
                value = scope.names.get(name)
                if value is not None:
                    return value
            scope = scope.parent
        return None

    def bind(self, name: str, value: Value) -> None:
        """Bind a name in the scope that `global` and `nonlocal` select."""
        if name in self.globals:
            module = self.module
            module.names[name] = join(module.names.get(name, value), value)
        elif name in self.nonlocals:
            scope = self.parent
            while scope is not None and (scope.kind == "class" or name not in scope.names):
                scope = scope.parent
            if scope is not None:
                scope.names[name] = join(scope.names[name], value)
        else:
            self.names[name] = value

    def bind_outside_comprehension(self, name: str, value: Value) -> None:
        """Bind a name like a walrus operator, in the scope around the comprehensions."""
        scope = self
        while scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        scope.bind(name, value)


@dataclass(eq=False, slots=True)
class UserFunction(Value):
    """A function, method or lambda of the analysed program."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: Scope
    owner: UserClass | None = None
    receiver: Value | None = None

    @property
    def is_property(self) -> bool:
        """Return whether it is a method of an object that is read as an attribute."""
        return self.receiver is not None and self.reads

    @property
    def reads(self) -> bool:
        """Return whether it is decorated as a property."""
        if isinstance(self.node, ast.Lambda):
            return False
        return any(
            getattr(item, "attr", getattr(item, "id", "")) in {"property", "cached_property"}
            for item in self.node.decorator_list
        )

    @property
    def key(self) -> int:
        """An id of the function, which it keeps while its body is edited."""
        return identity(self.node)

    def __hash__(self) -> int:
        return self.key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UserFunction) and other.key == self.key


@dataclass(eq=False, slots=True)
class UserClass(Value):
    """A class of the analysed program, with its known bases and attributes.

    `joined` is the torch class with which another class combines it, as `class Net(Mixin,
    nn.Module)` does; None if it has a torch base itself, or if no class does. It is `widened` if an
    attribute may be a number or a tensor, which was known to be one of them before.
    """

    node: ast.ClassDef
    scope: Scope
    bases: tuple[Value, ...] = ()
    members: dict[str, Value] = field(default_factory=dict)
    attributes: dict[str, Value] = field(default_factory=dict)
    joined: str | None = None
    widened: bool = False

    @property
    def key(self) -> int:
        """An id of the class, which it keeps while one of its methods is edited."""
        return identity(self.node)

    def __hash__(self) -> int:
        return self.key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UserClass) and other.key == self.key

    def torch_base(self) -> str | None:
        """Return the torch class that it derives from, directly or indirectly, or None."""
        for base in self.bases:
            if isinstance(base, TorchObject):
                return base.name
            if isinstance(base, UserClass) and base is not self and (name := base.torch_base()):
                return name
        return None

    def join_to(self, torch_base: str) -> None:
        """Note that a class derives from a torch class and from this one."""
        if self.torch_base() is not None:
            return
        self.joined = torch_base
        for base in self.bases:
            if isinstance(base, UserClass) and base is not self:
                base.join_to(torch_base)

    def find(self, name: str) -> Value | None:
        """Return a method or class attribute, also one of a base in the program, or None."""
        if name in self.members:
            return self.members[name]
        for base in self.bases:
            if isinstance(base, UserClass) and base is not self and (value := base.find(name)):
                return value
        return None

    def note(self, name: str, value: Value) -> None:
        """Note that a value is assigned to an attribute of one of its objects."""
        known = self.attributes.get(name)
        noted = value if known is None else join(known, value)
        either = isinstance(noted, OneOf) and any(isinstance(one, Tensor) for one in noted.options)
        self.widened |= either and isinstance(known, Plain | Tensor)
        self.attributes[name] = noted

    def attribute(self, name: str) -> Value | None:
        """Return the value assigned to `self.name`, here or in a base class of the program, or
        None.
        """
        if name in self.attributes:
            return self.attributes[name]
        for base in self.bases:
            if isinstance(base, UserClass) and base is not self:
                value = base.attribute(name)
                if value is not None:
                    return value
        return None


@dataclass(eq=False, slots=True)
class ImportedFunction(Value):
    """A function or method from another file of the program, with its result."""

    result: Value = UNKNOWN
    is_property: bool = False


@dataclass(eq=False, slots=True)
class ImportedClass(UserClass):
    """A class from another file of the program; `node` only distinguishes it from other classes.

    Assignments in this file to its objects are ignored: other files see it as it is defined.
    """

    def note(self, name: str, value: Value) -> None:
        """Ignore the assignment."""


@dataclass(frozen=True, slots=True)
class UserObject(Value):
    """An instance of a class of the analysed program."""

    cls: UserClass


@dataclass(frozen=True, slots=True)
class Partial(Value):
    """A `functools.partial` of a callable, with the arguments that it holds.

    `named` has the keyword arguments of a function of torch.
    """

    func: Value
    bound: tuple[Value, ...] = ()
    named: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class Method(Value):
    """A bound method of a container or of another built-in type."""

    receiver: Value
    name: str


@dataclass(frozen=True, slots=True)
class OneOf(Value):
    """One of a few alternatives, from different branches of the program."""

    options: frozenset[Value]


@dataclass(frozen=True, slots=True)
class Passed(Value):
    """The result of a function that returns a parameter unchanged.

    `value` is the result of a call whose argument is not known.
    """

    parameter: str
    value: Value


NONE = Plain("NoneType")
TENSOR = Tensor()
TRUTHS_OF_NUMPY = ForeignInstance("numpy.bool")  # an array of truth values, or a single one
ARRAY_OF_NUMPY = ForeignInstance("numpy.ndarray")  # an array of unknown dtype
ASSUMED_TENSOR = Tensor(Certainty.ASSUMED)
_MAX_OPTIONS = 4


def of_halves(value: Value) -> bool:
    """Return whether a value is known to be a tensor of half precision."""
    return isinstance(value, Tensor) and value.dtype in HALVES


def of_whole(value: Value) -> bool:
    """Return whether a value is known to be a tensor of integers or bools."""
    kind = (value.dtype or "").lstrip("u") if isinstance(value, Tensor) else ""
    return kind.startswith(("int", "bool"))


def join(a: Value, b: Value) -> Value:
    """Return the value after two branches.

    A join of `None` and a tensor or object is the latter: reading a member of `None` would fail
    anyway.
    """
    if a is b or a == b:
        return b if isinstance(b, Tensor) and b.empty else a
    if a is UNKNOWN or b is UNKNOWN:
        return UNKNOWN
    if a == NONE:
        return b
    if b == NONE:
        return a
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        certainty = a.certainty if a.certainty == b.certainty else Certainty.ASSUMED
        dtype = join_dtypes(a.dtype, b.dtype)
        given = {a.dtype, b.dtype}
        unlike = None not in given or "bool" in given  # few tensors of unknown dtypes are bool
        mixed = (dtype is None and unlike) or MIXED in a.states | b.states
        states = frozenset({MIXED} if mixed else ()) | ((a.states | b.states) & {RETURNED})
        scalar = a.scalar and b.scalar
        return Tensor(certainty, dtype, scalar, empty=a.empty or b.empty, states=states)
    if isinstance(a, Items) and isinstance(b, Items) and a.kind == b.kind:
        return _joined_items(a, b)
    if isinstance(a, Table) and isinstance(b, Table):
        return _joined_tables(a, b)
    if isinstance(a, Holding) and isinstance(b, Holding) and a.cls == b.cls:
        return Holding(a.cls, a.certainty, join(a.item, b.item))
    options = alternatives(a) | alternatives(b)
    return OneOf(options) if len(options) <= _MAX_OPTIONS else UNKNOWN


def _joined_items(a: Items, b: Items) -> Items:
    """Return one of two sequences; tuples of one length keep their places."""
    mine, other = a.items or (), b.items or ()
    if a.kind != "tuple" or not mine or len(mine) != len(other):
        return Items(a.kind, join_items(a.item, b.item))
    return items_of("tuple", [join(one, two) for one, two in zip(mine, other, strict=True)])


def _joined_tables(a: Table, b: Table) -> Table:
    if EMPTY_TABLE in (a, b):  # a loop that fills it
        return b if a == EMPTY_TABLE else a
    mine, other = dict(a.named or ()), dict(b.named or ())
    item = join(a.item, b.item)
    if a.named is None or b.named is None or mine.keys() != other.keys():
        return Table(item)
    return Table(item, tuple((key, join(value, other[key])) for key, value in mine.items()))


def join_dtypes(a: str | None, b: str | None) -> str | None:
    """Return the common dtype of two tensors, as far as it is known."""
    if a == b or a is None or b is None:
        return a if a == b else None
    return "floating" if "float" in a and "float" in b else None


def alternatives(value: Value) -> frozenset[Value]:
    """Return the alternatives of a value, or the value itself if it has none."""
    return value.options if isinstance(value, OneOf) else frozenset((value,))


def items_of(kind: str, values: list[Value]) -> Items:
    """Return a sequence of these values."""
    item: Value = values[0] if values else UNKNOWN
    for value in values[1:]:
        item = join_items(item, value)
    return Items(kind, item, tuple(values))


def has_unlike_tensors(value: Value) -> bool:
    """Return whether the items are tensors whose dtypes differ, or probably do.

    One-hot codes probably differ from tensors of an unknown dtype. Other items are compared one by
    one where each of them is known.
    """
    item = value.item if isinstance(value, Items) else UNKNOWN
    if not isinstance(value, Items) or not isinstance(item, Tensor) or MIXED not in item.states:
        return False
    return HOT in item.states or value.items is None


def join_items(a: Value, b: Value) -> Value:
    """Return the common value of two items of one sequence."""
    for one, other in ((a, b), (b, a)):
        unknown = other is UNKNOWN or (isinstance(other, Tensor) and other.dtype is None)
        if unknown and isinstance(one, Tensor) and HOT in one.states:
            return Tensor(Certainty.ASSUMED, states=frozenset({HOT, MIXED}))
    return join(a, b)


def merge(names: dict[str, Value], other: dict[str, Value]) -> dict[str, Value]:
    """Return the names after two branches; a name that only one branch binds keeps that value."""
    if names == other:
        return names
    merged = dict(other)
    for name, value in names.items():
        merged[name] = join(value, other[name]) if name in other else value
    return merged
