"""What an earlier conversion to JAX wrote, in a file that still uses torch."""

from __future__ import annotations

from dataclasses import replace

from workbench.convert.decide.planner import Plan
from workbench.convert.passes import Draft
from workbench.rules.outcome import Keep
from workbench.source.uses import UseKind


def keep_counts(draft: Draft) -> Draft:
    """Keep `x.size` without a call where the file names JAX: there it is the number of elements."""
    ported = draft.analysis.ported
    if ported is None or not ported.is_named_in(draft.analysis.text):
        return draft
    return replace(draft, plans=[_kept(one) for one in draft.plans])


def _kept(plan: Plan) -> Plan:
    if plan.use.kind is not UseKind.READ or plan.use.name != "torch.Tensor.size":
        return plan
    return plan.decided(Keep(), "torch's `size` is a method, and this is a number")
