"""Optimizers: helpers with torch's arithmetic, state and parameter groups."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call

rules = RuleSet()

_START = "p = nn.Parameter(torch.tensor([1.0, -2.0, 0.5]))\n"
_STEPS = (
    "\nfor _ in range(20):\n    o.zero_grad()\n    (p * p * p).sum().backward()\n    o.step()\n"
    "r = p.detach()"
)
_STATE = "\ns = o.state_dict()"


def _case(call: str, *, state: bool = False) -> str:
    """Twenty steps of an optimizer; `state` compares what it keeps as well."""
    return f"{_START}o = torch.optim.{call}{_STEPS}{_STATE if state else ''}"


# The calls whose results are compared after 20 steps, by class.
_CALLS = {
    "SGD": [
        "SGD([p], lr=0.01)",
        "SGD([p], 0.01, 0.9, 0.1, 0.05)",
        "SGD([p], lr=0.01, momentum=0.9, nesterov=True, maximize=True, foreach=True)",
        "SGD(params=[{'params': [p], 'lr': 0.02}], lr=torch.tensor(0.1), fused=False)",
    ],
    "Adam": [
        "Adam([p])",
        "Adam([p], 0.1, (0.8, 0.99), 1e-3, 0.1, True)",
        "Adam([p], lr=0.1, maximize=True, foreach=False, capturable=False)",
        "Adam([p], lr=0.1, weight_decay=0.1, decoupled_weight_decay=True)",
    ],
    "AdamW": [
        "AdamW([p])",
        "AdamW([p], 0.1, betas=(0.8, 0.99), eps=1e-3, weight_decay=0.2, amsgrad=True)",
        "AdamW([p], lr=0.1, fused=False)",
    ],
    "Adamax": ["Adamax([p])", "Adamax([p], 0.1, (0.8, 0.99), 1e-3, 0.1, maximize=True)"],
    "NAdam": [
        "NAdam([p])",
        "NAdam([p], 0.1, (0.8, 0.99), 1e-3, 0.1, 0.1, maximize=True)",
        "NAdam([p], weight_decay=0.1, decoupled_weight_decay=True)",
    ],
    "RAdam": [
        "RAdam([p])",
        "RAdam([p], 0.1, (0.8, 0.99), 1e-3, 0.1)",
        "RAdam([p], weight_decay=0.1, decoupled_weight_decay=True)",
    ],
    "RMSprop": [
        "RMSprop([p])",
        "RMSprop([p], 0.01, 0.9, 1e-3, 0.1, 0.9)",
        "RMSprop([p], lr=0.01, centered=True, momentum=0.5, maximize=True)",
    ],
    "Adagrad": [
        "Adagrad([p])",
        "Adagrad([p], 0.1, 0.1, 0.1, 0.5, 1e-3)",
        "Adagrad([p], lr=0.1, maximize=True)",
    ],
    "Adadelta": ["Adadelta([p])", "Adadelta([p], 0.5, 0.8, 1e-3, 0.1)"],
    "ASGD": ["ASGD([p])", "ASGD([p], 0.02, 1e-2, 0.5, 3, 0.1)"],
    "Rprop": ["Rprop([p])", "Rprop([p], 0.02, etas=(0.4, 1.3), step_sizes=(1e-3, 0.1))"],
}

for _name, _calls in _CALLS.items():
    rules.row(
        f"torch.optim.{_name}",
        same_call(f"torch.optim.{_name}", f"Torch{_name}"),
        value=f"Torch{_name}",
        cases=[_case(call, state=index < 2) for index, call in enumerate(_calls)],
    )

rules.row(
    "torch.optim.Optimizer",
    same_call("torch.optim.Optimizer", "TorchOptimizer"),
    value="TorchOptimizer",
    cases=[
        "class Plain(torch.optim.Optimizer):\n"
        "    def __init__(self, params, lr):\n"
        "        super().__init__(params, dict(lr=lr))\n"
        "    @torch.no_grad()\n"
        "    def step(self):\n"
        "        for group in self.param_groups:\n"
        "            for p in group['params']:\n"
        "                p.add_(p.grad, alpha=-group['lr'])\n"
        f"{_START}o = Plain([p], 0.01){_STEPS}"
    ],
)
rules.keep(
    "torch.optim.Optimizer.__init__",
    cases=[
        "class Mine(torch.optim.Optimizer):\n"
        "    def __init__(self, params, lr=0.1):\n"
        "        super().__init__(params, {'lr': lr, 'decay': 2})\n"
        f"{_START}o = Mine([p])\nr = o.defaults, o.param_groups[0]['decay']"
    ],
)
rules.keep(
    "torch.optim.Optimizer.step",
    cases=[
        f"{_START}o = torch.optim.SGD([p], lr=0.1)\n"
        "def closure():\n    o.zero_grad()\n    v = (p * p).sum()\n    v.backward()\n    return v\n"
        "v = float(o.step(closure))\nr = p.detach()",
        f"{_START}q = nn.Parameter(torch.ones(2))\no = torch.optim.Adam([p, q], lr=0.1)\n"
        "(p * p).sum().backward()\no.step()\nr = q.detach(), p.detach(), q in o.state",
    ],
)
for _name in _CALLS:
    rules.keep(
        f"torch.optim.{_name}.__init__",
        cases=[
            f"class Mine(torch.optim.{_name}):\n    def __init__(self, params):\n"
            f"        super().__init__(params, lr=0.1)\n{_START}o = Mine([p]){_STEPS}"
        ],
    )
    if _name != "AdamW":  # which has Adam's
        rules.keep(
            f"torch.optim.{_name}.step",
            cases=[
                f"{_START}o = torch.optim.{_name}([p])\n"
                "def loss():\n    o.zero_grad()\n    v = (p * p).sum()\n"
                "    v.backward()\n    return v\n"
                "v = [float(o.step(loss)) for _ in range(5)]\nr = p.detach()"
            ],
        )
rules.keep(
    "torch.optim.Adagrad.share_memory",
    cases=[f"{_START}o = torch.optim.Adagrad([p])\nnone = o.share_memory(){_STEPS}"],
)
rules.keep(
    "torch.optim.Optimizer.zero_grad",
    cases=[
        f"{_START}o = torch.optim.SGD([p], lr=0.1)\n(p * p).sum().backward()\n"
        "g0 = p.grad\no.zero_grad()\nnone = p.grad is None\nheld = g0.tolist()\n"
        "(p * p).sum().backward()\no.zero_grad(set_to_none=False)\ng = p.grad.tolist()",
    ],
)
rules.keep(
    "torch.optim.Optimizer.param_groups",
    cases=[
        f"{_START}o = torch.optim.SGD([p], lr=0.1, momentum=0.9)\n"
        "for g in o.param_groups:\n    g['lr'] = g['lr'] * 0.5\n"
        "r = o.param_groups[0]['lr'], len(o.param_groups), sorted(o.param_groups[0])",
    ],
)
rules.keep(
    "torch.optim.Optimizer.add_param_group",
    cases=[
        f"{_START}q = nn.Parameter(torch.ones(2))\no = torch.optim.SGD([p], lr=0.01)\n"
        "o.add_param_group({'params': q, 'lr': 0.5})\n"
        "((p * p).sum() + (q * q).sum()).backward()\no.step()\nr = p.detach(), q.detach()",
    ],
)
rules.keep(
    "torch.optim.Optimizer.state_dict",
    cases=[
        f"{_START}o = torch.optim.Adam([{{'params': [p]}}], lr=0.1, amsgrad=True)\n"
        "s = o.state_dict()\nkeys = list(s['param_groups'][0])",
    ],
)
rules.keep(
    "torch.optim.Optimizer.load_state_dict",
    cases=[
        f"{_START}o = torch.optim.Adam([p], lr=0.1, amsgrad=True){_STEPS}\n"
        "s = o.state_dict()\nq = nn.Parameter(p.detach().clone())\n"
        "o2 = torch.optim.Adam([q])\no2.load_state_dict(s)\n"
        "for _ in range(3):\n    o2.zero_grad()\n    (q * q).sum().backward()\n    o2.step()\n"
        "r2 = q.detach()\nlr = o2.param_groups[0]['lr']",
    ],
)
rules.keep(
    "torch.optim.Optimizer.state",
    cases=[
        f"{_START}o = torch.optim.Adam([p], lr=0.1){_STEPS}\n"
        "r2 = o.state[p]['exp_avg'], o.state[p]['step'], p in o.state",
    ],
)
rules.keep(
    "torch.optim.Optimizer.defaults",
    cases=[f"{_START}o = torch.optim.Adam([p], lr=0.1)\nr = o.defaults"],
)
for _when, _helper in (("pre", "torch_before_step"), ("post", "torch_after_step")):
    rules.row(
        f"torch.optim.Optimizer.register_step_{_when}_hook",
        f"{_helper}({{self}}, {{hook}})",
        cases=[
            f"{_START}o = torch.optim.SGD([p], lr=0.1)\nseen = []\n"
            f"h = o.register_step_{_when}_hook(lambda o, a, k: seen.append(len(a)))\n"
            "(p * p).sum().backward()\no.step()\nh.remove()\no.step()\nr = p.detach()",
        ],
    )
