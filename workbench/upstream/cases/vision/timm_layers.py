"""Small layers and helpers of timm that many model files import."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike
from workbench.upstream.cases.preludes import SEED

CASES: dict[str, tuple[str, ...]] = {
    "timm.layers.DropPath": (
        (
            "from timm.layers import DropPath\n"
            "DropPath(0.3).eval()(x), DropPath()(x), DropPath(drop_prob=1.0)(x)"
        ),
        (
            "from timm.layers import DropPath\ny = DropPath(0.5)(torch.ones(2000, 1))\n"
            "r = sorted(set(y.flatten().tolist())), bool(0.35 < (y != 0).float().mean() < 0.65)"
        ),
        (
            "from timm.layers import DropPath\n"
            "y = DropPath(0.5, scale_by_keep=False)(torch.ones(2000, 1))\n"
            "r = sorted(set(y.flatten().tolist())), bool(0.35 < (y != 0).float().mean() < 0.65)"
        ),
        "from timm.layers import DropPath\nstr(DropPath(0.25))",
    ),
    "timm.layers.DropPath.drop_prob": (
        "from timm.layers import DropPath\nDropPath(0.1).drop_prob",
    ),
    "timm.layers.DropPath.scale_by_keep": (
        "from timm.layers import DropPath\nDropPath(0.1).scale_by_keep",
    ),
    "timm.layers.Mlp": (
        (
            "from timm.layers import Mlp\n"
            + SEED
            + "m = _seed(Mlp(4, 6, 3))\nm(x), m.fc1.weight.shape, list(m.state_dict())"
        ),
        (
            "from timm.layers import Mlp\n"
            + SEED
            + "m = _seed(Mlp(in_features=4, act_layer=nn.ReLU, "
            "norm_layer=nn.LayerNorm, bias=(True, False), drop=0.5).eval())\n"
            "m(x), m.fc2.bias"
        ),
        (
            "from timm.layers import Mlp\n"
            + SEED
            + "m = _seed(Mlp(3, hidden_features=5, use_conv=True))\nm(img)"
        ),
    ),
    **alike(
        "timm.layers.Mlp",
        "fc1 act drop1 norm fc2 drop2",
        "from timm.layers import Mlp\nstr(type(Mlp(4).{name}))[:1]",
    ),
    "timm.layers.drop_path": (
        "from timm.layers import drop_path\ndrop_path(x, 0.5), drop_path(x, 1.0, True)",
        (
            "from timm.layers import drop_path\n"
            "y = drop_path(torch.ones(2000, 1), drop_prob=0.5, training=True)\n"
            "r = sorted(set(y.flatten().tolist())), bool(0.35 < (y != 0).float().mean() < 0.65)"
        ),
    ),
    "timm.layers.make_divisible": (
        (
            "from timm.layers import make_divisible\n"
            "make_divisible(37), make_divisible(10, 8), make_divisible(3, 4, min_value=12)"
        ),
        "from timm.layers import make_divisible\nmake_divisible(16 * 0.35, round_limit=0.0)",
    ),
    **alike(
        "timm.layers",
        "to_2tuple to_3tuple to_4tuple",
        "from timm.layers import {name}\n{name}(3), {name}([1, 2]), {name}('same')",
    ),
}
