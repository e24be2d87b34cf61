"""Names from inside `torch.nn.modules` that programs use, including dispensable ones."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    "torch.nn.modules.batchnorm._NormBase": (
        (
            "isinstance(nn.BatchNorm2d(3), torch.nn.modules.batchnorm._NormBase), "
            "isinstance(nn.Embedding(2, 2), torch.nn.modules.batchnorm._NormBase)"
        ),
    ),
    "torch.nn.modules.batchnorm._BatchNorm": (
        (
            "isinstance(nn.BatchNorm1d(3), torch.nn.modules.batchnorm._BatchNorm), "
            "isinstance(nn.Embedding(2, 2), torch.nn.modules.batchnorm._BatchNorm)"
        ),
    ),
    "torch.nn.modules.instancenorm._InstanceNorm": (
        (
            "isinstance(nn.InstanceNorm2d(3), "
            "torch.nn.modules.instancenorm._InstanceNorm), isinstance(nn.Embedding(2, "
            "2), torch.nn.modules.instancenorm._InstanceNorm)"
        ),
    ),
    "torch.nn.modules.pooling._MaxPoolNd": (
        (
            "isinstance(nn.MaxPool2d(2), torch.nn.modules.pooling._MaxPoolNd), "
            "isinstance(nn.Embedding(2, 2), torch.nn.modules.pooling._MaxPoolNd)"
        ),
    ),
    "torch.nn.modules.pooling._AvgPoolNd": (
        (
            "isinstance(nn.AvgPool2d(2), torch.nn.modules.pooling._AvgPoolNd), "
            "isinstance(nn.Embedding(2, 2), torch.nn.modules.pooling._AvgPoolNd)"
        ),
    ),
    "torch.nn.modules.pooling._AdaptiveAvgPoolNd": (
        (
            "isinstance(nn.AdaptiveAvgPool2d(1), "
            "torch.nn.modules.pooling._AdaptiveAvgPoolNd), isinstance(nn.Embedding(2, "
            "2), torch.nn.modules.pooling._AdaptiveAvgPoolNd)"
        ),
    ),
    "torch.nn.modules.pooling._AdaptiveMaxPoolNd": (
        (
            "isinstance(nn.AdaptiveMaxPool2d(1), "
            "torch.nn.modules.pooling._AdaptiveMaxPoolNd), isinstance(nn.Embedding(2, "
            "2), torch.nn.modules.pooling._AdaptiveMaxPoolNd)"
        ),
    ),
    "torch.nn.modules.pooling._LPPoolNd": (
        (
            "isinstance(nn.LPPool2d(2, 2), torch.nn.modules.pooling._LPPoolNd), "
            "isinstance(nn.Embedding(2, 2), torch.nn.modules.pooling._LPPoolNd)"
        ),
    ),
    "torch.nn.modules.pooling._MaxUnpoolNd": (
        (
            "isinstance(nn.MaxUnpool2d(2), torch.nn.modules.pooling._MaxUnpoolNd), "
            "isinstance(nn.Embedding(2, 2), torch.nn.modules.pooling._MaxUnpoolNd)"
        ),
    ),
    "torch.nn.modules.linear.NonDynamicallyQuantizableLinear": (
        (
            "isinstance(nn.MultiheadAttention(4, 2).out_proj, "
            "torch.nn.modules.linear.NonDynamicallyQuantizableLinear), "
            "isinstance(nn.Embedding(2, 2), "
            "torch.nn.modules.linear.NonDynamicallyQuantizableLinear), "
            "torch.nn.modules.linear.NonDynamicallyQuantizableLinear(4, 3)(x).shape, "
            "isinstance(nn.Linear(4, 3), "
            "torch.nn.modules.linear.NonDynamicallyQuantizableLinear)"
        ),
    ),
    "torch.nn.modules.loss._Loss": (
        (
            "class Own(torch.nn.modules.loss._Loss):\n    def forward(self, one, other):\n"
            "        loss = (one - other).abs()\n"
            "        return loss.mean() if self.reduction == 'mean' else loss\n"
            "l = Own(reduction='none')\n"
            "r = l(x, y), l.reduction, Own()(x, y), Own(reduce=False).reduction, l.state_dict()"
        ),
        (
            "losses = nn.MSELoss(), nn.NLLLoss(), nn.BCEWithLogitsLoss(), nn.Linear(4, 3)\n"
            "r = [isinstance(one, torch.nn.modules.loss._Loss) for one in losses], "
            "issubclass(nn.ReLU, torch.nn.modules.loss._Loss)"
        ),
    ),
    "torch.nn.modules.loss._WeightedLoss": (
        (
            "class Own(torch.nn.modules.loss._WeightedLoss):\n"
            "    def forward(self, one, other):\n        loss = (one - other).abs()\n"
            "        return loss.mean() if self.reduction == 'mean' else loss\n"
            "l = Own(p, reduction='none')\n"
            "r = l(x, y), l.reduction, Own()(x, y), Own(reduce=False).reduction, l.state_dict()"
        ),
        (
            "losses = nn.MSELoss(), nn.NLLLoss(), nn.BCEWithLogitsLoss(), nn.Linear(4, 3)\n"
            "r = [isinstance(one, torch.nn.modules.loss._WeightedLoss) for one in "
            "losses], issubclass(nn.ReLU, torch.nn.modules.loss._WeightedLoss)"
        ),
    ),
    "torch.nn.modules.conv._ConvNd": (
        (
            "isinstance(nn.Conv1d(3, 4, 1), torch.nn.modules.conv._ConvNd), "
            "issubclass(nn.ReLU, torch.nn.modules.conv._ConvNd)"
        ),
    ),
    "torch.nn.modules.conv._ConvTransposeNd": (
        (
            "isinstance(nn.ConvTranspose1d(3, 4, 1), "
            "torch.nn.modules.conv._ConvTransposeNd), issubclass(nn.ReLU, "
            "torch.nn.modules.conv._ConvTransposeNd)"
        ),
    ),
    "torch.nn.RNNCellBase": (
        (
            "isinstance(nn.LSTMCell(3, 4), torch.nn.RNNCellBase), issubclass(nn.ReLU, "
            "torch.nn.RNNCellBase)"
        ),
    ),
    **alike(
        "torch.nn.modules.utils",
        "_single _pair _triple _quadruple",
        "torch.nn.modules.utils.{name}(3), torch.nn.modules.utils.{name}([1, 2])",
    ),
    "torch.nn.modules.utils._ntuple": (
        ("torch.nn.modules.utils._ntuple(2)(3), torch.nn.modules.utils._ntuple(n=3)([1, 2, 3])"),
        ("f = torch.nn.modules.utils._ntuple(2, '_two')\nr = f('ab'), f(range(3)), f.__name__"),
    ),
    "torch.nn._reduction.get_enum": (
        "[F._Reduction.get_enum(one) for one in ('none', 'mean', 'sum')]",
    ),
    "torch.nn._reduction.legacy_get_string": (
        (
            "[F._Reduction.legacy_get_string(one, two, False) for one in (None, True, "
            "False) for two in (None, True, False)]"
        ),
    ),
    "torch.nn._reduction.legacy_get_enum": (
        (
            "[F._Reduction.legacy_get_enum(one, two, False) for one in (None, True, "
            "False) for two in (None, True, False)]"
        ),
    ),
    "torch.nn.modules.utils.consume_prefix_in_state_dict_if_present": (
        (
            "s = {'module.a': 1, 'b': 2}\n"
            "torch.nn.modules.utils.consume_prefix_in_state_dict_if_present(s, 'module.')"
        ),
    ),
    "torch.nn.DataParallel": (
        "l = nn.DataParallel(nn.Linear(4, 3))\nlist(l.state_dict()), l.module(x).shape",
    ),
    "torch.nn.parallel.data_parallel": (
        (
            "l = nn.Tanh()\n"
            "r = nn.parallel.data_parallel(l, x, [0]) if torch.cuda.is_available() else l(x)"
        ),
    ),
    "torch.nn.DataParallel.module": ("nn.DataParallel(nn.Identity()).module(x)",),
}
