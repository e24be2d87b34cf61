"""Less common optimizers, averaged weights, and names without an equivalent."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

_RUN = "\nv = [float(o.step(loss)) for _ in range(6)]\nr = p.detach()"
_MATRIX = "p = nn.Parameter(torch.tensor([[1.0, -2.0, 0.5], [0.3, 0.7, -1.0]]))\n"
_ONE = (
    "\nfor _ in range(1):\n    o.zero_grad()\n    (p * p * p).sum().backward()\n"
    "    o.step()\nr = p.detach()"
)
_MANY = (
    "\nfor _ in range(20):\n    o.zero_grad()\n    (p * p * p).sum().backward()\n"
    "    o.step()\nr = p.detach()"
)
_READ = (
    "\nfor turn in range(9):\n    o.zero_grad()\n"
    "    (l(k[turn % 3]) ** 3).sum().backward()\n    o.step()\nr = l.weight.detach()"
)
_HOOKED = (
    "q = nn.Parameter(torch.ones(2))\no = torch.optim.SGD([q], lr=0.1, momentum=0.5)\n"
    "(q * q).sum().backward()\no.step()\nsaw = []\n"
)
_TABLE = (
    "l = nn.Embedding(5, 3, sparse=True)\nnn.init.ones_(l.weight)\n"
    "k = [torch.tensor([0, 2, 2]), torch.tensor([1, 2]), torch.tensor([[3, 0]])]\n"
)
_MODEL = (
    "m = nn.Linear(2, 2)\nnn.init.ones_(m.weight)\nnn.init.zeros_(m.bias)\n"
    "o = torch.optim.SGD(m.parameters(), lr=0.1)\nv = torch.tensor([[1.0, 2.0]])\n"
)
_FOLLOW = (
    "\nfor _ in range(5):\n    o.zero_grad()\n    m(v).sum().backward()\n    o.step()\n"
    "    am.update_parameters(m)\nr = am(v), am.module.weight, am.n_averaged"
)
_LBFGS = (
    "p = nn.Parameter(torch.tensor([-1.2, 1.0]))\ndef loss():\n    o.zero_grad()\n"
    "    v = (1 - p[0]) ** 2 + 5 * (p[1] - p[0] ** 2) ** 2\n    v.backward()\n"
    "    return v\n"
)

CASES: dict[str, tuple[str, ...]] = {
    "torch.optim.LBFGS": (
        (_LBFGS + "o = torch.optim.LBFGS([p], lr=0.1)" + _RUN),
        (
            _LBFGS
            + "o = torch.optim.LBFGS([p], 1, 4, history_size=3, line_search_fn='strong_wolfe')"
            + _RUN
        ),
        (_LBFGS + "o = torch.optim.LBFGS([p], lr=0.05, max_iter=5, tolerance_grad=1e-3)" + _RUN),
    ),
    "torch.optim.LBFGS.step": ((_LBFGS + "o = torch.optim.LBFGS([p], lr=0.1)" + _RUN),),
    "torch.optim.LBFGS.__init__": (
        (
            "class Mine(torch.optim.LBFGS):\n    def __init__(self, params):\n"
            "        super().__init__(params, lr=0.1, max_iter=3)\n"
            "p = nn.Parameter(torch.tensor([-1.2, 1.0]))\ndef loss():\n    o.zero_grad()\n"
            "    v = (1 - p[0]) ** 2 + 5 * (p[1] - p[0] ** 2) ** 2\n    v.backward()\n"
            "    return v\no = Mine([p])" + _RUN
        ),
    ),
    "torch.optim.Adafactor": (
        (
            _MATRIX + "o = torch.optim.Adafactor([p])\nfor _ in range(20):\n    o.zero_grad()\n"
            "    (p * p * p).sum().backward()\n    o.step()\nr = p.detach()\ns = o.state_dict()"
        ),
        (_MATRIX + "o = torch.optim.Adafactor([p], 0.1, -0.7, (1e-6, 1e-2), 2.0, 0.1)" + _MANY),
        (
            "p = nn.Parameter(torch.tensor([1.0, -2.0]))\n"
            "o = torch.optim.Adafactor([p], lr=0.1, maximize=True)" + _MANY
        ),
    ),
    "torch.optim.Muon": (
        (_MATRIX + "o = torch.optim.Muon([p], lr=1e-4)" + _ONE),
        (
            _MATRIX
            + "o = torch.optim.Muon([p], 1e-4, 0.2, 0.9, False, adjust_lr_fn='match_rms_adamw')"
            + _ONE
        ),
    ),
    **alike(
        "torch.optim",
        "Adafactor.__init__ Muon.__init__",
        (
            "class Mine(torch.optim.{owner}):\n    def __init__(self, params):\n"
            "        super().__init__(params, lr=1e-4)\n"
            "p = nn.Parameter(torch.tensor([[1.0, -2.0, 0.5], [0.3, 0.7, -1.0]]))\n"
            "o = Mine([p])" + _ONE
        ),
    ),
    **alike(
        "torch.optim",
        "Adafactor.step Muon.step",
        (
            _MATRIX + "o = torch.optim.{owner}([p], 1e-4)\nfor _ in range(1):\n    o.zero_grad()\n"
            "    (p * p * p).sum().backward()\n    o.step()\nr = p.detach()\nnone = o.step()"
        ),
    ),
    "torch.optim.swa_utils.AveragedModel": (
        (_MODEL + "am = torch.optim.swa_utils.AveragedModel(m)" + _FOLLOW),
        (
            _MODEL + "am = torch.optim.swa_utils.AveragedModel(m, "
            "multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.9))" + _FOLLOW
        ),
        (
            _MODEL + "am = torch.optim.swa_utils.AveragedModel(m, avg_fn=lambda a, c, n: 0.5 * "
            "a + 0.5 * c, use_buffers=True)" + _FOLLOW
        ),
    ),
    "torch.optim.swa_utils.AveragedModel.update_parameters": (
        (_MODEL + "am = torch.optim.swa_utils.AveragedModel(m)" + _FOLLOW),
    ),
    "torch.optim.swa_utils.AveragedModel.forward": (
        (
            _MODEL + "am = torch.optim.swa_utils.AveragedModel(m)\nfor _ in range(5):\n"
            "    o.zero_grad()\n    m(v).sum().backward()\n    o.step()\n"
            "    am.update_parameters(m)\nr = am(v), am.module.weight, am.n_averaged\n"
            "r = am.forward(v)"
        ),
    ),
    "torch.optim.swa_utils.AveragedModel.module": (
        (
            _MODEL + "am = torch.optim.swa_utils.AveragedModel(m)\nfor _ in range(5):\n"
            "    o.zero_grad()\n    m(v).sum().backward()\n    o.step()\n"
            "    am.update_parameters(m)\nr = am(v), am.module.weight, am.n_averaged\n"
            "r = am.module.bias"
        ),
    ),
    "torch.optim.swa_utils.AveragedModel.n_averaged": (
        (
            _MODEL + "am = torch.optim.swa_utils.AveragedModel(m)\nfor _ in range(5):\n"
            "    o.zero_grad()\n    m(v).sum().backward()\n    o.step()\n"
            "    am.update_parameters(m)\nr = am(v), am.module.weight, am.n_averaged\n"
            "r = am.n_averaged"
        ),
    ),
    **alike(
        "torch.optim.swa_utils.AveragedModel",
        "avg_fn multi_avg_fn use_buffers",
        (
            _MODEL + "am = torch.optim.swa_utils.AveragedModel(m)\nfor _ in range(5):\n"
            "    o.zero_grad()\n    m(v).sum().backward()\n    o.step()\n"
            "    am.update_parameters(m)\nr = am(v), am.module.weight, am.n_averaged\n"
            "r = am.{name}"
        ),
    ),
    "torch.optim.swa_utils.AveragedModel.__init__": (
        (
            "class Mine(torch.optim.swa_utils.AveragedModel):\n    def __init__(self, m):\n"
            "        super().__init__(m, use_buffers=True)\nm = nn.Linear(2, 2)\n"
            "nn.init.ones_(m.weight)\nnn.init.zeros_(m.bias)\n"
            "o = torch.optim.SGD(m.parameters(), lr=0.1)\nv = torch.tensor([[1.0, 2.0]])\n"
            "am = Mine(m)" + _FOLLOW
        ),
    ),
    "torch.optim.swa_utils.get_swa_avg_fn": (
        (
            "f = torch.optim.swa_utils.get_swa_avg_fn()\n"
            "f(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 5.0]), torch.tensor(3))"
        ),
    ),
    "torch.optim.swa_utils.get_ema_avg_fn": (
        (
            "f = torch.optim.swa_utils.get_ema_avg_fn()\n"
            "f(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 5.0]), torch.tensor(3))"
        ),
        (
            "f = torch.optim.swa_utils.get_ema_avg_fn(0.9)\n"
            "f(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 5.0]), torch.tensor(3))"
        ),
    ),
    "torch.optim.swa_utils.get_swa_multi_avg_fn": (
        (
            "f = torch.optim.swa_utils.get_swa_multi_avg_fn()\nl = [torch.tensor([1.0, 2.0])]\n"
            "f(l, [torch.tensor([3.0, 5.0])], 3)\nr = l"
        ),
    ),
    "torch.optim.swa_utils.get_ema_multi_avg_fn": (
        (
            "f = torch.optim.swa_utils.get_ema_multi_avg_fn(decay=0.9)\n"
            "l = [torch.tensor([1.0, 2.0])]\nf(l, [torch.tensor([3.0, 5.0])], 3)\nr = l"
        ),
    ),
    "torch.optim.swa_utils.update_bn": (
        (
            "m = nn.Sequential(nn.BatchNorm1d(2))\n"
            "torch.optim.swa_utils.update_bn([torch.arange(8.0).reshape(4, 2), "
            "(torch.ones(3, 2),)], m)\n"
            "r = m[0].running_mean, m[0].running_var, m[0].momentum, m.training"
        ),
    ),
    "torch.optim.swa_utils.SWALR.anneal_epochs": (
        (_MODEL + "s = torch.optim.swa_utils.SWALR(o, 0.1, 3)\nr = s.anneal_epochs"),
    ),
    "torch.optim.swa_utils.SWALR.__init__": (
        (
            "class Mine(torch.optim.swa_utils.SWALR):\n    def __init__(self, o):\n"
            "        super().__init__(o, 0.01)\nm = nn.Linear(2, 2)\nnn.init.ones_(m.weight)\n"
            "nn.init.zeros_(m.bias)\no = torch.optim.SGD(m.parameters(), lr=0.1)\n"
            "v = torch.tensor([[1.0, 2.0]])\ns = Mine(o)\no.step()\ns.step()\n"
            "r = s.get_last_lr()"
        ),
    ),
    "torch.optim.SparseAdam": (
        (_TABLE + "o = torch.optim.SparseAdam(l.parameters())" + _READ),
        (
            _TABLE + "o = torch.optim.SparseAdam([l.weight], 0.1, (0.8, 0.99), eps=1e-4, "
            "maximize=True)\nfor turn in range(9):\n    o.zero_grad()\n"
            "    (l(k[turn % 3]) ** 3).sum().backward()\n    o.step()\nr = l.weight.detach()\n"
            "r = r, o.state_dict()['state'][0]['step']"
        ),
        (_TABLE + "o = torch.optim.SparseAdam(params=[l.weight], lr=-1.0)" + _READ),
    ),
    "torch.optim.SparseAdam.__init__": (
        (
            "class Mine(torch.optim.SparseAdam):\n    def __init__(self, params):\n"
            "        super().__init__(params, lr=0.1)\nl = nn.Embedding(5, 3, sparse=True)\n"
            "nn.init.ones_(l.weight)\n"
            "k = [torch.tensor([0, 2, 2]), torch.tensor([1, 2]), torch.tensor([[3, 0]])]\n"
            "o = Mine([l.weight])" + _READ
        ),
    ),
    "torch.optim.SparseAdam.step": (
        (
            _TABLE + "o = torch.optim.SparseAdam([l.weight], 0.1)\nfor turn in range(9):\n"
            "    o.zero_grad()\n    (l(k[turn % 3]) ** 3).sum().backward()\n    o.step()\n"
            "r = l.weight.detach()\nnone = o.step()"
        ),
    ),
    "torch.optim.Optimizer.register_state_dict_pre_hook": (
        (
            _HOOKED + "o.register_state_dict_pre_hook(lambda o: saw.append('before'))\n"
            "d = o.state_dict()\nq = o = None"
        ),
        (
            _HOOKED + "h = o.register_state_dict_pre_hook(hook=lambda o: saw.append('before'), "
            "prepend=True)\nh.remove()\nd = o.state_dict()\nq = o = h = None"
        ),
    ),
    "torch.optim.Optimizer.register_state_dict_post_hook": (
        (
            _HOOKED + "o.register_state_dict_post_hook(lambda o, d: {**d, 'more': len(saw)})\n"
            "d = o.state_dict()\nq = o = None"
        ),
        (
            _HOOKED + "h = o.register_state_dict_post_hook(hook=lambda o, d: {**d, 'more': "
            "len(saw)}, prepend=True)\nh.remove()\nd = o.state_dict()\nq = o = h = None"
        ),
    ),
    "torch.optim.Optimizer.register_load_state_dict_pre_hook": (
        (
            _HOOKED + "o.register_load_state_dict_pre_hook(lambda o, d: {'state': d['state'], "
            "'param_groups': [{**d['param_groups'][0], 'lr': 0.7}]})\nd = o.state_dict()\n"
            "o.load_state_dict(d)\nlr = o.param_groups[0]['lr']\nq = o = None"
        ),
        (
            _HOOKED + "h = o.register_load_state_dict_pre_hook(hook=lambda o, d: {'state': "
            "d['state'], 'param_groups': [{**d['param_groups'][0], 'lr': 0.7}]}, "
            "prepend=True)\nh.remove()\nd = o.state_dict()\no.load_state_dict(d)\n"
            "lr = o.param_groups[0]['lr']\nq = o = h = None"
        ),
    ),
    "torch.optim.Optimizer.register_load_state_dict_post_hook": (
        (
            _HOOKED + "o.register_load_state_dict_post_hook(lambda o: "
            "saw.append(o.param_groups[0]['lr']))\nd = o.state_dict()\no.load_state_dict(d)\n"
            "q = o = None"
        ),
        (
            _HOOKED + "h = o.register_load_state_dict_post_hook(hook=lambda o: "
            "saw.append(o.param_groups[0]['lr']), prepend=True)\nh.remove()\n"
            "d = o.state_dict()\no.load_state_dict(d)\nq = o = h = None"
        ),
    ),
    "torch.optim.optimizer.required": (
        (
            "from torch.optim.optimizer import required\n"
            "def rate(lr=required):\n    return 'none' if lr is required else lr\n"
            "r = rate(), rate(0.5)"
        ),
    ),
    "torch.optim.optimizer._use_grad_for_differentiable": (
        (
            "from torch.optim.optimizer import Optimizer, _use_grad_for_differentiable\n"
            "class Step(Optimizer):\n"
            "    def __init__(self, params, lr):\n"
            "        super().__init__(params, dict(lr=lr, differentiable=False))\n"
            "    @_use_grad_for_differentiable\n"
            "    def step(self, closure=None):\n"
            "        for group in self.param_groups:\n"
            "            for each in group['params']:\n"
            "                each.add_(each.grad, alpha=-group['lr'])\n"
            "p = nn.Parameter(torch.tensor([1.0, -2.0]))\no = Step([p], 0.1)\n"
            "(p * p).sum().backward()\no.step()\nr = p.detach()"
        ),
    ),
    "torch.optim.optimizer._get_value": (
        (
            "from torch.optim.optimizer import _get_value\n"
            "r = _get_value(torch.tensor(2.5)), _get_value(3)"
        ),
    ),
    "torch.optim.optimizer._default_to_fused_or_foreach": (
        (
            "from torch.optim.optimizer import _default_to_fused_or_foreach\n"
            "r = _default_to_fused_or_foreach([x], True, use_fused=False)"
        ),
    ),
    "torch.utils._foreach_utils._group_tensors_by_device_and_dtype": (
        (
            "from torch.utils._foreach_utils import _group_tensors_by_device_and_dtype\n"
            "a, b = torch.tensor([1.0]), torch.tensor([2])\n"
            "def lists(*given):\n"
            "    groups = _group_tensors_by_device_and_dtype(given)\n"
            "    found = [one for one, at in groups.values()]\n"
            "    return sorted(found, key=lambda one: -len(one[0]))\n"
            "r = lists([a, b, a], [a, b, None]), lists([b])"
        ),
        (
            "from torch.utils._foreach_utils import _group_tensors_by_device_and_dtype\n"
            "a = torch.tensor([1.0])\n"
            "def lists(given):\n"
            "    groups = _group_tensors_by_device_and_dtype(given, with_indices=True)\n"
            "    return [one + [at] for (device, dtype), (one, at) in groups.items()]\n"
            "r = lists([[a, a + 1], [a, a * 2]])"
        ),
    ),
}
