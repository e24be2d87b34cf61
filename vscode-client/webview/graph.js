/**
 * Netron's view of one graph, inside a page of the editor's.
 *
 * It is given the graph as a message, and says which nodes are clicked. What it knows of Netron's
 * insides is kept to this file.
 */

import { Host } from '../bundled/netron/browser.js';
import { ModelFactory } from '../bundled/netron/message.js';
import { View } from '../bundled/netron/view.js';

const STYLE = `
  body { padding: 0; }
  #menu-button, .menu, #sidebar-model-button, #sidebar-target-button { display: none !important; }
  .default, .target { background-color: var(--vscode-editor-background) !important; }
  .select > .node.node-border { stroke: var(--vscode-focusBorder) !important; }
  .toolbar { bottom: 4px; left: 4px; }
`;

const editor = acquireVsCodeApi();
const kind = document.body.dataset.vscodeThemeKind ?? '';

class QuietHost extends Host {
  environment(name) {
    // A page of the editor's may start no worker from another origin: the layout is made here.
    return name === 'serial' ? true : super.environment(name);
  }

  async require(id) {
    if (id === './message') {
      return { ModelFactory };
    }
    throw new Error(`This page shows captured graphs, and has no module ${id}.`);
  }

  async asset() {
    throw new Error('No metadata of formats is brought along.');
  }

  openURL() {}

  _getCookie() {
    return '1'; // nothing is asked, and nothing is kept
  }

  _setCookie() {}
}

/** Follow the editor's theme: Netron's rules follow the system's. */
function applyTheme(dark) {
  for (const sheet of document.styleSheets) {
    for (const rule of sheet.cssRules) {
      const scheme = rule.media && /prefers-color-scheme:\s*(dark|light)/.exec(rule.media.mediaText)?.[1];
      if (scheme) {
        rule.media.mediaText = (scheme === 'dark') === dark ? 'all' : 'not all';
      }
    }
  }
  const style = document.createElement('style');
  style.textContent = STYLE;
  document.head.append(style);
}

let last = '';

/** Say which node is selected; Netron tells several times a click. */
function follow(view) {
  view.target?.on('selectionchange', () => {
    const names = [...view.target.selection].map((element) => element.value?.name);
    const name = names.find((each) => typeof each === 'string') ?? '';
    if (name !== '' && name !== last) {
      editor.postMessage({ kind: 'selected', name });
    }
    last = name;
  });
}

async function show(view, host, name, text) {
  const file = new File([text], name);
  const before = view.target;
  await host._open(file, [file]);
  const drawn = () => view.target && view.target !== before;
  if (!drawn()) {
    await new Promise((resolve) => {
      const observer = new MutationObserver(() => {
        if (drawn()) {
          observer.disconnect();
          resolve();
        }
      });
      observer.observe(document.body, { attributes: true, attributeFilter: ['class'] });
    });
  }
  follow(view);
}

applyTheme(kind.includes('dark') || kind === 'vscode-high-contrast');
const host = new QuietHost();
const view = new View(host);
window.addEventListener('message', ({ data }) => {
  if (typeof data?.text === 'string') {
    void show(view, host, data.name, data.text);
  }
});
void view.start().then(() => editor.postMessage({ kind: 'ready' }));
