"""Types of torch objects, their members and the results of their calls, from the upstream facts."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from workbench.findings import Certainty
from workbench.source.types import builtin_types, dtypes
from workbench.source.types.lattice import (
    ARRAY_OF_NUMPY,
    MIXED,
    PICKED,
    RECORDED,
    RETURNED,
    TENSOR,
    TRUTHS_OF_NUMPY,
    UNKNOWN,
    UNSURE,
    DtypeOf,
    Foreign,
    ForeignInstance,
    Holding,
    Instance,
    Items,
    Method,
    OneOf,
    Plain,
    Table,
    Tensor,
    TorchObject,
    Unreduced,
    UserClass,
    UserFunction,
    UserObject,
    Value,
    array_dtype,
    items_of,
    join_items,
)
from workbench.source.types.member_tables import (
    ALONE,
    BATCH,
    BOOL,
    CALLS,
    CONSTANTS,
    CONSTRAINTS,
    FIELDS,
    FLOAT,
    INT,
    MORE,
    OF_ANY_KIND,
    PARAMETERS,
    RETURNS,
    SAME_OBJECT,
    SEQUENCES,
    STR,
    TENSOR_CLASSES,
)
from workbench.source.uses import Use
from workbench.upstream.facts import OTHER_KEYWORDS, PREFIXES, Facts, Signature

_NO_NUMBERS = frozenset({"Tensor", "None"})
_COUNTS = frozenset({"int", "_int", "int | None", "_int | None", "bool", "_bool", "str"})
_BUILT_IN: dict[str, type] = {
    "int": int,
    "float": float,
    "str": str,
    "bool": bool,
    "bytes": bytes,
    "tuple": tuple,
    "list": list,
    "set": set,
}
# Fields of the results of `max`, `sort` and similar methods.
_OF_PAIRS = frozenset({"values", "indices"})
# Members of an array of truth values that give truth values, too.
_OF_TRUTHS = frozenset(
    str.split("T all any copy flatten item ravel repeat reshape squeeze swapaxes take transpose")
)
# Members of an array that have its dtype.
_OF_ITS_DTYPE = _OF_TRUTHS - {"all", "any", "item"} | {"clip", "max", "min", "view"}
# Arguments of losses, by which they may return more than one value.
_REDUCING = frozenset({"reduction", "reduce", "**"})
_SIMPLE = {"int": INT, "float": FLOAT, "str": STR, "bool": BOOL, "None": Plain("NoneType")}
_GENERIC = re.compile(r"(tuple|list|Tuple|List|Sequence|Iterator|Iterable)\[(.*)\]$")
_NUMBERS = {"bool": 0, "int": 1, "float": 2, "complex": 3}


class _Overload:
    """One signature of a torch name, prepared for testing arguments."""

    __slots__ = ("_counts", "_names", "_required", "_tensors", "_variadic", "returned")

    def __init__(self, signature: Signature, returned: Value) -> None:
        parameters = signature.parameters
        self.returned = returned
        self._names = frozenset(parameter.name for parameter in parameters)
        self._required = [
            (index, parameter.name)
            for index, parameter in enumerate(parameters)
            if parameter.default is None
        ]
        self._variadic = any(parameter.kind.startswith("var_") for parameter in parameters)
        self._tensors = [
            index for index, parameter in enumerate(parameters) if parameter.type in _NO_NUMBERS
        ]
        self._counts = [
            index for index, parameter in enumerate(parameters) if parameter.type in _COUNTS
        ]

    def takes(self, values: list[Value], keywords: dict[str, Value]) -> bool:
        """Return whether the signature may accept arguments, by their count, names and simple
        types.
        """
        if self._variadic:
            return True
        if len(values) > len(self._names):
            return False
        if "**" not in keywords:
            named = {self._parameter(keyword) for keyword in keywords}
            if None in named:
                return False
            for index, name in self._required:
                if index >= len(values) and name not in named:
                    return False
        # A number is not a tensor: `x.max(0)` and `x.max(y)`. Nor is it None: `x.size(0)`.
        for index in self._tensors:
            if index < len(values):
                value = values[index]
                if isinstance(value, Plain) and value.kind in _NUMBERS:
                    return False
        # Nor is a tensor a number: `x.max(y)`, although torch accepts one without dimensions.
        for index in self._counts:
            if index < len(values):
                value = values[index]
                if isinstance(value, Tensor) and not value.scalar:
                    return False
        return True

    def _parameter(self, keyword: str) -> str | None:
        """Return the parameter that a keyword means, or None."""
        meant = (keyword, *OTHER_KEYWORDS.get(keyword, ()))
        return next((name for name in meant if name in self._names), None)


class Members:
    """Types of torch's members and results, by canonical name."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._types: dict[str, Value] = {}
        self._overloads: dict[str, list[_Overload]] = {}

    # Receivers --------------------------------------------------------------------------------

    def owner(self, base: Value, attribute: str) -> tuple[str | None, Certainty]:
        """Return the torch class that defines `base.attribute`, and the certainty of that."""
        if isinstance(base, Tensor):
            return "torch.Tensor", base.certainty
        if isinstance(base, Instance):
            return base.cls, base.certainty
        if isinstance(base, UserObject):
            cls = base.cls
            if cls.find(attribute) is not None or cls.attribute(attribute) is not None:
                return None, Certainty.UNKNOWN
            own = cls.torch_base()
            return own or cls.joined, Certainty.PROVED if own else Certainty.ASSUMED
        if isinstance(base, UserClass):
            if base.find(attribute) is not None:
                return None, Certainty.UNKNOWN
            return base.torch_base(), Certainty.PROVED
        if isinstance(base, OneOf):
            return self._owner_of_one(base, attribute)
        if base is UNKNOWN and self._facts.torch_method(attribute) in self._facts.tensor_only:
            return "torch.Tensor", Certainty.ASSUMED
        return None, Certainty.UNKNOWN

    def _owner_of_one(self, base: OneOf, attribute: str) -> tuple[str | None, Certainty]:
        found: set[str] = set()
        members: set[str] = set()
        for option in base.options:
            if isinstance(option, Plain | Items):
                if attribute in _members_of_plain(option.kind):
                    return None, Certainty.UNKNOWN
                continue
            owner, _ = self.owner(option, attribute)
            member = self._facts.member(owner, attribute) if owner is not None else None
            if owner is None or member is None:
                return None, Certainty.UNKNOWN
            found.add(owner)
            members.add(member)
        # Several classes count as one if they inherit the member from the same base.
        if len(found) == 1 or len(members) == 1:
            return min(found), Certainty.ASSUMED
        only = self._facts.torch_method(attribute) in self._facts.tensor_only
        return ("torch.Tensor" if only and "torch.Tensor" in found else None), Certainty.ASSUMED

    # Results of members and calls ---------------------------------------------------------------

    def constant(self, name: str, certainty: Certainty) -> Value:
        """Return the value of a torch name read from a torch module or class."""
        return TorchObject(name, certainty)

    def instance_of(self, base: TorchObject) -> Value:
        """Return the object behind a torch constant, such as a dtype; otherwise the name itself."""
        entry = self._facts.get(base.name)
        if entry is not None and entry.kind == "dtype":
            return Instance("torch.dtype", base.certainty)
        if base.name in CONSTANTS:
            return CONSTANTS[base.name]
        if entry is not None and entry.kind == "constant" and base.name.startswith(CONSTRAINTS):
            return Instance(f"{CONSTRAINTS}Constraint", base.certainty)
        return base

    def is_method(self, member: str | None) -> bool:
        """Return whether a member is called, unlike one that holds data."""
        entry = self._facts.get(member) if member is not None else None
        return entry is not None and entry.kind == "method"

    def read(self, member: str, base: Value) -> Value:
        """Return the value of a data member; UNKNOWN for methods, which are called instead."""
        known = RETURNS.get(member)
        entry = self._facts.get(member)
        if entry is not None and entry.kind in {"method", "function"}:
            return UNKNOWN
        if isinstance(base, Tensor):
            if member == "torch.Tensor.dtype":
                return DtypeOf(certainty=base.certainty, dtype=base.dtype)
            if known is not None:
                return dtypes.refined(member, _as_sure(known, base), base, [], {})
        if known is not None:
            return _as_sure(known, base)
        if entry is not None and entry.signatures:
            value = _as_sure(self.from_type(entry.signatures[0].returns), base)
            owned = isinstance(value, Tensor) and member.startswith("torch.nn.")
            return Tensor(value.certainty, dtypes.FLOATING) if owned else value  # type: ignore[attr-defined]
        if member.startswith("torch.nn.") and member.rpartition(".")[2] in PARAMETERS:
            return Tensor(Certainty.ASSUMED, dtypes.FLOATING)
        return UNKNOWN

    def call(self, callee: TorchObject, values: list[Value], keywords: dict[str, Value]) -> Value:
        """Return the result of calling a torch function or class."""
        name = callee.name
        if name == "torch.Tensor":
            return Tensor(callee.certainty, dtypes.FLOATING)
        if name in TENSOR_CLASSES:
            given = Tensor(callee.certainty)
            return dtypes.refined(name, given, None, values, keywords)
        if name in dtypes.TENSOR_TYPES:
            return Tensor(callee.certainty, dtypes.TENSOR_TYPES[name])
        if name in RETURNS:
            return dtypes.refined(name, RETURNS[name], None, values, keywords)
        entry = self._facts.get(name)
        if entry is None:
            return UNKNOWN
        if entry.kind == "class":
            reduces = _REDUCING.isdisjoint(keywords) or not entry.name.endswith("Loss")
            return (Instance if reduces else Unreduced)(entry.name, callee.certainty)
        result = self._returned(entry.name, values, keywords)
        if result is UNKNOWN and callee.ported:
            result = self._returned(entry.name, [], {"**": UNKNOWN})  # it has other parameters
        if isinstance(result, Tensor):
            result = Tensor(callee.certainty, result.dtype)
        return dtypes.refined(entry.name, result, None, values, keywords)

    def call_member(self, use: Use, values: list[Value], keywords: dict[str, Value]) -> Value:
        """Return the result of calling a method of a tensor or of another torch object."""
        base, attribute = use.receiver_value, use.name.rpartition(".")[2]
        if use.owner is not None and use.owner != "torch.Tensor" and attribute in SAME_OBJECT:
            return base
        entry = self._facts.get(use.name) if use.owner not in {None, "torch.Tensor"} else None
        if entry is not None and [one.returns for one in entry.signatures] == ["Self"]:
            return base
        result = RETURNS.get(use.name)
        if use.name == "torch.Tensor.type" and (values or "dtype" in keywords):
            result = TENSOR  # without a dtype it is the name of the present one
        if result is None:
            result = self._returned(use.name, values, keywords)
        result = _as_sure(result, base)
        if use.owner != "torch.Tensor":
            return result
        if attribute == "to" and values[:1] == [UNKNOWN] and _names_device(use.arguments[0]):
            values = [Instance("torch.device"), *values[1:]]
        return dtypes.refined(use.name, result, base, values, keywords)

    def _returned(self, name: str, values: list[Value], keywords: dict[str, Value]) -> Value:
        """Return the result of a call, joined over the overloads that accept the arguments."""
        if name in ALONE and "**" not in keywords:
            further = max(len(values) - ALONE[name], 0) + len(MORE & keywords.keys())
            indexes = [Tensor(dtype="int64")] * further
            return items_of("tuple", [TENSOR, *indexes]) if further else TENSOR
        overloads = self._overloads.get(name)
        if overloads is None:
            entry = self._facts.get(name)
            signatures = entry.signatures if entry is not None else ()
            overloads = [_Overload(one, self.from_type(one.returns)) for one in signatures]
            self._overloads[name] = overloads
        if len(overloads) == 1:
            return overloads[0].returned
        # An item of a tensor may be an integer: `torch.linspace(0, 1, sizes[0])`.
        numbers = [UNKNOWN if isinstance(one, Tensor) else one for one in values]
        for given in (values, numbers):
            found = [one.returned for one in overloads if one.takes(given, keywords)]
            if found:
                return items_of("list", found).item
        return UNKNOWN

    def call_instance(self, callee: Instance, values: list[Value]) -> Value:
        """Return the result of calling an instance, usually a module."""
        known = CALLS.get(callee.cls)
        if known is not None:
            return known
        if callee.cls.startswith(OF_ANY_KIND):
            return UNKNOWN
        if self._facts.member(callee.cls, "parameters") == "torch.nn.Module.parameters":
            result = dtypes.of_module(callee.cls, Tensor(callee.certainty), values)
            if isinstance(callee, Unreduced):
                result = replace(result, scalar=False)
            return replace(result, states=result.states | {RETURNED})
        return UNKNOWN

    def item(self, base: Instance, at: Value) -> Value:
        """Return `base[at]` of a torch object."""
        if base.cls == "torch.Size":
            return base if at == Plain("slice") else INT
        if isinstance(base, Holding):
            return base.item
        if base.cls in SEQUENCES:
            return base if at == Plain("slice") else Instance("torch.nn.Module", Certainty.ASSUMED)
        if base.cls in {"torch.nn.ParameterList", "torch.nn.ParameterDict"}:
            return Tensor(dtype=dtypes.FLOATING)
        if base.cls.endswith("BatchSampler"):
            return Items("list", INT)
        if base.cls.endswith("Sampler"):
            return INT if base.cls != "torch.utils.data.Sampler" else UNKNOWN
        if base.cls.startswith("torch.utils.data."):
            return BATCH
        return UNKNOWN

    def iterate(self, base: Instance) -> Value:
        """Return the elements of an iteration over a torch object."""
        if base.cls == "torch.utils.data.DataLoader" and not isinstance(base, Holding):
            return BATCH
        return self.item(base, INT)

    def element(self, value: Value) -> Value:
        """Return the elements of an iteration over any value."""
        if isinstance(value, Tensor):
            sure = value.certainty is Certainty.PROVED  # others may be lists of tensors
            states = value.states & {RETURNED} | ({PICKED} if sure else set())
            return Tensor(value.certainty, value.dtype, states=states)
        if isinstance(value, Instance):
            return self.iterate(value)
        if isinstance(value, OneOf):
            options = [self.element(option) for option in value.options]
            return items_of("list", options).item
        return builtin_types.element(value)

    def of_program(self, base: Value, attribute: str) -> Value:
        """Return a member of an object that the program defines, or of a container."""
        if isinstance(base, OneOf):
            return self._of_alternatives(base, attribute)
        if isinstance(base, UserObject):
            value = base.cls.attribute(attribute)
            if value is not None:
                return value
            value = base.cls.find(attribute)
            return _bind(value, base)
        if isinstance(base, UserClass):
            value = base.find(attribute)
            return _bind(value, base) if value is not None else UNKNOWN
        if isinstance(base, Items) and base.kind == "tuple" and not hasattr(tuple, attribute):
            # A field of a named tuple, such as `values` of sort's result.
            place, items = FIELDS.get(attribute), base.items or ()
            return items[place] if place is not None and len(items) == 2 else base.item
        if isinstance(base, Items | Table | Plain):
            return Method(base, attribute)
        if isinstance(base, Foreign):
            return Foreign(f"{base.name}.{attribute}")
        if base == TRUTHS_OF_NUMPY and attribute not in _OF_TRUTHS:
            return ARRAY_OF_NUMPY
        if array_dtype(base) not in {None, "bool"} and attribute not in _OF_ITS_DTYPE:
            return ARRAY_OF_NUMPY
        return base if isinstance(base, ForeignInstance) else UNKNOWN

    def _of_alternatives(self, base: OneOf, attribute: str) -> Value:
        """Return a member of one of several objects; classes without it do not matter."""
        if not all(isinstance(one, UserObject) for one in base.options):
            return UNKNOWN
        having = [
            one
            for one in base.options
            if isinstance(one, UserObject)
            and (one.cls.attribute(attribute) is not None or one.cls.find(attribute) is not None)
        ]
        values = [self.of_program(one, attribute) for one in having]
        return items_of("list", values).item

    def binary(self, left: Value, right: Value, quotient: bool = False) -> Value:
        """Return the result of an arithmetic operator; `quotient` for `/`."""
        if isinstance(left, Plain) and left.kind in {"str", "bytes"}:
            return left  # `"%.2f" % loss`
        if isinstance(left, Tensor) or isinstance(right, Tensor):
            one, other = (left, right) if isinstance(left, Tensor) else (right, left)
            assert isinstance(one, Tensor)
            certainty, scalar = one.certainty, one.scalar and not isinstance(other, Items)
            if isinstance(other, Tensor):
                scalar = scalar and other.scalar
                if other.certainty is Certainty.PROVED:
                    certainty = Certainty.PROVED
            both = [value for value in (one, other) if isinstance(value, Tensor)]
            states = frozenset[str]()
            if any(value.recorded for value in both):
                states = frozenset({RECORDED})
            elif other is UNKNOWN or any(UNSURE in value.states for value in both):
                states = frozenset({UNSURE})
            dtype = dtypes.arithmetic(left, right, quotient)
            operands = [value for value in (left, right) if isinstance(value, Tensor)]
            if dtype is None and dtypes.is_mixed(operands):
                states |= {MIXED}
            whole = dtype is None and dtypes.kind(one.dtype) == 1 and not quotient
            return Tensor(certainty, dtype, scalar, whole=whole, states=states)
        return _without_tensors(left, right, quotient)

    # Type texts -------------------------------------------------------------------------------

    def from_type(self, text: str) -> Value:
        """Return the value that a return type in the facts describes."""
        value = self._types.get(text)
        if value is None:
            value = self._types[text] = self._from_type(text)
        return value

    def _from_type(self, text: str) -> Value:
        if text in {"Tensor", "torch.Tensor", "Parameter", "Self"}:
            return TENSOR
        if text in _SIMPLE:
            return _SIMPLE[text]
        if text.startswith("torch.return_types."):
            return Items("tuple", TENSOR)
        if text.startswith(PREFIXES):
            return Instance(text) if self._facts.get(text) is not None else UNKNOWN
        match = _GENERIC.match(text)
        if match:
            kind, inner = match.group(1).lower(), match.group(2)
            parts = [part.strip() for part in _split(inner)]
            if kind == "tuple" and "..." not in parts:
                return items_of("tuple", [self.from_type(part) for part in parts])
            return Items(kind, self.from_type(parts[0]))
        return UNKNOWN


