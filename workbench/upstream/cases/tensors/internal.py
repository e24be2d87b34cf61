"""Names in `torch` other than tensor functions: compiler types, kernels, storages."""

from __future__ import annotations

CASES: dict[str, tuple[str, ...]] = {
    "torch.pca_lowrank": ("torch.pca_lowrank(x, q=2)[1].shape",),
    "torch.svd_lowrank": (
        "torch.svd_lowrank(x, q=2)[1].shape",
        "torch.svd_lowrank(x)[1]",
    ),
}
