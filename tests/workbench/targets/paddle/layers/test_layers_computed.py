"""Layers in Paddle's own words compute what torch's do, from weights carried by their meaning."""

from __future__ import annotations

import pytest

from workbench.proof.cases import prove_case
from workbench.targets import load
from workbench.upstream.cases.preludes import SEED

_SAME = (
    "l = _seed(nn.Linear(4, 5, bias=False))\nl(w).square().sum().backward()\ng = w.grad",
    "l = _seed(nn.Conv2d(3, 6, 3, 2, 1, groups=3, bias=False))\nl(img)",
    "l = _seed(nn.Conv1d(3, 4, 3, padding='same'))\nl(a)",
    "l = _seed(nn.ConvTranspose2d(3, 6, 2, 2, 0, 0, 3))\nl(img)",
    "l = _seed(nn.ConvTranspose1d(3, 4, 3, dilation=2, padding=1))\nl(a)",
    "l = _seed(nn.BatchNorm2d(3, momentum=0.3))\nv = l(img)\nl(img * 2)",
    "l = _seed(nn.BatchNorm1d(4, eps=1e-3)).eval()\nl(x)",
    "l = _seed(nn.InstanceNorm2d(3, affine=True))\nl(img)",
    "l = _seed(nn.LayerNorm(4, eps=1e-6))\n(l(w) * y).sum().backward()\ng = w.grad",
    "l = _seed(nn.GroupNorm(2, 4, eps=1e-2))\n(l(w) * y).sum().backward()\ng = w.grad",
    "l = _seed(nn.Embedding(4, 3, padding_idx=0))\nl(n + 1)",
    "l = _seed(nn.Embedding(4, 3))\nl(i)",
    "l = _seed(nn.LSTM(4, 5, num_layers=2, batch_first=True))\nl(a)",
    "l = _seed(nn.LSTM(4, 5, batch_first=True, bidirectional=True))\nl(a)",
    "l = _seed(nn.GRU(4, 5, batch_first=True))\nl(a)",
    "l = _seed(nn.RNN(4, 5, nonlinearity='relu', batch_first=True))\nl(a)",
    "l = _seed(nn.MultiheadAttention(4, 2, batch_first=True))\nl(a, a, a)[0]",
    "l = nn.Sequential(nn.ReLU(), nn.LeakyReLU(0.2), nn.SiLU(), nn.GELU(), nn.ELU(), nn.Mish())\n"
    "l(w).sum().backward()\ng = w.grad",
    "l = nn.AvgPool2d(3, 2, 1)\nl(img), F.avg_pool2d(img, 3, padding=1)",
    "F.avg_pool2d(img, 3, 2, 1, count_include_pad=False, divisor_override=2)",
    "l = nn.Upsample(scale_factor=2, mode='bilinear')\n"
    "l(img), F.interpolate(img, size=5, mode='bilinear')",
    "F.pad(img, (1, 2)), F.pad(img, (1, 2, 0, 1), value=0.5), F.pad(x, (0, 1, 2, 3))",
    "F.unfold(img, 3, padding=1, stride=2), nn.Unfold((2, 3), dilation=2)(img)",
    "F.linear(a, sq, sq[0]), F.linear(x, y)",
    "F.cross_entropy(w, n).backward()\ng = w.grad",
    "F.cross_entropy(w, n - 1, ignore_index=-1).backward()\ng = w.grad",
    "F.cross_entropy(a.transpose(1, 2), i[:2, :3] % 4)",
    "c = nn.CrossEntropyLoss(weight=x[0].abs(), reduction='sum')\nc(x, n)",
    "c = nn.CrossEntropyLoss(label_smoothing=0.1)\nc(x, n)",
    "F.smooth_l1_loss(x, y, beta=0.5), nn.HuberLoss(delta=0.5)(x, y)",
    "F.binary_cross_entropy_with_logits(x, p, pos_weight=p[0])",
    "F.kl_div(x.log_softmax(1), p, reduction='batchmean')",
    "F.normalize(a, dim=-1), F.cosine_similarity(x, y, dim=1), F.one_hot(n, 4)",
    "F.scaled_dot_product_attention(a, a, a, is_causal=True)",
)


@pytest.mark.parametrize("case", _SAME)
def test_it_computes_the_same(case: str) -> None:
    seed = SEED if "_seed" in case else ""
    result = prove_case("", seed + case, target=load("paddle", "plain"))
    assert result.problem is None
    assert "class Torch" not in result.converted


def test_a_linear_layer_in_torchs_layout_computes_the_same() -> None:
    case = (
        f"{SEED}l = _seed(nn.Linear(4, 5))\nl(w).square().sum().backward()\n"
        "g = w.grad.detach(), l.weight.grad.detach(), l.in_features, F.linear(x, l.weight)"
    )
    assert prove_case("", case, target=load("paddle", "plain")).problem is None


def test_new_weights_in_torchs_layout_are_as_wide_as_torchs() -> None:
    case = "l = nn.Linear(400, 40)\nround(float(l.weight.detach().abs().max()) * 20, 1)"
    assert prove_case("", case, target=load("paddle", "plain")).problem is None


def test_new_weights_are_as_wide_as_torchs() -> None:
    """Weights reach, but do not exceed, 1/sqrt(fan in) in both layouts."""
    case = (
        "made = [nn.Linear(400, 40), nn.Conv2d(16, 8, 5), nn.ConvTranspose2d(16, 25, 4)]\n"
        "[round(float(l.weight.detach().abs().max()) * 20, 1) for l in made]"
    )
    result = prove_case("", case, target=load("paddle", "plain"))
    assert result.problem is None