def _without_tensors(left: Value, right: Value, quotient: bool) -> Value:
    """Return the result of arithmetic with values of Python and of other packages."""
    for operand, other in ((left, right), (right, left)):
        if isinstance(operand, Items) and _is_number_of_python(other):
            return Items(operand.kind, operand.item)  # `[x] * math.ceil(n)`
    for operand, other in ((left, right), (right, left)):
        if isinstance(operand, ForeignInstance):
            return _of_foreign(operand, other, quotient)
    if isinstance(left, Plain) and isinstance(right, Plain):
        if left.kind in _NUMBERS and right.kind in _NUMBERS:
            wider = left if _NUMBERS[left.kind] >= _NUMBERS[right.kind] else right
            return Plain("float") if quotient and wider.kind != "complex" else wider
        return UNKNOWN
    if isinstance(left, Items):
        item = join_items(left.item, right.item) if isinstance(right, Items) else left.item
        return Items(left.kind, item)
    if isinstance(left, Instance) and left.cls == "torch.Size":
        return left
    return UNKNOWN


def _is_number_of_python(value: Value) -> bool:
    """Return whether a value is an integer, or the result of a function of `math`."""
    if isinstance(value, ForeignInstance):
        return value.name.startswith("math.")
    return isinstance(value, Plain) and value.kind == "int"


