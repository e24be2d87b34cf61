"""Normalisation layers and their functions."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call
from workbench.upstream.cases.layers import SEED

rules = RuleSet()

_INPUT = {1: "a", 2: "img", 3: "img[:, :, None]"}
_STATE = "\nr = l.running_mean, l.running_var, l.num_batches_tracked, list(l.state_dict())"


def _same(name: str, helper: str, cases: list[str], value: bool = True) -> None:
    rules.row(
        f"torch.nn.{name}",
        same_call(f"torch.nn.{name}", helper),
        value=helper if value else None,
        cases=cases,
    )


for _dims, _given in _INPUT.items():
    _same(
        f"BatchNorm{_dims}d",
        f"TorchBatchNorm{_dims}d",
        [
            f"{SEED}l = _seed(nn.BatchNorm{_dims}d(3))\nv = l({_given})\nl({_given} * 2){_STATE}",
            f"{SEED}l = _seed(nn.BatchNorm{_dims}d(3, momentum=0.3, eps=1e-3)).eval()\n"
            f"v = l({_given})"
            f"{_STATE}",
            f"{SEED}l = _seed(nn.BatchNorm{_dims}d(3))\nv = {_given}.clone().requires_grad_()\n"
            f"(l(v) ** 3).sum().backward()\ng, h, k = v.grad, l.weight.grad, l.bias.grad{_STATE}",
            f"l = nn.BatchNorm{_dims}d(3, affine=False, momentum=None)\nv = l({_given}), "
            f"l({_given} + 1){_STATE}",
            f"l = nn.BatchNorm{_dims}d(num_features=3, track_running_stats=False).eval()\n"
            f"v = l({_given})\nlist(l.state_dict()), l.running_mean",
            f"l = nn.BatchNorm{_dims}d(3, dtype=torch.float64)\nv = l({_given}.double()){_STATE}",
        ],
    )
    _same(
        f"InstanceNorm{_dims}d",
        f"TorchInstanceNorm{_dims}d",
        [
            f"l = nn.InstanceNorm{_dims}d(3)\n"
            f"v = l({_given}), l({_given}[0]), list(l.state_dict())",
            f"{SEED}l = _seed(nn.InstanceNorm{_dims}d(3, affine=True, track_running_stats=True))\n"
            f"v = l({_given}), l.eval()({_given}){_STATE}",
        ],
    )

_same(
    "LayerNorm",
    "TorchLayerNorm",
    [
        f"{SEED}l = _seed(nn.LayerNorm(4))\nr = l(x), l.weight.shape, l.normalized_shape",
        f"{SEED}l = _seed(nn.LayerNorm((3, 4), eps=1e-3))\nr = l(a), l.weight",
        "l = nn.LayerNorm([4], elementwise_affine=False)\nr = l(x), l.weight, l.bias",
        f"{SEED}l = _seed(nn.LayerNorm(4)).requires_grad_(False)\n(l(w) * y).sum().backward()\n"
        "g = w.grad",
        f"{SEED}l = _seed(nn.LayerNorm(4, eps=0.1))\nv = l(w)\n(v ** 2).sum().backward()\n"
        "g, h = w.grad, l.weight.grad",
        "l = nn.LayerNorm(4, bias=False, dtype=torch.float64)\nr = l(d), list(l.state_dict())",
    ],
)
_same(
    "RMSNorm",
    "TorchRMSNorm",
    [
        f"{SEED}l = _seed(nn.RMSNorm(4))\nr = l(x), l.eps",
        "nn.RMSNorm((3, 4), eps=1e-3, elementwise_affine=False)(a)",
    ],
)
_same(
    "GroupNorm",
    "TorchGroupNorm",
    [
        f"{SEED}l = _seed(nn.GroupNorm(2, 4))\nr = l(x), l.num_groups, l.num_channels",
        f"{SEED}l = _seed(nn.GroupNorm(1, 3, eps=1e-2))\nl(img)",
        "nn.GroupNorm(3, 3, affine=False)(a)",
        f"{SEED}net = _seed(nn.Sequential(nn.GroupNorm(1, 3), nn.ReLU(inplace=True)))\n"
        "k = img.clone().requires_grad_()\n(net(k) ** 2).sum().backward()\ng = k.grad",
    ],
)
_same(
    "LocalResponseNorm",
    "TorchLocalResponseNorm",
    [
        "nn.LocalResponseNorm(2)(img)",
        "nn.LocalResponseNorm(3, alpha=0.1, beta=0.5, k=2.0)(a)",
    ],
)
rules.row(
    "torch.nn.SyncBatchNorm",
    "TorchSyncBatchNorm(...)",
    value="TorchSyncBatchNorm",
    caveat="each process counts the statistics of its own batch; `paddle.nn.SyncBatchNorm` counts "
    "those of all, its momentum is 1 minus torch's",
    cases=[
        f"{SEED}l = _seed(nn.SyncBatchNorm(3)).eval()\nr = l(img), l(a), list(l.state_dict())",
        "l = nn.SyncBatchNorm(3, eps=1e-2, affine=False).eval()\nr = l(img), l.momentum",
        "l = nn.SyncBatchNorm(num_features=3, momentum=None, track_running_stats=True).eval()\n"
        "r = l(img[:, :, None])",
    ],
)

_VECTORS = "wt, bs = x[0, :3], x[1, :3]\n"
_RUNNING = "mean, var = torch.tensor([0.1, 0.2, 0.3]), torch.tensor([1.0, 2.0, 3.0])\n"
_same(
    "functional.batch_norm",
    "torch_batch_norm",
    [
        f"{_VECTORS}{_RUNNING}F.batch_norm(img, mean, var)",
        f"{_VECTORS}{_RUNNING}F.batch_norm(a, mean, var, wt, bs, training=True, momentum=0.2)",
        "F.batch_norm(img, None, None, training=True, eps=1e-2)",
    ],
    value=False,
)
_same(
    "functional.instance_norm",
    "torch_instance_norm",
    [
        "F.instance_norm(img)",
        f"{_VECTORS}F.instance_norm(a, weight=wt, bias=bs, eps=1e-2)",
        f"{_RUNNING}F.instance_norm(a, mean, var, use_input_stats=False)",
    ],
    value=False,
)
_same(
    "functional.layer_norm",
    "torch_layer_norm",
    [
        "F.layer_norm(x, (4,))",
        "F.layer_norm(x, x.shape)",
        "F.layer_norm(a, [3, 4], x, y, 1e-3)",
        "F.layer_norm(x, x.shape[1:], weight=y[0])",
        "F.layer_norm(x, (4,), eps=-0.01)",
    ],
    value=False,
)
_same(
    "functional.group_norm",
    "torch_group_norm",
    [
        "F.group_norm(a, 3)",
        f"{_VECTORS}F.group_norm(img, 1, weight=wt, bias=bs, eps=1e-2)",
        "(F.group_norm(w, 2) * y).sum().backward()\ng = w.grad",
        "v = torch.tensor([0.0, 0.0, 1.0, 2.0], requires_grad=True)\n"
        "(F.group_norm(w, 2, v, v * 2) * y).sum().backward()\ng = w.grad, v.grad",
    ],
    value=False,
)
_same(
    "functional.rms_norm",
    "torch_rms_norm",
    [
        "F.rms_norm(x, (4,))",
        "F.rms_norm(a, [3, 4], weight=y, eps=1e-2)",
    ],
    value=False,
)
_same(
    "functional.local_response_norm",
    "torch_local_response_norm",
    [
        "F.local_response_norm(img, 2)",
        "F.local_response_norm((img * 9).long(), 2, 0.5)",
        "F.local_response_norm(a, 3, 0.1, beta=0.5, k=2.0)",
    ],
    value=False,
)
