"""Transforms of distributions."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike
from workbench.upstream.cases.preludes import POINT

_MADE = "t = torch.distributions.AffineTransform(1.0, 2.0)\nv = x\n"

CASES: dict[str, tuple[str, ...]] = {
    **alike(
        "torch.distributions",
        "AbsTransform.domain CorrCholeskyTransform.domain ExpTransform.domain "
        "SigmoidTransform.domain SoftmaxTransform.domain SoftplusTransform.domain "
        "StickBreakingTransform.domain TanhTransform.domain",
        (
            "t = torch.distributions.{owner}()\ne = t.domain\n"
            "r = e.check(x), e.event_dim, e.is_discrete\nt = e = None"
        ),
    ),
    **alike(
        "torch.distributions",
        "AbsTransform.codomain ExpTransform.codomain SigmoidTransform.codomain "
        "SoftplusTransform.codomain TanhTransform.codomain",
        (
            "t = torch.distributions.{owner}()\ne = t.codomain\n"
            "r = e.check(x), e.event_dim, e.is_discrete\nt = e = None"
        ),
    ),
    "torch.distributions.AffineTransform.domain": (
        (
            "t = torch.distributions.AffineTransform(0.0, 2.0, event_dim=1)\ne = t.domain\n"
            "r = e.check(x / (x > 0).float()), e.event_dim, e.is_discrete\nt = e = None"
        ),
    ),
    "torch.distributions.AffineTransform.codomain": (
        (
            "t = torch.distributions.AffineTransform(0.0, 2.0, event_dim=1)\ne = t.codomain\n"
            "r = e.check(x), e.event_dim, e.is_discrete\nt = e = None"
        ),
    ),
    **alike(
        "torch.distributions.CatTransform",
        "domain codomain",
        (
            "t = torch.distributions.CatTransform([torch.distributions.ExpTransform(), "
            "torch.distributions.TanhTransform()], 1, [1, 3])\ne = t.{name}\n"
            "r = e.check(x), e.event_dim, e.is_discrete\nt = e = None"
        ),
    ),
    "torch.distributions.ComposeTransform.domain": (
        (
            "t = "
            "torch.distributions.ComposeTransform([torch.distributions.ExpTransform(), "
            "torch.distributions.StickBreakingTransform()])\ne = t.domain\n"
            "r = e.check(x), e.event_dim, e.is_discrete\nt = e = None"
        ),
    ),
    "torch.distributions.ComposeTransform.codomain": (
        (
            "t = "
            "torch.distributions.ComposeTransform([torch.distributions.ExpTransform(), "
            "torch.distributions.StickBreakingTransform()])\ne = t.codomain\n"
            "r = e.check(p), e.event_dim, e.is_discrete\nt = e = None"
        ),
    ),
    "torch.distributions.CorrCholeskyTransform.codomain": (
        (
            "t = torch.distributions.CorrCholeskyTransform()\ne = t.codomain\n"
            "r = e.check(torch.stack([2 * torch.eye(4), torch.eye(4)])), e.event_dim, "
            "e.is_discrete\nt = e = None"
        ),
    ),
    **alike(
        "torch.distributions.CumulativeDistributionTransform",
        "domain codomain",
        (
            "t = "
            "torch.distributions.CumulativeDistributionTransform(torch.distributions.Ga"
            "mma(1.0, 2.0))\ne = t.{name}\nr = e.check(x), e.event_dim, e.is_discrete\n"
            "t = e = None"
        ),
    ),
    **alike(
        "torch.distributions.IndependentTransform",
        "domain codomain",
        (
            "t = "
            "torch.distributions.IndependentTransform(torch.distributions.ExpTransform(), 1)\n"
            "e = t.{name}\nr = e.check(x), e.event_dim, e.is_discrete\nt = e = None"
        ),
    ),
    "torch.distributions.LowerCholeskyTransform.domain": (
        (
            "t = torch.distributions.LowerCholeskyTransform()\ne = t.domain\n"
            "r = e.check(sq), e.event_dim, e.is_discrete\nt = e = None"
        ),
    ),
    "torch.distributions.LowerCholeskyTransform.codomain": (
        (
            "t = torch.distributions.LowerCholeskyTransform()\ne = t.codomain\n"
            "r = e.check(torch.stack([sq.tril(), torch.eye(4)])), e.event_dim, e.is_discrete\n"
            "t = e = None"
        ),
    ),
    "torch.distributions.PositiveDefiniteTransform.domain": (
        (
            "t = torch.distributions.PositiveDefiniteTransform()\ne = t.domain\n"
            "r = e.check(sq), e.event_dim, e.is_discrete\nt = e = None"
        ),
    ),
    "torch.distributions.PositiveDefiniteTransform.codomain": (
        (
            "t = torch.distributions.PositiveDefiniteTransform()\ne = t.codomain\n"
            "r = e.check(torch.stack([torch.eye(2), -torch.eye(2)])), e.event_dim, "
            "e.is_discrete\nt = e = None"
        ),
    ),
    "torch.distributions.PowerTransform.domain": (
        (
            "t = torch.distributions.PowerTransform(2.0)\ne = t.domain\n"
            "r = e.check(x), e.event_dim, e.is_discrete\nt = e = None"
        ),
    ),
    "torch.distributions.PowerTransform.codomain": (
        (
            "t = torch.distributions.PowerTransform(2.0)\ne = t.codomain\n"
            "r = e.check(x), e.event_dim, e.is_discrete\nt = e = None"
        ),
    ),
    "torch.distributions.ReshapeTransform.domain": (
        (
            "t = torch.distributions.ReshapeTransform((4,), (2, 2))\ne = t.domain\n"
            "r = e.check(x), e.event_dim, e.is_discrete\nt = e = None"
        ),
    ),
    "torch.distributions.ReshapeTransform.codomain": (
        (
            "t = torch.distributions.ReshapeTransform((4,), (2, 2))\ne = t.codomain\n"
            "r = e.check(sq), e.event_dim, e.is_discrete\nt = e = None"
        ),
    ),
    **alike(
        "torch.distributions",
        "SoftmaxTransform.codomain StickBreakingTransform.codomain",
        (
            "t = torch.distributions.{owner}()\ne = t.codomain\n"
            "r = e.check(torch.tensor([[0.2, 0.8], [0.5, 0.6]])), e.event_dim, e.is_discrete\n"
            "t = e = None"
        ),
    ),
    **alike(
        "torch.distributions.StackTransform",
        "domain codomain",
        (
            "t = "
            "torch.distributions.StackTransform([torch.distributions.ExpTransform(), "
            "torch.distributions.TanhTransform()], 1)\ne = t.{name}\n"
            "r = e.check(x[:, :2]), e.event_dim, e.is_discrete\nt = e = None"
        ),
    ),
    **alike(
        "torch.distributions.Transform",
        "domain codomain",
        (
            "def end(t: torch.distributions.Transform):\n    return t.{name}\n"
            "e = end(torch.distributions.ExpTransform().inv)\n"
            "r = e.check(x), e.event_dim, e.is_discrete\nt = e = None"
        ),
    ),
    "torch.distributions.Transform.inv": ((_MADE + "r = t.inv(v)\nt = None"),),
    "torch.distributions.AffineTransform.loc": (
        "t = torch.distributions.AffineTransform(1.0, 2.0)\nr = t.loc\nt = None",
    ),
    "torch.distributions.AffineTransform.scale": (
        "t = torch.distributions.AffineTransform(1.0, 2.0)\nr = t.scale\nt = None",
    ),
    "torch.distributions.ReshapeTransform.in_shape": (
        "t = torch.distributions.ReshapeTransform((4,), (2, 2))\nr = t.in_shape\nt = None",
    ),
    "torch.distributions.ReshapeTransform.out_shape": (
        "t = torch.distributions.ReshapeTransform((4,), (2, 2))\nr = t.out_shape\nt = None",
    ),
    **alike(
        "torch.distributions.CatTransform",
        "dim length lengths bijective",
        (
            "t = torch.distributions.CatTransform([torch.distributions.ExpTransform(), "
            "torch.distributions.AbsTransform()], 1, [1, 3])\nr = t.{name}\nt = None"
        ),
    ),
    **alike(
        "torch.distributions.StackTransform",
        "dim bijective",
        (
            "t = "
            "torch.distributions.StackTransform([torch.distributions.ExpTransform(), "
            "torch.distributions.AbsTransform()], 1)\nr = t.{name}\nt = None"
        ),
    ),
    "torch.distributions.ComposeTransform.bijective": (
        (
            "t = "
            "torch.distributions.ComposeTransform([torch.distributions.ExpTransform(), "
            "torch.distributions.AbsTransform()])\nr = t.bijective\nt = None"
        ),
    ),
    **alike(
        "torch.distributions.IndependentTransform",
        "reinterpreted_batch_ndims bijective",
        (
            "t = "
            "torch.distributions.IndependentTransform(torch.distributions.ExpTransform(), 1)\n"
            "r = t.{name}\nt = None"
        ),
    ),
    "torch.distributions.ComposeTransform.parts": (
        (
            "t = "
            "torch.distributions.ComposeTransform([torch.distributions.ExpTransform(), "
            "torch.distributions.AbsTransform()])\n"
            "r = [type(part).__name__ for part in t.parts], repr(t), repr(t.inv)\nt = None"
        ),
    ),
    "torch.distributions.IndependentTransform.base_transform": (
        (
            "t = "
            "torch.distributions.IndependentTransform(torch.distributions.ExpTransform(), 1)\n"
            "r = repr(t.base_transform), repr(t)\nt = None"
        ),
    ),
    "torch.distributions.CatTransform.transforms": (
        (
            "t = torch.distributions.CatTransform([torch.distributions.ExpTransform(), "
            "torch.distributions.AbsTransform()])\nr = [repr(one) for one in t.transforms]\n"
            "t = None"
        ),
    ),
    "torch.distributions.StackTransform.transforms": (
        (
            "t = torch.distributions.StackTransform([torch.distributions.ExpTransform()])\n"
            "r = len(t.transforms)\nt = None"
        ),
    ),
    "torch.distributions.CumulativeDistributionTransform.distribution": (
        (
            "t = "
            "torch.distributions.CumulativeDistributionTransform(torch.distributions.No"
            "rmal(0.0, 1.0))\nr = t.distribution.mean\nt = None"
        ),
    ),
    "torch.distributions.Transform.with_cache": (
        (
            "t = torch.distributions.ExpTransform()\n"
            "r = t.with_cache(1)(x), t.with_cache(0) is t\nt = None"
        ),
    ),
    "torch.distributions.transforms.identity_transform": (
        "r = torch.distributions.transforms.identity_transform(x)",
        (
            "t = torch.distributions.ComposeTransform([])\n"
            "r = t(x), t.log_abs_det_jacobian(x, x)\nt = None"
        ),
    ),
    "torch.distributions.Transform.forward_shape": (
        (
            "t = torch.distributions.StickBreakingTransform()\n"
            "r = tuple(t.forward_shape((5, 3,)))\nt = None"
        ),
        (
            "t = torch.distributions.ReshapeTransform((3,), (1, 3))\n"
            "r = tuple(t.forward_shape((5, 3,)))\nt = None"
        ),
        ("t = torch.distributions.ExpTransform()\nr = tuple(t.forward_shape((5, 3,)))\nt = None"),
        (
            "t = "
            "torch.distributions.ComposeTransform([torch.distributions.StickBreakingTra"
            "nsform()])\nr = tuple(t.forward_shape((5, 3,)))\nt = None"
        ),
    ),
    "torch.distributions.Transform.inverse_shape": (
        (
            "t = torch.distributions.StickBreakingTransform()\n"
            "r = tuple(t.inverse_shape((5, 1, 3,)))\nt = None"
        ),
        (
            "t = torch.distributions.ReshapeTransform((3,), (1, 3))\n"
            "r = tuple(t.inverse_shape((5, 1, 3,)))\nt = None"
        ),
        (
            "t = torch.distributions.ExpTransform()\nr = tuple(t.inverse_shape((5, 1, 3,)))\n"
            "t = None"
        ),
        (
            "t = "
            "torch.distributions.ComposeTransform([torch.distributions.StickBreakingTra"
            "nsform()])\nr = tuple(t.inverse_shape((5, 1, 3,)))\nt = None"
        ),
    ),
    "torch.distributions.Transform.sign": (
        (
            "r = "
            "torch.distributions.IndependentTransform(torch.distributions.ExpTransform("
            "), 1).sign"
        ),
        (
            "r = "
            "torch.distributions.ComposeTransform([torch.distributions.ExpTransform(), "
            "torch.distributions.AffineTransform(0.0, -1.0)]).sign"
        ),
    ),
    "torch.distributions.Transform.bijective": (
        "t = torch.distributions.AbsTransform()\nr = t.bijective\nt = None",
    ),
    "torch.distributions.Transform.event_dim": (
        "t = torch.distributions.SoftmaxTransform()\nr = t.event_dim\nt = None",
    ),
    "torch.distributions.AffineTransform.sign": (
        "t = torch.distributions.AffineTransform(0.0, -2.0)\nr = t.sign\nt = None",
    ),
    **alike(
        "torch.distributions",
        "ExpTransform.sign SigmoidTransform.sign TanhTransform.sign SoftplusTransform.sign",
        "t = torch.distributions.{owner}()\nr = t.sign\nt = None",
    ),
    "torch.distributions.Transform.log_abs_det_jacobian": (
        (_MADE + "r = t.log_abs_det_jacobian(v, t(v))\nt = None"),
    ),
    **alike(
        "torch.distributions.TransformedDistribution",
        "log_prob cdf icdf",
        (
            POINT + "d = "
            "torch.distributions.TransformedDistribution(torch.distributions.Normal(tor"
            "ch.zeros(2), torch.ones(2)), [torch.distributions.AffineTransform(1.0, -2.0)])\n"
            "r = d.{name}(v)\nd = None"
        ),
    ),
    "torch.distributions.TransformedDistribution.sample": (
        (
            POINT + "d = "
            "torch.distributions.TransformedDistribution(torch.distributions.Normal(tor"
            "ch.zeros(2), torch.ones(2)), [torch.distributions.AffineTransform(1.0, -2.0)])\n"
            "r = d.sample((3,)).shape\nd = None"
        ),
    ),
    "torch.distributions.TransformedDistribution.base_dist": (
        (
            POINT + "d = "
            "torch.distributions.TransformedDistribution(torch.distributions.Normal(tor"
            "ch.zeros(2), torch.ones(2)), [torch.distributions.AffineTransform(1.0, -2.0)])\n"
            "r = d.base_dist.mean\nd = None"
        ),
    ),
    "torch.distributions.TransformedDistribution.transforms": (
        (
            POINT + "d = "
            "torch.distributions.TransformedDistribution(torch.distributions.Normal(tor"
            "ch.zeros(2), torch.ones(2)), [torch.distributions.AffineTransform(1.0, -2.0)])\n"
            "r = len(d.transforms)\nd = None"
        ),
    ),
    "torch.distributions.TransformedDistribution.has_rsample": (
        (
            POINT + "d = "
            "torch.distributions.TransformedDistribution(torch.distributions.Normal(tor"
            "ch.zeros(2), torch.ones(2)), [torch.distributions.AffineTransform(1.0, -2.0)])\n"
            "r = d.has_rsample\nd = None"
        ),
    ),
}
