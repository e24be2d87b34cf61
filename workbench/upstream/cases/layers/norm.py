"""Normalisation layers and their functions."""

from __future__ import annotations

from workbench.upstream.cases.preludes import RUNNING, SEED, VECTORS

_STATE = "\nr = l.running_mean, l.running_var, l.num_batches_tracked, list(l.state_dict())"

CASES: dict[str, tuple[str, ...]] = {
    "torch.nn.BatchNorm1d": (
        (SEED + "l = _seed(nn.BatchNorm1d(3))\nv = l(a)\nl(a * 2)" + _STATE),
        (SEED + "l = _seed(nn.BatchNorm1d(3, momentum=0.3, eps=1e-3)).eval()\nv = l(a)" + _STATE),
        (
            SEED + "l = _seed(nn.BatchNorm1d(3))\nv = a.clone().requires_grad_()\n"
            "(l(v) ** 3).sum().backward()\ng, h, k = v.grad, l.weight.grad, l.bias.grad" + _STATE
        ),
        ("l = nn.BatchNorm1d(3, affine=False, momentum=None)\nv = l(a), l(a + 1)" + _STATE),
        (
            "l = nn.BatchNorm1d(num_features=3, track_running_stats=False).eval()\nv = l(a)\n"
            "list(l.state_dict()), l.running_mean"
        ),
        ("l = nn.BatchNorm1d(3, dtype=torch.float64)\nv = l(a.double())" + _STATE),
    ),
    "torch.nn.InstanceNorm1d": (
        "l = nn.InstanceNorm1d(3)\nv = l(a), l(a[0]), list(l.state_dict())",
        (
            SEED + "l = _seed(nn.InstanceNorm1d(3, affine=True, track_running_stats=True))\n"
            "v = l(a), l.eval()(a)" + _STATE
        ),
    ),
    "torch.nn.BatchNorm2d": (
        (SEED + "l = _seed(nn.BatchNorm2d(3))\nv = l(img)\nl(img * 2)" + _STATE),
        (SEED + "l = _seed(nn.BatchNorm2d(3, momentum=0.3, eps=1e-3)).eval()\nv = l(img)" + _STATE),
        (
            SEED + "l = _seed(nn.BatchNorm2d(3))\nv = img.clone().requires_grad_()\n"
            "(l(v) ** 3).sum().backward()\ng, h, k = v.grad, l.weight.grad, l.bias.grad" + _STATE
        ),
        ("l = nn.BatchNorm2d(3, affine=False, momentum=None)\nv = l(img), l(img + 1)" + _STATE),
        (
            "l = nn.BatchNorm2d(num_features=3, track_running_stats=False).eval()\nv = l(img)\n"
            "list(l.state_dict()), l.running_mean"
        ),
        ("l = nn.BatchNorm2d(3, dtype=torch.float64)\nv = l(img.double())" + _STATE),
    ),
    "torch.nn.InstanceNorm2d": (
        "l = nn.InstanceNorm2d(3)\nv = l(img), l(img[0]), list(l.state_dict())",
        (
            SEED + "l = _seed(nn.InstanceNorm2d(3, affine=True, track_running_stats=True))\n"
            "v = l(img), l.eval()(img)" + _STATE
        ),
    ),
    "torch.nn.BatchNorm3d": (
        (
            SEED
            + "l = _seed(nn.BatchNorm3d(3))\nv = l(img[:, :, None])\nl(img[:, :, None] * 2)"
            + _STATE
        ),
        (
            SEED + "l = _seed(nn.BatchNorm3d(3, momentum=0.3, eps=1e-3)).eval()\n"
            "v = l(img[:, :, None])" + _STATE
        ),
        (
            SEED + "l = _seed(nn.BatchNorm3d(3))\nv = img[:, :, None].clone().requires_grad_()\n"
            "(l(v) ** 3).sum().backward()\ng, h, k = v.grad, l.weight.grad, l.bias.grad" + _STATE
        ),
        (
            "l = nn.BatchNorm3d(3, affine=False, momentum=None)\n"
            "v = l(img[:, :, None]), l(img[:, :, None] + 1)" + _STATE
        ),
        (
            "l = nn.BatchNorm3d(num_features=3, track_running_stats=False).eval()\n"
            "v = l(img[:, :, None])\nlist(l.state_dict()), l.running_mean"
        ),
        ("l = nn.BatchNorm3d(3, dtype=torch.float64)\nv = l(img[:, :, None].double())" + _STATE),
    ),
    "torch.nn.InstanceNorm3d": (
        (
            "l = nn.InstanceNorm3d(3)\n"
            "v = l(img[:, :, None]), l(img[:, :, None][0]), list(l.state_dict())"
        ),
        (
            SEED + "l = _seed(nn.InstanceNorm3d(3, affine=True, track_running_stats=True))\n"
            "v = l(img[:, :, None]), l.eval()(img[:, :, None])" + _STATE
        ),
    ),
    "torch.nn.LayerNorm": (
        (SEED + "l = _seed(nn.LayerNorm(4))\nr = l(x), l.weight.shape, l.normalized_shape"),
        (SEED + "l = _seed(nn.LayerNorm((3, 4), eps=1e-3))\nr = l(a), l.weight"),
        "l = nn.LayerNorm([4], elementwise_affine=False)\nr = l(x), l.weight, l.bias",
        (
            SEED + "l = _seed(nn.LayerNorm(4)).requires_grad_(False)\n(l(w) * y).sum().backward()\n"
            "g = w.grad"
        ),
        (
            SEED + "l = _seed(nn.LayerNorm(4, eps=0.1))\nv = l(w)\n(v ** 2).sum().backward()\n"
            "g, h = w.grad, l.weight.grad"
        ),
        ("l = nn.LayerNorm(4, bias=False, dtype=torch.float64)\nr = l(d), list(l.state_dict())"),
    ),
    "torch.nn.RMSNorm": (
        (SEED + "l = _seed(nn.RMSNorm(4))\nr = l(x), l.eps"),
        "nn.RMSNorm((3, 4), eps=1e-3, elementwise_affine=False)(a)",
    ),
    "torch.nn.GroupNorm": (
        (SEED + "l = _seed(nn.GroupNorm(2, 4))\nr = l(x), l.num_groups, l.num_channels"),
        (SEED + "l = _seed(nn.GroupNorm(1, 3, eps=1e-2))\nl(img)"),
        "nn.GroupNorm(3, 3, affine=False)(a)",
        (
            SEED + "net = _seed(nn.Sequential(nn.GroupNorm(1, 3), nn.ReLU(inplace=True)))\n"
            "k = img.clone().requires_grad_()\n(net(k) ** 2).sum().backward()\ng = k.grad"
        ),
    ),
    "torch.nn.LocalResponseNorm": (
        "nn.LocalResponseNorm(2)(img)",
        "nn.LocalResponseNorm(3, alpha=0.1, beta=0.5, k=2.0)(a)",
    ),
    "torch.nn.SyncBatchNorm": (
        (SEED + "l = _seed(nn.SyncBatchNorm(3)).eval()\nr = l(img), l(a), list(l.state_dict())"),
        "l = nn.SyncBatchNorm(3, eps=1e-2, affine=False).eval()\nr = l(img), l.momentum",
        (
            "l = nn.SyncBatchNorm(num_features=3, momentum=None, "
            "track_running_stats=True).eval()\nr = l(img[:, :, None])"
        ),
    ),
    "torch.nn.functional.batch_norm": (
        (VECTORS + RUNNING + "F.batch_norm(img, mean, var)"),
        (VECTORS + RUNNING + "F.batch_norm(a, mean, var, wt, bs, training=True, momentum=0.2)"),
        "F.batch_norm(img, None, None, training=True, eps=1e-2)",
    ),
    "torch.nn.functional.instance_norm": (
        "F.instance_norm(img)",
        (VECTORS + "F.instance_norm(a, weight=wt, bias=bs, eps=1e-2)"),
        (RUNNING + "F.instance_norm(a, mean, var, use_input_stats=False)"),
    ),
    "torch.nn.functional.layer_norm": (
        "F.layer_norm(x, (4,))",
        "F.layer_norm(x, x.shape)",
        "F.layer_norm(a, [3, 4], x, y, 1e-3)",
        "F.layer_norm(x, x.shape[1:], weight=y[0])",
        "F.layer_norm(x, (4,), eps=-0.01)",
    ),
    "torch.nn.functional.group_norm": (
        "F.group_norm(a, 3)",
        (VECTORS + "F.group_norm(img, 1, weight=wt, bias=bs, eps=1e-2)"),
        "(F.group_norm(w, 2) * y).sum().backward()\ng = w.grad",
        (
            "v = torch.tensor([0.0, 0.0, 1.0, 2.0], requires_grad=True)\n"
            "(F.group_norm(w, 2, v, v * 2) * y).sum().backward()\ng = w.grad, v.grad"
        ),
    ),
    "torch.nn.functional.rms_norm": (
        "F.rms_norm(x, (4,))",
        "F.rms_norm(a, [3, 4], weight=y, eps=1e-2)",
    ),
    "torch.nn.functional.local_response_norm": (
        "F.local_response_norm(img, 2)",
        "F.local_response_norm((img * 9).long(), 2, 0.5)",
        "F.local_response_norm(a, 3, 0.1, beta=0.5, k=2.0)",
    ),
}
