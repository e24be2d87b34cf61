/** The language server as seen from the editor: started, watched, restarted, stopped. */

import * as vscode from 'vscode';
import {
  type Executable,
  LanguageClient,
  type LanguageClientOptions,
  type Middleware,
  RevealOutputChannelOn,
  State,
} from 'vscode-languageclient/node';

import { codeActions } from './codeActions';
import {
  type Candidate,
  chooseInterpreter,
  onInterpreterChange,
  serverArguments,
  type Unfit,
  workInterpreter,
} from './interpreter';
import { installedVersion, installInto } from './remedies';
import type { StatusBar } from './status';

const SECTION = 'torchferry';
const NEEDS_RESTART = ['interpreter', 'logLevel', 'diagnosticMode'];
// Commands that run the user's code are offered only in trusted workspaces.
const CODE_RUNNING = ['torchferry.showGraph', 'torchferry.runSideBySide', 'torchferry.verifyPort'];

export class Server {
  private client: LanguageClient | undefined;
  private found: Candidate | undefined;
  /** Starts and stops happen one after the other, however quickly they are asked for. */
  private queue: Promise<void> = Promise.resolve();
  private watchesInterpreter = false;
  private readonly started = new vscode.EventEmitter<void>();
  /** Fires when the server answers, for the first time or again. */
  readonly onDidStart = this.started.event;
  private readonly configured = new vscode.EventEmitter<void>();
  /** The server has other settings now. */
  readonly onDidConfigure = this.configured.event;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly output: vscode.LogOutputChannel,
    private readonly status: StatusBar,
  ) {}

  start(): Promise<void> {
    return this.enqueue(() => this.startNow());
  }

  stop(): Promise<void> {
    return this.enqueue(() => this.stopNow());
  }

  restart(): Promise<void> {
    return this.enqueue(async () => {
      await this.stopNow();
      await this.startNow();
    });
  }

  get isRunning(): boolean {
    return this.client?.isRunning() ?? false;
  }

  /** The Python that the server runs in. */
  get interpreter(): string | undefined {
    return this.found?.command;
  }

  /** The name of the framework that the user chose to convert to. */
  get target(): string {
    const chosen = vscode.workspace.getConfiguration(SECTION).get<string>('target', '');
    return (chosen || 'paddle').split('=')[0].trim();
  }

  /** Install the package into the interpreter that the server runs in, or would. */
  async install(): Promise<void> {
    const command = await workInterpreter(this.interpreter);
    if (command === undefined || !vscode.workspace.isTrusted) {
      void vscode.window.showErrorMessage('Trust the workspace and select an interpreter first.');
      return;
    }
    const version = await installedVersion(command);
    const upgrade = 'Upgrade';
    if (version !== '') {
      const message = `${command} already has torchferry ${version}.`;
      if ((await vscode.window.showInformationMessage(message, upgrade)) !== upgrade) {
        return;
      }
    }
    installInto(command, ['torchferry']);
  }

  /** Have the server do one of its commands. */
  async execute<T>(name: string, ...args: unknown[]): Promise<T> {
    if (this.client === undefined || !this.isRunning) {
      throw new Error('The server is not running; the status bar shows why.');
    }
    const command = `${SECTION}.server.${name}`;
    return this.client.sendRequest<T>('workspace/executeCommand', { command, arguments: args });
  }

  async configurationChanged(event: vscode.ConfigurationChangeEvent): Promise<void> {
    if (NEEDS_RESTART.some((name) => event.affectsConfiguration(`${SECTION}.${name}`))) {
      await this.restart();
    } else if (event.affectsConfiguration(SECTION)) {
      await this.enqueue(() => this.sendSettings()); // after a start, which may have read older ones
    }
  }

  private async sendSettings(): Promise<void> {
    if (this.client?.isRunning()) {
      await this.client.sendNotification('workspace/didChangeConfiguration', {
        settings: { [SECTION]: await settings(this.interpreter) },
      });
      this.configured.fire();
    }
  }

  private enqueue(work: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(work).catch((error: unknown) => {
      this.output.error(String(error));
      this.status.show('failed', String(error));
    });
    return this.queue;
  }

  private async startNow(): Promise<void> {
    this.status.show('starting', 'Looking for a Python that can run the server.');
    await this.watchInterpreter();
    const choice = await chooseInterpreter(this.context.extensionPath);
    if ('unfit' in choice) {
      this.reportUnfit(choice.unfit);
      return;
    }
    const { command, origin, bundle } = choice.found;
    this.found = choice.found;
    const where = `${command}, from ${origin}${bundle === undefined ? '' : ', with the server that is part of the extension'}`;
    this.output.info(`The server runs in ${where}.`);
    const client = new LanguageClient(
      SECTION,
      'Torchferry',
      this.executable(choice.found),
      await this.clientOptions(),
    );
    client.onDidChangeState(({ newState }) => this.stateChanged(client, newState, where));
    this.client = client;
    await client.start();
  }

  private async stopNow(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    // A client that failed to start, or whose server died, has nothing to stop.
    if (client?.needsStop()) {
      await client.dispose();
    }
  }

  private executable(found: Candidate): Executable {
    const level = vscode.workspace.getConfiguration(SECTION).get<string>('logLevel', 'warning');
    return {
      command: found.command,
      args: [...serverArguments(found), '--log-level', level],
      // Not the workspace: what lies there is read, and never run.
      options: { cwd: this.context.extensionPath, env: { ...process.env, PYTHONUTF8: '1' } },
    };
  }

  private async clientOptions(): Promise<LanguageClientOptions> {
    return {
      documentSelector: [
        { language: 'python', scheme: 'file' },
        { language: 'python', scheme: 'untitled' },
        { language: 'python', scheme: 'vscode-notebook-cell' },
        { pattern: '**/pyproject.toml', scheme: 'file' },
      ],
      initializationOptions: await settings(this.interpreter),
      outputChannel: this.output,
      // A person who types is not interrupted; the status bar shows it, and leads to the log.
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      diagnosticCollectionName: SECTION,
      middleware: { provideDiagnostics, ...codeActions((message) => vscode.window.showWarningMessage(message)) },
    };
  }

  private stateChanged(client: LanguageClient, state: State, where: string): void {
    if (client !== this.client) {
      return; // one that has been replaced
    }
    if (state === State.Running) {
      this.started.fire();
      this.status.show('running', `The server runs in ${where}.`);
    } else if (state === State.Starting) {
      this.status.show('starting', `Starting the server in ${where}.`);
    } else {
      this.status.show('stopped', 'The server has stopped. The log may have the reason.');
    }
  }

  private async watchInterpreter(): Promise<void> {
    if (this.watchesInterpreter) {
      return;
    }
    const watch = await onInterpreterChange(() => void this.restart());
    if (watch !== undefined) {
      this.watchesInterpreter = true;
      this.context.subscriptions.push(watch);
    }
  }

  private reportUnfit(unfit: readonly Unfit[]): void {
    for (const { command, origin, reason } of unfit) {
      this.output.warn(`${command} (from ${origin}) cannot run the server: ${reason}.`);
    }
    const first = unfit[0];
    const message = `Torchferry found no Python that can run its server. ${first.command}: ${first.reason}.`;
    this.status.show('failed', message);
    void this.offerRemedy(message, unfit);
  }

  private async offerRemedy(message: string, unfit: readonly Unfit[]): Promise<void> {
    const lacking = unfit.find((candidate) => candidate.lacksPackage);
    const install = lacking && vscode.workspace.isTrusted ? [`Install into ${lacking.command}`] : [];
    const choose = 'Choose an Interpreter';
    const picked = await vscode.window.showErrorMessage(message, ...install, choose, 'Show the Log');
    if (picked === choose) {
      await vscode.commands.executeCommand('workbench.action.openSettings', 'torchferry.interpreter');
    } else if (picked === 'Show the Log') {
      this.output.show();
    } else if (picked !== undefined && lacking !== undefined) {
      installInto(lacking.command, ['torchferry']);
    }
  }
}

/** Keep the shown diagnostics where a newer request replaces one: the client would show none until its answer. */
const provideDiagnostics: Middleware['provideDiagnostics'] = async (document, known, token, next) => {
  const report = await next(document, known, token);
  if (token.isCancellationRequested) {
    throw new vscode.CancellationError();
  }
  return report;
};

const PASSED_ON = [
  'enable',
  'target',
  'codeLens',
  'inlayHints',
  'hazards',
  'style',
  'helpers',
  'severities',
  'diagnosticMode',
  'loadRules',
];

/** Return the server's configuration. */
async function settings(serverCommand: string | undefined): Promise<Record<string, unknown>> {
  const configuration = vscode.workspace.getConfiguration(SECTION);
  const trusted = vscode.workspace.isTrusted;
  return {
    ...Object.fromEntries(PASSED_ON.map((name) => [name, configuration.get(name)])),
    interpreter: trusted ? await workInterpreter(serverCommand) : undefined,
    trusted,
    clientCommands: trusted ? CODE_RUNNING : [],
  };
}
