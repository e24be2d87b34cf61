/** The target of the conversion, as the status bar shows it and a person chooses it. */

import * as path from 'node:path';
import * as vscode from 'vscode';

import type { Server } from './server';
import type { StatusBar } from './status';

/** The server's answer for a file. */
interface Answer {
  readonly title: string;
  readonly version: string;
  readonly style: string;
  readonly targets: readonly string[];
  readonly styles: readonly string[];
}

const SECTION = 'torchferry';
const SETTINGS = 'pyproject.toml';
const FROM_PROJECT = 'The setting of the project';

export class Aim implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly server: Server,
    private readonly status: StatusBar,
  ) {
    const refresh = (): void => void this.refresh();
    this.subscriptions = [
      server.onDidStart(refresh),
      server.onDidConfigure(refresh),
      vscode.window.onDidChangeActiveTextEditor(refresh),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (path.posix.basename(uri.path) === SETTINGS) {
          setTimeout(refresh); // the server hears of it first
        }
      }),
    ];
  }

  /** Ask for the target and the style, and write them into the settings. */
  async choose(): Promise<void> {
    const { targets, styles } = await this.ask();
    const target = await pick('target', 'Convert to…', targets);
    const style = target === undefined ? undefined : await pick('style', 'Choose the Style…', styles);
    if (target !== undefined && style !== undefined) {
      await write('target', target);
      await write('style', style);
    }
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private async refresh(): Promise<void> {
    try {
      const { title, version, style } = await this.ask();
      this.status.aim(`${title} ${version}, ${style}`);
    } catch {
      this.status.aim(''); // no such target: a message of the server says so
    }
  }

  private ask(): Promise<Answer> {
    return this.server.execute<Answer>('aim', vscode.window.activeTextEditor?.document.uri.toString() ?? '');
  }
}

/** Ask for the value of a setting; nothing where the person gives up. */
async function pick(name: string, title: string, values: readonly string[]): Promise<string | undefined> {
  const now = vscode.workspace.getConfiguration(SECTION).get<string>(name, '');
  const items = ['', ...values].map((value) => ({
    label: value || FROM_PROJECT,
    value,
    description: value === now ? 'current' : '',
  }));
  return (await vscode.window.showQuickPick(items, { title }))?.value;
}

async function write(name: string, value: string): Promise<void> {
  const configuration = vscode.workspace.getConfiguration(SECTION);
  if (value !== configuration.get<string>(name, '')) {
    const { Global, Workspace } = vscode.ConfigurationTarget;
    const place = vscode.workspace.workspaceFolders === undefined ? Global : Workspace;
    await configuration.update(name, value || undefined, place);
  }
}
