"""`torch.nn.utils.prune`."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call
from workbench.upstream.facts import load

rules = RuleSet()

_P = "torch.nn.utils.prune"

# The methods: the helper class of each, and its parameters.
_METHODS = {
    "RandomUnstructured": ("TorchRandomUnstructured", "amount"),
    "L1Unstructured": ("TorchL1Unstructured", "amount"),
    "RandomStructured": ("TorchRandomStructured", "amount dim"),
    "LnStructured": ("TorchLnStructured", "amount n dim"),
    "CustomFromMask": ("TorchCustomFromMask", "mask"),
    "Identity": ("TorchIdentityPruning", ""),
}
for _name, (_helper, _members) in _METHODS.items():
    rules.counterpart(f"{_P}.{_name}", _helper)
    for _member in [*_members.split(), "PRUNING_TYPE", "apply", "compute_mask"]:
        _entry = load().get(f"{_P}.{_name}.{_member}")
        if _entry is None or _entry.alias_of is not None:
            continue
        if _member == "apply":  # it is called on the class
            rules.row(f"{_P}.{_name}.apply", f"{_helper}.apply(...)")
        else:
            rules.keep(f"{_P}.{_name}.{_member}")
rules.row(f"{_P}.BasePruningMethod", "TorchBasePruningMethod()", value="TorchBasePruningMethod")
for _member in ("__call__", "apply_mask", "compute_mask", "prune", "remove", "_tensor_name"):
    _entry = load().get(f"{_P}.BasePruningMethod.{_member}")
    if _entry is not None and _entry.alias_of is None:
        rules.keep(f"{_P}.BasePruningMethod.{_member}")
rules.keep(f"{_P}.BasePruningMethod.apply")
rules.counterpart(f"{_P}.PruningContainer", "TorchPruningContainer")
for _member in ("add_pruning_method", "__len__", "__iter__", "__getitem__", "compute_mask"):
    _entry = load().get(f"{_P}.PruningContainer.{_member}")
    if _entry is not None and _entry.alias_of is None:
        rules.keep(f"{_P}.PruningContainer.{_member}")

# The functions, with the method of each.
for _name, _method in {
    "identity": "TorchIdentityPruning",
    "random_unstructured": "TorchRandomUnstructured",
    "l1_unstructured": "TorchL1Unstructured",
    "random_structured": "TorchRandomStructured",
    "ln_structured": "TorchLnStructured",
    "custom_from_mask": "TorchCustomFromMask",
}.items():
    _call = same_call(f"{_P}.{_name}", f"torch_prune({_method}").replace("(...)", ", ...)")
    rules.row(f"{_P}.{_name}", _call)
rules.counterpart(f"{_P}.global_unstructured", "torch_prune_globally")
rules.row(f"{_P}.remove", "torch_remove_pruning({module}, {name})", value="torch_remove_pruning")
rules.row(f"{_P}.is_pruned", "torch_is_pruned({module})", value="torch_is_pruned")
