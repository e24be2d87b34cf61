"""`torch.nn.Module` and its members, parameters."""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet
from workbench.source.types.lattice import Instance, Plain, TorchObject
from workbench.upstream.cases.layers import SEED
from workbench.upstream.facts import load, parse_signature

rules = RuleSet()

_NET = SEED + (
    "class _Net(nn.Module):\n"
    "    def __init__(self, width=3):\n"
    "        super().__init__()\n"
    "        self.fc = nn.Linear(4, width)\n"
    "        self.scale = nn.Parameter(torch.tensor([2.0]))\n"
    "        self.register_buffer('shift', torch.tensor([1.0]))\n"
    "        self.register_buffer('count', torch.tensor(7), persistent=False)\n"
    "    def forward(self, x):\n"
    "        return self.fc(x) * self.scale + self.shift\n"
    "net = _seed(_Net())\n"
)

rules.row(
    "torch.nn.Module",
    "paddle.nn.Layer()",
    value="paddle.nn.Layer",
    cases=[f"{_NET}net(x)", f"{_NET}isinstance(net, nn.Module), isinstance(x, nn.Module)"],
)
rules.row(
    "torch.nn.Module.__init__",
    "paddle.nn.Layer.__init__(*{args})",
    cases=[
        "class _Net(nn.Module):\n    def __init__(self):\n        nn.Module.__init__(self)\n"
        "    def forward(self, x):\n        return x\n_Net()(x)",
    ],
)
rules.row(
    "torch.nn.Parameter",
    "paddle.nn.Parameter({data}, requires_grad={requires_grad})",
    value="paddle.nn.Parameter",
    cases=[
        "nn.Parameter(x)",
        "torch.nn.parameter.Parameter(data=x, requires_grad=False)",
        f"{_NET}isinstance(net.scale, nn.Parameter), isinstance(x, nn.Parameter)",
    ],
)

# What is the same ------------------------------------------------------------------------------

_SAME = {
    "eval": "net.eval()(x), net.eval().training, net.fc.training",
    "apply": "def _init(layer):\n    if isinstance(layer, nn.Linear):\n"
    "        nn.init.constant_(layer.weight, 0.5)\nnet.apply(_init)(x)",
    "children": "[type(layer).__name__ for layer in net.children()]",
    "named_children": "[name for name, layer in net.named_children()]",
    "named_modules": "[name for name, layer in net.named_modules(prefix='top')]",
    "get_submodule": "net.get_submodule('fc')(x)",
    "get_parameter": "net.get_parameter('fc.bias')",
    "get_buffer": "net.get_buffer('shift')",
    "set_submodule": "net.set_submodule('fc', nn.Identity())\nnet(x)",
    "forward": "net.forward(x)",
    "__call__": "net.__call__(x)",
    "_get_name": "net._get_name()",
    "requires_grad_": "net.requires_grad_(False)(x), net.requires_grad_().fc.bias",
    "_parameters": "list(net._parameters)",
    "_buffers": "list(net._buffers)",
    "_modules": "list(net._modules)",
    "cpu": "net.cpu()(x)",
}
for _name, _case in _SAME.items():
    rules.keep(f"torch.nn.Module.{_name}", cases=[_NET + _case])


