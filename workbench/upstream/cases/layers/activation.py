"""Activation layers and their functions."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    **alike(
        "torch.nn",
        "ReLU ReLU6",
        "nn.{name}()(x)",
        "l = nn.{name}(inplace=True)\nv = x * 1\nr = l(v)\nr is v, v, r",
        "l = nn.{name}(inplace=True)\nv = w * 2\nl(v)\nv.sum().backward()\ng = w.grad",
        "v = i - 2\nr = nn.{name}()(v), nn.{name}(inplace=True)(v)\nv",
        (
            "def _make(act=nn.{name}):\n    return act(inplace=True)\nl = _make()\n"
            "r = l(x), isinstance(l, nn.{name}), type(l) is nn.{name}"
        ),
    ),
    "torch.nn.functional.relu": (
        "how = {'inplace': True}\nv = x * 1\nr = F.relu(v, **how)\nr is v, v",
        "F.relu(x)",
        "v = x * 1\nr = F.relu(input=v, inplace=True)\nr is v, v, r",
        "v = x * 1\nf = F.relu\nr = f(v, inplace=True)\nr is v, v, r, f(y)",
        "F.relu(i - 2)",
        "flag = len(x) > 9\nF.relu(i - 2, flag)",
    ),
    "torch.nn.functional.relu6": (
        "how = {'inplace': True}\nv = x * 1\nr = F.relu6(v, **how)\nr is v, v",
        "F.relu6(x)",
        "v = x * 1\nr = F.relu6(input=v, inplace=True)\nr is v, v, r",
        "v = x * 1\nf = F.relu6\nr = f(v, inplace=True)\nr is v, v, r, f(y)",
        "F.relu6(i * 4 - 2)",
    ),
    **alike(
        "torch.nn",
        "SiLU Mish Hardsigmoid Hardswish SELU",
        "nn.{name}()(x)",
        "l = nn.{name}(inplace=True)\nv = x * 1\nr = l(v)\nr is v, v, r",
        "l = nn.{name}(inplace=True)\nv = w * 2\nl(v)\nv.sum().backward()\ng = w.grad",
        (
            "def _make(act=nn.{name}):\n    return act(inplace=True)\nl = _make()\n"
            "r = l(x), isinstance(l, nn.{name}), type(l) is nn.{name}"
        ),
    ),
    "torch.nn.functional.silu": (
        "how = {'inplace': True}\nv = x * 1\nr = F.silu(v, **how)\nr is v, v",
        "F.silu(x)",
        "v = x * 1\nr = F.silu(input=v, inplace=True)\nr is v, v, r",
        "v = x * 1\nf = F.silu\nr = f(v, inplace=True)\nr is v, v, r, f(y)",
        (
            "t = torch.tensor([-200., -90., 0., 90.], requires_grad=True)\n"
            "F.silu(t).sum().backward()\nl = nn.SiLU()(t * 2)\nl.sum().backward()\ng = t.grad"
        ),
        "F.silu(x.to(torch.complex64))",
    ),
    **alike(
        "torch.nn.functional",
        "mish hardsigmoid hardswish",
        "how = {'inplace': True}\nv = x * 1\nr = F.{name}(v, **how)\nr is v, v",
        "F.{name}(x)",
        "v = x * 1\nr = F.{name}(input=v, inplace=True)\nr is v, v, r",
        "v = x * 1\nf = F.{name}\nr = f(v, inplace=True)\nr is v, v, r, f(y)",
    ),
    "torch.nn.functional.selu": (
        "how = {'inplace': True}\nv = x * 1\nr = F.selu(v, **how)\nr is v, v",
        "F.selu(x)",
        "v = x * 1\nr = F.selu(input=v, inplace=True)\nr is v, v, r",
        "v = x * 1\nf = F.selu\nr = f(v, inplace=True)\nr is v, v, r, f(y)",
        (
            "t = torch.tensor([-9., -2., 0., 3.], dtype=torch.float64, requires_grad=True)\n"
            "F.selu(t).sum().backward()\nl = nn.SELU()(t * 2)\nl.sum().backward()\ng = t.grad"
        ),
    ),
    "torch.nn.ELU": (
        "nn.ELU(0.5)(x)",
        "l = nn.ELU(0.5, inplace=True)\nv = x * 1\nr = l(v)\nr is v, v, r",
        "l = nn.ELU(0.5, inplace=True)\nv = w * 2\nl(v)\nv.sum().backward()\ng = w.grad",
        (
            "def _make(act=nn.ELU):\n    return act(inplace=True)\nl = _make()\n"
            "r = l(x), isinstance(l, nn.ELU), type(l) is nn.ELU"
        ),
    ),
    "torch.nn.functional.elu": (
        "how = {'inplace': True}\nv = x * 1\nr = F.elu(v, **how)\nr is v, v",
        "F.elu(x, 0.5)",
        "v = x * 1\nr = F.elu(input=v, alpha=0.5, inplace=True)\nr is v, v, r",
        "v = x * 1\nf = F.elu\nr = f(v, inplace=True)\nr is v, v, r, f(y)",
    ),
    "torch.nn.LeakyReLU": (
        "nn.LeakyReLU(negative_slope=0.2)(x)",
        ("l = nn.LeakyReLU(negative_slope=0.2, inplace=True)\nv = x * 1\nr = l(v)\nr is v, v, r"),
        (
            "l = nn.LeakyReLU(negative_slope=0.2, inplace=True)\nv = w * 2\nl(v)\n"
            "v.sum().backward()\ng = w.grad"
        ),
        (
            "def _make(act=nn.LeakyReLU):\n    return act(inplace=True)\nl = _make()\n"
            "r = l(x), isinstance(l, nn.LeakyReLU), type(l) is nn.LeakyReLU"
        ),
    ),
    "torch.nn.functional.leaky_relu": (
        "how = {'inplace': True}\nv = x * 1\nr = F.leaky_relu(v, **how)\nr is v, v",
        "F.leaky_relu(x, negative_slope=0.2)",
        ("v = x * 1\nr = F.leaky_relu(input=v, negative_slope=0.2, inplace=True)\nr is v, v, r"),
        "v = x * 1\nf = F.leaky_relu\nr = f(v, inplace=True)\nr is v, v, r, f(y)",
        (
            "t = torch.tensor([-1., 0., 2.], requires_grad=True)\n"
            "F.leaky_relu(t, 0.2).sum().backward()\nl = nn.LeakyReLU()(t * 2)\n"
            "l.sum().backward()\ng = t.grad"
        ),
        (
            "l = nn.LeakyReLU(0.2, inplace=True)\n"
            "g, = torch.autograd.grad((l(w * 2) ** 2).sum(), w, create_graph=True)\n"
            "g.square().sum().backward()\nh = w.grad"
        ),
    ),
    "torch.nn.Hardtanh": (
        "nn.Hardtanh(-0.5, max_val=0.7)(x)",
        ("l = nn.Hardtanh(-0.5, max_val=0.7, inplace=True)\nv = x * 1\nr = l(v)\nr is v, v, r"),
        (
            "l = nn.Hardtanh(-0.5, max_val=0.7, inplace=True)\nv = w * 2\nl(v)\n"
            "v.sum().backward()\ng = w.grad"
        ),
        "v = i - 2\nr = nn.Hardtanh()(v), nn.Hardtanh(inplace=True)(v)\nv",
        (
            "def _make(act=nn.Hardtanh):\n    return act(inplace=True)\nl = _make()\n"
            "r = l(x), isinstance(l, nn.Hardtanh), type(l) is nn.Hardtanh"
        ),
    ),
    "torch.nn.functional.hardtanh": (
        "how = {'inplace': True}\nv = x * 1\nr = F.hardtanh(v, **how)\nr is v, v",
        "F.hardtanh(x, -0.5, max_val=0.7)",
        (
            "v = x * 1\nr = F.hardtanh(input=v, min_val=-0.5, max_val=0.7, inplace=True)\n"
            "r is v, v, r"
        ),
        "v = x * 1\nf = F.hardtanh\nr = f(v, inplace=True)\nr is v, v, r, f(y)",
        "F.hardtanh(i - 2)",
        "F.hardtanh(i, 1, 2)",
        "F.hardtanh(i - 2, max_val=1.5)",
    ),
    **alike(
        "torch.nn.functional",
        "relu_ hardtanh_",
        "v = x * 1\nr = F.{name}(v)\nr is v, v",
        "v = x * 1\nf = F.{name}\nr = f(*(v,))\nr is v, v",
        "v = i - 2\nr = F.{name}(v)\nr is v, v",
    ),
    **alike(
        "torch.nn.functional",
        "elu_ leaky_relu_ selu_ celu_ rrelu_",
        "v = x * 1\nr = F.{name}(v)\nr is v, v",
        "v = x * 1\nf = F.{name}\nr = f(*(v,))\nr is v, v",
    ),
    "torch.nn.functional.threshold_": (
        "v = x * 1\nr = F.threshold_(v, 0.1, 20.0)\nr is v, v",
        "v = x * 1\nf = F.threshold_\nr = f(*(v, 0.1, 20.0,))\nr is v, v",
    ),
    **alike("torch.nn", "Sigmoid Tanh Softsign Tanhshrink LogSigmoid", "nn.{name}()(x)"),
    "torch.nn.Softplus": (
        "nn.Softplus()(x)",
        "nn.Softplus(2, threshold=1.0)(x)",
    ),
    "torch.nn.GLU": (
        "nn.GLU()(x)",
        "nn.GLU(1)(x)",
    ),
    "torch.nn.Softmax2d": ("nn.Softmax2d()(img)",),
    "torch.nn.Softmin": ("nn.Softmin(dim=1)(x)",),
    "torch.nn.CELU": (
        "nn.CELU(0.5)(x)",
        "str(nn.CELU()), str(nn.CELU(0.5, True)), str(nn.Softmax())",
        "v = x * 1\nr = nn.CELU(inplace=True)(v)\nr is v, v",
    ),
    "torch.nn.Hardshrink": ("nn.Hardshrink()(torch.tensor([0.5, -0.5, 0.6, float('nan')]))",),
    "torch.nn.Softshrink": ("nn.Softshrink(0.3)(torch.tensor([0.5, -0.5, 0.1, float('inf')]))",),
    "torch.nn.Threshold": (
        "nn.Threshold(0.1, 20)(x)",
        "v = x * 1\nr = nn.Threshold(0.1, 2.0, True)(v)\nv",
    ),
    "torch.nn.RReLU": (
        "nn.RReLU(0.1, 0.3).eval()(x)",
        "nn.RReLU(0.2, 0.2)(x)",
        ("given = (0.2, 0.2, True)\nl = nn.RReLU(*given)\nr = l(x * 1), str(l), str(nn.RReLU())"),
    ),
    "torch.nn.PReLU": (
        "l = nn.PReLU()\nr = l(x), list(l.state_dict())",
        "nn.PReLU(num_parameters=3, init=0.1)(img)",
    ),
    "torch.nn.functional.sigmoid": ("F.sigmoid(x)",),
    "torch.nn.functional.tanh": ("F.tanh(x)",),
    "torch.nn.functional.logsigmoid": (
        "F.logsigmoid(w * 90).sum().backward()\ng = w.grad",
        "F.logsigmoid(torch.tensor([-float('inf'), -2e4, 0.0, float('inf'), float('nan')]))",
    ),
    "torch.nn.functional.softplus": (
        "F.softplus(x)",
        "F.softplus(x, 2, threshold=1.0)",
        "o = torch.empty(3, 4)\nr = F.softplus(x, out=o)\nr is o",
    ),
    "torch.nn.functional.glu": (
        "F.glu(x)",
        "F.glu(x, dim=1)",
    ),
    "torch.nn.functional.hardshrink": (
        "F.hardshrink(x, 0.3)",
        "F.hardshrink(torch.tensor([0.5, -0.5, 0.6, float('nan')]))",
        "o = torch.empty(3, 4)\nr = F.hardshrink(x, out=o)\nr is o",
    ),
    "torch.nn.functional.softshrink": (
        "F.softshrink(x)",
        "o = torch.empty(3, 4)\nr = F.softshrink(x, out=o)\nr is o",
    ),
    "torch.nn.functional.prelu": (
        "F.prelu(x, torch.tensor([0.1]))",
        "F.prelu(img, x[0, :3])",
    ),
    **alike(
        "torch.nn.functional",
        "softsign tanhshrink",
        "F.{name}(x)",
        "F.{name}(input=i)",
        "f = F.{name}\nf(x)",
        "F.{name}(**{'input': x}), F.{name}(*[y])",
    ),
    "torch.nn.functional.celu": (
        "F.celu(x, 0.5)",
        "v = x * 1\nr = F.celu(v, inplace=True)\nr is v, v",
    ),
    "torch.nn.functional.threshold": (
        "F.threshold(x, 0.1, value=20.0)",
        "v = x * 1\nr = F.threshold(v, 0.1, 2.0, inplace=True)\nr is v, v",
        "v = w[0, 0] * 2\nr = F.threshold(v, 9.0, 2.0, inplace=True)\nr is v, v",
        "v = w.sum() * 1\nF.silu(v, inplace=True)\nv.backward()\ng = w.grad",
    ),
    "torch.nn.functional.rrelu": (
        "F.rrelu(x)",
        "F.rrelu(x, 0.2, 0.2, training=True)",
        "F.rrelu(x, upper=1.5)",
        "F.rrelu(*[x], **{'upper': 0.5}), F.rrelu(*[x, 0.1, 0.1, True])",
    ),
    "torch.nn.GELU": (
        "nn.GELU()(x)",
        "nn.GELU(approximate='tanh')(x)",
        "l = nn.GELU\nl()(x)",
        "how = {'approximate': 'tanh'}\nnn.GELU(**how)(x)",
    ),
    "torch.nn.functional.gelu": (
        "F.gelu(x)",
        "F.gelu(x, approximate='tanh')",
        "[f(x) for f in (F.gelu, F.relu)]",
        "how = 'tanh'\nF.gelu(input=x, approximate=how)",
        "f = F.gelu\nf(x)",
        "how = {'approximate': 'tanh'}\nF.gelu(x, **how)",
        "o = torch.empty(3, 4)\nr = F.gelu(x, approximate='tanh', out=o)\nr is o",
    ),
    "torch.nn.functional.softmax": (
        "F.softmax(x, dim=1)",
        "F.softmax(input=x, dim=-1, dtype=torch.float64)",
        "F.softmax(a)",
        "f = F.softmax\nf(x, dim=0)",
        "import functools\nf = functools.partial(F.softmax, dim=-1)\nf(a)",
        "F.softmax(w * 100, 1).sum(0)[0].backward()\ng = w.grad",
        "how = {'dim': 1}\nF.softmax(x, **how), nn.Softmax(**how)(x)",
    ),
    "torch.nn.functional.log_softmax": (
        "F.log_softmax(x, dim=1)",
        "F.log_softmax(input=x, dim=-1, dtype=torch.float64)",
        "F.log_softmax(a)",
        "f = F.log_softmax\nf(x, dim=0)",
        "import functools\nf = functools.partial(F.log_softmax, dim=-1)\nf(a)",
        "F.log_softmax(w * 100, 1).sum(0)[0].backward()\ng = w.grad",
    ),
    "torch.nn.Softmax": (
        "nn.Softmax(dim=1)(x)",
        "nn.Softmax(-1)(a)",
        "nn.Softmax()(a)",
    ),
    "torch.nn.LogSoftmax": (
        "nn.LogSoftmax(dim=1)(x * 100)",
        "nn.LogSoftmax()(a)",
    ),
    "torch.nn.functional.softmin": (
        "F.softmin(x, dim=1)",
        "F.softmin(a)",
    ),
}
