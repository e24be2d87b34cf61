"""NumPy as a target, on one page: all that converting needs of a target."""

from __future__ import annotations

from workbench.rules.family import Family
from workbench.rules.rule import Registry, RuleSet
from workbench.targets import Target
from workbench.targets.helpers import HelperLibrary
from workbench.upstream.facts import load

PACKAGES = ("numpy",)
VERSIONS = ("2.0",)

rules = RuleSet()
rules.row("torch.cat", "numpy.concatenate({tensors}, axis={dim=0})")
family = Family()
family.both("exp", "numpy.exp({input})")
rules.refuse("torch.nn.Linear", reason="NumPy has no layers", instead="write x @ w.T + b")


def target(version: str | None) -> Target:
    return Target(
        name="skeleton",
        title="NumPy",
        module="numpy",
        version=version or VERSIONS[-1],
        rules=Registry([rules, family], load()),
        helpers=HelperLibrary(()),
        facts=load(),
        packages={"torch": "numpy"},
        modules={},
    )
