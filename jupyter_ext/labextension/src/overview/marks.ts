import { CellStates, STATES } from './states';

/** Mark each cell of a notebook with its state, next to its prompt. */
export function markCells(states: CellStates): void {
  for (const widget of states.follower.notebook.content.widgets) {
    const state = states.of(widget.model.id);
    const shown = state && STATES[state.state].sign ? state : null;
    const { node } = widget;
    if (shown) {
      node.dataset.torchferry = shown.state;
      node.style.setProperty('--tf-sign', `'${STATES[shown.state].sign}'`);
    } else {
      delete node.dataset.torchferry;
    }
    const prompt = node.querySelector<HTMLElement>('.jp-InputPrompt');
    if (prompt) {
      prompt.title = shown ? `${STATES[shown.state].word}. ${shown.said}` : '';
    }
  }
}
