"""`torch.nn.Module` and its members, parameters."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike
from workbench.upstream.cases.preludes import SEED

_NET = (
    SEED + "class _Net(nn.Module):\n    def __init__(self, width=3):\n"
    "        super().__init__()\n        self.fc = nn.Linear(4, width)\n"
    "        self.scale = nn.Parameter(torch.tensor([2.0]))\n"
    "        self.register_buffer('shift', torch.tensor([1.0]))\n"
    "        self.register_buffer('count', torch.tensor(7), persistent=False)\n"
    "    def forward(self, x):\n        return self.fc(x) * self.scale + self.shift\n"
    "net = _seed(_Net())\n"
)

CASES: dict[str, tuple[str, ...]] = {
    "torch.nn.Module": (
        (_NET + "net(x)"),
        (_NET + "isinstance(net, nn.Module), isinstance(x, nn.Module)"),
    ),
    "torch.nn.Module.__init__": (
        (
            "class _Net(nn.Module):\n    def __init__(self):\n"
            "        nn.Module.__init__(self)\n    def forward(self, x):\n        return x\n"
            "_Net()(x)"
        ),
    ),
    "torch.nn.Parameter": (
        "nn.Parameter(x)",
        "torch.nn.parameter.Parameter(data=x, requires_grad=False)",
        (_NET + "isinstance(net.scale, nn.Parameter), isinstance(x, nn.Parameter)"),
    ),
    "torch.nn.Module.eval": ((_NET + "net.eval()(x), net.eval().training, net.fc.training"),),
    "torch.nn.Module.apply": (
        (
            _NET + "def _init(layer):\n    if isinstance(layer, nn.Linear):\n"
            "        nn.init.constant_(layer.weight, 0.5)\nnet.apply(_init)(x)"
        ),
    ),
    "torch.nn.Module.children": ((_NET + "[type(layer).__name__ for layer in net.children()]"),),
    "torch.nn.Module.named_children": ((_NET + "[name for name, layer in net.named_children()]"),),
    "torch.nn.Module.named_modules": (
        (_NET + "[name for name, layer in net.named_modules(prefix='top')]"),
    ),
    "torch.nn.Module.get_submodule": ((_NET + "net.get_submodule('fc')(x)"),),
    "torch.nn.Module.get_parameter": ((_NET + "net.get_parameter('fc.bias')"),),
    "torch.nn.Module.get_buffer": ((_NET + "net.get_buffer('shift')"),),
    "torch.nn.Module.set_submodule": ((_NET + "net.set_submodule('fc', nn.Identity())\nnet(x)"),),
    "torch.nn.Module.forward": ((_NET + "net.forward(x)"),),
    "torch.nn.Module.__call__": ((_NET + "net.__call__(x)"),),
    "torch.nn.Module._get_name": ((_NET + "net._get_name()"),),
    "torch.nn.Module.requires_grad_": (
        (_NET + "net.requires_grad_(False)(x), net.requires_grad_().fc.bias"),
    ),
    **alike("torch.nn.Module", "_parameters _buffers _modules", (_NET + "list(net.{name})")),
    "torch.nn.Module.cpu": ((_NET + "net.cpu()(x)"),),
    "torch.nn.Module.extra_repr": (
        (
            "class _Net(nn.Module):\n    def extra_repr(self):\n"
            "        return 'width=3' + super().extra_repr()\nstr(_Net()), _Net().extra_repr()"
        ),
        (
            "l = [nn.Conv2d(3, 6, 3, 2, 1, groups=3, bias=False), "
            "nn.ConvTranspose1d(2, 3, 2), nn.BatchNorm2d(3), nn.InstanceNorm1d(3), "
            "nn.LayerNorm(4), nn.GroupNorm(2, 4), nn.RMSNorm(4), nn.MaxPool2d(2), "
            "nn.AvgPool1d(2), nn.AdaptiveAvgPool2d((1, None)), nn.ReLU(True), "
            "nn.LeakyReLU(0.2), nn.ELU(inplace=True), nn.Hardtanh(), nn.PReLU(), "
            "nn.Embedding(4, 3, padding_idx=1), nn.EmbeddingBag(4, 3, mode='sum'), "
            "nn.LSTM(3, 4, 2, batch_first=True), nn.GRUCell(3, 4, bias=False), "
            "nn.Dropout2d(0.1), nn.ZeroPad2d(1), nn.ConstantPad1d(1, 2.0), "
            "nn.Upsample(scale_factor=2), nn.Unfold(2), nn.PixelShuffle(2), "
            "nn.Bilinear(1, 2, 3), nn.Threshold(0.1, 2.0), nn.LogSoftmax(1)]\n"
            "r = [str(one) for one in l], str(nn.Sequential(l[0], l[10]))"
        ),
    ),
    "torch.nn.Module.training": ((_NET + "net.training = False\nnet.training, net.fc.training"),),
    "torch.nn.Module.train": (
        (
            _NET
            + "net.eval(); t = net.train(), net.train(False).training\nt[1], net.train().training"
        ),
        (
            "class _Frozen(nn.Module):\n    def train(self, mode=True):\n"
            "        super().train(mode)\n        self.training = False\n        return self\n"
            "_Frozen().train().training"
        ),
    ),
    "torch.nn.Module.modules": ((_NET + "[layer.__class__.__name__ for layer in net.modules()]"),),
    "torch.nn.Module.zero_grad": (
        (
            _NET + "net(x).sum().backward()\nheld = net.scale.grad\nnet.zero_grad()\n"
            "g = net.scale.grad, net.fc.weight.grad"
        ),
        (_NET + "net(x).sum().backward()\nnet.zero_grad(set_to_none=False)\nh = net.scale.grad"),
    ),
    "torch.nn.Module.named_parameters": (
        (_NET + "[(name, value) for name, value in net.named_parameters()]"),
        (_NET + "dict(net.named_parameters('p', recurse=False))"),
    ),
    "torch.nn.Module.named_buffers": (
        (_NET + "[(name, value) for name, value in net.named_buffers(recurse=True)]"),
    ),
    "torch.nn.Module.register_buffer": (
        (_NET + "net.register_buffer('b', x); net.register_buffer('c', None)\nnet.state_dict()"),
        (
            _NET + "net.register_buffer(name='b', tensor=x, persistent=False)\n"
            "list(net.state_dict()), net.b"
        ),
    ),
    "torch.nn.Module.register_parameter": (
        (
            _NET + "net.register_parameter('extra', nn.Parameter(x))\n"
            "net.register_parameter('no', None)\nlist(net.state_dict()), net.extra, net.no"
        ),
    ),
    **alike(
        "torch.nn.Module",
        "add_module register_module",
        (_NET + "net.{name}('act', nn.Identity())\n[n for n, _ in net.named_children()]"),
    ),
    "torch.nn.Module.register_forward_hook": (
        (
            _NET + "seen = []\n"
            "h = net.fc.register_forward_hook(lambda layer, args, out: "
            "seen.append((args[0], out)))\nnet(x)"
        ),
        (_NET + "net.register_forward_hook(lambda layer, args, out: out * 2)\nnet(x)"),
    ),
    "torch.nn.Module.register_forward_pre_hook": (
        (_NET + "net.register_forward_pre_hook(lambda layer, args: (args[0] * 2,))\nnet(x)"),
    ),
    "torch.nn.Module.to_empty": ((_NET + "net.to_empty(device='cpu').shift.shape"),),
    "torch.nn.Module.type": (
        (_NET + "net.type(torch.float64).shift.dtype, net.fc.weight.dtype"),
        (_NET + "r = net.type('torch.DoubleTensor') is net, net.fc.weight.dtype, net.count.dtype"),
        (_NET + "net.type(d.dtype)\nr = net.scale.dtype, net.type(torch.FloatTensor)(x)"),
        ("net = nn.BatchNorm1d(3).type(dst_type=torch.float64)\nr = net.num_batches_tracked.dtype"),
    ),
    "torch.nn.Module.register_full_backward_hook": (
        (
            _NET + "seen = []\n"
            "net.register_full_backward_hook(lambda layer, gi, go: seen.append((gi, go)))\n"
            "net(w).sum().backward()\ng = w.grad"
        ),
        (
            _NET + "seen = []\n"
            "h = net.register_full_backward_hook(lambda layer, gi, go: seen.append((gi, go)))\n"
            "net(x).sum().backward()\nh.remove()\nnet(x).sum().backward()\nh = 0"
        ),
        (
            _NET + "net.register_full_backward_hook(lambda layer, gi, go: (gi[0] + 2,))\n"
            "net.register_full_backward_hook(lambda layer, gi, go: (2 * gi[0],), "
            "prepend=True)\nnet(w).sum().backward()\ng = w.grad"
        ),
    ),
    "torch.nn.Module.register_full_backward_pre_hook": (
        (
            _NET + "seen = []\n"
            "net.register_full_backward_pre_hook(lambda layer, go: seen.append(go))\n"
            "net(w).sum().backward()\ng = w.grad"
        ),
        (
            _NET + "seen = []\n"
            "h = net.register_full_backward_pre_hook(lambda layer, go: seen.append(go))\n"
            "net(x).sum().backward()\nh.remove()\nnet(x).sum().backward()\nh = 0"
        ),
        (
            _NET + "net.register_full_backward_pre_hook(lambda layer, go: (go[0] + 2,))\n"
            "net.register_full_backward_pre_hook(lambda layer, go: (2 * go[0],), "
            "prepend=True)\nnet(w).sum().backward()\ng = w.grad"
        ),
    ),
    "torch.nn.Module.register_backward_hook": (
        (
            "net = nn.ReLU()\nseen = []\n"
            "h = net.register_backward_hook(lambda layer, gi, go: seen.append((gi[0], "
            "go[0])))\nnet(w).sum().backward()\nh.remove()\ng = w.grad\ndel h, net"
        ),
    ),
    "torch.nn.Module.state_dict": (
        (_NET + "net.state_dict()"),
        (_NET + "net.state_dict(prefix='net.')"),
        (_NET + "net.state_dict(keep_vars=True)"),
    ),
    "torch.nn.Module.load_state_dict": (
        (
            _NET + "other = _Net()\nkeys = other.load_state_dict(net.state_dict())\n"
            "other(x), keys.missing_keys, list(keys.unexpected_keys)"
        ),
        (
            _NET + "net.load_state_dict({'scale': torch.tensor([3.0], dtype=torch.float64)}, "
            "strict=False).missing_keys, net(x)"
        ),
        (_NET + "text = str(net.load_state_dict(net.state_dict()))"),
        (_NET + "net.load_state_dict({})"),
        (_NET + "net.load_state_dict(_Net(5).state_dict(), strict=False)"),
    ),
    **alike(
        "torch.nn.Module",
        "parameters buffers",
        (_NET + "[value for value in net.parameters()], list(net.buffers())"),
        (_NET + "next(net.parameters()), next(net.fc.parameters(recurse=False))"),
        (_NET + "values = net.parameters()\nfirst = next(values)\nrest = list(values)"),
    ),
    "torch.nn.Module.to": (
        (_NET + "net.to('cpu')(x)"),
        (_NET + "k = torch.device('cpu')\nnet.to(k)(x)"),
        (_NET + "net.to(torch.float64)(d), net.count, net.shift"),
        (_NET + "net.to(d)(d)"),
        (_NET + "net.to(device='cpu', dtype=torch.float64, non_blocking=True)(d)"),
        (_NET + "net.fc.to('cpu', torch.float64)(d)"),
        "net = nn.Conv2d(3, 3, 1).to(memory_format=torch.channels_last)\nr = net(img).shape",
        (
            "class Own(nn.Linear):\n    def to(self, *args, **kwargs):\n"
            "        self.asked = len(args)\n        return super().to(*args, **kwargs)\n"
            "net = Own(4, 3).to('cpu', torch.float64)\n"
            "r = net.to(dtype=torch.float32, non_blocking=True)(x).shape, net.asked"
        ),
        (
            _NET + "def f(net, device, dtype):\n    return net.to(device, dtype)\n"
            "f(net, 'cpu', d.dtype)(d)"
        ),
    ),
    **alike(
        "torch.nn.Module",
        "float double half bfloat16",
        (_NET + "net.{name}(); net.state_dict(), net.count"),
    ),
    "torch.nn.Module.cuda": ((_NET + "net.cuda() if torch.cuda.is_available() else net"),),
    "torch.nn.Module.share_memory": (
        (_NET + "r = net.share_memory() is net, net.scale.is_shared(), x.is_shared()"),
    ),
}
