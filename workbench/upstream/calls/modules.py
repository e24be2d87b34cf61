"""Signatures: torch.nn.Module and related names."""

from __future__ import annotations

SIGNATURES: dict[str, tuple[str, ...]] = {
    "torch.nn.CELU.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.Hardshrink.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.Softshrink.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.Threshold.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.PReLU.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.Linear.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.LayerNorm.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.RMSNorm.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.RReLU.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.RNN.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.LSTM.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.GRU.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.RNNCell.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.LSTMCell.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.GRUCell.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.Conv1d.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.ConvTranspose1d.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.AvgPool1d.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.TransformerEncoderLayer.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.Conv2d.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.ConvTranspose2d.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.AvgPool2d.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.GroupNorm.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.LocalResponseNorm.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.PixelUnshuffle.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.ChannelShuffle.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.Unfold.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.Upsample.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.Conv3d.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.ConvTranspose3d.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.AvgPool3d.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.PixelShuffle.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.Fold.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.Embedding.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.EmbeddingBag.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.Bilinear.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.PairwiseDistance.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.CosineSimilarity.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.HuberLoss.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.GaussianNLLLoss.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.TripletMarginWithDistanceLoss.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.CTCLoss.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.MultiheadAttention.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.TransformerDecoderLayer.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.Transformer.__init__": ("(self, *args, **kwargs)",),
    "torch.nn.Sequential.__init__": ("(self, *args)",),
    "torch.dropout": ("(input, p, train)",),
    "torch.embedding_bag": (
        (
            "(weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, "
            "per_sample_weights=None, include_last_offset=False, padding_idx=None)"
        ),
    ),
    "torch.nn.Module.to": (
        (
            "(device: torch.device | str | int | None=..., dtype: torch.dtype | None=..., "
            "non_blocking: bool=...) -> Self"
        ),
        "(dtype: torch.dtype, non_blocking: bool=...) -> Self",
        "(tensor: Tensor, non_blocking: bool=...) -> Self",
        "(*, memory_format)",
    ),
    "torch.nn.utils.prune.RandomUnstructured.apply": (
        "(module, name, amount, importance_scores=None)",
    ),
    "torch.nn.utils.prune.RandomStructured.apply": (
        "(module, name, amount, dim=-1, importance_scores=None)",
    ),
    "torch.nn.utils.prune.LnStructured.apply": (
        "(module, name, amount, n, dim=-1, importance_scores=None)",
    ),
    "torch.nn.utils.prune.CustomFromMask.apply": ("(module, name, mask, importance_scores=None)",),
    "torch.nn.utils.prune.Identity.apply": ("(module, name, importance_scores=None)",),
    "torch.nn.utils.weight_norm": ("(module, name: str='weight', dim: int | None=0)",),
    "torch.nn.utils.spectral_norm": (
        (
            "(module, name: str='weight', n_power_iterations: int=1, eps: float=1e-12, "
            "dim: int | None=None)"
        ),
    ),
}
