"""`torch.nn.utils`, without packed sequences."""

from __future__ import annotations

from workbench.upstream.cases.preludes import SEED

_AFTER = "\ng, h = net.weight.grad, net.bias.grad"
_FUSED = SEED + "bn = _seed(nn.BatchNorm2d(2)).eval()\n"
_NET = SEED + "net = _seed(nn.Linear(4, 3))\n(net(x) ** 2).sum().backward()\n"
_HALVED = (
    "class _Halved(nn.Module):\n    def forward(self, v):\n        return v / 2\n"
    + SEED
    + "l = _seed(nn.Linear(4, 3))\nimport torch.nn.utils.parametrize as _z\n"
    "_z.register_parametrization(l, 'weight', _Halved())\n"
)

CASES: dict[str, tuple[str, ...]] = {
    "torch.nn.utils.clip_grad_norm_": (
        (_NET + "total = nn.utils.clip_grad_norm_(net.parameters(), 1.0)" + _AFTER),
        (
            _NET + "total = nn.utils.clip_grad_norm_(net.parameters(), max_norm=0.5, "
            "norm_type=float('inf'), error_if_nonfinite=True)" + _AFTER
        ),
        (_NET + "total = nn.utils.clip_grad_norm_(net.weight, 1e6, 1)" + _AFTER),
    ),
    "torch.nn.utils.clip_grad_value_": (
        (_NET + "nn.utils.clip_grad_value_(net.parameters(), clip_value=0.3)" + _AFTER),
    ),
    "torch.nn.utils.clip_grads_with_norm_": (
        (
            _NET
            + "nn.utils.clip_grads_with_norm_(net.parameters(), 1.0, torch.tensor(4.0))"
            + _AFTER
        ),
    ),
    "torch.nn.utils.get_total_norm": (
        "nn.utils.get_total_norm([x, y])",
        "nn.utils.get_total_norm([x], 1.0)",
    ),
    "torch.nn.utils.clip_grad_norm": (
        (_NET + "nn.utils.clip_grad_norm(net.parameters(), 1.0)" + _AFTER),
    ),
    "torch.nn.utils.parameters_to_vector": (
        (_NET + "nn.utils.parameters_to_vector(net.parameters())"),
    ),
    "torch.nn.utils.vector_to_parameters": (
        (
            _NET + "v = nn.utils.parameters_to_vector(net.parameters())\n"
            "nn.utils.vector_to_parameters(v * 2, net.parameters())\nr = net.weight, net.bias"
        ),
        # The parameters are views of the vector: a step changes both.
        (
            _NET + "v = torch.linspace(-1, 1, 15)\n"
            "nn.utils.vector_to_parameters(v, net.parameters())\n"
            "_o = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)\n"
            "for _ in range(2):\n    _o.zero_grad()\n    net(x).square().sum().backward()\n"
            "    _o.step()\nr = v.clone(), net.weight, net.bias"
        ),
        (
            _NET + "v = torch.linspace(-1, 1, 30).view(2, 15)\n"
            "nn.utils.vector_to_parameters(v[1], net.parameters())\nv *= 2\n"
            "_o = torch.optim.Adam(net.parameters(), lr=0.1)\nnet(x).square().sum().backward()\n"
            "_o.step()\nr = v.clone(), net.weight, net.bias"
        ),
    ),
    "torch.nn.utils.fuse_conv_bn_weights": (
        (
            "k = torch.tensor(np.cos(np.arange(54.0)).reshape(2, 3, 3, 3).astype('float32'))\n"
            "v = torch.tensor([0.5, 2.0])\n"
            "nn.utils.fuse_conv_bn_weights(k, None, v, v, 1e-5, v * 2, v + 1)"
        ),
    ),
    "torch.nn.utils.skip_init": (
        (
            "l = nn.utils.skip_init(nn.Linear, 4, 3, bias=False)\nr = l.weight.shape, l.bias\n"
            "l = None"
        ),
    ),
    "torch.nn.utils.weight_norm": (
        (
            SEED
            + "l = _seed(nn.utils.weight_norm(nn.Linear(4, 3)))\nr = l(x), list(l.state_dict())\n"
            "l(x).sum().backward()\n_p = dict(l.named_parameters())\n"
            "g, h = _p['weight_g'].grad, _p['weight_v'].grad"
        ),
        (SEED + "l = _seed(nn.utils.weight_norm(nn.Conv1d(3, 2, 1), dim=None))\nl(a)"),
    ),
    "torch.nn.utils.remove_weight_norm": (
        (
            SEED + "l = _seed(nn.utils.weight_norm(nn.Linear(4, 3), 'weight', 1))\n"
            "nn.utils.remove_weight_norm(l)\nr = l(x), list(l.state_dict())"
        ),
    ),
    "torch.nn.utils.spectral_norm": (
        (
            SEED + "l = _seed(nn.utils.spectral_norm(nn.Linear(4, 3)))\n"
            "r = l(x), l(x), l.eval()(x), list(l.state_dict())"
        ),
        (
            "l = nn.utils.spectral_norm(nn.Conv2d(3, 2, 3, bias=False))\n"
            "nn.init.constant_(l.weight.data, 0.5)\n"
            "before = l.weight_orig.detach().clone()\n"
            "y = l(img)\n"
            "r = before, l.weight_orig, [name for name, _ in l.named_parameters()]"
        ),
        (
            "l = nn.utils.spectral_norm(nn.Linear(4, 3))\n"
            "l.weight.data.fill_(2.0)\n"
            "r = l.weight_orig, l.weight.detach()"
        ),
    ),
    "torch.nn.utils.remove_spectral_norm": (
        (
            SEED + "l = _seed(nn.utils.spectral_norm(nn.Linear(4, 1)))\nl(x)\nl.eval()\n"
            "r = nn.utils.remove_spectral_norm(l) is l, list(l.state_dict()), l(x), l.weight"
        ),
    ),
    "torch.nn.utils.parametrize.register_parametrization": (
        (
            _HALVED + "l(x).sum().backward()\nr = l(x), list(l.state_dict()), l.weight\n"
            "g = l.parametrizations.weight.original.grad"
        ),
        (
            _HALVED + "nn.utils.parametrize.register_parametrization(l, 'weight', _Halved())\n"
            "nn.utils.parametrize.register_parametrization(l, 'bias', _Halved())\n"
            "r = l(x), l.bias, list(l.state_dict())"
        ),
        (
            _HALVED + "_Halved.right_inverse = lambda self, v: v * 2\nl.weight = torch.ones(3, 4)\n"
            "r = l(x), l.weight, l.parametrizations.weight.original, list(l.state_dict())"
        ),
        _HALVED + "l.weight = torch.ones(3, 4)",
    ),
    "torch.nn.utils.parametrize.remove_parametrizations": (
        (
            _HALVED + "o = l.parametrizations.weight.original\n"
            "nn.utils.parametrize.remove_parametrizations(l, 'weight')\n"
            "r = l(x), list(l.state_dict()), o is l.weight, o"
        ),
        (
            _HALVED + "nn.utils.parametrize.remove_parametrizations(l, 'weight', "
            "leave_parametrized=False)\nr = l(x)"
        ),
    ),
    "torch.nn.utils.parametrize.is_parametrized": (
        (_HALVED + "r = [nn.utils.parametrize.is_parametrized(l, k) for k in ('weight', 'bias')]"),
        (_HALVED + "nn.utils.parametrize.is_parametrized(l)"),
    ),
    "torch.nn.utils.parametrize.cached": (
        (_HALVED + "with nn.utils.parametrize.cached():\n    r = l(x), l.weight"),
    ),
    "torch.nn.utils.parametrize.type_before_parametrizations": (
        (_HALVED + "nn.utils.parametrize.type_before_parametrizations(l) is nn.Linear"),
    ),
    "torch.nn.utils.parametrizations.weight_norm": (
        (
            SEED + "l = nn.utils.parametrizations.weight_norm(_seed(nn.Linear(4, 3)))\n"
            "r = l(x), l.weight, list(l.state_dict())\nl(x).sum().backward()\n"
            "_p = dict(l.named_parameters())\n"
            "g = [_p[f'parametrizations.weight.original{k}'].grad for k in (0, 1)]"
        ),
        (
            SEED
            + "l = nn.utils.parametrizations.weight_norm(_seed(nn.Conv1d(3, 2, 1)), dim=None)\n"
            "l(a)"
        ),
        (
            SEED + "l = nn.utils.parametrizations.weight_norm(_seed(nn.Linear(4, 3)))\n"
            "w = torch.arange(12.).reshape(3, 4) + 1\nl.weight = w\nl.bias = None\n"
            "p = l.parametrizations.weight\nv, g = p.original1.detach(), p.original0.detach()\n"
            "_o = torch.optim.SGD(l.parameters(), lr=0.5)\n"
            "(l(x) ** 2).mean().backward()\n_o.step()\nr = l(x), l.weight, w\n"
            "nn.utils.parametrize.remove_parametrizations(l, 'weight')\n"
            "l.weight = nn.Parameter(torch.ones(3, 4))\nlast = l.weight"
        ),
        (
            SEED + "l = nn.utils.parametrizations.weight_norm(_seed(nn.Linear(4, 3)))\n"
            "l.weight.data.copy_(torch.ones(3, 4))\nnn.init.zeros_(l.weight)\nr = l.weight\n"
        ),
        (
            SEED + "l = nn.utils.parametrizations.weight_norm(_seed(nn.Linear(4, 3)))\n"
            "l.weight = nn.Parameter(torch.ones(3, 4))"
        ),
    ),
    "torch.nn.utils.parametrizations.spectral_norm": (
        (
            SEED + "l = nn.utils.parametrizations.spectral_norm(_seed(nn.Linear(4, 1)))\n"
            "r = l(x), l.eval()(x), l.weight, list(l.state_dict())"
        ),
    ),
    "torch.nn.utils.parametrizations.orthogonal": (
        (
            SEED + "l = nn.utils.parametrizations.orthogonal(_seed(nn.Linear(4, 4)), "
            "'weight', 'matrix_exp')\nr = l(x), l.weight, list(l.state_dict())\n"
            "l(x).sum().backward()\n"
            "_p = dict(l.named_parameters())['parametrizations.weight.original']\n"
            "v, g = _p.detach(), _p.grad.shape\ng = _p.grad"
        ),
        (
            SEED + "l = nn.utils.parametrizations.orthogonal(_seed(nn.Linear(4, 6)), "
            "'weight', 'matrix_exp')\nr = l(x), l.weight, list(l.state_dict())\n"
            "l(x).sum().backward()\n"
            "_p = dict(l.named_parameters())['parametrizations.weight.original']\n"
            "v, g = _p.detach(), _p.grad.shape\n"
        ),
        (
            SEED + "l = nn.utils.parametrizations.orthogonal(_seed(nn.Linear(4, 2)), "
            "'weight', 'matrix_exp')\nr = l(x), l.weight, list(l.state_dict())\n"
            "l(x).sum().backward()\n"
            "_p = dict(l.named_parameters())['parametrizations.weight.original']\n"
            "v, g = _p.detach(), _p.grad.shape\n"
        ),
        (
            SEED + "l = nn.utils.parametrizations.orthogonal(_seed(nn.Linear(4, 4)), "
            "'weight', 'cayley')\nr = l(x), l.weight, list(l.state_dict())\n"
            "l(x).sum().backward()\n"
            "_p = dict(l.named_parameters())['parametrizations.weight.original']\n"
            "v, g = _p.detach(), _p.grad.shape\ng = _p.grad"
        ),
        (
            SEED + "l = nn.utils.parametrizations.orthogonal(_seed(nn.Linear(4, 6)), "
            "'weight', 'cayley')\nr = l(x), l.weight, list(l.state_dict())\n"
            "l(x).sum().backward()\n"
            "_p = dict(l.named_parameters())['parametrizations.weight.original']\n"
            "v, g = _p.detach(), _p.grad.shape\n"
        ),
        (
            SEED + "l = nn.utils.parametrizations.orthogonal(_seed(nn.Linear(4, 2)), "
            "'weight', 'cayley')\nr = l(x), l.weight, list(l.state_dict())\n"
            "l(x).sum().backward()\n"
            "_p = dict(l.named_parameters())['parametrizations.weight.original']\n"
            "v, g = _p.detach(), _p.grad.shape\n"
        ),
        (
            SEED + "l = nn.utils.parametrizations.orthogonal(_seed(nn.Linear(4, 4)), "
            "'weight', 'householder')\nr = l(x), l.weight, list(l.state_dict())\n"
            "l(x).sum().backward()\n"
            "_p = dict(l.named_parameters())['parametrizations.weight.original']\n"
            "v, g = _p.detach(), _p.grad.shape\ng = _p.grad"
        ),
        (
            SEED + "l = nn.utils.parametrizations.orthogonal(_seed(nn.Linear(4, 6)), "
            "'weight', 'householder')\nr = l(x), l.weight, list(l.state_dict())\n"
            "l(x).sum().backward()\n"
            "_p = dict(l.named_parameters())['parametrizations.weight.original']\n"
            "v, g = _p.detach(), _p.grad.shape\n"
        ),
        (
            SEED + "l = nn.utils.parametrizations.orthogonal(_seed(nn.Linear(4, 2)), "
            "'weight', 'householder')\nr = l(x), l.weight, list(l.state_dict())\n"
            "l(x).sum().backward()\n"
            "_p = dict(l.named_parameters())['parametrizations.weight.original']\n"
            "v, g = _p.detach(), _p.grad.shape\n"
        ),
        (
            SEED + "l = nn.utils.parametrizations.orthogonal(_seed(nn.Linear(3, 5)), "
            "use_trivialization=False)\n_o = torch.optim.SGD(l.parameters(), lr=0.5)\n"
            "(l(x[:, :3]) ** 2).sum().backward()\n_o.step()\n"
            "r = l.weight, l.parametrizations.weight.original"
        ),
        (
            "l = nn.utils.parametrizations.orthogonal(nn.Linear(3, 5))\n"
            "torch.allclose(l.weight.T @ l.weight, torch.eye(3), atol=1e-5)"
        ),
        "nn.utils.parametrizations.orthogonal(nn.Linear(4, 4), name='bias')",
    ),
    "torch.nn.utils.fuse_conv_bn_eval": (
        (
            _FUSED + "l = _seed(nn.Conv2d(3, 2, 3)).eval()\n"
            "f = nn.utils.fusion.fuse_conv_bn_eval(l, bn)\n"
            "r = f(img), bn(l(img)), f.bias, f is l"
        ),
        (
            _FUSED + "l = _seed(nn.ConvTranspose2d(3, 2, 2, bias=False)).eval()\n"
            "f = nn.utils.fusion.fuse_conv_bn_eval(l, bn, transpose=True)\nr = f(img), f.weight"
        ),
        (_FUSED + "nn.utils.fusion.fuse_conv_bn_eval(nn.Conv2d(3, 2, 3), bn)"),
    ),
    "torch.nn.utils.fuse_linear_bn_eval": (
        (
            SEED + "bn = _seed(nn.BatchNorm1d(3)).eval()\nl = _seed(nn.Linear(4, 3)).eval()\n"
            "f = nn.utils.fusion.fuse_linear_bn_eval(l, bn)\nr = f(x), f.weight, f.bias"
        ),
    ),
    "torch.nn.utils.fuse_linear_bn_weights": (
        (
            "v = torch.tensor([0.5, 2.0, 1.0])\n"
            "nn.utils.fuse_linear_bn_weights(x, None, v, v, 1e-5, v * 2, v + 1)"
        ),
    ),
    "torch.nn.SyncBatchNorm.convert_sync_batchnorm": (
        (
            SEED + "l = _seed(nn.Sequential(nn.Conv2d(3, 2, 1), nn.BatchNorm2d(2))).eval()\n"
            "s = nn.SyncBatchNorm.convert_sync_batchnorm(l)\n"
            "r = s(img), isinstance(s[1], nn.SyncBatchNorm), list(s.state_dict()), s is l"
        ),
    ),
}
