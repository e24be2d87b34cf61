"""Checks of whole texts: the outcome of every use of torch, without writing it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from workbench.codes import EXACT
from workbench.convert.decide.kept_plans import KeptPlans
from workbench.convert.findings.kept_findings import KeptFindings
from workbench.convert.findings.suppressions import suppressions
from workbench.convert.fix_request import Ask, no_module
from workbench.convert.fixing import findings_of
from workbench.convert.imports.needed import still_needed
from workbench.convert.passes import decide
from workbench.findings import Finding, Fix, Severity
from workbench.garbage import no_collection
from workbench.source.analysis import Analysis, analyse
from workbench.targets import DEFAULT, Target, load


@dataclass(slots=True)
class Kept:
    """What a check reuses from the text before an edit: plans and findings."""

    plans: KeptPlans = field(default_factory=KeptPlans)
    findings: KeptFindings = field(default_factory=KeptFindings)


def check(
    source: str, *, target: str | Target = DEFAULT, style: str | None = None
) -> list[Finding]:
    """Find every use of torch and its outcome in the target.

    Half-typed code is checked as far as it can be read.

    Raises:
        UnknownTargetError: no such target or style.
    """
    aim = load(target, style)
    return check_analysis(analyse(source, facts=aim.facts), target=aim)


def check_analysis(
    analysis: Analysis,
    *,
    target: str | Target = DEFAULT,
    beside: Ask = no_module,
    kept: Kept | None = None,
) -> list[Finding]:
    """Return the findings of a text that is analysed already.

    Args:
        analysis: the program.
        target: the framework to convert to.
        beside: returns the module that a requested fix may import helpers from.
        kept: the plans and findings of the text before the last edit; this text's replace them.
    """
    aim = load(target)
    try:
        with no_collection():
            return _checked(analysis, aim, beside, kept)
    except RecursionError:
        return list(findings_of(replace(analysis, cut=True), [], aim, beside))


def _checked(analysis: Analysis, aim: Target, ask: Ask, kept: Kept | None) -> list[Finding]:
    quiet = suppressions(analysis)
    draft = decide(analysis, aim, quiet, kept=kept.plans if kept is not None else None)
    if aim.under is not None:
        # An editor never needs it.
        from workbench.convert.findings.under_layer import findings_under

        return list(quiet.visible(findings_under(aim.under, draft.analysis, draft.plans, aim)))
    if kept is None:
        found = findings_of(draft.analysis, draft.plans, aim, ask)
    else:
        kept.findings.next_text()
        found = findings_of(draft.analysis, draft.plans, aim, ask, kept.findings.of_plan)
    return list(quiet.visible([*found, *_idle(draft.analysis, aim)]))


def _idle(analysis: Analysis, target: Target) -> Iterator[Finding]:
    """Yield a finding for the import of torch in a file that does not use torch."""
    if analysis.uses or analysis.parsed.error is not None:
        return
    needed = still_needed(analysis, (), (), target)
    for item in analysis.imports:
        if item.bound not in needed and not item.own:
            yield Finding(
                code=EXACT,
                severity=Severity.HINT,
                message=f"{item.name} is imported and not used; an import of {target.module}"
                " replaces it",
                range=analysis.range(item.statement),
                name=item.name,
                target=target.module,
                converts=True,
                make_fix=lambda: _without_torch(analysis, target),
            )
            return


def _without_torch(analysis: Analysis, target: Target) -> Fix:
    from workbench.convert.conversion import convert_analysis  # loads the modules that write code

    edits = convert_analysis(analysis, target).edits
    return Fix(f"Import {target.module} in place of torch", tuple(edits))
