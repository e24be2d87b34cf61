"""The memory under tensors, and tensors seen as another class."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet
from workbench.source.types.lattice import TorchObject
from workbench.upstream.facts import load

rules = RuleSet()

_T = "torch.Tensor."
rules.row(
    f"{_T}storage",
    "TorchTypedStorage({self})",
    cases=[
        "x.storage().tolist(), x[1].storage().size(), x.t().storage().nbytes()",
        "s = x.storage()\nr = len(s), s[2], list(s), s.dtype\ns = None",
        "x.storage().data_ptr() == x.data_ptr(), x[1:].storage().data_ptr() == x.data_ptr()",
        "t = x.clone()\nt[1].storage()[0] = 9.0\nr = t",
    ],
)
rules.row(
    f"{_T}untyped_storage",
    "TorchUntypedStorage({self})",
    cases=[
        "x.untyped_storage().size(), len(i[0].untyped_storage()), d.untyped_storage().nbytes()",
        "a[1].untyped_storage().data_ptr() == a.untyped_storage().data_ptr()",
        "n.untyped_storage().tolist()",
    ],
)
# What both kinds have in common, and what those of numbers have alone.
_SHOWN = {
    "__getitem__": "s[1]",
    "__len__": "len(s)",
    "data_ptr": "s.data_ptr() == n.data_ptr()",
    "element_size": "s.element_size()",
    "nbytes": "s.nbytes()",
    "size": "s.size()",
    "tolist": "s.tolist()",
    "__iter__": "list(s)",
    "dtype": "s.dtype",
    "fill_": "len(s.fill_(4)), n.clone()",
    "__setitem__": "s.__setitem__(0, 5), n.clone()",
    "untyped": "s.untyped().size()",
}
for _owner, _made in (
    ("torch.TypedStorage", "storage"),
    ("torch.StorageBase", "untyped_storage"),
    ("torch.storage._StorageBase", "untyped_storage"),
):
    for _member, _read in _SHOWN.items():
        _name = f"{_owner}.{_member}"
        _here = _made == "storage" or _member not in ("fill_", "__setitem__")
        if _here and _name in load().names:
            _case = f"s = n.{_made}()\nr = {_read}\ns = None"
            if _member in ("nbytes", "data_ptr", "element_size"):  # torch tells nothing of them
                rules.row(_name, f"{{self}}.{_member}()", signature="()", cases=[_case])
            else:
                rules.keep(_name, cases=[_case])
rules.refuse(
    f"{_T}storage_type",
    reason="Paddle has no class of storages for each dtype",
    instead="x.dtype",
)


@rules.rule(
    f"{_T}as_subclass",
    cases=[
        "x.as_subclass(torch.Tensor)",
        "w.as_subclass(cls=torch.Tensor).sum().backward()\ng = w.grad",
    ],
)
def as_subclass(match: Match) -> Outcome:
    """A tensor is one already; another class of tensors is more than Paddle can make of it."""
    if match.value("cls") == TorchObject("torch.Tensor"):
        return Rewrite("{self}", consumed=frozenset({"cls"}), note="the tensor itself")
    return Refusal("Paddle's tensors take on no other class", "a class that holds the tensor")
