import { StateEffect, StateField } from '@codemirror/state';
import { Decoration, DecorationSet, EditorView } from '@codemirror/view';
import {
  CodeEditor,
  CodeEditorWrapper,
  IEditorServices
} from '@jupyterlab/codeeditor';
import { CodeMirrorEditor } from '@jupyterlab/codemirror';
import { Widget, PanelLayout } from '@lumino/widgets';

import { h } from '../dom';

const changedLine = Decoration.line({ class: 'tf-ChangedLine' });

const setChanged = StateEffect.define<number[]>();

/** Marks the lines of the converted code that differ from the cell's. */
const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (current, transaction) => {
    const effect = transaction.effects.find(each => each.is(setChanged));
    if (effect) {
      const { doc } = transaction.state;
      const lines: number[] = effect.value;
      return Decoration.set(lines.map(line => changedLine.range(doc.line(line + 1).from)));
    }
    return transaction.docChanged ? Decoration.none : current;
  },
  provide: field => EditorView.decorations.from(field)
});

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

  /** Show converted code next to its origin; `lineMap` maps its lines to the origin's. */
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
      this._view.dispatch({ effects: setChanged.of(changed) });
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
