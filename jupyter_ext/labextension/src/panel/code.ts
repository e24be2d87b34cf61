import { EditorState, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  DecorationSet,
  EditorView,
  WidgetType
} from '@codemirror/view';
import {
  CodeEditor,
  CodeEditorWrapper,
  IEditorServices
} from '@jupyterlab/codeeditor';
import { CodeMirrorEditor } from '@jupyterlab/codemirror';
import { Widget, PanelLayout } from '@lumino/widgets';

import { h } from '../dom';

const changedLine = Decoration.line({ class: 'tf-ChangedLine' });

/** Added lines in a row, from this many on, are folded: helpers, not what the person wrote. */
const FOLD_FROM = 8;

interface IMarks {
  /** Lines that differ from the cell's. */
  changed: number[];
  /** First and last lines of long stretches that the cell does not have. */
  added: [number, number][];
}

const setMarks = StateEffect.define<IMarks>();
const unfold = StateEffect.define<number>();

/** Marks lines of the converted code, and folds long additions. */
const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (current, transaction) => {
    for (const effect of transaction.effects) {
      if (effect.is(setMarks)) {
        return decorate(transaction.state, effect.value);
      }
      if (effect.is(unfold)) {
        return current.update({
          filter: (from, _to, value) =>
            from !== effect.value || !(value.spec.widget instanceof FoldWidget)
        });
      }
    }
    return transaction.docChanged ? Decoration.none : current;
  },
  provide: field => EditorView.decorations.from(field)
});

function decorate(state: EditorState, { changed, added }: IMarks): DecorationSet {
  const { doc } = state;
  const folds = added.map(([first, last]) => {
    const from = doc.line(first + 1).from;
    const to = doc.line(last + 1).to;
    const names = doc
      .sliceString(from, to)
      .match(/^(?:def|class) \w+/gm)
      ?.map(head => head.split(' ')[1]);
    const widget = new FoldWidget(from, last - first + 1, names ?? []);
    return Decoration.replace({ widget, block: true }).range(from, to);
  });
  const folded = new Set(
    added.flatMap(([first, last]) =>
      Array.from({ length: last - first + 1 }, (_, index) => first + index)
    )
  );
  const lines = changed
    .filter(line => !folded.has(line))
    .map(line => changedLine.range(doc.line(line + 1).from));
  return Decoration.set([...folds, ...lines], true);
}

/** Stands for folded lines; a click shows them. */
class FoldWidget extends WidgetType {
  constructor(
    private _from: number,
    private _lines: number,
    private _names: string[]
  ) {
    super();
  }

  override eq(other: FoldWidget): boolean {
    return (
      other._from === this._from &&
      other._lines === this._lines &&
      other._names.join() === this._names.join()
    );
  }

  override toDOM(view: EditorView): HTMLElement {
    const names = this._names.join(', ');
    return h(
      'button',
      {
        className: 'tf-Fold',
        type: 'button',
        title: names ? `Show the definitions of ${names}` : 'Show these lines',
        onclick: () => view.dispatch({ effects: unfold.of(this._from) })
      },
      `⋯ ${this._lines} added lines`,
      names ? `: ${names}` : null
    );
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

/** Stretches of added lines that are long enough to fold. */
function longAdditions(lines: string[], lineMap: number[]): [number, number][] {
  const found: [number, number][] = [];
  let first = 0;
  for (let line = 0; line <= lines.length; line += 1) {
    if (line < lines.length && lineMap[line] === -1) {
      continue;
    }
    if (line - first >= FOLD_FROM) {
      found.push([first, line - 1]);
    }
    first = line + 1;
  }
  return found;
}

/** The converted code of a cell, to read; a click leads to the line that it comes from. */
export class CodeView extends Widget {
  constructor(services: IEditorServices, reveal: (line: number) => void) {
    super();
    this.addClass('tf-Code');
    const model = new CodeEditor.Model({ mimeType: 'text/x-ipython' });
    this._wrapper = new CodeEditorWrapper({
      model,
      factory: services.factoryService.newInlineEditor,
      editorOptions: { config: { readOnly: true, lineNumbers: false, lineWrap: false } }
    });
    this._view = (this._wrapper.editor as CodeMirrorEditor).editor;
    this._view.contentDOM.setAttribute('aria-label', 'Converted code');
    this._view.dispatch({ effects: StateEffect.appendConfig.of(marks) });
    this._view.dom.addEventListener('dblclick', event => {
      const at = this._view.posAtCoords({ x: event.clientX, y: event.clientY });
      if (at !== null) {
        const line = this._lineMap[this._view.state.doc.lineAt(at).number - 1];
        if (line >= 0) {
          reveal(line);
        }
      }
    });
    this._note = new Widget({ node: h('div', { className: 'tf-Note' }) });
    const layout = new PanelLayout();
    layout.addWidget(this._note);
    layout.addWidget(this._wrapper);
    this.layout = layout;
    this.note('');
  }

  get code(): string {
    return this._code;
  }

  /** Show converted code beside its origin; `lineMap` leads from the one to the other. */
  display(code: string, lineMap: number[], origin: string): void {
    this._wrapper.show();
    this._lineMap = lineMap;
    if (code !== this._code || origin !== this._origin) {
      this._code = code;
      this._origin = origin;
      const { doc } = this._view.state;
      if (doc.toString() !== code) {
        this._view.dispatch({
          changes: { from: 0, to: doc.length, insert: code }
        });
      }
      const lines = code.split('\n');
      const originals = origin.split('\n');
      const changed = lines
        .map((_, line) => line)
        .filter(line => lines[line] !== originals[lineMap[line]]);
      const added = longAdditions(lines, lineMap);
      this._view.dispatch({ effects: setMarks.of({ changed, added }) });
    }
  }

  /** A line of text above the code, or instead of it. */
  note(text: string, alone = false): void {
    this._note.node.textContent = text;
    this._note.setHidden(!text);
    this._wrapper.setHidden(alone);
  }

  private _code = '';
  private _lineMap: number[] = [];
  private _note: Widget;
  private _origin = '';
  private _view: EditorView;
  private _wrapper: CodeEditorWrapper;
}
