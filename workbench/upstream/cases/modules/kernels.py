"""Functions that torch's layers are composed of."""

from __future__ import annotations

_GIVEN = (
    "k = sq.repeat(3, 1) * 0.3\nb = torch.arange(12.0) / 9\n"
    "given = 4, 2, k, b, None, None, False, 0.0, sq, x[0]\n"
)

CASES: dict[str, tuple[str, ...]] = {
    "torch.nn.functional.conv_tbc": (
        "k = w[:, :, None].expand(3, 4, 2)\nF.conv_tbc(a, k[:2], y[0, :2], 1)",
        (
            "F.conv_tbc(input=w[:, None], weight=a[:1].transpose(1, 2), bias=x[0, "
            ":3]).sum().backward()\ng = w.grad"
        ),
    ),
    "torch.nn.functional.multi_head_attention_forward": (
        (_GIVEN + "r = F.multi_head_attention_forward(a, a, a, *given)"),
        (
            _GIVEN + "pad = torch.tensor([[False, True]]).expand(3, 2)\n"
            "r = F.multi_head_attention_forward(a, a, a, *given, training=False, "
            "key_padding_mask=pad, need_weights=False)"
        ),
        (
            "v = w[:2].sum() * sq\nr = F.multi_head_attention_forward(\n"
            "    a, a, a, 4, 1, None, None, None, None, True, 0.0, v, None, "
            "use_separate_proj_weight=True, q_proj_weight=sq, k_proj_weight=sq.T, "
            "v_proj_weight=v, average_attn_weights=False)\nr[0].sum().backward()\ng = w.grad"
        ),
    ),
    "torch.nn.grad.conv1d_input": (
        (
            "torch.nn.grad.conv1d_input(a.shape, x[:2, :3, None].expand(2, 3, 2), "
            "torch.linspace(-1, 1, 12).reshape(2, 2, 3))"
        ),
        (
            "torch.nn.grad.conv1d_input(a.shape, x[:2, :3, None].expand(2, 3, 2), "
            "grad_output=torch.linspace(-1, 1, 12).reshape(2, 2, 3), stride=1)"
        ),
        (
            "g = torch.linspace(-1, 1, 12).reshape(2, 2, 3)\n"
            "torch.nn.grad.conv1d_input(a.shape, x[:2, :3, None].expand(2, 3, 2), g, "
            "stride=1, padding=0, groups=1)"
        ),
        (
            "g = (torch.linspace(-1, 1, 12).reshape(2, 2, 3)).requires_grad_()\n"
            "r = torch.nn.grad.conv1d_input(a.shape, x[:2, :3, None].expand(2, 3, 2), g)\n"
            "(r ** 2).sum().backward()\ns = g.grad"
        ),
    ),
    "torch.nn.grad.conv1d_weight": (
        (
            "torch.nn.grad.conv1d_weight(a, x[:2, :3, None].expand(2, 3, 2).shape, "
            "torch.linspace(-1, 1, 12).reshape(2, 2, 3))"
        ),
        (
            "torch.nn.grad.conv1d_weight(a, x[:2, :3, None].expand(2, 3, 2).shape, "
            "grad_output=torch.linspace(-1, 1, 12).reshape(2, 2, 3), stride=1)"
        ),
        (
            "g = torch.linspace(-1, 1, 12).reshape(2, 2, 3)\n"
            "torch.nn.grad.conv1d_weight(a, x[:2, :3, None].expand(2, 3, 2).shape, g, "
            "stride=1, padding=0, groups=1)"
        ),
        (
            "g = (torch.linspace(-1, 1, 12).reshape(2, 2, 3)).requires_grad_()\n"
            "r = torch.nn.grad.conv1d_weight(a, x[:2, :3, None].expand(2, 3, 2).shape, g)\n"
            "(r ** 2).sum().backward()\ns = g.grad"
        ),
    ),
    "torch.nn.grad.conv2d_input": (
        (
            "torch.nn.grad.conv2d_input(img.shape, img[:, :, :3, :3], "
            "torch.linspace(-1, 1, 144).reshape(2, 2, 6, 6))"
        ),
        (
            "torch.nn.grad.conv2d_input(img.shape, img[:, :, :3, :3], "
            "grad_output=torch.linspace(-1, 1, 144).reshape(2, 2, 6, 6), stride=1)"
        ),
        (
            "g = torch.linspace(-1, 1, 144).reshape(2, 2, 6, 6)\n"
            "torch.nn.grad.conv2d_input(img.shape, img[:, :, :3, :3], g, stride=1, "
            "padding=0, groups=1)"
        ),
        (
            "g = (torch.linspace(-1, 1, 144).reshape(2, 2, 6, 6)).requires_grad_()\n"
            "r = torch.nn.grad.conv2d_input(img.shape, img[:, :, :3, :3], g)\n"
            "(r ** 2).sum().backward()\ns = g.grad"
        ),
        (
            "torch.nn.grad.conv2d_input((1, 3, 6, 5), img[0, :, None, :3, :3], x[:1, "
            ":3, None, None].expand(1, 3, 3, 3), 2, 1, 1, 3)"
        ),
    ),
    "torch.nn.grad.conv2d_weight": (
        (
            "torch.nn.grad.conv2d_weight(img, img[:, :, :3, :3].shape, "
            "torch.linspace(-1, 1, 144).reshape(2, 2, 6, 6))"
        ),
        (
            "torch.nn.grad.conv2d_weight(img, img[:, :, :3, :3].shape, "
            "grad_output=torch.linspace(-1, 1, 144).reshape(2, 2, 6, 6), stride=1)"
        ),
        (
            "g = torch.linspace(-1, 1, 144).reshape(2, 2, 6, 6)\n"
            "torch.nn.grad.conv2d_weight(img, img[:, :, :3, :3].shape, g, stride=1, "
            "padding=0, groups=1)"
        ),
        (
            "g = (torch.linspace(-1, 1, 144).reshape(2, 2, 6, 6)).requires_grad_()\n"
            "r = torch.nn.grad.conv2d_weight(img, img[:, :, :3, :3].shape, g)\n"
            "(r ** 2).sum().backward()\ns = g.grad"
        ),
        (
            "torch.nn.grad.conv2d_weight(img[:1, :, :6, :5], (3, 1, 3, 3), x[:1, :3, "
            "None, None].expand(1, 3, 3, 3), stride=2, padding=1, groups=3)"
        ),
    ),
    "torch.nn.grad.conv3d_input": (
        (
            "torch.nn.grad.conv3d_input(img[:, :, None].shape, img[:, :, None, :3, "
            ":3], torch.linspace(-1, 1, 144).reshape(2, 2, 1, 6, 6))"
        ),
        (
            "torch.nn.grad.conv3d_input(img[:, :, None].shape, img[:, :, None, :3, "
            ":3], grad_output=torch.linspace(-1, 1, 144).reshape(2, 2, 1, 6, 6), stride=1)"
        ),
        (
            "g = torch.linspace(-1, 1, 144).reshape(2, 2, 1, 6, 6)\n"
            "torch.nn.grad.conv3d_input(img[:, :, None].shape, img[:, :, None, :3, "
            ":3], g, stride=1, padding=0, groups=1)"
        ),
        (
            "g = (torch.linspace(-1, 1, 144).reshape(2, 2, 1, 6, 6)).requires_grad_()\n"
            "r = torch.nn.grad.conv3d_input(img[:, :, None].shape, img[:, :, None, :3, "
            ":3], g)\n(r ** 2).sum().backward()\ns = g.grad"
        ),
    ),
    "torch.nn.grad.conv3d_weight": (
        (
            "torch.nn.grad.conv3d_weight(img[:, :, None], img[:, :, None, :3, "
            ":3].shape, torch.linspace(-1, 1, 144).reshape(2, 2, 1, 6, 6))"
        ),
        (
            "torch.nn.grad.conv3d_weight(img[:, :, None], img[:, :, None, :3, "
            ":3].shape, grad_output=torch.linspace(-1, 1, 144).reshape(2, 2, 1, 6, 6), "
            "stride=1)"
        ),
        (
            "g = torch.linspace(-1, 1, 144).reshape(2, 2, 1, 6, 6)\n"
            "torch.nn.grad.conv3d_weight(img[:, :, None], img[:, :, None, :3, "
            ":3].shape, g, stride=1, padding=0, groups=1)"
        ),
        (
            "g = (torch.linspace(-1, 1, 144).reshape(2, 2, 1, 6, 6)).requires_grad_()\n"
            "r = torch.nn.grad.conv3d_weight(img[:, :, None], img[:, :, None, :3, "
            ":3].shape, g)\n(r ** 2).sum().backward()\ns = g.grad"
        ),
    ),
}
