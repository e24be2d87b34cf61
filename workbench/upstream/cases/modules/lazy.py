"""Layers that infer the size of their input in their first call."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike
from workbench.upstream.cases.preludes import SEED

CASES: dict[str, tuple[str, ...]] = {
    "torch.nn.LazyLinear": (
        (
            SEED + "l = nn.LazyLinear(3)\nl(x)\n_seed(l)\n"
            "r = l(x), list(l.state_dict()), type(l) is nn.Linear, l.in_features"
        ),
        (
            SEED + "l = nn.LazyLinear(3)\n_o = torch.optim.SGD(l.parameters(), lr=0.5)\nl(x)\n"
            "_seed(l)\n(l(x) ** 2).sum().backward()\n_o.step()\nr = l(x)"
        ),
        (SEED + "l = nn.LazyLinear(3).double()\nl(x.double())\n_seed(l)\nr = l(x.double())"),
        (
            SEED + "l = nn.LazyLinear(out_features=2, bias=False)\nl(x)\n_seed(l)\n"
            "r = l(x), list(l.state_dict()), type(l) is nn.Linear, l.in_features"
        ),
        (
            SEED + "l = nn.LazyLinear(out_features=2, bias=False)\n"
            "_o = torch.optim.SGD(l.parameters(), lr=0.5)\nl(x)\n_seed(l)\n"
            "(l(x) ** 2).sum().backward()\n_o.step()\nr = l(x)"
        ),
        (
            SEED
            + "l = nn.LazyLinear(out_features=2, bias=False).double()\nl(x.double())\n_seed(l)\n"
            "r = l(x.double())"
        ),
    ),
    "torch.nn.LazyConv1d": (
        (
            SEED + "l = nn.LazyConv1d(6, 1)\nl(a)\n_seed(l)\n"
            "r = l(a), list(l.state_dict()), type(l) is nn.Conv1d, l.in_channels"
        ),
        (
            SEED + "l = nn.LazyConv1d(6, 1)\n_o = torch.optim.SGD(l.parameters(), lr=0.5)\nl(a)\n"
            "_seed(l)\n(l(a) ** 2).sum().backward()\n_o.step()\nr = l(a)"
        ),
        (SEED + "l = nn.LazyConv1d(6, 1).double()\nl(a.double())\n_seed(l)\nr = l(a.double())"),
        (
            SEED + "l = nn.LazyConv1d(3, kernel_size=1, groups=3)\nl(a)\n_seed(l)\n"
            "r = l(a), list(l.state_dict()), type(l) is nn.Conv1d, l.in_channels"
        ),
        (
            SEED + "l = nn.LazyConv1d(3, kernel_size=1, groups=3)\n"
            "_o = torch.optim.SGD(l.parameters(), lr=0.5)\nl(a)\n_seed(l)\n"
            "(l(a) ** 2).sum().backward()\n_o.step()\nr = l(a)"
        ),
        (
            SEED
            + "l = nn.LazyConv1d(3, kernel_size=1, groups=3).double()\nl(a.double())\n_seed(l)\n"
            "r = l(a.double())"
        ),
    ),
    "torch.nn.LazyConvTranspose1d": (
        (
            SEED + "l = nn.LazyConvTranspose1d(4, 1, bias=False)\nl(a)\n_seed(l)\n"
            "r = l(a), list(l.state_dict()), type(l) is nn.ConvTranspose1d, l.in_channels"
        ),
        (
            SEED + "l = nn.LazyConvTranspose1d(4, 1, bias=False)\n"
            "_o = torch.optim.SGD(l.parameters(), lr=0.5)\nl(a)\n_seed(l)\n"
            "(l(a) ** 2).sum().backward()\n_o.step()\nr = l(a)"
        ),
        (
            SEED
            + "l = nn.LazyConvTranspose1d(4, 1, bias=False).double()\nl(a.double())\n_seed(l)\n"
            "r = l(a.double())"
        ),
    ),
    "torch.nn.LazyBatchNorm1d": (
        (
            SEED + "l = nn.LazyBatchNorm1d()\nl(a)\n_seed(l)\n"
            "r = l(a), list(l.state_dict()), type(l) is nn.BatchNorm1d, l.num_features"
        ),
        (
            SEED + "l = nn.LazyBatchNorm1d()\n_o = torch.optim.SGD(l.parameters(), lr=0.5)\nl(a)\n"
            "_seed(l)\n(l(a) ** 2).sum().backward()\n_o.step()\nr = l(a)"
        ),
        (SEED + "l = nn.LazyBatchNorm1d().double()\nl(a.double())\n_seed(l)\nr = l(a.double())"),
        (
            SEED + "l = nn.LazyBatchNorm1d(1e-3, momentum=0.2)\nl(a)\n_seed(l)\n"
            "r = l(a), list(l.state_dict()), type(l) is nn.BatchNorm1d, l.num_features"
        ),
        (
            SEED + "l = nn.LazyBatchNorm1d(1e-3, momentum=0.2)\n"
            "_o = torch.optim.SGD(l.parameters(), lr=0.5)\nl(a)\n_seed(l)\n"
            "(l(a) ** 2).sum().backward()\n_o.step()\nr = l(a)"
        ),
        (
            SEED + "l = nn.LazyBatchNorm1d(1e-3, momentum=0.2).double()\nl(a.double())\n_seed(l)\n"
            "r = l(a.double())"
        ),
    ),
    "torch.nn.LazyInstanceNorm1d": (
        (
            SEED + "l = nn.LazyInstanceNorm1d()\nl(a)\n_seed(l)\n"
            "r = l(a), list(l.state_dict()), type(l) is nn.InstanceNorm1d, l.num_features"
        ),
        (
            SEED
            + "l = nn.LazyInstanceNorm1d()\n_o = torch.optim.SGD(l.parameters(), lr=0.5)\nl(a)\n"
            "_seed(l)\n(l(a) ** 2).sum().backward()\n_o.step()\nr = l(a)"
        ),
        (SEED + "l = nn.LazyInstanceNorm1d().double()\nl(a.double())\n_seed(l)\nr = l(a.double())"),
        (
            SEED + "l = nn.LazyInstanceNorm1d(affine=True)\nl(a)\n_seed(l)\n"
            "r = l(a), list(l.state_dict()), type(l) is nn.InstanceNorm1d, l.num_features"
        ),
        (
            SEED + "l = nn.LazyInstanceNorm1d(affine=True)\n"
            "_o = torch.optim.SGD(l.parameters(), lr=0.5)\nl(a)\n_seed(l)\n"
            "(l(a) ** 2).sum().backward()\n_o.step()\nr = l(a)"
        ),
        (
            SEED + "l = nn.LazyInstanceNorm1d(affine=True).double()\nl(a.double())\n_seed(l)\n"
            "r = l(a.double())"
        ),
    ),
    "torch.nn.LazyConv2d": (
        (
            SEED + "l = nn.LazyConv2d(6, 1)\nl(img)\n_seed(l)\n"
            "r = l(img), list(l.state_dict()), type(l) is nn.Conv2d, l.in_channels"
        ),
        (
            SEED + "l = nn.LazyConv2d(6, 1)\n_o = torch.optim.SGD(l.parameters(), lr=0.5)\nl(img)\n"
            "_seed(l)\n(l(img) ** 2).sum().backward()\n_o.step()\nr = l(img)"
        ),
        (SEED + "l = nn.LazyConv2d(6, 1).double()\nl(img.double())\n_seed(l)\nr = l(img.double())"),
        (
            SEED + "l = nn.LazyConv2d(3, kernel_size=1, groups=3)\nl(img)\n_seed(l)\n"
            "r = l(img), list(l.state_dict()), type(l) is nn.Conv2d, l.in_channels"
        ),
        (
            SEED + "l = nn.LazyConv2d(3, kernel_size=1, groups=3)\n"
            "_o = torch.optim.SGD(l.parameters(), lr=0.5)\nl(img)\n_seed(l)\n"
            "(l(img) ** 2).sum().backward()\n_o.step()\nr = l(img)"
        ),
        (
            SEED + "l = nn.LazyConv2d(3, kernel_size=1, groups=3).double()\nl(img.double())\n"
            "_seed(l)\nr = l(img.double())"
        ),
    ),
    "torch.nn.LazyConvTranspose2d": (
        (
            SEED + "l = nn.LazyConvTranspose2d(4, 1, bias=False)\nl(img)\n_seed(l)\n"
            "r = l(img), list(l.state_dict()), type(l) is nn.ConvTranspose2d, l.in_channels"
        ),
        (
            SEED + "l = nn.LazyConvTranspose2d(4, 1, bias=False)\n"
            "_o = torch.optim.SGD(l.parameters(), lr=0.5)\nl(img)\n_seed(l)\n"
            "(l(img) ** 2).sum().backward()\n_o.step()\nr = l(img)"
        ),
        (
            SEED
            + "l = nn.LazyConvTranspose2d(4, 1, bias=False).double()\nl(img.double())\n_seed(l)\n"
            "r = l(img.double())"
        ),
    ),
    "torch.nn.LazyBatchNorm2d": (
        (
            SEED + "l = nn.LazyBatchNorm2d()\nl(img)\n_seed(l)\n"
            "r = l(img), list(l.state_dict()), type(l) is nn.BatchNorm2d, l.num_features"
        ),
        (
            SEED
            + "l = nn.LazyBatchNorm2d()\n_o = torch.optim.SGD(l.parameters(), lr=0.5)\nl(img)\n"
            "_seed(l)\n(l(img) ** 2).sum().backward()\n_o.step()\nr = l(img)"
        ),
        (
            SEED
            + "l = nn.LazyBatchNorm2d().double()\nl(img.double())\n_seed(l)\nr = l(img.double())"
        ),
        (
            SEED + "l = nn.LazyBatchNorm2d(1e-3, momentum=0.2)\nl(img)\n_seed(l)\n"
            "r = l(img), list(l.state_dict()), type(l) is nn.BatchNorm2d, l.num_features"
        ),
        (
            SEED + "l = nn.LazyBatchNorm2d(1e-3, momentum=0.2)\n"
            "_o = torch.optim.SGD(l.parameters(), lr=0.5)\nl(img)\n_seed(l)\n"
            "(l(img) ** 2).sum().backward()\n_o.step()\nr = l(img)"
        ),
        (
            SEED
            + "l = nn.LazyBatchNorm2d(1e-3, momentum=0.2).double()\nl(img.double())\n_seed(l)\n"
            "r = l(img.double())"
        ),
    ),
    "torch.nn.LazyInstanceNorm2d": (
        (
            SEED + "l = nn.LazyInstanceNorm2d()\nl(img)\n_seed(l)\n"
            "r = l(img), list(l.state_dict()), type(l) is nn.InstanceNorm2d, l.num_features"
        ),
        (
            SEED + "l = nn.LazyInstanceNorm2d()\n_o = torch.optim.SGD(l.parameters(), lr=0.5)\n"
            "l(img)\n_seed(l)\n(l(img) ** 2).sum().backward()\n_o.step()\nr = l(img)"
        ),
        (
            SEED + "l = nn.LazyInstanceNorm2d().double()\nl(img.double())\n_seed(l)\n"
            "r = l(img.double())"
        ),
        (
            SEED + "l = nn.LazyInstanceNorm2d(affine=True)\nl(img)\n_seed(l)\n"
            "r = l(img), list(l.state_dict()), type(l) is nn.InstanceNorm2d, l.num_features"
        ),
        (
            SEED + "l = nn.LazyInstanceNorm2d(affine=True)\n"
            "_o = torch.optim.SGD(l.parameters(), lr=0.5)\nl(img)\n_seed(l)\n"
            "(l(img) ** 2).sum().backward()\n_o.step()\nr = l(img)"
        ),
        (
            SEED + "l = nn.LazyInstanceNorm2d(affine=True).double()\nl(img.double())\n_seed(l)\n"
            "r = l(img.double())"
        ),
    ),
    "torch.nn.LazyConv3d": (
        (
            SEED + "l = nn.LazyConv3d(6, 1)\nl(img[:, :, None])\n_seed(l)\n"
            "r = l(img[:, :, None]), list(l.state_dict()), type(l) is nn.Conv3d, l.in_channels"
        ),
        (
            SEED + "l = nn.LazyConv3d(6, 1)\n_o = torch.optim.SGD(l.parameters(), lr=0.5)\n"
            "l(img[:, :, None])\n_seed(l)\n(l(img[:, :, None]) ** 2).sum().backward()\n"
            "_o.step()\nr = l(img[:, :, None])"
        ),
        (
            SEED + "l = nn.LazyConv3d(6, 1).double()\nl(img[:, :, None].double())\n_seed(l)\n"
            "r = l(img[:, :, None].double())"
        ),
        (
            SEED + "l = nn.LazyConv3d(3, kernel_size=1, groups=3)\nl(img[:, :, None])\n_seed(l)\n"
            "r = l(img[:, :, None]), list(l.state_dict()), type(l) is nn.Conv3d, l.in_channels"
        ),
        (
            SEED + "l = nn.LazyConv3d(3, kernel_size=1, groups=3)\n"
            "_o = torch.optim.SGD(l.parameters(), lr=0.5)\nl(img[:, :, None])\n_seed(l)\n"
            "(l(img[:, :, None]) ** 2).sum().backward()\n_o.step()\nr = l(img[:, :, None])"
        ),
        (
            SEED + "l = nn.LazyConv3d(3, kernel_size=1, groups=3).double()\n"
            "l(img[:, :, None].double())\n_seed(l)\nr = l(img[:, :, None].double())"
        ),
    ),
    "torch.nn.LazyConvTranspose3d": (
        (
            SEED + "l = nn.LazyConvTranspose3d(4, 1, bias=False)\nl(img[:, :, None])\n_seed(l)\n"
            "r = l(img[:, :, None]), list(l.state_dict()), type(l) is "
            "nn.ConvTranspose3d, l.in_channels"
        ),
        (
            SEED + "l = nn.LazyConvTranspose3d(4, 1, bias=False)\n"
            "_o = torch.optim.SGD(l.parameters(), lr=0.5)\nl(img[:, :, None])\n_seed(l)\n"
            "(l(img[:, :, None]) ** 2).sum().backward()\n_o.step()\nr = l(img[:, :, None])"
        ),
        (
            SEED + "l = nn.LazyConvTranspose3d(4, 1, bias=False).double()\n"
            "l(img[:, :, None].double())\n_seed(l)\nr = l(img[:, :, None].double())"
        ),
    ),
    "torch.nn.LazyBatchNorm3d": (
        (
            SEED + "l = nn.LazyBatchNorm3d()\nl(img[:, :, None])\n_seed(l)\n"
            "r = l(img[:, :, None]), list(l.state_dict()), type(l) is nn.BatchNorm3d, "
            "l.num_features"
        ),
        (
            SEED + "l = nn.LazyBatchNorm3d()\n_o = torch.optim.SGD(l.parameters(), lr=0.5)\n"
            "l(img[:, :, None])\n_seed(l)\n(l(img[:, :, None]) ** 2).sum().backward()\n"
            "_o.step()\nr = l(img[:, :, None])"
        ),
        (
            SEED + "l = nn.LazyBatchNorm3d().double()\nl(img[:, :, None].double())\n_seed(l)\n"
            "r = l(img[:, :, None].double())"
        ),
        (
            SEED + "l = nn.LazyBatchNorm3d(1e-3, momentum=0.2)\nl(img[:, :, None])\n_seed(l)\n"
            "r = l(img[:, :, None]), list(l.state_dict()), type(l) is nn.BatchNorm3d, "
            "l.num_features"
        ),
        (
            SEED + "l = nn.LazyBatchNorm3d(1e-3, momentum=0.2)\n"
            "_o = torch.optim.SGD(l.parameters(), lr=0.5)\nl(img[:, :, None])\n_seed(l)\n"
            "(l(img[:, :, None]) ** 2).sum().backward()\n_o.step()\nr = l(img[:, :, None])"
        ),
        (
            SEED
            + "l = nn.LazyBatchNorm3d(1e-3, momentum=0.2).double()\nl(img[:, :, None].double())\n"
            "_seed(l)\nr = l(img[:, :, None].double())"
        ),
    ),
    "torch.nn.LazyInstanceNorm3d": (
        (
            SEED + "l = nn.LazyInstanceNorm3d()\nl(img[:, :, None])\n_seed(l)\n"
            "r = l(img[:, :, None]), list(l.state_dict()), type(l) is "
            "nn.InstanceNorm3d, l.num_features"
        ),
        (
            SEED + "l = nn.LazyInstanceNorm3d()\n_o = torch.optim.SGD(l.parameters(), lr=0.5)\n"
            "l(img[:, :, None])\n_seed(l)\n(l(img[:, :, None]) ** 2).sum().backward()\n"
            "_o.step()\nr = l(img[:, :, None])"
        ),
        (
            SEED + "l = nn.LazyInstanceNorm3d().double()\nl(img[:, :, None].double())\n_seed(l)\n"
            "r = l(img[:, :, None].double())"
        ),
        (
            SEED + "l = nn.LazyInstanceNorm3d(affine=True)\nl(img[:, :, None])\n_seed(l)\n"
            "r = l(img[:, :, None]), list(l.state_dict()), type(l) is "
            "nn.InstanceNorm3d, l.num_features"
        ),
        (
            SEED + "l = nn.LazyInstanceNorm3d(affine=True)\n"
            "_o = torch.optim.SGD(l.parameters(), lr=0.5)\nl(img[:, :, None])\n_seed(l)\n"
            "(l(img[:, :, None]) ** 2).sum().backward()\n_o.step()\nr = l(img[:, :, None])"
        ),
        (
            SEED + "l = nn.LazyInstanceNorm3d(affine=True).double()\nl(img[:, :, None].double())\n"
            "_seed(l)\nr = l(img[:, :, None].double())"
        ),
    ),
    **alike(
        "torch.nn.modules.conv._LazyConvXdMixin",
        "in_channels out_channels kernel_size groups transposed",
        "nn.LazyConv1d(6, 1).{name}, nn.LazyConvTranspose2d(6, 3, 2).{name}",
    ),
    "torch.nn.LazyConv1d.weight": (
        "l = nn.LazyConv1d(6, 1)\nl(a)\nl.weight.shape, l.weight.data.ndim",
    ),
    "torch.nn.LazyConv1d.bias": (
        "l = nn.LazyConv1d(6, 1)\nl(a)\nl.bias.data[:] = 1.0\nb = l.bias.tolist()",
    ),
    "torch.nn.LazyConvTranspose1d.weight": (
        "l = nn.LazyConvTranspose1d(6, 1)\nl(a)\nl.weight.shape, l.weight.data.ndim",
    ),
    "torch.nn.LazyConvTranspose1d.bias": (
        "l = nn.LazyConvTranspose1d(6, 1)\nl(a)\nl.bias.data[:] = 1.0\nb = l.bias.tolist()",
    ),
    "torch.nn.LazyConv2d.weight": (
        "l = nn.LazyConv2d(6, 1)\nl(img)\nl.weight.shape, l.weight.data.ndim",
    ),
    "torch.nn.LazyConv2d.bias": (
        "l = nn.LazyConv2d(6, 1)\nl(img)\nl.bias.data[:] = 1.0\nb = l.bias.tolist()",
    ),
    "torch.nn.LazyConvTranspose2d.weight": (
        "l = nn.LazyConvTranspose2d(6, 1)\nl(img)\nl.weight.shape, l.weight.data.ndim",
    ),
    "torch.nn.LazyConvTranspose2d.bias": (
        ("l = nn.LazyConvTranspose2d(6, 1)\nl(img)\nl.bias.data[:] = 1.0\nb = l.bias.tolist()"),
    ),
    "torch.nn.LazyConv3d.weight": (
        "l = nn.LazyConv3d(6, 1)\nl(img[:, :, None])\nl.weight.shape, l.weight.data.ndim",
    ),
    "torch.nn.LazyConv3d.bias": (
        ("l = nn.LazyConv3d(6, 1)\nl(img[:, :, None])\nl.bias.data[:] = 1.0\nb = l.bias.tolist()"),
    ),
    "torch.nn.LazyConvTranspose3d.weight": (
        (
            "l = nn.LazyConvTranspose3d(6, 1)\nl(img[:, :, None])\n"
            "l.weight.shape, l.weight.data.ndim"
        ),
    ),
    "torch.nn.LazyConvTranspose3d.bias": (
        (
            "l = nn.LazyConvTranspose3d(6, 1)\nl(img[:, :, None])\nl.bias.data[:] = 1.0\n"
            "b = l.bias.tolist()"
        ),
    ),
    "torch.nn.modules.batchnorm._LazyNormBase.weight": (
        "l = nn.LazyBatchNorm2d()\nl(img)\nl.weight.data.shape",
    ),
    "torch.nn.modules.batchnorm._LazyNormBase.bias": (
        "l = nn.LazyBatchNorm2d()\nl(img)\nl.bias.data.shape",
    ),
    "torch.nn.parameter.UninitializedTensorMixin.shape": (
        "l = nn.LazyLinear(3)\nl(x)\nl.weight.shape, l.bias.shape",
    ),
}
