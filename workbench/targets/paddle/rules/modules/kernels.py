"""What torch's layers are made of, as functions."""

from __future__ import annotations

from workbench.rules.rule import RuleSet

rules = RuleSet()

_F = "torch.nn.functional"
rules.row(
    f"{_F}.conv_tbc",
    "torch_conv_tbc(...)",
    value="torch_conv_tbc",
    cases=[
        "k = w[:, :, None].expand(3, 4, 2)\nF.conv_tbc(a, k[:2], y[0, :2], 1)",
        "F.conv_tbc(input=w[:, None], weight=a[:1].transpose(1, 2), bias=x[0, :3])"
        ".sum().backward()\ng = w.grad",
    ],
)
_GIVEN = (
    "k = sq.repeat(3, 1) * 0.3\nb = torch.arange(12.0) / 9\n"
    "given = 4, 2, k, b, None, None, False, 0.0, sq, x[0]\n"
)
rules.row(
    f"{_F}.multi_head_attention_forward",
    "torch_multi_head_attention_forward(...)",
    value="torch_multi_head_attention_forward",
    cases=[
        f"{_GIVEN}r = F.multi_head_attention_forward(a, a, a, *given)",
        f"{_GIVEN}pad = torch.tensor([[False, True]]).expand(3, 2)\n"
        "r = F.multi_head_attention_forward(a, a, a, *given, training=False, "
        "key_padding_mask=pad, need_weights=False)",
        "v = w[:2].sum() * sq\nr = F.multi_head_attention_forward(\n    a, a, a, 4, 1, None, None, "
        "None, None, True, 0.0, v, None, use_separate_proj_weight=True, q_proj_weight=sq, "
        "k_proj_weight=sq.T, v_proj_weight=v, average_attn_weights=False)\n"
        "r[0].sum().backward()\ng = w.grad",
    ],
)
_SIDES = {
    1: ("a", "x[:2, :3, None].expand(2, 3, 2)", "(2, 2, 3)"),
    2: ("img", "img[:, :, :3, :3]", "(2, 2, 6, 6)"),
    3: ("img[:, :, None]", "img[:, :, None, :3, :3]", "(2, 2, 1, 6, 6)"),
}
_ALIKE = "x[:1, :3, None, None].expand(1, 3, 3, 3)"
_OF_GROUPS = {
    (2, "input"): [
        f"torch.nn.grad.conv2d_input((1, 3, 6, 5), img[0, :, None, :3, :3], {_ALIKE}, 2, 1, 1, 3)",
    ],
    (2, "weight"): [
        f"torch.nn.grad.conv2d_weight(img[:1, :, :6, :5], (3, 1, 3, 3), {_ALIKE}, "
        "stride=2, padding=1, groups=3)",
    ],
}
for _dims, (_input, _weight, _size) in _SIDES.items():
    _gradient = f"torch.linspace(-1, 1, {2 * 2 * (3 if _dims == 1 else 36)}).reshape{_size}"
    for _what, _first, _second in (
        ("input", f"{_input}.shape", _weight),
        ("weight", _input, f"{_weight}.shape"),
    ):
        _name = f"torch.nn.grad.conv{_dims}d_{_what}"
        rules.row(
            _name,
            f"torch_conv_{_what}_gradient({_dims}, ...)",
            cases=[
                f"{_name}({_first}, {_second}, {_gradient})",
                f"{_name}({_first}, {_second}, grad_output={_gradient}, stride=1)",
                f"g = {_gradient}\n{_name}({_first}, {_second}, g, stride=1, padding=0, groups=1)",
                f"g = ({_gradient}).requires_grad_()\nr = {_name}({_first}, {_second}, g)\n"
                "(r ** 2).sum().backward()\ns = g.grad",
                *_OF_GROUPS.get((_dims, _what), []),
            ],
        )
