"""Linear and convolution layers, and their functions."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call
from workbench.upstream.cases.layers import SEED

rules = RuleSet()

rules.row(
    "torch.nn.Linear",
    same_call("torch.nn.Linear", "TorchLinear"),
    value="TorchLinear",
    cases=[
        f"{SEED}l = nn.Linear(4, 3)\n_seed(l)\nl(x)",
        f"{SEED}l = nn.Linear(4, 3)\n_seed(l)\nl(a).sum().backward()\ng = l.weight.grad",
        "l = nn.Linear(in_features=4, out_features=2, bias=False, dtype=torch.float64)\n"
        "nn.init.ones_(l.weight)\nr = l(d), l.in_features, l.out_features, l.bias",
        "l = nn.Linear(4, 100)\nr = bool(l.weight.abs().max() <= 0.5), l.weight.shape, "
        "bool(l.weight.abs().max() > 0.45)",
    ],
)
rules.row(
    "torch.nn.Bilinear",
    same_call("torch.nn.Bilinear", "TorchBilinear"),
    value="TorchBilinear",
    cases=[f"{SEED}l = nn.Bilinear(4, 4, 2)\n_seed(l)\nl(x, y)"],
)
rules.row(
    "torch.nn.Identity",
    "paddle.nn.Identity()",
    value="paddle.nn.Identity",
    ignored={"args": "they have no effect", "kwargs": "they have no effect"},
    cases=["nn.Identity()(x)", "nn.Identity(54, unused=0.1)(x)"],
)

for _name in ("Conv1d", "Conv2d", "Conv3d"):
    _dims = int(_name[4])
    _input = {1: "a", 2: "img", 3: "img[:, :, None]"}[_dims]
    _channels = 3
    rules.row(
        f"torch.nn.{_name}",
        same_call(f"torch.nn.{_name}", f"Torch{_name}"),
        value=f"Torch{_name}",
        cases=[
            f"{SEED}l = nn.{_name}(3, 4, 1)\n_seed(l)\nl({_input})",
            f"{SEED}l = nn.{_name}(3, 6, 3, padding=1, groups=3)\n_seed(l)\nl({_input})",
            f"{SEED}l = nn.{_name}(3, 4, kernel_size=(3,) * {_dims}, stride=2, padding=1, "
            "bias=False)\n"
            f"nn.init.constant_(l.weight, 0.1)\nr = l({_input}), l.kernel_size, l.stride, l.bias",
            f"{SEED}l = nn.{_name}(3, 4, 4, padding='same', dilation=2)\n_seed(l)\nl({_input}[0])",
            f"{SEED}l = nn.{_name}(3, 4, 3, padding=1, padding_mode='replicate')\n"
            f"_seed(l)\nl({_input})",
        ],
    )
    rules.row(
        f"torch.nn.ConvTranspose{_dims}d",
        same_call(f"torch.nn.ConvTranspose{_dims}d", f"TorchConvTranspose{_dims}d"),
        value=f"TorchConvTranspose{_dims}d",
        cases=[
            f"{SEED}l = nn.ConvTranspose{_dims}d(3, 4, 3, stride=2, padding=1, output_padding=1)\n"
            f"_seed(l)\nl({_input})",
            f"{SEED}l = nn.ConvTranspose{_dims}d(3, 6, 2, 2, groups=3, bias=False)\n"
            f"nn.init.constant_(l.weight, 0.1)\nr = l({_input}[0]), l.weight.shape",
        ],
    )
    _weight = (
        f"k = torch.tensor(np.cos(np.arange(4.0 * 3 * {3**_dims})).reshape((4, 3) + (3,) * {_dims})"
        ".astype('float32'))"
    )
    rules.row(
        f"torch.nn.functional.conv{_dims}d",
        same_call(f"torch.nn.functional.conv{_dims}d", "torch_conv"),
        cases=[
            f"{_weight}\nF.conv{_dims}d({_input}, k, padding=1)",
            f"{_weight}\nF.conv{_dims}d({_input}, k, torch.tensor([1.0, 2.0, 3.0, 4.0]), 2, 1)",
            f"{_weight}\nF.conv{_dims}d({_input}[0], k, padding='same')",
            f"{_weight}\nu, v = ({_input} * 9).long(), (k * 9).long()\n"
            f"F.conv{_dims}d(u, v, n.new_tensor([1, 2, 3, 4]), padding=1), "
            f"F.conv{_dims}d(torch.complex({_input}, {_input} * 2), torch.complex(k, 1 - k), "
            "padding=1)",
        ],
    )
    rules.row(
        f"torch.nn.functional.conv_transpose{_dims}d",
        same_call(f"torch.nn.functional.conv_transpose{_dims}d", "torch_conv_transpose"),
        cases=[
            f"{_weight[:-1]}.swapaxes(0, 1))\n"
            f"F.conv_transpose{_dims}d({_input}, k, stride=2, padding=1, output_padding=1)",
            f"{_weight[:-1]}.swapaxes(0, 1))\n"
            f"F.conv_transpose{_dims}d(({_input} * 9).long(), (k * 9).long(), stride=2)",
            f"{_weight[:-1]}.swapaxes(0, 1))\nv = torch.arange(4.0, requires_grad=True)\n"
            f"r = F.conv_transpose{_dims}d({_input}, k, v, 1, 0, 1, dilation=2)\n"
            "r.sum().backward()\ng = v.grad",
        ],
    )

rules.row(
    "torch.nn.functional.linear",
    "torch_linear({input}, {weight}, bias={bias})",
    cases=["F.linear(x, y)", "F.linear(a, sq, bias=sq[0])", "F.linear(x, y[0])"],
)
_GROUPS = (
    "u, v = x.reshape(6, 2).repeat(1, 4), torch.arange(384.).reshape(3, 8, 16) / 100\n"
    "k = torch.tensor([2, 2, 6], dtype=torch.int32)\n"
)
for _name, _first, _second in (
    ("torch.nn.functional.grouped_mm", "mat_a", "mat_b"),
    ("torch._grouped_mm", "self", "mat2"),
):
    rules.row(
        _name,
        f"torch_grouped_mm({{{_first}}}, {{{_second}}}, {{offs}})",
        cases=[
            f"{_GROUPS}r = {_name}(u, v, offs=k)",
            f"{_GROUPS}r = {_name}(u[:3, None].repeat(1, 4, 1), v)",
            f"{_GROUPS}r = {_name}(v[0].t(), v[1], offs=torch.tensor([1, 8], dtype=torch.int32))",
            f"{_GROUPS}r = {_name}(v.mT.contiguous()[:2], v[0].repeat(1, 2)[:, :32].repeat(2, 1),"
            " offs=torch.tensor([8, 32], dtype=torch.int32))",
        ],
    )
rules.row(
    "torch.nn.functional.bilinear",
    same_call("torch.nn.functional.bilinear", "torch_bilinear"),
    cases=[
        "k = torch.tensor(np.cos(np.arange(32.0)).reshape(2, 4, 4).astype('float32'))\n"
        "F.bilinear(x, y, k, n[:2])"
    ],
)
