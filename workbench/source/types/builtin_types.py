"""Results of Python's own functions, and of a few packages that return their tensors."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from workbench.source.types.lattice import (
    UNKNOWN,
    Foreign,
    ForeignInstance,
    Items,
    Method,
    Partial,
    Plain,
    Table,
    Value,
    items_of,
    join_items,
)
from workbench.words import words

_KINDS = {
    "len": "int",
    "int": "int",
    "float": "float",
    "str": "str",
    "bool": "bool",
    "bytes": "bytes",
    "bytearray": "bytearray",
    "complex": "complex",
    "repr": "str",
    "format": "str",
    "chr": "str",
    "ord": "int",
    "id": "int",
    "hash": "int",
    "hex": "str",
    "bin": "str",
    "input": "str",
    "isinstance": "bool",
    "issubclass": "bool",
    "hasattr": "bool",
    "callable": "bool",
    "print": "NoneType",
    "any": "bool",
    "all": "bool",
    "object": "object",
    "memoryview": "memoryview",
    "dir": "list",
}
_COLLECT = {"list": "list", "tuple": "tuple", "sorted": "list", "set": "set", "frozenset": "set"}
_PASS_ON = frozenset({"reversed", "iter"})
# Functions of other packages that return a value like their first argument.
_FIRST_ARGUMENT = frozenset(
    words(
        "copy.copy copy.deepcopy tqdm.tqdm tqdm.auto.tqdm tqdm.notebook.tqdm tqdm.trange "
        "einops.rearrange einops.reduce einops.repeat typing.cast"
    )
)
_COMBINING = frozenset({"itertools.product", "itertools.zip_longest"})
_CHAINING = frozenset({"itertools.chain", "itertools.cycle"})
# Packages besides the standard library whose objects are never torch tensors.
_NEVER_TENSORS = frozenset(
    words(
        "numpy pandas scipy sklearn matplotlib seaborn PIL cv2 skimage requests yaml rich "
        "click pytest tensorflow jax h5py pyarrow polars sympy networkx nltk spacy gym "
        "gymnasium psutil plotly paddle"
    )
)
# Modules of the standard library that return whatever they are given.
_TRANSPARENT = frozenset(
    words(
        "copy functools itertools pickle contextlib typing queue asyncio multiprocessing "
        "concurrent collections dataclasses types importlib operator shelve builtins weakref "
        "inspect abc"
    )
)


def never_tensors(name: str) -> bool:
    """Return whether a dotted name belongs to a package whose objects are never torch tensors."""
    package = name.partition(".")[0]
    if package in _NEVER_TENSORS:
        return True
    return package in sys.stdlib_module_names and package not in _TRANSPARENT


def element(value: Value) -> Value:
    """Return the value that iteration over a value yields."""
    if isinstance(value, Items):
        return value.item
    if isinstance(value, Plain) and value.kind == "str":
        return value
    if isinstance(value, ForeignInstance):
        return value
    return UNKNOWN


def call_builtin(
    name: str, arguments: list[Value], elements: list[Value], keywords: Mapping[str, Value]
) -> Value:
    """Return the result of a builtin; `elements` are the values that each argument yields."""
    first = arguments[0] if arguments else UNKNOWN
    inner = elements[0] if elements else UNKNOWN
    if name in _KINDS:
        return Plain(_KINDS[name])
    if name in _COLLECT:
        items = first.items if isinstance(first, Items) and name in {"list", "tuple"} else None
        return Items(_COLLECT[name], inner, items)
    if name in _PASS_ON:
        return Items("generator", inner)
    if name == "range":
        return Items("range", Plain("int"))
    if name == "enumerate":
        return Items("generator", items_of("tuple", [Plain("int"), inner]))
    if name == "zip":
        return Items("generator", items_of("tuple", elements))
    if name == "dict":
        return _made_table(first if arguments else None, inner, keywords)
    if name == "next":
        return inner
    if name in {"sum", "max", "min"}:
        return inner if len(arguments) == 1 else first
    if name in {"abs", "round", "pow", "divmod"}:
        return first
    if name == "open":
        return ForeignInstance("io.TextIOWrapper")
    if name == "filter" and len(elements) > 1:
        return Items("generator", elements[1])
    return UNKNOWN


def _made_table(first: Value | None, pair: Value, keywords: Mapping[str, Value]) -> Value:
    """Return the table that `dict(...)` creates from another one, from pairs, or from keywords."""
    held = [
        value.item if name == "**" and isinstance(value, Table) else value
        for name, value in keywords.items()
    ]
    if isinstance(first, Table):
        held.append(first.item)
    elif isinstance(pair, Items) and pair.items is not None and len(pair.items) == 2:
        held.append(pair.items[1])
    elif first is not None:
        held.append(UNKNOWN)
    return Table(items_of("list", held).item)


def call_method(method: Method) -> Value:
    """Return the result of a method of a list, dictionary, string or other built-in type."""
    receiver, name = method.receiver, method.name
    if isinstance(receiver, Table):
        if name == "values":
            return Items("generator", receiver.item)
        if name == "items":
            return Items("generator", items_of("tuple", [UNKNOWN, receiver.item]))
        if name in {"get", "pop", "setdefault"}:
            return receiver.item
        return receiver if name == "copy" else UNKNOWN
    if isinstance(receiver, Items):
        if name == "pop":
            return receiver.item
        if name in {"index", "count"}:
            return Plain("int")
        return receiver if name == "copy" else Plain("NoneType")
    if isinstance(receiver, Plain) and receiver.kind == "str":
        if name in {"split", "rsplit", "splitlines"}:
            return Items("list", receiver)
        return Plain("bool") if name.startswith(("is", "starts", "ends")) else receiver
    return ForeignInstance("builtins.object") if receiver != Plain("object") else UNKNOWN


def after(method: Method, arguments: list[Value]) -> Value | None:
    """Return the receiver after the call, or None if it did not change."""
    receiver = method.receiver
    if not isinstance(receiver, Items) or not arguments:
        return None
    added = {"append": arguments[0], "add": arguments[0], "insert": arguments[-1]}.get(method.name)
    if method.name == "extend":
        added = element(arguments[0])
    if added is None:
        return None
    empty = receiver.items == ()
    return Items(receiver.kind, added if empty else join_items(receiver.item, added))


def call_foreign(function: Foreign, arguments: list[Value]) -> Value:
    """Return the result of a function or class of another package."""
    first = arguments[0] if arguments else UNKNOWN
    if function.name in _FIRST_ARGUMENT:
        return first
    if function.name == "functools.partial":
        return Partial(first, tuple(arguments[1:]))
    if function.name == "collections.defaultdict":
        return first if isinstance(first, Table) else Table(UNKNOWN)
    if function.name in _COMBINING:
        return Items("generator", items_of("tuple", [element(value) for value in arguments]))
    if function.name in _CHAINING:
        full = [value for value in arguments if getattr(value, "items", None) != ()]
        return Items("generator", items_of("list", [element(value) for value in full]).item)
    if function.name == "collections.deque":
        return Items("deque", element(first))
    if never_tensors(function.name):
        return ForeignInstance(function.name)
    return UNKNOWN
