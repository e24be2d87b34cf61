"""Attention and transformer layers."""

from __future__ import annotations

from workbench.upstream.cases.preludes import SEED

_MASKS = (
    "gone = m[:, :3]\nsoft = x[:, :3]\n"
    "pad = torch.tensor([[False, False, True], [False, True, True]])\n"
)

CASES: dict[str, tuple[str, ...]] = {
    "torch.nn.functional.scaled_dot_product_attention": (
        "F.scaled_dot_product_attention(img, img * 2, img + 1)",
        "F.scaled_dot_product_attention(a, a, a, is_causal=True)",
        (_MASKS + "F.scaled_dot_product_attention(a, a, a, attn_mask=soft, scale=0.3)"),
        (_MASKS + "F.scaled_dot_product_attention(a, a, a, ~gone & gone | gone)"),
        (
            "k = torch.tensor([[False, False], [True, False], [True, True]])\n"
            "F.scaled_dot_product_attention(a, a[:, :2], a[:, 1:], attn_mask=k)"
        ),
        (
            "F.scaled_dot_product_attention(img[:, :1].repeat(1, 4, 1, 1), img[:, :2], "
            "img[:, 1:], enable_gqa=True)"
        ),
        "F.scaled_dot_product_attention(w, w, w).sum().backward()\ng = w.grad",
    ),
    "torch.nn.MultiheadAttention": (
        (SEED + "l = _seed(nn.MultiheadAttention(4, 2))\nr = l(a, a, a), list(l.state_dict())"),
        (
            SEED + _MASKS + "l = _seed(nn.MultiheadAttention(4, 2, batch_first=True))\n"
            "r = l(a, a + 1, a * 2, key_padding_mask=pad), l(a, a, a, attn_mask=soft, "
            "need_weights=False)"
        ),
        (
            SEED + _MASKS + "l = _seed(nn.MultiheadAttention(4, 4, bias=False, kdim=4, vdim=3, "
            "batch_first=True))\nv = a[:, :, :3]\n"
            "r = l(a, a, v, average_attn_weights=False, "
            "attn_mask=~gone.T.logical_not()), list(l.state_dict())"
        ),
        (
            SEED + "l = _seed(nn.MultiheadAttention(4, 2, add_bias_kv=True, add_zero_attn=True))\n"
            "r = l(x, y, y)"
        ),
    ),
    "torch.nn.TransformerEncoderLayer": (
        (
            SEED + "l = _seed(nn.TransformerEncoderLayer(4, 2, dim_feedforward=8, dropout=0.0))\n"
            "r = l(a), list(l.state_dict())"
        ),
        (
            SEED + _MASKS + "l = _seed(nn.TransformerEncoderLayer(4, 2, 8, batch_first=True, "
            "norm_first=True, activation='gelu')).eval()\n"
            "r = l(a, src_mask=soft), l(a, src_key_padding_mask=pad)"
        ),
        (
            SEED + "l = _seed(nn.TransformerEncoderLayer(4, 1, 8, 0.0, activation=F.silu, "
            "bias=False))\nl(x)"
        ),
    ),
    "torch.nn.TransformerDecoderLayer": (
        (
            SEED + "l = _seed(nn.TransformerDecoderLayer(4, 2, dim_feedforward=8, dropout=0.0))\n"
            "r = l(a, a * 2), list(l.state_dict())"
        ),
        (
            SEED + _MASKS + "l = _seed(nn.TransformerDecoderLayer(4, 2, 8, 0.0, norm_first=True, "
            "batch_first=True))\nl(a, a + 1, tgt_mask=soft, memory_key_padding_mask=pad)"
        ),
    ),
    "torch.nn.TransformerEncoder": (
        (
            SEED + "l = nn.TransformerEncoderLayer(4, 2, 8, 0.0, batch_first=True)\n"
            "net = _seed(nn.TransformerEncoder(l, num_layers=2, norm=nn.LayerNorm(4)))\n"
            "r = net(a), list(net.state_dict()), net.num_layers"
        ),
        (
            SEED + _MASKS + "l = nn.TransformerEncoderLayer(4, 2, 8, 0.0, norm_first=True)\n"
            "net = _seed(nn.TransformerEncoder(l, 2, enable_nested_tensor=False))\n"
            "net(a.transpose(0, 1), mask=soft, src_key_padding_mask=pad)"
        ),
    ),
    "torch.nn.TransformerDecoder": (
        (
            SEED + "l = nn.TransformerDecoderLayer(4, 2, 8, 0.0)\n"
            "net = _seed(nn.TransformerDecoder(l, 2))\n"
            "r = net(a, a * 2), list(net.state_dict())"
        ),
    ),
    "torch.nn.Transformer": (
        (
            SEED + "net = _seed(nn.Transformer(4, 2, 1, 1, 8, dropout=0.0, batch_first=True))\n"
            "r = net(a, a * 2, "
            "tgt_mask=nn.Transformer.generate_square_subsequent_mask(3)), "
            "list(net.state_dict())"
        ),
    ),
    "torch.nn.Transformer.generate_square_subsequent_mask": (
        "nn.Transformer.generate_square_subsequent_mask(4)",
        "nn.Transformer(4, 2, 1, 1, 8).generate_square_subsequent_mask(3)",
    ),
}
