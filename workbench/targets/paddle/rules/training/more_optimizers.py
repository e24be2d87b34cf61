"""Optimizers of a less common kind, averaged weights, and what has no equivalent."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call

rules = RuleSet()

_LBFGS = (
    "p = nn.Parameter(torch.tensor([-1.2, 1.0]))\n"
    "def loss():\n    o.zero_grad()\n"
    "    v = (1 - p[0]) ** 2 + 5 * (p[1] - p[0] ** 2) ** 2\n    v.backward()\n    return v\n"
)
_RUN = "\nv = [float(o.step(loss)) for _ in range(6)]\nr = p.detach()"
rules.row(
    "torch.optim.LBFGS",
    same_call("torch.optim.LBFGS", "TorchLBFGS"),
    value="TorchLBFGS",
    cases=[
        f"{_LBFGS}o = torch.optim.LBFGS([p], lr=0.1){_RUN}",
        f"{_LBFGS}o = torch.optim.LBFGS([p], 1, 4, history_size=3, "
        f"line_search_fn='strong_wolfe'){_RUN}",
        f"{_LBFGS}o = torch.optim.LBFGS([p], lr=0.05, max_iter=5, tolerance_grad=1e-3){_RUN}",
    ],
)
rules.keep("torch.optim.LBFGS.step", cases=[f"{_LBFGS}o = torch.optim.LBFGS([p], lr=0.1){_RUN}"])
rules.keep(
    "torch.optim.LBFGS.__init__",
    cases=[
        "class Mine(torch.optim.LBFGS):\n    def __init__(self, params):\n"
        f"        super().__init__(params, lr=0.1, max_iter=3)\n{_LBFGS}o = Mine([p]){_RUN}"
    ],
)

_MATRIX = "p = nn.Parameter(torch.tensor([[1.0, -2.0, 0.5], [0.3, 0.7, -1.0]]))\n"
_STEPS = (
    "\nfor _ in range({count}):\n    o.zero_grad()\n    (p * p * p).sum().backward()\n"
    "    o.step()\nr = p.detach()"
)
_MANY, _ONE = _STEPS.format(count=20), _STEPS.format(count=1)
rules.row(
    "torch.optim.Adafactor",
    same_call("torch.optim.Adafactor", "TorchAdafactor"),
    value="TorchAdafactor",
    cases=[
        f"{_MATRIX}o = torch.optim.Adafactor([p]){_MANY}\ns = o.state_dict()",
        f"{_MATRIX}o = torch.optim.Adafactor([p], 0.1, -0.7, (1e-6, 1e-2), 2.0, 0.1){_MANY}",
        f"p = nn.Parameter(torch.tensor([1.0, -2.0]))\n"
        f"o = torch.optim.Adafactor([p], lr=0.1, maximize=True){_MANY}",
    ],
)
rules.row(
    "torch.optim.Muon",
    same_call("torch.optim.Muon", "TorchMuon"),
    value="TorchMuon",
    note="its steps compute in bfloat16, where two kernels may round differently",
    cases=[
        f"{_MATRIX}o = torch.optim.Muon([p], lr=1e-4){_ONE}",
        f"{_MATRIX}o = torch.optim.Muon([p], 1e-4, 0.2, 0.9, False, "
        f"adjust_lr_fn='match_rms_adamw'){_ONE}",
    ],
)
for _name in ("Adafactor", "Muon"):
    rules.keep(
        f"torch.optim.{_name}.__init__",
        cases=[
            f"class Mine(torch.optim.{_name}):\n    def __init__(self, params):\n"
            f"        super().__init__(params, lr=1e-4)\n{_MATRIX}o = Mine([p]){_ONE}"
        ],
    )
    rules.keep(
        f"torch.optim.{_name}.step",
        cases=[f"{_MATRIX}o = torch.optim.{_name}([p], 1e-4){_ONE}\nnone = o.step()"],
    )

_S = "torch.optim.swa_utils"
_MODEL = (
    "m = nn.Linear(2, 2)\nnn.init.ones_(m.weight)\nnn.init.zeros_(m.bias)\n"
    "o = torch.optim.SGD(m.parameters(), lr=0.1)\nv = torch.tensor([[1.0, 2.0]])\n"
)
_FOLLOW = (
    "\nfor _ in range(5):\n    o.zero_grad()\n    m(v).sum().backward()\n    o.step()\n"
    "    am.update_parameters(m)\nr = am(v), am.module.weight, am.n_averaged"
)
rules.row(
    f"{_S}.AveragedModel",
    same_call(f"{_S}.AveragedModel", "TorchAveragedModel"),
    value="TorchAveragedModel",
    cases=[
        f"{_MODEL}am = {_S}.AveragedModel(m){_FOLLOW}",
        f"{_MODEL}am = {_S}.AveragedModel(m, multi_avg_fn={_S}.get_ema_multi_avg_fn(0.9)){_FOLLOW}",
        f"{_MODEL}am = {_S}.AveragedModel(m, avg_fn=lambda a, c, n: 0.5 * a + 0.5 * c, "
        f"use_buffers=True){_FOLLOW}",
    ],
)
for _member, _shown in (
    ("update_parameters", ""),
    ("forward", "\nr = am.forward(v)"),
    ("module", "\nr = am.module.bias"),
    ("n_averaged", "\nr = am.n_averaged"),
    ("avg_fn", "\nr = am.avg_fn"),
    ("multi_avg_fn", "\nr = am.multi_avg_fn"),
    ("use_buffers", "\nr = am.use_buffers"),
):
    rules.keep(
        f"{_S}.AveragedModel.{_member}",
        cases=[f"{_MODEL}am = {_S}.AveragedModel(m){_FOLLOW}{_shown}"],
    )
rules.keep(
    f"{_S}.AveragedModel.__init__",
    cases=[
        f"class Mine({_S}.AveragedModel):\n    def __init__(self, m):\n"
        f"        super().__init__(m, use_buffers=True)\n{_MODEL}am = Mine(m){_FOLLOW}"
    ],
)
_AVERAGES = "f(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 5.0]), torch.tensor(3))"
_LISTS = "l = [torch.tensor([1.0, 2.0])]\nf(l, [torch.tensor([3.0, 5.0])], 3)\nr = l"
rules.row(
    f"{_S}.get_swa_avg_fn",
    "torch_swa_average()",
    cases=[f"f = {_S}.get_swa_avg_fn()\n{_AVERAGES}"],
)
rules.row(
    f"{_S}.get_ema_avg_fn",
    "torch_ema_average({decay})",
    cases=[f"f = {_S}.get_ema_avg_fn()\n{_AVERAGES}", f"f = {_S}.get_ema_avg_fn(0.9)\n{_AVERAGES}"],
)
rules.row(
    f"{_S}.get_swa_multi_avg_fn",
    "torch_average_all(torch_swa_average())",
    cases=[f"f = {_S}.get_swa_multi_avg_fn()\n{_LISTS}"],
)
rules.row(
    f"{_S}.get_ema_multi_avg_fn",
    "torch_average_all(torch_ema_average({decay}))",
    cases=[f"f = {_S}.get_ema_multi_avg_fn(decay=0.9)\n{_LISTS}"],
)
_BATCHES = "[torch.arange(8.0).reshape(4, 2), (torch.ones(3, 2),)]"
rules.row(
    f"{_S}.update_bn",
    "torch_update_bn({loader}, {model}, {device})",
    cases=[
        f"m = nn.Sequential(nn.BatchNorm1d(2))\n{_S}.update_bn({_BATCHES}, m)\n"
        "r = m[0].running_mean, m[0].running_var, m[0].momentum, m.training",
    ],
)
rules.keep(
    f"{_S}.SWALR.anneal_epochs",
    cases=[f"{_MODEL}s = {_S}.SWALR(o, 0.1, 3)\nr = s.anneal_epochs"],
)
rules.keep(
    f"{_S}.SWALR.__init__",
    cases=[
        f"class Mine({_S}.SWALR):\n    def __init__(self, o):\n        super().__init__(o, 0.01)\n"
        f"{_MODEL}s = Mine(o)\no.step()\ns.step()\nr = s.get_last_lr()"
    ],
)

_TABLE = (
    "l = nn.Embedding(5, 3, sparse=True)\nnn.init.ones_(l.weight)\n"
    "k = [torch.tensor([0, 2, 2]), torch.tensor([1, 2]), torch.tensor([[3, 0]])]\n"
)
_READ = (
    "\nfor turn in range(9):\n    o.zero_grad()\n    (l(k[turn % 3]) ** 3).sum().backward()\n"
    "    o.step()\nr = l.weight.detach()"
)
rules.row(
    "torch.optim.SparseAdam",
    same_call("torch.optim.SparseAdam", "TorchSparseAdam"),
    value="TorchSparseAdam",
    caveat="gradients are dense in Paddle: a row whose gradient is zero counts as one not read",
    cases=[
        f"{_TABLE}o = torch.optim.SparseAdam(l.parameters()){_READ}",
        f"{_TABLE}o = torch.optim.SparseAdam([l.weight], 0.1, (0.8, 0.99), eps=1e-4, "
        f"maximize=True){_READ}\nr = r, o.state_dict()['state'][0]['step']",
        f"{_TABLE}o = torch.optim.SparseAdam(params=[l.weight], lr=-1.0){_READ}",
    ],
)
rules.keep(
    "torch.optim.SparseAdam.__init__",
    cases=[
        "class Mine(torch.optim.SparseAdam):\n    def __init__(self, params):\n"
        f"        super().__init__(params, lr=0.1)\n{_TABLE}o = Mine([l.weight]){_READ}"
    ],
)
rules.keep(
    "torch.optim.SparseAdam.step",
    cases=[f"{_TABLE}o = torch.optim.SparseAdam([l.weight], 0.1){_READ}\nnone = o.step()"],
)
_FUNCTIONAL = (
    "adadelta",
    "adagrad",
    "adam",
    "adamax",
    "adamw",
    "asgd",
    "nadam",
    "radam",
    "rmsprop",
    "rprop",
    "sgd",
)
rules.refuse(
    *(f"torch.optim.{name}.{name}" for name in _FUNCTIONAL),
    reason="Paddle has no functional form of optimizers",
    instead="the optimizer's class",
)
_HOOKED = (
    "q = nn.Parameter(torch.ones(2))\no = torch.optim.SGD([q], lr=0.1, momentum=0.5)\n"
    "(q * q).sum().backward()\no.step()\nsaw = []\n"
)
for _kind, _hook, _then in (
    ("state_dict_pre", "lambda o: saw.append('before')", "d = o.state_dict()"),
    ("state_dict_post", "lambda o, d: {**d, 'more': len(saw)}", "d = o.state_dict()"),
    (
        "load_state_dict_pre",
        "lambda o, d: {'state': d['state'], 'param_groups': [{**d['param_groups'][0], 'lr': 0.7}]}",
        "d = o.state_dict()\no.load_state_dict(d)\nlr = o.param_groups[0]['lr']",
    ),
    (
        "load_state_dict_post",
        "lambda o: saw.append(o.param_groups[0]['lr'])",
        "d = o.state_dict()\no.load_state_dict(d)",
    ),
):
    rules.row(
        f"torch.optim.Optimizer.register_{_kind}_hook",
        f"torch_register_state_hook({{self}}, '{_kind}', {{hook}}, prepend={{prepend}})",
        cases=[
            f"{_HOOKED}o.register_{_kind}_hook({_hook})\n{_then}\nq = o = None",
            f"{_HOOKED}h = o.register_{_kind}_hook(hook={_hook}, prepend=True)\nh.remove()\n"
            f"{_then}\nq = o = h = None",
        ],
    )
rules.refuse(
    "torch.optim.optimizer.register_optimizer_step_post_hook",
    "torch.optim.optimizer.register_optimizer_step_pre_hook",
    reason="Paddle has no hooks of all optimizers together",
    instead="`register_step_post_hook` of each optimizer",
)
