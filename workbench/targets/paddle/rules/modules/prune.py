"""`torch.nn.utils.prune`."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call
from workbench.upstream.cases.layers import SEED
from workbench.upstream.facts import load

rules = RuleSet()

_P = "torch.nn.utils.prune"
_NET = f"{SEED}import torch.nn.utils.prune as prune\nnet = _seed(nn.Linear(4, 3))\n"
_STATE = "\nr = net(x), net.weight, list(net.state_dict()), [k for k, _ in net.named_parameters()]"

# The methods: what stands for the class, its arguments, what is read of it.
_METHODS = {
    "RandomUnstructured": ("TorchRandomUnstructured", "2", "amount"),
    "L1Unstructured": ("TorchL1Unstructured", "amount=0.4", "amount"),
    "RandomStructured": ("TorchRandomStructured", "1, dim=0", "amount dim"),
    "LnStructured": ("TorchLnStructured", "1, n=2, dim=0", "amount n dim"),
    "CustomFromMask": ("TorchCustomFromMask", "(x[:3] > 0)", "mask"),
    "Identity": ("TorchIdentityPruning", "", ""),
}
for _name, (_helper, _given, _members) in _METHODS.items():
    _drawn = "Random" in _name
    _parameters = "".join(f"{one}, " for one in _members.split()).replace("dim", "dim=-1")
    _given_mask = ".sum()" if _drawn else ""
    rules.row(
        f"{_P}.{_name}",
        f"{_helper}(...)",
        value=_helper,
        cases=[
            f"import torch.nn.utils.prune as prune\nm = prune.{_name}({_given})\n"
            f"r = m.compute_mask(x, torch.ones(3, 4)){_given_mask}, m.PRUNING_TYPE\nm = None",
            *(
                []
                if _drawn
                else [
                    f"{_NET}m = prune.{_name}.apply(net, 'weight'{', ' if _given else ''}{_given})"
                    f"{_STATE}\nm = None",
                    f"import torch.nn.utils.prune as prune\nr = prune.{_name}({_given}).prune(x)",
                ]
            ),
        ],
    )
    for _member in [*_members.split(), "PRUNING_TYPE", "apply", "compute_mask"]:
        _entry = load().get(f"{_P}.{_name}.{_member}")
        if _entry is None or _entry.alias_of is not None:
            continue
        _read = {
            "apply": f"prune.{_name}.apply(net, 'bias'{', 0.0' if 'amount' in _members else ''}"
            f"{', 2' if _name == 'LnStructured' else ''}) is None",
            "compute_mask": f"prune.{_name}({_given}).compute_mask(x, torch.ones(3, 4)).shape",
        }.get(_member, f"prune.{_name}({_given}).{_member}")
        if _member == "apply" and ("Structured" in _name or _name == "CustomFromMask"):
            _read = f"prune.{_name}.apply(net, 'weight', {_given}).PRUNING_TYPE"
        if _member == "apply":  # it is called through the class
            rules.row(
                f"{_P}.{_name}.apply",
                f"{_helper}.apply(...)",
                signature=f"(module, name, {_parameters}importance_scores=None)",
                cases=[f"{_NET}r = {_read}"],
            )
        else:
            rules.keep(f"{_P}.{_name}.{_member}", cases=[f"{_NET}r = {_read}"])

_OWN = (
    "class Every(prune.BasePruningMethod):\n    PRUNING_TYPE = 'unstructured'\n"
    "    def compute_mask(self, t, default_mask):\n        mask = default_mask.clone()\n"
    "        mask[..., ::2] = 0\n        return mask\n"
)
rules.row(
    f"{_P}.BasePruningMethod",
    "TorchBasePruningMethod()",
    value="TorchBasePruningMethod",
    cases=[
        f"{_NET}{_OWN}m = Every.apply(net, 'weight'){_STATE}, isinstance(m, Every)\n"
        "m = Every = None"
    ],
)
for _member, _read in {
    "__call__": "m(net, None)",
    "apply_mask": "m.apply_mask(net)",
    "compute_mask": "m.compute_mask(x, torch.ones(3, 4))",
    "prune": "m.prune(x, default_mask=torch.ones(3, 4)), m.prune(x, importance_scores=y)",
    "remove": "m.remove(net), list(net.state_dict()), net.weight",
    "_tensor_name": "m._tensor_name",
}.items():
    _entry = load().get(f"{_P}.BasePruningMethod.{_member}")
    if _entry is not None and _entry.alias_of is None:
        rules.keep(
            f"{_P}.BasePruningMethod.{_member}",
            cases=[
                f"{_NET}m = prune.L1Unstructured.apply(net, 'weight', 3)\nr = {_read}\nm = None"
            ],
        )
rules.keep(
    f"{_P}.BasePruningMethod.apply",
    cases=[f"{_NET}{_OWN}m = Every.apply(net, 'weight')\nr = net(x)\nm = Every = None"],
)
_TWICE = (
    f"{_NET}prune.l1_unstructured(net, 'weight', 3)\nprune.ln_structured(net, 'weight', 1, 2, 0)\n"
)
rules.row(
    f"{_P}.PruningContainer",
    "TorchPruningContainer(...)",
    value="TorchPruningContainer",
    signature="(*args)",
    cases=[
        f"{_TWICE}h = list(net._forward_pre_hooks.values())[0]\n"
        f"r = len(h), [m.PRUNING_TYPE for m in h], h[1].amount\nh = None"
    ],
)
_HELD = (
    "import torch.nn.utils.prune as prune\nm = prune.L1Unstructured(0.5)\n"
    "m._tensor_name = 'weight'\nh = prune.PruningContainer(m)\n"
)
for _member, _read in {
    "add_pruning_method": "h.add_pruning_method(m), len(h)",
    "__len__": "h.__len__()",
    "__iter__": "len(list(h.__iter__()))",
    "__getitem__": "h.__getitem__(0).amount",
    "compute_mask": "h.compute_mask(x, (x > 0).float())",
}.items():
    _entry = load().get(f"{_P}.PruningContainer.{_member}")
    if _entry is not None and _entry.alias_of is None:
        rules.keep(f"{_P}.PruningContainer.{_member}", cases=[f"{_HELD}r = {_read}\nh = m = None"])

# The functions: the method, and cases.
for _name, (_method, _given) in {
    "identity": ("TorchIdentityPruning", ""),
    "random_unstructured": ("TorchRandomUnstructured", ", 0.5"),
    "l1_unstructured": ("TorchL1Unstructured", ", amount=5"),
    "random_structured": ("TorchRandomStructured", ", amount=2, dim=0"),
    "ln_structured": ("TorchLnStructured", ", amount=0.4, n=float('inf'), dim=1"),
    "custom_from_mask": ("TorchCustomFromMask", ", mask=x > 0"),
}.items():
    _call = same_call(f"{_P}.{_name}", f"torch_prune({_method}").replace("(...)", ", ...)")
    _count = "\nr = net.weight_mask.sum(), list(net.state_dict()), prune.is_pruned(net)"
    rules.row(
        f"{_P}.{_name}",
        _call,
        cases=[
            f"{_NET}n2 = prune.{_name}(net, 'weight'{_given}) is net"
            f"{_count if 'random' in _name else _STATE}",
            *(
                []
                if "random" in _name
                else [
                    f"{_NET}prune.{_name}(module=net, name='weight'{_given})\n"
                    "(net(w) ** 2).sum().backward()\ng, h = w.grad, net.weight_orig.grad",
                ]
            ),
        ],
    )
rules.row(
    f"{_P}.global_unstructured",
    "torch_prune_globally(...)",
    value="torch_prune_globally",
    cases=[
        f"{_NET}two = _seed(nn.Linear(3, 3))\nparts = [(net, 'weight'), (two, 'weight')]\n"
        "prune.global_unstructured(parts, pruning_method=prune.L1Unstructured, amount=0.3)\n"
        "prune.global_unstructured(parts, prune.L1Unstructured, amount=4)\n"
        "r = net.weight, two.weight, two.weight_mask, list(two.state_dict())\nparts = None",
    ],
)
rules.row(
    f"{_P}.remove",
    "torch_remove_pruning({module}, {name})",
    value="torch_remove_pruning",
    cases=[
        f"{_NET}prune.l1_unstructured(net, 'weight', 3)\nr = prune.remove(net, 'weight') is net, "
        "net.weight, net.weight.is_leaf, list(net.state_dict()), net(x)",
        f"{_NET}prune.remove(net, 'weight')",
    ],
)
rules.row(
    f"{_P}.is_pruned",
    "torch_is_pruned({module})",
    value="torch_is_pruned",
    cases=[f"{_NET}r = prune.is_pruned(net), prune.is_pruned(prune.identity(net, 'bias'))"],
)
