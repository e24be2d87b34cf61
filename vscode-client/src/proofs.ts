/** The rules that open files use, as tests: their cases run in torch and in the target. */

import * as vscode from 'vscode';

import type { Proof } from './explain';
import type { Server } from './server';

/** A rule, as the server sends it: with its first use in the file. */
interface Rule {
  readonly name: string;
  readonly line: number;
}

/** The tag that distinguishes these tests from others in the same view. */
export const PROOF = new vscode.TestTag('proof');

export class Proofs {
  private readonly root: vscode.TestItem;
  // The items have no range: each would be a button next to its line.
  private readonly lines = new WeakMap<vscode.TestItem, number>();

  constructor(
    private readonly controller: vscode.TestController,
    private readonly server: Server,
  ) {
    this.root = this.item('rules', 'Rules that open files use');
    this.root.canResolveChildren = true;
  }

  /** The item to list; none where no file is open that could use a rule. */
  items(): vscode.TestItem[] {
    const open = openFiles();
    const known = new Set(open.map(({ uri }) => uri.toString()));
    for (const [id] of this.root.children) {
      if (!known.has(id)) {
        this.root.children.delete(id);
      }
    }
    for (const { uri } of open) {
      if (this.root.children.get(uri.toString()) === undefined) {
        const file = this.item(uri.toString(), vscode.workspace.asRelativePath(uri), uri);
        file.canResolveChildren = true;
        this.root.children.add(file);
      }
    }
    return open.length > 0 ? [this.root] : [];
  }

  /** The rules of a file as it is now; what is known of a rule stays. */
  async resolve(file: vscode.TestItem): Promise<void> {
    if (file.uri === undefined || file.parent !== this.root) {
      return;
    }
    const { uri } = file;
    const rules = await this.server.execute<Rule[]>('rules', uri.toString());
    file.children.replace(
      rules.map(({ name, line }) => {
        const id = `${uri.toString()}#${name}`;
        const item = file.children.get(id) ?? this.item(id, name, uri);
        item.description = `line ${line + 1}`;
        this.lines.set(item, line);
        return item;
      }),
    );
  }

  /** Return the rules of an item: its own, those of its file, or all. */
  async rulesOf(item: vscode.TestItem): Promise<vscode.TestItem[]> {
    if (item !== this.root && item.parent !== this.root) {
      return [item];
    }
    const files = item === this.root ? [...item.children].map(([, file]) => file) : [item];
    await Promise.all(files.map((file) => this.resolve(file)));
    return files.flatMap((file) => [...file.children].map(([, rule]) => rule));
  }

  /** Run a rule's cases in the interpreter that the user selected. */
  async prove(run: vscode.TestRun, item: vscode.TestItem): Promise<void> {
    run.started(item);
    const begun = Date.now();
    let proof: Proof;
    try {
      proof = await this.server.execute<Proof>('prove', item.label);
    } catch (error: unknown) {
      run.errored(item, new vscode.TestMessage(error instanceof Error ? error.message : String(error)));
      return;
    }
    const lasted = Date.now() - begun;
    const failed = proof.cases.filter(({ problem }) => problem !== null);
    for (const { case: code, problem, reported } of proof.cases) {
      const mark = problem ?? reported ?? 'the same';
      const text = `${code.trim()}\n    ${mark}\n`;
      run.appendOutput(text.replaceAll('\n', '\r\n'), undefined, item);
    }
    if (failed.length === 0) {
      run.passed(item, lasted);
      return;
    }
    const messages = failed.map(({ case: code, problem }) => {
      const message = new vscode.TestMessage(`${item.label} differs: ${problem}\n\n${code.trim()}`);
      const line = this.lines.get(item) ?? 0;
      message.location = item.uri && new vscode.Location(item.uri, new vscode.Position(line, 0));
      return message;
    });
    run.failed(item, messages, lasted);
  }

  private item(id: string, label: string, uri?: vscode.Uri): vscode.TestItem {
    const item = this.controller.createTestItem(id, label, uri);
    item.tags = [PROOF];
    return item;
  }
}

function openFiles(): vscode.TextDocument[] {
  return vscode.workspace.textDocuments.filter(
    ({ languageId, uri, isClosed }) => languageId === 'python' && uri.scheme === 'file' && !isClosed,
  );
}
