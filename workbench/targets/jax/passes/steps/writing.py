"""Training steps in JAX: a function of the models, its gradients and the updates."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from workbench.convert.decide.planner import Plan
from workbench.convert.rewrite.edits import statement_start
from workbench.rules.difference import Differs, unless
from workbench.rules.outcome import Rewrite, TextEdit
from workbench.source.tree import inside
from workbench.targets.jax.passes.program.plans import named, without_line
from workbench.targets.jax.passes.program.structure import Structure, logical_lines
from workbench.targets.jax.passes.steps.parts import Gradient, Read, Step, Sum, Unlike, Update

WHY = "the statements from zero_grad to step are one training step"
_MODEL = "torch.nn.Module"
_LISTING = frozenset({"items", "keys", "values"})


def written(
    step: Step, structure: Structure, removed: set[int]
) -> tuple[dict[int, Plan], list[Plan]]:
    """Return the plans of a step's uses by the plans that they replace, and further plans.

    Args:
        step: the step.
        structure: the program.
        removed: lines that other decisions remove.

    Raises:
        Unlike: a model has no name that its function could give it.
    """
    writer = _Writer(step, structure, removed)
    plans = writer.plans()
    for one in step.reads:
        plans[id(one)] = writer.read(one)
    for kept in step.kept:
        plans[id(kept.plan)] = writer.kept(kept)
    return plans, list(writer.renamed())


class _Writer:
    """The new code of one step."""

    def __init__(self, step: Step, structure: Structure, removed: set[int]) -> None:
        self.step = step
        self.structure = structure
        self.analysis = structure.analysis
        self.removed = removed
        self.newline = structure.analysis.lines.newline
        self.used = {node.id for node in structure.places.of(ast.Name)}
        self.grads = "grads" if "grads" not in self.used else "gradients"
        self.parameters = {path: self._parameter(path) for path in step.models}

    def _parameter(self, path: str) -> str:
        """Return the name of a model within the function of the loss."""
        name = path.rpartition(".")[2]
        every = {
            node.id
            for one in self.step.gradients
            for part in (*one.body, one.loss)
            for node in inside(part)
            if isinstance(node, ast.Name)
        }
        if name != path and name in every:
            raise Unlike(f"{name} is another object than {path}")
        return name

    def plans(self) -> dict[int, Plan]:
        """Return the plans of the step's uses, by the identity of the plans that they replace."""
        found: dict[int, Plan] = {}
        for place, one in enumerate(self.step.gradients):
            found[id(one.plan)] = self._differentiated(one, is_first=place == 0)
            if one.early is not None:
                outcome = found[id(one.plan)].outcome
                assert isinstance(outcome, Rewrite)
                edits = (*outcome.elsewhere, *self._started(one.early))
                found[id(one.plan)] = one.plan.decided(replace(outcome, elsewhere=edits), WHY)
        for update in self.step.updates:
            for clip in update.clips:
                found[id(clip)] = self._clipped(clip, update)
            models = _group([model + part for model, part in update.trained])
            call = f"{update.optimizer}.update({models}, {self._gradients_of(update)})"
            found[id(update.plan)] = instead_of(update.plan, call, differs=_unused(update))
        if self.step.summed is not None:
            self._sum_up(self.step.summed, found)
        for gone in self.step.gone:
            if isinstance(gone.use.statement, ast.Expr):
                edits = without_line(self.analysis, gone.use.statement)
                found[id(gone)] = instead_of(gone, "", edits)
            else:
                given = frozenset(gone.match.arguments)
                found[id(gone)] = gone.decided(Rewrite("{self}", consumed=given), WHY)
        return found

    def _sum_up(self, summed: Sum, found: dict[int, Plan]) -> None:
        """Empty the variable of the gradients where torch has none."""
        for one in summed.clears:
            found[id(one)] = instead_of(one, f"{self.grads} = None")
        if summed.loop is None:
            return
        at, indent = statement_start(self.analysis, summed.loop)
        start = (at, at, f"{indent}{self.grads} = None{self.newline}")
        plan = self.step.gradients[0].plan
        outcome = found[id(plan)].outcome
        assert isinstance(outcome, Rewrite)
        edits = (*outcome.elsewhere, start)
        found[id(plan)] = plan.decided(replace(outcome, elsewhere=edits), WHY)

    def read(self, plan: Plan) -> Plan:
        """Return the plan of `x.grad` with the name of the gradient."""
        assert plan.use.receiver is not None
        return plan.decided(Rewrite(self._name_of(ast.unparse(plan.use.receiver))), WHY)

    def kept(self, read: Read) -> Plan:
        """Return the plan of a read of the gradient of a parameter after the step."""
        name = self._name_of(read.model)
        if len(self.step.models) > 1 and not self._are_separate:
            name += f"[{self.step.models.index(read.model)}]"
        text = f"torch_gradient({read.model}, {name}, {{self}})"
        unsure = any(read.model in one.unsure for one in self.step.updates)
        differs = _without_gradient(read.model) if unsure else ()
        return read.plan.decided(Rewrite(text, differs=differs), WHY)

    def renamed(self) -> Iterator[Plan]:
        """Yield plans by which the function of a loss names a model such as `self.net`."""
        for one in self.step.gradients:
            for part in (*one.body, one.loss, *([one.early.value] if one.early else [])):
                for node in inside(part):
                    name = (
                        self.parameters.get(ast.unparse(node))
                        if isinstance(node, ast.Attribute)
                        else None
                    )
                    if name is not None and isinstance(node, ast.Attribute):
                        yield named(node, _MODEL, Rewrite(name), self.structure)

    # ------------------------------------------------------------------------- gradients

    @property
    def _are_separate(self) -> bool:
        """Return whether each model's gradients have a name of their own."""
        if self.step.leaves:
            return True
        return len(self.step.updates) > 1 and len(self.step.models) > 1

    def _name_of(self, model: str) -> str:
        if not self._are_separate:
            return self.grads
        kind = "grad" if self.step.leaves else "grads"
        return f"{model.rpartition('.')[2]}_{kind}"

    def _aim(self) -> str:
        if not self._are_separate:
            return self.grads
        return _group([self._name_of(model) for model in self.step.models])

    def _gradients_of(self, update: Update) -> str:
        if len(self.step.models) > 1 and not self._are_separate:
            return self.grads  # a tuple
        return _group([self._name_of(model) + part for model, part in update.trained])

    def _clipped(self, clip: Plan, update: Update) -> Plan:
        """Return the plan that clips the gradients of an update, and keeps their norm."""
        grads = self._gradients_of(update)
        if "value" in clip.use.name:
            limit = _operand(clip.match.arguments["clip_value"].node)
            done = f"jax.tree.map(lambda grad: jnp.clip(grad, -{limit}, {limit}), {grads})"
            return instead_of(clip, f"{grads} = {done}")
        differs = _left_out(update)
        norm = ast.unparse(clip.match.arguments["max_norm"].node)
        done = f"{grads} = torch_clip_grad_norm({grads}, {norm})"
        statement = clip.use.statement
        if isinstance(statement, ast.Assign):
            done = f"{ast.unparse(statement.targets[0])} = optax.tree.norm({grads})\n{done}"
        return instead_of(clip, done, differs=differs)

    # ------------------------------------------------------------------------- the loss

    def _differentiated(self, gradient: Gradient, *, is_first: bool) -> Plan:
        """Return the plan of `backward` with the function of its loss and the gradients."""
        function = self._function_name(gradient)
        gets = self._assignment(gradient, function, is_first=is_first)
        header = f"def {function}({self._given(gradient, inner=True)}):"
        elsewhere: list[TextEdit] = []
        statement = gradient.statement
        if gradient.body:
            elsewhere += self._opened(gradient, header)
        if gradient.name is None:
            return self._returned(gradient, header, gets, elsewhere)
        end = gradient.body[-1].end_lineno or 1
        at = self.analysis.lines.start(end)
        _, indent = statement_start(self.analysis, gradient.body[0])
        closed = f"{indent}    return {self._value(gradient)}{self.newline}{self.newline}"
        if (direct := self._direct(gradient)) is not None:
            elsewhere.append(direct)
            closed = self.newline
        if not gradient.apart:
            elsewhere.append((at, at, closed))
            return instead_of(gradient.plan, gets, tuple(elsewhere), self._unknown(gradient))
        closed += indent + gets.replace("\n", self.newline + indent) + self.newline
        elsewhere.append((at, at, closed))
        elsewhere += without_line(self.analysis, statement)
        return instead_of(gradient.plan, "", tuple(elsewhere), self._unknown(gradient))

    def _direct(self, gradient: Gradient) -> TextEdit | None:
        """Return the edit that returns the last value of a body instead of assigning it, or None.

        It is None if the value is read by its name, or returned with others.
        """
        last = gradient.body[-1]
        name = gradient.name or ""
        if gradient.kept or name in gradient.carried or not isinstance(last, ast.Assign):
            return None
        start, at = self.analysis.span(last)[0], self.analysis.span(last.value)[0]
        if self.analysis.text[start:at].replace(" ", "") != f"{name}=":
            return None
        return start, at, "return "

    def _returned(
        self, gradient: Gradient, header: str, gets: str, elsewhere: list[TextEdit]
    ) -> Plan:
        """Return the plan of a loss without a name, which its function returns."""
        start, end = self.analysis.span(gradient.statement)
        line, indent = statement_start(self.analysis, gradient.statement)
        if not self._is_alone(gradient.statement):
            raise Unlike("the loss has no name, and stands on a line with other statements")
        gap = self.newline + indent
        opening = "    return "
        if not gradient.body:
            above = "" if self._is_first(gradient.statement) else self.newline
            elsewhere.append((line, line, f"{above}{indent}{header}{self.newline}"))
        kept = f", {_group(gradient.kept)}" if gradient.kept else ""
        if gradient.whole is not None:
            elsewhere.append((start, self.analysis.span(gradient.whole)[0], opening))
        else:
            elsewhere.append((start, start, opening))
        elsewhere.append((end, end, kept + self.newline + gap + gets.replace("\n", gap)))
        differs = self._unknown(gradient)
        if gradient.whole is None:
            outcome = Rewrite("{self}", elsewhere=tuple(elsewhere), differs=differs)
            return gradient.plan.decided(outcome, WHY)
        value = "jnp.sum({outputs})" if gradient.is_summed else "{outputs}"
        around = gradient.whole if gradient.whole is not gradient.plan.use.node else None
        rest = frozenset(gradient.plan.match.arguments) - {"outputs"}
        edits = tuple(elsewhere)
        asked = Rewrite(value, consumed=rest, around=around, elsewhere=edits, differs=differs)
        return gradient.plan.decided(asked, WHY)

    def _is_first(self, statement: ast.stmt) -> bool:
        """Return whether no other code of a block remains right above a statement."""
        gone = {one.use.statement.lineno for one in self.step.gone}
        offset, _ = statement_start(self.analysis, statement)
        line = self.analysis.lines.position(offset).line
        while line > 0 and line in gone:
            line -= 1
        text = self.analysis.text[: self.analysis.lines.start(line)]
        return text.rstrip().endswith(":") or text.endswith("\n\n")

    def _is_alone(self, statement: ast.stmt) -> bool:
        """Return whether only statements of the step share the lines of a statement."""
        known = [*self.step.gone, *(one.plan for one in self.step.updates)]
        own = [one.use.statement for one in known]
        lines = range(statement.lineno, (statement.end_lineno or 0) + 1)
        starts = {one.lineno for one in own if one.lineno in lines}
        start, end = self.analysis.span(statement)
        line, _ = statement_start(self.analysis, statement)
        line_end = self.analysis.lines.start(lines[-1])
        around = self.analysis.text[line:start] + ";" + self.analysis.text[end:line_end]
        rest = around.partition("#")[0]
        for one in own:
            if one.lineno in starts:
                rest = rest.replace(self.analysis.text[slice(*self.analysis.span(one))], "", 1)
        return not rest.strip("; \t\r\n")

    def _function_name(self, gradient: Gradient) -> str:
        several = len(self.step.gradients) > 1 or not self.step.alone
        if several and gradient.name is not None:
            return f"{gradient.name}_fn"
        return "loss_fn" if "loss_fn" not in self.used else "compute_loss"

    def _started(self, early: ast.Assign) -> Iterator[TextEdit]:
        """Yield the edits that keep how a value depends on the model."""
        start, end = self.analysis.span(early.value)
        at, _ = self.analysis.span(early)
        [model] = self.step.models
        aim = f"{ast.unparse(early.targets[0])}, {self.pullback}"
        yield at, start, f"{aim} = nnx.vjp(lambda {self.parameters[model]}: "
        yield end, end, f", {model}, graph=False)"

    @property
    def pullback(self) -> str:
        """The name of the function that differentiates an early value."""
        return "pullback" if "pullback" not in self.used else "backward"

    def _given(self, gradient: Gradient, *, inner: bool) -> str:
        if gradient.early is not None:
            name = ast.unparse(gradient.early.targets[0])
            return ", ".join([name, *gradient.passed, *gradient.carried])
        models = [self.parameters[one] if inner else one for one in self.step.models]
        return ", ".join([*models, *gradient.passed, *gradient.carried])

    def _value(self, gradient: Gradient) -> str:
        loss = gradient.name or ""
        return f"{loss}, {_group(gradient.kept)}" if gradient.kept else loss

    def _assignment(self, gradient: Gradient, function: str, *, is_first: bool) -> str:
        """Return the statements that get the value of a loss and its gradients."""
        extra = self._places() + (", has_aux=True" if gradient.kept else "")
        sums = not is_first or self.step.summed is not None
        aim = gradient.aim or ("more" if sums else self._aim())
        if gradient.name is None:
            call = f"nnx.grad({function}{extra})({self._given(gradient, inner=False)})"
            got = f"{aim}, {_group(gradient.kept)}" if gradient.kept else aim
        else:
            call = f"nnx.value_and_grad({function}{extra})({self._given(gradient, inner=False)})"
            value = self._value(gradient)
            got = f"({value}), {aim}" if gradient.kept else f"{value}, {aim}"
        if is_first and gradient.early is not None:
            parameters = f"nnx.state({self.pullback}({aim})[0], nnx.Param)"
            return f"{got} = {call}\n{aim} = {parameters}"
        if not sums:
            return f"{got} = {call}"
        total = self._aim()
        added = f"jax.tree.map(jnp.add, {total}, more)"
        if self.step.summed is not None:
            added = f"more if {total} is None else {added}"
        return f"{got} = {call}\n{total} = {added}"

    def _places(self) -> str:
        """Return the argument that says by which models a loss is differentiated."""
        places = [str(place) for place in range(len(self.step.models))]
        if self.step.trains_part:
            places = [f"nnx.DiffState({place}, torch_trained)" for place in places]
        elif len(places) == 1:
            return ""
        return f", argnums={_group(places)}"

    def _unknown(self, gradient: Gradient) -> Differs:
        """Return what depends on objects that the text does not show."""
        listed = [one for one in gradient.kept if self._is_listed(one)]
        sorts = unless(
            f"if {' or '.join(listed)} is a dict: {{target}} sorts the keys of what a function of a"
            " loss returns"
        )
        sorts = sorts if listed else ()
        if not gradient.others:
            return sorts
        names = " and ".join(gradient.others)
        whose = " or ".join(self.step.models)
        unknown = unless(
            f"if {names} holds parameters of {whose}, these get no gradient in {{target}}"
        )
        return (*unknown, *sorts)

    def _is_listed(self, name: str) -> bool:
        """Return whether the program goes through the entries of a name."""
        return any(
            isinstance(one.value, ast.Name) and one.value.id == name and one.attr in _LISTING
            for one in self.structure.places.of(ast.Attribute)
        )

    def _opened(self, gradient: Gradient, header: str) -> Iterator[TextEdit]:
        """Yield the edits that put the body of a loss into a function."""
        first, indent = statement_start(self.analysis, gradient.body[0])
        above = "" if self._is_first(gradient.body[0]) else self.newline
        yield first, first, f"{above}{indent}{header}{self.newline}"
        start, end = gradient.body[0].lineno, gradient.body[-1].end_lineno or 0
        gone = {one.use.statement.lineno for one in self.step.gone} | self.removed
        offsets = self.analysis.lines.start
        block = self.analysis.text[offsets(start - 1) : offsets(end)]
        lines = {start - 1 + line for line in logical_lines(block)} - gone
        for line in sorted(lines):
            at = self.analysis.lines.start(line - 1)
            yield at, at, "    "


