"""The plan's page: what a person edits is read back, and everything else stays."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workbench.errors import TorchferryError
from workbench.ports.page import edited, marked, notes_of, rest, written
from workbench.ports.plan import (
    PLAN,
    Assessment,
    Done,
    Package,
    Plan,
    Risk,
    Step,
    Trial,
    Verified,
    as_json,
    from_json,
)

LAYERS = Step("shop/layers.py", lines=20, uses=5, converted=5, codes={"TF114": 2})
NET = Step(
    "shop/net.py",
    lines=40,
    uses=9,
    converted=8,
    stays=["line 12:5: TF200 torch.lobpcg: it has no equivalent"],
    imports=["shop/layers.py"],
    trials=[
        Trial("Net(10, kind='a')", ("2x3x32x32", "mask=2x16:bool"), "tests/test_net.py:12"),
        Trial("Net(4)"),
    ],
    needs=["Head(channels)"],
)
TRAIN = Step("train.py", lines=9, uses=3, converted=3, imports=["shop/net.py"])
DONE = Done(
    "a1", "b2", ("torch_max",), "shop/torchferry_helpers.py", 0, (Verified("N", "certified", ""),)
)


@pytest.fixture
def plan() -> Plan:
    found = Assessment(
        4,
        3,
        69,
        17,
        16,
        {"TF114": 2},
        [Package("lightning", 1, "torchferry unwrap first")],
        [Risk("Triton", "shop/k.py", "by hand")],
        ["x.py:1: no"],
    )
    steps = [replace(step) for step in (LAYERS, NET, TRAIN)]
    return Plan("shop", "paddle", "plain", "torch", found, steps)


def test_a_page_is_read_back_as_it_was_written(plan: Plan) -> None:
    plan.steps[0].done = DONE
    plan.steps[1].pinned, plan.steps[1].accepted = True, "only for plots"
    plan.steps[1].notes = ["ask Ann about the mask"]
    plan.steps[2].left_out = True
    assert edited(plan, written(plan)) == plan
    assert edited(from_json(as_json(plan), "x"), written(plan)) == plan
    assert written(edited(plan, written(plan))) == written(plan)


def test_a_person_orders_leaves_out_pins_and_notes(plan: Plan) -> None:
    lines = written(plan).splitlines()
    heads = {
        path: next(n for n, one in enumerate(lines) if f"] `{path}`:" in one)
        for path in ("shop/layers.py", "shop/net.py", "train.py")
    }
    train = lines.pop(heads["train.py"])
    layers = lines[heads["shop/layers.py"] : heads["shop/net.py"]]
    del lines[heads["shop/layers.py"] : heads["shop/net.py"]]
    lines[heads["shop/layers.py"] : heads["shop/layers.py"]] = [
        train,
        "   - pinned",
        "   the loop of the paper",
        "   - verify: `make()` with `3x4`",
    ]
    lines.insert(lines.index("## Left out") + 1, "\n".join(layers))
    read = edited(plan, "\n".join(lines))
    assert [step.path for step in read.chosen] == ["train.py", "shop/net.py"]
    assert read.chosen[0].pinned and read.chosen[0].notes == ["the loop of the paper"]
    assert read.chosen[0].trials == [Trial("make()", ("3x4",))]
    assert read.step("shop/layers.py") == replace(LAYERS, left_out=True)


def test_a_deleted_step_is_left_out(plan: Plan) -> None:
    text = "\n".join(one for one in written(plan).splitlines() if "`train.py`" not in one)
    assert [step.path for step in edited(plan, text).steps if step.left_out] == ["train.py"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("`train.py`:", "`trian.py`:", "no step trian.py; correct the path"),
        ("`train.py`:", "`shop/net.py`:", "shop/net.py is there twice"),
        ("   - verify: `Net(4)`", "   - verify: Net(4)", "in backquotes"),
        ("   - verify: `Net(4)`", "   - accepted:", "give the reason"),
        ("## Steps", "## Stages", "no steps below"),
    ],
)
def test_a_mistake_is_named_with_its_line(plan: Plan, old: str, new: str, message: str) -> None:
    text = written(plan)
    assert old in text
    with pytest.raises(TorchferryError, match=message):
        edited(plan, text.replace(old, new))


@pytest.mark.parametrize("line", ["   - accepted: unused", "- verify: `Net(2)`", "  * pinned"])
def test_a_decision_outside_the_steps_is_refused_with_its_line(plan: Plan, line: str) -> None:
    text = written(plan).replace("## Questions\n", f"## Questions\n\n- Why?\n{line}\n")
    number = text.splitlines().index(line) + 1
    with pytest.raises(TorchferryError, match=f"{PLAN}:{number}: no step has this line"):
        edited(plan, text)


def test_lines_that_a_person_deletes_or_rewrites_are_remembered(plan: Plan) -> None:
    text = written(plan).replace("   - verify: `Net(4)`\n", "").replace("2x3x32x32", "1x3x8x8")
    net = edited(plan, text).steps[1]
    assert net.trials == [Trial("Net(10, kind='a')", ("1x3x8x8", "mask=2x16:bool"))]
    assert net.dropped == NET.trials
    held = from_json(as_json(edited(plan, text)), "x")
    assert held.steps[1] == net and edited(held, text).steps[1] == net
    assert edited(held, written(plan)).steps[1].dropped == net.trials


def test_a_step_moved_without_its_lines_keeps_its_models(plan: Plan) -> None:
    lines = written(plan).splitlines()
    net = next(one for one in lines if "] `shop/net.py`:" in one)
    text = "\n".join(one for one in lines if one != net)
    step = edited(plan, text.replace("## Left out", f"## Left out\n\n{net}")).step("shop/net.py")
    assert step == replace(NET, left_out=True)


@pytest.mark.parametrize("words", ["read the paper first", "needs a review", "done by Ann in May"])
def test_a_note_may_begin_with_a_word_of_the_plan(plan: Plan, words: str) -> None:
    head = next(one for one in written(plan).splitlines() if "] `train.py`:" in one)
    text = written(plan).replace(head, f"{head}\n   - {words}")
    assert edited(plan, text).steps[2].notes == [words]
    assert words in marked(text, "train.py", DONE)


def test_a_question_names_the_steps_that_lack_inputs(plan: Plan) -> None:
    assert "- `shop/net.py`: arguments or inputs of models are unknown" in written(plan)


def test_dependencies_are_changed_and_not_run() -> None:
    assert Done("a1", "b2", is_code=False).summary == "changed"
    assert Done("a1", "b2").summary == "not run"


def test_marking_a_step_changes_its_lines_alone(plan: Plan) -> None:
    text = written(plan).replace("## Notes", "Some words.\n\n## Notes\n\n- mine")
    after = marked(text, "shop/net.py", DONE)
    added = set(after.splitlines()) - set(text.splitlines())
    assert len(added) == 2 and any("- done: 1 of 1 verified" in one for one in added)
    assert marked(after, "shop/net.py", None) == text
    assert marked(text, "other.py", DONE) == text
    assert notes_of(after) == "## Notes\n\n- mine\n"


def test_words_outside_the_steps_and_notes_are_distinguished(plan: Plan) -> None:
    text = written(plan)
    assert rest(marked(text, "train.py", DONE)) == rest(text)
    assert rest(f"{text}\n- mine\n") == rest(text)
    assert rest(text.replace("## Questions", "We use lobpcg.\n\n## Questions")) != rest(text)


def test_uses_for_a_person_are_questions_until_they_are_accepted(plan: Plan) -> None:
    assert "`shop/net.py`: 1 use of torch without an equivalent" in written(plan)
    plan.steps[1].accepted = "yes"
    assert "without an equivalent" not in written(plan)


def test_another_json_file_is_no_plan() -> None:
    for data in (b"[]", b"{", b'{"steps": []}'):
        with pytest.raises(TorchferryError, match="not the facts of a plan"):
            from_json(data, "x.json")
