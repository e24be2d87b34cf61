"""Cases that several names share."""

from __future__ import annotations


def alike(where: str, names: str, *cases: str) -> dict[str, tuple[str, ...]]:
    """Return the same cases for each of `names`, by qualified name.

    Args:
        where: the module or class that contains the names.
        names: the names in it, separated by spaces.
        cases: the cases, in which `{name}` is replaced by the last part of the qualified name and
            `{owner}` by the part before it.
    """
    found = {}
    for name in names.split():
        qualified = f"{where}.{name}"
        owner, last = qualified.split(".")[-2:]
        found[qualified] = tuple(
            case.replace("{name}", last).replace("{owner}", owner) for case in cases
        )
    return found
