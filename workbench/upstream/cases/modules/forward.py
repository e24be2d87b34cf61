"""`layer.forward(...)` and `Class.__init__(self, ...)`, as explicit calls of every layer."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike
from workbench.upstream.cases.preludes import SEED

CASES: dict[str, tuple[str, ...]] = {
    **alike(
        "torch.nn",
        "ReLU.forward SiLU.forward Mish.forward SELU.forward Hardsigmoid.forward "
        "Hardswish.forward PReLU.forward Identity.forward",
        (SEED + "l = _seed(nn.{owner}())\nl.forward(x)"),
    ),
    **alike(
        "torch.nn",
        "Sigmoid.forward Tanh.forward",
        "l = nn.{owner}()\nl.forward(x), l.forward(input=x), l(input=x)",
        "nn.{owner}()(input=x)",
        "l = nn.{owner}()\nl(i), l(input=m), l.forward(m)",
        (
            "class _Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.l = nn.{owner}()\n    def forward(self, x, y):\n"
            "        return self.l(input=x)\n_Net()(x, y)"
        ),
    ),
    **alike(
        "torch.nn",
        "Softsign.forward Tanhshrink.forward",
        "l = nn.{owner}()\nl.forward(x), l.forward(input=x), l(input=x)",
        "nn.{owner}()(input=x)",
        "nn.{owner}()(i)",
        (
            "class _Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.l = nn.{owner}()\n    def forward(self, x, y):\n"
            "        return self.l(input=x)\n_Net()(x, y)"
        ),
    ),
    **alike(
        "torch.nn",
        "LogSigmoid.forward Softplus.forward GELU.forward",
        "l = nn.{owner}()\nl.forward(x), l.forward(input=x), l(input=x)",
        "nn.{owner}()(input=x)",
        (
            "class _Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.l = nn.{owner}()\n    def forward(self, x, y):\n"
            "        return self.l(input=x)\n_Net()(x, y)"
        ),
    ),
    **alike(
        "torch.nn", "ELU.forward CELU.forward", (SEED + "l = _seed(nn.{owner}(0.5))\nl.forward(x)")
    ),
    "torch.nn.CELU.__init__": (
        (
            SEED + "class _Own(nn.CELU):\n    def __init__(self):\n"
            "        nn.CELU.__init__(self, 0.5)\nl = _seed(_Own())\nl(x)"
        ),
    ),
    "torch.nn.LeakyReLU.forward": ((SEED + "l = _seed(nn.LeakyReLU(0.2))\nl.forward(x)"),),
    "torch.nn.Hardtanh.forward": ((SEED + "l = _seed(nn.Hardtanh(-0.5, 0.5))\nl.forward(x)"),),
    **alike(
        "torch.nn",
        "Hardshrink.forward Softshrink.forward",
        (SEED + "l = _seed(nn.{owner}(0.3))\nl.forward(x)"),
    ),
    **alike(
        "torch.nn",
        "Hardshrink.__init__ Softshrink.__init__",
        (
            SEED + "class _Own(nn.{owner}):\n    def __init__(self):\n"
            "        nn.{owner}.__init__(self, 0.3)\nl = _seed(_Own())\nl(x)"
        ),
    ),
    "torch.nn.Threshold.forward": ((SEED + "l = _seed(nn.Threshold(0.1, 2.0))\nl.forward(x)"),),
    "torch.nn.Threshold.__init__": (
        (
            SEED + "class _Own(nn.Threshold):\n    def __init__(self):\n"
            "        nn.Threshold.__init__(self, 0.1, 2.0)\nl = _seed(_Own())\nl(x)"
        ),
    ),
    **alike(
        "torch.nn",
        "GLU.forward Softmax.forward",
        "l = nn.{owner}(1)\nl.forward(x), l.forward(input=x), l(input=x)",
        "nn.{owner}(1)(input=x)",
        (
            "class _Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.l = nn.{owner}(1)\n    def forward(self, x, y):\n"
            "        return self.l(input=x)\n_Net()(x, y)"
        ),
    ),
    **alike(
        "torch.nn",
        "LogSoftmax.forward Softmin.forward",
        (SEED + "l = _seed(nn.{owner}(1))\nl.forward(x)"),
    ),
    "torch.nn.PReLU.__init__": (
        (
            SEED
            + "class _Own(nn.PReLU):\n    def __init__(self):\n        nn.PReLU.__init__(self)\n"
            "l = _seed(_Own())\nl(x)"
        ),
    ),
    **alike(
        "torch.nn",
        "Linear.forward RNN.forward LSTM.forward GRU.forward RNNCell.forward "
        "LSTMCell.forward GRUCell.forward",
        (SEED + "l = _seed(nn.{owner}(4, 3))\nl.forward(x)"),
    ),
    **alike(
        "torch.nn",
        "Linear.__init__ RNN.__init__ LSTM.__init__ GRU.__init__ RNNCell.__init__ "
        "LSTMCell.__init__ GRUCell.__init__",
        (
            SEED + "class _Own(nn.{owner}):\n    def __init__(self):\n"
            "        nn.{owner}.__init__(self, 4, 3)\nl = _seed(_Own())\nl(x)"
        ),
    ),
    **alike(
        "torch.nn",
        "LayerNorm.forward RMSNorm.forward",
        (SEED + "l = _seed(nn.{owner}(4))\nl.forward(x)"),
    ),
    **alike(
        "torch.nn",
        "LayerNorm.__init__ RMSNorm.__init__",
        (
            SEED + "class _Own(nn.{owner}):\n    def __init__(self):\n"
            "        nn.{owner}.__init__(self, 4)\nl = _seed(_Own())\nl(x)"
        ),
    ),
    **alike(
        "torch.nn",
        "Dropout.forward AlphaDropout.forward",
        (SEED + "l = _seed(nn.{owner}(0.0))\nl.forward(x)"),
    ),
    "torch.nn.Unflatten.forward": ((SEED + "l = _seed(nn.Unflatten(1, (2, 2)))\nl.forward(x)"),),
    "torch.nn.RReLU.forward": ((SEED + "l = _seed(nn.RReLU(0.2, 0.2))\nl.forward(x)"),),
    "torch.nn.RReLU.__init__": (
        (
            SEED + "class _Own(nn.RReLU):\n    def __init__(self):\n"
            "        nn.RReLU.__init__(self, 0.2, 0.2)\nl = _seed(_Own())\nl(x)"
        ),
    ),
    **alike(
        "torch.nn",
        "Conv1d.forward ConvTranspose1d.forward",
        (SEED + "l = _seed(nn.{owner}(3, 4, 2))\nl.forward(a)"),
    ),
    **alike(
        "torch.nn",
        "Conv1d.__init__ ConvTranspose1d.__init__",
        (
            SEED + "class _Own(nn.{owner}):\n    def __init__(self):\n"
            "        nn.{owner}.__init__(self, 3, 4, 2)\nl = _seed(_Own())\nl(a)"
        ),
    ),
    **alike(
        "torch.nn",
        "MaxPool1d.forward AvgPool1d.forward AdaptiveAvgPool1d.forward AdaptiveMaxPool1d.forward",
        (SEED + "l = _seed(nn.{owner}(2))\nl.forward(a)"),
    ),
    "torch.nn.AvgPool1d.__init__": (
        (
            SEED + "class _Own(nn.AvgPool1d):\n    def __init__(self):\n"
            "        nn.AvgPool1d.__init__(self, 2)\nl = _seed(_Own())\nl(a)"
        ),
    ),
    "torch.nn.LPPool1d.forward": ((SEED + "l = _seed(nn.LPPool1d(2, 2))\nl.forward(a)"),),
    "torch.nn.Dropout1d.forward": ((SEED + "l = _seed(nn.Dropout1d(0.0))\nl.forward(a)"),),
    "torch.nn.TransformerEncoderLayer.forward": (
        (SEED + "l = _seed(nn.TransformerEncoderLayer(4, 2, 8, 0.0))\nl.forward(a)"),
    ),
    "torch.nn.TransformerEncoderLayer.__init__": (
        (
            SEED + "class _Own(nn.TransformerEncoderLayer):\n    def __init__(self):\n"
            "        nn.TransformerEncoderLayer.__init__(self, 4, 2, 8, 0.0)\n"
            "l = _seed(_Own())\nl(a)"
        ),
    ),
    **alike(
        "torch.nn",
        "Conv2d.forward ConvTranspose2d.forward",
        (SEED + "l = _seed(nn.{owner}(3, 4, 2))\nl.forward(img)"),
    ),
    **alike(
        "torch.nn",
        "Conv2d.__init__ ConvTranspose2d.__init__",
        (
            SEED + "class _Own(nn.{owner}):\n    def __init__(self):\n"
            "        nn.{owner}.__init__(self, 3, 4, 2)\nl = _seed(_Own())\nl(img)"
        ),
    ),
    **alike(
        "torch.nn",
        "MaxPool2d.forward AvgPool2d.forward AdaptiveAvgPool2d.forward "
        "AdaptiveMaxPool2d.forward LocalResponseNorm.forward "
        "PixelUnshuffle.forward Unfold.forward",
        (SEED + "l = _seed(nn.{owner}(2))\nl.forward(img)"),
    ),
    **alike(
        "torch.nn",
        "AvgPool2d.__init__ LocalResponseNorm.__init__ PixelUnshuffle.__init__ Unfold.__init__",
        (
            SEED + "class _Own(nn.{owner}):\n    def __init__(self):\n"
            "        nn.{owner}.__init__(self, 2)\nl = _seed(_Own())\nl(img)"
        ),
    ),
    "torch.nn.LPPool2d.forward": ((SEED + "l = _seed(nn.LPPool2d(2, 2))\nl.forward(img)"),),
    **alike(
        "torch.nn",
        "Dropout2d.forward FeatureAlphaDropout.forward",
        (SEED + "l = _seed(nn.{owner}(0.0))\nl.forward(img)"),
    ),
    "torch.nn.Flatten.forward": ((SEED + "l = _seed(nn.Flatten(1))\nl.forward(img)"),),
    "torch.nn.GroupNorm.forward": ((SEED + "l = _seed(nn.GroupNorm(3, 3))\nl.forward(img)"),),
    "torch.nn.GroupNorm.__init__": (
        (
            SEED + "class _Own(nn.GroupNorm):\n    def __init__(self):\n"
            "        nn.GroupNorm.__init__(self, 3, 3)\nl = _seed(_Own())\nl(img)"
        ),
    ),
    "torch.nn.Softmax2d.forward": ((SEED + "l = _seed(nn.Softmax2d())\nl.forward(img)"),),
    "torch.nn.ChannelShuffle.forward": (
        (SEED + "l = _seed(nn.ChannelShuffle(3))\nl.forward(img)"),
    ),
    "torch.nn.ChannelShuffle.__init__": (
        (
            SEED + "class _Own(nn.ChannelShuffle):\n    def __init__(self):\n"
            "        nn.ChannelShuffle.__init__(self, 3)\nl = _seed(_Own())\nl(img)"
        ),
    ),
    "torch.nn.Upsample.forward": ((SEED + "l = _seed(nn.Upsample(None, 2.0))\nl.forward(img)"),),
    "torch.nn.Upsample.__init__": (
        (
            SEED + "class _Own(nn.Upsample):\n    def __init__(self):\n"
            "        nn.Upsample.__init__(self, None, 2.0)\nl = _seed(_Own())\nl(img)"
        ),
    ),
    **alike(
        "torch.nn",
        "Conv3d.forward ConvTranspose3d.forward",
        (SEED + "l = _seed(nn.{owner}(3, 4, 1))\nl.forward(img[:, :, None])"),
    ),
    **alike(
        "torch.nn",
        "Conv3d.__init__ ConvTranspose3d.__init__",
        (
            SEED + "class _Own(nn.{owner}):\n    def __init__(self):\n"
            "        nn.{owner}.__init__(self, 3, 4, 1)\nl = _seed(_Own())\nl(img[:, :, None])"
        ),
    ),
    **alike(
        "torch.nn",
        "MaxPool3d.forward AvgPool3d.forward",
        (SEED + "l = _seed(nn.{owner}((1, 2, 2)))\nl.forward(img[:, :, None])"),
    ),
    "torch.nn.AvgPool3d.__init__": (
        (
            SEED + "class _Own(nn.AvgPool3d):\n    def __init__(self):\n"
            "        nn.AvgPool3d.__init__(self, (1, 2, 2))\nl = _seed(_Own())\n"
            "l(img[:, :, None])"
        ),
    ),
    "torch.nn.LPPool3d.forward": (
        (SEED + "l = _seed(nn.LPPool3d(2, (1, 2, 2)))\nl.forward(img[:, :, None])"),
    ),
    **alike(
        "torch.nn",
        "AdaptiveAvgPool3d.forward AdaptiveMaxPool3d.forward",
        (SEED + "l = _seed(nn.{owner}(1))\nl.forward(img[:, :, None])"),
    ),
    "torch.nn.Dropout3d.forward": (
        (SEED + "l = _seed(nn.Dropout3d(0.0))\nl.forward(img[:, :, None])"),
    ),
    "torch.nn.PixelShuffle.forward": (
        (SEED + "l = _seed(nn.PixelShuffle(2))\nl.forward(img.reshape(2, 12, 4, 4))"),
    ),
    "torch.nn.PixelShuffle.__init__": (
        (
            SEED + "class _Own(nn.PixelShuffle):\n    def __init__(self):\n"
            "        nn.PixelShuffle.__init__(self, 2)\nl = _seed(_Own())\n"
            "l(img.reshape(2, 12, 4, 4))"
        ),
    ),
    "torch.nn.Fold.forward": (
        (SEED + "l = _seed(nn.Fold((8, 8), 2, 1, 0, 2))\nl.forward(img.reshape(2, 12, 16))"),
    ),
    "torch.nn.Fold.__init__": (
        (
            SEED + "class _Own(nn.Fold):\n    def __init__(self):\n"
            "        nn.Fold.__init__(self, (8, 8), 2, 1, 0, 2)\nl = _seed(_Own())\n"
            "l(img.reshape(2, 12, 16))"
        ),
    ),
    **alike(
        "torch.nn",
        "Embedding.forward EmbeddingBag.forward",
        (SEED + "l = _seed(nn.{owner}(4, 3))\nl.forward(i)"),
    ),
    **alike(
        "torch.nn",
        "Embedding.__init__ EmbeddingBag.__init__",
        (
            SEED + "class _Own(nn.{owner}):\n    def __init__(self):\n"
            "        nn.{owner}.__init__(self, 4, 3)\nl = _seed(_Own())\nl(i)"
        ),
    ),
    "torch.nn.Bilinear.forward": ((SEED + "l = _seed(nn.Bilinear(4, 4, 2))\nl.forward(x, y)"),),
    "torch.nn.Bilinear.__init__": (
        (
            SEED + "class _Own(nn.Bilinear):\n    def __init__(self):\n"
            "        nn.Bilinear.__init__(self, 4, 4, 2)\nl = _seed(_Own())\nl(x, y)"
        ),
    ),
    "torch.nn.PairwiseDistance.forward": (
        (SEED + "l = _seed(nn.PairwiseDistance(1.0))\nl.forward(x, y)"),
    ),
    "torch.nn.PairwiseDistance.__init__": (
        (
            SEED + "class _Own(nn.PairwiseDistance):\n    def __init__(self):\n"
            "        nn.PairwiseDistance.__init__(self, 1.0)\nl = _seed(_Own())\nl(x, y)"
        ),
    ),
    "torch.nn.CosineSimilarity.forward": (
        (SEED + "l = _seed(nn.CosineSimilarity(0))\nl.forward(x, y)"),
    ),
    "torch.nn.CosineSimilarity.__init__": (
        (
            SEED + "class _Own(nn.CosineSimilarity):\n    def __init__(self):\n"
            "        nn.CosineSimilarity.__init__(self, 0)\nl = _seed(_Own())\nl(x, y)"
        ),
    ),
    **alike(
        "torch.nn",
        "MSELoss.forward L1Loss.forward",
        ("l = nn.{owner}()\nl.forward(x, y), l.forward(target=y, input=x), l(target=y, input=x)"),
        "nn.{owner}()(target=y, input=x)",
        "l = nn.{owner}()\nl(x, i), l(i, target=y)",
        (
            "class _Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.l = nn.{owner}()\n    def forward(self, x, y):\n"
            "        return self.l(target=y, input=x)\n_Net()(x, y)"
        ),
    ),
    **alike(
        "torch.nn",
        "SmoothL1Loss.forward HuberLoss.forward PoissonNLLLoss.forward",
        (SEED + "l = _seed(nn.{owner}())\nl.forward(x, y)"),
    ),
    "torch.nn.HuberLoss.__init__": (
        (
            SEED + "class _Own(nn.HuberLoss):\n    def __init__(self):\n"
            "        nn.HuberLoss.__init__(self)\nl = _seed(_Own())\nl(x, y)"
        ),
    ),
    **alike(
        "torch.nn",
        "BCEWithLogitsLoss.forward KLDivLoss.forward",
        (SEED + "l = _seed(nn.{owner}())\nl.forward(x, p)"),
    ),
    "torch.nn.BCELoss.forward": ((SEED + "l = _seed(nn.BCELoss())\nl.forward(p, m.float())"),),
    **alike(
        "torch.nn",
        "CrossEntropyLoss.forward MultiMarginLoss.forward",
        (SEED + "l = _seed(nn.{owner}())\nl.forward(x, n)"),
    ),
    "torch.nn.NLLLoss.forward": (
        (SEED + "l = _seed(nn.NLLLoss())\nl.forward(x.log_softmax(1), n)"),
    ),
    "torch.nn.SoftMarginLoss.forward": (
        (SEED + "l = _seed(nn.SoftMarginLoss())\nl.forward(x, m.float() * 2 - 1)"),
    ),
    "torch.nn.HingeEmbeddingLoss.forward": (
        (SEED + "l = _seed(nn.HingeEmbeddingLoss(0.5))\nl.forward(x, m.float() * 2 - 1)"),
    ),
    "torch.nn.MultiLabelSoftMarginLoss.forward": (
        (SEED + "l = _seed(nn.MultiLabelSoftMarginLoss())\nl.forward(x, m.float())"),
    ),
    "torch.nn.MultiLabelMarginLoss.forward": (
        (SEED + "l = _seed(nn.MultiLabelMarginLoss())\nl.forward(x, i * 0 - 1)"),
    ),
    **alike(
        "torch.nn",
        "GaussianNLLLoss.forward TripletMarginWithDistanceLoss.forward",
        (SEED + "l = _seed(nn.{owner}())\nl.forward(x, y, p)"),
    ),
    **alike(
        "torch.nn",
        "GaussianNLLLoss.__init__ TripletMarginWithDistanceLoss.__init__",
        (
            SEED + "class _Own(nn.{owner}):\n    def __init__(self):\n"
            "        nn.{owner}.__init__(self)\nl = _seed(_Own())\nl(x, y, p)"
        ),
    ),
    "torch.nn.TripletMarginLoss.forward": (
        (SEED + "l = _seed(nn.TripletMarginLoss(2.0))\nl.forward(x, y, p)"),
    ),
    "torch.nn.MarginRankingLoss.forward": (
        (SEED + "l = _seed(nn.MarginRankingLoss(0.5))\nl.forward(x, y, m.float() * 2 - 1)"),
    ),
    "torch.nn.CosineEmbeddingLoss.forward": (
        (SEED + "l = _seed(nn.CosineEmbeddingLoss(0.5))\nl.forward(x, y, m[:, 0].float() * 2 - 1)"),
    ),
    "torch.nn.CTCLoss.forward": (
        (
            SEED + "l = _seed(nn.CTCLoss())\n"
            "l.forward(torch.tensor(np.cos(np.arange(60.0)).reshape(5, 3, "
            "4).astype('float32')).log_softmax(2), torch.tensor([[1, 2], [3, 3], [2, "
            "1]]), torch.tensor([5, 5, 4]), torch.tensor([2, 2, 1]))"
        ),
    ),
    "torch.nn.CTCLoss.__init__": (
        (
            SEED + "class _Own(nn.CTCLoss):\n    def __init__(self):\n"
            "        nn.CTCLoss.__init__(self)\nl = _seed(_Own())\n"
            "l(torch.tensor(np.cos(np.arange(60.0)).reshape(5, 3, "
            "4).astype('float32')).log_softmax(2), torch.tensor([[1, 2], [3, 3], [2, "
            "1]]), torch.tensor([5, 5, 4]), torch.tensor([2, 2, 1]))"
        ),
    ),
    "torch.nn.MultiheadAttention.forward": (
        (SEED + "l = _seed(nn.MultiheadAttention(4, 2))\nl.forward(a, a, a)"),
    ),
    "torch.nn.MultiheadAttention.__init__": (
        (
            SEED + "class _Own(nn.MultiheadAttention):\n    def __init__(self):\n"
            "        nn.MultiheadAttention.__init__(self, 4, 2)\nl = _seed(_Own())\nl(a, a, a)"
        ),
    ),
    "torch.nn.TransformerDecoderLayer.forward": (
        (SEED + "l = _seed(nn.TransformerDecoderLayer(4, 2, 8, 0.0))\nl.forward(a, a)"),
    ),
    "torch.nn.TransformerDecoderLayer.__init__": (
        (
            SEED + "class _Own(nn.TransformerDecoderLayer):\n    def __init__(self):\n"
            "        nn.TransformerDecoderLayer.__init__(self, 4, 2, 8, 0.0)\n"
            "l = _seed(_Own())\nl(a, a)"
        ),
    ),
    "torch.nn.Transformer.forward": (
        (SEED + "l = _seed(nn.Transformer(4, 2, 1, 1, 8, 0.0))\nl.forward(a, a)"),
    ),
    "torch.nn.Transformer.__init__": (
        (
            SEED + "class _Own(nn.Transformer):\n    def __init__(self):\n"
            "        nn.Transformer.__init__(self, 4, 2, 1, 1, 8, 0.0)\nl = _seed(_Own())\n"
            "l(a, a)"
        ),
    ),
    "torch.nn.Sequential.__init__": (
        (
            "class _Own(nn.Sequential):\n    def __init__(self):\n"
            "        nn.Sequential.__init__(self, nn.Identity())\n_Own()(x)"
        ),
    ),
    "torch.nn.modules.batchnorm._BatchNorm.forward": ("nn.BatchNorm2d(3).forward(img)",),
    "torch.nn.modules.instancenorm._InstanceNorm.forward": ("nn.InstanceNorm2d(3).forward(img)",),
    "torch.nn.modules.padding._ConstantPadNd.forward": ("nn.ConstantPad2d(1, 0.5).forward(img)",),
    "torch.nn.modules.padding._ReflectionPadNd.forward": ("nn.ReflectionPad2d(1).forward(img)",),
    "torch.nn.modules.padding._ReplicationPadNd.forward": ("nn.ReplicationPad2d(1).forward(img)",),
    "torch.nn.modules.padding._CircularPadNd.forward": ("nn.CircularPad2d(1).forward(img)",),
    "torch.nn.MaxUnpool1d.forward": (
        "v, k = F.max_pool1d(a, 2, return_indices=True)\nnn.MaxUnpool1d(2).forward(v, k)",
    ),
    "torch.nn.MaxUnpool2d.forward": (
        "v, k = F.max_pool2d(img, 2, return_indices=True)\nnn.MaxUnpool2d(2).forward(v, k)",
    ),
    "torch.nn.MaxUnpool3d.forward": (
        (
            "v, k = F.max_pool3d(img[:, :, None].repeat(1, 1, 4, 1, 1), 2, "
            "return_indices=True)\nnn.MaxUnpool3d(2).forward(v, k)"
        ),
    ),
    "torch.nn.TransformerEncoder.forward": (
        (
            SEED + "l = nn.TransformerEncoderLayer(4, 2, 8, 0.0)\n"
            "_seed(nn.TransformerEncoder(l, 1)).forward(a)"
        ),
    ),
    "torch.nn.TransformerDecoder.forward": (
        (
            SEED + "l = nn.TransformerDecoderLayer(4, 2, 8, 0.0)\n"
            "_seed(nn.TransformerDecoder(l, 1)).forward(a, a)"
        ),
    ),
}
