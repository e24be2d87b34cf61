"""Plans of uses: the rule's outcome, and whether it can be applied safely."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from workbench.convert.decide.counts import numbers_of, with_counts
from workbench.convert.decide.evaluation_order import as_written, refused_choice, unsafe
from workbench.convert.decide.function_values import (
    as_value,
    through_a_value,
    unpacked_through_a_value,
)
from workbench.convert.decide.hardware import lacking_device, with_kernels, without_cpu_index
from workbench.convert.decide.method_values import of_tensors
from workbench.convert.decide.plainest import plain_value, plainest
from workbench.convert.decide.star_arguments import unpacked
from workbench.convert.decide.through_class import through_class, through_method
from workbench.findings import Certainty
from workbench.rules.difference import Difference, Differs, unless
from workbench.rules.family import HELPERS
from workbench.rules.forms import Form
from workbench.rules.match import Match, matches
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite
from workbench.rules.rule import Rule
from workbench.rules.template import compile_template, roots
from workbench.source.traits.program import Program
from workbench.source.tree import container, inside
from workbench.source.types.lattice import TorchObject
from workbench.source.uses import Use, UseKind
from workbench.targets import Target
from workbench.upstream.facts import Entry, Signature

_NONE = Signature((), "")


@dataclass(frozen=True, slots=True)
class Step:
    """An outcome that a later decision replaced, and why."""

    outcome: Outcome
    why: str


@dataclass(frozen=True, slots=True)
class Plan:
    """A use, the signature that its arguments were bound to, and its outcome.

    `history` holds the outcomes that later decisions replaced, the first one first. `numbers` are
    the arguments that are tensors and are written as numbers.
    """

    use: Use
    outcome: Outcome
    match: Match
    rule: Rule | None = None
    history: tuple[Step, ...] = ()
    numbers: tuple[ast.expr, ...] = ()

    @property
    def converts(self) -> bool:
        return not isinstance(self.outcome, Refusal)

    def decided(self, outcome: Outcome, why: str) -> Plan:
        """Return the plan with another outcome, or the same plan if it has this one."""
        if outcome is self.outcome or outcome == self.outcome:
            return self
        return replace(self, outcome=outcome, history=(*self.history, Step(self.outcome, why)))


def left_out(plan: Plan) -> list[ast.expr]:
    """Return the expressions that the rewritten use drops: arguments without effect, its module."""
    outcome = plan.outcome
    if not isinstance(outcome, Rewrite):
        return []
    template = compile_template(outcome.template)
    of_receiver = "self" in template.placeholders and plan.use.kind is not UseKind.UNBOUND
    gone = [] if of_receiver else _spelled_module(plan.use)
    if outcome.callee_only or template.passes_on:
        return gone
    held = {*template.placeholders, *outcome.texts}
    return gone + [
        node
        for name, argument in plan.match.arguments.items()
        if name not in held
        for node in argument.nodes
    ]


# Uses that are written as a name of torch, or as a call of one.
_SPELLED = frozenset(
    {UseKind.CALL, UseKind.READ, UseKind.BASE, UseKind.ANNOTATION, UseKind.NAMED, UseKind.UNBOUND}
)


def _spelled_module(use: Use) -> list[ast.expr]:
    """Return the expression that a function is read from, if it is more than a dotted name."""
    if use.indirect or (use.receiver is not None and use.kind is not UseKind.UNBOUND):
        return []
    node: ast.AST
    if use.kind is UseKind.PARTIAL and isinstance(use.node, ast.Call):
        node = use.node.args[0]
    elif use.kind in _SPELLED:
        node = use.call.func if use.call is not None else use.node
    else:
        return []
    while isinstance(node, ast.Attribute):
        node = node.value
    if not isinstance(node, ast.expr) or isinstance(node, ast.Name):
        return []
    if node is not use.node:
        return [node]
    return node.args if isinstance(node, ast.Call) else []  # of `getattr(torch, "relu")`


def without_left_out(plans: list[Plan]) -> list[Plan]:
    """Return the plans without those of torch's names that go with an argument that is left out."""
    if all(one.converts for one in plans):
        return plans
    gone = {id(part) for one in plans for node in left_out(one) for part in inside(node)}
    if not gone:
        return plans
    return [one for one in plans if one.converts or id(one.use.node) not in gone]


def with_tests_kept(plans: list[Plan], needed: Collection[str]) -> list[Plan]:
    """Return the plans, where a test of whether torch is there stays one if torch itself does."""
    if not any(_tests(one, needed) for one in plans):
        return plans
    kept = Keep(
        "it stays, since other code here needs it; so does the test of whether it is installed"
    )
    why = "other code of the file still needs torch"
    return [one.decided(kept, why) if one.use.kind is UseKind.PRESENCE else one for one in plans]


