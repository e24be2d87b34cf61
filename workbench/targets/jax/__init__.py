"""JAX with flax.nnx as a target: functions of tensors by their source, whole models by their graph.

Code is converted to jnp with its default of 32 bits: whole numbers and floats of 64 bits become
numbers of 32 bits.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from workbench.errors import UnknownTargetError
from workbench.rules.outcome import Refusal
from workbench.rules.rule import Registry, Rule
from workbench.targets import MODULES_NAMED, PLAIN, Target
from workbench.targets.helpers import HelperLibrary, Import
from workbench.targets.jax.ported import facts_with_ported
from workbench.upstream.facts import Facts, load

TITLE = "JAX"
PROGRAM = ".stablehlo"
PACKAGES = ("jax", "flax", "optax")
VERSIONS = ("0.10",)
# Its own requirements are JAX and optax.
_FLAX = "flax>=0.12"
# Names in templates, and the imports that bind them.
_ALIASES = {
    "jnp": Import("jax.numpy", "", "jnp"),
    "lax": Import("jax", "lax", "lax"),
    "nnx": Import("flax", "nnx", "nnx"),
    "np": Import("numpy", "", "np"),
    "partial": Import("functools", "partial", "partial"),
    "optax": Import("optax", "", "optax"),
    "special": Import("jax.scipy", "special", "special"),
}


def target(version: str | None) -> Target:
    """Return JAX in the given version, or else the newest.

    Raises:
        UnknownTargetError: there are no rules for this version.
    """
    # Asking which packages a file imports needs none of these.
    from workbench.targets.jax.compiled.steps import compiled_steps
    from workbench.targets.jax.passes.layers.classes import test_classes
    from workbench.targets.jax.passes.layers.dicts import read_dicts
    from workbench.targets.jax.passes.layers.kept import mark_data
    from workbench.targets.jax.passes.layers.modules import (
        ask_for_mode,
        drop_constructors,
        rename_forward,
    )
    from workbench.targets.jax.passes.layers.sequences import (
        open_sequences,
        read_sequences,
        read_sizes,
    )
    from workbench.targets.jax.passes.layers.values import make_functions
    from workbench.targets.jax.passes.program.converted import keep_counts
    from workbench.targets.jax.passes.program.linked import is_linked
    from workbench.targets.jax.passes.state.frozen import drop_flags
    from workbench.targets.jax.passes.state.groups import merge_groups
    from workbench.targets.jax.passes.state.identity import compare_variables
    from workbench.targets.jax.passes.state.listed import list_parameters
    from workbench.targets.jax.passes.state.marks import mark_parameters
    from workbench.targets.jax.passes.state.optimizers import give_models
    from workbench.targets.jax.passes.state.writes import write_cells
    from workbench.targets.jax.passes.steps.toggles import drop_toggles
    from workbench.targets.jax.passes.steps.training import write_steps
    from workbench.targets.jax.passes.values.keys import CONSTANTS, pass_keys
    from workbench.targets.jax.passes.values.wide import allow_wide
    from workbench.targets.jax.passes.values.writes import rebind_changed, stop_within_writes

    short = ".".join((version or VERSIONS[-1]).split(".")[:2])
    if short not in VERSIONS:
        raise UnknownTargetError(
            f"jax {version} is not supported; write one of: "
            + ", ".join(f"jax=={known}" for known in VERSIONS)
        )
    return Target(
        name="jax",
        title=TITLE,
        module="jax",
        version=short,
        rules=_registry(),
        helpers=_helpers(),
        facts=_facts(),
        packages={"torch": "jax"},
        brings_all=_FLAX,
        modules={},
        modules_named=MODULES_NAMED,
        aliases=_ALIASES,
        linked=is_linked,
        constants=CONSTANTS,
        passes=(
            keep_counts,
            rename_forward,
            drop_constructors,
            ask_for_mode,
            open_sequences,
            test_classes,
            make_functions,
            merge_groups,
            list_parameters,
            give_models,
            read_sequences,
            read_dicts,
            read_sizes,
            drop_toggles,
            drop_flags,
            mark_parameters,
            compare_variables,
            write_cells,
            rebind_changed,
            write_steps,
            stop_within_writes,
            pass_keys,
            mark_data,
            allow_wide,
        ),
        moved=compiled_steps,
        styles=(PLAIN,),
        otherwise=frozenset(
            {"max", "min", "transpose", "repeat", "argsort", "squeeze", "take", "view"}
        ),
        unlike=frozenset({"std", "var", "sort", "nonzero"}),
        narrow=True,
        tape=False,
        mutable=False,
    )


@cache
def _facts() -> Facts:
    return facts_with_ported(load(), _registry, _helpers, _ALIASES)


@cache
def _helpers() -> HelperLibrary:
    folder = Path(__file__).parent / "helpers"
    return HelperLibrary(sorted(folder.glob("[!_]*.py")))


@cache
def _registry() -> Registry:
    """Return the registry; every module in `rules` has a RuleSet `rules`."""
    folder = Path(__file__).parent / "rules"
    names = sorted(one.name for one in iter_modules([str(folder)]))
    sets = (import_module(f"{__name__}.rules.{name}").rules for name in names)
    return Registry(sets, load(), _remaining)


def _remaining(name: str, owner: Rule | None) -> Refusal:
    """Refuse a name without a rule."""
    return Refusal("it has no proven form in JAX yet")
