/** Explains a use of torch, proves it again, and writes the facts for a bug report. */

import * as vscode from 'vscode';

import type { Pages } from './pages';
import type { Server } from './server';

interface Explanation {
  readonly name: string | null;
  readonly text: string;
}

/** A rule's cases, run on both sides. */
export interface Proof {
  readonly name: string;
  readonly style: string;
  readonly versions: Record<string, string>;
  readonly cases: readonly Case[];
}

/** A case, with a difference that nothing reports and one that a finding reports. */
interface Case {
  readonly case: string;
  readonly problem: string | null;
  readonly reported: string | null;
}

export class Explainer {
  constructor(
    private readonly server: Server,
    private readonly pages: Pages,
  ) {}

  /** Show all that is known of the use at the cursor. */
  async explain(): Promise<void> {
    const found = await this.atCursor();
    if (found !== undefined) {
      await this.pages.showMarkdown(found.name ?? 'Finding', found.text);
    }
  }

  /** Run the cases of the rule at the cursor on both sides, now. */
  async prove(): Promise<void> {
    const found = await this.atCursor();
    if (found?.name == null) {
      return;
    }
    const proof = await this.server.execute<Proof>('prove', found.name);
    await this.pages.showMarkdown(`Proof of ${proof.name}`, written(proof));
  }

  /** Return the server's facts and log, as a text to attach to a bug report. */
  async bugReport(): Promise<void> {
    const text = await this.server.execute<string>('bugReport');
    const content = `${text}\nVS Code ${vscode.version}\n`;
    const document = await vscode.workspace.openTextDocument({ content, language: 'markdown' });
    await vscode.window.showTextDocument(document);
  }

  private async atCursor(): Promise<Explanation | undefined> {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.languageId !== 'python') {
      void vscode.window.showInformationMessage('Put the cursor on a use of torch in a Python file.');
      return undefined;
    }
    const { line, character } = editor.selection.active;
    const uri = editor.document.uri.toString();
    return this.server.execute<Explanation>('explain', uri, line, character);
  }
}

function written({ name, style, versions, cases }: Proof): string {
  const failed = cases.filter((each) => each.problem !== null).length;
  const reported = cases.filter((each) => each.reported !== null).length;
  const where = Object.entries(versions).map(([each, version]) => `${each} ${version}`);
  const verdict =
    failed > 0
      ? `${failed} of ${cases.length} cases differ`
      : reported > 0
        ? `${cases.length - reported} of ${cases.length} cases gave the same result on both sides; the others differ as reported`
        : `All ${cases.length} cases gave the same result on both sides`;
  const rows = cases.map(({ case: code, problem, reported: difference }) => {
    const mark =
      problem !== null ? `✗ ${problem}` : difference !== null ? `≈ ${difference}` : '✓ the same';
    return `**${mark}**\n\n\`\`\`python\n${code.trim()}\n\`\`\`\n`;
  });
  return [`# ${name}`, `In the ${style} style: ${verdict} (${where.join(', ')}).`, ...rows].join('\n\n');
}
