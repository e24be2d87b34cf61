"""Proof of a single rule, for an editor: `python -m workbench.proof.one torch.cat`.

It prints one line of JSON with each case and its difference, if there is one: as a `problem`, or as
`told` if the plain style permits it and reports it to the user.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from typing import Any

from workbench.targets import DEFAULT, PLAIN, load
from workbench.targets.installed import lacking, missing_packages
from workbench.upstream.facts import covers
from workbench.upstream.facts import load as load_facts


def main(name: str, spec: str = DEFAULT, style: str = PLAIN) -> int:
    """Run the cases of the rule of a name; return 0 unless they cannot run."""
    target = load(spec, style)
    entry = load_facts().get(name)
    rule = target.rules.find(entry.alias_of or entry.name) if entry else None
    if entry is None and (not covers(name) or name.startswith("torch.ops.")):
        return _fail(f"{name}: prove your own rules with: torchferry prove --rules MODULE {name}")
    if rule is None:
        return _fail(f"{name} has no rule for {target.title}")
    if rule.refusal is not None:
        return _fail(f"{name} is refused: {rule.refusal.reason}. There is nothing to run")
    if not rule.cases:
        return _fail(f"the rule of {name} has no cases of its own")
    missing = missing_packages(spec)
    if missing:
        return _fail(lacking(missing))
    # Imported only now, as these load both frameworks.
    from workbench.proof.cases import cases_of, prove_case

    cases = []
    every = cases_of(rule, target)
    for number, case in enumerate(every):
        _send({"done": number, "total": len(every)})
        result = prove_case(rule.name, case, target=target)
        problem = None if result.reported else result.problem
        cases.append({"case": case, "problem": problem, "reported": result.reported})
    versions = {name: version(name) for name in ("torch", target.packages["torch"])}
    _send({"result": {"name": rule.name, "style": style, "versions": versions, "cases": cases}})
    return 0


def _fail(message: str) -> int:
    _send({"error": message})
    return 1


def _send(message: dict[str, Any]) -> None:
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