@rules.rule(
    "torch.nn.Module.extra_repr",
    cases=[
        "class _Net(nn.Module):\n    def extra_repr(self):\n"
        "        return 'width=3' + super().extra_repr()\nstr(_Net()), _Net().extra_repr()",
        "l = [nn.Conv2d(3, 6, 3, 2, 1, groups=3, bias=False), nn.ConvTranspose1d(2, 3, 2), "
        "nn.BatchNorm2d(3), nn.InstanceNorm1d(3), nn.LayerNorm(4), nn.GroupNorm(2, 4), "
        "nn.RMSNorm(4), nn.MaxPool2d(2), nn.AvgPool1d(2), nn.AdaptiveAvgPool2d((1, None)), "
        "nn.ReLU(True), nn.LeakyReLU(0.2), nn.ELU(inplace=True), nn.Hardtanh(), nn.PReLU(), "
        "nn.Embedding(4, 3, padding_idx=1), nn.EmbeddingBag(4, 3, mode='sum'), "
        "nn.LSTM(3, 4, 2, batch_first=True), nn.GRUCell(3, 4, bias=False), nn.Dropout2d(0.1), "
        "nn.ZeroPad2d(1), nn.ConstantPad1d(1, 2.0), nn.Upsample(scale_factor=2), nn.Unfold(2), "
        "nn.PixelShuffle(2), nn.Bilinear(1, 2, 3), nn.Threshold(0.1, 2.0), nn.LogSoftmax(1)]\n"
        "r = [str(one) for one in l], str(nn.Sequential(l[0], l[10]))",
    ],
)
def extra_repr(match: Match) -> Outcome:
    """The same, but for what the layers of each framework tell about themselves."""
    value = match.use.receiver_value
    own = isinstance(value, Instance) and value.cls != "torch.nn.Module"
    return Keep(caveat="Paddle's layers tell other things about themselves" if own else None)


rules.row(
    "torch.nn.Module.training",
    "{self}.training",
    store=("{self}.training", "{value}"),
    cases=[f"{_NET}net.training = False\nnet.training, net.fc.training"],
)


@rules.rule(
    "torch.nn.Module.train",
    cases=[
        f"{_NET}net.eval(); t = net.train(), net.train(False).training\nt[1], net.train().training",
        "class _Frozen(nn.Module):\n    def train(self, mode=True):\n"
        "        super().train(mode)\n        self.training = False\n        return self\n"
        "_Frozen().train().training",
    ],
)
def train(match: Match) -> Outcome:
    """The same; yet Paddle tells nested layers without calling a `train` of their own."""
    receiver = match.use.receiver
    own = isinstance(receiver, ast.Call) and getattr(receiver.func, "id", "") == "super"
    caveat = "a layer around this one sets its mode without calling this method in Paddle"
    return Keep(caveat=caveat if own else None)


# What has another name -------------------------------------------------------------------------

rules.row(
    "torch.nn.Module.modules",
    "{self}.modules()",
    cases=[f"{_NET}[layer.__class__.__name__ for layer in net.modules()]"],
)
rules.row(
    "torch.nn.Module.zero_grad",
    "torch_module_zero_grad({self}, {set_to_none})",
    cases=[
        f"{_NET}net(x).sum().backward()\nheld = net.scale.grad\nnet.zero_grad()\n"
        "g = net.scale.grad, net.fc.weight.grad",
        f"{_NET}net(x).sum().backward()\nnet.zero_grad(set_to_none=False)\nh = net.scale.grad",
    ],
)
rules.row(
    "torch.nn.Module.named_parameters",
    "{self}.named_parameters(prefix={prefix}, include_sublayers={recurse}, "
    "remove_duplicate={remove_duplicate})",
    cases=[
        f"{_NET}[(name, value) for name, value in net.named_parameters()]",
        f"{_NET}dict(net.named_parameters('p', recurse=False))",
    ],
)
rules.row(
    "torch.nn.Module.named_buffers",
    "{self}.named_buffers(prefix={prefix}, include_sublayers={recurse}, "
    "remove_duplicate={remove_duplicate})",
    cases=[f"{_NET}[(name, value) for name, value in net.named_buffers(recurse=True)]"],
)
rules.row(
    "torch.nn.Module.register_buffer",
    "{self}.register_buffer({name}, {tensor}, persistable={persistent})",
    cases=[
        f"{_NET}net.register_buffer('b', x); net.register_buffer('c', None)\nnet.state_dict()",
        f"{_NET}net.register_buffer(name='b', tensor=x, persistent=False)\n"
        "list(net.state_dict()), net.b",
    ],
)
rules.row(
    "torch.nn.Module.register_parameter",
    "{self}.add_parameter({name}, {param})",
    cases=[
        f"{_NET}net.register_parameter('extra', nn.Parameter(x))\n"
        "net.register_parameter('no', None)\n"
        "list(net.state_dict()), net.extra, net.no"
    ],
)
for _name in ("add_module", "register_module"):
    rules.row(
        f"torch.nn.Module.{_name}",
        "{self}.add_sublayer({name}, {module})",
        cases=[f"{_NET}net.{_name}('act', nn.Identity())\n[n for n, _ in net.named_children()]"],
    )
