"""`torch.nn.utils.prune`."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike
from workbench.upstream.cases.preludes import SEED

_STATE = "\nr = net(x), net.weight, list(net.state_dict()), [k for k, _ in net.named_parameters()]"
_HELD = (
    "import torch.nn.utils.prune as prune\nm = prune.L1Unstructured(0.5)\n"
    "m._tensor_name = 'weight'\nh = prune.PruningContainer(m)\n"
)
_OWN = (
    "class Every(prune.BasePruningMethod):\n    PRUNING_TYPE = 'unstructured'\n"
    "    def compute_mask(self, t, default_mask):\n"
    "        mask = default_mask.clone()\n        mask[..., ::2] = 0\n"
    "        return mask\n"
)
_NET = SEED + "import torch.nn.utils.prune as prune\nnet = _seed(nn.Linear(4, 3))\n"

CASES: dict[str, tuple[str, ...]] = {
    "torch.nn.utils.prune.RandomUnstructured": (
        (
            "import torch.nn.utils.prune as prune\nm = prune.RandomUnstructured(2)\n"
            "r = m.compute_mask(x, torch.ones(3, 4)).sum(), m.PRUNING_TYPE\nm = None"
        ),
    ),
    **alike(
        "torch.nn.utils.prune.RandomUnstructured",
        "amount PRUNING_TYPE",
        (_NET + "r = prune.RandomUnstructured(2).{name}"),
    ),
    **alike(
        "torch.nn.utils.prune",
        "RandomUnstructured.apply L1Unstructured.apply",
        (_NET + "r = prune.{owner}.apply(net, 'bias', 0.0) is None"),
    ),
    "torch.nn.utils.prune.L1Unstructured": (
        (
            "import torch.nn.utils.prune as prune\nm = prune.L1Unstructured(amount=0.4)\n"
            "r = m.compute_mask(x, torch.ones(3, 4)), m.PRUNING_TYPE\nm = None"
        ),
        (
            _NET + "m = prune.L1Unstructured.apply(net, 'weight', amount=0.4)\n"
            "r = net(x), net.weight, list(net.state_dict()), [k for k, _ in "
            "net.named_parameters()]\nm = None"
        ),
        ("import torch.nn.utils.prune as prune\nr = prune.L1Unstructured(amount=0.4).prune(x)"),
    ),
    "torch.nn.utils.prune.L1Unstructured.amount": (
        (_NET + "r = prune.L1Unstructured(amount=0.4).amount"),
    ),
    "torch.nn.utils.prune.L1Unstructured.PRUNING_TYPE": (
        (_NET + "r = prune.L1Unstructured(amount=0.4).PRUNING_TYPE"),
    ),
    "torch.nn.utils.prune.RandomStructured": (
        (
            "import torch.nn.utils.prune as prune\nm = prune.RandomStructured(1, dim=0)\n"
            "r = m.compute_mask(x, torch.ones(3, 4)).sum(), m.PRUNING_TYPE\nm = None"
        ),
    ),
    **alike(
        "torch.nn.utils.prune.RandomStructured",
        "amount PRUNING_TYPE",
        (_NET + "r = prune.RandomStructured(1, dim=0).{name}"),
    ),
    "torch.nn.utils.prune.RandomStructured.dim": (
        (_NET + "r = prune.RandomStructured(1, dim=0).dim"),
    ),
    "torch.nn.utils.prune.RandomStructured.apply": (
        (_NET + "r = prune.RandomStructured.apply(net, 'weight', 1, dim=0).PRUNING_TYPE"),
    ),
    "torch.nn.utils.prune.LnStructured": (
        (
            "import torch.nn.utils.prune as prune\nm = prune.LnStructured(1, n=2, dim=0)\n"
            "r = m.compute_mask(x, torch.ones(3, 4)), m.PRUNING_TYPE\nm = None"
        ),
        (
            _NET + "m = prune.LnStructured.apply(net, 'weight', 1, n=2, dim=0)\n"
            "r = net(x), net.weight, list(net.state_dict()), [k for k, _ in "
            "net.named_parameters()]\nm = None"
        ),
        ("import torch.nn.utils.prune as prune\nr = prune.LnStructured(1, n=2, dim=0).prune(x)"),
    ),
    **alike(
        "torch.nn.utils.prune.LnStructured",
        "amount PRUNING_TYPE",
        (_NET + "r = prune.LnStructured(1, n=2, dim=0).{name}"),
    ),
    "torch.nn.utils.prune.LnStructured.n": ((_NET + "r = prune.LnStructured(1, n=2, dim=0).n"),),
    "torch.nn.utils.prune.LnStructured.dim": (
        (_NET + "r = prune.LnStructured(1, n=2, dim=0).dim"),
    ),
    "torch.nn.utils.prune.LnStructured.apply": (
        (_NET + "r = prune.LnStructured.apply(net, 'weight', 1, n=2, dim=0).PRUNING_TYPE"),
    ),
    "torch.nn.utils.prune.CustomFromMask": (
        (
            "import torch.nn.utils.prune as prune\nm = prune.CustomFromMask((x[:3] > 0))\n"
            "r = m.compute_mask(x, torch.ones(3, 4)), m.PRUNING_TYPE\nm = None"
        ),
        (
            _NET + "m = prune.CustomFromMask.apply(net, 'weight', (x[:3] > 0))\n"
            "r = net(x), net.weight, list(net.state_dict()), [k for k, _ in "
            "net.named_parameters()]\nm = None"
        ),
        ("import torch.nn.utils.prune as prune\nr = prune.CustomFromMask((x[:3] > 0)).prune(x)"),
    ),
    **alike(
        "torch.nn.utils.prune.CustomFromMask",
        "mask PRUNING_TYPE",
        (_NET + "r = prune.CustomFromMask((x[:3] > 0)).{name}"),
    ),
    "torch.nn.utils.prune.CustomFromMask.apply": (
        (_NET + "r = prune.CustomFromMask.apply(net, 'weight', (x[:3] > 0)).PRUNING_TYPE"),
    ),
    "torch.nn.utils.prune.Identity": (
        (
            "import torch.nn.utils.prune as prune\nm = prune.Identity()\n"
            "r = m.compute_mask(x, torch.ones(3, 4)), m.PRUNING_TYPE\nm = None"
        ),
        (
            _NET + "m = prune.Identity.apply(net, 'weight')\n"
            "r = net(x), net.weight, list(net.state_dict()), [k for k, _ in "
            "net.named_parameters()]\nm = None"
        ),
        "import torch.nn.utils.prune as prune\nr = prune.Identity().prune(x)",
    ),
    "torch.nn.utils.prune.Identity.PRUNING_TYPE": ((_NET + "r = prune.Identity().PRUNING_TYPE"),),
    "torch.nn.utils.prune.Identity.apply": (
        (_NET + "r = prune.Identity.apply(net, 'bias') is None"),
    ),
    "torch.nn.utils.prune.BasePruningMethod": (
        (
            _NET + _OWN + "m = Every.apply(net, 'weight')\n"
            "r = net(x), net.weight, list(net.state_dict()), [k for k, _ in "
            "net.named_parameters()], isinstance(m, Every)\nm = Every = None"
        ),
    ),
    "torch.nn.utils.prune.BasePruningMethod.__call__": (
        (_NET + "m = prune.L1Unstructured.apply(net, 'weight', 3)\nr = m(net, None)\nm = None"),
    ),
    "torch.nn.utils.prune.BasePruningMethod.apply_mask": (
        (
            _NET
            + "m = prune.L1Unstructured.apply(net, 'weight', 3)\nr = m.apply_mask(net)\nm = None"
        ),
    ),
    "torch.nn.utils.prune.BasePruningMethod.compute_mask": (
        (
            _NET + "m = prune.L1Unstructured.apply(net, 'weight', 3)\n"
            "r = m.compute_mask(x, torch.ones(3, 4))\nm = None"
        ),
    ),
    "torch.nn.utils.prune.BasePruningMethod.prune": (
        (
            _NET + "m = prune.L1Unstructured.apply(net, 'weight', 3)\n"
            "r = m.prune(x, default_mask=torch.ones(3, 4)), m.prune(x, importance_scores=y)\n"
            "m = None"
        ),
    ),
    "torch.nn.utils.prune.BasePruningMethod.remove": (
        (
            _NET + "m = prune.L1Unstructured.apply(net, 'weight', 3)\n"
            "r = m.remove(net), list(net.state_dict()), net.weight\nm = None"
        ),
    ),
    "torch.nn.utils.prune.BasePruningMethod.apply": (
        (_NET + _OWN + "m = Every.apply(net, 'weight')\nr = net(x)\nm = Every = None"),
    ),
    "torch.nn.utils.prune.PruningContainer": (
        (
            _NET + "prune.l1_unstructured(net, 'weight', 3)\n"
            "prune.ln_structured(net, 'weight', 1, 2, 0)\n"
            "h = list(net._forward_pre_hooks.values())[0]\n"
            "r = len(h), [m.PRUNING_TYPE for m in h], h[1].amount\nh = None"
        ),
    ),
    "torch.nn.utils.prune.PruningContainer.add_pruning_method": (
        (_HELD + "r = h.add_pruning_method(m), len(h)\nh = m = None"),
    ),
    "torch.nn.utils.prune.PruningContainer.__len__": ((_HELD + "r = h.__len__()\nh = m = None"),),
    "torch.nn.utils.prune.PruningContainer.__iter__": (
        (_HELD + "r = len(list(h.__iter__()))\nh = m = None"),
    ),
    "torch.nn.utils.prune.PruningContainer.__getitem__": (
        (_HELD + "r = h.__getitem__(0).amount\nh = m = None"),
    ),
    "torch.nn.utils.prune.identity": (
        (_NET + "n2 = prune.identity(net, 'weight') is net" + _STATE),
        (
            _NET + "prune.identity(module=net, name='weight')\n(net(w) ** 2).sum().backward()\n"
            "g, h = w.grad, net.weight_orig.grad"
        ),
    ),
    "torch.nn.utils.prune.random_unstructured": (
        (
            _NET + "n2 = prune.random_unstructured(net, 'weight', 0.5) is net\n"
            "r = net.weight_mask.sum(), list(net.state_dict()), prune.is_pruned(net)"
        ),
    ),
    "torch.nn.utils.prune.l1_unstructured": (
        (_NET + "n2 = prune.l1_unstructured(net, 'weight', amount=5) is net" + _STATE),
        (
            _NET + "prune.l1_unstructured(module=net, name='weight', amount=5)\n"
            "(net(w) ** 2).sum().backward()\ng, h = w.grad, net.weight_orig.grad"
        ),
    ),
    "torch.nn.utils.prune.random_structured": (
        (
            _NET + "n2 = prune.random_structured(net, 'weight', amount=2, dim=0) is net\n"
            "r = net.weight_mask.sum(), list(net.state_dict()), prune.is_pruned(net)"
        ),
    ),
    "torch.nn.utils.prune.ln_structured": (
        (
            _NET
            + "n2 = prune.ln_structured(net, 'weight', amount=0.4, n=float('inf'), dim=1) is net"
            + _STATE
        ),
        (
            _NET + "prune.ln_structured(module=net, name='weight', amount=0.4, "
            "n=float('inf'), dim=1)\n(net(w) ** 2).sum().backward()\n"
            "g, h = w.grad, net.weight_orig.grad"
        ),
    ),
    "torch.nn.utils.prune.custom_from_mask": (
        (_NET + "n2 = prune.custom_from_mask(net, 'weight', mask=x > 0) is net" + _STATE),
        (
            _NET + "prune.custom_from_mask(module=net, name='weight', mask=x > 0)\n"
            "(net(w) ** 2).sum().backward()\ng, h = w.grad, net.weight_orig.grad"
        ),
    ),
    "torch.nn.utils.prune.global_unstructured": (
        (
            _NET + "two = _seed(nn.Linear(3, 3))\nparts = [(net, 'weight'), (two, 'weight')]\n"
            "prune.global_unstructured(parts, pruning_method=prune.L1Unstructured, "
            "amount=0.3)\nprune.global_unstructured(parts, prune.L1Unstructured, amount=4)\n"
            "r = net.weight, two.weight, two.weight_mask, list(two.state_dict())\nparts = None"
        ),
    ),
    "torch.nn.utils.prune.remove": (
        (
            _NET + "prune.l1_unstructured(net, 'weight', 3)\n"
            "r = prune.remove(net, 'weight') is net, net.weight, net.weight.is_leaf, "
            "list(net.state_dict()), net(x)"
        ),
        (_NET + "prune.remove(net, 'weight')"),
    ),
    "torch.nn.utils.prune.is_pruned": (
        (_NET + "r = prune.is_pruned(net), prune.is_pruned(prune.identity(net, 'bias'))"),
    ),
}
