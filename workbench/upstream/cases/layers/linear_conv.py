"""Linear and convolution layers, and their functions."""

from __future__ import annotations

from workbench.upstream.cases.preludes import SEED

_GROUPS = (
    "u, v = x.reshape(6, 2).repeat(1, 4), torch.arange(384.).reshape(3, 8, 16) / 100\n"
    "k = torch.tensor([2, 2, 6], dtype=torch.int32)\n"
)

CASES: dict[str, tuple[str, ...]] = {
    "torch.nn.Linear": (
        (SEED + "l = nn.Linear(4, 3)\n_seed(l)\nl(x)"),
        (SEED + "l = nn.Linear(4, 3)\n_seed(l)\nl(a).sum().backward()\ng = l.weight.grad"),
        (
            "l = nn.Linear(in_features=4, out_features=2, bias=False, dtype=torch.float64)\n"
            "nn.init.ones_(l.weight)\nr = l(d), l.in_features, l.out_features, l.bias"
        ),
        (
            "l = nn.Linear(4, 100)\n"
            "r = bool(l.weight.abs().max() <= 0.5), l.weight.shape, "
            "bool(l.weight.abs().max() > 0.45)"
        ),
    ),
    "torch.nn.Bilinear": ((SEED + "l = nn.Bilinear(4, 4, 2)\n_seed(l)\nl(x, y)"),),
    "torch.nn.Identity": (
        "nn.Identity()(x)",
        "nn.Identity(54, unused=0.1)(x)",
    ),
    "torch.nn.Conv1d": (
        (SEED + "l = nn.Conv1d(3, 4, 1)\n_seed(l)\nl(a)"),
        (SEED + "l = nn.Conv1d(3, 6, 3, padding=1, groups=3)\n_seed(l)\nl(a)"),
        (
            SEED + "l = nn.Conv1d(3, 4, kernel_size=(3,) * 1, stride=2, padding=1, bias=False)\n"
            "nn.init.constant_(l.weight, 0.1)\nr = l(a), l.kernel_size, l.stride, l.bias"
        ),
        (SEED + "l = nn.Conv1d(3, 4, 4, padding='same', dilation=2)\n_seed(l)\nl(a[0])"),
        (SEED + "l = nn.Conv1d(3, 4, 3, padding=1, padding_mode='replicate')\n_seed(l)\nl(a)"),
    ),
    "torch.nn.ConvTranspose1d": (
        (
            SEED
            + "l = nn.ConvTranspose1d(3, 4, 3, stride=2, padding=1, output_padding=1)\n_seed(l)\n"
            "l(a)"
        ),
        (
            SEED + "l = nn.ConvTranspose1d(3, 6, 2, 2, groups=3, bias=False)\n"
            "nn.init.constant_(l.weight, 0.1)\nr = l(a[0]), l.weight.shape"
        ),
    ),
    "torch.nn.functional.conv1d": (
        (
            "k = torch.tensor(np.cos(np.arange(4.0 * 3 * 3)).reshape((4, 3) + (3,) * "
            "1).astype('float32'))\nF.conv1d(a, k, padding=1)"
        ),
        (
            "k = torch.tensor(np.cos(np.arange(4.0 * 3 * 3)).reshape((4, 3) + (3,) * "
            "1).astype('float32'))\nF.conv1d(a, k, torch.tensor([1.0, 2.0, 3.0, 4.0]), 2, 1)"
        ),
        (
            "k = torch.tensor(np.cos(np.arange(4.0 * 3 * 3)).reshape((4, 3) + (3,) * "
            "1).astype('float32'))\nF.conv1d(a[0], k, padding='same')"
        ),
        (
            "k = torch.tensor(np.cos(np.arange(4.0 * 3 * 3)).reshape((4, 3) + (3,) * "
            "1).astype('float32'))\nu, v = (a * 9).long(), (k * 9).long()\n"
            "F.conv1d(u, v, n.new_tensor([1, 2, 3, 4]), padding=1), "
            "F.conv1d(torch.complex(a, a * 2), torch.complex(k, 1 - k), padding=1)"
        ),
    ),
    "torch.nn.functional.conv_transpose1d": (
        (
            "k = torch.tensor(np.cos(np.arange(4.0 * 3 * 3)).reshape((4, 3) + (3,) * "
            "1).astype('float32').swapaxes(0, 1))\n"
            "F.conv_transpose1d(a, k, stride=2, padding=1, output_padding=1)"
        ),
        (
            "k = torch.tensor(np.cos(np.arange(4.0 * 3 * 3)).reshape((4, 3) + (3,) * "
            "1).astype('float32').swapaxes(0, 1))\n"
            "F.conv_transpose1d((a * 9).long(), (k * 9).long(), stride=2)"
        ),
        (
            "k = torch.tensor(np.cos(np.arange(4.0 * 3 * 3)).reshape((4, 3) + (3,) * "
            "1).astype('float32').swapaxes(0, 1))\nv = torch.arange(4.0, requires_grad=True)\n"
            "r = F.conv_transpose1d(a, k, v, 1, 0, 1, dilation=2)\nr.sum().backward()\n"
            "g = v.grad"
        ),
    ),
    "torch.nn.Conv2d": (
        (SEED + "l = nn.Conv2d(3, 4, 1)\n_seed(l)\nl(img)"),
        (SEED + "l = nn.Conv2d(3, 6, 3, padding=1, groups=3)\n_seed(l)\nl(img)"),
        (
            SEED + "l = nn.Conv2d(3, 4, kernel_size=(3,) * 2, stride=2, padding=1, bias=False)\n"
            "nn.init.constant_(l.weight, 0.1)\nr = l(img), l.kernel_size, l.stride, l.bias"
        ),
        (SEED + "l = nn.Conv2d(3, 4, 4, padding='same', dilation=2)\n_seed(l)\nl(img[0])"),
        (SEED + "l = nn.Conv2d(3, 4, 3, padding=1, padding_mode='replicate')\n_seed(l)\nl(img)"),
    ),
    "torch.nn.ConvTranspose2d": (
        (
            SEED
            + "l = nn.ConvTranspose2d(3, 4, 3, stride=2, padding=1, output_padding=1)\n_seed(l)\n"
            "l(img)"
        ),
        (
            SEED + "l = nn.ConvTranspose2d(3, 6, 2, 2, groups=3, bias=False)\n"
            "nn.init.constant_(l.weight, 0.1)\nr = l(img[0]), l.weight.shape"
        ),
    ),
    "torch.nn.functional.conv2d": (
        (
            "k = torch.tensor(np.cos(np.arange(4.0 * 3 * 9)).reshape((4, 3) + (3,) * "
            "2).astype('float32'))\nF.conv2d(img, k, padding=1)"
        ),
        (
            "k = torch.tensor(np.cos(np.arange(4.0 * 3 * 9)).reshape((4, 3) + (3,) * "
            "2).astype('float32'))\nF.conv2d(img, k, torch.tensor([1.0, 2.0, 3.0, 4.0]), 2, 1)"
        ),
        (
            "k = torch.tensor(np.cos(np.arange(4.0 * 3 * 9)).reshape((4, 3) + (3,) * "
            "2).astype('float32'))\nF.conv2d(img[0], k, padding='same')"
        ),
        (
            "k = torch.tensor(np.cos(np.arange(4.0 * 3 * 9)).reshape((4, 3) + (3,) * "
            "2).astype('float32'))\nu, v = (img * 9).long(), (k * 9).long()\n"
            "F.conv2d(u, v, n.new_tensor([1, 2, 3, 4]), padding=1), "
            "F.conv2d(torch.complex(img, img * 2), torch.complex(k, 1 - k), padding=1)"
        ),
    ),
    "torch.nn.functional.conv_transpose2d": (
        (
            "k = torch.tensor(np.cos(np.arange(4.0 * 3 * 9)).reshape((4, 3) + (3,) * "
            "2).astype('float32').swapaxes(0, 1))\n"
            "F.conv_transpose2d(img, k, stride=2, padding=1, output_padding=1)"
        ),
        (
            "k = torch.tensor(np.cos(np.arange(4.0 * 3 * 9)).reshape((4, 3) + (3,) * "
            "2).astype('float32').swapaxes(0, 1))\n"
            "F.conv_transpose2d((img * 9).long(), (k * 9).long(), stride=2)"
        ),
        (
            "k = torch.tensor(np.cos(np.arange(4.0 * 3 * 9)).reshape((4, 3) + (3,) * "
            "2).astype('float32').swapaxes(0, 1))\nv = torch.arange(4.0, requires_grad=True)\n"
            "r = F.conv_transpose2d(img, k, v, 1, 0, 1, dilation=2)\nr.sum().backward()\n"
            "g = v.grad"
        ),
    ),
    "torch.nn.Conv3d": (
        (SEED + "l = nn.Conv3d(3, 4, 1)\n_seed(l)\nl(img[:, :, None])"),
        (SEED + "l = nn.Conv3d(3, 6, 3, padding=1, groups=3)\n_seed(l)\nl(img[:, :, None])"),
        (
            SEED + "l = nn.Conv3d(3, 4, kernel_size=(3,) * 3, stride=2, padding=1, bias=False)\n"
            "nn.init.constant_(l.weight, 0.1)\n"
            "r = l(img[:, :, None]), l.kernel_size, l.stride, l.bias"
        ),
        (
            SEED + "l = nn.Conv3d(3, 4, 4, padding='same', dilation=2)\n_seed(l)\n"
            "l(img[:, :, None][0])"
        ),
        (
            SEED + "l = nn.Conv3d(3, 4, 3, padding=1, padding_mode='replicate')\n_seed(l)\n"
            "l(img[:, :, None])"
        ),
    ),
    "torch.nn.ConvTranspose3d": (
        (
            SEED
            + "l = nn.ConvTranspose3d(3, 4, 3, stride=2, padding=1, output_padding=1)\n_seed(l)\n"
            "l(img[:, :, None])"
        ),
        (
            SEED + "l = nn.ConvTranspose3d(3, 6, 2, 2, groups=3, bias=False)\n"
            "nn.init.constant_(l.weight, 0.1)\nr = l(img[:, :, None][0]), l.weight.shape"
        ),
    ),
    "torch.nn.functional.conv3d": (
        (
            "k = torch.tensor(np.cos(np.arange(4.0 * 3 * 27)).reshape((4, 3) + (3,) * "
            "3).astype('float32'))\nF.conv3d(img[:, :, None], k, padding=1)"
        ),
        (
            "k = torch.tensor(np.cos(np.arange(4.0 * 3 * 27)).reshape((4, 3) + (3,) * "
            "3).astype('float32'))\n"
            "F.conv3d(img[:, :, None], k, torch.tensor([1.0, 2.0, 3.0, 4.0]), 2, 1)"
        ),
        (
            "k = torch.tensor(np.cos(np.arange(4.0 * 3 * 27)).reshape((4, 3) + (3,) * "
            "3).astype('float32'))\nF.conv3d(img[:, :, None][0], k, padding='same')"
        ),
        (
            "k = torch.tensor(np.cos(np.arange(4.0 * 3 * 27)).reshape((4, 3) + (3,) * "
            "3).astype('float32'))\nu, v = (img[:, :, None] * 9).long(), (k * 9).long()\n"
            "F.conv3d(u, v, n.new_tensor([1, 2, 3, 4]), padding=1), "
            "F.conv3d(torch.complex(img[:, :, None], img[:, :, None] * 2), "
            "torch.complex(k, 1 - k), padding=1)"
        ),
    ),
    "torch.nn.functional.conv_transpose3d": (
        (
            "k = torch.tensor(np.cos(np.arange(4.0 * 3 * 27)).reshape((4, 3) + (3,) * "
            "3).astype('float32').swapaxes(0, 1))\n"
            "F.conv_transpose3d(img[:, :, None], k, stride=2, padding=1, output_padding=1)"
        ),
        (
            "k = torch.tensor(np.cos(np.arange(4.0 * 3 * 27)).reshape((4, 3) + (3,) * "
            "3).astype('float32').swapaxes(0, 1))\n"
            "F.conv_transpose3d((img[:, :, None] * 9).long(), (k * 9).long(), stride=2)"
        ),
        (
            "k = torch.tensor(np.cos(np.arange(4.0 * 3 * 27)).reshape((4, 3) + (3,) * "
            "3).astype('float32').swapaxes(0, 1))\nv = torch.arange(4.0, requires_grad=True)\n"
            "r = F.conv_transpose3d(img[:, :, None], k, v, 1, 0, 1, dilation=2)\n"
            "r.sum().backward()\ng = v.grad"
        ),
    ),
    "torch.nn.functional.linear": (
        "F.linear(x, y)",
        "F.linear(a, sq, bias=sq[0])",
        "F.linear(x, y[0])",
    ),
    "torch.nn.functional.grouped_mm": (
        (_GROUPS + "r = torch.nn.functional.grouped_mm(u, v, offs=k)"),
        (_GROUPS + "r = torch.nn.functional.grouped_mm(u[:3, None].repeat(1, 4, 1), v)"),
        (
            _GROUPS + "r = torch.nn.functional.grouped_mm(v[0].t(), v[1], offs=torch.tensor([1, "
            "8], dtype=torch.int32))"
        ),
        (
            _GROUPS + "r = torch.nn.functional.grouped_mm(v.mT.contiguous()[:2], v[0].repeat(1, "
            "2)[:, :32].repeat(2, 1), offs=torch.tensor([8, 32], dtype=torch.int32))"
        ),
    ),
    "torch._grouped_mm": (
        (_GROUPS + "r = torch._grouped_mm(u, v, offs=k)"),
        (_GROUPS + "r = torch._grouped_mm(u[:3, None].repeat(1, 4, 1), v)"),
        (
            _GROUPS + "r = torch._grouped_mm(v[0].t(), v[1], offs=torch.tensor([1, 8], "
            "dtype=torch.int32))"
        ),
        (
            _GROUPS + "r = torch._grouped_mm(v.mT.contiguous()[:2], v[0].repeat(1, 2)[:, "
            ":32].repeat(2, 1), offs=torch.tensor([8, 32], dtype=torch.int32))"
        ),
    ),
    "torch.nn.functional.bilinear": (
        (
            "k = torch.tensor(np.cos(np.arange(32.0)).reshape(2, 4, 4).astype('float32'))\n"
            "F.bilinear(x, y, k, x[0, :2]), F.bilinear(x, y, k)"
        ),
    ),
}
