"""Items of data sets, and the batches that a loader makes of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from workbench.source.types.lattice import (
    NONE,
    UNKNOWN,
    Holding,
    Items,
    Plain,
    Table,
    Tensor,
    UserObject,
    Value,
    items_of,
)

_DATA = "torch.utils.data."
_LOADER = f"{_DATA}DataLoader"
# dtypes of a loader's batches of numbers; Python's floats are of double precision.
_OF_NUMBERS = {"int": "int64", "float": "float64", "bool": "bool"}

# Batches of which something is known.
_KNOWN = (Items, Table, Tensor, UserObject)


def holding(
    name: str,
    values: list[Value],
    keywords: Mapping[str, Value],
    indexed: Callable[[Value], Value],
    called: Callable[[Value, Value], Value],
) -> Value | None:
    """Return a data set, loader or batch with known items if this torch name creates one.

    `indexed` returns the items of a data set that the program defines, and `called` the result of a
    function that it defines.
    """
    short = name.removeprefix(_DATA)
    if short == "TensorDataset":
        first = values[0] if len(values) == 1 else None
        tensors = first.items or () if isinstance(first, Items) else values  # a list in the target
        if tensors and all(isinstance(one, Tensor) for one in tensors):
            return Holding(name, item=items_of("tuple", list(map(_part, tensors))))
    if short == "default_collate" and values and isinstance(values[0], Items):
        batch = _batch(values[0].item)
        return None if batch is UNKNOWN else batch
    if short not in {"DataLoader", "Subset", "random_split"} or short == name:
        return None
    data = values[0] if values else keywords.get("dataset", UNKNOWN)
    item = data.item if isinstance(data, Holding | Items) else indexed(data)
    if item is UNKNOWN:
        return None
    if short == "random_split":
        return Items("list", Holding(f"{_DATA}Subset", item=item))
    if short == "Subset":
        return Holding(name, item=item)
    if keywords.get("batch_size") == NONE or len(values) > 2:
        return None
    collate = keywords.get("collate_fn", NONE)
    batch = _batch(item) if collate == NONE else called(collate, Items("list", item))
    return Holding(_LOADER, item=batch) if isinstance(batch, _KNOWN) else None


def _part(value: Value) -> Value:
    return Tensor(value.certainty, value.dtype) if isinstance(value, Tensor) else value


def _batch(value: Value) -> Value:
    """Return a loader's batch of items like this one."""
    if isinstance(value, Tensor):
        return _part(value)
    if isinstance(value, Plain):
        dtype = _OF_NUMBERS.get(value.kind)
        return Tensor(dtype=dtype) if dtype else Items("list", value)
    if isinstance(value, Items) and value.kind in {"tuple", "list"} and value.items is not None:
        return items_of("list", list(map(_batch, value.items)))
    if isinstance(value, Table) and value.named is not None:
        named = tuple((key, _batch(one)) for key, one in value.named)
        return Table(items_of("list", [one for _, one in named]).item, named)
    return UNKNOWN
