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

  constructor() {
    this.item = vscode.window.createStatusBarItem('torchferry', vscode.StatusBarAlignment.Right, 100);
    this.item.name = 'Torchferry';
    this.item.command = 'torchferry.showOutput';
  }

  /** Show a state, with what there is to say about it. */
  show(state: State, detail: string): void {
    this.item.text = `${ICON[state]} Torchferry`;
    const tooltip = new vscode.MarkdownString(undefined, true);
    tooltip.isTrusted = { enabledCommands: ['torchferry.restart', 'torchferry.showOutput', 'torchferry.showEnvironment'] };
    tooltip.appendMarkdown(`**Torchferry: ${state}**\n\n`);
    tooltip.appendText(detail);
    tooltip.appendMarkdown(
      '\n\n[Restart](command:torchferry.restart) · [Log](command:torchferry.showOutput)' +
        ' · [Bug report](command:torchferry.showEnvironment)',
    );
    this.item.tooltip = tooltip;
    this.item.accessibilityInformation = { label: `Torchferry: ${state}. ${detail}` };
    this.item.backgroundColor =
      state === 'failed' ? new vscode.ThemeColor('statusBarItem.errorBackground') : undefined;
    this.item.show();
  }

  dispose(): void {
    this.item.dispose();
  }
}