rules.row(
    "torch.nn.Module.register_forward_hook",
    "{self}.register_forward_post_hook({hook}, prepend={prepend}, with_kwargs={with_kwargs}, "
    "always_call={always_call})",
    cases=[
        f"{_NET}seen = []\n"
        "h = net.fc.register_forward_hook(lambda layer, args, out: seen.append((args[0], out)))\n"
        "net(x)",
        f"{_NET}net.register_forward_hook(lambda layer, args, out: out * 2)\nnet(x)",
    ],
)
rules.row(
    "torch.nn.Module.register_forward_pre_hook",
    "{self}.register_forward_pre_hook({hook}, prepend={prepend}, with_kwargs={with_kwargs})",
    cases=[f"{_NET}net.register_forward_pre_hook(lambda layer, args: (args[0] * 2,))\nnet(x)"],
)


rules.row(
    "torch.nn.Module.to_empty",
    "torch_module_to({self}, {device})",
    ignored={"recurse": "all of the module is moved"},
    note="values stay, where torch leaves them undefined",
    cases=[f"{_NET}net.to_empty(device='cpu').shift.shape"],
)


@rules.rule(
    "torch.nn.Module.type",
    cases=[
        f"{_NET}net.type(torch.float64).shift.dtype, net.fc.weight.dtype",
        f"{_NET}r = net.type('torch.DoubleTensor') is net, net.fc.weight.dtype, net.count.dtype",
        f"{_NET}net.type(d.dtype)\nr = net.scale.dtype, net.type(torch.FloatTensor)(x)",
        "net = nn.BatchNorm1d(3).type(dst_type=torch.float64)\nr = net.num_batches_tracked.dtype",
    ],
)
def type_(match: Match) -> Outcome:
    """A dtype, or a kind of tensors that stands for one."""
    value = match.value("dst_type")
    if isinstance(value, TorchObject) and value.name.endswith("Tensor"):
        kind = value.name.removeprefix("torch.")
        return Rewrite(
            f"torch_module_type({{self}}, 'torch.{kind}')", consumed=frozenset({"dst_type"})
        )
    known = isinstance(value, TorchObject) or getattr(value, "cls", "") == "torch.dtype"
    return Rewrite(
        "{self}.to(dtype={dst_type})" if known else "torch_module_type({self}, {dst_type})"
    )


for _name, _pre, _arguments in (
    ("register_full_backward_hook", "", "layer, gi, go"),
    ("register_full_backward_pre_hook", ", pre=True", "layer, go"),
):
    _seen = f"seen.append({_arguments.removeprefix('layer, ')})".replace("gi, go", "(gi, go)")
    _changed = "go[0]" if _pre else "gi[0]"
    rules.row(
        f"torch.nn.Module.{_name}",
        f"torch_register_backward_hook({{self}}, {{hook}}, prepend={{prepend}}{_pre})",
        cases=[
            f"{_NET}seen = []\nnet.{_name}(lambda {_arguments}: {_seen})\n"
            "net(w).sum().backward()\ng = w.grad",
            f"{_NET}seen = []\nh = net.{_name}(lambda {_arguments}: {_seen})\n"
            "net(x).sum().backward()\nh.remove()\nnet(x).sum().backward()\nh = 0",
            f"{_NET}net.{_name}(lambda {_arguments}: ({_changed} + 2,))\n"
            f"net.{_name}(lambda {_arguments}: (2 * {_changed},), prepend=True)\n"
            "net(w).sum().backward()\ng = w.grad",
        ],
    )


rules.row(
    "torch.nn.Module.register_backward_hook",
    "torch_register_backward_hook({self}, {hook})",
    caveat="the hook is given the gradients of the module's inputs, where torch gives those of the"
    " last operation in it, which are others for most layers",
    cases=[
        "net = nn.ReLU()\nseen = []\n"
        "h = net.register_backward_hook(lambda layer, gi, go: seen.append((gi[0], go[0])))\n"
        "net(w).sum().backward()\nh.remove()\ng = w.grad\ndel h, net",
    ],
)