def _tests(plan: Plan, needed: Collection[str]) -> bool:
    node = plan.use.node
    return plan.use.kind is UseKind.PRESENCE and isinstance(node, ast.Name) and node.id in needed


def plan(
    use: Use, target: Target, program: Program | None = None, *, written: str | None = None
) -> Plan:
    """Decide one use of a program.

    If `written` is given, a function passed as a value is replaced by it.
    """
    if use.among:
        return _chosen(use, target, program or Program())
    decided = _with_numbers(_plan(use, target, program or Program(), written), target)
    lost = refused_choice(use) or _lacking_helper(decided.outcome, target)
    if lost is not None:
        return decided.decided(lost, "not every choice can be written, or a helper is missing")
    rule = decided.rule
    limit = target.unproven.get(rule.name) if rule is not None else None
    if rule is None or limit is None or isinstance(decided.outcome, Refusal):
        return decided
    # A spelling for the older version carries its own caveats.
    own = rule is not target.rules.get(rule.name)
    why = f"the proofs were run with {target.title} {limit.since}"
    if limit.some or own:
        caveat = decided.outcome.caveat or (
            f"{target.title} {target.version} does not accept all of its forms; {limit.since} does"
        )
        return decided.decided(replace(decided.outcome, caveat=caveat), why)
    words = f"it needs {target.title} {limit.since} or newer, and the target is {target.version}"
    return decided.decided(Refusal(words), why)


def _with_numbers(plan: Plan, target: Target) -> Plan:
    """Return the plan with numbers for the tensors of which the target takes none."""
    if not plan.use.counts:
        return plan
    outcome = with_counts(plan.use, plan.outcome, target)
    numbers = numbers_of(plan.use, outcome, target)
    return replace(plan.decided(outcome, "a tensor is an integer there"), numbers=numbers)


def _lacking_helper(outcome: Outcome, target: Target) -> Refusal | None:
    """Return a refusal of what calls a helper that families of rules write and the target lacks."""
    if not isinstance(outcome, Rewrite):
        return None
    for name in HELPERS:
        if name not in target.helpers and name in roots(outcome.template):
            return Refusal(f"it needs the helper {name}, which {target.title} does not have")
    return None


# Modules of activations, and the names under which programs choose among them.
_ACTIVATIONS = frozenset({"torch.nn", "torch.nn.functional"})
_ACTIVATION = re.compile(r"(?i)activ|nonlin|(\b|_)act(\b|_)")

_NUMBER = unless(
    "other code in this program passes a tensor here: if it has one value but also dimensions,"
    " {target} raises TypeError; write `x.item()` if it is always a tensor"
)
_NUMBER_OF_CALL = unless(
    "{target} raises TypeError if a tensor that becomes a number has dimensions, even of size 1;"
    " write `.item()` behind it"
)
_LIMIT = unless("{target} raises TypeError for a tensor as a limit; write `.numpy()` behind it")
_LATE = unless(
    "the name is read at run time: {target} may not have it, or may compute something else under"
    " it; choose among the possible names"
)


def _unknown_name(use: Use, target: Target) -> Refusal:
    """Return the refusal of a name that only the run shows."""
    module, example = ("nn", "Linear") if use.name == "torch.nn" else (use.name, "relu")
    return Refusal(
        f"which name it reads is only known at run time, and {target.title}'s own of that name"
        " may differ",
        f"choose among the possible names: {{'{example}': {module}.{example}, ...}}[kind]; or test"
        f" it first: if kind in ['{example}', ...]",
    )


def _other_name(names: list[str]) -> Differs:
    """Return the condition under which a name is not among those that its call expects."""
    *most, last = names
    expected = f"{', '.join(most)} and {last}"
    return unless(f"only the names {expected} are expected here: any other raises an error")


