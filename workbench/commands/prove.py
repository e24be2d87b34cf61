"""`torchferry prove`: run rules on both sides, and compare."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from workbench.commands import conversion_options as options
from workbench.targets import DEFAULT, PLAIN, STYLES


@click.command(short_help="Run rules on both sides, and compare.")
@click.argument("names", nargs=-1)
@options.TARGET
@click.option(
    "--style",
    type=click.Choice(STYLES),
    help="Run the cases in this style only. [default: both; plain for your own rules]",
)
@click.option(
    "--share",
    type=click.FloatRange(0, 1),
    default=1.0,
    show_default=True,
    help="The fraction of the samples to run; 0 for the fewest.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    help="Number of worker processes. [default: the number of cores]",
)
@click.option(
    "--write",
    type=click.Path(path_type=Path, file_okay=False),
    help="Also write the record of proofs, and its pages in this folder.",
)
@click.option(
    "--rules",
    type=click.Path(path_type=Path),
    help="Prove your own rules in this module instead.",
)
@click.option("--changed", is_flag=True, help="Run only rules that changed since the last record.")
@click.option("--json", "as_json", is_flag=True, help="Print every result.")
def prove(
    names: tuple[str, ...],
    target: str | None,
    style: str | None,
    share: float,
    jobs: int | None,
    write: Path | None,
    changed: bool,
    rules: Path | None,
    as_json: bool,
) -> None:
    """Run rules in torch and in the target, and compare the results.

    NAMES are names such as torch.cat, or modules such as torch.fft. [default: all rules]

    Each rule's own cases run in both styles. In the exact style they run in many call forms, as do
    the samples of torch's databases of operators, modules and optimizers, and the examples of
    torch's documentation. Both frameworks must be installed.

    In the plain style, cases whose difference a finding reports, and cases in which the target
    raises an error, are counted separately.

    Exit code 0: findings report all differences; 1: a difference is not reported; 2: bad input.
    """
    if rules is not None:
        from workbench.proof.own import prove as run_own

        aim = target or DEFAULT
        sys.exit(run_own(rules, names, aim, style=style or PLAIN, jobs=jobs, as_json=as_json))
    from workbench.proof.command import prove as run

    sys.exit(
        run(
            names,
            target or DEFAULT,
            style=style,
            share=share,
            jobs=jobs,
            write=write,
            changed=changed,
            as_json=as_json,
        )
    )