def _unused(update: Update) -> Differs:
    """Return what depends on whether a loss uses all parameters."""
    if not update.unsure:
        return ()
    models = " or ".join(update.unsure)
    return unless(
        f"if a loss uses no part of a parameter of {models}, torch leaves this parameter, and"
        " {target} moves it by its momentum and decay"
    )


def _left_out(update: Update) -> Differs:
    """Return what depends on whether an optimizer was given all parameters."""
    if not update.listed:
        return ()
    return unless(
        f"if {update.optimizer} leaves out parameters of {' or '.join(update.models)}, whose"
        " gradients torch adds up over the steps: they are part of the norm"
    )


def _without_gradient(model: str) -> Differs:
    return unless(
        f"if a loss uses no part of a parameter of {model}, torch has None for its gradient, and"
        " {target} zeros"
    )


def _operand(node: ast.expr) -> str:
    text = ast.unparse(node)
    return text if isinstance(node, ast.Name | ast.Attribute | ast.Constant) else f"({text})"


def _group(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"({', '.join(names)})"


def instead_of(
    plan: Plan,
    code: str,
    elsewhere: tuple[TextEdit, ...] = (),
    differs: Differs = (),
) -> Plan:
    """Return the plan with other code, or nothing, instead of its statement."""
    template = code.rpartition(" = ")[2].rpartition("\n")[2] or "None"
    outcome = Rewrite(
        template,
        consumed=frozenset(plan.match.arguments),
        instead=(code, None, ""),
        elsewhere=elsewhere,
        differs=differs,
    )
    return plan.decided(outcome, WHY)