def _chosen(use: Use, target: Target, program: Program) -> Plan:
    """Return a call of one of several names with arguments written alike, or of a table of them.

    `getattr(nn, kind)(3, 4, time_major=True)`, or, where they have other names than in torch,
    `{"LSTM": TorchLSTM, "GRU": TorchGRU}[kind](3, 4)`.
    """
    single = replace(use, among=(), presumed=False)
    plans = [plan(replace(single, name=name), target, program) for name in use.among]
    outcomes = [one.outcome for one in plans if isinstance(one.outcome, Rewrite)]
    calls = [one.template.partition("(") for one in outcomes]
    alike = len({rest for _, _, rest in calls}) == 1 and len(outcomes) == len(plans)
    alike &= all(callee.replace(".", "_").isidentifier() for callee, _, _ in calls)
    if not alike or any(one.callee_only or one.texts or one.after for one in outcomes):
        return replace(plans[0], use=use, outcome=_unknown_name(use, target))
    names = [name.rpartition(".")[2] for name in use.among]
    selector = ast.unparse(use.selector or use.node)
    called = {name: callee for name, (callee, _, _) in zip(names, calls, strict=True)}
    package = calls[0][0].rpartition(".")[0]
    if package and all(callee == f"{package}.{name}" for name, callee in called.items()):
        callee = f"getattr({package}, {{selector}})"
    else:
        table = ", ".join(f'"{name}": {callee}' for name, callee in called.items())
        callee = f"{{{table}}}[{{selector}}]"
    written = replace(
        outcomes[0],
        template=f"{callee}({calls[0][2]}",
        texts={"selector": selector},
        differs=tuple(dict.fromkeys(kind for one in outcomes for kind in one.differs)),
    )
    if use.presumed:
        written = replace(written, differs=(*written.differs, *_other_name(names)))
    return replace(plans[0], use=use, outcome=written)


def _decide_getattr(use: Use, target: Target) -> Outcome:
    """Decide a name read at run time: dtypes and activations keep their names.

    Which activation it is, data decides: the condition is reported. Other names are refused.
    """
    assert isinstance(use.node, ast.Call)
    other = target.counterparts.get(use.name)
    selector = ast.unparse(use.node.args[1])
    called = any(isinstance(p, ast.Call) and p.func is use.node for p in ast.walk(use.statement))
    dtype = use.name == "torch" and not called
    dtype = dtype and ("dtype" in selector or "dtype" in ast.unparse(use.statement))
    activation = use.name in _ACTIVATIONS and _ACTIVATION.search(selector) is not None
    if other is None or not (dtype or activation):
        return _unknown_name(use, target)
    rest = ", ".join(ast.unparse(one) for one in use.node.args[1:])
    return Rewrite(f"getattr({other}, {rest})", differs=() if dtype else _LATE)


def _decide_hasattr(use: Use, target: Target) -> Outcome:
    """Decide `hasattr(torch, "compile")`."""
    known = target.facts.get(use.name) is not None
    return Rewrite(str(known), note="torch has it" if known else "torch does not have it")


def _decide_class_name(use: Use, target: Target) -> Outcome:
    """Decide `nn.Linear.__name__`, or `cls.__name__` for a variable."""
    if use.indirect:
        return Keep(differs=(Difference.PRINTED_TEXT,))
    return Rewrite(repr(use.name.rpartition(".")[2]))


def _decide_number(use: Use, target: Target) -> Outcome:
    """Decide a tensor that Python makes a number; other calls may pass a number there.

    An expression around calls of torch is not changed itself: the calls become numbers. What is
    drawn becomes an array, unless the target's tensors can be drawn as torch's can.
    """
    if use.name == "torch.Tensor.__array__" and target.drawable:
        return Keep()
    if use.name == "torch.Tensor.__array__":
        own = use.receiver is use.node
        return Rewrite("{self}.numpy()") if own else Keep(differs=_LIMIT)
    if use.counts:
        sure = [one.certainty is Certainty.PROVED for one in use.counts]
        differs = () if all(sure) else _NUMBER_OF_CALL
        return Rewrite("{self}", differs=differs) if any(sure) else Keep(differs=differs)
    return Rewrite("{self}.item()") if use.certainty is Certainty.PROVED else Keep(differs=_NUMBER)


# Kinds of uses that are decided without a rule.
BY_KIND: dict[UseKind, Callable[[Use, Target], Outcome]] = {
    UseKind.PRESENCE: lambda use, target: Rewrite(target.module),
    UseKind.COMPUTED: _decide_getattr,
    UseKind.ASKED: _decide_hasattr,
    UseKind.NAMED: _decide_class_name,
    UseKind.NUMBER: _decide_number,
}


@dataclass(frozen=True, slots=True)
class _Question:
    """A use of a name that has a rule, and perhaps a plain form."""

    use: Use
    entry: Entry
    rule: Rule
    plain: Form | None
    target: Target
    empty: Match
    written: str | None

    def answered(self, outcome: Outcome) -> Plan:
        """Return a plan for a use whose arguments are not inspected one by one."""
        return Plan(self.use, outcome, self.empty, self.rule)


