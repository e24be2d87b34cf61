/** Code actions: each command ends with an edit, or with a message that says why there is none. */

import type * as vscode from 'vscode';
import type { Middleware } from 'vscode-languageclient/node';

type Handlers = Required<Pick<Middleware, 'provideCodeActions' | 'resolveCodeAction'>>;

const INVOKE: vscode.CodeActionTriggerKind.Invoke = 1;
// VS Code drops the actions of a command if those of the light bulb arrive together with them.
const APART_MS = 100;

/** Return the handlers of code actions; `show` shows the user a message. */
export function codeActions(show: (message: string) => unknown): Handlers {
  let command: Promise<unknown> = Promise.resolve();

  return {
    async provideCodeActions(document, range, context, token, next) {
      const answer = Promise.resolve(next(document, range, context, token));
      if (context.triggerKind !== INVOKE) {
        const actions = await answer;
        await command;
        return actions;
      }
      command = answer.then(later, later);
      const { version } = document;
      const actions = await answer;
      // The light bulb's request also cancels that of a command which takes long.
      if (token.isCancellationRequested && document.version === version && context.only) {
        show('VS Code cancelled the command before it finished. Run it again.');
      }
      return actions;
    },

    async resolveCodeAction(action, token, next) {
      try {
        return await next(action, token);
      } catch (error) {
        if (!token.isCancellationRequested) {
          show(error instanceof Error ? error.message : String(error));
        }
        return action; // without an edit
      }
    },
  };
}

function later(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, APART_MS));
}