@rules.rule(
    "torch.nn.Module.state_dict",
    cases=[
        f"{_NET}net.state_dict()",
        f"{_NET}net.state_dict(prefix='net.')",
        f"{_NET}net.state_dict(keep_vars=True)",
    ],
)
def state_dict(match: Match) -> Outcome:
    """Paddle hands out the parameters themselves unless told to detach them."""
    if "prefix" in match or "destination" in match:
        return Rewrite(
            "{self}.state_dict(destination={destination}, prefix={prefix=''}, "
            "keep_vars={keep_vars})"
            if "destination" in match
            else "{self}.state_dict(prefix={prefix}, keep_vars={keep_vars})"
        )
    return Rewrite("{self}.state_dict(keep_vars={keep_vars=False})")


@rules.rule(
    "torch.nn.Module.load_state_dict",
    cases=[
        f"{_NET}other = _Net()\nkeys = other.load_state_dict(net.state_dict())\n"
        "other(x), keys.missing_keys, list(keys.unexpected_keys)",
        f"{_NET}net.load_state_dict({{'scale': torch.tensor([3.0], dtype=torch.float64)}}, "
        "strict=False).missing_keys, net(x)",
        f"{_NET}text = str(net.load_state_dict(net.state_dict()))",
        f"{_NET}net.load_state_dict({{}})",
        f"{_NET}net.load_state_dict(_Net(5).state_dict(), strict=False)",
    ],
)
def load_state_dict(match: Match) -> Outcome:
    """Strict, casting, with torch's result; tensors that are to be taken as they are, refused."""
    if match.given("assign"):
        return Refusal("`assign` has no equivalent", "load without `assign`, then cast the model")
    return Rewrite(
        "torch_load_state_dict({self}, {state_dict}, strict={strict})",
        consumed=frozenset({"assign"}),
    )


def _taken_by(match: Match) -> ast.AST | None:
    """The expression or statement that takes the result of a use."""
    for parent in ast.walk(match.use.statement):
        if any(child is match.use.node for child in ast.iter_child_nodes(parent)):
            return parent
    return None


@rules.rule(
    "torch.nn.Module.parameters",
    "torch.nn.Module.buffers",
    cases=[
        f"{_NET}[value for value in net.parameters()], list(net.buffers())",
        f"{_NET}next(net.parameters()), next(net.fc.parameters(recurse=False))",
        f"{_NET}values = net.parameters()\nfirst = next(values)\nrest = list(values)",
    ],
)
def parameters(match: Match) -> Outcome:
    """A list in Paddle, an iterator in torch: the difference shows where `next` may be called."""
    member = match.use.name.rpartition(".")[2]
    plain = "{self}." + member + "(include_sublayers={recurse})"
    parent = _taken_by(match)
    loops = isinstance(parent, ast.For | ast.comprehension | ast.Starred | ast.Compare)
    called = (
        isinstance(parent, ast.Call)
        and parent.func is not match.use.node
        and not (isinstance(parent.func, ast.Name) and parent.func.id == "next")
    )
    keyword = isinstance(parent, ast.keyword)
    if loops or called or keyword:
        return Rewrite(plain)
    return Rewrite(f"iter({plain})")


# Devices and dtypes ----------------------------------------------------------------------------


_DEVICES = frozenset({Plain("str"), Instance("torch.device")})


