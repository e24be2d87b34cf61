/** Finds a Python that can run the server, and one that can run the user's code. */

import { execFile } from 'node:child_process';
import * as path from 'node:path';
import * as vscode from 'vscode';

/** A Python that was tried. */
export interface Candidate {
  readonly command: string;
  /** Its origin, for messages. */
  readonly origin: string;
  /** The folder of the server in the extension, if this Python has no server installed. */
  readonly bundle?: string;
}

/** A candidate that cannot run the server, and why. */
export interface Unfit extends Candidate {
  readonly reason: string;
  /** Whether installing the package would make it fit. */
  readonly lacksPackage: boolean;
}

export type Choice = { readonly found: Candidate } | { readonly unfit: readonly Unfit[] };

// -P keeps the current folder off the module path: a workspace must not be able to slip its own
// code in under a module's name. It is also what says "3.11 or newer" quickest.
export const SAFE_PATH = '-P';
const PROBE =
  "import importlib.util as u, sys; sys.exit(0 if u.find_spec('lsp_server') and u.find_spec('pygls') else 3)";
// The bundle goes first: what the user has installed may be of other versions.
const BUNDLED = 'import sys; sys.path.insert(0, sys.argv.pop(1)); ';
const PROBE_BUNDLE = `${BUNDLED}import libcst.native, lsp_server.server`;
const SERVE_BUNDLE = `${BUNDLED}from lsp_server.server import main; main(None)`;
const PATIENCE_MS = 60_000;

/** How the server is started in an interpreter that was found. */
export function serverArguments({ bundle }: Candidate): string[] {
  return bundle === undefined
    ? [SAFE_PATH, '-m', 'lsp_server']
    : [SAFE_PATH, '-c', SERVE_BUNDLE, bundle];
}

/** The first interpreter that has the server, else the first that can run ours, else the reasons. */
export async function chooseInterpreter(extensionPath: string): Promise<Choice> {
  const unfit: Unfit[] = [];
  for (const candidate of await candidates()) {
    const problem = await probe(candidate, ['-c', PROBE]);
    if (problem === undefined) {
      return { found: candidate };
    }
    unfit.push(problem);
  }
  const bundle = path.join(extensionPath, 'bundled', 'python');
  for (const { command, origin } of unfit.filter((each) => each.lacksPackage)) {
    const candidate = { command, origin, bundle };
    const problem = await probe(candidate, ['-c', PROBE_BUNDLE, bundle]);
    if (problem === undefined) {
      return { found: candidate };
    }
    unfit.push({ ...problem, reason: `the server in the extension: ${problem.reason}` });
  }
  return { unfit };
}

/** The interpreter to run the user's own code in: the selected one, else the server's. */
export async function workInterpreter(serverCommand: string | undefined): Promise<string | undefined> {
  const setting = vscode.workspace.getConfiguration('torchferry').get<string>('interpreter', '').trim();
  return setting || (await selectedInterpreter()) || serverCommand;
}

/** Called with each change of the interpreter that the Python extension has selected. */
export async function onInterpreterChange(then: () => void): Promise<vscode.Disposable | undefined> {
  return (await pythonEnvironments())?.onDidChangeActiveEnvironmentPath(then);
}

async function candidates(): Promise<Candidate[]> {
  const setting = vscode.workspace.getConfiguration('torchferry').get<string>('interpreter', '').trim();
  if (setting !== '') {
    // The interpreter that the user named is used, or an error is reported; it is never ignored.
    return [{ command: setting, origin: 'the setting torchferry.interpreter' }];
  }
  const found: Candidate[] = [];
  const selected = await selectedInterpreter();
  if (selected !== undefined) {
    found.push({ command: selected, origin: 'the Python extension' });
  }
  for (const command of process.platform === 'win32' ? ['py', 'python'] : ['python3', 'python']) {
    found.push({ command, origin: 'the PATH' });
  }
  return found;
}

async function selectedInterpreter(): Promise<string | undefined> {
  if (!vscode.workspace.isTrusted) {
    return undefined; // it may be one that the workspace brings
  }
  const environments = await pythonEnvironments();
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const active = environments?.getActiveEnvironmentPath(folder);
  if (environments === undefined || active === undefined) {
    return undefined;
  }
  return (await environments.resolveEnvironment(active))?.executable.uri?.fsPath;
}

/** As much of the Python extension's interface as is used here. */
interface PythonEnvironments {
  getActiveEnvironmentPath(resource?: vscode.Uri): unknown;
  resolveEnvironment(path: unknown): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
  onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
}

async function pythonEnvironments(): Promise<PythonEnvironments | undefined> {
  const extension = vscode.extensions.getExtension<{ environments?: PythonEnvironments }>(
    'ms-python.python',
  );
  return extension === undefined ? undefined : (await extension.activate()).environments;
}

function probe(candidate: Candidate, call: readonly string[]): Promise<Unfit | undefined> {
  return new Promise((resolve) => {
    const options = { timeout: PATIENCE_MS, windowsHide: true };
    execFile(candidate.command, [SAFE_PATH, ...call], options, (error, _out, stderr) => {
      if (error === null) {
        resolve(undefined);
        return;
      }
      const unfit = (reason: string, lacksPackage = false): void =>
        resolve({ ...candidate, reason, lacksPackage });
      if (error.code === 3) {
        unfit('the package torchferry is not installed in it', true);
      } else if (error.code === 'ENOENT') {
        unfit('this program does not exist');
      } else if (stderr.includes(`nknown option: ${SAFE_PATH}`)) {
        unfit('it is older than Python 3.11');
      } else {
        unfit(stderr.trim().split('\n').pop() || error.message);
      }
    });
  });
}
