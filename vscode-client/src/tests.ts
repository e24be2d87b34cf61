/** Tests: the models that projects name in their settings, and the rules in use. */

import * as path from 'node:path';
import * as vscode from 'vscode';

import { workInterpreter } from './interpreter';
import { PROOF, Proofs } from './proofs';
import { showFailure } from './remedies';
import { commandLine, finished, hasResult, reasonOf } from './runs';
import type { Server } from './server';

interface Side {
  readonly uri: string;
  readonly name: string;
  readonly line: number;
}

/** A model, as the server sends it. */
interface Model {
  readonly place: string;
  readonly port: string;
  readonly folder: string;
  readonly arguments: readonly string[];
  readonly sides: readonly Side[];
}

/** As much of the command line's JSON as is used here. */
interface Result {
  readonly verdict: string;
  /** Of `verify`: where the two sides part. */
  readonly places?: readonly { port: string; original: string; what: string; cause: string; tested: boolean }[];
  readonly checks?: readonly { name: string; outcome: string; summary: string }[];
  /** Of `compare`: the first node that differs. */
  readonly first?: { location: string; node: string; op: string; reason: string } | null;
}

const MODEL = new vscode.TestTag('model');
const SETTINGS = '**/pyproject.toml';
const NOT_OURS = '**/{node_modules,.venv,venv,site-packages}/**';
const MOST_PROJECTS = 200;

export class Tests implements vscode.Disposable {
  private readonly controller = vscode.tests.createTestController('torchferry', 'Torchferry');
  private readonly proofs: Proofs;
  private readonly profile: vscode.TestRunProfile;
  private readonly subscriptions: vscode.Disposable[];
  private named: vscode.TestItem[] = [];
  private readonly models = new WeakMap<vscode.TestItem, Model>();
  private readonly verdicts = new WeakMap<vscode.TestItem, string>();
  // Where a verification that failed differs, and which passed.
  private readonly places = new WeakMap<vscode.TestItem, vscode.Location>();
  private readonly passed = new WeakSet<vscode.TestItem>();

  constructor(
    private readonly server: Server,
    private readonly output: vscode.LogOutputChannel,
  ) {
    const run = (request: vscode.TestRunRequest, cancelled: vscode.CancellationToken): Promise<void> =>
      this.run(request, cancelled);
    const kind = vscode.TestRunProfileKind.Run;
    this.proofs = new Proofs(this.controller, server);
    this.profile = this.controller.createRunProfile('Run', kind, run, true, MODEL);
    // No default: whoever runs all tests means the project's own.
    const proving = this.controller.createRunProfile('Prove', kind, run, false, PROOF);
    this.controller.refreshHandler = () => this.refresh();
    this.controller.resolveHandler = async (item) => item && this.proofs.resolve(item);
    const settings = vscode.workspace.createFileSystemWatcher(SETTINGS);
    const follow = (): void => void this.refresh().catch((error: unknown) => output.error(String(error)));
    this.subscriptions = [
      this.controller,
      this.profile,
      proving,
      settings,
      settings.onDidCreate(follow),
      settings.onDidChange(follow),
      settings.onDidDelete(follow),
      server.onDidStart(follow),
      vscode.workspace.onDidChangeWorkspaceFolders(follow),
      vscode.workspace.onDidOpenTextDocument(() => this.list()),
      vscode.workspace.onDidCloseTextDocument(() => this.list()),
    ];
  }

  /** Hold a class against its counterpart, and say how that ended. */
  async verify(uri: string, name: string): Promise<void> {
    await this.refresh();
    const items = [...this.controller.items].map(([, item]) => item);
    const meant = items.filter((item) => {
      const model = this.models.get(item);
      return model?.port && model.sides.some((side) => sameAddress(side.uri, uri) && side.name === name);
    });
    if (meant.length === 0) {
      void vscode.window.showInformationMessage(`[tool.torchferry.models] no longer names a port of ${name}.`);
      return;
    }
    await vscode.workspace.saveAll(false);
    const cancelled = new vscode.CancellationTokenSource();
    await this.run(new vscode.TestRunRequest(meant, undefined, this.profile), cancelled.token);
    for (const item of meant) {
      void this.show(item);
    }
  }

  /** Say how a verification ended, with a way to the line where it differs. */
  private async show(item: vscode.TestItem): Promise<void> {
    const verdict = this.verdicts.get(item) ?? '';
    const place = this.places.get(item);
    const go = 'Go to the Line';
    if (place === undefined) {
      await (this.passed.has(item)
        ? vscode.window.showInformationMessage(`${item.label}: ${verdict}`)
        : showFailure(verdict));
    } else if ((await vscode.window.showWarningMessage(`${item.label}: ${verdict}`, go)) === go) {
      await vscode.window.showTextDocument(place.uri, { selection: place.range });
    }
  }

  dispose(): void {
    for (const subscription of this.subscriptions) {
      subscription.dispose();
    }
  }

  /** List what the settings name. Whoever trusts nothing is offered nothing that runs. */
  private async refresh(): Promise<void> {
    if (!vscode.workspace.isTrusted || !this.server.isRunning) {
      this.named = [];
      this.list();
      return;
    }
    const files = await vscode.workspace.findFiles(SETTINGS, NOT_OURS, MOST_PROJECTS);
    const models = await this.server.execute<Model[]>('models', files.map(String).sort());
    this.named = models.map((model) => this.itemOf(model));
    this.list();
  }