def _plan(use: Use, target: Target, program: Program, written: str | None) -> Plan:
    empty = Match(use, _NONE, target=target.version, program=program)
    stored = isinstance(getattr(use.node, "ctx", None), ast.Store)
    if use.kind is UseKind.READ and stored and use.receiver is None:
        return Plan(use, Refusal("assigning to a name of torch has no equivalent"), empty)
    if (decide := BY_KIND.get(use.kind)) is not None:
        return Plan(use, decide(use, target), empty)
    entry = target.facts.get(use.name)
    rule = _rule_of(use, entry, target)
    if rule is None or entry is None:
        return Plan(use, Refusal(_no_rule(use, entry, target)), empty)
    plain = None
    if target.plain is not None and rule.refusal is None:
        plain = target.plain.get(rule.name, target.version)
    question = _Question(use, entry, rule, plain, target, empty, written)
    if not use.binds:
        return question.answered(_value(question))
    whole = _whole(question)
    if whole is not None:
        return question.answered(whole)
    candidates = _candidates(question, program)
    if not candidates:
        return question.answered(_unmatched(question))
    return _best(question, candidates)


def _rule_of(use: Use, entry: Entry | None, target: Target) -> Rule | None:
    rule = target.rules.find(entry.alias_of or entry.name) if entry else None
    if rule is None:
        return None
    if use.kind is UseKind.ANNOTATION and use.name.endswith("Tensor"):
        tensor = target.rules.find("torch.Tensor")  # no type checker knows tensors by dtype
        if tensor is not None:
            return tensor
    return target.rules.spelled(rule, target.version)


def _value(question: _Question) -> Outcome:
    """Decide a name that is not called, without type parameters that the target's class lacks."""
    outcome, target = question.rule.warned(_name_of(question), question.empty), question.target
    if not isinstance(outcome, Rewrite) or outcome.template not in target.ungeneric:
        return outcome
    if "__future__" in question.empty.program.traits.modules:
        return outcome  # annotations are not evaluated
    around = container(question.use.statement, question.use.node)
    if not isinstance(around, ast.Subscript) or around.value is not question.use.node:
        return outcome
    return replace(outcome, callee_only=False, around=around)


def _name_of(question: _Question) -> Outcome:
    """Decide a name that is not called, but read, passed as a value or derived from."""
    use, rule, entry, target = question.use, question.rule, question.entry, question.target
    if question.plain is not None and question.written is None:
        plain = plain_value(question.plain, question.empty)
        if plain is not None:
            return plain
    outcome = as_value(use, rule, entry, question.empty, written=question.written)
    outcome = through_class(use, outcome, target)
    return with_kernels(use, rule, outcome, target) if of_tensors(entry) else outcome


def _whole(question: _Question) -> Outcome | None:
    """Decide a call whose arguments stay unchanged, or return None if the use is another one."""
    use, rule, entry, target = question.use, question.rule, question.entry, question.target
    if entry.is_data and rule.refusal is None:
        # A call of the member's value: `layer.activation(x)`.
        held = rule.apply(question.empty)
        return replace(held, callee_only=True) if isinstance(held, Rewrite) else held
    if use.kind in {UseKind.INDIRECT, UseKind.PARTIAL} and of_tensors(entry):
        return with_kernels(use, rule, through_method(use, rule, entry, target), target)
    if rule.refusal is None and TorchObject("torch") in [*use.values, *use.keywords.values()]:
        return Refusal("the package itself is passed to it")
    return None


def _candidates(question: _Question, program: Program) -> list[Match]:
    """Return the use with its arguments bound to the signatures that take them."""
    use, rule, entry = question.use, question.rule, question.entry
    known = replace(entry, signatures=rule.signatures) if rule.signatures else entry
    found = list(matches(use, known, question.target.version, program))
    if not found and rule.legacy:
        legacy = replace(entry, signatures=rule.legacy)
        found = list(matches(use, legacy, question.target.version, program))
    return found


def _unmatched(question: _Question) -> Outcome:
    """Decide a call whose arguments match no signature; they may contain stars."""
    use, rule, entry, plain = question.use, question.rule, question.entry, question.plain
    spread = plain.spread if plain is not None and _has_stars(use) else None
    if spread is not None and use.kind is UseKind.CALL and (found := spread(question.empty)):
        return found
    instead = rule.refusal or unpacked(use, rule, entry)
    if use.kind is UseKind.INDIRECT and isinstance(instead, Rewrite):
        written = question.written or _plain_text(question)
        if written is not None and _spread_to(plain, question.empty) == written:
            return Keep()
        instead = unpacked_through_a_value(use, rule, entry, instead, written=written)
    return with_kernels(use, rule, instead, question.target)


