/** Runs a model or function of a file in the selected interpreter: its graph, and both sides. */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';

import { type GraphNode, GraphView } from './graph';
import { workInterpreter } from './interpreter';
import type { Pages } from './pages';
import { showFailure } from './remedies';
import { commandLine, type Ended, finished, hasResult, reasonOf } from './runs';
import type { Server } from './server';

interface Trace {
  readonly nodes: readonly GraphNode[];
}

export class Models {
  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly server: Server,
    private readonly pages: Pages,
    private readonly output: vscode.LogOutputChannel,
  ) {}

  /** Capture a model and show its graph. */
  async showGraph(uri?: string, name?: string): Promise<void> {
    const place = await this.place(uri, name);
    const inputs = place && (await this.askInputs(place));
    if (place === undefined || inputs === undefined) {
      return;
    }
    const folder = await mkdtemp(path.join(tmpdir(), 'torchferry-'));
    try {
      const saved = path.join(folder, 'graph.netron');
      const ended = await this.run('Capturing', 'trace', place, inputs, ['--save', saved]);
      if (ended === undefined) {
        return;
      }
      const trace = JSON.parse(ended.out) as Trace;
      const graph = await readFile(path.join(folder, 'graph.torch.netron'));
      await new GraphView(this.context).show(place.name, graph, trace.nodes, place.uri);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Run a model or function in torch and in the target, and show how far they are apart. */
  async runSideBySide(uri?: string, name?: string): Promise<void> {
    const place = await this.place(uri, name);
    const inputs = place && (await this.askInputs(place));
    if (place === undefined || inputs === undefined) {
      return;
    }
    const folder = await mkdtemp(path.join(tmpdir(), 'torchferry-'));
    try {
      const report = path.join(folder, 'report.html');
      const ended = await this.run('Comparing', 'compare', place, inputs, ['--report', report]);
      if (ended !== undefined) {
        await this.pages.showReport(`${place.name}, both sides`, vscode.Uri.file(report));
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** The definition that is meant: the one named, else the one around the cursor. */
  private async place(uri?: string, name?: string): Promise<Place | undefined> {
    const editor = vscode.window.activeTextEditor;
    const document = uri
      ? await vscode.workspace.openTextDocument(vscode.Uri.parse(uri))
      : editor?.document;
    if (document?.languageId !== 'python' || document.uri.scheme !== 'file') {
      void vscode.window.showInformationMessage('Open a Python file, and put the cursor in a model.');
      return undefined;
    }
    const found = name ?? (editor && enclosingDefinition(document, editor.selection.active.line));
    if (found === undefined) {
      void vscode.window.showInformationMessage('Put the cursor in a class or a function.');
      return undefined;
    }
    await document.save();
    return { uri: document.uri, name: found };
  }

  /** Ask for the inputs of its call; they are remembered for the next time. */
  private async askInputs({ uri, name }: Place): Promise<string[] | undefined> {
    const key = `inputs:${uri.toString()}:${name}`;
    const typed = await vscode.window.showInputBox({
      title: `Inputs of ${name}`,
      prompt:
        'Shapes such as 1x3x224x224 or 2x16:int64, files of tensors, or names in the file, separated' +
        ' by spaces. Leave empty to use example_inputs in the file.',
      placeHolder: '1x3x224x224',
      value: this.context.workspaceState.get<string>(key, ''),
      ignoreFocusOut: true,
    });
    if (typed !== undefined) {
      await this.context.workspaceState.update(key, typed);
    }
    return typed?.split(/\s+/).filter((word) => word !== '');
  }

  /** The call that makes a model of a class with arguments; remembered for the next time. */
  private async askCall({ uri, name }: Place, why: string, suggested?: string): Promise<string | undefined> {
    const key = callKey(uri, name);
    const value = this.context.workspaceState.get<string>(key, suggested ?? `${name}()`);
    const typed = await vscode.window.showInputBox({
      title: `How is ${name} constructed?`,
      prompt: `${why} Write a call that uses names of the file, such as ${name}(config), or a function that returns a model.`,
      value,
      valueSelection: [value.indexOf('(') + 1, value.length - 1],
      ignoreFocusOut: true,
    });
    if (typed !== undefined) {
      await this.context.workspaceState.update(key, typed.trim() || undefined);
    }
    return typed?.trim() || undefined;
  }

  /**
   * Run a command line on a model, and ask for its construction if its class alone is not enough.
   */
  private async run(
    doing: string,
    command: string,
    place: Place,
    inputs: readonly string[],
    more: readonly string[],
  ): Promise<Ended | undefined> {
    const known = this.context.workspaceState.get<string>(callKey(place.uri, place.name));
    let call = known === undefined ? place.name : await this.askCall(place, '');
    while (call !== undefined) {
      const ended = await this.runOnce(doing, command, place, call, inputs, more);
      const why = ended && WANTS_CALL.exec(ended.errors);
      if (!why) {
        return ended && hasResult(ended) ? ended : undefined;
      }
      call = await this.askCall(place, `${why[1]}.`, SUGGESTED.exec(ended.errors)?.[1]);
    }
    return undefined;
  }

  /** Run once and return the result; errors are shown, except a call that the user must provide. */
  private async runOnce(
    doing: string,
    command: string,
    { uri, name }: Place,
    made: string,
    inputs: readonly string[],
    more: readonly string[],
  ): Promise<Ended | undefined> {
    const interpreter = await workInterpreter(this.server.interpreter);
    if (interpreter === undefined) {
      void vscode.window.showErrorMessage('Select a Python interpreter first: run the command Python: Select Interpreter, or set torchferry.interpreter.');
      return undefined;
    }
    const asked = inputs.flatMap((input) => ['--inputs', input]);
    const call = commandLine(command, `${uri.fsPath}:${made}`, '--output-format', 'json', ...asked, ...more);
    const progress = {
      location: vscode.ProgressLocation.Notification,
      title: `${doing} ${name}`,
      cancellable: true,
    };
    const cwd = path.dirname(uri.fsPath);
    const ended = await vscode.window.withProgress(progress, (_report, cancelled) =>
      finished(interpreter, call, cwd, cancelled),
    );
    this.output.info(`${interpreter} ${call.join(' ')}: ${ended.errors.trim() || 'done'}`);
    const cancelled = ended.code === null;
    if (!hasResult(ended) && !cancelled && !WANTS_CALL.test(ended.errors)) {
      void showFailure(reasonOf(ended, interpreter));
    }
    return ended;
  }
}

// The command line's words in parentheses about a class that needs arguments, or about a call.
const WANTS_CALL = /(?:cannot be created without arguments|the call fails) \((.*)\);/;

// A call that it proposes, of what the file defines.
const SUGGESTED = /; give a call with names of the file, such as .*:(\w[\w.]*\((?!\.\.\.\)).*\)), or/;

function callKey(uri: vscode.Uri, name: string): string {
  return `call:${uri.toString()}:${name}`;
}

interface Place {
  readonly uri: vscode.Uri;
  readonly name: string;
}

/** The name of the class or function at the margin that a line belongs to. */
function enclosingDefinition(document: vscode.TextDocument, line: number): string | undefined {
  for (let number = line; number >= 0; number--) {
    const { text } = document.lineAt(number);
    const found = /^(?:class|def)\s+(\w+)/.exec(text);
    if (found !== null) {
      return found[1];
    }
    if (number < line && /^[^\s#@)\]}]/.test(text)) {
      return undefined;
    }
  }
  return undefined;
}
