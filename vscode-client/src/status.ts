/** The entry in the status bar: whether the server runs, and a way to its log. */

import * as vscode from 'vscode';

export type State = 'starting' | 'running' | 'stopped' | 'failed';

const ICON: Record<State, string> = {
  starting: '$(sync~spin)',
  running: '$(arrow-swap)',
  stopped: '$(circle-slash)',
  failed: '$(error)',
};

export class StatusBar implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;
  private state: State = 'starting';
  private detail = '';
  private target = '';

  constructor() {
    this.item = vscode.window.createStatusBarItem('torchferry', vscode.StatusBarAlignment.Right, 100);
    this.item.name = 'Torchferry';
  }

  /** Show a state, with what there is to say about it. */
  show(state: State, detail: string): void {
    this.state = state;
    this.detail = detail;
    this.update();
  }

  /** Show what files are converted to; empty where that is not known. */
  aim(target: string): void {
    this.target = target;
    this.update();
  }

  private update(): void {
    const { state, detail } = this;
    const target = state === 'running' ? this.target : '';
    this.item.text = [`${ICON[state]} Torchferry`, target].filter(Boolean).join(': ');
    // A click changes the target; where there is none, the log says why.
    this.item.command = target ? 'torchferry.chooseTarget' : 'torchferry.showOutput';
    const tooltip = new vscode.MarkdownString(undefined, true);
    tooltip.isTrusted = { enabledCommands: ['torchferry.chooseTarget', 'torchferry.restart', 'torchferry.showOutput', 'torchferry.showEnvironment'] };
    tooltip.appendMarkdown(`**Torchferry: ${state}**\n\n`);
    tooltip.appendText(detail);
    tooltip.appendMarkdown(
      '\n\n[Target and Style](command:torchferry.chooseTarget) · [Restart](command:torchferry.restart) · [Log](command:torchferry.showOutput)' +
        ' · [Bug report](command:torchferry.showEnvironment)',
    );
    this.item.tooltip = tooltip;
    this.item.accessibilityInformation = { label: `Torchferry: ${[state, target].filter(Boolean).join(', ')}. ${detail}` };
    this.item.backgroundColor =
      state === 'failed' ? new vscode.ThemeColor('statusBarItem.errorBackground') : undefined;
    this.item.show();
  }

  dispose(): void {
    this.item.dispose();
  }
}