def _best(question: _Question, candidates: list[Match]) -> Plan:
    """Return the plan by the matching overload, if its rewrite is safe for the use."""
    use, rule, target = question.use, question.rule, question.target
    best = _choose([Plan(use, plainest(one, rule, target), one, rule) for one in candidates])
    if isinstance(best.outcome, Rewrite | Keep) and (lacking := lacking_device(best.match, target)):
        best = best.decided(lacking, f"{target.title} lacks the device")
    best = best.decided(
        without_cpu_index(best.match, best.outcome), f"{target.title}'s CPU has no number"
    )
    if use.kind in {UseKind.INDIRECT, UseKind.PARTIAL}:
        called = _through_value(question, best.outcome)
        best = best.decided(called, "the function is called through a value")
    best = best.decided(
        through_class(use, best.outcome, target), "it is called through a class of the program"
    )
    best = best.decided(
        with_kernels(use, rule, best.outcome, target), "the dtype or the device lacks a kernel"
    )
    if isinstance(best.outcome, Rewrite):
        problem = unsafe(best.match, best.outcome, target.bound_names)
        if problem is not None:
            other = as_written(best.match, best.outcome) or problem
            return best.decided(other, "its arguments would be evaluated in another order")
    return best


def _through_value(question: _Question, outcome: Outcome) -> Outcome:
    """Decide a function that is called by another name, or given some of its arguments."""
    use, value = question.use, _plain_text(question)
    if use.kind is UseKind.PARTIAL and not use.indirect and not _calls(outcome, value):
        value = None  # the callee is written together with its arguments
    return through_a_value(
        use,
        question.rule,
        question.entry,
        outcome,
        question.empty,
        written=question.written or value,
    )


def _plain_text(question: _Question) -> str | None:
    """Return the plain replacement of a function or class where it is passed as a value."""
    plain, program = question.plain, question.empty.program
    if plain is None or plain.value is None or program.splits(plain.name.rpartition(".")[2]):
        return None
    return plain.value(program)


def _spread_to(plain: Form | None, match: Match) -> str | None:
    """Return the callee of a plain form that takes starred arguments as they are."""
    found = plain.spread(match) if plain is not None and plain.spread is not None else None
    return found.template if isinstance(found, Rewrite) and found.callee_only else None


def _has_stars(use: Use) -> bool:
    """Return whether arguments are given with stars: `f(*args, **options)`."""
    call = use.call
    return call is not None and (
        any(isinstance(one, ast.Starred) for one in call.args)
        or any(one.arg is None for one in call.keywords)
    )


def _calls(outcome: Outcome, name: str | None) -> bool:
    return isinstance(outcome, Rewrite) and compile_template(outcome.template).callee == name


def _no_rule(use: Use, entry: Entry | None, target: Target) -> str:
    if entry is None and target.facts.is_own(use.name.rpartition(".")[0]):
        return f"its counterpart in {target.title} has no such member"
    if entry is None:
        package = use.name.partition(".")[0]
        return f"it is not a public {package} name; {target.title} has no counterpart"
    return "there is no rule for it yet"


def _choose(plans: list[Plan]) -> Plan:
    """Return one of several overloads, or a refusal if types do not show which one is called."""
    first = plans[0]
    for other in plans:
        if other.match.certain and other.converts:
            return other
    converting = [other for other in plans if other.converts]
    if not converting:
        return first
    best = converting[0]
    if all(_alike(best, other) for other in plans if other.converts):
        return best
    given = [set(other.match.arguments) for other in converting]
    names = sorted(set().union(*given) - given[0].intersection(*given[1:]))
    return Plan(
        best.use,
        Refusal(
            "the types of its arguments are not known here, and they decide which signature is"
            f" meant; pass by keyword what may be meant: {', '.join(names)}"
        ),
        best.match,
        best.rule,
    )


def _alike(one: Plan, other: Plan) -> bool:
    """Return whether two overloads are rewritten to the same code."""
    if one.outcome != other.outcome:
        return False
    if isinstance(one.outcome, Keep) or (
        isinstance(one.outcome, Rewrite) and one.outcome.callee_only
    ):
        return True
    if isinstance(one.outcome, Rewrite) and compile_template(one.outcome.template).passes_on:
        return True
    return {name: a.indexes for name, a in one.match.arguments.items()} == {
        name: a.indexes for name, a in other.match.arguments.items()
    } and [a.variadic for a in one.match.arguments.values()] == [
        a.variadic for a in other.match.arguments.values()
    ]