def _of_foreign(operand: ForeignInstance, other: Value, quotient: bool) -> Value:
    """Return the result of arithmetic with a value of another package."""
    if operand.name.startswith("math.") and other is UNKNOWN:
        return UNKNOWN  # a number of Python's leaves the other side what it is
    return operand if _keeps_dtype(operand, other, quotient) else ARRAY_OF_NUMPY


def _keeps_dtype(array: ForeignInstance, other: Value, quotient: bool) -> bool:
    """Return whether arithmetic with another value keeps the dtype of a NumPy array."""
    own = array_dtype(array)
    if own in {None, "bool"} or (array == other and not quotient):
        return True
    number = other.kind if isinstance(other, Plain) else ""
    if dtypes.kind(own) == 1:
        return number == "int" and not quotient
    return array == other or number in {"int", "float", "bool"}


def _bind(value: Value | None, receiver: Value) -> Value:
    if isinstance(value, UserFunction):
        return UserFunction(value.node, value.scope, value.owner, receiver)
    return value if value is not None else UNKNOWN


def _names_device(node: ast.expr) -> bool:
    """Return whether an argument is a device by its name, such as `self.device` or `my_device`."""
    return str(getattr(node, "attr", getattr(node, "id", ""))).endswith("device")


def _as_sure(value: Value, base: Value) -> Value:
    """Return a member's value with the certainty of the object: assumed if the object is."""
    certainty = getattr(base, "certainty", None)
    if certainty is Certainty.ASSUMED:
        if isinstance(value, Tensor):
            return Tensor(Certainty.ASSUMED, value.dtype, value.scalar)
        if isinstance(value, Instance):
            return Instance(value.cls, Certainty.ASSUMED)
    return value


def _members_of_plain(kind: str) -> frozenset[str]:
    type_ = _BUILT_IN.get(kind)
    own = frozenset(dir(type_)) if type_ is not None else frozenset()
    return own | _OF_PAIRS if type_ is tuple else own


def _split(text: str) -> list[str]:
    """Split a text at the commas outside brackets."""
    parts, depth, start = [], 0, 0
    for index, character in enumerate(text):
        depth += (character == "[") - (character == "]")
        if character == "," and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    return [*parts, text[start:]]
