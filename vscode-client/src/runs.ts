/** Runs Torchferry's command line in an interpreter of the user's. */

import { spawn } from 'node:child_process';
import type * as vscode from 'vscode';

import { SAFE_PATH } from './interpreter';

/** The output of a command line, and its exit. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly errors: string;
}

/** The arguments of an interpreter that runs a command of Torchferry's. */
export function commandLine(...words: readonly string[]): string[] {
  return [SAFE_PATH, '-m', 'workbench.cli', ...words];
}

/** Run a program to its end, or until it is cancelled. */
export function finished(
  command: string,
  call: readonly string[],
  cwd: string,
  cancelled: vscode.CancellationToken,
): Promise<Ended> {
  return new Promise((resolve) => {
    const environment = { ...process.env, PYTHONUTF8: '1' };
    const child = spawn(command, call, { cwd, env: environment, windowsHide: true });
    let out = '';
    let errors = '';
    child.stdout.on('data', (data: Buffer) => (out += data.toString()));
    child.stderr.on('data', (data: Buffer) => (errors += data.toString()));
    child.on('error', (error) => resolve({ code: -1, out, errors: String(error) }));
    child.on('close', (code) => resolve({ code, out, errors }));
    cancelled.onCancellationRequested(() => child.kill());
  });
}

/** Whether a run has a result: 1 is also how Python ends when it cannot start the command. */
export function hasResult({ code, out }: Ended): boolean {
  return (code === 0 || code === 1) && out.trim() !== '';
}

/** Why a run has no result, for people. */
export function reasonOf({ errors }: Ended, interpreter: string): string {
  const last = errors.trim().split('\n').pop() ?? '';
  const missing = /No module named '?([\w.]+)/.exec(last)?.[1];
  if (missing !== undefined) {
    const what = missing === 'paddle' ? 'paddlepaddle' : missing.split('.')[0];
    const name = ['workbench', 'click', 'rich'].includes(what) ? 'torchferry' : what;
    return `${interpreter} does not have ${name}. Install it there (pip install ${name}), or select another interpreter.`;
  }
  return last.replace(/^torchferry: /, '') || 'It ended without a message. The log may have more.';
}
