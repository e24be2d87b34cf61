"""`torch.nn.utils`, without packed sequences."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call
from workbench.upstream.cases.layers import SEED

rules = RuleSet()

_FOREACH = {"foreach": "it only chooses how the same values are computed"}
_NET = f"{SEED}net = _seed(nn.Linear(4, 3))\n(net(x) ** 2).sum().backward()\n"
_AFTER = "\ng, h = net.weight.grad, net.bias.grad"

for _name, _cases in {
    "clip_grad_norm_": [
        f"{_NET}total = nn.utils.clip_grad_norm_(net.parameters(), 1.0){_AFTER}",
        f"{_NET}total = nn.utils.clip_grad_norm_(net.parameters(), max_norm=0.5, "
        f"norm_type=float('inf'), error_if_nonfinite=True){_AFTER}",
        f"{_NET}total = nn.utils.clip_grad_norm_(net.weight, 1e6, 1){_AFTER}",
    ],
    "clip_grad_value_": [
        f"{_NET}nn.utils.clip_grad_value_(net.parameters(), clip_value=0.3){_AFTER}",
    ],
    "clip_grads_with_norm_": [
        f"{_NET}nn.utils.clip_grads_with_norm_(net.parameters(), 1.0, torch.tensor(4.0)){_AFTER}",
    ],
    "get_total_norm": ["nn.utils.get_total_norm([x, y])", "nn.utils.get_total_norm([x], 1.0)"],
}.items():
    rules.row(
        f"torch.nn.utils.{_name}",
        same_call(f"torch.nn.utils.{_name}", f"torch_{_name}", without=("foreach",)),
        value=f"torch_{_name}",
        ignored=_FOREACH,
        cases=_cases,
    )
rules.row(
    "torch.nn.utils.clip_grad_norm",
    same_call("torch.nn.utils.clip_grad_norm", "torch_clip_grad_norm_", without=("foreach",)),
    ignored=_FOREACH,
    cases=[f"{_NET}nn.utils.clip_grad_norm(net.parameters(), 1.0){_AFTER}"],
)
rules.row(
    "torch.nn.utils.parameters_to_vector",
    "torch_parameters_to_vector({parameters})",
    value="torch_parameters_to_vector",
    cases=[f"{_NET}nn.utils.parameters_to_vector(net.parameters())"],
)
rules.row(
    "torch.nn.utils.vector_to_parameters",
    "torch_vector_to_parameters({vec}, {parameters})",
    value="torch_vector_to_parameters",
    cases=[
        f"{_NET}v = nn.utils.parameters_to_vector(net.parameters())\n"
        "nn.utils.vector_to_parameters(v * 2, net.parameters())\nr = net.weight, net.bias",
    ],
)
rules.row(
    "torch.nn.utils.fuse_conv_bn_weights",
    same_call("torch.nn.utils.fuse_conv_bn_weights", "torch_fuse_conv_bn_weights"),
    cases=[
        "k = torch.tensor(np.cos(np.arange(54.0)).reshape(2, 3, 3, 3).astype('float32'))\n"
        "v = torch.tensor([0.5, 2.0])\n"
        "nn.utils.fuse_conv_bn_weights(k, None, v, v, 1e-5, v * 2, v + 1)",
    ],
)


_WRAPPED = "`layer.register_forward_pre_hook` with a function that computes the weight"
rules.row(
    "torch.nn.utils.skip_init",
    "torch_skip_init(...)",
    value="torch_skip_init",
    note="the layer has its usual initial values, where torch leaves them undefined",
    cases=[
        "l = nn.utils.skip_init(nn.Linear, 4, 3, bias=False)\nr = l.weight.shape, l.bias\nl = None",
    ],
)
rules.row(
    "torch.nn.utils.weight_norm",
    "torch_weight_norm(...)",
    value="torch_weight_norm",
    signature="(module, name: str='weight', dim: int | None=0)",
    cases=[
        f"{SEED}l = _seed(nn.utils.weight_norm(nn.Linear(4, 3)))\nr = l(x), list(l.state_dict())\n"
        "l(x).sum().backward()\n_p = dict(l.named_parameters())\n"
        "g, h = _p['weight_g'].grad, _p['weight_v'].grad",
        f"{SEED}l = _seed(nn.utils.weight_norm(nn.Conv1d(3, 2, 1), dim=None))\nl(a)",
    ],
)
rules.row(
    "torch.nn.utils.remove_weight_norm",
    "torch_remove_weight_norm(...)",
    value="torch_remove_weight_norm",
    cases=[
        f"{SEED}l = _seed(nn.utils.weight_norm(nn.Linear(4, 3), 'weight', 1))\n"
        "nn.utils.remove_weight_norm(l)\nr = l(x), list(l.state_dict())",
    ],
)
rules.row(
    "torch.nn.utils.spectral_norm",
    "torch_spectral_norm(...)",
    value="torch_spectral_norm",
    signature="(module, name: str='weight', n_power_iterations: int=1, eps: float=1e-12, "
    "dim: int | None=None)",
    cases=[
        f"{SEED}l = _seed(nn.utils.spectral_norm(nn.Linear(4, 3)))\n"
        "r = l(x), l(x), l.eval()(x), list(l.state_dict())",
    ],
)
rules.row(
    "torch.nn.utils.remove_spectral_norm",
    "torch_remove_spectral_norm({module}, {name})",
    value="torch_remove_spectral_norm",
    cases=[
        f"{SEED}l = _seed(nn.utils.spectral_norm(nn.Linear(4, 1)))\nl(x)\nl.eval()\n"
        "r = nn.utils.remove_spectral_norm(l) is l, list(l.state_dict()), l(x), l.weight",
    ],
)
_HALVED = (
    "class _Halved(nn.Module):\n    def forward(self, v):\n        return v / 2\n"
    f"{SEED}l = _seed(nn.Linear(4, 3))\nimport torch.nn.utils.parametrize as _z\n"
    "_z.register_parametrization(l, 'weight', _Halved())\n"
)
for _name, _cases in {
    "register_parametrization": [
        f"{_HALVED}l(x).sum().backward()\nr = l(x), list(l.state_dict()), l.weight\n"
        "g = l.parametrizations.weight.original.grad",
        f"{_HALVED}nn.utils.parametrize.register_parametrization(l, 'weight', _Halved())\n"
        "nn.utils.parametrize.register_parametrization(l, 'bias', _Halved())\n"
        "r = l(x), l.bias, list(l.state_dict())",
    ],
    "remove_parametrizations": [
        f"{_HALVED}o = l.parametrizations.weight.original\n"
        "nn.utils.parametrize.remove_parametrizations(l, 'weight')\n"
        "r = l(x), list(l.state_dict()), o is l.weight, o",
        f"{_HALVED}nn.utils.parametrize.remove_parametrizations(l, 'weight', "
        "leave_parametrized=False)\nr = l(x)",
    ],
    "is_parametrized": [
        f"{_HALVED}r = [nn.utils.parametrize.is_parametrized(l, k) for k in ('weight', 'bias')]",
        f"{_HALVED}nn.utils.parametrize.is_parametrized(l)",
    ],
}.items():
    rules.row(
        f"torch.nn.utils.parametrize.{_name}",
        f"torch_{_name}(...)",
        value=f"torch_{_name}",
        cases=_cases,
    )
rules.row(
    "torch.nn.utils.parametrize.cached",
    "torch_parametrizations_cached()",
    value="torch_parametrizations_cached",
    note="the tensors are computed at every reading, with the same values",
    cases=[f"{_HALVED}with nn.utils.parametrize.cached():\n    r = l(x), l.weight"],
)
rules.row(
    "torch.nn.utils.parametrize.type_before_parametrizations",
    "getattr({module}, '_torch_plain', type({module}))",
    cases=[f"{_HALVED}nn.utils.parametrize.type_before_parametrizations(l) is nn.Linear"],
)
rules.row(
    "torch.nn.utils.parametrizations.weight_norm",
    "torch_parametrized_weight_norm(...)",
    value="torch_parametrized_weight_norm",
    cases=[
        f"{SEED}l = nn.utils.parametrizations.weight_norm(_seed(nn.Linear(4, 3)))\n"
        "r = l(x), l.weight, list(l.state_dict())\nl(x).sum().backward()\n"
        "_p = dict(l.named_parameters())\n"
        "g = [_p[f'parametrizations.weight.original{k}'].grad for k in (0, 1)]",
        f"{SEED}l = nn.utils.parametrizations.weight_norm(_seed(nn.Conv1d(3, 2, 1)), dim=None)\n"
        "l(a)",
    ],
)
rules.row(
    "torch.nn.utils.parametrizations.spectral_norm",
    "torch_parametrized_spectral_norm(...)",
    value="torch_parametrized_spectral_norm",
    note="the power iteration starts from other random numbers",
    cases=[
        f"{SEED}l = nn.utils.parametrizations.spectral_norm(_seed(nn.Linear(4, 1)))\n"
        "r = l(x), l.eval()(x), l.weight, list(l.state_dict())",
    ],
)
_ORTHOGONAL = "nn.utils.parametrizations.orthogonal"
rules.row(
    f"torch.{_ORTHOGONAL}",
    "torch_parametrized_orthogonal(...)",
    value="torch_parametrized_orthogonal",
    note="the rest of a matrix that is not square is drawn from other random numbers",
    cases=[
        *(
            f"{SEED}l = {_ORTHOGONAL}(_seed(nn.Linear(4, {_rows})), 'weight', {_kind!r})\n"
            "r = l(x), l.weight, list(l.state_dict())\nl(x).sum().backward()\n"
            "_p = dict(l.named_parameters())['parametrizations.weight.original']\n"
            "v, g = _p.detach(), _p.grad.shape\n" + ("g = _p.grad" if _rows == 4 else "")
            for _kind in ("matrix_exp", "cayley", "householder")
            for _rows in (4, 6, 3)
        ),
        f"{SEED}l = {_ORTHOGONAL}(_seed(nn.Linear(3, 5)), use_trivialization=False)\n"
        "_o = torch.optim.SGD(l.parameters(), lr=0.5)\n(l(x[:, :3]) ** 2).sum().backward()\n"
        "_o.step()\nr = l.weight, l.parametrizations.weight.original",
        f"l = {_ORTHOGONAL}(nn.Linear(3, 5))\n"
        "torch.allclose(l.weight.T @ l.weight, torch.eye(3), atol=1e-5)",
        f"{_ORTHOGONAL}(nn.Linear(4, 4), name='bias')",
    ],
)
rules.refuse(
    "torch.nn.utils.parametrize.ParametrizationList",
    "torch.nn.utils.parametrize.transfer_parametrizations_and_params",
    reason="this part of torch's parametrizations is not written for Paddle yet",
    instead=_WRAPPED,
)
rules.refuse(
    "torch.nn.utils.convert_conv2d_weight_memory_format",
    "torch.nn.utils.convert_conv3d_weight_memory_format",
    reason="Paddle has no memory formats",
    instead="leave it out",
)
_FUSED = f"{SEED}bn = _seed(nn.BatchNorm2d(2)).eval()\n"
rules.row(
    "torch.nn.utils.fuse_conv_bn_eval",
    "torch_fuse_conv_bn_eval(...)",
    value="torch_fuse_conv_bn_eval",
    cases=[
        f"{_FUSED}l = _seed(nn.Conv2d(3, 2, 3)).eval()\n"
        "f = nn.utils.fusion.fuse_conv_bn_eval(l, bn)\nr = f(img), bn(l(img)), f.bias, f is l",
        f"{_FUSED}l = _seed(nn.ConvTranspose2d(3, 2, 2, bias=False)).eval()\n"
        "f = nn.utils.fusion.fuse_conv_bn_eval(l, bn, transpose=True)\nr = f(img), f.weight",
        f"{_FUSED}nn.utils.fusion.fuse_conv_bn_eval(nn.Conv2d(3, 2, 3), bn)",
    ],
)
rules.row(
    "torch.nn.utils.fuse_linear_bn_eval",
    "torch_fuse_linear_bn_eval(...)",
    value="torch_fuse_linear_bn_eval",
    cases=[
        f"{SEED}bn = _seed(nn.BatchNorm1d(3)).eval()\nl = _seed(nn.Linear(4, 3)).eval()\n"
        "f = nn.utils.fusion.fuse_linear_bn_eval(l, bn)\nr = f(x), f.weight, f.bias",
    ],
)
rules.row(
    "torch.nn.utils.fuse_linear_bn_weights",
    "torch_fuse_linear_bn_weights(...)",
    value="torch_fuse_linear_bn_weights",
    cases=[
        "v = torch.tensor([0.5, 2.0, 1.0])\n"
        "nn.utils.fuse_linear_bn_weights(x, None, v, v, 1e-5, v * 2, v + 1)",
    ],
)
rules.row(
    "torch.nn.SyncBatchNorm.convert_sync_batchnorm",
    "torch_convert_sync_batchnorm({module}, {process_group})",
    value="torch_convert_sync_batchnorm",
    caveat="each process counts the statistics of its own batch",
    cases=[
        f"{SEED}l = _seed(nn.Sequential(nn.Conv2d(3, 2, 1), nn.BatchNorm2d(2))).eval()\n"
        "s = nn.SyncBatchNorm.convert_sync_batchnorm(l)\n"
        "r = s(img), isinstance(s[1], nn.SyncBatchNorm), list(s.state_dict()), s is l",
    ],
)