@rules.rule(
    "torch.nn.Module.to",
    cases=[
        f"{_NET}net.to('cpu')(x)",
        f"{_NET}k = torch.device('cpu')\nnet.to(k)(x)",
        f"{_NET}net.to(torch.float64)(d), net.count, net.shift",
        f"{_NET}net.to(d)(d)",
        f"{_NET}net.to(device='cpu', dtype=torch.float64, non_blocking=True)(d)",
        f"{_NET}net.fc.to('cpu', torch.float64)(d)",
        "net = nn.Conv2d(3, 3, 1).to(memory_format=torch.channels_last)\nr = net(img).shape",
        "class Own(nn.Linear):\n    def to(self, *args, **kwargs):\n"
        "        self.asked = len(args)\n        return super().to(*args, **kwargs)\n"
        "net = Own(4, 3).to('cpu', torch.float64)\n"
        "r = net.to(dtype=torch.float32, non_blocking=True)(x).shape, net.asked",
        f"{_NET}def f(net, device, dtype):\n    return net.to(device, dtype)\n"
        "f(net, 'cpu', d.dtype)(d)",
    ],
    unpacked="torch_module_to({self}, ...)",
)
def to(match: Match) -> Outcome:
    """A device alone is said as in torch; what casts must leave integer buffers alone.

    The helper tells devices, dtypes and tensors apart when the code runs, so that one overload
    serves where types do not tell which of them is meant.
    """
    if "memory_format" in match:
        return Rewrite("{self}", consumed=frozenset({"memory_format"}))
    consumed = frozenset({"non_blocking"}) & match.arguments.keys()
    untold = Rewrite("torch_module_to({self}, ...)")
    first = match.signature.parameters[0].name
    if first != "device" and match.value(first) in _DEVICES:
        return Refusal("it is called with a device")
    if "tensor" in match:
        if match.is_tensor("tensor"):
            return Rewrite("torch_module_to({self}, {tensor})", consumed=consumed)
        return untold
    if first == "dtype":
        value = match.value("dtype")
        known = isinstance(value, TorchObject) or (
            isinstance(value, Instance) and value.cls == "torch.dtype"
        )
        return Rewrite("torch_module_to({self}, {dtype})", consumed=consumed) if known else untold
    known = match.value("device") in _DEVICES
    if known and "dtype" not in match:
        return Rewrite("{self}.to({device})", consumed=consumed)
    if known:
        return Rewrite("torch_module_to({self}, {device}, dtype={dtype})", consumed=consumed)
    return untold


# torch takes a memory format alone too, which its annotations do not say.
_to = rules.rules[-1]
_known = load().get(_to.name)
assert _known is not None
rules.rules[-1] = replace(
    _to, signatures=(*_known.signatures, parse_signature("(*, memory_format)"))
)

for _name, _dtype in {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "bfloat16": "bfloat16",
}.items():
    rules.row(
        f"torch.nn.Module.{_name}",
        "torch_module_to({self}, dtype='" + _dtype + "')",
        cases=[f"{_NET}net.{_name}(); net.state_dict(), net.count"],
    )
rules.row(
    "torch.nn.Module.cuda",
    "{self}.cuda()",
    "torch_module_to({self}, {device})",
    note="it needs a Paddle that was built for CUDA",
    cases=[f"{_NET}net.cuda() if torch.cuda.is_available() else net"],
)

# Without an equivalent -------------------------------------------------------------------------

rules.refuse(
    "torch.nn.Module._load_from_state_dict",
    "torch.nn.Module._save_to_state_dict",
    reason="Paddle's layers do not call methods of this kind while they load and save",
    instead="`register_load_state_dict_pre_hook`, `register_state_dict_post_hook`",
)
rules.refuse(
    "torch.nn.Module.get_extra_state",
    "torch.nn.Module.set_extra_state",
    reason="Paddle's layers do not call methods of this kind while they load and save",
    instead="keep the extra state in a buffer, or hooks of `state_dict` and `load_state_dict`",
)
rules.refuse(
    "torch.nn.Module.xpu",
    "torch.nn.Module.ipu",
    "torch.nn.Module.mtia",
    reason="this device has no counterpart that is proven",
    instead="`.to(device)` with the name that Paddle gives the device",
)
rules.row(
    "torch.nn.Module.share_memory",
    "torch_module_share_memory({self})",
    note="Paddle hands tensors to other processes without a call",
    cases=[f"{_NET}r = net.share_memory() is net, net.scale.is_shared(), x.is_shared()"],
)
rules.refuse(
    "torch.nn.Module.compile",
    reason="compilation works on functions in Paddle",
    instead="`paddle.jit.to_static(model)`",
)
