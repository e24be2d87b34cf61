"""`torch.distributions.constraints`."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    "torch.distributions.constraints.real": (
        (
            "c = torch.distributions.constraints.real\n"
            "r = c.check(torch.tensor([1.0, float('nan')])), str(c), c.event_dim, c.is_discrete"
        ),
        (
            "from torch.distributions import constraints\n"
            "r = constraints.real.check(torch.tensor([1.0, float('nan')]))"
        ),
    ),
    "torch.distributions.constraints.boolean": (
        (
            "c = torch.distributions.constraints.boolean\n"
            "r = c.check(torch.tensor([0.0, 0.5, 1.0])), str(c), c.event_dim, c.is_discrete"
        ),
        (
            "from torch.distributions import constraints\n"
            "r = constraints.boolean.check(torch.tensor([0.0, 0.5, 1.0]))"
        ),
    ),
    "torch.distributions.constraints.one_hot": (
        (
            "c = torch.distributions.constraints.one_hot\n"
            "r = c.check(torch.tensor([[0.0, 1.0], [1.0, 1.0]])), str(c), c.event_dim, "
            "c.is_discrete"
        ),
        (
            "from torch.distributions import constraints\n"
            "r = constraints.one_hot.check(torch.tensor([[0.0, 1.0], [1.0, 1.0]]))"
        ),
    ),
    "torch.distributions.constraints.nonnegative_integer": (
        (
            "c = torch.distributions.constraints.nonnegative_integer\n"
            "r = c.check(torch.tensor([-1.0, 0.0, 1.5, 2.0])), str(c), c.event_dim, "
            "c.is_discrete"
        ),
        (
            "from torch.distributions import constraints\n"
            "r = constraints.nonnegative_integer.check(torch.tensor([-1.0, 0.0, 1.5, 2.0]))"
        ),
    ),
    "torch.distributions.constraints.positive_integer": (
        (
            "c = torch.distributions.constraints.positive_integer\n"
            "r = c.check(torch.tensor([0, 1, 2])), str(c), c.event_dim, c.is_discrete"
        ),
        (
            "from torch.distributions import constraints\n"
            "r = constraints.positive_integer.check(torch.tensor([0, 1, 2]))"
        ),
    ),
    "torch.distributions.constraints.real_vector": (
        (
            "c = torch.distributions.constraints.real_vector\n"
            "r = c.check(x / (x > 0).float()), str(c), c.event_dim, c.is_discrete"
        ),
        (
            "from torch.distributions import constraints\n"
            "r = constraints.real_vector.check(x / (x > 0).float())"
        ),
    ),
    **alike(
        "torch.distributions.constraints",
        "positive unit_interval",
        (
            "c = torch.distributions.constraints.{name}\n"
            "r = c.check(x), str(c), c.event_dim, c.is_discrete"
        ),
        "from torch.distributions import constraints\nr = constraints.{name}.check(x)",
    ),
    "torch.distributions.constraints.nonnegative": (
        (
            "c = torch.distributions.constraints.nonnegative\n"
            "r = c.check(x - x.abs()), str(c), c.event_dim, c.is_discrete"
        ),
        (
            "from torch.distributions import constraints\n"
            "r = constraints.nonnegative.check(x - x.abs())"
        ),
    ),
    "torch.distributions.constraints.simplex": (
        (
            "c = torch.distributions.constraints.simplex\n"
            "r = c.check(torch.tensor([[0.2, 0.8], [0.5, 0.6], [-0.5, 1.5]])), str(c), "
            "c.event_dim, c.is_discrete"
        ),
        (
            "from torch.distributions import constraints\n"
            "r = constraints.simplex.check(torch.tensor([[0.2, 0.8], [0.5, 0.6], [-0.5, 1.5]]))"
        ),
    ),
    "torch.distributions.constraints.lower_triangular": (
        (
            "c = torch.distributions.constraints.lower_triangular\n"
            "r = c.check(torch.stack([sq, sq.tril()])), str(c), c.event_dim, c.is_discrete"
        ),
        (
            "from torch.distributions import constraints\n"
            "r = constraints.lower_triangular.check(torch.stack([sq, sq.tril()]))"
        ),
    ),
    "torch.distributions.constraints.lower_cholesky": (
        (
            "c = torch.distributions.constraints.lower_cholesky\n"
            "r = c.check(torch.stack([sq.tril(), torch.eye(4)])), str(c), c.event_dim, "
            "c.is_discrete"
        ),
        (
            "from torch.distributions import constraints\n"
            "r = constraints.lower_cholesky.check(torch.stack([sq.tril(), torch.eye(4)]))"
        ),
    ),
    "torch.distributions.constraints.corr_cholesky": (
        (
            "c = torch.distributions.constraints.corr_cholesky\n"
            "r = c.check(torch.stack([2 * torch.eye(4), torch.eye(4)])), str(c), "
            "c.event_dim, c.is_discrete"
        ),
        (
            "from torch.distributions import constraints\n"
            "r = constraints.corr_cholesky.check(torch.stack([2 * torch.eye(4), torch.eye(4)]))"
        ),
    ),
    "torch.distributions.constraints.square": (
        (
            "c = torch.distributions.constraints.square\n"
            "r = c.check(a), str(c), c.event_dim, c.is_discrete"
        ),
        "from torch.distributions import constraints\nr = constraints.square.check(a)",
    ),
    "torch.distributions.constraints.symmetric": (
        (
            "c = torch.distributions.constraints.symmetric\n"
            "r = c.check(torch.stack([sq, sq + sq.T])), str(c), c.event_dim, c.is_discrete"
        ),
        (
            "from torch.distributions import constraints\n"
            "r = constraints.symmetric.check(torch.stack([sq, sq + sq.T]))"
        ),
    ),
    "torch.distributions.constraints.positive_semidefinite": (
        (
            "c = torch.distributions.constraints.positive_semidefinite\n"
            "r = c.check(-torch.eye(2)), str(c), c.event_dim, c.is_discrete"
        ),
        (
            "from torch.distributions import constraints\n"
            "r = constraints.positive_semidefinite.check(-torch.eye(2))"
        ),
    ),
    "torch.distributions.constraints.positive_definite": (
        (
            "c = torch.distributions.constraints.positive_definite\n"
            "r = c.check(torch.stack([torch.eye(2), -torch.eye(2)])), str(c), "
            "c.event_dim, c.is_discrete"
        ),
        (
            "from torch.distributions import constraints\n"
            "r = constraints.positive_definite.check(torch.stack([torch.eye(2), "
            "-torch.eye(2)]))"
        ),
    ),
    **alike(
        "torch.distributions.constraints",
        "greater_than less_than",
        (
            "c = torch.distributions.constraints.{name}(0.5)\n"
            "r = c.check(x), c.event_dim, c.is_discrete"
        ),
        (
            "r = isinstance(torch.distributions.constraints.{name}(0.5), "
            "torch.distributions.constraints.Constraint)"
        ),
    ),
    "torch.distributions.constraints.greater_than.lower_bound": (
        "c = torch.distributions.constraints.greater_than(0.5)\nr = str(c.lower_bound)",
    ),
    "torch.distributions.constraints.greater_than_eq": (
        (
            "c = torch.distributions.constraints.greater_than_eq(lower_bound=0.5)\n"
            "r = c.check(x), c.event_dim, c.is_discrete"
        ),
        (
            "r = "
            "isinstance(torch.distributions.constraints.greater_than_eq(lower_bound=0.5"
            "), torch.distributions.constraints.Constraint)"
        ),
    ),
    "torch.distributions.constraints.greater_than_eq.lower_bound": (
        (
            "c = torch.distributions.constraints.greater_than_eq(lower_bound=0.5)\n"
            "r = str(c.lower_bound)"
        ),
    ),
    "torch.distributions.constraints.less_than.upper_bound": (
        "c = torch.distributions.constraints.less_than(0.5)\nr = str(c.upper_bound)",
    ),
    "torch.distributions.constraints.interval": (
        (
            "c = torch.distributions.constraints.interval(-0.5, upper_bound=0.5)\n"
            "r = c.check(x), c.event_dim, c.is_discrete"
        ),
        (
            "r = isinstance(torch.distributions.constraints.interval(-0.5, "
            "upper_bound=0.5), torch.distributions.constraints.Constraint)"
        ),
    ),
    "torch.distributions.constraints.interval.lower_bound": (
        (
            "c = torch.distributions.constraints.interval(-0.5, upper_bound=0.5)\n"
            "r = str(c.lower_bound)"
        ),
    ),
    "torch.distributions.constraints.interval.upper_bound": (
        (
            "c = torch.distributions.constraints.interval(-0.5, upper_bound=0.5)\n"
            "r = str(c.upper_bound)"
        ),
    ),
    "torch.distributions.constraints.half_open_interval": (
        (
            "c = torch.distributions.constraints.half_open_interval(0, 2)\n"
            "r = c.check(i), c.event_dim, c.is_discrete"
        ),
        (
            "r = isinstance(torch.distributions.constraints.half_open_interval(0, 2), "
            "torch.distributions.constraints.Constraint)"
        ),
    ),
    **alike(
        "torch.distributions.constraints",
        "half_open_interval.lower_bound half_open_interval.upper_bound "
        "integer_interval.lower_bound integer_interval.upper_bound",
        "c = torch.distributions.constraints.{owner}(0, 2)\nr = str(c.{name})",
    ),
    "torch.distributions.constraints.integer_interval": (
        (
            "c = torch.distributions.constraints.integer_interval(0, 2)\n"
            "r = c.check(i * 0.5), c.event_dim, c.is_discrete"
        ),
        (
            "r = isinstance(torch.distributions.constraints.integer_interval(0, 2), "
            "torch.distributions.constraints.Constraint)"
        ),
    ),
    "torch.distributions.constraints.multinomial": (
        (
            "c = torch.distributions.constraints.multinomial(5)\n"
            "r = c.check(i), c.event_dim, c.is_discrete"
        ),
        (
            "r = isinstance(torch.distributions.constraints.multinomial(5), "
            "torch.distributions.constraints.Constraint)"
        ),
    ),
    "torch.distributions.constraints.multinomial.upper_bound": (
        "c = torch.distributions.constraints.multinomial(5)\nr = str(c.upper_bound)",
    ),
    "torch.distributions.constraints.independent": (
        (
            "c = "
            "torch.distributions.constraints.independent(torch.distributions.constraint"
            "s.positive, 1)\nr = c.check(x), c.event_dim, c.is_discrete"
        ),
        (
            "r = "
            "isinstance(torch.distributions.constraints.independent(torch.distributions"
            ".constraints.positive, 1), torch.distributions.constraints.Constraint)"
        ),
    ),
    **alike(
        "torch.distributions.constraints.independent",
        "base_constraint reinterpreted_batch_ndims event_dim is_discrete",
        (
            "c = "
            "torch.distributions.constraints.independent(torch.distributions.constraint"
            "s.positive, 1)\nr = str(c.{name})"
        ),
    ),
    "torch.distributions.constraints.cat": (
        (
            "c = "
            "torch.distributions.constraints.cat([torch.distributions.constraints.posit"
            "ive, torch.distributions.constraints.real], 1, lengths=[1, 3])\n"
            "r = c.check(x), c.event_dim, c.is_discrete"
        ),
        (
            "r = "
            "isinstance(torch.distributions.constraints.cat([torch.distributions.constr"
            "aints.positive, torch.distributions.constraints.real], 1, lengths=[1, "
            "3]), torch.distributions.constraints.Constraint)"
        ),
    ),
    "torch.distributions.constraints.cat.cseq": (
        (
            "c = "
            "torch.distributions.constraints.cat([torch.distributions.constraints.posit"
            "ive, torch.distributions.constraints.real], 1, lengths=[1, 3])\nr = len(c.cseq)"
        ),
    ),
    **alike(
        "torch.distributions.constraints.cat",
        "dim event_dim is_discrete",
        (
            "c = "
            "torch.distributions.constraints.cat([torch.distributions.constraints.posit"
            "ive, torch.distributions.constraints.real], 1, lengths=[1, 3])\nr = str(c.{name})"
        ),
    ),
    "torch.distributions.constraints.cat.lengths": (
        (
            "c = "
            "torch.distributions.constraints.cat([torch.distributions.constraints.posit"
            "ive, torch.distributions.constraints.real], 1, lengths=[1, 3])\nr = str(c.lengths)"
        ),
    ),
    "torch.distributions.constraints.stack": (
        (
            "c = "
            "torch.distributions.constraints.stack([torch.distributions.constraints.pos"
            "itive, torch.distributions.constraints.real], dim=1)\n"
            "r = c.check(x[:, :2]), c.event_dim, c.is_discrete"
        ),
        (
            "r = "
            "isinstance(torch.distributions.constraints.stack([torch.distributions.cons"
            "traints.positive, torch.distributions.constraints.real], dim=1), "
            "torch.distributions.constraints.Constraint)"
        ),
    ),
    "torch.distributions.constraints.stack.cseq": (
        (
            "c = "
            "torch.distributions.constraints.stack([torch.distributions.constraints.pos"
            "itive, torch.distributions.constraints.real], dim=1)\nr = len(c.cseq)"
        ),
    ),
    "torch.distributions.constraints.stack.dim": (
        (
            "c = "
            "torch.distributions.constraints.stack([torch.distributions.constraints.pos"
            "itive, torch.distributions.constraints.real], dim=1)\nr = str(c.dim)"
        ),
    ),
    **alike(
        "torch.distributions.constraints.stack",
        "event_dim is_discrete",
        (
            "c = "
            "torch.distributions.constraints.stack([torch.distributions.constraints.pos"
            "itive, torch.distributions.constraints.real], dim=1)\nr = str(c.{name})"
        ),
    ),
    "torch.distributions.constraints.multinomial.check": (
        ("c = torch.distributions.constraints.multinomial(3)\nr = c.check(torch.tensor([2, 1]))"),
    ),
    "torch.distributions.constraints.Constraint": (
        (
            "class Even(torch.distributions.constraints.Constraint):\n    is_discrete = True\n"
            "    def check(self, value):\n        return value % 2 == 0\n"
            "r = Even().check(i), Even().event_dim, str(Even())\nEven = None"
        ),
    ),
    "torch.distributions.constraints.Constraint.check": (
        "c = torch.distributions.constraints.positive\nr = c.check(x)",
    ),
    "torch.distributions.constraints.Constraint.event_dim": (
        "c = torch.distributions.constraints.positive\nr = c.event_dim",
    ),
    "torch.distributions.constraints.Constraint.is_discrete": (
        "c = torch.distributions.constraints.positive\nr = c.is_discrete",
    ),
    "torch.distributions.constraints.dependent_property": (
        (
            "class Flat(torch.distributions.Distribution):\n    arg_constraints = {}\n"
            "    "
            "@torch.distributions.constraints.dependent_property(is_discrete=False, "
            "event_dim=0)\n    def support(self):\n"
            "        return torch.distributions.constraints.interval(0.0, 1.0)\n"
            "r = Flat().support.check(x)\nFlat = None"
        ),
    ),
}
