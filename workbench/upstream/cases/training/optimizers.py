"""Optimizers: helpers with torch's arithmetic, state and parameter groups."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

_START = "p = nn.Parameter(torch.tensor([1.0, -2.0, 0.5]))\n"
_RUN = (
    "\nfor _ in range(20):\n    o.zero_grad()\n    (p * p * p).sum().backward()\n"
    "    o.step()\nr = p.detach()"
)
_STEPS = _RUN + "\ns = o.state_dict()"

CASES: dict[str, tuple[str, ...]] = {
    "torch.optim.SGD": (
        (_START + "o = torch.optim.SGD([p], lr=0.01)" + _STEPS),
        (_START + "o = torch.optim.SGD([p], 0.01, 0.9, 0.1, 0.05)" + _STEPS),
        (
            _START + "o = torch.optim.SGD([p], lr=0.01, momentum=0.9, nesterov=True, "
            "maximize=True, foreach=True)" + _RUN
        ),
        (
            _START + "o = torch.optim.SGD(params=[{'params': [p], 'lr': 0.02}], "
            "lr=torch.tensor(0.1), fused=False)" + _RUN
        ),
    ),
    "torch.optim.Adam": (
        (_START + "o = torch.optim.Adam([p])" + _STEPS),
        (_START + "o = torch.optim.Adam([p], 0.1, (0.8, 0.99), 1e-3, 0.1, True)" + _STEPS),
        (
            _START
            + "o = torch.optim.Adam([p], lr=0.1, maximize=True, foreach=False, capturable=False)"
            + _RUN
        ),
        (
            _START
            + "o = torch.optim.Adam([p], lr=0.1, weight_decay=0.1, decoupled_weight_decay=True)"
            + _RUN
        ),
    ),
    "torch.optim.AdamW": (
        (_START + "o = torch.optim.AdamW([p])" + _STEPS),
        (
            _START + "o = torch.optim.AdamW([p], 0.1, betas=(0.8, 0.99), eps=1e-3, "
            "weight_decay=0.2, amsgrad=True)" + _STEPS
        ),
        (_START + "o = torch.optim.AdamW([p], lr=0.1, fused=False)" + _RUN),
    ),
    "torch.optim.Adamax": (
        (_START + "o = torch.optim.Adamax([p])" + _STEPS),
        (
            _START
            + "o = torch.optim.Adamax([p], 0.1, (0.8, 0.99), 1e-3, 0.1, maximize=True)"
            + _STEPS
        ),
    ),
    "torch.optim.NAdam": (
        (_START + "o = torch.optim.NAdam([p])" + _STEPS),
        (
            _START
            + "o = torch.optim.NAdam([p], 0.1, (0.8, 0.99), 1e-3, 0.1, 0.1, maximize=True)"
            + _STEPS
        ),
        (
            _START
            + "o = torch.optim.NAdam([p], weight_decay=0.1, decoupled_weight_decay=True)"
            + _RUN
        ),
    ),
    "torch.optim.RAdam": (
        (_START + "o = torch.optim.RAdam([p])" + _STEPS),
        (_START + "o = torch.optim.RAdam([p], 0.1, (0.8, 0.99), 1e-3, 0.1)" + _STEPS),
        (
            _START
            + "o = torch.optim.RAdam([p], weight_decay=0.1, decoupled_weight_decay=True)"
            + _RUN
        ),
    ),
    "torch.optim.RMSprop": (
        (_START + "o = torch.optim.RMSprop([p])" + _STEPS),
        (_START + "o = torch.optim.RMSprop([p], 0.01, 0.9, 1e-3, 0.1, 0.9)" + _STEPS),
        (
            _START
            + "o = torch.optim.RMSprop([p], lr=0.01, centered=True, momentum=0.5, maximize=True)"
            + _RUN
        ),
    ),
    "torch.optim.Adagrad": (
        (_START + "o = torch.optim.Adagrad([p])" + _STEPS),
        (_START + "o = torch.optim.Adagrad([p], 0.1, 0.1, 0.1, 0.5, 1e-3)" + _STEPS),
        (_START + "o = torch.optim.Adagrad([p], lr=0.1, maximize=True)" + _RUN),
    ),
    "torch.optim.Adadelta": (
        (_START + "o = torch.optim.Adadelta([p])" + _STEPS),
        (_START + "o = torch.optim.Adadelta([p], 0.5, 0.8, 1e-3, 0.1)" + _STEPS),
    ),
    "torch.optim.ASGD": (
        (_START + "o = torch.optim.ASGD([p])" + _STEPS),
        (_START + "o = torch.optim.ASGD([p], 0.02, 1e-2, 0.5, 3, 0.1)" + _STEPS),
    ),
    "torch.optim.Rprop": (
        (_START + "o = torch.optim.Rprop([p])" + _STEPS),
        (
            _START
            + "o = torch.optim.Rprop([p], 0.02, etas=(0.4, 1.3), step_sizes=(1e-3, 0.1))"
            + _STEPS
        ),
    ),
    "torch.optim.Optimizer": (
        (
            "class Plain(torch.optim.Optimizer):\n    def __init__(self, params, lr):\n"
            "        super().__init__(params, dict(lr=lr))\n    @torch.no_grad()\n"
            "    def step(self):\n        for group in self.param_groups:\n"
            "            for p in group['params']:\n"
            "                p.add_(p.grad, alpha=-group['lr'])\n"
            "p = nn.Parameter(torch.tensor([1.0, -2.0, 0.5]))\no = Plain([p], 0.01)" + _RUN
        ),
    ),
    "torch.optim.Optimizer.__init__": (
        (
            "class Mine(torch.optim.Optimizer):\n    def __init__(self, params, lr=0.1):\n"
            "        super().__init__(params, {'lr': lr, 'decay': 2})\n"
            "p = nn.Parameter(torch.tensor([1.0, -2.0, 0.5]))\no = Mine([p])\n"
            "r = o.defaults, o.param_groups[0]['decay']"
        ),
    ),
    "torch.optim.Optimizer.step": (
        (
            _START + "o = torch.optim.SGD([p], lr=0.1)\ndef closure():\n    o.zero_grad()\n"
            "    v = (p * p).sum()\n    v.backward()\n    return v\n"
            "v = float(o.step(closure))\nr = p.detach()"
        ),
        (
            _START + "q = nn.Parameter(torch.ones(2))\no = torch.optim.Adam([p, q], lr=0.1)\n"
            "(p * p).sum().backward()\no.step()\nr = q.detach(), p.detach(), q in o.state"
        ),
    ),
    **alike(
        "torch.optim",
        "SGD.__init__ Adam.__init__ AdamW.__init__ Adamax.__init__ NAdam.__init__ "
        "RAdam.__init__ RMSprop.__init__ Adagrad.__init__ Adadelta.__init__ "
        "ASGD.__init__ Rprop.__init__",
        (
            "class Mine(torch.optim.{owner}):\n    def __init__(self, params):\n"
            "        super().__init__(params, lr=0.1)\n"
            "p = nn.Parameter(torch.tensor([1.0, -2.0, 0.5]))\no = Mine([p])" + _RUN
        ),
    ),
    **alike(
        "torch.optim",
        "SGD.step Adam.step Adamax.step NAdam.step RAdam.step RMSprop.step "
        "Adagrad.step Adadelta.step ASGD.step Rprop.step",
        (
            _START + "o = torch.optim.{owner}([p])\ndef loss():\n    o.zero_grad()\n"
            "    v = (p * p).sum()\n    v.backward()\n    return v\n"
            "v = [float(o.step(loss)) for _ in range(5)]\nr = p.detach()"
        ),
    ),
    "torch.optim.Adagrad.share_memory": (
        (_START + "o = torch.optim.Adagrad([p])\nnone = o.share_memory()" + _RUN),
    ),
    "torch.optim.Optimizer.zero_grad": (
        (
            _START + "o = torch.optim.SGD([p], lr=0.1)\n(p * p).sum().backward()\ng0 = p.grad\n"
            "o.zero_grad()\nnone = p.grad is None\nheld = g0.tolist()\n"
            "(p * p).sum().backward()\no.zero_grad(set_to_none=False)\ng = p.grad.tolist()"
        ),
    ),
    "torch.optim.Optimizer.param_groups": (
        (
            _START + "o = torch.optim.SGD([p], lr=0.1, momentum=0.9)\nfor g in o.param_groups:\n"
            "    g['lr'] = g['lr'] * 0.5\n"
            "r = o.param_groups[0]['lr'], len(o.param_groups), sorted(o.param_groups[0])"
        ),
    ),
    "torch.optim.Optimizer.add_param_group": (
        (
            _START + "q = nn.Parameter(torch.ones(2))\no = torch.optim.SGD([p], lr=0.01)\n"
            "o.add_param_group({'params': q, 'lr': 0.5})\n"
            "((p * p).sum() + (q * q).sum()).backward()\no.step()\nr = p.detach(), q.detach()"
        ),
    ),
    "torch.optim.Optimizer.state_dict": (
        (
            _START + "o = torch.optim.Adam([{'params': [p]}], lr=0.1, amsgrad=True)\n"
            "s = o.state_dict()\nkeys = list(s['param_groups'][0])"
        ),
    ),
    "torch.optim.Optimizer.load_state_dict": (
        (
            _START
            + "o = torch.optim.Adam([p], lr=0.1, amsgrad=True)"
            + _RUN
            + "\ns = o.state_dict()\nq = nn.Parameter(p.detach().clone())\n"
            "o2 = torch.optim.Adam([q])\no2.load_state_dict(s)\nfor _ in range(3):\n"
            "    o2.zero_grad()\n    (q * q).sum().backward()\n    o2.step()\n"
            "r2 = q.detach()\nlr = o2.param_groups[0]['lr']"
        ),
    ),
    "torch.optim.Optimizer.state": (
        (
            _START
            + "o = torch.optim.Adam([p], lr=0.1)"
            + _RUN
            + "\nr2 = o.state[p]['exp_avg'], o.state[p]['step'], p in o.state"
        ),
    ),
    "torch.optim.Optimizer.defaults": (
        (_START + "o = torch.optim.Adam([p], lr=0.1)\nr = o.defaults"),
    ),
    **alike(
        "torch.optim.Optimizer",
        "register_step_pre_hook register_step_post_hook",
        (
            _START + "o = torch.optim.SGD([p], lr=0.1)\nseen = []\n"
            "h = o.{name}(lambda o, a, k: seen.append(len(a)))\n(p * p).sum().backward()\n"
            "o.step()\nh.remove()\no.step()\nr = p.detach()"
        ),
    ),
}