  private list(): void {
    const runs = vscode.workspace.isTrusted && this.server.isRunning;
    this.controller.items.replace(runs ? [...this.named, ...this.proofs.items()] : []);
  }

  private itemOf(model: Model): vscode.TestItem {
    const [{ uri, name, line }] = model.sides;
    const id = `${model.folder}:${model.place}:${model.port}`;
    const item = this.controller.createTestItem(id, name, vscode.Uri.parse(uri));
    item.description = model.port ? `${model.place} ↔ ${model.port}` : `${model.place}, both sides`;
    item.range = new vscode.Range(line, 0, line, 0);
    item.tags = [MODEL];
    this.models.set(item, model);
    return item;
  }

  private async run(request: vscode.TestRunRequest, cancelled: vscode.CancellationToken): Promise<void> {
    const wanted = request.include ?? this.named;
    const each = wanted.map((item) => (this.models.has(item) ? [item] : this.proofs.rulesOf(item)));
    const items = (await Promise.all(each)).flat().filter((item) => !request.exclude?.includes(item));
    const run = this.controller.createTestRun(request);
    items.forEach((item) => run.enqueued(item));
    try {
      for (const item of items) {
        const model = this.models.get(item);
        if (cancelled.isCancellationRequested || run.token.isCancellationRequested) {
          run.skipped(item);
        } else if (model === undefined) {
          await this.proofs.prove(run, item);
        } else {
          await this.runOne(run, item, model);
        }
      }
    } finally {
      run.end();
    }
  }

  private async runOne(run: vscode.TestRun, item: vscode.TestItem, model: Model): Promise<void> {
    const interpreter = await workInterpreter(this.server.interpreter);
    if (interpreter === undefined) {
      run.errored(item, new vscode.TestMessage('Select a Python interpreter first: run the command Python: Select Interpreter, or set torchferry.interpreter.'));
      return;
    }
    run.started(item);
    this.places.delete(item);
    this.passed.delete(item);
    const [command, ...words] = model.arguments;
    const call = commandLine(command, '--output-format=json', ...words);
    const begun = Date.now();
    const ended = await finished(interpreter, call, model.folder, run.token);
    const lasted = Date.now() - begun;
    this.output.info(`${interpreter} ${call.join(' ')}: ${ended.errors.trim() || 'done'}`);
    if (!hasResult(ended)) {
      const reason = run.token.isCancellationRequested ? 'Cancelled.' : reasonOf(ended, interpreter);
      this.say(run, item, reason);
      run.errored(item, placed(new vscode.TestMessage(reason), item), lasted);
      return;
    }
    const result = JSON.parse(ended.out) as Result;
    this.say(run, item, result.verdict);
    for (const { name, outcome, summary } of result.checks ?? []) {
      run.appendOutput(`  ${name}: ${outcome}${summary && `, ${summary}`}\r\n`, undefined, item);
    }
    if (ended.code === 0) {
      run.passed(item, lasted);
      this.passed.add(item);
    } else {
      const messages = messagesOf(result, model.folder, item);
      const location = messages[0]?.location;
      if (location !== undefined) {
        this.places.set(item, location);
      }
      run.failed(item, messages, lasted);
    }
  }

  private say(run: vscode.TestRun, item: vscode.TestItem, verdict: string): void {
    this.verdicts.set(item, verdict);
    run.appendOutput(`${item.label}: ${verdict}\r\n`, undefined, item);
  }
}

/** Return the differences, at their lines; the verdict at the model if no line is known. */
function messagesOf({ verdict, places, first }: Result, folder: string, item: vscode.TestItem): vscode.TestMessage[] {
  const parted = (places ?? []).map(({ port, original, what, cause, tested }) => {
    const why = tested ? `${cause}; with that line changed, both sides agree` : cause || what;
    const beside = original ? ` (in the original: ${path.relative(folder, path.resolve(folder, original))})` : '';
    return placed(new vscode.TestMessage(`${why}${beside}`), item, locationOf(port, folder));
  });
  const location = first ? locationOf(first.location, folder) : undefined;
  return parted.length > 0 ? parted : [placed(new vscode.TestMessage(verdict), item, location)];
}

function placed(message: vscode.TestMessage, item: vscode.TestItem, where?: vscode.Location): vscode.TestMessage {
  message.location = where ?? (item.uri && item.range ? new vscode.Location(item.uri, item.range) : undefined);
  return message;
}

/** Whether two addresses are of one file; servers write the drive of Windows in several ways. */
function sameAddress(one: string, other: string): boolean {
  return vscode.Uri.parse(one).toString() === vscode.Uri.parse(other).toString();
}

/** The place that `file:line` names, seen from a folder. */
function locationOf(place: string, folder: string): vscode.Location | undefined {
  const found = /^(.+):(\d+)$/.exec(place);
  if (found === null) {
    return undefined;
  }
  const line = Math.max(Number(found[2]) - 1, 0);
  return new vscode.Location(vscode.Uri.file(path.resolve(folder, found[1])), new vscode.Position(line, 0));
}
