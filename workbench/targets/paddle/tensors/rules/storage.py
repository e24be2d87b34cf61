"""The memory of tensors, and tensors as objects of another class."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet
from workbench.source.types.lattice import TorchObject
from workbench.upstream.facts import load
from workbench.words import words

rules = RuleSet()

_T = "torch.Tensor."
rules.row(f"{_T}storage", "TorchTypedStorage({self})")
rules.row(f"{_T}untyped_storage", "TorchUntypedStorage({self})")
# Members of both kinds, and members of the typed kind only.
_SHOWN = words(
    "__getitem__ __len__ data_ptr element_size nbytes size tolist __iter__ dtype fill_ "
    "__setitem__ untyped"
)
for _owner, _made in (
    ("torch.TypedStorage", "storage"),
    ("torch.StorageBase", "untyped_storage"),
    ("torch.storage._StorageBase", "untyped_storage"),
):
    for _member in _SHOWN:
        _name = f"{_owner}.{_member}"
        _here = _made == "storage" or _member not in ("fill_", "__setitem__")
        if _here and _name in load().names:
            # Torch has no type information for them.
            if _member in ("nbytes", "data_ptr", "element_size"):
                rules.row(_name, f"{{self}}.{_member}()")
            else:
                rules.keep(_name)
rules.refuse(
    f"{_T}storage_type",
    reason="Paddle has no storage class for each dtype",
    instead="x.dtype",
)


@rules.rule(f"{_T}as_subclass")
def as_subclass(match: Match) -> Outcome:
    """Keep a tensor; refuse other classes, which Paddle cannot convert it to."""
    if match.value("cls") == TorchObject("torch.Tensor"):
        return Rewrite("{self}", consumed=frozenset({"cls"}), note="the tensor itself")
    return Refusal(
        "Paddle cannot convert a tensor to another class",
        "a class that has the tensor as an attribute",
    )
