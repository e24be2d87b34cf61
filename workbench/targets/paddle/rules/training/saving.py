"""Saving and loading, in Paddle's own format."""

from __future__ import annotations

from dataclasses import replace

from workbench.rules.rule import RuleSet

rules = RuleSet()

_BUFFER = "import io\nf = io.BytesIO()\n"
_OTHER = "Paddle has one format of its own"
rules.row(
    "torch.save",
    "torch_save({obj}, {f})",
    ignored={"pickle_protocol": _OTHER, "_use_new_zipfile_serialization": _OTHER},
    note="the file is in Paddle's format, which torch does not read",
    cases=[
        f"{_BUFFER}torch.save({{'w': x, 'n': [1, 2.5, 'a', None]}}, f)\nf.seek(0)\n"
        "r = torch.load(f)",
        f"{_BUFFER}l = nn.Linear(4, 2)\nnn.init.ones_(l.weight)\nnn.init.ones_(l.bias)\n"
        "torch.save(l.state_dict(), f)\nf.seek(0)\nk = nn.Linear(4, 2)\n"
        "k.load_state_dict(torch.load(f))\nr = k(x)",
        "import tempfile, pathlib\nd = pathlib.Path(tempfile.mkdtemp())\n"
        "torch.save(x, d / 'x.pt')\nr = torch.load(str(d / 'x.pt'), map_location='cpu')\nd = None",
        f"{_BUFFER}torch.save({{'a': [np.arange(3), (np.ones(2), 'b')], 'w': x}}, f)\nf.seek(0)\n"
        "r = torch.load(f, weights_only=False)\nk = type(r['a'][0]) is np.ndarray",
        f"{_BUFFER}torch.save(np.ones((2, 3)), f)\nf.seek(0)\n"
        "r = torch.from_numpy(torch.load(f, weights_only=False)[:1])",
        f"{_BUFFER}k, h = (x, f), {{'weights_only': True}}\ntorch.save(*k)\nf.seek(0)\n"
        "r = torch.load(f, **h)\nk = None",
    ],
)
rules.rules[-1] = replace(
    rules.rules[-1],
    unpacked="(lambda obj, f, *, pickle_protocol=2, _use_new_zipfile_serialization=True: "
    "torch_save(obj, f))(...)",
)
rules.row(
    "torch.load",
    "torch_load({f}, {map_location})",
    ignored={
        "weights_only": "Paddle's format holds tensors and plain Python objects",
        "mmap": "it changes how the file is read alone",
        "pickle_load_args": _OTHER,
    },
    note="it reads what Paddle saved, not torch's files; tensors come back without gradients",
    cases=[
        f"{_BUFFER}torch.save((x, {{'a': torch.arange(3)}}), f)\nf.seek(0)\n"
        "r = torch.load(f, weights_only=True)",
        f"{_BUFFER}p = nn.Parameter(torch.ones(2))\no = torch.optim.Adam([p])\n"
        "(p * p).sum().backward()\no.step()\ntorch.save({'o': o.state_dict(), 'epoch': 3}, f)\n"
        "f.seek(0)\n"
        "c = torch.load(f, map_location=torch.device('cpu'))\no.load_state_dict(c['o'])\n"
        "r = o.state_dict()",
        f"{_BUFFER}torch.save(nn.Identity(), f)\nf.seek(0)\n"
        "r = torch.load(f, weights_only=False)(x)",
    ],
)
rules.rules[-1] = replace(
    rules.rules[-1],
    unpacked="(lambda f, map_location=None, *, weights_only=None, mmap=None: "
    "torch_load(f, map_location))(...)",
)
rules.refuse(
    "torch.hub.load",
    "torch.hub.list",
    "torch.hub.help",
    "torch.hub.load_state_dict_from_url",
    reason="what it loads is written for torch",
    instead="paddle.hub.load, or weights carried over from torch",
)
