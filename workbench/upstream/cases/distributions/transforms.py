"""Members of transforms of distributions, and of the classes that use them."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike
from workbench.upstream.cases.preludes import POINT

CASES: dict[str, tuple[str, ...]] = {
    "torch.distributions.ReshapeTransform": (
        (
            "v = p\nt = torch.distributions.ReshapeTransform((4,), (2, 2))\ny = t(v)\n"
            "r = y, t.inv(y), t.log_abs_det_jacobian(v, y)\nt = None"
        ),
        (
            "v = p.reshape(3, 2, 2)\n"
            "t = torch.distributions.ReshapeTransform(in_shape=(2, 2), out_shape=(4,))\n"
            "y = t(v)\nr = y, t.inv(y), t.log_abs_det_jacobian(v, y)\nt = None"
        ),
    ),
    "torch.distributions.IndependentTransform": (
        (
            "v = p\n"
            "t = "
            "torch.distributions.IndependentTransform(torch.distributions.ExpTransform(), 1)\n"
            "y = t(v)\nr = y, t.inv(y), t.log_abs_det_jacobian(v, y)\nt = None"
        ),
    ),
    "torch.distributions.StackTransform": (
        (
            "v = p\n"
            "t = "
            "torch.distributions.StackTransform([torch.distributions.ExpTransform(), "
            "torch.distributions.AffineTransform(1.0, 2.0), "
            "torch.distributions.SigmoidTransform()])\ny = t(v)\n"
            "r = y, t.inv(y), t.log_abs_det_jacobian(v, y)\nt = None"
        ),
        (
            "v = p\n"
            "t = "
            "torch.distributions.StackTransform([torch.distributions.ExpTransform(), "
            "torch.distributions.SigmoidTransform()] * 2, dim=1)\ny = t(v)\n"
            "r = y, t.inv(y), t.log_abs_det_jacobian(v, y)\nt = None"
        ),
    ),
    "torch.distributions.CatTransform": (
        (
            "v = p\n"
            "t = torch.distributions.CatTransform([torch.distributions.ExpTransform(), "
            "torch.distributions.AffineTransform(1.0, 2.0)], dim=1, lengths=[1, 3])\ny = t(v)\n"
            "r = y, t.inv(y), t.log_abs_det_jacobian(v, y)\nt = None"
        ),
        (
            "v = p\n"
            "t = torch.distributions.CatTransform([torch.distributions.ExpTransform()] * 3)\n"
            "y = t(v)\nr = y, t.inv(y), t.log_abs_det_jacobian(v, y)\nt = None"
        ),
        (
            "v = p\n"
            "t = "
            "torch.distributions.CatTransform([torch.distributions.IndependentTransform"
            "(torch.distributions.ExpTransform(), 1)] * 3)\ny = t(v)\n"
            "r = y, t.inv(y), t.log_abs_det_jacobian(v, y)\nt = None"
        ),
    ),
    "torch.distributions.CumulativeDistributionTransform": (
        (
            "v = p\n"
            "t = "
            "torch.distributions.CumulativeDistributionTransform(torch.distributions.No"
            "rmal(0.0, 1.0))\ny = t(v)\nr = y, t.inv(y), t.log_abs_det_jacobian(v, y), t.sign\n"
            "t = None"
        ),
    ),
    "torch.distributions.StickBreakingTransform": (
        (
            "v = x\nt = torch.distributions.StickBreakingTransform()\ny = t(v)\n"
            "r = y, t.inv(y), t.log_abs_det_jacobian(v, y)\nt = None"
        ),
    ),
    "torch.distributions.CorrCholeskyTransform": (
        (
            "v = a[..., :3]\nt = torch.distributions.CorrCholeskyTransform()\ny = t(v)\n"
            "r = y, t.inv(y), t.log_abs_det_jacobian(v, y)\nt = None"
        ),
        (
            "v = a[..., :3]\nt = torch.distributions.CorrCholeskyTransform(cache_size=1)\n"
            "y = t(v)\nr = y, t.inv(y), t.log_abs_det_jacobian(v, y)\nt = None"
        ),
    ),
    "torch.distributions.LowerCholeskyTransform": (
        (
            "v = sq\nt = torch.distributions.LowerCholeskyTransform()\ny = t(v)\n"
            "r = y, t.inv(y)\nt = None"
        ),
    ),
    "torch.distributions.PositiveDefiniteTransform": (
        ("v = sq\nt = torch.distributions.PositiveDefiniteTransform()\ny = t(v)\nr = y\nt = None"),
    ),
    "torch.distributions.AffineTransform": (
        (
            "v = p\nt = torch.distributions.AffineTransform(1.0, 2.0)\ny = t(v)\n"
            "r = y, t.inv(y), t.log_abs_det_jacobian(v, y)\nt = None"
        ),
        (
            "v = p\n"
            "t = torch.distributions.AffineTransform(loc=torch.zeros(4), "
            "scale=torch.ones(4) * -3.0, event_dim=1)\ny = t(v)\n"
            "r = y, t.inv(y), t.log_abs_det_jacobian(v, y)\nt = None"
        ),
    ),
    **alike(
        "torch.distributions",
        "ExpTransform SigmoidTransform TanhTransform SoftplusTransform",
        (
            "v = p\nt = torch.distributions.{name}()\ny = t(v)\n"
            "r = y, t.inv(y), t.log_abs_det_jacobian(v, y)\nt = None"
        ),
    ),
    "torch.distributions.PowerTransform": (
        (
            "v = p\nt = torch.distributions.PowerTransform(torch.tensor(2.0))\ny = t(v)\n"
            "r = y, t.inv(y), t.log_abs_det_jacobian(v, y)\nt = None"
        ),
    ),
    "torch.distributions.AbsTransform": (
        "v = p\nt = torch.distributions.AbsTransform()\nr = t(v)\nt = None",
    ),
    "torch.distributions.SoftmaxTransform": (
        "v = p\nt = torch.distributions.SoftmaxTransform()\nr = t(v)\nt = None",
    ),
    "torch.distributions.ComposeTransform": (
        (
            "v = p\n"
            "t = "
            "torch.distributions.ComposeTransform([torch.distributions.AffineTransform("
            "0.5, 2.0), torch.distributions.SigmoidTransform()])\ny = t(v)\n"
            "r = y, t.inv(y), t.log_abs_det_jacobian(v, y)\nt = None"
        ),
    ),
    "torch.distributions.Transform": (
        "t = isinstance(torch.distributions.ExpTransform(), torch.distributions.Transform)",
        (
            "one, two = (torch.distributions.AffineTransform(x, 2.0) for _ in range(2))\n"
            "r = one == two, one == torch.distributions.AffineTransform(y, 2.0), "
            "one.inv == two.inv, torch.distributions.ComposeTransform([one]) == "
            "torch.distributions.ComposeTransform([two]), one == "
            "torch.distributions.ExpTransform(), torch.distributions.TanhTransform() "
            "== torch.distributions.TanhTransform(), one != two\none = two = None"
        ),
    ),
    "torch.distributions.TransformedDistribution": (
        (
            POINT + "d = "
            "torch.distributions.TransformedDistribution(torch.distributions.Normal(tor"
            "ch.zeros(2), torch.ones(2)), torch.distributions.ExpTransform())\n"
            "r = d.log_prob(v), d.sample((3,)).shape, tuple(d.batch_shape), "
            "tuple(d.event_shape)\nd = None"
        ),
        (
            POINT + "d = "
            "torch.distributions.TransformedDistribution(torch.distributions.Normal(tor"
            "ch.zeros(2), torch.ones(2)), [torch.distributions.AffineTransform(1.0, "
            "2.0, event_dim=1)])\n"
            "r = d.log_prob(v), d.sample((3,)).shape, tuple(d.batch_shape), "
            "tuple(d.event_shape)\nd = None"
        ),
        (
            POINT + "d = "
            "torch.distributions.TransformedDistribution(torch.distributions.Normal(tor"
            "ch.zeros(2), torch.ones(2)), "
            "transforms=[torch.distributions.TanhTransform(), "
            "torch.distributions.AffineTransform(0.0, torch.tensor([2.0, -3.0]))])\n"
            "r = d.log_prob(v), d.sample((3,)).shape, tuple(d.batch_shape), "
            "tuple(d.event_shape)\nd = None"
        ),
        (
            "import torch.distributions as D\n"
            "d = D.TransformedDistribution(D.Normal(torch.zeros(2, 4), torch.ones(4)), "
            "[D.ReshapeTransform((4,), (2, 2))])\nv = d.sample() * 0 + 0.2\n"
            "r = d.log_prob(v), d.sample((3,)).shape, d.batch_shape, d.event_shape, "
            "[one.bijective for one in d.transforms], D.Transform().bijective\nd = None"
        ),
        (
            "import torch.distributions as D\n"
            "d = D.TransformedDistribution(D.Normal(torch.zeros(2, 4), torch.ones(4)), "
            "[D.ExpTransform(), D.ReshapeTransform((2, 4), (8,)), "
            "D.AffineTransform(-1.0, 2.0)])\nv = d.sample() * 0 + 0.2\n"
            "r = d.log_prob(v), d.sample((3,)).shape, d.batch_shape, d.event_shape, "
            "[one.bijective for one in d.transforms], D.Transform().bijective\nd = None"
        ),
        (
            "import torch.distributions as D\n"
            "d = D.TransformedDistribution(D.Normal(torch.zeros(2, 4), torch.ones(4)), "
            "[D.StickBreakingTransform()])\nv = d.sample() * 0 + 0.2\n"
            "r = d.log_prob(v), d.sample((3,)).shape, d.batch_shape, d.event_shape, "
            "[one.bijective for one in d.transforms], D.Transform().bijective\nd = None"
        ),
        (
            "import torch.distributions as D\n"
            "d = D.TransformedDistribution(D.Normal(torch.zeros(2, 4), torch.ones(4)), "
            "[D.ComposeTransform([D.ExpTransform(), D.ReshapeTransform((4,), (2, 1, 2))])])\n"
            "v = d.sample() * 0 + 0.2\n"
            "r = d.log_prob(v), d.sample((3,)).shape, d.batch_shape, d.event_shape, "
            "[one.bijective for one in d.transforms], D.Transform().bijective\nd = None"
        ),
        (
            "import torch.distributions as D\n"
            "d = D.TransformedDistribution(D.Normal(torch.zeros(2, 4), torch.ones(4)), "
            "[D.ReshapeTransform((2, 2), (4,)).inv, "
            "D.IndependentTransform(D.TanhTransform(), 1)])\nv = d.sample() * 0 + 0.2\n"
            "r = d.log_prob(v), d.sample((3,)).shape, d.batch_shape, d.event_shape, "
            "[one.bijective for one in d.transforms], D.Transform().bijective\nd = None"
        ),
    ),
}
