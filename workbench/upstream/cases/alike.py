"""The same cases for names that are called alike."""

from __future__ import annotations


def alike(where: str, names: str, *cases: str) -> dict[str, tuple[str, ...]]:
    """Cases by qualified name, for each of `names`.

    Args:
        where: the module or class that all of them are in.
        names: as they follow it, separated by spaces.
        cases: in which `{name}` stands for the last part of the qualified name, and `{owner}` for
            the part before that.
    """
    found = {}
    for name in names.split():
        qualified = f"{where}.{name}"
        owner, last = qualified.split(".")[-2:]
        found[qualified] = tuple(
            case.replace("{name}", last).replace("{owner}", owner) for case in cases
        )
    return found
