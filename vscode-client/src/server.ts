/** The language server as seen from the editor: started, watched, restarted, stopped. */

import * as vscode from 'vscode';
import {
  type Executable,
  LanguageClient,
  type LanguageClientOptions,
  State,
} from 'vscode-languageclient/node';

import { chooseInterpreter, onInterpreterChange, SAFE_PATH, type Unfit } from './interpreter';
import type { StatusBar } from './status';

const SECTION = 'torchferry';
const NEEDS_RESTART = ['interpreter', 'logLevel'];

export class Server {
  private client: LanguageClient | undefined;
  private command: string | undefined;
  /** Starts and stops happen one after the other, however quickly they are asked for. */
  private queue: Promise<void> = Promise.resolve();
  private watchesInterpreter = false;

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

  /** The Python that the server runs in. */
  get interpreter(): string | undefined {
    return this.command;
  }

  /** Have the server do one of its commands. */
  async execute<T>(name: string, ...args: unknown[]): Promise<T> {
    if (!this.client?.isRunning()) {
      throw new Error('The server does not run; the status bar says why.');
    }
    const command = `${SECTION}.server.${name}`;
    return this.client.sendRequest<T>('workspace/executeCommand', { command, arguments: args });
  }

  async configurationChanged(event: vscode.ConfigurationChangeEvent): Promise<void> {
    if (NEEDS_RESTART.some((name) => event.affectsConfiguration(`${SECTION}.${name}`))) {
      await this.restart();
    } else if (event.affectsConfiguration(SECTION) && this.client?.isRunning()) {
      await this.client.sendNotification('workspace/didChangeConfiguration', {
        settings: { [SECTION]: settings() },
      });
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
    this.status.show('starting', 'Looking for a Python that has the server.');
    await this.watchInterpreter();
    const choice = await chooseInterpreter();
    if ('unfit' in choice) {
      this.reportUnfit(choice.unfit);
      return;
    }
    const { command, origin } = choice.found;
    this.command = command;
    this.output.info(`The server runs in ${command}, from ${origin}.`);
    const client = new LanguageClient(
      SECTION,
      'Torchferry',
      this.executable(command),
      this.clientOptions(),
    );
    client.onDidChangeState(({ newState }) => this.stateChanged(client, newState, command));
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

  private executable(command: string): Executable {
    const level = vscode.workspace.getConfiguration(SECTION).get<string>('logLevel', 'warning');
    return {
      command,
      args: [SAFE_PATH, '-m', 'lsp_server', '--log-level', level],
      // Not the workspace: what lies there is read, and never run.
      options: { cwd: this.context.extensionPath, env: { ...process.env, PYTHONUTF8: '1' } },
    };
  }

  private clientOptions(): LanguageClientOptions {
    return {
      documentSelector: [
        { language: 'python', scheme: 'file' },
        { language: 'python', scheme: 'untitled' },
        { language: 'python', scheme: 'vscode-notebook-cell' },
      ],
      initializationOptions: settings(),
      outputChannel: this.output,
      diagnosticCollectionName: SECTION,
    };
  }

  private stateChanged(client: LanguageClient, state: State, command: string): void {
    if (client !== this.client) {
      return; // one that has been replaced
    }
    if (state === State.Running) {
      this.status.show('running', `The server runs in ${command}.`);
    } else if (state === State.Starting) {
      this.status.show('starting', `Starting the server in ${command}.`);
    } else {
      this.status.show('stopped', 'The server has stopped. The log may say why.');
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
    const message = `Torchferry has no Python to run in. ${first.command}: ${first.reason}.`;
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
      const terminal = vscode.window.createTerminal({
        name: 'Install torchferry',
        shellPath: lacking.command,
        shellArgs: ['-m', 'pip', 'install', 'torchferry'],
      });
      terminal.show();
    }
  }
}

/** What the server is told of the configuration. */
function settings(): Record<string, unknown> {
  const configuration = vscode.workspace.getConfiguration(SECTION);
  const names = ['enable', 'target', 'codeLens', 'inlayHints'];
  return Object.fromEntries(names.map((name) => [name, configuration.get(name)]));
}
