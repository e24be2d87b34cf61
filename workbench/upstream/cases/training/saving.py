"""Saving and loading, in Paddle's own format."""

from __future__ import annotations

_BUFFER = "import io\nf = io.BytesIO()\n"

CASES: dict[str, tuple[str, ...]] = {
    "torch.save": (
        (
            _BUFFER
            + "torch.save({'w': x, 'n': [1, 2.5, 'a', None]}, f)\nf.seek(0)\nr = torch.load(f)"
        ),
        (
            _BUFFER + "l = nn.Linear(4, 2)\nnn.init.ones_(l.weight)\nnn.init.ones_(l.bias)\n"
            "torch.save(l.state_dict(), f)\nf.seek(0)\nk = nn.Linear(4, 2)\n"
            "k.load_state_dict(torch.load(f))\nr = k(x)"
        ),
        (
            "import tempfile, pathlib\nd = pathlib.Path(tempfile.mkdtemp())\n"
            "torch.save(x, d / 'x.pt')\nr = torch.load(str(d / 'x.pt'), map_location='cpu')\n"
            "d = None"
        ),
        (
            _BUFFER + "torch.save({'a': [np.arange(3), (np.ones(2), 'b')], 'w': x}, f)\nf.seek(0)\n"
            "r = torch.load(f, weights_only=False)\nk = type(r['a'][0]) is np.ndarray"
        ),
        (
            _BUFFER + "torch.save(np.ones((2, 3)), f)\nf.seek(0)\n"
            "r = torch.from_numpy(torch.load(f, weights_only=False)[:1])"
        ),
        (
            _BUFFER + "k, h = (x, f), {'weights_only': True}\ntorch.save(*k)\nf.seek(0)\n"
            "r = torch.load(f, **h)\nk = None"
        ),
    ),
    "torch.load": (
        (
            _BUFFER + "torch.save((x, {'a': torch.arange(3)}), f)\nf.seek(0)\n"
            "r = torch.load(f, weights_only=True)"
        ),
        (
            _BUFFER + "p = nn.Parameter(torch.ones(2))\no = torch.optim.Adam([p])\n"
            "(p * p).sum().backward()\no.step()\n"
            "torch.save({'o': o.state_dict(), 'epoch': 3}, f)\nf.seek(0)\n"
            "c = torch.load(f, map_location=torch.device('cpu'))\no.load_state_dict(c['o'])\n"
            "r = o.state_dict()"
        ),
        (
            _BUFFER
            + "torch.save(nn.Identity(), f)\nf.seek(0)\nr = torch.load(f, weights_only=False)(x)"
        ),
    ),
}
