"""Blocks of statements in which a loss is differentiated."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
from dataclasses import dataclass, field

from workbench.convert.decide.planner import Plan
from workbench.source.tree import inside
from workbench.targets.jax.passes.program.dependence import Sources
from workbench.targets.jax.passes.program.places import Function
from workbench.targets.jax.passes.program.structure import Structure
from workbench.targets.jax.passes.steps import owners
from workbench.targets.jax.passes.steps.parts import ASKED, Unlike

BACKWARD = "torch.Tensor.backward"
ZERO = re.compile(r"torch\.(optim\.\w+|nn\.Module)\.zero_grad")
_STEP = re.compile(r"torch\.optim\.\w+\.step")
_SCOPES = (ast.Return, ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal)
LOOPS = (ast.For, ast.AsyncFor, ast.While)


@dataclass(slots=True)
class Block:
    """The statements among which a loss is differentiated.

    Attributes:
        structure: the program.
        plans: the plans of its uses.
        statements: the statements of the block.
        function: the function around it.
        quiet: the identities of blocks without gradients.
        repeats: whether the block is that of a loop.
        backwards: the calls of `backward` that are whole statements.
        steps: those of `step`.
        zeros: those of `zero_grad`.
    """

    structure: Structure
    plans: list[Plan]
    statements: list[ast.stmt]
    function: Function | None
    quiet: Collection[int]
    repeats: bool = False
    backwards: list[Plan] = field(default_factory=list)
    steps: list[Plan] = field(default_factory=list)
    zeros: list[Plan] = field(default_factory=list)

    def find(self) -> None:
        """Find the calls that are whole statements of the block."""
        own = set(map(id, self.statements))
        lone = [one for one in self.plans if id(one.use.statement) in own and _is_lone(one)]
        self.backwards = [one for one in lone if one.use.name == BACKWARD]
        self.steps = [one for one in lone if _STEP.fullmatch(one.use.name)]
        self.zeros = [one for one in lone if ZERO.fullmatch(one.use.name)]

    def at(self, plan: Plan) -> int:
        """Return the place of a plan's statement in the block."""
        return self.statements.index(plan.use.statement)


def block_of(
    backward: Plan, plans: list[Plan], structure: Structure, quiet: Collection[int]
) -> Block:
    statement = backward.use.statement
    blocks = structure.ask(("blocks",), lambda: _blocks_of(structure))
    if id(statement) not in blocks:
        raise Unlike("it is not a statement of a block")
    statements, repeats = blocks[id(statement)]
    block = Block(structure, plans, statements, structure.owner[id(statement)], quiet, repeats)
    block.find()
    return block


def _blocks_of(structure: Structure) -> dict[int, tuple[list[ast.stmt], bool]]:
    """Return the block of each statement by its identity, and whether it is that of a loop."""
    found: dict[int, tuple[list[ast.stmt], bool]] = {}
    for node in (structure.analysis.tree, *structure.places.nodes):
        for part in ("body", "orelse", "finalbody"):
            statements = getattr(node, part, None)
            if isinstance(statements, list):
                block = statements, isinstance(node, LOOPS) and part == "body"
                found |= {id(one): block for one in statements}
    return found


def _is_lone(plan: Plan) -> bool:
    """Return whether a use is a whole statement."""
    statement = plan.use.statement
    return isinstance(statement, ast.Expr) and statement.value is plan.use.node


def leaves(statement: ast.stmt) -> bool:
    """Return whether a statement may leave the block that it is in."""
    if isinstance(statement, _SCOPES):
        return True
    if isinstance(statement, ast.Break | ast.Continue):
        return True
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return False
    if any(isinstance(node, _SCOPES) for node in inside(statement)):
        return True
    if isinstance(statement, LOOPS):
        return any(leaves(one) for one in statement.orelse)
    found: list[ast.stmt] = []
    for part in ("body", "orelse", "finalbody"):
        found += getattr(statement, part, [])
    for handler in getattr(statement, "handlers", []):
        found += handler.body
    return any(map(leaves, found))


def loss_of(plan: Plan) -> tuple[ast.expr, ast.stmt]:
    """Return the loss on which `backward` is called, and the statement that is this call alone."""
    use = plan.use
    if use.name == ASKED:
        return plan.match.arguments["outputs"].node, use.statement
    if (
        not _is_lone(plan)
        or use.call is None
        or use.call.args
        or use.call.keywords
        or use.receiver is None
    ):
        raise Unlike("it keeps the graph, or has a gradient of its own; use jax.grad")
    return use.receiver, use.statement


def sources_of(models: list[str], block: Block) -> Sources:
    """Return models, with the functions of the program that read them, as sources of gradients."""
    return Sources(models, owners.readers(models, block.structure), set(), block.quiet)
